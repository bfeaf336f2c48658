// SPDX-License-Identifier: Apache-2.0
// The motion of an interval without contact, by the discrete principle of least action (docs/theory.md, "Second
// order").  It is that of Moser and Veselov (1991) for a free body and SHAKE (Ryckaert, Ciccotti and Berendsen 1977)
// for what joints hold, in the 3x4 poses T with the moments W of the solids.  With r the length h of the interval over
// that of the one before and T* the frames at the predicted coordinates q*, G(q*; q, q-) = 0 with
//     G = J(q)^T [W (T* - T - r (T - T-)) - h (h + h-)/2 f],
// J the derivative of the frames by the coordinates and f gravity.  From a velocity v there is no interval before:
//     G = J(q)^T [W (T* - T - r (T(q + h v) - T(q - h v))/2) - h^2/2 f].
// Actuators, springs and damping of lengths and angles push with the force F of the middle of an interval, half of it
// at its beginning and half at its end.  G gains
//     -h/2 (h F(q, q*) + h- F(q-, q)),   F(a, b) = kp (y - (a + b)/2) + kd (v - (b - a)/h), limited
// (prediction_halves.c).  An armature a is inertia of a coordinate: a (q* - q - r (q - q-)).  Ties push along their
// directions at q, with the mean of what they are stretched by at all three states (prediction_ties.c), and so do
// couplings (prediction_couplings.c).  Pins of soft bodies push with what they are stretched by at t
// (prediction_pins.c). Without these both are J(q)^T of a sum over partners p of T with coefficients c_p,
//     G = J(q)^T [sum c_p W (T_p - T) - k f]:   T* with 1, T- with r; or T- with r/2 and T(q + h v) with -r/2.
// With A = R_p M R^T the wrench of a partner is c_p (axial(A); m (x_p - x)), where axial(A) = (A_21 - A_12, ...).  Its
// derivative by the twist (w; t) of the partner is c_p ((tr(A) I - A) w; m t), and by that of T, whose chart is
// exponential, -c_p ((tr(A) I - sym(A)) w; m t), to which the second derivative of the frames along joints comes
// (assembler.c).  Newton's method solves for q*, block by block: a block is a mechanism, or all between the first and
// the last of those that ties hold together.
#include "dynamics/prediction.h"

#include <math.h>
#include <string.h>

#include "dynamics/prediction_parts.h"
#include "math/general.h"
#include "math/rotation.h"
#include "math/vector.h"

enum { MOST_ITERATIONS = 50 };
static const double LEAST_PART = 1e-3;  // of a step of Newton's method that is tried
// Newton's steps, rad or m, behind which the error of the next iterate is rounding.
static const double LAST_STEP = 1e-9;
// The cosine of the largest turn in an interval that is followed: sines of angles tell them up to a right angle only.
static const double LEAST_COSINE = 0.36;

// The frames T_p that those at t are compared with, and the coefficients c_p of their differences (head of the file):
// the predicted ones T*, those before T-, and those ahead T(q + h v), which stand in for an interval before the start.
// A coefficient of 0 leaves its frames out.
struct partners {
  const struct dc_pose *poses[3];  // [bodies], by PREDICTED, BEFORE, AHEAD
  double coefficients[3];
};
enum { PREDICTED, BEFORE, AHEAD };

struct dc_prediction {
  double *q, *ahead_q;               // [nq]
  struct dc_kinematics next, ahead;  // at q, and at q(t) moved on by the velocity that an interval starts with
  const struct dc_kinematics *now;   // of the rollout
  struct partners partners;
  double kick;  // s^2, of gravity
  struct dc_halves halves;
  double *armature;                                               // [nv] kg or kg m^2, of the coordinates alone
  double *vector, *column, *units;                                // [nv]
  double (*twists)[6], (*wrenches)[6], (*total)[6], (*given)[6];  // [bodies]; total: the wrenches of G but for ties
  double (*tied)[6];                                              // [bodies] those of ties and pins; NULL: there are none
  double *forces;                                                 // [nv] given with them
  double *start, *step;                                           // [nq], [nv] of Newton's method
  int block_count;
  struct dc_mechanism *blocks;  // [block_count]
  double *matrices;             // dG/dq* of one block behind the other, by columns, then its factors
  int *pivots;                  // [nv]
};

