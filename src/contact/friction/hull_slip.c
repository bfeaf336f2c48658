// SPDX-License-Identifier: Apache-2.0
// Friction of hulls on the planes between them (paper 003, IV.C and VIII; docs/theory.md, "SDRS" and "Friction"): the
// motion of each plane, energy and derivatives, for any number of vertices.
//
// With W_v = lambda h f_v, f_v the normal force on a vertex at time t, B = (b_1, b_2), velocities v_v = B^T (x_v+ - x_v)/h, levers
// (x, y) = B^T (x_v - o), E_v = [I | (-y, x)^T], z = (u, omega):
//     D   = min over z of  sum_v W_v (s_v - e + rho^2 omega^2 / (2 e)),   r_v = v_v - E_v z,
//           s_v = sqrt(|r_v|^2 + e^2)
//     g_v = dD/dx_v+ = B W_v r_v / (h s_v)
//     K_v = W_v / (h^2 s_v^3) (e^2 I + r' r'^T),  r' = r turned by a right angle
// For twists of frame X the rows of J_v = B^T [-[rho]x | I] are (rho x b_k; b_k), rho = R+ R^T (x_v - c_X):
//     H_XY = [X = Y] sum_X J^T K J - C_X Z^-1 C_Y^T,   C_X = sum_X J^T K E,   Z = sum E^T K E + drag,
// and, exactly, + [X = Y] sum_X (g rho^T + rho g^T)/2 - (g.rho) I for the rotations.
#include "contact/friction/hull_slip.h"

#include <stdlib.h>
#include <string.h>

#include "math/vector.h"

// On g Z^-1 g relative to sum W s: the square of the change of r_v relative to s_v.  The second is the square of what
// rounding leaves of a velocity.
static const double DECREMENT = 1e-20, VELOCITY_NOISE = 1e-31;
// Rounding of sum W s: of its terms, and of velocities, which may be far above the slips.
static const double VALUE_NOISE = 1e-14, SLIP_NOISE = 1e-15;
static const double VERTEX_COST = 75e-9;  // of an evaluation, s
enum { LIMIT = 80, HALVINGS = 40 };

int dc_hull_slips_reserve(struct dc_hull_slips *slips, size_t count)
{
  return dc_grow(&slips->vertices, &slips->vertex_capacity, slips->vertex_count + count, sizeof *slips->vertices) ? -1
                                                                                                                  : 0;
}

struct dc_sliding_hulls *dc_hull_slips_add(struct dc_hull_slips *slips)
{
  if (dc_grow(&slips->sliding_pairs, &slips->sliding_capacity, slips->sliding_count + 1, sizeof *slips->sliding_pairs))
    return NULL;
  struct dc_sliding_hulls *sliding = &slips->sliding_pairs[slips->sliding_count++];
  *sliding = (struct dc_sliding_hulls){.first = slips->vertex_count};
  return sliding;
}

void dc_hull_slips_add_vertex(struct dc_hull_slips *slips, struct dc_sliding_hulls *sliding, int index,
                              const double arm[3], const double local[3], double distance, double weight)
{
  struct dc_sliding_vertex *vertex = &slips->vertices[slips->vertex_count++];
  *vertex = (struct dc_sliding_vertex){.distance = distance, .weight = weight, .index = index};
  dc_vec_copy(vertex->arm, arm);
  dc_vec_copy(vertex->local, local);
  sliding->strength += weight;
  sliding->count++;
}

int dc_hull_slips_finish(struct dc_hull_slips *slips, struct dc_friction *friction, const struct dc_friction_unit *like)
{
  struct dc_sliding_hulls *sliding = &slips->sliding_pairs[slips->sliding_count - 1];
  if (!(sliding->strength > 0)) {
    slips->vertex_count = sliding->first;
    slips->sliding_count--;
    return 0;
  }
  for (int v = 0; v < sliding->count; v++)
    slips->vertices[sliding->first + (size_t)v].weight /= sliding->strength;
  friction->cost += VERTEX_COST * sliding->count;
  struct dc_friction_unit unit = *like;
  unit.first = slips->sliding_count - 1;
  unit.count = 1;
  return dc_friction_add_unit(friction, &unit);
}

void dc_hull_slips_release(struct dc_hull_slips *slips)
{
  free(slips->sliding_pairs);
  free(slips->vertices);
}

// z += E^T K E, lower triangle; k: K's lower triangle.
static void add_motion_matrix(const double k[3], const double *lever, double z[3][3])
{
  double q0 = k[1] * lever[0] - k[0] * lever[1], q1 = k[2] * lever[0] - k[1] * lever[1];
  z[0][0] += k[0];
  z[1][0] += k[1];
  z[1][1] += k[2];
  z[2][0] += q0;
  z[2][1] += q1;
  z[2][2] += q1 * lever[0] - q0 * lever[1];
}

