// SPDX-License-Identifier: Apache-2.0
// Descent with steps of fixed sizes (paper 002, section V-A).  With direction g, step sizes s of the groups of
// coordinates, and a factor f that falls in three phases,
//
//     together: step_i = f s_i g_i / |g|, for all coordinates at once (one pair of objects),
//     each:     step_i = f s_i g_i / |g of the group of i| (a hand's pose and joints).
//
// The last steps have the length f s and do not shrink, so that the best point is kept.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "optimize/common_options.h"
#include "optimize/iteration.h"
#include "optimize/norm.h"

// below this norm a direction carries no information, and its steps shrink with it
static const double LEAST_NORM = 1e-12;

enum { TOGETHER, EACH };
static const char *const normalizations[] = {"together", "each", NULL};

struct descent_options {
  struct dc_optimizer_common common;
  double rotation, translation, joint;
  double phases[2], factors[3];
  int normalize;
};

// The step size of the group of that name.
#define STEP(group, size_unit, text, what)                                                                             \
  {                                                                                                                    \
    .name = #group "_step", .type = DC_REAL, .unit = (size_unit), .fallback = (text), .minimum = 0, .maximum = 1e9,    \
    .help = "size of the steps of " what, .offset = offsetof(struct descent_options, group)                            \
  }

static const struct dc_option options_table[] = {
    DC_RESIDUAL_ITERATIONS("steps after the first guess"),
    DC_RESIDUAL_TARGET("0"),
    STEP(rotation, "rad", "10", "rotations, times their part of the unit direction"),
    STEP(translation, "m", "0.01", "translations and slides, times their part of the unit direction"),
    STEP(joint, "rad", "0.01", "hinges, times their part of the unit direction"),
    DC_REALS_OPTION(struct descent_options, phases, "", "[0.1, 0.9]", 2, 0, 1,
                    "parts of the iterations after which the second and the third factor hold"),
    DC_REALS_OPTION(struct descent_options, factors, "", "[1, 0.1, 0.01]", 3, 0, 1e9,
                    "on the sizes of the steps, one per phase"),
    DC_CHOICE_OPTION(struct descent_options, normalize, "\"together\"", normalizations,
                     "whether all coordinates have one unit direction, or rotations, translations and hinges one each"),
    DC_OPTIONS_END,
};

// Workspace of an iteration.
struct work {
  double *step, *sizes, *norms;  // [dimension], [group_count] twice
  bool *held;                    // [dimension]
  void *memory;
};

// The state is the direction of descent at the point.
static size_t state_size(const void *options, const struct dc_problem *problem, int number)
{
  (void)options, (void)number;
  return (size_t)problem->dimension;
}

// One block of memory for all arrays of an iteration.
static enum dc_status open_work(struct work *work, const struct dc_problem *problem, struct dc_error *error)
{
  size_t n = (size_t)problem->dimension, groups = (size_t)problem->group_count;
  double *memory = dc_alloc(2 * n + 2 * groups + 1, sizeof *memory);
  *work = (struct work){.memory = memory};
  if (!memory)
    return dc_out_of_memory(error);
  work->step = memory;
  work->sizes = memory + n;
  work->norms = work->sizes + groups;
  work->held = (bool *)(work->norms + groups);
  return DC_OK;
}

// Index of the option that holds a group's step size, or -1.
static int size_option(const char *group)
{
  size_t length = strlen(group);
  for (int i = 0; options_table[i].name; i++)
    if (strncmp(options_table[i].name, group, length) == 0 && strcmp(options_table[i].name + length, "_step") == 0)
      return i;
  return -1;
}

static enum dc_status check(const void *options, const struct dc_problem *problem, struct dc_error *error)
{
  (void)options;
  if (!problem->descend || !problem->group || !problem->groups)
    return dc_fail(error, DC_BAD_INPUT, "normalized_descent needs directions of descent, which this problem has not");
  for (int group = 0; group < problem->group_count; group++)
    if (size_option(problem->groups[group].name) < 0)
      return dc_fail(error, DC_BAD_INPUT, "normalized_descent has no size of steps for \"%s\"",
                     problem->groups[group].name);
  return DC_OK;
}

