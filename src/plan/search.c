// SPDX-License-Identifier: Apache-2.0
// The main loop of a search (dc_search_run); see search.h for stages, rounds and members.
//
// One turn (advance):
// 1. prepare: open the stage's world, the members of a round, or the draws of the next round;
// 2. in the drawing phase, roll out a batch of draws and keep the best in a pool;
// 3. in the refining phase, let all members take a turn side by side, collect their results, and end members that have
//    reached, stalled or used their turns;
// 4. when a member reaches or the budget is spent, the next stage starts from the best parameters.
//
// The best result in the scene itself is recorded throughout.
#include "plan/search.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "plan/constants.h"
#include "plan/race.h"
#include "plan/search_internal.h"
#include "plan/plan_cases.h"
#include "plan/worker.h"

// Records the result of the scene itself, unless a race keeps another.
static enum dc_status record(struct dc_search *search, const double *parameters, double loss,
                             const struct dc_trajectory *trajectory, struct dc_error *error)
{
  if (search->race && !dc_race_prefers(search, parameters, trajectory))
    return DC_OK;
  return dc_search_record(search, parameters, loss, trajectory, error);
}

// Evaluates the scene itself at parameters, and records it if it is the best.
static enum dc_status try_in_scene(struct dc_search *search, const double *parameters, struct dc_plan_iteration *row,
                                   struct dc_error *error)
{
  struct dc_plan *plan = search->plan;
  double loss;
  long newton = plan->work.newton_iterations;
  enum dc_status status = dc_plan_evaluate(plan, parameters, &loss, NULL, error);
  if (status)
    return status;
  bool best = !search->rolled || loss < plan->descent.best_loss;
  if (best)
    status = record(search, parameters, loss, plan->trajectory, error);
  *row = (struct dc_plan_iteration){.loss = loss,
                                    .gradient_norm = NAN,
                                    .min_gap = dc_trajectory_gap(plan->trajectory, 0, plan->window.steps),
                                    .newton_iterations = plan->work.newton_iterations - newton,
                                    .best = best,
                                    .parameter_count = plan->parameter_count,
                                    .parameters = plan->descent.best_parameters,
                                    .stage = search->stage_count,
                                    .phase = "guess"};
  row->term_count = dc_plan_list_terms(plan, row->terms);
  return status;
}

// Iteration 0: the first guess in the scene itself.  If it cannot be rolled out, a portfolio still has others, and
// the reason is kept for the case that none can be.  The guess is then carried to the steps of the first stage.
static enum dc_status begin(struct dc_search *search, struct dc_plan_iteration *row, struct dc_error *error)
{
  struct dc_plan *plan = search->plan;
  enum dc_status status = try_in_scene(search, plan->parameters, row, &search->guess);
  if (dc_point_has_no_value(status) && search->settings.portfolio.rollouts > 0) {
    *row = (struct dc_plan_iteration){.loss = NAN,
                                      .gradient_norm = NAN,
                                      .min_gap = NAN,
                                      .parameter_count = plan->parameter_count,
                                      .parameters = plan->parameters,
                                      .stage = search->stage_count,
                                      .phase = "guess"};
    plan->descent.best_loss = INFINITY;
    search->refused++;
  } else if (status) {
    return dc_fail(error, status, "%s", search->guess.text);
  }
  int steps = plan->window.steps;
  dc_task_resample(plan->task, plan->model, steps, plan->parameters, steps / search->stages[0].step, search->best);
  search->begun = true;
  if (dc_search_reached(search)) {
    search->stage = search->stage_count;
    search->stages[search->stage_count - 1].reached = true;
    search->stages[search->stage_count - 1].loss = plan->descent.best_loss;
  }
  return DC_OK;
}

