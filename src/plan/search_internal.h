// SPDX-License-Identifier: Apache-2.0
// The data of a search.  Private to the files search*.c.
#ifndef DC_PLAN_SEARCH_INTERNAL_H
#define DC_PLAN_SEARCH_INTERNAL_H

#include "plan/search.h"

// Phase of a stage: its next turn draws first guesses, or belongs to the members.
enum dc_search_phase { DC_SEARCH_DRAW, DC_SEARCH_REFINE };

struct dc_search_member {
  struct dc_plan *plan;  // NULL: it has ended
  const struct dc_optimizer_type *optimizer;
  const void *options;
  bool own;               // it uses the scene's optimizer, in a race its defaults from the first guess
  int pace;               // iterations per turn
  bool stiffer;           // its contact is stiffer than the stage's, for the first half of its turns
  enum dc_status status;  // of the last turn
  bool moved;             // the last turn had an iteration: last
  struct dc_plan_iteration last;
  struct dc_error error;
  double mark;       // loss when it last fell by three tenths; INFINITY: no turn yet
  int idle;          // turns since then
  bool away, fresh;  // its last turn was taken on another rank; is_fresh there (search_ranks.c)
  double *row;       // [parameter_count] parameters of last, then
  // The rest is used by races only (race.h).
  int recipe, wait;                     // wait: turns of the round's clock before it starts
  enum dc_search_origin origin;         // of its point
  int turns;                            // that it has taken since it began, or came back from another world
  bool elsewhere;                       // its plan has smoother friction, softer contact or other terms
  int stage;                            // of those with softer contact, from the softest, 0, on
  double softer;                        // factor on the contact stiffness of its world; 0: none
  struct dc_receding_horizon *windows;  // it runs windows, and its plan waits; else NULL
  bool windows_over;
};
struct dc_race;

// Optimizers of a search's members: the scene's, and the Gauss-Newton fan that runs beside it.
struct dc_search_optimizer {
  const struct dc_optimizer_type *type;  // the scene's
  const void *options;                   // of that type, as the scene gives them
  const void *fan_options;               // of dc_gauss_newton, as the fan runs it
};

struct dc_search {
  struct dc_plan *plan;
  struct dc_search_settings settings;
  struct dc_search_optimizer optimizer;
  double target;
  struct dc_arena *arena;
  struct dc_search_stage stages[DC_SEARCH_STAGES];
  int stage_count, stage;  // stage == stage_count: done
  struct dc_model model;   // model of stages with longer steps
  struct dc_plan *world;   // world of the present stage; plan itself in the last one; NULL: none
  bool begun;
  bool rolled;            // a rollout of the scene itself succeeded: plan has a first and a best
  struct dc_error guess;  // why the first guess could not be rolled out
  int iterations;
  enum dc_search_phase phase;
  int round, turn, drawn;  // of the stage; draws of the round
  int member_count;
  struct dc_search_member members[DC_SEARCH_MEMBERS];
  double *x;     // [capacity] where the stage began
  double *best;  // [capacity] its best
  // Best draws of the round, sorted by loss: [members + 1][capacity], [members]; the last row is for reports.
  double *pool, *losses;
  int pool_count;
  long refused;  // draws that could not be rolled out, which count in the budget
  // State before the members' present turn, taken where plan->stop is set: members end a turn one by one, so that it
  // cannot be undone member by member.  broken_off: the turn was stopped, and this is the state of the search.
  struct dc_snapshot *before;
  bool broken_off;
  struct dc_race *race;  // NULL: the search is none
};

// Creates the stage's world, unevaluated.  best holds the parameters to start from, for this stage's number of steps.
enum dc_status dc_search_open_stage(struct dc_search *search, struct dc_error *error);
void dc_search_close_members(struct dc_search *search);
void dc_search_close_world(struct dc_search *search);
// Creates the members of the round, starting from x or from the pool.
enum dc_status dc_search_open_members(struct dc_search *search, struct dc_error *error);
// Creates one member that starts at x [parameters of the world]; own: with the scene's optimizer, else with the fan.
enum dc_status dc_search_make_member(struct dc_search *search, int index, bool own, int pace, bool stiffer,
                                     const double *x, struct dc_error *error);
// Starts a member whose optimizer, options and pace are set, with a plan hired from world, at x [parameters].
enum dc_status dc_search_start_member(struct dc_search *search, struct dc_search_member *member,
                                      const struct dc_plan *world, const double *x, struct dc_error *error);
// Whether a member that has had a turn stalls.
bool dc_search_stalls(const struct dc_search *search, struct dc_search_member *member);
void dc_search_release_member(struct dc_search_member *member);
// Contact stiffness of a member, as a factor.
double dc_search_stiffness(const struct dc_search *search, const struct dc_search_member *member);

// Takes turns of count members, side by side on this rank's threads.
void dc_search_run_turns(struct dc_search *search, const int *live, int count);
// The same with the ranks of the plan's crew.  DC_OK whatever the members' own statuses are, DC_MEMORY, or the failure
// of a rank.
enum dc_status dc_search_take_turns(struct dc_search *search, const int *live, int count, struct dc_error *error);
// Saves the present state to search->before.  DC_MEMORY.
enum dc_status dc_search_remember(struct dc_search *search, struct dc_error *error);
// Restores search->before, with trajectories rolled out anew.  Statuses of dc_search_load.
enum dc_status dc_search_take_back(struct dc_search *search, struct dc_error *error);
// Records the result of the scene itself: as the best now, and as the first if there was none.  DC_MEMORY.
enum dc_status dc_search_record(struct dc_search *search, const double *parameters, double loss,
                                const struct dc_trajectory *trajectory, struct dc_error *error);
// Resets a member's counts, after they were added to the search's.
void dc_search_clear_counts(struct dc_plan *member);

#endif
