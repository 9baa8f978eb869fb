// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/SeamLane.h"

#include <algorithm>
#include <cmath>

#include <QHelpEvent>
#include <QMouseEvent>
#include <QPaintEvent>
#include <QPainter>
#include <QToolTip>
#include <QWheelEvent>

#include "ui/bridge/Format.h"
#include "ui/timeline/SliceRaster.h"

namespace attnscope::ui {

namespace {

constexpr double kHoverAlpha = 0.45;
constexpr double kNeutralAlpha = 0.18;
constexpr double kSideAlpha = 0.7;
constexpr int kLeastLabel = 40;  // px that even the shortest words take

std::uint32_t amount(double share) { return static_cast<std::uint32_t>(std::lround(share * 255)); }

const char* textToken(Change change) {
  switch (change) {
    case Change::kFaster:
      return "delta.faster";
    case Change::kSlower:
      return "delta.slower";
    case Change::kNeutral:
      break;
  }
  return "delta.neutral";
}

}  // namespace

SeamLane::SeamLane(TimelineControl& control, const Theme& theme, QWidget* parent)
    : QWidget(parent), m_control(control), m_theme(theme) {
  setAttribute(Qt::WA_OpaquePaintEvent);
  setAttribute(Qt::WA_NoSystemBackground);
  setMouseTracking(true);
  const auto refresh = [this] { update(); };
  connect(&m_control.view(), &ViewState::viewChanged, this, refresh);
  connect(&m_control.view(), &ViewState::cursorChanged, this, refresh);
  connect(&m_control.state(), &TimelineState::measureChanged, this, refresh);
  connect(&m_control.state(), &TimelineState::layoutChanged, this, refresh);
  connect(&m_control.session(), &Session::alignmentChanged, this, refresh);
  connect(&m_control.session(), &Session::selectionChanged, this, &SeamLane::chooseLinks);
}

void SeamLane::setRuns(int upper, int lower) {
  m_upper = upper;
  m_lower = lower;
  update();
}

void SeamLane::setMatch(std::shared_ptr<const SeamMatch> match) {
  setHoveredLink(-1);
  m_match = std::move(match);
  chooseLinks();
  update();
}

void SeamLane::setRibbons(Ribbons ribbons) {
  m_ribbons = ribbons;
  setHoveredLink(-1);
  chooseLinks();
  update();
}

void SeamLane::chooseLinks() {
  constexpr std::size_t kMostLooked = 20'000;  // slices; of so many the first show what was meant
  m_chosen.clear();
  if (!m_match || m_ribbons != Ribbons::kSelection) return;
  m_chosen.resize(m_match->links.size());
  for (const int run : {m_upper, m_lower}) {
    const std::vector<SliceId>* slices = m_control.session().selection().slicesOf(run);
    for (std::size_t i = 0; slices != nullptr && i < std::min(slices->size(), kMostLooked); ++i) {
      if (const SeamLink* link = linkOf(run, (*slices)[i])) {
        m_chosen[static_cast<std::size_t>(link - m_match->links.data())] = true;
      }
    }
  }
  update();
}

// A leaf operator belongs to the unit it lies in.
const SeamLink* SeamLane::linkOf(int run, SliceId slice) const {
  const RunModel* model = m_control.modelOf(run);
  if (!m_match || !model) return nullptr;
  for (; slice != kNoSlice; slice = model->trace().slices.parent[index(slice)]) {
    if (const SeamLink* link = run == m_upper ? m_match->linkOfUpper(slice) : m_match->linkOfLower(slice)) return link;
  }
  return nullptr;
}

void SeamLane::setExplained(bool isExplained) {
  m_isExplained = isExplained;
  update();
}

Partner SeamLane::partnerOf(int run, SliceId slice) const {
  Partner partner;
  if (!m_match || (run != m_upper && run != m_lower)) return partner;
  const SeamLink* link = linkOf(run, slice);
  if (link == nullptr) return partner;
  const SeamSide& side = run == m_upper ? link->other : link->base;
  if (side.slices.empty()) return partner;
  return {run == m_upper ? m_lower : m_upper, side.range, side.slices};
}

TimeScale SeamLane::scaleOf(int run) const {
  const int tracks = std::max(1, width() - m_control.state().headerWidth());
  const TimelineControl::Window window = m_control.windowOf(run);
  return TimeScale::of(window.startNs, window.spanNs, tracks, devicePixelRatioF());
}

double SeamLane::trackX(QPointF position) const { return position.x() - m_control.state().headerWidth(); }

std::vector<Ribbon> SeamLane::ribbons() const {
  if (!m_match || m_ribbons == Ribbons::kOff) return {};
  std::vector<Ribbon> shown = ribbonsOf(*m_match, scaleOf(m_upper), scaleOf(m_lower),
                                        m_control.session().anchorNs(m_upper), m_control.session().anchorNs(m_lower));
  if (m_ribbons == Ribbons::kSelection) {
    std::erase_if(shown,
                  [this](const Ribbon& ribbon) { return ribbon.link >= m_chosen.size() || !m_chosen[ribbon.link]; });
  }
  return shown;
}

const SeamLink* SeamLane::linkAt(QPointF position) const {
  if (!m_match || position.x() < m_control.state().headerWidth()) return nullptr;
  const std::vector<Ribbon> shown = ribbons();
  const double ratio = devicePixelRatioF();
  const Ribbon* ribbon = ribbonAt(shown, trackX(position) * ratio, position.y() * ratio, height() * ratio);
  return ribbon ? &m_match->links[ribbon->link] : nullptr;
}

void SeamLane::paintEvent(QPaintEvent* event) {
  QPainter painter(this);
  paintLane(painter, event->region());
  paintHeader(painter);
}

void SeamLane::paintLane(QPainter& painter, const QRegion& region) {
  const int header = m_control.state().headerWidth();
  const double ratio = devicePixelRatioF();
  const QRect tracks(header, 0, std::max(1, width() - header), height());
  const std::vector<Ribbon> shown = ribbons();
  const bool isBySelection = m_ribbons == Ribbons::kSelection;
  const QColor ground = m_theme.colour(QStringLiteral("surface.panel"));
  painter.fillRect(tracks, ground);
  const auto ink = [&](const Ribbon& ribbon) {
    const bool isHovered = static_cast<int>(ribbon.link) == m_hoveredLink;
    RibbonInk result;
    double alpha = m_theme.number(QStringLiteral("delta.ribbon_alpha"));
    switch (ribbon.change) {
      case Change::kFaster:
        result.colour = m_theme.colour(QStringLiteral("delta.ribbon_faster")).rgb();
        break;
      case Change::kSlower:
        result.colour = m_theme.colour(QStringLiteral("delta.ribbon_slower")).rgb();
        break;
      case Change::kNeutral:
        result.colour = m_theme.colour(QStringLiteral("delta.ribbon_neutral")).rgb();
        alpha = kNeutralAlpha;
        break;
    }
    result.fillAmount = amount(isHovered ? kHoverAlpha : alpha);
    result.sideAmount = amount(kSideAlpha);
    return result;
  };
  const int lines = static_cast<int>(std::lround(height() * ratio));
  const auto target = directTarget(painter, region.intersected(tracks), ratio);
  if (target) {
    const QPoint origin = target->origin + QPoint(static_cast<int>(std::lround(header * ratio)), 0);
    const QRect clip = target->clip.intersected(QRect(origin, QSize(scale().columns, lines)));
    paintRibbons(*target->image, origin, clip, lines, shown, ratio, ink);
  } else {
    const QSize size(scale().columns, lines);
    if (m_image.size() != size) m_image = QImage(size, QImage::Format_RGB32);
    m_image.setDevicePixelRatio(ratio);
    m_image.fill(ground);
    paintRibbons(m_image, QPoint(0, 0), m_image.rect(), lines, shown, ratio, ink);
    painter.drawImage(QPointF(header, 0), m_image);
  }
  painter.setClipRect(tracks);
  paintLabels(painter, shown);
  paintHandle(painter);
  const auto vertical = [&](double ns) {
    const double x = header + std::floor(scale().deviceXOf(ns)) / ratio;
    if (x >= header && x <= width())
      painter.fillRect(QRectF(x, 0, 1, height()), m_theme.colour(QStringLiteral("timeline.cursor")));
  };
  if (const auto& measure = m_control.state().measure()) {
    vertical(measure->fromNs);
    vertical(measure->toNs);
  }
  if (m_control.view().hasCursor()) vertical(m_control.view().cursorNs());
  if (!m_match) {
    painter.setFont(m_theme.font(FontRole::kData));
    painter.setPen(m_theme.colour(QStringLiteral("text.tertiary")));
    painter.drawText(tracks.adjusted(16, 0, -16, 0), Qt::AlignVCenter | Qt::AlignLeft,
                     tr("Matching the work of both runs"));
  } else if (m_ribbons != Ribbons::kOff && (m_match->links.empty() || (isBySelection && shown.empty()))) {
    painter.setFont(m_theme.font(FontRole::kData));
    painter.setPen(m_theme.colour(QStringLiteral("text.tertiary")));
    painter.drawText(tracks.adjusted(16, 0, -16, 0), Qt::AlignVCenter | Qt::AlignLeft,
                     m_match->links.empty() ? tr("Nothing on these tracks can be matched")
                                            : tr("Select work on either side to see what it became"));
  }
  painter.setClipping(false);
}

void SeamLane::paintLabels(QPainter& painter, const std::vector<Ribbon>& shown) {
  const double ratio = devicePixelRatioF();
  const int header = m_control.state().headerWidth();
  const QFont bold = m_theme.font(FontRole::kUi, QFont::DemiBold);
  const QFont plain = m_theme.font(FontRole::kData);
  const QFontMetricsF boldMetrics(bold);
  const QFontMetricsF plainMetrics(plain);
  const double line = m_theme.scaled(17);
  for (const Ribbon& ribbon : shown) {
    if (ribbon.change == Change::kNeutral) continue;
    // Most ribbons of a view from afar are narrower than any words, which are not made for them.
    if (labelBox(ribbon, height() * ratio, scale().columns, m_theme.scaled(kLeastLabel) * ratio, line * ratio).isNull())
      continue;
    const SeamLink& link = m_match->links[ribbon.link];
    const QString delta = format::signedTime(static_cast<double>(link.deltaNs()));
    const QString title = QString::fromStdString(link.title);
    const bool isTwoSided = link.base.workNs > 0 && link.other.workNs > 0;
    QString second = format::time(static_cast<double>(link.base.workNs)) + QStringLiteral(" → ") +
                     format::time(static_cast<double>(link.other.workNs));
    if (isTwoSided) {
      const double larger = static_cast<double>(std::max(link.base.workNs, link.other.workNs));
      second += QStringLiteral(", ") +
                format::ratio(larger / static_cast<double>(std::min(link.base.workNs, link.other.workNs)));
    }
    // From the fullest form to the shortest; what does not fit is in the tip.
    struct Form {
      QString first;
      QString second;
    };
    const Form forms[] = {{title + QStringLiteral("  ") + delta, second},
                          {delta, second},
                          {title + QStringLiteral("  ") + delta, {}},
                          {delta, {}}};
    for (const Form& form : forms) {
      const double width =
          std::max(boldMetrics.horizontalAdvance(form.first), plainMetrics.horizontalAdvance(form.second)) + 16;
      const double lines = form.second.isEmpty() ? line : 2 * line;
      if (lines + 4 > height()) continue;
      const QRectF box = labelBox(ribbon, height() * ratio, scale().columns, width * ratio, lines * ratio);
      if (box.isNull()) continue;
      const QRectF logical(header + box.left() / ratio, box.top() / ratio, box.width() / ratio, box.height() / ratio);
      painter.setFont(bold);
      painter.setPen(m_theme.colour(QString::fromLatin1(textToken(ribbon.change))));
      painter.drawText(QRectF(logical.left(), logical.top(), logical.width(), line), Qt::AlignCenter, form.first);
      if (!form.second.isEmpty()) {
        painter.setFont(plain);
        painter.setPen(m_theme.colour(QStringLiteral("text.secondary")));
        painter.drawText(QRectF(logical.left(), logical.top() + line, logical.width(), line), Qt::AlignCenter,
                         form.second);
      }
      break;
    }
  }
}

void SeamLane::paintHeader(QPainter& painter) {
  const int header = m_control.state().headerWidth();
  const QRect box(0, 0, header, height());
  painter.fillRect(box, m_theme.colour(QStringLiteral("surface.panel")));
  painter.fillRect(QRect(header - 1, 0, 1, height()), m_theme.colour(QStringLiteral("border.hairline")));
  painter.fillRect(QRect(0, height() - 1, width(), 1), m_theme.colour(QStringLiteral("border.hairline")));
  Session& session = m_control.session();
  const RunModel* above = m_control.modelOf(m_upper);
  const RunModel* below = m_control.modelOf(m_lower);
  const QString pair = session.run(m_lower)->letter() + QStringLiteral(" − ") + session.run(m_upper)->letter();
  const int x = m_theme.scaled(12);
  const int line = m_theme.scaled(17);
  const bool isTall = height() >= 3 * line + 8 && m_isExplained;
  int y = (height() - (isTall ? 3 : 2) * line) / 2;
  painter.setFont(m_theme.font(FontRole::kData));
  painter.setPen(m_theme.colour(QStringLiteral("text.secondary")));
  painter.drawText(QRect(x, y, header - x - 8, line), Qt::AlignLeft | Qt::AlignVCenter,
                   m_isExplained ? tr("Difference, %1").arg(pair) : pair);
  y += line;
  if (!above || !below) return;
  const std::int64_t baseNs = above->comparedWorkNs(session.scopeRange(m_upper));
  const std::int64_t otherNs = below->comparedWorkNs(session.scopeRange(m_lower));
  const Change change = changeOf(baseNs, otherNs);
  const QFont bold = m_theme.font(FontRole::kUi, QFont::DemiBold);
  const QString delta = format::signedTime(static_cast<double>(otherNs - baseNs));
  painter.setFont(bold);
  painter.setPen(m_theme.colour(QString::fromLatin1(textToken(change))));
  const double width = m_theme.numberWidth(bold, delta);
  m_theme.drawNumber(painter, QRectF(x, y, width, line), delta, Qt::AlignLeft);
  if (baseNs > 0) {
    const QFont plain = m_theme.font(FontRole::kData);
    painter.setFont(plain);
    const QString share = format::signedPercent(static_cast<double>(otherNs - baseNs) / static_cast<double>(baseNs));
    if (x + width + 8 + m_theme.numberWidth(plain, share) <= header - 6) {
      m_theme.drawNumber(painter, QRectF(x + width + 8, y, m_theme.numberWidth(plain, share), line), share,
                         Qt::AlignLeft);
    }
  }
  if (!isTall) return;
  y += line;
  painter.setFont(m_theme.font(FontRole::kData));
  painter.setPen(m_theme.colour(QStringLiteral("text.secondary")));
  const bool isDevice = above->trace().hasDeviceWork() && below->trace().hasDeviceWork();
  const QString words =
      (isDevice ? tr("kernel time") : tr("operator time")) + QStringLiteral(", ") + session.scopeWords().toLower();
  painter.drawText(QRect(x, y, header - x - 8, line), Qt::AlignLeft | Qt::AlignVCenter,
                   QFontMetrics(painter.font()).elidedText(words, Qt::ElideRight, header - x - 8));
}

QString SeamLane::linkWords(const SeamLink& link) const {
  QString words = QString::fromStdString(link.title) + QLatin1Char('\n');
  const auto side = [&](int run, const SeamSide& from) {
    const QString letter = m_control.session().run(run)->letter();
    if (from.slices.empty()) return letter + QStringLiteral(": ") + tr("not in this run");
    return letter + QStringLiteral(": ") + format::time(static_cast<double>(from.workNs)) + QStringLiteral(", ") +
           (from.slices.size() == 1
                ? tr("1 slice")
                : tr("%1 slices").arg(format::count(static_cast<std::int64_t>(from.slices.size()))));
  };
  words += side(m_upper, link.base) + QLatin1Char('\n') + side(m_lower, link.other) + QLatin1Char('\n');
  return words + tr("Difference %1").arg(format::signedTime(static_cast<double>(link.deltaNs())));
}

void SeamLane::setHoveredLink(int link) {
  if (link == m_hoveredLink) return;
  m_hoveredLink = link;
  std::vector<Partner> outlined;
  if (link >= 0) {
    const SeamLink& at = m_match->links[static_cast<std::size_t>(link)];
    if (!at.base.slices.empty()) outlined.push_back({m_upper, at.base.range, at.base.slices});
    if (!at.other.slices.empty()) outlined.push_back({m_lower, at.other.range, at.other.slices});
  }
  m_control.state().setRibbonEnds(std::move(outlined));
  update();
}

// --- the handle that moves a run

// The lower one, unless it is what the others are compared with.
int SeamLane::movedRun() const { return m_lower == m_control.session().baseline() ? m_upper : m_lower; }

double SeamLane::handleX(std::int64_t movedNs) const {
  return m_control.state().headerWidth() + scaleOf(movedRun()).xOf(static_cast<double>(movedNs));
}

QRectF SeamLane::handle() const {
  const double x = handleX(m_control.session().movedByNs(movedRun()));
  const double half = m_theme.scaled(6);
  if (x < m_control.state().headerWidth() || x > width()) return {};
  return {x - half, height() - 1 - 2 * half, 2 * half, 2 * half};
}

void SeamLane::paintHandle(QPainter& painter) {
  const QRectF box = handle();
  if (box.isEmpty()) return;
  const QColor ink = m_theme.run(m_control.session().run(movedRun())->number());
  const auto diamond = [&painter](const QRectF& at) {
    const QPointF corners[] = {{at.center().x(), at.top()},
                               {at.right(), at.center().y()},
                               {at.center().x(), at.bottom()},
                               {at.left(), at.center().y()}};
    painter.drawConvexPolygon(corners, 4);
  };
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(QPen(m_theme.colour(QStringLiteral("surface.panel")), 1));
  painter.setBrush(ink);
  if (m_dragged && m_dragged->movedNs != m_control.session().movedByNs(movedRun())) {
    constexpr double kGhostAlpha = 0.4;
    painter.setOpacity(kGhostAlpha);
    diamond(box.translated(handleX(m_dragged->movedNs) - box.center().x(), 0));
    painter.setOpacity(1);
  }
  diamond(box);
  painter.restore();
  const std::int64_t moved = m_control.session().movedByNs(movedRun());
  if (moved == 0) return;
  const QFont font = m_theme.font(FontRole::kCaption, QFont::DemiBold);
  const QString words = offsetWords();
  const double needed = m_theme.numberWidth(font, words) + m_theme.scaled(8);
  QRectF chip(box.right() + m_theme.scaled(4), box.center().y() - m_theme.scaled(8), needed, m_theme.scaled(16));
  if (chip.right() > width()) chip.moveRight(box.left() - m_theme.scaled(4));
  painter.fillRect(chip, m_theme.colour(QStringLiteral("surface.raised")));
  painter.setFont(font);
  painter.setPen(m_theme.colour(QStringLiteral("text.primary")));
  m_theme.drawNumber(painter, chip, words, Qt::AlignHCenter);
}

void SeamLane::pressHandle(double x) {
  const Session& session = m_control.session();
  m_dragged = Dragged{x, session.movedByNs(movedRun()), {}, {}};
  const auto trace = session.run(fixedRun())->trace();
  if (!trace) return;
  m_dragged->landmarks = landmarks(*trace);
  for (Landmark& each : m_dragged->landmarks) each.startNs -= session.anchorNs(fixedRun());
}

// It snaps to where the alignment itself puts the run, and to what begins in the other one.
void SeamLane::dragHandle(double x) {
  constexpr double kSnap = 6;
  Session& session = m_control.session();
  const int run = movedRun();
  const std::int64_t dragged = m_dragged->movedNs + std::llround((x - m_dragged->pressX) * scaleOf(run).nsPerPixel());
  std::int64_t wanted = dragged;
  double nearest = kSnap;
  m_dragged->snapped.reset();
  const auto offer = [&](std::int64_t moved, std::optional<StringId> name) {
    const double distance = std::abs(handleX(dragged) - handleX(moved));
    if (distance >= nearest) return;
    nearest = distance;
    wanted = moved;
    m_dragged->snapped = name;
  };
  offer(0, {});
  const auto& landmarks = m_dragged->landmarks;
  const auto after = std::lower_bound(landmarks.begin(), landmarks.end(), dragged,
                                      [](const Landmark& landmark, std::int64_t at) { return landmark.startNs < at; });
  if (after != landmarks.end()) offer(after->startNs, after->name);
  if (after != landmarks.begin()) offer((after - 1)->startNs, (after - 1)->name);
  session.moveRunBy(run, wanted - session.movedByNs(run));
}

// "+1.20 ms", while it is dragged with what it snapped to.
QString SeamLane::offsetWords() const {
  const Session& session = m_control.session();
  const QString offset = format::signedTime(static_cast<double>(session.movedByNs(movedRun())));
  if (!m_dragged || !m_dragged->snapped) return offset;
  if (*m_dragged->snapped == kNoString) return tr("%1, first kernel").arg(offset);
  const std::string_view name = session.run(fixedRun())->trace()->strings.view(*m_dragged->snapped);
  return tr("%1, %2").arg(offset, QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size())).left(40));
}

