// SPDX-License-Identifier: Apache-2.0
// Random trees of bodies on joints of every kind, and their poses by products of 4x4 matrices put together from the
// definitions alone: every joint displaces what hangs on it as a motion of the world at rest,
//     shape frame = D_parent X_1 X_2 ... X_n (shape frame at rest).
#ifndef DC_TESTS_BODY_TREES_H
#define DC_TESTS_BODY_TREES_H

#include "dynamics/fixture.h"
#include "math/vector.h"

enum { TREE_BODIES = 9, TREE_JOINTS = 6, TREE_NUMBERS = 128 };

struct matrix4 {
  double m[4][4];
};

// A joint in the world at rest.
struct tree_joint {
  int type;
  double axes[3][3], anchor[3];  // unit vectors: axis, axis2, perpendicular to both
};

struct tree {
  struct dc_arena *arena;
  int count;
  char names[TREE_BODIES][8];
  struct dc_body_definition definitions[TREE_BODIES];
  struct tree_joint joints[TREE_BODIES][TREE_JOINTS];
  struct matrix4 rest[TREE_BODIES];  // shape frames
  struct dc_bodies bodies;
};

static inline struct matrix4 tree_unit(void)
{
  struct matrix4 r = {{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}}};
  return r;
}

static inline struct matrix4 tree_product(const struct matrix4 *a, const struct matrix4 *b)
{
  struct matrix4 r = {{{0}}};
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++)
      for (int k = 0; k < 4; k++)
        r.m[i][j] += a->m[i][k] * b->m[k][j];
  return r;
}

static inline void tree_apply(const struct matrix4 *a, const double *point, double weight, double *result)
{
  for (int i = 0; i < 3; i++)
    result[i] = a->m[i][0] * point[0] + a->m[i][1] * point[1] + a->m[i][2] * point[2] + a->m[i][3] * weight;
}

static inline struct matrix4 tree_shift(const double *direction, double distance)
{
  struct matrix4 r = tree_unit();
  for (int i = 0; i < 3; i++)
    r.m[i][3] = distance * direction[i];
  return r;
}

// R x + p - R p
static inline struct matrix4 tree_about(const double rotation[3][3], const double *p)
{
  struct matrix4 r = tree_unit();
  for (int i = 0; i < 3; i++) {
    r.m[i][3] = p[i];
    for (int j = 0; j < 3; j++) {
      r.m[i][j] = rotation[i][j];
      r.m[i][3] -= rotation[i][j] * p[j];
    }
  }
  return r;
}

// Rodrigues' formula.
static inline struct matrix4 tree_turn(const double *axis, double angle, const double *p)
{
  double r[3][3], c = cos(angle), s = sin(angle);
  const double cross[3][3] = {{0, -axis[2], axis[1]}, {axis[2], 0, -axis[0]}, {-axis[1], axis[0], 0}};
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      r[i][j] = (i == j) * c + s * cross[i][j] + (1 - c) * axis[i] * axis[j];
  return tree_about((const double(*)[3])r, p);
}

// q x q* of the three axes.
static inline void tree_rotation(const double *q, double r[3][3])
{
  for (int j = 0; j < 3; j++) {
    double e[3] = {j == 0, j == 1, j == 2}, once[3], twice[3];
    dc_vec_cross(once, q + 1, e);
    dc_vec_add_scaled(once, once, q[0], e);
    dc_vec_cross(twice, q + 1, once);
    for (int i = 0; i < 3; i++)
      r[i][j] = e[i] + 2 * twice[i];
  }
}

static inline struct matrix4 tree_ball(const struct matrix4 *rest, const double *q, const double *p)
{
  double r[3][3], turned[3][3] = {{0}};
  tree_rotation(q, r);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      for (int k = 0; k < 3; k++)
        for (int l = 0; l < 3; l++)
          turned[i][j] += rest->m[i][k] * r[k][l] * rest->m[j][l];
  return tree_about((const double(*)[3])turned, p);
}

// The state is the pose of the centre of mass: what takes it there from its place at rest.
static inline struct matrix4 tree_free(const struct matrix4 *rest, const double *q)
{
  double moved[3][3], back[3][3] = {{0}}, center[3];
  tree_rotation(q + 3, moved);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      for (int k = 0; k < 3; k++)
        back[i][j] += moved[i][k] * rest->m[j][k];
  tree_apply(rest, fixture_shapes[TETRAHEDRON].properties.center, 1, center);
  struct matrix4 r = tree_about((const double(*)[3])back, center);
  for (int i = 0; i < 3; i++)
    r.m[i][3] += q[i] - center[i];
  return r;
}

