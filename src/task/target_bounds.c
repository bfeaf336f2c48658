// SPDX-License-Identifier: Apache-2.0
// Bounds of the targets of actuators, where a scene gives none.
//
// A search that knows no bounds sends hands to places where nothing is, at speeds of tens of m/s.  A target d from the
// start is of use within
//
//     |d| <= reach + lead                 of lengths: reach, from the body to the far side of the farthest body or goal,
//     |d| <= 2 pi + reach / r + lead      of angles without a range, r the body's radius: a wheel rolls so far,
//     low - lead <= q + d <= high + lead  of slides and hinges with a range,
//
// where a lead is how far a target must be ahead of the body.  The force kp lead holds the weight of all that moves and
// takes the body through its way in the time of the run, against kd; an effort_limit bounds it.  Bounds are a tenth
// wider than that, so that targets in there are not bent by them (task/clamp.h), and hold the first guess. Goals that
// are velocities or angles of joints add the way that a surface goes for them: a roller turns as often as the wheel
// that it drives has to. Pressures, muscles and lengths of cables stay without bounds.
#include "task/target_bounds.h"

#include <math.h>

#include "body/soft.h"
#include "math/vector.h"
#include "task/actuator_coordinates.h"
#include "task/drives.h"

static const double WIDER = 1.0 / 0.9;    // the inner nine tenths of bounds are the identity
static const double GUESS_WIDER = 1.25;   // than a first guess
static const double TURN = 6.283185307179586;

// The largest distance from a body to the far side of another one, or to a goal, m.
static double reach_of(const struct dc_task *task, const struct dc_bodies *bodies, int body)
{
  const double *from = bodies->bodies[body].start.position;
  double most = fmax(2 * bodies->bodies[body].radius, dc_task_goal_distance(task, bodies, from));
  for (int i = 0; i < bodies->count; i++)
    if (i != body && bodies->bodies[i].radius > 0)
      most = fmax(most, dc_vec_distance(bodies->bodies[i].start.position, from) + bodies->bodies[i].radius);
  return most;
}

static double radius_of(const struct dc_bodies *bodies, int body)
{
  return body < 0 ? 0 : bodies->bodies[body].radius;
}

// The largest way that the surface of a body goes in the time of the run for a goal of velocity or of joints, m.
static double way_of_goals(const struct dc_task *task, const struct dc_bodies *bodies, double duration)
{
  double most = 0;
  for (int i = 0; i < task->objective_count; i++) {
    const struct dc_objective *objective = &task->objectives[i];
    const struct dc_velocity_options *velocity = objective->options;
    const struct dc_joints_options *joints = objective->options;
    bool moves = objective->type == &dc_objective_velocity, turns = objective->type == &dc_objective_joints;
    const struct dc_index_list *named = moves ? &velocity->bodies : turns ? &joints->bodies : NULL;
    double radius = moves ? radius_of(bodies, velocity->body) : 0, angle = 0;
    for (int k = 0; named && k < named->count; k++)
      radius = fmax(radius, radius_of(bodies, named->indices[k]));
    for (int k = 0; turns && k < joints->target.count; k++)
      angle = fmax(angle, fabs(joints->target.values[k]));
    for (int k = 0; turns && k < joints->velocity.count; k++)
      angle = fmax(angle, fabs(joints->velocity.values[k]) * duration);
    if (moves && !isnan(velocity->angular[0]))
      angle = dc_vec_norm(velocity->angular) * duration;
    most = fmax(most, radius * angle);
    if (moves && !isnan(velocity->target[0]))
      most = fmax(most, dc_vec_norm(velocity->target) * duration);
  }
  return most;
}

// The weight of all that moves, N; of soft bodies, too.
static double weight_of(const struct dc_model *model)
{
  double mass = 0;
  for (int i = 0; i < model->bodies.count; i++) {
    const struct dc_soft *soft = dc_soft_of(&model->bodies, i);
    mass += soft ? soft->density * soft->elastic.volume : model->bodies.bodies[i].mass;
  }
  return mass * dc_vec_norm(model->definition.gravity);
}

