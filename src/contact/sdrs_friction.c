// SPDX-License-Identifier: Apache-2.0
// Friction of hulls on the planes between them (paper 003, IV.C and VIII; docs/theory.md, "SDRS" and "Friction").
//
// With W_v = lambda h f_v, f_v = -mu |n| P_s'(u_v) / l, B = (b_1, b_2), velocities v_v = B^T (x_v+ - x_v)/h, levers
// (x, y) = B^T (x_v - o), E_v = [I | (-y, x)^T], z = (u, omega):
//     D   = min over z of  sum_v W_v (s_v - e + rho^2 omega^2 / (2 e)),   r_v = v_v - E_v z,
//           s_v = sqrt(|r_v|^2 + e^2)
//     g_v = dD/dx_v+ = B W_v r_v / (h s_v)
//     K_v = W_v / (h^2 s_v^3) (e^2 I + r' r'^T),  r' = r turned by a right angle
// For twists of frame X the rows of J_v = B^T [-[rho]x | I] are (rho x b_k; b_k), rho = R+ R^T (x_v - c_X):
//     H_XY = [X = Y] sum_X J^T K J - C_X Z^-1 C_Y^T,   C_X = sum_X J^T K E,   Z = sum E^T K E + drag,
// and, exactly, + [X = Y] sum_X (g rho^T + rho g^T)/2 - (g.rho) I for the rotations.
#include <stdlib.h>
#include <string.h>

#include "contact/sdrs_internal.h"
#include "math/vector.h"

// On g Z^-1 g relative to sum W s: the square of the change of r_v relative to s_v.  The second is the square of what
// rounding leaves of a velocity.
static const double DECREMENT = 1e-20, VELOCITY_NOISE = 1e-31;
// Rounding of sum W s: of its terms, and of velocities, which may be far above the slips.
static const double VALUE_NOISE = 1e-14, SLIP_NOISE = 1e-15;
static const double SPIN_RADIUS = 1e-6;   // rho, in units of length
static const double LEAST_PIVOT = 1e-15;  // relative to the diagonal
static const double LEAST_DIAGONAL = 1e-290;
enum { LIMIT = 80, HALVINGS = 40 };

// ---- What rubs

static enum dc_status create(struct dc_contact *contact)
{
  struct dc_sdrs_friction *friction = dc_arena_alloc(contact->arena, 1, sizeof *friction);
  size_t bodies = (size_t)contact->bodies->count;
  if (!friction)
    return DC_MEMORY;
  friction->coefficient = dc_arena_alloc(contact->arena, bodies, sizeof *friction->coefficient);
  friction->now = dc_arena_alloc(contact->arena, bodies, sizeof *friction->now);
  if (!friction->coefficient || !friction->now)
    return DC_MEMORY;
  ((struct dc_sdrs *)contact->own)->friction = friction;
  return DC_OK;
}

void dc_sdrs_friction_destroy(struct dc_sdrs_friction *friction)
{
  if (!friction)
    return;
  free(friction->rubs);
  free(friction->vertices);
}

static struct dc_sdrs_friction *friction_of(const struct dc_contact *contact)
{
  return ((const struct dc_sdrs *)contact->own)->friction;
}

// Room for so many more vertices; -1 when out of memory.
static int reserve_vertices(struct dc_sdrs_friction *friction, size_t count)
{
  return dc_grow(&friction->vertices, &friction->vertex_capacity, friction->vertex_count + count,
                 sizeof *friction->vertices)
             ? -1
             : 0;
}

// One more pair; NULL when out of memory.
static struct dc_sdrs_rub *add_rub(struct dc_sdrs_friction *friction, int pair)
{
  if (dc_grow(&friction->rubs, &friction->rub_capacity, friction->rub_count + 1, sizeof *friction->rubs))
    return NULL;
  struct dc_sdrs_rub *rub = &friction->rubs[friction->rub_count++];
  *rub = (struct dc_sdrs_rub){.pair = pair, .first = friction->vertex_count};
  return rub;
}

// There is room for it.
static void add_vertex(struct dc_sdrs_friction *friction, struct dc_sdrs_rub *rub, const double arm[3],
                       const double local[3], double distance, double weight)
{
  struct dc_sdrs_rubbing *vertex = &friction->vertices[friction->vertex_count++];
  *vertex = (struct dc_sdrs_rubbing){.distance = distance, .weight = weight};
  dc_vec_copy(vertex->arm, arm);
  dc_vec_copy(vertex->local, local);
  rub->strength += weight;
  rub->count++;
}

