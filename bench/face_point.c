// SPDX-License-Identifier: Apache-2.0
// With corners c_j, edges e_j = c_j+1 - c_j, softness t and s the mean of the |e_j|^2:
//     f = u c_0 + v c_1 + w c_2     the vertex p projected on the plane, inside = product of sigma(u/t), v and w alike
//                                   (none below 0 of three whose sum is 1: none above 1 either)
//     q_j = c_j + t_j e_j           on the edges, t_j = (p - c_j).e_j/|e_j|^2 clipped softly to [0, 1]
//     m = sum_j q_j softmax_j(-|p - q_j|^2/(s t))
// and the point is inside f + (1 - inside) m.  The published listing clips the length along a unit tangent to [0, 1]
// and not to [0, |e_j|], and overwrites the vertex by a barycentric coordinate of the same name.
#include "bench/face_point.h"

#include <math.h>
#include <string.h>

#include "math/vector.h"

enum { ITERATIONS = 200 };

struct side {
  double e[3], r[3], square, z, t, q[3], away[3], distance, weight;  // r = p - c, away = p - q
};

struct face {
  double n[3], square, e1[3], e2[3], r[3], first[3], second[3];  // n = e1 x e2; r x e2, e1 x r
  double coordinates[3], step[3], inside, f[3], m[3], scale;
  struct side sides[3];
};

static double sigma(double x)
{
  double e = exp(-fabs(x));
  return x > 0 ? 1 / (1 + e) : e / (1 + e);
}

static double softplus(double x, double softness)
{
  return fmax(x, 0) + softness * log1p(exp(-fabs(x) / softness));
}

static void project_on_plane(double softness, const double in[12], struct face *face)
{
  dc_vec_sub(face->e1, in + 6, in + 3);
  dc_vec_sub(face->e2, in + 9, in + 3);
  dc_vec_sub(face->r, in, in + 3);
  dc_vec_cross(face->n, face->e1, face->e2);
  dc_vec_cross(face->first, face->r, face->e2);
  dc_vec_cross(face->second, face->e1, face->r);
  face->square = dc_vec_dot(face->n, face->n);
  double v = dc_vec_dot(face->n, face->first) / face->square, w = dc_vec_dot(face->n, face->second) / face->square;
  face->coordinates[0] = 1 - v - w;
  face->coordinates[1] = v;
  face->coordinates[2] = w;
  face->inside = 1;
  memset(face->f, 0, sizeof face->f);
  for (int j = 0; j < 3; j++) {
    face->inside *= face->step[j] = sigma(face->coordinates[j] / softness);
    dc_vec_add_scaled(face->f, face->f, face->coordinates[j], in + 3 + 3 * j);
  }
}

static void project_on_sides(double softness, const double in[12], struct face *face)
{
  double least = INFINITY, sum = 0;
  face->scale = 0;
  for (int j = 0; j < 3; j++) {
    struct side *side = &face->sides[j];
    const double *start = in + 3 + 3 * j, *end = in + 3 + 3 * ((j + 1) % 3);
    dc_vec_sub(side->e, end, start);
    dc_vec_sub(side->r, in, start);
    side->square = dc_vec_dot(side->e, side->e);
    side->z = dc_vec_dot(side->r, side->e) / side->square;
    side->t = softplus(side->z, softness) - softplus(side->z - 1, softness);
    for (int k = 0; k < 3; k++)
      side->q[k] = start[k] + side->t * side->e[k];
    dc_vec_sub(side->away, in, side->q);
    face->scale += side->square / 3;
  }
  for (int j = 0; j < 3; j++) {
    face->sides[j].distance = dc_vec_dot(face->sides[j].away, face->sides[j].away) / face->scale;
    least = fmin(least, face->sides[j].distance);
  }
  for (int j = 0; j < 3; j++)
    sum += face->sides[j].weight = exp((least - face->sides[j].distance) / softness);
  memset(face->m, 0, sizeof face->m);
  for (int j = 0; j < 3; j++) {
    face->sides[j].weight /= sum;
    dc_vec_add_scaled(face->m, face->m, face->sides[j].weight, face->sides[j].q);
  }
}

static void evaluate(double softness, const double in[12], struct face *face)
{
  project_on_plane(softness, in, face);
  project_on_sides(softness, in, face);
}