// Parameters of a draw, by stage, round and number alone, so that no thread or rank matters; later rounds draw some
// near the best.
static void draw(const struct dc_search *search, int number, double *x)
{
  const struct dc_plan *world = search->world;
  const struct dc_portfolio *portfolio = &search->settings.portfolio;
  struct dc_random random;
  dc_random_seed(&random, (uint64_t)portfolio->seed);
  dc_random_seed(&random, dc_random_bits(&random) + (uint64_t)search->stage);
  dc_random_seed(&random, dc_random_bits(&random) + (uint64_t)search->round);
  dc_random_seed(&random, dc_random_bits(&random) + (uint64_t)number);
  if (search->round >= DC_SEARCH_NEAR_FROM && portfolio->draws >= DC_SEARCH_NEAR_EVERY &&
      number % DC_SEARCH_NEAR_EVERY == 0) {
    double near = portfolio->spread / (1 + search->round);
    for (int i = 0; i < world->parameter_count; i++)
      x[i] = search->best[i] + near * dc_random_normal(&random);
    return;
  }
  struct dc_spread spread = {.deviation = portfolio->spread, .knots = 1};
  if (dc_race_draw_grasp(search, number, &random, x))
    return;
  if (search->race)
    dc_race_vary(search, number, &random, &spread);
  dc_task_draw_parameters(world->task, world->model, &world->window, search->x, &spread, &random, x);
}

// Adds a draw to the pool, which is sorted by loss; of equal ones the earlier comes first.  In a race the last place is
// for the last draw, however high its loss: all of low loss may lie where no gradient leads further, as balls on the
// ground do that are to be thrown.
static void pool_draw(struct dc_search *search, double loss, bool last, const double *x)
{
  size_t n = (size_t)search->plan->sizes.parameters, used = (size_t)search->world->parameter_count * sizeof *x;
  int most = (int)search->settings.portfolio.candidates, place = search->pool_count;
  while (place > 0 && loss < search->losses[place - 1])
    place--;
  if (search->race && last && place >= most)
    place = most - 1;
  if (place >= most)
    return;
  if (search->pool_count < most)
    search->pool_count++;
  for (int i = search->pool_count - 1; i > place; i--) {
    search->losses[i] = search->losses[i - 1];
    memcpy(search->pool + (size_t)i * n, search->pool + (size_t)(i - 1) * n, used);
  }
  search->losses[place] = loss;
  memcpy(search->pool + (size_t)place * n, x, used);
}

// Rolls out a batch of draws; the row shows the pool's best.
static enum dc_status draw_turn(struct dc_search *search, struct dc_plan_iteration *row, struct dc_error *error)
{
  int n = search->world->parameter_count, count = DC_SEARCH_BATCH;
  if (count > search->settings.portfolio.draws - search->drawn)
    count = (int)(search->settings.portfolio.draws - search->drawn);
  double *xs = dc_alloc((size_t)(count * n), sizeof *xs), losses[DC_SEARCH_BATCH];
  enum dc_status statuses[DC_SEARCH_BATCH];
  if (!xs)
    return dc_out_of_memory_for(error, "draws");
  for (int i = 0; i < count; i++)
    draw(search, search->drawn + i, xs + (size_t)i * (size_t)n);
  enum dc_status status = dc_plan_values(search->world, count, xs, losses, statuses, error);
  for (int i = 0; i < count && !status; i++)
    if (statuses[i])
      search->refused++;
    else
      pool_draw(search, losses[i], search->drawn + i == search->settings.portfolio.draws - 1,
                xs + (size_t)i * (size_t)n);
  free(xs);
  if (status)
    return status;
  search->drawn += count;
  bool reached = search->pool_count > 0 && !(search->losses[0] > search->target);
  if (reached || search->drawn >= search->settings.portfolio.draws)
    search->phase = DC_SEARCH_REFINE;
  *row = (struct dc_plan_iteration){.loss = search->pool_count ? search->losses[0] : NAN,
                                    .gradient_norm = NAN,
                                    .min_gap = NAN,
                                    .parameter_count = n,
                                    .parameters = search->pool};
  return DC_OK;
}

