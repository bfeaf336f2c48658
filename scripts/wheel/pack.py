# SPDX-License-Identifier: Apache-2.0
"""An installation as a Python wheel (PEP 427), with the shared libraries that it needs: scripts/wheel.sh calls this.

dcsim/            the module; __main__.py starts the program
dcsim/bin/dcsim   the program; its data lie where it looks for them, in ../share/dcsim
dcsim/lib         libdcsim and the libraries of others, found by $ORIGIN, under names of their own: another package of the same
                  process may bring another version under the usual one
The tag is what the files need: the newest version of glibc that any of them asks for.

Usage: pack.py TREE PREFIX DIR [--tarball]
"""
import base64
import hashlib
import os
import platform
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile

tree, prefix, directory = (os.path.abspath(argument) for argument in sys.argv[1:4])
with_tarball = sys.argv[4:] == ["--tarball"]

# Libraries that every Linux has, as the manylinux policies list them.
EVERYWHERE = re.compile(r"(ld-linux|libc|libm|libdl|librt|libpthread|libresolv|libgcc_s|libstdc\+\+|libutil)[-.]|linux-vdso")
REQUIREMENTS = ["numpy>=1.20"]


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def needed(path):
    """Names and places of the shared libraries that a file is loaded with."""
    found = {}
    for line in run("ldd", path).splitlines():
        match = re.match(r"\s*(\S+) => (\S+) \(", line)
        if match:
            found[match.group(1)] = match.group(2)
        elif "not found" in line:
            sys.exit(f"wheel: {path}: {line.strip()}")
    return found


def own_name(name):
    """libpng16.so.16 -> libpng16-dcsim.so.16"""
    return name if name.startswith("libdcsim") else name.replace(".so", "-dcsim.so", 1)


def bundle(package):
    """Copies the libraries that program and library need, renames them, and lets each find the others beside it."""
    program, library = os.path.join(package, "bin", "dcsim"), os.path.join(package, "lib", "libdcsim.so.0")
    taken = {}
    for path in (program, library):
        for name, place in needed(path).items():
            if not EVERYWHERE.match(name) and not name.startswith("libdcsim"):
                taken[name] = place
    for name, place in taken.items():
        target = os.path.join(package, "lib", own_name(name))
        shutil.copyfile(place, target)
        os.chmod(target, 0o755)
    for path in [program, library] + [os.path.join(package, "lib", own_name(name)) for name in taken]:
        # One change a call: patchelf 0.14 mixes up several.
        for name in re.findall(r"NEEDED\s+(\S+)", run("objdump", "-p", path)):
            if name in taken:
                run("patchelf", "--replace-needed", name, own_name(name), path)
        if path not in (program, library):
            run("patchelf", "--set-soname", os.path.basename(path), path)
        run("patchelf", "--force-rpath", "--set-rpath", "$ORIGIN/../lib" if path == program else "$ORIGIN", path)
    return sorted(taken)


def glibc_version(package):
    newest = (2, 17)
    for folder in ("bin", "lib"):
        for name in os.listdir(os.path.join(package, folder)):
            for major, minor in re.findall(r"GLIBC_(\d+)\.(\d+)", run("objdump", "-T", os.path.join(package, folder, name))):
                newest = max(newest, (int(major), int(minor)))
    return newest


def record(path, name):
    with open(path, "rb") as file:
        content = file.read()
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(content)}\n"


def tarball(package, path):
    """bin, lib and share as they are in the wheel, python/dcsim, and the licences, in a folder of the archive's name."""
    folder = os.path.basename(path)[:-len(".tar.gz")]
    with tarfile.open(path + ".part", "w:gz") as archive:
        for name in sorted(os.listdir(package)):
            apart = name in ("bin", "lib", "share") or not name.endswith((".py", ".typed"))
            archive.add(os.path.join(package, name), f"{folder}/{'' if apart else 'python/dcsim/'}{name}", filter=owned_by_root)
    os.replace(path + ".part", path)
    return path


def owned_by_root(member):
    member.uid = member.gid = 0
    member.uname = member.gname = "root"
    return member


def main():
    version = re.search(r"AC_INIT\(\[dcsim\], \[([^\]]+)\]", open(os.path.join(tree, "configure.ac"), encoding="utf-8").read()).group(1)
    work = tempfile.mkdtemp(prefix="dcsim-wheel-")
    package = os.path.join(work, "dcsim")
    shutil.copytree(os.path.join(tree, "python", "dcsim"), package, ignore=shutil.ignore_patterns("__pycache__"))
    for folder in ("bin", "lib"):
        os.makedirs(os.path.join(package, folder))
    shutil.copy2(os.path.join(prefix, "bin", "dcsim"), os.path.join(package, "bin", "dcsim"))
    shutil.copy2(os.path.realpath(os.path.join(prefix, "lib", "libdcsim.so.0")), os.path.join(package, "lib", "libdcsim.so.0"))
    shutil.copytree(os.path.join(prefix, "share", "dcsim"), os.path.join(package, "share", "dcsim"))
    shutil.copytree(os.path.join(prefix, "share", "man"), os.path.join(package, "share", "man"))
    for name in ("LICENSE", "NOTICE"):
        shutil.copy2(os.path.join(tree, name), package)
    shutil.copy2(os.path.join(tree, "docs", "licensing.md"), package)
    libraries = bundle(package)
    major, minor = glibc_version(package)
    tag = f"py3-none-manylinux_{major}_{minor}_{platform.machine()}"
    info = os.path.join(work, f"dcsim-{version}.dist-info")
    os.makedirs(info)
    with open(os.path.join(tree, "README.md"), encoding="utf-8") as file:
        readme = file.read()
    texts = {
        "METADATA": f"Metadata-Version: 2.1\nName: dcsim\nVersion: {version}\nSummary: Trajectory optimization through contact\n"
                    "License: Apache-2.0; this binary, with CHOLMOD, under GPL-3 (dcsim/licensing.md)\nRequires-Python: >=3.9\n" +
                    "".join(f"Requires-Dist: {one}\n" for one in REQUIREMENTS) + "Description-Content-Type: text/markdown\n\n" + readme,
        "WHEEL": f"Wheel-Version: 1.0\nGenerator: scripts/wheel.sh\nRoot-Is-Purelib: false\nTag: {tag}\n",
        "entry_points.txt": "[console_scripts]\ndcsim = dcsim.__main__:main\n",
        "top_level.txt": "dcsim\n",
    }
    for name, text in texts.items():
        with open(os.path.join(info, name), "w", encoding="utf-8") as file:
            file.write(text)
    wheel = os.path.join(directory, f"dcsim-{version}-{tag}.whl")
    lines = ""
    with zipfile.ZipFile(wheel + ".part", "w", zipfile.ZIP_DEFLATED) as archive:
        for place, folders, names in os.walk(work):
            folders.sort()
            for name in sorted(names):
                path = os.path.join(place, name)
                inside = os.path.relpath(path, work)
                archive.write(path, inside)
                lines += record(path, inside)
        lines += f"dcsim-{version}.dist-info/RECORD,,\n"
        archive.writestr(f"dcsim-{version}.dist-info/RECORD", lines)
    os.replace(wheel + ".part", wheel)
    if with_tarball:
        print(tarball(package, os.path.join(directory, f"dcsim-{version}-linux-{platform.machine()}.tar.gz")))
    shutil.rmtree(work)
    print(f"wheel: {len(libraries)} libraries of others, {os.path.getsize(wheel) / 1e6:.0f} MB")
    print(wheel)


main()
