// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The figures of a mask that takes more than a word to name: a prefix, documents or chunks by their lengths, or a NumPy
// file. A file is read off the GUI thread. GUI thread only.

#include <memory>

#include <QStringList>
#include <QWidget>

#include "core/base/Result.h"
#include "core/problem/MaskTable.h"
#include "core/problem/Problem.h"
#include "ui/bridge/Jobs.h"
#include "ui/theme/Theme.h"

class QLineEdit;
class QToolButton;

namespace attnscope::ui {

class MaskField : public QWidget {
  Q_OBJECT

 public:
  enum Pattern : int { kPrefix, kDocuments, kCausalDocuments, kChunks, kFile };

  [[nodiscard]] static QStringList patterns();  // in words, by Pattern

  explicit MaskField(const Theme& theme, QWidget* parent = nullptr);

  void setPattern(Pattern pattern);  // without edited(); what was typed for another stays where it has a meaning
  [[nodiscard]] Pattern pattern() const { return m_pattern; }
  [[nodiscard]] QString label() const;  // "Prefix", "Lengths", "Chunk", "File"
  void setMask(const Mask& mask);       // without edited(); a mask of another kind leaves the field as it is
  // What is typed, for so many queries. Errors are kUsage: no number, no file, or what is wrong with the file.
  [[nodiscard]] Result<Mask> mask(std::int64_t queryLength) const;
  [[nodiscard]] bool isReading() const { return m_jobs.isBusy(); }  // of the file

 Q_SIGNALS:
  void edited();  // by the user, or a file was read

 private:
  void onText();
  void browse();
  void refresh();
  void read();

  const Theme& m_theme;
  Pattern m_pattern = kPrefix;
  QLineEdit* m_text;
  QToolButton* m_browse;
  Result<std::shared_ptr<const MaskTable>> m_table;  // of m_read
  std::string m_read;                                // path; empty: no file was read
  Jobs m_jobs;
};

}  // namespace attnscope::ui
