// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/lab/RunHead.h"

#include <QHBoxLayout>
#include <QPainter>
#include <QPushButton>
#include <QVBoxLayout>

#include "ui/lab/Choice.h"
#include "ui/lab/PhaseBars.h"
#include "ui/theme/TextLabel.h"

namespace attnscope::ui {

namespace {

// The letter chip of the implementation that the head is about.
class ChipMark : public QWidget {
 public:
  explicit ChipMark(const Theme& theme) : m_theme(theme) { setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed); }
  void setPosition(int position) {
    m_position = position;
    setVisible(position >= 0);
    update();
  }
  [[nodiscard]] QSize sizeHint() const override { return {m_theme.chipSize(), m_theme.chipSize()}; }

 protected:
  void paintEvent(QPaintEvent* /*event*/) override {
    QPainter painter(this);
    if (m_position >= 0) m_theme.drawChip(painter, {0, 0}, m_position, labLetter(m_position));
  }

 private:
  const Theme& m_theme;
  int m_position = -1;
};

}  // namespace

RunHead::RunHead(const Theme& theme, QWidget* parent)
    : QWidget(parent),
      m_theme(theme),
      m_title(new TextLabel(theme, {}, {FontRole::kTitle, QFont::DemiBold})),
      m_chip(new ChipMark(theme)),
      m_of(new TextLabel(theme, {}, {FontRole::kUi, QFont::Normal, "text.primary"})),
      m_times(new TextLabel(theme, {}, {FontRole::kData, QFont::Normal, "text.secondary"})),
      m_stop(new QPushButton(tr("Stop"))),
      m_phases(new PhaseBars(theme)),
      m_note(new TextLabel(theme, {}, {FontRole::kData, QFont::Normal, "text.secondary"})) {
  m_note->setWrapped(true);
  m_title->setSizePolicy(QSizePolicy::Minimum, QSizePolicy::Fixed);  // the times are cut before it
  m_stop->setToolTip(tr("Stop the run and keep what is finished (Ctrl+.)"));
  auto* line = new QHBoxLayout;
  line->setSpacing(m_theme.scaled(8));
  line->addWidget(m_title);
  line->addWidget(m_chip);
  line->addWidget(m_of);
  line->addStretch(1);
  line->addWidget(m_times);
  line->addSpacing(m_theme.scaled(4));
  line->addWidget(m_stop);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(16, 12, 16, 12);
  column->setSpacing(m_theme.scaled(10));
  column->addLayout(line);
  column->addWidget(m_phases);
  column->addWidget(m_note);
  m_chip->hide();
  connect(&m_theme, &Theme::changed, this, &RunHead::applyTheme);
  applyTheme();
}

void RunHead::applyTheme() {
  m_stop->setIconSize(QSize(m_theme.scaled(14), m_theme.scaled(14)));
  m_stop->setIcon(m_theme.iconPixmap(QStringLiteral("stop"), m_theme.scaled(14),
                                     m_theme.colour(QStringLiteral("text.primary")), devicePixelRatioF()));
  update();
}

void RunHead::setHeadline(const QString& title, int position, const QString& of) {
  m_title->setText(title);
  static_cast<ChipMark*>(m_chip)->setPosition(position);
  m_of->setText(of);
  m_of->setVisible(!of.isEmpty());
}

void RunHead::setTimes(const QString& times) { m_times->setText(times); }

void RunHead::setPhases(const PhaseFigures& phases) { m_phases->setPhases(phases); }

void RunHead::setNote(const QString& note, const QString& icon, const QString& iconColour) {
  m_note->setIcon(icon, iconColour);
  m_note->setText(note);
  m_note->setVisible(!note.isEmpty());
}

QString RunHead::title() const { return m_title->text(); }
QString RunHead::note() const { return m_note->text(); }

void RunHead::paintEvent(QPaintEvent* /*event*/) {
  QPainter painter(this);
  painter.fillRect(rect(), m_theme.colour(QStringLiteral("surface.panel")));
  painter.fillRect(0, height() - 1, width(), 1, m_theme.colour(QStringLiteral("border.hairline")));
}

}  // namespace attnscope::ui
