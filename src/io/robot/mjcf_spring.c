// SPDX-License-Identifier: Apache-2.0
// Springs that an MJCF file gives by a time constant t and a ratio of damping z: stiffness = m / (t z)^2 and damping
// = 2 m / t.  The inertia m is what the coordinate has at the description's pose while all others are free to give way:
// the inverse of its diagonal element of M^-1, of a ball joint of the mean of its three.  M is the matrix of inertia of
// the tree that hangs on the same root,
//     M_ij = sum over bodies below both of m v_i . v_j + w_i . I w_j,
// v the velocity of the body's centre of mass and w its turning by a coordinate, and rotors on the diagonal.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/robot/mjcf_reader.h"
#include "math/rotation.h"
#include "math/vector.h"

enum { MOST_FREEDOMS = 600 };

// A coordinate: what it moves, as a turn about a point or a shift.
struct freedom {
  int joint, body;
  bool turns;
  double along[3], point[3], armature;  // axis and a point on it, in the world; kg or kg m^2
};

struct tree {
  const struct dc_mjcf *model;
  const struct dc_urdf_pose *poses;
  struct freedom *freedoms;
  int count;
  double *matrix, *column;  // [count][count], [count]
};

static void add_freedom(struct tree *tree, int j, bool turns, const double along[3], const double point[3])
{
  struct freedom *freedom = &tree->freedoms[tree->count++];
  *freedom = (struct freedom){j, tree->model->joints[j].body, turns, .armature = tree->model->joints[j].armature};
  dc_vec_copy(freedom->along, along);
  dc_vec_copy(freedom->point, point);
}

// The coordinates of joint j in the world.
static void add_joint(struct tree *tree, int j)
{
  const struct dc_mjcf_joint *joint = &tree->model->joints[j];
  const struct dc_urdf_pose *pose = &tree->poses[joint->body];
  double rotation[9], along[3], point[3];
  dc_rotation_matrix(rotation, pose->rotation);
  dc_mat_apply(point, rotation, joint->pos);
  dc_vec_add(point, point, pose->position);
  if (joint->type >= DC_MJCF_SLIDE) {
    dc_mat_apply(along, rotation, joint->axis);
    add_freedom(tree, j, joint->type == DC_MJCF_HINGE, along, point);
    return;
  }
  for (int k = 0; k < 3 && joint->type == DC_MJCF_FREE; k++)
    add_freedom(tree, j, false, (double[3]){k == 0, k == 1, k == 2}, point);
  for (int k = 0; k < 3; k++) {
    dc_vec_copy(along, (double[3]){rotation[k], rotation[3 + k], rotation[6 + k]});
    add_freedom(tree, j, true, along, point);
  }
}

// Parents have lower numbers, so that the way up ends at top or below it.
static bool is_below(const struct dc_mjcf *model, int body, int top)
{
  while (body > top)
    body = model->bodies[body].parent;
  return body == top;
}

// How a coordinate moves a point of a body below it.
static void move(const struct freedom *freedom, const double at[3], double v[3], double w[3])
{
  double arm[3];
  memset(w, 0, 3 * sizeof *w);
  if (!freedom->turns) {
    dc_vec_copy(v, freedom->along);
    return;
  }
  dc_vec_sub(arm, at, freedom->point);
  dc_vec_cross(v, freedom->along, arm);
  dc_vec_copy(w, freedom->along);
}

// Adds the part of a body to the lower triangle of M: m v_i . v_j + w_i . I w_j.
static void add_body(struct tree *tree, int b)
{
  const struct dc_mjcf_body *body = &tree->model->bodies[b];
  const double *own = body->inertia;
  const double tensor[9] = {own[0], own[3], own[4], own[3], own[1], own[5], own[4], own[5], own[2]};
  double rotation[9], center[3], half[9], world[9], v[3], w[3], vi[3], wi[3], bent[3];
  dc_rotation_matrix(rotation, tree->poses[b].rotation);
  dc_mat_apply(center, rotation, body->center);
  dc_vec_add(center, center, tree->poses[b].position);
  dc_mat_multiply(half, rotation, tensor);
  dc_mat_multiply_transposed(world, half, rotation);
  for (int i = 0; i < tree->count; i++) {
    if (!is_below(tree->model, b, tree->freedoms[i].body))
      continue;
    move(&tree->freedoms[i], center, vi, wi);
    dc_mat_apply(bent, world, wi);
    for (int j = 0; j <= i; j++) {
      if (!is_below(tree->model, b, tree->freedoms[j].body))
        continue;
      move(&tree->freedoms[j], center, v, w);
      tree->matrix[i * tree->count + j] += body->mass * dc_vec_dot(vi, v) + dc_vec_dot(bent, w);
    }
  }
}

