#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Walkers whose feet are sought together with their gait (after paper 003, Figures 11 to 13).

    scripts/paper/codesign-spider [--quick] [--seeds N ...] [--dcsim FILE] [--output DIR] [--publish]
    scripts/paper/codesign-biped  the same
    scripts/paper/codesign_walkers.py --scenes DIR

Optimizes scenes/codesign_TASK.json, and without its design for as many iterations, replays the first one's gait with the scene's
feet, in other time steps and in MuJoCo; all that for several random gaits (default: seeds 2, 3, 4; settings were chosen on that of
1).  Prints Markdown, which DIR/codesign_TASK.md (default: runs/paper) holds, too; --publish: and docs/measured/codesign_TASK.md.
Verdicts of the spider: with its feet it comes at least 5 % farther than with the first ones, and than with controls alone; in
MuJoCo it comes as far within 15 %.  The biped walks where its torso ends above 0.7 of its height, 0.1 m or more ahead; verdicts: it
does with its feet, and not without; and in MuJoCo.  --quick: one gait, few iterations of few steps, no verdict.

The biped first learns to stand, pushed: it marches on the spot in four worlds at once, in three of which gravity is tilted, held by
a spring of the torso that is weakened from run to run to nothing.  Then its feet are built in, and samples (cross-entropy method)
teach it to walk in three worlds, in two of which gravity is tilted.  It is then started with drawn pushes on ground of drawn friction.

