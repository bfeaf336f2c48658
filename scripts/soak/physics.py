#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws combinations of model, shape, joint, actuator, integrator, step, division and start, and judges each motion by its closed form.

    scripts/soak/physics.py [--draws N] [--seed S] [--kinds NAME ...] [--models NAME ...] [--jobs N] [--timeout SECONDS] [--markdown FILE] [--keep DIR] [--only N ...]
    scripts/soak/physics.py --self-test [--seed S] [--kinds NAME ...]

Draw number k follows from k and the seed alone; kinds and models take turns.  Every draw is one scene or two (the second with another step or coefficient),
simulated by the program build/dcsim of this tree, or SOAK_DCSIM; the laws (*_kinds.py) know nothing of dcsim.  A third has the default settings of contact, the others such as bodies of 0.1 m rest alike with.  A quarter to a half of the draws have two balls far away that meet at up to 500 m/s, so that steps are divided which have nothing to do with what is judged.
--self-test runs draws in worlds that differ from the law by a tenth or, where the step itself leaves more, a third (friction, gravity, gains, mass, inertia, energy, a lost part of an impulse) and wants every one rejected: a judge that cannot say no judges nothing.
A run that is stopped (SIGTERM, Ctrl-C) tells what it has judged by then.
Prints one line for each draw that is wrong, then "ok" or "not ok" for each kind, and how many draws were judged by less than their law or by nothing; --markdown writes a table; exits with 1 when one is wrong.
"""
import argparse
import collections
import concurrent.futures
import dataclasses
import math
import os
import signal
import subprocess
import sys

import numpy as np

import contact_kinds
import dragged_kinds
import impact_kinds
import invariant_kinds
import machine_kinds
import motion_kinds
import soft_kinds
import soft_pair_kinds
from motions import INTEGRATORS, MODELS, Failed, simulate

FAMILIES = [motion_kinds, contact_kinds, soft_kinds, soft_pair_kinds, dragged_kinds, invariant_kinds, impact_kinds, machine_kinds]
KINDS = {name: kind for family in FAMILIES for name, kind in family.KINDS.items()}
MUTANTS = {name: mutant for family in FAMILIES for name, mutant in family.MUTANTS.items()}
DEFAULTS = ["", ", defaults"]


@dataclasses.dataclass
class Draw:
    """Number k of a seed: everything follows from the two."""

    number: int
    kind: str
    model: str
    step: float
    integrator: str
    far: float
    rng: object
    timeout: float
    defaults: bool = False
    steps: int = 1
    keep: str = None
    chosen: dict = dataclasses.field(default_factory=dict)
    divided: int = 0
    exempt: str = None  # why the motion is judged by less than its closed form

    def between(self, name, low, high):
        self.chosen.setdefault(name, float(self.rng.uniform(low, high)))
        return self.chosen[name]

    def pick(self, name, options):
        self.chosen.setdefault(name, options[self.rng.integers(len(options))])
        return self.chosen[name]

    def run(self, scene):
        path = simulate(scene, self.model, self.timeout, self.keep)
        self.divided += int((path.substeps > 1).sum())
        return path


def make(number, options):
    rng = np.random.default_rng([options.seed, number])
    kinds = options.kinds or list(KINDS)
    kind = kinds[number % len(kinds)]
    models = options.models or getattr(KINDS[kind], "models", MODELS)
    model, step, integrator = models[number // len(kinds) % len(models)], float(np.exp(rng.uniform(math.log(0.004), math.log(0.02)))), INTEGRATORS[int(rng.random() < 0.4)]
    far = float(np.exp(rng.uniform(math.log(30), math.log(500)))) if rng.random() < 0.4 else 0.0
    # What bodies far away do to the defaults is no part of a law.
    defaults = bool(rng.random() < 0.4) and not far
    return Draw(number, kind, model, step, integrator, far, rng, options.timeout, defaults, keep=options.keep and os.path.join(options.keep, f"{number}.json"))


REFUSED = "time.integrator second_order follows turns up to"  # of a far ball that was hit off its centre


def judged(number, options, mutant=None):
    draw = make(number, options)
    try:
        findings, failure = KINDS[draw.kind](draw, mutant or {}), None
    except (Failed, subprocess.TimeoutExpired) as error:
        findings, failure = [], None if REFUSED in str(error) else str(error)
    return draw, findings, failure


def tell(draw, finding):
    return f"draw {draw.number} ({draw.kind}, {draw.model}, {draw.integrator}, far {draw.far:.0f} m/s{DEFAULTS[draw.defaults]}, divided {draw.divided}): {finding.quantity} {finding.found:.6g}, right {finding.right:.6g} +- {finding.tolerance:.2g}"


def self_test(options):
    """One test point for each kind: the mutant is rejected in every model that its kind is drawn with."""
    bad = 0
    for kind in options.kinds or list(MUTANTS):
        mutant, options.kinds = MUTANTS[kind], [kind]
        missed = []
        for number in range(len(getattr(KINDS[kind], "models", MODELS))):
            draw, findings, failure = judged(number, options, mutant)
            if not failure and findings and all(finding.kept for finding in findings):
                missed.append(tell(draw, findings[0]))
        print(f"{'not ok' if missed else 'ok'} a world with other {', '.join(mutant)} is rejected: {kind}")
        for text in missed:
            print("#", text)
        bad += bool(missed)
    return bad


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kinds", nargs="+", choices=KINDS)
    parser.add_argument("--models", nargs="+", choices=MODELS)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--timeout", type=float, default=120)
    parser.add_argument("--markdown")
    parser.add_argument("--keep")
    parser.add_argument("--only", type=int, nargs="+")
    parser.add_argument("--self-test", action="store_true")
    return parser.parse_args()


def table(rows):
    lines = ["| kind | draws | quantities | wrong | failed | divided | by less than the law | by nothing | nearest to its tolerance |", "|" + " --- |" * 9]
    for kind, row in rows.items():
        lines.append(f"| {kind} | {row['draws']} | {row['quantities']} | {row['wrong']} | {row['failed']} | {row['divided']} | {row['exempt']} | {row['unjudged']} | {row['worst']:.2f} |")
    return "\n".join(lines)


def summary(rows, exempt):
    """The draws that are not judged by their law, with what their law would have said: being right by less is no proof of it."""
    lines = [f"# {len(exempt)} draws judged by less than their law"]
    lines += [f"#   draw {draw.number} ({draw.kind}, {draw.model}): {draw.exempt}" for draw in exempt]
    unjudged = {kind: row["unjudged"] for kind, row in rows.items() if row["unjudged"]}
    lines.append(f"# {sum(unjudged.values())} draws in which no law applies" + "".join(f", {kind} {count}" for kind, count in unjudged.items()))
    return "\n".join(lines)


def until_stopped(pool, results):
    """Results in their order, until a signal stops the run; draws that have begun by then end unseen."""
    try:
        yield from results
    except KeyboardInterrupt:
        print("# stopped", flush=True)
        pool.shutdown(wait=False, cancel_futures=True)


def stop(*_):
    raise KeyboardInterrupt


def main():
    options = parse()
    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    if options.self_test:
        return 1 if self_test(options) else 0
    rows = {kind: collections.Counter(worst=0.0) for kind in options.kinds or KINDS}
    wrong, exempt = 0, []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for draw, findings, failure in until_stopped(pool, pool.map(lambda number: judged(number, options), options.only or range(options.draws))):
            row = rows[draw.kind]
            broken = [finding for finding in findings if not finding.kept]
            row.update(draws=1, quantities=len(findings), wrong=len(broken), failed=bool(failure), divided=draw.divided > 0, exempt=bool(draw.exempt), unjudged=not findings and not failure)
            if draw.exempt:
                exempt.append(draw)
            row["worst"] = max([row["worst"], *(abs(f.found - f.right) / f.tolerance for f in findings if f.kept)])
            wrong += bool(broken or failure)
            for finding in broken:
                print(tell(draw, finding), "WRONG", flush=True)
            if failure:
                print(f"draw {draw.number} ({draw.kind}, {draw.model}): {failure} FAILED", flush=True)
            if options.only:
                for finding in findings:
                    print(tell(draw, finding), draw.chosen)
    for kind, row in rows.items():
        print(f"{'not ok' if row['wrong'] or row['failed'] else 'ok'} {KINDS[kind].__doc__.split(':')[0].rstrip('.')} ({kind}, {row['draws']} draws)")
    text = table(rows)
    print(f"# {wrong} of {sum(row['draws'] for row in rows.values())} draws wrong")
    print(summary(rows, exempt))
    if options.markdown:
        with open(options.markdown, "w", encoding="utf-8") as file:
            file.write(text + "\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
