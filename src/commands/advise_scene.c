// SPDX-License-Identifier: Apache-2.0
// Advice on a scene before it runs: units, stiffness, steps, spins, triangles, clouds of points, joints.  Each
// check looks at one number of the scene and a threshold, a rule of thumb that is listed in docs/advice.md; no
// shipped scene meets one.
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "body/kinematics.h"
#include "body/soft.h"
#include "commands/advise_task.h"
#include "commands/constants.h"
#include "geometry/convex/hull.h"
#include "geometry/implicit/sdf.h"
#include "math/vector.h"

// The smallest tolerance of an objective for the body, m; INFINITY without.
// Objectives that mark no place for a body, or one without a radius within which it counts as reached, do not count.
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

// The scene that is looked at and where advice goes: the commands to try open the same scene.
struct site {
  const dcsim_scene *handle;
  const struct dc_scene *scene;
  const struct dc_scene_facts *facts;
  struct dc_advice_list *list;
};

// Has the advice tell how the attempt is checked: by the command "check" with the scene's file and these changes.
// Nothing is run here.
static void try_it(const struct site *site, struct dc_advice *advice, const struct dc_attempt *attempt)
{
  dc_advice_try(advice, "check", site->handle, NULL, attempt);
}

static void try_change(const struct site *site, struct dc_advice *advice, const char *change, ...)
    __attribute__((format(printf, 3, 4)));
static void try_change(const struct site *site, struct dc_advice *advice, const char *change, ...)
{
  struct dc_attempt attempt = {.count = 1};
  va_list arguments;
  va_start(arguments, change);
  vsnprintf(attempt.changes[0], sizeof *attempt.changes, change, arguments);
  va_end(arguments);
  try_it(site, advice, &attempt);
}

// Advises another time step (s) over the same time.
// The number of steps is rounded up, so that the run is not shorter than it was.
static void try_step(const struct site *site, struct dc_advice *advice, double step)
{
  const struct dc_model_definition *definition = &site->scene->definition;
  struct dc_attempt attempt = {0};
  dc_attempt_set(&attempt, "time.step=%.2g", step);
  dc_attempt_set(&attempt, "time.steps=%.0f", ceil((double)definition->time.steps * definition->time.step / step));
  try_it(site, advice, &attempt);
}

// An attempt with another stiffness of contact, in the unit of the scene's own; two digits are enough for advice.
static void try_stiffness(const struct site *site, struct dc_advice *advice, double stiffness)
{
  struct dc_attempt attempt = {0};
  dc_attempt_set(&attempt, "contact.stiffness=%.2g", stiffness);
  try_it(site, advice, &attempt);
}

// A body that nothing touches and that drifts in the field of the others beyond its tolerance.
// Lengths are in m. `excess` is the way over the tolerance, by which the stiffness has to shrink, the far field being
// taken as proportional to it.
struct drift {
  int body;  // or -1
  double way, tolerance, excess;
};

// Finds the body that drifts farthest beyond its tolerance: one that nothing touches or holds and that the far
// field F moves by F t^2 / (2 m) during the run.  With friction a body drifts only where the field is stronger
// than mu g.
static struct drift find_drift(const struct site *site)
{
  const struct dc_scene *scene = site->scene;
  const struct dc_bodies *bodies = &scene->model.bodies;
  double time = scene->definition.time.step * (double)scene->definition.time.steps;
  struct drift drift = {.body = -1, .excess = 1};
  for (int i = 0; i < bodies->count; i++) {
    if (!(bodies->bodies[i].mass > 0) || site->facts->touched[i] || dc_advice_is_held(scene, i))
      continue;
    double held = dc_model_friction(&scene->model, i) * dc_vec_norm(scene->definition.gravity);
    double way = 0.5 * time * time * fmax(0, site->facts->far_force[i] / bodies->bodies[i].mass - held);
    if (way > drift.excess * tolerance_of(scene, i))
      drift = (struct drift){i, way, tolerance_of(scene, i), way / tolerance_of(scene, i)};
  }
  return drift;
}

