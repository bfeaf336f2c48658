// SPDX-License-Identifier: Apache-2.0
// A first guess by inverse kinematics (race_grasp.h).
//
// With the body's centre b, up the direction against gravity, and hand i at x_i(y), y the displacements of actuators:
//
// 1. Every hand keeps its direction u_i, level, from the middle of all hands at the start; r_i is its distance from
//    there.
// 2. Hands are wanted at  b + rise up + aside + u_i r_i,  with rise as small as lets their lower ends clear the body's.
//    y minimizes  sum_i |x_i(y) - wanted_i|^2 + damping |y - y_before|^2  by Gauss-Newton steps; derivatives are differences.
// 3. r_i is that of the start, or more where the body does not fit between; closed hands have it less by the gap that
//    the witness points tell and by the squeeze.
// 4. The way: above the body, down, closed, up, across above all that is near the straight line, down to the goal.
//    Between these places displacements are linear in time.
// 5. A body that controls move themselves is its own hand: up, across above all that is near the line, down; only where
//    something reaches higher than the body's lower side would pass.
#include "plan/race_grasp.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "math/cholesky.h"
#include "math/vector.h"
#include "task/actuator_coordinates.h"
#include "task/clearance.h"
#include "task/drives.h"

enum { MOST_ROWS = 3 * DC_APPROACH_HANDS, STEPS = 12 };  // Gauss-Newton steps of one place
static const double DIFFERENCE = 1e-6;  // of a displacement, m or rad
static const double DAMPING = 1e-4;     // relative to the mean diagonal of J^T J
static const double ROOM = 0.1;         // of open hands beside the body, and under their ends, in its radius

// The places of the way, and the parts of the run at which hands are there.
enum place { ABOVE, OPEN, CLOSED, RAISED, ACROSS, GOAL, PLACES };
struct leg {
  double time;
  enum place place;
};
static const struct leg way[] = {{0.12, ABOVE}, {0.27, OPEN}, {0.38, CLOSED}, {0.42, CLOSED}, {0.58, RAISED}, {0.74, ACROSS}, {0.86, GOAL}, {1, GOAL}};
// The way of a body that moves itself; it waits above the goal, since drives lag behind.  One that begins high
// enough is not raised.
enum { LEGS_ITSELF = 5 };
static const struct leg way_itself[LEGS_ITSELF] = {
    {0.22, RAISED}, {0.5, ACROSS}, {0.68, ACROSS}, {0.88, GOAL}, {1, GOAL}};
static const struct leg way_level[LEGS_ITSELF] = {{0, RAISED}, {0.42, ACROSS}, {0.65, ACROSS}, {0.88, GOAL}, {1, GOAL}};

struct site {
  const struct dc_approach *approach;
  const struct dc_bodies *bodies;
  struct dc_pose *poses;  // [bodies]
  double *q;              // [nq]
  bool itself, raised;    // the body is its own hand, and has to rise first
  int count;              // of coordinates
  struct {
    int q, entry;
    double low, high;
  } of[DC_GRASP_COORDINATES];
  double up[3], start[3], goal[3];  // of the body's centre
  double middle[3], outward[DC_APPROACH_HANDS][3], radius[DC_APPROACH_HANDS];
};

// Whether a body is a hand or carries one: only then its own coordinates move hands.
static bool leads(const struct site *site, int body)
{
  for (int i = 0; i < site->approach->hand_count; i++)
    for (int up = site->approach->hands[i]; up >= 0; up = site->bodies->bodies[up].parent)
      if (up == body)
        return true;
  return false;
}

// The slides and hinges that the control's targets move and that lead hands; false: there are too many.
static bool add_coordinates(struct site *site, const struct dc_control *control, const struct dc_model *model)
{
  struct dc_actuator_coordinates coordinates = dc_actuator_coordinates(control->options, model);
  for (int c = 0; c < coordinates.count; c++) {
    const struct dc_actuator_coordinate *own = &coordinates.items[c];
    const struct dc_body *body = &site->bodies->bodies[own->body];
    for (int p = 0; p < body->part_count && !body->free && leads(site, own->body); p++) {
      const struct dc_joint_part *part = &body->parts[p];
      bool scalar = part->kind == DC_PART_SLIDE || part->kind == DC_PART_HINGE;
      if (!scalar || part->v - body->v_offset != own->index)
        continue;
      if (site->count == DC_GRASP_COORDINATES)
        return false;
      site->of[site->count].q = part->q;
      site->of[site->count].entry = own->entry;
      site->of[site->count].low = own->bounds.low;
      site->of[site->count++].high = own->bounds.high;
    }
  }
  return true;
}

