#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The rules of the house: rooms.py ROOT [--build FOLDER] prints each violation as `file:line: rule: what` and exits 1.

Reads what is really included and linked, in the files that git tracks (all files where there is no git).
With --build also the link lines that CMake generated there.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

# What each room of core/ may see, one step; what those see it may see too.
CORE = {
    "base": [],
    "trace": ["base"],
    "import": ["trace"],
    "export": ["trace"],
    "index": ["trace"],
    "problem": ["base"],
    "session": ["problem"],
    "analysis": ["trace", "problem"],
    "compare": ["analysis", "session"],
    "findings": ["compare"],
    "report": ["findings"],
    "engine": ["session", "trace", "export", "kernels"],
    "kernels": ["base"],  # core/engine/kernels: linked with the engine, and free of LibTorch
}
INNER = {"core/engine/kernels/": ("core", "kernels")}  # rooms that lie in another
RUNNERS_ALONE = ("engine", "kernels")  # what computes runs in the runner's process
UI_SHARED = ["bridge", "theme"]  # what each room of ui/ may see; shell sees all of them

SOURCES = {".cpp", ".h", ".cu", ".cuh"}
SCRIPTS = {".py", ".sh", ".cmake"}
TEXT = SOURCES | SCRIPTS | {".txt", ".md", ".json", ".yml", ".yaml", ".qrc", ".svg", ".qss", ".desktop", ".xml", ""}
MAX_BYTES = 1_000_000
MADE = {".git", ".deps", ".cache", "build", "out"}  # not in git
GPL = ("ui/", "app/gui/", "tests/ui/")

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(<[^>\n]+>|"[^"\n]+")', re.MULTILINE)
QT = re.compile(r"^(Q[A-Za-z]\w*|Qt\w+/.*|q[a-z]+\.h)$")
TORCH = re.compile(r"^(torch|ATen|c10|caffe2)/")
MACHINE = re.compile(r"(?<![\w.\-/])/(root|work)/")
TORCH_LIBRARY = re.compile(r"(^|/|\b)(lib)?(torch|torch_cpu|torch_cuda|c10|c10_cuda)(\.so)?\b")


def core_sees(room):
    seen, waiting = {room}, [room]
    while waiting:
        for other in CORE.get(waiting.pop(), []):
            if other not in seen:
                seen.add(other)
                waiting.append(other)
    return seen


def room_of(path):
    """core/trace/X.h -> ("core", "trace"); a file that is in no room -> None."""
    for folder, room in INNER.items():
        if path.startswith(folder):
            return room
    parts = path.split("/")
    return (parts[0], parts[1]) if len(parts) > 2 and parts[0] in ("core", "ui", "app") else None


def may_see(room, other):
    """Whether code of room ("ui", "charts") may include or link the room other."""
    if room == other:
        return True
    (house, name), (other_house, other_name) = room, other
    if other_house == "app":
        return False
    if house == "core":
        return other_house == "core" and other_name in core_sees(name)
    if house == "ui":
        if other_house == "core":
            return other_name not in RUNNERS_ALONE
        return name == "shell" or other_name in UI_SHARED
    # The programs: each may see what its licence and its purpose allow.
    if name == "gui":
        return other_house != "core" or other_name not in RUNNERS_ALONE
    return other_house == "core" and (name == "runner" or other_name not in RUNNERS_ALONE)


def house_of_torch(path):
    if path.startswith(tuple(INNER)):
        return False
    return path.startswith(("core/engine/", "tests/unit/engine/", "tests/device/", "tests/bench/kernels/"))


