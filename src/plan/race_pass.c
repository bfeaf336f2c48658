// SPDX-License-Identifier: Apache-2.0
// The end of a turn of a race (dc_race_pass).  Members that stall, are numb or lose a heat end.  Those that were in
// another world or in windows come back to the scene's.  Shorter steps from the best point take the room of members
// that ended.
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "plan/constants.h"
#include "plan/linearize.h"
#include "plan/race.h"
#include "plan/race_internal.h"
#include "plan/worker.h"

// The controls that the windows applied become the first guess of a walk, filled in the better of two ways.
static enum dc_status leave_windows(struct dc_search *search, int index, struct dc_error *error)
{
  struct dc_search_member *member = &search->members[index];
  int n = search->world->parameter_count, recipe = member->recipe;
  enum dc_search_origin origin = member->origin;
  double *guesses = dc_alloc(2 * (size_t)n, sizeof *guesses), losses[2];
  enum dc_status statuses[2];
  if (!guesses)
    return dc_out_of_memory_for(error, "a first guess");
  dc_race_windows_guesses(member->windows, guesses, guesses + n);
  enum dc_status status = dc_plan_values(search->world, 2, guesses, losses, statuses, error);
  dc_search_release_member(member);
  if (!status && !(statuses[0] && statuses[1])) {
    bool second = statuses[0] || (!statuses[1] && losses[1] < losses[0]);
    status = dc_race_start_member(search, index, recipe, 0, guesses + (second ? n : 0), origin, error);
  }
  free(guesses);
  return status;
}

// Records what a member found in a world of other terms if it reaches everything in the scene, though its loss may be
// above the lowest one.
static enum dc_status offer(struct dc_search *search, const struct dc_search_member *member, const double *x,
                            struct dc_error *error)
{
  struct dc_plan *plan = search->plan;
  struct dc_error local = {0};
  double loss;
  enum dc_status status = dc_plan_evaluate(plan, x, &loss, NULL, &local);
  if (status)
    return dc_point_has_no_value(status) ? DC_OK : dc_fail(error, status, "%s", local.text);
  if (search->race->succeeds ||
      !dc_task_success(plan->task, dc_plan_model(plan), plan->input, plan->trajectory, plan->window.steps))
    return DC_OK;
  search->race->succeeds = true;
  dc_race_note(search, member);
  return dc_search_record(search, x, loss, plan->trajectory, error);
}

// A member of another world goes on in the scene's, or in one of less soft contact, from its best point.
static enum dc_status come_back(struct dc_search *search, int index, struct dc_error *error)
{
  struct dc_search_member *member = &search->members[index];
  size_t n = (size_t)search->world->parameter_count;
  int recipe = member->recipe;
  enum dc_search_origin origin = member->origin;
  bool begun = dc_plan_iterations(member->plan) > 0, soft = dc_recipes[recipe].kind == DC_RECIPE_SOFT_FAN;
  int next = soft && member->stage + 1 < DC_RACE_SOFT_STAGES ? member->stage + 2 : 0;
  double *x = dc_alloc(n, sizeof *x);
  if (!x)
    return dc_out_of_memory_for(error, "a first guess");
  memcpy(x, member->plan->descent.best_parameters, n * sizeof *x);
  bool judged = begun && dc_recipes[recipe].kind == DC_RECIPE_JUDGED_FAN;
  enum dc_status status = judged ? offer(search, member, x, error) : DC_OK;
  dc_search_release_member(member);
  if (!status && begun)
    status = dc_race_start_member(search, index, recipe, next, x, origin, error);
  free(x);
  return status;
}

void dc_race_set_paces(struct dc_search *search, const int *live, int count)
{
  for (int k = 0; k < count; k++)
    if (search->members[live[k]].own) {
      bool same = count > 1 && search->members[live[k]].turns >= DC_RACE_DEFAULT_SHARE;
      search->members[live[k]].pace = DC_WALK_PACE * (same ? count - 1 : 1);
    }
}

static bool is_away(const struct dc_search_member *member)
{
  return member->elsewhere || member->windows;
}

// Members whose first turn is still to come are not ranked either, nor is the default walk.
static bool is_ranked(const struct dc_search_member *member)
{
  return member->plan && !is_away(member) && member->turns > 0 && !member->own;
}

// Number of members that are ranked, and how many of them are better than one: of equal ones the earlier is.
static int rank(const struct dc_search *search, int index, int *all)
{
  int better = 0;
  double own = search->members[index].plan->descent.best_loss;
  *all = 0;
  for (int i = 0; i < search->member_count; i++) {
    const struct dc_search_member *other = &search->members[i];
    if (!is_ranked(other))
      continue;
    ++*all;
    better += other->plan->descent.best_loss < own || (other->plan->descent.best_loss == own && i < index);
  }
  return better;
}

// Ends the worse half, by losses of one moment, but for members that have just lost three tenths of theirs.
static void end_heat(struct dc_search *search)
{
  bool ends[DC_SEARCH_MEMBERS] = {false};
  for (int i = 0; i < search->member_count; i++) {
    const struct dc_search_member *member = &search->members[i];
    int all, better;
    if (!is_ranked(member))
      continue;
    better = rank(search, i, &all);
    ends[i] = better >= DC_RACE_LEAST_LEFT && better >= (all + 1) / 2 && member->idle > 0;
  }
  for (int i = 0; i < search->member_count; i++)
    if (ends[i])
      dc_search_release_member(&search->members[i]);
}

