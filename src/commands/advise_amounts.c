// SPDX-License-Identifier: Apache-2.0
// Numbers of a task that are probably a mistake of size, and drives that are too weak.
//
// 1. Angles that objectives ask for, tolerances that hold where the body stands, weights of 0.
// 2. Two goals that exclude each other, or the start.
// 3. Forces that do not lift a weight, gains that move nothing within the run, actuators that hold what others shall
//    move.
// Thresholds are rules of thumb (docs/advice.md).
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "body/kinematics.h"
#include "commands/advise_task.h"
#include "commands/constants.h"
#include "math/rotation.h"
#include "math/vector.h"
#include "task/actuator_coordinates.h"
#include "task/drives.h"
#include "task/pose.h"

// Value of a real option of an objective; NAN: it has none of that name.
static double number_of(const struct dc_objective *objective, const char *name)
{
  int option = dc_option_find(objective->type->options, name);
  if (option < 0)
    return NAN;
  return *(const double *)((const char *)objective->options + objective->type->options[option].offset);
}

// Notes objectives none of which pulls: all weights are 0.
static void advise_weights(struct dc_task_site *site)
{
  const struct dc_task *task = &site->scene->task;
  int last = -1;
  for (int i = 0; i < task->objective_count; i++) {
    double weight = number_of(&task->objectives[i], "weight"),
           turn = number_of(&task->objectives[i], "rotation_weight");
    if (!(weight == 0 && !(turn > 0)))
      return;
    last = i;
  }
  if (last < 0)
    return;
  dc_advice_add(site->list, "no weight",
                "objective[%d], \"%s\", has a weight of 0: its loss is 0 wherever bodies are; "
                "\"weight\": 1 counts it",
                last, task->objectives[last].type->name);
  site->decided = true;
}

// Whether a control chooses how the body, or one that is joined to it, starts.
static bool starts_freely(const struct dc_scene *scene, int body)
{
  for (int i = 0; i < scene->task.control_count; i++) {
    const struct dc_control *control = &scene->task.controls[i];
    if (control->type == &dc_control_initial_state &&
        dc_bodies_are_joined(&scene->model.bodies, ((const struct dc_initial_state_options *)control->options)->body,
                             body))
      return true;
  }
  return false;
}

// Notes a velocity that is asked for at every step from the first one on, where the body has another at its start.
// Beyond the tolerance the difference would take more than DC_ADVISE_GRAVITY within a step, or, where nothing drives
// the body, more than twice gravity.
static void advise_first_step(struct dc_task_site *site)
{
  const struct dc_scene *scene = site->scene;
  double gravity = dc_vec_norm(scene->definition.gravity), step = scene->definition.time.step;
  for (int i = 0; i < scene->task.objective_count; i++) {
    const struct dc_velocity_options *velocity = scene->task.objectives[i].options;
    if (scene->task.objectives[i].type != &dc_objective_velocity || velocity->when != DC_WHEN_EVERY ||
        velocity->from > 0 || !(velocity->tolerance > 0) || isnan(velocity->target[0]) || velocity->body < 0)
      continue;
    const struct dc_body *body = &scene->model.bodies.bodies[velocity->body];
    double off = dc_advice_distance(&scene->task.objectives[i], body->start.velocity, velocity->target),
           most = body->free && !dc_advice_is_driven(scene, velocity->body) ? 2 * gravity : DC_ADVISE_GRAVITY;
    if (dc_soft_of(&scene->model.bodies, velocity->body) || starts_freely(scene, velocity->body) ||
        !(off - velocity->tolerance > most * step))
      continue;
    dc_advice_add(site->list, "from the start",
                  "objective[%d] wants its velocity of \"%.80s\" at every step, which begins %.3g m/s from it: "
                  "\"when\": \"end\" asks for it at the end, \"from\": %ld after that frame",
                  i, body->name, off, (scene->definition.time.steps + 1) / 2);
    site->decided = true;
    return;
  }
}

