// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The strip over the timelines: what the comparison says, or for one trace its summary. GUI thread only; session and
// theme outlive it.

#include <memory>
#include <optional>
#include <vector>

#include <QWidget>

#include "ui/bridge/Jobs.h"
#include "ui/compare/SamplesPlot.h"
#include "ui/compare/TimedVerdict.h"
#include "ui/compare/Verdict.h"

class QPushButton;

namespace attnscope::ui {

class BadgeButton;
class Run;
class Session;
class Theme;

class VerdictStrip : public QWidget {
  Q_OBJECT

 public:
  VerdictStrip(Session& session, const Theme& theme, QWidget* parent = nullptr);

  // 64 px high, or 44 where the window is low or narrow. One trace always takes 44.
  void setCompact(bool compact);
  [[nodiscard]] bool isSettled() const;
  [[nodiscard]] const Verdict& verdict() const { return m_verdict; }

 Q_SIGNALS:
  void settledChanged();
  // An open verdict: so many pairs of this measurement would settle it.
  void morePairsWanted(std::shared_ptr<const attnscope::RunResult> result, int pairs);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  void refresh();
  void putVerdict(Verdict verdict);
  void layOut();
  void applyTheme();
  void openReasons();
  [[nodiscard]] std::vector<SampleSeries> samples() const;
  void chooseBaseline();
  void askForMorePairs();
  void compare();
  [[nodiscard]] std::vector<TimedRun> timedRuns(const std::vector<int>& positions) const;
  void summarise();
  [[nodiscard]] VerdictRun runInScope(const Run& run, bool byDevice) const;
  [[nodiscard]] bool isOneLine() const;
  [[nodiscard]] int figureWidth(const VerdictFigure& figure) const;
  int paintSentence(QPainter& painter, int x) const;
  void paintFigure(QPainter& painter, const VerdictFigure& figure, int x) const;
  void paintFigureInLine(QPainter& painter, const VerdictFigure& figure, int x) const;
  [[nodiscard]] QColor toneInk(VerdictTone tone, const QString& plain) const;
  [[nodiscard]] int sentenceWidth() const;

  Session& m_session;
  const Theme& m_theme;
  Jobs m_jobs;
  Verdict m_verdict;
  bool m_compact = false;
  bool m_isSummary = false;
  int m_shownFigures = 0;
  BadgeButton* m_badge = nullptr;
  QPushButton* m_swap = nullptr;
  QPushButton* m_more = nullptr;  // runs the pairs that would settle it
};

}  // namespace attnscope::ui
