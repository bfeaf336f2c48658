#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Contact manifolds (paper 001): writes docs/measured/manifold.md.

    scripts/paper/manifold [--build build] [--output docs/measured/manifold.md]

Times are those of dcsim bench manifold, figures of accuracy those that the unit tests print (make check builds them in BUILD/tests).
"""
import argparse
import json
import os
import re
import subprocess

TESTS = "tests/bench/test_face_point", "tests/contact/test_manifold_kernels", "tests/contact/test_manifold"
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def output_of(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True, env=dict(os.environ, OMP_NUM_THREADS="1")).stdout


def verdict(text, value, bar, unit=""):
    return f"| {text} | {value:.3g}{unit} | {bar:g}{unit} | {'yes' if value <= bar else 'no'} |"


def largest(pattern, text):
    return max(float(number) for number in re.findall(pattern, text))


def boxes_on_boxes(cases):
    """Experiment 1."""
    rows, vertices = cases["box_edges"], cases["box_vertices"]
    lines = [f"Boxes on boxes (experiment 1; superquadrics of exponents 0.1, cubes inscribed, 144 pairs of edges, 2 % deep, {rows[0]['poses']} random yaws and offsets). Crossings are the contacts of edges that cross seen along z, active those of an activity of 0.1 or more.", "",
             "| softness | crossings | least activity | missed | active ones that do not cross | poses with exactly the crossings active | normals: median | 90 % | largest | within 1 deg |", "|---|---|---|---|---|---|---|---|---|---|"]
    for row in rows:
        lines.append(f"| {row['softness']:g} | {row['crossings']} | {row['least_activity']:.3g} | {row['missed']} | {row['extra']} | {row['same_poses']} | {row['median_angle']:.2g} deg | {row['angle_of_90_percent']:.2g} deg | {row['largest_angle']:.2g} deg | {100 * row['within_one_degree']:.0f} % |")
    best = rows[-1]
    lines += ["", f"*All crossings active:* {'yes' if all(row['missed'] == 0 for row in rows if row['softness'] <= 0.02) else 'no'}, at softness 0.02 and below. *Only they:* {'yes' if best['extra'] == 0 else 'no'}: upright edges whose ends are inside of the other box next to one of its edges count, too, with normals along the ground. "
              f"*All normals within 1 degree:* {'yes' if best['within_one_degree'] == 1 else 'no'}; at softness {best['softness']:g} {100 * best['within_one_degree']:.0f} % of them are, the others are next to a corner, where clipping moves the point along its edge.", "",
              f"Vertices (lattice of 98 on the upper cube, one-sided): {vertices['inside']} inside of the lower cube, {vertices['active']} of negative distance, {vertices['differ']} differ, all within {vertices['differ_within']:.2g} of its faces (the superquadric is rounder than the cube). "
              f"Normals of the {vertices['away']} active ones 0.1 or more from its upright faces are within {vertices['largest_angle_away']:.2g} deg, of the others within {vertices['largest_angle_near']:.0f} deg."]
    return lines


def parallel_edges(cases):
    """Experiment 2."""
    lines = ["An edge turns past a parallel one at a distance of 1.2 of its length (experiment 2), steps of 1e-4 rad over half a turn:", "",
             "| softness | lambda | largest step of the nearest point, of the edge | derivative by the angle beside differences |", "|---|---|---|---|"]
    for row in cases["parallel"]:
        known = f"{row['derivative_error']:.2g}" if row["softness"] > 1e-6 else "-"
        lines.append(f"| {row['softness']:.2g} | {row['regularization']:g} | {row['largest_step']:.3g} | {known} |")
    return lines


def clipped_polygons(bench, cases):
    """Experiment 4, times and jumps."""
    rows = [row for row in bench["figures"] if not row["options"]]
    full, jumps = rows[-1], cases["jumps"]
    lines = ["The same figures as one convex hull of at most 31 vertices for each superquadric (experiment 4; the paper compares with MJX, compiled and vectorized by JAX): GJK and EPA between two hulls, the nearest faces clipped, four points of the polygon; written plainly, one pair of hulls after the other, at the same 100 random poses. *Near:* only pairs of hulls whose balls meet.", "",
             "| superquadrics | smooth: ms | with gradient | pairs of hulls | contacts | ms | near: contacts | ms |", "|---|---|---|---|---|---|---|---|"]
    lines += [f"| {row['superquadrics']} | {1e3 * row['seconds']:.3f} | {1e3 * row['seconds_with_gradient']:.3f} | {row['superquadrics'] ** 2} | {row['contacts_of_hulls']} | {1e3 * row['seconds_of_hulls']:.3f} | {row['contacts_of_near_hulls']} | {1e3 * row['seconds_of_near_hulls']:.3f} |" for row in rows]
    ratio = full["seconds"] / full["seconds_of_hulls"]
    ratio_near = full["seconds"] / full["seconds_of_near_hulls"]
    faster, faster_near, orders = ("yes" if holds else "no" for holds in (ratio < 1, ratio_near < 1, ratio < 0.1))
    lines += ["", f"*Faster than clipped polygons:* than all pairs of hulls {faster}, than those that are near {faster_near}; by orders of magnitude (the paper, beside MJX) {orders}. "
              "On one core and without vectors of poses, where branches cost little, "
              f"the smooth manifold of 18 takes {ratio:.2g} times as long as all {full['superquadrics'] ** 2} pairs of hulls and {ratio_near:.2g} times as long as those that are near. It has gradients.", "",
              f"*Jumps.* Largest change in a step, over motions of {jumps[0]['steps']} and of {4 * jumps[0]['steps']} steps (medians): boxes on boxes that rock by 0.1 rad and yaw by 0.3, figures of 18 superquadrics that move by 20 mm and 0.06 rad. Force: sum of activity x depth x normal, over the largest on the way; centre: mean of the points with these weights. What is smooth on the scale of the steps changes a quarter as much in steps a quarter as long.", "",
              "| bodies | contacts | motions | force | in quarter steps | centre, m | in quarter steps |", "|---|---|---|---|---|---|---|"]
    lines += [f"| {row['bodies']} | {row['method']} | {row['paths']} | {row['force']:.2g} | {row['force_of_quarter_steps']:.2g} | {row['centre']:.2g} | {row['centre_of_quarter_steps']:.2g} |" for row in jumps]
    return lines


def nearest_points(bench):
    """Experiment 3."""
    lines = ["Nearest points (experiment 3), pairs drawn from the unit cube, ns a pair where so many are computed at a time. Lanes compute eight at least. Faces (a vertex and a triangle) are a baseline: in manifolds vertices meet signed distances.", "",
             "| pairs | method | " + " | ".join(f"{count:.0e}".replace("e+0", "e") if count > 100 else f"{count:.0f}" for count in bench["pairs"]) + " | iterations | failed |", "|---|---|" + "---|" * (len(bench["pairs"]) + 2)]
    for kind in "edges", "faces":
        for row in bench[kind]:
            iterations = f"{row['iterations']:.1f} | {row['failures']:.0f}" if row["iterations"] > 0 else "- | -"
            lines.append(f"| {kind} | {row['method']} | " + " | ".join(f"{value:.0f}" for value in row["nanoseconds"]) + f" | {iterations} |")
    return lines


def nearest_faces(build):
    text = output_of(os.path.join(build, TESTS[0]))
    hard = largest(r"softness 1e-15 within ([\d.e-]+)", text)
    return f"at softness 1e-15 {hard:.2g} from the exact point of 1e5 pairs, derivatives within {largest(r'faces: derivatives within ([0-9.e-]+)', text):.2g} of differences"


def page(build):
    lacking = [name for name in TESTS if not os.access(os.path.join(build, name), os.X_OK)]
    if lacking:
        raise SystemExit(f"{os.path.join(build, lacking[0])}: no such program; make -C {build} check TESTS= builds it")
    bench = json.loads(output_of(os.path.join(build, "dcsim"), "bench", "manifold", "--json"))
    kernels = output_of(os.path.join(build, TESTS[1]))
    whole = output_of(os.path.join(build, TESTS[2]))
    at = bench["pairs"].index(10000)
    ns, faces = ({row["method"]: row["nanoseconds"][at] for row in bench[kind]} for kind in ("edges", "faces"))
    full = next(row for row in bench["figures"] if row["superquadrics"] == 18 and not row["options"])
    cases = json.loads(output_of(os.path.join(build, "dcsim"), "bench", "manifold-cases", "--json"))
    boxes = next(row for row in cases["box_edges"] if row["softness"] == 0.005)
    smooth = next(row for row in cases["parallel"] if row["softness"] == 0.1)
    lines = ["## Contact manifolds (paper 001)", "",
             "By `scripts/paper/manifold`: processor time on one core, medians; while others use the machine times are up to twice what they are alone.", "",
             *nearest_points(bench), "",
             f"*Beside the interior point method:* edges {ns['interior point'] / ns['smoothed, in lanes']:.0f} times as fast in lanes, faces {faces['interior point'] / faces['smoothed, one by one']:.1f} times, one by one (softness 0.02; {nearest_faces(build)})."]
    lines += ["", "| superquadrics | options | contacts of vertices | of edges | ms | ms with gradient |", "|---|---|---|---|---|---|"]
    lines += [f"| {row['superquadrics']} | {row['options'] or '-'} | {row['vertex_contacts']} | {row['edge_contacts']} | {1e3 * row['seconds']:.3f} | {1e3 * row['seconds_with_gradient']:.3f} |" for row in bench["figures"]]
    lines += ["", "| what | measured | bar | met |", "|---|---|---|---|",
              verdict("hard limit of nearest points, largest error of 1e5 pairs", largest(r"hard limit within ([\d.e-]+)", kernels), 1e-8),
              verdict("derivatives by poses, relative, three sizes", largest(r"derivatives by poses within ([\d.e-]+)", whole), 1e-6),
              verdict("derivatives by shapes", largest(r"by shapes within ([\d.e-]+)", whole), 1e-6),
              verdict("edges that become parallel, step of the point per 1e-4 rad", smooth["largest_step"], 2e-2), verdict("their derivative by the angle", smooth["derivative_error"], 1e-6),
              f"| boxes: least activity of a crossing | {boxes['least_activity']:.3g} | at least 0.1 | {'yes' if boxes['least_activity'] >= 0.1 else 'no'} |",
              verdict("boxes: normals, 90 %", boxes["angle_of_90_percent"], 3, " deg"), verdict("boxes: activity of other pairs, median", boxes["other_activity"], 0.12),
              verdict("pair of edges", ns["smoothed, in lanes"], 50, " ns"), verdict("with derivative", ns["smoothed, with derivative"], 150, " ns"),
              verdict("two figures", 1e3 * full["seconds"], 1, " ms"), verdict("with gradient", 1e3 * full["seconds_with_gradient"], 3, " ms"),
              f"| faster than the interior point method | {ns['interior point'] / ns['smoothed, in lanes']:.1f} times | 10 times | {'yes' if ns['interior point'] >= 10 * ns['smoothed, in lanes'] else 'no'} |", "",
              *clipped_polygons(bench, cases), "", *boxes_on_boxes(cases), "", *parallel_edges(cases), "",
              "A manifold is one thread's work, so that the number of threads cannot change its bits."]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=os.path.join(ROOT, "build"))
    parser.add_argument("--output", default=os.path.join(ROOT, "docs", "measured", "manifold.md"))
    arguments = parser.parse_args()
    text = page(arguments.build)
    with open(arguments.output, "w", encoding="utf-8") as file:
        file.write(text)


if __name__ == "__main__":
    main()
