// SPDX-License-Identifier: Apache-2.0
// The compiled content of an MJCF file: poses by quaternions, angles in radians, defaults applied, masses computed.
// Private to src/io/robot.
#ifndef DC_IO_MJCF_MODEL_H
#define DC_IO_MJCF_MODEL_H

#include <math.h>

#include "io/robot/mjcf_tree.h"
#include "io/robot/urdf.h"

enum dc_mjcf_geom_type {
  DC_MJCF_PLANE,
  DC_MJCF_HFIELD,
  DC_MJCF_SPHERE,
  DC_MJCF_CAPSULE,
  DC_MJCF_ELLIPSOID,
  DC_MJCF_CYLINDER,
  DC_MJCF_BOX,
  DC_MJCF_MESH,
  DC_MJCF_SDF
};
enum dc_mjcf_joint_type { DC_MJCF_FREE, DC_MJCF_BALL, DC_MJCF_SLIDE, DC_MJCF_HINGE };

// A mesh as its file, or its element, has it: scaled, moved by refpos and refquat.
struct dc_mjcf_mesh {
  const char *name;
  const struct dc_mjcf_node *node;
  const char *file, *path;  // as it stands there, and where it was found; NULL: vertices of the element
  double scale[3], refpos[3], refquat[4];
  int inertia;  // enum dc_mjcf_mesh_inertia
  bool read;
  enum dc_status status;  // of the reading
  const char *message;
  int vertex_count, triangle_count;  // triangles: 0 for points of a hull; of several groups only the first one's
  bool partial, weighed;             // its file has more groups; a mass comes of its triangles
  double (*vertices)[3];             // m
  int (*triangles)[3];               // corners, as indices of vertices
  double volume, center[3],
      moment[6];  // inertia of density 1 about the centre: xx, yy, zz, xy, xz, yz; of a shell of its area
};
// The ground of a height field: values from 0 to 1, the row of the least y first.
struct dc_mjcf_field {
  const char *name;
  const struct dc_mjcf_node *node;
  const char *file;  // as it stands there; NULL: values of the element, or 0
  double size[4];    // half lengths along x and y, height of a value of 1, depth of the bottom
  int rows, columns;
  double *values;  // [rows][columns]
};
enum dc_mjcf_mesh_inertia { DC_MJCF_LEGACY, DC_MJCF_EXACT, DC_MJCF_CONVEX, DC_MJCF_SHELL };

struct dc_mjcf_geom {
  const char *name;
  const struct dc_mjcf_node *node;
  int body, type, mesh, field;  // mesh, field: -1 without
  struct dc_urdf_pose pose;
  double size[3];
  int contype, conaffinity, condim, priority, group;
  double friction[3], mass, density;  // mass: NAN when density says it
  bool shell;                         // its mass is on its surface: density in kg/m^2
  double fit;                         // factor of the size of a primitive fitted to its mesh
  double rgba[4];
};

struct dc_mjcf_joint {
  const char *name;
  const struct dc_mjcf_node *node;
  int body, type, qpos, dof;  // first entries in keyframes
  double pos[3], axis[3], range[2];
  double stops[2];        // where it stops: the range less its margin, within those of tendons of it alone
  bool limited, crowded;  // crowded: its margin would leave nothing of the range
  double ref, springref, stiffness, damping, armature, frictionloss;
  double spring_time[2];  // a time constant and a ratio of damping that the spring is given by; 0: it is not
  double force;           // limit of the actuators' sum, N or N m; INFINITY: none
  double forces[2];       // the same of either direction
  bool held;              // by an equality, which took it away or made it a ball: keyframes do not start it
  bool locked, gone;      // by an equality of it alone; gone: one of several of its body
  double locked_at;       // less its reference, m or rad
  bool aligned;           // a free one whose keyframes mean the axes of inertia
  bool curved[2];         // stiffness, damping: has coefficients of higher powers
};

struct dc_mjcf_body {
  const char *name;
  const struct dc_mjcf_node *node;
  int parent, number;  // number: its place in the file, as MuJoCo counts; equalities may move it in the list
  struct dc_urdf_pose pose;
  int first_joint, joints, first_geom, geoms;
  bool mocap, still, inertial;  // still: fixed to the world
  int weld;                     // the body at the top of those it is fixed to; 0: the world
  int group, above;             // weld by the file's bodies alone, without equalities, and that of what it hangs on
  double mass, center[3], inertia[6];  // about the centre of mass, in the body's axes
  double buoyancy;                     // part of the weight that is held
};

// Forces of a fixed tendon by itself along its length, in the file's coordinates.
struct dc_mjcf_pull {
  bool acts, ranged;
  double stiffness, rest[2], damping, friction, range[2];
};

