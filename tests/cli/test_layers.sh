#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Includes point down the floors of the house, and a file that breaks a rule is found.
set -eu
source=${DCSIM_SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}
check=$source/scripts/check-layers
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
status=0

echo "1..4"
if output=$("$check" "$source" 2>&1); then
  echo "ok 1 - every include of the source tree points down"
else
  printf '%s\n' "$output" | sed 's/^/# /'
  echo "not ok 1 - every include of the source tree points down"
  status=1
fi

# One file breaks one rule at a time: path, text, and why it is wrong.
missed=0
for floor in base math geometry body contact contact/near contact/friction contact/bsh contact/models/sdrs dynamics task optimize plan io render api commands cli; do
  mkdir -p "$copy/src/$floor" "$copy/bench"
done
refused() {
  printf '%s\n' "$2" > "$copy/src/$1"
  if "$check" "$copy" > /dev/null 2>&1; then
    echo "# accepted: src/$1 with $2"
    missed=1
  fi
  rm "$copy/src/$1"
}
"$check" "$copy" > /dev/null || { echo "# refused: folders without files"; missed=1; }
refused base/a.c '#include "math/vector.h"'
refused geometry/a.h '#include "contact/contact.h"'
refused contact/a.c '  #  include "dynamics/rollout.h"'
refused contact/near/a.c '#include "contact/bsh/bsh_pair.h"'
refused contact/friction/a.c '#include "contact/leaf/walls.h"'
refused contact/bsh/a.c '#include "contact/models/sdrs/sdrs.h"'
refused contact/models/sdrs/a.c '#include "contact/bsh/bsh_pair.h"'
refused contact/models/sdrs/a.c '#include "contact/models/ipc/ipc_state.h"'
refused io/a.c '#include "api/api.h"'
refused api/a.c '#include "commands/session.h"'
refused math/a.c '#include "../task/task.h"'
refused optimize/a.c '#include "dynamics/rollout.h"'
refused render/a.c '#include "contact/contact.h"'
refused cli/main.c '#include "io/scene/scene.h"'
refused body/a.c '#include <suitesparse/cholmod.h>'
refused task/a.c '#include <cjson/cJSON.h>'
refused plan/a.c '#include <hdf5.h>'
refused plan/a.c '#include <png.h>'
refused contact/a.c '#include <libqhull_r/libqhull_r.h>'
refused cli/a.c '#include "bench/pairs.h"'
refused ../bench/a.c '#include "cli/commands.h"'
# Files that include each other, directly or by way of a third one.
printf '#include "base/b.h"\n' > "$copy/src/base/a.h"
printf '#include "base/c.h"\n' > "$copy/src/base/b.h"
"$check" "$copy" > /dev/null || { echo "# refused: a chain of includes"; missed=1; }
refused base/c.h '#include "base/a.h"'
rm "$copy/src/base/a.h" "$copy/src/base/b.h"
# Every folder of contact includes of all below it: more arrows than are allowed, none of which points up.
below=""
for floor in kernels barrier common near manifold friction far leaf surface; do
  mkdir -p "$copy/src/contact/$floor"
  for other in $below; do
    printf '#include "contact/%s/a.h"\n' "$other" >> "$copy/src/contact/$floor/a.c"
  done
  below="$below $floor"
done
output=$("$check" "$copy" 2>&1) && { echo "# accepted: 36 arrows between folders of contact"; missed=1; }
case $output in *"36 arrows"*) ;; *) echo "# arrows: $output"; missed=1 ;; esac
if [ "$missed" = 0 ]; then
  echo "ok 2 - includes that point up, circles of includes and too many arrows are refused"
else
  echo "not ok 2 - includes that point up, circles of includes and too many arrows are refused"
  status=1
fi

# calls N NAME WORD...: point N of the test is what check-calls WORD... says of the objects of the build
calls() {
  point=$1 name=$2
  shift 2
  if [ -z "${DCSIM_BUILD:-}" ] || ! command -v nm > /dev/null || ! command -v python3 > /dev/null; then
    echo "ok $point - $name # SKIP no build, nm or python3"
  elif output=$("$source/scripts/check-calls" "$@" 2>&1); then
    echo "ok $point - $name"
  elif printf '%s\n' "$output" | grep "no objects" > /dev/null; then
    echo "ok $point - $name # SKIP no objects"
  else
    printf '%s\n' "$output" | sed 's/^/# /'
    echo "not ok $point - $name"
    status=1
  fi
}
# Folders whose files call each other in one direction stay so.
calls 3 "no circles of calls" "${DCSIM_BUILD:-}" base math geometry elastic body contact dynamics design task optimize plan io render api commands sweep cli
# Names that only tests call are gone, and names that only their own file calls are static.
if [ -n "${DCSIM_BUILD:-}" ] && "$DCSIM_BUILD/dcsim" --version 2>&1 | grep ' none$' > /dev/null; then
  echo "ok 4 - every exported name has a use # SKIP parts that use some of them are not built"
else
  calls 4 "every exported name has a use" --alone "${DCSIM_BUILD:-}"
fi
exit $status
