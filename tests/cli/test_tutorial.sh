#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Everything in docs/tutorial.md works as it stands there: scenes are written under the names of their fences, commands
# run one block after the other.  Fences: "json NAME" a file; "sh" commands; "sh exit=N" one command that exits with N;
# "sh install" is skipped.
. "$DCSIM_SOURCE/tests/cli/harness.sh"
tutorial=$DCSIM_SOURCE/docs/tutorial.md
blocks=$scratch/blocks
mkdir "$blocks" "$scratch/bin"
ln -s "$dcsim" "$scratch/bin/dcsim"
PATH=$scratch/bin:$PATH
export PATH
ln -s "$DCSIM_SOURCE/scenes" scenes
# threads that wait for each other lose much time beside other tests; results do not depend on their number
export OMP_NUM_THREADS=1

awk -v blocks="$blocks" '
  /^```./ && !file { file = sprintf("%s/%02d", blocks, ++count); print substr($0, 4) >(file ".kind"); printf "" >file; next }
  /^```$/ && file { close(file); file = ""; next }
  file { print >file }
  END { exit file != "" || count < 10 }' "$tutorial"
check "the tutorial has blocks, all of which end" [ $? -eq 0 ]

begin=$(date +%s)
for kind in "$blocks"/*.kind; do
  block=${kind%.kind}
  what=$(cat "$kind")
  case $what in
    "json "*)
      cp "$block" "${what#json }"
      pass "${what#json } is written" ;;
    "sh install") ;; # would install
    sh | "sh exit="*)
      wanted=0
      [ "$what" = sh ] || wanted=${what#sh exit=}
      within 120 sh -eu "$block" >"$block.out" 2>"$block.err"
      status=$?
      [ $status -eq "$wanted" ] || sed 's/^/# /' "$block.err" | tail -n 20
      check "$(head -n 1 "$block") ... exits with $wanted" [ $status -eq "$wanted" ] ;;
    *) fail "what to do with a block of $what" ;;
  esac
done
seconds=$(($(date +%s) - begin))
echo "# $seconds s"

for task in shot knock arm friction mine; do
  check "runs/$task is reached" grep -qE '"success": *true' runs/$task/run.json
done
check "commands of the tutorial are many" [ "$(cat "$blocks"/*.out | wc -l)" -gt 40 ]
for command in check optimize render probe gradcheck schema new; do
  check "it shows dcsim $command" grep -q "^dcsim $command" "$tutorial"
done
check "knock.json names a schema that is there" [ -s scene.schema.json ]
check "pictures were drawn" [ -s runs/friction/frames/000050.png ]
finish
