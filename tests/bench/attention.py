#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every implementation on the shapes of the CPU's roofs: its share of the measured roof (of a matrix product of the
type, or of reading from memory where that binds), and LibTorch's best time over its own, by the medians of interleaved
pairs. LibTorch's best is the fastest of its operators on the shape; for one query that is also its flash kernel with
the heads of a group as queries, which decode.preallocated is. Shapes that would take an implementation too long or too
much memory by what is predicted leave it out. Exits with 1 where anything lies above the roof.

  ./dev bench attention [--threads 1,2] [--only TEXT] [--pairs N] [--json FILE]
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile

PROGRAM = os.path.join(os.environ["ATTNSCOPE_BIN"], "attnscope-cli")
LIBTORCH = ("sdpa.math", "sdpa.flash", "gqa.repeat", "decode.preallocated")
MOST_FLOPS = 1.5e11  # of one call: seconds of it where nothing is known but the formula
MOST_BYTES = 4 << 30
ABOVE = 1.05  # the roof is measured in another moment


def problems():
    def heads(kv=8, batch=1, all_heads=8):
        return f"--batch {batch} --heads {all_heads} --kv-heads {kv}"

    for length in (256, 512, 1024, 2048, 4096, 8192):
        yield f"prefill full D64 N{length}", f"{heads()} --seq {length} --head-dim 64"
    for length in (256, 512, 1024, 2048, 4096, 8192):
        yield f"prefill causal D64 N{length}", f"{heads()} --seq {length} --head-dim 64 --causal"
    for length in (512, 2048, 4096):
        yield f"prefill full D128 N{length}", f"{heads()} --seq {length} --head-dim 128"
        yield f"prefill causal D128 N{length}", f"{heads()} --seq {length} --head-dim 128 --causal"
    for length in (512, 2048):
        yield f"prefill full bf16 N{length}", f"{heads()} --seq {length} --head-dim 64 --dtype bfloat16"
        yield f"prefill causal bf16 N{length}", f"{heads()} --seq {length} --head-dim 64 --dtype bfloat16 --causal"
    for width in (128, 256, 1024):
        yield f"window {width} N4096", f"{heads()} --seq 4096 --head-dim 64 --window {width}"
    yield "B64 N64 full", f"{heads(batch=64)} --seq 64 --head-dim 64"
    yield "B64 N64 causal", f"{heads(batch=64)} --seq 64 --head-dim 64 --causal"
    for keys in (4096, 16384, 65536):
        yield f"decode 32/8 M{keys}", f"{heads(8, 1, 32)} --seq 1 --kv-seq {keys} --head-dim 128"
    yield "decode 32/32 M4096", f"{heads(32, 1, 32)} --seq 1 --kv-seq 4096 --head-dim 128"
    yield "decode bf16 32/8 M4096", f"{heads(8, 1, 32)} --seq 1 --kv-seq 4096 --head-dim 128 --dtype bfloat16"
    yield "decode bf16 32/32 M4096", f"{heads(32, 1, 32)} --seq 1 --kv-seq 4096 --head-dim 128 --dtype bfloat16"


def answer(arguments):
    done = subprocess.run([PROGRAM, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    try:
        return json.loads(done.stdout)
    except json.JSONDecodeError:
        sys.exit(f"attention: {done.stderr.strip()}")


def candidates(options):
    """Ids that can run the shape in a time and a memory that a benchmark may take."""
    chosen = []
    for card in answer(["implementations", "--json", *options])["implementations"]:
        if not card["available"] or card["id"].startswith("byo."):
            continue
        if (card["executed_flops"] or 0) > MOST_FLOPS or (card["predicted_peak_bytes"] or 0) > MOST_BYTES:
            continue
        chosen.append(card["id"])
    return chosen


def measure(options, ids, threads, pairs):
    with tempfile.TemporaryDirectory() as folder:
        return answer(["run", "--json", "--quiet", "--quick", "--no-profile", "--pairs", str(pairs), "--threads",
                       str(threads), "--impl", ",".join(ids), *options, "-o", os.path.join(folder, "run.attn")])


def rows_of(result):
    timed = {i["id"]: i for i in result["implementations"] if i["time"]}
    ours = [i for i in timed if i in LIBTORCH]
    best = min(ours, key=lambda i: timed[i]["time"]["median_ns"]) if ours else None
    rows = []
    for name, row in timed.items():
        ratio = None
        if best:
            pairs = zip(timed[best]["time"]["samples_ns"], row["time"]["samples_ns"])
            ratio = statistics.median(b / own for b, own in pairs)
        rows.append({"id": name, "median_ns": row["time"]["median_ns"], "roof_share": row["roof_share"],
                     "libtorch_best_over_it": ratio, "best": name == best})
    for row in result["implementations"]:
        if row["failure"]:
            rows.append({"id": row["id"], "failure": row["failure"]["reason"]})
    return sorted(rows, key=lambda row: row.get("median_ns", float("inf")))


def main():
    parser = argparse.ArgumentParser(description="Implementations of attention against the roofs of this machine.")
    parser.add_argument("--threads", default="1,2", help="numbers of threads, with commas")
    parser.add_argument("--only", default="", help="only shapes whose name holds this text")
    parser.add_argument("--pairs", type=int, default=12, help="timed rounds of each shape")
    parser.add_argument("--json", help="also write all figures to this file")
    options = parser.parse_args()
    above = []
    figures = []
    for threads in (int(text) for text in options.threads.split(",")):
        if threads > (os.cpu_count() or 1):
            print(f"{threads} threads: this machine has fewer")
            continue
        for name, words in problems():
            if options.only not in name:
                continue
            ids = candidates(words.split())
            result = measure(words.split(), ids, threads, options.pairs)
            environment = result["environment"]
            roofs = [environment["roof_flops_per_second"], environment["roof_bytes_per_second"]]
            told = f"roofs {roofs[0] / 1e9:.0f} GFLOP/s, {roofs[1] / 1e9:.1f} GB/s" if all(roofs) else "no roofs"
            capability = environment["cpu_capability"] or "unknown"
            print(f"\n{name}, {threads} thread{'s' if threads > 1 else ''}, {told}, CPU capability usage: {capability}")
            for row in rows_of(result):
                if "failure" in row:
                    print(f"  {row['id']:20} {row['failure']}")
                    above += [(name, row["id"])] if "implausible" in row["failure"] else []
                    continue
                share = row["roof_share"]
                ratio = row["libtorch_best_over_it"]
                print(f"  {row['id']:20} {row['median_ns'] / 1e6:10.3f} ms"
                      f"  {'-' if share is None else format(share, '.2f'):>5} of the roof"
                      f"  {'-' if ratio is None else format(ratio, '.2f'):>6} x LibTorch's best"
                      f"{'  <- LibTorch' + chr(39) + 's best' if row['best'] else ''}", flush=True)
                if share is not None and share > ABOVE:
                    above.append((name, row["id"]))
            figures.append({"problem": name, "threads": threads, "environment": environment,
                            "rows": rows_of(result)})
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(figures, file, indent=1)
    for name, implementation in above:
        print(f"above the roof: {implementation} on {name}")
    sys.exit(1 if above else 0)


if __name__ == "__main__":
    main()
