// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The files that were opened last, as a table: file, folder, what it holds, size, when. A file that is gone stays,
// greyed, with the reason.

#include <vector>

#include <QAbstractTableModel>
#include <QTableView>

#include "ui/shell/AppSettings.h"
#include "ui/theme/Theme.h"

namespace attnscope::ui {

class RecentModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Column { kName, kFolder, kSummary, kSize, kOpened, kColumns };
  struct Row {
    RecentFile file;
    bool isThere = true;
  };
  explicit RecentModel(const AppSettings& settings, QObject* parent = nullptr);
  void setFilter(const QString& text);
  [[nodiscard]] const Row& row(int at) const { return m_rows[static_cast<std::size_t>(at)]; }
  [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
  [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
  [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
  [[nodiscard]] Qt::ItemFlags flags(const QModelIndex& index) const override;

 private:
  void refresh();
  const AppSettings& m_settings;
  QString m_filter;
  std::vector<Row> m_rows;
};

class RecentList : public QTableView {
  Q_OBJECT

 public:
  RecentList(AppSettings& settings, const Theme& theme, QWidget* parent = nullptr);
  [[nodiscard]] RecentModel* recent() const { return m_model; }

 Q_SIGNALS:
  void fileChosen(const QString& path);

 protected:
  void resizeEvent(QResizeEvent* event) override;
  void contextMenuEvent(QContextMenuEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  void refresh();
  void choose(const QModelIndex& index);
  AppSettings& m_settings;
  const Theme& m_theme;
  RecentModel* m_model;
};

}  // namespace attnscope::ui
