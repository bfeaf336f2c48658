// SPDX-License-Identifier: Apache-2.0
// Ranks behind the public functions.  Private to src/api.
#ifndef DC_API_RANKS_H
#define DC_API_RANKS_H

#include "api/internal.h"
#include "plan/crew.h"

// Rank 0: the others, once they have opened the same scene; *crew is NULL without ranks.
enum dc_status dc_api_gather_ranks(const dcsim_scene *scene, dcsim_ranks *ranks, struct dc_plan_crew **crew,
                                   struct dc_error *error);
// Another rank: rolls out for rank 0 until that has ended.
int dc_api_serve_rank(const dcsim_scene *scene, dcsim_ranks *ranks, dcsim_error *error);

#endif
