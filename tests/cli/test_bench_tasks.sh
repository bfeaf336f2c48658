#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# dcsim bench tasks: cases that follow from the seed, rows that are found again, limits.
. "$DCSIM_SOURCE/tests/cli/harness.sh"

tasks() { # status argument...: with the scenes of this tree, on one thread
  expected=$1
  shift
  run "$expected" bench tasks --scenes "$DCSIM_SOURCE/scenes" --threads 1 "$@"
}

tasks 2
check "a task must be named" grep -q 'must be one of billiards' "$err"
tasks 2 --task push --method nothing
check "methods are listed" grep -q 'gauss_newton' "$err"
run 2 bench pairs --draws 3
check "other benchmarks have no tasks" grep -q 'no tasks' "$err"
run 5 bench tasks --task push --scenes .

tasks 0 --task push --draws 3 --seed 5 --write one
tasks 0 --task push --draws 2 --seed 5 --write two
check "a case does not depend on how many are drawn" cmp one/push-5-001.json two/push-5-001.json
check "cases differ" sh -c '! cmp -s one/push-5-000.json one/push-5-001.json'
run 0 check one/push-5-002.json

quick="--set time.steps=3 --set horizon.length=4 --set horizon.iterations=2"
# shellcheck disable=SC2086
tasks 0 --task push --draws 2 --seed 5 -o rows $quick --json
cp "$out" first.json
check "rows are kept" [ "$(wc -l <rows/rows.tsv)" = 3 ]
check "rollouts are counted" grep -Eq '"rollouts": [1-9]' "$out"
check "a far box is not reached in three steps" grep -q '"reached": 0' "$out"
cp rows/rows.tsv whole.tsv
printf 'push\t5\t1\tsce' >>rows/rows.tsv
# shellcheck disable=SC2086
tasks 0 --task push --draws 2 --seed 5 -o rows $quick --json
check "rows are found again" cmp first.json "$out"
check "half a row is cut off" cmp whole.tsv rows/rows.tsv
# shellcheck disable=SC2086
tasks 0 --task push --draws 1 --seed 5 -o rows $quick --method gauss_newton
check "methods have rows of their own" [ "$(wc -l <rows/rows.tsv)" = 4 ]
echo nonsense >>rows/rows.tsv
# shellcheck disable=SC2086
tasks 3 --task push --draws 1 --seed 5 -o rows $quick

# Every method makes a scene of every task, a search of those without windows; samples give the same on any number of
# threads.
for method in $(sed -n 's/^    {"\([a-z_]*\)",.*/\1/p' "$DCSIM_SOURCE/bench/task_methods.c"); do
  case $method in
    mujoco*)
      if ! built_with MuJoCo; then
        skip "$method makes scenes of all tasks" "built without MuJoCo"
        continue
      fi
      ;;
  esac
  for task in $(sample "billiards billiards_round push gather sort ant_push" "billiards_round gather"); do
    wanted=0
    case $method-$task in portfolio-push | portfolio-gather | portfolio-sort) wanted=3 ;; esac
    tasks $wanted --task $task --draws 1 --seed 5 --method "$method" --limit 0.001 --set time.steps=2 --set optimizer.iterations=0
    [ $wanted = 0 ] || says "cannot be combined with a receding horizon"
  done
done
for threads in 1 2; do
  run 0 bench tasks --scenes "$DCSIM_SOURCE/scenes" --threads $threads --task push --draws 1 --seed 5 --method sampling \
    --set time.steps=5 --set optimizer.samples=6 --set horizon.length=5 --json
  grep -v '"seconds"\|total_seconds' "$out" >"threads$threads.json"
done
check "samples do not depend on threads" cmp threads1.json threads2.json
check "samples are counted" grep -q '"rollouts": 1[0-9]' threads1.json

# Cases are solved side by side, and their rows do not show it.
for threads in 1 2; do
  run 0 bench tasks --scenes "$DCSIM_SOURCE/scenes" --threads $threads --task push --draws 5 --seed 5 -o "rows$threads" --set time.steps=4 --set horizon.iterations=1 --json
  grep -v '"seconds"\|total_seconds' "$out" >"cases$threads.json"
done
check "cases do not depend on threads" cmp cases1.json cases2.json
cut -f 1-11 rows1/rows.tsv >order1 && cut -f 1-11 rows2/rows.tsv >order2
check "rows stand in the order of the draws" cmp order1 order2

# The start reaches none of the cases; tests/bench/test_task_draws rolls out the shots that do.
tasks 0 --task billiards --draws 2 --seed 5 --set optimizer.iterations=0 --json
check "billiards is not reached from rest" grep -q '"reached": 0' "$out"
tasks 0 --task billiards --draws 1 --seed 5 --limit 0.001 --json
check "the limit holds" grep -q 'out of time' "$out"

finish
