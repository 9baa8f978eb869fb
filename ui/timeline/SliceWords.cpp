// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/SliceWords.h"

#include <algorithm>
#include <cmath>

#include <QCoreApplication>

#include "ui/bridge/Format.h"
#include "ui/timeline/GapWords.h"

namespace attnscope::ui {

namespace {

struct Words {
  Q_DECLARE_TR_FUNCTIONS(attnscope::ui::TimelineView)
};

QString text(std::string_view from) { return QString::fromUtf8(from.data(), static_cast<qsizetype>(from.size())); }

// What zero of the ruler is, to say when a slice starts.
QString startWords(const Session& session, int run, std::int64_t startNs) {
  const double ns = static_cast<double>(startNs - session.anchorNs(run));
  const auto facts = session.run(run)->shownFacts();
  const bool hasSteps = facts && !facts->trace->steps.empty();
  switch (session.alignment()) {
    case Alignment::kStart:
      return Words::tr("%1 after trace start").arg(format::time(ns));
    case Alignment::kStep:
      return (hasSteps ? Words::tr("%1 after step start") : Words::tr("%1 after trace start")).arg(format::time(ns));
    default:
      return Words::tr("%1 after %2").arg(format::time(ns), session.zeroWords());
  }
}

QString trackWords(const Trace& trace, TrackId track) {
  const Track& from = trace.tracks[index(track)];
  QString name = QString::fromStdString(from.name);
  if (from.device >= 0) name = Words::tr("GPU %1").arg(from.device) + QStringLiteral(", ") + name;
  return name;
}

}  // namespace

TipText tipTextOf(TimelineControl& control, int run, SliceId slice, const Partner& partner) {
  const RunModel& model = *control.modelOf(run);
  const Trace& trace = model.trace();
  const SliceTable& table = trace.slices;
  const Session& session = control.session();
  TipText tip;
  tip.kind = static_cast<WorkKind>(model.facts().paintClass[index(slice)]);
  tip.name = text(model.label(slice));
  if (tip.name.isEmpty()) tip.name = Words::tr("without a name");
  const auto duration = static_cast<double>(table.durationNs[index(slice)]);
  tip.duration = format::time(duration);
  TimeRange scope = session.scopeRange(run);
  const bool isWhole = scope == TimeRange::all();
  if (isWhole) scope = trace.dense;
  if (scope.durationNs() > 0) {
    const QString share = format::percent(duration / static_cast<double>(scope.durationNs()));
    tip.share = Words::tr("%1 of %2").arg(share, isWhole ? Words::tr("the trace") : session.scopeWords().toLower());
  }
  tip.rows.emplace_back(Words::tr("Start"), startWords(session, run, table.startNs[index(slice)]));
  tip.rows.emplace_back(Words::tr("Track"), trackWords(trace, table.track[index(slice)]));
  if (const std::string_view stage = model.stage(slice); !stage.empty()) {
    tip.rows.emplace_back(Words::tr("Stage"), text(stage));
  }
  if (const auto row = trace.deviceWork.find(slice)) {
    const SliceId launching = trace.deviceWork.launchOperator[*row];
    const SliceId launch = trace.deviceWork.launch[*row];
    if (launching != kNoSlice) tip.rows.emplace_back(Words::tr("Launched by"), text(trace.name(launching)));
    if (launch != kNoSlice) {
      const auto delay = static_cast<double>(table.startNs[index(slice)] - table.startNs[index(launch)]);
      tip.rows.emplace_back(Words::tr("Waited"), Words::tr("%1 from launch to start").arg(format::time(delay)));
    }
  }
  if (model.isUnfinished(slice)) tip.rows.emplace_back(Words::tr("End"), Words::tr("not recorded"));
  if (const NameIndex* names = model.names()) {
    const std::span<const SliceId> alike = names->of(table.name[index(slice)]);
    const TimelineControl::Window window = control.windowOf(run);
    const std::int64_t from = static_cast<std::int64_t>(std::floor(window.startNs)) + session.anchorNs(run);
    const auto inView = static_cast<std::int64_t>(
        countStarting(alike, table.startNs, from, from + static_cast<std::int64_t>(std::ceil(window.spanNs))));
    const auto inScope = static_cast<std::int64_t>(
        isWhole ? alike.size() : countStarting(alike, table.startNs, scope.startNs, scope.endNs));
    const QString where = isWhole ? Words::tr("%1 in the trace, %2 in view") : Words::tr("%1 in scope, %2 in view");
    tip.rows.emplace_back(Words::tr("Calls"), where.arg(format::count(inScope), format::count(inView)));
  }
  if (partner.run >= 0) {
    const Run* other = session.run(partner.run);
    tip.partnerRun = other->number();
    tip.partnerLetter = other->letter();
    const RunModel* otherModel = control.modelOf(partner.run);
    std::int64_t total = 0;
    for (const SliceId each : partner.slices) total += otherModel->trace().slices.durationNs[index(each)];
    tip.partner = partner.slices.size() == 1 ? text(otherModel->label(partner.slices.front())) + QStringLiteral(", ") +
                                                   format::time(static_cast<double>(total))
                                             : Words::tr("%1 slices, %2")
                                                   .arg(format::count(static_cast<std::int64_t>(partner.slices.size())),
                                                        format::time(static_cast<double>(total)));
  }
  return tip;
}

TipText tipTextOf(TimelineControl& control, int run, const IdleGap& gap) {
  const RunModel& model = *control.modelOf(run);
  const Trace& trace = model.trace();
  const Session& session = control.session();
  TipText tip;
  tip.kind = WorkKind::kIdle;
  tip.name = Words::tr("Idle: %1").arg(causeWords(gap.cause));
  tip.duration = format::time(static_cast<double>(gap.range.durationNs()));
  tip.rows.emplace_back(Words::tr("Start"), startWords(session, run, gap.range.startNs));
  tip.rows.emplace_back(Words::tr("Track"), trackWords(trace, gap.track));
  tip.rows.emplace_back(Words::tr("Then"), text(model.label(gap.next)));
  const SliceId launch = model.launchOf(gap.next);
  if (launch != kNoSlice) {
    const auto after = static_cast<double>(trace.slices.startNs[index(launch)] - gap.range.startNs);
    const QString when = after >= 0 ? Words::tr("%1 after the stream ran dry").arg(format::time(after))
                                    : Words::tr("%1 before the stream ran dry").arg(format::time(-after));
    tip.rows.emplace_back(Words::tr("Launched"), when);
  }
  return tip;
}

QString accessibleWords(TimelineControl& control) {
  const Session& session = control.session();
  const Selection& selection = session.selection();
  const RunModel* model =
      selection.isEmpty() || selection.leadSlice == kNoSlice ? nullptr : control.modelOf(selection.leadRun);
  if (!model) {
    const auto runs = session.readyRuns().size();
    return runs == 1 ? Words::tr("Timeline, 1 run") : Words::tr("Timeline, %1 runs").arg(runs);
  }
  const Trace& trace = model->trace();
  const SliceId slice = selection.leadSlice;
  QString result =
      Words::tr("Timeline, %1, %2: %3, %4")
          .arg(session.run(selection.leadRun)->letter(),
               QString::fromStdString(trace.tracks[index(trace.slices.track[index(slice)])].name),
               text(model->label(slice)), format::time(static_cast<double>(trace.slices.durationNs[index(slice)])));
  result += QStringLiteral(", ") +
            Words::tr("starts %1").arg(startWords(session, selection.leadRun, trace.slices.startNs[index(slice)]));
  if (const auto place = model->tracks().find(slice)) {
    const DisplayRow& row =
        model->tracks().tracks[static_cast<std::size_t>(place->track)].rows[static_cast<std::size_t>(place->row)];
    const RowColumns columns = row.columns(model->facts());
    const TimeRange scope = session.scopeRange(selection.leadRun);
    const auto first =
        std::lower_bound(columns.startNs.begin(), columns.startNs.end(), scope.startNs) - columns.startNs.begin();
    const auto last =
        std::lower_bound(columns.startNs.begin(), columns.startNs.end(), scope.endNs) - columns.startNs.begin();
    if (place->position >= first && place->position < last) {
      result += QStringLiteral(", ") +
                Words::tr("%1 of %2").arg(format::count(place->position - first + 1), format::count(last - first));
    }
  }
  return result;
}

}  // namespace attnscope::ui
