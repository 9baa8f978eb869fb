// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/ChartState.h"

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

ChartState::ChartState(const Theme& theme, QWidget* parent)
    : QWidget(parent),
      m_theme(theme),
      m_icon(new QLabel(this)),
      m_title(new QLabel(this)),
      m_text(new QLabel(this)),
      m_codeField(new QWidget(this)),
      m_code(new QLabel(m_codeField)),
      m_copyCode(new QToolButton(m_codeField)),
      m_copyDetails(new QPushButton(tr("Copy details"), this)) {
  setAutoFillBackground(true);
  m_text->setWordWrap(true);
  m_code->setTextInteractionFlags(Qt::TextSelectableByMouse);
  m_codeField->setAutoFillBackground(true);
  m_copyCode->setToolTip(tr("Copy"));
  m_copyCode->setAccessibleName(tr("Copy the call"));
  auto* codeRow = new QHBoxLayout(m_codeField);
  codeRow->setContentsMargins(m_theme.scaled(8), 2, 2, 2);
  codeRow->addWidget(m_code, 1);
  codeRow->addWidget(m_copyCode);
  auto* buttons = new QHBoxLayout;
  buttons->addWidget(m_copyDetails);
  buttons->addStretch(1);
  auto* words = new QGridLayout;
  words->setHorizontalSpacing(m_theme.scaled(12));
  words->setVerticalSpacing(m_theme.scaled(8));
  words->addWidget(m_icon, 0, 0, Qt::AlignTop);
  words->addWidget(m_title, 0, 1);
  words->addWidget(m_text, 1, 1);
  words->addWidget(m_codeField, 2, 1);
  words->addLayout(buttons, 3, 1);
  auto* outer = new QGridLayout(this);
  outer->setContentsMargins(m_theme.scaled(16), m_theme.scaled(8), m_theme.scaled(16), m_theme.scaled(8));
  outer->addLayout(words, 1, 1);
  outer->setRowStretch(0, 1);
  outer->setRowStretch(2, 1);
  outer->setColumnStretch(0, 1);
  outer->setColumnStretch(2, 1);
  outer->setColumnMinimumWidth(1, m_theme.scaled(300));
  connect(m_copyCode, &QToolButton::clicked, this, [this] { QGuiApplication::clipboard()->setText(m_words.code); });
  connect(m_copyDetails, &QPushButton::clicked, this,
          [this] { QGuiApplication::clipboard()->setText(m_words.details); });
  applyTheme();
}

void ChartState::setWords(const ChartStateWords& words) {
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

void ChartState::applyTheme() {
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
  m_text->setFixedWidth(m_theme.scaled(430));
  m_copyCode->setIcon(m_theme.icon(QStringLiteral("copy")));
  if (m_words.icon.isEmpty()) return;
  m_icon->setPixmap(
      m_theme.iconPixmap(m_words.icon, m_theme.scaled(20), m_theme.colour(m_words.severity), devicePixelRatioF()));
}

}  // namespace attnscope::ui