// Looks for two symptoms of a stiffness that is too large, floating and drifting, and advises one number that
// mends both.  Returns that number, or a hundredth of the stiffness where there is neither.
static double advise_stiffness(const struct site *site)
{
  const struct dc_scene *scene = site->scene;
  const struct dc_resting *resting = site->facts->resting;
  const struct dc_body *bodies = scene->model.bodies.bodies;
  struct drift drift = find_drift(site);
  double stiffness = scene->definition.contact.stiffness, better = stiffness;
  bool floats = resting->height > DC_ADVISE_FLOATING;
  if (floats)
    better = fmin(resting->stiffness, stiffness / 2);
  if (drift.body >= 0)
    better = fmin(better, stiffness / (2 * drift.excess));
  if (floats) {
    struct dc_advice *advice =
        isfinite(resting->height)
            ? dc_advice_add(site->list, "too stiff", "\"%.100s\" rests %.2g of its size above its support",
                            bodies[resting->body].name, resting->height)
            : dc_advice_add(site->list, "too stiff", "\"%.100s\" is thrown off its support",
                            bodies[resting->body].name);
    try_stiffness(site, advice, better);
  }
  if (drift.body >= 0) {
    struct dc_advice *advice = dc_advice_add(
        site->list, "drift",
        "\"%.100s\" drifts about %.2g m in %g s by the field of bodies that do not touch it, its tolerance is %.2g m",
        bodies[drift.body].name, drift.way, scene->definition.time.step * (double)scene->definition.time.steps,
        drift.tolerance);
    try_stiffness(site, advice, better);
  }
  return better < stiffness ? better : stiffness / 100;
}

// Compares the largest radius of a body that moves with DC_HUGE_RADIUS and with the smallest one: parts in
// millimetres beside parts in metres differ by a thousand.
static void advise_units(const struct site *site)
{
  const struct dc_scene *scene = site->scene;
  struct dc_advice_list *list = site->list;
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
  bool huge = big->radius > DC_HUGE_RADIUS && !dc_advice_unit_system(scene);
  if (!huge && big->radius <= DC_ADVISE_UNLIKE * little->radius)
    return;
  struct dc_advice *advice =
      huge
          ? dc_advice_add(list, "units", "\"%.100s\" has a radius of %.3g m: is it given in millimetres?", big->name,
                          big->radius)
          : dc_advice_add(list, "units",
                          "\"%.100s\" has a radius of %.3g m, \"%.100s\" one of %.3g m: is one given in millimetres?",
                          big->name, big->radius, little->name, little->radius);
  if (big->shape->type && big->shape->type->options && dc_option_find(big->shape->type->options, "scale") >= 0)
    try_change(site, advice, "shapes.%.100s.scale=%g", big->shape->name, 0.001);
}

// Looks for a free body that falls by more than DC_ADVISE_FALL times its size in the first step, g h^2 from
// rest.  Links of a robot are held by joints, however small they are, and do not count.
static void advise_step(const struct site *site)
{
  const struct dc_scene *scene = site->scene;
  struct dc_advice_list *list = site->list;
  const struct dc_bodies *bodies = &scene->model.bodies;
  double h = scene->definition.time.step, fall = dc_vec_norm(scene->definition.gravity) * h * h;
  int body = -1;
  for (int i = 0; i < bodies->count; i++)
    if (bodies->bodies[i].free && bodies->bodies[i].radius > 0 &&
        (body < 0 || bodies->bodies[i].radius < bodies->bodies[body].radius))
      body = i;
  if (body < 0 || dc_vec_norm(scene->definition.gravity) > DC_ADVISE_GRAVITY ||  // told as what it is
      fall <= DC_ADVISE_FALL * 2 * bodies->bodies[body].radius)
    return;
  struct dc_advice *advice =
      dc_advice_add(list, "long steps", "\"%.100s\" falls by %.2g m in a step from rest, %.2g of its size",
                    bodies->bodies[body].name, fall, fall / (2 * bodies->bodies[body].radius));
  struct dc_attempt attempt = {0};
  double part = 0.3 * sqrt(DC_ADVISE_FALL * 2 * bodies->bodies[body].radius / fall);
  dc_attempt_set(&attempt, "time.step=%.2g", part * h);
  dc_attempt_set(&attempt, "time.steps=%.0f", ceil((double)scene->definition.time.steps / part));
  try_it(site, advice, &attempt);
}

