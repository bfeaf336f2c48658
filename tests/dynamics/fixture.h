// SPDX-License-Identifier: Apache-2.0
// Shapes and bodies with known mass properties, filled in by hand so that these tests do not depend on the mesh code.
#ifndef DC_TESTS_DYNAMICS_FIXTURE_H
#define DC_TESTS_DYNAMICS_FIXTURE_H

#include "dynamics/definition.h"

enum { TETRAHEDRON, HALF_SPACE };

static double fixture_vertices[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 2, 0}, {0, 0, 3}};
static int fixture_triangles[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
static const struct dc_shape_type fixture_mesh_type = {.name = "mesh"};
static const struct dc_shape_type fixture_plane_type = {.name = "plane", .half_space = true};

// The tetrahedron with legs a = (1, 2, 3) along the axes: volume abc/6, centre a/4, and about the centre
// int x_i x_j dV = V (3 a_i^2 / 80 for i = j, -a_i a_j / 80 otherwise).
static const struct dc_shape fixture_shapes[] = {
    [TETRAHEDRON] = {.name = "tetrahedron",
                     .type = &fixture_mesh_type,
                     .mesh = {4, 4, fixture_vertices, fixture_triangles},
                     .properties = {.volume = 1,
                                    .center = {0.25, 0.5, 0.75},
                                    .second_moment = {3.0 / 80, -2.0 / 80, -3.0 / 80, -2.0 / 80, 12.0 / 80, -6.0 / 80,
                                                      -3.0 / 80, -6.0 / 80, 27.0 / 80}}},
    [HALF_SPACE] = {.name = "ground", .type = &fixture_plane_type},
};

#endif
