// SPDX-License-Identifier: Apache-2.0
// Bodies with a goal that nothing driven comes near, because arms are too short or controls are bounded too narrowly.
//
// A point of an arm on a fixed base is at most the sum of its links and of the ball about its last one from there
// (dc_advice_chain_length); that is compared with the distance of the base from the surface of the body.
//
// A control bounds the displacement d of each target: by low and high, or by its speed times the time of the run.  With
// targets |y| <= d a drive of kp, kd and inertia m, at rest at 0, stays within
//     |x| <= d integral |g| = d for z >= 1, else d coth(pi z / (2 sqrt(1 - z^2))),   z = kd / (2 sqrt(kp m)),
// g its impulse response: targets that change in time with it make it swing.  Target rates that are fed to kd, too, add
// the response of kd s/(m s^2 + kd s + kp), whose integral is at most twice that.  It hangs below by its weight over
// kp; an angle d moves a point of a mechanism by at most d times the mechanism's size.  The sum of all is compared with
// the distance of two bodies, or of the surface of one from the ball about the other where one has no convex parts.
// Nothing is said where something moves that is not driven in all its coordinates, where the body with the goal does
// not rest, or where a coupling, tendon or tie leads to its mechanism.
#include <math.h>

#include "body/kinematics.h"
#include "commands/advise_task.h"
#include "math/vector.h"
#include "task/actuator_coordinates.h"
#include "task/clearance.h"
#include "task/drives.h"

static const double FED = 3;        // times as far, where the rate of a target is fed, too
static const double PI = 3.141592653589793;
static const double SHORT = 0.01;    // of the body's size that an arm has to fall short by
static const double ACROSS = 1e-3;  // sine of an angle below which a joint counts as level

// Walked from the body to its base. A hinge or a ball keeps the distance between its anchor and the next one
// outwards, so that the triangle inequality bounds the sum.
double dc_advice_chain_length(const struct dc_bodies *bodies, const struct dc_pose *poses, int body, double base[3])
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

// Size of a mechanism: of the balls about its bodies, in a row, m.
static double mechanism_size(const struct dc_bodies *bodies, int body)
{
  double size = 0;
  for (int i = 0; i < bodies->count; i++)
    size += dc_bodies_are_joined(bodies, i, body) ? 2 * bodies->bodies[i].radius : 0;
  return size;
}

// How far a drive moves of what its target does, at most: the head's integral, for the inertia of all of its mechanism;
// fed: the target's rate is fed to kd.
static double passes(const struct dc_scene *scene, const struct dc_actuator_coordinate *coordinate, double arm, bool fed)
{
  const struct dc_bodies *bodies = &scene->model.bodies;
  const struct dc_body *body = &bodies->bodies[coordinate->body];
  double mass = 0, kp = dc_pd_kp(body->pd, coordinate->index, coordinate->angle);
  for (int i = 0; i < bodies->count; i++)
    mass += dc_bodies_are_joined(bodies, i, coordinate->body) ? bodies->bodies[i].mass : 0;
  double damping = dc_pd_kd(body->pd, coordinate->index, coordinate->angle) / (2 * sqrt(kp * mass) * arm);
  double passes = damping >= 1 ? 1 : 1 / tanh(PI * damping / (2 * sqrt(1 - damping * damping)));
  return fed ? FED * passes : passes;
}

// Farthest that one coordinate moves a point of its mechanism, m; INFINITY: it has no bounds.
static double coordinate_travel(const struct dc_scene *scene, const struct dc_control *control,
                                const struct dc_actuator_coordinate *coordinate)
{
  const struct dc_bodies *bodies = &scene->model.bodies;
  const struct dc_body *body = &bodies->bodies[coordinate->body];
  double most = fmax(fabs(coordinate->bounds.low), fabs(coordinate->bounds.high)), mass = 0;
  const struct dc_actuator_options *options = control->options;
  if (!coordinate->powered || !body->pd || options->chosen)
    return INFINITY;
  if (control->type->speed && !coordinate->angle)
    most = fmin(most, control->type->speed(control->options) * dc_advice_duration(scene));
  for (int i = 0; i < bodies->count && !body->pd->gravity_compensation; i++)
    mass += dc_bodies_are_joined(bodies, i, coordinate->body) ? bodies->bodies[i].mass : 0;
  double arm = coordinate->angle ? mechanism_size(bodies, coordinate->body) : 1,
         hangs = mass * dc_vec_norm(scene->definition.gravity) * arm /
                 dc_pd_kp(body->pd, coordinate->index, coordinate->angle);
  bool fed = control->type != &dc_control_pd_targets;
  return (passes(scene, coordinate, arm, fed) * most + hangs) * arm;
}

