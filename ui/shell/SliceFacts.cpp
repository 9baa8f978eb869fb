// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/SliceFacts.h"

#include <algorithm>

#include <QCoreApplication>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include "core/analysis/Kernels.h"
#include "ui/bridge/Format.h"
#include "ui/lab/RecordedShape.h"

namespace attnscope::ui {

namespace {

QString tr(const char* text) { return QCoreApplication::translate("attnscope::ui::SliceFacts", text); }
QString fromView(std::string_view text) { return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size())); }

std::int64_t halfUp(std::int64_t a, std::int64_t b) { return a + (b - a + 1) / 2; }

// Slices of this name and class that start in the scope, by start.
std::vector<SliceId> callsInScope(const Trace& trace, std::string_view name, CategoryClass category, TimeRange scope) {
  std::vector<SliceId> found;
  const StringId id = trace.strings.find(name);
  if (id == kNoString) return found;
  const SliceTable& slices = trace.slices;
  for (std::size_t i = 0; i < slices.size(); ++i) {
    if (slices.name[i] == id && slices.categoryClass[i] == category && scope.contains(slices.startNs[i])) {
      found.push_back(SliceId(static_cast<std::uint32_t>(i)));
    }
  }
  std::stable_sort(found.begin(), found.end(),
                   [&slices](SliceId a, SliceId b) { return slices.startNs[index(a)] < slices.startNs[index(b)]; });
  return found;
}

QString triple(const std::array<std::int32_t, 3>& value) {
  return QStringLiteral("%1 × %2 × %3").arg(format::count(value[0]), format::count(value[1]), format::count(value[2]));
}

bool isDeviceWork(CategoryClass category) {
  return category == CategoryClass::kKernel || category == CategoryClass::kGpuMemcpy ||
         category == CategoryClass::kGpuMemset || category == CategoryClass::kSynchronisation;
}

void addLaunchFacts(const Trace& trace, std::size_t row, SliceFacts& facts) {
  const DeviceWorkTable& work = trace.deviceWork;
  if (work.grid[row][0] > 0) facts.launch.push_back({tr("Grid"), triple(work.grid[row])});
  if (work.block[row][0] > 0) facts.launch.push_back({tr("Block"), triple(work.block[row])});
  if (work.registersPerThread[row] >= 0) {
    facts.launch.push_back({tr("Registers"), tr("%1 a thread").arg(format::count(work.registersPerThread[row]))});
  }
  if (work.sharedMemoryBytes[row] >= 0) {
    facts.launch.push_back(
        {tr("Shared memory"), tr("%1 a block").arg(format::bytes(static_cast<double>(work.sharedMemoryBytes[row])))});
  }
  if (work.occupancyReported[row] >= 0) {
    facts.launch.push_back(
        {tr("Occupancy"), tr("%1 reported").arg(format::percent(static_cast<double>(work.occupancyReported[row]), 0))});
  }
  if (work.bytes[row] >= 0) {
    facts.launch.push_back({tr("Bytes"), format::bytes(static_cast<double>(work.bytes[row]))});
    const std::int64_t ns = trace.slices.durationNs[index(work.slice[row])];
    if (ns > 0) {
      const double gigabytes = static_cast<double>(work.bytes[row]) / static_cast<double>(ns);
      facts.launch.push_back({tr("Rate"), tr("%1 GB/s").arg(QLocale().toString(gigabytes, 'f', 1))});
    }
  }
}

}  // namespace

QString kindWords(WorkKind kind) {
  switch (kind) {
    case WorkKind::kGemm:
      return tr("Matrix product");
    case WorkKind::kAttention:
      return tr("Fused attention");
    case WorkKind::kSoftmax:
      return tr("Softmax");
    case WorkKind::kElementwise:
      return tr("Elementwise");
    case WorkKind::kNormalisation:
      return tr("Normalisation");
    case WorkKind::kCopy:
      return tr("Copy, cast or memset");
    case WorkKind::kCommunication:
      return tr("Communication");
    case WorkKind::kSynchronisation:
      return tr("Synchronisation");
    case WorkKind::kLaunch:
      return tr("Runtime call");
    case WorkKind::kCpuOperator:
      return tr("CPU operator");
    case WorkKind::kPython:
      return tr("Python");
    case WorkKind::kAnnotation:
      return tr("Annotation");
    case WorkKind::kIdle:
      return tr("Idle");
    case WorkKind::kUnknown:
      break;
  }
  return tr("Other work");
}

