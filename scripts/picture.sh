#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Makes the pictures of the README anew: the last frames of the optimized billiards shot and of the push task.
# Usage: scripts/picture.sh, after a build.
set -eu
cd "$(dirname "$0")/.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
build/dcsim optimize scenes/billiards.json -o "$folder/shot" --quiet
build/dcsim render "$folder/shot" --size 1280x640 --every 100
cp "$folder/shot/frames/000100.png" docs/billiards.png
build/dcsim optimize scenes/push.json -o "$folder/push" --quiet
build/dcsim render "$folder/push" --size 1280x560 --every 1000
cp "$(ls "$folder/push/frames/"*.png | tail -n 1)" docs/push.png
