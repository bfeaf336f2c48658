#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every place that states the version states the same one; packages name files that there are; make dist leaves none
# out.
. "$DCSIM_SOURCE/tests/cli/harness.sh"
version=$("$dcsim" --version | sed -n 's/^dcsim //p')
check "configure.ac" grep -qF "AC_INIT([dcsim], [$version])" "$DCSIM_SOURCE/configure.ac"
check "CHANGELOG.md begins with it" [ "$(sed -n 's/^## //p' "$DCSIM_SOURCE/CHANGELOG.md" | head -n 1)" = "$version" ]
check "CITATION.cff" grep -qx "version: $version" "$DCSIM_SOURCE/CITATION.cff"
check "debian/changelog begins with it" [ "$(sed -n '1s/^dcsim (\(.*\)) .*/\1/p' "$DCSIM_SOURCE/debian/changelog")" = "$version" ]
for package in $(sed -n 's/^Package: //p' "$DCSIM_SOURCE/debian/control"); do
  check "it is said what $package holds" [ -s "$DCSIM_SOURCE/debian/$package.install" ]
done
if git -C "$DCSIM_SOURCE" ls-files >tracked 2>"$err" && [ -s tracked ]; then
  # make writes the folder where it is called; a build that runs in another place stays as it is
  within 100 make -s -C "$DCSIM_BUILD" distdir distdir="$PWD/all" am__remove_distdir=: am__skip_mode_fix=true >"$out" 2>"$err"
  (cd all && find . -type f | sed 's,^\./,,' | sort) >distributed
  grep -Ev '^(\.ci/run|\.github/.*|\.gitattributes|\.gitignore|m4/\.gitkeep)$' tracked | sort | comm -23 - distributed >"$out"
  check "make dist takes every file along: $(tr "\n" " " <"$out")" [ ! -s "$out" ]
  if have_python; then
    (cd "$DCSIM_SOURCE/python" && "$interpreter" -B -c 'import sys, backend; print(backend.build_sdist(sys.argv[1]))' "$OLDPWD") >"$out" 2>"$err"
    tar -tf "dcsim-$version.tar.gz" | sed -n 's,^[^/]*/,,p' | grep -vx PKG-INFO | sort >archived
    sort tracked | comm -3 - archived >"$out"
    check "the archive of sources for pip holds every file and no other: $(tr "\n" " " <"$out")" [ ! -s "$out" ]
  else
    skip "the archive of sources for pip" "no python3"
  fi
else
  skip "make dist" "not a checkout"
fi
finish
