// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/RunModel.h"

#include <algorithm>

#include "core/analysis/Kernels.h"

namespace attnscope::ui {

namespace {

// A file may claim durations whose sum exceeds 64 bits: then it wraps, and is not undefined.
std::int64_t wrappingSum(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

}  // namespace

RunModel::RunModel(std::shared_ptr<const DisplayTracks> tracks) : m_tracks(std::move(tracks)) {
  const DeviceWorkTable& work = trace().deviceWork;
  for (std::size_t at = 0; at < work.size(); ++at) {
    if (work.launch[at] != kNoSlice) m_launches.emplace_back(work.launch[at], work.slice[at]);
  }
  std::sort(m_launches.begin(), m_launches.end());
  if (m_tracks->compared >= 0) {
    for (const DisplayRow& row : m_tracks->tracks[static_cast<std::size_t>(m_tracks->compared)].rows) {
      std::vector<std::int64_t>& until = m_workUntil.emplace_back(1, 0);
      until.reserve(row.size() + std::size_t{1});
      for (const std::int64_t duration : row.columns(facts()).durationNs)
        until.push_back(wrappingSum(until.back(), duration));
    }
  }
  for (const std::uint8_t kind : facts().paintClass) {
    if (kind < kWorkKindCount) m_kinds |= 1u << kind;
  }
  shortenNames();
  nameStages();
}

const RowIndex& RunModel::rowIndex(int track, int row) const {
  static const RowIndex kNone;
  if (!m_indexes) return kNone;
  return m_indexes->rows[static_cast<std::size_t>(track)][static_cast<std::size_t>(row)];
}

const CounterIndex& RunModel::counterIndex(int track) const {
  static const CounterIndex kNone;
  return m_indexes ? m_indexes->counters[static_cast<std::size_t>(track)] : kNone;
}

const CounterIndex& RunModel::secondIndex(int track) const {
  static const CounterIndex kNone;
  return m_indexes ? m_indexes->seconds[static_cast<std::size_t>(track)] : kNone;
}

// Once for each name, and not for each slice.
void RunModel::shortenNames() {
  const SliceTable& table = trace().slices;
  std::vector<bool> isKnown(trace().strings.size());
  for (std::size_t at = 0; at < table.size(); ++at) {
    const CategoryClass category = table.categoryClass[at];
    const bool isKernel = category == CategoryClass::kKernel;
    if (!isKernel && category != CategoryClass::kPythonFunction) continue;
    const auto name = static_cast<std::uint32_t>(table.name[at]);
    if (name >= isKnown.size() || isKnown[name]) continue;
    isKnown[name] = true;
    constexpr std::string_view kModule = "nn.Module: ";
    const std::string_view whole = trace().strings.view(table.name[at]);
    if (isKernel) {
      if (std::string text = shortKernelName(whole); text != whole) m_shortNames.emplace(name, std::move(text));
    } else if (whole.starts_with(kModule)) {
      m_shortNames.emplace(name, whole.substr(kModule.size()));
    }
  }
}

void RunModel::nameStages() {
  if (m_tracks->compared < 0) return;
  std::vector<SliceId> work;
  for (const DisplayRow& row : m_tracks->tracks[static_cast<std::size_t>(m_tracks->compared)].rows) {
    for (std::uint32_t position = 0; position < row.size(); ++position) work.push_back(row.slice(position));
  }
  m_stages = stagedWork(trace(), work);
  std::sort(m_stages.begin(), m_stages.end(),
            [](const StagedSlice& a, const StagedSlice& b) { return a.slice < b.slice; });
  for (const StagedSlice& each : m_stages) {
    const StringId name = trace().slices.name[index(each.stage)];
    const auto [words, isNew] = m_stageWords.try_emplace(static_cast<std::uint32_t>(name));
    if (isNew) words->second = stageWords(trace().strings.view(name));
  }
}

std::string_view RunModel::stage(SliceId slice) const {
  const auto at = std::lower_bound(m_stages.begin(), m_stages.end(), slice,
                                   [](const StagedSlice& each, SliceId wanted) { return each.slice < wanted; });
  if (at == m_stages.end() || at->slice != slice) return {};
  return m_stageWords.at(static_cast<std::uint32_t>(trace().slices.name[index(at->stage)]));
}

std::string_view RunModel::label(SliceId slice) const {
  const CategoryClass category = trace().slices.categoryClass[index(slice)];
  if (category != CategoryClass::kKernel && category != CategoryClass::kPythonFunction) return trace().name(slice);
  const auto known = m_shortNames.find(static_cast<std::uint32_t>(trace().slices.name[index(slice)]));
  return known != m_shortNames.end() ? std::string_view(known->second) : trace().name(slice);
}

bool RunModel::isUnfinished(SliceId slice) const {
  return !trace().slices.finished[index(slice)] || trace().slices.markedUnfinished[index(slice)];
}

SliceId RunModel::launchOf(SliceId kernel) const {
  const auto row = trace().deviceWork.find(kernel);
  return row ? trace().deviceWork.launch[*row] : kNoSlice;
}

std::vector<SliceId> RunModel::launchedBy(SliceId launch) const {
  std::vector<SliceId> kernels;
  auto at = std::lower_bound(m_launches.begin(), m_launches.end(), std::pair{launch, SliceId{0}});
  for (; at != m_launches.end() && at->first == launch; ++at) kernels.push_back(at->second);
  return kernels;
}

SliceId RunModel::firstKernelUnder(SliceId ancestor) const {
  const SliceTable& table = trace().slices;
  const Track& track = trace().tracks[index(table.track[index(ancestor)])];
  const TimeRange own{table.startNs[index(ancestor)], table.endNs(ancestor)};
  SliceId best = kNoSlice;
  // Launches of one row are one stretch of the sorted list, for a row is one stretch of slices.
  for (std::size_t depth = table.depth[index(ancestor)] + std::size_t{1}; depth < track.rows.size(); ++depth) {
    const auto [first, last] = trace().slicesIn(track.rows[depth], own);
    auto at = std::lower_bound(m_launches.begin(), m_launches.end(), std::pair{SliceId{first}, SliceId{0}});
    for (; at != m_launches.end() && index(at->first) < last; ++at) {
      SliceId above = at->first;
      while (above != kNoSlice && above != ancestor) above = table.parent[index(above)];
      if (above != ancestor) continue;
      if (best == kNoSlice || table.startNs[index(at->second)] < table.startNs[index(best)]) best = at->second;
    }
  }
  return best;
}

SliceId RunModel::chainTop(SliceId slice) const {
  const SliceTable& table = trace().slices;
  const SliceId launch = launchOf(slice);
  SliceId top = slice;
  for (SliceId above = launch != kNoSlice ? launch : slice; above != kNoSlice; above = table.parent[index(above)]) {
    if (table.categoryClass[index(above)] == CategoryClass::kCpuOperator) top = above;
  }
  return top;
}

std::vector<SliceId> RunModel::chainOf(SliceId slice) const {
  const SliceTable& table = trace().slices;
  const SliceId top = chainTop(slice);
  std::vector<SliceId> chain{top};
  const Track& track = trace().tracks[index(table.track[index(top)])];
  const TimeRange own{table.startNs[index(top)], table.endNs(top)};
  for (std::size_t depth = table.depth[index(top)] + std::size_t{1}; depth < track.rows.size(); ++depth) {
    const auto [first, last] = trace().slicesIn(track.rows[depth], own);
    for (std::uint32_t at = first; at < last; ++at) {
      SliceId above = table.parent[at];
      while (above != kNoSlice && above != top) above = table.parent[index(above)];
      if (above == top) chain.push_back(SliceId{at});
    }
  }
  const std::size_t onHost = chain.size();
  for (std::size_t at = 0; at < onHost; ++at) {
    for (const SliceId kernel : launchedBy(chain[at])) chain.push_back(kernel);
  }
  std::sort(chain.begin(), chain.end());
  return chain;
}

std::int64_t RunModel::comparedWorkNs(TimeRange range) const {
  std::int64_t total = 0;
  for (std::size_t row = 0; row < m_workUntil.size(); ++row) {
    const DisplayTrack& compared = m_tracks->tracks[static_cast<std::size_t>(m_tracks->compared)];
    const std::span<const std::int64_t> starts = compared.rows[row].columns(facts()).startNs;
    const auto positionOf = [&](std::int64_t ns) {
      return static_cast<std::size_t>(std::lower_bound(starts.begin(), starts.end(), ns) - starts.begin());
    };
    const std::size_t first = positionOf(range.startNs);
    const std::int64_t until = m_workUntil[row][std::max(first, positionOf(range.endNs))];
    total = wrappingSum(total, wrappingSum(until, -m_workUntil[row][first]));
  }
  return total;
}

std::uint32_t positionAt(RowColumns row, double ns, double slackNs) {
  const std::uint32_t position = row.firstEndingAfter(ns);
  if (position < row.size() && static_cast<double>(row.startNs[position]) <= ns) return position;
  // Nothing lies there: the nearer edge of what ends before or starts after, if the pointer is as good as on it.
  std::uint32_t best = row.size();
  double bestDistance = slackNs;
  if (position < row.size() && static_cast<double>(row.startNs[position]) - ns <= bestDistance) {
    bestDistance = static_cast<double>(row.startNs[position]) - ns;
    best = position;
  }
  if (position > 0 && ns - static_cast<double>(row.endNs(position - 1)) < bestDistance) best = position - 1;
  return best;
}

}  // namespace attnscope::ui
