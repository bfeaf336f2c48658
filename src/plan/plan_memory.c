// SPDX-License-Identifier: Apache-2.0
// Estimates of the memory that plans need.  Arrays that grow with the steps are measured by allocating a few steps and
// scaling; derivatives of body pairs, too large for that, are counted.
#include "plan/plan_memory.h"

#include <math.h>

#include "contact/friction/friction.h"
#include "plan/trajectory_plan.h"

enum { FEW = 32 };

// Each of the next three makes an object and drops it again, so that dc_allocated_bytes counts what it takes.
static void try_input(const struct dc_model *model, int steps)
{
  dc_rollout_input_destroy(dc_rollout_input_create(model, steps));
}

static void try_cotangent(const struct dc_model *model, int steps)
{
  dc_rollout_cotangent_destroy(dc_rollout_cotangent_create(model, steps));
}

static void try_record(const struct dc_model *model, int steps)
{
  dc_trajectory_destroy(dc_record_create(model, steps));
}

// Bytes are linear in the number of steps: two small sizes give slope and intercept.
static double bytes_of(void (*try_steps)(const struct dc_model *model, int steps), const struct dc_model *model,
                       double steps)
{
  size_t begin = dc_allocated_bytes();
  try_steps(model, FEW);
  size_t few = dc_allocated_bytes() - begin;
  try_steps(model, 2 * FEW);
  size_t more = dc_allocated_bytes() - begin - few;
  return (double)few + ((double)more - (double)few) * (steps - FEW) / FEW;
}

// Derivatives of contact for every step and pair; by far the largest part of a plan with many bodies.
static double tape_bytes(const struct dc_model *model, double steps)
{
  return dc_model_stores_tape(model, steps)
             ? steps * (double)dc_model_pair_count(model) * (double)sizeof(struct dc_pair_derivatives)
             : 0;
}

// Adds the bytes of a task's cases.
static double cases_bytes(const struct dc_task *task, double steps,
                          double (*bytes)(const struct dc_model *model, const struct dc_task *task, double steps))
{
  double sum = 0;
  for (int k = 0; k < task->case_count; k++)
    sum += dc_rollout_bytes(task->cases[k].model) + bytes(task->cases[k].model, task->cases[k].task, steps);
  return sum;
}

static double in_memory(const struct dc_model *model, const struct dc_task *task, double steps)
{
  return dc_forward_plan_bytes(model, task, steps, false);
}

// Parameters are linear in the steps as well, of which there may be more than an int can count.
static double parameter_count(const struct dc_model *model, const struct dc_task *task, double steps)
{
  double few = dc_task_parameter_count(task, model, FEW), more = dc_task_parameter_count(task, model, 2 * FEW);
  return few + (more - few) * (steps - FEW) / FEW;
}

// A record, the input, and of each parameter all numbers that a plan keeps, with its group.
static double own_forward_bytes(const struct dc_model *model, const struct dc_task *task, double steps, bool in_file)
{
  return bytes_of(try_record, model, in_file ? fmin(steps, DC_RELEASED_FRAMES) : steps) +
         bytes_of(try_input, model, steps) +
         parameter_count(model, task, steps) * (double)(DC_PLAN_PARAMETER_ARRAYS * sizeof(double) + sizeof(int));
}

double dc_forward_plan_bytes(const struct dc_model *model, const struct dc_task *task, double steps, bool in_file)
{
  return own_forward_bytes(model, task, steps, in_file) + cases_bytes(task, steps, in_memory);
}

double dc_plan_bytes(const struct dc_model *model, const struct dc_task *task, double steps)
{
  const struct dc_bodies *bodies = &model->bodies;
  // First and best trajectory, and derivatives of a loss by the frames.
  return cases_bytes(task, steps, dc_plan_bytes) + own_forward_bytes(model, task, steps, false) +
         tape_bytes(model, steps) + 2 * bytes_of(try_record, model, steps) + bytes_of(try_cotangent, model, steps) +
         (steps + 1) * (6.0 * bodies->count + bodies->nv) * (double)sizeof(double);
}

