// SPDX-License-Identifier: Apache-2.0
#include "core/export/Redaction.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace attnscope {
namespace {

Redaction of(std::vector<std::pair<std::string, std::string>> metadata, const std::string& name = {}) {
  Trace trace;
  trace.metadata = std::move(metadata);
  if (!name.empty()) trace.strings.intern(name);
  return Redaction(trace);
}

TEST(Redaction, HomeFoldersBecomeATilde) {
  const Redaction none = of({});
  EXPECT_EQ(none.text("/home/alice/x.py(3): f"), "~/x.py(3): f");
  EXPECT_EQ(none.text("/Users/al.ice/x"), "~/x");
  EXPECT_EQ(none.text("/ro"
                      "ot/x and /root"),
            "~/x and ~");
  EXPECT_EQ(none.text("/mnt/home/alice/x"), "/mnt/~/x");
  EXPECT_EQ(none.text(R"(C:\Users\alice\x)"), R"(~\x)");
  EXPECT_EQ(none.json(R"({"a":"C:\\Users\\alice\\x","b":["/home/bob/y"]})"), R"({"a":"~\\x","b":["~/y"]})");
  for (const char* kept : {"aten::mm", "/usr/lib/python3/x.py", "/rootless/x", "a/root", "/home", "/home/", "div/Users",
                           "nn.Module: Root_0", "http://example.org/home"})
    EXPECT_EQ(none.text(kept), kept);
}

TEST(Redaction, NamesOfUserAndMachineWhereverTheyStand) {
  const Redaction names = of({{"username", "\"carol\""}, {"host_name", "\"node12.cluster\""}}, "/home/dave/a.py");
  EXPECT_EQ(names.text("carol@node12 and node12.cluster"), "user@host and host");
  EXPECT_EQ(names.text("caroline, node123"), "caroline, node123") << "parts of words are other words";
  EXPECT_EQ(names.text("/data/dave/x, dave"), "/data/user/x, dave") << "owners of folders where they name folders";
  const Redaction general = of({{"username", "\"root\""}, {"host_name", "\"localhost\""}});
  EXPECT_EQ(general.text("root localhost"), "root localhost");
}

TEST(Redaction, SecretsByTheirKeyOrTheirForm) {
  const Redaction none = of({});
  EXPECT_EQ(
      none.json(R"({"HF_TOKEN":"x1","a":{"db-password":"y"},"l":[{"apiKey":"z"}],"num_tokens":"9","token":7})"),
      R"json({"HF_TOKEN":"(left out)","a":{"db-password":"(left out)"},"l":[{"apiKey":"(left out)"}],"num_tokens":"9","token":7})json");
  EXPECT_EQ(none.text("use hf_abcdefghijklmnopqrstuvwx now"), "use (left out) now");
  EXPECT_EQ(none.text("half_abcdefghijklmnopqrstuvwx, sk-short"), "half_abcdefghijklmnopqrstuvwx, sk-short");
  EXPECT_EQ(none.metadata("SECRET", "\"s\""), "\"(left out)\"");
  EXPECT_EQ(none.metadata("env", R"({"USER": "eve", "SSH_CLIENT": "10.0.0.1"})"),
            R"json({"USER": "(left out)", "SSH_CLIENT": "(left out)"})json");
  EXPECT_EQ(none.metadata("schemaVersion", "1"), "1");
}

TEST(Redaction, DeepTextComesBackWhole) {
  const Redaction none = of({});
  const std::string deep = std::string(5000, '[') + "\"/home/alice/x\"" + std::string(5000, ']');
  EXPECT_EQ(none.json(deep), std::string(5000, '[') + "\"~/x\"" + std::string(5000, ']'));
}

}  // namespace
}  // namespace attnscope
