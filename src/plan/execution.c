// SPDX-License-Identifier: Apache-2.0
// Plans executed where they were not made: other steps, other models, perturbed starts.
#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "base/random.h"
#include "base/threads.h"
#include "plan/certify.h"
#include "plan/worker.h"

static void copy_design(const struct dc_model *model, const struct dc_design *from, struct dc_design *to)
{
  struct dc_design_array source[DC_DESIGN_ARRAYS], target[DC_DESIGN_ARRAYS];
  dc_design_arrays(from, model->bodies.count, source);
  dc_design_arrays(to, model->bodies.count, target);
  for (int a = 0; a < DC_DESIGN_ARRAYS; a++)
    memcpy(target[a].numbers, source[a].numbers, (size_t)source[a].count * sizeof *source[a].numbers);
}

void dc_execution_input(const struct dc_model *model, const struct dc_rollout_input *from, int division,
                        struct dc_rollout_input *to)
{
  size_t actuators = (size_t)model->bodies.actuator_count;
  memcpy(to->q, from->q, (size_t)model->bodies.nq * sizeof *to->q);
  memcpy(to->velocity, from->velocity, (size_t)model->bodies.nv * sizeof *to->velocity);
  copy_design(model, &from->design, &to->design);
  if (to->shape && from->shape)
    dc_shape_design_copy(to->shape, from->shape);
  for (int t = 0; t < from->steps; t++)
    for (int k = 0; k < division; k++) {
      const double *target = from->target_position + (size_t)t * actuators;
      const double *speed = from->target_velocity + (size_t)t * actuators;
      size_t row = ((size_t)t * (size_t)division + (size_t)k) * actuators;
      double part = (k + 1.0) / division;
      for (size_t i = 0; i < actuators; i++) {
        double before = t ? target[(ptrdiff_t)i - (ptrdiff_t)actuators] : 0;
        to->target_position[row + i] = k + 1 == division ? target[i] : before + part * (target[i] - before);
        to->target_velocity[row + i] = speed[i];
      }
    }
}

static double between(struct dc_random *random, double most)
{
  return most * (2 * dc_random_uniform(random) - 1);
}

// Offsets of the coordinates of one body, whose state is in q, into a tangent; a coordinate with a range goes at most half
// way to its end.
static void draw_offsets(const struct dc_body *body, const double *q, struct dc_random *random, double *tangent)
{
  for (int p = 0; p < body->part_count; p++) {
    const struct dc_joint_part *part = &body->parts[p];
    bool turns = part->kind == DC_PART_BALL || part->kind == DC_PART_HINGE;
    for (int k = 0; k < dc_part_nv(part); k++)
      tangent[part->v + k] = between(random, turns ? DC_PERTURBED_PART : DC_PERTURBED_LENGTH);
    if (part->kind == DC_PART_SLIDE || part->kind == DC_PART_HINGE)
      tangent[part->v] =
          fmax((part->range[0] - q[part->q]) / 2, fmin(tangent[part->v], (part->range[1] - q[part->q]) / 2));
  }
}

static void clear_offsets(const struct dc_body *body, double *tangent)
{
  for (int p = 0; p < body->part_count; p++)
    memset(tangent + body->parts[p].v, 0, (size_t)dc_part_nv(&body->parts[p]) * sizeof *tangent);
}

enum { REDRAWS = 200 };

// Offsets at which nothing overlaps.  Of two bodies that do, both and all that carries them are drawn anew; late ones stay
// where they were.
static void place_bodies(struct dc_rollout *rollout, const struct dc_bodies *bodies, const double *q,
                         struct dc_random *random, struct dc_pose *poses, double *tangent, double *moved)
{
  struct dc_contact *contact = dc_rollout_contact(rollout);
  int pair;
  double depth;
  for (int i = 0; i < bodies->count; i++)
    draw_offsets(&bodies->bodies[i], q, random, tangent);
  for (int attempt = 0; attempt < 2 * REDRAWS; attempt++) {
    dc_state_move(bodies, q, 1, tangent, moved);
    dc_poses(bodies, moved, poses);
    if (!dc_contact_overlap(contact, poses, &pair, &depth))
      return;
    for (int side = 0; side < 2; side++)
      for (int i = dc_contact_pairs(contact)[pair][side]; i >= 0; i = bodies->bodies[i].parent)
        if (attempt < REDRAWS)
          draw_offsets(&bodies->bodies[i], q, random, tangent);
        else
          clear_offsets(&bodies->bodies[i], tangent);
  }
  dc_state_move(bodies, q, 0, tangent, moved);
}

