# SPDX-License-Identifier: Apache-2.0
"""Trajectory optimization through contact, in the process of a Python program.

    import dcsim
    scene = dcsim.open("scenes/billiards.json")        # or the text of a scene, or a dict
    problem = scene.problem()
    loss, gradient = problem.value_and_grad(problem.initial)
    problem.trajectory().poses[-1, :, :3]               # where the bodies end

A thin layer over libdcsim by ctypes; include/dcsim.h is the reference.  Arrays that a problem or a simulation hands out
are views of the library's memory: their numbers hold until the next call of the same object; .copy() keeps them.
Objects may be used by any thread; calls of the same object wait for each other, and the library's calls release the
interpreter lock.  Ctrl-C ends a run after its iteration or step and raises KeyboardInterrupt.  dcsim.environment has
environments as Gymnasium knows them, dcsim.torch a loss for PyTorch, dcsim.run reads run directories.
"""
import concurrent.futures
import contextlib
import ctypes
import json
import operator
import os
import threading

import numpy as np

from . import _library
from ._library import Error, Infeasible, call, lib, view

__all__ = ["Body", "Contacts", "Error", "Infeasible", "Linearization", "Problem", "Progress", "Scene", "Simulation", "Trajectory",
           "open", "set_threads", "version"]


def version() -> str:
    """Version of the library."""
    return lib.dcsim_version().decode()


def set_threads(count: int) -> None:
    """OpenMP threads for all later work; 0 keeps the default.  Results do not depend on it."""
    if not 0 <= operator.index(count) < 2**31:
        raise ValueError(f"threads must be in [0, 2^31 - 1] (are {count})")
    lib.dcsim_set_threads(count)


def open(source, base_directory=None, *, model=None, gradient=None, overrides=(), allowed_paths=(), package_paths=(), seed=None,
         plant=None) -> "Scene":
    """Opens a scene: the path of a file or of a run directory, the text of a scene (a str that begins with "{") or a dict.

    Files that a text names are looked for in base_directory.  overrides: as of --set, {"time.steps": 50} or
    ["time.steps=50"].  plant: the world that plans are executed in: a contact model, a dict, or "none".  Raises Error with
    the place of a mistake.  A scene can be pickled: it is opened anew, from the same file or text.
    """
    arguments = {"source": source, "base_directory": base_directory, "model": model, "gradient": gradient, "overrides": overrides,
                 "allowed_paths": allowed_paths, "package_paths": package_paths, "seed": seed, "plant": plant}
    if isinstance(source, dict):
        source = json.dumps(source)
    if not isinstance(source, (str, bytes, os.PathLike)):
        raise TypeError(f"source must be a path, the text of a scene or a dict (is {type(source).__name__})")
    if isinstance(overrides, dict):
        overrides = [f"{path}={value if isinstance(value, str) else json.dumps(value)}" for path, value in overrides.items()]
    if isinstance(plant, dict):
        plant = json.dumps(plant)
    if seed is not None and not 0 <= operator.index(seed) <= 2**53:
        raise ValueError(f"seed must be in [0, 2^53] (is {seed})")
    options = _library.SceneOptions(model=_bytes(model), gradient=_bytes(gradient), plant=_bytes(plant),
                                    seed_given=seed is not None, seed=seed or 0)
    for name, items in (("override", overrides), ("allowed_path", allowed_paths), ("package_path", package_paths)):
        if isinstance(items, (str, bytes)):
            raise TypeError(f"{name}s must be a list of texts, not one text")
        texts = [_bytes(item, name + "s") for item in items]
        setattr(options, name + "_count", len(texts))
        setattr(options, name + "s", (ctypes.c_char_p * len(texts))(*texts))
    handle = ctypes.c_void_p()
    is_text = isinstance(source, str) and source.lstrip().startswith("{")
    if is_text:
        call(lib.dcsim_scene_open_text, _bytes(source, "source"), _bytes(base_directory), options, ctypes.byref(handle))
    else:
        opens = lib.dcsim_scene_open_run if os.path.isdir(source) else lib.dcsim_scene_open
        call(opens, _bytes(source, "source"), options, ctypes.byref(handle))
    return Scene(handle, arguments)


