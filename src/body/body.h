// SPDX-License-Identifier: Apache-2.0
// Bodies, their frames and the state.
//
// Every body has one frame: origin at its centre of mass (that of the solid inside its shape unless given), axes
// those of its shape's frame, which a body without shape has, too.  Its pose is that of its parent (or the world)
// times a fixed displacement times the parts of its joint (body/joint.h).  A state q [nq] holds, body after body, the
// numbers of its joint's parts; a free body has 7 (position of the centre of mass in m, then a unit quaternion
// w, x, y, z).  Derivatives live in the tangent space [nv]: a slide or hinge has one number; a free body a twist (w,
// t), rotation vector in rad first, then translation in m, acting as
//     R <- exp([w]x) R,   x <- x + t        (world axes, about the centre of mass).
#ifndef DC_BODY_BODY_H
#define DC_BODY_BODY_H

#include <math.h>

#include "body/cable.h"
#include "body/coupling.h"
#include "body/joint.h"
#include "body/soft.h"
#include "body/tendon.h"
#include "body/tie.h"
#include "geometry/shapes/shape.h"

struct dc_pose {
  double position[3];    // of the frame's origin, m
  double quaternion[4];  // w, x, y, z
  double rotation[9];    // the same as a matrix, row by row
};

// A proportional-derivative actuator on every coordinate of a joint (paper 003, Eq. 5, in conventional units; limit and
// weight: docs/theory.md, "Actuators"); the option table is dc_pd_options.
struct dc_pd_definition {
  double kp, kd;                         // N/m, N s/m; of angles N m/rad, N m s/rad
  double kp_rotation, kd_rotation;       // of angles where they differ; NAN: see dc_pd_settle
  double effort;                         // limit of the force on each length or angle, N or N m; 0: none
  struct dc_real_list kp_each, kd_each;  // [nv] of the joint's coordinates instead, 0: passive; empty: all alike
  bool gravity_compensation;             // slides and hinges hold the weight that hangs on them, too
  struct dc_real_list target;            // where slides and hinges are pulled to without controls; the start when empty
  struct dc_real_list target_velocity;   // and how fast they are to move then; 0 when empty
};
extern const struct dc_option dc_pd_options[];

// Gains of coordinate k of the joint, of angles or lengths.
static inline double dc_pd_kp(const struct dc_pd_definition *pd, int k, bool turns)
{
  return pd->kp_each.count ? pd->kp_each.values[k] : turns ? pd->kp_rotation : pd->kp;
}
static inline double dc_pd_kd(const struct dc_pd_definition *pd, int k, bool turns)
{
  return pd->kd_each.count ? pd->kd_each.values[k] : turns ? pd->kd_rotation : pd->kd;
}

struct dc_body;
// Sets gains of angles that are not given, for a body whose inertia and joint are known: those of lengths.  Where the
// joint moves and turns, and the actuator only damps (kp 0), the damping of angles is that of lengths times I/m, the
// mean of the squared radii of gyration: turns and moves then die away alike.
void dc_pd_settle(struct dc_pd_definition *pd, const struct dc_body *body);

// Where the mass of a body is, and how it changes when its shape does (docs/theory.md, "Shapes as parameters").
enum dc_mass_model {
  DC_MASS_HULL,    // spread over the solid: mass grows with the volume
  DC_MASS_LUMPED,  // the given mass in equal points at the vertices of the convex parts (paper 003, Eq. 4)
  DC_MASS_GIVEN    // as at the start, whatever the shape
};

// The Coulomb coefficient of one pair of bodies.
struct dc_pair_friction {
  int body;  // the other one
  double friction;
};
// The same of two bodies a < b.
struct dc_friction_between {
  int a, b;
  double friction;
};

// Which bodies a body touches.  Two bodies touch if both collide and neither excepts the other.
struct dc_filter_definition {
  bool collide;                    // false: touches nothing
  bool parent;                     // touches what its joint hangs on
  struct dc_index_list except;     // bodies that it does not touch
  struct dc_index_list near_only;  // bodies that it has no far field with (contact/contact.h, near_range)
};

// How a body's surface slides and bounces.
struct dc_surface_definition {
  double friction;                      // Coulomb coefficient; NAN: that of the contact settings
  struct dc_object_list friction_with;  // struct dc_pair_friction
  double restitution;                   // in [0, 1]; NAN: that of the contact settings
};

#define DC_LIMIT_STIFFNESS 1e-4  // J, of the barriers at the ends of ranges, where none is given

// Limits of the lengths and angles of a body's joint; NAN: none.  That of velocities does not bind.
struct dc_drive_limits {
  double velocity;  // m/s or rad/s
  double effort;    // of forces of controls, N or N m
};

enum dc_body_frame { DC_FRAME_WORLD, DC_FRAME_PARENT };

