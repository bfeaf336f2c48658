// SPDX-License-Identifier: Apache-2.0
// Advice on a scene before it runs.  Thresholds are rules of thumb, listed in docs/advice.md; no shipped scene meets
// one.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "body/kinematics.h"
#include "body/soft.h"
#include "commands/advice.h"
#include "math/vector.h"

static const double FLOATING = 0.25;   // resting gap over a body's size
static const double FALL = 0.25;       // way of a free fall in the first step over a body's size
static const double SPIN_LOSS = 0.3;   // part of a spin that the integrator takes in a second
static const double LARGEST_TURN = 1;  // rad in a step, with the integrator of second order
static const double UNLIKE = 1000;     // ratio of the radii of bodies that move
static const double SLIVER = 200;      // longest edge over the height above it
static const double SLIVERS = 0.05;    // part of the triangles
static const double DEPENDENT = 1e-6;  // part of a twist that the others must leave for it to be independent

// The smallest tolerance of an objective for the body, m; INFINITY without.
static double tolerance_of(const struct dc_scene *scene, int body)
{
  double least = INFINITY;
  for (int i = 0; i < scene->task.objective_count; i++) {
    const struct dc_objective *objective = &scene->task.objectives[i];
    double target[3], radius;
    int marked;
    for (int k = 0; objective->type->mark && objective->type->mark(objective->options, k, &marked, target, &radius);
         k++)
      if (marked == body && radius > 0)
        least = fmin(least, radius);
  }
  return least;
}

// Bodies that nobody touches drift in the field of the others: with friction only where that is stronger.
static void advise_drift(const struct dc_scene *scene, const struct dc_scene_facts *facts, struct dc_advice_list *list)
{
  const struct dc_bodies *bodies = &scene->model.bodies;
  double time = scene->definition.time.step * (double)scene->definition.time.steps, worst = 1, drift = 0, tolerance = 0;
  int body = -1;
  for (int i = 0; i < bodies->count; i++) {
    if (!(bodies->bodies[i].mass > 0) || facts->touched[i] || dc_advice_is_driven(scene, i))
      continue;
    double held = dc_model_friction(&scene->model, i) * dc_vec_norm(scene->definition.gravity);
    double way = 0.5 * time * time * fmax(0, facts->far_force[i] / bodies->bodies[i].mass - held);
    if (way > worst * tolerance_of(scene, i)) {
      tolerance = tolerance_of(scene, i);
      worst = way / tolerance;
      drift = way;
      body = i;
    }
  }
  if (body < 0)
    return;
  struct dc_advice *advice = dc_advice_add(
      list, "drift",
      "\"%.100s\" drifts about %.2g m in %g s by the field of bodies that do not touch it, its tolerance is %.2g m",
      bodies->bodies[body].name, drift, time, tolerance);
  snprintf(advice->attempt, sizeof advice->attempt, "\"contact\": {\"stiffness\": %.2g}",
           scene->definition.contact.stiffness / (2 * worst));
}

static void advise_stiffness(const struct dc_scene *scene, const struct dc_scene_facts *facts,
                             struct dc_advice_list *list)
{
  if (!(facts->resting_gap > FLOATING))
    return;
  const char *name = scene->model.bodies.bodies[facts->floating].name;
  struct dc_advice *advice =
      isfinite(facts->resting_gap)
          ? dc_advice_add(list, "too stiff", "\"%.100s\" rests %.2g of its size above its support", name,
                          facts->resting_gap)
          : dc_advice_add(list, "too stiff", "\"%.100s\" is thrown off its support", name);
  snprintf(advice->attempt, sizeof advice->attempt, "\"contact\": {\"stiffness\": %.2g}",
           scene->definition.contact.stiffness / 100);
}

static void advise_units(const struct dc_scene *scene, struct dc_advice_list *list)
{
  const struct dc_bodies *bodies = &scene->model.bodies;
  int smallest = -1, largest = -1;
  for (int i = 0; i < bodies->count; i++) {
    const struct dc_body *body = &bodies->bodies[i];
    if (!dc_body_moves(body) || !(body->radius > 0))
      continue;
    if (smallest < 0 || body->radius < bodies->bodies[smallest].radius)
      smallest = i;
    if (largest < 0 || body->radius > bodies->bodies[largest].radius)
      largest = i;
  }
  if (largest < 0)
    return;
  const struct dc_body *big = &bodies->bodies[largest], *little = &bodies->bodies[smallest];
  if (big->radius <= DC_HUGE_RADIUS && big->radius <= UNLIKE * little->radius)
    return;
  struct dc_advice *advice =
      big->radius > DC_HUGE_RADIUS
          ? dc_advice_add(list, "units", "\"%.100s\" has a radius of %.3g m: is it given in millimetres?", big->name,
                          big->radius)
          : dc_advice_add(list, "units",
                          "\"%.100s\" has a radius of %.3g m, \"%.100s\" one of %.3g m: is one given in millimetres?",
                          big->name, big->radius, little->name, little->radius);
  if (big->shape->type && big->shape->type->options && dc_option_find(big->shape->type->options, "scale") >= 0)
    snprintf(advice->attempt, sizeof advice->attempt, "\"shapes\": {\"%.100s\": {..., \"scale\": 0.001}}",
             big->shape->name);
}

