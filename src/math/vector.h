// SPDX-License-Identifier: Apache-2.0
// 3-vectors (double [3]), 3x3 matrices (double [9], row by row), unit quaternions (w, x, y, z).
#ifndef DC_MATH_VECTOR_H
#define DC_MATH_VECTOR_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

static inline void dc_vec_copy(double *r, const double *a)
{
  for (int i = 0; i < 3; i++)
    r[i] = a[i];
}

static inline void dc_vec_add(double *r, const double *a, const double *b)
{
  for (int i = 0; i < 3; i++)
    r[i] = a[i] + b[i];
}

static inline void dc_vec_sub(double *r, const double *a, const double *b)
{
  for (int i = 0; i < 3; i++)
    r[i] = a[i] - b[i];
}

static inline void dc_vec_scale(double *r, const double *a, double s)
{
  for (int i = 0; i < 3; i++)
    r[i] = s * a[i];
}

// r = a + s b
static inline void dc_vec_add_scaled(double *r, const double *a, double s, const double *b)
{
  for (int i = 0; i < 3; i++)
    r[i] = a[i] + s * b[i];
}

static inline double dc_vec_dot(const double *a, const double *b)
{
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline bool dc_all_zero(const double *numbers, size_t count)
{
  for (size_t i = 0; i < count; i++)
    if (numbers[i] != 0)
      return false;
  return true;
}

// Dot product of vectors [count], summed in order.
static inline double dc_dot(const double *a, const double *b, int count)
{
  double sum = 0;
  for (int i = 0; i < count; i++)
    sum += a[i] * b[i];
  return sum;
}

// |a| |b|: the bound of a dot product, to which its rounding is proportional.
static inline double dc_dot_bound(const double *a, const double *b, int count)
{
  return sqrt(dc_dot(a, a, count) * dc_dot(b, b, count));
}

static inline double dc_vec_norm(const double *a)
{
  return sqrt(dc_vec_dot(a, a));
}

static inline double dc_vec_distance(const double *a, const double *b)
{
  double d[3];
  dc_vec_sub(d, a, b);
  return dc_vec_norm(d);
}

// r = a x b; r must not overlap a or b.
static inline void dc_vec_cross(double *r, const double *a, const double *b)
{
  r[0] = a[1] * b[2] - a[2] * b[1];
  r[1] = a[2] * b[0] - a[0] * b[2];
  r[2] = a[0] * b[1] - a[1] * b[0];
}

// Area of the triangle (a, b, c).
static inline double dc_triangle_area(const double a[3], const double b[3], const double c[3])
{
  double u[3], v[3], normal[3];
  dc_vec_sub(u, b, a);
  dc_vec_sub(v, c, a);
  dc_vec_cross(normal, u, v);
  return 0.5 * dc_vec_norm(normal);
}

// r = M v
static inline void dc_mat_apply(double *r, const double *m, const double *v)
{
  for (int i = 0; i < 3; i++)
    r[i] = m[3 * i] * v[0] + m[3 * i + 1] * v[1] + m[3 * i + 2] * v[2];
}

// r = M^T v
static inline void dc_mat_apply_transposed(double *r, const double *m, const double *v)
{
  for (int i = 0; i < 3; i++)
    r[i] = m[i] * v[0] + m[3 + i] * v[1] + m[6 + i] * v[2];
}

// r = A B
static inline void dc_mat_multiply(double *r, const double *a, const double *b)
{
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      r[3 * i + j] = a[3 * i] * b[j] + a[3 * i + 1] * b[3 + j] + a[3 * i + 2] * b[6 + j];
}

// r = A B^T
static inline void dc_mat_multiply_transposed(double *r, const double *a, const double *b)
{
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      r[3 * i + j] = dc_vec_dot(a + 3 * i, b + 3 * j);
}

// The matrix [v]x with [v]x u = v x u.
static inline void dc_mat_cross(double *r, const double *v)
{
  r[0] = 0, r[1] = -v[2], r[2] = v[1];
  r[3] = v[2], r[4] = 0, r[5] = -v[0];
  r[6] = -v[1], r[7] = v[0], r[8] = 0;
}

#endif
