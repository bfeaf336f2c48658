// SPDX-License-Identifier: Apache-2.0
// The term of couplings: follower b of a coordinate t is held by a spring,
//     S/2 e^2,  e = q_b+ - p(q_t+);   gradient S e J,  J = (1, -p'),  Hessian S J^T J, of the leader also -S e p'',
// in (q_b+, q_t+), and nothing else depends on it (docs/theory/bodies.md, "Couplings").  A prediction q* holds
// couplings already (prediction_couplings.c); beside it how they give way to contact is left, with the share w of t+1,
//     w S/2 (e - e*)^2,  e* = q_b* - p(q_t*).
#include <math.h>

#include "dynamics/step.h"
#include "dynamics/tie_shares.h"

// A coupling in an interval: e, or e - e*, its stiffness, p' and p'' at t+1.
struct spring {
  const struct dc_coupling *coupling;
  const struct dc_joint_part *follower, *leader;
  double stretch, stiffness, slope, curvature;
};

static const struct dc_joint_part *part_of(const struct dc_step_state *state, int body)
{
  return &state->model->bodies.bodies[body].parts[0];
}

// Coupling k of the model.
static struct spring spring_of(const struct dc_step_state *state, int k)
{
  const struct dc_coupling *coupling = &state->model->definition.couplings[k];
  struct spring spring = {.coupling = coupling,
                          .follower = part_of(state, coupling->body),
                          .leader = part_of(state, coupling->to),
                          .stiffness = coupling->stiffness};
  int b = spring.follower->q, t = spring.leader->q;
  double unused[2];
  spring.stretch = state->q_next[b] - dc_coupling_value(coupling, state->q_next[t], &spring.slope, &spring.curvature);
  if (state->prediction) {
    const double *q = state->q_predicted;
    spring.stretch -= q[b] - dc_coupling_value(coupling, q[t], &unused[0], &unused[1]);
    spring.stiffness *= dc_tie_shares_of(&state->interval, coupling->stiffness, coupling->mass).next;
  }
  return spring;
}

#define FOR_EACH_COUPLING(k, state) for (int k = 0; k < (state)->model->definition.coupling_count; k++)

static double coupling_value(const struct dc_step_state *state)
{
  double sum = 0;
  FOR_EACH_COUPLING(k, state)
  {
    struct spring spring = spring_of(state, k);
    sum += 0.5 * spring.stiffness * spring.stretch * spring.stretch;
  }
  return sum;
}

static void coupling_add_gradient(const struct dc_step_state *state, struct dc_step_forces *forces)
{
  FOR_EACH_COUPLING(k, state)
  {
    struct spring spring = spring_of(state, k);
    double force = spring.stiffness * spring.stretch;
    forces->joints[spring.follower->v] += force;
    forces->joints[spring.leader->v] -= spring.slope * force;
  }
}

// Convex where p is a line; of other ones the part with p'' may be negative.
static void coupling_add_hessian(const struct dc_step_state *state, bool exact, struct dc_step_hessian *hessian)
{
  FOR_EACH_COUPLING(k, state)
  {
    struct spring spring = spring_of(state, k);
    int body = spring.coupling->body, to = spring.coupling->to, v = spring.follower->v, w = spring.leader->v;
    double own = spring.stiffness, mixed = -spring.slope * own, other = -spring.slope * mixed,
           bent = -own * spring.stretch * spring.curvature;
    other += exact ? bent : fmax(bent, 0);
    dc_assemble_joint(hessian->assembler, body, v, 1, &own, hessian->matrix);
    dc_assemble_joint(hessian->assembler, to, w, 1, &other, hessian->matrix);
    dc_assemble_coordinates(hessian->assembler, body, v, to, w, mixed, hessian->matrix);
  }
}

// How the gradient changes by the prediction, -w S J(q+)^T J(q*): of the direction the force that it adds to a vector.
static void add_change(const struct dc_step_state *state, bool transposed, const double *direction, double *sum)
{
  FOR_EACH_COUPLING(k, state)
  {
    struct spring spring = spring_of(state, k);
    double slope, unused;
    dc_coupling_value(spring.coupling, state->q_predicted[spring.leader->q], &slope, &unused);
    double from = transposed ? spring.slope : slope, into = transposed ? slope : spring.slope;
    double rate = -spring.stiffness * (direction[spring.follower->v] - from * direction[spring.leader->v]);
    sum[spring.follower->v] += rate;
    sum[spring.leader->v] -= into * rate;
  }
}

// Depends on q+, and on the prediction where there is one.
static void coupling_add_mixed(const struct dc_step_state *state, const struct dc_step_direction *direction,
                               struct dc_step_cotangent *out)
{
  if (state->prediction)
    add_change(state, true, direction->joints, out->predicted.joints);
}

static void coupling_add_product(const struct dc_step_state *state, const struct dc_step_variation *variation,
                                 struct dc_step_forces *forces)
{
  if (state->prediction)
    add_change(state, false, variation->predicted.joints, forces->joints);
}

static void coupling_add_floor(const struct dc_step_state *state, struct dc_step_forces *floor)
{
  FOR_EACH_COUPLING(k, state)
  {
    struct spring spring = spring_of(state, k);
    double m = fabs(spring.slope),
           size = 1 + fabs(state->q_next[spring.follower->q]) + m * (1 + fabs(state->q_next[spring.leader->q]));
    double rounding = DC_POSITION_NOISE * spring.coupling->stiffness * size;
    floor->joints[spring.follower->v] += rounding;
    floor->joints[spring.leader->v] += m * rounding;
  }
}

const struct dc_step_term dc_coupling_term = {
    .name = "couplings",
    .reference = "docs/theory/bodies.md, \"Couplings\"",
    .value = coupling_value,
    .add_gradient = coupling_add_gradient,
    .add_hessian = coupling_add_hessian,
    .add_mixed = coupling_add_mixed,
    .add_product = coupling_add_product,
    .add_floor = coupling_add_floor,
};
