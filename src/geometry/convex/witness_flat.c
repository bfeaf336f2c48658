// SPDX-License-Identifier: Apache-2.0
// Among the nearest points of two solids the ones that are nearest to given targets.
//
// The nearest points of a convex part along the normal n are the hull of its vertices of greatest (first solid) or
// least (second one) n.x: a corner, an edge or a side.  Moved by -d n onto each other the two hulls F_1 and F_2 lie in
// one plane, and every x in both is a pair of witness points x, x + d n.  The sum of squared distances from the targets
// is least at the point of the common part nearest to the middle of the targets, seen along n.
//
// 1. vertices within slack of the greatest n.x, in coordinates of the plane about the witness point (vertices_near);
// 2. their hulls (hull_of), of which the first is cut by the sides of the second (clip);
// 3. the nearest point of what is left (nearest);
// 4. where solids are tilted by less than slack, points are lifted to the surface through the target: the report of a
//    target that is met is then exact.
#include "geometry/convex/witness_flat.h"

#include <math.h>
#include <stdlib.h>

#include "geometry/convex/distance.h"
#include "math/vector.h"

enum { MOST_CORNERS = 256 };
static const double STEEP = 0.1;  // cosine between the normals of witness and target below which nothing is lifted

struct flat {
  int count;
  double points[MOST_CORNERS][2];  // m, in the plane
};

// The part whose surface is nearest to a point, by all triangles: only asked once, when a target is given.
int dc_solid_part_at(const struct dc_solid *solid, const double point[3])
{
  double least = INFINITY, x[4][3];
  int nearest = 0;
  dc_vec_copy(x[0], point);
  for (int p = 0; p < solid->part_count; p++)
    for (int t = 0; t < solid->parts[p].triangle_count; t++) {
      struct dc_closest closest;
      for (int k = 0; k < 3; k++)
        dc_vec_copy(x[1 + k], solid->parts[p].vertices[solid->parts[p].triangles[t][k]]);
      dc_closest_point_triangle((const double(*)[3])x, &closest);
      if (closest.square < least) {
        least = closest.square;
        nearest = p;
      }
    }
  return nearest;
}

