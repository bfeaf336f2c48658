// SPDX-License-Identifier: Apache-2.0
// One implicit time step: the minimum of a sum of terms, L(q+; q, q-, design) (paper 000, Eq. 1).  Private to
// src/dynamics.
#ifndef DC_DYNAMICS_STEP_H
#define DC_DYNAMICS_STEP_H

#include <float.h>

#include "body/kinematics.h"
#include "body/path.h"
#include "contact/far/far_field.h"
#include "contact/friction/friction.h"
#include "contact/surface/surface.h"
#include "dynamics/bounded_move.h"
#include "dynamics/impact_law.h"
#include "dynamics/prediction.h"
#include "dynamics/rollout.h"
#include "dynamics/slip.h"
#include "math/linear_iterative.h"

struct dc_stepper;
struct dc_lag;
struct dc_impact_normal;
struct dc_node_newton;
struct dc_barrier_step;

// The interval of time that is solved at once: a whole step, or a part of a divided one (docs/theory.md, "Divided
// steps").
struct dc_step_interval {
  int step;          // index of the targets
  double length;     // s
  double ratio;      // of this length to that of the interval before, from q_before to q_now
  double remaining;  // from the end of the interval to that of the step, s
  bool starts;       // q_before was never a state: it is q_now led back by the velocity of the start
  // Approach the solution by potentials of falling stiffness (docs/theory.md, "Divided steps"), for violent contacts.
  bool continuation;
};

// (x+ - x) - r (x - x-) of one coordinate, r the ratio of interval lengths: h times the gain of velocity.  Differences
// of nearby numbers are exact, so that they are taken first.
static inline double dc_second_difference(const struct dc_step_interval *interval, double next, double now,
                                          double before)
{
  return (next - now) - interval->ratio * (now - before);
}

// The length of the interval before over that of this one; 0 where there was none.
static inline double dc_interval_past(struct dc_step_interval interval)
{
  return interval.starts ? 0 : 1 / interval.ratio;
}

// The state at which elastic forces are evaluated: the second order takes parts of all three (terms_past.c).
enum dc_force_place { DC_AT_NEXT, DC_AT_NOW, DC_AT_BEFORE };

// Multipliers of a node at a half-space (terms_node_contact.c).
struct dc_node_dual {
  double normal, along[3];  // N
};

// Relative rounding of positions; times a stiffness it is the force that nobody can resolve.
#define DC_POSITION_NOISE (8 * DBL_EPSILON)

// The mixed Hessian of one pair's friction (contact/friction/friction.h).
struct dc_friction_mixed {
  int pair;
  double rows[12][12];
};

struct dc_mixed_list {
  struct dc_friction_mixed *pairs;  // [count]
  size_t count, capacity;
};

// Contact, friction and restitution of rigid bodies during an interval (terms_contact.c).
struct dc_rigid_contact {
  struct dc_contact *contact;
  int pair_count;
  const int (*pair_bodies)[2];                // [pair_count] bodies a and b, dc_contact_pairs
  struct dc_pair_derivatives *pairs, *spare;  // [pair_count] of the last evaluation at t+1; elsewhere
  double energy;                              // of the last evaluation, sum over the pairs, without stiffness
  double *coefficients;                       // [bodies] of the law at t
  struct dc_lag *lags;                        // [pair_count] of friction in the interval (lag.c)
  double *lag_factors;                        // [pair_count] their factors
  double (*before)[3];                        // [pair_count] contact forces at t-1, over the stiffness
  double *sizes;                              // [pair_count] of contact forces at t, over the stiffness; forward
  // Contacts slide since t; restitution of the interval before acts; some push for other times than the interval.
  bool slides, resists, shared;
  struct dc_friction_derivatives *friction, *impact;  // [pair_count] of the last evaluation
  double friction_energy, impact_energy;              // J
  struct dc_mixed_list mixed;                         // of the pairs with sliding contacts, for add_product only
  // In models that remember (dc_model_remembers), else NULL: what the interval before has left of every pair
  // [pair_count] and, behind them, of every node at a half-space [dc_node_touch_count] and of every pair of soft
  // surfaces [dc_surface_pair_count]; directions of opening of pairs where that acts (terms_impact.c).
  const double (*memory)[DC_IMPACT_NUMBERS];
  double (*left)[DC_IMPACT_NUMBERS];  // where a rollout forward keeps it
  struct dc_impact_normal *normals;
  size_t late;     // place of the first number of impact_late.h in a memory; 0: there are none
  double *slip;    // [pair_count] of memory: all that friction may use over the impulse of the force at t
  struct dc_surface_share
      *shares;     // [dc_surface_pair_count] of friction of soft surfaces in the interval (surface_lag.h)
  double seconds;  // spent in evaluations since creation
  const struct dc_pose *evaluated;  // poses that an adjoint evaluated contact at last; NULL: unknown
};

