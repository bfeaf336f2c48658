// SPDX-License-Identifier: Apache-2.0
// Gradients with known answers: what the registered models get right, and what a model of local support must get wrong.
#include <string.h>

#include "harness.h"
#include "bench/gradients.h"

static void run(const char *name, const struct dc_contact_model *model, struct dc_gradient_result *result)
{
  struct dc_error error = {0};
  int i = 0;
  while (i < dc_bench_gradient_count() && strcmp(dc_bench_gradient_name(i), name) != 0)
    i++;
  CHECK(i < dc_bench_gradient_count(), "no case %s", name);
  CHECK(dc_bench_gradient(model, i, result, &error) == DC_OK, "%s", error.text);
}

static void show(const struct dc_contact_model *model, const struct dc_gradient_result *result)
{
  for (int i = 0; i < result->count; i++) {
    const struct dc_gradient_entry *entry = &result->entries[i];
    printf("# %s, %s, %s: %.6g, expected %.6g, differences %.6g\n", model->name, result->name, entry->quantity,
           entry->computed, entry->expected, entry->difference);
  }
}

// A long-range model without kinks gets all of them right.
static void test_long_range(void)
{
  const unsigned both = DC_CONTACT_TWICE_DIFFERENTIABLE | DC_CONTACT_LONG_RANGE;
  for (int m = 0; dc_contact_models[m]; m++) {
    const struct dc_contact_model *model = dc_contact_models[m];
    if ((model->flags & both) != both || model->flags & DC_CONTACT_FOREIGN)
      continue;
    for (int i = 0; i < dc_bench_gradient_count(); i++) {
      struct dc_gradient_result result;
      struct dc_error error = {0};
      CHECK(dc_bench_gradient(model, i, &result, &error) == DC_OK, "%s", error.text);
      show(model, &result);
      CHECK(result.score && result.count > 0 && !result.status, "%s, %s: %s", model->name, result.name, result.message);
    }
  }
}

// Beyond its reach a local model says nothing: the gradient is exactly zero and the optimizer stays where it is.
static void test_local(void)
{
  struct dc_contact_model local = *dc_contact_model_find("bsh");
  struct dc_gradient_result result;
  local.local = true;
  run("miss", &local, &result);
  CHECK(result.count == 1 && !result.score, "%d", result.count);
  CHECK_NEAR(result.entries[0].computed, 0, 0);
  run("push", &local, &result);
  CHECK(result.count == 2 && !result.score, "%d", result.count);
  CHECK_NEAR(result.entries[0].computed, 1, 0);
}

// A model that brings its own stepper has differences only.
static void test_differences(void)
{
  const struct dc_contact_model *foreign = dc_contact_model_find("mujoco");
  struct dc_gradient_result result, own;
  if (!foreign)
    SKIP("built without MuJoCo");
  run("flight", foreign, &result);
  run("flight", dc_contact_model_find("bsh"), &own);
  CHECK(result.score && result.entries[0].computed == result.entries[0].difference, "differences only");
  CHECK(own.score && own.entries[0].computed != own.entries[0].difference, "the adjoint was used");
}

RUN_TESTS({"long range", test_long_range}, {"local", test_local}, {"differences", test_differences})