// Where all members that have started are over, those that wait start at once.
static void end_waiting(struct dc_search *search)
{
  int next = INT_MAX;
  for (int i = 0; i < search->member_count; i++)
    if (search->members[i].plan && search->members[i].wait < next)
      next = search->members[i].wait;
  if (next < INT_MAX && next > dc_race_clock(search))
    search->turn = next + search->race->ahead;
}

// Whether the loss does not feel the parameters where a member begins, as that of a body that nothing meets.
static bool is_numb(const struct dc_search_member *member)
{
  return member->turns == 1 && member->moved && !member->own &&
         member->last.gradient_norm <= DC_RACE_NUMB * member->last.loss;
}

// At a first guess that is numb members that begin there and follow its gradient end at once; a grasp begins elsewhere.
static void end_numb(struct dc_search *search)
{
  if (!dc_race_is_first_fan(search, search->members) || !is_numb(search->members))
    return;
  for (int i = search->member_count - 1; i >= 0; i--)
    if (!search->members[i].windows && !search->members[i].elsewhere && search->members[i].recipe != DC_RECIPE_GRASP)
      dc_search_release_member(&search->members[i]);
  search->race->shared = true;
  search->race->alone = false;
}

// A member that stalls ends.  In the first round, while others go on, a small fan takes its place at the best point,
// unless there is one: fans of long steps wander off from where short ones would reach.
static enum dc_status end_stalled(struct dc_search *search, int index, struct dc_error *error)
{
  bool polish = search->round == 0 && isfinite(search->stages[search->stage].loss) &&
                dc_race_applies(search, &dc_recipes[DC_RECIPE_SMALL_FAN]) &&
                dc_race_clock(search) < search->settings.portfolio.iterations;
  for (int i = 0; i < search->member_count; i++)
    polish = polish && !(search->members[i].plan && search->members[i].recipe == DC_RECIPE_SMALL_FAN);
  dc_search_release_member(&search->members[index]);
  return polish ? dc_race_start_member(search, index, DC_RECIPE_SMALL_FAN, 0, search->best, DC_FROM_BEST, error) : DC_OK;
}

// Fans pass near the goal and leave it.  Where one does, a small fan begins at the best point, unless there is one.
static enum dc_status polish(struct dc_search *search, const int *live, int count, struct dc_error *error)
{
  bool left = false;
  for (int i = 0; i < search->member_count; i++)
    if (search->members[i].plan && search->members[i].recipe == DC_RECIPE_SMALL_FAN)
      return DC_OK;
  for (int k = 0; k < count; k++) {
    const struct dc_search_member *member = &search->members[live[k]];
    left = left || (member->plan && member->recipe == DC_RECIPE_FIRST_FAN && member->moved &&
                    member->last.loss > DC_RACE_LEFT * member->plan->descent.best_loss &&
                    member->plan->descent.best_loss <= search->stages[search->stage].loss);
  }
  return left ? dc_race_add(search, DC_RECIPE_SMALL_FAN, search->best, DC_FROM_BEST, error) : DC_OK;
}

// Whether a member has been in another world for long enough.
static bool has_been_away(const struct dc_search *search, struct dc_search_member *member)
{
  enum dc_recipe_kind kind = dc_recipes[member->recipe].kind;
  if (kind == DC_RECIPE_SMOOTH_FAN)
    return member->turns >= DC_RACE_SMOOTH_TURNS;
  return dc_search_stalls(search, member) ||
         member->turns >= (kind == DC_RECIPE_SOFT_FAN ? DC_RACE_SOFT_TURNS : DC_RACE_APPROACH_TURNS);
}

// Where all members are over but those in other worlds, those that wait and the default walk, a walk of shorter steps
// begins at the best point: it would be of the next round, and often reaches at once.
static enum dc_status shorten(struct dc_search *search, struct dc_error *error)
{
  bool rest = search->round % 2 == 0 && dc_race_can_shorten(search) && dc_race_members(search) > 0;
  for (int i = 0; i < search->member_count; i++)
    rest = rest && (!search->members[i].plan || search->members[i].own || is_away(&search->members[i]));
  return rest ? dc_race_add_shorter(search, 1, error) : DC_OK;
}

// After a turn of the members live [count]: conversions and ends one by one, then those of a heat.
enum dc_status dc_race_pass(struct dc_search *search, const int *live, int count, struct dc_error *error)
{
  enum dc_status status = DC_OK;
  bool all = !search->race->alone;
  end_numb(search);
  for (int k = 0; k < count && !status; k++) {
    struct dc_search_member *member = &search->members[live[k]];
    if (member->plan && !member->windows && is_numb(member))
      dc_search_release_member(member);
    if (!member->plan)
      continue;
    bool over = !member->moved || !(member->plan->descent.best_loss > search->target);
    if (member->windows)
      status = member->windows_over ? leave_windows(search, live[k], error) : DC_OK;
    else if (member->elsewhere)
      status = over || has_been_away(search, member) ? come_back(search, live[k], error) : DC_OK;
    else if (over || (!member->own && member->turns >= search->settings.portfolio.iterations))
      dc_search_release_member(member);
    else if (member->own)
      continue;
    else if (dc_search_stalls(search, member))
      status = end_stalled(search, live[k], error);
  }
  if (!status)
    status = polish(search, live, count, error);
  dc_race_share_turns(search);
  if (!status && all && dc_race_clock(search) % DC_RACE_HEAT == 0)
    end_heat(search);
  if (!status)
    status = shorten(search, error);
  end_waiting(search);
  return status;
}