// Marks the mechanisms of two bodies, and those between, as one block.
static void join(const struct dc_bodies *bodies, int body, int to, bool *goes_on)
{
  int one = bodies->bodies[body].mechanism, other = bodies->bodies[to].mechanism;
  int first = one < other ? one : other, last = one < other ? other : one;
  for (int m = first + 1; m <= last && first >= 0; m++)
    goes_on[m] = true;
}

// Mechanisms, and in one block all from the first to the last that a tie or coupling holds together.  false: out of
// memory.
static bool find_blocks(const struct dc_model *model, struct dc_arena *arena, struct dc_prediction *prediction)
{
  const struct dc_bodies *bodies = &model->bodies;
  bool *goes_on = dc_arena_alloc(arena, (size_t)bodies->mechanism_count + 1, sizeof *goes_on);
  prediction->blocks = dc_arena_alloc(arena, (size_t)bodies->mechanism_count + 1, sizeof *prediction->blocks);
  if (!goes_on || !prediction->blocks)
    return false;
  for (int k = 0; k < model->definition.tie_count; k++)
    join(bodies, model->definition.ties[k].body, model->definition.ties[k].to, goes_on);
  for (int k = 0; k < model->definition.coupling_count; k++)
    join(bodies, model->definition.couplings[k].body, model->definition.couplings[k].to, goes_on);
  for (int m = 0; m < bodies->mechanism_count; m++) {
    if (goes_on[m])
      prediction->blocks[prediction->block_count - 1].nv += bodies->mechanisms[m].nv;
    else
      prediction->blocks[prediction->block_count++] = bodies->mechanisms[m];
  }
  return true;
}

static size_t matrices_size(const struct dc_prediction *prediction)
{
  size_t size = 0;
  for (int b = 0; b < prediction->block_count; b++)
    size += (size_t)prediction->blocks[b].nv * (size_t)prediction->blocks[b].nv;
  return size;
}

// Armature is inertia of a coordinate itself, such as that of a rotor behind gears.
static void find_armature(const struct dc_bodies *bodies, double *armature)
{
  for (int i = 0; i < bodies->count; i++)
    for (int p = 0; p < bodies->bodies[i].part_count; p++) {
      const struct dc_joint_part *part = &bodies->bodies[i].parts[p];
      if (part->passive.given && (part->kind == DC_PART_SLIDE || part->kind == DC_PART_HINGE))
        armature[part->v] = part->passive.armature;
    }
}

