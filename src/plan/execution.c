// SPDX-License-Identifier: Apache-2.0
// Executes plans in a plant from their own start and from perturbed starts, side by side, and counts those that reach
// the task.  Targets and forces of controls are the plan's throughout: nothing reacts to what the plant does
// differently.
#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "base/random.h"
#include "base/threads.h"
#include "plan/certify.h"

// Uniform in [-most, most].
static double between(struct dc_random *random, double most)
{
  return most * (2 * dc_random_uniform(random) - 1);
}

// Draws offsets of one body's coordinates, whose state is in q, into a tangent; a coordinate with a range moves at most
// half way to its end.
static void draw_offsets(const struct dc_body *body, const struct dc_design *design, const double *q,
                         struct dc_random *random, double *tangent)
{
  for (int p = 0; p < body->part_count; p++) {
    const struct dc_joint_part *part = &body->parts[p];
    bool turns = part->kind == DC_PART_BALL || part->kind == DC_PART_HINGE;
    for (int k = 0; k < dc_part_nv(part); k++)
      tangent[part->v + k] = between(random, turns ? DC_PERTURBED_PART : DC_PERTURBED_LENGTH);
    if (part->kind == DC_PART_SLIDE || part->kind == DC_PART_HINGE) {
      double range[2];
      dc_design_range(design, part, range);
      tangent[part->v] = fmax((range[0] - q[part->q]) / 2, fmin(tangent[part->v], (range[1] - q[part->q]) / 2));
    }
  }
}

static void clear_offsets(const struct dc_body *body, double *tangent)
{
  for (int p = 0; p < body->part_count; p++)
    memset(tangent + body->parts[p].v, 0, (size_t)dc_part_nv(&body->parts[p]) * sizeof *tangent);
}

// Attempts to draw anew, and as many to put back, before a perturbed start is the plan's own.
enum { REDRAWS = 200 };

// Draws offsets at which nothing overlaps.  Of two overlapping bodies, both and all that carry them are drawn anew;
// late in the process they are put back instead.
static void place_bodies(struct dc_contact *contact, const struct dc_bodies *bodies, const struct dc_design *design,
                         const double *q, struct dc_random *random, struct dc_pose *poses, double *tangent,
                         double *moved)
{
  int pair;
  double depth;
  for (int i = 0; i < bodies->count; i++)
    draw_offsets(&bodies->bodies[i], design, q, random, tangent);
  for (int attempt = 0; attempt < 2 * REDRAWS; attempt++) {
    dc_state_move(bodies, q, 1, tangent, moved);
    dc_poses(bodies, moved, poses);
    if (!dc_contact_overlap(contact, poses, &pair, &depth))
      return;
    for (int side = 0; side < 2; side++)
      for (int i = dc_contact_pairs(contact)[pair][side]; i >= 0; i = bodies->bodies[i].parent)
        if (attempt < REDRAWS)
          draw_offsets(&bodies->bodies[i], design, q, random, tangent);
        else
          clear_offsets(&bodies->bodies[i], tangent);
  }
  dc_state_move(bodies, q, 0, tangent, moved);
}

// Draws velocities, masses and coefficients of friction within DC_PERTURBED_PART of their own, and offsets of bodies at
// which nothing overlaps.
enum dc_status dc_perturb_input(struct dc_contact *contact, const struct dc_model *model, uint64_t seed, int draw,
                                struct dc_rollout_input *input, struct dc_error *error)
{
  const struct dc_bodies *bodies = &model->bodies;
  struct dc_random random;
  struct dc_arena *arena = dc_arena_create();
  double *tangent = arena ? dc_arena_alloc(arena, (size_t)bodies->nv, sizeof *tangent) : NULL;
  double *moved = arena ? dc_arena_alloc(arena, (size_t)bodies->nq, sizeof *moved) : NULL;
  struct dc_pose *poses = arena ? dc_arena_alloc(arena, (size_t)bodies->count, sizeof *poses) : NULL;
  if (tangent && moved && poses) {
    // The seed is hashed, so that streams of neighbouring draws are independent.
    dc_random_seed(&random, seed * UINT64_C(0x9e3779b97f4a7c15) + (uint64_t)draw);
    for (int v = 0; v < bodies->nv; v++)
      input->velocity[v] *= 1 + between(&random, DC_PERTURBED_PART);
    for (int i = 0; i < bodies->count; i++) {
      input->design.body_mass_scale[i] *= 1 + between(&random, DC_PERTURBED_PART);
      input->design.friction_scale[i] *= 1 + between(&random, DC_PERTURBED_PART);
    }
    place_bodies(contact, bodies, &input->design, input->q, &random, poses, tangent, moved);
    memcpy(input->q, moved, (size_t)bodies->nq * sizeof *moved);
  }
  bool done = tangent && moved && poses;
  dc_arena_destroy(arena);
  return done ? DC_OK : dc_out_of_memory_for(error, "a perturbed start");
}

// Workspace of one thread.
struct executor {
  struct dc_execution *execution;
  struct dc_rollout_input *input;
  struct dc_trajectory *executed;
};

// All draws; draw 0 is the plan's own start.
struct draws {
  const struct dc_model *model;
  const struct dc_task *task;
  const struct dc_rollout_input *from;
  uint64_t seed;
  struct executor *executors;
  int executor_count;
  enum dc_status *statuses;
  bool *reached;
  struct dc_error *first;  // error of draw 0
  dc_rollout_proceed *proceed;
  void *context;
  atomic_bool stopped;
};

