#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The scripts that compare contact models, in a few time steps: what they write, and that verdicts follow their rules.
. "$DCSIM_SOURCE/tests/cli/harness.sh"
if ! have_python; then
  skip "scripts/paper" "no python3"
  finish
fi
papers=$DCSIM_SOURCE/scripts/paper
for name in all figure-05-billiards figure-06-cost figure-07-push figure-08-gather-sort figure-09-ant-push figure-13-smoothness \
  figure-15-franka gather-bunny-cost table-02-stacking table-04-timestep table-05-stiffness; do
  check "$name is a shell script" sh -n "$papers/$name"
  check "$name is distributed" grep -qw "scripts/paper/$name" "$DCSIM_SOURCE/scripts/Makefile.inc"
done

paper() { # NAME ARGUMENT...
  name=$1
  shift
  check "$name $*" within 200 "$papers/$name" --dcsim "$dcsim" --quick --max-time 5 -o out "$@"
}
paper figure-07-push --steps 3 --models bsh,ipc,GB
head -n 1 out/figure-07-push-quick/verdict.csv >"$out" 2>"$err"
check "verdict.csv has its columns" [ "$(cat "$out")" = \
  "task,init,model,first loss,final loss,best loss,iterations,seconds per step,first gradient,verdict" ]
check "one row for every model and init" [ "$(wc -l <out/figure-07-push-quick/verdict.csv)" -eq 10 ]
check "curves.csv has its columns" grep -qx "task,init,model,iteration,loss" out/figure-07-push-quick/curves.csv
check "and the curve of bsh" grep -q "^push,trivial,bsh,0,8.99" out/figure-07-push-quick/curves.csv
check "the box is not moved in three steps" grep -q '^push,trivial,bsh,.*,no progress' out/figure-07-push-quick/verdict.csv
check "verdict.md names the paper" grep -q "Paper: all other methods make no progress" out/figure-07-push-quick/verdict.md
check "a model that is not built is said not to be" sh -c '
  "$0" list models --json | grep -q "\"name\": \"ipc\"" || grep -q "^push,trivial,ipc,.*,not built" out/figure-07-push-quick/verdict.csv' "$dcsim"
paper figure-05-billiards --models bsh --set optimizer.iterations=400 --max-time 600
check "the shot is found" grep -Eq '^billiards,trivial,bsh,.*,reached in [0-9]+ iterations' out/figure-05-billiards-quick/verdict.csv
paper table-04-timestep --steps 3 --models bsh
check "a row for every time step" [ "$(grep -c '^0\.0[1248],not in' out/table-04-timestep-quick/table.csv)" -eq 4 ]
check "runs are kept" [ -n "$(ls out/cache)" ]

# a model of made up records: the rules of the verdicts
check "verdicts follow their rules" env PYTHONPATH="$papers" PYTHONDONTWRITEBYTECODE=1 python3 -c '
import verdicts
def record(model, best, **more):
    return {"task": "t", "init": "trivial", "scene": "t", "model": model, "status": "ran", "initial_loss": 1.0, "final_loss": best,
            "best_loss": best, "success": best == 0, "iterations": 50, "gradients": 9, "zero_gradients": 0, "first_gradient": 1e-3,
            "out_of_time": False, "unconverged_steps": 0, "message": "", "seconds": 3.0, **more}
bsh, ipc = record("bsh", 0.5), record("ipc", 1.0, zero_gradients=9, first_gradient=0.0)
sdrs, exact = record("sdrs", 1.0, first_gradient=1e-12, out_of_time=True), record("exact", 0.0)
every = [bsh, ipc, sdrs, exact]
say = lambda r: verdicts.verdict(r, every)
assert say(bsh) == "fell by 50 %; lost against exact", say(bsh)
assert say(ipc) == "no progress (0 %); gradient exactly zero throughout (9 rows of loss.csv)", say(ipc)
assert say(sdrs) == "no progress (0 %); gradient vanishes at the first guess (1.0e-12, bsh 1.0e-03); stopped after 3 s", say(sdrs)
assert say(record("mujoco", 1.0, out_of_time=True)).startswith("undecided, 0 % in 50 iterations")
assert "Undecided: mujoco" in verdicts.claim([bsh, record("mujoco", 1.0, out_of_time=True)], "x", verdicts.NO_PROGRESS)
words = say(record("GB", 1.0, out_of_time=True, gradients=4, zero_gradients=4))
assert words.startswith("undecided, 0 % in 50 iterations; gradient exactly zero in 4 of 4 rows"), words
assert say(exact) == "reached in 50 iterations; better than bsh", say(exact)
assert say({**ipc, "status": "not built", "lacking": "ipc"}) == "not built"
assert verdicts.claim([bsh, ipc, sdrs], "x", verdicts.NO_PROGRESS).endswith("Confirmed.")
assert "Not confirmed: ipc" in verdicts.claim([bsh, record("ipc", 0.9)], "x", verdicts.NO_PROGRESS)
assert verdicts.claim([bsh, record("ipc", 0.9)], "x", None).endswith("Confirmed.")
assert "Not confirmed: ipc did as well" in verdicts.claim([bsh, record("ipc", 0.5)], "x", None)
drawn = record("ipc", 0.8, initial_loss=4.0, trivial_loss=1.0)
assert verdicts.verdict(drawn, every) == "fell by 20 %", verdicts.verdict(drawn, every)
kept = verdicts.best_of_seeds([record("sdrs", 0.8), record("sdrs", 0.0), record("sdrs", 0.9), bsh])
assert len(kept) == 2 and kept[0]["best_loss"] == 0 and (kept[0]["seeds"], kept[0]["seeds_reached"]) == (3, 1), kept
assert "best of 3 seeds, 1 reached" in verdicts.verdict(kept[0], every)
assert verdicts.falling([3, 2, 1]) and not verdicts.falling([3, 2, 2]) and not verdicts.falling([3, 2, 1.99, 1])
'
check "the sources are left alone" [ ! -e "$papers/__pycache__" ]
finish
