# SPDX-License-Identifier: Apache-2.0
"""What ./dev runs, and what it says when its set-up cannot be done: one line with what to do, and an exit code that is
not 0.

Nothing is fetched or built: wheels of a few bytes made here stand for LibTorch, a small folder of programs for a machine,
and programs that print their arguments for those of Attnscope.
"""

import base64
import hashlib
import os
import shutil
import subprocess
import tempfile
import unittest
import zipfile
from pathlib import Path

DEV = Path(__file__).resolve().parents[2] / "dev"
# What ./dev calls before it installs anything; the machines made here have these and no more.
TOOLS = ["bash", "env", "dirname", "nproc", "mkdir", "rm", "mv", "cat", "cut", "grep", "sed", "awk", "tail", "id", "df",
         "uname", "flock", "sha256sum", "basename"]
CONTENTS = {
    "torch": ["torch/lib/libc10.so", "torch/lib/libtorch_cpu.so", "torch/lib/libgomp.so.1", "torch/include/ATen/ATen.h",
              "torch/lib/libtorch_cuda.so", "torch/test.py"],
    "nvidia-cuda-runtime": ["nvidia/cu13/lib/libcudart.so.13", "nvidia/cu13/lib/libcudart_static.a"],
    "nvidia-cuda-cupti": ["nvidia/cu13/lib/libcupti.so.13"],
}


def make_wheel(folder, name, files):
    """A wheel that pip accepts; its sha256."""
    module = name.replace("-", "_")
    info = f"{module}-1.0.dist-info"
    texts = {file: f"{file}\n" for file in files}
    texts[f"{info}/METADATA"] = f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n"
    texts[f"{info}/WHEEL"] = "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    texts[f"{info}/licenses/LICENSE"] = "of the test\n"
    record = ""
    for path, text in texts.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()
        record += f"{path},sha256={digest},{len(text)}\n"
    texts[f"{info}/RECORD"] = record + f"{info}/RECORD,,\n"
    path = folder / f"{module}-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as wheel:
        for name_in_wheel, text in texts.items():
            wheel.writestr(name_in_wheel, text)
    return hashlib.sha256(path.read_bytes()).hexdigest()