void dc_face_point(double softness, const double in[12], double point[3])
{
  struct face face;
  evaluate(softness, in, &face);
  for (int k = 0; k < 3; k++)
    point[k] = face.inside * face.f[k] + (1 - face.inside) * face.m[k];
}

// c = a x b: adds to the derivatives by a and b.
static void cross_back(const double a[3], const double b[3], const double by_c[3], double by_a[3], double by_b[3])
{
  double part[3];
  dc_vec_cross(part, b, by_c);
  dc_vec_add_scaled(by_a, by_a, 1, part);
  dc_vec_cross(part, by_c, a);
  dc_vec_add_scaled(by_b, by_b, 1, part);
}

static void plane_back(double softness, const double in[12], const struct face *face, const double by[3],
                       double by_in[12])
{
  double by_inside = dc_vec_dot(by, face->f) - dc_vec_dot(by, face->m), by_coordinate[3];
  for (int j = 0; j < 3; j++) {
    by_coordinate[j] =
        face->inside * dc_vec_dot(by, in + 3 + 3 * j) + by_inside * face->inside * (1 - face->step[j]) / softness;
    dc_vec_add_scaled(by_in + 3 + 3 * j, by_in + 3 + 3 * j, face->inside * face->coordinates[j], by);
  }
  double by_v = (by_coordinate[1] - by_coordinate[0]) / face->square,
         by_w = (by_coordinate[2] - by_coordinate[0]) / face->square, by_n[3], by_first[3], by_second[3],
         by_e1[3] = {0}, by_e2[3] = {0}, by_r[3] = {0};
  double by_square = -(by_v * face->coordinates[1] + by_w * face->coordinates[2]);
  for (int k = 0; k < 3; k++) {
    by_n[k] = by_v * face->first[k] + by_w * face->second[k] + 2 * by_square * face->n[k];
    by_first[k] = by_v * face->n[k];
    by_second[k] = by_w * face->n[k];
  }
  cross_back(face->r, face->e2, by_first, by_r, by_e2);
  cross_back(face->e1, face->r, by_second, by_e1, by_r);
  cross_back(face->e1, face->e2, by_n, by_e1, by_e2);
  for (int k = 0; k < 3; k++) {
    by_in[k] += by_r[k];
    by_in[3 + k] -= by_r[k] + by_e1[k] + by_e2[k];
    by_in[6 + k] += by_e1[k];
    by_in[9 + k] += by_e2[k];
  }
}

// by_q: of the side's point; by_square: of |e|^2 by way of s.
static void side_back(double softness, const struct side *side, const double by_q[3], double by_square, double *by_p,
                      double *by_start, double *by_end)
{
  double slope = sigma(side->z / softness) - sigma((side->z - 1) / softness);
  double by_z = slope * dc_vec_dot(by_q, side->e) / side->square;
  by_square -= by_z * side->z;
  for (int k = 0; k < 3; k++) {
    double by_r = by_z * side->e[k], by_e = side->t * by_q[k] + by_z * side->r[k] + 2 * by_square * side->e[k];
    by_p[k] += by_r;
    by_start[k] += by_q[k] - by_r - by_e;
    by_end[k] += by_e;
  }
}

void dc_face_point_back(double softness, const double in[12], const double by[3], double by_in[12])
{
  struct face face;
  double by_m[3], by_distance[3], by_scale = 0;
  evaluate(softness, in, &face);
  memset(by_in, 0, 12 * sizeof *by_in);
  plane_back(softness, in, &face, by, by_in);
  for (int k = 0; k < 3; k++)
    by_m[k] = (1 - face.inside) * by[k];
  for (int j = 0; j < 3; j++) {
    const struct side *side = &face.sides[j];
    by_distance[j] = -side->weight / softness * (dc_vec_dot(by_m, side->q) - dc_vec_dot(by_m, face.m));
    by_scale -= by_distance[j] * side->distance / face.scale;
  }
  for (int j = 0; j < 3; j++) {
    const struct side *side = &face.sides[j];
    double by_q[3];
    for (int k = 0; k < 3; k++) {
      double by_away = 2 * by_distance[j] * side->away[k] / face.scale;
      by_q[k] = side->weight * by_m[k] - by_away;
      by_in[k] += by_away;
    }
    side_back(softness, side, by_q, by_scale / 3, by_in, by_in + 3 + 3 * j, by_in + 3 + 3 * ((j + 1) % 3));
  }
}