// g += E^T w
static void add_motion_gradient(const double w[2], const double *lever, double g[3])
{
  g[0] += w[0];
  g[1] += w[1];
  g[2] += w[1] * lever[0] - w[0] * lever[1];
}

// Trial slips at motion z; sum of weight s, and what the plane's spin adds.
static double slips_at(struct dc_sliding_vertex *vertices, int count, const double z[3], double smoothing, double drag)
{
  double sum = 0.5 * drag * z[2] * z[2];
  for (struct dc_sliding_vertex *v = vertices; v < vertices + count; v++) {
    v->trial_slip[0] = v->velocity[0] - z[0] + z[2] * v->local[1];
    v->trial_slip[1] = v->velocity[1] - z[1] - z[2] * v->local[0];
    v->trial_size =
        sqrt(v->trial_slip[0] * v->trial_slip[0] + (v->trial_slip[1] * v->trial_slip[1] + smoothing * smoothing));
    sum += v->weight * v->trial_size;
  }
  return sum;
}

// y after a step from slip r, size s that changes r by dr: s y = r to first order, no longer than 1.
static void move_pull(const double r[2], const double dr[2], double s, double y[2])
{
  double along = (r[0] * dr[0] + r[1] * dr[1]) / s;
  y[0] = (r[0] + dr[0] - y[0] * along) / s;
  y[1] = (r[1] + dr[1] - y[1] * along) / s;
  double square = y[0] * y[0] + y[1] * y[1];
  if (square > 1) {
    y[0] /= sqrt(square);
    y[1] /= sqrt(square);
  }
}

static void take_trial(struct dc_sliding_vertex *vertices, int count, bool move)
{
  for (struct dc_sliding_vertex *v = vertices; v < vertices + count; v++) {
    double dr[2] = {v->trial_slip[0] - v->slip[0], v->trial_slip[1] - v->slip[1]};
    if (move)
      move_pull(v->slip, dr, v->size, v->pull);
    v->slip[0] = v->trial_slip[0];
    v->slip[1] = v->trial_slip[1];
    v->size = v->trial_size;
  }
}

// Least squares, the first step from y = 0 with all s alike.
static void cold_start(struct dc_sliding_hulls *sliding, struct dc_sliding_vertex *vertices, double drag)
{
  double matrix[3][3] = {[2][2] = drag}, g[3] = {0, 0, 0};
  for (struct dc_sliding_vertex *v = vertices; v < vertices + sliding->count; v++) {
    double k[3] = {v->weight, 0, v->weight}, w[2] = {v->weight * v->velocity[0], v->weight * v->velocity[1]};
    add_motion_matrix(k, v->local, matrix);
    add_motion_gradient(w, v->local, g);
    v->pull[0] = v->pull[1] = 0;
  }
  dc_hull_factor_motion(matrix);
  dc_hull_solve_motion((const double(*)[3])matrix, g, sliding->motion);
}

// The motion that dissipates least: Newton's method on s_v y_v = r_v, sum W E^T y = 0 (docs/theory.md, "Friction",
// "Motion of the plane").  Leaves slips and sizes.
static bool solve_motion(struct dc_sliding_hulls *sliding, struct dc_sliding_vertex *vertices, double smoothing,
                         double drag)
{
  double most = 0, value;
  if (!sliding->warm)
    cold_start(sliding, vertices, drag * smoothing);
  sliding->warm = true;
  for (struct dc_sliding_vertex *v = vertices; v < vertices + sliding->count; v++)
    most = fmax(most, v->velocity[0] * v->velocity[0] + v->velocity[1] * v->velocity[1]);
  double tolerance = DECREMENT + VELOCITY_NOISE / (smoothing * smoothing) * most, noise = SLIP_NOISE * sqrt(most);
  value = slips_at(vertices, sliding->count, sliding->motion, smoothing, drag);
  take_trial(vertices, sliding->count, false);
  for (int iteration = 0; iteration < LIMIT; iteration++) {
    double matrix[3][3] = {[2][2] = drag}, g[3] = {0, 0, -drag * sliding->motion[2]}, step[3], trial[3],
           trial_value = INFINITY, alpha = 1;
    for (const struct dc_sliding_vertex *v = vertices; v < vertices + sliding->count; v++) {
      double scale = v->weight / v->size, w[2] = {scale * v->slip[0], scale * v->slip[1]};
      double q0 = w[0] / v->size, q1 = w[1] / v->size;
      double k[3] = {scale - q0 * v->pull[0], -0.5 * (q0 * v->pull[1] + q1 * v->pull[0]), scale - q1 * v->pull[1]};
      add_motion_matrix(k, v->local, matrix);
      add_motion_gradient(w, v->local, g);
    }
    dc_hull_factor_motion(matrix);
    double decrement = dc_hull_solve_motion((const double(*)[3])matrix, g, step);
    bool last = fabs(decrement) <= tolerance * value;
    for (int halving = 0; halving <= HALVINGS; halving++, alpha *= 0.5) {
      for (int i = 0; i < 3; i++)
        trial[i] = sliding->motion[i] + alpha * step[i];
      trial_value = slips_at(vertices, sliding->count, trial, smoothing, drag);
      if (last || trial_value <= value * (1 + VALUE_NOISE) + noise - 1e-4 * alpha * decrement)
        break;
    }
    take_trial(vertices, sliding->count, true);
    memcpy(sliding->motion, trial, sizeof trial);
    value = trial_value;
    if (last)
      return true;
  }
  return false;
}

