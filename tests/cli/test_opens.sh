#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Files are opened in one place, and a call elsewhere is found.
set -eu
source=${DCSIM_SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}
check=$source/scripts/check-opens
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
status=0

echo "1..3"
if output=$("$check" "$source" 2>&1); then
  echo "ok 1 - nothing but src/base/open.c opens what a user or a file names"
else
  printf '%s\n' "$output" | sed 's/^/# /'
  echo "not ok 1 - nothing but src/base/open.c opens what a user or a file names"
  status=1
fi

mkdir -p "$copy/src/io"
missed=0
while read -r line; do
  printf '%s\n' "$line" > "$copy/src/io/file.c"
  if "$check" "$copy" > /dev/null 2>&1; then
    echo "# accepted: $line"
    missed=1
  fi
done << 'LINES'
int fd = open(path, O_RDONLY);
FILE *file = name ? fopen(name, "r") : NULL;
fd = openat(folder, "scene.json", O_RDONLY);
hid_t file = H5Fopen("trajectory.h5", H5F_ACC_RDONLY, access);
if (mkdir(path, 0777) == 0)
scene = aiImportFile(path, 0);
file = fopen("/tmp/there", "r");
LINES
[ $missed -eq 0 ] && echo "ok 2 - calls are found" || { echo "not ok 2 - calls are found"; status=1; }

wrong=0
while read -r line; do
  printf '%s\n' "$line" > "$copy/src/io/file.c"
  if ! "$check" "$copy" > /dev/null 2>&1; then
    echo "# refused: $line"
    wrong=1
  fi
done << 'LINES'
FILE *file = fopen("/proc/self/statm", "re");
fd = open("/dev/null", O_WRONLY);
dc_journal_open(directory, name, &journal, error);
io->open(path);
// open(path) is what this is about
LINES
[ $wrong -eq 0 ] && echo "ok 3 - nothing else is" || { echo "not ok 3 - nothing else is"; status=1; }
exit $status
