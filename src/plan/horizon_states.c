// SPDX-License-Identifier: Apache-2.0
// Reads states of a receding horizon from a snapshot and checks them.
#include <math.h>
#include <stdlib.h>

#include "plan/horizon_internal.h"

static const double LARGEST_NUMBER = 1e12;  // bound of a state's numbers, in their units

// Numbers of a checkpoint are not trusted: NAN and numbers beyond LARGEST_NUMBER would only fail much later.
enum dc_status dc_horizon_get_reals(const struct dc_snapshot *snapshot, const char *name, size_t count, double *values,
                                    struct dc_error *error)
{
  enum dc_status status = dc_snapshot_get_reals(snapshot, name, count, values, error);
  for (size_t i = 0; !status && i < count; i++)
    if (!(fabs(values[i]) <= LARGEST_NUMBER))
      status = dc_fail(error, DC_CHECKPOINT, "%s: holds %g", name, values[i]);
  return status;
}

// Poses [bodies] of coordinates q [nq]; a quaternion far from unit length is no rotation.
enum dc_status dc_horizon_pose(const struct dc_receding_horizon *h, const char *name, int number, const double *q,
                               struct dc_pose *poses, struct dc_error *error)
{
  dc_poses(&h->model->bodies, q, poses);
  for (int b = 0; b < h->model->bodies.count; b++) {
    const double *r = poses[b].quaternion;
    if (!(fabs(sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2] + r[3] * r[3]) - 1) <= 1e-3))
      return dc_fail(error, DC_CHECKPOINT, "%s: a rotation after step %d is none", name, number);
  }
  return DC_OK;
}

// Several states q [count][nq], each checked by its poses.
enum dc_status dc_horizon_get_states(const struct dc_receding_horizon *h, const struct dc_snapshot *snapshot,
                                     const char *name, int count, double *q, struct dc_error *error)
{
  const struct dc_bodies *bodies = &h->model->bodies;
  struct dc_pose *poses = dc_alloc((size_t)bodies->count, sizeof *poses);
  enum dc_status status = poses ? dc_horizon_get_reals(snapshot, name, (size_t)count * (size_t)bodies->nq, q, error)
                                : dc_out_of_memory_for(error, "a checkpoint");
  for (int i = 0; i < count && !status; i++)
    status = dc_horizon_pose(h, name, h->executed->steps, q + (size_t)i * (size_t)bodies->nq, poses, error);
  free(poses);
  return status;
}
