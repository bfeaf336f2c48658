// SPDX-License-Identifier: Apache-2.0
// The terms of the step potential that see frames only: inertia and gravity.
#include <string.h>

#include "dynamics/step.h"
#include "math/vector.h"

// The design's factor on mass and second moment of a body.
static double mass_scale(const struct dc_step_state *state, int body)
{
  return state->input->design.body_mass_scale[body];
}

// Inertia: 1/(2 h^2) |T+ - T - r (T - T-)|^2 in the 3x4 poses with the moments of the solid (003, Eq. 14;
// docs/theory.md, "Inertia"), r the length h of the interval over that of the one before: 1 but around divided steps.
// About the centre of mass translation and rotation part:
//     m/(2 h^2) |x+ - x - r (x - x-)|^2 + 1/(2 h^2) tr(E M E^T),  E = R+ - Y,  Y = (1 + r) R - r R-,
// M = integral of r r^T dm.  With A = R+ M Y^T the rotation part is const - tr(A)/h^2, and for R+ <- exp([w]x) R+
//     gradient -(1/h^2) (A_12 - A_21, A_20 - A_02, A_01 - A_10),   Hessian (1/h^2) (tr(A) I - sym(A)).

//
// With the integrator "second_order" Y and x + r (x - x-) are a predicted rotation and place (prediction.h), which hold
// gravity, too: nothing is damped, and without contact the prediction is the minimum.

static bool predicts(const struct dc_step_state *state)
{
  return state->prediction != NULL;
}

// How far the centre of body i is from where inertia, or the prediction, puts it.
static void second_difference(const struct dc_step_state *state, int i, double d[3])
{
  if (predicts(state)) {
    dc_vec_sub(d, state->next[i].position, state->predicted[i].position);
    return;
  }
  for (int k = 0; k < 3; k++)
    d[k] = dc_second_difference(&state->interval, state->next[i].position[k], state->now[i].position[k],
                                state->before[i].position[k]);
}

static double inverse_square_step(const struct dc_step_state *state)
{
  double h = state->interval.length;
  return 1 / (h * h);
}

// E, likewise
static void rotation_difference(const struct dc_step_state *state, int i, double e[9])
{
  const double *next = state->next[i].rotation, *now = state->now[i].rotation, *before = state->before[i].rotation;
  for (int k = 0; k < 9 && predicts(state); k++)
    e[k] = next[k] - state->predicted[i].rotation[k];
  for (int k = 0; k < 9 && !predicts(state); k++)
    e[k] = (next[k] - now[k]) - state->interval.ratio * (now[k] - before[k]);
}

// 1/(2 h^2) (m |second difference of positions|^2 + tr(E M E^T)), E the second difference of rotations, M the second
// moment; see the head.
static double inertia_value(const struct dc_step_state *state)
{
  double sum = 0;
  for (int i = 0; i < state->model->bodies.count; i++) {
    const struct dc_body *body = &state->model->bodies.bodies[i];
    if (!dc_body_moves(body))
      continue;
    double d[3], e[9], em[9], rotation = 0;
    second_difference(state, i, d);
    rotation_difference(state, i, e);
    dc_mat_multiply(em, e, body->second_moment);
    for (int k = 0; k < 9; k++)
      rotation += em[k] * e[k];
    sum += mass_scale(state, i) * (body->mass * dc_vec_dot(d, d) + rotation);
  }
  return 0.5 * inverse_square_step(state) * sum;
}

// A = R+ M Y^T scaled by the mass scale over h^2
static void moment_product(const struct dc_step_state *state, int i, const double y[9], double a[9])
{
  double rm[9], scale = mass_scale(state, i) * inverse_square_step(state);
  dc_mat_multiply(rm, state->next[i].rotation, state->model->bodies.bodies[i].second_moment);
  dc_mat_multiply_transposed(a, rm, y);
  for (int k = 0; k < 9; k++)
    a[k] *= scale;
}

