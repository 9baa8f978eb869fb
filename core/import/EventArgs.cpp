// SPDX-License-Identifier: Apache-2.0
// What EventParser takes from the args of an event.
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <type_traits>
#include <utility>

#include "core/import/EventParser.h"
#include "core/import/NumberText.h"

namespace attnscope {

namespace {

bool isDigit(char c) { return c >= '0' && c <= '9'; }

// Integers of args: most are short and plain.
std::optional<std::int64_t> argInteger(std::string_view text) {
  text = unquoted(text);
  std::uint64_t plain = 0;
  if (plainDigits(text, plain)) return static_cast<std::int64_t>(plain);
  return integerFrom(text);
}

// "[4, 2, 1]"; nothing where a number does not fit.
std::array<std::int32_t, 3> dimensions(std::string_view text) {
  std::array<std::int64_t, 3> numbers{};
  std::size_t at = 0;
  for (const char c : text) {
    if (isDigit(c) && at < 3) {
      numbers[at] = numbers[at] * 10 + (c - '0');
      if (numbers[at] > INT32_MAX) return {};
    } else if (c == ',') {
      ++at;
    }
  }
  std::array<std::int32_t, 3> result{};
  std::transform(numbers.begin(), numbers.end(), result.begin(),
                 [](std::int64_t number) { return static_cast<std::int32_t>(number); });
  return result;
}

}  // namespace

void EventParser::takeArg(ArgKey key, const Token& value) {
  // What does not fit the column is as if it were not there.
  const auto integer = [&](auto& field) {
    using Field = std::remove_reference_t<decltype(field)>;
    const auto number = argInteger(value.text());
    if (number && std::in_range<Field>(*number)) {
      field = static_cast<Field>(*number);
    } else {
      noteUnfit(value);
    }
  };
  ArgFacts& facts = m_facts;
  if (key > ArgKey::kInputDims && key != ArgKey::kEventIndex) facts.others = true;
  switch (key) {
    case ArgKey::kOther:
      break;
    case ArgKey::kExternalId:
      integer(facts.externalId);
      break;
    case ArgKey::kCorrelation:
      integer(facts.correlation);
      break;
    case ArgKey::kInputDims:
      facts.inputDims = value;
      break;
    case ArgKey::kDevice:
      integer(facts.device.device);
      facts.anyDevice = true;
      break;
    case ArgKey::kStream:
      integer(facts.device.stream);
      facts.anyDevice = true;
      break;
    case ArgKey::kGrid:
      facts.device.grid = dimensions(value.text());
      facts.anyDevice = true;
      break;
    case ArgKey::kBlock:
      facts.device.block = dimensions(value.text());
      facts.anyDevice = true;
      break;
    case ArgKey::kRegisters:
      integer(facts.device.registersPerThread);
      break;
    case ArgKey::kSharedMemory:
      integer(facts.device.sharedMemoryBytes);
      break;
    case ArgKey::kOccupancy: {
      const auto number = numberFrom(unquoted(value.text()));
      // New devices get 0 from the recorder, which stands for "not known".
      if (number && std::isfinite(*number) && *number > 0)
        facts.device.occupancy = static_cast<float>(std::min(1.0, *number / 100));
      break;
    }
    case ArgKey::kBytes:
      integer(facts.device.bytes);
      facts.anyDevice = true;
      break;
    case ArgKey::kFinished:
      facts.markedOpen = unquoted(value.text()) == "false";
      break;
    case ArgKey::kMemoryBytes:
      integer(facts.memory.bytes);
      facts.anyMemory = true;
      break;
    case ArgKey::kAddress:
      facts.memory.address = unsignedFrom(unquoted(value.text())).value_or(0);
      break;
    case ArgKey::kEventIndex:
      integer(facts.memory.eventIndex);
      break;
    case ArgKey::kDeviceId:
      integer(facts.memory.deviceId);
      break;
    case ArgKey::kDeviceType:
      integer(facts.memory.deviceType);
      break;
    case ArgKey::kTotalReserved:
      integer(facts.memory.totalReserved);
      break;
    case ArgKey::kTotalAllocated:
      integer(facts.memory.totalAllocated);
      break;
  }
}

}  // namespace attnscope
