// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The results of a run as a small table that fills while it runs: one row an implementation, and under it in words
// what happened where it was refused or failed. Columns give way from the right when it is narrow. Up and Down move
// through its rows, whose whole text is the accessible description.

#include <vector>

#include <QWidget>

#include "ui/lab/LabFigures.h"
#include "ui/theme/Theme.h"

namespace attnscope::ui {

class ResultsMatrix : public QWidget {
  Q_OBJECT

 public:
  explicit ResultsMatrix(const Theme& theme, QWidget* parent = nullptr);
  void setMatrix(Matrix matrix);
  [[nodiscard]] const Matrix& matrix() const { return m_matrix; }
  [[nodiscard]] QString rowText(std::size_t row) const;  // all of a row in one line
  void copy() const;                                     // tab-separated, to the clipboard

  [[nodiscard]] bool hasHeightForWidth() const override { return true; }
  [[nodiscard]] int heightForWidth(int width) const override;
  [[nodiscard]] QSize sizeHint() const override;
  [[nodiscard]] QSize minimumSizeHint() const override;

 protected:
  bool event(QEvent* event) override;  // tips over the heads
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void focusInEvent(QFocusEvent* event) override;

 private:
  struct Column {
    int column;  // a MatrixColumn
    int left;
    int width;
  };
  [[nodiscard]] std::vector<Column> columnsFor(int width) const;
  [[nodiscard]] int sentenceHeight(const MatrixRow& row, int width) const;
  [[nodiscard]] int rowHeight(const MatrixRow& row, int width) const;
  void paintHead(QPainter& painter, const std::vector<Column>& columns) const;
  void paintRow(QPainter& painter, const MatrixRow& row, std::size_t number, const QRect& box,
                const std::vector<Column>& columns) const;
  void select(int row);
  void fit();

  const Theme& m_theme;
  Matrix m_matrix;
  int m_selected = -1;
};

}  // namespace attnscope::ui
