// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/bridge/Notes.h"

#include <algorithm>

#include <QFileInfo>
#include <QJsonArray>
#include <QJsonObject>

namespace attnscope::ui {

namespace {

constexpr QLatin1String kKey("notes");

// Which run of a session file; a trace is alone in its file.
int placeIn(const Run& run) { return run.origin().isEmpty() ? 0 : static_cast<int>(run.measuredAs()); }

// JSON has no 64-bit integers.
QJsonValue timeValue(std::int64_t ns) { return QString::number(ns); }

}  // namespace

Notes::Notes(Session& session, QObject* parent) : QObject(parent), m_session(session) {
  connect(&m_session, &Session::runsChanged, this, [this] {
    const auto before = m_notes.size();
    m_notes.erase(std::remove_if(m_notes.begin(), m_notes.end(),
                                 [this](const Note& note) { return m_session.positionOf(note.run) < 0; }),
                  m_notes.end());
    order();
    if (m_notes.size() != before) Q_EMIT changed();
    readNew();
  });
  connect(&m_session, &Session::runChanged, this, &Notes::readNew);
}

void Notes::keepInFiles() {
  m_isKept = true;
  readNew();
}

void Notes::readNew() {
  if (!m_isKept) return;
  for (const SideFileRuns::Change& change : m_sideFiles.changes(m_session)) {
    if (change.file.isEmpty()) continue;
    if (change.isNew) {
      read(change.run);
      continue;
    }
    const bool hasNotes =
        std::any_of(m_notes.begin(), m_notes.end(), [&change](const Note& note) { return note.run == change.run; });
    if (hasNotes) write(change.file);
  }
}

void Notes::read(Run* run) {
  const SideFileList kept = readSideFile(sideFileOf(*run), kKey);
  if (!kept.problem.isEmpty()) {
    Q_EMIT failed(kept.problem);
    return;
  }
  bool any = false;
  for (const QJsonValue& each : kept.list) {
    const QJsonObject from = each.toObject();
    if (from.value(QLatin1String("run")).toInt() != placeIn(*run)) continue;
    bool hasStart = false;
    bool hasEnd = false;
    Note note;
    note.run = run;
    note.range.startNs = from.value(QLatin1String("startNs")).toString().toLongLong(&hasStart);
    note.range.endNs = from.value(QLatin1String("endNs")).toString().toLongLong(&hasEnd);
    note.text = from.value(QLatin1String("text")).toString();
    if (!hasStart || !hasEnd || note.range.endNs < note.range.startNs) continue;
    m_notes.push_back(std::move(note));
    any = true;
  }
  if (!any) return;
  order();
  Q_EMIT changed();
}

void Notes::write(const QString& path) {
  if (!m_isKept || path.isEmpty()) return;
  QJsonArray list;
  for (const Note& note : m_notes) {
    if (sideFileOf(*note.run) != path) continue;
    QJsonObject each;
    each.insert(QLatin1String("run"), placeIn(*note.run));
    each.insert(QLatin1String("startNs"), timeValue(note.range.startNs));
    each.insert(QLatin1String("endNs"), timeValue(note.range.endNs));
    each.insert(QLatin1String("text"), note.text);
    list.append(each);
  }
  if (const QString problem = writeSideFile(path, kKey, list); !problem.isEmpty()) {
    Q_EMIT failed(tr("The notes cannot be kept in %1: %2. They stay until the window closes.")
                      .arg(QFileInfo(path).fileName(), problem));
  }
}

void Notes::order() {
  std::stable_sort(m_notes.begin(), m_notes.end(), [this](const Note& a, const Note& b) {
    const int left = m_session.positionOf(a.run);
    const int right = m_session.positionOf(b.run);
    return left != right ? left < right : a.range.startNs < b.range.startNs;
  });
}

int Notes::add(Run* run, TimeRange range, const QString& text) {
  m_notes.push_back({run, range, text});
  order();
  const auto at = std::find_if(m_notes.begin(), m_notes.end(), [&](const Note& note) {
    return note.run == run && note.range == range && note.text == text;
  });
  const int position = static_cast<int>(at - m_notes.begin());
  write(sideFileOf(*run));
  Q_EMIT changed();
  return position;
}

void Notes::setText(int note, const QString& text) {
  if (text.isEmpty()) {
    remove(note);
    return;
  }
  Note& at = m_notes[static_cast<std::size_t>(note)];
  if (at.text == text) return;
  at.text = text;
  write(sideFileOf(*at.run));
  Q_EMIT changed();
}

void Notes::remove(int note) {
  const QString file = sideFileOf(*m_notes[static_cast<std::size_t>(note)].run);
  m_notes.erase(m_notes.begin() + note);
  write(file);
  Q_EMIT changed();
}

}  // namespace attnscope::ui
