// SPDX-License-Identifier: Apache-2.0
// Refinement: residuals and their derivatives, transport, bounds, overlaps, results.
#include "base/random.h"
#include "math/rotation.h"
#include "math/vector.h"
#include "plan/refine.h"
#include "plan_scene.h"

enum { MOST = 64 };

// A box corner before the face of another box, both free: the analytical derivative is exact there.
static const char corner[] =
    "{'problem': 'refine', 'refine': {'derivative': 'analytical', 'transport': false},"
    " 'shapes': {'plate': {'type': 'box', 'size': [0.3, 0.2, 0.05]}, 'box': {'type': 'box', 'size': [0.06, 0.05, "
    "0.04]}},"
    " 'bodies': [{'name': 'plate', 'shape': 'plate', 'density': 500, 'rotation': [0.96, 0.28, 0, 0], 'joint': '%s'},"
    "  {'name': 'box', 'shape': 'box', 'density': 500, 'position': [0.02, -0.05, 0.13], 'rotation': [0.8, 0.36, 0.48, "
    "0]}],"
    " 'pairs': [{'object': 'plate', 'object_point': [0.05, 0.02, 0.025], 'link': 'box', 'link_point': [0.03, 0.02, "
    "-0.02]}]}";

// A finger of two hinges on a slide, whose tip is a box, before a fixed box.
static const char finger[] =
    "{'problem': 'refine', 'refine': {'derivative': 'analytical', 'transport': false},"
    " 'shapes': {'plate': {'type': 'box', 'size': [0.3, 0.2, 0.05]}, 'link': {'type': 'box', 'size': [0.02, 0.02, "
    "0.08]}},"
    " 'bodies': [{'name': 'plate', 'shape': 'plate', 'joint': 'fixed'},"
    "  {'name': 'base', 'shape': 'link', 'density': 500, 'joint': 'slide', 'axis': [1, 0, 0], 'position': [0, 0, 0.3]},"
    "  {'name': 'middle', 'shape': 'link', 'density': 500, 'parent': 'base', 'joint': {'type': 'hinge', 'axis': [0.1, "
    "1, 0.3],"
    "   'anchor': [0, 0, 0.25], 'range': [-1, 0.4]}, 'position': [0, 0, 0.21], 'joint_position': [0.3]},"
    "  {'name': 'tip', 'shape': 'link', 'density': 500, 'parent': 'middle', 'joint': {'type': 'hinge', 'axis': [1, 0, "
    "0.2],"
    "   'anchor': [0, 0, 0.16], 'range': [-1, 1]}, 'position': [0, 0, 0.12], 'joint_position': [0.2]}],"
    " 'pairs': [{'object': 'plate', 'object_point': [0.05, 0.02, 0.025], 'link': 'tip', 'link_point': [0.01, 0.01, "
    "-0.04]}]}";

static struct dc_scene *scene_of(const char *format, const char *word)
{
  char text[4096];
  snprintf(text, sizeof text, format, word);
  return read_scene(text);
}

static const struct dc_draw draw = {.number = 1, .trust = 1};

static enum dc_status linearize(const struct dc_problem *problem, const double *q, double *residual, double *jacobian)
{
  struct dc_rows rows = {.residual = residual, .jacobian = jacobian};
  return problem->linearize(problem->context, q, &draw, &rows, NULL);
}

