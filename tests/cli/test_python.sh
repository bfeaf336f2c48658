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

# python -m dcsim is the program, with its exit statuses, and its demo ends with a picture.
check "python -m dcsim is the program" [ "$(DCSIM_PROGRAM=$dcsim "$python" -m dcsim --version)" = "$("$dcsim" --version)" ]
DCSIM_PROGRAM=$dcsim "$python" -m dcsim nonsense 2>/dev/null
check "wrong usage is its status" [ $? -eq 2 ]
DCSIM_PROGRAM=$dcsim within 120 "$python" -m dcsim demo demo >said 2>&1
check "its demo finds a shot" [ $? -eq 0 ]
check "and draws it" [ -s demo/shot/frames/000000.png ]

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
