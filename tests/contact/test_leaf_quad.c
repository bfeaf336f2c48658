// SPDX-License-Identifier: Apache-2.0
// Pairs of convex leaves against 113-bit arithmetic.  The reference minimizes over the plane (n, d)
//     12 / (1 - |n|) + sum_v w_v / (s_v (n.x_v + d) - p_v |n|)
// and takes derivatives by central differences of that energy in the exponential chart of a's pose, with one Richardson
// step: nothing of the kernel's formulas is in it but the potential.
#include <quadmath.h>

#include "contact/common/leaf_pair.h"
#include "contact/contact_scene.h"
#include "quad_solve.h"

enum { MOST = 64 };

struct leaves {
  int count, count_a;
  quad x[MOST][3], share[2], radius[2];
};

static quad value_of(const struct leaves *p, const quad plane[4])
{
  quad length = sqrtq(plane[0] * plane[0] + plane[1] * plane[1] + plane[2] * plane[2]), sum;
  if (length >= 1)
    return HUGE_VALQ;
  sum = 12 / (1 - length);
  for (int v = 0; v < p->count; v++) {
    int side = v >= p->count_a;
    quad h = plane[0] * p->x[v][0] + plane[1] * p->x[v][1] + plane[2] * p->x[v][2] + plane[3];
    quad u = (side ? -h : h) - p->radius[side] * length;
    if (u <= 0)
      return HUGE_VALQ;
    sum += p->share[side] / u;
  }
  return sum;
}

// Adds the gradient and the Hessian of the sum over vertices to a system [4][5] whose last column is the gradient.
static void add_vertices(const struct leaves *p, const quad plane[4], quad length, quad h[4][5])
{
  for (int v = 0; v < p->count; v++) {
    int side = v >= p->count_a;
    quad s = side ? -1 : 1, y[4] = {0, 0, 0, s}, u = s * plane[3] - p->radius[side] * length;
    for (int k = 0; k < 3; k++) {
      u += s * p->x[v][k] * plane[k];
      y[k] = s * p->x[v][k] - p->radius[side] * plane[k] / length;
    }
    quad q = p->share[side] / (u * u);
    for (int i = 0; i < 4; i++) {
      h[i][4] -= q * y[i];
      for (int j = 0; j < 4; j++)
        h[i][j] += 2 * q / u * y[i] * y[j];
    }
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++)
        h[i][j] += q * p->radius[side] / length * ((i == j) - plane[i] * plane[j] / (length * length));
  }
}

static quad newton_step(const struct leaves *p, const quad plane[4], quad step[4])
{
  quad length = sqrtq(plane[0] * plane[0] + plane[1] * plane[1] + plane[2] * plane[2]), rest = 1 - length;
  quad h[4][5] = {{0}}, slope = 12 / (rest * rest), bend = 24 / (rest * rest * rest) - slope / length;
  for (int i = 0; i < 3; i++) {
    h[i][4] = slope * plane[i] / length;
    for (int j = 0; j < 3; j++)
      h[i][j] = bend * plane[i] * plane[j] / (length * length) + (i == j ? slope / length : 0);
  }
  add_vertices(p, plane, length, h);
  return quad_newton_step(h, step);
}

// The least value from a plane of the domain, which becomes that of the minimum; NAN when it stalls.
static quad minimum(const struct leaves *p, quad plane[4])
{
  quad value = value_of(p, plane);
  for (int iteration = 0; iteration < 300; iteration++) {
    quad step[4], trial[4], next = HUGE_VALQ, decrement = newton_step(p, plane, step), alpha = 1;
    bool quadratic = decrement <= 1e-18Q * value, last = decrement <= 1e-30Q * value;
    for (int halving = 0; halving < 100; halving++, alpha /= 2) {
      for (int i = 0; i < 4; i++)
        trial[i] = plane[i] - alpha * step[i];
      next = value_of(p, trial);
      if (next <= value - alpha * decrement / 10000 || (quadratic && next < HUGE_VALQ))
        break;
    }
    memcpy(plane, trial, sizeof trial);
    value = next;
    if (last)
      return value;
  }
  return NAN;
}

