// SPDX-License-Identifier: Apache-2.0
// Advice on a task before it is tried: what makes no sense, or cannot be reached whatever the optimizer does.
//
// Bounds that decide are certain.  A body keeps the radius of its largest inscribed ball, about its centre of mass, away
// from what is fixed, however it is turned.  A chain on a fixed base ends at most the sum of its links from there.  A
// driven coordinate moves at most at its speed.  The rest are rules of thumb (docs/advice.md), which say what was
// probably meant and change nothing.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands/advice.h"
#include "body/kinematics.h"
#include "math/rotation.h"
#include "math/vector.h"
#include "task/actuator_coordinates.h"
#include "task/pose.h"
#include "task/drives.h"

static const double ANGLE_MOST = 2 * 3.14159265358979323846 + 1e-6;  // rad; a bound beyond it is probably in degrees
static const double RIGID = 1e5;     // kp h^2 over the inertia of a mechanism that one step cannot resolve
static const double FIRM = 100;      // the same, which holds as well
static const double FAST = 100;      // m/s: a mean speed to a target beyond it is probably a mistake of units
static const double FALLS = 20;      // sizes that a body falls within a run before it is told
enum { SHORTEST_WINDOW = 2 };        // steps

struct site {
  const dcsim_scene *handle;
  const struct dc_scene *scene;
  const char *command;
  const dcsim_run_options *options;
  struct dc_advice_list *list;
  bool decided;  // something here explains that the task is not reached
};

static void try_it(const struct site *site, struct dc_advice *advice, const struct dc_attempt *attempt)
{
  dc_advice_try(advice, site->command, site->handle, site->options, attempt);
}

static bool is_half_space(const struct dc_body *body)
{
  return body->shape->type && body->shape->type->half_space;
}

static double duration_of(const struct dc_scene *scene)
{
  return scene->definition.time.step * (double)scene->definition.time.steps;
}

static bool is_reachable(const struct dc_scene *scene)
{
  for (int i = 0; i < scene->task.objective_count; i++)
    if (dc_task_reachable(&scene->task.objectives[i]))
      return true;
  return false;
}

// The first body that could be driven: one with gains, else one that moves.
static const struct dc_body *find_drivable(const struct dc_bodies *bodies)
{
  const struct dc_body *found = NULL;
  for (int i = 0; i < bodies->count; i++) {
    if (bodies->bodies[i].pd)
      return &bodies->bodies[i];
    if (!found && bodies->bodies[i].free)
      found = &bodies->bodies[i];
  }
  return found;
}

// Distance over the axes that count.
static double distance_along(const struct dc_objective *objective, const double a[3], const double b[3])
{
  int option = dc_option_find(objective->type->options, "axes");
  const char *axes = option < 0 ? "xyz" : *(const char *const *)((const char *)objective->options +
                                                                 objective->type->options[option].offset);
  double square = 0;
  for (int k = 0; k < 3; k++)
    square += strchr(axes, "xyz"[k]) ? (a[k] - b[k]) * (a[k] - b[k]) : 0;
  return sqrt(square);
}

// Whether every body is to be where it is: such a scene is one to simulate.
static bool stays(const struct dc_scene *scene)
{
  for (int i = 0; i < scene->task.objective_count; i++) {
    const struct dc_objective *objective = &scene->task.objectives[i];
    double target[3], radius;
    int body;
    for (int k = 0; objective->type->mark && objective->type->mark(objective->options, k, &body, target, &radius); k++)
      if (body < 0 || distance_along(objective, scene->model.bodies.bodies[body].start.position, target) > radius)
        return false;
  }
  return true;
}

static void advise_control(struct site *site)
{
  const struct dc_scene *scene = site->scene;
  if (!is_reachable(scene) || stays(scene) || dc_task_parameter_count(&scene->task, &scene->model, dc_api_optimized_steps(scene)))
    return;
  const struct dc_body *body = find_drivable(&scene->model.bodies);
  struct dc_advice *advice = dc_advice_add(site->list, "no control",
                                           "there are objectives, but no control or design that could change the motion");
  size_t used = strlen(advice->says);
  if (body && body->pd)
    snprintf(advice->says + used, sizeof advice->says - used,
             ": \"control\": [{\"type\": \"pd_targets\", \"body\": \"%.80s\"}] drives it by its gains", body->name);
  else if (body)
    snprintf(advice->says + used, sizeof advice->says - used,
             ": \"control\": [{\"type\": \"initial_state\", \"body\": \"%.80s\", \"velocity\": \"xyz\"}] chooses how it "
             "starts", body->name);
  site->decided = true;
}

