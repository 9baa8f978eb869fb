// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The list of implementations: painted rows, arrows and Space, a filter by words, and the menu that makes one the
// baseline. GUI thread; model and theme outlive it.

#include <QListView>

#include "ui/theme/Theme.h"

namespace attnscope::ui {

class ImplementationModel;

class ImplementationList : public QListView {
  Q_OBJECT

 public:
  ImplementationList(ImplementationModel& model, const Theme& theme, QWidget* parent = nullptr);

  void setFilter(const QString& words);     // in title, id or group
  void setOnlyRunnable(bool onlyRunnable);  // hides what is refused
  [[nodiscard]] int shownCount() const;     // implementations, without group rows

 protected:
  void keyPressEvent(QKeyEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void contextMenuEvent(QContextMenuEvent* event) override;

 private:
  void applyFilter();
  ImplementationModel& m_model;
  QString m_filter;
  bool m_onlyRunnable = false;
};

}  // namespace attnscope::ui
