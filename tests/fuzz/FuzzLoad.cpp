// SPDX-License-Identifier: Apache-2.0
// A file to a trace, in one block and in many: both tell the same, and the trace keeps what Trace.h promises.
#include "core/analysis/Kernels.h"
#include "core/analysis/Memory.h"
#include "core/analysis/Operators.h"
#include "core/import/TraceLoader.h"
#include "core/index/RowIndex.h"
#include "tests/fuzz/MemoryFile.h"

using namespace attnscope;
using fuzz::require;

namespace {

void checkRows(const Trace& trace) {
  const SliceTable& t = trace.slices;
  for (const Track& track : trace.tracks) {
    std::uint32_t at = track.firstSlice;
    for (const RowSpan row : track.rows) {
      require(row.first == at && row.count > 0);
      at += row.count;
      for (std::uint32_t i = row.first; i < at; ++i) {
        require(t.durationNs[i] >= 0);
        require(i == row.first || t.startNs[i] >= t.startNs[i - 1] + t.durationNs[i - 1]);
        require(t.parent[i] == kNoSlice || t.depth[index(t.parent[i])] < t.depth[i]);
      }
    }
    require(at == track.firstSlice + track.sliceCount);
  }
}

void checkArrows(const Trace& trace) {
  for (std::size_t i = 0; i < trace.flows.size(); ++i) {
    require(index(trace.flows.from[i]) < trace.slices.size());
    require(index(trace.flows.to[i]) < trace.slices.size());
  }
}

// What the views ask for when a trace is opened.
void look(const Trace& trace) {
  const OperatorTree tree = buildOperatorTree(trace, {});
  (void)operatorTable(trace, tree, OperatorGrouping::kByShape, OperatorFilter::kAll, trace.range);
  (void)kernelTable(trace, KernelGrouping::kByName, trace.range);
  (void)deviceBusy(trace, trace.range);
  (void)memorySeries(trace);
  const std::vector<std::uint8_t> paint(trace.slices.size(), 0);
  for (const Track& track : trace.tracks)
    for (const RowSpan row : track.rows) {
      const RowColumns columns{std::span(trace.slices.startNs).subspan(row.first, row.count),
                               std::span(trace.slices.durationNs).subspan(row.first, row.count),
                               std::span(paint).subspan(row.first, row.count)};
      std::vector<RowRun> runs;
      const double perPixel = static_cast<double>(trace.range.endNs - trace.range.startNs) / 64 + 1;
      RowIndex::build(columns).query(columns, static_cast<double>(trace.range.startNs), perPixel, 64, runs);
    }
  for (std::size_t i = 0; i < trace.slices.size() && i < 16; ++i)
    (void)trace.argsSource->read(trace.slices.args(SliceId{static_cast<std::uint32_t>(i)}));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::MemoryFile file(data, size);
  Progress progress;
  LoadOptions whole;
  whole.threads = 1;
  LoadOptions blocks;
  blocks.threads = 2;
  blocks.blockBytes = 64;
  const auto one = loadTrace(file.path(), whole, progress, {});
  const auto many = loadTrace(file.path(), blocks, progress, {});
  require(one.has_value() == many.has_value());
  if (!one) {
    require(!one.error().what.empty() && !one.error().remedy.empty());
    return 0;
  }
  checkRows(**one);
  checkArrows(**one);
  require((*one)->events == (*many)->events);
  require((*one)->slices.startNs == (*many)->slices.startNs);
  require((*one)->slices.argsBegin == (*many)->slices.argsBegin);
  require((*one)->flows.from == (*many)->flows.from);
  look(**one);
  return 0;
}
