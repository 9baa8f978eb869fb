// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdio>
#include <limits>

#include "app/cli/CommandLine.h"
#include "app/cli/JsonText.h"
#include "app/cli/JsonWriter.h"
#include "app/cli/Table.h"

namespace attnscope::cli {
namespace {

std::string rewritten(std::string_view text) {
  std::string out;
  appendJsonValue(out, text);
  return out;
}

TEST(JsonText, JsonStaysAsItIsWritten) {
  for (const char* text :
       {R"({"a": 1, "b": [1.50, -0, 1e3], "c": null})", "18446744073709551615", "-9223372036854775808",
        R"("a\u00e9\n\"")", "true", "{}", "[]", "1.2345678901234567890123"}) {
    EXPECT_EQ(rewritten(text), text);
  }
  EXPECT_EQ(rewritten("{\"a\" :1 ,\n\"b\":2}"), R"({"a": 1, "b": 2})");
}

TEST(JsonText, WhatJsonOr64BitsCannotHoldIsAString) {
  EXPECT_EQ(rewritten("inf"), R"("inf")");
  EXPECT_EQ(rewritten("[NaN, -Infinity, N/A]"), R"(["NaN", "-Infinity", "N/A"])");
  EXPECT_EQ(rewritten("18446744073709551616"), R"("18446744073709551616")");
  EXPECT_EQ(rewritten("1e400"), R"("1e400")");
  EXPECT_EQ(rewritten("[.5, 5., +1, 007]"), R"([".5", "5.", "+1", "007"])");
}

TEST(JsonText, StringsAreMadeLegal) {
  EXPECT_EQ(rewritten(R"("C:\dir\x")"), R"("C:\\dir\\x")");
  EXPECT_EQ(rewritten(R"x("say(\'bye\')")x"), R"x("say('bye')")x");
  EXPECT_EQ(rewritten("\"a\tb\x01\""), R"("a\tb\u0001")");
  EXPECT_EQ(rewritten("\"\xff\xc3\xa9\""), "\"\xEF\xBF\xBD\xc3\xa9\"");
}

TEST(JsonText, WhatIsNoValueIsTextAsAWhole) {
  EXPECT_EQ(rewritten(R"({"a": })"), R"("{\"a\": }")");
  EXPECT_EQ(rewritten(R"({"a": 1)"), R"("{\"a\": 1")");
  EXPECT_EQ(rewritten(""), R"("")");
  const std::string deep = std::string(3000, '[') + std::string(3000, ']');
  EXPECT_EQ(rewritten(deep), "\"" + deep + "\"");
  EXPECT_EQ(rewritten("[1, 2, ]"), "[1, 2]");
}

TEST(Table, ColumnsOfAGroupShareTheirUnit) {
  std::FILE* file = std::tmpfile();
  {
    Output output(file);
    Table table({{"a", "a", CellKind::kTime, true, 1},
                 {"b", "b", CellKind::kTime, true, 1},
                 {"c", "c", CellKind::kTime},
                 {"d", "d", CellKind::kTime, true, 2}});
    table.add({Cell(std::int64_t{31'300'000}), Cell(std::int64_t{62'500}), Cell(std::int64_t{62'500}),
               Cell(std::int64_t{1'000})});
    table.printCsv(output, {0});
    table.printMarkdown(output, {0});
  }
  std::rewind(file);
  char text[1000];
  const std::size_t length = std::fread(text, 1, sizeof text, file);
  std::fclose(file);
  const std::string all(text, length);
  EXPECT_NE(all.find("a ms"), std::string::npos) << all;
  EXPECT_NE(all.find("b ms"), std::string::npos) << all;
  EXPECT_NE(all.find("c us"), std::string::npos) << all;
  EXPECT_NE(all.find("0.1"), std::string::npos) << all;
  EXPECT_NE(all.find("31300000,62500,62500,1000"), std::string::npos) << "CSV has ns: " << all;
}

TEST(JsonWriter, WritesADocument) {
  std::FILE* file = std::tmpfile();
  {
    Output output(file);
    JsonWriter json(output);
    json.beginDocument();
    json.integer("large", std::int64_t{9007199254740993});
    json.number("half", 0.5);
    json.number("none", std::numeric_limits<double>::infinity());
    json.key("rows");
    json.beginArray();
    json.beginObject();
    json.text("name", "a\"b");
    json.endObject();
    json.endArray();
    json.endDocument();
  }
  std::rewind(file);
  char buffer[512] = {};
  const std::size_t length = std::fread(buffer, 1, sizeof buffer - 1, file);
  std::fclose(file);
  EXPECT_EQ(std::string(buffer, length),
            "{\n \"schema\": \"attnscope/1\",\n \"large\": 9007199254740993,\n \"half\": 0.5,\n \"none\": null,\n"
            " \"rows\": [\n  {\"name\": \"a\\\"b\"}\n ]\n}\n");
}

TEST(Table, SortsNumbersDownwardsTextsUpwardsUnknownLast) {
  Table table({{"name", "name", CellKind::kText}, {"ns", "time", CellKind::kTime}});
  table.add({std::string("b"), std::int64_t{1}});
  table.add({std::string("a"), Cell()});
  table.add({std::string("c"), std::int64_t{3}});
  EXPECT_EQ(*table.order("name", {}), (std::vector<std::size_t>{1, 0, 2}));
  EXPECT_EQ(*table.order("ns", {}), (std::vector<std::size_t>{2, 0, 1}));
  EXPECT_EQ(*table.order("ns", 1), (std::vector<std::size_t>{2}));
  const auto wrong = table.order("speed", {});
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().remedy, "use one of name, ns");
}

TEST(Table, TextsAreCutAndQuoted) {
  EXPECT_EQ(oneLine("a\nb"), "a b");
  EXPECT_EQ(oneLine("abcdefgh", 6), "abc...");
  EXPECT_EQ(oneLine("\xc3\xa9\xc3\xa9\xc3\xa9", 3), "\xc3\xa9\xc3\xa9\xc3\xa9");
  EXPECT_EQ(csvField("a,b"), "\"a,b\"");
  EXPECT_EQ(csvField("a\"b"), "\"a\"\"b\"");
  EXPECT_EQ(csvField("plain"), "plain");
}

TEST(CommandLine, TheNearestWordIsSuggested) {
  EXPECT_EQ(nearestWord("operatros", {"operators", "kernels"}), "operators");
  EXPECT_EQ(nearestWord("kern", {"operators", "kernels"}), "kernels");
  EXPECT_EQ(nearestWord("qqqqqqqq", {"operators", "kernels"}), "");
}

TEST(CommandLine, OptionsAreRead) {
  const auto parsed = parseCommandLine({"slices", "t.json", "--from", "-5", "--track", "3", "--json", "--quiet"});
  const Options* options = std::get_if<Options>(&parsed);
  ASSERT_NE(options, nullptr);
  EXPECT_EQ(options->command, "slices");
  EXPECT_EQ(options->fromNs, -5);
  EXPECT_EQ(options->track, 3u);
  EXPECT_EQ(options->form, OutputForm::kJson);
  EXPECT_TRUE(options->quiet);
  EXPECT_FALSE(options->toNs);
}

}  // namespace
}  // namespace attnscope::cli
