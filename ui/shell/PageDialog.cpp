// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/PageDialog.h"

#include <QHBoxLayout>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>

#include "ui/theme/Surface.h"

namespace attnscope::ui {

PageDialog::PageDialog(const Theme& theme, const QString& title, QSize size, QWidget* parent)
    : QDialog(parent),
      m_theme(theme),
      m_page(new Surface(theme, QStringLiteral("surface.panel"))),
      m_foot(new QHBoxLayout) {
  setWindowTitle(title);
  setAttribute(Qt::WA_DeleteOnClose);
  resize(theme.scaled(size.width()), theme.scaled(size.height()));
  auto* scroll = new QScrollArea(this);
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setWidgetResizable(true);
  scroll->setAccessibleName(title);
  scroll->setWidget(m_page);
  auto* close = new QPushButton(tr("Close"), this);
  close->setAccessibleName(close->text());
  close->setDefault(true);
  connect(close, &QPushButton::clicked, this, &QDialog::accept);
  auto* bottom = new QHBoxLayout;
  bottom->setContentsMargins(theme.scaled(16), 0, theme.scaled(16), 0);
  bottom->addLayout(m_foot, 1);
  bottom->addWidget(close);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, theme.scaled(12));
  column->addWidget(scroll, 1);
  column->addLayout(bottom);
}

}  // namespace attnscope::ui
