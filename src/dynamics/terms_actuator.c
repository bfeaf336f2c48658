// SPDX-License-Identifier: Apache-2.0
// Actuators (paper 003, Eq. 5, conventional gains).  A length or angle q with target y = q_0 + p and velocity v:
//     kp/2 (y - q+)^2 + kd h/2 (v - (q+ - q)/h)^2.
// p is the target at the end of a step, approached with the velocity v: where an interval ends s before the end of a
// divided step, p - s v takes its place, and exp(-s [v]x) exp([p]x) that of exp([p]x).
// The force on a length or angle may have a limit L and hold the weight of what hangs on the joint, c
// (dynamics/weight.h) at the start of the interval: with s = kp (y - q+) + kd (v - (q+ - q)/h) + c and k = kp + kd/h
// the energy is
//     S(s)/k,   force S'(s),
// S the saturation of dynamics/saturation.h, s^2/2 without a limit; for k = 0 it is -S'(c) (q+ - q).
// With the integrator "second_order" the force on a length or angle is that of the middle of the interval,
// (q + q+)/2, half of it as a part of the prediction q* (prediction.c), which asks for it by halves of intervals.  What
// is left of it here is how it gives way to contact: the same force at q+ in place of q*.  With s+ and s* what is asked
// for in the middle before the limit, s+ = s* - kappa (q+ - q*), kappa = kp/2 + kd/h,
//     (S(s+) - S(s*))/(2 kappa) + S'(s*)/2 (q+ - q*),
// kappa/4 (q+ - q*)^2 without a limit: what a drive meets feels no more than the limit.
// A rotation R with target Y = exp([p]x) R_0 and Z = exp(h [v]x) R:
//     kp/2 (3 - tr(R+ Y^T)) + kd/(2h) (3 - tr(R+ Z^T)),
// kp/2 |angle|^2 for small angles and smooth for all.  With A = R+ Y^T, for R+ <- exp([w]x) R+ and Y <- exp([y]x) Y,
//     d(-tr A)/dw = (A_21 - A_12, A_02 - A_20, A_10 - A_01),  d2(-tr A)/dw2 = tr(A) I - sym(A),
//     d2(-tr A)/(dw dy) = -(tr(A) I - A^T).
#include <math.h>
#include <string.h>

#include "dynamics/actuator_internal.h"
#include "dynamics/saturation.h"
#include "dynamics/step.h"
#include "dynamics/weight.h"
#include "math/rotation.h"
#include "math/vector.h"

// Calls visit for every drive of the model.
void dc_visit_drives(const struct dc_rollout_input *input,
                     void (*visit)(struct drive_context *context, const struct drive *drive),
                     struct drive_context *context)
{
  const struct dc_model *model = context->model;
  for (int i = 0; i < model->bodies.count; i++) {
    const struct dc_body *body = &model->bodies.bodies[i];
    for (int p = 0; p < body->part_count && body->pd; p++) {
      const struct dc_joint_part *part = &body->parts[p];
      bool turns = part->kind == DC_PART_BALL || part->kind == DC_PART_HINGE;
      size_t row = (size_t)context->interval.step * (size_t)model->bodies.actuator_count;
      for (int k = 0; k < (part->kind == DC_PART_BALL ? 1 : dc_part_nv(part)); k++) {
        int actuator = body->actuator + part->v - body->v_offset + k;
        struct drive drive = {.part = part,
                              .component = k,
                              .kp = input->design.kp_scale[i] * dc_pd_kp(body->pd, part->v - body->v_offset + k, turns),
                              .kd = input->design.kd_scale[i] * dc_pd_kd(body->pd, part->v - body->v_offset + k, turns),
                              .kp_scale = input->design.kp_scale[i],
                              .kd_scale = input->design.kd_scale[i],
                              .position = input->target_position + row + actuator,
                              .velocity = input->target_velocity + row + actuator,
                              .body = i,
                              .actuator = actuator,
                              .effort = body->pd->effort,
                              .holds = body->pd->gravity_compensation && dc_part_nv(part) == 1};
        if (body->pd->kp_each.count && !(drive.kp > 0) && !(drive.kd > 0))
          continue;  // passive
        if (!context->half || part->kind != DC_PART_BALL)
          visit(context, &drive);
      }
    }
  }
}

