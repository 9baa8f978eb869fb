// SPDX-License-Identifier: GPL-3.0-or-later
// The real program draws its window into a file: what the picture holds, and how the program ends.
#include <set>

#include <QImage>
#include <QProcess>
#include <QTemporaryDir>

#include <gtest/gtest.h>

#include "TestWindow.h"

namespace attnscope::ui {
namespace {

struct Ended {
  int code = -1;
  QString errors;
  QString output;
};

Ended run(const QStringList& arguments) {
  QProcess process;
  QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
  // As on a machine without a display: the program has to know what to do.
  for (const char* name : {"QT_QPA_PLATFORM", "DISPLAY", "WAYLAND_DISPLAY"}) environment.remove(QLatin1String(name));
  process.setProcessEnvironment(environment);
  process.start(QStringLiteral(ATTNSCOPE_BIN_DIR "/attnscope"), arguments);
  EXPECT_TRUE(process.waitForFinished(60000));
  return {process.exitCode(), QString::fromUtf8(process.readAllStandardError()),
          QString::fromUtf8(process.readAllStandardOutput())};
}

int countOf(const QImage& image, const QRect& area, const QColor& colour) {
  int count = 0;
  const QRect inside = area & image.rect();
  for (int y = inside.top(); y <= inside.bottom(); ++y) {
    for (int x = inside.left(); x <= inside.right(); ++x) {
      if (image.pixelColor(x, y).rgb() == colour.rgb()) ++count;
    }
  }
  return count;
}

class CaptureProgram : public testing::Test {
 protected:
  CaptureProgram() { theme.apply(*qobject_cast<QApplication*>(QCoreApplication::instance()), ThemeChoice::kLight); }
  [[nodiscard]] QString picture() const { return folder.filePath(QStringLiteral("picture.png")); }
  QTemporaryDir folder;
  Theme theme;
};

TEST_F(CaptureProgram, TwoTracesStandSideBySide) {
  const Ended ended = run({test::naive(), test::flash(), QStringLiteral("--view"), QStringLiteral("compare"),
                           QStringLiteral("--theme"), QStringLiteral("light"), QStringLiteral("--size"),
                           QStringLiteral("1920x1080"), QStringLiteral("--capture"), picture()});
  EXPECT_EQ(ended.code, 0) << ended.errors.toStdString();
  const QImage image(picture());
  ASSERT_FALSE(image.isNull());
  EXPECT_EQ(image.size(), QSize(1920, 1080));

  // Stripes of both runs, in the sidebar and at the panes: columns of one colour, long enough to be a stripe.
  int stripes[2] = {0, 0};
  int firstY[2] = {image.height(), image.height()};
  for (int number = 0; number < 2; ++number) {
    const QRgb colour = theme.run(number).rgb();
    for (int x = 0; x < 400; ++x) {
      int longest = 0;
      int length = 0;
      for (int y = 0; y < image.height(); ++y) {
        const bool isOf = image.pixel(x, y) == colour;
        length = isOf ? length + 1 : 0;
        if (isOf) firstY[number] = std::min(firstY[number], y);
        longest = std::max(longest, length);
      }
      if (longest >= 30) ++stripes[number];
    }
    EXPECT_GE(stripes[number], 8) << number;  // 4 px in the sidebar and 4 px at the pane
  }
  EXPECT_LT(firstY[0], firstY[1]);

  // Slices in both panes: fills and edges of several kinds of work above and below the middle of the timelines.
  const QRect upper(440, 150, 1460, 220);
  const QRect lower(440, 400, 1460, 240);
  for (const QRect& pane : {upper, lower}) {
    std::set<int> kinds;
    for (int kind = 0; kind < kWorkKindCount; ++kind) {
      const KindColours colours = theme.kind(static_cast<WorkKind>(kind));
      if (static_cast<WorkKind>(kind) == WorkKind::kIdle) continue;
      if (countOf(image, pane, colours.fill) + countOf(image, pane, colours.edge) > 20) kinds.insert(kind);
    }
    EXPECT_GE(kinds.size(), 2U);
  }

  // The column of differences is filled: bars of the difference colours in the lower area.
  const QRect table(240, 690, 1000, 370);
  const int bars = countOf(image, table, theme.colour(QStringLiteral("delta.faster_bar"))) +
                   countOf(image, table, theme.colour(QStringLiteral("delta.slower_bar")));
  EXPECT_GT(bars, 100);
}

TEST_F(CaptureProgram, EveryViewOfOneTraceIsDrawn) {
  for (const char* view : {"start", "timeline", "kernels", "operators", "memory", "details"}) {
    QStringList arguments{QStringLiteral("--view"), QLatin1String(view),         QStringLiteral("--theme"),
                          QStringLiteral("dark"),   QStringLiteral("--capture"), picture()};
    if (QLatin1String(view) != QLatin1String("start")) arguments << test::naive();
    const Ended ended = run(arguments);
    EXPECT_EQ(ended.code, 0) << view << ": " << ended.errors.toStdString();
    EXPECT_FALSE(QImage(picture()).isNull()) << view;
    QFile::remove(picture());
  }
}

TEST_F(CaptureProgram, TheTilesOfAKernelAreDrawn) {
  const Ended ended = run({test::withTiles(), QStringLiteral("--view"), QStringLiteral("inside"),
                           QStringLiteral("--theme"), QStringLiteral("light"), QStringLiteral("--size"),
                           QStringLiteral("1280x800"), QStringLiteral("--capture"), picture()});
  EXPECT_EQ(ended.code, 0) << ended.errors.toStdString();
  const QImage image(picture());
  ASSERT_FALSE(image.isNull());
  const QRect lower(0, image.height() / 2, image.width(), image.height() / 2);
  // The last tile has the full colour, and above the diagonal it is hatched.
  EXPECT_GT(countOf(image, lower, theme.kind(WorkKind::kGemm).edge), 300);
  EXPECT_GT(countOf(image, lower, theme.colour(QStringLiteral("border.strong"))), 300);
}

TEST_F(CaptureProgram, AFailedFileIsDrawnAndEndsWith3) {
  const QString bad = test::writeFile(folder.filePath(QStringLiteral("bad.json")), "{\"traceEvents\": 12}");
  const Ended ended = run({bad, QStringLiteral("--capture"), picture()});
  EXPECT_EQ(ended.code, 3);
  EXPECT_TRUE(ended.errors.contains(QLatin1String("bad.json"))) << ended.errors.toStdString();
  EXPECT_FALSE(QImage(picture()).isNull());
}

TEST_F(CaptureProgram, AMissingFolderIsSaidAtOnce) {
  const Ended ended =
      run({test::naive(), QStringLiteral("--capture"), folder.filePath(QStringLiteral("no/such/a.png"))});
  EXPECT_EQ(ended.code, 2);
  EXPECT_TRUE(ended.errors.contains(QLatin1String("there is no folder"))) << ended.errors.toStdString();
}

TEST_F(CaptureProgram, HelpVersionAndWrongUsage) {
  EXPECT_EQ(run({QStringLiteral("--help")}).code, 0);
  EXPECT_TRUE(run({QStringLiteral("--help")}).output.contains(QLatin1String("--capture")));
  EXPECT_TRUE(run({QStringLiteral("--version")}).output.startsWith(QLatin1String("attnscope ")));
  EXPECT_EQ(run({QStringLiteral("--nonsense")}).code, 2);
}

}  // namespace
}  // namespace attnscope::ui
