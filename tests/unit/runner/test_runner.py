# SPDX-License-Identifier: Apache-2.0
"""test_runner.py PROGRAM: what attnscope-runner prints and how it exits."""

import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

RUNNER = sys.argv.pop(1)


def run(*arguments):
    return subprocess.run([RUNNER, *arguments], capture_output=True, text=True, timeout=60)


class Runner(unittest.TestCase):
    def test_version(self):
        answer = run("--version")
        self.assertEqual((answer.returncode, answer.stderr), (0, ""))
        self.assertRegex(answer.stdout, r"^attnscope-runner \d+\.\d+\.\d+\n$")

    def test_describe(self):
        answer = run("describe")
        self.assertEqual((answer.returncode, answer.stderr), (0, ""))
        facts = json.loads(answer.stdout)
        self.assertEqual(facts["schema"], "attnscope/1")
        self.assertEqual(facts["libtorch"], "2.11.0")
        self.assertIs(facts["kineto"], True)
        self.assertGreaterEqual(facts["threads"], 1)
        devices = {device["id"]: device for device in facts["devices"]}
        self.assertEqual(devices["cpu"], {"id": "cpu", "available": True, "reason": None})
        self.assertFalse(devices["cuda"]["available"])
        self.assertTrue(devices["cuda"]["reason"])
        self.assertLessEqual({"naive.plain", "sdpa.flash"}, {entry["id"] for entry in facts["implementations"]})

    def test_describe_lists_every_card_with_the_reason(self):
        facts = json.loads(run("describe").stdout)
        entries = {entry["id"]: entry for entry in facts["implementations"]}
        self.assertTrue(entries["blockwise.aten"]["available"])
        self.assertIsNone(entries["blockwise.aten"]["reason"])
        self.assertFalse(entries["sdpa.cudnn"]["available"])
        self.assertTrue(entries["sdpa.cudnn"]["reason"])
        self.assertNotIn("sdpa_choice", facts)

    def test_describe_asks_libtorch_about_a_problem(self):
        shape = {"heads": 4, "kv_heads": 4, "seq": 100, "kv_seq": 100, "head_dim": 32, "value_head_dim": 48,
                 "mask": {"kind": "none"}}
        answer = subprocess.run([RUNNER, "describe", "--problem", "-"], input=json.dumps(shape), capture_output=True,
                                text=True, timeout=60)
        self.assertEqual((answer.returncode, answer.stderr), (0, ""))
        facts = json.loads(answer.stdout)
        self.assertEqual(facts["problem"]["value_head_dim"], 48)
        self.assertEqual(facts["sdpa_choice"]["backend"], "math")
        against = {refusal["backend"]: refusal["reason"] for refusal in facts["sdpa_choice"]["against"]}
        self.assertEqual(set(against), {"flash", "efficient", "cudnn"})
        self.assertIn("last dimension", against["flash"])
        entries = {entry["id"]: entry for entry in facts["implementations"]}
        self.assertFalse(entries["sdpa.flash"]["available"])
        self.assertTrue(entries["sdpa.math"]["available"])

    def test_describe_refuses_what_is_no_problem(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "problem.json"
            for text, code in (("no JSON", 3), ("[1]", 3), ('{"heads": "many"}', 3), ('{"heads": 3, "kv_heads": 2}', 2)):
                file.write_text(text)
                answer = run("describe", "--problem", str(file))
                self.assertEqual((answer.returncode, answer.stdout), (code, ""), text)
                self.assertEqual(answer.stderr.count("\n"), 1, answer.stderr)
            self.assertEqual(run("describe", "--problem", folder + "/absent").returncode, 3)

    def test_record_sample(self):
        with tempfile.TemporaryDirectory() as folder:
            answer = run("record-sample", folder)
            self.assertEqual((answer.returncode, answer.stderr), (0, ""))
            traces = json.loads(answer.stdout)["traces"]
            self.assertEqual([trace["title"] for trace in traces], ["Naive attention", "SDPA flash"])
            for trace in traces:
                text = Path(trace["file"]).read_text()
                self.assertLess(len(text), 600_000)
                self.assertNotIn(folder, text)
                self.assertEqual(json.loads(text)["attnscope"]["title"], trace["title"])

    def test_wrong_use_is_one_line_and_exit_2(self):
        for arguments in ([], ["fly"], ["describe", "--loudly"], ["record-sample"], ["record-sample", "absent"]):
            answer = run(*arguments)
            self.assertEqual((answer.returncode, answer.stdout), (2, ""), arguments)
            self.assertEqual(answer.stderr.count("\n"), 1, answer.stderr)
            self.assertTrue(answer.stderr.startswith("attnscope-runner: "), answer.stderr)

    def test_a_trace_that_cannot_be_written_is_exit_3(self):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "naive.json").mkdir()
            answer = run("record-sample", folder)
            self.assertEqual((answer.returncode, answer.stdout), (3, ""))
            self.assertIn("naive.json could not be written", answer.stderr)


if __name__ == "__main__":
    unittest.main()
