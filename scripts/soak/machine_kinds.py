# SPDX-License-Identifier: Apache-2.0
"""Kinds of motions of simple machines: ladder, wedge, conveyor, driven pusher, pulleys, capstan, top; slides and bounces of any size."""
import math

import numpy as np

import shapes
from motions import G, MODELS, SHAPES, SMOOTHING, Finding, add, add_far_balls, add_floor, harden, rest_height, turns, velocity, world


def integrate(rate, state, time, count=4000):
    """The state after a time, by the rule of Runge and Kutta of fourth order."""
    h, y = time / count, np.array(state, dtype=float)
    for _ in range(count):
        a = rate(y)
        b = rate(y + 0.5 * h * a)
        c = rate(y + 0.5 * h * b)
        y = y + h / 6 * (a + 2 * b + 2 * c + rate(y + h * c))
    return y


# A ladder of length L and moment m k L^2 that leans at the angle a, its foot on the floor and its top at a wall, both of friction mu; N and W push, foot and top slide.
LADDER = 1 / 12


def ladder_pushes(angle, rate, length, mu):
    """a'', N/m and W/m of a ladder that slides: a linear system of three."""
    s, c, half = math.sin(angle), math.cos(angle), length / 2
    system = np.array([[-half * s, mu, -1], [half * c, -1, -mu], [LADDER * length**2, half * (c - mu * s), -half * (mu * c + s)]])
    return np.linalg.solve(system, [half * c * rate**2, half * s * rate**2 - G, 0])


def ladder(draw, mutant):
    """A ladder leans at a rough wall: beyond (1 - mu^2)/(2 mu) of its slope it stands, before it slides down as three equations say."""
    mu, length, mass = draw.between("mu", 0.15, 0.45), draw.between("length", 0.4, 2), draw.between("mass", 0.3, 5)
    stands = draw.pick("stands", [False, True])
    critical = (1 - mu * mu) / (2 * mu)
    angle = math.atan(critical * (1.35 if stands else 0.6))
    draw.step = min(draw.step, 0.004 * math.sqrt(length))
    thick, gap = 0.02 * length, 2e-3 * length
    total = 0.5 * math.sqrt(length)
    draw.steps = math.ceil(total / draw.step)
    other = mutant.get("friction", 1)
    scene = world(draw, [0, 0, -G], mu / other if stands else mu * other)
    harden(scene)
    add_floor(scene)
    add(scene, "wall", {"type": "box", "size": [0.2, 0.5 * length, 3 * length]}, joint="fixed", position=[-0.1, 0.01 * length, 1.5 * length])
    # The ladder is the face below; its mass lies there, too.
    moment = LADDER * mass * length**2
    turned = 0.5 * (math.pi - angle)  # about -y: the x axis of the box goes from the foot at the right to the top at the left
    below = np.array([-math.sin(angle), -math.cos(angle)])
    middle = np.array([0.5 * length * math.cos(angle), 0.5 * length * math.sin(angle)])
    centre = middle - 0.5 * thick * below + gap
    add(scene, "body", {"type": "box", "size": [length, 0.1 * length, thick]}, mass=mass, position=[centre[0], 0, centre[1]], rotation=[math.cos(turned), 0, -math.sin(turned), 0],
        center_of_mass=[0, 0, 0.5 * thick], inertia=[0.01 * moment, moment, moment, 0, 0, 0])
    add_far_balls(scene, draw)
    path = draw.run(scene)
    turned = np.concatenate([[0], np.cumsum(turns(path, "body")[0][:, 1] * path.length)])
    if stands:
        return [Finding("turn of a ladder that stands", turned[-1], 0, 0.01 + 3 * SMOOTHING * path.time[-1] / length + 3 * gap / length)]
    # It begins with a fall by the gap and a jolt: the motion from the middle on, as long as the wall pushes.
    half = int(np.searchsorted(path.time, 0.5 * path.time[-1]))
    near = slice(half - 4, half + 5)
    rate = np.polyfit(path.time[near], turned[near], 1)[0]
    state, at = np.array([angle + turned[half], rate]), half
    while at < len(path.time) - 1 and ladder_pushes(*state, length, mu)[2] > 0.2 * mu:
        span = path.time[at + 1] - path.time[at]
        state = integrate(lambda y: np.array([y[1], ladder_pushes(y[0], y[1], length, mu)[0]]), state, span, 4)
        at += 1
    fell = turned[half] - turned[at]
    right = angle + turned[half] - state[0]
    return [Finding("turn of a ladder that slides", fell, right, 0.03 * right + 1.5 * abs(state[1] - rate) * draw.step)] if at > half + 5 else []


