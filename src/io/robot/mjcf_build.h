// SPDX-License-Identifier: Apache-2.0
// A model of MuJoCo becoming entries of a scene's tree: what the files that do it share.  Private to src/io/robot, in
// builds with MuJoCo only.
#ifndef DC_IO_MJCF_BUILD_H
#define DC_IO_MJCF_BUILD_H

#include <mujoco/mujoco.h>

#include "io/robot/mjcf.h"
#include "io/robot/urdf_build.h"

struct dc_mjcf {
  mjModel *model;
  const char *name, *text;
};

// What becomes of a body of MuJoCo.
struct dc_mjcf_link {
  int carrier, parent;       // the body that it is or is fixed to, and that which that hangs on; 0: the world
  struct dc_urdf_pose pose;  // in the frame of the parent (of a frame only: of the carrier)
  int above;                 // body without mass whose joints it takes over, 0 without
  bool pending;              // has no mass, but joints, which the only body below takes over
  int body;                  // index among the bodies of the scene, -1 without
};

struct dc_mjcf_builder {
  struct dc_urdf_builder base;
  struct dc_urdf urdf;  // name and arena, for base
  const struct dc_mjcf *mjcf;
  const mjModel *model;
  const struct dc_mjcf_use *use;
  struct dc_mjcf_link *links;  // [nbody]
  double *qpos;                // [nq] where it starts
  const double *qvel;          // [nv], NULL: at rest
  int next_body;
  bool *in_pairs;  // [ngeom] in a predefined pair of geometries
  struct dc_urdf_names refused, dropped, clamped, round;
  double roundness;  // by how much hulls of round geometries lie inside of them at most, m
  double deviation;  // by how much simplified hulls lie inside of the file's, m
};

// A name for object i of MuJoCo's kind, invented ("body3") where the file has none, as names in scenes may be; the
// place of an element of that name in the text.
const char *dc_mjcf_name(struct dc_mjcf_builder *builder, int kind, int i);
int dc_mjcf_place(struct dc_mjcf_builder *builder, int kind, int i);
// Remembers something with no counterpart: "what name" in a list for messages.
void dc_mjcf_remember(struct dc_mjcf_builder *builder, struct dc_urdf_names *list, const char *what, const char *name);

// "shape", "visual", "friction" and "color" of the body whose carrier is `carrier` and that is called name.
enum dc_status dc_mjcf_put_shapes(struct dc_mjcf_builder *builder, cJSON *body, int carrier, const char *name,
                                  int place);
// The name of a plane's body: that of the geometry, or, where it has none and is the only one, of the body of MuJoCo.
const char *dc_mjcf_plane_name(struct dc_mjcf_builder *builder, int geom);
// A fixed body for every plane, on the body or world that carries it.
enum dc_status dc_mjcf_put_planes(struct dc_mjcf_builder *builder);
// The joints, their ranges, start and actuators of body i.
enum dc_status dc_mjcf_put_joints(struct dc_mjcf_builder *builder, cJSON *body, int i, int place);
// "collide_except" of all bodies; couplings; what has no counterpart.
enum dc_status dc_mjcf_put_filters(struct dc_mjcf_builder *builder);
enum dc_status dc_mjcf_put_couplings(struct dc_mjcf_builder *builder);
void dc_mjcf_find_refused(struct dc_mjcf_builder *builder);

#endif
