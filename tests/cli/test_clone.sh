#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# examples/clone_mujoco.py goes its whole way with few plans: demonstrations from MuJoCo, states that a clone comes to, plans
# from there, another clone.  What clones reach is in docs/dataset.md.
. "$DCSIM_SOURCE/tests/cli/harness.sh"

export PYTHONPATH="$DCSIM_SOURCE/python" PYTHONDONTWRITEBYTECODE=1
export DCSIM_LIBRARY="$DCSIM_BUILD/lib/libdcsim.so"
if [ ! -e "$DCSIM_LIBRARY" ] || ! built_with MuJoCo || ! python_with numpy h5py; then
  echo "1..0 # SKIP no shared library, MuJoCo or python3 with h5py"
  exit 0
fi
"$python" -c 'import ctypes, os; ctypes.CDLL(os.environ["DCSIM_LIBRARY"])' 2>/dev/null || {
  echo "1..0 # SKIP the library cannot be loaded into python3 (a build with sanitizers)"
  exit 0
}
examples=$DCSIM_SOURCE/examples
run 0 new push push.json
sed 's/"samples": 1000/"samples": 2/' "$examples/clone_mujoco.json" >plans.json
cp "$examples/clone_again.json" .
run 0 dataset plans.json -o plans --quiet
check "both plans reach in MuJoCo, at rest" grep -q "2 demonstrations, 2 reached" "$out"

check "a clone writes states that it comes to" within 120 "$python" "$examples/clone_mujoco.py" push.json plans --rounds 50 --visit visited.csv
check "sixty and the names of what they set" [ "$(wc -l <visited.csv)" = 61 ]
head -n 3 visited.csv >few.csv
mv few.csv visited.csv
run 0 dataset clone_again.json -o again --quiet
check "plans begin there" grep -q "2 demonstrations" "$out"
check "the time that is left is theirs" grep -qE '"steps": *(1|2|3|4|5)[0-9]' again/points/000000/resolved.json

within 120 "$python" "$examples/clone_mujoco.py" push.json plans plans --rounds 50 --trials 2 >said
check "clones of one data set and of two are tried" [ $? -eq 0 ]
check "and their results are told" [ "$(grep -cE '^[24] demonstrations: [012] of 2 starts reached in MuJoCo$' said)" = 2 ]
finish
