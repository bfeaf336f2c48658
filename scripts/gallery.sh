#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Makes the pictures of docs/gallery.md anew: the last frame and a strip of five per task, and films of some, from short runs; about ten minutes on two cores, most of them for gather.
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

most=160000       # bytes of a picture
most_of_film=700000
filmed=" billiards box_slide soft_throw_bin muscle_worm " # scripts/animations.sh makes those of push and ant_push

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

is_wanted() {
  case $wanted in "  " | *" $1 "*) ;; *) return 1 ;; esac
}

# draw NAME RUN: the last frame of a run becomes NAME.png, five frames from the first to the last NAME-strip.png, both with the options in $view.
view=
draw() {
  rm -rf "$2/frames"
  # shellcheck disable=SC2086 # words
  "$dcsim" render "$2" --size 1280x720 --quiet $view >/dev/null
  pictures=$(find "$2/frames" -name '*.png' | sort)
  count=$(printf '%s\n' "$pictures" | wc -l)
  reduced "$1.png" "" -i "$(printf '%s\n' "$pictures" | tail -n 1)"
  mkdir -p "$2/frames/strip"
  for part in 0 1 2 3 4; do
    cp "$(printf '%s\n' "$pictures" | sed -n "$((1 + part * (count - 1) / 4))p")" "$2/frames/strip/$part.png"
  done
  reduced "$1-strip.png" "scale=320:-1:flags=area,tile=5x1," -i "$2/frames/strip/%d.png"
}

# film NAME RUN: the motion as NAME.gif in real time, about 75 pictures, with the options in $view but for how many are left out
film() {
  every=$(($(sed -n 's/.*"steps": *\([0-9]*\).*/\1/p' "$2/run.json" | head -n 1) / 75 + 1))
  # shellcheck disable=SC2086 # words
  "$dcsim" render "$2" --video "$runs/$1.mp4" --size 640x360 --quiet $(echo " $view" | sed 's/ --every [0-9]*//') --every $every >/dev/null
  # what does not change is not written again; the end stays for a second
  ffmpeg -v error -y -i "$runs/$1.mp4" -vf \
    "tpad=stop_mode=clone:stop_duration=1,scale=400:-1:flags=lanczos,split[a][b];[a]palettegen=max_colors=96:stats_mode=diff[p];[b][p]paletteuse=dither=bayer:bayer_scale=4:diff_mode=rectangle" \
    "$gallery/$1.gif"
  size=$(wc -c <"$gallery/$1.gif")
  if [ "$size" -gt $most_of_film ]; then
    echo "gallery: $gallery/$1.gif has $size bytes, over $most_of_film" >&2
    exit 1
  fi
}

# picture NAME COMMAND SCENE [OPTION...]: draws a run of the command on the scene, which is made unless KEEP has it.
picture() {
  name=$1 command=$2 scene=$3
  shift 3
  is_wanted "$name" || return 0
  [ -s "$runs/$name/run.json" ] || "$dcsim" "$command" "scenes/$scene.json" -o "$runs/$name" --quiet "$@"
  draw "$name" "$runs/$name"
  case $filmed in *" $name "*) film "$name" "$runs/$name" ;; esac
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
if is_wanted codesign_single_jaw; then # in two stages
  run=$runs/codesign_single_jaw_design
  [ -s "$run/run.json" ] || scripts/paper/codesign-single-jaw --only design --dcsim "$dcsim" --output "$runs" >/dev/null
  view="--eye 0.24,-0.36,0.68 --target 0,0,0.19"
  draw codesign_single_jaw "$run"
  view=
fi
picture cloth_drape optimize cloth_drape
picture soft_gripper optimize soft_gripper
view="--eye 0.5,-0.75,0.45 --target 0.15,0,0.03"
picture soft_far_push optimize soft_far_push
view="--eye 0.22,-0.36,0.17 --target 0.06,0,0.095"
picture tendon_finger optimize tendon_finger
view=

# The ten tasks of scripts/soft_tasks.py; their scenes have cameras.
view="--every 15 --eye 0.12,-0.26,0.33 --target 0.005,0,0.29"
picture pneumatic_finger optimize pneumatic_finger
view="--every 15 --eye 0.05,-0.38,0.16 --target 0.01,0,0.015"
picture muscle_worm optimize muscle_worm
view="--every 14 --eye 0.55,-1.9,0.9 --target 0.55,0,0.15"
picture soft_throw_bin optimize soft_throw_bin
view="--every 15"
picture soft_arm_lift optimize soft_arm_lift
picture soft_quadruped optimize soft_quadruped
picture cloth_fold optimize cloth_fold
picture cloth_bar optimize cloth_bar
picture rope_post optimize rope_post
picture guide_orient optimize guide_orient
view="--every 10"
picture cushion_catch optimize cushion_catch
view=
