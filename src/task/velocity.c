// SPDX-License-Identifier: Apache-2.0
// Objective "velocity": bodies have a given velocity, or are slow, at the end or all the way,
//
//     f = weight * mean over t of sum max(|d_t|^2 - r^2, 0),   r = inside * tolerance, 0 without a tolerance,
//
// with the rows of d_t over the chosen axes
//     linear:   d_t = (x_{t+1} - x_t) / h - target,              x the centre of mass,
//     angular:  d_t = log(R_{t+1} R_t^T) / h - angular,          R the rotation of the body, world axes.
// By x_{t+1} the derivative of the linear rows is 1/h, and minus that by x_t.  With theta = log(R_{t+1} R_t^T), left
// turns of R_{t+1} and R_t change theta by J_l(theta)^-1 and -J_r(theta)^-1 = -J_l(theta)^-T per unit.
//
// A velocity without tolerance is a running cost; with one it is reached where |d_t| <= tolerance: at the last step,
// or, all the way, at all steps after frame `from` up to the end of the run.
#include <math.h>

#include "math/rotation.h"
#include "task/objective_parts.h"

static const struct dc_option options_table[] = {
    DC_BODY_OPTION(struct dc_velocity_options, body, "null", "name of the body whose velocity counts"),
    DC_BODY_LIST_OPTION(struct dc_velocity_options, bodies, "null", DC_OBJECTIVE_BODIES_MOST,
                        "names of several bodies, instead of body"),
    DC_VECTOR_OPTION(struct dc_velocity_options, target, "m/s", "null", 1e6,
                     "velocity of the centre of mass; default 0, or any where angular is given"),
    DC_VECTOR_OPTION(struct dc_velocity_options, angular, "rad/s", "null", 1e6,
                     "angular velocity in world axes; default: any"),
    {.name = "tolerance",
     .type = DC_REAL,
     .unit = "m/s or rad/s",
     .fallback = "null",
     .minimum = 0,
     .maximum = 1e6,
     .help = "difference that counts as reached; default: a cost, nothing to reach",
     .offset = offsetof(struct dc_velocity_options, tolerance)},
    DC_INSIDE_OPTION(struct dc_velocity_options, inside),
    DC_WEIGHT_OPTION(struct dc_velocity_options, weight, "s^2/m^2", "factor on the squared velocity"),
    DC_WHEN_OPTION(struct dc_velocity_options, when, "\"every\"",
                   "every: the mean over all steps; end: the last step counts"),
    DC_FROM_OPTION(struct dc_velocity_options, "with every: frame after which steps count"),
    DC_AXES_OPTION(struct dc_velocity_options, "\"xyz\""),
    DC_OPTIONS_END,
};

// One body, or those of a list: check() has seen that exactly one of both is given.
static int body_count(const struct dc_velocity_options *velocity)
{
  return velocity->bodies.count ? velocity->bodies.count : 1;
}

static int body_of(const struct dc_velocity_options *velocity, int i)
{
  return velocity->bodies.count ? velocity->bodies.indices[i] : velocity->body;
}

static bool has_angular(const struct dc_velocity_options *velocity)
{
  return !isnan(velocity->angular[0]);
}

// Without any target the linear velocity shall be zero; with an angular one alone it may be anything.
static bool has_linear(const struct dc_velocity_options *velocity)
{
  return !isnan(velocity->target[0]) || !has_angular(velocity);
}

// Vectors of rows per body and step: linear, angular, or both in this order.
static int kinds_of(const struct dc_velocity_options *velocity)
{
  return has_linear(velocity) + has_angular(velocity);
}

static bool is_angular(const struct dc_velocity_options *velocity, int kind)
{
  return kind == 1 || !has_linear(velocity);
}

static bool can_be_reached(const void *options)
{
  return ((const struct dc_velocity_options *)options)->tolerance > 0;  // false of NaN
}

