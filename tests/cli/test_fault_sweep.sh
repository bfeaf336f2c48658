#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A sample of scripts/fault-sweep.sh: requests for memory, reads and openings of files that fail end a run with a status
# and a message of ours, never with a signal or that of a library, and leave nothing that is damaged.
. "$DCSIM_SOURCE/tests/cli/harness.sh"
export DCSIM="$dcsim"

# swept WHAT ARGUMENT...: passes when every point is as it should be and the fault was met by at least a quarter of them
swept() {
  what=$1
  shift
  status=0
  "$DCSIM_SOURCE/scripts/fault-sweep.sh" "$@" >"$scratch/swept" 2>&1 || status=$?
  if [ "$status" -eq 77 ]; then
    skip "$what" "calls cannot be made to fail here"
  elif [ "$status" -eq 0 ] && tail -n 1 "$scratch/swept" | awk '{ exit !($3 * 4 >= $1 && $1 > 20) }'; then
    pass "$what: $(tail -n 1 "$scratch/swept")"
  else
    sed 's/^/# /' "$scratch/swept"
    fail "$what"
  fi
}
swept "one request for memory fails" "$(sample 64 24)"
swept "memory is out from one request on" -a -r 2 "$(sample 24 21)"
swept "one read fails" -k read "$(sample 100 24)"
swept "one file cannot be opened" -k open -r 3 "$(sample 48 24)"

# A sweep that says nothing when something is wrong would be worth nothing.
if command -v "${CC:-cc}" >/dev/null 2>&1 && "${CC:-cc}" -shared -fPIC -o fail.so "$DCSIM_SOURCE/tests/faults/fail.c" -ldl 2>"$scratch/cc"; then
  # a robot's file is not bad because memory is out while it is read
  echo '<mujoco><worldbody><body name="b"><freejoint/><geom size="1"/></body></worldbody></mujoco>' >robot.xml
  point=3 bad=0
  while [ $point -lt 260 ]; do
    status=0
    DCSIM_FAIL_MALLOC=$point LD_PRELOAD=$folder/fail.so "$dcsim" import robot.xml -o robot.json >"$out" 2>"$err" || status=$?
    [ $status -ne 3 ] || bad=$((bad + 1))
    point=$((point + 4))
  done
  check "no failed request for memory is a bad file" [ "$bad" -eq 0 ]
  cat >bad <<'PROGRAM'
#!/bin/sh
[ -z "${DCSIM_FAIL_MALLOC:-}" ] || kill -SEGV $$
exec "$GOOD" "$@"
PROGRAM
  chmod +x bad
  GOOD=$dcsim
  export GOOD
  status=0
  DCSIM=$folder/bad "$DCSIM_SOURCE/scripts/fault-sweep.sh" 8 >"$scratch/swept" 2>&1 || status=$?
  if [ "$status" -eq 77 ]; then
    skip "a signal is found" "calls cannot be made to fail here"
  else
    check "a signal is found" sh -c '[ "$1" -eq 1 ] && tail -n 1 "$2" | grep -q ", 8 signals$"' sh "$status" "$scratch/swept"
  fi
fi
finish
