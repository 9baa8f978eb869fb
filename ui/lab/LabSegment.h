// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// A few words of which one is chosen: Attention | Block. Arrow keys move the choice.

#include <QStringList>
#include <QWidget>

#include "ui/theme/Theme.h"

class QButtonGroup;

namespace attnscope::ui {

class LabSegment : public QWidget {
  Q_OBJECT

 public:
  LabSegment(const Theme& theme, const QStringList& words, const QString& name, QWidget* parent = nullptr);
  [[nodiscard]] int current() const;
  void setCurrent(int position);  // without chosen()
  void setWord(int position, const QString& word);

 Q_SIGNALS:
  void chosen(int position);  // by the user

 private:
  void applyTheme();
  const Theme& m_theme;
  QButtonGroup* m_group;
};

}  // namespace attnscope::ui
