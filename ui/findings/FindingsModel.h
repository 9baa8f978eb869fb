// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The findings of one run, of the severities that a person wants to see. GUI thread only.

#include <array>
#include <memory>
#include <vector>

#include <QAbstractListModel>

#include "core/findings/Rules.h"

namespace attnscope::ui {

// A report with what its ids and slices are of.
struct RunFindings {
  int runNumber = -1;
  std::shared_ptr<const Trace> trace;
  std::int64_t wholeNs = 0;  // of the windows: what a saving is a share of
  Thresholds thresholds;     // that it was made with
  FindingsReport report;
};

class FindingsModel : public QAbstractListModel {
  Q_OBJECT

 public:
  static constexpr int kSeverities = 3;

  explicit FindingsModel(QObject* parent = nullptr);

  void setFindings(std::shared_ptr<const RunFindings> findings);
  [[nodiscard]] const std::shared_ptr<const RunFindings>& findings() const { return m_findings; }
  void setShown(FindingSeverity severity, bool isShown);
  [[nodiscard]] bool isShown(FindingSeverity severity) const { return m_shown[static_cast<std::size_t>(severity)]; }
  [[nodiscard]] int countOf(FindingSeverity severity) const;  // shown or not
  [[nodiscard]] const Finding& at(int row) const;

  [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
  [[nodiscard]] QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;

 private:
  void refill();

  std::shared_ptr<const RunFindings> m_findings;
  std::array<bool, kSeverities> m_shown{true, true, true};
  std::vector<std::size_t> m_rows;  // of the report
};

[[nodiscard]] QString severityIcon(FindingSeverity severity);   // name of an icon
[[nodiscard]] QString severityToken(FindingSeverity severity);  // of its ink

}  // namespace attnscope::ui
