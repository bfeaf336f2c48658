// SPDX-License-Identifier: Apache-2.0
// The term of the step potential of nodes alone: inertia, gravity and given forces.  Mass m is lumped; with the
// displacement d = (x+ - x) - r (x - x-), r as in terms.c,
//     m/(2 h^2) |d|^2 - w (m g + f).(x+ - x).
// w is 1; beside a prediction m g and f push for half of this interval and of the one before (terms_past.c).
#include "dynamics/step.h"
#include "math/vector.h"

// A design's factor on the mass of the whole body.
static double mass_scale(const struct dc_step_state *state, const struct dc_soft *soft)
{
  return state->input->design.body_mass_scale[soft->body];
}

static double inverse_square_step(const struct dc_step_state *state)
{
  return 1 / (state->interval.length * state->interval.length);
}

// Given forces on the nodes of a soft body in this step, or NULL.
static double *force_row(const struct dc_step_state *state, const struct dc_soft *soft, double *force)
{
  return force ? force + (size_t)state->interval.step * (size_t)state->model->bodies.nv + soft->v_offset : NULL;
}

// d of one node, m, whose coordinates begin at `at` in q.
static void second_difference(const struct dc_step_state *state, int at, double d[3])
{
  for (int k = 0; k < 3; k++)
    d[k] = dc_second_difference(&state->interval, state->q_next[at + k], state->q_now[at + k], state->q_before[at + k]);
}

// For each node m/2 |x_next - (1 + r) x_now + r x_before|^2 / h^2 - m g . way - f . way.
static double value(const struct dc_step_state *state)
{
  double sum = 0;
  DC_FOR_EACH_SOFT(soft, state)
  {
    const double *force = force_row(state, soft, state->input->force);
    for (int i = 0, at = soft->q_offset; i < soft->node_count; i++, at += 3) {
      double d[3], move[3], mass = mass_scale(state, soft) * dc_soft_node_mass(soft, i);
      second_difference(state, at, d);
      dc_vec_sub(move, state->q_next + at, state->q_now + at);
      sum += mass * (0.5 * inverse_square_step(state) * dc_vec_dot(d, d) -
                     state->kick * dc_vec_dot(state->input->design.gravity, move));
      if (force)
        sum -= state->kick * dc_vec_dot(force + 3 * (size_t)i, move);
    }
  }
  return sum;
}

// Gradient by x_next: m (second difference / h^2 - g) - f.
static void add_gradient(const struct dc_step_state *state, struct dc_step_forces *forces)
{
  DC_FOR_EACH_SOFT(soft, state)
  {
    const double *force = force_row(state, soft, state->input->force);
    double *sum = forces->joints + soft->v_offset;
    for (int i = 0; i < 3 * soft->node_count; i += 3) {
      double d[3], mass = mass_scale(state, soft) * dc_soft_node_mass(soft, i / 3);
      second_difference(state, soft->q_offset + i, d);
      for (int k = 0; k < 3; k++)
        sum[i + k] += mass * inverse_square_step(state) * d[k] -
                      state->kick * (mass * state->input->design.gravity[k] + (force ? force[i + k] : 0));
    }
  }
}

static void add_diagonal(const struct dc_step_state *state, const struct dc_soft *soft, int node, double number,
                         struct dc_step_hessian *hessian)
{
  const double block[9] = {number, 0, 0, 0, number, 0, 0, 0, number};
  int index = dc_node_block(&state->model->bodies, soft, node);
  dc_symmetric_add_block(hessian->matrix, index, index, 1, block, 3);
}

void dc_node_add_damping(const struct dc_step_state *state, double damping, struct dc_step_hessian *hessian)
{
  DC_FOR_EACH_SOFT(soft, state)
  {
    double scale = damping * mass_scale(state, soft) * inverse_square_step(state);
    for (int i = 0; i < soft->node_count; i++)
      add_diagonal(state, soft, i, scale * dc_soft_node_mass(soft, i), hessian);
  }
}

// m/h^2 on the diagonal: the term is quadratic, so that this is exact.
static void add_hessian(const struct dc_step_state *state, bool exact, struct dc_step_hessian *hessian)
{
  (void)exact;
  dc_node_add_damping(state, 1, hessian);
}