// Y [9] of the head.  It is no rotation: the linear extrapolation of two rotation matrices leaves their sphere, which
// is why implicit Euler damps spin.  A prediction has a true rotation instead.
static void extrapolated_rotation(const struct dc_step_state *state, int i, double y[9])
{
  double ratio = state->interval.ratio;
  if (predicts(state)) {
    memcpy(y, state->predicted[i].rotation, 9 * sizeof *y);
    return;
  }
  for (int k = 0; k < 9; k++)
    y[k] = (1 + ratio) * state->now[i].rotation[k] - ratio * state->before[i].rotation[k];
}

// g [6]: the torque is the axial vector of A's antisymmetric part, N m, the force m d/h^2, N.
static void inertia_body_gradient(const struct dc_step_state *state, int i, double g[6])
{
  double y[9], a[9], d[3];
  extrapolated_rotation(state, i, y);
  moment_product(state, i, y, a);
  second_difference(state, i, d);
  double scale = mass_scale(state, i) * state->model->bodies.bodies[i].mass * inverse_square_step(state);
  g[0] = a[7] - a[5];
  g[1] = a[2] - a[6];
  g[2] = a[3] - a[1];
  dc_vec_scale(g + 3, d, scale);
}

static void inertia_add_gradient(const struct dc_step_state *state, struct dc_step_forces *forces)
{
  for (int i = 0; i < state->model->bodies.count; i++) {
    double g[6];
    if (!dc_body_moves(&state->model->bodies.bodies[i]))
      continue;
    inertia_body_gradient(state, i, g);
    for (int k = 0; k < 6; k++)
      forces->wrenches[i][k] += g[k];
  }
}

// Blocks of the inertia, times scale: m/h^2 I for the translation, (tr(A) I - sym(A)) for the rotation, which is
// positive semidefinite at Y = R+ (not exact).
static void add_inertia_blocks(const struct dc_step_state *state, bool exact, double scale, double (*blocks)[36])
{
  for (int i = 0; i < state->model->bodies.count; i++) {
    const struct dc_body *body = &state->model->bodies.bodies[i];
    double y[9], a[9], *block = blocks[i];
    if (!dc_body_moves(body))
      continue;
    // At Y = R+ the rotation part is the inertia tensor in world axes: always positive.
    extrapolated_rotation(state, i, y);
    moment_product(state, i, exact ? y : state->next[i].rotation, a);
    double trace = a[0] + a[4] + a[8];
    double m = mass_scale(state, i) * body->mass * inverse_square_step(state);
    for (int j = 0; j < 3; j++) {
      for (int k = 0; k < 3; k++)
        block[6 * j + k] += scale * ((j == k ? trace : 0) - 0.5 * (a[3 * j + k] + a[3 * k + j]));
      block[6 * (3 + j) + 3 + j] += scale * m;
    }
  }
}

static void inertia_add_hessian(const struct dc_step_state *state, bool exact, struct dc_step_hessian *hessian)
{
  add_inertia_blocks(state, exact, 1, hessian->blocks);
}

void dc_inertia_add_damping(const struct dc_step_state *state, double damping, struct dc_step_hessian *hessian)
{
  add_inertia_blocks(state, false, damping, hessian->blocks);
}

// d2/(dw+ dw) of -tr(R+ M ((1 + r) R)^T)/h^2 is -(1 + r) (tr(A) I - A^T) with A = R+ M R^T / h^2, and +r (tr(A) I -
// A^T) with A = R+ M R-^T / h^2 for R-; here transposed and applied to lambda.
static void add_rotation_mixed(const struct dc_step_state *state, int i, const double *other, double factor,
                               const double *lambda, double *out)
{
  double a[9], al[3];
  moment_product(state, i, other, a);
  dc_mat_apply(al, a, lambda);
  for (int k = 0; k < 3; k++)
    out[k] += factor * ((a[0] + a[4] + a[8]) * lambda[k] - al[k]);
}

// L is proportional to the scale of the mass: its mixed derivative along l [6] is the gradient along l over the scale.
static void add_scale_mixed(const struct dc_step_state *state, int i, const double *l, struct dc_step_cotangent *out)
{
  double g[6], along = 0;
  inertia_body_gradient(state, i, g);
  for (int k = 0; k < 6; k++)
    along += l[k] * g[k];
  out->input->design.body_mass_scale[i] += along / mass_scale(state, i);
}

