// SPDX-License-Identifier: Apache-2.0
// The distance of two bodies is that of their nearest points: against boxes whose distance is known in closed form, and
// against a search over points of both boxes at random poses.  Bounds of the contact models are never above it.
#include "base/random.h"
#include "contact/contact_scene.h"
#include "math/rotation.h"

static double distance_of(struct dc_contact *contact, struct scene *scene, double *bound)
{
  struct dc_pair_derivatives pairs[SCENE_BODIES * SCENE_BODIES];
  dc_contact_evaluate(contact, scene->poses, 0, pairs);
  *bound = dc_contact_min_gap(contact);
  CHECK(dc_contact_near_distance(contact) == dc_contact_distance(contact), "%g and %g",
        dc_contact_near_distance(contact), dc_contact_distance(contact));
  return dc_contact_distance(contact);
}

static const char *const models[] = {"bsh", "ipc", "sdrs"};

// Unit boxes apart along one, two and three axes.
static void test_boxes(void)
{
  static const double places[][3] = {{4, 0, 0},      {0, 4, 0},         {0, 0, -4},    {1.5, 1.25, 0},
                                     {2, -3, 1.125}, {1.001, 0.3, 0.2}, {-2, 0.9, -2}, {1.0625, 1.0625, 1.0625}};
  for (int m = 0; m < 3; m++)
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
      struct scene scene;
      double square = 0, bound;
      scene_pair(&scene, "box size=1,1,1", "box size=1,1,1");
      struct dc_contact *contact = scene_contact(&scene, models[m], "");
      for (int k = 0; k < 3; k++) {
        scene.poses[0].position[k] = places[i][k];
        scene.poses[1].position[k] = 0;
        square += pow(fmax(0, fabs(places[i][k]) - 1), 2);
      }
      CHECK_NEAR(distance_of(contact, &scene, &bound), sqrt(square), 1e-14);
      CHECK(bound <= sqrt(square) * (1 + 1e-12), "%s: bound %g of %g", models[m], bound, sqrt(square));
      scene_end(&scene);
    }
}

// The nearest point of a unit box to a point.
static void clamp(const double *point, double *nearest)
{
  for (int k = 0; k < 3; k++)
    nearest[k] = fmax(-0.5, fmin(0.5, point[k]));
}

// Alternating projections between two boxes end at their nearest points (von Neumann); the second is turned by R.
static double projected(const double *place, const double *rotation)
{
  double p[3] = {0, 0, 0}, q[3], local[3], moved[3];
  for (int n = 0; n < 20000; n++) {
    dc_vec_sub(moved, p, place);
    dc_mat_apply_transposed(local, rotation, moved);
    clamp(local, local);
    dc_mat_apply(q, rotation, local);
    dc_vec_add(q, q, place);
    clamp(q, p);
  }
  return dc_vec_distance(p, q);
}

static void test_turned(void)
{
  struct dc_random random;
  dc_random_seed(&random, 3);
  for (int draw = 0; draw < 30; draw++) {
    struct scene scene;
    double turn[3], bound;
    scene_pair(&scene, "box size=1,1,1", "box size=1,1,1");
    struct dc_contact *contact = scene_contact(&scene, models[draw % 3], "");
    for (int k = 0; k < 3; k++) {
      turn[k] = 3 * dc_random_normal(&random);
      scene.poses[0].position[k] = 1.5 * dc_random_normal(&random);
      scene.poses[1].position[k] = 0;
    }
    scene.poses[0].position[draw % 3] += scene.poses[0].position[draw % 3] > 0 ? 1.8 : -1.8;
    dc_rotation_exp(scene.poses[0].quaternion, turn);
    dc_rotation_matrix(scene.poses[0].rotation, scene.poses[0].quaternion);
    double expected = projected(scene.poses[0].position, scene.poses[0].rotation);
    double found = distance_of(contact, &scene, &bound);
    CHECK_NEAR(found, expected, 1e-6 * (1 + expected));
    CHECK(bound <= found * (1 + 1e-12), "bound %g of %g", bound, found);
    scene_end(&scene);
  }
}

RUN_TESTS({"boxes along axes", test_boxes}, {"turned boxes", test_turned})
