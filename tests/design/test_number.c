// SPDX-License-Identifier: Apache-2.0
// Design parameters: every kind of number against differences, bounds, groups, names; in a task behind its controls.
#include "harness.h"

#include "base/random.h"
#include "design/number_kinds.h"
#include "io/scene/scene.h"
#include "plan/trajectory_plan.h"
#include "scene_files.h"

// A box that falls onto the ground and leaves it again, an arm of two links with actuators and limits, contact with
// friction: every kind is there.
static const char head[] =
    "{'time': {'step': 0.02, 'steps': 20}, 'contact': {'model': 'bsh', 'stiffness': 2e-4, 'friction': 0.5,"
    " 'friction_smoothing': 0.05}, 'shapes': {'box': {'type': 'box', 'size': [0.3, 0.3, 0.3]}, 'ground': {'type': "
    "'plane'}},"
    "'bodies': [{'name': 'ground', 'joint': 'fixed', 'shape': 'ground'},"
    "{'name': 'box', 'shape': 'box', 'mass': 2, 'position': [0, 0, 0.2], 'velocity': [1, 0, -1],"
    " 'restitution': 0.5},"
    "{'name': 'arm', 'joint': {'type': 'planar', 'axis': [0, 1, 0]}, 'shape': 'box', 'mass': 3,"
    " 'position': [0.6, 0, 0.8], 'joint_velocity': [0.1, -0.2, 0.3], 'pd': {'kp': 30, 'kd': 2}},"
    "{'name': 'hand', 'parent': 'arm', 'joint': 'hinge', 'axis': [0, 1, 0], 'anchor': [0.85, 0, 0.8],"
    " 'position': [1.1, 0, 0.8], 'shape': 'box', 'mass': 1, 'joint_position': [0.4], 'range': [-1, 0.45],"
    " 'pd': {'kp': 20, 'kd': 1, 'kp_rotation': 10}}],"
    "'control': [{'type': 'initial_state', 'body': 'box', 'velocity': 'xy'}],"
    "'objective': [{'type': 'reach', 'body': 'box', 'target': [0.4, 0.1, 0.2], 'when': 'every'},"
    " {'type': 'reach', 'body': 'hand', 'target': [0.8, 0, 1], 'when': 'every'},"
    " {'type': 'effort', 'weight': 1e-3}]";

static struct dc_scene *open_scene(const char *design)
{
  char text[4096];
  struct dc_scene *scene;
  struct dc_error error = {0};
  snprintf(text, sizeof text, "%s, 'design': [%s]}", head, design);
  write_scene("scene.json", text);
  enum dc_status status = dc_scene_read("scene.json", NULL, &scene, &error);
  CHECK(status == DC_OK, "%s", error.text);
  if (status)
    exit(1);
  return scene;
}

// One kind alone: apply and pull_back of a linear function of the input.

static double linear(const struct dc_scene *scene, const struct dc_number_kind *kind,
                     const struct dc_rollout_input *input)
{
  struct dc_random random;
  double sum = 0;
  dc_random_seed(&random, 5);
  for (int i = 0; i < dc_number_count(kind, &scene->model); i++)
    sum += dc_random_uniform(&random) * *dc_number_in_input(kind, &scene->model, (struct dc_rollout_input *)input, i);
  return sum;
}

static void set_linear(const struct dc_scene *scene, const struct dc_number_kind *kind,
                       struct dc_rollout_cotangent *cotangent)
{
  struct dc_random random;
  dc_random_seed(&random, 5);
  dc_rollout_cotangent_clear(&scene->model, cotangent);
  for (int i = 0; i < dc_number_count(kind, &scene->model); i++)
    *dc_number_in_cotangent(kind, &scene->model, cotangent, i) = dc_random_uniform(&random);
}

static double value_at(const struct dc_scene *scene, const struct dc_number_kind *kind, const double *parameters,
                       struct dc_rollout_input *input)
{
  const struct dc_design_entry *entry = scene->task.design;
  dc_rollout_input_reset(&scene->model, input);
  entry->type->apply(entry->options, &scene->model, parameters, input);
  return linear(scene, kind, input);
}

