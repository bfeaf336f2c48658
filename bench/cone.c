// SPDX-License-Identifier: Apache-2.0
// Non-negative least squares by an active set (Lawson and Hanson 1974, chapter 23): the generator that the residual
// points to most comes from the support functions of the two sets, and three generators are always enough in space.
#include "bench/cone.h"

#include <string.h>

#include "math/vector.h"

enum { MOST = 3, ITERATIONS = 200 };
static const double INSIDE = 1e-10;  // residual of a unit force that counts as none

struct cone {
  int count;
  double generators[MOST][3], factors[MOST];
};

static const double *farthest(int count, const double (*points)[3], const double *direction, double sign)
{
  int best = 0;
  for (int i = 1; i < count; i++)
    if (sign * dc_vec_dot(points[i], direction) > sign * dc_vec_dot(points[best], direction))
      best = i;
  return points[best];
}

// Least squares over the generators in use: (G^T G) z = G^T f, by elimination; they are independent.
static void solve(const struct cone *cone, const double *force, double *z)
{
  double m[MOST][MOST + 1];
  int n = cone->count;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++)
      m[i][j] = dc_vec_dot(cone->generators[i], cone->generators[j]);
    m[i][n] = dc_vec_dot(cone->generators[i], force);
  }
  for (int i = 0; i < n; i++)
    for (int k = i + 1; k < n; k++) {
      double factor = m[k][i] / m[i][i];
      for (int j = i; j <= n; j++)
        m[k][j] -= factor * m[i][j];
    }
  for (int i = n - 1; i >= 0; i--) {
    z[i] = m[i][n];
    for (int j = i + 1; j < n; j++)
      z[i] -= m[i][j] * z[j];
    z[i] /= m[i][i];
  }
}

static void drop(struct cone *cone, int which)
{
  cone->count--;
  for (int i = which; i < cone->count; i++) {
    dc_vec_copy(cone->generators[i], cone->generators[i + 1]);
    cone->factors[i] = cone->factors[i + 1];
  }
}

// Moves the factors to the least-squares solution, as far as they stay positive; who reaches zero goes.
static void settle(struct cone *cone, const double *force)
{
  while (cone->count) {
    double z[MOST] = {0}, share = 1;
    int first = -1;
    solve(cone, force, z);
    for (int i = 0; i < cone->count; i++) {
      double least = cone->factors[i] / (cone->factors[i] - z[i]);
      if (z[i] <= 0 && least < share)
        share = least, first = i;
    }
    for (int i = 0; i < cone->count; i++)
      cone->factors[i] += share * (z[i] - cone->factors[i]);
    if (first < 0)
      return;
    drop(cone, first);
  }
}

double dc_cone_angle(const double force[3], int a_count, const double (*a)[3], int b_count, const double (*b)[3])
{
  struct cone cone = {0};
  double unit[3], residual[3];
  dc_vec_scale(unit, force, 1 / dc_vec_norm(force));
  dc_vec_copy(residual, unit);
  for (int i = 0; i < ITERATIONS && dc_vec_norm(residual) > INSIDE && cone.count < MOST; i++) {
    double *generator = cone.generators[cone.count];
    dc_vec_sub(generator, farthest(a_count, a, residual, 1), farthest(b_count, b, residual, -1));
    dc_vec_scale(generator, generator, 1 / dc_vec_norm(generator));
    if (dc_vec_dot(generator, residual) <= INSIDE * dc_vec_norm(residual))
      break;
    cone.factors[cone.count++] = 0;
    settle(&cone, unit);
    dc_vec_copy(residual, unit);
    for (int k = 0; k < cone.count; k++)
      dc_vec_add_scaled(residual, residual, -cone.factors[k], cone.generators[k]);
  }
  return asin(fmin(dc_vec_norm(residual), 1));
}
