// SPDX-License-Identifier: Apache-2.0

// The documents: every key of the contract, exact figures, order, CSV.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/unit/cli/RunCli.h"

namespace attnscope {
namespace {

using Json = nlohmann::ordered_json;
using testing::HasSubstr;

Json answer(const std::string& command, const std::string& file, const std::string& options = "") {
  const CliRun run = runCli(command + " '" + data(file) + "' --json " + options);
  EXPECT_EQ(run.code, 0) << run.error;
  EXPECT_TRUE(run.error.empty()) << run.error;
  Json document = jsonOf(run);
  EXPECT_FALSE(document.is_discarded()) << run.out;
  EXPECT_EQ(document.value("schema", ""), "attnscope/1");
  return document;
}

void expectKeys(const Json& object, const std::vector<std::string>& keys) {
  for (const std::string& key : keys) EXPECT_TRUE(object.contains(key)) << key << " is missing in " << object.dump();
}

TEST(Answers, InfoHasEveryKey) {
  const Json info = answer("info", "cuda_small.json");
  expectKeys(info, {"file",     "format",  "producer", "file_bytes",    "events", "slices", "instants",
                    "counters", "flows",   "kernels",  "memory_events", "time",   "rank",   "processes",
                    "tracks",   "devices", "steps",    "metadata",      "health", "load"});
  expectKeys(info["time"], {"start_ns", "end_ns", "duration_ns", "base_ns", "dense_start_ns", "dense_end_ns"});
  expectKeys(info["flows"], {"bound", "unbound"});
  expectKeys(info["rank"], {"index", "source"});
  expectKeys(info["processes"][0], {"pid", "name", "labels", "earlier_names"});
  expectKeys(info["tracks"][0], {"id", "kind", "process", "name", "pid", "tid", "device", "stream", "slices", "depth"});
  expectKeys(info["devices"][0], {"index", "name", "sm_count", "memory_bytes", "compute_capability"});
  expectKeys(info["steps"][0], {"name", "start_ns", "duration_ns"});
  expectKeys(info["load"], {"seconds", "peak_rss_bytes", "repaired_bytes", "stages"});
  EXPECT_EQ(info["kernels"], 2);
  EXPECT_EQ(info["flows"]["bound"], 1);
  EXPECT_EQ(info["rank"]["index"], 2);
  EXPECT_EQ(info["devices"][0]["compute_capability"], "8.0");
  EXPECT_EQ(info["metadata"]["baseTimeNanoseconds"], 1790857026000000000);
  EXPECT_EQ(info["time"]["base_ns"], 1790857026000000000);
}

TEST(Answers, FindingsHaveEveryKey) {
  const Json document = answer("findings", "cuda_small.json");
  expectKeys(document, {"findings", "not_applicable", "clean", "failed"});
  ASSERT_FALSE(document["findings"].empty());
  for (const Json& finding : document["findings"]) {
    expectKeys(finding, {"rule", "severity", "headline", "why", "change", "saving_ns", "saving_formula", "evidence",
                         "caveats", "confidence"});
    for (const Json& evidence : finding["evidence"]) {
      EXPECT_TRUE(evidence.contains("slice") || evidence.contains("range") || evidence.contains("kernel")) << evidence;
    }
  }
  ASSERT_FALSE(document["not_applicable"].empty());
  expectKeys(document["not_applicable"][0], {"rule", "reason"});
  EXPECT_TRUE(document["failed"].empty());
}

TEST(Answers, AttentionHasEveryKeyAndItsStagesAddUp) {
  const Json document = answer("attention", "cuda_small.json");
  ASSERT_EQ(document["calls"].size(), 1u);
  const Json& call = document["calls"][0];
  expectKeys(call, {"operator", "slice", "backend", "evidence", "shape", "start_ns", "cpu_ns", "device_ns", "kernels"});
  EXPECT_EQ(call["operator"], "aten::scaled_dot_product_attention");
  EXPECT_EQ(call["evidence"], "name");
  EXPECT_EQ(call["cpu_ns"], 60'000);
  EXPECT_EQ(call["device_ns"], 30'500);
  EXPECT_EQ(call["kernels"], 1);
  for (const Json* each : {&call, &document["totals"]}) {
    std::int64_t hostNs = 0;
    std::int64_t deviceNs = 0;
    double share = 0;
    for (const Json& stage : (*each)["stages"]) {
      expectKeys(stage, {"stage", "host_ns", "device_ns", "time_share"});
      hostNs += stage["host_ns"].get<std::int64_t>();
      deviceNs += stage["device_ns"].get<std::int64_t>();
      share += stage["time_share"].get<double>();
    }
    EXPECT_EQ((*each)["cpu_ns"], hostNs);
    EXPECT_EQ((*each)["device_ns"], deviceNs);
    EXPECT_DOUBLE_EQ(share, 1);
  }
  EXPECT_TRUE(answer("attention", "rocm_small.json")["calls"].is_array());
}

TEST(Answers, FindingsOfOneRuleOrOfOneSeverity) {
  const Json one = answer("findings", "cuda_small.json", "--rule kernel.dominant");
  EXPECT_EQ(one["findings"].size() + one["clean"].size() + one["not_applicable"].size(), 1u);
  for (const Json& finding : answer("findings", "cuda_small.json", "--min-severity problem")["findings"]) {
    EXPECT_EQ(finding["severity"], "problem");
  }
  const CliRun wrong = runCli("findings '" + data("cuda_small.json") + "' --rule kernel.dominan");
  EXPECT_EQ(wrong.code, 2);
  EXPECT_THAT(wrong.error, HasSubstr("did you mean kernel.dominant?"));
}

TEST(Answers, SlicesHaveEveryKeyAndStandInOrder) {
  const Json slices = answer("slices", "cuda_small.json")["slices"];
  ASSERT_FALSE(slices.empty());
  std::pair<std::int64_t, std::int64_t> before{INT64_MIN, 0};
  for (const Json& slice : slices) {
    expectKeys(slice, {"id", "name", "category", "kind", "track", "depth", "start_ns", "duration_ns", "finished",
                       "parent", "correlation", "launch", "flow_in", "flow_out", "stack", "stack_at_end", "args"});
    const std::pair<std::int64_t, std::int64_t> place{slice["start_ns"], -slice["duration_ns"].get<std::int64_t>()};
    EXPECT_LE(before, place);
    before = place;
  }
  const auto named = [&](const std::string& name) {
    for (const Json& slice : slices) {
      if (slice["name"].get<std::string>().find(name) != std::string::npos) return slice;
    }
    return Json();
  };
  const Json kernel = named("flash_fwd_kernel");
  const Json launch = named("cudaLaunchKernel");
  EXPECT_EQ(kernel["launch"], launch["id"]);
  EXPECT_EQ(kernel["flow_in"], Json::array({launch["id"]}));
  EXPECT_EQ(launch["flow_out"], Json::array({kernel["id"]}));
  EXPECT_EQ(kernel["kind"], "attention");
  EXPECT_EQ(kernel["args"]["grid"], Json::array({1, 1, 4}));
}

TEST(Answers, SlicesAreFiltered) {
  EXPECT_EQ(answer("slices", "cuda_small.json", "--name '^aten::'")["slices"].size(), 2u);
  EXPECT_EQ(answer("slices", "cuda_small.json", "--category kernel")["slices"].size(), 2u);
  EXPECT_EQ(answer("slices", "cuda_small.json", "--limit 3")["slices"].size(), 3u);
  EXPECT_EQ(answer("slices", "cuda_small.json", "--limit 0")["slices"].size(), 0u);
  // What is open at 151 us: the step and the synchronisation that began at 150.
  EXPECT_EQ(answer("slices", "cuda_small.json", "--from 151000 --to 152000")["slices"].size(), 2u);
  const Json track = answer("slices", "cuda_small.json", "--category kernel")["slices"][0]["track"];
  for (const Json& slice : answer("slices", "cuda_small.json", "--track " + track.dump())["slices"]) {
    EXPECT_EQ(slice["track"], track);
  }
}

TEST(Answers, InstantsAndCounters) {
  const Json instants = answer("instants", "cuda_small.json")["instants"];
  ASSERT_EQ(instants.size(), 3u);
  expectKeys(instants[0], {"name", "category", "scope", "track", "at_ns", "args"});
  EXPECT_EQ(instants[0]["args"]["Bytes"], 65536);
  EXPECT_EQ(answer("instants", "cuda_small.json", "--from 26000 --to 27000")["instants"].size(), 1u);

  const std::string file =
      scratch().write("counters.json", R"([{"ph":"C","name":"mem","pid":1,"ts":1,"args":{"used":5,"free":1.5}},)"
                                       R"({"ph":"C","name":"mem","pid":1,"ts":2,"args":{"used":NaN,"free":2}}])");
  const Json counters = jsonOf(runCli("counters '" + file + "' --json"))["counters"];
  ASSERT_EQ(counters.size(), 2u);
  expectKeys(counters[0], {"name", "id", "series", "pid", "track", "samples"});
  for (const Json& counter : counters) {
    if (counter["series"] == "used") {
      EXPECT_EQ(counter["samples"][1][1], Json());
    }
  }
}

TEST(Answers, OperatorsAreExactAndSorted) {
  const Json document = answer("operators", "cuda_small.json", "--by-shape");
  for (const Json& row : document["operators"]) {
    expectKeys(row, {"name", "is_user_annotation", "input_shapes", "calls", "cpu_total_ns", "cpu_self_ns",
                     "device_total_ns", "device_self_ns", "cpu_memory_bytes", "cpu_memory_self_bytes",
                     "device_memory_bytes", "device_memory_self_bytes"});
    EXPECT_TRUE(row["input_shapes"].is_array());
  }
  EXPECT_EQ(document["operators"][0]["name"], "ProfilerStep*");
  EXPECT_EQ(document["operators"][0]["cpu_self_ns"], 106000);
  EXPECT_EQ(document["totals"]["cpu_self_ns"], 200000);
  EXPECT_EQ(document["totals"]["device_self_ns"], 30500);
  const Json byCalls = answer("operators", "cuda_small.json", "--sort name --top 2")["operators"];
  ASSERT_EQ(byCalls.size(), 2u);
  EXPECT_EQ(byCalls[0]["name"], "ProfilerStep*");
  EXPECT_EQ(byCalls[1]["name"], "aten::_flash_attention_forward");
  EXPECT_EQ(byCalls[0]["input_shapes"], Json());
  const Json leaves = answer("operators", "cuda_small.json", "--leaf")["operators"];
  ASSERT_EQ(leaves.size(), 1u);
  EXPECT_EQ(leaves[0]["name"], "aten::_flash_attention_forward");
}

TEST(Answers, KernelsHaveEveryKey) {
  const Json document = answer("kernels", "cuda_small.json");
  ASSERT_EQ(document["kernels"].size(), 2u);
  const Json& row = document["kernels"][0];
  expectKeys(row, {"name", "short_name", "family", "calls", "total_ns", "min_ns", "mean_ns", "median_ns", "p95_ns",
                   "max_ns", "total_share", "operators", "grid", "block", "registers_per_thread", "shared_memory_bytes",
                   "occupancy", "tensor_cores"});
  expectKeys(row["occupancy"], {"reported", "theoretical", "limited_by"});
  EXPECT_EQ(row["total_ns"], 30500);
  EXPECT_EQ(row["operators"][0]["name"], "aten::_flash_attention_forward");
  EXPECT_EQ(row["registers_per_thread"], 255);
  // 255 registers of 128 threads leave room for two blocks on an SM of compute capability 8.0.
  EXPECT_EQ(row["occupancy"]["theoretical"], 0.125);
  EXPECT_EQ(row["occupancy"]["limited_by"], "registers");
  EXPECT_EQ(row["launch_median_ns"], 20000);
  EXPECT_EQ(document["kernels"][1]["occupancy"]["theoretical"], Json());  // its registers are not recorded
  EXPECT_EQ(document["kernels"][1]["operators"], Json::array());
  expectKeys(document["device"][0], {"index", "busy_ns", "span_ns", "busy_share"});
  EXPECT_EQ(document["device"][0]["busy_ns"], 55000);
  EXPECT_EQ(answer("kernels", "cpu_small.json")["kernels"], Json::array());
  EXPECT_THAT(runCli("kernels '" + data("cpu_small.json") + "'").out, HasSubstr("operators --leaf"));
}

TEST(Answers, MemoryHasEveryKey) {
  const Json devices = answer("memory", "cuda_small.json")["devices"];
  ASSERT_EQ(devices.size(), 2u);
  for (const Json& device : devices) {
    expectKeys(device, {"device", "peak_bytes", "peak_at_ns", "start_bytes", "end_bytes", "reserved_peak_bytes",
                        "allocations", "frees", "holders_at_peak", "series"});
  }
  EXPECT_EQ(devices[1]["device"], "cuda:0");
  EXPECT_EQ(devices[1]["peak_bytes"], 66560);
  expectKeys(devices[1]["holders_at_peak"][0], {"operator", "bytes", "blocks"});
  EXPECT_EQ(devices[1]["series"].size(), 2u);
  EXPECT_EQ(devices[1]["series"][0], Json::array({25000, 66560, 2097152}));
  EXPECT_EQ(answer("memory", "cuda_small.json", "--series 0")["devices"][1]["series"], Json::array());
  const Json old = answer("memory", "old_spellings.json")["devices"][0];
  EXPECT_EQ(old["peak_bytes"], Json());
  EXPECT_EQ(old["peak_rise_bytes"], 8192);
}

TEST(Answers, CompareHasEveryKeyAndSumsToTheTotals) {
  const std::string other = " '" + data("rocm_small.json") + "' '" + data("cpu_small.json") + "'";
  for (const std::string& options : {std::string(), std::string("--top 2"), std::string("--threshold 20")}) {
    const Json document = answer("compare", "cuda_small.json", other + " " + options);
    expectKeys(document, {"runs", "comparable", "verdicts", "groups", "totals", "memory"});
    ASSERT_EQ(document["runs"].size(), 3u);
    expectKeys(document["runs"][0], {"letter", "file", "title"});
    expectKeys(document["comparable"], {"verdict", "reasons"});
    expectKeys(document["comparable"]["reasons"][0], {"subject", "base", "other", "meaning"});
    ASSERT_EQ(document["verdicts"].size(), 2u);
    expectKeys(document["verdicts"][0], {"run", "verdict", "change_ratio", "low_ratio", "high_ratio", "pairs",
                                         "pairs_needed", "noise_floor_ratio", "method"});
    EXPECT_EQ(document["verdicts"][0]["verdict"], "none");
    for (std::size_t run = 0; run < 3; ++run) {
      std::int64_t host = 0;
      std::int64_t device = 0;
      for (const Json& group : document["groups"]) {
        expectKeys(group,
                   {"key", "operator", "match", "runs", "delta_host_self_ns", "delta_device_ns", "contribution_ratio"});
        expectKeys(group["runs"][run], {"calls", "host_self_ns", "device_ns", "mean_ns", "median_ns"});
        host += group["runs"][run]["host_self_ns"].get<std::int64_t>();
        device += group["runs"][run]["device_ns"].get<std::int64_t>();
      }
      EXPECT_EQ(document["totals"][run]["host_self_ns"], host);
      EXPECT_EQ(document["totals"][run]["device_ns"], device);
    }
    for (const Json& memory : document["memory"]) {
      EXPECT_EQ(memory["peak_bytes"].size(), 3u);
      EXPECT_EQ(memory["predicted_peak_bytes"].size(), 3u);
    }
  }
  EXPECT_EQ(answer("compare", "cuda_small.json", "'" + data("cpu_small.json") + "' --align step")["align"], "step");
}

TEST(Answers, CompareTakesABaselineAndNormalises) {
  const std::string other = "'" + data("rocm_small.json") + "' ";
  const Json turned = answer("compare", "cuda_small.json", other + "--baseline B");
  EXPECT_EQ(turned["runs"][0]["file"], data("rocm_small.json"));
  EXPECT_EQ(answer("compare", "cuda_small.json", other + "--baseline '" + data("rocm_small.json") + "'")["runs"],
            turned["runs"]);
  const CliRun wrong = runCli("compare '" + data("cuda_small.json") + "' " + other + "--baseline Z");
  EXPECT_EQ(wrong.code, 2);
  EXPECT_THAT(wrong.error, HasSubstr("use a letter from A to B"));
  const Json calls = answer("compare", "cuda_small.json", other + "--normalize call");
  EXPECT_EQ(calls["normalize"], "call");
  for (const Json& group : calls["groups"]) {
    const Json& run = group["runs"][0];
    if (run["calls"] == 0) {
      EXPECT_TRUE(run["normalized_host_self_ns"].is_null());
    } else {
      EXPECT_NEAR(run["normalized_host_self_ns"].get<double>(),
                  run["host_self_ns"].get<double>() / run["calls"].get<double>(), 1e-6);
    }
  }
}

TEST(Answers, TracesOfAFolderAreRepeatsOfOneRun) {
  namespace fs = std::filesystem;
  const auto folderOf = [](const char* name, int repeats) {
    const fs::path folder = scratch().file(name);
    fs::create_directories(folder);
    for (int i = 0; i < repeats; ++i) {
      fs::copy_file(data("cpu_small.json"), folder / (std::to_string(i) + ".json"),
                    fs::copy_options::overwrite_existing);
    }
    return "'" + folder.string() + "'";
  };
  const CliRun run = runCli("compare --json " + folderOf("before", 6) + " " + folderOf("after", 7));
  ASSERT_EQ(run.code, 0) << run.error;
  const Json document = jsonOf(run);
  EXPECT_EQ(document["runs"][0]["step_ns"].size(), 5u) << "the first is left out";
  EXPECT_EQ(document["runs"][1]["step_ns"].size(), 6u);
  EXPECT_EQ(document["verdicts"][0]["verdict"], "within-noise");
  EXPECT_THAT(document["verdicts"][0]["method"].get<std::string>(), HasSubstr("not measured in turns"));
  EXPECT_EQ(runCli("compare " + folderOf("nothing", 0) + " '" + data("cpu_small.json") + "'").code, 2);
}

TEST(Answers, CompareAsTextMarkdownAndCsv) {
  const std::string files = "compare --force '" + data("cuda_small.json") + "' '" + data("rocm_small.json") + "' ";
  const CliRun text = runCli(files);
  EXPECT_EQ(text.code, 0);
  EXPECT_THAT(text.out, HasSubstr("kernel time"));
  EXPECT_THAT(text.out, HasSubstr("one profiled trace a side, no repeats"));
  EXPECT_THAT(text.out, HasSubstr("What B - A is made of:"));
  const std::string markdown = runCli(files + "--markdown").out;
  EXPECT_THAT(markdown, HasSubstr("| --- |"));
  EXPECT_THAT(markdown, HasSubstr("**Method**"));
  EXPECT_GT(markdown.find("**Method**"), markdown.find("| --- |")) << "below the table";
  EXPECT_THAT(runCli(files + "--csv").out, testing::StartsWith("operator,input_shapes,match,calls_A,host_self_ns_A"));
}

TEST(Answers, ProgramsThatHaveNothingInCommonAreRefused) {
  const CliRun text = runCli("compare '" + data("cuda_small.json") + "' '" + data("rocm_small.json") + "'");
  EXPECT_EQ(text.code, 0);
  EXPECT_THAT(text.out, HasSubstr("No verdict: A and B do different work"));
  EXPECT_THAT(text.out, HasSubstr("matched work (A 0 %, B 0 %)"));
}

TEST(Answers, CsvHasTheColumnsOfJsonAndExactNumbers) {
  const CliRun run = runCli("operators '" + data("cuda_small.json") + "' --csv");
  EXPECT_THAT(run.out, testing::StartsWith("name,is_user_annotation,input_shapes,calls,cpu_total_ns,cpu_self_ns,"));
  EXPECT_THAT(run.out, HasSubstr("ProfilerStep*,true,,1,200000,106000,30500,0,64,0,0,-65536\n"));
  for (const char* command : {"slices", "instants", "counters", "kernels", "memory"}) {
    const CliRun table = runCli(std::string(command) + " '" + data("cuda_small.json") + "' --csv");
    EXPECT_EQ(table.code, 0) << command;
    EXPECT_THAT(table.out.substr(0, table.out.find('\n')), HasSubstr(",")) << command;
  }
}

TEST(Answers, TextHasUnitsInItsHeads) {
  EXPECT_THAT(runCli("operators '" + data("cuda_small.json") + "'").out, HasSubstr("cpu self us"));
  for (const char* command : {"info", "slices", "instants", "counters", "kernels", "memory"}) {
    const CliRun run = runCli(std::string(command) + " '" + data("cuda_small.json") + "'");
    EXPECT_EQ(run.code, 0) << command;
    EXPECT_TRUE(run.error.empty()) << run.error;
    EXPECT_FALSE(run.out.empty()) << command;
  }
}

TEST(Answers, ConvertGivesTheSameTraceBack) {
  const std::string out = scratch().file("clean.json.gz");
  const CliRun run = runCli("convert '" + data("cuda_small.json") + "' -o '" + out + "'");
  ASSERT_EQ(run.code, 0) << run.error;
  EXPECT_TRUE(run.out.empty());
  const Json before = answer("operators", "cuda_small.json");
  const Json after = jsonOf(runCli("operators '" + out + "' --json"));
  EXPECT_EQ(before["operators"], after["operators"]);
  EXPECT_EQ(before["totals"], after["totals"]);
  EXPECT_NE(runCli("convert '" + data("cuda_small.json") + "' -o /nowhere/out.json").code, 0);
}

}  // namespace
}  // namespace attnscope
