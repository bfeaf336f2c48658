# SPDX-License-Identifier: Apache-2.0
"""What scripts that measure have in common: their options, calls of dcsim, tables of motion, the page that they write."""
import argparse
import csv
import json
import os
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from measure import MEASURED, ROOT, markdown, processor  # noqa: E402, F401  (a script of the folder above)

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


def kept_run(arguments, name, command, scene, *words):
    """What a command on a scene answers, on one thread; the run is kept as NAME in the folder of --output, in place of an earlier one."""
    folder = os.path.join(arguments.output, name)
    shutil.rmtree(folder, ignore_errors=True)
    return call(arguments, command, scene, "-o", folder, "--json", "--quiet", "--no-report", "--threads", "1", *words)


def answer(*command, accepted=None):
    """The JSON that a command prints and the processor seconds it took; accepted: exit statuses, None: any with an answer."""
    with tempfile.TemporaryFile("w+") as said, subprocess.Popen(command, stdout=subprocess.PIPE, stderr=said, text=True) as process:
        output = process.stdout.read()
        _, code, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(code)
        if not output.strip() or accepted and process.returncode not in accepted:
            said.seek(0)
            raise Failed(f"{' '.join(command)}: {said.read().strip()}")
    return json.loads(output), usage.ru_utime + usage.ru_stime


def optimize(dcsim, path, *words):
    """The result of one run of the scene in one thread that writes no directory, and its processor seconds."""
    return answer(dcsim, "optimize", path, "--threads", "1", "-o", "none", "--quiet", "--json", *words, accepted=(0, 1))


def write_json(path, value):
    with open(path, "w", encoding="utf-8") as file:
        json.dump(value, file)
    return path


def read_rows(path):
    """The rows of JSON that earlier calls left in a file, none without it."""
    if not path or not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def append_row(path, row):
    with open(path, "a", encoding="utf-8") as file:
        file.write(json.dumps(row) + "\n")


def keep_rows(arguments, name, key, rows):
    """The rows that are stored for a page, docs/measured/NAME.jsonl, with these in place of those of the same key; --publish stores them."""
    path = os.path.join(MEASURED, name + ".jsonl")
    kept = {row[key]: row for row in [*read_rows(path), *rows]}
    if arguments.publish and rows:
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in kept.values())
    return list(kept.values())


def commit():
    """The short name of what is checked out: of the program, where nothing was changed since it was built."""
    return subprocess.run(["git", "-C", ROOT, "rev-parse", "--short=8", "HEAD"], capture_output=True, text=True, check=False).stdout.strip()


def notes(name):
    """Lines of what people wrote about a page, docs/measured/NAME_notes.md."""
    path = os.path.join(MEASURED, name + "_notes.md")
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as file:
        return ["", file.read().strip()]


def part_of_page(name, begin):
    """Lines of docs/measured/NAME.md from the one that starts with begin to the last of the table after it; none without."""
    path = os.path.join(MEASURED, name + ".md")
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as file:
        lines = file.read().splitlines()
    first = next((i for i, line in enumerate(lines) if line.startswith(begin)), len(lines))
    rows = [i for i, line in enumerate(lines) if i >= first and line.startswith("|")]
    last = next((i for i in rows if i + 1 not in rows), first - 1)
    return lines[first:last + 1]


def seeds(text):
    """The numbers from FIRST-LAST."""
    first, last = (int(number) for number in text.split("-"))
    return range(first, last + 1)


def motion(arguments, run):
    """Rows of a run's motion, with the columns of dcsim export --format csv."""
    table = os.path.join(run, "motion.csv")
    call(arguments, "export", run, "--format", "csv", "-o", table)
    with open(table, encoding="utf-8") as file:
        return list(csv.DictReader(file))
