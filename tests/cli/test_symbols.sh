#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The shared library exports what include/dcsim.h declares and nothing else.
set -eu
source=${DCSIM_SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}
build=${DCSIM_BUILD:-$source/build}
library=$build/lib/libdcsim.so

if [ ! -e "$library" ]; then
  echo "1..0 # SKIP no shared library at $library"
  exit 0
fi
if ! command -v nm > /dev/null 2>&1; then
  echo "1..0 # SKIP nm is not installed"
  exit 0
fi

status=0
exported=$(nm -D --defined-only "$library" | awk '{ print $NF }' | sed 's/@.*//' | sort -u)
# Functions are the names in front of a parenthesis; types of functions are not functions.
declared=$(sed -e 's,//.*,,' -e '/^ *typedef .*(/d' "$source/include/dcsim.h" | grep -oE 'dcsim_[a-z0-9_]+ *\(' | tr -d ' (' | sort -u)

echo "1..2"
foreign=$(printf '%s\n' "$exported" | grep -v '^dcsim_' || true)
if [ -z "$foreign" ]; then
  echo "ok 1 - only dcsim_* is visible"
else
  printf '%s\n' "$foreign" | sed 's/^/# visible: /'
  echo "not ok 1 - only dcsim_* is visible"
  status=1
fi

missing=0
for name in $declared; do
  if ! printf '%s\n' "$exported" | grep -qx "$name"; then
    echo "# declared, but not exported: $name"
    missing=1
  fi
done
if [ -n "$declared" ] && [ "$missing" = 0 ]; then
  echo "ok 2 - every declared function is exported"
else
  echo "not ok 2 - every declared function is exported"
  status=1
fi
exit $status
