// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The cards as a list: a row for each group and one for each implementation, with its letter, why it is refused for
// the problem, and what LibTorch itself would choose. Nothing is left out: what cannot run keeps its row. GUI thread.

#include <optional>
#include <vector>

#include <QAbstractListModel>
#include <QHash>

#include "core/problem/Problem.h"
#include "core/session/RunPlan.h"
#include "ui/lab/Choice.h"

namespace attnscope {
struct Card;
}

namespace attnscope::ui {

class LabRunner;

class ImplementationModel : public QAbstractListModel {
  Q_OBJECT

 public:
  enum Role : int {
    kIsGroup = Qt::UserRole,
    kId,
    kNote,      // of a group
    kPosition,  // of the chosen, from 0; -1: not chosen
    kRefusal,   // in words, without "Refused:"; empty: it can run
    kRemark,    // what LibTorch would choose, and what would make it faster
  };

  explicit ImplementationModel(const LabRunner& runner, QObject* parent = nullptr);

  void setProblem(const Problem& problem);  // refusals depend on it; a valid one
  void refreshRunner();                     // its description or choice came
  void setCode(const UserCode& code);       // that byo.script and byo.package run
  [[nodiscard]] const UserCode& code() const { return m_code; }
  void setChoice(const Choice& choice);
  [[nodiscard]] const Choice& choice() const { return m_choice; }
  void toggle(const QModelIndex& index);
  void makeBaseline(const QModelIndex& index);

  [[nodiscard]] QString refusalOf(const QString& id) const;  // empty: it can run
  [[nodiscard]] static QString titleOf(const QString& id);

  [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
  [[nodiscard]] QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  bool setData(const QModelIndex& index, const QVariant& value, int role) override;
  [[nodiscard]] Qt::ItemFlags flags(const QModelIndex& index) const override;

 Q_SIGNALS:
  void choiceChanged();

 private:
  struct Row {
    const Card* card = nullptr;  // none: a group
    int group = 0;
  };
  void refreshRefusals();
  [[nodiscard]] std::optional<QString> codeRefusal(const Card& card) const;
  [[nodiscard]] QString remarkOf(const QString& id) const;
  [[nodiscard]] QString choiceWordsOf(const QString& id) const;
  [[nodiscard]] QString accessibleText(const Row& row) const;
  void tellAll();

  const LabRunner& m_runner;
  std::vector<Row> m_rows;
  Problem m_problem;
  UserCode m_code;
  Choice m_choice;
  QHash<QString, QString> m_refusals;  // of the problem and this machine
};

}  // namespace attnscope::ui
