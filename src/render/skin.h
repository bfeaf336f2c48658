// SPDX-License-Identifier: Apache-2.0
// The surface of a soft body as it is drawn: of solids and cloth that of its mesh, of a rod a tube around its segments.
#ifndef DC_RENDER_SKIN_H
#define DC_RENDER_SKIN_H

#include "body/soft.h"

int dc_skin_vertex_count(const struct dc_soft *soft);
int dc_skin_triangle_count(const struct dc_soft *soft);
void dc_skin_triangles(const struct dc_soft *soft, int (*triangles)[3]);  // [triangle count]
// Places of the vertices [vertex count], m, where nodes [3 nodes] are.
void dc_skin_place(const struct dc_soft *soft, const double *nodes, double (*vertices)[3]);

#endif