enum { MOST = 16 };

// The forward product against the transposed one: of directions u of the input before and p of the parameters
//     c . push(u, p) = pulled . u + gradient . p,   cotangent c pulled back to `pulled` and gradient.
static void check_push(const struct dc_scene *scene, const struct dc_number_kind *kind, const double *parameters,
                       const struct dc_rollout_cotangent *pulled, const double *gradient)
{
  const struct dc_design_entry *entry = scene->task.design;
  struct dc_rollout_cotangent *moved = dc_rollout_cotangent_create(&scene->model, 0);
  struct dc_rollout_cotangent *by = dc_rollout_cotangent_create(&scene->model, 0);
  double direction[MOST], pushed = 0, expected = 0, size = 0;
  struct dc_random random;
  dc_random_seed(&random, 11);
  for (int i = 0; i < entry->type->parameter_count(entry->options, &scene->model); i++) {
    direction[i] = dc_random_normal(&random);
    expected += direction[i] * gradient[i];
    size += fabs(direction[i] * gradient[i]);
  }
  for (int i = 0; i < dc_number_count(kind, &scene->model); i++) {
    double *at = dc_number_in_cotangent(kind, &scene->model, moved, i);
    *at = dc_random_normal(&random);
    double product = *at * *dc_number_in_cotangent(kind, &scene->model, (struct dc_rollout_cotangent *)pulled, i);
    expected += product, size += fabs(product);
  }
  set_linear(scene, kind, by);
  entry->type->push_forward(entry->options, &scene->model, parameters, direction, moved);
  for (int i = 0; i < dc_number_count(kind, &scene->model); i++)
    pushed +=
        *dc_number_in_cotangent(kind, &scene->model, by, i) * *dc_number_in_cotangent(kind, &scene->model, moved, i);
  CHECK(fabs(pushed - expected) <= 1e-14 * size, "%s: %g instead of %g", kind->name, pushed, expected);
  dc_rollout_cotangent_destroy(moved);
  dc_rollout_cotangent_destroy(by);
}

static void check_kind(const struct dc_number_kind *kind, const char *more)
{
  char design[256], name[128];
  snprintf(design, sizeof design, "{'type': 'number', 'of': '%s', 'scale': 0.7%s}", kind->name, more);
  struct dc_scene *scene = open_scene(design);
  const struct dc_design_entry *entry = scene->task.design;
  int count = entry->type->parameter_count(entry->options, &scene->model);
  struct dc_rollout_input *input = dc_rollout_input_create(&scene->model, 0);
  struct dc_rollout_cotangent *cotangent = dc_rollout_cotangent_create(&scene->model, 0);
  double parameters[MOST], gradient[MOST];
  struct dc_random random;
  dc_random_seed(&random, 9);
  CHECK(count > 0 && count <= MOST, "%s: %d", kind->name, count);
  for (int i = 0; i < count; i++)
    parameters[i] = dc_random_uniform(&random) - 0.5;
  value_at(scene, kind, parameters, input);
  set_linear(scene, kind, cotangent);
  entry->type->pull_back(entry->options, &scene->model, parameters, cotangent, gradient);
  for (int i = 0; i < count; i++) {
    double kept = parameters[i], step = 1e-4;
    parameters[i] = kept + step;
    double up = value_at(scene, kind, parameters, input);
    parameters[i] = kept - step;
    double down = value_at(scene, kind, parameters, input);
    parameters[i] = kept;
    entry->type->parameter_name(entry->options, &scene->model, i, name, sizeof name);
    CHECK(gradient[i] != 0, "%s", name);
    // 4e-10 observed: the square of the step times a third derivative
    CHECK(fabs(gradient[i] - (up - down) / (2 * step)) <= 2e-9 * fabs(gradient[i]), "%s: %g", name,
          gradient[i] - (up - down) / (2 * step));
  }
  check_push(scene, kind, parameters, cotangent, gradient);
  // what is left is the derivative by the input before: by factors, times what they were multiplied by
  for (int i = 0, k = 0; kind->factor && !strstr(more, "together") && i < dc_number_count(kind, &scene->model); i++) {
    if (!dc_number_is_present(kind, &scene->model, i))
      continue;
    CHECK(fabs(0.7 * *dc_number_in_cotangent(kind, &scene->model, cotangent, i) - gradient[k]) <= 1e-15, "%s %d",
          kind->name, i);
    k++;
  }
  dc_rollout_cotangent_destroy(cotangent);
  dc_rollout_input_destroy(input);
  dc_scene_destroy(scene);
}

