#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Makes the pictures of docs/gallery.md anew: the last frame and a strip of five per task, from short runs; about ten minutes on two cores, most of them for gather.
# Usage: scripts/gallery.sh [NAME]..., after a build; without names all.  DCSIM names another program than build/dcsim, GALLERY another
# folder than docs/gallery; KEEP, a folder, keeps the run directories and takes those that are there.  Wants the program ffmpeg, which reduces colours.
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

most=160000 # bytes of a picture

# reduced FILE FILTER INPUT...: 256 colours, errors spread to neighbours so that balls show no bands; a third of the bytes remains
reduced() {
  file=$gallery/$1 filter=$2
  shift 2
  ffmpeg -v error -y "$@" -frames:v 1 -vf "${filter}split[a][b];[a]palettegen=max_colors=256[p];[b][p]paletteuse=dither=sierra2_4a" "$file"
  size=$(wc -c <"$file")
  if [ "$size" -gt $most ]; then
    echo "gallery: $file has $size bytes, over $most" >&2
    exit 1
  fi
}

# picture NAME COMMAND SCENE [OPTION...]: runs the command on the scene, unless KEEP has the run; the last frame becomes NAME.png, five
# frames from the first to the last NAME-strip.png, both with the options in $view.
view=
picture() {
  name=$1 command=$2 scene=$3
  shift 3
  case $wanted in "  " | *" $name "*) ;; *) return 0 ;; esac
  [ -s "$runs/$name/run.json" ] || "$dcsim" "$command" "scenes/$scene.json" -o "$runs/$name" --quiet "$@"
  rm -rf "$runs/$name/frames"
  # shellcheck disable=SC2086 # words
  "$dcsim" render "$runs/$name" --size 1280x720 --quiet $view >/dev/null
  pictures=$(find "$runs/$name/frames" -name '*.png' | sort)
  count=$(printf '%s\n' "$pictures" | wc -l)
  reduced "$name.png" "" -i "$(printf '%s\n' "$pictures" | tail -n 1)"
  mkdir -p "$runs/$name/frames/strip"
  for part in 0 1 2 3 4; do
    cp "$(printf '%s\n' "$pictures" | sed -n "$((1 + part * (count - 1) / 4))p")" "$runs/$name/frames/strip/$part.png"
  done
  reduced "$name-strip.png" "scale=320:-1:flags=area,tile=5x1," -i "$runs/$name/frames/strip/%d.png"
}

picture billiards optimize billiards
picture push optimize push
picture ant_push optimize ant_push
view="--eye -0.7,-0.85,0.65 --target 0.12,0,0.03"
picture box_slide optimize box_slide
view=
picture book_stacking simulate book_stacking
view="--eye 0.2,-0.26,0.17 --target -0.01,0,0.005"
picture grasp_hand5_ball optimize grasp_hand5_ball
picture grasp_hand3_cup optimize grasp_hand3_cup
view=
picture sort optimize sort
picture gather optimize gather
picture cloth_drape optimize cloth_drape
picture soft_gripper optimize soft_gripper
