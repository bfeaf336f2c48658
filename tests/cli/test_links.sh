#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Links of the pages lead somewhere, sections that comments name exist, and broken ones are found; no page is too long to read.
. "$DCSIM_SOURCE/tests/cli/harness.sh"

if ! have_python; then
  skip "links lead somewhere" "no python3"
  finish
fi
links() { "$interpreter" -I -S "$DCSIM_SOURCE/scripts/check-links" "$@"; }

check "links of the pages and sections named by comments exist" links "$DCSIM_SOURCE"

# One link is broken at a time: file, text.
mkdir -p tree/docs/theory tree/src
printf '# Theory\n\n* [Joints](theory/bodies.md#joints)\n' > tree/docs/theory.md
printf '# Bodies\n\n## Joints\n\n**Ranges.** Barriers.\n\n*Limits* of it.\n' > tree/docs/theory/bodies.md
refused() {
  printf '%b\n' "$3" > "tree/$2"
  if links tree >/dev/null; then
    fail "$1"
  else
    pass "$1"
  fi
  rm "tree/$2"
}
taken() {
  printf '%b\n' "$3" > "tree/$2"
  check "$1" links tree
  rm "tree/$2"
}
taken "a section of a part of the page, in bold type, in a name broken over lines" src/a.c '// It is so (docs/theory.md,\n// "Ranges", "Limits").'
taken "links out of the tree are not followed" docs/a.md '[a](https://example.org/a.md#b)'
refused "a link to a file that is not there" docs/a.md '[a](b.md)'
refused "a link to a heading that is not there" docs/a.md '[a](theory.md#joints)'
refused "a link within a page" docs/a.md '# A\n\n[a](#b)'
refused "a page that a comment names" src/a.c '// See docs/elsewhere.md.'
refused "a section that a comment names" src/a.c '// See docs/theory.md, "Range".'
refused "the second of two sections" src/a.c '// See docs/theory.md, "Ranges" and "Gears".'
refused "a section that a string names" src/a.c 'char *a = "docs/theory.md, \\"Gears\\"";'

# Nobody ever writes into the pipe, and builds beside the tree hold files of others.
mkfifo tree/docs/pipe
mkdir -p tree/build-other
printf '[a](b.md)\n' > tree/build-other/a.md
check "pipes and folders of builds are not read" timeout 60 "$interpreter" -I -S "$DCSIM_SOURCE/scripts/check-links" tree

check "no page of docs has more than 60 kB" sh -c '! find "$1/docs" -name "*.md" -size +60000c | grep .' - "$DCSIM_SOURCE"
finish
