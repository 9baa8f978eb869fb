// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// What is open: runs, baseline, scope, alignment, selection, and the results computed for them in workers.
// GUI thread only. The one seam between views: a view changes the session, the session tells all views.
// Results of an older request never replace those of a newer one (generation numbers).

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <QObject>
#include <QStringList>
#include <QTemporaryDir>

#include "core/compare/Comparison.h"
#include "core/compare/PairRules.h"
#include "core/import/TraceLoader.h"
#include "ui/bridge/Run.h"
#include "ui/bridge/Scope.h"
#include "ui/bridge/SliceIdentity.h"

namespace attnscope::ui {

class FileWatch;
class Jobs;

// Selected slices, all of one run, or of several where a table row stands for work in each.
struct SelectedSlices {
  int run = -1;                 // position in Session::runs()
  std::vector<SliceId> slices;  // ascending
};
struct WithoutTrace {
  int number = 0;
  std::shared_ptr<const RunResult> measurement;
  std::size_t position = 0;  // in the plan
};
enum class SelectionOrigin : std::uint8_t { kNone, kTimeline, kTable, kChart, kDetails };
struct Selection {
  std::vector<SelectedSlices> parts;  // at most one a run
  int leadRun = -1;                   // with leadSlice: the one that Details shows; -1: nothing selected
  SliceId leadSlice = kNoSlice;
  QString words;  // what was selected, "flash_fwd_kernel", for chips and the status bar
  SelectionOrigin origin = SelectionOrigin::kNone;
  [[nodiscard]] bool isEmpty() const { return leadRun < 0; }
  [[nodiscard]] const std::vector<SliceId>* slicesOf(int run) const;  // nullptr: none
  [[nodiscard]] bool contains(int run, SliceId slice) const;
};

class Session : public QObject {
  Q_OBJECT

 public:
  explicit Session(QObject* parent = nullptr);
  ~Session() override;

  // --- runs; the order is the order of drawing, neighbours are compared at the seam
  [[nodiscard]] int runCount() const { return static_cast<int>(m_runs.size()); }
  [[nodiscard]] Run* run(int position) const { return m_runs[static_cast<std::size_t>(position)]; }
  [[nodiscard]] int positionOf(const Run* run) const;
  [[nodiscard]] std::vector<int> readyRuns() const;  // positions of runs that are ready and not hidden
  // Adds a run for each trace and for each trace of a session file (.attn) or zip archive; reading begins at once. What
  // cannot be read becomes a run that failed. "-" is standard input, `FILE#member` one trace of an archive.
  void openFiles(const QStringList& paths);
  void setUnpackLimits(UnpackLimits limits) { m_unpackLimits = limits; }  // for files opened from now on
  // Asked with a session file that has times and no traces: true, and it is no run here; else, or where nobody is
  // asked, it becomes a run that failed, with what became of its implementations.
  using UnprofiledTaker = std::function<bool(const std::shared_ptr<const RunResult>& result, const QString& path)>;
  void setUnprofiledTaker(UnprofiledTaker taker) { m_takeUnprofiled = std::move(taker); }
  // Adds a run for each implementation of a measurement that has a trace. `traceFiles` are by position in the plan,
  // empty where there is none, and stay in place while this object lives. Letters follow the plan: one that has no
  // trace keeps its own. Once all are read, the scope is one profiled call where there are several.
  void addMeasurement(std::shared_ptr<const RunResult> result, const QString& origin, const QStringList& traceFiles);
  void closeMeasurement(const std::shared_ptr<const RunResult>& result);
  // The measurement was written there: that is where its runs come from now, and a file that was opened.
  void setSaved(const std::shared_ptr<const RunResult>& result, const QString& path);
  // Implementations of the open measurements that have no trace, with the number that gives their letter and colour.
  [[nodiscard]] std::vector<WithoutTrace> withoutTrace() const;
  void closeRun(int position);
  void closeAll();
  void moveRun(int from, int to);
  void setHidden(int position, bool hidden);
  // Reads the file again: after a failure, or when it changed. The slice that is selected is selected again, if it is
  // still there.
  void reload(int position);
  // Reads files again by themselves as they grow or are replaced. What was read stays until the new reading is there.
  void setFollowing(bool isFollowing);
  [[nodiscard]] bool isFollowing() const { return m_isFollowing; }
  void cancel(int position);          // stops reading; the run is removed
  [[nodiscard]] bool isBusy() const;  // any reading or computing

