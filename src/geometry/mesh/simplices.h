// SPDX-License-Identifier: Apache-2.0
// Meshes of simplices: solids cut into tetrahedra, sheets into triangles, rods into segments.
#ifndef DC_GEOMETRY_MESH_SIMPLICES_H
#define DC_GEOMETRY_MESH_SIMPLICES_H

#include "base/memory.h"
#include "base/status.h"

struct dc_simplices {
  int corners;  // of an element: 4 of solids, 3 of sheets, 2 of rods
  int node_count, element_count, triangle_count;
  double (*nodes)[3];  // m
  int (*elements)[4];  // -1 behind the corners; tetrahedra a, b, c, d: (b - a) x (c - a) . (d - a) > 0
  int (*triangles)
      [3];  // the surface of solids, counter-clockwise seen from outside; else the elements: segments end in -1
};

// The least height of a tetrahedron over its longest edge (0.8 of a regular one) and the element that has it; INFINITY
// and -1 where there are none.
double dc_simplices_flattest(const struct dc_simplices *mesh, int *element);

// Cuts a rectangle of the plane z = 0 about the origin into cells[0] x cells[1] rectangles of two triangles each.
// Arrays are owned by arena.  DC_BAD_INPUT when there are too many, DC_MEMORY.
enum dc_status dc_sheet_grid(struct dc_simplices *mesh, const double size[2], const long cells[2],
                             struct dc_arena *arena, struct dc_error *error);
// Cuts a stretch of the x axis about the origin into `cells` segments.
enum dc_status dc_rod_grid(struct dc_simplices *mesh, double size, long cells, struct dc_arena *arena,
                           struct dc_error *error);

// Checks a mesh of triangles and fills in its triangles.  It refuses nodes that do not exist, triangles without area
// (less than 1e-9 of the square of their longest edge), edges of more than two triangles or of two with opposite
// orientation, and unused nodes; the message names the first.
enum dc_status dc_sheet_finish(struct dc_simplices *mesh, struct dc_arena *arena, struct dc_error *error);

// An edge between two triangles t[0] < t[1]: corner k[i] of t[i] lies opposite.
struct dc_sheet_edge {
  int t[2], k[2];
};
// All of them, in order of their nodes; edges [3 elements / 2 at most] or NULL.  Returns how many, -1: out of memory.
int dc_sheet_edges(const struct dc_simplices *mesh, struct dc_sheet_edge *edges);

// Arrays in arena for a grid of so many nodes and elements.  DC_BAD_INPUT: too many; DC_MEMORY.
enum dc_status dc_simplices_start(struct dc_simplices *mesh, double nodes, double elements, struct dc_arena *arena,
                                  struct dc_error *error);

// Checks a mesh whose elements have so many corners: refuses one without elements ("there are no NAME"), elements that
// check refuses, and nodes that belong to no element.  DC_BAD_INPUT, DC_MEMORY.
typedef enum dc_status dc_simplices_check_function(const struct dc_simplices *mesh, int element,
                                                   struct dc_error *error);
enum dc_status dc_simplices_check(struct dc_simplices *mesh, int corners, const char *name,
                                  dc_simplices_check_function *check, struct dc_error *error);

// Weights [corners] of an element's nodes whose mean is the point of its line, plane or space nearest to x; returns the
// distance from there to x, m.
double dc_simplices_coordinates(const struct dc_simplices *mesh, int element, const double x[3], double weights[4]);

#endif
