// SPDX-License-Identifier: Apache-2.0
// Targets that the axes of a body's joints cannot lead to, whatever their coordinates are.
//
// The axes of all joints between a fixed base and a body span where it can go.  Slides move it along their axes.
// Hinges about parallel axes n move it perpendicular to n and turn it about n alone; hinges about other axes, balls
// and free joints leave nothing fixed.  What is left of the way to a target, less the part in this span and along
// axes that do not count, stays whatever a control does.  Of a rotation (w, v) from the start to the target a turn
// about n leaves 2 acos sqrt(w^2 + (n.v)^2), no turn 2 acos |w|.
//
// A free body goes wherever something takes it.  It does not rise where all that may touch it moves level, none of
// these gets below it, and the target is higher than it would be upon the highest of them.  One gets below it if its
// upper side begins below where the lower side of the body ends: otherwise the first touch pushes sideways.
#include <math.h>
#include <string.h>

#include "body/kinematics.h"
#include "commands/advise_task.h"
#include "commands/constants.h"
#include "math/rotation.h"
#include "math/vector.h"
#include "task/drives.h"
#include "task/pose.h"

// Directions and turns that the joints of a chain leave open.
struct freedom {
  bool fixed_base;    // no joint of the chain is free
  int turns;          // directions of hinges: 0, 1 (normal), or more
  double normal[3];   // of the hinges, in the world
  int span;           // directions along which the body can go
  double axes[3][3];  // orthonormal, [span]
};

static const double PARALLEL = 1e-6;  // sine of an angle below which axes count as parallel

// Adds a direction to an orthonormal system.
// Gram-Schmidt: the part of the direction along those that are there is taken off; what is left counts if its sine is
// above PARALLEL.
static void add_direction(double axes[3][3], int *count, const double direction[3])
{
  double rest[3];
  dc_vec_copy(rest, direction);
  for (int k = 0; k < *count; k++)
    dc_vec_add_scaled(rest, rest, -dc_vec_dot(rest, axes[k]), axes[k]);
  double length = dc_vec_norm(rest);
  if (*count < 3 && length > PARALLEL)
    dc_vec_scale(axes[(*count)++], rest, 1 / length);
}

// Joints as they are at the start: the axis of an inner one may turn with an outer hinge, but about an axis parallel to
// that of the hinge, or the span is full.
static struct freedom freedom_of(const struct dc_bodies *bodies, const struct dc_pose *poses, int body)
{
  struct freedom freedom = {.fixed_base = true};
  double slides[3][3];
  int slide_count = 0;
  for (int i = body; i >= 0 && dc_frame_moves(bodies, i); i = bodies->bodies[i].parent) {
    freedom.fixed_base = freedom.fixed_base && !dc_support_of(bodies, i) && !dc_soft_of(bodies, i);
    for (int p = 0; p < bodies->bodies[i].part_count; p++) {
      const struct dc_joint_part *part = &bodies->bodies[i].parts[p];
      double axis[3], across[3];
      freedom.fixed_base = freedom.fixed_base && part->kind != DC_PART_TRANSLATION;
      dc_mat_apply(axis, poses[i].rotation, part->axis);
      dc_vec_cross(across, freedom.normal, axis);
      if (part->kind == DC_PART_SLIDE)
        add_direction(slides, &slide_count, axis);
      else if (part->kind == DC_PART_BALL || (freedom.turns && dc_vec_norm(across) > PARALLEL))
        freedom.turns = 2;
      else if (part->kind == DC_PART_HINGE && !freedom.turns) {
        dc_vec_copy(freedom.normal, axis);
        freedom.turns = 1;
      }
    }
  }
  for (int k = 0; k < 3 && freedom.turns; k++) {
    double direction[3] = {k == 0, k == 1, k == 2};
    if (freedom.turns == 1)
      dc_vec_add_scaled(direction, direction, -freedom.normal[k], freedom.normal);
    add_direction(freedom.axes, &freedom.span, direction);
  }
  for (int k = 0; k < slide_count; k++)
    add_direction(freedom.axes, &freedom.span, slides[k]);
  return freedom;
}

// The part of a way that no joint leads along; the axes that do not count are added to where the body can go.
static double left_of_way(const struct freedom *freedom, const struct dc_objective *objective, double way[3])
{
  double axes[3][3];
  int count = freedom->span;
  memcpy(axes, freedom->axes, sizeof axes);
  for (int k = 0; k < 3; k++) {
    double direction[3] = {k == 0, k == 1, k == 2}, origin[3] = {0};
    if (dc_advice_distance(objective, origin, direction) == 0)
      add_direction(axes, &count, direction);
  }
  for (int k = 0; k < count; k++)
    dc_vec_add_scaled(way, way, -dc_vec_dot(way, axes[k]), axes[k]);
  return dc_vec_norm(way);
}

