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
//     -h/2 (h F(q, q*) + h- F(q-, q)),   F(a, b) = kp (y - (a + b)/2) + kd (v - (b - a)/h), limited.
// F(q, q*) is the force of the implicit step of length h/2 from q to the middle (q + q*)/2, and F(q-, q) that of the
// step of length -h-/2 back to the middle (q- + q)/2.  Both have the targets of the interval that is solved.  So the
// terms have both forces and their derivatives.  An armature a is inertia of a coordinate: a (q* - q - r (q - q-)).
// Without them both are J(q)^T of a sum over partners p of T with coefficients c_p,
//     G = J(q)^T [sum c_p W (T_p - T) - k f]:   T* with 1, T- with r; or T- with r/2 and T(q + h v) with -r/2.
// With A = R_p M R^T the wrench of a partner is c_p (axial(A); m (x_p - x)), where axial(A) = (A_21 - A_12, ...).  Its
// derivative by the twist (w; t) of the partner is c_p ((tr(A) I - A) w; m t), and by that of T, whose chart is
// exponential, -c_p ((tr(A) I - sym(A)) w; m t), to which the second derivative of the frames along joints comes
// (assembler.c).  Newton's method solves for q*, mechanism by mechanism.
#include "dynamics/prediction.h"

#include <math.h>
#include <string.h>

#include "dynamics/step.h"
#include "math/general.h"
#include "math/rotation.h"
#include "math/vector.h"

enum { MOST_ITERATIONS = 50 };
static const double LEAST_PART = 1e-3;  // of a step of Newton's method that is tried
// Newton's steps, rad or m, behind which the error of the next iterate is rounding.
static const double LAST_STEP = 1e-9;
// The cosine of the largest turn in an interval that is followed: sines of angles tell them up to a right angle only.
static const double LEAST_COSINE = 0.36;

// The frames T_p that those at t are compared with, and the coefficients c_p of their differences (head of the file): the
// predicted ones T*, those before T-, and those ahead T(q + h v), which stand in for an interval before the start.  A
// coefficient of 0 leaves its frames out.
struct partners {
  const struct dc_pose *poses[3];  // [bodies], by PREDICTED, BEFORE, AHEAD
  double coefficients[3];
};
enum { PREDICTED, BEFORE, AHEAD };

// Half of an interval, there or back, as actuators and springs see it.
struct half {
  double weight;      // s^2, of their forces in G
  const double *end;  // [nq] where it leads to by twice its length
  double *middle;     // [nq] lengths and angles
  double *curvature;  // [nv] of the energies of what pushes
  struct dc_step_state state;
};
enum { THERE, BACK, HALVES };

// The terms that are asked for halves of intervals, and for the curvature of their energies.
static const struct {
  const struct dc_step_term *term;
  void (*add_curvature)(const struct dc_step_state *state, double *diagonal);
} pushers[] = {{&dc_actuator_term, dc_actuator_add_curvature}, {&dc_passive_term, dc_passive_add_curvature}};
enum { PUSHERS = sizeof pushers / sizeof *pushers };

struct dc_prediction {
  double *q, *ahead_q;               // [nq]
  struct dc_kinematics next, ahead;  // at q, and at q(t) moved on by the velocity that an interval starts with
  const struct dc_kinematics *now;   // of the rollout
  struct partners partners;
  double kick;  // s^2, of gravity
  struct half halves[HALVES];
  double *scaled;                                                 // [nv]
  double *armature;                                               // [nv] kg or kg m^2, of the coordinates alone
  double *vector, *column;                                        // [nv]
  double (*twists)[6], (*wrenches)[6], (*total)[6], (*given)[6];  // [bodies]; total: the wrenches of G
  double *forces;                                                 // [nv] given with them
  double *start, *step;                                           // [nq], [nv] of Newton's method
  double *matrices;  // dG/dq* of one mechanism behind the other, by columns, then its factors
  int *pivots;       // [nv]
};

