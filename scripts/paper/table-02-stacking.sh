#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The same as table-02-stacking.
exec "$(dirname "$0")/table-02-stacking" "$@"