// Farthest that all controls together move a point, m; INFINITY: not known.  Every mechanism but that of the goal must
// have all its coordinates driven.
static double all_travel(const struct dc_scene *scene, int goal)
{
  const struct dc_bodies *bodies = &scene->model.bodies;
  int driven = 0, moving = 0;
  double sum = 0;
  if (bodies->soft_count || bodies->cable_count)
    return INFINITY;
  for (int m = 0; m < bodies->mechanism_count; m++)
    moving += m == bodies->bodies[goal].mechanism ? 0 : bodies->mechanisms[m].nv;
  for (int i = 0; i < scene->task.control_count; i++) {
    const struct dc_control *control = &scene->task.controls[i];
    if (control->type != &dc_control_pd_targets && control->type != &dc_control_pd_velocity &&
        control->type != &dc_control_spline)
      return INFINITY;
    struct dc_actuator_coordinates coordinates = dc_actuator_coordinates(control->options, &scene->model);
    for (int c = 0; c < coordinates.count; c++, driven++)
      sum += coordinate_travel(scene, control, &coordinates.items[c]);
  }
  return driven == moving ? sum : INFINITY;
}

bool dc_advice_is_linked(const struct dc_scene *scene, int body)
{
  const struct dc_bodies *bodies = &scene->model.bodies;
  const struct dc_model_definition *links = &scene->definition;
  bool linked = false;
  for (int k = 0; k < links->coupling_count; k++)
    linked |= dc_bodies_are_joined(bodies, links->couplings[k].body, body) ||
              dc_bodies_are_joined(bodies, links->couplings[k].to, body);
  for (int k = 0; k < links->tie_count; k++)
    linked |= dc_bodies_are_joined(bodies, links->ties[k].body, body) ||
              dc_bodies_are_joined(bodies, links->ties[k].to, body);
  for (int k = 0; k < links->tendon_count; k++)
    for (int j = 0; j < links->tendons[k].joints.count; j++) {
      const struct dc_tendon_joint *joints = links->tendons[k].joints.objects;
      linked |= dc_bodies_are_joined(bodies, joints[j].body, body);
    }
  return linked;
}

// Whether the joint of a body rests at the start: it has no velocity, and neither gravity, a spring, a force nor an
// actuator without a control moves it.
static bool joint_rests(const struct dc_bodies *bodies, const struct dc_pose *poses, int body, const double down[3])
{
  const struct dc_body *own = &bodies->bodies[body];
  bool rests = true;
  for (int k = 0; own->start.joint_velocity && k < own->nv; k++)
    rests = rests && own->start.joint_velocity[k] == 0;
  for (int p = 0; p < own->part_count && rests; p++) {
    const struct dc_joint_part *part = &own->parts[p];
    double axis[3], across[3], q = bodies->initial_q[part->q];
    bool pulled = own->pd && !isnan(part->target) && part->target != q, moved = own->pd && part->target_velocity != 0;
    dc_mat_apply(axis, poses[body].rotation, part->axis);
    dc_vec_cross(across, axis, down);
    if (part->kind == DC_PART_SLIDE)
      rests = fabs(dc_vec_dot(axis, down)) < ACROSS;
    else
      rests = part->kind == DC_PART_HINGE && dc_vec_norm(across) < ACROSS;
    rests = rests && !pulled && !moved && part->passive.force == 0 &&
            (part->passive.stiffness == 0 || part->passive.rest == q);
  }
  return rests;
}

// Whether a free body rests at the start: it neither moves nor turns, and stands on a level half-space, or nothing
// weighs.
static bool free_body_rests(const struct dc_bodies *bodies, const struct dc_pose *poses, int body, const double down[3])
{
  const struct dc_body *own = &bodies->bodies[body];
  bool rests = dc_vec_norm(down) == 0;
  for (int i = 0; i < bodies->count && !rests && own->buoyancy <= 1; i++) {
    const double upwards[3] = {0, 0, 1};
    double way[3], normal[3], across[3];
    if (!dc_advice_half_space(&bodies->bodies[i]) || !dc_bodies_touch(bodies, body, i))
      continue;
    dc_mat_apply(normal, poses[i].rotation, upwards);
    dc_vec_cross(across, normal, down);
    dc_vec_sub(way, poses[body].position, poses[i].position);
    rests = dc_vec_norm(across) < ACROSS && dc_vec_dot(normal, down) < 0 && fabs(dc_vec_dot(way, down)) <= own->radius;
  }
  return rests && dc_vec_norm(own->start.velocity) == 0 && dc_vec_norm(own->start.angular_velocity) == 0;
}

// Whether a body rests at the start, as all joints of its mechanism do.  Nothing is known of one that hangs on others.
static bool rests(const struct dc_scene *scene, const struct dc_pose *poses, int body)
{
  const struct dc_bodies *bodies = &scene->model.bodies;
  double down[3], g = dc_vec_norm(scene->definition.gravity);
  bool rests = bodies->bodies[body].free || bodies->bodies[body].parent < 0;
  dc_vec_scale(down, scene->definition.gravity, g > 0 ? 1 / g : 0);
  for (int i = 0; i < bodies->count && rests; i++)
    if (dc_bodies_are_joined(bodies, i, body))
      rests = bodies->bodies[i].free ? free_body_rests(bodies, poses, i, down) : joint_rests(bodies, poses, i, down);
  return rests;
}

