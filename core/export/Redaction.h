// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a person would not send to others: home folders, names of users and machines, tokens. Everything else stays as
// it is. One thread.
//
// - A home folder (/home/NAME, /Users/NAME, /root, C:\Users\NAME) becomes ~, whatever follows stays.
// - Names of the user and of the machine, as the metadata give them (`username`, `host_name`, USER and HOSTNAME of a
//   dump of the environment), become "user" and "host" wherever they stand as words; owners of home folders where they
//   name another folder (/data/NAME).
// - Values of keys that name a secret (token, password, api_key...) become "(left out)", as do words that have the form
//   of a known kind of token. In metadata likewise values of keys that name a person or a machine.

#include <string>
#include <string_view>
#include <vector>

#include "core/trace/Trace.h"

namespace attnscope {

class Redaction {
 public:
  // Looks for names in the trace's metadata and among its strings.
  explicit Redaction(const Trace& trace);

  // Of a name.
  [[nodiscard]] std::string text(std::string_view text) const;
  // Of JSON text, which stays JSON text; `text` may be of args.
  [[nodiscard]] std::string json(std::string_view json) const;
  // Of the value of a top-level key.
  [[nodiscard]] std::string metadata(std::string_view key, std::string_view value) const;

 private:
  struct Word {
    std::string found;
    std::string replacement;
    bool isFolder;  // found between slashes alone
  };
  static void replaceWord(std::string& text, const Word& word);
  void learn(std::string_view key, std::string_view value, int depth);
  void learnHome(std::string_view text);
  void addWord(std::string_view found, std::string_view replacement, bool isFolder);
  [[nodiscard]] std::string members(std::string_view value, bool isMetadata, int depth) const;

  std::vector<Word> m_words;
};

}  // namespace attnscope
