// SPDX-License-Identifier: Apache-2.0
// Advice on a task before it is tried: what makes no sense, or cannot be reached whatever the optimizer does.
//
// Targets out of reach are found by bounds that are certain (advise_targets.c).  The rest are rules of thumb
// (docs/advice.md), which say what was probably meant and change nothing.  They look for tasks without control or
// tolerance, angles in degrees, quaternions in another order, gains that no step resolves, and gravity along another
// axis; for bodies that fall past everything, and horizons that see too little.
#include <math.h>
#include <stdio.h>
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

// Windows of so few steps or fewer see too little ahead for contact to pay.
enum { SHORTEST_WINDOW = 2 };

// A command line to try, with the command that was given (check or optimize) and its options.
static void try_it(const struct dc_task_site *site, struct dc_advice *advice, const struct dc_attempt *attempt)
{
  dc_advice_try(advice, site->command, site->handle, site->options, attempt);
}

// Whether any objective can be reached, which those that only weigh (effort, smoothness) cannot.
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

// Whether every body is to be where it is: such a scene is one to simulate, and needs no control.
static bool stays(const struct dc_scene *scene)
{
  for (int i = 0; i < scene->task.objective_count; i++) {
    const struct dc_objective *objective = &scene->task.objectives[i];
    double target[3], radius;
    int body;
    for (int k = 0; objective->type->mark && objective->type->mark(objective->options, k, &body, target, &radius); k++)
      if (body < 0 || dc_advice_distance(objective, scene->model.bodies.bodies[body].start.position, target) > radius)
        return false;
  }
  return true;
}

// Notes objectives that nothing can change: there is no parameter.  A control that would do is spelled out.
static void advise_control(struct dc_task_site *site)
{
  const struct dc_scene *scene = site->scene;
  if (!is_reachable(scene) || stays(scene) ||
      dc_task_parameter_count(&scene->task, &scene->model, dc_api_optimized_steps(scene)))
    return;
  const struct dc_body *body = find_drivable(&scene->model.bodies);
  struct dc_advice *advice = dc_advice_add(
      site->list, "no control", "there are objectives, but no control or design that could change the motion");
  size_t used = strlen(advice->says);
  if (body && body->pd)
    snprintf(advice->says + used, sizeof advice->says - used,
             ": \"control\": [{\"type\": \"pd_targets\", \"body\": \"%.80s\"}] drives it by its gains", body->name);
  else if (body)
    snprintf(
        advice->says + used, sizeof advice->says - used,
        ": \"control\": [{\"type\": \"initial_state\", \"body\": \"%.80s\", \"velocity\": \"xyz\"}] chooses how it "
        "starts",
        body->name);
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

// Notes an objective without a tolerance: it can be made smaller for ever and never counts as reached.  A
// design may want the most of something and is not asked.
static void advise_tolerance(struct dc_task_site *site)
{
  const struct dc_task *task = &site->scene->task;
  for (int i = 0; i < task->objective_count && task->design_count == 0; i++) {
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

// Notes bounds of angles beyond a turn and tolerances of orientations beyond half a turn: they were probably
// given in degrees.
static void advise_degrees(struct dc_task_site *site)
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
      if (!coordinates.items[c].angle || ((const struct dc_actuator_options *)control->options)->chosen ||
          !dc_advice_may_be_degrees(bound))
        continue;
      dc_advice_add(
          site->list, "degrees",
          "control[%d] bounds an angle of \"%.80s\" at %.4g rad, %.3g turns: in degrees that would be %.4g rad", i,
          scene->model.bodies.bodies[coordinates.items[c].body].name, bound, fabs(bound) / DC_ADVISE_ANGLE,
          bound * DC_ADVISE_ANGLE / 360);
      return;
    }
  }
  for (int i = 0; i < scene->task.objective_count; i++) {
    const struct dc_objective *objective = &scene->task.objectives[i];
    if (objective->type != &dc_objective_orientation)
      continue;
    const struct dc_orientation_options *orientation = objective->options;
    if (orientation->goal.tolerance < DC_ADVISE_ANGLE / 2 - 1e-5)
      continue;
    dc_advice_add(
        site->list, "degrees",
        "objective[%d]: every orientation is within its tolerance of %.3g rad; in degrees that would be %.3g rad", i,
        orientation->goal.tolerance, orientation->goal.tolerance * DC_ADVISE_ANGLE / 360);
    return;
  }
}

// (x, y, z, w) of no turn, or of one about z, read as (w, x, y, z): half a turn about an axis near z.
static bool looks_like_xyzw(const double q[4])
{
  return q[0] == 0 && q[1] == 0 && fabs(q[3]) > 0.7 && (q[2] != 0 || q[3] == 1);
}

// Notes rotations of objectives and of bodies that look like (x, y, z, w); the first one alone is told.
// A quaternion (0, 0, z, w) read in the order (w, x, y, z) has no real part, hence the half turn.
static void advise_quaternions(struct dc_task_site *site)
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
    dc_advice_add(
        site->list, "quaternion",
        "the rotation of \"%.80s\" is half a turn: quaternions are (w, x, y, z) here; if (x, y, z, w) was meant "
        "it is [%.6g, %.6g, %.6g, %.6g]",
        scene->model.bodies.bodies[i].name, q[3], q[0], q[1], q[2]);
    return;
  }
}

