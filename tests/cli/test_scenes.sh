#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every scene that is shipped can be checked, probed, rolled out and, with a receding horizon, optimized.
. "$DCSIM_SOURCE/tests/cli/harness.sh"
for scene in "$DCSIM_SOURCE"/scenes/*.json; do
  name=$(basename "$scene")
  [ -e "$scene" ] || continue
  check "$name is installed" grep -qw "scenes/$name" "$DCSIM_SOURCE/scenes/Makefile.inc"
  # the mesh is not part of the sources: scripts/fetch-meshes.sh gets it
  if grep -q '"[^"]*bunny.obj"' "$scene" && [ ! -e "$DCSIM_SOURCE/meshes/bunny.obj" ]; then
    skip "$name" "no meshes/bunny.obj"
    continue
  fi
  run 0 check "$scene"
  check "$name: check has a report" [ -s "$out" ]
  run 0 check --json "$scene"
  parses "$out" "$name: check --json"
  check "$name: nothing to advise" sh -c '! grep -q "\"symptom\"" "$1"' sh "$out"
  run 0 probe --json "$scene"
  parses "$out" "$name: probe --json"
  # problems without time are small enough to be solved
  if grep -q '"problem": *"refine"' "$scene"; then
    run 0 optimize "$scene" -o none --json --quiet --require-success
    parses "$out" "$name: optimize --json"
    continue
  fi
  # in three steps no random shot carries a body far
  near=""
  grep -q '"shot"' "$scene" && near="--set objective.0.shot.minimum_distance=0"
  # objectives that count from a later frame on, or until one, do so in the first three
  grep -q '"relative".*"from"' "$scene" && near="--set objective.0.from=0"
  grep -q '"relative".*"until"' "$scene" && near="--set objective.0.until=3 --set objective.1.from=0"
  # shellcheck disable=SC2086 # two words or none
  run 0 simulate "$scene" -o none --set time.steps=3 --json $near
  parses "$out" "$name: simulate --json"
  if grep -q '"horizon"' "$scene"; then
    run 0 optimize "$scene" -o none --json --quiet --set time.steps=3 --set horizon.length=2 --set horizon.apply=1 --set horizon.iterations=1
    parses "$out" "$name: optimize --json"
    check "$name: the loss has a gradient from the start" grep -q '"iterations": [1-9]' "$out"
  fi
done
check "nothing was created" [ -z "$(ls -A)" ]
run 0 schema
parses "$out" "schema"
run 0 list
run 0 list --json
parses "$out" "list --json"
for family in models joints shapes controls objectives optimizers; do
  run 0 list "$family" --json
  check "list $family --json holds $family" grep -q "\"$family\"" "$out"
done
finish
