// SPDX-License-Identifier: Apache-2.0
// Options of searches, and checks of continuations.
#include <math.h>
#include <stddef.h>

#include "plan/search_internal.h"

const struct dc_option dc_continuation_options[] = {
    DC_POSITIVE_OPTION(struct dc_continuation, stiffness, "", "3", 1e12,
                       "factor on the contact stiffness with which the optimization begins"),
    DC_POSITIVE_OPTION(struct dc_continuation, far_field, "", "1", 1e12,
                       "factor on the far fields of soft bodies with which it begins"),
    DC_INTEGER_OPTION(struct dc_continuation, stages, "1", 1, DC_SEARCH_STAGES - 1,
                      "stages before the scene itself, from one to the next in equal ratios"),
    DC_INTEGER_OPTION(struct dc_continuation, step, "1", 1, 1024,
                      "factor on the time step with which it begins, a power of two: halved on the way"),
    DC_INTEGER_OPTION(struct dc_continuation, iterations, "15", 1, 1e9,
                      "most iterations in each of them, without a portfolio"),
    DC_OPTIONS_END,
};

const struct dc_option dc_portfolio_options[] = {
    DC_INTEGER_OPTION(struct dc_portfolio, rollouts, "2000", 1, 1e12, "after so many no further turn begins"),
    DC_INTEGER_OPTION(struct dc_portfolio, draws, "128", 1, 1e9, "first guesses that a round draws and rolls out"),
    DC_INTEGER_OPTION(struct dc_portfolio, candidates, "4", 1, DC_SEARCH_MEMBERS,
                      "number of the best of these, which are optimized side by side"),
    DC_INTEGER_OPTION(struct dc_portfolio, iterations, "15", 1, 1e9, "most iterations of each of them in a round"),
    DC_INTEGER_OPTION(
        struct dc_portfolio, alone, "0", 0, 1e9,
        "iterations of the first fan before others begin beside it: where it reaches mostly, they cost more than "
        "they find"),
    DC_INTEGER_OPTION(struct dc_portfolio, stall, "0", 0, 1e9,
                      "turns within which a member must take away three tenths of its lowest loss, or it ends; 0: it "
                      "need not"),
    DC_REAL_OPTION(
        struct dc_portfolio, stiffer, "", "3", 1, 1e12,
        "factor on the contact stiffness with which the second fan of the first round begins; 1: there is no "
        "second fan"),
    DC_REAL_OPTION(struct dc_portfolio, spread, "", "0.5", 0, 1e6,
                   "standard deviation of draws about the first guess, where the control has no choice of its own"),
    DC_SEED_OPTION(struct dc_portfolio, "seed of the draws"),
    DC_OPTIONS_END,
};

const struct dc_option dc_automatic_options[] = {
    DC_INTEGER_OPTION(struct dc_portfolio, rollouts, "0", 0, 1e12,
                      "after so many no further turn begins; 0: 4000, up to ten times as many where runs are small"),
    DC_INTEGER_OPTION(struct dc_portfolio, draws, "32", 1, 1e9, "first guesses that every other round draws"),
    DC_INTEGER_OPTION(struct dc_portfolio, candidates, "3", 1, DC_RACE_CANDIDATES,
                      "number of these, the best ones and the last one, which are optimized side by side"),
    DC_REAL_OPTION(struct dc_portfolio, spread, "", "0.5", 0, 1e6,
                   "standard deviation of draws about the first guess, where the control has no choice of its own"),
    DC_SEED_OPTION(struct dc_portfolio, "seed of the draws"),
    DC_OPTIONS_END,
};

// Runs of fewer steps and coordinates are cheaper.
// Rollouts of an automatic search, for runs of SMALL_RUN steps times coordinates or more; smaller runs get up to
// MOST_BUDGETS times as many.
static const double BUDGET = 4000, SMALL_RUN = 6000, MOST_BUDGETS = 10;

// Settings of a race that its option table does not have, and the budget by the size of a run.
void dc_automatic_complete(struct dc_search_settings *settings, const struct dc_model *model)
{
  double size = (double)model->definition.time.steps * model->bodies.nv;
  if (settings->portfolio.rollouts == 0)
    settings->portfolio.rollouts = (long)(BUDGET * fmin(MOST_BUDGETS, fmax(1, SMALL_RUN / fmax(size, 1))));
  settings->automatic = true;
  settings->portfolio.iterations = 60;
  settings->portfolio.stall = 6;
  settings->portfolio.stiffer = 1;
}

bool dc_search_wanted(const struct dc_search_settings *settings)
{
  return settings->continuation.iterations > 0 || settings->portfolio.rollouts > 0;
}

// Checks the longer steps of early stages: powers of two that divide the run, and no objective that counts frames.
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
