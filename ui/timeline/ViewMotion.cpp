// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/ViewMotion.h"

#include <algorithm>
#include <cmath>

namespace attnscope::ui {

namespace {

constexpr double kNotchFactor = 0.8;     // of the span
constexpr double kZoomPerSecond = 0.12;  // of the span, while a key is held
constexpr double kPanWidthsPerSecond = 0.9;
constexpr double kFast = 3;
constexpr double kMostGain = 1.5;    // of a key that is held for long, beside 1
constexpr double kGainMs = 1200;     // after which it has it
constexpr double kFirstStepMs = 16;  // a short press moves as much as one frame and a bit

}  // namespace

ViewMotion::ViewMotion(ViewState& view, TimelineState& state, int zoomMs, QObject* parent)
    : QObject(parent), m_view(view), m_state(state), m_zoomMs(zoomMs) {
  m_timer.setTimerType(Qt::PreciseTimer);
  m_timer.setInterval(16);
  connect(&m_timer, &QTimer::timeout, this, &ViewMotion::tick);
}

double ViewMotion::pointerNs() const {
  const double width = std::max(1, m_state.trackWidth());
  const double x = m_state.pointerX() >= 0 && m_state.pointerX() <= width ? m_state.pointerX() : width / 2;
  return m_view.startNs() + x / width * m_view.spanNs();
}

void ViewMotion::zoom(double x, double notches) {
  const double width = std::max(1, m_state.trackWidth());
  const double factor = std::pow(kNotchFactor, notches);
  if (m_state.hasReducedMotion() || m_zoomMs <= 0) {
    m_view.zoomAbout(m_view.startNs() + x / width * m_view.spanNs(), factor);
    return;
  }
  const double target = (m_isZooming ? m_zoomTo : m_view.spanNs()) * factor;
  m_zoomAboutNs = m_view.startNs() + x / width * m_view.spanNs();
  m_zoomFrom = m_view.spanNs();
  m_zoomTo = target;
  m_zoomElapsed = 0;
  m_isZooming = true;
  if (!m_timer.isActive()) {
    m_clock.start();
    m_timer.start();
  }
}

void ViewMotion::panPixels(double pixels) {
  m_isZooming = false;
  m_view.panBy(pixels * m_view.spanNs() / std::max(1, m_state.trackWidth()));
}

void ViewMotion::hold(HeldKey key, bool isFast) {
  m_isFast = isFast;
  m_held.insert(key);
  if (m_timer.isActive()) return;
  m_clock.start();
  m_timer.start();
}

void ViewMotion::release(HeldKey key) { m_held.erase(key); }

void ViewMotion::releaseAll() { m_held.clear(); }

void ViewMotion::tick() {
  // A frame that came late moves as far as the time that passed, but never a whole screen.
  const double ms = std::clamp(static_cast<double>(m_clock.restart()), kFirstStepMs / 4, 100.0);
  const double seconds = ms / 1000;
  if (m_isZooming) {
    m_zoomElapsed += ms;
    const double done = std::min(1.0, m_zoomElapsed / m_zoomMs);
    const double eased = 1 - (1 - done) * (1 - done);
    const double span = m_zoomFrom * std::pow(m_zoomTo / m_zoomFrom, eased);
    m_view.zoomAbout(m_zoomAboutNs, span / m_view.spanNs());
    if (done >= 1) m_isZooming = false;
  }
  m_heldMs = m_held.empty() ? 0 : m_heldMs + ms;
  const double speed = (m_isFast ? kFast : 1) * (1 + kMostGain * std::min(1.0, m_heldMs / kGainMs));
  for (const HeldKey key : m_held) {
    switch (key) {
      case HeldKey::kZoomIn:
        m_view.zoomAbout(pointerNs(), std::pow(kZoomPerSecond, seconds * speed));
        break;
      case HeldKey::kZoomOut:
        m_view.zoomAbout(pointerNs(), std::pow(kZoomPerSecond, -seconds * speed));
        break;
      case HeldKey::kLeft:
        m_view.panBy(-m_view.spanNs() * kPanWidthsPerSecond * seconds * speed);
        break;
      case HeldKey::kRight:
        m_view.panBy(m_view.spanNs() * kPanWidthsPerSecond * seconds * speed);
        break;
    }
  }
  if (m_held.empty() && !m_isZooming) m_timer.stop();
}

}  // namespace attnscope::ui
