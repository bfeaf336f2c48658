#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws scenes with an optimizer and whatever may stand beside it, and holds what the commands do with them against each other.

    scripts/soak/workflows.py [--kinds rigid,soft,impact] [--seeds A-B] [--timeout SECONDS] [--keep DIR] [--markdown FILE] [--every]

A scene of random_scenes.py gets a method (an optimizer, portfolio, continuation, race or receding horizon), and some
of: a first guess that is drawn, another kind of gradient, a plant, cases.  Of each, a plan is made for a few
iterations, and it must hold that

1. two threads give the bits of one ("threads");
2. a run that ends after an iteration and is resumed gives the rows of the whole one ("resume");
3. simulate --control gives the frames and the loss of the run ("replay"), and resolved.json is a scene that plans the
   same ("resolved");
4. verify finds the run reproduced ("verify");
5. report, export and diff of the run with itself end well ("report", "glb", "csv", "diff");
6. losses are finite ("rows").

A scene that is refused (status 3) is counted by its message; any status but those of the manual is a fault.  Exits
with 1 when something is broken.  --keep keeps the scenes of broken ones.  The program is build/dcsim of this tree, or
SOAK_DCSIM.
"""
import argparse
import collections
import csv
import json
import math
import os
import subprocess
import sys
import tempfile

import random_scenes

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
DCSIM = os.path.abspath(os.environ.get("SOAK_DCSIM", os.path.join(ROOT, "build", "dcsim")))
VERDICTS = ("kept", "refused", "out of time", "broken")
ENDED, REFUSED, FAILED = (0, 1), 3, 4  # of the task reached or not; bad input; a computation that failed


class Broken(Exception):
    """A promise that a run broke."""


class Refused(Exception):
    """The program refused the scene, or a computation failed and said so."""


def optimizer(r):
    """An optimizer with a few iterations."""
    kind = r.choice(["adam", "adam", "gradient_descent", "lbfgs", "gauss_newton", "gauss_newton", "cem", "mppi"])
    given = {"type": kind, "iterations": r.choice([3, 4])}
    more = {"adam": {"learning_rate": r.decades(-3, -1)}, "gradient_descent": {"learning_rate": r.decades(-3, -2), "normalize": True},
            "cem": {"samples": 6, "elites": 3, "spread": 0.1, "seed": r.randrange(100)}, "mppi": {"samples": 6, "spread": 0.1, "seed": r.randrange(100)}}
    given.update(more.get(kind, {}))
    if kind == "adam" and r.chance(0.3):
        given.update(r.choice([{"polish": 2}, {"shared": True}, {"betas": [0.5, 0.9]}]))
    if kind == "gauss_newton" and r.chance(0.4):
        given.update(r.choice([{"monotone": True}, {"model": "centre"}, {"metric": "unit"}, {"sufficient": 0.9}]))
    return given


def whole_trajectory(controls):
    """Whether a control may be part of a receding horizon: it acts after the start, too."""
    return controls and all(control["type"] != "initial_state" for control in controls)


def method(r, scene):
    """Adds a method to a scene; its name."""
    kinds = ["optimizer"] * 4 + ["portfolio", "continuation", "race"] + ["horizon"] * (3 if whole_trajectory(scene["control"]) else 0)
    kind = r.choice(kinds)
    if kind != "race":
        scene["optimizer"] = optimizer(r)
    if kind == "race":
        scene["automatic"] = {"rollouts": 40, "draws": 4, "candidates": 2}
    elif kind == "portfolio":
        scene["portfolio"] = {"rollouts": 30, "draws": 4, "candidates": 2, "iterations": 2, "stiffer": r.choice([1, 3])}
    elif kind == "continuation":
        scene["continuation"] = {"stiffness": 3, "stages": r.choice([1, 2]), "iterations": 2}
        scene["continuation"].update({"step": 2} if scene["time"]["steps"] % 2 == 0 and r.chance(0.4) else {})
    elif kind == "horizon":
        scene.pop("design", None)
        scene["horizon"] = {"length": r.choice([2, 4]), "iterations": 2, "apply": r.choice([1, 2]), "keep": r.choice(["last", "best"])}
        scene["horizon"].update({"explore": 1, "draws": 3} if r.chance(0.4) else {})
    return kind


def beside(r, scene, kind):
    """Adds what may stand beside a method; the names of what was added."""
    names = []
    if kind in ("optimizer", "horizon") and r.chance(0.25):
        scene["init"] = {"type": "sample", "draws": 3, "sigma": 0.1, "distribution": r.choice(["normal", "uniform"]), "held": r.chance(0.5)}
        names.append("init")
    if kind in ("optimizer", "horizon") and scene["optimizer"]["type"] in ("adam", "lbfgs", "gradient_descent") and r.chance(0.25):
        scene["gradient"] = r.choice([{"type": "fd"}, {"type": "bundle", "samples": 4, "sigma": 0.01}, {"type": "bundle", "order": 0, "samples": 4, "sigma": 0.01}])
        names.append("gradient " + scene["gradient"]["type"])
    if r.chance(0.3):
        scene["plant"] = r.choice([{}, {"contact": {"friction": 0.5}}, {"time": {"step": scene["time"]["step"] / 2}}, {"contact": {"model": "sdrs", "stiffness": 1e-3, "length": 0.3}}])
        names.append("plant")
        if kind == "horizon" and r.chance(0.5):
            scene["horizon"]["trials"] = True
            names.append("trials")
    elif kind == "optimizer" and r.chance(0.3):
        scene["cases"] = [{"name": "heavier", "gravity": [0, 0, -12]}]
        names.append("cases")
    return names


def draw(kind, seed):
    """(scene, the names of what it brings together)."""
    r = random_scenes.Draw(f"{kind} {seed}")
    scene = random_scenes.KINDS[kind](seed).scene()
    scene["time"]["steps"] = min(scene["time"]["steps"], 8)
    if "integrator" not in scene["time"] and kind == "rigid" and r.chance(0.3):
        scene["time"]["integrator"] = "second_order"
    name = method(r, scene)
    names = [scene.get("optimizer", {}).get("type", "race"), name] + beside(r, scene, name)
    return scene, [part for part in dict.fromkeys(names) if part != "optimizer"]


class Workflow:
    """The commands on one scene, in a folder of its own."""

    def __init__(self, folder, scene, timeout):
        self.folder, self.timeout = folder, timeout
        self.scene = self.path("scene.json")
        with open(self.scene, "w", encoding="utf-8") as file:
            json.dump(scene, file, indent=1)

    def path(self, name):
        return os.path.join(self.folder, name)

    def call(self, *words, accepted=ENDED):
        done = subprocess.run([DCSIM, *words], capture_output=True, text=True, timeout=self.timeout, cwd=self.folder, check=False)
        said = done.stderr.strip().splitlines()
        message = next((line for line in said if line.startswith("dcsim:")), said[-1] if said else "no message").replace(self.folder + "/", "")
        if done.returncode in (REFUSED, FAILED):
            raise Refused(f"status {done.returncode}: {message}")
        if done.returncode not in accepted:
            raise Broken(f"{words[0]}: status {done.returncode}: {message}")
        return done.stdout

    def optimize(self, name, *words, scene=None, threads="1"):
        self.call("optimize", *([scene or self.scene] if scene != "none" else []), *words, *([] if "--resume" in words else ["-o", self.path(name)]),
                  "--quiet", "--no-report", "--threads", threads)

    def trajectory(self, run):
        return self.call("export", "--format", "csv", self.path(run), "-o", "-")

    def rows(self, run):
        """The rows of loss.csv, all of which follow from the scene."""
        with open(self.path(f"{run}/loss.csv"), encoding="utf-8", newline="") as lines:
            return list(csv.DictReader(lines))

    def same(self, one, other, promise):
        """Holds rows and frames of two runs against each other."""
        if self.rows(one) != self.rows(other):
            raise Broken(f"{promise}: other rows of loss.csv")
        if self.trajectory(one) != self.trajectory(other):
            raise Broken(f"{promise}: another trajectory")


def check_rows(work):
    """The losses of a run are finite, and its result is the least of them where rows are of one loss."""
    rows = work.rows("run")
    losses = [float(row["loss"]) for row in rows if row["loss"]]
    if not losses or not all(map(math.isfinite, losses)):
        raise Broken("rows: a loss that is not finite")
    with open(work.path("run/run.json"), encoding="utf-8") as file:
        result = json.load(file)["result"]
    if not math.isfinite(result.get("best_loss", 0)):
        raise Broken("rows: the result is not finite")


def check_resume(work):
    """The run that is broken off twice and resumed is the whole one."""
    work.optimize("part", "--max-time", "1e-9", "--checkpoint", "0")
    for words in (["--max-time", "1e-9"], []):
        work.call("optimize", "--resume", work.path("part"), "--quiet", "--no-report", "--threads", "1", *words)
    work.same("run", "part", "resume")


def check(work, scene):
    """Follows the ways that lead to one plan; raises Broken at the first that does not."""
    work.optimize("run")
    check_rows(work)
    work.optimize("two", threads="2")
    work.same("run", "two", "threads")
    check_resume(work)
    work.call("simulate", work.scene, "--control", work.path("run"), "-o", work.path("replay"), "--quiet", "--threads", "1")
    if ("horizon" in scene or "plant" not in scene) and work.trajectory("replay") != work.trajectory("run"):
        raise Broken("replay: another trajectory")
    work.optimize("resolved", scene=work.path("run/resolved.json"))
    work.same("run", "resolved", "resolved")
    certificate = json.loads(work.call("verify", work.path("run"), "--json", "--quick", "--quiet", "--no-report"))
    if not certificate["reproduced"]:
        raise Broken("verify: not reproduced")
    work.call("report", work.path("run"))
    work.call("export", "--format", "glb", work.path("run"))
    work.call("diff", work.path("run"), work.path("run"), accepted=(0,))


def judge(kind, seed, arguments):
    """(verdict, message, names) of a draw."""
    scene, names = draw(kind, seed)
    with tempfile.TemporaryDirectory() as folder:
        work = Workflow(folder, scene, arguments.timeout)
        verdict, message = "kept", ""
        try:
            check(work, scene)
        except Refused as refusal:
            verdict, message = "refused", str(refusal)
        except Broken as broken:
            verdict, message = "broken", str(broken)
        except subprocess.TimeoutExpired as late:
            verdict, message = "out of time", " ".join(late.cmd[1:2])
        if arguments.keep and verdict in ("broken", "out of time"):
            os.makedirs(arguments.keep, exist_ok=True)
            os.replace(work.scene, os.path.join(arguments.keep, f"{kind}-{seed}.json"))
    return verdict, message, names


def table(counts):
    """Verdicts by each thing that scenes bring together."""
    lines = ["| with | drawn | " + " | ".join(VERDICTS) + " |", "| --- " * (len(VERDICTS) + 2) + "|"]
    for name in sorted(counts, key=lambda name: (name == "all", name)):
        cells = [str(counts[name][verdict]) for verdict in VERDICTS]
        lines.append(f"| {name} | {sum(counts[name].values())} | " + " | ".join(cells) + " |")
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kinds", default="rigid,soft,impact")
    parser.add_argument("--seeds", default="1-20")
    parser.add_argument("--timeout", type=float, default=60, help="s of each command")
    parser.add_argument("--keep")
    parser.add_argument("--markdown")
    parser.add_argument("--every", action="store_true")
    arguments = parser.parse_args()
    first, last = map(int, arguments.seeds.split("-"))
    counts, refusals = collections.defaultdict(collections.Counter), collections.Counter()
    for kind in arguments.kinds.split(","):
        for seed in range(first, last + 1):
            verdict, message, names = judge(kind, seed, arguments)
            for name in ["all", *names]:
                counts[name][verdict] += 1
            refusals.update([message] if verdict == "refused" else [])
            if verdict in ("broken", "out of time"):
                print(f"# {kind}-{seed} ({', '.join(names)}): {verdict}: {message}", flush=True)
            if arguments.every:
                print(("not ok " if verdict == "broken" else "ok ") + f"{kind}-{seed}", flush=True)
    print("# " + ", ".join(f"{count} {verdict}" for verdict, count in sorted(counts["all"].items())))
    if arguments.markdown:
        with open(arguments.markdown, "w", encoding="utf-8") as file:
            file.write("\n".join(table(counts)) + "\n")
    for message, count in refusals.most_common():
        print(f"# {count} refused: {message}")
    sys.exit(counts["all"]["broken"] > 0)


if __name__ == "__main__":
    main()
