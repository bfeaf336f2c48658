# SPDX-License-Identifier: Apache-2.0
# Sourced by the tests of the command line: TAP, and a temporary working folder that is removed at the end.
: "${DCSIM_SOURCE:?}" "${DCSIM_BUILD:?}"
dcsim=$DCSIM_BUILD/dcsim
export DCSIM_DATADIR="${DCSIM_DATADIR:-$DCSIM_SOURCE}"
scratch=$(mktemp -d "${TMPDIR:-/tmp}/dcsim-test-XXXXXX") || exit 99
folder=$scratch/work
mkdir "$folder" || exit 99
cleanup() { cd / && chmod -R u+w "$scratch" && rm -rf "$scratch"; }
trap cleanup EXIT
trap 'exit 99' INT TERM HUP
cd "$folder" || exit 99
count=0
failures=0

pass() { count=$((count + 1)); echo "ok $count - $1"; }
fail() { count=$((count + 1)); failures=$((failures + 1)); echo "not ok $count - $1"; }
skip() { count=$((count + 1)); echo "ok $count - $1 # SKIP $2"; }
finish() { echo "1..$count"; [ "$failures" -eq 0 ]; exit; }

# check NAME COMMAND...: passes when the command succeeds
check() {
  check_name=$1
  shift
  if "$@" >"$scratch/check" 2>&1; then
    pass "$check_name"
  else
    sed 's/^/# /' "$scratch/check"
    fail "$check_name"
  fi
}

# within SECONDS COMMAND...: ends a command that goes on for too long.  What is measured is processor time, of two
# threads, so that it makes no difference what else the machine does; one that hangs ends after twenty times as long.
within() {
  within_limit=$1
  shift
  timeout $((20 * within_limit)) sh -c 'ulimit -t "$0"; exec "$@"' $((2 * within_limit)) "$@"
}

# sample ALL SOME: how many drawn cases to try: ALL, or SOME where scripts/check.sh runs without --whole
sample() {
  if [ "${DCSIM_SAMPLE:-}" = small ]; then echo "$2"; else echo "$1"; fi
}

# run STATUS ARGUMENT...: runs dcsim with stdout in $out and stderr in $err; passes when it exits with STATUS
out=$scratch/stdout
err=$scratch/stderr
run() {
  expected=$1
  shift
  within 120 "$dcsim" "$@" >"$out" 2>"$err"
  status=$?
  if [ "$status" -eq "$expected" ]; then
    pass "dcsim $* exits with $expected"
  else
    sed 's/^/# /' "$err" | head -20
    echo "# exit status $status"
    fail "dcsim $* exits with $expected"
  fi
}

# told_loss: the loss that the last run with --json has told
told_loss() { sed -n 's/^  "loss": \(.*\),$/\1/p' "$out"; }

# noted: waits until the command that runs with stderr in $err has noted a signal
noted() {
  noted_tries=0
  until grep -q "a second signal stops at once" "$err" || [ $noted_tries -gt 6000 ]; do
    sleep 0.1
    noted_tries=$((noted_tries + 1))
  done
}

# says TEXT: passes when stderr of the last run contains it
says() {
  if grep -qF -e "$1" "$err"; then
    pass "says: $1"
  else
    sed 's/^/# /' "$err" | head -20
    fail "says: $1"
  fi
}

# built_with LIBRARY: whether this build has the optional library, by its name in `dcsim --version`
built_with() {
  "$dcsim" --version | grep -q "^$1 [0-9]"
}

# have_python: sets $interpreter, once, to the program itself: what is called python3 may be a script that looks for it
# every time.  Called with -I -S below, as the standard library is enough to read JSON.
have_python() {
  [ -n "${interpreter+set}" ] || interpreter=$(python3 -c 'import sys; print(sys.executable)' 2>/dev/null) || interpreter=
  [ -n "$interpreter" ]
}

# parses FILE NAME: passes when FILE is one JSON text
parses() {
  if have_python; then
    check "$2 is JSON" "$interpreter" -I -S -c 'import json, sys; json.load(open(sys.argv[1]), parse_constant=sys.exit)' "$1"
  else
    skip "$2 is JSON" "no python3"
  fi
}

# python_with MODULE...: sets $python to a Python 3 that has these modules; fails when there is none
python_with() {
  modules=$(echo "$*" | tr ' ' ,)
  for python in python3 /usr/bin/python3; do
    if command -v "$python" >/dev/null 2>&1 && "$python" -c "import $modules" >/dev/null 2>&1; then
      return 0
    fi
  done
  return 1
}
# holds NAME FILE EXPRESSION: passes when the expression of d, the JSON in FILE, is true
holds() {
  if have_python; then
    check "$1" "$interpreter" -I -S -c 'import json, sys; d = json.load(open(sys.argv[1])); sys.exit(not eval("(" + sys.argv[2] + ")"))' "$2" "$3"
  else
    skip "$1" "no python3"
  fi
}
