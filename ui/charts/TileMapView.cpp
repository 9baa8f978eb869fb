// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/TileMapView.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>

#include "ui/bridge/Format.h"
#include "ui/theme/Theme.h"

namespace attnscope::ui {
namespace {

constexpr int kLeft = 56;
constexpr int kTop = 24;
constexpr int kRight = 12;
constexpr int kBottom = 8;
constexpr int kLeastLabelWidth = 22;
constexpr int kLeastLabelHeight = 12;

QColor between(const QColor& from, const QColor& to, double share) {
  const auto mixed = [share](int a, int b) { return static_cast<int>(std::lround(a + (b - a) * share)); };
  return {mixed(from.red(), to.red()), mixed(from.green(), to.green()), mixed(from.blue(), to.blue())};
}

}  // namespace

TileMapView::TileMapView(const Theme& theme, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_map(std::make_shared<TileMap>()) {
  setFocusPolicy(Qt::StrongFocus);
  setMouseTracking(true);
  setMinimumSize(theme.scaled(200), theme.scaled(90));
  setAccessibleName(tr("Map of tiles, queries by keys"));
  connect(&theme, &Theme::changed, this, qOverload<>(&QWidget::update));
}

QSize TileMapView::sizeHint() const { return {m_theme.scaled(480), m_theme.scaled(240)}; }

void TileMapView::setMap(std::shared_ptr<const TileMap> map) {
  m_map = std::move(map);
  m_selected.clear();
  m_current.reset();
  m_hovered.reset();
  findShown();
}

void TileMapView::setRow(const RowOfTiles& row) {
  const bool sameHead = row.sequence == m_row.sequence && row.head / m_map->group == m_row.head / m_map->group;
  m_row = row;
  if (!sameHead) {
    m_current.reset();
    m_hovered.reset();
  }
  findShown();
}

void TileMapView::setColouring(TileColouring colouring) {
  m_colouring = colouring;
  update();
}

void TileMapView::setSelected(std::set<std::size_t> tiles) {
  m_selected = std::move(tiles);
  if (!m_selected.empty()) setCurrent(*m_selected.begin());
  update();
}

void TileMapView::findShown() {
  m_shown.clear();
  for (std::size_t i = 0; i < m_map->tiles.size(); ++i) {
    const Tile& tile = m_map->tiles[i];
    if (tile.sequence == m_row.sequence && tile.head == m_row.head / m_map->group) m_shown.push_back(i);
  }
  update();
  Q_EMIT wordsChanged();
}

QRectF TileMapView::mapRect() const {
  const QRectF all(rect());
  return all.adjusted(m_theme.scaled(kLeft), m_theme.scaled(kTop), -m_theme.scaled(kRight), -m_theme.scaled(kBottom));
}

QRectF TileMapView::tileRect(std::size_t tile) const {
  const Tile& one = m_map->tiles[tile];
  const QRectF map = mapRect();
  const double perKey = map.width() / static_cast<double>(std::max<std::int64_t>(1, m_map->keys));
  const double perQuery = map.height() / static_cast<double>(std::max<std::int64_t>(1, m_map->queries));
  return {map.left() + one.firstKey * perKey, map.top() + one.firstQuery * perQuery,
          (one.endKey - one.firstKey) * perKey, (one.endQuery - one.firstQuery) * perQuery};
}

QColor TileMapView::fillOf(std::size_t tile) const {
  const Tile& one = m_map->tiles[tile];
  if (m_colouring == TileColouring::kWorker) return m_theme.run(one.worker);
  // From the first tile of the head to its last: pale to full.
  constexpr double kPalest = 0.15;
  const std::int64_t first = m_map->tiles[m_shown.front()].startNs;
  const std::int64_t last = m_map->tiles[m_shown.back()].startNs;
  const double share = last == first ? 0 : static_cast<double>(one.startNs - first) / static_cast<double>(last - first);
  const KindColours ink = m_theme.kind(WorkKind::kGemm);
  return between(m_theme.colour(QStringLiteral("surface.pane")), m_theme.isDark() ? ink.fill : ink.edge,
                 kPalest + (1 - kPalest) * share);
}

void TileMapView::paintTiles(QPainter& painter) const {
  const QColor grid = m_theme.colour(QStringLiteral("surface.pane"));
  int number = 0;
  for (const std::size_t tile : m_shown) {
    ++number;
    const QRectF box = tileRect(tile);
    const QColor fill = fillOf(tile);
    painter.fillRect(box, fill);
    // A gap between tiles, where there is room for one.
    if (box.width() > 4 && box.height() > 4) {
      painter.setPen(grid);
      painter.setBrush(Qt::NoBrush);
      painter.drawRect(box);
    }
    if (box.width() < m_theme.scaled(kLeastLabelWidth) || box.height() < m_theme.scaled(kLeastLabelHeight)) continue;
    painter.setPen(m_theme.inkOn(fill));
    painter.drawText(box, Qt::AlignCenter, format::count(number));
  }
}

void TileMapView::paintAxes(QPainter& painter) const {
  const QRectF map = mapRect();
  painter.setPen(m_theme.colour(QStringLiteral("chart.label")));
  const double gap = m_theme.scaled(6);
  const QRectF above(map.left(), 0, map.width(), map.top() - m_theme.scaled(4));
  painter.drawText(above, Qt::AlignLeft | Qt::AlignBottom, QStringLiteral("0"));
  painter.drawText(above, Qt::AlignHCenter | Qt::AlignBottom, tr("keys"));
  painter.drawText(above, Qt::AlignRight | Qt::AlignBottom, format::count(m_map->keys));
  const QRectF beside(0, map.top(), map.left() - gap, map.height());
  painter.drawText(beside, Qt::AlignRight | Qt::AlignTop, QStringLiteral("0"));
  painter.drawText(beside, Qt::AlignRight | Qt::AlignVCenter, tr("queries"));
  painter.drawText(beside, Qt::AlignRight | Qt::AlignBottom, format::count(m_map->queries));
}

void TileMapView::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.fillRect(rect(), m_theme.colour(QStringLiteral("surface.pane")));
  if (m_map->tiles.empty()) return;
  painter.setFont(m_theme.font(FontRole::kCaption));
  const QRectF map = mapRect();
  painter.fillRect(map, QBrush(m_theme.colour(QStringLiteral("border.strong")), Qt::BDiagPattern));
  paintTiles(painter);
  paintAxes(painter);
  painter.setBrush(Qt::NoBrush);
  painter.setPen(QPen(m_theme.colour(QStringLiteral("border.strong")), 1));
  painter.drawRect(map);
  const double rowAt = map.top() + (static_cast<double>(m_row.query) + 0.5) * map.height() /
                                       static_cast<double>(std::max<std::int64_t>(1, m_map->queries));
  painter.setPen(QPen(m_theme.colour(QStringLiteral("timeline.cursor")), 1, Qt::DashLine));
  painter.drawLine(QPointF(map.left(), rowAt), QPointF(map.right(), rowAt));
  const auto outline = [&](std::size_t tile, const QString& token, int pen) {
    painter.setPen(QPen(m_theme.colour(token), pen));
    painter.drawRect(tileRect(tile).adjusted(1, 1, -1, -1));
  };
  if (m_hovered) outline(*m_hovered, QStringLiteral("timeline.hover"), 1);
  for (const std::size_t tile : m_selected) {
    if (std::binary_search(m_shown.begin(), m_shown.end(), tile)) {
      outline(tile, QStringLiteral("timeline.selection_inner"), 4);
      outline(tile, QStringLiteral("timeline.selection"), 2);
    }
  }
  if (m_current && hasFocus()) outline(*m_current, QStringLiteral("state.focus"), 2);
}

std::optional<std::size_t> TileMapView::tileUnder(QPointF at) const {
  for (const std::size_t tile : m_shown) {
    if (tileRect(tile).contains(at)) return tile;
  }
  return std::nullopt;
}

// The nearest tile whose middle lies that way.
std::optional<std::size_t> TileMapView::neighbour(int key) const {
  if (!m_current) return m_shown.empty() ? std::nullopt : std::optional(m_shown.front());
  const QPointF from = tileRect(*m_current).center();
  std::optional<std::size_t> best = m_current;
  double least = std::numeric_limits<double>::infinity();
  for (const std::size_t tile : m_shown) {
    const QPointF way = tileRect(tile).center() - from;
    const bool isAcross = key == Qt::Key_Left || key == Qt::Key_Right;
    const double along = (isAcross ? way.x() : way.y()) * (key == Qt::Key_Left || key == Qt::Key_Up ? -1 : 1);
    constexpr double kAside = 4;  // what lies aside counts as so much further
    const double distance = along + kAside * std::abs(isAcross ? way.y() : way.x());
    if (along < 0.5 || distance >= least) continue;
    least = distance;
    best = tile;
  }
  return best;
}

void TileMapView::setCurrent(std::optional<std::size_t> tile) {
  if (tile == m_current) return;
  m_current = tile;
  update();
  Q_EMIT wordsChanged();
}

void TileMapView::setHovered(std::optional<std::size_t> tile) {
  if (tile == m_hovered) return;
  m_hovered = tile;
  setToolTip(tile ? wordsOf(*tile) : QString());
  update();
  Q_EMIT wordsChanged();
}

void TileMapView::keyPressEvent(QKeyEvent* event) {
  switch (event->key()) {
    case Qt::Key_Left:
    case Qt::Key_Right:
    case Qt::Key_Up:
    case Qt::Key_Down:
      setCurrent(neighbour(event->key()));
      return;
    case Qt::Key_Space:
    case Qt::Key_Return:
    case Qt::Key_Enter:
      if (m_current) {
        const std::size_t tile = *m_current;  // choosing it may change what is current
        Q_EMIT queryChosen(m_map->tiles[tile].firstQuery);
        Q_EMIT tileChosen(tile);
      }
      return;
    default:
      QWidget::keyPressEvent(event);
  }
}

void TileMapView::mouseMoveEvent(QMouseEvent* event) { setHovered(tileUnder(event->position())); }

void TileMapView::mousePressEvent(QMouseEvent* event) {
  const QRectF map = mapRect();
  if (event->button() != Qt::LeftButton || !map.contains(event->position()) || m_map->queries == 0) return;
  const double share = (event->position().y() - map.top()) / map.height();
  const std::optional<std::size_t> tile = tileUnder(event->position());
  const auto query = static_cast<qint64>(share * static_cast<double>(m_map->queries));
  Q_EMIT queryChosen(std::clamp<qint64>(query, 0, m_map->queries - 1));
  if (!tile) return;
  setCurrent(tile);
  Q_EMIT tileChosen(*tile);
}

void TileMapView::leaveEvent(QEvent*) { setHovered(std::nullopt); }

void TileMapView::focusInEvent(QFocusEvent* event) {
  QWidget::focusInEvent(event);
  if (!m_current) setCurrent(neighbour(0));
  update();
}

void TileMapView::focusOutEvent(QFocusEvent* event) {
  QWidget::focusOutEvent(event);
  update();
}

QString TileMapView::wordsOf(std::size_t tile) const {
  const Tile& one = m_map->tiles[tile];
  const auto place = std::lower_bound(m_shown.begin(), m_shown.end(), tile) - m_shown.begin();
  return tr("Tile %1 of %2, queries %3 to %4, keys %5 to %6, worker %7, %8")
      .arg(format::count(place + 1), format::count(static_cast<std::int64_t>(m_shown.size())),
           format::count(one.firstQuery), format::count(one.endQuery - 1), format::count(one.firstKey),
           format::count(one.endKey - 1), format::count(one.worker),
           format::time(static_cast<double>(one.endNs - one.startNs)));
}

QString TileMapView::words() const {
  const std::optional<std::size_t> tile = m_hovered ? m_hovered : m_current;
  return tile ? wordsOf(*tile) : QString();
}

}  // namespace attnscope::ui
