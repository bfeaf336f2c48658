// SPDX-License-Identifier: Apache-2.0
// Objective "follow": bodies move as they were recorded.  With the centre of mass x and the rotation R of a body at a
// frame, the recorded x*, R* and the rotation vector phi of R R*^T, |phi| <= pi,
//     f = 1/F sum over frames and bodies of (weight |x - x*|^2 + rotation |phi|^2),
// with F the number of frames that count.  A body rotated by exp([w]x) R has phi + J_l(phi)^-1 w, and phi^T J_l^-1 =
// phi^T.  Hence the derivatives are 2 weight (x - x*)/F by x, and 2 rotation phi/F by w.  Residual rows are x - x*
// along the recorded axes, with weight/F, and phi, with rotation/F; their target set is 0.
//
// Frames and rows of a recording may have different times: the recording is interpolated at the times of the frames,
// positions linearly and rotations along the shortest path.  Frames outside of the recording do not count.
#include <math.h>

#include "math/rotation.h"
#include "task/objective_parts.h"

static const struct dc_option options_table[] = {
    DC_STRING_OPTION(
        struct dc_follow_options, file, NULL,
        "recorded motion: a trajectory.h5 of a run, its folder, or a CSV table with the columns time, BODY.x, BODY.y, "
        "BODY.z (centre of mass), BODY.qw, BODY.qx, BODY.qy, BODY.qz, or both; empty fields were not seen"),
    DC_BODIES_OPTION(struct dc_follow_options,
                     "names of the bodies that shall follow; all that move and are in the file when absent"),
    DC_FROM_OPTION(struct dc_follow_options, "first frame that counts; 0 is the start"),
    DC_UNTIL_OPTION(struct dc_follow_options, "last frame that may count; -1: the end of the run"),
    DC_INTEGER_OPTION(struct dc_follow_options, every, "1", 1, 1e9, "frames from one that counts to the next"),
    DC_AXES_OPTION(struct dc_follow_options, "\"xyz\""),
    DC_WEIGHT_OPTION(struct dc_follow_options, weight, "1/m^2", "factor on the squared distances of positions"),
    DC_REAL_OPTION(struct dc_follow_options, rotation, "1/rad^2", "0", 0, 1e30,
                   "factor on the squared angles of rotations"),
    DC_TOLERANCE_OPTION(struct dc_follow_options, tolerance, "m", "0.001",
                        "largest distance of a position that counts as reached; the loss does not know it"),
    DC_REAL_OPTION(struct dc_follow_options, rotation_tolerance, "rad", "0.01", 0, 4,
                   "largest angle of a rotation that counts as reached, where rotation is > 0"),
    DC_OPTIONS_END,
};

// Whether one of the listed bodies can turn: the rotations of others do not count.
static bool any_turns(const struct dc_follow_options *follow, const struct dc_model *model)
{
  bool any = false;
  for (int i = 0; i < follow->bodies.count; i++)
    any |= !dc_support_of(&model->bodies, follow->bodies.indices[i]);
  return any;
}

static enum dc_status check(const void *options, const struct dc_model *model, struct dc_error *error)
{
  const struct dc_follow_options *follow = options;
  long steps = model->definition.time.steps;
  enum dc_status status = dc_objective_check_axes(follow->axes, error);
  if (!status && follow->bodies.count)
    status = dc_objective_check_bodies(&follow->bodies, model, error);
  for (int i = 0; i < follow->bodies.count && !status; i++)
    if (!dc_frame_moves(&model->bodies, follow->bodies.indices[i]))
      status = dc_fail(error, DC_BAD_INPUT, "bodies: must move (\"%.255s\" never does)",
                       model->bodies.bodies[follow->bodies.indices[i]].name);
  if (!status && follow->rotation > 0 && follow->bodies.count && !any_turns(follow, model))
    status = dc_frame_check_turns(&model->bodies, follow->bodies.indices[0], "bodies", error);
  if (!status && follow->from > steps)
    status = dc_fail(error, DC_BAD_INPUT, "from: must be <= %ld, the last frame (is %ld)", steps, follow->from);
  if (!status && follow->until >= 0 && follow->until < follow->from)
    status = dc_fail(error, DC_BAD_INPUT, "until: must be >= from, %ld (is %ld)", follow->from, follow->until);
  return status;
}

