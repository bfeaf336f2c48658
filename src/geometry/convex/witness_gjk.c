// SPDX-License-Identifier: Apache-2.0
// The point of A - B nearest to the origin: a simplex of its vertices is replaced, again and again, by the face nearest
// to the origin and the vertex farthest on the origin's side.
#include "geometry/convex/witness_gjk.h"

#include <math.h>
#include <string.h>

#include "geometry/convex/constants.h"
#include "math/vector.h"

enum { ITERATIONS = 200, STALLS = 4 };
enum { SCAN = 12 };  // so few vertices are all looked at; from 4 to 40 queries take the same time within 4 %

// The vertex farthest along a direction: all of a small body, else uphill over the neighbours from `start`.
static int highest(const struct dc_corners *corners, const double direction[3], int start)
{
  const double(*x)[3] = corners->vertices;
  double most, height;
  int best = start;
  if (corners->count <= SCAN || !corners->neighbors) {
    best = 0;
    most = dc_vec_dot(x[0], direction);
    for (int v = 1; v < corners->count; v++)
      if ((height = dc_vec_dot(x[v], direction)) > most) {
        most = height;
        best = v;
      }
    return best;
  }
  most = dc_vec_dot(x[best], direction);
  for (int from = -1; from != best;) {
    from = best;
    for (int n = corners->neighbor_start[from]; n < corners->neighbor_start[from + 1]; n++)
      if ((height = dc_vec_dot(x[corners->neighbors[n]], direction)) > most) {
        most = height;
        best = corners->neighbors[n];
      }
  }
  return best;
}

// The point of A - B of two vertices, B turned and shifted into the frame of A.
void dc_difference_at(const struct dc_difference *difference, struct dc_difference_point *point)
{
  const double *a = difference->corners[0].vertices[point->index[0]];
  const double *b = difference->corners[1].vertices[point->index[1]];
  double turned[3];
  if (difference->rotation) {
    dc_mat_apply(turned, difference->rotation, b);
    b = turned;
  }
  for (int k = 0; k < 3; k++)
    point->w[k] = a[k] - (b[k] + difference->shift[k]);
}

// The support of A - B along a direction: the highest vertex of A along it, and of B against it.  Each search
// begins at the vertex of the last one, since directions change little.
void dc_difference_support(struct dc_difference *difference, const double direction[3],
                           struct dc_difference_point *point)
{
  double back[3];
  if (difference->rotation)
    dc_mat_apply_transposed(back, difference->rotation, direction);
  else
    dc_vec_copy(back, direction);
  dc_vec_scale(back, back, -1);
  for (int side = 0; side < 2; side++)
    difference->start[side] = point->index[side] =
        highest(&difference->corners[side], side ? back : direction, difference->start[side]);
  dc_difference_at(difference, point);
}

// The best face of a simplex so far: which of its points span it, their barycentric weights (sum 1), the point
// sum weight_k w_k nearest to the origin, m, and the square of its length, m^2.
struct nearest {
  int count, index[4];
  double weight[4], point[3], square;
};

// Prefers, of faces at equal distance, the one with more vertices: a small error of the direction lengthens the vector
// by its square only, but costs gap in proportion.
static bool nearer(const struct nearest *best, double square, int count)
{
  return square < best->square * (1 - DC_GJK_TIE) || (square < best->square * (1 + DC_GJK_TIE) && count > best->count);
}

// A vertex as a face of its own, with weight 1; all other faces end here where the origin lies beyond their ends.
static void nearest_vertex(const struct dc_difference_point *p, int i, struct nearest *best)
{
  double square = dc_vec_dot(p[i].w, p[i].w);
  if (!nearer(best, square, 1))
    return;
  best->count = 1;
  best->index[0] = i;
  best->weight[0] = 1;
  best->square = square;
  dc_vec_copy(best->point, p[i].w);
}

