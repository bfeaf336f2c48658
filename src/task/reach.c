// SPDX-License-Identifier: Apache-2.0
// Objective "reach": the centre of mass x of a body comes within a tolerance of a target y,
//     f = weight * max(e, 0),   e = |x - y|^2 - tolerance^2,   df/dx = 2 weight (x - y) where e > 0, else 0,
// with |.| over the chosen axes.  The kink at e = 0 takes the derivative of the inside.
#include "task/task.h"

#include <math.h>
#include <string.h>

#include "math/vector.h"

static const char *const when_choices[] = {"end", "every", NULL};

static const struct dc_option options_table[] = {
    {.name = "body",
     .type = DC_BODY,
     .unit = "",
     .help = "name of the body that shall reach the target",
     .offset = offsetof(struct dc_reach_options, body)},
    {.name = "target",
     .type = DC_REALS,
     .unit = "m",
     .count = 3,
     .minimum = -1e6,
     .maximum = 1e6,
     .help = "point that the centre of mass shall reach",
     .offset = offsetof(struct dc_reach_options, target)},
    {.name = "tolerance",
     .type = DC_REAL,
     .unit = "m",
     .fallback = "0",
     .minimum = 0,
     .maximum = 1e6,
     .help = "distance that counts as reached",
     .offset = offsetof(struct dc_reach_options, tolerance)},
    {.name = "weight",
     .type = DC_REAL,
     .unit = "1/m^2",
     .fallback = "1",
     .minimum = 0,
     .maximum = 1e30,
     .help = "factor on the squared distance",
     .offset = offsetof(struct dc_reach_options, weight)},
    {.name = "when",
     .type = DC_CHOICE,
     .unit = "",
     .fallback = "\"end\"",
     .choices = when_choices,
     .help = "end: the last frame counts; every: the mean over all frames after the first",
     .offset = offsetof(struct dc_reach_options, when)},
    {.name = "axes",
     .type = DC_STRING,
     .unit = "",
     .fallback = "\"xyz\"",
     .help = "axes along which the distance counts, a subset of \"xyz\" such as \"xy\"",
     .offset = offsetof(struct dc_reach_options, axes)},
    DC_OPTIONS_END,
};

static enum dc_status check(const void *options, const struct dc_model *model, struct dc_error *error)
{
  const struct dc_reach_options *reach = options;
  const char *axes = reach->axes;
  if (reach->body < 0 || reach->body >= model->bodies.count)
    return dc_fail(error, DC_BAD_INPUT, "body: must name a body");
  bool valid = axes[0] != '\0';
  for (int i = 0; axes[i] && valid; i++)
    valid = strchr("xyz", axes[i]) && !strchr(axes + i + 1, axes[i]);
  if (!valid)
    return dc_fail(error, DC_BAD_INPUT, "axes: must be a non-empty subset of \"xyz\" (is \"%s\")", axes);
  return DC_OK;
}

static const double *center_of_mass(const struct dc_reach_options *reach, const struct dc_model *model,
                                    const struct dc_trajectory *trajectory, int frame)
{
  const struct dc_body *body = &model->bodies.bodies[reach->body];
  return body->q_offset < 0 ? body->position : trajectory->q + (size_t)frame * (size_t)trajectory->nq + body->q_offset;
}

// The offset [3] from the target along the axes that count and the squared distance.
static double offset_from_target(const struct dc_reach_options *reach, const double *position, double *offset)
{
  dc_vec_sub(offset, position, reach->target);
  for (int i = 0; i < 3; i++)
    if (!strchr(reach->axes, "xyz"[i]))
      offset[i] = 0;
  return dc_vec_dot(offset, offset);
}

// weight * max(e, 0); a NaN stays one.
static double frame_value(const struct dc_reach_options *reach, double squared_distance)
{
  double excess = squared_distance - reach->tolerance * reach->tolerance;
  return excess <= 0 ? 0 : reach->weight * excess;
}

static double evaluate(const void *options, const struct dc_model *model, const struct dc_trajectory *trajectory,
                       double *frames)
{
  const struct dc_reach_options *reach = options;
  int last = trajectory->steps, first = reach->when == DC_WHEN_EVERY && last > 0 ? 1 : last;
  double share = 1.0 / (last - first + 1), sum = 0;
  int v_offset = model->bodies.bodies[reach->body].v_offset;
  for (int frame = first; frame <= last; frame++) {
    double offset[3];
    double squared = offset_from_target(reach, center_of_mass(reach, model, trajectory, frame), offset);
    double value = frame_value(reach, squared);
    sum += value;
    if (frames && v_offset >= 0 && value != 0) {
      double *translation = frames + (size_t)frame * (size_t)trajectory->nv + v_offset + 3;
      dc_vec_add_scaled(translation, translation, 2 * reach->weight * share, offset);
    }
  }
  return share * sum;
}

static void report(const void *options, const struct dc_model *model, const struct dc_trajectory *trajectory, int *body,
                   double *distance, bool *reached)
{
  const struct dc_reach_options *reach = options;
  double offset[3];
  double squared = offset_from_target(reach, center_of_mass(reach, model, trajectory, trajectory->steps), offset);
  *body = reach->body;
  *distance = sqrt(squared);
  *reached = frame_value(reach, squared) == 0;
}

static bool mark(const void *options, int *body, double target[3], double *radius)
{
  const struct dc_reach_options *reach = options;
  *body = reach->body;
  dc_vec_copy(target, reach->target);
  *radius = reach->tolerance;
  return true;
}

const struct dc_objective_type dc_objective_reach = {
    .name = "reach",
    .summary = "weight * max(|x - target|^2 - tolerance^2, 0) of the centre of mass x of a body",
    .reference = "paper 000, A.6.2: the loss that measures progress in all benchmarks",
    .options = options_table,
    .options_size = sizeof(struct dc_reach_options),
    .check = check,
    .evaluate = evaluate,
    .report = report,
    .mark = mark,
};
