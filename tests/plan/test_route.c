// SPDX-License-Identifier: Apache-2.0
// Ways of a pusher around, over and straight up to what it shall push.
#include "plan/route.h"

#include "plan_scene.h"

// A box of 2.5 kg and a rod on a plane; %g: where box, rod and target are, how high the rod may rise.
static const char scene_format[] =
    "{'name': 'push', 'time': {'step': 0.04, 'steps': 60},\n"
    " 'contact': {'model': 'bsh', 'stiffness': 0.0002, 'friction': 0.6, 'friction_smoothing': 0.1},\n"
    " 'shapes': {'box': {'type': 'box', 'size': [0.5, 0.5, 0.5]}, 'rod': {'type': 'box', 'size': [0.1, 0.6, 0.1]},\n"
    "            'ground': {'type': 'plane'}},\n"
    " 'bodies': [{'name': 'ground', 'joint': 'fixed', 'shape': 'ground'},\n"
    "            {'name': 'box', 'shape': 'box', 'mass': 2.5, 'position': [%g, %g, 0.259]},\n"
    "            {'name': 'rod', 'shape': 'rod', 'mass': 1, 'position': [%g, %g, 0.25], 'pd': {'kp': 1000, 'kd': "
    "10}}],\n"
    " 'control': [{'type': '%s', 'body': 'rod', 'coordinates': 'x y z rz', 'low': [-9, -9, -0.05, -1.6],\n"
    "              'high': [9, 9, %g, 1.6]%s}],\n"
    " 'objective': [{'type': 'reach', 'body': 'box', 'target': [%g, %g, 0.259], 'axes': 'xy', 'tolerance': 0.1,\n"
    "                'when': 'every', 'rest': 0.05}]}\n";
enum { BOX = 1, MOST = 24, STEPS = 60 };

struct layout {
  double box[2], rod[2], target[2], rise;
  bool velocity;  // control pd_velocity, else pd_targets
};

// The guesses of a layout, and what their rollouts show.
struct outcome {
  int count, reached;
  double before, lowest;  // loss of the rod at rest, of the best guess
};

static struct outcome try_layout(const struct layout *layout)
{
  char text[2048];
  const char *control = layout->velocity ? "pd_velocity" : "pd_targets";
  snprintf(text, sizeof text, scene_format, layout->box[0], layout->box[1], layout->rod[0], layout->rod[1], control,
           layout->rise, layout->velocity ? ", 'speed': 3" : "", layout->target[0], layout->target[1]);
  struct dc_scene *scene = read_scene(text);
  struct dc_error error = {0};
  struct dc_plan *plan = dc_plan_create(&scene->model, &scene->task, STEPS, &error);
  CHECK(plan, "%s", error.text);
  size_t size = (size_t)plan->parameter_count;
  double *base = calloc(size, sizeof *base), *guesses = calloc(MOST * size, sizeof *guesses), lengths[MOST];
  struct outcome outcome = {.lowest = INFINITY};
  bool memory = true;
  CHECK(dc_plan_evaluate(plan, base, &outcome.before, NULL, &error) == DC_OK, "%s", error.text);
  outcome.count = dc_route_guesses(plan, base, MOST, guesses, lengths, &memory);
  CHECK(!memory);
  for (int i = 0; i < outcome.count; i++) {
    double loss;
    if (dc_plan_evaluate(plan, guesses + (size_t)i * size, &loss, NULL, &error))
      continue;
    outcome.lowest = fmin(outcome.lowest, loss);
    outcome.reached += dc_task_success(&scene->task, &scene->model, NULL, plan->trajectory, STEPS);
  }
  free(base);
  free(guesses);
  dc_plan_destroy(plan);
  dc_scene_destroy(scene);
  return outcome;
}

// Wherever the rod stands about the box, a way leads behind it, and the box comes much nearer to its target.
static void test_all_around(void)
{
  int reached = 0;
  for (int velocity = 0; velocity < 2; velocity++)
    for (int k = 0; k < 12; k++) {
      double angle = 2 * 3.14159265358979 * k / 12;
      struct layout layout = {
          .rod = {0.9 * cos(angle), 0.9 * sin(angle)}, .target = {0.8, 0.3}, .rise = 0.05, .velocity = velocity};
      struct outcome outcome = try_layout(&layout);
      CHECK(outcome.count >= 2, "%d ways", outcome.count);
      CHECK(outcome.lowest < 0.8 * outcome.before, "rod at %d degrees: loss %g, %g at rest", 30 * k, outcome.lowest,
            outcome.before);
      reached += outcome.reached > 0;
    }
  CHECK(reached >= 12, "%d of 24", reached);
}

// A task and its mirror image have mirrored ways.
static void test_mirror(void)
{
  struct layout left = {.rod = {0.8, 0.6}, .target = {1, 0.5}, .rise = 0.05, .velocity = true}, right = left;
  right.rod[1] *= -1, right.target[1] *= -1;
  struct outcome a = try_layout(&left), b = try_layout(&right);
  CHECK(a.count == b.count && a.count == 4, "%d and %d ways", a.count, b.count);
  // The diagonals of faces are no mirror images: 1.5e-3 observed.
  CHECK_NEAR(a.lowest, b.lowest, 0.05 * a.lowest);
}

// Behind the box already there is one way at two speeds; with room above it the way leads over it; at the target none.
static void test_kinds(void)
{
  struct layout behind = {.rod = {-0.4, 0}, .target = {1, 0}, .rise = 0.05, .velocity = true}, above = behind;
  CHECK(try_layout(&behind).count == 2);
  above.rod[0] = 0.6, above.rise = 1;
  struct outcome over = try_layout(&above);
  CHECK(over.count == 2 && over.lowest < over.before, "%d ways, loss %g of %g", over.count, over.lowest, over.before);
  behind.target[0] = 0.05;
  CHECK(try_layout(&behind).count == 0, "there already");
}

RUN_TESTS({"ways from all around", test_all_around}, {"mirrored ways", test_mirror},
          {"straight, over, and none", test_kinds})