static void place_at(struct site *site, const double *y)
{
  memcpy(site->q, site->bodies->initial_q, (size_t)site->bodies->nq * sizeof *site->q);
  for (int c = 0; c < site->count; c++)
    site->q[site->of[c].q] += y[c];
  dc_poses(site->bodies, site->q, site->poses);
}

// The rows x_i - wanted_i; returns their number.
static int differences(struct site *site, const double *y, double wanted[][3], double *rows)
{
  place_at(site, y);
  for (int i = 0; i < site->approach->hand_count; i++)
    dc_vec_sub(rows + 3 * i, site->poses[site->approach->hands[i]].position, wanted[i]);
  return 3 * site->approach->hand_count;
}

// One damped Gauss-Newton step within the bounds of targets.
static bool step(struct site *site, double wanted[][3], double *y)
{
  double at[MOST_ROWS], moved[MOST_ROWS], jacobian[DC_GRASP_COORDINATES][MOST_ROWS], gradient[DC_GRASP_COORDINATES] = {0};
  int n = site->count, stride = dc_cholesky_stride(n), rows = differences(site, y, wanted, at);
  double *normal = dc_alloc((size_t)(stride * stride), sizeof *normal), mean = 0;
  if (!normal)
    return false;
  for (int c = 0; c < n; c++) {
    double before = y[c];
    y[c] += DIFFERENCE;
    differences(site, y, wanted, moved);
    y[c] = before;
    for (int r = 0; r < rows; r++)
      jacobian[c][r] = (moved[r] - at[r]) / DIFFERENCE;
    for (int r = 0; r < rows; r++)
      gradient[c] -= jacobian[c][r] * at[r];
    for (int r = 0; r < rows; r++)
      mean += jacobian[c][r] * jacobian[c][r] / n;
  }
  for (int c = 0; c < n; c++)
    for (int d = 0; d <= c; d++) {
      double sum = c == d ? DAMPING * fmax(mean, 1e-300) : 0;
      for (int r = 0; r < rows; r++)
        sum += jacobian[c][r] * jacobian[d][r];
      normal[d * stride + c] = sum;
    }
  bool solved = dc_cholesky_factor(n, normal);
  if (solved)
    dc_cholesky_solve(n, normal, gradient);
  for (int c = 0; c < n && solved; c++)
    y[c] = fmin(fmax(y[c] + gradient[c], site->of[c].low), site->of[c].high);
  free(normal);
  return solved;
}

// Brings the hands around a point of the world, so far from it.
static bool bring(struct site *site, const double at[3], const double *radius, double *y)
{
  double wanted[DC_APPROACH_HANDS][3];
  bool solved = true;
  for (int i = 0; i < site->approach->hand_count; i++)
    dc_vec_add_scaled(wanted[i], at, radius[i], site->outward[i]);
  for (int k = 0; k < STEPS && solved; k++)
    solved = step(site, wanted, y);
  if (solved)
    place_at(site, y);
  return solved;
}

// How far the body reaches along a direction from its centre, m.
static double extent(const struct site *site, int body, const double direction[3])
{
  const struct dc_body *own = &site->bodies->bodies[body];
  double along[3], most = 0;
  dc_mat_apply_transposed(along, site->poses[body].rotation, direction);
  for (int v = 0; v < own->shape->mesh.vertex_count; v++)
    most = fmax(most, dc_vec_dot(own->shape->mesh.vertices[v], along) - dc_vec_dot(own->center, along));
  return most;
}