  // --- baseline: the run the others are compared with; the first ready one unless chosen
  [[nodiscard]] int baseline() const;
  void setBaseline(int position);
  void swapBaseline();  // with two runs: the other one

  // --- scope and alignment
  [[nodiscard]] const Scope& scope() const { return m_scope; }
  void setScope(const Scope& scope);
  [[nodiscard]] QString scopeWords() const;                // "Whole trace", "Step 3", "12.4 ms range": the chip's text
  [[nodiscard]] TimeRange scopeRange(int position) const;  // in the run's own time
  // The same, or where the run's events lie where that holds every time: ends that can be reckoned with. Empty without
  // a trace.
  [[nodiscard]] TimeRange boundedScope(int position) const;
  [[nodiscard]] Alignment alignment() const { return m_alignment; }
  void setAlignment(Alignment alignment);
  // Names of annotations that every ready run has, steps apart; and which of them runs are aligned by.
  [[nodiscard]] QStringList sharedAnnotations() const;
  [[nodiscard]] const QString& alignedAnnotation() const { return m_alignedAnnotation; }
  void alignByAnnotation(const QString& name);
  // By the slices that are selected, the first of each run: false where fewer than two runs have one.
  bool alignBySelection();
  [[nodiscard]] QString zeroWords() const;                  // "start of step 3": what lies at 0
  [[nodiscard]] std::int64_t anchorNs(int position) const;  // own time of aligned zero, moved by hand
  // Moves a run against the others, later by `ns`; added to what was moved before.
  void moveRunBy(int position, std::int64_t ns);
  [[nodiscard]] std::int64_t movedByNs(int position) const;
  void resetMoves();
  [[nodiscard]] TimeRange alignedExtent() const;  // dense ranges of all shown runs, aligned
  [[nodiscard]] bool anyShown() const;            // a run that is ready, or of which the beginning is there
  [[nodiscard]] int stepCount() const;            // the most steps any run has

  // --- selection
  [[nodiscard]] const Selection& selection() const { return m_selection; }
  void select(Selection selection);
  void selectSlice(int position, SliceId slice, SelectionOrigin origin);
  void clearSelection();
  [[nodiscard]] std::uint32_t kindFilter() const { return m_kindFilter; }  // bit a WorkKind; 0: all (legend isolates)
  void setKindFilter(std::uint32_t bits);

  // --- results for the scope; null while there is none
  [[nodiscard]] std::shared_ptr<const Comparison> comparison() const { return m_comparison; }  // two or more ready runs
  // Runs of comparison(), in its order (baseline first): positions.
  [[nodiscard]] const std::vector<int>& comparedRuns() const { return m_comparedRuns; }

  // --- colour of slices: by kind of work, or by how their group changed
  [[nodiscard]] SliceColour sliceColour() const { return m_sliceColour; }
  void setSliceColour(SliceColour colour);
  [[nodiscard]] bool showsChangesOnly() const { return m_changesOnly; }  // by change: what did not change is faded
  void setChangesOnly(bool isOn);
  // By slice of a run (ChangeClasses.h); empty where there is no comparison with it.
  [[nodiscard]] std::span<const std::uint8_t> changesOf(int position) const;

  // --- changes: groups of the comparison by amount of their difference, all runs together
  // Selects the slices of the next smaller change (or the next larger one) in every run, starting with the largest;
  // `step` is 1 or -1. False where there is no comparison or none of its groups differs.
  bool selectChange(int step);
  // The slices of a group in a compared run (position in `comparedRuns()`), ascending: its calls, and their kernels.
  [[nodiscard]] std::vector<SliceId> slicesOfGroup(std::size_t group, std::size_t compared) const;

  // --- pairs made and cut by hand, kept while the session lasts whatever is opened and closed meanwhile; those of a
  // session file are there with its runs
  [[nodiscard]] const std::vector<PairRule>& pairRules() const { return m_pairRules; }
  void setPairRules(std::vector<PairRule> rules);      // by a person
  void restorePairRules(std::vector<PairRule> rules);  // from where they were kept

