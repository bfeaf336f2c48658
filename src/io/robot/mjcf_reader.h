// SPDX-License-Identifier: Apache-2.0
// Reading the tree of an MJCF file into a model: state and helpers that the files of the reader share.  Private to
// src/io/robot.
#ifndef DC_IO_MJCF_READER_H
#define DC_IO_MJCF_READER_H

#include "io/robot/mjcf_model.h"

enum { DC_MJCF_MOST = 20000, DC_MJCF_MOST_CLASSES = 2000 };  // bodies, joints, geometries, actuators

struct dc_mjcf_class {
  const char *name;
  int parent;                       // -1 of the main one
  const struct dc_mjcf_node *node;  // <default>
};

struct dc_mjcf_reader {
  struct dc_mjcf *model;
  struct dc_arena *arena;
  struct dc_error *error;
  enum dc_status status;  // the first failure
  const struct dc_mjcf_opener *opener;
  struct dc_mjcf_class *classes;
  size_t class_count, class_room;
  // <compiler>
  bool degrees, autolimits, strip_path, balance, fit_boxes, align_free;
  char euler[4];
  const char *mesh_folder;
  double bound_mass, bound_inertia, total_mass;
  int from_geoms;                 // 0: never, 1: always, 2: of bodies without <inertial>
  double groups[2];               // of geometries that count for inertias
  int exact_meshes;               // deprecated choice for all meshes
  struct dc_urdf_pose *poses;     // [bodies] of dc_mjcf_find_poses
  size_t held;                    // bodies that equalities have looked at, again and again
  int walked;                     // elements that bodies were made of, copies too
  unsigned long disabled_groups;  // of actuators, one bit each
};

// The first failure is kept.
void dc_mjcf_refuse(struct dc_mjcf_reader *reader, const struct dc_mjcf_node *node, enum dc_status status,
                    const char *format, ...) __attribute__((format(printf, 4, 5)));

// The value of an attribute that acts, or NULL.
const char *dc_mjcf_text(struct dc_mjcf_reader *reader, const struct dc_mjcf_node *node, const char *attribute);
const char *dc_mjcf_copy(struct dc_mjcf_reader *reader, const char *text);
// Numbers between blanks, least to most of them, into numbers; how many there were, 0 when it is not given.
int dc_mjcf_numbers(struct dc_mjcf_reader *reader, const struct dc_mjcf_node *node, const char *attribute, int least,
                    int most, double *numbers);
void dc_mjcf_number(struct dc_mjcf_reader *reader, const struct dc_mjcf_node *node, const char *attribute,
                    double *number);
void dc_mjcf_integer(struct dc_mjcf_reader *reader, const struct dc_mjcf_node *node, const char *attribute,
                     int *number);
// Any number of numbers in the arena; their number.
int dc_mjcf_list(struct dc_mjcf_reader *reader, const struct dc_mjcf_node *node, const char *attribute, int most,
                 double **numbers);
// The index of a word among those there are (NULL-terminated); left as it is when it is not given.
void dc_mjcf_choose(struct dc_mjcf_reader *reader, const struct dc_mjcf_node *node, const char *attribute,
                    const char *const *words, int *choice);
void dc_mjcf_pose(struct dc_mjcf_reader *reader, const struct dc_mjcf_node *node, struct dc_urdf_pose *pose);
// The turn of the z axis into a direction.
void dc_mjcf_z_to(const double direction[3], double rotation[4]);
void dc_mjcf_euler(const struct dc_mjcf_reader *reader, const double angles[3], double rotation[4]);

// Calls apply for what the defaults say of an element, the main class first, then for the element itself.  like: name
// of the elements in <default>, NULL: that of the node or one of its group; childclass: in force there, or NULL.
typedef void dc_mjcf_apply(struct dc_mjcf_reader *reader, const struct dc_mjcf_node *node, void *target);
void dc_mjcf_apply_all(struct dc_mjcf_reader *reader, const struct dc_mjcf_node *node, const char *childclass,
                       bool (*is_like)(const struct dc_mjcf_node *node, const struct dc_mjcf_node *candidate),
                       dc_mjcf_apply *apply, void *target);

// These read sections into the model; reader->status tells.
void dc_mjcf_read_world(struct dc_mjcf_reader *reader);
void dc_mjcf_read_contact(struct dc_mjcf_reader *reader, const struct dc_mjcf_node *section);
void dc_mjcf_read_equality(struct dc_mjcf_reader *reader, const struct dc_mjcf_node *section);
void dc_mjcf_read_tendons(struct dc_mjcf_reader *reader, const struct dc_mjcf_node *section);
void dc_mjcf_fold_tendons(struct dc_mjcf_reader *reader);
void dc_mjcf_read_actuators(struct dc_mjcf_reader *reader, const struct dc_mjcf_node *section);
void dc_mjcf_read_keys(struct dc_mjcf_reader *reader, const struct dc_mjcf_node *section);
// Masses of bodies, bounds and balance of the compiler.
void dc_mjcf_find_masses(struct dc_mjcf_reader *reader);
// Lets an actuator act on its tendon, or, where that is a multiple of one joint's coordinate, on the joint.
void dc_mjcf_drive_tendon(struct dc_mjcf_reader *reader, const struct dc_mjcf_node *node,
                          struct dc_mjcf_actuator *actuator);
// springdamper and dampratio, now that masses are known.
void dc_mjcf_finish_joints(struct dc_mjcf_reader *reader);
void dc_mjcf_finish_actuators(struct dc_mjcf_reader *reader);

// Poses of all bodies in the world, as described, in the arena; NULL: refused.
struct dc_urdf_pose *dc_mjcf_find_poses(struct dc_mjcf_reader *reader);
// Lets an active <weld> or <connect> hold a body that hangs on nothing else; false: it closes a loop.
bool dc_mjcf_hold(struct dc_mjcf_reader *reader, const struct dc_mjcf_node *node);
// Takes a slide or hinge away that an equality of it alone holds that far off the description; false: one of several of
// its body, which it holds elsewhere.  Bodies are moved there when no other equality asks for the description any more.
bool dc_mjcf_lock(struct dc_mjcf *model, int joint, double place);
void dc_mjcf_place_locked(struct dc_mjcf *model);
// Read a mesh and a height field into the model.
void dc_mjcf_read_mesh(struct dc_mjcf_reader *reader, const struct dc_mjcf_node *node);
void dc_mjcf_read_field(struct dc_mjcf_reader *reader, const struct dc_mjcf_node *node);
// The path of an asset's file as the compiler's folders have it, and its name after the file; NULL: out of memory.
const char *dc_mjcf_asset_path(struct dc_mjcf_reader *reader, const char *file);
const char *dc_mjcf_name_after(struct dc_mjcf_reader *reader, const char *file);
// Gives a primitive geometry that names a mesh its size and place.
void dc_mjcf_fit(struct dc_mjcf_reader *reader, const struct dc_mjcf_mesh *mesh, struct dc_mjcf_geom *geom);
// The turn whose matrix has these columns, x and y made perpendicular; refused where they are parallel.
void dc_mjcf_axes(struct dc_mjcf_reader *reader, const struct dc_mjcf_node *node, double axes[6], double rotation[4]);

// Remembers an element that nothing corresponds to.
void dc_mjcf_name_it(struct dc_mjcf_reader *reader, const struct dc_mjcf_node *node);

#endif