// The Jacobian against central differences of the residual along every coordinate.
static void check_jacobian(const struct dc_scene *scene, double tolerance)
{
  struct dc_refine *refine = refine_of(scene);
  const struct dc_problem *problem = dc_refine_problem(refine);
  double q[MOST], moved[MOST], residual[MOST], ahead[MOST], behind[MOST], jacobian[MOST * MOST], step[MOST] = {0};
  dc_initial_state(&scene->model.bodies, q);
  CHECK(linearize(problem, q, residual, jacobian) == DC_OK, "evaluates");
  const double h = 1e-6;
  double worst = 0;
  for (int u = 0; u < problem->dimension; u++) {
    step[u] = h;
    problem->retract(problem->context, q, step, moved);
    linearize(problem, moved, ahead, NULL);
    step[u] = -h;
    problem->retract(problem->context, q, step, moved);
    linearize(problem, moved, behind, NULL);
    step[u] = 0;
    for (int r = 0; r < problem->row_count; r++)
      worst = larger(worst, fabs(jacobian[r * problem->dimension + u] - (ahead[r] - behind[r]) / (2 * h)));
  }
  printf("# Jacobian off by %.2e\n", worst);
  CHECK(worst <= tolerance, "off by %g", worst);
  dc_refine_destroy(refine);
}

static void test_jacobian(void)
{
  struct dc_scene *free_bodies = scene_of(corner, "free"), *chain = read_scene(finger);
  check_jacobian(free_bodies, 1e-9);  // seen: 2.1e-11
  check_jacobian(chain, 1e-9);        // seen: 1.2e-11
  dc_scene_destroy(free_bodies);
  dc_scene_destroy(chain);
}

// Without transport, a direction of descent is minus the gradient of |r|^2.
static void test_direction(void)
{
  struct dc_scene *scene = read_scene(finger);
  struct dc_refine *refine = refine_of(scene);
  const struct dc_problem *problem = dc_refine_problem(refine);
  const double sizes[DC_REFINE_GROUPS] = {10, 0.01, 1};
  double q[MOST], residual[MOST], jacobian[MOST * MOST], direction[MOST], value, sum = 0;
  dc_initial_state(&scene->model.bodies, q);
  linearize(problem, q, residual, jacobian);
  problem->descend(problem->context, q, &draw, sizes, &value, direction, NULL);
  for (int r = 0; r < problem->row_count; r++)
    sum += residual[r] * residual[r];
  CHECK_NEAR(value, sum, 1e-17);
  for (int u = 0; u < problem->dimension; u++) {
    double gradient = 0;
    for (int r = 0; r < problem->row_count; r++)
      gradient += 2 * residual[r] * jacobian[r * problem->dimension + u];
    CHECK_NEAR(direction[u], -gradient, 1e-14);
  }
  dc_refine_destroy(refine);
  dc_scene_destroy(scene);
}

// What transport adds to the box, times the sizes of steps, moves it relative to the plate as the plate's own step
// would: the value changes by the same to first order.
static void test_transport(void)
{
  struct dc_scene *both = scene_of(corner, "free"), *alone = scene_of(corner, "fixed");
  struct dc_refine_settings settings = alone->refinement.settings;
  struct dc_error error = {0};
  struct dc_refine *free_plate = refine_of(both), *plain = refine_of(alone);
  settings.transport = true;
  struct dc_refine *transported =
      dc_refine_create(&alone->model, &settings, 1, alone->refinement.pairs.objects, &error);
  const struct dc_problem *wide = dc_refine_problem(free_plate), *one = dc_refine_problem(plain),
                          *with = dc_refine_problem(transported);
  const double sizes[DC_REFINE_GROUPS] = {3, 0.5, 1};
  double all[MOST], q[MOST], moved[MOST], direction[12], own[6], carried[6], value, by_plate, by_box;
  dc_initial_state(&both->model.bodies, all);
  dc_initial_state(&alone->model.bodies, q);
  wide->descend(wide->context, all, &draw, sizes, &value, direction, NULL);
  one->descend(one->context, q, &draw, sizes, &value, own, NULL);
  with->descend(with->context, q, &draw, sizes, &value, carried, NULL);
  const double h = 1e-6;
  double step[12] = {0}, box[6];
  for (int c = 0; c < 6; c++) {
    double size = c < 3 ? sizes[DC_REFINE_ROTATION] : sizes[DC_REFINE_TRANSLATION];
    step[c] = h * size * direction[c];
    box[c] = h * size * (carried[c] - own[c]);
  }
  double residual[MOST];
  wide->retract(wide->context, all, step, moved);
  linearize(wide, moved, residual, NULL);
  by_plate = dc_vec_dot(residual, residual) + dc_vec_dot(residual + 3, residual + 3) +
             dc_vec_dot(residual + 6, residual + 6) - value;
  one->retract(one->context, q, box, moved);
  linearize(one, moved, residual, NULL);
  by_box = dc_vec_dot(residual, residual) + dc_vec_dot(residual + 3, residual + 3) +
           dc_vec_dot(residual + 6, residual + 6) - value;
  printf("# value %g changes by %.6e and %.6e\n", value, by_plate, by_box);
  CHECK(by_plate < 0, "the plate's step descends");
  CHECK_NEAR(by_box / by_plate, 1, 1e-5);  // the steps are 1e-6 long: second order
  dc_refine_destroy(free_plate);
  dc_refine_destroy(plain);
  dc_refine_destroy(transported);
  dc_scene_destroy(both);
  dc_scene_destroy(alone);
}