// Room for the prediction: states [nq], vectors [nv], twists and wrenches [bodies][6], and the matrices of the tree.
struct dc_prediction *dc_prediction_create(const struct dc_model *model, struct dc_arena *arena)
{
  const struct dc_bodies *bodies = &model->bodies;
  size_t nq = (size_t)bodies->nq, nv = (size_t)bodies->nv, count = (size_t)bodies->count;
  struct dc_prediction *p = dc_arena_alloc(arena, 1, sizeof *p);
  if (!p || !find_blocks(model, arena, p))
    return NULL;
  p->q = dc_arena_alloc(arena, nq, sizeof *p->q);
  p->ahead_q = dc_arena_alloc(arena, nq, sizeof *p->ahead_q);
  p->vector = dc_arena_alloc(arena, nv, sizeof *p->vector);
  p->column = dc_arena_alloc(arena, nv, sizeof *p->column);
  p->units = dc_arena_alloc(arena, nv, sizeof *p->units);
  p->twists = dc_arena_alloc(arena, count, sizeof *p->twists);
  p->wrenches = dc_arena_alloc(arena, count, sizeof *p->wrenches);
  p->total = dc_arena_alloc(arena, count, sizeof *p->total);
  p->forces = dc_arena_alloc(arena, nv, sizeof *p->forces);
  p->start = dc_arena_alloc(arena, nq, sizeof *p->start);
  p->step = dc_arena_alloc(arena, nv, sizeof *p->step);
  p->armature = dc_arena_alloc(arena, nv, sizeof *p->armature);
  bool halves = dc_halves_create(bodies, arena, &p->halves) && p->armature && p->forces && p->start && p->step;
  p->given = dc_arena_alloc(arena, count, sizeof *p->given);
  p->matrices = dc_arena_alloc(arena, matrices_size(p), sizeof *p->matrices);
  bool ties = model->definition.tie_count > 0 || bodies->mount_count > 0;
  p->tied = ties ? dc_arena_alloc(arena, count, sizeof *p->tied) : NULL;
  p->pivots = dc_arena_alloc(arena, nv, sizeof *p->pivots);
  bool complete = halves && (p->tied || !ties) && p->q && p->ahead_q && p->vector && p->column && p->units &&
                  p->twists && p->wrenches && p->total && p->given && p->matrices && p->pivots;
  if (complete)
    find_armature(bodies, p->armature);
  return complete && !dc_kinematics_create(bodies, arena, &p->next, NULL) &&
                 !dc_kinematics_create(bodies, arena, &p->ahead, NULL)
             ? p
             : NULL;
}

const double *dc_predicted_state(const struct dc_prediction *prediction)
{
  return prediction->q;
}

const struct dc_pose *dc_predicted_poses(const struct dc_prediction *prediction)
{
  return prediction->next.poses;
}

static double mass_scale(const struct dc_step_state *state, int body)
{
  return state->input->design.body_mass_scale[body];
}

// A = s c_p R_p M R^T of a partner of body i; returns s c_p m.
static double product_with(const struct dc_step_state *state, const struct partners *partners, int p, int i,
                           double a[9])
{
  const struct dc_body *body = &state->model->bodies.bodies[i];
  double moved[9], factor = mass_scale(state, i) * partners->coefficients[p];
  dc_mat_multiply(moved, partners->poses[p][i].rotation, body->second_moment);
  dc_mat_multiply_transposed(a, moved, state->now[i].rotation);
  for (int k = 0; k < 9; k++)
    a[k] *= factor;
  return factor * body->mass;
}

// Sums, for every body, the wrench that the prediction balances: inertia with the partners' poses, and gravity times
// the kick.
static void find_total(const struct dc_step_state *state, struct dc_prediction *prediction)
{
  const struct dc_bodies *bodies = &state->model->bodies;
  memset(prediction->total, 0, (size_t)bodies->count * sizeof *prediction->total);
  for (int i = 0; i < bodies->count; i++) {
    double *sum = prediction->total[i], a[9], d[3];
    if (!dc_body_moves(&bodies->bodies[i]))
      continue;
    for (int p = 0; p < 3; p++) {
      if (prediction->partners.coefficients[p] == 0)
        continue;
      double m = product_with(state, &prediction->partners, p, i, a);
      dc_vec_sub(d, prediction->partners.poses[p][i].position, state->now[i].position);
      sum[0] += a[7] - a[5];
      sum[1] += a[2] - a[6];
      sum[2] += a[3] - a[1];
      dc_vec_add_scaled(sum + 3, sum + 3, m, d);
    }
    dc_vec_add_scaled(sum + 3, sum + 3, -prediction->kick * mass_scale(state, i) * dc_body_heavy(&bodies->bodies[i]),
                      state->input->design.gravity);
  }
}

