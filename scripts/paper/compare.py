#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs a task of paper 000 with one contact model beside another and keeps what came of it; used by figures.py.

Runs stand in FOLDER/cache under a hash of the program, the scene and the options, so that what two figures have in
common is run once.  Times are never taken from there: cost() measures the models in turn, in one go.
"""
import csv
import hashlib
import json
import math
import os
import re
import signal
import statistics
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SCENES = os.path.join(ROOT, "scenes")
# Remaining force at which steps of the competitors, and of every first gradient, count as solved: a gradient that is
# zero by the model must not be hidden by what a loose solver leaves.
TIGHT = "solver.tolerance=1e-8"
# Wall-clock time over processor time at which a run is taken to hang.
BUSY = 6
SAMPLE = {"type": "sample", "draws": 100, "sigma": 1.0}
BUNDLE = {"type": "bundle", "samples": 8, "seed": 1}
# Standard deviation of bundles: of 0.03, 0.1, 0.3 and 1 what came furthest; where none came anywhere, 0.3, with which
# samples of still bodies meet others without all of them being thrown far.
SIGMA = {"gather": 0.03, "sort": 0.03, "ant_push": 0.1}
SIGMA_OF_OTHERS = 0.3


@dataclass(frozen=True)
class Competitor:
    """A row of the comparison: a contact model and how gradients are taken through it."""

    name: str
    model: str
    gradient: str = ""


# GB, the gradient bundle, is taken over sdrs: the smooth one of the models of short range.
COMPETITORS = {c.name: c for c in [
    Competitor("bsh", "bsh"), Competitor("exact", "exact"), Competitor("ipc", "ipc"), Competitor("ipc-global", "ipc-global"),
    Competitor("sdrs", "sdrs"), Competitor("mujoco", "mujoco", "fd"), Competitor("GB", "sdrs", "bundle")]}
RIVALS = ["ipc", "sdrs", "mujoco", "GB"]


@dataclass(frozen=True)
class Job:
    """One optimization: task is the label of the row, settings are PATH=VALUE, patience a factor on the time budget."""

    task: str
    scene: str
    competitor: str
    init: str = "trivial"
    settings: tuple = field(default_factory=tuple)
    patience: float = 1.0
    seed: int = 1  # of drawn first guesses


def scene_of(name):
    """The scene scenes/NAME.json, its comments dropped."""
    with open(os.path.join(SCENES, name + ".json"), encoding="utf-8") as file:
        text = file.read()
    return json.loads(re.sub(r'("(?:\\.|[^"\\])*")|//[^\n]*|/\*.*?\*/', lambda m: m.group(1) or "", text, flags=re.S))


def override(path, value):
    return f"{path}={value if isinstance(value, str) else json.dumps(value)}"


def refused(code):
    """Whether an exit status means that there is no run: neither done, nor failed numerically, nor stopped by a signal."""
    return code not in (0, 4, 130, 143)


def processor_seconds(pid, otherwise):
    """Time that a process has spent on processors, s; `otherwise` where the system does not tell."""
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    except (OSError, IndexError, ValueError):
        return otherwise


def finite(values):
    return [value for value in values if math.isfinite(value)]


def read_curve(path):
    """Columns iteration, loss, gradient_norm of a loss.csv; gradients that a row does not have are left out."""
    if not os.path.exists(path):
        return {"iteration": [], "loss": [], "gradient": []}
    with open(path, newline="", encoding="ascii") as file:
        rows = [row for row in csv.DictReader(file) if row["loss"]]
    return {"iteration": [int(row["iteration"]) for row in rows], "loss": [float(row["loss"]) for row in rows],
            "gradient": [float(row["gradient_norm"]) for row in rows if row["gradient_norm"]]}


def fingerprint_of(program):
    """A hash of a program, which holds the whole library."""
    with open(program, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


class Lab:
    """The program under test, its folder and its budget.

    options: dcsim, output, quick, max_time (processor s per run), deadline (time after which no run begins), jobs, fresh, models
    (names or None for all), steps (time steps instead of the scene's, or None), set (further PATH=VALUE).
    """

    def __init__(self, options):
        self.options = options
        self.dcsim = os.path.abspath(options.dcsim)
        if not os.access(self.dcsim, os.X_OK):
            sys.exit(f"{self.dcsim}: no such program; scripts/build.sh makes it, --dcsim names another")
        self.cache = os.path.join(options.output, "cache")
        os.makedirs(self.cache, exist_ok=True)
        self.fingerprint = fingerprint_of(self.dcsim)
        self.refusals = {}  # the last words of what failed in cost(), by model
        self.models = {entry["name"] for entry in json.loads(self.call(["list", "models", "--json"]).stdout)["models"]}
        self.sections = set(json.loads(self.call(["schema"]).stdout)["properties"])

    def call(self, arguments, seconds=600):
        """Runs dcsim; after so many seconds on a processor it is told to finish, twice as many later to stop.

        Processor time, because on a machine with other work a budget of wall-clock time decides who gets far; that is
        limited to BUSY times as much.  The result has the members seconds (of processor time) and cut_off as well.
        """
        begin, signals, used = time.time(), 0, 0.0
        with subprocess.Popen([self.dcsim, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            while True:
                try:
                    out, err = process.communicate(timeout=0.1)
                    break
                except subprocess.TimeoutExpired:
                    used = processor_seconds(process.pid, time.time() - begin)
                if max(used, (time.time() - begin) / BUSY) < (1 + 2 * signals) * seconds:
                    continue
                process.send_signal(signal.SIGTERM if signals < 2 else signal.SIGKILL)
                signals += 1
        done = subprocess.CompletedProcess(process.args, process.returncode, out, err)
        done.seconds, done.cut_off = max(used, min(0.1, time.time() - begin)), signals > 0
        return done

    def missing(self, name, init="trivial"):
        """Why a row cannot be run: the name of what this dcsim was not built with, or None."""
        competitor = COMPETITORS[name]
        if competitor.model not in self.models:
            return competitor.model
        if competitor.gradient == "bundle" and "gradient" not in self.sections:
            return "gradient bundle"
        if init == "sampled" and "init" not in self.sections:
            return "init"
        return None

    def wanted(self, names):
        return [name for name in names if self.options.models is None or name in self.options.models]

    def arguments(self, scene, competitor, settings=(), control=None, last=()):
        """Of simulate and optimize, but for the command and -o; the settings `last` win over --set of the user."""
        row = COMPETITORS[competitor]
        result = [os.path.join(SCENES, scene + ".json"), "--json", "--quiet", "--threads", "1", "--model", row.model,
                  "--allow-path", os.path.join(ROOT, "meshes")]
        if control:
            result += ["--control", control]
        steps = [override("time.steps", self.options.steps)] if self.options.steps else []
        for setting in [*settings, *steps, *self.options.set, *last]:
            result += ["--set", setting]
        return result

    @staticmethod
    def gradient(scene, competitor):
        """Arguments of optimize that choose the kind of gradient."""
        kind = COMPETITORS[competitor].gradient
        if kind == "bundle":
            return ["--gradient", kind, "--set", override("gradient", {**BUNDLE, "sigma": SIGMA.get(scene, SIGMA_OF_OTHERS)})]
        return ["--gradient", kind] if kind else []

    def budget(self, job=None):
        """Processor time of a run, s."""
        return self.options.max_time * (job.patience if job else 1)

    def job_arguments(self, job):
        settings = list(job.settings)
        if job.competitor not in ("bsh", "exact"):
            settings.append(TIGHT)
        if job.init == "sampled":
            settings.append(override("init", {**SAMPLE, "seed": job.seed}))
        if job.init == "rest":
            for i, control in enumerate(scene_of(job.scene)["control"]):
                settings.append(override(f"control.{i}.initial", [0] * len(control.get("initial", []))))
        return [*self.arguments(job.scene, job.competitor, settings), *self.gradient(job.scene, job.competitor)]

    def key(self, job, extra):
        with open(os.path.join(SCENES, job.scene + ".json"), "rb") as file:
            text = file.read()
        return hashlib.sha256(repr([self.fingerprint, text, extra]).encode()).hexdigest()[:16]

    def run(self, job):
        """The record of a job; see record_of for its members."""
        record = {"task": job.task, "scene": job.scene, "model": job.competitor, "init": job.init, "settings": list(job.settings),
                  "seed": job.seed}
        lacking = self.missing(job.competitor, job.init)
        if lacking:
            return {**record, "status": "not built", "lacking": lacking}
        arguments = ["optimize", *self.job_arguments(job)]
        folder = os.path.join(self.cache, self.key(job, [*arguments, self.budget(job)]))
        kept = os.path.join(folder, "record.json")
        if os.path.exists(kept) and not self.options.fresh:
            with open(kept, encoding="utf-8") as file:
                return {**json.load(file), **record}
        if time.time() > self.options.deadline:
            return {**record, "status": "failed", "message": "not begun, time is up"}
        os.makedirs(folder, exist_ok=True)
        done = self.call([*arguments, "-o", os.path.join(folder, "run")], self.budget(job))
        record.update(self.record_of(done, os.path.join(folder, "run")))
        if record["status"] == "ran":
            record["first_gradient"] = self.first_gradient(job)
        with open(kept, "w", encoding="utf-8") as file:
            json.dump(record, file, indent=1)
        print(f"  {job.task}, {job.init}, {job.competitor}: {record.get('message') or record['status']}, {done.seconds:.0f} s",
              file=sys.stderr, flush=True)
        return record

    @staticmethod
    def record_of(done, folder):
        curve = read_curve(os.path.join(folder, "loss.csv"))
        losses = finite(curve["loss"])
        try:
            result = json.loads(done.stdout)
        except ValueError:
            result = {}
        message = (done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[-1]
        if refused(done.returncode) or not losses:
            return {"status": "failed", "message": message, "seconds": done.seconds, "curve": curve}
        return {
            "status": "ran", "message": message if done.returncode == 4 else "", "folder": folder, "curve": curve,
            "date": time.strftime("%Y-%m-%d", time.gmtime()), "seconds": done.seconds, "initial_loss": losses[0],
            "final_loss": losses[-1], "best_loss": min(losses), "success": bool(result.get("success", min(losses) == 0)),
            "iterations": result.get("iterations", curve["iteration"][-1]), "steps": result.get("steps"),
            "min_gap": result.get("min_gap"), "unconverged_steps": result.get("unconverged_steps"),
            "newton_iterations_per_step": result.get("newton_iterations_per_step"),
            "gradients": len(curve["gradient"]), "zero_gradients": sum(g == 0 for g in curve["gradient"]),
            "out_of_time": done.cut_off,
        }

    def first_gradient(self, job):
        """Norm of the gradient at the first guess (over the first window of a receding horizon), steps converged tightly.

        The optimizer's step is so short that the loss of what is applied is that of the first guess.
        """
        settings = [TIGHT, "optimizer.learning_rate=1e-12", "optimizer.iterations=1"]
        scene = scene_of(job.scene)
        horizon = scene.get("horizon")
        if horizon:
            chosen = dict(setting.split("=", 1) for setting in job.settings)
            length = int(chosen.get("horizon.length", horizon["length"]))
            settings += [override("time.steps", length), override("horizon.apply", length), "horizon.iterations=1"]
        arguments = self.job_arguments(job)
        for setting in settings:
            arguments += ["--set", setting]
        folder = os.path.join(self.cache, self.key(job, arguments))
        self.call(["optimize", *arguments, "-o", folder], self.budget(job))
        gradients = read_curve(os.path.join(folder, "loss.csv"))["gradient"]
        return gradients[0] if gradients else None

    def no_cost(self, name, seconds):
        """Why cost() has nothing for a model."""
        if self.missing(name):
            return "not built"
        return "not begun, time is up" if time.time() > self.options.deadline else self.refusals.get(name, f"over {seconds} s")

    def run_all(self, jobs):
        """Records of several jobs, two at a time: their curves count, not their times."""
        jobs = [job for job in jobs if job.competitor in self.wanted([job.competitor])]
        with ThreadPoolExecutor(self.options.jobs) as pool:
            return list(pool.map(self.run, jobs))

    def one(self, command, arguments, seconds, name=None):
        """What a command answers; None where it was cut off or failed, whose last words are kept for a model's name."""
        done = self.call([command, *arguments, "-o", "none"], seconds)
        if done.cut_off:
            return None
        try:
            return json.loads(done.stdout)
        except ValueError:
            self.refusals[name] = (done.stderr.strip().splitlines() or ["failed"])[-1].removeprefix("dcsim: ")
            return None

    @staticmethod
    def roll_outs(name):
        """Roll-outs of an evaluation with gradient, each of them with its adjoint but for the first of a bundle."""
        return BUNDLE["samples"] + 1 if COMPETITORS[name].gradient == "bundle" else 1

    @staticmethod
    def parameters(description, result):
        """Number of parameters of an iteration: of a window where there is a horizon."""
        count = len(result["parameters"])
        return count * description["horizon"]["length"] // result["steps"] if "horizon" in description else count

    def cost(self, scene, names, control=None, settings=(), gradients=True, rounds=3, seconds=60):
        """Cost of several models on the same controls, measured in turn, medians of the rounds.

        control: run directory whose plan all of them execute.  Returns {name: {"step": s per forward step,
        "evaluation": s per evaluation of the contact potential with derivatives, "newton": iterations per step,
        "gradient_step": s of an iteration over its steps, gradient included, "unconverged": steps, "rounds": number}};
        names that are not built or fail have None.  A call that takes longer than `seconds` is cut off and counts as failed;
        what takes a quarter of that is measured once.  Gradients by differences are as many roll-outs.
        """
        description = scene_of(scene)
        never = [f"objective.{i}.tolerance=0" for i in range(len(description["objective"]))]
        short = ["horizon.iterations=2", "time.steps=4"] if "horizon" in description else ["optimizer.iterations=2"]
        forward, backward = {name: [] for name in names}, {name: [] for name in names}
        late = time.time() > self.options.deadline
        failed = {name for name in names if late or self.missing(name)}
        slow = set()
        for _ in range(rounds):
            for name in names:
                if name in failed or name in slow:
                    continue
                begin = time.time()
                result = self.one("simulate", self.arguments(scene, name, settings, control), seconds, name)
                if not result:
                    failed.add(name)
                    continue
                forward[name].append(result)
                if time.time() - begin > seconds / 4:
                    slow.add(name)
                if not gradients or COMPETITORS[name].gradient == "fd":
                    continue
                arguments = [*self.arguments(scene, name, settings, control, [*short, *never]), *self.gradient(scene, name)]
                result = self.one("optimize", arguments, seconds)
                if result:
                    backward[name].append(result["seconds_per_step"] * self.roll_outs(name))
        for name in names:
            if gradients and forward[name] and COMPETITORS[name].gradient == "fd":
                backward[name] = [r["seconds_per_step"] * (1 + 2 * self.parameters(description, r)) for r in forward[name]]
        return {name: None if name in failed else {
            "step": statistics.median(r["seconds_per_step"] for r in forward[name]),
            "evaluation": statistics.median(r["seconds_per_evaluation"] for r in forward[name]),
            "newton": forward[name][0]["newton_iterations_per_step"], "unconverged": forward[name][0]["unconverged_steps"],
            "rounds": len(forward[name]),
            "gradient_step": statistics.median(backward[name]) if backward[name] else None} for name in names}
