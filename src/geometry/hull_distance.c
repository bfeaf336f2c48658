// SPDX-License-Identifier: Apache-2.0
// The point of A - B nearest to the origin: a simplex of its vertices is replaced, again and again, by the face nearest
// to the origin and the vertex farthest on the origin's side.
#include "geometry/hull_distance.h"

#include <stdbool.h>
#include <string.h>

#include "math/vector.h"

enum { ITERATIONS = 200, STALLS = 8 };
static const double RELATIVE = 1e-13;  // of the distance: nothing nearer is looked for
static const double ROUNDING = 4e-16;  // of the coordinates
static const double OUTSIDE = 1e-12;   // of a face's barycentric coordinates: points on an edge belong to both faces
static const double TIE = 1e-12;       // of squared distances
static const double FLAT = 1e-13;      // pivots of the edges' Gram matrix, relative to its diagonal

struct simplex {
  int count;
  double point[4][3];  // the newest last
};

// The least-norm point of the affine hull of the points p [count <= 4]; false when they are not affinely independent or
// when a barycentric coordinate is negative.
static bool nearest_in(const double *const *p, int count, double nearest[3])
{
  double edge[3][3], gram[3][3], diagonal[3], x[3], first = 1, outside = count < 4 ? -OUTSIDE : 0;
  int n = count - 1;
  for (int i = 0; i < n; i++)
    dc_vec_sub(edge[i], p[i + 1], p[0]);
  for (int i = 0; i < n; i++) {
    diagonal[i] = dc_vec_dot(edge[i], edge[i]);
    x[i] = -dc_vec_dot(edge[i], p[0]);
    for (int j = 0; j <= i; j++)
      gram[i][j] = dc_vec_dot(edge[i], edge[j]);
  }
  for (int j = 0; j < n; j++) {  // L D L^T in place
    for (int k = 0; k < j; k++)
      gram[j][j] -= gram[j][k] * gram[j][k] * gram[k][k];
    if (!(gram[j][j] > FLAT * diagonal[j]))
      return false;
    for (int i = j + 1; i < n; i++) {
      for (int k = 0; k < j; k++)
        gram[i][j] -= gram[i][k] * gram[j][k] * gram[k][k];
      gram[i][j] /= gram[j][j];
    }
  }
  for (int i = 0; i < n; i++)
    for (int k = 0; k < i; k++)
      x[i] -= gram[i][k] * x[k];
  for (int i = n - 1; i >= 0; i--) {
    x[i] /= gram[i][i];
    for (int k = i + 1; k < n; k++)
      x[i] -= gram[k][i] * x[k];
  }
  dc_vec_copy(nearest, p[0]);
  for (int i = 0; i < n; i++) {
    if (x[i] < outside)
      return false;
    first -= x[i];
    dc_vec_add_scaled(nearest, nearest, x[i], edge[i]);
  }
  if (first < outside)
    return false;
  if (n == 3)
    memset(nearest, 0, 3 * sizeof *nearest);
  // The difference of large numbers is orthogonal to the edges only to their rounding; as a direction it must be to
  // its own.
  if (n == 2) {
    double normal[3], along;
    dc_vec_cross(normal, edge[0], edge[1]);
    along = dc_vec_dot(normal, p[0]) / dc_vec_dot(normal, normal);
    dc_vec_scale(nearest, normal, along);
  } else if (n == 1) {
    dc_vec_add_scaled(nearest, nearest, -dc_vec_dot(nearest, edge[0]) / diagonal[0], edge[0]);
  }
  return true;
}

// Replaces the simplex by its face that holds its least-norm point; the newest vertex is one of that face's.  False
// when rounding leaves none.
static bool reduce(struct simplex *simplex, double nearest[3])
{
  int newest = simplex->count - 1, best = -1, most = 0;
  double least = 0;
  for (int set = 0; set < 1 << newest; set++) {
    const double *p[4] = {simplex->point[newest]};
    double candidate[3];
    int count = 1;
    for (int i = 0; i < newest; i++)
      if (set >> i & 1)
        p[count++] = simplex->point[i];
    if (!nearest_in(p, count, candidate))
      continue;
    // Of faces as near as each other the one of more vertices: a direction that is off by a small angle lengthens the
    // vector by its square only but costs gap in proportion.
    double square = dc_vec_dot(candidate, candidate);
    if (best >= 0 && !(square < least * (1 - TIE) || (square < least * (1 + TIE) && count > most)))
      continue;
    least = square;
    most = count;
    best = set;
    dc_vec_copy(nearest, candidate);
  }
  if (best < 0)
    return false;
  int count = 0;
  for (int i = 0; i <= newest; i++)
    if (i == newest || best >> i & 1)
      memmove(simplex->point[count++], simplex->point[i], sizeof *simplex->point);
  simplex->count = count;
  return true;
}

// The vertex farthest along sign * direction.
static int farthest(const double (*x)[3], int count, const double direction[3], double sign)
{
  int best = 0;
  double most = -INFINITY;
  for (int v = 0; v < count; v++) {
    double height = sign * dc_vec_dot(x[v], direction);
    if (height > most) {
      most = height;
      best = v;
    }
  }
  return best;
}

static double largest_coordinate(const double (*x)[3], int count)
{
  double most = 0;
  for (int v = 0; v < count; v++)
    for (int k = 0; k < 3; k++)
      most = fmax(most, fabs(x[v][k]));
  return most;
}

double dc_hull_distance(const double (*a)[3], int a_count, const double (*b)[3], int b_count, double normal[3])
{
  struct simplex simplex = {.count = 1};
  double nearest[3], gap = 0, previous = INFINITY;
  int stalls = 0;
  double noise = ROUNDING * (largest_coordinate(a, a_count) + largest_coordinate(b, b_count));
  dc_vec_sub(simplex.point[0], a[0], b[0]);
  dc_vec_copy(nearest, simplex.point[0]);
  memset(normal, 0, 3 * sizeof *normal);
  for (int iteration = 0; iteration < ITERATIONS; iteration++) {
    double norm = dc_vec_norm(nearest), axis[3], support[3];
    if (!(norm > noise))
      return 0;
    dc_vec_scale(axis, nearest, 1 / norm);
    int i = farthest(a, a_count, axis, -1), j = farthest(b, b_count, axis, 1);
    dc_vec_sub(support, a[i], b[j]);
    double height = dc_vec_dot(support, axis);
    if (height > gap) {
      gap = height;
      dc_vec_copy(normal, axis);
    }
    stalls = norm < previous ? 0 : stalls + 1;
    if (norm - height <= RELATIVE * norm + noise || stalls > STALLS)
      break;
    for (int v = 0; v < simplex.count; v++)
      if (memcmp(simplex.point[v], support, sizeof support) == 0)
        return gap;
    previous = fmin(previous, norm);
    memcpy(simplex.point[simplex.count++], support, sizeof support);
    if (!reduce(&simplex, nearest))
      break;
    if (simplex.count == 4)  // the origin is inside, to rounding if an axis has been found
      return gap;
  }
  return gap;
}
