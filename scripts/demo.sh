#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds dcsim, lets it find a billiards shot, starting from a cue ball at rest, draws pictures of it and says where everything lies.
# Usage: scripts/demo.sh [option of dcsim optimize]..., from any directory.
set -eu
cd "$(dirname "$0")/.."
scripts/build.sh --demo
run=runs/billiards-demo-$(date -u +%Y%m%dT%H%M%SZ)

echo
echo "Optimizing the cue ball's start (Ctrl-C stops and keeps the best so far) ..."
status=0
build/dcsim optimize scenes/billiards.json -o "$run" "$@" || status=$?
if [ ! -s "$run/trajectory.h5" ]; then
  echo "demo: the optimization left no trajectory (exit status $status)" >&2
  exit $((status ? status : 1))
fi

echo
echo "Drawing pictures ..."
build/dcsim render "$run"

frames=$(find "$run/frames" -name '*.png' | wc -l)
losses=$(awk -F, 'NR == 2 { first = $2; best = $2 } NR > 1 && $2 < best { best = $2 } END { printf "from %.4g to %.4g", first, best }' "$run/loss.csv")
cat <<END

Done. The loss went $losses. Everything is in $PWD/$run:

  loss curve   loss.csv        one row per iteration: loss, size of the gradient, smallest gap between bodies
  report       report.html     all of it on one page, to open in a browser: 3D replay, charts, settings
  pictures     frames/         $frames pictures (PNG) of the best trajectory, in the order of time
  trajectory   trajectory.h5   position and rotation of every body at every time step, the best and the first one (HDF5)

Next: look at scenes/billiards.json, change it, and run  build/dcsim optimize scenes/billiards.json
END
exit $status
