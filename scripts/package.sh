#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds the Debian packages of this tree, committed or not, and lets lintian judge them.  Tests are those of scripts/check.sh: here
# they run with --check only, as they take long.
# Usage: scripts/package.sh [--check] [DIR]     the packages come to DIR, default build/packages
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
options=nocheck
if [ "${1-}" = --check ]; then
  options=
  shift
fi
directory=${1:-$root/build/packages}
for program in dpkg-buildpackage dh; do
  command -v $program > /dev/null 2>&1 || {
    echo "package: there is no $program (apt-get install build-essential debhelper dh-python lintian)" >&2
    exit 2
  }
done
mkdir -p "$directory"
directory=$(cd "$directory" && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/dcsim-package-XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM HUP
mkdir "$work/dcsim"
cd "$root"
# the files of the tree, not what was built in it
if git rev-parse --git-dir > /dev/null 2>&1; then
  git ls-files -z --cached --others --exclude-standard
else
  find . -path ./build -prune -o -type f -print0
fi | tar -c --null -T - | tar -x -C "$work/dcsim"
cd "$work/dcsim"
DEB_BUILD_OPTIONS="parallel=$(nproc) $options" dpkg-buildpackage -us -uc > "$directory/build.log" 2>&1 || {
  tail -n 40 "$directory/build.log" >&2
  echo "package: the build failed; all of it: $directory/build.log" >&2
  exit 1
}
cd "$work"
for file in dcsim_* dcsim-* libdcsim* python3-dcsim*; do
  [ ! -f "$file" ] || mv "$file" "$directory"
done
ls "$directory"
if command -v lintian > /dev/null 2>&1; then
  lintian --fail-on error --allow-root "$directory"/*.changes
else
  echo "package: there is no lintian, nobody has judged them"
fi
