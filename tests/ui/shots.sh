#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Draws every view and state of the window into out/shots/*.png, for people to look at: ./dev shots [NAME...]
# draws all, or those whose name begins with one of NAME.
set -euo pipefail

root=$(cd "$(dirname "$0")/../.." && pwd)
bin=${ATTNSCOPE_BIN:-$root/build/release/bin}
out=$root/out/shots
sample=$root/resources/sample
traces=${ATTNSCOPE_TRACES:-$root/../shared/traces}
[ -x "$bin/attnscope" ] || { echo "there is no $bin/attnscope: run ./dev build first." >&2; exit 1; }
mkdir -p "$out"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export QT_QPA_PLATFORM=offscreen LC_ALL=C.UTF-8 XDG_RUNTIME_DIR=$work XDG_CONFIG_HOME=$work
program=$bin/attnscope
wanted=("$@")
drawn=0
failed=0

is_wanted() {
  local prefix
  [ ${#wanted[@]} -eq 0 ] && return 0
  for prefix in "${wanted[@]}"; do [[ $1 == "$prefix"* ]] && return 0; done
  return 1
}

# shot NAME EXPECTED-EXIT-CODE ARGUMENTS...: in both themes and both sizes.
shot() {
  local name=$1 expected=$2 theme size rc
  shift 2
  is_wanted "$name" || return 0
  for theme in light dark; do
    for size in 1280x800 1920x1080; do
      rc=0
      "$program" "$@" --theme "$theme" --size "$size" --capture "$out/$name-$theme-$size.png" 2>"$work/errors" || rc=$?
      if [ "$rc" -ne "$expected" ]; then
        echo "$name-$theme-$size: exit code $rc instead of $expected: $(tail -n 1 "$work/errors")" >&2
        failed=$((failed + 1))
      else
        drawn=$((drawn + 1))
      fi
    done
  done
}

naive=$sample/naive.json flash=$sample/flash.json
cuda=$root/tests/golden/data/cuda_small.json
[ -f "$traces/h100_qwen1.5_0.5b.json.gz" ] && cuda=$traces/h100_qwen1.5_0.5b.json.gz

shot start 0 --view start
shot trace-cpu 0 "$naive" --view timeline
shot trace-cuda 0 "$cuda" --view timeline
shot trace-cuda-details 0 "$cuda" --view details
shot trace-operators 0 "$cuda" --view operators
shot trace-memory 0 "$naive" --view memory
shot trace-findings 0 "$cuda" --view findings
shot trace-slices 0 "$cuda" --view slices
shot trace-memory-events 0 "$naive" --view memory-events
shot trace-distribution 0 "$cuda" --view distribution
shot trace-kinds 0 "$cuda" --view kinds
shot trace-flame 0 "$cuda" --view flame
shot trace-inside 0 "$root/tests/ui/data/inside.json" --view inside
shot compare 0 "$naive" "$flash" --view compare
shot compare-operators 0 "$naive" "$flash" --view operators
shot compare-memory 0 "$naive" "$flash" --view memory
shot compare-details 0 "$naive" "$flash" --view details
shot three-runs 0 "$naive" "$flash" "$naive" --view compare
shot text-150 0 "$naive" "$flash" --text-scale 150
shot text-200 0 "$naive" "$flash" --text-scale 200

# What a page says where nothing of its kind was recorded.
printf '{"traceEvents":[{"ph":"X","name":"main","pid":1,"tid":1,"ts":0,"dur":100}]}' >"$work/plain.json"
shot empty-kernels 0 "$work/plain.json" --view kernels
shot empty-operators 0 "$work/plain.json" --view operators
shot empty-memory 0 "$work/plain.json" --view memory

# What the lab measured, as a session that is opened again.
shot lab-compare 0 "$sample/sample.attn" --view compare
shot lab-compare-operators 0 "$sample/sample.attn" --view operators
shot lab-compare-memory 0 "$sample/sample.attn" --view memory

# The lab needs no runner to be looked at.
shot lab-idle 0 --view lab
if is_wanted lab-without-runner; then
  cp "$bin/attnscope" "$work/"
  program=$work/attnscope
  shot lab-without-runner 0 --view lab
  program=$bin/attnscope
  rm "$work/attnscope"
fi
# A session without traces, own code, a run that is on, and one that is done: drawn by the test that runs one.
if [ -x "$bin/../tests/ui_lab_job" ] &&
  { is_wanted lab-stopped || is_wanted lab-code || is_wanted lab-running || is_wanted lab-done; }; then
  ATTNSCOPE_SHOTS=$out "$bin/../tests/ui_lab_job" --gtest_filter=LabJob.PicturesForPeople >"$work/errors" 2>&1 ||
    { echo "lab-stopped, lab-code, lab-running, lab-done: $(tail -n 1 "$work/errors")" >&2; failed=$((failed + 1)); }
  drawn=$((drawn + 14))
fi

printf 'these are 34 bytes of no trace at all' >"$work/notes.json"
shot failed 3 "$work/notes.json"
shot failed-beside-another 3 "$naive" "$work/notes.json"

if is_wanted loading; then
  # Large enough to be still in the reading when it is drawn.
  python3 - "$work/large.json" <<'PYTHON'
import sys
with open(sys.argv[1], "w") as out:
    out.write('{"traceEvents":[\n')
    for block in range(3000):
        out.write(",\n".join(
            '{"ph":"X","cat":"cpu_op","name":"aten::op_%d","pid":1,"tid":%d,"ts":%d,"dur":8,"args":{"External id":%d}}'
            % (i % 97, i % 8, block * 10000 + i * 10, block * 1000 + i) for i in range(1000)))
        out.write(",\n" if block < 2999 else "\n]}\n")
PYTHON
  shot loading 0 "$work/large.json" --capture-after 1300
  rm -f "$work/large.json"
fi

echo "$drawn pictures are in out/shots."
[ "$failed" -eq 0 ] || { echo "$failed pictures were not drawn as expected." >&2; exit 1; }