def wedge_pushes(tilt, ratio, mu, lifted=0.0):
    """Accelerations over g of a wedge, and of what slides down along it: N/m, a and A of three equations; ratio: of the wedge's mass to the other's, lifted: the acceleration of the block away from the wedge.

    The equations are linear in the push, so that they hold for means over a time in which the block hops, too."""
    s, c = math.sin(tilt), math.cos(tilt)
    system = np.array([[s - mu * c, -c, 1], [c + mu * s, s, 0], [s - mu * c, 0, -ratio]])
    return np.linalg.solve(system, [s * lifted, 1 + c * lifted, 0])


def wedge(draw, mutant):
    """A block slides down a wedge that it pushes aside."""
    # Without friction other friction does not tell.
    mu = draw.between("mu", 0.2 if mutant else 0, 0.4)
    tilt = math.atan(mu + draw.between("excess", 0.2, 0.6))
    mass, ratio = draw.between("mass", 0.2, 2), math.exp(draw.between("log of the ratio", math.log(0.3), math.log(10)))
    # It starts as high as on a plane, and hops on the triangles of the wedge.
    draw.step = min(draw.step, 0.008)
    draw.steps = math.ceil(0.25 / draw.step)
    scene = world(draw, [0, 0, -G], mu * mutant.get("friction", 1))
    # On cells the soft barriers of ipc lean, and friction has the sizes of all their forces (docs/limits.md).
    hard = draw.model.startswith("ipc")
    if hard:
        harden(scene)
    shape, cells = SHAPES[draw.pick("shape", list(SHAPES))], draw.pick("cells", [1, 4])
    turn = [math.cos(tilt / 2), 0, math.sin(tilt / 2), 0]
    up = np.array([math.sin(tilt), 0, math.cos(tilt)])
    add(scene, "wedge", {"type": "box", "size": [1.6, 0.5, 0.1], "divisions": [2 * cells, cells, 1]}, mass=mass * ratio, position=[float(x) for x in -0.05 * up], rotation=turn, joint={"type": "slide", "axis": [1, 0, 0]})
    height = float(rest_height(draw, shape, mass, G * math.cos(tilt), hard))
    add(scene, "body", shape, mass=mass * mutant.get("mass", 1), position=[float(x) for x in height * up - [0.3 * math.cos(tilt), 0.01, -0.3 * math.sin(tilt)]], rotation=turn)
    add_far_balls(scene, draw)
    path = draw.run(scene)
    # Friction of the start is that of a height of rest on a plane: the speeds of the second half.
    half = int(np.searchsorted(path.time, 0.5 * path.time[-1]))
    time = path.time[-1] - path.time[half] + 0.5 * (path.length[half - 1] - path.length[-1])
    pushed = velocity(path, "wedge")[0] - velocity(path, "wedge", half)[0]
    apart = velocity(path, "body") - velocity(path, "body", half) - np.array([pushed, 0, 0])
    gained, lifted = apart @ [math.cos(tilt), 0, -math.sin(tilt)], apart @ up
    _, a, aside = wedge_pushes(tilt, ratio, mu, lifted / (G * time))
    # Friction may be an interval late where lengths change.
    late = mu * G * draw.step / time if draw.divided else 0
    return [Finding("acceleration along the wedge", gained / time, G * a, 0.03 * G * a + late), Finding("acceleration of the wedge", -pushed / time, G * aside, 0.03 * G * aside + late / ratio)]


