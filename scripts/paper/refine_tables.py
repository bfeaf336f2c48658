#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tables and figures of paper 002 (witness points), measured beside the paper's numbers; scripts/paper/refine-all makes all.

    scripts/paper/refine-table-01 | -02 | -03 | -04 | refine-figure-09 | -11 | refine-all
        [--quick] [--output DIR] [--dcsim FILE] [--publish] [--reuse FILE]

Writes to DIR (runs/paper by default) NAME.md, NAME.json with every run and, for figures, NAME.svg (NAME-quick with
--quick, which takes fewer tasks and less than two minutes).  refine-all --publish copies its page as refine.md, refine.json
and the figures to docs/measured, from where scripts/measure.py takes it.  Exits 1 when a bar does not hold.

Objects and tasks are made at random in place of the scanned ones (docs/theory.md, "Refinement"), so that the ranking is to be compared, not
the level.  Acc: share of tasks whose loss is below 1e-6 m^2, D5 and D9: median and ninth decile of the loss; by the paper's rule
of the last iteration, and beside it ("lowest") of the best point on the way, which is what dcsim returns.
"""
import argparse
import json
import math
import os
import statistics
import subprocess
import sys
import time

import charts
from measuring import ROOT, markdown, processor

MARGIN = 1e-3  # m: the paper's for Table I (appendix A)
KINDS = ("convex", "concave", "hard")
DIRECTION = {"derivative.method": "rs1-direction"}
BASE = {**DIRECTION, "derivative.sampling": "neighbor", "transport": False}  # Montaut et al. as it was
LEVENBERG = {"type": "levenberg_marquardt"}
# Methods of Table I: title, settings of the refinement, of the optimizer, cost (few tasks where it is high).
METHODS = {
    "Analytical": ({"derivative.method": "analytical", "transport": False}, {}, "low"),
    "Finite Difference": ({"derivative.method": "finite-difference", "transport": False}, {}, "high"),
    "RS-0": ({"derivative.method": "rs0", "transport": False}, {}, "highest"),
    "RS-1-Dir": (BASE, {}, "low"),
    "Ours": ({}, {}, "low"),
    "Ours without transport": ({"transport": False}, {}, "low"),
    "Levenberg-Marquardt, turned": ({"restart": "turned"}, LEVENBERG, "low"),
    "Levenberg-Marquardt, opposed": ({"restart": "opposed"}, LEVENBERG, "low"),
}
TASKS = {"low": {"convex": 1000, "concave": 800, "hard": 1000}, "high": {"convex": 500, "concave": 200, "hard": 500},
         "highest": {"convex": 300, "concave": 100, "hard": 300}}
QUICK_TASKS = {"low": {"convex": 100, "concave": 40, "hard": 100}, "high": {"convex": 60, "concave": 10, "hard": 40},
               "highest": {"convex": 30, "concave": 5, "hard": 20}}
# The paper's Table I: D5, D9, Acc (%) of DexGraspNet's and Objaverse's objects.
PAPER_METHODS = {
    "convex": {"Analytical": ("1.0e-4, 5.1e-5", "2.0e-3, 1.4e-3", "4.0, 8.9"),
               "Finite Difference": ("2.7e-6, 2.5e-6", "1.5e-4, 1.7e-4", "40.6, 41.3"),
               "RS-0": ("1.5e-6, 1.5e-6", "1.3e-4, 1.8e-4", "45.3, 46.0"),
               "RS-1-Dir": ("2.2e-6, 3.8e-7", "4.0e-4, 3.2e-4", "45.6, 55.6"),
               "Ours": ("4.3e-9, 5.4e-9", "5.6e-7, 1.2e-6", "91.1, 89.4")},
    "concave": {"Analytical": ("3.3e-5, 3.3e-5", "1.2e-3, 8.9e-4", "15.2, 13.7"),
                "Finite Difference": ("3.9e-6, 8.0e-6", "1.8e-4, 2.6e-4", "35.9, 27.9"),
                "RS-0": ("2.6e-6, 8.6e-6", "1.2e-4, 2.9e-4", "38.0, 27.4"),
                "RS-1-Dir": ("1.7e-5, 2.8e-5", "1.7e-3, 1.8e-3", "28.3, 22.1"),
                "Ours": ("6.5e-9, 1.0e-7", "9.0e-6, 4.5e-5", "80.3, 61.8")},
    "hard": {}}
# The paper's Table II: Acc (%) of DexGraspNet convex, concave, Objaverse convex, concave.
ABLATION = [
    ("Dir, neighbor", {**DIRECTION, "derivative.sampling": "neighbor"}, False, (53.7, 37.9, 57.9, 26.1)),
    ("Dir, fixed", {**DIRECTION, "derivative.sampling": "fixed"}, False, (63.2, 52.5, 64.0, 37.8)),
    ("Dir, adaptive", DIRECTION, False, (62.2, 55.8, 61.4, 41.9)),
    ("Dist, neighbor", {"derivative.sampling": "neighbor"}, False, (85.6, 70.2, 88.5, 53.1)),
    ("Dist, fixed", {"derivative.sampling": "fixed"}, False, (89.9, 75.1, 91.0, 55.8)),
    ("Dist, adaptive", {}, False, (91.2, 80.6, 89.5, 62.4)),
    ("Dir, both poses", DIRECTION, True, (71.2, 63.3, 68.9, 46.1)),
    ("Dir, second pose, no transport", {**DIRECTION, "transport": False}, False, (29.8, 26.6, 33.4, 21.3)),
    ("Dir, second pose, transport", DIRECTION, False, (62.2, 55.8, 61.4, 41.9)),
    ("Dist, both poses", {}, True, (90.9, 80.6, 89.5, 62.6)),
    ("Dist, second pose, no transport", {"transport": False}, False, (70.8, 64.4, 73.3, 50.4)),
    ("Dist, second pose, transport", {}, False, (91.2, 80.6, 89.5, 62.4)),
]
MARGINS = (0, 1e-5, 1e-4, 1e-3, 1e-2)
SIZES = (1, 2, 5, 10, 20, 50, 100)
# Most tasks for every point of a figure.
SHOWN = {"convex": 400, "concave": 200, "Finite Difference": 50, "RS-0": 20}
# The paper's Tables III and IV, microseconds per iteration and task on an Nvidia 3090 with a Xeon Platinum 8255C.
PAPER_TIMES = {"Forward": ("8.3, 8.7", "23.4, 29.2"), "RS-0": ("58.6, 59.3", "488.3, 1269.5"),
               "RS-1": ("17.7, 18.9", "19.6, 21.4")}
PAPER_PARTS = {"neighbor": 13.5, "fixed": 9.8, "adaptive": 10.4, "Dir": 5.7, "Dist": 4.5, "transport": 1.1}


class Lab:
    """Runs benchmarks, each once; keeps what was asked and answered, and the bars."""

    def __init__(self, options):
        self.options, self.kept, self.bars = options, {}, []
        self.begin = time.time()
        self.origin = {"processor": processor(), "cores": os.cpu_count(), "date": time.strftime("%Y-%m-%d", time.gmtime()),
                       "quick": options.quick, "minutes": 0}
        if options.reuse:
            with open(options.reuse, encoding="utf-8") as file:
                record = json.load(file)
            self.kept = {(run["benchmark"], *run["settings"]): run["result"] for run in record["runs"]}
            self.origin = {key: record[key] for key in self.origin}
            if self.origin["quick"] != options.quick:
                sys.exit(f"{options.reuse}: --quick must be as it was")
        self.reused = len(self.kept)

    def ask(self, benchmark, settings):
        words = [f"{key}={json.dumps(value) if not isinstance(value, str) else value}" for key, value in settings.items()]
        key = (benchmark, *words)
        if key not in self.kept:
            command = [self.options.dcsim, "bench", benchmark, "--json"]
            for word in words:
                command += ["--set", word]
            start = time.time()
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode:
                sys.exit(f"{' '.join(command)}: exit {done.returncode}: {done.stderr.strip()}")
            self.kept[key] = json.loads(done.stdout)
            print(f"  {time.time() - start:5.1f} s  {' '.join(words)}", file=sys.stderr, flush=True)
        return self.kept[key]

    def record(self, path):
        if len(self.kept) > self.reused:
            self.origin["minutes"] = round(self.origin["minutes"] + (time.time() - self.begin) / 60, 1)
            self.begin, self.reused = time.time(), len(self.kept)
        runs = [{"benchmark": key[0], "settings": list(key[1:]), "result": value} for key, value in self.kept.items()]
        with open(path, "w", encoding="utf-8") as file:
            head = json.dumps({**self.origin, "bars": self.bars}, indent=1).removesuffix("\n}")
            file.write(head + ',\n "runs": [\n  ' + ",\n  ".join(map(json.dumps, runs)) + "\n ]\n}\n")

    def count(self, kind, cost="low"):
        return (QUICK_TASKS if self.options.quick else TASKS)[cost][kind]

    def solve(self, kind, refine=None, optimizer=None, cost="low", margin=MARGIN, both=False, most=None):
        tasks = min(self.count(kind, cost), most or math.inf, self.options.tasks or math.inf)
        settings = {"objects": kind, "tasks": tasks, "both": both, "refine.margin": margin}
        settings.update({"refine." + key: value for key, value in (refine or {}).items()})
        settings.update({"optimizer." + key: value for key, value in (optimizer or {}).items()})
        return self.ask("witness", settings)

    def times(self, kind, refine=None, repeats=3):
        """Medians of several runs, microseconds."""
        tasks = (4 if kind == "concave" else 10) if self.options.quick else 20 if kind == "concave" else 50
        tasks = min(tasks, self.options.tasks or math.inf)
        runs = []
        for seed in range(1, 2 if self.options.quick else repeats + 1):
            settings = {"objects": kind, "tasks": tasks, "seed": seed}
            settings.update({"refine." + key: value for key, value in (refine or {}).items()})
            runs.append(self.ask("witness-time", settings))
        return {part: 1e6 * statistics.median(run[part] for run in runs) if runs[0][part] is not None else None
                for part in ("forward", "backward", "iteration", "sampling", "smoothing", "passing", "transport")}

    def bar(self, holds, text):
        self.bars.append({"holds": bool(holds), "text": text})


class Page:
    def __init__(self, name, title):
        self.name, self.parts, self.panels = name, [f"### {title}\n"], []

    def say(self, text):
        self.parts.append(" ".join(text.split()) + "\n")

    def table(self, header, rows):
        self.parts.append(markdown(header, rows))

    def write(self, folder):
        if self.panels:
            chart = os.path.join(folder, self.name + ".svg")
            if charts.draw(self.panels, chart):
                self.parts.append(f"![{self.name}]({self.name}.svg)\n")
        return "\n".join(self.parts)


def percent(value):
    return f"{100 * value:.1f}"


def final(run):
    """By the paper's rule; of methods that begin anew only the best point says anything."""
    return run["last"] or run["best"]


