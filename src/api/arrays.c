// SPDX-License-Identifier: Apache-2.0
// Arrays of trajectories and contacts for users of the library.  Internal arrays are handed out as they are
// where possible: poses, states, gaps.  Velocities and contacts are computed on request into arrays of the
// handle, which the next call writes again and which are freed with it.
#include "api/arrays.h"

#include <assert.h>
#include <stdlib.h>

#include "dynamics/readout.h"

// Poses are handed out without conversion.
static_assert(sizeof(struct dc_pose) == DCSIM_POSE * sizeof(double), "a pose is 16 numbers");

// Leaves the struct as a fresh one, which may be filled or freed again.
void dc_api_arrays_free(struct dc_api_arrays *arrays)
{
  free(arrays->qd);
  free(arrays->gaps);
  free(arrays->contact);
  free(arrays->friction);
  *arrays = (struct dc_api_arrays){0};
}

// A trajectory as the public header has it, without copies; qd is NULL, as it costs a computation.
dcsim_trajectory dc_api_view(const struct dc_trajectory *trajectory)
{
  return (dcsim_trajectory){.size = sizeof(dcsim_trajectory),
                            .steps = trajectory->steps,
                            .bodies = trajectory->bodies,
                            .nq = trajectory->nq,
                            .nv = trajectory->nv,
                            .time_step = trajectory->time_step,
                            .poses = trajectory->poses->position,
                            .q = trajectory->q,
                            .min_gap = trajectory->min_gap,
                            .divided_steps = dc_trajectory_divided_steps(trajectory)};
}

// A view of nothing would be a view of what a later call writes.
static enum dc_status no_trajectory(struct dc_error *error)
{
  return dc_fail(error, DC_USAGE, "there is no trajectory: nothing was rolled out, or the last call failed");
}

// Fills the caller's struct with a trajectory and its velocities qd [frames][nv].
// The velocities belong to the handle (arrays) and hold until its next call; all other arrays are the trajectory's
// own. trajectory NULL is DCSIM_USAGE: the last call failed.  Members that the caller's version of the struct lacks
// are left out.
int dc_api_get_trajectory(const struct dc_model *model, const struct dc_rollout_input *input,
                          const struct dc_trajectory *trajectory, struct dc_api_arrays *arrays, dcsim_trajectory *out,
                          dcsim_error *error)
{
  struct dc_error local = {0};
  if (!trajectory)
    return dc_api_fail(error, &local, no_trajectory(&local));
  dcsim_trajectory view = dc_api_view(trajectory);
  size_t frames = (size_t)trajectory->steps + 1, nv = (size_t)trajectory->nv;
  // Arrays are made once and kept: a handle's trajectories all have the same number of frames.
  if (!arrays->qd)
    arrays->qd = dc_alloc(frames * nv, sizeof *arrays->qd);
  if (!arrays->qd)
    return dc_api_fail(error, &local, dc_out_of_memory_for(&local, "velocities"));
  for (size_t f = 0; f < frames; f++)
    dc_trajectory_velocity(model, input, trajectory, (int)f, arrays->qd + f * nv);
  view.qd = arrays->qd;
  enum dc_status status = dc_api_write_sized(&view, sizeof view, out, &local);
  return status ? dc_api_fail(error, &local, status) : DCSIM_OK;
}

// Computes gaps (m) and the wrenches of contact and friction (N, N m) of all pairs at all frames,
// [frames][pairs], in arrays that later calls use again.
// A wrench [6] is force and torque as the header of dcsim.h describes it; a pair has two, one for each body.  Contact
// is evaluated anew at each frame, so that a call costs about as much as the evaluations of as many Newton
// iterations.
static enum dc_status find_contacts(struct dc_rollout *rollout, const struct dc_rollout_input *input,
                                    const struct dc_trajectory *trajectory, struct dc_api_arrays *arrays,
                                    dcsim_contacts *view, struct dc_error *error)
{
  struct dc_contact *contact = dc_rollout_contact(rollout);
  size_t frames = (size_t)trajectory->steps + 1, pairs = (size_t)dc_contact_pair_count(contact);
  // Who never asks for contacts does not pay for their arrays, which are as large as all frames want.
  if (!arrays->gaps)
    arrays->gaps = dc_alloc(frames * pairs, sizeof *arrays->gaps);
  if (!arrays->contact)
    arrays->contact = dc_alloc(frames * pairs, sizeof *arrays->contact);
  if (!arrays->friction)
    arrays->friction = dc_alloc(frames * pairs, sizeof *arrays->friction);
  if (!arrays->gaps || !arrays->contact || !arrays->friction)
    return dc_out_of_memory_for(error, "contact at %zu frames", frames);
  enum dc_status status = DC_OK;
  for (size_t f = 0; f < frames && !status; f++)
    status = dc_trajectory_contact(rollout, input, trajectory, (int)f, arrays->gaps + f * pairs,
                                   (double(*)[12])(arrays->contact + f * pairs),
                                   (double(*)[12])(arrays->friction + f * pairs), error);
  *view = (dcsim_contacts){.frames = (int)frames,
                           .pairs = (int)pairs,
                           .bodies = dc_contact_pairs(contact),
                           .gaps = arrays->gaps,
                           .wrenches = (const double(*)[2][6])arrays->contact,
                           .friction = (const double(*)[2][6])arrays->friction};
  return status;
}

// Fills the caller's struct with views of the handle's arrays; the statuses are those of dc_trajectory_contact, and
// DCSIM_USAGE where there is no trajectory.
int dc_api_get_contacts(struct dc_rollout *rollout, const struct dc_rollout_input *input,
                        const struct dc_trajectory *trajectory, struct dc_api_arrays *arrays, dcsim_contacts *out,
                        dcsim_error *error)
{
  struct dc_error local = {0};
  dcsim_contacts view;
  enum dc_status status =
      trajectory ? find_contacts(rollout, input, trajectory, arrays, &view, &local) : no_trajectory(&local);
  if (!status)
    status = dc_api_write_sized(&view, sizeof view, out, &local);
  return status ? dc_api_fail(error, &local, status) : DCSIM_OK;
}
