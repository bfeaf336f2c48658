// SPDX-License-Identifier: Apache-2.0
// Rotations as unit quaternions: exponential, logarithm and the left Jacobian of SO(3) with its inverse.
//
// Coefficients such as (1 - cos a)/a^2 lose digits at small angles; below a bound the functions use the Taylor series
// instead, to the order at which the remainder is below rounding.
#include "math/rotation.h"

#include "math/vector.h"

// R = 1 + 2 w [v]x + 2 [v]x^2 of q = (w, v), written out.
void dc_rotation_matrix(double *m, const double *q)
{
  double w = q[0], x = q[1], y = q[2], z = q[3];
  m[0] = 1 - 2 * (y * y + z * z), m[1] = 2 * (x * y - w * z), m[2] = 2 * (x * z + w * y);
  m[3] = 2 * (x * y + w * z), m[4] = 1 - 2 * (x * x + z * z), m[5] = 2 * (y * z - w * x);
  m[6] = 2 * (x * z - w * y), m[7] = 2 * (y * z + w * x), m[8] = 1 - 2 * (x * x + y * y);
}

// q = (cos |w|/2, sin(|w|/2)/|w| w). Below |w| = 1e-4 by the series, whose next terms are below rounding there.
void dc_rotation_exp(double *q, const double *w)
{
  double square = dc_vec_dot(w, w), scale;
  if (square < 1e-8) {
    scale = 0.5 - square / 48 + square * square / 3840;
    q[0] = 1 - square / 8 + square * square / 384;
  } else {
    double angle = sqrt(square);
    scale = sin(0.5 * angle) / angle;
    q[0] = cos(0.5 * angle);
  }
  dc_vec_scale(q + 1, w, scale);
}

// w = 2 atan2(|v|, |q_0|) v/|v|, with the sign of q that makes q_0 positive: the shorter of the two ways around.
void dc_rotation_log(double *w, const double *q)
{
  double sine = dc_vec_norm(q + 1), sign = q[0] < 0 ? -1 : 1;
  // angle / sin(angle / 2) tends to 2 (1 + sine^2 / 6) for small angles.
  double scale = sine < 1e-5 ? 2 + sine * sine / 3 : 2 * atan2(sine, sign * q[0]) / sine;
  dc_vec_scale(w, q + 1, sign * scale);
}

// Products of unit quaternions drift from unit length by rounding.
void dc_rotation_normalize(double *q)
{
  double scale = 1 / sqrt(q[0] * q[0] + dc_vec_dot(q + 1, q + 1));
  for (int i = 0; i < 4; i++)
    q[i] *= scale;
}

// Hamilton's product; a local copy lets the result overwrite an argument.
void dc_rotation_multiply(double *r, const double *a, const double *b)
{
  double product[4] = {
      a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3], a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
      a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1], a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0]};
  dc_rotation_normalize(product);
  for (int i = 0; i < 4; i++)
    r[i] = product[i];
}

// The inverse of a unit quaternion.
void dc_rotation_conjugate(double *r, const double *q)
{
  r[0] = q[0], r[1] = -q[1], r[2] = -q[2], r[3] = -q[3];
}

// J = I + (1 - cos a) / a^2 [w]x + (a - sin a) / a^3 [w]x^2
void dc_rotation_left_jacobian(double *jacobian, const double *w)
{
  double square = dc_vec_dot(w, w), b, c;
  if (square < 1e-4) {
    b = 0.5 - square / 24 + square * square / 720;
    c = 1.0 / 6 - square / 120 + square * square / 5040;
  } else {
    double angle = sqrt(square);
    b = (1 - cos(angle)) / square;
    c = (angle - sin(angle)) / (square * angle);
  }
  double cross[9];
  dc_mat_cross(cross, w);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      double squared = w[i] * w[j] - (i == j ? square : 0);
      jacobian[3 * i + j] = (i == j) + b * cross[3 * i + j] + c * squared;
    }
}

// J^-1 = I - 1/2 [w]x + c [w]x^2,  c = (1 - a/2 cot(a/2)) / a^2 = 1/12 + a^2/720 + a^4/30240 + ...
void dc_rotation_left_jacobian_inverse(double *inverse, const double *w)
{
  double square = dc_vec_dot(w, w), c, cross[9];
  if (square < 1e-3) {
    c = 1.0 / 12 + square / 720 + square * square / 30240;
  } else {
    double half = 0.5 * sqrt(square);
    c = (1 - half / tan(half)) / square;
  }
  dc_mat_cross(cross, w);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      double squared = w[i] * w[j] - (i == j ? square : 0);
      inverse[3 * i + j] = (i == j) - 0.5 * cross[3 * i + j] + c * squared;
    }
}
