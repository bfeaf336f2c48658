// SPDX-License-Identifier: Apache-2.0
// The registry of signed distances.
#include "geometry/implicit/sdf.h"

const struct dc_sdf_type *const dc_sdf_types[] = {
    &dc_sdf_superquadric, &dc_sdf_polyhedron, &dc_sdf_points,     &dc_sdf_capsule,
    &dc_sdf_cone,         &dc_sdf_union,      &dc_sdf_difference, NULL};
