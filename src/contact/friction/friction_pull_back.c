// SPDX-License-Identifier: Apache-2.0
// Friction's mixed derivative: how its gradient at t+1 depends on the poses at t, coefficients and stiffness.
//
// The slips on a plane are those of plane_slip.h.  Triangle pairs are pulled back eight at a time
// (kernels/friction_back_template.h), vertices above a half-space here.
#include <string.h>

#include "contact/friction/plane_slip.h"
#include "contact/friction/triangle_friction.h"

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

// The plane's response eta to a change of the vertices: three equations, solved with the offset as the first pivot.
double dc_triangle_solve_plane(const double distance[6], const struct dc_plane_vertex vertex[6], double eta[3])
{
  double m[3][3] = {{0}}, scale = INFINITY;
  for (int v = 0; v < 6; v++)
    scale = distance[v] < scale ? distance[v] : scale;  // fmin calls the library
  for (int v = 0; v < 6; v++) {                         // the offset first: it is the best conditioned pivot
    double ratio = scale / distance[v], cube = 2 * ratio * ratio * ratio;
    const double *y = vertex[v].place;
    double first = cube * y[0], second = cube * y[1];
    m[0][0] += cube;
    m[1][0] += first;
    m[2][0] += second;
    m[1][1] += first * y[0];
    m[2][1] += second * y[0];
    m[2][2] += second * y[1];
    m[1][1] += ratio * scale * scale;
    m[2][2] += ratio * scale * scale;
  }
  solve3(m, 0, eta);
  return scale;
}

// Adds the contribution of one triangle pair to the sums of a vertex for dc_friction_add_point, world axes.
static void add_sums(struct dc_vertex_sum *sum, const double *axes, const double force[3], const double a[2],
                     const double b[2])
{
  for (int k = 0; k < 3; k++) {
    sum->force[k] += force[k];
    sum->slip[k] += a[0] * axes[k] + a[1] * axes[3 + k];
    sum->pulled[k] += b[0] * axes[k] + b[1] * axes[3 + k];
  }
}

// On to the points of body x; the sums become zeros.  A sum may have a pull where its force is 0.
static void take_sums(struct dc_collider *collider, int x, double time_step, const struct dc_friction_sides *sides)
{
  static const struct dc_vertex_sum none;
  for (int v = 0; v < collider->vertex_count && sides->points[x]; v++) {
    struct dc_vertex_sum *sum = &collider->vertex_sums[v];
    if (memcmp(sum, &none, sizeof none) == 0)
      continue;
    dc_friction_add_point(sides, x, v, time_step, sum->force, sum->slip, sum->pulled);
    *sum = none;
  }
}

// Adds a lane to the sums of its vertices; triangles: of the lane in a and b.
static void add_points(const struct dc_friction_batch *batch, const struct dc_friction_back *back, int l,
                       const int *const triangles[2], struct dc_vertex_sum *const sums[2],
                       const struct dc_friction_sides *sides)
{
  double axes[6];
  for (int i = 0; i < 6; i++)
    axes[i] = batch->axes[i][l];
  for (int v = 0; v < 6; v++) {
    double force[3], a[2], b[2];
    if (!sides->points[v / 3])
      continue;
    for (int k = 0; k < 3; k++)
      force[k] = back->force[3 * v + k][l];
    for (int k = 0; k < 2; k++) {
      a[k] = back->a[2 * v + k][l];
      b[k] = back->b[2 * v + k][l];
    }
    add_sums(&sums[v / 3][triangles[v / 3][v % 3]], axes, force, a, b);
  }
}

// The rates of the factor of the end of range (dc_friction_within_range) of the pairs of a batch.
static void find_range_rates(const struct dc_contact_settings *settings, const struct dc_friction_batch *batch,
                             double rates[DC_BATCH])
{
  for (int l = 0; l < DC_BATCH; l++) {
    double sum = 0;
    for (int v = 0; v < 6; v++)
      sum += 1 / batch->distances[v][l];
    dc_friction_within_range(sum, settings->friction_range, &rates[l]);
  }
}

