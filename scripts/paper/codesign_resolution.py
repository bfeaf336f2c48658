#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How far the spider's way depends on the number of vertices of its feet (after paper 003, Figure 20).

    scripts/paper/codesign-resolution [--quick] [--feet N ...] [--sensitivity] [--resume] [--seeds N ...]
                                      [--dcsim FILE] [--output DIR] [--publish]

Feet of 96, 192, 384 and 768 vertices on the same ellipsoids, of one mass, which sits at the vertices as the paper has it.  For
every random gait: a gait is optimized with 96 vertices and replayed with the others.  Vertices may sit elsewhere on the same
ellipsoids, turned about the foot's axis, and a gait for one foot relies on where they sit.  So gaits are optimized for --feet at
once, too (default: 3, and 5), each turned by another angle and one case of the scene.  All are judged with feet turned by angles
that none was optimized for.  Both sets of angles are drawn.  Then, as on the right of the figure, gait and feet are optimized for
each number of vertices.  With --sensitivity the gait for one foot is replayed in shorter steps, and from drawn
starts, the base pushed by up to 1 mm/s, to tell what a way means.  Prints Markdown, which DIR/codesign_resolution.md (default:
runs/paper) holds, too; --publish: and docs/measured/codesign_resolution.md.  --resume takes what earlier runs left in
DIR/codesign_resolution.jsonl.  Verdicts: the paper's protocol has one gait and one placing of vertices.  As there: half of the range
over vertices is within 3 % of the mean with the feet that are not turned; told by the number of gaits.  Stricter, and our own: it
is for every gait and every foot that judges.  --quick: one gait, two iterations of 60 steps, no verdict.
"""
import csv
import math
import os
import random

from codesign_walkers import climbed, spider
from measuring import append_row, kept_run, options, parse, read_rows, settings, show, write_json

PARTS = 3  # hulls of a foot
COUNTS = (96, 192, 384, 768)  # vertices of a foot
FOOT = 0.3  # kg
ALLOWED = 0.03  # of the mean
JUDGES = 3  # turned feet that judge a gait
APART = 0.3  # rad between turns at least, so that judges are other feet
STEPS = (0.0025, 0.00125, 0.000625, 0.0003125)  # s
STARTS, PUSH = 6, 1e-3  # drawn starts, and how fast they move along each of the base's slides at most, m/s


def feet_of_one_mass(scene, model, design=False):
    """Gives the spider's feet a mass that does not depend on their vertices, by a model of its distribution; they keep their design or not."""
    for body in scene["bodies"]:
        if body["shape"] == "foot":
            del body["density"]
            body.update(mass=FOOT, mass_model=model)
    scene["design"] = scene["design"] if design else []
    return scene


def run(arguments, command, name, scene, seed, *words):
    """What a command on a scene answers; the run is kept under its name."""
    scene["control"][0]["seed"] = seed
    path = write_json(os.path.join(arguments.output, name + ".json"), scene)
    quick = ["optimizer.iterations=2", "time.steps=60"] if arguments.quick else []
    return kept_run(arguments, name, command, path, *words, *settings(*quick))


def spread(ways):
    """Half of the range over the mean."""
    return (max(ways) - min(ways)) / 2 / abs(sum(ways) / len(ways))


def drawn_starts(scene):
    """Settings of the drawn starts of a scene."""
    draw = random.Random("starts of the spider").uniform
    base = next(i for i, body in enumerate(scene["bodies"]) if body["name"] == "base")
    assert len(scene["bodies"][base]["joint"]) == 4
    return [settings(f"bodies.base.joint_velocity={[draw(-PUSH, PUSH) for _ in range(3)] + [0]}") for _ in range(STARTS)]


def sensitivity(arguments, seed, scenes, name, gait, lines):
    """Adds what the way of a gait depends on beside the number of vertices."""
    lines += ["", f"Random gait {seed} at the start, m climbed by the same gait:", "", "| vertices | " + " | ".join(
        f"steps of {1000 * step:g} ms" for step in STEPS) + f" | {STARTS} drawn starts, mean | least | most |", "|---" * (len(STEPS) + 4) + "|"]
    means = []
    for count in COUNTS:
        replay = lambda *words: climbed(run(arguments, "simulate", name + "replay", scenes[count], seed, *gait, *words))
        finer = [f"{replay(*settings(f'time.step={step}', f'time.steps={round(3 / step)}')):.2f}" if count in COUNTS[:2] else "" for step in STEPS]
        ways = [replay(*start) for start in drawn_starts(scenes[count])]
        means.append(sum(ways) / len(ways))
        lines.append(f"| {count} | " + " | ".join(finer) + f" | {means[-1]:.2f} | {min(ways):.2f} | {max(ways):.2f} |")
    lines += ["", f"Half of the range of the means: {100 * spread(means):.1f} % of their mean."]


