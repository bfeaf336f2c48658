#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Reruns what the pages of results say, briefly, and fails where a number has left its stored interval (docs/measured/regress.json).
# Usage: scripts/regress.sh [--quick] [--record] [--publish] [--only WORD]     --quick: within five minutes of two cores; whole: within two hours
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
build=${DCSIM_BUILD:-$root/build}
if [ ! -x "$build/dcsim" ]; then
  echo "regress: there is no $build/dcsim (scripts/build.sh builds it)" >&2
  exit 2
fi
exec "$root/scripts/with-python" numpy -- "$root/scripts/regress.py" "$@" "$build"
