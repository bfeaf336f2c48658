#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Little address space and a small stack end with status 6 and a message, not with a signal or never; a reader of the
# output that has seen enough is no failure.
. "$DCSIM_SOURCE/tests/cli/harness.sh"
scene=$DCSIM_SOURCE/scenes/push.json

for kilobytes in 160000 200000 300000 400000 500000 800000; do
  (ulimit -v $kilobytes && within 30 "$dcsim" simulate "$scene" -o none --quiet --set time.steps=3) >"$out" 2>"$err"
  status=$?
  # what does not even load has the loader's status
  check "with $kilobytes KB of address space it works, or says that memory is out" \
    [ $status -eq 0 -o $status -eq 6 -o \( $status -eq 127 -a $kilobytes -lt 300000 \) ]
  [ $status -ne 6 ] || check "with a message" [ -s "$err" ]
done
# Nor does a command that needs little wait at its end for what a library looks for in vain.
cat >grasp.json <<'SCENE'
{"problem": "refine", "shapes": {"s": {"type": "sphere", "radius": 0.1}, "b": {"type": "box", "size": [0.2, 0.2, 0.2]}},
 "bodies": [{"name": "o", "shape": "s", "joint": "fixed"}, {"name": "f", "shape": "b", "mass": 1, "position": [0.5, 0, 0]}],
 "pairs": [{"object": "o", "object_point": [0.1, 0, 0], "link": "f", "link_point": [-0.1, 0, 0]}]}
SCENE
run 0 simulate "$scene" -o run --quiet --no-report --set time.steps=3
for command in "optimize grasp.json -o none" "check $scene" "gradcheck $scene --steps 1" "probe $scene" "query $scene --manifold" "report run" "export run --format csv" "diff run run" \
  "verify run --quick --draws 0 -o none" "render run --every 1000 --size 32x32" list schema "help" "completion bash" bench; do
  for kilobytes in 200000 400000; do
    # shellcheck disable=SC2086
    (ulimit -v $kilobytes && within 30 "$dcsim" $command) >"$out" 2>"$err" </dev/null
    status=$?
    check "with $kilobytes KB, ${command%% *} works, or says that memory is out" [ $status -le 1 -o $status -eq 6 -o \( $status -eq 127 -a $kilobytes -lt 300000 \) ]
  done
done
# A program's environment is in its stack: a long list of tests, which make hands on there, must not fill it.
for name in $(env | awk -F = 'length > 2000 && $1 ~ /^[A-Z_]+$/ { print $1 }'); do
  unset "$name"
done
for kilobytes in 32 64 128 256; do
  (ulimit -s $kilobytes && within 30 "$dcsim" simulate "$scene" -o none --quiet --set time.steps=3) >"$out" 2>"$err"
  status=$?
  check "with a stack of $kilobytes KB it works, or says that this is too little" [ $status -eq 0 -o $status -eq 6 ]
done

# Every command says so, before it does anything.
for command in --version --help new example list schema "check $scene" "optimize $scene -o none" "gradcheck $scene" "probe $scene" "query $scene" "render run" "report run" "import a.urdf" \
  "export run --format csv" "diff run run" "verify run" "sweep study.json -o s" "dataset study.json -o s" bench "completion bash" "help check" "view $scene"; do
  # shellcheck disable=SC2086
  (ulimit -Ss 32 && ulimit -Hs 32 && exec "$dcsim" $command) >"$out" 2>"$err" </dev/null
  status=$?
  check "with a stack of 32 KB, ${command%% *} says that it is too little" [ $status -eq 6 ]
done

# So many bodies that no memory holds their pairs are told before anything looks at the pairs.
awk 'BEGIN {
  printf "{\"time\": {\"step\": 0.01, \"steps\": 1}, \"shapes\": {\"s\": {\"type\": \"sphere\", \"radius\": 0.1}}, \"bodies\": ["
  for (i = 0; i < 60000; i++)
    printf "%s{\"name\": \"b%d\", \"shape\": \"s\", \"position\": [%d, 0, 0]}", i ? ", " : "", i, i
  print "]}"
}' >many.json
run 6 check many.json
says "60000 bodies are 1799970000 pairs"

mkfifo pipe
for command in list schema "help optimize" "optimize --help" --help; do
  # shellcheck disable=SC2086
  within 60 "$dcsim" $command >pipe 2>"$err" & pid=$!
  : <pipe
  wait $pid
  status=$?
  # lists and the schema end by SIGPIPE, as other programs do
  check "a reader of $command that leaves is no failure" [ $status -eq 0 -o $status -eq 141 ]
  check "and nothing is said" [ ! -s "$err" ]
done
finish
