// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The line in which a note's text is written, at its place under the ruler. Enter keeps it, Escape and leaving it
// change nothing, an empty text takes the note away. GUI thread.

#include <QLineEdit>

#include "ui/bridge/Notes.h"
#include "ui/theme/Theme.h"

namespace attnscope::ui {

class NoteEditor : public QLineEdit {
  Q_OBJECT

 public:
  NoteEditor(Notes& notes, const Theme& theme, QWidget* parent);

  void write(Run* run, TimeRange range, QPoint at);  // a new one
  void change(int note, QPoint at);

 Q_SIGNALS:
  void closed();

 protected:
  bool event(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void focusOutEvent(QFocusEvent* event) override;

 private:
  void open(const QString& text, QPoint at);
  void keep();

  Notes& m_notes;
  const Theme& m_theme;
  int m_note = -1;  // -1: a new one
  QPointer<Run> m_run;
  TimeRange m_range;
};

}  // namespace attnscope::ui
