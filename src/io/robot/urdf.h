// SPDX-License-Identifier: Apache-2.0
// Robots in the Unified Robot Description Format (https://wiki.ros.org/urdf/XML): a file becomes a plain structure, the
// structure becomes entries of a scene's tree.  Private to src/io.
#ifndef DC_IO_URDF_H
#define DC_IO_URDF_H

#include <stdbool.h>

#include "base/notes.h"
#include "io/json/json_value.h"

enum {
  DC_URDF_MOST_LINKS = 10000,   // joints and named materials as well
  DC_URDF_MOST_SHAPES = 20000,  // <collision> and <visual> elements
  DC_URDF_MOST_DEPTH = 64,      // of elements
  DC_URDF_ALL_BITS = 65535      // of masks
};

// Largest size of any number that is read.
#define DC_URDF_MOST_NUMBER 1e12

// A pose: <origin xyz="x y z" rpy="r p y"/>, rotation = Rz(y) Ry(p) Rx(r) as a unit quaternion (w, x, y, z).
struct dc_urdf_pose {
  double position[3];  // m
  double rotation[4];
};

// Ellipsoids and planes are SDF's.
enum dc_urdf_geometry_type {
  DC_URDF_BOX,
  DC_URDF_CYLINDER,
  DC_URDF_CAPSULE,
  DC_URDF_SPHERE,
  DC_URDF_MESH,
  DC_URDF_ELLIPSOID,
  DC_URDF_PLANE
};

// The geometry of a <collision> or <visual>.
struct dc_urdf_geometry {
  size_t offset;  // of the element in the text
  bool visual;
  struct dc_urdf_pose origin;  // in the link's frame
  enum dc_urdf_geometry_type type;
  bool empty;             // a length is zero: while its element is read
  bool scenery;           // of a model that says itself that it stands still: ground, buildings
  double size[3];         // box: edge lengths, ellipsoid: half axes, m
  double radius, length;  // cylinder, capsule (length without the half spheres), sphere, m
  const char *file;       // mesh: as it stands in the file
  double scale[3];        // mesh
  double density;         // SDF: of a collision, kg/m^3; 0: that of its link
  bool colored;           // visual: rgb, linear red, green and blue
  const char *material;   // visual: name of its material, or NULL
  double rgb[3];
};

struct dc_urdf_link {
  const char *name;
  size_t offset;
  double mass;                     // kg; 0: no mass, the inertia counts for nothing
  struct dc_urdf_pose inertial;    // frame of the inertia, origin at the centre of mass
  double inertia[6];               // ixx, iyy, izz, ixy, ixz, iyz in that frame, kg m^2
  int first_geometry, geometries;  // collisions and visuals, as they come
  bool emptied;                    // others had a length of zero and were left out
  bool weightless;                 // SDF: gravity does not act on it
  bool supposed;                   // SDF: its mass or inertia stands nowhere, 1 kg and 1 kg m^2 by the specification
  double density;                  // SDF: of its collisions, for a link whose inertia is theirs, kg/m^3; NAN: not given
  double usual_density;            // SDF: of collisions that say none, kg/m^3; NAN: not given
  bool densities;                  // they have several; density is the first
  const char *model;               // SDF: its innermost model, by the address of its name; NULL: URDF
  bool still, self_collide;        // SDF: of a static model; touches other links of its model
  unsigned category, mask;         // SDF: it touches those links whose category meets its mask, or the other way round
  bool masks;                      // its collisions have several; these are the first
  double friction;                 // Coulomb's coefficient of its collisions; NAN: not given
  bool frictions;                  // they have several; friction is the first
  bool drakes_friction;            // SDF: it is given by Drake's element, whose rule for pairs is another one
  int joint;                       // that leads to it, -1 for the root
};

enum dc_urdf_joint_type {
  DC_URDF_REVOLUTE,
  DC_URDF_CONTINUOUS,
  DC_URDF_PRISMATIC,
  DC_URDF_FIXED,
  DC_URDF_FLOATING,
  DC_URDF_PLANAR,
  DC_URDF_BALL  // SDF's
};