# ---- Table 1


def methods_of(lab, page, kind):
    rows, runs = [], {}
    for title, (refine, optimizer, cost) in METHODS.items():
        run = runs[title] = lab.solve(kind, refine, optimizer, cost)
        last, best = run["last"], run["best"]
        paper = PAPER_METHODS[kind].get(title, ("", "", ""))
        cells = [percent(last["accuracy"]), f"{last['median']:.1e}", f"{last['ninth_decile']:.1e}"] if last else ["–"] * 3
        rows.append([title, run["tasks"], *cells, percent(best["accuracy"]), f"{best['median']:.1e}",
                     f"{best['ninth_decile']:.1e}", f"{run['queries']:.0f}", f"{1e3 * run['seconds'] / run['tasks']:.2f}",
                     paper[2], paper[0], paper[1]])
    page.say(f"**{kind}**")
    page.table(["method", "tasks", "Acc, %", "D5", "D9", "lowest: Acc, %", "D5", "D9", "queries a task", "ms a task",
                "paper: Acc, %", "D5", "D9"], rows)
    return runs


def check_methods(lab, kind, runs):
    ours, size = runs["Ours"]["last"], runs["Ours"]["tasks"]
    marquardt = runs["Levenberg-Marquardt, opposed"]
    if kind == "convex":
        lab.bar(ours["accuracy"] >= 0.98 and ours["median"] <= 5e-9,
                f"descent solves {percent(ours['accuracy'])} % of {size} convex tasks with D5 {ours['median']:.1e} "
                "(last iteration; bar: 98 %, 5e-9)")
        lab.bar(marquardt["best"]["accuracy"] >= 0.985 and marquardt["queries"] <= 220,
                f"Levenberg-Marquardt solves {percent(marquardt['best']['accuracy'])} % of {marquardt['tasks']} convex tasks in "
                f"{marquardt['queries']:.0f} queries a task (bar: 98.5 %, 220)")
    if kind == "concave":
        lab.bar(ours["accuracy"] >= 0.76, f"descent solves {percent(ours['accuracy'])} % of {size} concave tasks "
                f"(last iteration; bar: 76 %; lowest values: {percent(runs['Ours']['best']['accuracy'])} %)")
        lab.bar(marquardt["best"]["accuracy"] >= 0.87,
                f"Levenberg-Marquardt solves {percent(marquardt['best']['accuracy'])} % of {marquardt['tasks']} concave tasks "
                "(bar: 87 %)")
    if kind == "hard":  # not in the paper
        return
    accuracy = {title: final(run)["accuracy"] for title, run in runs.items()}
    rivals = ("RS-1-Dir", "RS-0", "Finite Difference")
    lab.bar(all(accuracy["Ours"] > accuracy[rival] > accuracy["Analytical"] for rival in rivals),
            f"ranking on {kind} objects as in the paper: ours {percent(accuracy['Ours'])} > "
            + ", ".join(f"{rival} {percent(accuracy[rival])}" for rival in rivals)
            + f" > Analytical {percent(accuracy['Analytical'])} %")


