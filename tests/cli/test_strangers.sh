#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs and places of others: no output replaces a pipe or a device, nothing is written through a link.
. "$DCSIM_SOURCE/tests/cli/harness.sh"
scenes=$DCSIM_SOURCE/scenes

run 0 simulate "$scenes/two_balls.json" -o run --quiet --no-report --set time.steps=3
mkfifo pipe pipe.png pipe.npz pipe.json pipe.glb
for ends in '.npz csv' '.npz npz' '.glb glb'; do
  run 5 export run --format "${ends#* }" -o "pipe${ends% *}"
  says "is not a regular file"
  check "it still is one" [ -p "pipe${ends% *}" ]
done
run 5 verify run -o pipe.json
check "a certificate replaces none" [ -p pipe.json ]
cat >contact.json <<'SCENE'
{"name": "contact", "time": {"step": 0.01, "steps": 1}, "shapes": {"cube": {"type": "box", "size": [1, 1, 1]}},
 "bodies": [{"name": "a", "shape": "cube"}, {"name": "b", "shape": "cube", "position": [1.1, 0, 0]}]}
SCENE
for file in pipe.npz pipe.png; do
  run 5 query contact.json --manifold -o $file
  check "a query replaces no $file" [ -p $file ]
done

# A run that goes on through a link to a file of others leaves that as it is.
run 0 optimize "$scenes/two_balls.json" -o going --quiet --no-report --set time.steps=3 --set optimizer.iterations=2
cp going/progress.jsonl victim
cp victim untouched
rm going/progress.jsonl
ln -s ../victim going/progress.jsonl
run 5 optimize --resume going --quiet --no-report
check "the file behind the link is as it was" cmp victim untouched
rm going/progress.jsonl
cp victim going/progress.jsonl

# What a run's members lead to is not shown, and nothing is written there.
mkdir elsewhere
echo 'position' >elsewhere/secret
for name in frames export; do
  ln -s ../elsewhere going/$name
  run 5 render going --every 1000 --size 32x32
  run 5 export going --format csv
  says "leads out of the run"
  rm going/$name
done
check "nothing was written elsewhere" [ "$(ls elsewhere)" = secret ]
mv going/loss.csv kept.csv
ln -s ../elsewhere/secret going/loss.csv
for command in report verify; do
  run 5 $command going
  says "is a link that leads out of the run"
done
rm going/loss.csv
mv kept.csv going/inner.csv
ln -s inner.csv going/loss.csv
run 0 report going
rm going/loss.csv
mv going/inner.csv going/loss.csv
mkfifo going/frames
run 5 render going --every 1000 --size 32x32
says "no directory"
rm going/frames

# A run that is not trusted has no links, and reads nothing but itself; neither does a run that another user owns.
run 0 verify going --untrusted --quick --no-report
cp going/scene.json going/other.json
mv going/scene.json going/export.json
ln -s export.json going/scene.json
run 0 verify going --quick --no-report
run 5 verify going --untrusted --quick
says "the run is not trusted"
if [ "$(id -u)" -eq 0 ] && chown 1 going 2>/dev/null; then
  run 5 verify going --quick
  says "the run is not trusted"
  chown 0 going
else
  skip "a run of another user" "only root can give one away"
fi
rm going/scene.json going/other.json
mv going/export.json going/scene.json
cp -r going away
sed 's/"shapes": {/"shapes": {"unused": {"type": "mesh", "file": "MESH", "convex": true}, /' going/resolved.json |
  sed "s|MESH|$PWD/data/t.obj|" >away/resolved.json
mkdir data
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n' >data/t.obj
own=$DCSIM_DATADIR
DCSIM_DATADIR=$PWD/data
run 3 verify away --untrusted --quick
says "outside the run"
DCSIM_DATADIR=$own

# Any other folder is told to be no run, whatever links it has.
mkdir -p plain/below
ln -s /etc/passwd plain/below/link
for command in report verify "optimize --resume"; do
  # shellcheck disable=SC2086
  run 5 $command plain
  says "plain: is no run"
done

# A surface of points is read from a regular file.
mkfifo points.txt
cat >points.json <<'SCENE'
{"name": "points", "time": {"step": 0.01, "steps": 1}, "shapes": {"p": {"type": "points", "file": "points.txt"}},
 "bodies": [{"name": "a", "shape": "p"}]}
