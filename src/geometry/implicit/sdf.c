// SPDX-License-Identifier: Apache-2.0
// Common functions of signed distances: points, Hessians, normals and parameters.
#include "geometry/implicit/sdf.h"

#include <math.h>
#include <string.h>

#include "math/vector.h"

// PROJECTIONS: steps of dc_sdf_project.  Vertices of lattices are within 2.1e-16 of the radius after three of them in
// scenes/billiards_stones.json (at first 4.6e-2 off), after five in scenes/figures.json (3.4e-2); the rest is to spare.
enum { PLACE = 6, PROJECTIONS = 8 };

// x_l = R^T (x - c): the node's own coordinates of a point given in its parent's frame; arm is x - c in parent axes.
static void into_frame(const struct dc_sdf *sdf, const double x[3], double arm[3], double local[3])
{
  dc_vec_sub(arm, x, sdf->position);
  dc_mat_apply_transposed(local, sdf->rotation, arm);
}

// A node's function is defined in its own frame; the gradient is turned back.
double dc_sdf_value(const struct dc_sdf *sdf, const double x[3], double gradient[3])
{
  double arm[3], local[3], g[3];
  into_frame(sdf, x, arm, local);
  double value = sdf->type->value(sdf, local, g);
  dc_mat_apply(gradient, sdf->rotation, g);
  return value;
}

// With the node at rest x_l = R^T (x - c) and u_l = R^T u.  A turn w of R and a motion t of c change them by
//     dx_l = -R^T (w x (x - c) + t),   du_l = -R^T (w x u),
// and dF/du_l is the gradient.
void dc_sdf_pull_back(const struct dc_sdf *sdf, const double x[3], double v, const double u[3], double by_x[3],
                      double *parameters)
{
  double arm[3], local[3], direction[3], by_local[3] = {0, 0, 0}, out[3];
  into_frame(sdf, x, arm, local);
  dc_mat_apply_transposed(direction, sdf->rotation, u);
  if (parameters) {
    // the node's own numbers come first, then its place, then the children's
    sdf->type->pull_back(sdf, local, v, direction, by_local, parameters);
    double gradient[3], g[3], turn[3], more[3], *place = parameters + sdf->number_count;
    sdf->type->value(sdf, local, g);
    dc_mat_apply(gradient, sdf->rotation, g);
    dc_mat_apply(out, sdf->rotation, by_local);
    dc_vec_cross(turn, arm, out);
    dc_vec_cross(more, u, gradient);
    for (int k = 0; k < 3; k++) {
      place[k] -= turn[k] + more[k];
      place[3 + k] -= out[k];
    }
  } else {
    sdf->type->pull_back(sdf, local, v, direction, by_local, NULL);
    dc_mat_apply(out, sdf->rotation, by_local);
  }
  dc_vec_add(by_x, by_x, out);
}

// Rows of the Hessian are derivatives of u.grad phi for the unit vectors u.
void dc_sdf_hessian(const struct dc_sdf *sdf, const double x[3], double hessian[9])
{
  memset(hessian, 0, 9 * sizeof *hessian);
  for (int k = 0; k < 3; k++) {
    double u[3] = {k == 0, k == 1, k == 2};
    dc_sdf_pull_back(sdf, x, 0, u, hessian + 3 * k, NULL);
  }
}

// The ball about the node's own origin, moved by the node's position: conservative for any rotation.
double dc_sdf_radius(const struct dc_sdf *sdf)
{
  return dc_vec_norm(sdf->position) + sdf->type->radius(sdf);
}

// Newton steps along the gradient to the level set; x is replaced.
void dc_sdf_project(const struct dc_sdf *sdf, double level, double x[3])
{
  for (int i = 0; i < PROJECTIONS; i++) {
    double g[3], above = dc_sdf_value(sdf, x, g) - level;
    dc_vec_add_scaled(x, x, -above / dc_vec_dot(g, g), g);
  }
}

