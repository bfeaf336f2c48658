#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs one task of paper 000: optimizes its scene, draws the loss curve, frames and a film, prints a summary line.

    scripts/paper/task.py NAME [--quick] [--output DIR] [--dcsim FILE] [--no-film] [--set PATH=VALUE] [--resume]
        [--max-time SECONDS]

Writes DIR (default: runs/paper/NAME) with the run in DIR/run, loss.svg, film.mp4 and summary.json.  --quick uses a
shorter horizon and fewer iterations, finishes within two minutes and shows only that things move the right way;
without it the counts are the paper's (early stop when the task is reached).  --resume goes on with a stopped run; --max-time
stops one, which the summary then says.
"""
import argparse
import csv
import json
import os
import resource
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "scripts"))
sys.dont_write_bytecode = True
from counts import PAPER  # noqa: E402
from measure import processor  # noqa: E402  (a script of the folder above)

# Overrides of the quick variants.
QUICK = {
    "push": ["time.steps=90", "horizon.iterations=12"],
    "gather": ["time.steps=22", "horizon.iterations=8"],
    "sort": ["time.steps=100", "horizon.iterations=12"],
    "gather_bunny": ["time.steps=10", "horizon.iterations=4", "horizon.length=12"],
    "ant_push": ["optimizer.iterations=12", "time.steps=120"],
}


def rows_of(path):
    with open(path, newline="", encoding="ascii") as file:
        return [(int(row["iteration"]), float(row["loss"])) for row in csv.DictReader(file)]


def loss_curve(rows, title, path):
    """A plain SVG of the loss over iterations (over applied steps with a receding horizon)."""
    width, height, margin = 640, 360, 56
    finite = [(i, loss) for i, loss in rows if loss == loss]
    last = max((i for i, _ in finite), default=1) or 1
    top = max((loss for _, loss in finite), default=1) or 1

    def place(i, loss):
        return (margin + (width - 2 * margin) * i / last, height - margin - (height - 2 * margin) * loss / top)

    points = " ".join("%.2f,%.2f" % place(i, loss) for i, loss in finite)
    ticks = []
    for k in range(5):
        x, y = place(last * k / 4, top * k / 4)
        ticks.append(f'<text x="{x:.1f}" y="{height - margin + 18}" text-anchor="middle">{last * k / 4:g}</text>')
        ticks.append(f'<text x="{margin - 6}" y="{y + 4:.1f}" text-anchor="end">{top * k / 4:.3g}</text>')
        ticks.append(f'<line x1="{margin}" y1="{y:.1f}" x2="{width - margin}" y2="{y:.1f}" stroke="#ddd"/>')
    with open(path, "w", encoding="utf-8") as file:
        file.write(
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif" '
            f'font-size="12"><rect width="100%" height="100%" fill="white"/>{"".join(ticks)}'
            f'<polyline points="{points}" fill="none" stroke="#1f4e9c" stroke-width="1.6"/>'
            f'<text x="{width / 2}" y="24" text-anchor="middle" font-size="14">{title}</text>'
            f'<text x="{width / 2}" y="{height - 12}" text-anchor="middle">iteration or applied step</text></svg>\n')


def run(command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 4):
        sys.exit(f"{' '.join(command)}: exit {done.returncode}: {done.stderr.strip()}")
    return done


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", choices=sorted(QUICK))
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--output")
    parser.add_argument("--dcsim", default=os.path.join(ROOT, "build", "dcsim"))
    parser.add_argument("--no-film", action="store_true")
    parser.add_argument("--resume", action="store_true")
    parser.add_argument("--max-time", type=float)
    parser.add_argument("--set", action="append", default=[])
    arguments = parser.parse_args()
    folder = arguments.output or os.path.join("runs", "paper", arguments.name + ("-quick" if arguments.quick else ""))
    directory = os.path.join(folder, "run")
    os.makedirs(folder, exist_ok=True)
    scene = os.path.join(ROOT, "scenes", arguments.name + ".json")
    overrides = [*PAPER.get(arguments.name, ()), *(QUICK[arguments.name] if arguments.quick else []), *arguments.set]
    command = [arguments.dcsim, "optimize", scene, "--json", "--quiet", "--allow-path", os.path.join(ROOT, "meshes")]
    for override in overrides:
        command += ["--set", override]
    if arguments.max_time:
        command += ["--max-time", str(arguments.max_time)]
        overrides.append(f"at most {arguments.max_time:g} s")
    command += ["--resume", directory] if arguments.resume else ["-o", directory]
    started = time.strftime("%Y-%m-%d", time.gmtime())
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = run(command)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    processor_seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    result = json.loads(done.stdout)
    rows = rows_of(os.path.join(directory, "loss.csv"))
    loss_curve(rows, f"{arguments.name}: loss", os.path.join(folder, "loss.svg"))
    run([arguments.dcsim, "render", directory, "--size", "960x540", "--samples", "4", "--quiet"])
    if not arguments.no_film:
        run([arguments.dcsim, "render", directory, "--video", os.path.join(folder, "film.mp4"), "--size", "640x360",
             "--samples", "1", "--quiet"])
    best = min((loss for _, loss in rows if loss == loss), default=result["loss"])
    summary = {
        "task": arguments.name, "quick": arguments.quick, "overrides": overrides, "date": started,
        "processor": processor(), "cores": os.cpu_count(), "initial_loss": result["initial_loss"],
        "final_loss": result["loss"], "lowest_loss": best, "success": result["success"], "steps": result["steps"],
        "iterations": result["iterations"], "seconds": result["seconds"],
        "processor_seconds": processor_seconds, "milliseconds_per_step": 1e3 * result["seconds_per_step"],
        "newton_iterations_per_step": result["newton_iterations_per_step"], "min_gap": result["min_gap"],
        "unconverged_steps": result["unconverged_steps"], "divided_steps": result.get("divided_steps", 0),
        "objectives": result["objectives"],
    }
    with open(os.path.join(folder, "summary.json"), "w", encoding="utf-8") as file:
        json.dump(summary, file, indent=1)
        file.write("\n")
    fall = 1 - best / result["initial_loss"] if result["initial_loss"] > 0 else 0
    print(f"{arguments.name}: loss {result['initial_loss']:.6g} -> {result['loss']:.6g} (lowest {best:.6g}, down "
          f"{100 * fall:.1f} %), {'reached' if result['success'] else 'not reached'} after {result['steps']} steps, "
          f"{summary['milliseconds_per_step']:.3g} ms per step with adjoint, {result['seconds']:.0f} s, smallest gap "
          f"{result['min_gap']:.3g} m")


if __name__ == "__main__":
    main()
