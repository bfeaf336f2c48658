// SPDX-License-Identifier: Apache-2.0
// The race of an automatic search (race.h): rounds, heats, worlds.
//
// 1. Recipes (race_recipes.h) become optimizers with their options when the race is created.
// 2. A round opens its members: recipes from the first guess, shorter steps from the best point, or the leader's recipe
//    from the best draws.
// 3. After each turn dc_race_pass (race_pass.c) converts and ends members; after each heat it keeps the better half.
//    Members in another world, with smoother friction, near their objects or in windows, are not ranked. One member of
//    the first round is Adam with its defaults, which such scenes had before there were races.  After some turns it has
//    as many iterations as all others together, and it ends only as it would alone, in a later round where those of the
//    first one are over before: a race takes at most about twice its work. The first fan begins alone, for as long as
//    it makes progress: where it reaches early, nothing else is paid.  From some turns on it takes half of the work at
//    most.  Every member has the same number of turns from its own first one.
// 4. The leader is the recipe that lowered the loss last; it is reported as what was found.
#include "plan/race.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plan/constants.h"
#include "plan/linearize.h"
#include "plan/race_internal.h"
#include "plan/worker.h"

// The world of smoother friction has a smoothing velocity of DC_RACE_SMOOTH_SPEED, as far as the bounds of the factor
// allow.
enum dc_status dc_race_create(struct dc_search *search, struct dc_error *error)
{
  const struct dc_plan *plan = search->plan;
  struct dc_race *race = search->race = dc_alloc(1, sizeof *race);
  enum dc_status status = race ? DC_OK : dc_out_of_memory_for(error, "a search");
  for (int k = 0; k < DC_RECIPES && !status; k++)
    status = dc_recipe_options(k, search->target, search->settings.portfolio.iterations, search->arena,
                               &race->options[k], error);
  if (status)
    return status;
  race->default_iterations = ((const struct dc_optimizer_common *)race->options[DC_RECIPE_DEFAULT_WALK])->iterations;
  race->has_windows = dc_race_windows_settings(plan->model, plan->task, &race->windows);
  race->windows.seed = search->settings.portfolio.seed;
  race->first_loss = -1;
  race->shortened = INFINITY;
  race->judges = dc_judged_create(&race->judged, plan->task, search->arena);
  race->model = *plan->model;
  double *smoothing = &race->model.definition.contact.friction_smoothing;
  race->smoother = fmax(DC_RACE_SMOOTHER_LEAST, fmin(DC_RACE_SMOOTHER_MOST, DC_RACE_SMOOTH_SPEED / *smoothing));
  *smoothing *= race->smoother;
  return DC_OK;
}

void dc_race_destroy(struct dc_search *search)
{
  if (search->race) {
    dc_plan_destroy(search->race->smooth);
    dc_plan_destroy(search->race->near);
    dc_plan_destroy(search->race->heavy);
  }
  free(search->race);
  search->race = NULL;
}

void dc_race_set_approach(struct dc_search *search, double first_loss)
{
  struct dc_race *race = search->race;
  race->first_loss = isfinite(first_loss) ? first_loss : -1;
  race->hands.can_take =
      dc_approach_create(&race->hands.around, search->plan->model, search->plan->task, race->first_loss, search->arena);
  race->hands.can_move = dc_approach_itself(&race->hands.itself, search->plan->model, search->plan->task);
}

// Weighs what is judged for the round: ten times as much with every second one, up to a limit.
static void weigh_judged(struct dc_search *search)
{
  struct dc_race *race = search->race;
  for (; race->heavy_round <= search->round && race->heavy_round < DC_RACE_MOST_HEAVIER; race->heavy_round += 2)
    dc_judged_scale(&race->judged, DC_RACE_HEAVIER);
}

