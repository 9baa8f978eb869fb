// SPDX-License-Identifier: Apache-2.0
#pragma once

// Standard output, buffered. A reader that went away ends the writing, not the program.

#include <cstdio>
#include <string>
#include <string_view>

namespace attnscope::cli {

class Output {
 public:
  explicit Output(std::FILE* file) : m_file(file) {}
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;
  ~Output() { flush(); }

  void write(std::string_view text) {
    m_buffer += text;
    if (m_buffer.size() > kBlock) flush();
  }
  // What is appended here is written with the next flush.
  [[nodiscard]] std::string& buffer() {
    if (m_buffer.size() > kBlock) flush();
    return m_buffer;
  }
  void flush();
  // False when standard output was closed or is full.
  [[nodiscard]] bool good() const { return m_good; }

 private:
  static constexpr std::size_t kBlock = 256 * 1024;
  std::FILE* m_file;
  std::string m_buffer;
  bool m_good = true;
};

}  // namespace attnscope::cli
