// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The person's own attention: TorchScript typed here, a TorchScript module (.pt), or a package of AOTInductor (.pt2).
// It is used only after the box that says what it may do was ticked; nothing is read or compiled here. GUI thread only.

#include <QDialog>

#include "core/session/RunPlan.h"
#include "ui/theme/Theme.h"

class QCheckBox;
class QLineEdit;
class QPlainTextEdit;
class QPushButton;
class QStackedWidget;

namespace attnscope::ui {

class LabSegment;
class TextLabel;

class CodeDialog : public QDialog {
  Q_OBJECT

 public:
  CodeDialog(const Theme& theme, const UserCode& code, QWidget* parent = nullptr);

  // What was given to the constructor with what was chosen here in its place. Allowed: the box was ticked.
  [[nodiscard]] UserCode code() const;
  [[nodiscard]] QString implementation() const;  // that runs it: "byo.script", "byo.package"

 private:
  enum Source : int { kTyped, kModule, kPackage };
  QWidget* makeEditor();
  QWidget* makeFile();
  void browse();
  void refresh();
  [[nodiscard]] Source source() const;

  const Theme& m_theme;
  UserCode m_code;
  LabSegment* m_source;
  QStackedWidget* m_stack;
  QPlainTextEdit* m_text = nullptr;
  QLineEdit* m_module = nullptr;
  QLineEdit* m_package = nullptr;
  TextLabel* m_hint;
  QCheckBox* m_allowed;
  QPushButton* m_use = nullptr;
};

}  // namespace attnscope::ui
