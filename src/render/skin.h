// SPDX-License-Identifier: Apache-2.0
// Surfaces that change with the motion: of solids and cloth their mesh, of rods and cables a tube through points, which
// are the nodes of rods and the frames through which cables run.
#ifndef DC_RENDER_SKIN_H
#define DC_RENDER_SKIN_H

#include "body/body.h"

struct dc_skin {
  const struct dc_soft *soft;    // NULL: of a cable
  const struct dc_cable *cable;  // NULL: of a soft body
  int first_node;                // among the nodes of all soft bodies
  int point_count;
  // Radius of a tube, m; 0: a mesh.  Cables have none of their own: it is a fraction of their length.
  double radius;
};

// The skin of a body; false: it has none.
bool dc_skin_of(const struct dc_bodies *bodies, int body, struct dc_skin *skin);

int dc_skin_vertex_count(const struct dc_skin *skin);
int dc_skin_triangle_count(const struct dc_skin *skin);
void dc_skin_triangles(const struct dc_skin *skin, int (*triangles)[3]);  // [triangle count]
// Positions of the vertices [vertex count] and of the points [point_count], m, for nodes of all soft bodies at nodes [3
// node_count] (NULL: at the start) and frames of all bodies at positions [bodies][3].
void dc_skin_points(const struct dc_skin *skin, const double *nodes, const double (*positions)[3], double (*points)[3]);
void dc_skin_place(const struct dc_skin *skin, const double (*points)[3], double (*vertices)[3]);

#endif
