// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// One run of the session: a trace that is being read, was read, or could not be read. GUI thread only; the trace and
// the tables it hands out are immutable and may be kept and read anywhere.

#include <cstdint>
#include <memory>
#include <vector>

#include <QObject>
#include <QString>

#include "core/analysis/Kernels.h"
#include "core/analysis/Memory.h"
#include "core/analysis/Operators.h"
#include "core/base/Progress.h"
#include "core/base/Result.h"
#include "core/session/RunResult.h"
#include "core/trace/Trace.h"

namespace attnscope::ui {

enum class RunState : std::uint8_t { kLoading, kReady, kFailed };

// What is computed once a trace, in the worker that read it.
struct RunFacts {
  std::shared_ptr<const Trace> trace;
  OperatorTree tree;
  std::vector<MemorySeries> memory;      // of the whole trace
  std::vector<std::uint8_t> paintClass;  // by slice: WorkKind it is drawn as; leaf operators of a trace without device
                                         // work take the kind of their work
  TrackId comparedTrack = kNoTrack;      // busiest device stream, else the busiest host thread
};

// What depends on the scope.
struct RunTables {
  TimeRange scope;
  OperatorTable operators;  // by name
  OperatorTable operatorsByShape;
  KernelTable kernels;
  std::vector<DeviceBusy> busy;
  std::int64_t durationNs = 0;  // of the scope, clipped to the trace
};

class Run : public QObject {
  Q_OBJECT

 public:
  Run(QString path, int number, QObject* parent);

  [[nodiscard]] int number() const { return m_number; }  // 0 for A, 1 for B...: letter and colour
  [[nodiscard]] QString letter() const;                  // "A"
  [[nodiscard]] const QString& path() const { return m_path; }
  [[nodiscard]] QString title() const;  // what the trace calls itself, else its file
  [[nodiscard]] QString fileName() const;
  // Where it lies as the person knows it: a trace inside a session is "SESSION#MEMBER", as for the command line, and
  // never the unpacked copy that path() names.
  [[nodiscard]] QString location() const;
  [[nodiscard]] QString spokenName() const;  // "naive.json", "A-naive.plain.json of naive-flash.attn"
  [[nodiscard]] RunState state() const { return m_state; }
  [[nodiscard]] const Error& error() const { return m_error; }  // while kFailed
  [[nodiscard]] const Progress& progress() const { return *m_progress; }
  [[nodiscard]] std::shared_ptr<const RunFacts> facts() const { return m_facts; }     // null until kReady
  [[nodiscard]] std::shared_ptr<const RunTables> tables() const { return m_tables; }  // null until computed
  // While kLoading: of the file's beginning, to be looked at until the whole is there; null before that. Nothing is
  // selected in it or computed from it.
  [[nodiscard]] std::shared_ptr<const RunFacts> beginning() const { return m_beginning; }
  [[nodiscard]] std::shared_ptr<const RunFacts> shownFacts() const { return m_facts ? m_facts : m_beginning; }
  [[nodiscard]] const Trace* trace() const { return m_facts ? m_facts->trace.get() : nullptr; }
  [[nodiscard]] bool isHidden() const { return m_hidden; }
  // Where the lab measured it: the whole result, shared by the runs of one measurement, and its place in the plan.
  // Null for traces from elsewhere. Times come from here and never from the profiled trace.
  [[nodiscard]] std::shared_ptr<const RunResult> measurement() const { return m_measurement; }
  [[nodiscard]] std::size_t measuredAs() const { return m_measuredAs; }
  [[nodiscard]] const QString& origin() const { return m_origin; }  // session file that it came from, or empty

 Q_SIGNALS:
  void changed();  // state, title, facts, tables or visibility

 private:
  friend class Session;
  QString m_path;
  int m_number = 0;
  RunState m_state = RunState::kLoading;
  bool m_hidden = false;
  Error m_error;
  std::shared_ptr<Progress> m_progress;
  std::shared_ptr<const RunFacts> m_facts;
  std::shared_ptr<const RunFacts> m_beginning;
  std::shared_ptr<const RunTables> m_tables;
  std::shared_ptr<const RunResult> m_measurement;
  std::size_t m_measuredAs = 0;
  QString m_origin;
  QString m_givenTitle;  // of a measured run: its card's
};

}  // namespace attnscope::ui