CallStatistics callsOf(const Trace& trace, std::string_view name, CategoryClass category, TimeRange scope,
                       SliceId slice) {
  constexpr std::size_t kBins = 40;
  CallStatistics result;
  const std::vector<SliceId> calls = callsInScope(trace, name, category, scope);
  result.calls = calls.size();
  if (calls.empty()) return result;
  std::vector<std::int64_t> durations;
  durations.reserve(calls.size());
  for (std::size_t i = 0; i < calls.size(); ++i) {
    durations.push_back(trace.slices.durationNs[index(calls[i])]);
    if (calls[i] == slice) result.ordinal = i + 1;
  }
  std::sort(durations.begin(), durations.end());
  const std::size_t n = durations.size();
  result.minNs = durations.front();
  result.maxNs = durations.back();
  result.medianNs = n % 2 == 1 ? durations[n / 2] : halfUp(durations[n / 2 - 1], durations[n / 2]);
  result.p95Ns = durations[(n * 95 + 99) / 100 - 1];
  if (n > 1 && result.maxNs > result.minNs) {
    result.histogram.assign(kBins, 0);
    const double width = static_cast<double>(result.maxNs - result.minNs) / static_cast<double>(kBins);
    for (const std::int64_t duration : durations) {
      const auto bin = static_cast<std::size_t>(static_cast<double>(duration - result.minNs) / width);
      ++result.histogram[std::min(bin, kBins - 1)];
    }
  }
  return result;
}

SliceId nthCall(const Trace& trace, std::string_view name, CategoryClass category, TimeRange scope,
                std::uint64_t ordinal) {
  const std::vector<SliceId> calls = callsInScope(trace, name, category, scope);
  return ordinal >= 1 && ordinal <= calls.size() ? calls[ordinal - 1] : kNoSlice;
}

std::vector<SliceId> launchChain(const Trace& trace, SliceId slice) {
  std::vector<SliceId> chain;
  SliceId at = trace.slices.parent[index(slice)];
  if (const auto row = trace.deviceWork.find(slice)) {
    const SliceId launch = trace.deviceWork.launch[*row];
    const SliceId launcher = trace.deviceWork.launchOperator[*row];
    if (launch != kNoSlice) chain.push_back(launch);
    at = launcher;
    if (launch != kNoSlice && launcher == kNoSlice) at = trace.slices.parent[index(launch)];
  }
  while (at != kNoSlice && chain.size() < 64) {
    chain.push_back(at);
    at = trace.slices.parent[index(at)];
  }
  return chain;
}

namespace {

// From the call that launched device work to its start: the call itself, the time it then stood, and how much of that
// the stream was busy with the work before it.
void addDelays(const Trace& trace, SliceId slice, SliceId launch, SliceFacts& result) {
  const SliceTable& slices = trace.slices;
  const std::int64_t start = slices.startNs[index(slice)];
  const std::int64_t returned = slices.endNs(launch);
  result.more.push_back({tr("Launch call"), format::time(static_cast<double>(slices.durationNs[index(launch)]))});
  if (start <= returned) return;
  result.more.push_back({tr("Then queued"), format::time(static_cast<double>(start - returned))});
  if (index(slice) == 0) return;
  const SliceId before{static_cast<std::uint32_t>(index(slice)) - 1};
  const bool isSameRow = slices.track[index(before)] == slices.track[index(slice)] &&
                         slices.depth[index(before)] == slices.depth[index(slice)];
  const std::int64_t behind = isSameRow ? std::min(start, slices.endNs(before)) - returned : 0;
  if (behind > 0) {
    result.more.push_back({tr("of it behind others"), format::time(static_cast<double>(behind))});
  }
}

// Of the beginning, then of the end where that is another.
std::vector<Fact> stackOf(const Trace& trace, SliceId slice) {
  std::vector<Fact> frames;
  const auto row = trace.stacks.find(slice);
  if (!row) return frames;
  const auto add = [&](std::uint32_t frame, const QString& label) {
    int number = 0;
    for (const StringId name : trace.stacks.names(frame)) {
      frames.push_back({label.arg(number++), fromView(trace.strings.view(name))});
    }
  };
  const std::uint32_t begin = trace.stacks.atBegin[*row];
  const std::uint32_t end = trace.stacks.atEnd[*row];
  add(begin, QStringLiteral("#%1"));
  if (end != begin) add(end, tr("At the end #%1"));
  return frames;
}

}  // namespace

