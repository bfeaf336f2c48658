#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Makes the pictures of README.md and docs/tutorial.md anew: last frames of the billiards shot, of push and of the tutorial's scenes, and a report.
# Usage: scripts/picture.sh, after a build.  Wants ffmpeg, which reduces colours, and chromium, which draws the report.
set -eu
cd "$(dirname "$0")/.."
root=$PWD
dcsim=$root/build/dcsim
export DCSIM_DATADIR="$root"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# last RUN SIZE FILE [OPTION]: the last frame of a run, with 256 colours
last() {
  "$dcsim" render "$1" --size "$2" --every 1000 --quiet ${4:-} > /dev/null
  reduced "$(find "$1/frames" -name '*.png' | sort | tail -n 1)" "$3"
}
reduced() {
  ffmpeg -v error -y -i "$1" -frames:v 1 -vf "split[a][b];[a]palettegen=max_colors=256[p];[b][p]paletteuse=dither=sierra2_4a" "$2"
}

for task in billiards push; do
  "$dcsim" optimize scenes/$task.json -o "$folder/$task" --quiet
done
last "$folder/billiards" 1280x640 docs/billiards.png
last "$folder/push" 1280x560 docs/push.png

# the tutorial's scenes, as they stand in its fences
cd "$folder"
awk '/^```json /{ file = $2; next } /^```$/{ file = ""; next } file { print > file }' "$root/docs/tutorial.md"
"$dcsim" new robot mine.json
"$dcsim" optimize knock.json -o struck --quiet --set contact.stiffness=0.0001
for task in arm friction mine; do
  "$dcsim" optimize $task.json -o $task --quiet
done
last struck 640x360 "$root/docs/tutorial/struck.png" --trails
for task in arm friction mine; do
  last $task 640x360 "$root/docs/tutorial/$task.png"
done
chromium --headless --no-sandbox --use-gl=angle --use-angle=swiftshader --enable-unsafe-swiftshader --hide-scrollbars --window-size=1100,1180 \
  --virtual-time-budget=8000 --screenshot="$folder/report.png" "file://$folder/struck/report.html" > /dev/null 2>&1
reduced "$folder/report.png" "$root/docs/tutorial/report.png"
