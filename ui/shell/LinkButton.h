// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// A line of text that leads to something: a swatch of its kind of work, words underlined, a quieter remark.

#include <optional>

#include <QAbstractButton>

#include "ui/theme/Theme.h"

namespace attnscope::ui {

class LinkButton : public QAbstractButton {
  Q_OBJECT

 public:
  LinkButton(const Theme& theme, const QString& words, QWidget* parent = nullptr);
  void setSwatch(WorkKind kind);
  void setRun(int number, const QString& letter);  // a letter chip in front
  void setRemark(const QString& remark);
  [[nodiscard]] QSize sizeHint() const override;
  [[nodiscard]] QSize minimumSizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;
  void enterEvent(QEnterEvent* event) override;
  void leaveEvent(QEvent* event) override;

 private:
  const Theme& m_theme;
  std::optional<WorkKind> m_swatch;
  int m_runNumber = -1;
  QString m_letter;
  QString m_remark;
};

}  // namespace attnscope::ui