// A body as a scene gives it; the option table is dc_body_options.  Position and rotation are those of the shape's
// frame at rest, where every joint coordinate is zero.
struct dc_body_definition {
  const char *name;
  struct dc_object_list joint;  // struct dc_joint_definition, outermost first
  int parent;                   // index of a body, or -1: the world
  int frame;                    // enum dc_body_frame: what position, rotation, axes and anchors refer to
  int shape;                    // index into the model's shapes; -1: none, touches nothing
  int visual;                   // index of the shape that pictures show instead, in the frame of shape; -1: shape
  double density;               // kg/m^3; NAN: mass is given
  double mass;                  // kg; NAN: density is given
  double inertia[6];            // xx, yy, zz, xy, xz, yz about the centre of mass, axes of the shape's frame, kg m^2;
                                // NAN: of the mass spread evenly over the solid
  double center_of_mass[3];     // in the shape's frame, m; NAN: that of the solid
  int mass_model;               // enum dc_mass_model
  double buoyancy;              // part of the weight that does not act, as in a liquid
  double position[3];           // m
  double rotation[4];           // unit quaternion w, x, y, z
  double velocity[3];           // of the centre of mass of a free body, m/s
  double angular_velocity[3];   // of a free body, world axes, rad/s
  struct dc_real_list joint_position, joint_velocity;  // start of slides and hinges; zeros when empty
  double axis[3], anchor[3], range[2];                 // of the joints that give none; NAN when absent
  double limit_stiffness;                              // of the barriers at the ends of ranges, J
  struct dc_drive_limits limits;
  struct dc_pd_definition *pd;        // NULL: no actuator
  struct dc_soft_definition *soft;    // NULL: a rigid body
  struct dc_cable_definition *cable;  // NULL: no cable
  struct dc_surface_definition surface;
  struct dc_filter_definition filter;  // which bodies it touches
  double color[3];                     // linear RGB in [0, 1]
};

extern const struct dc_option dc_body_options[];

// Initial pose and velocity.
struct dc_body_start {
  double position[3], quaternion[4];        // pose of the frame, in the world; bodies that never move keep it
  double velocity[3], angular_velocity[3];  // of a free body, world axes, m/s and rad/s
  const double *joint_velocity;             // [nv] of other joints, m/s or rad/s
};

// How pictures show a body.
struct dc_body_appearance {
  const struct dc_shape *visual;  // NULL: the body's shape
  double radius;                  // farthest vertex of the shape shown, from the centre of mass, m
  double color[3];                // linear RGB in [0, 1]
};

struct dc_body {
  const char *name;
  const char *joint_name;        // of its first joint, "composite" for several
  const struct dc_shape *shape;  // dc_shape_nothing without one
  int parent;                    // index of a body before or after, or -1
  int part_count;
  const struct dc_joint_part *parts;            // outermost first
  bool free;                                    // the one joint is free: tangent = twist of the frame
  int nq, nv, q_offset, v_offset;               // of its own joint; offsets -1 without one
  int mechanism;                                // index of the mechanism that it belongs to; -1: never moves
  int chain_count;                              // degrees of freedom that move it, its ancestors' first
  const int *chain;                             // [chain_count] entries of tangent vectors, outermost first
  int first_column;                             // of its columns in struct dc_kinematics
  double rest_position[3], rest_quaternion[4];  // frame relative to the parent's frame at rest
  double center[3];                             // centre of mass in the shape's frame, m
  double mass;                                  // kg; 0 for bodies that never move and for markers
  double buoyancy;                              // part of the weight that does not act
  double second_moment[9];                      // about the centre of mass, body axes, kg m^2; integral of r r^T dm
  double radius;  // farthest vertex from the centre of mass, m; 0 for half spaces; of a body without shape that
                  // moves its radius of gyration
  struct dc_body_start start;
  const struct dc_pd_definition *pd;  // gains in effect, or NULL
  double limit_stiffness;             // J
  struct dc_drive_limits limits;      // of speeds and of forces of controls
  int actuator;  // first entry in vectors of actuator targets; -1 without pd (cables and soft bodies have some)
  double friction, restitution;  // NAN: those of the contact settings
  struct dc_body_appearance appearance;
};

// Bodies connected by joints: one block of every Hessian.
struct dc_mechanism {
  int v_offset, nv;  // its degrees of freedom are contiguous
  int members;       // bodies
};

