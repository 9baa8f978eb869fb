// SPDX-License-Identifier: Apache-2.0
#include "core/index/RowIndex.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace attnscope {

namespace {

constexpr std::uint32_t kSmallestRow = 256;  // below, walking the slices is as fast
constexpr std::size_t kFewestBuckets = 256;  // a coarser level than this saves nothing
constexpr std::int64_t kBaseFactor = 2;
constexpr std::size_t kBytesASlice = 4;
constexpr std::uint32_t kSamples =
    8;  // slices looked at where one column holds many: the walk is bound by cache misses

// First position >= `from` whose start is >= `ns`. A few are counted without a branch on what they hold, for no
// processor foresees how many share a column; more, by doubling steps, then halving.
std::uint32_t gallop(std::span<const std::int64_t> starts, std::uint32_t from, std::int64_t ns) {
  constexpr std::uint32_t kAtOnce = 8;
  constexpr std::uint32_t kMostCounted = 32;
  const auto size = static_cast<std::uint32_t>(starts.size());
  for (std::uint32_t counted = 0; counted < kMostCounted && from + kAtOnce <= size; counted += kAtOnce) {
    std::uint32_t before = 0;
    for (std::uint32_t at = 0; at < kAtOnce; ++at) before += starts[from + at] < ns ? 1 : 0;
    from += before;
    if (before < kAtOnce) return from;
  }
  if (from >= size || starts[from] >= ns) return from;
  std::uint32_t low = from;
  std::uint32_t step = 1;
  while (low + step < size && starts[low + step] < ns) {
    low += step;
    step <<= 1;
  }
  const auto begin = starts.begin() + low + 1;
  const auto end = starts.begin() + std::min(size, low + step);
  return static_cast<std::uint32_t>(std::lower_bound(begin, end, ns) - starts.begin());
}

std::int64_t baseWidth(RowColumns row) {
  const std::uint32_t count = row.size();
  std::vector<std::int64_t> spans;
  const std::uint32_t step = std::max(1u, count / 1024);
  for (std::uint32_t slice = 0; slice + 4 < count; slice += step) {
    spans.push_back(row.startNs[slice + 4] - row.startNs[slice]);
  }
  const auto quarter = spans.begin() + static_cast<std::ptrdiff_t>(spans.size() / 4);
  std::nth_element(spans.begin(), quarter, spans.end());
  auto width =
      static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(std::max<std::int64_t>(1, *quarter))));
  width *= kBaseFactor;
  const std::int64_t span = row.endNs(count - 1) - row.startNs.front();
  while (span / width >= 0xFFFFFFF0ll) width *= 2;
  return width;
}

}  // namespace

