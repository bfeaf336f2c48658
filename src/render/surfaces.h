// SPDX-License-Identifier: Apache-2.0
// What rays meet: the bodies' meshes as Embree instances, and where on them a ray arrives.
#ifndef DC_RENDER_SURFACES_H
#define DC_RENDER_SURFACES_H

#include <embree3/rtcore.h>
#include <stdbool.h>

#include "body/body.h"

struct dc_surface_mesh;

struct dc_surface_body {
  struct dc_surface_mesh *mesh;  // NULL: nothing to draw (half spaces, no shape)
  RTCGeometry instance;          // owned by the scene
  double center[3];              // of the body's frame in the mesh's frame, m
  double color[3];               // linear RGB
  bool fixed;
  int first_node;  // of a soft body, whose mesh stands in the world, among all nodes; -1: of another
  const struct dc_soft *soft;
  struct dc_pose pose;
};

struct dc_surfaces {
  RTCDevice device;
  RTCScene scene;  // one instance per drawn body; its geometry number is the body's index
  int mesh_count, body_count;
  struct dc_surface_mesh *meshes;  // [mesh_count], one per shape in use
  struct dc_surface_body *bodies;  // [body_count]
};

struct dc_surface_hit {
  int body;
  double distance;        // along the unit direction, m
  double position[3];     // m
  double face_normal[3];  // of the triangle, towards the viewer
  double normal[3];       // smoothed
  double origin[3];       // where rays leave: off the triangle, on the smooth surface it stands for
};

// Fills *surfaces (to be released with dc_surfaces_destroy, also after a failure).  Shapes are copied.
enum dc_status dc_surfaces_create(struct dc_surfaces *surfaces, const struct dc_bodies *bodies, struct dc_error *error);
void dc_surfaces_destroy(struct dc_surfaces *surfaces);

// Moves the nodes of soft bodies to places [3 nodes], m, where the next poses leave them.
enum dc_status dc_surfaces_deform(struct dc_surfaces *surfaces, const double *nodes, struct dc_error *error);

// Moves all bodies to poses [body_count].
enum dc_status dc_surfaces_pose(struct dc_surfaces *surfaces, const struct dc_pose *poses, struct dc_error *error);

// Corners of a box around a drawn body at its pose.
void dc_surfaces_box(const struct dc_surfaces *surfaces, int body, double corners[8][3]);

// First surface on the ray from origin along the unit direction; coherent: neighbouring rays are much alike (speed
// only).
bool dc_surfaces_intersect(const struct dc_surfaces *surfaces, const double origin[3], const double direction[3],
                           bool coherent, struct dc_surface_hit *hit);
// Body that the ray meets first, or -1.
int dc_surfaces_first_body(const struct dc_surfaces *surfaces, const double origin[3], const double direction[3]);
bool dc_surfaces_occluded(const struct dc_surfaces *surfaces, const double origin[3], const double direction[3]);

// DC_OK, or the device's last error as a status with a message that begins with what.
enum dc_status dc_surfaces_check(RTCDevice device, const char *what, struct dc_error *error);

#endif
