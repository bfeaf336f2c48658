// SPDX-License-Identifier: Apache-2.0
// Friction's mixed derivative: how its gradient at t+1 depends on the poses at t, coefficients and stiffness.
//
// With y all that belongs to time t, a motion x' of the vertices at t+1 and zeta the answer of the plane's motion,
//     Z zeta = sum E^T K x',     d/dy (D_x x') = d/dy G,   G = D_x x' + D_z zeta = sum_v W_v (r_v.r'_v) / s_v
// at fixed x, z, x', zeta (docs/theory.md, "Friction").  In three dimensions, with P = I - n n^T and q = x_v - o,
//     r = P p,   p = (x+ - x)/h - u - omega n x q,     r' = P p',   p' = x'/h - upsilon - varpi n x q,
//     a = dG/dr = W (r'/s - r (r.r')/s^3),   b = dG/dr' = W r/s,
//     x gains -a/h - omega a x n - varpi b x n,   n gains -(n.p) a - omega q x a - (n.p') b - varpi q x b.
// Everything below is in the local frame of a triangle pair: b_1, b_2, n about o.
#include <string.h>

#include "contact/friction_internal.h"
#include "math/vector.h"

static const double SQRT12 = 3.4641016151377545871;

// The three matrix rows of a symmetric system, solved in place by L D L^T in the given order; pivots are kept above
// least times their diagonal.
static void solve3(double m[3][3], double least, double x[3])
{
  double l10 = m[1][0] / m[0][0], l20 = m[2][0] / m[0][0];
  double pivot1 = fmax(m[1][1] - l10 * m[1][0], least * m[1][1]), b = m[2][1] - l20 * m[1][0];
  double l21 = b / pivot1, pivot2 = fmax(m[2][2] - l20 * m[2][0] - l21 * b, least * m[2][2]);
  double y1 = x[1] - l10 * x[0], y2 = x[2] - l20 * x[0] - l21 * y1;
  x[2] = y2 / pivot2;
  x[1] = y1 / pivot1 - l21 * x[2];
  x[0] = x[0] / m[0][0] - l10 * x[1] - l20 * x[2];
}

// One lane of a batch.
struct rubbing_pair {
  double axes[9], arm[6][3], lever[6][2], distance[6], weight[6];  // W_v
  double z[3];                                                     // u, omega
};

static void read_lane(const struct dc_friction_batch *batch, int l, struct rubbing_pair *p)
{
  for (int i = 0; i < 9; i++)
    p->axes[i] = batch->axes[i][l];
  for (int v = 0; v < 6; v++) {
    for (int k = 0; k < 3; k++)
      p->arm[v][k] = batch->arms[3 * v + k][l];
    for (int k = 0; k < 2; k++)
      p->lever[v][k] = batch->levers[2 * v + k][l];
    p->distance[v] = batch->distances[v][l];
    p->weight[v] = batch->strength[l] * batch->weights[v][l];
  }
  for (int k = 0; k < 3; k++)
    p->z[k] = batch->motion[k][l];
}

static double side(int v)
{
  return v < 3 ? 1 : -1;
}

// (x+ - x)/h of a vertex and x'/h for a twist of its frame at t+1, in the axes of the plane.
static void vertex_velocity(const struct dc_friction_motion *motion, int body, const double *axes, const double *arm,
                            const double *twist, double velocity[3], double variation[3])
{
  double moved[3], rho[3], turned[3];
  dc_mat_apply(moved, motion->drift[body], arm);
  dc_vec_add(moved, moved, motion->velocity[body]);
  dc_mat_apply(velocity, axes, moved);
  dc_mat_apply(rho, motion->turn[body], arm);
  dc_vec_cross(turned, twist, rho);
  dc_vec_add(turned, turned, twist + 3);
  dc_vec_scale(turned, turned, 1 / motion->time_step);
  dc_mat_apply(variation, axes, turned);
}