// dx = -dphi g/|g|^2: the first step from x, the others are of second order.
void dc_sdf_project_pull_back(const struct dc_sdf *sdf, const double x[3], const double by[3], double *parameters)
{
  const double zero[3] = {0, 0, 0};
  double g[3], by_x[3] = {0, 0, 0};
  dc_sdf_value(sdf, x, g);
  dc_sdf_pull_back(sdf, x, -dc_vec_dot(by, g) / dc_vec_dot(g, g), zero, by_x, parameters);
}

// Own numbers, three components of turn and three of position, then the same of every child, depth first.
int dc_sdf_parameter_count(const struct dc_sdf *sdf)
{
  int count = sdf->number_count + PLACE;
  for (int i = 0; i < sdf->child_count; i++)
    count += dc_sdf_parameter_count(&sdf->children[i]);
  return count;
}

// The number behind a parameter, in the order in which derivatives are stored: own numbers, place, children.
// NULL for a place, which is stored otherwise.
double *dc_sdf_number(struct dc_sdf *sdf, int parameter)
{
  if (parameter < sdf->number_count)
    return &sdf->numbers[parameter];
  parameter -= sdf->number_count + PLACE;
  for (int i = 0; i < sdf->child_count && parameter >= 0; i++) {
    int count = dc_sdf_parameter_count(&sdf->children[i]);
    if (parameter < count)
      return dc_sdf_number(&sdf->children[i], parameter);
    parameter -= count;
  }
  return NULL;
}

// n = g/sqrt(|g|^2 + eps).  On the medial axis, where g vanishes, n goes to zero smoothly instead of jumping.
void dc_sdf_normal(const double gradient[3], double normal[3])
{
  dc_vec_scale(normal, gradient, 1 / sqrt(dc_vec_dot(gradient, gradient) + DC_SDF_NORMAL));
}

// With i = 1/sqrt(|g|^2 + eps), dn = i (1 - i^2 g g^T) dg; the matrix is symmetric, so it maps c to the derivative.
void dc_sdf_normal_pull_back(const double gradient[3], const double c[3], double by_gradient[3])
{
  double inverse = 1 / sqrt(dc_vec_dot(gradient, gradient) + DC_SDF_NORMAL);
  double along = dc_vec_dot(c, gradient) * inverse * inverse;
  for (int k = 0; k < 3; k++)
    by_gradient[k] += inverse * (c[k] - along * gradient[k]);
}

// sign softness log sum exp(sign y_i/softness): a smooth maximum (sign 1) or minimum (-1).  The largest
// exponent is taken out first, so that none overflows.  weights [count] are its derivatives, which sum to 1.
double dc_soft_extremum(int count, const double *y, double sign, double softness, double *weights)
{
  double best = -INFINITY, sum = 0;
  for (int i = 0; i < count; i++)
    best = fmax(best, sign * y[i]);
  for (int i = 0; i < count; i++)
    sum += weights[i] = exp((sign * y[i] - best) / softness);
  for (int i = 0; i < count; i++)
    weights[i] /= sum;
  return sign * (best + softness * log(sum));
}

// A node with room for its numbers and children, unturned; NULL: out of memory.
struct dc_sdf *dc_sdf_make(const struct dc_sdf_type *type, int number_count, int child_count, struct dc_arena *arena)
{
  struct dc_sdf *sdf = dc_arena_alloc(arena, 1, sizeof *sdf);
  if (!sdf)
    return NULL;
  *sdf = (struct dc_sdf){.type = type,
                         .rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1},
                         .number_count = number_count,
                         .child_count = child_count,
                         .reach = INFINITY};
  sdf->numbers = dc_arena_alloc(arena, (size_t)number_count, sizeof *sdf->numbers);
  sdf->children = dc_arena_alloc(arena, (size_t)child_count, sizeof *sdf->children);
  return (number_count && !sdf->numbers) || (child_count && !sdf->children) ? NULL : sdf;
}
