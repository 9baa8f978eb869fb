// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/SliceSearch.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>

#include "ui/bridge/ErrorWords.h"
#include "ui/bridge/FreedAside.h"
#include "ui/bridge/Jobs.h"

namespace attnscope::ui {

namespace {

const QString kSearchKey = QStringLiteral("search");
const QString kOrderKey = QStringLiteral("order");

SearchResult nothing() {
  SearchResult result;
  result.found = std::make_shared<const std::vector<SelectedSlices>>();
  return result;
}

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

std::string lowered(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(), lower);
  return result;
}

QString textOf(std::string_view text) { return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size())); }

bool containsLowered(std::string_view text, const std::string& wanted) {
  return std::search(text.begin(), text.end(), wanted.begin(), wanted.end(),
                     [](char a, char b) { return lower(a) == b; }) != text.end();
}

// Letters to change, add or drop to find `wanted` somewhere in `text`.
std::size_t distanceWithin(std::string_view text, const std::string& wanted) {
  std::vector<std::size_t> row(wanted.size() + 1);
  for (std::size_t i = 0; i < row.size(); ++i) row[i] = i;
  std::size_t best = row.back();
  for (const char c : text) {
    std::size_t diagonal = row[0];
    row[0] = 0;  // a match may begin anywhere
    for (std::size_t i = 1; i < row.size(); ++i) {
      const std::size_t above = row[i];
      row[i] = std::min({row[i] + 1, row[i - 1] + 1, diagonal + (lower(c) == wanted[i - 1] ? 0U : 1U)});
      diagonal = above;
    }
    best = std::min(best, row.back());
  }
  return best;
}

constexpr std::size_t kLongestName = 300;
constexpr std::size_t kMostNames = 20000;
constexpr std::size_t kAlike = 3;

// Which strings of the pool fit, by StringId.
std::vector<std::uint8_t> fittingNames(const Trace& trace, const SearchQuery& query) {
  std::vector<std::uint8_t> fits(trace.strings.size(), query.name.isEmpty() ? 1 : 0);
  if (query.name.isEmpty()) return fits;
  const std::string wanted = lowered(query.name.toUtf8().toStdString());
  for (std::size_t at = 0; at < fits.size(); ++at) {
    const std::string_view text = trace.strings.view(StringId(static_cast<std::uint32_t>(at)));
    fits[at] = query.isExpression ? query.expression.match(textOf(text)).hasMatch() : containsLowered(text, wanted);
  }
  return fits;
}

std::vector<std::uint8_t> fittingCategories(const Trace& trace, const QString& category) {
  const std::string wanted = lowered(category.toUtf8().toStdString());
  std::vector<std::uint8_t> fits(trace.strings.size());
  for (std::size_t at = 0; at < fits.size(); ++at) {
    fits[at] = containsLowered(trace.strings.view(StringId(static_cast<std::uint32_t>(at))), wanted);
  }
  return fits;
}

std::vector<SliceId> fittingSlices(const Trace& trace, const SearchQuery& query) {
  const SliceTable& slices = trace.slices;
  const std::vector<std::uint8_t> isName = fittingNames(trace, query);
  std::vector<SliceId> found;
  found.reserve(slices.size());  // what is not used is given back, and was never touched
  const bool hasName = !query.name.isEmpty();
  for (std::size_t at = 0; at < slices.size(); ++at) {
    const StringId name = slices.name[at];
    if (name == kNoString ? hasName : isName[index(name)] == 0) continue;
    found.push_back(SliceId{static_cast<std::uint32_t>(at)});
  }
  if (found.size() < slices.size() / 2) found.shrink_to_fit();
  if (query.category.isEmpty()) return found;
  const std::vector<std::uint8_t> isCategory = fittingCategories(trace, query.category);
  found.erase(std::remove_if(found.begin(), found.end(),
                             [&](SliceId slice) {
                               const StringId category = slices.category[index(slice)];
                               return category == kNoString || isCategory[index(category)] == 0;
                             }),
              found.end());
  return found;
}