// Arguments of the terms of a step: states and frames at t-1, t and t+1, and contact.
struct dc_step_state {
  const struct dc_model *model;
  const struct dc_rollout_input *input;
  struct dc_step_interval interval;
  const double *q_before, *q_now, *q_next;    // [nq]
  const struct dc_pose *before, *now, *next;  // [bodies]
  const struct dc_axis *axes_now;             // [nv] at t
  const double *held;                         // [nv] weights that drives hold at t
  double hardening;                           // factor on contact's stiffness; above 1 on a path of falling stiffness
  const struct dc_rigid_contact *rigid;
  const struct dc_pair_derivatives *pairs;  // [pair_count] at t+1: rigid->pairs, or those of a tape
  // For adjoint and tangent only: the memory of the interval before, NULL: nothing, and with it the pairs at t.
  const double (*memory)[DC_IMPACT_NUMBERS];
  const struct dc_pair_derivatives *pairs_now;
  const struct dc_surface_contact *surface;  // at t+1, sliding since t; NULL: soft bodies touch half-spaces only
  struct dc_far_field *far;                  // at t; NULL: there is none
  struct dc_prediction *prediction;          // of the interval; NULL: integrator euler
  const double *q_predicted;                 // [nq] of it
  const struct dc_pose *predicted;           // [bodies]
  // With a prediction, of nodes: the part of the forces by the state at t that is due, else 1; past [nv]: what is due
  // of elastic forces at the states before, N (terms_past.c); NULL: nothing.
  double kick;
  const double *past;
  enum dc_force_place place;  // q_next is
  bool half;  // an interval as prediction.c or terms_past.c look at it: potentials alone, at a q_next of their own
  bool laws_apart;  // Hessians leave out nodes against half-spaces, which node_newton.c solves for exactly
  const struct dc_node_dual *duals;  // [dc_node_touch_count] of Newton's iterates; NULL: those of the places
};

// mu, J: of the scene, times the design's factor, times the factor of a path of falling stiffness (step.c).
static inline double dc_step_stiffness(const struct dc_step_state *state)
{
  return state->model->definition.contact.stiffness * state->input->design.stiffness_scale * state->hardening;
}

// The gradient of a step potential: wrenches for the twists of the frames [bodies][6], forces on coordinates [nv].
struct dc_step_forces {
  double (*wrenches)[6];  // [bodies] torque about the frame's origin, N m, and force, N
  double *joints;         // [nv] N or N m
};

// Where terms add their Hessians: blocks in the charts of the frames [bodies][36], pairs and joints into the matrix.
struct dc_step_hessian {
  double (*blocks)[36];  // [bodies] 6 x 6, row by row
  struct dc_assembler *assembler;
  const struct dc_kinematics *kinematics;
  struct dc_symmetric_matrix *matrix;
  const struct dc_block_place *element_places;  // dc_elastic_list_places; NULL: they are searched for
};

// A direction at t+1: in coordinates [nv] and as twists of the frames [bodies][6].
struct dc_step_direction {
  const double *joints;       // [nv]
  const double (*twists)[6];  // [bodies] turn and shift of the frame
};

// A change of everything but q+ that L depends on: frames and coordinates at t and t-1, targets and design.
struct dc_step_variation {
  struct dc_step_direction now, before, predicted;  // predicted: of the prediction, where there is one
  const struct dc_rollout_cotangent *input;
  const double (*memory)[DC_IMPACT_NUMBERS];
};

// Cotangents a step passes on: to the frames and coordinates at t and t-1, targets and design.
struct dc_step_cotangent {
  struct dc_step_forces now, before, predicted;  // predicted: by the prediction, where there is one
  struct dc_rollout_cotangent *input;
  double (*memory)[DC_IMPACT_NUMBERS];  // to what the interval before has left, like that of dc_rigid_contact
  double *coefficients;                 // [bodies] workspace
  double (*const *points)[3];  // [bodies] to the places of contact's points in the bodies' axes; NULL: not wanted
};

