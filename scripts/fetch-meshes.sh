#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Gets the meshes that scenes use and the tree does not carry: meshes/bunny.obj, from the npm package "bunny".
# What is there already is left alone.  Needs npm and python3.  meshes/README.md says where they come from.
# Usage: scripts/fetch-meshes.sh, from any directory.  Exits 0 when every mesh is there.
set -eu
cd "$(dirname "$0")/.."
package=bunny@1.0.1
target=meshes/bunny.obj

if [ -s "$target" ]; then
  echo "fetch-meshes: $target is there already"
  exit 0
fi
for tool in npm python3 tar; do
  if ! command -v "$tool" > /dev/null 2>&1; then
    echo "fetch-meshes: $tool not found (Debian package: $tool); $target is not made" >&2
    exit 1
  fi
done
work=$(mktemp -d)
trap 'rm -rf "$work" "$target".tmp' EXIT
trap 'exit 1' HUP INT TERM

echo "fetch-meshes: getting the npm package $package"
if ! (cd "$work" && npm pack --ignore-scripts --no-update-notifier --no-audit --fetch-retries=1 --fetch-timeout=20000 \
  "$package" > pack.out 2> pack.err); then
  grep -i 'ERR' "$work/pack.err" | head -n 3 >&2 || true
  echo "fetch-meshes: npm could not get $package (is there a network?); $target is not made" >&2
  exit 1
fi
tar -xzf "$work"/bunny-*.tgz -C "$work"

# The package is a program that sets two arrays of JSON; it is read, not run.
python3 - "$work/package/index.js" "$package" > "$target".tmp << 'PROGRAM'
import json, sys

source, package = sys.argv[1:]
text = open(source, encoding="utf-8").read()


def array(name):
    start = text.find("exports." + name)
    start = text.find("=", start) + 1 if start >= 0 else 0
    if not start:
        sys.exit(f"fetch-meshes: {package} has no {name}: it is not what was expected")
    return json.JSONDecoder().raw_decode(text[start:].lstrip())[0]


positions, cells = array("positions"), array("cells")
edges = {}
for cell in cells:
    for a, b in zip(cell, cell[1:] + cell[:1]):
        edges[a, b] = edges.get((a, b), 0) + 1
open_edges = sum((b, a) not in edges for a, b in edges)
if open_edges or max(edges.values()) > 1:
    sys.exit(f"fetch-meshes: {package} is no closed, oriented surface ({open_edges} boundary edges)")


def six_volumes(cell):
    (ax, ay, az), (bx, by, bz), (cx, cy, cz) = (positions[v] for v in cell)
    return ax * (by * cz - bz * cy) + ay * (bz * cx - bx * cz) + az * (bx * cy - by * cx)


if sum(map(six_volumes, cells)) < 0:
    cells = [cell[::-1] for cell in cells]

# y is up in the package.  Here z is: height 1, standing on z = 0, the middle of the bounding box on the z axis.
turned = [(x, -z, y) for x, y, z in positions]
lower, upper = ([bound(p[k] for p in turned) for k in range(3)] for bound in (min, max))
origin = [(lower[0] + upper[0]) / 2, (lower[1] + upper[1]) / 2, lower[2]]
height = upper[2] - lower[2]

print("# The Stanford bunny, Stanford University Computer Graphics Laboratory.")
print(f"# Made by scripts/fetch-meshes.sh from the npm package {package}; see meshes/README.md.")
for point in turned:
    print("v", *(f"{(value - zero) / height:.9f}" for value, zero in zip(point, origin)))
for a, b, c in cells:
    print("f", a + 1, b + 1, c + 1)
print(f"fetch-meshes: {len(positions)} vertices, {len(cells)} triangles, closed (0 boundary edges), Euler characteristic "
      f"{len(positions) - len(edges) // 2 + len(cells)}", file=sys.stderr)
PROGRAM
mv "$target".tmp "$target"
echo "fetch-meshes: wrote $target"
