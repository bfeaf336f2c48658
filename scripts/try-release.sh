#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs what scripts/release.sh has made in a Debian root that has nothing, and makes a picture or a report with each: the wheel, the
# tarball in two places one after the other, and the packages.  scripts/release.sh starts it there by scripts/bare-root.sh.
# Usage: try-release.sh, as root, with the files in /srv/dcsim.  Seconds are from the first command of an installation to the picture
# or report; what Debian's archive has to bring (Python, NumPy, libraries) is there before.  Exits 1 when something failed or took more than 60 s.
# shellcheck disable=SC2317  # functions are started by their names
set -eu
files=${1:-/srv/dcsim}
export DEBIAN_FRONTEND=noninteractive
status=0
work=$(mktemp -d)
cd "$work"

# tried NAME FILE COMMAND...: what came of a command that has to leave a file
tried() {
  name=$1 left=$2
  shift 2
  begin=$(date +%s.%N) ended=0
  "$@" > "$work/log" 2>&1 || ended=$?
  seconds=$(echo "$begin $(date +%s.%N)" | awk '{ printf "%.1f", $2 - $1 }')
  [ -n "$(find . -path "./$left" -size +0)" ] || ended="$ended, and left no $left"
  word=well
  if [ "$ended" != 0 ] || ! awk "BEGIN { exit !($seconds <= 60) }"; then
    tail -n 20 "$work/log"
    word=badly status=1
  fi
  echo "try-release: $name ended $word after $seconds s (at most 60), status $ended"
}

apt-get -qq update > "$work/log" 2>&1
apt-get -qq -y --no-install-recommends install python3 python3-numpy python3-pip python3-venv > "$work/log" 2>&1 || { tail "$work/log"; exit 1; }

wheel() {
  python3 -m venv --system-site-packages venv && venv/bin/pip install --quiet --no-index "$files"/dcsim-*.whl && venv/bin/python -m dcsim demo
}
tried "wheel to picture" 'dcsim-demo/shot/frames/*.png' wheel

unpacked() {
  mkdir -p "$1"
  [ -e "$1/tree" ] || mv tree "$1/tree" 2> /dev/null || { mkdir "$1/tree" && tar -xzf "$files"/dcsim-*-linux-*.tar.gz -C "$1/tree" --strip-components=1; }
  "$1/tree/bin/dcsim" optimize "$1/tree/share/dcsim/scenes/two_balls.json" -o "$2" --quiet && PYTHONPATH="$1/tree/python" python3 -c 'import dcsim; print(dcsim.version())'
}
tried "tarball to report" one/report.html unpacked "$work/a place" one
mv "$work/a place/tree" "$work/tree"
tried "tarball, moved" two/report.html unpacked "$work/elsewhere" two

# Dependencies come from the archive, ahead of the clock.
needed=$(dpkg-deb -f "$files"/dcsim_*.deb Depends; dpkg-deb -f "$files"/libdcsim0_*.deb Depends)
# shellcheck disable=SC2046  # words
apt-get -qq -y --no-install-recommends install $(echo "$needed" | tr ',\n' '  ' | sed 's/([^)]*)//g; s/|  *[^ ]*//g; s/libdcsim0//g') > "$work/log" 2>&1 || tail -n 5 "$work/log"
packages() {
  apt-get -qq -y --no-install-recommends install "$files"/dcsim_*.deb "$files"/libdcsim0_*.deb "$files"/python3-dcsim_*.deb &&
    dcsim optimize /usr/share/dcsim/scenes/billiards.json -o three && /usr/bin/python3 -c 'import dcsim; print(dcsim.version())'
}
tried "packages to report" three/report.html packages
rm -rf "$work"
echo "try-release: $([ $status = 0 ] && echo "all well" || echo "something is wrong")"
exit $status
