// SPDX-License-Identifier: Apache-2.0
// Targets that cannot be reached, whatever the optimizer does.  The bounds that decide are certain:
// * a body keeps the radius of its largest inscribed ball, about its centre of mass, away from what is fixed, however
//   it is turned (advise_inside);
// * a chain on a fixed base ends at most the sum of its links from there (dc_advice_chain_length);
// * a joint does not leave its range (advise_ranges);
// * a body is moved by controls at most at their speed or acceleration (advise_distance), and not at all where nothing
//   that moves may touch it (advise_meeting).
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "body/kinematics.h"
#include "commands/advise_task.h"
#include "commands/constants.h"
#include "math/rotation.h"
#include "math/vector.h"
#include "task/drives.h"
#include "task/pose.h"

// By how much a ball of this radius about a point overlaps a fixed body, m; <= 0: not at all.  For a half-space
// `out` is its normal, along which the ball leaves it by that much; for meshes it is zero.
// radius and point: of the world, m. Within a mesh the ball has to leave by the distance to the surface and its
// radius.
static double overlap_of(const struct dc_body *fixed, const double point[3], double radius, double out[3])
{
  double local[3], rotation[9], offset[3];
  dc_rotation_matrix(rotation, fixed->start.quaternion);
  dc_vec_sub(offset, point, fixed->start.position);
  dc_mat_apply_transposed(local, rotation, offset);
  for (int k = 0; k < 3; k++)
    out[k] = 0;
  if (dc_advice_half_space(fixed)) {
    for (int k = 0; k < 3; k++)
      out[k] = rotation[3 * k + 2];
    return radius - local[2] - fixed->center[2];
  }
  dc_vec_add(local, local, fixed->center);
  if (fixed->shape->mesh.triangle_count == 0)
    return -INFINITY;
  double distance = dc_advice_surface_distance(&fixed->shape->mesh, local);
  return dc_mesh_contains(&fixed->shape->mesh, local) ? radius + distance : radius - distance;
}

// Notes a target for the centre of mass that something fixed keeps the body from: its inscribed ball would
// overlap by more than the tolerance, wherever it is along axes that do not count.
static void advise_inside(struct dc_task_site *site, const struct dc_objective *objective, int body,
                          const double target[3], double tolerance)
{
  const struct dc_bodies *bodies = &site->scene->model.bodies;
  double radius = dc_advice_inscribed(&bodies->bodies[body]);
  for (int i = 0; i < bodies->count; i++) {
    const struct dc_body *fixed = &bodies->bodies[i];
    double out[3];
    if (dc_body_moves(fixed) || dc_frame_moves(bodies, i) || !dc_bodies_touch(bodies, body, i))
      continue;
    double overlap = overlap_of(fixed, target, radius, out), origin[3] = {0};
    bool counts = dc_advice_half_space(fixed) ? dc_advice_distance(objective, origin, out) > 1 - 1e-9
                                              : dc_advice_has_all_axes(objective);
    if (!(overlap > tolerance) || !counts)
      continue;
    struct dc_advice *advice = dc_advice_add(
        site->list, "target inside",
        "\"%.80s\" cannot come within %.3g m of its target (%.4g, %.4g, %.4g): there it is %.3g m inside \"%.80s\"",
        bodies->bodies[body].name, tolerance, target[0], target[1], target[2], overlap, fixed->name);
    size_t used = strlen(advice->says);
    if (dc_advice_half_space(fixed))
      snprintf(advice->says + used, sizeof advice->says - used, "; (%.4g, %.4g, %.4g) is free",
               target[0] + overlap * out[0], target[1] + overlap * out[1], target[2] + overlap * out[2]);
    else
      snprintf(advice->says + used, sizeof advice->says - used, "; move the target out of it");
    site->decided = true;
    return;
  }
}

// The largest speed (m/s) that controls give the body's own coordinates: each moves at most at the control's
// limit, so that n of them together move at sqrt(n) times it.  INFINITY where one has no limit or none controls
// it.
// Where the parent moves too, its motion adds to the body's own and there is no bound.
static double control_speed(const struct dc_scene *scene, int body)
{
  const struct dc_body *own = &scene->model.bodies.bodies[body];
  double fastest = INFINITY;
  int moving = 0;
  for (int p = 0; p < own->part_count; p++)
    moving += own->parts[p].kind == DC_PART_TRANSLATION || own->parts[p].kind == DC_PART_SLIDE;
  for (int i = 0; i < scene->task.control_count; i++) {
    const struct dc_control *control = &scene->task.controls[i];
    int option = dc_option_find(control->type->options, "body");
    if (option < 0 || *(const int *)((const char *)control->options + control->type->options[option].offset) != body)
      continue;
    if (!control->type->speed)
      return INFINITY;
    fastest = fmin(fastest, control->type->speed(control->options) * sqrt(own->free ? 3 : moving));
  }
  return own->parent < 0 || !dc_body_moves(&scene->model.bodies.bodies[own->parent]) ? fastest : INFINITY;
}

