// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme/PageState.h"

#include <QClipboard>
#include <QFontDatabase>
#include <QGridLayout>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QToolButton>

#include "ui/theme/Theme.h"

namespace attnscope::ui {

PageState::PageState(const Theme& theme, QWidget* parent)
    : QWidget(parent),
      m_theme(theme),
      m_icon(new QLabel(this)),
      m_title(new QLabel(this)),
      m_text(new QLabel(this)),
      m_codeField(new QWidget(this)),
      m_code(new QLabel(m_codeField)),
      m_copyCode(new QToolButton(m_codeField)),
      m_copyDetails(new QPushButton(tr("Copy details"), this)),
      m_codeRow(new QHBoxLayout(m_codeField)),
      m_wordsGrid(new QGridLayout),
      m_outer(new QGridLayout(this)) {
  setAutoFillBackground(true);
  m_text->setWordWrap(true);
  for (QLabel* label : {m_title, m_text, m_code}) label->setTextFormat(Qt::PlainText);  // they may quote a file
  m_code->setTextInteractionFlags(Qt::TextSelectableByMouse);
  m_codeField->setAutoFillBackground(true);
  m_copyCode->setToolTip(tr("Copy"));
  m_copyCode->setAccessibleName(tr("Copy the call"));
  m_codeRow->addWidget(m_code, 1);
  m_codeRow->addWidget(m_copyCode);
  auto* buttons = new QHBoxLayout;
  buttons->addWidget(m_copyDetails);
  buttons->addStretch(1);
  m_wordsGrid->addWidget(m_icon, 0, 0, Qt::AlignTop);
  m_wordsGrid->addWidget(m_title, 0, 1);
  m_wordsGrid->addWidget(m_text, 1, 1);
  m_wordsGrid->addWidget(m_codeField, 2, 1);
  m_wordsGrid->addLayout(buttons, 3, 1);
  m_outer->addLayout(m_wordsGrid, 1, 1);
  m_outer->setRowStretch(0, 1);
  m_outer->setRowStretch(2, 1);
  m_outer->setColumnStretch(0, 1);
  m_outer->setColumnStretch(2, 1);
  connect(m_copyCode, &QToolButton::clicked, this, [this] { QGuiApplication::clipboard()->setText(m_words.code); });
  connect(m_copyDetails, &QPushButton::clicked, this,
          [this] { QGuiApplication::clipboard()->setText(m_words.details); });
  applyTheme();
}

void PageState::setWords(const PageStateWords& words) {
  if (words == m_words) return;
  m_words = words;
  m_title->setText(words.title);
  m_text->setText(words.text);
  m_code->setText(words.code);
  m_codeField->setVisible(!words.code.isEmpty());
  m_copyDetails->setVisible(!words.details.isEmpty());
  setAccessibleName(words.title);
  applyTheme();
}

void PageState::applyTheme() {
  const auto ink = [](QWidget* widget, const QColor& colour, QPalette::ColorRole role) {
    QPalette palette = widget->palette();
    palette.setColor(role, colour);
    widget->setPalette(palette);
  };
  ink(this, m_theme.colour(QStringLiteral("surface.pane")), QPalette::Window);
  ink(m_title, m_theme.colour(QStringLiteral("text.primary")), QPalette::WindowText);
  ink(m_text, m_theme.colour(QStringLiteral("text.secondary")), QPalette::WindowText);
  ink(m_code, m_theme.colour(QStringLiteral("text.primary")), QPalette::WindowText);
  ink(m_codeField, m_theme.colour(QStringLiteral("surface.sunken")), QPalette::Window);
  m_title->setFont(m_theme.font(FontRole::kTitle, QFont::DemiBold));
  m_text->setFont(m_theme.font(FontRole::kUi));
  QFont mono = QFontDatabase::systemFont(QFontDatabase::FixedFont);
  mono.setPixelSize(m_theme.font(FontRole::kData).pixelSize());
  m_code->setFont(mono);
  m_codeRow->setContentsMargins(m_theme.scaled(8), 2, 2, 2);
  m_wordsGrid->setHorizontalSpacing(m_theme.scaled(12));
  m_wordsGrid->setVerticalSpacing(m_theme.scaled(8));
  m_outer->setContentsMargins(m_theme.scaled(16), m_theme.scaled(8), m_theme.scaled(16), m_theme.scaled(8));
  m_outer->setColumnMinimumWidth(1, m_theme.scaled(300));
  m_text->setFixedWidth(m_theme.scaled(430));
  m_copyCode->setIcon(m_theme.icon(QStringLiteral("copy")));
  if (m_words.icon.isEmpty()) return;
  m_icon->setPixmap(
      m_theme.iconPixmap(m_words.icon, m_theme.scaled(20), m_theme.colour(m_words.severity), devicePixelRatioF()));
}

}  // namespace attnscope::ui
