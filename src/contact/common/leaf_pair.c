// SPDX-License-Identifier: Apache-2.0
// Pairs of convex leaves (docs/theory/contact.md, "Convex leaves").
//
// Each pair starts from its last plane where that lies between the leaves, about half-way; otherwise, or where that
// start fails, from the middle plane across the line between the nearest points (Gilbert, Johnson, Keerthi 1988), which
// separates whatever is apart.  Eight pairs are solved side by side (kernels/leaf_pair_template.h), of one pair of
// bodies or of several.
#include "contact/common/leaf_pair.h"

#include "contact/common/plane_axes.h"

#include <string.h>

#include "geometry/convex/hull_distance.h"
#include "math/vector.h"

// Least ratio of the distances on both sides of a plane to start from.  At the optimum the ratio is within
// [1/sqrt(k), sqrt(k)], k the vertices of a leaf.
static const double BALANCE = 0.01;

// Vertices of one leaf about c_a, world axes.
static int place_leaf(const struct dc_collider *collider, int i, const double *arm, double (*x)[3], double *radius)
{
  struct dc_leaf leaf = dc_leaf_of(collider, i);
  for (int v = 0; v < leaf.count; v++) {
    const double *turned = collider->turned[dc_leaf_vertex(&leaf, v)];
    for (int k = 0; k < 3; k++)
      x[v][k] = turned[k] - (arm ? arm[k] : 0);
  }
  *radius = leaf.radius;
  return leaf.count;
}

// Distance of two rounded hulls: that of the hulls less both radii. Single vertices, the balls, need no search.
double dc_leaf_separation(const double (*a)[3], int a_count, double a_radius, const double (*b)[3], int b_count,
                          double b_radius, double normal[3])
{
  double distance;
  if (a_count == 1 && b_count == 1) {
    dc_vec_sub(normal, a[0], b[0]);
    distance = dc_vec_norm(normal);
    dc_vec_scale(normal, normal, distance > 0 ? 1 / distance : 0);
  } else {
    distance = dc_hull_distance(a, a_count, b, b_count, normal);
  }
  return distance - (a_radius + b_radius);
}

// Distances of the nearest surface points to a plane on either side.
static void least_distances(const double (*x)[3], int count, double radius, double sign, const double plane[4],
                            double *least)
{
  *least = INFINITY;
  for (int v = 0; v < count; v++)
    *least = fmin(*least, sign * (dc_vec_dot(plane, x[v]) + plane[3]) - radius);
}

// One pair: its leaves as the batch has them.
struct lane {
  double x[2][DC_LEAF_CORNERS][3], radius[2];
  int count[2];
};

// Places of both leaves about c_a; those of b are moved by the arm c_a - c_b.
static void load_lane(const struct dc_contact *contact, const struct dc_pair *pair, const struct dc_term *term,
                      const double *arm, struct lane *lane)
{
  lane->count[0] = place_leaf(&contact->colliders[pair->a], term->i, NULL, lane->x[0], &lane->radius[0]);
  lane->count[1] = place_leaf(&contact->colliders[pair->b], term->j, arm, lane->x[1], &lane->radius[1]);
}

// One number of all lanes; those behind the last pair repeat it.
static void fill_behind(int used, double lanes[DC_BATCH])
{
  double last = lanes[used - 1];
  for (int l = used; l < DC_BATCH; l++)
    lanes[l] = last;
}

// Transposes leaves to the arrays of a batch, [vertex][axis][lane]. Leaves of fewer vertices repeat their first one
// with weight 0, so that all lanes run alike; lanes without a pair repeat one that has.
static void put_lanes(const struct lane *lanes, struct dc_leaf_batch *batch)
{
  for (int side = 0; side < 2; side++) {
    for (int l = 0; l < batch->used; l++)
      batch->radius[side][l] = lanes[l].radius[side];
    fill_behind(batch->used, batch->radius[side]);
    for (int v = 0; v < batch->count[side]; v++) {
      for (int l = 0; l < batch->used; l++) {
        bool own = v < lanes[l].count[side];
        for (int k = 0; k < 3; k++)
          batch->vertices[side][v][k][l] = lanes[l].x[side][own ? v : 0][k];
        batch->share[side][v][l] = own ? 3.0 / lanes[l].count[side] : 0;
      }
      for (int k = 0; k < 3; k++)
        fill_behind(batch->used, batch->vertices[side][v][k]);
      fill_behind(batch->used, batch->share[side][v]);
    }
  }
}

// The plane as it is stored, in the axes of b about c_b, and as it stands about c_a in world axes.
static void see_plane(const double stored[4], const double *rotation_b, const double *arm, double plane[4])
{
  dc_mat_apply(plane, rotation_b, stored);
  plane[3] = stored[3] + dc_vec_dot(plane, arm);
}

