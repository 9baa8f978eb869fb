// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// What hovering a slice says, in a widget of our own: name, duration and share, start, track, launch, calls, partner.
// Shown after 350 ms beside the pointer and never over the slice. GUI thread.

#include <vector>

#include <QString>
#include <QTimer>
#include <QWidget>

#include "ui/theme/Theme.h"

namespace attnscope::ui {

struct TipText {
  WorkKind kind = WorkKind::kUnknown;
  QString name;
  QString duration;
  QString share;  // "10.8 % of step 3"
  std::vector<std::pair<QString, QString>> rows;
  int partnerRun = -1;  // number of the run, for its chip
  QString partnerLetter;
  QString partner;
};

class SliceTip : public QWidget {
  Q_OBJECT

 public:
  explicit SliceTip(const Theme& theme, QWidget* parent = nullptr);

  // After the delay, unless conceal() comes first. `avoid`: the slice, in the window's coordinates.
  void showSoon(TipText text, QPoint pointer, QRect avoid);
  void conceal();
  [[nodiscard]] const TipText& text() const { return m_text; }

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  void place();
  [[nodiscard]] QSize wantedSize() const;

  const Theme& m_theme;
  TipText m_text;
  QPoint m_pointer;
  QRect m_avoid;
  QTimer m_delay;
};

}  // namespace attnscope::ui
