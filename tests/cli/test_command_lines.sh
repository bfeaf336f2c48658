#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Commands with drawn operands, options, limits, streams, folders and signals end with a status that the manual names
# and leave other files alone (scripts/soak/command_lines.py, a few draws).
. "$DCSIM_SOURCE/tests/cli/harness.sh"
have_python || { skip "command lines" "no python3"; finish; }
check "drawn command lines" env DCSIM="$dcsim" "$interpreter" -B "$DCSIM_SOURCE/scripts/soak/command_lines.py" --draws "$(sample 40 15)" --seed 7
finish