// A design may move joints, so that axes at the start say nothing about what is possible.
static bool is_designed(const struct dc_task_site *site)
{
  return site->scene->task.design_count > 0;
}

// Notes a place that the chain of the body does not lead to.
// left is the length of the way that remains, m; a rounding of 1e-9 of the tolerance decides nothing.
static void advise_place(struct dc_task_site *site, const struct dc_objective *objective, const struct freedom *freedom,
                         int body, const double from[3], const double target[3], double tolerance)
{
  double way[3];
  dc_vec_sub(way, target, from);
  double left = left_of_way(freedom, objective, way);
  if (!(left > tolerance * (1 + 1e-9)))
    return;
  const char *name = site->scene->model.bodies.bodies[body].name;
  dc_advice_add(
      site->list, "wrong axis",
      "no joint of \"%.80s\" leads to its target: it stays (%.3g, %.3g, %.3g) m away, whatever its coordinates "
      "are; move the target, leave axes out, or give it a joint with that axis",
      name, way[0], way[1], way[2]);
  site->decided = true;
}

// Notes a rotation to which no joint of the body turns it.
static void advise_turn(struct dc_task_site *site, const struct freedom *freedom, int body, const double start[4],
                        const double target[4], double tolerance)
{
  double back[4], turn[4];
  dc_rotation_conjugate(back, start);
  dc_rotation_multiply(turn, target, back);
  double along = freedom->turns ? dc_vec_dot(freedom->normal, turn + 1) : 0,
         left = 2 * acos(fmin(1, sqrt(turn[0] * turn[0] + along * along)));
  if (freedom->turns > 1 || !(left > tolerance + 1e-6))
    return;
  const char *name = site->scene->model.bodies.bodies[body].name;
  if (freedom->turns)
    dc_advice_add(site->list, "wrong axis",
                  "joints turn \"%.80s\" about (%.3g, %.3g, %.3g) alone, which leaves %.3g rad to its target: turn the "
                  "target or the axis",
                  name, freedom->normal[0], freedom->normal[1], freedom->normal[2], left);
  else
    dc_advice_add(site->list, "wrong axis", "no joint turns \"%.80s\", which is %.3g rad from its target", name, left);
  site->decided = true;
}

// Whether all that may touch a body goes about level: moves by slides and hinges without a part upwards, or is level
// ground.
static bool all_level(const struct dc_task_site *site, const struct dc_pose *poses, int body, const double up[3])
{
  const struct dc_bodies *bodies = &site->scene->model.bodies;
  for (int i = 0; i < bodies->count; i++) {
    struct freedom freedom = freedom_of(bodies, poses, i);
    double normal[3], across[3];
    if (i == body || !dc_bodies_touch(bodies, body, i))
      continue;
    if (!freedom.fixed_base)
      return false;
    dc_mat_apply(normal, poses[i].rotation, (const double[]){0, 0, 1});
    dc_vec_cross(across, normal, up);
    if (!dc_frame_moves(bodies, i) && !(dc_advice_half_space(&bodies->bodies[i]) && dc_vec_norm(across) < PARALLEL))
      return false;
    for (int k = 0; k < freedom.span; k++)
      if (fabs(dc_vec_dot(freedom.axes[k], up)) > PARALLEL)
        return false;
  }
  return true;
}

// Heights along `up` (m): where the lowest part of the surface that faces up begins, where the highest part that faces
// down ends, and the highest point.
struct sides {
  double upper_from, lower_to, top;
};

// A triangle faces up if its unit normal has a part of more than PARALLEL along `up`, and down if it has one of less
// than -PARALLEL; upright ones count for the top alone.
static struct sides sides_of(const struct dc_body *body, const struct dc_pose *pose, const double up[3])
{
  const struct dc_mesh *mesh = &body->shape->mesh;
  struct sides sides = {INFINITY, -INFINITY, -INFINITY};
  for (int t = 0; t < mesh->triangle_count; t++) {
    double corners[3][3], heights[3], edges[2][3], normal[3];
    for (int k = 0; k < 3; k++) {
      double local[3];
      dc_vec_sub(local, mesh->vertices[mesh->triangles[t][k]], body->center);
      dc_mat_apply(corners[k], pose->rotation, local);
      heights[k] = dc_vec_dot(corners[k], up) + dc_vec_dot(pose->position, up);
      sides.top = fmax(sides.top, heights[k]);
    }
    dc_vec_sub(edges[0], corners[1], corners[0]);
    dc_vec_sub(edges[1], corners[2], corners[0]);
    dc_vec_cross(normal, edges[0], edges[1]);
    double slope = dc_vec_dot(normal, up), size = dc_vec_norm(normal);
    for (int k = 0; k < 3; k++) {
      if (slope > PARALLEL * size)
        sides.upper_from = fmin(sides.upper_from, heights[k]);
      if (slope < -PARALLEL * size)
        sides.lower_to = fmax(sides.lower_to, heights[k]);
    }
  }
  return sides;
}

