// SPDX-License-Identifier: Apache-2.0
// Loss, residual rows and report of objectives with residual vectors at frames (goal.h): the mean over frames of the
// squared norms beyond the tolerance, with the derivative by the residual, 2 weight d, pulled back by the kind.
#include "task/goal.h"

#include <math.h>

static int count_of(const struct dc_goal_kind *kind, const void *options, const struct dc_model *model)
{
  return kind->count ? kind->count(options, model) : 1;
}

static int body_of(const struct dc_goal_kind *kind, const void *options, const struct dc_model *model, int i)
{
  return kind->body_of ? kind->body_of(options, model, i) : *(const int *)((const char *)options + kind->body_at);
}

// |d|^2 over the first `rows` entries
static double squared(const double *d, int rows)
{
  return dc_dot(d, d, rows);
}

// max(square - (inside tolerance)^2, 0); NaN stays NaN.  `inside` < 1 aims within the tolerance, as the loss is
// flat at its rim.
static double excess_of(const struct dc_goal_options *goal, double square)
{
  double rim = dc_objective_rim(goal->inside, goal->tolerance), excess = square - rim * rim;
  return excess <= 0 ? 0 : excess;
}

// Sums the squared excess over the tolerance of all points at all frames that count.  The residual's derivative
// 2 weight d is pulled back only where the excess is not zero: inside the tolerance the loss is flat.
double dc_goal_evaluate(const struct dc_goal_kind *kind, const void *options, const struct dc_model *model,
                        const struct dc_trajectory *trajectory, struct dc_loss_cotangent *cotangent)
{
  const struct dc_goal_options *goal = options;
  struct dc_frame_range frames = dc_objective_frames(goal->when, trajectory);
  int count = count_of(kind, options, model);
  double sum = 0;
  for (int frame = frames.first; frame <= frames.last; frame++) {
    for (int i = 0; i < count; i++) {
      double d[3] = {0};
      int rows = kind->residual(options, model, trajectory, frame, i, d);
      double excess = excess_of(goal, squared(d, rows));
      sum += goal->weight * excess;
      for (int k = 0; k < rows; k++)
        d[k] *= 2 * goal->weight * frames.share;
      if (cotangent && excess != 0)
        kind->pull_back(options, model, trajectory, frame, i, d, cotangent);
    }
    dc_trajectory_release(trajectory, frame);
  }
  return frames.share * sum;
}

// One group for every point at every frame that counts.
int dc_goal_groups(const struct dc_goal_kind *kind, const void *options, const struct dc_model *model,
                   const struct dc_trajectory *trajectory)
{
  const struct dc_goal_options *goal = options;
  struct dc_frame_range frames = dc_objective_frames(goal->when, trajectory);
  return (frames.last - frames.first + 1) * count_of(kind, options, model);
}

// Group `index` of the residual rows: d with its target set, a ball of radius inside * tolerance, and the part
// e of d that counts.
void dc_goal_group(const struct dc_goal_kind *kind, const void *options, const struct dc_model *model,
                   const struct dc_trajectory *trajectory, int index, struct dc_residual_group *group, int *frame)
{
  const struct dc_goal_options *goal = options;
  struct dc_frame_range frames = dc_objective_frames(goal->when, trajectory);
  int i = dc_objective_place(&frames, count_of(kind, options, model), index, frame);
  group->axes = kind->residual(options, model, trajectory, *frame, i, group->d);
  double excess = excess_of(goal, squared(group->d, group->axes));
  for (int k = 0; k < group->axes; k++)
    group->e[k] = excess != 0 ? group->d[k] : 0;
  group->weight = frames.share * goal->weight;
  group->value = group->weight * excess;
  group->radius = dc_objective_rim(goal->inside, goal->tolerance);
}

void dc_goal_pull_back(const struct dc_goal_kind *kind, const void *options, const struct dc_model *model,
                       const struct dc_trajectory *trajectory, int index, const double *weights,
                       struct dc_loss_cotangent *cotangent)
{
  const struct dc_goal_options *goal = options;
  struct dc_frame_range frames = dc_objective_frames(goal->when, trajectory);
  int frame, i = dc_objective_place(&frames, count_of(kind, options, model), index, &frame);
  kind->pull_back(options, model, trajectory, frame, i, weights, cotangent);
}

// Finds the point that is farthest from its target at a frame; reached: all are within the tolerance itself,
// not `inside` of it.
void dc_goal_report(const struct dc_goal_kind *kind, const void *options, const struct dc_model *model,
                    const struct dc_trajectory *trajectory, int frame, int *body, double *distance, bool *reached)
{
  const struct dc_goal_options *goal = options;
  *body = -1, *distance = -1, *reached = true;
  for (int i = 0; i < count_of(kind, options, model); i++) {
    double d[3];
    int rows = kind->residual(options, model, trajectory, frame, i, d);
    double square = squared(d, rows);
    *reached = *reached && square <= goal->tolerance * goal->tolerance;
    if (!(sqrt(square) <= *distance))
      *body = body_of(kind, options, model, i), *distance = sqrt(square);
  }
}
