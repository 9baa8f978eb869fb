// SPDX-License-Identifier: GPL-3.0-or-later
// Where traces come from and go to: ranges that are saved, folders that are watched, places that repairs lead to.
#include <string>

#include <QAction>
#include <QPushButton>
#include <QTemporaryDir>
#include <QToolButton>

#include <gtest/gtest.h>

#include "TestWindow.h"
#include "ui/shell/HealthDialog.h"
#include "ui/timeline/BeginningMark.h"
#include "ui/timeline/TimelineView.h"

namespace attnscope::ui {
namespace {

using test::TestWindow;

constexpr const char* kDamaged = R"([{"ph":"X","name":"first","pid":1,"tid":1,"ts":1,"dur":5},
  {"ph":"X","name":"before","pid":1,"tid":1,"ts":10,"dur":5},
  {"ph":"X","name":"bro"ken","pid":1,"tid":1,"ts":20,"dur":5},
  {"ph":"X","name":"negative","pid":1,"tid":1,"ts":30,"dur":-5},
  {"ph":"X","name":"last","pid":1,"tid":1,"ts":40,"dur":5}])";

TEST(TraceFiles, ARepairLeadsToItsFirstPlace) {
  QTemporaryDir folder;
  TestWindow test;
  ASSERT_TRUE(test.open({test::writeFile(folder.filePath(QStringLiteral("a.json")), kDamaged)}));
  const Trace& trace = *test.window.session().run(0)->trace();
  for (const auto& [code, slice] :
       {std::pair("slice.negative-duration", "negative"), std::pair("json.broken-event", "before")}) {
    test.window.action(QStringLiteral("health"))->trigger();
    auto* dialog = test.window.findChild<HealthDialog*>();
    ASSERT_NE(dialog, nullptr);
    QPushButton* show = nullptr;
    for (auto* each : dialog->findChildren<QPushButton*>()) {
      if (each->accessibleName().contains(QLatin1String(code))) show = each;
    }
    ASSERT_NE(show, nullptr) << code;
    show->click();
    ASSERT_TRUE(test.settle());
    ASSERT_EQ(test.window.session().selection().leadRun, 0);
    EXPECT_EQ(trace.name(test.window.session().selection().leadSlice), slice);
    QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
  }
}

TEST(TraceFiles, PlacesOfEntriesWithoutAny) {
  Trace trace;
  EXPECT_EQ(firstPlace(trace, {"x.y", Severity::kInfo, 1, 5, 5, ""}), kNoSlice) << "no slices";
  trace.slices.startNs = {0, 5};
  trace.slices.order = {4, 9};
  trace.slices.argsBegin = {40, 90};
  EXPECT_EQ(firstPlace(trace, {"x.y", Severity::kInfo, 1, TraceHealth::kNowhere, TraceHealth::kNowhere, ""}), kNoSlice);
  EXPECT_EQ(firstPlace(trace, {"x.y", Severity::kInfo, 1, TraceHealth::kNowhere, 9, ""}), SliceId{1});
  EXPECT_EQ(firstPlace(trace, {"x.y", Severity::kInfo, 1, TraceHealth::kNowhere, 8, ""}), SliceId{0});
  EXPECT_EQ(firstPlace(trace, {"x.y", Severity::kInfo, 1, TraceHealth::kNowhere, 1, ""}), SliceId{0});
  EXPECT_EQ(firstPlace(trace, {"x.y", Severity::kInfo, 1, 95, TraceHealth::kNowhere, ""}), SliceId{1});
}

TEST(TraceFiles, TheSelectionIsSavedAsATraceOfItsOwn) {
  QTemporaryDir folder;
  TestWindow test;
  ASSERT_TRUE(test.open({test::cudaTrace()}));
  const Trace& whole = *test.window.session().run(0)->trace();
  ASSERT_GT(whole.deviceWork.size(), 0u);
  test.window.session().selectSlice(0, whole.deviceWork.slice[0], SelectionOrigin::kTimeline);
  const std::string kernel(whole.name(whole.deviceWork.slice[0]));
  const QString path = folder.filePath(QStringLiteral("part.json.gz"));
  QString suggested;
  test.window.setSaveChooser([&](QWidget*, const QString&, const QString& suggestion) {
    suggested = suggestion;
    return path;
  });
  test.window.action(QStringLiteral("saveRange"))->trigger();
  ASSERT_TRUE(QTest::qWaitFor([&] { return QFile::exists(path); }, 10000));
  EXPECT_EQ(suggested, QStringLiteral("cuda_small-range.json.gz"));
  ASSERT_TRUE(test.open({path}));
  ASSERT_EQ(test.window.session().run(1)->state(), RunState::kReady);
  const Trace& part = *test.window.session().run(1)->trace();
  EXPECT_LT(part.slices.size(), test.window.session().run(0)->trace()->slices.size());
  ASSERT_GE(part.deviceWork.size(), 1u);
  EXPECT_EQ(part.name(part.deviceWork.slice[0]), kernel);
  EXPECT_NE(part.deviceWork.launch[0], kNoSlice) << "with what launched it";
}

TEST(TraceFiles, TracesThatComeIntoAWatchedFolderAreOffered) {
  QTemporaryDir folder;
  TestWindow test;
  test.window.setFolderChooser([&](QWidget*, const QString&) { return folder.path(); });
  QAction* watch = test.window.action(QStringLiteral("watchFolder"));
  watch->trigger();
  EXPECT_TRUE(watch->isChecked());
  auto* offer = test.window.findChild<QToolButton*>(QStringLiteral("offer"));
  ASSERT_NE(offer, nullptr);
  EXPECT_FALSE(offer->isVisible());
  ASSERT_TRUE(QFile::copy(test::naive(), folder.filePath(QStringLiteral("one.json"))));
  ASSERT_TRUE(QTest::qWaitFor([&] { return offer->isVisible(); }, 10000));
  EXPECT_TRUE(offer->accessibleName().contains(QLatin1String("one.json")));
  EXPECT_EQ(test.window.session().runCount(), 0);
  offer->click();
  ASSERT_TRUE(test.settle());
  ASSERT_EQ(test.window.session().runCount(), 1);
  EXPECT_EQ(test.window.session().run(0)->state(), RunState::kReady);
  EXPECT_FALSE(offer->isVisible());
  watch->trigger();
  EXPECT_FALSE(watch->isChecked());
}

// Of two threads; large enough that its beginning is there long before the whole.
QString writeLarge(const QString& path) {
  std::string text = "[";
  for (int at = 0; text.size() < 200'000'000; ++at) {
    text += R"({"ph":"X","cat":"cpu_op","name":"aten::mm","pid":5,"tid":)" + std::to_string(5 + at % 2) + R"(,"ts":)" +
            std::to_string(100 + at) + R"(,"dur":0.5,"args":{"Input Dims":[[8, 1024, 64], [8, 64, 1024]]}},)" + "\n";
  }
  text.back() = ']';
  text[text.size() - 2] = ' ';
  return test::writeFile(path, QByteArray::fromStdString(text));
}

BeginningMark* shownMark(const TestWindow& test) {
  for (auto* each : test.window.findChildren<BeginningMark*>()) {
    if (each->isVisible()) return each;
  }
  return nullptr;
}

// A file that is read faster than its beginning is drawn is opened once more.
BeginningMark* openUntilBeginning(TestWindow& test, const QString& path) {
  for (int attempt = 0; attempt < 5; ++attempt) {
    test.window.session().closeAll();
    test.window.openFiles({path});
    BeginningMark* mark = nullptr;
    const auto isDecided = [&] {
      mark = shownMark(test);
      return mark || test.window.session().run(0)->state() == RunState::kReady;
    };
    EXPECT_TRUE(QTest::qWaitFor(isDecided, 20'000));
    if (mark) return mark;
  }
  return nullptr;
}

TEST(TraceFiles, TheBeginningOfALargeTraceIsShownAndScrolledWhileTheRestIsRead) {
  QTemporaryDir folder;
  TestWindow test;
  const BeginningMark* mark = openUntilBeginning(test, writeLarge(folder.filePath(QStringLiteral("large.json"))));
  ASSERT_NE(mark, nullptr);
  Session& session = test.window.session();
  const auto beginning = session.run(0)->beginning();
  ASSERT_NE(beginning, nullptr);
  EXPECT_TRUE(mark->text().contains(QLatin1String("still reading")));
  EXPECT_TRUE(test.window.timeline().isVisible());
  EXPECT_EQ(session.run(0)->trace(), nullptr);
  ASSERT_NE(test.window.timeline().tracksOf(0), nullptr);
  EXPECT_EQ(test.window.timeline().tracksOf(0)->facts, beginning);
  // It is looked at closer, and nothing of it can be selected.
  const TimelinePane* pane = test.window.timeline().pane(0);
  test.window.view().setView(50'000'000, 20'000);
  SliceId hit = kNoSlice;
  QPoint at;
  for (int y = 0; y < pane->height() && hit == kNoSlice; y += 4) {
    for (int x = pane->width() / 2; x < pane->width() / 2 + 200 && hit == kNoSlice; ++x) {
      at = QPoint(x, y);
      hit = pane->sliceAt(at);
    }
  }
  ASSERT_NE(hit, kNoSlice);
  for (const auto& modifiers : {Qt::NoModifier, Qt::ControlModifier}) {
    QTest::mouseClick(const_cast<TimelinePane*>(pane), Qt::LeftButton, modifiers, at);
    EXPECT_TRUE(session.selection().isEmpty());
  }
  ASSERT_TRUE(test.settle());
  EXPECT_EQ(session.run(0)->beginning(), nullptr);
  EXPECT_EQ(shownMark(test), nullptr);
  EXPECT_NEAR(test.window.view().spanNs(), 20'000, 1) << "the view stays";
  EXPECT_NEAR(test.window.view().startNs(), 50'000'000, 2'000);
}

TEST(TraceFiles, ReadingIsStoppedOverTheBeginning) {
  QTemporaryDir folder;
  TestWindow test;
  const BeginningMark* mark = openUntilBeginning(test, writeLarge(folder.filePath(QStringLiteral("large.json"))));
  ASSERT_NE(mark, nullptr);
  auto* cancel = mark->findChild<QPushButton*>();
  ASSERT_NE(cancel, nullptr);
  QTest::mouseClick(cancel, Qt::LeftButton);
  ASSERT_TRUE(test.settle());
  EXPECT_EQ(test.window.session().runCount(), 0);
  EXPECT_EQ(shownMark(test), nullptr);
}

TEST(TraceFiles, AViewStaysWhereAFollowedFileGrows) {
  QTemporaryDir folder;
  TestWindow test;
  QFile file(folder.filePath(QStringLiteral("grows.json")));
  ASSERT_TRUE(file.open(QIODevice::WriteOnly | QIODevice::Unbuffered));
  const auto event = [](int at) {
    return QStringLiteral(R"({"ph":"X","name":"e","pid":1,"tid":1,"ts":%1,"dur":50},)").arg(at).toUtf8();
  };
  file.write("[" + event(0) + event(100) + event(900));
  ASSERT_TRUE(test.open({file.fileName()}));
  test.window.action(QStringLiteral("follow"))->trigger();
  EXPECT_TRUE(test.window.action(QStringLiteral("follow"))->isChecked());
  test.window.view().setView(100'000, 50'000);
  file.write(event(1000));
  ASSERT_TRUE(QTest::qWaitFor([&] { return test.window.session().run(0)->trace()->slices.size() == 4; }, 10000));
  ASSERT_TRUE(test.settle());
  EXPECT_EQ(test.window.view().startNs(), 100'000);
  EXPECT_EQ(test.window.view().spanNs(), 50'000);
  test.window.action(QStringLiteral("reload"))->trigger();
  ASSERT_TRUE(test.settle());
  EXPECT_EQ(test.window.view().startNs(), 100'000);
}

}  // namespace
}  // namespace attnscope::ui
