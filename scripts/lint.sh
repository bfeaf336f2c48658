#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Opinions of other tools on the sources: layout (clang-format, advice only), cppcheck, a few checks of clang-tidy, shellcheck.  A tool that
# is not installed is left out with a message (scripts/setup.sh --all installs them).  Exits 1 when a tool other than clang-format objects.
# Usage: scripts/lint.sh [FILE.c ...], from any directory; all sources without arguments.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root"
status=0
flags="-std=gnu11 -D_GNU_SOURCE -DDC_X86_64 -Iinclude -Isrc -Itests"
if command -v pkg-config > /dev/null 2>&1; then
  flags="$flags $(pkg-config --cflags openblas libcjson hdf5 libpng 2> /dev/null || true)"
fi
if [ $# -gt 0 ]; then
  sources=$*
else
  sources=$(find src tests -name '*.c' | sort)
fi

have() {
  command -v "$1" > /dev/null 2>&1 || { echo "lint: $1 is not installed, left out"; return 1; }
}
objects() {
  echo "lint: $1 objects"
  status=1
}

# The lists of files and flags are words.
# shellcheck disable=SC2086
{
  if have clang-format; then
    # Tables of options stand closer than clang-format would set them, so a difference is advice.
    for file in $sources; do
      count=$(clang-format --dry-run "$file" 2>&1 | grep -c 'clang-format-violations' || true)
      [ "$count" = 0 ] || echo "$file: $count places that clang-format would set otherwise"
    done
  fi
  if have cppcheck; then
    # Parsing the system's headers brings nothing; what cppcheck cannot see is no mistake.
    cppcheck --quiet --error-exitcode=1 --inline-suppr --enable=warning,portability --std=c11 --suppress=missingIncludeSystem \
      -j"$(nproc 2> /dev/null || echo 1)" -D_GNU_SOURCE -DDC_X86_64 -D__x86_64__ -Iinclude -Isrc -Itests $sources || objects cppcheck
  fi
  if have clang-tidy; then
    # Vector sources of one instruction set need its flags; they are instances of one template that lane_kernels_baseline.c covers.
    tidy=$(printf '%s\n' $sources | grep -vE '_avx(2|512)\.c$')
    clang-tidy --quiet --warnings-as-errors='*' \
      --checks='-*,bugprone-*,-bugprone-easily-swappable-parameters,-bugprone-narrowing-conversions,-bugprone-implicit-widening-of-multiplication-result,-bugprone-reserved-identifier,-bugprone-assignment-in-if-condition,-bugprone-macro-parentheses,-bugprone-branch-clone,clang-analyzer-*,-clang-analyzer-security.insecureAPI.DeprecatedOrUnsafeBufferHandling' \
      $tidy -- $flags || objects clang-tidy
  fi
  if have shellcheck; then
    find scripts .ci tests \( -name '*.sh' -o -name check-layers -o -name run \) -exec shellcheck -x {} + ||
      objects shellcheck
  fi
}
exit $status