void SeamLane::mousePressEvent(QMouseEvent* event) {
  const double reach = m_theme.scaled(6);
  if (event->button() == Qt::LeftButton &&
      handle().adjusted(-reach, -reach, reach, reach).contains(event->position())) {
    pressHandle(event->position().x());
    return;
  }
  if (event->position().x() < m_control.state().headerWidth() || event->button() == Qt::RightButton) return;
  m_control.activate(m_upper);
  const bool measures = (event->modifiers() & Qt::ShiftModifier) != 0 || m_control.state().isMeasuring();
  Measure where;
  where.run = m_upper;
  m_control.press(trackX(event->position()), measures ? TimelineControl::Drag::kMeasure : TimelineControl::Drag::kPan,
                  where);
}

void SeamLane::mouseMoveEvent(QMouseEvent* event) {
  if (m_dragged) {
    dragHandle(event->position().x());
    return;
  }
  const double reach = m_theme.scaled(6);
  const bool isOnHandle = handle().adjusted(-reach, -reach, reach, reach).contains(event->position());
  setCursor(isOnHandle ? Qt::SizeHorCursor : Qt::ArrowCursor);
  if (m_control.drag() != TimelineControl::Drag::kNone && event->buttons() != Qt::NoButton) {
    m_control.moveTo(trackX(event->position()));
    return;
  }
  if (event->position().x() < m_control.state().headerWidth()) {
    m_control.leave();
    setHoveredLink(-1);
    return;
  }
  m_control.pointAt(trackX(event->position()));
  m_control.state().setHovered({});
  const SeamLink* link = linkAt(event->position());
  setHoveredLink(link ? static_cast<int>(link - m_match->links.data()) : -1);
}