// The derivatives by the predicted frames are those by the frames of Y and x: factors -1.
static void predicted_add_mixed(const struct dc_step_state *state, const struct dc_step_direction *direction,
                                struct dc_step_cotangent *out)
{
  const struct dc_bodies *bodies = &state->model->bodies;
  double(*wrenches)[6] = out->predicted.wrenches;
  for (int i = 0; i < bodies->count; i++) {
    const double *l = direction->twists[i];
    if (!dc_body_moves(&bodies->bodies[i]))
      continue;
    double m = mass_scale(state, i) * bodies->bodies[i].mass * inverse_square_step(state);
    add_rotation_mixed(state, i, state->predicted[i].rotation, -1, l, wrenches[i]);
    dc_vec_add_scaled(wrenches[i] + 3, wrenches[i] + 3, -m, l + 3);
    add_scale_mixed(state, i, l, out);
  }
}

// Mixed derivatives by the frames at t and t-1, and by the scale of the mass.
static void inertia_add_mixed(const struct dc_step_state *state, const struct dc_step_direction *direction,
                              struct dc_step_cotangent *out)
{
  double ratio = state->interval.ratio;
  if (predicts(state)) {
    predicted_add_mixed(state, direction, out);
    return;
  }
  for (int i = 0; i < state->model->bodies.count; i++) {
    const struct dc_body *body = &state->model->bodies.bodies[i];
    if (!dc_body_moves(body))
      continue;
    const double *l = direction->twists[i];
    double m = mass_scale(state, i) * body->mass * inverse_square_step(state);
    double *now = out->now.wrenches[i], *before = out->before.wrenches[i];
    add_rotation_mixed(state, i, state->now[i].rotation, -(1 + ratio), l, now);
    add_rotation_mixed(state, i, state->before[i].rotation, ratio, l, before);
    for (int k = 3; k < 6; k++) {
      now[k] -= (1 + ratio) * m * l[k];
      before[k] += ratio * m * l[k];
    }
    add_scale_mixed(state, i, l, out);
  }
}

// G = lambda . dL/dq+ is linear in mass and moment: with w the turn of the direction
//     m/h^2 d.t - tr(M Y^T [w]x R+)/h^2,  by M symmetric:  -(Z + Z^T)/(2 h^2),  Z = Y^T [w]x R+.
static enum dc_status inertia_add_shape_mixed(const struct dc_step_state *state,
                                              const struct dc_step_direction *direction, struct dc_step_shape *shape,
                                              struct dc_error *error)
{
  (void)error;
  for (int i = 0; i < state->model->bodies.count; i++) {
    const struct dc_body *body = &state->model->bodies.bodies[i];
    const double *l = direction->twists[i];
    if (!dc_body_moves(body))
      continue;
    double scale = mass_scale(state, i) * inverse_square_step(state), d[3], y[9], cross[9], turned[9], z[9], yt[9];
    second_difference(state, i, d);
    extrapolated_rotation(state, i, y);
    dc_mat_cross(cross, l);
    dc_mat_multiply(turned, cross, state->next[i].rotation);
    for (int k = 0; k < 9; k++)
      yt[k] = y[3 * (k % 3) + k / 3];
    dc_mat_multiply(z, yt, turned);
    shape->cotangent->mass[i] += scale * dc_vec_dot(d, l + 3);
    for (int k = 0; k < 9; k++)
      shape->cotangent->moment[i][k] -= 0.5 * scale * (z[k] + z[3 * (k % 3) + k / 3]);
    dc_vec_add_scaled(shape->rates[i], shape->rates[i], scale * body->mass, l + 3);
  }
  return DC_OK;
}

// The transposed of add_rotation_mixed.
static void add_rotation_product(const struct dc_step_state *state, int i, const double *other, double factor,
                                 const double *turn, double *out)
{
  double a[9], at[3];
  moment_product(state, i, other, a);
  dc_mat_apply_transposed(at, a, turn);
  for (int k = 0; k < 3; k++)
    out[k] += factor * ((a[0] + a[4] + a[8]) * turn[k] - at[k]);
}

