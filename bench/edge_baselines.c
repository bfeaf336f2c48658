// SPDX-License-Identifier: Apache-2.0
// Baselines for nearest points of edges: minimize a.Q a/2 + c.a over the unit square with a logarithmic barrier, by an
// interior point method and by L-BFGS, and the exact solution by cases.
#include "bench/edge_baselines.h"

#include <math.h>
#include <string.h>

#include "math/vector.h"

enum { ITERATIONS = 200, MEMORY = 5, HALVINGS = 60 };

// a.Q a/2 + c.a
struct problem {
  double q11, q12, q22, c[2], barrier;
};

static void load(const double ends[12], double lambda, double barrier, struct problem *p)
{
  double t1[3], t2[3], r[3];
  dc_vec_sub(t1, ends + 3, ends);
  dc_vec_sub(t2, ends + 9, ends + 6);
  dc_vec_sub(r, ends, ends + 6);
  double inverse = 2 / (dc_vec_dot(t1, t1) + dc_vec_dot(t2, t2));
  *p = (struct problem){.q11 = dc_vec_dot(t1, t1) * inverse + lambda,
                        .q12 = -dc_vec_dot(t1, t2) * inverse,
                        .q22 = dc_vec_dot(t2, t2) * inverse + lambda,
                        .c = {dc_vec_dot(t1, r) * inverse - 0.5 * lambda, -dc_vec_dot(t2, r) * inverse - 0.5 * lambda},
                        .barrier = barrier};
}

static void slope(const struct problem *p, const double a[2], double g[2])
{
  g[0] = p->q11 * a[0] + p->q12 * a[1] + p->c[0];
  g[1] = p->q12 * a[0] + p->q22 * a[1] + p->c[1];
}

// Slacks s = a, 1 - a with multipliers z; z s = mu, mu falling to the barrier's coefficient.
int dc_edge_interior_point(const double ends[12], double lambda, double barrier, double alpha[2])
{
  struct problem p;
  double low[2] = {1, 1}, high[2] = {1, 1};
  load(ends, lambda, barrier, &p);
  alpha[0] = alpha[1] = 0.5;
  for (int iteration = 1; iteration <= ITERATIONS; iteration++) {
    double g[2], gap = 0, error = 0, d[2], r[2], step = 1, by_low[2], by_high[2];
    slope(&p, alpha, g);
    for (int j = 0; j < 2; j++) {
      gap += 0.25 * (low[j] * alpha[j] + high[j] * (1 - alpha[j]));
      error = fmax(error, fabs(g[j] - low[j] + high[j]));
      error = fmax(error, fmax(fabs(low[j] * alpha[j] - barrier), fabs(high[j] * (1 - alpha[j]) - barrier)));
    }
    if (error < 1e-10)
      return iteration;
    double mu = fmax(barrier, 0.1 * gap);
    for (int j = 0; j < 2; j++) {
      d[j] = low[j] / alpha[j] + high[j] / (1 - alpha[j]);
      r[j] = -g[j] + mu / alpha[j] - mu / (1 - alpha[j]);
    }
    double h11 = p.q11 + d[0], h22 = p.q22 + d[1], det = h11 * h22 - p.q12 * p.q12;
    double move[2] = {(h22 * r[0] - p.q12 * r[1]) / det, (h11 * r[1] - p.q12 * r[0]) / det};
    for (int j = 0; j < 2; j++) {
      by_low[j] = (mu - low[j] * (alpha[j] + move[j])) / alpha[j];
      by_high[j] = (mu - high[j] * (1 - alpha[j] - move[j])) / (1 - alpha[j]);
      step = move[j] < 0 ? fmin(step, -0.99 * alpha[j] / move[j])
                         : fmin(step, 0.99 * (1 - alpha[j]) / fmax(move[j], 1e-300));
      step = by_low[j] < 0 ? fmin(step, -0.99 * low[j] / by_low[j]) : step;
      step = by_high[j] < 0 ? fmin(step, -0.99 * high[j] / by_high[j]) : step;
    }
    for (int j = 0; j < 2; j++) {
      alpha[j] += step * move[j];
      low[j] += step * by_low[j];
      high[j] += step * by_high[j];
    }
  }
  return -1;
}

static double value(const struct problem *p, const double a[2], double g[2])
{
  double sum = a[0] * (0.5 * p->q11 * a[0] + p->q12 * a[1] + p->c[0]) + a[1] * (0.5 * p->q22 * a[1] + p->c[1]);
  slope(p, a, g);
  for (int j = 0; j < 2; j++) {
    if (!(a[j] > 0 && a[j] < 1))
      return INFINITY;
    sum -= p->barrier * (log(a[j]) + log(1 - a[j]));
    g[j] += p->barrier * (1 / (1 - a[j]) - 1 / a[j]);
  }
  return sum;
}

