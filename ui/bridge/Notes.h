// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Notes on places and stretches of a run's time, with a text. They are kept in the file beside the trace or session
// that they belong to (SideFile.h), written with every change and read when the run is. A run of the lab that
// is not saved has no such file: its notes are written when the session is. GUI thread only.

#include <vector>

#include <QObject>
#include <QPointer>
#include <QString>

#include "core/base/TimeRange.h"
#include "ui/bridge/Session.h"
#include "ui/bridge/SideFile.h"

namespace attnscope::ui {

struct Note {
  QPointer<Run> run;
  TimeRange range;  // own time of the run; of a place, both ends are the same
  QString text;
  [[nodiscard]] bool isPlace() const { return range.startNs == range.endNs; }
};

class Notes : public QObject {
  Q_OBJECT

 public:
  explicit Notes(Session& session, QObject* parent = nullptr);

  // Until then nothing is read or written.
  void keepInFiles();

  // By run as the session has them, then by start: a note's number is its position and 1.
  [[nodiscard]] const std::vector<Note>& all() const { return m_notes; }
  int add(Run* run, TimeRange range, const QString& text);  // its position
  void setText(int note, const QString& text);              // empty: the note goes
  void remove(int note);

 Q_SIGNALS:
  void changed();
  void failed(const QString& message);  // a file could not be read or written

 private:
  void readNew();
  void read(Run* run);
  void write(const QString& file);
  void order();

  Session& m_session;
  bool m_isKept = false;
  std::vector<Note> m_notes;
  SideFileRuns m_sideFiles;
};

}  // namespace attnscope::ui