// The transposed of add_scale_mixed, added to a wrench.
static void add_scale_product(const struct dc_step_state *state, int i, const struct dc_step_variation *variation,
                              double force[6])
{
  double g[6], scale = variation->input->design.body_mass_scale[i] / mass_scale(state, i);
  if (scale == 0)
    return;
  inertia_body_gradient(state, i, g);
  for (int k = 0; k < 6; k++)
    force[k] += scale * g[k];
}

// The transposed of predicted_add_mixed.
static void predicted_add_product(const struct dc_step_state *state, const struct dc_step_variation *variation,
                                  struct dc_step_forces *forces)
{
  const struct dc_bodies *bodies = &state->model->bodies;
  const double(*twists)[6] = variation->predicted.twists;
  for (int i = 0; i < bodies->count; i++) {
    if (!dc_body_moves(&bodies->bodies[i]))
      continue;
    double m = mass_scale(state, i) * bodies->bodies[i].mass * inverse_square_step(state), *force = forces->wrenches[i];
    add_rotation_product(state, i, state->predicted[i].rotation, -1, twists[i], force);
    dc_vec_add_scaled(force + 3, force + 3, -m, twists[i] + 3);
    add_scale_product(state, i, variation, force);
  }
}

// Their transposed: the change of the gradient when the frames at t and t-1 and the scale of the mass move.
static void inertia_add_product(const struct dc_step_state *state, const struct dc_step_variation *variation,
                                struct dc_step_forces *forces)
{
  double ratio = state->interval.ratio;
  if (predicts(state)) {
    predicted_add_product(state, variation, forces);
    return;
  }
  for (int i = 0; i < state->model->bodies.count; i++) {
    const struct dc_body *body = &state->model->bodies.bodies[i];
    if (!dc_body_moves(body))
      continue;
    const double *now = variation->now.twists[i], *before = variation->before.twists[i];
    double m = mass_scale(state, i) * body->mass * inverse_square_step(state), *force = forces->wrenches[i];
    add_rotation_product(state, i, state->now[i].rotation, -(1 + ratio), now, force);
    add_rotation_product(state, i, state->before[i].rotation, ratio, before, force);
    for (int k = 3; k < 6; k++)
      force[k] += m * (ratio * before[k] - (1 + ratio) * now[k]);
    add_scale_product(state, i, variation, force);
  }
}

// Positions carry rounding in proportion to their distance from the origin, entries of rotations to 1.  Seen through
// m/h^2 and through m radius^2/h^2 these are a force and a torque.
static void inertia_add_floor(const struct dc_step_state *state, struct dc_step_forces *floor)
{
  for (int i = 0; i < state->model->bodies.count; i++) {
    const struct dc_body *body = &state->model->bodies.bodies[i];
    double noise = DC_POSITION_NOISE * mass_scale(state, i) * body->mass * inverse_square_step(state);
    double position = dc_vec_norm(state->next[i].position) + body->radius;
    for (int k = 0; k < 3; k++) {
      floor->wrenches[i][k] += noise * body->radius * body->radius;
      floor->wrenches[i][3 + k] += noise * position;
    }
  }
}

// Inertia is the term that a prediction replaces, so that it owns making it at the beginning of an interval.
static enum dc_status inertia_begin(struct dc_rollout *rollout, const struct dc_step_state *state,
                                    struct dc_error *error)
{
  return predicts(state) ? dc_predict(rollout, state, error) : DC_OK;
}

static enum dc_status inertia_restore(struct dc_rollout *rollout, const struct dc_step_state *state, bool pairs,
                                      struct dc_error *error)
{
  (void)pairs;
  return inertia_begin(rollout, state, error);
}

