// SPDX-License-Identifier: GPL-3.0-or-later
// Five questions that a performance engineer brings, each answered by keys and clicks alone; what then stands on the
// screen is compared with a count of the file's own text, which shares no code with the product.
#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include <QAbstractButton>
#include <QAction>
#include <QComboBox>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLineEdit>
#include <QTableView>
#include <QTemporaryDir>
#include <QToolButton>

#include <gtest/gtest.h>

#include "TestWindow.h"
#include "WorkTrace.h"
#include "ui/bridge/Format.h"
#include "ui/shell/Details.h"
#include "ui/shell/LowerArea.h"
#include "ui/shell/SelectionPage.h"
#include "ui/tables/KernelsPage.h"
#include "ui/tables/TableView.h"
#include "ui/theme/TextLabel.h"
#include "ui/timeline/TimelineView.h"

namespace attnscope::ui {
namespace {

using test::TestWindow;

struct Event {
  QString category;
  QString name;
  int tid = 0;
  std::int64_t startNs = 0;
  std::int64_t durationNs = 0;
  int correlation = -1;
  [[nodiscard]] std::int64_t endNs() const { return startNs + durationNs; }
};

class Questions : public testing::Test {
 protected:
  void SetUp() override {
    test::WorkTrace wanted;
    wanted.lateStep = 1;
    const QByteArray text = test::workTraceJson(wanted);
    count(text);
    m_test.window.timeline().setReducedMotion(true);
    ASSERT_TRUE(m_test.open({test::writeFile(m_folder.filePath(QStringLiteral("trace.json")), text)}));
    m_test.window.timeline().setFocus();
  }

  void count(const QByteArray& text) {
    for (const QJsonValue& value : QJsonDocument::fromJson(text).object()[QLatin1String("traceEvents")].toArray()) {
      const QJsonObject from = value.toObject();
      const QJsonObject args = from[QLatin1String("args")].toObject();
      const auto ns = [&](const char* key) { return std::llround(from[QLatin1String(key)].toDouble() * 1000); };
      if (from[QLatin1String("ph")] == QLatin1String("X")) {
        m_events.push_back({from[QLatin1String("cat")].toString(), from[QLatin1String("name")].toString(),
                            from[QLatin1String("tid")].toInt(), ns("ts"), ns("dur"),
                            args[QLatin1String("correlation")].toInt(-1)});
      } else if (from[QLatin1String("name")] == QLatin1String("[memory]")) {
        m_memory.emplace_back(ns("ts"), args);
      }
    }
  }

  [[nodiscard]] const Event& event(const QString& name, std::int64_t after = 0) const {
    return *std::find_if(m_events.begin(), m_events.end(),
                         [&](const Event& each) { return each.name == name && each.startNs >= after; });
  }
  [[nodiscard]] std::vector<Event> kernels(int stream) const {
    std::vector<Event> found;
    for (const Event& each : m_events) {
      if (each.category == QLatin1String("kernel") && each.tid == stream) found.push_back(each);
    }
    std::sort(found.begin(), found.end(), [](const Event& a, const Event& b) { return a.startNs < b.startNs; });
    return found;
  }
  [[nodiscard]] const Event& launchOf(const Event& kernel) const {
    return *std::find_if(m_events.begin(), m_events.end(), [&](const Event& each) {
      return each.category == QLatin1String("cuda_runtime") && each.correlation == kernel.correlation;
    });
  }

