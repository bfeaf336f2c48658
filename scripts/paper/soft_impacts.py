#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How many drawn soft balls bounce at 5 ms as they do at 1 ms.

    scripts/paper/soft-impacts [--draws N] [--seed S] [--quick] [--dcsim FILE] [--output DIR] [--publish]

Balls of 2 to 20 cm, 1e4 to 1e6 Pa (both even in the logarithm) and 500 to 2000 kg/m^3, 4 cells across, fall with 0.5 to
3 m/s on a half-space or the face of a box.  The ratio of speeds after and before the bounce is that of soft_bounces.py.
The landing is at a drawn part of a step.
"""
import math
import os
import random

import measuring
import soft_bounces
from measure import wilson

COARSE, FINE, WITHIN, SECOND = 0.005, 0.001, 0.05, "second_order"


def draw(generator):
    return {"size": 0.02 * 10 ** generator.random(), "young": 10 ** generator.uniform(4, 6), "density": generator.uniform(500, 2000), "speed": generator.uniform(0.5, 3), "floor": generator.choice(soft_bounces.FLOORS), "part": generator.random()}


def contact_time(ball):
    """Hertz: s."""
    sound = math.sqrt(ball["young"] / 0.91 / ball["density"])
    return 5.08 * ball["size"] / 2 / sound * (sound / ball["speed"]) ** 0.2


def scene(ball, step):
    """It begins two to three steps of 5 ms above the floor, and ends four contact times after that."""
    radius, way = ball["size"] / 2, (2 + ball["part"]) * COARSE * ball["speed"] + 0.002
    world = soft_bounces.scene(ball["young"], step, SECOND, ball["floor"])
    body = world["bodies"][0]
    body.update(density=ball["density"], position=[0, 0, radius + way], velocity=[0, 0, -ball["speed"]])
    body["soft"]["size"] = [ball["size"]] * 3
    seconds = way / ball["speed"] + 4 * contact_time(ball)
    world["time"]["steps"] = math.ceil(math.ceil(seconds / COARSE) * COARSE / step - 1e-9)
    return world


def bounce(arguments, name, ball, step):
    """Speed after over speed before; None: the run fails."""
    name = f"soft_impact-{name}-{step:g}"
    path = measuring.write_json(os.path.join(arguments.output, name + ".json"), scene(ball, step))
    try:
        measuring.kept_run(arguments, name, "simulate", path)
    except measuring.Failed:
        return None
    heights = [float(row["ball.z [m]"]) for row in measuring.motion(arguments, os.path.join(arguments.output, name))]
    gravity, radius = soft_bounces.GRAVITY, ball["size"] / 2
    lowest = heights.index(min(heights))
    after = zip(heights[lowest:], heights[lowest + 1:])
    most = max(((to - at) / step) ** 2 / 2 + gravity * ((at + to) / 2 - radius) for at, to in after)
    return math.sqrt(max(0, most) / (ball["speed"] ** 2 / 2 + gravity * (heights[0] - radius)))


def main():
    parser = measuring.options(__doc__)
    parser.add_argument("--draws", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    arguments = measuring.parse(parser)
    lines, near, apart, count = [], 0, [], 3 if arguments.quick else arguments.draws
    for number in range(count):
        ball = draw(random.Random(f"{arguments.seed} {number}"))
        coarse, fine = (bounce(arguments, f"{arguments.seed}-{number}", ball, step) for step in (COARSE, FINE))
        told = f"| {number} | {ball['floor']} | {100 * ball['size']:.1f} | {ball['young']:.2g} | {ball['density']:.0f} | {ball['speed']:.2f} | {1e3 * contact_time(ball):.1f} | "
        if coarse is None or fine is None:
            lines.append(told + "ends with an error | | |")
            continue
        off = coarse / fine - 1
        apart.append(off)
        near += abs(off) <= WITHIN
        lines.append(told + f"{coarse:.3f} | {fine:.3f} | {off:+.1%} |")
    low, high = wilson(near, count)
    square = math.sqrt(sum(off * off for off in apart) / max(1, len(apart)))
    head = ["### Bounce of drawn soft balls", "",
            f"By `scripts/paper/soft-impacts --draws {count} --seed {arguments.seed}`, second order: **{near} of {count} come back at 5 ms within 5 % of their speed at 1 ms** (95 % interval {low:.0f} to {high:.0f} %); off by {square:.1%} (root mean square), {max(map(abs, apart), default=0):.1%} at most. Contact time: of Hertz.", "",
            "| draw | floor | size, cm | Young's modulus, Pa | density, kg/m^3 | speed, m/s | contact time, ms | 5 ms | 1 ms | 5 ms beside 1 ms |", "|---" * 10 + "|"]
    measuring.show(arguments, "soft_impacts", head + lines)


if __name__ == "__main__":
    main()
