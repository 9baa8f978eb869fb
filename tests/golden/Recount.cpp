// SPDX-License-Identifier: Apache-2.0
#include "tests/golden/Recount.h"

#include <algorithm>
#include <cctype>
#include <vector>

#include <nlohmann/json.hpp>

namespace attnscope::golden {

namespace {

using Json = nlohmann::json;

// Builds a document in which fractions keep their text: times of 19 digits do not fit into a double.
class ExactDocument : public nlohmann::json_sax<Json> {
 public:
  Json root;

  bool null() override { return put(Json()); }
  bool boolean(bool value) override { return put(value); }
  bool number_integer(number_integer_t value) override { return put(value); }
  bool number_unsigned(number_unsigned_t value) override { return put(value); }
  bool number_float(number_float_t, const string_t& text) override { return put("#" + text); }
  bool string(string_t& value) override { return put(value); }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return open(Json::object()); }
  bool key(string_t& value) override {
    m_keys.back() = value;
    return true;
  }
  bool end_object() override { return close(); }
  bool start_array(std::size_t) override { return open(Json::array()); }
  bool end_array() override { return close(); }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override { return false; }

 private:
  Json* place(Json value) {
    if (m_open.empty()) {
      root = std::move(value);
      return &root;
    }
    Json& parent = *m_open.back();
    if (parent.is_array()) {
      parent.push_back(std::move(value));
      return &parent.back();
    }
    Json& slot = parent[m_keys.back()];
    slot = std::move(value);
    return &slot;
  }
  bool put(Json value) {
    place(std::move(value));
    return true;
  }
  bool open(Json value) {
    m_open.push_back(place(std::move(value)));
    m_keys.emplace_back();
    return true;
  }
  bool close() {
    m_open.pop_back();
    m_keys.pop_back();
    return true;
  }
  std::vector<Json*> m_open;
  std::vector<std::string> m_keys;
};

// Microseconds to ns, in whole numbers; more than three decimals are cut.
__int128_t nsOf(const Json& value) {
  if (value.is_number()) return static_cast<__int128_t>(value.get<std::int64_t>()) * 1000;
  if (!value.is_string()) return 0;
  std::string text = value.get<std::string>();
  if (text.starts_with('#')) text.erase(0, 1);
  const bool negative = text.starts_with('-');
  __int128_t ns = 0;
  int decimals = -1;
  for (const char c : text) {
    if (c == '.') decimals = 0;
    if (std::isdigit(static_cast<unsigned char>(c)) == 0 || decimals >= 3) continue;
    ns = ns * 10 + (c - '0');
    if (decimals >= 0) ++decimals;
  }
  for (int i = decimals < 0 ? 0 : decimals; i < 3; ++i) ns *= 10;
  return negative ? -ns : ns;
}

std::string idText(const Json& value) { return value.is_string() ? value.get<std::string>() : value.dump(); }

struct Span {
  __int128_t start = 0;
  __int128_t end = 0;
  std::string name;
};

struct Call {
  std::string thread;
  __int128_t start = 0;
  std::string externalId;
};

std::string externalIdOf(const Json& args) {
  for (const char* key : {"External id", "external id"}) {
    if (args.contains(key)) return idText(args[key]);
  }
  return {};
}

}  // namespace

