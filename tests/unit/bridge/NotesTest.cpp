// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/bridge/Notes.h"

#include <chrono>
#include <thread>

#include <QCoreApplication>
#include <QElapsedTimer>
#include <QFile>
#include <QTemporaryDir>

#include <gtest/gtest.h>

#include "tests/support/Pages.h"
#include "ui/bridge/SideFile.h"

namespace attnscope::ui {
namespace {

class NotesTest : public testing::Test {
 protected:
  QString writeTrace(const QString& name) {
    return test::writeText(
        m_folder.filePath(name),
        R"({"traceEvents": [{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":5,"tid":5,"ts":10,"dur":90}]})");
  }

  void open(Session& session, const QStringList& paths) {
    session.openFiles(paths);
    QElapsedTimer timer;
    timer.start();
    while (session.isBusy() && timer.elapsed() < 20'000) {
      QCoreApplication::processEvents(QEventLoop::AllEvents, 10);
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    ASSERT_FALSE(session.isBusy());
  }

  QTemporaryDir m_folder;
};

TEST_F(NotesTest, AreThereAgainWhenTheTraceIsOpenedAgain) {
  const QString path = writeTrace(QStringLiteral("a.json"));
  {
    Session session;
    Notes notes(session);
    notes.keepInFiles();
    open(session, {path});
    notes.add(session.run(0), {2000, 9'007'199'254'740'993}, QStringLiteral("a range, \"quoted\" µs"));
    notes.add(session.run(0), {1000, 1000}, QStringLiteral("a place"));
    ASSERT_EQ(notes.all().size(), 2U);
    EXPECT_EQ(notes.all().front().text, QStringLiteral("a place"));  // by start
    EXPECT_TRUE(notes.all().front().isPlace());
  }
  Session session;
  Notes notes(session);
  notes.keepInFiles();
  open(session, {path});
  ASSERT_EQ(notes.all().size(), 2U);
  EXPECT_EQ(notes.all()[1].text, QStringLiteral("a range, \"quoted\" µs"));
  EXPECT_EQ(notes.all()[1].range, (TimeRange{2000, 9'007'199'254'740'993}));
  notes.setText(1, QStringLiteral("other words"));
  notes.remove(0);
  EXPECT_EQ(notes.all().front().text, QStringLiteral("other words"));
  // Without notes there is no file.
  notes.setText(0, QString());
  EXPECT_TRUE(notes.all().empty());
  EXPECT_FALSE(QFile::exists(sideFileOf(*session.run(0))));
}

TEST_F(NotesTest, OfEachRunAreInItsOwnFile) {
  Session session;
  Notes notes(session);
  notes.keepInFiles();
  open(session, {writeTrace(QStringLiteral("a.json")), writeTrace(QStringLiteral("b.json"))});
  notes.add(session.run(1), {1, 1}, QStringLiteral("of b"));
  notes.add(session.run(0), {5, 5}, QStringLiteral("of a"));
  EXPECT_EQ(notes.all()[0].text, QStringLiteral("of a"));
  session.closeRun(0);
  ASSERT_EQ(notes.all().size(), 1U);
  EXPECT_EQ(notes.all()[0].text, QStringLiteral("of b"));
  EXPECT_TRUE(QFile::exists(m_folder.filePath(QStringLiteral("a.json.notes.json"))));
}

TEST_F(NotesTest, AFileThatIsNotOfNotesIsLeftAlone) {
  const QString path = writeTrace(QStringLiteral("a.json"));
  QFile other(path + QStringLiteral(".notes.json"));
  ASSERT_TRUE(other.open(QIODevice::WriteOnly));
  other.write("{\"schema\": \"attnscope-notes/99\"}");
  other.close();
  Session session;
  Notes notes(session);
  QString message;
  QObject::connect(&notes, &Notes::failed, &notes, [&message](const QString& words) { message = words; });
  notes.keepInFiles();
  open(session, {path});
  EXPECT_TRUE(message.contains(QStringLiteral("a.json.notes.json"))) << message.toStdString();
  EXPECT_TRUE(notes.all().empty());
  notes.add(session.run(0), {1, 1}, QStringLiteral("said"));
  ASSERT_TRUE(other.open(QIODevice::ReadOnly));
  EXPECT_EQ(other.readAll(), "{\"schema\": \"attnscope-notes/99\"}");
}

TEST_F(NotesTest, NothingIsWrittenUntilItIsWanted) {
  Session session;
  Notes notes(session);
  open(session, {writeTrace(QStringLiteral("a.json"))});
  notes.add(session.run(0), {1, 1}, QStringLiteral("said"));
  EXPECT_EQ(notes.all().size(), 1U);
  EXPECT_FALSE(QFile::exists(sideFileOf(*session.run(0))));
}

}  // namespace
}  // namespace attnscope::ui
