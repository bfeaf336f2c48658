#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How many published robot files open as they are and move for a second: a table by repository.

    scripts/robot_files.py FOLDER [--dcsim build/dcsim] [--only TEXT ...] [--most 40] [--limit 120] [--jobs 1] [--skip] [--check] [--list FILE] [--markdown]

FOLDER holds checked-out repositories, one folder each.  Models are files with the root <robot> (with links), <sdf> (with a model) or <mujoco> (with bodies
in its world), but for those that others of their repository include as a part of theirs.  Of a repository with more than --most models as many are taken,
evenly spaced in the order of their paths.  Each is included, unedited, in a scene of 100 steps of 0.01 s that says nothing else but
"overlaps": "separate" and --skip's "unsupported": "skip", and simulated.  A file is "refused" where the program says what it will not read, "failed" where it
crashed, stopped midway or took more than --limit seconds of processor time, and "lacks" where the repository lacks a file that it needs; those are not among
the files that the share counts.  --list writes a line for every file: the verdict, seconds, the path, the message.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = re.compile(r"\s*(?:<\?[^>]*>\s*|<!--.*?-->\s*)*<(robot|sdf|mujoco)\b", re.S)
NEEDS = {"robot": re.compile(r"<link\b"), "sdf": re.compile(r"<(model|include)\b"), "mujoco": re.compile(r"<worldbody\b.*<(body|include|geom)\b", re.S)}
INCLUDED = re.compile(r"<include\s[^>]*file\s*=\s*[\"']([^\"']+)[\"']")
GOOD, REFUSED, FAILED, LACKS = "moves", "refused", "failed", "lacks"
MISSING = re.compile("No such file or directory|not found in the folders|cannot be found|no such package")


def text_of(path):
    with open(path, errors="replace") as file:
        return file.read()


def kind_of(path):
    """robot, sdf or mujoco; None when the file is no model."""
    if not path.lower().endswith((".urdf", ".sdf", ".xml")):
        return None
    text = text_of(path)
    root = ROOT.match(text)
    if not root or (root[1] == "robot" and "xmlns:xacro" in text and "<xacro:" in text):
        return None
    without = re.sub(r"<!--.*?-->", "", text, flags=re.S)
    return root[1] if NEEDS[root[1]].search(without) else None


def models_of(folder):
    paths = sorted(os.path.join(where, name) for where, _, names in os.walk(folder) for name in names)
    found = [(path, kind_of(path)) for path in paths if not os.path.islink(path)]
    parts = set()
    for path in paths:
        if path.endswith(".xml") and not os.path.islink(path):
            parts.update(os.path.realpath(os.path.join(os.path.dirname(path), part)) for part in INCLUDED.findall(text_of(path)))
    return [(path, kind) for path, kind in found if kind and not (kind == "mujoco" and os.path.realpath(path) in parts)]


def some(models, most):
    return models if len(models) <= most else [models[i * len(models) // most] for i in range(most)]


def try_one(arguments, repository, path):
    """Verdict, seconds, message."""
    include = {"file": path, "overlaps": "separate"}
    if arguments.skip and path.endswith(".xml"):
        include["unsupported"] = "skip"
    work = tempfile.mkdtemp(prefix="robot-files-")
    scene = os.path.join(work, "scene.json")
    with open(scene, "w") as file:
        json.dump({"time": {"step": 0.01, "steps": 100}, "include": include}, file)
    begun = time.time()
    try:
        command = ["check", scene] if arguments.check else ["simulate", scene, "-o", os.path.join(work, "run"), "--no-report"]
        done = subprocess.run([arguments.dcsim, *command, "--threads", "1", "--allow-path", repository, "--package-path", repository], capture_output=True, text=True, errors="replace", timeout=40 * arguments.limit,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (int(arguments.limit), int(arguments.limit) + 2)))
    except subprocess.TimeoutExpired:
        return FAILED, time.time() - begun, "not done after %g s" % arguments.limit
    finally:
        shutil.rmtree(work, ignore_errors=True)
    lines = [line for line in done.stderr.strip().splitlines() if line]
    message = next((line for line in reversed(lines) if "error" in line), lines[-1] if lines else "status %d" % done.returncode).replace(work, "")
    verdict = GOOD if done.returncode == 0 else LACKS if MISSING.search(message) else REFUSED if done.returncode == 3 else FAILED
    if done.returncode == -24:
        message = "not done after %g s of processor time" % arguments.limit
    return verdict, time.time() - begun, "" if verdict == GOOD else message


def print_table(results, markdown):
    kinds = {"robot": "URDF", "sdf": "SDF", "mujoco": "MJCF"}
    rows = collections.OrderedDict()
    for name, kind, verdict in results:
        rows.setdefault((name, kinds[kind]), collections.Counter())[verdict] += 1
    form = "| %s | %s | %s | %s | %s | %s | %s |" if markdown else "%-24s %-5s %6s %6s %8s %7s %6s"
    print(form % ("repository", "kind", "files", "moves", "refused", "failed", "lacks"))
    if markdown:
        print("|---|---|---|---|---|---|---|")
    total = collections.Counter()
    for (name, kind), counts in rows.items():
        print(form % (name, kind, sum(counts.values()), counts[GOOD], counts[REFUSED], counts[FAILED], counts[LACKS]))
        total.update(counts)
    print(form % ("all", "", sum(total.values()), total[GOOD], total[REFUSED], total[FAILED], total[LACKS]))
    whole = sum(total.values()) - total[LACKS]
    if whole:
        print("%.1f %% of %d files that their repositories have whole open and move for a second" % (100 * total[GOOD] / whole, whole))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder")
    parser.add_argument("--dcsim", default="build/dcsim")
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--most", type=int, default=40)
    parser.add_argument("--limit", type=float, default=120)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--skip", action="store_true")
    parser.add_argument("--check", action="store_true", help="open only")
    parser.add_argument("--list")
    parser.add_argument("--markdown", action="store_true")
    arguments = parser.parse_args()
    arguments.folder, arguments.dcsim = os.path.realpath(arguments.folder), os.path.realpath(arguments.dcsim)
    tasks = []
    for name in sorted(os.listdir(arguments.folder)):
        repository = os.path.join(arguments.folder, name)
        if os.path.isdir(repository):
            models = [m for m in models_of(repository) if not arguments.only or any(text in m[0] for text in arguments.only)]
            tasks += [(name, repository, path, kind) for path, kind in some(models, arguments.most)]
    results = []
    listing = open(arguments.list, "w") if arguments.list else sys.stderr
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        tried = [(task, pool.submit(try_one, arguments, task[1], task[2])) for task in tasks]
        for (name, _, path, kind), job in tried:
            verdict, seconds, message = job.result()
            results.append((name, kind, verdict))
            print("%-7s %6.1f %s: %s" % (verdict, seconds, os.path.relpath(path, arguments.folder), message), file=listing, flush=True)
    print_table(results, arguments.markdown)
    return 0


if __name__ == "__main__":
    sys.exit(main())
