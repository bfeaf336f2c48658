// SPDX-License-Identifier: Apache-2.0
// The settings of a search.
#include <stddef.h>

#include "plan/search_internal.h"

const struct dc_option dc_continuation_options[] = {
    {.name = "stiffness",
     .type = DC_REAL,
     .unit = "",
     .fallback = "3",
     .minimum = 0,
     .maximum = 1e12,
     .minimum_excluded = true,
     .help = "factor on the contact stiffness with which the optimization begins",
     .offset = offsetof(struct dc_continuation, stiffness)},
    {.name = "stages",
     .type = DC_INTEGER,
     .unit = "",
     .fallback = "1",
     .minimum = 1,
     .maximum = DC_SEARCH_STAGES - 1,
     .help = "stages before the scene itself, from one to the next in equal ratios",
     .offset = offsetof(struct dc_continuation, stages)},
    {.name = "step",
     .type = DC_INTEGER,
     .unit = "",
     .fallback = "1",
     .minimum = 1,
     .maximum = 1024,
     .help = "factor on the time step with which it begins, a power of two: halved on the way",
     .offset = offsetof(struct dc_continuation, step)},
    {.name = "iterations",
     .type = DC_INTEGER,
     .unit = "",
     .fallback = "15",
     .minimum = 1,
     .maximum = 1e9,
     .help = "most iterations in each of them, without a portfolio",
     .offset = offsetof(struct dc_continuation, iterations)},
    DC_OPTIONS_END,
};

const struct dc_option dc_portfolio_options[] = {
    {.name = "rollouts",
     .type = DC_INTEGER,
     .unit = "",
     .fallback = "2000",
     .minimum = 1,
     .maximum = 1e12,
     .help = "after so many no further turn begins",
     .offset = offsetof(struct dc_portfolio, rollouts)},
    {.name = "draws",
     .type = DC_INTEGER,
     .unit = "",
     .fallback = "128",
     .minimum = 1,
     .maximum = 1e9,
     .help = "first guesses that a round draws and rolls out",
     .offset = offsetof(struct dc_portfolio, draws)},
    {.name = "candidates",
     .type = DC_INTEGER,
     .unit = "",
     .fallback = "4",
     .minimum = 1,
     .maximum = DC_SEARCH_MEMBERS,
     .help = "of these, the best ones, that are optimized side by side",
     .offset = offsetof(struct dc_portfolio, candidates)},
    {.name = "iterations",
     .type = DC_INTEGER,
     .unit = "",
     .fallback = "15",
     .minimum = 1,
     .maximum = 1e9,
     .help = "most iterations of each of them in a round",
     .offset = offsetof(struct dc_portfolio, iterations)},
    {.name = "alone",
     .type = DC_INTEGER,
     .unit = "",
     .fallback = "0",
     .minimum = 0,
     .maximum = 1e9,
     .help = "iterations of the first fan before others begin beside it: where it reaches mostly, they cost more than "
             "they find",
     .offset = offsetof(struct dc_portfolio, alone)},
    {.name = "spread",
     .type = DC_REAL,
     .unit = "",
     .fallback = "0.5",
     .minimum = 0,
     .maximum = 1e6,
     .help = "standard deviation of draws about the first guess, where the control has no choice of its own",
     .offset = offsetof(struct dc_portfolio, spread)},
    DC_SEED_OPTION(struct dc_portfolio, "seed of the draws"),
    DC_OPTIONS_END,
};

bool dc_search_wanted(const struct dc_search_settings *settings)
{
  return settings->continuation.iterations > 0 || settings->portfolio.rollouts > 0;
}

enum dc_status dc_continuation_check(const struct dc_continuation *continuation, const struct dc_model *model,
                                     const struct dc_task *task, struct dc_error *error)
{
  long step = continuation->step;
  if (continuation->iterations == 0 || step == 1)
    return DC_OK;
  if (step & (step - 1))
    return dc_fail(error, DC_BAD_INPUT, "step: must be a power of two (is %ld)", step);
  if (model->definition.time.steps % step)
    return dc_fail(error, DC_BAD_INPUT, "step: must divide the number of time steps, %ld (is %ld)",
                   model->definition.time.steps, step);
  for (int i = 0; i < task->objective_count; i++)
    if (task->objectives[i].type->recorded || task->objectives[i].type->whole_run)
      return dc_fail(error, DC_BAD_INPUT, "step: must be 1 with the objective \"%s\" (is %ld)",
                     task->objectives[i].type->name, step);
  return DC_OK;
}
