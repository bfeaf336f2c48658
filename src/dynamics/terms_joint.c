// SPDX-License-Identifier: Apache-2.0
// The term of the step potential of limits of joints, and the list of all terms.
#include <math.h>
#include <string.h>

#include "dynamics/step.h"
#include "math/vector.h"

// Limits: for a coordinate with range [low, high], m = (high - low)/20 and x the distance to either bound
//     s (m - x)^3 / (m^2 x)  where x < m, else 0:
// a barrier, convex, twice differentiable, nothing over nine tenths of the range (docs/theory.md, "Joints").
// An end that moves changes its own x and, for both ends, m: of b(x, m), the slope by q is b_x at the lower end and
// -b_x at the upper one, and
//     b_x = -s (3 u^2/x + u^3/x^2) / m^2,   u = m - x,
//     b_xm = -s (u/x) (6 + 3 u/x - 2 u (3 + u/x)/m) / m^2.

static const double MARGIN = 0.05;

// Energy of both limits of a coordinate, J, its slope and curvature by the coordinate (rad or m).
struct barrier {
  double value, slope, curvature;
  double by_end[2];  // derivatives of the slope by the ends of the range
};

enum { LOWER, UPPER };

// b(x, m) of the head for one end.  In the slope's derivative by the ends, x moves with one end alone, m with both: m
// grows by MARGIN times a shift of the upper end and shrinks by it with the lower one.
static void add_bound(struct barrier *sum, double stiffness, double margin, double x, int end)
{
  if (x >= margin)
    return;
  if (x <= 0) {
    sum->value = INFINITY;
    return;
  }
  double u = margin - x, scale = stiffness / (margin * margin), sign = end == LOWER ? 1 : -1;
  double curvature = scale * 2 * u * (3 + 3 * u / x + u * u / (x * x)) / x;
  double by_margin = -sign * scale * (u / x) * (6 + 3 * u / x - 2 * u * (3 + u / x) / margin);
  sum->value += scale * u * u * u / x;
  sum->slope -= sign * scale * u * u * (3 + u / x) / x;
  sum->curvature += curvature;
  sum->by_end[end] -= curvature;
  sum->by_end[LOWER] -= MARGIN * by_margin;
  sum->by_end[UPPER] += MARGIN * by_margin;
}

// The barriers of both limits of a part of body i's joint at q+.
static struct barrier limit_barrier(const struct dc_step_state *state, int i, const struct dc_joint_part *part)
{
  struct barrier sum = {0};
  double q = state->q_next[part->q];
  double stiffness = state->model->bodies.bodies[i].limit_stiffness * state->input->design.limit_scale[i];
  if (isinf(part->range[0]))
    return sum;
  double range[2], margin;
  dc_design_range(&state->input->design, part, range);
  margin = MARGIN * (range[1] - range[0]);
  add_bound(&sum, stiffness, margin, q - range[0], LOWER);
  add_bound(&sum, stiffness, margin, range[1] - q, UPPER);
  return sum;
}

static double limit_value(const struct dc_step_state *state)
{
  double sum = 0;
  for (int i = 0; i < state->model->bodies.count; i++) {
    const struct dc_body *body = &state->model->bodies.bodies[i];
    for (int p = 0; p < body->part_count; p++)
      sum += limit_barrier(state, i, &body->parts[p]).value;
  }
  return sum;
}

static void limit_add_gradient(const struct dc_step_state *state, struct dc_step_forces *forces)
{
  for (int i = 0; i < state->model->bodies.count; i++) {
    const struct dc_body *body = &state->model->bodies.bodies[i];
    for (int p = 0; p < body->part_count; p++)
      forces->joints[body->parts[p].v] += limit_barrier(state, i, &body->parts[p]).slope;
  }
}

