// SPDX-License-Identifier: Apache-2.0
#include "core/problem/Validation.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "core/problem/MaskTable.h"

namespace attnscope {
namespace {

constexpr std::int64_t kMostBatch = 65'536;
constexpr std::int64_t kMostHeads = 4'096;
constexpr std::int64_t kMostLength = 1ll << 24;
constexpr std::int64_t kMostHeadSize = 4'096;

class Remarks {
 public:
  void error(ProblemField field, std::string message) {
    m_remarks.push_back({field, RemarkSeverity::kError, std::move(message)});
  }
  void warn(ProblemField field, std::string message) {
    m_remarks.push_back({field, RemarkSeverity::kWarning, std::move(message)});
  }
  // True where it lies in 1 to `most`.
  bool range(ProblemField field, std::string_view name, std::int64_t value, std::int64_t most) {
    if (value >= 1 && value <= most) return true;
    error(field, fmt::format("{} cannot be {}. Use 1 to {}.", name, value, most));
    return false;
  }
  std::vector<Remark> take() { return std::move(m_remarks); }

 private:
  std::vector<Remark> m_remarks;
};

// "1, 2, 4, 8 or 16"
std::string divisorsInWords(std::int64_t number) {
  std::vector<std::int64_t> divisors;
  for (std::int64_t candidate = 1; candidate <= number; ++candidate) {
    if (number % candidate == 0) divisors.push_back(candidate);
  }
  std::string text;
  for (std::size_t i = 0; i < divisors.size(); ++i) {
    if (i > 0) text += i + 1 == divisors.size() ? " or " : ", ";
    text += fmt::format("{}", divisors[i]);
  }
  return text;
}

void checkWindow(const Problem& problem, const WindowMask& window, Remarks& remarks) {
  if (window.width < 1) {
    remarks.error(ProblemField::kMask, fmt::format("A window of {} keys shows nothing. Use 1 or more.", window.width));
  } else if (window.width >= problem.keyValueLength) {
    remarks.warn(ProblemField::kMask,
                 fmt::format("A window of {} is as causal: there are {} keys.", window.width, problem.keyValueLength));
  }
}

void checkDocuments(const Problem& problem, const DocumentsMask& documents, Remarks& remarks) {
  if (problem.queryLength != problem.keyValueLength) {
    remarks.error(ProblemField::kMask, fmt::format("Documents need as many queries as keys, not {} and {}.",
                                                   problem.queryLength, problem.keyValueLength));
    return;
  }
  std::int64_t sum = 0;
  for (const std::int64_t length : documents.lengths) {
    if (length < 1 || length > kMostLength) {
      remarks.error(ProblemField::kMask,
                    fmt::format("A document of {} tokens is not possible. Use 1 or more.", length));
      return;
    }
    sum += length;
  }
  if (sum != problem.queryLength) {
    remarks.error(ProblemField::kMask, fmt::format("The documents have {} tokens together and the sequence {}. Make "
                                                   "them equal.",
                                                   sum, problem.queryLength));
  }
}

void checkTable(const Problem& problem, const FileMask& file, Remarks& remarks) {
  if (!file.table) {
    remarks.error(ProblemField::kMask, fmt::format("The mask {} was not read. Choose the file again.", file.path));
  } else if (file.table->queries != problem.queryLength || file.table->keys != problem.keyValueLength) {
    remarks.error(ProblemField::kMask,
                  fmt::format("The mask is of {} queries and {} keys, not {} and {}. Make them equal.",
                              file.table->queries, file.table->keys, problem.queryLength, problem.keyValueLength));
  }
}

// Rows that see nothing give 0, which is rarely what was meant.
void checkEmptyRows(const Problem& problem, CausalAlignment alignment, Remarks& remarks) {
  if (alignment == CausalAlignment::kBottomRight && problem.queryLength > problem.keyValueLength) {
    remarks.warn(ProblemField::kMask, fmt::format("The first {} queries see no key: their output is 0.",
                                                  problem.queryLength - problem.keyValueLength));
  } else if (alignment == CausalAlignment::kTopLeft && problem.queryLength < problem.keyValueLength) {
    remarks.warn(ProblemField::kMask,
                 fmt::format("Top-left: the last {} keys are seen by no query. Bottom-right is usual where a cache "
                             "holds earlier keys.",
                             problem.keyValueLength - problem.queryLength));
  }
}

void checkMask(const Problem& problem, Remarks& remarks) {
  if (const auto* causal = std::get_if<CausalMask>(&problem.mask)) {
    checkEmptyRows(problem, causal->alignment, remarks);
  } else if (const auto* window = std::get_if<WindowMask>(&problem.mask)) {
    checkWindow(problem, *window, remarks);
    checkEmptyRows(problem, window->alignment, remarks);
  } else if (const auto* prefix = std::get_if<PrefixMask>(&problem.mask)) {
    if (prefix->length < 0 || prefix->length > problem.keyValueLength) {
      remarks.error(ProblemField::kMask, fmt::format("A prefix of {} does not fit {} keys. Use 0 to {}.",
                                                     prefix->length, problem.keyValueLength, problem.keyValueLength));
    }
  } else if (const auto* documents = std::get_if<DocumentsMask>(&problem.mask)) {
    checkDocuments(problem, *documents, remarks);
  } else if (const auto* file = std::get_if<FileMask>(&problem.mask)) {
    checkTable(problem, *file, remarks);
  }
}

void checkLatent(const Problem& problem, Remarks& remarks) {
  if (problem.latentSize == 0 && problem.ropeSize == 0) return;
  if (problem.latentSize < 1 || problem.latentSize > kMostHeadSize) {
    remarks.error(ProblemField::kLatent,
                  fmt::format("A latent size of {} is not possible. Use 1 to {}.", problem.latentSize, kMostHeadSize));
  } else if (problem.ropeSize < 0 || problem.ropeSize >= problem.headSize) {
    remarks.error(ProblemField::kLatent, fmt::format("A rope size of {} does not fit a head size of {}. Use 0 to {}.",
                                                     problem.ropeSize, problem.headSize, problem.headSize - 1));
  } else if (problem.keyValueHeads != problem.heads) {
    remarks.error(ProblemField::kLatent, fmt::format("A latent gives each of the {} heads its keys, not {} of them. "
                                                     "Use as many key/value heads as heads.",
                                                     problem.heads, problem.keyValueHeads));
  } else if (problem.pass == Pass::kForwardBackward || problem.workload == Workload::kBlock) {
    remarks.error(ProblemField::kLatent, "Latent attention is run forward and alone. Use 0 for the latent size.");
  }
}

void checkExtras(const Problem& problem, Remarks& remarks) {
  if (problem.scale && !std::isfinite(*problem.scale)) {
    remarks.error(ProblemField::kScale, "The scale is not a finite number. Leave it empty for 1/sqrt(head size).");
  }
  if (!(problem.softcap >= 0) || !std::isfinite(problem.softcap)) {
    remarks.error(ProblemField::kSoftcap,
                  fmt::format("A softcap of {} is not possible. Use 0 for none, or more.", problem.softcap));
  }
  if (!(problem.dropout >= 0 && problem.dropout < 1)) {
    remarks.error(ProblemField::kDropout,
                  fmt::format("A dropout of {} is not possible. Use 0 to below 1.", problem.dropout));
  }
}

void checkBlock(const Problem& problem, Remarks& remarks) {
  if (problem.workload != Workload::kBlock) return;
  if (problem.queryLength != problem.keyValueLength) {
    remarks.error(ProblemField::kWorkload,
                  fmt::format("A block attends to itself: it needs as many keys as queries, not {} and {}. Use "
                              "attention alone for these.",
                              problem.keyValueLength, problem.queryLength));
  }
}

}  // namespace

std::string_view optionOf(ProblemField field) {
  switch (field) {
    case ProblemField::kBatch:
      return "--batch";
    case ProblemField::kHeads:
      return "--heads";
    case ProblemField::kKeyValueHeads:
      return "--kv-heads";
    case ProblemField::kQueryLength:
      return "--seq";
    case ProblemField::kKeyValueLength:
      return "--kv-seq";
    case ProblemField::kHeadSize:
      return "--head-dim";
    case ProblemField::kValueHeadSize:
      return "--value-head-dim";
    case ProblemField::kDtype:
      return "--dtype";
    case ProblemField::kMask:
      return "--mask";
    case ProblemField::kScale:
      return "";
    case ProblemField::kSoftcap:
      return "--softcap";
    case ProblemField::kDropout:
      return "--dropout";
    case ProblemField::kLatent:
      return "--latent";
    case ProblemField::kWorkload:
      return "--block";
    case ProblemField::kLayout:
      return "--layout";
  }
  return "";
}

std::vector<Remark> validate(const Problem& problem) {
  Remarks remarks;
  bool sizes = remarks.range(ProblemField::kBatch, "The batch", problem.batch, kMostBatch);
  const bool heads = remarks.range(ProblemField::kHeads, "The number of heads", problem.heads, kMostHeads);
  if (!heads) {
    sizes = false;
  } else if (problem.keyValueHeads < 1 || problem.heads % problem.keyValueHeads != 0) {
    remarks.error(ProblemField::kKeyValueHeads,
                  fmt::format("{} does not divide {} {}. Use {}.", problem.keyValueHeads, problem.heads,
                              problem.heads == 1 ? "head" : "heads", divisorsInWords(problem.heads)));
    sizes = false;
  }
  sizes &= remarks.range(ProblemField::kQueryLength, "The length", problem.queryLength, kMostLength);
  sizes &= remarks.range(ProblemField::kKeyValueLength, "The number of keys", problem.keyValueLength, kMostLength);
  sizes &= remarks.range(ProblemField::kHeadSize, "The head size", problem.headSize, kMostHeadSize);
  sizes &= remarks.range(ProblemField::kValueHeadSize, "The value head size", problem.valueHeadSize, kMostHeadSize);
  if (sizes) checkMask(problem, remarks);
  checkExtras(problem, remarks);
  if (sizes) checkLatent(problem, remarks);
  if (sizes) checkBlock(problem, remarks);
  return remarks.take();
}

bool hasError(const std::vector<Remark>& remarks) {
  for (const Remark& remark : remarks) {
    if (remark.severity == RemarkSeverity::kError) return true;
  }
  return false;
}

Result<Problem> validated(Problem problem) {
  for (Remark& remark : validate(problem)) {
    if (remark.severity != RemarkSeverity::kError) continue;
    Error error;
    error.kind = ErrorKind::kUsage;
    const std::string_view option = optionOf(remark.field);
    error.what = option.empty() ? remark.message : fmt::format("{}: {}", option, remark.message);
    return fail(std::move(error));
  }
  return problem;
}

}  // namespace attnscope
