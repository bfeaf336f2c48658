// SPDX-License-Identifier: Apache-2.0
// The data of a race.  Private to race.c and race_snapshot.c.
#ifndef DC_PLAN_RACE_INTERNAL_H
#define DC_PLAN_RACE_INTERNAL_H

#include "plan/race.h"
#include "plan/race_approach.h"
#include "plan/race_grasp.h"
#include "plan/race_judged.h"
#include "plan/race_recipes.h"
#include "plan/race_windows.h"

enum { DC_RACE_SOFT_STAGES = 10 };  // from the softest contact to the scene's, in equal ratios

struct dc_race {
  void *options[DC_RECIPES];    // of the optimizers, in the search's arena
  long default_iterations;      // of the default walk
  struct dc_model model;        // with smoother friction
  double smoother;              // by this factor
  struct dc_plan *smooth;       // a plan of it; NULL: not needed so far
  struct dc_hands hands;        // a task that brings them near, and what moves itself
  double first_loss;            // of the scene's first guess; -1: not known
  struct dc_plan *near;         // a plan of it; NULL: not needed so far
  struct dc_judged judged;      // a task in which what is judged weighs more
  bool judges;                  // its lowest loss is elsewhere
  struct dc_plan *heavy;        // a plan of it; NULL: not needed so far
  int heavy_round;              // the first one for which it is not yet weighed
  struct dc_horizon windows;    // settings
  bool has_windows;
  int leader;  // recipe of the member that lowered the loss last
  enum dc_search_origin leader_origin;
  struct dc_grasp grasp;     // of the member that begins with one
  bool succeeds;             // the best result reaches everything that can be reached
  int turns_since;           // it does, with those of draws
  bool shared;               // the first fan has stopped making progress once, or is none
  bool alone;                // the present turn belongs to the first fan alone
  int ahead;                 // turns of this round that it had alone: the round's clock stands still in them
  int others;                // turns that all others have taken together, a walk of so many iterations as a fan costs
  double shortened;          // loss of the point where shorter steps began last
};

// Sets up the task that brings hands near, once the loss of the first guess is known.
void dc_race_set_approach(struct dc_search *search, double first_loss);
// Starts the recipe at x as member `index`; away: in its own world, or number away of them, before its first part is
// over.
enum dc_status dc_race_start_member(struct dc_search *search, int index, int recipe, int away, const double *x,
                                    enum dc_search_origin origin, struct dc_error *error);

// race.c has the following for race_pass.c.

// Adds a member to the round; one whose windows or world cannot begin is left out.
enum dc_status dc_race_add(struct dc_search *search, int recipe, const double *x, enum dc_search_origin origin,
                           struct dc_error *error);
// Adds walks of shorter steps at the best point so far, at most three of them.
enum dc_status dc_race_add_shorter(struct dc_search *search, int walks, struct dc_error *error);
// Whether the recipe has something to do here.
bool dc_race_applies(const struct dc_search *search, const struct dc_recipe *recipe);
// Whether shorter steps have not begun at the best point yet, or not where it is now.
bool dc_race_can_shorten(const struct dc_search *search);
// Turns of the round but for those that the first fan had alone.
int dc_race_clock(const struct dc_search *search);
bool dc_race_is_first_fan(const struct dc_search *search, const struct dc_search_member *member);
// The next turn belongs to the first fan alone until two of its turns have lost too little: where it reaches, little
// else is paid.  From its turn DC_RACE_LEAD on the others have as many turns as it, all together: a fan that progresses
// through all of its turns and does not reach takes half of the work.
void dc_race_share_turns(struct dc_search *search);

#endif
