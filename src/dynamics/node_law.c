// SPDX-License-Identifier: Apache-2.0
// The energy phi of one node at a half-space, -(e/2) log(gap) + D(|way|): its derivatives, its changes, and the minima
// along the normal and along the plane that sweeps ask for (node_newton.c).
#include "dynamics/node_law.h"

#include <math.h>

#include "math/vector.h"

static struct dc_slip_stiffness stiffness_of(const struct dc_node_law *law)
{
  return dc_slip_stiffness(&law->slip, dc_vec_dot(law->way, law->way));
}

void dc_node_law_add_slope(const struct dc_node_law *law, double scale, double *slope)
{
  dc_vec_add_scaled(slope, slope, -0.5 * scale * law->slip.e / law->gap, law->normal);
  if (law->slip.c > 0)
    dc_vec_add_scaled(slope, slope, scale * stiffness_of(law).k, law->way);
}

// block += e/(2 gap^2) n n^T + k (I - n n^T) + 2 dk/d|t|^2 t t^T with the way t along the plane.
void dc_node_law_add_curvature(const struct dc_node_law *law, double block[9])
{
  const double *n = law->normal, *t = law->way;
  double normal = 0.5 * law->slip.e / (law->gap * law->gap);
  struct dc_slip_stiffness slip = {0};
  if (law->slip.c > 0)
    slip = stiffness_of(law);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      block[3 * i + j] += normal * n[i] * n[j] + slip.k * ((i == j) - n[i] * n[j]) + 2 * slip.by_square * t[i] * t[j];
}

// A move d of the node changes its gap by n . d and its way by the rest of d.
void dc_node_law_move(struct dc_node_law *law, const double *d)
{
  double along = dc_vec_dot(law->normal, d);
  law->gap += along;
  dc_vec_add(law->way, law->way, d);
  dc_vec_add_scaled(law->way, law->way, -along, law->normal);
}

double dc_node_law_energy_change(const struct dc_node_law *law, const struct dc_node_law *after)
{
  double change = -0.5 * law->slip.e * log1p((after->gap - law->gap) / law->gap);
  return law->slip.c > 0 ? change + dc_slip_energy_change(&law->slip, law->way, after->way) : change;
}

// Two unit vectors that with n are a right angle each.
static void plane_axes(const double n[3], double axes[2][3])
{
  double axis[3] = {0};
  int least = fabs(n[0]) < fabs(n[1]) ? 0 : 1;
  axis[fabs(n[2]) < fabs(n[least]) ? 2 : least] = 1;
  dc_vec_cross(axes[0], n, axis);
  dc_vec_scale(axes[0], axes[0], 1 / dc_vec_norm(axes[0]));
  dc_vec_cross(axes[1], n, axes[0]);
}

// With A's eigenvectors in the plane, its eigenvalues b_i and f = g - A way, w_i = -f_i/(b_i + z), where z is the
// response of friction (slip.h).
void dc_node_law_slide(const struct dc_node_law *law, const double a[9], const double g[3], double move[3])
{
  double axes[2][3], response[2][3], way[2], f[2], b[2], turned[2][3];
  plane_axes(law->normal, axes);
  for (int k = 0; k < 2; k++)
    dc_mat_apply(response[k], a, axes[k]);
  double b00 = dc_vec_dot(axes[0], response[0]), b01 = dc_vec_dot(axes[0], response[1]),
         b11 = dc_vec_dot(axes[1], response[1]), angle = 0.5 * atan2(2 * b01, b00 - b11), cosine = cos(angle),
         sine = sin(angle);
  for (int i = 0; i < 3; i++) {
    turned[0][i] = cosine * axes[0][i] + sine * axes[1][i];
    turned[1][i] = -sine * axes[0][i] + cosine * axes[1][i];
  }
  b[0] = cosine * cosine * b00 + 2 * cosine * sine * b01 + sine * sine * b11;
  b[1] = sine * sine * b00 - 2 * cosine * sine * b01 + cosine * cosine * b11;
  for (int k = 0; k < 2; k++) {
    way[k] = dc_vec_dot(turned[k], law->way);
    f[k] = dc_vec_dot(turned[k], g) - b[k] * way[k];
  }
  double z = dc_slip_response(&law->slip, f, b);
  dc_vec_scale(move, turned[0], -f[0] / (b[0] + z) - way[0]);
  dc_vec_add_scaled(move, move, -f[1] / (b[1] + z) - way[1], turned[1]);
}

// The positive one of both roots, by the formula in which nothing cancels.
double dc_node_law_rest_gap(double a, double b, double gap, double e)
{
  double half = b - a * gap, root = sqrt(half * half + 2 * a * e);
  return half > 0 ? e / (half + root) : (root - half) / (2 * a);
}