// Adds to wrenches [bodies][6] what twists of a partner do to those of G, or the transposed of that.
static void add_partner_block(const struct dc_step_state *state, const struct partners *partners, int p,
                              bool transposed, const double (*twists)[6], double (*wrenches)[6])
{
  for (int i = 0; i < state->model->bodies.count; i++) {
    double a[9], aw[3];
    if (!dc_body_moves(&state->model->bodies.bodies[i]))
      continue;
    double m = product_with(state, partners, p, i, a), trace = a[0] + a[4] + a[8];
    if (transposed)
      dc_mat_apply_transposed(aw, a, twists[i]);
    else
      dc_mat_apply(aw, a, twists[i]);
    for (int k = 0; k < 3; k++) {
      wrenches[i][k] += trace * twists[i][k] - aw[k];
      wrenches[i][3 + k] += m * twists[i][3 + k];
    }
  }
}

// The same for twists of the frames at t, in exponential charts: symmetric.
static void add_now_block(const struct dc_step_state *state, const struct partners *partners, const double (*twists)[6],
                          double (*wrenches)[6])
{
  for (int i = 0; i < state->model->bodies.count; i++) {
    if (!dc_body_moves(&state->model->bodies.bodies[i]))
      continue;
    for (int p = 0; p < 3; p++) {
      double a[9], aw[3], atw[3];
      if (partners->coefficients[p] == 0)
        continue;
      double m = product_with(state, partners, p, i, a), trace = a[0] + a[4] + a[8];
      dc_mat_apply(aw, a, twists[i]);
      dc_mat_apply_transposed(atw, a, twists[i]);
      for (int k = 0; k < 3; k++) {
        wrenches[i][k] -= trace * twists[i][k] - 0.5 * (aw[k] + atw[k]);
        wrenches[i][3 + k] -= m * twists[i][3 + k];
      }
    }
  }
}

// Adds what armatures add to G.
static void add_armatures(const struct dc_step_state *state, const struct dc_prediction *prediction, double *sum)
{
  const struct dc_bodies *bodies = &state->model->bodies;
  double ratio = state->interval.ratio;
  for (int i = 0; i < bodies->count; i++)
    for (int p = 0; p < bodies->bodies[i].part_count; p++) {
      int v = bodies->bodies[i].parts[p].v, q = bodies->bodies[i].parts[p].q;
      if (prediction->armature[v] > 0)
        sum[v] += prediction->armature[v] *
                  ((prediction->q[q] - state->q_now[q]) - ratio * (state->q_now[q] - state->q_before[q]));
    }
}

// Adds the armatures and the halves of intervals to column c of every block's dG/dq*.
static void add_curvature_column(const struct dc_prediction *prediction, int c, double *column)
{
  const struct dc_half *there = &prediction->halves.half[DC_HALF_THERE];
  for (int b = 0; b < prediction->block_count; b++) {
    int v = prediction->blocks[b].v_offset + c;
    if (c < prediction->blocks[b].nv)
      column[v] += prediction->armature[v] + 0.5 * there->weight * there->curvature[v];
  }
}