// Distances that are zero where everything inside counts, or for which no tolerance is needed.
static bool needs_tolerance(const struct dc_objective *objective)
{
  const struct dc_objective_type *type = objective->type;
  int option = dc_option_find(type->options, "tolerance");
  return type->report && option >= 0 && type != &dc_objective_region && type != &dc_objective_clearance &&
         type != &dc_objective_mass && type != &dc_objective_thickness;
}

static void advise_tolerance(struct site *site)
{
  const struct dc_task *task = &site->scene->task;
  for (int i = 0; i < task->objective_count && task->design_count == 0; i++) {  // a design may want the most of something
    const struct dc_objective_type *type = task->objectives[i].type;
    int option = dc_option_find(type->options, "tolerance");
    if (!needs_tolerance(&task->objectives[i]))
      continue;
    double tolerance = *(const double *)((const char *)task->objectives[i].options + type->options[option].offset);
    bool aimed = type != &dc_objective_velocity;
    if (type == &dc_objective_velocity) {
      const struct dc_velocity_options *velocity = task->objectives[i].options;
      aimed = !isnan(velocity->target[0]) || !isnan(velocity->angular[0]);
    }
    if (type == &dc_objective_pose)
      tolerance = fmin(tolerance, ((const struct dc_pose_options *)task->objectives[i].options)->rotation_tolerance);
    if (tolerance > 0 || !aimed)
      continue;
    const char *unit = type->options[option].unit;
    dc_advice_add(site->list, "no tolerance",
                  "objective[%d], \"%s\", has no tolerance: it never counts as reached and a search for it never ends; "
                  "\"tolerance\": %g (%s) would do",
                  i, type->name, strcmp(unit, "m") == 0 ? 0.01 : 0.05, unit);
    site->decided = true;
    return;
  }
}

// Radius of the ball about the centre of mass that the body certainly contains, m.
static double inscribed_radius(const struct dc_body *body)
{
  const struct dc_mesh *mesh = &body->shape->mesh;
  if (is_half_space(body) || mesh->triangle_count == 0 || !dc_mesh_contains(mesh, body->center))
    return 0;
  return dc_advice_surface_distance(mesh, body->center);
}

