// SPDX-License-Identifier: Apache-2.0
// The world of a stage, the members of its rounds, and their turns on this rank.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/threads.h"
#include "plan/constants.h"
#include "plan/linearize.h"
#include "plan/race_windows.h"
#include "plan/search_internal.h"
#include "plan/worker.h"

void dc_search_release_member(struct dc_search_member *member)
{
  dc_plan_destroy(member->plan);
  dc_horizon_destroy(member->windows);
  free(member->row);
  *member = (struct dc_search_member){0};
}

double dc_search_stiffness(const struct dc_search *search, const struct dc_search_member *member)
{
  return search->world->scaled.stiffness * (member->stiffer ? search->settings.portfolio.stiffer : 1);
}

// Notes parameters and trajectory as the best of the plan, the first of all also as its first.  The parameters may be
// the plan's own array.
enum dc_status dc_search_record(struct dc_search *search, const double *parameters, double loss,
                                const struct dc_trajectory *trajectory, struct dc_error *error)
{
  struct dc_plan *plan = search->plan;
  size_t bytes = (size_t)plan->parameter_count * sizeof *parameters;
  bool failed = dc_trajectory_copy(plan->descent.best, trajectory) != DC_OK;
  memmove(plan->descent.best_parameters, parameters, bytes);
  plan->descent.best_loss = loss;
  if (!search->rolled) {
    failed |= dc_trajectory_copy(plan->descent.first, trajectory) != DC_OK;
    memmove(plan->descent.first_parameters, parameters, bytes);
    search->rolled = true;
  }
  return failed ? dc_out_of_memory_for(error, "a trajectory") : DC_OK;
}

// The world of a stage: the plan itself in the last one, else one with longer steps and scaled contact and far field.
// A stage that was begun, as in a checkpoint, keeps round, turn and pool.
enum dc_status dc_search_open_stage(struct dc_search *search, struct dc_error *error)
{
  struct dc_search_stage *stage = &search->stages[search->stage];
  struct dc_plan *plan = search->plan;
  search->world = plan;
  if (search->stage + 1 < search->stage_count) {
    search->model = dc_plan_coarser_model(plan->model, (int)stage->step);
    search->world = dc_plan_create(&search->model, plan->task, plan->window.steps / stage->step, error);
    if (!search->world)
      return error ? error->status : DC_MEMORY;
    search->world->scaled.stiffness = stage->stiffness;
    search->world->scaled.far_field = stage->far_field;
    search->world->scaled.coarseness = (int)stage->step;
    search->world->helpers.crew = plan->helpers.crew;
    dc_plan_set_cancel(search->world, plan->cancel);
    dc_plan_set_gradient(search->world, &plan->estimate.settings);
  }
  size_t bytes = (size_t)search->world->parameter_count * sizeof *search->x;
  if (!stage->begun) {
    memcpy(search->x, search->best, bytes);
    stage->begun = true;
    stage->loss = INFINITY;
    search->round = search->turn = search->drawn = search->pool_count = 0;
    search->phase = DC_SEARCH_REFINE;
    search->member_count = 0;
  }
  return DC_OK;
}

// A member: a plan of its own in the present world, with the scene's optimizer or Gauss-Newton, and its row of
// progress.
enum dc_status dc_search_make_member(struct dc_search *search, int index, bool own, int pace, bool stiffer,
                                     const double *x, struct dc_error *error)
{
  struct dc_search_member *member = &search->members[index];
  *member = (struct dc_search_member){.optimizer = own ? search->optimizer.type : &dc_gauss_newton,
                                      .options = own ? search->optimizer.options : search->optimizer.fan_options,
                                      .own = own,
                                      .pace = pace,
                                      .stiffer = stiffer};
  return dc_search_start_member(search, member, search->world, x, error);
}

// A member has a plan of its own in the world it begins in, with the scene's estimates of gradients.
enum dc_status dc_search_start_member(struct dc_search *search, struct dc_search_member *member,
                                      const struct dc_plan *world, const double *x, struct dc_error *error)
{
  member->mark = INFINITY;
  member->row = dc_alloc((size_t)world->parameter_count, sizeof *member->row);
  member->plan = member->row ? dc_plan_hire(world, error) : NULL;
  if (!member->plan)
    return member->row && error ? error->status : dc_out_of_memory_for(error, "a search");
  dc_plan_follow(member->plan, world);
  dc_plan_set_gradient(member->plan, &search->plan->estimate.settings);
  member->plan->scaled.coarseness = world->scaled.coarseness;
  member->plan->stop = search->plan->stop;
  member->plan->helpers.crew = member->elsewhere ? NULL : search->plan->helpers.crew;  // ranks know the scene only
  if (member->stiffer)
    member->plan->scaled.stiffness = dc_search_stiffness(search, member);
  if (member->softer > 0)
    member->plan->scaled.stiffness *= member->softer;
  if (search->stage == 0 && search->round == 0)
    member->plan->guess.settings = search->plan->guess.settings;
  return dc_plan_begin(member->plan, member->optimizer, member->options, x, error);
}

