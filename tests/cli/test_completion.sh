#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Completion: what bash offers, asked of bash itself; zsh reads its script.
. "$DCSIM_SOURCE/tests/cli/harness.sh"

run 0 completion bash
cp "$out" "$scratch/dcsim.bash"
check "the build made the same for bash" cmp "$out" "$DCSIM_BUILD/completions/bash/dcsim"
run 0 completion zsh
cp "$out" "$scratch/_dcsim"
check "and for zsh" cmp "$out" "$DCSIM_BUILD/completions/zsh/_dcsim"
run 2 completion
says "dcsim: completion: missing SHELL"
run 2 completion fish
says 'dcsim: completion: SHELL must be "bash" or "zsh" (is "fish")'

# zsh
check "_dcsim is of dcsim" grep -q '^#compdef dcsim$' "$scratch/_dcsim"
if command -v zsh >/dev/null 2>&1; then
  check "zsh reads it" zsh -n "$scratch/_dcsim"
else
  skip "zsh reads it" "no zsh"
fi
for command in $("$dcsim" --help | sed -n 's/^  \([a-z]*\) .*/\1/p'); do
  "$dcsim" "$command" --help | sed -n 's/^  \(-[a-z], \)\{0,1\}\(--[a-z-]*\).*/\2/p' >options
  sed -n "/^    $command)\$/,/ ;;\$/p" "$scratch/_dcsim" >part
  while read -r option; do
    grep -qE -e "[',{*]${option}[=[}]" part || echo "$option"
  done <options >missing
  check "_dcsim has every option of $command" [ ! -s missing ]
  sed -n "s/^    '\($command\):.*/\1/p" "$scratch/_dcsim" >named
  check "_dcsim names $command" [ "$(cat named)" = "$command" ]
done
rm -f options part missing named

if ! command -v bash >/dev/null 2>&1; then
  skip "what bash offers" "no bash"
  finish
fi
check "bash reads its script" bash -n "$scratch/dcsim.bash"
mkdir scenes runs 'two words'
touch scenes/one.json scenes/two.json scenes/notes.txt 'two words/a.json' top.json
# What is offered at the end of a line whose words bash has split like this, sorted, in one line.
cat >"$scratch/ask.bash" <<'ASK'
source "$1"
complete -p dcsim >/dev/null || exit 1
shift
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
_dcsim
printf '%s\n' "${COMPREPLY[@]}" | LC_ALL=C sort | tr '\n' ' '
ASK
offers() { # WANTED WORD...
  wanted=$1
  shift
  got=$(bash "$scratch/ask.bash" "$scratch/dcsim.bash" "$dcsim" "$@")
  check "bash offers \"$wanted\" after dcsim $* (\"$got\")" [ "$got" = "$wanted " ]
}
nothing() {
  got=$(bash "$scratch/ask.bash" "$scratch/dcsim.bash" "$dcsim" "$@")
  check "bash offers nothing after dcsim $* (\"$got\")" [ -z "${got% }" ]
}
among() { # WANTED WORD...: others are offered, too
  wanted=$1
  shift
  got=$(bash "$scratch/ask.bash" "$scratch/dcsim.bash" "$dcsim" "$@")
  case " $got" in
    *" $wanted "*) pass "bash offers $wanted after dcsim $*" ;;
    *) echo "# $got"; fail "bash offers $wanted after dcsim $*" ;;
  esac
}

# commands and options are those of the help
commands=$("$dcsim" --help | sed -n 's/^  \([a-z]*\) .*/\1/p')
offers "$(printf '%s\n' $commands --help --version | LC_ALL=C sort | tr '\n' ' ' | sed 's/ $//')" ""
offers "simulate" sim
offers "check completion" c
nothing frobnicate ""
for command in $commands; do
  offers "$("$dcsim" "$command" --help | sed -n 's/^  \(-[a-z], \)\{0,1\}\(--[a-z-]*\).*/\2/p' | LC_ALL=C sort | tr '\n' ' ' |
    sed 's/ $//')" "$command" --
done
offers "--gradient" optimize scene.json --gr
nothing simulate --gr

# operands
offers "runs scenes top.json two words" simulate ""
offers "scenes/one.json scenes/two.json" optimize scenes/
offers "two words/a.json" check "two words/"
mkdir odd
touch "odd/a*.json" odd/ab.json
offers "odd/a*.json odd/ab.json" check odd/
offers "runs" render r
nothing render top
offers "bash zsh" completion ""
offers "$("$dcsim" list | grep '^[a-z]' | LC_ALL=C sort | tr '\n' ' ' | sed 's/ $//')" list ""
offers "shapes" list sh
offers "forces" bench f
offers "--help --json" schema ""

# values
offers "ipc ipc-global" simulate --model i
offers "ipc ipc-global" simulate --model = i
offers "--model=ipc --model=ipc-global" simulate --model=i
among bsh simulate top.json --model ""
offers "adjoint bundle fd" optimize --gradient ""
offers "adjoint bundle fd" optimize --gradient =
offers "runs" optimize --resume ru
offers "scenes" simulate -o sc
offers "scenes/notes.txt scenes/one.json scenes/two.json" render runs --video scenes/
nothing simulate --threads ""
nothing simulate --threads = ""
nothing gradcheck --tolerance ""
among "scenes" simulate --quiet ""
nothing simulate -- --

# paths of --set
offers "horizon.aims= horizon.apply=" optimize --set horizon.a
among "time.step=" simulate --set ti
among "optimizer.learning_rate=" optimize --set optimizer.
among "contact.stiffness=" optimize --set = contact.
among "bodies." optimize --set ""
nothing optimize --set time.step = 3
finish