def conveyor(draw, mutant):
    """What lies on a belt that goes on at a speed is carried along: it lags behind by v^2/(2 mu g), and then keeps its place."""
    mu, speed, mass = draw.between("mu", 0.15, 0.6), draw.between("speed", 0.5, 2), draw.between("mass", 0.2, 3)
    rubs = speed / (mu * G)
    draw.step = min(draw.step, 0.05 * rubs)
    draw.steps = math.ceil((1.4 * rubs + 0.1) / draw.step)
    scene = world(draw, [0, 0, -G], mu * mutant.get("friction", 1))
    shape, cells = SHAPES[draw.pick("shape", list(SHAPES))], draw.pick("cells", [1, 3])
    length = 2.5 * speed * draw.steps * draw.step + 1
    scene["shapes"]["belt"] = {"type": "box", "size": [length, 0.6, 0.1], "divisions": [cells, cells, 1]}
    scene["bodies"].append({"name": "belt", "shape": "belt", "mass": 50 * mass, "position": [0.013, 0.007, -0.05], "joint": {"type": "slide", "axis": [1, 0, 0]}, "joint_velocity": [speed],
                            "pd": {"kp": 0, "kd": 1e5 * mass, "target_velocity": [speed]}})
    # A body that starts inside the barrier of the belt is thrown, and has friction of that: it falls a little way.
    above = 5e-4
    add(scene, "body", shape, mass=mass, position=[0, 0, float(rest_height(draw, shape, mass, G)) + above])
    add_far_balls(scene, draw)
    path = draw.run(scene)
    if "inside the barrier" in path.said:
        draw.exempt = "starts inside the barrier of the belt, whose triangles hold it higher than a half-space, and has friction of what throws it"
        return []
    right = speed**2 / (2 * mu * G) + 0.5 * speed * math.sqrt(2 * above / G)
    lag = path.position["belt"][-1, 0] - path.position["belt"][0, 0] - path.position["body"][-1, 0]
    # Friction begins up to two steps after the start.
    return [Finding("way that it lags behind", lag, right, 0.03 * right + 2.2 * speed * draw.step + 0.5 * speed * math.sqrt(2 * above / G)), Finding("speed over the belt's", velocity(path, "body")[0] / speed, 1, 0.02 + 3 * SMOOTHING / speed)]


def pusher(draw, mutant):
    """A drive that only damps pushes a block along the floor, after bounces or none: both go on with its speed less mu m g over its gain."""
    mu, speed, mass, e = draw.between("mu", 0.1, 0.6), draw.between("speed", 0.1, 0.6), draw.between("mass", 0.2, 3), draw.pick("e", [None, 0.0, 0.3, 0.6])
    carriage, lag = draw.between("carriage", 0.5, 5), draw.between("lag", 0.1, 0.4)
    gain = mu * mass * G / (lag * speed)
    # Each time they part with e times the speed at which they meet, and friction brakes what goes ahead.
    bounces = 2 * (e or 0.0) * speed / (mu * G * (1 - (e or 0.0)))
    draw.steps = math.ceil((0.05 / speed + 2 * bounces + 6 * (carriage + mass) / gain + 0.3) / draw.step)
    scene = world(draw, [0, 0, -G], mu * mutant.get("friction", 1))
    if e is not None:
        scene["contact"]["restitution"] = e
    harden(scene)
    add_floor(scene)
    shape = SHAPES[draw.pick("shape", list(SHAPES))]
    half = [size / 2 for size in shape["size"]]
    add(scene, "plate", {"type": "box", "size": [0.04, 0.3, 1.6 * half[2]]}, mass=carriage, position=[-half[0] - 0.04, 0, half[2]], joint={"type": "slide", "axis": [1, 0, 0]}, joint_velocity=[speed],
        pd={"kp": 0, "kd": gain, "target_velocity": [speed]})
    # The floor alone has friction: the plate pushes at half of the height.
    add(scene, "body", shape, mass=mass, position=[0, 0, float(rest_height(draw, shape, mass, G, hard=True))], friction_with=[{"body": "plate", "friction": 0}])
    add_far_balls(scene, draw)
    path = draw.run(scene)
    late = np.searchsorted(path.time, path.time[-1] - 0.15)
    found = [(path.position[name][-1, 0] - path.position[name][late, 0]) / (path.time[-1] - path.time[late]) for name in ("plate", "body")]
    return [Finding("part of the speed that the drive lacks", 1 - found[0] / speed, lag, 0.03 * lag + 0.004), Finding("speed over the plate's", found[1] / found[0], 1, 0.02)]


