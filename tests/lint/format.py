#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""format.py ROOT: clang-format 14 on the C++ sources that git tracks; exits 1 where one differs, 77 without it."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

from rooms import House

MAJOR = 14  # another version formats differently
NOT_RUN = 77


def formatter():
    for name in (f"clang-format-{MAJOR}", "clang-format"):
        path = shutil.which(name)
        if not path:
            continue
        version = subprocess.run([path, "--version"], capture_output=True, text=True).stdout
        match = re.search(r"version (\d+)", version)
        if match and int(match.group(1)) == MAJOR:
            return path
    return None


def badly_formatted(program, files):
    """`file:line` of the first place in each of those that differ."""
    if not files:
        return []
    run = subprocess.run([program, "--dry-run", "-Werror", "--style=file", *map(str, files)], capture_output=True,
                         text=True)
    places = {}
    for match in re.finditer(r"^(.+?):(\d+):\d+: error: ", run.stderr, re.MULTILINE):
        places.setdefault(match.group(1), match.group(2))
    if run.returncode and not places:
        return [run.stderr.strip()]
    return [f"{file}:{line}" for file, line in places.items()]


def main():
    root = Path(sys.argv[1]).resolve()
    program = formatter()
    if not program:
        print(f"The format was not checked: there is no clang-format {MAJOR}.")
        return NOT_RUN
    files = [root / name for name in House(root).sources()]
    places = badly_formatted(program, files)
    if places:
        print("These are not formatted as .clang-format says, from the line given:")
        print("\n".join(places))
        print(f"Format them with: {Path(program).name} -i FILE")
        return 1
    print(f"{len(files)} sources are formatted.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
