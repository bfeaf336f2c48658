// SPDX-License-Identifier: Apache-2.0
// Search for a whole trajectory from anywhere: stages of a continuation, each with rounds of a portfolio
// (docs/theory.md, "Search").
//
// A stage scales contact stiffness, far fields and time step by factors; the last one is the scene itself.  Its first
// round starts at the best of the stage before, with a fan of Gauss-Newton steps, the same with stiffer contact first,
// and the scene's own optimizer.  Every later round draws first guesses (dc_task_draw_parameters), rolls them out, and
// refines the best of them by a fan each.  What a round refines are its members: plans of their own that take turns
// side by side until they reach, have used their turns, or stall.
//
// A stage ends with the first turn in which a member reaches, or when its share of the rollouts is spent.  Choices go
// by value, then by index, so that bits do not depend on threads.
#ifndef DC_PLAN_SEARCH_H
#define DC_PLAN_SEARCH_H

#include "plan/trajectory_plan.h"

// "continuation" of a scene: softer stages before the scene itself, from one to the next in equal ratios.
struct dc_continuation {
  double stiffness;  // factor on the contact stiffness in the first stage
  double far_field;  // factor on the far fields of soft bodies there
  long stages;       // number of stages before the scene itself
  long step;         // factor on the time step in the first stage, a power of two
  // Most iterations of the scene's optimizer, or turns of a portfolio's round, per stage; 0: no continuation.
  long iterations;
};
extern const struct dc_option dc_continuation_options[];

// "portfolio" of a scene.
struct dc_portfolio {
  long rollouts;    // for all stages together, approximately: checked after every turn; 0: no portfolio
  long draws;       // draws per round
  long candidates;  // how many of these are refined
  long iterations;  // of each fan
  long alone;       // turns of the first fan before the others of round 0 start
  long stall;       // turns within which a member must lose three tenths of its loss, or it ends; 0: no limit
  double stiffer;   // factor on the contact stiffness at the start of the second fan of round 0; 1: there is none
  double spread;    // of draws (dc_task_draw_parameters)
  long seed;
};
extern const struct dc_option dc_portfolio_options[];
// "automatic" of a scene: the same structure, of which a race (race.h) has its budget, draws and seed.
extern const struct dc_option dc_automatic_options[];

struct dc_search_settings {
  struct dc_continuation continuation;
  struct dc_portfolio portfolio;
  bool automatic;  // the scene names no optimizer: a race, with these settings of the portfolio
};
// Sets what "automatic" leaves open.
void dc_automatic_complete(struct dc_search_settings *settings, const struct dc_model *model);
// Whether the settings ask for more than dc_plan_continue does.
bool dc_search_wanted(const struct dc_search_settings *settings);
// DC_BAD_INPUT when time steps cannot be lengthened as asked: their number is no multiple, or objectives follow a
// recording.
enum dc_status dc_continuation_check(const struct dc_continuation *continuation, const struct dc_model *model,
                                     const struct dc_task *task, struct dc_error *error);

enum { DC_SEARCH_STAGES = 64, DC_SEARCH_MEMBERS = 16, DC_RACE_CANDIDATES = DC_SEARCH_MEMBERS / 2 };

struct dc_search_stage {
  double stiffness, far_field;  // factors on those of the scene
  int step;
  bool begun, reached;
  int turns, rounds;
  long rollouts;
  double loss;  // lowest; INFINITY: nothing could be rolled out
};

struct dc_search;

// Creates a search for plan, a plan of the whole run that keeps first and best trajectories and counts its work; it
// starts at parameters.  plan, optimizer and options must outlive it.  NULL and *error on failure.
struct dc_search *dc_search_create(struct dc_plan *plan, const struct dc_search_settings *settings,
                                   const struct dc_optimizer_type *optimizer, const void *options,
                                   const double *parameters, struct dc_error *error);
void dc_search_destroy(struct dc_search *search);

// Runs until it is done, the observer stops it, or plan->stop breaks off a turn within a Jacobian (DC_STOPPED: another
// call continues, after a broken turn with the members as they are loaded). Iteration 0 is the first guess in the scene
// itself.  If it cannot be rolled out, a portfolio reports the loss NAN; plan->descent.first is then the first rollout
// that succeeded, and the guess's own status ends a search in which none did.  Every further iteration is a turn, with
// loss and parameters (of the stage's time steps) of its lowest member or draw.  DC_INFEASIBLE and DC_NUMERICAL end a
// member; if all fail the loss is NAN.  Other statuses of dc_plan_evaluate end the search.
enum dc_status dc_search_run(struct dc_search *search, dc_plan_observer *observer, void *observer_context,
                             struct dc_error *error);

int dc_search_stages(const struct dc_search *search, const struct dc_search_stage **stages);
int dc_search_iterations(const struct dc_search *search);
bool dc_search_done(const struct dc_search *search);
bool dc_search_reached(const struct dc_search *search);  // in the scene itself

struct dc_horizon;
struct dc_grasp;
// The point from which a member of a race begins.
enum dc_search_origin { DC_FROM_FIRST_GUESS, DC_FROM_BEST, DC_FROM_DRAW, DC_FROM_GRASP, DC_SEARCH_ORIGINS };
// The settings of a race's best member.
struct dc_search_found {
  const struct dc_optimizer_type *optimizer;
  const void *options;
  const char *rate_name;  // the option that the race has chosen, and its value
  double rate;
  bool quick;                        // betas of 0.3 and 0.5 and shared moments
  const struct dc_horizon *horizon;  // its first guess came from these windows; NULL: from none
  const char *begun;                 // the easier world in which it began; NULL: in none
  enum dc_search_origin origin;
  const struct dc_grasp *grasp;  // of DC_FROM_GRASP; else NULL
};
// False: the search is no race, or nothing could be rolled out.
bool dc_search_found(const struct dc_search *search, struct dc_search_found *found);

// Like dc_plan_save and dc_plan_load, under names that begin with "search/" and "plan/"; after a broken turn, the state
// before it is saved.
enum dc_status dc_search_save(const struct dc_search *search, struct dc_snapshot *snapshot);
enum dc_status dc_search_load(struct dc_search *search, const struct dc_snapshot *snapshot, struct dc_error *error);

// The part of another rank: it takes turns of members for rank 0, with plan and search created from the same data.
struct dc_search_scene {
  const struct dc_model *model;
  const struct dc_task *task;
  int steps;
  const struct dc_search_settings *settings;
  const struct dc_optimizer_type *optimizer;
  const void *options;
  const struct dc_gradient_settings *gradient;
  const struct dc_first_guess_settings *first_guess;
};
struct dc_search_helper;
struct dc_search_helper *dc_search_helper_create(const struct dc_search_scene *scene);  // NULL when out of memory
void dc_search_helper_destroy(struct dc_search_helper *helper);
// A dc_plan_crew_help; context: the helper.
enum dc_status dc_search_help(void *context, const struct dc_buffer *message, size_t at, struct dc_buffer *answer,
                              struct dc_error *error);

#endif
