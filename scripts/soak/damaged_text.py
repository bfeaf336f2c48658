#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Damaged robots, meshes and scenes by the hundred thousand: the fuzz tests of a build with sanitizers, slice after slice with seeds of their own.

    scripts/soak/damaged_text.py [--build build-sanitized] [--inputs 100000] [--seed 1] [--rounds 60] [--tests fuzz_robot_files,fuzz_urdf,fuzz_scene] [--log FILE]

tests/fuzz damages sound texts and reads them in one process: a process and its start cost more than a reading.  Each slice is one run of a test, `--rounds` inputs of each of its kinds, with the seed that the log
names; `DCSIM_SEED=SEED DCSIM_ROUNDS=ROUNDS build/tests/fuzz/TEST` repeats it.  A slice is at fault where the test fails or a sanitizer reports.  The log has a line for each slice (test, seed, inputs, verdict) and
goes on where it ended; line breaks and tabs of messages are escaped in it.  Exits with 1 where there is a fault, and at once after three slices in a row that fail before they count inputs.
"""
import argparse
import collections
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
COUNTED = re.compile(r"^# .*?(\d+) accepted, (\d+) refused", re.M)


def run(arguments, test, seed):
    """Inputs of a slice that were accepted and refused, and what is wrong, or None."""
    with tempfile.TemporaryDirectory(prefix="damaged-") as folder:
        done = subprocess.run([os.path.join(arguments.build, "tests/fuzz", test)], cwd=folder, capture_output=True, text=True, errors="replace",
                              env=dict(os.environ, DCSIM_SEED=str(seed), DCSIM_ROUNDS=str(arguments.rounds), DCSIM_DATADIR=ROOT, OMP_NUM_THREADS="1", ASAN_OPTIONS="allocator_may_return_null=1"))
    counts = [tuple(map(int, found)) for found in COUNTED.findall(done.stdout)]
    said = [line for line in (done.stdout + done.stderr).splitlines() if line.startswith("not ok") or "runtime error" in line or "Sanitizer" in line or line.lstrip().startswith("#0 ")]
    fault = "; ".join(said[:4]) if said else "status %d: %s" % (done.returncode, done.stderr[-300:]) if done.returncode else None
    return sum(one for one, _ in counts), sum(other for _, other in counts), fault and fault.encode("unicode_escape").decode()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default="build-sanitized")
    parser.add_argument("--inputs", type=int, default=100000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--tests", default="fuzz_robot_files,fuzz_urdf,fuzz_scene")
    parser.add_argument("--log", default="damaged_text.log")
    arguments = parser.parse_args()
    arguments.build, tests = os.path.realpath(arguments.build), arguments.tests.split(",")
    total, slices, uncounted = collections.Counter(), 0, 0
    if os.path.exists(arguments.log):
        with open(arguments.log) as log:
            for line in log:
                test, seed, accepted, refused, verdict = line.rstrip("\n").split("\t")
                total.update(accepted=int(accepted), refused=int(refused), faults=verdict != "sound")
                arguments.seed, slices = max(arguments.seed, int(seed)), slices + 1
    while total["accepted"] + total["refused"] < arguments.inputs:
        seed, test = arguments.seed + 1, tests[slices % len(tests)]
        accepted, refused, fault = run(arguments, test, seed)
        if fault is None and not accepted + refused:
            sys.exit("%s counts nothing" % test)
        with open(arguments.log, "a") as log:
            log.write("%s\t%d\t%d\t%d\t%s\n" % (test, seed, accepted, refused, fault or "sound"))
        if fault:
            print("%s, seed %d: %s" % (test, seed, fault), flush=True)
        total.update(accepted=accepted, refused=refused, faults=fault is not None)
        arguments.seed, slices, uncounted = seed, slices + 1, 0 if accepted + refused else uncounted + 1
        if uncounted == 3:
            sys.exit("three slices in a row failed before they counted inputs")
    print("%d inputs in %d slices: %d accepted, %d refused, %d slices with a fault" % (total["accepted"] + total["refused"], slices, total["accepted"], total["refused"], total["faults"]))
    return 1 if total["faults"] else 0


if __name__ == "__main__":
    sys.exit(main())
