#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Writes a text file of ASCII characters as a C string.
# Usage: scripts/text-to-c.sh NAME FILE > FILE.c
set -eu
if LC_ALL=C grep -q '[^ -~]' "$2"; then
  echo "text-to-c: $2: holds a character that is not printable ASCII" >&2
  exit 1
fi
echo "// Made from ${2##*/} by text-to-c.sh."
echo "extern const char $1[];"
echo "const char $1[] ="
# "?" too, or two of them could begin a trigraph.
LC_ALL=C sed 's/[\\"?]/\\&/g; s/^/  "/; s/$/\\n"/' "$2"
echo "  ;"
