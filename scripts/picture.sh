#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Makes the picture of the README anew: the last frame of the optimized billiards shot.
# Usage: scripts/picture.sh, after a build.
set -eu
cd "$(dirname "$0")/.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
build/dcsim optimize scenes/billiards.json -o "$folder/run" --quiet
build/dcsim render "$folder/run" --size 1280x640 --samples 64 --every 100
cp "$folder/run/frames/000100.png" docs/billiards.png
