// SPDX-License-Identifier: Apache-2.0
// The term of the step potential for the inertia of masses fixed to soft bodies.  Such a mass m is a point of an
// element, c = sum_k w_k x_k, so that its inertia couples the nodes of that element.  With the displacement
// d = (c+ - c) - r (c - c-), r as in terms.c,
//     m/(2 h^2) |d|^2,
// whose gradient by x+_k is w_k m d/h^2, and whose Hessian has the blocks w_k w_l m/h^2.  The term of gravity has the
// weight of all bodies, these among them.
#include "dynamics/step.h"
#include "math/vector.h"

#define FOR_EACH_LOAD(load, state)                                                                                     \
  for (const struct dc_support *load = (state)->model->bodies.supports;                                                \
       load && load < (state)->model->bodies.supports + (state)->model->bodies.support_count; load++)                  \
    if (load->mass > 0)

static double inverse_square_step(const struct dc_step_state *state)
{
  return 1 / (state->interval.length * state->interval.length);
}

// kg, with the design's factor on the body that the mass belongs to.
static double mass_of(const struct dc_step_state *state, const struct dc_support *load)
{
  return state->input->design.body_mass_scale[load->body] * load->mass;
}

// c of states or tangents, whose nodes begin at `nodes`.
static void mean(const struct dc_support *load, const double *nodes, double c[3])
{
  c[0] = c[1] = c[2] = 0;
  for (int k = 0; k < load->count; k++)
    dc_vec_add_scaled(c, c, load->weights[k], nodes + load->places[k]);
}

// Force f at c is shared by the nodes of its element in the proportions of their weights: the transposed of mean.
static void spread(const struct dc_support *load, const double f[3], double scale, double *nodes)
{
  for (int k = 0; k < load->count; k++) {
    double *at = nodes + load->places[k];
    dc_vec_add_scaled(at, at, scale * load->weights[k], f);
  }
}

// d
static void second_difference(const struct dc_step_state *state, const struct dc_support *load, double d[3])
{
  int first = state->model->bodies.first_node_q;
  d[0] = d[1] = d[2] = 0;
  for (int k = 0; k < load->count; k++)
    for (int i = 0, at = first + load->places[k]; i < 3; i++, at++)
      d[i] += load->weights[k] *
              dc_second_difference(&state->interval, state->q_next[at], state->q_now[at], state->q_before[at]);
}

static double value(const struct dc_step_state *state)
{
  double sum = 0;
  FOR_EACH_LOAD(load, state)
  {
    double d[3];
    second_difference(state, load, d);
    sum += 0.5 * mass_of(state, load) * inverse_square_step(state) * dc_vec_dot(d, d);
  }
  return sum;
}

static void add_gradient(const struct dc_step_state *state, struct dc_step_forces *forces)
{
  FOR_EACH_LOAD(load, state)
  {
    double d[3];
    second_difference(state, load, d);
    spread(load, d, mass_of(state, load) * inverse_square_step(state),
           forces->joints + state->model->bodies.first_node_v);
  }
}

// Blocks of the upper triangle, node by node of one element: m/h^2 w_k w_l I.  The term is quadratic, so that this is
// exact and positive semidefinite.
static void add_hessian(const struct dc_step_state *state, bool exact, struct dc_step_hessian *hessian)
{
  const struct dc_bodies *bodies = &state->model->bodies;
  (void)exact;
  FOR_EACH_LOAD(load, state)
  {
    double stiffness = mass_of(state, load) * inverse_square_step(state);
    for (int k = 0; k < load->count; k++)
      for (int l = 0; l < load->count; l++) {
        int row = bodies->mechanism_count + load->places[k] / 3, column = bodies->mechanism_count + load->places[l] / 3;
        double number = stiffness * load->weights[k] * load->weights[l];
        const double block[9] = {number, 0, 0, 0, number, 0, 0, 0, number};
        if (row <= column)
          dc_symmetric_add_block(hessian->matrix, row, column, 1, block, 3);
      }
  }
}

// Adds lambda^T d(gradient) by the states now and before, and by the scale of the mass.
static void add_mixed(const struct dc_step_state *state, const struct dc_step_direction *direction,
                      struct dc_step_cotangent *out)
{
  int first = state->model->bodies.first_node_v;
  double ratio = state->interval.ratio;
  FOR_EACH_LOAD(load, state)
  {
    double d[3], along[3], stiffness = mass_of(state, load) * inverse_square_step(state);
    second_difference(state, load, d);
    mean(load, direction->joints + first, along);
    spread(load, along, -(1 + ratio) * stiffness, out->now.joints + first);
    spread(load, along, ratio * stiffness, out->before.joints + first);
    out->input->design.body_mass_scale[load->body] += load->mass * inverse_square_step(state) * dc_vec_dot(along, d);
  }
}

// Adds d(gradient) for a variation of the same.
static void add_product(const struct dc_step_state *state, const struct dc_step_variation *variation,
                        struct dc_step_forces *forces)
{
  const struct dc_design *change = &variation->input->design;
  int first = state->model->bodies.first_node_v;
  double ratio = state->interval.ratio;
  FOR_EACH_LOAD(load, state)
  {
    double d[3], now[3], before[3], force[3], stiffness = mass_of(state, load) * inverse_square_step(state);
    second_difference(state, load, d);
    mean(load, variation->now.joints + first, now);
    mean(load, variation->before.joints + first, before);
    for (int i = 0; i < 3; i++)
      force[i] = stiffness * (ratio * before[i] - (1 + ratio) * now[i]) +
                 change->body_mass_scale[load->body] * load->mass * inverse_square_step(state) * d[i];
    spread(load, force, 1, forces->joints + first);
  }
}

// Rounding of a node's place, seen through m/h^2 and its own weight.
static void add_floor(const struct dc_step_state *state, struct dc_step_forces *floor)
{
  const struct dc_bodies *bodies = &state->model->bodies;
  FOR_EACH_LOAD(load, state)
  {
    double noise = DC_POSITION_NOISE * mass_of(state, load) * inverse_square_step(state);
    for (int k = 0; k < load->count; k++) {
      double size = dc_vec_norm(state->q_next + bodies->first_node_q + load->places[k]);
      for (int i = 0; i < 3; i++)
        floor->joints[bodies->first_node_v + load->places[k] + i] += noise * fabs(load->weights[k]) * size;
    }
  }
}

const struct dc_step_term dc_load_term = {
    .name = "loads",
    .reference = "docs/theory/soft-bodies.md, \"Masses on soft bodies\"",
    .value = value,
    .add_gradient = add_gradient,
    .add_hessian = add_hessian,
    .add_mixed = add_mixed,
    .add_product = add_product,
    .add_floor = add_floor,
};
