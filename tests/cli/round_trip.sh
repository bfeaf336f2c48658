# SPDX-License-Identifier: Apache-2.0
# Sourced behind harness.sh: two runs, as one of a scene and one of what it was written as, end alike.

# same_numbers NAME ONE OTHER TOLERANCE COUNT: the files ONE.txt and OTHER.txt have COUNT numbers, line by line, that agree
same_numbers() {
  paste "$2.txt" "$3.txt" >"$2-$3.txt"
  check "$1" awk -v most="$4" -v count="$5" '{ d = $1 - $2; bad += NF != 2 || !(d * d <= most * most) } END { exit bad || NR != count }' "$2-$3.txt"
}

# ends_alike NAME ONE OTHER TOLERANCE: the poses of two moving bodies in the last rows of both trajectories agree
ends_alike() {
  for folder in "$2" "$3"; do
    run 0 export "$folder" --format csv
    tail -1 "$folder/export/trajectory.csv" | cut -d, -f2-15 | tr ',' '\n' >"$folder.txt"
  done
  same_numbers "$1" "$2" "$3" "$4" 14
}
