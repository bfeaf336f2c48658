// SPDX-License-Identifier: Apache-2.0
// Descent with steps of fixed sizes (paper 002, section V-A): with direction g, sizes s of the groups of coordinates and
// a factor f that falls in three phases,
//     together: step_i = f s_i g_i / |g|, of all coordinates at once (one pair of objects),
//     each:     step_i = f s_i g_i / |g of the group of i| (a hand's pose and joints).
// Its last steps have the length f s and do not shrink: the best point is kept.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "optimize/norm.h"
#include "optimize/residual_run.h"

static const double LEAST_NORM = 1e-12;  // below it a direction says nothing, and its steps shrink with it

enum { TOGETHER, EACH };
static const char *const normalizations[] = {"together", "each", NULL};

struct descent_options {
  struct dc_least_squares_common common;
  double sizes[DC_STEP_GROUPS];
  double phases[2], factors[3];
  int normalize;
};

#define STEP(option, group, size_unit, text, what)                                                                     \
  {                                                                                                                    \
    .name = (option), .type = DC_REAL, .unit = (size_unit), .fallback = (text), .minimum = 0, .maximum = 1e9,          \
    .help = "size of the steps of " what, .offset = offsetof(struct descent_options, sizes[group])                     \
  }

static const struct dc_option options_table[] = {
    DC_RESIDUAL_ITERATIONS("steps after the first guess"),
    DC_RESIDUAL_TARGET("0"),
    STEP("rotation_step", DC_STEP_ROTATION, "rad", "10", "rotations, times their part of the unit direction"),
    STEP("translation_step", DC_STEP_TRANSLATION, "m", "0.01",
         "translations and slides, times their part of the unit direction"),
    STEP("joint_step", DC_STEP_JOINT, "rad", "0.01", "hinges, times their part of the unit direction"),
    {.name = "phases",
     .type = DC_REALS,
     .unit = "",
     .fallback = "[0.1, 0.9]",
     .minimum = 0,
     .maximum = 1,
     .count = 2,
     .help = "parts of the iterations after which the second and the third factor hold",
     .offset = offsetof(struct descent_options, phases)},
    {.name = "factors",
     .type = DC_REALS,
     .unit = "",
     .fallback = "[1, 0.1, 0.01]",
     .minimum = 0,
     .maximum = 1e9,
     .count = 3,
     .help = "on the sizes of the steps, one per phase",
     .offset = offsetof(struct descent_options, factors)},
    {.name = "normalize",
     .type = DC_CHOICE,
     .unit = "",
     .fallback = "\"together\"",
     .choices = normalizations,
     .help = "whether all coordinates have one unit direction, or rotations, translations and hinges one each",
     .offset = offsetof(struct descent_options, normalize)},
    DC_OPTIONS_END,
};

struct work {
  double *point, *direction, *step;
  bool *held;
  void *memory;
};

static bool allocate(struct work *work, const struct dc_residual_problem *problem)
{
  size_t n = (size_t)problem->dimension, p = (size_t)problem->point_size;
  double *memory = dc_alloc(p + 3 * n, sizeof *memory);
  if (!memory)
    return false;
  *work = (struct work){.memory = memory,
                        .point = memory,
                        .direction = memory + p,
                        .step = memory + p + n,
                        .held = (bool *)(memory + p + 2 * n)};
  return true;
}

static double phase_factor(const struct descent_options *options, long iteration)
{
  double part = (double)iteration / fmax((double)options->common.iterations, 1);
  return options->factors[part < options->phases[0] ? 0 : part < options->phases[1] ? 1 : 2];
}

// Leaves coordinates that are held out of the direction, so that the others share the whole step.
static void release(const struct dc_residual_problem *problem, struct work *work)
{
  if (!problem->hold)
    return;
  for (int i = 0; i < problem->dimension; i++)
    work->step[i] = -work->direction[i];
  problem->hold(problem->context, work->point, work->step, work->held);
  for (int i = 0; i < problem->dimension; i++)
    if (work->held[i])
      work->direction[i] = 0;
}

static void propose(const struct descent_options *options, const struct dc_residual_problem *problem,
                    const double *sizes, struct work *work)
{
  int n = problem->dimension;
  double norms[DC_STEP_GROUPS];
  for (int group = 0; group < DC_STEP_GROUPS; group++) {
    for (int i = 0; i < n; i++)
      work->step[i] = options->normalize == TOGETHER || problem->group[i] == group ? work->direction[i] : 0;
    norms[group] = fmax(norm_euclidean(work->step, n), LEAST_NORM);
  }
  for (int i = 0; i < n; i++)
    work->step[i] = sizes[problem->group[i]] * (work->direction[i] / norms[problem->group[i]]);
}

static enum dc_status descend(const struct descent_options *options, struct dc_residual_run *run, struct work *work,
                              struct dc_error *error)
{
  const struct dc_residual_problem *problem = run->problem;
  for (;; run->result.iterations++) {
    double value, sizes[DC_STEP_GROUPS];
    for (int group = 0; group < DC_STEP_GROUPS; group++)
      sizes[group] = phase_factor(options, run->result.iterations) * options->sizes[group];
    struct dc_residual_draw draw = dc_residual_run_draw(run, 1);
    enum dc_status status =
        problem->descend(problem->context, work->point, &draw, sizes, &value, work->direction, error);
    if (status)
      return status;
    if (!isfinite(value) || !isfinite(norm_largest(work->direction, problem->dimension)))
      return dc_fail(error, DC_NUMERICAL, "the value or its direction of descent is not finite");
    bool best = dc_residual_run_book(run, work->point, value);
    status = dc_residual_run_tell(
        run,
        (struct dc_residual_iterate){.value = value,
                                     .gradient_norm = norm_euclidean(work->direction, problem->dimension),
                                     .accepted = true,
                                     .best = best,
                                     .point = work->point},
        error);
    if (status || value <= options->common.target || run->result.iterations >= options->common.iterations ||
        problem->dimension == 0)
      return status;
    release(problem, work);
    propose(options, problem, sizes, work);
    problem->retract(problem->context, work->point, work->step, work->point);
  }
}

static enum dc_status minimize(const void *options, const struct dc_residual_problem *problem, uint64_t seed,
                               double *point, dc_residual_observer *observer, void *observer_context,
                               struct dc_least_squares_result *result, struct dc_error *error)
{
  struct work work;
  if (!allocate(&work, problem))
    return dc_fail(error, DC_MEMORY, "out of memory");
  struct dc_residual_run run;
  dc_residual_run_begin(&run, problem, seed, point, observer, observer_context);
  memcpy(work.point, point, (size_t)problem->point_size * sizeof *point);
  enum dc_status status = descend(options, &run, &work, error);
  free(work.memory);
  if (result)
    *result = run.result;
  return status;
}

const struct dc_least_squares_type dc_normalized_descent = {
    .name = "normalized_descent",
    .summary = "descent with steps of fixed sizes that fall in three phases",
    .reference = "paper 002, section V-A",
    .options = options_table,
    .options_size = sizeof(struct descent_options),
    .one_path = true,
    .minimize = minimize,
};
