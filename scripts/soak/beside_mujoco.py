# SPDX-License-Identifier: Apache-2.0
"""What the scripts share that hold drawn models against MuJoCo: options, the two programs, models that are kept, counts."""
import argparse
import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
sys.path[:0] = [os.path.join(ROOT, "scripts"), os.path.join(ROOT, "python")]
import robot_motion  # noqa: E402


def options(doc, draws):
    parser = argparse.ArgumentParser(description=doc.splitlines()[0])
    parser.add_argument("--mujoco", required=True)
    parser.add_argument("--build", default="build")
    parser.add_argument("--draws", type=int, default=draws)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep")
    return parser


def begin(parser):
    """The options, and MuJoCo's process; this process uses the library of the build, which must not be loaded before."""
    arguments = parser.parse_args()
    arguments.build, arguments.python = os.path.realpath(arguments.build), os.path.join(ROOT, "python")
    os.environ["DCSIM_LIBRARY"] = os.path.join(arguments.build, "lib/libdcsim.so")
    return arguments, robot_motion.start_mujoco(arguments.mujoco)


def keep(arguments, name, text):
    if arguments.keep:
        os.makedirs(arguments.keep, exist_ok=True)
        with open(os.path.join(arguments.keep, name), "w") as file:
            file.write(text)


def tell(counts, *faults):
    """Prints the verdicts; 1 where one has a word of a fault."""
    print(", ".join("%d %s" % (count, verdict) for verdict, count in sorted(counts.items())))
    return 1 if any(fault in verdict for verdict in counts for fault in faults) else 0
