// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// A lower tab: the slices that are selected or measured, summed by name, category, operator or kernel, and how long the
// streams of the scope stood idle and why. Summed in a worker; the table grows while it is. GUI thread.

#include <functional>
#include <memory>
#include <optional>

#include <QTimer>
#include <QWidget>

#include "core/analysis/SliceAggregate.h"
#include "ui/bridge/Jobs.h"
#include "ui/bridge/Session.h"
#include "ui/tables/RowTable.h"
#include "ui/theme/PageState.h"
#include "ui/theme/Theme.h"
#include "ui/timeline/MeasuredArea.h"

class QComboBox;
class QStackedLayout;

namespace attnscope::ui {

class Surface;
class TableView;
class TextLabel;

class SelectionPage : public QWidget {
  Q_OBJECT

 public:
  SelectionPage(Session& session, const Theme& theme, QWidget* parent = nullptr);

  void setArea(std::optional<MeasuredArea> area);  // takes precedence over the selection
  // Tracks of a run, from which idle time is told; nullptr while they are made.
  void setTracksOf(std::function<std::shared_ptr<const DisplayTracks>(int run)> tracksOf);
  void refreshSoon() { m_soon.start(); }  // tracks were made
  void setBy(AggregateBy by);
  [[nodiscard]] bool isSettled() const;
  [[nodiscard]] QString headWords() const;  // "3 480 slices, 12.4 ms in all"
  [[nodiscard]] QString idleWords() const;  // "stream 7, step 3: idle 812 µs, no launch 61 %…"
  [[nodiscard]] const RowTable& model() const { return m_model; }
  [[nodiscard]] TableView* tableView() const { return m_view; }

 Q_SIGNALS:
  void showRequested(int run, attnscope::SliceId slice);

 private:
  struct Work;
  void refresh();
  void start(std::shared_ptr<Work> work);
  void refreshHead();

  Session& m_session;
  const Theme& m_theme;
  RowTable m_model;
  Jobs m_jobs;
  QTimer m_soon;
  std::optional<MeasuredArea> m_area;
  std::function<std::shared_ptr<const DisplayTracks>(int)> m_tracksOf;
  AggregateBy m_by = AggregateBy::kName;
  int m_run = -1;
  std::uint64_t m_count = 0;
  std::uint64_t m_wanted = 0;
  std::int64_t m_totalNs = 0;
  Surface* m_bar;
  TextLabel* m_head;
  TextLabel* m_idle;
  QComboBox* m_choice;
  TableView* m_view;
  PageState* m_state;
  QStackedLayout* m_stack;
  QWidget* m_table;
};

}  // namespace attnscope::ui
