#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The programs of examples/.
. "$DCSIM_SOURCE/tests/cli/harness.sh"

for name in optimize_billiards control_arm; do
  if [ ! -x "$DCSIM_BUILD/examples/$name" ]; then
    echo "1..0 # SKIP $name is not built (make check builds it)"
    exit 0
  fi
done

# Descent of one's own: 0.0417 observed after 55 evaluations.
check "optimize_billiards runs" sh -c '"$1" "$2" 60 >said' - "$DCSIM_BUILD/examples/optimize_billiards" "$DCSIM_SOURCE/scenes/billiards.json"
check "and lowers the loss" awk '/at the start/ { first = $2 } /evaluations/ { last = $2 } END { exit !(first > 0.1 && last < 0.5 * first) }' said
check "and names the parameters" grep -q 'cue.velocity.x = ' said
check "a scene that is not there is a mistake of the caller's" sh -c '"$1" nowhere.json; [ $? = 3 ]' - "$DCSIM_BUILD/examples/optimize_billiards"

# The arm comes near its target, 1.2 rad, and pushes the box away; A tells of the push.
check "control_arm runs" sh -c '"$1" >said' - "$DCSIM_BUILD/examples/control_arm"
check "and swings to the target" awk 'END { exit !($4 > 1.1 && $4 < 1.3) }' said
check "the box is pushed" awk '{ sub(/\)/, "", $9) } END { exit !($9 > 1) }' said
check "the spectral radius is over 1 in contact and tends to 1 behind it" awk '$NF > most { most = $NF } END { exit !(most > 1.02 && $NF > 0.999 && $NF < 1.005) }' said
finish
