// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// One row of the form: a label, a field, the unit beside it, and under the field a hint and what is wrong with it.

#include <QWidget>

#include "core/problem/Validation.h"
#include "ui/theme/Theme.h"

class QHBoxLayout;

namespace attnscope::ui {

class TextLabel;

class FormRow : public QWidget {
  Q_OBJECT

 public:
  // `field` is taken over; `beside`, where given, stands right of it.
  FormRow(const Theme& theme, const QString& label, QWidget* field, QWidget* beside = nullptr,
          QWidget* parent = nullptr);

  void setHint(const QString& hint);  // empty: none
  void setRemark(const QString& text, RemarkSeverity severity);
  void clearRemark();
  [[nodiscard]] QString remark() const;
  [[nodiscard]] QString label() const;
  void setLabel(const QString& label);

 private:
  void applyTheme();
  void describe();
  const Theme& m_theme;
  QWidget* m_field;
  TextLabel* m_label;
  TextLabel* m_hint;
  TextLabel* m_remark;
};

}  // namespace attnscope::ui