// y.Q y/2 - b.y of the coordinates y = (v, w); slacks v, w and 1 - v - w with multipliers z; z slack = mu, mu falling
// to the barrier's coefficient.
struct program {
  double q11, q12, q22, b[2];
};

static const double rows[3][2] = {{1, 0}, {0, 1}, {-1, -1}};

static double residual(const struct program *p, const double y[2], const double slack[3], const double z[3],
                       double barrier)
{
  double error = 0, g[2] = {p->q11 * y[0] + p->q12 * y[1] - p->b[0], p->q12 * y[0] + p->q22 * y[1] - p->b[1]};
  for (int i = 0; i < 3; i++) {
    g[0] -= z[i] * rows[i][0];
    g[1] -= z[i] * rows[i][1];
    error = fmax(error, fabs(z[i] * slack[i] - barrier));
  }
  return fmax(error, fmax(fabs(g[0]), fabs(g[1])));
}

static void newton(const struct program *p, double y[2], double slack[3], double z[3], double mu)
{
  double h11 = p->q11, h12 = p->q12, h22 = p->q22, step = 1, by_slack[3], by_z[3],
         r[2] = {p->b[0] - p->q11 * y[0] - p->q12 * y[1], p->b[1] - p->q12 * y[0] - p->q22 * y[1]};
  for (int i = 0; i < 3; i++) {
    double ratio = z[i] / slack[i];
    h11 += ratio * rows[i][0] * rows[i][0];
    h12 += ratio * rows[i][0] * rows[i][1];
    h22 += ratio * rows[i][1] * rows[i][1];
    r[0] += mu / slack[i] * rows[i][0];
    r[1] += mu / slack[i] * rows[i][1];
  }
  double det = h11 * h22 - h12 * h12, move[2] = {(h22 * r[0] - h12 * r[1]) / det, (h11 * r[1] - h12 * r[0]) / det};
  for (int i = 0; i < 3; i++) {
    by_slack[i] = rows[i][0] * move[0] + rows[i][1] * move[1];
    by_z[i] = (mu - z[i] * (slack[i] + by_slack[i])) / slack[i];
    step = by_slack[i] < 0 ? fmin(step, -0.99 * slack[i] / by_slack[i]) : step;
    step = by_z[i] < 0 ? fmin(step, -0.99 * z[i] / by_z[i]) : step;
  }
  for (int i = 0; i < 3; i++) {
    slack[i] += step * by_slack[i];
    z[i] += step * by_z[i];
  }
  y[0] += step * move[0];
  y[1] += step * move[1];
}

int dc_face_interior_point(const double in[12], double barrier, double point[3])
{
  double e1[3], e2[3], e3[3], r[3], y[2] = {1.0 / 3, 1.0 / 3}, slack[3] = {1.0 / 3, 1.0 / 3, 1.0 / 3}, z[3] = {1, 1, 1};
  dc_vec_sub(e1, in + 6, in + 3);
  dc_vec_sub(e2, in + 9, in + 3);
  dc_vec_sub(e3, in + 9, in + 6);
  dc_vec_sub(r, in, in + 3);
  double inverse = 3 / (dc_vec_dot(e1, e1) + dc_vec_dot(e2, e2) + dc_vec_dot(e3, e3));
  const struct program p = {inverse * dc_vec_dot(e1, e1),
                            inverse * dc_vec_dot(e1, e2),
                            inverse * dc_vec_dot(e2, e2),
                            {inverse * dc_vec_dot(r, e1), inverse * dc_vec_dot(r, e2)}};
  for (int iteration = 1; iteration <= ITERATIONS; iteration++) {
    if (residual(&p, y, slack, z, barrier) < 1e-10) {
      for (int k = 0; k < 3; k++)
        point[k] = in[3 + k] + y[0] * e1[k] + y[1] * e2[k];
      return iteration;
    }
    double gap = (z[0] * slack[0] + z[1] * slack[1] + z[2] * slack[2]) / 3;
    newton(&p, y, slack, z, fmax(barrier, 0.1 * gap));
  }
  return -1;
}
