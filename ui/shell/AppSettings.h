// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// What is remembered from one start to the next: theme, text size, geometry, splitters, recent files. GUI thread.
// Without Persistence::kKept nothing is read or written, so that a picture does not depend on who draws it.

#include <cstdint>
#include <memory>
#include <vector>

#include <QByteArray>
#include <QDateTime>
#include <QObject>
#include <QString>
#include <QVariant>

#include "ui/theme/Theme.h"

class QSettings;

namespace attnscope::ui {

struct RecentFile {
  QString path;     // absolute
  QString summary;  // "trace, NVIDIA H100"
  qint64 bytes = -1;
  QDateTime opened;
};

enum class Persistence : std::uint8_t { kKept, kForgotten };

class AppSettings : public QObject {
  Q_OBJECT

 public:
  static constexpr int kMostRecent = 10;

  explicit AppSettings(Persistence persistence, QObject* parent = nullptr);
  ~AppSettings() override;

  [[nodiscard]] bool isKept() const { return m_settings != nullptr; }
  [[nodiscard]] ThemeChoice theme() const;
  void setTheme(ThemeChoice choice);
  [[nodiscard]] int textScalePercent() const;
  void setTextScalePercent(int percent);
  [[nodiscard]] QByteArray bytes(const QString& key) const;  // geometry and splitters
  void setBytes(const QString& key, const QByteArray& value);
  [[nodiscard]] bool flag(const QString& key, bool otherwise) const;
  void setFlag(const QString& key, bool value);

  [[nodiscard]] const std::vector<RecentFile>& recentFiles() const { return m_recent; }
  void addRecent(const QString& path, const QString& summary, qint64 bytes);
  void removeRecent(const QString& path);
  void clearRecent();

 Q_SIGNALS:
  void recentChanged();

 private:
  void readRecent();
  void writeRecent();

  std::unique_ptr<QSettings> m_settings;  // null: forgotten
  QVariantMap m_values;                   // where forgotten
  std::vector<RecentFile> m_recent;       // newest first
};

}  // namespace attnscope::ui