def drawn_turns(feet):
    """Angles, rad: of the feet that a gait is optimized for beside the one that is not turned, and of those that judge it."""
    draw, turns = random.Random("turned feet of the spider").uniform, [0]
    while len(turns) < JUDGES + feet:
        turn = round(draw(0, 2 * math.pi), 2)
        if all(APART <= abs(turn - other) <= 2 * math.pi - APART for other in turns):
            turns.append(turn)
    return turns[1 + JUDGES:], turns[1:1 + JUDGES]


def with_turned_feet(turns):
    """The spider whose gait is sought, with each of the turned feet as one more case."""
    scene = feet_of_one_mass(spider(COUNTS[0] // PARTS), "lumped")
    legs = [body["name"] for body in scene["bodies"] if body["shape"] == "foot"]
    scene["cases"] = []
    for turn in turns:
        name = f"foot_{turn}"
        scene["shapes"][name] = spider(COUNTS[0] // PARTS, turn)["shapes"]["foot"]
        scene["cases"].append({"name": name, "bodies": {leg: {"shape": name} for leg in legs}})
    return scene


def kept_rows(arguments):
    """The file of rows that --resume begins with."""
    return os.path.join(arguments.output, f"codesign_resolution{'_quick' if arguments.quick else ''}.jsonl")


def ways_of(arguments, seed, sought, judge):
    """Rows of what a gait optimized for feet turned by the angles `sought` climbs with these and with those that judge it."""
    rows, turns = [row for row in read_rows(kept_rows(arguments)) if (row["seed"], row.get("sought")) == (seed, sought)], [0, *sought, *judge]
    if [row["turn"] for row in rows] == turns:
        return rows
    name = f"codesign_resolution_{seed}_{COUNTS[0]}" + (f"_{len(sought) + 1}_feet" if sought else "")
    iterations = run(arguments, "optimize", name, with_turned_feet(sought), seed)["iterations"]
    rows = []
    for turn in turns:
        replay = lambda count: climbed(run(arguments, "simulate", name + "_replay", feet_of_one_mass(spider(count // PARTS, turn), "lumped"),
                                           seed, "--control", os.path.join(arguments.output, name)))
        rows.append({"seed": seed, "sought": sought, "iterations": iterations, "turn": turn, "ways": [replay(count) for count in COUNTS]})
    for row in rows:  # all at once, so that a run that is stopped leaves no part of them
        append_row(kept_rows(arguments), row)
    return rows


def table_line(title, ways):
    return f"| {title} | " + " | ".join(f"{way:.2f}" for way in ways) + f" | {100 * spread(ways):.1f} % |"


def own_designs(arguments, seed):
    """Rows of what is found when gait and feet are optimized with each number of vertices: iterations, ways, losses and half way there."""
    kept = [row for row in read_rows(kept_rows(arguments)) if row["seed"] == seed and "own" in row]
    if kept:
        return kept
    rows = []
    for count in COUNTS:
        scene = feet_of_one_mass(spider(count // PARTS), "lumped", design=True)
        name = f"codesign_resolution_{seed}_own_{count}"
        result = run(arguments, "optimize", name, scene, seed)
        with open(os.path.join(arguments.output, name, "loss.csv"), encoding="utf-8") as file:
            losses = [float(row["loss"]) for row in csv.DictReader(file)]
        middle = (result["initial_loss"] + result["loss"]) / 2
        rows.append({"seed": seed, "own": count, "iterations": result["iterations"], "way": climbed(result), "loss": result["loss"],
                     "half": next((i for i, loss in enumerate(losses) if loss <= middle), len(losses))})
    for row in rows:
        append_row(kept_rows(arguments), row)
    return rows


def own_table(arguments, seeds):
    """Lines of the right of the figure, and the largest difference of the ways that are found."""
    lines = ["Gait and feet optimized with each number of vertices, as on the right of the figure: the same part of the foot may move,"
             " its vertices by up to 3 cm.", "",
             "| random gait at the start | | " + " | ".join(str(count) for count in COUNTS) + " | apart |", "|---" * (len(COUNTS) + 3) + "|"]
    apart = []
    for seed in seeds:
        rows = own_designs(arguments, seed)
        losses, ways = [[row[key] for row in rows] for key in ("loss", "way")]
        apart.append(spread(ways))
        lines += [f"| {seed} | loss at the end, m² | " + " | ".join(f"{loss:.1f}" for loss in losses) + f" | {100 * spread(losses):.1f} % |",
                  "| | climbed, m | " + " | ".join(f"{way:.2f}" for way in ways) + f" | {100 * apart[-1]:.1f} % |",
                  "| | iterations to half of the fall | " + " | ".join(str(row["half"]) for row in rows) + " | |"]
    return lines, apart


def title_of(feet):
    return f"{feet} feet" if feet > 1 else "1 foot"


def summary(numbers, worst, everywhere, meet):
    """Lines of a table of the largest differences, over gaits, and of how many gaits meet the bar, for each number of feet."""
    lines = ["| largest of the last column, gait optimized for | with feet that it is optimized for | with judges | over judges and vertices together"
             " | gaits that every judge finds within the bar |", "|---|---|---|---|---|"]
    for feet in numbers:
        lines.append(f"| {title_of(feet)} | {100 * worst[feet, False]:.1f} % | {100 * worst[feet, True]:.1f} % | {100 * everywhere[feet]:.1f} % | {sum(meet[feet])} of {len(meet[feet])} |")
    return lines


def main():
    parser = options(__doc__)
    parser.add_argument("--feet", type=int, nargs="+", default=[3, 5], help="feet that gaits are optimized for at once")
    parser.add_argument("--sensitivity", action="store_true", help="and what the way depends on beside vertices")
    parser.add_argument("--resume", action="store_true", help="take what earlier runs left in the folder")
    parser.add_argument("--seeds", type=int, nargs="+", default=[2, 3, 4])
    arguments = parse(parser)
    if not arguments.resume and os.path.exists(kept_rows(arguments)):
        os.remove(kept_rows(arguments))
    numbers = [1, *arguments.feet]
    lines = ["### Vertices of a foot (after paper 003, Figure 20)", "",
             "By `scripts/paper/codesign-resolution`: what the spider climbs in 3 s, m, with feet of so many vertices and one mass. A gait is"
             f" optimized with {COUNTS[0]} vertices, for one foot, or for several feet at once, which differ by how far vertices are turned on the"
             " same ellipsoids, about the foot's axis; *judges* are turned by other angles. The angles are drawn. Last column: half of the"
             " range, of the mean.", "",
             "| random gait at the start, optimized for | iterations | turned by, rad | " + " | ".join(str(count) for count in COUNTS) + " | apart |",
             "|---" * (len(COUNTS) + 4) + "|"]
    worst, everywhere, meet, plain, beside = {}, {}, {feet: [] for feet in numbers}, {feet: [] for feet in numbers}, []
    seeds = arguments.seeds[:1] if arguments.quick else arguments.seeds
    for seed in seeds:
        for feet in numbers:
            seek, judge = drawn_turns(feet)
            rows = ways_of(arguments, seed, seek, judge)
            for row in rows:
                judging = row["turn"] in judge
                worst[feet, judging] = max(worst.get((feet, judging), 0), spread(row["ways"]))
                lines.append(table_line(f"{seed}, {title_of(feet)} | {row['iterations']} | {row['turn']}{', judges' if judging else ''}", row["ways"]))
            plain[feet].append(spread(rows[0]["ways"]))
            meet[feet].append(all(spread(row["ways"]) <= ALLOWED for row in rows if row["turn"] in judge))
            everywhere[feet] = max(everywhere.get(feet, 0), spread([way for row in rows if row["turn"] in judge for way in row["ways"]]))
        if arguments.sensitivity:
            scenes = {count: feet_of_one_mass(spider(count // PARTS), "lumped") for count in COUNTS}
            name = f"codesign_resolution_{seed}_"
            sensitivity(arguments, seed, scenes, name, ["--control", os.path.join(arguments.output, f"{name}{COUNTS[0]}")], beside)
    lines += ["", *summary(numbers, worst, everywhere, meet), "", "Paper: one gait 4.890 +- 0.097 m, 2 %; loss after optimization 5257 +- 20, 0.4 %.", *beside]
    own, apart = own_table(arguments, seeds)
    lines += ["", *own]
    if not arguments.quick:
        as_there = [f"{sum(one <= ALLOWED for one in plain[feet])} of {len(seeds)} gaits for {title_of(feet)}" for feet in numbers]
        verdicts = [f"{'met' if worst[feet, True] <= ALLOWED else 'not met'} for {title_of(feet)}" for feet in numbers]
        bar = f"at most {100 * ALLOWED:.0f} %"
        lines += ["", f"Verdict, one placing of vertices as in the paper, feet not turned ({bar}): met by {', '.join(as_there)}.",
                  "", f"Verdict, stricter than the paper ({bar} with every turned foot that judges): {', '.join(verdicts)}.",
                  "", f"Verdict, gait and feet for each number of vertices ({bar} of the way): met from {sum(one <= ALLOWED for one in apart)} of {len(seeds)} gaits."]
    show(arguments, "codesign_resolution", lines)


if __name__ == "__main__":
    main()