struct history {
  int count;
  double s[MEMORY][2], y[MEMORY][2];
};

static double dot(const double a[2], const double b[2])
{
  return a[0] * b[0] + a[1] * b[1];
}

// Two-loop recursion: d = -H g.
static void direction(const struct history *h, const double g[2], double d[2])
{
  double a[MEMORY];
  d[0] = -g[0];
  d[1] = -g[1];
  for (int i = h->count - 1; i >= 0; i--) {
    a[i] = dot(h->s[i], d) / dot(h->s[i], h->y[i]);
    for (int j = 0; j < 2; j++)
      d[j] -= a[i] * h->y[i][j];
  }
  if (h->count > 0) {
    const double *s = h->s[h->count - 1], *y = h->y[h->count - 1];
    double scale = dot(s, y) / dot(y, y);
    d[0] *= scale;
    d[1] *= scale;
  }
  for (int i = 0; i < h->count; i++) {
    double b = dot(h->y[i], d) / dot(h->s[i], h->y[i]);
    for (int j = 0; j < 2; j++)
      d[j] += (a[i] - b) * h->s[i][j];
  }
}

static void remember(struct history *h, const double s[2], const double y[2])
{
  if (!(dot(s, y) > 0))
    return;
  if (h->count == MEMORY) {
    memmove(h->s, h->s + 1, (MEMORY - 1) * sizeof *h->s);
    memmove(h->y, h->y + 1, (MEMORY - 1) * sizeof *h->y);
    h->count--;
  }
  memcpy(h->s[h->count], s, 2 * sizeof *s);
  memcpy(h->y[h->count++], y, 2 * sizeof *y);
}

int dc_edge_lbfgs(const double ends[12], double lambda, double barrier, double alpha[2])
{
  struct problem p;
  struct history history = {0};
  double g[2], now;
  load(ends, lambda, barrier, &p);
  alpha[0] = alpha[1] = 0.5;
  now = value(&p, alpha, g);
  for (int iteration = 1; iteration <= ITERATIONS; iteration++) {
    double d[2], trial[2], next_g[2], next = INFINITY, step = 1;
    if (fmax(fabs(g[0]), fabs(g[1])) < 1e-8)
      return iteration;
    direction(&history, g, d);
    for (int i = 0; i < HALVINGS; i++, step *= 0.5) {
      trial[0] = alpha[0] + step * d[0];
      trial[1] = alpha[1] + step * d[1];
      next = value(&p, trial, next_g);
      if (next <= now + 1e-4 * step * dot(g, d) + 1e-16 * fabs(now))
        break;
    }
    if (!isfinite(next))
      return -1;
    double s[2] = {trial[0] - alpha[0], trial[1] - alpha[1]}, y[2] = {next_g[0] - g[0], next_g[1] - g[1]};
    remember(&history, s, y);
    memcpy(alpha, trial, sizeof trial);
    memcpy(g, next_g, sizeof next_g);
    now = next;
  }
  return -1;
}

static double clamp(double a)
{
  return fmin(fmax(a, 0), 1);
}

void dc_edge_exact(const double ends[12], double alpha[2])
{
  struct problem p;
  load(ends, 0, 0, &p);
  double det = p.q11 * p.q22 - p.q12 * p.q12, best = INFINITY;
  alpha[0] = (p.q12 * p.c[1] - p.q22 * p.c[0]) / det;
  alpha[1] = (p.q12 * p.c[0] - p.q11 * p.c[1]) / det;
  if (alpha[0] >= 0 && alpha[0] <= 1 && alpha[1] >= 0 && alpha[1] <= 1)
    return;
  const double sides[4][2] = {{1, clamp(-(p.q12 + p.c[1]) / p.q22)},
                              {0, clamp(-p.c[1] / p.q22)},
                              {clamp(-(p.q12 + p.c[0]) / p.q11), 1},
                              {clamp(-p.c[0] / p.q11), 0}};
  for (int m = 0; m < 4; m++) {
    const double *a = sides[m];
    double cost = a[0] * (0.5 * p.q11 * a[0] + p.q12 * a[1] + p.c[0]) + a[1] * (0.5 * p.q22 * a[1] + p.c[1]);
    if (cost < best) {
      best = cost;
      memcpy(alpha, a, 2 * sizeof *alpha);
    }
  }
}