--scenes writes the scenes instead.  Feet are three ellipsoids of 32 vertices each, spread by the golden angle; the spider is
built on level ground and then turned, so that it climbs a slope.
"""
import json
import math
import os
import random
import statistics

from measuring import kept_run, motion, options, parse, scene_path, settings, show

FAR = 20  # m to the target, which nothing reaches
STAND = (10, 2, 0)  # N m/rad that turn the biped's torso back while it learns to stand; about 13 hold it against gravity
TILT = (0.8, 0.3)  # m/s^2 along the ground that it learns to stand, and to walk against
WALK = {"type": "cem", "samples": 24, "elites": 6, "spread": 0.05, "iterations": 14}
WALK_STEPS = 300  # time steps of the walk that is learnt
STARTS = 8  # drawn starts of a biped: pushed by up to PUSH, on ground of friction between the two
PUSH, FRICTIONS = 0.15, (0.35, 0.7)  # m/s
AHEAD = 0.1  # m that a biped must come at least
CONTACT = {"model": "sdrs", "stiffness": 1, "length": 0.1, "support": 0.1, "friction": 0.5, "friction_smoothing": 1e-3}
# Settings of MuJoCo for replays.
REPLAYS = (("MuJoCo as it is", ()), ("MuJoCo, elliptic cones, impratio 100", ("mujoco.cone=elliptic", "mujoco.impratio=100")),
           ("MuJoCo, that and solref 0.004, 3", ("mujoco.cone=elliptic", "mujoco.impratio=100", "mujoco.solref=[0.004, 3]")))
REST = 0.0096  # m over the ground where dcsim's spider rests, which MuJoCo's does not
NEAR = 0.15  # part of its way by which the spider's in MuJoCo may differ
QUICK = {"spider": (10, 240), "biped": (3, 60)}  # iterations and time steps of --quick
UPRIGHT = 0.7  # of the height of the biped's torso
GAP = 0.034  # m between foot and ground at the start: feet may grow by 3 cm


def multiply(a, b):
    return [a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3], a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
            a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1], a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0]]


def about(axis, angle):
    return [math.cos(angle / 2)] + [math.sin(angle / 2) * x for x in axis]


def turned(rotation, x):
    w, conjugate = [0] + list(x), [rotation[0]] + [-q for q in rotation[1:]]
    return multiply(multiply(rotation, w), conjugate)[1:]


def rounded(numbers):
    return [round(x, 9) + 0.0 for x in numbers]


def ellipsoid(center, radii, count, phase):
    """x, y, z of points on an ellipsoid, one after the other."""
    points = []
    for i in range(count):
        z = 1 - (2 * i + 1) / count
        angle = phase + i * math.pi * (3 - math.sqrt(5))
        r = math.sqrt(1 - z * z)
        points += [center[0] + radii[0] * r * math.cos(angle), center[1] + radii[1] * r * math.sin(angle),
                   center[2] + radii[2] * z]
    return [round(x, 5) + 0.0 for x in points]


def waves(bodies, amplitude, frequency, **more):
    """A control: the random gait of seed 1."""
    return {"type": "sines", "bodies": bodies, "waves": 4, "amplitude": amplitude, "frequency": frequency, "seed": 1, "ramp": 0.3,
            **more, "low": [-0.7], "high": [0.7]}


def lowest(parts):
    return min(min(part["vertices"][2::3]) for part in parts)


class Robot:
    """Bodies given on level ground, turned by `slope` about -y."""

    def __init__(self, slope):
        self.slope = about([0, 1, 0], -slope)
        self.bodies = []

    def place(self, x):
        return rounded(turned(self.slope, x))

    def add(self, name, shape, position, joint, yaw=0.0, **more):
        rotation = multiply(self.slope, about([0, 0, 1], yaw))
        for part in joint if isinstance(joint, list) else []:
            for key in ("axis", "axis2", "anchor"):
                if key in part:
                    part[key] = self.place(part[key])
        body = {"name": name, "shape": shape, "position": self.place(position), "joint": joint}
        if abs(abs(rotation[0]) - 1) > 1e-12:
            body["rotation"] = [round(x, 12) for x in rotation]
        self.bodies.append({**body, **more})


def spider(count=32, turn=0.0):
    """With so many vertices in each of the three hulls of a foot, turned about its axis on the same ellipsoids."""
    slope, robot = math.radians(15), Robot(math.radians(15))
    foot = [{"vertices": ellipsoid([0, 0, 0.1], [0.03, 0.03, 0.065], count, turn)},
            {"vertices": ellipsoid([0, 0, 0], [0.028, 0.028, 0.065], count, 1 + turn)},
            {"vertices": ellipsoid([0, 0, -0.1], [0.032, 0.032, 0.06], count, 2 + turn)}]
    knee = 0.15  # of the lower leg, above its origin
    height = -lowest(foot) + GAP + knee
    orange = [0.75, 0.45, 0.1]
    robot.add("ground", "ground", [0, 0, 0], "fixed")
    robot.add("base", "base", [0, 0, height],
              [{"type": "slide", "axis": [1, 0, 0]}, {"type": "slide", "axis": [0, 1, 0]},
               {"type": "slide", "axis": [0, 0, 1]}, {"type": "hinge", "axis": [0, 0, 1]}], density=500, color=orange)
    pd = {"kp": 200, "kd": 20}
    for leg in range(4):
        yaw = math.pi / 4 + leg * math.pi / 2
        out, side = [math.cos(yaw), math.sin(yaw), 0], [-math.sin(yaw), math.cos(yaw), 0]
        at = lambda r: [r * out[0], r * out[1], height]
        robot.add(f"upper{leg}", "upper", at(0.25), [{"type": "universal", "axis": [0, 0, 1], "axis2": side,
                                                       "anchor": at(0.16)}], yaw, parent="base", density=500, pd=dict(pd),
                  color=orange)
        robot.add(f"lower{leg}", "foot", [at(0.34)[0], at(0.34)[1], height - knee],
                  [{"type": "hinge", "axis": list(side), "anchor": at(0.34)}], yaw, parent=f"upper{leg}", density=500,
                  pd=dict(pd), color=[0.55, 0.3, 0.08])
    legs = [f"{part}{leg}" for leg in range(4) for part in ("upper", "lower")]
    return {
        "description": "After paper 003, Figure 11, which gives no sizes: a spider of nine links climbs a slope of 15 degrees"
                       " as far as it comes in 3 s.  Its gait and the 96 vertices of its foot, which all four legs share,"
                       " are sought together.  Written by scripts/paper/codesign_walkers.py.",
        "time": {"step": 0.0025, "steps": 1200},
        "contact": CONTACT,
        "shapes": {"ground": {"type": "plane"}, "base": {"type": "box", "size": [0.22, 0.22, 0.08]},
                   "upper": {"type": "box", "size": [0.18, 0.05, 0.05]}, "foot": {"type": "hulls", "link": True, "parts": foot}},
        "bodies": robot.bodies,
        "control": [waves(legs, 0.05, 1.5)],
        "objective": [{"type": "com", "target": rounded([FAR * math.cos(slope), 0, FAR * math.sin(slope)])}],
        "design": [{"type": "vertices", "shape": "foot", "box": [0.03, 0.03, 0.03], "scale": 0.04, "connect": "link",
                    "hold": [-1, -1, 0.05, 1, 1, 1]}],
        "optimizer": {"type": "adam", "learning_rate": 0.01, "iterations": 110},
        "camera": {"eye": [1.2, -3.2, 2.2], "target": [1.2, 0, 0.4], "up": [0, 0, 1], "fov_deg": 45},
    }


def mirrored(parts):
    """Parts with x the other way round; vertex for vertex."""
    return [{"vertices": [x * (-1 if i % 3 == 0 else 1) + 0.0 for i, x in enumerate(part["vertices"])]} for part in parts]


def biped():
    robot = Robot(0)
    foot = [{"vertices": ellipsoid([0, -0.025, -0.001], [0.025, 0.025, 0.025], 32, 0)},
            {"vertices": ellipsoid([0, 0, 0], [0.03, 0.03, 0.03], 32, 1)},
            {"vertices": ellipsoid([0, 0.025, -0.001], [0.025, 0.025, 0.025], 32, 2)}]
    bottom = -lowest(foot) + 0.024
    ankle, knee, hip = bottom + 0.02, bottom + 0.22, bottom + 0.42
    blue = [0.2, 0.4, 0.7]
    robot.add("ground", "ground", [0, 0, 0], "fixed")
    robot.add("torso", "torso", [0, 0, hip + 0.12], "free", density=500, pd={"kp": 0}, color=blue)
    pd = {"kp": 2000, "kd": 200}
    for side, x in (("left", -0.06), ("right", 0.06)):
        hinge = lambda z: [{"type": "hinge", "axis": [1, 0, 0], "anchor": [x, 0, z]}]
        robot.add(f"{side}_upper", "leg", [x, 0, (hip + knee) / 2], hinge(hip), parent="torso", density=500, pd=dict(pd), color=blue)
        robot.add(f"{side}_lower", "leg", [x, 0, (knee + ankle) / 2], hinge(knee), parent=f"{side}_upper", density=500,
                  pd=dict(pd), color=blue)
        robot.add(f"{side}_foot", f"{side}_foot", [x, 0, bottom], hinge(ankle), parent=f"{side}_lower", density=500,
                  pd=dict(pd), color=[0.1, 0.2, 0.4])
    legs = [f"{side}_{part}" for side in ("left", "right") for part in ("upper", "lower", "foot")]
    return {
        "description": "After paper 003, Figures 12 and 13, which give no sizes: a biped of seven links walks on feet that are"
                       " too short and too round to stand on.  Its gait and the 96 vertices of its feet, which are mirror"
                       " images, are sought in stages: first the torso is held by springs, for which it has an actuator"
                       " without gains.  Written by scripts/paper/codesign_walkers.py.",
        "time": {"step": 0.01, "steps": 400},
        "contact": CONTACT,
        "shapes": {"ground": {"type": "plane"}, "torso": {"type": "box", "size": [0.18, 0.1, 0.2]},
                   "leg": {"type": "box", "size": [0.04, 0.04, 0.18]},
                   "left_foot": {"type": "hulls", "link": True, "parts": foot},
                   "right_foot": {"type": "hulls", "link": True, "parts": mirrored(foot)}},
        "bodies": robot.bodies,
        "control": [waves(legs, 0.02, 1, scale=[1, 1e-3, 1e-3])],  # which hardly moves frequencies and phases: gaits are periodic
        "objective": [{"type": "reach", "bodies": ["left_foot", "right_foot"], "target": [0, 1.5, 0], "axes": "y", "when": "every",
                       "weight": 10},
                      {"type": "point", "body": "torso", "target": [0, 0, hip + 0.12], "axes": "z", "when": "every", "weight": 1000},
                      {"type": "upright", "body": "torso", "when": "every", "weight": 100}],
        "design": [{"type": "vertices", "shape": "left_foot", "mirror": "right_foot", "mirror_axis": "x",
                    "box": [0.02, 0.06, 0.02], "scale": 0.1, "connect": "link"}],
        "optimizer": {"type": "adam", "learning_rate": 0.003, "iterations": 60},
        "camera": {"eye": [3, 1.5, 1.2], "target": [0, 1.2, 0.3], "up": [0, 0, 1], "fov_deg": 45},
    }


def text_of(value, indent=0):
    """JSON with a line for every body, shape, entry."""
    pad = "  " * (indent + 1)
    if indent < 2 and isinstance(value, dict) and value and any(isinstance(v, (dict, list)) for v in value.values()):
        rows = [f"{pad}{json.dumps(k)}: {text_of(v, indent + 1)}" for k, v in value.items()]
        return "{\n" + ",\n".join(rows) + "\n" + "  " * indent + "}"
    if indent < 2 and isinstance(value, list) and value and isinstance(value[0], dict):
        return "[\n" + ",\n".join(pad + json.dumps(v) for v in value) + "\n" + "  " * indent + "]"
    return json.dumps(value)


def run(arguments, seed, command, name, *words, scene=None):
    """What a command on the task's scene, or another one, answers; the run is kept under its name."""
    quick = [f"optimizer.iterations={QUICK[arguments.task][0]}", f"time.steps={QUICK[arguments.task][1]}"] if arguments.quick else []
    return kept_run(arguments, f"{name}_{seed}", command, scene or scene_path(f"codesign_{arguments.task}"),
                    *settings(f"control.0.seed={seed}"), *words, *settings(*quick))


