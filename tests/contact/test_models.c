// SPDX-License-Identifier: Apache-2.0
// Every registered contact model keeps what its descriptor says.
#include "contact/leaf/walls.h"
#include "contact_scene.h"

static const double direction[3] = {0.8, 0.6, 0};

// Two balls of 0.2 m, gap apart as a fraction of the radius; what ends somewhere ends at a radius.
static struct dc_contact *two_balls(struct scene *scene, const struct dc_contact_model *model, double gap)
{
  scene_pair(scene, "sphere radius=0.2 level=1", "sphere radius=0.2 level=1");
  struct dc_contact *contact = scene_contact(scene, model->name, "dhat=0.2");
  double touching = touching_distance(contact, scene->poses, direction);
  dc_vec_add_scaled(scene->poses[0].position, scene->poses[1].position, touching + 0.2 * gap, direction);
  return contact;
}

static double energy_at(struct dc_contact *contact, const struct dc_pose *poses, double step, const double twist[6],
                        struct dc_pair_derivatives *pair)
{
  struct dc_pose moved[2] = {poses[0], poses[1]};
  pose_move(&poses[0], step, twist, &moved[0]);
  return dc_contact_evaluate(contact, moved, 2, pair);
}

// Along a twist of the first ball: gradient against energies, Hessian against gradients.  What is smoothed over a
// length of its own (manifold) varies over it at any gap.
static void check_derivatives(const struct dc_contact_model *model, double gap)
{
  static const double twist[6] = {0.3, -0.5, 0.7, 0.4, 0.2, -0.6};
  struct scene scene;
  struct dc_contact *contact = two_balls(&scene, model, gap);
  struct dc_pair_derivatives at, up, down;
  double h = 1e-5 * fmin(gap, 1), slope = 0, curvature = 0, up_slope = 0, down_slope = 0;
  energy_at(contact, scene.poses, 0, twist, &at);
  double difference =
      (energy_at(contact, scene.poses, h, twist, &up) - energy_at(contact, scene.poses, -h, twist, &down)) / (2 * h);
  for (int i = 0, e = 0; i < 6; i++) {
    slope += at.gradient[i] * twist[i];
    up_slope += up.gradient[i] * twist[i];
    down_slope += down.gradient[i] * twist[i];
    for (int j = 0; j <= i; j++, e++)
      curvature += (i == j ? 1 : 2) * at.hessian[e] * twist[i] * twist[j];
  }
  // Along its own twist the chart does not turn: the second derivative is the difference of the slopes.
  double second = (up_slope - down_slope) / (2 * h);
  CHECK(fabs(difference - slope) <= 1e-6 * fabs(slope), "%s, gap %g: %g, differences %g", model->name, gap, slope,
        difference);  // 2e-8 observed
  if (model->flags & DC_CONTACT_TWICE_DIFFERENTIABLE)
    CHECK(fabs(second - curvature) <= 1e-6 * fabs(curvature), "%s, gap %g: %g, differences %g", model->name, gap,
          curvature, second);  // 2e-8 observed
  CHECK(at.energy > 0 && isfinite(at.energy), "%g", at.energy);
  scene_end(&scene);
}

// The largest gap, as a fraction of the radius, at which a model of local support acts.
static double reach(const struct dc_contact_model *model)
{
  double low = 0, high = 20;
  for (int i = 0; i < 50; i++) {
    struct scene scene;
    struct dc_pair_derivatives pair;
    double middle = 0.5 * (low + high);
    struct dc_contact *contact = two_balls(&scene, model, middle);
    if (energy_at(contact, scene.poses, 0, (const double[6]){0}, &pair) > 0)
      low = middle;
    else
      high = middle;
    scene_end(&scene);
  }
  return low;
}