class House:
    def __init__(self, root):
        self.root = Path(root)
        self.files = self._files()
        self.violations = []
        self._texts = {}

    def _files(self):
        if (self.root / ".git").exists() and shutil.which("git"):
            # A clone may belong to somebody else than the person who checks it, as in a container.
            listed = subprocess.run(["git", "-c", "safe.directory=*", "-C", str(self.root), "ls-files", "-z"],
                                    check=True, capture_output=True)
            names = [name for name in listed.stdout.decode().split("\0") if name]
        else:
            tops = [top for top in self.root.iterdir() if top.name not in MADE]
            names = [str(p.relative_to(self.root)) for top in tops for p in [top, *top.rglob("*")]]
        return sorted(n for n in names if (self.root / n).is_file() and not (self.root / n).is_symlink())

    def text(self, path):
        if path not in self._texts:
            self._texts[path] = (self.root / path).read_text(encoding="utf-8", errors="replace")
        return self._texts[path]

    def report(self, path, position, rule, what):
        line = self.text(path).count("\n", 0, position) + 1 if position is not None else 1
        self.violations.append(f"{path}:{line}: {rule}: {what}")

    def sources(self):
        return [f for f in self.files if Path(f).suffix in SOURCES]


def included_room(house, path, name):
    """The room of an included header, as written from the root or relative to the file that includes it."""
    beside = os.path.normpath(os.path.join(os.path.dirname(path), name))
    return room_of(beside) if (house.root / beside).is_file() else room_of(name)


def check_includes(house):
    for path in house.sources():
        room = room_of(path)
        qt_at, torch_at = None, None
        for match in INCLUDE.finditer(house.text(path)):
            name, at = match.group(1)[1:-1], match.start()
            other = included_room(house, path, name)
            if room and other and not may_see(room, other):
                house.report(path, at, "room", f"{'/'.join(room)} may not see {'/'.join(other)} ({name})")
            if QT.match(name):
                qt_at = at
                if not path.startswith(("ui/", "app/gui/", "tests/")):
                    house.report(path, at, "qt", f"Qt belongs to ui/ and app/gui ({name})")
            if TORCH.match(name):
                torch_at = at
                if not house_of_torch(path):
                    house.report(path, at, "torch", f"LibTorch belongs to core/engine ({name})")
            if name.lower().endswith("qcustomplot.h") and not path.startswith("ui/charts/"):
                house.report(path, at, "qcustomplot", "QCustomPlot belongs to ui/charts")
            if re.match(r"^(cupti|nvperf)\w*\.h$", name) and not path.startswith("core/engine/recorders/"):
                house.report(path, at, "cupti", f"CUPTI belongs to core/engine/recorders ({name})")
        if qt_at is not None and torch_at is not None:
            house.report(path, qt_at, "torch", "a Qt header and a LibTorch header in one translation unit")


def cmake_calls(text):
    """(position, function, words) of each call that names libraries."""
    for match in re.finditer(r"^[ \t]*(attnscope_room|target_link_libraries)\s*\(([^)]*)\)", text, re.MULTILINE):
        body = re.sub(r"#[^\n]*", "", match.group(2))
        yield match.start(), match.group(1), body.split()


def room_of_target(name):
    match = re.match(r"^(core|ui)_(\w+)$", name)
    return (match.group(1), match.group(2)) if match else None


def check_link_lines(house):
    for path in house.files:
        if os.path.basename(path) != "CMakeLists.txt":
            continue
        room = room_of(path)
        if not room:
            continue
        for at, _, words in cmake_calls(house.text(path)):
            for word in words[1:]:
                other = room_of_target(word)
                if other and not may_see(room, other):
                    house.report(path, at, "room", f"{'/'.join(room)} may not link {word}")
                if word.startswith("Qt6::") and room[0] != "ui" and room != ("app", "gui"):
                    house.report(path, at, "qt", f"{'/'.join(room)} may not link {word}")
                if word in ("torch_cpu", "torch_cuda", "c10", "c10_cuda") and room != ("core", "engine"):
                    house.report(path, at, "torch", f"{'/'.join(room)} may not link {word}: core/engine does")
                if "qcustomplot" in word.lower() and room != ("ui", "charts"):
                    house.report(path, at, "qcustomplot", f"{'/'.join(room)} may not link {word}: ui/charts does")


