// SPDX-License-Identifier: Apache-2.0
// Random instances of billiards-like tasks (shot.h): draws controls until enough bodies move far, and makes their end
// positions the targets.
#include "plan/shot.h"

#include <string.h>

#include "base/random.h"
#include "math/vector.h"
#include "plan/trajectory_plan.h"

enum { DRAWS = 400 };

// Parameters uniform within +- a bound that their names choose: velocities or positions.
static void draw_parameters(const struct dc_shot *shot, const struct dc_plan *plan, struct dc_random *random, double *x)
{
  for (int i = 0; i < plan->parameter_count; i++) {
    char name[128];
    dc_task_parameter_name(plan->task, plan->model, plan->window.steps, i, name, sizeof name);
    double bound = strstr(name, "velocity.") ? shot->velocity : shot->position;
    x[i] = bound * (2 * dc_random_uniform(random) - 1);
  }
}

// Whether a control sets the body's own start or drives its joint.
static bool controlled(const struct dc_plan *plan, const double *velocity, const struct dc_body *body)
{
  const double *q = plan->input->q + body->q_offset, *v = plan->input->velocity + body->v_offset;
  const double *initial_q = plan->model->bodies.initial_q + body->q_offset, *initial_v = velocity + body->v_offset;
  bool same = body->actuator < 0;
  for (int k = 0; k < body->nq && same; k++)
    same = q[k] == initial_q[k];
  for (int k = 0; k < body->nv && same; k++)
    same = v[k] == initial_v[k];
  return !same;
}

static const double *end_position(const struct dc_plan *plan, int body)
{
  return plan->trajectory->poses[(size_t)plan->window.steps * (size_t)plan->model->bodies.count + (size_t)body]
      .position;
}

// Lists free bodies that moved far enough in moved [bodies]; returns their number.  velocity [nv] is the model's own
// start.
static int find_moved(const struct dc_shot *shot, const struct dc_plan *plan, const double *velocity, int *moved)
{
  const struct dc_bodies *bodies = &plan->model->bodies;
  int count = 0;
  for (int i = 0; i < bodies->count; i++) {
    const struct dc_body *body = &bodies->bodies[i];
    if (!body->free || controlled(plan, velocity, body))
      continue;
    if (dc_vec_distance(end_position(plan, i), body->start.position) >= shot->minimum_distance)
      moved[count++] = i;
  }
  return count;
}

// The target of a shot is where the body ended up, so that the task is known to be solvable.
static enum dc_status add_objective(const struct dc_shot *shot, const struct dc_plan *plan, int body,
                                    struct dc_task *task, struct dc_arena *arena, struct dc_error *error)
{
  const struct dc_objective_type *reach = &dc_objective_reach;
  struct dc_reach_options *options = dc_arena_alloc(arena, 1, reach->options_size);
  if (!options)
    return dc_out_of_memory_for(error, "an objective");
  enum dc_status status = dc_options_set_defaults(reach->options, options, arena, error);
  options->body = body;
  dc_vec_copy(options->target, end_position(plan, body));
  options->tolerance = shot->tolerance;
  options->weight = shot->weight;
  task->objectives[task->objective_count++] = (struct dc_objective){.type = reach, .options = options};
  return status;
}

// Draws reference controls until one moves enough balls by minimum_distance.  Some of these, chosen at random, get the
// places where they ended as targets.
static enum dc_status draw(const struct dc_shot *shot, uint64_t seed, struct dc_plan *plan, struct dc_task *task,
                           struct dc_arena *arena, struct dc_error *error)
{
  struct dc_random random;
  dc_random_seed(&random, seed);
  double *x = dc_arena_alloc(arena, (size_t)plan->parameter_count, sizeof *x), loss;
  int *moved = dc_arena_alloc(arena, (size_t)plan->model->bodies.count, sizeof *moved);
  double *velocity = dc_arena_alloc(arena, (size_t)plan->model->bodies.nv, sizeof *velocity);
  size_t total = (size_t)task->objective_count + (size_t)shot->balls;
  struct dc_objective *objectives = dc_arena_alloc(arena, total, sizeof *objectives);
  if (!x || !moved || !velocity || !objectives)
    return dc_out_of_memory_for(error, "a random shot");
  if (task->objective_count)
    memcpy(objectives, task->objectives, (size_t)task->objective_count * sizeof *objectives);
  task->objectives = objectives;
  dc_initial_velocity(&plan->model->bodies, velocity);
  for (int attempt = 0; attempt < DRAWS; attempt++) {
    draw_parameters(shot, plan, &random, x);
    enum dc_status status = dc_plan_evaluate(plan, x, &loss, NULL, error);
    if (dc_point_has_no_value(status))
      continue;
    if (status)
      return status;
    int count = find_moved(shot, plan, velocity, moved);
    if (count < shot->balls)
      continue;
    for (int b = 0; b < shot->balls && !status; b++) {  // a random choice among those that moved
      int pick = b + (int)(dc_random_uniform(&random) * (count - b));
      int body = moved[pick];
      moved[pick] = moved[b];
      status = add_objective(shot, plan, body, task, arena, error);
    }
    return status;
  }
  return dc_fail(error, DC_BAD_INPUT, "no random control out of %d moved %ld bodies by %g m", DRAWS, shot->balls,
                 shot->minimum_distance);
}

enum dc_status dc_shot_draw(const struct dc_shot *shot, uint64_t seed, const struct dc_model *model,
                            struct dc_task *task, struct dc_arena *arena, struct dc_error *error)
{
  struct dc_task controls_only = {.control_count = task->control_count, .controls = task->controls};
  struct dc_plan *plan = dc_plan_create_forward(model, &controls_only, (int)model->definition.time.steps, false, error);
  if (!plan)
    return error ? error->status : DC_MEMORY;
  enum dc_status status = draw(shot, seed, plan, task, arena, error);
  dc_plan_destroy(plan);
  return status;
}