// By how much a ball about a point overlaps a fixed body, m, <= 0: not at all; out is the way that takes it off.
static double overlap_of(const struct dc_body *fixed, const double point[3], double radius, double out[3])
{
  double local[3], rotation[9], offset[3];
  dc_rotation_matrix(rotation, fixed->start.quaternion);
  dc_vec_sub(offset, point, fixed->start.position);
  dc_mat_apply_transposed(local, rotation, offset);
  for (int k = 0; k < 3; k++)
    out[k] = 0;
  if (is_half_space(fixed)) {
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

// The target of a mark, where all three axes of the objective count.
static bool has_all_axes(const struct dc_objective *objective)
{
  int option = dc_option_find(objective->type->options, "axes");
  return option < 0 || strlen(*(const char *const *)((const char *)objective->options +
                                                     objective->type->options[option].offset)) == 3;
}

// A place for the centre of mass of a body that something fixed keeps it from.
static void advise_inside(struct site *site, int body, const double target[3], double tolerance)
{
  const struct dc_bodies *bodies = &site->scene->model.bodies;
  double radius = inscribed_radius(&bodies->bodies[body]);
  for (int i = 0; i < bodies->count; i++) {
    const struct dc_body *fixed = &bodies->bodies[i];
    double out[3];
    if (dc_body_moves(fixed) || dc_frame_moves(bodies, i) || !dc_bodies_touch(bodies, body, i))
      continue;
    double overlap = overlap_of(fixed, target, radius, out);
    if (!(overlap > tolerance))
      continue;
    struct dc_advice *advice = dc_advice_add(
        site->list, "target inside",
        "\"%.80s\" cannot come within %.3g m of its target (%.4g, %.4g, %.4g): there it is %.3g m inside \"%.80s\"",
        bodies->bodies[body].name, tolerance, target[0], target[1], target[2], overlap, fixed->name);
    size_t used = strlen(advice->says);
    if (is_half_space(fixed))
      snprintf(advice->says + used, sizeof advice->says - used, "; (%.4g, %.4g, %.4g) is free",
               target[0] + overlap * out[0], target[1] + overlap * out[1], target[2] + overlap * out[2]);
    else
      snprintf(advice->says + used, sizeof advice->says - used, "; move the target out of it");
    site->decided = true;
    return;
  }
}

// The farthest that a chain on a fixed base brings a body's centre of mass from there: the sum of the ways from joint
// to joint, and the largest travel of its slides.  INFINITY where something is free.  base: of the first joint.
static double chain_length(const struct dc_bodies *bodies, const struct dc_pose *poses, int body, double base[3])
{
  double length = 0, next[3];
  dc_vec_copy(next, poses[body].position);
  for (int i = body; i >= 0 && dc_body_moves(&bodies->bodies[i]); i = bodies->bodies[i].parent)
    for (int p = bodies->bodies[i].part_count - 1; p >= 0; p--) {
      const struct dc_joint_part *part = &bodies->bodies[i].parts[p];
      double anchor[3];
      if (part->kind == DC_PART_TRANSLATION)
        return INFINITY;
      if (part->kind == DC_PART_SLIDE) {
        double q = bodies->initial_q[part->q];
        length += fmax(part->range[1] - q, q - part->range[0]);
        continue;
      }
      dc_mat_apply(anchor, poses[i].rotation, part->anchor);
      dc_vec_add(anchor, anchor, poses[i].position);
      length += dc_vec_distance(anchor, next);
      dc_vec_copy(next, anchor);
    }
  dc_vec_copy(base, next);
  return length;
}

// The largest speed that controls give the body's own coordinates; INFINITY where one has no limit or it has none.
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

// The largest acceleration, m/s^2, of a free body with torque controls on it: forces of all axes together over its mass,
// and gravity.  INFINITY where something else drives it or may touch it.
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
static bool advise_reach(struct site *site, const char *name, double far, double length, double tolerance)
{
  if (!(far - tolerance > length * (1 + 1e-9)))
    return false;
  dc_advice_add(site->list, "out of reach",
                "the target of \"%.80s\" is %.3g m from the base of its chain, which is %.3g m long: move the target or "
                "the base by %.3g m",
                name, far, length, far - tolerance - length);
  site->decided = true;
  return true;
}

// A point of a body on a fixed base: its chain is as much longer as the point is away from the centre of mass.
static void advise_point(struct site *site, const struct dc_objective *objective, const struct dc_pose *poses)
{
  const struct dc_point_options *point = objective->options;
  const struct dc_bodies *bodies = &site->scene->model.bodies;
  const struct dc_body *body = &bodies->bodies[point->body];
  double base[3], length = chain_length(bodies, poses, point->body, base);
  if (!site->scene->task.design_count)
    advise_reach(site, body->name, distance_along(objective, base, point->target),
                 length + dc_vec_distance(point->point, body->center), point->goal.tolerance);
}

// Targets of joints outside of their ranges.
static void advise_ranges(struct site *site, const struct dc_joints_options *joints)
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
      dc_advice_add(site->list, "out of range",
                    "the target %.4g of a joint of \"%.80s\" is outside of its range from %.4g to %.4g by %.3g: move the "
                    "target or widen \"range\"",
                    target, body->name, part->range[0], part->range[1],
                    fmax(target - part->range[1], part->range[0] - target));
      site->decided = true;
      return;
    }
  }
}

