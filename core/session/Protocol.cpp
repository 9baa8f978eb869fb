// SPDX-License-Identifier: Apache-2.0
#include "core/session/Protocol.h"

#include <fmt/format.h>

#include <utility>

#include "core/base/Overloaded.h"
#include "core/session/SessionJson.h"

namespace attnscope {
namespace {

using session_json::BadValue;
using session_json::Json;

Json nameOrNull(const std::string& name) { return name.empty() ? Json() : Json(name); }

std::string nameOf(const Json& json) {
  return session_json::optionalOf<std::string>(json, "implementation").value_or(std::string{});
}

std::string dump(const Json& json) {
  // Without indent there is no line break in it: those of texts are escaped.
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json helloJson(const HelloMessage& message) {
  return {{"type", "hello"},
          {"protocol", message.protocol},
          {"runner_version", message.runnerVersion},
          {"libtorch", message.libtorch},
          {"process_id", message.processId}};
}

Json environmentJson(const EnvironmentMessage& message) {
  Json json = {{"type", "environment"}};
  json.update(session_json::toJson(message.environment));
  return json;
}

Json sampleJson(const SampleMessage& message) {
  Json json = {{"type", "sample"}, {"implementation", message.implementation}};
  json.update(session_json::toJson(message.sample));
  return json;
}

Json noiseJson(const NoiseMessage& message) {
  Json json = {{"type", "noise"}};
  json.update(session_json::toJson(message.pair));
  return json;
}

Json jsonOf(const RunnerMessage& message) {
  return std::visit(
      Overloaded{
          [](const HelloMessage& hello) { return helloJson(hello); },
          [](const EnvironmentMessage& environment) { return environmentJson(environment); },
          [](const PhaseMessage& phase) -> Json {
            return {{"type", "phase"},
                    {"phase", toString(phase.phase)},
                    {"implementation", nameOrNull(phase.implementation)},
                    {"round", phase.round}};
          },
          [](const HeartbeatMessage& heartbeat) -> Json {
            return {{"type", "heartbeat"},
                    {"implementation", nameOrNull(heartbeat.implementation)},
                    {"deadline_ns", heartbeat.deadlineNs}};
          },
          [](const RefusedMessage& refused) -> Json {
            return {{"type", "refused"}, {"implementation", refused.implementation}, {"reason", refused.reason}};
          },
          [](const CheckedMessage& checked) -> Json {
            return {{"type", "checked"},
                    {"implementation", checked.implementation},
                    {"error", session_json::toJson(checked.error)}};
          },
          [](const WarmedMessage& warmed) -> Json {
            return {{"type", "warmed"},
                    {"implementation", warmed.implementation},
                    {"per_call_ns", warmed.perCallNs},
                    {"calls_per_sample", warmed.callsPerSample},
                    {"calls_until_steady", warmed.callsUntilSteady}};
          },
          [](const PeakMessage& peak) -> Json {
            return {{"type", "peak"}, {"implementation", peak.implementation}, {"bytes", peak.bytes}};
          },
          [](const ResidentMessage& resident) -> Json {
            return {{"type", "resident"}, {"implementation", resident.implementation}, {"bytes", resident.bytes}};
          },
          [](const EnergyMessage& energy) -> Json {
            return {{"type", "energy"},
                    {"implementation", energy.implementation},
                    {"joules_per_call", energy.joulesPerCall}};
          },
          [](const SampleMessage& sample) { return sampleJson(sample); },
          [](const NoiseMessage& noise) { return noiseJson(noise); },
          [](const TraceMessage& trace) -> Json {
            return {{"type", "trace"},
                    {"implementation", trace.implementation},
                    {"path", trace.path},
                    {"profiled_ns", trace.profiledNs}};
          },
          [](const WarningMessage& warning) -> Json {
            return {
                {"type", "warning"}, {"implementation", nameOrNull(warning.implementation)}, {"text", warning.text}};
          },
          [](const FailureMessage& failure) -> Json {
            return {{"type", "failure"},
                    {"implementation", nameOrNull(failure.implementation)},
                    {"phase", toString(failure.phase)},
                    {"reason", failure.reason}};
          },
          [](const DoneMessage& done) -> Json {
            return {{"type", "done"}, {"cancelled", done.cancelled}};
          },
      },
      message);
}

HelloMessage helloOf(const Json& json) {
  HelloMessage hello;
  hello.protocol = json.at("protocol").get<int>();
  hello.runnerVersion = json.value("runner_version", std::string{});
  hello.libtorch = json.value("libtorch", std::string{});
  hello.processId = json.value("process_id", std::int64_t{0});
  if (hello.protocol != kProtocolVersion) {
    throw BadValue{
        fmt::format("the runner{} speaks protocol {} and this program {}: use the runner that came with "
                    "this program",
                    hello.runnerVersion.empty() ? "" : " " + hello.runnerVersion, hello.protocol, kProtocolVersion)};
  }
  return hello;
}

std::string implementationOf(const Json& json) { return json.at("implementation").get<std::string>(); }

RunnerMessage messageOf(const std::string& type, const Json& json) {
  if (type == "hello") return helloOf(json);
  if (type == "environment") return EnvironmentMessage{session_json::environmentOf(json)};
  if (type == "phase") {
    return PhaseMessage{session_json::phaseOf(json.at("phase").get<std::string>()), nameOf(json),
                        json.value("round", -1)};
  }
  if (type == "heartbeat") return HeartbeatMessage{nameOf(json), json.at("deadline_ns").get<std::int64_t>()};
  if (type == "refused") return RefusedMessage{implementationOf(json), json.value("reason", std::string{})};
  if (type == "checked") return CheckedMessage{implementationOf(json), session_json::errorCheckOf(json.at("error"))};
  if (type == "warmed") {
    return WarmedMessage{implementationOf(json), json.at("per_call_ns").get<std::int64_t>(),
                         json.value("calls_per_sample", std::int64_t{1}), json.value("calls_until_steady", 0)};
  }
  if (type == "peak") return PeakMessage{implementationOf(json), json.at("bytes").get<std::int64_t>()};
  if (type == "resident") return ResidentMessage{implementationOf(json), json.at("bytes").get<std::int64_t>()};
  if (type == "energy") return EnergyMessage{implementationOf(json), json.at("joules_per_call").get<double>()};
  if (type == "sample") return SampleMessage{implementationOf(json), session_json::sampleOf(json)};
  if (type == "noise") return NoiseMessage{session_json::noisePairOf(json)};
  if (type == "trace") {
    return TraceMessage{implementationOf(json), json.at("path").get<std::string>(),
                        json.value("profiled_ns", std::int64_t{0})};
  }
  if (type == "warning") return WarningMessage{nameOf(json), json.value("text", std::string{})};
  if (type == "failure") {
    return FailureMessage{nameOf(json), session_json::phaseOf(json.at("phase").get<std::string>()),
                          json.value("reason", std::string{})};
  }
  if (type == "done") return DoneMessage{json.value("cancelled", false)};
  throw BadValue{fmt::format("the message \"{}\" is not known", type)};
}

PlanMessage planMessageOf(const Json& json) {
  PlanMessage message;
  message.protocol = json.at("protocol").get<int>();
  if (message.protocol != kProtocolVersion) {
    throw BadValue{
        fmt::format("the plan is of protocol {} and this runner speaks {}: use the runner that came with "
                    "the program",
                    message.protocol, kProtocolVersion)};
  }
  message.plan = session_json::planOf(json.at("plan"));
  const Json continuation = json.value("continuation", Json::object());
  message.continuation.firstRound = continuation.value("first_round", 0);
  message.continuation.firstNoisePair = continuation.value("first_noise_pair", 0);
  message.continuation.withTrace = continuation.value("with_trace", std::vector<std::string>{});
  message.continuation.letters = continuation.value("letters", std::vector<std::size_t>{});
  return message;
}

// Reads a line with `read`, whose exceptions become an Error.
template <class Message, class Read>
Result<Message> parsed(std::string_view line, Read read) {
  Error error;
  try {
    const Json json = Json::parse(line);
    if (!json.is_object() || !json.contains("type")) throw BadValue{"it is no object with a type"};
    return read(json.at("type").template get<std::string>(), json);
  } catch (const BadValue& bad) {
    error.what = bad.what;
  } catch (const Json::parse_error& bad) {
    error.what = fmt::format("a line is not JSON: {}", line.substr(0, 80));
    error.byte = bad.byte;
  } catch (const Json::exception& bad) {
    error.what = fmt::format("a line cannot be read ({}): {}", bad.what(), line.substr(0, 80));
  }
  return fail(std::move(error));
}

}  // namespace

std::string lineOf(const RunnerMessage& message) { return dump(jsonOf(message)); }

Result<RunnerMessage> runnerMessageOf(std::string_view line) { return parsed<RunnerMessage>(line, messageOf); }

std::string lineOf(const ControllerMessage& message) {
  const auto* plan = std::get_if<PlanMessage>(&message);
  if (plan == nullptr) return dump({{"type", "cancel"}});
  const RunContinuation& continuation = plan->continuation;
  return dump({{"type", "plan"},
               {"protocol", plan->protocol},
               {"plan", session_json::toJson(plan->plan)},
               {"continuation",
                {{"first_round", continuation.firstRound},
                 {"first_noise_pair", continuation.firstNoisePair},
                 {"with_trace", continuation.withTrace},
                 {"letters", continuation.letters}}}});
}

Result<ControllerMessage> controllerMessageOf(std::string_view line) {
  return parsed<ControllerMessage>(line, [](const std::string& type, const Json& json) -> ControllerMessage {
    if (type == "plan") return planMessageOf(json);
    if (type == "cancel") return CancelMessage{};
    throw BadValue{fmt::format("the message \"{}\" is not known", type)};
  });
}

}  // namespace attnscope
