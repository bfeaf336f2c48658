// SPDX-License-Identifier: Apache-2.0
// A robot becoming entries of a scene's tree: what the files that do it share.  Private to src/io/robot.
#ifndef DC_IO_URDF_BUILD_H
#define DC_IO_URDF_BUILD_H

#include "io/robot/urdf.h"

// Where a link is.
struct dc_urdf_placement {
  int carrier;                     // link whose body it is or hangs on; -1: the world
  struct dc_urdf_pose pose;        // in the carrier's frame
  int first;                       // first link with substance that is or is fixed to it, -1 without
  struct dc_urdf_pose first_pose;  // of that in the link's frame
  int branches;                    // bodies that hang on it and on what is fixed to it
  int pending;  // moving frame whose joint the next body below takes over, itself or above; -1 without
};

// Names of links or joints about which there is something to say.
struct dc_urdf_names {
  const char **names;
  int count;
};
struct dc_urdf_remarks {
  struct dc_urdf_names repaired, solid, tiny, limited, freed, idle, emptied;
  struct dc_urdf_names started, models, negative, rubbing, densities, masks, frictionless, turning, sliding, stuck,
      passive, damped, supposed, frictions, floating, unheld, unbounded, tied, unheeded;
  double most_change;  // of the repaired
};

struct dc_urdf_builder {
  const struct dc_urdf *urdf;
  const struct dc_urdf_use *use;
  struct dc_json_document *document;
  uint32_t source;
  struct dc_error *error;
  cJSON *shapes, *bodies, *couplings;  // couplings: NULL until there is one
  const cJSON *at;
  int shape_count;
  struct dc_urdf_placement *links;
  int skipped;  // visuals left out
  struct dc_urdf_remarks remarks;
  bool failed;  // out of memory
};

// The place of what an element of the file says.  Running out of memory sets builder->failed here and below.
int dc_urdf_add_place(struct dc_urdf_builder *builder, size_t offset);
// Takes node over into object, or into an array when key is NULL.  Returns node, NULL when out of memory.
cJSON *dc_urdf_put(struct dc_urdf_builder *builder, cJSON *container, const char *key, cJSON *node, int place);
void dc_urdf_put_string(struct dc_urdf_builder *builder, cJSON *object, const char *key, const char *string, int place);
void dc_urdf_put_number(struct dc_urdf_builder *builder, cJSON *object, const char *key, double number, int place);
void dc_urdf_put_numbers(struct dc_urdf_builder *builder, cJSON *object, const char *key, const double *numbers,
                         int count, int place);
// Components of a unit vector or quaternion, without what rounding leaves of zeros.
void dc_urdf_put_direction(struct dc_urdf_builder *builder, cJSON *object, const char *key, const double *direction,
                           int count, int place);
// Whether a pose is the identity; and "position" and "rotation" of one, leaving out what is the default.
bool dc_urdf_is_still(const struct dc_urdf_pose *pose);
void dc_urdf_put_pose(struct dc_urdf_builder *builder, cJSON *object, const struct dc_urdf_pose *pose, int place);
// Adds to use->starts that a coordinate of the body is the joint of this name; NULL or "": it has none.
void dc_urdf_note_start(struct dc_urdf_builder *builder, const cJSON *body, int coordinate, const char *joint);
// The name of a link with the robot's prefix and an ending, as names in scenes may be.
const char *dc_urdf_named(struct dc_urdf_builder *builder, const char *name, const char *ending);

// The joint that leads to a link; NULL for the root.
const struct dc_urdf_joint *dc_urdf_joint_to(const struct dc_urdf *urdf, int link);
// The pose of the child's frame in the parent's where the coordinate is zero; of a joint with equal limits, where it
// stays.
struct dc_urdf_pose dc_urdf_joint_pose(const struct dc_urdf_joint *joint);
// Whether a joint follows another or another follows it.
bool dc_urdf_is_led(const struct dc_urdf *urdf, int joint);
// Whether two links of SDF touch: those of one model where one of them says so, and where a category of one meets the
// mask of the other.
bool dc_urdf_touch_by_file(const struct dc_urdf_link *a, const struct dc_urdf_link *b);
// DC_BAD_INPUT with the place and name of a link and a rule.
enum dc_status dc_urdf_fail_link(const struct dc_urdf_builder *builder, int link, const char *rule);
// Adds the name of a link or joint to a list of remarks, which lives in the robot's arena.
void dc_urdf_remember(struct dc_urdf_builder *builder, struct dc_urdf_names *links, const char *name);
// The same with two numbers behind the name, as the format says.
void dc_urdf_remember_numbers(struct dc_urdf_builder *builder, struct dc_urdf_names *links, const char *format,
                              const char *name, double first, double second) __attribute__((format(printf, 3, 0)));

// Joint, start, actuator, limits and pose of the body of link, which the joint of head moves: link itself, or a frame
// above that is fixed to it.  DC_BAD_INPUT for joints that a body cannot have.
enum dc_status dc_urdf_put_motion(struct dc_urdf_builder *builder, cJSON *body, int link, int head, int place);
// "shape" and "visual" of a link's body, and their entries among the shapes.
enum dc_status dc_urdf_put_shapes(struct dc_urdf_builder *builder, cJSON *body, const struct dc_urdf_link *link,
                                  int place);
// Mass, centre and inertia of a link's body, which has its shape already, or the density that says them; and the
// buoyancy of one without weight.
enum dc_status dc_urdf_put_mass(struct dc_urdf_builder *builder, cJSON *body, int link, int place);
// Coefficients of pairs of links, by their file's rule.  body_of [link_count]: index among the bodies, -1 without.
void dc_urdf_put_frictions(struct dc_urdf_builder *builder, const int *body_of);

#endif
