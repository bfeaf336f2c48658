// SPDX-License-Identifier: Apache-2.0
// Routes of pushers as first guesses (route.h).
//
// For a pusher and a body with a goal it chooses the yaw at which the pusher is thinnest along the push, and a point
// behind the body.  The path to this point is straight if it passes; else it leads around the body to the left or right
// on a circle, or over it.  From there the pusher moves along the line to the goal.  The targets follow this path with
// a speed from which friction could brake the body within the rest of its way.
#include "plan/route.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "math/rotation.h"
#include "math/vector.h"
#include "task/actuator_coordinates.h"

enum { MOST_POINTS = 16, GOALS = 4, YAWS = 16 };
static const double BESIDE = 0.25;  // gap between pusher and body before the push, in radii of the body
static const double BEHIND = 0.35;  // rad: the push starts at once when the pusher is this close to its line
static const double ARC = 0.5;      // rad between points of the path around
static const double TOUCH = 0.1;    // speed at the first touch, relative to the largest
static const double BRAKE = 0.25;   // deceleration of the body, relative to gravity
static const double OVER = 0.3;     // height above obstacles on the path over, in half heights of the pusher
static const double PI = 3.14159265358979323846;

// A pusher: a free body, with the coordinates that its control moves.
struct pusher {
  int body;
  const struct dc_control *control;
  int offset;  // first of the control's parameters
  struct dc_actuator_coordinates coordinates;
  double speed;
};

// A body and its goal.
struct aim {
  int body;
  double goal[3], way[3], distance;  // way: unit vector towards the goal, perpendicular to gravity
};

// The bodies at the start of a window, with axes along and across gravity.
struct place {
  const struct dc_model *model;
  const struct dc_pose *poses;
  double up[3], side[3], ahead[3];  // orthonormal
  double gravity;
};

struct point {
  // position in the world; speed on the way to it; deceleration before it, m/s^2; speed at it
  double at[3], speed, brake, leave;
};

struct route {
  int count;
  struct point points[MOST_POINTS];
  double yaw;
};

// up is against gravity, or z without it; side and ahead complete it to a frame, from the coordinate axis that is the
// least parallel to up.
static void set_axes(struct place *place)
{
  const double *gravity = place->model->definition.gravity;
  place->gravity = dc_vec_norm(gravity);
  for (int i = 0; i < 3; i++)
    place->up[i] = place->gravity > 0 ? -gravity[i] / place->gravity : i == 2;
  int least = 0;
  for (int i = 1; i < 3; i++)
    if (fabs(place->up[i]) < fabs(place->up[least]))
      least = i;
  double axis[3] = {least == 0, least == 1, least == 2};
  dc_vec_cross(place->side, place->up, axis);
  dc_vec_scale(place->side, place->side, 1 / dc_vec_norm(place->side));
  dc_vec_cross(place->ahead, place->side, place->up);
}

// Extent of a body, rotated by yaw about up, along a direction from its centre of mass, m: the largest product with a
// vertex, or the radius of a body without vertices.
static double reach_along(const struct place *place, int body, double yaw, const double *direction)
{
  const struct dc_body *b = &place->model->bodies.bodies[body];
  double turn[3], quaternion[4], matrix[9], largest = 0;
  dc_vec_scale(turn, place->up, yaw);
  dc_rotation_exp(quaternion, turn);
  dc_rotation_multiply(quaternion, quaternion, place->poses[body].quaternion);
  dc_rotation_matrix(matrix, quaternion);
  for (int v = 0; v < b->shape->mesh.vertex_count; v++) {
    double arm[3], along = 0;
    dc_vec_sub(arm, b->shape->mesh.vertices[v], b->center);
    for (int i = 0; i < 3; i++)
      along += direction[i] * dc_vec_dot(matrix + 3 * i, arm);
    largest = fmax(largest, along);
  }
  return b->shape->mesh.vertex_count ? largest : b->radius;
}

// Largest extent across gravity.
static double radius_across(const struct place *place, int body)
{
  const struct dc_body *b = &place->model->bodies.bodies[body];
  double largest = 0;
  for (int v = 0; v < b->shape->mesh.vertex_count; v++) {
    double arm[3], world[3];
    dc_vec_sub(arm, b->shape->mesh.vertices[v], b->center);
    for (int i = 0; i < 3; i++)
      world[i] = dc_vec_dot(place->poses[body].rotation + 3 * i, arm);
    double a = dc_vec_dot(world, place->side), c = dc_vec_dot(world, place->ahead);
    largest = fmax(largest, sqrt(a * a + c * c));
  }
  return b->shape->mesh.vertex_count ? largest : b->radius;
}

