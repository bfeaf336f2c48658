// SPDX-License-Identifier: Apache-2.0
// The term of the step potential for what is due before t+1 of the forces of elastic bodies, of muscles and of
// half-spaces on nodes, with the integrator "second_order" (docs/theory.md, "Second order").  An interval of length h
// from x to x+ pushes with the forces f, the gradients of their energies, at both ends (Newmark 1959): at its beginning
// by h (b f(x+) + (1/2 - b) f(x)), at its end by h ((g - b) f(x+) + (1/2 - g + b) f(x)).  With the interval before, of
// length h-, this leaves
//     past.(x+ - x),   past = (1/2 - b + (h-/h) (g- - b-)) f(x) + (h-/h) (1/2 - g- + b-) f(x-),
// and b f(x+) for the terms themselves, g- and b- those of h-; after a start there is no h-.  With g = 1/2 and b = 1/4
// linear forces would keep their energy for ever, but what is too stiff for the step would ring from step to step, and
// turns feed that.  So
//     g = 1/2 + D s/(s + S),   b = (g + 1/2)^2/4        (dc_past_share),
// s the square of how many elements sound passes in a step: where the step resolves an element s falls with h^2, and
// the damping of a mode of angular frequency w, of the ratio (g - 1/2) h w/2, with h^3.
//
// The barrier f of a node at a half-space is stiff without bound, so that f(x) at the beginning must not be felt again.
// Its force is that of the end during the whole interval (Kane, Repetto, Ortiz and Marsden 1999): h c f(x+) at the
// beginning, h (1 - c) f(x+) at the end, c a little above their 1/2, which shares are those of dc_contact_share.
#include <math.h>
#include <string.h>

#include "dynamics/step.h"
#include "math/vector.h"

// The terms whose forces are shared out; friction of nodes is not.
static const struct {
  const struct dc_step_term *term;
  void (*add_response)(const struct dc_step_state *state, const double *direction, double *sum);
} potentials[] = {{&dc_elastic_term, dc_elastic_add_response},
                  {&dc_muscle_term, dc_muscle_add_response},
                  {&dc_node_contact_term, dc_node_add_response}};
enum { POTENTIALS = sizeof potentials / sizeof *potentials };

// Both states before.
static const enum dc_force_place places[] = {DC_AT_NOW, DC_AT_BEFORE};
enum { PLACES = sizeof places / sizeof *places };

// The state as potentials see one of them.
static struct dc_step_state seen_from(const struct dc_step_state *state, int k)
{
  struct dc_step_state seen = *state;
  seen.half = true;
  seen.place = places[k];
  seen.q_next = places[k] == DC_AT_NOW ? state->q_now : state->q_before;
  return seen;
}

static bool has_past(const struct dc_step_state *state, int k)
{
  return state->past && (places[k] == DC_AT_NOW || dc_interval_past(state->interval) > 0);
}

// past [nv]: the shares of f(x) and f(x-), constant during the interval; terms know from `place` which share is asked
// for.
static enum dc_status begin(struct dc_rollout *rollout, const struct dc_step_state *state, struct dc_error *error)
{
  struct dc_step_forces forces = {.joints = rollout->nodes.past};
  (void)error;
  if (!state->past)
    return DC_OK;
  memset(rollout->nodes.past, 0, (size_t)state->model->bodies.nv * sizeof *rollout->nodes.past);
  for (int k = 0; k < PLACES; k++) {
    struct dc_step_state seen = seen_from(state, k);
    for (int i = 0; i < POTENTIALS && has_past(state, k); i++)
      potentials[i].term->add_gradient(&seen, &forces);
  }
  return DC_OK;
}

// A node of mass m gets the speed h past/m at the beginning of an interval of length h, however short that is.
double dc_past_throw(const struct dc_rollout *rollout, double length)
{
  const struct dc_bodies *bodies = &rollout->model->bodies;
  double most = 0, step = rollout->model->definition.time.step;
  for (int s = 0; s < bodies->soft_count && rollout->nodes.past; s++)
    for (int n = 0; n < bodies->soft[s].node_count; n++) {
      const struct dc_soft *soft = &bodies->soft[s];
      const double *past = rollout->nodes.past + soft->v_offset + 3 * (size_t)n;
      most = fmax(most, length * step * dc_vec_norm(past) / (dc_soft_node_mass(soft, n) * soft->radius));
    }
  return most;
}

static enum dc_status restore(struct dc_rollout *rollout, const struct dc_step_state *state, bool pairs,
                              struct dc_error *error)
{
  (void)pairs;
  return begin(rollout, state, error);
}

static double value(const struct dc_step_state *state)
{
  double sum = 0;
  DC_FOR_EACH_SOFT(soft, state)
  for (int i = 0; i < 3 * soft->node_count && state->past; i++)
    sum += state->past[soft->v_offset + i] * (state->q_next[soft->q_offset + i] - state->q_now[soft->q_offset + i]);
  return sum;
}

static void add_gradient(const struct dc_step_state *state, struct dc_step_forces *forces)
{
  for (int v = state->model->bodies.first_node_v; v < state->model->bodies.nv && state->past; v++)
    forces->joints[v] += state->past[v];
}

// It is linear in the places at t+1.
static void add_hessian(const struct dc_step_state *state, bool exact, struct dc_step_hessian *hessian)
{
  (void)state, (void)exact, (void)hessian;
}

// By targets and design the terms know it themselves; by the states before it is their Hessian there.
static void add_mixed(const struct dc_step_state *state, const struct dc_step_direction *direction,
                      struct dc_step_cotangent *out)
{
  double *const sums[PLACES] = {out->now.joints, out->before.joints};
  for (int k = 0; k < PLACES; k++) {
    struct dc_step_state seen = seen_from(state, k);
    for (int i = 0; i < POTENTIALS && has_past(state, k); i++) {
      potentials[i].term->add_mixed(&seen, direction, out);
      potentials[i].add_response(&seen, direction->joints, sums[k]);
    }
  }
}

// f(x) and f(x-) change with the design and with their states.
static void add_product(const struct dc_step_state *state, const struct dc_step_variation *variation,
                        struct dc_step_forces *forces)
{
  const double *const moved[PLACES] = {variation->now.joints, variation->before.joints};
  for (int k = 0; k < PLACES; k++) {
    struct dc_step_state seen = seen_from(state, k);
    for (int i = 0; i < POTENTIALS && has_past(state, k); i++) {
      potentials[i].term->add_product(&seen, variation, forces);
      potentials[i].add_response(&seen, moved[k], forces->joints);
    }
  }
}

const struct dc_step_term dc_past_term = {
    .name = "past",
    .reference = "Newmark 1959; docs/theory.md, \"Second order\"",
    .value = value,
    .add_gradient = add_gradient,
    .add_hessian = add_hessian,
    .add_mixed = add_mixed,
    .add_product = add_product,
    .begin = begin,
    .restore = restore,
};