// All that is joined to the body, kg: by joints, or by the nodes of one soft body.
static double mechanism_mass(const struct dc_bodies *bodies, int body)
{
  double mass = 0;
  for (int i = 0; i < bodies->count; i++)
    mass += dc_bodies_are_joined(bodies, i, body) ? bodies->bodies[i].mass : 0;
  return mass;
}

// Notes gains that are rigid within a step, kp h^2 > DC_ADVISE_RIGID * inertia: the joint follows its target
// anyway, and Newton's method pays for the stiffness where it touches.  The inertia is that of the whole
// mechanism, m or m r^2.
static void advise_gains(struct dc_task_site *site)
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
      if (!(kp * h * h > DC_ADVISE_RIGID * inertia) || !(inertia > 0))
        continue;
      dc_advice_add(
          site->list, "stiff gains",
          "kp %.3g of \"%.80s\" is %.2g times what a step of %g s resolves, and Newton's method pays for it in "
          "contact: %.2g would hold as well",
          kp, body->name, kp * h * h / inertia, h, inertia * DC_ADVISE_FIRM / (h * h));
      return;
    }
  }
}

// Notes gravity that does not point down where no half-space lies in its direction: most likely y is up in the
// file that the scene came from.
static void advise_gravity(struct dc_task_site *site)
{
  const double *g = site->scene->definition.gravity;
  double size = dc_vec_norm(g);
  struct dc_attempt attempt = {0};
  if (!(size > 0) || -g[2] > 0.5 * size || !site->scene->model.bodies.nv)
    return;
  for (int i = 0; i < site->scene->model.bodies.count; i++) {
    const struct dc_body *body = &site->scene->model.bodies.bodies[i];
    double rotation[9];
    if (!dc_advice_half_space(body))
      continue;
    dc_rotation_matrix(rotation, body->start.quaternion);
    if (g[0] * rotation[2] + g[1] * rotation[5] + g[2] * rotation[8] < -0.5 * size)
      return;  // there is ground where gravity points to
  }
  struct dc_advice *advice = dc_advice_add(
      site->list, "gravity", "gravity (%g, %g, %g) m/s^2 points %s: z is up here, and no ground lies there", g[0], g[1],
      g[2], g[2] > 0.5 * size ? "upwards" : "sideways");
  dc_attempt_set(&attempt, "gravity=[0, 0, %.4g]", -size);
  if (strcmp(site->command, "check") == 0)
    try_it(site, advice, &attempt);
  site->decided = true;
}

// Whether something that the body may touch lies below it: in the column that its bounding sphere falls
// through.
// The column has the radius of both bounding spheres together; a body counts if its centre is no more than its radius
// above the falling one's.  Soft bodies and half-spaces always count.
static bool has_support(const struct dc_bodies *bodies, const struct dc_pose *poses, int body, const double down[3])
{
  for (int i = 0; i < bodies->count; i++) {
    const struct dc_body *other = &bodies->bodies[i];
    double way[3], side[3];
    bool soft = dc_frame_moves(bodies, i) && !dc_body_moves(other);
    if (i == body || dc_bodies_are_joined(bodies, i, body) || !(soft || dc_bodies_touch(bodies, body, i)))
      continue;
    if (soft || dc_advice_half_space(other))
      return true;
    dc_vec_sub(way, poses[i].position, poses[body].position);
    double below = dc_vec_dot(way, down);
    dc_vec_add_scaled(side, way, -below, down);
    if (below > -other->radius && dc_vec_norm(side) < other->radius + bodies->bodies[body].radius)
      return true;
  }
  return false;
}

// Whether nothing holds the body up: it is free, or the base of a mechanism (that of a robot on its feet) which slides
// along gravity and which no actuator or force acts on.
static bool floats(const struct dc_scene *scene, const struct dc_pose *poses, int body, const double down[3])
{
  const struct dc_body *own = &scene->model.bodies.bodies[body];
  bool floats = own->free;
  if (own->parent >= 0 || own->pd || dc_advice_is_driven(scene, body))
    return false;
  for (int p = 0; p < own->part_count; p++) {
    const struct dc_joint_part *part = &own->parts[p];
    double axis[3];
    dc_mat_apply(axis, poses[body].rotation, part->axis);
    floats = floats || (part->kind == DC_PART_SLIDE && fabs(dc_vec_dot(axis, down)) > 0.9 && isinf(part->range[0]) &&
                        isinf(part->range[1]) && !part->passive.given);
  }
  return floats;
}

// Whether something lies below the body or what hangs on it.
static bool any_support(const struct dc_bodies *bodies, const struct dc_pose *poses, int body, const double down[3])
{
  for (int i = 0; i < bodies->count; i++)
    if (dc_bodies_are_joined(bodies, i, body) && has_support(bodies, poses, i, down))
      return true;
  return false;
}