struct dc_urdf_joint {
  const char *name;
  size_t offset;
  enum dc_urdf_joint_type type;
  const char *parent_name, *child_name;
  int parent, child;           // links
  struct dc_urdf_pose origin;  // frame of joint and child in the parent's frame, coordinate zero
  double axis[3];              // unit vector in the joint's frame
  bool boundless;              // lower and upper are so far that they are none
  bool limited;                // lower and upper hold
  double lower, upper;         // rad, m
  bool invented;               // holds a root beside "world"
  bool freed;                  // its range was left out: its leader never leads it there
  bool negative;               // SDF: damping, friction or stiffness below 0, which are 0 then
  bool unbounded;              // no range where the format wants one: what came of it is told
  double effort, velocity;     // limits, N or N m, m/s or rad/s; NAN: not given
  double damping, friction;    // N s/m or N m s/rad; N or N m
  double armature;             // inertia of its rotor, as seen at the joint, kg or kg m^2
  double stiffness, rest;      // SDF: of a spring, N/m or N m/rad, and where it has no force
  double initial;              // SDF: where the joint starts if the include does not say it
  bool actuated;               // a transmission names it
  const char *mimic_name;      // of the joint that this one follows, or NULL
  int mimic;                   // that joint; -1: none
  // coordinate = multiplier * coordinate of mimic + shift; after dc_urdf_connect mimic follows no other joint.
  double multiplier, shift;
};

// A kind of element that was not read although it would act.
struct dc_urdf_unread {
  const char *parent, *name;
  const char *effect;  // NULL: not known
  size_t offset;       // of the first
  int count;
};

// Points of two links that a joint which closes a loop holds together.
struct dc_urdf_tie {
  const char *joint;
  const char *links[2];  // parent and child; a parent of NULL is the world
  double points[2][3];   // in their frames
  size_t offset;
};
struct dc_urdf_ties {
  struct dc_urdf_tie *list;
  size_t count, capacity;
};

struct dc_urdf {
  const char *name;  // of the file, for messages
  const char *text;
  size_t length;
  struct dc_arena *arena;  // owns the strings and what dc_urdf_connect adds
  struct dc_urdf_link *links;
  struct dc_urdf_joint *joints;
  struct dc_urdf_geometry *geometries;
  size_t link_count, joint_count, geometry_count;
  size_t link_capacity, joint_capacity, geometry_capacity;
  struct dc_urdf_ties ties;
  struct dc_urdf_unread *unread;
  size_t unread_count, unread_capacity;
  bool actuators;    // the file says which joints have one
  int *order;        // [link_count] links, parents before children; the first is the root
  int *link_names;   // [link_count] links in the order of their names
  int *joint_names;  // [joint_count] joints in the order of their names
};

// A link with nothing, a joint of the identity.
struct dc_urdf_link dc_urdf_new_link(const char *name, size_t offset);
struct dc_urdf_joint dc_urdf_new_joint(const char *name, size_t offset);
// The range of a hinge or slide; an end that is farther than the ranges of scenes go is none.
void dc_urdf_set_range(struct dc_urdf_joint *joint, double lower, double upper);

// Parses text [length], terminated by a NUL, kept by reference.  Elements and attributes that the format does not know
// are skipped, and so are those without a counterpart: dynamics, safety, transmissions, textures.
// DOCTYPE is refused, and with it entities; so are xacro elements.  DC_BAD_INPUT with "name:line:column: rule",
// DC_MEMORY.  After a failure, too, *urdf is to be released.
enum dc_status dc_urdf_parse(struct dc_urdf *urdf, const char *name, const char *text, size_t length,
                             struct dc_arena *arena, struct dc_error *error);
// Makes the tree: names become indices.  Refuses double names, missing links, two parents, several roots, loops, and
// joints that follow what they cannot.  A joint that follows a fixed one is fixed where that leads it;
// one whose range its leader never leads it into loses the range.
enum dc_status dc_urdf_connect(struct dc_urdf *urdf, struct dc_error *error);
void dc_urdf_release(struct dc_urdf *urdf);

// The link or joint of that name, or -1.
int dc_urdf_find_link(const struct dc_urdf *urdf, const char *name);
int dc_urdf_find_joint(const struct dc_urdf *urdf, const char *name);
// A joint without coordinates: fixed, or with equal limits.
bool dc_urdf_joint_is_fixed(const struct dc_urdf_joint *joint);
// A joint with one coordinate.
bool dc_urdf_joint_is_scalar(const struct dc_urdf_joint *joint);

// r = a b: b seen from where a is seen from.  r may be a or b.
void dc_urdf_pose_compose(struct dc_urdf_pose *r, const struct dc_urdf_pose *a, const struct dc_urdf_pose *b);
void dc_urdf_pose_invert(struct dc_urdf_pose *r, const struct dc_urdf_pose *a);
extern const struct dc_urdf_pose dc_urdf_identity;