static inline struct matrix4 tree_displace(const struct tree_joint *joint, const struct matrix4 *rest, const double **q)
{
  const char *type = dc_joint_types[joint->type]->name;
  struct matrix4 r = tree_unit(), second;
  if (strcmp(type, "hinge") == 0) {
    r = tree_turn(joint->axes[0], *(*q)++, joint->anchor);
  } else if (strcmp(type, "slide") == 0) {
    r = tree_shift(joint->axes[0], *(*q)++);
  } else if (strcmp(type, "universal") == 0) {
    r = tree_turn(joint->axes[0], (*q)[0], joint->anchor);
    second = tree_turn(joint->axes[1], (*q)[1], joint->anchor);
    r = tree_product(&r, &second);
    *q += 2;
  } else if (strcmp(type, "ball") == 0) {
    r = tree_ball(rest, *q, joint->anchor);
    *q += 4;
  } else if (strcmp(type, "planar") == 0) {
    r = tree_shift(joint->axes[1], (*q)[0]);
    second = tree_shift(joint->axes[2], (*q)[1]);
    r = tree_product(&r, &second);
    second = tree_turn(joint->axes[0], (*q)[2], joint->anchor);
    r = tree_product(&r, &second);
    *q += 3;
  } else if (strcmp(type, "free") == 0) {
    r = tree_free(rest, *q);
  } else {
    CHECK(strcmp(type, "fixed") == 0, "%s", type);
  }
  return r;
}

// Displacement of a body from its place at rest.
static inline struct matrix4 tree_displacement(const struct tree *tree, int i, const double *q)
{
  const struct dc_body_definition *definition = &tree->definitions[i];
  struct matrix4 sum = definition->parent < 0 ? tree_unit() : tree_displacement(tree, definition->parent, q);
  const double *own = q + tree->bodies.bodies[i].q_offset;
  for (int k = 0; k < definition->joint.count; k++) {
    struct matrix4 step = tree_displace(&tree->joints[i][k], &tree->rest[i], &own);
    sum = tree_product(&sum, &step);
  }
  return sum;
}

// Centre of mass and rotation of a body.
static inline void tree_pose(const struct tree *tree, int i, const double *q, double center[3], double rotation[9])
{
  struct matrix4 frame = tree_displacement(tree, i, q);
  frame = tree_product(&frame, &tree->rest[i]);
  tree_apply(&frame, fixture_shapes[TETRAHEDRON].properties.center, 1, center);
  for (int k = 0; k < 9; k++)
    rotation[k] = frame.m[k / 3][k % 3];
}

static inline int tree_choice(struct dc_random *random, int count)
{
  int i = (int)(count * dc_random_uniform(random));
  return i < count ? i : count - 1;
}

// Axes, anchor of joint k of body i: given by the joint, by the body, or left to the defaults; then what follows in
// the world at rest.
static inline void tree_add_joint(struct tree *tree, struct dc_random *random, int i, int k)
{
  struct dc_body_definition *definition = &tree->definitions[i];
  struct dc_joint_definition *joint = (struct dc_joint_definition *)definition->joint.objects + k;
  const struct dc_joint_type *type = dc_joint_types[joint->type];
  struct tree_joint *given = &tree->joints[i][k];
  const struct matrix4 world = tree_unit();
  const struct matrix4 *frame = definition->frame == DC_FRAME_PARENT ? &tree->rest[definition->parent] : &world;
  double axis[3] = {0, 0, 1}, axis2[3] = {1, 0, 0}, normal[3];
  bool two = type->part_count > 1 && type->axis;
  given->type = joint->type;
  if (!isnan(definition->axis[0]))
    dc_vec_copy(axis, definition->axis);
  if (type->axis && tree_choice(random, 2)) {
    random_vector(random, 3, 2, joint->axis);
    dc_vec_copy(axis, joint->axis);
  }
  if (two) {  // without axis2 the default, where it is certain
    bool certain = fabs(axis[2]) > fabs(axis[0]) && fabs(axis[2]) > fabs(axis[1]);
    if (!certain || tree_choice(random, 2)) {
      random_vector(random, 3, 2, joint->axis2);
      dc_vec_copy(axis2, joint->axis2);
    }
  }
  dc_vec_scale(axis, axis, 1 / dc_vec_norm(axis));
  dc_vec_add_scaled(axis2, axis2, -dc_vec_dot(axis2, axis), axis);
  dc_vec_scale(axis2, axis2, 1 / dc_vec_norm(axis2));
  dc_vec_cross(normal, axis, axis2);
  tree_apply(frame, axis, 0, given->axes[0]);
  tree_apply(frame, axis2, 0, given->axes[1]);
  tree_apply(frame, normal, 0, given->axes[2]);
  const double origin[3] = {0, 0, 0};
  tree_apply(&tree->rest[i], origin, 1, given->anchor);
  if (!isnan(definition->anchor[0]))
    tree_apply(frame, definition->anchor, 1, given->anchor);
  if (type->nv && !type->only && tree_choice(random, 2)) {
    random_vector(random, 3, 1, joint->anchor);
    tree_apply(frame, joint->anchor, 1, given->anchor);
  }
}

