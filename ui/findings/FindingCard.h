// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// One finding in full: what it says on the left, what it saves and its evidence on the right; one below the other where
// it is narrow. GUI thread only; the theme outlives it.

#include <memory>

#include <QScrollArea>

#include "ui/findings/FindingsModel.h"

class QBoxLayout;

namespace attnscope::ui {

class Theme;

class FindingCard : public QScrollArea {
  Q_OBJECT

 public:
  FindingCard(const Theme& theme, QWidget* parent = nullptr);

  // `finding` is of `of`'s report.
  void show(std::shared_ptr<const RunFindings> of, const Finding& finding);
  void clear();
  [[nodiscard]] QString asText() const;  // of what is shown; empty: nothing

 Q_SIGNALS:
  void evidenceChosen(int position);  // in Finding::evidence
  void thresholdWanted();

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void rebuild();
  void addBlock(QBoxLayout& column, const QString& title, const QString& text);
  void addSaving(QBoxLayout& column);
  void addEvidence(QBoxLayout& column);
  [[nodiscard]] QWidget* foot();
  [[nodiscard]] QString ruleId() const;
  [[nodiscard]] QString thresholdWords() const;

  const Theme& m_theme;
  std::shared_ptr<const RunFindings> m_of;
  Finding m_finding;
  bool m_isWide = true;
};

}  // namespace attnscope::ui
