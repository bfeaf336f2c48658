// SPDX-License-Identifier: Apache-2.0
// Paths of two bodies on which nearest features change, and a search for the largest jump of the contact gradient along
// them.
#include "bench/paths.h"

#include <math.h>
#include <string.h>

#include "math/rotation.h"
#include "math/vector.h"

enum { SAMPLES = 256, WINDOW = SAMPLES / 16, CANDIDATES = 8, CUTS = 8, TENTHS = 10 };
static const double STEP = 1e-4;  // at which a jump is measured, and at a tenth of it
static const double pi = 3.14159265358979323846;

static void set_turn(struct dc_pose *pose, const double first[3], const double then[3])
{
  double a[4], b[4];
  dc_rotation_exp(a, first);
  dc_rotation_exp(b, then);
  dc_rotation_multiply(pose->quaternion, b, a);
  dc_rotation_matrix(pose->rotation, pose->quaternion);
}

static const double none[3] = {0, 0, 0};

// A downward corner of a passes over the face of b and over its edge: the face is at z = 0.2, its edge at x = 0.2.
static struct dc_bench_path corner_over_edge(double y, double dy)
{
  // (1, 1, 1)/sqrt 3 turns to -z about (1, -1, 0)/sqrt 2 by pi - acos(1/sqrt 3).
  double angle = pi - acos(1 / sqrt(3)), down[3] = {angle / sqrt(2), -angle / sqrt(2), 0}, yaw[3] = {0, 0, 0.4};
  struct dc_bench_path path = {.name = "corner over an edge"};
  set_turn(&path.poses[0], down, yaw);
  set_turn(&path.poses[1], none, none);
  path.poses[0].position[0] = 0.013, path.poses[0].position[1] = y;
  path.poses[0].position[2] = 0.2 + 0.04 + 0.2 * sqrt(3);
  path.twist[3] = 0.35, path.twist[4] = dy;
  return path;
}

// Edges along x, one above the other; a rotates through parallel.
static struct dc_bench_path edges_through_parallel(void)
{
  double roll[3] = {pi / 4, 0, 0}, yaw[3] = {0, 0, -0.27};
  struct dc_bench_path path = {.name = "edges through parallel", .twist = {0, 0, 0.6}};
  set_turn(&path.poses[0], roll, yaw);
  set_turn(&path.poses[1], roll, none);
  path.poses[0].position[0] = 0.03;
  path.poses[0].position[2] = 0.4 * sqrt(2) + 0.04;
  return path;
}

struct dc_bench_path dc_bench_edge_path(int k)
{
  struct dc_bench_path path = k == 0   ? corner_over_edge(0.037, 0)
                              : k == 1 ? corner_over_edge(0.06, 0.31)
                                       : edges_through_parallel();
  if (k == 1)
    path.name = "corner over a corner";
  return path;
}

struct walk {
  struct dc_contact *contact;
  const struct dc_bench_path *path;
  double size;
  bool broken;  // a gradient was not finite though the energy was
};

// Gradient at s; false when the bodies meet.
static bool gradient(struct walk *walk, double s, double g[6])
{
  const struct dc_bench_path *path = walk->path;
  struct dc_pose poses[2] = {path->poses[0], path->poses[1]};
  struct dc_pair_derivatives pair;
  double turn[3], q[4];
  if (path->near > 0) {
    dc_vec_add_scaled(poses[0].position, poses[0].position, path->near * pow(path->far / path->near, s),
                      path->direction);
  } else {
    dc_vec_scale(turn, path->twist, s);
    dc_rotation_exp(q, turn);
    dc_rotation_multiply(poses[0].quaternion, q, poses[0].quaternion);
    dc_rotation_matrix(poses[0].rotation, poses[0].quaternion);
    dc_vec_add_scaled(poses[0].position, poses[0].position, s, path->twist + 3);
  }
  if (!isfinite(dc_contact_evaluate(walk->contact, poses, 1, &pair)))
    return false;
  for (int i = 0; i < 6; i++) {
    g[i] = i < 3 ? pair.gradient[i] / walk->size : pair.gradient[i];
    walk->broken |= !isfinite(g[i]);
  }
  return true;
}

