#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Milliseconds a step with one thread and with two, alone and beside processes that spin.

    scripts/paper/threads [--dcsim build/dcsim] [--scenes NAME,...] [--spinning 0,1,2] [--rounds N] [--quick] [--publish]

Runs are short and alternate, so that what else the machine does meets both alike: a round is one run with each number of threads, the first one in turn, and then two runs with one thread
at the same time: what two cores do more than one when nothing is shared but memory, caches and clock, which more threads can hardly exceed. The table has medians over rounds, the median of the
ratios within rounds, and the ratio of the fastest runs, which hardly sees other processes. --publish writes docs/measured/threads.md.
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

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from measure import MEASURED, MESHES, ROOT, SCENES, processor  # noqa: E402

THREADS, TOGETHER = (1, 2), "together"
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
    return ["simulate", os.path.join(SCENES, "billiards.json")] + overrides(settings)


def overrides(settings):
    return [word for path, value in settings.items() for word in ("--set", f"{path}={value if isinstance(value, str) else json.dumps(value)}")]


def cases():
    found = {}
    for base, level, triangles, height, steps in LEVELS:
        found[f"billiards, {16 * triangles} triangles"] = billiards(base, level, height, steps)
    found["ant_push"] = ["optimize", os.path.join(SCENES, "ant_push.json")] + overrides({"portfolio": None, "optimizer.iterations": 3})
    found["gather_bunny"] = ["optimize", os.path.join(SCENES, "gather_bunny.json"), "--allow-path", MESHES] + overrides(
        {"time.steps": 2, "horizon": {"length": 32, "iterations": 3, "apply": 1}})
    return found


def start(dcsim, words, threads):
    return subprocess.Popen([dcsim, *words, "--threads", str(threads), "-o", "none", "--quiet", "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def end(program):
    """Seconds a step, and everything of the result that is no time."""
    out, errors = program.communicate()
    if program.returncode not in (0, 1):
        raise RuntimeError(errors.strip())
    result = json.loads(out)
    return result["seconds_per_step"], {k: v for k, v in result.items() if "seconds" not in k}


def measure(dcsim, words, rounds):
    """Seconds a step by number of threads, one per round; under TOGETHER those of two programs with one thread each at the same time, their mean."""
    seconds, results = {t: [] for t in (*THREADS, TOGETHER)}, []
    for r in range(rounds):
        for threads in THREADS if r % 2 == 0 else THREADS[::-1]:
            time, result = end(start(dcsim, words, threads))
            seconds[threads].append(time)
            results.append(result)
        both = [end(program) for program in [start(dcsim, words, 1) for _ in range(2)]]
        seconds[TOGETHER].append(statistics.mean(time for time, _ in both))
        results += [result for _, result in both]
    return seconds, all(result == results[0] for result in results)


def row(name, spinning, seconds, same):
    one, two = seconds[1], seconds[2]
    ratio = statistics.median(a / b for a, b in zip(one, two))
    bound = statistics.median(2 * a / b for a, b in zip(one, seconds[TOGETHER]))
    return [name, spinning or "none", f"{1e3 * statistics.median(one):.3g}", f"{1e3 * statistics.median(two):.3g}", f"{ratio:.2f}", f"{min(one) / min(two):.2f}", f"{bound:.2f}",
            f"{os.getloadavg()[0]:.1f}", "same" if same else "**differ**"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dcsim", default=os.path.join(ROOT, "build", "dcsim"))
    parser.add_argument("--scenes", help="those whose names hold one of these words, separated by commas")
    parser.add_argument("--spinning", default="0,1,2", help="numbers of processes that spin beside it")
    parser.add_argument("--rounds", type=int, help="default: 11, with --quick 5")
    parser.add_argument("--quick", action="store_true", help="fewer rounds")
    parser.add_argument("--publish", action="store_true", help="write docs/measured/threads.md")
    options = parser.parse_args()
    rounds = options.rounds or (5 if options.quick else 11)
    wanted = [w for w in (options.scenes or "").split(",") if w]
    lines = ["### Threads", "",
             f"By `scripts/paper/threads`, {datetime.date.today()}; {processor()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} at the start. {rounds} rounds of one run with one "
             "thread and one with two, medians. Ratio: of the times of one thread and of two in a round, median; of the fastest runs. Two programs: how much more two of them with one thread each get done at the same time than one, which the ratio can hardly exceed. Load: of the machine at the end of a row, everything else included.", "",
             "| scene | spinning processes | ms per step, 1 thread | 2 threads | ratio | of the fastest | two programs | load | results |", "| --- | --- | --- | --- | --- | --- | --- | --- | --- |"]
    print("\n".join(lines), flush=True)
    equal = True
    for count in [int(c) for c in options.spinning.split(",")]:
        others = [subprocess.Popen([sys.executable, "-c", SPIN]) for _ in range(count)]
        try:
            for name, words in cases().items():
                if wanted and not any(w in name for w in wanted):
                    continue
                try:
                    seconds, same = measure(options.dcsim, words, rounds)
                except RuntimeError as error:
                    print(f"{name}: left out: {error}", file=sys.stderr)
                    continue
                equal &= same
                lines.append("| " + " | ".join(str(c) for c in row(name, count, seconds, same)) + " |")
                print(lines[-1], flush=True)
        finally:
            for other in others:
                other.kill()
                other.wait()
    if options.publish:
        with open(os.path.join(MEASURED, "threads.md"), "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")
    return 0 if equal else 1


if __name__ == "__main__":
    sys.exit(main())
