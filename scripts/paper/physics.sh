#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Known answers of physics against simulations; options as of scripts/paper/physics.py, which wants h5py (Debian:
# python3-h5py).
python=python3
"$python" -c 'import h5py' 2> /dev/null || python=/usr/bin/python3
exec "$python" -B "$(dirname "$0")/physics.py" "$@"
