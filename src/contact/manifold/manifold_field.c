// SPDX-License-Identifier: Apache-2.0
// The signed distance of a body at many points: eight side by side where it is a union of superquadrics, else one by
// one.
#include <math.h>
#include <string.h>

#include "contact/manifold/manifold_internal.h"
#include "math/vector.h"

// Arrays are in whole batches, with one batch more, since the kernels read and write groups of lanes.  0, or -1 when
// out of memory.
int dc_field_create(struct dc_field *field, int count, struct dc_arena *arena)
{
  double **arrays[] = {&field->x[0], &field->x[1],    &field->x[2],    &field->value,  &field->g[0],
                       &field->g[1], &field->g[2],    &field->v,       &field->u[0],   &field->u[1],
                       &field->u[2], &field->by_x[0], &field->by_x[1], &field->by_x[2]};
  field->count = count;
  field->room = dc_whole_batches(count);
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
    if (!(*arrays[i] = dc_arena_alloc(arena, (size_t)field->room + DC_BATCH, sizeof(double))))
      return -1;
  return 0;
}

// Superquadrics of the sdf, NULL when it is anything else.
static const struct dc_sdf *quadrics_of(const struct dc_sdf *sdf, int *count)
{
  *count = sdf->type == &dc_sdf_superquadric ? 1 : sdf->type == &dc_sdf_union ? sdf->child_count : 0;
  const struct dc_sdf *list = sdf->type == &dc_sdf_superquadric ? sdf : sdf->children;
  if (*count > DC_QUADRICS_MOST)
    *count = 0;
  for (int i = 0; i < *count; i++)
    if (list[i].type != &dc_sdf_superquadric)
      *count = 0;
  return *count > 0 ? list : NULL;
}

// Sets the numbers derived from those of a superquadric, unless these have stayed the same.
static void load_shape(struct dc_quadric *q, const double numbers[5])
{
  if (memcmp(q->numbers, numbers, sizeof q->numbers) == 0)
    return;
  memcpy(q->numbers, numbers, sizeof q->numbers);
  for (int k = 0; k < 3; k++)
    q->inverse_square[k] = 1 / (numbers[k] * numbers[k]);
  q->e1 = numbers[3];
  q->e2 = numbers[4];
  q->inverse_e1 = 1 / q->e1;
  q->inverse_e2 = 1 / q->e2;
  q->least = 1e-12 * numbers[0] * numbers[0];
  q->radius = dc_superquadric_radius(numbers);
}

// In world axes, where the points of fields are.  Places and numbers may have changed since: loaded for every
// evaluation.
void dc_side_load_quadrics(struct dc_manifold_side *side)
{
  const struct dc_sdf *sdf = side->surface->sdf, *list = quadrics_of(sdf, &side->fast.count);
  double position[3], rotation[9];
  side->fast.quadrics = list ? side->quadrics : NULL;
  side->fast.softness = list && list != sdf ? sdf->numbers[0] : 1;
  dc_mat_apply(position, side->rotation, sdf->position);
  dc_vec_add(position, position, side->position);
  dc_mat_multiply(rotation, side->rotation, sdf->rotation);
  for (int i = 0; i < side->fast.count; i++) {
    struct dc_quadric *q = &side->quadrics[i];
    if (list == sdf) {
      dc_vec_copy(q->position, position);
      memcpy(q->rotation, rotation, sizeof q->rotation);
    } else {
      dc_mat_apply(q->position, rotation, list[i].position);
      dc_vec_add(q->position, q->position, position);
      dc_mat_multiply(q->rotation, rotation, list[i].rotation);
    }
    load_shape(q, list[i].numbers);
  }
}

// A point (or, with point false, a vector) of the world in the axes of the body, where its signed distance is defined.
static void to_frame(const struct dc_manifold_side *body, double *const world[3], int i, bool point, double local[3])
{
  double arm[3];
  for (int k = 0; k < 3; k++)
    arm[k] = world[k][i] - (point ? body->position[k] : 0);
  dc_mat_apply_transposed(local, body->rotation, arm);
}

static void put_world(const struct dc_manifold_side *body, const double local[3], double *const world[3], int i)
{
  double out[3];
  dc_mat_apply(out, body->rotation, local);
  for (int k = 0; k < 3; k++)
    world[k][i] = out[k];
}

