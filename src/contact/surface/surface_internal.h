// SPDX-License-Identifier: Apache-2.0
// Private to src/contact/surface.
#ifndef DC_CONTACT_SURFACE_INTERNAL_H
#define DC_CONTACT_SURFACE_INTERNAL_H

#include "contact/surface/surface.h"
#include "geometry/bounding/box_tree.h"
#include "math/vector.h"

// The surface of a body.
struct dc_surface {
  int body;
  const struct dc_soft *soft;  // NULL: rigid
  bool closed;
  int vertex_count, element_count;
  const int (*elements)[3];   // triangles, or segments whose third vertex is -1
  unsigned char *owned;       // [elements] bit k: vertex k; bit 3 + k: edge k
  double (*fixed)[3];         // [vertices] of a rigid body about its centre, its axes, m
  double (*square)[3];        // [elements] of the length of edges at rest, m^2
  double (*x)[3], (*arm)[3];  // [vertices] at the last evaluation; arm of rigid bodies only
  double radius;              // of a rigid body, farthest vertex from its centre, m
  struct dc_box_tree tree;
  // For a surface that may touch itself: positions of the vertices at which none of its parts were closer than `clear`
  // (0: none known), and boxes around the ways of vertices from there, in a tree of the same nodes.
  double clear, (*reference)[3];
  struct dc_box_tree ways;
};

// Two surfaces, or one and itself.
struct dc_surface_pair {
  int a, b;
  double stiffness, range;
  double gap;  // of the last evaluation; at most the range
};

struct dc_surface_contact {
  const struct dc_bodies *bodies;
  struct dc_arena *arena;
  int surface_count, pair_count;
  struct dc_surface *surfaces;                  // [surface_count]
  struct dc_surface_pair *pairs;                // [pair_count]
  struct dc_touch *touches;                     // [touch_count] of the last evaluation
  struct dc_sliding_contact *sliding_contacts;  // [sliding_count] since the last begin
  struct dc_touch *held;                        // [held_count] since the last hold
  size_t touch_count, touch_capacity, sliding_count, sliding_capacity, held_count, held_capacity;
  double energy, gap, least_range;
};

static inline int dc_element_corners(const int element[3])
{
  return element[2] < 0 ? 2 : 3;
}

static inline int dc_element_edges(const int element[3])
{
  return element[2] < 0 ? 1 : 3;
}

// Features of two elements that face each other: the first of a touch, its vertices and the square of its edges'
// lengths.  Visits those that the elements own and that have no vertex in common; ends with the first result that is
// not 0.
struct dc_feature {
  int side;  // of the elements: 1 where the point belongs to the second
  int first, vertex[4];
  double threshold;
};
typedef int dc_feature_visit(void *context, const struct dc_surface *const sides[2], const struct dc_feature *feature);
int dc_surface_features(const struct dc_surface *a, int i, const struct dc_surface *b, int j, dc_feature_visit *visit,
                        void *context);

// Closest points of a point and a triangle (first 1) or of two edges (2) at x [4][3].
static inline void dc_feature_closest(int first, const double (*x)[3], struct dc_closest *closest)
{
  if (first == 1)
    dc_closest_point_triangle(x, closest);
  else
    dc_closest_edges(x, closest);
}

// Whether the boxes around vertices, of one side and of the other, are more than `margin` apart along an axis.  This
// dismisses features that are far from each other at less cost than their distance.  x [count][4][3] holds the vertices
// at one place of a motion or at both ends of straight ones.
static inline bool dc_feature_apart(int first, int count, const double (*x)[4][3], double margin)
{
  for (int k = 0; k < 3; k++) {
    double low[2] = {x[0][0][k], x[0][first][k]}, high[2] = {low[0], low[1]};
    for (int i = 0; i < 4 * count; i++) {
      int side = i % 4 >= first;
      double at = x[i / 4][i % 4][k];
      low[side] = at < low[side] ? at : low[side];
      high[side] = at > high[side] ? at : high[side];
    }
    if (low[0] - high[1] > margin || low[1] - high[0] > margin)
      return true;
  }
  return false;
}

// b and two derivatives by D = d^2; m and two by c = |e x f|^2 of edges.
void dc_touch_profile(const struct dc_touch *touch, double p[3]);
void dc_touch_mollifier(const struct dc_touch *touch, double m[3]);

// Boxes of the ways from the reference to x and, unless tangent [vertices][3] is NULL, to the end of that.
void dc_surface_fit_ways(struct dc_surface *surface, const double *tangent);
// Boxes of the leaves at x, and of the whole tree.
void dc_surface_refit(struct dc_surface *surface);

#endif
