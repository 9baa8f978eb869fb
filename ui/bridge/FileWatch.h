// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Tells when files that are open grew or were replaced, and when traces came into a folder. A change is told once the
// file stays as it is for kSettleMs, so that a writer is not asked at every line; of an open file that never rests,
// every kMostLooks times that. GUI thread.

#include <QFileSystemWatcher>
#include <QHash>
#include <QObject>
#include <QSet>
#include <QStringList>
#include <QTimer>

namespace attnscope::ui {

class FileWatch : public QObject {
  Q_OBJECT

 public:
  static constexpr int kSettleMs = 400;
  static constexpr int kMostLooks = 5;

  explicit FileWatch(QObject* parent = nullptr);
  void setFiles(const QStringList& paths);  // instead of those before
  // New traces in it are told from now on, those that are there already are not. Empty: none. False: cannot be watched.
  bool setFolder(const QString& path);
  [[nodiscard]] const QString& folder() const { return m_folder; }

 Q_SIGNALS:
  void fileChanged(const QString& path);
  void traceAppeared(const QString& path);

 private:
  struct Seen {
    qint64 bytes = -1;
    int looks = 0;
    bool isNew = false;  // in the folder, and not told yet
  };
  void listFolder();
  void settle();
  [[nodiscard]] QStringList filesInFolder() const;

  QFileSystemWatcher m_watcher;
  QTimer m_timer;
  QString m_folder;
  QSet<QString> m_files;
  QSet<QString> m_known;           // files of the folder that need no telling
  QHash<QString, Seen> m_waiting;  // changed, and perhaps still changing
};

// Whether a file begins as a trace does, plain or packed. By its content: a folder may hold anything.
[[nodiscard]] bool beginsAsTrace(const QString& path);

}  // namespace attnscope::ui
