// SPDX-License-Identifier: Apache-2.0
// Restitution: derivatives at t+1 and t against differences, with and without friction; what it takes of the work of
// the contact force; what it leaves alone.
#include "friction_scene.h"

// Openings of 1e-5, 1e-3, 0.1 and 3 m/s: within the smooth step, about its end, far beyond.
static const double gaps[] = {1e-2, 1e-3, 1e-4, 1e-5}, speeds[] = {1e-4, 1e-3, 0.1, 3};
static const struct case_of {
  const char *model, *settings;
} models[] = {{"bsh", ""},
              {"exact", "friction_range=0.02"},
              {"sdrs", ""},
              {"ipc", "dhat=0.02"},
              {"manifold", "smoothing=5e-3"},
              {"manifold", "smoothing=5e-3 edges=1"},
              {"manifold", "smoothing=5e-3 edges=2"}};
// J.  Points that have just begun to open, and edges whose share has nearly ended, have less energy: there differences
// see the rounding of positions.  Of all models manifold alone has such cases.
static const double LEAST = 1e-15;
enum { MODELS = sizeof models / sizeof *models };

struct worst {
  double gradient, hessian, pull_back;
  int open;
};

static void check_motion(struct sliding *sliding, struct dc_random *random, double gap, struct worst *worst)
{
  struct errors best = {INFINITY, INFINITY};
  double pull_back = INFINITY, direction[12];
  struct derivatives at;
  evaluate(sliding, sliding->next, 1, true, &at);
  if (!(at.energy > LEAST))
    return;
  worst->open++;
  random_motion(random, direction);
  for (double h = 1e-1; h > 1e-7; h *= 0.1) {
    struct errors e = difference_errors(sliding, direction, h * smoothing * time_step);
    best = (struct errors){fmin(best.gradient, e.gradient), fmin(best.hessian, e.hessian)};
  }
  for (double h = 1e-1; h > 1e-6; h *= 0.1)
    pull_back = fmin(pull_back, pull_back_error(sliding, random, gap, h));
  worst->gradient = larger(worst->gradient, best.gradient);
  worst->hessian = larger(worst->hessian, best.hessian);
  worst->pull_back = larger(worst->pull_back, pull_back);
}

static void test_differences(void)
{
  struct dc_random random;
  dc_random_seed(&random, 5);
  for (int m = 0; m < MODELS; m++) {
    struct worst worst = {0, 0, 0, 0};
    for (int s = 0; s < SCENES; s++)
      for (int friction = 0; friction < 2; friction++) {
        struct sliding sliding;
        impact_start(&sliding, &scenes[s], models[m].model, models[m].settings, 0.7 * friction, 0.5);
        for (int i = 0; i < 16; i++) {
          place(&sliding, &scenes[s], &random, gaps[i % 4], 0.2 * gaps[i % 4]);
          move_on(&sliding, &random, speeds[i / 4]);
          begin_at(&sliding, sliding.now);
          CHECK(dc_contact_slides(sliding.contact) == (friction > 0), "%s", scenes[s].name);
          CHECK(dc_contact_resists(sliding.contact), "%s", scenes[s].name);
          check_motion(&sliding, &random, gaps[i % 4], &worst);
        }
        scene_end(&sliding.scene);
      }
    printf("# %s %s: %d open, gradient %.1e, Hessian %.1e, at t %.1e\n", models[m].model, models[m].settings,
           worst.open, worst.gradient, worst.hessian, worst.pull_back);
    CHECK(worst.open > 70, "%d", worst.open);  // of 160; 86 to 144 observed
    // 5e-8, 5e-8 and 7e-8 observed
    CHECK(worst.gradient < 5e-7 && worst.hessian < 5e-7 && worst.pull_back < 5e-7, "%s: %.2g, %.2g, %.2g",
          models[m].model, worst.gradient, worst.hessian, worst.pull_back);
  }
}

RUN_TESTS({"derivatives against differences", test_differences})
