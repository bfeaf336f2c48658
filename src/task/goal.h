// SPDX-License-Identifier: Apache-2.0
// Common parts of objectives that drive residual vectors at frames to zero.
//
// With residuals d_i (at most three rows each) of a frame, tolerance r and inside p in [0, 1]
//     f = weight * mean over the frames that count of sum_i max(|d_i|^2 - (p r)^2, 0),
// which is reached where |d_i| <= r for all i.  With p = 1 a plan ends at the rim of the tolerance; with p < 1 inside.
#ifndef DC_TASK_GOAL_H
#define DC_TASK_GOAL_H

#include "task/objective_parts.h"

// Rows of the option table for struct dc_goal_options, with which the options of such an objective begin.
#define DC_GOAL_OPTIONS(structure, member, tolerance_unit, weight_unit)                                                \
  DC_TOLERANCE_OPTION(structure, member.tolerance, tolerance_unit, "0", "difference that counts as reached"),          \
      DC_INSIDE_OPTION(structure, member.inside),                                                                      \
      DC_WEIGHT_OPTION(structure, member.weight, weight_unit, "factor on the squared difference"),                     \
      DC_WHEN_OPTION(structure, member.when, "\"end\"", DC_WHEN_FRAMES)

// A kind of residual.  A frame has residuals i = 0 ... count - 1 (count NULL: one).  residual writes the rows d of one
// and returns their number; pull_back adds the derivative of weights . d.  A report names the body returned by body_of,
// or, where it is NULL, the option at offset body_at.
struct dc_goal_kind {
  int (*count)(const void *options, const struct dc_model *model);
  int (*residual)(const void *options, const struct dc_model *model, const struct dc_trajectory *trajectory, int frame,
                  int i, double d[3]);
  void (*pull_back)(const void *options, const struct dc_model *model, const struct dc_trajectory *trajectory,
                    int frame, int i, const double weights[3], struct dc_loss_cotangent *cotangent);
  int (*body_of)(const void *options, const struct dc_model *model, int i);
  size_t body_at;
  bool by_step;  // residuals depend on the frame before, too
};

double dc_goal_evaluate(const struct dc_goal_kind *kind, const void *options, const struct dc_model *model,
                        const struct dc_trajectory *trajectory, struct dc_loss_cotangent *cotangent);
int dc_goal_groups(const struct dc_goal_kind *kind, const void *options, const struct dc_model *model,
                   const struct dc_trajectory *trajectory);
void dc_goal_group(const struct dc_goal_kind *kind, const void *options, const struct dc_model *model,
                   const struct dc_trajectory *trajectory, int index, struct dc_residual_group *group, int *frame);
void dc_goal_pull_back(const struct dc_goal_kind *kind, const void *options, const struct dc_model *model,
                       const struct dc_trajectory *trajectory, int index, const double *weights,
                       struct dc_loss_cotangent *cotangent);
void dc_goal_report(const struct dc_goal_kind *kind, const void *options, const struct dc_model *model,
                    const struct dc_trajectory *trajectory, int frame, int *body, double *distance, bool *reached);

// Defines the functions of a struct dc_objective_type from a kind.
#define DC_GOAL_FUNCTIONS(kind)                                                                                        \
  static double goal_evaluate(const void *options, const struct dc_model *model, const struct dc_rollout_input *input, \
                              const struct dc_trajectory *trajectory, struct dc_loss_cotangent *cotangent)             \
  {                                                                                                                    \
    (void)input;                                                                                                       \
    return dc_goal_evaluate(&(kind), options, model, trajectory, cotangent);                                           \
  }                                                                                                                    \
  static int goal_groups(const void *options, const struct dc_model *model, const struct dc_trajectory *trajectory)    \
  {                                                                                                                    \
    return dc_goal_groups(&(kind), options, model, trajectory);                                                        \
  }                                                                                                                    \
  static void goal_group(const void *options, const struct dc_model *model, const struct dc_rollout_input *input,      \
                         const struct dc_trajectory *trajectory, int index, struct dc_residual_group *group,           \
                         int *first, int *last)                                                                        \
  {                                                                                                                    \
    (void)input;                                                                                                       \
    dc_goal_group(&(kind), options, model, trajectory, index, group, first);                                           \
    *last = *first;                                                                                                    \
    *first -= (kind).by_step && *first > 0;                                                                            \
  }                                                                                                                    \
  static void goal_pull_back(const void *options, const struct dc_model *model, const struct dc_rollout_input *input,  \
                             const struct dc_trajectory *trajectory, int index, const double *weights,                 \
                             struct dc_loss_cotangent *cotangent)                                                      \
  {                                                                                                                    \
    (void)input;                                                                                                       \
    dc_goal_pull_back(&(kind), options, model, trajectory, index, weights, cotangent);                                 \
  }                                                                                                                    \
  static void goal_report(const void *options, const struct dc_model *model, const struct dc_rollout_input *input,     \
                          const struct dc_trajectory *trajectory, int frame, int *body, double *distance,              \
                          bool *reached)                                                                               \
  {                                                                                                                    \
    (void)input;                                                                                                       \
    dc_goal_report(&(kind), options, model, trajectory, frame, body, distance, reached);                               \
  }                                                                                                                    \
  static const struct dc_objective_rows goal_rows = {                                                                  \
      .count = goal_groups, .group = goal_group, .pull_back = goal_pull_back};

static inline const struct dc_pose *dc_goal_pose(const struct dc_trajectory *trajectory, int frame, int body)
{
  return &trajectory->poses[(size_t)frame * (size_t)trajectory->bodies + (size_t)body];
}

// Adds a wrench (torque, then force) to the derivative by a body's pose, unless the body never moves.
// Frames of soft bodies and markers are points: they take the force only.
static inline void dc_goal_add(struct dc_loss_cotangent *cotangent, const struct dc_model *model,
                               const struct dc_trajectory *trajectory, int frame, int body, const double turn[3],
                               const double force[3])
{
  if (!dc_frame_moves(&model->bodies, body))
    return;
  size_t slice = (size_t)(frame - cotangent->first);
  double *wrench = cotangent->frames.wrenches[slice * (size_t)trajectory->bodies + (size_t)body];
  dc_vec_add(wrench, wrench, turn);
  dc_vec_add(wrench + 3, wrench + 3, force);
}

#endif
