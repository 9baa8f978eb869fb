// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/FlameLayout.h"

#include <algorithm>
#include <numeric>

#include "ui/bridge/FreedAside.h"

namespace attnscope::ui {

std::int64_t FlameGraph::totalNs(std::uint32_t box) const {
  return weight == FlameWeight::kDeviceTime ? row(box).deviceTotalNs : row(box).cpuTotalNs;
}

std::int64_t FlameGraph::selfNs(std::uint32_t box) const {
  return weight == FlameWeight::kDeviceTime ? row(box).deviceSelfNs : row(box).cpuSelfNs;
}

QString FlameGraph::name(std::uint32_t box) const {
  return QString::fromStdString(pathName(*facts->trace, facts->tree, row(box).name));
}

std::uint32_t FlameGraph::boxAt(int depth, double place) const {
  const auto first = std::partition_point(boxes.begin(), boxes.end(), [&](const FlameBox& box) {
    return box.depth < depth || (box.depth == depth && box.start + box.width <= place);
  });
  if (first == boxes.end() || first->depth != depth || first->start > place) return FlameBox::kNone;
  return static_cast<std::uint32_t>(first - boxes.begin());
}

std::uint32_t FlameGraph::firstChild(std::uint32_t box) const {
  // Children begin where their parent begins.
  const FlameBox& of = boxes[box];
  const auto first = std::partition_point(boxes.begin(), boxes.end(), [&](const FlameBox& each) {
    return each.depth <= of.depth || (each.depth == of.depth + 1 && each.start < of.start);
  });
  if (first == boxes.end() || first->parent != box) return FlameBox::kNone;
  return static_cast<std::uint32_t>(first - boxes.begin());
}

std::uint32_t FlameGraph::neighbour(std::uint32_t box, int direction) const {
  if (direction < 0 ? box == 0 : box + 1 >= boxes.size()) return FlameBox::kNone;
  const std::uint32_t next = direction < 0 ? box - 1 : box + 1;
  return boxes[next].depth == boxes[box].depth ? next : FlameBox::kNone;
}

std::shared_ptr<const FlameGraph> flameGraph(int runNumber, std::shared_ptr<const RunFacts> facts, TimeRange scope,
                                             PathGrouping grouping, FlameWeight weight, const std::stop_token& stop) {
  auto graph = makeFreedAside<FlameGraph>();
  graph->runNumber = runNumber;
  graph->weight = weight;
  graph->table = operatorPaths(*facts->trace, facts->tree, grouping, scope, stop);
  graph->facts = std::move(facts);
  const std::vector<PathRow>& rows = graph->table.rows;
  const auto total = [&](std::uint32_t row) {
    return weight == FlameWeight::kDeviceTime ? rows[row].deviceTotalNs : rows[row].cpuTotalNs;
  };
  std::vector<std::vector<std::uint32_t>> children(rows.size());
  std::vector<std::uint32_t> roots;
  for (std::uint32_t row = 0; row < rows.size(); ++row) {
    if (total(row) <= 0) continue;
    (rows[row].parent == PathRow::kNone ? roots : children[rows[row].parent]).push_back(row);
  }
  for (const std::uint32_t root : roots) graph->wholeNs += total(root);
  if (graph->wholeNs <= 0 || stop.stop_requested()) return graph;
  const double whole = static_cast<double>(graph->wholeNs);
  const auto widestFirst = [&](std::uint32_t a, std::uint32_t b) { return total(a) > total(b); };

  // One depth after the other: boxes of a depth stand in the order of their parents.
  struct Waiting {
    std::uint32_t parent;
    std::vector<std::uint32_t>* rows;
    double start;
  };
  std::vector<Waiting> level{{FlameBox::kNone, &roots, 0}};
  for (std::uint16_t depth = 0; !level.empty() && !stop.stop_requested(); ++depth) {
    std::vector<Waiting> next;
    for (const Waiting& family : level) {
      std::stable_sort(family.rows->begin(), family.rows->end(), widestFirst);
      double at = family.start;
      for (const std::uint32_t row : *family.rows) {
        const double width = static_cast<double>(total(row)) / whole;
        const auto box = static_cast<std::uint32_t>(graph->boxes.size());
        graph->boxes.push_back({family.parent, depth, at, width, row});
        if (!children[row].empty()) next.push_back({box, &children[row], at});
        at += width;
      }
    }
    graph->depths = depth + 1;
    if (depth == 0xFFFF) break;
    level = std::move(next);
  }
  return graph;
}

}  // namespace attnscope::ui