SliceFacts sliceFacts(const RunFacts& facts, SliceId slice, std::int64_t anchorNs) {
  const Trace& trace = *facts.trace;
  const SliceTable& slices = trace.slices;
  const std::size_t at = index(slice);
  const std::string_view name = trace.name(slice);
  SliceFacts result;
  const bool isKernel = slices.categoryClass[at] == CategoryClass::kKernel;
  result.name = isKernel ? QString::fromStdString(shortKernelName(name)) : fromView(name);
  if (result.name.isEmpty()) result.name = tr("Without a name");
  result.fullName = isKernel ? QString::fromStdString(demangledName(name)) : fromView(name);
  result.paint = at < facts.paintClass.size() ? static_cast<WorkKind>(facts.paintClass[at]) : slices.kind[at];
  result.duration = format::time(static_cast<double>(slices.durationNs[at]));
  result.start = format::time(static_cast<double>(slices.startNs[at] - anchorNs));

  const Track& track = trace.tracks[index(slices.track[at])];
  const QString trackName = QString::fromStdString(track.name);
  result.kind = track.device >= 0
                    ? tr("%1 on device %2, %3").arg(kindWords(slices.kind[at])).arg(track.device).arg(trackName)
                    : tr("%1 on %2").arg(kindWords(slices.kind[at]), trackName);

  if (const auto row = trace.deviceWork.find(slice)) {
    addLaunchFacts(trace, *row, result);
    const SliceId launch = trace.deviceWork.launch[*row];
    if (launch != kNoSlice) {
      result.thirdLabel = tr("After launch");
      result.third = format::time(static_cast<double>(slices.startNs[at] - slices.startNs[index(launch)]));
      addDelays(trace, slice, launch, result);
    }
  } else if (at < facts.tree.nodeOfSlice.size() && facts.tree.nodeOfSlice[at] != OperatorNode::kNone) {
    const OperatorNode& node = facts.tree.nodes[facts.tree.nodeOfSlice[at]];
    if (node.slice == slice) {
      result.thirdLabel = tr("Self");
      result.third = format::time(static_cast<double>(node.cpuSelfNs));
      if (node.deviceTotalNs > 0) {
        result.more.push_back({tr("Device time"), format::time(static_cast<double>(node.deviceTotalNs))});
      }
      if (node.cpuMemoryBytes != 0) {
        result.more.push_back({tr("CPU memory"), format::signedBytes(static_cast<double>(node.cpuMemoryBytes))});
      }
      if (node.deviceMemoryBytes != 0) {
        result.more.push_back({tr("Device memory"), format::signedBytes(static_cast<double>(node.deviceMemoryBytes))});
      }
    }
  }
  if (!slices.finished[at]) result.more.push_back({tr("End"), tr("not recorded, drawn to the trace's end")});
  if (slices.inputDims[at] != kNoString) {
    result.more.push_back({tr("Input shapes"), fromView(trace.strings.view(slices.inputDims[at]))});
  }
  if (slices.correlation[at] != kNoNumber) {
    result.more.push_back({tr("Correlation"), QString::number(slices.correlation[at])});
  }
  const std::string_view category = trace.category(slice);
  if (!category.empty()) result.more.push_back({tr("Category"), fromView(category)});
  result.stack = stackOf(trace, slice);
  return result;
}

namespace {

QString inOneLine(const QJsonValue& value) {
  if (value.isString()) return value.toString();
  const QString text = QString::fromUtf8(QJsonDocument(QJsonArray{value}).toJson(QJsonDocument::Compact));
  return text.mid(1, text.size() - 2);
}

// Lists of plain values, as shapes are, stand in one line; what holds lists or objects branches.
void addBranch(const QString& label, const QJsonValue& value, int depth, std::vector<Fact>& entries) {
  constexpr std::size_t kMostEntries = 500;
  if (entries.size() >= kMostEntries) return;
  const auto branches = [](const QJsonValue& each) { return each.isArray() || each.isObject(); };
  if (value.isObject() && !value.toObject().isEmpty()) {
    const QJsonObject object = value.toObject();
    entries.push_back({label, tr("%1 entries").arg(object.size()), depth});
    for (auto entry = object.begin(); entry != object.end(); ++entry)
      addBranch(entry.key(), *entry, depth + 1, entries);
    return;
  }
  const QJsonArray array = value.toArray();
  if (value.isArray() && std::any_of(array.begin(), array.end(), branches)) {
    entries.push_back({label, tr("%1 entries").arg(array.size()), depth});
    for (qsizetype at = 0; at < array.size(); ++at) {
      addBranch(QStringLiteral("[%1]").arg(at), array[at], depth + 1, entries);
    }
    return;
  }
  entries.push_back({label, inOneLine(value), depth});
}

}  // namespace

