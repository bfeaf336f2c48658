#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# dcsim example: every shipped scene is listed, is copied with all that it names, and is sound where it lies then.
. "$DCSIM_SOURCE/tests/cli/harness.sh"

run 0 example
listed=$(sed -n 's/^\([a-z0-9_]*\)  *[a-z].*/\1/p' "$out" | grep -v dcsim | sort)
shipped=$(cd "$DCSIM_SOURCE/scenes" && ls ./*.json | sed 's,./\(.*\).json,\1,' | sort)
check "the list is what there is" [ "$listed" = "$shipped" ]
run 0 example --json
parses "$out" "the list"
holds "each has a line about it" "$out" 'all(len(line) > 10 for line in d.values())'

# where nothing else is: what a scene needs was copied
for name in franka_push grasp_hand4_can codesign_parallel_jaw soft_identify billiards; do
  mkdir "$name"
  cd "$name" || exit 1
  run 0 example "$name"
  saved=$DCSIM_DATADIR
  export DCSIM_DATADIR=/nowhere
  run 0 check "$name.json"
  export DCSIM_DATADIR="$saved"
  check "$name: the copies are the files" sh -c 'find . -type f | while read -r file; do cmp "$file" "$DCSIM_SOURCE/scenes/$file" || exit 1; done'
  cd ..
done
check "licences come along" [ -s franka_push/panda/LICENSE ]
check "nothing that is not needed" [ "$(cd billiards && ls)" = billiards.json ]

# nothing is overwritten; what is there and the same is no hindrance
run 0 example grasp_hand3_can
echo mine >hands/hand3.urdf
run 5 example grasp_hand3_cup
says "hands/hand3.urdf: exists and is not the example's"
check "what is there stays" [ "$(cat hands/hand3.urdf)" = mine ]
check "nothing is left of a failure" sh -c "[ ! -e grasp_hand3_cup.json ] && [ ! -e objects/cup.obj ]"
run 5 example grasp_hand3_can
says "hands/hand3.urdf: exists and is not the example's"
run 0 example push --json
parses "$out" "the files"
run 5 example push
says "push.json: exists; nothing is overwritten (free is push-2.json)"
run 2 example pish
says 'no example "pish" (did you mean "push"?) (dcsim example lists them)'
saved=$DCSIM_DATADIR
export DCSIM_DATADIR=/nowhere
run 5 example sort
says "scenes/sort.json: not found"
unset DCSIM_DATADIR
mkdir -p sources/build sources/scenes elsewhere/bin elsewhere/share/dcsim/scenes
cp "$dcsim" sources/build
cp "$dcsim" elsewhere/bin
cp "$DCSIM_SOURCE/scenes/sort.json" sources/scenes
cp "$DCSIM_SOURCE/scenes/gather.json" elsewhere/share/dcsim/scenes
check "one that is not installed knows its sources" sh -c "sources/build/dcsim example sort && cmp sort.json sources/scenes/sort.json"
check "one that was moved with its data finds them" sh -c "elsewhere/bin/dcsim example gather && cmp gather.json elsewhere/share/dcsim/scenes/gather.json"
export DCSIM_DATADIR="$saved"
finish