// Adds lambda^T d(gradient) by the states now and before, gravity, forces, and the scale of the body's mass.
static void add_mixed(const struct dc_step_state *state, const struct dc_step_direction *direction,
                      struct dc_step_cotangent *out)
{
  double ratio = state->interval.ratio, *gravity = out->input->design.gravity;
  DC_FOR_EACH_SOFT(soft, state)
  {
    double *by_force = force_row(state, soft, out->input->force), along = 0;
    const double *l = direction->joints + soft->v_offset;
    double *now = out->now.joints + soft->v_offset, *before = out->before.joints + soft->v_offset;
    for (int i = 0; i < 3 * soft->node_count; i += 3) {
      double d[3], own = dc_soft_node_mass(soft, i / 3), mass = mass_scale(state, soft) * own,
                   stiffness = mass * inverse_square_step(state);
      second_difference(state, soft->q_offset + i, d);
      for (int k = 0; k < 3; k++) {
        now[i + k] -= (1 + ratio) * stiffness * l[i + k];
        before[i + k] += ratio * stiffness * l[i + k];
        gravity[k] -= state->kick * mass * l[i + k];
        along += own * l[i + k] * (inverse_square_step(state) * d[k] - state->kick * state->input->design.gravity[k]);
        if (by_force)
          by_force[i + k] -= state->kick * l[i + k];
      }
    }
    out->input->design.body_mass_scale[soft->body] += along;
  }
}

// Adds d(gradient) for a variation of the same.
static void add_product(const struct dc_step_state *state, const struct dc_step_variation *variation,
                        struct dc_step_forces *forces)
{
  const struct dc_design *change = &variation->input->design;
  double ratio = state->interval.ratio;
  DC_FOR_EACH_SOFT(soft, state)
  {
    const double *by_force = force_row(state, soft, variation->input->force);
    const double *now = variation->now.joints + soft->v_offset, *before = variation->before.joints + soft->v_offset;
    double *sum = forces->joints + soft->v_offset, factor = change->body_mass_scale[soft->body];
    for (int i = 0; i < 3 * soft->node_count; i += 3) {
      double d[3], own = dc_soft_node_mass(soft, i / 3), mass = mass_scale(state, soft) * own,
                   stiffness = mass * inverse_square_step(state);
      second_difference(state, soft->q_offset + i, d);
      for (int k = 0; k < 3; k++)
        sum[i + k] += stiffness * (ratio * before[i + k] - (1 + ratio) * now[i + k]) +
                      factor * own * inverse_square_step(state) * d[k] -
                      state->kick * (mass * change->gravity[k] + factor * own * state->input->design.gravity[k] +
                                     (by_force ? by_force[i + k] : 0));
    }
  }
}

// Rounding of a node's place seen through m/h^2, N.
static void add_floor(const struct dc_step_state *state, struct dc_step_forces *floor)
{
  DC_FOR_EACH_SOFT(soft, state)
  {
    const double *x = state->q_next + soft->q_offset;
    double *at = floor->joints + soft->v_offset;
    for (int i = 0; i < 3 * soft->node_count; i++)
      at[i] += DC_POSITION_NOISE * mass_scale(state, soft) * dc_soft_node_mass(soft, i / 3) *
               inverse_square_step(state) * dc_vec_norm(x + i / 3 * 3);
  }
}

// The force m R/h^2 times `part` moves the lightest node by that part of the body's radius R within a step.
double dc_node_signal(const struct dc_step_state *state, double part)
{
  double least = INFINITY;
  DC_FOR_EACH_SOFT(soft, state)
  {
    double mass = INFINITY;
    for (int i = 0; i < soft->node_count; i++)
      mass = fmin(mass, dc_soft_node_mass(soft, i));
    least = fmin(least, part * mass * soft->radius * inverse_square_step(state));
  }
  return least;
}

const struct dc_step_term dc_node_term = {
    .name = "nodes",
    .reference = "paper 004, Eq. 1 and 2; docs/theory.md, \"Soft bodies\"",
    .value = value,
    .add_gradient = add_gradient,
    .add_hessian = add_hessian,
    .add_mixed = add_mixed,
    .add_product = add_product,
    .add_floor = add_floor,
};
