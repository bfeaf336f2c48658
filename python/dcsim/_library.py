# SPDX-License-Identifier: Apache-2.0
"""libdcsim by ctypes: the declarations of include/dcsim.h."""
from __future__ import annotations

import ctypes
import difflib
import os
import pathlib
from ctypes import POINTER, c_char_p, c_double, c_int, c_size_t, c_uint64, c_void_p
from typing import Any

import numpy as np

NUMERICAL, INFEASIBLE, STOPPED = 4, 8, 9


def _load() -> ctypes.CDLL:
    """DCSIM_LIBRARY, else the library of the installation or the build tree that this file lies in, else the system's."""
    name = "libdcsim.so.0"
    places = [pathlib.Path(os.environ["DCSIM_LIBRARY"])] if "DCSIM_LIBRARY" in os.environ else []
    if not places:
        for parent in pathlib.Path(__file__).resolve().parents[:6]:
            places += [parent / name, parent / "lib" / name, parent / "build" / "lib" / name]
    for place in places:
        if place.exists() or "DCSIM_LIBRARY" in os.environ:
            return ctypes.CDLL(str(place))
    return ctypes.CDLL(name)


class Error(Exception):
    """A failure; .status is one of enum dcsim_status."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status = status


class Infeasible(Error):
    """Bodies overlap at the start."""


class _Sized(ctypes.Structure):
    """A struct that begins with its size.  Members that begin with "_" are for this package alone."""

    def __init__(self, *arguments: Any, **members: Any) -> None:
        names = [field[0] for field in self._fields_ if field[0] != "size" and field[0][0] != "_"]
        for name in members:  # ctypes would take any name, and nothing would come of it
            if name not in names:
                near = difflib.get_close_matches(name, names, 1)
                raise TypeError(f"no option is called {name!r}" + (f" (did you mean {near[0]!r}?)" if near else f" (there are {', '.join(names)})"))
        super().__init__(*arguments, **members)
        self.size = ctypes.sizeof(self)


class ErrorData(ctypes.Structure):
    _fields_ = [("status", c_int), ("text", ctypes.c_char * 1024)]


class Report(ctypes.Structure):
    _fields_ = [("text", c_char_p), ("json", c_char_p)]


class SceneOptions(_Sized):
    _fields_ = [("size", c_size_t), ("model", c_char_p), ("gradient", c_char_p), ("override_count", c_int),
                ("overrides", POINTER(c_char_p)), ("allowed_path_count", c_int), ("allowed_paths", POINTER(c_char_p)),
                ("package_path_count", c_int), ("package_paths", POINTER(c_char_p)), ("seed_given", c_int), ("seed", c_uint64),
                ("plant", c_char_p)]


class SceneSizes(_Sized):
    _fields_ = [("size", c_size_t), ("bodies", c_int), ("nq", c_int), ("nv", c_int), ("actuators", c_int), ("steps", c_int),
                ("time_step", c_double)]


class SceneBody(_Sized):
    _fields_ = [("size", c_size_t), ("name", c_char_p), ("q", c_int), ("nq", c_int), ("v", c_int), ("nv", c_int),
                ("actuator", c_int), ("actuators", c_int), ("mass", c_double)]


class ProgressData(ctypes.Structure):
    _fields_ = [("iteration", c_int), ("iterations", c_int), ("loss", c_double), ("best_loss", c_double),
                ("gradient_norm", c_double), ("min_gap", c_double), ("seconds", c_double), ("is_best", c_int),
                ("backed_off", c_int), ("unit", c_char_p), ("fraction", c_double), ("parameter_count", c_int),
                ("parameters", POINTER(c_double))]


ProgressFunction = ctypes.CFUNCTYPE(c_int, c_void_p, POINTER(ProgressData))


PollFunction = ctypes.CFUNCTYPE(c_int, c_void_p)


class RunOptions(_Sized):
    _fields_ = [("size", c_size_t), ("directory", c_char_p), ("control_run", c_char_p), ("command_line", c_char_p),
                ("max_seconds", c_double), ("frames", c_int), ("progress", ProgressFunction), ("progress_context", c_void_p),
                ("resume", c_char_p), ("force", c_int), ("checkpoint_seconds", c_double), ("_ended", c_void_p), ("_ended_context", c_void_p),
                ("_ranks", c_void_p), ("_overwrite", c_int), ("_results_only", c_int), ("_require_success", c_int), ("_warned", c_void_p),
                ("_warned_context", c_void_p), ("_unadvised", c_int), ("_poll", PollFunction), ("_poll_context", c_void_p)]


class TrajectoryData(_Sized):
    _fields_ = [("size", c_size_t), ("steps", c_int), ("bodies", c_int), ("nq", c_int), ("nv", c_int), ("time_step", c_double),
                ("poses", POINTER(c_double)), ("q", POINTER(c_double)), ("qd", POINTER(c_double)),
                ("min_gap", POINTER(c_double)), ("divided_steps", c_int)]


class ContactsData(_Sized):
    _fields_ = [("size", c_size_t), ("frames", c_int), ("pairs", c_int), ("bodies", POINTER(c_int)), ("gaps", POINTER(c_double)),
                ("wrenches", POINTER(c_double)), ("friction", POINTER(c_double))]


class LinearizationData(_Sized):
    _fields_ = [("size", c_size_t), ("rows", c_int), ("dimension", c_int), ("residual", POINTER(c_double)),
                ("weight", POINTER(c_double)), ("group", POINTER(c_int)), ("radius", POINTER(c_double)),
                ("half", POINTER(c_double)), ("jacobian", POINTER(c_double))]


ObjectiveFunction = ctypes.CFUNCTYPE(c_int, c_void_p, POINTER(TrajectoryData), POINTER(c_double), POINTER(c_double),
                                     POINTER(c_double))


class ProblemOptions(_Sized):
    _fields_ = [("size", c_size_t), ("steps", c_int), ("objective", ObjectiveFunction), ("objective_context", c_void_p),
                ("only_objective", c_int)]


lib = _load()
_number, _out, _error = POINTER(c_double), POINTER(c_void_p), POINTER(ErrorData)
for _name, _result, _arguments in (
        ("version", c_char_p, []),
        ("set_threads", None, [c_int]),
        ("scene_open", c_int, [c_char_p, POINTER(SceneOptions), _out, _error]),
        ("scene_open_text", c_int, [c_char_p, c_char_p, POINTER(SceneOptions), _out, _error]),
        ("scene_open_run", c_int, [c_char_p, POINTER(SceneOptions), _out, _error]),
        ("scene_close", None, [c_void_p]),
        ("scene_name", c_char_p, [c_void_p]),
        ("scene_get_sizes", c_int, [c_void_p, POINTER(SceneSizes), _error]),
        ("scene_get_body", c_int, [c_void_p, c_int, POINTER(SceneBody), _error]),
        ("report_free", None, [POINTER(Report)]),
        ("simulate", c_int, [c_void_p, POINTER(RunOptions), c_void_p, POINTER(Report), _error]),
        ("optimize", c_int, [c_void_p, POINTER(RunOptions), c_void_p, POINTER(Report), _error]),
        ("export", c_int, [c_char_p, c_char_p, c_char_p, POINTER(Report), _error]),
        ("write_report", c_int, [c_char_p, POINTER(Report), POINTER(ErrorData)]),
        ("problem_create", c_int, [c_void_p, POINTER(ProblemOptions), _out, _error]),
        ("problem_destroy", None, [c_void_p]),
        ("problem_set_poll", None, [c_void_p, PollFunction, c_void_p]),
        ("problem_dimension", c_int, [c_void_p]),
        ("problem_initial", None, [c_void_p, _number]),
        ("problem_bounds", None, [c_void_p, _number, _number]),
        ("problem_groups", None, [c_void_p, POINTER(c_int)]),
        ("problem_name", None, [c_void_p, c_int, c_char_p, c_size_t]),
        ("problem_unit", c_char_p, [c_void_p, c_int, _number]),
        ("problem_evaluate", c_int, [c_void_p, _number, _number, _number, _error]),
        ("problem_linearize", c_int, [c_void_p, _number, POINTER(LinearizationData), _error]),
        ("problem_find_rows", c_int, [c_void_p, _number, POINTER(LinearizationData), _error]),
        ("problem_push_forward", c_int, [c_void_p, _number, _number, _number, _error]),
        ("problem_pull_back", c_int, [c_void_p, _number, _number, _number, _error]),
        ("problem_get_trajectory", c_int, [c_void_p, POINTER(TrajectoryData), _error]),
        ("problem_get_contacts", c_int, [c_void_p, POINTER(ContactsData), _error]),
        ("simulation_create", c_int, [c_void_p, _out, _error]),
        ("simulation_destroy", None, [c_void_p]),
        ("simulation_set_poll", None, [c_void_p, PollFunction, c_void_p]),
        ("simulation_set_state", c_int, [c_void_p, _number, _number, _error]),
        ("simulation_get_state", None, [c_void_p, _number, _number]),
        ("simulation_step", c_int, [c_void_p, _number, _number, _number, _error]),
        ("simulation_get_trajectory", c_int, [c_void_p, POINTER(TrajectoryData), _error]),
        ("simulation_get_contacts", c_int, [c_void_p, POINTER(ContactsData), _error]),
        ("simulation_linearize", c_int, [c_void_p, _number, _number, _error])):
    _function = getattr(lib, "dcsim_" + _name)
    _function.restype, _function.argtypes = _result, _arguments


def call(function: Any, *arguments: Any, allowed: tuple[int, ...] = ()) -> int:
    """Calls a function whose last argument is the error; raises unless it succeeds or ends with an allowed status."""
    error = ErrorData()
    status: int = function(*arguments, error)
    if status and status not in allowed:
        raise (Infeasible if status == INFEASIBLE else Error)(status, error.text.decode(errors="replace"))
    return status


def text_of(text: Any, required: str | None = None) -> bytes | None:
    """text as C takes it; None stays, unless it is required for what that names."""
    if text is None:
        if required:
            raise TypeError(f"{required}: None is no text")
        return None
    encoded = text.encode(errors="surrogatepass") if isinstance(text, str) and "{" in text else os.fsencode(text)
    if b"\0" in encoded:
        raise ValueError("a text must not hold a zero byte")
    return encoded


def vector(numbers: Any, count: int, name: str) -> Any:
    """numbers as contiguous doubles [count], finite; None stays."""
    if numbers is None:
        return None
    if np.iscomplexobj(numbers):
        raise TypeError(f"{name} must be real")
    array = np.ascontiguousarray(numbers, dtype=np.float64)
    if array.ndim > 1:
        raise ValueError(f"{name} must have the shape [{count}] (has {list(array.shape)})")
    if array.size != count:
        raise ValueError(f"{name} must have {count} numbers (has {array.size})")
    if not np.isfinite(array).all():
        raise ValueError(f"{name}[{int(np.argmin(np.isfinite(array)))}] must be finite")
    return array


def pointer(array: Any) -> Any:
    return None if array is None else array.ctypes.data_as(_number)


class _Memory:
    """Memory of the library as an array, with the object that owns it."""

    def __init__(self, address: int | None, kind: str, shape: tuple[int, ...], owner: object, writable: bool) -> None:
        self.owner = owner
        self.__array_interface__ = {"version": 3, "typestr": kind, "shape": shape, "data": (address, not writable)}


def view(address: Any, shape: tuple[int, ...], owner: object = None, writable: bool = False) -> Any:
    """The array at a pointer, without a copy; keeps owner alive."""
    kind = "<i4" if isinstance(address, POINTER(c_int)) else "<f8"
    if 0 in shape or not address:
        return np.zeros(shape, dtype=kind)
    return np.asarray(_Memory(ctypes.cast(address, c_void_p).value, kind, tuple(shape), owner, writable))
