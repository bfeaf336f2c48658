#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Wrong usage, help, suggestions, version, standard output.
. "$DCSIM_SOURCE/tests/cli/harness.sh"

commands="simulate optimize gradcheck probe query check render report import export diff list schema sweep dataset bench completion new help view"
scene_options="--set --model --allow-path --package-path --seed --threads"
run_options="--output --overwrite --control --plant --frames --no-report --results-only --max-time --require-success --quiet"
options_of() {
  case $1 in
    simulate) echo "$run_options $scene_options" ;;
    optimize) echo "$run_options $scene_options --gradient --resume --force --checkpoint --mpi --view --port" ;;
    gradcheck) echo "--steps --tolerance $scene_options" ;;
    query) echo "--manifold --softness --gradient-softness --output $scene_options" ;;
    import) echo "--output $scene_options" ;;
    probe | check) echo "$scene_options" ;;
    render) echo "--size --every --samples --camera --eye --target --follow --orbit --contacts --trails --grid --annotate --video --threads --quiet" ;;
    export) echo "--format --output" ;;
    bench) echo "--set --task --draws --seed --method --limit --output --run --write --scenes --threads" ;;
    report) echo "--threads" ;;
    view) echo "--port $scene_options" ;;
    dataset) echo "--output --jobs --gather --retry --verify --max-time --threads --quiet" ;;
    sweep) echo "--output --jobs --task --gather --retry --mpi --max-time --threads --quiet" ;;
  esac
  [ "$1" = completion ] || [ "$1" = help ] || [ "$1" = view ] || echo "--json"
  echo "--help"
}

# the program itself
run 2
says "usage: dcsim COMMAND"
run 0 --version
check "the version is on stdout" grep -qE '^dcsim [0-9]+\.[0-9]+\.[0-9]+$' "$out"
check "so are the libraries" grep -q '^CHOLMOD ' "$out"
run 0 --help
for command in $commands; do
  check "--help knows $command" grep -qE "^  $command " "$out"
done
run 0 -h
run 2 --help more
run 2 --verison
says "unknown option --verison"
run 2 simulat scene.json
says 'dcsim: unknown command "simulat" (did you mean "simulate"?)'
run 2 frobnicate
says 'dcsim: unknown command "frobnicate" (see dcsim --help)'

# the help lists exactly the options of a command, and the parser knows them
for command in $commands; do
  run 0 "$command" --help
  help=$scratch/help
  cp "$out" "$help"
  sed -n 's/^  \(-[a-z], \)\{0,1\}\(--[a-z-]*\).*/\2/p' "$help" | sort >"$scratch/listed"
  options_of "$command" | tr ' ' '\n' | sort >"$scratch/wanted"
  check "$command --help lists every option" diff "$scratch/wanted" "$scratch/listed"
  check "$command --help fits 110 columns" awk 'length > 110 { print; bad = 1 } END { exit bad }' "$help"
  for option in $(cat "$scratch/listed"); do
    [ "$option" = --help ] || "$dcsim" "$command" "$option" nothing more arguments >/dev/null 2>>"$scratch/known"
  done
  check "$command knows them" sh -c '! grep "unknown option" "$1"' sh "$scratch/known"
  rm -f "$scratch/known"
done
run 0 simulate -h
run 0 simulate --json -h nothing.json

# unknown options
run 2 simulate --thraeds 2 scene.json
says "dcsim: simulate: unknown option --thraeds (did you mean --threads?)"
run 2 simulate --max=2 scene.json
says "dcsim: simulate: unknown option --max (did you mean --max-time?)"
run 2 simulate --Json scene.json
says "(did you mean --json?)"
run 2 simulate --frobnicate scene.json
says "dcsim: simulate: unknown option --frobnicate (see dcsim simulate --help)"
run 2 simulate -x scene.json
says "dcsim: simulate: unknown option -x"
run 2 probe --frames 3 scene.json
says "dcsim: probe: unknown option --frames"

# operands
for command in simulate optimize gradcheck probe check; do
  run 2 $command
  says "dcsim: $command: missing SCENE"
  run 2 $command one.json two.json
  says "dcsim: $command: unexpected argument \"two.json\" (see dcsim $command --help)"
done
run 2 render
says "dcsim: render: missing RUN"
run 2 simulate ""
says "SCENE must not be empty"
run 2 schema more
run 2 list frobnicators
run 2 bench frobnicator
run 3 simulate -- --json
says "--json"
run 3 simulate -o none nothing.json
says "nothing.json"

# values
rule() { # COMMAND OPTION VALUE RULE
  run 2 "$1" "$2" "$3" nothing
  says "dcsim: $2: $4"
  case $2 in --*)
    run 2 "$1" "$2=$3" nothing
    says "dcsim: $2: $4" ;;
  esac
}
for value in 0 -1 1025 2.5 x "" 1e3 99999999999999999999; do
  rule simulate --threads "$value" "must be a whole number from 1 to 1024 (is \"$value\")"
done
for value in -1 9007199254740994 0x10 "1 " " 1"; do
  rule optimize --seed "$value" "must be a whole number from 0 to 9007199254740992 (is \"$value\")"