// The part of a joint that a coordinate belongs to; NULL: the body is free.
static const struct dc_joint_part *part_of(const struct dc_body *body, int index)
{
  for (int p = 0; p < body->part_count && !body->free; p++) {
    int first = body->parts[p].v - body->v_offset;
    if (index >= first && index < first + dc_part_nv(&body->parts[p]))
      return &body->parts[p];
  }
  return NULL;
}

// The bounds of the head for one coordinate. The middle is that of the joint's range, or 0, and
//    lead = (weight of all that moves * arm + kd way/duration) / kp,
// arm 1 for lengths, the reach for angles; the force, kp lead, is at most the joint's effort.
static struct dc_clamp choose(const struct dc_task *task, const struct dc_model *model,
                              const struct dc_actuator_coordinate *coordinate)
{
  const struct dc_body *body = &model->bodies.bodies[coordinate->body];
  const struct dc_joint_part *part = part_of(body, coordinate->index);
  const struct dc_time_settings *time = &model->definition.time;
  double duration = time->step * (double)time->steps, reach = reach_of(task, &model->bodies, coordinate->body),
         goals = way_of_goals(task, &model->bodies, duration), arm = coordinate->angle ? reach : 1;
  double kp = dc_pd_kp(body->pd, coordinate->index, coordinate->angle), force = weight_of(model) * arm;
  bool scalar = part && (part->kind == DC_PART_SLIDE || part->kind == DC_PART_HINGE);
  double way = coordinate->angle ? TURN + (reach + goals) / fmax(body->radius, 1e-6 * reach) : reach + goals;
  double low = -way, high = way;
  if (scalar && isfinite(part->range[0]) && isfinite(part->range[1])) {
    low = part->range[0] - model->bodies.initial_q[part->q];
    high = part->range[1] - model->bodies.initial_q[part->q];
    way = high - low;
  }
  force += dc_pd_kd(body->pd, coordinate->index, coordinate->angle) * way / duration;
  if (scalar && body->limits.effort > 0)
    force = fmin(force, body->limits.effort);
  double lead = force / kp, middle = (low + high) / 2, half = WIDER * ((high - low) / 2 + lead);
  return (struct dc_clamp){middle - half, middle + half};
}

// The bounds of one control, wide enough for its first guess; they stay open where one coordinate has none.
static enum dc_status bound(const struct dc_task *task, const struct dc_model *model, struct dc_actuator_options *options,
                            struct dc_arena *arena, struct dc_error *error)
{
  struct dc_actuator_coordinates coordinates = dc_actuator_coordinates(options, model);
  const struct dc_body *body = &model->bodies.bodies[options->body];
  options->chosen = false;
  if (body->nv == 0 || !body->pd)
    return DC_OK;
  double *low = dc_arena_alloc(arena, (size_t)coordinates.count, sizeof *low);
  double *high = dc_arena_alloc(arena, (size_t)coordinates.count, sizeof *high);
  if (!low || !high)
    return dc_out_of_memory_for(error, "bounds of targets");
  for (int c = 0; c < coordinates.count; c++) {
    const struct dc_actuator_coordinate *coordinate = &coordinates.items[c];
    if (!(dc_pd_kp(body->pd, coordinate->index, coordinate->angle) > 0))
      return DC_OK;
    struct dc_clamp chosen = choose(task, model, coordinate);
    for (int i = c; i < options->initial.count; i += coordinates.count) {
      chosen.low = fmin(chosen.low, GUESS_WIDER * options->initial.values[i]);
      chosen.high = fmax(chosen.high, GUESS_WIDER * options->initial.values[i]);
    }
    low[c] = chosen.low, high[c] = chosen.high;
    if (!isfinite(low[c]) || !isfinite(high[c]) || !(low[c] < high[c]))
      return DC_OK;
  }
  options->low = (struct dc_real_list){coordinates.count, low};
  options->high = (struct dc_real_list){coordinates.count, high};
  options->chosen = true;
  return DC_OK;
}

enum dc_status dc_task_choose_bounds(struct dc_task *task, const struct dc_model *model, struct dc_arena *arena,
                                     struct dc_error *error)
{
  enum dc_status status = DC_OK;
  for (int i = 0; i < task->control_count && !status; i++) {
    struct dc_actuator_options *options = task->controls[i].options;
    if (task->controls[i].type == &dc_control_pd_targets && options->chosen)
      status = bound(task, model, options, arena, error);
  }
  return status;
}
