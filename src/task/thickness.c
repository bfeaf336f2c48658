// SPDX-License-Identifier: Apache-2.0
// Objective "thickness": no convex part of a body is thinner than t,
//     f = weight * sum over the parts of sum_k b(e_k),   b(e) = (t - e)^3/(t^2 e) below t, 0 beyond,
// with e_k = sqrt(12 lambda_k) the three principal extents of a part (geometry/shapes/shape_thickness.h),
// lambda_k the eigenvalues of its covariance C.  The sum over all three acts like a barrier of the least one.
// Unlike that, it is twice differentiable where extents are equal, because it is the trace of a function of C.
//
// With psi = sqrt(b) the residual rows are the six entries of the matrix psi(C), whose squares add up to f.
// Along C' the matrix changes, in the axes of C, by the divided differences of psi times the entries of C'
// (Daleckii and Krein).
#include <math.h>
#include <string.h>

#include "dynamics/shape_design.h"
#include "geometry/shapes/shape_thickness.h"
#include "task/objective_parts.h"

static const double SHARE = 0.01;  // default tolerance, relative to the least extent

static const struct dc_option options_table[] = {
    DC_BODIES_OPTION(struct dc_thickness_options,
                     "names of the bodies whose convex parts count; when absent those whose shapes the design changes, "
                     "or all with convex parts where it changes none"),
    DC_POSITIVE_OPTION(struct dc_thickness_options, least, "m", NULL, 1e6,
                       "least principal extent of every convex part (of a box its shortest edge)"),
    DC_TOLERANCE_OPTION(struct dc_thickness_options, tolerance, "m", "null",
                        "shortfall that counts as reached; 0.01 of the least extent when absent"),
    DC_WEIGHT_OPTION(struct dc_thickness_options, weight, "",
                     "factor on the barrier, which is 0.25 at half of the least extent"),
    DC_OPTIONS_END,
};

static bool has_parts(const struct dc_model *model, int body)
{
  return model->bodies.bodies[body].shape->part_count > 0;
}

static enum dc_status prepare(void *options, const struct dc_model *model, struct dc_arena *arena,
                              struct dc_error *error)
{
  struct dc_thickness_options *thickness = options;
  return dc_objective_list_bodies(&thickness->bodies, model, has_parts, "convex parts", arena, error);
}

// A part, and the first of its vertices among those of the body.
struct part {
  int body, vertex;
  const struct dc_mesh *mesh;
  struct dc_extents extents;
  double u[3];  // extents in parts of the least that is wanted
};

// Finds the n-th part of all bodies (n < 0: none) and returns how many there are.
static int find_part(const struct dc_thickness_options *thickness, const struct dc_model *model, int n,
                     struct part *part)
{
  int count = 0;
  for (int i = 0; i < thickness->bodies.count; i++) {
    int body = thickness->bodies.indices[i], vertex = 0;
    const struct dc_shape *shape = model->bodies.bodies[body].shape;
    for (int p = 0; p < shape->part_count; vertex += shape->parts[p++].vertex_count)
      if (count++ == n)
        *part = (struct part){.body = body, .vertex = vertex, .mesh = &shape->parts[p]};
  }
  return count;
}

static struct part measure_part(const struct dc_thickness_options *thickness, const struct dc_model *model, int n)
{
  struct part part = {0};
  find_part(thickness, model, n, &part);
  dc_part_extents(part.mesh, &part.extents);
  for (int k = 0; k < 3; k++)
    part.u[k] = part.extents.lengths[k] / thickness->least;
  return part;
}

// psi = (1 - u)^1.5 u^-0.5; a NaN stays one.
static double psi_of(double u)
{
  double s = 1 - u;
  return s <= 0 ? 0 : s * sqrt(s / u);
}

// The divided difference (psi(u) - psi(v))/(u - v), psi'(u) for u = v.  The difference of roots is divided out
// by hand, so that nothing cancels where u and v are near.
static double psi_between(double u, double v)
{
  if (u >= 1 || v >= 1)
    return u == v ? 0 : (psi_of(u) - psi_of(v)) / (u - v);
  double a = sqrt(1 - u), b = sqrt(1 - v), p = sqrt(u), q = sqrt(v);
  return -a * a * a / (p * q * (p + q)) - (a * a + a * b + b * b) / ((a + b) * q);
}

// axes m axes^T, m symmetric.
static void from_axes(const double axes[9], const double m[9], double result[9])
{
  double half[9];
  dc_mat_multiply(half, axes, m);
  dc_mat_multiply_transposed(result, half, axes);
}

// The matrix psi(C).
static void residual_of(const struct part *part, double residual[9])
{
  double own[9] = {0};
  for (int k = 0; k < 3; k++)
    own[4 * k] = psi_of(part->u[k]);
  from_axes(part->extents.axes, own, residual);
}

