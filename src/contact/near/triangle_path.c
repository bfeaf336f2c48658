// SPDX-License-Identifier: Apache-2.0
// How far two triangles or convex leaves may go (docs/theory.md, "No tunnelling").
//
// Along the path a point at arm r of a body is at x(s) = c(s) + R(s) R(0)^T r, so over a stretch d from s it is within
// d^2/2 of a bound of its acceleration from its tangent (dc_point_bend).  The separation along a fixed axis is a lower
// bound of the distance that only motion towards each other lowers; axes that turn with a body or with edges do better
// where surfaces slide on each other.
#include "contact/near/triangle_path.h"
#include "contact/near/constants.h"

#include <math.h>

#include "contact/common/leaf_pair.h"
#include "geometry/mesh/triangle.h"
#include "math/vector.h"

// Vertices of a triangle or a convex leaf at a fraction of the path, their velocities there and the bends of their
// paths.
struct moving_leaf {
  int count;
  bool triangle;
  double radius;
  double x[DC_LEAF_CORNERS][3], velocity[DC_LEAF_CORNERS][3], bend[DC_LEAF_CORNERS];
};

// Places, velocities and second derivatives (bends) of a leaf's vertices at fraction s of the way.
static void move_leaf(const struct dc_collider *collider, int index, struct dc_motion *motion, double s,
                      struct moving_leaf *moved)
{
  const struct dc_instant *now = dc_motion_at(motion, s);
  struct dc_leaf leaf = dc_leaf_of(collider, index);
  moved->count = leaf.count;
  moved->radius = leaf.radius;
  moved->triangle = leaf.corners != NULL;
  for (int v = 0; v < leaf.count; v++) {
    double r[3];
    dc_vertex_arm(collider, dc_leaf_vertex(&leaf, v), motion, now, r);
    dc_point_velocity(now, r, moved->velocity[v]);
    moved->bend[v] = dc_point_bend(motion, r, moved->velocity[v]);
    dc_vec_add(moved->x[v], now->center, r);
  }
}

// Least height above the plane of normal n through a body's centre, and the centre's own path aside, of a triangle's
// vertices at the start and at the fraction `limit` of the path; sign -1: largest height, negative.
static void height_bounds(const struct dc_collider *collider, const struct dc_leaf *leaf,
                          const struct dc_motion *motion, const double n[3], double sign, double limit, double *start,
                          double *end)
{
  double along = dc_vec_dot(n, motion->start.twist + 3), turned[3];  // n.(w x r) = (n x w).r
  double bend = 0.5 * limit * (motion->bend + motion->spin * collider->radius), velocity[3];
  dc_vec_cross(turned, n, motion->start.twist);
  *start = *end = INFINITY;
  for (int v = 0; v < leaf->count; v++) {
    const double *r = collider->turned[dc_leaf_vertex(leaf, v)];
    if (motion->helix) {
      dc_point_velocity(&motion->start, r, velocity);
      bend = 0.5 * limit * dc_point_bend(motion, r, velocity);
    }
    double height = sign * dc_vec_dot(n, r), after = height + limit * (sign * (along + dc_vec_dot(turned, r)) - bend);
    *start = height < *start ? height : *start;
    *end = after < *end ? after : *end;
  }
}

// Whether the gap along the axis n shows that the triangles keep their distance all the way: the bounds of every two
// vertices are concave in s, so both ends are enough.
static bool apart_along(const double n[3], const struct dc_collider *a, int i, const struct dc_motion *motion_a,
                        const struct dc_collider *b, int j, const struct dc_motion *motion_b, double kept, double limit)
{
  double d[3], start[2], end[2];
  struct dc_leaf leaf_a = dc_leaf_of(a, i), leaf_b = dc_leaf_of(b, j);
  dc_vec_sub(d, motion_a->start.center, motion_b->start.center);
  height_bounds(a, &leaf_a, motion_a, n, 1, limit, &start[0], &end[0]);
  height_bounds(b, &leaf_b, motion_b, n, -1, limit, &start[1], &end[1]);
  double apart = dc_vec_dot(n, d) - (leaf_a.radius + leaf_b.radius);
  return apart + (start[0] + start[1]) > kept && apart + (end[0] + end[1]) > kept;
}

// Unit normal of a triangle on the side of `towards`.
static void face_axis(const struct dc_collider *collider, int triangle, const double towards[3], double n[3])
{
  const int *v = collider->triangles[triangle];
  double e[3], f[3];
  dc_vec_sub(e, collider->turned[v[1]], collider->turned[v[0]]);
  dc_vec_sub(f, collider->turned[v[2]], collider->turned[v[0]]);
  dc_vec_cross(n, e, f);
  dc_vec_scale(n, n, (dc_vec_dot(n, towards) < 0 ? -1 : 1) / dc_vec_norm(n));
}

