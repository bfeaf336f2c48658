// SPDX-License-Identifier: Apache-2.0
// An MJCF model becoming entries of a scene's tree: what the files that do it share.  Private to src/io/robot.
#ifndef DC_IO_MJCF_BUILD_H
#define DC_IO_MJCF_BUILD_H

#include "io/robot/mjcf.h"
#include "io/robot/mjcf_model.h"
#include "io/robot/urdf_build.h"

// A body of the file in the scene.
struct dc_mjcf_link {
  const char *name;          // of its body in the scene
  int carrier, parent;       // the body that it is or is fixed to, and that which that hangs on; 0: the world
  struct dc_urdf_pose pose;  // in the frame of the parent (of a frame only: of the carrier)
  int above;                 // body without mass whose joints it takes over, 0 without
  bool pending;              // has no mass, but joints, which the only body below takes over
  int body;                  // index among the bodies of the scene, -1 without
  bool collide_parent;       // touches what its joint hangs on
};

// A body of the scene that touches: the geometries of a carrier that touch the same things with the same friction.
struct dc_mjcf_side {
  const char *name;
  int carrier, geom;  // geom: one of its geometries; of a plane the only one
  bool plane, first;  // plane: or a height field; first: it is the carrier's own body, others are fixed to that
  double friction;
  cJSON *node;
};

struct dc_mjcf_builder {
  struct dc_urdf_builder base;
  struct dc_urdf urdf;  // name and arena, for base
  struct dc_mjcf *mjcf;
  const struct dc_mjcf_use *use;
  struct dc_mjcf_link *links;     // [bodies]
  const struct dc_mjcf_key *key;  // start; NULL: that of the description
  struct dc_mjcf_side *sides;     // [side_count]
  int side_count, *side_of;       // [geometries], -1: touches nothing
  bool *in_pairs;                 // [geometries] in a predefined pair
  bool *in_exclusions;            // [bodies]
  const char **taken;             // [taken_count] names of bodies and shapes
  size_t taken_count, taken_room;
  int next_body;
  struct dc_urdf_names refused, forces, dropped, clamped, round, unseen;
  double roundness;  // by how much hulls of round geometries lie inside of them at most, m
  double deviation;  // by how much simplified hulls lie inside of the file's, m
};

enum { DC_MJCF_MOST_JOINTS = 6 };  // of a body of ours

// Gains of one joint's actuators together.
struct dc_mjcf_gains {
  bool given;
  double kp, kd, effort;  // effort: sum of the limits of its actuators, 0 when one of them has none
  double force;           // gear (gain u + b0) of all
  bool controlled;        // by a control or a constant
};

// A name that nothing of the model has yet: wanted with the include's prefix, as names in scenes may be, with a number
// behind where it is taken.
const char *dc_mjcf_take_name(struct dc_mjcf_builder *builder, const char *wanted);
// The name of an element for messages: its own, or its line.
const char *dc_mjcf_called(struct dc_mjcf_builder *builder, const char *name, const struct dc_mjcf_node *node);
// The place of an element in the scene's document.
int dc_mjcf_place(struct dc_mjcf_builder *builder, const struct dc_mjcf_node *node);
// Remembers something for a list in a message: "what name" with its line.
void dc_mjcf_remember(struct dc_mjcf_builder *builder, struct dc_urdf_names *list, const char *what, const char *name,
                      const struct dc_mjcf_node *node);

// "visual" and "color" of the body whose carrier is `carrier`, and "shape" and "friction" of its first side.
enum dc_status dc_mjcf_put_shapes(struct dc_mjcf_builder *builder, cJSON *body, int carrier, const char *name,
                                  int place);
// Bodies fixed to others for the sides beside the first, and for every plane.
enum dc_status dc_mjcf_put_sides(struct dc_mjcf_builder *builder);
// Whether armature of a joint that turns all ways acts; that of the ball of body i, 0 without; and bodies of those of
// free joints.
bool dc_mjcf_has_rotor(const struct dc_mjcf_builder *builder, const struct dc_mjcf_joint *joint);
double dc_mjcf_rotor_of_ball(const struct dc_mjcf_builder *builder, int i);
void dc_mjcf_put_rotors(struct dc_mjcf_builder *builder);
// The joints, their ranges, start and actuators of body i.
enum dc_status dc_mjcf_put_joints(struct dc_mjcf_builder *builder, cJSON *body, int i, int place);
// A slide or a hinge.
static inline bool dc_mjcf_is_scalar(const struct dc_mjcf_joint *joint)
{
  return joint->type == DC_MJCF_HINGE || joint->type == DC_MJCF_SLIDE;
}
// Sums what the actuators do to one joint.
struct dc_mjcf_gains dc_mjcf_find_gains(const struct dc_mjcf_builder *builder, int joint);
// One actuator for the whole body: that of its slides and that of its hinges.
void dc_mjcf_put_actuators(struct dc_mjcf_builder *builder, cJSON *body, int count, const int *joints,
                           const struct dc_mjcf_gains *gains, int place);
// These ask an actuator for the limit of its force on its joint (0 without), for its control at the start, whether its
// force is what its control says however the joint moves, and for its lever on a joint.
double dc_mjcf_effort(const struct dc_mjcf_actuator *actuator);
double dc_mjcf_control(const struct dc_mjcf_builder *builder, size_t actuator);
bool dc_mjcf_is_steady(const struct dc_mjcf_actuator *actuator);
double dc_mjcf_arm(const struct dc_mjcf *mjcf, const struct dc_mjcf_actuator *actuator, int joint);
// Whether a coupling makes a joint follow another.
bool dc_mjcf_follows(const struct dc_mjcf *mjcf, int joint);
// Sorts the geometries that touch into sides, before bodies are made.
enum dc_status dc_mjcf_find_sides(struct dc_mjcf_builder *builder);
// "collide_except" and "friction_with" of all bodies; couplings; what has no counterpart.
enum dc_status dc_mjcf_put_filters(struct dc_mjcf_builder *builder);
enum dc_status dc_mjcf_put_couplings(struct dc_mjcf_builder *builder);
// Tendons of several joints, and servos on them.
void dc_mjcf_put_tendons(struct dc_mjcf_builder *builder);
// Whether an actuator on a tendon of several joints is a spring and a damper along it, at a steady control.
bool dc_mjcf_is_tendon_servo(const struct dc_mjcf *mjcf, const struct dc_mjcf_actuator *actuator);
// The name of the body that has a joint, and which of its slides and hinges that is; NULL: none has it.
const char *dc_mjcf_find_coordinate(const struct dc_mjcf_builder *builder, int joint, int *coordinate);
// Where a joint starts, less its reference and before ranges are looked at.
double dc_mjcf_wanted_start(const struct dc_mjcf_builder *builder, int joint);
// Frames on bodies, and the ties that hold them together.
enum dc_status dc_mjcf_put_ties(struct dc_mjcf_builder *builder);
void dc_mjcf_find_refused(struct dc_mjcf_builder *builder);
// The pose that the joint of a body with one ball has at the start, as a turn of the body about its anchor; a ball's.
bool dc_mjcf_turns_at_start(const struct dc_mjcf_builder *builder, int body, struct dc_urdf_pose *pose);

#endif