static void minimize(const struct dc_scene *scene, struct dc_refine *refine, double *q)
{
  struct dc_error error = {0};
  dc_initial_state(&scene->model.bodies, q);
  struct dc_problem problem = *dc_refine_problem(refine);
  problem.seed = 1;
  enum dc_status status =
      dc_minimize(scene->refinement.method, scene->refinement.method_options, &problem, q, NULL, NULL, NULL, &error);
  CHECK(status == DC_OK, "%s", error.text);
}

// A hinge at its bound is held there, and what else can move goes on.
static void test_bounds(void)
{
  struct dc_scene *scene = read_scene(finger);
  struct dc_refine *refine = refine_of(scene);
  const struct dc_problem *problem = dc_refine_problem(refine);
  const struct dc_body *middle = &scene->model.bodies.bodies[2];
  double q[MOST], step[MOST] = {0}, gradient[MOST] = {0};
  bool held[MOST];
  dc_initial_state(&scene->model.bodies, q);
  step[middle->v_offset] = 5;
  problem->retract(problem->context, q, step, q);
  CHECK(q[middle->q_offset] == 0.4, "stops at its bound, not at %g", q[middle->q_offset]);
  gradient[middle->v_offset] = -1;
  problem->hold(problem->context, q, gradient, held);
  CHECK(held[middle->v_offset], "held when pushed out");
  gradient[middle->v_offset] = 1;
  problem->hold(problem->context, q, gradient, held);
  CHECK(!held[middle->v_offset], "free when pushed in");
  minimize(scene, refine, q);
  CHECK(q[middle->q_offset] >= -1 && q[middle->q_offset] <= 0.4, "%g within its range", q[middle->q_offset]);
  dc_refine_destroy(refine);
  dc_scene_destroy(scene);
}

// Two pins brought to the top of a box by one free body: a third body in the way keeps its clearance.
static const char crowded[] =
    "{'problem': 'refine', 'refine': {'penetration': %s, 'clearance': 0.001},"
    " 'shapes': {'box': {'type': 'box', 'size': [0.1, 0.1, 0.05]}, 'ball': {'type': 'sphere', 'radius': 0.02}},"
    " 'bodies': [{'name': 'box', 'shape': 'box', 'joint': 'fixed'},"
    "  {'name': 'pin', 'shape': 'ball', 'density': 500, 'position': [0.01, 0, 0.08]},"
    "  {'name': 'other', 'shape': 'ball', 'density': 500, 'position': [0.01, 0.03, 0.07]}],"
    " 'pairs': [{'object': 'box', 'object_point': [0, 0.025, 0.025], 'link': 'pin', 'link_point': [0, 0, -0.02]}]}";

