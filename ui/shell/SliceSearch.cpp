// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/SliceSearch.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>

#include "ui/bridge/Jobs.h"

namespace attnscope::ui {

namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

std::string lowered(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(), lower);
  return result;
}

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

}  // namespace

SearchResult searchSlices(const std::vector<std::pair<int, std::shared_ptr<const RunFacts>>>& runs,
                          const QString& text) {
  constexpr std::size_t kLongestName = 300;
  constexpr std::size_t kMostNames = 20000;
  SearchResult result;
  const std::string wanted = lowered(text.toUtf8().toStdString());
  if (wanted.empty()) return result;
  std::set<std::pair<std::size_t, std::string>> alike;
  for (const auto& [position, facts] : runs) {
    const Trace& trace = *facts->trace;
    const SliceTable& slices = trace.slices;
    std::vector<bool> isName(trace.strings.size(), false);
    for (const StringId name : slices.name) {
      if (name != kNoString) isName[index(name)] = true;
    }
    std::vector<bool> isHit(trace.strings.size(), false);
    bool any = false;
    for (std::size_t i = 0; i < isName.size(); ++i) {
      isHit[i] = isName[i] && containsLowered(trace.strings.view(StringId(static_cast<std::uint32_t>(i))), wanted);
      any = any || isHit[i];
    }
    if (any) {
      const auto first = static_cast<std::ptrdiff_t>(result.hits.size());
      for (std::size_t i = 0; i < slices.size(); ++i) {
        if (slices.name[i] != kNoString && isHit[index(slices.name[i])]) {
          result.hits.push_back({position, SliceId(static_cast<std::uint32_t>(i))});
        }
      }
      std::stable_sort(result.hits.begin() + first, result.hits.end(), [&slices](SearchHit a, SearchHit b) {
        return slices.startNs[index(a.slice)] < slices.startNs[index(b.slice)];
      });
    } else if (result.hits.empty()) {
      std::size_t looked = 0;
      for (std::size_t i = 0; i < isName.size() && looked < kMostNames; ++i) {
        if (!isName[i]) continue;
        ++looked;
        const std::string_view name =
            trace.strings.view(StringId(static_cast<std::uint32_t>(i))).substr(0, kLongestName);
        const std::size_t distance = distanceWithin(name, wanted);
        if (distance * 2 <= wanted.size()) alike.emplace(distance, std::string(name));
        if (alike.size() > 8) alike.erase(std::prev(alike.end()));
      }
    }
  }
  if (result.hits.empty()) {
    for (const auto& [distance, name] : alike) {
      if (result.nearest.size() == 3) break;
      result.nearest << QString::fromStdString(name);
    }
  }
  return result;
}

SliceSearch::SliceSearch(Session& session, QObject* parent)
    : QObject(parent), m_session(session), m_jobs(std::make_unique<Jobs>()) {
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
  m_result = {};
  m_current = -1;
  m_wanted = 0;
  if (text.isEmpty()) {
    m_jobs->cancelAll();
    Q_EMIT changed();
    return;
  }
  std::vector<std::pair<int, std::shared_ptr<const RunFacts>>> runs;
  for (const int position : m_session.readyRuns()) runs.emplace_back(position, m_session.run(position)->facts());
  m_jobs->start(
      QStringLiteral("search"), [runs = std::move(runs), text](std::stop_token) { return searchSlices(runs, text); },
      [this](SearchResult result) {
        m_result = std::move(result);
        Q_EMIT changed();
        if (m_wanted != 0) next(m_wanted);
      });
  Q_EMIT changed();
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
