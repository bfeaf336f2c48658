// SPDX-License-Identifier: Apache-2.0
// Linear bounds on a motion that would close gaps (docs/theory.md, "Bounded moves"): for each pair of bodies the one
// that the motion misses by the largest part of its gap.  A bound says that the gap between two points along an axis
// keeps a part `keep` of what it is now; the axis stands still or turns with one of the bodies.
#include <math.h>
#include <string.h>

#include "contact/common/contact_internal.h"
#include "contact/near/constants.h"
#include "math/vector.h"

// How a body moves over a path: its twist at the beginning, and the turn R and the way t of its frame over all of it.
struct moves {
  const double *twist;
  double turn[9], way[3];
  bool any;
};

// The turn is R(1) R(0)^T, so that arms in world axes can be turned by it.
static void set_moves(const struct dc_path *path, int body, struct moves *moves)
{
  struct dc_motion motion = dc_motion_of(path, body);
  const struct dc_instant *end = dc_motion_at(&motion, 1);
  moves->twist = path->frames[body].twist;
  moves->any = motion.moves;
  dc_vec_sub(moves->way, end->center, motion.start.center);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      moves->turn[3 * i + j] = dc_vec_dot(end->rotation + 3 * i, motion.start.rotation + 3 * j);
}

// The way of the point at arm r.
static void way_of(const struct moves *moves, const double r[3], double way[3])
{
  memset(way, 0, 3 * sizeof *way);
  if (!moves->any)
    return;
  dc_mat_apply(way, moves->turn, r);
  dc_vec_sub(way, way, r);
  dc_vec_add(way, way, moves->way);
}

// Velocity along n of the point at arm r of a frame.
static double speed_along(const double n[3], const double twist[6], const double r[3])
{
  double turned[3];
  dc_vec_cross(turned, twist, r);
  return dc_vec_dot(n, turned) + dc_vec_dot(n, twist + 3);
}

// The speed at which a bound's gap changes at the beginning of a path.
static double speed_of(const struct dc_gap_bound *bound, const struct moves *a, const struct moves *b)
{
  return speed_along(bound->normal, a->twist, bound->arm_a) - speed_along(bound->normal, b->twist, bound->arm_b);
}

// The gap's change until the end of the path.  Along an axis that turns with b it is n.(turned back by b: x - c_b).
static double change_of(const struct dc_gap_bound *bound, const struct moves *a, const struct moves *b)
{
  double way_a[3], way_b[3], n[3], relative[3];
  way_of(a, bound->arm_a, way_a);
  way_of(b, bound->arm_b, way_b);
  dc_vec_sub(relative, way_a, way_b);
  const struct moves *carrier = bound->axis == DC_AXIS_OF_A ? a : b;
  if (bound->axis == DC_AXIS_STAYS || !carrier->any)
    return dc_vec_dot(bound->normal, relative);
  dc_mat_apply(n, carrier->turn, bound->normal);
  return dc_vec_dot(n, relative);
}

// The room of a bound on a path along which its gap changes by `speed` and a curve: gap(s) = room + speed s + curve
// s^2. A gap that curves away is least on the way, where speed^2 = 4 room curve.
static double room_of(double room, double curve)
{
  return curve > room ? 2 * sqrt(room * curve) : room + curve;
}

// The bound of the vertex of body a above a primitive that uses up most of its own gap.
static double primitive_bound(const struct dc_contact *contact, const struct dc_pair *pair, const struct dc_path *path,
                              const struct moves moves[2], double keep, struct dc_gap_bound *bound)
{
  const struct dc_collider *a = &contact->colliders[pair->a];
  struct dc_primitive seen = dc_primitive_about(&contact->colliders[pair->b].primitive, &path->poses[pair->a]);
  double least = -DC_NEAR_MISSED;
  for (int v = 0; v < a->vertex_count; v++) {
    struct dc_gap_bound tried = {.a = pair->a, .b = pair->b};
    double height = dc_primitive_gap(&seen, a->turned[v], tried.normal) - dc_vertex_radius(a, v);
    if (!(height > 0))
      continue;
    dc_vec_copy(tried.arm_a, a->turned[v]);
    double speed = speed_of(&tried, &moves[0], &moves[1]);
    tried.straight = (1 - keep) * height;
    tried.room = room_of(tried.straight, change_of(&tried, &moves[0], &moves[1]) - speed);
    double left = (tried.room + speed) / height;
    if (left >= least)
      continue;
    least = left;
    *bound = tried;
  }
  return least;
}

// Heights of the vertices of a triangle or a convex leaf above a plane through its body's centre that stands still,
// their speeds at the beginning of a path and what they change by until its end.
struct heights {
  int count;
  double low, high, radius;
  const double *arms[DC_LEAF_CORNERS];
  double height[DC_LEAF_CORNERS], speed[DC_LEAF_CORNERS], change[DC_LEAF_CORNERS];
};

// Heights of a leaf's vertices along the plane's normal, with their speeds and with the change over the whole way:
// bounds of the gap are linear in these.
static void set_heights(const struct dc_collider *collider, int index, const double n[3], const struct moves *moves,
                        struct heights *heights)
{
  struct dc_leaf leaf = dc_leaf_of(collider, index);
  heights->count = leaf.count;
  heights->radius = leaf.radius;
  heights->low = INFINITY;
  heights->high = -INFINITY;
  for (int v = 0; v < leaf.count; v++) {
    double way[3];
    const double *r = heights->arms[v] = collider->turned[dc_leaf_vertex(&leaf, v)];
    heights->height[v] = dc_vec_dot(n, r);
    way_of(moves, r, way);
    heights->speed[v] = speed_along(n, moves->twist, r);
    heights->change[v] = dc_vec_dot(n, way);
    heights->low = fmin(heights->low, heights->height[v]);
    heights->high = fmax(heights->high, heights->height[v]);
  }
}

