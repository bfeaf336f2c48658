#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Hostile names in scenes, robots, meshes and runs, under a tracer: nothing outside of the folder is read or written
# (scripts/soak/traced.py, a few draws).
. "$DCSIM_SOURCE/tests/cli/harness.sh"
strace -qq -o /dev/null true >/dev/null 2>&1 || { skip "files outside" "strace is not there, or may not trace"; finish; }
command -v python3 >/dev/null || { skip "files outside" "python3 is not there"; finish; }
check "drawn names that lead elsewhere" within 300 python3 "$DCSIM_SOURCE/scripts/soak/traced.py" --draws "$(sample 24 8)" \
  --seed 5 --dcsim "$dcsim" --data "$DCSIM_DATADIR"
finish
