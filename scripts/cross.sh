#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds dcsim for aarch64 with Debian's cross compiler in build-aarch64/, without optional libraries, and runs unit tests under emulation.
#
# The libraries of the target are Debian packages unpacked into build-aarch64/sysroot (debootstrap --foreign: nothing of them runs while
# they are unpacked).  Alternatives and ldconfig are made when packages are configured, which does not happen there, so that the links to
# OpenBLAS, BLAS, LAPACK and HDF5 are set here.
# -O2: with -O3 Debian 12's compiler for aarch64 (12.2.0) ends with an internal error in src/contact/models/sdrs.c (vect_transform_reduction).
# Usage: scripts/cross.sh [--test], from any directory; exits 77 with a reason where the compiler or the target's packages cannot be had.
#   --test   also runs the unit tests of base, math and contact under qemu-user (minutes)
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
build=$root/build-aarch64
sysroot=$build/sysroot
tuple=aarch64-linux-gnu
mirror=${DEBIAN_MIRROR:-http://deb.debian.org/debian}
test=no
case ${1-} in
  '') ;;
  --test) test=yes ;;
  *) echo "usage: scripts/cross.sh [--test]" >&2; exit 2 ;;
esac
for program in $tuple-gcc debootstrap; do
  if ! command -v $program > /dev/null 2>&1; then
    echo "cross: there is no $program (Debian: gcc-$tuple libc6-dev-arm64-cross debootstrap; qemu-user for --test); nothing is built"
    exit 77
  fi
done

unpack() {
  mkdir -p "$build/packages"
  debootstrap --foreign --variant=minbase --arch=arm64 \
    --include=libcjson-dev,libopenblas-dev,libsuitesparse-dev,libhdf5-dev,libexpat1-dev,libembree-dev,libpng-dev,zlib1g-dev,libqhull-dev,libc6-dev,libgomp1 \
    bookworm "$build/packages" "$mirror" > "$build/debootstrap.log" 2>&1 || { tail -n 5 "$build/debootstrap.log" >&2; return 1; }
  mkdir -p "$sysroot.new"
  for package in "$build"/packages/var/cache/apt/archives/*.deb; do
    dpkg -x "$package" "$sysroot.new"
  done
  # links to absolute paths lead out of the folder
  find "$sysroot.new" -lname '/*' | while read -r link; do
    ln -snf "$(realpath -m --relative-to="$(dirname "$link")" "$sysroot.new$(readlink "$link")")" "$link"
  done
  cd "$sysroot.new/usr/lib/$tuple"
  for name in libopenblas.so libopenblas.so.0 libblas.so.3 liblapack.so.3; do
    ln -sf "openblas-pthread/$name" "$name"
  done
  ln -sf ../openblas-pthread/pkgconfig/openblas.pc pkgconfig/openblas.pc
  ln -sf hdf5-serial.pc pkgconfig/hdf5.pc
  mv "$sysroot.new" "$sysroot"
  rm -rf "$build/packages"
}
if [ ! -d "$sysroot" ]; then
  echo "cross: unpacking the target's libraries"
  unpack || { echo "cross: the target's packages cannot be had from $mirror (DEBIAN_MIRROR); nothing is built"; exit 77; }
fi

cd "$root"
[ -f configure ] || autoreconf -fi
cd "$build"
libraries=$sysroot/usr/lib/$tuple
if [ ! -f config.status ]; then
  PKG_CONFIG_SYSROOT_DIR=$sysroot PKG_CONFIG_LIBDIR=$libraries/pkgconfig:$sysroot/usr/share/pkgconfig ../configure --quiet \
    --host=$tuple CFLAGS="${CFLAGS--O2}" CC="${CROSS_CC:-$tuple-gcc} --sysroot=$sysroot" LDFLAGS="-Wl,-rpath-link,$libraries:$libraries/openblas-pthread" \
    --with-mujoco=no --with-nlopt=no --with-assimp=no --with-microhttpd=no --with-mpi=no
fi
jobs=$(nproc 2> /dev/null || echo 1)
make --no-print-directory -j"$jobs" dcsim lib/libdcsim.so.0.0.0
file=$(od -An -tx1 -j18 -N2 dcsim | tr -d ' ')
[ "$file" = b700 ] || { echo "cross: dcsim is not a program for aarch64 (machine $file)" >&2; exit 1; }
echo "cross: dcsim and libdcsim are built for aarch64"
[ $test = yes ] || exit 0

emulator=$(command -v qemu-aarch64 || command -v qemu-aarch64-static || true)
[ -n "$emulator" ] || { echo "cross: there is no qemu-aarch64 (Debian: qemu-user); the tests do not run"; exit 0; }
failed=0
for folder in base math contact; do
  make --no-print-directory -j"$jobs" tests/$folder/run
  for test in "$root"/tests/$folder/test_*.c; do
    name=$(basename "$test" .c)
    ln -sf run "tests/$folder/$name"
    status=0
    DCSIM_SOURCE=$root DCSIM_BUILD=$build DCSIM_DATADIR=$root timeout 1800 "$emulator" -L "$sysroot" \
      -E "LD_LIBRARY_PATH=$libraries:$libraries/openblas-pthread" "tests/$folder/$name" > "tests/$folder/$name.tap" 2>&1 || status=$?
    echo "$folder/$name: $(grep -c '^ok' "tests/$folder/$name.tap" || true) passed, $(grep -c '^not ok' "tests/$folder/$name.tap" || true) failed, status $status"
    [ $status = 0 ] || failed=1
  done
done
exit $failed