// The fastest turn at the start, rad/s, of body *body, of those that no actuator brakes.
// Balls count with the norm of their angular velocity, hinges with the size of theirs; slides do not turn.
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

// Looks for the fastest spin w (rad/s).  Implicit Euler leaves 1/sqrt(1 + 2 w^2 h t) of it after the time t
// (docs/theory.md, "Inertia"); the integrator of second order keeps it but follows at most DC_ADVISE_TURN rad in
// a step.
static void advise_spin(const struct site *site)
{
  const struct dc_scene *scene = site->scene;
  struct dc_advice_list *list = site->list;
  const struct dc_bodies *bodies = &scene->model.bodies;
  double h = scene->definition.time.step;
  int body = -1;
  double speed = fastest_turn(bodies, &body), lost = 1 - 1 / sqrt(1 + 2 * speed * speed * h);
  bool second = scene->definition.time.integrator == DC_SECOND_ORDER;
  if (scene->definition.contact_model->flags & DC_CONTACT_FOREIGN)
    return;
  if (second && speed * h > DC_ADVISE_TURN) {
    struct dc_advice *advice =
        dc_advice_add(list, "fast spin", "\"%.100s\" turns by %.2g rad in a step, which second_order does not follow",
                      bodies->bodies[body].name, speed * h);
    try_step(site, advice, 0.5 * DC_ADVISE_TURN / speed);
  } else if (!second && lost > DC_ADVISE_SPIN_LOSS) {
    struct dc_advice *advice =
        dc_advice_add(list, "fast spin",
                      "the spin of \"%.100s\", %.3g rad/s, loses %.0f %% in a second; integrator second_order keeps it",
                      bodies->bodies[body].name, speed, 100 * lost);
    if (bodies->soft_count)
      try_step(site, advice, 0.05 / (speed * speed));
    else
      try_change(site, advice, "time.integrator=%s", "second_order");
  }
}

// Whether the longest edge of a triangle is more than DC_ADVISE_SLIVER times the height above it.  Twice the
// area is |edge x edge|, so that no height has to be computed.
static bool is_sliver(const struct dc_mesh *mesh, const int corners[3])
{
  double edges[2][3], normal[3], longest = 0;
  for (int k = 0; k < 3; k++)
    longest = fmax(longest, dc_vec_distance(mesh->vertices[corners[k]], mesh->vertices[corners[(k + 1) % 3]]));
  dc_vec_sub(edges[0], mesh->vertices[corners[1]], mesh->vertices[corners[0]]);
  dc_vec_sub(edges[1], mesh->vertices[corners[2]], mesh->vertices[corners[0]]);
  dc_vec_cross(normal, edges[0], edges[1]);
  return longest * longest > DC_ADVISE_SLIVER * dc_vec_norm(normal);
}

