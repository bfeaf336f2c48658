// SPDX-License-Identifier: Apache-2.0
// Refinements out of damaged scenes: those that are accepted must end, with a state and a value that are finite and no
// worse than the start, whatever the numbers.
#include <math.h>

#include "damage.h"
#include "harness.h"
#include "io/scene/scene.h"
#include "io/scene_files.h"

enum { ITERATIONS = 30, MOST = 4096, MOST_COORDINATES = 64 };

// ' stands for ".
static const char *const seeds[] = {
    "{'problem': 'refine', 'refine': {'margin': 0.001, 'derivative': {'method': 'smoothed', 'samples': 8}},\n"
    " 'shapes': {'box': {'type': 'box', 'size': [0.1, 0.1, 0.05]}, 'ball': {'type': 'sphere', 'radius': 0.03}},\n"
    " 'bodies': [{'name': 'box', 'shape': 'box', 'joint': 'fixed'},\n"
    "  {'name': 'ball', 'shape': 'ball', 'mass': 0.5, 'position': [0.02, 0.03, 0.09]}],\n"
    " 'optimizer': {'type': 'levenberg_marquardt', 'damping': 0.01, 'failures': 3, 'target': 1e-13},\n"
    " 'pairs': [{'object': 'box', 'object_point': [0.01, 0.01, 0.025], 'link': 'ball', 'link_point': [0, 0, -0.03]}]}",
    "{'problem': 'refine', 'refine': {'penetration': 3, 'clearance': 0.001, 'candidates': 64, 'derivative': 'rs0'},\n"
    " 'shapes': {'box': {'type': 'box', 'size': [0.1, 0.1, 0.05]}, 'two': {'type': 'compound', 'parts': [\n"
    "   {'shape': 'box', 'position': [0.1, 0, 0]}, {'shape': 'box', 'position': [-0.1, 0, 0]}]},\n"
    "  'rod': {'type': 'cylinder', 'radius': 0.02, 'height': 0.1, 'sides': 6}},\n"
    " 'bodies': [{'name': 'o', 'shape': 'two', 'density': 100, 'joint': 'hinge', 'axis': [0, 0, 1], 'range': [-1, "
    "1]},\n"
    "  {'name': 'root', 'shape': 'box', 'mass': 1, 'center_of_mass': [0.01, 0, 0], 'position': [0, 0, 0.3]},\n"
    "  {'name': 'f', 'shape': 'rod', 'density': 100, 'parent': 'root', 'joint': 'hinge', 'axis': [0, 1, 0],\n"
    "   'position': [0.1, 0, 0.2], 'anchor': [0.1, 0, 0.25], 'range': [-0.5, 0.8]},\n"
    "  {'name': 'g', 'shape': 'rod', 'density': 100, 'parent': 'root', 'joint': 'slide', 'axis': [0, 1, 0],\n"
    "   'position': [-0.1, 0, 0.2]}],\n"
    " 'couplings': [{'body': 'g', 'to': 'f', 'multiplier': -0.1, 'offset': 0.005}],\n"
    " 'optimizer': {'type': 'normalized_descent', 'normalize': 'each', 'phases': [0.5, 0.8]},\n"
    " 'pairs': [{'object': 'o', 'object_point': [0.1, 0, 0.025], 'link': 'f', 'link_point': [0, 0, -0.05]},\n"
    "  {'object': 'o', 'object_point': [-0.1, 0, 0.025], 'link': 'g', 'link_point': [0, 0, -0.05]}]}",
};
enum { SEEDS = sizeof seeds / sizeof seeds[0] };

static const char *const pieces[] = {
    "0",     "9",    "-",    "e9",    "e-9",        "e2",       "null",   "true",
    "false", "[",    "]",    "ball",  "planar",     "free",     "slide",  "rs1-direction",
    "ball",  "root", "null", "\"o\"", "analytical", "neighbor", "turned", "1e6"};

static void check_scene(int round, const struct dc_scene *scene)
{
  struct dc_error error = {0};
  const struct dc_refinement *refinement = &scene->refinement;
  double q[MOST_COORDINATES];
  int nq = scene->model.bodies.nq;
  struct dc_optimizer_common *common = refinement->method_options;
  struct dc_refine *refine = dc_refine_create(&scene->model, &refinement->settings, refinement->pairs.count,
                                              refinement->pairs.objects, &error);
  CHECK(refine && nq <= MOST_COORDINATES, "round %d: %s", round, error.text);
  if (!refine || nq > MOST_COORDINATES)
    return;
  if (common->iterations > ITERATIONS)
    common->iterations = ITERATIONS;
  struct dc_optimizer_result result = {0};
  dc_initial_state(&scene->model.bodies, q);
  struct dc_problem problem = *dc_refine_problem(refine);
  problem.seed = 1;
  enum dc_status status =
      dc_minimize(refinement->method, refinement->method_options, &problem, q, NULL, NULL, &result, &error);
  CHECK(!status || status == DC_NUMERICAL, "round %d: %s", round, error.text);
  CHECK(status || result.best_value <= result.first_value, "round %d: %g from %g", round, result.best_value,
        result.first_value);
  CHECK(result.iterations <= ITERATIONS, "round %d: %d iterations", round, result.iterations);
  for (int i = 0; i < nq; i++)
    CHECK(isfinite(q[i]), "round %d: coordinate %d is %g", round, i, q[i]);
  dc_refine_destroy(refine);
}

static void test_damaged_refinements(void)
{
  struct dc_random random;
  int accepted = 0, refused = 0;
  seed_damage(&random, 5);
  const int rounds = damage_rounds(4000);
  for (int i = 0; i < rounds; i++) {
    char text[MOST + 1];
    size_t size = seed_text(text, seeds[i % SEEDS]);
    if (i >= SEEDS)
      size = damage_text(&random, text, size, MOST, pieces, sizeof pieces / sizeof pieces[0]);
    struct dc_scene *scene;
    struct dc_error error = {0};
    write_bytes("fuzz.json", (const uint8_t *)text, size);
    if (dc_scene_read("fuzz.json", NULL, &scene, &error)) {
      CHECK(i >= SEEDS, "%s", error.text);
      refused++;
      continue;
    }
    accepted++;
    if (scene->refinement.given)
      check_scene(i, scene);
    dc_scene_destroy(scene);
  }
  printf("# %d accepted, %d refused\n", accepted, refused);
  CHECK(accepted > rounds / 40 && refused > rounds / 4, "both are exercised");
}

RUN_TESTS_IN_TEMPORARY_FOLDER({"damaged refinements", test_damaged_refinements})
