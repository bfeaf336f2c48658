// SPDX-License-Identifier: Apache-2.0
// Drawn cases: they follow from seed and number, can be opened, begin apart, and, where a solution is known, are
// solved.
#include "harness.h"

#include <dcsim.h>

#include "bench/task_draws.h"
#include "bench/task_table.h"

static const char *scene_of(const struct dc_task_kind *kind)
{
  static char path[1024];
  const char *source = getenv("DCSIM_SOURCE");
  snprintf(path, sizeof path, "%s/scenes/%s",
           source             ? source
           : getenv("srcdir") ? getenv("srcdir")
                              : "..",
           kind->scene);
  return path;
}

static bool same(const struct dc_task_case *a, const struct dc_task_case *b)
{
  bool equal = a->count == b->count;
  for (int i = 0; i < a->count && equal; i++)
    equal = strcmp(a->overrides[i], b->overrides[i]) == 0;
  return equal;
}

static void test_numbers(void)
{
  for (const struct dc_task_kind *kind = dc_task_kinds; kind->name; kind++) {
    struct dc_task_case first = {0}, again = {0}, other = {0}, seed = {0};
    CHECK(!dc_task_draw(kind, scene_of(kind), 3, 2, &first, NULL), "%s", kind->name);
    CHECK(!dc_task_draw(kind, scene_of(kind), 3, 2, &again, NULL) && same(&first, &again), "%s", kind->name);
    CHECK(!dc_task_draw(kind, scene_of(kind), 3, 3, &other, NULL) && !same(&first, &other), "%s", kind->name);
    CHECK(!dc_task_draw(kind, scene_of(kind), 4, 2, &seed, NULL) && !same(&first, &seed), "%s", kind->name);
    dc_task_case_release(&first);
    dc_task_case_release(&again);
    dc_task_case_release(&other);
    dc_task_case_release(&seed);
  }
}

// The loss after some steps from the case's start, of all steps at its known solution.
static void check_case(const struct dc_task_kind *kind, int draw)
{
  struct dc_task_case drawn = {0};
  dcsim_error error = {0};
  dcsim_scene *scene = NULL;
  dcsim_problem *problem = NULL;
  CHECK(!dc_task_draw(kind, scene_of(kind), 5, draw, &drawn, NULL), "%s %d", kind->name, draw);
  dcsim_scene_options options = {.size = sizeof options, .override_count = drawn.count, .overrides = drawn.overrides};
  dcsim_problem_options few = {.size = sizeof few, .steps = drawn.known_count ? 0 : 2};
  int status = dcsim_scene_open(scene_of(kind), &options, &scene, &error);
  CHECK(!status, "%s %d: %s", kind->name, draw, error.text);
  if (!status && !dcsim_problem_create(scene, &few, &problem, &error)) {
    double *x = calloc((size_t)dcsim_problem_dimension(problem), sizeof *x), loss = -1;
    dcsim_problem_initial(problem, x);
    status = dcsim_problem_evaluate(problem, x, &loss, NULL, &error);
    CHECK(!status && loss > 0, "%s %d: %g is not reached at the start: %s", kind->name, draw, loss, error.text);
    memcpy(x, drawn.known, (size_t)drawn.known_count * sizeof *x);
    status = drawn.known_count ? dcsim_problem_evaluate(problem, x, &loss, NULL, &error) : 0;
    CHECK(!status && (!drawn.known_count || loss == 0), "%s %d: %g", kind->name, draw, loss);
    free(x);
  }
  CHECK(problem != NULL, "%s %d: %s", kind->name, draw, error.text);
  dcsim_problem_destroy(problem);
  dcsim_scene_close(scene);
  dc_task_case_release(&drawn);
}

static void test_cases(void)
{
  for (const struct dc_task_kind *kind = dc_task_kinds; kind->name; kind++)
    for (int draw = 0; draw < 6; draw++)
      check_case(kind, draw);
}

// Brown, Cai and DasGupta 2001: 0 of 10 has 0 ... 0.2775, 5 of 10 has 0.2366 ... 0.7634.
static void test_interval(void)
{
  double interval[2];
  dc_wilson_interval(0, 10, interval);
  CHECK(interval[0] == 0, "%g", interval[0]);
  CHECK_NEAR(interval[1], 0.2775, 5e-5);
  dc_wilson_interval(5, 10, interval);
  CHECK_NEAR(interval[0], 0.2366, 5e-5);
  CHECK_NEAR(interval[1], 0.7634, 5e-5);
  dc_wilson_interval(0, 0, interval);
  CHECK(interval[0] == 0 && interval[1] == 1, "nothing is known");
}

RUN_TESTS({"cases follow from seed and number", test_numbers}, {"cases can be opened and are feasible", test_cases},
          {"Wilson's interval", test_interval})
