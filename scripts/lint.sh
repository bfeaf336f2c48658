#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Opinions of other tools on the sources: clang-format (advice only), cppcheck, a few checks of clang-tidy, shellcheck.  A tool that is not
# installed is left out with a message (scripts/setup.sh --all installs them).  Exits 1 when a tool other than clang-format objects.
# Usage: scripts/lint.sh [FILE.c ...], from any directory; without arguments all sources.
set -eu
cd "$(dirname "$0")/.."
status=0
# cppcheck and clang-tidy look at the code that ships.
sources=$(find src bench -name '*.c' | sort)
layout=$(find include src bench tests -name '*.[ch]' | sort)
if [ $# -gt 0 ]; then
  sources=$*
  layout=$*
fi
# config.h is that of a build; without one the files that include it are found wanting.
defines="-D_GNU_SOURCE -DDC_X86_64 -DDC_DATADIR=\"share\" -DDC_MANDIR=\"man\" -DDC_LIBDIR=\"lib\" -Iinclude -Isrc -I. -Ibuild -Itests"
libraries="$(pkg-config --cflags openblas libcjson hdf5 expat libpng zlib qhull_r 2> /dev/null || true) $(pkg-config --cflags ompi 2> /dev/null || true)"

have() {
  command -v "$1" > /dev/null 2>&1 || { echo "lint: $1 is not installed, left out"; return 1; }
}
objects() {
  echo "lint: $1 objects"
  status=1
}

# Lists of files and flags are words.
# shellcheck disable=SC2046,SC2086
{
  if have clang-format; then
    # Tables of options stand closer than clang-format sets them, so that a difference is advice.
    for file in $layout; do
      count=$(clang-format --dry-run "$file" 2>&1 | grep -c 'clang-format-violations' || true)
      [ "$count" = 0 ] || echo "$file: clang-format would set $count places otherwise"
    done
  fi
  if have cppcheck; then
    # It takes memory that a called function fills for uninitialized, and options found by their offset for bad casts.
    cppcheck --quiet --error-exitcode=1 --inline-suppr --enable=warning,portability --std=c11 --suppress=missingIncludeSystem \
      --suppress=uninitvar --suppress=invalidPointerCast -D__x86_64__ $defines $sources || objects cppcheck
  fi
  if have clang-tidy; then
    # The kernels of one instruction set need its flags; they are instances of the template that lane_kernels_baseline.c covers.
    clang-tidy --quiet --warnings-as-errors='*' --checks="-*,bugprone-*,misc-redundant-expression,misc-unused-parameters,\
-bugprone-assignment-in-if-condition,-bugprone-branch-clone,-bugprone-easily-swappable-parameters,\
-bugprone-implicit-widening-of-multiplication-result,-bugprone-macro-parentheses,-bugprone-misplaced-widening-cast,-bugprone-narrowing-conversions,\
-bugprone-not-null-terminated-result,-bugprone-reserved-identifier,-bugprone-sizeof-expression,\
-bugprone-suspicious-memory-comparison" \
      $(printf '%s\n' $sources | grep -vE '_avx(2|512)\.c$') -- -std=gnu11 $defines $libraries || objects clang-tidy
  fi
  if have shellcheck; then
    shellcheck -x --severity=error $(find scripts .ci tests -type f -perm -u+x -exec grep -lE '^#! ?/bin/(ba|da)?sh' {} +) || objects shellcheck
  fi
}
exit $status