// The inverse of see_plane, written to where the plane of the lane's term is kept.
static void store_plane(const double plane[4], const struct dc_leaf_lane *lane)
{
  dc_mat_apply_transposed(lane->plane, lane->rotation_b, plane);
  lane->plane[3] = plane[3] - dc_vec_dot(plane, lane->arm);
}

// Whether the last plane is a start; where it is one, plane is what it is in the world.
static bool is_start(const struct lane *lane, const struct dc_leaf_lane *given, double plane[4])
{
  double least[2];
  if (!(dc_vec_dot(given->plane, given->plane) > 0.5))
    return false;
  see_plane(given->plane, given->rotation_b, given->arm, plane);
  for (int side = 0; side < 2; side++)
    least_distances((const double(*)[3])lane->x[side], lane->count[side], lane->radius[side], side ? -1 : 1, plane,
                    &least[side]);
  return fmin(least[0], least[1]) > BALANCE * fmax(least[0], least[1]);
}

// The middle plane between the nearest points; normal 0 where the leaves meet.
static void cold_start(const struct lane *lane, double plane[4])
{
  double least[2];
  if (!(dc_leaf_separation((const double(*)[3])lane->x[0], lane->count[0], lane->radius[0],
                           (const double(*)[3])lane->x[1], lane->count[1], lane->radius[1], plane) > 0)) {
    memset(plane, 0, 4 * sizeof *plane);
    return;
  }
  plane[3] = 0;
  for (int side = 0; side < 2; side++)
    least_distances((const double(*)[3])lane->x[side], lane->count[side], lane->radius[side], side ? -1 : 1, plane,
                    &least[side]);
  plane[3] = 0.5 * (least[1] - least[0]);
}

// Results of the kernel for all lanes.
struct found {
  double plane[4][DC_BATCH], energy[DC_BATCH], gap[DC_BATCH], gradient[6][DC_BATCH];
  bool failed[DC_BATCH];
};

// Results of the warm solve, kept while failed lanes are solved once more with the whole batch.
static void save_found(const struct dc_leaf_batch *batch, struct found *found)
{
  memcpy(found->plane, batch->plane, sizeof found->plane);
  memcpy(found->energy, batch->energy, sizeof found->energy);
  memcpy(found->gap, batch->gap, sizeof found->gap);
  memcpy(found->gradient, batch->gradient, sizeof found->gradient);
  memcpy(found->failed, batch->failed, sizeof found->failed);
}

static void restore_lane(const struct found *found, int l, struct dc_leaf_batch *batch)
{
  batch->energy[l] = found->energy[l];
  batch->gap[l] = found->gap[l];
  batch->failed[l] = found->failed[l];
  for (int k = 0; k < 4; k++)
    batch->plane[k][l] = found->plane[k][l];
  for (int k = 0; k < 6; k++)
    batch->gradient[k][l] = found->gradient[k][l];
}

static void give_plane(struct dc_leaf_batch *batch, int l, const double plane[4])
{
  for (int k = 0; k < 4; k++)
    batch->plane[k][l] = plane[k];
}

// Solves the lanes that failed from a warm start once more, from a cold one; the others keep what was found.
static void solve_again(const struct dc_contact *contact, const struct lane *lanes, const bool *warm, int order,
                        struct dc_leaf_batch *batch, double (*hessian)[DC_BATCH])
{
  struct found found;
  double weight[DC_BATCH], plane[4];
  bool again = false;
  for (int l = 0; l < DC_BATCH; l++)
    again |= warm[l] && batch->failed[l];
  if (!again)
    return;
  save_found(batch, &found);
  memcpy(weight, batch->weight, sizeof weight);
  for (int l = 0; l < DC_BATCH; l++) {
    if (!(warm[l] && batch->failed[l])) {
      batch->weight[l] = 0;
      continue;
    }
    cold_start(&lanes[l], plane);
    give_plane(batch, l, plane);
  }
  contact->kernels->leaf_pairs(batch, order, hessian);
  memcpy(batch->weight, weight, sizeof weight);
  for (int l = 0; l < DC_BATCH; l++)
    if (!(warm[l] && found.failed[l]))
      restore_lane(&found, l, batch);
}

// Lanes behind the last pair repeat it without weight.
static void fill_batch(const struct dc_contact *contact, const struct dc_leaf_lane *given, int count,
                       struct lane *lanes, bool *warm, struct dc_leaf_batch *batch)
{
  double planes[DC_BATCH][4];
  batch->count[0] = batch->count[1] = 0;
  batch->used = count;
  batch->length = contact->settings.length;
  for (int l = 0; l < count; l++) {
    load_lane(contact, given[l].pair, given[l].term, given[l].arm, &lanes[l]);
    for (int side = 0; side < 2; side++)
      batch->count[side] = lanes[l].count[side] > batch->count[side] ? lanes[l].count[side] : batch->count[side];
    warm[l] = is_start(&lanes[l], &given[l], planes[l]);
    if (!warm[l])
      cold_start(&lanes[l], planes[l]);
  }
  put_lanes(lanes, batch);
  for (int l = 0; l < DC_BATCH; l++) {
    give_plane(batch, l, planes[l < count ? l : count - 1]);
    batch->weight[l] = l < count ? given[l].weight : 0;
    if (l >= count)
      warm[l] = false;
  }
}

