// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// How the tracks of a file were arranged, by their names, so that it holds when the file is read again: of its whole
// after its beginning, when it grew, and at the next start. What is as it is at first is not written; a filter is not
// remembered. Pure functions and a list of files, newest last, of which the oldest are forgotten. GUI thread only.

#include <cstddef>

#include <QByteArray>
#include <QJsonArray>
#include <QJsonObject>
#include <QString>

#include "ui/timeline/PaneLayout.h"

namespace attnscope::ui {

// Empty: nothing differs from the first arrangement.
[[nodiscard]] QJsonObject writtenArrangement(const DisplayTracks& tracks, const TrackArrangement& arrangement);
// Names that no track has are passed over, tracks that are not named stay as they are at first.
[[nodiscard]] TrackArrangement readArrangement(const DisplayTracks& tracks, const QJsonObject& written);

class TrackMemory {
 public:
  static constexpr qsizetype kMostFiles = 100;

  void remember(const QString& file, const QJsonObject& arrangement);  // an empty one is forgotten
  [[nodiscard]] QJsonObject recall(const QString& file) const;
  [[nodiscard]] QByteArray toJson() const;
  void fromJson(const QByteArray& text);  // what is no such list leaves nothing remembered

 private:
  QJsonArray m_files;  // of {"file", "tracks"}
};

}  // namespace attnscope::ui
