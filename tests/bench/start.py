#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""From the start of the program to its visible window, on an X server of its own.

    start.py [--starts N]

Needs Xvfb and xev (Debian packages xvfb, x11-utils). The first start warms the disk's cache and is not counted. The
time ends when the server says that the window is mapped; the figure is the median of N starts. Exit 1 when the must,
0.3 s, is missed.
"""
import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BIN = os.environ.get('ATTNSCOPE_BIN', os.path.join(ROOT, 'build', 'release', 'bin'))
MUST = 0.3


def server():
    """An X server and the number of its display: the first that is free."""
    reading, writing = os.pipe()
    process = subprocess.Popen(['Xvfb', '-displayfd', str(writing), '-screen', '0', '1920x1080x24'],
                               pass_fds=[writing], stderr=subprocess.DEVNULL)
    os.close(writing)
    with os.fdopen(reading) as answer:
        number = answer.readline().strip()
    if not number:
        sys.exit('start: Xvfb did not start')
    return process, ':' + number


def seconds(environment):
    # It tells of windows as the server maps them, and stands ready before the program starts.
    events = subprocess.Popen(['xev', '-root', '-event', 'substructure'], env=environment, stdout=subprocess.PIPE,
                              text=True)
    time.sleep(0.3)
    began = time.monotonic()
    program = subprocess.Popen([os.path.join(BIN, 'attnscope')], env=environment)
    try:
        for line in events.stdout:
            if line.startswith('MapNotify'):
                return time.monotonic() - began
        sys.exit('start: the X server ended')
    finally:
        events.kill()
        program.terminate()
        program.wait()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--starts', type=int, default=9)
    starts = parser.parse_args().starts
    for tool in ('Xvfb', 'xev'):
        if shutil.which(tool) is None:
            sys.exit('start: %s is missing: install the Debian packages xvfb and x11-utils' % tool)
    process, display = server()
    try:
        with tempfile.TemporaryDirectory() as home:
            environment = {**os.environ, 'DISPLAY': display, 'QT_QPA_PLATFORM': 'xcb', 'XDG_CONFIG_HOME': home,
                           'XDG_RUNTIME_DIR': home}
            times = [seconds(environment) for _ in range(starts + 1)][1:]
    finally:
        process.terminate()
    median = statistics.median(times)
    print('window visible after %.0f ms (median of %d, %.0f to %.0f); must %.0f ms' %
          (median * 1e3, starts, min(times) * 1e3, max(times) * 1e3, MUST * 1e3))
    return 0 if median <= MUST else 1


if __name__ == '__main__':
    sys.exit(main())
