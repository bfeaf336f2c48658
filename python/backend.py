# SPDX-License-Identifier: Apache-2.0
"""Builds for pip (PEP 517): a wheel by scripts/wheel.sh, a source archive of the files of the tree."""
import io
import os
import pathlib
import re
import subprocess
import tarfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILT = {".git", "build", "build-wheel", "build-smallest", "autom4te.cache", "node_modules", "__pycache__", "runs"}


def _version():
    return re.search(r"AC_INIT\(\[dcsim\], \[([^\]]+)\]", (ROOT / "configure.ac").read_text(encoding="utf-8")).group(1)


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    output = subprocess.run([str(ROOT / "scripts" / "wheel.sh"), wheel_directory], check=True, stdout=subprocess.PIPE, text=True).stdout
    return os.path.basename(output.strip().splitlines()[-1])


def build_sdist(sdist_directory, config_settings=None):
    name = f"dcsim-{_version()}"
    metadata = f"Metadata-Version: 2.1\nName: dcsim\nVersion: {_version()}\nSummary: Trajectory optimization through contact\n"

    def wanted(member):
        parts = member.name.split("/")[1:]
        return None if BUILT & set(parts) else member

    path = os.path.join(sdist_directory, name + ".tar.gz")
    with tarfile.open(path, "w:gz", format=tarfile.PAX_FORMAT) as archive:
        for entry in sorted(ROOT.iterdir()):
            if entry.name not in BUILT:
                archive.add(entry, f"{name}/{entry.name}", filter=wanted)
        member = tarfile.TarInfo(f"{name}/PKG-INFO")
        member.size = len(metadata)
        archive.addfile(member, io.BytesIO(metadata.encode()))
    return os.path.basename(path)