// Coordinates that "joints" asks for, one by one.
struct joint_goal {
  int body;
  const struct dc_joint_part *part;
  double target, now;  // m or rad
  bool turns;
};
// Goal number k of the objective; false: there are no more.
static bool joint_goal(const struct dc_bodies *bodies, const struct dc_joints_options *joints, int k,
                       struct joint_goal *goal)
{
  for (int i = 0, n = 0; i < joints->bodies.count && k < joints->target.count; i++) {
    const struct dc_body *body = &bodies->bodies[joints->bodies.indices[i]];
    for (int p = 0; p < body->part_count; p++) {
      const struct dc_joint_part *part = &body->parts[p];
      if (part->kind != DC_PART_SLIDE && part->kind != DC_PART_HINGE)
        continue;
      if (n++ < k)
        continue;
      *goal = (struct joint_goal){joints->bodies.indices[i], part, joints->target.values[k], bodies->initial_q[part->q],
                                  part->kind == DC_PART_HINGE};
      return true;
    }
  }
  return false;
}

// Notes an angle of a joint of more than a turn that is asked for, unless it begins there.
static void advise_angles(struct dc_task_site *site)
{
  const struct dc_scene *scene = site->scene;
  for (int i = 0; i < scene->task.objective_count; i++) {
    if (scene->task.objectives[i].type != &dc_objective_joints)
      continue;
    struct joint_goal goal;
    for (int k = 0; joint_goal(&scene->model.bodies, scene->task.objectives[i].options, k, &goal); k++) {
      if (!goal.turns || fabs(goal.target - goal.now) <= DC_ADVISE_ANGLE || !dc_advice_may_be_degrees(goal.target))
        continue;
      dc_advice_add(
          site->list, "degrees",
          "objective[%d] asks for an angle of \"%.80s\" of %.4g rad, %.3g turns: in degrees that would be %.4g "
          "rad",
          i, scene->model.bodies.bodies[goal.body].name, goal.target, fabs(goal.target) / DC_ADVISE_ANGLE,
          goal.target * DC_ADVISE_ANGLE / 360);
      return;
    }
  }
}

// How far the objective's body is from its target at the start, and the size within which a tolerance makes sense:
// the body's, or a radian.  False: it is not known, or the body is there but for a small part of that size.
static bool start_distance(const struct dc_scene *scene, const struct dc_objective *objective, double *distance,
                           double *size)
{
  const struct dc_bodies *bodies = &scene->model.bodies;
  double target[3], radius;
  int body;
  *distance = 0;
  *size = 1;
  if (objective->type == &dc_objective_joints) {
    struct joint_goal goal;
    for (int k = 0; joint_goal(bodies, objective->options, k, &goal); k++) {
      *distance = fmax(*distance, fabs(goal.target - goal.now));
      *size = goal.turns ? *size : INFINITY;  // lengths beside angles
    }
  } else if (objective->type == &dc_objective_orientation) {
    const struct dc_orientation_options *orientation = objective->options;
    double back[4], turn[4];
    dc_rotation_conjugate(back, bodies->bodies[orientation->body].start.quaternion);
    dc_rotation_multiply(turn, orientation->target, back);
    *distance = 2 * acos(fmin(1, fabs(turn[0])));
  } else if (objective->type == &dc_objective_reach &&
             objective->type->mark(objective->options, 0, &body, target, &radius)) {
    *size = body < 0 ? INFINITY : 2 * bodies->bodies[body].radius;
    *distance = body < 0 ? 0 : dc_advice_distance(objective, bodies->bodies[body].start.position, target);
  }
  return *distance > DC_ADVISE_MEANT * *size;
}

