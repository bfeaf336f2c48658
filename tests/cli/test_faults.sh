#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Full disks, directories that may not be written, vanish or are replaced: an optimization says what is wrong and ends
# with 5, its last checkpoint loads, and once the fault is gone the resumed run gives the bytes of one that had no
# trouble.
. "$DCSIM_SOURCE/tests/cli/harness.sh"
disk=$folder/disk
mkdir "$disk"
trap 'umount "$disk" 2>/dev/null; cleanup' EXIT
# Without a tolerance there is nothing to be reached, and so no advice that is tried at the end.
sed 's/"tolerance": [0-9.]*, //' "$DCSIM_SOURCE/scenes/billiards.json" >scene.json
scene=$folder/scene.json
# resolved.json has 12 kB, checkpoint.bin 15 kB, trajectory.h5 96 kB
set -- "$scene" --set time.steps=12 --set optimizer.iterations=50 --checkpoint 0 --quiet
run 0 optimize "$@" -o straight

recovers() { # DIRECTORY: is resumed
  check "$1: a checkpoint is there" [ -s "$1/checkpoint.bin" ]
  run 0 optimize --resume "$1" --quiet --threads 1
  check "$1: the same losses" cmp straight/loss.csv "$1/loss.csv"
  check "$1: the same trajectories" cmp straight/trajectory.h5 "$1/trajectory.h5"
  check "$1: nothing left behind" [ -z "$(find "$1" -name '.tmp-*' -o -name .lock)" ]
}
# in_background DIRECTORY COMMAND...: starts a run and holds it after some rows
in_background() {
  directory=$1
  shift
  "$@" >"$out" 2>"$err" &
  pid=$!
  tries=0
  until [ "$(cat "$directory/loss.csv" 2>/dev/null | wc -l)" -gt 5 ] || [ $tries -gt 3000 ]; do
    sleep 0.01
    tries=$((tries + 1))
  done
  kill -STOP "$pid"
}
# ends STATUS WHAT: lets it go on and waits for it
ends() {
  status=0
  kill -CONT "$pid" 2>/dev/null
  wait "$pid" || status=$?
  sed 's/^/# /' "$err" | head -5
  check "$2: exits with $1" [ "$status" -eq "$1" ]
}

# disks of a given size
if [ "$(getconf PAGESIZE)" -eq 4096 ] && mount -t tmpfs -o size=8k none "$disk" 2>/dev/null; then
  run 5 optimize "$@" -o disk/run
  says "disk/run/resolved.json: cannot write: No space left on device"
  check "nothing is left of a run that could not begin" [ ! -e disk/run ]
  mount -o remount,size=36k "$disk"
  run 5 optimize "$@" -o disk/run
  says "disk/run/checkpoint.bin: cannot write: No space left on device"
  run 5 optimize --resume disk/run --quiet
  mount -o remount,size=4m "$disk"
  run 0 optimize --resume disk/run --quiet
  check "there was no room for the first checkpoint: the same losses" cmp straight/loss.csv disk/run/loss.csv
  rm -r disk/run
  mount -o remount,size=120k "$disk"
  run 5 optimize "$@" -o disk/run
  says "disk/run/trajectory.h5: cannot write: No space left on device"
  mount -o remount,size=4m "$disk"
  recovers disk/run
  in_background disk/full "$dcsim" optimize "$@" -o disk/full
  cat /dev/zero >disk/filler 2>/dev/null
  ends 5 "the disk fills up"
  says ": No space left on device"
  says "dcsim: disk/full/"
  cp disk/full/checkpoint.bin kept.bin
  run 5 optimize --resume disk/full --quiet
  check "the checkpoint is the one before" cmp kept.bin disk/full/checkpoint.bin
  rm disk/filler
  recovers disk/full
  umount "$disk"
else
  skip "disks that are full" "no tmpfs with pages of 4 kB can be mounted here"
fi

# a limit on the size of files; a block has 512 bytes, or 1024 with some shells
limited() { (ulimit -f "$1" && shift && exec "$dcsim" "$@") >"$out" 2>"$err" & pid=$!; }
if (ulimit -f 40) 2>/dev/null; then
  limited 8 optimize "$@" -o small
  ends 5 "a scene over the limit"
  says "small/resolved.json: cannot write: File too large"
  check "nothing is left of it" [ ! -e small ]
  limited 40 optimize "$@" -o limited
  ends 5 "a trajectory over the limit"
  says "limited/trajectory.h5: cannot write: File too large"
  run 0 optimize "$@" -o checkpoint --max-time 0.001
  cp checkpoint/checkpoint.bin kept.bin
  limited 8 optimize --resume checkpoint --quiet
  ends 5 "rows over the limit"
  says "cannot write: File too large"
  check "the checkpoint before is there" cmp kept.bin checkpoint/checkpoint.bin
  recovers limited
  recovers checkpoint