static void test_kinds(void)
{
  for (int k = 0; dc_number_kinds[k]; k++) {
    CHECK(strcmp(dc_number_kinds[k]->name, dc_number_names[k]) == 0 && dc_number_kinds[k]->summary, "%d", k);
    // there is no soft body here: tests/cli/test_soft.sh compares these with differences
    if (dc_number_kinds[k] == &dc_number_young || dc_number_kinds[k] == &dc_number_poisson ||
        dc_number_kinds[k] == &dc_number_bending || dc_number_kinds[k] == &dc_number_pressure ||
        dc_number_kinds[k] == &dc_number_wind || dc_number_kinds[k] == &dc_number_young_element)
      continue;
    check_kind(dc_number_kinds[k], "");
    if (dc_number_kinds[k]->index == DC_NUMBER_OF_BODY)
      check_kind(dc_number_kinds[k], ", 'together': true");
  }
}

// All kinds in one rollout.

static const char all_kinds[] = "{'type': 'number', 'of': 'mass', 'bodies': ['box', 'hand'], 'range': [0.5, 2]},"
                                "{'type': 'number', 'of': 'friction', 'bodies': ['box']},"
                                "{'type': 'number', 'of': 'kp', 'together': true},"
                                "{'type': 'number', 'of': 'kd', 'scale': 0.5, 'range': [0.25, 4]},"
                                "{'type': 'number', 'of': 'gravity', 'axes': 'xz', 'range': [-12, 3]},"
                                "{'type': 'number', 'of': 'stiffness'},"
                                "{'type': 'number', 'of': 'position', 'bodies': ['hand', 'arm']},"
                                "{'type': 'number', 'of': 'velocity', 'bodies': ['arm']},"
                                "{'type': 'number', 'of': 'limit_stiffness', 'scale': 3},"
                                "{'type': 'number', 'of': 'restitution', 'range': [0.2, 0.9]},"
                                "{'type': 'number', 'of': 'lower_limit'},"
                                "{'type': 'number', 'of': 'upper_limit', 'range': [0.43, 2]}";
static const char *const all_names[] = {"box.velocity.x",
                                        "box.velocity.y",
                                        "box.mass",
                                        "hand.mass",
                                        "box.friction",
                                        "arm+hand.kp",
                                        "arm.kd",
                                        "hand.kd",
                                        "gravity.x",
                                        "gravity.z",
                                        "contact.stiffness",
                                        "arm.position.0",
                                        "arm.position.1",
                                        "arm.position.2",
                                        "hand.position.0",
                                        "arm.velocity.0",
                                        "arm.velocity.1",
                                        "arm.velocity.2",
                                        "hand.limit_stiffness",
                                        "box.restitution",
                                        "hand.lower_limit.0",
                                        "hand.upper_limit.0"};
static const char *const all_units[] = {"m/s",   "m/s",   "1", "1", "1",   "1",   "1",   "1",
                                        "m/s^2", "m/s^2", "1", "m", "m",   "rad", "rad", "m/s",
                                        "m/s",   "rad/s", "1", "1", "rad", "rad"};
enum { ALL = sizeof all_names / sizeof *all_names };

static struct dc_plan *open_plan(const struct dc_scene *scene)
{
  struct dc_error error = {0};
  struct dc_plan *plan = dc_plan_create(&scene->model, &scene->task, 20, &error);
  CHECK(plan, "%s", error.text);
  dc_rollout_set_tight(plan->rollout, true);
  return plan;
}