// Notes a tolerance larger than the body, or than a radian, that holds where the body stands although it is to go
// elsewhere.
static void advise_loose(struct dc_task_site *site)
{
  const struct dc_task *task = &site->scene->task;
  for (int i = 0; i < task->objective_count; i++) {
    const struct dc_objective *objective = &task->objectives[i];
    double tolerance = number_of(objective, "tolerance"), distance, size;
    if (objective->type == &dc_objective_upright && tolerance >= 2) {
      dc_advice_add(
          site->list, "loose tolerance",
          "objective[%d], \"upright\", holds whatever the body does: directions differ by 2 at most, its tolerance "
          "is %.3g; 0.3 is 17 degrees",
          i, tolerance);
      return;
    }
    if (objective->type == &dc_objective_orientation && tolerance >= DC_ADVISE_ANGLE / 2 - 1e-5)
      continue;  // told as degrees
    if (!dc_task_reachable(objective) || !start_distance(site->scene, objective, &distance, &size) ||
        !(tolerance >= distance) || !(tolerance > size))
      continue;
    const char *unit = dc_task_distance_unit(objective->type);
    dc_advice_add(
        site->list, "loose tolerance",
        "objective[%d], \"%s\", holds at the start, %.3g %s from its target: its tolerance is %.3g; is it in %s?", i,
        objective->type->name, distance, unit, tolerance, unit[0] == 'm' && !unit[1] ? "millimetres" : "degrees");
    return;
  }
}

// Notes two goals at the end of the run that no motion reaches both: of one body, at places that are farther apart than
// both tolerances, or of two bodies whose inscribed balls would overlap by more.
static void advise_contradiction(struct dc_task_site *site)
{
  const struct dc_task *task = &site->scene->task;
  const struct dc_bodies *bodies = &site->scene->model.bodies;
  for (int i = 0; i < task->objective_count; i++)
    for (int j = 0; j < i; j++) {
      const struct dc_objective *a = &task->objectives[i], *b = &task->objectives[j];
      double to[2][3], radius[2];
      int body[2];
      if (a->type != &dc_objective_reach || b->type != &dc_objective_reach ||
          !a->type->mark(a->options, 0, &body[0], to[0], &radius[0]) ||
          !b->type->mark(b->options, 0, &body[1], to[1], &radius[1]) || body[0] < 0 || body[1] < 0)
        continue;
      double apart = fmin(dc_advice_distance(a, to[0], to[1]), dc_advice_distance(b, to[0], to[1])),
             least = dc_advice_has_all_axes(a) && dc_advice_has_all_axes(b) && dc_bodies_touch(bodies, body[0], body[1])
                         ? dc_advice_inscribed(&bodies->bodies[body[0]]) + dc_advice_inscribed(&bodies->bodies[body[1]])
                         : 0;
      bool same = body[0] == body[1],
           against = same ? apart > radius[0] + radius[1] : least - apart > radius[0] + radius[1];
      if (!against || strcmp(((const struct dc_reach_options *)a->options)->axes,
                             ((const struct dc_reach_options *)b->options)->axes) != 0)
        continue;
      if (same)
        dc_advice_add(
            site->list, "contradiction",
            "objective[%d] and objective[%d] want \"%.80s\" at two places %.3g m apart: their tolerances are %.3g m "
            "together",
            j, i, bodies->bodies[body[0]].name, apart, radius[0] + radius[1]);
      else
        dc_advice_add(
            site->list, "contradiction",
            "objective[%d] and objective[%d] want \"%.60s\" and \"%.60s\" at places %.3g m apart: their surfaces "
            "would overlap, %.3g m is free",
            j, i, bodies->bodies[body[1]].name, bodies->bodies[body[0]].name, apart, least);
      site->decided = true;
      return;
    }
}

// The same of one coordinate of a joint.
static void advise_joint_contradiction(struct dc_task_site *site)
{
  const struct dc_task *task = &site->scene->task;
  const struct dc_bodies *bodies = &site->scene->model.bodies;
  struct joint_goal a, b;
  for (int i = 0; i < task->objective_count; i++)
    for (int j = 0; j < i; j++) {
      if (task->objectives[i].type != &dc_objective_joints || task->objectives[j].type != &dc_objective_joints)
        continue;
      double allowed = number_of(&task->objectives[i], "tolerance") + number_of(&task->objectives[j], "tolerance");
      for (int k = 0; joint_goal(bodies, task->objectives[i].options, k, &a); k++)
        for (int l = 0; joint_goal(bodies, task->objectives[j].options, l, &b); l++) {
          if (a.part != b.part || !(fabs(a.target - b.target) > allowed) || site->decided)
            continue;
          dc_advice_add(
              site->list, "contradiction",
              "objective[%d] and objective[%d] want a joint of \"%.80s\" at %.4g and %.4g: their tolerances are "
              "%.3g together",
              j, i, bodies->bodies[a.body].name, b.target, a.target, allowed);
          site->decided = true;
        }
    }
}

