// SPDX-License-Identifier: GPL-3.0-or-later
// Where traces come from and go to: ranges that are saved, folders that are watched, places that repairs lead to.
#include <QAction>
#include <QPushButton>
#include <QTemporaryDir>
#include <QToolButton>

#include <gtest/gtest.h>

#include "TestWindow.h"
#include "ui/shell/HealthDialog.h"

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
