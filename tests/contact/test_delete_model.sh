#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Each model of contact can be deleted: its folder and its lines in the registry go, nothing that is left includes or
# calls any of it, and tests of other models pass.
#
# Objects of the build stand for the files that stay, as these do not change; the registry is compiled anew in a copy of
# the tree, and so are the tests that run, which are linked with all objects that are left.
: "${DCSIM_SOURCE:?}" "${DCSIM_BUILD:?}"
scratch=$(mktemp -d) || exit 99
trap 'rm -rf "$scratch"' EXIT
status=0
test -f "$DCSIM_BUILD/Makefile" || { echo "1..0 # SKIP no build"; exit 0; }

# Words of the build's Makefile, read from a copy so that nothing is made anew.
cp "$DCSIM_BUILD/Makefile" "$scratch/Makefile" || exit 99
asked() {
  printf 'include %s/Makefile\nasked:\n\t@echo %s\n' "$scratch" "$1" > "$scratch/asked"
  make --no-print-directory -s -C "$DCSIM_BUILD" -f "$scratch/asked" asked 2>/dev/null
}
# shellcheck disable=SC2016  # these are variables of make
top=$(asked '$(top_srcdir)')
# shellcheck disable=SC2016
flags=$(asked '$(CC) $(DEFS) $(DEFAULT_INCLUDES) $(libdc_a_CPPFLAGS) $(CPPFLAGS) $(libdc_a_CFLAGS) $(CFLAGS)' |
  sed "s,-I$top\\([ /]\\),-I$scratch/tree\\1,g")
# shellcheck disable=SC2016
objects=$(asked '$(libdc_a_OBJECTS) $(libdc_a_LIBADD)')
# shellcheck disable=SC2016
libraries=$(asked '$(AM_LDFLAGS) $(LDFLAGS) $(DC_LIBS) $(LIBS)')
case $objects in *registry*) ;; *) echo "1..0 # SKIP the build does not tell its objects"; exit 0 ;; esac
for object in $objects; do
  test -f "$DCSIM_BUILD/$object" || { echo "1..0 # SKIP no objects"; exit 0; }
done

# The copy, without the folder $1 of src/contact and the lines of the registry for the models $2.
copy() {
  rm -rf "$scratch/tree"
  mkdir "$scratch/tree"
  (cd "$DCSIM_SOURCE" && tar cf - src tests/*.[ch] tests/contact include bench) | (cd "$scratch/tree" && tar xf -)
  rm -r "$scratch/tree/src/contact/$1"
  for model in $2; do
    sed "/^ *&dc_contact_$model,/d" "$scratch/tree/src/contact/registry.c" > "$scratch/registry.c"
    cmp -s "$scratch/registry.c" "$scratch/tree/src/contact/registry.c" && echo "# no line for $model"
    mv "$scratch/registry.c" "$scratch/tree/src/contact/registry.c"
  done
}

compile() { (cd "$DCSIM_BUILD" && $flags -I"$scratch/tree/tests" "$@"); }

# Deletes the folder $1 with the models $2, and runs the tests $3 of others.
attempt() {
  copy "$1" "$2"
  if grep -rn "#include \"contact/$1/" "$scratch/tree/src" "$scratch/tree/bench" > "$scratch/out"; then
    echo "these files include a header of contact/$1" >> "$scratch/out"
    return 1
  fi
  kept=
  for object in $objects; do
    case $object in
      src/contact/$1/* | src/contact/*registry.o) ;;
      *) kept="$kept $object" ;;
    esac
  done
  compile -c "$scratch/tree/src/contact/registry.c" -o "$scratch/registry.o" > "$scratch/out" 2>&1 || return 1
  set -- "$1" "$2" "$3" "$scratch/tree/tests/runner.c"
  for name in $3; do
    set -- "$@" "$scratch/tree/tests/contact/$name.c"
  done
  names=$3
  shift 3
  # shellcheck disable=SC2086  # objects and libraries are lists of words
  compile -DDC_TEST_RUNNER -O1 "$@" "$scratch/registry.o" $kept $libraries -o "$scratch/run" > "$scratch/out" 2>&1 || return 1
  for name in $names; do
    cp "$scratch/run" "$scratch/$name"
    "$scratch/$name" > "$scratch/out" 2>&1 || { echo "$name failed" >> "$scratch/out"; return 1; }
  done
}

# Of a sample the two whose folders hold most: the others are compiled by continuous integration.
if [ "${DCSIM_SAMPLE:-}" = small ]; then last=2; else last=4; fi
echo "1..$last"
number=0
gone() {
  number=$((number + 1))
  [ $number -le $last ] || return 0
  if attempt "$1" "$2" "$3"; then
    echo "ok $number - without contact/$1: $3"
  else
    tail -n 12 "$scratch/out" | sed 's/^/# /'
    echo "not ok $number - without contact/$1: $3"
    status=1
  fi
}
gone bsh "bsh exact mujoco" "test_models test_manifold_model test_ipc_friction"
gone models/ipc "ipc ipc_global" "test_models test_manifold_model test_gap_bounds test_friction test_safe_step test_overlap"
gone models/sdrs "sdrs" "test_models test_manifold_model test_gap_bounds test_friction test_ipc test_ipc_friction test_overlap"
gone models/manifold "manifold" "test_models test_gap_bounds test_friction test_safe_step test_ipc test_sdrs test_primitive test_points test_overlap"
exit $status
