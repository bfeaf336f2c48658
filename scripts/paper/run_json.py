# SPDX-License-Identifier: Apache-2.0
"""Runs dcsim optimize on a shipped scene and takes its result and the processor time."""
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from measure import SCENES  # noqa: E402


def optimize(dcsim, scene, arguments):
    """The result of one run of scene (its name) in one thread that writes no directory, and the seconds of a processor that it took."""
    words = [dcsim, "optimize", os.path.join(SCENES, scene + ".json"), "--threads", "1", "-o", "none", "--quiet", "--json", *arguments]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        output, problem = process.stdout.read(), process.stderr.read()
        _, code, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(code)
    if process.returncode not in (0, 1):
        raise RuntimeError(f"{' '.join(words)}: {problem.strip()}")
    return json.loads(output), usage.ru_utime + usage.ru_stime
