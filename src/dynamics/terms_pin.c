// SPDX-License-Identifier: Apache-2.0
// The term of the step potential of pins: springs that hold nodes of soft bodies on bodies that move, or in the world.
// A node at x, its place r in a frame of origin p and rotation R, and a = R r (a = 0 at a place p of the world) give
//     k/2 |d+|^2,   d = x - p - a.
// Beside a prediction q* the spring acts by its stretches at t+1, t and t-1, with the shares s of ties (tie_shares.h)
// and the node's mass, and frames have had the force c k d of t in the prediction (prediction_pins.c), c what is due of
// a force in an interval.  Then the term is
//     s+ k/2 |d+|^2 + (s k d + s- k d-).d+ + c k d.(p+ + a+):
// the node feels n = k (s+ d+ + s d + s- d-), and the frame what n is more than predicted, y = n - c k d, which is
// small, so that it makes no error of first order that it acts along the directions at t+1. With the twist (w, t) of
// the frame, R <- exp([w]x) R, d+ changes by dx - t - w x a - w x (w x a)/2, so that node and frame have the gradients
// n and -(a x y, y), and with k' = s+ k the blocks k' I of the node, -k' ([a]x, I) between both, and of the frame
//     k' (|a|^2 I - a a^T) + (y.a) I - (y a^T + a y^T)/2 of turns,   k' [a]x of turns and shifts,   k' I of shifts,
// the second part of turns only where the Hessian is to be exact.  By euler s+ is 1, and s, s- and c are 0.
#include "dynamics/pins.h"

#include "dynamics/tie_shares.h"
#include "math/vector.h"

// A pin in a step.
struct hold {
  struct dc_pinned now, before, next;
  double stiffness, by_now, by_before, predicted;  // k', s k, s- k and c k
  double n[3], y[3];
};

// The distance and the arm of a pin at a state.
static void pin_at(const struct dc_pose *poses, const double *q, struct dc_pinned *pinned)
{
  const struct dc_pin *pin = pinned->pin;
  const double *origin = pin->place;
  dc_vec_copy(pinned->d, q + pinned->soft->q_offset + 3 * (size_t)pin->node);
  dc_vec_scale(pinned->a, pin->place, 0);
  if (pin->body >= 0) {
    dc_mat_apply(pinned->a, poses[pin->body].rotation, pin->place);
    dc_vec_sub(pinned->d, pinned->d, pinned->a);
    origin = poses[pin->body].position;
  }
  dc_vec_sub(pinned->d, pinned->d, origin);
}

// An iterator over all pins of all soft bodies; *pinned begins with zeros.
bool dc_next_pin(const struct dc_bodies *bodies, const struct dc_pose *poses, const double *q, struct dc_pinned *pinned)
{
  for (; pinned->s < bodies->soft_count; pinned->s++, pinned->p = 0)
    if (pinned->p < bodies->soft[pinned->s].pin_count) {
      pinned->soft = &bodies->soft[pinned->s];
      pinned->pin = &pinned->soft->pins[pinned->p++];
      pin_at(poses, q, pinned);
      return true;
    }
  return false;
}

// Adds scale times a force at the pin to the frame of its body; pins to places of the world have none.
void dc_pin_add_wrench(const struct dc_pinned *pinned, double scale, const double force[3], double (*wrenches)[6])
{
  double torque[3], *wrench;
  if (pinned->pin->body < 0)
    return;
  wrench = wrenches[pinned->pin->body];
  dc_vec_cross(torque, pinned->a, force);
  dc_vec_add_scaled(wrench, wrench, scale, torque);
  dc_vec_add_scaled(wrench + 3, wrench + 3, scale, force);
}

// Velocity of the pin's place with its frame, w x a + t; 0 of places of the world.
void dc_pin_rate(const struct dc_pinned *pinned, const double (*twists)[6], double rate[3])
{
  dc_vec_scale(rate, pinned->a, 0);
  if (pinned->pin->body < 0)
    return;
  dc_vec_cross(rate, twists[pinned->pin->body], pinned->a);
  dc_vec_add(rate, rate, twists[pinned->pin->body] + 3);
}

