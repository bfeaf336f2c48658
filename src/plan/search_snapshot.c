// SPDX-License-Identifier: Apache-2.0
// Checkpoints of searches: state of stages and rounds, and a plan's snapshot for every member.
//
// A checkpoint lies between turns.  A search that was stopped within one saves `before`, the snapshot taken when the
// turn began.  Trajectories are not saved: loading rolls them out again from their parameters, and a rollout is a
// function of its input.  Numbers of the file are checked before anything is sized or indexed by them.
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "plan/race.h"
#include "plan/search_internal.h"
#include "plan/worker.h"

enum integer { BEGUN, STAGE, ITERATIONS, PHASE, ROUND, TURN, DRAWN, MEMBERS, POOL, REFUSED, INTEGERS };
enum { STAGE_NUMBERS = 5, REALS = 6 };

// Numbers of the search besides its integers, stages and members.
struct numbers {
  const char *name;
  size_t count;
  double *numbers;
};

// The one list of real numbers, for saving as for loading, so that both agree.  Arrays are the search's own.
static void list_reals(const struct dc_search *search, struct numbers reals[REALS])
{
  const struct dc_plan *plan = search->plan;
  size_t n = (size_t)plan->sizes.parameters, own = (size_t)plan->parameter_count, pool = (size_t)search->pool_count;
  reals[0] = (struct numbers){"search/x", n, search->x};
  reals[1] = (struct numbers){"search/best", n, search->best};
  reals[2] = (struct numbers){"search/pool", pool * n, search->pool};
  reals[3] = (struct numbers){"search/pool_losses", pool, search->losses};
  reals[4] = (struct numbers){"search/first_parameters", own, plan->descent.first_parameters};
  reals[5] = (struct numbers){"search/best_parameters", own, plan->descent.best_parameters};
}
// Value of BEGUN: begun, but no rollout of the scene itself has succeeded yet.
enum { BEGUN_WITHOUT = 2 };

// Five counts and the lowest loss of every stage.  Their factors follow from the settings and are not saved.
static enum dc_status save_stages(const struct dc_search *search, struct dc_snapshot *snapshot)
{
  long numbers[DC_SEARCH_STAGES * STAGE_NUMBERS], *next = numbers;
  double losses[DC_SEARCH_STAGES];
  for (int k = 0; k < search->stage_count; k++) {
    const struct dc_search_stage *stage = &search->stages[k];
    *next++ = stage->begun, *next++ = stage->reached, *next++ = stage->turns, *next++ = stage->rounds;
    *next++ = stage->rollouts;
    losses[k] = stage->loss;
  }
  enum dc_status status =
      dc_snapshot_put_integers(snapshot, "search/stages", (size_t)(search->stage_count * STAGE_NUMBERS), numbers);
  return status ? status : dc_snapshot_put_reals(snapshot, "search/losses", (size_t)search->stage_count, losses);
}

static enum dc_status load_stages(struct dc_search *search, const struct dc_snapshot *snapshot, struct dc_error *error)
{
  long numbers[DC_SEARCH_STAGES * STAGE_NUMBERS], *next = numbers;
  double losses[DC_SEARCH_STAGES];
  enum dc_status status = dc_snapshot_get_counts(
      snapshot, "search/stages", (size_t)(search->stage_count * STAGE_NUMBERS), INT_MAX / 2, numbers, error);
  if (!status)
    status = dc_snapshot_get_reals(snapshot, "search/losses", (size_t)search->stage_count, losses, error);
  for (int k = 0; k < search->stage_count && !status; k++) {
    struct dc_search_stage *stage = &search->stages[k];
    stage->begun = *next++ != 0, stage->reached = *next++ != 0, stage->turns = (int)*next++;
    stage->rounds = (int)*next++, stage->rollouts = *next++;
    stage->loss = losses[k];
  }
  return status;
}

// Prefix of a member's plan: "search/member3/".
static void member_prefix(int index, char text[32])
{
  snprintf(text, 32, "search/member%d/", index);
}

