// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/AppSettings.h"

#include <algorithm>

#include <QFileInfo>
#include <QSettings>

namespace attnscope::ui {

namespace {

const QString kThemeKey = QStringLiteral("theme");
const QString kTextKey = QStringLiteral("textScale");
const QString kRecentKey = QStringLiteral("recent");

}  // namespace

AppSettings::AppSettings(Persistence persistence, QObject* parent) : QObject(parent) {
  if (persistence == Persistence::kKept) m_settings = std::make_unique<QSettings>();
  readRecent();
}

AppSettings::~AppSettings() = default;

ThemeChoice AppSettings::theme() const {
  const QString stored = m_settings ? m_settings->value(kThemeKey).toString() : m_values.value(kThemeKey).toString();
  if (stored == QLatin1String("light")) return ThemeChoice::kLight;
  if (stored == QLatin1String("dark")) return ThemeChoice::kDark;
  return ThemeChoice::kSystem;
}

void AppSettings::setTheme(ThemeChoice choice) {
  const QString text = choice == ThemeChoice::kLight  ? QStringLiteral("light")
                       : choice == ThemeChoice::kDark ? QStringLiteral("dark")
                                                      : QStringLiteral("system");
  if (m_settings) {
    m_settings->setValue(kThemeKey, text);
  } else {
    m_values[kThemeKey] = text;
  }
}

int AppSettings::textScalePercent() const {
  const QVariant stored = m_settings ? m_settings->value(kTextKey, 100) : m_values.value(kTextKey, 100);
  return std::clamp(stored.toInt(), 100, 200);
}

void AppSettings::setTextScalePercent(int percent) {
  if (m_settings) {
    m_settings->setValue(kTextKey, percent);
  } else {
    m_values[kTextKey] = percent;
  }
}

QByteArray AppSettings::bytes(const QString& key) const {
  return m_settings ? m_settings->value(key).toByteArray() : m_values.value(key).toByteArray();
}

void AppSettings::setBytes(const QString& key, const QByteArray& value) {
  if (m_settings) {
    m_settings->setValue(key, value);
  } else {
    m_values[key] = value;
  }
}

bool AppSettings::flag(const QString& key, bool otherwise) const {
  return m_settings ? m_settings->value(key, otherwise).toBool() : m_values.value(key, otherwise).toBool();
}

void AppSettings::setFlag(const QString& key, bool value) {
  if (m_settings) {
    m_settings->setValue(key, value);
  } else {
    m_values[key] = value;
  }
}

void AppSettings::addRecent(const QString& path, const QString& summary, qint64 bytes) {
  RecentFile added{QFileInfo(path).absoluteFilePath(), summary, bytes, QDateTime::currentDateTime()};
  std::erase_if(m_recent, [&added](const RecentFile& each) { return each.path == added.path; });
  m_recent.insert(m_recent.begin(), std::move(added));
  if (m_recent.size() > kMostRecent) m_recent.resize(kMostRecent);
  writeRecent();
}

void AppSettings::removeRecent(const QString& path) {
  std::erase_if(m_recent, [&path](const RecentFile& each) { return each.path == path; });
  writeRecent();
}

void AppSettings::clearRecent() {
  m_recent.clear();
  writeRecent();
}

void AppSettings::readRecent() {
  if (!m_settings) return;
  const int size = m_settings->beginReadArray(kRecentKey);
  for (int i = 0; i < std::min(size, kMostRecent); ++i) {
    m_settings->setArrayIndex(i);
    RecentFile file;
    file.path = m_settings->value(QStringLiteral("path")).toString();
    file.summary = m_settings->value(QStringLiteral("summary")).toString();
    file.bytes = m_settings->value(QStringLiteral("bytes"), -1).toLongLong();
    file.opened = m_settings->value(QStringLiteral("opened")).toDateTime();
    if (!file.path.isEmpty()) m_recent.push_back(std::move(file));
  }
  m_settings->endArray();
}

void AppSettings::writeRecent() {
  if (m_settings) {
    m_settings->remove(kRecentKey);
    m_settings->beginWriteArray(kRecentKey, static_cast<int>(m_recent.size()));
    for (int i = 0; i < static_cast<int>(m_recent.size()); ++i) {
      const RecentFile& file = m_recent[static_cast<std::size_t>(i)];
      m_settings->setArrayIndex(i);
      m_settings->setValue(QStringLiteral("path"), file.path);
      m_settings->setValue(QStringLiteral("summary"), file.summary);
      m_settings->setValue(QStringLiteral("bytes"), file.bytes);
      m_settings->setValue(QStringLiteral("opened"), file.opened);
    }
    m_settings->endArray();
  }
  Q_EMIT recentChanged();
}

}  // namespace attnscope::ui
