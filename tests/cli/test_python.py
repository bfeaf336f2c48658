# SPDX-License-Identifier: Apache-2.0
# The Python package against the library and the command line: TAP.  Run by test_python.sh.
import copy
import functools
import gc
import json
import os
import pathlib
import pickle
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback

import numpy as np

import dcsim

SCENES = pathlib.Path(sys.argv[1])
PROGRAM = sys.argv[2]
SCENE = {
    "time": {"step": 0.02, "steps": 25}, "contact": {"model": "bsh", "stiffness": 1e-5, "friction": 0.3}, "solver": {"tolerance": 1e-9},
    "shapes": {"ball": {"type": "sphere", "radius": 0.1, "level": 1}, "ground": {"type": "plane"}},
    "bodies": [{"name": "ground", "joint": "fixed", "shape": "ground"},
               {"name": "cue", "shape": "ball", "mass": 0.05, "position": [-0.4, 0.01, 0.11], "velocity": [1.5, 0, 0]},
               {"name": "ball", "shape": "ball", "mass": 0.05, "position": [0, 0, 0.11]}],
    "control": [{"type": "initial_state", "body": "cue", "velocity": "xy"}],
    "objective": [{"type": "reach", "body": "ball", "target": [0.5, 0.1, 0.1], "tolerance": 0.01}],
    "optimizer": {"type": "adam", "learning_rate": 0.03, "iterations": 12}}
X = np.array([0.1, 0.02])


def test_order_of_velocities():
    spinning = json.loads(json.dumps(SCENE))
    spinning["bodies"][2].update(velocity=[0.1, 0.2, 0.3], angular_velocity=[4, 5, 6])
    _, qd = dcsim.open(spinning).simulation().state
    assert list(qd) == [0, 0, 0, 1.5, 0, 0, 4, 5, 6, 0.1, 0.2, 0.3], qd  # rad/s, then m/s, as the module's docstring says
    assert "rad/s about the axes of the world, then m/s" in dcsim.__doc__.replace("\n", " ")


def test_gradient():
    problem = dcsim.open(SCENE).problem()
    loss, gradient = problem.value_and_grad(X)
    for i, h in enumerate((1e-6, 1e-6)):
        e = h * np.eye(2)[i]
        difference = (problem.value(X + e) - problem.value(X - e)) / (2 * h)
        assert abs(difference - gradient[i]) < 1e-6 * np.abs(gradient).max(), (difference, gradient)
    assert problem.names == ["cue.velocity.x", "cue.velocity.y"]
    assert problem.units == [("m/s", 1.0), ("m/s", 1.0)]
    assert problem.dimension == 2 and list(problem.groups) == [0, 0] and (problem.initial == 0).all()
    assert (problem.bounds[0] < problem.bounds[1]).all()
    assert loss == problem.value(X.tolist())


def test_views():
    """Views cost no copy, outlive the problem's name, and are read only."""
    problem = dcsim.open(SCENE).problem()
    problem.value(X)
    t, c = problem.trajectory(), problem.contacts()
    assert t.poses.shape == (26, 3, 16) and t.q.shape == (26, 14) and t.qd.shape == (26, 12)
    assert c.gaps.shape == (26, 3) and c.wrenches.shape == c.friction.shape == (26, 3, 2, 6)
    assert np.array_equal(t.position[:, 1], t.q[:, :3]) and np.array_equal(t.quaternion[:, 2], t.q[:, 10:])
    identity = np.einsum("tbij,tbkj->tbik", t.rotation, t.rotation)
    assert np.abs(identity - np.eye(3)).max() < 1e-14
    kept = t.q.copy()
    problem.value(2 * X)
    assert not np.array_equal(kept, t.q), "the numbers of a view are those of the last evaluation"
    poses, last = t.poses, t.poses.copy()
    del problem, t, c
    gc.collect()
    assert np.array_equal(poses, last)
    try:
        poses[0] = 0
        assert False, "a view was written to"
    except ValueError:
        pass


