#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Everything in docs/tutorial.md works as it stands there.
. "$DCSIM_SOURCE/tests/cli/harness.sh"
. "$DCSIM_SOURCE/tests/cli/pages.sh"
tutorial=$DCSIM_SOURCE/docs/tutorial.md
run_page "$tutorial"

for task in shot knock arm friction mine; do
  check "runs/$task is reached" grep -qE '"success": *true' runs/$task/run.json
done
check "commands of the tutorial are many" [ "$(cat "$blocks"/*.out | wc -l)" -gt 40 ]
for command in check optimize render probe gradcheck schema new; do
  check "it shows dcsim $command" grep -q "^dcsim $command" "$tutorial"
done
check "knock.json names a schema that is there" [ -s scene.schema.json ]
check "pictures were drawn" [ -s runs/friction/frames/000050.png ]
finish
