// SPDX-License-Identifier: Apache-2.0
// What writing and reading trajectory.h5 share.  Private to src/io.
#ifndef DC_IO_TRAJECTORY_H5_H
#define DC_IO_TRAJECTORY_H5_H

#include "io/run/run.h"

#define DC_TRAJECTORY_FORMAT "dcsim trajectory 1"

// Bytes of the largest file that is made in memory; larger ones are made in place.  For tests to change.
extern size_t dc_run_most_in_memory;

// Whether a dataset of its coordinates is stored: of joints that are neither free nor fixed.
bool dc_h5_has_joint_numbers(const struct dc_body *body);
// Units [nq] of a joint's numbers.
void dc_h5_joint_units(const struct dc_body *body, const char **units);

#endif