// Workspace for contact's points [bodies][points], pointers into one block each (shape_adjoint.c).
struct dc_shape_workspace {
  int point_count;                    // of the bodies whose vertices are to be changed
  double (*points)[3];                // [point_count]
  double (**by_point)[3];             // [bodies] to the places of contact's points, in points; NULL: nobody's to change
  int **vertices;                     // [bodies] the points as vertices of the convex parts; NULL likewise
  double (*rates)[3];                 // [bodies]
  struct dc_pair_derivatives *pairs;  // [pair_count] of an evaluation of energies
  // A second contact of the same bodies, made by the first adjoint.  Friction needs contact at t and the points need it
  // at t+1: the two take turns, so that what was evaluated at t is at hand an interval earlier in time.
  struct dc_contact *contact;
  const struct dc_pose *evaluated;  // poses that it was evaluated at; NULL: unknown
  bool swapped;                     // it is the rollout's own
};

// Derivatives of a step by shapes and places, to which terms add (shape_adjoint.c).
struct dc_step_shape {
  struct dc_shape_workspace *work;
  // [bodies] of L's derivatives by the places of the frames' origins: their rate along the direction, at fixed twists
  double (*rates)[3];
  struct dc_shape_design *cotangent;  // mass and moment gain; other parts are the sweep's
  double (*const *by_point)[3];       // [bodies] to the places of contact's points in the bodies' axes
};

// A term of the step potential.
struct dc_step_term {
  const char *name, *reference;
  double (*value)(const struct dc_step_state *state);  // J
  void (*add_gradient)(const struct dc_step_state *state, struct dc_step_forces *forces);
  // Both at once, for less; where the value is not finite what is added means nothing.  NULL: one after the other.
  double (*value_and_gradient)(const struct dc_step_state *state, struct dc_step_forces *forces);
  // exact: the true Hessian in these charts; otherwise a positive semidefinite one near it.
  void (*add_hessian)(const struct dc_step_state *state, bool exact, struct dc_step_hessian *hessian);
  // Adds the derivatives of (d L / d q+) . direction by everything else L depends on.
  void (*add_mixed)(const struct dc_step_state *state, const struct dc_step_direction *direction,
                    struct dc_step_cotangent *cotangent);
  // Adds the derivatives of (d L / d q+) . direction by mass, moment and points of contact, and the rates of L's
  // derivatives by the places of the frames.  NULL where L depends on coordinates only.
  enum dc_status (*add_shape_mixed)(const struct dc_step_state *state, const struct dc_step_direction *direction,
                                    struct dc_step_shape *shape, struct dc_error *error);
  // The transposed product: adds the change of the gradient at fixed q+ along a variation of everything else.  NULL
  // where L depends on q+ only.
  void (*add_product)(const struct dc_step_state *state, const struct dc_step_variation *variation,
                      struct dc_step_forces *forces);
  // Adds what rounding of positions makes of the term's stiffness: residuals below that are noise.  NULL where others
  // have more.
  void (*add_floor)(const struct dc_step_state *state, struct dc_step_forces *floor);

  // The members from here to prepare_product belong to terms that know more of an interval than its states, which is
  // kept in the rollout; NULL: nothing to do.  begin: an interval starts at q_now, where contact was evaluated last.
  // DC_MEMORY.
  enum dc_status (*begin)(struct dc_rollout *rollout, const struct dc_step_state *state, struct dc_error *error);
  // All of q_next that value and derivatives ask for; careful: majorants instead of Hessians where there are any.
  // DC_MEMORY.
  enum dc_status (*evaluate)(struct dc_rollout *rollout, const struct dc_step_state *state, bool careful,
                             struct dc_error *error);
  void (*accept)(struct dc_rollout *rollout);        // the last evaluation is an iterate
  bool (*solved)(const struct dc_rollout *rollout);  // derivatives may rest on the last evaluation
  // Both again as they were when the interval was solved, but for what a tape has, wherever the last evaluation was.
  // pairs: leaves the derivatives of contact at t in rollout->rigid.spare.  DC_MEMORY, DC_NUMERICAL.
  enum dc_status (*restore)(struct dc_rollout *rollout, const struct dc_step_state *state, bool pairs,
                            struct dc_error *error);
  // Computes the mixed Hessians that add_product needs, after restore.  DC_MEMORY.
  enum dc_status (*prepare_product)(struct dc_rollout *rollout, const struct dc_step_state *state,
                                    struct dc_error *error);