def weight(scene, name, mass, place, **rest):
    scene["bodies"].append({"name": name, "mass": mass, "inertia": [1e-3 * mass] * 3 + [0, 0, 0], "position": place, **rest})


def pulley(draw, mutant):
    """Two weights on a cable over a pulley, or one in the bight of a tackle: their accelerations."""
    masses = [draw.between("first", 0.3, 3), draw.between("second", 0.3, 3)]
    tackle = draw.pick("tackle", [False, True])
    draw.step = min(draw.step, 0.01)
    total = 0.4
    draw.steps = math.ceil(total / draw.step)
    scene = world(draw, [0, 0, -G], 0)
    # Rails keep the weights from swinging.
    slide = {"joint": {"type": "slide", "axis": [0, 0, 1]}}
    weight(scene, "first", masses[0] * mutant.get("mass", 1), [0, 0, 0], **slide)
    weight(scene, "second", masses[1], [0.3, 0, 0], **slide)
    stiffness = 2e4 * sum(masses)
    for name, x in zip(["left", "right"], [-0.01, 0.01] if tackle else [0.0, 0.3]):
        scene["bodies"].append({"name": name, "joint": "fixed", "position": [x, 0, 1.5]})
    through = ["left", "first", "right"] if tackle else ["first", "left", "right", "second"]
    if tackle:
        scene["bodies"].append({"name": "over", "joint": "fixed", "position": [0.3, 0, 1.5]})
        through += ["over", "second"]
    scene["bodies"].append({"name": "cable", "cable": {"through": through, "stiffness": stiffness, "smoothing": 1e-6}})
    add_far_balls(scene, draw)
    path = draw.run(scene)
    m, n = masses
    parts = 2 if tackle else 1
    # parts z_1 + z_2 stays, and the equations m a_1 = parts T - m g and n a_2 = T - n g.
    tension = (parts + 1) * G / (parts * parts / m + 1 / n)
    right = [parts * tension / m - G, tension / n - G]
    t = path.time[-1]
    found = [2 * (path.position[name][-1, 2] - path.position[name][0, 2]) / (t * t) for name in ("first", "second")]
    # The cable begins without tension, and gives by its stretch; Euler's steps are h/t ahead.
    give = 2 * 2 * parts * tension / stiffness / (t * t)
    return [Finding(f"acceleration of the {name} weight", f, r, 0.01 * abs(r) + give + 0.002 * G + 1.2 * abs(r) * draw.step / t) for name, f, r in zip(("first", "second"), found, right)]


def about(vector, angle):
    return [float(x) for x in shapes.quaternion_of(np.array(vector) / np.linalg.norm(vector), angle)]


def quaternion_rate(q, w):
    """q' of a turn by w in the axes of the body."""
    a, b, c, d = q
    return 0.5 * np.array([-b * w[0] - c * w[1] - d * w[2], a * w[0] + c * w[2] - d * w[1], a * w[1] + d * w[0] - b * w[2], a * w[2] + b * w[1] - c * w[0]])