def test_objective():
    scene = dcsim.open(SCENE)
    target = np.array([0.5, 0.1, 0.1])

    def reach(t, wrenches, forces):
        off = t.position[-1, 2] - target
        if wrenches is not None:
            wrenches[-1, 2, 3:] += 2 * off
        return off @ off - 1e-4

    own, given = scene.problem(objective=reach, only_objective=True), scene.problem()
    (a, ga), (b, gb) = own.value_and_grad(X), given.value_and_grad(X)
    assert abs(a - b) < 1e-15 and np.abs(ga - gb).max() < 1e-12

    def fails(t, wrenches, forces):
        raise KeyError("mine")

    try:
        scene.problem(objective=fails).value(X)
        assert False, "an exception got lost"
    except KeyError as error:
        assert error.args == ("mine",)


def test_errors():
    for text, place in (('{\n "time": {"step": -1}}', "text:2:"), ("{", "text:1:2")):
        try:
            dcsim.open(text)
            assert False, "opened"
        except dcsim.Error as error:
            assert str(error).startswith(place) and error.status == 3, error
    assert dcsim.open(json.dumps(SCENE).encode()).nq == dcsim.open(SCENE).nq
    inside = json.loads(json.dumps(SCENE))
    inside["bodies"][1]["position"] = [-0.1, 0, 0.11]
    problem = dcsim.open(inside).problem()
    assert problem.value(X, otherwise=5.0) == 5.0
    try:
        problem.value(X)
        assert False, "infeasible"
    except dcsim.Infeasible:
        pass
    try:
        problem.value([1, 2, 3])
        assert False, "three numbers for two"
    except ValueError:
        pass
    assert dcsim.open(SCENE, overrides={"time.steps": 7}, model="exact").steps == 7


def raises(kinds, function, says=""):
    try:
        function()
    except kinds as error:
        assert "out of memory" not in str(error) and says in str(error), error
        return
    assert False, "no exception"


# Friction that is told beside a force acts for as long as that does, whatever intervals share: 0.3 of it where a box slides, also in the first step (0.15
# of second_order before) and while a collision far away divides one.
def test_friction_beside_forces():
    def problem(integrator, steps, height, speed, far):
        balls = [{"name": n, "shape": "ball", "mass": 1, "position": [x, 0.03 * (x > 0), 100], "velocity": [-30 * x, 0, 0]} for n, x in (("a", -1.0), ("b", 1.0))]
        return dcsim.open({"time": {"step": 0.01, "steps": steps, "integrator": integrator}, "contact": {"friction": 0.3, "stiffness": 1e-5},
                           "shapes": {"ground": {"type": "plane"}, "box": {"type": "box", "size": [0.2, 0.2, 0.2]}, "ball": {"type": "sphere", "radius": 0.1}},
                           "bodies": [{"name": "ground", "shape": "ground", "joint": "fixed"},
                                      {"name": "box", "shape": "box", "mass": 1, "position": [0, 0, height], "velocity": [speed, 0, 0]}, *(balls if far else [])],
                           "objective": [{"type": "reach", "body": "box", "target": [1, 0, 0.1]}]}).problem()

    rest = problem("euler", 200, 0.101, 0, False)
    rest.value(rest.initial)
    height = float(rest.trajectory().position[-1, 1, 2])
    for integrator in ("euler", "second_order"):
        one = problem(integrator, 8, height, 2, True)
        one.value(one.initial)
        contacts = one.contacts()
        pair = [sorted(p) for p in contacts.bodies.tolist()].index([0, 1])
        friction, force = (np.linalg.norm(w[1:, pair, 0, 3:5 if w is contacts.friction else 6], axis=1) for w in (contacts.friction, contacts.wrenches))
        assert np.all(abs(friction / force / 0.3 - 1) < 0.1), (integrator, friction / force)


