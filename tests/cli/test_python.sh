#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The Python package and its examples, against the library of the build tree.
. "$DCSIM_SOURCE/tests/cli/harness.sh"

export PYTHONPATH="$DCSIM_SOURCE/python" PYTHONDONTWRITEBYTECODE=1
export DCSIM_LIBRARY="$DCSIM_BUILD/lib/libdcsim.so"
if [ ! -e "$DCSIM_LIBRARY" ]; then
  echo "1..0 # SKIP no shared library"
  exit 0
fi
if ! python_with numpy; then
  echo "1..0 # SKIP no python3 with numpy"
  exit 0
fi
"$python" -c 'import ctypes, os; ctypes.CDLL(os.environ["DCSIM_LIBRARY"])' 2>why || {
  echo "1..0 # SKIP the library cannot be loaded into python3 (a build with sanitizers): $(tail -n 1 why)"
  exit 0
}
within 120 "$python" "$DCSIM_SOURCE/tests/cli/test_python.py" "$DCSIM_SOURCE/scenes" "$dcsim" >tap
count=$(grep -cE '^(not )?ok ' tap)
failures=$(grep -c '^not ok ' tap)
grep -v '^1\.\.' tap
check "the tests of the package ran" grep -q '^1\.\.' tap
check "all of them" [ "1..$((count - 1))" = "$(grep '^1\.\.' tap)" ]

# Importing warns of nothing; types are complete and are seen by a program that imports the package.
check "importing the package warns of nothing" "$python" -W error -c 'import dcsim, dcsim.run, dcsim.environment'
hints() {
  mypy --strict --no-warn-unused-ignores --allow-subclassing-any --allow-untyped-decorators --no-warn-return-any --ignore-missing-imports \
    --python-version 3.9 --cache-dir="$PWD/mypy" "$@" >said 2>&1
}
# The interpreter of the tool may know no NumPy, whose types are then anything.
if command -v mypy >/dev/null 2>&1 && [ "$(sample 1 0)" = 1 ]; then
  check "mypy finds no fault in the package" hints "$DCSIM_SOURCE/python/dcsim"
  sed 's/^/# /' said
  printf 'import dcsim\nscene = dcsim.open({})\ncount: str = scene.nq\nloss: float = scene.problem().value([0.0])\n' >client.py
  MYPYPATH=$PYTHONPATH hints client.py
  check "and one in a program that takes a number for a text" [ "$(grep -c 'client.py:3: error: Incompatible types' said),$(grep -c 'client.py:' said)" = 1,1 ]
else
  skip "mypy finds no fault in the package" "no mypy, or a sample"
  skip "and one in a program that takes a number for a text" "no mypy, or a sample"
fi

# python -m dcsim is the program, with its exit statuses, and its demo ends with a picture.
check "python -m dcsim is the program" [ "$(DCSIM_PROGRAM=$dcsim "$python" -m dcsim --version)" = "$("$dcsim" --version)" ]
DCSIM_PROGRAM=$dcsim "$python" -m dcsim nonsense 2>/dev/null
check "wrong usage is its status" [ $? -eq 2 ]
DCSIM_PROGRAM=$dcsim within 120 "$python" -m dcsim demo demo >said 2>&1
check "its demo finds a shot" [ $? -eq 0 ]
check "and draws it" [ -s demo/shot/frames/000000.png ]

# The program of README.md, as it stands there.
if "$python" -c 'import scipy' 2>/dev/null; then
  sed -n '/^```python$/,/^```$/p' "$DCSIM_SOURCE/README.md" | grep -v '^```' >plan.py
  "$dcsim" new push my_push.json >/dev/null 2>&1
  check "the program of README.md runs" within 120 sh -c '"$1" plan.py >said' - "$python"
  check "and reaches its goal" grep -q '^loss 0\.2.* -> 0\.0$' said
else
  skip "the program of README.md runs" "no scipy"
  skip "and reaches its goal" "no scipy"
fi

# The examples lower the loss by what they are known to, in less time.
lowers() {  # lowers BELOW PROGRAM ARGUMENT...: the last loss printed is below
  lowers_to=$1 lowers_program=$2
  shift 2
  within 120 "$python" "$DCSIM_SOURCE/examples/$lowers_program" "$@" "$DCSIM_SOURCE/scenes/billiards.json" $iterations >said && sed 's/^/# /' said &&
    awk -v most="$lowers_to" '/: loss .* after / { loss = $3 } END { exit !(loss != "" && loss < most) }' said
}
# A box of 2 kg and friction 0.4, from 1 and 0.6; parameters are logarithms.
identifies() {
  within 120 "$python" "$DCSIM_SOURCE/examples/identify_scipy.py" "$DCSIM_SOURCE/scenes/identify_push.json" >said && sed 's/^/# /' said &&
    awk '$1 == "box.mass" { m = exp($3) } $1 == "box.friction" { f = 0.6 * exp($3) } END { exit !(m > 1.999 && m < 2.001 && f > 0.3999 && f < 0.4001) }' said
}
iterations=""
if "$python" -c 'import scipy' 2>/dev/null; then
  check "SciPy minimizes billiards" lowers 0.12 billiards_scipy.py
  check "SciPy identifies a mass and a friction by products" identifies
else
  skip "SciPy minimizes billiards" "no scipy"
  skip "SciPy identifies a mass and a friction by products" "no scipy"
fi
iterations=40
if "$python" -c 'import torch' 2>/dev/null; then
  check "PyTorch minimizes billiards" lowers 0.12 billiards_torch.py
else
  skip "PyTorch minimizes billiards" "no torch"
fi
finish