  // The members from here on belong to terms with barriers; NULL: nothing.  check_start: DC_INFEASIBLE where a rollout
  // may not start at q [nq], rollout->now.
  enum dc_status (*check_start)(struct dc_rollout *rollout, const struct dc_rollout_input *input, const double *q,
                                struct dc_error *error);
  // The part of a move from q along a tangent, rollout->path, that is safe.
  double (*safe_part)(struct dc_rollout *rollout, const struct dc_design *design, const double *q,
                      const double *tangent);
  enum dc_status (*check_path)(struct dc_rollout *rollout,
                               struct dc_error *error);              // DC_NUMERICAL: not all of it is safe
  double (*gap)(const struct dc_rollout *rollout, const double *q);  // the least at q, where it was evaluated last, m
};

extern const struct dc_step_term dc_inertia_term, dc_gravity_term, dc_contact_term, dc_friction_term, dc_impact_term,
    dc_limit_term, dc_actuator_term, dc_coupling_term, dc_force_term, dc_node_term, dc_load_term, dc_elastic_term,
    dc_node_contact_term, dc_surface_term, dc_cable_term, dc_air_term, dc_far_term, dc_passive_term, dc_pin_term,
    dc_muscle_term, dc_tie_term, dc_past_term, dc_tendon_term;
extern const struct dc_step_term *const dc_step_terms[];  // NULL-terminated

// The barrier energy e of a soft body at half-spaces, J, and the gap of a point at a half-space whose frame is at a
// pose, m, with the normal out of it.
double dc_node_barrier(const struct dc_model *model, const struct dc_soft *soft);
double dc_node_gap(const struct dc_pose *plane, const double *x, double normal[3]);

// How far the forces due at the beginning of the interval of that length (s) that was begun last throw a node in a
// step, at most, in radii of its body; 0 by euler.
double dc_past_throw(const struct dc_rollout *rollout, double length);
// The part of the elastic forces of a soft body at state->place that is due in the interval (terms_past.c).
double dc_past_share(const struct dc_step_state *state, const struct dc_soft *soft);
// Adds weight times the derivative of that part by the design's moduli and mass, by which it damps what is stiff; and
// its change by theirs.
void dc_past_share_pull_back(const struct dc_step_state *state, const struct dc_soft *soft, double weight,
                             struct dc_design *design);
double dc_past_share_change(const struct dc_step_state *state, const struct dc_soft *soft,
                            const struct dc_design *change);
// Young's modulus of a soft body with the design's factors, the mean of its elements, Pa.
double dc_mean_young(const struct dc_step_state *state, const struct dc_soft *soft);
// The same of the normal forces of half-spaces on nodes.
double dc_contact_share(const struct dc_step_state *state);
// sum [nv] += the exact Hessian by q_next of elastic bodies, of muscles, and of half-spaces on nodes, times a direction
// [nv]; no viscosity, no friction.
void dc_elastic_add_response(const struct dc_step_state *state, const double *direction, double *sum);
void dc_muscle_add_response(const struct dc_step_state *state, const double *direction, double *sum);
void dc_node_add_response(const struct dc_step_state *state, const double *direction, double *sum);

// Adds damping times the positive part of the inertia to the Hessian: a step shorter in what only inertia resists.
void dc_inertia_add_damping(const struct dc_step_state *state, double damping, struct dc_step_hessian *hessian);
// The same for nodes, right into the matrix.
void dc_node_add_damping(const struct dc_step_state *state, double damping, struct dc_step_hessian *hessian);

// Adds the curvature of the energies of actuators, or of passive joints, by lengths and angles at t+1 to a diagonal
// [nv]; the state is half an interval.
void dc_actuator_add_curvature(const struct dc_step_state *state, double *diagonal);
void dc_passive_add_curvature(const struct dc_step_state *state, double *diagonal);

// The soft bodies of a state's model, in turn.
#define DC_FOR_EACH_SOFT(soft, state)                                                                                  \
  for (const struct dc_soft *soft = (state)->model->bodies.soft, *end_ = soft + (state)->model->bodies.soft_count;     \
       soft < end_; soft++)

// Where the blocks of all elements of all soft bodies are in the matrix: places [dc_elastic_place_count], stencil after
// stencil.  False: not there.
size_t dc_elastic_place_count(const struct dc_bodies *bodies);
bool dc_elastic_list_places(const struct dc_bodies *bodies, const struct dc_symmetric_matrix *matrix,
                            struct dc_block_place *places);

