#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Table 2 of paper 000, book stacking; options as of scripts/paper/stacking.py.  Wants a python3 with h5py (PYTHON).
exec "${PYTHON:-python3}" "$(dirname "$0")/stacking.py" "$@"