// Rotation of a body about up since the start, rad.
static double yaw_of(const struct place *place, int body)
{
  double inverse[4], relative[4], turn[3];
  dc_rotation_conjugate(inverse, place->model->bodies.bodies[body].start.quaternion);
  dc_rotation_multiply(relative, place->poses[body].quaternion, inverse);
  dc_rotation_log(turn, relative);
  return dc_vec_dot(turn, place->up);
}

// The coordinate of the pusher that turns about up (first 0) or moves along it (first 3), as coordinates 0 to 2 are
// rotations and 3 to 5 displacements along world axes; NULL: none.
static const struct dc_actuator_coordinate *coordinate_along(const struct pusher *pusher, const struct place *place,
                                                             int first)
{
  for (int i = 0; i < pusher->coordinates.count; i++) {
    const struct dc_actuator_coordinate *c = &pusher->coordinates.items[i];
    if (c->index >= first && c->index < first + 3 && fabs(place->up[c->index - first]) > 0.99)
      return c;
  }
  return NULL;
}

// The yaw, within its bounds, at which the pusher is thinnest along the way: of 2 YAWS equal steps around, with a
// small preference for little turning.
static double best_yaw(const struct place *place, const struct pusher *pusher, const double *way)
{
  const struct dc_actuator_coordinate *turning = coordinate_along(pusher, place, 0);
  double now = yaw_of(place, pusher->body), best = now, least = INFINITY;
  if (!turning)
    return now;
  for (int k = 0; k < 2 * YAWS; k++) {
    double yaw = now + PI * (k - YAWS) / YAWS;
    if (yaw < turning->bounds.low || yaw > turning->bounds.high)
      continue;
    double thickness = reach_along(place, pusher->body, yaw - now, way) + 1e-3 * fabs(yaw - now);
    if (thickness < least)
      least = thickness, best = yaw;
  }
  return best;
}

static void add_point(struct route *route, const double *at, double speed)
{
  if (route->count == MOST_POINTS)
    return;
  struct point *point = &route->points[route->count++];
  dc_vec_copy(point->at, at);
  point->speed = point->leave = speed;
  point->brake = INFINITY;
}

// Adds points on a circle around the body, from the pusher's position to behind it; sign: direction of rotation.
static void go_around(const struct place *place, const struct pusher *pusher, const double *center,
                      const double *behind, double clearance, double sign, double speed, struct route *route)
{
  double from[3], to[3], at[3];
  dc_vec_sub(from, place->poses[pusher->body].position, center);
  dc_vec_sub(to, behind, center);
  double a = atan2(dc_vec_dot(from, place->ahead), dc_vec_dot(from, place->side));
  double turn = atan2(dc_vec_dot(to, place->ahead), dc_vec_dot(to, place->side)) - a;
  double height = dc_vec_dot(to, place->up);
  turn = sign > 0 ? fmod(turn + 4 * PI, 2 * PI) : -fmod(4 * PI - turn, 2 * PI);
  double flat = sqrt(fmax(dc_vec_dot(from, from) - pow(dc_vec_dot(from, place->up), 2), 0));
  int count = (int)ceil(fabs(turn) / ARC);
  for (int k = flat < clearance ? 0 : 1; k < count; k++) {
    double part = (double)k / count, angle = a + part * turn;
    double radius = fmax(clearance, (1 - part) * flat + part * clearance);
    dc_vec_add_scaled(at, center, radius * cos(angle), place->side);
    dc_vec_add_scaled(at, at, radius * sin(angle), place->ahead);
    dc_vec_add_scaled(at, at, height, place->up);
    add_point(route, at, speed);
  }
}

// Whether the segment from a to b keeps the clearance from the center, measured across gravity.
static bool passes(const struct place *place, const double *a, const double *b, const double *center, double clearance)
{
  double along[3], from[3];
  dc_vec_sub(along, b, a);
  dc_vec_sub(from, center, a);
  dc_vec_add_scaled(along, along, -dc_vec_dot(along, place->up), place->up);
  dc_vec_add_scaled(from, from, -dc_vec_dot(from, place->up), place->up);
  double length = dc_vec_dot(along, along);
  double s = length > 0 ? fmin(fmax(dc_vec_dot(from, along) / length, 0), 1) : 0;
  dc_vec_add_scaled(from, from, -s, along);
  return dc_vec_norm(from) >= clearance;
}