// The plan of smoother friction or of another task, created when it is first needed; NULL: error.
static struct dc_plan *open_elsewhere(struct dc_search *search, enum dc_recipe_kind kind, struct dc_error *error)
{
  struct dc_race *race = search->race;
  bool smooth = kind == DC_RECIPE_SMOOTH_FAN, heavy = kind == DC_RECIPE_JUDGED_FAN;
  struct dc_plan **plan = smooth ? &race->smooth : heavy ? &race->heavy : &race->near;
  const struct dc_task *task = smooth ? search->plan->task : heavy ? &race->judged.task : &race->hands.around.task;
  if (heavy)
    weigh_judged(search);
  if (*plan)
    return *plan;
  *plan = dc_plan_create(smooth ? &race->model : search->plan->model, task, search->plan->window.steps, error);
  if (!*plan)
    return NULL;
  dc_plan_set_cancel(*plan, search->plan->cancel);
  if (smooth)
    (*plan)->scaled.stiffness = DC_RACE_STIFFER;
  dc_plan_set_gradient(*plan, &search->plan->estimate.settings);
  return *plan;
}

// Whether the recipe has something to do here.
bool dc_race_applies(const struct dc_search *search, const struct dc_recipe *recipe)
{
  bool rows = dc_plan_row_count(search->world) > 0;
  switch (recipe->kind) {
  case DC_RECIPE_WALK: return recipe->rate < DC_RACE_LARGE_RATE || !rows || search->round > 0;
  case DC_RECIPE_FAN: return rows;
  case DC_RECIPE_SMOOTH_FAN: return rows && dc_model_rubs(search->plan->model) && search->plan->cases.count == 0;
  case DC_RECIPE_APPROACH_FAN: return rows && search->race->hands.can_take;
  case DC_RECIPE_JUDGED_FAN: return rows && search->race->judges && !search->race->succeeds;
  case DC_RECIPE_SOFT_FAN:
    return rows && dc_contact_pair_count(dc_rollout_contact(search->plan->rollout)) > 0 &&
           search->plan->cases.count == 0;
  default: return search->race->has_windows;
  }
}

// A member in windows has a horizon beside its plan, which waits for what is applied.
static enum dc_status add_windows(struct dc_search *search, struct dc_search_member *member, struct dc_error *error)
{
  const struct dc_plan *plan = search->plan;
  member->windows =
      dc_horizon_create(plan->model, plan->task, &search->race->windows, member->optimizer, member->options, error);
  if (!member->windows)
    return error ? error->status : DC_MEMORY;
  dc_plan_set_gradient(member->windows->plan, &plan->estimate.settings);
  dc_plan_set_cancel(member->windows->plan, plan->cancel);
  return DC_OK;
}

// A member that starts elsewhere gets the plan of its world.  Soft fans stay in the scene's, with a factor on the
// contact stiffness that comes nearer to 1 with each stage.
enum dc_status dc_race_start_member(struct dc_search *search, int index, int recipe, int away, const double *x,
                                    enum dc_search_origin origin, struct dc_error *error)
{
  struct dc_search_member *member = &search->members[index];
  const struct dc_recipe *r = &dc_recipes[recipe];
  struct dc_plan *world = search->world;
  bool elsewhere = away && dc_recipe_worlds[r->kind], soft = elsewhere && r->kind == DC_RECIPE_SOFT_FAN;
  int stages = DC_RACE_SOFT_STAGES;
  if (elsewhere && !soft && !(world = open_elsewhere(search, r->kind, error)))
    return error ? error->status : DC_MEMORY;
  *member = (struct dc_search_member){.optimizer = dc_recipe_type(r),
                                      .options = search->race->options[recipe],
                                      .pace = dc_recipe_is_fan(r) ? 1 : DC_WALK_PACE,
                                      .recipe = recipe,
                                      .origin = origin,
                                      .own = search->round == 0 && recipe == DC_RECIPE_DEFAULT_WALK,
                                      .wait = search->round == 0 ? r->wait : 0,
                                      .elsewhere = elsewhere,
                                      .stage = away - 1,
                                      .softer = soft ? pow(DC_RACE_SOFTEST, (double)(stages + 1 - away) / stages) : 0};
  enum dc_status status = dc_search_start_member(search, member, world, x, error);
  if (!status && away && r->kind == DC_RECIPE_WINDOWS)
    status = add_windows(search, member, error);
  return status;
}

