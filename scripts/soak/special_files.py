#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every command with something else in the place of each file that it reads or writes.

    scripts/soak/special_files.py [--every 1] [--offset 0] [--limit 60] [--verbose]

In the place of each file stand in turn: a link out of the folder to a sound copy, a link to nothing outside, a pipe, a socket, a folder, a device (where the user may make one) and
a hard link to a file outside.  Right are a status that the manual names within --limit seconds; everything outside as it was, and none of its secret shown or copied; pipes, sockets,
folders and devices still what they were; a status other than 0 where such a thing was to be read or written, and where a file names one that is a link out of its folder.  Rows
that append to a file (APPENDED) cannot tell a hard link, as docs/security.md says.  --every N tries one in N, from --offset on.  DCSIM is the program, default build/dcsim.
Exits with 1 when something is wrong.
"""
import argparse
import collections
import json
import os
import select
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
DCSIM = os.path.realpath(os.environ.get("DCSIM", os.path.join(ROOT, "build", "dcsim")))
STATUSES = range(0, 10)
SECRET = "secret-7251"
TETRAHEDRON = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n"
SCENE = {"name": "s", "time": {"step": 0.02, "steps": 3}, "shapes": {"m": {"type": "mesh", "file": "m.obj"}, "plane": {"type": "plane"}},
         "bodies": [{"name": "floor", "joint": "fixed", "shape": "plane"}, {"name": "a", "shape": "m", "mass": 1, "position": [0, 0, 1]},
                    {"name": "b", "shape": "m", "mass": 1, "position": [3, 0, 1], "joint": {"type": "hinge", "axis": [0, 1, 0]}, "pd": {"kp": 3, "kd": 1}}],
         "control": [{"type": "pd_targets", "body": "b"}], "objective": [{"type": "reach", "body": "a", "target": [0, 0, 0.5]}], "optimizer": {"type": "adam", "iterations": 2}}
ROBOT = "<robot name='r'><link name='l'><collision><geometry><mesh filename='m.obj'/></geometry></collision></link></robot>"
CONVEX = {"type": "mesh", "file": "m.obj"}
FOLLOW = dict(SCENE, objective=[{"type": "follow", "file": "r.csv"}])
NODES = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n$Elements\n1\n1 4 2 1 1 1 2 3 4\n$EndElements\n"
STUDY = {"scene": "scene.json", "vary": {"bodies.a.mass": [1, 2]}}
FILES = {"scene.json": SCENE, "m.obj": TETRAHEDRON, "robot.urdf": ROBOT, "robot.srdf": "<robot name='r'/>", "r.csv": "time,a.x,a.y,a.z\n0,0,0,1\n0.06,0,0,1\n", "s.msh": NODES, "study.json": STUDY,
         "of_robot.json": {"time": SCENE["time"], "include": {"file": "robot.urdf", "srdf": "robot.srdf"}}, "of_msh.json": {"time": SCENE["time"], "bodies": [{"name": "b", "soft": {"file": "s.msh", "young": 1e4}}]},
         "follow.json": FOLLOW, "points.json": {"time": SCENE["time"], "shapes": {"p": {"type": "points", "file": "p.txt"}}, "bodies": [{"name": "b", "shape": "p"}]},
         "p.txt": "0 0 0\n1 0 0\n0 1 0\n0 0 1\n1 1 1\n", "robot.xml": "<mujoco><asset><mesh name='m' file='m.obj'/></asset><worldbody><body name='b'><freejoint/><geom type='mesh' mesh='m'/></body></worldbody></mujoco>"}
READS_SCENE = (("check",), ("simulate", "-o", "none"), ("optimize", "-o", "none"), ("gradcheck", "--steps", "1"), ("probe",), ("query", "--manifold"))
READS_RUN = (("report", "run"), ("verify", "run", "--quick", "--draws", "0"), ("verify", "run", "--untrusted", "--quick", "--draws", "0"), ("export", "run", "--format", "csv"), ("export", "run", "--format", "npz"),
             ("export", "run", "--format", "glb"), ("export", "run", "--format", "mjcf"), ("export", "run", "--format", "urdf"), ("diff", "run", "run"), ("render", "run", "--every", "1000", "--size", "32x32"),
             ("simulate", "scene.json", "--control", "run", "-o", "none"), ("optimize", "--resume", "run"), ("view", "run"))
DIRECTORIES = {"new", "deep", "fresh", "made", "meshes"}  # outputs for which a folder is in its place
APPENDED = {"run/loss.csv", "run/progress.jsonl", "run/.lock", "out/journal.jsonl", "out/.lock"}


def rows():
    """(command, file, whether it is named on the command line, whether it is written, whether it must be told)."""
    for command in READS_SCENE:
        yield (command[0], "scene.json", *command[1:]), "scene.json", True, False, True
        yield (command[0], "scene.json", *command[1:]), "m.obj", False, False, True
    yield ("view", "scene.json"), "scene.json", True, False, True
    for scene, file in (("of_robot.json", "robot.urdf"), ("of_robot.json", "robot.srdf"), ("of_robot.json", "m.obj"), ("of_msh.json", "s.msh"), ("follow.json", "r.csv"), ("points.json", "p.txt")):
        yield ("check", scene), file, False, False, True
    for robot in ("robot.urdf", "robot.xml"):
        yield ("import", robot, "-o", "made.json"), robot, True, False, True
        yield ("import", robot, "-o", "made.json"), "m.obj", False, False, True
        for made in ("made.json", "meshes", "meshes/m.obj"):
            yield ("import", robot, "-o", "made.json"), made, False, True, made == "made.json"
    members = sorted(os.path.relpath(os.path.join(folder, name), "sound") for folder, _, names in os.walk("sound/run") for name in names)
    for command in READS_RUN:
        for member in members + ["run/frames", "run/export", "run/frames/000000.png", "run/export/trajectory.csv", "run/run.glb", "run/frames/video.mp4"]:
            yield command, member, False, False, False
    yield ("simulate", "scene.json", "-o", "new"), "new", True, True, True
    yield ("optimize", "scene.json", "-o", "deep/new"), "deep", True, True, True
    for ending, form in (("csv", "csv"), ("npz", "npz"), ("glb", "glb"), ("xml", "mjcf"), ("urdf", "urdf")):
        yield ("export", "run", "--format", form, "-o", "file." + ending), "file." + ending, True, True, True
    for ending in ("npz", "png"):
        yield ("query", "scene.json", "--manifold", "-o", "file." + ending), "file." + ending, True, True, True
    yield ("verify", "run", "--quick", "--draws", "0", "-o", "file.json"), "file.json", True, True, True
    yield ("render", "run", "--video", "file.mp4", "--size", "32x32"), "file.mp4", True, True, True
    yield ("new", "push", "made.json"), "made.json", True, True, True
    yield ("example", "two_balls"), "two_balls.json", False, True, True
    yield ("bench", "tasks", "--set", "tasks=1", "--write", "made"), "made", True, True, True
    for command in ("sweep", "dataset"):
        yield (command, "study.json", "-o", "out"), "study.json", True, False, True
        yield (command, "study.json", "-o", "out"), "scene.json", False, False, True
        for member in sorted(os.listdir("sound/out")) + ["points/000000", "points/000001/trajectory.h5", "points/000001/run.json"]:
            yield (command, "study.json", "-o", "out"), "out/" + member, False, False, False
    yield ("sweep", "study.json", "-o", "fresh"), "fresh", True, True, True


def make_link_out(path, outside, sound):
    target = os.path.join(outside, "target")
    if os.path.isdir(sound):
        shutil.copytree(sound, target)
    else:
        with open(target, "wb") as file:
            file.write(open(sound, "rb").read() if os.path.exists(sound) else SECRET.encode())
    os.symlink(target, path)


def make_socket(path, outside, sound):
    os.chdir(os.path.dirname(path))  # names of sockets are short
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(os.path.basename(path))


def make_folder(path, outside, sound):
    os.mkdir(path)
    with open(os.path.join(path, "kept"), "w") as file:
        file.write("kept")


THINGS = {"link out": make_link_out, "link to nothing": lambda path, outside, sound: os.symlink(os.path.join(outside, "nothing"), path), "pipe": lambda path, outside, sound: os.mkfifo(path), "socket": make_socket,
          "folder": make_folder, "device": lambda path, outside, sound: os.mknod(path, stat.S_IFCHR | 0o666, os.makedev(1, 5)), "hard link": lambda path, outside, sound: os.link(os.path.join(outside, "victim"), path)}
LASTING = ("pipe", "socket", "folder", "device")


def contents(folder):
    """Names, kinds and bytes of everything below a folder."""
    found = {}
    for where, folders, names in os.walk(folder):
        for name in folders + names:
            path = os.path.join(where, name)
            kind = stat.S_IFMT(os.lstat(path).st_mode)
            found[path] = (kind, open(path, "rb").read() if kind == stat.S_IFREG else None)
    return found


def execute(command, folder, environment, limit):
    """(status, what was printed); a server is ended once it says where it is."""
    process = subprocess.Popen([DCSIM, *command], cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    printed, until = b"", time.monotonic() + limit
    while time.monotonic() < until and select.select([process.stdout], [], [], until - time.monotonic())[0]:
        part = os.read(process.stdout.fileno(), 1 << 16)
        printed += part
        if not part:
            break
        if command[0] == "view" and b"http://" in printed:
            process.send_signal(signal.SIGTERM)
    try:
        status = process.wait(timeout=max(1, until - time.monotonic()))
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        status = None
    process.stdout.close()
    return (0 if command[0] == "view" and status == 143 else status), printed.decode("utf8", "replace")


def try_one(root, number, row, thing, limit):
    """What is wrong, as a list of words; None where the thing cannot be made."""
    command, file, named, written, told = row
    folder, outside = os.path.join(root, "%d" % number), os.path.join(root, "outside")
    shutil.copytree(os.path.join(root, "sound"), folder, symlinks=True)
    os.mkdir(outside)
    with open(os.path.join(outside, "victim"), "w") as victim:
        victim.write(SECRET)
    path = os.path.join(folder, file)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    if os.path.lexists(path):
        shutil.rmtree(path) if os.path.isdir(path) else os.unlink(path)
    try:
        THINGS[thing](path, outside, os.path.join(root, "sound", file))
    except OSError:
        return None, ""
    finally:
        os.chdir(root)
    kind, before = stat.S_IFMT(os.lstat(path).st_mode), contents(outside)
    environment = dict(os.environ, DCSIM_DATADIR=ROOT, HOME=folder, TMPDIR=os.path.join(root, "tmp"))
    status, said = execute(command, folder, environment, limit)
    wrong = []
    if status is None or status not in STATUSES:
        wrong.append("not done" if status is None else "status %d" % status)
    if contents(outside) != before and not (thing == "hard link" and file in APPENDED):
        wrong.append("changed what is outside")
    if thing in LASTING and (not os.path.lexists(path) or stat.S_IFMT(os.lstat(path).st_mode) != kind or (thing == "folder" and told and not os.path.exists(os.path.join(path, "kept")))):
        wrong.append("the %s was replaced" % thing)
    refused = thing in LASTING and not (thing == "folder" and file in DIRECTORIES) or (thing == "link out" and not named and not written)
    if status == 0 and told and refused:
        wrong.append("nothing was told")
    if status and not said.strip():
        wrong.append("no message")
    if SECRET in said and thing != "hard link":  # which is a file like any other
        wrong.append("shows the secret")
    shutil.rmtree(folder)
    shutil.rmtree(outside)
    return wrong, said


def prepare(root):
    """The sound files, with a run and a sweep of them."""
    sound = os.path.join(root, "sound")
    os.mkdir(sound)
    os.mkdir(os.path.join(root, "tmp"))
    for name, content in FILES.items():
        with open(os.path.join(sound, name), "w") as file:
            file.write(content if isinstance(content, str) else json.dumps(content))
    for command in (("optimize", "scene.json", "-o", "run"), ("verify", "run", "--quick", "--draws", "0"), ("sweep", "study.json", "-o", "out"), ("dataset", "study.json", "-o", "out")):
        done = subprocess.run([DCSIM, *command], cwd=sound, env=dict(os.environ, DCSIM_DATADIR=ROOT), stdin=subprocess.DEVNULL, capture_output=True, check=False)
        if done.returncode not in (0, 1):
            sys.exit("special_files: dcsim %s: %d: %s" % (" ".join(command), done.returncode, done.stderr.decode()))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--offset", type=int, default=0)
    parser.add_argument("--limit", type=float, default=60)
    parser.add_argument("--verbose", action="store_true")
    arguments = parser.parse_args()
    faults, tried, longest = 0, collections.Counter(), (0, "")
    with tempfile.TemporaryDirectory(prefix="special-") as root:
        prepare(root)
        os.chdir(root)
        cases = [(row, thing) for row in rows() for thing in THINGS]
        for number in range(arguments.offset, len(cases), arguments.every):
            row, thing = cases[number]
            began = time.monotonic()
            wrong, said = try_one(root, number, row, thing, arguments.limit)
            longest = max(longest, (time.monotonic() - began, " ".join(row[0])))
            shutil.rmtree(os.path.join(root, str(number)), ignore_errors=True)
            shutil.rmtree(os.path.join(root, "outside"), ignore_errors=True)
            tried[thing if wrong is not None else "not made"] += 1
            faults += bool(wrong)
            if wrong or arguments.verbose:
                print("%s: dcsim %s with a %s as %s: %s: %s" % (number, " ".join(row[0]), thing, row[1], ", ".join(wrong or ["right"]), said.strip().replace("\n", " | ")[:200]), flush=True)
        os.chdir("/")
    print("%d cases (%s), %d faults, longest %.1f s (%s)" % (sum(tried.values()), ", ".join("%d %s" % (count, thing) for thing, count in sorted(tried.items())), faults, *longest))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