enum kind { LEFT, RIGHT, ABOVE, KINDS };

// Adds points up, across and down again.  False: there is no room.
static bool go_over(const struct place *place, const struct pusher *pusher, const double *behind, double speed,
                    struct route *route)
{
  const struct dc_actuator_coordinate *lifting = coordinate_along(pusher, place, 3);
  if (!lifting)
    return false;
  const struct dc_bodies *bodies = &place->model->bodies;
  const double *here = place->poses[pusher->body].position;
  double down[3], top = -INFINITY, at[3];
  dc_vec_scale(down, place->up, -1);
  double below = reach_along(place, pusher->body, 0, down);
  for (int b = 0; b < bodies->count; b++)
    if (b != pusher->body && dc_body_moves(&bodies->bodies[b]))
      top = fmax(top, dc_vec_dot(place->poses[b].position, place->up) + reach_along(place, b, 0, place->up));
  double height = top + (1 + OVER) * below;
  double highest = dc_vec_dot(bodies->bodies[pusher->body].start.position, place->up) + lifting->bounds.high;
  if (!(height <= highest))
    return false;
  double now = dc_vec_dot(here, place->up);
  if (now < height) {
    dc_vec_add_scaled(at, here, height - now, place->up);
    add_point(route, at, speed);
  }
  dc_vec_add_scaled(at, behind, height - dc_vec_dot(behind, place->up), place->up);
  add_point(route, at, speed);
  return true;
}

// Height of the push: that of the body's middle, or such that the lower ends are level.
static double push_height(const struct place *place, const struct pusher *pusher, int body)
{
  double down[3];
  dc_vec_scale(down, place->up, -1);
  double middle = dc_vec_dot(place->poses[body].position, place->up);
  double height = fmax(middle, middle - reach_along(place, body, 0, down) + reach_along(place, pusher->body, 0, down));
  const struct dc_actuator_coordinate *lifting = coordinate_along(pusher, place, 3);
  if (!lifting)
    return dc_vec_dot(place->poses[pusher->body].position, place->up);
  double start = dc_vec_dot(place->model->bodies.bodies[pusher->body].start.position, place->up);
  return fmin(fmax(height, start + lifting->bounds.low), start + lifting->bounds.high);
}

// Plans one route.  False: there is none, or it equals an earlier one.
//
// * contact: where the pusher touches the body, at the height of the push; behind: a little before it; end: where it
//   has pushed the body to its goal.
// * ready: the pusher is behind the body already, near its line; it pushes at once.
// * open: the way to `behind` is free.
// * Otherwise the way leads over the body, if the pusher can be lifted so high, or around it to the left and to the
//   right.
// The kinds LEFT, RIGHT and ABOVE are asked for in turn; ways that do not depend on the kind belong to one of them.
static bool plan_route(const struct place *place, const struct pusher *pusher, const struct aim *aim, enum kind kind,
                       double push, struct route *route)
{
  double back[3], contact[3], behind[3], end[3], from[3];
  const double *center = place->poses[aim->body].position, *here = place->poses[pusher->body].position;
  *route = (struct route){.yaw = best_yaw(place, pusher, aim->way)};
  dc_vec_scale(back, aim->way, -1);
  double turned = route->yaw - yaw_of(place, pusher->body);
  double reach = reach_along(place, pusher->body, turned, aim->way) + reach_along(place, aim->body, 0, back);
  double radius = radius_across(place, aim->body), clearance = radius + radius_across(place, pusher->body);
  double height = push_height(place, pusher, aim->body) - dc_vec_dot(center, place->up);
  dc_vec_add_scaled(contact, center, height, place->up);
  dc_vec_add_scaled(contact, contact, -reach, aim->way);
  dc_vec_add_scaled(behind, contact, -BESIDE * radius, aim->way);
  dc_vec_add_scaled(end, contact, aim->distance, aim->way);
  dc_vec_sub(from, here, center);
  dc_vec_add_scaled(from, from, -dc_vec_dot(from, place->up), place->up);
  double ahead = -dc_vec_dot(from, aim->way), flat = dc_vec_norm(from), speed = 0.9 * pusher->speed;
  bool level = fabs(dc_vec_dot(here, place->up) - dc_vec_dot(contact, place->up)) < 0.5 * radius;
  bool ready = ahead > flat * cos(BEHIND) && flat < 2 * reach && level;
  bool open = level && (ahead > flat * cos(2 * BEHIND) || passes(place, here, behind, center, 0.95 * clearance));
  if (ready || open) {
    if (kind != LEFT)
      return false;
  } else if (go_over(place, pusher, behind, speed, route)) {
    if (kind != ABOVE)
      return false;
  } else if (kind == ABOVE) {
    return false;
  } else {
    go_around(place, pusher, center, behind, clearance, kind == LEFT ? 1 : -1, speed, route);
  }
  if (!ready) {
    add_point(route, behind, speed);
    route->points[route->count - 1].leave = 2 * TOUCH * pusher->speed;
    route->points[route->count - 1].brake = speed / 0.2;
  }
  add_point(route, end, push);
  route->points[route->count - 1].leave = 0;
  route->points[route->count - 1].brake =
      place->gravity > 0 ? BRAKE * place->gravity : push * push / fmax(aim->distance, 1e-6);
  return true;
}

