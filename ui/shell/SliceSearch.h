// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Finds slices by name in all ready runs, in a worker: the text is looked for in the distinct names, then slices of
// those names are listed by run and start. A newer search replaces an older one. GUI thread.

#include <memory>
#include <vector>

#include <QObject>
#include <QString>
#include <QStringList>

#include "ui/bridge/Session.h"

namespace attnscope::ui {

class Jobs;

struct SearchHit {
  int run = -1;
  SliceId slice = kNoSlice;
};
struct SearchResult {
  std::vector<SearchHit> hits;
  QStringList nearest;  // at most three names that are alike, where there is no hit
};
// Case does not matter. O(names + slices + hits log hits).
[[nodiscard]] SearchResult searchSlices(const std::vector<std::pair<int, std::shared_ptr<const RunFacts>>>& runs,
                                        const QString& text);

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

 Q_SIGNALS:
  void changed();
  void hitShown(int run, attnscope::SliceId slice);

 private:
  void show(qsizetype hit);

  Session& m_session;
  std::unique_ptr<Jobs> m_jobs;
  QString m_text;
  SearchResult m_result;
  qsizetype m_current = -1;
  int m_wanted = 0;  // a step that was asked for while the search ran
};

}  // namespace attnscope::ui