static void advise_distance(struct site *site, const struct dc_objective *objective, const struct dc_pose *poses,
                            int body, const double target[3], double tolerance)
{
  const struct dc_bodies *bodies = &site->scene->model.bodies;
  const char *name = bodies->bodies[body].name;
  double base[3], length = chain_length(bodies, poses, body, base), time = duration_of(site->scene);
  double way = distance_along(objective, poses[body].position, target) - tolerance,
         far = distance_along(objective, base, target) - tolerance, speed = control_speed(site->scene, body);
  if (site->scene->task.design_count)
    return;
  double rate = control_acceleration(site->scene, body), step = site->scene->definition.time.step;
  double most = dc_vec_norm(bodies->bodies[body].start.velocity) * time + 0.5 * rate * time * (time + step);  // in steps
  if (advise_reach(site, name, far + tolerance, length, tolerance))
    return;
  if (way > most) {
    dc_advice_add(site->list, "too far",
                  "\"%.80s\" has %.3g m to go in %.3g s, but its torques and gravity accelerate it by at most %.3g m/s^2, "
                  "which is enough for %.3g m: give it more time or a larger \"limit\"",
                  name, way, time, rate, most);
    site->decided = true;
  } else if (way > speed * time) {
    dc_advice_add(site->list, "too far",
                  "\"%.80s\" has %.3g m to go in %.3g s, but its control moves at most at %.3g m/s: give it %.2g s or a "
                  "larger \"speed\"",
                  name, way, time, speed, way / speed);
    site->decided = true;
  } else if (way > FAST * time) {
    dc_advice_add(site->list, "too far",
                  "\"%.80s\" has %.3g m to go in %.3g s, %.3g m/s on average: is its target given in millimetres, or the "
                  "time too short?",
                  name, way, time, way / time);
  }
}

// An objective for a body that cannot move, or that nothing driven can meet.
static bool advise_meeting(struct site *site, int body)
{
  const struct dc_scene *scene = site->scene;
  const struct dc_bodies *bodies = &scene->model.bodies;
  bool met = dc_task_drives(&scene->task, &scene->model.bodies, body) || scene->task.design_count > 0;
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

// Places that bodies are to reach.
static void advise_targets(struct site *site)
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
    for (int k = 0; objective->type->mark && objective->type->mark(objective->options, k, &body, target, &radius) &&
                    !site->decided;
         k++) {
      if (body < 0 || !advise_meeting(site, body))
        continue;
      bool placed = objective->type == &dc_objective_reach || objective->type == &dc_objective_pose;
      if (objective->type == &dc_objective_point)
        advise_point(site, objective, poses);
      bool centre = placed && !dc_soft_of(bodies, body) && !dc_support_of(bodies, body);
      if (centre && has_all_axes(objective))
        advise_inside(site, body, target, radius);
      if (centre && dc_body_moves(&bodies->bodies[body]) && !site->decided)
        advise_distance(site, objective, poses, body, target, radius);
    }
  }
  free(poses);
}

// Bounds and targets of angles beyond a turn.
static void advise_degrees(struct site *site)
{
  const struct dc_scene *scene = site->scene;
  for (int i = 0; i < scene->task.control_count; i++) {
    const struct dc_control *control = &scene->task.controls[i];
    int low = dc_option_find(control->type->options, "low"), high = dc_option_find(control->type->options, "high");
    if (low < 0 || high < 0 || dc_option_find(control->type->options, "body") != 0)
      continue;
    struct dc_actuator_coordinates coordinates = dc_actuator_coordinates(control->options, &scene->model);
    for (int c = 0; c < coordinates.count; c++) {
      const struct dc_clamp *bounds = &coordinates.items[c].bounds;
      double bound = isfinite(bounds->high) && bounds->high > -bounds->low ? bounds->high : bounds->low;
      if (!coordinates.items[c].angle || !isfinite(bound) || fabs(bound) <= ANGLE_MOST)
        continue;
      dc_advice_add(site->list, "degrees",
                    "control[%d] bounds an angle of \"%.80s\" at %.4g rad, %.3g turns: in degrees that would be %.4g rad",
                    i, scene->model.bodies.bodies[coordinates.items[c].body].name, bound, fabs(bound) / ANGLE_MOST,
                    bound * ANGLE_MOST / 360);
      return;
    }
  }
  for (int i = 0; i < scene->task.objective_count; i++) {
    const struct dc_objective *objective = &scene->task.objectives[i];
    if (objective->type != &dc_objective_orientation)
      continue;
    const struct dc_orientation_options *orientation = objective->options;
    if (orientation->goal.tolerance < ANGLE_MOST / 2 - 1e-5)
      continue;
    dc_advice_add(site->list, "degrees",
                  "objective[%d]: every orientation is within its tolerance of %.3g rad; in degrees that would be %.3g rad",
                  i, orientation->goal.tolerance, orientation->goal.tolerance * ANGLE_MOST / 360);
    return;
  }
}

