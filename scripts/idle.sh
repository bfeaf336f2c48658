#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What only an idle machine tells, in one run: seconds of the README's two commands on a clean clone, what two threads gain, and, as root,
# the two commands in a bare Debian root.  Waits until the machine is idle, and says the load beside every figure.
# Usage: scripts/idle.sh [--publish] [--no-bare-root] [--brief], from any directory (about an hour); --publish writes docs/measured/commands.md
# and docs/measured/threads.md; --brief measures the two commands alone (about ten minutes).
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
publish='' bare=yes brief=no
for argument in "$@"; do
  case $argument in
    --publish) publish=--publish ;;
    --no-bare-root) bare=no ;;
    --brief) brief=yes bare=no ;;
    *) echo "usage: scripts/idle.sh [--publish] [--no-bare-root] [--brief]" >&2; exit 2 ;;
  esac
done
work=$(mktemp -d "${TMPDIR:-/tmp}/dcsim-idle-XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM HUP
status=0

load() { cut -d ' ' -f 1 /proc/loadavg; }
# At most ten minutes: who starts this wants figures, whatever else runs.
settle() {
  waited=0
  while [ "$waited" -lt 600 ] && awk '{ exit !($1 > 0.3) }' /proc/loadavg; do
    sleep 5
    waited=$((waited + 5))
  done
}
# timed NAME SECONDS CPU COMMAND...: wall and processor seconds of a command, of which at most so many are asked ("-": any)
timed() {
  name=$1 most=$2 most_cpu=$3
  shift 3
  settle
  before=$(load) ended=0
  bash -c 'TIMEFORMAT="%R %U %S"; time "$@" > "$0/log" 2>&1' "$work" "$@" 2> "$work/time" || ended=$?
  [ $ended = 0 ] || { status=1; tail -n 20 "$work/log"; }
  awk -v name="$name" -v load="$before" -v most="$most" -v cpu="$most_cpu" -v ended="$ended" '
    { printf "%s: %.1f s by the clock (asked: %s), %.1f s of processor (asked: %s), status %d, load before %s\n", name, $1, most, $2 + $3, cpu, ended, load }' "$work/time"
  awk -v name="$name" -v load="$before" -v most="$most" -v cpu="$most_cpu" -v ended="$ended" '
    { met = !ended && (most == "-" || $1 <= most) && (cpu == "-" || $2 + $3 <= cpu)
      printf "| %s | %.1f | %s | %.1f | %s | %s | %s |\n", name, $1, most, $2 + $3, cpu, load, ended ? "failed" : most == "-" ? "" : met ? "met" : "not met" }' "$work/time" >> "$work/rows"
  tail -n 1 "$work/log"
}
git clone --quiet --no-hardlinks "$root" "$work/clone"
# A cache of the compiler would answer for it.
CCACHE_DISABLE=1
export CCACHE_DISABLE
timed "demo.sh on a clean clone" 100 190 "$work/clone/scripts/demo.sh"
timed "check.sh on the same" 480 - "$work/clone/scripts/check.sh"
[ $brief = yes ] || timed "check.sh --whole on the same" - - "$work/clone/scripts/check.sh" --whole
if [ -n "$publish" ]; then
  {
    printf '### Two commands of the README\n\nBy `scripts/idle.sh`, %s; %s, %s cores: a clean clone, packages installed, no cache of the compiler.\n\n' \
      "$(date +%Y-%m-%d)" "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)" "$(nproc)"
    printf '| command | s by the clock | asked | s of processor | asked | load before | verdict |\n| --- | --- | --- | --- | --- | --- | --- |\n'
    cat "$work/rows"
  } > "$root/docs/measured/commands.md"
fi
[ $brief = no ] || exit $status
settle
# shellcheck disable=SC2086  # an option, or none
python3 -B "$root/scripts/paper/threads.py" --dcsim "$work/clone/build/dcsim" $publish || status=1
if [ $bare = yes ]; then
  settle
  ended=0
  "$root/scripts/bare-root.sh" || ended=$?
  [ $ended = 0 ] || [ $ended = 77 ] || status=1
fi
exit $status