// The sums of lanes onto the wrenches.
static void add_wrenches(const double (*lanes)[DC_BATCH], struct dc_friction_sides *sides)
{
  for (int i = 0; i < 12; i++) {
    double sum = 0;
    for (int l = 0; l < DC_BATCH; l++)
      sum += lanes[i][l];
    sides->wrench[i / 6][i % 6] += sum;
  }
}

// Notes, for a design, the force on the centre of a node and the derivative by its radius.
static void add_node(const struct dc_collider *collider, int node, const double *rotation, const double force[3],
                     double by_radius)
{
  double local[3], *center = collider->by_node[node].center;
  dc_mat_apply_transposed(local, rotation, force);
  dc_vec_add(center, center, local);
  collider->by_node[node].radius += by_radius;
}

// 1 - phi of all blends above a pair: by_support [blends] holds the derivative by its logarithm.
static void through_blends(const struct dc_contact *contact, int pair, const struct dc_friction_blend *blends,
                           const double *by_support, size_t count, struct dc_friction_sides *sides)
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
    double inner = tree_a->radius[blends[k].i] + tree_b->radius[blends[k].j];
    dc_friction_support(r, inner, dc_pair_zone(&contact->settings, &contact->pairs[pair], inner), &rate);
    double by_size = contact->pairs[pair].near_only ? rate * by_support[k] : rate * by_support[k] * r / inner;
    dc_vec_scale(force, d, -rate * by_support[k] / r);
    dc_add_wrench(arm_a, force, sides->wrench[0]);
    if (sides->points[0])
      add_node(&contact->colliders[a], blends[k].i, sides->now[0], force, by_size);
    dc_vec_scale(force, force, -1);
    dc_add_wrench(arm_b, force, sides->wrench[1]);
    if (sides->points[1])
      add_node(&contact->colliders[b], blends[k].j, sides->now[1], force, by_size);
  }
}

// All triangle pairs of a body pair, then the sums at vertices and the blends.
static double pull_back_triangles(struct dc_contact *contact, const struct dc_friction_unit *units, size_t count,
                                  const struct dc_friction_motion *motion, struct dc_friction_sides *sides)
{
  int pair = units->pair;
  struct dc_triangle_friction *own = contact->friction->own;
  const struct dc_friction_pair *list = &own->pairs[pair];
  const struct dc_friction_blend *blends = own->blends + list->first_blend;
  struct dc_collider *a = &contact->colliders[contact->pairs[pair].a];
  struct dc_collider *b = &contact->colliders[contact->pairs[pair].b];
  struct dc_vertex_sum *const sums[2] = {a->vertex_sums, b->vertex_sums};
  double *by_support = own->by_support, total = 0;
  struct dc_friction_back back;
  memset(back.wrench, 0, sizeof back.wrench);
  memset(back.range_rate, 0, sizeof back.range_rate);
  memset(by_support, 0, list->blend_count * sizeof *by_support);
  for (size_t k = list->first_batch; k < list->first_batch + list->batch_count; k++) {
    const struct dc_friction_batch *batch = &own->batches[k];
    if (!isnan(contact->settings.friction_range))
      find_range_rates(&contact->settings, batch, back.range_rate);
    contact->kernels->friction_back(batch, motion, sides->twist, contact->settings.length, &back);
    for (int l = 0; l < DC_BATCH && own->blend[k][l] >= 0; l++) {
      const int *const triangles[2] = {a->triangles[own->triangles[k][l][0]], b->triangles[own->triangles[k][l][1]]};
      if (sides->points[0] || sides->points[1])
        add_points(batch, &back, l, triangles, sums, sides);
      total += back.share[l];
      for (int blend = own->blend[k][l]; blend > 0; blend = blends[blend].parent)
        by_support[blend] += back.share[l];
    }
  }
  add_wrenches((const double(*)[DC_BATCH])back.wrench, sides);
  for (size_t k = 0; k < count && units->leaves; k++) {
    double share = dc_leaf_friction_pull_back(contact, &own->leaves, &units[k], motion, sides);
    total += share;
    for (int blend = own->leaves.leaves[units[k].first].blend; blend > 0; blend = blends[blend].parent)
      by_support[blend] += share;
  }
  take_sums(a, 0, motion->time_step, sides);
  take_sums(b, 1, motion->time_step, sides);
  through_blends(contact, pair, blends, by_support, list->blend_count, sides);
  return total;
}

