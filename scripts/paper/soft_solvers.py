#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Iterative methods and preconditioners on systems of a soft body in contact (paper 004, Fig. 11; bar C5), and what they make of steps and gradients.

    scripts/paper/soft-solvers [--dcsim FILE] [--output DIR] [--publish]

Prints Markdown and writes it to DIR/soft_solvers.md (default: runs/paper); --publish: and to docs/measured/soft_solvers.md.
"""
import os
import tempfile

from measuring import answer, options, parse, processor, publish, write_json
from soft_cost import scene

BARS = {"woodbury": 15, "jacobi": 40}  # of GMRES with friction at 3,000 unknowns


def systems(dcsim):
    yield from ["| nodes | in contact | E, Pa | friction | method | preconditioner | iterations | ms | ms, preconditioner at hand | residual | from the direct solution | bar |",
                "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |"]
    for system in answer(dcsim, "bench", "solvers", "--json")[0]["systems"]:
        head = f"| {system['nodes']:,} | {system['contacts']} | {system['young']:g} | {system['friction']:g} |"
        yield f"{head} direct | factorization, solution | | {1000 * (system['factor_seconds'] + system['solve_seconds']):.1f} | {1000 * system['solve_seconds']:.1f} | | | |"
        for row in system["rows"]:
            bar = BARS.get(row["preconditioner"]) if system["nodes"] == 1000 and system["friction"] > 0 and row["method"] == "gmres" else None
            verdict = "" if not bar else f"<= {bar}: holds" if row["converged"] and row["iterations"] <= bar else f"<= {bar}: **does not hold**"
            count = f"{row['iterations']}" if row["converged"] else f"not in {row['iterations']}"
            yield (f"{head} {row['method']} | {row['preconditioner']} | {count} | {1000 * row['seconds']:.1f} | {1000 * row['seconds_again']:.1f} | {row['residual']:.0e} | {row['apart']:.0e} | {verdict} |")


def steps(dcsim, folder):
    """A block of 1,000 nodes over 8 steps, and its gradient by friction, by every choice of solver."""
    path, small = (write_json(os.path.join(folder, name + ".json"), scene([count] * 3, 8)) for name, count in (("block", 9), ("small", 3)))
    yield from ["| method | preconditioner | Newton iterations a step | loss, from that by direct solutions | largest error of gradients beside differences |", "| --- | --- | --- | --- | --- |"]
    first = None
    for method, preconditioner in [("direct", "gauss_seidel")] + [(m, p) for m in ("conjugate_gradients", "gmres") for p in ("gauss_seidel", "jacobi", "woodbury")]:
        choice = ["--threads", "1", "--json", "--set", f"solver.linear={method}", "--set", f"solver.preconditioner={preconditioner}"]
        run, _ = answer(dcsim, "simulate", path, "-o", "none", "--quiet", *choice)
        check, _ = answer(dcsim, "gradcheck", small, *choice)
        first = first or run["loss"]
        yield (f"| {method} | {'' if method == 'direct' else preconditioner} | {run['newton_iterations_per_step']:.1f} | {abs(run['loss'] - first) / first:.0e} | {check['max_relative_error']:.0e} |")


def main():
    arguments = parse(options(__doc__, quick=False))
    lines = ["### Soft bodies: iterative methods", "",
             f"By `scripts/paper/soft-solvers` on {processor()}, one thread, processor time: cubes of cells of 1 cm that hit the ground with 0.5 m/s down and 0.5 m/s along it, steps of 10 ms. "
             "The exact Hessian of the eighth step, with a right-hand side of random numbers, is solved until the residual is 1e-10 of it (`dcsim bench solvers`). Projective: without contact in it; woodbury: with. "
             "Friction has the normal forces of the step before, so that all systems are symmetric. C5 asks for at most 15 iterations of GMRES with woodbury and 40 with Jacobi on 3,000 unknowns with friction; it names no material.", ""]
    lines += systems(arguments.dcsim)
    lines += ["", "Steps and gradients by `solver.linear` and `solver.preconditioner`: the first cube of 1,000 nodes and E = 20 kPa over 8 steps; gradients of 64 nodes over 8 steps (`dcsim gradcheck`).", ""]
    with tempfile.TemporaryDirectory() as folder:
        lines += steps(arguments.dcsim, folder)
    print("\n".join(lines))
    publish(arguments, "soft_solvers", lines)


if __name__ == "__main__":
    main()
