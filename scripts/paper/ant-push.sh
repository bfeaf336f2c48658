#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The task ant_push of paper 000; options as of scripts/paper/task.py.
exec python3 "$(dirname "$0")/task.py" ant_push "$@"
