// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/unit/timeline/HandMadeRun.h"

#include <algorithm>

namespace attnscope::ui {

std::shared_ptr<const RunFacts> makeFacts(const std::vector<HandTrack>& tracks, int compared) {
  auto trace = std::make_shared<Trace>();
  auto facts = std::make_shared<RunFacts>();
  trace->timed = true;
  trace->processes.resize(2);
  trace->processes[0].kind = ProcessKind::kHost;
  trace->processes[0].name = "python";
  trace->processes[1].kind = ProcessKind::kDevice;
  trace->processes[1].device = 0;
  SliceTable& table = trace->slices;
  std::int64_t end = 1;
  for (std::size_t at = 0; at < tracks.size(); ++at) {
    Track track;
    track.kind = tracks[at].kind;
    const bool isStream = track.kind == TrackKind::kStream;
    track.process = ProcessId{isStream ? 1u : 0u};
    track.device = isStream ? 0 : -1;
    track.name = tracks[at].name;
    track.firstSlice = static_cast<std::uint32_t>(table.size());
    track.sliceCount = static_cast<std::uint32_t>(tracks[at].slices.size());
    for (const HandSlice& slice : tracks[at].slices) {
      const auto id = static_cast<std::uint32_t>(table.size());
      if (static_cast<int>(track.rows.size()) <= slice.depth) track.rows.push_back({id, 0});
      ++track.rows.back().count;
      table.startNs.push_back(slice.startNs);
      table.durationNs.push_back(slice.durationNs);
      table.name.push_back(trace->strings.intern(slice.name));
      table.category.push_back(trace->strings.intern(slice.category));
      const CategoryClass category = classifyCategory(slice.category);
      table.categoryClass.push_back(category);
      table.kind.push_back(classifyWork(category, slice.name));
      table.finished.push_back(true);
      table.markedUnfinished.push_back(false);
      table.track.push_back(TrackId{static_cast<std::uint32_t>(at)});
      table.depth.push_back(static_cast<std::uint32_t>(slice.depth));
      SliceId parent = kNoSlice;
      for (std::uint32_t other = track.firstSlice; other < id; ++other) {
        const bool holds = table.startNs[other] <= slice.startNs &&
                           table.startNs[other] + table.durationNs[other] >= slice.startNs + slice.durationNs;
        if (static_cast<int>(table.depth[other]) + 1 == slice.depth && holds) parent = SliceId{other};
      }
      table.parent.push_back(parent);
      table.order.push_back(id);
      table.correlation.push_back(kNoNumber);
      table.externalId.push_back(kNoNumber);
      table.inputDims.push_back(kNoString);
      table.argsBegin.push_back(0);
      table.argsLength.push_back(0);
      end = std::max(end, slice.startNs + slice.durationNs);
      if (category == CategoryClass::kKernel) {
        DeviceWorkTable& work = trace->deviceWork;
        work.slice.push_back(SliceId{id});
        work.device.push_back(0);
        work.stream.push_back(7);
        work.launch.push_back(kNoSlice);
        work.launchOperator.push_back(kNoSlice);
        work.grid.push_back({0, 0, 0});
        work.block.push_back({0, 0, 0});
        work.registersPerThread.push_back(-1);
        work.sharedMemoryBytes.push_back(-1);
        work.occupancyReported.push_back(-1);
        work.bytes.push_back(-1);
      }
    }
    trace->tracks.push_back(std::move(track));
  }
  trace->range = trace->dense = {0, end};
  for (const WorkKind kind : table.kind) facts->paintClass.push_back(static_cast<std::uint8_t>(kind));
  facts->comparedTrack = compared < 0 ? kNoTrack : TrackId{static_cast<std::uint32_t>(compared)};
  facts->trace = std::move(trace);
  return facts;
}

std::string twoKernelsJson(double kernelUs) {
  std::string json = R"({"schemaVersion": 1, "traceEvents": [
{"ph":"M","name":"process_name","pid":100,"tid":0,"args":{"name":"python"}},
{"ph":"X","cat":"user_annotation","name":"ProfilerStep#3","pid":100,"tid":100,"ts":1000,"dur":900},
)";
  for (int call = 0; call < 2; ++call) {
    const std::string start = std::to_string(1010 + call * 300);
    const std::string launch = std::to_string(1020 + call * 300);
    const std::string kernel = std::to_string(1100 + call * 300);
    const std::string number = std::to_string(11 + call);
    json += R"({"ph":"X","cat":"cpu_op","name":"aten::mm","pid":100,"tid":100,"ts":)" + start +
            R"(,"dur":60,"args":{"External id":)" + number + "}},\n";
    json += R"({"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":100,"tid":100,"ts":)" + launch +
            R"(,"dur":10,"args":{"External id":)" + number + R"(,"correlation":)" + number + "}},\n";
    json += R"({"ph":"X","cat":"kernel","name":"ampere_sgemm_128x64_nn","pid":0,"tid":7,"ts":)" + kernel +
            R"(,"dur":)" + std::to_string(kernelUs) + R"(,"args":{"device":0,"stream":7,"External id":)" + number +
            R"(,"correlation":)" + number + "}},\n";
  }
  json +=
      R"({"ph":"X","cat":"kernel","name":"softmax_warp_forward","pid":0,"tid":7,"ts":1700,"dur":40,"args":{"device":0,"stream":7}}
]})";
  return json;
}

}  // namespace attnscope::ui
