#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Makes the pictures of docs/gallery.md anew: one per task, from short runs; about ten minutes on two cores, most of them for gather.
# Usage: scripts/gallery.sh [NAME]..., after a build; without names all.  DCSIM names another program than build/dcsim, GALLERY another
# folder than docs/gallery; KEEP, a folder, keeps the run directories.  Wants the program ffmpeg, which reduces colours.
set -eu
cd "$(dirname "$0")/.."
dcsim=${DCSIM:-build/dcsim}
gallery=${GALLERY:-docs/gallery}
mkdir -p "$gallery"
if [ -n "${KEEP:-}" ]; then
  runs=$KEEP
  mkdir -p "$runs"
else
  runs=$(mktemp -d)
  trap 'rm -rf "$runs"' EXIT
fi
wanted=" $* "

# picture NAME COMMAND SCENE [OPTION...]: runs the command on the scene; the last frame becomes NAME.png, with the options in $view.
view=
picture() {
  name=$1 command=$2 scene=$3
  shift 3
  case $wanted in "  " | *" $name "*) ;; *) return 0 ;; esac
  "$dcsim" "$command" "scenes/$scene.json" -o "$runs/$name" --quiet "$@"
  # shellcheck disable=SC2086 # words
  "$dcsim" render "$runs/$name" --size 480x270 --every 10000 --quiet $view >/dev/null
  last=$(find "$runs/$name/frames" -name '*.png' | sort | tail -n 1)
  # Few colours without patterns of dots: surfaces are of one colour each, and a third of the bytes remains.
  ffmpeg -v error -y -i "$last" -vf 'split[a][b];[a]palettegen=max_colors=96[p];[b][p]paletteuse=dither=none' "$gallery/$name.png"
  size=$(wc -c <"$gallery/$name.png")
  if [ "$size" -gt 60000 ]; then
    echo "gallery: $gallery/$name.png has $size bytes, over 60000" >&2
    exit 1
  fi
}

picture billiards optimize billiards
picture push optimize push --set horizon.iterations=20
picture ant_push optimize ant_push
view="--eye -0.7,-0.85,0.65 --target 0.12,0,0.03"
picture box_slide optimize box_slide
view=
picture book_stacking simulate book_stacking
view="--eye 0.2,-0.26,0.17 --target -0.01,0,0.005"
picture grasp_hand5_ball optimize grasp_hand5_ball
picture grasp_hand3_cup optimize grasp_hand3_cup
view=
picture sort optimize sort --set horizon.iterations=12
picture gather optimize gather --set horizon.iterations=12