static double length_of(const struct route *route, const double *from)
{
  double length = 0;
  for (int i = 0; i < route->count; from = route->points[i++].at)
    length += dc_vec_distance(from, route->points[i].at);
  return length;
}

// Converts a route to targets [steps][actuators]: displacements from the initial pose.  In each step the target moves
// along the route by speed times step, through as many points as that reaches.  The speed is bounded by what brakes
// to the next point's speed, v^2 <= leave^2 + 2 brake length, and on the push it starts slowly and grows as friction
// could slow the body.
static void follow(const struct place *place, const struct pusher *pusher, const struct route *route,
                   const struct dc_window *window, double *targets)
{
  const struct dc_body *body = &place->model->bodies.bodies[pusher->body];
  double at[3], speed = 0, h = window->time_step;
  dc_vec_copy(at, place->poses[pusher->body].position);
  for (int step = 0, next = 0; step < window->steps; step++) {
    double left = 0;
    for (bool moved = false; next < route->count; next++) {
      const struct point *point = &route->points[next];
      double way[3];
      dc_vec_sub(way, point->at, at);
      double length = dc_vec_norm(way);
      if (!moved) {
        double brake = isinf(point->brake) ? point->speed / h : point->brake;
        bool last = next == route->count - 1;
        speed = fmin(last ? fmax(speed, TOUCH * pusher->speed) + point->brake * h : INFINITY, point->speed);
        speed = fmin(speed, sqrt(point->leave * point->leave + 2 * brake * length) + 1e-3);
        left = speed * h;
        moved = true;
      }
      if (length > left) {
        dc_vec_add_scaled(at, at, left / length, way);
        break;
      }
      dc_vec_copy(at, point->at);
      left -= length;
    }
    double *target = targets + (size_t)step * (size_t)place->model->bodies.actuator_count + body->actuator;
    dc_vec_scale(target, place->up, route->yaw);
    dc_vec_sub(target + 3, at, body->start.position);
  }
}

// Lists goals that are not reached yet, of other bodies: the farthest from their goals and the nearest to the pusher.
static int find_aims(const struct dc_task *task, const struct place *place, int pusher, struct aim aims[GOALS])
{
  int count = 0;
  for (int rank = 0; rank < GOALS; rank++) {
    struct aim best = {.body = -1};
    double largest = -INFINITY;
    for (int o = 0; o < task->objective_count; o++) {
      const struct dc_objective *objective = &task->objectives[o];
      struct aim aim;
      double radius;
      for (int i = 0; objective->type->goal &&
                      objective->type->goal(objective->options, i, place->poses, &aim.body, aim.goal, &radius);
           i++) {
        const double *center = place->poses[aim.body].position;
        dc_vec_sub(aim.way, aim.goal, center);
        dc_vec_add_scaled(aim.way, aim.way, -dc_vec_dot(aim.way, place->up), place->up);
        aim.distance = dc_vec_norm(aim.way);
        bool known = aim.body == pusher || !dc_body_moves(&place->model->bodies.bodies[aim.body]);
        for (int k = 0; k < count; k++)
          known |= aims[k].body == aim.body;
        if (known || !(aim.distance > radius))
          continue;
        // Even places: the farthest from its goal; odd ones: the nearest to the pusher.
        double score = rank % 2 == 0 ? aim.distance : -dc_vec_distance(center, place->poses[pusher].position);
        if (score <= largest)
          continue;
        largest = score;
        dc_vec_scale(aim.way, aim.way, 1 / aim.distance);
        best = aim;
      }
    }
    if (best.body < 0)
      break;
    aims[count++] = best;
  }
  return count;
}

