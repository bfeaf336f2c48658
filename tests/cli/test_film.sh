#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Films: usage, failures of the program that writes them (played by shell scripts), and what ffmpeg makes.
. "$DCSIM_SOURCE/tests/cli/harness.sh"

cat >scene.json <<'SCENE'
{ "name": "fall", "time": { "step": 0.02, "steps": 7 },
  "shapes": { "ball": { "type": "sphere", "radius": 0.1, "level": 1 }, "ground": { "type": "plane" } },
  "bodies": [ { "name": "ground", "joint": "fixed", "shape": "ground" },
              { "name": "ball", "shape": "ball", "position": [0, 0, 0.5], "color": [0.8, 0.1, 0.1] } ] }
SCENE
run 0 simulate scene.json -o fall --quiet
small="--size 64x48 --quiet"

# nothing is left behind by what fails: the film itself, temporary files, a folder of pictures
nothing() {
  check "nothing is left behind" [ "$(ls -A | tr '\n' ' ')" = "fall scene.json " ]
  check "no pictures either" [ ! -e fall/frames ]
}

# usage
for name in film.txt film film.mp4.png film.mp4/; do
  run 2 render fall $small --video $name
  says "dcsim: $name: a film's name must end in .mp4, .m4v, .mov or .mkv"
done
run 2 render fall --size 63x48 --video film.mp4
says "dcsim: a film's width and height must be even, 2 .. 16384 pixels (is 63x48)"
run 2 render fall --size 64x47 --video film.mp4
run 2 render nowhere $small --video film.txt
run 3 render nowhere $small --video film.mp4
run 2 render fall $small --every 1000000 --video film.mp4
says "a film has 0.001 .. 1000 frames per second"
nothing

# files that cannot be
run 5 render fall $small --video nowhere/film.mp4
says "dcsim: nowhere/film.mp4: No such file or directory"
nothing
mkdir film.mp4
run 5 render fall $small --video film.mp4
says "dcsim: film.mp4: is not a regular file"
rmdir film.mp4
nothing

# failures of ffmpeg, at the beginning, in the middle and in the end
PATH_BEFORE=$PATH
mkdir "$scratch/bin"
played_by() { # LINE...: a script of these lines is ffmpeg
  printf '%s\n' '#!/bin/sh' "$@" >"$scratch/bin/ffmpeg"
  chmod +x "$scratch/bin/ffmpeg"
  PATH=$scratch/bin:$PATH_BEFORE
}
played_by 'echo "Unrecognized option" >&2' 'exit 1'
run 5 render fall $small --video film.mp4
says "dcsim: film.mp4: ffmpeg failed with exit status 1: Unrecognized option"
nothing
played_by 'head -c 10000 >/dev/null' 'echo first >&2; echo "last words" >&2; echo "Conversion failed!" >&2' 'exit 3'
run 5 render fall $small --video film.mp4
says "dcsim: film.mp4: ffmpeg failed with exit status 3: last words"
nothing
played_by 'cat >/dev/null' 'kill -9 $$'
run 5 render fall $small --video film.mp4
says "dcsim: film.mp4: ffmpeg was killed by signal 9"
nothing
played_by 'exit 0'
run 5 render fall --size 640x480 --samples 1 --quiet --video film.mp4
says "dcsim: film.mp4: ffmpeg ended before the film did"
nothing
played_by 'cat >/dev/null' 'exit 1'
echo old >film.mp4
run 5 render fall $small --video film.mp4
check "the film that was there is untouched" [ "$(cat film.mp4)" = old ]
rm film.mp4
nothing

# what it is told: the pixels and the name of a file in the folder of the film
mkdir "$scratch/films"
played_by 'for name; do :; done' 'echo "$@" >'"$scratch/told" 'for name; do case $name in file:*) cat >"${name#file:}";; esac; done'
run 0 render fall $small --every 2 --video "$scratch/films/a film.mp4"
check "frames 0, 2, 4, 6 in 24 bits" [ "$(wc -c <"$scratch/films/a film.mp4")" -eq $((4 * 64 * 48 * 3)) ]
check "the rate is that of the run" grep -q -e "-framerate 25 " "$scratch/told"
check "nothing else is there" [ "$(ls -A "$scratch/films")" = "a film.mp4" ]
nothing

# it is told how far it is, and what the camera shows
run 0 render fall --size 64x48 --samples 1 --video "$scratch/films/front.mp4" --eye 0,-2,0.5 --target 0,0,0.3
check "progress tells the first frame" grep -qE '^frame 1/8  [0-9.]+ s(  ETA [0-9]+:[0-9]{2}:[0-9]{2})?$' "$err"
check "and an end" grep -qE '^frame 8/8  [0-9.]+ s$' "$err"
run 0 render fall --size 64x48 --samples 1 --quiet --video "$scratch/films/side.mp4" --eye 2,0,0.5 --target 0,0,0.8
check "another camera shows something else" sh -c '! cmp -s "$0/front.mp4" "$0/side.mp4"' "$scratch/films"
run 0 render fall --size 64x48 --samples 2 --quiet --video "$scratch/films/fine.mp4" --eye 2,0,0.5 --target 0,0,0.8
check "so do more samples" sh -c '! cmp -s "$0/fine.mp4" "$0/side.mp4"' "$scratch/films"
nothing