// The frame's 6 x 6 block of the head; y NULL: without the part that only the exact Hessian has.
void dc_pin_add_block(const struct dc_pinned *pinned, double k, const double *y, double block[36])
{
  const double *a = pinned->a, cross[9] = {0, -a[2], a[1], a[2], 0, -a[0], -a[1], a[0], 0};
  double square = k * dc_vec_dot(a, a) + (y ? dc_vec_dot(y, a) : 0);
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      block[6 * i + j] -= k * a[i] * a[j] + (y ? 0.5 * (y[i] * a[j] + a[i] * y[j]) : 0);
      block[6 * i + 3 + j] += k * cross[3 * i + j];
      block[6 * (3 + j) + i] += k * cross[3 * i + j];
    }
    block[7 * i] += square;
    block[7 * (3 + i)] += k;
  }
}

static int node_of(const struct dc_pinned *pinned)
{
  return pinned->soft->v_offset + 3 * pinned->pin->node;
}

// The next pin, and all that it has to do with an interval; hold begins as zeros.  false: no more.
static bool next_hold(const struct dc_step_state *state, struct hold *hold)
{
  if (!dc_next_pin(&state->model->bodies, state->next, state->q_next, &hold->next))
    return false;
  double k = hold->next.pin->stiffness;
  hold->stiffness = k;
  dc_vec_scale(hold->n, hold->next.d, k);
  dc_vec_copy(hold->y, hold->n);
  if (!state->prediction)
    return true;
  struct dc_tie_shares shares =
      dc_tie_shares_of(&state->interval, k, dc_soft_node_mass(hold->next.soft, hold->next.pin->node));
  hold->now = hold->before = hold->next;
  pin_at(state->now, state->q_now, &hold->now);
  pin_at(state->before, state->q_before, &hold->before);
  hold->stiffness = shares.next * k;
  hold->by_now = shares.now * k;
  hold->by_before = shares.before * k;
  hold->predicted = state->kick * k;
  dc_vec_scale(hold->n, hold->next.d, hold->stiffness);
  dc_vec_add_scaled(hold->n, hold->n, hold->by_now, hold->now.d);
  dc_vec_add_scaled(hold->n, hold->n, hold->by_before, hold->before.d);
  dc_vec_copy(hold->y, hold->n);
  dc_vec_add_scaled(hold->y, hold->y, -hold->predicted, hold->now.d);
  return true;
}

#define FOR_EACH_PIN(hold, state) for (struct hold all_ = {.n = {0}}, *hold = &all_; next_hold(state, hold);)

// The linear parts are counted from t, so that they stay small.
static double value(const struct dc_step_state *state)
{
  double sum = 0;
  FOR_EACH_PIN(hold, state)
  {
    double change[3], way[3] = {0};
    sum += 0.5 * hold->stiffness * dc_vec_dot(hold->next.d, hold->next.d);
    if (!state->prediction)
      continue;
    dc_vec_sub(change, hold->next.d, hold->now.d);
    sum += hold->by_now * dc_vec_dot(hold->now.d, change) + hold->by_before * dc_vec_dot(hold->before.d, change);
    if (hold->next.pin->body < 0)
      continue;
    dc_vec_sub(way, state->next[hold->next.pin->body].position, state->now[hold->next.pin->body].position);
    dc_vec_add(way, way, hold->next.a);
    dc_vec_sub(way, way, hold->now.a);
    sum += hold->predicted * dc_vec_dot(hold->now.d, way);
  }
  return sum;
}

static void add_gradient(const struct dc_step_state *state, struct dc_step_forces *forces)
{
  FOR_EACH_PIN(hold, state)
  {
    double *node = forces->joints + node_of(&hold->next);
    dc_vec_add(node, node, hold->n);
    dc_pin_add_wrench(&hold->next, -1, hold->y, forces->wrenches);
  }
}