// The point of an edge nearest to the origin, if it is nearer than the best so far.
static void nearest_edge(const struct dc_difference_point *p, int i, int j, struct nearest *best)
{
  double edge[3], point[3];
  dc_vec_sub(edge, p[j].w, p[i].w);
  double length = dc_vec_dot(edge, edge), along = -dc_vec_dot(p[i].w, edge);
  if (!(along >= -DC_GJK_OUTSIDE * length) || !(length > 0)) {
    nearest_vertex(p, i, best);
    return;
  }
  if (!(along <= (1 + DC_GJK_OUTSIDE) * length)) {
    nearest_vertex(p, j, best);
    return;
  }
  double t = along / length;
  dc_vec_add_scaled(point, p[i].w, t, edge);
  // The difference of large numbers is orthogonal to the edge only to their rounding; as a direction it must be to its
  // own.
  dc_vec_add_scaled(point, point, -dc_vec_dot(point, edge) / length, edge);
  double square = dc_vec_dot(point, point);
  if (!nearer(best, square, 2))
    return;
  best->count = 2;
  best->index[0] = i, best->index[1] = j;
  best->weight[0] = 1 - t, best->weight[1] = t;
  best->square = square;
  dc_vec_copy(best->point, point);
}

// The same of a triangle; a point outside, or a flat triangle, is left to the edges.
static void nearest_triangle(const struct dc_difference_point *p, int i, int j, int k, struct nearest *best)
{
  double e1[3], e2[3], normal[3], across[3];
  dc_vec_sub(e1, p[j].w, p[i].w);
  dc_vec_sub(e2, p[k].w, p[i].w);
  dc_vec_cross(normal, e1, e2);
  double area = dc_vec_dot(normal, normal);
  bool flat = !(area > DC_GJK_FLAT * DC_GJK_FLAT * dc_vec_dot(e1, e1) * dc_vec_dot(e2, e2));
  dc_vec_cross(across, e2, p[i].w);
  double second = dc_vec_dot(normal, across);
  dc_vec_cross(across, p[i].w, e1);
  double third = dc_vec_dot(normal, across), first = area - second - third;
  double outside = -DC_GJK_OUTSIDE * area;
  if (!flat && first >= outside && second >= outside && third >= outside) {
    double point[3], inverse = 1 / area;
    dc_vec_scale(point, normal, dc_vec_dot(normal, p[i].w) * inverse);
    double square = dc_vec_dot(point, point);
    if (!nearer(best, square, 3))
      return;
    best->count = 3;
    best->index[0] = i, best->index[1] = j, best->index[2] = k;
    best->weight[0] = first * inverse, best->weight[1] = second * inverse, best->weight[2] = third * inverse;
    best->square = square;
    dc_vec_copy(best->point, point);
    return;
  }
  // The nearest point lies on an edge that the origin sees.
  if (flat || third < outside)
    nearest_edge(p, i, j, best);
  if (flat || second < outside)
    nearest_edge(p, i, k, best);
  if (flat || first < outside)
    nearest_edge(p, j, k, best);
}

// True when the tetrahedron holds the origin.  The side of a face that the origin is on is known to rounding; in doubt
// the face is looked at.
static bool nearest_tetrahedron(const struct dc_difference_point *p, struct nearest *best)
{
  static const int face[4][4] = {{3, 0, 1, 2}, {3, 1, 2, 0}, {3, 2, 0, 1}, {0, 1, 2, 3}};
  bool inside = true;
  for (int f = 0; f < 4; f++) {
    const double *corner = p[face[f][0]].w;
    double e1[3], e2[3], e3[3], normal[3];
    dc_vec_sub(e1, p[face[f][1]].w, corner);
    dc_vec_sub(e2, p[face[f][2]].w, corner);
    dc_vec_sub(e3, p[face[f][3]].w, corner);
    dc_vec_cross(normal, e1, e2);
    double opposite = dc_vec_dot(normal, e3), origin = -dc_vec_dot(normal, corner);
    double rounding = DC_GJK_FLAT * DC_GJK_FLAT * dc_vec_dot(e1, e1) * dc_vec_dot(e2, e2);
    bool flat = opposite * opposite <= rounding * dc_vec_dot(e3, e3);
    if (!flat && (opposite > 0 ? origin >= 0 : origin <= 0))
      continue;
    inside = false;
    nearest_triangle(p, face[f][0], face[f][1], face[f][2], best);
  }
  return inside;
}

