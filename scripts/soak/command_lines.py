#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every command with drawn operands, options, limits, streams, folders and signals.

    scripts/soak/command_lines.py [--draws 1000] [--seed 1] [--first 0] [--limit 60] [--only COMMAND,...] [--verbose]

A draw takes a command line that works, and may put something hostile in the place of an operand, add options of `dcsim COMMAND --help` with right or wrong values, and run it with a small limit of file size, address
space, stack or descriptors, with closed or full streams, in a folder that is gone, with odd variables of the environment, or with a signal after a drawn time.  Right are: a status that the manual names, or, after a
signal that ends programs, that signal; a message with every failure; an end within --limit seconds of processor time; no file that was there and that the command line does not name is another one, nor a left-over
of writing; and with status 0 under a limit of file size, or with a full standard output, the files and the output of an undisturbed run.  DCSIM is the program, default build/dcsim; built with sanitizers, address
space is not limited.  Draws are numbered: the same seed and number are the same draw.  Exits with 1 when something is wrong.
"""
import argparse
import collections
import json
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from special_files import DCSIM, FILES, ROOT, contents

STATUSES = range(0, 10)
REPORTS = (b"AddressSanitizer", b"runtime error:", b"LeakSanitizer", b"UndefinedBehavior")
SCENE = FILES["scene.json"]
SPHERES = {"s": {"type": "sphere", "radius": 0.1}, "b": {"type": "box", "size": [0.2, 0.2, 0.2]}, "plane": {"type": "plane"}}
MORE = {
    "plant.json": dict(SCENE, plant={"contact": {"model": "manifold"}}, optimizer={"type": "adam", "iterations": 1}),
    "auto.json": {key: value for key, value in SCENE.items() if key != "optimizer"},
    "designed.json": dict(SCENE, design=[{"type": "number", "of": "mass", "bodies": ["a"]}]),
    "soft.json": {"time": {"step": 0.01, "steps": 2}, "shapes": SPHERES, "bodies": [{"name": "floor", "shape": "plane", "joint": "fixed"}, {"name": "j", "position": [0, 0, 1], "soft": {"file": "s.msh", "young": 1e4}}]},
    "grasp.json": {"problem": "refine", "shapes": SPHERES, "bodies": [{"name": "o", "shape": "s", "joint": "fixed"}, {"name": "f", "shape": "b", "mass": 1, "position": [0.5, 0, 0]}], "pairs": [{"object": "o", "object_point": [0.1, 0, 0], "link": "f", "link_point": [-0.1, 0, 0]}]},
    "windows.json": dict(SCENE, horizon={"length": 2, "iterations": 1}),
    "recording.csv": "time,a.x,a.y,a.z\n0,0,0,1\n0.02,0,0,1\n",
}
WORKING = [
    "new", "new push fresh.json", "example", "example two_balls", "simulate scene.json -o new", "simulate soft.json -o new --frames 1", "optimize scene.json -o new", "optimize auto.json -o new --max-time 1",
    "optimize plant.json -o new", "optimize designed.json -o new", "optimize grasp.json -o new", "optimize windows.json -o new", "optimize --resume run", "optimize scene.json --control run -o new --frames 1",
    "gradcheck scene.json", "gradcheck soft.json --steps 1", "probe scene.json", "probe soft.json", "query scene.json --manifold -o new.npz", "query scene.json --manifold -o new.png", "check scene.json", "check soft.json",
    "check grasp.json", "check of_robot.json", "view run", "view scene.json", "render run --every 1000 --size 32x32", "render run --video new.mp4 --size 32x32", "report run", "report run run", "import robot.urdf -o new.json",
    "import robot.xml -o new.json", "export run --format csv", "export run --format npz -o new.npz", "export run --format glb -o new.glb", "export run --format mjcf -o new.xml", "export run --format urdf",
    "diff run run", "diff run run --json", "verify run --quick --draws 1", "verify run --untrusted --quick --draws 0 -o new.json", "list", "list shapes", "schema", "sweep study.json -o fresh -j 2", "sweep study.json -o out",
    "dataset study.json -o fresh -j 2", "dataset study.json -o out --gather", "bench", "bench tasks --set tasks=1 --write fresh", "completion bash", "completion zsh", "help", "help optimize", "--help", "--version",
]
RUNS = ("optimize --resume", "render", "report", "export", "verify", "view run")  # commands that write into the run that they name
HOSTILE = [b"", b".", b"..", b"/", b"/dev/null", b"/dev/zero", b"/dev/full", b"/dev/stdin", b"/dev/stdout", b"/proc/self/mem", b"/proc/self/fd/1", b"/proc/kmsg", b"pipe", b"socket", b"folder", b"loop", b"gone/x", b"scene.json/",
           b"scene.json/x", b"new\nline", b"\xff\xfe\x01", b"a" * 300, b"x/" * 3000, b"y" * 70000, b"-", b"--", b"--help", b"none", b"%s%n%x", b"~", b"*", b"'\"`$(x)", b"run", b"out", b"study.json", b"s.msh", b"m.obj", b"robot.xml",
           b"{}", b"0", b"-1", b"1", b"2", b"7", b"1e999", b"nan", b"inf", b"0x10", b" 1", b"1 ", b"1e-320", b"99999999999999999999", b"2147483648", b"1024", b"1,2,3", b"1,2", b"32x32", b"0x0", b"99999x99999", b"-5x5", b"1/2",
           b"3/2", b"0/1", b"bsh", b"mujoco", b"manifold", b"csv", b"none,none", b"time.steps=2", b"time.steps=1e9", b"time.step=0", b"=", b"a=", b"=1", b"bodies.a.mass=1e400", b"bodies[999999999]=1", b"bodies.a={\"name\":\"a\"}",
           b"shapes.m=[" + b"[" * 5000, b"optimizer.iterations=3", b"contact.model=ipc", b"gravity=[0,0]", b"name=\"\\u0000\"", b"x\0"]
LIMITS = {"fsize": (0, 1, 100, 2000, 10000, 50000), "as": (160 << 20, 300 << 20, 600 << 20, 1200 << 20), "stack": (32 << 10, 64 << 10, 256 << 10, 1 << 20), "nofile": (0, 3, 4, 5, 6, 8, 12, 20)}
STREAMS = ("closed stdin", "closed stdout", "closed stderr", "full stdout", "full stderr", "cut stdout", "all closed")
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGPIPE, signal.SIGUSR1, signal.SIGXFSZ, signal.SIGWINCH, signal.SIGCHLD)
ODD = ({"TMPDIR": "/nowhere"}, {"HOME": ""}, {"PATH": ""}, {"LANG": "xx", "LC_ALL": "de_DE.UTF-8"}, {"OMP_NUM_THREADS": "100000"}, {"OMP_NUM_THREADS": "-3"}, {"OMP_STACKSIZE": "1"}, {"DCSIM_DATADIR": "/nowhere"},
       {"DCSIM_DATADIR": "x" * 5000}, {"TZ": "x" * 3000}, {"COLUMNS": "-1"}, {"OPENBLAS_NUM_THREADS": "0"}, {"TMPDIR": "pipe"}, {"DCSIM_DATADIR": ""}, {"HDF5_USE_FILE_LOCKING": "x"}, {"MALLOC_PERTURB_": "165"})
SANITIZED = "AddressSanitizer" in subprocess.run([DCSIM, "--version"], env=dict(os.environ, ASAN_OPTIONS="help=1"), capture_output=True, text=True, check=False).stderr


def options_of(command, cache={}):
    """(name, whether it takes a value) of all options of a command."""
    if command not in cache:
        said = subprocess.run([DCSIM, command, "--help"], capture_output=True, text=True, check=False).stdout
        cache[command] = [(found.group(1), bool(found.group(2))) for found in re.finditer(r"^  (?:-\w, )?(--[a-z-]+)( [A-Z]\S*)?", said, re.M) if found.group(1) != "--help"]
    return cache[command]


def draw_case(draw, only):
    """(words, what else is odd as (kind, value)); most draws have one thing that is odd, some several."""
    words = [word.encode() for word in draw.choice([line for line in WORKING if not only or line.split()[0] in only]).split()]
    odd = []
    kinds = draw.choices(("operand", "option", "limit", "stream", "signal", "odd", "folder"), (4, 6, 4, 2, 4, 2, 1), k=draw.choice((1, 1, 1, 2, 3)))
    for kind in kinds:
        if kind == "operand" and len(words) > 1:
            place = draw.randrange(1, len(words))
            words[place] = draw.choice(HOSTILE).replace(b"\0", b"")
        elif kind == "option":
            options = options_of(words[0].decode("utf8", "replace")) if not words[0].startswith(b"--") else []
            for _ in range(draw.choice((1, 1, 2))):
                if options:
                    name, valued = draw.choice(options)
                    value = draw.choice(HOSTILE + [b"run", b"folder", b"new2"] * 3).replace(b"\0", b"")
                    words += [name.encode(), value] if valued and draw.random() < 0.9 else [name.encode()] if not valued or draw.random() < 0.5 else [name.encode() + b"=" + value]
        elif kind == "limit":
            name = draw.choice(sorted(LIMITS))
            if not (SANITIZED and name in ("as", "stack")):
                odd.append(("limit", (name, draw.choice(LIMITS[name]))))
        elif kind == "stream":
            odd.append(("stream", draw.choice(STREAMS)))
        elif kind == "signal":
            odd.append(("signal", (draw.choice(SIGNALS), draw.choice((0.002, 0.02, 0.1, 0.3, 1)) * draw.random(), draw.choice((1, 1, 2)))))
        elif kind == "odd":
            odd.append(("environment", draw.choice(ODD)))
        elif kind == "folder":
            odd.append(("folder", draw.choice(("gone", "long"))))
    return words, [pair for i, pair in enumerate(odd) if pair[0] not in ("folder", "stream") or pair[0] not in [other[0] for other in odd[:i]]]


def prepared(folder, odd, limit):
    """What the child does before it becomes the program."""
    def prepare():
        os.chdir(folder)
        resource.setrlimit(resource.RLIMIT_CPU, (int(limit), int(limit) + 1))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        for kind, value in odd:
            if kind == "folder" and value == "gone":
                os.mkdir("gone folder")
                os.chdir("gone folder")
                os.rmdir("../gone folder")
            if kind == "stream":
                if value in ("closed stdin", "all closed"):
                    os.close(0)
                if value in ("closed stdout", "all closed"):
                    os.close(1)
                if value in ("closed stderr", "all closed"):
                    os.close(2)
                for number, name in ((1, "stdout"), (2, "stderr")):
                    if value == "full " + name:
                        full = os.open("/dev/full", os.O_WRONLY)
                        os.dup2(full, number)
                        os.close(full)
                if value == "cut stdout":
                    reads, writes = os.pipe()
                    os.dup2(writes, 1)
                    os.close(reads)
                    os.close(writes)
        for kind, value in odd:
            if kind == "limit":
                name, size = value
                which = {"fsize": resource.RLIMIT_FSIZE, "as": resource.RLIMIT_AS, "stack": resource.RLIMIT_STACK, "nofile": resource.RLIMIT_NOFILE}[name]
                hard = resource.getrlimit(which)[1]
                resource.setrlimit(which, (size, hard if name == "stack" and size % (64 << 10) == 0 else size))
    return prepare


def execute(words, odd, folder, limit):
    """(status, standard output, standard error); None: not done."""
    environment = dict(os.environ, DCSIM_DATADIR=ROOT, HOME=folder, PYTHONDONTWRITEBYTECODE="1", ASAN_OPTIONS="detect_leaks=0:allocator_may_return_null=1")
    signals = []
    for kind, value in odd:
        if kind == "environment":
            environment.update(value)
        if kind == "signal":
            signals.append(value)
    if words[0] == b"view":
        signals = [(number, delay, count) for number, delay, count in signals if number in (signal.SIGPIPE, signal.SIGUSR1, signal.SIGWINCH)] + [(signal.SIGTERM, 1, 2)]
    with open(os.path.join(folder, ".out"), "wb") as out, open(os.path.join(folder, ".err"), "wb") as err:
        process = subprocess.Popen([DCSIM.encode(), *words], env=environment, stdin=subprocess.DEVNULL, stdout=out, stderr=err, preexec_fn=prepared(folder, odd, limit), start_new_session=True, close_fds=False)
        until = time.monotonic() + 10 * limit
        for number, delay, count in signals:
            for _ in range(count):
                try:
                    process.wait(timeout=delay)
                except subprocess.TimeoutExpired:
                    process.send_signal(number)
        try:
            status = process.wait(timeout=max(1, until - time.monotonic()))
        except subprocess.TimeoutExpired:
            status = None
        try:
            os.killpg(process.pid, signal.SIGKILL)  # what the command has started and left
            left = True
        except ProcessLookupError:
            left = False
        process.wait()
    with open(os.path.join(folder, ".out"), "rb") as out, open(os.path.join(folder, ".err"), "rb") as err:
        result = status, out.read(), err.read()
    os.unlink(os.path.join(folder, ".out"))
    os.unlink(os.path.join(folder, ".err"))
    return (*result, left)


def compare_files(folder, before, words):
    """Files that are others, or new in a way that they should not be."""
    after, wrong = contents(folder), []
    line = b" ".join(words)
    touched = [word.strip(b"/").split(b"=")[-1].split(b"/")[0] for word in words]
    for path, (kind, content) in before.items():
        name = os.path.relpath(path, folder)
        top = name.split("/")[0].encode("utf8", "surrogateescape")
        if top in touched or (top == b"out" and b"out" in line):
            continue
        if after.get(path) != (kind, content):
            wrong.append("%s is another one" % name if path in after else "%s is gone" % name)
    for path in after:
        name = os.path.relpath(path, folder)
        if path not in before and re.search(r"\.tmp\b|\.tmp-", name):
            wrong.append("%s is left over" % name[:100])
    return wrong


def try_one(root, number, words, odd, limit):
    folder = os.path.join(root, "d%d" % number)
    if ("folder", "long") in odd:
        folder = os.path.join(folder, *["f" * 200] * 12)
        os.makedirs(os.path.dirname(folder))
    shutil.copytree(os.path.join(root, "sound"), folder, symlinks=True)
    os.mkfifo(os.path.join(folder, "pipe"))
    os.symlink("loop", os.path.join(folder, "loop"))
    os.mkdir(os.path.join(folder, "folder"))
    before = contents(folder)
    status, out, err, left = execute(words, odd, folder, limit)
    kinds = {kind: value for kind, value in odd}
    stream, limits, wrong = kinds.get("stream", ""), [value for kind, value in odd if kind == "limit"], []
    sent = {value[0] for kind, value in odd if kind == "signal"} | ({signal.SIGTERM} if words[0] == b"view" else set())
    early = {value[0] for kind, value in odd if kind == "signal" and value[1] < 0.3}  # before there is a handler
    ends = ({signal.SIGINT, signal.SIGTERM, signal.SIGHUP} & sent) | early
    if status is None:
        wrong.append("not done")
    elif status == -signal.SIGPIPE and stream in ("cut stdout", "all closed") or status == -signal.SIGPIPE and signal.SIGPIPE in sent:
        pass
    elif status < 0 and -status not in ends:
        few = [name for name, size in limits if (name, size) in (("stack", 32 << 10), ("as", 160 << 20))]
        if not few:
            wrong.append("signal %d" % -status)
    elif status == 127 and any(name in ("as", "nofile") for name, _ in limits):
        pass  # of the loader
    elif status >= 0 and status not in STATUSES and status - 128 not in ends:
        wrong.append("status %d" % status)
    if any(text in err for text in REPORTS):
        wrong.append("a report of a sanitizer")
    silent = stream in ("closed stderr", "full stderr", "all closed") or any(name == "fsize" for name, _ in limits) or ends
    if status and status > 0 and not err.strip() and not silent and status not in (1,):
        wrong.append("no message")
    if left:
        wrong.append("a process is left")
    wrong += compare_files(folder, before, words) if not ends and status != -signal.SIGPIPE else []
    if status == 0 and not sent and (any(name == "fsize" for name, _ in limits) or stream in ("full stdout", "closed stdout")):
        wrong += [] if words[0] == b"help" else beside_undisturbed(root, words, odd, folder, limit, out, stream, before)
    shutil.rmtree(os.path.join(root, "d%d" % number))
    return status, wrong, err.decode("utf8", "replace")


def beside_undisturbed(root, words, odd, folder, limit, out, stream, before):
    """What a run that says that all is well lacks beside one without limits."""
    other, wrong = os.path.join(root, "other"), []
    shutil.copytree(os.path.join(root, "sound"), other, symlinks=True)
    os.mkfifo(os.path.join(other, "pipe"))
    os.symlink("loop", os.path.join(other, "loop"))
    os.mkdir(os.path.join(other, "folder"))
    easy = [pair for pair in odd if pair[0] == "environment"]
    status, said, _, _ = execute(words, easy, other, limit)
    if stream in ("full stdout", "closed stdout") and said.strip():
        wrong.append("status 0 without its output")
    if status == 0 and not stream and len(out) < 0.5 * len(said):
        wrong.append("status 0 with %d of %d bytes of output" % (len(out), len(said)))
    for path, (_, content) in contents(other).items():
        name = os.path.relpath(path, other)
        made = os.path.join(folder, name)
        if content is not None and os.path.join(folder, name) not in before and "20" not in name:
            size = os.path.getsize(made) if os.path.exists(made) else -1
            if size < 0.5 * len(content):
                wrong.append("status 0 with %d of %d bytes of %s" % (size, len(content), name))
    shutil.rmtree(other)
    return wrong


def prepare(root):
    sound = os.path.join(root, "sound")
    os.mkdir(sound)
    for name, content in dict(FILES, **MORE).items():
        with open(os.path.join(sound, name), "w") as file:
            file.write(content if isinstance(content, str) else json.dumps(content))
    for command in ("optimize scene.json -o run", "dataset study.json -o out"):
        done = subprocess.run([DCSIM, *command.split()], cwd=sound, env=dict(os.environ, DCSIM_DATADIR=ROOT), stdin=subprocess.DEVNULL, capture_output=True, check=False)
        if done.returncode:
            sys.exit("command_lines: dcsim %s: %d: %s" % (command, done.returncode, done.stderr.decode()))
    for line in WORKING:
        if not line.startswith(("view", "bench", "--", "dataset")):
            folder = os.path.join(root, "w")
            shutil.copytree(sound, folder)
            done = subprocess.run([DCSIM, *line.split()], cwd=folder, env=dict(os.environ, DCSIM_DATADIR=ROOT), stdin=subprocess.DEVNULL, capture_output=True, check=False)
            if done.returncode not in (0, 1):
                print("command_lines: dcsim %s does not work: %d: %s" % (line, done.returncode, done.stderr.decode().strip()), flush=True)
            shutil.rmtree(folder)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--limit", type=float, default=60)
    parser.add_argument("--only", default="")
    parser.add_argument("--verbose", action="store_true")
    arguments = parser.parse_args()
    only = set(filter(None, arguments.only.split(",")))
    faults, ended = 0, collections.Counter()
    with tempfile.TemporaryDirectory(prefix="lines-") as root:
        prepare(root)
        for number in range(arguments.first, arguments.first + arguments.draws):
            words, odd = draw_case(random.Random("%d %d" % (arguments.seed, number)), only)
            began = time.monotonic()
            status, wrong, err = try_one(root, number, words, odd, arguments.limit)
            ended[status] += 1
            faults += bool(wrong)
            if wrong or arguments.verbose:
                line = " ".join(word.decode("utf8", "backslashreplace")[:60] for word in words)
                print("%d: dcsim %s %s: status %s after %.1f s: %s: %s" % (number, line, odd, status, time.monotonic() - began, ", ".join(wrong or ["right"]), err.strip().replace("\n", " | ")[:300]), flush=True)
    print("%d draws, %d faults; statuses %s" % (arguments.draws, faults, ", ".join("%s: %d" % (status, count) for status, count in sorted(ended.items(), key=str))))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
