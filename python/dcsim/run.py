# SPDX-License-Identifier: Apache-2.0
"""Run directories."""
import os
import pathlib
import tempfile

import numpy as np

from ._library import call, lib


def load(directory):
    """The arrays of a run directory as a dict, as dcsim export --format npz names them: "time", positions and rotations of
    bodies, joints, "control", those of the first trajectory, and of the best one "coordinates/q", "qd", "torque", "target"
    of mechanisms and "contacts/frame", "bodies", "gap", "force", "friction" (docs/run-directory.md)."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "trajectory.npz"
        call(lib.dcsim_export, os.fsencode(directory), b"npz", os.fsencode(path), None)
        with np.load(path) as arrays:
            return dict(arrays)