// The two targets of a ball: Y and Z as rotation matrices.
static void ball_targets(const struct drive_context *c, const struct drive *drive, double y[9], double z[9])
{
  double turn[3], quaternion[4], back[4];
  dc_rotation_exp(quaternion, drive->position);
  dc_rotation_multiply(quaternion, quaternion, c->model->bodies.initial_q + drive->part->q);
  if (c->interval.remaining > 0) {
    dc_vec_scale(turn, drive->velocity, -c->interval.remaining);
    dc_rotation_exp(back, turn);
    dc_rotation_multiply(quaternion, back, quaternion);
  }
  dc_rotation_matrix(y, quaternion);
  dc_vec_scale(turn, drive->velocity, c->interval.length);
  dc_rotation_exp(quaternion, turn);
  dc_rotation_multiply(quaternion, quaternion, c->q_now + drive->part->q);
  dc_rotation_matrix(z, quaternion);
}

// A = kp/2 R+ Y^T and kd/(2h) R+ Z^T.
void dc_drive_ball(const struct drive_context *c, const struct drive *drive, double a_position[9], double a_velocity[9])
{
  double y[9], z[9], r[9];
  ball_targets(c, drive, y, z);
  dc_rotation_matrix(r, c->q_next + drive->part->q);
  dc_mat_multiply_transposed(a_position, r, y);
  dc_mat_multiply_transposed(a_velocity, r, z);
  for (int k = 0; k < 9; k++) {
    a_position[k] *= 0.5 * drive->kp;
    a_velocity[k] *= 0.5 * drive->kd / c->interval.length;
  }
}

void dc_drive_axial(const double a[9], double g[3])
{
  g[0] = a[7] - a[5];
  g[1] = a[2] - a[6];
  g[2] = a[3] - a[1];
}

// The time from where a drive is seen, the end of the interval or its middle, to the end of the step.
static double time_left(const struct drive_context *c)
{
  return c->interval.remaining + (c->middle ? 0.5 * c->interval.length : 0);
}

// Differences from the targets of a length or angle at the end of the interval, or in its middle.
void dc_drive_errors(const struct drive_context *c, const struct drive *drive, double *position, double *velocity)
{
  int at = drive->part->q + drive->component;
  double target = *drive->position - time_left(c) * *drive->velocity,
         place = c->middle ? 0.5 * (c->q_now[at] + c->q_next[at]) : c->q_next[at];
  *position = dc_target_origin(&c->model->bodies, drive->part, drive->component) + target - place;
  *velocity = drive->part->target_velocity + *drive->velocity - (c->q_next[at] - c->q_now[at]) / c->interval.length;
}

bool dc_drive_is_plain(const struct drive *drive)
{
  return !drive->holds && !(drive->effort > 0);
}

static struct dc_weight weight_at(const struct drive_context *c)
{
  return (struct dc_weight){c->model, c->design, c->q_now, c->now_poses, c->now_axes};
}

// The weight that a drive holds.
static double held_by(const struct drive_context *c, const struct drive *drive)
{
  struct dc_weight weight = weight_at(c);
  if (!drive->holds)
    return 0;
  return c->held ? c->held[drive->part->v] : dc_weight_hold(&weight, drive->body, drive->part->v);
}

// The force of a length or angle, as asked for and limited.
struct dc_saturated dc_drive_law(const struct drive_context *c, const struct drive *drive)
{
  double position, velocity;
  dc_drive_errors(c, drive, &position, &velocity);
  return dc_saturate(drive->effort, drive->kp * position + drive->kd * velocity + held_by(c, drive));
}

// Whether all that is left of a drive is how it gives way.
static bool gives_way(const struct drive_context *c, const struct drive *drive)
{
  return c->predicted && drive->part->kind != DC_PART_BALL;
}

// The force of a length or angle seen from one place: errors of position and velocity, the time that is left of the
// step there, how what is asked for falls with q(t), and the slope of the force by it.
struct view {
  double position, velocity, remaining, by_now, slope;
};