struct dc_bodies {
  int count, nq, nv;
  struct dc_body *bodies;  // [count]
  const int *order;        // [count] every parent before its children
  int mechanism_count;
  struct dc_mechanism *mechanisms;  // [mechanism_count]
  int actuator_count;               // numbers in a vector of actuator targets: those of the tangents of joints with pd
  int column_count;                 // sum of chain_count over all bodies: columns of dc_kinematics
  const int *part_of;               // [nv] number of the joint part a degree of freedom belongs to
  double *initial_q;                // [nq]
  int soft_count, support_count, node_count;  // nodes: of all soft bodies
  int first_node_q, first_node_v;             // where nodes begin in q and in tangents; nq, nv without soft bodies
  struct dc_soft *soft;                       // [soft_count], in the order of their bodies
  int mount_count;                            // pins on bodies that move, of all soft bodies
  struct dc_support *supports;                // [support_count] frames on nodes
  int element_count;                          // of all soft bodies
  int cable_count;
  struct dc_cable *cables;  // [cable_count], in the order of their bodies
  double *reach;            // [nv] m per unit of the coordinate: 1 for lengths, the reach of what turns for angles
  // Filters of contact, [count] each.  group: bodies fixed to each other, named by one of them.  above: the group to
  // which a joint connects it, or -1.  collide, except and near_only: as in the definitions.
  const int *group, *above;
  const bool *collide;
  const struct dc_index_list *except, *near_only;
  // Pairs with a coefficient of their own [friction_pair_count], in order.
  int friction_pair_count;
  const struct dc_friction_between *friction_pairs;
};

// The support of a body's frame on nodes of a soft body, or NULL: the body is no marker.
static inline const struct dc_support *dc_support_of(const struct dc_bodies *bodies, int body)
{
  for (int s = 0; s < bodies->support_count; s++)
    if (bodies->supports[s].body == body)
      return &bodies->supports[s];
  return NULL;
}

// Fraction of a range that a start keeps from its ends.
#define DC_START_MARGIN 0.01

// Builds bodies from definitions [count] and built shapes (kept by reference); everything is owned by arena.
enum dc_status dc_bodies_create(struct dc_bodies *bodies, int count, const struct dc_body_definition *definitions,
                                const struct dc_shape *shapes, struct dc_arena *arena, struct dc_error *error);
// The same with couplings [coupling_count], which decide where followers start.
enum dc_status dc_bodies_create_coupled(struct dc_bodies *bodies, int count,
                                        const struct dc_body_definition *definitions, const struct dc_shape *shapes,
                                        int coupling_count, const struct dc_coupling *couplings, struct dc_arena *arena,
                                        struct dc_error *error);

// The shape that pictures show; a soft body has none, but its own surface.
static inline const struct dc_shape *dc_body_look(const struct dc_body *body)
{
  return body->appearance.visual ? body->appearance.visual : body->shape;
}

// Coordinate k of a part that targets of actuators are added to.
static inline double dc_target_origin(const struct dc_bodies *bodies, const struct dc_joint_part *part, int k)
{
  return isnan(part->target) ? bodies->initial_q[part->q + k] : part->target;
}

// The mass that gravity acts on, kg.
static inline double dc_body_heavy(const struct dc_body *body)
{
  return body->mass * (1 - body->buoyancy);
}

// The body at the top of those that a body hangs on by joints: itself where it has no parent.
static inline int dc_body_root(const struct dc_body *bodies, int body)
{
  while (bodies[body].parent >= 0)
    body = bodies[body].parent;
  return body;
}

static inline bool dc_body_moves(const struct dc_body *body)
{
  return body->mechanism >= 0;
}

// Whether nothing moves with a body through joints: it never moves, or is free and carries none.
static inline bool dc_body_is_alone(const struct dc_bodies *bodies, int body)
{
  const struct dc_body *b = &bodies->bodies[body];
  return !dc_body_moves(b) || (b->free && bodies->mechanisms[b->mechanism].members == 1);
}

// Whether two bodies have contact: one moves, they are neither in one rigid group nor connected by one joint (bodies
// fixed to each other count as one), and no filter excludes the pair.
bool dc_bodies_touch(const struct dc_bodies *bodies, int a, int b);
// The coefficient that a pair has for itself; NAN: the geometric mean of the two.
double dc_bodies_friction_between(const struct dc_bodies *bodies, int a, int b);
// The coefficient of a pair: the geometric mean of a's and b's coefficients `of`, which have their design's factors
// `scale` (NULL: 1), or its own, which has the geometric mean of the factors, whatever the bodies have by themselves.
double dc_bodies_pair_friction(const struct dc_bodies *bodies, int a, int b, const double of[2], const double *scale);
// Whether one of two bodies lists the other as one without far field.
bool dc_bodies_near_only(const struct dc_bodies *bodies, int a, int b);

void dc_initial_state(const struct dc_bodies *bodies, double *q);            // [nq]
void dc_initial_velocity(const struct dc_bodies *bodies, double *velocity);  // [nv]
// Computes the poses [count] of all frames at state q [nq].
void dc_poses(const struct dc_bodies *bodies, const double *q, struct dc_pose *poses);
// r [nq] = q moved along scale * tangent [nv]; r may be q.
void dc_state_move(const struct dc_bodies *bodies, const double *q, double scale, const double *tangent, double *r);
// tangent [nv] of the shortest motion: move(from, 1, tangent) = to; rotations by at most pi.
void dc_state_difference(const struct dc_bodies *bodies, const double *from, const double *to, double *tangent);

#endif
