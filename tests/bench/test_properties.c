// SPDX-License-Identifier: Apache-2.0
// The measured properties of the registered models, and of models that are broken in one way each.
#include "bench/cone.h"
#include "bench/properties.h"
#include "contact/contact_scene.h"

static void measure(const struct dc_contact_model *model, struct dc_contact_properties *properties)
{
  struct dc_error error = {0};
  enum dc_status status = dc_bench_properties(model, 2, properties, &error);
  CHECK(status == DC_OK, "%s: %s", model->name, error.text);
  printf("# %s: barrier gain %.3g, %ld of %ld; jump %.3g -> %.3g (%s); angle %.3g; least %.3g, zero at %.3g\n",
         model->name, properties->barrier.gain, properties->barrier.failures, properties->barrier.poses,
         properties->smooth.jump, properties->smooth.jump_tenth, properties->smooth.path, properties->pushing.angle,
         properties->lasting.least, properties->lasting.vanishes);
}

static void expect(const struct dc_contact_properties *properties, bool barrier, bool smooth, bool pushing,
                   bool lasting)
{
  CHECK(properties->barrier.holds == barrier, "%s: barrier %d", properties->model, properties->barrier.holds);
  CHECK(properties->smooth.holds == smooth, "%s: smooth %d", properties->model, properties->smooth.holds);
  CHECK(properties->pushing.holds == pushing, "%s: pushing %d", properties->model, properties->pushing.holds);
  CHECK(properties->lasting.holds == lasting, "%s: lasting %d", properties->model, properties->lasting.holds);
}

static void test_registered(void)
{
  for (int i = 0; dc_contact_models[i]; i++) {
    const struct dc_contact_model *model = dc_contact_models[i];
    struct dc_contact_properties properties;
    if (model->flags & DC_CONTACT_FOREIGN)
      continue;
    measure(model, &properties);
    // manifold refuses the bent bar, which is not known as a union of convex parts
    CHECK(properties.left_out == (strcmp(model->name, "manifold") == 0), "%s: %d pairs left out", model->name,
          properties.left_out);
    CHECK(properties.barrier.failures == 0, "%s: %ld", model->name, properties.barrier.failures);
    expect(&properties, true, dc_properties_expected_smooth(model), dc_properties_expected_pushing(model),
           dc_properties_expected_lasting(model));
    CHECK(properties.pushing.poses > 10 && properties.smooth.paths > 10, "%ld, %ld", properties.pushing.poses,
          properties.smooth.paths);
  }
}

static void test_local(void)
{
  struct dc_contact_model local = *dc_contact_model_find("bsh");
  struct dc_contact_properties properties;
  local.local = true;
  measure(&local, &properties);
  expect(&properties, true, true, true, false);
  CHECK(properties.lasting.least == 0 && properties.lasting.vanishes < 10, "%g", properties.lasting.vanishes);
}

// Broken models: what dc_bsh_methods return, spoilt.

enum fault { PULLS, BOUNDED, LEAKS, KINKED, FAULTS };
static enum fault fault;

static void evaluate_spoilt(struct dc_contact *contact, int p, const struct dc_pose *poses, int order,
                            struct dc_pair_derivatives *result)
{
  dc_bsh_methods.evaluate_pair(contact, p, poses, order, result);
  if (fault == PULLS)
    for (int i = 0; i < 6; i++)
      result->gradient[i] = -result->gradient[i];
  if (fault == BOUNDED && isfinite(result->energy))
    result->energy /= 1 + result->energy / 100;
  if (fault == LEAKS && !isfinite(result->energy))
    result->energy = 1e6;
  // A part of the force changes its slope where a's centre passes a plane.
  if (fault == KINKED)
    result->gradient[3] += 1e-2 * dc_vec_norm(result->gradient + 3) * fabs(result->arm[0] - 0.1);
}

static void test_broken(void)
{
  static const char *const names[FAULTS] = {"pulls", "bounded", "leaks", "kinked"};
  struct dc_contact_methods methods = dc_bsh_methods;
  struct dc_contact_model model = *dc_contact_model_find("exact");
  methods.evaluate_pair = evaluate_spoilt;
  model.methods = &methods;
  for (fault = PULLS; fault < FAULTS; fault++) {
    struct dc_contact_properties properties;
    model.name = names[fault];
    measure(&model, &properties);
    expect(&properties, fault != BOUNDED && fault != LEAKS, fault != KINKED, fault != PULLS, true);
    CHECK((properties.barrier.failures > 0) == (fault == LEAKS), "%ld", properties.barrier.failures);
  }
}

// Two unit cubes at 0 and at 3 along x: what pushes the second along (1, y, z) is inside for |y|, |z| <= 1/2, since the
// largest slope of a difference of points is 1/(3 - 1).
static void test_cone(void)
{
  double a[8][3], b[8][3];
  for (int i = 0; i < 8; i++)
    for (int k = 0; k < 3; k++) {
      b[i][k] = 0.5 * (i >> k & 1 ? 1 : -1);
      a[i][k] = b[i][k] + (k == 0 ? 3 : 0);
    }
  for (double y = -1.4; y < 1.5; y += 0.2)
    for (double z = -1.4; z < 1.5; z += 0.2) {
      double push[3] = {1, y, z}, nearest[3] = {1, 0.5, 0.5};
      double angle = dc_cone_angle(push, 8, (const double(*)[3])a, 8, (const double(*)[3])b);
      bool inside = fabs(y) <= 0.5 && fabs(z) <= 0.5;
      CHECK(inside ? angle < 1e-9 : angle > 1e-3, "(%g, %g): %g", y, z, angle);
      // Beyond a corner of the cone's section the nearest ray may be that corner's.
      if (fabs(y - z) < 1e-9 && y > 0.5)
        CHECK_NEAR(angle, acos(dc_vec_dot(push, nearest) / dc_vec_norm(push) / dc_vec_norm(nearest)), 1e-9);
    }
  double back[3] = {-1, 0, 0};
  CHECK_NEAR(dc_cone_angle(back, 8, (const double(*)[3])a, 8, (const double(*)[3])b), acos(-1) / 2, 1e-9);
}

RUN_TESTS({"cone", test_cone}, {"registered models", test_registered}, {"local", test_local}, {"broken", test_broken})