// zeta = (upsilon, varpi): how the plane's motion answers.
static void plane_answer(const struct rubbing_pair *p, const double velocity[6][3], const double variation[6][3],
                         double smoothing, double zeta[3])
{
  double matrix[3][3] = {{0}};
  memset(zeta, 0, 3 * sizeof *zeta);
  for (int v = 0; v < 6; v++) {
    const double *lever = p->lever[v], *x = variation[v];
    double r0 = velocity[v][0] - p->z[0] + p->z[2] * lever[1], r1 = velocity[v][1] - p->z[1] - p->z[2] * lever[0];
    double e2 = smoothing * smoothing, s2 = r0 * r0 + r1 * r1 + e2, scale = p->weight[v] / (s2 * sqrt(s2));
    double k[2][2] = {{scale * (e2 + r1 * r1), -scale * r0 * r1}, {-scale * r0 * r1, scale * (e2 + r0 * r0)}};
    double e[2][3] = {{1, 0, -lever[1]}, {0, 1, lever[0]}};
    for (int i = 0; i < 3; i++) {
      double row[2] = {e[0][i] * k[0][0] + e[1][i] * k[1][0], e[0][i] * k[0][1] + e[1][i] * k[1][1]};
      zeta[i] += row[0] * x[0] + row[1] * x[1];
      for (int j = 0; j < 3; j++)
        matrix[i][j] += row[0] * e[0][j] + row[1] * e[1][j];
    }
  }
  solve3(matrix, 1e-15, zeta);
}

// The rows of the plane at time t: gradients xbar of the vertices [6][3], nbar of the plane's normal (two components)
// and dbar of its offset.
struct cotangents {
  double x[6][3], n[2], d;
};

// Adds the part of G's derivative that acts through r and r'; share [6] receives each vertex's part of G.
static void through_slips(const struct rubbing_pair *p, const struct dc_friction_motion *motion,
                          const double velocity[6][3], const double variation[6][3], const double zeta[3],
                          double share[6], struct cotangents *c)
{
  double omega = p->z[2], varpi = zeta[2], e2 = motion->smoothing * motion->smoothing;
  for (int v = 0; v < 6; v++) {
    const double *lever = p->lever[v];
    double height = side(v) * p->distance[v], a[2], b[2];
    double r[2] = {velocity[v][0] - p->z[0] + omega * lever[1], velocity[v][1] - p->z[1] - omega * lever[0]};
    double dr[2] = {variation[v][0] - zeta[0] + varpi * lever[1], variation[v][1] - zeta[1] - varpi * lever[0]};
    double s2 = r[0] * r[0] + r[1] * r[1] + e2, s = sqrt(s2), turned = (r[0] * dr[1] - r[1] * dr[0]) / s2;
    share[v] = p->weight[v] * (r[0] * dr[0] + r[1] * dr[1]) / s;
    // r'/s - r (r.r')/s^3 = (e^2 r' + (r x r') r turned)/s^3
    a[0] = p->weight[v] / s * (e2 / s2 * dr[0] - turned * r[1]);
    a[1] = p->weight[v] / s * (e2 / s2 * dr[1] + turned * r[0]);
    b[0] = p->weight[v] * r[0] / s;
    b[1] = p->weight[v] * r[1] / s;
    c->x[v][0] += -a[0] / motion->time_step - omega * a[1] - varpi * b[1];
    c->x[v][1] += -a[1] / motion->time_step + omega * a[0] + varpi * b[0];
    c->n[0] += -velocity[v][2] * a[0] - variation[v][2] * b[0] + height * (omega * a[1] + varpi * b[1]);
    c->n[1] += -velocity[v][2] * a[1] - variation[v][2] * b[1] - height * (omega * a[0] + varpi * b[0]);
  }
}

// f_v = mu w_i w_j (1 - phi) c(S) P'(S) / h_v^2, c the factor of the range, S = sum 1/h_v, h_v = s_v (n.x_v + d)
static void through_forces(const struct rubbing_pair *p, const struct dc_contact_settings *settings,
                           const double share[6], struct cotangents *c)
{
  double sum = 0, total = 0;
  for (int v = 0; v < 6; v++) {
    sum += 1 / p->distance[v];
    total += share[v];
  }
  // P''/P' with P' = l (1 + sqrt(12/(l S))), P'' = -sqrt(12 l)/2 S^(-3/2)
  double root = SQRT12 / sqrt(settings->length * sum), by_sum = -0.5 * root / (sum * (1 + root)) * total, rate;
  dc_friction_within_range(sum, settings->friction_range, &rate);
  by_sum += rate * total;
  for (int v = 0; v < 6; v++) {
    double h = p->distance[v], by_distance = side(v) * (-2 * share[v] / h - by_sum / (h * h));
    c->x[v][2] += by_distance;
    c->n[0] += by_distance * p->lever[v][0];
    c->n[1] += by_distance * p->lever[v][1];
    c->d += by_distance;
  }
}