static void test_derivatives(void)
{
  for (int i = 0; dc_contact_models[i]; i++) {
    const struct dc_contact_model *model = dc_contact_models[i];
    if (model->flags & DC_CONTACT_FOREIGN)
      continue;
    double end = model->flags & DC_CONTACT_LONG_RANGE ? 20 : reach(model);
    printf("# %s: from 1e-3 to %g radii\n", model->name, end);
    CHECK(end > 1e-3, "%s acts at all", model->name);
    for (double gap = 1e-3; gap < 0.5 * end; gap *= 10)
      check_derivatives(model, gap);
    check_derivatives(model, 0.5 * end);
  }
}

// What has no long range is exactly zero beyond where it ends.
static void test_local_support(void)
{
  for (int i = 0; dc_contact_models[i]; i++) {
    const struct dc_contact_model *model = dc_contact_models[i];
    if (model->flags & (DC_CONTACT_LONG_RANGE | DC_CONTACT_FOREIGN))
      continue;
    struct scene scene;
    struct dc_pair_derivatives pair, zero;
    struct dc_contact *contact = two_balls(&scene, model, 1.001 * reach(model));
    memset(&zero, 0, sizeof zero);
    dc_contact_evaluate(contact, scene.poses, 2, &pair);
    dc_vec_copy(zero.arm, pair.arm);
    zero.idle = true;
    CHECK(memcmp(&pair, &zero, sizeof pair) == 0, "%s beyond its support: %g", model->name, pair.energy);
    scene_end(&scene);
  }
}

static void test_barrier(void)
{
  for (int i = 0; dc_contact_models[i]; i++) {
    struct scene scene;
    struct dc_contact *contact = two_balls(&scene, dc_contact_models[i], -0.1);
    struct dc_pair_derivatives pair;
    CHECK(dc_contact_evaluate(contact, scene.poses, 0, &pair) == INFINITY, "%s", dc_contact_models[i]->name);
    scene_end(&scene);
  }
}

// What is of long range pushes at any distance, what is not does nothing there, to the bit.
static void test_long_range(void)
{
  for (int i = 0; dc_contact_models[i]; i++) {
    const struct dc_contact_model *model = dc_contact_models[i];
    if (model->flags & DC_CONTACT_FOREIGN)
      continue;
    struct scene scene;
    struct dc_contact *contact = two_balls(&scene, model, 500);
    struct dc_pair_derivatives pair;
    dc_contact_evaluate(contact, scene.poses, 2, &pair);
    if (model->flags & DC_CONTACT_LONG_RANGE) {
      CHECK(-dc_vec_dot(pair.gradient + 3, direction) > 0, "%s pushes apart at 500 radii", model->name);
    } else {
      CHECK(pair.energy == 0, "%s: %g at 500 radii", model->name, pair.energy);
      for (int e = 0; e < 21; e++)
        CHECK(pair.gradient[e % 6] == 0 && pair.hessian[e] == 0, "%s at 500 radii: %d", model->name, e);
    }
    CHECK(dc_contact_min_gap(contact) > 0 && dc_contact_min_gap(contact) <= 0.2 * 500 * (1 + 1e-9), "%s: gap %g",
          model->name, dc_contact_min_gap(contact));
    scene_end(&scene);
  }
}