// The height, along up, of all that stands near the straight line from start to goal; -INFINITY: nothing does.
static double height_between(const struct site *site)
{
  const struct dc_bodies *bodies = site->bodies;
  int body = site->approach->body;
  double top = -INFINITY, line[3];
  dc_vec_sub(line, site->goal, site->start);
  dc_vec_add_scaled(line, line, -dc_vec_dot(line, site->up), site->up);
  for (int i = 0; i < bodies->count; i++) {
    const struct dc_body *other = &bodies->bodies[i];
    double from[3];
    bool hand = false;
    for (int k = 0; k < site->approach->hand_count; k++)
      hand = hand || dc_bodies_are_joined(bodies, i, site->approach->hands[k]);
    if (hand || dc_bodies_are_joined(bodies, i, body) || (other->shape->type && other->shape->type->half_space) ||
        other->shape->mesh.vertex_count == 0)
      continue;
    dc_vec_sub(from, site->poses[i].position, site->start);
    double height = dc_vec_dot(from, site->up), square = dc_vec_dot(line, line);
    dc_vec_add_scaled(from, from, -height, site->up);
    double part = square > 0 ? fmin(fmax(dc_vec_dot(from, line) / square, 0), 1) : 0;
    dc_vec_add_scaled(from, from, -part, line);
    if (dc_vec_norm(from) < other->radius + bodies->bodies[body].radius)
      top = fmax(top, dc_vec_dot(site->poses[i].position, site->up) + extent(site, i, site->up));
  }
  return top;
}

// Start and goal of the body, directions and distances of the hands.
static bool look(struct site *site, const struct dc_model *model, const struct dc_task *task)
{
  const struct dc_approach *approach = site->approach;
  double g = dc_vec_norm(model->definition.gravity), radius;
  bool found = false;
  dc_poses(site->bodies, site->bodies->initial_q, site->poses);
  dc_vec_copy(site->start, site->poses[approach->body].position);
  for (int k = 0; k < task->objective_count && !found; k++) {
    const struct dc_objective *objective = &task->objectives[k];
    for (int i = 0, body;
         !found && objective->type->goal && objective->type->goal(objective->options, i, site->poses, &body, site->goal, &radius);
         i++)
      found = body == approach->body;
  }
  if (!found || !(site->itself || approach->hand_count > 1) || !(g > 0))
    return false;
  dc_vec_scale(site->up, model->definition.gravity, -1 / g);
  if (site->itself)
    return true;
  for (int i = 0; i < approach->hand_count; i++)
    dc_vec_add_scaled(site->middle, site->middle, 1.0 / approach->hand_count, site->poses[approach->hands[i]].position);
  for (int i = 0; i < approach->hand_count; i++) {
    double *outward = site->outward[i];
    dc_vec_sub(outward, site->poses[approach->hands[i]].position, site->middle);
    dc_vec_add_scaled(outward, outward, -dc_vec_dot(outward, site->up), site->up);
    site->radius[i] = dc_vec_norm(outward);
    if (!(site->radius[i] > 0))
      return false;
    dc_vec_scale(outward, outward, 1 / site->radius[i]);
  }
  return true;
}

// Distances of closed hands from their middle, from the gaps of open ones, which are opened where the body does not
// fit.
static bool close_hands(struct site *site, const double at[3], double squeeze, double *y, double *closed)
{
  const struct dc_approach *approach = site->approach;
  double size = site->bodies->bodies[approach->body].radius;
  for (int round = 0; round < 2; round++) {
    bool fits = true;
    if (!bring(site, at, site->radius, y))
      return false;
    for (int i = 0; i < approach->hand_count; i++) {
      const int pair[2] = {approach->hands[i], approach->body};
      const struct dc_pose *const poses[2] = {&site->poses[pair[0]], &site->poses[pair[1]]};
      struct dc_witness witness;
      if (!dc_clearance_nearest(site->bodies, pair, poses, &witness))
        return false;
      closed[i] = site->radius[i] - witness.distance - squeeze * size;
      fits = fits && witness.distance >= ROOM * size;
      site->radius[i] += fmax(ROOM * size - witness.distance, 0);
    }
    if (fits)
      break;
  }
  return true;
}