// Largest sum of forces (N) against gravity that torque controls have on a body alone; INFINITY: something else moves
// it, or a torque may tip it.  A force acts along an axis of the world, by the part of its limit along gravity.
static double lifting_force(const struct dc_scene *scene, int body)
{
  const struct dc_bodies *bodies = &scene->model.bodies;
  const double *gravity = scene->definition.gravity;
  double force = 0, g = dc_vec_norm(gravity);
  for (int i = 0; i < bodies->count; i++)
    if (dc_frame_moves(bodies, i) && !dc_bodies_are_joined(bodies, i, body))
      return INFINITY;
  for (int i = 0; i < scene->task.control_count; i++) {
    const struct dc_torque_options *torque = scene->task.controls[i].options;
    struct dc_actuator_coordinates coordinates;
    if (scene->task.controls[i].type != &dc_control_torque ||
        dc_joint_coordinates_parse(&coordinates, &torque->held.actuator, &scene->model, NULL))
      return INFINITY;
    for (int c = 0; c < coordinates.count; c++) {
      char text[16];
      const char *name = dc_actuator_coordinate_name(&coordinates.items[c], &scene->model, text);
      if (strlen(name) != 1 || !strchr("xyz", *name))
        return INFINITY;
      force += torque->limit.values[torque->limit.count == 1 ? 0 : c] * fabs(gravity[*name - 'x']) / g;
    }
  }
  return force;
}

// Notes a body that is to be lifted, from rest on the ground and with nothing beside it, by forces below its weight.
static void advise_lift(struct dc_task_site *site)
{
  const struct dc_scene *scene = site->scene;
  const struct dc_bodies *bodies = &scene->model.bodies;
  double g = dc_vec_norm(scene->definition.gravity), target[3], radius;
  for (int i = 0; i < scene->task.objective_count && g > 0; i++) {
    const struct dc_objective *objective = &scene->task.objectives[i];
    int body;
    if (objective->type != &dc_objective_reach ||
        !objective->type->mark(objective->options, 0, &body, target, &radius) || body < 0 ||
        !dc_advice_has_all_axes(objective))
      continue;
    const struct dc_body *own = &bodies->bodies[body];
    const struct dc_soft *soft = dc_soft_of(bodies, body);
    if (!(own->free || (soft && !soft->pin_count)) || own->buoyancy != 0 || dc_vec_norm(own->start.velocity) > 0)
      continue;
    double way[3], weight = g * (soft ? soft->density * soft->elastic.volume : own->mass);
    dc_vec_sub(way, target, own->start.position);
    double up = -dc_vec_dot(way, scene->definition.gravity) / g, force = lifting_force(scene, body);
    if (!(up > radius) || force >= weight)
      continue;
    dc_advice_add(
        site->list, "too weak",
        "\"%.80s\" is to be lifted by %.3g m and weighs %.3g N, but its forces are at most %.3g N upwards: a "
        "larger \"limit\" would lift it",
        own->name, up, weight, force);
    site->decided = true;
    return;
  }
}

static const double LEVEL = 1e-6;  // sine of a slide's slope that counts as none
static const double LIMPED = 2;    // times the force that brings a body past its target: it has to brake, too

// Whether body i is the given one or hangs on it.
static bool is_carried(const struct dc_bodies *bodies, int i, int body)
{
  while (i >= 0 && i != body)
    i = bodies->bodies[i].parent;
  return i == body;
}

// Anchor, m, and unit axis of a joint's part in the world.
static void place_part(const struct dc_joint_part *part, const struct dc_pose *pose, double anchor[3], double axis[3])
{
  dc_mat_apply(anchor, pose->rotation, part->anchor);
  dc_vec_add(anchor, anchor, pose->position);
  dc_mat_apply(axis, pose->rotation, part->axis);
}

