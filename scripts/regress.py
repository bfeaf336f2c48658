# SPDX-License-Identifier: Apache-2.0
"""Reruns measurements briefly and compares them with stored intervals: scripts/regress.sh calls this.

docs/measured/regress.json holds the points that are watched.  Each has a command (its first word a program of the tree: dcsim, or a script), a
number in its output ("read": {"json": path, or a list of its names} or {"text": expression with one group}; a path takes * for all members, and "most", "least",
"count" or "true" say what becomes of several), the value that was stored, and by what it may differ:
  relative, absolute   deterministic numbers: the same on every machine but for the order of sums
  least, most          a bar, for what is chaotic: rates over drawn cases, iterations
Points named "quick": false are left out of --quick.

Usage: regress.py [--quick] [--record] [--jobs N] [--only WORD] BUILD
  --record   stores the values that were measured, after the differences have been read
Exits 1 when a point has left its interval, 2 when one could not be measured.
"""
import argparse
import concurrent.futures
import json
import os
import re
import subprocess
import sys
import time

TREE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
POINTS = os.path.join(TREE, "docs", "measured", "regress.json")
LONGEST = 600.0  # s, of one command


def members(value, path):
    """The values that a path of names, indices and * leads to."""
    if not path:
        return [value]
    head, rest = path[0], path[1:]
    if head == "*":
        inner = value.values() if isinstance(value, dict) else value
        return [found for one in inner for found in members(one, rest)]
    if isinstance(value, list):
        return members(value[int(head)], rest)
    return members(value[head], rest) if head in value else []


def number(point, output):
    """The number that a point reads from an output."""
    read = point["read"]
    if "text" in read:
        found = re.findall(read["text"], output, re.M)
    else:
        path = read["json"].split(".") if isinstance(read["json"], str) else read["json"]
        found = [value for value in members(json.loads(output), path) if value is not None]
    take = read.get("take", "one")
    if take == "count":
        return float(len(found))
    if take == "true":
        return float(sum(bool(value) for value in found))
    if not found or (take == "one" and len(found) > 1):
        raise ValueError(f"{len(found)} numbers at {read}")
    return {"most": max, "least": min, "one": max}[take](float(value) for value in found)


def interval(point):
    """What the number may be."""
    low, high = point.get("least", -float("inf")), point.get("most", float("inf"))
    if "relative" in point or "absolute" in point:
        reach = point.get("absolute", 0) + point.get("relative", 0) * abs(point["stored"])
        low, high = max(low, point["stored"] - reach), min(high, point["stored"] + reach)
    return low, high


def measure(point, build):
    command = list(point["command"])
    program = command[0]
    command[0] = os.path.join(build, "dcsim") if program == "dcsim" else os.path.join(TREE, program)
    if program.endswith(".py"):
        command.insert(0, sys.executable)
    begin = time.monotonic()
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "SOAK_DCSIM": os.path.join(build, "dcsim"), "DCSIM_DATADIR": TREE}
    try:
        ended = subprocess.run(command, cwd=TREE, capture_output=True, text=True, check=False, timeout=LONGEST, env=environment)
        if ended.returncode not in point.get("exits", [0]):
            raise ValueError(f"exit status {ended.returncode}: {ended.stderr.strip().splitlines()[-1:] or ''}")
        return number(point, ended.stdout), time.monotonic() - begin, ""
    except (subprocess.TimeoutExpired, ValueError, KeyError, IndexError) as error:
        return None, time.monotonic() - begin, str(error)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--record", action="store_true")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--only", default="")
    parser.add_argument("build")
    arguments = parser.parse_args()
    with open(POINTS, encoding="utf-8") as file:
        stored = json.load(file)
    points = [point for point in stored["points"]
              if arguments.only in point["name"] and not (arguments.quick and point.get("quick") is False)]
    build = os.path.abspath(arguments.build)
    left, failed = 0, 0
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for point, (value, seconds, problem) in zip(points, pool.map(lambda one: measure(one, build), points)):
            if value is None:
                failed += 1
                print(f"not measured  {point['name']}: {problem}", flush=True)
                continue
            if arguments.record:
                point["stored"] = value
            low, high = interval(point)
            inside = low <= value <= high
            left += not inside
            print(f"{'ok      ' if inside else 'LEFT    '}  {point['name']}: {value:.12g} in [{low:.12g}, {high:.12g}]  ({seconds:.1f} s)", flush=True)
    if arguments.record:
        with open(POINTS, "w", encoding="utf-8") as file:
            json.dump(stored, file, indent=1, ensure_ascii=False)
            file.write("\n")
    print(f"{len(points) - left - failed} of {len(points)} points inside, {left} left, {failed} not measured")
    sys.exit(2 if failed else 1 if left else 0)


main()