// Considers free bodies only: links of a robot are held by joints, however small they are.
static void advise_step(const struct dc_scene *scene, struct dc_advice_list *list)
{
  const struct dc_bodies *bodies = &scene->model.bodies;
  double h = scene->definition.time.step, fall = dc_vec_norm(scene->definition.gravity) * h * h;
  int body = -1;
  for (int i = 0; i < bodies->count; i++)
    if (bodies->bodies[i].free && bodies->bodies[i].radius > 0 &&
        (body < 0 || bodies->bodies[i].radius < bodies->bodies[body].radius))
      body = i;
  if (body < 0 || fall <= FALL * 2 * bodies->bodies[body].radius)
    return;
  struct dc_advice *advice =
      dc_advice_add(list, "long steps", "\"%.100s\" falls by %.2g m in a step from rest, %.2g of its size",
                    bodies->bodies[body].name, fall, fall / (2 * bodies->bodies[body].radius));
  snprintf(advice->attempt, sizeof advice->attempt, "\"time\": {\"step\": %.2g, \"steps\": %.0f}",
           0.3 * h * sqrt(FALL * 2 * bodies->bodies[body].radius / fall),
           ceil((double)scene->definition.time.steps / 0.3 * sqrt(fall / (FALL * 2 * bodies->bodies[body].radius))));
}

// The fastest turn at the start, rad/s, of body *body, of those that no actuator brakes.
static double fastest_turn(const struct dc_bodies *bodies, int *body)
{
  double *velocity = dc_alloc((size_t)bodies->nv, sizeof *velocity), fastest = 0;
  if (velocity)
    dc_initial_velocity(bodies, velocity);
  for (int i = 0; i < bodies->count && velocity; i++)
    for (int p = 0; p < bodies->bodies[i].part_count && !bodies->bodies[i].pd; p++) {
      const struct dc_joint_part *part = &bodies->bodies[i].parts[p];
      double speed = part->kind == DC_PART_BALL    ? dc_vec_norm(velocity + part->v)
                     : part->kind == DC_PART_HINGE ? fabs(velocity[part->v])
                                                   : 0;
      if (speed > fastest) {
        fastest = speed;
        *body = i;
      }
    }
  free(velocity);
  return fastest;
}

// Implicit Euler leaves 1/sqrt(1 + 2 w^2 h t) of a spin (docs/theory.md, "Inertia"); the other integrator follows turns
// up to some angle a step.
static void advise_spin(const struct dc_scene *scene, struct dc_advice_list *list)
{
  const struct dc_bodies *bodies = &scene->model.bodies;
  double h = scene->definition.time.step;
  int body = -1;
  double speed = fastest_turn(bodies, &body), lost = 1 - 1 / sqrt(1 + 2 * speed * speed * h);
  bool second = scene->definition.time.integrator == DC_SECOND_ORDER;
  if (scene->definition.contact_model->flags & DC_CONTACT_FOREIGN)
    return;
  if (second && speed * h > LARGEST_TURN) {
    struct dc_advice *advice =
        dc_advice_add(list, "fast spin", "\"%.100s\" turns by %.2g rad in a step, which second_order does not follow",
                      bodies->bodies[body].name, speed * h);
    snprintf(advice->attempt, sizeof advice->attempt, "\"time\": {\"step\": %.2g}", 0.5 * LARGEST_TURN / speed);
  } else if (!second && lost > SPIN_LOSS) {
    struct dc_advice *advice = dc_advice_add(
        list, "fast spin", "the spin of \"%.100s\", %.3g rad/s, loses %.0f %% in a second; integrator second_order keeps it",
        bodies->bodies[body].name, speed, 100 * lost);
    if (bodies->soft_count)
      snprintf(advice->attempt, sizeof advice->attempt, "\"time\": {\"step\": %.2g}",
               0.05 / (speed * speed));
    else
      snprintf(advice->attempt, sizeof advice->attempt, "\"time\": {\"integrator\": \"second_order\"}");
  }
}

static bool is_sliver(const struct dc_mesh *mesh, const int corners[3])
{
  double edges[2][3], normal[3], longest = 0;
  for (int k = 0; k < 3; k++)
    longest = fmax(longest, dc_vec_distance(mesh->vertices[corners[k]], mesh->vertices[corners[(k + 1) % 3]]));
  dc_vec_sub(edges[0], mesh->vertices[corners[1]], mesh->vertices[corners[0]]);
  dc_vec_sub(edges[1], mesh->vertices[corners[2]], mesh->vertices[corners[0]]);
  dc_vec_cross(normal, edges[0], edges[1]);
  return longest * longest > SLIVER * dc_vec_norm(normal);
}

