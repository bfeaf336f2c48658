#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Progress: plain lines, and the bar on a terminal, which the program script plays.
. "$DCSIM_SOURCE/tests/cli/harness.sh"
scenes=$DCSIM_SOURCE/scenes
escape=$(printf '\033')

# Not a terminal: plain lines without anything that a terminal would take for a command.
run 0 optimize "$scenes/two_balls.json" -o none --set optimizer.iterations=20
check "plain lines begin with the unit" grep -qE '^iteration 0/20  loss [0-9.e+-]+  best [0-9.e+-]+  gap ' "$err"
check "nothing is redrawn" sh -c "! grep -q '$(printf '[\r\033]')' '$err'"
check "there is a line for some seconds, not for every iteration" [ "$(grep -c '^iteration' "$err")" -lt 10 ]
check "and one for the end" grep -q '^iteration 20/20  ' "$err"
run 0 optimize "$scenes/two_balls.json" -o none --set optimizer.iterations=20 --quiet
check "--quiet: nothing" [ ! -s "$err" ]

if ! script -qec true /dev/null </dev/null >/dev/null 2>&1; then
  skip "the bar on a terminal" "no script(1) of util-linux"
  finish
fi
# on_terminal COLUMNS COMMAND...: lines drawn, one on each line of $drawn
drawn=$scratch/drawn
on_terminal() {
  columns=$1
  shift
  TERM=xterm timeout 2400 script -qec "stty cols $columns; $*" /dev/null </dev/null | tr '\r' '\n' | sed '/^$/d' >"$drawn"
  check "$* draws something" [ -s "$drawn" ]
}
shows() { # NAME PATTERN
  if grep -qE -e "$2" "$drawn"; then
    pass "$1"
  else
    sed 's/^/# /' "$drawn" | tr "$escape" '?' | head -20
    fail "$1 ($2)"
  fi
}
fits() { # COLUMNS
  check "no line is wider than $1 columns" env LC_ALL=C awk -v most="$1" '{ gsub(/\033\[[0-9]*m/, ""); gsub(/[\200-\277]/, "") } length > most - 1 { print; bad = 1 } END { exit bad }' "$drawn"
}
export dcsim scenes

# an optimization: iterations; it takes some tenths of a second for every line
long="--set optimizer.iterations=40 --set objective.0.tolerance=1e-9 -o none"
on_terminal 100 "NO_COLOR=1 $dcsim optimize $scenes/billiards.json $long 2>&1 >/dev/null"
shows "iterations with a bar" '^iteration [0-9]+/40  \[[=> ]{8,40}\]  loss .*  best .*  gap .* m  [0-9.]+ s'
shows "an empty bar in the beginning" '^iteration 0/40  \[> +\]'
shows "time left" '  ETA 0:00:[0-9][0-9] *$'
check "NO_COLOR: no escape codes" sh -c "! grep -q '$escape' '$drawn'"
fits 100
on_terminal 100 "NO_COLOR= $dcsim optimize $scenes/billiards.json $long --set optimizer.iterations=8 2>&1 >/dev/null"
shows "colours otherwise" "^$escape\\[32miteration 0/8 .*$escape\\[0m"
on_terminal 120 "LC_ALL=C.UTF-8 NO_COLOR=1 $dcsim optimize $scenes/billiards.json $long --set optimizer.iterations=12 2>&1 >/dev/null"
shows "a curve of the losses where the terminal has Unicode" '^iteration [0-9]+/12  \[[=> ]*\]  (▁|▂|▃|▄|▅|▆|▇|█)+  loss '
check "it has 16 columns at most" sh -c "! grep -qE '(▁|▂|▃|▄|▅|▆|▇|█){17}' '$drawn'"
for columns in $(sample "12 30 50 72" "12 50"); do
  on_terminal $columns "NO_COLOR=1 $dcsim optimize $scenes/billiards.json $long --set optimizer.iterations=4 2>&1 >/dev/null"
  fits $columns
done
on_terminal 80 "TERM=dumb $dcsim optimize $scenes/billiards.json $long --set optimizer.iterations=4 2>&1 >/dev/null"
shows "a dumb terminal has plain lines" '^iteration 0/4  loss '
check "without bars" sh -c "! grep -q '\\[=*>' '$drawn'"

# a receding horizon: steps, with time left before the first of them is done
on_terminal 80 "NO_COLOR=1 $dcsim optimize $scenes/push.json -o none --max-time 3 --set horizon.iterations=1000 --set horizon.explore=0 2>&1 >/dev/null"
shows "time left while the first window is under way" '^step 0/200 .*  ETA 0:00:0[0-3] *$'
shows "and steps" '^step 0/200  \[> +\]  loss '
# the same without a limit would be done much later than in 3 s: the share of what is done is right
on_terminal 80 "NO_COLOR=1 timeout -s INT 3 $dcsim optimize $scenes/push.json -o none --set horizon.iterations=1000 --set horizon.explore=0 2>&1 >/dev/null"
shows "time left is not cut without a limit" '^step 0/200 .*  ETA ([1-9][0-9]*:|0:0[1-9]:|0:[1-5][0-9]:)'

# a first guess of locally supported contact: draws, with a bound
on_terminal 90 "NO_COLOR=1 $dcsim optimize $scenes/push.json --model sdrs -o none --max-time 4 \
  --set init.draws=2000 --set init.threshold=1e6 --set horizon.iterations=1 2>&1 >/dev/null"
shows "draws of a first guess" '^draw [0-9]+/2000  \[>? *\]  [0-9.]+ s  ETA < 0:00:'

# a film, or pictures
run 0 simulate "$scenes/two_balls.json" -o run --quiet
on_terminal 60 "NO_COLOR=1 $dcsim render run --size 320x240 --every 4 --samples 64 2>&1 >/dev/null"
shows "frames" '^frame [0-9]+/11  \[=*>? *\]  [0-9.]+ s  ETA '
shows "a full bar in the end" '^frame 11/11  \[=+\]'
fits 60
finish
