// SPDX-License-Identifier: Apache-2.0
// Cutting a polygon into triangles by its ears (Meisters 1975).
//
// The polygon is looked at along its area vector (1/2 sum p_k x p_k+1, Newell's normal), dropping the coordinate in
// which that is largest, so that its signed area is positive.  An ear is a corner that turns left and whose triangle
// holds no corner that does not.  Ears are cut off one after the other, beginning behind the first corner; convex
// polygons become fans.  Cutting a corner keeps the signed area, and the border of all triangles is that of the
// polygon.  Where all triangles are positive the number of them over a point is its winding number, which is one inside
// of a border that does not cross itself.  So the result is right whenever it is found, whichever ears were taken.
#include "geometry/mesh/polygon.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "geometry/mesh/constants.h"

// The corners that are left, as a doubly linked ring of indices into the polygon.
struct ring {
  int left;            // corners that are not cut off
  int *next, *before;  // [count]
  double (*flat)[2];   // [count] the points as seen
  double least;        // of a cross product that is not zero
  long work;
};

// Twice the signed area of corners a, b, c as seen: positive when they turn left.
static double cross(const struct ring *ring, int a, int b, int c)
{
  const double *p = ring->flat[a], *q = ring->flat[b], *r = ring->flat[c];
  return (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0]);
}

// Equal bits: places that a file gives twice, such as the two ends of a slit.
static bool is_same(const struct ring *ring, int a, int b)
{
  return ring->flat[a][0] == ring->flat[b][0] && ring->flat[a][1] == ring->flat[b][1];
}

// Twice the area vector, about the first point.
static void area_vector(const double (*points)[3], int count, double normal[3])
{
  normal[0] = normal[1] = normal[2] = 0;
  for (int k = 1; k + 1 < count; k++) {
    double a[3], b[3];
    for (int i = 0; i < 3; i++) {
      a[i] = points[k][i] - points[0][i];
      b[i] = points[k + 1][i] - points[0][i];
    }
    for (int i = 0; i < 3; i++)
      normal[i] += a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
  }
}

// The polygon along its normal; false: it has no area.
static bool flatten(const double (*points)[3], int count, struct ring *ring)
{
  double normal[3], low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
  area_vector(points, count, normal);
  int axis = 0;
  for (int i = 1; i < 3; i++)
    if (fabs(normal[i]) > fabs(normal[axis]))
      axis = i;
  int u = (axis + 1) % 3, v = (axis + 2) % 3;
  if (normal[axis] < 0) {
    u = (axis + 2) % 3;
    v = (axis + 1) % 3;
  }
  for (int k = 0; k < count; k++) {
    ring->flat[k][0] = points[k][u];
    ring->flat[k][1] = points[k][v];
    for (int i = 0; i < 2; i++) {
      low[i] = fmin(low[i], ring->flat[k][i]);
      high[i] = fmax(high[i], ring->flat[k][i]);
    }
    ring->next[k] = k + 1 < count ? k + 1 : 0;
    ring->before[k] = k ? k - 1 : count - 1;
  }
  double size = fmax(high[0] - low[0], high[1] - low[1]);
  ring->left = count;
  ring->least = DC_POLYGON_STRAIGHT * size * size;
  return fabs(normal[axis]) > ring->least;
}

// Whether corner r lies in the triangle of an ear, its diagonal from b to a included.
static bool is_inside(const struct ring *ring, int a, int tip, int b, int r)
{
  return cross(ring, a, tip, r) >= 0 && cross(ring, tip, b, r) >= 0 && cross(ring, b, a, r) >= -ring->least;
}

// A corner that turns left and whose triangle holds no other corner can be cut off. Corners at the same place as one
// of its own, where a border touches itself, do not count.
static bool is_ear(struct ring *ring, int tip)
{
  int a = ring->before[tip], b = ring->next[tip];
  if (!(cross(ring, a, tip, b) > ring->least))
    return false;
  for (int r = ring->next[b]; r != a; r = ring->next[r]) {
    ring->work++;
    if (is_same(ring, r, a) || is_same(ring, r, b) || is_same(ring, r, tip) || !is_inside(ring, a, tip, b, r))
      continue;
    // A corner that turns left is in it only together with one that does not, except where borders touch.
    if (!(cross(ring, ring->before[r], r, ring->next[r]) > ring->least))
      return false;
  }
  return true;
}

// Unlinks the tip; its triangle keeps the polygon's orientation.
static void take_off(struct ring *ring, int tip, int triangle[3])
{
  int a = ring->before[tip], b = ring->next[tip];
  triangle[0] = a, triangle[1] = tip, triangle[2] = b;
  ring->next[a] = b;
  ring->before[b] = a;
  ring->left--;
}

// Whether what is left has no area anywhere: all corners are on one line.
static bool is_straight(const struct ring *ring, int start)
{
  bool straight = true;
  int k = start;
  do {
    straight = straight && fabs(cross(ring, ring->before[k], k, ring->next[k])) <= ring->least;
    k = ring->next[k];
  } while (k != start && straight);
  return straight;
}

// Cuts ears off a ring until none is left: a corner is an ear when its triangle is positive and holds no other corner.
// False when a whole turn finds none, or work exceeds DC_POLYGON_MOST_WORK.
static bool cut(struct ring *ring, int (*triangles)[3])
{
  int tip = 1, since = 0, done = 0;
  while (ring->left >= 3) {
    bool ear = ring->left == 3 ? cross(ring, ring->before[tip], tip, ring->next[tip]) > ring->least : is_ear(ring, tip);
    int next = ring->next[tip];
    if (!ear && ++since > ring->left) {
      if (!is_straight(ring, tip))
        return false;
      ear = true;  // an edge that goes there and back
    }
    if (ear) {
      take_off(ring, tip, triangles[done++]);
      since = 0;
    }
    tip = next;
    if (ring->work > DC_POLYGON_MOST_WORK)
      return false;
  }
  return true;
}

// All triangles from the first corner: right for convex polygons, and the answer where no ears are found.
static void fan(int count, int (*triangles)[3])
{
  for (int k = 0; k + 2 < count; k++) {
    triangles[k][0] = 0;
    triangles[k][1] = k + 1;
    triangles[k][2] = k + 2;
  }
}

// Cuts a plane polygon into count - 2 triangles; a border that crosses itself becomes a fan.
enum dc_polygon_result dc_polygon_cut(const double (*points)[3], int count, int (*triangles)[3])
{
  fan(count, triangles);
  if (count == 3)
    return DC_POLYGON_CUT;
  int links[2 * 16];
  double few[16][2];
  bool small = count <= 16;
  struct ring ring = {.next = small ? links : dc_alloc(2 * (size_t)count, sizeof *ring.next),
                      .flat = small ? few : dc_alloc((size_t)count, sizeof *ring.flat)};
  enum dc_polygon_result result = DC_POLYGON_NO_MEMORY;
  if (ring.next && ring.flat) {
    ring.before = ring.next + count;
    result = DC_POLYGON_CUT;
    if (flatten(points, count, &ring) && !cut(&ring, triangles)) {
      fan(count, triangles);
      result = DC_POLYGON_CROSSES;
    }
  }
  if (!small) {
    free(ring.next);
    free(ring.flat);
  }
  return result;
}
