# SPDX-License-Identifier: Apache-2.0
"""Each rule of rooms.py finds its violation in a small house that is otherwise in order."""

import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import rooms  # noqa: E402

APACHE = "// SPDX-License-Identifier: Apache-2.0\n"
GPL = "// SPDX-License-Identifier: GPL-3.0-or-later\n"
CMAKE = "# SPDX-License-Identifier: Apache-2.0\n"

ORDERLY = {
    "core/base/README.md": "# base\n",
    "core/base/Ids.h": APACHE + "#include <vector>\n",
    "core/base/CMakeLists.txt": CMAKE + "attnscope_room(core_base PUBLIC fmt::fmt)\n",
    "core/trace/README.md": "# trace\n",
    "core/trace/Trace.h": APACHE + '#include "core/base/Ids.h"\n',
    "core/trace/CMakeLists.txt": CMAKE + "attnscope_room(core_trace PUBLIC core_base)\n",
    "core/compare/README.md": "# compare\n",
    "core/compare/Comparison.h": APACHE + '#include "core/analysis/Kernels.h"\n#include "core/trace/Trace.h"\n',
    "core/analysis/README.md": "# analysis\n",
    "core/analysis/Kernels.h": APACHE + '#include "core/trace/Trace.h"\n#include "Operators.h"\n',
    "core/analysis/Operators.h": APACHE,
    "core/engine/README.md": "# engine\n",
    "core/engine/Run.cpp": APACHE + "#include <ATen/core/Tensor.h>\n",
    "core/engine/CMakeLists.txt": CMAKE + "attnscope_room(core_engine PUBLIC core_base PRIVATE torch_cpu)\n",
    "ui/bridge/README.md": "# bridge\n",
    "ui/bridge/Session.h": GPL + '#include <QObject>\n#include "core/compare/Comparison.h"\n',
    "ui/charts/README.md": "# charts\n",
    "ui/charts/Plot.h": GPL + '#include <qcustomplot.h>\n#include "ui/bridge/Session.h"\n',
    "ui/charts/CMakeLists.txt": CMAKE + "attnscope_room(ui_charts QT PUBLIC ui_bridge Qt6::Widgets)\n",
    "ui/shell/README.md": "# shell\n",
    "ui/shell/Window.cpp": GPL + '#include "ui/charts/Plot.h"\n',
    "app/cli/README.md": "# cli\n",
    "app/cli/main.cpp": APACHE + '#include "core/compare/Comparison.h"\n',
    "app/gui/README.md": "# gui\n",
    "app/gui/main.cpp": GPL + '#include "ui/shell/Window.h"\n#include <QApplication>\n',
    "dev": "#!/usr/bin/env bash\n# SPDX-License-Identifier: Apache-2.0\n",
}

LINKS = """
build bin/attnscope: CXX_EXECUTABLE_LINKER__attnscope_Release main.o
  LINK_LIBRARIES = ui/shell/libui_shell.a {gui} /usr/lib/libQt6Widgets.so.6
build bin/attnscope-cli: CXX_EXECUTABLE_LINKER__attnscope-cli_Release main.o
  LINK_LIBRARIES = core/compare/libcore_compare.a {cli} -lisal
build bin/attnscope-runner: CXX_EXECUTABLE_LINKER__attnscope-runner_Release main.o
  LINK_LIBRARIES = -Wl,-rpath,/x/torch/lib core/engine/libcore_engine.a /x/torch/lib/libtorch_cpu.so {runner}
"""