// Spheres about slivers are as large as the body: the hierarchy has no distance to work with.
static void advise_slivers(const struct dc_scene *scene, struct dc_advice_list *list)
{
  for (int s = 0; s < scene->definition.shape_count; s++) {
    const struct dc_shape *shape = &scene->shapes[s];
    int slivers = 0;
    for (int t = 0; t < shape->mesh.triangle_count; t++)
      slivers += is_sliver(&shape->mesh, shape->mesh.triangles[t]);
    if (slivers <= SLIVERS * shape->mesh.triangle_count)
      continue;
    struct dc_advice *advice =
        dc_advice_add(list, "slivers", "%d of %d triangles of \"%.100s\" are %g times as long as high", slivers,
                      shape->mesh.triangle_count, shape->name, SLIVER);
    snprintf(advice->attempt, sizeof advice->attempt,
             "\"shapes\": {\"%.100s\": {..., \"convex\": true, \"hull_points\": 64, \"longest_edge\": %.2g}}",
             shape->name, 0.2 * cbrt(shape->properties.volume));
    return;
  }
}

// Twist of a body per unit of a coordinate of its own joint, about the body's frame.
static void twist_of(const struct dc_axis *axis, const double position[3], double twist[6])
{
  double arm[3];
  dc_vec_sub(arm, position, axis->anchor);
  memset(twist, 0, 6 * sizeof *twist);
  if (axis->turns) {
    memcpy(twist, axis->direction, sizeof axis->direction);
    dc_vec_cross(twist + 3, axis->direction, arm);
  } else
    memcpy(twist + 3, axis->direction, sizeof axis->direction);
}

// Whether the twists of the coordinates of the body's joint are linearly dependent at the start (Gram-Schmidt).
static bool has_redundant_coordinates(const struct dc_body *body, const double *q, const struct dc_pose *pose)
{
  struct dc_axis axes[6];
  double columns[6][6];
  if (body->nv > 6)
    return true;
  dc_joint_axes(body, q, pose, axes);
  for (int k = 0; k < body->nv; k++) {
    twist_of(&axes[k], pose->position, columns[k]);
    double whole = dc_dot(columns[k], columns[k], 6);
    for (int i = 0; i < k; i++) {
      double along = dc_dot(columns[i], columns[k], 6);
      for (int j = 0; j < 6; j++)
        columns[k][j] -= along * columns[i][j];
    }
    double left = dc_dot(columns[k], columns[k], 6);
    if (!(left > DEPENDENT * DEPENDENT * whole))
      return true;
    for (int j = 0; j < 6; j++)
      columns[k][j] /= sqrt(left);
  }
  return false;
}

// Where coordinates are redundant the joint-space inertia is singular; gains make the Hessian of a step regular.
static void advise_joints(const struct dc_scene *scene, struct dc_advice_list *list)
{
  const struct dc_bodies *bodies = &scene->model.bodies;
  struct dc_pose *poses = dc_alloc((size_t)bodies->count, sizeof *poses);
  if (poses)
    dc_poses(bodies, bodies->initial_q, poses);
  for (int i = 0; poses && i < bodies->count; i++) {
    const struct dc_body *body = &bodies->bodies[i];
    if (body->part_count < 2 || body->pd || !has_redundant_coordinates(body, bodies->initial_q, &poses[i]))
      continue;
    dc_advice_add(
        list, "redundant joints",
        "the %d coordinates of the joints of \"%.100s\" are redundant at the start: its inertia is singular, and "
        "without gains there may be no gradient",
        body->nv, body->name);
    break;
  }
  free(poses);
}

// An objective for a body that cannot move, or that nothing driven can meet.
static void advise_reach(const struct dc_scene *scene, struct dc_advice_list *list)
{
  const struct dc_bodies *bodies = &scene->model.bodies;
  for (int i = 0; i < scene->task.objective_count; i++) {
    const struct dc_objective *objective = &scene->task.objectives[i];
    double target[3], radius;
    int body;
    for (int k = 0; objective->type->mark && objective->type->mark(objective->options, k, &body, target, &radius);
         k++) {
      if (body < 0)
        continue;
      bool met = dc_advice_is_driven(scene, body) || scene->task.design_count > 0;
      for (int other = 0; other < bodies->count && !met; other++)
        met = other != body && dc_body_moves(&bodies->bodies[other]) && dc_bodies_touch(bodies, body, other);
      bool nodes = !dc_body_moves(&bodies->bodies[body]) && dc_frame_moves(bodies, body);
      if (nodes || (dc_body_moves(&bodies->bodies[body]) && met))
        continue;
      dc_advice_add(list, "out of reach", "\"%.100s\" has a target, but %s", bodies->bodies[body].name,
                    dc_body_moves(&bodies->bodies[body]) ? "no body that moves may touch it" : "it is fixed");
      return;
    }
  }
}

void dc_advise_scene(const struct dc_scene *scene, const struct dc_scene_facts *facts, struct dc_advice_list *list)
{
  if (scene->refinement.given)
    return;
  advise_units(scene, list);
  advise_step(scene, list);
  advise_spin(scene, list);
  advise_stiffness(scene, facts, list);
  advise_drift(scene, facts, list);
  advise_slivers(scene, list);
  advise_joints(scene, list);
  advise_reach(scene, list);
}