  void press(Qt::Key key, Qt::KeyboardModifiers modifiers = {}) {
    QTest::keyClick(QApplication::focusWidget() ? QApplication::focusWidget() : &m_test.window, key, modifiers);
  }
  // By the key that the menu shows for it.
  void showTab(const QString& words) {
    for (QAction* action : m_test.window.shortcuts().actions()) {
      if (!action->objectName().startsWith(QLatin1String("tab")) || action->text() != words) continue;
      const QKeyCombination keys = action->shortcut()[0];
      press(keys.key(), keys.keyboardModifiers());
    }
    ASSERT_TRUE(m_test.settle());
  }
  void find(const QString& text) {
    press(Qt::Key_F, Qt::ControlModifier);
    QTest::keyClicks(QApplication::focusWidget(), text);
    press(Qt::Key_Return);
    ASSERT_TRUE(m_test.settle());
    m_test.window.timeline().setFocus();
  }
  // Everything that can be read in a part of the window.
  static QString textsIn(QWidget* part) {
    QStringList texts;
    for (const TextLabel* label : part->findChildren<TextLabel*>()) {
      if (label->isVisible()) texts << label->text();
    }
    for (const QAbstractButton* button : part->findChildren<QAbstractButton*>()) {
      if (button->isVisible()) texts << button->text();
    }
    for (const QObject* item : part->findChildren<QObject*>()) {
      if (item->inherits("QCPItemText") && item->property("visible").toBool())
        texts << item->property("text").toString();
    }
    return texts.join(u'\n');
  }
  [[nodiscard]] double cell(const RowTable& model, const QString& name, const QString& column) const {
    int at = -1;
    for (int each = 0; each < model.columnCount(); ++each) {
      if (model.rows().columns[static_cast<std::size_t>(each)].title == column) at = each;
    }
    for (int line = 0; line < model.rowCount(); ++line) {
      if (model.index(line, 0).data().toString() == name) return model.number(line, at);
    }
    return NAN;
  }