# The libraries that a program must not be linked with, whatever road they came on.
FORBIDDEN = {
    "attnscope": {"torch": TORCH_LIBRARY, "room": re.compile(r"libcore_(engine|kernels)")},
    "attnscope-cli": {
        "torch": TORCH_LIBRARY,
        "room": re.compile(r"libcore_(engine|kernels)|libui_"),
        "qt": re.compile(r"Qt6"),
        "qcustomplot": re.compile(r"qcustomplot", re.IGNORECASE),
    },
    "attnscope-runner": {
        "room": re.compile(r"libui_"),
        "qt": re.compile(r"Qt6"),
        "qcustomplot": re.compile(r"qcustomplot", re.IGNORECASE),
    },
}


def check_programs(house, build):
    """The link lines of the three programs in the build.ninja that CMake wrote."""
    ninja = Path(build) / "build.ninja"
    blocks = re.split(r"\n(?=build )", ninja.read_text(encoding="utf-8", errors="replace"))
    for block in blocks:
        head = re.match(r"build bin/([\w-]+): \w*EXECUTABLE_LINKER", block)
        if not head or head.group(1) not in FORBIDDEN:
            continue
        line = re.search(r"^  LINK_LIBRARIES = (.*)$", block, re.MULTILINE)
        libraries = line.group(1).split() if line else []
        for rule, forbidden in FORBIDDEN[head.group(1)].items():
            for library in libraries:
                if not library.startswith("-Wl,") and forbidden.search(library):
                    house.violations.append(f"{head.group(1)}: {rule}: is linked with {library}")


def check_readmes(house):
    folders = {os.path.dirname(f) for f in house.files if Path(f).suffix in SOURCES | {".py", ".sh"}}
    for folder in sorted(folders):
        if folder and f"{folder}/README.md" not in house.files:
            house.violations.append(f"{folder}: readme: a folder with sources has no README.md")


def needs_licence(path):
    name = os.path.basename(path)
    return Path(path).suffix in SOURCES | SCRIPTS or name == "CMakeLists.txt" or path in ("dev", ".ci/run")


def check_licences(house):
    for path in house.files:
        if not needs_licence(path):
            continue
        head = "\n".join(house.text(path).split("\n")[:5])
        match = re.search(r"SPDX-License-Identifier: (\S+)", head)
        if not match:
            house.report(path, None, "licence", "no SPDX-License-Identifier in its first five lines")
            continue
        is_cmake = os.path.basename(path) == "CMakeLists.txt" or path.endswith(".cmake")
        allowed = {"GPL-3.0-or-later"} if path.startswith(GPL) else {"Apache-2.0"}
        if (is_cmake and path.startswith("ui/")) or path.startswith(("tests/unit/", "tests/bench/")):
            allowed = {"GPL-3.0-or-later", "Apache-2.0"}
        if match.group(1) not in allowed:
            house.report(path, None, "licence", f"{match.group(1)} here, where {' or '.join(sorted(allowed))} belongs")


def check_machine_paths(house):
    for path in house.files:
        if Path(path).suffix not in TEXT or path.startswith("LICENSES/"):
            continue
        for match in MACHINE.finditer(house.text(path)):
            house.report(path, match.start(), "machine", "a path of somebody's machine")


def check_sizes(house):
    for path in house.files:
        size = (house.root / path).stat().st_size
        if size > MAX_BYTES:
            house.violations.append(f"{path}: size: {size} bytes, and {MAX_BYTES} is the most that git should keep")


CHECKS = [check_includes, check_link_lines, check_readmes, check_licences, check_machine_paths, check_sizes]


def violations(root, build=None):
    house = House(root)
    for check in CHECKS:
        check(house)
    if build:
        check_programs(house, build)
    return house.violations


def main():
    parser = argparse.ArgumentParser(description="Checks the rules of the house.")
    parser.add_argument("root")
    parser.add_argument("--build", help="also check the link lines that CMake generated in this folder")
    arguments = parser.parse_args()
    found = violations(arguments.root, arguments.build)
    for line in found:
        print(line)
    if not found:
        print("The rules of the house are kept.")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
