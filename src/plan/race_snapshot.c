// SPDX-License-Identifier: Apache-2.0
// Checkpoints of a race, beside its plans: who leads, and recipe, world, turns and windows of every member.
#include "plan/race_internal.h"

// Numbers that are saved of a member beside its plan.
enum { RECIPE, ELSEWHERE, IN_WINDOWS, WINDOWS_OVER, OWN, TURNS, ORIGIN, MEMBER_NUMBERS };
enum { LEADER_NUMBERS = 8, REALS = 5 };
enum { MOST_TURNS = 1 << 20 };
static const char WINDOWS_NAME[] = "search/windows/";

// Plans of members are saved by search_snapshot.c; here is what tells which plan to make for each before it is loaded.
enum dc_status dc_race_save(const struct dc_search *search, struct dc_snapshot *snapshot)
{
  long numbers[DC_SEARCH_MEMBERS * MEMBER_NUMBERS] = {0};
  const struct dc_race *race = search->race;
  const long leader[LEADER_NUMBERS] = {race->leader, (long)race->leader_origin, race->succeeds, race->turns_since,
                                       race->shared, race->alone,        race->ahead,    race->others};
  const double losses[REALS] = {race->first_loss, race->shortened, race->grasp.squeeze, race->grasp.clearance,
                                 (double)race->grasp.itself};
  enum dc_status status = dc_snapshot_put_integers(snapshot, "search/leader", LEADER_NUMBERS, leader);
  if (!status)
    status = dc_snapshot_put_reals(snapshot, "search/first_loss", REALS, losses);
  for (int i = 0; i < search->member_count && !status; i++) {
    const struct dc_search_member *member = &search->members[i];
    long *own = numbers + i * MEMBER_NUMBERS;
    own[RECIPE] = member->recipe, own[ELSEWHERE] = member->elsewhere ? member->stage + 1 : 0,
    own[IN_WINDOWS] = member->windows != NULL;
    own[WINDOWS_OVER] = member->windows_over;
    own[OWN] = member->own;
    own[TURNS] = member->turns;
    own[ORIGIN] = (long)member->origin;
    if (member->windows)
      status = dc_race_windows_save(member->windows, WINDOWS_NAME, snapshot);
  }
  return status ? status
                : dc_snapshot_put_integers(snapshot, "search/recipes", DC_SEARCH_MEMBERS * MEMBER_NUMBERS, numbers);
}

// Before the members, since the worlds that they are in follow from the approach of the first loss.
enum dc_status dc_race_load_leader(struct dc_search *search, const struct dc_snapshot *snapshot, struct dc_error *error)
{
  long leader[LEADER_NUMBERS];
  enum dc_status status = dc_snapshot_get_counts(snapshot, "search/leader", LEADER_NUMBERS, MOST_TURNS, leader, error);
  if (!status && (leader[0] >= DC_RECIPES || leader[1] >= DC_SEARCH_ORIGINS))
    return dc_fail(error, DC_CHECKPOINT, "search/leader: holds an impossible number");
  double losses[REALS];
  if (!status)
    status = dc_snapshot_get_reals(snapshot, "search/first_loss", REALS, losses, error);
  if (!status) {
    dc_race_set_approach(search, losses[0]);
    search->race->shortened = losses[1];
    search->race->leader = (int)leader[0];
    search->race->leader_origin = (enum dc_search_origin)leader[1];
    search->race->grasp = (struct dc_grasp){
        .squeeze = losses[2], .clearance = losses[3], .itself = losses[4] != 0};
    search->race->succeeds = leader[2] != 0;
    search->race->turns_since = (int)leader[3];
    search->race->shared = leader[4] != 0;
    search->race->alone = leader[5] != 0;
    search->race->ahead = (int)leader[6];
    search->race->others = (int)leader[7];
  }
  return status;
}

// Creates the members of a checkpoint, in the worlds where they were; their plans are loaded after that.
enum dc_status dc_race_load(struct dc_search *search, int count, const struct dc_snapshot *snapshot,
                            struct dc_error *error)
{
  long numbers[DC_SEARCH_MEMBERS * MEMBER_NUMBERS];
  enum dc_status status = dc_snapshot_get_counts(snapshot, "search/recipes", DC_SEARCH_MEMBERS * MEMBER_NUMBERS,
                                                 MOST_TURNS, numbers, error);
  for (int i = 0; i < count && !status; i++) {
    const long *own = numbers + i * MEMBER_NUMBERS;
    int away = own[IN_WINDOWS] ? 1 : (int)own[ELSEWHERE];
    search->member_count = i;
    if (own[RECIPE] >= DC_RECIPES || away > DC_RACE_SOFT_STAGES || own[ORIGIN] >= DC_SEARCH_ORIGINS ||
        (own[IN_WINDOWS] && (dc_recipes[own[RECIPE]].kind != DC_RECIPE_WINDOWS || !search->race->has_windows)))
      return dc_fail(error, DC_CHECKPOINT, "search/recipes: holds an impossible number");
    status = dc_race_start_member(search, i, (int)own[RECIPE], away, search->x, (enum dc_search_origin)own[ORIGIN],
                                  error);
    if (!status) {
      search->members[i].own = own[OWN] != 0;
      search->members[i].turns = (int)own[TURNS];
    }
    if (status || !own[IN_WINDOWS])
      continue;
    status = dc_race_windows_load(search->members[i].windows, WINDOWS_NAME, snapshot, error);
    search->members[i].windows_over = own[WINDOWS_OVER] != 0;
  }
  search->member_count = count;
  return status;
}