// Inertia of what hangs on part p of the body's joint: mass, kg, or about the hinge's axis, kg m^2.
static double carried_inertia(const struct dc_bodies *bodies, const struct dc_pose *poses, int body, int p)
{
  const struct dc_joint_part *part = &bodies->bodies[body].parts[p];
  double anchor[3], axis[3], arm[3], sum = 0;
  place_part(part, &poses[body], anchor, axis);
  for (int i = 0; i < bodies->count; i++) {
    if (!is_carried(bodies, i, body))
      continue;
    dc_vec_sub(arm, poses[i].position, anchor);
    dc_vec_add_scaled(arm, arm, -dc_vec_dot(arm, axis), axis);
    sum += bodies->bodies[i].mass * (part->kind == DC_PART_SLIDE ? 1 : dc_vec_dot(arm, arm));
  }
  return sum;
}

// The largest force (N or N m) that the actuator or the torque controls of a body have on its coordinate k; INFINITY
// without a limit.
static double force_limit(const struct dc_scene *scene, int body, int k)
{
  const struct dc_body *own = &scene->model.bodies.bodies[body];
  double force = 0;
  for (int i = 0; i < scene->task.control_count; i++) {
    const struct dc_torque_options *torque = scene->task.controls[i].options;
    if (scene->task.controls[i].type == &dc_control_torque && torque->held.actuator.body == body)
      force += torque->limit.values[k < torque->limit.count ? k : 0];
  }
  if (force == 0)
    force = own->pd && own->pd->effort > 0 ? own->pd->effort : INFINITY;
  return isnan(own->limits.effort) ? force : fmin(force, own->limits.effort);
}

// Whether another drive may push the body.
static bool is_pushed(const struct dc_scene *scene, int body)
{
  const struct dc_bodies *bodies = &scene->model.bodies;
  for (int i = 0; i < bodies->count; i++)
    if (i != body && dc_bodies_touch(bodies, body, i) && dc_task_drives(&scene->task, bodies, i))
      return true;
  return false;
}

// Way (m) along a level slide of a body on a fixed base that objectives ask of it from rest, less their tolerance; 0:
// none, or another drive may help.
static double asked_way(const struct dc_scene *scene, const struct dc_pose *poses, int body,
                        const struct dc_joint_part *part)
{
  const struct dc_body *own = &scene->model.bodies.bodies[body];
  double axis[3], most = 0;
  dc_mat_apply(axis, poses[body].rotation, part->axis);
  if (part->kind != DC_PART_SLIDE || (own->parent >= 0 && dc_body_moves(&scene->model.bodies.bodies[own->parent])) ||
      fabs(dc_vec_dot(axis, scene->definition.gravity)) > LEVEL * dc_vec_norm(scene->definition.gravity) ||
      (own->start.joint_velocity && own->start.joint_velocity[part->v - own->v_offset] != 0) || is_pushed(scene, body))
    return 0;
  for (int i = 0; i < scene->task.objective_count; i++) {
    const struct dc_objective *objective = &scene->task.objectives[i];
    double target[3], radius, way[3];
    int goal;
    for (int k = 0;
         objective->type == &dc_objective_reach && objective->type->mark(objective->options, k, &goal, target, &radius);
         k++)
      if (goal == body) {
        dc_vec_sub(way, target, poses[body].position);
        dc_advice_counted(objective, way);
        most = fmax(most, fabs(dc_vec_dot(way, axis)) - radius);
      }
  }
  return most;
}

