#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# dcsim schema beside an independent validator: it accepts every scene that is shipped, and refuses what dcsim refuses.
. "$DCSIM_SOURCE/tests/cli/harness.sh"
npm=$DCSIM_SOURCE/tests/npm

run 0 schema
cp "$out" "$scratch/schema.json"

# a scene may name its schema, for editors; it says nothing about the run
sed 's/^{/{ "$schema": "scene.schema.json",/' "$DCSIM_SOURCE/scenes/two_balls.json" >scene.json
run 0 simulate scene.json -o run --quiet --set time.steps=3
check "the scene as read keeps \$schema" grep -qF '"$schema"' run/scene.json
check "resolved.json does not" sh -c '! grep -qF "\$schema" run/resolved.json'
sed 's/^{/{ "$schema": 1,/' "$DCSIM_SOURCE/scenes/two_balls.json" >scene.json
run 3 check scene.json
says '["$schema"]: must be a string'

if ! command -v node >/dev/null 2>&1; then
  skip "scenes against the schema" "no node"
  finish
fi
if [ ! -d "$npm/node_modules/ajv" ]; then
  skip "scenes against the schema" "no tests/npm/node_modules: scripts/setup.sh --all, or npm ci there"
  finish
fi
validate() { within 120 node "$npm/validate_scenes.mjs" "$scratch/schema.json" "$@"; }

check "the schema is one, in the strict mode of ajv" validate
validate "$DCSIM_SOURCE"/scenes/*.json >"$scratch/said"
for scene in "$DCSIM_SOURCE"/scenes/*.json; do
  check "$(basename "$scene") is valid" grep -qxF "valid $scene" "$scratch/said"
done
grep '^refused' "$scratch/said" | sed 's/^/# /'

mkdir broken
check "broken scenes" node "$npm/broken_scenes.mjs" broken
check "some thirty of them" [ "$(ls broken | wc -l)" -gt 30 ]
validate broken/*.json >"$scratch/said"
run 0 check broken/sound.json
check "the sound one is valid" grep -qxF "valid broken/sound.json" "$scratch/said"
for scene in broken/[0-9]*.json; do
  path=${scene#*-}
  path=${path%.json}
  run 3 check "$scene"
  says "${path##*.}"
  check "the schema refuses $path in $scene" grep -qF "refused $scene: " "$scratch/said"
done
finish
