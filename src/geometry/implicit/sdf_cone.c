// SPDX-License-Identifier: Apache-2.0
// Cones, truncated cones and cylinders about the z-axis: the exact distance to the outline in the half-plane (rho, z),
// rho the distance from the axis.  The outline is a polyline: the axis below, the rim of the base (R_0, -h), that of
// the top (R_1, h), the axis above; R_1 = 0 is a cone, R_1 = R_0 a cylinder.
//
// The nearest point is the nearest of those on the three segments (base, side, top).  As the outline is convex, a point
// is inside if it is below all three lines.  Where the nearest point lies within a segment, distance and gradient are
// those of its line, phi = n.(p - q) with unit normal n.  Where it is an end q, phi = |p - q|.  phi is once
// differentiable where these regions meet, and not differentiable on the medial axis inside.
#include <math.h>

#include "geometry/implicit/sdf.h"
#include "math/vector.h"

enum { BASE, TOP, HALF, NUMBERS };
static const double LEAST =
    1e-12;  // of the larger radius: keeps the axis finite, where the distance is off by that much

// The nearest feature: a line (normal n, phi = n.(p - q)) or a point q.  by_q: derivatives of q by R_0, R_1, h; by_n:
// rotation of n by these, along (-n[1], n[0]).
struct nearest {
  bool line;
  double n[2], q[2], by_q[NUMBERS][2], by_n[NUMBERS], phi;
};

// A line of the outline through q with unit normal n, and phi = n.(p - q) there, m; derivatives start at zero.
static void line_through(const double q[2], const double n[2], const double p[2], struct nearest *at)
{
  *at = (struct nearest){.line = true, .n = {n[0], n[1]}, .q = {q[0], q[1]}};
  at->phi = n[0] * (p[0] - q[0]) + n[1] * (p[1] - q[1]);
}

// The nearest of side, base and top in the half plane through the axis, with derivatives by the numbers.
static void find(const struct dc_sdf *sdf, const double p[2], struct nearest *best)
{
  const double *r = sdf->numbers, h = r[HALF];
  double slope = r[BASE] - r[TOP], length = sqrt(slope * slope + 4 * h * h), n[2] = {2 * h / length, slope / length};
  double along =
      ((p[1] + h) * 2 * h - (p[0] - r[BASE]) * slope) / (length * length);  // 0 at the base's rim, 1 at the top's
  struct nearest side, base, top;
  line_through((const double[2]){r[BASE], -h}, n, p, &side);
  line_through((const double[2]){0, -h}, (const double[2]){0, -1}, p, &base);
  line_through((const double[2]){0, h}, (const double[2]){0, 1}, p, &top);
  side.by_q[BASE][0] = 1;
  side.by_q[HALF][1] = base.by_q[HALF][1] = -1;
  top.by_q[HALF][1] = 1;
  // n is at the angle atan2(slope, 2 h)
  side.by_n[BASE] = 2 * h / (length * length);
  side.by_n[TOP] = -side.by_n[BASE];
  side.by_n[HALF] = -2 * slope / (length * length);
  if (side.phi <= 0 && base.phi <= 0 && top.phi <= 0) {
    *best = side.phi >= base.phi && side.phi >= top.phi ? side : base.phi >= top.phi ? base : top;
    return;
  }
  if (side.phi > 0 && along >= 0 && along <= 1) {
    *best = side;
    return;
  }
  bool upper = side.phi > 0 ? along > 0.5 : top.phi > 0;
  double rim = r[upper ? TOP : BASE];
  if (p[0] <= rim) {
    *best = upper ? top : base;
    return;
  }
  *best = (struct nearest){.q = {rim, upper ? h : -h}};
  best->by_q[upper ? TOP : BASE][0] = 1;
  best->by_q[HALF][1] = upper ? 1 : -1;
  best->phi = hypot(p[0] - best->q[0], p[1] - best->q[1]);
  best->n[0] = (p[0] - best->q[0]) / best->phi;
  best->n[1] = (p[1] - best->q[1]) / best->phi;
}

// rho = sqrt(x^2 + y^2 + least^2), which keeps 1/rho finite on the axis.
static double from_axis(const struct dc_sdf *sdf, const double x[3])
{
  double least = LEAST * fmax(sdf->numbers[BASE], sdf->numbers[TOP]);
  return sqrt(x[0] * x[0] + x[1] * x[1] + least * least);
}

// The gradient in the half-plane, (n_rho, n_z), rotated about the axis to the side of x.
static double value(const struct dc_sdf *sdf, const double x[3], double gradient[3])
{
  double rho = from_axis(sdf, x), p[2] = {rho, x[2]};
  struct nearest at;
  find(sdf, p, &at);
  gradient[0] = at.n[0] * x[0] / rho;
  gradient[1] = at.n[0] * x[1] / rho;
  gradient[2] = at.n[1];
  return at.phi;
}

// F = v phi + u.g, g = (n_rho x/rho, n_rho y/rho, n_z).  With u' = (u.(x, y)/rho, u_z) in the half-plane F = v phi +
// u'.n; of a point n = (p - q)/phi moves by the part of a motion across it over phi, along m = (-n_z, n_rho).
static void pull_back(const struct dc_sdf *sdf, const double x[3], double v, const double u[3], double by_x[3],
                      double *parameters)
{
  double rho = from_axis(sdf, x), p[2] = {rho, x[2]}, e[2] = {x[0] / rho, x[1] / rho};
  double radial = u[0] * e[0] + u[1] * e[1];
  struct nearest at;
  find(sdf, p, &at);
  double m[2] = {-at.n[1], at.n[0]}, by_turn = radial * m[0] + u[2] * m[1];
  double across = at.line ? 0 : by_turn / at.phi;
  double by_p[2] = {v * at.n[0] + across * m[0], v * at.n[1] + across * m[1]};
  for (int k = 0; k < 2; k++)
    by_x[k] += by_p[0] * e[k] + at.n[0] * (u[k] - radial * e[k]) / rho;
  by_x[2] += by_p[1];
  if (!parameters)
    return;
  double arm = m[0] * (p[0] - at.q[0]) + m[1] * (p[1] - at.q[1]);  // phi of a line by its turn
  for (int i = 0; i < NUMBERS; i++)
    parameters[i] += (v * arm + by_turn) * at.by_n[i] - by_p[0] * at.by_q[i][0] - by_p[1] * at.by_q[i][1];
}

// The farthest points are on the wider rim at the height of an end: hypot(R, h).
static double radius(const struct dc_sdf *sdf)
{
  return hypot(fmax(sdf->numbers[BASE], sdf->numbers[TOP]), sdf->numbers[HALF]);
}

const struct dc_sdf_type dc_sdf_cone = {.name = "cone", .value = value, .pull_back = pull_back, .radius = radius};
