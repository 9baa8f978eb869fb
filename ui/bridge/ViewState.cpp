// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/bridge/ViewState.h"

#include <algorithm>

namespace attnscope::ui {

namespace {
constexpr double kLeastSpanNs = 100;
constexpr double kMarginShare = 0.02;  // empty room at both ends of the whole, so that edges can be seen
}  // namespace

ViewState::ViewState(QObject* parent) : QObject(parent) {}

void ViewState::setExtent(TimeRange extent) {
  if (extent.endNs <= extent.startNs) extent.endNs = extent.startNs + 1;
  if (extent == m_extent) return;
  m_extent = extent;
  setView(m_startNs, m_spanNs);
}

void ViewState::setView(double startNs, double spanNs) {
  const double whole = static_cast<double>(m_extent.durationNs());
  const double margin = std::max(whole * kMarginShare, 1.0);
  const double low = static_cast<double>(m_extent.startNs) - margin;
  const double high = static_cast<double>(m_extent.endNs) + margin;
  spanNs = std::clamp(spanNs, kLeastSpanNs, std::max(kLeastSpanNs, high - low));
  // Panning stops when half the view is empty, so that the ends can be brought to the middle.
  const double slack = spanNs / 2;
  startNs = std::clamp(startNs, low - slack, std::max(low - slack, high + slack - spanNs));
  if (startNs == m_startNs && spanNs == m_spanNs) return;
  m_startNs = startNs;
  m_spanNs = spanNs;
  Q_EMIT viewChanged();
}

void ViewState::zoomAbout(double ns, double factor) {
  const double whole = static_cast<double>(m_extent.durationNs()) * (1 + 2 * kMarginShare);
  const double span = std::clamp(m_spanNs * factor, kLeastSpanNs, std::max(kLeastSpanNs, whole));
  setView(ns - (ns - m_startNs) * span / m_spanNs, span);
}

void ViewState::panBy(double ns) { setView(m_startNs + ns, m_spanNs); }

void ViewState::showAll() {
  const double whole = static_cast<double>(m_extent.durationNs());
  const double margin = std::max(whole * kMarginShare, 1.0);
  setView(static_cast<double>(m_extent.startNs) - margin, whole + 2 * margin);
}

void ViewState::fit(TimeRange range) {
  const double span = std::max<double>(static_cast<double>(range.durationNs()), kLeastSpanNs / 2);
  const double margin = span * 0.08;
  const double middle = (static_cast<double>(range.startNs) + static_cast<double>(range.endNs)) / 2;
  setView(middle - span / 2 - margin, span + 2 * margin);
}

void ViewState::setCursor(double ns) {
  if (m_hasCursor && ns == m_cursorNs) return;
  m_hasCursor = true;
  m_cursorNs = ns;
  Q_EMIT cursorChanged();
}

void ViewState::clearCursor() {
  if (!m_hasCursor) return;
  m_hasCursor = false;
  Q_EMIT cursorChanged();
}

}  // namespace attnscope::ui
