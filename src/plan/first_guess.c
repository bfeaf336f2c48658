// SPDX-License-Identifier: Apache-2.0
#include "plan/first_guess.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "plan/trajectory_plan.h"

static const char *const type_choices[] = {"given", "sample", NULL};
static const char *const distribution_choices[] = {"normal", "uniform", NULL};

const struct dc_option dc_first_guess_options[] = {
    {.name = "type",
     .type = DC_CHOICE,
     .unit = "",
     .fallback = "\"sample\"",
     .choices = type_choices,
     .help = "given: begin with the parameters as they are; sample: draw them while the gradient vanishes",
     .offset = offsetof(struct dc_first_guess_settings, type)},
    {.name = "draws",
     .type = DC_INTEGER,
     .unit = "",
     .fallback = "100",
     .minimum = 1,
     .maximum = 1e6,
     .help = "most draws for one first guess",
     .offset = offsetof(struct dc_first_guess_settings, draws)},
    {.name = "sigma",
     .type = DC_REAL,
     .unit = "",
     .fallback = "0.5",
     .minimum = 0,
     .maximum = 1e6,
     .minimum_excluded = true,
     .help = "standard deviation of every parameter about the first guess; of uniform: largest distance",
     .offset = offsetof(struct dc_first_guess_settings, sigma)},
    {.name = "distribution",
     .type = DC_CHOICE,
     .unit = "",
     .fallback = "\"normal\"",
     .choices = distribution_choices,
     .help = "of the draws",
     .offset = offsetof(struct dc_first_guess_settings, distribution)},
    {.name = "held",
     .type = DC_BOOLEAN,
     .unit = "",
     .fallback = "false",
     .help = "draw one number for every coordinate, the same in all steps, instead of one for every parameter",
     .offset = offsetof(struct dc_first_guess_settings, held)},
    {.name = "threshold",
     .type = DC_REAL,
     .unit = "",
     .fallback = "1e-10",
     .minimum = 0,
     .maximum = 1e6,
     .help = "a gradient vanishes when its norm is at most this part of the loss",
     .offset = offsetof(struct dc_first_guess_settings, threshold)},
    {.name = "every_window",
     .type = DC_BOOLEAN,
     .unit = "",
     .fallback = "true",
     .help = "look at the first guess of every window of a receding horizon, not of the first one only",
     .offset = offsetof(struct dc_first_guess_settings, every_window)},
    {.name = "seed",
     .type = DC_INTEGER,
     .unit = "",
     .fallback = "1",
     .minimum = 0,
     .maximum = 0x1p53,
     .help = "seed of the draws",
     .offset = offsetof(struct dc_first_guess_settings, seed)},
    DC_OPTIONS_END,
};

// A loss differs by some units in its last place from one rollout to the next; differences divide that by the step.
static const double ROUNDING = 16 * DBL_EPSILON;

struct search {
  struct dc_plan *plan;
  const struct dc_first_guess_settings *settings;
  double *given, *trial, *best, *gradient;  // [parameter_count]
  double least;                             // of |gradient| / loss
  double largest;                           // |gradient| / loss of best; -1: nothing could be rolled out yet
};

static double draw_number(const struct search *search, struct dc_random *random)
{
  double sigma = search->settings->sigma;
  return search->settings->distribution == DC_UNIFORM ? sigma * (2 * dc_random_uniform(random) - 1)
                                                      : sigma * dc_random_normal(random);
}

// A draw depends on seed, window and its number only, so that a run can be resumed.
static void draw(struct search *search, long number)
{
  const struct dc_plan *plan = search->plan;
  struct dc_random random;
  dc_random_seed(&random, (uint64_t)search->settings->seed);
  dc_random_seed(&random, dc_random_bits(&random) + (uint64_t)plan->window.first);
  dc_random_seed(&random, dc_random_bits(&random) + (uint64_t)number);
  for (int c = 0, first = 0; c < plan->task->control_count; c++) {
    const struct dc_control *control = &plan->task->controls[c];
    int count = control->type->parameter_count(control->options, plan->model, plan->window.steps);
    int one = control->type->parameter_count(control->options, plan->model, 1);
    for (int p = 0; p < count; p++) {
      bool again = search->settings->held && p >= one;
      double number_added =
          again ? search->trial[first + p - one] - search->given[first + p - one] : draw_number(search, &random);
      search->trial[first + p] = search->given[first + p] + number_added;
    }
    first += count;
  }
}

// Whether the gradient at trial does not vanish; keeps trial when it is the largest so far.
static enum dc_status try_point(struct search *search, bool *good, struct dc_error *error)
{
  double loss, norm = 0;
  int count = search->plan->parameter_count;
  enum dc_status status = dc_plan_evaluate(search->plan, search->trial, &loss, search->gradient, error);
  *good = false;
  if (status == DC_INFEASIBLE || status == DC_NUMERICAL)
    return DC_OK;
  if (status)
    return status;
  for (int i = 0; i < count; i++)
    norm = hypot(norm, search->gradient[i]);
  double part = loss == 0 ? INFINITY : norm / fabs(loss);
  *good = part > search->least;
  if (part > search->largest) {
    search->largest = part;
    memcpy(search->best, search->trial, (size_t)count * sizeof *search->best);
  }
  return DC_OK;
}

static enum dc_status find(struct search *search, struct dc_error *error)
{
  bool good;
  const struct dc_first_guess_observer *observer = &search->plan->first_guess_observer;
  size_t bytes = (size_t)search->plan->parameter_count * sizeof *search->trial;
  memcpy(search->trial, search->given, bytes);
  memcpy(search->best, search->given, bytes);
  enum dc_status status = try_point(search, &good, error);
  for (long k = 0; k < search->settings->draws && !status && !good; k++) {
    draw(search, k);
    search->plan->first_guess_counts.draws++;
    status = try_point(search, &good, error);
    if (observer->drawn && !status && !good)
      observer->drawn(observer->context, k + 1, search->settings->draws);
  }
  search->plan->first_guess_counts.vanished += !status && !good;
  return status;
}

enum dc_status dc_first_guess_find(struct dc_plan *plan, double *parameters, struct dc_error *error)
{
  const struct dc_first_guess_settings *settings = &plan->first_guess;
  size_t count = (size_t)plan->parameter_count;
  if (count == 0)
    return DC_OK;
  struct search search = {.plan = plan,
                          .settings = settings,
                          .given = parameters,
                          .trial = dc_alloc(count, sizeof *search.trial),
                          .best = dc_alloc(count, sizeof *search.best),
                          .gradient = dc_alloc(count, sizeof *search.gradient),
                          .least = settings->threshold,
                          .largest = -1};
  if (plan->gradient.type == DC_GRADIENT_DIFFERENCES)
    search.least = fmax(search.least, ROUNDING * sqrt((double)count) / plan->gradient.step);
  enum dc_status status = search.trial && search.best && search.gradient
                              ? find(&search, error)
                              : dc_fail(error, DC_MEMORY, "out of memory for a first guess");
  if (!status)
    memcpy(parameters, search.best, count * sizeof *parameters);
  free(search.trial);
  free(search.best);
  free(search.gradient);
  return status;
}
