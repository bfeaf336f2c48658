// SPDX-License-Identifier: Apache-2.0
// Objective "relative": from a given frame on, a body keeps its position relative to another one, as a gripped object
// does.  Let o_k = x_body(k) - x_to(k) be the offset of the centres of mass at frame k, over the chosen axes; without
// "to" it is x_body alone, and the body shall stay where it is.
//
//     f = weight * mean over k of |o_k - o_from|^2,    from < k <= until, or k = until alone,
//     df/do_k = 2 weight share (o_k - o_from),   df/do_from = -sum over k of it.
//
// Offsets are taken in world axes.  The paper subtracts the centres themselves, which asks them to coincide.
#include <math.h>

#include "task/objective_parts.h"

static const struct dc_option options_table[] = {
    DC_BODY_OPTION(struct dc_relative_options, body, NULL, "name of the body that shall keep its place"),
    DC_BODY_OPTION(struct dc_relative_options, to, "null",
                   "name of the body that its place is relative to; the world when absent"),
    DC_FROM_OPTION(struct dc_relative_options, "frame whose offset is kept; 0 is the start"),
    DC_UNTIL_OPTION(struct dc_relative_options, "last frame that counts; -1: the end of the run"),
    DC_TOLERANCE_OPTION(struct dc_relative_options, tolerance, "m", "0.01",
                        "largest distance from the offset that counts as kept; the loss does not know it"),
    DC_WEIGHT_OPTION(struct dc_relative_options, weight, "1/m^2", "factor on the squared distance"),
    DC_WHEN_OPTION(struct dc_relative_options, when, "\"end\"",
                   "end: frame until counts; every: the mean over all frames after from"),
    DC_AXES_OPTION(struct dc_relative_options, "\"xyz\""),
    DC_OPTIONS_END,
};

// The body must move, or its offset would say nothing; a negative "until" stands for the last frame.
static enum dc_status check(const void *options, const struct dc_model *model, struct dc_error *error)
{
  const struct dc_relative_options *relative = options;
  long steps = model->definition.time.steps, until = relative->until < 0 ? steps : relative->until;
  if (relative->body < 0 || relative->body >= model->bodies.count)
    return dc_fail(error, DC_BAD_INPUT, "body: must name a body");
  if (!dc_frame_moves(&model->bodies, relative->body))
    return dc_fail(error, DC_BAD_INPUT, "body: must move (\"%.255s\" never does)",
                   model->bodies.bodies[relative->body].name);
  if (relative->to == relative->body || relative->to >= model->bodies.count)
    return dc_fail(error, DC_BAD_INPUT, "to: must name another body");
  if (until > steps)
    return dc_fail(error, DC_BAD_INPUT, "until: must be <= %ld, the last frame (is %ld)", steps, until);
  if (relative->from > until)
    return dc_fail(error, DC_BAD_INPUT, "from: must be <= %ld, the last frame that counts (is %ld)", until,
                   relative->from);
  return dc_objective_check_axes(relative->axes, error);
}

// The frames that count, as far as the trajectory has them; none when it ends before.  share: one over their
// number.
static struct dc_frame_range frames_of(const struct dc_relative_options *relative,
                                       const struct dc_trajectory *trajectory)
{
  int last = trajectory->steps, from = (int)relative->from;
  if (relative->until >= 0 && relative->until < last)
    last = (int)relative->until;
  int first = relative->when == DC_WHEN_EVERY ? from + 1 : last;
  if (first <= from)
    first = from + 1;
  return (struct dc_frame_range){first, last, last >= first ? 1.0 / (last - first + 1) : 0};
}

// d = o_frame - o_from
static void moved(const struct dc_relative_options *relative, const struct dc_trajectory *trajectory, int frame,
                  double d[3])
{
  const char *axes = relative->axes;
  int from = (int)relative->from;
  dc_objective_offset(d, dc_objective_center(trajectory, frame, relative->body),
                      dc_objective_center(trajectory, from, relative->body), axes);
  if (relative->to < 0)
    return;
  double base[3];
  dc_objective_offset(base, dc_objective_center(trajectory, frame, relative->to),
                      dc_objective_center(trajectory, from, relative->to), axes);
  dc_vec_sub(d, d, base);
}

