#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How long loading 100 MB takes, beside the floor: simdjson on demand over the same file, one thread.

    load.py [--rounds N] [--size 100M] [--tries T]

Product and floor take turns. A round counts only if other work took less than a tenth of the machine meanwhile; it is
tried again up to T times. Each figure stands beside its must (1.5 x floor) and its aim (0.5 x floor). Exit 1 when a
must is missed. Rounds that were disturbed are printed but decide nothing: then the CPU seconds tell most.
"""
import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BIN = os.environ.get('ATTNSCOPE_BIN', os.path.join(ROOT, 'build', 'release', 'bin'))
CORPUS = os.environ.get('ATTNSCOPE_CORPUS', os.path.join(ROOT, '..', 'shared'))
MUST, AIM = 1.5, 0.5


def build():
    folder = os.path.dirname(BIN)
    if not os.path.exists(os.path.join(folder, 'build.ninja')):
        return
    quiet = dict(stdout=subprocess.DEVNULL)
    subprocess.run(['cmake', '-S', ROOT, '-B', folder, '-DATTNSCOPE_BENCH=ON'], check=True, **quiet)
    subprocess.run(['cmake', '--build', folder, '--target', 'load_product', 'load_floor'], check=True, **quiet)


def sample(size):
    path = os.path.join(os.path.dirname(BIN), 'bench', 'load-%s.json' % size)
    if not os.path.exists(path):
        generator = os.path.join(CORPUS, 'tools', 'gen_trace.py')
        if not os.path.exists(generator):
            sys.exit('load: no generator at %s; name the folder that holds tools/ in ATTNSCOPE_CORPUS' % generator)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        subprocess.run([sys.executable, generator, '--size', size, '--seed', '1', '-o', path + '.part'], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.replace(path + '.part', path)
    with open(path, 'rb') as file:  # warm: the disk is not measured
        while file.read(1 << 24):
            pass
    return path


def busy_seconds():
    with open('/proc/stat') as file:
        words = file.readline().split()[1:]
    ticks = [int(w) for w in words]
    return (sum(ticks[:8]) - ticks[3] - ticks[4]) / os.sysconf('SC_CLK_TCK')


def run(program, path):
    """One start of a program: its own figures, those of the whole process, and what others used meanwhile."""
    before, busy, start = resource.getrusage(resource.RUSAGE_CHILDREN), busy_seconds(), time.monotonic()
    out = subprocess.run([os.path.join(BIN, program), path], check=True, capture_output=True, text=True).stdout
    wall, after = time.monotonic() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    own = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    others = max(0.0, busy_seconds() - busy - own) / (wall * os.cpu_count())
    figures = json.loads(out)
    figures.update(process_wall=wall, process_cpu=own, others=others)
    return figures


def undisturbed(program, path, tries):
    for _ in range(tries):
        figures = run(program, path)
        if figures['others'] <= 0.1:
            return figures, True
    return figures, False


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--rounds', type=int, default=7)
    parser.add_argument('--size', default='100M')
    parser.add_argument('--tries', type=int, default=5)
    options = parser.parse_args()
    build()
    path = sample(options.size)
    size = os.path.getsize(path)
    rounds, void = [], 0
    for number in range(max(5, options.rounds)):
        product, quiet = undisturbed('load_product', path, options.tries)
        floor, calm = undisturbed('load_floor', path, options.tries)
        whole = quiet and calm
        void += not whole
        rounds.append((product, floor, whole))
        print('round %d%s: product %.3f s wall, %.3f s CPU; floor %.3f s wall, %.3f s CPU' % (
            number + 1, '' if whole else ' (void: other work took %.0f %%)' % (100 * max(product['others'], floor['others'])),
            product['wall'], product['cpu'], floor['wall'], floor['cpu']), flush=True)

    counted = [r for r in rounds if r[2]]

    def medians(key, among):
        return statistics.median(r[0][key] for r in among), statistics.median(r[1][key] for r in among)

    met = total = 0
    for key, title in (('wall', 'loading, in the process'), ('process_wall', 'the whole process')):
        if not counted:
            product, floor = medians(key, rounds)
            print('%-26s %.3f s, floor %.3f s: not judged, every round was disturbed' % (title, product, floor))
            continue
        product, floor = medians(key, counted)
        total += 1
        good = product <= MUST * floor
        met += good
        print('%-26s %.3f s  must %.3f (%s)  aim %.3f (%s)  floor %.3f  ratio %.2f' % (
            title, product, MUST * floor, 'met' if good else 'MISSED', AIM * floor,
            'met' if product <= AIM * floor else 'not yet', floor, product / floor))
    product, floor = medians('cpu', rounds)
    print('%-26s %.3f s, floor %.3f s, ratio %.2f (all rounds)' % ('CPU seconds', product, floor, product / floor))
    first = rounds[0][0]
    wall = medians('wall', counted or rounds)[0]
    print('%.0f MB/s, %.2f million events/s, %.0f bytes of anonymous memory an event; rounds %d, void %d' % (
        size / wall / 1e6, first['events'] / wall / 1e6, first['anonymous_bytes'] / first['events'], len(rounds), void))
    print('load: %d of %d musts met' % (met, total))
    return 1 if met < total else 0


if __name__ == '__main__':
    sys.exit(main())