// The axis of the remembered plane; where there is none the line of centroids or a normal.
static bool clearly_apart(const double *plane, const struct dc_collider *a, int i, const struct dc_motion *motion_a,
                          const struct dc_collider *b, int j, const struct dc_motion *motion_b, double kept,
                          double limit)
{
  double n[3], d[3], line[3];
  if (plane && dc_vec_dot(plane, plane) > 0.5) {
    dc_mat_apply(n, motion_b->start.rotation, plane);
    return apart_along(n, a, i, motion_a, b, j, motion_b, kept, limit);
  }
  if (dc_has_leaves(a, b))
    return false;
  const int *t = a->triangles[i], *u = b->triangles[j];
  dc_vec_sub(d, motion_a->start.center, motion_b->start.center);
  for (int k = 0; k < 3; k++)
    line[k] = 3 * d[k] + ((a->turned[t[0]][k] - b->turned[u[0]][k]) + (a->turned[t[1]][k] - b->turned[u[1]][k]) +
                          (a->turned[t[2]][k] - b->turned[u[2]][k]));
  dc_vec_scale(n, line, 1 / dc_vec_norm(line));
  if (apart_along(n, a, i, motion_a, b, j, motion_b, kept, limit))
    return true;
  face_axis(b, j, line, n);
  if (apart_along(n, a, i, motion_a, b, j, motion_b, kept, limit))
    return true;
  face_axis(a, i, line, n);
  return apart_along(n, a, i, motion_a, b, j, motion_b, kept, limit);
}

// How far the triangles may go from p and q before their gap along normal (from q to p) could fall below kept.
static double safe_stretch(const struct moving_leaf *p, const struct moving_leaf *q, const double normal[3],
                           double kept)
{
  double stretch = INFINITY, radii = p->radius + q->radius;
  for (int u = 0; u < p->count; u++)
    for (int v = 0; v < q->count; v++) {
      double d[3], relative[3];
      dc_vec_sub(d, p->x[u], q->x[v]);
      dc_vec_sub(relative, p->velocity[u], q->velocity[v]);
      double room = dc_vec_dot(normal, d) - radii - kept, slope = dc_vec_dot(normal, relative);
      stretch = fmin(stretch, dc_first_zero(room, slope, p->bend[u] + q->bend[v]));
    }
  return stretch;
}

// The same along an axis that turns with the frame of the second triangle, for at most `rest` of the path.  In that
// frame its vertices stand still.  A vertex x of the other one, at d from the frame's origin c, has there the velocity
// u = x' - c' - w x d and, with W >= |w|, an acceleration of at most |x''| + |c''| + k W^2 |d| + 2 W |u| (k = 1 where w
// is constant, else 2).  So surfaces that turn together at a small distance hardly approach each other along this axis.
//
// On a helix c' + w x d is a field V(x) that stands still, of points at the distance |w x V| / W^2 from the axis: the
// acceleration is at most |x''| + |w x V| + 2 W |u|, and with C = |w x V| at the start and U the bound of |u|
//     |u|' <= |x''| + |w x V|,   |w x V| <= C + W^2 rest U,   U <= (|u| + rest (|x''| + C)) / (1 - W^2 rest^2).
// Points near the axis, such as those under an edge that a body tips over, hardly move.
static double helix_bend(const struct dc_motion *frame, const struct dc_instant *now, const double relative[3],
                         const double carried[3], double bend, double rest)
{
  double across[3], turn = sqrt(frame->spin), swept = turn * rest;
  if (!frame->helix || !(swept < 1))
    return INFINITY;
  dc_vec_cross(across, now->twist, carried);
  double own = bend + DC_HELIX_ROUNDING * dc_vec_norm(across);
  double speed = (dc_vec_norm(relative) + rest * own) / (1 - swept * swept);
  return own + turn * (swept + 2) * speed;
}

