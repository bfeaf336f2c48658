// SPDX-License-Identifier: Apache-2.0
// Derivatives of both witness points by the twists of both solids.
//
// For each solid, F tells how its witness point follows the other one: exactly (witness_analytical.c) or smoothed over
// samples (witness_smoothing.c).  Both equations are then solved together where coupling is asked for (paper 002, Eq.
// 15 and 16).
#include "geometry/convex/witness_derivative.h"

#include <string.h>

#include "geometry/convex/constants.h"
#include "geometry/convex/witness_local.h"
#include "math/vector.h"

// The numbers of a witness in the axes of one solid, from which its derivative is made.
void dc_witness_localize(const struct dc_witness_settings *settings, const struct dc_witness_solid *solid,
                         const struct dc_placement *placement, const struct dc_witness *witness, int side,
                         const double target[3], const struct dc_witness_draw *draw, struct dc_witness_local *local)
{
  const double *own = witness->point[side], *other = witness->point[1 - side];
  double from_origin[3], offset[3], normal[3];
  dc_vec_sub(from_origin, own, placement->position);
  dc_vec_sub(offset, other, own);
  dc_vec_scale(normal, witness->normal, side ? -1 : 1);
  dc_mat_apply_transposed(local->own, placement->rotation, from_origin);
  dc_mat_apply_transposed(local->offset, placement->rotation, offset);
  dc_mat_apply_transposed(local->normal, placement->rotation, normal);
  local->distance = witness->distance;
  local->part = witness->part[side];
  if (settings->sampling == DC_SAMPLE_FIXED)
    local->radius = settings->fixed_radius * solid->solid->size;
  else
    local->radius = draw->radius_scale * fmax(settings->radius_scale * dc_vec_distance(target, own), settings->radius);
}

// How the witness points of both solids follow twists of either: exactly, or by samples around them.
void dc_witness_derivative(const struct dc_witness_settings *settings, const struct dc_witness_solid solids[2],
                           const struct dc_placement placements[2], const struct dc_witness *witness,
                           const double target[2][3], const struct dc_witness_draw *draw,
                           struct dc_witness_side sides[2])
{
  for (int i = 0; i < 2; i++) {
    struct dc_witness_local local;
    struct dc_witness_points points;
    double mean[3] = {0}, follow[9], turned[9], moved[3];
    dc_witness_localize(settings, &solids[i], &placements[i], witness, i, target[i], draw, &local);
    if (settings->method == DC_WITNESS_ANALYTICAL) {
      dc_witness_follow_exactly(solids[i].solid, &local, follow);
    } else {
      dc_witness_sample(settings, &solids[i], &local, 2 * draw->key + (uint64_t)i, &points);
      if (settings->method == DC_WITNESS_DIRECTION)
        dc_witness_smooth_direction(&points, local.offset, local.distance, mean, follow);
      else
        dc_witness_smooth(settings, &points, local.offset, mean, follow);
    }
    const double *rotation = placements[i].rotation;
    dc_mat_multiply(turned, rotation, follow);
    dc_mat_multiply_transposed(sides[i].follow, turned, rotation);
    dc_mat_apply(moved, rotation, mean);
    dc_vec_add(sides[i].point, witness->point[i], moved);
  }
}

// The 3x6 matrix of the velocity of point by the twist about center: (-[r]x, 1), r = point - center.
static void velocity_matrix(double matrix[18], const double point[3], const double center[3])
{
  double r[3], cross[9];
  dc_vec_sub(r, point, center);
  dc_mat_cross(cross, r);
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) {
      matrix[6 * i + k] = -cross[3 * i + k];
      matrix[6 * i + 3 + k] = i == k;
    }
}

// r = M X; X and r 3x6
static void multiply(double r[18], const double m[9], const double x[18])
{
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 6; k++)
      r[6 * i + k] = m[3 * i] * x[k] + m[3 * i + 1] * x[6 + k] + m[3 * i + 2] * x[12 + k];
}

// r = 1 - scale A B, and its determinant
static double coupling(double r[9], double scale, const double a[9], const double b[9])
{
  double minor[3];
  dc_mat_multiply(r, a, b);
  for (int k = 0; k < 9; k++)
    r[k] = (k % 4 == 0) - scale * r[k];
  dc_vec_cross(minor, r + 3, r + 6);
  return dc_vec_dot(r, minor);
}

// x <- (1 - A B)^-1 x by Cramer's rule; x is unchanged where even the regularized matrix is singular.
static void couple(const double a[9], const double b[9], double x[18])
{
  double m[9], cofactor[9], solution[18];
  double determinant = coupling(m, 1, a, b);
  if (!(fabs(determinant) > DC_WITNESS_SINGULAR))
    determinant = coupling(m, DC_WITNESS_COUPLING, a, b);
  if (!(fabs(determinant) > 1e-14))
    return;
  dc_vec_cross(cofactor, m + 3, m + 6);
  dc_vec_cross(cofactor + 3, m + 6, m);
  dc_vec_cross(cofactor + 6, m, m + 3);
  double inverse[9];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      inverse[3 * i + j] = cofactor[3 * j + i] / determinant;
  multiply(solution, inverse, x);
  memcpy(x, solution, sizeof solution);
}

// For the twist of solid k alone: dx_k = V_k(x_k*) - F_k V_k(x_other), with the other point held (paper 002, Eq. 15),
// and dx_other = F_other dx_k (Eq. 16); coupled: dx_k = (1 - F_k F_other)^-1 of that.
void dc_witness_jacobian(const struct dc_witness_settings *settings, const struct dc_witness *witness,
                         const struct dc_witness_side sides[2], const double center[2][3], double jacobian[2][2][18])
{
  for (int k = 0; k < 2; k++) {
    const double *follow = sides[k].follow, *other_follow = sides[1 - k].follow;
    double at_other[18], followed[18], *own = jacobian[k][k];
    velocity_matrix(own, settings->smoothed_point ? sides[k].point : witness->point[k], center[k]);
    velocity_matrix(at_other, witness->point[1 - k], center[k]);
    multiply(followed, follow, at_other);
    for (int c = 0; c < 18; c++)
      own[c] -= followed[c];
    if (settings->coupled)
      couple(follow, other_follow, own);
    multiply(jacobian[1 - k][k], other_follow, own);
  }
}
