# SPDX-License-Identifier: Apache-2.0
"""Kinds of motions that another motion or a bound tells: boxes that tip or stand, halves that mirror each other, the same world as a plant or with a collision far away."""
import copy
import math

import numpy as np

import cases
import dragged_kinds
import motion_kinds
from motions import G, MODELS, SHAPES, Finding, add, add_far_balls, add_floor, rest_height, turns, world


def topple(draw, mutant):
    """A block that friction holds on a slope tips over its lower edge beyond tan(slope) = width/height, and stands before."""
    # The edge that bears the block lies as far inside of it as its gap grows: light blocks on soft contact tip from 0.78 of the limit on.
    width, ratio = draw.between("width", 0.06, 0.1), draw.between("height over width", 1.2, 2)
    part, mass = draw.pick("part", [0.6, 1.25]), draw.between("mass", 0.3, 3)
    draw.steps = math.ceil(0.8 / draw.step)
    tilt = math.atan(part / ratio)
    other = mutant.get("height", 1)
    size = [width, width, width * ratio * (other if part < 1 else 1 / other)]
    scene = world(draw, [G * math.sin(tilt), 0, -G * math.cos(tilt)], 2)
    add_floor(scene)
    shape = {"type": "box", "size": size}
    add(scene, "body", shape, mass=mass, position=[0, 0, float(rest_height(draw, shape, mass, G * math.cos(tilt)))])
    add_far_balls(scene, draw)
    path = draw.run(scene)
    turned = abs(float(turns(path, "body")[0][:, 1] @ path.length))
    return [Finding("turn about the lower edge", min(turned, math.pi / 2), math.pi / 2 if part > 1 else 0, math.pi / 2 - 0.4 if part > 1 else 0.2)]


def mirror(draw, mutant):
    """A ball meets two that lie side by side, alike on both sides of its way: the halves mirror each other.

    Balls of triangles are turned, each half as the mirror image of the other.  A step that takes them more than a facet into each other has several minima, of other
    facets that meet, and Newton's method may end on different ones at the two sides: where it does, steps of a quarter or of a sixteenth must keep the mirror."""
    draw.far, draw.integrator = 0.0, "euler"
    speed, mu = draw.between("speed", 1, 5), draw.between("mu", 0, 0.5)
    apart, ball = draw.between("apart", 0.101, 0.15), {"type": "sphere", "radius": 0.05, "level": 1}
    gap = max(0.05, 2 * speed * draw.step)
    draw.steps = math.ceil(2 * gap / (speed * draw.step)) + 10
    scene = world(draw, [0, 0, 0], mu)
    scene["contact"].update(draw.pick("restitution", [{}, {"restitution": 0.5}, {"restitution": 0.9}]))
    # Spheres of triangles are symmetric about the planes of their axes.
    about, turn = draw.between("cue turned", -math.pi, math.pi), draw.rng.normal(size=4)
    meshes = "leaves" not in draw.model
    ahead = {"rotation": [math.cos(about / 2), 0, math.sin(about / 2), 0]} if meshes else {}
    add(scene, "cue", ball, mass=draw.between("cue mass", 0.1, 0.3), position=[-0.1 - gap, mutant.get("aside", 0), 0], velocity=[speed, 0, 0], **ahead)
    mass = draw.between("mass", 0.1, 0.3)
    for name, sign in (("left", 1), ("right", -1)):
        turned = {"rotation": [float(x) for x in turn / np.linalg.norm(turn) * [1, sign, 1, sign]]} if meshes else {}
        add(scene, name, ball, mass=mass, position=[0, sign * apart / 2, 0], **turned)
    # The hierarchy of bsh is not its own mirror image: 6e-6 m observed.
    near, off = 1e-4 if draw.model == "bsh" else 1e-6, math.inf
    for part in (1, 4, 16) if meshes else (1,):
        scene["time"] = {"step": draw.step / part, "steps": draw.steps * part}
        path = draw.run(scene)
        left, right = path.position["left"][-1], path.position["right"][-1]
        before, off = off, np.abs(left - right * [1, -1, 1]).max()
        if off <= near:
            break
    if before < math.inf:
        draw.exempt = f"balls of triangles whose halves are {before:.2g} m unlike, by finer steps {off:.2g} m"
    return [Finding("how far the halves are from mirroring each other", off, 0, near), Finding("way of the halves", min(1.0, np.linalg.norm(left - [0, apart / 2, 0]) / (0.05 * gap)), 1, 0.01)]


