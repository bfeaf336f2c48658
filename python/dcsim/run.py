# SPDX-License-Identifier: Apache-2.0
"""Run directories."""
from __future__ import annotations

import html
import os
import pathlib
import tempfile
from typing import TYPE_CHECKING, Any, Dict

import numpy as np

from ._library import call, lib, text_of

if TYPE_CHECKING:
    from numpy.typing import NDArray


def load(directory: str | os.PathLike[str]) -> dict[str, NDArray[Any]]:
    """The arrays of a run directory as a dict, as dcsim export --format npz names them: "time" [frames] (s), "position"
    [frames, bodies, 3] (m) and "rotation" of bodies, joints, "control", those of the first trajectory, and of the best one "coordinates/q", "qd", "torque", "target"
    of mechanisms and "contacts/frame", "bodies", "gap", "force", "friction" (docs/run-directory.md)."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "trajectory.npz"
        call(lib.dcsim_export, text_of(directory, "directory"), b"npz", os.fsencode(path), None)
        with np.load(path) as arrays:
            return dict(arrays)


class Result(Dict[str, Any]):
    """The report of a run as a dict.  Notebooks show it with the page of the run: replay, curves and provenance."""

    @property
    def page(self) -> str | None:
        """The page of the run, report.html, made where it is not there yet; None without a run directory."""
        directory = self.get("run")
        if not directory or not os.path.isdir(directory):
            return None
        path = pathlib.Path(directory) / "report.html"
        if not path.exists():
            call(lib.dcsim_write_report, text_of(directory, "run"), None)
        return str(path)

    def _repr_html_(self) -> str:
        rows = "".join(f"<tr><td>{html.escape(name)}</td><td>{html.escape(str(self[name]))}</td></tr>"
                       for name in ("success", "loss", "initial_loss", "iterations", "steps", "min_gap", "run") if self.get(name) is not None)
        path, page = self.page, ""
        if path:
            text = html.escape(pathlib.Path(path).read_text(encoding="utf-8"), quote=True)
            # The page runs its own scripts apart from the notebook: it may neither reach it nor send requests.
            page = f'<iframe sandbox="allow-scripts" srcdoc="{text}" style="width: 100%; height: 640px; border: 0"></iframe>'
        return f"<table>{rows}</table>{page}"
