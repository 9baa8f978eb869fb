// SPDX-License-Identifier: Apache-2.0
// The floor that loading is measured against: simdjson on demand over the whole file by one thread, reading included.
// Of each event name, cat, ph, pid, tid, ts and dur are read, args are skipped; nothing is kept.
#include <simdjson.h>
#include <sys/resource.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string_view>

namespace {

double cpuSeconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

struct Sums {
  std::uint64_t events = 0;
  std::uint64_t text = 0;
  double time = 0;
};

void readEvent(simdjson::ondemand::object event, Sums& sums) {
  ++sums.events;
  for (auto result : event) {
    simdjson::ondemand::field field;
    if (std::move(result).get(field) != simdjson::SUCCESS) return;
    const std::string_view key = field.unescaped_key().value();
    simdjson::ondemand::value value = field.value();
    if (key == "ts" || key == "dur") {
      double number = 0;
      if (value.get(number) == simdjson::SUCCESS) sums.time += number;
    } else if (key == "name" || key == "cat" || key == "ph") {
      std::string_view text;
      if (value.get(text) == simdjson::SUCCESS) sums.text += text.size();
    } else if (key == "pid" || key == "tid") {
      sums.text += value.raw_json_token().size();
    }  // whatever else there is goes by unread
  }
}

}  // namespace

int main(int count, char** words) {
  if (count != 2) return 2;
  const auto start = std::chrono::steady_clock::now();
  Sums sums;
  try {
    simdjson::ondemand::parser parser(0xFFFFFFFF);
    const simdjson::padded_string text = simdjson::padded_string::load(words[1]);
    simdjson::ondemand::document document = parser.iterate(text);
    for (auto event : document["traceEvents"].get_array()) readEvent(event.get_object(), sums);
  } catch (const simdjson::simdjson_error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  const double wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  std::printf("{\"wall\": %.6f, \"cpu\": %.6f, \"events\": %llu, \"check\": %.0f}\n", wall, cpuSeconds(),
              static_cast<unsigned long long>(sums.events), sums.time + static_cast<double>(sums.text));
  return 0;
}
