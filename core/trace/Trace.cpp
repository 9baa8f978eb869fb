// SPDX-License-Identifier: Apache-2.0
#include "core/trace/Trace.h"

#include <algorithm>
#include <initializer_list>

namespace attnscope {

std::string_view toString(TrackKind kind) {
  switch (kind) {
    case TrackKind::kThread:
      return "thread";
    case TrackKind::kStream:
      return "stream";
    case TrackKind::kAsync:
      return "async";
    case TrackKind::kCounter:
      return "counter";
    case TrackKind::kSpans:
      return "spans";
  }
  return "thread";
}

std::optional<std::size_t> StackTable::find(SliceId id) const {
  const auto it = std::lower_bound(slice.begin(), slice.end(), id);
  if (it == slice.end() || *it != id) return std::nullopt;
  return static_cast<std::size_t>(it - slice.begin());
}

std::vector<StringId> StackTable::names(std::uint32_t frame) const {
  std::vector<StringId> names;
  for (; frame != kNoFrame; frame = frameParent[frame]) names.push_back(frameName[frame]);
  return names;
}

std::optional<std::size_t> DeviceWorkTable::find(SliceId id) const {
  const auto at = std::lower_bound(slice.begin(), slice.end(), id);
  if (at == slice.end() || *at != id) return std::nullopt;
  return static_cast<std::size_t>(at - slice.begin());
}

std::pair<std::size_t, std::size_t> FlowTable::leaving(SliceId id) const {
  const auto range = std::equal_range(from.begin(), from.end(), id);
  return {static_cast<std::size_t>(range.first - from.begin()), static_cast<std::size_t>(range.second - from.begin())};
}

std::pair<std::size_t, std::size_t> FlowTable::arriving(SliceId id) const {
  const auto first = std::lower_bound(byTarget.begin(), byTarget.end(), id,
                                      [this](std::uint32_t row, SliceId value) { return to[row] < value; });
  const auto last = std::upper_bound(byTarget.begin(), byTarget.end(), id,
                                     [this](SliceId value, std::uint32_t row) { return value < to[row]; });
  return {static_cast<std::size_t>(first - byTarget.begin()), static_cast<std::size_t>(last - byTarget.begin())};
}

std::string Trace::identityText(const Identity& identity) const {
  if (identity.word != kNoString) return std::string(strings.view(identity.word));
  return std::to_string(identity.number);
}

std::pair<std::uint32_t, std::uint32_t> Trace::slicesIn(RowSpan row, TimeRange wanted) const {
  const std::uint32_t end = row.first + row.count;
  // Slices of one row do not overlap, so their ends are ordered as their starts are.
  std::uint32_t low = row.first;
  for (std::uint32_t high = end; low < high;) {
    const std::uint32_t middle = low + (high - low) / 2;
    const std::int64_t start = slices.startNs[middle];
    // A slice of no length counts as lying at its start.
    const std::int64_t stop = start + std::max<std::int64_t>(slices.durationNs[middle], 1);
    if (stop <= wanted.startNs) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  std::uint32_t last = low;
  for (std::uint32_t high = end; last < high;) {
    const std::uint32_t middle = last + (high - last) / 2;
    if (slices.startNs[middle] < wanted.endNs) {
      last = middle + 1;
    } else {
      high = middle;
    }
  }
  return {low, last};
}

std::string Trace::title() const {
  for (const auto& [key, value] : metadata) {
    if (key != "attnscope") continue;  // {"title": "...", ...}, as our own recorder writes it
    const std::size_t name = value.find("\"title\"");
    const std::size_t begin = name == std::string::npos ? name : value.find_first_not_of(" :", name + 7);
    if (begin == std::string::npos || value[begin] != '"') continue;
    const std::size_t end = value.find('"', begin + 1);
    if (end != std::string::npos && end > begin + 1) return value.substr(begin + 1, end - begin - 1);
  }
  std::string name = path.substr(path.find_last_of('/') + 1);
  for (const std::string_view ending : {".gz", ".json", ".trace", ".pt"}) {
    if (name.size() > ending.size() && name.compare(name.size() - ending.size(), ending.size(), ending) == 0)
      name.resize(name.size() - ending.size());
  }
  return name;
}

double zeroDistanceNs(const Trace& a, const Trace& b) {
  const auto number = [](const std::string& decimal) {
    __int128_t value = 0;
    for (const char c : decimal)
      if (c != '-') value = value * 10 + (c - '0');
    return !decimal.empty() && decimal.front() == '-' ? -value : value;
  };
  return static_cast<double>(number(b.writtenZero) - number(a.writtenZero));
}

}  // namespace attnscope
