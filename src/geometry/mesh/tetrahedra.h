// SPDX-License-Identifier: Apache-2.0
// Meshes of tetrahedra, made from grids of cubes.
#ifndef DC_GEOMETRY_MESH_TETRAHEDRA_H
#define DC_GEOMETRY_MESH_TETRAHEDRA_H

#include "geometry/mesh/simplices.h"

enum dc_grid_form {
  DC_GRID_BLOCK,   // a box of that size about the origin
  DC_GRID_SPHERE,  // the ellipsoid with these diameters
  DC_GRID_BEAM     // a box whose ends along x have other sizes: 1 at the lower, taper at the upper one
};

// Cuts cells[0] x cells[1] x cells[2] cubes into six tetrahedra each (Kuhn 1960) and moves the nodes to the form.
// Arrays are owned by arena, surface included.  DC_BAD_INPUT when an element has no volume, DC_MEMORY.
enum dc_status dc_tetrahedra_grid(struct dc_simplices *mesh, enum dc_grid_form form, const double size[3],
                                  const long cells[3], double taper, struct dc_arena *arena, struct dc_error *error);

// Six times the signed volume of an element at nodes, m^3.
double dc_tetrahedron_volume6(const double (*nodes)[3], const int element[4]);

// Refuses nodes that do not exist, elements that are inverted or have less than 1e-9 of the volume that their longest
// edge would allow, and nodes of no element; the message names the first.  Then fills triangles.
enum dc_status dc_tetrahedra_finish(struct dc_simplices *mesh, struct dc_arena *arena, struct dc_error *error);

// Elements of ten nodes and the faces of their surface.
struct dc_quadratic {
  int element_count;
  int (*elements)[10];  // [element_count] corners, then the middles of the edges 01 02 03 12 13 23
  int (*faces)[6];      // [triangles / 4] corners a, b, c seen from outside, then the middles of ab, bc, ca
};

// Parts of a face.
enum { DC_FACE_QUARTERS = 4 };

// Cuts every element into eight (tetrahedra_refine.c), the four at its corners first.  The nodes of the coarse mesh
// come first; the quarters of face f are the triangles from 4 f on.  Arrays are owned by arena.  DC_BAD_INPUT when
// there are too many nodes, DC_MEMORY.
enum dc_status dc_tetrahedra_refine(const struct dc_simplices *coarse, struct dc_arena *arena,
                                    struct dc_simplices *mesh, struct dc_quadratic *quadratic,
                                    struct dc_error *error);

#endif
