// SPDX-License-Identifier: Apache-2.0
// The data of a refinement.  Private to src/plan.
#ifndef DC_PLAN_REFINE_INTERNAL_H
#define DC_PLAN_REFINE_INTERNAL_H

#include "body/kinematics.h"
#include "plan/refine.h"

enum { DC_PAIR_RESIDUALS = 9 };  // of a pair: x_2 - x_1 - beta n, x_1 - t_1, x_2 - t_2

// Two bodies whose distance matters: a pair (target set) or two that should not overlap.
struct dc_refine_contact {
  int body[2];
  bool pair;
  double target[2][3];         // in the shapes' frames, m
  double normal[2][3];         // of a pair: outward normals at the targets, in the shapes' frames
  double spread[2];            // spread of the normals around the targets: dc_solid_normal
  const double (*cone[2])[3];  // [cone_count] these normals: dc_solid_normals
  int cone_count[2];
  int part[2];  // of the solids, with the targets
  bool flat;    // both targets are on sides or edges, which may lie on each other
  struct dc_witness_search *search;
};

// Witness points of all contacts at a state, kept because a Jacobian follows its residual.
struct dc_refine_answer {
  bool known;
  double *q;                     // [nq]
  struct dc_witness *witnesses;  // [contact_count]
  bool *apart;                   // [contact_count] too far apart to be queried
};

// Workspace of dc_refine_align; n: dimension; m: six rows per pair and one per contact for its overlap.
struct dc_refine_align_rows {
  double *residual, *jacobian;  // [m], [m][n]
};
struct dc_refine_align {
  struct dc_refine_align_rows found, asked;  // rows at the best state, and at the last one
  bool *counts;                              // [contact_count] whether the row of an overlap counts
  double *normal, *step;                     // [n][n], [3][n]
  double *trial;                             // [nq]
  bool *held;                                // [n]
  struct dc_symmetric_matrix *matrix;
};

struct dc_refine {
  struct dc_arena *arena;
  const struct dc_bodies *bodies;
  struct dc_refine_settings settings;
  struct dc_witness_settings witness;
  struct dc_kinematics kinematics;
  struct dc_placement *placements;     // [bodies] of the shapes' frames
  struct dc_witness_solid *solids;     // [bodies]; solid NULL: no convex parts
  int contact_count, pair_count;       // the pairs come first
  struct dc_refine_contact *contacts;  // [contact_count]
  int coupling_count;
  const struct dc_coupling *couplings;
  // Steps omit the followers of couplings: tangent[v] = factor[v] step[unknown[v]].
  int *unknown;                        // [nv]
  double *factor;                      // [nv]
  double (*range)[2];                  // [dimension] bounds of the coordinate that moves with it
  int *coordinate;                     // [dimension] its index in the state, -1: not a slide or hinge
  double *metric;                      // [dimension]
  int *group;                          // [dimension]
  double *tangent, *pull;              // [nv] workspace
  double *start;                       // [nq] the state of the bodies as they are defined
  struct dc_refine_answer answers[2];  // of the last two states, the newest first
  struct dc_refine_align align;
  struct dc_problem problem;
  struct dc_refine_counts counts;
};

// Functions of the problem.
enum dc_status dc_refine_linearize(void *context, const double *q, const struct dc_draw *draw, struct dc_rows *rows,
                                   struct dc_error *error);
enum dc_status dc_refine_descend(void *context, const double *q, const struct dc_draw *draw, const double *step_size,
                                 double *value, double *direction, struct dc_error *error);

// Places the bodies at q and computes the witness points of all contacts, unless they are known already.
const struct dc_refine_answer *dc_refine_ask(struct dc_refine *refine, const double *q);
// block [3][6] += scale w x arm, by a twist (w, t).
void dc_refine_add_turn(double *block, double scale, const double arm[3]);
// Maps rows [count][6] by the twist of a body to jacobian [count][dimension]: jacobian += scale rows J.
void dc_refine_add_columns(const struct dc_refine *refine, int body, double scale, int count, const double *rows,
                           double *jacobian);

enum { DC_REFINE_CONE = 64 };  // most normals of a cone

// Moves q such that the targets of all pairs lie on each other, at the margin, with opposed normals, as nearly as
// bounds allow.  At vertices and edges there is a cone of normals, and it suffices that the two cones, narrowed to a
// part of their width, meet.  Where they are too far apart for that, mean normals are used, with random offsets of
// standard deviation `tilt` times their spread. Bodies that overlap on the way, pairs included, are moved apart.  Only
// distances are queried, no derivatives.
void dc_refine_align(struct dc_refine *refine, double tilt, struct dc_random *random, double *q);
// Creates its workspace; the problem's dimension and the pairs must be set.
enum dc_status dc_refine_align_create(struct dc_refine *refine, struct dc_error *error);
void dc_refine_align_destroy(struct dc_refine *refine);

#endif