// P - 12 with a moved by exp of a twist about the origin.
static quad energy_at(const struct leaves *p, const quad start[4], const quad twist[6])
{
  struct leaves moved = *p;
  quad plane[4] = {start[0], start[1], start[2], start[3]};
  quad angle = sqrtq(twist[0] * twist[0] + twist[1] * twist[1] + twist[2] * twist[2]);
  quad c1 = angle > 0 ? sinq(angle) / angle : 1, c2 = angle > 0 ? 2 * powq(sinq(angle / 2) / angle, 2) : 0.5Q;
  for (int v = 0; v < p->count_a; v++) {
    quad once[3], again[3];
    for (int i = 0; i < 3; i++)
      once[i] = twist[(i + 1) % 3] * p->x[v][(i + 2) % 3] - twist[(i + 2) % 3] * p->x[v][(i + 1) % 3];
    for (int i = 0; i < 3; i++)
      again[i] = twist[(i + 1) % 3] * once[(i + 2) % 3] - twist[(i + 2) % 3] * once[(i + 1) % 3];
    for (int i = 0; i < 3; i++)
      moved.x[v][i] += c1 * once[i] + c2 * again[i] + twist[3 + i];
  }
  return minimum(&moved, plane) - 12;
}

// The first and second derivative along a direction.
static void along(const struct leaves *p, const quad plane[4], quad middle, const quad direction[6], quad h,
                  quad *first, quad *second)
{
  quad e[4];
  static const int multiple[4] = {1, -1, 2, -2};
  for (int m = 0; m < 4; m++) {
    quad twist[6];
    for (int i = 0; i < 6; i++)
      twist[i] = multiple[m] * h * direction[i];
    e[m] = energy_at(p, plane, twist);
  }
  *first = (8 * (e[0] - e[1]) - (e[2] - e[3])) / (12 * h);
  *second = (16 * (e[0] + e[1] - 2 * middle) - (e[2] + e[3] - 2 * middle)) / (12 * h * h);
}

// The leaves of both bodies about c_a, in units of length, and a plane half-way between them; the gap.
static double load(const struct dc_contact *contact, const struct dc_pose *poses, double length, struct leaves *p,
                   quad plane[4])
{
  double places[2][MOST][3], normal[3], radius[2], least[2] = {INFINITY, INFINITY};
  p->count = 0;
  for (int side = 0; side < 2; side++) {
    const struct dc_collider *collider = &contact->colliders[side];
    struct dc_leaf leaf = dc_leaf_of(collider, 0);
    radius[side] = leaf.radius;
    p->share[side] = (quad)3 / leaf.count;
    p->radius[side] = (quad)leaf.radius / (quad)length;
    for (int v = 0; v < leaf.count; v++, p->count++)
      for (int k = 0; k < 3; k++) {
        quad x = (quad)poses[side].position[k] - (quad)poses[0].position[k];
        for (int c = 0; c < 3; c++)
          x += (quad)poses[side].rotation[3 * k + c] * (quad)collider->vertices[dc_leaf_vertex(&leaf, v)][c];
        p->x[p->count][k] = x / (quad)length;
        places[side][v][k] = (double)x;
      }
    if (side == 0)
      p->count_a = p->count;
  }
  double gap = dc_leaf_separation((const double(*)[3])places[0], p->count_a, radius[0], (const double(*)[3])places[1],
                                  p->count - p->count_a, radius[1], normal);
  for (int v = 0; v < p->count; v++) {
    int side = v >= p->count_a;
    double h = dc_vec_dot(normal, places[side][side ? v - p->count_a : v]);
    least[side] = fmin(least[side], (side ? -h : h) - radius[side]);
  }
  for (int k = 0; k < 3; k++)
    plane[k] = normal[k] / 2;
  plane[3] = 0.5 * (least[1] - least[0]) / length / 2;
  return gap;
}