def top_after(inertia, torque_arm, start, time):
    """Quaternion of a body about a fixed point by Euler's equations, and its largest rate; torque_arm: mass times the centre's place times gravity, in the axes of the body."""
    def rate(y):
        q, w = y[:4], y[4:]
        down = shapes.matrix(q).T @ [0, 0, -1]
        torque = np.cross(torque_arm, down)
        return np.concatenate([quaternion_rate(q, w), (torque - np.cross(w, inertia * w)) / inertia])

    state, largest, parts = np.array(start, dtype=float), 0.0, 60
    for _ in range(parts):
        largest = max(largest, np.linalg.norm(state[4:]))
        state = integrate(rate, state, time / parts, 100)
    return state[:4], max(largest, np.linalg.norm(state[4:]))


def top(draw, mutant):
    """A polyhedron spins about a ball joint below its centre, or free about its centre, any axis: where Euler's equations turn it, to the known order in h (two steps)."""
    draw.far = 0.0
    heavy, size = draw.pick("heavy", [False, True]), SHAPES[draw.pick("shape", ["plate", "brick"])]["size"]
    mass, spin = draw.between("mass", 0.2, 3), draw.between("spin", 10, 60)
    w = np.array([draw.between("x", -0.2, 0.2) * spin, draw.between("y", -0.2, 0.2) * spin, spin])
    if not heavy:
        w = 0.3 * spin * np.array([draw.between(f"axis{k}", -1, 1) for k in range(3)])
    lean, arm = draw.between("lean", 0.1, 1.0), draw.between("arm", 0.05, 0.12) if heavy else 0.0
    about_centre = mass * np.array([size[1]**2 + size[2]**2, size[0]**2 + size[2]**2, size[0]**2 + size[1]**2]) / 12
    inertia = about_centre + mass * arm * arm * np.array([1, 1, 0])
    tilt = about([0.3, 1, 0], lean)
    turn = shapes.matrix(np.array(tilt))
    rate, second = np.linalg.norm(w), draw.integrator != "euler"
    total = min(0.4, 6 / rate)
    first = min(draw.step, 0.12 / rate if second else 0.01 / rate)
    count = math.ceil(total / first)
    first = total / count
    right, fastest = top_after(inertia, mass * G * np.array([0, 0, arm]), [*tilt, *w], total)
    off, vectors = [], []
    for part in (1, 2):
        draw.step, draw.steps = first / part, count * part
        scene = world(draw, [0, 0, -G * mutant.get("gravity", 1) if heavy else 0], 0)
        joint = {"joint": {"type": "ball", "anchor": [0, 0, 0]}, "joint_velocity": [float(x) for x in w * mutant.get("rate", 1)]} if heavy else {"angular_velocity": [float(x) for x in turn @ w * mutant.get("rate", 1)]}
        add(scene, "body", {"type": "box", "size": size}, mass=mass, position=[float(x) for x in turn @ [0, 0, arm]], rotation=tilt, **joint)
        path = draw.run(scene)
        # The vector of the turn from where it should be.
        q = path.rotation["body"][-1]
        w0, x0, y0, z0 = right
        turn_off = np.array([[-x0, w0, z0, -y0], [-y0, -z0, w0, x0], [-z0, y0, -x0, w0]]) @ q * math.copysign(2, q @ right)
        vectors.append(turn_off)
        off.append(2 * math.asin(min(1.0, 0.5 * np.linalg.norm(turn_off))))
    # Steps are off by the turn in one of them; a heavy body turns faster as it falls.
    bound = fastest * total * (fastest * first) * (3.0 if not second else fastest * first)
    limit = 2 * vectors[1] - vectors[0] if not second else (4 * vectors[1] - vectors[0]) / 3
    findings = [Finding("angle from where Euler's equations turn it", off[0], 0, bound + 1e-6),
                Finding("that angle as two steps tell it", np.linalg.norm(limit), 0, 0.5 * bound * bound + 1e-5)]
    if off[0] > 1e-4:
        findings.append(Finding("order in h", math.log2(off[0] / max(off[1], 1e-12)), 2 if second else 1, 0.4))
    return findings


