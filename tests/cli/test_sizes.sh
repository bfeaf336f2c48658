#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# No struct of the sources has more than 30 fields and no file more than 640 lines, and those that have are found.
. "$DCSIM_SOURCE/tests/cli/harness.sh"

if ! have_python; then
  skip "structs and files are small" "no python3"
  finish
fi
sizes() { "$interpreter" -I -S "$DCSIM_SOURCE/scripts/check-sizes" "$@"; }

check "structs have at most 30 fields, files at most 640 lines" sizes "$DCSIM_SOURCE"

mkdir -p tree/src/base
# taken NAME TEXT, refused NAME TEXT: one file that keeps the rules, or breaks one
taken() {
  printf '%b\n' "$2" > tree/src/base/a.h
  check "$1" sizes tree
}
refused() {
  printf '%b\n' "$2" > tree/src/base/a.h
  if sizes tree >/dev/null; then
    fail "$1"
  else
    pass "$1"
  fi
}
# fields COUNT: as many declarations
fields() {
  i=0
  while [ "$i" -lt "$1" ]; do
    printf 'int a%d; ' "$i"
    i=$((i + 1))
  done
}
taken "30 fields" "struct a {\n$(fields 30)\n};"
refused "31 fields" "struct a {\n$(fields 31)\n};"
refused "31 fields of a type without a name" "typedef struct {\n$(fields 31)\n} a;"
refused "31 names in two declarations" "struct a {\n$(fields 29)\ndouble x[3], (*y)(int a, int b);\n};"
taken "15 fields of a pair" "struct dc_pair {\n$(fields 15)\n};"
refused "16 fields of a pair" "struct dc_pair {\n$(fields 16)\n};"
taken "arguments of functions do not count" "struct a {\n$(fields 29)\nvoid (*f)(int a, int b, int c);\n};"
taken "a list of letters does not count, nor do comments" "struct a {\n$(fields 29)\nchar b[2];  // one; two; three\n};"
taken "a struct within counts once" "struct a {\n$(fields 28)\nstruct { int x, y, z; } within;\n};"
refused "members of one without a name count each" "struct a {\n$(fields 28)\nstruct { int x, y, z; };\n};"
refused "a struct within has its own limit" "struct a {\nstruct b { $(fields 31) } within;\n};"
taken "numbers of an enumeration do not count" "struct a {\n$(fields 29)\nenum { A, B, C } kind;\n};"
lines=$(i=0; while [ $i -lt 639 ]; do printf '%s' '\n'; i=$((i + 1)); done)
taken "a file of 640 lines" "int a;$lines"
refused "a file of 641 lines" "int a;\n$lines"
finish
