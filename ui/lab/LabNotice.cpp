// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/lab/LabNotice.h"

#include <algorithm>

#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QPlainTextEdit>
#include <QPushButton>

#include "ui/theme/TextLabel.h"

namespace attnscope::ui {

namespace {
constexpr int kWidth = 470;
}

LabNotice::LabNotice(const Theme& theme, QWidget* parent)
    : QWidget(parent),
      m_theme(theme),
      m_icon(new QLabel(this)),
      m_title(new TextLabel(theme, {}, {FontRole::kTitle, QFont::DemiBold})),
      m_body(new TextLabel(theme, {}, {FontRole::kUi, QFont::Normal, "text.secondary"})),
      m_logButton(new QPushButton(this)),
      m_log(new QPlainTextEdit(this)) {
  m_title->setWrapped(true);
  m_body->setWrapped(true);
  m_logButton->setCheckable(true);
  m_log->setReadOnly(true);
  m_log->setAccessibleName(tr("The runner's log"));
  m_log->setFrameShape(QFrame::NoFrame);
  auto* buttons = new QHBoxLayout;
  buttons->addWidget(m_logButton);
  buttons->addStretch(1);
  auto* grid = new QGridLayout(this);
  grid->setContentsMargins(24, 16, 24, 16);
  grid->setHorizontalSpacing(m_theme.scaled(12));
  grid->setVerticalSpacing(m_theme.scaled(8));
  grid->addWidget(m_icon, 1, 1, Qt::AlignTop);
  grid->addWidget(m_title, 1, 2);
  grid->addWidget(m_body, 2, 2);
  grid->addLayout(buttons, 3, 2);
  grid->addWidget(m_log, 4, 2);
  grid->setRowStretch(0, 1);
  grid->setRowStretch(5, 1);
  grid->setColumnStretch(0, 1);
  grid->setColumnStretch(3, 1);
  connect(m_logButton, &QPushButton::toggled, this, &LabNotice::showLog);
  connect(&m_theme, &Theme::changed, this, &LabNotice::applyTheme);
  setLog({});
  showLog(false);
  applyTheme();
}

void LabNotice::applyTheme() {
  m_log->setMaximumHeight(m_theme.scaled(180));
  m_log->setFont(codeFontOf(m_theme));
  fit();
  m_icon->setPixmap(
      m_theme.iconPixmap(m_iconName, m_theme.scaled(20), m_theme.colour(m_iconColour), devicePixelRatioF()));
  update();
}

void LabNotice::setWords(const QString& icon, const QString& colour, const QString& title, const QString& body) {
  m_iconName = icon;
  m_iconColour = colour;
  m_title->setText(title);
  m_body->setText(body);
  setAccessibleName(title);
  setAccessibleDescription(body);
  applyTheme();
}

void LabNotice::setLog(const QStringList& log) {
  m_logButton->setVisible(!log.isEmpty());
  const QString text = log.join(u'\n');
  if (m_log->toPlainText() != text) m_log->setPlainText(text);
  if (log.isEmpty()) m_logButton->setChecked(false);
}

void LabNotice::showLog(bool shown) {
  m_log->setVisible(shown);
  m_logButton->setText(shown ? tr("Hide the runner's log") : tr("Show the runner's log"));
}

void LabNotice::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  fit();
}

void LabNotice::fit() {
  const int around = 2 * 24 + m_theme.scaled(20 + 12);
  const int wide = std::max(std::min(m_theme.scaled(kWidth), width()) - around, m_theme.scaled(120));
  for (TextLabel* label : {m_title, m_body}) label->setFixedWidth(wide);
  m_log->setFixedWidth(wide);
}

QSize LabNotice::minimumSizeHint() const { return {m_theme.scaled(200), QWidget::minimumSizeHint().height()}; }

QString LabNotice::title() const { return m_title->text(); }
QString LabNotice::body() const { return m_body->text(); }

void LabNotice::paintEvent(QPaintEvent* /*event*/) {
  QPainter(this).fillRect(rect(), m_theme.colour(QStringLiteral("surface.pane")));
}

}  // namespace attnscope::ui