def found(arguments, seed, name):
    """Words that take the parameters of a run."""
    return ["--control", os.path.join(arguments.output, f"{name}_{seed}")]


def climbed(result):
    return FAR - result["objectives"][0]["distance"]


def spider_replays():
    """Those of all walkers, and the nearest to dcsim that was found: stiff, with the ground where dcsim's spider rests."""
    raised = Robot(math.radians(15)).place([0, 0, REST])
    return (*REPLAYS, ("MuJoCo, elliptic cones, impratio 100, solref 0.004, 1, ground raised by the gap at rest",
                       ("mujoco.cone=elliptic", "mujoco.impratio=100", "mujoco.solref=[0.004, 1]", f"bodies.ground.position={raised}")))


def compare_spider(arguments, seed, lines):
    both = run(arguments, seed, "optimize", "codesign_spider")
    alone = run(arguments, seed, "optimize", "codesign_spider_controls", *settings("design=[]"))
    control = found(arguments, seed, "codesign_spider")
    first = run(arguments, seed, "simulate", "codesign_spider_first", *control, *settings("design=[]"))
    lines += ["| | iterations | climbed, m | of the first row |", "|---|---|---|---|"]
    for name, result in (("gait and feet", both), ("the same gait with the first feet", first), ("gait alone", alone)):
        lines.append(f"| {name} | {result['iterations'] or ''} | {climbed(result):.2f} | {climbed(result) / climbed(both):.2f} |")
    if arguments.quick:
        return None
    changes = [(f"gait and feet in steps of {1000 * step:g} ms", settings(f"time.step={step}", f"time.steps={round(3 / step)}"))
               for step in (0.01, 0.005, 0.00125, 0.000625)]
    changes += [(title, ["--model", "mujoco", *settings(*of_mujoco)]) for title, of_mujoco in spider_replays()]
    ways = {}
    for title, words in changes:
        ways[title] = climbed(run(arguments, seed, "simulate", "codesign_spider_replay", *control, *words))
        lines.append(f"| {title} | | {ways[title]:.2f} | {ways[title] / climbed(both):.2f} |")
    return [climbed(both) >= 1.05 * max(climbed(first), climbed(alone)),
            *(abs(ways[title] / climbed(both) - 1) <= NEAR for title, _ in spider_replays())]