done
for value in 0 -3 nan inf 1e10 1e999 x "" 1s 0x10 +; do
  rule optimize --max-time "$value" "must be a number > 0, at most 1000000000 (is \"$value\")"
done
for value in -1 x 1000001; do
  rule optimize --frames "$value" "must be a whole number from 0 to 1000000 (is \"$value\")"
done
rule gradcheck --steps 0 'must be a whole number from 1 to 10000000 (is "0")'
rule gradcheck --tolerance 0 'must be a number > 0, at most 1 (is "0")'
rule render --every 0 'must be a whole number from 1'
rule render --samples 0 'must be a whole number from 1'
for value in 640 640x 0x480 640x480x2 -1x3 99999x1; do
  rule render --size "$value" "must be WIDTHxHEIGHT, each from 1 to 16384 (is \"$value\")"
done
for value in 1 1,2 1,2,3,4 1,2,x "1, 2,3" nan,1,2; do
  rule render --eye "$value" "must be three numbers x,y,z"
done
rule optimize --gradient guess 'must be one of "adjoint", "fd", "bundle" (is "guess")'
rule optimize --gradient "" 'must be one of "adjoint", "fd", "bundle" (is "")'
run 2 simulate scene.json --gradient fd
says "dcsim: simulate: unknown option --gradient"
for value in -1 nan inf 1e10 x ""; do
  rule optimize --checkpoint "$value" "must be a number from 0 to 1000000000 (is \"$value\")"
done
rule optimize --resume "" 'must not be empty'
run 2 optimize --resume run -o other
says "dcsim: --output: a run that is resumed goes on in its own directory"
run 2 optimize --resume run -o none
run 2 optimize scene.json --resume run --control other
says "dcsim: --control: a run that is resumed has its own controls"
run 2 optimize scene.json --force
says "dcsim: --force: needs --resume too"
run 3 optimize --resume run
says 'run: no such directory; "dcsim simulate SCENE -o run"'
run 2 simulate scene.json --resume run
says "dcsim: simulate: unknown option --resume"
rule render --video "" 'must not be empty'
rule simulate -o "" 'must not be empty'
rule simulate --output "" 'must not be empty'
rule simulate --set "" 'must not be empty'
run 2 simulate nothing.json --threads
says "dcsim: --threads: needs a value (N)"
run 2 simulate nothing.json -o
says "dcsim: -o: needs a value (DIR)"
run 2 simulate --json=yes nothing.json
says 'dcsim: --json: takes no value (is "yes")'
run 2 render --target 0,0,1 nothing
says "dcsim: --target: needs --eye too"
run 2 render --eye 0,0,0 nothing
says "dcsim: --eye: must differ from --target"
run 2 simulate "$(printf 'a\033b')" "$(printf 'c\033[31m')"
check "control characters are not passed on" sh -c "! grep -q '$(printf '\033')' '$err'"
# C1 controls (U+009B is what ESC [ is in eight bits), marks of direction and lone bytes neither
c1=$(printf '\302\233') turn=$(printf '\342\200\256') byte=$(printf '\233')
run 3 simulate "nothing${c1}31m${turn}x${byte}é.json"
says "dcsim: nothing?31m?x?é.json"
printf '{"time": {"step": 0.01, "steps": 1}, "x\\u009b\\u202ey": 1}' >scene.json
run 3 check scene.json
says 'unknown key'
check "nothing of them is passed on" sh -c "! LC_ALL=C grep -q -e '$byte' -e '$turn' '$err'"
printf '{"time": {"step": 0.01, "steps": 1}}' >"a${c1}b${turn}c.json"
run 0 check "a${c1}b${turn}c.json"
check "a file's name is no way into the report" grep -q '^a_b_c: 0 bodies' "$out"
run 0 check "a${c1}b${turn}c.json" --json
check "nor into the JSON" sh -c "! LC_ALL=C grep -q -e '$byte' -e '$turn' '$out'"
printf '{"time": {"step": 0.01, "steps": 1}, "description": "\\u009b\\u202e"}' >described.json
run 0 simulate described.json -o described --quiet
check "nor into the files of a run" sh -c "! LC_ALL=C grep -q -e '$byte' -e '$turn' described/resolved.json"
rm -r scene.json "a${c1}b${turn}c.json" described.json described

# lost output is an error
if [ -w /dev/full ]; then
  within 60 "$dcsim" list >/dev/full 2>"$err"
  check "a full disk under stdout exits with 5" [ $? -eq 5 ]
  says "dcsim: standard output: "
else
  skip "a full disk under stdout exits with 5" "no /dev/full"
fi
within 60 "$dcsim" list >&- 2>"$err"
check "a closed stdout exits with 5" [ $? -eq 5 ]
{ sleep 1; within 60 "$dcsim" list 2>"$err"; echo $? >"$scratch/status"; } | :
check "a reader that is gone ends what only tells (128 + SIGPIPE)" [ "$(cat "$scratch/status")" -eq 141 ]
check "silently" [ ! -s "$err" ]

check "nothing was created" [ -z "$(ls -A)" ]
finish
