// SPDX-License-Identifier: Apache-2.0
#include "core/compare/Alignment.h"

#include <algorithm>

namespace attnscope {

namespace {

tl::unexpected<Error> nothing(std::string what, std::string remedy) {
  return fail(
      {.kind = ErrorKind::kUsage, .what = std::move(what), .remedy = std::move(remedy), .byte = {}, .event = {}});
}

// a - b of two decimal texts of up to 38 digits, where the difference fits.
std::optional<std::int64_t> difference(const std::string& a, const std::string& b) {
  const auto parse = [](std::string_view text, __int128_t& value) {
    value = 0;
    const bool negative = text.starts_with('-');
    if (negative) text.remove_prefix(1);
    if (text.empty() || text.size() > 37) return false;
    for (const char c : text) {
      if (c < '0' || c > '9') return false;
      value = value * 10 + (c - '0');
    }
    if (negative) value = -value;
    return true;
  };
  __int128_t first = 0;
  __int128_t second = 0;
  if (!parse(a, first) || !parse(b, second)) return std::nullopt;
  const __int128_t result = first - second;
  if (result > INT64_MAX || result < INT64_MIN) return std::nullopt;
  return static_cast<std::int64_t>(result);
}

// Steps are in order of start.
TimeRange stepRange(const Trace& trace, std::size_t leftOut) {
  TimeRange range{trace.steps[leftOut].startNs, INT64_MIN};
  for (std::size_t i = leftOut; i < trace.steps.size(); ++i) {
    range.endNs = std::max(range.endNs, trace.steps[i].startNs + trace.steps[i].durationNs);
  }
  return range;
}

TimeRange annotationRange(const Trace& trace, std::string_view name) {
  TimeRange range{INT64_MAX, INT64_MIN};
  const StringId id = trace.strings.find(name);
  if (id == kNoString) return range;
  for (std::size_t i = 0; i < trace.slices.size(); ++i) {
    if (trace.slices.name[i] != id || trace.slices.categoryClass[i] != CategoryClass::kUserAnnotation) continue;
    range.startNs = std::min(range.startNs, trace.slices.startNs[i]);
    range.endNs = std::max(range.endNs, trace.slices.startNs[i] + trace.slices.durationNs[i]);
  }
  return range;
}

std::optional<std::int64_t> firstKernelNs(const Trace& trace) {
  std::optional<std::int64_t> first;
  for (const SliceId id : trace.deviceWork.slice) {
    if (trace.slices.categoryClass[index(id)] != CategoryClass::kKernel) continue;
    const std::int64_t startNs = trace.slices.startNs[index(id)];
    if (!first || startNs < *first) first = startNs;
  }
  return first;
}

}  // namespace

std::optional<Alignment> parseAlignment(std::string_view text) {
  constexpr std::string_view kAnnotation = "annotation:";
  if (text == "step") return Alignment{AlignmentKind::kStep, {}, {}};
  if (text == "start") return Alignment{AlignmentKind::kStart, {}, {}};
  if (text == "first-kernel") return Alignment{AlignmentKind::kFirstKernel, {}, {}};
  if (text == "wall-clock") return Alignment{AlignmentKind::kWallClock, {}, {}};
  if (text.starts_with(kAnnotation) && text.size() > kAnnotation.size()) {
    return Alignment{AlignmentKind::kAnnotation, std::string(text.substr(kAnnotation.size())), {}};
  }
  return std::nullopt;
}

std::string toString(const Alignment& alignment) {
  switch (alignment.kind) {
    case AlignmentKind::kStart:
      return "start";
    case AlignmentKind::kStep:
      return "step";
    case AlignmentKind::kAnnotation:
      return "annotation:" + alignment.annotation;
    case AlignmentKind::kFirstKernel:
      return "first-kernel";
    case AlignmentKind::kWallClock:
      return "wall-clock";
  }
  return "start";
}

Result<AlignedScope> alignedScope(const Trace& trace, const Alignment& alignment, const Trace& base) {
  switch (alignment.kind) {
    case AlignmentKind::kStart:
      return AlignedScope{TimeRange::all(), trace.range.startNs, 0};
    case AlignmentKind::kStep: {
      if (trace.steps.empty()) return nothing("has no ProfilerStep to align by", "use --align start");
      const bool leavesOut = alignment.firstStep == FirstStep::kLeaveOut && trace.steps.size() >= kFewestToLeaveOut;
      const std::size_t leftOut = leavesOut ? 1 : 0;
      const TimeRange range = stepRange(trace, leftOut);
      return AlignedScope{range, range.startNs, leftOut};
    }
    case AlignmentKind::kAnnotation: {
      const TimeRange range = annotationRange(trace, alignment.annotation);
      if (range.startNs > range.endNs) {
        return nothing("has no annotation named " + alignment.annotation, "use the name of one that every run has");
      }
      return AlignedScope{range, range.startNs, 0};
    }
    case AlignmentKind::kFirstKernel: {
      const std::optional<std::int64_t> first = firstKernelNs(trace);
      if (!first) return nothing("has no kernels to align by", "use --align start");
      return AlignedScope{TimeRange::all(), *first, 0};
    }
    case AlignmentKind::kWallClock: {
      const auto offset = difference(base.base, trace.base);
      if (!offset) return nothing("lies centuries from the first run", "use --align start");
      return AlignedScope{TimeRange::all(), *offset, 0};
    }
  }
  return AlignedScope{};
}

std::vector<Landmark> landmarks(const Trace& trace) {
  std::vector<Landmark> found;
  for (const Step& step : trace.steps) found.push_back({step.startNs, step.name});
  for (std::size_t i = 0; i < trace.slices.size(); ++i) {
    if (trace.slices.categoryClass[i] != CategoryClass::kUserAnnotation) continue;
    found.push_back({trace.slices.startNs[i], trace.slices.name[i]});
  }
  if (const auto first = firstKernelNs(trace)) found.push_back({*first, kNoString});
  std::stable_sort(found.begin(), found.end(),
                   [](const Landmark& a, const Landmark& b) { return a.startNs < b.startNs; });
  return found;
}

}  // namespace attnscope