def torso(arguments, seed, name):
    """Height of the torso at the end, as a part of that at the start, and how far it came, m."""
    rows = motion(arguments, os.path.join(arguments.output, f"{name}_{seed}"))
    return (float(rows[-1]["torso.z [m]"]) / float(rows[0]["torso.z [m]"]),
            float(rows[-1]["torso.y [m]"]) - float(rows[0]["torso.y [m]"]))


def stand(arguments, seed, name, *words):
    """Iterations of the runs in which the biped learns to stand, and the name of the last one."""
    worlds = [{"gravity": gravity} for gravity in ([0, TILT[0], -9.81], [0, -TILT[0], -9.81], [TILT[0], 0, -9.81])]
    objective = settings('objective=[{"type": "relative", "body": "torso", "when": "every", "weight": 100}]', "time.steps=150",
                         "cases=" + json.dumps(worlds), "optimizer.iterations=30", "optimizer.learning_rate=0.01")
    iterations, earlier = 0, []
    for spring in STAND:
        stage = f"{name}_stand_{spring}"
        held = settings("bodies.torso.pd=" + json.dumps({"kp": 0, "kp_rotation": spring, "kd_rotation": spring / 10}))
        iterations += run(arguments, seed, "optimize", stage, *objective, *held, *words, *earlier)["iterations"]
        earlier = found(arguments, seed, stage)
    return iterations, stage


