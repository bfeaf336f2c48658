// SPDX-License-Identifier: Apache-2.0
// The optimizer "gauss_newton": one fan of Gauss-Newton steps (fan.h) per iteration (docs/theory.md, "Fan").
// Iteration 0 linearizes at the first guess; every later one decomposes, evaluates the candidates of all radii, and
// linearizes at the one it takes.  All that lasts is the state of the fan.
#include "optimize/common_options.h"
#include "optimize/fan.h"

struct gauss_newton_options {
  struct dc_optimizer_common common;
  struct dc_fan_settings fan;
};

static const char *const models[] = {"edge", "centre", NULL};
static const char *const metrics[] = {"columns", "unit", NULL};

// An option of type length, in units of the metric, which must be positive.
#define LENGTH(member, text, meaning)                                                                                  \
  {                                                                                                                    \
    .name = #member, .type = DC_REAL, .unit = "", .fallback = (text), .minimum = 0, .maximum = 1e9,                    \
    .minimum_excluded = true, .help = (meaning), .offset = offsetof(struct gauss_newton_options, fan.member)           \
  }

static const struct dc_option options_table[] = {
    ITERATIONS_AND_TARGET,
    {.name = "radii",
     .type = DC_REAL_LIST,
     .unit = "",
     .fallback = "[2.5, 1, 0.4, 0.1]",
     .minimum = 0,
     .maximum = 1e3,
     .minimum_excluded = true,
     .count = 16,
     .help = "lengths of the steps that are tried with one Jacobian, in that of the step before",
     .offset = offsetof(struct gauss_newton_options, fan.radii)},
    LENGTH(radius, "0.3", "length of the first step, in the parameters' units"),
    LENGTH(least, "0.01", "shortest step that is tried, unless nothing could be rolled out or monotone is set"),
    LENGTH(most, "2", "longest step"),
    {.name = "margin",
     .type = DC_REAL,
     .unit = "",
     .fallback = "0.8",
     .minimum = 0,
     .maximum = 1,
     .help = "part of the tolerance of a goal that steps aim into",
     .offset = offsetof(struct gauss_newton_options, fan.margin)},
    {.name = "model",
     .type = DC_CHOICE,
     .unit = "",
     .fallback = "\"edge\"",
     .choices = models,
     .help = "whether steps aim at the nearest points that count as reached, or at the middle of goals not reached yet",
     .offset = offsetof(struct gauss_newton_options, fan.model)},
    {.name = "metric",
     .type = DC_CHOICE,
     .unit = "",
     .fallback = "\"columns\"",
     .choices = metrics,
     .help = "measure of lengths: parameters by how much their group changes the residuals, or all alike",
     .offset = offsetof(struct gauss_newton_options, fan.metric)},
    {.name = "sufficient",
     .type = DC_REAL,
     .unit = "",
     .fallback = "0",
     .minimum = 0,
     .maximum = 1,
     .help = "part of the value at which a candidate is good enough for those behind it to be left out",
     .offset = offsetof(struct gauss_newton_options, fan.sufficient)},
    {.name = "monotone",
     .type = DC_BOOLEAN,
     .unit = "",
     .fallback = "false",
     .help = "whether only steps that lower the value are taken",
     .offset = offsetof(struct gauss_newton_options, fan.monotone)},
    DC_OPTIONS_END,
};

static enum dc_status check(const void *options, const struct dc_problem *problem, struct dc_error *error)
{
  (void)options;
  return dc_fan_check("gauss_newton", problem, error);
}

static size_t state_size(const void *options, const struct dc_problem *problem, int number)
{
  (void)options, (void)number;
  return dc_fan_state_size(problem);
}

// The fan books its own points from the second iteration on; the first guess is booked here.
static enum dc_status iterate(const void *options, struct dc_iteration *iteration, struct dc_error *error)
{
  const struct gauss_newton_options *gauss_newton = options;
  if (iteration->number > 0)
    return dc_fan_step(&gauss_newton->fan, iteration, gauss_newton->common.target, iteration->state, error);
  enum dc_status status = dc_fan_begin(&gauss_newton->fan, iteration, iteration->state, error);
  if (status)
    return status;
  dc_iteration_count(iteration, 1);
  dc_iteration_book(iteration, iteration->x, iteration->value);
  return DC_OK;
}

const struct dc_optimizer_type dc_gauss_newton = {
    .name = "gauss_newton",
    .summary = "Gauss-Newton steps of several lengths at once; the best is taken whether it is lower or not",
    .reference = "docs/theory.md, \"Fan\"",
    .options = options_table,
    .options_size = sizeof(struct gauss_newton_options),
    .check = check,
    .state_size = state_size,
    .iterate = iterate,
};
