// SPDX-License-Identifier: GPL-3.0-or-later
// Menus of the main window that are filled when they open: recent files, baseline, annotations, notes, and those of a
// slice and of a track.

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QFileInfo>
#include <QMenu>

#include "ui/shell/MainWindow.h"
#include "ui/shell/SliceFacts.h"
#include "ui/timeline/TimelineView.h"

namespace attnscope::ui {

void MainWindow::fillAnnotationMenu() {
  m_annotationMenu->clear();
  const QStringList names = m_session.sharedAnnotations();
  for (const QString& name : names) {
    QAction* each = m_annotationMenu->addAction(name);
    each->setCheckable(true);
    each->setChecked(m_session.alignment() == Alignment::kAnnotation && m_session.alignedAnnotation() == name);
    connect(each, &QAction::triggered, this, [this, name] { m_session.alignByAnnotation(name); });
  }
  if (names.isEmpty()) m_annotationMenu->addAction(tr("The runs share no annotation"))->setEnabled(false);
}

void MainWindow::fillRecentMenu() {
  m_recentMenu->clear();
  for (const RecentFile& file : m_settings.recentFiles()) {
    const bool isThere = QFileInfo::exists(file.path);
    QAction* each = m_recentMenu->addAction(isThere ? file.path : tr("%1 (not found)").arg(file.path));
    each->setEnabled(isThere);
    connect(each, &QAction::triggered, this, [this, path = file.path] { openFiles({path}); });
  }
  if (m_recentMenu->isEmpty()) {
    m_recentMenu->addAction(tr("Nothing was opened yet"))->setEnabled(false);
    return;
  }
  m_recentMenu->addSeparator();
  connect(m_recentMenu->addAction(tr("Clear the list")), &QAction::triggered, &m_settings, &AppSettings::clearRecent);
}

void MainWindow::fillBaselineMenu() {
  m_baselineMenu->clear();
  for (const int position : m_session.readyRuns()) {
    const Run* run = m_session.run(position);
    QAction* each = m_baselineMenu->addAction(tr("%1, %2").arg(run->letter(), run->title()));
    each->setCheckable(true);
    each->setChecked(position == m_session.baseline());
    connect(each, &QAction::triggered, this, [this, position] { m_session.setBaseline(position); });
  }
}

void MainWindow::showSliceMenu(int run, SliceId slice, const QPoint& globalPosition) {
  auto* menu = new QMenu(this);
  menu->setAttribute(Qt::WA_DeleteOnClose);
  const bool isSlice = slice != kNoSlice && run >= 0 && run < m_session.runCount() && m_session.run(run)->trace();
  if (isSlice) {
    const std::string name(m_session.run(run)->trace()->name(slice));
    connect(menu->addAction(tr("Show its details")), &QAction::triggered, this, [this, run, slice] {
      m_session.selectSlice(run, slice, SelectionOrigin::kTimeline);
      setDetailsOpen(true);
    });
    connect(menu->addAction(tr("Copy its name")), &QAction::triggered, this,
            [name] { QApplication::clipboard()->setText(QString::fromStdString(name)); });
    if (const SliceId call = attentionCallOf(*m_session.run(run)->trace(), slice); call != kNoSlice) {
      connect(menu->addAction(tr("Run this shape")), &QAction::triggered, this,
              [this, run, call] { runShape(run, call); });
    }
    menu->addSeparator();
  }
  for (QAction* each : m_timeline->timelineActions()) menu->addAction(each);
  menu->popup(globalPosition);
}

void MainWindow::fillNotesMenu() {
  m_notesMenu->clear();
  const std::vector<Note>& notes = m_timeline->notes().all();
  for (int at = 0; at < static_cast<int>(notes.size()); ++at) {
    const Note& note = notes[static_cast<std::size_t>(at)];
    constexpr int kLetters = 60;
    const QString text = note.text.size() > kLetters ? note.text.left(kLetters) + QStringLiteral("…") : note.text;
    QAction* each = m_notesMenu->addAction(tr("%1, %2: %3").arg(at + 1).arg(note.run->letter(), text));
    connect(each, &QAction::triggered, this, [this, at] { m_timeline->showNote(at); });
  }
  if (notes.empty()) m_notesMenu->addAction(tr("No notes yet: M writes one"))->setEnabled(false);
}

void MainWindow::showTrackMenu(int run, int track, const QPoint& globalPosition) {
  const TimelinePane* pane = m_timeline->pane(run);
  if (!pane) return;
  auto* menu = new QMenu(this);
  menu->setAttribute(Qt::WA_DeleteOnClose);
  if (track >= 0) {
    QAction* pin = menu->addAction(tr("Pin the track"));
    pin->setCheckable(true);
    pin->setChecked(pane->arrangement().isPinned(track));
    connect(pin, &QAction::triggered, m_timeline, [this, run, track] { m_timeline->togglePin(run, track); });
    connect(menu->addAction(tr("Hide the track")), &QAction::triggered, m_timeline,
            [this, run, track] { m_timeline->setTrackHidden(run, track, true); });
    menu->addSeparator();
  }
  const DisplayTracks* tracks = pane->tracks();
  for (int at = 0; tracks && at < static_cast<int>(tracks->tracks.size()); ++at) {
    if (!pane->arrangement().hidden[static_cast<std::size_t>(at)]) continue;
    const DisplayTrack& each = tracks->tracks[static_cast<std::size_t>(at)];
    connect(menu->addAction(tr("Show %1").arg(QString::fromStdString(each.name))), &QAction::triggered, m_timeline,
            [this, run, at] { m_timeline->setTrackHidden(run, at, false); });
  }
  menu->addAction(action(QStringLiteral("filterTracks")));
  for (QAction* each : m_timeline->timelineActions()) {
    if (each->objectName() == QLatin1String("timeline.showTracks")) menu->addAction(each);
  }
  menu->popup(globalPosition);
}

}  // namespace attnscope::ui
