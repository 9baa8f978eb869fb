# SPDX-License-Identifier: Apache-2.0
"""test_run.py PROGRAM: attnscope-runner run, as a controller sees it: lines over two pipes, and how the process ends."""

import fcntl
import json
import os
import selectors
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

RUNNER = sys.argv.pop(1)
LINE_WITHIN_S = 60
BOTH = ["naive.plain", "sdpa.flash"]


def problem(**changes):
    shape = {"batch": 1, "heads": 2, "kv_heads": 2, "seq": 64, "kv_seq": 64, "head_dim": 16, "value_head_dim": 16,
             "dtype": "float32", "mask": {"kind": "causal", "alignment": "top-left"}}
    return shape | changes


class Session:
    """One runner, with its lines read as they come."""

    def __init__(self, folder, *, options=(), **plan):
        self.folder = folder
        self.lines = []
        self.process = subprocess.Popen([RUNNER, "run", *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE)
        self.selector = selectors.DefaultSelector()
        self.selector.register(self.process.stdout, selectors.EVENT_READ)
        self.pending = b""
        if plan:
            continuation = plan.pop("continuation", {})
            whole = {"problem": problem(), "implementations": BOTH, "rounds": 3, "noise_blocks": 1,
                     "sample_at_least_ns": 1_000_000, "warm_up_at_most_ns": 30_000_000, "trace_folder": folder} | plan
            self.write({"type": "plan", "protocol": 1, "plan": whole, "continuation": continuation})

    def write(self, message):
        line = message if isinstance(message, str) else json.dumps(message)
        self.process.stdin.write(line.encode() + b"\n")
        self.process.stdin.flush()

    def next(self, within_s=LINE_WITHIN_S):
        """The next message; None at the end of the output or when none came in time."""
        while b"\n" not in self.pending:
            if not self.selector.select(within_s):
                return None
            part = os.read(self.process.stdout.fileno(), 1 << 16)
            if not part:
                return None
            self.pending += part
        line, _, self.pending = self.pending.partition(b"\n")
        self.lines.append(json.loads(line))
        return self.lines[-1]

    def until(self, **wanted):
        while (message := self.next()) is not None:
            if all(message.get(key) == value for key, value in wanted.items()):
                return message
        raise AssertionError(f"no {wanted} in {self.lines}")

    def finish(self):
        while self.next() is not None:
            pass
        self.process.stdin.close()
        self.log = self.process.stderr.read().decode()
        return self.process.wait(LINE_WITHIN_S)

    def of(self, kind, **wanted):
        return [line for line in self.lines
                if line["type"] == kind and all(line.get(key) == value for key, value in wanted.items())]

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            try:
                pipe.close()
            except BrokenPipeError:
                pass


class Run(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def session(self, **plan):
        session = Session(self.folder.name, **plan)
        self.addCleanup(session.close)
        return session

    def hooked(self, implementation, phase, action, round=0, **plan):
        hook = {"implementation": implementation, "phase": phase, "round": round, "action": action}
        return self.session(options=["--test-hooks"], test_hooks=[hook], **plan)

    # --- A whole run ---

    def test_a_run_says_what_it_does_in_order(self):
        session = self.session(implementations=["naive.plain", "sdpa.flash", "window.blocks", "linear.elu"])
        self.assertEqual(session.finish(), 0, session.lines)
        self.assertEqual(session.log, "")
        self.assertEqual([line["type"] for line in session.lines[:2]], ["hello", "environment"])
        self.assertEqual(session.lines[0]["protocol"], 1)
        self.assertEqual(session.lines[0]["process_id"], session.process.pid)
        self.assertEqual(session.lines[-1], {"type": "done", "cancelled": False})

        run = ["naive.plain", "sdpa.flash", "linear.elu"]
        refused = session.of("refused")
        self.assertEqual([line["implementation"] for line in refused], ["window.blocks"])
        self.assertIn("window", refused[0]["reason"])
        phases = [(line["phase"], line["implementation"]) for line in session.of("phase")]
        wanted = [(phase, one) for phase in ("allocate", "check", "warm-up") for one in run]
        wanted += [("time", None)] * 3 + [("profile", one) for one in run] + [("write", None)]
        self.assertEqual(phases, wanted)
        self.assertEqual([line["round"] for line in session.of("phase", phase="time")], [0, 1, 2])
        for kind in ("checked", "peak", "warmed", "trace"):
            self.assertEqual([line["implementation"] for line in session.of(kind)], run, kind)
        for line in session.of("checked"):
            self.assertLessEqual(line["error"]["relative_l2"], line["error"]["limit"])
        self.assertIsNone(session.of("checked")[0]["error"]["distance_to_full"])
        self.assertGreater(session.of("checked")[2]["error"]["distance_to_full"], 0.01)
        # 4 matrices of scores and the output.
        self.assertEqual(session.of("peak")[0]["bytes"], 4 * 2 * 64 * 64 * 4 + 2 * 64 * 16 * 4)
        for one in run:
            samples = session.of("sample", implementation=one)
            self.assertEqual([sample["round"] for sample in samples], [0, 1, 2])
            for sample in samples:
                self.assertGreater(sample["wall_ns"], 0)
                self.assertGreater(sample["thread_cpu_ns"], 0)
                self.assertGreaterEqual(sample["calls"], 1)
        self.assertEqual([line["pair"] for line in session.of("noise")], [0, 1, 2])
        environment = session.of("environment")[-1]
        self.assertGreater(environment["roof_flops_per_second"], 1e8)
        self.assertGreater(environment["roof_bytes_per_second"], 1e8)
        self.assertGreater(environment["copy_bytes_per_second"], 1e8)
        self.assertGreaterEqual(environment["peak_flops_per_second"], environment["roof_flops_per_second"])
        self.assertIn("MKL", environment["libtorch_build"])
        self.assertTrue(environment["cpu_list"])
        self.assertEqual(bool(environment["energy"]), not session.of("energy"), "measured, or why not")
        self.assertEqual([line["implementation"] for line in session.of("resident")], run)

    def test_a_heartbeat_comes_before_each_call(self):
        session = self.session(implementations=BOTH)
        self.assertEqual(session.finish(), 0)
        for position, line in enumerate(session.lines):
            if line["type"] not in ("checked", "sample"):
                continue
            before = session.lines[position - 1]
            self.assertEqual((before["type"], before["implementation"]), ("heartbeat", line["implementation"]))
            self.assertGreaterEqual(before["deadline_ns"], 10_000_000_000)

    def test_traces_open_in_viewers_and_name_the_stages(self):
        session = self.session(implementations=["naive.plain", "blockwise.aten"], noise_blocks=0, rounds=1,
                               problem=problem(kv_heads=1, dtype="bfloat16"))
        self.assertEqual(session.finish(), 0)
        self.assertEqual(sorted(os.listdir(session.folder)), ["A-naive.plain.json", "B-blockwise.aten.json"])
        for line in session.of("trace"):
            self.assertEqual(Path(line["path"]).parent, Path(session.folder))
            self.assertGreater(line["profiled_ns"], 0)
            text = Path(line["path"]).read_text()
            self.assertNotIn(session.folder, text)
            trace = json.loads(text)
            about = trace["attnscope"]
            self.assertEqual(about["implementation"], line["implementation"])
            self.assertEqual(about["problem"]["kv_heads"], 1)
            self.assertTrue(about["title"].startswith(("A ", "B ")))
            events = trace["traceEvents"]
            marks = [event["name"] for event in events if event.get("cat") == "user_annotation"]
            self.assertLessEqual({"attention", "scores", "mask", "softmax", "weighted_sum", "copy"}, set(marks))
            for step in range(3):
                self.assertEqual(marks.count(f"ProfilerStep#{step}"), 1)
            memory = [event for event in events if event["name"] == "[memory]"]
            self.assertTrue(any(event["args"]["Bytes"] > 0 for event in memory))
            self.assertTrue(any(event["args"]["Bytes"] < 0 for event in memory))
            self.assertTrue(any("Input Dims" in event.get("args", {}) for event in events))

    def test_backward_and_block(self):
        for changes in ({"pass": "forward-backward"}, {"workload": "block"},
                        {"workload": "block", "pass": "forward-backward"}):
            session = self.session(problem=problem(**changes), rounds=1, noise_blocks=0)
            self.assertEqual(session.finish(), 0, session.lines)
            self.assertEqual(len(session.of("checked")), 2)
            self.assertEqual(len(session.of("sample")), 2, session.lines)

    def test_a_continuation_goes_on_from_where_it_stopped(self):
        session = self.session(implementations=["sdpa.math", "sdpa.flash"], continuation={
            "first_round": 2, "first_noise_pair": 2, "with_trace": ["sdpa.math"], "letters": [0, 5]})
        self.assertEqual(session.finish(), 0)
        self.assertEqual({line["round"] for line in session.of("sample")}, {2})
        self.assertEqual([line["pair"] for line in session.of("noise")], [2])
        self.assertEqual(os.listdir(session.folder), ["F-sdpa.flash.json"])

    def test_cold_calls_are_few(self):
        session = self.session(cache="cold", rounds=1, noise_blocks=0, profile=False)
        self.assertEqual(session.finish(), 0)
        for sample in session.of("sample"):
            self.assertLessEqual(sample["calls"], 8)
        self.assertEqual(os.listdir(session.folder), [])

    def test_one_number_of_threads_for_all_pools(self):
        for threads in (1, 2):
            if threads > len(os.sched_getaffinity(0)):
                continue
            session = self.session(problem=problem(seq=512, kv_seq=512, heads=8, kv_heads=8), threads=threads,
                                   implementations=["naive.plain", "sdpa.flash", "blockwise.aten"], rounds=2,
                                   noise_blocks=0, profile=False)
            counts = set()
            while (message := session.next()) is not None:
                # Past the measured roofs, whose threads come and go, and before the last round, after which the process
                # may be gone by the time that it is looked at.
                if message["type"] == "sample" and message["round"] == 0:
                    counts.add(len(os.listdir(f"/proc/{session.process.pid}/task")))
            # The working thread, the one that waits for a cancel, and with more than one the others of two pools:
            # OpenMP's, which MKL and oneDNN share, and XNNPACK's, which LibTorch starts and leaves idle.
            self.assertEqual(counts, {2 + 2 * (threads - 1)})

    # --- Cancelling ---

    def test_a_cancel_in_each_phase_ends_at_once(self):
        for phase in ("allocate", "check", "warm-up", "time", "profile"):
            session = self.session(rounds=1000, warm_up_at_most_ns=20_000_000)
            if phase == "profile":
                session.close()
                session = self.session(rounds=1)
            session.until(type="phase", phase=phase)
            asked = time.monotonic()
            session.write({"type": "cancel"})
            self.assertEqual(session.finish(), 0, phase)
            self.assertEqual(session.lines[-1], {"type": "done", "cancelled": True}, phase)
            self.assertLess(time.monotonic() - asked, 10)

    def test_a_cancel_before_the_plan(self):
        session = self.session()
        session.write({"type": "cancel"})
        self.assertEqual(session.finish(), 0)
        self.assertEqual(session.lines[-1], {"type": "done", "cancelled": True})

    def test_the_end_of_the_input_is_a_cancel(self):
        session = self.session(rounds=100_000)
        session.until(type="sample")
        session.process.stdin.close()
        while session.next() is not None:
            pass
        self.assertEqual(session.process.wait(LINE_WITHIN_S), 0)
        self.assertEqual(session.lines[-1], {"type": "done", "cancelled": True})

    def test_a_reader_that_is_gone_ends_the_run(self):
        session = self.session(rounds=100_000)
        session.until(type="sample")
        session.process.stdout.close()
        self.assertEqual(session.process.wait(LINE_WITHIN_S), 0)

    # --- What goes wrong ---

    def test_a_crash_leaves_the_heartbeat_of_the_offender_last(self):
        for phase, action, status in (("allocate", "crash", -signal.SIGSEGV), ("check", "abort", -signal.SIGABRT),
                                      ("warm-up", "exit", 1), ("time", "crash", -signal.SIGSEGV),
                                      ("profile", "crash", -signal.SIGSEGV)):
            session = self.hooked("sdpa.flash", phase, action, round=1)
            self.assertEqual(session.finish(), status, phase)
            last = session.lines[-1]
            self.assertEqual((last["type"], last["implementation"]), ("heartbeat", "sdpa.flash"), phase)
            self.assertEqual([name for name in os.listdir(session.folder) if "flash" in name], [])

    def test_a_hung_call_is_silent_after_its_heartbeat(self):
        session = self.hooked("sdpa.flash", "time", "hang", round=1)
        while session.next(within_s=5) is not None:
            pass
        self.assertIsNone(session.process.poll())
        self.assertEqual(session.lines[-1]["type"], "heartbeat")
        self.assertEqual(session.lines[-1]["implementation"], "sdpa.flash")
        session.process.terminate()
        self.assertEqual(session.process.wait(LINE_WITHIN_S), -signal.SIGTERM)

    def test_one_that_runs_out_of_memory_ends_alone(self):
        for phase, budget in (("allocate", 1 << 30), ("check", 0), ("time", 1 << 30), ("profile", 1 << 30)):
            session = self.hooked("naive.plain", phase, "out-of-memory", memory_budget_bytes=budget, rounds=1)
            self.assertEqual(session.finish(), 0, session.lines)
            failure, = session.of("failure")
            self.assertEqual((failure["implementation"], failure["phase"]), ("naive.plain", phase))
            self.assertTrue(failure["reason"].startswith("ran out of memory: asked for "), failure)
            if budget:
                self.assertIn("the budget is 1.0 GiB", failure["reason"])
            self.assertEqual(len(session.of("trace", implementation="sdpa.flash")), 1)

    def test_the_budget_holds_for_real_tensors(self):
        session = self.session(problem=problem(heads=1, kv_heads=1, seq=8192, kv_seq=8192, **{"pass": "forward-backward"}),
                               rounds=1, profile=False, noise_blocks=0, memory_budget_bytes=700 << 20, over_budget=True)
        self.assertEqual(session.finish(), 0, session.lines)
        failure, = session.of("failure")
        self.assertEqual((failure["implementation"], failure["phase"]), ("naive.plain", "check"))
        self.assertEqual(failure["reason"], "ran out of memory: asked for 256.0 MiB, the budget is 700.0 MiB")
        self.assertEqual(len(session.of("sample", implementation="sdpa.flash")), 1)

    def test_what_does_not_fit_is_tried_on_demand(self):
        for heads, wanted in ((4, "forward"), (1, "forward-backward")):
            large = problem(heads=heads, kv_heads=heads, seq=8192, kv_seq=8192, **{"pass": wanted})
            plan = {"problem": large, "implementations": ["naive.plain"], "rounds": 1, "profile": False,
                    "noise_blocks": 0, "memory_budget_bytes": 1 << 30}
            session = self.session(**plan)
            session.finish()
            failure, = session.of("failure", implementation="naive.plain")
            self.assertEqual(failure["phase"], "allocate")
            self.assertIn("--over-budget", failure["reason"])
            session = self.session(**plan, over_budget=True)
            session.finish()
            failure, = session.of("failure", implementation="naive.plain")
            self.assertEqual(failure["phase"], "check")
            self.assertIn("ran out of memory: asked for", failure["reason"])

    # --- What it runs on ---

    def test_two_that_time_at_once_are_warned(self):
        lease = Path(os.environ.get("XDG_RUNTIME_DIR") or tempfile.gettempdir())
        if not lease.is_dir():
            lease = Path(tempfile.gettempdir())
        with open(lease / f"attnscope-timing-{os.getuid()}", "w", encoding="utf-8") as held:
            fcntl.flock(held, fcntl.LOCK_EX)
            session = self.session(profile=False, rounds=1)
            self.assertEqual(session.finish(), 0)
        self.assertTrue(any("both suffer" in line["text"] for line in session.of("warning")), session.of("warning"))

    def test_it_keeps_to_the_cpus_of_the_plan(self):
        cpu = min(os.sched_getaffinity(0))
        session = self.session(cpus=[cpu], profile=False, rounds=1)
        self.assertEqual(session.finish(), 0)
        self.assertEqual(session.of("environment")[0]["cpu_list"], str(cpu))
        session = self.session(cpus=[100000])
        self.assertEqual(session.finish(), 2)
        self.assertIn("choose among", session.of("failure")[0]["reason"])

    def test_a_mask_comes_from_its_file(self):
        path = Path(self.folder.name, "mask.npy")
        header = b"{'descr': '|b1', 'fortran_order': False, 'shape': (64, 64), }\n"
        path.write_bytes(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header +
                         bytes((row * 7 + column) % 3 != 0 for row in range(64) for column in range(64)))
        masked = problem(mask={"kind": "file", "path": str(path)})
        session = self.session(problem=masked, implementations=["naive.plain", "sparse.blocks"], profile=False, rounds=1)
        self.assertEqual(session.finish(), 0, session.lines)
        self.assertEqual(len(session.of("checked")), 2)
        for line in session.of("checked"):
            self.assertLessEqual(line["error"]["relative_l2"], line["error"]["limit"])
        path.unlink()
        session = self.session(problem=masked)
        self.assertEqual(session.finish(), 2)
        self.assertIn("could not be opened", session.of("failure")[0]["reason"])

    # --- The person's own code ---

    def test_own_code_runs_after_a_yes(self):
        code = {"script": "def attention(q, k, v, mask: Optional[Tensor]):\n"
                          "    return torch.scaled_dot_product_attention(q, k, v, mask)\n", "allowed": True}
        session = self.session(implementations=["sdpa.flash", "byo.script"], code=code)
        self.assertEqual(session.finish(), 0, session.lines)
        self.assertEqual(len(session.of("sample", implementation="byo.script")), 3)
        trace = json.loads(Path(session.of("trace", implementation="byo.script")[0]["path"]).read_text())
        self.assertTrue(any("scaled_dot_product" in event.get("name", "") for event in trace["traceEvents"]))
        session = self.session(implementations=["sdpa.flash", "byo.script"], code=code | {"allowed": False})
        session.finish()
        self.assertIn("your yes", session.of("refused")[0]["reason"])
        session = self.session(implementations=["sdpa.flash", "byo.script"], code=code | {"script": "def attention(q:"})
        session.finish()
        self.assertEqual(session.of("failure")[0]["implementation"], "byo.script")

    def test_a_wrong_result_is_not_timed(self):
        session = self.hooked("sdpa.flash", "check", "wrong-result")
        self.assertEqual(session.finish(), 0)
        error = session.of("checked", implementation="sdpa.flash")[0]["error"]
        self.assertGreater(error["relative_l2"], error["limit"])
        self.assertEqual(session.of("sample", implementation="sdpa.flash"), [])
        self.assertEqual(len(session.of("sample", implementation="naive.plain")), 3)

    def test_nothing_left_is_a_failed_run(self):
        session = self.session(implementations=["window.blocks", "sdpa.cudnn", "no.such"])
        self.assertEqual(session.finish(), 4)
        self.assertEqual(len(session.of("refused")), 3)
        self.assertEqual((session.lines[-1]["type"], session.lines[-1]["implementation"]), ("failure", None))

    def test_hooks_are_ignored_where_nobody_asked_for_them(self):
        hook = {"implementation": "sdpa.flash", "phase": "check", "round": 0, "action": "crash"}
        session = self.session(test_hooks=[hook], rounds=1)
        self.assertEqual(session.finish(), 0)

    def test_a_trace_that_cannot_be_written(self):
        (Path(self.folder.name) / "A-naive.plain.json").mkdir()
        session = self.session(rounds=1)
        self.assertEqual(session.finish(), 0)
        failure, = session.of("failure")
        self.assertEqual((failure["implementation"], failure["phase"]), ("naive.plain", "profile"))
        self.assertIn("could not be written", failure["reason"])
        self.assertEqual(len(session.of("trace")), 1)

    def test_a_plan_that_cannot_be_run_is_exit_2(self):
        plan = {"problem": problem(), "implementations": BOTH, "trace_folder": self.folder.name}
        invalid = problem(kv_heads=3, heads=4)
        for line, said in (("no JSON", ""), ("{}", ""), (json.dumps({"type": "sing"}), "sing"),
                           (json.dumps({"type": "plan", "protocol": 99, "plan": plan}), "99"),
                           (json.dumps({"type": "plan", "protocol": 1, "plan": {}}), ""),
                           (plan | {"problem": invalid}, "--kv-heads"), (plan | {"device": "cuda:0"}, "cuda:0"),
                           (plan | {"implementations": []}, "no implementation"), (plan | {"threads": 4096}, "4096"),
                           (plan | {"trace_folder": self.folder.name + "/absent"}, "absent"),
                           (plan | {"memory_budget_bytes": 1 << 20}, "1 MiB")):
            session = self.session()
            session.write(line if isinstance(line, str) else {"type": "plan", "protocol": 1, "plan": line})
            self.assertEqual(session.finish(), 2, (line, session.lines))
            self.assertEqual([message["type"] for message in session.lines], ["hello", "failure"], line)
            self.assertIsNone(session.lines[-1]["implementation"])
            self.assertIn(said, session.lines[-1]["reason"])

    def test_no_plan_at_all(self):
        session = self.session()
        session.process.stdin.close()
        while session.next() is not None:
            pass
        self.assertEqual(session.process.wait(LINE_WITHIN_S), 2)


if __name__ == "__main__":
    unittest.main()
