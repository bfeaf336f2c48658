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
interpreter lock.  Ctrl-C ends any call at once and raises KeyboardInterrupt; a run with a directory may end its iteration first, within half a second.  dcsim.environment has
environments as Gymnasium knows them, dcsim.torch and dcsim.jax a loss for PyTorch and JAX, dcsim.run reads run directories.

Units are SI: m, kg, s, N, rad; z is up.  nq, nv: coordinates and velocities of all bodies together; a free body has 7
coordinates (centre of mass, quaternion w x y z) and 6 velocities (rad/s about the axes of the world, then m/s); a joint has
one of each (m or rad), a ball joint 4 and 3.
"""
from __future__ import annotations

import collections
import concurrent.futures
import contextlib
import ctypes
import hashlib
import io
import json
import operator
import os
import threading
import time
from typing import TYPE_CHECKING, Any, Callable, Iterable, Iterator, Mapping, Optional, TypeVar, Union

try:
    import numpy as np
except ImportError as _error:
    raise ImportError("dcsim needs NumPy: pip install numpy, or apt-get install python3-numpy and /usr/bin/python3") from _error

from . import _library
from ._library import Error, Infeasible, call, lib, text_of as _bytes, view
from ._signals import Signals

__all__ = ["Body", "Contacts", "Error", "Infeasible", "Linearization", "Problem", "Progress", "Scene", "Simulation", "Trajectory",
           "open", "set_threads", "version"]

Self = TypeVar("Self", bound="_Handle")
if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Path = Union[str, bytes, os.PathLike[str]]
    Floats = NDArray[np.float64]
    Objective = Callable[["Trajectory", Optional[Floats], Optional[Floats]], float]


def version() -> str:
    """Version of the library."""
    return str(lib.dcsim_version().decode())


def set_threads(count: int) -> None:
    """OpenMP threads for all later work; 0 keeps the default.  Results do not depend on it."""
    if not 0 <= operator.index(count) < 2**31:
        raise ValueError(f"threads must be in [0, 2^31 - 1] (are {count})")
    lib.dcsim_set_threads(count)


def open(source: Path | dict[str, Any], base_directory: Path | None = None, *, model: str | None = None, gradient: str | None = None,
         overrides: Mapping[str, Any] | Iterable[str] = (), allowed_paths: Iterable[Path] = (), package_paths: Iterable[Path] = (),
         seed: int | None = None, plant: str | dict[str, Any] | None = None) -> Scene:
    """Opens a scene: the path of a file or of a run directory, the text of a scene (a str or bytes that begin with "{") or a dict.

    Files that a text names are looked for in base_directory.  overrides: as of --set, {"time.steps": 50} or
    ["time.steps=50"].  allowed_paths: further folders that files may come from; package_paths: where package:// of robots is
    looked for.  plant: the world that plans are executed in: a contact model, a dict, or "none".  Raises Error with
    the place of a mistake.  A scene can be pickled: it is opened anew, in any working directory, from the same text or file, which
    must not have changed (files that a scene names are not compared).
    """
    base_directory = _absolute("." if base_directory is None else base_directory)
    allowed_paths, package_paths = (paths if isinstance(paths, (str, bytes)) else [_absolute(path) for path in paths]
                                    for paths in (allowed_paths, package_paths))
    if isinstance(source, dict):
        source = json.dumps(source)
    if isinstance(source, bytes) and source.lstrip().startswith(b"{"):
        source = source.decode()
    if not isinstance(source, (str, bytes, os.PathLike)):
        raise TypeError(f"source must be a path, the text of a scene or a dict (is {type(source).__name__})")
    if isinstance(overrides, dict):
        overrides = [f"{path}={value if isinstance(value, str) else json.dumps(value)}" for path, value in overrides.items()]
    elif not isinstance(overrides, (str, bytes)):
        overrides = list(overrides)
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
    handle, digest = ctypes.c_void_p(), None
    is_text = isinstance(source, str) and source.lstrip().startswith("{")
    if is_text:
        call(lib.dcsim_scene_open_text, _bytes(source, "source"), _bytes(base_directory), options, ctypes.byref(handle))
    else:
        opens = lib.dcsim_scene_open_run if os.path.isdir(source) else lib.dcsim_scene_open
        call(opens, _bytes(source, "source"), options, ctypes.byref(handle))
        digest, source = _digest(source), _absolute(source)
    return Scene(handle, ({"source": source, "base_directory": base_directory, "model": model, "gradient": gradient, "overrides": overrides,
                           "allowed_paths": allowed_paths, "package_paths": package_paths, "seed": seed, "plant": plant}, digest))


def _absolute(path: Any) -> Any:
    """The path from the root, with its links as they are; what is no path stays for others to refuse."""
    if not isinstance(path, (str, bytes, os.PathLike)) or not os.fspath(path) or os.path.isabs(path):
        return path
    try:
        return os.path.join(os.getcwdb(), path) if isinstance(path, bytes) else os.path.join(os.getcwd(), path)
    except OSError:  # the working directory is gone
        return path


def _digest(source: Path) -> str:
    """Tells the file of a scene that was opened, or that of a run, from another."""
    name: Any = os.path.join(os.fsdecode(source), "resolved.json") if os.path.isdir(source) else source
    with io.open(name, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def _reopen(arguments: dict[str, Any], digest: str | None) -> Scene:
    scene = open(**arguments)
    if scene._origin[1] != digest:
        raise ValueError(f"{os.fsdecode(arguments['source'])}: has changed since the scene was opened that this one is a copy of")
    return scene


class _Memory:
    """Something of the library's, released with the last object that refers to it."""

    def __init__(self, pointer: ctypes.c_void_p, destroy: Callable[[ctypes.c_void_p], Any], needs: tuple[Any, ...]) -> None:
        self.pointer, self._destroy, self._needs = pointer, destroy, needs

    def __del__(self) -> None:
        self._destroy(self.pointer)


