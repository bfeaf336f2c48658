// SPDX-License-Identifier: Apache-2.0
// Trajectories as the public interface hands them out.  Private to src/api.
#ifndef DC_API_ARRAYS_H
#define DC_API_ARRAYS_H

#include "api/internal.h"

// Arrays created on request for a handle, as large as its trajectories, which all have the same number of steps; zeros
// at first, released by dc_api_arrays_free.
struct dc_api_arrays {
  double *qd, *gaps;                           // velocities [frames][nv]; gaps [frames][pairs], m
  double (*contact)[2][6], (*friction)[2][6];  // [frames][pairs] wrenches on both bodies, N m and N
};
void dc_api_arrays_free(struct dc_api_arrays *arrays);

// A view of a trajectory, without velocities.
dcsim_trajectory dc_api_view(const struct dc_trajectory *trajectory);

// dcsim_*_get_trajectory and dcsim_*_get_contacts of the trajectory of input; NULL: there is none, DC_USAGE.
int dc_api_get_trajectory(const struct dc_model *model, const struct dc_rollout_input *input,
                          const struct dc_trajectory *trajectory, struct dc_api_arrays *arrays, dcsim_trajectory *out,
                          dcsim_error *error);
int dc_api_get_contacts(struct dc_rollout *rollout, const struct dc_rollout_input *input,
                        const struct dc_trajectory *trajectory, struct dc_api_arrays *arrays, dcsim_contacts *out,
                        dcsim_error *error);

#endif