// Arguments are read in the order in which they stand in the file, neighbours together: a compressed file is unpacked
// from the nearest place that was saved, again for each read.
std::vector<SliceId> withArguments(const Trace& trace, std::vector<SliceId> slices, const QString& args,
                                   std::stop_token stop, QString& problem) {
  constexpr std::uint64_t kBlock = 4 << 20;
  if (!trace.argsSource) return {};
  const std::string wanted = lowered(args.toUtf8().toStdString());
  const auto begin = [&](SliceId slice) { return trace.slices.argsBegin[index(slice)]; };
  slices.erase(std::remove_if(slices.begin(), slices.end(),
                              [&](SliceId slice) { return trace.slices.argsLength[index(slice)] == 0; }),
               slices.end());
  std::sort(slices.begin(), slices.end(), [&](SliceId a, SliceId b) { return begin(a) < begin(b); });
  std::vector<SliceId> found;
  for (std::size_t first = 0; first < slices.size() && !stop.stop_requested();) {
    std::size_t last = first;
    std::uint64_t end = begin(slices[first]);
    for (; last < slices.size() && begin(slices[last]) - begin(slices[first]) < kBlock; ++last) {
      end = std::max(end, begin(slices[last]) + trace.slices.argsLength[index(slices[last])]);
    }
    const std::uint64_t from = begin(slices[first]);
    const Result<std::string> text = trace.argsSource->read({from, static_cast<std::uint32_t>(end - from)});
    if (!text) {
      problem = whatHappened(text.error());
      break;
    }
    for (; first < last; ++first) {
      const std::string_view own =
          std::string_view(*text).substr(begin(slices[first]) - from, trace.slices.argsLength[index(slices[first])]);
      if (containsLowered(own, wanted)) found.push_back(slices[first]);
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

// Names of slices that are spelled nearly so.
QStringList alikeNames(const SearchedRuns& runs, const std::string& wanted) {
  std::set<std::pair<std::size_t, std::string>> alike;
  for (const auto& [position, facts] : runs) {
    const Trace& trace = *facts->trace;
    std::vector<bool> isName(trace.strings.size(), false);
    for (const StringId name : trace.slices.name) {
      if (name != kNoString) isName[index(name)] = true;
    }
    std::size_t looked = 0;
    for (std::size_t at = 0; at < isName.size() && looked < kMostNames; ++at) {
      if (!isName[at]) continue;
      ++looked;
      const std::string_view name =
          trace.strings.view(StringId(static_cast<std::uint32_t>(at))).substr(0, kLongestName);
      const std::size_t distance = distanceWithin(name, wanted);
      if (distance * 2 <= wanted.size()) alike.emplace(distance, std::string(name));
      if (alike.size() > kAlike) alike.erase(std::prev(alike.end()));
    }
  }
  QStringList names;
  for (const auto& [distance, name] : alike) names << QString::fromStdString(name);
  return names;
}

}  // namespace

std::size_t SearchResult::count() const {
  std::size_t sum = 0;
  for (const SelectedSlices& each : *found) sum += each.slices.size();
  return sum;
}

SearchResult findSlices(const SearchedRuns& runs, const SearchQuery& query, std::stop_token stop) {
  SearchResult result;
  auto found = makeFreedAside<std::vector<SelectedSlices>>();
  result.problem = query.problem;
  if (!query.isEmpty() && query.problem.isEmpty()) {
    for (const auto& [position, facts] : runs) {
      std::vector<SliceId> slices = fittingSlices(*facts->trace, query);
      if (!query.args.isEmpty()) {
        slices = withArguments(*facts->trace, std::move(slices), query.args, stop, result.problem);
      }
      if (!slices.empty()) found->push_back({position, std::move(slices)});
    }
    const bool isPlain = !query.isExpression && query.category.isEmpty() && query.args.isEmpty();
    if (found->empty() && isPlain) result.nearest = alikeNames(runs, lowered(query.name.toUtf8().toStdString()));
  }
  result.found = std::move(found);
  return result;
}

std::vector<SearchHit> orderedHits(const SearchedRuns& runs, const std::vector<SelectedSlices>& found) {
  std::vector<SearchHit> hits;
  for (const SelectedSlices& each : found) {
    const auto run = std::find_if(runs.begin(), runs.end(), [&](const auto& at) { return at.first == each.run; });
    const std::vector<std::int64_t>& start = run->second->trace->slices.startNs;
    std::vector<SliceId> slices = each.slices;
    std::stable_sort(slices.begin(), slices.end(),
                     [&start](SliceId a, SliceId b) { return start[index(a)] < start[index(b)]; });
    for (const SliceId slice : slices) hits.push_back({each.run, slice});
  }
  return hits;
}

SearchResult searchSlices(const SearchedRuns& runs, const QString& text) {
  SearchResult result = findSlices(runs, parseSearch(text));
  result.hits = orderedHits(runs, *result.found);
  return result;
}

SliceSearch::SliceSearch(Session& session, QObject* parent)
    : QObject(parent), m_session(session), m_jobs(std::make_unique<Jobs>()), m_result(nothing()) {
  // Hits name runs by position.
  connect(&m_session, &Session::runsChanged, this, [this] {
    const QString text = m_text;
    m_text.clear();
    search(text);
  });
}

SliceSearch::~SliceSearch() = default;

bool SliceSearch::isBusy() const { return m_jobs->isBusy(); }

void SliceSearch::search(const QString& text) {
  if (text == m_text) return;
  m_text = text;
  m_result = nothing();
  m_current = -1;
  m_wanted = 0;
  m_jobs->cancelAll();
  Q_EMIT found();
  if (text.isEmpty()) {
    Q_EMIT changed();
    return;
  }
  SearchedRuns runs;
  for (const int position : m_session.readyRuns()) runs.emplace_back(position, m_session.run(position)->facts());
  m_jobs->start(
      kSearchKey,
      [runs, query = parseSearch(text)](std::stop_token stop) { return findSlices(runs, query, std::move(stop)); },
      [this, runs](SearchResult result) {
        m_result = std::move(result);
        order(runs);
        Q_EMIT found();
        Q_EMIT changed();
      });
  Q_EMIT changed();
}

// They are counted and marked by now; the order is for those that walk through them.
void SliceSearch::order(const SearchedRuns& runs) {
  m_jobs->start(
      kOrderKey, [runs, found = m_result.found](std::stop_token) { return orderedHits(runs, *found); },
      [this](std::vector<SearchHit> hits) {
        m_result.hits = std::move(hits);
        Q_EMIT changed();
        if (m_wanted != 0) next(m_wanted);
      });
}

void SliceSearch::next(int direction) {
  if (isBusy() && m_result.hits.empty()) {
    m_wanted = direction;
    return;
  }
  m_wanted = 0;
  const auto count = static_cast<qsizetype>(m_result.hits.size());
  if (count == 0) return;
  if (m_current < 0) {
    show(direction > 0 ? 0 : count - 1);
  } else {
    show((m_current + direction + count) % count);
  }
}

void SliceSearch::show(qsizetype hit) {
  m_current = hit;
  const SearchHit at = m_result.hits[static_cast<std::size_t>(hit)];
  m_session.selectSlice(at.run, at.slice, SelectionOrigin::kNone);
  Q_EMIT changed();
  Q_EMIT hitShown(at.run, at.slice);
}

}  // namespace attnscope::ui