def table_01(lab):
    page = Page("refine-table-01", "Methods (paper 002, Table I)")
    page.say("""The second object's pose is sought, margin 1e-3 m, 2000 iterations of normalized descent with the paper's steps (10 and 0.01 m, then a tenth,
        then a hundredth); baselines without equivalent gradient transport, as the paper has them. Levenberg-Marquardt takes at most 2000 Jacobians and begins
        anew where it is stuck: only its best point says anything. "turned" draws any rotation for that, "opposed" one that opposes the normals at the targets. Finite
        Difference and RS-0 have fewer tasks (the first of the same list) since they take 13 and 33 queries an iteration. The last three columns are the paper's for DexGraspNet's, Objaverse's objects; hard objects are not in it.""")
    runs = {kind: methods_of(lab, page, kind) for kind in KINDS}
    for kind in KINDS:
        check_methods(lab, kind, runs[kind])
    zeroth = {kind: (final(runs[kind]["RS-0"])["accuracy"], final(runs[kind]["RS-1-Dir"])["accuracy"]) for kind in ("convex", "concave")}
    page.say("Among the baselines: " + "; ".join(
        f"on {kind} objects RS-0 {percent(a)} %, RS-1-Dir {percent(b)} % (paper: RS-1-Dir {word})"
        for (kind, (a, b)), word in zip(zeroth.items(), ("the better one", "the worse one"))) + ".")
    return page