def _reopen(arguments):
    return open(**arguments)


def _bytes(text, required=None):
    """text as C takes it; None stays, unless it is required for what that names."""
    if text is None:
        if required:
            raise TypeError(f"{required}: None is no text")
        return None
    encoded = text.encode(errors="surrogatepass") if isinstance(text, str) and "{" in text else os.fsencode(text)
    if b"\0" in encoded:
        raise ValueError("a text must not hold a zero byte")
    return encoded


class _Memory:
    """Something of the library's, released with the last object that refers to it."""

    def __init__(self, pointer, destroy, needs):
        self.pointer, self._destroy, self._needs = pointer, destroy, needs

    def __del__(self):
        self._destroy(self.pointer)


class _Handle:
    """What the library made and releases; keeps what it depends on alive."""

    def __init__(self, pointer, destroy, *needs):
        if not isinstance(pointer, ctypes.c_void_p) or not pointer:
            raise TypeError(f"a {type(self).__name__} is made by dcsim.open or of a scene, not of {type(pointer).__name__}")
        self._memory = _Memory(pointer, destroy, needs)
        self._lock, self._holder = threading.Lock(), None

    @property
    def _pointer(self):
        if self._memory is None:
            raise ValueError(f"this {type(self).__name__} is closed")
        return self._memory.pointer

    @contextlib.contextmanager
    def _use(self):
        """The pointer, for this thread alone."""
        if self._holder == threading.get_ident():
            raise RuntimeError("an objective must not call the object that calls it")
        with self._lock:
            self._holder = threading.get_ident()
            try:
                yield self._pointer
            finally:
                self._holder = None

    def _refuse_copy(self, *_):
        raise TypeError(f"a {type(self).__name__} belongs to the library and cannot be copied; make another one of its scene")

    __copy__ = __deepcopy__ = __reduce_ex__ = _refuse_copy

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self) -> None:
        """Lets go of the library's memory, which is freed once no view of it is left; further calls raise ValueError."""
        if self._memory is not None:
            with self._use():
                self._memory = None


class Scene(_Handle):
    """A scene: sizes, bodies, and what can be made of it.  Immutable; may be shared by threads."""

    def __init__(self, pointer, arguments=None):
        super().__init__(pointer, lib.dcsim_scene_close)
        self._arguments = arguments
        sizes = _library.SceneSizes()
        call(lib.dcsim_scene_get_sizes, pointer, sizes)
        self.name = lib.dcsim_scene_name(pointer).decode()
        self.nq, self.nv, self.actuators = sizes.nq, sizes.nv, sizes.actuators
        self.steps, self.time_step = sizes.steps, sizes.time_step
        self.bodies = [self._body(i) for i in range(sizes.bodies)]
        self._stepper, self._stepping = None, threading.Lock()

    def __repr__(self):
        return f"<dcsim scene {self.name}: {len(self.bodies)} bodies, {self.steps} steps of {self.time_step:g} s>"

    def __copy__(self):
        return self

    def __deepcopy__(self, _):
        return self

    def __reduce_ex__(self, _):
        return _reopen, (self._arguments,)

    def close(self) -> None:
        """Nothing: problems and simulations of a scene need it; it goes with the last of them."""

    def _body(self, i):
        body = _library.SceneBody()
        call(lib.dcsim_scene_get_body, self._pointer, i, body)
        return Body(body)

    def problem(self, steps: int = 0, objective=None, only_objective: bool = False) -> "Problem":
        """The loss as a function of the parameters; see Problem."""
        return Problem(self, steps, objective, only_objective)

    def simulation(self) -> "Simulation":
        """The scene step by step, from its start; see Simulation."""
        return Simulation(self)

    def step(self, q, qd, target=None, target_velocity=None, force=None):
        """(q, qd) after one step from (q, qd): a pure function."""
        with self._stepping:
            if self._stepper is None:
                self._stepper = _create_simulation(self)
            simulation = Simulation(self, self._stepper)
            simulation.set_state(q, qd)
            return simulation.step(target, target_velocity, force)

    def simulate(self, directory="none", progress=None, **options) -> dict:
        """Rolls the scene out once, as dcsim simulate; the report as a dict (run.Result).  See optimize."""
        return self._run(lib.dcsim_simulate, directory, progress, options)

    def optimize(self, directory="none", progress=None, **options) -> dict:
        """Minimizes the loss with the scene's optimizer, as dcsim optimize; the report as a dict, which notebooks show with the
        replay where there is a run directory (run.Result).

        directory: of the run; "none": nothing is written; None: a new one below runs/.  progress(p): called after every
        iteration with p.iteration, p.loss, p.parameters, ...; a true answer stops the run, which is then no error.
        Further options are members of dcsim_run_options, such as max_seconds or control_run.
        """
        return self._run(lib.dcsim_optimize, directory, progress, options)

    def _run(self, function, directory, progress, options):
        raised = []

        def report_progress(_, data):
            try:
                # Without a function of the caller, too: entering Python lets the interpreter raise KeyboardInterrupt.
                return int(bool(progress(Progress(data.contents)))) if progress else 0
            except BaseException as exception:  # nothing may leave a callback
                raised.append(exception)
                return 1

        texts = {key: _bytes(value) if isinstance(value, (str, os.PathLike)) else value for key, value in options.items()}
        settings = _library.RunOptions(directory=_bytes(directory), **{"checkpoint_seconds": -1, **texts})
        if progress is not None and not callable(progress):
            raise TypeError("progress must be a function")
        settings.progress = _library.ProgressFunction(report_progress)
        report = _library.Report()
        try:
            call(function, self._pointer, settings, None, report, allowed=(_library.STOPPED,))
            if raised:
                raise raised[0]
            return run.Result(json.loads(report.json))
        finally:
            lib.dcsim_report_free(report)