// The highest point of all that moves and may touch a body, where none of it gets below; infinity where something does.
static double top_beside(const struct dc_task_site *site, const struct dc_pose *poses, int body, const double up[3])
{
  const struct dc_bodies *bodies = &site->scene->model.bodies;
  double lower = sides_of(&bodies->bodies[body], &poses[body], up).lower_to, top = -INFINITY;
  for (int i = 0; i < bodies->count; i++) {
    if (i == body || !dc_frame_moves(bodies, i) || !dc_bodies_touch(bodies, body, i))
      continue;
    struct sides sides = sides_of(&bodies->bodies[i], &poses[i], up);
    if (sides.upper_from < lower)
      return INFINITY;
    top = fmax(top, sides.top);
  }
  return top;
}

// Notes a free body that is to rise where all that may touch it goes about level.  Tipping lifts its centre, too, by
// the difference of the radii of the balls about it and in it, and it may come to lie upon what tips it.
static void advise_rise(struct dc_task_site *site, const struct dc_objective *objective, const struct dc_pose *poses,
                        int body, const double target[3], double tolerance)
{
  const struct dc_bodies *bodies = &site->scene->model.bodies;
  const struct dc_body *own = &bodies->bodies[body];
  const double *gravity = site->scene->definition.gravity;
  double up[3], way[3], g = dc_vec_norm(gravity);
  if (!own->free || !(g > 0) || dc_vec_norm(own->start.velocity) > 0 ||
      dc_task_drives(&site->scene->task, bodies, body))
    return;
  dc_vec_scale(up, gravity, -1 / g);
  dc_vec_sub(way, target, poses[body].position);
  dc_advice_counted(objective, way);
  double rise = dc_vec_dot(way, up), goal = dc_vec_dot(poses[body].position, up) + rise - tolerance;
  if (!(rise - tolerance > own->radius - dc_advice_inscribed(own)) || !all_level(site, poses, body, up))
    return;
  double top = top_beside(site, poses, body, up);
  if (!isfinite(top) || !(goal > top + own->radius))
    return;
  dc_advice_add(site->list, "wrong axis",
                "\"%.80s\" is to rise by %.3g m, but what may touch it moves level, pushes it sideways and has its "
                "highest point at "
                "%.3g m: lower the target, leave that axis out (\"axes\"), or give a drive a joint that lifts",
                own->name, rise, top);
}

// Asks of every mark of an objective, a place or an orientation of a body, whether the joints above the body let it
// get there. A chain of slides and hinges on a fixed base has few freedoms; a target off all of them stays out of
// reach for any control. Bodies whose base is free are only asked whether something could lift them. Designs move
// joints, so that scenes with them are not judged.
void dc_advise_axes(struct dc_task_site *site, const struct dc_objective *objective, const struct dc_pose *poses)
{
  const struct dc_bodies *bodies = &site->scene->model.bodies;
  const struct dc_pose_options *pose = objective->type == &dc_objective_pose ? objective->options : NULL;
  const struct dc_orientation_options *orientation =
      objective->type == &dc_objective_orientation ? objective->options : NULL;
  const struct dc_point_options *point = objective->type == &dc_objective_point ? objective->options : NULL;
  bool reach = objective->type == &dc_objective_reach;
  double target[3], radius;
  int body = orientation ? orientation->body : -1;
  for (int k = 0; (orientation && k == 0) || (!orientation && objective->type->mark &&
                                              objective->type->mark(objective->options, k, &body, target, &radius));
       k++) {
    if (!(pose || orientation || point || reach) || body < 0 || is_designed(site) || site->decided ||
        !dc_body_moves(&bodies->bodies[body]) || dc_soft_of(bodies, body) || dc_support_of(bodies, body))
      continue;
    struct freedom freedom = freedom_of(bodies, poses, body);
    double at[3];
    if (!freedom.fixed_base) {
      if (reach || pose)
        advise_rise(site, objective, poses, body, target, radius);
      continue;
    }
    dc_vec_copy(at, poses[body].position);
    if (point) {
      double arm[3];
      dc_vec_sub(arm, point->point, bodies->bodies[body].center);
      dc_mat_apply(at, poses[body].rotation, arm);
      dc_vec_add(at, at, poses[body].position);
    }
    if (!orientation)
      advise_place(site, objective, &freedom, body, at, target, radius);
    if ((orientation || pose) && !site->decided)
      advise_turn(site, &freedom, body, poses[body].quaternion, pose ? pose->rotation : orientation->target,
                  pose ? pose->rotation_tolerance : orientation->goal.tolerance);
  }
}
