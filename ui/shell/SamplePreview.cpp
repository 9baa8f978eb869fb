// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/SamplePreview.h"

#include <algorithm>
#include <cmath>

#include <QFontMetricsF>
#include <QPainter>
#include <QPolygonF>

#include "ui/bridge/Format.h"
#include "ui/bridge/Jobs.h"
#include "ui/compare/TimedVerdict.h"

namespace attnscope::ui {

namespace {

constexpr int kGutter = 54;           // stripe and chip
constexpr double kNoiseShare = 0.03;  // as at the seam of the timelines
constexpr double kNoiseNs = 1000;

// Where the compared track's work of the step begins and ends: the host may return before the device is done.
TimeRange workOf(const RunFacts& facts, TimeRange step) {
  const Trace& trace = *facts.trace;
  TimeRange work{step.endNs, step.startNs};
  const Track& track = trace.tracks[index(facts.comparedTrack)];
  for (const RowSpan& row : track.rows) {
    for (std::uint32_t i = row.first; i < row.first + row.count; ++i) {
      const SliceId id{i};
      if (!step.contains(trace.slices.startNs[i]) || trace.slices.kind[i] == WorkKind::kAnnotation) continue;
      work.startNs = std::min(work.startNs, trace.slices.startNs[i]);
      work.endNs = std::max(work.endNs, trace.slices.endNs(id));
    }
  }
  return work.startNs < work.endNs ? work : step;
}

}  // namespace

SamplePreview::SamplePreview(const Theme& theme, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_jobs(std::make_unique<Jobs>()) {
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  setAccessibleName(tr("Preview of the sample comparison"));
  connect(&m_theme, &Theme::changed, this, qOverload<>(&QWidget::update));
}

SamplePreview::~SamplePreview() = default;

void SamplePreview::start(const QString& session) {
  if (m_session || session.isEmpty()) return;
  m_session = std::make_unique<Session>();
  connect(m_session.get(), &Session::runChanged, this, &SamplePreview::whenRead);
  m_session->openFiles({session});
}

bool SamplePreview::isSettled() const { return !m_jobs->isBusy() && (!m_session || !m_session->isBusy()); }

QSize SamplePreview::sizeHint() const { return {m_theme.scaled(640), m_theme.scaled(176)}; }

void SamplePreview::whenRead() {
  if (m_session->readyRuns().size() != 2 || !m_lanes.empty()) return;
  for (int i = 0; i < 2; ++i) {
    auto facts = m_session->run(i)->facts();
    if (facts->comparedTrack == kNoTrack) return;
    const TimeRange scope = m_session->scopeRange(i);
    m_lanes.push_back({facts, scope, workOf(*facts, scope)});
    m_spanNs = std::max(m_spanNs, m_lanes.back().step.durationNs());
  }
  m_jobs->start(
      QStringLiteral("links"),
      [lanes = m_lanes](std::stop_token) {
        const auto track = [](const Lane& lane) {
          return SeamTrack{lane.facts->trace.get(), lane.facts->comparedTrack, lane.scope};
        };
        return seamLinks(track(lanes[0]), track(lanes[1]));
      },
      [this](std::vector<SeamLink> links) {
        m_links = std::move(links);
        update();
      });
  update();
}

double SamplePreview::xOf(std::int64_t ns) const {
  const double left = m_theme.scaled(kGutter) + m_theme.scaled(12);
  const double room = width() - left - m_theme.scaled(24);
  return left + room * static_cast<double>(ns) / static_cast<double>(std::max<std::int64_t>(1, m_spanNs));
}

void SamplePreview::paintEvent(QPaintEvent* /*event*/) {
  QPainter painter(this);
  painter.fillRect(rect(), m_theme.colour(QStringLiteral("timeline.pane")));
  const double lane = m_theme.scaled(58);
  const double seam = m_theme.scaled(52);
  const QColor hairline = m_theme.colour(QStringLiteral("border.hairline"));
  const double gutter = m_theme.scaled(kGutter);
  painter.fillRect(QRectF(0, lane, width(), seam), m_theme.colour(QStringLiteral("surface.panel")));
  for (int i = 0; i < 6; ++i) {
    const double x = std::floor(gutter + i * (width() - gutter) / 6);
    painter.fillRect(QRectF(x, 0, 1, height()), m_theme.colour(QStringLiteral("timeline.grid")));
  }
  for (const double y : {lane, lane + seam}) painter.fillRect(QRectF(0, y, width(), 1), hairline);
  const int stripe = m_theme.size(QStringLiteral("run_stripe"));
  const double chip = m_theme.chipSize();
  const double tops[] = {0, lane + seam + 1};
  for (int i = 0; i < 2; ++i) {
    const double bottom = i == 0 ? lane : height();
    painter.fillRect(QRectF(0, tops[i], stripe, bottom - tops[i]), m_theme.run(i));
    m_theme.drawChip(painter, QPointF(m_theme.scaled(16), tops[i] + (lane - chip) / 2), i,
                     i == 0 ? QStringLiteral("A") : QStringLiteral("B"));
  }
  if (m_lanes.size() != 2) return;
  paintSeam(painter, lane, seam);
  paintLane(painter, m_lanes[0], 0, tops[0] + m_theme.scaled(18), m_theme.scaled(32));
  paintLane(painter, m_lanes[1], 1, tops[1] + m_theme.scaled(8), m_theme.scaled(32));
  paintVerdict(painter, tops[1] + m_theme.scaled(8), m_theme.scaled(32));
}

void SamplePreview::paintLane(QPainter& painter, const Lane& lane, int /*number*/, double top, double height) const {
  const Trace& trace = *lane.facts->trace;
  const Track& track = trace.tracks[index(lane.facts->comparedTrack)];
  const QFont font = m_theme.font(FontRole::kData);
  const QFontMetricsF metrics(font);
  painter.setFont(font);
  const int labelFrom = m_theme.size(QStringLiteral("slice_label_min"));
  for (const RowSpan& row : track.rows) {
    const auto [first, last] = trace.slicesIn(row, lane.step);
    for (std::uint32_t i = first; i < last; ++i) {
      if (!lane.step.contains(trace.slices.startNs[i])) continue;
      const auto paint = static_cast<WorkKind>(lane.facts->paintClass[i]);
      if (paint == WorkKind::kAnnotation) continue;
      // Of nested host work the operators that do the work, on top of what holds them.
      const double from = std::floor(xOf(trace.slices.startNs[i] - lane.step.startNs));
      const double to = std::ceil(xOf(trace.slices.endNs(SliceId{i}) - lane.step.startNs));
      const QRectF box(from, top, std::max(1.0, to - from), height);
      const KindColours kind = m_theme.kind(paint);
      if (box.width() < 3) {
        painter.fillRect(box, kind.fill);
        continue;
      }
      painter.fillRect(box, kind.edge);
      painter.fillRect(box.adjusted(1, 1, -1, -1), kind.fill);
      if (box.width() < labelFrom + 12) continue;
      const std::string_view name = trace.name(SliceId{i});
      QString label = trace.slices.categoryClass[i] == CategoryClass::kKernel
                          ? m_theme.kindTitle(paint)
                          : QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size()));
      if (label.startsWith(QLatin1String("aten::"))) label = label.mid(6);
      painter.setPen(kind.label);
      painter.drawText(box.adjusted(5, 0, -4, 0), Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine,
                       metrics.elidedText(label, Qt::ElideRight, box.width() - 9));
    }
  }
}

