#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Makes the template of the report page, viewer/report.html, from viewer/src.  Needed after changes there only.
# Usage: scripts/viewer.sh [--modules], from any directory; --modules only installs what it is made with, by npm.
set -eu
cd "$(dirname "$0")/../viewer"
npm ci --no-audit --no-fund --ignore-scripts --loglevel=error
if [ "${1:-}" != --modules ]; then
  node build.mjs
fi
