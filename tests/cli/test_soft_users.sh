#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Soft bodies as users bring them: flat, doubled, unjoined and inverted elements, lengths in micrometres and kilometres,
# materials from the softest to the stiffest, starts that touch.  Each acts, or is refused with place, rule and remedy.
. "$DCSIM_SOURCE/tests/cli/harness.sh"
have_python || { echo "1..0 # SKIP no python3"; exit 0; }

cat >users.py <<'END'
import itertools, json
def grid(scale=1, shift=0, cells=2):
    places, elements = {}, []
    for cell in itertools.product(range(cells), repeat=3):
        for order in itertools.permutations(range(3)):
            at, way = list(cell), [cell]
            for axis in order:
                at[axis] += 1
                way.append(tuple(at))
            nodes = [places.setdefault(place, len(places)) for place in way]
            if order not in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
                nodes[2:] = nodes[:1:-1]
            elements.append(nodes)
    return [[(x - cells / 2) * 0.05 * scale + (shift if k == 0 else 0) for k, x in enumerate(p)] for p in places], elements
def two(shift):
    (a, elements), (b, more) = grid(), grid(shift=shift)
    return a + b, elements + [[n + len(a) for n in nodes] for nodes in more]
def write(name, places, elements, z=0.06, **changes):
    with open(name + ".mesh", "w") as file:
        file.write("MeshVersionFormatted 2\nDimension 3\nVertices\n%d\n" % len(places))
        file.writelines("%r %r %r 0\n" % tuple(place) for place in places)
        file.write("Tetrahedra\n%d\n" % len(elements))
        file.writelines(" ".join(str(n + 1) for n in nodes) + " 0\n" for nodes in elements)
        file.write("End\n")
    scene(name, {"file": name + ".mesh"}, z, **changes)
def scene(name, soft, z=0.06, others=(), **changes):
    body = {"name": "b", "soft": dict({"young": 2e4}, **soft), "density": 1000, "position": [0, 0, z], **changes}
    json.dump({"time": {"step": 0.01, "steps": 8}, "gravity": [0, 0, -9.81], "contact": {"friction": 0.5},
               "shapes": {"ground": {"type": "plane"}, "box": {"type": "box", "size": [0.05, 0.05, 0.05]}, "shell": {"type": "mesh", "file": "shell.obj", "surface": "mesh"}},
               "bodies": [{"name": "ground", "joint": "fixed", "shape": "ground"}, body, *others]}, open(name + ".json", "w"), indent=0)
places, elements = grid()
write("negative", places, [[a, b, d, c] for a, b, c, d in elements])
write("one_negative", places, [[a, b, d, c] if e == 3 else [a, b, c, d] for e, (a, b, c, d) in enumerate(elements)])
write("twice", places, elements + elements[:1])
write("corner", places, elements + [[0, 1, 1, 2]])
write("sliver", [[x + (y - x) * 0.99999 for x, y in zip(places[0], places[1])]] + places[1:], elements)
write("doubled", *two(0.1))
write("crossing", *two(0.05))
write("apart", *two(0.3))
write("micro", *grid(1e-6), z=5.1e-8)
write("kilo", *grid(1e3), z=60)
GRID = {"size": [0.1, 0.1, 0.1], "cells": [2, 2, 2]}
for name, more in (("softest", {"young": 1e2}), ("stiffest", {"young": 1e10}), ("full", {"poisson": 0.4999}), ("auxetic", {"poisson": -0.9}),
                   ("corotated", {"poisson": -0.9, "material": "corotated"}), ("pinned", {"pins": [{"low": [-1, -1, -1], "high": [1, 1, 1]}]})):
    scene(name, dict(GRID, **more))
scene("light", GRID, density=1e-6)
scene("heavy", GRID, density=1e6)
scene("standing", GRID, z=0.05)
scene("sunk", GRID, z=0.04)
def other(x, soft=GRID):
    return {"name": "c", "soft": dict({"young": 2e4}, **soft), "density": 1000, "position": [x, 0, 0.06]}
scene("touching", GRID, others=[other(0.1)])
scene("close", GRID, others=[other(0.1 + 1e-9)])
scene("inside", GRID, others=[other(0, {"size": [0.02, 0.02, 0.02], "cells": [1, 1, 1]})])
scene("filled", GRID, others=[{"name": "r", "shape": "box", "mass": 0.1, "position": [0, 0, 0.06]}])
def cube(l):
    return ["v %g %g %g\n" % p for p in itertools.product((-l, l), repeat=3)]
FACES = [(1, 2, 4), (1, 4, 3), (5, 7, 8), (5, 8, 6), (1, 5, 6), (1, 6, 2), (3, 4, 8), (3, 8, 7), (1, 3, 7), (1, 7, 5), (2, 6, 8), (2, 8, 4)]
with open("shell.obj", "w") as file:
    file.writelines(cube(0.15) + cube(0.1) + ["f %d %d %d\n" % t for t in FACES] + ["f %d %d %d\n" % tuple(8 + n for n in t[::-1]) for t in FACES])
scene("shelled", GRID, z=0.2, others=[{"name": "s", "shape": "shell", "mass": 5, "position": [0, 0, 0.2]}])
END
check "scenes are written" "$interpreter" users.py

refuses() { # scene, rule
  run 3 simulate "$1.json" -o none
  says "$2"
  says "dcsim: $1.json:"
}
refuses one_negative "element 3 is inverted"
refuses twice "are a face of more than two elements"
refuses corner "element 48 is degenerate: it has no volume"
refuses auxetic 'soft.poisson: must be >= -0.35 with the material "neo_hookean" (is -0.9)'
refuses standing 'bodies "b" and "ground" touch at the start; contact begins at a gap'
refuses sunk 'bodies "b" and "ground" overlap at the start, by 0.01 m'
for case in touching inside; do
  refuses $case 'bodies "b" and "c" touch or overlap at the start; contact begins at a gap: move them apart'
done
refuses filled 'bodies "b" and "r" touch or overlap at the start'
# jelly that is crushed in a step of second order is thrown apart by what that leaves, however short the next intervals are
run 4 simulate light.json -o none --threads 1 --set 'time={"step": 0.01, "steps": 20, "integrator": "second_order"}' --set bodies.b.density=1000 --set 'bodies.b.velocity=[0, 0, -100]'
says 'radii of their body far in a step (second_order); remedy: a shorter time.step, or "integrator": "euler"'
for case in doubled crossing; do
  run 3 simulate $case.json -o none
  says "bodies[1].soft: parts of its surface touch or cross at rest (nodes that lie on each other must be one"
done

for case in negative apart micro kilo softest stiffest full corotated pinned light heavy close shelled; do
  for integrator in euler second_order; do
    run 0 simulate $case.json -o none --json --set "time.integrator=\"$integrator\""
    holds "$case acts under $integrator" "$out" 'd["unconverged_steps"] == 0 and d["min_gap"] > 0'
  done
done

run 0 check sliver.json
check "a sliver is told" grep -q 'is flat: .* of its longest edge high.*remedy: a mesh without slivers' "$out"
run 0 check kilo.json
check "and no other element" sh -c "! grep -q 'is flat' '$out'"

finish