// How far along the path an axis that turns with a body keeps two leaves apart: as long as no vertex of the other
// leaf, seen from that body, comes down to `kept`.  Speeds and bends are bounds over the rest of the path.
static double turning_stretch(const struct moving_leaf *p, const struct moving_leaf *q, const struct dc_motion *frame,
                              const struct dc_instant *now, const double normal[3], double kept, double rest)
{
  double stretch = INFINITY, turn = sqrt(frame->spin), radii = p->radius + q->radius;
  for (int u = 0; u < p->count; u++) {
    double d[3], velocity[3], swept[3], relative[3], carried[3], room = INFINITY;
    dc_vec_sub(d, p->x[u], now->center);
    dc_vec_sub(velocity, p->velocity[u], now->twist + 3);
    dc_vec_cross(swept, now->twist, d);
    dc_vec_sub(relative, velocity, swept);
    dc_vec_add(carried, now->twist + 3, swept);
    double bend = p->bend[u] + frame->bend, speed = dc_vec_norm(velocity) + rest * bend;
    double reach = dc_vec_norm(d) + rest * speed, own = bend + (frame->steady ? 1 : 2) * frame->spin * reach;
    speed += turn * reach;
    if (2 * rest * turn < 1)  // |u|' <= own + 2 W |u|
      speed = fmin(speed, (dc_vec_norm(relative) + rest * own) / (1 - 2 * rest * turn));
    for (int v = 0; v < q->count; v++) {
      dc_vec_sub(d, p->x[u], q->x[v]);
      room = fmin(room, dc_vec_dot(normal, d) - radii - kept);
    }
    double most = fmin(own + 2 * turn * speed, helix_bend(frame, now, relative, carried, p->bend[u], rest));
    stretch = fmin(stretch, dc_first_zero(room, dc_vec_dot(normal, relative), most));
  }
  return stretch;
}

// An axis m = e x f that turns with an edge of each of two triangles.
struct edge_axis {
  double e[3], f[3], m[3], e_turned[3], f_turned[3];  // edges, their product, and the edges' derivatives
  double size;                                        // |e| |f|
  double bend;                                        // |m''| <= size bend
};

// The axis of edges u and v, on the side of the normal; false when it is not the normal.
static bool edge_axis(const struct moving_leaf *p, int u, const struct moving_leaf *q, int v, const double normal[3],
                      struct edge_axis *axis)
{
  dc_vec_sub(axis->e, p->x[(u + 1) % 3], p->x[u]);
  dc_vec_sub(axis->f, q->x[(v + 1) % 3], q->x[v]);
  dc_vec_cross(axis->m, axis->e, axis->f);
  double along = dc_vec_dot(axis->m, normal), length = dc_vec_norm(axis->m);
  if (!(fabs(along) >= DC_NEAR_ALIGNED * length) || !(length > 0))
    return false;
  if (along < 0)
    for (int k = 0; k < 3; k++) {
      axis->e[k] = -axis->e[k];
      axis->m[k] = -axis->m[k];
    }
  axis->size = dc_vec_norm(axis->e) * dc_vec_norm(axis->f);
  return true;
}

// How far m.w stays above `kept` for certain, w moving with the velocity w_dot and |w''| <= w_bend.
static double product_stretch(const struct edge_axis *axis, double turns, const double w[3], const double w_dot[3],
                              double w_bend, double kept, double rest)
{
  double c[3], slope = dc_vec_dot(axis->m, w_dot);
  dc_vec_cross(c, axis->e_turned, axis->f);
  slope += dc_vec_dot(c, w);
  dc_vec_cross(c, axis->e, axis->f_turned);
  slope += dc_vec_dot(c, w);
  double speed = dc_vec_norm(w_dot) + rest * w_bend, reach = dc_vec_norm(w) + rest * speed;
  double bend = axis->size * (axis->bend * reach + w_bend + 2 * turns * speed);
  return dc_first_zero(dc_vec_dot(axis->m, w) - kept, slope, bend);
}

// The same along the product m = e x f of two edges, which turns with both: edges that slide on each other stay at
// their distance along it, while along any other axis one of their ends comes nearer at once.  With |e'| <= W_p |e|,
// |e''| <= k W_p^2 |e|, and so for f, m.w has a second derivative of at most
//     |e| |f| ((k W_p^2 + 2 W_p W_q + k W_q^2) |w| + 2 (W_p + W_q) |w'| + |w''|);
// w is the way from one edge to the other, or from an edge to the third vertex of its triangle, which stays behind it.
static double edge_stretch(const struct moving_leaf *p, struct dc_motion *motion_p, const struct moving_leaf *q,
                           struct dc_motion *motion_q, double s, const double normal[3], double kept, double rest)
{
  static const double still[3] = {0};
  const struct dc_instant *now_p = dc_motion_at(motion_p, s), *now_q = dc_motion_at(motion_q, s);
  double turn_p = sqrt(motion_p->spin), turn_q = sqrt(motion_q->spin), turns = turn_p + turn_q, stretch = 0;
  for (int pair = 0; pair < 9 && stretch < rest; pair++) {
    int u = pair / 3, v = pair % 3;
    struct edge_axis axis;
    double w[3], w_dot[3];
    if (!edge_axis(p, u, q, v, normal, &axis))
      continue;
    dc_vec_cross(axis.e_turned, motion_p->moves ? now_p->twist : still, axis.e);
    dc_vec_cross(axis.f_turned, motion_q->moves ? now_q->twist : still, axis.f);
    axis.bend =
        (motion_p->steady ? 1 : 2) * motion_p->spin + 2 * turn_p * turn_q + (motion_q->steady ? 1 : 2) * motion_q->spin;
    dc_vec_sub(w, p->x[u], q->x[v]);
    dc_vec_sub(w_dot, p->velocity[u], q->velocity[v]);
    double own = product_stretch(&axis, turns, w, w_dot, p->bend[u] + q->bend[v], kept * axis.size, rest);
    dc_vec_sub(w, p->x[(u + 2) % 3], p->x[u]);
    dc_vec_sub(w_dot, p->velocity[(u + 2) % 3], p->velocity[u]);
    own = fmin(own, product_stretch(&axis, turns, w, w_dot, p->bend[(u + 2) % 3] + p->bend[u], 0, rest));
    dc_vec_sub(w, q->x[v], q->x[(v + 2) % 3]);
    dc_vec_sub(w_dot, q->velocity[v], q->velocity[(v + 2) % 3]);
    own = fmin(own, product_stretch(&axis, turns, w, w_dot, q->bend[v] + q->bend[(v + 2) % 3], 0, rest));
    stretch = fmax(stretch, own);
  }
  return stretch;
}

