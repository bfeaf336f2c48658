// SPDX-License-Identifier: Apache-2.0
// The pair potential in 113-bit arithmetic, from the paper's own formulation (000, section 4):
//     P(x) = min over (n, d) of 12 / (1 - |n|) + sum_v 1 / (s_v (n.x_v + d)),   s = +1 on triangle a, -1 on b.
// Gradients by the envelope theorem, Hessians by central differences of them with one Richardson step.
#ifndef DC_TESTS_QUAD_REFERENCE_H
#define DC_TESTS_QUAD_REFERENCE_H

#include <quadmath.h>

#include "quad_solve.h"

struct quad_reference {
  quad energy;       // P - 12 for the potential of the given length
  quad gradient[6];  // twist (w, t) of a about the origin
  quad hessian[6][6];
  bool converged;
};

static quad dot_quad(const quad *a, const quad *b)
{
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross_quad(quad *r, const quad *a, const quad *b)
{
  for (int i = 0; i < 3; i++)
    r[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

// Separating-axis test: the gap along the best unit axis, negative when the triangles cross, and a plane half-way.
static quad separation_quad(const quad x[6][3], quad plane[4])
{
  quad axes[17][3], edges[6][3], best = -1e30Q;
  quad offsets[6][3];
  for (int v = 0; v < 6; v++)
    for (int k = 0; k < 3; k++)
      edges[v][k] = x[v / 3 * 3 + (v + 1) % 3][k] - x[v][k], offsets[v][k] = x[v][k] - x[0][k];
  for (int t = 0; t < 2; t++) {
    cross_quad(axes[t], edges[3 * t], edges[3 * t + 1]);
    for (int i = 0; i < 3; i++)
      cross_quad(axes[2 + 3 * t + i], axes[t], edges[3 * t + i]);
  }
  for (int i = 0; i < 9; i++)
    cross_quad(axes[8 + i], edges[i / 3], edges[3 + i % 3]);
  for (int i = 0; i < 17; i++) {
    quad square = dot_quad(axes[i], axes[i]), low[2] = {0, 1e30Q}, high[2] = {0, -1e30Q};
    if (square == 0)
      continue;
    quad scale = 1 / sqrtq(square);
    for (int v = 1; v < 6; v++) {
      quad h = dot_quad(axes[i], offsets[v]);
      low[v / 3] = h < low[v / 3] ? h : low[v / 3];
      high[v / 3] = h > high[v / 3] ? h : high[v / 3];
    }
    quad above = scale * (low[0] - high[1]), below = scale * (low[1] - high[0]);
    quad gap = above > below ? above : below, sign = above > below ? 1 : -1;
    if (gap <= best)
      continue;
    best = gap;
    for (int k = 0; k < 3; k++)
      plane[k] = sign * scale * axes[i][k];
    plane[3] = -sign * scale * (above > below ? low[0] + high[1] : low[1] + high[0]) / 2 - dot_quad(plane, x[0]);
  }
  return best;
}

static quad value_quad(const quad x[6][3], const quad plane[4])
{
  quad length = sqrtq(dot_quad(plane, plane)), sum;
  if (length >= 1)
    return INFINITY;
  sum = 12 / (1 - length);
  for (int v = 0; v < 6; v++) {
    quad u = (v < 3 ? 1 : -1) * (dot_quad(x[v], plane) + plane[3]);
    if (u <= 0)
      return INFINITY;
    sum += 1 / u;
  }
  return sum;
}

// Newton's direction at the plane by elimination; returns the decrement g.H^-1 g.
static quad newton_direction_quad(const quad x[6][3], const quad plane[4], quad step[4])
{
  quad h[4][5] = {{0}}, length = sqrtq(dot_quad(plane, plane)), rest = 1 - length;
  quad slope = 12 / (rest * rest), bend = 24 / (rest * rest * rest) - slope / length;
  for (int i = 0; i < 3; i++) {
    h[i][4] = slope * plane[i] / length;
    for (int j = 0; j < 3; j++)
      h[i][j] = bend * plane[i] * plane[j] / (length * length) + (i == j ? slope / length : 0);
  }
  for (int v = 0; v < 6; v++) {
    quad s = v < 3 ? 1 : -1, y[4] = {s * x[v][0], s * x[v][1], s * x[v][2], s};
    quad r = 1 / (dot_quad(y, plane) + s * plane[3]), q = r * r, w = 2 * q * r;
    for (int i = 0; i < 4; i++) {
      h[i][4] -= q * y[i];
      for (int j = 0; j <= i; j++)
        h[i][j] += w * y[i] * y[j];
    }
  }
  for (int i = 0; i < 4; i++)
    for (int j = i + 1; j < 4; j++)
      h[i][j] = h[j][i];
  return quad_newton_step(h, step);
}

// Minimizes over the plane (in: a point of the domain) by Newton with halving, about the mean of the vertices; false
// when it stalls above rounding.
static bool minimize_quad(const quad vertices[6][3], quad plane[4], quad *value)
{
  quad x[6][3], mean[3] = {0, 0, 0};
  for (int i = 0; i < 18; i++)
    mean[i % 3] += vertices[i / 3][i % 3] / 6;
  for (int i = 0; i < 18; i++)
    x[i / 3][i % 3] = vertices[i / 3][i % 3] - mean[i % 3];
  plane[3] += dot_quad(plane, mean);
  *value = value_quad(x, plane);
  for (int iteration = 0; iteration < 300; iteration++) {
    quad step[4], trial[4], alpha = 1, next, decrement = newton_direction_quad(x, plane, step);
    // Where rounding hides the decrease Newton is quadratic already: no test there, and the last step squares its
    // error.
    bool quadratic = decrement <= 1e-18Q * *value, last = decrement <= 1e-28Q * *value;
    for (int halving = 0;; halving++, alpha /= 2) {
      for (int i = 0; i < 4; i++)
        trial[i] = plane[i] - alpha * step[i];
      next = value_quad(x, trial);
      if (next <= *value - alpha * decrement / 10000 || (quadratic && next < INFINITY))
        break;
      if (halving == 100)
        return false;
    }
    memcpy(plane, trial, sizeof trial);
    *value = next;
    if (last) {
      plane[3] -= dot_quad(plane, mean);
      return true;
    }
  }
  return false;
}

// dP/dx_v = -s n / u^2 on the vertices of a, pulled back to the chart (w, t) about the origin at the pose x =
// exp([w]x) X + t: force, and J_l(w)^T torque about t, J_l(w)^T = I - c1 [w]x + c2 [w]x^2.
static void chart_gradient_quad(const quad x[6][3], const quad plane[4], const quad twist[6], quad gradient[6])
{
  quad torque[3] = {0, 0, 0}, once[3], again[3];
  memset(gradient, 0, 6 * sizeof *gradient);
  for (int v = 0; v < 3; v++) {
    quad u = dot_quad(x[v], plane) + plane[3], lever[3], force[3], moment[3];
    for (int k = 0; k < 3; k++) {
      lever[k] = x[v][k] - twist[3 + k];
      force[k] = -plane[k] / (u * u);
      gradient[3 + k] += force[k];
    }
    cross_quad(moment, lever, force);
    for (int k = 0; k < 3; k++)
      torque[k] += moment[k];
  }
  quad square = dot_quad(twist, twist);  // differences use small angles: series to 1e-36 for |w| < 1e-3
  quad c1 = 0.5Q - square / 24 + square * square / 720, c2 = 1 / 6.0Q - square / 120 + square * square / 5040;
  cross_quad(once, twist, torque);
  cross_quad(again, twist, once);
  for (int k = 0; k < 3; k++)
    gradient[k] = torque[k] - c1 * once[k] + c2 * again[k];
}

// Gradient in the chart at the twist, from a plane near the optimum.
static bool displaced_gradient_quad(const quad x[6][3], const quad plane[4], const quad twist[6], quad gradient[6])
{
  quad moved[6][3], p[4] = {plane[0], plane[1], plane[2], plane[3]}, value, angle = sqrtq(dot_quad(twist, twist));
  quad c1 = angle > 0 ? sinq(angle) / angle : 1, c2 = angle > 0 ? 2 * powq(sinq(angle / 2) / angle, 2) : 0.5Q;
  for (int v = 0; v < 6; v++) {
    quad once[3], again[3];
    cross_quad(once, twist, x[v]);
    cross_quad(again, twist, once);
    for (int k = 0; k < 3; k++)
      moved[v][k] = x[v][k] + (v < 3 ? c1 * once[k] + c2 * again[k] + twist[3 + k] : 0);
  }
  if (!minimize_quad(moved, p, &value))
    return false;
  chart_gradient_quad(moved, p, twist, gradient);
  return true;
}

// step: of the differences, relative to gap for translations; hessian may be left out with order 1.
static struct quad_reference reference_quad(const double vertices[6][3], double length, int order, double step)
{
  struct quad_reference result = {.converged = false};
  quad x[6][3], plane[4], zero[6] = {0}, value, reach = 0;
  for (int v = 0; v < 6; v++) {
    for (int k = 0; k < 3; k++)
      x[v][k] = (quad)vertices[v][k] / length;
    if (v < 3)
      reach = fmaxq(reach, sqrtq(dot_quad(x[v], x[v])));
  }
  quad gap = separation_quad(x, plane);
  if (gap <= 0)
    return result;
  for (int i = 0; i < 4; i++)
    plane[i] /= 2;
  if (!minimize_quad(x, plane, &value))
    return result;
  result.energy = value - 12;
  chart_gradient_quad(x, plane, zero, result.gradient);
  result.converged = true;
  for (int i = 0; order > 1 && i < 6; i++) {
    quad h = step * gap / (i < 3 ? reach : 1), g[4][6];
    static const int multiples[] = {1, -1, 2, -2};
    for (int m = 0; m < 4; m++) {
      quad twist[6] = {0};
      twist[i] = multiples[m] * h;
      result.converged &= displaced_gradient_quad(x, plane, twist, g[m]);
    }
    for (int j = 0; j < 6; j++)
      result.hessian[i][j] = (8 * (g[0][j] - g[1][j]) - (g[2][j] - g[3][j])) / (12 * h);
  }
  for (int i = 3; i < 6; i++)
    result.gradient[i] /= length;
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++)
      result.hessian[i][j] /= (i < 3 ? 1 : (quad)length) * (j < 3 ? 1 : (quad)length);
  return result;
}

#endif
