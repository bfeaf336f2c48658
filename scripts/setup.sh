#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs the Debian packages that dcsim needs, if any is missing.
#
#   scripts/setup.sh          what building and testing need
#   scripts/setup.sh --demo   what building needs
#   scripts/setup.sh --all    also what the contact model mujoco, the optimizer nlopt, meshes of Assimp, the live view, sweeps over MPI, scripts/lint.sh, a build with clang, make distcheck, films, charts, the site, a build for aarch64 and
#                             the page of reports need, and, by npm ci in tests/npm and viewer, the programs that tests use
#
# Exits 0 when everything needed for building is there: tests whose tools are missing are skipped.
set -eu

# "a|b": one of them is enough; the first is installed.
build_packages="autoconf automake pkg-config|pkgconf gcc libc6-dev make libcjson-dev libopenblas-dev libsuitesparse-dev
  libhdf5-dev libexpat1-dev libembree-dev libpng-dev zlib1g-dev libqhull-dev"
test_packages="mandoc python3 python3-h5py python3-numpy python3-scipy"
all_packages="ccache zsh locales libmujoco-dev libnlopt-dev libassimp-dev libmicrohttpd-dev curl libopenmpi-dev openmpi-bin clang libomp-dev clang-format clang-tidy cppcheck shellcheck xz-utils ffmpeg python3-matplotlib
  python3-torch mypy python3-zarr mkdocs
  chromium
  gcc-aarch64-linux-gnu libc6-dev-arm64-cross debootstrap qemu-user"

usage() {
  sed -n 's/^#   \(.*\)/\1/p' "$0"
}

extra_packages=$test_packages
with_npm=no
for argument in "$@"; do
  case $argument in
    --demo) extra_packages="" ;;
    --all) extra_packages="$test_packages $all_packages" with_npm=yes ;;
    -h | --help) usage; exit 0 ;;
    *) echo "setup: unknown option $argument" >&2; usage >&2; exit 2 ;;
  esac
done

say() {
  echo "setup: $*" >&2
}

# Programs from npm, as the lock files have them; tests that want them are skipped without.
packages_of_npm() {
  [ $with_npm = yes ] || return 0
  for folder in tests/npm viewer; do (
    cd "$(dirname "$0")/../$folder"
    if [ -f node_modules/.package-lock.json ] && [ -z "$(find package-lock.json -newer node_modules/.package-lock.json)" ]; then
      exit 0
    fi
    if ! command -v npm > /dev/null 2>&1; then
      say "there is no npm; tests that want it are skipped"
    elif ! npm ci --no-audit --no-fund --loglevel=error >&2; then
      say "npm ci failed in $folder; tests that want it are skipped"
    fi
  ) done
}
# A test wants a language that writes 0,5.
comma_locale() {
  [ $with_npm = yes ] && command -v localedef > /dev/null 2>&1 || return 0
  locale -a 2> /dev/null | grep -qiE '^(de_DE|fr_FR)(\.utf-?8)?$' ||
    $as_root localedef -i de_DE -f UTF-8 de_DE.UTF-8 >&2 || say "no locale with a decimal comma; the test that wants it is skipped"
}
# npm may come with a node of its own, which Debian's would not go together with.
if [ $with_npm = yes ] && ! command -v npm > /dev/null 2>&1; then
  extra_packages="$extra_packages nodejs npm"
fi

if ! command -v dpkg-query > /dev/null 2>&1; then
  say "this is no Debian system; configure will say which of these (Debian names) is missing:"
  # shellcheck disable=SC2086
  say $build_packages $extra_packages
  packages_of_npm
  exit 0
fi

as_root=""
installed=" $(dpkg-query -W -f '${db:Status-Status} ${Package}\n' | sed -n 's/^installed //p' | tr '\n' ' ')"

# The packages of a list that are not installed.
missing() {
  for names in "$@"; do
    found=no
    for name in $(echo "$names" | tr '|' ' '); do
      case $installed in *" $name "*) found=yes ;; esac
    done
    if [ $found = no ]; then
      echo "${names%%|*}"
    fi
  done
}

# The lists are words.
# shellcheck disable=SC2086
missing_build=$(missing $build_packages | sed 's/$/ /' | tr -d '\n')
# shellcheck disable=SC2086
missing_extra=$(missing $extra_packages | sed 's/$/ /' | tr -d '\n')
wanted=$missing_build$missing_extra
if [ -z "$wanted" ]; then
  if [ "$(id -u)" = 0 ]; then comma_locale; fi
  packages_of_npm
  exit 0
fi

by_hand="apt-get update && apt-get install --no-install-recommends $wanted"
give_up() {
  say "$1"
  say "please run, as root:  $by_hand"
  if [ -n "$missing_build" ]; then
    exit 1
  fi
  say "building does not need them; tests that do are skipped"
  packages_of_npm
  exit 0
}

if [ "$(id -u)" != 0 ]; then
  if ! command -v sudo > /dev/null 2>&1; then
    give_up "these packages are missing, and only root can install them: $wanted"
  fi
  # Ask for a password only where somebody can type it.
  if [ -t 0 ]; then as_root="sudo"; else as_root="sudo -n"; fi
fi
if ! command -v apt-get > /dev/null 2>&1; then
  give_up "these packages are missing, and there is no apt-get: $wanted"
fi

log=$(mktemp)
trap 'rm -f "$log"' EXIT
# shellcheck disable=SC2086
install_wanted() {
  $as_root apt-get -qq -o Acquire::Retries=3 update > "$log" 2>&1 &&
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -y --no-install-recommends -o Acquire::Retries=3 \
      -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0 install $wanted >> "$log" 2>&1
}

say "installing $wanted"
if ! install_wanted; then
  say "that failed; once more in 5 seconds"
  sleep 5
  if ! install_wanted; then
    tail -n 20 "$log" >&2
    give_up "could not install: $wanted"
  fi
fi
comma_locale
packages_of_npm
