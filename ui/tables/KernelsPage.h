// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The Kernels tab: kernels of one trace, leaf operators where no device worked, both compared with the baseline where
// there are two or more runs. GUI thread only; session and theme outlive it.

#include "ui/tables/TablePage.h"

namespace attnscope::ui {

class KernelsPage : public TablePage {
  Q_OBJECT

 public:
  KernelsPage(Session& session, const Theme& theme, QWidget* parent = nullptr);

  void setGrouping(KernelGrouping grouping);  // of one trace with device work

 protected:
  [[nodiscard]] Builder builder() override;
  [[nodiscard]] QString pageName() const override;
  [[nodiscard]] PageStateWords emptyWords() const override;
  [[nodiscard]] QString allRows(const QString& scope) const override;
  [[nodiscard]] QString someRows(const QString& shown, const QString& all) const override;

 private:
  KernelGrouping m_grouping = KernelGrouping::kByName;
  QAction* m_byLaunch = nullptr;
  [[nodiscard]] bool hasDeviceWork() const;  // every ready run has, so kernels can be compared
};

}  // namespace attnscope::ui
