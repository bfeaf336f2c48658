#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A sample of scripts/soak.sh: random collisions, bodies thrown at each other and narrow passages, judged by a program
# that shares no code with dcsim.  No path crosses anything, no step fails silently, momentum is kept, no energy comes
# from nowhere; gradients are right.  First the judge itself.
. "$DCSIM_SOURCE/tests/cli/harness.sh"
SOAK_DCSIM=$dcsim
SOAK_CROSSING=$DCSIM_BUILD/tests/soak/crossing
export SOAK_DCSIM SOAK_CROSSING
if ! python_with h5py numpy; then
  skip "random scenes keep the promises" "no python3 with h5py and numpy"
  finish
fi
# judged SCRIPT OPTION...: a test point for each of its lines "ok NAME" and "not ok NAME"
judged() {
  script=$1
  shift
  "$python" -B "$DCSIM_SOURCE/scripts/soak/$script" "$@" >"$scratch/cases" 2>"$err"
  code=$?
  points=$count
  while IFS= read -r line; do
    case $line in
    "ok "*) pass "${line#ok }" ;;
    "not ok "*) fail "${line#not ok }" ;;
    *) echo "# ${line#\# }" ;;
    esac
  done <"$scratch/cases"
  sed 's/^/# /' "$err"
  check "$script came to its end" test "$((code <= 1 && count > points))" -eq 1
}
judged self_test.py
# Every model with every shape once; scripts/soak.sh has thirty times as many.
judged soak.py --collisions "$(sample 30 10)" --thrown "$(sample 8 2)" --passages "$(sample 10 3)" --seed 2 --timeout 600 --every
# motions that have a closed form, in combinations of what a scene may say; first whether their judge can say no
# (of a sample not: it tells about the judge alone)
[ "$(sample 1 0)" = 0 ] || judged physics.py --self-test
judged physics.py --draws "$(sample 300 60)" --timeout 600
# scenes that bring features together: their gradients are what differences say
judged gradients.py --seeds "1-$(sample 6 1)" --timeout 600 --every
# plans of such scenes by all methods: interrupted, repeated, on two threads they are the same
judged workflows.py --seeds "1-$(sample 3 1)" --timeout 600 --every
finish
