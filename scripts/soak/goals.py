#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws scenes as somebody writes them on the first day: bodies, controls and a goal, no settings.

    scripts/soak/goals.py SEED COUNT FOLDER

Ten kinds in turn: a throw, a throw over a wall, a push with a finger, a pull back with a hook, an arm of two links that
pushes, a gripper that lifts, a gripper that puts something on a step, a plate that rolls a ball, a cart with a pole that
goes somewhere, a row that is to fall.  Sizes, masses, friction, stiffness of drives, starts and goals are drawn.
scripts/untuned then counts what is reached; what a draw asks for may be impossible.
"""
import json
import math
import os
import random
import sys

GROUND = {"name": "ground", "joint": "fixed", "shape": "ground"}
PLANE = {"type": "plane"}


def some_body(r, size):
    """A shape of about this size, the height of its centre above the ground, its mass."""
    kind = r.choice(["box", "sphere", "cylinder"])
    mass = round(r.uniform(300, 1500) * size ** 3, 4)
    if kind == "box":
        sides = [round(size * r.uniform(0.7, 1.3), 4) for _ in range(3)]
        return {"type": "box", "size": sides}, sides[2] / 2, mass
    if kind == "sphere":
        return {"type": "sphere", "radius": round(size / 2, 4)}, size / 2, mass
    return {"type": "cylinder", "radius": round(size / 2, 4), "height": round(size, 4)}, size / 2, mass


def scene(kind, step, steps, shapes, bodies, control, objective, friction):
    return {"name": kind, "time": {"step": step, "steps": steps}, "contact": {"friction": round(friction, 2)},
            "shapes": {"ground": PLANE, **shapes}, "bodies": [GROUND] + bodies, "control": control, "objective": objective}


def throw(r, wall=False):
    shape, height, mass = some_body(r, r.uniform(0.05, 0.15))
    way, turn = r.uniform(0.8, 2.5), r.uniform(-1, 1)
    target = [round(way * math.cos(turn), 3), round(way * math.sin(turn), 3), height]
    bodies = [{"name": "thing", "shape": "thing", "mass": mass, "position": [0, 0, height + r.uniform(0.2, 1)]}]
    shapes = {"thing": shape}
    if wall:
        shapes["wall"] = {"type": "box", "size": [0.05, 1.5, round(r.uniform(0.3, 0.8), 2)]}
        bodies.append({"name": "wall", "joint": "fixed", "shape": "wall", "rotation": [math.cos(turn / 2), 0, 0, math.sin(turn / 2)],
                       "position": [0.55 * target[0], 0.55 * target[1], shapes["wall"]["size"][2] / 2 + 0.002]})
    return scene("throw_over" if wall else "throw", 0.02, 60, shapes, bodies,
                 [{"type": "initial_state", "body": "thing", "velocity": "xyz"}],
                 [{"type": "reach", "body": "thing", "target": target, "axes": "xy", "tolerance": 0.1}], r.uniform(0.3, 0.9))


def throw_over(r):
    return throw(r, True)


def planar_finger(r, mass, position, height):
    kp = round(r.uniform(100, 800))
    return {"name": "finger", "shape": "finger", "mass": round(r.uniform(0.3, 1) * mass + 0.1, 3),
            "position": [*position, height], "pd": {"kp": kp, "kd": round(kp * r.uniform(0.06, 0.15), 1)},
            "joint": [{"type": "slide", "axis": [1, 0, 0]}, {"type": "slide", "axis": [0, 1, 0]}]}


def push(r):
    size = r.uniform(0.08, 0.25)
    shape, height, mass = some_body(r, size)
    turn, way = r.uniform(-math.pi, math.pi), r.uniform(0.15, 0.5)
    finger = planar_finger(r, mass, [round(-1.5 * size, 3), round(r.uniform(-1, 1) * size, 3)], height + 0.005)
    return scene("push", 0.03, 80, {"thing": shape, "finger": {"type": "sphere", "radius": round(0.2 * size, 4)}},
                 [{"name": "thing", "shape": "thing", "mass": mass, "position": [0, 0, height + 0.001]}, finger],
                 [{"type": "pd_targets", "body": "finger", "hold": 4}],
                 [{"type": "reach", "body": "thing", "target": [round(way * math.cos(turn), 3), round(way * math.sin(turn), 3), height],
                   "axes": "xy", "tolerance": 0.03}], r.uniform(0.2, 0.8))


def pull(r):
    size = r.uniform(0.08, 0.2)
    sides, mass = [size, size, round(0.6 * size, 3)], round(600 * size ** 3, 3)
    height, way = sides[2] / 2, r.uniform(0.1, 0.4)
    finger = planar_finger(r, mass, [round(-1.2 * size, 3), round(r.uniform(0.7, 1.2) * size, 3)], height + 0.005)
    return scene("pull", 0.03, 80, {"thing": {"type": "box", "size": sides}, "finger": {"type": "sphere", "radius": round(0.15 * size, 4)}},
                 [{"name": "thing", "shape": "thing", "mass": mass, "position": [0, 0, height + 0.001]}, finger],
                 [{"type": "pd_targets", "body": "finger", "hold": 4}],
                 [{"type": "reach", "body": "thing", "target": [round(-way, 3), round(r.uniform(-0.1, 0.1), 3), height], "axes": "xy", "tolerance": 0.03},
                  {"type": "orientation", "body": "thing", "target": [1, 0, 0, 0], "tolerance": 0.3}], r.uniform(0.2, 0.8))


def arm(r):
    length, size = r.uniform(0.25, 0.4), r.uniform(0.06, 0.12)
    shape, height, mass = some_body(r, size)
    kp, way, turn = r.uniform(50, 200), r.uniform(0.1, 0.25), r.uniform(-2.5, 2.5)
    place = [round(1.2 * length, 3), round(r.choice([-1, 1]) * r.uniform(0.4, 0.7) * length, 3)]
    bodies = [{"name": "thing", "shape": "thing", "mass": mass, "position": [*place, height + 0.001]}]
    for i in range(2):
        bodies.append({"name": f"l{i}", **({"parent": "l0", "frame": "world", "near_only": ["l0"]} if i else {}),
                       "joint": {"type": "hinge", "axis": [0, 0, 1]}, "anchor": [round(i * length, 3), 0, 0.05],
                       "shape": "link", "mass": 0.6, "position": [round((i + 0.5) * length, 3), 0, 0.05],
                       "rotation": [0.70710678, 0, 0.70710678, 0], "pd": {"kp": round(kp / (1 + i)), "kd": round(kp / (1 + i) / 10, 1)}})
    return scene("arm", 0.03, 80, {"thing": shape, "link": {"type": "capsule", "radius": 0.025, "height": round(length - 0.06, 3)}}, bodies,
                 [{"type": "pd_targets", "body": f"l{i}", "hold": 4} for i in range(2)],
                 [{"type": "reach", "body": "thing", "target": [round(place[0] + way * math.cos(turn), 3), round(place[1] + way * math.sin(turn), 3), height],
                   "axes": "xy", "tolerance": 0.03}], r.uniform(0.2, 0.8))


def gripper(r, step=False):
    size = r.uniform(0.04, 0.08)
    shape, height, mass = some_body(r, size)
    goal = [round(r.uniform(0.1, 0.35), 3), 0, round(height + r.uniform(0.1, 0.25), 3)]
    shapes = {"thing": shape, "palm": {"type": "box", "size": [0.24, 0.06, 0.03]}, "finger": {"type": "box", "size": [0.02, 0.05, 0.1]}}
    drive = {"kp": round(r.uniform(200, 600)), "kd": round(r.uniform(20, 50)), "gravity_compensation": True}
    bodies = [{"name": "thing", "shape": "thing", "mass": mass, "position": [0, 0, height + 0.001]},
              {"name": "palm", "joint": [{"type": "slide", "axis": [1, 0, 0]}, {"type": "slide", "axis": [0, 0, 1]}], "shape": "palm",
               "mass": 0.5, "position": [round(r.uniform(-0.1, 0.05), 3), 0, 0.3], "pd": {**drive, "kp": 2 * drive["kp"]}}]
    for name, side in (("left", -1), ("right", 1)):
        bodies.append({"name": name, "parent": "palm", "frame": "world", "joint": {"type": "slide", "axis": [1, 0, 0]}, "shape": "finger",
                       "mass": 0.1, "position": [bodies[1]["position"][0] + 0.075 * side, 0, 0.225], "pd": drive})
    objective = {"type": "reach", "body": "thing", "target": goal, "tolerance": 0.03}
    if step:
        shapes["step"] = {"type": "box", "size": [0.16, 0.2, round(goal[2] - height - 0.002, 3)]}
        bodies.append({"name": "step", "joint": "fixed", "shape": "step", "position": [goal[0] + 0.1, 0, shapes["step"]["size"][2] / 2 + 0.001]})
        objective["target"] = [goal[0] + 0.1, 0, goal[2]]
        objective["rest"] = 0.1
    return scene("on_step" if step else "lift", 0.03, 90, shapes, bodies,
                 [{"type": "pd_targets", "body": name, "hold": 5} for name in ("palm", "left", "right")], [objective], r.uniform(0.5, 1))


def on_step(r):
    return gripper(r, True)


def plate(r):
    radius, side = r.uniform(0.03, 0.06), r.uniform(0.4, 0.7)
    start, goal = ([round(r.uniform(-0.3, 0.3) * side, 3) for _ in range(2)] for _ in range(2))
    return scene("plate", 0.02, 100, {"plate": {"type": "box", "size": [side, side, 0.03]}, "ball": {"type": "sphere", "radius": radius}},
                 [{"name": "plate", "joint": [{"type": "hinge", "axis": [1, 0, 0]}, {"type": "hinge", "axis": [0, 1, 0]}], "shape": "plate",
                   "mass": 1, "position": [0, 0, 0.4], "pd": {"kp": round(r.uniform(40, 150)), "kd": round(r.uniform(3, 8), 1)}},
                  {"name": "ball", "shape": "ball", "mass": round(1000 * 4 * radius ** 3, 3), "position": [*start, 0.4165 + radius]}],
                 [{"type": "pd_targets", "body": "plate", "hold": 5}],
                 [{"type": "reach", "body": "ball", "target": [*goal, 0.4165 + radius], "axes": "xy", "tolerance": 0.04, "rest": 0.2}], r.uniform(0.4, 0.9))


def cart(r):
    length, mass = r.uniform(0.3, 0.8), r.uniform(0.1, 0.5)
    return scene("cart", 0.02, 80, {"cart": {"type": "box", "size": [0.2, 0.1, 0.08]}, "pole": {"type": "capsule", "radius": 0.02, "height": round(length, 3)}},
                 [{"name": "cart", "joint": {"type": "slide", "axis": [1, 0, 0]}, "shape": "cart", "mass": 1, "position": [0, 0, 1]},
                  {"name": "pole", "parent": "cart", "frame": "world", "near_only": ["cart"], "joint": {"type": "hinge", "axis": [0, 1, 0]}, "anchor": [0, 0, 1],
                   "shape": "pole", "mass": round(mass, 3), "position": [0, 0, round(1 + length / 2 + 0.08, 3)]}],
                 [{"type": "torque", "body": "cart", "limit": round(r.uniform(10, 30))}],
                 [{"type": "reach", "body": "cart", "target": [round(r.uniform(-1, 1), 2), 0, 1], "axes": "x", "tolerance": 0.05},
                  {"type": "upright", "body": "pole", "tolerance": 0.15}], 0.5)


def row(r):
    count, height = r.randint(2, 4), r.uniform(0.15, 0.3)
    blocks = [{"name": f"block{i}", "shape": "block", "mass": 0.2, "position": [round(0.4 + 0.6 * height * i, 3), 0, height / 2 + 0.001]} for i in range(count)]
    return scene("row", 0.02, 90, {"block": {"type": "box", "size": [0.04, 0.12, height]}, "ball": {"type": "sphere", "radius": 0.05}},
                 blocks + [{"name": "ball", "shape": "ball", "mass": round(r.uniform(0.1, 0.5), 2), "position": [0, 0, round(r.uniform(0.06, height), 3)]}],
                 [{"type": "initial_state", "body": "ball", "velocity": "xyz"}],
                 [{"type": "orientation", "body": f"block{count - 1}", "target": [0.70710678, 0, 0.70710678, 0], "tolerance": 0.5}], r.uniform(0.3, 0.7))


KINDS = [throw, throw_over, push, pull, arm, gripper, on_step, plate, cart, row]


def main():
    seed, count, folder = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    os.makedirs(folder, exist_ok=True)
    for number in range(count):
        drawn = KINDS[number % len(KINDS)](random.Random(1000 * seed + number))
        with open(os.path.join(folder, f"{number:03d}_{drawn['name']}.json"), "w") as file:
            json.dump(drawn, file, indent=1)


if __name__ == "__main__":
    main()
