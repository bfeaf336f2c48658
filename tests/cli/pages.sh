# SPDX-License-Identifier: Apache-2.0
# Pages whose blocks are commands and files: everything works as it stands there.  Sourced after harness.sh.
# Fences: "json NAME" a file; "sh" commands; "sh exit=N" one command that exits with N; "sh install" is skipped;
# "text" lines that the commands before it say, in this order, but for their numbers; "..." stands for any lines between.
blocks=$scratch/blocks
mkdir "$blocks" "$scratch/bin"
ln -s "$dcsim" "$scratch/bin/dcsim"
PATH=$scratch/bin:$PATH
export PATH
ln -s "$DCSIM_SOURCE/scenes" scenes
# threads that wait for each other lose much time beside other tests; results do not depend on their number
export OMP_NUM_THREADS=1

# without_numbers FILE...: its lines, every number written as N and what stands for spaces as one
without_numbers() {
  sed -E 's/-?[0-9]+(\.[0-9]+)?(e[-+]?[0-9]+)?/N/g; s/ +/ /g' "$@"
}

# said BLOCK SAID: whether the lines of a block stand in the file in this order; prints the first that does not
said() {
  without_numbers "$1" >"$scratch/wanted"
  without_numbers "$2" >"$scratch/said"
  awk '
    NR == FNR { line[++count] = $0; next }
    { while (line[next_one + 1] == "...") next_one++ }
    $0 == line[next_one + 1] { next_one++ }
    END { while (line[next_one + 1] == "...") next_one++; if (next_one < count) { print "# not said: " line[next_one + 1]; exit 1 } }
  ' "$scratch/wanted" "$scratch/said"
}

# run_page PAGE: scenes are written under the names of their fences, commands run one block after the other.
run_page() {
  awk -v blocks="$blocks" '
    /^```./ && !file { file = sprintf("%s/%02d", blocks, ++count); print substr($0, 4) >(file ".kind"); printf "" >file; next }
    /^```$/ && file { close(file); file = ""; next }
    file { print >file }
    END { exit file != "" || count < 10 }' "$1"
  check "$(basename "$1") has blocks, all of which end" [ $? -eq 0 ]
  begin=$(date +%s)
  for kind in "$blocks"/*.kind; do
    block=${kind%.kind}
    what=$(cat "$kind")
    case $what in
      "json "*)
        cp "$block" "${what#json }"
        pass "${what#json } is written" ;;
      text)
        said "$block" "$last"
        check "$(head -n 1 "$block") ... is said" [ $? -eq 0 ] ;;
      "sh install") ;; # would install
      sh | "sh exit="*)
        wanted=0
        [ "$what" = sh ] || wanted=${what#sh exit=}
        within 120 sh -eu "$block" >"$block.out" 2>"$block.err"
        status=$?
        last=$block.said
        cat "$block.out" "$block.err" >"$last"
        [ $status -eq "$wanted" ] || sed 's/^/# /' "$block.err" | tail -n 20
        check "$(head -n 1 "$block") ... exits with $wanted" [ $status -eq "$wanted" ] ;;
      *) fail "what to do with a block of $what" ;;
    esac
  done
  echo "# $(($(date +%s) - begin)) s"
}