// The plane of a half-space stands still: W_v = lambda h mu w_v 12 l / h_v^2.
static double pull_back_floor(const struct dc_contact *contact, int pair, const struct dc_friction_motion *motion,
                              struct dc_friction_sides *sides)
{
  const struct dc_triangle_friction *own = contact->friction->own;
  const struct dc_friction_pair *list = &own->pairs[pair];
  const struct dc_collider *collider = &contact->colliders[contact->pairs[pair].a];
  double total = 0, e2 = motion->smoothing * motion->smoothing;
  for (size_t k = 0; k < list->floor_count * DC_BATCH; k++) {
    const struct dc_floor_batch *batch = &own->floors[list->first_floor + k / DC_BATCH];
    size_t l = k % DC_BATCH;
    double arm[3] = {batch->arm[0][l], batch->arm[1][l], batch->arm[2][l]}, r[3], dr[3], a[2], b[2], c[3], force[3];
    dc_plane_vertex_velocity(motion, 0, list->axes, arm, sides->twist[0], r, dr);
    double s2 = r[0] * r[0] + r[1] * r[1] + e2, s = sqrt(s2), turned = (r[0] * dr[1] - r[1] * dr[0]) / s2;
    double share = batch->weight[l] * (r[0] * dr[0] + r[1] * dr[1]) / s;
    double scale = -batch->weight[l] / (s * motion->time_step);
    c[0] = scale * (e2 / s2 * dr[0] - turned * r[1]);
    c[1] = scale * (e2 / s2 * dr[1] + turned * r[0]);
    for (int i = 0; i < 2; i++) {
      a[i] = -motion->time_step * c[i];
      b[i] = batch->weight[l] * r[i] / s;
    }
    if (collider->vertex_radius) {
      double place[3];
      c[2] = 0;
      dc_mat_apply_transposed(force, list->axes, c);
      dc_plane_material_place(motion, 0, list->axes, sides->twist[0], force,
                              (const double[2]){-motion->time_step * c[0], -motion->time_step * c[1]},
                              (const double[2]){batch->weight[l] * r[0] / s, batch->weight[l] * r[1] / s}, place);
      dc_add_rolling_torque(list->axes + 6, dc_vertex_radius(collider, (int)k < collider->vertex_count ? (int)k : 0),
                            place, sides->wrench[0]);
    }
    c[2] = -2 * share / batch->height[l];
    dc_mat_apply_transposed(force, list->axes, c);
    dc_add_wrench(arm, force, sides->wrench[0]);
    if (sides->points[0] && batch->weight[l] != 0)  // lanes behind the last vertex have none
      dc_friction_add_slip(sides, 0, (int)k, list->axes, motion->time_step, force, a, b);
    total += share;
  }
  return total;
}

// Returns G, the derivative of D along the twists at t+1: D is proportional to the coefficient, so that the callers
// take derivatives by coefficients and stiffness from it.
double dc_triangle_friction_pull_back(struct dc_contact *contact, const struct dc_friction_unit *units, size_t count,
                                      const struct dc_friction_motion *motion, struct dc_friction_sides *sides)
{
  // The group is the whole pair.
  return units->primitive ? pull_back_floor(contact, units->pair, motion, sides)
                          : pull_back_triangles(contact, units, count, motion, sides);
}