// Nodes (terms_nodes.c, terms_node_contact.c): nothing is done where there are none.
// The least force that matters: what moves the lightest node by a part of its body's size in a step.  INFINITY: no
// nodes.
double dc_node_signal(const struct dc_step_state *state, double part);
// Shortens the way of every node for itself so that it uses up most of its gap to any half-space, but not all.
void dc_node_bound_each(const struct dc_model *model, const double *q, double *tangent);
// Whether an interval of second order resolves the forces of half-spaces on nodes (node_resolution.c).
bool dc_nodes_resolved(const struct dc_step_state *state);
// Multipliers of nodes against half-spaces, N: how many, what they are at a state, and how they follow a Newton step
// from there, of which a part may have been taken (terms_node_contact.c).
long dc_node_touch_count(const struct dc_model *model);
void dc_node_set_duals(const struct dc_step_state *state, struct dc_node_dual *duals);
void dc_node_move_duals(const struct dc_step_state *state, const double *step, struct dc_node_dual *duals);
// The same of the friction of touching surfaces, which keep their dual unknowns (contact/surface/sliding.c).
void dc_surface_move_duals(const struct dc_step_state *state, const struct dc_step_direction *step,
                           struct dc_surface_contact *surface);
// A node against a half-space: normal force e/(2 gap), friction of a way along the plane (terms_node_contact.c).
struct dc_node_law {
  int at;                 // first of the node's entries in tangents
  double normal[3], gap;  // gap at t+1, m
  struct dc_slip_law slip;
  double way[3];  // motion along the plane since t, m
};
// All of them at a state: laws [dc_node_touch_count].
void dc_node_list_laws(const struct dc_step_state *state, struct dc_node_law *laws);
// The impulses that friction of nodes keeps in an interval for the next one, N s [dc_node_touch_count]; their
// derivative along weights, which adds to coordinates at t and to what the interval before has left; how they move.
void dc_node_leave(const struct dc_step_state *state, double *left);
void dc_node_pull_back_left(const struct dc_step_state *state, const double *weights, struct dc_step_cotangent *out);
void dc_node_push_left(const struct dc_step_state *state, const struct dc_step_variation *variation, double *left);
// The pairs of blocks of the Hessian that touches add (pattern.c), sorted, and those that are always there.
struct dc_step_pattern {
  int (*extra)[2], (*wanted)[2], (*fixed)[2];  // [.._count] pairs of blocks: of touches, of those now, always there
  size_t extra_count, extra_capacity, wanted_count, wanted_capacity, fixed_count;
  bool fresh;  // an interval begins: what is not touched any more goes
};

// Requests of the caller, which the functions dc_rollout_set_* make (rollout.h).
struct dc_rollout_requests {
  bool tight, conservative, gapless;
  long most_iterations;               // of all parts of a step together; 0: any number
  long most_in_all, spent;            // the same of all steps of a rollout; by those before the present one
  const struct dc_trajectory *alike;  // a step that this one has not divided must not be divided; NULL: any may
  dc_rollout_proceed *proceed;        // asked before every step; NULL: nobody
  void *proceed_context;
  struct dc_stop_request *cancel;     // asked before every evaluation of a step; NULL: nobody
};

// Workspace of Newton's method on the step potential J(q+) (step.c).  All vectors are in the tangent space at q+ [nv].
struct dc_newton_workspace {
  double *q_trial;         // [nq] q+ moved by alpha times the step
  double *gradient;        // dJ at q+
  double *trial_gradient;  // dJ at q_trial
  double *step;            // -H^-1 dJ, bounded so that no bodies meet on its way
  double *unbounded_step;  // the same before it was bounded
  double *magnitude;       // noise floor of the gradient: rounding errors of its terms, added by absolute value
  double *held;            // weights that drives hold in the interval (dynamics/weight.h)
  double *allowed;         // largest residual of each entry: the tolerance's share, or the noise floor
  struct dc_barrier_step *barrier;
  // The evaluation at hand is likely the last of its interval: friction makes Hessians when they are asked for.
  bool late;
  int usual;  // iterations that the interval before took
};

// Wrenches and blocks of frames that the terms of a step add up; cleared at each use [bodies].
struct dc_frame_workspace {
  double (*wrenches)[6];  // gradient by a frame's twist: force N, torque N m about the frame's origin
  double (*floors)[6];    // noise floor of the wrenches
  double (*blocks)[36];   // Hessian of a frame by its own twist, row by row
};

// Nodes of soft bodies in a step.
struct dc_node_workspace {
  bool exactly;                           // Newton's steps are those of node_newton.c
  struct dc_node_newton *newton;          // NULL: other freedoms than those of nodes
  struct dc_node_dual *duals;             // [dc_node_touch_count]
  struct dc_block_place *element_places;  // of the elements of soft bodies in the matrix
  double *past;                           // [nv] terms_past.c; NULL: integrator euler, or no soft bodies
};

