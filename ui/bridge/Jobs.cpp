// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/bridge/Jobs.h"

#include <algorithm>

#include <QMetaObject>
#include <QThread>

#ifdef __linux__
#include <sys/resource.h>
#include <unistd.h>
#endif

namespace attnscope::ui {

Jobs::Jobs(QObject* parent, Urgency urgency) : QObject(parent), m_urgency(urgency) {
  // Reading and analysing use threads of their own; two jobs at once keep a second file from waiting for the first.
  m_pool.setMaxThreadCount(std::max(2, QThread::idealThreadCount()));
}

Jobs::~Jobs() {
  for (auto& [key, active] : m_active) active.stop.request_stop();
  m_pool.waitForDone();
}

Jobs::Token Jobs::begin(const QString& key) {
  if (const auto old = m_active.find(key); old != m_active.end()) old->second.stop.request_stop();
  std::stop_source source;
  const Token token{++m_last, source.get_token()};
  m_active.insert_or_assign(key, Active{token.number, std::move(source)});
  Q_EMIT changed();
  return token;
}

void Jobs::run(std::function<void()> task) {
  if (m_urgency == Urgency::kSeen) {
    m_pool.start(std::move(task));
    return;
  }
  m_pool.start([task = std::move(task)] {
#ifdef __linux__
    // Of this thread alone, which is the pool's own; QThread's priorities say nothing to the usual scheduler.
    constexpr int kNice = 10;
    setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), kNice);
#endif
    task();
  });
}

void Jobs::post(std::function<void()> call) { QMetaObject::invokeMethod(this, std::move(call), Qt::QueuedConnection); }

bool Jobs::finish(const QString& key, std::uint64_t number) {
  const auto active = m_active.find(key);
  if (active == m_active.end() || active->second.number != number) return false;
  m_active.erase(active);
  return true;
}

void Jobs::cancel(const QString& key) {
  const auto active = m_active.find(key);
  if (active == m_active.end()) return;
  active->second.stop.request_stop();
  m_active.erase(active);
  Q_EMIT changed();
}

void Jobs::cancelAll() {
  for (auto& [key, active] : m_active) active.stop.request_stop();
  m_active.clear();
  Q_EMIT changed();
}

}  // namespace attnscope::ui
