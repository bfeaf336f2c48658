#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tasks are solved, whatever the kernels: a run that is rich in contact takes another course with other rounding, and
# must reach its end all the same.  Push as it is shipped, from behind and from the side that gradients alone do not
# find the way from; gather and sort with some of their cubes; the ant as it is shipped; an arm of seven joints with a
# cube.
. "$DCSIM_SOURCE/tests/cli/harness.sh"
scenes=$DCSIM_SOURCE/scenes
sed -e '/"name": "cube[2-9]"/d' -e 's/, "cube[2-9]"//g' "$scenes/gather.json" >gather.json
sed -e '/"name": "cube[4-9]"/d' -e 's/, "cube[4-9]"//g' -e 's/"cube[4-9]", //g' "$scenes/sort.json" >sort.json
check "two cubes are left to gather" [ "$(grep -c '"name": "cube' gather.json)" = 2 ]
check "four cubes are left to sort" [ "$(grep -c '"name": "cube' sort.json)" = 4 ]
# The widest kernels solve all of them, others push and the ant; with DCSIM_SOLVE_ALL, as scripts/soak.sh sets it, all of
# them.
widths=baseline
widest=baseline
for width in avx2 avx512; do
  flag=$width
  [ "$width" != avx512 ] || flag=avx512f
  ! grep -qw "$flag" /proc/cpuinfo 2>/dev/null || { widths="$widths $width" && widest=$width; }
done
# of a sample the widest alone
[ "$(sample 1 0)" = 1 ] || widths=$widest

solved() {
  what=$1
  shift
  run 0 optimize "$@" -o none --json --quiet --require-success
  check "$what is reached by $DCSIM_VECTOR kernels" grep -q '"success": true' "$out"
}

for width in $widths; do
  DCSIM_VECTOR=$width
  export DCSIM_VECTOR
  solved push "$scenes/push.json"
  solved ant_push "$scenes/ant_push.json"
  [ "$width" = "$widest" ] || [ -n "${DCSIM_SOLVE_ALL:-}" ] || continue
  solved franka_push "$scenes/franka_push.json"
  # of a sample no longer ones
  [ "$(sample 1 0)" = 1 ] || continue
  solved "push from the blind side" "$scenes/push.json" --set 'bodies.box.position=[0,0,0.259]' \
    --set 'bodies.rod.position=[0.8,0.6,0.25]' --set 'objective.0.target=[1,0.8,0.259]'
  solved "gather with two cubes" gather.json
  solved "sort with four cubes" sort.json
done
finish
