// SPDX-License-Identifier: Apache-2.0
// Scenes of bodies on joints.
#ifndef DC_TESTS_DYNAMICS_MECHANISMS_H
#define DC_TESTS_DYNAMICS_MECHANISMS_H

#include "scenes.h"

static inline void mechanism_vector(double *vector, double x, double y, double z)
{
  vector[0] = x, vector[1] = y, vector[2] = z;
}

static inline struct dc_body_definition *mechanism_link(struct scene *scene, const char *name, const char *joints,
                                                        int parent, int shape, double mass)
{
  struct dc_body_definition *body = scene_body(scene, name, shape, mass, 0, 0, 0);
  definition_joints(scene->arena, body, joints);
  body->parent = parent;
  return body;
}

static inline void mechanism_numbers(struct scene *scene, struct dc_real_list *list, int count, const double *values)
{
  list->count = count;
  list->values = dc_arena_alloc(scene->arena, (size_t)count, sizeof *values);
  memcpy(list->values, values, (size_t)count * sizeof *values);
}

static inline void mechanism_pd(struct scene *scene, struct dc_body_definition *body, double kp, double kd,
                                double kp_rotation, double kd_rotation)
{
  body->pd = dc_arena_alloc(scene->arena, 1, sizeof *body->pd);
  *body->pd = (struct dc_pd_definition){.kp = kp, .kd = kd, .kp_rotation = kp_rotation, .kd_rotation = kd_rotation};
}

// A pendulum of links of 0.4 m on hinges about y, hung up at the height z; angles from hanging.
static inline void pendulum(struct scene *scene, int links, double z, const double *angles)
{
  static const char *const names[] = {"first", "second", "third"};
  scene_begin(scene);
  mechanism_vector(scene->definition.gravity, 0, 0, -9.8);
  int shape = scene_box(scene, 0.06, 0.05, 0.36, 1, 1, 1);
  for (int i = 0; i < links; i++) {
    struct dc_body_definition *link = mechanism_link(scene, names[i], "hinge", i - 1, shape, 0.5 + 0.2 * i);
    mechanism_vector(link->position, 0, 0, z - 0.4 * i - 0.2);
    mechanism_vector(link->anchor, 0, 0, z - 0.4 * i);
    mechanism_vector(link->axis, 0, 1, 0);
    mechanism_numbers(scene, &link->joint_position, 1, &angles[i]);
  }
}

// A cart on a rail near its end, an arm on it (universal, ball, then a hinge near its end) with a rigid tool above the
// ground, all driven; a link that is not, and a ball beside them.
enum { ARM_GROUND, ARM_CART, ARM_UPPER, ARM_LOWER, ARM_HAND, ARM_TOOL, ARM_LOOSE, ARM_BALL, ARM_BODIES };

