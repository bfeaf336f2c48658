#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures the figures of docs/results.md and its pages, and writes them.

    scripts/measure.py [--dcsim build/dcsim] [--quick] [--assemble] [--output docs/results.md]
    scripts/measure.py --tasks DIR [--task NAME ...] [--method NAME ...] [--draws 8] [--seed 1] [--limit 60]

The second form solves drawn tasks (dcsim bench tasks), keeps their rows in DIR, where a run that was killed goes on, and writes docs/measured/tasks.md of all
rows there; --assemble then takes it up.  Numbers come from commands run here, or from what the scripts of scripts/paper left in docs/measured; --quick uses fewer iterations and seeds and says so;
--assemble measures nothing: it keeps what was measured and takes up anew what is in docs/measured.
"""
import argparse
import csv
import json
import math
import os
import platform
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SCENES = os.path.join(ROOT, "scenes")
# Steps that the gradient checks of long scenes take.
GRADIENT_STEPS = {"book_stacking": 2, "ant_push": 40, "gather": 16, "gather_bunny": 16, "sort": 16, "push": 24,
                  "soft_gripper": 12}
# A stack that stands has no loss at all within its tolerance.
GRADIENT_SETTINGS = {"book_stacking": "objective[0].tolerance=0"}
# More than two minutes of a core for one of four worlds: rows only where the answer is kept already.
LONG_CHECKS = {"codesign_parallel_jaw"}
MEASURED = os.path.join(ROOT, "docs", "measured")
MESHES = os.path.join(ROOT, "meshes")


class Measurement:
    def __init__(self, dcsim, quick):
        self.dcsim = dcsim
        self.quick = quick
        self.lines = []

    def say(self, text=""):
        print(text, flush=True)
        self.lines.append(text)

    def write(self, path):
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n".join(self.lines) + "\n")

    def run(self, *arguments, threads=2, check=True):
        environment = dict(os.environ, OMP_NUM_THREADS=str(threads))
        done = subprocess.run([self.dcsim, *arguments], env=environment, capture_output=True, text=True)
        if check and done.returncode != 0:
            sys.exit(f"{' '.join(arguments)}: exit {done.returncode}: {done.stderr.strip()}")
        return done

    def json(self, command, scene, *arguments, threads=2, check=True):
        path = os.path.join(SCENES, scene + ".json")
        extra = ["-o", "none"] if command in ("simulate", "optimize") else []
        quiet = ["--quiet"] if command in ("simulate", "optimize") else []
        done = self.run(command, path, "--json", *quiet, *extra, *arguments, threads=threads, check=check)
        return json.loads(done.stdout)

    def table(self, header, rows):
        self.say(markdown(header, rows))


def markdown(header, rows):
    """A table, with a line break behind its last row."""
    return "\n".join("| " + " | ".join(map(str, row)) + " |" for row in [header, ["---"] * len(header), *rows]) + "\n"


def processor():
    try:
        with open("/proc/cpuinfo", encoding="ascii", errors="replace") as info:
            for line in info:
                if line.startswith("model name"):
                    return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or "unknown"


def balls(height):
    """Overrides that lift every ball of Billiards to a height (another mesh rests elsewhere)."""
    with open(os.path.join(SCENES, "billiards.json"), encoding="utf-8") as file:
        text = "".join(line.split("//")[0] for line in file)
    result = []
    for body in json.loads(text)["bodies"]:
        if "position" in body:
            x, y, _ = body["position"]
            result += ["--set", f"bodies.{body['name']}.position=[{x},{y},{height}]"]
    return result


FINE = ["--set", "shapes.ball.base=icosahedron", "--set", "shapes.ball.level=2", *balls(0.1025)]
NEVER_DONE = ["--set", "objective.0.tolerance=0", "--set", "objective.1.tolerance=0"]


def solving(m):
    m.say("## Billiards from the trivial start")
    m.say()
    m.say("The cue ball starts at rest, 1.5 m away; the loss is zero when both green balls end within their circles.")
    m.say()
    rows = []
    cases = [("billiards", "bsh, 32 triangles a ball", []),
             ("billiards", "exact (all pairs), 32 triangles a ball", ["--model", "exact", "--set", "optimizer.iterations=150"]),
             ("billiards_paper", "bsh, weights and offset of the paper", [])]
    for scene, title, extra in cases:
        r = m.json("optimize", scene, *extra)
        rows.append([title, f"{r['initial_loss']:.4g}", f"{r['loss']:.4g}", r["iterations"], "yes" if r["success"] else "no",
                     f"{r['min_gap']:.2e}", r["unconverged_steps"], f"{r['seconds']:.1f}"])
    m.table(["model", "first loss", "best loss", "iterations", "reached", "smallest gap, m", "unconverged steps", "s"], rows)


def random_shots(m):
    seeds = range(1, 4) if m.quick else range(1, 11)
    iterations = 100 if m.quick else 400
    m.say(f"## Random shots ({len(seeds)} seeds, {iterations} iterations)")
    m.say()
    rows, falls = [], []
    for seed in seeds:
        r = m.json("optimize", "billiards_random", "--seed", str(seed), "--set", "portfolio=null", "--set", f"optimizer.iterations={iterations}")
        fall = 1 - r["loss"] / r["initial_loss"]
        falls.append(fall)
        rows.append([seed, f"{r['initial_loss']:.4g}", f"{r['loss']:.4g}", f"{100 * fall:.1f} %", r["iterations"],
                     "yes" if r["success"] else "no", r["unconverged_steps"]])
    m.table(["seed", "first loss", "best loss", "fall", "iterations", "reached", "unconverged steps"], rows)
    m.say(f"Median fall {100 * statistics.median(falls):.1f} %, smallest {100 * min(falls):.1f} %.")
    m.say()


def gradient_steps(m, scene):
    """Steps that the check of a scene takes; 0: all."""
    return GRADIENT_STEPS.get(scene, 25 if m.quick else 0)


def gradient_check(m, scene, kept):
    """What gradcheck says of a scene; kept: folder of answers, where one that is there is taken."""
    path = os.path.join(kept, scene + ".json")
    if not os.path.exists(path):
        count = gradient_steps(m, scene)
        steps = ["--steps", str(count)] if count else []
        changed = ["--set", GRADIENT_SETTINGS[scene]] if scene in GRADIENT_SETTINGS else []
        answer = m.json("gradcheck", scene, *steps, *changed, "--allow-path", MESHES, threads=1, check=False)
        with open(path, "w", encoding="utf-8") as file:
            json.dump(answer, file)
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def gradient_row(m, scene, answer):
    """A row of the table; differences that come out otherwise with other steps decide nothing, as in gradcheck itself."""
    checks = [c for c in answer["checks"] if not c["straddles"]]
    open_ones = [c for c in checks if c["relative_error"] > 1e-6 and c["spread"] >= 0.1 * c["relative_error"]]
    sure = [c["relative_error"] for c in checks if c not in open_ones]
    worst = max(open_ones, key=lambda c: c["relative_error"], default=None)
    unsure = f"{len(open_ones)} of {len(answer['checks'])}: {worst['relative_error']:.1e} ({worst['parameter']})" if worst else "-"
    orders = " ".join(f"{order:.3f}" for order in answer["taylor_orders"]) or answer["status"]
    name = f"{scene}, `{GRADIENT_SETTINGS[scene]}`" if scene in GRADIENT_SETTINGS else scene
    return [name, gradient_steps(m, scene) or "all", f"{max(sure):.1e}" if sure else "-", unsure, orders, f"{answer['products']['tangent_adjoint']:.1e}"]


def gradients(m, kept):
    m.say("## Adjoint against differences (`dcsim gradcheck`)")
    m.say()
    m.say(f"{time.strftime('%Y-%m-%d', time.gmtime())}, one thread, at the first guess of each scene.")
    m.say()
    rows, long = [], []
    for name in sorted(os.listdir(SCENES)):
        # The bunnies' mesh is not there before scripts/fetch-meshes.sh.
        if not name.endswith(".json") or name in ("franka_bunny.json", "gather_bunny.json") and not os.path.exists(os.path.join(MESHES, "bunny.obj")):
            continue
        with open(os.path.join(SCENES, name), encoding="utf-8") as file:
            text = file.read()
        if re.search(r'"problem":\s*"refine"', text) or '"objective"' not in text:
            continue  # its derivatives are smoothed, or it has no loss: no gradient to check
        if name[:-5] in LONG_CHECKS and not os.path.exists(os.path.join(kept, name)):
            long.append(name[:-5])
            continue
        rows.append(gradient_row(m, name[:-5], gradient_check(m, name[:-5], kept)))
    m.table(["scene", "steps", "largest relative error", "not conclusive: how many, the largest", "Taylor orders", "tangent against adjoint"], rows)
    m.say("Errors are relative to the gradient by numbers of the same kind, or to a millionth of the largest such gradient. A difference is not conclusive if it changes with its step by as much as it is off: "
          "rounding of the loss, or a bend of it. Orders are fitted to remainders above rounding: 2 is right, 3 where the second derivative is nearly 0. Not checked here: refinements, whose derivatives are smoothed, and scenes without an objective" +
          (f"; nor, as it takes long, {', '.join(long)}." if long else "."))
    notes = os.path.join(MEASURED, "gradients_notes.md")
    if os.path.exists(notes):
        m.say()
        with open(notes, encoding="utf-8") as file:
            m.say(file.read().strip())
    m.say()


def only_gradients(m, path, kept):
    """Measures the table of gradients anew; the rest of the results stays."""
    os.makedirs(kept, exist_ok=True)
    with open(path, encoding="utf-8") as file:
        lines = file.read().splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith("## Adjoint against differences"))
    end = next(i for i, line in enumerate(lines) if i > start and line.startswith("## "))
    gradients(m, kept)
    m.lines = [*lines[:start], *m.lines, *lines[end:]]
    m.write(path)


def speed(m):
    m.say("## Speed and memory")
    m.say()
    iterations = 40 if m.quick else 400
    rows = []
    for title, extra, count in [("16 balls of 32 triangles", [], iterations), ("16 balls of 320 triangles", FINE, max(5, iterations // 20))]:
        for threads in (1, 2):
            r = m.json("optimize", "billiards", *NEVER_DONE, *extra, "--set", f"optimizer.iterations={count}", threads=threads)
            rows.append([title, threads, r["iterations"], f"{r['seconds']:.1f}", f"{1e3 * r['seconds_per_step']:.3f}",
                         f"{r['newton_iterations_per_step']:.2f}", f"{r['evaluations_per_step']:.2f}",
                         f"{r['seconds_per_step'] / (r['evaluations_per_step'] * r['seconds_per_evaluation']):.2f}",
                         r["unconverged_steps"]])
    m.table(["scene", "threads", "iterations of 100 steps", "s", "ms per step, adjoint included", "Newton iterations per step",
             "contact evaluations per step", "whole / (evaluations x cost of one)", "unconverged steps"], rows)
    forward_steps(m)
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    m.say(f"Largest resident memory of any run above: {peak:.0f} MB.")
    m.say()


def forward_steps(m):
    """The forward step alone: simulations of a shot that was found, medians of several."""
    repeats = 5 if m.quick else 15
    m.say(f"Forward steps alone: the found shot simulated {repeats} times on one thread, medians.")
    m.say()
    rows = []
    for title, extra, iterations in [("16 balls of 32 triangles", [], 70), ("16 balls of 320 triangles", FINE, 20)]:
        with tempfile.TemporaryDirectory() as folder:
            run = os.path.join(folder, "run")
            m.run("optimize", os.path.join(SCENES, "billiards.json"), *extra, "--set", f"optimizer.iterations={iterations}",
                  "-o", run, "--quiet", "--json")
            results = [m.json("simulate", "billiards", *extra, "--control", run, threads=1) for _ in range(repeats)]
        step = statistics.median(r["seconds_per_step"] for r in results)
        one = statistics.median(r["seconds_per_evaluation"] for r in results)
        count = results[0]["evaluations_per_step"]
        ratio = statistics.median(r["seconds_per_step"] / (r["evaluations_per_step"] * r["seconds_per_evaluation"]) for r in results)
        rows.append([title, f"{1e3 * step:.3f}", f"{count:.2f}", f"{1e6 * one:.0f}", f"{ratio:.2f}"])
    m.table(["scene", "ms per step", "contact evaluations per step", "microseconds per evaluation",
             "step / (evaluations x cost of one)"], rows)


def properties(m):
    """Table 1 of paper 000, measured."""
    def cell(model, key, text):
        return ("yes" if model[key]["holds"] else "**no**") + ": " + text

    rows = []
    for model in json.loads(m.run("bench", "properties", "--json", threads=1).stdout)["properties"]:
        if "barrier" not in model:
            rows.append([model["model"], "no potential", "", "", ""])
            continue
        smooth, range_ = model["twice_differentiable"], model["non_vanishing"]
        rows.append([model["model"],
                     cell(model, "barrier", f"energy x {model['barrier']['growth']:.2g} from gap 1e-2 to 1e-8"),
                     cell(model, "twice_differentiable",
                          f"jump {smooth['jump']:.2g} at step {smooth['step']:g}, {smooth['jump_tenth']:.2g} at a tenth"),
                     cell(model, "non_prehensile", f"{model['non_prehensile']['angle']:.1g} rad outside of the cone"),
                     cell(model, "non_vanishing", f"{range_['least']:.2g} of the force at one size" if range_["holds"] else
                          f"exactly 0 from {range_['vanishes']:.3g} sizes on")])
    m.table(["model", "barrier form", "twice differentiable", "non-prehensile", "non-vanishing"], rows)


def known_gradients(m):
    """Scores of the cases with known answers, with the number that is furthest off."""
    models = json.loads(m.run("bench", "gradients", "--json", threads=1).stdout)["gradients"]
    rows = []
    for k, case in enumerate(models[0]["cases"]):
        row = [case["case"]]
        for model in models:
            entries = model["cases"][k]["entries"]
            worst = max(entries, key=lambda e: (not e["right"], abs(e["computed"] - e["expected"])))
            row.append(("yes" if model["cases"][k]["score"] else "**no**") +
                       f": {worst['quantity']} {worst['computed']:.3g} {worst['rule']} {worst['expected']:.3g}")
        rows.append(row)
    rows.append(["of " + str(len(rows))] + [str(sum(case["score"] for case in model["cases"])) for model in models])
    m.table(["case"] + [model["model"] for model in models], rows)
    m.say("Right or not, with the number that is furthest off: computed, rule, expected. docs/theory.md, \"Gradients with known answers\", says why.")
    m.say()


TABLES = {"properties": properties, "gradients": known_gradients}


def benchmarks(m):
    listed = json.loads(m.run("bench", "--json").stdout)
    for name, summary in listed.items():
        if name == "tasks":  # hours: drawn_tasks, by itself
            continue
        m.say(f"## `dcsim bench {name}`: {summary}")
        m.say()
        if name in TABLES:
            TABLES[name](m)
            continue
        m.say("```")
        m.say(m.run("bench", name, threads=1).stdout.rstrip())
        m.say("```")
        m.say()


TASKS = ["billiards", "push", "gather", "sort", "ant_push"]
METHODS = ["scene", "paper", "gauss_newton", "sampling", "mppi", "cem", "mujoco_sampling", "mujoco_mppi", "mujoco_cem", "mujoco_fd"]


def wilson(reached, cases):
    """The interval of a rate at 95 %, in per cent."""
    z, p = 1.959964, reached / cases
    middle = (p + z * z / (2 * cases)) / (1 + z * z / cases)
    half = z * math.sqrt(p * (1 - p) / cases + z * z / (4 * cases * cases)) / (1 + z * z / cases)
    return 100 * max(0, middle - half), 100 * min(1, middle + half)


def rows_of_page(path):
    """Rows of the only table of a page that is not indented (notes hold indented ones), lists of cells; none without the page."""
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as file:
        lines = [line.strip() for line in file if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def drawn_tasks(m, options):
    """Runs `dcsim bench tasks` for every --task and --method, then writes docs/measured/tasks.md: rows of all cases in DIR, beside those of the
    page as it was that are of another task, method, seed or limit."""
    for task in options.task or []:
        for method in options.method or METHODS:
            m.run("bench", "tasks", "--task", task, "--method", method, "--draws", str(options.draws), "--seed", str(options.seed),
                  "--limit", str(options.limit), "--output", options.tasks, "--threads", "1", "--json", threads=1)
    m.say("### Drawn tasks")
    m.say()
    m.say(f"By `scripts/measure.py --tasks`, rows of several days, the last {time.strftime('%Y-%m-%d', time.gmtime())}; {processor()}, one thread. `dcsim bench tasks`: cases of a seed, each within a limit of")
    m.say("processor time. In brackets Wilson's interval at 95 %; at rest: reached, and below 0.05 m/s in the last five steps; medians are of the cases that were reached.")
    m.say()
    groups = {}
    with open(os.path.join(options.tasks, "rows.tsv"), encoding="utf-8") as file:
        for case in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            groups.setdefault((case["task"], case["method"], case["seed"], case["limit"]), []).append(case)
    page = os.path.join(MEASURED, "tasks.md")
    rows = {(row[0], row[1], row[-1]): row for row in rows_of_page(page)}
    for (task, method, seed, limit), cases in groups.items():
        reached = [case for case in cases if case["success"] == "1"]
        low, high = wilson(len(reached), len(cases))
        medians = [f"{statistics.median(float(case[key]) for case in reached):.{digits}f}" if reached else "-"
                   for key, digits in [("iterations", 0), ("rollouts", 0), ("seconds", 1)]]
        where = f"{seed}, {float(limit):g} s"
        rows[task, method, where] = [task, method, f"{len(reached)} of {len(cases)} ({low:.0f} ... {high:.0f} %)",
                                     sum(case["at_rest"] == "1" for case in reached), *medians,
                                     sum(case["message"] == "out of time" for case in cases), where]
    m.table(["task", "method", "reached", "at rest", "iterations", "roll-outs", "processor s", "out of time", "seed, limit"], rows.values())
    notes = os.path.join(MEASURED, "tasks_notes.md")
    if os.path.exists(notes):
        with open(notes, encoding="utf-8") as file:
            m.say(file.read().strip())
    m.write(page)


# Pages of docs/results: name, title, and the pages of docs/measured that each holds, in this order.
RESULTS = [
    ("basics", "Billiards, gradients, speed, benchmarks", None),  # measured by this script
    ("tasks", "Tasks", ["certificates", "push_variants", "identify", "optimizers", "tasks", "search", "plant"]),
    ("comparison", "Contact models compared", ["comparison"]),
    ("shapes", "Shapes", ["codesign", "codesign_cost", "codesign_spider", "codesign_biped", "codesign_single_jaw", "codesign_single_jaw_starts",
                             "codesign_parallel_jaw", "codesign_hand", "codesign_resolution", "codesign_mass", "codesign_soles", "codesign_search",
                             "codesign_budget", "wall_and_blocks", "pair_cost"]),
    ("soft-bodies", "Soft bodies", ["soft", "soft_cloth", "soft_cost", "soft_far", "soft_field", "soft_solvers", "soft_table"]),
    ("manifolds", "Contact manifolds", ["manifold", "manifold_model", "manifold_drops"]),
    ("physics", "Physics", ["restitution", "physics", "stacking"]),
    ("refinement", "Witness points, grasps, robots", ["refine", "grasps", "hands", "robots", "arms", "simplified"]),
    ("reliability", "Threads, faults, sweeps, pictures", ["commands", "threads", "threads_notes", "soak", "soak_notes", "faults", "sweep", "ranks", "pictures", "live"]),
]


def tasks(m):
    """The tasks of paper 000 from what scripts/paper/*.sh and scripts/paper/all --publish left in docs/measured: hours, not run here."""
    m.say("## Robot tasks")
    m.say()
    m.say("One run each by `scripts/paper/*.sh`, kept in `docs/measured`; settings are those of the scenes, the paper's counts, except where a row says otherwise. Milliseconds per step are with")
    m.say("adjoint, over the whole run; times are of the processor, one thread, or by the clock of a machine that did other work as well.")
    m.say()
    rows = []
    for name in ["push", "gather", "gather_bunny", "sort", "ant_push"]:
        path = os.path.join(MEASURED, name + ".json")
        if not os.path.exists(path):
            continue
        with open(path, encoding="utf-8") as file:
            summary = json.load(file)
        fall = 1 - summary["lowest_loss"] / summary["initial_loss"]
        # younger summaries have processor time, which a busy machine does not change
        seconds = summary.get("processor_seconds", summary["seconds"])
        milliseconds = summary["milliseconds_per_step"] * seconds / summary["seconds"]
        rows.append([name, f"{summary['initial_loss']:.4g}", f"{summary['lowest_loss']:.4g}", f"{100 * fall:.1f} %",
                     "yes" if summary["success"] else "no", summary["steps"], summary["iterations"],
                     f"{milliseconds:.2f}", f"{summary['newton_iterations_per_step']:.1f}",
                     f"{summary['min_gap']:.2e}", summary["unconverged_steps"], summary.get("divided_steps", "-"), f"{seconds:.1f}" if "processor_seconds" in summary else f"{seconds:.0f} by the clock",
                     ", ".join(summary["overrides"]) or "-"])
    m.table(["task", "first loss", "lowest loss", "fall", "reached", "steps applied", "iterations", "ms per step",
             "Newton per step", "smallest gap, m", "unconverged", "divided", "s", "changed"], rows)
    notes = os.path.join(MEASURED, "notes.md")
    if os.path.exists(notes):
        with open(notes, encoding="utf-8") as file:
            m.say(file.read().strip())
            m.say()


def promoted(text):
    """The text with its shallowest heading on the second level."""
    levels = [len(marks) for marks in re.findall(r"(?m)^(#+) ", text)]
    shift = min(levels, default=2) - 2
    return re.sub(r"(?m)^(#+) ", lambda found: found.group(1)[shift:] + " ", text)


def pages(folder, basics, table):
    """Writes the pages of docs/results: the lines of this script's own measurements, the table of the robot tasks, and docs/measured."""
    os.makedirs(folder, exist_ok=True)
    for name, title, parts in RESULTS:
        lines = list(basics if parts is None else table if name == "tasks" else [])
        for part in parts or []:
            path = os.path.join(MEASURED, part + ".md")
            if os.path.exists(path):
                with open(path, encoding="utf-8") as file:
                    # charts stand beside the part
                    lines += [re.sub(r"\]\((figure-|table-|refine-)", r"](../measured/\1", file.read().strip()), ""]
        text = "\n".join(["# " + title, "", "One page of [the results](../results.md), written by `scripts/measure.py`.", "", promoted("\n".join(lines)).strip()])
        with open(os.path.join(folder, name + ".md"), "w", encoding="utf-8") as file:
            file.write(text + "\n")


def contents(m, folder):
    """Every page of results with its sections."""
    m.say("## Contents")
    m.say()
    for name, title, _ in RESULTS:
        m.say(f"**[{title}](results/{name}.md)**")
        m.say()
        with open(os.path.join(folder, name + ".md"), encoding="utf-8") as file:
            for level, heading in re.findall(r"(?m)^##(#?) (.*)$", file.read()):
                m.say(("  " if level else "") + f"* [{heading}](results/{name}.md#{anchor(heading)})")
        m.say()


def stale_notes(folder):
    """Names of notes of docs/measured that their pages, which repeat them, do not hold as they are."""
    text = ""
    for name, _, _ in RESULTS:
        with open(os.path.join(folder, name + ".md"), encoding="utf-8") as file:
            text += file.read()
    stale = []
    for name in sorted(name for name in os.listdir(MEASURED) if name.endswith("_notes.md")):
        with open(os.path.join(MEASURED, name), encoding="utf-8") as file:
            if file.read().strip() not in text:
                stale.append(name)
    return stale


def front(m):
    """The table of promises, from docs/measured/front.md, whose links start at that folder."""
    with open(os.path.join(MEASURED, "front.md"), encoding="utf-8") as file:
        m.say(file.read().strip().replace("](../", "]("))
    m.say()


def anchor(heading):
    """What a link to a heading is called: letters of lower case, hyphens for spaces, no other signs."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def publish(m, head, basics, path):
    """Writes the page of contents at path, and the pages in the folder of the same name beside it."""
    folder = os.path.splitext(path)[0]
    table = Measurement(m.dcsim, m.quick)
    tasks(table)
    pages(folder, basics, table.lines)
    m.lines = list(head)
    front(m)
    contents(m, folder)
    while not m.lines[-1]:
        m.lines.pop()
    m.write(path)
    if stale_notes(folder):
        sys.exit("not as in their pages: " + ", ".join(stale_notes(folder)))


def assemble(m, path):
    with open(path, encoding="utf-8") as file:
        lines = file.read().splitlines()
    head = lines[:next(i for i, line in enumerate(lines) if line.startswith("## "))]
    with open(os.path.join(os.path.splitext(path)[0], "basics.md"), encoding="utf-8") as file:
        lines = file.read().splitlines()
    publish(m, head, lines[next(i for i, line in enumerate(lines) if line.startswith("## ")):], path)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--dcsim", default=os.path.join(ROOT, "build", "dcsim"))
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--assemble", action="store_true", help="measure nothing, take up docs/measured anew")
    parser.add_argument("--gradients", metavar="DIR", help="measure only the table of gradients, answers kept in DIR; some scenes take minutes")
    parser.add_argument("--output", default=os.path.join(ROOT, "docs", "results.md"))
    parser.add_argument("--tasks", metavar="DIR", help="solve drawn tasks, rows in DIR, and write docs/measured/tasks.md")
    parser.add_argument("--task", action="append", choices=TASKS)
    parser.add_argument("--method", action="append")
    parser.add_argument("--draws", type=int, default=8)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--limit", type=float, default=60)
    options = parser.parse_args()
    m = Measurement(options.dcsim, options.quick)
    if options.tasks:
        drawn_tasks(m, options)
        return
    if options.gradients:
        only_gradients(m, os.path.join(os.path.splitext(options.output)[0], "basics.md"), options.gradients)
        return
    if options.assemble:
        assemble(m, options.output)
        return
    start = time.time()
    version = m.run("--version").stdout.strip().replace("\n", "; ")
    m.say("# Results")
    m.say()
    m.say("Written by `scripts/measure.py`" + (" --quick" if options.quick else "") + "; its numbers are of one run, those of other pages than the first of the scripts named there.")
    m.say()
    m.say(f"{time.strftime('%Y-%m-%d', time.gmtime())}; {processor()}, {os.cpu_count()} cores; {version}.")
    m.say("The machine is shared: times vary by some tens of percent, ratios less.")
    m.say()
    head, m.lines = m.lines, []
    solving(m)
    random_shots(m)
    with tempfile.TemporaryDirectory() as kept:
        gradients(m, kept)
    speed(m)
    benchmarks(m)
    m.say(f"Whole measurement: {time.time() - start:.0f} s.")
    publish(m, head, m.lines, options.output)


if __name__ == "__main__":
    main()
