#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Makes what a release publishes, and tries it: the source archives of make dist (after make distcheck) and of pip, the wheel, a tarball
# that runs wherever it is unpacked, the Debian packages, the site, and a list of checksums.  As root it then installs all of it in a bare
# Debian root (scripts/try-release.sh), which a network has to bring.
# Usage: scripts/release.sh [--no-distcheck] [--no-try] [--suite NAME] [DIR]     files come to DIR, default build/release
# NAME: Debian's release for the bare root.  Exits 1 at the first thing that is wrong, 2 when a program is missing.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
distcheck=yes try=yes suite=bookworm
while [ $# -gt 0 ]; do
  case $1 in
    --no-distcheck) distcheck=no; shift ;;
    --no-try) try=no; shift ;;
    --suite) suite=${2:?--suite wants a name}; shift 2 ;;
    -*) sed -n 's/^# \(Usage.*\)/\1/p' "$0" >&2; exit 2 ;;
    *) break ;;
  esac
done
for program in patchelf dh mkdocs python3; do
  command -v $program > /dev/null 2>&1 || {
    echo "release: there is no $program (apt-get install patchelf debhelper dh-python lintian mkdocs)" >&2
    exit 2
  }
done
directory=${1:-$root/build/release}
mkdir -p "$directory"
directory=$(cd "$directory" && pwd)
step() { echo "release: $1"; }

version=$(sed -n 's/^AC_INIT(\[dcsim\], \[\([^]]*\)\].*/\1/p' "$root/configure.ac")
grep -q "^## $version" "$root/CHANGELOG.md" || { echo "release: CHANGELOG.md has no version $version" >&2; exit 1; }
sed -n 1p "$root/debian/changelog" | grep -qF "($version" || { echo "release: debian/changelog does not begin with version $version" >&2; exit 1; }
if [ -n "$(git -C "$root" status --porcelain 2> /dev/null)" ]; then
  echo "release: there are changes that are not committed" >&2
  exit 1
fi

step "version $version, from $(git -C "$root" rev-parse --short HEAD 2> /dev/null || echo no checkout)"
"$root/scripts/build.sh" > "$directory/build.log" 2>&1 || { tail -n 20 "$directory/build.log"; exit 1; }
target=dist
[ $distcheck = no ] || target=distcheck
step "make $target"
make --no-print-directory -C "$root/build" $target > "$directory/dist.log" 2>&1 || { tail -n 40 "$directory/dist.log"; exit 1; }
cp "$root/build/dcsim-$version".tar.* "$directory"
step "source archive of pip"
mkdir -p "$directory/pip"
(cd "$root/python" && python3 -B -c 'import backend, sys; print(backend.build_sdist(sys.argv[1]))' "$directory/pip")
step "wheel and tarball"
"$root/scripts/wheel.sh" --tarball "$directory"
step "Debian packages"
"$root/scripts/package.sh" "$directory"
step "site"
"$root/scripts/site.sh" "$directory/site"
(cd "$directory" && find . -maxdepth 2 -type f ! -name '*.log' ! -name SHA256SUMS ! -path './site/*' -exec sha256sum {} + | sort -k 2 > SHA256SUMS)
if [ $try = yes ]; then
  step "a bare root of $suite"
  place=$(mktemp -d "${TMPDIR:-/tmp}/dcsim-release-XXXXXX")
  trap 'rm -rf "$place"' EXIT
  trap 'exit 130' INT TERM HUP
  mkdir -p "$place/srv/dcsim"
  cp "$directory"/*.whl "$directory"/*-linux-*.tar.gz "$directory"/*.deb "$place/srv/dcsim"
  ended=0
  "$root/scripts/bare-root.sh" --suite "$suite" --keep "$place" try-release.sh || ended=$?
  grep '^try-release' "$place/log" 2> /dev/null || true
  [ $ended = 0 ] || [ $ended = 77 ] || exit 1
fi
step "everything is in $directory"
cat "$directory/SHA256SUMS"