// A body that may touch this one and that a control moves, which may be brought under it; NULL: none.
static const char *catcher(const struct dc_scene *scene, int body)
{
  const struct dc_bodies *bodies = &scene->model.bodies;
  for (int i = 0; i < bodies->count; i++)
    if (i != body && dc_bodies_touch(bodies, body, i) && dc_task_drives(&scene->task, bodies, i))
      return bodies->bodies[i].name;
  return NULL;
}

// Notes a body at rest that nothing holds or supports and that falls by DC_ADVISE_FALLS times its size during the run.
static void advise_fall(struct dc_task_site *site)
{
  const struct dc_scene *scene = site->scene;
  const struct dc_bodies *bodies = &scene->model.bodies;
  double g = dc_vec_norm(scene->definition.gravity), time = dc_advice_duration(scene), down[3];
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
    if (!(body->radius > 0) || !floats(scene, poses, i, down) || dc_vec_norm(body->start.velocity) > 0 ||
        fall < DC_ADVISE_FALLS * 2 * body->radius || any_support(bodies, poses, i, down))
      continue;
    const char *hand = catcher(scene, i);
    dc_advice_add(site->list, "falls",
                  "nothing lies below \"%.80s\": it falls %.3g m in %g s%s%.80s%s; a fixed body of shape \"plane\" is a ground",
                  body->name, fall, time, hand ? " unless \"" : "", hand ? hand : "", hand ? "\" catches it" : "");
    break;
  }
  free(poses);
}

// Notes a receding horizon whose windows are shorter than the way to any contact; the longer one that is tried has 20
// steps.
static void advise_window(struct dc_task_site *site)
{
  const struct dc_scene *scene = site->scene;
  struct dc_attempt attempt = {0};
  if (!scene->horizon_given || scene->horizon.length > SHORTEST_WINDOW ||
      scene->definition.time.steps <= SHORTEST_WINDOW)
    return;
  struct dc_advice *advice =
      dc_advice_add(site->list, "short horizon", "windows of %ld step%s see %g s ahead: too little for contact to pay",
                    scene->horizon.length, dc_plural(scene->horizon.length),
                    (double)scene->horizon.length * scene->definition.time.step);
  dc_attempt_set(&attempt, "horizon.length=%.0f", fmin(20, (double)scene->definition.time.steps));
  try_it(site, advice, &attempt);
}

// Whether a body rubs on anything that it may touch; *unset: one of these has no coefficient of its own.
static bool rubs_on_something(const struct dc_model *model, int body, bool *unset)
{
  const struct dc_bodies *bodies = &model->bodies;
  *unset = false;
  for (int other = 0; other < bodies->count; other++) {
    bool soft = dc_soft_of(bodies, body) || dc_soft_of(bodies, other);  // these touch whatever has a surface
    bool solid = bodies->bodies[other].shape || dc_soft_of(bodies, other);
    if (other == body || !solid || !(soft || dc_bodies_touch(bodies, body, other)))
      continue;
    double given[2] = {dc_model_friction(model, body), dc_model_friction(model, other)};
    if (dc_bodies_pair_friction(bodies, body, other, given, NULL) > 0)
      return true;
    *unset = *unset || isnan(bodies->bodies[other].friction);
  }
  return false;
}

// Notes a body whose own friction acts nowhere, because a pair has the geometric mean of its two and nothing gives the
// others any.  Where all of the others are said to have none, as ice has, nothing is noted.
static void advise_idle_friction(struct dc_task_site *site)
{
  const struct dc_model *model = &site->scene->model;
  for (int i = 0; i < model->bodies.count; i++) {
    double friction = model->bodies.bodies[i].friction;
    bool unset;
    if (!(friction > 0) || rubs_on_something(model, i, &unset) || !unset)
      continue;
    struct dc_attempt attempt = {0};
    struct dc_advice *advice = dc_advice_add(
        site->list, "friction of one",
        "\"%.100s\" has a friction of %.3g, which acts nowhere: a pair has the geometric mean of its two, and nothing "
        "gives the bodies that it may touch any",
        model->bodies.bodies[i].name, friction);
    dc_attempt_set(&attempt, "contact.friction=%.3g", friction);
    try_it(site, advice, &attempt);
    return;
  }
}

// Each check tells at most one thing, as one mistake often shows in many places.  Returns whether one of them is
// certain, so that no run is worth its time.
bool dc_advise_task(const dcsim_scene *handle, const char *command, const dcsim_run_options *options,
                    struct dc_advice_list *list)
{
  struct dc_task_site site = {handle, handle->scene, command, options, list, false};
  if (handle->scene->refinement.given)
    return false;
  advise_gravity(&site);
  advise_control(&site);
  advise_idle_friction(&site);
  dc_advise_targets(&site);
  dc_advise_units(&site);
  dc_advise_amounts(&site);
  advise_tolerance(&site);
  advise_degrees(&site);
  advise_quaternions(&site);
  advise_gains(&site);
  advise_fall(&site);
  advise_window(&site);
  return site.decided;
}