static inline void arm(struct scene *scene)
{
  scene_begin(scene);
  mechanism_vector(scene->definition.gravity, 0.3, -0.2, -9.8);
  scene->definition.contact.stiffness = 1e-4;
  int limb = scene_box(scene, 0.05, 0.06, 0.16, 1, 1, 1), block = scene_box(scene, 0.3, 0.2, 0.1, 1, 1, 1);
  int hand_shape = scene_box(scene, 0.06, 0.05, 0.04, 1, 1, 1), ball = scene_sphere(scene, 0.06, 0, "icosahedron");
  scene_body(scene, "ground", scene_plane(scene), 0, 0, 0, 0);
  struct dc_body_definition *cart = mechanism_link(scene, "cart", "slide", -1, block, 1.5);
  mechanism_vector(cart->position, 0, 0, 0.7);
  mechanism_vector(cart->axis, 1, 0, 0.1);
  cart->range[0] = -0.5, cart->range[1] = 0.5, cart->limit_stiffness = 0.02;
  mechanism_numbers(scene, &cart->joint_position, 1, (const double[]){0.475});
  mechanism_numbers(scene, &cart->joint_velocity, 1, (const double[]){0.3});
  mechanism_pd(scene, cart, 60, 4, NAN, NAN);
  struct dc_body_definition *upper = mechanism_link(scene, "upper", "universal", ARM_CART, limb, 0.4);
  mechanism_vector(upper->position, 0, 0, 0.54);
  mechanism_vector(upper->anchor, 0, 0, 0.64);
  mechanism_vector(upper->axis, 0, 1, 0);
  mechanism_numbers(scene, &upper->joint_position, 2, (const double[]){0.3, -0.2});
  mechanism_numbers(scene, &upper->joint_velocity, 2, (const double[]){0.5, 1});
  mechanism_pd(scene, upper, 7, 0.5, 5, NAN);
  struct dc_body_definition *lower = mechanism_link(scene, "lower", "ball", ARM_UPPER, limb, 0.3);
  mechanism_vector(lower->position, 0, 0, 0.34);
  mechanism_vector(lower->anchor, 0, 0, 0.44);
  mechanism_pd(scene, lower, 3, 0.1, 0.4, 0.05);
  struct dc_body_definition *hand = mechanism_link(scene, "hand", "hinge", ARM_LOWER, hand_shape, 0.2);
  mechanism_vector(hand->position, 0, 0, 0.2);
  mechanism_vector(hand->anchor, 0, 0, 0.24);
  mechanism_vector(hand->axis, 1, 1, 0);
  hand->range[0] = -1, hand->range[1] = 0.8, hand->limit_stiffness = 0.01;
  mechanism_numbers(scene, &hand->joint_position, 1, (const double[]){0.74});
  mechanism_pd(scene, hand, 1, 0.02, NAN, NAN);
  struct dc_body_definition *tool = mechanism_link(scene, "tool", "fixed", ARM_HAND, hand_shape, 0.1);
  mechanism_vector(tool->position, 0.02, 0, 0.14);
  struct dc_body_definition *loose = mechanism_link(scene, "loose", "hinge ball", ARM_CART, limb, 0.25);
  mechanism_vector(((struct dc_joint_definition *)loose->joint.objects)->anchor, 0.12, 0, 0.66);
  mechanism_vector(loose->position, 0.25, 0, 0.55);
  mechanism_vector(loose->anchor, 0.2, 0, 0.66);
  mechanism_numbers(scene, &loose->joint_position, 1, (const double[]){0.4});
  struct dc_body_definition *free_body = scene_body(scene, "ball", ball, 0.3, 0.62, 0.2, 0.12);
  mechanism_vector(free_body->velocity, -0.4, -0.3, 0);
  mechanism_pd(scene, free_body, 0.5, 0.2, 0.02, 0.01);
}

// The arm with its hand and a block beside it that follow the cart, and ties of the tool and the block: in one
// mechanism and in two.
static inline void coupled_arm(struct scene *scene)
{
  static const struct dc_coupling couplings[2] = {
      {.body = ARM_HAND, .to = ARM_CART, .multiplier = 1.2, .offset = 0.17, .stiffness = 40},
      {.body = ARM_BODIES, .to = ARM_CART, .multiplier = -0.7, .offset = 0.1, .stiffness = 25}};
  arm(scene);
  struct dc_body_definition *block = mechanism_link(scene, "block", "slide", -1, 0, 0.5);
  mechanism_vector(block->position, 3, 3, 3);
  mechanism_vector(block->axis, 0.6, 0, 0.8);
  static const struct dc_tie ties[2] = {{.body = ARM_TOOL, .to = ARM_UPPER, .stiffness = 30},
                                        {.body = ARM_BODIES, .to = ARM_LOWER, .stiffness = 2}};
  scene->definition.couplings = couplings;
  scene->definition.coupling_count = 2;
  scene->definition.ties = ties;
  scene->definition.tie_count = 2;
}

