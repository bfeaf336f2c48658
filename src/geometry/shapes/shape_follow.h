// SPDX-License-Identifier: Apache-2.0
// Signed distances of shapes whose vertices move (docs/theory.md, "Contact manifolds", "Designs").
//
// A follower is made of a shape as it is at the start.  It gives the signed distance for any places of the vertices, a
// smooth function of them, which at the start is that of dc_shape_sdf, and takes derivatives by its parameters to the
// places.
//     convex parts     the plane of a side has the mean normal of its triangles, by area, and holds the mean of their corners;
//     a superquadric   has the factors along the axes and the shift that fit its vertices best, in least squares.
#ifndef DC_GEOMETRY_SHAPE_FOLLOW_H
#define DC_GEOMETRY_SHAPE_FOLLOW_H

#include "geometry/shapes/shape.h"

struct dc_shape_follower;

// Owned by arena; start is kept by reference.  smoothing: as for dc_shape_sdf.  DC_BAD_INPUT: a shape that cannot be
// followed (unions of superquadrics, point clouds, parts with vertices that its mesh has not); DC_MEMORY.
enum dc_status dc_shape_follower_create(const struct dc_shape *start, double smoothing, struct dc_arena *arena,
                                        struct dc_shape_follower **follower, struct dc_error *error);
// The vertices of the mesh at places [mesh.vertex_count], in any axes that are those of the shape, m.  The result, in
// the same axes, is the follower's and stays until the next call.  DC_INFEASIBLE: a vertex stands out of a side of its
// part by more than 3 % of the size; DC_BAD_INPUT: vertices of a superquadric that do not move by such factors.
enum dc_status dc_shape_follow(struct dc_shape_follower *follower, const double (*places)[3], const struct dc_sdf **sdf,
                               struct dc_error *error);
// At the places of the last call, for derivatives [dc_sdf_parameter_count] of any number by the parameters of its
// result: adds those by the places.
void dc_shape_follower_pull_back(const struct dc_shape_follower *follower, const double *by_parameters,
                                 double (*by_places)[3]);

#endif
