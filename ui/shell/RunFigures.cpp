// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/RunFigures.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include <QCoreApplication>
#include <QLocale>

#include "ui/bridge/Format.h"

namespace attnscope::ui {

namespace {

QString tr(const char* text) { return QCoreApplication::translate("attnscope::ui::RunFigures", text); }

// The device whose memory matters: the first that is no CPU, else the CPU.
const MemorySeries* mainMemory(const RunFacts& facts) {
  const MemorySeries* best = nullptr;
  for (const MemorySeries& series : facts.memory) {
    const bool better = !best || (best->deviceType == 0 && series.deviceType != 0) ||
                        (best->deviceType != 0 && series.deviceType != 0 && series.peakBytes > best->peakBytes);
    if (better) best = &series;
  }
  return best;
}

QString unquoted(const std::string& json) {
  QString text = QString::fromStdString(json);
  if (text.size() >= 2 && text.startsWith(u'"') && text.endsWith(u'"')) text = text.mid(1, text.size() - 2);
  return text;
}

const std::string* metadataOf(const Trace& trace, std::string_view key) {
  for (const auto& [name, value] : trace.metadata) {
    if (name == key) return &value;
  }
  return nullptr;
}

bool isOn(const Trace& trace, std::string_view key) {
  const std::string* value = metadataOf(trace, key);
  return value && (*value == "1" || *value == "true");
}

// 12040 is how CUDA writes 12.4.
QString cudaVersion(const std::string& json) {
  bool isNumber = false;
  const int value = unquoted(json).toInt(&isNumber);
  return isNumber && value >= 1000 ? QStringLiteral("%1.%2").arg(value / 1000).arg(value % 1000 / 10) : unquoted(json);
}

QString producerWords(const Trace& trace) {
  if (trace.producer == "kineto") return tr("PyTorch Profiler");
  if (trace.producer == "kineto-rocm") return tr("PyTorch Profiler, ROCm");
  if (trace.producer == "chrome") return tr("Chrome trace");
  if (trace.producer.empty() || trace.producer == "unknown") return tr("unknown");
  return QString::fromStdString(trace.producer);
}

}  // namespace

std::vector<Figure> measuredFigures(const Run& run) {
  const RunResult& measurement = *run.measurement();
  const ImplementationResult& result = measurement.implementations[run.measuredAs()];
  const TimeStatistics time = timeOf(result, measurement.plan.metric());
  std::vector<Figure> figures;
  if (time.n > 0) {
    figures.push_back(
        {tr("Call, %1 timed").arg(format::count(static_cast<std::int64_t>(time.n))), format::time(time.medianNs)});
  } else {
    figures.push_back({tr("Call, not timed"), format::unknown()});
  }
  figures.push_back({tr("Call, profiled"),
                     result.profiledNs ? format::time(static_cast<double>(*result.profiledNs)) : format::unknown()});
  figures.push_back({tr("Peak memory"),
                     result.peakBytes ? format::bytes(static_cast<double>(*result.peakBytes)) : format::unknown()});
  return figures;
}

std::vector<Figure> runFigures(const Run& run, const QString& scopeWords) {
  const auto facts = run.facts();
  if (!facts) return {};
  if (run.measurement()) return measuredFigures(run);
  const auto tables = run.tables();
  const bool hasDevice = facts->trace->hasDeviceWork();
  const auto time = [&tables](std::int64_t ns) {
    return tables ? format::time(static_cast<double>(ns)) : format::unknown();
  };
  std::vector<Figure> figures;
  figures.push_back({scopeWords, time(tables ? tables->durationNs : 0)});
  if (hasDevice) {
    figures.push_back({tr("Kernel time"), time(tables ? tables->kernels.totalNs : 0)});
  } else {
    figures.push_back({tr("Host self time"), time(tables ? tables->operators.totals.cpuSelfNs : 0)});
  }
  if (const MemorySeries* memory = mainMemory(*facts)) {
    figures.push_back({memory->hasTotals ? tr("Peak memory") : tr("Peak memory, rise"),
                       format::bytes(static_cast<double>(memory->peakBytes))});
  } else {
    figures.push_back({tr("Peak memory"), format::unknown()});
  }
  return figures;
}

std::vector<Figure> captureFigures(const Trace& trace) {
  std::vector<Figure> figures{{tr("Producer"), producerWords(trace)}};
  for (const DeviceProperties& device : trace.devices) {
    const bool used = std::find(trace.deviceWork.device.begin(), trace.deviceWork.device.end(), device.id) !=
                      trace.deviceWork.device.end();
    if (!used && trace.devices.size() > 1) continue;
    QString words = QString::fromStdString(device.name);
    if (device.smCount > 0) words += tr(", %1 SMs").arg(format::count(device.smCount));
    figures.push_back({tr("Device"), words});
    break;
  }
  if (!trace.hasDeviceWork()) figures.push_back({tr("Device"), tr("CPU only")});
  const std::string* runtime = metadataOf(trace, "cuda_runtime_version");
  const std::string* driver = metadataOf(trace, "cuda_driver_version");
  if (runtime) {
    figures.push_back({tr("CUDA"), driver ? tr("%1, driver %2").arg(cudaVersion(*runtime), cudaVersion(*driver))
                                          : cudaVersion(*runtime)});
  }
  QStringList recorded;
  for (const auto& [key, words] :
       std::initializer_list<std::pair<const char*, QString>>{{"record_shapes", tr("shapes")},
                                                              {"profile_memory", tr("memory")},
                                                              {"with_stack", tr("stacks")},
                                                              {"with_modules", tr("modules")},
                                                              {"with_flops", tr("FLOPs")}}) {
    if (isOn(trace, key)) recorded << words;
  }
  if (!recorded.isEmpty()) figures.push_back({tr("Recorded"), recorded.join(QStringLiteral(", "))});
  if (!trace.steps.empty()) {
    const auto name = trace.strings.view(trace.steps.front().name);
    const QString first = QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size()));
    figures.push_back(
        {tr("Steps"),
         trace.steps.size() == 1
             ? QStringLiteral("1 (%1)").arg(first)
             : tr("%1, from %2").arg(format::count(static_cast<std::int64_t>(trace.steps.size())), first)});
  } else {
    figures.push_back({tr("Steps"), tr("none marked")});
  }
  if (trace.rank.index >= 0) figures.push_back({tr("Rank"), format::count(trace.rank.index)});
  return figures;
}