static double loss_at(struct dc_plan *plan, const double *parameters, double *gradient)
{
  double loss = NAN;
  struct dc_error error = {0};
  CHECK(dc_plan_evaluate(plan, parameters, &loss, gradient, &error) == DC_OK, "%s", error.text);
  return loss;
}

static void test_rollout(void)
{
  struct dc_scene *scene = open_scene(all_kinds);
  struct dc_plan *plan = open_plan(scene);
  double parameters[ALL], gradient[ALL] = {0};
  struct dc_random random;
  CHECK(plan->parameter_count == ALL, "%d", plan->parameter_count);
  dc_random_seed(&random, 3);
  for (int i = 0; i < ALL; i++)
    parameters[i] = 0.2 * dc_random_uniform(&random) - 0.1;
  loss_at(plan, parameters, gradient);
  for (int i = 0; i < ALL; i++) {
    // two steps, extrapolated
    double kept = parameters[i], slopes[2];
    for (int k = 0; k < 2; k++) {
      double step = 2.5e-4 / (1 + k);
      parameters[i] = kept + step;
      double up = loss_at(plan, parameters, NULL);
      parameters[i] = kept - step;
      slopes[k] = (up - loss_at(plan, parameters, NULL)) / (2 * step);
    }
    parameters[i] = kept;
    double difference = slopes[1] + (slopes[1] - slopes[0]) / 3;
    CHECK(gradient[i] != 0, "%s", all_names[i]);
    // 2e-9 observed at worst
    CHECK(fabs(difference - gradient[i]) <= 1e-8 * fmax(fabs(gradient[i]), 1e-2), "%s: %.12g, difference %.12g",
          all_names[i], gradient[i], difference);
  }
  dc_plan_destroy(plan);
  dc_scene_destroy(scene);
}

// A design at its start gives the bits of the scene without it.
static void test_start(void)
{
  struct dc_scene *with = open_scene(all_kinds), *without = open_scene("");
  struct dc_plan *one = open_plan(with), *other = open_plan(without);
  double a = loss_at(one, one->parameters, NULL), b = loss_at(other, other->parameters, NULL);
  CHECK(a == b, "%.17g %.17g", a, b);
  dc_plan_destroy(one);
  dc_plan_destroy(other);
  dc_scene_destroy(with);
  dc_scene_destroy(without);
}

// At the bounds values are those of the ranges.
static void check_ends(const struct dc_task *task, const struct dc_model *model, const double *low, const double *high)
{
  struct dc_design_value value;
  double ends[2][ALL] = {{0}};
  for (int i = 0; i < ALL; i++)
    ends[0][i] = isinf(low[i]) ? 0 : low[i], ends[1][i] = isinf(high[i]) ? 0 : high[i];
  const double masses[2] = {1, 4}, gains[2] = {0.5, 8}, gravity[2] = {-12, 3}, rebounds[2] = {0.2, 0.9};
  // a hundredth of its range before the start
  const double lower[2] = {-1, 0.4 - 0.0145}, upper[2] = {0.43, 2};
  for (int end = 0; end < 2; end++)
    for (int i = 0; dc_task_design_value(task, model, 20, ends[end], i, &value); i++) {
      double wanted = value.initial;
      if (strcmp(value.name, "box.mass") == 0)
        wanted = masses[end];
      else if (strcmp(value.name, "arm.kd") == 0)
        wanted = gains[end];
      else if (strstr(value.name, "gravity"))
        wanted = gravity[end];
      else if (strcmp(value.name, "box.restitution") == 0)
        wanted = rebounds[end];
      else if (strcmp(value.name, "hand.lower_limit.0") == 0)
        wanted = lower[end];
      else if (strcmp(value.name, "hand.upper_limit.0") == 0)
        wanted = upper[end];
      else if (strstr(value.name, "mass") || strstr(value.name, "kd"))
        continue;
      CHECK_NEAR(value.value, wanted, 1e-14 * fabs(wanted));
    }
  // every body of a common factor has its value; a joint with lengths tells the gain of lengths
  int rows = 0, gains_told = 0;
  for (; dc_task_design_value(task, model, 20, ends[0], rows, &value); rows++)
    if (strcmp(value.name, "arm.kp") == 0 || strcmp(value.name, "hand.kp") == 0) {
      bool arm = value.name[0] == 'a';
      CHECK(value.initial == (arm ? 30 : 10) && strcmp(value.unit, arm ? "N/m" : "N m/rad") == 0, "%s %g %s",
            value.name, value.initial, value.unit);
      gains_told++;
    }
  CHECK(rows == ALL - 2 + 1 && gains_told == 2, "%d %d", rows, gains_told);
}

