#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds dcsim in build/: installs what is missing, configures when needed, compiles what has changed.
# Usage: scripts/build.sh [--demo] [--smallest], from any directory.  --demo leaves out the packages that only tests need; --smallest
# builds in build-smallest/, without any optional library.
# The environment's CC, CFLAGS and LDFLAGS count when the folder is configured for the first time; remove it to change them.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)

build=build setup='' configure=''
for argument in "$@"; do
  case $argument in
    --demo) setup=--demo ;;
    --smallest)
      build='build-smallest'
      configure="--with-mujoco=no --with-nlopt=no --with-assimp=no --with-microhttpd=no --with-mpi=no"
      ;;
    -h | --help) echo "usage: scripts/build.sh [--demo] [--smallest]"; exit 0 ;;
    *) echo "build: unknown option $argument" >&2; exit 2 ;;
  esac
done
"$root/scripts/setup.sh" $setup || echo "build: trying with what is there" >&2

cd "$root"
if [ ! -f configure ] || [ ! -f Makefile.in ] || [ ! -f config.h.in ] || [ -n "$(find configure.ac -newer configure)" ]; then
  echo "build: autoreconf"
  autoreconf -fi
fi

# A build directory remembers where it stands; one that was moved or copied here is of no use.
if [ -f $build/Makefile ] && ! grep -qxF "abs_top_builddir = $root/$build" $build/Makefile; then
  echo "build: $build/ belongs to another place, starting again"
  rm -rf $build
fi
mkdir -p $build
cd $build
if [ ! -f Makefile ] || [ ! -f config.status ]; then
  echo "build: configure"
  # The options are words.
  # shellcheck disable=SC2086
  ../configure --quiet $configure
fi
exec make --no-print-directory -j"$(nproc 2> /dev/null || echo 1)"