// The same for a body that moves itself; false: nothing stands in its way.
static bool plan_own_way(struct site *site, const struct dc_grasp *grasp, double (*y)[DC_GRASP_COORDINATES])
{
  static const double none[DC_APPROACH_HANDS] = {0};
  int body = site->approach->body;
  double size = site->bodies->bodies[body].radius, down[3], at[3];
  dc_vec_scale(down, site->up, -1);
  double below = extent(site, body, down), between = height_between(site);
  double own = dc_vec_dot(site->start, site->up), goal = dc_vec_dot(site->goal, site->up);
  double top = fmax(fmax(own, goal), between + below + grasp->clearance * size);
  bool solved = between > fmin(own, goal) - below + ROOM * size;
  site->raised = top > own + ROOM * size;
  memset(y[CLOSED], 0, sizeof y[CLOSED]);
  for (enum place p = RAISED; p < PLACES && solved; p++) {
    memcpy(y[p], y[p - 1], sizeof y[p]);
    dc_vec_copy(at, p == RAISED ? site->start : site->goal);
    if (p != GOAL)
      dc_vec_add_scaled(at, at, top - (p == RAISED ? own : goal), site->up);
    if (p != GOAL)
      dc_vec_add_scaled(at, at, size, grasp->aside);
    solved = bring(site, at, none, y[p]);
  }
  return solved;
}

// Displacements [PLACES][count] at all places of the way.
static bool plan_way(struct site *site, const struct dc_grasp *grasp, double (*y)[DC_GRASP_COORDINATES])
{
  int body = site->approach->body;
  double size = site->bodies->bodies[body].radius, down[3], closed[DC_APPROACH_HANDS], at[3], rise = 0;
  dc_vec_scale(down, site->up, -1);
  double below = extent(site, body, down);
  for (int i = 0; i < site->approach->hand_count; i++)
    rise = fmax(rise, extent(site, site->approach->hands[i], down) + ROOM * size - below);
  double own = dc_vec_dot(site->start, site->up), goal = dc_vec_dot(site->goal, site->up);
  double top = fmax(fmax(own, goal), height_between(site) + below) + grasp->clearance * size;
  double offset[3], middle = dc_vec_dot(site->middle, site->up);
  dc_vec_scale(offset, site->up, rise);
  dc_vec_add_scaled(offset, offset, size, grasp->aside);
  memset(y[ABOVE], 0, sizeof y[ABOVE]);
  dc_vec_add(at, site->start, offset);
  dc_vec_add_scaled(at, at, fmax(middle - own - rise, 0), site->up);
  bool solved = bring(site, at, site->radius, y[ABOVE]);
  memcpy(y[OPEN], y[ABOVE], sizeof y[OPEN]);
  dc_vec_add(at, site->start, offset);
  solved = solved && close_hands(site, at, grasp->squeeze, y[OPEN], closed) && bring(site, at, site->radius, y[OPEN]);
  for (enum place p = CLOSED; p < PLACES && solved; p++) {
    memcpy(y[p], y[p - 1], sizeof y[p]);
    dc_vec_add(at, p <= RAISED ? site->start : site->goal, offset);
    if (p == RAISED || p == ACROSS)
      dc_vec_add_scaled(at, at, top - (p == RAISED ? own : goal), site->up);
    solved = bring(site, at, closed, y[p]);
  }
  return solved;
}

// Targets [steps][actuators] along the way.
static void fill(const struct site *site, const struct dc_window *window, int actuators,
                 double (*y)[DC_GRASP_COORDINATES], double *targets)
{
  static const double none[DC_GRASP_COORDINATES] = {0};
  const struct leg *legs = !site->itself ? way : site->raised ? way_itself : way_level;
  int count = site->itself ? LEGS_ITSELF : sizeof way / sizeof *way;
  for (int s = 0, leg = 0; s < window->steps; s++) {
    double now = (s + 0.5) / window->steps;
    while (leg + 1 < count && now > legs[leg].time)
      leg++;
    double from = leg ? legs[leg - 1].time : 0, part = (now - from) / (legs[leg].time - from);
    const double *a = leg ? y[legs[leg - 1].place] : none, *b = y[legs[leg].place];
    for (int c = 0; c < site->count; c++)
      targets[s * actuators + site->of[c].entry] = a[c] + fmin(part, 1) * (b[c] - a[c]);
  }
}

static bool takes_part(const struct site *site, const struct dc_actuator_coordinate *coordinate)
{
  for (int k = 0; k < site->count; k++)
    if (coordinate->entry == site->of[k].entry)
      return true;
  return false;
}