def sized_slide(draw, mutant):
    """A body of 1 mm to 10 m and of any weight slides to rest under defaults: v^2/(2 mu g)."""
    draw.defaults, draw.far = True, 0.0
    scale, density, mu = 10 ** draw.between("decades", -2, 2), 10 ** draw.between("density", 2, 4), draw.between("mu", 0.1, 0.6)
    size = [scale * edge for edge in SHAPES[draw.pick("shape", list(SHAPES))]["size"]]
    way = draw.between("way", 0.5, 3) * size[0]
    speed = math.sqrt(2 * mu * G * way)
    draw.step = 0.004 * math.sqrt(scale) * math.exp(draw.between("pace", -0.7, 0.7))
    draw.steps = math.ceil((1.3 * speed / (mu * G) + 0.2 * math.sqrt(scale)) / draw.step) + 3
    scene = world(draw, [0, 0, -G], mu * mutant.get("friction", 1))
    add_floor(scene)
    add(scene, "body", {"type": "box", "size": size}, density=density, position=[0, 0, size[2] / 2 * 1.002], velocity=[speed, 0, 0])
    path = draw.run(scene)
    moved = path.position["body"][-1, 0] - path.position["body"][0, 0]
    return [Finding("stopping distance over the size", moved / size[0], way / size[0], (0.03 * way + 1.2 * speed * draw.step) / size[0]), Finding("height over the size", path.position["body"][-1, 2] / size[2], 0.5, 0.006 * max(size) / size[2])]


def sized_bounce(draw, mutant):
    """A body of 1 mm to 10 m and of any weight is thrown flat on the floor under defaults: it parts with e times its speed and loses mu times what the floor pushes."""
    draw.defaults, draw.far = True, 0.0
    scale, density, mu = 10 ** draw.between("decades", -2, 2), 10 ** draw.between("density", 2, 4), draw.between("mu", 0.1, 0.5)
    size, e = [scale * edge for edge in SHAPES[draw.pick("shape", list(SHAPES))]["size"]], draw.pick("e", [0.0, 0.3, 0.6, 0.9])
    speed = math.sqrt(2 * G * scale * draw.between("drops", 0.1, 1))
    draw.step = 0.004 * math.sqrt(scale) * math.exp(draw.between("pace", -0.7, 0.7))
    gap = max(0.05 * scale, 3 * speed * draw.step)
    draw.steps = math.ceil(gap / (speed * draw.step)) + math.ceil(gap / (max(e, 0.3) * speed * draw.step)) + 5
    along = 4 * speed
    scene = world(draw, [0, 0, 0], mu * mutant.get("friction", 1))
    scene["contact"]["restitution"] = e * mutant.get("restitution", 1)
    add_floor(scene)
    # On slides: what is braked in front tips over.
    joint = [{"type": "slide", "axis": [1, 0, 0]}, {"type": "slide", "axis": [0, 0, 1]}]
    add(scene, "body", {"type": "box", "size": size}, density=density, position=[0, 0, size[2] / 2 + gap], joint=joint, joint_velocity=[along, -speed])
    path = draw.run(scene)
    end = velocity(path, "body")
    lost = (along - end[0]) / (mu * (speed + end[2]))
    return [Finding("speed of parting over that of meeting", end[2] / speed, e, 0.05), Finding("tangential impulse over friction times the normal one", lost, 1, 0.03)]


KINDS = {"ladder": ladder, "wedge": wedge, "conveyor": conveyor, "pusher": pusher, "pulley": pulley, "top": top, "sized slide": sized_slide, "sized bounce": sized_bounce}
MUTANTS = {"ladder": {"friction": 2.2}, "wedge": {"friction": 0.5}, "conveyor": {"friction": 1.8}, "pusher": {"friction": 1.2}, "pulley": {"mass": 1.3}, "top": {"rate": 1.1}, "sized slide": {"friction": 1.35}, "sized bounce": {"friction": 0.9}}
# No contact: models do not differ.
pulley.models = top.models = ["bsh"]
ladder.models = wedge.models = conveyor.models = pusher.models = [model for model in MODELS if model != "ipc-global"]
