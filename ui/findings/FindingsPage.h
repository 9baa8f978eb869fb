// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The Findings tab: what the rules say of the baseline in scope, found in a worker; a list and the card of one. GUI
// thread only; session, view state and theme outlive it.

#include <array>

#include <QTimer>
#include <QWidget>

#include "ui/bridge/Jobs.h"
#include "ui/findings/FindingsModel.h"

class QLabel;
class QListView;
class QProgressBar;
class QSplitter;
class QStackedLayout;
class QToolButton;

namespace attnscope::ui {

class FindingCard;
class PageState;
class Session;
class Theme;
class ViewState;

class FindingsPage : public QWidget {
  Q_OBJECT

 public:
  FindingsPage(Session& session, ViewState& view, const Theme& theme, QWidget* parent = nullptr);

  [[nodiscard]] QString tabText() const;  // "Findings 7"
  [[nodiscard]] bool isSettled() const;
  [[nodiscard]] QString stateTitle() const;  // of what is shown instead of the list; empty: the list is shown
  [[nodiscard]] const FindingsModel& model() const { return m_model; }
  [[nodiscard]] QListView* list() const { return m_list; }
  [[nodiscard]] FindingCard* card() const { return m_card; }
  // What a person chose in place of the rules' own thresholds, and what is kept of it between sessions.
  void setThreshold(const std::string& rule, double value);
  [[nodiscard]] QByteArray thresholds() const;
  void setThresholds(const QByteArray& kept);
  // Selects the evidence and shows it on the timelines.
  void showEvidence(int position);

 Q_SIGNALS:
  void tabTextChanged();
  void settledChanged();
  void sliceWanted(int run, SliceId slice);  // to be shown on the timelines
  void thresholdsChanged();

 private:
  void build();
  void buildBar(QWidget* parent);
  void put(std::shared_ptr<const RunFindings> findings);
  void updateBar();
  void updateState();
  void showChosen();
  void askThreshold();
  void showQuietRules();
  void applyTheme();
  void refresh();
  [[nodiscard]] int runPosition() const;  // of the run that is shown; -1: none
  [[nodiscard]] const Finding* chosen() const;

  Session& m_session;
  ViewState& m_view;
  const Theme& m_theme;
  FindingsModel m_model;
  Thresholds m_thresholds;
  Jobs m_jobs{nullptr, Jobs::Urgency::kBehind};
  QTimer m_refresh;
  QTimer m_slow;
  QWidget* m_content = nullptr;
  QWidget* m_bar = nullptr;
  std::array<QToolButton*, FindingsModel::kSeverities> m_filters{};  // by FindingSeverity
  QToolButton* m_quiet = nullptr;
  QLabel* m_whose = nullptr;
  QProgressBar* m_progress = nullptr;
  QSplitter* m_splitter = nullptr;
  QListView* m_list = nullptr;
  FindingCard* m_card = nullptr;
  PageState* m_state = nullptr;
  QStackedLayout* m_stack = nullptr;
};

}  // namespace attnscope::ui
