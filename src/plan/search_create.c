// SPDX-License-Identifier: Apache-2.0
// Creates and destroys searches, and answers questions about their state.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plan/race.h"
#include "plan/search_internal.h"

// Sets the stages of a continuation: softness, far field and step fall geometrically from the settings to 1, the last
// stage being the scene itself.  Factors are f^(1 - k/n) in stage k of n; steps are the power of two at or below
// that, with room for rounding of pow.
static void set_stages(struct dc_search *search)
{
  const struct dc_continuation *continuation = &search->settings.continuation;
  long softer = continuation->iterations > 0 ? continuation->stages : 0;
  search->stage_count = (int)softer + 1;
  for (long k = 0; k <= softer; k++) {
    double part = softer ? (double)(softer - k) / (double)softer : 0;
    int step = 1;
    while (step * 2 <= pow((double)continuation->step, part) * 1.0000001)
      step *= 2;
    search->stages[k] = (struct dc_search_stage){.stiffness = k < softer ? pow(continuation->stiffness, part) : 1,
                                                 .far_field = k < softer ? pow(continuation->far_field, part) : 1,
                                                 .step = k < softer ? step : 1,
                                                 .loss = INFINITY};
  }
}

// Sets the fan's options: the scene's, if its optimizer is a fan.
static enum dc_status set_fan(struct dc_search *search, struct dc_error *error)
{
  const struct dc_optimizer_type *type = &dc_gauss_newton;
  struct dc_optimizer_common *common = dc_arena_alloc(search->arena, 1, type->options_size);
  if (!common)
    return dc_out_of_memory_for(error, "a search");
  enum dc_status status = DC_OK;
  if (search->optimizer.type == type)
    memcpy(common, search->optimizer.options, type->options_size);
  else
    status = dc_options_set_defaults(type->options, common, search->arena, error);
  common->iterations = search->settings.portfolio.iterations;
  common->target = search->target;
  search->optimizer.fan_options = common;
  return status;
}

// Creates a search over a plan, with room for all its members' parameters, [members + 1][parameters].
struct dc_search *dc_search_create(struct dc_plan *plan, const struct dc_search_settings *settings,
                                   const struct dc_optimizer_type *optimizer, const void *options,
                                   const double *parameters, struct dc_error *error)
{
  const struct dc_optimizer_common *common = options;
  size_t n = (size_t)plan->sizes.parameters;
  struct dc_search *search = dc_alloc(1, sizeof *search);
  if (!search) {
    dc_out_of_memory_for(error, "a search");
    return NULL;
  }
  *search = (struct dc_search){.plan = plan,
                               .settings = *settings,
                               .optimizer = {.type = optimizer, .options = options},
                               .target = common->target,
                               .arena = dc_arena_create(),
                               .x = dc_alloc(n, sizeof *search->x),
                               .best = dc_alloc(n, sizeof *search->best),
                               .pool = dc_alloc((DC_SEARCH_MEMBERS + 1) * n, sizeof *search->pool),
                               .losses = dc_alloc(DC_SEARCH_MEMBERS, sizeof *search->losses)};
  enum dc_status status = search->arena && search->x && search->best && search->pool && search->losses
                              ? set_fan(search, error)
                              : dc_out_of_memory_for(error, "a search");
  if (status) {
    dc_search_destroy(search);
    return NULL;
  }
  set_stages(search);
  if (settings->automatic && dc_race_create(search, error)) {
    dc_search_destroy(search);
    return NULL;
  }
  memcpy(plan->parameters, parameters, (size_t)plan->parameter_count * sizeof *parameters);
  return search;
}

// Between rounds: workspaces of members go, their parameters in the pool stay.
void dc_search_close_members(struct dc_search *search)
{
  for (int i = 0; i < search->member_count; i++)
    dc_search_release_member(&search->members[i]);
  search->member_count = 0;
}

// Between stages: the world of softer contact goes, the scene's own belongs to the caller.
void dc_search_close_world(struct dc_search *search)
{
  dc_search_close_members(search);
  if (search->world != search->plan)
    dc_plan_destroy(search->world);
  search->world = NULL;
}

// Plan and optimizer's options belong to the caller and stay.
void dc_search_destroy(struct dc_search *search)
{
  if (!search)
    return;
  dc_search_close_world(search);
  dc_race_destroy(search);
  dc_arena_destroy(search->arena);
  dc_snapshot_destroy(search->before);
  free(search->x);
  free(search->best);
  free(search->pool);
  free(search->losses);
  free(search);
}

int dc_search_stages(const struct dc_search *search, const struct dc_search_stage **stages)
{
  *stages = search->stages;
  return search->stage_count;
}

int dc_search_iterations(const struct dc_search *search)
{
  return search->iterations;
}

bool dc_search_done(const struct dc_search *search)
{
  return search->begun && search->stage == search->stage_count;
}

// Stages with other worlds do not count: a rollout of the scene itself must have come down to the target.
bool dc_search_reached(const struct dc_search *search)
{
  return search->rolled && search->plan->descent.best_loss <= search->target;
}
