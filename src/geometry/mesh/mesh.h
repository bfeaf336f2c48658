// SPDX-License-Identifier: Apache-2.0
// Closed triangle surfaces.
#ifndef DC_GEOMETRY_MESH_H
#define DC_GEOMETRY_MESH_H

#include <stdbool.h>

#include "base/memory.h"
#include "base/status.h"

struct dc_mesh {
  int vertex_count, triangle_count;
  double (*vertices)[3];  // [vertex_count], m
  int (*triangles)[3];    // [triangle_count], counter-clockwise seen from outside
  // Groups of an OBJ file or of hulls: group g is triangles group_start[g] to group_start[g + 1] - 1; NULL without.
  int group_count;
  const int *group_start;  // [group_count + 1]
  double deviation;        // of a simplified hull: how far what it is made of stands out of it at most, m
  int flat_groups;         // of hulls: groups of what they are made of that have none, as they are flat
  bool hulls;              // every group is the surface of a convex hull, which need not be found out again
  // A fault of its file, or NULL: the first polygon whose border crosses itself, or that there are points and no
  // triangles, ":LINE: rule" or ": rule".  The vertices are good for a hull, not for a surface.
  const char *fault;
};

// Mass properties of the solid inside a closed mesh, at density 1 kg/m^3.
struct dc_mass_properties {
  double volume;            // m^3
  double center[3];         // centre of mass in the mesh's frame, m
  double second_moment[9];  // integral of r r^T dV about the centre, m^5 (symmetric)
  double surface_area;      // m^2
};

enum {
  DC_MESH_FILE_BYTES_MAX = 64 << 20,  // largest mesh file
  DC_MESH_TRIANGLES_MAX = 4000000     // most triangles (and vertices) of a file or shape
};

// Reads an OBJ or STL (text or binary) file by content and name.
// * STL: vertices with the same coordinates are merged.
// * OBJ: vertices with the same coordinates are merged where the surface is open otherwise.  Vertices that no face uses
//   are dropped, polygons are cut into triangles (geometry/mesh/polygon.h), and the faces behind each "g" and "o"
//   statement are a group.  Vertices alone, without faces, stay as points.
//
// Never blocks on devices or pipes; refuses files over DC_MESH_FILE_BYTES_MAX.  Arrays are owned by arena.
// DC_BAD_INPUT with "path: rule" or "path:line: rule", DC_IO, DC_MEMORY; *mesh is then empty.
enum dc_status dc_mesh_read(const char *path, struct dc_arena *arena, struct dc_mesh *mesh, struct dc_error *error);

// The rules for bodies:
// * every index is valid, coordinates are finite and at most 1e9 m, and the size (diagonal of the bounding box) is at
//   least 1e-9 m;
// * no triangle is degenerate (area <= 1e-14 of the squared size) or stands there twice;
// * every edge is shared by exactly two triangles with opposite directions;
// * the volume is positive (> 1e-14 of the cubed size);
// * connected parts face inwards only as cavities inside others.
//
// DC_BAD_INPUT names the most fundamental broken rule, with counts and first indices (from 0); DC_MEMORY.
enum dc_status dc_mesh_validate(const struct dc_mesh *mesh, struct dc_error *error);

// The rule for a mesh that dc_mesh_validate accepts and that is no union of convex parts (dc_mesh_convex_parts): its
// connected parts bound one solid.  Surfaces of different parts do not meet, and a part lies inside others only as a
// cavity or in one; what two parts have in common would count twice.  DC_BAD_INPUT with counts, first indices (from 0)
// and how to mend it; DC_MEMORY.
enum dc_status dc_mesh_check_apart(const struct dc_mesh *mesh, struct dc_error *error);

// Volume, centre of mass and second moment by the divergence theorem (sums over signed tetrahedra about the vertex
// mean).
void dc_mesh_mass_properties(const struct dc_mesh *mesh, struct dc_mass_properties *properties);

// The derivative of a function of the solid's volume V, of F = integral of r dV and of S = integral of r r^T dV, r from
// origin, by the vertices, added to gradient [vertex_count][3]: by_second is symmetric.  Of several closed surfaces one
// call for each with the same origin.
void dc_mesh_mass_pull_back(const struct dc_mesh *mesh, const double origin[3], double by_volume,
                            const double by_first[3], const double by_second[9], double (*gradient)[3]);

// Edges of one triangle only; -1: out of memory.  Indices are valid.
long dc_mesh_open_edges(const struct dc_mesh *mesh);

// Outward normal of a triangle, of twice its area.
void dc_mesh_normal(const struct dc_mesh *mesh, int triangle, double normal[3]);

// Sets parts [vertex_count] to the least vertex that every vertex is connected with by triangles: the vertices of one
// connected part have the same.  Indices are valid.
void dc_mesh_parts(const struct dc_mesh *mesh, int *parts);

// Diagonal of the bounding box, m; 0 without vertices.
double dc_mesh_size(const struct dc_mesh *mesh);

// True when point lies inside the closed mesh (generalized winding number, Van Oosterom and Strackee 1983, above one
// half).
bool dc_mesh_contains(const struct dc_mesh *mesh, const double point[3]);

#endif