static const struct dc_index_list *recorded(const void *options)
{
  return &((const struct dc_follow_options *)options)->bodies;
}

// Interpolation of the recording at the times of the frames.

// r: the rotation at the fraction s of the shortest path from a to b, exp(s log(b a^-1)) a.
static void interpolate_rotation(double r[4], const double *a, const double *b, double s)
{
  double inverse[4], between[4], turn[3];
  dc_rotation_conjugate(inverse, a);
  dc_rotation_multiply(between, b, inverse);
  dc_rotation_log(turn, between);
  dc_vec_scale(turn, turn, s);
  dc_rotation_exp(between, turn);
  dc_rotation_multiply(r, between, a);
}

// Interpolates body b between rows i and i + 1 at the fraction s.  Numbers that were not seen in one of the
// rows are NAN in between, too.
static void interpolate(const struct dc_recording *recording, int i, double s, int b, struct dc_follow_sample *sample)
{
  size_t now = (size_t)i * (size_t)recording->body_count + (size_t)b, next = now + (size_t)recording->body_count;
  if (s == 0)
    next = now;
  const double *x = recording->position + 3 * now, *y = recording->position + 3 * next;
  const double *q = recording->quaternion + 4 * now, *r = recording->quaternion + 4 * next;
  for (int k = 0; k < 3; k++)
    sample->position[k] = s == 0 ? x[k] : x[k] + s * (y[k] - x[k]);
  if (s == 0 || isnan(q[0]) || isnan(r[0]))
    for (int k = 0; k < 4; k++)
      sample->quaternion[k] = s == 0 ? q[k] : NAN;
  else
    interpolate_rotation(sample->quaternion, q, r, s);
}

// Lists the chosen axes along which a position was recorded, as a string like "xz".
static void seen_axes(const struct dc_follow_options *follow, const struct dc_follow_sample *sample, char axes[4])
{
  for (int k = 0; k < 3; k++)
    if (strchr(follow->axes, "xyz"[k]) && !isnan(sample->position[k]))
      *axes++ = "xyz"[k];
  *axes = '\0';
}

// Whether position, or rotation, of a sample counts.
static bool position_counts(const struct dc_follow_options *follow, const struct dc_follow_sample *sample)
{
  char axes[4];
  seen_axes(follow, sample, axes);
  return follow->weight > 0 && axes[0];
}

static bool rotation_counts(const struct dc_follow_options *follow, const struct dc_follow_sample *sample)
{
  return follow->rotation > 0 && !isnan(sample->quaternion[0]);
}

// Appends the samples of a frame.  *row is where the search in the recording starts; frames come in order, so
// that it only moves forward.  Points of soft bodies do not turn, and a recorded rotation of theirs does not
// count.
static void add_frame(struct dc_follow_options *follow, const struct dc_recording *recording, long frame,
                      const struct dc_model *model, int *row, struct dc_follow_sample *samples)
{
  static const double SAME_TIME = 1e-6;  // of a step
  double time_step = model->definition.time.step, time = (double)frame * time_step, near = SAME_TIME * time_step;
  while (*row + 1 < recording->rows && recording->time[*row + 1] <= time + near)
    ++*row;
  double past = time - recording->time[*row];
  bool exact = fabs(past) <= near;
  if (!exact && (past < 0 || *row + 1 == recording->rows))
    return;
  double part = exact ? 0 : past / (recording->time[*row + 1] - recording->time[*row]);
  int before = follow->sample_count;
  for (int b = 0; b < recording->body_count; b++) {
    struct dc_follow_sample *sample = &samples[follow->sample_count];
    *sample = (struct dc_follow_sample){.frame = (int)frame, .body = recording->bodies[b]};
    interpolate(recording, *row, part, b, sample);
    if (dc_support_of(&model->bodies, sample->body))
      sample->quaternion[0] = NAN;
    follow->sample_count += position_counts(follow, sample) || rotation_counts(follow, sample);
  }
  follow->frame_count += follow->sample_count > before;
}