// M = L L^T in place; false: not positive definite.
static bool factor(struct tree *tree)
{
  int n = tree->count;
  double *a = tree->matrix;
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) {
      double sum = a[i * n + j];
      for (int k = 0; k < j; k++)
        sum -= a[i * n + k] * a[j * n + k];
      if (i == j && !(sum > 0))
        return false;
      a[i * n + j] = i == j ? sqrt(sum) : sum / a[j * n + j];
    }
  return true;
}

// Element (i, i) of M^-1 = |L^-1 e_i|^2.
static double inverse_at(struct tree *tree, int i)
{
  int n = tree->count;
  double square = 0;
  for (int r = i; r < n; r++) {
    double sum = r == i;
    for (int k = i; k < r; k++)
      sum -= tree->matrix[r * n + k] * tree->column[k];
    tree->column[r] = sum / tree->matrix[r * n + r];
    square += tree->column[r] * tree->column[r];
  }
  return square;
}

// Builds and factors the matrix of inertia of the joint's tree, then takes the diagonal elements of its inverse
// that belong to the joint.  The cost is cubic in the coordinates of the tree, hence their limit.
static double effective_inertia(struct dc_mjcf_reader *reader, const struct dc_urdf_pose *poses, int j)
{
  struct dc_mjcf *model = reader->model;
  struct tree tree = {.model = model, .poses = poses};
  int top = model->joints[j].body, own = 0;
  double sum = 0;
  while (model->bodies[top].parent > 0)
    top = model->bodies[top].parent;
  for (size_t k = 0; k < model->joint_count; k++)
    if (is_below(model, model->joints[k].body, top))
      tree.count += (int[]){6, 3, 1, 1}[model->joints[k].type];
  if (tree.count > MOST_FREEDOMS) {
    dc_mjcf_refuse(reader, model->joints[j].node, DC_BAD_INPUT,
                   "springdamper is read of trees of at most %d coordinates: give stiffness and damping",
                   MOST_FREEDOMS);
    return NAN;
  }
  tree.freedoms = dc_alloc((size_t)tree.count, sizeof *tree.freedoms);
  tree.matrix = dc_alloc((size_t)tree.count * (size_t)tree.count, sizeof *tree.matrix);
  tree.column = dc_alloc((size_t)tree.count, sizeof *tree.column);
  bool good = tree.freedoms && tree.matrix && tree.column;
  if (!good)
    dc_mjcf_refuse(reader, model->root, DC_MEMORY, "out of memory");
  tree.count = 0;
  for (size_t k = 0; k < model->joint_count && good; k++)
    if (is_below(model, model->joints[k].body, top))
      add_joint(&tree, (int)k);
  for (int b = top; b < (int)model->body_count && good; b++)
    if (is_below(model, b, top))
      add_body(&tree, b);
  for (int i = 0; i < tree.count; i++)
    tree.matrix[i * tree.count + i] += tree.freedoms[i].armature;
  if (good && !factor(&tree)) {
    dc_mjcf_refuse(reader, model->joints[j].node, DC_BAD_INPUT, "springdamper needs bodies with mass behind the joint");
    good = false;
  }
  for (int i = 0; i < tree.count && good; i++)
    if (tree.freedoms[i].joint == j && ++own)
      sum += inverse_at(&tree, i);
  free(tree.freedoms);
  free(tree.matrix);
  free(tree.column);
  return good && sum > 0 ? own / sum : NAN;
}

// Both numbers of springdamper must be positive for it to count; it replaces stiffness and damping then, as in
// MuJoCo.
void dc_mjcf_finish_joints(struct dc_mjcf_reader *reader)
{
  struct dc_mjcf *model = reader->model;
  struct dc_urdf_pose *poses = NULL;
  for (size_t j = 0; j < model->joint_count && !reader->status; j++) {
    struct dc_mjcf_joint *joint = &model->joints[j];
    const double time = joint->spring_time[0], ratio = joint->spring_time[1];
    if (!(time > 0) || !(ratio > 0) || joint->type == DC_MJCF_FREE)
      continue;
    if (!poses && !(poses = dc_mjcf_find_poses(reader)))
      return;
    double inertia = effective_inertia(reader, poses, (int)j);
    joint->stiffness = inertia / (time * time * ratio * ratio);
    joint->damping = 2 * inertia / time;
  }
}
