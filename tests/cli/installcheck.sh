#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds a program against the installed library with pkg-config alone and runs it.  Called by make installcheck, which
# sets CC, CFLAGS, PKG_CONFIG, PKG_CONFIG_PATH, LD_LIBRARY_PATH and VERSION.
set -eu
export PKG_CONFIG_PATH LD_LIBRARY_PATH
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat > "$folder/program.c" <<'END'
#include <dcsim.h>
#include <stdio.h>

int main(void)
{
  return puts(dcsim_version()) < 0;
}
END
: "${CC:?}" "${CFLAGS?}" "${PKG_CONFIG:?}" "${VERSION:?}"
# Flags are lists of words.
# shellcheck disable=SC2086,SC2046
$CC $CFLAGS "$folder/program.c" $("$PKG_CONFIG" --cflags --libs libdcsim) -o "$folder/program"
version=$("$folder/program")
case $version in
  "$VERSION"*) echo "libdcsim $version: builds and runs against the installed files" ;;
  *) echo "libdcsim says $version, expected $VERSION" >&2; exit 1 ;;
esac
# An example of the sources as a program of somebody else's.
# shellcheck disable=SC2086,SC2046
$CC $CFLAGS "${SOURCE:?}/examples/control_arm.c" $("$PKG_CONFIG" --cflags --libs libdcsim) -lm -o "$folder/control_arm"
"$folder/control_arm" | tail -n 1
