// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The file beside a trace or session that keeps what a person wrote about it: "x.json.gz.notes.json". One JSON object
// with a list a key; each list has one writer, which leaves the others as they are. A file that stands there and is
// not of this schema is never written. Plain functions; GUI thread, for the files are small.

#include <vector>

#include <QJsonArray>
#include <QLatin1String>
#include <QPointer>
#include <QString>

#include "ui/bridge/Run.h"

namespace attnscope::ui {

class Session;

// Empty: there is none yet, for what the lab measured is not saved.
[[nodiscard]] QString sideFileOf(const Run& run);

struct SideFileList {
  QJsonArray list;  // empty where there is no file, or it has none under this key
  QString problem;  // why the file cannot be read, as a sentence; empty: it can, or there is none
};
[[nodiscard]] SideFileList readSideFile(const QString& path, QLatin1String key);
// The file is removed with its last list. Returns what went wrong, in the words of the system; empty: it is written,
// or another's file stands there.
[[nodiscard]] QString writeSideFile(const QString& path, QLatin1String key, const QJsonArray& list);

// Tells a writer of side files which runs it has not seen yet, and whose file is another since it looked.
class SideFileRuns {
 public:
  struct Change {
    Run* run = nullptr;
    QString file;       // sideFileOf(); empty: there is none yet
    bool isNew = true;  // false: what the lab measured was saved, and what was written about it goes with it
  };
  // Of the ready runs of `session` since the last call; closed ones are forgotten.
  [[nodiscard]] std::vector<Change> changes(const Session& session);

 private:
  struct Known {
    QPointer<Run> run;
    QString file;
  };
  std::vector<Known> m_known;
};

}  // namespace attnscope::ui