// Three blocks of each pin: node, node with frame, and frame; a pin to a place of the world has the first alone.
static void add_hessian(const struct dc_step_state *state, bool exact, struct dc_step_hessian *hessian)
{
  const struct dc_bodies *bodies = &state->model->bodies;
  FOR_EACH_PIN(hold, state)
  {
    double k = hold->stiffness;
    const double *a = hold->next.a, own[9] = {k, 0, 0, 0, k, 0, 0, 0, k};
    const double rows[6][3] = {{0, k * a[2], -k * a[1]},
                               {-k * a[2], 0, k * a[0]},
                               {k * a[1], -k * a[0], 0},
                               {-k, 0, 0},
                               {0, -k, 0},
                               {0, 0, -k}};
    int node = dc_node_block(bodies, hold->next.soft, hold->next.pin->node), body = hold->next.pin->body;
    dc_symmetric_add_block(hessian->matrix, node, node, 1, own, 3);
    if (body < 0)
      continue;
    dc_assemble_node(hessian->assembler, hessian->kinematics, body, node, rows, hessian->matrix);
    dc_pin_add_block(&hold->next, k, exact ? hold->y : NULL, hessian->blocks[body]);
  }
}

// By the stretches at t and t-1, of which the gradient is a linear function: node and frame gain s k d + s- k d- along
// the rate of d+, frames also c k d along that of their points.
static void add_mixed(const struct dc_step_state *state, const struct dc_step_direction *direction,
                      struct dc_step_cotangent *out)
{
  if (!state->prediction)
    return;
  FOR_EACH_PIN(hold, state)
  {
    int v = node_of(&hold->next);
    double point[3], rate[3], by_now[3], by_before[3];
    dc_pin_rate(&hold->next, direction->twists, point);
    dc_vec_sub(rate, direction->joints + v, point);
    dc_vec_scale(by_now, rate, hold->by_now);
    if (hold->next.pin->body >= 0)
      dc_vec_add_scaled(by_now, by_now, hold->predicted, point);
    dc_vec_scale(by_before, rate, hold->by_before);
    dc_vec_add(out->now.joints + v, out->now.joints + v, by_now);
    dc_vec_add(out->before.joints + v, out->before.joints + v, by_before);
    dc_pin_add_wrench(&hold->now, -1, by_now, out->now.wrenches);
    dc_pin_add_wrench(&hold->before, -1, by_before, out->before.wrenches);
  }
}

// The stretches at t and t-1 push the node; the frame feels what the node gets more than was predicted.  By euler
// nothing of the past acts.
static void add_product(const struct dc_step_state *state, const struct dc_step_variation *variation,
                        struct dc_step_forces *forces)
{
  if (!state->prediction)
    return;
  FOR_EACH_PIN(hold, state)
  {
    int v = node_of(&hold->next);
    double now[3], before[3], change[3];
    dc_pin_rate(&hold->now, variation->now.twists, now);
    dc_pin_rate(&hold->before, variation->before.twists, before);
    dc_vec_sub(now, variation->now.joints + v, now);
    dc_vec_sub(before, variation->before.joints + v, before);
    dc_vec_scale(change, now, hold->by_now);
    dc_vec_add_scaled(change, change, hold->by_before, before);
    dc_vec_add(forces->joints + v, forces->joints + v, change);
    dc_vec_add_scaled(change, change, -hold->predicted, now);
    dc_pin_add_wrench(&hold->next, -1, change, forces->wrenches);
  }
}

// Rounding of the node's place and of the arm, seen through the stiffness.
static void add_floor(const struct dc_step_state *state, struct dc_step_forces *floor)
{
  FOR_EACH_PIN(hold, state)
  {
    const struct dc_pin *pin = hold->next.pin;
    const double *x = state->q_next + hold->next.soft->q_offset + 3 * (size_t)pin->node;
    double arm = dc_vec_norm(hold->next.a), noise = DC_POSITION_NOISE * pin->stiffness * (dc_vec_norm(x) + arm),
           *node = floor->joints + node_of(&hold->next);
    for (int k = 0; k < 3; k++) {
      node[k] += noise;
      if (pin->body < 0)
        continue;
      floor->wrenches[pin->body][k] += noise * arm;
      floor->wrenches[pin->body][3 + k] += noise;
    }
  }
}

const struct dc_step_term dc_pin_term = {
    .name = "pins",
    .reference = "docs/theory.md, \"Soft bodies\"",
    .value = value,
    .add_gradient = add_gradient,
    .add_hessian = add_hessian,
    .add_mixed = add_mixed,
    .add_product = add_product,
    .add_floor = add_floor,
};
