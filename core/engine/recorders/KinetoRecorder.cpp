// SPDX-License-Identifier: Apache-2.0
#include "core/engine/recorders/KinetoRecorder.h"

#include <torch/csrc/autograd/profiler_kineto.h>
#include <torch/csrc/profiler/kineto_shim.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <set>

#include "core/engine/Failure.h"

namespace attnscope::engine {

namespace kineto = torch::autograd::profiler;
namespace profiler = torch::profiler::impl;

namespace {

// Kineto writes the path it saved to into the trace; a folder of the person who recorded it is nobody's business.
void nameIt(std::string& text, const std::string& savedTo, const std::string& name) {
  const std::string key = "\"traceName\": \"";
  const std::size_t at = text.rfind(key + savedTo + "\"");
  if (at != std::string::npos) text.replace(at + key.size(), savedTo.size(), name);
}

// False where the trace is not as Kineto writes it.
bool insertEvents(std::string& text, const MoreEvents& more) {
  const std::string base = "\"baseTimeNanoseconds\": ";
  const std::string events = "\"traceEvents\": [";
  const std::size_t baseAt = text.find(base);
  const std::size_t at = text.find(events);
  if (baseAt == std::string::npos || at == std::string::npos) return false;
  const std::int64_t baseNs = std::strtoll(text.c_str() + baseAt + base.size(), nullptr, 10);
  text.insert(at + events.size(), "\n" + more(baseNs));
  return true;
}

Error notWritten(const std::filesystem::path& file) {
  Error error;
  error.what = file.string() + " could not be written";
  error.remedy = "check that the folder exists and the disk has room";
  return error;
}

}  // namespace

KinetoRecorder::KinetoRecorder() = default;

KinetoRecorder::~KinetoRecorder() {
  if (m_recording) static_cast<void>(stop());
}

Result<void> KinetoRecorder::start() {
  return guarded("starting the profiler of PyTorch", [this]() -> Result<void> {
    // The library is built for CUDA, and where there is no device Kineto says so as an error, on standard error and in
    // the trace. It is none. A level that the person set stays.
    setenv("KINETO_LOG_LEVEL", "99", /*overwrite=*/0);
    const profiler::ProfilerConfig config(profiler::ProfilerState::KINETO, /*report_input_shapes=*/true,
                                          /*profile_memory=*/true);
    const std::set<profiler::ActivityType> activities{profiler::ActivityType::CPU};
    kineto::prepareProfiler(config, activities);
    kineto::enableProfiler(config, activities);
    m_recording = true;
    return {};
  });
}

void KinetoRecorder::describe(const std::string& key, const std::string& json) { kineto::addMetadataJson(key, json); }

Result<void> KinetoRecorder::stop() {
  m_recording = false;
  return guarded("stopping the profiler of PyTorch", [this]() -> Result<void> {
    m_result = kineto::disableProfiler();
    return {};
  });
}

Result<void> KinetoRecorder::save(const std::filesystem::path& file, const MoreEvents& more) {
  return guarded("saving the trace", [&]() -> Result<void> {
    if (!m_result) {
      Error error;
      error.kind = ErrorKind::kInternal;
      error.what = "nothing was recorded";
      return fail(error);
    }
    // Kineto reports a file it cannot open on standard error alone: look before and after. It appears under its own
    // name when it is whole.
    std::filesystem::path part = file;
    part += ".part";
    if (!std::ofstream(part)) return fail(notWritten(file));
    const Result<void> done = writeThrough(part, file, more);
    std::error_code ignored;
    if (!done) std::filesystem::remove(part, ignored);
    return done;
  });
}

Result<void> KinetoRecorder::writeThrough(const std::filesystem::path& part, const std::filesystem::path& file,
                                          const MoreEvents& more) {
  m_result->save(part.string());
  std::ifstream in(part, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  if (text.find("\"traceEvents\"") == std::string::npos) return fail(notWritten(file));
  nameIt(text, part.string(), file.filename().string());
  if (more && !insertEvents(text, more)) return fail(notWritten(file));
  std::ofstream out(part, std::ios::binary);
  out << text;
  out.close();
  if (!out) return fail(notWritten(file));
  std::error_code failed;
  std::filesystem::rename(part, file, failed);
  if (failed) return fail(notWritten(file));
  return {};
}

}  // namespace attnscope::engine