// The factor of the phase in which an iteration lies; phases are parts of all iterations, [0, phases[0]), [phases[0],
// phases[1]) and the rest.
static double phase_factor(const struct descent_options *options, long iteration)
{
  double part = (double)iteration / fmax((double)options->common.iterations, 1);
  return options->factors[part < options->phases[0] ? 0 : part < options->phases[1] ? 1 : 2];
}

// sizes [groups]: length of the steps of each group at this iteration, in the group's unit.
static void set_sizes(const struct descent_options *options, const struct dc_problem *problem, int iteration,
                      double *sizes)
{
  for (int group = 0; group < problem->group_count; group++) {
    const struct dc_option *option = &options_table[size_option(problem->groups[group].name)];
    sizes[group] = phase_factor(options, iteration) * *(const double *)((const char *)options + option->offset);
  }
}

// Removes held coordinates from the direction, so that the others share the whole step.
static void release(const struct dc_problem *problem, struct work *work, const double *x, double *direction)
{
  for (int i = 0; i < problem->dimension; i++)
    work->step[i] = -direction[i];
  if (!dc_problem_hold(problem, x, work->step, work->held))
    return;
  for (int i = 0; i < problem->dimension; i++)
    if (work->held[i])
      direction[i] = 0;
}

// step_i = sizes of i's group times direction_i over the norm that the group is measured by: its own, or that of all
// coordinates.
static void propose(const struct descent_options *options, const struct dc_problem *problem, struct work *work,
                    const double *direction)
{
  int n = problem->dimension;
  for (int group = 0; group < problem->group_count; group++) {
    for (int i = 0; i < n; i++)
      work->step[i] = options->normalize == TOGETHER || problem->group[i] == group ? direction[i] : 0;
    work->norms[group] = fmax(norm_euclidean(work->step, n), LEAST_NORM);
  }
  for (int i = 0; i < n; i++)
    work->step[i] = work->sizes[problem->group[i]] * (direction[i] / work->norms[problem->group[i]]);
}

// One iteration: steps of given sizes along the direction found before, then value and direction at the new point.
// The problem receives the sizes of the step that comes next, because its estimate of a direction samples within such
// a step.
static enum dc_status descend(const struct descent_options *options, struct dc_iteration *iteration, struct work *work,
                              struct dc_error *error)
{
  const struct dc_problem *problem = iteration->problem;
  double *direction = iteration->state, value;
  if (iteration->number > 0) {
    set_sizes(options, problem, iteration->number - 1, work->sizes);
    release(problem, work, iteration->x, direction);
    propose(options, problem, work, direction);
    dc_problem_move(problem, iteration->x, work->step, iteration->x);
  }
  set_sizes(options, problem, iteration->number, work->sizes);
  struct dc_draw draw = dc_iteration_draw(iteration, 1);
  enum dc_status status =
      problem->descend(problem->context, iteration->x, &draw, work->sizes, &value, direction, error);
  if (status)
    return status;
  if (!isfinite(value) || !isfinite(norm_largest(direction, problem->dimension)))
    return dc_fail(error, DC_NUMERICAL, "the value or its direction of descent is not finite");
  dc_iteration_count(iteration, 1);
  dc_iteration_book(iteration, iteration->x, value);
  iteration->value = value;
  memcpy(iteration->gradient, direction, (size_t)problem->dimension * sizeof *direction);
  return DC_OK;
}

static enum dc_status iterate(const void *options, struct dc_iteration *iteration, struct dc_error *error)
{
  struct work work;
  enum dc_status status = open_work(&work, iteration->problem, error);
  if (!status)
    status = descend(options, iteration, &work, error);
  free(work.memory);
  return status;
}

const struct dc_optimizer_type dc_normalized_descent = {
    .name = "normalized_descent",
    .summary = "descent with steps of fixed sizes that fall in three phases",
    .reference = "paper 002, section V-A",
    .options = options_table,
    .options_size = sizeof(struct descent_options),
    .manifold = true,
    .one_path = true,
    .check = check,
    .state_size = state_size,
    .iterate = iterate,
};