// One batch of leaf pairs: fill the lanes, warm from the planes where these are known; solve all at once; solve again
// by itself what did not converge from a warm plane.  An energy that is no number >= 0 belongs to leaves that meet;
// failed stays set where leaves that are apart did not reach the tolerance.
void dc_leaves_solve(const struct dc_contact *contact, const struct dc_leaf_lane *given, int count, int order,
                     struct dc_leaf_batch *batch, double (*hessian)[DC_BATCH])
{
  struct lane lanes[DC_BATCH];
  bool warm[DC_BATCH];
  fill_batch(contact, given, count, lanes, warm, batch);
  contact->kernels->leaf_pairs(batch, order, hessian);
  solve_again(contact, lanes, warm, order, batch, hessian);
  for (int l = 0; l < count; l++) {
    const double plane[4] = {batch->plane[0][l], batch->plane[1][l], batch->plane[2][l], batch->plane[3][l]};
    store_plane(plane, &given[l]);
    if (!(batch->energy[l] >= 0)) {
      batch->energy[l] = INFINITY;
      batch->gap[l] = 0;
    }
    batch->failed[l] &= isfinite(batch->energy[l]) != 0;
  }
}

// Any two axes orthogonal to the unit vector n, and n.
static void complete_axes(const double n[3], double axes[9])
{
  double sign = n[2] < 0 ? -1 : 1, a = -1 / (sign + n[2]), b = n[0] * n[1] * a;
  double first[3] = {1 + sign * n[0] * n[0] * a, sign * b, -sign * n[0]},
         second[3] = {b, sign + n[1] * n[1] * a, -n[1]};
  dc_vec_copy(axes, first);
  dc_vec_copy(axes + 3, second);
  dc_vec_copy(axes + 6, n);
}

// Turns the first two axes into the principal ones of the places weighted by share/h^2.
static void principal_axes(struct dc_leaf_places *places)
{
  double weights[2 * DC_LEAF_CORNERS];
  for (int v = 0; v < places->count; v++)
    weights[v] = places->share[v >= places->count_a] / (places->distance[v] * places->distance[v]);
  dc_plane_turn_to_principal(places->axes, places->count, places->local, weights);
}

// The origin is the mean of the vertices on the plane by share/h^2: heights are differences of near numbers then.
void dc_leaf_places_of(const struct dc_contact *contact, const struct dc_pair *pair, const struct dc_term *term,
                       const double stored[4], const struct dc_pose *poses, struct dc_leaf_places *places)
{
  struct lane lane;
  double arm[3], plane[4], origin[3] = {0, 0, 0}, total = 0;
  dc_vec_sub(arm, poses[pair->a].position, poses[pair->b].position);
  load_lane(contact, pair, term, arm, &lane);
  see_plane(stored, poses[pair->b].rotation, arm, plane);
  complete_axes(plane, places->axes);
  places->count_a = lane.count[0];
  places->count = lane.count[0] + lane.count[1];
  places->sum = 0;
  for (int v = 0; v < places->count; v++) {
    int side = v >= places->count_a, own = v - (side ? places->count_a : 0);
    places->radius[side] = lane.radius[side];
    places->share[side] = 3.0 / lane.count[side];
    double h = (side ? -1 : 1) * (dc_vec_dot(plane, lane.x[side][own]) + plane[3]) - lane.radius[side];
    double weight = places->share[side] / (h * h);
    dc_vec_add_scaled(origin, origin, weight, lane.x[side][own]);
    total += weight;
  }
  dc_vec_scale(origin, origin, 1 / total);
  dc_vec_add_scaled(origin, origin, -(dc_vec_dot(plane, origin) + plane[3]), plane);
  for (int v = 0; v < places->count; v++) {
    int side = v >= places->count_a, own = v - (side ? places->count_a : 0);
    struct dc_leaf leaf = dc_leaf_of(&contact->colliders[side ? pair->b : pair->a], side ? term->j : term->i);
    double d[3], round = (side ? -1 : 1) * lane.radius[side];
    places->index[v] = dc_leaf_vertex(&leaf, own);
    dc_vec_sub(d, lane.x[side][own], origin);
    dc_mat_apply(places->local[v], places->axes, d);
    places->local[v][2] -= round;
    places->distance[v] = (side ? -1 : 1) * places->local[v][2];
    dc_vec_add_scaled(places->arm[v], contact->colliders[side ? pair->b : pair->a].turned[places->index[v]], -round,
                      plane);
    places->sum += places->share[side] / places->distance[v];
  }
  principal_axes(places);
}