// Distance of the ball about a body from the surface of another one, m; -INFINITY where its centre is inside.
static double ball_to_surface(const struct dc_bodies *bodies, const struct dc_pose *poses, int ball, int other)
{
  const struct dc_mesh *mesh = &bodies->bodies[other].shape->mesh;
  double way[3], at[3];
  dc_vec_sub(way, poses[ball].position, poses[other].position);
  dc_mat_apply_transposed(at, poses[other].rotation, way);
  dc_vec_add(at, at, bodies->bodies[other].center);
  if (mesh->triangle_count == 0 || dc_mesh_contains(mesh, at))
    return -INFINITY;
  return dc_advice_surface_distance(mesh, at) - bodies->bodies[ball].radius;
}

// Distance of two bodies, m: exact for unions of convex parts, else a lower bound.
static double apart_of(const struct dc_bodies *bodies, const struct dc_pose *poses, int a, int b)
{
  const int pair[2] = {a, b};
  const struct dc_pose *const both[2] = {&poses[a], &poses[b]};
  struct dc_witness witness;
  bool convex = bodies->bodies[a].shape->part_count > 0 && bodies->bodies[b].shape->part_count > 0;
  if (convex && dc_clearance_nearest(bodies, pair, both, &witness))
    return witness.distance;
  return fmax(ball_to_surface(bodies, poses, a, b), ball_to_surface(bodies, poses, b, a));
}

// Notes arms that are all too short to touch the mechanism of a body; false: one may, or something else may come.
static bool advise_short_arms(struct dc_task_site *site, const struct dc_pose *poses, int body)
{
  const struct dc_bodies *bodies = &site->scene->model.bodies;
  double nearest = INFINITY, away = 0, reach = 0;
  int arm = -1;
  for (int i = 0; i < bodies->count; i++) {
    double base[3], length = 0;
    if (!dc_body_moves(&bodies->bodies[i]) || dc_bodies_are_joined(bodies, i, body))
      continue;
    length = dc_advice_chain_length(bodies, poses, i, base) + bodies->bodies[i].radius;
    for (int j = 0; j < bodies->count; j++) {
      const struct dc_mesh *mesh = &bodies->bodies[j].shape->mesh;
      double way[3], at[3];
      if (!dc_bodies_are_joined(bodies, j, body))
        continue;
      dc_vec_sub(way, base, poses[j].position);
      dc_mat_apply_transposed(at, poses[j].rotation, way);
      dc_vec_add(at, at, bodies->bodies[j].center);
      if (!isfinite(length) || mesh->triangle_count == 0 || dc_mesh_contains(mesh, at))
        return false;
      double far = dc_advice_surface_distance(mesh, at), missing = far - length;
      if (missing < SHORT * bodies->bodies[body].radius)
        return false;
      if (missing < nearest) {
        nearest = missing;
        away = far;
        reach = length;
        arm = i;
      }
    }
  }
  if (arm >= 0)
    dc_advice_add(site->list, "out of reach",
                  "\"%.80s\" is %.3g m away from the base of \"%.80s\", which reaches %.3g m at most: bring them nearer or "
                  "make the arm longer",
                  bodies->bodies[body].name, away, bodies->bodies[arm].name, reach);
  return arm >= 0;
}

// An undriven body that rests has to be reached by one that controls move. Advice is given where the nearest of these
// stays away even when it travels as far as its bounds, speed and time allow.
void dc_advise_travel(struct dc_task_site *site, const struct dc_pose *poses, int body)
{
  const struct dc_scene *scene = site->scene;
  const struct dc_bodies *bodies = &scene->model.bodies;
  if (dc_task_drives(&scene->task, bodies, body) || scene->task.design_count || !dc_body_moves(&bodies->bodies[body]) ||
      dc_advice_is_linked(scene, body) || !rests(scene, poses, body))
    return;
  if (bodies->soft_count + bodies->cable_count == 0 && advise_short_arms(site, poses, body)) {
    site->decided = true;
    return;
  }
  double gap = INFINITY, travel = all_travel(scene, body);
  int nearest = -1;
  for (int i = 0; i < bodies->count; i++)
    for (int j = 0; j < bodies->count; j++) {
      if (!dc_bodies_are_joined(bodies, j, body) || dc_bodies_are_joined(bodies, i, body) ||
          !dc_body_moves(&bodies->bodies[i]))
        continue;
      double apart = apart_of(bodies, poses, i, j);
      if (apart < gap) {
        gap = apart;
        nearest = i;
      }
    }
  if (nearest < 0 || !(gap > travel))
    return;
  dc_advice_add(site->list, "too far",
                "\"%.80s\" is %.3g m away from \"%.80s\", which controls move by at most %.2g m: widen \"low\" and "
                "\"high\", or the \"speed\"",
                bodies->bodies[body].name, gap, bodies->bodies[nearest].name, travel);
  site->decided = true;
}
