// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/bridge/SideFile.h"

#include <algorithm>

#include <QCoreApplication>
#include <QFile>
#include <QFileInfo>
#include <QJsonDocument>
#include <QJsonObject>
#include <QSaveFile>

#include "ui/bridge/Session.h"

namespace attnscope::ui {

namespace {

constexpr QLatin1String kSchema("attnscope-notes/1");
constexpr QLatin1String kSchemaKey("schema");
constexpr qint64 kMostBytes = 16 << 20;  // of a file that is read

struct Contents {
  bool isOurs = false;  // or there is no file
  QJsonObject json;
  QString systemError;  // it cannot be opened
};

Contents contentsOf(const QString& path) {
  QFile file(path);
  if (!file.exists()) return {.isOurs = true, .json = {}, .systemError = {}};
  if (!file.open(QIODevice::ReadOnly)) return {.isOurs = false, .json = {}, .systemError = file.errorString()};
  Contents contents;
  contents.json = QJsonDocument::fromJson(file.read(kMostBytes)).object();
  contents.isOurs = contents.json.value(kSchemaKey).toString() == kSchema;
  return contents;
}

bool hasList(const QJsonObject& json) {
  return std::any_of(json.begin(), json.end(), [](const QJsonValue& value) { return value.isArray(); });
}

}  // namespace

QString sideFileOf(const Run& run) {
  const bool isUnsaved = run.measurement() != nullptr && run.origin().isEmpty();
  if (isUnsaved) return {};
  return (run.origin().isEmpty() ? run.path() : run.origin()) + QStringLiteral(".notes.json");
}

SideFileList readSideFile(const QString& path, QLatin1String key) {
  const Contents contents = contentsOf(path);
  if (contents.isOurs) return {contents.json.value(key).toArray(), {}};
  const QString name = QFileInfo(path).fileName();
  if (!contents.systemError.isEmpty()) {
    return {{},
            QCoreApplication::translate("attnscope::ui::Notes", "The notes in %1 cannot be read: %2.")
                .arg(name, contents.systemError)};
  }
  return {{},
          QCoreApplication::translate("attnscope::ui::Notes",
                                      "%1 is not a file of notes, or of a newer Attnscope: it is left as it is.")
              .arg(name)};
}

QString writeSideFile(const QString& path, QLatin1String key, const QJsonArray& list) {
  Contents contents = contentsOf(path);
  if (!contents.systemError.isEmpty()) return contents.systemError;
  if (!contents.isOurs) return {};
  contents.json.insert(kSchemaKey, QString(kSchema));
  contents.json.remove(key);
  if (!list.isEmpty()) contents.json.insert(key, list);
  if (!hasList(contents.json)) {
    QFile::remove(path);
    return {};
  }
  QSaveFile file(path);
  const QByteArray text = QJsonDocument(contents.json).toJson();
  const bool isWritten = file.open(QIODevice::WriteOnly) && file.write(text) == text.size() && file.commit();
  return isWritten ? QString() : file.errorString();
}

std::vector<SideFileRuns::Change> SideFileRuns::changes(const Session& session) {
  std::erase_if(m_known, [&session](const Known& each) { return session.positionOf(each.run) < 0; });
  std::vector<Change> changes;
  for (int at = 0; at < session.runCount(); ++at) {
    Run* run = session.run(at);
    if (run->state() != RunState::kReady) continue;
    const QString file = sideFileOf(*run);
    const auto known =
        std::find_if(m_known.begin(), m_known.end(), [run](const Known& each) { return each.run == run; });
    if (known == m_known.end()) {
      m_known.push_back({run, file});
      changes.push_back({run, file, true});
    } else if (known->file != file) {
      known->file = file;
      changes.push_back({run, file, false});
    }
  }
  return changes;
}

}  // namespace attnscope::ui