// Six plates side by side on a large one, slid and turned a little: bits of friction, its derivatives and its pull back
// do not depend on the number of threads.
static void test_friction_threads(void)
{
  enum { PLATES = 6, BODIES = PLATES + 1, MOST_PAIRS = BODIES * (BODIES - 1) / 2 };
  struct result {
    double energy, wrenches[BODIES][6], coefficient[BODIES], stiffness;
    struct dc_friction_derivatives pairs[MOST_PAIRS];
  };
  static struct result results[4];
  double coefficient[BODIES];
  for (int i = 0; dc_contact_models[i]; i++) {
    const struct dc_contact_model *model = dc_contact_models[i];
    struct dc_pair_derivatives pairs[MOST_PAIRS];
    struct dc_pose next[BODIES];
    double twists[BODIES][6] = {{0}};
    struct dc_random random;
    struct scene scene;
    if (!(model->flags & DC_CONTACT_FRICTION) || model->flags & DC_CONTACT_FOREIGN)
      continue;
    scene_start(&scene);
    for (int k = 0; k < PLATES; k++)
      scene_body(&scene, false, "box size=0.2,0.2,0.1 divisions=6,6,1");
    scene_body(&scene, true, "box size=0.7,0.5,0.1 divisions=12,8,1");
    scene_finish(&scene);
    struct dc_contact *contact = scene_contact(&scene, model->name, "dhat=0.02 hulls=triangles support=0.05");
    dc_random_seed(&random, 3);
    memcpy(next, scene.poses, sizeof next);
    for (int k = 0; k < BODIES; k++) {
      coefficient[k] = 0.4 + 0.1 * k;
      if (k == PLATES)
        continue;
      dc_vec_copy(scene.poses[k].position, (double[3]){0.21 * (k % 3 - 1), 0.21 * (k / 3) - 0.105, 0.101});
      double motion[6];
      for (int e = 0; e < 6; e++) {
        motion[e] = 1e-4 * dc_random_normal(&random);
        twists[k][e] = dc_random_normal(&random);
      }
      pose_move(&scene.poses[k], 1, motion, &next[k]);
    }
    struct dc_friction_law law = {.stiffness = 1e-3, .time_step = 0.01, .smoothing = 1e-3, .coefficient = coefficient};
    dc_contact_evaluate(contact, scene.poses, 0, pairs);
    for (int threads = 1; threads < 5; threads++) {
      struct result *result = &results[threads - 1];
      scene_threads(threads);
      memset(result, 0, sizeof *result);
      scene_need(&scene, !dc_contact_friction_begin(contact, scene.poses, &law, &scene.error), "friction");
      result->energy = dc_contact_friction_evaluate(contact, next, 2, DC_FRICTION_EXACT, result->pairs);
      dc_contact_friction_pull_back(contact, next, (const double(*)[6])twists, result->wrenches, result->coefficient,
                                    &result->stiffness, NULL);
      CHECK(memcmp(result, &results[0], sizeof *result) == 0, "%s with %d threads", model->name, threads);
    }
    CHECK(results[0].energy > 0 && dc_friction_worth_threads(contact->friction), "%s: %g", model->name,
          results[0].energy);
    scene_end(&scene);
  }
}

// A step that ends inside the other ball is cut before they meet, also after a reset.
static void test_safe_step(void)
{
  for (int i = 0; dc_contact_models[i]; i++) {
    const struct dc_contact_model *model = dc_contact_models[i];
    if (model->flags & DC_CONTACT_FOREIGN)
      continue;
    struct scene scene;
    struct dc_contact *contact = two_balls(&scene, model, 0.1);
    struct dc_pair_derivatives pair;
    double twists[2][6] = {{0}}, fraction[2];
    dc_vec_scale(twists[0] + 3, direction, -0.1);  // 0.02 m lie between them
    dc_contact_evaluate(contact, scene.poses, 2, &pair);
    for (int reset = 0; reset < 2; reset++) {
      fraction[reset] = safe_fraction_of(contact, scene_path(&scene, (const double(*)[6])twists));
      dc_contact_reset(contact);
    }
    for (int reset = 0; reset < 2; reset++)  // 0.180 to 0.186 observed
      CHECK(fraction[reset] > 0.1 && fraction[reset] < 0.2, "%s, reset %d: %g", model->name, reset, fraction[reset]);
    printf("# %s: %g, after a reset %g\n", model->name, fraction[0], fraction[1]);
    scene_end(&scene);
  }
}

static void test_descriptors(void)
{
  for (int i = 0; dc_contact_models[i]; i++) {
    const struct dc_contact_model *model = dc_contact_models[i];
    CHECK(model->name && model->summary && model->reference && model->options, "complete");
    CHECK(dc_contact_model_find(model->name) == model, "%s", model->name);
  }
  CHECK(dc_contact_model_find("none of these") == NULL, "unknown");
}

RUN_TESTS({"descriptors", test_descriptors}, {"derivatives", test_derivatives}, {"local support", test_local_support},
          {"threads and friction", test_friction_threads}, {"barrier", test_barrier}, {"long range", test_long_range},
          {"a step is cut before bodies meet", test_safe_step})