static size_t matrices_size(const struct dc_bodies *bodies)
{
  size_t size = 0;
  for (int m = 0; m < bodies->mechanism_count; m++)
    size += (size_t)bodies->mechanisms[m].nv * (size_t)bodies->mechanisms[m].nv;
  return size;
}

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
struct dc_prediction *dc_prediction_create(const struct dc_bodies *bodies, struct dc_arena *arena)
{
  size_t nq = (size_t)bodies->nq, nv = (size_t)bodies->nv, count = (size_t)bodies->count;
  struct dc_prediction *p = dc_arena_alloc(arena, 1, sizeof *p);
  if (!p)
    return NULL;
  p->q = dc_arena_alloc(arena, nq, sizeof *p->q);
  p->ahead_q = dc_arena_alloc(arena, nq, sizeof *p->ahead_q);
  p->vector = dc_arena_alloc(arena, nv, sizeof *p->vector);
  p->column = dc_arena_alloc(arena, nv, sizeof *p->column);
  p->twists = dc_arena_alloc(arena, count, sizeof *p->twists);
  p->wrenches = dc_arena_alloc(arena, count, sizeof *p->wrenches);
  p->total = dc_arena_alloc(arena, count, sizeof *p->total);
  p->forces = dc_arena_alloc(arena, nv, sizeof *p->forces);
  p->start = dc_arena_alloc(arena, nq, sizeof *p->start);
  p->step = dc_arena_alloc(arena, nv, sizeof *p->step);
  p->scaled = dc_arena_alloc(arena, nv, sizeof *p->scaled);
  p->armature = dc_arena_alloc(arena, nv, sizeof *p->armature);
  bool halves = p->scaled && p->armature && p->forces && p->start && p->step;
  for (int k = 0; k < HALVES; k++) {
    p->halves[k].middle = dc_arena_alloc(arena, nq, sizeof(double));
    p->halves[k].curvature = dc_arena_alloc(arena, nv, sizeof(double));
    halves &= p->halves[k].middle && p->halves[k].curvature;
  }
  p->given = dc_arena_alloc(arena, count, sizeof *p->given);
  p->matrices = dc_arena_alloc(arena, matrices_size(bodies), sizeof *p->matrices);
  p->pivots = dc_arena_alloc(arena, nv, sizeof *p->pivots);
  bool complete = halves && p->q && p->ahead_q && p->vector && p->column && p->twists && p->wrenches && p->total &&
                  p->given && p->matrices && p->pivots;
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

// Middles, and the curvatures there.
static void find_halves(const struct dc_step_state *state, struct dc_prediction *prediction)
{
  size_t bytes = (size_t)state->model->bodies.nv * sizeof(double);
  for (int k = 0; k < HALVES; k++) {
    struct half *half = &prediction->halves[k];
    for (int i = 0; i < state->model->bodies.nq; i++)
      half->middle[i] = 0.5 * (state->q_now[i] + half->end[i]);
    memset(half->curvature, 0, bytes);
    for (int i = 0; i < PUSHERS; i++)
      pushers[i].add_curvature(&half->state, half->curvature);
  }
}

// Adds what they add to G.
static void add_kicks(const struct dc_step_state *state, struct dc_prediction *prediction, double *sum)
{
  int nv = state->model->bodies.nv;
  for (int k = 0; k < HALVES; k++) {
    struct half *half = &prediction->halves[k];
    struct dc_step_forces forces = {.joints = prediction->scaled};
    memset(prediction->scaled, 0, (size_t)nv * sizeof *prediction->scaled);
    for (int i = 0; i < PUSHERS; i++)
      pushers[i].term->add_gradient(&half->state, &forces);
    for (int v = 0; v < nv; v++)
      sum[v] += half->weight * prediction->scaled[v];
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

// Adds the derivatives of mu [nv] times that, but for those by q*, which are in dG/dq*.
static void add_kicks_mixed(const struct dc_step_state *state, struct dc_prediction *prediction, const double *mu,
                            struct dc_step_cotangent *out)
{
  int nv = state->model->bodies.nv;
  for (int k = 0; k < HALVES; k++) {
    struct half *half = &prediction->halves[k];
    if (half->weight == 0)
      continue;
    struct dc_step_direction direction = {.joints = prediction->scaled};
    for (int v = 0; v < nv; v++) {
      prediction->scaled[v] = half->weight * mu[v];
      double by_middle = half->curvature[v] * prediction->scaled[v];
      out->now.joints[v] += 0.5 * by_middle;
      if (k == BACK)
        out->before.joints[v] += 0.5 * by_middle;
    }
    for (int i = 0; i < PUSHERS; i++)
      pushers[i].term->add_mixed(&half->state, &direction, out);
  }
}

// The transposed: adds the change of what they add to G, but for that by q*.
static void add_kicks_product(const struct dc_step_state *state, struct dc_prediction *prediction,
                              const struct dc_step_variation *variation, double *sum)
{
  int nv = state->model->bodies.nv;
  for (int k = 0; k < HALVES; k++) {
    struct half *half = &prediction->halves[k];
    struct dc_step_forces forces = {.joints = prediction->scaled};
    memset(prediction->scaled, 0, (size_t)nv * sizeof *prediction->scaled);
    for (int i = 0; i < PUSHERS; i++)
      pushers[i].term->add_product(&half->state, variation, &forces);
    for (int v = 0; v < nv; v++) {
      double middle = 0.5 * (variation->now.joints[v] + (k == BACK ? variation->before.joints[v] : 0));
      sum[v] += half->weight * (prediction->scaled[v] + half->curvature[v] * middle);
    }
  }
}

// Adds the armatures and the halves of intervals to column c of every mechanism's dG/dq*.
static void add_curvature_column(const struct dc_step_state *state, const struct dc_prediction *prediction, int c,
                                 double *column)
{
  const struct dc_bodies *bodies = &state->model->bodies;
  const struct half *there = &prediction->halves[THERE];
  for (int m = 0; m < bodies->mechanism_count; m++) {
    int v = bodies->mechanisms[m].v_offset + c;
    if (c < bodies->mechanisms[m].nv)
      column[v] += prediction->armature[v] + 0.5 * there->weight * there->curvature[v];
  }
}

// dG/dq*, one column of every mechanism at a time, factored.  DC_NUMERICAL when it is singular.
static enum dc_status factor(const struct dc_step_state *state, struct dc_prediction *prediction,
                             struct dc_error *error)
{
  const struct dc_bodies *bodies = &state->model->bodies;
  size_t bytes = (size_t)bodies->count * sizeof *prediction->wrenches;
  int columns = 0;
  for (int m = 0; m < bodies->mechanism_count; m++)
    columns = bodies->mechanisms[m].nv > columns ? bodies->mechanisms[m].nv : columns;
  for (int c = 0; c < columns; c++) {
    double *matrix = prediction->matrices, *unit = prediction->column;
    for (int m = 0; m < bodies->mechanism_count; m++)
      for (int k = 0; k < bodies->mechanisms[m].nv; k++)
        unit[bodies->mechanisms[m].v_offset + k] = k == c;
    dc_twists(bodies, &prediction->next, unit, prediction->twists);
    memset(prediction->wrenches, 0, bytes);
    add_partner_block(state, &prediction->partners, PREDICTED, false, (const double(*)[6])prediction->twists,
                      prediction->wrenches);
    memset(unit, 0, (size_t)bodies->nv * sizeof *unit);
    dc_pull_back(bodies, prediction->now, (const double(*)[6])prediction->wrenches, unit);
    add_curvature_column(state, prediction, c, unit);
    for (int m = 0; m < bodies->mechanism_count; m++) {
      size_t n = (size_t)bodies->mechanisms[m].nv;
      if ((size_t)c < n)
        memcpy(matrix + (size_t)c * n, unit + bodies->mechanisms[m].v_offset, n * sizeof *unit);
      matrix += n * n;
    }
  }
  double *matrix = prediction->matrices;
  for (int m = 0; m < bodies->mechanism_count; m++) {
    const struct dc_mechanism *mechanism = &bodies->mechanisms[m];
    if (!dc_general_factor(mechanism->nv, matrix, prediction->pivots + mechanism->v_offset))
      return dc_fail(error, DC_NUMERICAL, "the motion without contact has no solution (time.integrator second_order)");
    matrix += (size_t)mechanism->nv * (size_t)mechanism->nv;
  }
  return DC_OK;
}

// x [nv] <- -(dG/dq*)^-1 x, or the transposed.
static void answer(const struct dc_bodies *bodies, const struct dc_prediction *prediction, bool transposed, double *x)
{
  const double *matrix = prediction->matrices;
  for (int m = 0; m < bodies->mechanism_count; m++) {
    const struct dc_mechanism *mechanism = &bodies->mechanisms[m];
    dc_general_solve(mechanism->nv, matrix, prediction->pivots + mechanism->v_offset, transposed,
                     x + mechanism->v_offset);
    matrix += (size_t)mechanism->nv * (size_t)mechanism->nv;
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

// Halves of the interval there and of the one before back, both from q_now and with the targets of the interval.
static void begin_halves(const struct dc_step_state *state, struct dc_prediction *prediction)
{
  double h = state->interval.length, before = h / state->interval.ratio;
  for (int k = 0; k < HALVES; k++) {
    struct half *half = &prediction->halves[k];
    half->end = k == THERE ? prediction->q : state->q_before;
    half->weight = k == THERE ? 0.5 * h * h : state->interval.starts ? 0 : 0.5 * h * before;
    half->state = *state;
    half->state.half = true;
    half->state.q_next = half->middle;
    half->state.interval.length = k == THERE ? 0.5 * h : -0.5 * before;
    half->state.interval.remaining += k == THERE ? 0.5 * h : h + 0.5 * before;
  }
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
  begin_halves(state, prediction);
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
  find_halves(state, prediction);
  add_kicks(state, prediction, prediction->vector);
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

void dc_prediction_begin_pull_back(const struct dc_step_state *state, struct dc_step_cotangent *out)
{
  const struct dc_bodies *bodies = &state->model->bodies;
  out->predicted = (struct dc_step_forces){state->prediction->given, state->prediction->forces};
  memset(out->predicted.wrenches, 0, (size_t)bodies->count * sizeof *out->predicted.wrenches);
  memset(out->predicted.joints, 0, (size_t)bodies->nv * sizeof *out->predicted.joints);
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
  dc_add_curvature(bodies, prediction->now, (const double(*)[6])prediction->total, mu, out->now.joints);
  add_partner_block(state, &prediction->partners, BEFORE, true, twists, out->before.wrenches);
  add_kicks_mixed(state, prediction, mu, out);
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
  dc_add_curvature(bodies, prediction->now, (const double(*)[6])prediction->total, variation->now.joints, change);
  add_kicks_product(state, prediction, variation, change);
  for (int v = 0; v < bodies->nv; v++)
    change[v] += prediction->armature[v] * (state->interval.ratio * variation->before.joints[v] -
                                            (1 + state->interval.ratio) * variation->now.joints[v]);
  answer(bodies, prediction, false, change);
  dc_twists(bodies, &prediction->next, change, prediction->twists);
  variation->predicted = (struct dc_step_direction){change, (const double(*)[6])prediction->twists};
}
