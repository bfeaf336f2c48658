#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs random scenes and judges each by what dcsim promises: nothing passes through anything, no step fails silently, momentum is kept.

    scripts/soak/soak.py [--collisions N] [--thrown N] [--passages N] [--seed S] [--models NAME ...] [--shapes NAME ...] [--jobs N]
                         [--only NAME ...] [--without NAME ...] [--keep DIR] [--timeout SECONDS] [--markdown FILE] [--every]

collisions: of two bodies, a chain's link or a fixed one, at 2 to 1000 m/s each, head-on and oblique, steps of 0.001 to 0.04 s; thrown: three to
six bodies at up to 100 m/s; passages: slots and tubes with 0.1 mm of clearance.  Models and shapes take turns.  The program is build/dcsim of
this tree, or SOAK_DCSIM; build/tests/soak/crossing, or SOAK_CROSSING, judges paths.  A status of 4 is an honest failure, and counted; everything
else that is not a kept promise makes the script exit with 1.  Contact may give a little energy in a step that passes by ("energy above start";
docs/theory.md, "Energy", says how much); what is above the start by more than that comes from nowhere, and breaks a promise.  --keep keeps the
scenes of these and of status 4; --only repeats the ones of these names, --without leaves them out.  "Too close to tell": the independent judge does not resolve gaps below
1e-13 m; "went around": bodies on a line slid off each other to the side and passed, crossing nothing.
"""
import argparse
import collections
import concurrent.futures
import dataclasses
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import cases
import judge

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
DCSIM = os.path.abspath(os.environ.get("SOAK_DCSIM", os.path.join(ROOT, "build", "dcsim")))
CROSSING = os.path.abspath(os.environ.get("SOAK_CROSSING", os.path.join(ROOT, "build", "tests", "soak", "crossing")))
MOMENTUM = 1e-10  # relative
ENERGY = 1e-9     # relative


@dataclasses.dataclass
class Outcome:
    """status: exit status, None after a time limit; faults: broken promises; verdict: None unless the status is 0."""

    case: object
    status: int
    seconds: float
    message: str
    verdict: object
    faults: list


def faults_of(case, verdict):
    """Broken promises of a run with exit status 0, as (kind, what was found)."""
    kinds = [
        ("crossing", verdict.crossing, verdict.crossing),
        ("unconverged", verdict.unconverged, f"{verdict.unconverged} steps"),
        ("stuck", not verdict.passed, "did not get through"),
        ("momentum", verdict.momentum is not None and not verdict.momentum <= MOMENTUM, f"changed by {verdict.momentum or 0:.2g}"),
        ("energy", not verdict.unexplained <= ENERGY, f"above the start by {verdict.energy:.2g}, {verdict.unexplained:.2g} not from contact"),
        ("kinematics", not verdict.kinematics <= 1e-9, f"links are {verdict.kinematics:.2g} m off their coordinates"),
    ]
    return [(kind, str(text)) for kind, broken, text in kinds if broken]


def write_scene(case, folder):
    scene, files = case.scene()
    for name, text in {**files, "scene.json": json.dumps(scene, indent=1)}.items():
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(text)


def simulate(folder, timeout):
    """(exit status, seconds, stderr) of a run of scene.json into run."""
    command = [DCSIM, "simulate", os.path.join(folder, "scene.json"), "-o", os.path.join(folder, "run"), "--threads", "1", "--quiet", "--no-report"]
    begin = time.monotonic()
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=timeout, check=False)
    except subprocess.TimeoutExpired:
        return None, time.monotonic() - begin, f"still running after {timeout} s"
    return done.returncode, time.monotonic() - begin, done.stderr.strip()


def run_case(case, options):
    folder = tempfile.mkdtemp(prefix="dcsim-soak-")
    try:
        write_scene(case, folder)
        status, seconds, message = simulate(folder, options.timeout)
        verdict, faults = None, []
        if status == 0:
            try:
                verdict = judge.judge(case, os.path.join(folder, "run"), DCSIM, CROSSING)
                faults = faults_of(case, verdict)
            except (ValueError, KeyError, OSError) as error:
                faults = [("unreadable", str(error))]
        elif status == 4 and "step" not in message:
            faults = [("wordless", f"status 4 does not name the step: {message}")]
        elif status != 4:
            faults = [("time limit" if status is None else "status", f"{status}: {message}")]
        if options.keep and (faults or status == 4):
            shutil.copytree(folder, os.path.join(options.keep, case.name), dirs_exist_ok=True)
        return Outcome(case, status, seconds, message, verdict, faults)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def chosen_cases(options):
    """Models and shapes take turns, shapes faster; each case has a seed of its own."""
    models = [model for model in cases.MODELS if model in options.models]
    lists = []
    for count, shapes, make in ((options.collisions, cases.COLLISIONS, cases.collision), (options.passages, cases.PASSAGES, cases.passage)):
        turns = [(model, shape) for model in models for shape in shapes if not options.shapes or shape in options.shapes]
        lists += [make(*turns[k % len(turns)], options.seed + k) for k in range(count if turns else 0)]
    if not options.shapes or "thrown" in options.shapes:
        lists += [cases.thrown(models[k % len(models)], options.seed + k) for k in range(options.thrown)]
    return lists


def named_case(name):
    match = re.fullmatch(r"(.+)-([a-z]+)-(\d+)", name)
    if not match or match[1] not in cases.MODELS:
        sys.exit(f"{name}: not the name of a case, MODEL-SHAPE-SEED")
    model, shape, seed = match[1], match[2], int(match[3])
    if shape == "thrown":
        return cases.thrown(model, seed)
    return (cases.passage if shape in cases.PASSAGES else cases.collision)(model, shape, seed)


COLUMNS = ["model", "shape", "cases", "exit 0", "status 4", "passed through", "unconverged", "energy from nowhere", "momentum lost", "stuck", "other",
           "too close to tell", "went around", "momentum error", "energy above start", "at most", "divided steps", "median s", "longest s"]


def row(model, shape, outcomes):
    def count(*kinds):
        return sum(any(kind in kinds for kind, _ in outcome.faults) for outcome in outcomes)

    verdicts = [outcome.verdict for outcome in outcomes if outcome.verdict]
    errors = [verdict.momentum for verdict in verdicts if verdict.momentum is not None]
    rises = [verdict.energy for verdict in verdicts if verdict.energy > 0]
    seconds = [outcome.seconds for outcome in outcomes]
    return [model, shape, len(outcomes), sum(outcome.status == 0 for outcome in outcomes), sum(outcome.status == 4 for outcome in outcomes),
            count("crossing"), count("unconverged"), count("energy"), count("momentum"), count("stuck"),
            count("status", "time limit", "unreadable", "wordless", "kinematics"),
            sum(bool(verdict.undecided) for verdict in verdicts), sum(not verdict.order and not verdict.crossing for verdict in verdicts),
            f"{max(errors):.1e}" if errors else "", sum(rise > ENERGY for rise in rises),
            f"{max(rises):.1e}" if rises else "", sum(verdict.divided for verdict in verdicts),
            f"{statistics.median(seconds):.3f}", f"{max(seconds):.2f}"]


def table(outcomes):
    groups = collections.defaultdict(list)
    for outcome in outcomes:
        groups[outcome.case.model, outcome.case.shape].append(outcome)
    rows = [COLUMNS, ["---"] * len(COLUMNS)] + [row(model, shape, group) for (model, shape), group in sorted(groups.items())]
    rows.append(row("all", "", outcomes))
    return "\n".join("| " + " | ".join(str(cell) for cell in cells) + " |" for cells in rows)


def report(outcome, options):
    prefix = "# " if options.every else ""
    for kind, text in outcome.faults:
        print(f"{prefix}{outcome.case.name}: {kind}: {text}", flush=True)
    if outcome.status == 4:
        print(f"{prefix}{outcome.case.name}: status 4: {outcome.message.splitlines()[0] if outcome.message else ''}", flush=True)
    if options.every:
        print(f"{'not ok' if outcome.faults else 'ok'} {outcome.case.name}", flush=True)


def run_all(listed, options):
    outcomes = []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for outcome in pool.map(lambda case: run_case(case, options), listed):
            outcomes.append(outcome)
            report(outcome, options)
    return outcomes


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--collisions", type=int, default=0, metavar="N")
    parser.add_argument("--thrown", type=int, default=0, metavar="N")
    parser.add_argument("--passages", type=int, default=0, metavar="N")
    parser.add_argument("--seed", type=int, default=1, metavar="S")
    parser.add_argument("--models", nargs="+", default=[model for model in cases.MODELS if model not in cases.BY_NAME], choices=cases.MODELS)
    parser.add_argument("--shapes", nargs="+", choices=[*cases.COLLISIONS, *cases.PASSAGES, "thrown"])
    parser.add_argument("--jobs", type=int, default=1, metavar="N")
    parser.add_argument("--only", nargs="+", metavar="NAME")
    parser.add_argument("--without", nargs="+", metavar="NAME", default=[])
    parser.add_argument("--keep", metavar="DIR")
    parser.add_argument("--timeout", type=float, default=600, metavar="SECONDS")
    parser.add_argument("--markdown", metavar="FILE")
    parser.add_argument("--every", action="store_true", help='a line "ok NAME" or "not ok NAME" for every case, all else behind "# "')
    return parser.parse_args()


def main():
    options = parse()
    for program in (DCSIM, CROSSING):
        if not os.access(program, os.X_OK):
            sys.exit(f"{program}: not there; build first")
    listed = [named_case(name) for name in options.only] if options.only else chosen_cases(options)
    absent = set(options.without) - {case.name for case in listed}
    if absent:
        sys.exit(f"{' '.join(sorted(absent))}: not among the cases")
    listed = [case for case in listed if case.name not in options.without]
    if not listed:
        sys.exit("no cases; see --help")
    outcomes = run_all(listed, options)
    text = table(outcomes)
    print("\n".join("# " + line for line in text.splitlines()) if options.every else text)
    if options.markdown:
        with open(options.markdown, "w", encoding="utf-8") as file:
            file.write(text + "\n")
    sys.exit(any(outcome.faults for outcome in outcomes))


if __name__ == "__main__":
    main()
