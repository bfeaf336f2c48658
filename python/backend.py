# SPDX-License-Identifier: Apache-2.0
"""Builds for pip (PEP 517): a wheel by scripts/wheel.sh, a source archive of the files that git knows, of all files of the tree
but what was built where there is no checkout."""
import io
import os
import pathlib
import re
import subprocess
import tarfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILT = {".git", "build", "build-wheel", "build-smallest", "build-aarch64", "autom4te.cache", "node_modules", "__pycache__", "runs"}


def _files():
    """The files of the tree as paths relative to it, in order."""
    listed = subprocess.run(["git", "-C", str(ROOT), "ls-files", "-z"], check=False, capture_output=True)
    if listed.returncode == 0 and listed.stdout and (ROOT / ".git").exists():
        paths = [pathlib.Path(os.fsdecode(name)) for name in listed.stdout.split(b"\0") if name]
    else:
        paths = [path.relative_to(ROOT) for path in ROOT.rglob("*")]
    return sorted(path for path in paths if not BUILT & set(path.parts) and (ROOT / path).is_file())


def _version():
    return re.search(r"AC_INIT\(\[dcsim\], \[([^\]]+)\]", (ROOT / "configure.ac").read_text(encoding="utf-8")).group(1)


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    output = subprocess.run([str(ROOT / "scripts" / "wheel.sh"), wheel_directory], check=True, stdout=subprocess.PIPE, text=True).stdout
    return os.path.basename(output.strip().splitlines()[-1])


def build_sdist(sdist_directory, config_settings=None):
    name = f"dcsim-{_version()}"
    metadata = f"Metadata-Version: 2.1\nName: dcsim\nVersion: {_version()}\nSummary: Trajectory optimization through contact\n"

    path = os.path.join(sdist_directory, name + ".tar.gz")
    with tarfile.open(path, "w:gz", format=tarfile.PAX_FORMAT) as archive:
        for file in _files():
            archive.add(ROOT / file, f"{name}/{file.as_posix()}")
        member = tarfile.TarInfo(f"{name}/PKG-INFO")
        member.size = len(metadata)
        archive.addfile(member, io.BytesIO(metadata.encode()))
    return os.path.basename(path)
