// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The line over the memory chart: a chip and a name for each line, the level at the cursor, and what is drawn.
// GUI thread only; the theme outlives it.

#include <vector>

#include <QString>
#include <QWidget>

namespace attnscope::ui {

class Theme;

class MemoryHeading : public QWidget {
  Q_OBJECT

 public:
  struct Entry {
    int runNumber = 0;
    QString letter;
    QString title;
    QString value;  // at the cursor; may be empty
    bool operator==(const Entry&) const = default;
  };

  explicit MemoryHeading(const Theme& theme, QWidget* parent = nullptr);

  // `brief` stands where there is no room for `words`.
  void setEntries(std::vector<Entry> entries, const QString& words, const QString& brief);
  [[nodiscard]] QSize sizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  const Theme& m_theme;
  std::vector<Entry> m_entries;
  QString m_words;
  QString m_brief;
};

}  // namespace attnscope::ui
