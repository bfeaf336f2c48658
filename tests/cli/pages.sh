# SPDX-License-Identifier: Apache-2.0
# Pages whose blocks are commands and files: everything works as it stands there.  Sourced after harness.sh.
# Fences: "json NAME" a file; "sh" commands; "sh exit=N" one command that exits with N; "sh install" is skipped.
blocks=$scratch/blocks
mkdir "$blocks" "$scratch/bin"
ln -s "$dcsim" "$scratch/bin/dcsim"
PATH=$scratch/bin:$PATH
export PATH
ln -s "$DCSIM_SOURCE/scenes" scenes
# threads that wait for each other lose much time beside other tests; results do not depend on their number
export OMP_NUM_THREADS=1

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
      "sh install") ;; # would install
      sh | "sh exit="*)
        wanted=0
        [ "$what" = sh ] || wanted=${what#sh exit=}
        within 120 sh -eu "$block" >"$block.out" 2>"$block.err"
        status=$?
        [ $status -eq "$wanted" ] || sed 's/^/# /' "$block.err" | tail -n 20
        check "$(head -n 1 "$block") ... exits with $wanted" [ $status -eq "$wanted" ] ;;
      *) fail "what to do with a block of $what" ;;
    esac
  done
  echo "# $(($(date +%s) - begin)) s"
}