// How a drive gives way beside a prediction: q+ - q*, kappa, and the force in the middle of the interval to either.
struct given {
  double way, kappa;
  struct view predicted, next;
  struct dc_saturated at_predicted, at_next;
};

// Errors at the prediction and at q+, both of the middle of the interval, and what the limit leaves of the force that
// they ask for.
static struct given give(const struct drive_context *c, const struct drive *drive)
{
  int at = drive->part->q + drive->component;
  double h = c->interval.length, position, velocity;
  struct drive_context middle = *c;
  struct given given = {.way = c->q_next[at] - c->predicted[at], .kappa = 0.5 * drive->kp + drive->kd / h};
  middle.q_next = c->predicted;
  middle.interval.remaining += 0.5 * h;
  dc_drive_errors(&middle, drive, &position, &velocity);
  position += 0.5 * (c->predicted[at] - c->q_now[at]);
  double asked = drive->kp * position + drive->kd * velocity + held_by(c, drive);
  given.at_predicted = dc_saturate(drive->effort, asked);
  given.at_next = dc_saturate(drive->effort, asked - given.kappa * given.way);
  given.predicted = (struct view){position, velocity, middle.interval.remaining, drive->kd / h - 0.5 * drive->kp,
                                  given.at_predicted.slope};
  given.next = given.predicted;
  given.next.position -= 0.5 * given.way;
  given.next.velocity -= given.way / h;
  given.next.slope = given.at_next.slope;
  return given;
}

// Value of one drive: quadratic in the error of position and of velocity; with a limit of effort the saturated law of a
// spring of stiffness kp + kd/h.
static void drive_value(struct drive_context *c, const struct drive *drive)
{
  if (gives_way(c, drive)) {
    struct given given = give(c, drive);
    c->value += drive->effort > 0 && given.kappa > 0
                    ? 0.5 * ((given.at_next.value - given.at_predicted.value) / given.kappa +
                             given.at_predicted.force * given.way)
                    : 0.25 * given.kappa * given.way * given.way;
    return;
  }
  if (drive->part->kind == DC_PART_BALL) {
    double y[9], z[9], r[9], sum[2] = {0, 0};
    ball_targets(c, drive, y, z);
    dc_rotation_matrix(r, c->q_next + drive->part->q);
    for (int k = 0; k < 9; k++) {  // 3 - tr(R Y^T) = |R - Y|^2 / 2
      sum[0] += (r[k] - y[k]) * (r[k] - y[k]);
      sum[1] += (r[k] - z[k]) * (r[k] - z[k]);
    }
    c->value += 0.25 * (drive->kp * sum[0] + drive->kd / c->interval.length * sum[1]);
    return;
  }
  double position, velocity, stiffness = drive->kp + drive->kd / c->interval.length;
  if (!dc_drive_is_plain(drive)) {
    struct dc_saturated law = dc_drive_law(c, drive);
    int at = drive->part->q + drive->component;
    c->value += stiffness > 0 ? law.value / stiffness : -law.force * (c->q_next[at] - c->q_now[at]);
    return;
  }
  dc_drive_errors(c, drive, &position, &velocity);
  c->value += 0.5 * (drive->kp * position * position + drive->kd * c->interval.length * velocity * velocity);
}

// The context of a state of a step, to which callers add where results go.
static struct drive_context of_state(const struct dc_step_state *state)
{
  return (struct drive_context){.model = state->model,
                                .design = &state->input->design,
                                .now_poses = state->now,
                                .now_axes = state->half ? NULL : state->axes_now,
                                .held = state->half ? NULL : state->held,
                                .interval = state->interval,
                                .q_now = state->q_now,
                                .q_next = state->q_next,
                                .half = state->half,
                                .predicted = state->half ? NULL : state->q_predicted};
}

