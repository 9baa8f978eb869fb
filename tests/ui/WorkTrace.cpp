// SPDX-License-Identifier: GPL-3.0-or-later
#include "WorkTrace.h"

#include <string>
#include <string_view>

namespace attnscope::ui::test {

namespace {

class Writer {
 public:
  explicit Writer(const WorkTrace& wanted) : m_wanted(wanted) {}

  QByteArray write() {
    m_text =
        "{\"schemaVersion\": 1,\n\"deviceProperties\": [{\"id\": 0, \"name\": \"Test GPU\"}],\n\"traceEvents\": [\n";
    meta("process_name", kHost, 0, "python");
    meta("process_labels", kHost, 0, "CPU");
    meta("process_name", kDevice, 0, "python");
    meta("process_labels", kDevice, 0, "GPU 0");
    for (int step = 0; step < m_wanted.steps; ++step) addStep(step);
    m_text += "{\"ph\":\"i\",\"name\":\"Record Window End\",\"s\":\"g\",\"pid\":\"\",\"tid\":\"\",\"ts\":" +
              number(m_wanted.steps * kStepUs + 1000) + "}\n]}\n";
    return QByteArray::fromStdString(m_text);
  }

 private:
  static constexpr int kHost = 100;
  static constexpr int kDevice = 0;
  static constexpr int kMain = 100;
  static constexpr int kBackward = 200;

  static std::string number(double value) { return std::to_string(value); }

  void meta(std::string_view what, int pid, int tid, std::string_view value) {
    const std::string key = what == "process_labels" ? "labels" : "name";
    m_text += "{\"ph\":\"M\",\"name\":\"" + std::string(what) + "\",\"pid\":" + std::to_string(pid) +
              ",\"tid\":" + std::to_string(tid) + ",\"args\":{\"" + key + "\":\"" + std::string(value) + "\"}},\n";
  }

  void slice(std::string_view category, std::string_view name, int pid, int tid, double ts, double dur,
             const std::string& args) {
    m_text += "{\"ph\":\"X\",\"cat\":\"" + std::string(category) + "\",\"name\":\"" + std::string(name) +
              "\",\"pid\":" + std::to_string(pid) + ",\"tid\":" + std::to_string(tid) + ",\"ts\":" + number(ts) +
              ",\"dur\":" + number(dur) + ",\"args\":{" + args + "}},\n";
  }

  // Of the operator that is open: an operator inside it.
  void op(std::string_view name, int tid, double ts, double dur) {
    slice("cpu_op", name, kHost, tid, ts, dur, "\"External id\":" + std::to_string(++m_external));
  }

  // A launch and the kernel that it starts.
  void launch(std::string_view kernel, int tid, int stream, double at, double start, double length) {
    const std::string ids =
        "\"External id\":" + std::to_string(m_external) + ",\"correlation\":" + std::to_string(++m_correlation);
    slice("cuda_runtime", "cudaLaunchKernel", kHost, tid, at, 6, ids);
    slice("kernel", kernel, kDevice, stream, start, length * m_wanted.kernelScale,
          ids + ",\"device\":0,\"stream\":" + std::to_string(stream) +
              ",\"grid\":[64,1,1],\"block\":[128,1,1],\"registers per thread\":64,\"shared memory\":16384");
  }

  void memory(double ts, long bytes, long address) {
    m_allocated += bytes;
    m_text +=
        "{\"ph\":\"i\",\"cat\":\"cpu_instant_event\",\"name\":\"[memory]\",\"s\":\"t\",\"pid\":100,\"tid\":100,"
        "\"ts\":" +
        number(ts) + ",\"args\":{\"Bytes\":" + std::to_string(bytes) + ",\"Addr\":" + std::to_string(address) +
        ",\"Total Allocated\":" + std::to_string(m_allocated) + ",\"Total Reserved\":" + std::to_string(64L << 20) +
        ",\"Device Type\":1,\"Device Id\":0}},\n";
  }

  void counter(double ts, int value) {
    m_text += "{\"ph\":\"C\",\"name\":\"queue\",\"pid\":100,\"ts\":" + number(ts) +
              ",\"args\":{\"depth\":" + std::to_string(value) + "}},\n";
  }

  void arrow(double fromTs, double toTs) {
    const std::string id = std::to_string(++m_arrow);
    m_text += "{\"ph\":\"s\",\"cat\":\"fwdbwd\",\"name\":\"fwdbwd\",\"id\":" + id +
              ",\"pid\":100,\"tid\":100,\"ts\":" + number(fromTs) + "},\n";
    m_text += "{\"ph\":\"f\",\"bp\":\"e\",\"cat\":\"fwdbwd\",\"name\":\"fwdbwd\",\"id\":" + id +
              ",\"pid\":100,\"tid\":200,\"ts\":" + number(toTs) + "},\n";
  }

  void addStep(int step) {
    const double at = 1000 + step * kStepUs;
    const double late = step == m_wanted.lateStep ? 400 : 0;
    slice("user_annotation", "ProfilerStep#" + std::to_string(step + 3), kHost, kMain, at, kStepUs - 50, "");
    slice("python_function", "model.py(12): forward", kHost, kMain, at + 5, 900, "");
    counter(at, 1 + step % 3);
    counter(at + 600, 4);
    // Attention forward.
    op("aten::scaled_dot_product_attention", kMain, at + 20, 220 + late);
    const double sdpa = at + 20;
    op("aten::bmm", kMain, sdpa + 10, 50);
    memory(sdpa + 12, 8L << 20, 4096 + step * 1000);
    launch("ampere_sgemm_128x64_nn", kMain, 7, sdpa + 30, sdpa + 100, 120);
    op("aten::_softmax", kMain, sdpa + 80 + late, 40);
    launch("softmax_warp_forward", kMain, 7, sdpa + 95 + late, sdpa + 240 + late, 60);
    op("aten::bmm", kMain, sdpa + 140 + late, 50);
    memory(sdpa + 142 + late, 24L << 20, 8192 + step * 1000);
    launch("ampere_sgemm_128x64_nn", kMain, 7, sdpa + 160 + late, sdpa + 305 + late, 90);
    arrow(sdpa, at + 1110);
    // Projection, on a stream of its own.
    op("aten::linear", kMain, at + 700, 80);
    launch("ampere_sgemm_64x64_tn", kMain, 20, at + 720, at + 760, 70);
    // Backward.
    op("autograd::engine::evaluate_function", kBackward, at + 1100, 300);
    op("aten::mm", kBackward, at + 1110, 100);
    launch("ampere_sgemm_128x64_nt", kBackward, 7, at + 1140, at + 1200, 240);
    memory(at + 1500, -(24L << 20), 8192 + step * 1000);
    memory(at + 1510, -(8L << 20), 4096 + step * 1000);
    slice("cuda_runtime", "cudaDeviceSynchronize", kHost, kMain, at + 1560, 120, "");
  }

  const WorkTrace& m_wanted;
  std::string m_text;
  long m_allocated = 16L << 20;
  int m_external = 0;
  int m_correlation = 100;
  int m_arrow = 0;
};

}  // namespace

QByteArray workTraceJson(const WorkTrace& wanted) { return Writer(wanted).write(); }

}  // namespace attnscope::ui::test
