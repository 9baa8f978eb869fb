// SPDX-License-Identifier: Apache-2.0
#include "core/problem/ProblemOptions.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>
#include <utility>

#include "core/problem/MaskTable.h"
#include "core/problem/Presets.h"
#include "core/problem/Validation.h"

namespace attnscope {
namespace {

tl::unexpected<Error> usage(std::string what, std::string remedy = {}) {
  Error error;
  error.kind = ErrorKind::kUsage;
  error.what = std::move(what);
  error.remedy = std::move(remedy);
  return fail(std::move(error));
}

template <class Number>
std::optional<Number> numberOf(std::string_view text) {
  Number number{};
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (code != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return number;
}

std::optional<std::vector<std::int64_t>> listOf(std::string_view text) {
  std::vector<std::int64_t> list;
  while (true) {
    const std::size_t comma = text.find(',');
    const std::optional<std::int64_t> number = numberOf<std::int64_t>(text.substr(0, comma));
    if (!number) return std::nullopt;
    list.push_back(*number);
    if (comma == std::string_view::npos) return list;
    text.remove_prefix(comma + 1);
  }
}

bool startsWith(std::string_view text, std::string_view prefix) { return text.substr(0, prefix.size()) == prefix; }

// What was said, before it is put together: order does not matter.
struct Said {
  std::optional<const Preset*> preset;
  std::optional<std::int64_t> batch, heads, keyValueHeads, queries, keys, headSize, valueHeadSize, window, latent, rope;
  std::optional<DataType> dtype;
  bool causal = false;
  std::optional<CausalAlignment> alignment;
  std::optional<std::string> mask;
  std::optional<double> softcap, dropout;
  bool sink = false, alibi = false, backward = false, block = false;
  std::optional<Layout> layout;
  std::optional<std::uint64_t> seed;
};

struct Option {
  std::string_view name;
  enum class Value : std::uint8_t { kNone, kOptional, kNeeded } value = Value::kNeeded;
  // False where the text is no such value; then `expects` says what is.
  bool (*take)(Said& said, std::string_view text) = nullptr;
  std::string_view expects;
};

template <class Number>
bool put(std::optional<Number>& target, std::string_view text) {
  target = numberOf<Number>(text);
  return target.has_value();
}

const std::vector<Option>& options() {
  using Value = Option::Value;
  static constexpr std::string_view kWhole = "a whole number";
  static const std::vector<Option> table = {
      {"--batch", Value::kNeeded, [](Said& said, std::string_view text) { return put(said.batch, text); }, kWhole},
      {"--heads", Value::kNeeded, [](Said& said, std::string_view text) { return put(said.heads, text); }, kWhole},
      {"--kv-heads", Value::kNeeded, [](Said& said, std::string_view text) { return put(said.keyValueHeads, text); },
       kWhole},
      {"--seq", Value::kNeeded, [](Said& said, std::string_view text) { return put(said.queries, text); }, kWhole},
      {"--kv-seq", Value::kNeeded, [](Said& said, std::string_view text) { return put(said.keys, text); }, kWhole},
      {"--head-dim", Value::kNeeded, [](Said& said, std::string_view text) { return put(said.headSize, text); },
       kWhole},
      {"--value-head-dim", Value::kNeeded,
       [](Said& said, std::string_view text) { return put(said.valueHeadSize, text); }, kWhole},
      {"--window", Value::kNeeded, [](Said& said, std::string_view text) { return put(said.window, text); }, kWhole},
      {"--latent", Value::kNeeded, [](Said& said, std::string_view text) { return put(said.latent, text); }, kWhole},
      {"--rope", Value::kNeeded, [](Said& said, std::string_view text) { return put(said.rope, text); }, kWhole},
      {"--softcap", Value::kNeeded, [](Said& said, std::string_view text) { return put(said.softcap, text); },
       "a number"},
      {"--dropout", Value::kNeeded, [](Said& said, std::string_view text) { return put(said.dropout, text); },
       "a number from 0 to below 1"},
      {"--seed", Value::kNeeded, [](Said& said, std::string_view text) { return put(said.seed, text); }, kWhole},
      {"--dtype", Value::kNeeded,
       [](Said& said, std::string_view text) { return (said.dtype = dataTypeOf(text)).has_value(); },
       "float32, bfloat16, float16 or float64"},
      {"--layout", Value::kNeeded,
       [](Said& said, std::string_view text) {
         if (text == "bhnd") said.layout = Layout::kBhnd;
         if (text == "bnhd") said.layout = Layout::kBnhd;
         return said.layout.has_value();
       },
       "bhnd or bnhd"},
      {"--preset", Value::kNeeded,
       [](Said& said, std::string_view text) {
         said.preset = findPreset(text);
         return *said.preset != nullptr;
       },
       "a known model"},
      {"--mask", Value::kNeeded,
       [](Said& said, std::string_view text) {
         said.mask = std::string(text);
         return !text.empty();
       },
       "none, prefix:N, documents:N,N, chunks:N or a file"},
      {"--causal", Value::kOptional,
       [](Said& said, std::string_view text) {
         said.causal = true;
         if (text == "top-left") said.alignment = CausalAlignment::kTopLeft;
         if (text == "bottom-right") said.alignment = CausalAlignment::kBottomRight;
         return text.empty() || said.alignment.has_value();
       },
       "top-left or bottom-right"},
      {"--sink", Value::kNone, [](Said& said, std::string_view) { return said.sink = true; }, ""},
      {"--alibi", Value::kNone, [](Said& said, std::string_view) { return said.alibi = true; }, ""},
      {"--backward", Value::kNone, [](Said& said, std::string_view) { return said.backward = true; }, ""},
      {"--block", Value::kNone, [](Said& said, std::string_view) { return said.block = true; }, ""},
  };
  return table;
}

const Option* findOption(std::string_view name) {
  for (const Option& option : options()) {
    if (option.name == name) return &option;
  }
  return nullptr;
}

std::string presetNames() {
  std::string names;
  for (const Preset& preset : presets()) names += (names.empty() ? "" : ", ") + std::string(preset.id);
  return names;
}

tl::unexpected<Error> wrongValue(const Option& option, std::string_view text) {
  if (option.name == "--preset") {
    return usage(fmt::format("--preset {} is not known", text), fmt::format("use one of {}", presetNames()));
  }
  return usage(fmt::format("{} cannot be \"{}\"", option.name, text), fmt::format("use {}", option.expects));
}

Result<CausalAlignment> alignmentOf(const Said& said, const Problem& problem, std::string_view option) {
  if (said.alignment) return *said.alignment;
  if (problem.queryLength == problem.keyValueLength) return CausalAlignment::kTopLeft;
  return usage(
      fmt::format("{} is ambiguous for {} queries and {} keys", option, problem.queryLength, problem.keyValueLength),
      "say which: --causal=top-left lines up the first query with the first key, --causal=bottom-right the "
      "last with the last");
}

Result<Mask> namedMask(const Said& said) {
  const std::string_view text = *said.mask;
  if (text == "none") {
    if (said.causal) return usage("--mask none and --causal contradict each other", "leave one out");
    return NoMask{};
  }
  if (startsWith(text, "prefix:")) {
    if (said.alignment == CausalAlignment::kBottomRight) {
      return usage("a prefix mask is top-left", "leave --causal=bottom-right out");
    }
    const std::optional<std::int64_t> length = numberOf<std::int64_t>(text.substr(7));
    if (!length) return usage(fmt::format("--mask {} has no length", text), "use prefix:N with a whole number N");
    return PrefixMask{*length};
  }
  if (startsWith(text, "documents:")) {
    std::optional<std::vector<std::int64_t>> lengths = listOf(text.substr(10));
    if (!lengths) {
      return usage(fmt::format("--mask {} has no lengths", text), "use documents:N,N with whole numbers N");
    }
    return DocumentsMask{std::move(*lengths), said.causal ? InsideDocument::kCausal : InsideDocument::kFull};
  }
  return FileMask{std::string(text)};
}

Result<Mask> chunksMask(std::string_view text, const Problem& problem) {
  const std::optional<std::int64_t> size = numberOf<std::int64_t>(text);
  if (!size || *size < 1) return usage(fmt::format("--mask chunks:{} has no size", text), "use chunks:N with N over 0");
  return chunksOf(*size, problem.queryLength);
}

Result<Mask> maskOf(const Said& said, const Problem& problem) {
  if (said.window && said.mask) return usage("--window and --mask contradict each other", "leave one out");
  if (said.window) {
    const Result<CausalAlignment> alignment = alignmentOf(said, problem, "--window");
    if (!alignment) return tl::unexpected<Error>(alignment.error());
    return WindowMask{*said.window, *alignment};
  }
  if (said.mask && startsWith(*said.mask, "chunks:")) return chunksMask(said.mask->substr(7), problem);
  if (said.mask) return namedMask(said);
  if (said.causal) {
    const Result<CausalAlignment> alignment = alignmentOf(said, problem, "--causal");
    if (!alignment) return tl::unexpected<Error>(alignment.error());
    return CausalMask{*alignment};
  }
  return problem.mask;
}

// Sizes that follow others where nobody said anything, and where they did so in the preset.
void putSizes(const Said& said, Problem& problem) {
  const bool headsFollow = problem.keyValueHeads == problem.heads;
  const bool keysFollow = problem.keyValueLength == problem.queryLength;
  const bool valuesFollow = problem.valueHeadSize == problem.headSize;
  problem.batch = said.batch.value_or(problem.batch);
  problem.heads = said.heads.value_or(problem.heads);
  problem.keyValueHeads = said.keyValueHeads.value_or(headsFollow ? problem.heads : problem.keyValueHeads);
  problem.queryLength = said.queries.value_or(problem.queryLength);
  problem.keyValueLength = said.keys.value_or(keysFollow ? problem.queryLength : problem.keyValueLength);
  problem.headSize = said.headSize.value_or(problem.headSize);
  problem.valueHeadSize = said.valueHeadSize.value_or(valuesFollow ? problem.headSize : problem.valueHeadSize);
}

Result<Problem> problemOf(const Said& said) {
  Problem problem;
  problem.mask = NoMask{};
  if (said.preset) problem = (*said.preset)->problem;
  putSizes(said, problem);
  problem.dtype = said.dtype.value_or(problem.dtype);
  problem.softcap = said.softcap.value_or(problem.softcap);
  problem.dropout = said.dropout.value_or(problem.dropout);
  problem.latentSize = said.latent.value_or(problem.latentSize);
  problem.ropeSize = said.rope.value_or(problem.ropeSize);
  problem.layout = said.layout.value_or(problem.layout);
  problem.seed = said.seed.value_or(problem.seed);
  problem.sink = problem.sink || said.sink;
  problem.alibi = problem.alibi || said.alibi;
  if (said.backward) problem.pass = Pass::kForwardBackward;
  if (said.block) problem.workload = Workload::kBlock;
  Result<Mask> mask = maskOf(said, problem);
  if (!mask) return tl::unexpected<Error>(mask.error());
  problem.mask = std::move(*mask);
  if (Result<void> read = readMaskOf(problem); !read) return usage("--mask " + read.error().what, read.error().remedy);
  return validated(std::move(problem));
}

void appendMask(const Problem& problem, std::vector<std::string>& words) {
  const bool square = problem.queryLength == problem.keyValueLength;
  const auto causal = [&](CausalAlignment alignment) {
    if (square && alignment == CausalAlignment::kTopLeft) return std::string("--causal");
    return fmt::format("--causal={}", toString(alignment));
  };
  if (const auto* mask = std::get_if<CausalMask>(&problem.mask)) {
    words.push_back(causal(mask->alignment));
  } else if (const auto* window = std::get_if<WindowMask>(&problem.mask)) {
    words.insert(words.end(), {"--window", fmt::format("{}", window->width)});
    if (!square || window->alignment != CausalAlignment::kTopLeft) words.push_back(causal(window->alignment));
  } else if (const auto* prefix = std::get_if<PrefixMask>(&problem.mask)) {
    words.insert(words.end(), {"--mask", fmt::format("prefix:{}", prefix->length)});
  } else if (const auto* documents = std::get_if<DocumentsMask>(&problem.mask)) {
    words.insert(words.end(), {"--mask", fmt::format("documents:{}", fmt::join(documents->lengths, ","))});
    if (documents->inside == InsideDocument::kCausal) words.push_back("--causal");
  } else if (const auto* file = std::get_if<FileMask>(&problem.mask)) {
    words.insert(words.end(), {"--mask", file->path});
  }
}

}  // namespace

Result<ParsedOptions> parseProblemOptions(std::span<const std::string> arguments) {
  Said said;
  std::vector<std::string> rest;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string_view argument = arguments[i];
    const std::size_t equals = argument.find('=');
    const Option* option = findOption(argument.substr(0, equals));
    if (option == nullptr) {
      rest.push_back(arguments[i]);
      continue;
    }
    std::string_view value;
    if (equals != std::string_view::npos) {
      value = argument.substr(equals + 1);
      if (option->value == Option::Value::kNone) {
        return usage(fmt::format("{} takes no value", option->name), "leave out what follows it");
      }
      if (value.empty()) return wrongValue(*option, value);
    } else if (option->value == Option::Value::kNeeded) {
      if (i + 1 == arguments.size()) {
        return usage(fmt::format("{} needs a value", option->name), fmt::format("use {}", option->expects));
      }
      value = arguments[++i];
    }
    if (!option->take(said, value)) return wrongValue(*option, value);
  }
  Result<Problem> problem = problemOf(said);
  if (!problem) return tl::unexpected<Error>(problem.error());
  return ParsedOptions{std::move(*problem), std::move(rest)};
}

std::vector<std::string> optionsOf(const Problem& problem) {
  const Problem defaults;
  std::vector<std::string> words;
  const auto add = [&](std::string_view option, auto value) {
    words.insert(words.end(), {std::string(option), fmt::format("{}", value)});
  };
  if (problem.batch != defaults.batch) add("--batch", problem.batch);
  add("--heads", problem.heads);
  if (problem.keyValueHeads != problem.heads) add("--kv-heads", problem.keyValueHeads);
  add("--seq", problem.queryLength);
  if (problem.keyValueLength != problem.queryLength) add("--kv-seq", problem.keyValueLength);
  add("--head-dim", problem.headSize);
  if (problem.valueHeadSize != problem.headSize) add("--value-head-dim", problem.valueHeadSize);
  if (problem.dtype != defaults.dtype) add("--dtype", toString(problem.dtype));
  appendMask(problem, words);
  if (problem.softcap != 0) add("--softcap", problem.softcap);
  if (problem.sink) words.push_back("--sink");
  if (problem.alibi) words.push_back("--alibi");
  if (problem.dropout != 0) add("--dropout", problem.dropout);
  if (problem.latentSize != 0) add("--latent", problem.latentSize);
  if (problem.ropeSize != 0) add("--rope", problem.ropeSize);
  if (problem.pass == Pass::kForwardBackward) words.push_back("--backward");
  if (problem.workload == Workload::kBlock) words.push_back("--block");
  if (problem.layout != defaults.layout) add("--layout", toString(problem.layout));
  if (problem.seed != 0) add("--seed", problem.seed);
  return words;
}

std::string joinForShell(std::span<const std::string> words) {
  static constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=+,./:@%";
  std::string line;
  for (const std::string& word : words) {
    if (!line.empty()) line += ' ';
    if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) {
      line += word;
      continue;
    }
    line += '\'';
    for (const char character : word) {
      if (character == '\'') {
        line += "'\\''";
      } else {
        line += character;
      }
    }
    line += '\'';
  }
  return line;
}

}  // namespace attnscope