static void test_overlap(void)
{
  for (int on = 0; on < 2; on++) {
    struct dc_scene *scene = scene_of(crowded, on ? "1" : "0");
    struct dc_refine *refine = refine_of(scene);
    struct dc_refine_state state;
    struct dc_refine_contact_state contacts[MOST];
    double q[MOST];
    CHECK(dc_refine_contact_count(refine) == 3, "one pair and two that may overlap");
    minimize(scene, refine, q);
    dc_refine_inspect(refine, q, &state, contacts);
    printf("# penetration %d: largest error %.2e, overlap %.2e\n", on, state.largest_error, state.overlap);
    CHECK(state.largest_error < 1e-4, "reached");
    CHECK(on ? state.overlap == 0 : state.overlap > 1e-3, "overlap %g", state.overlap);
    CHECK(state.success, "overlaps count only where they are asked for");
    dc_refine_destroy(refine);
    dc_scene_destroy(scene);
  }
}

// Of parallel sides the witness points are not unique: what is said of a state depends on nothing before it all the
// same.
static void test_inspect(void)
{
  struct dc_scene *scene = read_scene(
      "{'problem': 'refine', 'shapes': {'box': {'type': 'box', 'size': [0.1, 0.1, 0.05]}}, 'optimizer': {'iterations': "
      "60}, 'bodies': [{'name': 'a', 'shape': 'box', 'joint': 'fixed'}, {'name': 'b', 'shape': 'box', 'density': 500, "
      "'position': [0.02, 0.03, 0.09]}], 'pairs': [{'object': 'a', 'object_point': [0.01, 0.01, 0.025], 'link': 'b', "
      "'link_point': [0, 0, -0.03]}]}");
  struct dc_refine *refine = refine_of(scene);
  struct dc_refine_state before, after;
  struct dc_refine_contact_state contact;
  double start[MOST], q[MOST];
  dc_initial_state(&scene->model.bodies, start);
  dc_refine_inspect(refine, start, &before, &contact);
  minimize(scene, refine, q);
  dc_refine_inspect(refine, start, &after, &contact);
  CHECK(before.value == after.value, "%g and %g", before.value, after.value);
  dc_refine_destroy(refine);
  dc_scene_destroy(scene);
}

static void test_same_bits(void)
{
  struct dc_scene *scene = scene_of(crowded, "1");
  double results[2][MOST] = {{0}};
  for (int i = 0; i < 2; i++) {
    struct dc_refine *refine = refine_of(scene);
    minimize(scene, refine, results[i]);
    dc_refine_destroy(refine);
  }
  CHECK(memcmp(results[0], results[1], (size_t)scene->model.bodies.nq * sizeof(double)) == 0, "same start, same end");
  dc_scene_destroy(scene);
}

// Every way to differentiate brings the same pair nearer; where vertices do not stop it (analytical) and directions
// tell points of a flat side apart (rs1-direction), all the way (paper 002, section IV-F).
static void test_methods(void)
{
  static const char *const methods[] = {"smoothed", "rs1-direction", "analytical", "finite-difference", "rs0"};
  static const double bars[] = {1e-6, 0.1, 0.1, 1e-6,
                                1e-6};  // of the value at first; seen: 2e-7, 3e-3, 5e-2, 3e-8, 1e-8
  for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
    char text[4096];
    struct dc_refine_state state;
    struct dc_refine_contact_state contact;
    double q[MOST];
    snprintf(text, sizeof text,
             "{'problem': 'refine', 'refine': {'derivative': '%s'}, 'optimizer': {'type': 'normalized_descent'},"
             " 'shapes': {'box': {'type': 'box', 'size': [0.1, 0.1, 0.05]}, 'ball': {'type': 'sphere', 'radius': 0.03, "
             "'level': 2}},"
             " 'bodies': [{'name': 'box', 'shape': 'box', 'joint': 'fixed'},"
             "  {'name': 'ball', 'shape': 'ball', 'density': 500, 'position': [0.02, 0.03, 0.09]}],"
             " 'pairs': [{'object': 'box', 'object_point': [0.01, 0.01, 0.025], 'link': 'ball', 'link_point': [0, 0, "
             "-0.03]}]}",
             methods[m]);
    struct dc_scene *scene = read_scene(text);
    struct dc_refine *refine = refine_of(scene);
    dc_initial_state(&scene->model.bodies, q);
    dc_refine_inspect(refine, q, &state, &contact);
    double first = state.value;
    minimize(scene, refine, q);
    dc_refine_inspect(refine, q, &state, &contact);
    printf("# %s: value %.2e of %.2e at first\n", methods[m], state.value, first);
    CHECK(state.value < bars[m] * first, "%s: value %g of %g", methods[m], state.value, first);
    dc_refine_destroy(refine);
    dc_scene_destroy(scene);
  }
}