QStringList loadWords(const Trace& trace) {
  const QString events = tr("%1 events").arg(format::count(static_cast<std::int64_t>(trace.events)));
  const QString bytes = format::fileSize(static_cast<double>(trace.fileBytes));
  return {tr("%1, %2, %3 s").arg(events, bytes, QLocale().toString(trace.load.seconds, 'f', 2)),
          QStringLiteral("%1, %2").arg(events, bytes), events};
}

QString healthWords(const TraceHealth& health) {
  const auto lost = static_cast<std::int64_t>(health.count(Severity::kLost));
  const auto repaired = static_cast<std::int64_t>(health.count(Severity::kRepaired));
  if (lost > 0) return tr("%1 lost").arg(format::count(lost));
  if (repaired > 0) return tr("nothing lost");
  return tr("no repairs");
}

SeverityLook severityLook(Severity severity) {
  switch (severity) {
    case Severity::kLost:
      return {"problem", "severity.problem"};
    case Severity::kRepaired:
      return {"warning", "severity.warning"};
    case Severity::kInfo:
      break;
  }
  return {"info", "severity.info"};
}

double progressShare(const Progress& progress) {
  const std::uint64_t total = progress.total();
  if (total == 0) return -1;
  return std::clamp(static_cast<double>(progress.done()) / static_cast<double>(total), 0.0, 1.0);
}

QString progressWords(const Progress& progress) {
  const QString stage = QString::fromUtf8(progress.stage());
  const auto events = static_cast<std::int64_t>(progress.events());
  if (events > 0) return tr("%1, %2 events").arg(stage.isEmpty() ? tr("Opening") : stage, format::count(events));
  return stage.isEmpty() ? tr("Opening") : stage;
}

}  // namespace attnscope::ui
