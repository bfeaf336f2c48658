// SPDX-License-Identifier: Apache-2.0
// Closest points of a vertex and a triangle, and of two edges, with the derivatives of their difference r by twists and
// vertices.
//
// The parameters u of closest points minimize |r|^2, so that they drop out of first derivatives of |r|^2.  Second
// derivatives lose the part taken by their response, phi (t.t)^-1 phi^T for the directions t_k = dr/du_k.
#include "geometry/convex/distance.h"

#include <stdbool.h>
#include <string.h>

#include "geometry/convex/constants.h"
#include "math/vector.h"

// Projects r to n, or off e: removes the rounding of the parameters.
static void keep_along(double r[3], const double n[3])
{
  dc_vec_scale(r, n, dc_vec_dot(n, r) / dc_vec_dot(n, n));
}

// The closest point inside of an edge e has r.e = 0 exactly; the computed fraction leaves a rest that is taken off.
static void keep_across(double r[3], const double e[3])
{
  dc_vec_add_scaled(r, r, -dc_vec_dot(e, r) / dc_vec_dot(e, e), e);
}

// The triangle's vertex is nearest: there are no parameters, and r is the difference of two vertices.
static void near_vertex(int vertex, const double (*x)[3], struct dc_closest *closest)
{
  closest->region = DC_NEAR_0 + vertex;
  closest->weight[1 + vertex] = -1;
  dc_vec_sub(closest->r, x[0], x[1 + vertex]);
}

// Closest point at the fraction s of the edge from vertex i to vertex j.
static void near_edge(int region, int i, int j, double s, const double (*x)[3], struct dc_closest *closest)
{
  double e[3];
  closest->region = region;
  closest->parameters = 1;
  closest->weight[1 + i] = -(1 - s);
  closest->weight[1 + j] = -s;
  closest->slope[0][1 + i] = 1;
  closest->slope[0][1 + j] = -1;
  dc_vec_sub(e, x[1 + j], x[1 + i]);
  dc_vec_sub(closest->r, x[0], x[1 + i]);
  keep_across(closest->r, e);
}

// Chooses the region by signs of projections (Ericson, Real-Time Collision Detection, 5.1.5); barycentric coordinates
// come from cross products, which keep their digits in thin triangles.
// With p the point and a, b, c the triangle, d1 = ab.ap and d2 = ac.ap project p seen from a, d3 and d4 seen from b, d5
// and d6 seen from c.  v = (ap x ac).n and w = (ab x ap).n are the coordinates of b and c times |n|^2.  Corners come
// first, then edges, so that the face is left for what projects into it.
void dc_closest_point_triangle(const double (*x)[3], struct dc_closest *closest)
{
  double ab[3], ac[3], ap[3], n[3], turned[3];
  dc_vec_sub(ab, x[2], x[1]);
  dc_vec_sub(ac, x[3], x[1]);
  dc_vec_sub(ap, x[0], x[1]);
  dc_vec_cross(n, ab, ac);
  double square = dc_vec_dot(n, n), cosine = dc_vec_dot(ab, ac);
  double d1 = dc_vec_dot(ab, ap), d2 = dc_vec_dot(ac, ap);
  double d3 = d1 - dc_vec_dot(ab, ab), d4 = d2 - cosine, d5 = d1 - cosine, d6 = d2 - dc_vec_dot(ac, ac);
  dc_vec_cross(turned, ap, ac);
  double v = dc_vec_dot(turned, n);
  dc_vec_cross(turned, ab, ap);
  double w = dc_vec_dot(turned, n);
  *closest = (struct dc_closest){.weight = {1, 0, 0, 0}};
  if (d1 <= 0 && d2 <= 0) {
    near_vertex(0, x, closest);
  } else if (d3 >= 0 && d4 <= d3) {
    near_vertex(1, x, closest);
  } else if (d6 >= 0 && d5 <= d6) {
    near_vertex(2, x, closest);
  } else if (w <= 0 && d1 >= 0 && d3 <= 0) {
    near_edge(DC_NEAR_01, 0, 1, d1 / (d1 - d3), x, closest);
  } else if (v <= 0 && d2 >= 0 && d6 <= 0) {
    near_edge(DC_NEAR_20, 0, 2, d2 / (d2 - d6), x, closest);
  } else if (v + w >= square && d4 >= d3 && d5 >= d6) {
    near_edge(DC_NEAR_12, 1, 2, (d4 - d3) / ((d4 - d3) + (d5 - d6)), x, closest);
  } else {
    v /= square;
    w /= square;
    closest->region = DC_NEAR_FACE;
    closest->parameters = 2;
    closest->weight[1] = -(1 - v - w);
    closest->weight[2] = -v;
    closest->weight[3] = -w;
    closest->slope[0][1] = closest->slope[1][1] = 1;
    closest->slope[0][2] = closest->slope[1][3] = -1;
    for (int k = 0; k < 3; k++)
      closest->r[k] = ap[k] - v * ab[k] - w * ac[k];
    keep_along(closest->r, n);
  }
  closest->square = dc_vec_dot(closest->r, closest->r);
}

