// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The tiles of one head, queries down and keys across, coloured by when they ran or by who ran them; what no tile holds
// was skipped and is hatched. A line marks the chosen row. Arrows walk from tile to tile, Space and Enter choose, the
// pointer does the same by hover and click. GUI thread only; the theme outlives it.

#include <memory>
#include <set>

#include <QWidget>

#include "ui/charts/TileMap.h"

namespace attnscope::ui {

class Theme;

enum class TileColouring : std::uint8_t { kTime, kWorker };

class TileMapView : public QWidget {
  Q_OBJECT

 public:
  explicit TileMapView(const Theme& theme, QWidget* parent = nullptr);

  void setMap(std::shared_ptr<const TileMap> map);
  [[nodiscard]] const TileMap& map() const { return *m_map; }
  void setRow(const RowOfTiles& row);  // and so which head is shown
  void setColouring(TileColouring colouring);
  [[nodiscard]] TileColouring colouring() const { return m_colouring; }
  void setSelected(std::set<std::size_t> tiles);
  [[nodiscard]] const std::set<std::size_t>& selected() const { return m_selected; }
  [[nodiscard]] std::optional<std::size_t> current() const { return m_current; }
  [[nodiscard]] const std::vector<std::size_t>& shown() const { return m_shown; }  // tiles of the head, by start
  [[nodiscard]] QRectF tileRect(std::size_t tile) const;
  [[nodiscard]] QRectF mapRect() const;
  [[nodiscard]] QColor fillOf(std::size_t tile) const;
  // "Tile 3 of 12, queries 48 to 95, keys 0 to 255, worker 0, 71.2 us" of the hovered tile, else the current one.
  [[nodiscard]] QString words() const;
  [[nodiscard]] QSize sizeHint() const override;

 Q_SIGNALS:
  void tileChosen(std::size_t tile);
  void queryChosen(qint64 query);  // by the pointer, with the tile there if there is one
  void wordsChanged();

 protected:
  void paintEvent(QPaintEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void focusInEvent(QFocusEvent* event) override;
  void focusOutEvent(QFocusEvent* event) override;

 private:
  void findShown();
  void setCurrent(std::optional<std::size_t> tile);
  void setHovered(std::optional<std::size_t> tile);
  [[nodiscard]] std::optional<std::size_t> tileUnder(QPointF at) const;
  [[nodiscard]] std::optional<std::size_t> neighbour(int key) const;
  [[nodiscard]] QString wordsOf(std::size_t tile) const;
  void paintTiles(QPainter& painter) const;
  void paintAxes(QPainter& painter) const;

  const Theme& m_theme;
  std::shared_ptr<const TileMap> m_map;
  RowOfTiles m_row;
  TileColouring m_colouring = TileColouring::kTime;
  std::vector<std::size_t> m_shown;
  std::set<std::size_t> m_selected;
  std::optional<std::size_t> m_current;
  std::optional<std::size_t> m_hovered;
};

}  // namespace attnscope::ui
