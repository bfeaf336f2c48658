#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The log of scripts/soak/damaged_text.py holds any message, and a test that counts nothing ends it.
. "$DCSIM_SOURCE/tests/cli/harness.sh"
if ! have_python; then
  skip "damaged texts by the hundred thousand" "no python3"
  finish
fi
mkdir -p built/tests/fuzz
test_that() {  # NAME: a test that does what its input says
  { echo '#!/bin/sh'; cat; } >"built/tests/fuzz/$1"
  chmod +x "built/tests/fuzz/$1"
}
soak() {  # OPTION...: runs it, with the exit status in $status
  within 60 "$interpreter" -B "$DCSIM_SOURCE/scripts/soak/damaged_text.py" --build built "$@" >"$out" 2>"$err"
  status=$?
}
lines() { [ "$(wc -l <"$1")" -eq "$2" ] && ! grep -qvE "^[^	]*	[^	]*	[^	]*	[^	]*	[^	]*$" "$1"; }

test_that fails <<'T1'
echo '# inputs: 3 accepted, 7 refused'
printf 'one\ttab\r\nand \\ two lines\n' >&2
exit 5
T1
test_that dies <<'T2'
echo 'no shared library' >&2
exit 127
T2
test_that sound <<'T3'
echo '# inputs: 3 accepted, 7 refused'
T3
soak --tests fails --inputs 20 --log log
check "faults end with status 1" [ "$status" -eq 1 ]
check "a message of two lines is one line of the log" lines log 2
soak --tests fails --inputs 40 --log log
check "the log goes on" lines log 4
check "and counts what was there" grep -q '^40 inputs in 4 slices: 12 accepted, 28 refused, 4 slices with a fault$' "$out"
soak --tests dies --inputs 40 --log dead
check "a test that counts nothing ends after three slices" [ "$status" -eq 1 ]
check "of the log" lines dead 3
check "with a message" grep -q 'three slices in a row' "$err"
soak --tests dies,sound --inputs 40 --log mixed
check "but not where another one counts" lines mixed 8
soak --tests sound --inputs 20 --log clean
check "sound ones exit with 0" [ "$status" -eq 0 ]
finish