static double own_kept_bytes(const struct dc_model *model, double steps)
{
  double tape = tape_bytes(model, steps);
  return tape <= DC_MOST_KEPT_BYTES ? tape + bytes_of(try_record, model, steps) : 0;
}

double dc_plan_kept_bytes(const struct dc_model *model, const struct dc_task *task, double steps)
{
  double sum = own_kept_bytes(model, steps);
  for (int k = 0; k < task->case_count; k++)
    sum += own_kept_bytes(task->cases[k].model, steps);
  return sum;
}

double dc_horizon_bytes(const struct dc_model *model, const struct dc_task *task, double length, double steps)
{
  double window = length < steps ? length : steps, targets = steps * model->bodies.actuator_count;
  // Executed frames with targets, and the first trajectory, rolled out in one piece with its own inputs.
  return dc_plan_bytes(model, task, window) + 2 * bytes_of(try_record, model, steps) +
         bytes_of(try_input, model, steps) +
         2 * (targets + parameter_count(model, task, steps)) * (double)sizeof(double);
}

double dc_execution_bytes(const struct dc_plant *plant, double steps)
{
  double all = steps * plant->substeps;
  return dc_rollout_bytes(&plant->model) + bytes_of(try_input, &plant->model, all) +
         bytes_of(try_record, &plant->model, all);
}

// Further bytes of contact, measured for a dozen scenes, all within a fifth of the total.  Per triangle of a body: its
// sphere tree and weights, as per convex leaf, which has vertices of its own besides; per pair: its record.  Per body
// with near bodies: the lists of near triangles, planes and terms at their first size; leaves are fewer.
static const double bytes_per_triangle = 273, bytes_per_leaf_vertex = 80, bytes_per_pair = 2000;
static const double bytes_per_near_pair = 110e3, bytes_per_near_leaves = 85e3;
// Bytes per node of a solid: its part of the sparse Hessian, places of elements in it, vectors and both iterative
// solvers (4100 to 5000 at creation), and their growth at the first solution.
static const double bytes_per_node = 8000;

// Bytes of the colliders of bodies, and of the lists of as many of them as there are pairs.
static double collider_bytes(const struct dc_model *model, double pairs)
{
  const struct dc_model_definition *definition = &model->definition;
  bool leaves = dc_contact_sees_leaves(definition->contact_model, &definition->contact);
  double bytes = 0, lists = 0;
  for (int i = 0; i < model->bodies.count; i++) {
    const struct dc_shape *shape = model->bodies.bodies[i].shape;
    bool leafy = leaves && shape->leaf_count > 0;
    lists += leafy ? bytes_per_near_leaves : bytes_per_near_pair;
    if (!model->bodies.collide[i])
      continue;
    bytes += bytes_per_triangle * (leafy ? shape->leaf_count : shape->mesh.triangle_count);
    for (int l = 0; l < shape->leaf_count && leafy; l++)
      bytes += bytes_per_leaf_vertex * shape->leaves[l].vertex_count;
  }
  return bytes + fmin(1, pairs / model->bodies.count) * lists;
}

// Pairs with both buffers of derivatives, colliders, and three dense matrices of the rigid freedoms; of nodes a
// constant each, as their matrix is sparse.
double dc_rollout_bytes(const struct dc_model *model)
{
  const struct dc_bodies *bodies = &model->bodies;
  double nv = bodies->node_count ? bodies->first_node_v : bodies->nv, pairs = dc_model_pair_count(model);
  double pair =
      bytes_per_pair + 2 * (double)sizeof(struct dc_pair_derivatives) + (double)sizeof(struct dc_friction_derivatives);
  return pairs * pair + collider_bytes(model, pairs) + 3 * nv * nv * (double)sizeof(double) +
         bytes_per_node * bodies->node_count;
}
