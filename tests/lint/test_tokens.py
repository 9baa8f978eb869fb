#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every icon, colour and size that the window's code asks the theme for by name stands in tokens.json."""

import json
import re
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TOKENS = json.loads((ROOT / "resources/theme/tokens.json").read_text(encoding="utf-8"))
ASKED = re.compile(r'\b(icon|iconPixmap|\w*heme\w*\.(?:colour|number|size))\(\s*(?:QStringLiteral\(|QLatin1String\()?"([\w.]+)"\)?\s*[,)]')


def found(root, path):
    for key in path.split("."):
        root = root.get(key) if isinstance(root, dict) else None
    return root is not None


def missing(source):
    """Names in a text of C++ that the theme does not have."""
    gone = []
    for call, name in ASKED.findall(source):
        kind = call.split(".")[-1]
        if kind in ("icon", "iconPixmap"):
            known = name in TOKENS["icons"]["paths"]
        elif kind == "size":
            known = found(TOKENS, "size." + name)
        else:
            known = found(TOKENS, name) or all(found(TOKENS[theme], name) for theme in ("light", "dark"))
        if not known:
            gone.append(f"{kind} {name}")
    return gone


class Tokens(unittest.TestCase):
    def test_all_that_are_asked_for_are_there(self):
        asked = 0
        for source in sorted((ROOT / "ui").rglob("*.cpp")):
            text = source.read_text(encoding="utf-8")
            self.assertEqual(missing(text), [], source)
            asked += len(ASKED.findall(text))
        self.assertGreater(asked, 100)

    def test_what_is_missing_is_found(self):
        self.assertEqual(missing('b->setIcon(m_theme.icon(QStringLiteral("no_such")));'), ["icon no_such"])
        self.assertEqual(missing('theme.colour("text.no_such")'), ["colour text.no_such"])
        self.assertEqual(missing('m_theme.size(QStringLiteral("no_such"))'), ["size no_such"])
        self.assertEqual(missing('m_theme.number(QStringLiteral("radius.chip"))'), [])


if __name__ == "__main__":
    unittest.main()