void SeamLane::mouseReleaseEvent(QMouseEvent* event) {
  if (m_dragged) {
    m_dragged.reset();
    update();
    return;
  }
  if (m_control.drag() == TimelineControl::Drag::kNone) return;
  if (!m_control.release(trackX(event->position())) || event->button() != Qt::LeftButton) return;
  const SeamLink* link = linkAt(event->position());
  if (!link) {
    m_control.session().clearSelection();
    return;
  }
  Selection selection;
  const auto add = [&](int run, const SeamSide& side) {
    if (side.slices.empty()) return;
    std::vector<SliceId> slices = side.slices;
    std::sort(slices.begin(), slices.end());
    selection.parts.push_back({run, std::move(slices)});
    if (selection.leadRun < 0) {
      selection.leadRun = run;
      selection.leadSlice = side.slices.front();
    }
  };
  add(m_upper, link->base);
  add(m_lower, link->other);
  selection.words = QString::fromStdString(link->title);
  selection.origin = SelectionOrigin::kTimeline;
  m_control.session().select(std::move(selection));
}

void SeamLane::mouseDoubleClickEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return;
  if (handle().contains(event->position())) {
    m_control.session().moveRunBy(movedRun(), -m_control.session().movedByNs(movedRun()));
    return;
  }
  const SeamLink* link = linkAt(event->position());
  if (!link) return;
  const std::int64_t upper = m_control.session().anchorNs(m_upper);
  const std::int64_t lower = m_control.session().anchorNs(m_lower);
  m_control.view().fit({std::min(link->base.range.startNs - upper, link->other.range.startNs - lower),
                        std::max(link->base.range.endNs - upper, link->other.range.endNs - lower)});
}

void SeamLane::wheelEvent(QWheelEvent* event) {
  const double most = std::max(1, m_control.state().trackWidth());
  m_control.wheel(*event, std::clamp(trackX(event->position()), 0.0, most), true);
  event->accept();
}

void SeamLane::leaveEvent(QEvent*) {
  setHoveredLink(-1);
  m_control.leave();
}

bool SeamLane::event(QEvent* event) {
  if (event->type() == QEvent::ToolTip) {
    const auto* help = static_cast<QHelpEvent*>(event);
    const SeamLink* link = linkAt(QPointF(help->pos()));
    if (handle().contains(QPointF(help->pos()))) {
      const QString letter = m_control.session().run(movedRun())->letter();
      QToolTip::showText(help->globalPos(), tr("Drag: move %1 against the others. Double-click: back").arg(letter),
                         this);
    } else if (link) {
      QToolTip::showText(help->globalPos(), linkWords(*link), this);
    } else {
      QToolTip::hideText();
    }
    return true;
  }
  return QWidget::event(event);
}

}  // namespace attnscope::ui
