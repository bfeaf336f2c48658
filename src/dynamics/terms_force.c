// SPDX-License-Identifier: Apache-2.0
// The term of the step potential of given generalized forces, held over a step: on a length or angle q
//     -f (q+ - q),
// on a rotation R a torque m in the axes of its outer frame, linear in R+:
//     -m . axial(E)/2 = -tr(A),   E = R+ R^T,   A = E [m]x^T / 2,   axial(E) = (E_21 - E_12, E_02 - E_20, E_10 - E_01),
// which for a turn by an angle t is the work m sin(t) of the torque about its axis (docs/theory.md, "Given forces").
// For R+ <- exp([w]x) R+ the gradient is axial(A), the Hessian tr(A) I - sym(A); R <- exp([d]x) R turns E to E
// exp(-[d]x).
#include "dynamics/step.h"
#include "math/rotation.h"
#include "math/vector.h"

// The forces of the state's step [nv], or NULL.
static double *row_of(const struct dc_step_state *state, double *force)
{
  return force ? force + (size_t)state->interval.step * (size_t)state->model->bodies.nv : NULL;
}

// The next part of a joint behind part p of body i; both -1 before the first.
static const struct dc_joint_part *next_part(const struct dc_bodies *bodies, int *i, int *p)
{
  for (++*p; *i < 0 || *p >= bodies->bodies[*i].part_count; *p = 0)
    if (++*i == bodies->count)
      return NULL;
  return &bodies->bodies[*i].parts[*p];
}

#define FOR_EACH_PART(i, part, state)                                                                                  \
  for (int i = -1, p_ = -1, once_ = 1; once_; once_ = 0)                                                               \
    for (const struct dc_joint_part *part; (part = next_part(&(state)->model->bodies, &i, &p_));)

// E = R+ R^T
static void turn_over_step(const struct dc_step_state *state, const struct dc_joint_part *part, double e[9])
{
  double now[9], next[9];
  dc_rotation_matrix(now, state->q_now + part->q);
  dc_rotation_matrix(next, state->q_next + part->q);
  dc_mat_multiply_transposed(e, next, now);
}

// out += scale axial(a)
static void add_axial(const double a[9], double scale, double *out)
{
  out[0] += scale * (a[7] - a[5]);
  out[1] += scale * (a[2] - a[6]);
  out[2] += scale * (a[3] - a[1]);
}

// E [v]x
static void turned_cross(const double e[9], const double *v, double product[9])
{
  double cross[9];
  dc_mat_cross(cross, v);
  dc_mat_multiply(product, e, cross);
}

// Value of the potential: -f (q+ - q), on balls -m . axial(E)/2.
static double force_value(const struct dc_step_state *state)
{
  const double *force = row_of(state, state->input->force);
  double sum = 0;
  if (!force)
    return 0;
  FOR_EACH_PART(i, part, state)
  {
    if (part->kind == DC_PART_BALL) {
      double e[9], turn[3] = {0};
      turn_over_step(state, part, e);
      add_axial(e, 0.5, turn);
      sum -= dc_vec_dot(force + part->v, turn);
      continue;
    }
    for (int k = 0; k < dc_part_nv(part); k++)
      sum -= force[part->v + k] * (state->q_next[part->q + k] - state->q_now[part->q + k]);
  }
  return sum;
}

// Gradient by q+: -f, on balls axial(A).
static void force_add_gradient(const struct dc_step_state *state, struct dc_step_forces *forces)
{
  const double *force = row_of(state, state->input->force);
  if (!force)
    return;
  FOR_EACH_PART(i, part, state)
  {
    if (part->kind == DC_PART_BALL) {
      double e[9], a[9];
      turn_over_step(state, part, e);
      turned_cross(e, force + part->v, a);
      add_axial(a, -0.5, forces->joints + part->v);
      continue;
    }
    for (int k = 0; k < dc_part_nv(part); k++)
      forces->joints[part->v + k] -= force[part->v + k];
  }
}

// Hessian of balls: tr(A) I - sym(A); lengths and angles have none.
static void force_add_hessian(const struct dc_step_state *state, bool exact, struct dc_step_hessian *hessian)
{
  const double *force = row_of(state, state->input->force);
  if (!force || !exact)
    return;
  FOR_EACH_PART(i, part, state)
  {
    double e[9], a[9], block[9];
    if (part->kind != DC_PART_BALL)
      continue;
    turn_over_step(state, part, e);
    turned_cross(e, force + part->v, a);  // -2 A
    double trace = a[0] + a[4] + a[8];
    for (int j = 0; j < 3; j++)
      for (int k = 0; k < 3; k++)
        block[3 * j + k] = 0.25 * (a[3 * j + k] + a[3 * k + j]) - (j == k ? 0.5 * trace : 0);
    dc_assemble_joint(hessian->assembler, i, part->v, 3, block, hessian->matrix);
  }
}

// Adds lambda^T d(gradient) by the forces of the input and, on balls, by the state now.
static void force_add_mixed(const struct dc_step_state *state, const struct dc_step_direction *direction,
                            struct dc_step_cotangent *out)
{
  const double *force = row_of(state, state->input->force);
  double *by = row_of(state, out->input->force);
  if (!force && !by)
    return;
  FOR_EACH_PART(i, part, state)
  {
    const double *l = direction->joints + part->v;
    if (part->kind != DC_PART_BALL) {
      for (int k = 0; k < dc_part_nv(part) && by; k++)
        by[part->v + k] -= l[k];
      continue;
    }
    double e[9], cross[9], le[9], product[9];
    turn_over_step(state, part, e);
    dc_mat_cross(cross, l);
    dc_mat_multiply(le, cross, e);
    if (by)
      add_axial(le, -0.5, by + part->v);
    if (!force)
      continue;
    dc_mat_cross(cross, force + part->v);
    dc_mat_multiply(product, cross, le);
    add_axial(product, 0.5, out->now.joints + part->v);
  }
}

// Adds d(gradient) for a variation of the forces and, on balls, of the state now.
static void force_add_product(const struct dc_step_state *state, const struct dc_step_variation *variation,
                              struct dc_step_forces *forces)
{
  const double *force = row_of(state, state->input->force), *change = row_of(state, variation->input->force);
  if (!force && !change)
    return;
  FOR_EACH_PART(i, part, state)
  {
    double *sum = forces->joints + part->v;
    if (part->kind != DC_PART_BALL) {
      for (int k = 0; k < dc_part_nv(part) && change; k++)
        sum[k] -= change[part->v + k];
      continue;
    }
    double e[9], a[9], cross[9], product[9];
    turn_over_step(state, part, e);
    if (change) {
      turned_cross(e, change + part->v, a);
      add_axial(a, -0.5, sum);
    }
    if (!force)
      continue;
    turned_cross(e, variation->now.joints + part->v, a);
    dc_mat_cross(cross, force + part->v);
    dc_mat_multiply(product, a, cross);
    add_axial(product, 0.5, sum);
  }
}

const struct dc_step_term dc_force_term = {
    .name = "forces",
    .reference = "docs/theory.md, \"Given forces\"",
    .value = force_value,
    .add_gradient = force_add_gradient,
    .add_hessian = force_add_hessian,
    .add_mixed = force_add_mixed,
    .add_product = force_add_product,
};