// The plane minimizes S over unit normals: with y = (x.b_1, x.b_2, 1) its Hessian is M = diag(S, S, 0) + sum 2/h^3 y
// y^T and its gradient -sum s/h^2 y; M eta = (nbar, dbar) carries nbar and dbar on to the vertices.
static void through_plane(const struct rubbing_pair *p, struct cotangents *c)
{
  double m[3][3] = {{0}}, eta[3] = {c->d, c->n[0], c->n[1]}, scale = INFINITY;
  for (int v = 0; v < 6; v++)
    scale = fmin(scale, p->distance[v]);
  for (int v = 0; v < 6; v++) {  // times scale^3, the offset first: it is the best conditioned pivot
    double ratio = scale / p->distance[v], cube = 2 * ratio * ratio * ratio, y[3] = {1, p->lever[v][0], p->lever[v][1]};
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++)
        m[i][j] += cube * y[i] * y[j];
    m[1][1] += ratio * scale * scale;
    m[2][2] += ratio * scale * scale;
  }
  solve3(m, 0, eta);
  for (int v = 0; v < 6; v++) {
    double ratio = scale / p->distance[v], square = side(v) * ratio * ratio * scale;
    c->x[v][0] += square * eta[1];
    c->x[v][1] += square * eta[2];
    c->x[v][2] -= 2 * ratio * ratio * ratio * (eta[0] + p->lever[v][0] * eta[1] + p->lever[v][1] * eta[2]);
  }
}

// Adds the wrench of force at arm.
static void add_wrench(const double arm[3], const double force[3], double wrench[6])
{
  double torque[3];
  dc_vec_cross(torque, arm, force);
  dc_vec_add(wrench, wrench, torque);
  dc_vec_add(wrench + 3, wrench + 3, force);
}

// Twists of the frames at t+1 in, wrenches of those at t out; both of a body pair.
struct pair_sides {
  const double *twist[2];
  double wrench[2][6];
};

static double pull_back_lane(const struct dc_contact *contact, const struct rubbing_pair *p,
                             const struct dc_friction_motion *motion, struct pair_sides *sides)
{
  struct cotangents c = {.d = 0};
  double velocity[6][3], variation[6][3], zeta[3], share[6], total = 0;
  for (int v = 0; v < 6; v++)
    vertex_velocity(motion, v / 3, p->axes, p->arm[v], sides->twist[v / 3], velocity[v], variation[v]);
  plane_answer(p, (const double(*)[3])velocity, (const double(*)[3])variation, motion->smoothing, zeta);
  through_slips(p, motion, (const double(*)[3])velocity, (const double(*)[3])variation, zeta, share, &c);
  through_forces(p, &contact->settings, share, &c);
  through_plane(p, &c);
  for (int v = 0; v < 6; v++) {
    double force[3];
    dc_mat_apply_transposed(force, p->axes, c.x[v]);
    add_wrench(p->arm[v], force, sides->wrench[v / 3]);
    total += share[v];
  }
  return total;
}

// 1 - phi of all blends above a pair: by_support [blends] holds the derivative by its logarithm.
static void through_blends(const struct dc_contact *contact, int pair, const struct dc_friction_blend *blends,
                           const double *by_support, size_t count, struct pair_sides *sides)
{
  const struct dc_friction *friction = contact->friction;
  int a = contact->pairs[pair].a, b = contact->pairs[pair].b;
  const struct dc_sphere_tree *tree_a = &contact->colliders[a].tree, *tree_b = &contact->colliders[b].tree;
  for (size_t k = 1; k < count; k++) {
    double arm_a[3], arm_b[3], d[3], force[3], rate;
    if (by_support[k] == 0)
      continue;
    dc_mat_apply(arm_a, friction->now[a].rotation, tree_a->center[blends[k].i]);
    dc_mat_apply(arm_b, friction->now[b].rotation, tree_b->center[blends[k].j]);
    for (int i = 0; i < 3; i++)
      d[i] = (friction->now[a].position[i] - friction->now[b].position[i]) + (arm_a[i] - arm_b[i]);
    double r = dc_vec_norm(d);
    dc_friction_support(r, tree_a->radius[blends[k].i] + tree_b->radius[blends[k].j], contact->settings.blend, &rate);
    dc_vec_scale(force, d, -rate * by_support[k] / r);
    add_wrench(arm_a, force, sides->wrench[0]);
    dc_vec_scale(force, force, -1);
    add_wrench(arm_b, force, sides->wrench[1]);
  }
}

