// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// A small picture of the sample session, drawn from its traces: the compared track of the profiled call of two runs,
// between them what the work of one became in the other, and the verdict of their timed pairs. Reading begins with
// start().

#include <memory>
#include <vector>

#include <QWidget>

#include "core/compare/SeamLinks.h"
#include "ui/bridge/Session.h"
#include "ui/theme/Theme.h"

namespace attnscope::ui {

class Jobs;

class SamplePreview : public QWidget {
  Q_OBJECT

 public:
  SamplePreview(const Theme& theme, QWidget* parent = nullptr);
  ~SamplePreview() override;
  void start(const QString& session);  // an .attn file of two runs; empty: nothing is drawn
  [[nodiscard]] bool isSettled() const;
  [[nodiscard]] QSize sizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  struct Lane {
    std::shared_ptr<const RunFacts> facts;
    TimeRange scope;  // the step with its annotations, by which work is linked
    TimeRange step;   // of it what is drawn: the compared work
  };
  void whenRead();
  [[nodiscard]] double xOf(std::int64_t ns) const;  // ns after the step's start
  void paintLane(QPainter& painter, const Lane& lane, int number, double top, double height) const;
  void paintSeam(QPainter& painter, double top, double height) const;
  void paintVerdict(QPainter& painter, double top, double height) const;

  const Theme& m_theme;
  std::unique_ptr<Session> m_session;
  std::unique_ptr<Jobs> m_jobs;
  std::vector<Lane> m_lanes;  // two, once both were read
  std::vector<SeamLink> m_links;
  std::int64_t m_spanNs = 0;
};

}  // namespace attnscope::ui
