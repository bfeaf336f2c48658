// SPDX-License-Identifier: Apache-2.0
// The term of the step potential of the far field of soft bodies (contact/far/far_field.h; docs/theory.md, "The far
// field of soft bodies").  It ties every node of a surface to every other, which no sparse matrix holds, and is soft:
// its forces are those at t.  With g_p = dE/dx_p(q) of its points, nodes of soft bodies and points of frames,
//     L = sum_p g_p.(x_p+ - x_p),   (dL/dq+).u = DE(q)[u],   u_p the velocities of the points at q+,
// so that nodes add no Hessian, and what derivatives at t take from u is the product of the Hessian of E with it.
#include "dynamics/step.h"
#include "math/vector.h"

static struct dc_far_body *bodies_of(const struct dc_step_state *state, int *count)
{
  *count = 0;
  return state->far ? dc_far_field_bodies(state->far, count) : NULL;
}

// Nodes always move; points of a rigid body (those with arms) feel forces where their body moves.
static bool acts_on(const struct dc_bodies *bodies, const struct dc_far_body *body)
{
  return !body->arm || dc_body_moves(&bodies->bodies[body->body]);
}

// Potential of forces that stay constant over the step: gradient . way, for points of rigid bodies and for nodes.
static double value(const struct dc_step_state *state)
{
  const struct dc_bodies *bodies = &state->model->bodies;
  double sum = 0;
  int count;
  const struct dc_far_body *far = bodies_of(state, &count);
  for (int b = 0; b < count; b++) {
    const struct dc_soft *soft = dc_soft_of(bodies, far[b].body);
    const struct dc_pose *next = &state->next[far[b].body], *now = &state->now[far[b].body];
    for (int p = 0; p < far[b].point_count && acts_on(bodies, &far[b]); p++) {
      double way[3], from[3];
      if (soft) {
        int at = soft->q_offset + 3 * p;
        dc_vec_sub(way, state->q_next + at, state->q_now + at);
      } else {
        dc_mat_apply(way, next->rotation, far[b].arm[p]);
        dc_mat_apply(from, now->rotation, far[b].arm[p]);
        for (int k = 0; k < 3; k++)
          way[k] += next->position[k] - now->position[k] - from[k];
      }
      sum += dc_vec_dot(far[b].gradient[p], way);
    }
  }
  return sum;
}

// Adds forces [points] on a body with its frame at a pose.
static void add_forces(const struct dc_bodies *bodies, const struct dc_far_body *body, const struct dc_pose *pose,
                       const double (*force)[3], struct dc_step_forces *forces)
{
  const struct dc_soft *soft = dc_soft_of(bodies, body->body);
  if (!acts_on(bodies, body))
    return;
  for (int p = 0; p < body->point_count; p++) {
    if (soft) {
      double *sum = forces->joints + soft->v_offset + 3 * p;
      dc_vec_add(sum, sum, force[p]);
      continue;
    }
    double arm[3], torque[3], *wrench = forces->wrenches[body->body];
    dc_mat_apply(arm, pose->rotation, body->arm[p]);
    dc_vec_cross(torque, arm, force[p]);
    dc_vec_add(wrench, wrench, torque);
    dc_vec_add(wrench + 3, wrench + 3, force[p]);
  }
}

// The forces are those at t, but the arms through which they turn rigid bodies are those at t+1.
static void add_gradient(const struct dc_step_state *state, struct dc_step_forces *forces)
{
  int count;
  const struct dc_far_body *far = bodies_of(state, &count);
  for (int b = 0; b < count; b++)
    add_forces(&state->model->bodies, &far[b], &state->next[far[b].body], (const double(*)[3])far[b].gradient, forces);
}

// The turn of the arms of a rigid body adds (g r^T + r g^T)/2 - (g.r) I.
static void add_hessian(const struct dc_step_state *state, bool exact, struct dc_step_hessian *hessian)
{
  const struct dc_bodies *bodies = &state->model->bodies;
  int count;
  const struct dc_far_body *far = bodies_of(state, &count);
  for (int b = 0; b < count && exact; b++) {
    double *block = hessian->blocks[far[b].body];
    for (int p = 0; far[b].arm && acts_on(bodies, &far[b]) && p < far[b].point_count; p++) {
      double r[3], *g = far[b].gradient[p];
      dc_mat_apply(r, state->next[far[b].body].rotation, far[b].arm[p]);
      double along = dc_vec_dot(g, r);
      for (int i = 0; i < 9; i++)
        block[6 * (i / 3) + i % 3] += 0.5 * (g[i / 3] * r[i % 3] + r[i / 3] * g[i % 3]) - (i / 3 == i % 3 ? along : 0);
    }
  }
}

// The product of the Hessian at t with the velocities of all points along a direction, arms being those of poses.
static struct dc_far_body *multiply(const struct dc_step_state *state, const struct dc_step_direction *direction,
                                    const struct dc_pose *poses, int *count)
{
  const struct dc_bodies *bodies = &state->model->bodies;
  struct dc_far_body *far = bodies_of(state, count);
  for (int b = 0; b < *count; b++) {
    const struct dc_soft *soft = dc_soft_of(bodies, far[b].body);
    const double *twist = direction->twists[far[b].body];
    for (int p = 0; acts_on(bodies, &far[b]) && p < far[b].point_count; p++) {
      double arm[3], *velocity = far[b].velocity[p];
      if (soft) {
        dc_vec_copy(velocity, direction->joints + soft->v_offset + 3 * p);
        continue;
      }
      dc_mat_apply(arm, poses[far[b].body].rotation, far[b].arm[p]);
      dc_vec_cross(velocity, twist, arm);
      dc_vec_add(velocity, velocity, twist + 3);
    }
  }
  if (*count)
    dc_far_field_multiply(state->far);
  return far;
}

// H(q) u with the velocities u of points at q+ gives forces at the points at t: arms of t+1 on the way in, of t out.
static void add_mixed(const struct dc_step_state *state, const struct dc_step_direction *direction,
                      struct dc_step_cotangent *out)
{
  int count;
  const struct dc_far_body *far = multiply(state, direction, state->next, &count);
  for (int b = 0; b < count; b++)
    add_forces(&state->model->bodies, &far[b], &state->now[far[b].body], (const double(*)[3])far[b].product, &out->now);
}

// The transposed: H(q) is symmetric, so that only the arms change sides.
static void add_product(const struct dc_step_state *state, const struct dc_step_variation *variation,
                        struct dc_step_forces *forces)
{
  int count;
  const struct dc_far_body *far = multiply(state, &variation->now, state->now, &count);
  for (int b = 0; b < count; b++)
    add_forces(&state->model->bodies, &far[b], &state->next[far[b].body], (const double(*)[3])far[b].product, forces);
}

static enum dc_status begin(struct dc_rollout *rollout, const struct dc_step_state *state, struct dc_error *error)
{
  if (rollout->far && dc_far_field_evaluate(rollout->far, state->q_now, state->now, NULL))
    return dc_out_of_memory_for(error, "a far field");
  return DC_OK;
}

static enum dc_status restore(struct dc_rollout *rollout, const struct dc_step_state *state, bool pairs,
                              struct dc_error *error)
{
  (void)pairs;
  return begin(rollout, state, error);
}

const struct dc_step_term dc_far_term = {
    .name = "far field",
    .reference = "paper 000, section 5; docs/theory.md, \"The far field of soft bodies\"",
    .value = value,
    .add_gradient = add_gradient,
    .add_hessian = add_hessian,
    .add_mixed = add_mixed,
    .add_product = add_product,
    .begin = begin,
    .restore = restore,
};
