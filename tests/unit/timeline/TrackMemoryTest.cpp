// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/TrackMemory.h"

#include <gtest/gtest.h>

namespace attnscope::ui {
namespace {

DisplayTracks tracksNamed(const std::vector<std::pair<const char*, int>>& names) {
  DisplayTracks tracks;
  tracks.groups = {{"python", "CPU", false}, {"GPU 0", "", true}};
  for (const auto& [name, group] : names) {
    DisplayTrack track;
    track.name = name;
    track.group = group;
    tracks.tracks.push_back(track);
  }
  tracks.tracks.front().foldedAtFirst = true;
  return tracks;
}

const std::vector<std::pair<const char*, int>> kNames{
    {"thread 1", 0}, {"thread 2", 0}, {"thread 2", 0}, {"stream 7", 1}};

TEST(TrackMemory, AnArrangementIsReadAsItWasWritten) {
  const DisplayTracks tracks = tracksNamed(kNames);
  TrackArrangement arrangement = TrackArrangement::of(tracks);
  EXPECT_TRUE(writtenArrangement(tracks, arrangement).isEmpty()) << "nothing was done";
  arrangement.foldedTracks = {false, false, true, false};
  arrangement.foldedGroups = {false, true};
  arrangement.hidden = {false, true, false, false};
  arrangement.pinned = {3, 0};
  arrangement.order = {0, 2, 1, 3};
  arrangement.isOpen = true;
  EXPECT_EQ(readArrangement(tracks, writtenArrangement(tracks, arrangement)), arrangement);
  arrangement.filter = "stream";
  const TrackArrangement read = readArrangement(tracks, writtenArrangement(tracks, arrangement));
  EXPECT_EQ(read.filter, "") << "what is looked for now is not how tracks stand";
}

TEST(TrackMemory, InAnotherReadingTracksAreKnownByName) {
  const DisplayTracks before = tracksNamed({{"thread 2", 0}, {"stream 7", 1}, {"stream 9", 1}});
  TrackArrangement arrangement = TrackArrangement::of(before);
  arrangement.hidden = {false, true, false};
  arrangement.pinned = {2};
  arrangement.order = {1, 0, 2};
  const QJsonObject written = writtenArrangement(before, arrangement);
  // A thread came before, one stream went.
  const DisplayTracks now = tracksNamed({{"thread 1", 0}, {"thread 2", 0}, {"stream 7", 1}, {"stream 8", 1}});
  const TrackArrangement read = readArrangement(now, written);
  EXPECT_EQ(read.hidden, (std::vector<bool>{false, false, true, false}));
  EXPECT_TRUE(read.pinned.empty());
  EXPECT_EQ(read.order, (std::vector<int>{0, 2, 3, 1}));
  EXPECT_EQ(read.foldedTracks, TrackArrangement::of(now).foldedTracks);
}

TEST(TrackMemory, KeepsTheNewestFilesAndForgetsWhatIsAsAtFirst) {
  TrackMemory memory;
  const QJsonObject hidden{{QStringLiteral("hidden"), QJsonArray{QStringLiteral("a#0")}}};
  for (int file = 0; file < TrackMemory::kMostFiles + 5; ++file) memory.remember(QString::number(file), hidden);
  EXPECT_TRUE(memory.recall(QStringLiteral("4")).isEmpty());
  EXPECT_EQ(memory.recall(QStringLiteral("5")), hidden);
  memory.remember(QStringLiteral("5"), {});
  EXPECT_TRUE(memory.recall(QStringLiteral("5")).isEmpty());
  TrackMemory other;
  other.fromJson(memory.toJson());
  EXPECT_EQ(other.recall(QStringLiteral("6")), hidden);
  other.fromJson("no list {");
  EXPECT_TRUE(other.recall(QStringLiteral("6")).isEmpty());
}

}  // namespace
}  // namespace attnscope::ui
