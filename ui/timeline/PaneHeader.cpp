// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>

#include <QCoreApplication>

#include "ui/bridge/Format.h"
#include "ui/timeline/PanePainter.h"

namespace attnscope::ui {

namespace {

struct Words {
  Q_DECLARE_TR_FUNCTIONS(attnscope::ui::TimelinePane)
};

class HeaderPainter {
 public:
  HeaderPainter(QPainter& painter, const PaneScene& scene, int hoveredY)
      : m_painter(painter), m_scene(scene), m_theme(*scene.theme), m_hoveredY(hoveredY) {}

  void paint() {
    const int width = m_scene.headerWidth;
    const int height = m_scene.size.height();
    m_painter.save();
    m_painter.setClipRect(QRect(0, 0, width, height));
    m_painter.fillRect(QRect(0, 0, width, height), colour("surface.header"));
    items(m_scene.layout->items, m_scene.scrolled());
    if (!m_scene.layout->pinned.empty()) {
      const QRect zone = m_scene.pinnedZone();
      items(m_scene.layout->pinned, zone);
      m_painter.fillRect(QRect(0, zone.top() + zone.height() - 1, width, 1), colour("border.strong"));
    }
    m_painter.setClipRect(QRect(0, 0, width, height));
    if (m_scene.layout->seam >= 0) compared(QRect(0, m_scene.seamTop(), width, m_scene.layout->seamHeight));
    const int stripe = m_theme.size(QStringLiteral("run_stripe"));
    m_painter.fillRect(QRect(0, 0, stripe, height), m_theme.run(m_scene.session->run(m_scene.run)->number()));
    m_painter.fillRect(QRect(width - 1, 0, 1, height), colour("border.hairline"));
    m_painter.restore();
  }

 private:
  void items(const std::vector<LayoutItem>& from, const QRect& area) {
    m_painter.setClipRect(QRect(0, area.top(), m_scene.headerWidth, area.height()));
    for (const LayoutItem& item : from) {
      const int top = m_scene.topOf(item);
      if (top + item.height <= area.top() || top >= area.top() + area.height()) continue;
      const QRect box(0, top, m_scene.headerWidth, item.height);
      if (item.kind == LayoutItem::Kind::kGroup) {
        group(item, box);
      } else if (item.at == m_scene.model->tracks().compared) {
        comparedAlone(item, box);
      } else {
        track(item, box);
      }
      if (item.kind == LayoutItem::Kind::kTrack && isHovered(box)) buttons(item, box);
    }
  }

  // What the pointer may do with the track it is over, at the right end of its first line.
  void buttons(const LayoutItem& item, const QRect& box) {
    for (const HeaderButton& button : headerButtons(m_theme, m_scene.headerWidth, box)) {
      m_painter.fillRect(button.box.adjusted(0, 1, 0, -2), colour("state.hover"));
      const bool isOn = button.act == HeaderAct::kPin && item.isPinned;
      const int side = m_theme.scaled(12);
      m_painter.drawPixmap(
          QPointF(button.box.center().x() - side / 2, button.box.center().y() - side / 2),
          m_theme.iconPixmap(button.icon, side, colour(isOn ? "text.primary" : "text.secondary"), m_scene.ratio));
    }
  }

  [[nodiscard]] QColor colour(const char* token) const { return m_theme.colour(QString::fromLatin1(token)); }

  [[nodiscard]] bool isHovered(const QRect& box) const {
    return m_hoveredY >= box.top() && m_hoveredY < box.top() + box.height();
  }

  void hairline(const QRect& box, bool isAbove = false) {
    const int y = isAbove ? box.top() : box.bottom();
    m_painter.fillRect(QRect(box.left(), y, box.width(), 1), colour("border.hairline"));
  }

  void icon(const QString& name, int x, const QRect& line, int size, const char* ink = "text.secondary") {
    const int y = line.top() + (line.height() - size) / 2;
    m_painter.drawPixmap(QPoint(x, y), m_theme.iconPixmap(name, size, colour(ink), m_scene.ratio));
  }

  // Draws what fits into [x, right) and returns where it ended.
  int text(const QString& string, int x, int right, const QRect& line, int weight, const char* ink,
           FontRole role = FontRole::kData) {
    if (right <= x || string.isEmpty()) return x;
    const QFont font = m_theme.font(role, weight);
    m_painter.setFont(font);
    const QFontMetrics metrics(font);
    const QString shown = metrics.elidedText(string, Qt::ElideRight, right - x);
    m_painter.setPen(colour(ink));
    m_painter.drawText(QRect(x, line.top(), right - x, line.height()), Qt::AlignLeft | Qt::AlignVCenter, shown);
    return x + metrics.horizontalAdvance(shown);
  }