// Flat contacts: a cube with one, two or four points of a side on a table, and with a point of an edge, from drawn
// places, turned anyhow; and that it stays where it is flush.
static void test_flat(void)
{
  static const double corners[4][2] = {{0.019, 0.018}, {-0.019, 0.018}, {0.019, -0.018}, {-0.019, -0.018}};
  struct dc_random random;
  dc_random_seed(&random, 3);
  for (int run = 0; run < 30; run++) {
    int kind = run % 5, count = kind < 3 ? 1 << kind : 1, used = 0;
    bool edge = kind == 3, flush = kind == 4;
    double q[MOST], shift[2], turn[4], place[3];
    char pairs[1024] = "", text[4096];
    for (int k = 0; k < 2; k++)
      shift[k] = flush ? 0 : 0.03 * (2 * dc_random_uniform(&random) - 1);
    for (int k = 0; k < count; k++)
      used += snprintf(pairs + used, sizeof pairs - (size_t)used,
                       "%s{'object': 'table', 'object_point': [%.17g, %.17g, 0.01], 'link': 'cube', 'link_point': "
                       "[%.17g, %.17g, -0.02]}",
                       k ? ", " : "", corners[k][0] + shift[0], corners[k][1] + shift[1], edge ? 0.02 : corners[k][0],
                       corners[k][1]);
    for (int k = 0; k < 4; k++)
      turn[k] = flush ? k == 0 : dc_random_normal(&random);
    for (int k = 0; k < 3; k++)
      place[k] = flush ? (k == 2) * 0.03 : 0.06 * dc_random_normal(&random) + (k == 2) * 0.1;
    dc_rotation_normalize(turn);
    snprintf(text, sizeof text,
             "{'problem': 'refine', 'shapes': {'table': {'type': 'box', 'size': [0.12, 0.1, 0.02]}, 'cube': {'type': "
             "'box', 'size': [0.04, 0.04, 0.04]}}, 'bodies': [{'name': 'table', 'shape': 'table', 'joint': 'fixed'}, "
             "{'name': 'cube', 'shape': 'cube', 'position': [%.17g, %.17g, %.17g], 'rotation': [%.17g, %.17g, %.17g, "
             "%.17g]}], 'pairs': [%s]}",
             place[0], place[1], place[2], turn[0], turn[1], turn[2], turn[3], pairs);
    struct dc_scene *scene = read_scene(text);
    struct dc_refine *refine = refine_of(scene);
    struct dc_refine_state state;
    struct dc_refine_contact_state contacts[8];
    minimize(scene, refine, q);
    dc_refine_inspect(refine, q, &state, contacts);
    CHECK(state.success && state.largest_error < 1e-6, "run %d: %d of %d, off by %g m", run, state.reached, count,
          state.largest_error);
    dc_refine_destroy(refine);
    dc_scene_destroy(scene);
  }
}