// Kind, idle turns and mark of each member, and its plan.
static enum dc_status save_members(const struct dc_search *search, struct dc_snapshot *snapshot)
{
  long kinds[DC_SEARCH_MEMBERS] = {0};  // 0: ended, 1: running, 2: running with stiffer contact
  long idle[DC_SEARCH_MEMBERS] = {0};
  double marks[DC_SEARCH_MEMBERS] = {0};
  for (int i = 0; i < search->member_count; i++) {
    const struct dc_search_member *member = &search->members[i];
    kinds[i] = member->plan ? 1 + member->stiffer : 0;
    idle[i] = member->plan ? member->idle : 0;
    marks[i] = member->plan ? member->mark : 0;
  }
  enum dc_status status = dc_snapshot_put_integers(snapshot, "search/members", DC_SEARCH_MEMBERS, kinds);
  if (!status)
    status = dc_snapshot_put_integers(snapshot, "search/idle", DC_SEARCH_MEMBERS, idle);
  if (!status)
    status = dc_snapshot_put_reals(snapshot, "search/marks", DC_SEARCH_MEMBERS, marks);
  for (int i = 0; i < search->member_count && !status; i++) {
    char prefix[32];
    member_prefix(i, prefix);
    if (kinds[i])
      status = dc_plan_save_as(search->members[i].plan, prefix, snapshot);
  }
  if (!status && search->race)
    status = dc_race_save(search, snapshot);
  return status;
}

// The same, read back.
static enum dc_status load_members(struct dc_search *search, int count, const struct dc_snapshot *snapshot,
                                   struct dc_error *error)
{
  long kinds[DC_SEARCH_MEMBERS], idle[DC_SEARCH_MEMBERS];
  double marks[DC_SEARCH_MEMBERS];
  int turn = search->turn;
  enum dc_status status = dc_snapshot_get_counts(snapshot, "search/members", DC_SEARCH_MEMBERS, 2, kinds, error);
  if (!status)
    status = dc_snapshot_get_counts(snapshot, "search/idle", DC_SEARCH_MEMBERS, INT_MAX / 2, idle, error);
  if (!status)
    status = dc_snapshot_get_reals(snapshot, "search/marks", DC_SEARCH_MEMBERS, marks, error);
  if (status || count == 0)
    return status;
  status = search->race ? dc_race_load(search, count, snapshot, error) : dc_search_open_members(search, error);
  search->turn = turn;
  if (!status && search->member_count != count)
    return dc_fail(error, DC_CHECKPOINT, "search/members: holds another number of them");
  for (int i = 0; i < count && !status; i++) {
    struct dc_search_member *member = &search->members[i];
    char prefix[32];
    member_prefix(i, prefix);
    if (!kinds[i]) {
      dc_search_release_member(member);
      continue;
    }
    member->stiffer = kinds[i] == 2;
    member->idle = (int)idle[i];
    member->mark = marks[i];
    if (!search->race)
      member->plan->scaled.stiffness = dc_search_stiffness(search, member);
    status = dc_plan_load_as(member->plan, prefix, snapshot, error);
  }
  return status;
}

// Integers and reals of the search, stages, members.
static enum dc_status save(const struct dc_search *search, struct dc_snapshot *snapshot)
{
  const struct dc_plan *plan = search->plan;
  const long integers[INTEGERS] = {[BEGUN] = search->begun && !search->rolled ? BEGUN_WITHOUT : search->begun,
                                   [STAGE] = search->stage,
                                   [ITERATIONS] = search->iterations,
                                   [PHASE] = (long)search->phase,
                                   [ROUND] = search->round,
                                   [TURN] = search->turn,
                                   [DRAWN] = search->drawn,
                                   [MEMBERS] = search->member_count,
                                   [POOL] = search->pool_count,
                                   [REFUSED] = search->refused};
  struct numbers reals[REALS];
  list_reals(search, reals);
  enum dc_status status = dc_snapshot_put_integers(snapshot, "search/integers", INTEGERS, integers);
  for (int i = 0; i < REALS && !status; i++)
    status = dc_snapshot_put_reals(snapshot, reals[i].name, reals[i].count, reals[i].numbers);
  if (!status)
    status = save_stages(search, snapshot);
  if (!status)
    status = save_members(search, snapshot);
  return status ? status : dc_plan_save(plan, snapshot);
}

// Copies all entries of a snapshot into another one.
static enum dc_status copy(const struct dc_snapshot *from, struct dc_snapshot *to)
{
  struct dc_snapshot_entry entry;
  enum dc_status status = DC_OK;
  for (size_t i = 0; !status && dc_snapshot_entry(from, i, &entry); i++)
    status = entry.reals ? dc_snapshot_put_reals(to, entry.name, entry.count, entry.reals)
                         : dc_snapshot_put_integers(to, entry.name, entry.count, entry.integers);
  return status;
}

// A turn that was broken off leaves members half way: the snapshot from its beginning is saved instead.
enum dc_status dc_search_save(const struct dc_search *search, struct dc_snapshot *snapshot)
{
  return search->broken_off ? copy(search->before, snapshot) : save(search, snapshot);
}