// Lists the groups of residual rows: for each sample one of positions, one of rotations, as far as they count.
static enum dc_status add_groups(struct dc_follow_options *follow, struct dc_arena *arena, struct dc_error *error)
{
  struct dc_follow_group *groups = dc_arena_alloc(arena, 2 * (size_t)follow->sample_count, sizeof *groups);
  if (!groups)
    return dc_out_of_memory_for(error, "a recorded motion");
  follow->group_count = 0;
  for (int i = 0; i < follow->sample_count; i++) {
    if (position_counts(follow, &follow->samples[i]))
      groups[follow->group_count++] = (struct dc_follow_group){i, false};
    if (rotation_counts(follow, &follow->samples[i]))
      groups[follow->group_count++] = (struct dc_follow_group){i, true};
  }
  follow->groups = groups;
  return DC_OK;
}

// Makes the samples of the recording at the wanted frames, once, when the scene is read.  A recording without
// any frame that counts is refused, with its times.
static enum dc_status take_recording(void *options, const struct dc_recording *recording, const struct dc_model *model,
                                     struct dc_arena *arena, struct dc_error *error)
{
  struct dc_follow_options *follow = options;
  long last = model->definition.time.steps;
  if (follow->until >= 0 && follow->until < last)
    last = follow->until;
  size_t frames = (size_t)((last - follow->from) / follow->every + 1);
  struct dc_follow_sample *samples = dc_arena_alloc(arena, frames * (size_t)recording->body_count, sizeof *samples);
  if (!samples)
    return dc_out_of_memory_for(error, "a recorded motion");
  int row = 0;
  follow->sample_count = follow->frame_count = 0;
  for (long frame = follow->from; frame <= last && recording->rows > 0; frame += follow->every)
    add_frame(follow, recording, frame, model, &row, samples);
  follow->samples = samples;
  if (!follow->sample_count)
    return dc_fail(error, DC_BAD_INPUT, "file: must tell of a body at a frame that counts (its times are %g s to %g s)",
                   recording->rows ? recording->time[0] : 0,
                   recording->rows ? recording->time[recording->rows - 1] : 0);
  return add_groups(follow, arena, error);
}

// The value: a sum of squared differences.

// Differences of a body's pose from a sample: offset along the recorded axes, zero along others, and rotation vector.
static void difference(const struct dc_follow_options *follow, const struct dc_follow_sample *sample,
                       const struct dc_pose *pose, double offset[3], double turn[3])
{
  char axes[4];
  seen_axes(follow, sample, axes);
  dc_objective_offset(offset, pose->position, sample->position, axes);
  memset(turn, 0, 3 * sizeof *turn);
  if (!rotation_counts(follow, sample))
    return;
  double inverse[4], relative[4];
  dc_rotation_conjugate(inverse, sample->quaternion);
  dc_rotation_multiply(relative, pose->quaternion, inverse);
  dc_rotation_log(turn, relative);
}

static const struct dc_pose *pose_of(const struct dc_follow_sample *sample, const struct dc_trajectory *trajectory)
{
  return &trajectory->poses[(size_t)sample->frame * (size_t)trajectory->bodies + (size_t)sample->body];
}

// Adds by_offset and by_turn times the differences to the derivative by the body's pose.
static void add_derivative(const struct dc_follow_sample *sample, const struct dc_model *model,
                           const struct dc_trajectory *trajectory, double by_offset, const double *offset,
                           double by_turn, const double *turn, struct dc_loss_cotangent *cotangent)
{
  if (!cotangent || !dc_frame_moves(&model->bodies, sample->body))
    return;
  size_t slice = (size_t)(sample->frame - cotangent->first);
  double *wrench = cotangent->frames.wrenches[slice * (size_t)trajectory->bodies + (size_t)sample->body];
  dc_vec_add_scaled(wrench, wrench, by_turn, turn);
  dc_vec_add_scaled(wrench + 3, wrench + 3, by_offset, offset);
}

// Mean over the recorded frames: weight |offset|^2 + rotation |turn|^2 of every body from its sample.
static double evaluate(const void *options, const struct dc_model *model, const struct dc_rollout_input *input,
                       const struct dc_trajectory *trajectory, struct dc_loss_cotangent *cotangent)
{
  (void)input;
  const struct dc_follow_options *follow = options;
  double sum = 0;
  for (int i = 0; i < follow->sample_count; i++) {
    const struct dc_follow_sample *sample = &follow->samples[i];
    if (sample->frame > trajectory->steps)
      break;
    double offset[3], turn[3];
    difference(follow, sample, pose_of(sample, trajectory), offset, turn);
    sum += follow->weight * dc_vec_dot(offset, offset) + follow->rotation * dc_vec_dot(turn, turn);
    add_derivative(sample, model, trajectory, 2 * follow->weight / follow->frame_count, offset,
                   2 * follow->rotation / follow->frame_count, turn, cotangent);
    dc_trajectory_release(trajectory, sample->frame);
  }
  return follow->frame_count ? sum / follow->frame_count : 0;
}

