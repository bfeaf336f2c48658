# SPDX-License-Identifier: Apache-2.0
"""python -m dcsim ARGUMENTS: the program; python -m dcsim demo [FOLDER]: finds a billiards shot and draws it."""
import os
import pathlib
import shutil
import subprocess
import sys


def program() -> str:
    """DCSIM_PROGRAM, else the program that comes with this package, in a wheel or a build tree, else the system's."""
    if os.environ.get("DCSIM_PROGRAM"):
        return os.environ["DCSIM_PROGRAM"]
    here = pathlib.Path(__file__).resolve().parent
    for place in [here / "bin" / "dcsim"] + [parent / "build" / "dcsim" for parent in here.parents[:3]]:
        if place.is_file() and os.access(place, os.X_OK):
            return str(place)
    found = shutil.which("dcsim", path=os.pathsep.join(
        folder for folder in os.environ.get("PATH", "").split(os.pathsep) if not _starts_this_module(folder)))
    if not found:
        sys.exit("dcsim: there is no program dcsim beside this module or in PATH")
    return found


def _starts_this_module(folder: str) -> bool:
    """Whether a folder's dcsim is the script that calls main: it would call itself for ever."""
    try:
        with open(os.path.join(folder, "dcsim"), "rb") as file:
            return file.read(2) == b"#!"
    except OSError:
        return False


def demo(folder: str) -> int:
    """A shot at billiards in FOLDER: the scene, the run, its page and a picture; returns the exit status."""
    dcsim = program()
    place = pathlib.Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    if not (place / "billiards.json").exists():
        subprocess.run([dcsim, "example", "billiards"], cwd=place, check=True)
    for arguments in (["optimize", "billiards.json", "-o", "shot"], ["render", "shot", "--size", "640x360", "--every", "1000"]):
        status = subprocess.run([dcsim, *arguments], cwd=place, check=False).returncode
        if status:
            return status
    print(f"demo: a page about the shot: {place / 'shot' / 'report.html'}")
    print(f"demo: its pictures: {place / 'shot' / 'frames'}")
    return 0


def main() -> None:
    if sys.argv[1:2] == ["demo"]:
        if len(sys.argv) > 3 or sys.argv[2:3] in (["--help"], ["-h"]):
            print(__doc__)
            sys.exit(0 if len(sys.argv) <= 3 else 2)
        sys.exit(demo(sys.argv[2] if len(sys.argv) > 2 else "dcsim-demo"))
    os.execv(program(), ["dcsim", *sys.argv[1:]])


if __name__ == "__main__":
    main()