static double combination(int count, const double *weights, const double (*g)[6])
{
  double sum = 0;
  for (int i = 0; i < 6; i++) {
    double term = 0;
    for (int k = 0; k < count; k++)
      term += weights[k] * g[k][i];
    sum += term * term;
  }
  return sqrt(sum);
}

static const double slope_weights[2] = {-1, 1}, jump_weights[3] = {1, -2, 1}, bend_weights[4] = {-1, 3, -3, 1};

// Finds the largest jump between neighbouring quotients in [low, high], cut into parts; *place: where.
static bool largest_jump(struct walk *walk, double low, double high, int parts, double *place, double *jump)
{
  double g[3][6], step = (high - low) / parts;
  *jump = 0, *place = 0.5 * (low + high);
  for (int k = 0; k <= parts; k++) {
    memmove(g[0], g[1], 2 * sizeof *g);
    if (!gradient(walk, low + k * step, g[2]))
      return false;
    double here = k < 2 ? 0 : combination(3, jump_weights, (const double(*)[6])g) / step;
    if (here > *jump)
      *jump = here, *place = low + (k - 1) * step;
  }
  return true;
}

// Narrows [low, high] to the step around the largest jump.
static bool refine(struct walk *walk, double low, double high, double scale, struct dc_path_jump *worst)
{
  double place, jump, fine;
  for (;;) {
    double step = (high - low) / CUTS;
    if (!largest_jump(walk, low, high, CUTS, &place, &jump))
      return false;
    if (step <= STEP)
      break;
    low = place - step, high = place + step;
  }
  low = fmax(place - 2 * STEP, 0), high = fmin(place + 2 * STEP, 1);
  if (!largest_jump(walk, low, high, 4, &place, &jump) ||
      !largest_jump(walk, place - STEP, place + STEP, 2 * TENTHS, &place, &fine))
    return false;
  if (fine / scale > worst->fine)
    *worst = (struct dc_path_jump){STEP, jump / scale, fine / scale};
  return true;
}

bool dc_bench_path_jump(struct dc_contact *contact, const struct dc_bench_path *path, double size,
                        struct dc_path_jump *jump)
{
  struct walk walk = {.contact = contact, .path = path, .size = size};
  double g[SAMPLES + 1][6], slope[SAMPLES], scale[SAMPLES] = {0}, bend[SAMPLES] = {0};
  *jump = (struct dc_path_jump){.step = STEP};
  for (int k = 0; k <= SAMPLES; k++)
    if (!gradient(&walk, (double)k / SAMPLES, g[k]))
      return false;
  for (int k = 0; k < SAMPLES; k++)
    slope[k] = SAMPLES * combination(2, slope_weights, (const double(*)[6])g[k]);
  for (int k = 0; k < SAMPLES; k++)
    for (int i = k > WINDOW ? k - WINDOW : 0; i < SAMPLES && i <= k + WINDOW; i++)
      scale[k] = fmax(scale[k], slope[i]);
  // A jump stands out most in third differences: of a smooth gradient they fall with the cube of the step.
  for (int k = 1; k + 2 < SAMPLES; k++)
    bend[k] = scale[k] > 0 ? SAMPLES * combination(4, bend_weights, (const double(*)[6])g[k - 1]) / scale[k] : 0;
  for (int candidate = 0; candidate < CANDIDATES; candidate++) {
    int at = 1;
    for (int k = 1; k + 2 < SAMPLES; k++)
      if (bend[k] > bend[at])
        at = k;
    if (bend[at] == 0)
      break;
    if (!refine(&walk, (at - 1.0) / SAMPLES, (at + 2.0) / SAMPLES, scale[at], jump))
      return false;
    for (int k = at - 2; k <= at + 2; k++)
      if (k >= 0 && k < SAMPLES)
        bend[k] = 0;
  }
  if (walk.broken)
    *jump = (struct dc_path_jump){STEP, INFINITY, INFINITY};
  return true;
}