// The longest stretch of an axis that stands still or turns with either triangle, or with an edge of each.
static double longest_stretch(const struct moving_leaf *p, struct dc_motion *motion_p, const struct moving_leaf *q,
                              struct dc_motion *motion_q, double s, const double normal[3], double kept, double rest)
{
  double opposite[3], stretch = safe_stretch(p, q, normal, kept);
  if (stretch < rest && motion_q->moves)
    stretch = fmax(stretch, turning_stretch(p, q, motion_q, dc_motion_at(motion_q, s), normal, kept, rest));
  if (stretch < rest && motion_p->moves) {
    dc_vec_scale(opposite, normal, -1);
    stretch = fmax(stretch, turning_stretch(q, p, motion_p, dc_motion_at(motion_p, s), opposite, kept, rest));
  }
  if (stretch < rest && p->triangle && q->triangle)
    stretch = fmax(stretch, edge_stretch(p, motion_p, q, motion_q, s, normal, kept, rest));
  return stretch;
}

// Gap along an axis, from q to p, that separates them as far as possible.
static double separation(const struct moving_leaf *p, const struct moving_leaf *q, double normal[3])
{
  const double(*x)[3] = (const double(*)[3])p->x, (*y)[3] = (const double(*)[3])q->x;
  return p->triangle && q->triangle ? dc_triangle_separation(x, y, INFINITY, normal)
                                    : dc_leaf_separation(x, p->count, p->radius, y, q->count, q->radius, normal);
}

// Advances to where the gap may have fallen to the part that is kept.  It goes beyond as long as a gap remains, since
// triangles that pass each other closely end with a large enough gap again.  pair_gap is that of the bodies: what
// slides along at this distance meets triangles that were far away.
static double triangle_fraction(const struct dc_collider *a, int i, struct dc_motion *motion_a,
                                const struct dc_collider *b, int j, struct dc_motion *motion_b, double keep,
                                double pair_gap, double limit)
{
  double s = 0, reached = INFINITY, kept = 0, normal[3];
  bool whole = dc_whole_path(keep);
  for (int advance = 0; advance < dc_most_advances(keep); advance++) {
    struct moving_leaf p, q;
    move_leaf(a, i, motion_a, s, &p);
    move_leaf(b, j, motion_b, s, &q);
    double gap = separation(&p, &q, normal);
    if (advance == 0)
      kept = keep * fmin(gap, pair_gap);
    bool enough = gap > 1.01 * kept;
    if (s == limit && enough)
      return limit;
    if (!enough)
      reached = fmin(reached, s);
    if (s == limit || gap <= DC_NEAR_STOPPED * kept)
      break;
    double left = enough && reached == INFINITY ? kept : DC_KEPT_GAP * gap;
    s += longest_stretch(&p, motion_a, &q, motion_b, s, normal, left, (whole ? limit : 1) - s);
    if (s >= limit && reached == INFINITY)
      return limit;
    s = fmin(s, limit);
  }
  return fmin(reached, s);
}

double dc_triangles_fraction(const double *plane, const struct dc_collider *a, int i, struct dc_motion *motion_a,
                             const struct dc_collider *b, int j, struct dc_motion *motion_b, double keep,
                             double pair_gap, double safe)
{
  return clearly_apart(plane, a, i, motion_a, b, j, motion_b, keep * pair_gap, safe)
             ? safe
             : triangle_fraction(a, i, motion_a, b, j, motion_b, keep, pair_gap, safe);
}
