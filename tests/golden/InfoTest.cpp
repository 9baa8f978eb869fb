// SPDX-License-Identifier: Apache-2.0
// Figures of all files of the corpus as they were looked over once: a change of any is a change of what is read.
// Write them anew with ATTNSCOPE_WRITE_GOLDEN=1 and read the difference.
#include <cstdlib>

#include "tests/golden/Corpus.h"

namespace attnscope::golden {
namespace {

std::string figuresFile() { return dataFolder() + "corpus_info.json"; }

Json figuresOf(const Trace& trace) {
  Json health = Json::object();
  for (const HealthEntry& entry : trace.health.sorted()) health[entry.code] = entry.count;
  Json processes = Json::array();
  for (const Process& process : trace.processes)
    processes.push_back(trace.identityText(process.pid) + " " + process.name);
  Json kinds = Json::object();
  for (const Track& track : trace.tracks) {
    const std::string kind(toString(track.kind));
    kinds[kind] = kinds.value(kind, 0) + 1;
  }
  std::size_t rows = 0;
  for (const Track& track : trace.tracks) rows += track.rows.size();
  return {{"producer", trace.producer},
          {"base_ns", trace.base},
          {"end_ns", trace.range.endNs},
          {"dense", {trace.dense.startNs, trace.dense.endNs}},
          {"events", trace.events},
          {"slices", trace.slices.size()},
          {"instants", trace.instants.size()},
          {"counters", trace.counterSamples},
          {"series", trace.counters.size()},
          {"bound", trace.flows.size()},
          {"unbound", trace.flows.unbound},
          {"kernels", trace.kernels},
          {"memory", trace.memory.size()},
          {"stacks", trace.stacks.size()},
          {"rank", trace.rank.index},
          {"processes", processes.size() > 12 ? Json(processes.size()) : processes},
          {"tracks", kinds},
          {"rows", rows},
          {"devices", trace.devices.size()},
          {"steps", trace.steps.size()},
          {"metadata", trace.metadata.size()},
          {"health", health}};
}

std::vector<std::string> corpusFiles() {
  std::vector<std::string> files;
  std::error_code error;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(corpusFolder(), error)) {
    const std::string name = std::filesystem::relative(entry.path(), corpusFolder()).string();
    const bool isTrace = name.ends_with(".json") || name.ends_with(".json.gz");
    if (isTrace && !name.ends_with(".expected.json")) files.push_back(name);
  }
  std::sort(files.begin(), files.end());
  return files;
}

TEST(Info, FiguresOfTheCorpusAreThoseThatWereLookedOver) {
  const std::vector<std::string> files = corpusFiles();
  if (files.empty()) GTEST_SKIP() << "no traces in " << corpusFolder() << ": name the corpus with -DATTNSCOPE_CORPUS";
  Json found = Json::object();
  for (const std::string& file : files) {
    Progress progress;
    const auto trace = loadTrace(corpusFolder() + file, {}, progress, {});
    found[file] = trace ? figuresOf(**trace) : Json(trace.error().message());
  }
  if (std::getenv("ATTNSCOPE_WRITE_GOLDEN") != nullptr) {
    std::ofstream(figuresFile()) << found.dump(1) << '\n';
    return;
  }
  const Json wanted = Json::parse(readText(figuresFile()));
  for (const std::string& file : files) EXPECT_EQ(found[file], wanted.value(file, Json())) << file;
}

}  // namespace
}  // namespace attnscope::golden