std::uint32_t RowColumns::firstEndingAfter(double ns) const {
  std::uint32_t low = 0;
  std::uint32_t high = size();
  while (low < high) {
    const std::uint32_t middle = low + (high - low) / 2;
    if (static_cast<double>(endNs(middle)) > ns) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

std::uint32_t RowIndex::Level::dominantOf(const Bucket& bucket, std::uint32_t count) const {
  const std::uint32_t after = bucket.first + (static_cast<std::uint32_t>(bucket.dominant) << dominantShift);
  return std::clamp(after, 1u, count) - 1;
}

// Builds the levels from fine to coarse. Beside each bucket stand, in double precision, what it covers and the share
// of its dominant slice, until the level is sealed.
class RowIndex::Builder {
 public:
  explicit Builder(RowColumns row) : m_row(row), m_origin(row.startNs.front()), m_count(row.size()) {}

  std::vector<Level> build() {
    makeBase(baseWidth(m_row));
    const std::int64_t span = m_row.endNs(m_count - 1) - m_origin;
    keep();
    while (m_current.size() > kFewestBuckets && m_widthNs <= span) {
      const std::size_t before = m_levels.back().buckets.size();
      coarsen();
      // Nothing gained: the coarser one alone is kept, so that a bursty row does not pay for empty levels.
      if (m_current.size() * 10 > before * 9) m_levels.pop_back();
      keep();
    }
    leaveOut();
    for (Level& level : m_levels) level.buckets.shrink_to_fit();
    m_levels.shrink_to_fit();
    return std::move(m_levels);
  }

 private:
  // A bucket while it is built: its dominant slice by position.
  struct Share {
    std::uint32_t number;
    std::uint32_t first;
    std::uint32_t dominant;
  };

  // Where the row would cost too much, the second level goes before the first: four buckets a column at most are read
  // then, and the slices are walked only where few share one.
  void leaveOut() {
    const std::size_t most = kBytesASlice * m_count / sizeof(Bucket);
    std::size_t total = 0;
    for (const Level& level : m_levels) total += level.buckets.size();
    std::size_t drop = 0;
    for (; drop < m_levels.size() && total > most; ++drop) {
      if (drop + 1 < m_levels.size() && total - m_levels[drop + 1].buckets.size() <= most) {
        m_levels.erase(m_levels.begin() + static_cast<std::ptrdiff_t>(drop) + 1);
        break;
      }
      total -= m_levels[drop].buckets.size();
    }
    m_levels.erase(m_levels.begin(), m_levels.begin() + static_cast<std::ptrdiff_t>(drop));
  }

  void add(std::uint32_t number, std::uint32_t first, std::uint32_t slice, double share) {
    if (m_current.empty() || m_current.back().number != number) {
      m_current.push_back({number, first, slice});
      m_covered.push_back(static_cast<float>(share));
      m_share.push_back(static_cast<float>(share));
      return;
    }
    m_covered.back() += static_cast<float>(share);
    if (static_cast<float>(share) > m_share.back()) {
      m_share.back() = static_cast<float>(share);
      m_current.back().dominant = slice;
    }
  }

  void makeBase(std::int64_t width) {
    m_widthNs = width;
    m_current.reserve(m_count / 4);
    m_covered.reserve(m_count / 4);
    m_share.reserve(m_count / 4);
    const int shift = std::countr_zero(static_cast<std::uint64_t>(width));
    for (std::uint32_t slice = 0; slice < m_count; ++slice) {
      const std::int64_t start = m_row.startNs[slice] - m_origin;
      const std::int64_t end = start + m_row.durationNs[slice];
      const auto bucket = static_cast<std::uint32_t>(start >> shift);
      const std::int64_t bucketEnd = (static_cast<std::int64_t>(bucket) + 1) << shift;
      add(bucket, slice, slice, static_cast<double>(std::min(end, bucketEnd) - start));
      if (end > bucketEnd) {  // its tail; a bucket of its own, for nothing else may start there
        const std::int64_t tail = (end - 1) >> shift;
        add(static_cast<std::uint32_t>(tail), slice + 1, slice, static_cast<double>(end - (tail << shift)));
      }
    }
  }

  // First slice after those that start in a bucket.
  [[nodiscard]] std::uint32_t nextOf(std::size_t bucket) const {
    return bucket + 1 == m_current.size() ? m_count : m_current[bucket + 1].first;
  }

  // Seals the level: adds what is drawn of each bucket.
  void keep() {
    Level& level = m_levels.emplace_back();
    level.widthNs = m_widthNs;
    std::uint32_t most = 0;  // distance of a dominant slice
    for (const Share& bucket : m_current) most = std::max(most, bucket.dominant + 1 - bucket.first);
    while ((most >> level.dominantShift) > 0xFFFF) ++level.dominantShift;
    level.buckets.resize(m_current.size());
    const double scale = 255.0 / static_cast<double>(m_widthNs);
    for (std::size_t at = 0; at < m_current.size(); ++at) {
      const Share& from = m_current[at];
      Bucket& bucket = level.buckets[at];
      bucket.number = from.number;
      bucket.first = from.first;
      bucket.dominant = static_cast<std::uint16_t>((from.dominant + 1 - from.first) >> level.dominantShift);
      bucket.coverage =
          static_cast<std::uint8_t>(std::clamp(static_cast<double>(m_covered[at]) * scale + 0.5, 1.0, 255.0));
      const std::uint32_t next = nextOf(at);
      const bool lastIsLong = next > from.first && m_row.durationNs[next - 1] >= m_widthNs;
      bucket.paint = static_cast<std::uint8_t>(m_row.paintClass[from.dominant] | (lastIsLong ? Bucket::kLong : 0));
    }
  }

  // Two neighbours become one. A slice longer than a bucket left the buckets between its start and its end out: where
  // one of those joins its start's or its end's bucket, its width is added there.
  void coarsen() {
    std::vector<Share>& fine = m_current;  // the coarser ones are written over it
    const auto width = static_cast<float>(m_widthNs);
    std::size_t out = 0;
    for (std::size_t at = 0; at < fine.size();) {
      Share bucket = fine[at];
      float covered = m_covered[at];
      float share = m_share[at];
      const bool odd = (bucket.number & 1) != 0;
      const std::size_t here = at++;
      if (odd) {  // its left neighbour does not exist: empty, or filled by the slice that ends here
        if (bucket.first > 0) {
          const std::uint32_t slice = bucket.first - 1;
          const std::int64_t left = m_origin + static_cast<std::int64_t>(bucket.number) * m_widthNs;
          if (m_row.endNs(slice) > left && m_row.startNs[slice] <= left - m_widthNs) {
            covered += width;
            const float whole = static_cast<float>(m_row.endNs(slice) - left) + width;
            if (whole > share) {
              share = whole;
              bucket.dominant = slice;
            }
          }
        }
      } else if (at < fine.size() && fine[at].number == bucket.number + 1) {
        covered += m_covered[at];
        const bool same = fine[at].dominant == bucket.dominant;
        if (same) {
          share += m_share[at];
        } else if (m_share[at] > share) {
          share = m_share[at];
          bucket.dominant = fine[at].dominant;
        }
        ++at;
      } else {  // its right neighbour does not exist: empty, or filled by the slice that starts here last
        const std::uint32_t next = nextOf(here);
        const std::int64_t right = m_origin + (static_cast<std::int64_t>(bucket.number) + 1) * m_widthNs;
        if (next > 0 && m_row.endNs(next - 1) >= right + m_widthNs && m_row.startNs[next - 1] < right) {
          covered += width;
          const float whole = static_cast<float>(right - std::max(m_row.startNs[next - 1], right - m_widthNs)) + width;
          if (whole > share) {
            share = whole;
            bucket.dominant = next - 1;
          }
        }
      }
      bucket.number >>= 1;
      fine[out] = bucket;
      m_covered[out] = covered;
      m_share[out++] = share;
    }
    m_current.resize(out);
    m_covered.resize(out);
    m_share.resize(out);
    m_widthNs *= 2;
  }

  RowColumns m_row;
  std::int64_t m_origin;
  std::uint32_t m_count;
  std::int64_t m_widthNs = 0;
  std::vector<Share> m_current;
  std::vector<float> m_covered;
  std::vector<float> m_share;
  std::vector<Level> m_levels;
};

class RowIndex::Query {
 public:
  Query(RowColumns row, double startNs, double nsPerPixel, std::int32_t width, std::vector<RowRun>& out)
      : m_row(row), m_start(startNs), m_perPixel(nsPerPixel), m_inverse(1.0 / nsPerPixel), m_width(width), m_out(out) {}

  // A slice of a pixel or more is drawn from edge to edge; shorter ones share the column in which they start.
  void walkSlices() {
    const double end = m_start + m_perPixel * m_width;
    const std::uint32_t count = m_row.size();
    std::uint32_t slice = m_row.firstEndingAfter(m_start);
    // One of no length at the very edge ends at it and is still in the first column.
    while (slice > 0 && static_cast<double>(m_row.startNs[slice - 1]) >= m_start) --slice;
    while (slice < count && static_cast<double>(m_row.startNs[slice]) < end) {
      if (isWide(slice)) {
        emitExact(slice, column(m_row.startNs[slice]), column(m_row.endNs(slice)));
        ++slice;
        continue;
      }
      const std::int32_t x = column(m_row.startNs[slice]);
      const double right = m_start + (static_cast<double>(x) + 1) * m_perPixel;
      const std::uint32_t after =
          std::max(slice + 1, gallop(m_row.startNs, slice + 1, static_cast<std::int64_t>(std::ceil(right))));
      // Only the last that starts in a column can be wide.
      if (after - slice > 1 && isWide(after - 1)) {
        const std::int32_t wideEnd = column(m_row.endNs(after - 1));
        if (takesFirstColumn(after - 1, x, wideEnd)) {
          emitExact(after - 1, x, wideEnd);
        } else {
          emitCrowd(slice, after - 1, x);
          emitExact(after - 1, x + 1, wideEnd);
        }
      } else {
        emitCrowd(slice, after, x);
      }
      slice = after;
    }
  }

  void walkBuckets(const Level& level) {
    const auto width = static_cast<double>(level.widthNs);
    const std::int64_t origin = m_row.startNs.front();
    const double offset = (static_cast<double>(origin) - m_start) * m_inverse;
    const double bucketPixels = width * m_inverse;
    const std::uint32_t count = m_row.size();
    std::int32_t free = 0;         // columns before it are taken
    std::int64_t tailNumber = -1;  // the bucket in which the last wide slice ends
    const auto drawWide = [&](std::uint32_t slice, std::int32_t x0, std::int32_t x1) {
      emitExact(slice, x0, x1);
      free = std::max(free, std::min(x1, m_width));
      const std::int64_t sliceEnd = m_row.endNs(slice) - origin;
      tailNumber = (sliceEnd - 1) / level.widthNs;
    };
    const std::uint32_t crossing = m_row.firstEndingAfter(m_start);
    if (crossing < count && static_cast<double>(m_row.startNs[crossing]) < m_start && isWide(crossing)) {
      drawWide(crossing, 0, column(m_row.endNs(crossing)));
    }
    const double firstBucket = (m_start - static_cast<double>(origin)) / width;
    const auto wanted = firstBucket <= 0 ? 0u : static_cast<std::uint32_t>(std::min(firstBucket, 4294967295.0));
    const Bucket* end = level.buckets.data() + level.buckets.size();
    const Bucket* at =
        std::lower_bound(level.buckets.data(), end, wanted,
                         [](const Bucket& bucket, std::uint32_t number) { return bucket.number < number; });
    const auto nextFirst = [&](const Bucket* bucket) { return bucket + 1 == end ? count : bucket[1].first; };
    // A bucket on the border of two columns is shared between them where both are lit; alone, it shows in the column
    // of its middle, so that one short slice is never two columns wide.
    double carry = 0;
    std::int32_t carryX = -1;
    while (at != end) {
      if (at->number == tailNumber && nextFirst(at) == at->first) {  // only the end of what is drawn already
        ++at;
        continue;
      }
      const double left = offset + at->number * bucketPixels;
      auto x = static_cast<std::int32_t>(std::floor(std::min(left + bucketPixels / 2, 2e9)));
      if (carry > 0) x = carryX;
      x = std::max(0, x);
      if (x < free && left + bucketPixels > free) x = free;  // lies across the end of a wide slice
      if (x >= m_width) break;
      const Bucket* best = at;
      double covered = carry;
      carry = 0;
      std::uint32_t wide = count;
      std::int32_t wideX0 = 0;
      std::int32_t wideX1 = 0;
      do {
        double share = at->coverage;
        if (at->coverage > best->coverage) best = at;
        const double at0 = offset + at->number * bucketPixels;
        if (at->lastIsLong()) {
          const std::uint32_t slice = nextFirst(at) - 1;
          const std::int64_t start = m_row.startNs[slice] - origin;
          const std::int64_t bucketEnd = (static_cast<std::int64_t>(at->number) + 1) * level.widthNs;
          if (isWide(slice)) {
            covered += share - static_cast<double>(bucketEnd - start) / width * 255.0;
            wide = slice;
            wideX0 = column(m_row.startNs[slice]);
            wideX1 = column(m_row.endNs(slice));
            ++at;
            break;
          }
          const std::int64_t tail = (start + m_row.durationNs[slice] - 1) / level.widthNs;
          share += static_cast<double>(std::max<std::int64_t>(0, tail - at->number - 1)) * 255.0;
        }
        const double inside = std::clamp((x + 1 - at0) / bucketPixels, 0.0, 1.0);
        covered += share * inside;
        carry = share * (1 - inside);
        ++at;
      } while (at != end && offset + at->number * bucketPixels < x + 1);
      carryX = x + 1;
      const bool continues = wide == count && at != end && offset + at->number * bucketPixels < x + 2;
      if (!continues) {
        covered += carry;
        carry = 0;
      }
      bool isTaken = x < free || (wide < count && covered <= 1.0);
      if (wide < count && wideX0 <= x) isTaken = isTaken || takesFirstColumn(wide, x, wideX1);
      if (!isTaken) {
        if (wide < count && wideX0 <= x) covered += shareOfColumn(wide, x) * 255.0 / bucketPixels;
        const auto coverage = static_cast<std::uint8_t>(std::clamp(covered * bucketPixels, 1.0, 255.0));
        m_out.push_back({x, x + 1, level.dominantOf(*best, count), coverage, best->paintClass(), false});
        free = x + 1;
      }
      if (wide < count) drawWide(wide, std::max(wideX0, free), wideX1);
    }
  }

 private:
  [[nodiscard]] std::int32_t column(std::int64_t ns) const {
    const double x = std::floor((static_cast<double>(ns) - m_start) * m_inverse);
    return static_cast<std::int32_t>(std::clamp(x, -2e9, 2e9));
  }

  [[nodiscard]] bool isWide(std::uint32_t slice) const {
    return static_cast<double>(m_row.durationNs[slice]) >= m_perPixel;
  }

  // What a wide slice that begins inside column x covers of it, from 0 to 1.
  [[nodiscard]] double shareOfColumn(std::uint32_t slice, std::int32_t x) const {
    return static_cast<double>(x) + 1 - (static_cast<double>(m_row.startNs[slice]) - m_start) * m_inverse;
  }

  // Whether it shows there, and not what stands before it.
  [[nodiscard]] bool takesFirstColumn(std::uint32_t slice, std::int32_t x, std::int32_t wideEnd) const {
    return shareOfColumn(slice, x) >= 0.5 || wideEnd <= x + 1;
  }

  void emitExact(std::uint32_t slice, std::int32_t x0, std::int32_t x1) {
    const std::int32_t left = std::max(0, x0);
    const std::int32_t right = std::min(m_width, x1);
    if (right > left) m_out.push_back({left, right, slice, 255, m_row.paintClass[slice], true});
  }

  // [from, to) all lie inside column x.
  void emitCrowd(std::uint32_t from, std::uint32_t to, std::int32_t x) {
    if (x < 0 || x >= m_width) return;
    const std::uint32_t step = std::max(1u, (to - from) / kSamples);
    std::uint32_t best = from;
    std::int64_t longest = m_row.durationNs[from];
    double sampled = 0;  // and no integer: the times of a hostile file exceed 64 bits when summed
    for (std::uint32_t slice = from; slice < to; slice += step) {
      const std::int64_t duration = m_row.durationNs[slice];
      sampled += static_cast<double>(duration);
      best = duration > longest ? slice : best;
      longest = std::max(longest, duration);
    }
    double covered = sampled * step;
    // Wide neighbours reach into the column.
    const double left = m_start + x * m_perPixel;
    if (from > 0) covered += std::max(0.0, static_cast<double>(m_row.endNs(from - 1)) - left);
    if (to < m_row.size()) covered += std::max(0.0, left + m_perPixel - static_cast<double>(m_row.startNs[to]));
    const double share = std::clamp(covered * m_inverse * 255.0, 1.0, 255.0);
    m_out.push_back({x, x + 1, best, static_cast<std::uint8_t>(share), m_row.paintClass[best], false});
  }

  RowColumns m_row;
  double m_start;
  double m_perPixel;
  double m_inverse;
  std::int32_t m_width;
  std::vector<RowRun>& m_out;
};

RowIndex RowIndex::build(RowColumns row) {
  RowIndex index;
  if (row.size() >= kSmallestRow) index.m_levels = Builder(row).build();
  return index;
}

void RowIndex::query(RowColumns row, double startNs, double nsPerPixel, std::int32_t width,
                     std::vector<RowRun>& out) const {
  if (row.size() == 0 || width <= 0) return;
  Query query(row, startNs, nsPerPixel, width, out);
  if (m_levels.empty() || static_cast<double>(m_levels.front().widthNs) > nsPerPixel) {
    query.walkSlices();
    return;
  }
  std::size_t level = 0;
  while (level + 1 < m_levels.size() && static_cast<double>(m_levels[level + 1].widthNs) <= nsPerPixel) ++level;
  query.walkBuckets(m_levels[level]);
}

std::size_t RowIndex::bytes() const {
  std::size_t total = 0;
  for (const Level& level : m_levels) total += level.buckets.capacity() * sizeof(Bucket) + sizeof(Level);
  return total;
}

}  // namespace attnscope
