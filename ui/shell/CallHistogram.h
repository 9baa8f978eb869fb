// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The durations of a slice's calls as bars in the colour of its work, this call as a line of ink.

#include <QWidget>

#include "ui/shell/SliceFacts.h"
#include "ui/theme/Theme.h"

namespace attnscope::ui {

class CallHistogram : public QWidget {
  Q_OBJECT

 public:
  explicit CallHistogram(const Theme& theme, QWidget* parent = nullptr);
  void setCalls(const CallStatistics& calls, std::int64_t thisNs, WorkKind kind);
  [[nodiscard]] QSize sizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  const Theme& m_theme;
  CallStatistics m_calls;
  std::int64_t m_thisNs = 0;
  WorkKind m_kind = WorkKind::kUnknown;
};

}  // namespace attnscope::ui