static void limit_add_hessian(const struct dc_step_state *state, bool exact, struct dc_step_hessian *hessian)
{
  (void)exact;  // convex
  for (int i = 0; i < state->model->bodies.count; i++) {
    const struct dc_body *body = &state->model->bodies.bodies[i];
    for (int p = 0; p < body->part_count; p++) {
      double curvature = limit_barrier(state, i, &body->parts[p]).curvature;
      if (curvature > 0)
        dc_assemble_joint(hessian->assembler, i, body->parts[p].v, 1, &curvature, hessian->matrix);
    }
  }
}

// Depends on q+, the ends of the ranges and, in proportion, on the stiffness.
static void limit_add_mixed(const struct dc_step_state *state, const struct dc_step_direction *direction,
                            struct dc_step_cotangent *out)
{
  for (int i = 0; i < state->model->bodies.count; i++) {
    const struct dc_body *body = &state->model->bodies.bodies[i];
    for (int p = 0; p < body->part_count; p++) {
      int v = body->parts[p].v;
      struct barrier barrier = limit_barrier(state, i, &body->parts[p]);
      struct dc_design *design = &out->input->design;
      double along = direction->joints[v] * barrier.slope;
      design->limit_scale[i] += along / state->input->design.limit_scale[i];
      design->lower_shift[v] += direction->joints[v] * barrier.by_end[LOWER];
      design->upper_shift[v] += direction->joints[v] * barrier.by_end[UPPER];
    }
  }
}

// The transposed of limit_add_mixed.  Most variations move no limit, so that barriers are computed only where one
// does.
static void limit_add_product(const struct dc_step_state *state, const struct dc_step_variation *variation,
                              struct dc_step_forces *forces)
{
  for (int i = 0; i < state->model->bodies.count; i++) {
    const struct dc_body *body = &state->model->bodies.bodies[i];
    const struct dc_design *change = &variation->input->design;
    double scale = change->limit_scale[i] / state->input->design.limit_scale[i];
    for (int p = 0; p < body->part_count; p++) {
      int v = body->parts[p].v;
      if (scale == 0 && change->lower_shift[v] == 0 && change->upper_shift[v] == 0)
        continue;
      struct barrier barrier = limit_barrier(state, i, &body->parts[p]);
      forces->joints[v] += scale * barrier.slope + change->lower_shift[v] * barrier.by_end[LOWER] +
                           change->upper_shift[v] * barrier.by_end[UPPER];
    }
  }
}

// Barriers at the ends of ranges have no value beyond them.
static enum dc_status limit_check_start(struct dc_rollout *rollout, const struct dc_rollout_input *input,
                                        const double *q, struct dc_error *error)
{
  const struct dc_bodies *bodies = &rollout->model->bodies;
  for (int i = 0; i < bodies->count; i++)
    for (int p = 0; p < bodies->bodies[i].part_count; p++) {
      const struct dc_joint_part *part = &bodies->bodies[i].parts[p];
      double range[2];
      if (isinf(part->range[0]))
        continue;
      dc_design_range(&input->design, part, range);
      if (!(q[part->q] > range[0] && q[part->q] < range[1]))
        return dc_fail(error, DC_INFEASIBLE, "%s starts at %.10g, not inside of its range [%.10g, %.10g]",
                       bodies->bodies[i].name, q[part->q], range[0], range[1]);
    }
  return DC_OK;
}

// A barrier is infinite at the end of a range: iterates stay strictly inside.
static double limit_safe_part(struct dc_rollout *rollout, const struct dc_design *design, const double *q,
                              const double *tangent)
{
  return dc_path_within_ranges(&rollout->model->bodies, design->lower_shift, design->upper_shift, q, tangent);
}

const struct dc_step_term dc_limit_term = {
    .name = "limits",
    .reference = "docs/theory.md, \"Joints\"",
    .value = limit_value,
    .add_gradient = limit_add_gradient,
    .add_hessian = limit_add_hessian,
    .add_mixed = limit_add_mixed,
    .add_product = limit_add_product,
    .check_start = limit_check_start,
    .safe_part = limit_safe_part,
};