// Adds a member to the round; one whose windows or world cannot begin is left out.
enum dc_status dc_race_add(struct dc_search *search, int recipe, const double *x, enum dc_search_origin origin,
                           struct dc_error *error)
{
  struct dc_error local = {0};
  if (search->member_count == DC_SEARCH_MEMBERS || !dc_race_applies(search, &dc_recipes[recipe]))
    return DC_OK;
  enum dc_status status = dc_race_start_member(search, search->member_count, recipe, 1, x, origin, &local);
  if (!status)
    search->member_count++;
  else
    dc_search_release_member(&search->members[search->member_count]);
  return status && !dc_point_has_no_value(status) ? dc_fail(error, status, "%s", local.text) : DC_OK;
}

// Adds the member in whose world what is judged weighs more: from the first guess, the best point, or the best draw.
static enum dc_status add_judged(struct dc_search *search, struct dc_error *error)
{
  bool drawn = search->round > 0 && search->round % 2 == 0;
  if (drawn && search->pool_count == 0)
    return DC_OK;
  if (drawn)
    return dc_race_add(search, DC_RECIPE_JUDGED, search->pool, DC_FROM_DRAW, error);
  return search->round ? dc_race_add(search, DC_RECIPE_JUDGED, search->best, DC_FROM_BEST, error)
                       : dc_race_add(search, DC_RECIPE_JUDGED, search->x, DC_FROM_FIRST_GUESS, error);
}

// Adds a fan that begins with the body between the hands, where that is better than the first guess.
static enum dc_status add_grasp(struct dc_search *search, struct dc_error *error)
{
  double *x = dc_alloc((size_t)search->plan->sizes.parameters, sizeof *x);
  bool found;
  if (!x)
    return dc_out_of_memory_for(error, "a first guess");
  enum dc_status status = dc_race_first_grasp(search, x, &found, error);
  status = status || !found ? status : dc_race_add(search, DC_RECIPE_GRASP, x, DC_FROM_GRASP, error);
  free(x);
  return status;
}

static double rate_of_leader(const struct dc_search *search)
{
  const struct dc_recipe *leader = &dc_recipes[search->race->leader];
  return dc_recipe_is_fan(leader) ? DC_RACE_RATE_BESIDE_FANS : leader->rate;
}

// Adds walks of shorter steps at the best point so far, at most three of them.
enum dc_status dc_race_add_shorter(struct dc_search *search, int walks, struct dc_error *error)
{
  static const double parts[] = {1, 3, 9};
  double rate = rate_of_leader(search) * DC_RACE_SHORTER;
  enum dc_status status = DC_OK;
  for (int k = 0; k < walks && !status; k++)
    status = dc_race_add(search, dc_recipe_walk(rate / parts[k]), search->best, DC_FROM_BEST, error);
  search->race->shortened = search->stages[search->stage].loss;
  return status;
}

// Whether the first guess is still the best point: where shorter steps from there have nowhere to go.
static bool is_stuck(const struct dc_search *search)
{
  return search->race->first_loss >= 0 &&
         search->stages[search->stage].loss >= (1 - DC_RACE_NUMB) * search->race->first_loss;
}

// Whether shorter steps have not begun at the best point yet, or not where it is now.
bool dc_race_can_shorten(const struct dc_search *search)
{
  return !is_stuck(search) && search->stages[search->stage].loss < DC_RACE_STILL_THERE * search->race->shortened;
}

bool dc_race_is_first_fan(const struct dc_search *search, const struct dc_search_member *member)
{
  return search->round == 0 && member == search->members && member->plan && member->recipe == DC_RECIPE_FIRST_FAN;
}

