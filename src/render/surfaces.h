// SPDX-License-Identifier: Apache-2.0
// The surfaces that rays meet: the bodies' meshes as Embree instances, and where on them a ray arrives.
#ifndef DC_RENDER_SURFACES_H
#define DC_RENDER_SURFACES_H

#include <stdbool.h>

#include "render/embree.h"
#include "render/skin.h"

struct dc_surface_mesh;

struct dc_surface_body {
  struct dc_surface_mesh *mesh;  // NULL: nothing to draw (half spaces, no shape)
  RTCGeometry instance;          // owned by the scene
  double center[3];              // of the body's frame in the mesh's frame, m
  double color[3];               // linear RGB
  bool fixed;
  bool skinned;  // its mesh is the skin, in the world
  struct dc_skin skin;
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

// Moves the nodes of soft bodies to places [3 nodes], m, where the next poses leave them; cables follow the poses.
enum dc_status dc_surfaces_deform(struct dc_surfaces *surfaces, const double *nodes, struct dc_error *error);

// Moves all bodies to poses [body_count].
enum dc_status dc_surfaces_pose(struct dc_surfaces *surfaces, const struct dc_pose *poses, struct dc_error *error);

// Corners of a box around a drawn body at its pose.
void dc_surfaces_box(const struct dc_surfaces *surfaces, int body, double corners[8][3]);

enum { DC_RAYS = 16 };  // of a packet

// A packet of rays: Embree's lanes, as wide as the processor has them.  Rays that are not set meet nothing.
struct dc_ray_packet {
  struct RTCRayHit16 rays;
  int valid[DC_RAYS] __attribute__((aligned(64)));  // -1: set, 0: not
};

void dc_packet_clear(struct dc_ray_packet *packet);
// Sets ray k from origin along the unit direction.
void dc_packet_set(struct dc_ray_packet *packet, int k, const double origin[3], const double direction[3]);

// First surfaces on the rays; coherent: they are much alike (speed only).
void dc_surfaces_intersect(const struct dc_surfaces *surfaces, struct dc_ray_packet *packet, bool coherent);
// Body that ray k met, or -1; the distance to it, m, as single precision gives it.
static inline int dc_packet_body(const struct dc_ray_packet *packet, int k)
{
  return packet->rays.hit.geomID[k] == RTC_INVALID_GEOMETRY_ID ? -1 : (int)packet->rays.hit.instID[0][k];
}
static inline double dc_packet_distance(const struct dc_ray_packet *packet, int k)
{
  return (double)packet->rays.ray.tfar[k];
}
// Where ray k from origin met the body.
void dc_surfaces_locate(const struct dc_surfaces *surfaces, const struct dc_ray_packet *packet, int k,
                        const double origin[3], const double direction[3], struct dc_surface_hit *hit);
// Unit normal of the triangle that ray k met, towards the viewer; whether it is seen from inside.
bool dc_surfaces_face(const struct dc_surfaces *surfaces, const struct dc_ray_packet *packet, int k,
                      const double direction[3], double normal[3]);

// Whether anything is on the rays, for dc_packet_blocked.
void dc_surfaces_occlude(const struct dc_surfaces *surfaces, struct dc_ray_packet *packet);
static inline bool dc_packet_blocked(const struct dc_ray_packet *packet, int k)
{
  return packet->rays.ray.tfar[k] < 0;
}

// DC_OK, or the device's last error as a status with a message that begins with what.
enum dc_status dc_surfaces_check(RTCDevice device, const char *what, struct dc_error *error);

#endif
