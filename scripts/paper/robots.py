#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How many robots of a folder open as they come, and what a step of an arm costs: the figures of docs/robots.md.

    scripts/paper/robots FOLDER [--dcsim build/dcsim] [--package-path DIR ...] [--only TEXT ...] [--arms NAME,...] [--names NAME,... [--table FILE]] [--limit 120]

Every *.urdf (and *.xml that is MJCF) below FOLDER is included in a scene of two steps and checked, as it comes; packages are folders below FOLDER, or those of
--package-path. With --names only the first robots whose paths end so are: each is checked, unedited, and simulated for ten steps, and the table says of each what came of
it. Arms are files by the ends of their names: each holds its pose under PD, with the defaults and with the options of the table's columns. Costs are
instructions of the program (perf stat, where there is one) and milliseconds, per step, of the difference between a long and a short run, on one thread; what a step with
its adjoint costs is for scripts/paper/arms. Nothing is written but temporary files beside the robots, which are removed.
"""
import argparse
import json
import os
import re
import subprocess
import sys

SCENE = {"time": {"step": 0.01, "steps": 2}, "contact": {"model": "bsh", "stiffness": 1e-6}}
FULL = {"self_field": "full"}
COLUMNS = [("as it is in the file", dict(FULL, hull_points=0, longest_edge=0)), ("full field", FULL), ("self_contact auto", dict(FULL, self_contact="auto")),
           ("near", {"self_field": "near"}),
           ("near, auto", {"self_field": "near", "self_contact": "auto"}), ("32 corners", dict(FULL, hull_points=32)),
           ("32 corners, auto", dict(FULL, hull_points=32, self_contact="auto")), ("no self-contact", {"self_contact": "none"})]
SHORT, LONG = 5, 25
SIMULATED = 10


class Trial:
    """A scene beside a robot, and the program run on it."""

    def __init__(self, arguments, path):
        self.program, self.limit = arguments.dcsim, arguments.limit
        self.path = path
        self.scene = os.path.join(os.path.dirname(path), ".robots-%d.json" % os.getpid())
        self.options = ["--threads", "1", "--allow-path", arguments.folder]
        for folder in [arguments.folder] + arguments.package_path:
            self.options += ["--package-path", folder]

    def run(self, command, include, steps, prefix=(), options=()):
        text = dict(SCENE, time={"step": 0.01, "steps": steps}, include=dict(include, file=os.path.basename(self.path)))
        with open(self.scene, "w") as file:
            json.dump(text, file)
        try:
            return subprocess.run([*prefix, self.program, command, self.scene, *options, *self.options], capture_output=True, text=True, timeout=self.limit)
        except subprocess.TimeoutExpired:
            return None
        finally:
            os.remove(self.scene)


def is_robot(path):
    if path.endswith(".urdf"):
        return True
    if not path.endswith(".xml"):
        return False
    with open(path, errors="replace") as file:
        return re.match(r"\s*(<\?[^>]*>\s*|<!--.*?-->\s*)*<mujoco", file.read(20000), re.S) is not None


def find(folder, only):
    found = [os.path.join(where, name) for where, _, names in os.walk(folder) for name in names]
    return sorted(path for path in found if is_robot(path) and (not only or any(text in path for text in only)))


def open_all(arguments, robots):
    good = 0
    for path in robots:
        done = Trial(arguments, path).run("check", {}, 2)
        good += done is not None and done.returncode == 0
        if done is None or done.returncode:
            print("%s: %s" % (os.path.relpath(path, arguments.folder), failure(done, arguments.limit)), flush=True)
    print("%d of %d robots pass check as they come" % (good, len(robots)))


def failure(done, limit):
    """Why a run failed; empty when it did not."""
    if done is None:
        return "no answer within %g s" % limit
    return (done.stderr.strip().splitlines() or ["status %d" % done.returncode])[-1][:200] if done.returncode else ""


def tell_name(arguments, path):
    """Bodies, what check says, what a simulation says; and whether both are good."""
    checked = Trial(arguments, path).run("check", {}, SIMULATED, options=["--json"])
    if reason := failure(checked, arguments.limit):
        return ["", reason.replace(arguments.folder + os.sep, ""), ""], False
    bodies = len(json.loads(checked.stdout).get("bodies", {})) or ""
    simulated = Trial(arguments, path).run("simulate", {}, SIMULATED, options=["-o", "none", "--json", "--quiet"])
    if reason := failure(simulated, arguments.limit):
        return [bodies, "yes", reason.replace(arguments.folder + os.sep, "")], False
    lost = json.loads(simulated.stdout)["unconverged_steps"]
    return [bodies, "yes", "yes" if not lost else "%d steps did not converge" % lost], not lost


def tell_names(arguments, robots):
    """A row for each name: bodies, check, a short simulation."""
    rows, good = [], 0
    for name in arguments.names.split(","):
        path = next((path for path in robots if path.endswith(name)), None)
        cells, passes = tell_name(arguments, path) if path else (["", "not there", ""], False)
        good += passes
        rows.append("| %s | %s |" % (os.path.relpath(path, arguments.folder) if path else name, " | ".join(map(str, cells))))
        print(rows[-1], flush=True)
    text = "| file | bodies | passes `check` | %d steps |\n|---|---|---|---|\n%s\n\n%d of %d pass and simulate.\n" % (SIMULATED, "\n".join(rows), good, len(rows))
    print(text.splitlines()[-1])
    if arguments.table:
        with open(arguments.table, "w") as file:
            file.write("### Published robots, as they come\n\nBy `scripts/paper/robots FOLDER --names NAME,... --table FILE`: files unedited, `check` and a simulation of %d steps of 0.01 s from rest under "
                       "gravity, with the defaults (contact model bsh, no actuators); a step that does not converge counts as a failure.\n\n" % SIMULATED + text)


def cost(trial, include, counted):
    """Instructions and milliseconds per step."""
    found = []
    for steps in (SHORT, LONG):
        prefix = ["perf", "stat", "-x,", "-e", "instructions:u"] if counted else []
        done = trial.run("simulate", include, steps, prefix, ["-o", "none", "--json", "--quiet"])
        if done is None or done.returncode:
            return None
        count = re.search(r"^(\d+),,instructions", done.stderr, re.M)
        found.append((int(count.group(1)) if count else float("nan"), json.loads(done.stdout)["seconds"]))
    return [(late - early) / (LONG - SHORT) for early, late in zip(*found)]


def measure_arms(arguments, robots):
    counted = subprocess.run(["perf", "stat", "-x,", "-e", "instructions:u", "true"], capture_output=True, text=True).stderr.count("<not") == 0
    print("| arm | " + " | ".join(name for name, _ in COLUMNS) + " |\n" + "|---" * (1 + len(COLUMNS)) + "|")
    for name in arguments.arms.split(","):
        for path in [path for path in robots if path.endswith(name)][:1]:
            cells = []
            for _, include in COLUMNS:
                both = cost(Trial(arguments, path), dict(include, pd={"kp": 1000, "kd": 100}), counted)
                cells.append("-" if both is None else "%.2f M, %.2f ms" % (both[0] / 1e6, both[1] * 1e3))
            print("| %s | %s |" % (os.path.basename(path), " | ".join(cells)), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=os.path.abspath)
    parser.add_argument("--dcsim", default="build/dcsim", type=os.path.abspath)
    parser.add_argument("--package-path", action="append", default=[], type=os.path.abspath)
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--arms", default="")
    parser.add_argument("--names", default="")
    parser.add_argument("--table")
    parser.add_argument("--limit", default=120, type=float)
    arguments = parser.parse_args()
    robots = find(arguments.folder, arguments.only)
    if not robots:
        sys.exit("no robots below " + arguments.folder)
    if arguments.names:
        tell_names(arguments, robots)
    elif arguments.arms:
        measure_arms(arguments, robots)
    else:
        open_all(arguments, robots)


if __name__ == "__main__":
    main()