// dG/dq*, one column of every block at a time, factored.  DC_NUMERICAL when it is singular.
static enum dc_status factor(const struct dc_step_state *state, struct dc_prediction *prediction,
                             struct dc_error *error)
{
  const struct dc_bodies *bodies = &state->model->bodies;
  size_t bytes = (size_t)bodies->count * sizeof *prediction->wrenches;
  int columns = 0;
  for (int b = 0; b < prediction->block_count; b++)
    columns = prediction->blocks[b].nv > columns ? prediction->blocks[b].nv : columns;
  for (int c = 0; c < columns; c++) {
    double *matrix = prediction->matrices, *unit = prediction->column;
    for (int b = 0; b < prediction->block_count; b++)
      for (int k = 0; k < prediction->blocks[b].nv; k++)
        unit[prediction->blocks[b].v_offset + k] = k == c;
    dc_twists(bodies, &prediction->next, unit, prediction->twists);
    memcpy(prediction->units, unit, (size_t)bodies->nv * sizeof *unit);
    memset(prediction->wrenches, 0, bytes);
    add_partner_block(state, &prediction->partners, PREDICTED, false, (const double(*)[6])prediction->twists,
                      prediction->wrenches);
    dc_prediction_add_tie_block(state, DC_AT_NEXT, (const double(*)[6])prediction->twists, prediction->wrenches);
    memset(unit, 0, (size_t)bodies->nv * sizeof *unit);
    dc_pull_back(bodies, prediction->now, (const double(*)[6])prediction->wrenches, unit);
    add_curvature_column(prediction, c, unit);
    dc_prediction_add_coupling_block(state, DC_AT_NEXT, prediction->q, false, prediction->units, unit);
    for (int b = 0; b < prediction->block_count; b++) {
      size_t n = (size_t)prediction->blocks[b].nv;
      if ((size_t)c < n)
        memcpy(matrix + (size_t)c * n, unit + prediction->blocks[b].v_offset, n * sizeof *unit);
      matrix += n * n;
    }
  }
  double *matrix = prediction->matrices;
  for (int b = 0; b < prediction->block_count; b++) {
    const struct dc_mechanism *block = &prediction->blocks[b];
    if (!dc_general_factor(block->nv, matrix, prediction->pivots + block->v_offset))
      return dc_fail(error, DC_NUMERICAL, "the motion without contact has no solution (time.integrator second_order)");
    matrix += (size_t)block->nv * (size_t)block->nv;
  }
  return DC_OK;
}

// x [nv] <- -(dG/dq*)^-1 x, or the transposed.
static void answer(const struct dc_bodies *bodies, const struct dc_prediction *prediction, bool transposed, double *x)
{
  const double *matrix = prediction->matrices;
  for (int b = 0; b < prediction->block_count; b++) {
    const struct dc_mechanism *block = &prediction->blocks[b];
    dc_general_solve(block->nv, matrix, prediction->pivots + block->v_offset, transposed, x + block->v_offset);
    matrix += (size_t)block->nv * (size_t)block->nv;
  }
  for (int v = 0; v < bodies->nv; v++)
    x[v] = -x[v];
}

// Turns beyond a right angle have the sines of smaller ones.
static enum dc_status check_turns(const struct dc_step_state *state, const struct dc_pose *poses,
                                  struct dc_error *error)
{
  for (int i = 0; i < state->model->bodies.count; i++) {
    double turn[9];
    if (!dc_body_moves(&state->model->bodies.bodies[i]))
      continue;
    dc_mat_multiply_transposed(turn, poses[i].rotation, state->now[i].rotation);
    double cosine = 0.5 * (turn[0] + turn[4] + turn[8] - 1);
    if (!(cosine >= LEAST_COSINE))
      return dc_fail(error, DC_NUMERICAL,
                     "body \"%.255s\" turns by %.2g rad in a step; time.integrator second_order follows turns up to "
                     "%.2g rad: shorten time.step, or use euler",
                     state->model->bodies.bodies[i].name, acos(fmax(fmin(cosine, 1), -1)), acos(LEAST_COSINE));
  }
  return DC_OK;
}

// Partners and weights of an interval; the first guess goes on as before.
static void begin(const struct dc_step_state *state, struct dc_prediction *prediction)
{
  const struct dc_bodies *bodies = &state->model->bodies;
  const struct dc_step_interval *interval = &state->interval;
  double h = interval->length, before = h / interval->ratio;
  prediction->partners = (struct partners){.poses = {prediction->next.poses, state->before, prediction->ahead.poses},
                                           .coefficients = {1, interval->ratio, 0}};
  prediction->kick = 0.5 * h * (h + before);
  dc_halves_begin(state, prediction->q, &prediction->halves);
  if (interval->starts) {
    prediction->partners.coefficients[BEFORE] = 0.5 * interval->ratio;
    prediction->partners.coefficients[AHEAD] = -0.5 * interval->ratio;
    prediction->kick = 0.5 * h * h;
    dc_state_move(bodies, state->q_now, before, state->input->velocity, prediction->ahead_q);
    dc_kinematics_update(bodies, prediction->ahead_q, &prediction->ahead);
  }
  dc_state_difference(bodies, state->q_before, state->q_now, prediction->vector);
  dc_state_move(bodies, state->q_now, interval->ratio, prediction->vector, prediction->q);
}