def walk(arguments, seed, name, scene, earlier):
    """Iterations of the run in which the biped of a scene learns to walk, and words that replay scene and gait."""
    with open(scene_path("codesign_biped"), encoding="utf-8") as file:
        plain = settings("design=[]", "objective=" + json.dumps(json.load(file)["objective"]))
    worlds = [{"gravity": [0, side * TILT[1], -9.81]} for side in (1, -1)]
    result = run(arguments, seed, "optimize", name, *plain, *settings(f"time.steps={WALK_STEPS}", "cases=" + json.dumps(worlds),
                 "optimizer=" + json.dumps(WALK)), *found(arguments, seed, earlier), scene=scene)
    return result["iterations"], [*plain, *settings("cases=[]", "time.steps=400"), *found(arguments, seed, name)]


def drawn_starts(seed):
    """Settings of the drawn starts of a gait."""
    draw = random.Random(f"starts of biped {seed}").uniform
    return [settings(f"bodies.torso.velocity={[draw(-PUSH, PUSH), draw(-PUSH, PUSH), 0]}",
                     f"bodies.ground.friction={draw(*FRICTIONS)}") for _ in range(STARTS)]


def walks(height, way):
    return height >= UPRIGHT and way >= AHEAD


def compare_biped(arguments, seed, lines):
    name, alone, first = "codesign_biped", "codesign_biped_controls", scene_path("codesign_biped")
    stood, stage = stand(arguments, seed, name)
    designed = os.path.join(arguments.output, f"{stage}_{seed}", "design", "scene.json")
    walked, gait = walk(arguments, seed, name + "_walk", designed, stage)
    stood_alone, stage = stand(arguments, seed, alone, *settings("design=[]"))
    walked_alone, gait_alone = walk(arguments, seed, alone + "_walk", first, stage)
    rows = [("feet, then gait", stood + walked, designed, gait, []), ("gait alone", stood_alone + walked_alone, first, gait_alone, []),
            ("the same gait with the first feet", "", first, gait, [])]
    pushed = []
    if not arguments.quick:
        rows.append(("feet and gait, six seconds", "", designed, gait, settings("time.steps=600")))
        rows += [(f"feet and gait in steps of {1000 * step:g} ms", "", designed, gait,
                  settings(f"time.step={step}", f"time.steps={round(4 / step)}")) for step in (0.005, 0.0025, 0.00125)]
        rows += [(title, "", designed, gait, ["--model", "mujoco", *settings(*of_mujoco)]) for title, of_mujoco in REPLAYS]
        pushed = [("Drawn starts", []), ("Drawn starts in MuJoCo as it is", ["--model", "mujoco"])]

    def ended(scene, words):
        run(arguments, seed, "simulate", name + "_replay", *words, scene=scene)
        return torso(arguments, seed, name + "_replay")

    lines += ["| | iterations | height of the torso at the end, of that at the start | came, m |", "|---|---|---|---|"]
    ends = {}
    for title, iterations, scene, words, changes in rows:
        ends[title] = ended(scene, [*words, *changes])
        lines.append(f"| {title} | {iterations} | {ends[title][0]:.2f} | {ends[title][1]:.2f} |")
    rates = []
    for title, changes in pushed:
        results = [ended(designed, [*gait, *changes, *start]) for start in drawn_starts(seed)]
        rates.append(sum(walks(*result) for result in results))
        lines += ["", f"{title}: it stands after {sum(h >= UPRIGHT for h, _ in results)} of {STARTS}, and walks after {rates[-1]};"
                  f" median way {statistics.median(way for _, way in results):.2f} m."]
    if arguments.quick:
        return None
    return [walks(*ends["feet, then gait"]) and ends["gait alone"][0] < UPRIGHT, walks(*ends["feet and gait, six seconds"]),
            *(walks(*ends[title]) for title, _ in REPLAYS), *(2 * rate > STARTS for rate in rates)]


