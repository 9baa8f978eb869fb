// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The head of a run: what it does now, how long it took and will take, Stop, the six phases, and where it runs.

#include <QWidget>

#include "ui/lab/LabFigures.h"
#include "ui/theme/Theme.h"

class QPushButton;

namespace attnscope::ui {

class TextLabel;
class PhaseBars;

class RunHead : public QWidget {
  Q_OBJECT

 public:
  explicit RunHead(const Theme& theme, QWidget* parent = nullptr);

  void setHeadline(const QString& title, int position, const QString& of);  // position -1: of all, no chip
  void setTimes(const QString& times);
  void setPhases(const PhaseFigures& phases);
  void setNote(const QString& note, const QString& icon = {}, const QString& iconColour = {});
  [[nodiscard]] QPushButton* stopButton() const { return m_stop; }
  [[nodiscard]] QString title() const;
  [[nodiscard]] QString note() const;

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  void applyTheme();
  const Theme& m_theme;
  TextLabel* m_title;
  QWidget* m_chip;
  TextLabel* m_of;
  TextLabel* m_times;
  QPushButton* m_stop;
  PhaseBars* m_phases;
  TextLabel* m_note;
};

}  // namespace attnscope::ui