class Rules(unittest.TestCase):
    def found(self, changes, links=None):
        """Rules that the orderly house breaks after `changes`: {path: text, or None to take the file away}."""
        with tempfile.TemporaryDirectory() as folder:
            for path, text in {**ORDERLY, **changes}.items():
                if text is not None:
                    (Path(folder) / path).parent.mkdir(parents=True, exist_ok=True)
                    (Path(folder) / path).write_text(text)
            build = None
            if links is not None:
                build = Path(folder) / "build"
                build.mkdir()
                (build / "build.ninja").write_text(LINKS.format(**{"gui": "", "cli": "", "runner": "", **links}))
            return [line.split(": ")[1] for line in rooms.violations(folder, build)]

    def test_an_orderly_house_breaks_none(self):
        self.assertEqual(self.found({}, links={}), [])

    def test_a_room_sees_only_what_lies_under_it(self):
        self.assertEqual(self.found({"core/trace/Trace.h": APACHE + '#include "core/analysis/Kernels.h"\n'}), ["room"])
        self.assertEqual(self.found({"core/base/Ids.h": APACHE + '  #  include "core/trace/Trace.h"\n'}), ["room"])
        self.assertEqual(self.found({"core/trace/Trace.h": APACHE + '#include "../compare/Comparison.h"\n'}), ["room"])
        self.assertEqual(self.found({"core/trace/CMakeLists.txt": CMAKE + "attnscope_room(core_trace\n PUBLIC core_base"
                                     " PRIVATE core_import)\n"}), ["room"])
        self.assertEqual(self.found({"core/trace/Trace.h": APACHE + '#include "app/cli/Table.h"\n'}), ["room"])

    def test_a_comment_includes_nothing(self):
        self.assertEqual(self.found({"core/trace/Trace.h": APACHE + '// #include "core/analysis/Kernels.h"\n'}), [])

    def test_rooms_of_the_window_do_not_see_one_another(self):
        self.assertEqual(self.found({"ui/charts/Plot.h": GPL + '#include "ui/shell/Window.h"\n'}), ["room"])
        self.assertEqual(self.found({"ui/charts/CMakeLists.txt": CMAKE + "attnscope_room(ui_charts QT PUBLIC"
                                     " ui_timeline)\n"}), ["room"])

    def test_the_window_and_the_command_line_do_not_see_the_engine(self):
        self.assertEqual(self.found({"ui/bridge/Session.h": GPL + '#include "core/engine/Run.h"\n'}), ["room"])
        self.assertEqual(self.found({"app/gui/main.cpp": GPL + '#include "core/engine/Run.h"\n'}), ["room"])
        self.assertEqual(self.found({"app/cli/main.cpp": APACHE + '#include "core/engine/Run.h"\n'}), ["room"])

    def test_the_command_line_does_not_see_the_window(self):
        self.assertEqual(self.found({"app/cli/main.cpp": APACHE + '#include "ui/bridge/Session.h"\n'}), ["room"])

    def test_no_qt_in_the_core(self):
        for header in ("QString", "QtCore/QString", "qglobal.h"):
            self.assertEqual(self.found({"core/trace/Trace.h": APACHE + f"#include <{header}>\n"}), ["qt"], header)
        self.assertEqual(self.found({"core/trace/CMakeLists.txt": CMAKE + "attnscope_room(core_trace PUBLIC core_base"
                                     " Qt6::Core)\n"}), ["qt"])
        self.assertEqual(self.found({"app/cli/main.cpp": APACHE + "#include <QCoreApplication>\n"}), ["qt"])

    def test_libtorch_in_the_engine_alone(self):
        for header in ("torch/version.h", "ATen/ops/matmul.h", "c10/core/Device.h"):
            self.assertEqual(self.found({"core/trace/Trace.h": APACHE + f"#include <{header}>\n"}), ["torch"], header)
        self.assertEqual(self.found({"ui/charts/CMakeLists.txt": CMAKE + "target_link_libraries(ui_charts PRIVATE"
                                     " torch_cpu)\n"}), ["torch"])

    def test_the_kernels_are_a_room_in_the_engine_without_libtorch(self):
        inner = {"core/engine/kernels/README.md": "# kernels\n"}
        header = "core/engine/kernels/Pool.h"
        self.assertEqual(self.found({**inner, header: APACHE + '#include "core/base/Ids.h"\n'}), [])
        self.assertEqual(self.found({**inner, header: APACHE + "#include <ATen/core/Tensor.h>\n"}), ["torch"])
        self.assertEqual(self.found({**inner, header: APACHE + '#include "core/trace/Trace.h"\n'}), ["room"])
        self.assertEqual(self.found({**inner, header: APACHE,
                                     "core/engine/Run.cpp": APACHE + f'#include "{header}"\n'}), [])
        self.assertEqual(self.found({**inner, header: APACHE,
                                     "app/cli/main.cpp": APACHE + f'#include "{header}"\n'}), ["room"])
        self.assertEqual(self.found({}, {"gui": "core/engine/kernels/libcore_kernels.a"}), ["room"])

    def test_qt_and_libtorch_never_meet(self):
        found = self.found({"core/engine/Run.cpp": APACHE + "#include <QString>\n#include <ATen/core/Tensor.h>\n"})
        self.assertEqual(sorted(found), ["qt", "torch"])

    def test_cupti_in_the_recorders_alone(self):
        self.assertEqual(self.found({"core/engine/Run.cpp": APACHE + "#include <cupti_activity.h>\n"}), ["cupti"])

    def test_qcustomplot_in_the_charts_alone(self):
        self.assertEqual(self.found({"ui/shell/Window.cpp": GPL + "#include <qcustomplot.h>\n"}), ["qcustomplot"])

    def test_programs_are_not_linked_with_what_is_not_theirs(self):
        torch = "/x/torch/lib/libtorch_cpu.so"
        self.assertEqual(self.found({}, {"gui": torch}), ["torch"])
        self.assertEqual(self.found({}, {"gui": "core/engine/libcore_engine.a"}), ["room"])
        self.assertEqual(self.found({}, {"cli": torch}), ["torch"])
        self.assertEqual(self.found({}, {"cli": "/x/torch/lib/libc10.so"}), ["torch"])
        self.assertEqual(self.found({}, {"cli": "/usr/lib/libQt6Core.so.6"}), ["qt"])
        self.assertEqual(self.found({}, {"cli": "ui/theme/libui_theme.a"}), ["room"])
        self.assertEqual(self.found({}, {"runner": "/usr/lib/libQt6Core.so.6"}), ["qt"])
        self.assertEqual(self.found({}, {"runner": "/usr/lib/libqcustomplot-qt6.so"}), ["qcustomplot"])

    def test_a_folder_with_sources_has_a_readme(self):
        self.assertEqual(self.found({"core/trace/README.md": None}), ["readme"])

    def test_each_source_names_its_licence(self):
        self.assertEqual(self.found({"core/trace/Trace.h": "#pragma once\n"}), ["licence"])
        self.assertEqual(self.found({"dev": "#!/usr/bin/env bash\n"}), ["licence"])
        self.assertEqual(self.found({"core/trace/Trace.h": GPL}), ["licence"])
        self.assertEqual(self.found({"ui/shell/Window.cpp": APACHE}), ["licence"])
        self.assertEqual(self.found({"tests/ui/README.md": "", "tests/ui/Test.cpp": APACHE}), ["licence"])

    def test_a_test_of_a_room_of_the_window_may_have_its_licence(self):
        self.assertEqual(self.found({"tests/unit/bridge/README.md": "", "tests/unit/bridge/Test.cpp": GPL}), [])
        self.assertEqual(self.found({"tests/bench/README.md": "", "tests/bench/Frames.cpp": GPL}), [])

    def test_no_path_of_a_machine(self):
        for top in ("root", "work"):
            self.assertEqual(self.found({"core/trace/README.md": f"see /{top}/x\n"}), ["machine"], top)
            self.assertEqual(self.found({"core/trace/README.md": f"see core/{top}/x\n"}), [], top)

    def test_no_file_over_a_megabyte(self):
        self.assertEqual(self.found({"resources/large.bin": "x" * 1_000_001}), ["size"])


if __name__ == "__main__":
    unittest.main()
