// SPDX-License-Identifier: Apache-2.0
#include "app/cli/SessionInfo.h"

#include <filesystem>

#include <fmt/format.h>

#include "app/cli/JsonWriter.h"
#include "app/cli/Measurement.h"
#include "app/cli/Table.h"

namespace attnscope::cli {

namespace {

std::optional<std::int64_t> bytesOfFile(const std::string& file) {
  std::error_code error;
  const auto bytes = std::filesystem::file_size(file, error);
  return error ? std::nullopt : std::optional<std::int64_t>(static_cast<std::int64_t>(bytes));
}

void writeJson(Output& output, const SessionInput& input) {
  JsonWriter json(output);
  json.beginDocument();
  json.text("format", "session");
  json.text("producer", "attnscope");
  json.integer("file_bytes", bytesOfFile(input.file));
  json.key("members");
  json.beginArray();
  for (const SessionTrace& trace : input.session.traces) {
    json.beginObject();
    json.text("letter", letterOf(trace.position));
    json.text("implementation", input.session.result.implementations[trace.position].id);
    json.text("member", input.file + "#" + memberName(trace));
    json.count("bytes", trace.bytes);
    json.endObject();
  }
  json.endArray();
  json.key("remarks");
  json.beginArray();
  for (const std::string& remark : input.session.remarks) json.text(remark);
  json.endArray();
  writeMeasurement(json, input.session.result, input.file);
  json.endDocument();
}

void writeText(Output& output, const SessionInput& input) {
  output.write(fmt::format("{}: a session, {}\n", oneLine(input.file), bytesText(bytesOfFile(input.file).value_or(0))));
  writeMeasurement(output, input.session.result);
  for (const std::string& remark : input.session.remarks) output.write("lost: " + oneLine(remark) + "\n");
  output.write(input.session.traces.empty() ? "\nno traces\n" : "\ntraces, each of which the other commands take:\n");
  for (const SessionTrace& trace : input.session.traces) {
    output.write(fmt::format("  {}#{} ({})\n", oneLine(input.file), memberName(trace),
                             bytesText(static_cast<std::int64_t>(trace.bytes))));
  }
}

}  // namespace

void writeSessionInfo(const Context& context, const SessionInput& input) {
  context.options.form == OutputForm::kJson ? writeJson(context.output, input) : writeText(context.output, input);
}

}  // namespace attnscope::cli
