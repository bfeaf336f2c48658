#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Milliseconds a step with one thread and with two, alone and beside processes that spin; and seconds of commands whose work is wide.

    scripts/paper/threads [--dcsim build/dcsim] [--scenes NAME,...] [--spinning 0,1,2] [--rounds N] [--quick] [--only steps|wide] [--publish]

Runs are short and alternate, so that what else the machine does meets both alike: a round is one run with each number of threads, the first one in turn, and then two runs with one thread
at the same time: what two cores do more than one when nothing is shared but memory, caches and clock, which more threads can hardly exceed. The table has medians over rounds, the median of the
ratios within rounds, and the ratio of the fastest runs, which hardly sees other processes. --publish writes docs/measured/threads.md.
Wide work is that of commands which roll out many trajectories side by side: a search, a fan of steps, differences, drawn tasks, a batch of points in Python. Its seconds are those of whole commands by the clock, reading the scene included.
Exits 1 when results depend on the number of threads.
"""
import argparse
import datetime
import json
import os
import re
import statistics
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from measure import MEASURED, MESHES, ROOT, SCENES, processor  # noqa: E402

THREADS, TOGETHER = (1, 2), "together"
PYTHON = next((p for p in (sys.executable, "/usr/bin/python3") if subprocess.run([p, "-c", "import numpy"], capture_output=True, check=False).returncode == 0), sys.executable)
LEAST = {0: 1.8, 2: 0.95}  # ratio asked of wide work beside so many spinning processes
# Candidates of eight lengths with one Jacobian, none left out.
FAN_OF_8 = {"type": "gauss_newton", "radius": 0.125, "radii": [1, 0.88, 0.78, 0.68, 0.59, 0.5, 0.42, 0.35], "least": 1e-3, "iterations": 3}
# Losses and gradients at so many points of a problem, as a Python program has them from value_and_grad_batch.
BATCH = """
import json, sys, numpy, dcsim
problem = dcsim.open(sys.argv[1]).problem()
points = problem.initial + 0.1 * numpy.random.default_rng(1).standard_normal((60, len(problem.initial)))
losses, gradients = problem.value_and_grad_batch(points)
print(json.dumps({"losses": losses.tolist(), "gradients": gradients.tolist()}))
"""
# Spins, and ends when whoever started it is gone.
SPIN = """
import os
parent = os.getppid()
while os.getppid() == parent:
    for _ in range(1000000):
        pass
