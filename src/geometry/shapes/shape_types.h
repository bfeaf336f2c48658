// SPDX-License-Identifier: Apache-2.0
// Inside the shapes: the descriptors that the registry lists.
#ifndef DC_GEOMETRY_SHAPE_TYPES_H
#define DC_GEOMETRY_SHAPE_TYPES_H

#include "geometry/shapes/shape.h"

// Largest length a shape's option may have, m.
#define DC_SHAPE_LENGTH_MAX 1e6

extern const struct dc_shape_type dc_shape_sphere, dc_shape_box, dc_shape_cylinder, dc_shape_capsule, dc_shape_mesh,
    dc_shape_plane, dc_shape_compound, dc_shape_hulls, dc_shape_blocks, dc_shape_superquadrics, dc_shape_points, dc_shape_heights;

// Makes the mesh of a shape from its signed distance: a lattice of cells, at most so many triangles, vertices so deep
// inside (m); and its convex parts, if it has any.  Owned by arena.  DC_BAD_INPUT, DC_MEMORY.
enum dc_status dc_shape_mesh_sdf(struct dc_shape *shape, long cells, long triangles, double inset,
                                 struct dc_arena *arena, struct dc_error *error);

// Number `component` of a numeric option's value.
double dc_shape_option_number(const struct dc_option *option, const void *value, int component);

// The leaves of a shape whose mesh, parts and properties are there, unless its options keep the mesh; properties of
// round shapes become those of the round solid.  By default what has no convex parts, or one with too many corners,
// keeps its triangles.  Owned by arena.  DC_BAD_INPUT when leaves are asked for and a part has too many corners;
// DC_MEMORY.
enum dc_status dc_shape_make_leaves(struct dc_shape *shape, const struct dc_shape *shapes, struct dc_arena *arena,
                                    struct dc_error *error);

// Options of these types for a mesh that looks round.
void dc_sphere_refine(void *options);
void dc_capsule_refine(void *options);

#endif
