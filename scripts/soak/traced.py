#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Hostile files under a tracer: which files does dcsim read and write that it should not?

    scripts/soak/traced.py [--draws 200] [--seed 1] [--limit 120] [--verbose]

Each draw makes a folder with a scene, a robot, a mesh or a run whose names lead elsewhere (.., absolute paths, links, pipes, devices), drawn from the kinds
below, and runs one command of dcsim on it under strace.  A file that was opened to be read must lie in the folder, in the data directory, in a folder of the system's libraries or
settings, or in the temporary folder that the draw has of its own; one that was opened to be written, made, renamed, linked or removed must lie in the folder or
that temporary one.  Trajectories of strangers (hostile_hdf5.py) are drawn where python3 has h5py, numpy; --kinds names the kinds to draw.  Opens that fail and paths that are only looked at are no faults.  Outside of the folder stand a secret, a victim, a pipe and a link to each.
Programs that do these things are tried first, and must be seen.
A signal, a command line that is none (2), a run that takes longer than --limit seconds and bytes of the secret in what is printed or written are faults, too.  Exits with 1 where there is a fault, 2 without strace.
"""
import argparse
import collections
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

try:
    import hostile_hdf5
except ImportError:  # no h5py
    hostile_hdf5 = None

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
SYSTEM = ("/lib", "/lib64", "/usr", "/etc", "/proc", "/sys", "/opt")  # libraries, settings, what the kernel tells
DEVICES = ("/dev/null", "/dev/urandom", "/dev/random", "/dev/shm", "/dev/tty")
HIDDEN = ("/etc/shadow", "/proc/self/environ")  # which no library reads
SECRET = "1234567.25 7654321.75 3.5"
CALL = re.compile(r"(\w+)\((.*)\)\s+= (-?\d+)(?:<([^>]*)>)?")
TEXT = re.compile(r'(?:(AT_FDCWD|\d+)(?:<([^>]*)>)?, )?"((?:[^"\\]|\\.)*)"')
CHANGES = {"rename", "renameat", "renameat2", "unlink", "unlinkat", "mkdir", "mkdirat", "link", "linkat", "symlink", "symlinkat", "truncate", "chmod", "fchmodat", "mknod", "mknodat", "rmdir", "creat"}
TETRAHEDRON = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n"


class Place:
    """The folder of a draw, and what lies beside it."""

    def __init__(self, root, generator):
        self.root, self.random = root, generator
        self.work, self.out = os.path.join(root, "work"), os.path.join(root, "outside")
        for folder in (self.work, self.out, os.path.join(root, "tmp"), os.path.join(root, "home")):
            os.mkdir(folder)
        for name, text in (("secret", SECRET + "\n"), ("secret.obj", "# %s\n%s" % (SECRET, TETRAHEDRON)), ("secret.stl", "solid a\n"), ("secret.json", '{"secret": "%s"}' % SECRET),
                           ("secret.xml", "<mujoco model='%s'/>" % SECRET), ("secret.csv", "time,a.x\n0,%s\n" % SECRET.split()[0]), ("secret.bin", SECRET * 40), ("victim", "untouched")):
            self.write(os.path.join(self.out, name), text)
        os.mkfifo(os.path.join(self.out, "pipe"))
        self.names, self.note = 0, ""

    def write(self, name, text):
        path = os.path.join(self.work, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as file:
            file.write(text)

    def elsewhere(self, ending="obj"):
        """A name that leads out of the folder."""
        self.names += 1
        target = self.random.choice(("secret." + ending, "secret.obj", "secret", "pipe", "secret.bin"))
        link = "link%d.%s" % (self.names, ending)
        kind = self.random.randrange(6)
        if kind == 0:
            return "../outside/" + target
        if kind == 1:
            return os.path.join(self.out, target)
        if kind == 2:
            return self.random.choice(("/etc/passwd", "/etc/shadow", "/dev/zero", "/dev/stdin", "/proc/self/environ", "file:///etc/passwd", "file://" + os.path.join(self.out, target)))
        if kind == 3:
            os.symlink("../outside/" + target, os.path.join(self.work, link))
            return link
        if kind == 4:
            os.symlink("../outside", os.path.join(self.work, "folder%d" % self.names))
            return "folder%d/%s" % (self.names, target)
        return "./x/../../outside/" + target


def scene_of(shape=None, **more):
    scene = {"name": "s", "time": {"step": 0.01, "steps": 2}, "contact": {"model": "bsh"}}
    if shape:
        scene.update(shapes={"m": shape}, bodies=[{"name": "b", "shape": "m"}])
    scene.update(more)
    return scene


KINDS = {}


def kind(function):
    KINDS[function.__name__] = function
    return function


def put(place, scene):
    place.write("scene.json", json.dumps(scene))
    return place.random.choice((["check", "scene.json"], ["simulate", "scene.json", "-o", "run", "--no-report"], ["import", "scene.json", "-o", "again.json"], ["query", "scene.json", "--manifold", "-o", "p.png"], ["probe", "scene.json"]))


@kind
def mesh_names(place):
    return put(place, scene_of({"type": "mesh", "file": place.elsewhere(place.random.choice(("obj", "stl", "ply", "dae", "off", "glb")))}))


@kind
def obj_materials(place):
    place.write("m.obj", "mtllib %s\nusemtl a\nmap_Kd %s\n%s" % (place.elsewhere(), place.elsewhere(), TETRAHEDRON))
    return put(place, scene_of({"type": "mesh", "file": "m.obj"}))


@kind
def gltf(place):
    views = [{"buffer": 0, "byteLength": 48}, {"buffer": 0, "byteOffset": 48, "byteLength": 24}]
    accessors = [{"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3", "min": [0, 0, 0], "max": [1, 1, 1]}, {"bufferView": 1, "componentType": 5123, "count": 12, "type": "SCALAR"}]
    place.write("m.gltf", json.dumps({"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0}], "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
                                      "buffers": [{"uri": place.elsewhere("bin"), "byteLength": 72}], "images": [{"uri": place.elsewhere("bin")}], "bufferViews": views, "accessors": accessors}))
    return put(place, scene_of({"type": "mesh", "file": "m.gltf"}))


@kind
def collada(place):
    place.write("m.dae", "<?xml version='1.0'?><!DOCTYPE COLLADA [<!ENTITY x SYSTEM '%s'>]><COLLADA xmlns='http://www.collada.org/2005/11/COLLADASchema' version='1.4.1'><library_images><image id='i'>"
                "<init_from>%s</init_from></image></library_images><scene><instance_visual_scene url='%s#s'/></scene>&x;</COLLADA>" % (place.elsewhere(), place.elsewhere(), place.elsewhere()))
    return put(place, scene_of({"type": "mesh", "file": "m.dae"}))


@kind
def ply(place):
    place.write("m.ply", "ply\nformat ascii 1.0\ncomment TextureFile %s\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\nelement face 4\nproperty list uchar int vertex_indices\nend_header\n"
                "0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 2 1\n3 0 1 3\n3 1 2 3\n3 2 0 3\n" % place.elsewhere())
    return put(place, scene_of({"type": "mesh", "file": "m.ply"}))


@kind
def urdf(place):
    names = [place.random.choice((place.elsewhere(), "package://p/" + place.elsewhere(), "package://../" + place.elsewhere(), "model://" + place.elsewhere())) for _ in range(2)]
    place.write("r.urdf", "<?xml version='1.0'?><!DOCTYPE r [<!ENTITY x SYSTEM '%s'>]><robot name='r'><link name='a'><visual><geometry><mesh filename='%s'/></geometry></visual><collision><geometry>"
                "<mesh filename='%s'/></geometry></collision></link></robot>" % (place.elsewhere(), *names) if place.random.random() < .3 else
                "<robot name='r'><link name='a'><visual><geometry><mesh filename='%s'/></geometry></visual><collision><geometry><mesh filename='%s'/></geometry></collision></link></robot>" % tuple(names))
    return put(place, scene_of(include=place.random.choice(("r.urdf", {"file": "r.urdf", "srdf": place.elsewhere("xml")}))))


@kind
def mjcf(place):
    text = place.random.choice(("<include file='%s'/>", "<INCLUDE file='%s'/>", "<asset><mesh file='%s'/></asset>", "<asset><hfield name='h' file='%s' size='1 1 1 1'/></asset>", "<asset><texture file='%s' type='2d'/></asset>",
                                "<compiler meshdir='%s'/><asset><mesh file='secret.obj' name='m'/></asset>", "<asset><model file='%s'/></asset>", "<extension><plugin plugin='%s'/></extension>"))
    place.write("r.xml", "<mujoco>" + text % place.elsewhere(place.random.choice(("obj", "xml", "stl"))) + "<worldbody><body name='a'><freejoint/><geom size='.1'/></body></worldbody></mujoco>")
    return put(place, scene_of(include={"file": "r.xml", "unsupported": "skip"}))


@kind
def sdf(place):
    text = place.random.choice(("<include><uri>%s</uri></include>", "<include><uri>model://%s</uri></include>",
                                "<model name='m'><link name='l'><collision name='c'><geometry><mesh><uri>%s</uri></mesh></geometry></collision></link></model>"))
    place.write("r.sdf", "<sdf version='1.9'><world name='w'>" + text % place.elsewhere("xml") + "</world></sdf>")
    return put(place, scene_of(include="r.sdf"))


@kind
def scene_files(place):
    more = place.random.choice(({"include": place.elsewhere("xml")}, {"bodies": [{"name": "b", "soft": {"type": "solid", "file": place.elsewhere("bin")}}]},
                                {"objective": [{"type": "track", "file": place.elsewhere("csv")}]}, {"shapes": {"m": {"type": "points", "file": place.elsewhere("csv")}}}))
    return put(place, scene_of(None, **more) if "bodies" in more else scene_of(None if "shapes" in more else {"type": "sphere", "radius": 0.1}, **more))


def make_run(place):
    scene = scene_of({"type": "sphere", "radius": 0.1}, objective=[{"type": "reach", "body": "b", "target": [0, 0, 0]}], control=[{"type": "initial_state", "body": "b", "velocity": "x"}],
                     optimizer={"type": "adam", "iterations": 2})
    place.write("scene.json", json.dumps(scene))
    subprocess.run([place.dcsim, "optimize", "scene.json", "-o", "run", "--quiet", "--no-report"], cwd=place.work, capture_output=True, env=place.environment)


def reads_run(place):
    """A command that reads the run."""
    return place.random.choice((["report", "run"], ["verify", "run"], ["verify", "--untrusted", "run"], ["export", "run", "--format", "csv"], ["export", "run", "--format", "glb"], ["export", "run", "--format", "mjcf"], ["diff", "run", "run"],
                                ["render", "run", "--size", "32x32"], ["optimize", "--resume", "run", "--quiet"], ["simulate", "scene.json", "--control", "run", "-o", "other"], ["export", "run", "--format", "npz"]))


@kind
def runs(place):
    make_run(place)
    files = sorted(os.listdir(os.path.join(place.work, "run")))
    for _ in range(place.random.randint(1, 2)):
        name = os.path.join(place.work, "run", place.random.choice(files + ["frames", "export", "meshes", "trajectory.h5", "resolved.json", "checkpoint.bin"]))
        shutil.rmtree(name, ignore_errors=True) if os.path.isdir(name) and not os.path.islink(name) else os.path.lexists(name) and os.unlink(name)
        os.symlink(place.random.choice(("../../outside/secret.json", "../../outside", "../../outside/pipe", "/etc/passwd", "../../outside/victim")), name)
    return reads_run(place)


def trajectories(place):
    make_run(place)
    hostile_hdf5.make_secret(place.out, float(SECRET.split()[0]))
    name, way = hostile_hdf5.forge(os.path.join(place.work, "run", "trajectory.h5"), place.random, place.out)
    place.note = " (%s of %s)" % (way, name)
    return reads_run(place)


if hostile_hdf5:
    kind(trajectories)


@kind
def outputs(place):
    scene = scene_of({"type": "sphere", "radius": 0.1})
    place.write("scene.json", json.dumps(scene))
    end = place.random.choice(("json", "npz", "png"))
    os.symlink("../outside/victim", os.path.join(place.work, "file." + end))
    return ["import", "scene.json", "-o", "file.json"] if end == "json" else ["query", "scene.json", "--manifold", "-o", "file." + end]


def opened(log, work):
    """Paths that a trace shows as opened or changed: (path, whether written)."""
    folders = {}
    with open(log, errors="replace") as file:
        for line in file:
            process = line.split(None, 1)[0]
            call = CALL.search(line)
            if not call or int(call[3]) < 0:
                continue
            name, arguments, _, result = call.groups()
            if name in ("chdir",):
                folders[process] = os.path.join(folders.get(process, work), TEXT.search(arguments)[3])
                continue
            if name in ("open", "openat", "openat2", "creat"):
                write = name == "creat" or bool(re.search(r"O_WRONLY|O_RDWR|O_CREAT|O_TRUNC", arguments))
                if "O_PATH" not in arguments and result:
                    yield result.replace(" (deleted)", ""), write
            elif name in CHANGES:
                for descriptor, folder, path in TEXT.findall(arguments):
                    base = folder if descriptor and descriptor != "AT_FDCWD" and folder else folders.get(process, work)
                    whole = os.path.join(base, path)
                    yield os.path.join(os.path.realpath(os.path.dirname(whole)), os.path.basename(whole)), True


def is_below(path, folders):
    return any(path == folder or path.startswith(folder.rstrip("/") + "/") for folder in folders)


def try_one(arguments, seed, program=None):
    """Kind, command and faults of a draw; program: of a shell, in dcsim's stead."""
    generator = random.Random(seed)
    root = os.path.realpath(tempfile.mkdtemp(prefix="traced-"))
    try:
        place = Place(root, generator)
        place.dcsim = arguments.dcsim
        place.environment = dict(os.environ, TMPDIR=os.path.join(root, "tmp"), HOME=os.path.join(root, "home"), DCSIM_DATADIR=arguments.data)
        name = generator.choice(arguments.kinds.split(",") if arguments.kinds else sorted(KINDS)) if program is None else "control"
        command = KINDS[name](place) if program is None else ["-c", program]
        log = os.path.join(root, "log")
        faults = []
        try:
            done = subprocess.run(["strace", "-f", "-qq", "-y", "-s", "400", "-e", "trace=%file,chdir", "-o", log, arguments.dcsim if program is None else "/bin/sh", *command], cwd=place.work, env=place.environment,
                                  stdin=subprocess.DEVNULL, capture_output=True, timeout=arguments.limit)
            if done.returncode < 0 or done.returncode > 100 or (done.returncode == 2 and program is None):
                faults.append("status %d" % done.returncode)
            if any(part.encode() in done.stdout + done.stderr for part in SECRET.split()[:2]):
                faults.append("prints the secret")
        except subprocess.TimeoutExpired:
            faults.append("not done after %g s" % arguments.limit)
        devices = [path for path in DEVICES if not is_below(root, (path,))]  # a folder in shared memory is none
        read = (place.work, os.path.join(root, "tmp"), os.path.join(root, "home"), arguments.data, os.path.dirname(arguments.dcsim), *SYSTEM, *devices)
        for path, written in opened(log, place.work):
            allowed = (place.work, os.path.join(root, "tmp"), *devices) if written else read
            if path.startswith(("pipe:", "socket:", "anon_inode:")) or (is_below(path, allowed) and path not in HIDDEN):
                continue
            faults.append("%s %s" % ("writes" if written else "reads", path.replace(root, "...")))
        with open(os.path.join(place.out, "victim")) as file:
            if file.read() != "untouched":
                faults.append("changed the victim")
        for where, _, names in os.walk(place.work):
            for file in names:
                path = os.path.join(where, file)
                if os.path.isfile(path) and not os.path.islink(path) and SECRET.split()[0].encode() in open(path, "rb").read():
                    faults.append("writes the secret into " + path.replace(root, "..."))
        return name + place.note, command, sorted(set(faults))
    finally:
        shutil.rmtree(root, ignore_errors=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--limit", type=float, default=120)
    parser.add_argument("--dcsim", default=os.path.join(ROOT, "build/dcsim"))
    parser.add_argument("--data", default=ROOT)
    parser.add_argument("--kinds", default="")
    parser.add_argument("--verbose", action="store_true")
    arguments = parser.parse_args()
    arguments.dcsim, arguments.data = os.path.realpath(arguments.dcsim), os.path.realpath(arguments.data)
    if not shutil.which("strace"):
        print("traced: there is no strace (Debian: strace)", file=sys.stderr)
        return 2
    for program in ("cat ../outside/secret", "exec 3<../outside/secret.obj", "echo >>../outside/victim", "mv ../outside/secret.csv .", "exec 3</etc/shadow"):
        if not try_one(arguments, "control", program)[2]:
            print("traced: the tracer does not see `%s`" % program, file=sys.stderr)
            return 2
    counts, wrong = collections.Counter(), 0
    for k in range(arguments.draws):
        name, command, faults = try_one(arguments, "%d %d" % (arguments.seed, k))
        counts[name.split(" ")[0]] += 1
        wrong += bool(faults)
        if faults or arguments.verbose:
            print("%s: draw %d, %s, dcsim %s: %s" % ("fault" if faults else "fine", k, name, " ".join(command), "; ".join(faults)), flush=True)
    print("%d draws, %d with faults (%s)" % (arguments.draws, wrong, ", ".join("%d %s" % (count, name) for name, count in sorted(counts.items()))))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