enum dc_status dc_perturb_input(struct dc_rollout *rollout, const struct dc_model *model, uint64_t seed, int draw,
                                struct dc_rollout_input *input, struct dc_error *error)
{
  const struct dc_bodies *bodies = &model->bodies;
  struct dc_random random;
  struct dc_arena *arena = dc_arena_create();
  double *tangent = arena ? dc_arena_alloc(arena, (size_t)bodies->nv, sizeof *tangent) : NULL;
  double *moved = arena ? dc_arena_alloc(arena, (size_t)bodies->nq, sizeof *moved) : NULL;
  struct dc_pose *poses = arena ? dc_arena_alloc(arena, (size_t)bodies->count, sizeof *poses) : NULL;
  if (tangent && moved && poses) {
    // streams of neighbouring draws have nothing in common: the seed is hashed
    dc_random_seed(&random, seed * UINT64_C(0x9e3779b97f4a7c15) + (uint64_t)draw);
    for (int v = 0; v < bodies->nv; v++)
      input->velocity[v] *= 1 + between(&random, DC_PERTURBED_PART);
    for (int i = 0; i < bodies->count; i++) {
      input->design.body_mass_scale[i] *= 1 + between(&random, DC_PERTURBED_PART);
      input->design.friction_scale[i] *= 1 + between(&random, DC_PERTURBED_PART);
    }
    place_bodies(rollout, bodies, input->q, &random, poses, tangent, moved);
    memcpy(input->q, moved, (size_t)bodies->nq * sizeof *moved);
  }
  bool done = tangent && moved && poses;
  dc_arena_destroy(arena);
  return done ? DC_OK : dc_fail(error, DC_MEMORY, "out of memory for a perturbed start");
}

// Draw 0 is the plan's own start.
struct executions {
  struct dc_plan_team team;
  const struct dc_rollout_input *from;
  int division;
  uint64_t seed;
  enum dc_status *statuses;
  bool *reached;
  struct dc_error *first;  // of draw 0
  dc_rollout_proceed *proceed;
  void *context;
  atomic_bool stopped;
};

static void execution_pass(void *context, int index, int thread)
{
  struct executions *e = context;
  struct dc_plan *plan = e->team.plans[thread];
  if (thread == 0 && e->proceed && !e->proceed(e->context))
    e->stopped = true;
  if (e->stopped)
    return;
  struct dc_error error = {0};
  dc_rollout_input_reset(plan->model, plan->input);
  dc_execution_input(plan->model, e->from, e->division, plan->input);
  enum dc_status status =
      index ? dc_perturb_input(plan->rollout, plan->model, e->seed, index, plan->input, &error) : DC_OK;
  if (!status)
    status = dc_plan_roll_out(plan, &error);
  e->statuses[index] = status;
  e->reached[index] = !status && dc_task_success(plan->task, plan->model, plan->trajectory, plan->trajectory->steps);
  if (index == 0)
    *e->first = error;
}

static enum dc_status sum_up(const struct executions *e, int draws, struct dc_execution *execution,
                             struct dc_error *error)
{
  if (e->stopped)
    return dc_fail(error, DC_STOPPED, "stopped");
  for (int i = 0; i <= draws; i++)
    if (e->statuses[i] && e->statuses[i] != DC_INFEASIBLE && e->statuses[i] != DC_NUMERICAL)
      return dc_fail(error, e->statuses[i], "out of memory for a rollout");
  execution->ran = e->statuses[0] == DC_OK;
  execution->reached = e->reached[0];
  execution->draws = draws;
  for (int i = 1; i <= draws; i++) {
    execution->failed += e->statuses[i] != DC_OK;
    execution->hits += e->reached[i];
  }
  return DC_OK;
}

enum dc_status dc_execute(const struct dc_model *model, const struct dc_task *task, const struct dc_rollout_input *from,
                          int division, int draws, uint64_t seed, dc_rollout_proceed *proceed, void *context,
                          struct dc_execution *execution, struct dc_error *error)
{
  struct executions e = {.from = from,
                         .division = division,
                         .seed = seed,
                         .first = &execution->error,
                         .proceed = proceed,
                         .context = context};
  struct dc_arena *arena = dc_arena_create();
  *execution = (struct dc_execution){0};
  e.statuses = arena ? dc_arena_alloc(arena, (size_t)draws + 1, sizeof *e.statuses) : NULL;
  e.reached = arena ? dc_arena_alloc(arena, (size_t)draws + 1, sizeof *e.reached) : NULL;
  struct dc_plan *plan =
      e.statuses && e.reached ? dc_plan_create_forward(model, task, from->steps * division, false, error) : NULL;
  enum dc_status status = plan ? DC_OK : dc_fail(error, DC_MEMORY, "out of memory for executions");
  if (!status)
    status = dc_plan_team_create_forward(plan, draws < dc_threads() ? draws + 1 : dc_threads(), &e.team, error);
  if (!status) {
    dc_loop_run(execution_pass, &e, draws + 1, e.team.count, NULL);
    status = sum_up(&e, draws, execution, error);
  }
  if (plan)
    dc_plan_team_release(&e.team);
  dc_plan_destroy(plan);
  dc_arena_destroy(arena);
  return status;
}