SCENE
run 3 check points.json
says "is a named pipe"

# Buffers of a glTF file lie below its folder; the copy in the run holds them itself.
gltf() {
  cat >"mesh/$1.gltf" <<GLTF
{"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0}],
 "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
 "buffers": [{"uri": "$2", "byteLength": 72}],
 "bufferViews": [{"buffer": 0, "byteOffset": 0, "byteLength": 48}, {"buffer": 0, "byteOffset": 48, "byteLength": 24}],
 "accessors": [{"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3", "min": [0, 0, 0], "max": [1, 1, 1]},
  {"bufferView": 1, "componentType": 5123, "count": 12, "type": "SCALAR"}]}
GLTF
  printf '{"time": {"step": 0.01, "steps": 2}, "shapes": {"m": {"type": "mesh", "file": "mesh/%s.gltf"}},
   "bodies": [{"name": "b", "shape": "m", "mass": 1}]}' "$1" >"$1.json"
}
if built_with Assimp; then
  mkdir -p mesh/below
  bytes='\0\0\0\0\0\0\0\0\0\0\0\0\0\0\200\077\0\0\0\0\0\0\0\0\0\0\0\0\0\0\200\077\0\0\0\0\0\0\0\0\0\0\0\0\0\0\200\077'
  # shellcheck disable=SC2059
  printf "$bytes"'\0\0\2\0\1\0\0\0\1\0\3\0\0\0\3\0\2\0\1\0\2\0\3\0' >mesh/below/b.bin
  cp mesh/below/b.bin outside.bin
  mkfifo mesh/below/pipe.bin
  ln -s ../../outside.bin mesh/below/out.bin
  ln -s b.bin mesh/below/in.bin
  gltf good below/b.bin
  gltf link below/in.bin
  run 0 simulate good.json -o good --quiet --no-report
  check "the copy names no file" grep -q '"uri": "data:application/octet-stream;base64,AAAA' good/meshes/good.gltf
  rm mesh/below/b.bin
  run 0 report good
  cp outside.bin mesh/below/b.bin
  run 0 check link.json
  for uri in ../outside.bin "$PWD/mesh/below/b.bin" /etc/passwd /dev/zero /dev/stdin below/pipe.bin below/out.bin \
    below none.bin "file://below/b.bin"; do
    gltf bad "$uri"
    run 3 check bad.json </dev/null
    says "it names the file"
  done
  cp mesh/below/b.bin there.bin
  gltf bad there.bin
  run 3 check bad.json
else
  skip "buffers of glTF files" "built without Assimp"
fi

# What a run takes from another one, and what it is resumed with, lies in the run, too.
echo '{"secret": 1}' >elsewhere/secret.json
for name in trajectory.h5 resolved.json checkpoint.bin; do
  cp -r going linked
  rm -f linked/$name
  ln -s ../elsewhere/secret.json linked/$name
  run 5 simulate "$scenes/two_balls.json" --control linked -o controlled --quiet --no-report --set time.steps=3
  says "leads out of the run"
  for scene in "" "$scenes/two_balls.json"; do
    # shellcheck disable=SC2086
    run 5 optimize $scene --resume linked --quiet
    says "leads out of the run"
    check "and nothing of the file is told" [ "$(grep -c 'unknown key' "$err")" = 0 ]
  done
  rm -r linked
done

# A run may lie deeper than most names are long, and is reported on.
deep=$PWD
while [ ${#deep} -lt 3000 ]; do deep=$deep/0123456789012345678901234567890123456789012345678901234567890123456789; done
deeply() { check "$1 of a run at the end of a name of 3,000 bytes" "$dcsim" "$@"; }
deeply simulate "$scenes/two_balls.json" -o "$deep" --quiet --set time.steps=3
check "it has its report" [ -s "$deep/report.html" ]
deeply report "$deep"
deeply verify "$deep"
deeply export "$deep" --format csv
deeply diff "$deep" "$deep"

# Files of every kind, damaged, through the commands that read them; more of them by scripts/soak/damaged.py alone.
if have_python; then
  check "damaged files of every kind end with a status and a message, in bounded memory" \
    env DCSIM="$dcsim" "$interpreter" -B "$DCSIM_SOURCE/scripts/soak/damaged.py" --draws "$(sample 120 80)" --seed 7 --memory 1500
else
  skip "damaged files of every kind" "no python3"
fi
finish
