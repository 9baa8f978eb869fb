// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/NoteEditor.h"

#include <algorithm>

#include <QKeyEvent>

#include "ui/bridge/Format.h"

namespace attnscope::ui {

namespace {
constexpr int kWidth = 280;
constexpr int kMostLetters = 1000;
}  // namespace

NoteEditor::NoteEditor(Notes& notes, const Theme& theme, QWidget* parent)
    : QLineEdit(parent), m_notes(notes), m_theme(theme) {
  setMaxLength(kMostLetters);
  setAccessibleName(tr("Text of the note"));
  hide();
}

void NoteEditor::write(Run* run, TimeRange range, QPoint at) {
  m_note = -1;
  m_run = run;
  m_range = range;
  const bool isPlace = range.startNs == range.endNs;
  setPlaceholderText(isPlace
                         ? tr("Note here, Enter keeps it")
                         : tr("Note on %1, Enter keeps it").arg(format::time(static_cast<double>(range.durationNs()))));
  open({}, at);
}

void NoteEditor::change(int note, QPoint at) {
  m_note = note;
  setPlaceholderText(tr("Empty: the note goes"));
  open(m_notes.all()[static_cast<std::size_t>(note)].text, at);
}

void NoteEditor::open(const QString& text, QPoint at) {
  setText(text);
  selectAll();
  const int width = std::min(m_theme.scaled(kWidth), parentWidget()->width());
  setGeometry(std::clamp(at.x(), 0, std::max(0, parentWidget()->width() - width)), at.y(), width,
              m_theme.size(QStringLiteral("control")));
  show();
  raise();
  setFocus(Qt::ShortcutFocusReason);
}

void NoteEditor::keep() {
  const QString text = this->text().trimmed();
  if (m_note >= 0) {
    if (m_note < static_cast<int>(m_notes.all().size())) m_notes.setText(m_note, text);
  } else if (m_run && !text.isEmpty()) {
    m_notes.add(m_run, m_range, text);
  }
}

bool NoteEditor::event(QEvent* event) {
  // Every key is for the text, also those that are the timeline's shortcuts.
  if (event->type() == QEvent::ShortcutOverride) {
    event->accept();
    return true;
  }
  return QLineEdit::event(event);
}

void NoteEditor::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) {
    keep();
  } else if (event->key() != Qt::Key_Escape) {
    QLineEdit::keyPressEvent(event);
    return;
  }
  hide();
  Q_EMIT closed();
}

void NoteEditor::focusOutEvent(QFocusEvent* event) {
  QLineEdit::focusOutEvent(event);
  hide();
}

}  // namespace attnscope::ui
