// SPDX-License-Identifier: Apache-2.0
// Inside the shapes: building surfaces triangle by triangle.
#ifndef DC_GEOMETRY_SHAPE_SURFACE_H
#define DC_GEOMETRY_SHAPE_SURFACE_H

#include "geometry/mesh/mesh.h"

// Makes room for a mesh of that many vertices and triangles, none of which are there yet: the counts are 0.
enum dc_status dc_surface_create(struct dc_mesh *mesh, struct dc_arena *arena, size_t vertex_count,
                                 size_t triangle_count, struct dc_error *error);

// Append to a mesh made with room enough; the vertex's index is returned.  Corners counter-clockwise seen from
// outside.
int dc_surface_add_vertex(struct dc_mesh *mesh, double x, double y, double z);
void dc_surface_add_triangle(struct dc_mesh *mesh, int a, int b, int c);
// Two triangles with the diagonal a-c, or b-d when other_diagonal.
void dc_surface_add_quad(struct dc_mesh *mesh, int a, int b, int c, int d, bool other_diagonal);
// The band between two circles of vertices lower + i and upper + i, i < sides, counter-clockwise seen from above.
// Diagonals alternate; row is the band's number.
void dc_surface_add_band(struct dc_mesh *mesh, int lower, int upper, int sides, int row);

// (cos, sin) of 2 pi i / n for 0 <= i < n, with all the symmetries of the circle exact.
void dc_surface_circle(double point[2], int i, int n);
// Adds the n vertices of a circle about the z axis; the first one's index.
int dc_surface_add_circle(struct dc_mesh *mesh, double radius, double z, int n);

#endif
