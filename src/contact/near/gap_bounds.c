// SPDX-License-Identifier: Apache-2.0
// Linear bounds on a motion that would close gaps (docs/theory.md, "Bounded moves").
#include <math.h>

#include "contact/common/contact_internal.h"
#include "math/vector.h"

static const double CLOSED = 0.01;  // parts of a gap that a bound may be missed by

// Velocity along n of the point at arm r of a frame.
static double speed_along(const double n[3], const double twist[6], const double r[3])
{
  double turned[3];
  dc_vec_cross(turned, twist, r);
  return dc_vec_dot(n, turned) + dc_vec_dot(n, twist + 3);
}

// The bound of the vertex of body a above a primitive that uses up most of its own gap.
static double primitive_bound(const struct dc_contact *contact, const struct dc_pair *pair, const struct dc_path *path,
                              double keep, struct dc_gap_bound *bound)
{
  const struct dc_collider *a = &contact->colliders[pair->a];
  struct dc_primitive seen = dc_primitive_about(&contact->colliders[pair->b].primitive, &path->poses[pair->a]);
  double least = -CLOSED;
  for (int v = 0; v < a->vertex_count; v++) {
    double normal[3], height = dc_primitive_gap(&seen, a->turned[v], normal) - dc_vertex_radius(a, v);
    double left = (1 - keep) + speed_along(normal, path->frames[pair->a].twist, a->turned[v]) / height;
    if (!(height > 0) || left >= least)
      continue;
    least = left;
    *bound = (struct dc_gap_bound){.a = pair->a, .b = pair->b, .room = (1 - keep) * height};
    dc_vec_copy(bound->normal, normal);
    dc_vec_copy(bound->arm_a, a->turned[v]);
  }
  return least;
}

// Heights above a plane of the vertices of a triangle or a convex leaf, and the speeds at which they change.
struct heights {
  int count;
  double low, high, radius;
  const double *arms[DC_LEAF_CORNERS];
  double height[DC_LEAF_CORNERS], speed[DC_LEAF_CORNERS];
};

static void set_heights(const struct dc_collider *collider, int index, const double twist[6], const double n[3],
                        struct heights *heights)
{
  struct dc_leaf leaf = dc_leaf_of(collider, index);
  heights->count = leaf.count;
  heights->radius = leaf.radius;
  heights->low = INFINITY;
  heights->high = -INFINITY;
  for (int v = 0; v < leaf.count; v++) {
    const double *r = heights->arms[v] = collider->turned[dc_leaf_vertex(&leaf, v)];
    heights->height[v] = dc_vec_dot(n, r);
    heights->low = fmin(heights->low, heights->height[v]);
    heights->high = fmax(heights->high, heights->height[v]);
    heights->speed[v] = speed_along(n, twist, r);
  }
}

// The bound of two triangles, along the axis of their remembered plane.
static double term_bound(const struct dc_contact *contact, const struct dc_pair *pair, size_t t,
                         const struct dc_path *path, double keep, double least, struct dc_gap_bound *bound)
{
  const struct dc_collider *a = &contact->colliders[pair->a], *b = &contact->colliders[pair->b];
  const struct dc_pose *pose_a = &path->poses[pair->a], *pose_b = &path->poses[pair->b];
  const struct dc_term *term = &pair->near.terms[t];
  const double *plane = dc_near_plane_of(&pair->near, t);
  double n[3], d[3];
  if (!plane || dc_vec_dot(plane, plane) < 0.5)
    return least;
  dc_mat_apply(n, pose_b->rotation, plane);
  dc_vec_sub(d, pose_a->position, pose_b->position);
  struct heights p, q;
  set_heights(a, term->i, path->frames[pair->a].twist, n, &p);
  set_heights(b, term->j, path->frames[pair->b].twist, n, &q);
  double apart = dc_vec_dot(n, d) - (p.radius + q.radius), gap = apart + p.low - q.high;
  if (!(gap > 0))
    return least;
  for (int u = 0; u < p.count; u++)
    for (int v = 0; v < q.count; v++) {
      double room = apart + p.height[u] - q.height[v] - keep * gap, left = (room + p.speed[u] - q.speed[v]) / gap;
      if (left >= least)
        continue;
      least = left;
      *bound = (struct dc_gap_bound){.a = pair->a, .b = pair->b, .room = room};
      dc_vec_copy(bound->normal, n);
      dc_vec_copy(bound->arm_a, p.arms[u]);
      dc_vec_copy(bound->arm_b, q.arms[v]);
    }
  return least;
}

// The bound that a pair misses by the largest part of its gap; false: none.
static bool pair_bound(const struct dc_contact *contact, const struct dc_pair *pair, const struct dc_path *path,
                       double keep, struct dc_gap_bound *bound)
{
  double reach = dc_pair_reach(contact, pair, path), least = -CLOSED;
  if (reach < (1 - keep) * pair->gap)
    return false;
  if (contact->colliders[pair->b].primitive.type)
    least = primitive_bound(contact, pair, path, keep, bound);
  else
    for (size_t t = 0; t < pair->near.count; t++)
      if (pair->near.gaps[t] < reach)
        least = term_bound(contact, pair, t, path, keep, least, bound);
  bound->missed = -least;
  return least < -CLOSED;
}

// Into bounds, in place of the one that is missed least when there is no room; the number of bounds.
static int add_bound(struct dc_gap_bound *bounds, int count, int capacity, const struct dc_gap_bound *bound)
{
  if (count < capacity) {
    bounds[count] = *bound;
    return count + 1;
  }
  int least = 0;
  for (int k = 1; k < count; k++)
    if (bounds[k].missed < bounds[least].missed)
      least = k;
  if (count > 0 && bound->missed > bounds[least].missed)
    bounds[least] = *bound;
  return count;
}

struct bound_search {
  struct dc_contact *contact;
  const struct dc_path *path;
  double keep;
};

static void bound_pass(void *context, int k, int thread)
{
  (void)thread;
  const struct bound_search *g = context;
  int p = g->contact->order[k];
  g->contact->bounded[p] = pair_bound(g->contact, &g->contact->pairs[p], g->path, g->keep, &g->contact->bounds[p]);
}

int dc_contact_gap_bounds(struct dc_contact *contact, const struct dc_path *path, double keep,
                          struct dc_gap_bound *bounds, int capacity)
{
  int count = 0;
  struct bound_search search = {.contact = contact, .path = path, .keep = keep};
  dc_loop_run(bound_pass, &search, contact->pair_count, dc_contact_most_threads(contact), &contact->loops.bounds);
  for (int p = 0; p < contact->pair_count; p++)
    if (contact->bounded[p])
      count = add_bound(bounds, count, capacity, &contact->bounds[p]);
  return count;
}
