// SPDX-License-Identifier: Apache-2.0
// Smooth unions, -t log sum exp(-phi_i/t), and differences, t log (exp(phi_1/t) + sum exp(-phi_i/t)).  With y_i = phi_i
// or -phi_i, the sign s of the extremum and weights w,
//     F = v phi + sum w_i u.grad y_i,   dF/dy_i = w_i (v + s (u.grad y_i - u.g)/t),
// and F of a child has that in place of v and w_i u in place of u.
#include <math.h>
#include <string.h>

#include "geometry/implicit/sdf.h"
#include "math/vector.h"

enum { SOFTNESS };

// A union is a smooth minimum, a difference a smooth maximum.
static double extremum(const struct dc_sdf *sdf)
{
  return sdf->type == &dc_sdf_union ? -1 : 1;
}

// The sign of a child's value: what is removed counts negatively.
static double child_sign(const struct dc_sdf *sdf, int i)
{
  return sdf->type == &dc_sdf_union || i == 0 ? 1 : -1;
}

// Value and gradient; y, gradients and weights [children] are those of the head comment.
static double weigh(const struct dc_sdf *sdf, const double x[3], double *y, double (*gradients)[3], double *weights,
                    double gradient[3])
{
  for (int i = 0; i < sdf->child_count; i++) {
    double sign = child_sign(sdf, i);
    y[i] = sign * dc_sdf_value(&sdf->children[i], x, gradients[i]);
    dc_vec_scale(gradients[i], gradients[i], sign);
  }
  double value = dc_soft_extremum(sdf->child_count, y, extremum(sdf), sdf->numbers[SOFTNESS], weights);
  memset(gradient, 0, 3 * sizeof *gradient);
  for (int i = 0; i < sdf->child_count; i++)
    dc_vec_add_scaled(gradient, gradient, weights[i], gradients[i]);
  return value;
}

// Value and gradient only.  The work arrays of weigh() live on the stack, with room for MOST_CHILDREN children.
static double value(const struct dc_sdf *sdf, const double x[3], double gradient[3])
{
  double y[DC_SDF_CHILDREN_MOST], gradients[DC_SDF_CHILDREN_MOST][3], weights[DC_SDF_CHILDREN_MOST];
  return weigh(sdf, x, y, gradients, weights, gradient);
}

// Derivatives of v phi + u . grad phi by place, softness and the numbers of the children.
static void pull_back(const struct dc_sdf *sdf, const double x[3], double v, const double u[3], double by_x[3],
                      double *parameters)
{
  double y[DC_SDF_CHILDREN_MOST], gradients[DC_SDF_CHILDREN_MOST][3], weights[DC_SDF_CHILDREN_MOST], g[3], mean = 0;
  double t = sdf->numbers[SOFTNESS], sign = extremum(sdf);
  double phi = weigh(sdf, x, y, gradients, weights, g), along = dc_vec_dot(u, g);
  double *own = parameters ? parameters + sdf->number_count + 6 : NULL;
  for (int i = 0; i < sdf->child_count; i++)
    mean += weights[i] * y[i];
  if (parameters)
    parameters[SOFTNESS] += v * (phi - mean) / t;
  for (int i = 0; i < sdf->child_count; i++) {
    double above = dc_vec_dot(u, gradients[i]) - along, turned[3];
    double by_y = weights[i] * (v + sign * above / t);
    if (parameters)
      parameters[SOFTNESS] -= sign * weights[i] * (y[i] - mean) * above / (t * t);
    if (weights[i] > 0) {
      dc_vec_scale(turned, u, child_sign(sdf, i) * weights[i]);
      dc_sdf_pull_back(&sdf->children[i], x, child_sign(sdf, i) * by_y, turned, by_x, own);
    }
    if (own)
      own += dc_sdf_parameter_count(&sdf->children[i]);
  }
}

// The inside of a union grows by at most t log N.
static double radius(const struct dc_sdf *sdf)
{
  double radius = 0;
  if (sdf->type == &dc_sdf_difference)
    return dc_sdf_radius(&sdf->children[0]);
  for (int i = 0; i < sdf->child_count; i++)
    radius = fmax(radius, dc_sdf_radius(&sdf->children[i]));
  return radius + sdf->numbers[SOFTNESS] * log(sdf->child_count);
}

const struct dc_sdf_type dc_sdf_union = {
    .name = "union", .twice_differentiable = true, .value = value, .pull_back = pull_back, .radius = radius};
const struct dc_sdf_type dc_sdf_difference = {
    .name = "difference", .twice_differentiable = true, .value = value, .pull_back = pull_back, .radius = radius};
