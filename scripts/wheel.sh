#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Makes a Python wheel that holds the module, the library, the program, the scenes and every shared library that they need but those
# that each Linux has.  Nothing is downloaded; needs a Debian system with what building needs, and patchelf.
# Without MuJoCo, the live view and MPI: their libraries are not the wheel's to carry.
# Usage: scripts/wheel.sh [--tarball] [DIR]     the wheel comes to DIR, default build/dist; the build stays in build-wheel/
# --tarball: and beside it an archive of the same that runs wherever it is unpacked (bin, lib, share, python).
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
for program in patchelf python3 objdump ldd; do
  command -v $program > /dev/null 2>&1 || {
    echo "wheel: there is no $program (apt-get install patchelf binutils python3)" >&2
    exit 2
  }
done
tarball=''
if [ "${1-}" = --tarball ]; then
  tarball=--tarball
  shift
fi
directory=${1:-$root/build/dist}
mkdir -p "$directory"
directory=$(cd "$directory" && pwd)
"$root/scripts/setup.sh" --demo >&2 || echo "wheel: trying with what is there" >&2
cd "$root"
if [ ! -f configure ] || [ -n "$(find configure.ac -newer configure)" ]; then
  autoreconf -fi >&2
fi
mkdir -p build-wheel
cd build-wheel
if [ ! -f config.status ]; then
  ../configure --quiet --prefix=/usr --with-mujoco=no --with-microhttpd=no --with-mpi=no >&2
fi
make --no-print-directory -j"$(nproc)" > make.log 2>&1 || {
  tail -n 40 make.log >&2
  exit 1
}
rm -rf install
make --no-print-directory install-strip DESTDIR="$PWD/install" > install.log 2>&1 || {
  tail -n 40 install.log >&2
  exit 1
}
python3 "$root/scripts/wheel/pack.py" "$root" "$PWD/install/usr" "$directory" $tarball