// The largest acceleration (m/s^2) of a free body with torque controls on it: forces of all axes together over
// its mass, and gravity.  INFINITY where something else drives it or may touch it.
// A limit holds for each axis, so that three of them together have at most sqrt(3) times the largest one.
static double control_acceleration(const struct dc_scene *scene, int body)
{
  const struct dc_bodies *bodies = &scene->model.bodies;
  double force = 0;
  if (!bodies->bodies[body].free)
    return INFINITY;
  for (int i = 0; i < bodies->count; i++)
    if (i != body && (dc_bodies_touch(bodies, body, i) || dc_bodies_are_joined(bodies, i, body)))
      return INFINITY;
  for (int i = 0; i < scene->task.control_count; i++) {
    const struct dc_torque_options *torque = scene->task.controls[i].options;
    if (scene->task.controls[i].type != &dc_control_torque || torque->held.actuator.body != body)
      return INFINITY;
    double most = 0;
    for (int k = 0; k < torque->limit.count; k++)
      most = fmax(most, torque->limit.values[k]);
    force += most * sqrt(3);
  }
  return force / bodies->bodies[body].mass + dc_vec_norm(scene->definition.gravity);
}

// A point of a body, or its centre: farther from the base of its chain than the chain reaches.
// far, length, tolerance: m. True: the advice is given. The relative margin of 1e-9 keeps a target at full stretch,
// which rounding may put outside, from being objected to.
static bool advise_reach(struct dc_task_site *site, const char *name, double far, double length, double tolerance)
{
  if (!(far - tolerance > length * (1 + 1e-9)))
    return false;
  dc_advice_add(
      site->list, "out of reach",
      "the target of \"%.80s\" is %.3g m from the base of its chain, which is %.3g m long: move the target or "
      "the base by %.3g m",
      name, far, length, far - tolerance - length);
  site->decided = true;
  return true;
}

// A point of a body on a fixed base: its chain is as much longer as the point is away from the centre of mass.
// With a design nothing is said: it may change the lengths of the chain.
static void advise_point(struct dc_task_site *site, const struct dc_objective *objective, const struct dc_pose *poses)
{
  const struct dc_point_options *point = objective->options;
  const struct dc_bodies *bodies = &site->scene->model.bodies;
  const struct dc_body *body = &bodies->bodies[point->body];
  double base[3], length = dc_advice_chain_length(bodies, poses, point->body, base);
  if (!site->scene->task.design_count)
    advise_reach(site, body->name, dc_advice_distance(objective, base, point->target),
                 length + dc_vec_distance(point->point, body->center), point->goal.tolerance);
}

// Targets of joints outside of their ranges.
// Targets stand in the order of the bodies and of their slides and hinges, which `n` counts. Numbers are in m or rad.
// Only the first one outside is named.
static void advise_ranges(struct dc_task_site *site, const struct dc_joints_options *joints)
{
  const struct dc_bodies *bodies = &site->scene->model.bodies;
  for (int i = 0, n = 0; i < joints->bodies.count && joints->target.count; i++) {
    const struct dc_body *body = &bodies->bodies[joints->bodies.indices[i]];
    for (int p = 0; p < body->part_count; p++) {
      const struct dc_joint_part *part = &body->parts[p];
      if (part->kind != DC_PART_SLIDE && part->kind != DC_PART_HINGE)
        continue;
      double target = joints->target.values[n++], tolerance = joints->goal.tolerance;
      if (target - tolerance <= part->range[1] && target + tolerance >= part->range[0])
        continue;
      dc_advice_add(
          site->list, "out of range",
          "the target %.4g of a joint of \"%.80s\" is outside of its range from %.4g to %.4g by %.3g: move the "
          "target or widen \"range\"",
          target, body->name, part->range[0], part->range[1], fmax(target - part->range[1], part->range[0] - target));
      site->decided = true;
      return;
    }
  }
}

