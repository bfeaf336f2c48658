#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Drawn calls of the Python package and of the C library with wrong arguments: none may end the process or last.

    scripts/soak/calls.py [--calls 1000] [--seed 1] [--each 50] [--limit 60] [--preload LIBRARY]

Each child process makes --each calls of things that it draws, in a folder of its own, within --limit seconds of processor time (or a hundred times as long by the clock).  An exception, or a status of the library, is an answer; a signal, a report of a
sanitizer and a child that is not done are faults, which are printed with the last call.  Python: any public function or method of an open scene, problem or simulation.  C: any function of include/dcsim.h that
python/dcsim/_library.py declares, but for those that free: numbers, texts, sizes of structs and null pointers are drawn, what is no null pointer is memory that is large enough.  The library is that of
DCSIM_LIBRARY, or the build tree's.  --preload: the run-time library of the sanitizers that it was built with (gcc -print-file-name=libasan.so).  Exits with 1 when there is a fault.
"""
import argparse
import ctypes
import os
import random
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
                        lambda: {"a": [number]}, lambda: {"name": number, "bodies": [{}] * size}])()


def python_calls(draw, count, note):
    import numpy as np
    import dcsim
    scene = dcsim.open("scene.json")
    problem, simulation = scene.problem(), scene.simulation()
    things = [dcsim, scene, problem, simulation]
    for _ in range(count):
        thing = draw.choice(things)
        name = draw.choice([name for name in dir(thing) if not name.startswith("_") and name not in FREES and callable(getattr(thing, name, None))] or ["version"])
        arguments = [hostile(draw, np) for _ in range(draw.randrange(4))]
        keys = {key: hostile(draw, np) for key in draw.sample(["steps", "objective", "otherwise", "threads", "seed", "model", "overrides", "q", "qd", "target", "directory", "frames", "max_seconds"], draw.randrange(2))}
        note("%s.%s(%s, %s)" % (type(thing).__name__, name, ", ".join(repr(value)[:80] for value in arguments), repr(keys)[:120]))
        try:
            result = getattr(thing, name)(*arguments, **keys)
            if isinstance(result, (dcsim.Scene, dcsim.Problem, dcsim.Simulation)) and len(things) < 12:
                things.append(result)
        except (Exception, RecursionError):
            pass


def drawn_struct(draw, kind):
    struct = kind()
    for name, field in kind._fields_:
        if field in (ctypes.c_int, ctypes.c_size_t, ctypes.c_uint64):
            value = draw.choice([0, 0, 1, 3, -1, -7, 2**31 - 1, -2**31, 2**64 - 1, ctypes.sizeof(kind)])
            if not (name == "size" and draw.random() < 0.7):
                setattr(struct, name, ctypes.c_int(value).value if field is ctypes.c_int else value % 2**64)
        elif field is ctypes.c_double:
            setattr(struct, name, draw.choice([0.0, 1.0, -1.0, float("nan"), float("inf"), 1e308]))
        elif field is ctypes.c_char_p and name not in ("text", "json"):
            setattr(struct, name, draw.choice([None, b"", b"none", b"nothing", b"\xff", b"x" * 3000]))
    return struct


def c_calls(draw, count, note):
    from dcsim import _library
    import dcsim
    lib = _library.lib
    scene = dcsim.open("scene.json")
    problem, simulation = scene.problem(), scene.simulation()
    handles = {"problem": problem._pointer, "simulation": simulation._pointer}
    functions = [name for name in dir(lib) if name.startswith("dcsim_")] or [n for n in lib.__dict__ if n.startswith("dcsim_")]
    functions = [name for name in functions if not name.endswith(FREES) and getattr(getattr(lib, name), "argtypes", None)]
    buffers, kept = [ctypes.create_string_buffer(8 * 4000) for _ in range(8)], []
    for _ in range(count):
        name = draw.choice(functions)
        function, arguments = getattr(lib, name), []
        for place, kind in enumerate(function.argtypes):
            if kind is ctypes.c_void_p:
                own = handles.get(name.split("_")[1]) if not name.endswith("_create") else None
                handle = (own or scene._pointer) if place == 0 else None
                arguments.append(draw.choice([handle, handle, handle, None]))
            elif kind is ctypes.c_char_p:
                arguments.append(draw.choice([None, b"", b"scene.json", SCENE.encode(), b"{", b"\xff\xfe", b"x" * 5000, b"/dev/zero", b"none"]) if not name.endswith("_name") else buffers[0])
            elif kind in (ctypes.c_int, ctypes.c_size_t, ctypes.c_uint64, ctypes.c_double):
                limited = name.endswith("_name") and kind is ctypes.c_size_t
                arguments.append(draw.choice([0, 1, 100]) if limited else draw.choice([0.0, 1.0, float("nan"), 1e308, -1.0]) if kind is ctypes.c_double else draw.choice([0, 1, 2, -1, -7, 2**31 - 1, -2**31]))
            elif issubclass(kind, ctypes._CFuncPtr):
                answer = draw.choice([0, 1, -1])
                kept.append(draw.choice([kind(), kind(lambda *_, answer=answer: answer)]))
                arguments.append(kept[-1])
            else:
                target = getattr(kind, "_type_", None)
                struct = isinstance(target, type) and issubclass(target, ctypes.Structure)
                memory = ctypes.pointer(drawn_struct(draw, target)) if struct else ctypes.cast(draw.choice(buffers), kind) if target else None
                arguments.append(draw.choice([memory, memory, memory, None]))
        note("%s(%s)" % (name, ", ".join(repr(value)[:60] for value in arguments)))
        try:
            function(*arguments)
        except ctypes.ArgumentError:
            pass


def child(kind, seed, count):
    with open("last", "w") as last:
        def note(text):
            last.seek(0)
            last.write(text.encode("ascii", "replace").decode() + "\n")
            last.truncate()
            last.flush()
        draw = random.Random("%s %d" % (kind, seed))
        (python_calls if kind == "python" else c_calls)(draw, count, note)
    os._exit(0)  # leaks are not looked for


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--calls", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--each", type=int, default=50)
    parser.add_argument("--limit", type=float, default=60)
    parser.add_argument("--preload")
    parser.add_argument("--child", nargs=3)
    arguments = parser.parse_args()
    if arguments.child:
        child(arguments.child[0], int(arguments.child[1]), int(arguments.child[2]))
    environment = dict(os.environ, PYTHONPATH=os.path.join(ROOT, "python"), ASAN_OPTIONS="detect_leaks=0:allocator_may_return_null=1:handle_segv=1", UBSAN_OPTIONS="print_stacktrace=1", OMP_NUM_THREADS="1",
                       PYTHONDONTWRITEBYTECODE="1")
    if arguments.preload:
        environment["LD_PRELOAD"] = arguments.preload
    faults = made = 0
    for n in range((arguments.calls + arguments.each - 1) // arguments.each):
        for kind in ("python", "c"):
            with tempfile.TemporaryDirectory(prefix="calls-") as folder:
                with open(os.path.join(folder, "scene.json"), "w") as file:
                    file.write(SCENE if n % 3 else SCENE.replace('{"type": "spline", "body": "b"}', ""))  # some without parameters
                try:
                    done = subprocess.run([sys.executable, "-B", os.path.abspath(__file__), "--child", kind, str(arguments.seed * 100000 + n), str(arguments.each)], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                                          capture_output=True, timeout=100 * arguments.limit,
                                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (int(arguments.limit), int(arguments.limit) + 1)))
                    said = done.stderr.decode("utf8", "replace")
                    wrong = "status %d" % done.returncode if done.returncode else next((line for line in said.splitlines() if any(text in line for text in REPORTS)), None)
                except subprocess.TimeoutExpired:
                    said, wrong = "", "not done after %g s by the clock" % (100 * arguments.limit)
                made += arguments.each
                if wrong:
                    faults += 1
                    with open(os.path.join(folder, "last")) as file:
                        print("%s %d: %s: %s" % (kind, arguments.seed * 100000 + n, wrong, file.read().strip()[:600]))
                    print("\n".join("    " + line[:200] for line in said.splitlines()[-14:]), flush=True)
    print("%d calls, %d faults" % (made, faults))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
