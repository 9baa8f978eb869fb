// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/TrackMemory.h"

#include <algorithm>
#include <functional>
#include <unordered_map>
#include <vector>

#include <QJsonDocument>
#include <QStringList>

namespace attnscope::ui {

namespace {

const QString kFile = QStringLiteral("file");
const QString kTracks = QStringLiteral("tracks");
const QString kFolded = QStringLiteral("folded");
const QString kOpened = QStringLiteral("opened");
const QString kFoldedGroups = QStringLiteral("foldedGroups");
const QString kHidden = QStringLiteral("hidden");
const QString kPinned = QStringLiteral("pinned");
const QString kOrder = QStringLiteral("order");
const QString kIsOpen = QStringLiteral("isOpen");

// Those of one name are told apart by their place among them.
QStringList numbered(const std::vector<QString>& names) {
  std::unordered_map<QString, int> seen;
  QStringList keys;
  for (const QString& name : names) keys << QStringLiteral("%1#%2").arg(name).arg(seen[name]++);
  return keys;
}

QStringList groupKeys(const DisplayTracks& tracks) {
  std::vector<QString> names;
  for (const DisplayGroup& group : tracks.groups) names.push_back(QString::fromStdString(group.name));
  return numbered(names);
}

QStringList trackKeys(const DisplayTracks& tracks) {
  const QStringList groups = groupKeys(tracks);
  std::vector<QString> names;
  for (const DisplayTrack& track : tracks.tracks) {
    names.push_back(groups[track.group] + u'/' + QString::number(static_cast<int>(track.sort)) + u'/' +
                    QString::fromStdString(track.name));
  }
  return numbered(names);
}

void putWhere(QJsonObject& into, const QString& what, const QStringList& keys, const std::function<bool(int)>& is) {
  QJsonArray list;
  for (int at = 0; at < keys.size(); ++at) {
    if (is(at)) list << keys[at];
  }
  if (!list.isEmpty()) into.insert(what, list);
}

std::vector<int> placesOf(const QJsonObject& from, const QString& what, const QStringList& keys) {
  std::vector<int> places;
  for (const QJsonValue& key : from.value(what).toArray()) {
    const auto at = static_cast<int>(keys.indexOf(key.toString()));
    if (at >= 0 && std::find(places.begin(), places.end(), at) == places.end()) places.push_back(at);
  }
  return places;
}

QJsonArray namesOf(const std::vector<int>& places, const QStringList& keys) {
  QJsonArray list;
  for (const int at : places) list << keys[at];
  return list;
}

// A track that is not among them comes after the one that it follows at first.
std::vector<int> completed(std::vector<int> order, std::size_t count) {
  for (int track = 0; track < static_cast<int>(count); ++track) {
    if (std::find(order.begin(), order.end(), track) != order.end()) continue;
    const auto before = std::find(order.begin(), order.end(), track - 1);
    order.insert(before == order.end() ? order.begin() : before + 1, track);
  }
  return order;
}

}  // namespace

QJsonObject writtenArrangement(const DisplayTracks& tracks, const TrackArrangement& arrangement) {
  const TrackArrangement first = TrackArrangement::of(tracks);
  const QStringList keys = trackKeys(tracks);
  const auto of = [](const std::vector<bool>& flags, int at) { return flags[static_cast<std::size_t>(at)]; };
  QJsonObject written;
  putWhere(written, kFolded, keys,
           [&](int at) { return of(arrangement.foldedTracks, at) && !of(first.foldedTracks, at); });
  putWhere(written, kOpened, keys,
           [&](int at) { return !of(arrangement.foldedTracks, at) && of(first.foldedTracks, at); });
  putWhere(written, kHidden, keys, [&](int at) { return of(arrangement.hidden, at); });
  putWhere(written, kFoldedGroups, groupKeys(tracks), [&](int at) { return of(arrangement.foldedGroups, at); });
  if (!arrangement.pinned.empty()) written.insert(kPinned, namesOf(arrangement.pinned, keys));
  if (arrangement.order != first.order) written.insert(kOrder, namesOf(arrangement.order, keys));
  if (arrangement.isOpen) written.insert(kIsOpen, true);
  return written;
}

TrackArrangement readArrangement(const DisplayTracks& tracks, const QJsonObject& written) {
  TrackArrangement arrangement = TrackArrangement::of(tracks);
  if (written.isEmpty()) return arrangement;
  const QStringList keys = trackKeys(tracks);
  const auto set = [](std::vector<bool>& flags, const std::vector<int>& places, bool value) {
    for (const int at : places) flags[static_cast<std::size_t>(at)] = value;
  };
  set(arrangement.foldedTracks, placesOf(written, kFolded, keys), true);
  set(arrangement.foldedTracks, placesOf(written, kOpened, keys), false);
  set(arrangement.hidden, placesOf(written, kHidden, keys), true);
  set(arrangement.foldedGroups, placesOf(written, kFoldedGroups, groupKeys(tracks)), true);
  arrangement.pinned = placesOf(written, kPinned, keys);
  if (written.contains(kOrder)) {
    arrangement.order = completed(placesOf(written, kOrder, keys), tracks.tracks.size());
  }
  arrangement.isOpen = written.value(kIsOpen).toBool();
  return arrangement;
}

void TrackMemory::remember(const QString& file, const QJsonObject& arrangement) {
  const auto isOf = [&](const QJsonValue& each) { return each.toObject().value(kFile).toString() == file; };
  const auto known = std::find_if(m_files.begin(), m_files.end(), isOf);
  if (known != m_files.end()) m_files.erase(known);
  if (!arrangement.isEmpty()) m_files << QJsonObject{{kFile, file}, {kTracks, arrangement}};
  while (m_files.size() > kMostFiles) m_files.removeFirst();
}

QJsonObject TrackMemory::recall(const QString& file) const {
  for (const QJsonValue& each : m_files) {
    if (each.toObject().value(kFile).toString() == file) return each.toObject().value(kTracks).toObject();
  }
  return {};
}

QByteArray TrackMemory::toJson() const { return QJsonDocument(m_files).toJson(QJsonDocument::Compact); }

void TrackMemory::fromJson(const QByteArray& text) { m_files = QJsonDocument::fromJson(text).array(); }

}  // namespace attnscope::ui