# ---- Table 2


def table_02(lab):
    page = Page("refine-table-02", "Ablation (paper 002, Table II)")
    page.say("""Acc (%) at the last iteration, the average of margins 0 and 1e-3 m as in the paper. Score by direction (Montaut et al.) or by distance; samples of neighbouring
        vertices, within a fixed radius, within the distance of the target; transport of the fixed body's gradient. Where not said, the second pose is sought with transport and
        sampling is adaptive. Paper: DexGraspNet, Objaverse.""")
    rows, convex = [], {}
    for title, refine, both, paper in ABLATION:
        row = [title]
        for at, kind in enumerate(("convex", "concave")):
            runs = [lab.solve(kind, refine, margin=margin, both=both) for margin in (0, MARGIN)]
            each = [run["last"]["accuracy"] for run in runs]
            convex.setdefault(title, []).append(statistics.mean(each))
            row += [percent(statistics.mean(each)), f"{percent(each[0])}, {percent(each[1])}", f"{paper[at]}, {paper[2 + at]}"]
        rows.append(row)
    page.table(["", "convex", "margin 0, 1e-3", "paper", "concave", "margin 0, 1e-3", "paper"], rows)
    for k, kind in enumerate(("convex", "concave")):
        pairs = [(convex["Dir, " + s][k], convex["Dist, " + s][k]) for s in ("neighbor", "fixed", "adaptive")]
        lab.bar(all(b > a for a, b in pairs), f"distance beats direction with every sampling on {kind} objects: "
                + ", ".join(f"{percent(b)} > {percent(a)}" for a, b in pairs) + " %")
        both, without, with_ = (convex[f"Dist, {s}"][k]
                                for s in ("both poses", "second pose, no transport", "second pose, transport"))
        lab.bar(without < with_ and abs(with_ - both) < 0.05,
                f"transport restores on {kind} objects what moving both poses reaches: without {percent(without)}, with "
                f"{percent(with_)}, both {percent(both)} % (within 5)")
    return page