def test_misuse():
    scene = dcsim.open(SCENE)
    problem, simulation = scene.problem(), scene.simulation()
    wrong = (TypeError, ValueError, OverflowError, dcsim.Error)
    for source in (None, 5, [], "", "a\0b", "{" * 100000, b"/x", "{\ud800}", json.dumps(SCENE) + "\0"):
        raises(wrong, lambda: dcsim.open(source))
    for options in ({"overrides": [None]}, {"overrides": 5}, {"overrides": "time.steps=5"}, {"allowed_paths": [None]}, {"seed": -1},
                    {"seed": 2**70}, {"seed": "x"}, {"seed": 0.5}, {"model": 3}):
        raises(wrong, lambda: dcsim.open(SCENE, **options))
    for steps in (-5, 2**40, 1.5, "x", None):
        raises(wrong, lambda: scene.problem(steps=steps))
    # Its steps follow from two states, of which a simulation has one.
    raises((dcsim.Error, ValueError), lambda: dcsim.open(SCENE, overrides={"time.integrator": "second_order"}).simulation(), "second_order")
    raises(wrong, lambda: scene.problem(objective=5))
    for x in ([np.nan, 0], [np.inf, 0], [1j, 0], ["a", 0], np.zeros((3, 3)), np.zeros((1, 2)), object()):
        raises(wrong, lambda: problem.value(x))
        raises(wrong, lambda: problem.linearize(x))
    raises(wrong, lambda: simulation.set_state(np.full(scene.nq, np.nan), np.zeros(scene.nv)))
    raises(wrong, lambda: simulation.step(force=np.full(scene.nv, np.nan)))
    raises((TypeError,), lambda: copy.copy(problem))
    raises((TypeError,), lambda: copy.deepcopy(simulation))
    raises((TypeError,), lambda: pickle.dumps(problem))
    assert problem.value(X) == dcsim.open(SCENE).problem().value(X)


# Arrays that an objective keeps stay readable, and changing them later changes nothing.
def test_wrong_handles():
    """Objects are made by open and of scenes; nothing else, and no number beyond all sense, reaches the library."""
    import ctypes
    scene = dcsim.open(SCENE)
    problem = scene.problem()
    wrong = [lambda: dcsim.Scene(None), lambda: dcsim.Scene(ctypes.c_void_p()), lambda: dcsim.Problem(None), lambda: dcsim.Problem(problem),
             lambda: problem.push_forward(X, None), lambda: problem.pull_back(X, None), lambda: dcsim.Simulation(None), lambda: dcsim.Simulation(problem), lambda: dcsim.set_threads(-1), lambda: dcsim.set_threads(2**40),
             lambda: problem.value_batch(np.zeros((3, 2)), threads=-1), lambda: problem.value_batch(np.zeros((3, 2)), threads=0)]
    for i, call in enumerate(wrong):
        try:
            call()
            assert False, f"wrong call {i} went through"
        except (TypeError, ValueError):
            pass
    simulation, began = scene.simulation(), time.monotonic()
    for size in (1e15, 1e30, 1e308):
        for change in (lambda: simulation.step(force=np.full(scene.nv, size)),
                       lambda: (simulation.set_state(None, np.full(scene.nv, size)), simulation.step())):
            try:
                change()
                assert False, size
            except dcsim.Error as error:
                assert "memory" not in str(error), str(error)
            simulation.set_state()
    assert time.monotonic() - began < 5


def test_result():
    """A result is a dict that notebooks show with the page of its run, which can do nothing outside of itself."""
    result = dcsim.open(SCENE).simulate("shown <b>")
    assert isinstance(result, dict) and json.loads(json.dumps(result)) == result
    shown = result._repr_html_()
    assert pathlib.Path(result.page).is_file() and 'sandbox="allow-scripts"' in shown and "shown &lt;b&gt;" in shown
    assert "<script" not in shown and "&lt;script" in shown, "the page must be a quoted text"
    alone = dcsim.open(SCENE).simulate()
    assert alone.page is None and "<iframe" not in alone._repr_html_()


def test_kept_arrays():
    kept = []

    def objective(trajectory, wrenches, forces):
        kept.append((trajectory, wrenches, forces))
        return 0.0

    problem = dcsim.open(SCENE).problem(objective=objective)
    loss, gradient = problem.value_and_grad(X)
    for _, wrenches, forces in kept:
        if wrenches is not None:
            wrenches[:], forces[:] = 1e300, 1e300
    again = problem.value_and_grad(X)
    assert again[0] == loss and (again[1] == gradient).all()
    del problem
    gc.collect()
    ballast = [np.ones(1 << 16) for _ in range(50)]
    assert np.isfinite(kept[0][0].poses).all() and len(ballast) == 50

    calls_itself = None

    def nested(trajectory, wrenches, forces):
        return calls_itself.value(X)

    calls_itself = dcsim.open(SCENE).problem(objective=nested)
    raises((RuntimeError,), lambda: calls_itself.value(X))


