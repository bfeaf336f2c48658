#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# dcsim new: every template is written with what it names, passes check and can be optimized; nothing is overwritten.
# dcsim help: every command has its page.
. "$DCSIM_SOURCE/tests/cli/harness.sh"

run 0 new
templates=$(sed -n 's/^\([a-z]*\)  *[a-z].*/\1/p' "$out" | grep -v dcsim)
run 0 new --json
parses "$out" "the list"
shipped=$(cd "$DCSIM_SOURCE/scenes/templates" && ls ./*.json | sed 's,./\(.*\).json,\1,' | sort)
check "the list is what there is" [ "$(echo "$templates" | sort)" = "$shipped" ]

for template in $templates; do
  run 0 new "$template" "my_$template.json"
  check "$template teaches by comments" [ "$(grep -c // "my_$template.json")" -gt 8 ]
  case $template in # fewer iterations: that it works, not how well
    push | arm | robot) brief="--set optimizer.iterations=3" ;;
    *) brief= ;;
  esac
  # only what stands beside the scene: what it needs was written
  saved=$DCSIM_DATADIR
  export DCSIM_DATADIR=/nowhere
  run 0 check "my_$template.json"
  check "$template: check has no advice" sh -c "! grep -qiE 'warning|advice' '$out' '$err'"
  # shellcheck disable=SC2086
  run 0 optimize "my_$template.json" -o "$template" --no-report --quiet --json $brief
  export DCSIM_DATADIR="$saved"
  if [ "$brief" ]; then
    holds "$template: the loss falls" "$out" 'd["loss"] < d["initial_loss"]'
  else
    holds "$template is reached" "$out" 'd["success"]'
  fi
done
run 0 simulate my_identification.json --control identification -o none
check "the friction of the recording is found" grep -qE 'box.friction: 0\.(3|29999|30000)' "$out"

# nothing is overwritten
run 5 new push my_push.json
says "my_push.json: exists; nothing is overwritten (free is my_push-2.json)"
mkdir many
touch many/push.json
seq -f 'many/push-%.0f.json' 2 9999 | xargs touch
ln -s nowhere many/push-10000.json
run 5 new push many/push.json
says "(free is many/push-10001.json)"
rm -r many
run 0 new robot other.json # robot.urdf is there already, and the same
echo '<robot/>' >robot.urdf
run 5 new robot third.json
says "robot.urdf: exists and is not the template's"
check "what is there stays" [ "$(cat robot.urdf)" = '<robot/>' ]
check "nothing is left of a failure" [ ! -e third.json ]
mkdir -p full/grasp.json
run 5 new grasp full/grasp.json
check "companions are taken back" [ "$(ls full)" = grasp.json ]
run 5 new push none/scene.json
run 2 new pish scene.json
says 'did you mean "push"?'
run 2 new push
says "missing FILE"
run 0 new push 'a "b".json' --json
parses "$out" "names that need quotes"

# runs are overwritten when that is asked for, and only runs
run 0 simulate my_push.json -o place --no-report --quiet
cp place/run.json first.json
run 5 simulate my_push.json -o place --no-report
says "place/scene.json: exists; the directory already holds a run (free is place-2)"
run 0 simulate my_arm.json -o place/ --overwrite --no-report --quiet
check "the new run is there" grep -q '"name": "arm"' place/resolved.json
check "the old one is gone" [ ! -e place.old ]
cp -r place kept
echo important >place/notes.txt
run 5 simulate my_push.json -o place --overwrite --no-report
says "place: holds notes.txt, which is no part of a run"
rm place/notes.txt
check "nothing was touched" diff -r place kept
run 3 simulate my_push.json -o place --overwrite --set bodies.box.mass=-1
check "bad input overwrites nothing" diff -r place kept
run 0 simulate my_push.json -o fresh --overwrite --no-report --quiet
run 2 optimize --resume place --overwrite
if command -v flock >/dev/null 2>&1; then
  status=0
  flock place/.lock "$dcsim" simulate my_push.json -o place --overwrite --no-report 2>"$err" || status=$?
  check "a run that is being written is not overwritten" [ "$status" -eq 5 ]
  rm -f place/.lock
  check "and is untouched" diff -r place kept
else
  skip "a run that is being written is not overwritten" "no flock"
fi
# killed before there is a result: the old run is there, and stays
"$dcsim" optimize my_push.json --set 'objective[0].target=[9, 9, 0.158]' -o place --overwrite --no-report --quiet >/dev/null 2>"$err" &
pid=$!
tries=0
until [ -s place/loss.csv ] && [ -d place.old ] || [ $tries -gt 3000 ]; do sleep 0.01; tries=$((tries + 1)); done
kill -KILL $pid
wait $pid 2>/dev/null
check "the old run is kept" diff -r place.old kept
run 5 simulate my_push.json -o place --overwrite --no-report
says "place.old: exists; it is the run before place"

# help
run 0 help
mkdir bin
printf '#!/bin/sh\necho "$@"\n' >bin/man
chmod +x bin/man
PATH=$PWD/bin:$PATH
for topic in $("$dcsim" help | sed -n 's/^  \([a-z]*\) .*/\1/p') scene dcsim; do
  [ "$topic" = help ] && continue
  case $topic in scene|dcsim)  # these are no products of the build
    if [ ! -e "$DCSIM_BUILD/../man/dcsim-scene.5" ]; then
      skip "there is a page about $topic" "the build lies in no folder of its sources"
      continue
    fi ;;
  esac
  run 0 help "$topic"
  page=$(sed -n 's/^-l //p' "$out")
  check "there is a page about $topic" [ -s "$page" ]
done
run 2 help optimise
says 'did you mean "optimize"?'
status=0
PATH=/nonexistent "$dcsim" help check 2>"$err" || status=$?
check "without man: status 5" [ "$status" -eq 5 ]
says "there is no program man"
finish