// Notes drives that go nowhere within the run of time T, over the inertia I that they carry.  Gains bring a joint less
// than DC_ADVISE_LIMP of the way to its target, kp T^2 / 2 + kd T; forces f move it, f T^2 / 2, by less than
// DC_ADVISE_MOVES of a radian or of its size, or a slide by less than the way to its body's target.
static void advise_limp(struct dc_task_site *site, const struct dc_pose *poses)
{
  const struct dc_scene *scene = site->scene;
  const struct dc_bodies *bodies = &scene->model.bodies;
  double time = dc_advice_duration(scene);
  for (int i = 0; i < bodies->count; i++) {
    const struct dc_body *body = &bodies->bodies[i];
    for (int p = 0; p < body->part_count && dc_advice_is_driven(scene, i); p++) {
      bool turns = body->parts[p].kind == DC_PART_HINGE;
      int k = body->parts[p].v - body->v_offset;
      double kp = body->pd ? dc_pd_kp(body->pd, k, turns) : 0, kd = body->pd ? dc_pd_kd(body->pd, k, turns) : 0;
      double inertia = carried_inertia(bodies, poses, i, p), size = turns ? 1 : 2 * body->radius,
             way = force_limit(scene, i, k) * time * time / (2 * inertia),
             follows = (kp * time * time / 2 + kd * time) / inertia,
             asked = asked_way(scene, poses, i, &body->parts[p]);
      if ((!turns && body->parts[p].kind != DC_PART_SLIDE) || !(inertia > 0))
        continue;
      if (way < DC_ADVISE_MOVES * size)
        dc_advice_add(site->list, "limp",
                      "the force of \"%.80s\" is at most %.3g %s, which moves it by %.2g %s in %.3g s", body->name,
                      force_limit(scene, i, k), turns ? "N m" : "N", way, turns ? "rad" : "m", time);
      else if (way < asked)
        dc_advice_add(
            site->list, "limp",
            "the force of \"%.80s\" is at most %.3g N, which moves it by %.2g m in %.3g s, of %.3g m to its target: "
            "%.2g N would",
            body->name, force_limit(scene, i, k), way, time, asked, LIMPED * 2 * asked * inertia / (time * time));
      else if (kp > 0 && follows < DC_ADVISE_LIMP)
        dc_advice_add(
            site->list, "limp",
            "kp %.3g of \"%.80s\" moves it by %.2g of the way to its target within the %.3g s of the run: %.2g "
            "would follow",
            kp, body->name, follows, time, DC_ADVISE_FOLLOWS * inertia / (time * time));
      else
        continue;
      return;
    }
  }
}

// The largest moment of gravity about a hinge, N m: that of all it carries, held level.  *hanging: the angle from where
// it would hang to where it is, rad.
static double gravity_moment(const struct dc_scene *scene, const struct dc_pose *poses, int body, int p, double *hanging)
{
  const struct dc_bodies *bodies = &scene->model.bodies;
  const struct dc_joint_part *part = &bodies->bodies[body].parts[p];
  double anchor[3], axis[3], arm[3], sum[3] = {0}, across[3], turned[3];
  place_part(part, &poses[body], anchor, axis);
  for (int i = 0; i < bodies->count; i++) {
    dc_vec_sub(arm, poses[i].position, anchor);
    dc_vec_add_scaled(sum, sum, is_carried(bodies, i, body) ? bodies->bodies[i].mass : 0, arm);
  }
  dc_vec_add_scaled(sum, sum, -dc_vec_dot(sum, axis), axis);
  dc_vec_cross(across, scene->definition.gravity, axis);
  dc_vec_cross(turned, scene->definition.gravity, sum);
  *hanging = atan2(dc_vec_dot(turned, axis), dc_vec_dot(scene->definition.gravity, sum));
  return dc_vec_norm(sum) * dc_vec_norm(across);
}

static const double UPRIGHT = 1e-6;  // rad: a hinge that is as near to half a turn from hanging counts as upright

// Whether a hinge ends higher than it begins, and more than DC_ADVISE_SWING_UP from hanging.  A hinge that stands
// upright falls to the side on which its target is.
static bool swings_up(const struct joint_goal *goal, double hanging)
{
  double way = goal->target - goal->now, from = fabs(hanging);
  double to = fabs((from > M_PI - UPRIGHT ? -copysign(from, way) : hanging) + way);
  return to >= DC_ADVISE_SWING_UP && to > from;
}