const struct dc_step_term dc_inertia_term = {
    .name = "inertia",
    .reference = "paper 003, Eq. 14; docs/theory.md, \"Inertia\"",
    .value = inertia_value,
    .add_gradient = inertia_add_gradient,
    .add_hessian = inertia_add_hessian,
    .add_mixed = inertia_add_mixed,
    .add_shape_mixed = inertia_add_shape_mixed,
    .add_product = inertia_add_product,
    .add_floor = inertia_add_floor,
    .begin = inertia_begin,
    .restore = inertia_restore,
};

// Gravity: -m g.(x+ - x), m the part of the mass that has weight; the constant keeps the number small.  A prediction
// holds it already for all that moves; bodies on nodes have it as nodes have (terms_nodes.c).

// The weight of a body's mass, N per m/s^2.
static double heavy(const struct dc_step_state *state, int i)
{
  const struct dc_body *body = &state->model->bodies.bodies[i];
  return predicts(state) && dc_body_moves(body) ? 0 : state->kick * dc_body_heavy(body);
}

// The potential is counted from the place at t, so that bodies far from the origin lose no digits of it.
static double gravity_value(const struct dc_step_state *state)
{
  double sum = 0;
  for (int i = 0; i < state->model->bodies.count; i++) {
    double d[3];
    dc_vec_sub(d, state->next[i].position, state->now[i].position);
    sum -= mass_scale(state, i) * heavy(state, i) * dc_vec_dot(state->input->design.gravity, d);
  }
  return sum;
}

static void gravity_add_gradient(const struct dc_step_state *state, struct dc_step_forces *forces)
{
  for (int i = 0; i < state->model->bodies.count; i++)
    for (int k = 0; k < 3; k++)
      forces->wrenches[i][3 + k] -= mass_scale(state, i) * heavy(state, i) * state->input->design.gravity[k];
}

static void gravity_add_hessian(const struct dc_step_state *state, bool exact, struct dc_step_hessian *hessian)
{
  (void)state, (void)exact, (void)hessian;  // linear in the positions of the centres of mass
}

// lambda . dL/dq+ = -s w g . l with the scale s, the heavy mass w and the shift l of lambda: derivatives by s and by
// g.
static void gravity_add_mixed(const struct dc_step_state *state, const struct dc_step_direction *direction,
                              struct dc_step_cotangent *out)
{
  for (int i = 0; i < state->model->bodies.count; i++) {
    const double *l = direction->twists[i] + 3;
    out->input->design.body_mass_scale[i] -= heavy(state, i) * dc_vec_dot(l, state->input->design.gravity);
    for (int k = 0; k < 3; k++)
      out->input->design.gravity[k] -= mass_scale(state, i) * heavy(state, i) * l[k];
  }
}

// The same by the mass itself.  Designs of shapes go with euler alone, so that no prediction holds the weight here.
static enum dc_status gravity_add_shape_mixed(const struct dc_step_state *state,
                                              const struct dc_step_direction *direction, struct dc_step_shape *shape,
                                              struct dc_error *error)
{
  (void)error;
  for (int i = 0; i < state->model->bodies.count; i++)
    shape->cotangent->mass[i] -= mass_scale(state, i) * (1 - state->model->bodies.bodies[i].buoyancy) *
                                 dc_vec_dot(direction->twists[i] + 3, state->input->design.gravity);
  return DC_OK;
}

// The transposed of gravity_add_mixed.
static void gravity_add_product(const struct dc_step_state *state, const struct dc_step_variation *variation,
                                struct dc_step_forces *forces)
{
  const struct dc_design *design = &variation->input->design;
  for (int i = 0; i < state->model->bodies.count; i++)
    for (int k = 0; k < 3; k++)
      forces->wrenches[i][3 + k] -= heavy(state, i) * (design->body_mass_scale[i] * state->input->design.gravity[k] +
                                                       mass_scale(state, i) * design->gravity[k]);
}

const struct dc_step_term dc_gravity_term = {
    .name = "gravity",
    .reference = "-m g.x",
    .value = gravity_value,
    .add_gradient = gravity_add_gradient,
    .add_hessian = gravity_add_hessian,
    .add_mixed = gravity_add_mixed,
    .add_shape_mixed = gravity_add_shape_mixed,
    .add_product = gravity_add_product,
};
