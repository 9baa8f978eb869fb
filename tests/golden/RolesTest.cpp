// SPDX-License-Identifier: Apache-2.0

// Calls that stand for others by their role: in a recording whose operators were renamed, and in two public traces of
// one model, of which one was compiled.

#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <sstream>
#include <string>

#include "core/compare/Comparison.h"
#include "tests/golden/Corpus.h"

namespace attnscope::golden {
namespace {

std::string textOf(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// Every operator's name by a word of its own; annotations keep theirs.
std::string withRandomWords(const std::string& text) {
  const std::string marker = "\"aten::";
  std::mt19937 random(7);
  std::map<std::string, std::string> words;
  std::string renamed;
  std::size_t from = 0;
  for (std::size_t at = text.find(marker); at != std::string::npos; at = text.find(marker, from)) {
    const std::size_t end = text.find('"', at + 1);
    const std::string name = text.substr(at + 1, end - at - 1);
    const auto word = words.emplace(name, "word" + std::to_string(random())).first;
    renamed += text.substr(from, at + 1 - from) + word->second;
    from = end;
  }
  return renamed + text.substr(from);
}

TEST(Roles, HoldWhereOnlyTheNamesDiffer) {
  const std::string path = ATTNSCOPE_SOURCE_DIR "/resources/sample/naive.json";
  const std::string copy = (std::filesystem::temp_directory_path() / "attnscope-renamed.json").string();
  std::ofstream(copy, std::ios::binary) << withRandomWords(textOf(path));
  const auto original = load(path);
  const auto renamed = load(copy);
  std::filesystem::remove(copy);
  ASSERT_TRUE(original);
  ASSERT_TRUE(renamed);
  const OperatorTree originalTree = buildOperatorTree(*original);
  const OperatorTree renamedTree = buildOperatorTree(*renamed);
  ASSERT_EQ(originalTree.nodes.size(), renamedTree.nodes.size());
  const Comparison comparison = compareRuns({{original.get(), &originalTree, "original", TimeRange::all()},
                                             {renamed.get(), &renamedTree, "renamed", TimeRange::all()}});
  EXPECT_EQ(comparison.groupOfNode[0], comparison.groupOfNode[1]) << "each call stands for the one in its place";
  std::size_t roles = 0;
  for (const ComparisonGroup& group : comparison.groups) {
    EXPECT_LE(group.match, MatchKind::kRole) << group.key;
    EXPECT_EQ(group.hostDeltaNs(1), 0) << group.key;
    roles += group.match == MatchKind::kRole ? 1 : 0;
  }
  EXPECT_GT(roles, 10u);
}

TEST(Roles, OfACompiledModelBesideTheSameOneInOperators) {
  const std::string control = corpusFolder() + "diff_control.json.gz";
  const std::string test = corpusFolder() + "diff_test.json.gz";
  if (!std::filesystem::exists(control) || !std::filesystem::exists(test)) GTEST_SKIP() << control << " is not there";
  const auto base = load(control);
  const auto other = load(test);
  const OperatorTree baseTree = buildOperatorTree(*base);
  const OperatorTree otherTree = buildOperatorTree(*other);
  const Comparison comparison = compareRuns({{base.get(), &baseTree, "operators", TimeRange::all()},
                                             {other.get(), &otherTree, "compiled", TimeRange::all()}});
  std::int64_t compiled = 0;  // device time of the compiled function that stands for operators
  std::int64_t exact = 0;
  for (const ComparisonGroup& group : comparison.groups) {
    const bool isCompiled = group.names[1].find("CompiledFunction") != std::string::npos;
    if (isCompiled && group.match == MatchKind::kRole && group.names[0].find("aten::linear") != std::string::npos) {
      compiled += group.runs[1].deviceNs;
      EXPECT_GT(group.runs[0].calls, group.runs[1].calls) << "many to one";
    }
    if (group.match == MatchKind::kExact) exact += group.runs[1].hostSelfNs;
  }
  EXPECT_GT(compiled, 100'000'000);
  EXPECT_GT(exact, comparison.totals[1].hostSelfNs / 2) << "what was not compiled is the same";
}

}  // namespace
}  // namespace attnscope::golden
