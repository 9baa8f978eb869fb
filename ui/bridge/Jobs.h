// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Work off the GUI thread. A job runs on a thread of its own pool and its result is handed to a function on the GUI
// thread, unless the job was replaced, cancelled, or the receiver died. Jobs with the same key replace one another.
// GUI thread only, but for the work itself. The destructor stops and waits for all.

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <unordered_map>

#include <QObject>
#include <QString>
#include <QThreadPool>

namespace attnscope::ui {

class Jobs : public QObject {
  Q_OBJECT

 public:
  // kBehind: of what nobody looks at yet. Where the machine is busy with the others, they go first.
  enum class Urgency : std::uint8_t { kSeen, kBehind };
  explicit Jobs(QObject* parent = nullptr, Urgency urgency = Urgency::kSeen);
  ~Jobs() override;

  // `work` runs in a worker and returns what `done` gets on the GUI thread. An older job of this key is stopped and
  // its result dropped.
  template <class Work, class Done>
  void start(const QString& key, Work work, Done done) {
    using Value = decltype(work(std::stop_token{}));
    auto token = begin(key);
    auto number = token.number;
    run([this, key, number, stop = token.stop, work = std::move(work), done = std::move(done)]() mutable {
      auto value = std::make_shared<Value>(work(stop));
      post([this, key, number, value, done = std::move(done)]() mutable {
        if (!finish(key, number)) return;
        done(std::move(*value));
        Q_EMIT changed();
      });
    });
  }
  void cancel(const QString& key);
  void cancelAll();
  [[nodiscard]] bool isBusy() const { return !m_active.empty(); }
  [[nodiscard]] bool isRunning(const QString& key) const { return m_active.count(key) != 0; }

 Q_SIGNALS:
  void changed();  // started or ended

 private:
  struct Token {
    std::uint64_t number;
    std::stop_token stop;
  };
  struct Active {
    std::uint64_t number;
    std::stop_source stop;
  };
  Token begin(const QString& key);
  void run(std::function<void()> task);
  void post(std::function<void()> call);
  bool finish(const QString& key, std::uint64_t number);

  std::unordered_map<QString, Active> m_active;
  std::uint64_t m_last = 0;
  Urgency m_urgency;
  QThreadPool m_pool;
};

}  // namespace attnscope::ui
