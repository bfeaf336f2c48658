#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Everything in docs/cookbook.md works as it stands there, and its tasks are reached.
. "$DCSIM_SOURCE/tests/cli/harness.sh"
. "$DCSIM_SOURCE/tests/cli/pages.sh"
run_page "$DCSIM_SOURCE/docs/cookbook.md"

for task in push throw bank grasp ant identification reach gripper robot slider goal local hard finger; do
  check "runs/$task is reached" grep -qE '"success": *true' runs/$task/run.json
done
check "all points of the study are reached" [ "$(grep -l '"success": *true' runs/study/points/*/run.json | wc -l)" -eq 4 ]
finish