// A tendon: its length is the sum of coefficients times coordinates of joints, or that of a way in space.
struct dc_mjcf_tendon_state;
struct dc_mjcf_tendon {
  const char *name;
  const struct dc_mjcf_node *node;
  bool fixed;
  int *joints, count;  // of a fixed one
  double *coefficients;
  struct dc_mjcf_tendon_state *state;  // its attributes, less what a joint does for it, or the pull
  struct dc_mjcf_pull pull;
  const char *acts;  // one thing that it does by itself, as a word of a message; NULL: nothing
};

enum dc_mjcf_transmission { DC_MJCF_OF_JOINT, DC_MJCF_OF_TENDON, DC_MJCF_OF_SITE, DC_MJCF_OF_OTHER };
struct dc_mjcf_actuator {
  const char *name;
  const struct dc_mjcf_node *node;
  int transmission, joint;  // joint: -1 where it drives none
  int tendon;               // of several joints, -1 without; one of a single joint is a gear of that
  const char *target;
  double gear[6], gain, bias[3];  // force = gear (gain u + bias0 + bias1 gear q + bias2 gear v)
  bool affine, simple;            // has a bias; is nothing but that
  bool follows;                   // its control is filtered or integrated
  bool off;                       // switched off by an option
  double control[2], force[2];    // limits; infinite without
};

struct dc_mjcf_pair {
  const struct dc_mjcf_node *node;
  int geoms[2], condim;
  double friction;
  bool uneven;  // friction is another in the second direction
};
struct dc_mjcf_coupling {
  const struct dc_mjcf_node *node;
  int joints[2];  // [1]: -1: none
  double polynomial[5];
};
// Points of two bodies that an equality holds together.
struct dc_mjcf_tie {
  const struct dc_mjcf_node *node;
  int bodies[2];
  double points[2][3];  // in their frames
};
// A frame on a body that equalities hold.
struct dc_mjcf_site {
  const char *name;
  int body;
  struct dc_urdf_pose pose;
};
struct dc_mjcf_key {
  const char *name;
  const struct dc_mjcf_node *node;
  double *qpos, *qvel, *ctrl;  // NULL: not given
  const char *wrong;           // which of them has another number of numbers; NULL: none
};

// Which parts of the physics are switched off, and the gravity.
struct dc_mjcf_option {
  double gravity[3];
  bool gravity_given;
  const struct dc_mjcf_node *gravity_node;  // NULL: nothing says it
  bool no_contact, no_limit, no_actuation, no_clamp, no_equality, no_friction, no_spring, no_damper, touch_parents,
      pairs_only, no_dynamic_pairs;
};

// Items that each list of a model has memory for; only the functions that append to the lists read and write it.
struct dc_mjcf_room {
  size_t bodies, geoms, joints, tendons, actuators, meshes, fields, pairs, couplings, ties, sites, keys, excluded,
      named;
};

struct dc_mjcf_assets {
  struct dc_mjcf_mesh *meshes;
  struct dc_mjcf_field *fields;
  size_t mesh_count, field_count;
};

struct dc_mjcf_ties {
  struct dc_mjcf_tie *list;
  size_t count;
  struct dc_mjcf_site *sites;  // those that have names
  size_t site_count;
};

// A compiled model: elements with their classes' defaults applied, in the order of the file.  Lists are owned and freed
// by dc_mjcf_release, strings belong to arena.
struct dc_mjcf {
  const char *name;
  struct dc_arena *arena;
  const struct dc_mjcf_opener *opener;
  struct dc_mjcf_node *root;
  struct dc_mjcf_option option;
  struct dc_mjcf_body *bodies;  // parents before children; the first is the world
  struct dc_mjcf_geom *geoms;   // those of a body stand together
  struct dc_mjcf_joint *joints;
  struct dc_mjcf_tendon *tendons;
  struct dc_mjcf_actuator *actuators;
  struct dc_mjcf_assets assets;
  struct dc_mjcf_pair *pairs;
  struct dc_mjcf_coupling *couplings;
  struct dc_mjcf_ties ties;
  struct dc_mjcf_key *keys;
  int (*excluded)[2];                 // bodies
  const struct dc_mjcf_node **named;  // elements that nothing corresponds to: equalities, ...
  size_t body_count, geom_count, joint_count, tendon_count, actuator_count, pair_count, coupling_count, key_count,
      excluded_count, named_count;
  struct dc_mjcf_room room;
  int nq, nv;
};

// Reads a mesh when it is needed; its status, with mesh->message.
enum dc_status dc_mjcf_need_mesh(const struct dc_mjcf *model, struct dc_mjcf_mesh *mesh);
// Whether a geometry becomes a body of its own, fixed to its body: planes and height fields.
static inline bool dc_mjcf_is_ground(const struct dc_mjcf_geom *geom)
{
  return geom->type == DC_MJCF_PLANE || geom->type == DC_MJCF_HFIELD;
}
// The index of the item of that name among items that begin with their names, or -1.
int dc_mjcf_find_named(const void *items, size_t count, size_t size, const char *name);

#endif