// (x, y, z, w) of no turn, or of one about z, read as (w, x, y, z): half a turn about an axis near z.
static bool looks_like_xyzw(const double q[4])
{
  return q[0] == 0 && q[1] == 0 && fabs(q[3]) > 0.7 && (q[2] != 0 || q[3] == 1);
}

static void advise_quaternions(struct site *site)
{
  const struct dc_scene *scene = site->scene;
  for (int i = 0; i < scene->task.objective_count; i++) {
    const struct dc_objective *objective = &scene->task.objectives[i];
    bool pose = objective->type == &dc_objective_pose;
    if (!pose && objective->type != &dc_objective_orientation)
      continue;
    const double *q = pose ? ((const struct dc_pose_options *)objective->options)->rotation
                           : ((const struct dc_orientation_options *)objective->options)->target;
    if (!looks_like_xyzw(q))
      continue;
    dc_advice_add(site->list, "quaternion",
                  "objective[%d].%s is half a turn: quaternions are (w, x, y, z) here; if (x, y, z, w) was meant it is "
                  "[%.6g, %.6g, %.6g, %.6g]",
                  i, pose ? "rotation" : "target", q[3], q[0], q[1], q[2]);
    return;
  }
  for (int i = 0; i < scene->definition.body_count; i++) {
    const double *q = scene->bodies[i].rotation;
    if (!looks_like_xyzw(q))
      continue;
    dc_advice_add(site->list, "quaternion",
                  "the rotation of \"%.80s\" is half a turn: quaternions are (w, x, y, z) here; if (x, y, z, w) was meant "
                  "it is [%.6g, %.6g, %.6g, %.6g]",
                  scene->model.bodies.bodies[i].name, q[3], q[0], q[1], q[2]);
    return;
  }
}

static double mechanism_mass(const struct dc_bodies *bodies, int body)
{
  double mass = 0;
  for (int i = 0; i < bodies->count; i++)
    mass += dc_bodies_are_joined(bodies, i, body) ? bodies->bodies[i].mass : 0;
  return mass;
}

// Gains that are rigid within a step: the joint follows its target anyway, and Newton's method pays where it touches.
static void advise_gains(struct site *site)
{
  const struct dc_scene *scene = site->scene;
  const struct dc_bodies *bodies = &scene->model.bodies;
  double h = scene->definition.time.step;
  for (int i = 0; i < bodies->count; i++) {
    const struct dc_body *body = &bodies->bodies[i];
    for (int p = 0; p < body->part_count && body->pd && body->radius > 0; p++) {
      bool turns = body->parts[p].kind == DC_PART_BALL || body->parts[p].kind == DC_PART_HINGE;
      double kp = dc_pd_kp(body->pd, body->parts[p].v - body->v_offset, turns);
      double inertia = mechanism_mass(bodies, i) * (turns ? body->radius * body->radius : 1);
      if (!(kp * h * h > RIGID * inertia) || !(inertia > 0))
        continue;
      dc_advice_add(site->list, "stiff gains",
                    "kp %.3g of \"%.80s\" is %.2g times what a step of %g s resolves, and Newton's method pays for it in "
                    "contact: %.2g would hold as well",
                    kp, body->name, kp * h * h / inertia, h, inertia * FIRM / (h * h));
      return;
    }
  }
}