# a signal
played_by 'cat >/dev/null'
sh -c 'echo $$ >"$0"; exec "$@"' "$scratch/pid" "$dcsim" render fall --size 1280x960 --samples 4096 --video film.mp4 \
  2>"$err" >"$out" &
waited=0
until [ -n "$(ls -A | grep tmp)" ] || [ $waited -gt 3000 ]; do
  sleep 0.1
  waited=$((waited + 1))
done
kill -TERM "$(cat "$scratch/pid")"
noted
sleep 0.8 # what comes within half a second counts as the same signal
kill -TERM "$(cat "$scratch/pid")" 2>/dev/null
wait $!
status=$?
check "a second signal stops at once (143, is $status)" [ $status -eq 143 ]
rm -f .tmp-*
sh -c 'echo $$ >"$0"; exec "$@"' "$scratch/pid" "$dcsim" render fall --size 320x240 --samples 64 --video film.mp4 \
  2>"$err" >"$out" &
waited=0
until grep -q "^frame 1/" "$err" || [ $waited -gt 3000 ]; do
  sleep 0.1
  waited=$((waited + 1))
done
kill -TERM "$(cat "$scratch/pid")"
wait $!
status=$?
check "a signal stops after the frame (143, is $status)" [ $status -eq 143 ]
says "film.mp4 is not written"
nothing
PATH=$PATH_BEFORE

# no ffmpeg at all: only what the program's own start needs is in PATH
mkdir "$scratch/empty"
for tool in timeout sh ls cat sed grep rm mv ln mkdir expr dirname basename tr head; do
  found=$(command -v "$tool") && case $found in /*) ln -s "$found" "$scratch/empty/$tool" ;; esac
done
PATH=$scratch/empty
run 5 render fall $small --video film.mp4
says "dcsim: ffmpeg: not found in PATH; it writes the films (Debian package: ffmpeg)"
PATH=$PATH_BEFORE
nothing

if ! command -v ffmpeg >/dev/null 2>&1 || ! command -v ffprobe >/dev/null 2>&1; then
  skip "a film by ffmpeg" "no ffmpeg"
  finish
fi
if ! ffmpeg -hide_banner -encoders 2>/dev/null | grep -q libx264; then
  skip "a film by ffmpeg" "this ffmpeg has no libx264"
  finish
fi

about() { # FILE: what ffprobe finds, one name=value a line
  ffprobe -v error -count_frames -of default=nw=1 -show_entries \
    stream=codec_name,width,height,pix_fmt,avg_frame_rate,nb_read_frames "$1" >"$scratch/about" 2>&1
}
found() { # LINE...
  for line; do
    check "ffprobe: $line" grep -qxF "$line" "$scratch/about"
  done
}
run 0 render fall $small --video film.mp4
about film.mp4
found codec_name=h264 width=64 height=48 pix_fmt=yuv420p nb_read_frames=8 avg_frame_rate=50/1
check "no pictures are written" [ ! -e fall/frames ]
check "nor is anything else" [ "$(ls -A | tr '\n' ' ')" = "fall film.mp4 scene.json " ]
run 0 render fall $small --every 3 --video film.mp4 --json
parses "$out" "render --video --json"
check "it counts the frames" grep -q '"pictures": 3' "$out"
about film.mp4
found nb_read_frames=3 avg_frame_rate=50/3
for suffix in m4v mov mkv MP4; do
  run 0 render fall $small --every 7 --video "film.$suffix"
  about "film.$suffix"
  found codec_name=h264 nb_read_frames=2
done

# the film shows what the pictures show; observed: a mean difference of 1.0 of 255; 2.7 with the colours of BT.601,
# 20 with red and blue exchanged, 37 upside down
run 0 render fall --size 320x240 --samples 4 --every 7 --quiet
run 0 render fall --size 320x240 --every 7 --quiet --video film.mkv
decode() {
  ffmpeg -v error -nostdin "$@" -pix_fmt rgb24 -f rawvideo -y pixels
}
if have_python && decode -i film.mkv -vf scale=in_color_matrix=bt709 && mv pixels film &&
  decode -i fall/frames/000000.png && mv pixels pictures && decode -i fall/frames/000007.png && cat pixels >>pictures; then
  check "the film shows the pictures" python3 -c '
film, pictures = (open(name, "rb").read() for name in ("film", "pictures"))
difference = sum(abs(a - b) for a, b in zip(film, pictures)) / len(pictures)
print(difference)
assert len(film) == len(pictures) == 2 * 3 * 320 * 240 and difference < 1.6'
else
  skip "the film shows the pictures" "no python3, or ffmpeg does not decode"
fi

# a full disk, in ffmpeg; its first bytes are few, so the limit is small
rm -rf film* pictures pixels fall/frames
check "the disk is full: 5" sh -c 'ulimit -f 4; "$0" render fall --size 640x480 --samples 1 --quiet --video film.mp4 >"$1" 2>"$2"
  [ $? -eq 5 ]' "$dcsim" "$out" "$err"
says "dcsim: film.mp4: ffmpeg failed"
nothing
finish