# Objects that threads share give what one thread gets.
def test_shared():
    scene = dcsim.open(SCENE)
    problem, (q, qd) = scene.problem(), scene.simulation().state
    expected, after = problem.value(X), scene.step(q, qd)
    wrong = []

    def work():
        for _ in range(20):
            if not np.array_equal(scene.step(q, qd)[0], after[0]):
                wrong.append("step")
        if problem.value(X) != expected:
            wrong.append("value")

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong, wrong


def test_steps():
    scene = dcsim.open(SCENE)
    problem, simulation = scene.problem(), scene.simulation()
    problem.value(problem.initial)
    t = problem.trajectory()
    q, qd = simulation.state
    for k in range(1, scene.steps + 1):
        before = q, qd
        q, qd = simulation.step()
        assert np.abs(q - t.q[k]).max() < 1e-8, k
        again = scene.step(*before)
        assert np.array_equal(again[0], q) and np.array_equal(again[1], qd)
    a, b = simulation.linearize()
    assert a.shape == (24, 24) and b.shape == (24, 12)
    e = np.zeros(12)
    e[3] = 1e-6  # the velocity of cue along x
    column = (scene.step(before[0], before[1] + e)[1] - scene.step(before[0], before[1] - e)[1]) / 2e-6
    assert np.abs(column - a[12:, 15]).max() < 1e-6 * np.abs(a).max(), np.abs(column - a[12:, 15]).max()


def test_linearize():
    """The gradient is twice the rows weighted by what is outside of their disc."""
    problem = dcsim.open(SCENE).problem()
    loss, gradient = problem.value_and_grad(problem.initial)
    rows = problem.linearize(problem.initial)
    assert np.linalg.norm(rows.residual) > rows.radius[0]
    assert np.allclose(2 * rows.jacobian.T @ (rows.weight * rows.residual), gradient, rtol=1e-8, atol=1e-10)
    jacobian, residual = rows.jacobian.copy(), rows.residual.copy()
    direction, weights = np.array([0.4, -0.8]), np.arange(1.0, 1 + len(residual))
    assert np.allclose(problem.push_forward(problem.initial, direction), jacobian @ direction, rtol=1e-10)
    assert np.allclose(problem.pull_back(problem.initial, weights), jacobian.T @ weights, rtol=1e-10)
    alone = problem.rows(problem.initial)
    assert alone.jacobian is None and np.array_equal(alone.residual, residual)


def test_runs():
    """A run of the package is a run of the command line; load gives its arrays."""
    pathlib.Path("scene.json").write_text(json.dumps(SCENE))
    scene, seen = dcsim.open("scene.json"), []
    report = scene.optimize(directory="mine", progress=lambda p: seen.append((p.loss, p.parameters)) and False)
    subprocess.run([PROGRAM, "optimize", "scene.json", "--quiet", "-o", "theirs"], check=True, stdout=subprocess.DEVNULL)
    subprocess.run([PROGRAM, "diff", "mine", "theirs"], check=True, stdout=subprocess.DEVNULL)
    arrays = dcsim.run.load("mine")
    problem = scene.problem()
    assert len(seen) == 13 and all(problem.value(x) == loss for loss, x in seen)
    assert min(loss for loss, _ in seen[1:]) < seen[0][0], [loss for loss, _ in seen]
    assert report["loss"] == min(loss for loss, _ in seen)
    best = min(seen, key=lambda row: row[0])[1]
    assert np.array_equal(arrays["control"], best), (arrays["control"], best)
    problem.value(best)
    assert np.array_equal(arrays["position"], problem.trajectory().position)
    stopped = scene.optimize(progress=lambda p: p.iteration == 1)
    assert stopped["iterations"] < report["iterations"]
    raises(TypeError, lambda: scene.optimize(max_second=3), "did you mean 'max_seconds'?")
    for wrong in ({"max_seconds": float("nan")}, {"max_seconds": -1}, {"frames": -2}, {"checkpoint_seconds": float("nan")}):
        raises(dcsim.Error, lambda: scene.optimize(**wrong), next(iter(wrong)))
        raises(dcsim.Error, lambda: scene.simulate(**wrong), next(iter(wrong)))
    for name in ("callback", "iterations", "overrides"):
        raises(TypeError, lambda: scene.optimize(**{name: 3}), f"no option is called '{name}'")
        raises(TypeError, lambda: scene.simulate(**{name: 3}), "max_seconds")


