#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The task gather_bunny of paper 000; options as of scripts/paper/task.py.
"$(dirname "$0")/../fetch-meshes.sh"
exec python3 "$(dirname "$0")/task.py" gather_bunny "$@"