// Spheres about slivers are as large as the body: the hierarchy has no distance to work with.
// The attempt replaces the mesh by its convex hull of 64 points, with edges of a fifth of the cube root of the
// volume. Only the first such shape is named.
static void advise_slivers(const struct site *site)
{
  const struct dc_scene *scene = site->scene;
  struct dc_advice_list *list = site->list;
  for (int s = 0; s < scene->definition.shape_count; s++) {
    const struct dc_shape *shape = &scene->shapes[s];
    int slivers = 0;
    for (int t = 0; t < shape->mesh.triangle_count; t++)
      slivers += is_sliver(&shape->mesh, shape->mesh.triangles[t]);
    if (slivers <= DC_ADVISE_SLIVERS * shape->mesh.triangle_count)
      continue;
    struct dc_advice *advice =
        dc_advice_add(list, "slivers", "%d of %d triangles of \"%.100s\" are %g times as long as high", slivers,
                      shape->mesh.triangle_count, shape->name, DC_ADVISE_SLIVER);
    struct dc_attempt attempt = {0};
    dc_attempt_set(&attempt, "shapes.%.100s.convex=true", shape->name);
    dc_attempt_set(&attempt, "shapes.%.100s.hull_points=64", shape->name);
    dc_attempt_set(&attempt, "shapes.%.100s.longest_edge=%.2g", shape->name, 0.2 * cbrt(shape->properties.volume));
    try_it(site, advice, &attempt);
    return;
  }
}

// The volume of the convex hull of the points of a cloud, m^3; 0: unknown.
// count: set to the number of points. A cloud without a hull (all points in one plane, or no memory) has none to
// compare with.
static double cloud_volume(const struct dc_shape *shape, int *count)
{
  const struct dc_sdf *sdf = shape->sdf;
  struct dc_arena *arena = dc_arena_create();
  struct dc_mesh hull;
  struct dc_mass_properties properties = {0};
  double(*points)[3] = dc_alloc((size_t)sdf->number_count / DC_SDF_POINT, sizeof *points);
  *count = 0;
  for (int i = 0; points && i < sdf->number_count; i += DC_SDF_POINT)
    dc_vec_copy(points[(*count)++], sdf->numbers + i);
  if (arena && points && !dc_hull((const double(*)[3])points, *count, arena, &hull, NULL))
    dc_mesh_mass_properties(&hull, &properties);
  free(points);
  dc_arena_destroy(arena);
  return properties.volume;
}

// Compares the volume of a surface through points with that of the points' convex hull.  Such a surface lies
// within the hull or little outside; one of few points, whose planes count far from them, swells.
static void advise_clouds(const struct site *site)
{
  const struct dc_scene *scene = site->scene;
  for (int s = 0; s < scene->definition.shape_count; s++) {
    const struct dc_shape *shape = &scene->shapes[s];
    int count;
    if (!shape->sdf || shape->sdf->type != &dc_sdf_points)
      continue;
    double hull = cloud_volume(shape, &count), volume = shape->properties.volume;
    if (hull > 0 && volume > DC_ADVISE_SWOLLEN * hull)
      dc_advice_add(
          site->list, "sparse cloud",
          "the surface through the %d points of \"%.100s\" has %.3g m^3, %.2g times the volume of their convex "
          "hull: they are too far apart for the shape to follow (more points, or a mesh or hull of them)",
          count, shape->name, volume, volume / hull);
  }
}

// Twist of a body per unit of a coordinate of its own joint, about the body's frame.
// twist: angular part (rad per unit), then the linear part at the body's frame, direction x arm (m per unit). A slide
// has the linear part only, its direction.
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

// Whether the twists of the coordinates of the body's joint are linearly dependent at the start, by
// Gram-Schmidt: a twist of which the others leave less than DC_DEPENDENT_TWIST of its norm is.  More than six
// are in any case.
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
    if (!(left > DC_DEPENDENT_TWIST * DC_DEPENDENT_TWIST * whole))
      return true;
    for (int j = 0; j < 6; j++)
      columns[k][j] /= sqrt(left);
  }
  return false;
}

