#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Drawn calls of the Python package and of the C library with wrong arguments: none may end the process or last.

    scripts/soak/calls.py [--calls 1000] [--seed 1] [--each 50] [--limit 60] [--preload LIBRARY] [--log FILE]

Each child process makes --each calls of things that it draws, in a folder of its own, within --limit seconds of processor time (or a hundred times as long by the clock).  An exception, or a status of the library, is an answer; a signal, a report of a
sanitizer and a child that is not done are faults, which are printed with the last call.  Python: any public function or method of an open scene, problem or simulation, and callbacks that raise, answer nonsense or
call back.  C: any function of include/dcsim.h but for those that free: numbers, texts, members and sizes of structs and null pointers are drawn, what is no null pointer is memory that is large enough.  The library is that of
DCSIM_LIBRARY, or the build tree's.  --preload: the run-time library of the sanitizers that it was built with (gcc -print-file-name=libasan.so).  Exits with 1 when there is a fault.
"""
import argparse
import ctypes
import os
import random
import re
import resource
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SCENE = """{"name": "s", "time": {"step": 0.01, "steps": 4}, "shapes": {"s": {"type": "sphere", "radius": 0.1}, "f": {"type": "plane"}},
"bodies": [{"name": "f", "shape": "f", "joint": "fixed"}, {"name": "a", "shape": "s", "mass": 1, "position": [0, 0, 0.3]},
{"name": "b", "shape": "s", "mass": 1, "position": [1, 0, 0.5], "joint": {"type": "hinge", "axis": [0, 1, 0]}, "anchor": [1, 0, 1], "pd": {"kp": 3, "kd": 1}}],
"control": [{"type": "spline", "body": "b"}], "objective": [{"type": "reach", "body": "a", "target": [0.1, 0, 0.2]}], "optimizer": {"type": "adam", "iterations": 2}}"""
REPORTS = ("AddressSanitizer", "runtime error:", "LeakSanitizer", "UndefinedBehavior")
# Freeing what was freed, or what the package still holds, is no wrong argument.
FREES = ("close", "destroy", "free")


def hostile(draw, np):
    """One wrong argument, or a right one."""
    number = draw.choice([0, 1, -1, 7, -7, 2**31 - 1, -2**31, 2**63 - 1, 2**64, 10**40, 0.5, -0.0, float("nan"), float("inf"), -float("inf"), 1e308, 5e-324, 1e30])
    size = draw.choice([0, 1, 2, 6, 7, 8, 14, 100])
    return draw.choice([lambda: number, lambda: number, lambda: None, lambda: "", lambda: "a\0b", lambda: "x" * 5000, lambda: "../..", lambda: "none", lambda: b"\xff\xfe", lambda: [], lambda: {},
                        lambda: [None], lambda: object(), lambda: True, lambda: 1j, lambda: np.zeros(size), lambda: np.full(size, number if isinstance(number, float) else 0.0),
                        lambda: np.zeros((size, 2)), lambda: np.zeros(size, dtype=complex), lambda: np.array(["a"] * size), lambda: np.zeros(2 * size)[::2], lambda: (lambda *_: number), lambda: [[1], [1, 2]],
                        lambda: {"a": [number]}, lambda: {"name": number, "bodies": [{}] * size}, lambda: np.zeros(size, dtype=">f8"), lambda: np.zeros(size, dtype="f4"), lambda: np.array(0.0), lambda: np.zeros(size)[::-1],
                        lambda: np.array([number] * size, dtype=object), lambda: np.broadcast_to(0.0, size), lambda: np.ma.zeros(size), lambda: np.zeros(size, dtype="M8[s]"), lambda: memoryview(bytes(8 * size)),
                        lambda: "scene.json", lambda: "run", lambda: "run\0x", lambda: "pipe", lambda: iter(()), lambda: range(size), lambda: raising, lambda: (lambda *_: None), lambda: calling_back])()


HANDLES = []  # what callbacks may call


def raising(*_):
    raise random.choice((ValueError, KeyboardInterrupt, SystemExit, MemoryError, RecursionError))("of a callback")


def calling_back(*arguments):
    for handle in HANDLES[:4]:
        for name in ("value", "close", "trajectory", "step", "simulate"):
            try:
                getattr(handle, name)(*([0.0] * 4,) if name == "value" else ())
            except Exception:
                pass
    return 0.0


def is_callable(thing, name):
    try:
        return callable(getattr(thing, name))
    except Exception:  # a property of what is closed
        return False


def python_calls(draw, count, note):
    import numpy as np
    import dcsim
    import dcsim.environment
    scene = dcsim.open("scene.json")
    problem, simulation = scene.problem(), scene.simulation()
    HANDLES[:] = [scene.problem(), simulation, problem, scene]
    things = [dcsim, scene, problem, simulation, scene, problem, simulation, dcsim.run, dcsim.environment.Environment(scene)]
    for _ in range(count):
        thing = draw.choice(things)
        name = draw.choice([name for name in dir(thing) if not name.startswith("_") and name not in FREES and is_callable(thing, name)] or ["version"])
        arguments = [hostile(draw, np) for _ in range(draw.randrange(4))]
        keys = {key: hostile(draw, np) for key in draw.sample(["steps", "objective", "otherwise", "threads", "seed", "model", "overrides", "q", "qd", "target", "directory", "frames", "max_seconds", "progress", "resume", "control_run", "force",
                                                                   "checkpoint_seconds", "command_line", "plant", "gradient", "allowed_paths", "base_directory", "force", "only_objective"], draw.choice((0, 0, 1, 1, 2)))}
        note("%s.%s(%s, %s)" % (type(thing).__name__, name, ", ".join(repr(value)[:80] for value in arguments), repr(keys)[:120]))
        try:
            result = getattr(thing, name)(*arguments, **keys)
            if isinstance(result, (dcsim.Scene, dcsim.Problem, dcsim.Simulation)) and len(things) < 12:
                things.append(result)
        except (Exception, RecursionError):
            pass
        except (KeyboardInterrupt, SystemExit) as error:  # of a callback of ours
            if "of a callback" not in str(error):
                raise


class Header:
    """Functions and structs of include/dcsim.h as ctypes."""
    NUMBERS = {"int": ctypes.c_int, "size_t": ctypes.c_size_t, "uint64_t": ctypes.c_uint64, "int64_t": ctypes.c_int64, "double": ctypes.c_double, "long": ctypes.c_long}

    def __init__(self):
        with open(os.path.join(ROOT, "include", "dcsim.h")) as file:
            text = re.sub(r"//[^\n]*|^#[^\n]*(\\\n[^\n]*)*", "", file.read(), flags=re.M)
        self.callbacks = {}
        for result, name, arguments in re.findall(r"typedef (int|void) (dcsim_\w+)\(([^)]*)\);", text):
            self.callbacks[name] = ctypes.CFUNCTYPE(ctypes.c_int if result == "int" else None, *[ctypes.c_void_p] * (arguments.count(",") + 1))
        self.structs = {}
        for body, name in re.findall(r"typedef struct(?: \w+)? \{(.*?)\} (\w+);", text, re.S):
            fields = []
            for line in body.split(";"):
                fields += self.fields(" ".join(line.split()))
            self.structs[name] = type(name, (ctypes.Structure,), {"_fields_": fields})
        self.functions = {}
        for result, name, arguments in re.findall(r"^(int|void|const char \*|char \*)\s?(dcsim_\w+)\(([^)]*)\);", text, re.M):
            self.functions[name] = (result, [self.argument(" ".join(one.split())) for one in arguments.split(",") if one.strip() != "void"])

    def fields(self, line):
        if not line:
            return []
        function = re.match(r"(int|void) \(\*(\w+)\)\((.*)\)", line)
        if function:
            return [(function.group(2), ctypes.CFUNCTYPE(ctypes.c_int if function.group(1) == "int" else None, *[ctypes.c_void_p] * (function.group(3).count(",") + 1)))]
        kind, names = re.match(r"((?:const |struct )*\w+) (.*)", line).groups()
        made = []
        for name in names.split(","):
            name = name.strip()
            array = re.match(r"(\w+)\[(\d+)\]$", name)
            if array:
                made.append((array.group(1), (ctypes.c_char if kind == "char" else self.NUMBERS[kind]) * int(array.group(2))))
            elif "(*" in name or "*" in name:
                plain = kind.split()[-1]
                pointer = self.callbacks.get(plain) or (ctypes.c_char_p if plain == "char" and "*const" not in name else ctypes.POINTER(ctypes.c_char_p) if plain == "char" else ctypes.c_void_p)
                made.append((re.search(r"\w+(?=\)|$|\[)", name.replace("const", "")).group(0), pointer))
            else:
                made.append((name, self.NUMBERS[kind]))
        return made

    def argument(self, text):
        """(word for what it is, its type or name)."""
        kind, stars, _ = re.match(r"(?:const )?(?:struct )?(\w+) ((?:\*|const|\s)*)(\w+)$", text).groups()
        depth = stars.count("*")
        if kind in self.callbacks:
            return "callback", kind
        if depth == 0:
            return "number", self.NUMBERS[kind]
        if kind == "char":
            return ("texts" if depth == 2 else "text" if text.startswith("const") else "buffer"), None
        if kind in self.NUMBERS:
            return "buffer", None
        if kind in self.structs:
            return "struct", kind
        return ("handles" if depth == 2 else "handle"), kind


INTEGERS = [0, 0, 1, 3, -1, -7, 2**31 - 1, -2**31]
REALS = [0.0, 1.0, -1.0, float("nan"), float("inf"), 1e308]
TEXTS = [None, b"", b"none", b"nothing", b"\xff", b"x" * 3000, b"scene.json", b"run", b"study.json", b"robot.urdf", b".", b"/dev/zero", b"pipe", b"{", b"csv", b"npz", b"glb", b"mjcf", b"made/new.csv", b"new.csv", b"a=1", SCENE.encode()]


def drawn_struct(draw, kind, kept):
    struct = kind()
    for name, field in kind._fields_:
        if field is ctypes.c_int:
            setattr(struct, name, draw.choice(INTEGERS))
        elif field in (ctypes.c_size_t, ctypes.c_uint64, ctypes.c_int64, ctypes.c_long):
            setattr(struct, name, draw.choice([0, 1, 2**63 - 1, 2**64 - 1, ctypes.sizeof(kind) - 8, ctypes.sizeof(kind) + 8]) if name != "size" or draw.random() < 0.2 else ctypes.sizeof(kind))
        elif field is ctypes.c_double:
            setattr(struct, name, draw.choice(REALS))
        elif field is ctypes.c_char_p and kind.__name__ != "dcsim_report" and draw.random() < 0.4:
            setattr(struct, name, draw.choice(TEXTS) if name != "program" else draw.choice([None, b"", b"/bin/false", b"/nowhere"]))
        elif isinstance(field, type) and issubclass(field, ctypes._CFuncPtr):
            answer = draw.choice([0, 1, -1, -2]) if name != "watching" else 1
            if name == "watching" or draw.random() < 0.3:
                kept.append(field(lambda *_, answer=answer: answer if field._restype_ else None))
                if draw.random() < 0.9:
                    setattr(struct, name, kept[-1])
        elif field is ctypes.POINTER(ctypes.c_char_p):
            count = draw.choice([0, 1, 2])
            texts = (ctypes.c_char_p * 8)(*[draw.choice(TEXTS) for _ in range(8)])
            kept.append(texts)
            setattr(struct, name, draw.choice([None, ctypes.cast(texts, field)]))
            setattr(struct, name[:-1] + "_count", draw.choice([0, count, count, -1, -2**31]) if getattr(struct, name) else draw.choice(INTEGERS))
    return struct


def c_calls(draw, count, note):
    import dcsim
    from dcsim import _library
    lib, header = ctypes.CDLL(_library.lib._name), Header()
    scene = dcsim.open("scene.json")
    problem, simulation = scene.problem(), scene.simulation()
    own = {"dcsim_scene": [scene._pointer.value], "dcsim_problem": [problem._pointer.value], "dcsim_simulation": [simulation._pointer.value], "dcsim_view": [], "dcsim_ranks": []}
    names = sorted(name for name in header.functions if not name.endswith(FREES + ("_stop", "_finish")) and name != "dcsim_ranks_start")
    buffers, kept = [ctypes.create_string_buffer(8 * 4000) for _ in range(8)], []
    for name in names:
        function, result = getattr(lib, name), header.functions[name][0]
        function.restype = None if result == "void" else ctypes.c_int if result == "int" else ctypes.c_void_p
    for _ in range(count):
        name, arguments, made = draw.choice(names), [], None
        for what, kind in header.functions[name][1]:
            if what == "number":
                limited = name.endswith("_name") and kind is ctypes.c_size_t
                arguments.append(kind(draw.choice([0, 1, 100]) if limited else draw.choice(REALS) if kind is ctypes.c_double else draw.choice(INTEGERS) % 2**64 if kind is ctypes.c_uint64 else draw.choice(INTEGERS)))
            elif what == "text":
                arguments.append(ctypes.c_char_p(draw.choice(TEXTS)))
            elif what == "texts":
                kept.append((ctypes.c_char_p * 8)(*[draw.choice(TEXTS) for _ in range(8)]))
                arguments.append(draw.choice([kept[-1], None]))
                if name == "dcsim_write_comparison":  # the list is as long as it is said to be
                    arguments[0] = ctypes.c_int(draw.choice([0, 1, 2, 8, -1, -2**31]))
            elif what == "buffer":
                buffer = draw.choice(buffers)
                buffer[len(buffer) - 1] = b"\0"
                arguments.append(draw.choice([buffer, buffer, buffer, None]))
            elif what == "callback":
                answer = draw.choice([0, 1, -1])
                kept.append(header.callbacks[kind](lambda *_, answer=answer: answer))
                arguments.append(draw.choice([kept[-1], None]))
            elif what == "struct":
                kept.append(drawn_struct(draw, header.structs[kind], kept) if kind not in ("dcsim_report", "dcsim_error") else header.structs[kind]())
                if name == "dcsim_view_observe":
                    kept[-1].parameter_count = 0
                arguments.append(draw.choice([ctypes.byref(kept[-1])] * 3 + [None]))
            elif what == "handle":
                arguments.append(ctypes.c_void_p(draw.choice(own.get(kind, []) * 3 + [None])))
            else:
                made = (kind, ctypes.c_void_p())
                arguments.append(draw.choice([ctypes.byref(made[1])] * 3 + [None]))
        note("%s(%s)" % (name, ", ".join(repr(value)[:80] for value in arguments)))
        getattr(lib, name)(*arguments)
        if made and made[1].value:
            own[made[0]].append(made[1].value)
            if len(own[made[0]]) > 3:
                ends = {"dcsim_view": "stop", "dcsim_scene": None}.get(made[0], "destroy")
                handle = own[made[0]].pop(1)
                if ends:  # problems and views need their scenes
                    getattr(lib, made[0] + "_" + ends)(ctypes.c_void_p(handle))


def child(kind, seed, count):
    with open("last", "w") as last:
        def note(text):
            last.seek(0)
            last.write(text.encode("ascii", "replace").decode() + "\n")
            last.truncate()
            last.flush()
        draw = random.Random("%s %d" % (kind, seed))
        random.seed(seed)
        import dcsim
        dcsim.open("scene.json").optimize("run")
        (python_calls if kind == "python" else c_calls)(draw, count, note)
    os._exit(0)  # leaks are not looked for


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--calls", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--each", type=int, default=50)
    parser.add_argument("--limit", type=float, default=60)
    parser.add_argument("--preload")
    parser.add_argument("--log", help="children that are in this file are not made again, and those that end well are added")
    parser.add_argument("--child", nargs=3)
    arguments = parser.parse_args()
    if arguments.child:
        child(arguments.child[0], int(arguments.child[1]), int(arguments.child[2]))
    environment = dict(os.environ, PYTHONPATH=os.path.join(ROOT, "python"), ASAN_OPTIONS="detect_leaks=0:allocator_may_return_null=1:handle_segv=1", UBSAN_OPTIONS="print_stacktrace=1", OMP_NUM_THREADS="1",
                       PYTHONDONTWRITEBYTECODE="1")
    if arguments.preload:
        environment["LD_PRELOAD"] = arguments.preload
    faults = made = 0
    log = open(arguments.log, "a+") if arguments.log else None
    done_before = set()
    if log:
        log.seek(0)
        done_before = set(log.read().split("\n"))
    for n in range((arguments.calls + arguments.each - 1) // arguments.each):
        for kind in ("python", "c"):
            name = "%s %d %d" % (kind, arguments.seed * 100000 + n, arguments.each)
            if name in done_before:
                made += arguments.each
                continue
            with tempfile.TemporaryDirectory(prefix="calls-") as folder:
                with open(os.path.join(folder, "scene.json"), "w") as file:
                    file.write(SCENE if n % 3 else SCENE.replace('{"type": "spline", "body": "b"}', ""))  # some without parameters
                with open(os.path.join(folder, "study.json"), "w") as file:
                    file.write('{"scene": "scene.json", "vary": {"bodies.a.mass": [1, 2]}}')
                with open(os.path.join(folder, "robot.urdf"), "w") as file:
                    file.write("<robot name='r'><link name='l'><collision><geometry><box size='1 1 1'/></geometry></collision></link></robot>")
                os.mkfifo(os.path.join(folder, "pipe"))
                os.mkdir(os.path.join(folder, "made"))
                try:
                    done = subprocess.run([sys.executable, "-B", os.path.abspath(__file__), "--child", kind, str(arguments.seed * 100000 + n), str(arguments.each)], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                                          capture_output=True, timeout=100 * arguments.limit,
                                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (int(arguments.limit), int(arguments.limit) + 1)))
                    said = done.stderr.decode("utf8", "replace")
                    wrong = "status %d" % done.returncode if done.returncode else next((line for line in said.splitlines() if any(text in line for text in REPORTS)), None)
                except subprocess.TimeoutExpired:
                    said, wrong = "", "not done after %g s by the clock" % (100 * arguments.limit)
                made += arguments.each
                if log and not wrong:
                    print(name, file=log, flush=True)
                if wrong:
                    faults += 1
                    with open(os.path.join(folder, "last")) as file:
                        print("%s %d: %s: %s" % (kind, arguments.seed * 100000 + n, wrong, file.read().strip()[:600]))
                    print("\n".join("    " + line[:200] for line in said.splitlines()[-14:]), flush=True)
    print("%d calls, %d faults" % (made, faults))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