// Twice the signed area of the triangle a b c, m^2: positive when c lies to the left of the line from a to b.
static double cross(const double *a, const double *b, const double *c)
{
  return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

// The vertices of a part that are within slack of the height of a witness point along `out`; false: the part ends
// elsewhere, or has too many.
static bool vertices_near(const struct dc_flat_side *side, int part, const double point[3], const double axes[3][3],
                          double sign, double slack, struct flat *flat)
{
  const struct dc_convex *convex = &side->solid->parts[part];
  double turned[3][3], arm[3], origin[3];
  for (int k = 0; k < 3; k++)
    dc_mat_apply_transposed(turned[k], side->placement->rotation, axes[k]);
  dc_vec_sub(arm, point, side->placement->position);
  dc_mat_apply_transposed(origin, side->placement->rotation, arm);
  double level = dc_vec_dot(turned[2], origin);
  flat->count = 0;
  for (int v = 0; v < convex->vertex_count; v++) {
    double height = sign * (dc_vec_dot(turned[2], convex->vertices[v]) - level);
    if (height > slack)
      return false;
    if (height < -slack)
      continue;
    if (flat->count == MOST_CORNERS)
      return false;
    dc_vec_sub(arm, convex->vertices[v], origin);
    double *place = flat->points[flat->count++];
    place[0] = dc_vec_dot(turned[0], arm);
    place[1] = dc_vec_dot(turned[1], arm);
  }
  return flat->count > 0;
}

// By the first coordinate, then the second: the sweep order of Andrew's hull.
static int compare_points(const void *a, const void *b)
{
  const double *p = a, *q = b;
  return p[0] != q[0] ? (p[0] > q[0]) - (p[0] < q[0]) : (p[1] > q[1]) - (p[1] < q[1]);
}

// The convex hull, counter-clockwise (Andrew 1979): one point, two of an edge, or a polygon.
static void hull_of(struct flat *flat)
{
  double hull[2 * MOST_CORNERS][2];
  int n = flat->count, count = 0;
  qsort(flat->points, (size_t)n, sizeof flat->points[0], compare_points);
  for (int pass = 0; pass < 2 && n > 1; pass++) {
    int least = count + 1;
    for (int i = 0; i < n; i++) {
      const double *p = flat->points[pass ? n - 1 - i : i];
      while (count > least && cross(hull[count - 2], hull[count - 1], p) <= 0)
        count--;
      hull[count][0] = p[0];
      hull[count++][1] = p[1];
    }
    count--;  // the last one of a pass is the first one of the next
  }
  flat->count = n > 1 ? count : 1;
  for (int i = 0; i < flat->count && n > 1; i++) {
    flat->points[i][0] = hull[i][0];
    flat->points[i][1] = hull[i][1];
  }
}

// Keeps of a hull what lies to the left of the line from a to b, or within slack of it.
static void cut(struct flat *flat, const double a[2], const double b[2], double slack)
{
  struct flat kept = {0};
  double length = hypot(b[0] - a[0], b[1] - a[1]);
  if (!(length > 0))
    return;
  int n = flat->count;
  for (int i = 0; i < n; i++) {
    const double *p = flat->points[i], *q = flat->points[(i + 1) % n];
    double here = cross(a, b, p) / length + slack, next = cross(a, b, q) / length + slack;
    if (here >= 0 && kept.count < MOST_CORNERS) {
      kept.points[kept.count][0] = p[0];
      kept.points[kept.count++][1] = p[1];
    }
    if ((here < 0) != (next < 0) && n > 1 && kept.count < MOST_CORNERS) {
      double part = here / (here - next);
      kept.points[kept.count][0] = p[0] + part * (q[0] - p[0]);
      kept.points[kept.count++][1] = p[1] + part * (q[1] - p[1]);
    }
  }
  *flat = kept;
}

// The part of one hull that lies in the other one; an edge as the other is a strip as wide as twice the slack.
static void clip(struct flat *flat, const struct flat *by, double slack)
{
  int n = by->count;
  for (int i = 0; i < n && n > 1 && flat->count > 0; i++)
    cut(flat, by->points[i], by->points[(i + 1) % n], slack);
  if (n != 2 || flat->count == 0)
    return;
  const double *a = by->points[0], *b = by->points[1];
  double along[2] = {b[0] - a[0], b[1] - a[1]};
  cut(flat, a, (double[2]){a[0] + along[1], a[1] - along[0]}, slack);
  cut(flat, b, (double[2]){b[0] - along[1], b[1] + along[0]}, slack);
}

// The point of the edge from p to q nearest to `wanted`; an edge without length is its end p.
static void nearest_on_edge(const double *p, const double *q, const double wanted[2], double point[2])
{
  double along[2] = {q[0] - p[0], q[1] - p[1]}, square = along[0] * along[0] + along[1] * along[1];
  double part = square > 0 ? ((wanted[0] - p[0]) * along[0] + (wanted[1] - p[1]) * along[1]) / square : 0;
  part = fmin(fmax(part, 0), 1);
  point[0] = p[0] + part * along[0];
  point[1] = p[1] + part * along[1];
}

// The point of a hull nearest to the one that is wanted.
static void nearest(const struct flat *flat, const double wanted[2], double point[2])
{
  double least = INFINITY;
  bool inside = flat->count > 2;
  for (int i = 0; i < flat->count; i++) {
    const double *p = flat->points[i], *q = flat->points[(i + 1) % flat->count];
    double near[2];
    nearest_on_edge(p, q, wanted, near);
    double apart = hypot(near[0] - wanted[0], near[1] - wanted[1]);
    inside = inside && cross(p, q, wanted) >= 0;
    if (apart < least) {
      least = apart;
      point[0] = near[0], point[1] = near[1];
    }
  }
  if (inside)
    point[0] = wanted[0], point[1] = wanted[1];
}

// Moves a point along n into the plane through a target, where the surface there faces along n.
static void lift(const struct dc_flat_side *side, const double n[3], double slack, double point[3])
{
  double apart[3], facing = dc_vec_dot(side->normal, n);
  dc_vec_sub(apart, side->target, point);
  double rise = fabs(facing) > STEEP ? dc_vec_dot(side->normal, apart) / facing : INFINITY;
  if (fabs(rise) <= 2 * slack)
    dc_vec_add_scaled(point, point, rise, n);
}

// The four steps of the head, in axes across the normal whose origin is each witness point. A side whose flat part is
// no more than a corner has nothing to choose, and both points stay.
void dc_witness_settle(const struct dc_flat_side sides[2], double slack, struct dc_witness *witness)
{
  struct flat flats[2];
  double axes[3][3], apart[3], wanted[2] = {0}, place[2] = {0};
  const double *n = witness->normal;
  int least = fabs(n[0]) <= fabs(n[1]) && fabs(n[0]) <= fabs(n[2]) ? 0 : fabs(n[1]) <= fabs(n[2]) ? 1 : 2;
  double other[3] = {least == 0, least == 1, least == 2};
  dc_vec_copy(axes[2], n);
  dc_vec_cross(axes[0], n, other);
  dc_vec_scale(axes[0], axes[0], 1 / dc_vec_norm(axes[0]));
  dc_vec_cross(axes[1], n, axes[0]);
  for (int k = 0; k < 2; k++) {
    const double *point = witness->point[k], sign = k ? -1 : 1;
    bool found = vertices_near(&sides[k], sides[k].part, point, axes, sign, slack, &flats[k]) ||
                 vertices_near(&sides[k], witness->part[k], point, axes, sign, slack, &flats[k]);
    if (!found)
      return;
    hull_of(&flats[k]);
    if (flats[k].count < 2)
      return;
    dc_vec_sub(apart, sides[k].target, point);
    wanted[0] += 0.5 * dc_vec_dot(axes[0], apart);
    wanted[1] += 0.5 * dc_vec_dot(axes[1], apart);
  }
  clip(&flats[0], &flats[1], slack);
  if (flats[0].count == 0)
    return;
  nearest(&flats[0], wanted, place);
  for (int k = 0; k < 2; k++) {
    for (int axis = 0; axis < 2; axis++)
      dc_vec_add_scaled(witness->point[k], witness->point[k], place[axis], axes[axis]);
    lift(&sides[k], n, slack, witness->point[k]);
  }
}