// Adds the derivative of <by, psi(C)>, by symmetric, to that by the vertices of the part.  In the axes of C it
// is the entry times the divided difference of psi by lambda.  Here psi is known by u with lambda = (t u)^2/12,
// so that differences by lambda are those by u times 12/(t^2 (u + v)).
static void pull_back(const struct dc_thickness_options *thickness, const struct part *part, const double by[9],
                      struct dc_loss_cotangent *cotangent)
{
  struct dc_shape_design *shape = cotangent && cotangent->input ? cotangent->input->shape : NULL;
  double half[9], own[9], by_covariance[9];
  const double *axes = part->extents.axes, *u = part->u;
  if (!shape)
    return;
  dc_mat_multiply(half, by, axes);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      double sum = 0;
      for (int k = 0; k < 3; k++)
        sum += axes[3 * k + i] * half[3 * k + j];
      // lambda = (t u)^2/12
      own[3 * i + j] = sum * psi_between(u[i], u[j]) * 12 / (thickness->least * thickness->least * (u[i] + u[j]));
    }
  from_axes(axes, own, by_covariance);
  dc_part_extents_pull_back(part->mesh, &part->extents, by_covariance,
                            shape->vertices + shape->first[part->body] + part->vertex);
}

// Sum over the parts of weight |psi(C)|^2, which is 0 where a part is as thick as asked.
static double evaluate(const void *options, const struct dc_model *model, const struct dc_rollout_input *input,
                       const struct dc_trajectory *trajectory, struct dc_loss_cotangent *cotangent)
{
  (void)input, (void)trajectory;
  const struct dc_thickness_options *thickness = options;
  double sum = 0;
  for (int n = 0, count = find_part(thickness, model, -1, NULL); n < count; n++) {
    struct part part = measure_part(thickness, model, n);
    double residual[9];
    residual_of(&part, residual);
    double value = dc_dot(residual, residual, 9);
    sum += thickness->weight * value;
    for (int k = 0; k < 9; k++)
      residual[k] *= 2 * thickness->weight;
    if (value != 0)
      pull_back(thickness, &part, residual, cotangent);
  }
  return sum;
}

// Groups of rows of a part: the diagonal of psi(C), then the entries off the diagonal.
static const int entries[2][3] = {{0, 4, 8}, {1, 2, 5}};

static int row_groups(const void *options, const struct dc_model *model, const struct dc_trajectory *trajectory)
{
  (void)trajectory;
  return 2 * find_part(options, model, -1, NULL);
}

// Entries off the diagonal stand for two, so that they are multiplied by sqrt(2).
static void row_group(const void *options, const struct dc_model *model, const struct dc_rollout_input *input,
                      const struct dc_trajectory *trajectory, int index, struct dc_residual_group *group, int *first,
                      int *last)
{
  (void)input;
  const struct dc_thickness_options *thickness = options;
  struct part part = measure_part(thickness, model, index / 2);
  double residual[9];
  *first = *last = trajectory->steps;
  residual_of(&part, residual);
  group->axes = 3;
  group->weight = thickness->weight;
  for (int k = 0; k < 3; k++)
    group->d[k] = group->e[k] = (index % 2 ? sqrt(2) : 1) * residual[entries[index % 2][k]];
  group->value = group->weight * dc_vec_dot(group->d, group->d);
}

// Rows are the six entries of a symmetric matrix, three a group; those off the diagonal stand for two and have the
// factor sqrt(2), of which either gets the half.
static void row_pull_back(const void *options, const struct dc_model *model, const struct dc_rollout_input *input,
                          const struct dc_trajectory *trajectory, int index, const double *weights,
                          struct dc_loss_cotangent *cotangent)
{
  (void)input, (void)trajectory;
  struct part part = measure_part(options, model, index / 2);
  double by[9] = {0};
  for (int k = 0; k < 3; k++) {
    int entry = entries[index % 2][k], transposed = entry % 3 * 3 + entry / 3;
    by[entry] = by[transposed] = (index % 2 ? sqrt(0.5) : 1) * weights[k];
  }
  pull_back(options, &part, by, cotangent);
}

static const struct dc_objective_rows rows = {
    .by_input = true, .count = row_groups, .group = row_group, .pull_back = row_pull_back};

// The body that lacks most, m.  Frames do not matter: shapes are those of the design.
static void report(const void *options, const struct dc_model *model, const struct dc_rollout_input *input,
                   const struct dc_trajectory *trajectory, int frame, int *body, double *distance, bool *reached)
{
  (void)input, (void)trajectory, (void)frame;
  const struct dc_thickness_options *thickness = options;
  *body = -1, *distance = 0;
  for (int i = 0; i < thickness->bodies.count; i++) {
    int index = thickness->bodies.indices[i];
    double lacks = thickness->least - dc_shape_least_extent(model->bodies.bodies[index].shape);
    if (!(lacks <= *distance))
      *body = index, *distance = lacks;
  }
  *reached = *distance <= (isnan(thickness->tolerance) ? SHARE * thickness->least : thickness->tolerance);
}

const struct dc_objective_type dc_objective_thickness = {
    .name = "thickness",
    .summary = "weight * sum of (least - e)^3/(least^2 e) over the principal extents e < least of convex parts",
    .reference = "the barrier of joint ranges, of the covariance of a part (docs/theory.md, \"Manufacture\")",
    .options = options_table,
    .options_size = sizeof(struct dc_thickness_options),
    .check = dc_objective_check_list,
    .prepare = prepare,
    .evaluate = evaluate,
    .report = report,
    .rows = &rows,
};