// Called before each turn.  The snapshot's memory is used again.
enum dc_status dc_search_remember(struct dc_search *search, struct dc_error *error)
{
  if (!search->before)
    search->before = dc_snapshot_create();
  if (search->before)
    dc_snapshot_clear(search->before);
  return search->before && !save(search, search->before) ? DC_OK : dc_out_of_memory_for(error, "a search");
}

// Rolls out the first and the best trajectory again.
static enum dc_status restore_records(struct dc_search *search, struct dc_error *error)
{
  struct dc_plan *plan = search->plan;
  double loss;
  struct {
    const double *parameters;
    struct dc_trajectory *record;
  } records[] = {{plan->descent.first_parameters, plan->descent.first},
                 {plan->descent.best_parameters, plan->descent.best}};
  for (int i = 0; i < 2; i++) {
    enum dc_status status = dc_plan_evaluate(plan, records[i].parameters, &loss, NULL, error);
    if (status)
      return status == DC_MEMORY ? status : dc_fail(error, DC_CHECKPOINT, "a trajectory cannot be rolled out again");
    status = dc_plan_record(plan, records[i].record, error);
    if (status)
      return status;
  }
  plan->descent.best_loss = loss;
  return DC_OK;
}

// Determines again why the first guess cannot be rolled out.
static enum dc_status restore_refusal(struct dc_search *search, struct dc_error *error)
{
  double loss;
  enum dc_status status = dc_plan_evaluate(search->plan, search->plan->parameters, &loss, NULL, &search->guess);
  search->plan->descent.best_loss = INFINITY;
  if (dc_point_has_no_value(status))
    return DC_OK;
  return status ? dc_fail(error, status, "%s", search->guess.text)
                : dc_fail(error, DC_CHECKPOINT, "the first guess can be rolled out");
}

// Loads the numbers besides members, and checks their ranges.
static enum dc_status load_place(struct dc_search *search, const long integers[INTEGERS],
                                 const struct dc_snapshot *snapshot, struct dc_error *error)
{
  if (integers[STAGE] > search->stage_count || integers[MEMBERS] > DC_SEARCH_MEMBERS ||
      integers[POOL] > DC_SEARCH_MEMBERS || integers[PHASE] > DC_SEARCH_REFINE)
    return dc_fail(error, DC_CHECKPOINT, "search/integers: holds impossible numbers");
  search->begun = integers[BEGUN] != 0;
  search->rolled = search->begun && integers[BEGUN] != BEGUN_WITHOUT;
  search->stage = (int)integers[STAGE];
  search->iterations = (int)integers[ITERATIONS];
  search->phase = (enum dc_search_phase)integers[PHASE];
  search->round = (int)integers[ROUND];
  search->turn = (int)integers[TURN];
  search->drawn = (int)integers[DRAWN];
  search->pool_count = (int)integers[POOL];
  search->refused = integers[REFUSED];
  struct numbers reals[REALS];
  list_reals(search, reals);
  enum dc_status status = DC_OK;
  for (int i = 0; i < REALS && !status; i++)
    status = dc_snapshot_get_reals(snapshot, reals[i].name, reals[i].count, reals[i].numbers, error);
  return status;
}

// Loads a search: its place among stages and rounds, records, the present stage with its members, and the plan.
enum dc_status dc_search_load(struct dc_search *search, const struct dc_snapshot *snapshot, struct dc_error *error)
{
  long integers[INTEGERS];
  enum dc_status status = dc_snapshot_get_counts(snapshot, "search/integers", INTEGERS, INT_MAX / 2, integers, error);
  if (!status)
    status = load_place(search, integers, snapshot, error);
  if (!status)
    status = load_stages(search, snapshot, error);
  if (!status && search->race)
    status = dc_race_load_leader(search, snapshot, error);
  if (!status && search->rolled)
    status = restore_records(search, error);
  else if (!status && search->begun)
    status = restore_refusal(search, error);
  if (!status && search->begun && search->stage < search->stage_count && search->stages[search->stage].begun) {
    status = dc_search_open_stage(search, error);
    if (!status)
      status = load_members(search, (int)integers[MEMBERS], snapshot, error);
  }
  return status ? status : dc_plan_load(search->plan, snapshot, error);
}

// Undoes a turn that was broken off, by loading the snapshot from its beginning.
enum dc_status dc_search_take_back(struct dc_search *search, struct dc_error *error)
{
  dc_search_close_world(search);
  search->broken_off = false;
  return dc_search_load(search, search->before, error);
}
