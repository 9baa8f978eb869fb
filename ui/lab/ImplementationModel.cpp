// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/lab/ImplementationModel.h"

#include "core/problem/Cards.h"
#include "ui/bridge/LabRunner.h"

namespace attnscope::ui {

namespace {

constexpr int kGroups = static_cast<int>(CardGroup::kYours) + 1;

QString textOfView(std::string_view text) {
  return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

}  // namespace

ImplementationModel::ImplementationModel(const LabRunner& runner, QObject* parent)
    : QAbstractListModel(parent), m_runner(runner) {
  for (int group = 0; group < kGroups; ++group) {
    // What this version cannot run at all comes last in its group; the order never changes while one types.
    std::vector<Row> able;
    std::vector<Row> unable;
    for (const Card& card : cards()) {
      if (static_cast<int>(card.group) != group) continue;
      (card.notBuilt.empty() ? able : unable).push_back({&card, group});
    }
    if (able.empty() && unable.empty()) continue;
    m_rows.push_back({nullptr, group});
    m_rows.insert(m_rows.end(), able.begin(), able.end());
    m_rows.insert(m_rows.end(), unable.begin(), unable.end());
  }
  refreshRefusals();
}

void ImplementationModel::refreshRefusals() {
  m_refusals.clear();
  for (const Row& row : m_rows) {
    if (row.card == nullptr) continue;
    const auto reason =
        row.card->group == CardGroup::kYours ? codeRefusal(*row.card) : m_runner.refusal(*row.card, m_problem);
    if (reason) m_refusals.insert(textOfView(row.card->id), *reason);
  }
}

// The runner was asked without any code, so that its answer says nothing of this one.
std::optional<QString> ImplementationModel::codeRefusal(const Card& card) const {
  if (const auto reason = attnscope::refusalOf(card, m_problem, DeviceKind::kCpu))
    return QString::fromStdString(*reason);
  const bool isPackage = card.id == "byo.package";
  const bool isGiven = isPackage ? !m_code.packageFile.empty() : !m_code.script.empty() || !m_code.scriptFile.empty();
  if (!isGiven) return tr("Needs your code: give it by Your code below.");
  if (!m_code.allowed) return tr("Your code runs with your rights: say yes to it by Your code below.");
  return std::nullopt;
}

void ImplementationModel::setCode(const UserCode& code) {
  m_code = code;
  refreshRunner();
}

void ImplementationModel::tellAll() { Q_EMIT dataChanged(index(0), index(rowCount() - 1)); }

void ImplementationModel::setProblem(const Problem& problem) {
  m_problem = problem;
  refreshRunner();
}

void ImplementationModel::refreshRunner() {
  refreshRefusals();
  // Rows grow and shrink with their reasons.
  Q_EMIT layoutChanged();
}

void ImplementationModel::setChoice(const Choice& choice) {
  if (choice == m_choice) return;
  m_choice = choice;
  tellAll();
  Q_EMIT choiceChanged();
}

void ImplementationModel::toggle(const QModelIndex& index) {
  const QString id = index.data(kId).toString();
  if (id.isEmpty()) return;
  // What is refused cannot be chosen; what was chosen before the problem changed can be let go.
  if (!m_refusals.value(id).isEmpty() && !m_choice.contains(id)) return;
  Choice choice = m_choice;
  choice.toggle(id);
  setChoice(choice);
}

void ImplementationModel::makeBaseline(const QModelIndex& index) {
  const QString id = index.data(kId).toString();
  if (id.isEmpty() || !m_refusals.value(id).isEmpty()) return;
  Choice choice = m_choice;
  choice.makeBaseline(id);
  setChoice(choice);
}

QString ImplementationModel::refusalOf(const QString& id) const { return m_refusals.value(id); }

QString ImplementationModel::titleOf(const QString& id) {
  const Card* card = findCard(id.toStdString());
  return card == nullptr ? id : textOfView(card->title);
}

QString ImplementationModel::remarkOf(const QString& id) const {
  QStringList parts;
  if (const QString choice = choiceWordsOf(id); !choice.isEmpty()) parts << choice;
  const Card* card = findCard(id.toStdString());
  const auto advice =
      card == nullptr || !refusalOf(id).isEmpty() ? std::nullopt : attnscope::adviceOf(*card, m_problem);
  if (advice) parts << QString::fromStdString(*advice);
  return parts.join(u' ');
}

QString ImplementationModel::choiceWordsOf(const QString& id) const {
  const BackendChoice& choice = m_runner.choice();
  if (choice.chosen.isEmpty() || !id.startsWith(QLatin1String("sdpa.")) || !refusalOf(id).isEmpty()) return {};
  if (id == QLatin1String("sdpa.") + choice.chosen) return tr("LibTorch itself would choose this.");
  const auto reason = choice.reasons.find(id.toStdString());
  if (reason == choice.reasons.end() || reason->second.empty()) {
    return tr("LibTorch itself would choose %1.").arg(choice.chosen);
  }
  return tr("LibTorch itself would not: %1").arg(QString::fromStdString(reason->second));
}

int ImplementationModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

Qt::ItemFlags ImplementationModel::flags(const QModelIndex& index) const {
  if (!index.isValid()) return Qt::NoItemFlags;
  const Row& row = m_rows[static_cast<std::size_t>(index.row())];
  if (row.card == nullptr) return Qt::ItemNeverHasChildren;
  // A refused row stays reachable by keys, so that its reason can be read.
  return Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsUserCheckable | Qt::ItemNeverHasChildren;
}

QString ImplementationModel::accessibleText(const Row& row) const {
  const QString id = textOfView(row.card->id);
  QStringList parts{textOfView(row.card->title), id};
  if (const auto position = m_choice.positionOf(id)) {
    parts << (*position == 0 ? tr("chosen as A, the baseline") : tr("chosen as %1").arg(labLetter(*position)));
  } else {
    parts << tr("not chosen");
  }
  if (const QString reason = refusalOf(id); !reason.isEmpty()) parts << tr("Refused: %1").arg(reason);
  if (const QString remark = remarkOf(id); !remark.isEmpty()) parts << remark;
  return parts.join(QStringLiteral(", "));
}

QVariant ImplementationModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const Row& row = m_rows[static_cast<std::size_t>(index.row())];
  if (row.card == nullptr) {
    const GroupText text = textOf(static_cast<CardGroup>(row.group));
    if (role == Qt::DisplayRole) return textOfView(text.title);
    if (role == kNote) return textOfView(text.note);
    if (role == kIsGroup) return true;
    return {};
  }
  const QString id = textOfView(row.card->id);
  switch (role) {
    case Qt::DisplayRole:
      return textOfView(row.card->title);
    case Qt::AccessibleTextRole:
      return accessibleText(row);
    case Qt::CheckStateRole:
      return m_choice.contains(id) ? Qt::Checked : Qt::Unchecked;
    case Qt::ToolTipRole:
      return tr("%1: %2").arg(textOfView(row.card->title), textOfView(row.card->complexity));
    case kIsGroup:
      return false;
    case kId:
      return id;
    case kPosition:
      return m_choice.positionOf(id).value_or(-1);
    case kRefusal:
      return refusalOf(id);
    case kRemark:
      return remarkOf(id);
    default:
      return {};
  }
}

bool ImplementationModel::setData(const QModelIndex& index, const QVariant& value, int role) {
  if (role != Qt::CheckStateRole) return false;
  const bool wanted = value.toInt() == Qt::Checked;
  if (wanted != m_choice.contains(index.data(kId).toString())) toggle(index);
  return true;
}

}  // namespace attnscope::ui
