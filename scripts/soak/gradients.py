#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random scenes that bring features together (random_scenes.py): is the gradient of each what differences say?

    scripts/soak/gradients.py [--kinds rigid,soft] [--seeds A-B] [--timeout SECONDS] [--keep DIR] [--rows FILE] [--markdown FILE] [--every]

Runs `dcsim gradcheck` on every scene: the adjoint against differences, tangent against adjoint, Jacobians both ways and against the gradient.  A gradient or a product that is off breaks a promise, and the script exits
with 1.  Differences that are not conclusive, which are mostly those of derivatives below rounding, refusals (status 3) and runs that end with status 4 are counted.  Rows are kept in a file, and scenes that are in it
are not checked again; --keep keeps the scenes that are not confirmed.  --every: a line "ok NAME" or "not ok NAME" for each.  The program is build/dcsim of this tree, or SOAK_DCSIM.
"""
import argparse
import collections
import json
import os
import subprocess
import sys
import tempfile
import time

import random_scenes

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
DCSIM = os.path.abspath(os.environ.get("SOAK_DCSIM", os.path.join(ROOT, "build", "dcsim")))
UNCLEAR = "cannot be confirmed"
PRODUCTS = ("tangent_adjoint", "both_ways", "gradient")
COLUMNS = ("confirmed", "not conclusive", "refused", "status 4", "out of time", "off")


def check(scene, timeout, folder):
    """What gradcheck finds: one of COLUMNS, the message, the largest error of the gradient and of products where they are known."""
    path = os.path.join(folder, "scene.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(scene, file, indent=1)
    try:
        done = subprocess.run([DCSIM, "gradcheck", path, "--json", "--threads", "1"], capture_output=True, text=True, timeout=timeout, check=False)
    except subprocess.TimeoutExpired:
        return "out of time", f"still running after {timeout:g} s", None, None
    message = done.stderr.strip().splitlines()[-1].replace(path, "scene.json") if done.stderr.strip() else ""
    if done.returncode in (0, 1) and done.stdout.strip():
        found = json.loads(done.stdout)
        products = [found.get("products", {}).get(name) or 0 for name in PRODUCTS]
        verdict = "confirmed" if found["confirmed"] else "not conclusive" if UNCLEAR in message else "off"
        return verdict, message, found["max_relative_error"], max(products)
    return {3: "refused", 4: "status 4"}.get(done.returncode, "off"), message or f"exit status {done.returncode}", None, None


def known_rows(path):
    if not path or not os.path.exists(path):
        return {}
    with open(path, encoding="utf-8") as file:
        return {row["name"]: row for row in map(json.loads, file)}


def row_of(kind, seed, arguments, folder):
    scene = random_scenes.KINDS[kind](seed).scene()
    began = time.monotonic()
    verdict, message, error, products = check(scene, arguments.timeout, folder)
    if arguments.keep and verdict != "confirmed":
        os.makedirs(arguments.keep, exist_ok=True)
        os.replace(os.path.join(folder, "scene.json"), os.path.join(arguments.keep, f"{kind}-{seed}.json"))
    return {"name": f"{kind}-{seed}", "kind": kind, "model": scene["contact"]["model"], "verdict": verdict, "message": message, "error": error, "products": products,
            "seconds": time.monotonic() - began}


def largest(rows, key):
    values = [row[key] for row in rows if row["verdict"] == "confirmed" and row[key] is not None]
    return f"{max(values):.1e}" if values else ""


def table(rows):
    lines = ["| scenes | model | checked | " + " | ".join(COLUMNS) + " | largest error of confirmed gradients | of products |", "| --- " * (len(COLUMNS) + 5) + "|"]
    groups = collections.defaultdict(list)
    for row in rows:
        groups[row["kind"], row["model"]].append(row)
        groups[row["kind"], "all"].append(row)
    for (kind, model), group in sorted(groups.items(), key=lambda item: (item[0][0], item[0][1] == "all", item[0][1])):
        counts = collections.Counter(row["verdict"] for row in group)
        lines.append(f"| {kind} | {model} | {len(group)} | " + " | ".join(str(counts[name]) for name in COLUMNS) + f" | {largest(group, 'error')} | {largest(group, 'products')} |")
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kinds", default="rigid,soft")
    parser.add_argument("--seeds", default="1-100")
    parser.add_argument("--timeout", type=float, default=600)
    parser.add_argument("--keep")
    parser.add_argument("--rows")
    parser.add_argument("--markdown")
    parser.add_argument("--every", action="store_true")
    arguments = parser.parse_args()
    first, last = map(int, arguments.seeds.split("-"))
    known, rows = known_rows(arguments.rows), []
    with tempfile.TemporaryDirectory() as folder:
        for kind in arguments.kinds.split(","):
            for seed in range(first, last + 1):
                row = known.get(f"{kind}-{seed}") or row_of(kind, seed, arguments, folder)
                rows.append(row)
                if arguments.rows and row["name"] not in known:
                    with open(arguments.rows, "a", encoding="utf-8") as file:
                        file.write(json.dumps(row) + "\n")
                if arguments.every:
                    print(("not ok " if row["verdict"] == "off" else "ok ") + row["name"], flush=True)
                if row["verdict"] not in ("confirmed", "refused"):
                    print(f"# {row['name']}: {row['verdict']}: {row['message']}", flush=True)
    lines = table(rows)
    if arguments.markdown:
        with open(arguments.markdown, "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")
    if not arguments.every:
        print("\n".join(lines))
    sys.exit(any(row["verdict"] == "off" for row in rows))


if __name__ == "__main__":
    main()