static enum dc_status add_member(struct dc_search *search, bool own, int pace, bool stiffer, const double *x,
                                 struct dc_error *error)
{
  return dc_search_make_member(search, search->member_count++, own, pace, stiffer, x, error);
}

// Opens the members of a round.  The first round starts at the given guess: a fan, one with stiffer contact, and the
// scene's own optimizer.  Later ones start at each point of the pool.  Without residual rows there are no fans, and a
// portfolio has only the scene's optimizer.
enum dc_status dc_search_open_members(struct dc_search *search, struct dc_error *error)
{
  bool portfolio = search->settings.portfolio.rollouts > 0, rows = dc_plan_row_count(search->world) > 0;
  bool own = !(portfolio && rows);
  int walk = search->optimizer.type->propose ? DC_WALK_PACE : 1, pace = portfolio && !rows ? walk : 1;
  enum dc_status status = DC_OK;
  search->member_count = 0;
  search->turn = 0;
  if (search->round == 0) {
    status = add_member(search, own, pace, false, search->x, error);
    if (!status && portfolio && search->settings.portfolio.stiffer > 1)
      status = add_member(search, own, pace, true, search->x, error);
    if (!status && portfolio && rows && search->optimizer.type != &dc_gauss_newton)
      status = add_member(search, true, walk, false, search->x, error);
    for (int i = 0; i < search->member_count && !status && search->stage_count == 1; i++)
      if (!search->members[i].stiffer)  // the search has begun with this rollout
        dc_plan_keep_of(search->members[i].plan, search->plan, search->x);
    return status;
  }
  for (int i = 0; i < search->pool_count && !status; i++)
    status =
        add_member(search, own, pace, false, search->pool + (size_t)i * (size_t)search->plan->sizes.parameters, error);
  return status;
}

// One turn of a member: two windows of its horizon, or `pace` iterations, or fewer where it ends or reaches the
// target. moved: there was an iteration.
static void take_turn(struct dc_search_member *member, double target, bool race)
{
  member->moved = false;
  if (member->windows) {
    member->status = dc_race_windows_turn(member->windows, member->plan->stop, &member->plan->work,
                                          &member->windows_over, &member->error);
    return;
  }
  for (int i = 0; i < member->pace && member->plan; i++) {
    struct dc_plan_iteration iteration;
    bool done;
    // turns of a race are long: a stop is heard between iterations, too
    if (race && member->plan->stop && !dc_stop_request_goes_on(member->plan->stop)) {
      member->status = DC_STOPPED;
      return;
    }
    member->status = dc_plan_next(member->plan, &iteration, &done, &member->error);
    if (member->status || done)
      return;
    member->last = iteration;
    member->moved = true;
    if (!(member->plan->descent.best_loss > target))
      return;
  }
}

// Counts a turn without enough progress. mark is the loss that progress is measured against.
bool dc_search_stalls(const struct dc_search *search, struct dc_search_member *member)
{
  long most = search->settings.portfolio.stall;
  member->idle++;
  if (!(member->plan->descent.best_loss > DC_SEARCH_PROGRESS * member->mark)) {
    member->mark = member->plan->descent.best_loss;
    member->idle = 0;
  }
  return most > 0 && member->idle >= most;
}

struct turn {
  struct dc_search *search;
  const int *live;
};

static void turn_pass(void *context, int index, int thread)
{
  const struct turn *turn = context;
  (void)thread;
  take_turn(&turn->search->members[turn->live[index]], turn->search->target, turn->search->race != NULL);
}

// Threads take a member each, unless ranks share the rollouts of every one.  Where one would be left over, while the
// other threads have nothing to do, the first one waits for the others and then has all threads for its own rollouts:
// it has a fan of them where any member has.
void dc_search_run_turns(struct dc_search *search, const int *live, int count)
{
  struct turn turn = {search, live};
  // With ranks, the rollouts of each member run side by side instead.
  bool crew = false;
  for (int k = 0; k < count; k++)
    crew = crew || search->members[live[k]].plan->helpers.crew;
  int threads = dc_threads(), alone = crew ? count : threads > 1 && count % threads == 1 ? 1 : 0;
  if (count > alone) {
    turn.live = live + alone;
    dc_loop_run(turn_pass, &turn, count - alone, 0, NULL);
    turn.live = live;
  }
  for (int k = 0; k < alone; k++)
    turn_pass(&turn, k, 0);
}