class Body:
    """A body: its name, mass (kg) and where its numbers are: slices of q, qd and targets."""

    def __init__(self, about):
        self.name, self.mass = about.name.decode(), about.mass
        self.q = slice(max(about.q, 0), max(about.q, 0) + about.nq)
        self.v = slice(max(about.v, 0), max(about.v, 0) + about.nv)
        self.target = slice(max(about.actuator, 0), max(about.actuator, 0) + about.actuators)

    def __repr__(self):
        return f"<dcsim body {self.name}>"


class Progress:
    """What is reported while a run goes on, and the parameters (None where there are none)."""

    def __init__(self, data):
        for name in ("iteration", "iterations", "loss", "best_loss", "gradient_norm", "min_gap", "seconds", "fraction"):
            setattr(self, name, getattr(data, name))
        self.parameters = view(data.parameters, (data.parameter_count,)).copy() if data.parameters else None


class Trajectory:
    """Views of a trajectory: poses [frames, bodies, 16] (position, quaternion w x y z, rotation matrix row by row), position,
    quaternion, rotation [frames, bodies, 3, 3], q [frames, nq], qd [frames, nv], min_gap [frames], time [frames]."""

    def __repr__(self):
        frames, bodies = self.poses.shape[:2]
        return f"<dcsim trajectory: {frames} frames of {bodies} bodies, {self.time_step:g} s apart>"

    def __init__(self, data, owner=None):
        frames = data.steps + 1
        self.steps, self.time_step, self.divided_steps = data.steps, data.time_step, data.divided_steps
        self.poses = view(data.poses, (frames, data.bodies, 16), owner)
        self.position, self.quaternion = self.poses[..., :3], self.poses[..., 3:7]
        self.rotation = np.lib.stride_tricks.as_strided(
            self.poses[..., 7:], (frames, data.bodies, 3, 3), self.poses.strides[:2] + (24, 8), writeable=False)
        self.q = view(data.q, (frames, data.nq), owner)
        self.qd = view(data.qd, (frames, data.nv), owner) if data.qd else None
        self.min_gap = view(data.min_gap, (frames,), owner)

    @property
    def time(self):
        return self.time_step * np.arange(self.steps + 1)


