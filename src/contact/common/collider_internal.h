// SPDX-License-Identifier: Apache-2.0
// Private to the colliders: what those of triangles and those of convex leaves share.
#ifndef DC_CONTACT_COLLIDER_INTERNAL_H
#define DC_CONTACT_COLLIDER_INTERNAL_H

#include "contact/common/contact_internal.h"

// Weights must stay positive: a pair without weight would have no barrier.
static const double DC_LEAST_RELATIVE_AREA = 1e-3;

// collider_patch.c
// The mean face that the movable body with the smallest surface turns to others: area 0 when no body moves.
struct dc_contact_patch {
  double area, perimeter;  // m^2, m
};

// leaves: contact sees convex leaves where shapes have them.
struct dc_contact_patch dc_contact_patch_of(const struct dc_bodies *bodies, bool leaves);
// The mean projection of a convex leaf with that surface, m^2, and its outline, m.
void dc_leaf_projection(double area, double *projected, double *outline);
double dc_triangle_perimeter(const double (*vertices)[3], const int *triangle);  // m
// The weight of a fixed triangle of that area and perimeter, m^2 and m, that bears the patch.
double dc_bearing_weight(const struct dc_contact_patch *patch, double area, double perimeter);
// The weight of a fixed solid with that surface, m^2, if it were a box of twelve triangles that bears the patch.
double dc_bearing_weight_of_solid(const struct dc_contact_patch *patch, double area);

// collider_leaves.c Makes the collider of a body whose shape has leaves.  unit_area: the area that weighs 1, m^2, NAN
// of a body that moves; patch: what fixed bodies bear (area 0: nothing).  DC_MEMORY.
enum dc_status dc_collider_create_leaves(struct dc_contact *contact, const struct dc_body *body, double unit_area,
                                         const struct dc_contact_patch *patch, struct dc_collider *collider,
                                         struct dc_error *error);

// collider_cores.c A smaller leaf inside of a leaf, about the same mean vertex, and how far below its surface it is, m;
// 0: there is none. Vertices belong to arena.  DC_MEMORY.
enum dc_status dc_leaf_core(const struct dc_shape_leaf *leaf, struct dc_arena *arena, struct dc_shape_leaf *core,
                            double *depth, struct dc_error *error);
// The most that a core so deep may weigh, if it is not to be felt at the gaps at which bodies with the surface
// unit_area (m^2) rest.
double dc_core_most_weight(double depth, double unit_area);

#endif