// Records a member's best in the scene itself as the plan's; if it was found on another rank, it is rolled out here.
static enum dc_status record_best(struct dc_search *search, struct dc_search_member *member, struct dc_error *error)
{
  struct dc_plan *plan = search->plan, *found = member->plan;
  if (!member->away)
    return record(search, found->descent.best_parameters, found->descent.best_loss, found->descent.best, error);
  const struct dc_plan_work work = plan->work;
  double loss;
  enum dc_status status = dc_plan_evaluate(plan, found->descent.best_parameters, &loss, NULL, error);
  plan->work = work;
  return status ? status
                : record(search, found->descent.best_parameters, found->descent.best_loss, plan->trajectory, error);
}

// Takes over a member's result for the stage and, in the scene itself, for the plan.  Losses of members in another
// world (stiffer contact, another task, windows) are not comparable and count for nothing.
static enum dc_status collect(struct dc_search *search, struct dc_search_member *member, bool *best,
                              struct dc_error *error)
{
  struct dc_search_stage *stage = &search->stages[search->stage];
  struct dc_plan *plan = search->plan, *found = member->plan;
  size_t bytes = (size_t)found->parameter_count * sizeof *search->best;
  bool away = member->stiffer || member->elsewhere || member->windows;
  *best = !away && dc_plan_iterations(found) + member->moved > 0 && found->descent.best_loss < stage->loss;
  if (*best) {
    stage->loss = found->descent.best_loss;
    memcpy(search->best, found->descent.best_parameters, bytes);
  }
  bool lower = !search->rolled || found->descent.best_loss < plan->descent.best_loss;
  enum dc_status status = *best && search->world == plan && lower ? record_best(search, member, error) : DC_OK;
  if (!status && search->race && *best && plan->descent.best_loss == stage->loss)
    dc_race_note(search, member);
  return status;
}

// Number of turns that a member waits: in round 0 the turns that the first one has alone.
static long waits(const struct dc_search *search, const struct dc_search_member *member)
{
  if (search->race)
    return dc_race_wait(search, member);
  return search->round == 0 && member != search->members ? search->settings.portfolio.alone : 0;
}

// Lists the members whose turn it is.
static int list_live(const struct dc_search *search, int *live)
{
  int count = 0;
  for (int i = 0; i < search->member_count; i++) {
    const struct dc_search_member *member = &search->members[i];
    if (member->plan && search->turn >= waits(search, member))
      live[count++] = i;
  }
  return count;
}

// Ends a member; if the first one leaves turns of its lead unused, the others start at once.
static void end_member(struct dc_search *search, struct dc_search_member *member)
{
  long alone = search->settings.portfolio.alone;
  dc_search_release_member(member);
  if (search->round == 0 && member == search->members && search->turn < alone)
    search->turn = (int)alone;
}

// Ends a member that has used its turns or stalls; one with stiffer contact continues in the stage's world.
static enum dc_status pass_on(struct dc_search *search, struct dc_search_member *member, struct dc_error *error)
{
  long most = search->settings.portfolio.iterations;
  bool portfolio = search->settings.portfolio.rollouts > 0, last = search->stage + 1 == search->stage_count;
  if (!portfolio)
    most = last ? INT_MAX : search->settings.continuation.iterations;
  struct dc_plan *plan = member->plan;
  long turns = search->turn - waits(search, member);
  bool over = !member->moved || !(plan->descent.best_loss > search->target) || dc_search_stalls(search, member);
  if (member->stiffer) {
    if (!over && turns < most / 2)
      return DC_OK;
    if (dc_point_has_no_value(member->status) && !dc_plan_iterations(plan)) {
      dc_search_release_member(member);
      return DC_OK;
    }
    member->stiffer = false;
    member->mark = INFINITY;
    plan->scaled.stiffness = dc_search_stiffness(search, member);
    return dc_plan_begin(plan, member->optimizer, member->options, plan->descent.best_parameters, error);
  }
  if (over || turns >= most)
    end_member(search, member);
  return DC_OK;
}