// Workspace of the adjoint and of the tangent (adjoint.c, tangent.c) [bodies].
struct dc_adjoint_workspace {
  double (*twists)[6];                               // of the frames at t+1 along the adjoint vector, or the variation
  double (*wrenches_now)[6], (*wrenches_before)[6];  // what the frames at t and at t-1 receive
  double *coefficient_cotangents;                    // by the friction coefficient of a body
};

struct dc_rollout {
  const struct dc_model *model;  // that of the design at hand
  // The model that the rollout was created for, and the shapes and places that `model` differs by; NULL when shapes do
  // not change.
  const struct dc_model *base;
  struct dc_shape_design *shape;
  const struct dc_stepper *stepper;
  void *own;  // memory of the stepper
  struct dc_rigid_contact rigid;
  struct dc_surface_contact *surface;  // NULL: soft bodies touch half-spaces only
  struct dc_far_field *far;            // NULL: there is none
  struct dc_prediction *prediction;    // NULL: integrator euler
  double far_factor;                   // on its stiffness
  struct dc_step_pattern pattern;
  struct dc_symmetric_matrix *matrix;
  long factored_before;  // factorizations of matrices before this one
  struct dc_assembler *assembler;
  struct dc_arena *arena;
  struct dc_rollout_requests asked;
  // Workspace of a step.
  struct dc_kinematics before, now, next;
  struct dc_path path;
  double nearest;  // dc_contact_nearest_fraction of the path
  struct dc_bounded_move *bounded;
  double *q_before;      // [nq]
  double before_length;  // s from q_before to the state at the beginning of an interval
  double *q_now;         // [nq] the beginning of an interval inside of a step
  struct dc_newton_workspace newton;
  struct dc_frame_workspace frames;
  struct dc_node_workspace nodes;
  struct dc_adjoint_workspace adjoint;
  struct dc_shape_workspace *shape_workspace;  // NULL when shapes do not change
};

// Whether the work at hand is given up, as dc_rollout_set_cancel has it.
static inline bool dc_rollout_cancelled(const struct dc_rollout *rollout)
{
  return rollout->asked.cancel && !dc_stop_request_goes_on(rollout->asked.cancel);
}

// Whether to go on, as dc_rollout_set_proceed and dc_rollout_set_cancel have it.
static inline bool dc_rollout_goes_on(const struct dc_rollout *rollout)
{
  return !dc_rollout_cancelled(rollout) &&
         (!rollout->asked.proceed || rollout->asked.proceed(rollout->asked.proceed_context));
}

// The Hessian of all terms in the tangent space: clears and fills the blocks and the matrix.  wrenches: the gradient by
// the frames, for the curvature of chains (exact only).
void dc_step_assemble(const struct dc_step_state *state, bool exact, const double (*wrenches)[6],
                      struct dc_step_hessian *hessian);

// pattern.c
// The matrix of a step with the pattern of the model and of rollout->pattern; NULL when out of memory.
struct dc_symmetric_matrix *dc_step_matrix_create(const struct dc_rollout *rollout);
// Makes rollout->matrix hold the touches at hand.  DC_MEMORY.
enum dc_status dc_step_fit_pattern(struct dc_rollout *rollout, struct dc_error *error);

// terms_contact.c
// rollout->rigid for rollout->model, in rollout->arena but for what dc_rigid_destroy releases.  As dc_contact_create.
// former: NULL, or the contact for another design.
enum dc_status dc_rigid_create(struct dc_rollout *rollout, const struct dc_contact *former, struct dc_error *error);
void dc_rigid_destroy(struct dc_rigid_contact *rigid);
// Evaluates contact and nothing else; rigid->energy is not finite where something crosses.  DC_MEMORY.
enum dc_status dc_rigid_evaluate(struct dc_rigid_contact *rigid, const struct dc_pose *poses, int order,
                                 struct dc_pair_derivatives *pairs, struct dc_error *error);
// Contact and its derivatives as they were when the step that ends at poses was solved, but for rounding.  DC_MEMORY,
// DC_NUMERICAL.
enum dc_status dc_rigid_recompute(struct dc_rollout *rollout, const struct dc_pose *poses,
                                  struct dc_pair_derivatives *pairs, struct dc_error *error);
// Gradients at poses next, of friction and restitution over an interval (NULL: there are none) from rollout->now, with
// the poses of rollout->before before that, and with what the interval before has left (NULL: nothing).  DC_MEMORY.
enum dc_status dc_rigid_forces(struct dc_rollout *rollout, const struct dc_rollout_input *input,
                               const struct dc_step_interval *interval, const double (*memory)[DC_IMPACT_NUMBERS],
                               const struct dc_pose *next, struct dc_error *error);

