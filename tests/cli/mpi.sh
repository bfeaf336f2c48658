# SPDX-License-Identifier: Apache-2.0
# Sourced after harness.sh by tests over ranks of MPI: skips them where there are none.
if ! command -v mpirun >/dev/null 2>&1; then
  echo "1..0 # SKIP no mpirun"
  exit 0
fi
if [ ! -e "$DCSIM_BUILD/lib/dcsim-mpi.so" ]; then
  echo "1..0 # SKIP built without MPI"
  exit 0
fi
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
if ! timeout 600 mpirun -n 2 true >"$out" 2>&1; then
  echo "1..0 # SKIP mpirun cannot start processes here: $(head -n 1 "$out")"
  exit 0
fi

# ranks STATUS N ARGUMENT...: passes when dcsim on N ranks ends with STATUS
ranks() {
  expected_status=$1 number=$2
  shift 2
  status=0
  timeout 2400 mpirun -n "$number" "$dcsim" "$@" >"$out" 2>"$err" || status=$?
  [ "$status" -eq "$expected_status" ] || sed 's/^/# /' "$err" | head -20
  check "$number ranks, $*: exits with $expected_status (is $status)" [ "$status" -eq "$expected_status" ]
}

# kill_ranks WHICH SIGNAL COMMAND: of the processes of the mpirun in $pid that run a command of dcsim, a rank or all
kill_ranks() {
  # those whose environment says which rank they are
  for process in $(ps -o pid= --ppid "$pid" 2>/dev/null) $(ps -o pid= -s "$pid" 2>/dev/null); do
    rank=$(tr '\0' '\n' <"/proc/$process/environ" 2>/dev/null | sed -n 's/^OMPI_COMM_WORLD_RANK=//p')
    name=$(tr '\0' ' ' <"/proc/$process/cmdline" 2>/dev/null)
    case $name in *" $3 "*) ;; *) continue ;; esac
    if [ "$1" = "$rank" ] || { [ "$1" = all ] && [ -n "$rank" ]; }; then kill -s "$2" "$process"; fi
  done
}
