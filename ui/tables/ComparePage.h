// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The Compare tab: groups of matched calls of two or more runs, with what the difference is made of above them. Groups
// that stand alone can be paired by hand, and pairs cut. GUI thread only.

#include "core/compare/Comparison.h"
#include "ui/tables/TablePage.h"

class QToolButton;

namespace attnscope::ui {

class ComparePage : public TablePage {
  Q_OBJECT

 public:
  ComparePage(Session& session, const Theme& theme, QWidget* parent = nullptr);

  void setNormalisation(Normalisation normalisation);
  [[nodiscard]] Normalisation normalisation() const { return m_normalisation; }
  // Of the selected rows: the one of the baseline alone with the one of another run alone; false where they are not.
  bool pairSelected();
  bool cutSelected();
  void forgetPairs();

 protected:
  [[nodiscard]] Builder builder() override;
  [[nodiscard]] QString pageName() const override;
  [[nodiscard]] PageStateWords emptyWords() const override;
  [[nodiscard]] QString allRows(const QString& scope) const override;
  [[nodiscard]] QString someRows(const QString& shown, const QString& all) const override;

 private:
  void addSegment();
  void addPairActions();
  void refreshActions();
  [[nodiscard]] std::vector<std::uint32_t> selectedGroups() const;

  Session& m_session;
  Normalisation m_normalisation = Normalisation::kRun;
  QList<QToolButton*> m_segment;  // by Normalisation
  QAction* m_pair = nullptr;
  QAction* m_cut = nullptr;
  QAction* m_forget = nullptr;
};

}  // namespace attnscope::ui
