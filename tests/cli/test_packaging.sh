#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every place that states the version states the same one; packages name files that there are.
. "$DCSIM_SOURCE/tests/cli/harness.sh"
version=$("$dcsim" --version | sed -n 's/^dcsim //p')
check "configure.ac" grep -qF "AC_INIT([dcsim], [$version])" "$DCSIM_SOURCE/configure.ac"
check "CHANGELOG.md begins with it" [ "$(sed -n 's/^## //p' "$DCSIM_SOURCE/CHANGELOG.md" | head -n 1)" = "$version" ]
check "CITATION.cff" grep -qx "version: $version" "$DCSIM_SOURCE/CITATION.cff"
check "debian/changelog begins with it" [ "$(sed -n '1s/^dcsim (\(.*\)) .*/\1/p' "$DCSIM_SOURCE/debian/changelog")" = "$version" ]
for package in $(sed -n 's/^Package: //p' "$DCSIM_SOURCE/debian/control"); do
  check "it is said what $package holds" [ -s "$DCSIM_SOURCE/debian/$package.install" ]
done
finish