// Sets the parameters of a control [blocks][coordinates] whose coordinates take part; others keep theirs.
static bool aim(const struct site *site, const struct dc_control *control, const struct dc_model *model,
                const struct dc_window *window, const double *state, const double *targets, double *parameters)
{
  struct dc_actuator_coordinates coordinates = dc_actuator_coordinates(control->options, model);
  int count = control->type->parameter_count(control->options, model, window->steps);
  double *aimed = dc_alloc((size_t)count + 1, sizeof *aimed);
  if (!aimed)
    return false;
  control->type->aim(control->options, model, window, state, targets, aimed);
  for (int i = 0; i < count; i++)
    if (takes_part(site, &coordinates.items[i % coordinates.count]))
      parameters[i] = aimed[i];
  free(aimed);
  return true;
}

static bool guess(const struct dc_approach *approach, bool itself, const struct dc_model *model,
                  const struct dc_task *task, const struct dc_window *window, const double *state,
                  struct dc_grasp *grasp, double *parameters)
{
  const struct dc_bodies *bodies = &model->bodies;
  double y[PLACES][DC_GRASP_COORDINATES];
  struct site site = {.approach = approach, .bodies = bodies, .itself = itself};
  double *targets = dc_alloc((size_t)window->steps * (size_t)bodies->actuator_count + 1, sizeof *targets);
  site.poses = dc_alloc((size_t)bodies->count, sizeof *site.poses);
  site.q = dc_alloc((size_t)bodies->nq + 1, sizeof *site.q);
  bool made = targets && site.poses && site.q && look(&site, model, task);
  for (int i = 0; i < task->control_count && made; i++)
    if (task->controls[i].type == &dc_control_pd_targets && !add_coordinates(&site, &task->controls[i], model)) {
      grasp->crowded = true;
      made = false;
    }
  made = made && site.count > 0 && (itself ? plan_own_way(&site, grasp, y) : plan_way(&site, grasp, y));
  if (made)
    fill(&site, window, bodies->actuator_count, y, targets);
  for (int i = 0; i < task->control_count && made; i++) {
    const struct dc_control *control = &task->controls[i];
    if (control->type == &dc_control_pd_targets)
      made = aim(&site, control, model, window, state, targets, parameters);
    parameters += control->type->parameter_count(control->options, model, window->steps);
  }
  free(targets);
  free(site.poses);
  free(site.q);
  return made;
}

bool dc_grasp_guess(const struct dc_hands *hands, const struct dc_model *model, const struct dc_task *task,
                    const struct dc_window *window, const double *state, struct dc_grasp *grasp, double *parameters)
{
  grasp->crowded = false;
  grasp->itself = !(hands->can_take && guess(&hands->around, false, model, task, window, state, grasp, parameters));
  return !grasp->itself ||
         (hands->can_move && guess(&hands->itself, true, model, task, window, state, grasp, parameters));
}

enum dc_status dc_grasp_begin(const struct dc_model *model, const struct dc_task *task, int steps,
                              struct dc_grasp *grasp, double *parameters, struct dc_error *error)
{
  const struct dc_window window = {.steps = steps, .time_step = model->definition.time.step};
  struct dc_arena *arena = dc_arena_create();
  double *state = dc_alloc((size_t)dc_task_state_size(task, model) + 1, sizeof *state);
  struct dc_hands hands;
  enum dc_status status = arena && state ? DC_OK : dc_out_of_memory_for(error, "a first guess");
  if (!status)
    dc_task_start(task, model, state);
  if (!status) {
    hands.can_take = dc_approach_create(&hands.around, model, task, 1, arena);
    hands.can_move = dc_approach_itself(&hands.itself, model, task);
  }
  if (!status && !dc_grasp_guess(&hands, model, task, &window, state, grasp, parameters))
    status = grasp->crowded
                 ? dc_fail(error, DC_BAD_INPUT, "init.type: more than %d slides and hinges of \"pd_targets\" lead the hands, too many for a grasp",
                           DC_GRASP_COORDINATES)
                 : dc_fail(error, DC_BAD_INPUT,
                           "init.type: a grasp needs gravity, a place that a body is to reach, and two hands around it "
                           "whose slides or hinges \"pd_targets\" move, or something in the way of a body that these "
                           "move themselves");
  free(state);
  dc_arena_destroy(arena);
  return status;
}