void SamplePreview::paintSeam(QPainter& painter, double top, double height) const {
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  const SeamLink* largest = nullptr;
  for (const SeamLink& link : m_links) {
    const auto larger = static_cast<double>(std::max(link.base.workNs, link.other.workNs));
    const bool isNoise = std::abs(static_cast<double>(link.deltaNs())) <= std::max(kNoiseNs, kNoiseShare * larger);
    QColor fill = m_theme.colour(isNoise              ? QStringLiteral("delta.ribbon_neutral")
                                 : link.deltaNs() < 0 ? QStringLiteral("delta.ribbon_faster")
                                                      : QStringLiteral("delta.ribbon_slower"));
    QColor side = fill;
    fill.setAlphaF(static_cast<float>(m_theme.number(QStringLiteral("delta.ribbon_alpha"))) * (isNoise ? 0.7F : 1.0F));
    side.setAlphaF(0.7F);
    // A stage may be annotated a moment before its work.
    const auto after = [&](int lane, std::int64_t ns) {
      return xOf(std::max<std::int64_t>(0, ns - m_lanes[static_cast<std::size_t>(lane)].step.startNs));
    };
    const auto base = [&](std::int64_t ns) { return QPointF(after(0, ns), top + 1); };
    const auto other = [&](std::int64_t ns) { return QPointF(after(1, ns), top + height); };
    const QPolygonF shape({base(link.base.range.startNs), base(link.base.range.endNs), other(link.other.range.endNs),
                           other(link.other.range.startNs)});
    painter.setPen(Qt::NoPen);
    painter.setBrush(fill);
    painter.drawPolygon(shape);
    painter.setPen(QPen(side, 1));
    painter.drawLine(shape[0], shape[3]);
    painter.drawLine(shape[1], shape[2]);
    if (!largest || std::abs(link.deltaNs()) > std::abs(largest->deltaNs())) largest = &link;
  }
  painter.restore();
  if (!largest || largest->deltaNs() == 0) return;
  const QFont font = m_theme.font(FontRole::kData, QFont::DemiBold);
  QString title = QString::fromStdString(largest->title);
  if (title.contains(QLatin1String("scaled_dot_product"))) title = tr("Attention");  // whichever kernel does it
  if (title.startsWith(QLatin1String("aten::"))) title = title.mid(6);
  const QString words =
      QStringLiteral("%1  %2").arg(title, format::signedTime(static_cast<double>(largest->deltaNs())));
  const double middle = (xOf(largest->base.range.startNs - m_lanes[0].step.startNs) +
                         xOf(largest->other.range.startNs - m_lanes[1].step.startNs)) /
                        2;
  painter.setFont(font);
  painter.setPen(
      m_theme.colour(largest->deltaNs() < 0 ? QStringLiteral("delta.faster") : QStringLiteral("delta.slower")));
  const QRectF box(middle + m_theme.scaled(14), top, width() - middle - m_theme.scaled(24), height * 0.8);
  painter.drawText(box, Qt::AlignLeft | Qt::AlignVCenter,
                   QFontMetricsF(font).elidedText(words, Qt::ElideMiddle, box.width()));
}