// y of a vertex at a new iterate, kept with it for the next: from those of the iterate before, unless fresh.
static const double *hold_pull(const struct dc_friction_motion *motion, struct dc_sliding_vertex *v)
{
  double *y = v->held[motion->to];
  const double *old = v->slips[1 - motion->to];
  for (int k = 0; k < 2; k++)
    y[k] = motion->fresh ? motion->start * v->slip[k] / v->size : v->held[1 - motion->to][k];
  if (!motion->fresh) {
    double dr[2] = {v->slip[0] - old[0], v->slip[1] - old[1]};
    move_pull(old, dr, sqrt(old[0] * old[0] + (old[1] * old[1] + motion->smoothing * motion->smoothing)), y);
  }
  for (int k = 0; k < 2; k++)
    v->slips[motion->to][k] = v->slip[k];
  return y;
}

// K's lower triangle times h^2 / (strength of the pair); held: W/s (I - (q y^T + y q^T)/2), q = r/s.
static void curvature_of(const struct dc_friction_motion *motion, struct dc_sliding_vertex *v, double k[3])
{
  double e2 = motion->smoothing * motion->smoothing, scale = v->weight / v->size, q[2];
  q[0] = v->slip[0] / v->size;
  q[1] = v->slip[1] / v->size;
  if (motion->hold) {
    const double *y = hold_pull(motion, v);
    k[0] = scale * (1 - q[0] * y[0]);
    k[1] = -0.5 * scale * (q[0] * y[1] + q[1] * y[0]);
    k[2] = scale * (1 - q[1] * y[1]);
  } else {
    double still = e2 / (v->size * v->size);
    k[0] = scale * (still + q[1] * q[1]);
    k[1] = -scale * q[0] * q[1];
    k[2] = scale * (still + q[0] * q[0]);
  }
}

// Sums over the vertices of one body: sum J^T K J (lower triangle) and C, without the strength.
struct body_sums {
  double curvature[DC_HESSIAN], mixed[6][3];
};

// rows: J_v [2][6]
static void add_curvature(const double rows[2][6], const double k[3], const double *lever, struct body_sums *sums)
{
  double e[2][3] = {{1, 0, -lever[1]}, {0, 1, lever[0]}};
  for (int i = 0, entry = 0; i < 6; i++) {
    double first = k[0] * rows[0][i] + k[1] * rows[1][i], second = k[1] * rows[0][i] + k[2] * rows[1][i];
    for (int j = 0; j <= i; j++, entry++)
      sums->curvature[entry] += first * rows[0][j] + second * rows[1][j];
    for (int j = 0; j < 3; j++)
      sums->mixed[i][j] += first * e[0][j] + second * e[1][j];
  }
}

// Adds the gradient (order 1) and the curvature of the rotations (order 2) of a vertex: g = B gamma.
static void add_force(const double *axes, const double rho[3], const double gamma[2], int order, double gradient[6],
                      double turn[6])
{
  double g[3], torque[3];
  for (int k = 0; k < 3; k++)
    g[k] = gamma[0] * axes[k] + gamma[1] * axes[3 + k];
  dc_vec_cross(torque, rho, g);
  dc_vec_add(gradient, gradient, torque);
  dc_vec_add(gradient + 3, gradient + 3, g);
  double along = dc_vec_dot(g, rho);
  for (int i = 0, entry = 0; i < 3 && order > 1; i++)
    for (int j = 0; j <= i; j++, entry++)
      turn[entry] += 0.5 * (g[i] * rho[j] + g[j] * rho[i]) - (i == j ? along : 0);
}