// Angular velocities are those of rigid bodies; "from" needs frames behind it, within the run.
static enum dc_status check(const void *options, const struct dc_model *model, struct dc_error *error)
{
  const struct dc_velocity_options *velocity = options;
  const struct dc_bodies *bodies = &model->bodies;
  enum dc_status status = DC_OK;
  if ((velocity->body >= 0) == (velocity->bodies.count > 0))
    return dc_fail(error, DC_BAD_INPUT, "body: must be given, or bodies, and not both");
  if (velocity->bodies.count)
    status = dc_objective_check_bodies(&velocity->bodies, model, error);
  else if (velocity->body >= bodies->count)
    status = dc_fail(error, DC_BAD_INPUT, "body: must name a body");
  for (int i = 0; i < body_count(velocity) && has_angular(velocity) && !status; i++) {
    int body = body_of(velocity, i);
    if (dc_support_of(bodies, body) || dc_soft_of(bodies, body) || dc_cable_of(bodies, body))
      status = dc_fail(error, DC_BAD_INPUT, "angular: \"%s\" is not rigid and has no angular velocity",
                       bodies->bodies[body].name);
  }
  if (!status && velocity->from > 0 && velocity->when != DC_WHEN_EVERY)
    status = dc_fail(error, DC_BAD_INPUT, "from: needs \"when\": \"every\"");
  if (!status && velocity->from > 0 && velocity->from >= model->definition.time.steps)
    status = dc_fail(error, DC_BAD_INPUT, "from: must be < %ld, the number of time steps (is %ld)",
                     model->definition.time.steps, velocity->from);
  return status ? status : dc_objective_check_axes(velocity->axes, error);
}

// Steps that count, by the frames at their ends: none of a trajectory without steps.
static struct dc_frame_range steps_of(const struct dc_velocity_options *velocity,
                                      const struct dc_trajectory *trajectory)
{
  struct dc_frame_range frames = dc_objective_frames(velocity->when, trajectory);
  bool every = velocity->when == DC_WHEN_EVERY;
  if (trajectory->steps == 0 && trajectory->earlier > 0 && can_be_reached(velocity))
    return frames;  // one frame of a run, by the step before it
  frames.first = frames.first > 0 ? frames.first : 1;
  if (every && velocity->from > 0)
    frames.first = velocity->from < frames.last ? (int)velocity->from + 1 : frames.last + 1;
  frames.share = frames.last >= frames.first ? 1.0 / (frames.last - frames.first + 1) : 0;
  return frames;
}

// Frames of a trajectory that is part of a run may be negative: down to -earlier they are those before it.
static const struct dc_pose *pose_at(const struct dc_trajectory *trajectory, int frame, int body)
{
  return trajectory->poses + (ptrdiff_t)frame * trajectory->bodies + body;
}

// log(R_{t+1} R_t^T)
static void turn_of(const struct dc_trajectory *trajectory, int frame, int body, double turn[3])
{
  double inverse[4], relative[4];
  dc_rotation_conjugate(inverse, pose_at(trajectory, frame - 1, body)->quaternion);
  dc_rotation_multiply(relative, pose_at(trajectory, frame, body)->quaternion, inverse);
  dc_rotation_log(turn, relative);
}

// d of a kind for the step that ends at a frame, zero along axes that do not count.
static void difference(const struct dc_velocity_options *velocity, const struct dc_trajectory *trajectory, int frame,
                       int body, int kind, double d[3])
{
  bool angular = is_angular(velocity, kind);
  const double *wanted = angular ? velocity->angular : velocity->target;
  static const double zero[3];
  if (angular)
    turn_of(trajectory, frame, body, d);
  else
    dc_vec_sub(d, pose_at(trajectory, frame, body)->position, pose_at(trajectory, frame - 1, body)->position);
  dc_vec_scale(d, d, 1 / trajectory->time_step);
  dc_objective_offset(d, d, isnan(wanted[0]) ? zero : wanted, velocity->axes);
}

// max(|d|^2 - r^2, 0); NaN stays NaN
static double excess_of(const struct dc_velocity_options *velocity, const double d[3])
{
  double rim = velocity->tolerance > 0 ? dc_objective_rim(velocity->inside, velocity->tolerance) : 0;
  double excess = dc_vec_dot(d, d) - rim * rim;
  return excess <= 0 ? 0 : excess;
}

