#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Known answers of physics against simulations; options as of scripts/paper/physics.py, which wants h5py (Debian:
# python3-h5py).
exec "$(dirname "$0")/../with-python" h5py,numpy "$(dirname "$0")/physics.py" "$@"
