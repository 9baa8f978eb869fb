// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tables/RecordRows.h"

#include <algorithm>

#include <QCoreApplication>

#include "core/analysis/MemoryOperators.h"
#include "ui/bridge/FreedAside.h"
#include "ui/tables/RowParts.h"

namespace attnscope::ui {
namespace {

QString words(const char* text) { return QCoreApplication::translate("Tables", text); }

// Puts the rows of several runs one after the other.
class RecordTable {
 public:
  explicit RecordTable(const std::vector<RecordInput>& inputs) : m_inputs(inputs), m_rows(makeFreedAside<TableRows>()) {
    for (const RecordInput& input : inputs) m_rows->slices.emplace_back(input.run.runNumber, input.run.facts);
  }

  int addText(const QString& title, int width, int hideRank) {
    return m_rows->addColumn(textColumn(title, width, hideRank));
  }
  int addName(const QString& title) { return m_rows->addColumn(nameColumn(title, 240)); }
  void addRun() {
    if (m_inputs.size() > 1) m_run = addText(words(QT_TRANSLATE_NOOP("Tables", "Run")), 52, 0);
  }
  int addNumber(const QString& title, ColumnRole role, int width, SumRule sum, const QString& description = {}) {
    Column column;
    column.title = title;
    column.role = role;
    column.width = width;
    column.sum = sum;
    column.description = description;
    return m_rows->addColumn(column);
  }
  void text(int column, const QString& value) { m_rows->texts[static_cast<std::size_t>(column)].add(value); }
  void number(int column, double value) { m_rows->numbers[static_cast<std::size_t>(column)].push_back(value); }
  // After the cells of a row of the input at `position`.
  void endRow(std::size_t position, SliceId slice) {
    if (m_run >= 0) text(m_run, m_inputs[position].run.letter);
    for (std::size_t i = 0; i < m_inputs.size(); ++i) {
      const bool isHere = i == position && slice != kNoSlice;
      m_rows->slices[i].addRow(isHere ? std::vector<SliceId>{slice} : std::vector<SliceId>{});
    }
    ++m_rows->rowCount;
  }
  TableRows& rows() { return *m_rows; }
  SharedRows finish() {
    for (RowSlices& slices : m_rows->slices) slices.finish();
    return m_rows;
  }

 private:
  const std::vector<RecordInput>& m_inputs;
  std::shared_ptr<TableRows> m_rows;
  int m_run = -1;
};

}  // namespace

SharedRows sliceRows(const std::vector<RecordInput>& inputs) {
  RecordTable table(inputs);
  const int name = table.addName(words(QT_TRANSLATE_NOOP("Tables", "Slice")));
  table.addRun();
  const int category = table.addText(words(QT_TRANSLATE_NOOP("Tables", "Category")), 130, 3);
  const int track = table.addText(words(QT_TRANSLATE_NOOP("Tables", "Track")), 190, 2);
  const int start =
      table.addNumber(words(QT_TRANSLATE_NOOP("Tables", "Start")), ColumnRole::kTime, 110, SumRule::kNone);
  const int duration =
      table.addNumber(words(QT_TRANSLATE_NOOP("Tables", "Duration")), ColumnRole::kTimeWithBar, 130, SumRule::kSum);
  const int parent = table.addText(words(QT_TRANSLATE_NOOP("Tables", "Inside")), 180, 1);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Trace& trace = *inputs[i].run.facts->trace;
    for (const SliceId slice : inputs[i].slices) {
      table.text(name, textOf(trace.name(slice)));
      table.text(category, textOf(trace.category(slice)));
      table.text(track, QString::fromStdString(trace.tracks[index(trace.slices.track[index(slice)])].name));
      table.number(start, static_cast<double>(trace.slices.startNs[index(slice)] - inputs[i].anchorNs));
      table.number(duration, static_cast<double>(trace.slices.durationNs[index(slice)]));
      const SliceId around = trace.slices.parent[index(slice)];
      table.text(parent, around == kNoSlice ? QString() : textOf(trace.name(around)));
      table.rows().kinds.push_back(static_cast<WorkKind>(inputs[i].run.facts->paintClass[index(slice)]));
      table.endRow(i, slice);
    }
  }
  chooseTimeUnit(table.rows(), {start});
  chooseTimeUnit(table.rows(), {duration});
  scaleToSum(table.rows(), duration);
  table.rows().sortColumn = duration;
  return table.finish();
}