// The weights that drives hold do not change within an interval.
static enum dc_status actuator_begin(struct dc_rollout *rollout, const struct dc_step_state *state,
                                     struct dc_error *error)
{
  const struct dc_bodies *bodies = &state->model->bodies;
  bool holds = false;
  (void)error;
  for (int i = 0; i < bodies->count; i++)
    holds |= bodies->bodies[i].pd && bodies->bodies[i].pd->gravity_compensation;
  const struct dc_weight weight = {state->model, &state->input->design, state->q_now, state->now, state->axes_now};
  if (holds)
    dc_weight_hold_all(&weight, rollout->newton.held);
  return DC_OK;
}

static enum dc_status actuator_restore(struct dc_rollout *rollout, const struct dc_step_state *state, bool pairs,
                                       struct dc_error *error)
{
  (void)pairs;
  return actuator_begin(rollout, state, error);
}

static double actuator_value(const struct dc_step_state *state)
{
  struct drive_context c = of_state(state);
  dc_visit_drives(state->input, drive_value, &c);
  return c.value;
}

// Adds the gradient of one drive.
static void drive_gradient(struct drive_context *c, const struct drive *drive)
{
  double *force = c->forces + drive->part->v + drive->component;
  if (gives_way(c, drive)) {
    struct given given = give(c, drive);
    *force += 0.5 * (given.at_predicted.force - given.at_next.force);
    return;
  }
  if (drive->part->kind == DC_PART_BALL) {
    double a[9], b[9], g[3];
    dc_drive_ball(c, drive, a, b);
    dc_drive_axial(a, g);
    dc_vec_add(force, force, g);
    dc_drive_axial(b, g);
    dc_vec_add(force, force, g);
    return;
  }
  double position, velocity;
  dc_drive_errors(c, drive, &position, &velocity);
  *force -= dc_drive_is_plain(drive) ? drive->kp * position + drive->kd * velocity : dc_drive_law(c, drive).force;
}

static void actuator_add_gradient(const struct dc_step_state *state, struct dc_step_forces *forces)
{
  struct drive_context c = of_state(state);
  c.forces = forces->joints;
  dc_visit_drives(state->input, drive_gradient, &c);
}

static void ball_hessian(const double a[9], const double b[9], double block[9])
{
  double trace = a[0] + a[4] + a[8] + b[0] + b[4] + b[8];
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++)
      block[3 * i + k] = (i == k ? trace : 0) - 0.5 * (a[3 * i + k] + a[3 * k + i] + b[3 * i + k] + b[3 * k + i]);
}

// Adds the Hessian of one drive to the matrix.
static void drive_hessian(struct drive_context *c, const struct drive *drive)
{
  double block[9] = {drive->kp + drive->kd / c->interval.length};
  int n = 1;
  if (gives_way(c, drive)) {
    struct given given = give(c, drive);
    block[0] = 0.5 * given.kappa * given.at_next.slope;
  } else if (drive->part->kind != DC_PART_BALL && !dc_drive_is_plain(drive))
    block[0] *= dc_drive_law(c, drive).slope;
  if (drive->part->kind == DC_PART_BALL) {
    double a[9], b[9];
    dc_drive_ball(c, drive, a, b);
    n = 3;
    if (c->exact)
      ball_hessian(a, b, block);
    else  // at R+ = Y = Z
      for (int k = 0; k < 9; k++)
        block[k] = k % 4 ? 0 : drive->kp + drive->kd / c->interval.length;
  }
  dc_assemble_joint(c->hessian->assembler, drive->body, drive->part->v + drive->component, n, block,
                    c->hessian->matrix);
}

static void drive_curvature(struct drive_context *c, const struct drive *drive)
{
  double slope = dc_drive_is_plain(drive) ? 1 : dc_drive_law(c, drive).slope;
  c->forces[drive->part->v + drive->component] += slope * (drive->kp + drive->kd / c->interval.length);
}

void dc_actuator_add_curvature(const struct dc_step_state *state, double *diagonal)
{
  struct drive_context c = of_state(state);
  c.forces = diagonal;
  dc_visit_drives(state->input, drive_curvature, &c);
}

static void actuator_add_hessian(const struct dc_step_state *state, bool exact, struct dc_step_hessian *hessian)
{
  struct drive_context c = of_state(state);
  c.hessian = hessian;
  c.exact = exact;
  dc_visit_drives(state->input, drive_hessian, &c);
}

