// SPDX-License-Identifier: Apache-2.0
// Friction of points (contact/friction/point_slip.h): derivatives at t+1 and t against differences; of incremental
// potential contact Coulomb's law and what slides.
#include "friction_scene.h"

enum { MODELS = 4 };
static const char *const models[MODELS][2] = {{"ipc", "dhat=0.02"},
                                              {"ipc-global", "dhat=0.02"},
                                              {"manifold", "smoothing=5e-3"},
                                              {"manifold", "smoothing=5e-3 edges=2"}};

static const double frictional_gaps[] = {1e-2, 1e-3, 1e-4}, speeds[] = {1e-5, 1e-3, 0.1, 3};

static void test_friction_differences(void)
{
  struct dc_random random;
  dc_random_seed(&random, 8);
  for (int s = 0; s < SCENES; s++) {
    double worst[2] = {0, 0};
    for (int m = 0; m < MODELS; m++) {
      struct sliding sliding;
      sliding_start(&sliding, &scenes[s], models[m][0], models[m][1]);
      for (int i = 0; i < 12; i++) {
        double gap = frictional_gaps[i % 3];
        place(&sliding, &scenes[s], &random, gap, i % 2 ? 0.2 * gap : 0.2);
        move_on(&sliding, &random, speeds[i / 3]);
        begin_at(&sliding, sliding.now);
        CHECK(dc_contact_slides(sliding.contact), "%s", scenes[s].name);
        add_worst_errors(&sliding, &random, 1, worst);
      }
      scene_end(&sliding.scene);
    }
    printf("# %s: gradient %.1e, Hessian %.1e\n", scenes[s].name, worst[0], worst[1]);
    CHECK(worst[0] < 3e-6, "%s: %.2g", scenes[s].name,
          worst[0]);  // 4e-7 observed, slow slip: third derivatives of abs(u)
    CHECK(worst[1] < 3e-6, "%s: %.2g", scenes[s].name, worst[1]);  // 9e-7 observed
  }
}

static void test_pull_back(void)
{
  struct dc_random random;
  dc_random_seed(&random, 9);
  for (int s = 0; s < SCENES; s++) {
    double worst = 0;
    for (int m = 0; m < MODELS; m++) {
      struct sliding sliding;
      sliding_start(&sliding, &scenes[s], models[m][0], models[m][1]);
      for (int i = 0; i < 12; i++) {
        double best = INFINITY, gap = frictional_gaps[i % 3], askew = i % 4 == 3 ? 0.02 : 0.2;
        place(&sliding, &scenes[s], &random, gap, askew);
        move_on(&sliding, &random, speeds[i / 3]);
        for (double h = 1e-1; h > 1e-4; h *= 0.1)
          best = fmin(best, pull_back_error(&sliding, &random, gap, h));
        worst = larger(worst, best);
      }
      scene_end(&sliding.scene);
    }
    printf("# %s: %.1e\n", scenes[s].name, worst);
    CHECK(worst < 1e-6, "%s: %.2g", scenes[s].name, worst);  // 8e-8 observed
  }
}

