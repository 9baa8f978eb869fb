// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/TimelineBar.h"

#include <algorithm>

#include <QHBoxLayout>
#include <QPainter>
#include <QSignalBlocker>

namespace attnscope::ui {

TimelineBar::TimelineBar(Session& session, const Theme& theme, QWidget* parent)
    : QWidget(parent),
      m_session(session),
      m_theme(theme),
      m_alignWords(tr("Align")),
      m_colourWords(tr("Colour")),
      m_legend(session, theme),
      m_changes(theme),
      m_ribbonWords(tr("Ribbons")) {
  auto* row = new QHBoxLayout(this);
  for (const auto& [words, alignment] :
       {std::pair{tr("Trace start"), Alignment::kStart}, std::pair{tr("Step start"), Alignment::kStep},
        std::pair{tr("First kernel"), Alignment::kFirstKernel}, std::pair{tr("Clock"), Alignment::kWallClock}}) {
    m_align.addItem(words, static_cast<int>(alignment));
  }
  m_align.setAccessibleName(tr("Align runs by"));
  m_colour.addItems({tr("Kind of work"), tr("Difference"), tr("Changes only")});
  m_colour.setAccessibleName(tr("Colour by"));
  m_ribbons.addItems({tr("Stages"), tr("Selection"), tr("Off")});
  m_ribbons.setAccessibleName(tr("Ribbons between runs"));
  for (QComboBox* box : {&m_align, &m_colour, &m_ribbons}) {
    box->setProperty("control", QStringLiteral("small"));
    box->setFocusPolicy(Qt::TabFocus);
    box->setSizeAdjustPolicy(QComboBox::AdjustToContents);
  }
  m_stepper.setObjectName(QStringLiteral("stepper"));
  auto* steps = new QHBoxLayout(&m_stepper);
  steps->setContentsMargins(0, 0, 0, 0);
  steps->setSpacing(0);
  for (QToolButton* arrow : {&m_previous, &m_next}) arrow->setObjectName(QStringLiteral("stepArrow"));
  m_previous.setAccessibleName(tr("Previous step"));
  m_next.setAccessibleName(tr("Next step"));
  m_step.setToolTip(tr("Click: the whole trace"));
  for (QToolButton* button : {&m_previous, &m_step, &m_next}) {
    button->setFocusPolicy(Qt::TabFocus);
    steps->addWidget(button);
  }
  m_fit.setToolTip(tr("Fit the selection, the step, all (F)"));
  m_fit.setAccessibleName(tr("Fit"));
  m_measure.setToolTip(tr("Measure by dragging (Shift+drag)"));
  m_measure.setAccessibleName(tr("Measure"));
  m_measure.setCheckable(true);
  for (QToolButton* button : {&m_fit, &m_measure}) button->setFocusPolicy(Qt::TabFocus);
  row->addWidget(&m_alignWords);
  row->addWidget(&m_align);
  row->addSpacing(2);
  row->addWidget(&m_stepper);
  row->addSpacing(6);
  row->addWidget(&m_colourWords);
  row->addWidget(&m_colour);
  row->addSpacing(6);
  row->addWidget(&m_legend, 1);
  row->addWidget(&m_changes, 1);
  row->addWidget(&m_ribbonWords);
  row->addWidget(&m_ribbons);
  row->addWidget(&m_fit);
  row->addWidget(&m_measure);

  connect(&m_align, &QComboBox::activated, this,
          [this](int at) { m_session.setAlignment(static_cast<Alignment>(m_align.itemData(at).toInt())); });
  connect(&m_colour, &QComboBox::activated, this, [this](int at) {
    m_session.setSliceColour(at == 0 ? SliceColour::kKind : SliceColour::kChange);
    m_session.setChangesOnly(at == 2);
  });
  connect(&session, &Session::sliceColourChanged, this, &TimelineBar::refresh);
  connect(&m_previous, &QToolButton::clicked, this,
          [this] { goToStep(m_session.scope().kind == ScopeKind::kStep ? m_session.scope().step - 1 : 0); });
  connect(&m_next, &QToolButton::clicked, this,
          [this] { goToStep(m_session.scope().kind == ScopeKind::kStep ? m_session.scope().step + 1 : 0); });
  connect(&m_step, &QToolButton::clicked, this, [this] { m_session.setScope(Scope{}); });
  connect(&m_ribbons, &QComboBox::activated, this, [this](int at) { Q_EMIT ribbonsChosen(static_cast<Ribbons>(at)); });
  connect(&m_fit, &QToolButton::clicked, this, &TimelineBar::fitWanted);
  connect(&m_measure, &QToolButton::toggled, this, &TimelineBar::measuringChosen);
  connect(&session, &Session::scopeChanged, this, &TimelineBar::refresh);
  connect(&session, &Session::alignmentChanged, this, &TimelineBar::refresh);
  connect(&session, &Session::runsChanged, this, &TimelineBar::refresh);
  connect(&theme, &Theme::changed, this, &TimelineBar::refreshLook);
  refreshLook();
  refresh();
}

void TimelineBar::refreshLook() {
  setFixedHeight(m_theme.size(QStringLiteral("timeline_bar")));
  layout()->setContentsMargins(m_theme.scaled(12), 0, m_theme.scaled(8), 0);
  layout()->setSpacing(m_theme.scaled(6));
  const int control = m_theme.size(QStringLiteral("control_small"));
  m_stepper.setFixedHeight(control);
  m_step.setFixedHeight(control);
  for (QToolButton* button : {&m_previous, &m_next}) button->setFixedSize(m_theme.scaled(22), control);
  for (QToolButton* button : {&m_fit, &m_measure}) button->setFixedSize(m_theme.scaled(28), control);
  m_previous.setIcon(m_theme.icon(QStringLiteral("chevron_left")));
  m_next.setIcon(m_theme.icon(QStringLiteral("chevron_right")));
  m_fit.setIcon(m_theme.icon(QStringLiteral("fit")));
  m_measure.setIcon(m_theme.icon(QStringLiteral("measure")));
  const QSize small(m_theme.scaled(12), m_theme.scaled(12));
  m_previous.setIconSize(small);
  m_next.setIconSize(small);
  const QSize usual(m_theme.scaled(14), m_theme.scaled(14));
  m_fit.setIconSize(usual);
  m_measure.setIconSize(usual);
  for (QLabel* label : {&m_alignWords, &m_colourWords, &m_ribbonWords}) {
    label->setFont(m_theme.font(FontRole::kData));
    QPalette palette = label->palette();
    palette.setColor(QPalette::WindowText, m_theme.colour(QStringLiteral("text.secondary")));
    label->setPalette(palette);
  }
  update();
}

void TimelineBar::goToStep(int step) {
  Scope scope;
  scope.kind = ScopeKind::kStep;
  scope.step = std::clamp(step, 0, std::max(0, m_session.stepCount() - 1));
  m_session.setScope(scope);
}

void TimelineBar::setMeasuring(bool isOn) { m_measure.setChecked(isOn); }

void TimelineBar::refresh() {
  const int steps = m_session.stepCount();
  const QSignalBlocker blocker(m_align);
  // What is chosen in the Compare menu has no entry of its own until it is.
  constexpr int kFixedEntries = 4;
  while (m_align.count() > kFixedEntries) m_align.removeItem(kFixedEntries);
  const auto alignment = static_cast<int>(m_session.alignment());
  if (m_align.findData(alignment) < 0) m_align.addItem(m_session.zeroWords(), alignment);
  m_align.setCurrentIndex(m_align.findData(alignment));
  const bool isCompared = m_session.readyRuns().size() >= 2;
  const QSignalBlocker colourBlocker(m_colour);
  const bool byChange = isCompared && m_session.sliceColour() == SliceColour::kChange;
  m_colour.setCurrentIndex(!byChange ? 0 : m_session.showsChangesOnly() ? 2 : 1);
  m_colour.setEnabled(isCompared);
  m_stepper.setVisible(steps > 0);
  const Scope& scope = m_session.scope();
  if (scope.kind == ScopeKind::kStep) {
    m_step.setText(tr("%1 of %2").arg(m_session.scopeWords()).arg(steps));
  } else {
    m_step.setText(scope.kind == ScopeKind::kRange ? m_session.scopeWords()
                   : steps == 1                    ? tr("Whole trace, 1 step")
                                                   : tr("All %1 steps").arg(steps));
  }
  m_previous.setEnabled(scope.kind != ScopeKind::kStep || scope.step > 0);
  m_next.setEnabled(scope.kind != ScopeKind::kStep || scope.step + 1 < steps);
  const bool isWide = width() >= m_theme.scaled(900);
  const bool isWider = width() >= m_theme.scaled(1180);
  m_align.setVisible(steps > 0 || isCompared);
  m_alignWords.setVisible(isWider && (steps > 0 || isCompared));
  m_colourWords.setVisible(isWider);
  m_colour.setVisible(isWide);
  m_legend.setVisible(!byChange && width() >= m_theme.scaled(700));
  m_changes.setVisible(byChange && width() >= m_theme.scaled(700));
  m_ribbons.setVisible(isCompared && isWide);
  m_ribbonWords.setVisible(isCompared && isWider);
}

void TimelineBar::resizeEvent(QResizeEvent*) { refresh(); }

void TimelineBar::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.fillRect(rect(), m_theme.colour(QStringLiteral("surface.window")));
  painter.fillRect(QRect(0, height() - 1, width(), 1), m_theme.colour(QStringLiteral("border.hairline")));
  if (m_stepper.isVisible()) {  // one box around its three buttons
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(m_theme.colour(QStringLiteral("border.strong")));
    painter.setBrush(m_theme.colour(QStringLiteral("surface.raised")));
    const double radius = m_theme.number(QStringLiteral("radius.control"));
    painter.drawRoundedRect(QRectF(m_stepper.geometry()).adjusted(0.5, 0.5, -0.5, -0.5), radius, radius);
  }
}

}  // namespace attnscope::ui
