#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Trajectories of strangers: sound HDF5 files in which one data set is replaced by something hostile.

forge(path, draw, outside) rewrites a data set of a sealed file, drawn, and seals the file again, as anybody can.  The
kinds lead out of the file (external links, external storage, virtual data sets), lead nowhere (links in circles, to
groups), are of another type, shape or size than a reader expects (HUGE rows that take no room in the file), are packed,
or hold numbers that no trajectory has.  outside: a folder with a file "secret.bin" and a file "secret.h5" that
make_secret wrote.

    scripts/soak/hostile_hdf5.py [--draws 100] [--seed 1] [--limit 60]

forges files of a run and reads each by a drawn command.  Faults are signals, statuses that the manual does not name, reports of a
sanitizer, the secret number in what is printed or written, and more than --limit seconds of processor time.  DCSIM is the program,
default build/dcsim.  Exits with 1 when there is one.
"""
import argparse
import collections
import json
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile

import h5py
import numpy

SEAL = 512  # bytes, the text of src/io/run/seal.c and zeros
HUGE = 10**9
KINDS = {}


def kind(function):
    KINDS[function.__name__] = function
    return function


def make_secret(folder, number):
    """A data set of another's file, in which every number is the secret one."""
    with h5py.File(os.path.join(folder, "secret.h5"), "w") as file:
        file["x"] = numpy.full((9, 2, 3), number)


def seal(path):
    """Seals a file anew: format, size and FNV-1a of the bytes behind the seal."""
    with open(path, "rb") as file:
        content = file.read()
    code = 0xCBF29CE484222325
    for byte in content[SEAL:]:
        code = ((code ^ byte) * 0x100000001B3) & (2**64 - 1)
    text = content[:SEAL].split(b"\n")[0] + b"\nsize %d\nfnv1a %016x\n" % (len(content), code)
    with open(path, "wb") as file:
        file.write(text.ljust(SEAL, b"\0") + content[SEAL:])


@kind
def external_link(file, name, value, outside, draw):
    file[name] = h5py.ExternalLink(os.path.join(draw.choice((outside, "../../outside")), "secret.h5"), "/x")


@kind
def external_storage(file, name, value, outside, draw):
    target = os.path.join(outside, draw.choice(("secret.bin", "pipe")))
    file.create_dataset(name, shape=value.shape, dtype=value.dtype, external=[(target, 0, h5py.h5f.UNLIMITED)])


@kind
def virtual(file, name, value, outside, draw):
    layout = h5py.VirtualLayout(shape=value.shape, dtype=value.dtype)
    layout[...] = h5py.VirtualSource(os.path.join(outside, "secret.h5"), "x", shape=value.shape)
    file.create_virtual_dataset(name, layout)


@kind
def link(file, name, value, outside, draw):
    file["elsewhere"] = value
    file[name] = h5py.SoftLink(draw.choice(("/elsewhere", "/" + name, "/", "/nothing")))


@kind
def hard_link(file, name, value, outside, draw):
    file[name] = draw.choice((file["/"], file["bodies"]))


@kind
def group(file, name, value, outside, draw):
    deep = file.create_group(name)
    for _ in range(draw.choice((0, 3, 2000))):
        deep = deep.create_group("g")


@kind
def packed(file, name, value, outside, draw):
    ways = ({"compression": "gzip"}, {"compression": "lzf"}, {"shuffle": True}, {"fletcher32": True}, {})
    file.create_dataset(name, data=value, chunks=value.shape, **draw.choice(ways))


@kind
def huge(file, name, value, outside, draw):
    shape = draw.choice(((HUGE,) + value.shape[1:], value.shape[:1] + (HUGE,) + value.shape[2:], (HUGE, HUGE)))
    file.create_dataset(name, shape=shape, dtype=value.dtype, chunks=tuple(min(length, 1024) for length in shape))


@kind
def other_shape(file, name, value, outside, draw):
    more = numpy.concatenate([value, value])
    file[name] = draw.choice((value[:0], value[:1], more, value.ravel(), value[..., None], numpy.zeros(())))


@kind
def other_type(file, name, value, outside, draw):
    kinds = ("i1", "u8", "f2", ">f8", "c16", "S9", [("a", "f8"), ("b", "S9")])
    file[name] = numpy.zeros(value.shape, draw.choice(kinds))


@kind
def text(file, name, value, outside, draw):
    file[name] = draw.choice(("text", ["a"] * len(value), h5py.Empty("f8"), "x" * 60000))


@kind
def numbers(file, name, value, outside, draw):
    file[name] = numpy.full(value.shape, draw.choice((numpy.nan, numpy.inf, 1e308, -1e308, 5e-324, -1, 2**31, 2**63)))