// Residual rows.

static int row_groups(const void *options, const struct dc_model *model, const struct dc_trajectory *trajectory)
{
  (void)model;
  const struct dc_follow_options *follow = options;
  int count = follow->group_count;
  while (count > 0 && follow->samples[follow->groups[count - 1].sample].frame > trajectory->steps)
    count--;
  return count;
}

// The group `index`: offsets along the recorded axes, or the rotation vector.
static void row_group(const void *options, const struct dc_model *model, const struct dc_rollout_input *input,
                      const struct dc_trajectory *trajectory, int index, struct dc_residual_group *group, int *first,
                      int *last)
{
  (void)model, (void)input;
  const struct dc_follow_options *follow = options;
  bool rotation = follow->groups[index].rotation;
  const struct dc_follow_sample *sample = &follow->samples[follow->groups[index].sample];
  double offset[3], turn[3], *d = rotation ? turn : offset;
  char axes[4] = "xyz";
  difference(follow, sample, pose_of(sample, trajectory), offset, turn);
  if (!rotation)
    seen_axes(follow, sample, axes);
  dc_objective_squares(group, axes, d, (rotation ? follow->rotation : follow->weight) / follow->frame_count);
  *first = *last = sample->frame;
}

// The rows of a rotation have the derivative J_l(phi)^-1 by w.
static void row_pull_back(const void *options, const struct dc_model *model, const struct dc_rollout_input *input,
                          const struct dc_trajectory *trajectory, int index, const double *weights,
                          struct dc_loss_cotangent *cotangent)
{
  (void)input;
  const struct dc_follow_options *follow = options;
  bool rotation = follow->groups[index].rotation;
  const struct dc_follow_sample *sample = &follow->samples[follow->groups[index].sample];
  double offset[3], turn[3], inverse[9], direction[3];
  char axes[4];
  if (rotation) {
    difference(follow, sample, pose_of(sample, trajectory), offset, turn);
    dc_rotation_left_jacobian_inverse(inverse, turn);
    dc_mat_apply_transposed(direction, inverse, weights);
  } else {
    seen_axes(follow, sample, axes);
    dc_objective_scatter(axes, weights, direction);
  }
  add_derivative(sample, model, trajectory, !rotation, direction, rotation, direction, cotangent);
}

static const struct dc_objective_rows rows = {.count = row_groups, .group = row_group, .pull_back = row_pull_back};

// Reports the farthest position up to a frame.  It is reached when all are near and the recording is over, since the
// rest of it could still be missed.
static void report(const void *options, const struct dc_model *model, const struct dc_rollout_input *input,
                   const struct dc_trajectory *trajectory, int frame, int *body, double *distance, bool *reached)
{
  (void)model, (void)input;
  const struct dc_follow_options *follow = options;
  *body = -1, *distance = 0, *reached = true;
  for (int i = 0; i < follow->sample_count; i++) {
    const struct dc_follow_sample *sample = &follow->samples[i];
    double offset[3], turn[3];
    if (sample->frame > frame) {
      *reached = false;
      return;
    }
    difference(follow, sample, pose_of(sample, trajectory), offset, turn);
    *reached = *reached && dc_vec_norm(turn) <= follow->rotation_tolerance;
    if (!position_counts(follow, sample))
      continue;
    double away = dc_vec_norm(offset);
    *reached = *reached && away <= follow->tolerance;
    if (*body < 0 || !(away <= *distance))
      *body = sample->body, *distance = away;
  }
}

const struct dc_objective_type dc_objective_follow = {
    .name = "follow",
    .summary =
        "mean over frames of weight * |x - x_recorded|^2 + rotation * angle^2: bodies move as they were recorded",
    .reference = "least squares of system identification",
    .options = options_table,
    .options_size = sizeof(struct dc_follow_options),
    .check = check,
    .evaluate = evaluate,
    .rows = &rows,
    .report = report,
    .recorded = recorded,
    .take_recording = take_recording,
};
