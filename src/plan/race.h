// SPDX-License-Identifier: Apache-2.0
// The race of an automatic search: what a scene without "optimizer" is optimized by (docs/automatic.md).
//
// A race is a search (search.h) of one stage whose members are recipes: several rates of Adam, Gauss-Newton fans, Adam
// that begins with smoother friction, and a receding horizon whose applied controls are a first guess.
//   Round 0 starts all of them from the scene's first guess.
//   Odd rounds start shorter steps from the best point so far.
//   Even rounds draw first guesses and give the best of them to the recipe that was best so far.
// In a round the members are ranked after every heat, a few turns, and the better half goes on (successive halving).
// All choices go by losses, then by index, so that bits do not depend on threads.
#ifndef DC_PLAN_RACE_H
#define DC_PLAN_RACE_H

#include "plan/search_internal.h"

// Makes search a race; its settings ask for one.  DC_MEMORY.
enum dc_status dc_race_create(struct dc_search *search, struct dc_error *error);
void dc_race_destroy(struct dc_search *search);

// Creates the members of the round, of a race or of another search.
enum dc_status dc_race_open_round(struct dc_search *search, struct dc_error *error);
// The number of members that the round waits for, and the end of a round: one member may go on in the next, as its
// first.
int dc_race_members(const struct dc_search *search);
void dc_race_close_round(struct dc_search *search);
// The turn with which a member begins.
long dc_race_wait(const struct dc_search *search, const struct dc_search_member *member);
// Counts the turn that members live [count] have taken.
void dc_race_count(struct dc_search *search, const int *live, int count);
// Whether the next round begins with draws.
bool dc_race_draws(const struct dc_search *search);
// Varies the spread of a draw: every other one is a constant offset or an aimed shot, the others change over time or go
// anywhere.
void dc_race_vary(const struct dc_search *search, int number, struct dc_random *random, struct dc_spread *spread);
// Draws a grasp in place of the number-th draw; false: it is another kind of draw, or there is nothing to grasp.
bool dc_race_draw_grasp(const struct dc_search *search, int number, struct dc_random *random, double *x);
// Writes the best of a few grasps to x [parameters], if it has a lower loss than the first guess.
enum dc_status dc_race_first_grasp(struct dc_search *search, double *x, bool *found, struct dc_error *error);
// Whether a race has nothing left to try: no objective can be reached, and its first rounds are over; or everything is
// reached although the loss, which asks for more than that, is above its target.
bool dc_race_is_over(struct dc_search *search);
// Sets the iterations of the turn that members live [count] are about to take: the default walk has as many as the
// others.
void dc_race_set_paces(struct dc_search *search, const int *live, int count);
// Ends members that cannot go on, and after a heat the worse half of all; converts members whose first part is over.
enum dc_status dc_race_pass(struct dc_search *search, const int *live, int count, struct dc_error *error);
// Whether a result in the scene itself may take the place of the best: none that reaches everything is given up for one
// of lower loss that does not.
bool dc_race_prefers(struct dc_search *search, const double *parameters, const struct dc_trajectory *trajectory);
// Notes that a member has lowered the loss of the search.
void dc_race_note(struct dc_search *search, const struct dc_search_member *member);

// Saves and loads, with the members that run, what other searches do not have.
enum dc_status dc_race_save(const struct dc_search *search, struct dc_snapshot *snapshot);
enum dc_status dc_race_load(struct dc_search *search, int count, const struct dc_snapshot *snapshot,
                            struct dc_error *error);
// Loads the leader, which must be known before members are created.
enum dc_status dc_race_load_leader(struct dc_search *search, const struct dc_snapshot *snapshot,
                                   struct dc_error *error);

#endif
