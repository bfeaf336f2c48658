// SPDX-License-Identifier: Apache-2.0
// The contact model manifold: gradient and all of the Hessian, with and without edges; where its barrier ends.
#include "contact_scene.h"

static double evaluate(struct dc_contact *contact, const struct dc_pose *poses, double step, const double twist[6],
                       struct dc_pair_derivatives *pair)
{
  struct dc_pose moved[2] = {poses[0], poses[1]};
  pose_move(&poses[0], step, twist, &moved[0]);
  return dc_contact_evaluate(contact, moved, 2, pair);
}

static double along(const struct dc_pair_derivatives *pair, const double twist[6])
{
  double slope = 0;
  for (int i = 0; i < 6; i++)
    slope += pair->gradient[i] * twist[i];
  return slope;
}

// Two turned boxes whose edges are nearest: 21 random twists see every entry.
static void check(const char *settings, double height)
{
  struct scene scene;
  struct dc_random random;
  dc_random_seed(&random, 7);
  scene_pair(&scene, "box size=0.3,0.1,0.1 divisions=1,1,1", "box size=0.1,0.3,0.12 divisions=1,1,1");
  struct dc_contact *contact = scene_contact(&scene, "manifold", settings);
  struct dc_pair_derivatives at, near[4];
  static const double steps[4] = {-2, -1, 1, 2}, weights[4] = {1. / 12, -8. / 12, 8. / 12, -1. / 12};
  static const double still[6] = {0}, roll[6] = {0.7, 0.1, 0.2}, other[6] = {0.1, 0.8, -0.1};
  pose_move(&scene.poses[0], 1, roll, &scene.poses[0]);
  pose_move(&scene.poses[1], 1, other, &scene.poses[1]);
  dc_vec_copy(scene.poses[1].position, (const double[3]){0, 0, 0});
  dc_vec_copy(scene.poses[0].position, (const double[3]){0.01, -0.02, height});
  evaluate(contact, scene.poses, 0, still, &at);
  CHECK(isfinite(at.energy) && at.energy > 0, "%s: %g", settings, at.energy);
  double first = 0, second = 0;
  for (int n = 0; n < 21; n++) {
    double twist[6], curvature = 0, size = 0, h = 1e-8;
    for (int k = 0; k < 6; k++)
      twist[k] = dc_random_normal(&random) * (k < 3 ? 5 : 1);
    double slope = 0, bend = 0;
    for (int s = 0; s < 4; s++) {
      slope += weights[s] / h * evaluate(contact, scene.poses, steps[s] * h, twist, &near[s]);
      bend += weights[s] / h * along(&near[s], twist);
    }
    for (int i = 0, e = 0; i < 6; i++)
      for (int j = 0; j <= i; j++, e++) {
        curvature += (i == j ? 1 : 2) * at.hessian[e] * twist[i] * twist[j];
        size += (i == j ? 1 : 2) * fabs(at.hessian[e] * twist[i] * twist[j]);
      }
    first = fmax(first, fabs(slope - along(&at, twist)) / (fabs(along(&at, twist)) + at.energy));
    second = fmax(second, fabs(bend - curvature) / size);
  }
  printf("# %s at %g m: gap %g, energy %.6g, gradient %.1e, Hessian %.1e\n", settings, height,
         dc_contact_min_gap(contact), at.energy, first, second);
  CHECK(first < 1e-6, "%s: gradient off by %g", settings, first);
  CHECK(second < 1e-6, "%s: Hessian off by %g", settings, second);
  scene_end(&scene);
}

static void test_derivatives(void)
{
  static const double heights[] = {0.152, 0.16, 0.3, 1};
  for (int i = 0; i < 4; i++) {
    check("smoothing=3e-3", heights[i]);
    check("smoothing=3e-3 edges=1", heights[i]);
    check("smoothing=3e-3 edges=4", heights[i]);
  }
}

RUN_TESTS({"derivatives", test_derivatives})