// Reduces a simplex to the face that holds the point nearest to the origin; true when it holds the origin itself.
bool dc_simplex_reduce(struct dc_simplex *simplex)
{
  struct nearest best = {.square = INFINITY};
  struct dc_difference_point *p = simplex->points;
  switch (simplex->count) {
  case 1: nearest_vertex(p, 0, &best); break;
  case 2: nearest_edge(p, 0, 1, &best); break;
  case 3: nearest_triangle(p, 0, 1, 2, &best); break;
  default:
    if (nearest_tetrahedron(p, &best)) {
      memset(simplex->nearest, 0, sizeof simplex->nearest);
      return true;
    }
  }
  struct dc_difference_point kept[4];
  for (int i = 0; i < best.count; i++) {
    kept[i] = p[best.index[i]];
    simplex->weight[i] = best.weight[i];
  }
  memcpy(p, kept, (size_t)best.count * sizeof *kept);
  simplex->count = best.count;
  dc_vec_copy(simplex->nearest, best.point);
  return false;
}

// Whether the simplex has this pair of vertices already: by indices, since different pairs may have equal coordinates.
static bool contains(const struct dc_simplex *simplex, const struct dc_difference_point *point)
{
  for (int i = 0; i < simplex->count; i++)
    if (simplex->points[i].index[0] == point->index[0] && simplex->points[i].index[1] == point->index[1])
      return true;
  return false;
}

// The distance algorithm of Gilbert, Johnson and Keerthi: the simplex gains the support point against its nearest point
// and is reduced, until support and simplex agree to rounding.
enum dc_gjk_outcome dc_gjk(struct dc_difference *difference, double limit, struct dc_simplex *simplex, long *supports)
{
  // The distance lies between that of the simplex and the bound; where rounding ends the descent the simplex counts for
  // which they differ least.
  double noise = DC_COORDINATE_ROUNDING * difference->scale, least = INFINITY, least_error = INFINITY;
  int stalls = 0;
  struct dc_simplex best = *simplex;
  if (dc_simplex_reduce(simplex))
    return DC_GJK_MEET;
  // Each iteration, with v the simplex's point nearest to the origin and w the support of A - B along -v:
  // 1. |v| bounds the distance from above, w.v/|v| from below (simplex->bound);
  // 2. the search ends when the lower bound exceeds limit, when both agree to rounding, or when v vanishes;
  // 3. otherwise w joins the simplex, which is reduced to the face that holds its new nearest point.
  // A support that the simplex has already, or more than STALLS steps without a shorter v, show that rounding has ended
  // the descent.
  for (int iteration = 0; iteration < ITERATIONS; iteration++) {
    double norm = dc_vec_norm(simplex->nearest), away[3];
    struct dc_difference_point support;
    if (!(norm > difference->touching))
      return DC_GJK_MEET;
    dc_vec_scale(away, simplex->nearest, -1);
    dc_difference_support(difference, away, &support);
    ++*supports;
    simplex->bound = -dc_vec_dot(support.w, away) / norm;
    if (simplex->bound > limit)
      return DC_GJK_BEYOND;
    double error = norm - simplex->bound;
    if (error <= DC_GJK_PRECISION * norm + noise)
      return DC_GJK_APART;
    if (error < least_error) {
      least_error = error;
      best = *simplex;
    }
    stalls = norm < least ? 0 : stalls + 1;
    if (stalls > STALLS || contains(simplex, &support))
      break;
    least = fmin(least, norm);
    simplex->points[simplex->count++] = support;
    if (dc_simplex_reduce(simplex))
      return DC_GJK_MEET;
  }
  *simplex = best;
  return DC_GJK_APART;
}
