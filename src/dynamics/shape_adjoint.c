// SPDX-License-Identifier: Apache-2.0
// The adjoint by shapes and places (docs/theory.md, "Shapes as parameters").
//
// With lambda the adjoint of a step, tau = (w, t) the twists of the frames along it and G = lambda . dL/dq+ at fixed
// tau, a loss gains dG/dB for all body data B.  Terms give it for mass, moments and points; here is what concerns
// places.
//
// A translation e of the frames of some bodies j, constant in a frame F whose twist is w_F, at t+1, t and t-1:
//     R_F+^T sum_j (rate_j - w_F x g_j)  +  R_F^T sum_j now_j  +  R_F-^T sum_j before_j,
// g the derivatives of L by the frames' origins, rate = d(dL/dx+) along tau, now and before what a step passes on to
// the frames at t and t-1; of a loss R_F^T sum_j of its derivatives.
//     Offset of body i     F the parent's frame (the world without one), j all that hangs on i.
//     Centre of mass of i  F = frame i, j = i alone: neither its vertices nor its children move.  A free body, whose state
//                          the centre is, stands still, and what hangs on it moves the other way.
// Vertices about the centre lose what the centre gains.
#include <string.h>

#include "dynamics/step.h"
#include "math/rotation.h"
#include "math/vector.h"

static bool follows(const struct dc_bodies *bodies, int body)
{
  return bodies->bodies[body].parent >= 0 && dc_body_moves(&bodies->bodies[body]);
}

// Adds derivatives by the places of the frames [bodies], stride numbers apart, to those of what they hang on: twists
// [bodies] and gradient [bodies] as above, or NULL.  sums [bodies]: workspace.
static void pull_back_places(const struct dc_bodies *bodies, const struct dc_pose *poses, const double *by_place,
                             size_t stride, const double (*twists)[6], const double (*gradient)[6], double (*sums)[6],
                             struct dc_shape_design *by)
{
  static const double still[6] = {0};
  for (int i = 0; i < bodies->count; i++) {
    dc_vec_copy(sums[i], by_place + stride * (size_t)i);
    memset(sums[i] + 3, 0, 3 * sizeof(double));
    if (gradient)
      dc_vec_copy(sums[i] + 3, gradient[i] + 3);
  }
  for (int k = bodies->count - 1; k >= 0; k--) {  // children first
    int i = bodies->order[k], parent = bodies->bodies[i].parent;
    const struct dc_body *body = &bodies->bodies[i];
    double turned[3], local[3];
    if (!dc_body_moves(body))
      continue;
    if (!body->free) {  // the frame alone
      const double *own = by_place + stride * (size_t)i;
      dc_vec_copy(turned, own);
      if (gradient) {
        dc_vec_cross(turned, twists[i], gradient[i] + 3);
        dc_vec_sub(turned, own, turned);
      }
      dc_mat_apply_transposed(local, poses[i].rotation, turned);
      dc_vec_add(by->center[i], by->center[i], local);
      const double *w = parent >= 0 && twists ? twists[parent] : still;
      dc_vec_cross(turned, w, sums[i] + 3);
      dc_vec_sub(turned, sums[i], turned);
      if (parent >= 0)
        dc_mat_apply_transposed(local, poses[parent].rotation, turned);
      else
        dc_vec_copy(local, turned);
      dc_vec_add(by->offsets[i], by->offsets[i], local);
    }
    if (!follows(bodies, i))
      continue;
    for (int c = 0; c < 6; c++)
      sums[parent][c] += sums[i][c];
    if (bodies->bodies[parent].free) {  // what hangs on it, in its frame
      dc_vec_cross(turned, twists ? twists[parent] : still, sums[i] + 3);
      dc_vec_sub(turned, sums[i], turned);
      dc_mat_apply_transposed(local, poses[parent].rotation, turned);
      dc_vec_sub(by->center[parent], by->center[parent], local);
    }
  }
}

// Sums up the terms' derivatives by shapes, then passes those by the places of frames at t+1, t and t-1 on to vertices
// and offsets.
enum dc_status dc_shape_pull_back_step(struct dc_rollout *rollout, const struct dc_step_state *state,
                                       const struct dc_step_direction *direction, const struct dc_step_cotangent *out,
                                       struct dc_error *error)
{
  const struct dc_bodies *bodies = &rollout->model->bodies;
  struct dc_shape_workspace *work = rollout->shape_workspace;
  struct dc_shape_design *by = out->input->shape;
  struct dc_step_shape shape = {.work = work, .rates = work->rates, .cotangent = by, .by_point = work->by_point};
  enum dc_status status = DC_OK;
  memset(work->rates, 0, (size_t)bodies->count * sizeof *work->rates);
  for (int i = 0; dc_step_terms[i] && !status; i++)
    if (dc_step_terms[i]->add_shape_mixed)
      status = dc_step_terms[i]->add_shape_mixed(state, direction, &shape, error);
  if (status)
    return status;
  double(*sums)[6] = rollout->frames.floors;
  pull_back_places(bodies, state->next, &work->rates[0][0], 3, direction->twists,
                   (const double(*)[6])rollout->frames.wrenches, sums, by);
  dc_shape_pull_back_frames(rollout->model, state->now, (const double(*)[6])out->now.wrenches, sums, by);
  dc_shape_pull_back_frames(rollout->model, state->before, (const double(*)[6])out->before.wrenches, sums, by);
  return DC_OK;
}

void dc_shape_pull_back_frames(const struct dc_model *model, const struct dc_pose *poses, const double (*wrenches)[6],
                               double (*sums)[6], struct dc_shape_design *cotangent)
{
  pull_back_places(&model->bodies, poses, &wrenches[0][3], 6, NULL, NULL, sums, cotangent);
}

// Adjoint of a free body's start, whose centre of mass moves with the shape.
void dc_shape_pull_back_start(const struct dc_rollout *rollout, const struct dc_rollout_input *input,
                              const double *tangent, double *q, struct dc_shape_design *cotangent)
{
  for (int i = 0; i < rollout->model->bodies.count && !input->q_before; i++) {
    const struct dc_body *body = &rollout->model->bodies.bodies[i];
    double rotation[9], shift[3], part[3];
    if (!body->free)
      continue;
    const double *by_place = tangent + body->v_offset + 3;
    dc_rotation_matrix(rotation, input->q + body->q_offset + 3);
    dc_mat_apply_transposed(part, rotation, by_place);
    dc_vec_add(cotangent->center[i], cotangent->center[i], part);
    dc_vec_add(cotangent->offsets[i], cotangent->offsets[i], by_place);
    dc_rollout_center_shift(rollout, i, input->q, shift);
    dc_vec_cross(part, shift, by_place);
    dc_vec_add(q + body->v_offset, q + body->v_offset, part);
  }
}