// Stores "name:line:column: message" for the place at offset and returns status.
enum dc_status dc_urdf_fail(const struct dc_urdf *urdf, size_t offset, struct dc_error *error, enum dc_status status,
                            const char *format, ...) __attribute__((format(printf, 5, 6)));

// Pairs of links that never touch, from a file in the Semantic Robot Description Format (<disable_collisions>).
struct dc_srdf_pair {
  const char *links[2];
};
struct dc_srdf {
  struct dc_srdf_pair *pairs;  // [count], owned by the arena, as the names
  int count;
};
// Parses text [length], terminated by a NUL.  DC_BAD_INPUT with "name:line:column: rule", DC_MEMORY.
enum dc_status dc_srdf_parse(struct dc_srdf *srdf, const char *name, const char *text, size_t length,
                             struct dc_arena *arena, struct dc_error *error);

// Treatment of the inertias of a file.
enum dc_urdf_inertia_policy {
  DC_URDF_INERTIA_REPAIR,  // the nearest that a body can have
  DC_URDF_INERTIA_FILE,    // as they stand; the scene refuses what no body can have
  DC_URDF_INERTIA_SHAPE    // those of the collision geometry, for the mass of the file
};
// The inertia of a link in its axes, about the centre of mass: xx, yy, zz, xy, xz, yz, kg m^2.
void dc_urdf_link_inertia(const struct dc_urdf_link *link, double inertia[6]);
// Replaces an inertia by the nearest that a body can have: second moments tr(I)/2 1 - I (their nearest in the Frobenius
// norm) of at least 1e-4 of the largest.  *change: norm of the change of the second moments over that of what comes
// out, 0 when nothing is wrong.  False: there is nothing to repair, all moments are zero or less.
bool dc_urdf_repair_inertia(double inertia[6], double *change);

// A joint of a robot's file whose start an include can say, and the coordinate of a body that it is.
struct dc_robot_start {
  const char *body, *joint;
  int coordinate;  // index into "joint_position" of the body
  int include;     // index of the include
  const struct dc_robot_start *next;
};

// How a robot stands in a scene.
struct dc_urdf_use {
  const char *prefix;        // before every name
  struct dc_urdf_pose pose;  // of the root link in the world
  const cJSON *base;         // the root's joint as bodies have them; NULL: fixed
  bool base_anchored;        // base takes an "anchor"
  // Actuators of all hinges and slides that follow no other; only of those to which the file gives one, if it gives any
  // at all.  NULL: none.
  const cJSON *pd;
  const cJSON *const *pd_of;  // [joint_count] of that joint instead: NULL: pd; JSON's null: none.  NULL: no joint's
  bool effort;                // limits of effort become those of pd
  bool dynamics;              // damping and armature of the file act
  bool collide, convex;
  bool by_file;         // links touch each other as their file says
  long hull_points;     // of convex hulls of collision meshes; 0: all
  double longest_edge;  // of their triangles and along cylinders of collisions, m; 0: any
  bool usual_edge;      // nobody has given it: scenery keeps its triangles, however large
  const char *surface;  // of its shapes; NULL: the default
  enum dc_urdf_inertia_policy inertia;
  struct dc_srdf disabled;               // links that do not touch
  struct dc_notes *notes;                // gets what was done beyond what the file says
  double color[3];                       // NAN: that of the materials
  double density;                        // of links without mass, kg/m^3; NAN: that of bodies without either
  const double *start;                   // [joint_count] coordinates; NAN: the one nearest to zero
  const char *const *files;              // [geometry_count] paths of meshes for the scene's tree; NULL: to be left out
  int include;                           // index of the include
  struct dc_arena *arena;                // owns what is added to starts
  const struct dc_robot_start **starts;  // list that joints with one coordinate are added to
};

// Appends the robot to the members "shapes" (an object), "bodies" and "couplings" (arrays) of document->root, which are
// made where they are missing; their place is then that of the node at.  Places of what is added are those of links,
// joints and geometries, in source.  DC_BAD_INPUT, DC_MEMORY.
enum dc_status dc_urdf_add(const struct dc_urdf *urdf, const struct dc_urdf_use *use, struct dc_json_document *document,
                           uint32_t source, const cJSON *at, struct dc_error *error);

#endif