// Whether a control can push: it can be aimed, and its actuator moves a free body.  Notes speed and place of its
// parameters.
static bool find_pusher(const struct dc_plan *plan, int number, struct pusher *pusher)
{
  const struct dc_control *control = &plan->task->controls[number];
  if (!control->type->aim)
    return false;
  const struct dc_actuator_options *options = control->options;
  *pusher = (struct pusher){.body = options->body, .control = control};
  if (!plan->model->bodies.bodies[options->body].free)
    return false;
  pusher->coordinates = dc_actuator_coordinates(options, plan->model);
  pusher->speed = control->type->speed ? control->type->speed(control->options) : INFINITY;
  if (!isfinite(pusher->speed))  // fast means twenty times its own size per second
    pusher->speed = 20 * plan->model->bodies.bodies[options->body].radius;
  for (int i = 0; i < number; i++) {
    const struct dc_control *before = &plan->task->controls[i];
    pusher->offset += before->type->parameter_count(before->options, plan->model, plan->window.steps);
  }
  return true;
}

static int state_offset(const struct dc_plan *plan, int number)
{
  int offset = 0;
  for (int i = 0; i < number; i++) {
    const struct dc_control *before = &plan->task->controls[i];
    offset += before->type->state_size ? before->type->state_size(before->options, plan->model) : 0;
  }
  return offset;
}

// All routes of one pusher.
static int guess_of(const struct dc_plan *plan, const struct place *place, int number, const double *base, int most,
                    double *targets, double *guesses, double *lengths)
{
  static const double pushes[2] = {0.5, 0.25};  // push speeds, relative to the largest
  struct pusher pusher;
  struct aim aims[GOALS];
  int count = 0;
  if (!find_pusher(plan, number, &pusher))
    return 0;
  int aim_count = find_aims(plan->task, place, pusher.body, aims);
  for (int i = 0; i < aim_count; i++)
    for (int kind = 0; kind < KINDS; kind++)
      for (int k = 0; k < 2 && count < most; k++) {
        struct route route;
        if (!plan_route(place, &pusher, &aims[i], (enum kind)kind, pushes[k] * pusher.speed, &route))
          continue;
        lengths[count] = length_of(&route, place->poses[pusher.body].position);
        double *guess = guesses + (size_t)count++ * (size_t)plan->parameter_count;
        memcpy(guess, base, (size_t)plan->parameter_count * sizeof *guess);
        follow(place, &pusher, &route, &plan->window, targets);
        pusher.control->type->aim(pusher.control->options, plan->model, &plan->window,
                                  plan->state + state_offset(plan, number), targets, guess + pusher.offset);
      }
  return count;
}

// Guesses of every control that can push (guess_of), at most `most` in all, with the lengths of their ways.
int dc_route_guesses(const struct dc_plan *plan, const double *base, int most, double *guesses, double *lengths,
                     bool *memory)
{
  const struct dc_bodies *bodies = &plan->model->bodies;
  size_t actuators = (size_t)bodies->actuator_count;
  struct dc_pose *poses = dc_alloc((size_t)bodies->count, sizeof *poses);
  double *targets = dc_alloc((size_t)plan->window.steps * actuators, sizeof *targets);
  struct place place = {.model = plan->model, .poses = poses};
  int count = 0;
  *memory = !poses || !targets;
  if (!*memory) {
    dc_poses(bodies, plan->start.q ? plan->start.q : bodies->initial_q, poses);
    set_axes(&place);
    for (int i = 0; i < plan->task->control_count; i++)
      count += guess_of(plan, &place, i, base, most - count, targets,
                        guesses + (size_t)count * (size_t)plan->parameter_count, lengths + count);
  }
  free(poses);
  free(targets);
  return count;
}