static inline bool tree_has_axis(const struct dc_body_definition *definition)
{
  const struct dc_joint_definition *joints = definition->joint.objects;
  for (int k = 0; k < definition->joint.count; k++)
    if (dc_joint_types[joints[k].type]->axis)
      return true;
  return false;
}

static inline void tree_add_body(struct tree *tree, struct dc_random *random, int i, int parent, const char *joints)
{
  struct dc_body_definition *definition = &tree->definitions[i];
  struct matrix4 own = tree_unit();
  double r[3][3];
  snprintf(tree->names[i], sizeof tree->names[i], "b%d", i);
  *definition = definition_of(tree->arena, tree->names[i], joints, TETRAHEDRON);
  definition->parent = parent;
  definition->frame = parent >= 0 && tree_choice(random, 2) ? DC_FRAME_PARENT : DC_FRAME_WORLD;
  random_vector(random, 3, 1, definition->position);
  random_rotation(random, definition->rotation);
  if (tree_has_axis(definition) && tree_choice(random, 2))
    random_vector(random, 3, 2, definition->axis);
  if (strcmp(joints, "free") != 0 && strcmp(joints, "fixed") != 0 && tree_choice(random, 2))
    random_vector(random, 3, 1, definition->anchor);
  tree_rotation(definition->rotation, r);
  for (int a = 0; a < 3; a++) {
    own.m[a][3] = definition->position[a];
    for (int b = 0; b < 3; b++)
      own.m[a][b] = r[a][b];
  }
  tree->rest[i] = definition->frame == DC_FRAME_PARENT ? tree_product(&tree->rest[parent], &own) : own;
  for (int k = 0; k < definition->joint.count; k++)
    tree_add_joint(tree, random, i, k);
}

// A tree of its own for every seed: bodies in an order that need not put parents first.
static inline void tree_begin(struct tree *tree, int seed)
{
  static const char *const roots[] = {"free", "fixed", "hinge", "slide", "universal", "ball", "planar", "slide ball"};
  static const char *const limbs[] = {
      "hinge",      "slide",           "universal",        "ball", "planar", "fixed", "hinge", "slide universal",
      "ball hinge", "universal slide", "hinge hinge hinge"};
  struct dc_random random;
  struct dc_error error = {0};
  int places[TREE_BODIES];
  dc_random_seed(&random, (uint64_t)seed);
  memset(tree, 0, sizeof *tree);
  tree->arena = dc_arena_create();
  tree->count = TREE_BODIES;
  for (int i = 0; i < TREE_BODIES; i++) {  // a random permutation
    int k = tree_choice(&random, i + 1);
    places[i] = places[k];
    places[k] = i;
  }
  for (int i = 0; i < TREE_BODIES; i++) {
    bool root = i == 0 || tree_choice(&random, 5) == 0;
    tree_add_body(tree, &random, places[i], root ? -1 : places[tree_choice(&random, i)],
                  root ? roots[(i ? tree_choice(&random, 8) : seed) % 8] : limbs[tree_choice(&random, 11)]);
  }
  enum dc_status status =
      dc_bodies_create(&tree->bodies, tree->count, tree->definitions, fixture_shapes, tree->arena, &error);
  CHECK(status == DC_OK, "seed %d: %s", seed, error.text);
}

static inline void tree_end(struct tree *tree)
{
  dc_arena_destroy(tree->arena);
}

// Anywhere: far from the start.
static inline void tree_random_state(const struct tree *tree, struct dc_random *random, double *q)
{
  double start[TREE_NUMBERS], tangent[TREE_NUMBERS];
  dc_initial_state(&tree->bodies, start);
  random_vector(random, tree->bodies.nv, 1.7, tangent);
  dc_state_move(&tree->bodies, start, 1, tangent, q);
}

#endif
