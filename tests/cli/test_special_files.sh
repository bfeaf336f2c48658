#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Links, pipes, sockets, folders and devices in the place of each file that a command reads or writes: nothing is read or
# written outside, none is waited for or replaced (scripts/soak/special_files.py, one case in so many).
. "$DCSIM_SOURCE/tests/cli/harness.sh"
have_python || { skip "special files" "no python3"; finish; }
check "links, pipes, sockets, folders and devices in the place of files" env DCSIM="$dcsim" "$interpreter" -B \
  "$DCSIM_SOURCE/scripts/soak/special_files.py" --every "$(sample 19 53)" --offset 3
finish
