// SPDX-License-Identifier: GPL-3.0-or-later
// Scope and alignment of the session: which stretch is looked at, and what lies at zero.
#include <algorithm>

#include "core/compare/Alignment.h"
#include "ui/bridge/Format.h"
#include "ui/bridge/Session.h"

namespace attnscope::ui {

void Session::setScope(const Scope& scope) {
  if (scope == m_scope) return;
  const std::int64_t oldAnchor = baseline() >= 0 ? anchorNs(baseline()) : 0;
  m_scope = scope;
  m_change = 0;
  m_anchors.clear();
  Q_EMIT scopeChanged();
  if (baseline() >= 0 && anchorNs(baseline()) != oldAnchor) Q_EMIT alignmentChanged();
  refreshTables();
  refreshComparison();
}

QString Session::scopeWords() const {
  switch (m_scope.kind) {
    case ScopeKind::kWhole:
      return tr("Whole trace");
    case ScopeKind::kStep: {
      // The name the recorder gave: "ProfilerStep#3" is step 3.
      const int base = baseline();
      if (base >= 0 && m_scope.step < static_cast<int>(run(base)->trace()->steps.size())) {
        const Trace& trace = *run(base)->trace();
        const auto name = trace.strings.view(trace.steps[static_cast<std::size_t>(m_scope.step)].name);
        const auto hash = name.rfind('#');
        if (hash != std::string_view::npos) {
          const auto number = name.substr(hash + 1);
          return tr("Step %1").arg(QString::fromUtf8(number.data(), static_cast<qsizetype>(number.size())));
        }
      }
      return tr("Step %1").arg(m_scope.step + 1);
    }
    case ScopeKind::kRange:
      return tr("Range of %1").arg(format::time(static_cast<double>(m_scope.range.durationNs())));
  }
  return {};
}

TimeRange Session::scopeRange(int position) const {
  const Trace* trace = run(position)->trace();
  if (!trace || m_scope.kind == ScopeKind::kWhole) return TimeRange::all();
  if (m_scope.kind == ScopeKind::kStep) {
    if (trace->steps.empty()) return TimeRange::all();
    if (m_scope.step >= static_cast<int>(trace->steps.size())) return {0, 0};
    const Step& step = trace->steps[static_cast<std::size_t>(m_scope.step)];
    return {step.startNs, step.startNs + step.durationNs};
  }
  const std::int64_t anchor = anchorNs(position);
  return {m_scope.range.startNs + anchor, m_scope.range.endNs + anchor};
}

TimeRange Session::boundedScope(int position) const {
  const Trace* trace = run(position)->trace();
  if (!trace) return {};
  const TimeRange scope = scopeRange(position);
  return scope == TimeRange::all() ? trace->dense : scope;
}

void Session::setAlignment(Alignment alignment) {
  m_alignmentChosen = true;
  if (alignment == m_alignment) return;
  m_alignment = alignment;
  m_anchors.clear();
  Q_EMIT alignmentChanged();
}

void Session::alignByAnnotation(const QString& name) {
  m_alignmentChosen = true;
  if (m_alignment == Alignment::kAnnotation && m_alignedAnnotation == name) return;
  m_alignment = Alignment::kAnnotation;
  m_alignedAnnotation = name;
  m_anchors.clear();
  Q_EMIT alignmentChanged();
}

bool Session::alignBySelection() {
  std::unordered_map<const Run*, SliceId> picked;
  for (const SelectedSlices& part : m_selection.parts) {
    if (part.slices.empty() || !run(part.run)->trace()) continue;
    picked[run(part.run)] = part.run == m_selection.leadRun ? m_selection.leadSlice : part.slices.front();
  }
  // One slice at a time can be picked as well: those of earlier times stay.
  for (const auto& [of, slice] : picked) m_alignedSlices[of] = slice;
  if (m_alignedSlices.size() < 2) return false;
  m_alignmentChosen = true;
  m_alignment = Alignment::kSlices;
  m_anchors.clear();
  Q_EMIT alignmentChanged();
  return true;
}

QStringList Session::sharedAnnotations() const {
  QStringList shared;
  bool isFirst = true;
  for (const int position : readyRuns()) {
    const Trace& trace = *run(position)->trace();
    std::vector<bool> used(trace.strings.size(), false);
    for (std::size_t i = 0; i < trace.slices.size(); ++i) {
      const bool annotates = trace.slices.categoryClass[i] == CategoryClass::kUserAnnotation;
      if (annotates && trace.slices.name[i] != kNoString) used[index(trace.slices.name[i])] = true;
    }
    QStringList own;
    for (std::size_t i = 0; i < used.size(); ++i) {
      const std::string_view name = trace.strings.view(StringId{static_cast<std::uint32_t>(i)});
      if (!used[i] || name.starts_with("ProfilerStep#")) continue;
      const QString text = QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size()));
      if (isFirst || shared.contains(text)) own << text;
    }
    shared = own;
    isFirst = false;
  }
  return shared;
}