// terms_impact.c
// The memory of an interval [pair_count] acts in the next; pairs at its beginning.  memory NULL: nothing.
void dc_impact_begin(struct dc_rigid_contact *rigid, const double (*memory)[DC_IMPACT_NUMBERS],
                     const struct dc_pair_derivatives *pairs);
// In a rollout forward: at its start, with what is given to it or nothing (NULL); from the interval that was solved
// last to the next one.
void dc_impact_start(struct dc_rollout *rollout, const double *given);
void dc_impact_go_on(struct dc_rollout *rollout, const struct dc_rollout_input *input, struct dc_step_interval interval,
                     const double *q, const double *q_next);
// Like dc_contact_friction_evaluate, where it acts.
void dc_impact_evaluate(const struct dc_step_state *state, struct dc_friction_derivatives *results, double *energy);
// Derivative along weights of the memory that an interval leaves [pair_count] that began with `memory` (NULL: nothing),
// added to twists of the frames at t+1 and to out; and how that memory moves.
void dc_impact_pull_back(const struct dc_step_state *state, const double (*memory)[DC_IMPACT_NUMBERS],
                         const double (*weights)[DC_IMPACT_NUMBERS], double (*next)[6], struct dc_step_cotangent *out);
void dc_impact_push(const struct dc_step_state *state, const double (*memory)[DC_IMPACT_NUMBERS],
                    const struct dc_step_variation *variation, const double (*next)[6],
                    double (*left)[DC_IMPACT_NUMBERS]);

// Adds a lagged pair's Hessian; exact: with the curvature of the rotations.
void dc_rigid_add_lagged_hessian(const struct dc_step_state *state, int pair,
                                 const struct dc_friction_derivatives *derivatives, bool exact,
                                 struct dc_step_hessian *hessian);
// Adds the rounding of the places of a pair seen through a stiffness by turns (N m) and by shifts (N/m), and an error
// of its force (N).
void dc_rigid_add_floor(const struct dc_step_state *state, int pair, double turn, double shift, double force,
                        struct dc_step_forces *floor);

// step_terms.c: the members of all terms in turn.
// The state of an interval between states [nq], with the poses of rollout->before, now and next, which are theirs or
// will be.
struct dc_step_state dc_step_state_of(const struct dc_rollout *rollout, const struct dc_rollout_input *input,
                                      struct dc_step_interval interval, const double *q_before, const double *q_now,
                                      const double *q_next);
enum dc_status dc_step_begin(struct dc_rollout *rollout, const struct dc_step_state *state, struct dc_error *error);
enum dc_status dc_step_evaluate(struct dc_rollout *rollout, const struct dc_step_state *state, bool careful,
                                struct dc_error *error);
void dc_step_accept(struct dc_rollout *rollout);
bool dc_step_solved(const struct dc_rollout *rollout);
enum dc_status dc_step_restore(struct dc_rollout *rollout, const struct dc_step_state *state, bool pairs,
                               struct dc_error *error);
enum dc_status dc_step_prepare_product(struct dc_rollout *rollout, const struct dc_step_state *state,
                                       struct dc_error *error);
enum dc_status dc_step_check_start(struct dc_rollout *rollout, const struct dc_rollout_input *input, const double *q,
                                   struct dc_error *error);
double dc_step_safe_part(struct dc_rollout *rollout, const struct dc_design *design, const double *q,
                         const double *tangent);
enum dc_status dc_step_check_path(struct dc_rollout *rollout, struct dc_error *error);
double dc_step_gap(const struct dc_rollout *rollout, const double *q);
// [nv]
void dc_step_floor(const struct dc_rollout *rollout, const struct dc_step_state *state, double *floor);

// shape_points.c
struct dc_shape_workspace *dc_shape_workspace_create(const struct dc_rollout *rollout, struct dc_arena *arena);
void dc_shape_workspace_destroy(struct dc_shape_workspace *work);  // what is not the arena's; NULL is allowed
// Before an adjoint.  DC_OK, or statuses of dc_contact_create.
enum dc_status dc_shape_begin(struct dc_rollout *rollout, struct dc_error *error);
// Before contact is evaluated at the beginning of an interval: it keeps what it knows of the end.
void dc_shape_swap_contact(struct dc_rollout *rollout);
// After an adjoint: gives the rollout its own contact back, so that no rollout depends on the number of intervals that
// went before.
void dc_shape_end(struct dc_rollout *rollout);
// Adds the derivatives by contact's points at t+1, with stiffness mu, to shape->by_point; contact is evaluated there.
enum dc_status dc_shape_add_points(const struct dc_step_state *state, const struct dc_step_direction *direction,
                                   double mu, struct dc_step_shape *shape, struct dc_error *error);