@kind
def attributes(file, name, value, outside, draw):
    file[name] = value
    for key in list(file.attrs):
        file.attrs[key] = draw.choice((numpy.zeros(5, [("a", "f8")]), "x" * 60000, numpy.nan, -1, 2**40))
    file[name].attrs["unit"] = "x" * 60000


def forge(path, draw, outside):
    """Replaces a drawn data set by a drawn kind and seals the file; their names."""
    with h5py.File(path, "r+") as file:
        names = []
        file.visititems(lambda name, item: names.append(name) if isinstance(item, h5py.Dataset) and item.shape else None)
        name, chosen = draw.choice(names), draw.choice(sorted(KINDS))
        value = file[name][()]
        del file[name]
        KINDS[chosen](file, name, value, outside, draw)
    seal(path)
    return name, chosen


COMMANDS = ("report run", "export run --format csv", "export run --format npz", "export run --format glb", "diff run sound", "diff sound run", "verify run --quick --draws 0", "verify --untrusted run --quick --draws 0",
            "render run --every 1000 --size 32x32", "simulate scene.json --control run -o none", "optimize --resume run", "report sound run")
SCENE = {"name": "s", "time": {"step": 0.02, "steps": 5}, "shapes": {"b": {"type": "box", "size": [0.2, 0.2, 0.2]}, "plane": {"type": "plane"}},
         "bodies": [{"name": "floor", "joint": "fixed", "shape": "plane"}, {"name": "a", "shape": "b", "mass": 1, "position": [0, 0, 0.1001]},
                    {"name": "b", "shape": "b", "mass": 1, "position": [3, 0, 1], "joint": {"type": "hinge", "axis": [0, 1, 0]}, "pd": {"kp": 3, "kd": 1}}],
         "control": [{"type": "pd_targets", "body": "b"}], "objective": [{"type": "reach", "body": "a", "target": [0, 0, 0.5]}], "optimizer": {"type": "adam", "iterations": 2}}
REPORTS = (b"AddressSanitizer", b"runtime error:", b"LeakSanitizer", b"UndefinedBehavior")
NUMBER = 7251.8146


def read_one(root, program, draw, limit):
    """(name, kind, command, status, what is wrong)."""
    work, outside = os.path.join(root, "work"), os.path.join(root, "outside")
    shutil.copytree(os.path.join(root, "kept"), work)
    name, way = forge(os.path.join(work, "run", "trajectory.h5"), draw, outside)
    command, wrong = draw.choice(COMMANDS), []
    try:
        done = subprocess.run([program, *command.split()], cwd=work, stdin=subprocess.DEVNULL, capture_output=True, timeout=20 * limit, check=False,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (int(limit), int(limit) + 1)))
        status, said = done.returncode, done.stdout + done.stderr
    except subprocess.TimeoutExpired:
        status, said = None, b""
    if status is None or status not in range(10):
        wrong.append("status %s" % status)
    if any(text in said for text in REPORTS):
        wrong.append("a report of a sanitizer")
    if status and not said.strip():
        wrong.append("no message")
    written = [open(os.path.join(where, one), "rb").read() for where, _, names in os.walk(os.path.join(work, "run")) for one in names if one != "trajectory.h5"]
    if any(str(NUMBER).encode() in text for text in [said, *written]):
        wrong.append("shows the secret")
    shutil.rmtree(work)
    return name, way, command, status, wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--limit", type=float, default=60)
    arguments = parser.parse_args()
    top = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
    program = os.path.realpath(os.environ.get("DCSIM", os.path.join(top, "build", "dcsim")))
    faults, ended = 0, collections.Counter()
    with tempfile.TemporaryDirectory(prefix="hostile-") as root:
        kept, outside = os.path.join(root, "kept"), os.path.join(root, "outside")
        os.mkdir(kept)
        os.mkdir(outside)
        make_secret(outside, NUMBER)
        with open(os.path.join(outside, "secret.bin"), "wb") as file:
            file.write(numpy.full(1000, NUMBER).tobytes())
        os.mkfifo(os.path.join(outside, "pipe"))
        with open(os.path.join(kept, "scene.json"), "w") as file:
            json.dump(SCENE, file)
        subprocess.run([program, "optimize", "scene.json", "-o", "run", "--quiet"], cwd=kept, check=True, stdout=subprocess.DEVNULL)
        shutil.copytree(os.path.join(kept, "run"), os.path.join(kept, "sound"))
        for number in range(arguments.draws):
            name, way, command, status, wrong = read_one(root, program, random.Random("%d %d" % (arguments.seed, number)), arguments.limit)
            ended[status] += 1
            faults += bool(wrong)
            if wrong:
                print("%d: %s of %s, dcsim %s: %s" % (number, way, name, command, ", ".join(wrong)), flush=True)
    print("%d draws, %d faults; statuses %s" % (arguments.draws, faults, ", ".join("%s: %d" % pair for pair in sorted(ended.items(), key=str))))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