// Notes bodies with redundant coordinates and without gains: their joint-space inertia is singular, and only
// gains make the Hessian of a step regular.
static void advise_joints(const struct site *site)
{
  const struct dc_scene *scene = site->scene;
  struct dc_advice_list *list = site->list;
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

// Compares the part of its speed with which a body leaves another, as predicted for 1 m/s, with what the scene
// asks for.
static void advise_restitution(const struct site *site, double stiffness)
{
  const struct dc_resting *resting = site->facts->resting;
  const struct dc_body *bodies = site->scene->model.bodies.bodies;
  if (resting->unlike[0] < 0 || fabs(resting->got - resting->asked) <= DC_ADVISE_RESTITUTION)
    return;
  struct dc_advice *advice = dc_advice_add(
      site->list, "restitution", "\"%.100s\" leaves \"%.100s\" with %.2g of its speed at 1 m/s, asked for is %.2g",
      bodies[resting->unlike[0]].name, bodies[resting->unlike[1]].name, resting->got, resting->asked);
  try_stiffness(site, advice, stiffness);
}

// Friction of a body on its way to a goal, in parts of what is asked for: v / sqrt(v^2 + e^2) at its mean speed v;
// *body: the one that gets least. Smoothed Coulomb friction is mu N v / sqrt(v^2 + e^2), e the speed over which it sets
// in (`friction_smoothing`, m/s). The mean speed is the straight way to the goal over the time of the run. Bodies whose
// way is within the goal's radius need not slide and are passed over.
static double least_friction(const struct dc_scene *scene, const struct dc_pose *poses, int *body, double *speed)
{
  double time = scene->definition.time.step * (double)scene->definition.time.steps, least = 1;
  for (int i = 0; i < scene->task.objective_count; i++) {
    const struct dc_objective *objective = &scene->task.objectives[i];
    double place[3], radius;
    int b;
    for (int k = 0; objective->type->goal && objective->type->goal(objective->options, k, poses, &b, place, &radius);
         k++) {
      double v = dc_vec_distance(place, poses[b].position) / time;
      double part = v / hypot(v, scene->definition.contact.friction_smoothing);
      bool rubs = scene->model.bodies.bodies[b].mass > 0 && dc_model_friction(&scene->model, b) > 0;
      if (rubs && !dc_advice_is_held(scene, b) && v > radius / time && part < least)
        least = part, *body = b, *speed = v;
    }
  }
  return least;
}

// Friction sets in so slowly that a body on its way to its goal hardly has any.
static void advise_friction(const struct site *site)
{
  const struct dc_scene *scene = site->scene;
  const struct dc_bodies *bodies = &scene->model.bodies;
  struct dc_pose *poses = dc_alloc((size_t)bodies->count, sizeof *poses);
  int body = -1;
  double speed = 0, got = 1;
  if (poses) {
    dc_poses(bodies, bodies->initial_q, poses);
    got = least_friction(scene, poses, &body, &speed);
  }
  free(poses);
  if (got >= DC_ADVISE_FRICTION)
    return;
  double asked = dc_model_friction(&scene->model, body);
  struct dc_advice *advice = dc_advice_add(
      site->list, "friction",
      "\"%.100s\" has a friction of %.2g at the %.2g m/s of its way to its goal, asked for is %.2g: it sets "
      "in over %.2g m/s",
      bodies->bodies[body].name, got * asked, speed, asked, scene->definition.contact.friction_smoothing);
  try_change(site, advice, "contact.friction_smoothing=%.2g", 0.2 * speed);
}

// From the plainest mistake to the finest one: units, step, then what contact does with them. Advice on stiffness
// comes before that on restitution, which is not given where the stiffness is to be changed first. A refinement takes
// no steps, and none of it applies.
void dc_advise_scene(const dcsim_scene *handle, const struct dc_scene_facts *facts, struct dc_advice_list *list)
{
  const struct site site = {handle, handle->scene, facts, list};
  if (handle->scene->refinement.given)
    return;
  advise_units(&site);
  advise_step(&site);
  advise_spin(&site);
  advise_restitution(&site, advise_stiffness(&site));
  advise_friction(&site);
  advise_slivers(&site);
  advise_clouds(&site);
  advise_joints(&site);
}