// Notes a hinge that has to swing up because its torque L does not hold what it carries, where implicit Euler takes
// more than DC_ADVISE_SWUNG of a swing's amplitude within the run: 1 - exp(-h w^2 T / 2), w^2 = moment of gravity /
// inertia.
static void advise_swing(struct dc_task_site *site, const struct dc_pose *poses)
{
  const struct dc_scene *scene = site->scene;
  const struct dc_bodies *bodies = &scene->model.bodies;
  const struct dc_time_settings *time = &scene->definition.time;
  struct joint_goal goal;
  for (int i = 0; i < scene->task.objective_count; i++)
    for (int n = 0; scene->task.objectives[i].type == &dc_objective_joints &&
                    joint_goal(bodies, scene->task.objectives[i].options, n, &goal);
         n++) {
      const struct dc_body *body = &bodies->bodies[goal.body];
      int p = (int)(goal.part - body->parts);
      double hanging, moment = gravity_moment(scene, poses, goal.body, p, &hanging);
      double inertia = carried_inertia(bodies, poses, goal.body, p);
      double limit = force_limit(scene, goal.body, goal.part->v - body->v_offset);
      double lost = 1 - exp(-time->step * moment / inertia * dc_advice_duration(scene) / 2);
      if (goal.part->kind != DC_PART_HINGE || body->pd || !dc_advice_is_driven(scene, goal.body) || !(limit < moment) ||
          !swings_up(&goal, hanging) || !(lost > DC_ADVISE_SWUNG) || time->integrator == DC_SECOND_ORDER ||
          bodies->soft_count)
        continue;
      struct dc_advice *advice =
          dc_advice_add(site->list, "damped swing",
                        "\"%.80s\" has to swing, as %.3g N m do not hold its %.3g N m up, and steps of %g s take %.0f %% of "
                        "a swing within the run; integrator second_order keeps it",
                        body->name, limit, moment, time->step, 100 * lost);
      struct dc_attempt attempt = {0};
      dc_attempt_set(&attempt, "time.integrator=second_order");
      dc_advice_try(advice, site->command, site->handle, site->options, &attempt);
      return;
    }
}

// Notes an actuator that no control drives and that holds a joint with a goal by more than DC_ADVISE_HELD times what
// all bodies weigh and their inertia takes: kp times the way and kd times its mean speed.
static void advise_held(struct dc_task_site *site)
{
  const struct dc_scene *scene = site->scene;
  const struct dc_bodies *bodies = &scene->model.bodies;
  double time = dc_advice_duration(scene), mass = 0;
  for (int i = 0; i < bodies->count; i++)
    mass += bodies->bodies[i].mass;
  for (int i = 0; i < scene->task.objective_count; i++) {
    struct joint_goal goal;
    for (int k = 0; scene->task.objectives[i].type == &dc_objective_joints &&
                    joint_goal(bodies, scene->task.objectives[i].options, k, &goal);
         k++) {
      const struct dc_body *body = &bodies->bodies[goal.body];
      if (!body->pd || dc_advice_is_driven(scene, goal.body))
        continue;
      double way = fabs(goal.target - goal.now), arm = goal.turns ? body->radius : 1,
             usual = mass * arm * (dc_vec_norm(scene->definition.gravity) + 4 * way * arm / (time * time)),
             rest = isnan(goal.part->target) ? goal.now : goal.part->target;
      int own = goal.part->v - body->v_offset;
      double force = dc_pd_kp(body->pd, own, goal.turns) * fabs(goal.target - rest) +
                     dc_pd_kd(body->pd, own, goal.turns) * way / time;
      if (body->pd->effort > 0)
        force = fmin(force, body->pd->effort);
      if (!(force > DC_ADVISE_HELD * usual))
        continue;
      dc_advice_add(site->list, "held",
                    "\"%.80s\" is held by its own actuator, which no control drives: on the way to its target it pulls "
                    "back with %.2g %s; smaller \"kp\" and \"kd\" in its \"pd\" let it go",
                    body->name, force, goal.turns ? "N m" : "N");
      return;
    }
  }
}

// The order is that of the head.  Without memory for poses only the check that needs them is left out.
void dc_advise_amounts(struct dc_task_site *site)
{
  const struct dc_bodies *bodies = &site->scene->model.bodies;
  struct dc_pose *poses = dc_alloc((size_t)bodies->count, sizeof *poses);
  advise_weights(site);
  advise_first_step(site);
  advise_angles(site);
  advise_loose(site);
  advise_contradiction(site);
  advise_joint_contradiction(site);
  advise_lift(site);
  if (poses) {
    dc_poses(bodies, bodies->initial_q, poses);
    advise_limp(site, poses);
    advise_swing(site, poses);
  }
  advise_held(site);
  free(poses);
}
