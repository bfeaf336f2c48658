#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What ranks of MPI take off rank 0 of one optimization: processor time of every rank against that of one process.

    scripts/scale/ranks.py [--ranks 2 ...] [--only NAME ...] [--dcsim build/dcsim] [--publish]

Each rank has one thread.  Processor times hardly depend on what else the machine does; with as many idle cores as ranks the run would take about as
long as the busiest of them.  The start of the program and of MPI is in them.  loss.csv must be the same.  --publish writes docs/measured/ranks.md.
"""
import argparse
import datetime
import filecmp
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from measure import MEASURED, ROOT, processor  # noqa: E402

CASES = {
    "cem": ("`cem` on billiards, 3 iterations", "billiards", ['optimizer={"type": "cem", "iterations": 3}']),
    "differences": ("central differences on billiards, 3 iterations", "billiards", ["optimizer.iterations=3", "gradient.type=fd"]),
    "search": ("a search of billiards_random, 250 rollouts, 8 members in a round", "billiards_random",
               ["portfolio.rollouts=250", "portfolio.draws=32", "portfolio.candidates=8", "portfolio.iterations=4"]),
}


def run_and_note(path, command):
    """A rank: runs the command, writes down what it took."""
    status = subprocess.run(command, stdout=subprocess.DEVNULL, check=False).returncode
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    with open(f"{path}.{os.environ.get('OMPI_COMM_WORLD_RANK', '0')}", "w", encoding="ascii") as file:
        json.dump(used.ru_utime + used.ru_stime, file)
    sys.exit(status)


def measure(options, folder, case, ranks):
    """Processor seconds of every rank of a run, whose directory is left in the folder."""
    _, scene, changes = CASES[case]
    run, note = os.path.join(folder, f"{case}-{ranks}"), os.path.join(folder, f"{case}-{ranks}.seconds")
    command = [sys.executable, os.path.abspath(__file__), "--note", note, options.dcsim, "optimize", os.path.join(ROOT, "scenes", scene + ".json"),
               "-o", run, "--threads", "1", "--quiet", "--no-report"]
    for change in changes:
        command += ["--set", change]
    if ranks > 1:
        command = ["mpirun", "-n", str(ranks), *command]
    environment = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1"}
    done = subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        sys.exit(done.stderr)
    seconds = []
    for rank in range(ranks):
        with open(f"{note}.{rank}", encoding="ascii") as file:
            seconds.append(json.load(file))
    return seconds


def main():
    if sys.argv[1:2] == ["--note"]:
        run_and_note(sys.argv[2], sys.argv[3:])
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ranks", type=int, nargs="+", default=[2, 4])
    parser.add_argument("--only", nargs="+", choices=CASES, default=list(CASES))
    parser.add_argument("--dcsim", default=os.path.join(ROOT, "build", "dcsim"), type=os.path.abspath)
    parser.add_argument("--publish", action="store_true")
    options = parser.parse_args()
    folder, load = tempfile.mkdtemp(prefix="dcsim-ranks-"), os.getloadavg()[0]
    lines = ["| | ranks | one process, s | rank 0, s | times | busiest other rank, s | `loss.csv` |", "| --- | --- | --- | --- | --- | --- | --- |"]
    print("\n".join(lines), flush=True)
    try:
        for case in options.only:
            (alone,) = measure(options, folder, case, 1)
            for ranks in options.ranks:
                seconds = measure(options, folder, case, ranks)
                same = filecmp.cmp(*(os.path.join(folder, f"{case}-{n}", "loss.csv") for n in (1, ranks)), shallow=False)
                lines.append(f"| {CASES[case][0]} | {ranks} | {alone:.2f} | {seconds[0]:.2f} | {alone / seconds[0]:.2f} | {max(seconds[1:]):.2f} |"
                             f" {'the same' if same else '**differs**'} |")
                print(lines[-1], flush=True)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    if options.publish:
        head = ["### What ranks take off rank 0", "",
                f"By `scripts/scale/ranks.py` on {datetime.date.today()}, {processor()}, load {load:.0f} to {os.getloadavg()[0]:.0f}: processor time, one run each,"
                " one thread for each rank, the start of MPI included.", ""]
        with open(os.path.join(MEASURED, "ranks.md"), "w", encoding="utf-8") as file:
            file.write("\n".join(head + lines) + "\n")


if __name__ == "__main__":
    main()