Recount recount(const std::string& text) {
  Recount result;
  ExactDocument document;
  if (!Json::sax_parse(text, &document)) return result;
  const Json& root = document.root;
  if (!root.is_array() && !root.contains("traceEvents")) return result;
  const Json& events = root.is_array() ? root : root["traceEvents"];
  result.valid = true;

  std::map<std::string, std::vector<Span>> operatorsOfThread;
  std::map<std::string, std::string> operatorOfId;
  std::map<std::string, std::vector<Call>> callsOfCorrelation;
  struct Device {
    std::int64_t ns = 0;
    std::string externalId;
    std::string correlation;
    __int128_t start = 0;
    bool counts = true;  // not a synchronisation
  };
  std::vector<Device> device;
  std::map<std::int64_t, std::vector<std::pair<__int128_t, __int128_t>>> busy;

  for (const Json& event : events) {
    if (!event.is_object()) continue;
    std::string category = event.contains("cat") && event["cat"].is_string() ? event["cat"].get<std::string>() : "";
    std::transform(category.begin(), category.end(), category.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    const std::string phase = event.contains("ph") && event["ph"].is_string() ? event["ph"].get<std::string>() : "";
    const Json args = event.contains("args") && event["args"].is_object() ? event["args"] : Json::object();
    const std::string name =
        event.contains("name") && event["name"].is_string() ? event["name"].get<std::string>() : "";
    if (name == "[memory]" && (phase == "i" || phase == "I")) {
      const auto number = [&](const char* key, std::int64_t other) {
        return args.contains(key) && args[key].is_number() ? args[key].get<std::int64_t>() : other;
      };
      auto& memory = result.memory[{number("Device Type", 0), number("Device Id", -1)}];
      ++(number("Bytes", 0) < 0 ? memory.frees : memory.allocations);
      memory.peakBytes = std::max(memory.peakBytes, number("Total Allocated", INT64_MIN));
    }
    if (phase != "X") continue;
    const __int128_t start = nsOf(event["ts"]);
    const __int128_t duration = event.contains("dur") ? nsOf(event["dur"]) : 0;
    const std::string thread = idText(event["pid"]) + "/" + idText(event["tid"]);
    const std::string correlation = args.contains("correlation") ? idText(args["correlation"]) : "";
    if (category == "cpu_op" || category == "operator") {
      operatorsOfThread[thread].push_back({start, start + duration, name});
      if (!externalIdOf(args).empty()) operatorOfId.emplace(externalIdOf(args), name);
    } else if (category.ends_with("runtime") || category.ends_with("driver")) {
      callsOfCorrelation[correlation].push_back({thread, start, externalIdOf(args)});
    } else if (category == "kernel" || category == "gpu_memcpy" || category == "memcpy" || category == "gpu_memset" ||
               category == "memset" || category == "cuda_sync") {
      const bool counts = category != "cuda_sync";
      device.push_back({static_cast<std::int64_t>(duration), externalIdOf(args), correlation, start, counts});
      if (category == "kernel") {
        auto& [calls, ns] = result.kernels[name];
        ++calls;
        ns += static_cast<std::int64_t>(duration);
      }
      if (!counts) continue;
      result.deviceNs += static_cast<std::int64_t>(duration);
      const std::int64_t index =
          args.contains("device") && args["device"].is_number() ? args["device"].get<std::int64_t>() : -1;
      busy[index].emplace_back(start, start + duration);
    }
  }

  for (auto& [index, spans] : busy) {
    std::sort(spans.begin(), spans.end());
    __int128_t until = spans.front().first;
    __int128_t total = 0;
    for (const auto& [start, end] : spans) {
      if (end > until) total += end - std::max(start, until);
      until = std::max(until, end);
    }
    result.busyNs[index] = static_cast<std::int64_t>(total);
  }

  // The age of the file: device events carry their own correlation id, all of them or the unlinked ones.
  const auto own = [](const Device& d) { return !d.externalId.empty() && d.externalId == d.correlation; };
  const bool anyOwn = std::any_of(device.begin(), device.end(), own);
  const bool anyOther =
      std::any_of(device.begin(), device.end(), [&](const Device& d) { return !d.externalId.empty() && !own(d); });
  for (const Device& d : device) {
    std::string name;
    if (!d.externalId.empty() && !own(d)) {
      const auto found = operatorOfId.find(d.externalId);
      if (found != operatorOfId.end()) name = found->second;
    } else if (anyOwn && !anyOther && callsOfCorrelation.count(d.correlation) != 0) {
      const auto& calls = callsOfCorrelation[d.correlation];
      const Call* call = &calls.front();
      for (const Call& other : calls) {
        if (other.start <= d.start && (call->start > d.start || other.start > call->start)) call = &other;
      }
      const Span* innermost = nullptr;
      for (const Span& span : operatorsOfThread[call->thread]) {
        if (span.start > call->start || span.end <= call->start) continue;
        if (innermost == nullptr || span.start > innermost->start ||
            (span.start == innermost->start && span.end <= innermost->end)) {
          innermost = &span;
        }
      }
      if (innermost != nullptr) name = innermost->name;
    }
    if (!name.empty()) result.deviceNsOfOperator[name] += d.ns;
  }
  return result;
}

}  // namespace attnscope::golden
