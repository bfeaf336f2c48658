#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What a command says in JSON is the same with one thread, two and three, but for seconds: simulations of a rigid and a soft
# scene, and optimizations by gauss_newton, whose candidates are rolled out side by side.
. "$DCSIM_SOURCE/tests/cli/harness.sh"

# alike NAME ARGUMENT...: runs the command with one thread, two and three
alike() {
  alike_name=$1
  shift
  for threads in 1 2 3; do
    run 0 "$@" -o none --quiet --json --threads $threads
    grep -v '"[a-z_]*seconds[a-z_]*":' "$out" >"$threads.json"
    check "seconds are left out, numbers are not" sh -c '! cmp -s "$1" "$2" && grep -q "\"loss\": [0-9]" "$2"' - "$out" $threads.json
  done
  check "$alike_name: two threads say the same as one" diff 1.json 2.json
  check "$alike_name: so do three" diff 1.json 3.json
}

scenes=$DCSIM_SOURCE/scenes
alike "a rigid scene" simulate "$scenes/two_balls.json"
alike "a soft scene" simulate "$scenes/soft_gripper.json" --set time.steps=20
alike "a rigid scene optimized" optimize "$scenes/identify_push.json" --set optimizer.iterations=4
holds "by gauss_newton, with several candidates in an iteration" "$out" 'd["gradient"]["rollouts"] > 2 * d["iterations"] == 8'
alike "a soft scene optimized" optimize "$scenes/soft_identify.json" --set optimizer.iterations=2
holds "so is this one, and it names its linear systems" "$out" 'd["gradient"]["rollouts"] > 2 * d["iterations"] == 4 and "matrix" in d["linear"]'
finish
