// SPDX-License-Identifier: Apache-2.0
#pragma once

// Writes one JSON document as it goes, with exact integers. The members of the document and the rows of its lists
// stand on lines of their own, everything inside them on one line.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/cli/Output.h"

namespace attnscope::cli {

// Text as a JSON string with its quotes; bytes that are no UTF-8 become U+FFFD.
void appendJsonString(std::string& out, std::string_view text);

class JsonWriter {
 public:
  explicit JsonWriter(Output& output) : m_output(output) {}

  void beginObject() { open('{'); }
  void endObject() { close('}'); }
  void beginArray() { open('['); }
  void endArray() { close(']'); }
  void key(std::string_view name);

  void integer(std::int64_t value);
  void count(std::uint64_t value);
  void number(double value);  // null where it is not finite
  void text(std::string_view value);
  void boolean(bool value);
  void null();
  void raw(std::string_view json);  // a value that is JSON already

  void integer(std::string_view name, std::int64_t value) { key(name), integer(value); }
  void integer(std::string_view name, std::optional<std::int64_t> value) {
    key(name);
    value ? integer(*value) : null();
  }
  void count(std::string_view name, std::uint64_t value) { key(name), count(value); }
  void number(std::string_view name, double value) { key(name), number(value); }
  void text(std::string_view name, std::string_view value) { key(name), text(value); }
  void textOrNull(std::string_view name, std::string_view value) {
    key(name);
    value.empty() ? null() : text(value);
  }
  void boolean(std::string_view name, bool value) { key(name), boolean(value); }
  void null(std::string_view name) { key(name), null(); }
  void raw(std::string_view name, std::string_view json) { key(name), raw(json); }

  // The document's first members.
  void beginDocument();
  void endDocument();

 private:
  void open(char bracket);
  void close(char bracket);
  void separate();

  Output& m_output;
  std::vector<bool> m_filled;  // of each open bracket: something stands in it
  bool m_afterKey = false;
};

}  // namespace attnscope::cli