// Round 0 begins all recipes from the first guess.  Odd rounds shorten the steps of the best; even ones begin from
// draws.
enum dc_status dc_race_open_round(struct dc_search *search, struct dc_error *error)
{
  if (!search->race)
    return dc_search_open_members(search, error);
  double rate = rate_of_leader(search);
  size_t n = (size_t)search->plan->sizes.parameters;
  enum dc_status status = DC_OK;
  bool rows = dc_plan_row_count(search->world) > 0;
  search->turn = search->race->ahead = search->race->others = 0;
  search->race->alone = false;
  if (search->round == 0) {
    dc_race_set_approach(search, search->plan->descent.best_loss);
    for (int k = 0; k < DC_RECIPES_FIRST_ROUND && !status; k++)
      status = dc_race_add(search, k, search->x, DC_FROM_FIRST_GUESS, error);
    if (!status)
      status = add_grasp(search, error);
    search->race->alone = dc_race_is_first_fan(search, search->members);
    search->race->shared = !search->race->alone;
  } else if (search->round % 2 && !is_stuck(search)) {
    status = dc_race_add_shorter(search, 3, error);
    if (!status)
      status = dc_race_add(search, DC_RECIPE_SMALL_FAN, search->best, DC_FROM_BEST, error);
  }
  for (int i = 0; i < search->pool_count && !status && search->round % 2 == 0; i++) {
    status = dc_race_add(search, DC_RECIPE_FIRST_FAN, search->pool + (size_t)i * n, DC_FROM_DRAW, error);
    if (!status && (i == 0 || !rows))
      status = dc_race_add(search, dc_recipe_walk(rate), search->pool + (size_t)i * n, DC_FROM_DRAW, error);
  }
  // Every second round that draws begins in another one of the easier worlds, too.
  if (!status && search->round > 0 && search->pool_count > 0 && search->round % 2 == 0)
    status = dc_race_add(search, search->round % 4 ? DC_RECIPE_APPROACH : DC_RECIPE_SOFT, search->pool, DC_FROM_DRAW,
                         error);
  return status ? status : add_judged(search, error);
}

// The walk by the defaults from the scene's first guess goes on in the next round, where a goal is still to be reached.
static bool outlasts(const struct dc_search *search, const struct dc_search_member *member)
{
  bool any = false;
  for (int i = 0; i < search->plan->task->objective_count; i++)
    any = any || search->plan->task->objectives[i].type->report;
  return member->plan && member->own && any && !search->race->succeeds;
}

// Members that a round waits for: the one with defaults may outlast it.
int dc_race_members(const struct dc_search *search)
{
  int count = 0;
  for (int i = 0; i < search->member_count; i++)
    count += search->members[i].plan && !outlasts(search, &search->members[i]);
  return count;
}

// The member that outlasts the round stays, in the first place and without a wait; others give their plans back.
void dc_race_close_round(struct dc_search *search)
{
  struct dc_search_member kept = {0};
  for (int i = 0; i < search->member_count; i++)
    if (outlasts(search, &search->members[i]))
      kept = search->members[i];
    else
      dc_search_release_member(&search->members[i]);
  search->member_count = 0;
  if (kept.plan) {
    kept.wait = 0;
    search->members[search->member_count++] = kept;
  }
}

// Turns of the round but for those that the first fan had alone.
int dc_race_clock(const struct dc_search *search)
{
  return search->turn - search->race->ahead;
}

long dc_race_wait(const struct dc_search *search, const struct dc_search_member *member)
{
  if (dc_race_is_first_fan(search, member) || (search->round == 0 && member->recipe == DC_RECIPE_GRASP))
    return 0;
  return search->race->alone ? LONG_MAX : member->wait + search->race->ahead;
}