// Passes derivatives by the points of contact, which steps have left, on to the vertices.
void dc_shape_take_points(struct dc_rollout *rollout, struct dc_shape_design *by);

// shape_adjoint.c
// Adds the derivatives of a step by shapes to the cotangent's shape.  `out` holds the sums of all add_mixed,
// rollout->frames.wrenches the gradient by the frames at t+1.
enum dc_status dc_shape_pull_back_step(struct dc_rollout *rollout, const struct dc_step_state *state,
                                       const struct dc_step_direction *direction, const struct dc_step_cotangent *out,
                                       struct dc_error *error);
// Adds derivatives by the frames at poses, wrenches [bodies][6]; sums [bodies]: workspace.
void dc_shape_pull_back_frames(const struct dc_model *model, const struct dc_pose *poses, const double (*wrenches)[6],
                               double (*sums)[6], struct dc_shape_design *cotangent);
// Adds the derivative by where free bodies start; tangent [nv] by the start, whose turn gains in q [nv].
void dc_shape_pull_back_start(const struct dc_rollout *rollout, const struct dc_rollout_input *input,
                              const double *tangent, double *q, struct dc_shape_design *cotangent);

// rollout_start.c
// How far the centre of mass of a free body is, in the world, from where that of the model without design would be, at
// a state [nq]; shapes change.
void dc_rollout_center_shift(const struct dc_rollout *rollout, int body, const double *q, double shift[3]);
// Where a rollout with this input starts [nq]: bodies whose centres moved with their shapes are not where its q says.
void dc_rollout_start_state(const struct dc_rollout *rollout, const struct dc_rollout_input *input, double *q);
// The state before that [nq].
void dc_rollout_state_before(const struct dc_rollout *rollout, const struct dc_rollout_input *input, double *q);
// The state that a start is moved to by h times its velocity: ahead of it, or behind for h < 0.  The first function
// gives its tangent [nv] for those of start and velocity [nv].  The second adds to the cotangents of start and velocity
// those that a cotangent [nv] of this state brings about.
void dc_start_push(const struct dc_bodies *bodies, const double *velocity, double h, const double *q,
                   const double *change, double *moved);
void dc_start_pull_back(const struct dc_bodies *bodies, const double *velocity, double h, const double *moved,
                        double *q, double *change);
// The friction law of a rollout at this input for an interval of that length; coefficients [bodies] are filled.
struct dc_friction_law dc_step_friction_law(const struct dc_rollout *rollout, const struct dc_rollout_input *input,
                                            double length, double *coefficients);

// The report of a step.
struct dc_step_report {
  int iterations, evaluations;
  bool converged, regularized;
  double residual;  // relative to the tolerance
  double min_gap;
};

// Solves an interval from q, where contact was evaluated last, and rollout->q_before into q_next; leaves the
// derivatives of the contact at the solution in pairs (unless NULL), and the solution as the last evaluation of contact
// and in rollout->next. DC_NUMERICAL when there is none, DC_MEMORY.
enum dc_status dc_step_solve(struct dc_rollout *rollout, const struct dc_rollout_input *input,
                             const struct dc_step_interval *interval, const double *q, double *q_next,
                             struct dc_pair_derivatives *pairs, struct dc_step_report *report, struct dc_error *error);

// Computes anew how well an interval from q, where contact was evaluated last, and rollout->q_before to q_next is
// solved.
struct dc_step_residual {
  double relative;  // largest component of the gradient of the step potential, relative to the tolerance or the noise
  bool converged;   // at most 1, or as small as rounding allows
};
enum dc_status dc_step_judge(struct dc_rollout *rollout, const struct dc_rollout_input *input,
                             const struct dc_step_interval *interval, const double *q, const double *q_next,
                             struct dc_step_residual *residual, struct dc_error *error);

// Takes a trajectory from frame `step` to the next by one interval or, where that does not converge or bodies would
// pass through each other on the straight way to its end, by several (divided_step.c).  Sets rollout->q_before for the
// next step.  DC_NUMERICAL when dividing does not help either, DC_MEMORY.
enum dc_status dc_implicit_step(struct dc_rollout *rollout, const struct dc_rollout_input *input, int step,
                                struct dc_trajectory *trajectory, struct dc_step_report *report,
                                struct dc_error *error);

#endif