// Adds scale times turn to the torque on a body, about its centre; a wrench has its torque before its force.
static void add_turn(struct dc_loss_cotangent *cotangent, const struct dc_model *model,
                     const struct dc_trajectory *trajectory, int frame, int body, double scale, const double *turn)
{
  if (!dc_body_moves(&model->bodies.bodies[body]))
    return;
  size_t slice = (size_t)(frame - cotangent->first);
  double *wrench = cotangent->frames.wrenches[slice * (size_t)trajectory->bodies + (size_t)body];
  dc_vec_add_scaled(wrench, wrench, scale, turn);
}

// Adds the derivative of direction . d, direction being zero along axes that do not count.
static void add_derivative(const struct dc_velocity_options *velocity, const struct dc_model *model,
                           const struct dc_trajectory *trajectory, int frame, int body, int kind,
                           const double direction[3], struct dc_loss_cotangent *cotangent)
{
  double rate = 1 / trajectory->time_step, turn[3], inverse[9], moved[3];
  if (frame <= cotangent->first)
    return;
  if (!is_angular(velocity, kind)) {
    dc_objective_add(cotangent, model, trajectory, frame, body, rate, direction);
    dc_objective_add(cotangent, model, trajectory, frame - 1, body, -rate, direction);
    return;
  }
  turn_of(trajectory, frame, body, turn);
  dc_rotation_left_jacobian_inverse(inverse, turn);
  dc_mat_apply_transposed(moved, inverse, direction);
  add_turn(cotangent, model, trajectory, frame, body, rate, moved);
  dc_mat_apply(moved, inverse, direction);
  add_turn(cotangent, model, trajectory, frame - 1, body, -rate, moved);
}

// Loss: weight times the mean over the frames of the excess, summed over bodies and over linear and angular velocity.
// The excess max(|d|^2 - r^2, 0) of a difference d from the target is 0 within the tolerance.
static double evaluate(const void *options, const struct dc_model *model, const struct dc_rollout_input *input,
                       const struct dc_trajectory *trajectory, struct dc_loss_cotangent *cotangent)
{
  (void)input;
  const struct dc_velocity_options *velocity = options;
  struct dc_frame_range frames = steps_of(velocity, trajectory);
  double sum = 0;
  for (int frame = frames.first; frame <= frames.last; frame++) {
    for (int i = 0; i < body_count(velocity) * kinds_of(velocity); i++) {
      double d[3];
      int body = body_of(velocity, i / kinds_of(velocity)), kind = i % kinds_of(velocity);
      difference(velocity, trajectory, frame, body, kind, d);
      double excess = excess_of(velocity, d);
      sum += velocity->weight * excess;
      dc_vec_scale(d, d, 2 * velocity->weight * frames.share);
      if (cotangent && excess != 0)
        add_derivative(velocity, model, trajectory, frame, body, kind, d, cotangent);
    }
    dc_trajectory_release(trajectory, frame);
  }
  return frames.share * sum;
}

// A group for each step, body and kind of velocity, in this order.
static int row_groups(const void *options, const struct dc_model *model, const struct dc_trajectory *trajectory)
{
  (void)model;
  const struct dc_velocity_options *velocity = options;
  struct dc_frame_range frames = steps_of(velocity, trajectory);
  return (frames.last - frames.first + 1) * body_count(velocity) * kinds_of(velocity);
}

// Splits the index of a group into frame, body and kind.
static void place_of(const struct dc_velocity_options *velocity, const struct dc_trajectory *trajectory, int index,
                     int *frame, int *body, int *kind)
{
  struct dc_frame_range frames = steps_of(velocity, trajectory);
  int within = dc_objective_place(&frames, body_count(velocity) * kinds_of(velocity), index, frame);
  *body = body_of(velocity, within / kinds_of(velocity));
  *kind = within % kinds_of(velocity);
}

// Rows d_t.
static void row_group(const void *options, const struct dc_model *model, const struct dc_rollout_input *input,
                      const struct dc_trajectory *trajectory, int index, struct dc_residual_group *group, int *first,
                      int *last)
{
  (void)model, (void)input;
  const struct dc_velocity_options *velocity = options;
  struct dc_frame_range frames = steps_of(velocity, trajectory);
  int body, kind;
  double d[3], beyond[3];
  place_of(velocity, trajectory, index, last, &body, &kind);
  *first = *last - 1;
  difference(velocity, trajectory, *last, body, kind, d);
  double excess = excess_of(velocity, d);
  dc_vec_scale(beyond, d, excess != 0);
  dc_objective_group(group, velocity->axes, d, beyond);
  group->weight = frames.share * velocity->weight;
  group->value = group->weight * excess;
  group->radius = velocity->tolerance > 0 ? dc_objective_rim(velocity->inside, velocity->tolerance) : 0;
}

