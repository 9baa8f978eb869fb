// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/TileMap.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <string>
#include <string_view>
#include <unordered_map>

#include "core/trace/ArgsText.h"

namespace attnscope::ui {
namespace {

std::optional<std::string> argsOf(const Trace& trace, SliceId slice) {
  const TextRange range = trace.slices.args(slice);
  if (range.length == 0 || !trace.argsSource) return std::nullopt;
  Result<std::string> text = trace.argsSource->read(range);
  if (!text) return std::nullopt;
  return std::move(*text);
}

std::int64_t integerOf(std::string_view text) {
  std::int64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}
// NaN for null.
double numberOf(std::string_view text) {
  double value = std::numeric_limits<double>::quiet_NaN();
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

void readFacts(TileMap& map, const std::string& args) {
  for (const auto& [key, value] : argsMembers(args)) {
    if (key == "queries") map.queries = integerOf(value);
    if (key == "keys") map.keys = integerOf(value);
    if (key == "group") map.group = std::max<std::int64_t>(1, integerOf(value));
    if (key == "slices_of_all") map.slices = integerOf(value);
    if (key == "slices_by_formula") map.byFormula = integerOf(value);
    if (key == "covered") map.leastCovered = std::min(map.leastCovered, numberOf(value));
    if (key == "cost_of_watching") map.costOfWatching = numberOf(value);
  }
}

// Nothing where the args do not say which rows and keys.
std::optional<Tile> tileFrom(const std::string& args) {
  Tile tile;
  std::size_t read = 0;
  const std::pair<std::string_view, std::int32_t Tile::*> kMembers[] = {
      {"q0", &Tile::firstQuery}, {"q1", &Tile::endQuery},       {"k0", &Tile::firstKey},   {"k1", &Tile::endKey},
      {"head", &Tile::head},     {"sequence", &Tile::sequence}, {"row0", &Tile::firstRow}, {"rows", &Tile::rows}};
  for (const auto& [key, value] : argsMembers(args)) {
    for (const auto& [name, member] : kMembers) {
      if (key != name) continue;
      tile.*member = static_cast<std::int32_t>(integerOf(value));
      ++read;
    }
  }
  const bool whole = read == std::size(kMembers) && tile.firstQuery < tile.endQuery && tile.firstKey < tile.endKey &&
                     tile.head >= 0 && tile.sequence >= 0;
  return whole ? std::optional(tile) : std::nullopt;
}

class MapReader {
 public:
  MapReader(TileMap& map, const Trace& trace) : m_map(map), m_trace(trace) {}

  void take(SliceId slice) {
    const std::string_view name = m_trace.name(slice);
    if (name == "inside view") {
      if (const auto args = argsOf(m_trace, slice)) readFacts(m_map, *args);
    } else if (name == "scores") {
      begin(slice);
    } else if (name == "softmax" && m_open) {
      m_map.tiles.back().slices[1] = slice;
    } else if (name == "weighted_sum" && m_open) {
      m_map.tiles.back().slices[2] = slice;
      m_map.tiles.back().endNs = m_trace.slices.endNs(slice);
      m_open = false;
    }
  }

 private:
  void begin(SliceId slice) {
    m_open = false;
    const auto args = argsOf(m_trace, slice);
    std::optional<Tile> tile = args ? tileFrom(*args) : std::nullopt;
    if (!tile) return;
    tile->slices[0] = slice;
    tile->startNs = m_trace.slices.startNs[index(slice)];
    tile->endNs = m_trace.slices.endNs(slice);
    const TrackId track = m_trace.slices.track[index(slice)];
    tile->worker = m_workers.try_emplace(index(track), static_cast<int>(m_workers.size())).first->second;
    m_map.workers = static_cast<int>(m_workers.size());
    m_map.heads = std::max(m_map.heads, tile->head + 1);
    m_map.sequences = std::max(m_map.sequences, tile->sequence + 1);
    m_map.queries = std::max<std::int64_t>(m_map.queries, tile->endQuery);
    m_map.keys = std::max<std::int64_t>(m_map.keys, tile->endKey);
    m_map.tiles.push_back(*tile);
    m_open = true;
  }

  TileMap& m_map;
  const Trace& m_trace;
  std::unordered_map<std::size_t, int> m_workers;  // by track, in the order of tracks
  bool m_open = false;
};

}  // namespace

std::optional<std::size_t> TileMap::tileOf(SliceId slice) const {
  const auto at = std::lower_bound(bySlice.begin(), bySlice.end(), std::pair(slice, std::uint32_t{0}));
  if (at == bySlice.end() || at->first != slice) return std::nullopt;
  return at->second;
}

bool hasTiles(const Trace& trace) {
  if (trace.strings.find("tile") == kNoString) return false;
  const auto& classes = trace.slices.categoryClass;
  return std::find(classes.begin(), classes.end(), CategoryClass::kTile) != classes.end();
}

std::shared_ptr<const TileMap> tileMapOf(int runNumber, std::shared_ptr<const RunFacts> facts,
                                         const std::stop_token& stop) {
  auto map = std::make_shared<TileMap>();
  map->runNumber = runNumber;
  map->facts = std::move(facts);
  const Trace& trace = *map->facts->trace;
  MapReader reader(*map, trace);
  // Slices of a row of a track lie one after the other, by start.
  for (std::size_t i = 0; i < trace.slices.size() && !stop.stop_requested(); ++i) {
    if (trace.slices.categoryClass[i] == CategoryClass::kTile) reader.take(SliceId{static_cast<std::uint32_t>(i)});
  }
  std::stable_sort(map->tiles.begin(), map->tiles.end(),
                   [](const Tile& a, const Tile& b) { return a.startNs < b.startNs; });
  for (std::size_t i = 0; i < map->tiles.size(); ++i) {
    for (const SliceId slice : map->tiles[i].slices) {
      if (slice != kNoSlice) map->bySlice.emplace_back(slice, static_cast<std::uint32_t>(i));
    }
  }
  std::sort(map->bySlice.begin(), map->bySlice.end());
  return map;
}

std::vector<RowPoint> historyOf(const TileMap& map, const RowOfTiles& row) {
  std::vector<RowPoint> points;
  const std::int64_t wanted = row.query * map.group + row.head % map.group;
  for (std::size_t i = 0; i < map.tiles.size(); ++i) {
    const Tile& tile = map.tiles[i];
    if (tile.sequence != row.sequence || tile.head != row.head / map.group) continue;
    if (wanted < tile.firstRow || wanted >= tile.firstRow + tile.rows || tile.slices[1] == kNoSlice) continue;
    const auto args = argsOf(*map.facts->trace, tile.slices[1]);
    if (!args) continue;
    const auto largest = argsValue(*args, "max");
    const auto sum = argsValue(*args, "sum");
    if (!largest || !sum) continue;
    const auto at = static_cast<std::size_t>(wanted - tile.firstRow);
    const std::vector<std::string_view> allLargest = arrayElements(*largest);
    const std::vector<std::string_view> allSums = arrayElements(*sum);
    if (at >= allLargest.size() || at >= allSums.size()) continue;
    points.push_back({i, tile.endKey, numberOf(allLargest[at]), numberOf(allSums[at])});
  }
  return points;
}

}  // namespace attnscope::ui