// What cannot be refined is refused with a place and a rule.
static void test_refusals(void)
{
  static const struct {
    const char *text, *message;
  } cases[] = {
      {"{'problem': 'refine'}", "missing key \"pairs\""},
      {"{'problem': 'refine', 'time': {'step': 0.1, 'steps': 1}, 'pairs': []}", "has no time and no forces"},
      {"{'time': {'step': 0.1, 'steps': 1}, 'pairs': []}", "belongs to a refinement"},
      {"{'problem': 'refine', 'pairs': [], 'optimizer': {'type': 'adam'}}", "optimizer.type"},
      {"{'problem': 'refine', 'shapes': {'s': {'type': 'sphere', 'radius': 1}}, 'bodies': [{'name': 'a', 'shape': 's', "
       "'joint': 'fixed'}, {'name': 'b', 'shape': 's', 'joint': 'fixed'}], 'pairs': [{'object': 'a', 'object_point': "
       "[0, 0, "
       "1], 'link': 'b', 'link_point': [0, 0, 1]}]}",
       "neither \"a\" nor \"b\" moves"},
      {"{'problem': 'refine', 'shapes': {'s': {'type': 'sphere', 'radius': 1}}, 'bodies': [{'name': 'a', 'shape': 's', "
       "'mass': 1}], 'pairs': [{'object': 'a', 'object_point': [0, 0, 1], 'link': 'a', 'link_point': [0, 0, 1]}]}",
       "must differ"},
      {"{'problem': 'refine', 'shapes': {'s': {'type': 'sphere', 'radius': 1}}, 'bodies': [{'name': 'a', 'shape': 's', "
       "'mass': 1}, {'name': 'b', 'shape': 's', 'mass': 1, 'parent': 'a', 'joint': 'fixed', 'position': [3, 0, 0]}], "
       "'pairs': [{'object': 'a', 'object_point': [0, 0, 1], 'link': 'b', 'link_point': [0, 0, 1]}]}",
       "\"a\" and \"b\" are fixed to each other"},
      {"{'problem': 'refine', 'shapes': {'s': {'type': 'sphere', 'radius': 1}, 'ground': {'type': 'plane'}}, 'bodies': "
       "[{'name': 'a', 'shape': 's', 'mass': 1, 'position': [0, 0, 2]}, {'name': 'g', 'shape': 'ground', 'joint': "
       "'fixed'}], 'pairs': [{'object': 'g', 'object_point': [0, 0, 0], 'link': 'a', 'link_point': [0, 0, 1]}]}",
       "\"g\" is a half-space"},
      {"{'problem': 'refine', 'shapes': {'s': {'type': 'sphere', 'radius': 1}}, 'bodies': [{'name': 'a', 'shape': 's', "
       "'mass': 1}, {'name': 'n', 'mass': 1, 'inertia': [1, 1, 1, 0, 0, 0], 'center_of_mass': [0, 0, 0]}], 'pairs': "
       "[{'object': 'n', 'object_point': [0, 0, 0], 'link': 'a', 'link_point': [0, 0, 1]}]}",
       "\"n\" has no shape"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char path[] = "/tmp/dcsim-refine-XXXXXX";
    int fd = mkstemp(path);
    FILE *file = fdopen(fd, "w");
    struct dc_scene *scene;
    struct dc_error error = {0};
    for (const char *c = cases[i].text; *c; c++)
      fputc(*c == '\'' ? '"' : *c, file);
    fclose(file);
    enum dc_status status = dc_scene_read(path, NULL, &scene, &error);
    CHECK(status == DC_BAD_INPUT && strstr(error.text, cases[i].message), "status %d: %s", (int)status, error.text);
    if (!status)
      dc_scene_destroy(scene);
    unlink(path);
  }
}

RUN_TESTS({"the Jacobian where the query is smooth", test_jacobian},
          {"directions of descent are minus the gradient", test_direction},
          {"transport moves the bodies relative to each other as the other's step", test_transport},
          {"bounds of joints", test_bounds}, {"bodies that are no pair keep apart", test_overlap},
          {"what is said of a state", test_inspect}, {"the same bits twice", test_same_bits},
          {"every derivative", test_methods}, {"flat contacts", test_flat}, {"refusals", test_refusals})
