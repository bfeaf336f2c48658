// SPDX-License-Identifier: Apache-2.0
// Singular values of 3x3 matrices by one-sided Jacobi rotations (Hestenes 1958).
//
// Columns of f are rotated pairwise until they are orthogonal; their norms are the singular values, and the product of
// the rotations is v.  The column of u for the smallest value is the cross product of the other two, so that u is a
// rotation, and that value carries the sign of det f.
#include "math/svd3.h"

#include <float.h>

#include "math/vector.h"

enum { SWEEPS = 20 };

// Matrices are kept by columns here: a[c] is column c.

// Rotates columns p and q of a, and of v, such that those of a become orthogonal; false: they are already.
static int rotate(double a[3][3], double v[3][3], int p, int q)
{
  double alpha = dc_vec_dot(a[p], a[p]), beta = dc_vec_dot(a[q], a[q]), gamma = dc_vec_dot(a[p], a[q]);
  if (!(fabs(gamma) > DBL_EPSILON * sqrt(alpha * beta)))
    return 0;
  double zeta = (beta - alpha) / (2 * gamma);
  double tangent = copysign(1 / (fabs(zeta) + sqrt(1 + zeta * zeta)), zeta);
  double cosine = 1 / sqrt(1 + tangent * tangent), sine = cosine * tangent;
  for (int i = 0; i < 3; i++) {
    double x = a[p][i], y = a[q][i];
    a[p][i] = cosine * x - sine * y;
    a[q][i] = sine * x + cosine * y;
    x = v[p][i], y = v[q][i];
    v[p][i] = cosine * x - sine * y;
    v[q][i] = sine * x + cosine * y;
  }
  return 1;
}

// A unit vector orthogonal to a given one.
static void any_orthogonal(double *r, const double *unit)
{
  double axis[3] = {0, 0, 0};
  int least = fabs(unit[0]) < fabs(unit[1]) ? 0 : 1;
  axis[fabs(unit[2]) < fabs(unit[least]) ? 2 : least] = 1;
  dc_vec_cross(r, unit, axis);
  dc_vec_scale(r, r, 1 / dc_vec_norm(r));
}

// F = U diag(s) V^T by one-sided Jacobi rotations of the columns; U and V are rotations, so the smallest value has the
// sign of det F.
void dc_svd3(const double f[9], double u[9], double s[3], double v[9])
{
  double a[3][3], right[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, left[3][3], length[3];
  for (int i = 0; i < 9; i++)
    a[i % 3][i / 3] = f[i];
  for (int sweep = 0, moved = 1; sweep < SWEEPS && moved; sweep++) {
    moved = rotate(a, right, 0, 1);
    moved |= rotate(a, right, 0, 2);
    moved |= rotate(a, right, 1, 2);
  }
  for (int i = 0; i < 3; i++)
    length[i] = dc_vec_norm(a[i]);
  int last = length[0] < length[1] ? 0 : 1;
  last = length[2] < length[last] ? 2 : last;
  int first = (last + 1) % 3, second = (last + 2) % 3;
  if (length[first] < length[second]) {
    int swap = first;
    first = second, second = swap;
  }
  if (length[first] > 0)
    dc_vec_scale(left[first], a[first], 1 / length[first]);
  else
    dc_vec_copy(left[first], right[first]);
  if (length[second] > 0)
    dc_vec_scale(left[second], a[second], 1 / length[second]);
  else
    any_orthogonal(left[second], left[first]);
  // The cross product makes u a rotation, whatever the smallest value is; the sign goes to that value.
  dc_vec_cross(left[last], left[(last + 1) % 3], left[(last + 2) % 3]);
  for (int i = 0; i < 3; i++)
    s[i] = dc_vec_dot(left[i], a[i]);
  for (int i = 0; i < 9; i++) {
    u[i] = left[i % 3][i / 3];
    v[i] = right[i % 3][i / 3];
  }
}