// G into prediction->vector.
static void find_residual(const struct dc_step_state *state, struct dc_prediction *prediction)
{
  const struct dc_bodies *bodies = &state->model->bodies;
  dc_kinematics_update(bodies, prediction->q, &prediction->next);
  find_total(state, prediction);
  memset(prediction->vector, 0, (size_t)bodies->nv * sizeof *prediction->vector);
  dc_pull_back(bodies, prediction->now, (const double(*)[6])prediction->total, prediction->vector);
  if (prediction->tied) {
    memset(prediction->tied, 0, (size_t)bodies->count * sizeof *prediction->tied);
    dc_prediction_add_ties(state, prediction->next.poses, prediction->tied);
    dc_prediction_add_pins(state, prediction->tied);
    dc_pull_back(bodies, prediction->now, (const double(*)[6])prediction->tied, prediction->vector);
  }
  dc_prediction_add_couplings(state, prediction->q, prediction->vector);
  dc_halves_find(state, &prediction->halves);
  dc_halves_add_kicks(state, &prediction->halves, prediction->vector);
  add_armatures(state, prediction, prediction->vector);
}

// The largest component, rad or m; INFINITY where one is no number.
static double largest_of(const struct dc_bodies *bodies, const double *x)
{
  double largest = 0;
  for (int v = 0; v < bodies->nv; v++)
    largest = isfinite(x[v]) ? fmax(largest, fabs(x[v])) : INFINITY;
  return largest;
}

// Takes the part of a Newton step from prediction->start after which the next one, by the same factors, is shorter:
// where the force of an actuator is limited whole steps may go to and fro.  G is that of the end; false: no part is.
static bool take_step(const struct dc_step_state *state, struct dc_prediction *prediction, double size)
{
  const struct dc_bodies *bodies = &state->model->bodies;
  for (double part = 1; part > LEAST_PART; part *= 0.5) {
    dc_state_move(bodies, prediction->start, part, prediction->step, prediction->q);
    find_residual(state, prediction);
    memcpy(prediction->column, prediction->vector, (size_t)bodies->nv * sizeof *prediction->column);
    answer(bodies, prediction, false, prediction->column);
    if (largest_of(bodies, prediction->column) <= (1 - 0.25 * part) * size)
      return true;
  }
  return false;
}

// Newton's method from prediction->q.
static enum dc_status solve(const struct dc_step_state *state, struct dc_prediction *prediction, struct dc_error *error)
{
  const struct dc_bodies *bodies = &state->model->bodies;
  find_residual(state, prediction);
  for (int k = 0; k < MOST_ITERATIONS; k++) {
    enum dc_status status = factor(state, prediction, error);
    if (status)
      return status;
    memcpy(prediction->step, prediction->vector, (size_t)bodies->nv * sizeof *prediction->step);
    memcpy(prediction->start, prediction->q, (size_t)bodies->nq * sizeof *prediction->start);
    answer(bodies, prediction, false, prediction->step);
    double size = largest_of(bodies, prediction->step);
    if (size <= LAST_STEP) {
      dc_state_move(bodies, prediction->start, 1, prediction->step, prediction->q);
      find_residual(state, prediction);
      return DC_OK;
    }
    if (isinf(size) || !take_step(state, prediction, size))
      break;
  }
  return dc_fail(error, DC_NUMERICAL,
                 "the motion without contact was not found (time.integrator second_order): shorten time.step, or use "
                 "euler");
}