// Adds a member's counts to the plan's; the random numbers of its next estimate depend on their number.
static void take_counts(struct dc_plan *plan, struct dc_plan *member)
{
  dc_plan_add_work(&plan->work, &member->work);
  plan->guess.counts.draws += member->guess.counts.draws;
  plan->guess.counts.vanished += member->guess.counts.vanished;
  plan->estimate.counts.one_sided += member->estimate.counts.one_sided;
  plan->estimate.counts.dropped += member->estimate.counts.dropped;
  dc_search_clear_counts(member);
}

// Takes the turn of all members as a unit: if one is stopped within it, the whole turn is broken off.
static enum dc_status take_turn(struct dc_search *search, const int *live, int count, struct dc_error *error)
{
  double start = dc_seconds();
  enum dc_status status = search->plan->stop ? dc_search_remember(search, error) : DC_OK;
  if (!status)
    status = dc_search_take_turns(search, live, count, error);
  search->plan->work.seconds += dc_seconds() - start;
  for (int k = 0; k < count && !status; k++)
    search->broken_off = search->broken_off || search->members[live[k]].status == DC_STOPPED;
  if (search->broken_off)
    return dc_fail(error, DC_STOPPED, "stopped after %d turns", search->iterations);
  search->turn++;
  if (search->race)
    dc_race_count(search, live, count);
  return status;
}

// One turn of all members side by side; the row shows the lowest.
static enum dc_status refine_turn(struct dc_search *search, struct dc_plan_iteration *row, struct dc_error *error)
{
  int live[DC_SEARCH_MEMBERS], count = list_live(search, live), lowest = -1;
  if (search->race)
    dc_race_set_paces(search, live, count);
  enum dc_status status = take_turn(search, live, count, error);
  *row = (struct dc_plan_iteration){.loss = NAN, .gradient_norm = NAN, .min_gap = NAN};
  for (int k = 0; k < count && !status; k++) {
    struct dc_search_member *member = &search->members[live[k]];
    bool best = false;
    row->newton_iterations += member->plan->work.newton_iterations;
    take_counts(search->plan, member->plan);
    if (member->status && !dc_point_has_no_value(member->status))
      status = dc_fail(error, member->status, "%s", member->error.text);
    else
      status = collect(search, member, &best, error);
    row->best = row->best || best;
    bool away = member->stiffer || member->elsewhere || member->windows;
    if (member->moved && !away && (lowest < 0 || member->last.loss < search->members[lowest].last.loss))
      lowest = live[k];
  }
  if (lowest >= 0) {
    long newton = row->newton_iterations;
    bool best = row->best;
    *row = search->members[lowest].last;
    row->newton_iterations = newton;
    row->best = best;
    // The member may end now.
    row->parameters = memcpy(search->pool + DC_SEARCH_MEMBERS * (size_t)search->plan->sizes.parameters, row->parameters,
                             (size_t)row->parameter_count * sizeof *row->parameters);
  }
  if (search->race)
    return status ? status : dc_race_pass(search, live, count, error);
  for (int k = 0; k < count && !status; k++)
    status = pass_on(search, &search->members[live[k]], error);
  return status;
}

// Members that the round waits for.
static int live_members(const struct dc_search *search)
{
  int count = 0;
  if (search->race)
    return dc_race_members(search);
  for (int i = 0; i < search->member_count; i++)
    count += search->members[i].plan != NULL;
  return count;
}

// Whether the stage has nothing left to do: it has reached the target, its members rest and there is no portfolio to
// draw others, or its share of the rollouts is spent.  Stage k of n may use rollouts up to (k + 1)/n of the budget;
// what earlier ones left is its own.
static bool stage_is_over(struct dc_search *search)
{
  const struct dc_search_stage *stage = &search->stages[search->stage];
  const struct dc_portfolio *portfolio = &search->settings.portfolio;
  if (!(stage->loss > search->target))
    return true;
  if (search->race && dc_race_is_over(search))
    return true;
  bool resting = search->phase == DC_SEARCH_REFINE && search->turn > 0 && !live_members(search);
  if (portfolio->rollouts == 0)
    return resting;
  double share = (double)portfolio->rollouts * (search->stage + 1) / search->stage_count;
  return (double)(search->plan->work.rollouts + search->refused) >= share;
}

