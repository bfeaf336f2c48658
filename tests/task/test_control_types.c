// SPDX-License-Identifier: Apache-2.0
// What all controls share: their registry, and targets that are led to the end of a step.
#include "harness.h"

#include "hand_model.h"
#include "task/actuator_coordinates.h"

enum { MOST_PARAMETERS = 1000 };

struct targets {
  struct dc_rollout_input input;
  double position[ACTUATORS], velocity[ACTUATORS];
};

// Targets that lead to the end of a step stay within the bounds, with the derivatives of what they are there.
static void test_led_bounds(void)
{
  struct dc_model model = hand_model();
  const double lead = 0.02, small = 1e-6, weights[2] = {0.7, -0.4};
  struct dc_actuator_coordinate coordinate = {.entry = 1, .scale = 2, .bounds = {-1, 1}};
  int met = 0;
  for (double y = -1.013; y < 1; y += 0.05)
    for (double rate = -31; rate < 32; rate += 2) {
      double by_y, by_rate, values[4], at[4][2] = {{small, 0}, {-small, 0}, {0, small}, {0, -small}};
      struct targets targets, pulls = {0};
      for (int i = -1; i < 4; i++) {
        memset(&targets, 0, sizeof targets);
        targets.input =
            (struct dc_rollout_input){.target_position = targets.position, .target_velocity = targets.velocity};
        dc_actuator_add_target(&coordinate, &model, 0, lead, y + (i < 0 ? 0 : at[i][0]), rate + (i < 0 ? 0 : at[i][1]),
                               &targets.input);
        CHECK(fabs(targets.position[1]) <= 1, "%.17g from %g at %g", targets.position[1], y, rate);
        met += i < 0 && fabs(targets.position[1]) == 1;
        if (i >= 0)
          values[i] = weights[0] * targets.position[1] + weights[1] * targets.velocity[1];
      }
      pulls.position[1] = weights[0], pulls.velocity[1] = weights[1];
      struct dc_rollout_cotangent cotangent = {.target_position = pulls.position, .target_velocity = pulls.velocity};
      dc_actuator_pull_back(&coordinate, &model, 0, lead, y, rate, &cotangent, &by_y, &by_rate);
      CHECK_NEAR(by_y, (values[0] - values[1]) / (2 * small), 1e-6);
      CHECK_NEAR(by_rate, (values[2] - values[3]) / (2 * small), 1e-6);
    }
  CHECK(met > 100, "%d at a bound", met);
}

// Every entry of the registry is complete, its option table fills its structure, and what it says of parameters holds
// with the options that the tables give.
static void test_registry(void)
{
  struct dc_arena *arena = dc_arena_create();
  struct dc_model model = hand_model();
  for (int found = 0; dc_control_types[found]; found++) {
    const struct dc_control_type *type = dc_control_types[found];
    void *options = dc_arena_alloc(arena, 1, type->options_size);
    CHECK(dc_options_set_defaults(type->options, options, arena, NULL) == DC_OK, "%s", type->name);
    CHECK(type->summary && type->reference && type->check && type->parameter_count && type->parameter_name &&
              type->parameter_unit && type->initial && type->apply && type->pull_back && type->push_forward,
          "%s", type->name);
    CHECK(!type->state_size == !type->start && (!type->start || type->advance), "%s", type->name);
    int count = type->parameter_count(options, &model, 5), group[MOST_PARAMETERS], next = 0;
    double p[MOST_PARAMETERS];
    CHECK(count >= 0 && count <= MOST_PARAMETERS, "%s: %d parameters", type->name, count);
    type->initial(options, &model, 5, p);
    int groups = type->groups ? type->groups(options, &model, 5, group) : 0;
    for (int i = 0; i < count; i++) {
      char text[64] = "";
      double scale = NAN;
      const char *unit = type->parameter_unit(options, &model, 5, i, &scale);
      type->parameter_name(options, &model, 5, i, text, sizeof text);
      CHECK(unit && unit[0] && scale > 0, "%s: unit of parameter %d", type->name, i);
      CHECK(text[0] && isfinite(p[i]), "%s: parameter %d", type->name, i);
      CHECK(!type->groups || group[i] == next || group[i] == next - 1, "%s: group of %d", type->name, i);
      next = type->groups ? group[i] + 1 : 0;
    }
    CHECK(groups == next, "%s: %d groups", type->name, groups);
  }
  dc_arena_destroy(arena);
}

RUN_TESTS({"targets of second order keep bounds", test_led_bounds}, {"registry of controls", test_registry})