// Minimization of |d + s e - t f|^2 over the unit square.
// Here d = x_0 - x_2, e = x_1 - x_0 and f = x_3 - x_2, m, and ef = e.f and the like are products, m^2.  (s, t) is the
// best point so far and square the squared distance there.
struct edge_search {
  double d[3], e[3], f[3], ee, ff, ef, de, df;
  double s, t, square;
};

// Fractions of an edge beyond its ends stand for the ends.
static double clamp(double x)
{
  return x < 0 ? 0 : x > 1 ? 1 : x;
}

// Keeps the point (s, t) if the distance there is the least so far.
static void try_at(struct edge_search *search, double s, double t)
{
  double r[3];
  for (int k = 0; k < 3; k++)
    r[k] = search->d[k] + s * search->e[k] - t * search->f[k];
  double square = dc_vec_dot(r, r);
  if (square >= search->square)
    return;
  search->square = square;
  search->s = s;
  search->t = t;
}

// Finds the best of the four sides of the unit square: an end of one edge against the other edge.
static void search_sides(struct edge_search *search)
{
  search->square = INFINITY;
  try_at(search, 0, clamp(search->df / search->ff));
  try_at(search, 1, clamp((search->df + search->ef) / search->ff));
  try_at(search, clamp(-search->de / search->ee), 0);
  try_at(search, clamp((search->ef - search->de) / search->ee), 1);
}

// The clamped fraction is exactly 0 or 1 at an end, so that comparison without tolerance is right.
static int edge_region(double s)
{
  return s == 0 ? DC_NEAR_START : s == 1 ? DC_NEAR_END : DC_NEAR_INSIDE;
}

