// SPDX-License-Identifier: GPL-3.0-or-later
// Where traces of the main window come from and go to: a range that is saved, a folder that is watched, and the places
// that the list of repairs leads to.
#include <algorithm>

#include <QAction>
#include <QDir>
#include <QFileInfo>
#include <QMessageBox>

#include "core/export/ChromeTraceWriter.h"
#include "ui/bridge/ErrorWords.h"
#include "ui/bridge/Format.h"
#include "ui/shell/HealthDialog.h"
#include "ui/shell/MainWindow.h"
#include "ui/shell/StatusLine.h"

namespace attnscope::ui {

namespace {

const QString kSaveTraceKey = QStringLiteral("saveTrace");

// The scope, else what is selected, else nothing: the whole trace.
std::optional<TimeRange> rangeToSave(const Session& session, int run) {
  if (session.scope().kind != ScopeKind::kWhole) return session.scopeRange(run);
  const std::vector<SliceId>* slices = session.selection().slicesOf(run);
  if (slices == nullptr || slices->empty()) return std::nullopt;
  const Trace& trace = *session.run(run)->trace();
  TimeRange range{INT64_MAX, INT64_MIN};
  for (const SliceId each : *slices) {
    range.startNs = std::min(range.startNs, trace.slices.startNs[index(each)]);
    range.endNs = std::max(range.endNs, trace.slices.endNs(each));
  }
  return range;
}

QString nameWithoutEndings(const QString& fileName) {
  QString name = fileName;
  for (const char* ending : {".gz", ".zst", ".zip", ".json", ".trace", ".pt"}) {
    if (name.endsWith(QLatin1String(ending))) name.chop(static_cast<qsizetype>(qstrlen(ending)));
  }
  return name;
}

}  // namespace

void MainWindow::connectFiles() {
  connect(&m_folderWatch, &FileWatch::traceAppeared, this, [this](const QString& path) {
    if (!m_offered.contains(path)) m_offered << path;
    refreshOffer();
  });
  connect(m_status, &StatusLine::offerTaken, this, [this] {
    const QStringList offered = std::exchange(m_offered, {});
    refreshOffer();
    openFiles(offered);
  });
}

void MainWindow::saveTrace() {
  const std::vector<int> ready = m_session.readyRuns();
  if (ready.empty() || m_jobs.isRunning(kSaveTraceKey)) return;
  const int lead = m_session.selection().leadRun;
  const int position = std::find(ready.begin(), ready.end(), lead) != ready.end() ? lead : m_session.baseline();
  const Run* run = m_session.run(position);
  WriteOptions options;
  options.range = rangeToSave(m_session, position);
  options.keepsPersonal = action(QStringLiteral("keepPersonal"))->isChecked();
  const QString title = options.range
                            ? tr("Save %1 of %2 as a trace")
                                  .arg(format::time(static_cast<double>(options.range->durationNs())), run->letter())
                            : tr("Save the whole of %1 as a trace").arg(run->letter());
  const QString suggestion = nameWithoutEndings(run->fileName()) +
                             (options.range ? QStringLiteral("-range.json.gz") : QStringLiteral("-clean.json.gz"));
  const QString path = m_chooseSave(this, title, suggestion);
  if (path.isEmpty()) return;
  m_jobs.start(
      kSaveTraceKey,
      [facts = run->facts(), options, file = path.toStdString()](std::stop_token stop) {
        Progress progress;
        return writeChromeTrace(*facts->trace, file, options, progress, stop);
      },
      [this, path, isPersonal = options.keepsPersonal](const Result<void>& written) {
        if (written) {
          m_status->say(isPersonal ? tr("Saved as %1").arg(path)
                                   : tr("Saved as %1, without home folders, names and tokens").arg(path));
          return;
        }
        auto* box = new QMessageBox(QMessageBox::Warning, tr("The trace was not saved"), whatHappened(written.error()),
                                    QMessageBox::Ok, this);
        box->setAttribute(Qt::WA_DeleteOnClose);
        box->setInformativeText(whatToDo(written.error()));
        box->open();
      });
}

// Chosen once it watches, chosen again it stops.
void MainWindow::watchFolder() {
  if (!m_folderWatch.folder().isEmpty()) {
    m_folderWatch.setFolder({});
    m_offered.clear();
    refreshOffer();
    m_status->say(tr("No folder is watched any more"));
  } else if (const QString folder = m_chooseFolder(this, tr("Watch a folder for traces")); !folder.isEmpty()) {
    m_status->say(m_folderWatch.setFolder(QDir(folder).absolutePath())
                      ? tr("New traces in %1 are offered here").arg(folder)
                      : tr("%1 cannot be watched").arg(folder));
  }
  refreshActions();
}

void MainWindow::refreshOffer() {
  if (m_offered.isEmpty()) {
    m_status->setOffer({});
  } else if (m_offered.size() == 1) {
    m_status->setOffer(tr("Open the new trace %1").arg(QFileInfo(m_offered.front()).fileName()));
  } else {
    m_status->setOffer(tr("Open %1 new traces").arg(m_offered.size()));
  }
}

void MainWindow::showHealth() {
  auto* dialog = new HealthDialog(m_session, m_theme, this);
  connect(dialog, &HealthDialog::placeRequested, this, [this](int run, SliceId slice) {
    showPage(WindowPage::kTraces);
    m_session.selectSlice(run, slice, SelectionOrigin::kDetails);
    fitSlice(run, slice);
  });
  dialog->open();
}

}  // namespace attnscope::ui