// Notes a target that is farther than the body can come: than its chain reaches, than its largest acceleration
// a brings it in n steps of h, v t + a t (t + h) / 2, or than its controls' speed times the time.
static void advise_distance(struct dc_task_site *site, const struct dc_objective *objective,
                            const struct dc_pose *poses, int body, const double target[3], double tolerance)
{
  const struct dc_bodies *bodies = &site->scene->model.bodies;
  const char *name = bodies->bodies[body].name;
  double base[3], length = dc_advice_chain_length(bodies, poses, body, base), time = dc_advice_duration(site->scene);
  double way = dc_advice_distance(objective, poses[body].position, target) - tolerance,
         far = dc_advice_distance(objective, base, target) - tolerance, speed = control_speed(site->scene, body);
  if (site->scene->task.design_count)
    return;
  double rate = control_acceleration(site->scene, body), step = site->scene->definition.time.step;
  double most =
      dc_vec_norm(bodies->bodies[body].start.velocity) * time + 0.5 * rate * time * (time + step);  // in steps
  if (advise_reach(site, name, far + tolerance, length, tolerance))
    return;
  if (way > most) {
    dc_advice_add(
        site->list, "too far",
        "\"%.80s\" has %.3g m to go in %.3g s, but its torques and gravity accelerate it by at most %.3g m/s^2, "
        "which is enough for %.3g m: give it more time or a larger \"limit\"",
        name, way, time, rate, most);
    site->decided = true;
  } else if (way > speed * time) {
    dc_advice_add(
        site->list, "too far",
        "\"%.80s\" has %.3g m to go in %.3g s, but its control moves at most at %.3g m/s: give it %.2g s or a "
        "larger \"speed\"",
        name, way, time, speed, way / speed);
    site->decided = true;
  } else if (way > DC_ADVISE_FAST * time && !dc_advice_unit_system(site->scene)) {
    dc_advice_add(
        site->list, "too far",
        "\"%.80s\" has %.3g m to go in %.3g s, %.3g m/s on average: is its target given in millimetres, or the "
        "time too short?",
        name, way, time, way / time);
  }
}

// Notes an objective for a body that cannot move, or that nothing driven can meet.  False: it was noted, and
// nothing else has to be asked.
static bool advise_meeting(struct dc_task_site *site, int body)
{
  const struct dc_scene *scene = site->scene;
  const struct dc_bodies *bodies = &scene->model.bodies;
  bool met = dc_task_drives(&scene->task, &scene->model.bodies, body) || scene->task.design_count > 0 ||
             dc_advice_is_linked(scene, body);
  bool nodes = !dc_body_moves(&bodies->bodies[body]) && dc_frame_moves(bodies, body);
  for (int own = 0; own < bodies->count && !met; own++)
    for (int other = 0; other < bodies->count && !met && dc_bodies_are_joined(bodies, own, body); other++)
      met = !dc_bodies_are_joined(bodies, other, body) && dc_body_moves(&bodies->bodies[other]) &&
            dc_bodies_touch(bodies, own, other);
  if (nodes || (dc_body_moves(&bodies->bodies[body]) && met))
    return true;
  dc_advice_add(site->list, "out of reach", "\"%.100s\" has a target, but %s", bodies->bodies[body].name,
                dc_body_moves(&bodies->bodies[body]) ? "no control moves it, and no body that moves may touch it"
                                                     : "it is fixed: \"joint\" \"free\" would let it move");
  site->decided = true;
  return false;
}

// Looks at the places that bodies are to reach, one objective after the other, until something decides.
// Without a control and without a design nothing can be asked of bodies, and nothing is looked at. For each
// objective:
// 1. joints: whether the targets are in range, and whether controls bring anything near the first body;
// 2. axes: whether the joints above the body lead to the target at all;
// 3. each marked body: whether it can move, whether controls bring anything near it, whether a point's chain reaches;
// 4. places of centres of mass: whether something fixed is there, and whether they are too far away.
void dc_advise_targets(struct dc_task_site *site)
{
  const struct dc_scene *scene = site->scene;
  const struct dc_bodies *bodies = &scene->model.bodies;
  struct dc_pose *poses = dc_alloc((size_t)bodies->count, sizeof *poses);
  bool known = poses && scene->task.control_count + scene->task.design_count > 0;
  if (poses)
    dc_poses(bodies, bodies->initial_q, poses);
  for (int i = 0; i < scene->task.objective_count && known && !site->decided; i++) {
    const struct dc_objective *objective = &scene->task.objectives[i];
    double target[3], radius;
    int body;
    if (objective->type == &dc_objective_joints)
      advise_ranges(site, objective->options);
    if (objective->type == &dc_objective_joints && !site->decided)
      dc_advise_travel(site, poses, ((const struct dc_joints_options *)objective->options)->bodies.indices[0]);
    dc_advise_axes(site, objective, poses);
    for (int k = 0; objective->type->mark && objective->type->mark(objective->options, k, &body, target, &radius) &&
                    !site->decided;
         k++) {
      if (body < 0 || !advise_meeting(site, body))
        continue;
      dc_advise_travel(site, poses, body);
      bool placed = objective->type == &dc_objective_reach || objective->type == &dc_objective_pose;
      if (objective->type == &dc_objective_point)
        advise_point(site, objective, poses);
      bool centre = placed && !dc_soft_of(bodies, body) && !dc_support_of(bodies, body);
      if (centre)
        advise_inside(site, objective, body, target, radius);
      if (centre && dc_body_moves(&bodies->bodies[body]) && !site->decided)
        advise_distance(site, objective, poses, body, target, radius);
    }
  }
  free(poses);
}