# ---- Tables 3 and 4


def machine(lab):
    return f"One core of {lab.origin['processor']} ({lab.origin['cores']} cores, shared), double precision; the paper: Nvidia 3090 with a Xeon Platinum 8255C (OpenMP)."


def table_03(lab):
    page = Page("refine-table-03", "Times (paper 002, Table III)")
    page.say(f"""{machine(lab)} Microseconds of processor time per iteration and task, along the first 256 poses that descent passes through; medians of runs over
        different tasks. RS-0 and Finite Difference difference the queries of the body that moves (32 and 12 queries; the paper: dozens). An iteration is
        one evaluation with direction of descent, frames of the bodies included.""")
    rows, ours = [], {}
    cases = [("Ours (RS-1, distance)", {}, "RS-1"), ("RS-1-Dir, neighbor", BASE, "RS-1"),
             ("Analytical", {"derivative.method": "analytical", "transport": False}, "RS-1"),
             ("RS-0", {"derivative.method": "rs0", "transport": False}, "RS-0"),
             ("Finite Difference", {"derivative.method": "finite-difference", "transport": False}, "RS-0")]
    for title, refine, paper in cases:
        row = [title]
        for at, kind in enumerate(("convex", "concave")):
            t = lab.times(kind, refine)
            ours.setdefault(kind, t)
            row += [f"{t['forward']:.2f}", f"{t['backward']:.2f}", f"{t['iteration']:.2f}",
                    f"{PAPER_TIMES['Forward'][at]}; {PAPER_TIMES[paper][at]}"]
        rows.append(row)
    header = ["forward", "backward", "iteration", "paper: forward; backward"]
    page.table(["method", *("convex: " + h for h in header), *("concave: " + h for h in header)], rows)
    total = ours["convex"]["forward"] + ours["convex"]["backward"]
    lab.bar(total <= 8, f"a query and its derivative take {total:.2f} us on convex pairs of 30 to 210 vertices on one core (bar: 8 us)")
    return page


def table_04(lab):
    page = Page("refine-table-04", "Parts of the derivative (paper 002, Table IV)")
    page.say(f"""{machine(lab)} Microseconds per query, both sides together, convex objects. "Smoothing" is the paper's derivative: scores, weights and the matrix of each side.
        Passing one side's result through the other has no column in the paper. Transport: directions of descent with it less those without. The paper draws neighbours on the CPU,
        everything else on the GPU.""")
    rows = []
    for score, refine in (("Dist", {}), ("Dir", DIRECTION)):
        for sampling in ("neighbor", "fixed", "adaptive"):
            t = lab.times("convex", {**refine, "derivative.sampling": sampling})
            rows.append([f"{score}, {sampling}", f"{t['sampling']:.2f}", PAPER_PARTS[sampling], f"{t['smoothing']:.2f}",
                         PAPER_PARTS[score], f"{t['passing']:.2f}", "< 0.01" if t["transport"] < 0.01 else f"{t['transport']:.2f}", PAPER_PARTS["transport"]])
    page.table(["", "sampling", "paper", "smoothing", "paper", "passing", "transport", "paper"], rows)
    return page