class SetUp(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.deps = self.folder / "deps"
        self.wheels = self.folder / "source"
        self.wheels.mkdir()
        self.hashes = {name: make_wheel(self.wheels, name, files) for name, files in CONTENTS.items()}

    def requirements(self, hashes):
        path = self.folder / "requirements.txt"
        path.write_text("# of the test\n" +
                        "".join(f"{name}==1.0 --hash=sha256:{value}\n" for name, value in hashes.items()))
        return path

    def dev(self, *arguments, hashes=None, **variables):
        environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("PIP_")},
            "ATTNSCOPE_SETUP": "libtorch",
            "ATTNSCOPE_DEPS": str(self.deps),
            "ATTNSCOPE_DISK_NEEDED_MB": "1",
            "ATTNSCOPE_REQUIREMENTS": str(self.requirements(hashes or self.hashes)),
            "PIP_NO_INDEX": "1",
            "PIP_FIND_LINKS": str(self.wheels),
            "PIP_CONFIG_FILE": os.devnull,
            **variables,
        }
        return subprocess.run([str(DEV), *(arguments or ["setup"])], env=environment, capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, timeout=60)

    def machine(self, programs, without=()):
        """PATH of a machine that has TOOLS less `without`, and `programs`: {name: bash text}."""
        folder = self.folder / "bin"
        folder.mkdir(exist_ok=True)
        for tool in TOOLS:
            found = [p for p in os.environ["PATH"].split(os.pathsep) if os.access(os.path.join(p, tool), os.X_OK)]
            if tool not in programs and tool not in without:
                (folder / tool).symlink_to(os.path.join(found[0], tool))
        for name, text in programs.items():
            (folder / name).write_text(f"#!/bin/bash\n{text}\n")
            (folder / name).chmod(0o755)
        return {"PATH": str(folder), "ATTNSCOPE_SETUP": "all"}

    def assert_one_line(self, run, *words):
        self.assertNotEqual(run.returncode, 0)
        self.assertEqual(run.stderr.count("\n"), 1, run.stderr)
        self.assertTrue(run.stderr.startswith("dev: "), run.stderr)
        for word in words:
            self.assertIn(word, run.stderr)

    def test_set_up_unpacks_what_is_needed_and_is_quiet_then(self):
        run = self.dev()
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        site = self.deps / "site"
        self.assertTrue((site / "torch/lib/libtorch_cpu.so").is_file())
        self.assertTrue((site / "nvidia/cu13/lib/libcudart.so.13").is_file())
        self.assertTrue((site / "torch-1.0.dist-info/licenses/LICENSE").is_file())
        for absent in ("torch/lib/libtorch_cuda.so", "torch/test.py", "nvidia/cu13/lib/libcudart_static.a"):
            self.assertFalse((site / absent).exists(), absent)
        self.assertFalse((self.deps / "wheels").exists())
        again = self.dev()
        self.assertEqual((again.returncode, again.stdout, again.stderr), (0, "", ""))

    def test_what_was_left_half_done_does_not_pass_for_done(self):
        (self.deps / "site/torch/lib").mkdir(parents=True)  # no stamp: it was not finished
        (self.deps / "site.part/torch").mkdir(parents=True)
        (self.deps / "wheels/part").mkdir(parents=True)
        (self.deps / "wheels/torch-1.0-py3-none-any.whl").write_text("the first half")
        self.assertEqual(self.dev().returncode, 0)
        self.assertTrue((self.deps / "site/torch/lib/libc10.so").is_file())

    def test_a_wheel_that_was_fetched_is_not_fetched_again(self):
        wrong = {**self.hashes, "nvidia-cuda-cupti": "0" * 64}
        self.assertNotEqual(self.dev(hashes=wrong).returncode, 0)
        (self.wheels / "torch-1.0-py3-none-any.whl").unlink()
        run = self.dev()
        self.assertEqual((run.returncode, run.stderr), (0, ""))

    def test_wrong_hash(self):
        run = self.dev(hashes={**self.hashes, "torch": "0" * 64})
        self.assert_one_line(run, "torch==1.0", "sha256", "./dev setup")
        self.assertFalse((self.deps / "site").exists())

    def test_no_network(self):
        run = self.dev(PIP_NO_INDEX="", PIP_FIND_LINKS="", PIP_INDEX_URL="http://127.0.0.1:9/simple", PIP_RETRIES="0")
        self.assert_one_line(run, "no network", "./dev setup", "./dev run --viewer")

    def test_full_disk(self):
        self.assert_one_line(self.dev(ATTNSCOPE_DISK_NEEDED_MB="999999999"), "the disk is full", "999999999 MB")

    def with_unzip(self, text):
        """PATH with an unzip of the test before the real one."""
        folder = self.folder / "unzip"
        folder.mkdir(exist_ok=True)
        (folder / "unzip").write_text(f"#!/bin/bash\n{text}\n")
        (folder / "unzip").chmod(0o755)
        return {"PATH": f"{folder}:{os.environ['PATH']}"}

    def test_disk_that_fills_while_unpacking(self):
        run = self.dev(**self.with_unzip("echo 'torch.so: write error (disk full?). No space left on device' >&2; exit 50"))
        self.assert_one_line(run, "the disk is full", "torch-1.0", "./dev setup")
        self.assertFalse((self.deps / "site").exists())
        self.assertFalse((self.deps / "site.part").exists())
        self.assertEqual(self.dev().returncode, 0)

    def test_interrupted_while_unpacking_it_goes_on_without_fetching_again(self):
        run = self.dev(**self.with_unzip("kill -KILL $(awk '{print $4}' /proc/$PPID/stat) $PPID"))
        self.assertEqual(run.returncode, -9)
        self.assertFalse((self.deps / "site").exists())
        for wheel in self.wheels.glob("*.whl"):
            wheel.unlink()
        run = self.dev()
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        self.assertTrue((self.deps / "site/torch/lib/libtorch_cpu.so").is_file())

    def test_no_sudo(self):
        run = self.dev(**self.machine({"id": "echo 1000", "dpkg-query": "exit 1", "apt-get": "exit 1"}))
        self.assert_one_line(run, "no sudo", "as root", "apt-get install", "qt6-base-dev")

    def test_sudo_refused(self):
        run = self.dev(**self.machine({"id": "echo 1000", "dpkg-query": "exit 1", "apt-get": "exit 1",
                                       "sudo": "echo 'sudo: a password is required' >&2; exit 1"}))
        self.assert_one_line(run, "sudo was refused", "as root", "apt-get install")

    def test_no_mirror_of_debian(self):
        run = self.dev(**self.machine({
            "id": "echo 0", "dpkg-query": "exit 1",
            "apt-get": "echo \"E: Failed to fetch http://mirror: Temporary failure resolving 'mirror'\" >&2; exit 100",
        }))
        self.assert_one_line(run, "no network", "Debian packages")
        self.assertIn("Installing Debian packages: g++ ", run.stdout)

    def test_no_compiler(self):
        self.assert_one_line(self.dev(**self.machine({}), CXX="c++-of-nowhere"), "c++-of-nowhere is missing")

    def test_wrong_use(self):
        self.assert_one_line(self.dev("biuld"), "no command biuld", "./dev help")
        self.assert_one_line(self.dev("build", "fast"), "no preset fast")
        self.assert_one_line(self.dev("run", "--fast"), "no option --fast")
        self.assert_one_line(self.dev("run", "absent.json"), "no file absent.json")


