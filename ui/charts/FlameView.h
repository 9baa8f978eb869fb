// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// A flame graph (roots at the bottom) or icicle (roots at the top), painted by itself. Arrows walk, Enter zooms into
// the box, Backspace and Escape out, Space selects its slices; the pointer does the same by hover, double-click and
// click. GUI thread only; the theme outlives it.

#include <memory>

#include <QAbstractScrollArea>

#include "ui/charts/FlameLayout.h"

namespace attnscope::ui {

class Theme;

enum class FlameRoots : std::uint8_t { kTop, kBottom };

class FlameView : public QAbstractScrollArea {
  Q_OBJECT

 public:
  explicit FlameView(const Theme& theme, QWidget* parent = nullptr);

  void setGraph(std::shared_ptr<const FlameGraph> graph);
  [[nodiscard]] const FlameGraph& graph() const { return *m_graph; }
  void setRoots(FlameRoots roots);
  [[nodiscard]] FlameRoots roots() const { return m_roots; }
  void zoomTo(std::uint32_t box);  // FlameBox::kNone: the whole
  [[nodiscard]] std::uint32_t zoomed() const { return m_zoomed; }
  [[nodiscard]] std::uint32_t current() const { return m_current; }
  [[nodiscard]] std::uint32_t hovered() const { return m_hovered; }
  [[nodiscard]] QRect boxRect(std::uint32_t box) const;  // in the viewport
  // "aten::bmm, 1.2 ms, 30.1 % of all, self 0.4 ms, 12 calls" of the hovered box, else the current one.
  [[nodiscard]] QString words() const;
  [[nodiscard]] QString data() const;  // tab-separated: path, total and self (ns), calls
  [[nodiscard]] bool save(const QString& path);

 Q_SIGNALS:
  void boxChosen(std::uint32_t box);
  void wordsChanged();

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  bool viewportEvent(QEvent* event) override;
  void focusInEvent(QFocusEvent* event) override;
  void focusOutEvent(QFocusEvent* event) override;

 private:
  [[nodiscard]] int rowHeight() const;
  [[nodiscard]] double left() const;   // of the view, in parts of the whole
  [[nodiscard]] double width() const;  // likewise
  [[nodiscard]] int topOf(int depth) const;
  [[nodiscard]] std::uint32_t boxUnder(QPoint at) const;
  void layOut();
  void setCurrent(std::uint32_t box);
  void setHovered(std::uint32_t box);
  void paintBox(QPainter& painter, std::uint32_t box) const;

  const Theme& m_theme;
  std::shared_ptr<const FlameGraph> m_graph;
  FlameRoots m_roots = FlameRoots::kTop;
  std::uint32_t m_zoomed = FlameBox::kNone;
  std::uint32_t m_current = FlameBox::kNone;
  std::uint32_t m_hovered = FlameBox::kNone;
};

}  // namespace attnscope::ui
