// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "core/findings/Words.h"
#include "core/findings/rules/Catalogue.h"
#include "core/findings/rules/Parts.h"

namespace attnscope::rules {

namespace {

bool isHalfPrecision(std::string name) {
  std::transform(name.begin(), name.end(), name.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  for (const std::string_view word : {"bf16", "fp16", "f16", "half", "bfloat16", "hgemm"}) {
    if (name.find(word) != std::string::npos) return true;
  }
  return false;
}

}  // namespace

RuleAnswer gemmNoTensorCore(const Metrics& metrics, double threshold) {
  if (!metrics.hasDevice) return withoutDevice();
  std::vector<const KernelRow*> rows;
  std::int64_t total = 0;
  bool anyGemm = false;
  for (const KernelRow& row : metrics.kernels.rows) {
    if (row.kind != WorkKind::kGemm) continue;
    anyGemm = true;
    if (row.tensorCores != TensorCores::kNo) continue;
    if (!isHalfPrecision(std::string(metrics.trace->strings.view(row.name)))) continue;
    rows.push_back(&row);
    total += row.totalNs;
  }
  if (!anyGemm) return NotApplicable{"no matmul kernels"};
  const double part = share(total, metrics.kernels.totalNs);
  if (rows.empty() || part < threshold) return std::vector<Finding>{};
  Finding finding;
  finding.confidence = Confidence::kNamed;
  finding.severity = FindingSeverity::kWarning;
  finding.headline = fmt::format("Matmuls of half precision run without tensor cores for {}, {} of the kernel time",
                                 words::time(total), words::percent(part));
  finding.why = "Their names show instructions of the ordinary cores, which do a fraction of the matmuls per second.";
  finding.change =
      "Make sizes multiples of 8 (16 for 8-bit types) and pointers aligned to 16 bytes: pad the vocabulary, the head "
      "size and the batch.";
  finding.savingNs = total;
  finding.savingFormula = "kernel time of these matmuls, of which tensor cores leave a part";
  for (std::size_t i = 0; i < std::min<std::size_t>(rows.size(), 4); ++i) {
    finding.evidence.push_back(kernelEvidence(*rows[i]));
  }
  finding.caveats = {"A product with a vector is limited by memory: tensor cores do not help it."};
  return std::vector<Finding>{finding};
}

}  // namespace attnscope::rules