class Run(unittest.TestCase):
    """./dev in a folder whose programs are built: ninja has nothing to do, and the programs print their arguments."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        shutil.copy(DEV, self.root)
        (self.root / "CMakePresets.json").write_text((DEV.parent / "CMakePresets.json").read_text())
        for preset in ("release", "no-torch"):
            (self.root / "build" / preset / "bin").mkdir(parents=True)
            (self.root / "build" / preset / "build.ninja").write_text("")
            for name in ("attnscope", "attnscope-cli"):
                self.program(self.root / "build" / preset / "bin" / name, f'echo "{preset}/{name} $*"')
        (self.root / "bin").mkdir()
        self.program(self.root / "bin/ninja", "exit 0")
        # Set up: no package is missing, and LibTorch is there.
        self.program(self.root / "bin/dpkg-query", 'for name in "$@"; do echo "installed $name"; done')
        (self.root / "core/engine").mkdir(parents=True)
        (self.root / "core/engine/requirements.txt").write_text("")
        (self.root / ".deps/site").mkdir(parents=True)
        (self.root / ".deps/site/stamp").write_text(hashlib.sha256(b"").hexdigest()[:16] + "-1\n")
        for name in ("a.json", "b.json"):
            (self.root / name).write_text("{}")

    @staticmethod
    def program(path, text):
        path.write_text(f"#!/bin/bash\n{text}\n")
        path.chmod(0o755)

    def dev(self, *arguments, **variables):
        environment = {name: value for name, value in os.environ.items()
                       if name not in ("DISPLAY", "WAYLAND_DISPLAY") and not name.startswith("ATTNSCOPE_")}
        environment["PATH"] = f"{self.root}/bin:{environment['PATH']}"
        run = subprocess.run(["./dev", *arguments], cwd=self.root, env={**environment, **variables},
                             capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=60)
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        return run.stdout.replace(f"{self.root}/", "").splitlines()

    def test_without_a_display_the_sample_plan_is_run_and_compared(self):
        self.program(self.root / "build/release/bin/attnscope-runner", "exit 1")  # the command line starts it
        session = "out/comparison.attn"
        self.assertEqual(self.dev("run"), [
            "release/attnscope-cli run "
            "--impl naive.plain,naive.inplace,sdpa.math,sdpa.flash,blockwise.aten,own.fused,window.blocks "
            f"--heads 8 --seq 1024 --head-dim 64 --window 256 -o {session}",
            "",
            f"release/attnscope-cli compare {session} --top 20",
            f"release/attnscope {session} --view compare --size 1920x1080 --capture out/comparison.png",
            "",
            "There is no display: the window's compare view was drawn into out/comparison.png.",
        ])

    def test_without_a_runner_the_sample_traces_are_compared(self):
        sample = "resources/sample/naive.json resources/sample/flash.json"
        for preset, arguments in (("release", ["run"]), ("no-torch", ["run", "--viewer"])):
            self.assertEqual(self.dev(*arguments), [
                f"{preset}/attnscope-cli compare {sample} --top 20",
                f"{preset}/attnscope {sample} --view compare --size 1920x1080 --capture out/comparison.png",
                "",
                "There is no display: the window's compare view was drawn into out/comparison.png.",
            ])

    def test_no_compiler_where_cmake_looks_for_it(self):
        folder = self.root / "build/debug"
        self.program(self.root / "bin/cmake", "mkdir -p build/debug/CMakeFiles; touch build/debug/CMakeCache.txt\n"
                     "echo 'CMake Error: No CMAKE_CXX_COMPILER could be found.' >&2; exit 1")
        run = subprocess.run(["./dev", "build", "debug"], cwd=self.root, capture_output=True, text=True, timeout=60,
                             env={**os.environ, "PATH": f"{self.root}/bin:{os.environ['PATH']}"})
        self.assertEqual(run.returncode, 1)
        self.assertEqual(run.stderr.count("\n"), 1, run.stderr)
        self.assertIn("there is no C++ compiler: install g++ 12 or later", run.stderr)
        self.assertFalse((folder / "CMakeCache.txt").exists())

    def test_files_take_the_place_of_the_sample(self):
        self.program(self.root / "build/release/bin/attnscope-runner", "exit 1")
        self.assertEqual(self.dev("run", "a.json", "b.json")[0],
                         "release/attnscope-cli compare a.json b.json --top 20")
        self.assertEqual(self.dev("run", "a.json")[:2], [
            "release/attnscope-cli info a.json",
            "release/attnscope a.json --view timeline --size 1920x1080 --capture out/timeline.png",
        ])
        (self.root / "c.attn").write_text("")
        self.assertEqual(self.dev("run", "c.attn")[:2], [
            "release/attnscope-cli compare c.attn --top 20",
            "release/attnscope c.attn --view compare --size 1920x1080 --capture out/comparison.png",
        ])

    def test_with_a_display_the_window_opens(self):
        self.assertEqual(self.dev("run", DISPLAY=":9"), ["release/attnscope "])
        self.assertEqual(self.dev("run", "a.json", WAYLAND_DISPLAY="wayland-0"), ["release/attnscope a.json"])

    def test_the_viewer_is_built_without_libtorch(self):
        shutil.rmtree(self.root / ".deps")
        self.assertEqual(self.dev("run", "--viewer", DISPLAY=":9"), ["no-torch/attnscope "])


if __name__ == "__main__":
    unittest.main()