// Rows of a step are differences of two frames, so that both gain derivatives, of opposite signs.
static void row_pull_back(const void *options, const struct dc_model *model, const struct dc_rollout_input *input,
                          const struct dc_trajectory *trajectory, int index, const double *weights,
                          struct dc_loss_cotangent *cotangent)
{
  (void)input;
  const struct dc_velocity_options *velocity = options;
  int frame, body, kind;
  double direction[3];
  place_of(velocity, trajectory, index, &frame, &body, &kind);
  dc_objective_scatter(velocity->axes, weights, direction);
  add_derivative(velocity, model, trajectory, frame, body, kind, direction, cotangent);
}

static const struct dc_objective_rows rows = {.count = row_groups, .group = row_group, .pull_back = row_pull_back};

// The largest difference of a kind up to a frame.  All the way: of every step after `from`, and not before the run is
// over.  Frames before frame 0 are those of the run that the trajectory is a part of.
static struct dc_condition condition_of(const struct dc_velocity_options *velocity, const struct dc_model *model,
                                        const struct dc_trajectory *trajectory, int frame, int kind)
{
  bool angular = is_angular(velocity, kind), every = velocity->when == DC_WHEN_EVERY;
  struct dc_condition worst = {.name = angular ? "angular velocity" : "velocity",
                               .unit = angular ? "rad/s" : "m/s",
                               .body = body_of(velocity, 0),
                               .value = -1,
                               .allowed = velocity->tolerance,
                               .frame = frame};
  int first = every ? 1 + (int)velocity->from - trajectory->earlier : frame;
  for (int k = first; k <= frame; k++)
    for (int i = 0; i < body_count(velocity) && k + trajectory->earlier > 0; i++) {
      double d[3];
      difference(velocity, trajectory, k, body_of(velocity, i), kind, d);
      if (!(dc_vec_norm(d) <= worst.value)) {
        worst.value = dc_vec_norm(d);
        worst.body = body_of(velocity, i);
        worst.frame = k;
      }
    }
  bool over = !every || frame + trajectory->earlier >= model->definition.time.steps;
  if (worst.value < 0)  // there is no step yet
    worst.value = NAN;
  worst.holds = over && worst.value <= velocity->tolerance;
  return worst;
}

static int conditions(const void *options, const struct dc_model *model, const struct dc_rollout_input *input,
                      const struct dc_trajectory *trajectory, int frame,
                      struct dc_condition list[DC_CONDITIONS_MOST])
{
  (void)input;
  const struct dc_velocity_options *velocity = options;
  for (int kind = 0; kind < kinds_of(velocity); kind++)
    list[kind] = condition_of(velocity, model, trajectory, frame, kind);
  return kinds_of(velocity);
}

// The largest difference of both kinds decides; all conditions must hold.
static void report(const void *options, const struct dc_model *model, const struct dc_rollout_input *input,
                   const struct dc_trajectory *trajectory, int frame, int *body, double *distance, bool *reached)
{
  struct dc_condition list[DC_CONDITIONS_MOST];
  int count = conditions(options, model, input, trajectory, frame, list);
  *body = list[0].body, *distance = list[0].value, *reached = list[0].holds;
  for (int k = 1; k < count; k++) {
    *reached = *reached && list[k].holds;
    if (list[k].value > *distance)
      *body = list[k].body, *distance = list[k].value;
  }
}

const struct dc_objective_type dc_objective_velocity = {
    .name = "velocity",
    .summary = "weight * squared difference of the velocity of bodies, linear or angular, from a target",
    .reference = "a quadratic running cost of optimal control",
    .options = options_table,
    .options_size = sizeof(struct dc_velocity_options),
    .check = check,
    .evaluate = evaluate,
    .rows = &rows,
    .report = report,
    .conditions = conditions,
    .can_be_reached = can_be_reached,
};