static void finish_rub(struct dc_sdrs_friction *friction, struct dc_sdrs_rub *rub)
{
  if (!(rub->strength > 0)) {
    friction->vertex_count = rub->first;
    friction->rub_count--;
    return;
  }
  for (int v = 0; v < rub->count; v++)
    friction->vertices[rub->first + (size_t)v].weight /= rub->strength;
}

static int list_hulls(struct dc_contact *contact, int p, double scale)
{
  struct dc_sdrs_friction *friction = friction_of(contact);
  struct dc_sdrs_pair *own = &((struct dc_sdrs *)contact->own)->pairs[p];
  struct dc_sdrs_hulls *hulls = &own->hulls;
  const struct dc_pair *pair = &contact->pairs[p];
  double length = contact->settings.length, difference[3];
  dc_vec_sub(difference, friction->now[pair->a].position, friction->now[pair->b].position);
  for (size_t k = 0; k < own->contact_count; k++) {
    const struct dc_sdrs_contact *of = &own->contacts[k];
    struct dc_sdrs_plane plane;
    struct dc_sdrs_frame frame;
    if (dc_sdrs_load(contact, p, of->i, of->j, friction->now))
      return -1;
    struct dc_sdrs_rub *rub = add_rub(friction, p);
    if (!rub || reserve_vertices(friction, (size_t)hulls->count))
      return -1;
    dc_sdrs_plane_at(dc_plane_cache_find(&own->planes, of->i, of->j), friction->now[pair->b].rotation, difference,
                     length, &plane);
    bool found = dc_sdrs_make_frame(hulls, &plane, 1, &frame);
    if (found)
      memcpy(rub->axes, frame.axes, sizeof rub->axes);
    rub->slack = plane.slack;
    for (int v = 0; v < hulls->count && found; v++) {
      double arm[3], local[3], barrier[3];
      if (hulls->distance[v] >= hulls->support)
        continue;
      dc_sdrs_barrier(hulls->support, hulls->distance[v], barrier);
      if (!(barrier[1] < 0))
        continue;
      dc_vec_scale(arm, hulls->x[v], length);
      if (v >= hulls->count_a)
        dc_vec_add(arm, arm, difference);
      dc_vec_scale(local, hulls->local[v], length);
      add_vertex(friction, rub, arm, local, hulls->distance[v], -scale * (1 - plane.slack) * barrier[1]);
      rub->count_a += v < hulls->count_a;
    }
    finish_rub(friction, rub);
  }
  return 0;
}

static int list_floor(struct dc_contact *contact, int p, double scale)
{
  struct dc_sdrs_friction *friction = friction_of(contact);
  const struct dc_pair *pair = &contact->pairs[p];
  const struct dc_sdrs_body *body = &((const struct dc_sdrs *)contact->own)->bodies[pair->a];
  const struct dc_collider *floor = &contact->colliders[pair->b];
  const double *n = floor->normal, *rotation = friction->now[pair->a].rotation;
  double base = dc_vec_dot(n, friction->now[pair->a].position) - floor->height, turned[3],
         unit = 1 / contact->settings.length;
  struct dc_sdrs_rub *rub = add_rub(friction, p);
  if (!rub)
    return -1;
  rub->floor = true;
  dc_sdrs_complete_axes(n, rub->axes);
  dc_mat_apply_transposed(turned, rotation, n);
  for (int i = 0; i < body->hull_count; i++)
    for (int v = 0; v < dc_sdrs_hull_size(body, i); v++) {
      const double *x = dc_sdrs_hull_vertex(body, i, v), none[3] = {0, 0, 0};
      double distance = (base + dc_vec_dot(turned, x)) * unit, arm[3], barrier[3];
      if (distance >= contact->settings.support)
        continue;
      if (reserve_vertices(friction, 1))
        return -1;
      dc_sdrs_barrier(contact->settings.support, distance, barrier);
      dc_mat_apply(arm, rotation, x);
      add_vertex(friction, rub, arm, none, distance, -scale * barrier[1]);
      rub->count_a++;
    }
  finish_rub(friction, rub);
  return 0;
}

