// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/findings/FindingsModel.h"

#include <algorithm>

#include "ui/bridge/Format.h"

namespace attnscope::ui {
namespace {

QString severityWord(FindingSeverity severity) {
  switch (severity) {
    case FindingSeverity::kProblem:
      return FindingsModel::tr("Problem");
    case FindingSeverity::kWarning:
      return FindingsModel::tr("Warning");
    case FindingSeverity::kInfo:
      break;
  }
  return FindingsModel::tr("Note");
}

}  // namespace

QString severityIcon(FindingSeverity severity) {
  switch (severity) {
    case FindingSeverity::kProblem:
      return QStringLiteral("problem");
    case FindingSeverity::kWarning:
      return QStringLiteral("warning");
    case FindingSeverity::kInfo:
      break;
  }
  return QStringLiteral("info");
}

QString severityToken(FindingSeverity severity) { return QStringLiteral("severity.") + severityIcon(severity); }

FindingsModel::FindingsModel(QObject* parent)
    : QAbstractListModel(parent), m_findings(std::make_shared<RunFindings>()) {}

void FindingsModel::setFindings(std::shared_ptr<const RunFindings> findings) {
  beginResetModel();
  m_findings = std::move(findings);
  refill();
  endResetModel();
}

void FindingsModel::setShown(FindingSeverity severity, bool isShown) {
  if (this->isShown(severity) == isShown) return;
  beginResetModel();
  m_shown[static_cast<std::size_t>(severity)] = isShown;
  refill();
  endResetModel();
}

void FindingsModel::refill() {
  m_rows.clear();
  for (std::size_t i = 0; i < m_findings->report.findings.size(); ++i) {
    if (isShown(m_findings->report.findings[i].severity)) m_rows.push_back(i);
  }
}

int FindingsModel::countOf(FindingSeverity severity) const {
  const auto& all = m_findings->report.findings;
  return static_cast<int>(
      std::count_if(all.begin(), all.end(), [severity](const Finding& each) { return each.severity == severity; }));
}

const Finding& FindingsModel::at(int row) const {
  return m_findings->report.findings[m_rows[static_cast<std::size_t>(row)]];
}

int FindingsModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

QVariant FindingsModel::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  const Finding& finding = at(index.row());
  const QString headline = format::sentence(finding.headline);
  if (role == Qt::DisplayRole || role == Qt::ToolTipRole) return headline;
  if (role == Qt::AccessibleTextRole) return QStringLiteral("%1: %2").arg(severityWord(finding.severity), headline);
  return {};
}

}  // namespace attnscope::ui
