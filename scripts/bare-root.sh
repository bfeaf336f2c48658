#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs the README's two commands on a machine that has nothing: in the smallest root that debootstrap makes, where setup.sh has to install
# whatever building and testing need.  The tree is a clone of what is committed, without builds and without optional libraries.
#
# Usage: scripts/bare-root.sh [--suite NAME] [--keep DIR] [SCRIPT...], as root; SCRIPT: of scripts/, demo.sh and check.sh by default.
#   --suite NAME  Debian's release (default bookworm)
#   --keep DIR    where the root is made, and stays; one that is there gets a new clone (default: a temporary folder)
# Environment: DEBIAN_MIRROR.  For each script the last line, its status and its seconds are printed.  Exits 1 when one failed, 77 with a
# reason where no root can be made.
set -eu
tree=$(cd "$(dirname "$0")/.." && pwd)
mirror=${DEBIAN_MIRROR:-http://deb.debian.org/debian}
suite=bookworm keep=''
while [ $# -gt 0 ]; do
  case $1 in
    --suite) suite=${2:?--suite wants a name}; shift 2 ;;
    --keep) keep=${2:?--keep wants a folder}; shift 2 ;;
    -*) sed -n 's/^# \(Usage.*\)/\1/p' "$0" >&2; exit 2 ;;
    *) break ;;
  esac
done
[ $# -gt 0 ] || set -- demo.sh check.sh

leave() {
  echo "bare-root: $1; nothing is run"
  exit 77
}
[ "$(id -u)" = 0 ] || leave "only root can change roots"
for program in debootstrap chroot unshare git; do
  command -v $program > /dev/null 2>&1 || leave "there is no $program"
done
unshare --mount true 2> /dev/null || leave "mounts of its own are not allowed here"

root=$keep
if [ -z "$root" ]; then
  root=$(mktemp -d "${TMPDIR:-/tmp}/dcsim-bare-XXXXXX")
  trap 'rm -rf "$root"' EXIT
  trap 'exit 130' INT TERM HUP
fi
mkdir -p "$root"
root=$(cd "$root" && pwd)
if [ ! -x "$root/usr/bin/apt-get" ]; then
  echo "bare-root: $suite from $mirror"
  debootstrap --variant=minbase "$suite" "$root" "$mirror" > "$root/debootstrap.log" 2>&1 || { tail -n 5 "$root/debootstrap.log"; leave "debootstrap failed"; }
fi
cp /etc/resolv.conf "$root/etc/resolv.conf" 2> /dev/null || true
rm -rf "$root/home/dcsim"
git clone --quiet --no-hardlinks "$tree" "$root/home/dcsim"
echo "bare-root: $(chroot "$root" dpkg-query -W | wc -l) packages, commit $(git -C "$tree" rev-parse --short HEAD)"

# The mounts are seen by this process only, and are gone with it.
cat > "$root/run-script" << 'END'
mount -t proc proc "$1/proc" && mount --rbind /dev "$1/dev" || exit 99
exec chroot "$1" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root http_proxy="${http_proxy-}" https_proxy="${https_proxy-}" \
  "/home/dcsim/scripts/$2"
END
status=0
for script in "$@"; do
  begin=$(date +%s)
  ended=0
  unshare --mount --propagation private sh "$root/run-script" "$root" "$script" > "$root/log" 2>&1 < /dev/null || ended=$?
  [ $ended = 0 ] || { status=1; grep -E '^not ok|error:' "$root/log" | head -n 40 || true; tail -n 20 "$root/log"; }
  echo "bare-root: $script ended with $ended after $(($(date +%s) - begin)) s: $(tail -n 1 "$root/log")"
done
exit $status