SharedRows stepRows(const std::vector<RecordInput>& inputs) {
  RecordTable table(inputs);
  const int name = table.addName(words(QT_TRANSLATE_NOOP("Tables", "Step")));
  table.addRun();
  const int start =
      table.addNumber(words(QT_TRANSLATE_NOOP("Tables", "Start")), ColumnRole::kTime, 110, SumRule::kNone);
  const int duration =
      table.addNumber(words(QT_TRANSLATE_NOOP("Tables", "Duration")), ColumnRole::kTimeWithBar, 140, SumRule::kSum);
  const int kernelTime =
      table.addNumber(words(QT_TRANSLATE_NOOP("Tables", "Kernel time")), ColumnRole::kTime, 120, SumRule::kSum,
                      words(QT_TRANSLATE_NOOP("Tables", "Of kernels that start in the step")));
  const int kernels =
      table.addNumber(words(QT_TRANSLATE_NOOP("Tables", "Kernels")), ColumnRole::kCount, 90, SumRule::kSum);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Trace& trace = *inputs[i].run.facts->trace;
    const std::vector<Step>& steps = trace.steps;
    std::vector<std::int64_t> timeOf(steps.size());
    std::vector<std::int64_t> countOf(steps.size());
    for (const SliceId kernel : trace.deviceWork.slice) {
      if (trace.slices.categoryClass[index(kernel)] != CategoryClass::kKernel) continue;
      const std::int64_t at = trace.slices.startNs[index(kernel)];
      const auto after = std::upper_bound(steps.begin(), steps.end(), at,
                                          [](std::int64_t ns, const Step& step) { return ns < step.startNs; });
      if (after == steps.begin()) continue;
      const auto step = static_cast<std::size_t>(after - steps.begin()) - 1;
      if (at >= steps[step].startNs + steps[step].durationNs) continue;
      timeOf[step] += trace.slices.durationNs[index(kernel)];
      ++countOf[step];
    }
    for (std::size_t s = 0; s < steps.size(); ++s) {
      if (!inputs[i].run.tables->scope.contains(steps[s].startNs)) continue;
      table.text(name, textOf(trace, steps[s].name));
      table.number(start, static_cast<double>(steps[s].startNs - inputs[i].anchorNs));
      table.number(duration, static_cast<double>(steps[s].durationNs));
      table.number(kernelTime, trace.hasDeviceWork() ? static_cast<double>(timeOf[s]) : kUnknownNumber);
      table.number(kernels, trace.hasDeviceWork() ? static_cast<double>(countOf[s]) : kUnknownNumber);
      table.endRow(i, steps[s].slice);
    }
  }
  chooseTimeUnit(table.rows(), {start});
  chooseTimeUnit(table.rows(), {duration, kernelTime});
  scaleToSum(table.rows(), duration);
  return table.finish();
}

SharedRows memoryEventRows(const std::vector<RecordInput>& inputs) {
  RecordTable table(inputs);
  const int name = table.addName(words(QT_TRANSLATE_NOOP("Tables", "In operator")));
  table.addRun();
  const int device = table.addText(words(QT_TRANSLATE_NOOP("Tables", "Device")), 80, 3);
  const int what = table.addText(words(QT_TRANSLATE_NOOP("Tables", "Event")), 90, 4);
  const int at = table.addNumber(words(QT_TRANSLATE_NOOP("Tables", "Time")), ColumnRole::kTime, 110, SumRule::kNone);
  const int bytes = table.addNumber(words(QT_TRANSLATE_NOOP("Tables", "Bytes")), ColumnRole::kBytes, 110, SumRule::kSum,
                                    words(QT_TRANSLATE_NOOP("Tables", "Minus is freed")));
  const int allocated = table.addNumber(words(QT_TRANSLATE_NOOP("Tables", "Allocated")), ColumnRole::kBytes, 110,
                                        SumRule::kNone, words(QT_TRANSLATE_NOOP("Tables", "In all after the event")));
  const int reserved = table.addNumber(words(QT_TRANSLATE_NOOP("Tables", "Reserved")), ColumnRole::kBytes, 110,
                                       SumRule::kNone, words(QT_TRANSLATE_NOOP("Tables", "In all after the event")));
  const int thread = table.addText(words(QT_TRANSLATE_NOOP("Tables", "Thread")), 170, 2);
  const auto known = [](std::int64_t value) {
    return value == kNoNumber ? kUnknownNumber : static_cast<double>(value);
  };
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Trace& trace = *inputs[i].run.facts->trace;
    const MemoryTable& memory = trace.memory;
    const std::vector<SliceId> operators = memoryOperators(trace);
    for (std::size_t record = 0; record < memory.size(); ++record) {
      if (!inputs[i].run.tables->scope.contains(memory.atNs[record])) continue;
      const SliceId open = operators[record];
      table.text(name, open == kNoSlice ? words(QT_TRANSLATE_NOOP("Tables", "no operator")) : textOf(trace.name(open)));
      table.text(device, QString::fromStdString(memoryDeviceName(memory.deviceType[record], memory.deviceId[record])));
      table.text(what, memory.bytes[record] < 0 ? words(QT_TRANSLATE_NOOP("Tables", "free"))
                                                : words(QT_TRANSLATE_NOOP("Tables", "allocation")));
      table.number(at, static_cast<double>(memory.atNs[record] - inputs[i].anchorNs));
      table.number(bytes, static_cast<double>(memory.bytes[record]));
      table.number(allocated, known(memory.totalAllocated[record]));
      table.number(reserved, known(memory.totalReserved[record]));
      const TrackId track = memory.track[record];
      table.text(thread, track == kNoTrack ? QString() : QString::fromStdString(trace.tracks[index(track)].name));
      table.rows().kinds.push_back(
          open == kNoSlice ? WorkKind::kUnknown : static_cast<WorkKind>(inputs[i].run.facts->paintClass[index(open)]));
      table.endRow(i, open);
    }
  }
  chooseTimeUnit(table.rows(), {at});
  for (const int column : {bytes, allocated, reserved}) chooseByteUnit(table.rows(), column);
  return table.finish();
}

}  // namespace attnscope::ui
