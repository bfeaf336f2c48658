# SPDX-License-Identifier: Apache-2.0
"""What simplification of collision meshes changes about contact forces.

    scripts/paper/simplified-forces [--publish] [--dcsim FILE]

Convex hulls of links of the arm in scenes/panda, as they are in the file and with fewer corners, lie above a cube of 0.2 m with a gap that is
the same for the hull of the file: the force between them by "dcsim probe" (bsh, 1e-6 J), beside that of the file's hull with edges of
at most 1 cm, which is the reference, as forces depend on how finely surfaces are divided, too.
"""
import os
import tempfile

import measuring

LINKS = ["link2", "link4", "hand"]
GAPS = [1e-4, 1e-3, 1e-2, 1e-1]
DEFAULT = {"hull_points": 64, "longest_edge": 0.04}
KINDS = [("the file's hull", {}), ("64 corners, edges of 4 cm (the default)", DEFAULT),
         ("32 corners, edges of 6 cm", {"hull_points": 32, "longest_edge": 0.06}), ("16 corners, edges of 4 cm", {"hull_points": 16, "longest_edge": 0.04})]
REFERENCE = {"longest_edge": 0.01}


def hull_of(link):
    """The shape of a link: the convex hull of its collision mesh."""
    folder = os.path.join(measuring.ROOT, "scenes", "panda", "meshes")
    found = [os.path.join(where, name) for where, _, names in os.walk(folder) for name in names if os.path.splitext(name)[0] == link]
    return {"type": "mesh", "file": sorted(found)[0], "convex": True}


def run(arguments, command, scene, folder):
    path = measuring.write_json(os.path.join(folder, "scene.json"), scene)
    return measuring.call(arguments, command, path, "--json", "--threads", "1", "--allow-path", "/")


def scene_of(hull, kind, height):
    return {"time": {"step": 0.01, "steps": 1}, "gravity": [0, 0, 0], "contact": {"model": "bsh", "stiffness": 1e-6},
            "shapes": {"link": dict(hull, **kind), "cube": {"type": "box", "size": [0.2, 0.2, 0.2], "divisions": [10, 10, 10]}},
            "bodies": [{"name": "cube", "joint": "fixed", "shape": "cube", "position": [0, 0, -0.1]},
                       {"name": "link", "shape": "link", "mass": 1, "position": [0, 0, height]}]}


def force(arguments, hull, kind, height, folder):
    vector = run(arguments, "probe", scene_of(hull, kind, height), folder)["bodies"]["link"]["force"]
    return sum(x * x for x in vector) ** 0.5


def lowest(arguments, hull, folder):
    """The height at which the hull of the file touches the cube, by bisection: what overlaps is refused."""
    low, high = 0.0, 1.0
    for _ in range(26):
        middle = 0.5 * (low + high)
        try:
            run(arguments, "probe", scene_of(hull, {}, middle), folder)
            high = middle
        except measuring.Failed:
            low = middle
    return high


def main():
    arguments = measuring.parse(measuring.options(__doc__, quick=False))
    lines = ["### Contact forces of simplified hulls", "",
             "By `scripts/paper/simplified-forces`: links of the arm in `scenes/panda` above a cube of 0.2 m, at gaps of the file's hull; bsh, 1e-6 J. In per cent the",
             "change of the force against that of the file's hull with edges of at most 1 cm. A simplified hull lies inside of the file's, so that its gap is larger, by at most the deviation.", "",
             "| link | hull | triangles | deviation, mm | " + " | ".join("gap %g mm" % (1e3 * gap) for gap in GAPS) + " |", "|---|---|---|---|" + "---|" * len(GAPS)]
    with tempfile.TemporaryDirectory() as folder:
        for link in LINKS:
            hull = hull_of(link)
            touch = lowest(arguments, hull, folder)
            exact = [force(arguments, hull, REFERENCE, touch + gap, folder) for gap in GAPS]
            lines.append("| %s | reference, N | | | %s |" % (link, " | ".join("%.3g" % x for x in exact)))
            for name, kind in KINDS:
                shape = run(arguments, "check", scene_of(hull, kind, touch + GAPS[-1]), folder)["shapes"]["link"]
                changes = [force(arguments, hull, kind, touch + gap, folder) / x - 1 for gap, x in zip(GAPS, exact)]
                lines.append("| %s | %s | %d | %.2g | %s |" % (link, name, shape["triangles"], 1e3 * shape["deviation"], " | ".join("%+.1f %%" % (100 * x) for x in changes)))
                print(lines[-1], flush=True)
    measuring.publish(arguments, "simplified", lines)


if __name__ == "__main__":
    main()
