// SPDX-License-Identifier: Apache-2.0
// Private to the colliders: what those of triangles and those of convex leaves share.
#ifndef DC_CONTACT_COLLIDER_INTERNAL_H
#define DC_CONTACT_COLLIDER_INTERNAL_H

#include "contact/common/contact_internal.h"

// Weights must stay positive: a pair without weight would have no barrier.
static const double DC_LEAST_RELATIVE_AREA = 1e-3;

// The mean face that the movable body with the smallest surface turns to others: area 0 when no body moves.
struct dc_contact_patch {
  double area, perimeter;  // m^2, m
};

// The mean projection of a convex leaf with that surface, m^2, and its outline, m.
void dc_leaf_projection(double area, double *projected, double *outline);

// Makes the collider of a body whose shape has leaves.  unit_area: the area that weighs 1, m^2 (NAN: the body's own);
// fixed: NULL, or the patch that a fixed body bears.  DC_MEMORY.
enum dc_status dc_collider_create_leaves(struct dc_contact *contact, const struct dc_body *body, double unit_area,
                                         const struct dc_contact_patch *fixed, struct dc_collider *collider,
                                         struct dc_error *error);

#endif
