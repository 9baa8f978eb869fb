// SPDX-License-Identifier: Apache-2.0
#include "core/problem/MaskTable.h"

#include <fmt/format.h>

#include <array>
#include <cctype>
#include <cmath>
#include <cstring>
#include <fstream>
#include <optional>
#include <string_view>
#include <utility>

namespace attnscope {
namespace {

constexpr std::int64_t kMostEntries = 1ll << 30;
constexpr std::size_t kMostHeaderBytes = 1u << 16;

tl::unexpected<Error> broken(const std::string& path, const std::string& what) {
  Error error;
  error.what = fmt::format("{}: {}", path, what);
  error.remedy = "save the mask with numpy.save: [queries, keys] of bool, float16, float32 or float64";
  return fail(std::move(error));
}

struct Header {
  std::string type;  // "|b1", "<f4"
  std::vector<std::int64_t> shape;
};

// The header is a Python dictionary in one line: {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }
std::optional<std::string_view> valueOf(std::string_view dictionary, std::string_view key) {
  const std::size_t at = dictionary.find(fmt::format("'{}':", key));
  if (at == std::string_view::npos) return std::nullopt;
  std::string_view rest = dictionary.substr(at + key.size() + 3);
  while (!rest.empty() && rest.front() == ' ') rest.remove_prefix(1);
  return rest;
}

std::optional<std::vector<std::int64_t>> shapeOf(std::string_view text) {
  if (text.empty() || text.front() != '(') return std::nullopt;
  std::vector<std::int64_t> shape;
  bool inNumber = false;
  for (const char letter : text.substr(1)) {
    if (letter == ')') return shape;
    if (std::isdigit(static_cast<unsigned char>(letter)) != 0) {
      if (!inNumber) shape.push_back(0);
      if (shape.back() > kMostEntries) return std::nullopt;
      shape.back() = shape.back() * 10 + (letter - '0');
    }
    inNumber = std::isdigit(static_cast<unsigned char>(letter)) != 0;
  }
  return std::nullopt;
}

std::optional<Header> headerOf(std::string_view dictionary) {
  const auto type = valueOf(dictionary, "descr");
  const auto order = valueOf(dictionary, "fortran_order");
  const auto shape = valueOf(dictionary, "shape");
  if (!type || !order || !shape || order->substr(0, 5) != "False" || type->empty()) return std::nullopt;
  const auto sizes = shapeOf(*shape);
  if (!sizes) return std::nullopt;
  const std::string_view quoted = type->substr(1);
  return Header{std::string(quoted.substr(0, quoted.find('\''))), *sizes};
}

std::optional<std::string> dictionaryIn(std::istream& in) {
  std::array<char, 8> start{};
  if (!in.read(start.data(), start.size()) || std::memcmp(start.data(), "\x93NUMPY", 6) != 0) return std::nullopt;
  const std::size_t lengthBytes = start[6] == 1 ? 2 : 4;
  std::array<unsigned char, 4> length{};
  if (!in.read(reinterpret_cast<char*>(length.data()), static_cast<std::streamsize>(lengthBytes))) return std::nullopt;
  std::size_t bytes = 0;
  for (std::size_t i = lengthBytes; i > 0; --i) bytes = bytes * 256 + length[i - 1];
  if (bytes > kMostHeaderBytes) return std::nullopt;
  std::string text(bytes, '\0');
  if (!in.read(text.data(), static_cast<std::streamsize>(bytes))) return std::nullopt;
  return text;
}

float fromHalf(std::uint16_t bits) {
  const int exponent = bits >> 10 & 31;
  const int fraction = bits & 1023;
  float value = 0;
  if (exponent == 31) {
    value = fraction == 0 ? INFINITY : NAN;
  } else if (exponent == 0) {
    value = std::ldexp(static_cast<float>(fraction), -24);
  } else {
    value = std::ldexp(static_cast<float>(fraction + 1024), exponent - 25);
  }
  return (bits & 0x8000) != 0 ? -value : value;
}

template <class Raw, class Convert>
bool readValues(std::istream& in, std::size_t count, std::vector<float>& values, Convert&& convert) {
  std::vector<Raw> raw(count);
  if (!in.read(reinterpret_cast<char*>(raw.data()), static_cast<std::streamsize>(count * sizeof(Raw)))) return false;
  values.reserve(count);
  for (const Raw value : raw) values.push_back(convert(value));
  return true;
}

// False where the file ends too early or the type is another.
bool readTable(std::istream& in, const std::string& type, MaskTable& table) {
  const auto count = static_cast<std::size_t>(table.queries * table.keys);
  table.visible.resize(count);
  if (type == "|b1") {
    return static_cast<bool>(
        in.read(reinterpret_cast<char*>(table.visible.data()), static_cast<std::streamsize>(count)));
  }
  bool read = false;
  if (type == "<f2") read = readValues<std::uint16_t>(in, count, table.bias, fromHalf);
  if (type == "<f4") read = readValues<float>(in, count, table.bias, [](float value) { return value; });
  if (type == "<f8") {
    read = readValues<double>(in, count, table.bias, [](double value) { return static_cast<float>(value); });
  }
  for (std::size_t i = 0; read && i < count; ++i) table.visible[i] = table.bias[i] == -INFINITY ? 0 : 1;
  return read;
}

}  // namespace

Result<std::shared_ptr<const MaskTable>> readMaskTable(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return broken(path, "the mask could not be opened");
  const std::optional<std::string> dictionary = dictionaryIn(in);
  if (!dictionary) return broken(path, "this is no NumPy file");
  const std::optional<Header> header = headerOf(*dictionary);
  if (!header) return broken(path, "the header of this NumPy file cannot be read, or it is in Fortran order");
  auto table = std::make_shared<MaskTable>();
  std::vector<std::int64_t> shape = header->shape;
  while (shape.size() > 2 && shape.front() == 1) shape.erase(shape.begin());
  if (shape.size() != 2) return broken(path, fmt::format("the mask has {} dimensions", header->shape.size()));
  table->queries = shape[0];
  table->keys = shape[1];
  if (table->queries < 1 || table->keys < 1 || table->queries > kMostEntries / table->keys) {
    return broken(path, fmt::format("a mask of {} x {} is not possible", shape[0], shape[1]));
  }
  if (!readTable(in, header->type, *table)) {
    return broken(path, fmt::format("the mask is cut off, or of the type {} that is not known", header->type));
  }
  for (const float value : table->bias) {
    if (std::isnan(value) || value == INFINITY) return broken(path, "the bias holds NaN or +inf");
  }
  return std::shared_ptr<const MaskTable>(std::move(table));
}

Result<void> readMaskOf(Problem& problem) {
  auto* file = std::get_if<FileMask>(&problem.mask);
  if (file == nullptr || file->table) return {};
  Result<std::shared_ptr<const MaskTable>> table = readMaskTable(file->path);
  if (!table) return tl::unexpected<Error>(table.error());
  file->table = std::move(*table);
  return {};
}

}  // namespace attnscope