"""
# Balls: base, level, triangles of one, height at which it starts (None: the scene's), steps.
LEVELS = [("octahedron", 1, 32, None, 40), ("octahedron", 2, 128, 0.1025, 25), ("octahedron", 3, 512, 0.1025, 20),
          ("icosahedron", 3, 1280, 0.1025, 16), ("icosahedron", 4, 5120, 0.1025, 10)]


def scene_text(name):
    with open(os.path.join(SCENES, name + ".json"), encoding="utf-8") as file:
        return json.loads(re.sub(r"\s//.*", "", file.read()))


def billiards(base, level, height, steps):
    """A break shot that meets the fan after four tenths of a second."""
    settings = {"shapes.ball.base": base, "shapes.ball.level": level, "time.steps": steps, "bodies.cue.velocity": [6, 0.3, 0]}
    if height is not None:
        for body in scene_text("billiards")["bodies"]:
            if "mass" in body:
                settings[f"bodies.{body['name']}.position"] = [*body["position"][:2], height]
    return ["simulate", os.path.join(SCENES, "billiards.json"), "-o", "none", "--quiet"] + overrides(settings)


def overrides(settings):
    return [word for path, value in settings.items() for word in ("--set", f"{path}={value if isinstance(value, str) else json.dumps(value)}")]


def cases():
    found = {}
    for base, level, triangles, height, steps in LEVELS:
        found[f"billiards, {16 * triangles} triangles"] = billiards(base, level, height, steps)
    found["ant_push"] = ["optimize", os.path.join(SCENES, "ant_push.json"), "-o", "none", "--quiet"] + overrides({"portfolio": None, "optimizer.iterations": 3})
    found["gather_bunny"] = ["optimize", os.path.join(SCENES, "gather_bunny.json"), "--allow-path", MESHES, "-o", "none", "--quiet"] + overrides(
        {"time.steps": 2, "horizon": {"length": 32, "iterations": 3, "apply": 1}})
    return found


def wide_cases():
    """Commands of some seconds with one thread: a search of drawn shots, a fan of Gauss-Newton steps, columns of differences, drawn tasks."""
    def scene(name):
        return os.path.join(SCENES, name + ".json")
    return {
        "billiards, search of 150 rollouts": ["optimize", scene("billiards"), "--set", "portfolio.rollouts=150", "-o", "none", "--quiet"],
        # Without a tolerance all of the steps are taken, and no advice is tried behind them.  The scene's own ends with the first candidate that is good, and a Jacobian costs seven tenths of a roll-out.
        "ant_push, 3 steps of a fan of 8": ["optimize", scene("ant_push"), "-o", "none", "--quiet"] + overrides({"portfolio": None, "objective[0].tolerance": None, "optimizer": FAN_OF_8}),
        "ant_push, 6 steps of its own fan": ["optimize", scene("ant_push"), "-o", "none", "--quiet"] + overrides(
            {"portfolio": None, "objective[0].tolerance": None, "optimizer.iterations": 6}),
        "ant_push, gradcheck of 40 steps": ["gradcheck", scene("ant_push"), "--steps", "40"],
        "bench tasks, 8 of push": ["bench", "tasks", "--task", "push", "--draws", "8", "--scenes", SCENES],
        "Python, gradients of a batch of 60 shots": [BATCH, scene("billiards")],
    }


def start(dcsim, words, threads):
    """Starts the command, or the program in Python, with a clock of its own."""
    command, environment = [dcsim, *words, "--threads", str(threads), "--json"], None
    if words[0] == BATCH:
        library = os.path.join(os.path.dirname(os.path.abspath(dcsim)), "lib", "libdcsim.so")
        command = [PYTHON, "-B", "-c", *words]
        environment = dict(os.environ, OMP_NUM_THREADS=str(threads), DCSIM_LIBRARY=library, PYTHONPATH=os.path.join(ROOT, "python"))
    program = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
    return program, time.monotonic()


def without_times(value):
    if isinstance(value, dict):
        return {k: without_times(v) for k, v in value.items() if not any(word in k for word in ("second", "time", "wall"))}
    return [without_times(v) for v in value] if isinstance(value, list) else value


def end(started):
    """Seconds a step where the command says them, those of the whole command, and everything of its result that is no time."""
    program, begin = started
    out, errors = program.communicate()
    seconds = time.monotonic() - begin
    if program.returncode not in (0, 1):
        raise RuntimeError(errors.strip())
    result = json.loads(out)
    return result.get("seconds_per_step"), seconds, without_times(result)


def measure(dcsim, words, rounds, whole):
    """Seconds (of the whole command, or of a step) by number of threads, one per round; under TOGETHER those of two programs with one thread each at the same time, their mean."""
    def taken(ended):
        a_step, seconds, result = ended
        results.append(result)
        return seconds if whole else a_step
    seconds, results = {t: [] for t in (*THREADS, TOGETHER)}, []
    for r in range(rounds):
        for threads in THREADS if r % 2 == 0 else THREADS[::-1]:
            seconds[threads].append(taken(end(start(dcsim, words, threads))))
        both = [taken(end(program)) for program in [start(dcsim, words, 1) for _ in range(2)]]
        seconds[TOGETHER].append(statistics.mean(both))
    return seconds, all(result == results[0] for result in results)


def row(name, spinning, seconds, same, whole):
    one, two = seconds[1], seconds[2]
    ratio = statistics.median(a / b for a, b in zip(one, two))
    bound = statistics.median(2 * a / b for a, b in zip(one, seconds[TOGETHER]))
    unit = 1 if whole else 1e3
    asked = [f"{LEAST[spinning]}: {'met' if ratio >= LEAST[spinning] else 'missed'}" if spinning in LEAST else ""] if whole else []
    return [name, spinning or "none", f"{unit * statistics.median(one):.3g}", f"{unit * statistics.median(two):.3g}", f"{ratio:.2f}", f"{min(one) / min(two):.2f}", f"{bound:.2f}", *asked,
            f"{os.getloadavg()[0]:.1f}", "same" if same else "**differ**"]


def table(options, rounds, whole):
    """Prints the rows of one table; (lines, whether results are the same with both numbers of threads)."""
    heads = ["wide work", "spinning processes", "s, 1 thread", "2 threads", "ratio", "of the fastest", "two programs", "asked", "load", "results"] if whole else [
        "scene", "spinning processes", "ms per step, 1 thread", "2 threads", "ratio", "of the fastest", "two programs", "load", "results"]
    lines, equal = [], True

    def say(cells):
        lines.append("| " + " | ".join(str(c) for c in cells) + " |")
        print(lines[-1], flush=True)
    say(heads)
    say(["---"] * len(heads))
    wanted = [w for w in (options.scenes or "").split(",") if w]
    for count in [int(c) for c in options.spinning.split(",")]:
        others = [subprocess.Popen([sys.executable, "-c", SPIN]) for _ in range(count)]
        try:
            for name, words in (wide_cases() if whole else cases()).items():
                if wanted and not any(w in name for w in wanted):
                    continue
                try:
                    seconds, same = measure(options.dcsim, words, rounds, whole)
                except RuntimeError as error:
                    print(f"{name}: left out: {error}", file=sys.stderr)
                    continue
                equal &= same
                say(row(name, count, seconds, same, whole))
        finally:
            for other in others:
                other.kill()
                other.wait()
    return lines, equal


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dcsim", default=os.path.join(ROOT, "build", "dcsim"))
    parser.add_argument("--scenes", help="those whose names hold one of these words, separated by commas")
    parser.add_argument("--spinning", default="0,1,2", help="numbers of processes that spin beside it")
    parser.add_argument("--rounds", type=int, help="default: 11, with --quick 5")
    parser.add_argument("--quick", action="store_true", help="fewer rounds")
    parser.add_argument("--only", choices=["steps", "wide"], help="one of the two tables")
    parser.add_argument("--publish", action="store_true", help="write docs/measured/threads.md")
    options = parser.parse_args()
    rounds = options.rounds or (5 if options.quick else 11)
    lines = ["### Threads", "",
             f"By `scripts/paper/threads`, {datetime.date.today()}; {processor()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} at the start. {rounds} rounds of one run with one "
             "thread and one with two, medians. Ratio: of the times of one thread and of two in a round, median; of the fastest runs. Two programs: how much more two of them with one thread each get done at the same time than one, which the ratio can hardly exceed. Load: of the machine at the end of a row, everything else included."]
    print("\n".join(lines), flush=True)
    equal = True
    for kind in ("steps", "wide"):
        if options.only in (None, kind):
            print(flush=True)
            found, same = table(options, rounds, kind == "wide")
            lines += ["", *found]
            equal &= same
    if options.publish:
        with open(os.path.join(MEASURED, "threads.md"), "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")
    return 0 if equal else 1


if __name__ == "__main__":
    sys.exit(main())
