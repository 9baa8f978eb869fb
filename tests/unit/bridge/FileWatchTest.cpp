// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/bridge/FileWatch.h"

#include <chrono>
#include <cstdio>
#include <functional>
#include <thread>

#include <QCoreApplication>
#include <QElapsedTimer>
#include <QFile>
#include <QTemporaryDir>

#include <gtest/gtest.h>

namespace attnscope::ui {
namespace {

bool waitFor(const std::function<bool()>& isThere, int mostMs = 10'000) {
  QElapsedTimer timer;
  timer.start();
  while (!isThere() && timer.elapsed() < mostMs) {
    QCoreApplication::processEvents(QEventLoop::AllEvents, 10);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return isThere();
}

QString write(const QTemporaryDir& folder, const char* name, const QByteArray& text) {
  const QString path = folder.filePath(QLatin1String(name));
  QFile file(path);
  EXPECT_TRUE(file.open(QIODevice::WriteOnly));
  file.write(text);
  return path;
}

TEST(FileWatch, NewTracesInAFolderAreToldByTheirContent) {
  QTemporaryDir folder;
  write(folder, "old.json", "[]");
  FileWatch watch;
  QStringList told;
  QObject::connect(&watch, &FileWatch::traceAppeared, &watch, [&](const QString& path) { told << path; });
  ASSERT_TRUE(watch.setFolder(folder.path()));
  write(folder, "notes.json", "no trace");
  const QString plain = write(folder, "new.txt", " {\"traceEvents\": []}");
  const QString packed = write(folder, "new.gz", QByteArray("\x1f\x8b\x08\x00", 4));
  ASSERT_TRUE(waitFor([&] { return told.size() == 2; }));
  told.sort();
  EXPECT_EQ(told, (QStringList{packed, plain}));
  // Once each, whatever else comes.
  write(folder, "more.txt", "no trace");
  EXPECT_FALSE(waitFor([&] { return told.size() > 2; }, 3 * FileWatch::kSettleMs));
  watch.setFolder({});
  write(folder, "unseen.json", "[]");
  EXPECT_FALSE(waitFor([&] { return told.size() > 2; }, 3 * FileWatch::kSettleMs));
  EXPECT_FALSE(watch.setFolder(folder.filePath(QStringLiteral("missing"))));
}

TEST(FileWatch, AFileWhoseWriterNeverRestsIsToldAllTheSame) {
  QTemporaryDir folder;
  const QString path = write(folder, "a.json", "[");
  FileWatch watch;
  int told = 0;
  QObject::connect(&watch, &FileWatch::fileChanged, &watch, [&] { ++told; });
  watch.setFiles({path});
  QFile file(path);
  ASSERT_TRUE(file.open(QIODevice::Append | QIODevice::Unbuffered));
  EXPECT_TRUE(waitFor(
      [&] {
        file.write("{},");
        return told == 2;
      },
      30'000));
}

TEST(FileWatch, AFileThatIsReplacedIsWatchedOn) {
  QTemporaryDir folder;
  const QString path = write(folder, "a.json", "[]");
  FileWatch watch;
  int told = 0;
  QObject::connect(&watch, &FileWatch::fileChanged, &watch, [&](const QString& changed) {
    EXPECT_EQ(changed, path);
    ++told;
  });
  watch.setFiles({path});
  for (int round = 1; round <= 2; ++round) {
    const QString other = write(folder, "b.json", QByteArray(100 * round, ' ') + "[]");
    ASSERT_EQ(std::rename(qPrintable(other), qPrintable(path)), 0);
    ASSERT_TRUE(waitFor([&] { return told == round; })) << round;
  }
  watch.setFiles({});
  write(folder, "a.json", "[1]");
  EXPECT_FALSE(waitFor([&] { return told > 2; }, 3 * FileWatch::kSettleMs));
}

}  // namespace
}  // namespace attnscope::ui
