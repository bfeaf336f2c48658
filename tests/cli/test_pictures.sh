#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What pictures show besides bodies: contacts, ways, grid, words; moving cameras; bad input.
. "$DCSIM_SOURCE/tests/cli/harness.sh"

cat >scene.json <<'SCENE'
{ "name": "slide", "time": { "step": 0.02, "steps": 12 }, "contact": { "friction": 0.3 },
  "shapes": { "box": { "type": "box", "size": [0.2, 0.2, 0.2] }, "ground": { "type": "plane" } },
  "bodies": [ { "name": "ground", "joint": "fixed", "shape": "ground" },
              { "name": "box", "shape": "box", "mass": 1, "position": [0, 0, 0.105], "velocity": [1, 0, 0], "color": [0.8, 0.1, 0.1] } ],
  "camera": { "eye": [0.4, -2, 1], "target": [0.1, 0, 0.1] } }
SCENE
run 0 simulate scene.json -o slide --quiet
small="--size 160x90 --quiet --every 6"
drawn() { # NAME OPTION...: pictures with these options, kept as NAME-FRAME.png
  name=$1
  shift
  run 0 render slide $small "$@"
  for frame in 000000 000006 000012; do
    mv "slide/frames/$frame.png" "$name-$frame.png" || fail "$name: frame $frame"
  done
}
differ() { check "$1 and $2 differ" sh -c '! cmp -s "$0" "$1"' "$1" "$2"; }

drawn plain
for option in contacts trails grid annotate; do
  drawn $option --$option
  differ plain-000012.png $option-000012.png
done
check "nothing has moved yet: no trails" cmp plain-000000.png trails-000000.png
drawn two --contacts --annotate --threads 1
drawn again --contacts --annotate --threads 2
check "any number of threads" cmp two-000012.png again-000012.png

# moving cameras begin where they stand
drawn follow --follow box
check "it begins where it stands" cmp plain-000000.png follow-000000.png
differ plain-000012.png follow-000012.png
drawn orbit --orbit 60
check "an orbit begins where it stands" cmp plain-000000.png orbit-000000.png
differ plain-000012.png orbit-000012.png
drawn turn --orbit 360
if have_python; then
  check "once around is where it began" env PYTHONPATH="$DCSIM_SOURCE/tests/cli" python3 -B -c '
from png_pixels import pixels
one, other = [[part for row in pixels(name) for pixel in row for part in pixel] for name in ("plain-000012.png", "turn-000012.png")]
assert len(one) == len(other) == 160 * 90 * 3
difference = sum(abs(a - b) for a, b in zip(one, other)) / len(one)
print(difference)
assert difference < 0.1'
else
  skip "once around is where it began" "no python3"
fi

# bad input
run 2 render slide $small --follow nobody
says 'there is no body "nobody" to follow'
run 2 render slide $small --orbit far
run 2 render slide $small --orbit 1e9
cat >alone.json <<'SCENE'
{ "name": "alone", "time": { "step": 0.02, "steps": 2 }, "shapes": { "ball": { "type": "sphere", "radius": 0.1 } },
  "bodies": [ { "name": "ball", "shape": "ball" } ] }
SCENE
run 0 simulate alone.json -o alone --quiet
run 2 render alone $small --contacts
says "holds no contacts to draw"
run 0 render alone $small --annotate --trails --grid

finish
