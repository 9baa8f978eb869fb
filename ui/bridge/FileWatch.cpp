// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/bridge/FileWatch.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>

namespace attnscope::ui {

bool beginsAsTrace(const QString& path) {
  QFile file(path);
  if (!file.open(QIODevice::ReadOnly)) return false;
  QByteArray head = file.read(64);
  for (const QByteArrayView packed :
       {QByteArrayView("\x1f\x8b"), QByteArrayView("\x28\xb5\x2f\xfd"), QByteArrayView("PK\x03\x04")}) {
    if (head.startsWith(packed)) return true;
  }
  if (head.startsWith("\xef\xbb\xbf")) head.remove(0, 3);
  head = head.trimmed();
  return head.startsWith('{') || head.startsWith('[');
}

FileWatch::FileWatch(QObject* parent) : QObject(parent) {
  m_timer.setInterval(kSettleMs);
  connect(&m_timer, &QTimer::timeout, this, &FileWatch::settle);
  connect(&m_watcher, &QFileSystemWatcher::directoryChanged, this, &FileWatch::listFolder);
  connect(&m_watcher, &QFileSystemWatcher::fileChanged, this, [this](const QString& path) {
    if (!m_files.contains(path)) return;
    if (!m_waiting.contains(path)) m_waiting.insert(path, Seen{});
    if (!m_timer.isActive()) m_timer.start();
  });
}

void FileWatch::setFiles(const QStringList& paths) {
  const QSet<QString> wanted(paths.begin(), paths.end());
  for (const QString& gone : m_files - wanted) {
    m_watcher.removePath(gone);
    m_waiting.remove(gone);
  }
  for (const QString& added : wanted - m_files) m_watcher.addPath(added);
  m_files = wanted;
}

bool FileWatch::setFolder(const QString& path) {
  if (!m_folder.isEmpty()) m_watcher.removePath(m_folder);
  m_known.clear();
  m_folder = path;
  if (path.isEmpty()) return true;
  if (!m_watcher.addPath(path)) {
    m_folder.clear();
    return false;
  }
  for (const QString& file : filesInFolder()) m_known.insert(file);
  return true;
}

QStringList FileWatch::filesInFolder() const {
  QStringList files;
  const QDir folder(m_folder);
  for (const QString& name : folder.entryList(QDir::Files | QDir::Readable)) files << folder.absoluteFilePath(name);
  return files;
}

void FileWatch::listFolder() {
  for (const QString& file : filesInFolder()) {
    if (m_known.contains(file) || m_waiting.contains(file)) continue;
    m_waiting.insert(file, Seen{.isNew = true});
  }
  if (!m_waiting.isEmpty() && !m_timer.isActive()) m_timer.start();
}

void FileWatch::settle() {
  for (const QString& path : m_waiting.keys()) {
    Seen& seen = m_waiting[path];
    const QFileInfo info(path);
    const bool isWaitedFor = seen.isNew || ++seen.looks < kMostLooks;
    if (info.exists() && info.size() != seen.bytes && isWaitedFor) {
      seen.bytes = info.size();
      continue;
    }
    const bool isNew = seen.isNew;
    m_waiting.remove(path);
    if (!info.exists()) continue;
    if (isNew) {
      m_known.insert(path);
      if (beginsAsTrace(path)) Q_EMIT traceAppeared(path);
      continue;
    }
    // One that was replaced is another file, which is not watched yet.
    if (!m_watcher.files().contains(path)) m_watcher.addPath(path);
    Q_EMIT fileChanged(path);
  }
  if (m_waiting.isEmpty()) m_timer.stop();
}

}  // namespace attnscope::ui
