#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A sample of scripts/soak/calls.py: drawn calls of the Python package and of the C library with wrong arguments end
# neither by a signal nor late.
. "$DCSIM_SOURCE/tests/cli/harness.sh"
library=$DCSIM_BUILD/lib/libdcsim.so.0
if ! python_with numpy; then
  skip "drawn calls" "no python3 with numpy"
elif [ ! -e "$library" ]; then
  skip "drawn calls" "no shared library"
elif ldd "$library" | grep -q 'lib[au]\(san\|bsan\)'; then
  skip "drawn calls" "the library needs a sanitizer's run-time library (calls.py --preload)"
else
  DCSIM_LIBRARY=$library within 300 "$python" -B "$DCSIM_SOURCE/scripts/soak/calls.py" --calls 100 --limit 120 >calls 2>&1
  status=$?
  sed 's/^/# /' calls
  check "drawn calls are answered" [ $status -eq 0 ]
fi
finish