 Q_SIGNALS:
  void runsChanged();             // added, removed, moved, hidden, baseline
  void runChanged(int position);  // its state, facts or tables
  void scopeChanged();
  void alignmentChanged();
  void selectionChanged();
  void kindFilterChanged();
  void sliceColourChanged();  // or which are faded
  void comparisonChanged();
  void pairRulesChanged();  // by a person
  // A session file that keeps pairs was read: they are among pairRules(), and its runs are about to be.
  void pairsRead(std::shared_ptr<const attnscope::RunResult> result, const QString& file,
                 const std::vector<attnscope::PairRule>& pairs);
  void measurementReady();  // all traces of one that was added are read, and the scope is set
  void busyChanged();
  // The one run that was shown by its beginning is whole, and its zero lies that much later than the beginning's did.
  void clockMoved(double byNs);
  void fileOpened(const QString& path, const QString& summary, qint64 bytes);  // read with success: recent files

 private:
  // Of jobs.
  [[nodiscard]] static QString loadKey(const Run* run);
  [[nodiscard]] static QString comparisonKey() { return QStringLiteral("comparison"); }
  void openSessionFile(const QString& path);
  void openArchive(const QString& path);
  void addRun(const QString& path);
  void load(Run* run);
  void follow(Run* run);
  void followIfGrown(Run* run);  // since the reading that just ended began
  void watchFiles();
  void forget(Run* run);  // what was computed of its earlier reading
  void carrySelection(const Run* run);
  void restoreSelection(const Run* run);
  void showBeginning(Run* run, const std::shared_ptr<Progress>& progress, std::shared_ptr<const RunFacts> facts);
  void finishLoading(Run* run, Result<std::shared_ptr<const RunFacts>> result);
  void removeRun(int position);
  [[nodiscard]] const Trace* shownTrace(int position) const;
  [[nodiscard]] int freeNumber() const;
  [[nodiscard]] int numberAfterAll() const;  // from here on no number is taken
  [[nodiscard]] int numberFor(int wanted, std::size_t count) const;
  void addMeasured(std::shared_ptr<const RunResult> result, const QString& origin, const QStringList& traceFiles,
                   int first);
  void nameMeasured();
  [[nodiscard]] bool hasArrived();
  void chooseAlignment();
  void refreshTables();
  void refreshTables(Run* run);
  void refreshComparison();
  void afterRunsChanged();
  [[nodiscard]] std::int64_t alignedStartNs(int position) const;  // anchor before it is moved by hand
  [[nodiscard]] std::optional<std::int64_t> firstInScope(int position, CategoryClass category, StringId name) const;
  void restoreNumbers();

  std::vector<Run*> m_runs;
  std::vector<int> m_restingNumbers;  // of runs that were closed while views may still show results that name them
  std::unique_ptr<QTemporaryDir> m_unpacked;  // traces of session files, made when the first is opened
  int m_unpackedCount = 0;
  std::unique_ptr<Jobs> m_jobs;
  Run* m_baseline = nullptr;
  Scope m_scope;
  Alignment m_alignment = Alignment::kStart;
  QString m_alignedAnnotation;
  std::unordered_map<const Run*, SliceId> m_alignedSlices;
  std::unordered_map<const Run*, std::int64_t> m_moves;
  mutable std::unordered_map<const Run*, std::int64_t> m_anchors;  // known of alignedStartNs()
  std::vector<PairRule> m_pairRules;
  std::size_t m_change = 0;        // position in the order of changes, plus one; 0: none was shown yet
  bool m_alignmentChosen = false;  // by a person; until then steps are aligned where every run has them
  Selection m_selection;
  std::uint32_t m_kindFilter = 0;
  std::shared_ptr<const Comparison> m_comparison;
  std::vector<int> m_comparedRuns;
  std::vector<std::vector<std::uint8_t>> m_changes;  // as m_comparedRuns
  SliceColour m_sliceColour = SliceColour::kKind;
  bool m_changesOnly = false;
  UnprofiledTaker m_takeUnprofiled;
  std::shared_ptr<const RunResult> m_arriving;  // a measurement whose traces are not all read
  UnpackLimits m_unpackLimits;
  std::unique_ptr<FileWatch> m_watch;
  bool m_isFollowing = false;
  std::unordered_set<const Run*> m_grown;  // followed files that changed while they were being read
  const Run* m_carriedRun = nullptr;       // with m_carried: the selection before this run was read again
  std::optional<SliceIdentity> m_carried;
};

}  // namespace attnscope::ui