# Figures of the paper, how the tasks are compared, and what the verdicts say that this returns.
TASKS = {"spider": ("Figure 11", compare_spider, ["5 % farther than either", *(f"within {100 * NEAR:.0f} % in {title}" for title, _ in spider_replays())]),
         "biped": ("Figures 12 and 13", compare_biped,
                   ["walks with its feet, and falls without", "walks for six seconds", *(f"walks in {title}" for title, _ in REPLAYS),
                    "walks after more than half of the drawn starts", "and of those in MuJoCo"])}


def main():
    parser = options(__doc__)
    parser.add_argument("task", nargs="?", default="spider", choices=TASKS)
    parser.add_argument("--scenes")
    parser.add_argument("--seeds", type=int, nargs="+", default=[2, 3, 4])
    arguments = parse(parser)
    if arguments.scenes:
        for name, scene in (("codesign_spider", spider()), ("codesign_biped", biped())):
            with open(os.path.join(arguments.scenes, name + ".json"), "w", encoding="utf-8") as file:
                file.write(text_of(scene) + "\n")
        return
    figures, compare, rules = TASKS[arguments.task]
    name = f"codesign_{arguments.task}"
    lines = [f"### {arguments.task.capitalize()} (after paper 003, {figures})", "",
             f"By `scripts/paper/codesign-{arguments.task}`, `scenes/{name}.json`."]
    met = []
    for seed in arguments.seeds[:1] if arguments.quick else arguments.seeds:
        lines += ["", f"Random gait {seed} at the start:", ""]
        met.append(compare(arguments, seed, lines))
    if not arguments.quick:
        lines += ["", "Verdicts, by the number of gaits that meet them: " + "; ".join(
            f"{rule}: {sum(column)} of {len(met)}" for rule, column in zip(rules, zip(*met))) + "."]
    show(arguments, name, lines)


if __name__ == "__main__":
    main()