void dc_race_count(struct dc_search *search, const int *live, int count)
{
  struct dc_race *race = search->race;
  race->ahead += race->alone;
  for (int k = 0; k < count; k++) {
    struct dc_search_member *member = &search->members[live[k]];
    bool walks = dc_recipes[member->recipe].kind == DC_RECIPE_WALK;
    race->others += dc_race_is_first_fan(search, member) ? 0 : walks ? member->pace / DC_WALK_PACE : 1;
    member->turns++;
  }
}

// The next turn belongs to the first fan alone until two of its turns have lost too little: where it reaches, little
// else is paid.  From its turn DC_RACE_LEAD on the others have as many turns as it, all together: a fan that progresses
// through all of its turns and does not reach takes half of the work.
void dc_race_share_turns(struct dc_search *search)
{
  const struct dc_search_member *fan = search->members;
  struct dc_race *race = search->race;
  race->shared = race->shared || !dc_race_is_first_fan(search, fan) || fan->idle >= DC_RACE_ALONE_IDLE;
  race->alone = !race->shared && fan->turns < race->others + DC_RACE_LEAD;
}

// Whether a trajectory becomes the best one of the run: always, until one succeeds, and then only such as succeed,
// too. Losses of different recipes are not enough to tell, since their tasks differ from the scene's. What the plan
// knew of its last evaluation is put back.
bool dc_race_prefers(struct dc_search *search, const double *parameters, const struct dc_trajectory *trajectory)
{
  struct dc_plan *plan = search->plan;
  bool evaluated =
      plan->succeeded && memcmp(plan->evaluated, parameters, (size_t)plan->parameter_count * sizeof *parameters) == 0;
  if (plan->cases.count > 0)
    return true;
  dc_plan_apply(plan, parameters);
  plan->succeeded = evaluated;
  bool succeeds = dc_task_success(plan->task, dc_plan_model(plan), plan->input, trajectory, trajectory->steps);
  bool prefers = succeeds || !search->race->succeeds;
  search->race->succeeds = search->race->succeeds || succeeds;
  return prefers;
}

// With objectives that are there to be reached alone a race goes on for a few turns once they are; with others until
// the round is over.
bool dc_race_is_over(struct dc_search *search)
{
  const struct dc_task *task = search->plan->task;
  bool any = false, all = true, resting = search->phase == DC_SEARCH_REFINE && search->turn > 0;
  for (int i = 0; i < search->member_count; i++)
    resting = resting && !search->members[i].plan;
  for (int i = 0; i < task->objective_count; i++) {
    any = any || task->objectives[i].type->report;
    all = all && dc_task_reachable(&task->objectives[i]);
  }
  if (search->race->succeeds && ++search->race->turns_since > DC_RACE_MARGIN_TURNS && all)
    return true;
  if ((!any || search->race->succeeds) &&
      search->plan->descent.best_loss <= DC_RACE_NOTHING_LEFT * search->race->first_loss &&
      dc_plan_row_count(search->plan) > 0)
    return true;
  return resting && (any ? search->race->succeeds : search->round > 0);
}

void dc_race_note(struct dc_search *search, const struct dc_search_member *member)
{
  search->race->leader = member->recipe;
  search->race->leader_origin = member->origin;
}

// The leader's settings as they would be written into the scene, which the end of a race prints to be pasted.
bool dc_search_found(const struct dc_search *search, struct dc_search_found *found)
{
  const struct dc_race *race = search->race;
  if (!race || !search->rolled)
    return false;
  const struct dc_recipe *leader = &dc_recipes[race->leader];
  *found =
      (struct dc_search_found){.optimizer = dc_recipe_type(leader),
                               .options = race->options[race->leader],
                               .rate_name = dc_recipe_is_fan(leader) ? "radius" : "learning_rate",
                               .rate = leader->rate,
                               .quick = leader->quick,
                               .horizon = leader->kind == DC_RECIPE_WINDOWS ? &race->windows : NULL,
                               .begun = dc_recipe_worlds[leader->kind],
                               .origin = race->leader_origin,
                               .grasp = race->leader_origin == DC_FROM_GRASP ? &race->grasp : NULL};
  return true;
}
