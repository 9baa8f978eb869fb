// SPDX-License-Identifier: Apache-2.0

// What can be said of a kernel from its name alone: its short form, its family, whether it uses tensor cores.

#include <algorithm>
#include <array>
#include <cstdlib>
#include <initializer_list>
#include <memory>

#include <cxxabi.h>

#include "core/analysis/KernelLaunches.h"
#include "core/analysis/Kernels.h"

namespace attnscope {

namespace {

constexpr std::size_t kShortLength = 80;
constexpr int kMostWrappers = 8;
constexpr std::size_t kNowhere = std::string_view::npos;

bool isOpening(char c) { return c == '<' || c == '(' || c == '{' || c == '['; }
bool isClosing(char c) { return c == '>' || c == ')' || c == '}' || c == ']'; }

// Calls visit(position, depth) for each character; an opening bracket is seen at the depth outside it, a closing one
// too. The '>' of "->" closes nothing.
template <class Visit>
void walk(std::string_view text, Visit visit) {
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool arrow = c == '>' && i > 0 && text[i - 1] == '-';
    if (isClosing(c) && !arrow && depth > 0) --depth;
    if (!visit(i, depth)) return;
    if (isOpening(c)) ++depth;
  }
}

std::size_t firstOutside(std::string_view text, char wanted) {
  std::size_t found = kNowhere;
  walk(text, [&](std::size_t i, int depth) {
    if (depth == 0 && text[i] == wanted) found = i;
    return found == kNowhere;
  });
  return found;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

std::string without(std::string_view text, std::initializer_list<std::string_view> parts) {
  std::string result(text);
  for (const std::string_view part : parts) {
    for (std::size_t at = result.find(part); at != std::string::npos; at = result.find(part, at)) {
      result.erase(at, part.size());
    }
  }
  return result;
}

// What stands after the last "::" outside brackets.
std::string_view lastComponent(std::string_view path) {
  std::size_t begin = 0;
  walk(path, [&](std::size_t i, int depth) {
    if (depth == 0 && i > 0 && path[i] == ':' && path[i - 1] == ':') begin = i + 1;
    return true;
  });
  return path.substr(begin);
}

std::vector<std::string_view> argumentsOf(std::string_view list) {
  std::vector<std::string_view> arguments;
  std::size_t begin = 0;
  walk(list, [&](std::size_t i, int depth) {
    if (depth == 0 && list[i] == ',') {
      arguments.push_back(trimmed(list.substr(begin, i - begin)));
      begin = i + 1;
    }
    return true;
  });
  if (!trimmed(list.substr(begin)).empty()) arguments.push_back(trimmed(list.substr(begin)));
  return arguments;
}

// Arguments that say how elements are laid out and loaded: the same for nearly every elementwise kernel.
bool isPlumbing(std::string_view name) {
  static constexpr std::array<std::string_view, 8> kNames = {"Array",
                                                             "array",
                                                             "OffsetCalculator",
                                                             "TrivialOffsetCalculator",
                                                             "LoadWithoutCast",
                                                             "StoreWithoutCast",
                                                             "LoadWithCast",
                                                             "StoreWithCast"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

// Wrappers whose first argument is the kernel that a person means.
bool isWrapper(std::string_view name) {
  static constexpr std::array<std::string_view, 7> kNames = {
      "Kernel", "Kernel2", "device_kernel", "kentry", "gpu_kernel_impl", "gpu_kernel_impl_nocast", "gpu_index_kernel"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

// `wrappers`: taken off already, of which a name from a file may have any number.
std::string shortened(std::string_view path, int level, int wrappers = 0) {
  path = trimmed(path);
  if (!path.empty() && path.front() == '(') {  // a cast: "(at::BlockLoadAlgorithm)3"
    const std::size_t close = path.find(')');
    if (close != kNowhere && close + 1 < path.size()) return std::string(path.substr(close + 1));
  }
  const std::size_t parameters = firstOutside(path, '(');
  if (parameters != kNowhere && parameters > 0) path = path.substr(0, parameters);
  const std::string_view component = lastComponent(path);
  const std::size_t open = firstOutside(component, '<');
  const std::string_view base = trimmed(component.substr(0, open));
  if (open == kNowhere) return std::string(base);
  const std::size_t close = component.rfind('>');
  if (close == kNowhere || close < open) return std::string(base);
  const auto arguments = argumentsOf(component.substr(open + 1, close - open - 1));
  if (isWrapper(base) && !arguments.empty() && wrappers < kMostWrappers) {
    return shortened(arguments.front(), level, wrappers + 1);
  }
  if (level >= 2) return std::string(base);
  std::string list;
  for (const std::string_view argument : arguments) {
    const std::string text = shortened(argument, level + 1);
    if (isPlumbing(text.substr(0, text.find('<')))) continue;
    if (!list.empty()) list += ", ";
    list += text;
  }
  return list.empty() ? std::string(base) : std::string(base) + "<" + list + ">";
}

std::string lowered(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return result;
}

bool hasAny(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::any_of(words.begin(), words.end(), [&](std::string_view word) { return text.find(word) != kNowhere; });
}

}  // namespace

std::string demangledName(std::string_view name) {
  if (!name.starts_with("_Z")) return std::string(name);
  // ".kd" and the like behind a mangled name are the compiler's; __cxa_demangle refuses them.
  const std::string mangled(name.substr(0, name.find('.')));
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 && text ? std::string(text.get()) : std::string(name);
}

std::string shortKernelName(std::string_view name) {
  const std::string full = without(demangledName(name), {"(anonymous namespace)::", "<unnamed>::"});
  std::string_view head = trimmed(full);
  const bool declaration = head.starts_with("void ");
  const std::size_t parameters = firstOutside(head, '(');
  if (declaration || (parameters != kNowhere && parameters > 0 && head[parameters - 1] != ' ')) {
    if (parameters != kNowhere) head = head.substr(0, parameters);
    std::size_t space = kNowhere;
    walk(head, [&](std::size_t i, int depth) {
      if (depth == 0 && head[i] == ' ' && i + 1 < head.size()) space = i;
      return true;
    });
    if (space != kNowhere) head = head.substr(space + 1);
  } else if (parameters != kNowhere) {
    return full;  // "Memcpy HtoD (Pageable -> Device)" is no declaration
  }
  if (head.ends_with(".kd")) head.remove_suffix(3);
  std::string result = shortened(head, 0);
  if (result.empty()) result = full;
  if (result.size() > kShortLength) {
    result.resize(kShortLength - 3);
    result += "...";
  }
  return result;
}

std::string_view kernelFamily(std::string_view name) {
  const WorkKind kind = classifyKernel(name);
  switch (kind) {
    case WorkKind::kGemm:
    case WorkKind::kAttention:
    case WorkKind::kSoftmax:
    case WorkKind::kNormalisation:
    case WorkKind::kCopy:
    case WorkKind::kCommunication:
      return toString(kind);
    default:
      break;
  }
  const std::string text = lowered(name.substr(0, 1024));
  if (text.starts_with("triton_")) return "triton";
  if (text.find("reduce") != std::string::npos) return "reduce";
  return kind == WorkKind::kElementwise ? "elementwise" : "other";
}

std::string_view tensorCoreFamily(std::string_view name) {
  if (usesTensorCores(name) != TensorCores::kYes) return {};
  const std::string text = lowered(name);
  if (hasAny(text, {"mfma", "_mi16x16", "_mi32x32", "_mi4x4"})) return "MFMA";
  if (hasAny(text, {"tcgen05", "umma", "sm100_"})) return "tcgen05";
  // Before the shapes: a Hopper kernel of CUTLASS may name its tile's shape as well.
  if (hasAny(text, {"gmma", "warpgroup", "sm90_xmma"})) return "WGMMA";
  if (hasAny(text, {"imma", "i8816", "i16832"})) return "IMMA";
  if (hasAny(text, {"16816"})) return "HMMA 16816";
  if (hasAny(text, {"1688"})) return "HMMA 1688";
  if (hasAny(text, {"884"})) return "HMMA 884";
  return "MMA";
}

TensorCores usesTensorCores(std::string_view name) {
  const std::string text = lowered(name);
  if (hasAny(text, {"tensorop", "hmma",     "imma_",    "wgmma",     "gmma",     "tcgen05",   "umma",
                    "_s884",    "_h884",    "_s1688",   "_h1688",    "_s16816",  "_h16816",   "i8816",
                    "i16832",   "884gemm",  "1688gemm", "16816gemm", "884cudnn", "1688cudnn", "xmma_gemm",
                    "nvjet",    "_mi16x16", "_mi32x32", "_mi4x4",    "mfma"})) {
    return TensorCores::kYes;
  }
  if (hasAny(text, {"simt", "sgemm", "dgemm", "ffma", "gemv"})) return TensorCores::kNo;
  switch (classifyKernel(name)) {
    case WorkKind::kSoftmax:
    case WorkKind::kElementwise:
    case WorkKind::kNormalisation:
    case WorkKind::kCopy:
    case WorkKind::kCommunication:
      return TensorCores::kNo;
    default:
      return TensorCores::kUnknown;
  }
}

}  // namespace attnscope