// Stores the sums of both bodies.  Those of b stay zero where b does not move; its vertices still hold the plane back.
static void store_derivatives(const struct dc_sliding_hulls *sliding, struct dc_sliding_vertex *vertices, double drag,
                              const struct dc_friction_motion *motion, struct dc_friction_unit *unit)
{
  struct body_sums sums[2];
  double matrix[3][3] = {[2][2] = drag}, rate = 1 / motion->time_step;
  memset(sums, 0, sizeof sums);
  for (int i = 0; i < sliding->count; i++) {
    struct dc_sliding_vertex *v = &vertices[i];
    int x = i < sliding->count_a ? 0 : 1;
    double force = sliding->strength * rate * v->weight / v->size, rho[3], k[3], rows[2][6];
    double gamma[2] = {force * v->slip[0], force * v->slip[1]};
    dc_mat_apply(rho, motion->turn[x], v->arm);
    if (x == 0 || motion->both)
      add_force(sliding->axes, rho, gamma, motion->order, unit->gradient + 6 * x, unit->turn + 6 * x);
    if (motion->order < 2)
      continue;
    curvature_of(motion, v, k);
    add_motion_matrix(k, v->local, matrix);
    for (int r = 0; r < 2; r++) {
      dc_vec_cross(rows[r], rho, sliding->axes + 3 * r);
      dc_vec_copy(rows[r] + 3, sliding->axes + 3 * r);
    }
    if (x == 0 || motion->both)
      add_curvature((const double(*)[6])rows, k, v->local, &sums[x]);
  }
  if (motion->order < 2)
    return;
  double scale = sliding->strength * rate * rate, answer[2][6][3];
  dc_hull_factor_motion(matrix);
  for (int x = 0; x < (motion->both ? 2 : 1); x++)
    for (int i = 0; i < 6; i++) {
      if (unit->primitive)
        memset(sums[x].mixed[i], 0, sizeof sums[x].mixed[i]);
      dc_hull_solve_motion((const double(*)[3])matrix, sums[x].mixed[i], answer[x][i]);
    }
  for (int i = 0, entry = 0; i < 6; i++)
    for (int j = 0; j <= i; j++, entry++)
      unit->h_aa[entry] = scale * (sums[0].curvature[entry] - dc_vec_dot(sums[0].mixed[i], answer[0][j]));
  if (!motion->both) {
    memset(unit->h_bb, 0, sizeof unit->h_bb);
    memset(unit->h_ab, 0, sizeof unit->h_ab);
    return;
  }
  for (int i = 0, entry = 0; i < 6; i++) {
    const double *a = sums[0].mixed[i], *b = sums[1].mixed[i];
    for (int j = 0; j <= i; j++, entry++)
      unit->h_bb[entry] = scale * (sums[1].curvature[entry] - dc_vec_dot(b, answer[1][j]));
    for (int j = 0; j < 6; j++)
      unit->h_ab[6 * i + j] = -scale * dc_vec_dot(a, answer[1][j]);
  }
}

// Finds the motion of the plane, then sums energy, gradient and Hessian over the vertices.
void dc_hull_slips_run(struct dc_hull_slips *friction, struct dc_friction_unit *unit,
                       const struct dc_friction_motion *motion)
{
  struct dc_sliding_hulls *sliding = &friction->sliding_pairs[unit->first];
  struct dc_sliding_vertex *vertices = friction->vertices + sliding->first;
  double sum = 0;
  memset(unit->gradient, 0, sizeof unit->gradient);
  memset(unit->turn, 0, sizeof unit->turn);
  for (int i = 0; i < sliding->count; i++) {
    int x = i < sliding->count_a ? 0 : 1;
    double moved[3];
    dc_mat_apply(moved, motion->drift[x], vertices[i].arm);
    dc_vec_add(moved, moved, motion->velocity[x]);
    for (int k = 0; k < 2; k++)
      vertices[i].velocity[k] = dc_vec_dot(sliding->axes + 3 * k, moved);
  }
  if (unit->primitive) {
    slips_at(vertices, sliding->count, (const double[3]){0, 0, 0}, motion->smoothing, 0);
    take_trial(vertices, sliding->count, false);
  } else {
    unit->unconverged = !solve_motion(sliding, vertices, motion->smoothing, friction->drag);
    sum = 0.5 * friction->drag * sliding->motion[2] * sliding->motion[2];
  }
  for (const struct dc_sliding_vertex *v = vertices; v < vertices + sliding->count;
       v++)  // s - e without its cancellation
    sum += v->weight * (v->slip[0] * v->slip[0] + v->slip[1] * v->slip[1]) / (v->size + motion->smoothing);
  unit->energy = sliding->strength * sum;
  if (motion->order > 0)
    store_derivatives(sliding, vertices, friction->drag, motion, unit);
}