void dc_drive_direction(const struct drive_context *c, const struct drive *drive, double l[3])
{
  const double *from = c->lambda + (c->by_actuator ? drive->actuator : drive->part->v + drive->component);
  for (int k = 0; k < (drive->part->kind == DC_PART_BALL ? 3 : 1); k++)
    l[k] = c->by_actuator ? -from[k] : from[k];
}

// -(tr(A) I - A) l: the derivative along l of the gradient, by the turn of Y.
static void turn_of_target(const double a[9], const double *l, double y[3])
{
  double al[3];
  dc_mat_apply(al, a, l);
  for (int k = 0; k < 3; k++)
    y[k] = al[k] - (a[0] + a[4] + a[8]) * l[k];
}

// Cotangents of the targets of a ball from that of the turn of Y; a turn d of exp([p]x) R_0 turns Y by exp(-s [v]x) d.
static void position_target_mixed(const struct drive_context *c, const struct drive *drive, const double turn_y[3],
                                  double *position, double *velocity)
{
  double jacobian[9], part[3], turn[3], quaternion[4], matrix[9], left = c->interval.remaining;
  dc_vec_copy(part, turn_y);
  if (left > 0) {
    dc_vec_scale(turn, drive->velocity, -left);
    dc_rotation_left_jacobian(jacobian, turn);
    dc_mat_apply_transposed(part, jacobian, turn_y);
    dc_vec_add_scaled(velocity, velocity, -left, part);
    dc_rotation_exp(quaternion, turn);
    dc_rotation_matrix(matrix, quaternion);
    dc_mat_apply_transposed(part, matrix, turn_y);
  }
  dc_rotation_left_jacobian(jacobian, drive->position);
  dc_mat_apply_transposed(turn, jacobian, part);
  dc_vec_add(position, position, turn);
}

// Mixed derivatives of a ball's drive by its targets, which are rotation vectors, and by the rotation at t.
static void ball_mixed(struct drive_context *c, const struct drive *drive)
{
  double l[3], h = c->interval.length, a[9], b[9], y[3], g[3], jacobian[9], part[3], turn[3], quaternion[4], matrix[9];
  size_t row = (size_t)c->interval.step * (size_t)c->model->bodies.actuator_count + (size_t)drive->actuator;
  double *position = c->cotangent->target_position + row, *velocity = c->cotangent->target_velocity + row;
  dc_drive_direction(c, drive, l);
  dc_drive_ball(c, drive, a, b);
  turn_of_target(a, l, y);
  position_target_mixed(c, drive, y, position, velocity);
  turn_of_target(b, l, y);
  dc_vec_scale(turn, drive->velocity, h);
  dc_rotation_left_jacobian(jacobian, turn);
  dc_mat_apply_transposed(part, jacobian, y);
  dc_vec_add_scaled(velocity, velocity, h, part);
  dc_rotation_exp(quaternion, turn);
  dc_rotation_matrix(matrix, quaternion);
  dc_mat_apply_transposed(part, matrix, y);  // a turn d of R turns Z by exp(h [v]x) d
  dc_vec_add(c->now + drive->part->v, c->now + drive->part->v, part);
  dc_drive_axial(a, g);
  c->cotangent->design.kp_scale[drive->body] += dc_vec_dot(g, l) / drive->kp_scale;
  dc_drive_axial(b, g);
  c->cotangent->design.kd_scale[drive->body] += dc_vec_dot(g, l) / drive->kd_scale;
}

// The same from the end of the interval, or from its middle.
static struct view view_of(const struct drive_context *c, const struct drive *drive)
{
  struct view view = {.remaining = time_left(c), .by_now = drive->kd / c->interval.length, .slope = 1};
  if (c->middle)
    view.by_now -= 0.5 * drive->kp;
  dc_drive_errors(c, drive, &view.position, &view.velocity);
  if (!dc_drive_is_plain(drive))
    view.slope = dc_drive_law(c, drive).slope;
  return view;
}