void SamplePreview::paintVerdict(QPainter& painter, double top, double height) const {
  const auto measurement = m_session->run(0)->measurement();
  if (measurement == nullptr || m_session->run(1)->measurement() != measurement) return;
  std::vector<TimedRun> runs;
  for (int i = 0; i < 2; ++i) {
    runs.push_back({m_session->run(i)->number(), m_session->run(i)->letter(), m_session->run(i)->measuredAs()});
  }
  const Verdict verdict = timedVerdict(*measurement, runs);
  const double left = xOf(m_lanes[1].step.durationNs()) + m_theme.scaled(16);
  const double room = width() - left - m_theme.scaled(8);
  const QFont bold = m_theme.font(FontRole::kUi, QFont::DemiBold);
  if (QFontMetricsF(bold).horizontalAdvance(verdict.sentenceText()) > room) return;
  painter.setFont(bold);
  painter.setPen(m_theme.colour(QStringLiteral("text.primary")));
  const QRectF upper(left, top, room, height / 2);
  painter.drawText(upper, Qt::AlignLeft | Qt::AlignVCenter, verdict.sentenceText());
  const QFont plain = m_theme.font(FontRole::kData);
  painter.setFont(plain);
  painter.setPen(m_theme.colour(QStringLiteral("text.secondary")));
  painter.drawText(upper.translated(0, height / 2), Qt::AlignLeft | Qt::AlignVCenter,
                   QFontMetricsF(plain).elidedText(verdict.note, Qt::ElideRight, room));
}

}  // namespace attnscope::ui
