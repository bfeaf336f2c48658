# SPDX-License-Identifier: Apache-2.0
"""What scripts that measure have in common: their options, calls of dcsim, tables of motion, the page that they write."""
import argparse
import csv
import json
import os
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from measure import MEASURED, ROOT, processor  # noqa: E402, F401  (a script of the folder above)

# What the models of short support measure each other with.
MODELS = {"sdrs": {"stiffness": 1e-3, "length": 0.01, "support": 0.1}, "ipc": {"stiffness": 1e-3, "dhat": 2e-3}}


class Failed(SystemExit):
    """dcsim ended with an error: ends the script with its message, unless it is caught."""


def options(doc=None, quick=True):
    """A parser with --dcsim, --output, --publish and, where there is one, --quick."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    if quick:
        parser.add_argument("--quick", action="store_true", help="less of it, to see that it works")
    parser.add_argument("--dcsim", default=os.path.join(ROOT, "build", "dcsim"), type=os.path.abspath)
    parser.add_argument("--output", default=os.path.join(ROOT, "runs", "paper"), type=os.path.abspath)
    parser.add_argument("--publish", action="store_true", help="write the page into docs/measured, too")
    return parser


def parse(parser):
    """The arguments; their folder is made."""
    arguments = parser.parse_args()
    os.makedirs(arguments.output, exist_ok=True)
    return arguments


def publish(arguments, name, lines):
    """Writes lines as NAME.md into the folder of --output and, with --publish, into docs/measured."""
    text = "\n".join(lines).rstrip() + "\n"
    for folder in [arguments.output] + ([MEASURED] if arguments.publish else []):
        with open(os.path.join(folder, name + ".md"), "w", encoding="utf-8") as file:
            file.write(text)


def show(arguments, name, lines):
    """Prints lines and publishes them."""
    print("\n".join(lines).rstrip())
    publish(arguments, name, lines)


def scene_path(name):
    return os.path.join(ROOT, "scenes", name + ".json")


def settings(*assignments):
    """Words of the command line for assignments PATH=VALUE."""
    return [word for assignment in assignments for word in ("--set", assignment)]


def call(arguments, *command):
    """What dcsim COMMAND answers, as JSON where it has --json."""
    done = subprocess.run([arguments.dcsim, *command], capture_output=True, text=True, check=False)
    if done.returncode:
        raise Failed(done.stderr)
    return json.loads(done.stdout) if "--json" in command else None


def motion(arguments, run):
    """Rows of a run's motion, with the columns of dcsim export --format csv."""
    table = os.path.join(run, "motion.csv")
    call(arguments, "export", run, "--format", "csv", "-o", table)
    with open(table, encoding="utf-8") as file:
        return list(csv.DictReader(file))
