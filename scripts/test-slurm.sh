#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs a sweep as a Slurm array of 4 tasks by daemons of its own (munged, slurmctld, slurmd in a temporary folder, ports of their own), gathers,
# compares the table with that of one process, tears down.  Prints TAP; skips with a reason where the daemons cannot start.
# DCSIM: the program, default build/dcsim.
set -u
root=$(cd "$(dirname "$0")/.." && pwd)
dcsim=$(realpath "${DCSIM:-$root/build/dcsim}")
export DCSIM_DATADIR="${DCSIM_DATADIR:-$root}"
PATH=$PATH:/usr/sbin:/sbin
give_up() { echo "1..0 # SKIP $1"; exit 0; }
for program in munged slurmctld slurmd sbatch squeue scontrol; do
  command -v $program > /dev/null 2>&1 || give_up "no $program (Debian: slurmctld slurmd slurm-client munge)"
done
[ "$(id -u)" = 0 ] || give_up "slurmd wants root here"
folder=$(mktemp -d /tmp/dcsim-slurm-XXXXXX)
chmod 755 "$folder"
pids=
# Only what was started here, by number.
tear_down() {
  scontrol shutdown > /dev/null 2>&1
  for pid in $pids; do kill "$pid" 2> /dev/null; done
  sleep 1
  for pid in $pids; do kill -KILL "$pid" 2> /dev/null; done
  cd / && rm -rf "$folder"
}
trap tear_down EXIT
trap 'exit 99' INT TERM HUP
cd "$folder" || exit 99
host=$(hostname -s)
mkdir munge state spool
chmod 711 munge
head -c 1024 /dev/urandom > munge/key
chmod 400 munge/key
munged --foreground --force --key-file="$folder/munge/key" --socket="$folder/munge/socket" --pid-file="$folder/munge/pid" \
  --log-file="$folder/munge/log" --seed-file="$folder/munge/seed" > munge/out 2>&1 &
pids="$pids $!"
cat > slurm.conf << CONF
ClusterName=dcsim
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$((20000 + $$ % 10000))
SlurmdPort=$((30000 + $$ % 10000))
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$folder/munge/socket
CredType=cred/munge
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
ReturnToService=2
NodeName=$host NodeAddr=127.0.0.1 CPUs=$(nproc) State=UNKNOWN
PartitionName=all Nodes=$host Default=YES MaxTime=INFINITE State=UP OverSubscribe=FORCE:4
CONF
export SLURM_CONF="$folder/slurm.conf"
slurmctld -D > slurmctld.out 2>&1 &
pids="$pids $!"
slurmd -D -N "$host" > slurmd.out 2>&1 &
pids="$pids $!"
tries=0
until sinfo -h -o %T 2> /dev/null | grep -qE '^(idle|mixed)'; do
  tries=$((tries + 1))
  [ $tries -lt 60 ] || give_up "the daemons do not start: $(cat munge/out slurmctld.out slurmd.out slurmctld.log slurmd.log 2> /dev/null | grep -iE 'error|fatal' | head -n 2 | tr '\n' ' ')"
  sleep 0.5
done

cat > ball.json << 'SCENE'
{
  "name": "ball", "time": { "step": 0.02, "steps": 3 },
  "shapes": { "ball": { "type": "sphere", "radius": 0.1 } },
  "bodies": [{ "name": "ball", "shape": "ball", "mass": 0.1, "position": [0, 0, 1] }],
  "control": [{ "type": "initial_state", "body": "ball", "velocity": "xy" }],
  "objective": [{ "type": "reach", "body": "ball", "target": [1, 0, 1], "tolerance": 0.9 }],
  "optimizer": { "type": "adam", "iterations": 3 }
}
SCENE
echo '{ "scene": "ball.json", "vary": { "bodies.ball.mass": { "uniform": [0.1, 0.2] }, "seed": { "count": 12 } } }' > study.json
cat > job << JOB
#!/bin/sh
exec "$dcsim" sweep study.json -o array --task "\$SLURM_ARRAY_TASK_ID/\$SLURM_ARRAY_TASK_COUNT" --max-time 100 --quiet
JOB
"$dcsim" sweep study.json -o straight --quiet > /dev/null
count=0 failures=0
check() { # NAME COMMAND...
  name=$1
  shift
  count=$((count + 1))
  if "$@"; then echo "ok $count - $name"; else echo "not ok $count - $name"; failures=$((failures + 1)); fi
}
check "an array of 4 tasks is taken" sbatch --quiet --array=0-3 --job-name=sweep -n 1 --output=task-%a.out job
tries=0
while [ -n "$(squeue -h)" ] && [ $tries -lt 240 ]; do tries=$((tries + 1)); sleep 0.5; done
check "the tasks end" [ -z "$(squeue -h)" ]
cat task-*.out | sed 's/^/# /'
check "each task has a journal" [ "$(find array -name 'journal-*-of-4.jsonl' | wc -l)" -eq 4 ]
check "gathered" "$dcsim" sweep study.json -o array --gather --quiet
sed 's/,[^,]*$//' straight/sweep.csv > expected
sed 's/,[^,]*$//' array/sweep.csv > found
check "the table of one process" cmp expected found
echo "1..$count"
[ $failures = 0 ]