static void compare(struct dc_contact *contact, const struct dc_pose *poses, const char *what)
{
  const double length = 0.1;
  struct leaves p;
  quad plane[4], gradient[6], hessian[6][6];
  struct dc_pair_derivatives result;
  double gap = load(contact, poses, length, &p, plane), energy = dc_contact_evaluate(contact, poses, 2, &result);
  quad least = minimum(&p, plane) - 12, h = (quad)(1e-5 * fmin(gap, 0.05) / length);
  CHECK(fabs(energy - (double)least) <= 1e-11 * energy, "%s: energy %.15g, %.15g", what, energy, (double)least);
  quad diagonal[6];
  for (int i = 0; i < 6; i++) {
    quad direction[6] = {0};
    direction[i] = 1;
    along(&p, plane, least, direction, h, &gradient[i], &diagonal[i]);
    hessian[i][i] = diagonal[i];
  }
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < i; j++) {
      quad direction[6] = {0}, first, second;
      direction[i] = direction[j] = 1;
      along(&p, plane, least, direction, h, &first, &second);
      hessian[i][j] = (second - diagonal[i] - diagonal[j]) / 2;
    }
  double worst[2] = {0}, size[2] = {0};
  for (int i = 0, entry = 0; i < 6; i++) {
    double unit = i < 3 ? 1 : length;  // rotations and translations in units of length
    worst[0] = fmax(worst[0], fabs(result.gradient[i] * unit - (double)gradient[i]));
    size[0] = fmax(size[0], fabs((double)gradient[i]));
    for (int j = 0; j <= i; j++, entry++) {
      double both = unit * (j < 3 ? 1 : length);
      worst[1] = fmax(worst[1], fabs(result.hessian[entry] * both - (double)hessian[i][j]));
      size[1] = fmax(size[1], fabs((double)hessian[i][j]));
    }
  }
  CHECK(worst[0] <= 1e-10 * size[0], "%s: gradient off by %.2g of its size", what, worst[0] / size[0]);
  CHECK(worst[1] <= 1e-7 * size[1], "%s: Hessian off by %.2g of its size", what, worst[1] / size[1]);
}

// Gaps from 1e-5 m on: at one of 1e-8 m the rounding of places of 0.1 m alone is 1e-9 of it.
static void test_quad(void)
{
  static const char *const shapes[] = {
      "sphere radius=0.07 surface=leaves",
      "capsule radius=0.04 height=0.2 surface=leaves",
      "box size=0.1,0.16,0.08 surface=leaves",
      "box size=0.4,0.4,0.002 surface=leaves",
      "cylinder radius=0.06 height=0.1 sides=12 surface=leaves",
  };
  enum { SHAPES = sizeof shapes / sizeof *shapes };
  struct dc_random random;
  dc_random_seed(&random, 17);
  for (int i = 0; i < SHAPES; i++)
    for (int j = 0; j <= i; j++) {
      struct scene scene;
      scene_pair(&scene, shapes[i], shapes[j]);
      struct dc_contact *contact = scene_contact(&scene, "exact", "length=0.1");
      for (int k = 0; k < 3; k++) {
        double gap = pow(10, -5 + 2 * k), direction[3];
        char what[200];
        memset(scene.poses[1].position, 0, sizeof scene.poses[1].position);
        random_direction(&random, direction);
        pose_random_rotation(&random, &scene.poses[0]);
        pose_random_rotation(&random, &scene.poses[1]);
        double touching = touching_distance(contact, scene.poses, direction);
        dc_vec_add_scaled(scene.poses[0].position, scene.poses[1].position, touching + gap, direction);
        snprintf(what, sizeof what, "%s - %s, %g m from touching", shapes[i], shapes[j], gap);
        compare(contact, scene.poses, what);
      }
      scene_end(&scene);
    }
}

RUN_TESTS({"energies, gradients and Hessians of leaves are those of 113-bit arithmetic", test_quad})