// Ends a stage: its best parameters start the next one, and are tried in the scene itself, too.
static enum dc_status end_stage(struct dc_search *search, struct dc_error *error)
{
  struct dc_search_stage *stage = &search->stages[search->stage];
  struct dc_plan *plan = search->plan;
  int steps = plan->window.steps;
  stage->reached = !(stage->loss > search->target);
  dc_search_close_world(search);
  search->stage++;
  if (search->stage == search->stage_count)
    return DC_OK;
  const struct dc_search_stage *next = &search->stages[search->stage];
  dc_task_resample(plan->task, plan->model, steps / stage->step, search->best, steps, plan->parameters);
  dc_task_resample(plan->task, plan->model, steps / stage->step, search->best, steps / next->step, search->x);
  memcpy(search->best, search->x, (size_t)plan->sizes.parameters * sizeof *search->x);
  struct dc_plan_iteration row;
  struct dc_error local = {0};
  enum dc_status status = try_in_scene(search, plan->parameters, &row, &local);
  if (status && !dc_point_has_no_value(status))
    return dc_fail(error, status, "%s", local.text);
  return DC_OK;
}

// Opens what the next turn needs: the world of a new stage or of a checkpoint; its first members; or, where all
// members have ended, the next round, which draws first.
static enum dc_status prepare(struct dc_search *search, struct dc_error *error)
{
  enum dc_status status = DC_OK;
  bool fresh = !search->stages[search->stage].begun;
  if (!search->world)
    status = dc_search_open_stage(search, error);
  if (!status && fresh)
    status = dc_race_open_round(search, error);
  if (status || search->phase == DC_SEARCH_DRAW)
    return status;
  if (search->turn > 0 && !live_members(search)) {
    search->race ? dc_race_close_round(search) : dc_search_close_members(search);
    search->round++;
    search->drawn = search->pool_count = search->turn = 0;
    search->phase = search->race && !dc_race_draws(search) ? DC_SEARCH_REFINE : DC_SEARCH_DRAW;
    if (search->phase == DC_SEARCH_REFINE)
      status = dc_race_open_round(search, error);
  } else if (search->turn == 0 && !live_members(search)) {
    status = dc_race_open_round(search, error);
  }
  return status;
}

// One turn.
static enum dc_status advance(struct dc_search *search, struct dc_plan_iteration *row, struct dc_error *error)
{
  struct dc_search_stage *stage = &search->stages[search->stage];
  enum dc_status status = prepare(search, error);
  bool drawing = search->phase == DC_SEARCH_DRAW;
  if (!status)
    status = drawing ? draw_turn(search, row, error) : refine_turn(search, row, error);
  if (status)
    return status;
  row->iteration = ++search->iterations;
  row->stage = search->stage + 1;
  row->phase = drawing ? "draw" : search->round ? "refine" : "guess";
  stage->turns++;
  stage->rounds = search->round + 1;
  return stage_is_over(search) ? end_stage(search, error) : DC_OK;
}

// The loop of a search: begins, then advances by one turn after the other until all stages are over, and reports each.
enum dc_status dc_search_run(struct dc_search *search, dc_plan_observer *observer, void *observer_context,
                             struct dc_error *error)
{
  enum dc_status status = search->broken_off ? dc_search_take_back(search, error) : DC_OK;
  if (status)
    return status;
  while (!search->begun || search->stage < search->stage_count) {
    struct dc_plan_iteration row;
    struct dc_search_stage *stage = &search->stages[search->stage];  // the next stage may begin within this turn
    long rollouts = search->plan->work.rollouts;
    status = search->begun ? advance(search, &row, error) : begin(search, &row, error);
    if (status)
      return status;
    stage->rollouts += search->plan->work.rollouts - rollouts;
    if (observer && !observer(observer_context, &row))
      return dc_fail(error, DC_STOPPED, "stopped after %d turns", search->iterations);
  }
  if (!search->rolled)
    return dc_fail(error, search->guess.status, "no first guess of %ld could be rolled out: %s", search->refused,
                   search->guess.text);
  return DC_OK;
}