// The closest points of two edges: the minimum of a quadratic in [0, 1]^2, directly where it lies inside and the edges
// are not nearly parallel, else on the sides of the square.
// The lines x_0 + s e and x_2 + t f are closest at s = (f x d).n / |n|^2 and t = (e x d).n / |n|^2, with n = e x f.
// Cross products keep their digits where the determinant (e.e)(f.f) - (e.f)^2 cancels.  Afterwards r is made exactly
// parallel to n, or exactly normal to the edge whose inside is touched.
void dc_closest_edges(const double (*x)[3], struct dc_closest *closest)
{
  struct edge_search q;
  double n[3], turned[3];
  dc_vec_sub(q.e, x[1], x[0]);
  dc_vec_sub(q.f, x[3], x[2]);
  dc_vec_sub(q.d, x[0], x[2]);
  dc_vec_cross(n, q.e, q.f);
  q.ee = dc_vec_dot(q.e, q.e);
  q.ff = dc_vec_dot(q.f, q.f);
  double square = dc_vec_dot(n, n);
  dc_vec_cross(turned, q.f, q.d);
  double s = dc_vec_dot(turned, n);
  dc_vec_cross(turned, q.e, q.d);
  double t = dc_vec_dot(turned, n);
  bool inside = s > 0 && s < square && t > 0 && t < square && square > DC_EDGES_PARALLEL * q.ee * q.ff;
  if (inside) {
    q.s = s / square;
    q.t = t / square;
  } else {
    q.ef = dc_vec_dot(q.e, q.f);
    q.de = dc_vec_dot(q.d, q.e);
    q.df = dc_vec_dot(q.d, q.f);
    search_sides(&q);
  }
  int first = inside ? DC_NEAR_INSIDE : edge_region(q.s), second = inside ? DC_NEAR_INSIDE : edge_region(q.t);
  *closest = (struct dc_closest){.region = 3 * first + second, .weight = {1 - q.s, q.s, -(1 - q.t), -q.t}};
  for (int k = 0; k < 3; k++)
    closest->r[k] = q.d[k] + q.s * q.e[k] - q.t * q.f[k];
  if (inside)
    keep_along(closest->r, n);
  else if (first == DC_NEAR_INSIDE)
    keep_across(closest->r, q.e);
  else if (second == DC_NEAR_INSIDE)
    keep_across(closest->r, q.f);
  if (first == DC_NEAR_INSIDE) {
    double *slope = closest->slope[closest->parameters++];
    slope[0] = -1;
    slope[1] = 1;
  }
  if (second == DC_NEAR_INSIDE) {
    double *slope = closest->slope[closest->parameters++];
    slope[2] = 1;
    slope[3] = -1;
  }
  closest->square = dc_vec_dot(closest->r, closest->r);
}

// Exchanges the roles of both sides: r and all weights change their signs.
void dc_closest_flip(struct dc_closest *closest)
{
  for (int v = 0; v < 4; v++) {
    closest->weight[v] = -closest->weight[v];
    for (int k = 0; k < 2; k++)
      closest->slope[k][v] = -closest->slope[k][v];
  }
  dc_vec_scale(closest->r, closest->r, -1);
}

// sum = sum_v c_v x_v over the vertices in `which`
static void combine(const double c[4], const double (*x)[3], unsigned which, double sum[3])
{
  memset(sum, 0, 3 * sizeof *sum);
  for (int v = 0; v < 4; v++)
    if (which & 1u << v)
      dc_vec_add_scaled(sum, sum, c[v], x[v]);
}

enum { ALL = 15 };

// The derivative of t_k.r by the twist: (rho x t_k + t~_k x r; t_k), with t~_k the part of t_k that rotates.
static void parameter_row(const struct dc_closest *closest, const double (*x)[3], unsigned moving, int k,
                          const double rho[3], double t[3], double row[6])
{
  double turning[3], turned[3];
  combine(closest->slope[k], x, ALL, t);
  combine(closest->slope[k], x, moving, turning);
  dc_vec_cross(row, rho, t);
  dc_vec_cross(turned, turning, closest->r);
  dc_vec_add(row, row, turned);
  dc_vec_copy(row + 3, t);
}

// H -= scale row row^T
static void subtract_square(double scale, const double row[6], double hessian[21])
{
  for (int i = 0, e = 0; i < 6; i++)
    for (int j = 0; j <= i; j++, e++)
      hessian[e] -= scale * row[i] * row[j];
}