// Turns in an interval are bounded before and after the solution, since the sines that G sees cannot tell larger ones.
// The factors stay for pulling back and pushing forward.
enum dc_status dc_predict(struct dc_rollout *rollout, const struct dc_step_state *state, struct dc_error *error)
{
  struct dc_prediction *prediction = state->prediction;
  prediction->now = &rollout->now;
  begin(state, prediction);
  enum dc_status status = check_turns(state, state->before, error);
  if (!status)
    status = solve(state, prediction, error);
  if (!status)
    status = check_turns(state, prediction->next.poses, error);
  return status ? status : factor(state, prediction, error);
}

// Terms add their derivatives by the predicted frames and coordinates here, as if these were independent.
void dc_prediction_begin_pull_back(const struct dc_step_state *state, struct dc_step_cotangent *out)
{
  const struct dc_bodies *bodies = &state->model->bodies;
  out->predicted = (struct dc_step_forces){state->prediction->given, state->prediction->forces};
  memset(out->predicted.wrenches, 0, (size_t)bodies->count * sizeof *out->predicted.wrenches);
  memset(out->predicted.joints, 0, (size_t)bodies->nv * sizeof *out->predicted.joints);
}

// Adds the part of second derivatives of the frames at t in G.
static void add_curvature(const struct dc_bodies *bodies, const struct dc_prediction *prediction, const double *tangent,
                          double *sum)
{
  dc_add_curvature(bodies, prediction->now, (const double(*)[6])prediction->total, tangent, sum);
  if (prediction->tied)
    dc_add_curvature(bodies, prediction->now, (const double(*)[6])prediction->tied, tangent, sum);
}

// Adjoint of the prediction: mu answers the cotangent of the predicted state, through the transposed system.  From it
// follow the cotangents of the states now and before, in the first step also of the velocity, masses and gravity.
void dc_prediction_pull_back(const struct dc_step_state *state, struct dc_step_cotangent *out)
{
  const struct dc_bodies *bodies = &state->model->bodies;
  struct dc_prediction *prediction = state->prediction;
  size_t bytes = (size_t)bodies->nv * sizeof(double);
  double *mu = prediction->vector;
  memcpy(mu, out->predicted.joints, bytes);
  dc_pull_back(bodies, &prediction->next, (const double(*)[6])out->predicted.wrenches, mu);
  answer(bodies, prediction, true, mu);
  dc_twists(bodies, prediction->now, mu, prediction->twists);
  const double(*twists)[6] = (const double(*)[6])prediction->twists;
  add_now_block(state, &prediction->partners, twists, out->now.wrenches);
  add_curvature(bodies, prediction, mu, out->now.joints);
  add_partner_block(state, &prediction->partners, BEFORE, true, twists, out->before.wrenches);
  dc_prediction_add_tie_block(state, DC_AT_NOW, twists, out->now.wrenches);
  dc_prediction_add_tie_block(state, DC_AT_BEFORE, twists, out->before.wrenches);
  dc_prediction_add_pin_block(state, twists, NULL, out->now.wrenches, out->now.joints);
  dc_prediction_add_coupling_block(state, DC_AT_NOW, prediction->q, true, mu, out->now.joints);
  dc_prediction_add_coupling_block(state, DC_AT_BEFORE, prediction->q, true, mu, out->before.joints);
  dc_halves_add_mixed(state, &prediction->halves, mu, out);
  for (int v = 0; v < bodies->nv; v++) {
    out->now.joints[v] -= (1 + state->interval.ratio) * prediction->armature[v] * mu[v];
    out->before.joints[v] += state->interval.ratio * prediction->armature[v] * mu[v];
  }
  if (state->interval.starts) {
    memset(prediction->wrenches, 0, (size_t)bodies->count * sizeof *prediction->wrenches);
    memset(prediction->column, 0, bytes);
    add_partner_block(state, &prediction->partners, AHEAD, true, twists, prediction->wrenches);
    dc_pull_back(bodies, &prediction->ahead, (const double(*)[6])prediction->wrenches, prediction->column);
    dc_start_pull_back(bodies, state->input->velocity, state->interval.length / state->interval.ratio,
                       prediction->column, out->now.joints, out->input->velocity);
  }
  for (int i = 0; i < bodies->count; i++) {
    double along = 0, kick = prediction->kick * mass_scale(state, i) * dc_body_heavy(&bodies->bodies[i]);
    if (!dc_body_moves(&bodies->bodies[i]))
      continue;
    for (int k = 0; k < 6; k++)
      along += prediction->total[i][k] * twists[i][k];
    out->input->design.body_mass_scale[i] += along / mass_scale(state, i);
    for (int k = 0; k < 3; k++)
      out->input->design.gravity[k] -= kick * twists[i][3 + k];
  }
}

