#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Makes the site: all pages of docs/, one for each key of a scene and each command, with a search that works from a disk too.
# Needs mkdocs, mandoc and a build.  Exits 1 when a link leads nowhere, 2 when something that it needs is not there.
# Usage: scripts/site.sh [DIR]     the site comes to DIR, default build/site
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
build=${DCSIM_BUILD:-$root/build}
for program in mkdocs mandoc python3; do
  command -v $program > /dev/null 2>&1 || {
    echo "site: there is no $program (scripts/setup.sh --all installs it)" >&2
    exit 2
  }
done
if [ ! -x "$build/dcsim" ]; then
  echo "site: there is no $build/dcsim (scripts/build.sh builds it)" >&2
  exit 2
fi
site=${1:-$build/site}
work=$(mktemp -d "${TMPDIR:-/tmp}/dcsim-site-XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM HUP
python3 -B "$root/scripts/site/build.py" "$root" "$build" "$work/pages" "$site"
