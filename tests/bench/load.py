#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How long opening a trace takes, and what memory: beside the floor, simdjson on demand over the same text, one thread.

    load.py [--rounds N] [--files NAME,...] [--quick] [--folder FOLDER]

Product and floor take turns; a round counts only if other work took less than a tenth of the machine meanwhile, else it
is printed as void and decides nothing. Each figure stands beside its must and its aim. Exit 1 when a must is missed.
--quick: 10 MB and 100 MB alone. The files are made once and kept in FOLDER (out/bench).
"""
import argparse
import gzip
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BIN = os.environ.get('ATTNSCOPE_BIN', os.path.join(ROOT, 'build', 'release', 'bin'))
CORPUS = os.environ.get('ATTNSCOPE_CORPUS', os.path.join(ROOT, '..', 'shared'))
REAL = 'memory_nccl_216k.json.gz'  # of the corpus
SIZES = ('10M', '100M', '1G')
FILES = [name for size in SIZES for name in (size, size + '-python', size + '.gz', size + '-python.gz')] + ['real']
DAMAGED, EVENTS = 10_000, 1_000_000


def build():
    folder = os.path.dirname(BIN)
    if not os.path.exists(os.path.join(folder, 'build.ninja')):
        return
    quiet = dict(stdout=subprocess.DEVNULL)
    subprocess.run(['cmake', '-S', ROOT, '-B', folder, '-DATTNSCOPE_BENCH=ON'], check=True, **quiet)
    subprocess.run(['cmake', '--build', folder, '--target', 'load_product', 'load_floor', 'load_window'], check=True, **quiet)


def made(path, make):
    """The file, made beside it and renamed if it is not there."""
    if not os.path.exists(path):
        print('making %s' % os.path.basename(path), flush=True)
        make(path + '.part')
        os.replace(path + '.part', path)
    return path


def generate(path, size, python):
    generator = os.path.join(CORPUS, 'tools', 'gen_trace.py')
    if not os.path.exists(generator):
        sys.exit('load: no generator at %s; name the folder that holds tools/ in ATTNSCOPE_CORPUS' % generator)
    subprocess.run([sys.executable, generator, '--size', size, '--seed', '1', '-o', path] +
                   (['--python'] if python else []), check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def pack(plain, path):
    with open(plain, 'rb') as source, open(path, 'wb') as raw, gzip.GzipFile('', 'wb', 6, raw, mtime=0) as target:
        shutil.copyfileobj(source, target, 1 << 24)


def unpack(packed, path):
    with gzip.open(packed) as source, open(path, 'wb') as target:
        shutil.copyfileobj(source, target, 1 << 24)


def events(path, damaged):
    """A million events; each hundredth damaged in one of four ways, where `damaged`."""
    ways = (('"name":"aten::mm"', '"name":"aten::"mm"'), ('"dur":3.250', '"dur":3.250"x"'), ('"ts"', 'ts"'), ('}}', '}'))
    with open(path, 'w') as file:
        file.write('{"traceEvents": [\n')
        for i in range(EVENTS):
            text = ('{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":%d.125,"dur":3.250,'
                    '"args":{"External id":%d,"Input Dims":[[64,64],[64,64]],"Sequence number":%d}}' % (4 * i, i, i))
            if damaged and i % (EVENTS // DAMAGED) == 7:
                text = text.replace(*ways[i // (EVENTS // DAMAGED) % len(ways)])
            file.write(text + (',\n' if i + 1 < EVENTS else '\n]}'))


class Samples:
    def __init__(self, folder):
        self.folder = folder
        os.makedirs(folder, exist_ok=True)

    def path(self, name):
        """(the file that is opened, its plain text for the floor)."""
        if name == 'real':
            packed = os.path.join(CORPUS, 'traces', REAL)
            if not os.path.exists(packed):
                return None
            plain = made(os.path.join(self.folder, 'real.json'), lambda path: unpack(packed, path))
            return plain, plain
        size = name.split('.')[0]
        plain = made(os.path.join(self.folder, 'load-%s.json' % size),
                     lambda path: generate(path, size.split('-')[0], size.endswith('-python')))
        if not name.endswith('.gz'):
            return plain, plain
        return made(plain + '.gz', lambda path: pack(plain, path)), plain

    def damaged(self):
        return [made(os.path.join(self.folder, name), lambda path, bad=bad: events(path, bad))
                for name, bad in (('whole-1M.json', False), ('damaged-1M.json', True))]


def warm(path):
    with open(path, 'rb') as file:  # the disk is not measured
        while file.read(1 << 24):
            pass


def busy_seconds():
    with open('/proc/stat') as file:
        words = file.readline().split()[1:]
    ticks = [int(w) for w in words]
    return (sum(ticks[:8]) - ticks[3] - ticks[4]) / os.sysconf('SC_CLK_TCK')


def run(program, path, threads=None):
    """One start of a program: its own figures, and what part of the machine others used meanwhile."""
    before, busy, start = resource.getrusage(resource.RUSAGE_CHILDREN), busy_seconds(), time.monotonic()
    command = [os.path.join(BIN, program), path] + ([str(threads)] if threads else [])
    out = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    wall, after = time.monotonic() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    own = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    figures = json.loads(out)
    # The kernel counts in hundredths: what is within two of them is no other work.
    figures['others'] = max(0.0, busy_seconds() - busy - own - 0.02) / (wall * os.cpu_count())
    return figures


def measure(runs, rounds):
    """Rounds of runs that take turns: {name: {figure: median over the rounds that count}}, and how many are void."""
    taken, void = [], 0
    for _ in range(rounds):
        results = {name: run(*command) for name, command in runs.items()}
        quiet = all(figures['others'] <= 0.1 for figures in results.values())
        void += not quiet
        taken.append((results, quiet))
    counted = [results for results, quiet in taken if quiet]
    among = counted or [results for results, _ in taken]
    medians = {name: {key: statistics.median(r[name][key] for r in among)
                      for key, value in among[0][name].items() if isinstance(value, (int, float))} for name in runs}
    return medians, void, bool(counted)


class Verdict:
    def __init__(self):
        self.met = self.total = 0

    def tell(self, title, value, must, aim, judged, unit=''):
        if judged:
            self.total += 1
            self.met += value <= must
        state = 'not judged' if not judged else 'met' if value <= must else 'MISSED'
        print('    %-44s %8.3f%s  must %.3f (%s)  aim %.3f (%s)' % (
            title, value, unit, must, state, aim, 'met' if value <= aim else 'not yet'), flush=True)


def tell_file(name, size, medians, void, rounds):
    print('%s: %d MB, %d events; rounds %d, void %d' % (
        name, size / 1e6, medians['two threads']['events'], rounds, void))
    for title in medians:
        m = medians[title]
        line = '    %-12s %.3f s, %.3f CPU s' % (title, m['wall'], m['cpu'])
        if title == 'window':
            line += ', the trace built after %.3f s, tabs that are not shown after %.3f s' % (m['read'], m['all'])
        elif title != 'floor':
            line += ', %.0f MB/s, %.2f M events/s, %.0f B anonymous an event (%.0f with tables and indexes), at most %.2f GB, ratio %.2f' % (
                size / m['wall'] / 1e6, m['events'] / m['wall'] / 1e6, m['anonymous_bytes'] / m['events'],
                m['prepared_bytes'] / m['events'], m['peak_anonymous_bytes'] / 1e9, m['wall'] / medians['floor']['wall'])
        print(line, flush=True)


def judge_file(name, medians, judged, verdict):
    two, one, floor = (medians[k] for k in ('two threads', 'one thread', 'floor'))
    if name == '1G.gz':
        verdict.tell('of the floor, two threads', two['wall'] / floor['wall'], 0.8, 0.5, judged)
    elif name == '1G':
        verdict.tell('of the floor, two threads', two['wall'] / floor['wall'], 0.5, 0.3, judged)
        verdict.tell('of the floor, one thread', one['wall'] / floor['wall'], 0.8, 0.6, judged)
        verdict.tell('first rows, of the whole', two['beginning'] / two['wall'], 0.4, 0.2, judged)
    elif name == '100M':
        verdict.tell('complete picture in the window, behind the load', medians['window']['wall'] - two['wall'], 0.05,
                     0.02, judged, ' s')
    if name in ('1G', '1G.gz'):  # memory is no matter of who else works
        verdict.tell('anonymous bytes an event', two['anonymous_bytes'] / two['events'], 120, 80, True)
        verdict.tell('peak while loading', two['peak_anonymous_bytes'] / 1e9, 0.6, 0.4, True, ' GB')


def judge_damage(samples, rounds, verdict):
    whole, damaged = samples.damaged()
    for path in (whole, damaged):
        warm(path)
    medians, void, judged = measure({'whole': ('load_product', whole), 'damaged': ('load_product', damaged)}, rounds)
    print('%d damaged events among %d; rounds %d, void %d' % (DAMAGED, EVENTS, rounds, void))
    verdict.tell('time, of the undamaged', medians['damaged']['wall'] / medians['whole']['wall'], 1.5, 1.1, judged)
    share = 100 * medians['damaged']['repaired_bytes'] / os.path.getsize(damaged)
    verdict.tell('bytes through the repairing scanner', share, 2, 0.5, True, ' %')


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--rounds', type=int, default=5)
    parser.add_argument('--files', default=','.join(FILES))
    parser.add_argument('--quick', action='store_true')
    parser.add_argument('--folder', default=os.path.join(ROOT, 'out', 'bench'))
    options = parser.parse_args()
    build()
    samples, verdict, each_event = Samples(options.folder), Verdict(), {}
    rounds = max(5, options.rounds)
    for name in options.files.split(','):
        if options.quick and name.startswith('1G'):
            continue
        paths = samples.path(name)
        if paths is None:
            print('%s: not measured, the corpus holds no %s' % (name, REAL))
            continue
        for path in paths:
            warm(path)
        runs = {'two threads': ('load_product', paths[0], 2), 'floor': ('load_floor', paths[1]),
                'one thread': ('load_product', paths[0], 1)}
        if name == '100M':
            runs['window'] = ('load_window', paths[0])
        medians, void, judged = measure(runs, rounds)
        tell_file(name, os.path.getsize(paths[1]), medians, void, rounds)
        judge_file(name, medians, judged, verdict)
        each_event[name] = medians['two threads']['wall'] / medians['two threads']['events'], judged
    if '1G' in each_event and '100M' in each_event:
        (large, calm), (small, quiet) = each_event['1G'], each_event['100M']
        verdict.tell('time an event, 1 GB over 100 MB', large / small, 1.3, 1.1, calm and quiet)
    judge_damage(samples, rounds, verdict)
    print('load: %d of %d musts met' % (verdict.met, verdict.total))
    return 1 if verdict.met < verdict.total else 0


if __name__ == '__main__':
    sys.exit(main())