class _Handle:
    """What the library made and releases; keeps what it depends on alive."""

    def __init__(self, pointer: ctypes.c_void_p, destroy: Callable[[ctypes.c_void_p], Any], *needs: Any) -> None:
        if not isinstance(pointer, ctypes.c_void_p) or not pointer:
            raise TypeError(f"a {type(self).__name__} is made by dcsim.open or of a scene, not of {type(pointer).__name__}")
        self._memory: _Memory | None = _Memory(pointer, destroy, needs)
        self._lock = threading.Lock()
        self._holder: int | None = None

    @property
    def _pointer(self) -> ctypes.c_void_p:
        if self._memory is None:
            raise ValueError(f"this {type(self).__name__} is closed")
        return self._memory.pointer

    @contextlib.contextmanager
    def _use(self) -> Iterator[ctypes.c_void_p]:
        """The pointer, for this thread alone."""
        if self._holder == threading.get_ident():
            raise RuntimeError("an objective must not call the object that calls it")
        with self._lock:
            try:
                self._holder = threading.get_ident()
                yield self._pointer
            finally:
                self._holder = None

    def __copy__(self) -> Any:
        raise TypeError(f"a {type(self).__name__} belongs to the library and cannot be copied; make another one of its scene")

    def __deepcopy__(self, _: Any) -> Any:
        return self.__copy__()

    def __reduce_ex__(self, _: Any) -> Any:
        return self.__copy__()

    def __enter__(self: Self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Lets go of the library's memory, which is freed once no view of it is left; further calls raise ValueError."""
        if self._memory is not None:
            with self._use():
                self._memory = None


class Scene(_Handle):
    """A scene: name; nq, nv, actuators, steps: its sizes; time_step (s); bodies.  Immutable; may be shared by threads."""

    def __init__(self, pointer: ctypes.c_void_p, origin: tuple[dict[str, Any], str | None] = ({}, None)) -> None:
        super().__init__(pointer, lib.dcsim_scene_close)
        self._origin = origin  # what opens it anew, and the digest of its file
        sizes = _library.SceneSizes()
        call(lib.dcsim_scene_get_sizes, pointer, sizes)
        self.name: str = lib.dcsim_scene_name(pointer).decode()
        self.nq: int = sizes.nq
        self.nv: int = sizes.nv
        self.actuators: int = sizes.actuators
        self.steps: int = sizes.steps
        self.time_step: float = sizes.time_step
        self.bodies = [self._body(i) for i in range(sizes.bodies)]
        self._stepper: _Handle | None = None
        self._stepping = threading.Lock()

    def __repr__(self) -> str:
        return f"<dcsim scene {self.name}: {len(self.bodies)} bodies, {self.steps} steps of {self.time_step:g} s>"

    def __copy__(self) -> Scene:
        return self

    def __deepcopy__(self, _: Any) -> Scene:
        return self

    def __reduce_ex__(self, _: Any) -> tuple[Callable[..., Scene], tuple[Any, ...]]:
        return _reopen, self._origin

    def close(self) -> None:
        """Nothing: problems and simulations of a scene need it; it goes with the last of them."""

    def _body(self, i: int) -> Body:
        body = _library.SceneBody()
        call(lib.dcsim_scene_get_body, self._pointer, i, body)
        return Body(body)

    def problem(self, steps: int = 0, objective: Objective | None = None, only_objective: bool = False) -> Problem:
        """The loss as a function of the parameters, over so many steps, 0 for those of the scene; see Problem."""
        return Problem(self, steps, objective, only_objective)

    def simulation(self) -> Simulation:
        """The scene step by step, from its start; see Simulation."""
        return Simulation(self)

    def step(self, q: ArrayLike, qd: ArrayLike, target: ArrayLike | None = None, target_velocity: ArrayLike | None = None,
             force: ArrayLike | None = None) -> tuple[Floats, Floats]:
        """(q [nq], qd [nv]) after one step of time_step from (q, qd): a pure function.  The inputs are those of Simulation.step."""
        with self._stepping:
            if self._stepper is None:
                self._stepper = _create_simulation(self)
            simulation = Simulation(self, self._stepper)
            simulation.set_state(q, qd)
            return simulation.step(target, target_velocity, force)

    def simulate(self, directory: Path | None = "none", progress: Callable[[Progress], Any] | None = None, **options: Any) -> run.Result:
        """Rolls the scene out once, as dcsim simulate; the report as a dict (run.Result).  See optimize."""
        return self._run(lib.dcsim_simulate, directory, progress, options)

    def optimize(self, directory: Path | None = "none", progress: Callable[[Progress], Any] | None = None, **options: Any) -> run.Result:
        """Minimizes the loss with the scene's optimizer, as dcsim optimize; the report as a dict, which notebooks show with the
        replay where there is a run directory (run.Result).

        directory: of the run; "none": nothing is written; None: a new one below runs/.  progress(p): called after every
        iteration with p.iteration, p.loss, p.parameters, ...; a true answer stops the run, which is then no error.
        Further options are members of dcsim_run_options, such as max_seconds (s) or control_run.
        """
        return self._run(lib.dcsim_optimize, directory, progress, options)

    def _run(self, function: Any, directory: Path | None, progress: Callable[[Progress], Any] | None, options: dict[str, Any]) -> run.Result:
        # What a handler of signals or progress raises ends the run after its iteration, so that its directory has results.  An
        # iteration that lasts, or one that would leave none, is ended at once.
        raised: list[BaseException] = []
        patience = 0.0 if directory == "none" else 0.5
        signals = Signals()
        end = float("inf")

        def guarded(function: Callable[[], Any]) -> int:
            nonlocal end
            try:
                with signals.lifted():
                    return int(bool(function()))
            except BaseException as exception:  # nothing may leave a callback
                raised.append(exception)
                end = min(end, time.monotonic() + patience)
                return 1

        def report_progress(_: Any, data: Any) -> int:
            return 1 if raised else guarded(lambda: progress and progress(Progress(data.contents)))

        def poll(_: Any) -> int:
            guarded(lambda: 0)
            return int(time.monotonic() >= end)

        texts = {key: _bytes(value) if isinstance(value, (str, os.PathLike)) else value for key, value in options.items()}
        settings = _library.RunOptions(directory=_bytes(directory), **{"checkpoint_seconds": -1, **texts})
        if progress is not None and not callable(progress):
            raise TypeError("progress must be a function")
        settings.progress, settings._poll = _library.ProgressFunction(report_progress), _library.PollFunction(poll)
        report = _library.Report()
        try:
            with signals.deferred():
                call(function, self._pointer, settings, None, report, allowed=(_library.STOPPED,))
            if raised:
                raise raised[0]
            return run.Result(json.loads(report.json))
        finally:
            lib.dcsim_report_free(report)


class Body:
    """A body: its name, mass (kg) and where its numbers are: slices q of coordinates, v of velocities, target of targets."""

    def __init__(self, about: _library.SceneBody) -> None:
        self.name: str = about.name.decode()
        self.mass: float = about.mass
        self.q = slice(max(about.q, 0), max(about.q, 0) + about.nq)
        self.v = slice(max(about.v, 0), max(about.v, 0) + about.nv)
        self.target = slice(max(about.actuator, 0), max(about.actuator, 0) + about.actuators)

    def __repr__(self) -> str:
        return f"<dcsim body {self.name}>"


class Progress:
    """What is reported while a run goes on: losses, the norm of the gradient, the smallest gap of the rollout (m), the time
    since the start (s), the fraction of the work that is done, and a copy of the parameters (None where there are none)."""
    iteration: int
    iterations: int
    loss: float
    best_loss: float
    gradient_norm: float
    min_gap: float
    seconds: float
    fraction: float

    def __init__(self, data: _library.ProgressData) -> None:
        for name in ("iteration", "iterations", "loss", "best_loss", "gradient_norm", "min_gap", "seconds", "fraction"):
            setattr(self, name, getattr(data, name))
        self.parameters: Floats | None = view(data.parameters, (data.parameter_count,)).copy() if data.parameters else None


class Trajectory:
    """Views of a trajectory of steps + 1 frames: poses [frames, bodies, 16] (position, quaternion w x y z, rotation matrix row
    by row), position [frames, bodies, 3] (m, of centres of mass), quaternion [frames, bodies, 4], rotation [frames, bodies, 3, 3]
    (from the body's axes to the world's), q [frames, nq], qd [frames, nv] (None where there are none), min_gap [frames] (m),
    time [frames] (s)."""

    def __repr__(self) -> str:
        frames, bodies = self.poses.shape[:2]
        return f"<dcsim trajectory: {frames} frames of {bodies} bodies, {self.time_step:g} s apart>"

    def __init__(self, data: _library.TrajectoryData, owner: object = None) -> None:
        frames = data.steps + 1
        self.steps: int = data.steps
        self.time_step: float = data.time_step
        self.divided_steps: int = data.divided_steps
        self.poses = view(data.poses, (frames, data.bodies, 16), owner)
        self.position, self.quaternion = self.poses[..., :3], self.poses[..., 3:7]
        self.rotation = np.lib.stride_tricks.as_strided(
            self.poses[..., 7:], (frames, data.bodies, 3, 3), self.poses.strides[:2] + (24, 8), writeable=False)
        self.q = view(data.q, (frames, data.nq), owner)
        self.qd: Floats | None = view(data.qd, (frames, data.nv), owner) if data.qd else None
        self.min_gap = view(data.min_gap, (frames,), owner)

    @property
    def time(self) -> Floats:
        """Times of the frames [frames], s."""
        return self.time_step * np.arange(self.steps + 1)


class Contacts:
    """Views of contact pair by pair: bodies [pairs, 2] (indices into Scene.bodies), gaps [frames, pairs] m, wrenches and friction
    [frames, pairs, 2, 6]: torque (N m) about the centre of mass, then force (N), on the first and on the second body."""

    def __init__(self, data: _library.ContactsData, owner: object) -> None:
        self.bodies = view(data.bodies, (data.pairs, 2), owner)
        self.gaps = view(data.gaps, (data.frames, data.pairs), owner)
        self.wrenches = view(data.wrenches, (data.frames, data.pairs, 2, 6), owner)
        self.friction = view(data.friction, (data.frames, data.pairs, 2, 6), owner)


class _Work:
    """A call of the library's that lasts.  It ends soon when another thread gives it up or a handler of signals raises."""

    def __init__(self) -> None:
        self.signals = Signals()
        self.raised: BaseException | None = None
        self.given_up = False

    def poll(self, _: Any) -> int:
        try:
            with self.signals.lifted():
                return int(self.given_up)
        except BaseException as exception:  # nothing may leave a callback
            self.raised = exception
            return 1


class _Working(_Handle):
    """A handle whose calls may last, with trajectory and contact of the last one."""
    _set_poll: Any
    _get_trajectory: Any
    _get_contacts: Any

    def __init__(self, pointer: ctypes.c_void_p, destroy: Callable[[ctypes.c_void_p], Any], *needs: Any) -> None:
        super().__init__(pointer, destroy, *needs)
        self._work = _Work()
        self._poll = _library.PollFunction(self._work.poll)
        self._set_poll(pointer, self._poll, None)

    @contextlib.contextmanager
    def _use(self) -> Iterator[ctypes.c_void_p]:
        work = self._work
        with super()._use() as pointer, work.signals.deferred():
            try:
                yield pointer
            except Error:
                if work.raised is not None:
                    raise work.raised from None
                raise
            finally:
                work.raised = None

    def trajectory(self) -> Trajectory:
        """The frames of the last evaluation, or of the steps so far; see Trajectory."""
        data = _library.TrajectoryData()
        with self._use() as pointer:
            call(self._get_trajectory, pointer, data)
        return Trajectory(data, self._memory)

    def contacts(self) -> Contacts:
        """Gaps and forces in the frames of the last evaluation, or of the last step; see Contacts."""
        data = _library.ContactsData()
        with self._use() as pointer:
            call(self._get_contacts, pointer, data)
        return Contacts(data, self._memory)


class Problem(_Working):
    """The loss of a scene as a function of x [dimension], its parameters, whose names and units tell what each sets.

    objective(trajectory, wrenches, forces) -> value is added to the scene's objectives, or stands alone (only_objective).  It
    adds its derivatives to wrenches [frames, bodies, 6] (by a turn about the centre of mass, 1/rad, then by its motion, 1/m)
    and forces [frames, nv] (by velocities) unless they are None.
    """
    _get_trajectory, _get_contacts, _set_poll = lib.dcsim_problem_get_trajectory, lib.dcsim_problem_get_contacts, lib.dcsim_problem_set_poll

    def __init__(self, scene: Scene, steps: int = 0, objective: Objective | None = None, only_objective: bool = False) -> None:
        _check_scene(scene)
        if not 0 <= operator.index(steps) < 2**31:
            raise ValueError(f"steps must be in [0, 2^31 - 1], 0 for those of the scene (is {steps})")
        options = _library.ProblemOptions(steps=steps, only_objective=bool(only_objective))
        if objective is not None:
            if not callable(objective):
                raise TypeError("objective must be a function of (trajectory, wrenches, forces)")
            self._callback = options.objective = _library.ObjectiveFunction(self._wrap(objective))
        pointer = ctypes.c_void_p()
        call(lib.dcsim_problem_create, scene._pointer, options, ctypes.byref(pointer))
        super().__init__(pointer, lib.dcsim_problem_destroy, scene)
        self.scene = scene
        self.dimension: int = lib.dcsim_problem_dimension(pointer)
        self._made_of = (scene, steps, objective, only_objective)
        self._others: list[Problem] = []

    def __repr__(self) -> str:
        return f"<dcsim problem of {self.scene.name}: {self.dimension} parameters>"

    def _wrap(self, objective: Objective) -> Callable[..., int]:
        def evaluate(_: Any, data: Any, value: Any, wrenches: Any, forces: Any) -> int:
            try:
                t = data.contents
                shape = (t.steps + 1, t.bodies, 6), (t.steps + 1, t.nv)
                # The library's arrays are its own again after the call; whoever keeps what is given here keeps copies.
                of_library = [view(wrenches, shape[0], writable=True), view(forces, shape[1], writable=True)] if wrenches else []
                given = [array.copy() for array in of_library] or [None, None]
                with self._work.signals.lifted():
                    value[0] = float(objective(Trajectory(t, self._memory), *given))
                for array, numbers in zip(of_library, given):
                    array[...] = numbers
                return 0
            except BaseException as exception:  # nothing may leave a callback
                self._work.raised = exception
                return 1
        return evaluate

    def _vector(self, function: Any) -> Floats:
        x = np.zeros(self.dimension)
        with self._use() as pointer:
            function(pointer, _library.pointer(x))
        return x

    @property
    def initial(self) -> Floats:
        """The parameters [dimension] that the scene starts from."""
        return self._vector(lib.dcsim_problem_initial)

    @property
    def bounds(self) -> tuple[Floats, Floats]:
        """(low, high) [dimension] each, infinite where there is none: scipy.optimize.Bounds(*problem.bounds)."""
        low, high = np.zeros(self.dimension), np.zeros(self.dimension)
        lib.dcsim_problem_bounds(self._pointer, _library.pointer(low), _library.pointer(high))
        return low, high

    @property
    def groups(self) -> NDArray[np.intc]:
        """Numbers of the groups that parameters belong to [dimension]; those of a group have one unit and size."""
        groups = np.zeros(self.dimension, dtype=np.intc)
        lib.dcsim_problem_groups(self._pointer, groups.ctypes.data_as(ctypes.POINTER(ctypes.c_int)))
        return groups

    @property
    def names(self) -> list[str]:
        """Names of the parameters [dimension]: what each of them sets."""
        text = ctypes.create_string_buffer(1024)
        return [lib.dcsim_problem_name(self._pointer, i, text, len(text)) or text.value.decode(errors="replace") for i in range(self.dimension)]

    @property
    def units(self) -> list[tuple[str, float]]:
        """Of every parameter the unit of what it sets, "1" of a pure number, and by how much of it a parameter of 1 changes
        that: [("m/s", 1.0), ...]."""
        scale = ctypes.c_double()
        return [(lib.dcsim_problem_unit(self._pointer, i, ctypes.byref(scale)).decode(), scale.value)
                for i in range(self.dimension)]

    def value(self, x: ArrayLike, otherwise: float | None = None) -> float:
        """The loss at x [dimension].  Raises Infeasible where bodies overlap at the start, Error where a step fails; with otherwise
        that is the loss there."""
        return self._evaluate(x, None, otherwise)

    def value_and_grad(self, x: ArrayLike, otherwise: float | None = None) -> tuple[float, Floats]:
        """The loss at x [dimension] and its gradient [dimension], zeros where the loss is otherwise; as scipy.optimize.minimize(jac=True) takes it."""
        gradient = np.zeros(self.dimension)
        return self._evaluate(x, gradient, otherwise), gradient

    def value_batch(self, x: ArrayLike, otherwise: float | None = None, threads: int | None = None) -> Floats:
        """The losses [n] at the rows of x [n, dimension], on all cores or so many threads; the numbers are those of value."""
        return self._batch(x, lambda problem, row: problem.value(row, otherwise), threads)

    def value_and_grad_batch(self, x: ArrayLike, otherwise: float | None = None, threads: int | None = None) -> tuple[Floats, Floats]:
        """The losses [n] and gradients [n, dimension] at the rows of x [n, dimension], on all cores or so many threads."""
        pairs = self._batch(x, lambda problem, row: np.hstack(problem.value_and_grad(row, otherwise)), threads)
        pairs = pairs.reshape(-1, 1 + self.dimension)
        return pairs[:, 0].copy(), pairs[:, 1:].copy()

    def _batch(self, x: ArrayLike, evaluate: Callable[[Problem, Floats], Any], threads: int | None) -> Floats:
        if np.iscomplexobj(x):
            raise TypeError("x must be real")
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

        numbers, results = iter(range(len(rows))), [None] * len(rows)

        def work(problem: Problem) -> None:
            # The setting is the thread's own: rows are shared among threads, so that a row is for one.
            lib.dcsim_set_threads(1)
            # The interpreter hands out a number of the iterator to one thread only: none waits for a row that takes long.
            try:
                for i in numbers:
                    results[i] = evaluate(problem, rows[i])
            finally:
                collections.deque(numbers, 0)  # after an error the others are not begun

        def give_up(wanted: bool) -> None:
            for problem in problems:
                problem._work.given_up = wanted

        try:
            with concurrent.futures.ThreadPoolExecutor(count) as pool:
                try:
                    list(pool.map(work, problems))
                except BaseException:  # of a row, or Ctrl-C: rows that are being evaluated are not waited for
                    give_up(True)
                    raise
        finally:
            give_up(False)
        return np.array(results)

    def linearize(self, x: ArrayLike) -> Linearization:
        """The residual rows at x and their Jacobian; they hold until the next linearization."""
        x, data = _library.vector(x, self.dimension, "x"), _library.LinearizationData()
        with self._use() as pointer:
            call(lib.dcsim_problem_linearize, pointer, _library.pointer(x), data)
        return Linearization(data, self._memory)

    def rows(self, x: ArrayLike) -> Linearization:
        """The residual rows at x; jacobian is None."""
        x, data = _library.vector(x, self.dimension, "x"), _library.LinearizationData()
        with self._use() as pointer:
            call(lib.dcsim_problem_find_rows, pointer, _library.pointer(x), data)
        return Linearization(data, self._memory)

    def push_forward(self, x: ArrayLike, direction: ArrayLike) -> Floats:
        """The Jacobian of the residual rows at x times a direction [dimension], without forming it: [rows], one tangent."""
        return self._product(lib.dcsim_problem_push_forward, x, direction, self.dimension, len(self.rows(x).residual))

    def pull_back(self, x: ArrayLike, weights: ArrayLike) -> Floats:
        """The transposed Jacobian of the residual rows at x times weights [rows]: [dimension], one adjoint."""
        return self._product(lib.dcsim_problem_pull_back, x, weights, len(self.rows(x).residual), self.dimension)

    def _product(self, function: Any, x: ArrayLike, vector: ArrayLike, count: int, result_count: int) -> Floats:
        x, vector = _library.vector(x, self.dimension, "x"), _library.vector(() if vector is None else vector, count, "vector")
        product = np.zeros(result_count)
        with self._use() as pointer:
            call(function, pointer, _library.pointer(x), _library.pointer(vector), _library.pointer(product))
        return product

    def _evaluate(self, x: ArrayLike, gradient: Floats | None, otherwise: float | None) -> float:
        x = _library.vector(() if x is None else x, self.dimension, "x")
        loss = ctypes.c_double()
        try:
            with self._use() as pointer:
                call(lib.dcsim_problem_evaluate, pointer, _library.pointer(x), ctypes.byref(loss), _library.pointer(gradient))
        except Error as error:
            if otherwise is None or error.status not in (_library.INFEASIBLE, _library.NUMERICAL):
                raise
            return otherwise
        return loss.value


class Linearization:
    """Views of residual rows: residual, weight, group, radius, half [rows], jacobian [rows, dimension]; see dcsim_linearization."""
    residual: Floats
    weight: Floats
    group: NDArray[np.intc]
    radius: Floats
    half: Floats

    def __init__(self, data: _library.LinearizationData, owner: object) -> None:
        for name in ("residual", "weight", "group", "radius", "half"):
            setattr(self, name, view(getattr(data, name), (data.rows,), owner))
        self.jacobian: Floats | None = view(data.jacobian, (data.rows, data.dimension), owner) if data.jacobian else None


def _check_scene(scene: Any) -> None:
    if not isinstance(scene, Scene):
        raise TypeError(f"scene must be what dcsim.open returns (is {type(scene).__name__})")


def _create_simulation(scene: Scene) -> _Handle:
    _check_scene(scene)
    pointer = ctypes.c_void_p()
    call(lib.dcsim_simulation_create, scene._pointer, ctypes.byref(pointer))
    return _Handle(pointer, lib.dcsim_simulation_destroy)


class Simulation(_Working):
    """A scene step by step: x' = f(x, u) with x = (q [nq], qd [nv]); controls and objectives play no part."""
    _get_trajectory, _get_contacts, _set_poll = lib.dcsim_simulation_get_trajectory, lib.dcsim_simulation_get_contacts, lib.dcsim_simulation_set_poll

    def __init__(self, scene: Scene, handle: _Handle | None = None) -> None:
        handle = handle or _create_simulation(scene)
        super().__init__(handle._pointer, lambda pointer: None, scene, handle._memory)
        self._lock = handle._lock
        self.scene = scene

    @property
    def state(self) -> tuple[Floats, Floats]:
        """(q [nq], qd [nv]), copied."""
        q, qd = np.zeros(self.scene.nq), np.zeros(self.scene.nv)
        with self._use() as pointer:
            lib.dcsim_simulation_get_state(pointer, _library.pointer(q), _library.pointer(qd))
        return q, qd

    def set_state(self, q: ArrayLike | None = None, qd: ArrayLike | None = None) -> None:
        """Puts the bodies at q [nq] with the velocities qd [nv]; None: as at the scene's start."""
        q, qd = _library.vector(q, self.scene.nq, "q"), _library.vector(qd, self.scene.nv, "qd")
        with self._use() as pointer:
            call(lib.dcsim_simulation_set_state, pointer, _library.pointer(q), _library.pointer(qd))

    def step(self, target: ArrayLike | None = None, target_velocity: ArrayLike | None = None,
             force: ArrayLike | None = None) -> tuple[Floats, Floats]:
        """One step with targets of the actuators [actuators], displacements from the scene's start (m, rad), their velocities
        [actuators], and generalized forces [nv] (N, N m) held over it; the new (q, qd)."""
        u = [_library.vector(a, self.scene.actuators, "targets") for a in (target, target_velocity)]
        u.append(_library.vector(force, self.scene.nv, "force"))
        with self._use() as pointer:
            call(lib.dcsim_simulation_step, pointer, *map(_library.pointer, u))
        return self.state

    def linearize(self) -> tuple[Floats, Floats]:
        """A [2 nv, 2 nv] and B [2 nv, 2 actuators + nv] of the last step: d(q, qd)' = A d(q, qd) + B d(target, target_velocity, force)."""
        a = np.zeros((2 * self.scene.nv, 2 * self.scene.nv))
        b = np.zeros((2 * self.scene.nv, 2 * self.scene.actuators + self.scene.nv))
        with self._use() as pointer:
            call(lib.dcsim_simulation_linearize, pointer, _library.pointer(a), _library.pointer(b))
        return a, b


from . import run  # noqa: E402  (it needs the names above)
