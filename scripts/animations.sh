#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Animated pictures of push and of the ant for README.md: docs/push.gif and docs/ant_push.gif, at most 1 MB each.
# Usage: scripts/animations.sh [DCSIM] [RUNS], from any directory; RUNS keeps the runs (a temporary folder unless given).
set -eu
cd "$(dirname "$0")/.."
dcsim=${1:-build/dcsim}
runs=${2:-$(mktemp -d)}
most=1000000

animate() { # SCENE EVERY
  [ -s "$runs/$1/run.json" ] || "$dcsim" optimize "scenes/$1.json" -o "$runs/$1" --quiet --no-report
  "$dcsim" render "$runs/$1" --video "$runs/$1.mp4" --size 640x360 --every "$2" --samples 16 --quiet
  # colours of its own for each film, and what does not change is not written again
  ffmpeg -loglevel error -y -i "$runs/$1.mp4" -vf \
    "tpad=stop_mode=clone:stop_duration=1,scale=520:-1:flags=lanczos,split[a][b];[a]palettegen=max_colors=96:stats_mode=diff[p];[b][p]paletteuse=dither=bayer:bayer_scale=4:diff_mode=rectangle" \
    "$runs/$1.gif"
  size=$(wc -c < "$runs/$1.gif")
  if [ "$size" -gt $most ]; then
    echo "$1.gif has $size bytes, more than $most" >&2
    exit 1
  fi
  cp "$runs/$1.gif" "docs/$1.gif"
  echo "docs/$1.gif: $size bytes"
}
animate push 4
animate ant_push 4