// Derivatives of minus the force, times l, by targets, gains, weights and q(t).
static void add_view_mixed(struct drive_context *c, const struct drive *drive, const struct view *view, double l)
{
  int v = drive->part->v + drive->component;
  size_t row = (size_t)c->interval.step * (size_t)c->model->bodies.actuator_count + (size_t)drive->actuator;
  l *= view->slope;
  if (drive->holds) {
    struct dc_weight weight = weight_at(c);
    dc_weight_pull_back(&weight, drive->body, v, -l, c->now, &c->cotangent->design);
  }
  c->cotangent->target_position[row] -= drive->kp * l;
  c->cotangent->target_velocity[row] -= (drive->kd - drive->kp * view->remaining) * l;
  c->now[v] -= view->by_now * l;
  c->cotangent->design.kp_scale[drive->body] -= drive->kp / drive->kp_scale * view->position * l;
  c->cotangent->design.kd_scale[drive->body] -= drive->kd / drive->kd_scale * view->velocity * l;
}

// Derivatives of (gradient by q+) . lambda by targets, gains and q(t).
void dc_drive_mixed(struct drive_context *c, const struct drive *drive)
{
  if (drive->part->kind == DC_PART_BALL) {
    ball_mixed(c, drive);
    return;
  }
  double direction[3];
  dc_drive_direction(c, drive, direction);
  if (gives_way(c, drive)) {
    struct given given = give(c, drive);
    c->by_predicted[drive->part->v + drive->component] -= 0.5 * given.kappa * given.at_predicted.slope * direction[0];
    add_view_mixed(c, drive, &given.predicted, -0.5 * direction[0]);
    add_view_mixed(c, drive, &given.next, 0.5 * direction[0]);
    return;
  }
  struct view view = view_of(c, drive);
  add_view_mixed(c, drive, &view, direction[0]);
}

static void actuator_add_mixed(const struct dc_step_state *state, const struct dc_step_direction *direction,
                               struct dc_step_cotangent *out)
{
  struct drive_context c = of_state(state);
  c.lambda = direction->joints;
  c.now = out->now.joints;
  c.by_predicted = out->predicted.joints;
  c.cotangent = out->input;
  dc_visit_drives(state->input, dc_drive_mixed, &c);
}

// The transposed of turn_of_target, added to a force.
static void add_turn_of_target(const double a[9], const double *turn, double *force)
{
  double at[3];
  dc_mat_apply_transposed(at, a, turn);
  for (int k = 0; k < 3; k++)
    force[k] += at[k] - (a[0] + a[4] + a[8]) * turn[k];
}

// exp([w]x) d + J(w) e
static void turned_sum(const double *w, const double *d, const double *e, double *sum)
{
  double quaternion[4], matrix[9], part[3];
  dc_rotation_exp(quaternion, w);
  dc_rotation_matrix(matrix, quaternion);
  dc_mat_apply(sum, matrix, d);
  dc_rotation_left_jacobian(matrix, w);
  dc_mat_apply(part, matrix, e);
  dc_vec_add(sum, sum, part);
}

// The transposed of ball_mixed: turns of Y = exp(-s [v]x) exp([p]x) R_0 and of Z = exp(h [v]x) R, and gains.
static void ball_product(struct drive_context *c, const struct drive *drive, const double *position,
                         const double *velocity, double kp, double kd)
{
  double a[9], b[9], g[3], jacobian[9], w[3], part[3], turn[3], *force = c->forces + drive->part->v;
  dc_drive_ball(c, drive, a, b);
  dc_rotation_left_jacobian(jacobian, drive->position);
  dc_mat_apply(turn, jacobian, position);
  if (c->interval.remaining > 0) {
    dc_vec_scale(w, drive->velocity, -c->interval.remaining);
    dc_vec_scale(part, velocity, -c->interval.remaining);
    turned_sum(w, (const double[3]){turn[0], turn[1], turn[2]}, part, turn);
  }
  add_turn_of_target(a, turn, force);
  dc_vec_scale(w, drive->velocity, c->interval.length);
  dc_vec_scale(part, velocity, c->interval.length);
  turned_sum(w, c->moved + drive->part->v, part, turn);
  add_turn_of_target(b, turn, force);
  dc_drive_axial(a, g);
  dc_vec_add_scaled(force, force, kp / drive->kp_scale, g);
  dc_drive_axial(b, g);
  dc_vec_add_scaled(force, force, kd / drive->kd_scale, g);
}