static void advise_gravity(struct site *site)
{
  const double *g = site->scene->definition.gravity;
  double size = dc_vec_norm(g);
  struct dc_attempt attempt = {0};
  if (!(size > 0) || -g[2] > 0.5 * size || !site->scene->model.bodies.nv)
    return;
  for (int i = 0; i < site->scene->model.bodies.count; i++) {
    const struct dc_body *body = &site->scene->model.bodies.bodies[i];
    double rotation[9];
    if (!is_half_space(body))
      continue;
    dc_rotation_matrix(rotation, body->start.quaternion);
    if (g[0] * rotation[2] + g[1] * rotation[5] + g[2] * rotation[8] < -0.5 * size)
      return;  // there is ground where gravity points to
  }
  struct dc_advice *advice =
      dc_advice_add(site->list, "gravity", "gravity (%g, %g, %g) m/s^2 points %s: z is up here, and no ground lies there",
                    g[0], g[1], g[2], g[2] > 0.5 * size ? "upwards" : "sideways");
  dc_attempt_set(&attempt, "gravity=[0, 0, %.4g]", -size);
  if (strcmp(site->command, "check") == 0)
    try_it(site, advice, &attempt);
  site->decided = true;
}

// Whether something that the body may touch lies below it: in the column that its sphere falls through.
static bool has_support(const struct dc_bodies *bodies, const struct dc_pose *poses, int body, const double down[3])
{
  for (int i = 0; i < bodies->count; i++) {
    const struct dc_body *other = &bodies->bodies[i];
    double way[3], side[3];
    bool soft = dc_frame_moves(bodies, i) && !dc_body_moves(other);
    if (i == body || !(soft || dc_bodies_touch(bodies, body, i)))
      continue;
    if (soft || is_half_space(other))
      return true;
    dc_vec_sub(way, poses[i].position, poses[body].position);
    double below = dc_vec_dot(way, down);
    dc_vec_add_scaled(side, way, -below, down);
    if (below > -other->radius && dc_vec_norm(side) < other->radius + bodies->bodies[body].radius)
      return true;
  }
  return false;
}

static void advise_fall(struct site *site)
{
  const struct dc_scene *scene = site->scene;
  const struct dc_bodies *bodies = &scene->model.bodies;
  double g = dc_vec_norm(scene->definition.gravity), time = duration_of(scene), down[3];
  struct dc_pose *poses = dc_alloc((size_t)bodies->count, sizeof *poses);
  if (!poses || !(g > 0)) {
    free(poses);
    return;
  }
  dc_poses(bodies, bodies->initial_q, poses);
  dc_vec_scale(down, scene->definition.gravity, 1 / g);
  for (int i = 0; i < bodies->count; i++) {
    const struct dc_body *body = &bodies->bodies[i];
    double fall = 0.5 * g * time * time;
    if (!body->free || !(body->radius > 0) || dc_advice_is_held(scene, i) || dc_vec_norm(body->start.velocity) > 0 ||
        fall < FALLS * 2 * body->radius || has_support(bodies, poses, i, down))
      continue;
    dc_advice_add(site->list, "falls",
                  "nothing lies below \"%.80s\": it falls %.3g m in %g s; a fixed body of shape \"plane\" is a ground",
                  body->name, fall, time);
    break;
  }
  free(poses);
}

static void advise_window(struct site *site)
{
  const struct dc_scene *scene = site->scene;
  struct dc_attempt attempt = {0};
  if (!scene->horizon_given || scene->horizon.length > SHORTEST_WINDOW || scene->definition.time.steps <= SHORTEST_WINDOW)
    return;
  struct dc_advice *advice = dc_advice_add(site->list, "short horizon",
                                           "windows of %ld step%s see %g s ahead: too little for contact to pay",
                                           scene->horizon.length, dc_plural(scene->horizon.length),
                                           (double)scene->horizon.length * scene->definition.time.step);
  dc_attempt_set(&attempt, "horizon.length=%.0f", fmin(20, (double)scene->definition.time.steps));
  try_it(site, advice, &attempt);
}

bool dc_advise_task(const dcsim_scene *handle, const char *command, const dcsim_run_options *options,
                    struct dc_advice_list *list)
{
  struct site site = {handle, handle->scene, command, options, list, false};
  if (handle->scene->refinement.given)
    return false;
  advise_gravity(&site);
  advise_control(&site);
  advise_targets(&site);
  advise_tolerance(&site);
  advise_degrees(&site);
  advise_quaternions(&site);
  advise_gains(&site);
  advise_fall(&site);
  advise_window(&site);
  return site.decided;
}
