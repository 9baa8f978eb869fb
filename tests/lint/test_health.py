#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every code that a trace's health can hold stands in core/trace/README.md, with its severity, and no other does."""

import re
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NOTE = re.compile(r'\bnote\(\s*"([a-z0-9-]+\.[a-z0-9-]+)",\s*Severity::k(\w+)')
CODE = re.compile(r"`([a-z0-9-]+\.[a-z0-9-]+)`")


def noted():
    """{code: severities} of all calls in core/."""
    codes = {}
    for source in sorted((ROOT / "core").rglob("*.cpp")):
        for code, severity in NOTE.findall(source.read_text(encoding="utf-8")):
            codes.setdefault(code, set()).add(severity.lower())
    return codes


def listed():
    """{code: severities} of the table under "Health codes"."""
    codes = {}
    text = (ROOT / "core/trace/README.md").read_text(encoding="utf-8").split("## Health codes")[1]
    for row in text.splitlines():
        cells = [cell.strip() for cell in row.split("|")[1:-1]]
        if len(cells) != 3:
            continue
        names = CODE.findall(cells[0])
        severities = set(re.findall(r"info|repaired|lost", cells[1]))
        for name in names:
            codes[name] = severities
    return codes


class HealthCodes(unittest.TestCase):
    def test_all_are_listed(self):
        self.assertEqual(sorted(noted()), sorted(listed()))

    def test_severities_are_those_of_the_list(self):
        for code, severities in noted().items():
            with self.subTest(code=code):
                self.assertEqual(severities, listed().get(code))

    def test_calls_are_found(self):
        self.assertGreater(len(noted()), 40)
        self.assertEqual(noted()["json.cut"], {"lost", "repaired"})


if __name__ == "__main__":
    unittest.main()