// The change of the force by those of targets, gains, weights and q(t).
static double view_product(const struct drive_context *c, const struct drive *drive, const struct view *view)
{
  size_t row = (size_t)c->interval.step * (size_t)c->model->bodies.actuator_count + (size_t)drive->actuator;
  const double *position = c->input->target_position + row, *velocity = c->input->target_velocity + row;
  int v = drive->part->v + drive->component;
  double change = drive->kp * (*position - view->remaining * *velocity) + drive->kd * *velocity +
                  view->by_now * c->moved[v] +
                  drive->kp / drive->kp_scale * view->position * c->input->design.kp_scale[drive->body] +
                  drive->kd / drive->kd_scale * view->velocity * c->input->design.kd_scale[drive->body];
  if (drive->holds) {
    struct dc_weight weight = weight_at(c);
    change += dc_weight_push_forward(&weight, drive->body, v, c->moved, &c->input->design);
  }
  return view->slope * change;
}

// The transposed of drive_mixed.
static void drive_product(struct drive_context *c, const struct drive *drive)
{
  if (drive->part->kind == DC_PART_BALL) {
    size_t row = (size_t)c->interval.step * (size_t)c->model->bodies.actuator_count + (size_t)drive->actuator;
    ball_product(c, drive, c->input->target_position + row, c->input->target_velocity + row,
                 c->input->design.kp_scale[drive->body], c->input->design.kd_scale[drive->body]);
    return;
  }
  int v = drive->part->v + drive->component;
  if (gives_way(c, drive)) {
    struct given given = give(c, drive);
    c->forces[v] += 0.5 * (view_product(c, drive, &given.predicted) - view_product(c, drive, &given.next)) -
                    0.5 * given.kappa * given.at_predicted.slope * c->moved_predicted[v];
    return;
  }
  struct view view = view_of(c, drive);
  c->forces[v] -= view_product(c, drive, &view);
}

static void actuator_add_product(const struct dc_step_state *state, const struct dc_step_variation *variation,
                                 struct dc_step_forces *forces)
{
  struct drive_context c = of_state(state);
  c.forces = forces->joints;
  c.moved = variation->now.joints;
  c.moved_predicted = variation->predicted.joints;
  c.input = variation->input;
  dc_visit_drives(state->input, drive_product, &c);
}

// Rounding of a coordinate seen through the stiffness of its actuator.
static void actuator_add_floor(const struct dc_step_state *state, struct dc_step_forces *floor)
{
  const struct dc_bodies *bodies = &state->model->bodies;
  double h = state->interval.length;
  for (int i = 0; i < bodies->count; i++) {
    const struct dc_body *body = &bodies->bodies[i];
    for (int p = 0; p < body->part_count && body->pd; p++) {
      const struct dc_joint_part *part = &body->parts[p];
      bool turns = part->kind == DC_PART_BALL || part->kind == DC_PART_HINGE;
      int first = part->v - body->v_offset;
      double stiffness = state->input->design.kp_scale[i] * dc_pd_kp(body->pd, first, turns) +
                         state->input->design.kd_scale[i] * dc_pd_kd(body->pd, first, turns) / h;
      for (int k = 0; k < dc_part_nv(part); k++)
        floor->joints[part->v + k] +=
            DC_POSITION_NOISE * stiffness * (1 + (part->kind == DC_PART_BALL ? 0 : fabs(state->q_next[part->q + k])));
    }
  }
}

const struct dc_step_term dc_actuator_term = {
    .name = "actuators",
    .reference = "paper 003, Eq. 5; docs/theory.md, \"Actuators\"",
    .value = actuator_value,
    .add_gradient = actuator_add_gradient,
    .add_hessian = actuator_add_hessian,
    .add_mixed = actuator_add_mixed,
    .add_product = actuator_add_product,
    .add_floor = actuator_add_floor,
    .begin = actuator_begin,
    .restore = actuator_restore,
};