static enum dc_status begin(struct dc_contact *contact, const struct dc_pose *now, const struct dc_friction_law *law,
                            struct dc_error *error)
{
  struct dc_sdrs_friction *friction = friction_of(contact);
  if (friction)
    friction->rub_count = 0;
  if (!dc_friction_anything_rubs(contact, law->coefficient))
    return DC_OK;
  if (!friction && create(contact))
    return dc_fail(error, DC_MEMORY, "out of memory for friction");
  friction = friction_of(contact);
  friction->stiffness = law->stiffness;
  friction->time_step = law->time_step;
  friction->smoothing = law->smoothing;
  double radius = SPIN_RADIUS * contact->settings.length;
  friction->drag = radius * radius / law->smoothing;
  memcpy(friction->coefficient, law->coefficient, (size_t)contact->bodies->count * sizeof *law->coefficient);
  memcpy(friction->now, now, (size_t)contact->bodies->count * sizeof *now);
  friction->rub_count = friction->vertex_count = 0;
  friction->solved = true;
  friction->accepted = false;
  for (int p = 0; p < contact->pair_count; p++) {
    const struct dc_pair *pair = &contact->pairs[p];
    double scale = dc_friction_pair_coefficient(law->coefficient, pair) * law->time_step * law->stiffness /
                   contact->settings.length;
    if (!(scale > 0) || pair->crossing || pair->failed)
      continue;
    if (contact->colliders[pair->b].half_space ? list_floor(contact, p, scale) : list_hulls(contact, p, scale)) {
      friction->rub_count = 0;
      return dc_fail(error, DC_MEMORY, "out of memory for friction");
    }
  }
  return DC_OK;
}

static bool rubs(const struct dc_contact *contact)
{
  const struct dc_sdrs_friction *friction = friction_of(contact);
  return friction && friction->rub_count > 0;
}

static bool solved(const struct dc_contact *contact)
{
  return friction_of(contact)->solved;
}

void dc_sdrs_motion_of(const struct dc_contact *contact, int pair, const struct dc_pose *next,
                       struct dc_sdrs_motion *motion)
{
  const struct dc_sdrs_friction *friction = friction_of(contact);
  for (int x = 0; x < 2; x++) {
    int body = x ? contact->pairs[pair].b : contact->pairs[pair].a;
    motion->both =  // b is the last
        dc_friction_body_motion(&contact->bodies->bodies[body], &friction->now[body], &next[body],
                                1 / friction->time_step, motion->turn[x], motion->drift[x], motion->velocity[x]);
  }
}

// ---- Motion of the plane

void dc_sdrs_factor_motion(double z[3][3])
{
  double d1 = z[1][1], d2 = z[2][2];
  z[0][0] = fmax(z[0][0], LEAST_DIAGONAL);
  double l10 = z[1][0] / z[0][0], l20 = z[2][0] / z[0][0];
  z[1][1] = fmax(d1 - z[1][0] * l10, fmax(LEAST_PIVOT * d1, LEAST_DIAGONAL));
  double b = z[2][1] - z[2][0] * l10, l21 = b / z[1][1];
  z[2][2] = fmax(d2 - z[2][0] * l20 - b * l21, fmax(LEAST_PIVOT * d2, LEAST_DIAGONAL));
  z[1][0] = l10;
  z[2][0] = l20;
  z[2][1] = l21;
}