class Contacts:
    """Views of contact pair by pair: bodies [pairs, 2], gaps [frames, pairs] m, wrenches and friction
    [frames, pairs, 2, 6]: torque (N m) about the centre of mass, then force (N), on the first and on the second body."""

    def __init__(self, data, owner):
        self.bodies = view(data.bodies, (data.pairs, 2), owner)
        self.gaps = view(data.gaps, (data.frames, data.pairs), owner)
        self.wrenches = view(data.wrenches, (data.frames, data.pairs, 2, 6), owner)
        self.friction = view(data.friction, (data.frames, data.pairs, 2, 6), owner)


class _Arrays(_Handle):
    """Trajectory and contact of a handle's last work."""

    def trajectory(self) -> Trajectory:
        data = _library.TrajectoryData()
        with self._use() as pointer:
            call(self._get_trajectory, pointer, data)
        return Trajectory(data, self._memory)

    def contacts(self) -> Contacts:
        data = _library.ContactsData()
        with self._use() as pointer:
            call(self._get_contacts, pointer, data)
        return Contacts(data, self._memory)


class Problem(_Arrays):
    """The loss of a scene as a function of x [dimension], its parameters.

    objective(trajectory, wrenches, forces) -> value is added to the scene's objectives, or stands alone.  It adds
    its derivatives to wrenches [frames, bodies, 6] (rotation first) and forces [frames, nv] unless they are None.
    """
    _get_trajectory, _get_contacts = lib.dcsim_problem_get_trajectory, lib.dcsim_problem_get_contacts

    def __init__(self, scene, steps=0, objective=None, only_objective=False):
        _check_scene(scene)
        if not 0 <= operator.index(steps) < 2**31:
            raise ValueError(f"steps must be in [0, 2^31 - 1], 0 for those of the scene (is {steps})")
        options = _library.ProblemOptions(steps=steps, only_objective=bool(only_objective))
        self._raised = None
        if objective is not None:
            if not callable(objective):
                raise TypeError("objective must be a function of (trajectory, wrenches, forces)")
            self._callback = options.objective = _library.ObjectiveFunction(self._wrap(objective))
        pointer = ctypes.c_void_p()
        call(lib.dcsim_problem_create, scene._pointer, options, ctypes.byref(pointer))
        super().__init__(pointer, lib.dcsim_problem_destroy, scene)
        self.scene, self.dimension = scene, lib.dcsim_problem_dimension(pointer)
        self._made_of, self._others = (scene, steps, objective, only_objective), []

    def __repr__(self):
        return f"<dcsim problem of {self.scene.name}: {self.dimension} parameters>"

    def _wrap(self, objective):
        def evaluate(_, data, value, wrenches, forces):
            try:
                t = data.contents
                shape = (t.steps + 1, t.bodies, 6), (t.steps + 1, t.nv)
                # The library's arrays are its own again after the call; whoever keeps what is given here keeps copies.
                of_library = [view(wrenches, shape[0], writable=True), view(forces, shape[1], writable=True)] if wrenches else []
                given = [array.copy() for array in of_library] or [None, None]
                value[0] = float(objective(Trajectory(t, self._memory), *given))
                for array, numbers in zip(of_library, given):
                    array[...] = numbers
                return 0
            except BaseException as exception:  # nothing may leave a callback
                self._raised = exception
                return 1
        return evaluate

    def _vector(self, function):
        x = np.zeros(self.dimension)
        with self._use() as pointer:
            function(pointer, _library.pointer(x))
        return x

    @property
    def initial(self) -> np.ndarray:
        """The parameters that the scene starts from."""
        return self._vector(lib.dcsim_problem_initial)

    @property
    def bounds(self):
        """(low, high), infinite where there is none: scipy.optimize.Bounds(*problem.bounds)."""
        low, high = np.zeros(self.dimension), np.zeros(self.dimension)
        lib.dcsim_problem_bounds(self._pointer, _library.pointer(low), _library.pointer(high))
        return low, high

    @property
    def groups(self):
        """Numbers of the groups that parameters belong to."""
        groups = np.zeros(self.dimension, dtype=np.intc)
        lib.dcsim_problem_groups(self._pointer, groups.ctypes.data_as(ctypes.POINTER(ctypes.c_int)))
        return groups

    @property
    def names(self) -> "list[str]":
        """Names of the parameters: what each of them sets."""
        text = ctypes.create_string_buffer(256)
        return [lib.dcsim_problem_name(self._pointer, i, text, 256) or text.value.decode() for i in range(self.dimension)]

    @property
    def units(self):
        """Of every parameter the unit of what it sets, "1" of a pure number, and by how much of it a parameter of 1 changes
        that: [("m/s", 1.0), ...]."""
        scale = ctypes.c_double()
        return [(lib.dcsim_problem_unit(self._pointer, i, ctypes.byref(scale)).decode(), scale.value)
                for i in range(self.dimension)]

    def value(self, x, otherwise=None) -> float:
        """The loss at x.  Raises Infeasible where bodies overlap at the start, Error where a step fails; with otherwise
        that is the loss there."""
        return self._evaluate(x, None, otherwise)

    def value_and_grad(self, x, otherwise=None) -> "tuple[float, np.ndarray]":
        """The loss at x and its gradient, zeros where the loss is otherwise; as scipy.optimize.minimize(jac=True) takes it."""
        gradient = np.zeros(self.dimension)
        return self._evaluate(x, gradient, otherwise), gradient

    def value_batch(self, x, otherwise=None, threads=None) -> np.ndarray:
        """The losses [n] at the rows of x [n, dimension], on all cores or so many threads; the numbers are those of value."""
        return self._batch(x, lambda problem, row: problem.value(row, otherwise), threads)

    def value_and_grad_batch(self, x, otherwise=None, threads=None) -> "tuple[np.ndarray, np.ndarray]":
        """The losses [n] and gradients [n, dimension] at the rows of x [n, dimension], on all cores or so many threads."""
        pairs = self._batch(x, lambda problem, row: np.hstack(problem.value_and_grad(row, otherwise)), threads)
        pairs = pairs.reshape(-1, 1 + self.dimension)
        return pairs[:, 0].copy(), pairs[:, 1:].copy()

    def _batch(self, x, evaluate, threads):
        rows = np.asarray(x, dtype=np.float64)
        if rows.ndim != 2 or rows.shape[1] != self.dimension:
            raise ValueError(f"x must have the shape [n, {self.dimension}] (has {list(rows.shape)})")
        if threads is not None and not 1 <= operator.index(threads) < 2**31:
            raise ValueError(f"threads must be at least 1 (is {threads})")
        count = min(threads or os.cpu_count() or 1, len(rows))
        if count < 1:
            return np.zeros(0)
        # A problem is for one evaluation at a time: each thread has its own, made once.
        while len(self._others) < count - 1:
            self._others.append(Problem(*self._made_of))
        problems = [self, *self._others[:count - 1]]

        def work(first):
            # The setting is the thread's own: rows are shared among threads, so that a row is for one.
            lib.dcsim_set_threads(1)
            return [evaluate(problems[first], row) for row in rows[first::count]]

        with concurrent.futures.ThreadPoolExecutor(count) as pool:
            results = list(pool.map(work, range(count)))
        return np.array([results[i % count][i // count] for i in range(len(rows))])

    def linearize(self, x) -> "Linearization":
        """The residual rows at x and their Jacobian; they hold until the next linearization."""
        x, data = _library.vector(x, self.dimension, "x"), _library.LinearizationData()
        with self._use() as pointer:
            call(lib.dcsim_problem_linearize, pointer, _library.pointer(x), data)
        return Linearization(data, self._memory)

    def rows(self, x) -> "Linearization":
        """The residual rows at x; jacobian is None."""
        x, data = _library.vector(x, self.dimension, "x"), _library.LinearizationData()
        with self._use() as pointer:
            call(lib.dcsim_problem_find_rows, pointer, _library.pointer(x), data)
        return Linearization(data, self._memory)

    def push_forward(self, x, direction) -> np.ndarray:
        """The Jacobian of the residual rows at x times a direction [dimension], without forming it: one tangent."""
        return self._product(lib.dcsim_problem_push_forward, x, direction, self.dimension, len(self.rows(x).residual))

    def pull_back(self, x, weights) -> np.ndarray:
        """The transposed Jacobian of the residual rows at x times weights [rows]: one adjoint."""
        return self._product(lib.dcsim_problem_pull_back, x, weights, len(self.rows(x).residual), self.dimension)

    def _product(self, function, x, vector, count, result_count):
        x, vector = _library.vector(x, self.dimension, "x"), _library.vector(() if vector is None else vector, count, "vector")
        product = np.zeros(result_count)
        with self._use() as pointer:
            call(function, pointer, _library.pointer(x), _library.pointer(vector), _library.pointer(product))
        return product

    def _evaluate(self, x, gradient, otherwise):
        x = _library.vector(() if x is None else x, self.dimension, "x")
        loss = ctypes.c_double()
        try:
            with self._use() as pointer:
                call(lib.dcsim_problem_evaluate, pointer, _library.pointer(x), ctypes.byref(loss), _library.pointer(gradient))
        except Error as error:
            raised, self._raised = self._raised, None
            if raised is not None:
                raise raised from None
            if otherwise is None or error.status not in (_library.INFEASIBLE, _library.NUMERICAL):
                raise
            return otherwise
        return loss.value


class Linearization:
    """Views of residual rows: residual, weight, group, radius, half [rows], jacobian [rows, dimension]; see dcsim_linearization."""

    def __init__(self, data, owner):
        for name in ("residual", "weight", "group", "radius", "half"):
            setattr(self, name, view(getattr(data, name), (data.rows,), owner))
        self.jacobian = view(data.jacobian, (data.rows, data.dimension), owner) if data.jacobian else None


def _check_scene(scene):
    if not isinstance(scene, Scene):
        raise TypeError(f"scene must be what dcsim.open returns (is {type(scene).__name__})")


def _create_simulation(scene):
    _check_scene(scene)
    pointer = ctypes.c_void_p()
    call(lib.dcsim_simulation_create, scene._pointer, ctypes.byref(pointer))
    return _Handle(pointer, lib.dcsim_simulation_destroy)


class Simulation(_Arrays):
    """A scene step by step: x' = f(x, u) with x = (q, qd); controls and objectives play no part."""
    _get_trajectory, _get_contacts = lib.dcsim_simulation_get_trajectory, lib.dcsim_simulation_get_contacts

    def __init__(self, scene, handle=None):
        handle = handle or _create_simulation(scene)
        super().__init__(handle._pointer, lambda pointer: None, scene, handle._memory)
        self._lock = handle._lock
        self.scene = scene

    @property
    def state(self):
        """(q, qd), copied."""
        q, qd = np.zeros(self.scene.nq), np.zeros(self.scene.nv)
        with self._use() as pointer:
            lib.dcsim_simulation_get_state(pointer, _library.pointer(q), _library.pointer(qd))
        return q, qd

    def set_state(self, q=None, qd=None):
        """None: as at the scene's start."""
        q, qd = _library.vector(q, self.scene.nq, "q"), _library.vector(qd, self.scene.nv, "qd")
        with self._use() as pointer:
            call(lib.dcsim_simulation_set_state, pointer, _library.pointer(q), _library.pointer(qd))

    def step(self, target=None, target_velocity=None, force=None):
        """One step with targets of the actuators, displacements from the scene's start, their velocities, and generalized
        forces [nv] (N, N m) held over it; the new (q, qd)."""
        u = [_library.vector(a, self.scene.actuators, "targets") for a in (target, target_velocity)]
        u.append(_library.vector(force, self.scene.nv, "force"))
        with self._use() as pointer:
            call(lib.dcsim_simulation_step, pointer, *map(_library.pointer, u))
        return self.state

    def linearize(self):
        """A [2 nv, 2 nv] and B [2 nv, 2 actuators + nv] of the last step: d(q, qd)' = A d(q, qd) + B d(target, target_velocity, force)."""
        a = np.zeros((2 * self.scene.nv, 2 * self.scene.nv))
        b = np.zeros((2 * self.scene.nv, 2 * self.scene.actuators + self.scene.nv))
        with self._use() as pointer:
            call(lib.dcsim_simulation_linearize, pointer, _library.pointer(a), _library.pointer(b))
        return a, b


from . import run  # noqa: E402  (it needs the names above)