  // A figure against the right edge; returns its left.
  int figure(const QString& string, const QRect& line, int weight = QFont::Normal, const char* ink = "text.secondary") {
    const QFont font = m_theme.font(FontRole::kData, weight);
    m_painter.setFont(font);
    m_painter.setPen(colour(ink));
    const int right = m_scene.headerWidth - m_theme.scaled(9);
    const int width = static_cast<int>(std::ceil(m_theme.numberWidth(font, string)));
    m_theme.drawNumber(m_painter, QRectF(right - width, line.top(), width, line.height()), string);
    return right - width;
  }

  void group(const LayoutItem& item, const QRect& box) {
    const DisplayGroup& from = m_scene.model->tracks().groups[static_cast<std::size_t>(item.at)];
    m_painter.fillRect(box, isHovered(box) ? colour("state.hover") : colour("surface.window"));
    icon(item.isFolded ? QStringLiteral("chevron_right") : QStringLiteral("chevron_down"), m_theme.scaled(10), box,
         m_theme.scaled(12));
    const int right = m_scene.headerWidth - m_theme.scaled(8);
    const QString name = from.name.empty() ? Words::tr("Other") : QString::fromStdString(from.name);
    const int end = text(name, m_theme.scaled(26), right, box, QFont::DemiBold, "text.primary");
    text(QString::fromStdString(from.what), end + m_theme.scaled(6), right, box, QFont::Normal, "text.tertiary");
    hairline(box);
  }

  [[nodiscard]] QString detailOf(const DisplayTrack& track) const {
    switch (track.sort) {
      case DisplaySort::kBand:
        return Words::tr("steps, annotations");
      case DisplaySort::kModules:
        return Words::tr("modules");
      case DisplaySort::kPython:
        return Words::tr("Python frames");
      case DisplaySort::kAnnotations:
        return Words::tr("annotations");
      default:
        return QString::fromStdString(track.detail);
    }
  }

  [[nodiscard]] QString iconOf(const DisplayTrack& track) const {
    if (track.sort == DisplaySort::kCounter) return QStringLiteral("counter");
    const bool isStream = m_scene.model->trace().tracks[index(track.track)].kind == TrackKind::kStream;
    return isStream ? QStringLiteral("stream") : QStringLiteral("thread");
  }

  [[nodiscard]] QString figureOf(const LayoutItem& item, const DisplayTrack& track) const {
    if (track.sort == DisplaySort::kCounter) return counterRange(track);
    if (item.isFolded) return Words::tr("%1 rows").arg(format::count(static_cast<std::int64_t>(track.rows.size())));
    return {};
  }

  [[nodiscard]] QString counterRange(const DisplayTrack& track) const {
    const DisplayCounter& counter = *track.counter;
    const auto clampPosition = [&](double ns) {
      const auto at = std::upper_bound(counter.atNs.begin(), counter.atNs.end(), static_cast<std::int64_t>(ns));
      return static_cast<std::size_t>(at - counter.atNs.begin());
    };
    const std::size_t from = clampPosition(m_scene.ownStartNs());
    const std::size_t to = clampPosition(m_scene.ownEndNs());
    const int at = static_cast<int>(&track - m_scene.model->tracks().tracks.data());
    const CounterRange range = m_scene.model->counterIndex(at).range(counter.value, from > 0 ? from - 1 : 0, to);
    if (range.empty) return {};
    if (counter.unit == CounterUnit::kBytes) return format::bytes(range.high);
    if (counter.unit == CounterUnit::kShare) return Words::tr("to %1").arg(format::percent(range.high, 0));
    const auto number = [](double value) { return QString::number(value, 'g', 4); };
    if (range.low == range.high) return number(range.low);
    return Words::tr("%1 to %2").arg(number(range.low), number(range.high));
  }

  void track(const LayoutItem& item, const QRect& box) {
    const DisplayTrack& from = m_scene.model->tracks().tracks[static_cast<std::size_t>(item.at)];
    if (isHovered(box)) m_painter.fillRect(box, colour("state.hover"));
    const bool canFold = from.rows.size() > 1;
    const bool isTall = item.height >= m_theme.scaled(44);
    // The name stays in view while any of its rows does.
    const int block = m_theme.scaled(42);
    const int seen = std::min(std::max(box.top(), m_scene.scrolled().top()), box.top() + box.height() - block);
    const QRect first(0, isTall ? seen + m_theme.scaled(4) : box.top(), box.width(),
                      isTall ? m_theme.scaled(18) : box.height());
    const QString mark = canFold && item.isFolded ? QStringLiteral("chevron_right") : iconOf(from);
    icon(mark, m_theme.scaled(12), first, canFold && item.isFolded ? m_theme.scaled(12) : m_theme.scaled(14));
    const QString side = figureOf(item, from);
    int right = m_scene.headerWidth - m_theme.scaled(9);
    if (!side.isEmpty()) right = figure(side, first) - m_theme.scaled(6);
    const int x = m_theme.scaled(32);
    const QString detail = detailOf(from);
    const int end = text(QString::fromStdString(from.name), x, right, first, QFont::Medium, "text.primary");
    if (isTall) {
      const QRect second(0, first.bottom() + 1, box.width(), m_theme.scaled(16));
      text(detail, x, m_scene.headerWidth - m_theme.scaled(9), second, QFont::Normal, "text.tertiary");
    } else if (!detail.isEmpty()) {
      text(detail, end + m_theme.scaled(6), right, first, QFont::Normal, "text.tertiary");
    }
    hairline(box);
  }

