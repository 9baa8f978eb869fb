// SPDX-License-Identifier: GPL-3.0-or-later
// What the timelines draw, made in workers: rows and indexes, seams, rows of what is selected and found.
#include <algorithm>

#include "ui/bridge/FreedAside.h"
#include "ui/timeline/TimelineView.h"

namespace attnscope::ui {

void TimelineView::refreshModels() {
  for (int at = 0; at < m_session.runCount(); ++at) {
    Run* run = m_session.run(at);
    Model& model = m_models[run];
    if (run->shownFacts() && model.facts != run->shownFacts()) makeModel(run);
    if (run->state() == RunState::kFailed && model.facts) dropModel(run);
  }
  for (TimelinePane* pane : m_panes) {
    const RunModel* model = modelOf(pane->run());
    const bool isOther = model && pane->tracks() != &model->tracks();
    pane->setModel(model);
    if (isOther) recallTracks(*pane);
  }
  refreshKinds();
}

// What was made of a trace that is gone is let go, and with it the trace.
void TimelineView::dropModel(Run* run) {
  for (TimelinePane* pane : m_panes) {
    if (m_session.run(pane->run()) == run) pane->setModel(nullptr);
  }
  m_jobs.cancel(keyOf("tracks:", run));
  m_jobs.cancel(keyOf("index:", run));
  m_jobs.cancel(keyOf("names:", run));
  m_models[run] = Model{};
}

void TimelineView::makeModel(Run* run) {
  dropModel(run);
  m_models[run].facts = run->shownFacts();
  m_jobs.start(
      keyOf("tracks:", run),
      [facts = run->shownFacts()](std::stop_token) { return std::make_unique<RunModel>(makeDisplayTracks(facts)); },
      [this, run](std::unique_ptr<RunModel> model) {
        const std::shared_ptr<const DisplayTracks> tracks = model->sharedTracks();
        m_models[run].made = std::move(model);
        refreshModels();
        refreshExtent();
        refreshSeams();
        refreshHits();
        onSelection();
        // Rows are drawn by walking their slices until the index is there.
        m_jobs.start(
            keyOf("index:", run), [tracks](std::stop_token) { return makeDisplayIndexes(*tracks); },
            [this, run](std::shared_ptr<const DisplayIndexes> indexes) {
              const auto found = m_models.find(run);
              if (found == m_models.end() || !found->second.made) return;
              found->second.made->setIndexes(std::move(indexes));
              m_overview.refresh();
              for (TimelinePane* pane : m_panes) pane->update();
            });
        m_jobs.start(
            keyOf("names:", run),
            [tracks](std::stop_token) {
              const Trace& trace = *tracks->facts->trace;
              return makeFreedAside<const NameIndex>(
                  NameIndex::build(trace.slices.name, trace.slices.startNs, trace.strings.size()));
            },
            [this, run](std::shared_ptr<const NameIndex> names) {
              const auto found = m_models.find(run);
              if (found == m_models.end() || !found->second.made) return;
              found->second.made->setNames(std::move(names));
              m_tipOf = {};  // it can tell the calls now
            });
      });
}

void TimelineView::refreshSeams() {
  for (SeamLane* seam : m_seams) {
    const RunModel* above = modelOf(seam->upper());
    const RunModel* below = modelOf(seam->lower());
    seam->setMatch(nullptr);
    m_jobs.cancel(keyOf("seam:", seam));
    if (!above || !below) continue;
    if (!m_session.run(seam->upper())->facts() || !m_session.run(seam->lower())->facts()) continue;
    struct Side {
      std::shared_ptr<const RunFacts> facts;
      TimeRange scope;
      [[nodiscard]] SeamTrack track() const { return {facts->trace.get(), facts->comparedTrack, scope}; }
    };
    const Side upper{above->tracks().facts, m_session.scopeRange(seam->upper())};
    const Side lower{below->tracks().facts, m_session.scopeRange(seam->lower())};
    m_jobs.start(
        keyOf("seam:", seam),
        [upper, lower](std::stop_token) {
          std::vector<SeamLink> links;
          if (upper.facts->comparedTrack != kNoTrack && lower.facts->comparedTrack != kNoTrack) {
            links = seamLinks(upper.track(), lower.track());
          }
          return makeFreedAside<const SeamMatch>(std::move(links));
        },
        [this, seam](std::shared_ptr<const SeamMatch> match) {
          seam->setMatch(std::move(match));
          refreshPartners();
        });
  }
}

void TimelineView::refreshPartners() {
  m_tipOf = {};  // it names the partner
  std::vector<Partner> partners;
  const Selection& selection = m_session.selection();
  if (!selection.isEmpty() && selection.parts.size() == 1 && selection.leadSlice != kNoSlice) {
    for (const SeamLane* seam : m_seams) {
      Partner partner = seam->partnerOf(selection.leadRun, selection.leadSlice);
      if (partner.run >= 0) partners.push_back(std::move(partner));
    }
  }
  m_state.setPartners(std::move(partners));
}

void TimelineView::refreshKinds() {
  std::uint32_t present = 0;
  for (const auto& [run, model] : m_models) present |= model.made ? model.made->kinds() : 0;
  std::vector<WorkKind> kinds;
  for (int kind = 0; kind < kWorkKindCount; ++kind) {
    if ((present & (1u << kind)) != 0) kinds.push_back(static_cast<WorkKind>(kind));
  }
  m_bar.setKinds(std::move(kinds));
}

// Rows and positions of what is selected: a few at once, many in a worker.
void TimelineView::refreshSelected() {
  constexpr std::size_t kAtOnce = 2000;
  for (TimelinePane* pane : m_panes) {
    const RunModel* model = modelOf(pane->run());
    const std::vector<SliceId>* slices = m_session.selection().slicesOf(pane->run());
    m_jobs.cancel(keyOf("selected:", pane));
    if (!model || !slices || slices->size() <= kAtOnce) {
      pane->setSelected(model && slices ? selectedRows(model->tracks(), *slices) : SelectedRows{});
      continue;
    }
    pane->setSelected({});
    m_jobs.start(
        keyOf("selected:", pane),
        [tracks = model->sharedTracks(), slices = *slices](std::stop_token) { return selectedRows(*tracks, slices); },
        [this, pane](SelectedRows rows) {
          if (std::find(m_panes.begin(), m_panes.end(), pane) != m_panes.end()) pane->setSelected(std::move(rows));
        });
  }
}

void TimelineView::setHits(std::shared_ptr<const std::vector<SelectedSlices>> hits) {
  m_hits = std::move(hits);
  refreshHits();
}

// Rows and positions for the panes, starts in order for the overview: made in a worker, for a search may find all.
void TimelineView::refreshHits() {
  m_overview.clearHits();
  for (TimelinePane* pane : m_panes) {
    m_jobs.cancel(keyOf("hits:", pane));
    pane->setFound({});
    const RunModel* model = modelOf(pane->run());
    if (!model || !m_hits) continue;
    const auto found = std::find_if(m_hits->begin(), m_hits->end(),
                                    [pane](const SelectedSlices& each) { return each.run == pane->run(); });
    if (found == m_hits->end()) continue;
    struct Marked {
      FoundRows rows;
      std::vector<std::int64_t> startNs;
    };
    m_jobs.start(
        keyOf("hits:", pane),
        [tracks = model->sharedTracks(), hits = m_hits, slices = &found->slices](std::stop_token) {
          Marked marked{foundRows(*tracks, *slices), {}};
          marked.startNs.reserve(slices->size());
          for (const SliceId slice : *slices) {
            marked.startNs.push_back(tracks->facts->trace->slices.startNs[index(slice)]);
          }
          std::sort(marked.startNs.begin(), marked.startNs.end());
          return marked;
        },
        [this, pane](Marked marked) {
          if (std::find(m_panes.begin(), m_panes.end(), pane) == m_panes.end()) return;
          pane->setFound(std::move(marked.rows));
          m_overview.setHits(pane->run(), std::move(marked.startNs));
        });
  }
}

}  // namespace attnscope::ui