// Two terms apart along the axis n, which goes from b to a.
struct apart {
  const double *n, *ab;  // ab: from the origin of b to that of a
  const struct moves *a, *b;
  struct heights p, q;
  double apart, gap, keep;
};

// The bound that the vertices miss by the largest part of the gap, along an axis that stands still.
static double still_left(const struct apart *t, struct dc_gap_bound *bound)
{
  double least = INFINITY;
  int first = 0, second = 0;
  for (int u = 0; u < t->p.count; u++)
    for (int v = 0; v < t->q.count; v++) {
      double straight = t->apart - t->keep * t->gap + t->p.height[u] - t->q.height[v];
      double speed = t->p.speed[u] - t->q.speed[v], change = t->p.change[u] - t->q.change[v];
      double room = room_of(straight, change - speed), left = (room + speed) / t->gap;
      if (left >= least)
        continue;
      least = left;
      first = u;
      second = v;
      bound->straight = straight;
      bound->room = room;
    }
  dc_vec_copy(bound->arm_a, t->p.arms[first]);
  dc_vec_copy(bound->arm_b, t->q.arms[second]);
  return least;
}

// The same along an axis that turns with a body: all vertices of this one keep their heights, and a vertex of the other
// has the velocity relative to it.
static double turning_left(const struct apart *t, enum dc_axis_motion axis, struct dc_gap_bound *bound)
{
  double least = INFINITY;
  bool of_a = axis == DC_AXIS_OF_A;
  for (int k = 0; k < (of_a ? t->q.count : t->p.count); k++) {
    struct dc_gap_bound tried = *bound;
    tried.axis = axis;
    tried.straight = t->apart - t->keep * t->gap + (of_a ? t->p.low - t->q.height[k] : t->p.height[k] - t->q.high);
    dc_vec_copy(of_a ? tried.arm_b : tried.arm_a, of_a ? t->q.arms[k] : t->p.arms[k]);
    if (of_a)
      dc_vec_sub(tried.arm_a, tried.arm_b, t->ab);
    else
      dc_vec_add(tried.arm_b, tried.arm_a, t->ab);
    double speed = speed_of(&tried, t->a, t->b);
    tried.room = room_of(tried.straight, change_of(&tried, t->a, t->b) - speed);
    double left = (tried.room + speed) / t->gap;
    if (left >= least)
      continue;
    least = left;
    *bound = tried;
  }
  return least;
}

// The bound of two triangles, along the axis of their remembered plane, which moves as leaves most of the gap.
static double term_bound(const struct dc_contact *contact, const struct dc_pair *pair, size_t t,
                         const struct dc_path *path, const struct moves moves[2], double keep, double least,
                         struct dc_gap_bound *bound)
{
  const struct dc_pose *pose_a = &path->poses[pair->a], *pose_b = &path->poses[pair->b];
  const struct dc_term *term = &pair->near.terms[t];
  const double *plane = dc_near_plane_of(&pair->near, t);
  double n[3], d[3], most = -INFINITY;
  if (!plane || dc_vec_dot(plane, plane) < 0.5)
    return least;
  dc_mat_apply(n, pose_b->rotation, plane);
  dc_vec_sub(d, pose_a->position, pose_b->position);
  struct apart apart = {.n = n, .ab = d, .a = &moves[0], .b = &moves[1], .keep = keep};
  set_heights(&contact->colliders[pair->a], term->i, n, &moves[0], &apart.p);
  set_heights(&contact->colliders[pair->b], term->j, n, &moves[1], &apart.q);
  apart.apart = dc_vec_dot(n, d) - (apart.p.radius + apart.q.radius);
  apart.gap = apart.apart + apart.p.low - apart.q.high;
  if (!(apart.gap > 0))
    return least;
  struct dc_gap_bound best = {0};
  for (enum dc_axis_motion axis = 0; axis < DC_AXIS_MOTIONS && most < least; axis++) {
    struct dc_gap_bound tried = {.a = pair->a, .b = pair->b};
    dc_vec_copy(tried.normal, n);
    double left = axis == DC_AXIS_STAYS ? still_left(&apart, &tried) : turning_left(&apart, axis, &tried);
    if (left <= most)
      continue;
    most = left;
    best = tried;
  }
  if (most >= least)
    return least;
  *bound = best;
  return most;
}

// The bound that a pair misses by the largest part of its gap; false: none.
static bool pair_bound(const struct dc_contact *contact, const struct dc_pair *pair, const struct dc_path *path,
                       double keep, struct dc_gap_bound *bound)
{
  double reach = dc_pair_reach(contact, pair, path), least = -DC_NEAR_MISSED;
  if (reach < (1 - keep) * pair->gap)
    return false;
  struct moves moves[2];
  set_moves(path, pair->a, &moves[0]);
  set_moves(path, pair->b, &moves[1]);
  if (contact->colliders[pair->b].primitive.type)
    least = primitive_bound(contact, pair, path, moves, keep, bound);
  else
    for (size_t t = 0; t < pair->near.count; t++)
      if (pair->near.gaps[t] < reach)
        least = term_bound(contact, pair, t, path, moves, keep, least, bound);
  bound->missed = -least;
  return least < -DC_NEAR_MISSED;
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

// One bound a pair, found by threads and chosen in the order of the pairs.
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

void dc_gap_bound_bend(struct dc_gap_bound *bound, const struct dc_path *path)
{
  struct moves a, b;
  set_moves(path, bound->a, &a);
  set_moves(path, bound->b, &b);
  bound->room = room_of(bound->straight, change_of(bound, &a, &b) - speed_of(bound, &a, &b));
}