  [[nodiscard]] QString trackName(const DisplayTrack& track) const {
    QString name = QString::fromStdString(track.name);
    if (!m_scene.model->trace().hasDeviceWork()) name += QStringLiteral(", ") + Words::tr("operators");
    return name;
  }

  // The compared row among the others of one run.
  void comparedAlone(const LayoutItem& item, const QRect& box) {
    const DisplayTrack& from = m_scene.model->tracks().tracks[static_cast<std::size_t>(item.at)];
    if (isHovered(box)) m_painter.fillRect(box, colour("state.hover"));
    const QRect first(0, box.top() + m_theme.scaled(8), box.width(), m_theme.scaled(18));
    const QRect second(0, first.bottom() + 1, box.width(), m_theme.scaled(16));
    icon(iconOf(from), m_theme.scaled(12), first, m_theme.scaled(14));
    const int left = figure(comparedFigure(m_scene), second);
    text(trackName(from), m_theme.scaled(32), m_scene.headerWidth - m_theme.scaled(9), first, QFont::Medium,
         "text.primary");
    const QString count = Words::tr("%1 slices").arg(format::count(from.sliceCount));
    text(count, m_theme.scaled(32), left - m_theme.scaled(6), second, QFont::Normal, "text.tertiary");
    hairline(box);
  }

  // The compared row at the seam: here the run says who it is.
  void compared(const QRect& box) {
    const Run* run = m_scene.session->run(m_scene.run);
    const DisplayTrack& from = m_scene.model->tracks().tracks[static_cast<std::size_t>(m_scene.layout->seam)];
    const int block = m_theme.scaled(34);
    const int top = box.top() + (std::min(box.height(), m_scene.layout->sizes.compared) - block) / 2;
    const QRect first(0, top, box.width(), m_theme.scaled(18));
    const QRect second(0, first.bottom() + 1, box.width(), m_theme.scaled(16));
    m_theme.drawChip(m_painter,
                     QPointF(m_theme.scaled(12), first.top() + (m_theme.scaled(34) - m_theme.chipSize()) / 2),
                     run->number(), run->letter());
    const int x = m_theme.scaled(36);
    const int right = m_scene.headerWidth - m_theme.scaled(9);
    if (m_scene.layout->role == PaneRole::kCompact) {
      icon(m_scene.layout->items.empty() ? QStringLiteral("chevron_right") : QStringLiteral("chevron_down"),
           right - m_theme.scaled(12), first, m_theme.scaled(12));
    }
    const int roomRight = m_scene.layout->role == PaneRole::kCompact ? right - m_theme.scaled(16) : right;
    text(run->title(), x, roomRight, first, QFont::DemiBold, "text.primary");
    const int left = figure(comparedFigure(m_scene), second);
    text(trackName(from), x, left - m_theme.scaled(6), second, QFont::Normal, "text.secondary");
    hairline(box, m_scene.layout->role == PaneRole::kUpper);
  }

  QPainter& m_painter;
  const PaneScene& m_scene;
  const Theme& m_theme;
  int m_hoveredY;
};

}  // namespace

std::vector<HeaderButton> headerButtons(const Theme& theme, int headerWidth, const QRect& item) {
  const int side = theme.scaled(24);
  int left = headerWidth - 1 - 3 * side;
  std::vector<HeaderButton> buttons;
  const std::pair<HeaderAct, QString> acts[] = {{HeaderAct::kPin, QStringLiteral("pin")},
                                                {HeaderAct::kHide, QStringLiteral("eye_off")},
                                                {HeaderAct::kMore, QStringLiteral("more")}};
  for (const auto& [act, icon] : acts) {
    buttons.push_back({act, icon, QRect(left, item.top(), side, std::min(side, item.height()))});
    left += side;
  }
  return buttons;
}

void paintHeaderColumn(QPainter& painter, const PaneScene& scene, int hoveredY) {
  HeaderPainter(painter, scene, hoveredY).paint();
}

}  // namespace attnscope::ui
