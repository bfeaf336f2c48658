#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds dcsim and runs all its tests.  The last line is "N passed, N failed", with ", N skipped" when there are any; the numbers are test
# points (TAP).  Exits 1 when anything failed, did not build, or no test ran.
# Usage: scripts/check.sh [--whole] [--smallest], from any directory
#   --whole     all drawn cases instead of a sample of them (tests/cli/harness.sh, "sample"), as continuous integration has it
#   --smallest  of a build without any optional library, in build-smallest/
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
build=$root/build smallest=
DCSIM_SAMPLE=small
for argument in "$@"; do
  case $argument in
    --whole) DCSIM_SAMPLE=whole ;;
    --smallest) build=$root/build-smallest smallest=--smallest ;;
    *) echo "usage: scripts/check.sh [--whole] [--smallest]" >&2; exit 2 ;;
  esac
done
export DCSIM_SAMPLE
jobs=$(nproc 2> /dev/null || echo 1)
# A run syncs its files, and tests make hundreds of runs: their folders are in memory where there is room for them and programs may be
# started there.
memory=
trap '[ -z "$memory" ] || rm -rf "$memory"' EXIT
trap 'exit 130' INT TERM HUP
in_memory() {
  room=$(df -Pk /dev/shm 2> /dev/null | awk 'NR == 2 { print $4 }')
  [ -z "${TMPDIR:-}" ] && [ "${room:-0}" -gt 4000000 ] && memory=$(mktemp -d /dev/shm/dcsim-check-XXXXXX) || return 0
  # Some tests become somebody else, who has to get there.
  chmod 755 "$memory"
  printf '#!/bin/sh\n' > "$memory/try"
  chmod +x "$memory/try"
  if "$memory/try" 2> /dev/null; then
    TMPDIR=$memory
    export TMPDIR
  fi
}
passed=0 failed=0 skipped=0

finish() {
  line="$passed passed, $failed failed"
  if [ "$skipped" -gt 0 ]; then
    line="$line, $skipped skipped"
  fi
  if [ "$passed" = 0 ] && [ "$failed" = 0 ]; then
    echo "no test ran"
  fi
  echo "$line"
  [ "$failed" = 0 ] && [ "$passed" -gt 0 ]
  exit
}

# shellcheck disable=SC2086  # an option, or none
if ! "$root/scripts/build.sh" $smallest 2>&1; then
  echo "the build failed"
  failed=1
fi
if [ ! -f "$build/Makefile" ]; then
  finish
fi

make_tests() {
  make --no-print-directory -C "$build" -k -j"$jobs" "$@" 2>&1
}
# First the programs, as many as can be built; then every test that is there: one that does not compile keeps no other from running.
# The library and the program are built by now, so that other flags reach the tests' own code alone: it runs briefly and compiles in a
# third of the time at -O1.
echo "check: compiling the tests"
flags=$(sed -n 's/^CFLAGS = //p' "$build/Makefile" | sed 's/-O[23]/-O1/')
make_tests check TESTS= CFLAGS="$flags" > "$build/check-build.log" || {
  grep -v '^  CC' "$build/check-build.log" | tail -n 200
  echo "check: some tests could not be built"
}
# Old results must not count, and a result that is newer than its test would not be made again.
find "$build" -name '*.trs' -exec sh -c 'for trs; do rm -f "$trs" "${trs%.trs}.log"; done' sh {} +
rm -f "$build/test-suite.log"
in_memory
# One test more than there are cores: many wait, for a signal that is due or a process that ends.
jobs=$((jobs + 1))
make_tests test-suite.log || true
# A test that the limit of configure.ac has ended runs once more, after the others: a disk or a network may have been stuck.  Twice is a failure.
tests=$(make --no-print-directory -s -C "$build" list-tests)
stuck=
for trs in $tests; do
  log=$build/${trs%.trs}.log
  if grep -qsE '^ERROR: .* exited with status (124|137)' "$log"; then
    echo "== ${trs%.trs} was ended by the limit of time and runs again; it had come to:"
    tail -n 20 "$log"
    rm -f "$log" "$build/$trs" "$build/test-suite.log"
    stuck=yes
  fi
done
[ -z "$stuck" ] || make_tests test-suite.log || true

# Counts of one result in a .trs file.
count() {
  grep -cE "^:test-result: ($1)( |\$)" "$2" || true
}
# From when the log began to when it ended, where the file system tells the former.
echo "check: the longest tests, s"
for trs in $tests; do
  stat -c '%W %Y %n' "$build/${trs%.trs}.log" 2> /dev/null || true
done | awk -v skip="$build/" '$1 > 0 { print $2 - $1, substr($3, length(skip) + 1) }' | sort -rn | head -n 20
for trs in $tests; do
  test=${trs%.trs}
  if [ ! -f "$build/$trs" ]; then
    echo "== $test did not run"
    failed=$((failed + 1))
    continue
  fi
  bad=$(count 'FAIL|XPASS' "$build/$trs")
  # A test that ends badly without a failed point (crash, leak, time limit, too few points) counts one.
  if [ "$bad" = 0 ] && [ "$(count ERROR "$build/$trs")" -gt 0 ]; then
    bad=1
  fi
  passed=$((passed + $(count 'PASS|XFAIL' "$build/$trs")))
  skipped=$((skipped + $(count SKIP "$build/$trs")))
  failed=$((failed + bad))
  if [ "$bad" -gt 0 ]; then
    echo "== $test"
    tail -n 200 "$build/$test.log"
  fi
done
finish