  QTemporaryDir m_folder;
  TestWindow m_test{{1920, 1080}};
  std::vector<Event> m_events;
  std::vector<std::pair<std::int64_t, QJsonObject>> m_memory;
};

// Steps needed: two clicks on "next step", the key of Selection.
TEST_F(Questions, WhyIsTheDeviceIdleInStep4) {
  QToolButton* next = nullptr;
  for (QToolButton* button : m_test.window.timeline().findChildren<QToolButton*>()) {
    if (button->accessibleName() == QLatin1String("Next step")) next = button;
  }
  ASSERT_TRUE(next);
  QTest::mouseClick(next, Qt::LeftButton);
  QTest::mouseClick(next, Qt::LeftButton);
  showTab(QStringLiteral("Selection"));
  const Event& step = event(QStringLiteral("ProfilerStep#4"));
  std::int64_t idle = 0;
  std::int64_t late = 0;
  std::int64_t until = -1;
  for (const Event& kernel : kernels(7)) {
    const std::int64_t from = std::max(until, step.startNs);
    const std::int64_t to = std::min(kernel.startNs, step.endNs());
    if (until >= 0 && to > from) {
      idle += to - from;
      // The host came late where its call returned in the second half of the gap.
      if ((launchOf(kernel).endNs() - until) * 2 >= kernel.startNs - until) late += to - from;
    }
    until = std::max(until, kernel.endNs());
  }
  const QString shown = textsIn(m_test.window.findChild<SelectionPage*>());
  EXPECT_TRUE(shown.contains(QStringLiteral("stream 7 idle %1").arg(format::time(static_cast<double>(idle)))))
      << shown.toStdString();
  const double share = static_cast<double>(late) / static_cast<double>(idle);
  EXPECT_GT(share, 0.4);
  EXPECT_TRUE(shown.contains(QStringLiteral("no launch %1").arg(format::percent(share, 0)))) << shown.toStdString();
}

// Steps needed: the key of Memory.
TEST_F(Questions, WhichOperatorOwnsThePeak) {
  showTab(QStringLiteral("Memory"));
  std::map<int, std::pair<std::int64_t, std::int64_t>> live;  // by address: time and bytes
  std::int64_t now = 0;
  std::int64_t peak = INT64_MIN;
  std::map<int, std::pair<std::int64_t, std::int64_t>> atPeak;
  for (const auto& [ns, args] : m_memory) {
    const auto bytes = static_cast<std::int64_t>(args[QLatin1String("Bytes")].toDouble());
    const int address = args[QLatin1String("Addr")].toInt();
    now += bytes;
    if (bytes > 0) {
      live[address] = {ns, bytes};
    } else {
      live.erase(address);
    }
    if (now > peak) {
      peak = now;
      atPeak = live;
    }
  }
  std::map<QString, std::int64_t> held;  // by the innermost operator open on the thread
  for (const auto& [address, block] : atPeak) {
    QString owner;
    std::int64_t shortest = INT64_MAX;
    for (const Event& each : m_events) {
      const bool isOpen = each.startNs <= block.first && block.first <= each.endNs();
      if (each.category != QLatin1String("cpu_op") || each.tid != 100 || !isOpen) continue;
      if (each.durationNs < shortest) {
        shortest = each.durationNs;
        owner = each.name;
      }
    }
    held[owner] += block.second;
  }
  const auto most =
      std::max_element(held.begin(), held.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  const QString shown = textsIn(m_test.window.findChild<LowerArea*>()->memory());
  EXPECT_TRUE(shown.contains(most->first)) << shown.toStdString();
  EXPECT_TRUE(shown.contains(format::bytes(static_cast<double>(most->second)))) << shown.toStdString();
}

// Steps needed: Ctrl+F, the name, Enter; Q; the key of Selection; "by kernel".
TEST_F(Questions, WhichKernelsRanUnderThisAttentionCallAndWhatDoTheyCost) {
  find(QStringLiteral("scaled_dot_product"));
  press(Qt::Key_Q);
  showTab(QStringLiteral("Selection"));
  auto* page = m_test.window.findChild<SelectionPage*>();
  auto* choice = page->findChild<QComboBox*>();
  choice->setFocus();
  for (int down = 0; down < 3; ++down) QTest::keyClick(choice, Qt::Key_Down);
  ASSERT_TRUE(m_test.settle());
  const Event& call = event(QStringLiteral("aten::scaled_dot_product_attention"));
  std::map<QString, std::pair<int, std::int64_t>> wanted;
  for (const int stream : {7, 20}) {
    for (const Event& kernel : kernels(stream)) {
      const Event& launch = launchOf(kernel);
      if (launch.tid != call.tid || launch.startNs < call.startNs || launch.endNs() > call.endNs()) continue;
      ++wanted[kernel.name].first;
      wanted[kernel.name].second += kernel.durationNs;
    }
  }
  ASSERT_EQ(wanted.size(), 2U);
  ASSERT_EQ(page->model().rowCount(), 2);
  for (const auto& [name, sums] : wanted) {
    EXPECT_EQ(cell(page->model(), name, QStringLiteral("Slices")), sums.first) << name.toStdString();
    EXPECT_EQ(cell(page->model(), name, QStringLiteral("Total")), static_cast<double>(sums.second));
  }
}

// Steps needed: a click on the first row of Kernels, Enter.
TEST_F(Questions, WhichKernelTakesMostAndWhereIsItsLongestCall) {
  std::map<QString, std::int64_t> totals;
  for (const int stream : {7, 20}) {
    for (const Event& kernel : kernels(stream)) totals[kernel.name] += kernel.durationNs;
  }
  const auto most =
      std::max_element(totals.begin(), totals.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  showTab(QStringLiteral("Kernels"));
  auto* page = m_test.window.findChild<KernelsPage*>();
  QTableView* table = page->tableView();
  QTest::mouseClick(table->viewport(), Qt::LeftButton, {}, table->visualRect(page->model().index(0, 0)).center());
  QTest::keyClick(table, Qt::Key_Return);
  ASSERT_TRUE(m_test.settle());
  EXPECT_EQ(page->model().index(0, 0).data().toString(), most->first);
  std::int64_t longest = 0;
  for (const int stream : {7, 20}) {
    for (const Event& kernel : kernels(stream)) {
      if (kernel.name == most->first) longest = std::max(longest, kernel.durationNs);
    }
  }
  const QString shown = textsIn(m_test.window.findChild<Details*>());
  EXPECT_TRUE(shown.contains(most->first)) << shown.toStdString();
  EXPECT_TRUE(shown.contains(format::time(static_cast<double>(longest)))) << shown.toStdString();
  const Selection& selection = m_test.window.session().selection();
  EXPECT_FALSE(m_test.window.timeline().sliceRect(selection.leadRun, selection.leadSlice).isNull());
}

// Steps needed: Ctrl+F, the name, Enter: Details has it.
TEST_F(Questions, HowLongDidThisKernelWaitAfterItsLaunch) {
  find(QStringLiteral("sgemm_64x64"));
  const Event& kernel = event(QStringLiteral("ampere_sgemm_64x64_tn"));
  const std::int64_t delay = kernel.startNs - launchOf(kernel).startNs;
  const QString shown = textsIn(m_test.window.findChild<Details*>());
  EXPECT_TRUE(shown.contains(format::time(static_cast<double>(delay)))) << shown.toStdString();
  EXPECT_TRUE(shown.contains(QStringLiteral("cudaLaunchKernel"))) << shown.toStdString();
}

}  // namespace
}  // namespace attnscope::ui
