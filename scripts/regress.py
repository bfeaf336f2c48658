# SPDX-License-Identifier: Apache-2.0
"""Reruns measurements briefly and compares them with stored intervals: scripts/regress.sh calls this.

docs/measured/regress.json holds the points that are watched.  Each has a command (its first word a program of the tree: dcsim, or a script), a
number in its output ("read": {"json": path, or a list of its names} or {"text": expression with one group}; a path takes * for all members, and "most", "least",
"count" or "true" say what becomes of several), the value that was stored, and by what it may differ:
  relative, absolute   deterministic numbers: the same on every machine but for the order of sums
  least, most          a bar, for what is chaotic: rates over drawn cases, iterations
Points named "quick": false are left out of --quick.  Commands may name {dcsim}, the program, and {output}, a folder of their own that is removed; points that have
a command in common share one run of it.

Usage: regress.py [--quick] [--record] [--publish] [--jobs N] [--only WORD] BUILD
  --record   stores the values that were measured, after the differences have been read
  --publish  adds a row to docs/measured/regress.md: what this run found
Exits 1 when a point has left its interval, 2 when one could not be measured.
"""
import argparse
import concurrent.futures
import json
import os
import re
import subprocess
import sys
import tempfile
import time

TREE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
POINTS = os.path.join(TREE, "docs", "measured", "regress.json")
PAGE = os.path.join(TREE, "docs", "measured", "regress.md")
LONGEST = 1800.0  # s, of one command


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


def run(command, exits, build):
    """What a command of the points prints, the seconds it took, and what went wrong, if anything."""
    program, begin = command[0], time.monotonic()
    dcsim = os.path.join(build, "dcsim")
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "SOAK_DCSIM": dcsim, "DCSIM_DATADIR": TREE}
    with tempfile.TemporaryDirectory() as folder:
        words = [dcsim if program == "dcsim" else os.path.join(TREE, program), *(word.replace("{dcsim}", dcsim).replace("{output}", folder) for word in command[1:])]
        if program.endswith(".py"):
            words.insert(0, sys.executable)
        try:
            ended = subprocess.run(words, cwd=TREE, capture_output=True, text=True, check=False, timeout=LONGEST, env=environment)
        except subprocess.TimeoutExpired as error:
            return "", time.monotonic() - begin, str(error)
    wrong = "" if ended.returncode in exits else f"exit status {ended.returncode}: {ended.stderr.strip().splitlines()[-1:] or ''}"
    return ended.stdout, time.monotonic() - begin, wrong


def outputs(points, build, jobs):
    """Yields each point with what its command printed, its seconds and what went wrong; equal commands run once."""
    def key(point):
        return json.dumps([point["command"], point.get("exits", [0])])

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        begun = {}
        for point in points:
            if key(point) not in begun:
                begun[key(point)] = pool.submit(run, point["command"], point.get("exits", [0]), build)
        for point in points:
            yield point, *begun[key(point)].result()


def publish(quick, points, left, failed, seconds):
    """Adds what a run found to the page of what runs found."""
    commit = subprocess.run(["git", "-C", TREE, "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False).stdout.strip()
    found = "; ".join([f"{name}: left" for name in left] + [f"{name}: not measured" for name in failed]) or "all inside"
    with open(PAGE, encoding="utf-8") as file:
        lines = file.read().splitlines()
    lines.append(f"| {time.strftime('%Y-%m-%d', time.gmtime())} | {commit} | {len(points)}{' quick' if quick else ''} | {len(points) - len(left) - len(failed)} | {seconds / 60:.0f} | {found} |")
    with open(PAGE, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--record", action="store_true")
    parser.add_argument("--publish", action="store_true")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--only", default="")
    parser.add_argument("build")
    arguments = parser.parse_args()
    with open(POINTS, encoding="utf-8") as file:
        stored = json.load(file)
    points = [point for point in stored["points"]
              if arguments.only in point["name"] and not (arguments.quick and point.get("quick") is False)]
    left, failed, begin = [], [], time.monotonic()
    for point, output, seconds, wrong in outputs(points, os.path.abspath(arguments.build), arguments.jobs):
        try:
            if wrong:
                raise ValueError(wrong)
            value = number(point, output)
        except (ValueError, KeyError, IndexError) as error:
            failed.append(point["name"])
            print(f"not measured  {point['name']}: {error}", flush=True)
            continue
        if arguments.record:
            point["stored"] = value
        low, high = interval(point)
        inside = low <= value <= high
        if not inside:
            left.append(point["name"])
        print(f"{'ok      ' if inside else 'LEFT    '}  {point['name']}: {value:.12g} in [{low:.12g}, {high:.12g}]  ({seconds:.1f} s)", flush=True)
    if arguments.record:
        with open(POINTS, "w", encoding="utf-8") as file:
            json.dump(stored, file, indent=1, ensure_ascii=False)
            file.write("\n")
    if arguments.publish:
        publish(arguments.quick, points, left, failed, time.monotonic() - begin)
    print(f"{len(points) - len(left) - len(failed)} of {len(points)} points inside, {len(left)} left, {len(failed)} not measured")
    sys.exit(2 if failed else 1 if left else 0)


main()