// Adds scale times d to the cotangents of both bodies at the frame and, with the opposite sign, at the frame
// whose offset is kept.
static void add_derivative(const struct dc_relative_options *relative, const struct dc_model *model,
                           const struct dc_trajectory *trajectory, int frame, double scale, const double *d,
                           struct dc_loss_cotangent *cotangent)
{
  int from = (int)relative->from;
  dc_objective_add(cotangent, model, trajectory, frame, relative->body, scale, d);
  dc_objective_add(cotangent, model, trajectory, from, relative->body, -scale, d);
  if (relative->to < 0)
    return;
  dc_objective_add(cotangent, model, trajectory, frame, relative->to, -scale, d);
  dc_objective_add(cotangent, model, trajectory, from, relative->to, scale, d);
}

// Loss: weight times the mean over the frames of |d|^2, d the displacement of the body, as `to` sees it, since frame
// `from`.
static double evaluate(const void *options, const struct dc_model *model, const struct dc_rollout_input *input,
                       const struct dc_trajectory *trajectory, struct dc_loss_cotangent *cotangent)
{
  (void)input;
  const struct dc_relative_options *relative = options;
  struct dc_frame_range frames = frames_of(relative, trajectory);
  double sum = 0;
  for (int frame = frames.first; frame <= frames.last; frame++) {
    double d[3];
    moved(relative, trajectory, frame, d);
    sum += relative->weight * dc_vec_dot(d, d);
    add_derivative(relative, model, trajectory, frame, 2 * relative->weight * frames.share, d, cotangent);
  }
  return frames.share * sum;
}

static int row_groups(const void *options, const struct dc_model *model, const struct dc_trajectory *trajectory)
{
  (void)model;
  struct dc_frame_range frames = frames_of(options, trajectory);
  return frames.last >= frames.first ? frames.last - frames.first + 1 : 0;
}

// One group per frame: o_k - o_from.
static void row_group(const void *options, const struct dc_model *model, const struct dc_rollout_input *input,
                      const struct dc_trajectory *trajectory, int index, struct dc_residual_group *group, int *first,
                      int *last)
{
  (void)model, (void)input;
  const struct dc_relative_options *relative = options;
  struct dc_frame_range frames = frames_of(relative, trajectory);
  double d[3];
  moved(relative, trajectory, frames.first + index, d);
  dc_objective_squares(group, relative->axes, d, frames.share * relative->weight);
  *first = (int)relative->from, *last = frames.first + index;
}

static void row_pull_back(const void *options, const struct dc_model *model, const struct dc_rollout_input *input,
                          const struct dc_trajectory *trajectory, int index, const double *weights,
                          struct dc_loss_cotangent *cotangent)
{
  (void)input;
  const struct dc_relative_options *relative = options;
  struct dc_frame_range frames = frames_of(relative, trajectory);
  double direction[3];
  dc_objective_scatter(relative->axes, weights, direction);
  add_derivative(relative, model, trajectory, frames.first + index, 1, direction, cotangent);
}

static const struct dc_objective_rows rows = {.count = row_groups, .group = row_group, .pull_back = row_pull_back};

// Reports on a frame that counts; later frames report as the last one.  Frames up to `from` have nothing to
// report.
static void report(const void *options, const struct dc_model *model, const struct dc_rollout_input *input,
                   const struct dc_trajectory *trajectory, int frame, int *body, double *distance, bool *reached)
{
  (void)model, (void)input;
  const struct dc_relative_options *relative = options;
  struct dc_frame_range frames = frames_of(relative, trajectory);
  int at = frame < frames.last ? frame : frames.last;
  double d[3];
  *body = -1, *distance = -1, *reached = false;
  if (at <= relative->from || frames.last < frames.first)
    return;
  moved(relative, trajectory, at, d);
  *body = relative->body;
  *distance = dc_vec_norm(d);
  *reached = *distance <= relative->tolerance;
}

const struct dc_objective_type dc_objective_relative = {
    .name = "relative",
    .summary = "weight * |o - o_from|^2 of the offset o of a body from another one: it is held, or stays",
    .reference = "paper 003, VII: the loss of its grippers",
    .options = options_table,
    .options_size = sizeof(struct dc_relative_options),
    .check = check,
    .evaluate = evaluate,
    .rows = &rows,
    .report = report,
    .whole_run = true,
};
