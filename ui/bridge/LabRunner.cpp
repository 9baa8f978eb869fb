// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/bridge/LabRunner.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QDir>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QMetaObject>
#include <QProcess>

#include <nlohmann/json.hpp>

#include "core/problem/ProblemJson.h"

namespace attnscope::ui {

namespace {

constexpr int kDescribeTimeoutMs = 30'000;
constexpr qsizetype kLongestLog = 500;

QString words(const char* text) { return QCoreApplication::translate("attnscope::ui::LabRunner", text); }

struct Answer {
  QJsonObject document;
  QString error;
};

// Runs in a worker: waiting for a process there keeps the window free.
Answer ask(const QString& program, const QStringList& arguments, const QByteArray& input, std::stop_token stop) {
  QProcess process;
  process.start(program, arguments);
  if (!process.waitForStarted(5'000)) return {{}, process.errorString()};
  process.write(input);
  process.closeWriteChannel();
  for (int waited = 0; process.state() != QProcess::NotRunning; waited += 50) {
    if (stop.stop_requested() || waited > kDescribeTimeoutMs) {
      process.kill();
      process.waitForFinished();
      return {
          {},
          words(QT_TRANSLATE_NOOP("attnscope::ui::LabRunner", "no answer within %1 s")).arg(kDescribeTimeoutMs / 1000)};
    }
    process.waitForFinished(50);
  }
  const QByteArray error = process.readAllStandardError().trimmed();
  if (process.exitStatus() != QProcess::NormalExit || process.exitCode() != 0) {
    return {{},
            error.isEmpty()
                ? words(QT_TRANSLATE_NOOP("attnscope::ui::LabRunner", "it ended with code %1")).arg(process.exitCode())
                : QString::fromUtf8(error.right(400))};
  }
  return {QJsonDocument::fromJson(process.readAllStandardOutput()).object(), {}};
}

}  // namespace

LabRunner::LabRunner(QString runnerPath, QObject* parent) : QObject(parent), m_runnerPath(std::move(runnerPath)) {
  if (m_runnerPath.isEmpty()) {
    m_runnerPath = QDir(QCoreApplication::applicationDirPath()).filePath(QStringLiteral("attnscope-runner"));
  }
}

LabRunner::~LabRunner() { ++m_generation; }

void LabRunner::describe() {
  if (!QFileInfo::exists(m_runnerPath)) {
    m_description = {};
    m_description.reason =
        tr("attnscope-runner is not installed beside this program. Build it with LibTorch: ./dev run");
    m_described = true;
    Q_EMIT describedChanged();
    return;
  }
  m_jobs.start(
      QStringLiteral("describe"),
      [path = m_runnerPath](std::stop_token stop) { return ask(path, {QStringLiteral("describe")}, {}, stop); },
      [this](const Answer& answer) {
        m_description = {};
        m_description.found = answer.error.isEmpty() && !answer.document.isEmpty();
        m_description.reason =
            m_description.found ? QString() : tr("attnscope-runner did not answer: %1").arg(answer.error);
        m_description.version = answer.document.value(QLatin1String("runner_version")).toString();
        m_description.libtorch = answer.document.value(QLatin1String("libtorch")).toString();
        m_description.cpuCapability = answer.document.value(QLatin1String("cpu_capability")).toString();
        m_description.threads = answer.document.value(QLatin1String("threads")).toInt();
        for (const QJsonValue& value : answer.document.value(QLatin1String("implementations")).toArray()) {
          const QJsonObject implementation = value.toObject();
          const QString reason = implementation.value(QLatin1String("reason")).toString();
          if (implementation.value(QLatin1String("available")).toBool(true)) continue;
          m_description.refusals[implementation.value(QLatin1String("id")).toString().toStdString()] =
              reason.toStdString();
        }
        m_described = true;
        Q_EMIT describedChanged();
      });
}

void LabRunner::askChoice(const Problem& problem) {
  if (!m_description.found) return;
  const QByteArray input = QByteArray::fromStdString(toJson(problem).dump());
  m_jobs.start(
      QStringLiteral("choice"),
      [path = m_runnerPath, input](std::stop_token stop) {
        return ask(path, {QStringLiteral("describe"), QStringLiteral("--problem"), QStringLiteral("-")}, input, stop);
      },
      [this](const Answer& answer) {
        const QJsonObject choice = answer.document.value(QLatin1String("sdpa_choice")).toObject();
        m_choice = {};
        m_choice.chosen = choice.value(QLatin1String("backend")).toString();
        for (const QJsonValue& value : choice.value(QLatin1String("against")).toArray()) {
          const QJsonObject against = value.toObject();
          m_choice.reasons["sdpa." + against.value(QLatin1String("backend")).toString().toStdString()] =
              against.value(QLatin1String("reason")).toString().toStdString();
        }
        Q_EMIT choiceChanged();
      });
}

std::optional<QString> LabRunner::refusal(const Card& card, const Problem& problem) const {
  if (const auto reason = refusalOf(card, problem, DeviceKind::kCpu)) return QString::fromStdString(*reason);
  const auto here = m_description.refusals.find(std::string(card.id));
  if (here != m_description.refusals.end()) return QString::fromStdString(here->second);
  return std::nullopt;
}

void LabRunner::post(std::uint64_t generation, std::function<void()> call) {
  QMetaObject::invokeMethod(
      this,
      [this, generation, call = std::move(call)] {
        if (generation == m_generation) call();
      },
      Qt::QueuedConnection);
}

bool LabRunner::start(RunPlan plan) {
  if (m_running) {
    m_lastError = tr("A run is on. Stop it first.");
    return false;
  }
  auto traces = std::make_unique<QTemporaryDir>();
  if (!traces->isValid()) {
    m_lastError = tr("No temporary folder could be made for the traces: %1").arg(traces->errorString());
    return false;
  }
  m_controller.reset();
  ++m_generation;
  plan.traceFolder = traces->path().toStdString();
  m_traces.push_back(std::move(traces));
  m_log.clear();
  m_lastError.clear();
  RunObserver observer;
  const std::uint64_t generation = m_generation;
  observer.changed = [this, generation](const RunState& state) {
    post(generation, [this, state] {
      m_state = state;
      Q_EMIT stateChanged();
    });
  };
  observer.sampled = [this, generation](const SampleMessage& sample) {
    post(generation, [this, sample] { Q_EMIT sampled(sample); });
  };
  observer.logged = [this, generation](const std::string& line) {
    post(generation, [this, line] {
      if (m_log.size() < kLongestLog) m_log.append(QString::fromStdString(line));
    });
  };
  observer.finished = [this, generation](const RunResult& result) {
    post(generation, [this, result] { onFinished(result); });
  };
  RunnerCommand command{{m_runnerPath.toStdString(), "run"}, {}};
  if (!m_testHooks.empty()) command.arguments.emplace_back("--test-hooks");
  plan.testHooks = m_testHooks;
  m_controller = std::make_unique<RunController>(std::move(command), RunTimeouts{}, std::move(observer));
  if (const auto started = m_controller->start(std::move(plan)); !started) {
    m_lastError = QString::fromStdString(started.error().message());
    return false;
  }
  m_running = true;
  m_cancelling = false;
  m_startedMs = QDateTime::currentMSecsSinceEpoch();
  Q_EMIT runningChanged();
  return true;
}

void LabRunner::cancel() {
  if (!m_running || m_cancelling) return;
  m_cancelling = true;
  m_controller->cancel();
  Q_EMIT runningChanged();
}

void LabRunner::show(std::shared_ptr<const RunResult> ended) {
  if (m_running || ended == nullptr) return;
  m_controller.reset();
  ++m_generation;
  m_state = attnscope::RunState::over(*ended);
  m_result = std::move(ended);
  m_log.clear();
  m_lastError.clear();
  m_startedMs = -1;
  Q_EMIT stateChanged();
  Q_EMIT finished();
}

double LabRunner::elapsedSeconds() const {
  if (m_startedMs <= 0) return static_cast<double>(m_startedMs);
  return static_cast<double>((m_running ? QDateTime::currentMSecsSinceEpoch() : m_endedMs) - m_startedMs) / 1000.0;
}

void LabRunner::onFinished(RunResult result) {
  m_endedMs = QDateTime::currentMSecsSinceEpoch();
  m_result = std::make_shared<const RunResult>(std::move(result));
  m_running = false;
  m_cancelling = false;
  Q_EMIT runningChanged();
  Q_EMIT finished();
}

}  // namespace attnscope::ui