double dc_sdrs_solve_motion(const double z[3][3], const double g[3], double x[3])
{
  double y1 = g[1] - z[1][0] * g[0], y2 = g[2] - z[2][0] * g[0] - z[2][1] * y1, g0 = g[0];
  double z0 = g0 / z[0][0], z1 = y1 / z[1][1], z2 = y2 / z[2][2];
  x[2] = z2;
  x[1] = z1 - z[2][1] * z2;
  x[0] = z0 - z[1][0] * x[1] - z[2][0] * z2;
  return g0 * z0 + (y1 * z1 + y2 * z2);
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
static double slips_at(struct dc_sdrs_rubbing *vertices, int count, const double z[3], double smoothing, double drag)
{
  double sum = 0.5 * drag * z[2] * z[2];
  for (struct dc_sdrs_rubbing *v = vertices; v < vertices + count; v++) {
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

static void take_trial(struct dc_sdrs_rubbing *vertices, int count, bool move)
{
  for (struct dc_sdrs_rubbing *v = vertices; v < vertices + count; v++) {
    double dr[2] = {v->trial_slip[0] - v->slip[0], v->trial_slip[1] - v->slip[1]};
    if (move)
      move_pull(v->slip, dr, v->size, v->pull);
    v->slip[0] = v->trial_slip[0];
    v->slip[1] = v->trial_slip[1];
    v->size = v->trial_size;
  }
}

// Least squares, the first step from y = 0 with all s alike.
static void cold_start(struct dc_sdrs_rub *rub, struct dc_sdrs_rubbing *vertices, double drag)
{
  double matrix[3][3] = {[2][2] = drag}, g[3] = {0, 0, 0};
  for (struct dc_sdrs_rubbing *v = vertices; v < vertices + rub->count; v++) {
    double k[3] = {v->weight, 0, v->weight}, w[2] = {v->weight * v->velocity[0], v->weight * v->velocity[1]};
    add_motion_matrix(k, v->local, matrix);
    add_motion_gradient(w, v->local, g);
    v->pull[0] = v->pull[1] = 0;
  }
  dc_sdrs_factor_motion(matrix);
  dc_sdrs_solve_motion((const double(*)[3])matrix, g, rub->motion);
}

// The motion that dissipates least: Newton's method on s_v y_v = r_v, sum W E^T y = 0 (docs/theory.md, "Friction",
// "Motion of the plane").  Leaves slips and sizes.
static bool solve_motion(struct dc_sdrs_rub *rub, struct dc_sdrs_rubbing *vertices, double smoothing, double drag)
{
  double most = 0, value;
  if (!rub->warm)
    cold_start(rub, vertices, drag * smoothing);
  rub->warm = true;
  for (struct dc_sdrs_rubbing *v = vertices; v < vertices + rub->count; v++)
    most = fmax(most, v->velocity[0] * v->velocity[0] + v->velocity[1] * v->velocity[1]);
  double tolerance = DECREMENT + VELOCITY_NOISE / (smoothing * smoothing) * most, noise = SLIP_NOISE * sqrt(most);
  value = slips_at(vertices, rub->count, rub->motion, smoothing, drag);
  take_trial(vertices, rub->count, false);
  for (int iteration = 0; iteration < LIMIT; iteration++) {
    double matrix[3][3] = {[2][2] = drag}, g[3] = {0, 0, -drag * rub->motion[2]}, step[3], trial[3],
           trial_value = INFINITY, alpha = 1;
    for (const struct dc_sdrs_rubbing *v = vertices; v < vertices + rub->count; v++) {
      double scale = v->weight / v->size, w[2] = {scale * v->slip[0], scale * v->slip[1]};
      double q0 = w[0] / v->size, q1 = w[1] / v->size;
      double k[3] = {scale - q0 * v->pull[0], -0.5 * (q0 * v->pull[1] + q1 * v->pull[0]), scale - q1 * v->pull[1]};
      add_motion_matrix(k, v->local, matrix);
      add_motion_gradient(w, v->local, g);
    }
    dc_sdrs_factor_motion(matrix);
    double decrement = dc_sdrs_solve_motion((const double(*)[3])matrix, g, step);
    bool last = fabs(decrement) <= tolerance * value;
    for (int halving = 0; halving <= HALVINGS; halving++, alpha *= 0.5) {
      for (int i = 0; i < 3; i++)
        trial[i] = rub->motion[i] + alpha * step[i];
      trial_value = slips_at(vertices, rub->count, trial, smoothing, drag);
      if (last || trial_value <= value * (1 + VALUE_NOISE) + noise - 1e-4 * alpha * decrement)
        break;
    }
    take_trial(vertices, rub->count, true);
    memcpy(rub->motion, trial, sizeof trial);
    value = trial_value;
    if (last)
      return true;
  }
  return false;
}

// ---- Energy and derivatives

struct setting {
  int order;
  bool hold, fresh;
  double start, time_step, smoothing, drag;
  int to;
};

// y of a vertex at a new iterate, kept with it for the next: from those of the iterate before, unless fresh.
static const double *hold_pull(const struct setting *setting, struct dc_sdrs_rubbing *v)
{
  double *y = v->held[setting->to];
  const double *old = v->slips[1 - setting->to];
  for (int k = 0; k < 2; k++)
    y[k] = setting->fresh ? setting->start * v->slip[k] / v->size : v->held[1 - setting->to][k];
  if (!setting->fresh) {
    double dr[2] = {v->slip[0] - old[0], v->slip[1] - old[1]};
    move_pull(old, dr, sqrt(old[0] * old[0] + (old[1] * old[1] + setting->smoothing * setting->smoothing)), y);
  }
  for (int k = 0; k < 2; k++)
    v->slips[setting->to][k] = v->slip[k];
  return y;
}

// K's lower triangle times h^2 / (strength of the pair); held: W/s (I - (q y^T + y q^T)/2), q = r/s.
static void curvature_of(const struct setting *setting, struct dc_sdrs_rubbing *v, double k[3])
{
  double e2 = setting->smoothing * setting->smoothing, scale = v->weight / v->size, q[2];
  q[0] = v->slip[0] / v->size;
  q[1] = v->slip[1] / v->size;
  if (setting->hold) {
    const double *y = hold_pull(setting, v);
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

// What concerns b stays zero where b does not move; its vertices still hold the plane back.
static void store_derivatives(struct dc_sdrs_rub *rub, struct dc_sdrs_rubbing *vertices, const struct setting *setting,
                              const struct dc_sdrs_motion *motion)
{
  struct dc_friction_derivatives *result = &rub->result;
  struct body_sums sums[2];
  double matrix[3][3] = {[2][2] = setting->drag}, rate = 1 / setting->time_step;
  memset(sums, 0, sizeof sums);
  for (int i = 0; i < rub->count; i++) {
    struct dc_sdrs_rubbing *v = &vertices[i];
    int x = i < rub->count_a ? 0 : 1;
    double force = rub->strength * rate * v->weight / v->size, rho[3], k[3], rows[2][6];
    double gamma[2] = {force * v->slip[0], force * v->slip[1]};
    dc_mat_apply(rho, motion->turn[x], v->arm);
    if (x == 0 || motion->both)
      add_force(rub->axes, rho, gamma, setting->order, result->gradient + 6 * x, result->turn[x]);
    if (setting->order < 2)
      continue;
    curvature_of(setting, v, k);
    add_motion_matrix(k, v->local, matrix);
    for (int r = 0; r < 2; r++) {
      dc_vec_cross(rows[r], rho, rub->axes + 3 * r);
      dc_vec_copy(rows[r] + 3, rub->axes + 3 * r);
    }
    if (x == 0 || motion->both)
      add_curvature((const double(*)[6])rows, k, v->local, &sums[x]);
  }
  if (setting->order < 2)
    return;
  double scale = rub->strength * rate * rate, answer[2][6][3];
  dc_sdrs_factor_motion(matrix);
  for (int x = 0; x < 2; x++)
    for (int i = 0; i < 6; i++) {
      if (rub->floor)
        memset(sums[x].mixed[i], 0, sizeof sums[x].mixed[i]);
      dc_sdrs_solve_motion((const double(*)[3])matrix, sums[x].mixed[i], answer[x][i]);
    }
  for (int i = 0, entry = 0; i < 6; i++) {
    for (int j = 0; j <= i; j++, entry++) {
      const double *a = sums[0].mixed[i], *b = sums[1].mixed[i];
      result->h_aa[i][j] = scale * (sums[0].curvature[entry] - dc_vec_dot(a, answer[0][j]));
      result->h_bb[i][j] = scale * (sums[1].curvature[entry] - dc_vec_dot(b, answer[1][j]));
      result->h_aa[j][i] = result->h_aa[i][j];
      result->h_bb[j][i] = result->h_bb[i][j];
    }
    for (int j = 0; j < 6; j++)
      result->h_ab[i][j] = -scale * dc_vec_dot(sums[0].mixed[i], answer[1][j]);
  }
}

static void run_rub(struct dc_contact *contact, struct dc_sdrs_rub *rub, const struct dc_pose *next,
                    const struct setting *setting)
{
  struct dc_sdrs_rubbing *vertices = friction_of(contact)->vertices + rub->first;
  struct dc_sdrs_motion motion;
  double sum = 0;
  dc_sdrs_motion_of(contact, rub->pair, next, &motion);
  memset(&rub->result, 0, sizeof rub->result);
  for (int i = 0; i < rub->count; i++) {
    int x = i < rub->count_a ? 0 : 1;
    double moved[3];
    dc_mat_apply(moved, motion.drift[x], vertices[i].arm);
    dc_vec_add(moved, moved, motion.velocity[x]);
    for (int k = 0; k < 2; k++)
      vertices[i].velocity[k] = dc_vec_dot(rub->axes + 3 * k, moved);
  }
  rub->solved = true;
  if (rub->floor) {
    slips_at(vertices, rub->count, (const double[3]){0, 0, 0}, setting->smoothing, 0);
    take_trial(vertices, rub->count, false);
  } else {
    rub->solved = solve_motion(rub, vertices, setting->smoothing, setting->drag);
    sum = 0.5 * setting->drag * rub->motion[2] * rub->motion[2];
  }
  for (const struct dc_sdrs_rubbing *v = vertices; v < vertices + rub->count; v++)  // s - e without its cancellation
    sum += v->weight * (v->slip[0] * v->slip[0] + v->slip[1] * v->slip[1]) / (v->size + setting->smoothing);
  rub->result.energy = rub->strength * sum;
  if (setting->order > 0)
    store_derivatives(rub, vertices, setting, &motion);
}

static void gather(const struct dc_friction_derivatives *from, bool exact, struct dc_friction_derivatives *to)
{
  const double *source = &from->energy;
  double *sum = &to->energy;
  for (size_t i = 0; i < sizeof *from / sizeof *source; i++)
    sum[i] += source[i];
  for (int x = 0; x < 2 && exact; x++)
    for (int i = 0, entry = 0; i < 3; i++)
      for (int j = 0; j <= i; j++, entry++) {
        double(*block)[6] = x ? to->h_bb : to->h_aa, turn = from->turn[x][entry];
        block[i][j] += turn;
        block[j][i] += i == j ? 0 : turn;
        to->turn[x][entry] = 0;
      }
}

struct evaluation {
  struct dc_contact *contact;
  const struct dc_pose *next;
  const struct setting *setting;
};

static void rub_pass(void *context, int k, int thread)
{
  (void)thread;
  const struct evaluation *e = context;
  run_rub(e->contact, &friction_of(e->contact)->rubs[k], e->next, e->setting);
}

static double evaluate(struct dc_contact *contact, const struct dc_pose *next, int order,
                       enum dc_friction_curvature curvature, struct dc_friction_derivatives *results)
{
  struct dc_sdrs_friction *friction = friction_of(contact);
  struct setting setting = {.order = order,
                            .hold = curvature == DC_FRICTION_HELD || curvature == DC_FRICTION_MAJORANT,
                            .fresh = !friction->accepted || curvature == DC_FRICTION_MAJORANT,
                            .start = curvature == DC_FRICTION_MAJORANT ? 0 : 1,
                            .time_step = friction->time_step,
                            .smoothing = friction->smoothing,
                            .drag = friction->drag,
                            .to = 1 - friction->slot};
  double energy = 0;
  int count = (int)friction->rub_count;
  struct evaluation e = {.contact = contact, .next = next, .setting = &setting};
  dc_loop_run(rub_pass, &e, count, dc_sdrs_worth_threads(friction) ? 0 : 1, &friction->loop);
  friction->solved = true;
  for (int k = 0; k < count; k++) {
    const struct dc_sdrs_rub *rub = &friction->rubs[k];
    gather(&rub->result, curvature == DC_FRICTION_EXACT && order > 1, &results[rub->pair]);
    friction->solved &= rub->solved;
  }
  for (int p = 0; p < contact->pair_count; p++)
    energy += results[p].energy;
  return energy;
}

static void accept(struct dc_contact *contact)
{
  struct dc_sdrs_friction *friction = friction_of(contact);
  friction->slot = 1 - friction->slot;
  friction->accepted = true;
}

const struct dc_friction_methods dc_sdrs_friction_methods = {.begin = begin,
                                                             .rubs = rubs,
                                                             .evaluate = evaluate,
                                                             .accept = accept,
                                                             .solved = solved,
                                                             .pull_back = dc_sdrs_pull_back};
