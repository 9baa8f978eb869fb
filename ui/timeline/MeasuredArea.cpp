// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/MeasuredArea.h"

#include <algorithm>

namespace attnscope::ui {

std::vector<SliceId> slicesOf(const MeasuredArea& area, std::size_t most) {
  std::vector<SliceId> slices;
  for (const auto& [track, row] : area.rows) {
    const DisplayRow& from = area.tracks->tracks[static_cast<std::size_t>(track)].rows[static_cast<std::size_t>(row)];
    const RowColumns columns = from.columns(*area.tracks->facts);
    for (std::uint32_t at = columns.firstEndingAfter(static_cast<double>(area.own.startNs));
         at < columns.size() && columns.startNs[at] < area.own.endNs && slices.size() < most; ++at) {
      slices.push_back(from.slice(at));
    }
  }
  if (!std::is_sorted(slices.begin(), slices.end())) std::sort(slices.begin(), slices.end());
  slices.erase(std::unique(slices.begin(), slices.end()), slices.end());
  return slices;
}

}  // namespace attnscope::ui
