// SPDX-License-Identifier: Apache-2.0
// Refinement: a static problem without time.  It searches poses of bodies and joint angles at which given pairs of
// points touch, i.e. each becomes the witness point of its body against the other (paper 002; docs/theory.md,
// "Refinement").
//
// With witness points x, targets t, the normal n, the signed distance d and a margin beta, every pair adds
//
//     L = |x_1 - x_2 + beta n|^2 + |x_1 - t_1|^2 + |x_2 - t_2|^2 = (d - beta)^2 + |x_1 - t_1|^2 + |x_2 - t_2|^2,
//
// and bodies that may touch but are no pair add weight max(0, clearance - d)^2.  The value is the mean of L over the
// pairs plus the sum of these.
#ifndef DC_PLAN_REFINE_H
#define DC_PLAN_REFINE_H

#include "dynamics/model.h"
#include "geometry/convex/witness_derivative.h"
#include "optimize/problem.h"

// The option table is dc_refine_pair_options ("pairs" in a scene).
struct dc_refine_pair {
  int body[2];
  double point[2][3];  // target in the frame of each body's shape, m
};
extern const struct dc_option dc_refine_pair_options[];

// Restarts of a single moving body.  TURNED: random rotation, with the targets of the first pair near each other (the
// tasks of paper 002, specified for its optimizers).  OPPOSED: besides, the surface normals there are opposed, as where
// bodies touch. Everything else, such as a hand, restarts near the best state found, and with "opposed" every other
// time where all targets are on each other with normals opposed.
enum dc_refine_restart { DC_RESTART_OPPOSED, DC_RESTART_TURNED };

// The option table is dc_refine_options ("refine" in a scene).
struct dc_refine_settings {
  const struct dc_witness_settings *witness;
  double margin;       // beta, m
  int restart;         // enum dc_refine_restart
  bool transport;      // equivalent gradient transport (paper 002, section IV-E) in directions of descent
  long candidates;     // samples of each body's surface
  double penetration;  // weight of overlaps of bodies that are no pair; 0: ignored
  double clearance;    // gap that these should keep, m
  double tolerance;    // a pair is reached when |x_1 - t_1|, |x_2 - t_2| and |d - beta| are all at most this, m
  long seed;
};
extern const struct dc_option dc_refine_options[];

struct dc_refine;

// Checks whether dc_refine_create accepts the pairs: DC_BAD_INPUT with the reason.
enum dc_status dc_refine_check(const struct dc_model *model, int pair_count, const struct dc_refine_pair *pairs,
                               struct dc_error *error);
// Creates a problem over the bodies of model; pairs [pair_count] and settings are copied.  Bodies of pairs must be
// unions of convex parts; others that are not are ignored in overlaps.  DC_BAD_INPUT with the reason; DC_MEMORY.
struct dc_refine *dc_refine_create(const struct dc_model *model, const struct dc_refine_settings *settings,
                                   int pair_count, const struct dc_refine_pair *pairs, struct dc_error *error);
void dc_refine_destroy(struct dc_refine *refine);  // NULL is allowed

// The groups of the problem's coordinates.
enum dc_refine_group { DC_REFINE_ROTATION, DC_REFINE_TRANSLATION, DC_REFINE_JOINT, DC_REFINE_GROUPS };

// The problem to minimize; valid as long as refine, for one caller at a time; copies may have another seed.  Points are
// states q [nq] of the model's bodies (including followers of couplings), steps are tangents without the followers'.
const struct dc_problem *dc_refine_problem(struct dc_refine *refine);

// Two bodies at a state: a pair, or two that must not overlap.
struct dc_refine_contact_state {
  int body[2];
  bool pair;
  struct dc_witness witness;
  double local[2][3];   // the witness points in the shapes' frames, m
  double target[2][3];  // of a pair: world, m
  double value, error;  // of a pair: L; the largest of |x_1 - t_1|, |x_2 - t_2|, |d - beta|, m
};
struct dc_refine_state {
  double value;
  int reached;           // pairs within the tolerance
  double largest_error;  // of the pairs, m
  double overlap;        // deepest overlap of bodies that are no pair, m
  double min_distance;   // of all, m; INFINITY without any
  bool success;          // all pairs are reached and, where overlaps count, none is deeper than the tolerance
};
int dc_refine_contact_count(const struct dc_refine *refine);
// Evaluates everything at state q [nq], independent of earlier queries; contacts [contact_count], the pairs first.
void dc_refine_inspect(struct dc_refine *refine, const double *q, struct dc_refine_state *total,
                       struct dc_refine_contact_state *contacts);

// Number of queries so far, of witness points and of their derivatives, and of restarts.
struct dc_refine_counts {
  long queries, derivatives, restarts;
};
struct dc_refine_counts dc_refine_counts(const struct dc_refine *refine);

#endif
