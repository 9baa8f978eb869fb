// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/StatusLine.h"

#include <algorithm>
#include <cmath>

#include <QHBoxLayout>
#include <QProgressBar>
#include <QTimer>

#include "ui/bridge/Format.h"
#include "ui/shell/IconButton.h"
#include "ui/theme/TextLabel.h"

namespace attnscope::ui {

namespace {

constexpr int kShareWidth = 116;
constexpr int kShareSteps = 1000;
constexpr int kSaidForMs = 6000;
constexpr TextLook kPlain{FontRole::kCaption, QFont::Normal, "text.secondary"};

}  // namespace

StatusLine::StatusLine(Session& session, const ViewState& view, const Theme& theme, QWidget* parent)
    : Surface(theme, QStringLiteral("surface.window"), Qt::TopEdge, parent), m_session(session), m_view(view) {
  setObjectName(QStringLiteral("statusLine"));
  auto* row = new QHBoxLayout(this);
  scaleLayout(theme, row, {10, 1, 6, 0}, 16);
  const auto add = [&](const TextLook& look) {
    auto* label = new TextLabel(theme, QString(), look, this);
    label->setElide(Qt::ElideNone);
    row->addWidget(label);
    return label;
  };
  m_state = add({FontRole::kCaption, QFont::Normal, "text.primary"});
  m_share = new QProgressBar(this);
  m_share->setTextVisible(false);
  m_share->setRange(0, kShareSteps);
  m_share->setAccessibleName(tr("How far the run is"));
  m_share->hide();
  row->addWidget(m_share);
  m_counts = add(kPlain);
  m_counts->setElide(Qt::ElideRight);
  m_offer = new IconButton(theme, QStringLiteral("add"), tr("Open new traces"), this);
  m_offer->setObjectName(QStringLiteral("offer"));
  m_offer->setSmall(true);
  m_offer->hide();
  connect(m_offer, &QToolButton::clicked, this, &StatusLine::offerTaken);
  row->addWidget(m_offer);
  row->addStretch(1);
  m_cursor = add(kPlain);
  m_range = add(kPlain);
  m_pixel = add(kPlain);
  auto* keys = new IconButton(theme, QStringLiteral("keyboard"), tr("List of keys"), this);
  keys->setObjectName(QStringLiteral("keysHint"));
  keys->setSmall(true);
  keys->setWords(tr("? for keys"));
  connect(keys, &QToolButton::clicked, this, &StatusLine::keysRequested);
  row->addWidget(keys);

  connect(&m_session, &Session::busyChanged, this, &StatusLine::refreshState);
  connect(&m_session, &Session::runsChanged, this, &StatusLine::refreshState);
  connect(&m_session, &Session::runChanged, this, &StatusLine::refreshState);
  connect(&m_view, &ViewState::viewChanged, this, &StatusLine::refreshView);
  connect(&m_view, &ViewState::cursorChanged, this, &StatusLine::refreshView);
  connect(&m_session, &Session::runsChanged, this, &StatusLine::refreshView);
  const auto scale = [this] {
    setFixedHeight(this->theme().size(QStringLiteral("status_bar")));
    m_share->setFixedWidth(this->theme().scaled(kShareWidth));
  };
  connect(&theme, &Theme::changed, this, scale);
  scale();
  refreshState();
  refreshView();
}

void StatusLine::setTrackWidth(std::function<int()> width) {
  m_trackWidth = std::move(width);
  refreshView();
}

void StatusLine::say(const QString& words) {
  m_said = words;
  refreshState();
  QTimer::singleShot(kSaidForMs, this, [this, words] {
    if (m_said != words) return;
    m_said.clear();
    refreshState();
  });
}

void StatusLine::setOffer(const QString& words) {
  m_offer->setWords(words);
  if (!words.isEmpty()) m_offer->setAccessibleName(words);
  m_offer->setVisible(!words.isEmpty());
}

void StatusLine::setRun(const QString& words, double share) {
  m_run = words;
  m_share->setVisible(!words.isEmpty());
  m_share->setValue(static_cast<int>(std::lround(share * kShareSteps)));
  refreshState();
}

void StatusLine::setLab(bool isInFront, const QString& machine) {
  m_isLab = isInFront;
  m_machine = machine;
  refreshState();
  refreshView();
}

QString StatusLine::stateWords() const { return m_state->text(); }

QString StatusLine::countWords() const {
  std::int64_t traces = 0;
  std::int64_t steps = 0;
  std::int64_t slices = 0;
  for (int i = 0; i < m_session.runCount(); ++i) {
    if (const Trace* trace = m_session.run(i)->trace()) {
      ++traces;
      steps += static_cast<std::int64_t>(trace->steps.size());
      slices += static_cast<std::int64_t>(trace->slices.size());
    }
  }
  if (traces == 0) return {};
  QStringList words{traces == 1 ? tr("1 trace") : tr("%1 traces").arg(format::count(traces))};
  if (steps > 0) words << (steps == 1 ? tr("1 step") : tr("%1 steps").arg(format::count(steps)));
  words << (slices == 1 ? tr("1 slice") : tr("%1 slices").arg(format::count(slices)));
  return words.join(QStringLiteral(", "));
}

void StatusLine::refreshState() {
  int loading = 0;
  for (int i = 0; i < m_session.runCount(); ++i) {
    if (m_session.run(i)->state() == RunState::kLoading) ++loading;
  }
  QString state = m_said.isEmpty() ? tr("Ready") : m_said;
  if (loading == 1) state = tr("Reading a trace");
  if (loading > 1) state = tr("Reading %1 traces").arg(loading);
  if (loading == 0 && m_session.isBusy()) state = tr("Computing");
  // What was just said goes first; a run is told on every page.
  if (!m_run.isEmpty() && m_said.isEmpty()) state = m_run;
  m_state->setText(state);
  m_counts->setText(m_isLab ? m_machine : countWords());
}

void StatusLine::refreshView() {
  const bool isShown = !m_isLab && !m_session.readyRuns().empty();
  for (TextLabel* label : {m_cursor, m_range, m_pixel}) label->setVisible(isShown);
  if (!isShown) return;
  m_cursor->setVisible(m_view.hasCursor());
  if (m_view.hasCursor()) m_cursor->setText(tr("Cursor %1").arg(format::time(m_view.cursorNs())));
  const double furthest = std::max(std::abs(m_view.startNs()), std::abs(m_view.endNs()));
  const format::TimeUnit unit = format::unitFor(std::llround(furthest));
  // As many decimals as tell the two ends apart.
  const double inUnit = unit == format::TimeUnit::kNs   ? m_view.spanNs()
                        : unit == format::TimeUnit::kUs ? m_view.spanNs() / 1e3
                        : unit == format::TimeUnit::kMs ? m_view.spanNs() / 1e6
                                                        : m_view.spanNs() / 1e9;
  const int decimals = std::clamp(2 - static_cast<int>(std::floor(std::log10(std::max(inUnit, 1e-9)))), 0, 4);
  m_range->setText(tr("View %1 to %2 %3")
                       .arg(format::timeIn(m_view.startNs(), unit, decimals),
                            format::timeIn(m_view.endNs(), unit, decimals), format::unitName(unit)));
  const int width = m_trackWidth ? m_trackWidth() : 0;
  m_pixel->setVisible(width > 0);
  if (width > 0) m_pixel->setText(tr("1 px = %1").arg(format::time(m_view.spanNs() / width)));
}

}  // namespace attnscope::ui