# ---- Figures 9 and 11


def panel(title, label, places, lines):
    return {"title": title, "xlabel": label, "ylabel": "Acc, %", "xscale": "log",
            "lines": [{"label": name, "x": list(places), "y": [100 * y for y in values]} for name, values in lines.items()]}


def figure_09(lab):
    page = Page("refine-figure-09", "Robustness to the margin (paper 002, Figure 9)")
    page.say("""Acc (%) at the last iteration over the margin, m (0 is drawn at 1e-6). Base: direction, neighbours, no transport; Best: direction, adaptive, transport. Paper: ours
        stays high throughout; RS-1-Dir is extremely poor at 0 and grows with the margin, always below ours; at 1e-2 both fall on concave objects.""")
    cases = {"ours": {}, "RS-1-Dir, best": DIRECTION, "RS-1-Dir, base": BASE}
    for kind in ("convex", "concave"):
        most = SHOWN[kind]
        lines = {title: [lab.solve(kind, refine, margin=margin, most=most)["last"]["accuracy"] for margin in MARGINS]
                 for title, refine in cases.items()}
        page.panels.append(panel(kind, "margin, m", [max(margin, 1e-6) for margin in MARGINS], lines))
        page.say(f"**{kind}**, {min(most, lab.count(kind))} tasks")
        page.table(["", *(f"{margin:g}" for margin in MARGINS)],
                   [[title, *map(percent, values)] for title, values in lines.items()])
        lab.bar(all(min(lines["ours"][:4]) > y for title in ("RS-1-Dir, best", "RS-1-Dir, base") for y in lines[title][:4]),
                f"for margins up to 1e-3 the worst of ours on {kind} objects ({percent(min(lines['ours'][:4]))} %) is above every "
                "RS-1-Dir")
        lab.bar(all(lines[title][0] < lines[title][3] for title in ("RS-1-Dir, best", "RS-1-Dir, base")),
                f"RS-1-Dir suffers at margin 0 on {kind} objects: base {percent(lines['RS-1-Dir, base'][0])}, best "
                f"{percent(lines['RS-1-Dir, best'][0])} %, at 1e-3 {percent(lines['RS-1-Dir, base'][3])} and "
                f"{percent(lines['RS-1-Dir, best'][3])} %")
    return page


def steps(size, ratio=1e-3):
    return {"rotation_step": size, "translation_step": ratio * size}