def test_threads():
    scene, losses = dcsim.open(SCENE), []
    threads = [threading.Thread(target=lambda: losses.append(scene.problem().value_and_grad(X)[0])) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(losses) == 3 and len(set(losses)) == 1


def test_scipy():
    try:
        from scipy.optimize import check_grad, minimize
    except ImportError:
        return "no scipy"
    problem = dcsim.open(SCENE).problem()
    start = problem.value(X)
    result = minimize(problem.value_and_grad, X, jac=True, method="L-BFGS-B", options={"maxiter": 15})
    assert result.fun < 0.1 * start, (start, result.fun)


# Rows of a batch have the numbers that they have one by one, whatever the number of threads; bad rows are exceptions.
def test_batch():
    problem = dcsim.open(SCENE).problem()
    x = X + 0.01 * np.arange(14).reshape(7, 2)
    one_by_one = [problem.value_and_grad(row) for row in x]
    for threads in (1, 2, 3, None):
        assert list(problem.value_batch(x, threads=threads)) == [value for value, _ in one_by_one]
        values, gradients = problem.value_and_grad_batch(x, threads=threads)
        assert list(values) == [value for value, _ in one_by_one]
        assert np.array_equal(gradients, [gradient for _, gradient in one_by_one])
    assert problem.value_batch(np.zeros((0, 2))).shape == (0,) and problem.value_and_grad_batch(np.zeros((0, 2)))[1].shape == (0, 2)
    for wrong in (X, np.zeros((2, 3)), [[np.nan, 0]], "x", 1j * np.ones((2, 2))):
        raises((TypeError, ValueError), lambda: problem.value_batch(wrong))
    called = dcsim.open(SCENE).problem(objective=lambda t, w, f: 1 / 0)
    raises((ZeroDivisionError,), lambda: called.value_batch(x))
    began = []
    counted = dcsim.open(SCENE).problem(objective=lambda t, w, f: began.append(1) or 1 / 0)
    raises((ZeroDivisionError,), lambda: counted.value_batch(np.tile(x, (10, 1)), threads=2))
    assert len(began) <= 4, began  # rows after the error are not begun


# A scene is pickled by what it was opened with; a closed object refuses, views of it stay.
def test_life():
    scene = dcsim.open(SCENE, overrides={"time.steps": 9}, seed=5)
    again = pickle.loads(pickle.dumps(scene))
    assert again.steps == 9 and again.problem().value(X) == scene.problem().value(X) and copy.copy(scene) is scene
    given = json.loads(json.dumps(SCENE))
    scene = dcsim.open(given, overrides=iter(["time.steps=9"]))
    given["time"]["steps"] = 7
    assert pickle.loads(pickle.dumps(scene)).steps == 9
    with scene.problem() as problem:
        problem.value(X)
        q = problem.trajectory().q
        kept = q.copy()
    gc.collect()
    assert np.array_equal(q, kept)
    for use in (lambda: problem.value(X), lambda: problem.names, lambda: problem.trajectory(), lambda: problem.initial):
        raises((ValueError,), use)
    problem.close()
    assert "9 steps" in repr(scene) and "closed" not in repr(problem)


# As many pictures as an int can ask for are one of each frame.
def test_frames():
    with tempfile.TemporaryDirectory() as folder:
        directory = os.path.join(folder, "run")
        try:
            dcsim.open(SCENE, overrides={"time.steps": 3}).simulate(directory, frames=2**31 - 1)
        except dcsim.Error as error:
            return f"no pictures: {error}"
        assert len(os.listdir(os.path.join(directory, "frames"))) == 4


# The pickle of a scene of a file holds in other working directories, and not where the file has changed.
def test_pickled_file():
    here = os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        try:
            os.chdir(folder)
            with open("scene.json", "w") as file:
                json.dump(SCENE, file)
            scene = dcsim.open("scene.json")
            kept = pickle.dumps(scene)
            os.chdir("/")
            assert pickle.loads(kept).problem().value(X) == scene.problem().value(X)
            with open(os.path.join(folder, "scene.json"), "a") as file:
                file.write(" ")
            raises((ValueError,), lambda: pickle.loads(kept))
        finally:
            os.chdir(here)


# A signal that arrives in the library is an exception of the call, whatever it finds there: no "exception ignored", no other answer.
def test_signals_in_callbacks():
    def end(*_):
        raise TimeoutError("time is up")
    old, ignored = signal.signal(signal.SIGALRM, end), []
    hook, sys.unraisablehook = sys.unraisablehook, ignored.append
    try:
        problem = dcsim.open(SCENE).problem(objective=lambda *_: 0.0, only_objective=True)
        caught = 0
        for _ in range(40):
            try:
                signal.setitimer(signal.ITIMER_REAL, 0.003)
                until = time.monotonic() + 5
                while time.monotonic() < until:
                    assert problem.value(X) == 0
            except TimeoutError:
                caught += 1
        assert caught == 40 and not ignored, (caught, ignored)
        assert signal.getsignal(signal.SIGALRM) is end
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        sys.unraisablehook = hook
        signal.signal(signal.SIGALRM, old)


# A handler that raises does not take away the signals that have waited behind it.
def test_signals_behind_one_that_raises():
    def end(*_):
        raise TimeoutError("first")
    seen = []
    old = {number: signal.signal(number, handler) for number, handler in ((signal.SIGUSR1, end), (signal.SIGUSR2, lambda *_: seen.append(2)))}
    waiting = dcsim._signals.Signals()
    try:
        waiting.begin()
        signal.raise_signal(signal.SIGUSR1)
        signal.raise_signal(signal.SIGUSR2)
        raises((TimeoutError,), waiting.end)
        assert seen == [2], seen
    finally:
        for number, handler in old.items():
            signal.signal(number, handler)


# Ctrl-C ends a run without a progress function of the caller, too, and is an exception.
def test_interrupt():
    text = json.dumps({**SCENE, "optimizer": {"type": "adam", "learning_rate": 1e-9, "iterations": 100000}, "objective": [
        {"type": "reach", "body": "ball", "target": [5, 0.1, 0.1], "tolerance": 0.01}]})
    program = "import sys, dcsim; print('begun', flush=True); dcsim.open(sys.argv[1]).optimize()"
    child = subprocess.Popen([sys.executable, "-c", program, text], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert child.stdout.readline() == "begun\n"
    time.sleep(0.5)
    child.send_signal(signal.SIGINT)
    _, said = child.communicate(timeout=60)
    assert "KeyboardInterrupt" in said and "ignored" not in said, said


# Ctrl-C ends each call that lasts within a second, also within a step and in other threads, and the object is as good as new.
def test_interrupted_calls():
    long = dcsim.open(str(SCENES / "billiards.json"), overrides={"time.steps": 60000, "time.step": 1e-5})
    problem = long.problem()
    x = problem.initial
    cases = dcsim.open({**SCENE, "time": {"step": 1e-5, "steps": 60000}, "cases": [{"name": "heavy", "bodies": {"ball": {"mass": 0.06}}}]}).problem()
    # One step of a heap of balls lasts.
    heap = {"time": {"step": 0.05, "steps": 2}, "shapes": {"ball": {"type": "sphere", "radius": 0.1, "level": 2}, "ground": {"type": "plane"}},
            "bodies": [{"name": "ground", "shape": "ground", "joint": "fixed"}] + [
                {"name": f"b{i}", "shape": "ball", "mass": 0.05, "position": [0.21 * (i % 7) + 0.001 * i, 0.21 * (i // 7 % 7), 0.11 + 0.21 * (i // 49)], "velocity": [0, 0, -5]} for i in range(150)]}
    simulation = dcsim.open(heap).simulation()
    q, _ = simulation.state
    calls = {"value": lambda: problem.value(x), "gradient": lambda: problem.value_and_grad(x, otherwise=1.0), "rows": lambda: problem.rows(x), "linearize": lambda: problem.linearize(x),
             "product": lambda: problem.push_forward(x, x), "batch": lambda: problem.value_batch(np.tile(x, (6, 1))), "cases": lambda: cases.value(cases.initial),
             "steps": lambda: [simulation.step() for _ in range(1000)]}
    with tempfile.TemporaryDirectory() as folder:
        for kind in ("adam", "gauss_newton", "cem", None):
            scene = dcsim.open(str(SCENES / "billiards.json"), overrides={"time.steps": 60000, "time.step": 1e-5, "optimizer": kind and {"type": kind}})
            calls[f"optimize {kind}"] = scene.optimize
            calls[f"run {kind}"] = functools.partial(scene.optimize, directory=os.path.join(folder, str(kind)))
        calls["simulate"] = long.simulate
        interrupt_each(calls)
        # What was ended goes on from its checkpoint.
        begun = dcsim.open(os.path.join(folder, "adam"))
        assert begun.steps == 60000 and not os.path.exists(os.path.join(folder, "adam", "trajectory.h5"))
    simulation.set_state()
    assert np.array_equal(simulation.state[0], q)


def interrupt_each(calls):
    for name, call in calls.items():
        sent = []
        timer = threading.Timer(0.3, lambda: (sent.extend((time.monotonic(), time.process_time())), os.kill(os.getpid(), signal.SIGINT)))
        timer.start()
        try:
            raises(KeyboardInterrupt, call)
        finally:
            timer.join()
        # Within a second, or a second of a processor where others use it, too.
        took, used = time.monotonic() - sent[0], time.process_time() - sent[1]
        assert took < 1 or (used < 1 and took < 20), (name, took, used)


def test_wrong_shapes_and_texts():
    from dcsim.environment import Environment
    environment = Environment(dcsim.open(SCENE), action="force")
    environment.reset()
    for action in (0.5, [0.5], [[0.0] * 12], [0.0] * 11):
        raises(ValueError, lambda: environment.step(action), "must have the shape [12]")
    environment.step([0.0] * 12)
    raises(ValueError, lambda: dcsim.run.load("run\0x"), "zero byte")
    # A name of 254 bytes is cut in a name of parameters, in the midst of a letter or not.
    name = "\u00e9" * 127
    scene = json.loads(json.dumps(SCENE).replace('"cue"', json.dumps(name)))
    assert all(name[:100] in one for one in dcsim.open(scene).problem().names)


def test_environment():
    from dcsim.environment import Environment, VectorEnvironment
    scene = dcsim.open(SCENE)
    environment = Environment(scene, reward=lambda e: -abs(e.position("ball")[0] - 0.5), success=lambda e: e.position("ball")[0] > 0.1,
                              action="force", low=-1, high=1, noise=0.01)
    first, _ = environment.reset(seed=3)
    assert first.shape == environment.observation_space.shape == (26,) and environment.action_space.shape == (12,)
    action = np.zeros(12)
    rows = [environment.step(action) for _ in range(25)]
    assert any(row[2] for row in rows) and rows[-1][3] and rows[-1][1] > rows[0][1]
    again, _ = environment.reset(seed=3)
    assert np.array_equal(first, again)
    assert environment.action_space.contains(environment.action_space.sample())
    raises((ValueError,), lambda: Environment(scene))
    raises(TypeError, lambda: Environment("scene.json"), "what dcsim.open returns")
    raises((ValueError,), lambda: environment.step(np.zeros(3)))
    vector = VectorEnvironment(scene, 3, action="force", low=-1, high=1)
    vector.reset(seed=0)
    alone = Environment(scene, action="force", low=-1, high=1)
    alone.reset()
    for _ in range(4):
        observations, rewards, terminated, truncated, _ = vector.step([action] * 3)
        observation = alone.step(action)[0]
        assert observations.shape == (3, 26) and rewards.shape == (3,) and not terminated.any() and not truncated.any()
        assert all(np.array_equal(row, observation) for row in observations)
    vector.close()


def test_torch():
    try:
        import torch
        from dcsim.torch import Loss
    except ImportError:
        return "no torch"
    problem = dcsim.open(SCENE).problem()
    x = torch.tensor(X, requires_grad=True)
    (3 * Loss.apply(2 * x, problem)).backward()
    loss, gradient = problem.value_and_grad(2 * X)
    assert np.allclose(x.grad.numpy(), 6 * gradient, rtol=1e-14)
    x = torch.tensor(X, requires_grad=True)
    first = torch.autograd.grad(Loss.apply(x, problem), x, create_graph=True)[0]
    raises((RuntimeError,), lambda: torch.autograd.grad(first.sum(), x))


class StandInForJax:
    """The names of JAX that dcsim.jax uses, as its documentation says they behave; JAX itself is in no Debian."""

    class ShapeDtypeStruct:
        def __init__(self, shape, dtype):
            self.shape, self.dtype = shape, np.dtype(dtype)

    class custom_vjp:
        def __init__(self, function):
            self.function = function

        def defvjp(self, forward, backward):
            self.forward, self.backward = forward, backward

        def __call__(self, x):
            return self.function(x)

    class Traced:
        """An argument that is mapped over rows: the function sees the shape of one row."""
        def __init__(self, rows):
            self.rows, self.shape, self.dtype = rows, rows.shape[1:], rows.dtype

    def pure_callback(callback, shapes, x, *, vmap_method):
        assert vmap_method == "broadcast_all"
        mapped = isinstance(x, StandInForJax.Traced)
        results = callback(x.rows if mapped else x)
        for result, shape in zip(*((results, shapes) if isinstance(shapes, tuple) else ([results], [shapes]))):
            assert result.shape == (x.rows.shape[:1] if mapped else ()) + shape.shape and result.dtype == shape.dtype
        return results


def test_jax():
    """dcsim.jax with a stand-in for JAX: values, gradients, rows side by side, types, wrong shapes."""
    assert "dcsim.jax" not in sys.modules and "jax" not in sys.modules
    sys.modules["jax"] = StandInForJax
    try:
        import dcsim.jax
        problem = dcsim.open(SCENE).problem()
        loss = dcsim.jax.loss(problem)
        value, gradient = problem.value_and_grad(X)
        assert loss(X) == value
        primal, residual = loss.forward(X)
        assert primal == value and np.array_equal(loss.backward(residual, 3.0)[0], 3 * gradient)
        rows = StandInForJax.Traced(X + 0.01 * np.arange(6).reshape(3, 2))
        assert np.array_equal(loss(rows), problem.value_batch(rows.rows))
        values, gradients = loss.forward(rows)
        assert np.array_equal(values, problem.value_batch(rows.rows)) and gradients.shape == (3, 2)
        single = loss(X.astype(np.float32))
        assert single.dtype == np.float32 and abs(single - value) < 1e-5
        raises((ValueError,), lambda: loss(np.zeros(3)))
        raises((ValueError,), lambda: loss.forward(np.zeros((2, 2))))
    finally:
        del sys.modules["jax"], sys.modules["dcsim.jax"]


def test_modules_that_are_not_there():
    """Without JAX or PyTorch the message says what to install."""
    for name in ("jax", "torch"):
        kept = {key: module for key, module in sys.modules.items() if key.split(".")[0] == name or key == "dcsim." + name}
        for key in kept:
            del sys.modules[key]
        sys.modules[name] = None
        try:
            __import__("dcsim." + name)
            assert False, name
        except ImportError as error:
            assert "pip install " + name in str(error), error
        finally:
            del sys.modules[name]
            sys.modules.update(kept)


def test_hints():
    """Every function of the package that users see has types for its parameters and result, and says what it does."""
    import inspect
    import dcsim.environment
    count = 0
    for module in (dcsim, dcsim.run, dcsim.environment):
        for name, thing in vars(module).items():
            if name.startswith("_") or getattr(thing, "__module__", None) != module.__name__:
                continue
            assert thing.__doc__, name
            functions = {name: thing} if inspect.isfunction(thing) else {
                f"{name}.{inner}": getattr(member, "fget", member) for inner, member in vars(thing).items()
                if inner == "__init__" or not inner.startswith("_")}
            for place, function in functions.items():
                if not inspect.isfunction(function):
                    continue
                count += 1
                signature = inspect.signature(function)
                assert signature.return_annotation is not signature.empty, place
                for parameter in list(signature.parameters.values())[place.count("."):]:
                    assert parameter.annotation is not parameter.empty, (place, parameter.name)
                assert function.__doc__ or place.endswith("__init__"), place
    assert count > 50, count


tests = [(name, function) for name, function in list(globals().items()) if name.startswith("test_")]
print(f"1..{len(tests)}")
failed = 0
for number, (name, function) in enumerate(tests, 1):
    try:
        skipped = function()
        print(f"ok {number} - {name}" + (f" # SKIP {skipped}" if skipped else ""), flush=True)
    except Exception:
        failed = 1
        print("".join("# " + line + "\n" for line in traceback.format_exc().splitlines()), end="")
        print(f"not ok {number} - {name}", flush=True)
sys.exit(failed)
