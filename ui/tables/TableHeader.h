// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The head of a table: title, run letter as a chip, unit in tertiary; the sorted column in 500 with an arrow.
// GUI thread only; theme and model outlive it.

#include <QHeaderView>

namespace attnscope::ui {

class RowTable;
class Theme;

class TableHeader : public QHeaderView {
  Q_OBJECT

 public:
  TableHeader(const RowTable& model, const Theme& theme, QWidget* parent = nullptr);

  [[nodiscard]] QSize sizeHint() const override;

 protected:
  void paintSection(QPainter* painter, const QRect& rect, int section) const override;
  void paintEvent(QPaintEvent* event) override;

 private:
  const RowTable& m_model;
  const Theme& m_theme;
};

}  // namespace attnscope::ui