static void test_vector(void)
{
  struct dc_scene *scene = open_scene(all_kinds);
  const struct dc_task *task = &scene->task;
  const struct dc_model *model = &scene->model;
  double low[ALL], high[ALL];
  int group[ALL], expected[ALL] = {0, 0, 1, 2, 3, 4, 5, 6, 7, 7, 8, 9, 9, 9, 10, 11, 11, 11, 12, 13, 14, 15};
  CHECK(dc_task_control_parameter_count(task, model, 20) == 2 && dc_task_parameter_count(task, model, 20) == ALL,
        "counts");
  CHECK(dc_task_groups(task, model, 20, group) == 16, "groups");
  CHECK(dc_task_bounds(task, model, 20, low, high), "bounds");
  for (int i = 0; i < ALL; i++) {
    char name[128];
    dc_task_parameter_name(task, model, 20, i, name, sizeof name);
    CHECK(strcmp(name, all_names[i]) == 0, "\"%s\" instead of \"%s\"", name, all_names[i]);
    double scale;
    const char *unit = dc_task_parameter_unit(task, model, 20, i, &scale);
    CHECK(strcmp(unit, all_units[i]) == 0 && scale == (strstr(name, ".kd")           ? 0.5
                                                       : strstr(name, "limit_stiff") ? 3
                                                                                     : 1),
          "%s: \"%s\" instead of \"%s\", scale %g", name, unit, all_units[i], scale);
    CHECK(group[i] == expected[i], "%s: group %d", name, group[i]);
    bool bounded = strstr(name, "mass") || strstr(name, "kd") || strstr(name, "gravity") ||
                   strstr(name, "restitution") || strstr(name, "upper_limit");
    bool above = bounded || strstr(name, "lower_limit");  // which the start bounds
    CHECK(bounded == !isinf(low[i]) && above == !isinf(high[i]) && low[i] <= 0 && high[i] >= 0, "%s: %g %g", name,
          low[i], high[i]);
  }
  check_ends(task, model, low, high);
  dc_scene_destroy(scene);
}

// Parameters for fewer steps keep those of the design.
static void test_resize(void)
{
  struct dc_scene *scene = open_scene(all_kinds);
  double from[ALL], to[ALL];
  for (int i = 0; i < ALL; i++)
    from[i] = i, to[i] = -1;
  dc_parameters_resize(&scene->task, &scene->model, 20, from, 3, to);
  for (int i = 0; i < ALL; i++)
    CHECK(to[i] == i, "%s: %g", all_names[i], to[i]);
  dc_scene_destroy(scene);
}

static void test_registry(void)
{
  struct dc_arena *arena = dc_arena_create();
  for (int i = 0; dc_design_types[i]; i++) {
    const struct dc_design_type *type = dc_design_types[i];
    void *options = dc_arena_alloc(arena, 1, type->options_size);
    CHECK(dc_options_set_defaults(type->options, options, arena, NULL) == DC_OK, "%s", type->name);
    CHECK(type->summary && type->reference && type->check && type->parameter_count && type->parameter_name &&
              type->parameter_unit && type->bounds && type->apply && type->pull_back && type->push_forward &&
              type->value,
          "%s", type->name);
  }
  dc_arena_destroy(arena);
}

RUN_TESTS_IN_TEMPORARY_FOLDER({"every kind against differences", test_kinds},
                              {"all kinds in a rollout against differences", test_rollout},
                              {"a design at its start changes nothing", test_start},
                              {"names, groups, bounds and values", test_vector},
                              {"parameters for fewer steps", test_resize},
                              {"registry of design parameters", test_registry})