// Tendons over joints of the arm, and over one of a block beside it: springs that are taut on either side and slack,
// damping, friction, ends of a range, and a limit.
static inline void tendon_arm(struct scene *scene)
{
  static struct dc_tendon_joint pair[2] = {{.body = ARM_HAND, .factor = 1.3}, {.body = ARM_CART, .factor = -0.6}},
                                wide[3] = {{.body = ARM_LOOSE, .factor = 0.7},
                                           {.body = ARM_BODIES, .factor = 1.1},
                                           {.body = ARM_HAND, .factor = -0.4}};
  static const struct dc_tendon tendons[4] = {
      {.joints = {2, pair}, .stiffness = 20, .rest = {-0.2, -0.1}, .damping = 0.3, .effort = NAN, .range = {NAN}},
      {.joints = {3, wide}, .stiffness = 5, .rest = {-9, 9}, .dry_friction = 0.4, .effort = NAN, .range = {NAN}},
      {.joints = {3, wide}, .stiffness = 8, .rest = {0.2, 0.2}, .damping = 0.2, .effort = 0.5, .range = {NAN}},
      {.joints = {2, pair}, .effort = NAN, .range = {0.5, 5}}};
  arm(scene);
  struct dc_body_definition *block = mechanism_link(scene, "block", "slide", -1, 0, 0.5);
  mechanism_vector(block->position, 3, 3, 3);
  mechanism_vector(block->axis, 0.6, 0, 0.8);
  scene->definition.tendons = tendons;
  scene->definition.tendon_count = 4;
}

// The arm with actuators that hold its weight and whose forces are limited: below the limit, near it and far beyond,
// and one that does nothing else.
static inline void limited_arm(struct scene *scene)
{
  static const double efforts[][2] = {{ARM_CART, 5}, {ARM_UPPER, 2}, {ARM_HAND, 0.02}};
  arm(scene);
  struct dc_body_definition *bodies = scene->bodies;
  for (size_t i = 0; i < sizeof efforts / sizeof *efforts; i++) {
    struct dc_pd_definition *pd = bodies[(int)efforts[i][0]].pd;
    pd->effort = efforts[i][1];
    pd->gravity_compensation = true;
  }
  mechanism_pd(scene, &bodies[ARM_LOOSE], 0, 0, NAN, NAN);
  bodies[ARM_LOOSE].pd->gravity_compensation = true;
}

// Springs, damping, rotors, dry friction and constant forces on the joints; friction of joints is felt on both sides of
// its rounded corner.  A free body is damped about a frame beside its centre of mass.
static inline void passive_arm(struct scene *scene)
{
  arm(scene);
  for (int i = 0; i < ARM_BODIES; i++) {
    struct dc_joint_definition *joints = (struct dc_joint_definition *)scene->bodies[i].joint.objects;
    for (int k = 0; k < scene->bodies[i].joint.count; k++) {
      const struct dc_joint_type *type = dc_joint_types[joints[k].type];
      bool pointed = type->nq != type->nv;
      if (type->nv == 0)
        continue;
      joints[k].damping = 0.3 + 0.1 * i;
      joints[k].stiffness = type->only ? 0 : 2 + i;
      if (pointed)
        continue;
      joints[k].armature = 0.05;
      joints[k].rest = 0.2;
      joints[k].dry_friction = 0.1;
      joints[k].force = 0.4 - 0.1 * i;
    }
  }
  struct dc_body_definition *body = mechanism_link(scene, "thrown", "free", -1, 0, 0.5);
  ((struct dc_joint_definition *)body->joint.objects)->damping = 0.7;
  mechanism_vector(body->position, 3, 3, 3);
  mechanism_vector(body->center_of_mass, 0.1, -0.05, 0.2);
  for (int k = 0; k < 6; k++)
    body->inertia[k] = k < 3 ? 0.01 + 0.001 * k : 0.001;
}

// Targets for every step; those of the arm's lower link, if there is one, two radians from its start.
static inline void arm_targets(const struct dc_model *model, struct dc_rollout_input *input)
{
  struct dc_random random;
  int count = model->bodies.actuator_count;
  dc_random_seed(&random, 71);
  random_vector(&random, input->steps * count, 0.3, input->target_position);
  random_vector(&random, input->steps * count, 0.8, input->target_velocity);
  bool has_lower = model->bodies.count > ARM_LOWER && model->bodies.bodies[ARM_LOWER].nv == 3;
  for (int t = 0; t < input->steps && has_lower; t++)
    mechanism_vector(input->target_position + t * count + model->bodies.bodies[ARM_LOWER].actuator, 1.2, -1.5,
                     0.5 + 0.01 * t);
}

#endif