// Tangent of the prediction: the variation of its wrenches, solved for that of the predicted state.
void dc_prediction_push(const struct dc_step_state *state, struct dc_step_variation *variation)
{
  const struct dc_bodies *bodies = &state->model->bodies;
  const struct dc_design *design = &variation->input->design;
  struct dc_prediction *prediction = state->prediction;
  double *change = prediction->vector;
  memset(prediction->wrenches, 0, (size_t)bodies->count * sizeof *prediction->wrenches);
  memset(change, 0, (size_t)bodies->nv * sizeof *change);
  add_now_block(state, &prediction->partners, variation->now.twists, prediction->wrenches);
  add_partner_block(state, &prediction->partners, BEFORE, false, variation->before.twists, prediction->wrenches);
  dc_prediction_add_tie_block(state, DC_AT_NOW, variation->now.twists, prediction->wrenches);
  dc_prediction_add_tie_block(state, DC_AT_BEFORE, variation->before.twists, prediction->wrenches);
  dc_prediction_add_pin_block(state, variation->now.twists, variation->now.joints, prediction->wrenches, NULL);
  if (state->interval.starts) {
    dc_start_push(bodies, state->input->velocity, state->interval.length / state->interval.ratio, variation->now.joints,
                  variation->input->velocity, prediction->column);
    dc_twists(bodies, &prediction->ahead, prediction->column, prediction->twists);
    add_partner_block(state, &prediction->partners, AHEAD, false, (const double(*)[6])prediction->twists,
                      prediction->wrenches);
  }
  for (int i = 0; i < bodies->count; i++) {
    double scale = design->body_mass_scale[i] / mass_scale(state, i),
           kick = prediction->kick * mass_scale(state, i) * dc_body_heavy(&bodies->bodies[i]);
    if (!dc_body_moves(&bodies->bodies[i]))
      continue;
    for (int k = 0; k < 6; k++)
      prediction->wrenches[i][k] += scale * prediction->total[i][k];
    dc_vec_add_scaled(prediction->wrenches[i] + 3, prediction->wrenches[i] + 3, -kick, design->gravity);
  }
  dc_pull_back(bodies, prediction->now, (const double(*)[6])prediction->wrenches, change);
  add_curvature(bodies, prediction, variation->now.joints, change);
  dc_prediction_add_coupling_block(state, DC_AT_NOW, prediction->q, false, variation->now.joints, change);
  dc_prediction_add_coupling_block(state, DC_AT_BEFORE, prediction->q, false, variation->before.joints, change);
  dc_halves_add_product(state, &prediction->halves, variation, change);
  for (int v = 0; v < bodies->nv; v++)
    change[v] += prediction->armature[v] * (state->interval.ratio * variation->before.joints[v] -
                                            (1 + state->interval.ratio) * variation->now.joints[v]);
  answer(bodies, prediction, false, change);
  dc_twists(bodies, &prediction->next, change, prediction->twists);
  variation->predicted = (struct dc_step_direction){change, (const double(*)[6])prediction->twists};
}