std::optional<std::int64_t> Session::firstInScope(int position, CategoryClass category, StringId name) const {
  const SliceTable& slices = run(position)->trace()->slices;
  // A range is laid by the anchor that is looked for: then the whole trace is searched.
  const TimeRange scope = m_scope.kind == ScopeKind::kStep ? scopeRange(position) : TimeRange::all();
  std::optional<std::int64_t> first;
  for (std::size_t i = 0; i < slices.size(); ++i) {
    if (slices.categoryClass[i] != category || (name != kNoString && slices.name[i] != name)) continue;
    if (scope.contains(slices.startNs[i]) && (!first || slices.startNs[i] < *first)) first = slices.startNs[i];
  }
  return first;
}

std::int64_t Session::alignedStartNs(int position) const {
  const Trace& trace = *run(position)->trace();
  const std::int64_t start = trace.dense.startNs;
  switch (m_alignment) {
    case Alignment::kStart:
      return start;
    case Alignment::kStep: {
      if (trace.steps.empty()) return start;
      const std::size_t wanted = m_scope.kind == ScopeKind::kStep ? static_cast<std::size_t>(m_scope.step) : 0;
      return trace.steps[std::min(wanted, trace.steps.size() - 1)].startNs;
    }
    case Alignment::kFirstKernel:
      return firstInScope(position, CategoryClass::kKernel, kNoString).value_or(start);
    case Alignment::kAnnotation: {
      const StringId name = trace.strings.find(m_alignedAnnotation.toStdString());
      if (name == kNoString) return start;
      return firstInScope(position, CategoryClass::kUserAnnotation, name).value_or(start);
    }
    case Alignment::kWallClock: {
      const int base = baseline();
      if (base < 0) return start;
      const attnscope::Alignment clock{AlignmentKind::kWallClock, {}, {}};
      const auto zero = alignedScope(trace, clock, *run(base)->trace());
      return zero ? zero->zeroNs + run(base)->trace()->dense.startNs : start;
    }
    case Alignment::kSlices: {
      const auto picked = m_alignedSlices.find(run(position));
      return picked == m_alignedSlices.end() ? start : trace.slices.startNs[index(picked->second)];
    }
  }
  return start;
}

const Trace* Session::shownTrace(int position) const {
  const auto facts = run(position)->shownFacts();
  return facts ? facts->trace.get() : nullptr;
}

bool Session::anyShown() const {
  for (int i = 0; i < runCount(); ++i) {
    if (!run(i)->isHidden() && shownTrace(i) != nullptr) return true;
  }
  return false;
}

std::int64_t Session::anchorNs(int position) const {
  // What is aligned by is looked for in whole traces alone.
  if (!run(position)->trace()) return shownTrace(position) ? shownTrace(position)->dense.startNs : 0;
  auto known = m_anchors.find(run(position));
  if (known == m_anchors.end()) known = m_anchors.emplace(run(position), alignedStartNs(position)).first;
  return known->second - movedByNs(position);
}

void Session::moveRunBy(int position, std::int64_t ns) {
  if (ns == 0 || !run(position)->trace()) return;
  m_moves[run(position)] += ns;
  Q_EMIT alignmentChanged();
}

std::int64_t Session::movedByNs(int position) const {
  const auto moved = m_moves.find(run(position));
  return moved == m_moves.end() ? 0 : moved->second;
}

void Session::resetMoves() {
  if (m_moves.empty()) return;
  m_moves.clear();
  Q_EMIT alignmentChanged();
}

QString Session::zeroWords() const {
  switch (m_alignment) {
    case Alignment::kStart:
      return tr("start of trace");
    case Alignment::kStep: {
      const int base = baseline();
      if (base < 0 || run(base)->trace()->steps.empty()) return tr("start of trace");
      return m_scope.kind == ScopeKind::kStep ? tr("start of %1").arg(scopeWords().toLower())
                                              : tr("start of first step");
    }
    case Alignment::kFirstKernel:
      return tr("first kernel");
    case Alignment::kAnnotation:
      return tr("start of %1").arg(m_alignedAnnotation);
    case Alignment::kWallClock:
      return tr("start of %1 by the clock").arg(baseline() < 0 ? QString() : run(baseline())->letter());
    case Alignment::kSlices:
      return tr("the slices that were picked");
  }
  return {};
}

TimeRange Session::alignedExtent() const {
  bool any = false;
  TimeRange extent;
  for (int position = 0; position < runCount(); ++position) {
    if (run(position)->isHidden() || shownTrace(position) == nullptr) continue;
    const Trace& trace = *shownTrace(position);
    const std::int64_t anchor = anchorNs(position);
    const TimeRange own{trace.dense.startNs - anchor, trace.dense.endNs - anchor};
    extent = any ? TimeRange{std::min(extent.startNs, own.startNs), std::max(extent.endNs, own.endNs)} : own;
    any = true;
  }
  return extent;
}

int Session::stepCount() const {
  std::size_t most = 0;
  for (const int position : readyRuns()) most = std::max(most, run(position)->trace()->steps.size());
  return static_cast<int>(most);
}

}  // namespace attnscope::ui
