// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Finds slices in all ready runs, in a worker: the text is looked for in the distinct names once each, then in the
// rows. The hits are counted first and put in order of start after that; a newer search replaces an older one. GUI
// thread.

#include <memory>
#include <stop_token>
#include <utility>
#include <vector>

#include <QObject>
#include <QString>
#include <QStringList>

#include "ui/bridge/Session.h"
#include "ui/shell/SearchQuery.h"

namespace attnscope::ui {

class Jobs;

struct SearchHit {
  int run = -1;
  SliceId slice = kNoSlice;
};
struct SearchResult {
  std::shared_ptr<const std::vector<SelectedSlices>> found;  // by run, ascending; never null
  std::vector<SearchHit> hits;                               // by run and start; empty until they are ordered
  QStringList nearest;  // at most three names that are alike, where there is no hit
  QString problem;      // of the expression, or of arguments that cannot be read
  [[nodiscard]] std::size_t count() const;
};
using SearchedRuns = std::vector<std::pair<int, std::shared_ptr<const RunFacts>>>;
// Without order. O(names + slices), and what reading arguments takes; empty where it was stopped.
[[nodiscard]] SearchResult findSlices(const SearchedRuns& runs, const SearchQuery& query, std::stop_token stop = {});
// O(hits log hits).
[[nodiscard]] std::vector<SearchHit> orderedHits(const SearchedRuns& runs, const std::vector<SelectedSlices>& found);
// Both.
[[nodiscard]] SearchResult searchSlices(const SearchedRuns& runs, const QString& text);

class SliceSearch : public QObject {
  Q_OBJECT

 public:
  SliceSearch(Session& session, QObject* parent = nullptr);
  ~SliceSearch() override;

  void search(const QString& text);
  void next(int direction);  // selects the next hit after the one that was last shown
  [[nodiscard]] bool isBusy() const;
  [[nodiscard]] const SearchResult& result() const { return m_result; }
  [[nodiscard]] qsizetype current() const { return m_current; }  // -1: none shown yet
  [[nodiscard]] const QString& text() const { return m_text; }
  [[nodiscard]] const QString& problem() const { return m_result.problem; }

 Q_SIGNALS:
  void changed();
  void found();  // other hits
  void hitShown(int run, attnscope::SliceId slice);

 private:
  void show(qsizetype hit);
  void order(const SearchedRuns& runs);

  Session& m_session;
  std::unique_ptr<Jobs> m_jobs;
  QString m_text;
  SearchResult m_result;
  qsizetype m_current = -1;
  int m_wanted = 0;  // a step that was asked for while the search ran
};

}  // namespace attnscope::ui
