// SPDX-License-Identifier: Apache-2.0
// Masses of solids: moments of inertia in closed form (of density 1, about the centre), and sums over solids that stand
// anywhere, about the origin and then, by Steiner's theorem, about their common centre.
#include "io/robot/solids.h"

#include <math.h>
#include <string.h>

#include "math/rotation.h"
#include "math/vector.h"

static void set(struct dc_solid *solid, double volume, double x, double y, double z)
{
  *solid = (struct dc_solid){.volume = volume, .inertia = {x, y, z}};
}

// V = 8abc for half sides a, b, c; I_x = V (b² + c²) / 3.
void dc_solid_box(const double half[3], struct dc_solid *solid)
{
  double a = half[0] * half[0], b = half[1] * half[1], c = half[2] * half[2], v = 8 * half[0] * half[1] * half[2];
  set(solid, v, v * (b + c) / 3, v * (a + c) / 3, v * (a + b) / 3);
}

// V = 4π/3 abc for half axes a, b, c; I_x = V (b² + c²) / 5.
void dc_solid_ellipsoid(const double half[3], struct dc_solid *solid)
{
  double a = half[0] * half[0], b = half[1] * half[1], c = half[2] * half[2];
  double v = 4 * M_PI / 3 * half[0] * half[1] * half[2];
  set(solid, v, v * (b + c) / 5, v * (a + c) / 5, v * (a + b) / 5);
}

// About z, of radius r and half length h: V = 2π r² h, I_z = V r² / 2, I_x = I_y = V (3r² + 4h²) / 12.
void dc_solid_cylinder(double radius, double half, struct dc_solid *solid)
{
  double r2 = radius * radius, v = 2 * M_PI * r2 * half, across = v * (3 * r2 + 4 * half * half) / 12;
  set(solid, v, across, across, 0.5 * v * r2);
}

// A tube between two half balls.  across is the moment about an axis through the middle: that of the tube, and of the
// ball with its halves shifted by half the length, whose centres lie 3/8 r inside of their flat sides.
void dc_solid_capsule(double radius, double half, struct dc_solid *solid)
{
  double r2 = radius * radius, ball = 4 * M_PI / 3 * r2 * radius, tube = 2 * M_PI * r2 * half;
  double across = tube * (3 * r2 + 4 * half * half) / 12 + ball * (0.4 * r2 + half * half + 0.75 * half * radius);
  set(solid, ball + tube, across, across, 0.5 * tube * r2 + 0.4 * ball * r2);
}

// Adds a mass with an inertia [6] about its centre to inertia [6] about another point, d away.
static void add_shifted(double inertia[6], double mass, const double own[6], const double d[3])
{
  double square = dc_vec_dot(d, d);
  for (int k = 0; k < 3; k++)
    inertia[k] += own[k] + mass * (square - d[k] * d[k]);
  inertia[3] += own[3] - mass * d[0] * d[1];
  inertia[4] += own[4] - mass * d[0] * d[2];
  inertia[5] += own[5] - mass * d[1] * d[2];
}

// R I R^T.
static void turn(const double rotation[9], const double own[6], double turned[6])
{
  const double tensor[9] = {own[0], own[3], own[4], own[3], own[1], own[5], own[4], own[5], own[2]};
  double half[9], full[9];
  dc_mat_multiply(half, rotation, tensor);
  dc_mat_multiply_transposed(full, half, rotation);
  memcpy(turned, (double[6]){full[0], full[4], full[8], full[1], full[2], full[5]}, 6 * sizeof *turned);
}

// Adds a solid of a mass, spread evenly, at a pose: inertias of volume 1 kg/m^3 become those of its density, are
// turned to the common axes (R I R^T) and moved to the common origin (Steiner).
void dc_solid_add(struct dc_solid_sum *sum, const struct dc_solid *solid, double mass, const double position[3],
                  const double rotation[4])
{
  double matrix[9], center[3], turned[6], density = solid->volume > 0 ? mass / solid->volume : 0;
  dc_rotation_matrix(matrix, rotation);
  dc_mat_apply(center, matrix, solid->center);
  dc_vec_add(center, center, position);
  turn(matrix, solid->inertia, turned);
  for (int k = 0; k < 6; k++)
    turned[k] *= density;
  sum->mass += mass;
  dc_vec_add_scaled(sum->moment, sum->moment, mass, center);
  add_shifted(sum->about, mass, turned, center);
}

// The shift to the centre is one with the negative mass.
void dc_solid_finish(const struct dc_solid_sum *sum, double center[3], double inertia[6])
{
  static const double none[6] = {0};
  dc_vec_scale(center, sum->moment, 1 / sum->mass);
  memcpy(inertia, sum->about, sizeof sum->about);
  add_shifted(inertia, -sum->mass, none, center);
}