static double pull_back_triangles(struct dc_contact *contact, int pair, const struct dc_friction_motion *motion,
                                  struct pair_sides *sides)
{
  struct dc_friction *friction = contact->friction;
  const struct dc_friction_pair *list = &friction->pairs[pair];
  const struct dc_friction_blend *blends = friction->blends + list->first_blend;
  double *by_support = friction->by_support, total = 0;
  memset(by_support, 0, list->blend_count * sizeof *by_support);
  for (size_t k = list->first_batch; k < list->first_batch + list->batch_count; k++)
    for (int l = 0; l < DC_BATCH && friction->blend[k][l] >= 0; l++) {
      struct rubbing_pair p;
      read_lane(&friction->batches[k], l, &p);
      double share = pull_back_lane(contact, &p, motion, sides);
      total += share;
      for (int blend = friction->blend[k][l]; blend > 0; blend = blends[blend].parent)
        by_support[blend] += share;
    }
  through_blends(contact, pair, blends, by_support, list->blend_count, sides);
  return total;
}

// The plane of a half space stands still: W_v = lambda h mu w_v 12 l / h_v^2.
static double pull_back_floor(const struct dc_contact *contact, int pair, const struct dc_friction_motion *motion,
                              struct pair_sides *sides)
{
  const struct dc_friction *friction = contact->friction;
  const struct dc_friction_pair *list = &friction->pairs[pair];
  double total = 0, e2 = motion->smoothing * motion->smoothing;
  for (size_t k = 0; k < list->floor_count * DC_BATCH; k++) {
    const struct dc_floor_batch *batch = &friction->floors[list->first_floor + k / DC_BATCH];
    size_t l = k % DC_BATCH;
    double arm[3] = {batch->arm[0][l], batch->arm[1][l], batch->arm[2][l]}, r[3], dr[3], c[3], force[3];
    vertex_velocity(motion, 0, list->floor_axes, arm, sides->twist[0], r, dr);
    double s2 = r[0] * r[0] + r[1] * r[1] + e2, s = sqrt(s2), turned = (r[0] * dr[1] - r[1] * dr[0]) / s2;
    double share = batch->weight[l] * (r[0] * dr[0] + r[1] * dr[1]) / s;
    double scale = -batch->weight[l] / (s * motion->time_step);
    c[0] = scale * (e2 / s2 * dr[0] - turned * r[1]);
    c[1] = scale * (e2 / s2 * dr[1] + turned * r[0]);
    c[2] = -2 * share / batch->height[l];
    dc_mat_apply_transposed(force, list->floor_axes, c);
    add_wrench(arm, force, sides->wrench[0]);
    total += share;
  }
  return total;
}

void dc_plane_friction_pull_back(struct dc_contact *contact, int first, int end, const struct dc_pose *next,
                                 const double (*twists)[6], double (*wrenches)[6], double *coefficient,
                                 double *stiffness)
{
  static const double none[6] = {0, 0, 0, 0, 0, 0};
  const struct dc_friction *friction = contact->friction;
  for (int p = first; p < end; p++) {
    const struct dc_friction_pair *list = &friction->pairs[p];
    if (!list->batch_count && !list->floor_count)
      continue;
    int a = contact->pairs[p].a, b = contact->pairs[p].b;
    struct dc_friction_motion motion;
    dc_friction_motion_of(contact, p, next, &motion);
    struct pair_sides sides = {.twist = {twists[a], motion.both ? twists[b] : none}};
    double total = list->floor_count ? pull_back_floor(contact, p, &motion, &sides)
                                     : pull_back_triangles(contact, p, &motion, &sides);
    for (int i = 0; i < 6; i++) {
      wrenches[a][i] += sides.wrench[0][i];
      wrenches[b][i] += motion.both ? sides.wrench[1][i] : 0;
    }
    coefficient[a] += 0.5 * total / friction->coefficient[a];
    coefficient[b] += 0.5 * total / friction->coefficient[b];
    *stiffness += total / friction->stiffness;
  }
}
