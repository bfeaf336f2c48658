#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Comments of C files are sentences in plain words, every file has a head, and files that break a rule are found.
. "$DCSIM_SOURCE/tests/cli/harness.sh"

if ! have_python; then
  skip "comments are sentences" "no python3"
  finish
fi
words() { "$interpreter" -I -S "$DCSIM_SOURCE/scripts/check-words" "$@"; }

check "comments of the source tree are sentences, files have heads" words "$DCSIM_SOURCE"

mkdir -p tree/src/base
licence='// SPDX-License-Identifier: Apache-2.0'
# taken NAME TEXT, refused NAME TEXT: one file that keeps the rules, or breaks one
taken() {
  printf '%b\n' "$2" > tree/src/base/a.c
  check "$1" words tree
}
refused() {
  printf '%b\n' "$2" > tree/src/base/a.c
  if words tree >/dev/null; then
    fail "$1"
  else
    pass "$1"
  fi
}
taken "a head and a comment" "$licence\n// Sums numbers.\nint a;  // whatever, a count"
taken "strings are no comments" "$licence\n// Sums.\nchar *a = \"// What it is\";"
refused "no head" "$licence\nint a;"
refused "code before the first comment" "$licence\n#include <a.h>\n// Sums numbers."
for word in What Of That As; do
  refused "a comment that begins with $word" "$licence\n// Sums.\nint a;  // $word it is"
done
refused "a paragraph that begins so" "$licence\n// Sums.\n//\n// That is it."
refused "a comment in the other form" "$licence\n// Sums.\n/* Of all. */"
many=$(i=0; while [ $i -lt 41 ]; do printf 'word '; i=$((i + 1)); done)
refused "a sentence of 42 words" "$licence\n// Sums $many."
taken "two sentences of half as many" "$licence\n// Sums it. It $(echo "$many" | cut -c1-100)."
finish
