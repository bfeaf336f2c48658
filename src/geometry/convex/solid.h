// SPDX-License-Identifier: Apache-2.0
// Solids: unions of convex polyhedra, prepared for queries of witness points.
#ifndef DC_GEOMETRY_SOLID_H
#define DC_GEOMETRY_SOLID_H

#include <stdbool.h>

#include "geometry/shapes/shape.h"

// A convex polyhedron with the graph of its edges, on which supports are found by hill climbing.
struct dc_convex {
  int vertex_count, triangle_count;
  const double (*vertices)[3];  // m, in the solid's frame
  const int (*triangles)[3];    // counter-clockwise seen from outside
  const int *neighbor_start;    // [vertex_count + 1] into neighbors
  const int *neighbors;         // vertices that share an edge, ascending
  double center[3], radius;     // a sphere that holds it, m
  const double (*offsets)[3];   // vertices from center
  bool climbs;                  // walks uphill along edges end at the highest vertex, to rounding
};

struct dc_solid {
  int part_count;
  const struct dc_convex *parts;
  double center[3], radius;  // a sphere that holds it, m
  double size;               // diagonal of the bounding box, m
  double surface_area;       // of all parts together, m^2
};

// Makes a solid of the convex parts of shape; of a part that is convex only to the rounding of files, the hull.  Arrays
// are owned by arena or the shape.  DC_BAD_INPUT when the shape is not known to be a union of convex parts; DC_MEMORY.
enum dc_status dc_solid_create(const struct dc_shape *shape, struct dc_arena *arena, struct dc_solid *solid,
                               struct dc_error *error);

// Unit normal out of the solid at the point of its parts' surfaces that is nearest to point (the solid's frame): of the
// triangle there, at edges and vertices the mean of the triangles' around them by area.  Returns how
// far the normals around spread about it: the sine of their mean angle, 0 of a side.
double dc_solid_normal(const struct dc_solid *solid, const double point[3], double normal[3]);
// Unit normals of the triangles there and up to beside, m, farther, each once: normals [most], in which the first
// `most` are.  The directions in which the solid lies against a plane through the point are the cone that they span.
// Their number.
int dc_solid_normals(const struct dc_solid *solid, const double point[3], double beside, int most,
                     double (*normals)[3]);

// Where a solid is: x_world = rotation x + position; rotation row by row.
struct dc_placement {
  double position[3], rotation[9];
};

#endif