Arguments readArguments(const Trace& trace, SliceId slice) {
  Arguments result;
  const TextRange range = trace.slices.args(slice);
  if (range.length == 0) return result;
  if (!trace.argsSource) {
    result.failure = tr("Arguments cannot be read: the trace keeps no text.");
    return result;
  }
  const Result<std::string> text = trace.argsSource->read(range);
  if (!text) {
    result.failure = tr("Arguments cannot be read: %1").arg(QString::fromStdString(text.error().what));
    return result;
  }
  QJsonParseError problem;
  const QByteArray bytes = QByteArray::fromStdString(*text);
  const QJsonDocument document = QJsonDocument::fromJson(bytes, &problem);
  if (!document.isObject()) {
    // Infinity and NaN are written by some recorders and are no JSON: shown as they stand.
    result.entries.push_back({tr("As written"), QString::fromUtf8(bytes)});
    return result;
  }
  result.object = document.object();
  for (auto entry = result.object.begin(); entry != result.object.end(); ++entry) {
    addBranch(entry.key(), *entry, 0, result.entries);
  }
  return result;
}

QString factsAsText(const SliceFacts& facts, const QString& run, const CallStatistics& calls,
                    const Arguments& arguments) {
  QStringList lines{facts.fullName, facts.kind, tr("Run: %1").arg(run), tr("Duration: %1").arg(facts.duration),
                    tr("Start: %1").arg(facts.start)};
  if (!facts.third.isEmpty()) lines << QStringLiteral("%1: %2").arg(facts.thirdLabel, facts.third);
  for (const auto& group : {facts.launch, facts.more, facts.stack}) {
    for (const Fact& fact : group) lines << QStringLiteral("%1: %2").arg(fact.label, fact.value);
  }
  if (calls.calls > 0) {
    lines << tr("Calls in scope: %1, min %2, median %3, p95 %4, max %5")
                 .arg(format::count(static_cast<std::int64_t>(calls.calls)),
                      format::time(static_cast<double>(calls.minNs)), format::time(static_cast<double>(calls.medianNs)),
                      format::time(static_cast<double>(calls.p95Ns)), format::time(static_cast<double>(calls.maxNs)));
  }
  for (const Fact& fact : arguments.entries) {
    lines << QString(2 * fact.depth, u' ') + QStringLiteral("%1: %2").arg(fact.label, fact.value);
  }
  return lines.join(u'\n') + u'\n';
}

QByteArray factsAsJson(const Trace& trace, SliceId slice, const QString& run, const CallStatistics& calls,
                       const Arguments& arguments) {
  const SliceTable& slices = trace.slices;
  const std::size_t at = index(slice);
  QJsonObject object{{QStringLiteral("run"), run},
                     {QStringLiteral("name"), fromView(trace.name(slice))},
                     {QStringLiteral("category"), fromView(trace.category(slice))},
                     {QStringLiteral("kind"), fromView(toString(slices.kind[at]))},
                     {QStringLiteral("track"), QString::fromStdString(trace.tracks[index(slices.track[at])].name)},
                     {QStringLiteral("start_ns"), static_cast<qint64>(slices.startNs[at])},
                     {QStringLiteral("duration_ns"), static_cast<qint64>(slices.durationNs[at])}};
  QJsonArray chain;
  for (const SliceId each : launchChain(trace, slice)) chain.append(fromView(trace.name(each)));
  object.insert(isDeviceWork(slices.categoryClass[at]) ? QStringLiteral("launched_by") : QStringLiteral("inside"),
                chain);
  if (calls.calls > 0) {
    object.insert(QStringLiteral("calls"),
                  QJsonObject{{QStringLiteral("count"), static_cast<qint64>(calls.calls)},
                              {QStringLiteral("min_ns"), static_cast<qint64>(calls.minNs)},
                              {QStringLiteral("median_ns"), static_cast<qint64>(calls.medianNs)},
                              {QStringLiteral("p95_ns"), static_cast<qint64>(calls.p95Ns)},
                              {QStringLiteral("max_ns"), static_cast<qint64>(calls.maxNs)}});
  }
  if (const std::vector<Fact> frames = stackOf(trace, slice); !frames.empty()) {
    QJsonArray stack;
    for (const Fact& frame : frames) stack.append(frame.value);
    object.insert(QStringLiteral("stack"), stack);
  }
  QJsonObject args = arguments.object;
  if (args.isEmpty()) {  // what is no JSON, as it was written
    for (const Fact& fact : arguments.entries) args.insert(fact.label, fact.value);
  }
  object.insert(QStringLiteral("args"), args);
  return QJsonDocument(object).toJson();
}

SliceId attentionCallOf(const Trace& trace, SliceId slice) {
  if (isAttentionCall(trace, slice)) return slice;
  for (const SliceId each : launchChain(trace, slice)) {
    if (isAttentionCall(trace, each)) return each;
  }
  return kNoSlice;
}

}  // namespace attnscope::ui
