// SPDX-License-Identifier: Apache-2.0
// Pairs of convex leaves: balls, capsules, boxes and hulls against each other and against triangles.
// Energies against the closed form of balls and the bound P >= P_c, gradients and Hessians against differences,
// monotone energies and forces that never attract, from gaps of 1e-8 m on and 100 m away from the origin.
#include "contact/bsh/bsh_pair.h"
#include "contact/contact_scene.h"

static const char *const shapes[] = {
    "sphere radius=0.07 surface=leaves",
    "capsule radius=0.04 height=0.2 surface=leaves",
    "box size=0.1,0.16,0.08 surface=leaves",
    "box size=0.4,0.4,0.002 surface=leaves",           // a plate
    "capsule radius=0.002 height=0.5 surface=leaves",  // a needle
    "cylinder radius=0.06 height=0.1 sides=16 surface=leaves",
    "box size=0.12,0.1,0.1",  // triangles
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

// P_c - 12 of two points.
static double centred(double r, double length)
{
  return 24 * sqrt(length / r) + 12 * length / r;
}

// Places a at that gap from b along a direction.
static void place_at_gap(struct dc_random *random, struct dc_contact *contact, struct dc_pose *poses, double gap,
                         double far)
{
  double direction[3];
  random_direction(random, direction);
  for (int k = 0; k < 3; k++)
    poses[1].position[k] = far * (k + 1);
  pose_random_rotation(random, &poses[0]);
  pose_random_rotation(random, &poses[1]);
  double touching = touching_distance(contact, poses, direction);
  dc_vec_add_scaled(poses[0].position, poses[1].position, touching + gap, direction);
}

// Five-point differences of energy and gradient along a twist of a; errors relative to the sizes over all components.
static void check_differences(struct dc_contact *contact, const struct dc_pose poses[2], const double twist[6],
                              double h, const char *what)
{
  static const double point[4] = {-2, -1, 1, 2}, coefficient[4] = {1.0 / 12, -8.0 / 12, 8.0 / 12, -1.0 / 12};
  struct dc_pair_derivatives at, moved;
  double slope = 0, curvature[6] = {0}, along = 0, row[6] = {0}, size = 0, worst = 0, gradient = 0;
  dc_contact_evaluate(contact, poses, 2, &at);
  double aa[6][6];
  dc_contact_expand_hessian(&at, true, aa, NULL, NULL);
  for (int p = 0; p < 4; p++) {
    struct dc_pose shifted[2] = {poses[0], poses[1]};
    pose_move(&poses[0], point[p] * h, twist, &shifted[0]);
    dc_contact_evaluate(contact, shifted, 2, &moved);
    slope += coefficient[p] / h * (moved.energy - at.energy);
    for (int i = 0; i < 6; i++)
      curvature[i] += coefficient[p] / h * moved.gradient[i];
  }
  for (int i = 0; i < 6; i++) {
    along += at.gradient[i] * twist[i];
    gradient += at.gradient[i] * at.gradient[i];
    for (int j = 0; j < 6; j++)
      row[i] += aa[i][j] * twist[j];
  }
  // Differences of the gradient in charts that move along: d(g) = H t + (torque x turn, force x turn)/2.
  double half[3], *torque = at.gradient;
  dc_vec_cross(half, twist, torque);
  for (int i = 0; i < 3; i++)
    row[i] += 0.5 * half[i];
  for (int i = 0; i < 6; i++) {
    size += row[i] * row[i];
    worst = fmax(worst, fabs(row[i] - curvature[i]));
  }
  CHECK(fabs(slope - along) <= 1e-7 * sqrt(gradient), "%s: slope %.12g, gradient %.12g of size %.3g", what, slope,
        along, sqrt(gradient));
  CHECK(worst <= 1e-6 * sqrt(size), "%s: Hessian off by %.3g of %.3g", what, worst, sqrt(size));
}

static void test_differences(void)
{
  struct dc_random random;
  dc_random_seed(&random, 7);
  for (int i = 0; i < SHAPES; i++)
    for (int j = 0; j < SHAPES; j++) {
      if (i == SHAPES - 1 && j == SHAPES - 1)
        continue;
      struct scene scene;
      scene_pair(&scene, shapes[i], shapes[j]);
      struct dc_contact *contact = scene_contact(&scene, "exact", "length=0.1");
      for (int round = 0; round < 6; round++) {
        double gap = pow(10, -4 + 0.5 * round), twist[6];
        place_at_gap(&random, contact, scene.poses, gap, round % 2 ? 3 : 0);
        random_direction(&random, twist);
        random_direction(&random, twist + 3);
        dc_vec_scale(twist, twist, 2);
        char what[200];
        snprintf(what, sizeof what, "%s - %s, gap %.1e", shapes[i], shapes[j], gap);
        struct dc_pair_derivatives result;
        dc_contact_evaluate(contact, scene.poses, 0, &result);
        check_differences(contact, scene.poses, twist, 0.003 * fmin(dc_contact_distance(contact), 0.05), what);
      }
      scene_end(&scene);
    }
}

static void test_balls(void)
{
  struct dc_random random;
  dc_random_seed(&random, 3);
  struct scene scene;
  scene_pair(&scene, shapes[0], "sphere radius=0.03 surface=leaves");
  struct dc_contact *contact = scene_contact(&scene, "exact", "length=0.1");
  struct dc_contact *hierarchy = scene_contact(&scene, "bsh", "length=0.1 blend=0.5");
  for (double gap = 1e-8; gap < 2e3; gap *= 10)
    for (int k = 0; k < 10; k++) {
      double direction[3], far = k < 5 ? 0 : 100;
      struct dc_pair_derivatives result;
      random_direction(&random, direction);
      for (int c = 0; c < 3; c++)
        scene.poses[1].position[c] = far;
      dc_vec_add_scaled(scene.poses[0].position, scene.poses[1].position, 0.1 + gap, direction);
      double energy = dc_contact_evaluate(contact, scene.poses, 2, &result), d[3];
      dc_vec_sub(d, scene.poses[0].position, scene.poses[1].position);
      double g = dc_vec_norm(d) - 0.1, expected = centred(g, 0.1);
      CHECK(fabs(energy - expected) <= 1e-8 * expected + 1e-14 * expected * (1 + far) / g,
            "gap %g: %.15g, expected %.15g", gap, energy, expected);
      double force = -dc_vec_dot(result.gradient + 3, direction), right = 12 * (sqrt(0.1 / g) + 0.1 / g) / g;
      CHECK(fabs(force - right) <= 2e-8 * right + 1e-13 * right * (1 + far) / g, "gap %g: force %.12g, expected %.12g",
            gap, force, right);
      CHECK(dc_vec_norm(result.gradient) <= 1e-9 * right, "gap %g: torque %g about a ball's centre", gap,
            dc_vec_norm(result.gradient));
      double blended = dc_contact_evaluate(hierarchy, scene.poses, 2, &result);
      CHECK(blended <= energy * (1 + 1e-12) && blended >= centred(g + 0.1, 0.1) * (1 - 1e-12), "gap %g: %g, exact %g",
            gap, blended, energy);
    }
  scene_end(&scene);
}

// Moving a away never raises the energy: P >= P_c, falling along the line, and the force on a has a part along it.
static void test_bound(void)
{
  struct dc_random random;
  dc_random_seed(&random, 11);
  for (int i = 0; i < SHAPES; i++)
    for (int j = 0; j < SHAPES - 1; j++) {
      struct scene scene;
      scene_pair(&scene, shapes[i], shapes[j]);
      struct dc_contact *contacts[2] = {scene_contact(&scene, "exact", "length=1 weights=consistent"),
                                        scene_contact(&scene, "bsh", "length=1 weights=consistent")};
      for (int round = 0; round < 4; round++) {
        double far = round % 2 ? 100 : 0, direction[3], last[2] = {INFINITY, INFINITY};
        place_at_gap(&random, contacts[0], scene.poses, 0, far);
        dc_vec_sub(direction, scene.poses[0].position, scene.poses[1].position);
        double touching = dc_vec_norm(direction);
        dc_vec_scale(direction, direction, 1 / touching);
        for (double gap = 1e-8; gap < 2e3; gap *= 4) {
          dc_vec_add_scaled(scene.poses[0].position, scene.poses[1].position, touching + gap, direction);
          for (int model = 0; model < 2; model++) {
            struct dc_pair_derivatives result;
            double energy = dc_contact_evaluate(contacts[model], scene.poses, 2, &result);
            if (!isfinite(energy) && gap < 1e-7 && far > 0)
              continue;                                                // below the rounding of places
            double spread = contacts[0]->colliders[0].tree.spread[0];  // of the body of triangles
            double least = centred(sqrt((touching + gap) * (touching + gap) + spread), 1);
            CHECK(energy >= least * (1 - 1e-9), "%s - %s: gap %g: %.12g below %.12g", shapes[i], shapes[j], gap, energy,
                  least);
            CHECK(energy < last[model], "%s - %s: gap %g: %.12g after %.12g", shapes[i], shapes[j], gap, energy,
                  last[model]);
            CHECK(dc_vec_dot(result.gradient + 3, direction) < 0, "%s - %s: gap %g attracts", shapes[i], shapes[j],
                  gap);
            CHECK(dc_contact_solved(contacts[model]), "%s - %s: gap %g is not solved", shapes[i], shapes[j], gap);
            last[model] = energy;
          }
        }
      }
      scene_end(&scene);
    }
}

// Fixed leaves larger than what they bear, and what moves near them.
static const char *const large[] = {
    "sphere radius=0.6 surface=leaves",  "capsule radius=0.3 height=1 surface=leaves",
    "box size=2,1.6,0.8 surface=leaves", "box size=1.5,1.2,0.03 surface=leaves",
    "box size=0.1,0.1,3 surface=leaves", "cylinder radius=0.4 height=0.5 sides=12 surface=leaves",
};
static const char *const small[] = {
    "sphere radius=0.05 surface=leaves",
    "box size=0.1,0.16,0.08 surface=leaves",
    "capsule radius=0.02 height=0.2 surface=leaves",
    "box size=0.12,0.1,0.1",
};

static void scene_on_fixed(struct scene *scene, const char *moving, const char *fixed)
{
  scene_start(scene);
  scene_body(scene, false, moving);
  scene_body(scene, true, fixed);
  scene_finish(scene);
}

// How far the leaf of that number reaches along a direction, in the body's axes.
static double reach_along(const struct dc_collider *collider, int leaf_number, const double direction[3])
{
  struct dc_leaf leaf = dc_leaf_of(collider, leaf_number);
  double most = -INFINITY;
  for (int v = 0; v < leaf.count; v++)
    most = fmax(most, dc_vec_dot(direction, collider->turned[dc_leaf_vertex(&leaf, v)]));
  return most + leaf.radius;
}

// A core is inside of its leaf, about the same mean vertex.
static void test_core_places(void)
{
  struct dc_random random;
  dc_random_seed(&random, 13);
  int cores = 0;
  for (size_t j = 0; j < sizeof large / sizeof *large; j++) {
    struct scene scene;
    scene_on_fixed(&scene, small[1], large[j]);
    struct dc_contact *contact = scene_contact(&scene, "exact", "length=1");
    struct dc_pair_derivatives result;
    scene.poses[0].position[0] = 10;
    dc_contact_evaluate(contact, scene.poses, 0, &result);
    const struct dc_collider *fixed = &contact->colliders[1];
    cores += fixed->tree.node_count == 3;
    for (int k = 0; k < 300 && fixed->tree.node_count == 3; k++) {
      double direction[3];
      random_direction(&random, direction);
      double leaf = reach_along(fixed, 0, direction), core = reach_along(fixed, 1, direction);
      CHECK(core < leaf, "%s: the core reaches to %g, the leaf to %g", large[j], core, leaf);
    }
    scene_end(&scene);
  }
  CHECK(cores >= 4, "%d cores", cores);
  printf("# %d of %zu have cores\n", cores, sizeof large / sizeof *large);
}

// From a fixed leaf with a core energies lie above the centred potential of all weights, fall along every line away
// from it and push.
static void test_cores(void)
{
  struct dc_random random;
  dc_random_seed(&random, 17);
  for (size_t i = 0; i < sizeof small / sizeof *small; i++)
    for (size_t j = 0; j < sizeof large / sizeof *large; j++) {
      struct scene scene;
      scene_on_fixed(&scene, small[i], large[j]);
      struct dc_contact *contacts[2] = {scene_contact(&scene, "exact", "length=1 weights=consistent"),
                                        scene_contact(&scene, "bsh", "length=1 weights=consistent")};
      for (int round = 0; round < 4; round++) {
        double direction[3], last[2] = {INFINITY, INFINITY};
        random_direction(&random, direction);
        pose_random_rotation(&random, &scene.poses[0]);
        double touching = touching_distance(contacts[0], scene.poses, direction);
        const struct dc_sphere_tree *a = &contacts[0]->colliders[0].tree, *b = &contacts[0]->colliders[1].tree;
        for (double gap = 1e-6; gap < 2e3; gap *= 3) {
          double r = touching + gap;
          dc_vec_add_scaled(scene.poses[0].position, scene.poses[1].position, r, direction);
          double least = a->weight[0] * b->weight[0] * centred(sqrt(r * r + a->spread[0] + b->spread[0]), 1);
          for (int model = 0; model < 2; model++) {
            struct dc_pair_derivatives result;
            double energy = dc_contact_evaluate(contacts[model], scene.poses, 2, &result);
            CHECK(energy >= least * (1 - 1e-9), "%s - %s: gap %g: %.12g below %.12g", small[i], large[j], gap, energy,
                  least);
            CHECK(energy < last[model], "%s - %s: gap %g: %.12g after %.12g", small[i], large[j], gap, energy,
                  last[model]);
            CHECK(dc_vec_dot(result.gradient + 3, direction) < 0, "%s - %s: gap %g attracts", small[i], large[j], gap);
            CHECK(dc_contact_solved(contacts[model]), "%s - %s: gap %g is not solved", small[i], large[j], gap);
            last[model] = energy;
          }
        }
      }
      scene_end(&scene);
    }
}

// A triangle of three own vertices is the pair potential of triangles.
static void test_triangles(void)
{
  struct dc_random random;
  dc_random_seed(&random, 5);
  struct scene mesh, mixed;
  scene_pair(&mesh, "box size=0.12,0.1,0.1", "box size=0.1,0.16,0.08");
  scene_pair(&mixed, "box size=0.12,0.1,0.1", shapes[2]);
  struct dc_contact *triangles = scene_contact(&mesh, "exact", ""), *leaves = scene_contact(&mixed, "exact", "");
  for (int k = 0; k < 20; k++) {
    place_at_gap(&random, triangles, mesh.poses, pow(10, -k / 5), 0);
    memcpy(mixed.poses, mesh.poses, 2 * sizeof *mesh.poses);
    struct dc_pair_derivatives a, b;
    dc_contact_evaluate(triangles, mesh.poses, 2, &a);
    dc_contact_evaluate(leaves, mixed.poses, 2, &b);
    CHECK(fabs(dc_contact_distance(triangles) - dc_contact_distance(leaves)) <= 1e-12, "distances %.15g, %.15g",
          dc_contact_distance(triangles), dc_contact_distance(leaves));
    CHECK(dc_contact_min_gap(leaves) <= dc_contact_distance(leaves) * (1 + 1e-9), "gap %g", dc_contact_min_gap(leaves));
  }
  scene_end(&mesh);
  scene_end(&mixed);
}

// The largest difference of two results, relative to their largest numbers.
static double apart_by(const struct dc_pair_derivatives *x, const struct dc_pair_derivatives *y)
{
  double most[2] = {1e-300, 1e-300}, apart[2] = {0, 0};
  for (int k = 0; k < 27; k++) {
    const double *u = k < 6 ? &x->gradient[k] : &x->hessian[k - 6], *v = k < 6 ? &y->gradient[k] : &y->hessian[k - 6];
    most[k >= 6] = fmax(most[k >= 6], fabs(*u));
    apart[k >= 6] = fmax(apart[k >= 6], fabs(*u - *v));
  }
  return fmax(fabs(x->energy - y->energy) / fabs(x->energy), fmax(apart[0] / most[0], apart[1] / most[1]));
}

// Leaves of several pairs of bodies are solved side by side: results have the same bits for one thread and for four,
// and are to rounding those of each pair alone; where two bodies meet, the others do not notice.
static void test_batches(void)
{
  static const char *const kinds[] = {
      "sphere radius=0.05 surface=leaves", "capsule radius=0.03 height=0.1 surface=leaves",
      "box size=0.1,0.06,0.08 surface=leaves", "cylinder radius=0.05 height=0.06 sides=16 surface=leaves",
      "box size=0.08,0.08,0.08 divisions=2,2,2"};
  enum { BODIES = 12, PAIRS = BODIES * (BODIES - 1) / 2 };
  static struct dc_pair_derivatives results[3][PAIRS];
  struct scene scene;
  struct dc_random random;
  dc_random_seed(&random, 21);
  scene_start(&scene);
  for (int i = 0; i < BODIES; i++)
    scene_body(&scene, false, kinds[i % 5]);
  scene_finish(&scene);
  struct dc_contact *contact = scene_contact(&scene, "bsh", "");
  double apart = 0;
  int crossing = 0;
  for (int turn = 0; turn < 12; turn++) {
    for (int i = 0; i < BODIES; i++) {
      pose_random_rotation(&random, &scene.poses[i]);
      for (int k = 0; k < 3; k++)
        scene.poses[i].position[k] = 0.15 * (i /
                                             (k == 0   ? 1
                                              : k == 1 ? 2
                                                       : 6) %
                                             (k == 2   ? 2
                                              : k == 1 ? 3
                                                       : 2)) +
                                     between(&random, 0, turn < 8 ? 0.02 : 0.09);
    }
    for (int way = 0; way < 3; way++) {
      scene_threads(way == 1 ? 4 : 1);
      dc_contact_reset(contact);
      if (way < 2)
        dc_contact_evaluate(contact, scene.poses, 2, results[way]);
      for (int p = 0; p < PAIRS && way == 2; p++)
        dc_contact_evaluate_pair(contact, scene.poses, p, 2, results[way]);
    }
    scene_threads(1);
    for (int p = 0; p < PAIRS; p++) {
      CHECK(memcmp(&results[0][p], &results[1][p], sizeof results[0][p]) == 0, "pair %d depends on threads", p);
      CHECK(isinf(results[0][p].energy) == isinf(results[2][p].energy), "pair %d meets in one way", p);
      crossing += isinf(results[0][p].energy);
      if (isfinite(results[0][p].energy))
        apart = fmax(apart, apart_by(&results[0][p], &results[2][p]));
    }
  }
  printf("# pairs side by side and alone: %.1e apart, %d meet\n", apart, crossing);
  CHECK(apart <= 1e-9 && crossing > 0, "%g apart, %d meet", apart, crossing);
  scene_end(&scene);
}

RUN_TESTS({"energies and forces of two balls are those of the centred potential at their gap", test_balls},
          {"gradients and Hessians are those of differences", test_differences},
          {"potentials lie above the centred one, fall with the distance and never attract", test_bound},
          {"cores are inside of their leaves", test_core_places},
          {"leaves with cores push, above the centred potential and less with the distance", test_cores},
          {"distances of leaves are those of the same solids as meshes", test_triangles},
          {"leaves of several pairs side by side", test_batches})
