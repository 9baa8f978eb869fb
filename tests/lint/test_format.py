# SPDX-License-Identifier: Apache-2.0
"""format.py finds a source that is not formatted."""

import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import format as lint_format  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]


@unittest.skipUnless(lint_format.formatter(), f"there is no clang-format {lint_format.MAJOR}")
class Format(unittest.TestCase):
    def places(self, text):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / ".clang-format").write_text((ROOT / ".clang-format").read_text())
            source = Path(folder) / "Source.cpp"
            source.write_text(text)
            return [place.rsplit(":", 1)[1] for place in lint_format.badly_formatted(lint_format.formatter(), [source])]

    def test_a_formatted_source_passes(self):
        self.assertEqual(self.places("int twice(int number) { return 2 * number; }\n"), [])

    def test_the_first_line_that_differs_is_named(self):
        self.assertEqual(self.places("int one();\nint twice(int number){\n  return   2*number; }\n"), ["2"])


if __name__ == "__main__":
    unittest.main()
