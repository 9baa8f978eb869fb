// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/ScopeChip.h"

#include <algorithm>
#include <cmath>

#include <QHBoxLayout>
#include <QMenu>
#include <QPainter>

#include "ui/bridge/Format.h"
#include "ui/shell/IconButton.h"

namespace attnscope::ui {

namespace {

constexpr int kMostStepsListed = 60;

// The selection in aligned time; empty where nothing is selected.
TimeRange selectedRange(const Session& session) {
  TimeRange range;
  bool any = false;
  for (const SelectedSlices& part : session.selection().parts) {
    const Trace* trace = session.run(part.run)->trace();
    if (!trace) continue;
    for (const SliceId slice : part.slices) {
      const std::int64_t start = trace->slices.startNs[index(slice)] - session.anchorNs(part.run);
      const std::int64_t end = start + trace->slices.durationNs[index(slice)];
      range = any ? TimeRange{std::min(range.startNs, start), std::max(range.endNs, end)} : TimeRange{start, end};
      any = true;
    }
  }
  return range;
}

}  // namespace

QString stepWords(const Session& session, int step) {
  const int base = session.baseline();
  if (base >= 0 && step < static_cast<int>(session.run(base)->trace()->steps.size())) {
    const Trace& trace = *session.run(base)->trace();
    const std::string_view name = trace.strings.view(trace.steps[static_cast<std::size_t>(step)].name);
    if (const auto hash = name.rfind('#'); hash != std::string_view::npos) {
      const std::string_view number = name.substr(hash + 1);
      return ScopeChip::tr("Step %1").arg(QString::fromUtf8(number.data(), static_cast<qsizetype>(number.size())));
    }
  }
  return ScopeChip::tr("Step %1").arg(step + 1);
}

void fillScopeMenu(QMenu& menu, Session& session, const ViewState& view) {
  menu.clear();
  const auto add = [&](const QString& words, const Scope& scope) {
    QAction* action = menu.addAction(words);
    action->setCheckable(true);
    action->setChecked(scope == session.scope());
    QObject::connect(action, &QAction::triggered, &session, [&session, scope] { session.setScope(scope); });
    return action;
  };
  add(ScopeChip::tr("Whole trace"), Scope{});
  const int steps = session.stepCount();
  for (int i = 0; i < std::min(steps, kMostStepsListed); ++i)
    add(stepWords(session, i), Scope{ScopeKind::kStep, i, {}});
  menu.addSeparator();
  const TimeRange inView{std::llround(view.startNs()), std::llround(view.endNs())};
  add(ScopeChip::tr("What is in view, %1").arg(format::time(view.spanNs())), Scope{ScopeKind::kRange, 0, inView})
      ->setEnabled(!session.readyRuns().empty());
  const TimeRange selected = selectedRange(session);
  add(ScopeChip::tr("What is selected"), Scope{ScopeKind::kRange, 0, selected})->setEnabled(selected.durationNs() > 0);
}

ScopeChip::ScopeChip(Session& session, const ViewState& view, const Theme& theme, QWidget* parent)
    : QWidget(parent), m_session(session), m_view(view), m_theme(theme) {
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(1, 1, 1, 1);
  row->setSpacing(0);
  m_words = new IconButton(theme, QStringLiteral("filter"), tr("Scope"), this);
  m_words->setSmall(true);
  m_words->setWords(session.scopeWords());
  m_clear = new IconButton(theme, QStringLiteral("close"), tr("Back to the whole trace"), this);
  m_clear->setSmall(true);
  row->addWidget(m_words);
  row->addWidget(m_clear);
  connect(m_words, &QToolButton::clicked, this, [this] {
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    fillScopeMenu(*menu, m_session, m_view);
    menu->popup(m_words->mapToGlobal(QPoint(0, m_words->height())));
  });
  connect(m_clear, &QToolButton::clicked, this, [this] { m_session.setScope(Scope{}); });
  connect(&m_session, &Session::scopeChanged, this, &ScopeChip::refresh);
  connect(&m_session, &Session::runsChanged, this, &ScopeChip::refresh);
  connect(&m_theme, &Theme::changed, this, qOverload<>(&QWidget::update));
  refresh();
}

void ScopeChip::refresh() {
  m_words->setWords(m_session.scopeWords());
  m_words->setAccessibleName(tr("Scope: %1").arg(m_session.scopeWords()));
  m_words->setToolTip(tr("What the tables and charts are limited to"));
  m_clear->setVisible(m_session.scope().kind != ScopeKind::kWhole);
}

void ScopeChip::paintEvent(QPaintEvent* /*event*/) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(m_theme.colour(QStringLiteral("border.strong")));
  painter.setBrush(m_theme.colour(QStringLiteral("surface.panel")));
  const double radius = m_theme.number(QStringLiteral("radius.chip"));
  painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), radius, radius);
}

}  // namespace attnscope::ui
