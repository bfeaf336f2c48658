// SPDX-License-Identifier: Apache-2.0
// What a search holds.  Private to the files search*.c.
#ifndef DC_PLAN_SEARCH_INTERNAL_H
#define DC_PLAN_SEARCH_INTERNAL_H

#include "plan/search.h"

// Where a stage is: its next turn draws first guesses or is the members'.
enum dc_search_phase { DC_SEARCH_DRAW, DC_SEARCH_REFINE };

struct dc_search_member {
  struct dc_plan *plan;  // NULL: it has come to its end
  const struct dc_optimizer_type *optimizer;
  const void *options;
  bool own;               // has the scene's optimizer
  int pace;               // iterations a turn
  bool stiffer;           // contact is stiffer than the stage's: the first half of its turns
  enum dc_status status;  // of the last turn
  bool moved;             // an iteration was had in it: the last one
  struct dc_plan_iteration last;
  struct dc_error error;
  double mark;       // loss below which it has last come by three tenths; INFINITY: it has had no turn yet
  int idle;          // turns since then
  bool away, fresh;  // its last turn was another rank's; what is_fresh says of it there (search_ranks.c)
  double *row;       // [parameter_count] of last, then
};

struct dc_search {
  struct dc_plan *plan;
  struct dc_search_settings settings;
  const struct dc_optimizer_type *optimizer;  // the scene's
  const void *options;
  const void *fan_options;
  double target;
  struct dc_arena *arena;
  struct dc_search_stage stages[DC_SEARCH_STAGES];
  int stage_count, stage;  // stage == stage_count: done
  struct dc_model model;   // of stages with longer steps
  struct dc_plan *world;   // of the stage under way; plan itself in the last one; NULL: none is
  bool begun;
  bool rolled;            // something could be rolled out in the scene itself: plan has a first and a best
  struct dc_error guess;  // why the first guess could not
  int iterations;
  enum dc_search_phase phase;
  int round, turn, drawn;  // of the stage; of the round
  int member_count;
  struct dc_search_member members[DC_SEARCH_MEMBERS];
  double *x;     // [capacity] where the stage began
  double *best;  // [capacity] its best
  double *pool,
      *losses;  // best draws of the round [members + 1][capacity], [members], in rising order; behind them what a row shows
  int pool_count;
  long refused;  // draws that could not be rolled out: they are part of the budget, too
  // What stood before the members' turn under way, made where plan->stop is set: members end a turn one by one, so it
  // is not taken back member by member.  broken_off: that turn was stopped, and the search is what stands here.
  struct dc_snapshot *before;
  bool broken_off;
};

// Makes the stage's world, of which nothing is done yet.  best holds the parameters to begin with, of this stage's
// steps.
enum dc_status dc_search_open_stage(struct dc_search *search, struct dc_error *error);
void dc_search_close_members(struct dc_search *search);
void dc_search_close_world(struct dc_search *search);
// Makes the members of the round, at the beginnings that x or the pool hold.
enum dc_status dc_search_open_members(struct dc_search *search, struct dc_error *error);
// Makes one of them, which begins at x [parameters of the world]; own: with the scene's optimizer, else the fan's.
enum dc_status dc_search_make_member(struct dc_search *search, int index, bool own, int pace, bool stiffer,
                                     const double *x, struct dc_error *error);
void dc_search_release_member(struct dc_search_member *member);
// Stiffness of a member's contact.
double dc_search_stiffness(const struct dc_search *search, const struct dc_search_member *member);

// Turns of count members, side by side on this rank's threads.
void dc_search_run_turns(struct dc_search *search, const int *live, int count);
// The same with the ranks of the plan's crew.  DC_OK whatever the members' own statuses are, DC_MEMORY or how a rank
// failed.
enum dc_status dc_search_take_turns(struct dc_search *search, const int *live, int count, struct dc_error *error);
// search->before becomes what stands now.  DC_MEMORY.
enum dc_status dc_search_remember(struct dc_search *search, struct dc_error *error);
// The search becomes search->before again, with its trajectories rolled out anew.  Statuses of dc_search_load.
enum dc_status dc_search_take_back(struct dc_search *search, struct dc_error *error);
// What a turn has counted is the search's: the member begins at zero again.
void dc_search_clear_counts(struct dc_plan *member);

#endif