// Values and gradients of the body's distance at all points: by the vector kernel for superquadrics, else one by one.
void dc_field_evaluate(struct dc_manifold_side *body, struct dc_field *field, const struct dc_lane_kernels *kernels)
{
  if (body->fast.quadrics && field->count > 0) {
    int room = dc_whole_batches(field->count);
    for (int k = 0; k < 3; k++)
      for (int i = field->count; i < room; i++)
        field->x[k][i] = field->x[k][field->count - 1];
    kernels->quadric_values(&body->fast, room, (const double *const *)field->x, field->value, field->g);
    return;
  }
  for (int i = 0; i < field->count; i++) {
    double local[3], g[3];
    to_frame(body, field->x, i, true, local);
    field->value[i] = dc_sdf_value(body->surface->sdf, local, g);
    put_world(body, g, field->g, i);
  }
}

// Cotangents of values and gradients begin with zeros; contacts then add theirs.
void dc_field_clear(struct dc_field *field)
{
  memset(field->v, 0, (size_t)field->room * sizeof *field->v);
  for (int k = 0; k < 3; k++)
    memset(field->u[k], 0, (size_t)field->room * sizeof *field->u[k]);
}

// Whether any gradient of a batch has a cotangent, and any value.
static int weight_of(const struct dc_field *field, int first)
{
  int weight = 0;
  for (int i = first; i < first + DC_BATCH && i < field->count; i++) {
    if (field->v[i] != 0)
      weight |= 1;
    if (field->u[0][i] != 0 || field->u[1][i] != 0 || field->u[2][i] != 0)
      weight |= 2;
  }
  return weight;
}

// by_x = d(v phi + u . grad phi)/dx of one point, and the same by the numbers of the signed distance in parameters.
static void pull_point(const struct dc_manifold_side *body, struct dc_field *field, int i, double *parameters)
{
  double x[3], u[3], by_x[3] = {0, 0, 0};
  to_frame(body, field->x, i, true, x);
  to_frame(body, field->u, i, false, u);
  dc_sdf_pull_back(body->surface->sdf, x, field->v[i], u, by_x, parameters);
  put_world(body, by_x, field->by_x, i);
}

// Pulls one batch of points back; the cotangents of points beyond the last one are 0.
static void pull_batch(const struct dc_manifold_side *body, struct dc_field *field,
                       const struct dc_lane_kernels *kernels, int first)
{
  const double *x[3], *u[3];
  double *by_x[3];
  for (int k = 0; k < 3; k++) {
    x[k] = field->x[k] + first;
    u[k] = field->u[k] + first;
    by_x[k] = field->by_x[k] + first;
  }
  kernels->quadric_values_back(&body->fast, DC_BATCH, x, field->v + first, u, by_x);
}

// A twist of the body moves its signed distance: by -by_x at the point, and turns its gradient.
static void add_twist(const struct dc_manifold_side *body, const struct dc_field *field, int i, double twist[6])
{
  double arm[3], by[3], u[3], g[3], turn[3], more[3];
  for (int k = 0; k < 3; k++) {
    arm[k] = field->x[k][i] - body->position[k];
    by[k] = field->by_x[k][i];
    u[k] = field->u[k][i];
    g[k] = field->g[k][i];
  }
  dc_vec_cross(turn, arm, by);
  dc_vec_cross(more, u, g);
  for (int k = 0; k < 3; k++) {
    twist[k] -= turn[k] + more[k];
    twist[3 + k] -= by[k];
  }
}

// In batches: points with cotangents of values only go along the gradient, others through the second derivatives.
void dc_field_pull_back(struct dc_manifold_side *body, struct dc_field *field, const struct dc_lane_kernels *kernels,
                        double twist[6], double *parameters)
{
  for (int first = 0; first < field->count; first += DC_BATCH) {
    int weight = weight_of(field, first), last = first + DC_BATCH < field->count ? first + DC_BATCH : field->count;
    bool whole = weight > 1 || (weight && parameters), batch = whole && body->fast.quadrics && !parameters;
    if (batch)
      pull_batch(body, field, kernels, first);
    for (int i = first; i < last; i++) {
      if (whole && !batch)
        pull_point(body, field, i, parameters);
      for (int k = 0; k < 3 && !whole; k++)  // values only: along the gradient
        field->by_x[k][i] = field->v[i] * field->g[k][i];
      if (weight)
        add_twist(body, field, i, twist);
    }
  }
}