def figure_11(lab):
    page = Page("refine-figure-11", "Robustness to the step size (paper 002, Figure 11)")
    page.say("""Acc (%) at the last iteration over the first rotation step s_r, margin 1e-3 m. Base: as it was, best: with transport (RS-1-Dir with adaptive sampling besides). The paper gives the
        translation step as s_r / 100 (section V-A, appendix C) and as 0.01 m for s_r = 10 (appendix A), which is s_r / 1000 m. The latter reproduces its D5 (the last steps are
        1e-4 m long, those of s_r / 100 ten times as long) and is used here; a line of s_r / 100 stands beside. Paper: ours is the most robust; transport helps almost everywhere, first-order methods more.""")
    few = {"Finite Difference": 12, "RS-0": 4} if lab.options.quick else {name: SHOWN[name] for name in ("Finite Difference", "RS-0")}
    cases = {"ours": ({}, 1e-3), "ours, s_r / 100": ({}, 1e-2), "RS-1-Dir, best": (DIRECTION, 1e-3), "RS-1-Dir, base": (BASE, 1e-3)}
    for title, method in (("Finite Difference", "finite-difference"), ("RS-0", "rs0")):
        cases[title + ", best"] = ({"derivative.method": method}, 1e-3)
        cases[title + ", base"] = ({"derivative.method": method, "transport": False}, 1e-3)
    for kind in ("convex", "concave"):
        lines, rows = {}, []
        for title, (refine, ratio) in cases.items():
            most = few.get(title.split(",")[0], 60 if lab.options.quick else SHOWN[kind] // 2)
            if kind == "concave" and (title.split(",")[0] in few or lab.options.quick):
                continue
            runs = [lab.solve(kind, refine, steps(size, ratio), most=most) for size in SIZES]
            lines[title] = [run["last"]["accuracy"] for run in runs]
            rows.append([title, runs[0]["tasks"], *map(percent, lines[title])])
        if not rows:
            continue
        page.panels.append(panel(kind, "first rotation step", SIZES, lines))
        page.say(f"**{kind}**" + (" (without methods that difference queries)" if kind == "concave" else ""))
        page.table(["s_r", "tasks", *map(str, SIZES)], rows)
        worst = {title: min(values[2:5]) for title, values in lines.items() if title != "ours, s_r / 100"}
        lab.bar(all(worst["ours"] >= value for value in worst.values()),
                f"over s_r from 5 to 20 ours is the most robust on {kind} objects: " +
                ", ".join(f"{title} {percent(value)}" for title, value in worst.items()) + " % at the worst")
    return page


PAGES = {"refine-table-01": table_01, "refine-table-02": table_02, "refine-table-03": table_03,
         "refine-table-04": table_04, "refine-figure-09": figure_09, "refine-figure-11": figure_11}


def notes():
    """What was found out about differences from the paper, written by hand, if it is there."""
    path = os.path.join(ROOT, "docs", "measured", "refine_notes.md")
    if not os.path.exists(path):
        return ""
    with open(path, encoding="utf-8") as file:
        return file.read().strip() + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", choices=[*PAGES, "refine-all"])
    parser.add_argument("--quick", action="store_true", help="fewer tasks; less than two minutes for each table or figure")
    parser.add_argument("-o", "--output", default=os.path.join("runs", "paper"))
    parser.add_argument("--dcsim", default=os.path.join(ROOT, "build", "dcsim"))
    parser.add_argument("--tasks", type=int, help="at most so many of each kind: for tests")
    parser.add_argument("--reuse", metavar="FILE", help="take the runs that are in this JSON file instead of making them anew")
    parser.add_argument("--publish", action="store_true", help="refine-all: write the page to docs/measured")
    options = parser.parse_args()
    options.output = os.path.abspath(options.output)
    os.makedirs(options.output, exist_ok=True)
    folder = os.path.join(ROOT, "docs", "measured") if options.publish else options.output
    lab, whole, texts = Lab(options), options.name == "refine-all", []
    name = "refine" if options.publish else options.name + ("-quick" if options.quick else "")
    for part, make in PAGES.items():
        if whole or part == options.name:
            print(f"{part}:", file=sys.stderr, flush=True)
            page = make(lab)
            page.name += "-quick" if options.quick else ""
            texts.append(page.write(folder))
            lab.record(os.path.join(folder, name + ".json"))
    origin = lab.origin
    how = (f"By `scripts/paper/{options.name}{' --quick' if options.quick else ''}`, {origin['date']}; {origin['processor']}, "
           f"{origin['cores']} cores; {origin['minutes']:.1f} minutes. " + " ".join(__doc__.split("\n\n")[-1].split()))
    bars = "\n".join(f"- {'holds' if bar['holds'] else '**does not hold**'}: {bar['text']}" for bar in lab.bars)
    head = ["## Witness points and refinement (paper 002)\n" if whole else f"## {options.name}\n", how + "\n"]
    text = "\n".join([*head, *([bars + "\n"] if bars else []), *([notes()] if whole else []), *texts])
    with open(os.path.join(folder, name + ".md"), "w", encoding="utf-8") as file:
        file.write(text)
    sys.stdout.write(text)
    return 0 if all(bar["holds"] for bar in lab.bars) else 1


if __name__ == "__main__":
    sys.exit(main())