static void release_executor(struct executor *own)
{
  dc_execution_destroy(own->execution);
  dc_rollout_input_destroy(own->input);
  dc_trajectory_destroy(own->executed);
}

// One thread's plant, with inputs and records of its own. Targets and forces are those of the plan and stay; a draw
// only changes what is uncertain.
static enum dc_status create_executor(const struct draws *d, const struct dc_plant *plant, struct executor *own,
                                      struct dc_error *error)
{
  const struct dc_rollout_input *from = d->from;
  size_t bytes = (size_t)from->steps * (size_t)d->model->bodies.actuator_count * sizeof(double);
  own->execution = dc_execution_create(plant, from->steps, error);
  if (!own->execution)
    return error->status;
  own->input = dc_rollout_input_create(&plant->model, from->steps);
  own->executed = dc_record_create(d->model, from->steps);
  if (!own->input || !own->executed || (from->force && dc_rollout_input_add_forces(&plant->model, own->input)))
    return dc_out_of_memory_for(error, "executions");
  memcpy(own->input->target_position, from->target_position, bytes);
  memcpy(own->input->target_velocity, from->target_velocity, bytes);
  if (from->force)
    memcpy(own->input->force, from->force,
           (size_t)from->steps * (size_t)d->model->bodies.nv * sizeof *own->input->force);
  return DC_OK;
}

// Creates as many executors as there are threads, or memory.
static enum dc_status create_executors(struct draws *d, const struct dc_plant *plant, int wanted,
                                       struct dc_error *error)
{
  struct dc_error local = {0};
  for (; d->executor_count < wanted; d->executor_count++)
    if (create_executor(d, plant, &d->executors[d->executor_count], &local)) {
      release_executor(&d->executors[d->executor_count]);
      break;
    }
  if (d->executor_count)
    return DC_OK;
  *error = local;
  return local.status;
}

// One execution in the plant: draw 0 from the given start, the others from perturbed ones.  Notes whether it ran and
// whether the task is reached.
static void execute_draw(void *context, int index, int thread)
{
  struct draws *d = context;
  struct executor *own = &d->executors[thread];
  if (thread == 0 && d->proceed && !d->proceed(d->context))
    d->stopped = true;
  if (d->stopped)
    return;
  struct dc_error error = {0};
  enum dc_status status = DC_OK;
  int steps = own->input->steps;
  dc_rollout_input_copy_start(d->model, d->from, own->input);
  if (index)
    status = dc_perturb_input(dc_rollout_contact(dc_execution_rollout(own->execution)), d->model, d->seed, index,
                              own->input, &error);
  if (!status)
    status = dc_execution_begin(own->execution, own->input, steps, own->executed, &error);
  // The design determines where points of bodies are, so that the task is judged with its model.
  const struct dc_model *designed =
      status ? NULL : dc_rollout_adopt(dc_execution_rollout(own->execution), own->input, NULL);
  d->statuses[index] = status;
  d->reached[index] = designed && dc_task_success(d->task, designed, own->input, own->executed, steps);
  if (index == 0)
    *d->first = error;
}

// Counts the draws that reached the task and those that could not be rolled out; draw 0 is the one without
// perturbation.
static enum dc_status sum_up(const struct draws *d, int draws, struct dc_executions *executions, struct dc_error *error)
{
  if (d->stopped)
    return dc_fail(error, DC_STOPPED, "stopped");
  for (int i = 0; i <= draws; i++)
    if (d->statuses[i] && !dc_point_has_no_value(d->statuses[i]))
      return dc_fail(error, d->statuses[i], "out of memory for a rollout");
  executions->ran = d->statuses[0] == DC_OK;
  executions->reached = d->reached[0];
  executions->draws = draws;
  for (int i = 1; i <= draws; i++) {
    executions->failed += d->statuses[i] != DC_OK;
    executions->hits += d->reached[i];
  }
  return DC_OK;
}

// Executes the plan and `draws` perturbed ones in the plant, by as many threads as there are.
enum dc_status dc_execute(const struct dc_plant *plant, const struct dc_model *model, const struct dc_task *task,
                          const struct dc_rollout_input *from, int draws, uint64_t seed, dc_rollout_proceed *proceed,
                          void *context, struct dc_executions *executions, struct dc_error *error)
{
  struct draws d = {.model = model,
                    .task = task,
                    .from = from,
                    .seed = seed,
                    .first = &executions->error,
                    .proceed = proceed,
                    .context = context};
  int wanted = draws < dc_threads() ? draws + 1 : dc_threads();
  struct dc_arena *arena = dc_arena_create();
  *executions = (struct dc_executions){0};
  d.statuses = arena ? dc_arena_alloc(arena, (size_t)draws + 1, sizeof *d.statuses) : NULL;
  d.reached = arena ? dc_arena_alloc(arena, (size_t)draws + 1, sizeof *d.reached) : NULL;
  d.executors = arena ? dc_arena_alloc(arena, (size_t)wanted, sizeof *d.executors) : NULL;
  bool complete = d.statuses && d.reached && d.executors;
  enum dc_status status =
      complete ? create_executors(&d, plant, wanted, error) : dc_out_of_memory_for(error, "executions");
  if (!status) {
    dc_loop_run(execute_draw, &d, draws + 1, d.executor_count, NULL);
    status = sum_up(&d, draws, executions, error);
  }
  for (int i = 0; i < d.executor_count; i++)
    release_executor(&d.executors[i]);
  dc_arena_destroy(arena);
  return status;
}