else
  skip "files over a limit" "ulimit -f cannot be set"
fi

# what may not be written: as somebody who is not root, whom no mode keeps out
as_user=
[ "$(id -u)" -ne 0 ] || as_user="setpriv --reuid 65534 --clear-groups"
mkdir theirs
chmod 755 "$scratch" "$folder"
chmod 777 theirs
# Its words are the command and its options.
# shellcheck disable=SC2086
if $as_user test -x "$dcsim" -a -r "$scene" -a -w theirs 2>/dev/null; then
  in_background theirs/run $as_user "$dcsim" optimize "$@" -o theirs/run
  chmod a-w theirs/run
  ends 5 "the directory becomes read-only"
  says ": Permission denied"
  says "dcsim: theirs/run/checkpoint.bin: cannot "
  rm -f theirs/run/.lock
  $as_user "$dcsim" optimize --resume theirs/run >"$out" 2>"$err" & pid=$!
  ends 5 "a read-only directory"
  says ": Permission denied"
  chmod a-w theirs
  $as_user "$dcsim" optimize "$@" -o theirs/other >"$out" 2>"$err" & pid=$!
  ends 5 "a read-only parent"
  says "theirs/other: cannot make the directory: Permission denied"
  chmod u+w theirs theirs/run
  recovers theirs/run
else
  skip "read-only directories" "root cannot become somebody else, or that one cannot get here"
fi
cp -r straight bound
if mount --bind bound bound 2>/dev/null; then
  if mount -o remount,ro,bind bound 2>/dev/null; then
    run 5 optimize --resume bound
    says "bound/.lock: cannot create: Read-only file system"
    run 5 optimize "$@" -o bound/run
    says "bound/run: cannot make the directory: Read-only file system"
  else
    skip "a read-only file system" "it cannot be mounted again"
  fi
  umount bound
else
  skip "a read-only file system" "nothing can be mounted here"
fi
: >file
run 5 optimize "$@" -o file
says "file: cannot make the directory: Not a directory"
run 5 optimize "$@" -o file/run

# directories that are gone
in_background removed "$dcsim" optimize "$@" -o removed
rm -rf removed
ends 5 "a directory that is removed"
check "it is named" grep -q '^dcsim: removed' "$err"
check "it is not made again" [ ! -e removed ]
in_background moved "$dcsim" optimize "$@" -o moved
mv moved elsewhere
ends 5 "a directory that is moved"
check "it is named" grep -q '^dcsim: moved' "$err"
check "no results are claimed there" sh -c '! grep -q "results so far are in" "$1"' sh "$err"
recovers elsewhere
# another run in its place is left alone, and keeps its lock
in_background replaced "$dcsim" optimize "$@" -o replaced
mv replaced first
first=$pid
in_background replaced "$dcsim" optimize "$@" -o replaced
second=$pid
find replaced -type f -exec cksum {} + | sort >before
pid=$first
ends 5 "a directory that is replaced"
says "replaced: the directory of the run was removed, moved or replaced"
find replaced -type f -exec cksum {} + | sort >after
check "nothing is written into the new one" cmp before after
run 5 optimize --resume replaced
says "replaced/.lock: another run is being written to this directory"
pid=$second
ends 0 "the new one"
check "the new one has the same losses" cmp straight/loss.csv replaced/loss.csv
recovers first

# the report is lost, the run is not
if [ -w /dev/full ]; then
  "$dcsim" optimize "$@" -o unread >/dev/full 2>"$err" & pid=$!
  ends 5 "stdout is full"
  says "standard output: No space left on device"
  check "the run is there: the same trajectories" cmp straight/trajectory.h5 unread/trajectory.h5
else
  skip "stdout is full" "no /dev/full"
fi
mkfifo pipe
"$dcsim" optimize "$@" -o unheard >pipe 2>"$err" & pid=$!
: <pipe
ends 5 "nobody reads stdout"
says "standard output: Broken pipe"
check "the run is there: the same trajectories" cmp straight/trajectory.h5 unheard/trajectory.h5
finish