def plant(draw, mutant):
    """A scene that is executed in another world as its plant moves as that world itself does, to the bit."""
    # A plant has the settings of its scene where it names none: bsh and exact have a stiffness alone.
    draw.defaults = False
    draw.steps = min(60, math.ceil(0.4 / draw.step))
    shape, speed = SHAPES[draw.pick("shape", list(SHAPES))], draw.between("speed", 0.5, 3)
    scene = world(draw, [0, 0, -G], draw.between("mu", 0.1, 0.6))
    add_floor(scene)
    add(scene, "body", shape, mass=draw.between("mass", 0.2, 3), position=[0, 0, shape["size"][2] / 2 + 0.02], velocity=[speed, 0, -draw.between("down", 0, 1)])
    add(scene, "driven", SHAPES["cube"], mass=1, joint={"type": "slide", "axis": [0, 0, 1]}, position=[0, 1, 0.3], pd={"kp": 100, "kd": 5, "target": [draw.between("target", -0.1, 0.1)]})
    add_far_balls(scene, draw)
    itself = draw.run(scene)
    other = draw.pick("planned in", [model for model in ("bsh", "exact") if model != draw.model.split()[0]])
    executed = {**scene, "contact": {**cases.CONTACT[other], "friction": 0.3}, "plant": {"contact": {**scene["contact"], "model": draw.model.split()[0]}}}
    executed["plant"]["contact"]["friction"] *= mutant.get("friction", 1)
    surface, draw.model = draw.model, " ".join([other, *draw.model.split()[1:]])
    path = draw.run(executed)
    draw.model = surface
    off = max(np.abs(path.position[name][-1] - itself.position[name][-1]).max() for name in itself.position)
    return [Finding("distance from the motion of the world itself", off, 0, 1e-12)]


def with_and_without(draw, motion, mutant):
    """What a kind of motion finds and its path, with two balls far away that meet, and so divide steps, and without."""
    speed, found = math.exp(draw.between("log of the speed of the balls", math.log(30), math.log(500))), []
    draw.defaults = False
    for far in (speed, 0.0):
        once, paths = copy.deepcopy(draw), []
        # The first draws of a kind have no restitution.
        once.far, once.number = far, 0

        def run(scene):
            paths.append(draw.run(scene))
            return paths[-1]

        once.run = run
        findings = motion(once, mutant if far else {})
        found.append((findings[0] if findings else None, paths[0], once))
    return found


def lying_beside(draw, mutant):
    """What lies and slides goes as far with a collision far away, which divides steps, as without."""
    motion = draw.pick("motion", [motion_kinds.slide, motion_kinds.slope_slip])
    (_, path, once), (_, lonely, _) = with_and_without(draw, motion, mutant)
    way, alone = (float(np.linalg.norm(p.position["body"][-1] - p.position["body"][0])) for p in (path, lonely))
    # Undivided steps are first order in their length: friction is an interval behind.
    return [Finding("way beside a collision far away", way, alone, 0.01 * alone + 0.6 * G * once.step**2)]


def rubbing_beside(draw, mutant):
    """What bounces and rubs loses as much of what the floor pushes with a collision far away, which divides steps, as without."""
    motion = draw.pick("motion", [dragged_kinds.pressed_slider, dragged_kinds.finger, dragged_kinds.chain_skid, motion_kinds.cone])
    (beside, _, _), (alone, _, _) = with_and_without(draw, motion, mutant)
    if not beside or not alone:
        return []
    # Friction of the last interval is still to come; where that is much nothing can be said.
    late = sum(finding.tolerance - 0.03 * finding.right for finding in (beside, alone))
    if late > 0.02 * alone.right:
        return []
    part = 0.015 if draw.integrator == "euler" else 0.03
    return [Finding("tangential over normal impulse beside a collision far away", beside.found, alone.found, part * alone.right + late)]


KINDS = {"lying beside": lying_beside, "rubbing beside": rubbing_beside, "topple": topple, "mirror": mirror, "plant": plant}
MUTANTS = {"lying beside": {"friction": 0.7}, "rubbing beside": {"friction": 0.93}, "topple": {"height": 2}, "mirror": {"aside": 0.01}, "plant": {"friction": 1.1}}
plant.models = rubbing_beside.models = [model for model in MODELS if model != "ipc-global"]  # whose pairs of triangles all cost
mirror.models = [model for model in MODELS if model != "ipc-global"]