// A corner above the inside of a face, or a box on a half space: all normals are alike.  Far above the smoothing the
// force is lambda times the normal force against the motion; the energy is that of Li et al. less its value at rest.
static void test_coulomb(void)
{
  static const struct sliding_scene corner = {"corner", "box size=0.1,0.1,0.1 divisions=1,1,1",
                                              "box size=3,2,0.2 divisions=1,1,1", false, false};
  static const struct sliding_scene *const pairs[2] = {&corner, &scenes[3]};
  struct dc_random random;
  dc_random_seed(&random, 10);
  for (int s = 0; s < 2; s++) {
    struct sliding sliding;
    struct derivatives d;
    struct dc_pair_derivatives contact;
    double slide[6] = {0}, along[3];
    sliding_start(&sliding, pairs[s], "ipc", "dhat=0.02");
    double lambda = sqrt(sliding.coefficient[0] * sliding.coefficient[1]);
    if (s == 0) {
      double angle = acos(-1 / sqrt(3)), half = sqrt(0.5);
      memcpy(sliding.now, sliding.scene.poses, sizeof sliding.now);
      pose_turn_to(&sliding.now[0], (double[4]){cos(angle / 2), half * sin(angle / 2), -half * sin(angle / 2), 0});
      dc_vec_copy(sliding.now[0].position, (double[3]){0.31, 0.17, 0.05 * sqrt(3) + 0.1 + 5e-3});
    } else {
      place(&sliding, pairs[s], &random, 5e-3, 0);
    }
    begin_at(&sliding, sliding.now);
    dc_contact_evaluate(sliding.contact, sliding.now, 1, &contact);
    double limit = lambda * stiffness * dc_vec_norm(contact.gradient + 3), width = smoothing * time_step;
    dc_vec_copy(along, (double[3]){0.6, 0.8, 0});
    memcpy(sliding.next, sliding.now, sizeof sliding.next);
    evaluate(&sliding, sliding.next, 2, false, &d);
    // Rounding of R R^T: 1e-16 of the width, and its square.
    CHECK(d.energy <= 1e-20 * limit * width && dc_vec_norm(d.gradient + 3) <= 1e-10 * limit, "at rest: %g", d.energy);
    CHECK(fabs(d.hessian[3][3] * width / (2 * limit) - 1) < 1e-9, "stiff at rest: %g", d.hessian[3][3]);
    for (double slipped = 0.1 * width; slipped < 1e4 * width; slipped *= 3) {
      double y = slipped / width;
      dc_vec_scale(slide + 3, along, slipped);
      pose_move(&sliding.now[0], 1, slide, &sliding.next[0]);
      evaluate(&sliding, sliding.next, 1, false, &d);
      CHECK_NEAR(dc_vec_dot(d.gradient + 3, along) / limit, y < 1 ? y * (2 - y) : 1, 1e-9);
      CHECK_NEAR(d.energy / (limit * width), y < 1 ? y * y * (1 - y / 3) : y - 1.0 / 3, 1e-9 * (1 + y));
    }
    scene_end(&sliding.scene);
  }
}

static void test_what_slides(void)
{
  struct dc_random random;
  dc_random_seed(&random, 11);
  for (int s = 0; s < SCENES; s++)
    for (int m = 0; m < 2; m++) {
      struct sliding sliding;
      struct derivatives d;
      double sum = 0, size = 0, trace = 0;
      sliding_start(&sliding, &scenes[s], models[m][0], models[m][1]);
      place(&sliding, &scenes[s], &random, 1e-3, 0.1);
      move_on(&sliding, &random, 0.01);
      begin_at(&sliding, sliding.now);
      evaluate(&sliding, sliding.next, 2, false, &d);
      for (int k = 0; k < 12; k++)
        trace += d.hessian[k][k];
      CHECK(positive_definite((const double(*)[12])d.hessian, sliding.both ? 12 : 6, 1e-12 * trace), "%s",
            scenes[s].name);
      for (int k = 0; k < 3; k++) {
        sum += fabs(d.gradient[3 + k] + d.gradient[9 + k]);
        size += fabs(d.gradient[3 + k]);
      }
      CHECK(!sliding.both || sum <= 1e-14 * size, "forces are opposite: %g", sum / size);
      CHECK(d.energy > 0, "%g", d.energy);
      sliding.coefficient[1] = 0;
      begin_at(&sliding, sliding.now);
      CHECK(!dc_contact_slides(sliding.contact), "coefficient 0");
      sliding.coefficient[1] = 0.8;
      place(&sliding, &scenes[s], &random, 0.03, 0);
      begin_at(&sliding, sliding.now);
      CHECK(!dc_contact_slides(sliding.contact), "nothing beyond dhat");
      scene_end(&sliding.scene);
    }
}

RUN_TESTS({"derivatives at t+1 against differences", test_friction_differences},
          {"derivatives at t against differences", test_pull_back}, {"Coulomb's law", test_coulomb},
          {"what slides", test_what_slides})