// Subtracts the response of the parameters, 2 phi (t.t)^-1 phi^T, with the second row made orthogonal to the first.
static void subtract_answer(const struct dc_closest *closest, const double (*x)[3], unsigned moving,
                            const double rho[3], double hessian[21])
{
  double t[2][3], row[2][6];
  if (closest->parameters == 0)
    return;
  parameter_row(closest, x, moving, 0, rho, t[0], row[0]);
  double square = dc_vec_dot(t[0], t[0]);
  subtract_square(2 / square, row[0], hessian);
  if (closest->parameters == 1)
    return;
  parameter_row(closest, x, moving, 1, rho, t[1], row[1]);
  double n[3], part = dc_vec_dot(t[0], t[1]) / square;
  dc_vec_cross(n, t[0], t[1]);
  for (int i = 0; i < 6; i++)
    row[1][i] -= part * row[0][i];
  subtract_square(2 * square / dc_vec_dot(n, n), row[1], hessian);
}

// Derivatives of the square of the distance by the twist of the body whose vertices are `moving`.
// rho, the part of r that turns with the body, makes the gradient 2 (rho x r; r).  The Hessian, its lower triangle row
// by row, has three blocks, less the response of the parameters:
//
//     turns:           r rho^T + rho r^T - 2 rho rho^T + 2 (rho.rho - r.rho) I
//     shifts by turns: -2 [rho]x
//     shifts:          2 I
void dc_closest_twist(const struct dc_closest *closest, const double (*x)[3], unsigned moving, int order,
                      double gradient[6], double hessian[21])
{
  const double *r = closest->r;
  double rho[3], cross[9];
  combine(closest->weight, x, moving, rho);
  dc_vec_cross(gradient, rho, r);
  for (int k = 0; k < 3; k++) {
    gradient[k] *= 2;
    gradient[3 + k] = 2 * r[k];
  }
  if (order < 2)
    return;
  double along = 2 * (dc_vec_dot(rho, rho) - dc_vec_dot(r, rho));
  for (int i = 0, e = 0; i < 3; i++)
    for (int j = 0; j <= i; j++, e++)
      hessian[e] = r[i] * rho[j] + rho[i] * r[j] - 2 * rho[i] * rho[j] + (i == j ? along : 0);
  dc_mat_cross(cross, rho);
  for (int i = 0; i < 3; i++) {
    double *row = hessian + (3 + i) * (4 + i) / 2;
    for (int j = 0; j < 3; j++)
      row[j] = -2 * cross[3 * i + j];
    for (int j = 0; j <= i; j++)
      row[3 + j] = i == j ? 2 : 0;
  }
  subtract_answer(closest, x, moving, rho, hessian);
}

// t_k.r = 0 gives (t_k.t_l) du_l = -sum_v (slope_kv r + weight_v t_k).dx_v.  With (t.t) eta = the cotangent of u, the
// vertices receive -sum_k eta_k (slope_kv r + weight_v t_k).
void dc_closest_pull_back(const struct dc_closest *closest, const double (*x)[3], const double by_r[3],
                          const double by_weight[4], double (*out)[3])
{
  double t[2][3], by_u[2] = {0, 0}, eta[2] = {0, 0};
  for (int k = 0; k < closest->parameters; k++) {
    combine(closest->slope[k], x, ALL, t[k]);
    by_u[k] = dc_vec_dot(t[k], by_r);
    for (int v = 0; v < 4; v++)
      by_u[k] += closest->slope[k][v] * by_weight[v];
  }
  if (closest->parameters > 0)
    eta[0] = by_u[0] / dc_vec_dot(t[0], t[0]);
  if (closest->parameters > 1) {
    double n[3], square = dc_vec_dot(t[0], t[0]), part = dc_vec_dot(t[0], t[1]) / square;
    dc_vec_cross(n, t[0], t[1]);
    eta[1] = (by_u[1] - part * by_u[0]) * square / dc_vec_dot(n, n);
    eta[0] -= part * eta[1];
  }
  for (int v = 0; v < 4; v++) {
    dc_vec_add_scaled(out[v], out[v], closest->weight[v], by_r);
    for (int k = 0; k < closest->parameters; k++)
      for (int i = 0; i < 3; i++)
        out[v][i] -= eta[k] * (closest->slope[k][v] * closest->r[i] + closest->weight[v] * t[k][i]);
  }
}
