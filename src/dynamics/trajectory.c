// SPDX-License-Identifier: Apache-2.0
// A trajectory is a set of arrays by frame or step (list_arrays), on the heap or one behind the other in a mapped file,
// and a growing list of the states inside of divided steps.
#include "dynamics/step.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dynamics/impact_late.h"
#include "math/vector.h"

// Arrays by frame or step; bytes of a cache line.
enum { ARRAYS = 10, ALIGNMENT = 64 };

struct request {
  void *pointer;  // to the pointer to be set
  size_t count, size;
};

// The arrays of a trajectory of so many steps.
static void list_arrays(const struct dc_model *model, int steps, int pair_count, struct dc_trajectory *trajectory,
                        struct request requests[ARRAYS])
{
  size_t n = (size_t)steps, bodies = (size_t)model->bodies.count, nq = (size_t)model->bodies.nq;
  size_t nv = dc_model_keeps_velocity(model) ? (size_t)model->bodies.nv : 0;
  trajectory->memory_count = (int)dc_model_memory_count(model);
  const struct request list[ARRAYS] = {{&trajectory->q, (n + 1) * nq, sizeof *trajectory->q},
                                       {&trajectory->poses, (n + 1) * bodies, sizeof *trajectory->poses},
                                       {&trajectory->velocity, (n + 1) * nv, sizeof *trajectory->velocity},
                                       {&trajectory->min_gap, n + 1, sizeof *trajectory->min_gap},
                                       {&trajectory->newton_iterations, n, sizeof *trajectory->newton_iterations},
                                       {&trajectory->evaluations, n, sizeof *trajectory->evaluations},
                                       {&trajectory->converged, n, sizeof *trajectory->converged},
                                       {&trajectory->pairs, n * (size_t)pair_count, sizeof *trajectory->pairs},
                                       {&trajectory->remembers, n, sizeof *trajectory->remembers},
                                       {&trajectory->between_first, n + 1, sizeof *trajectory->between_first}};
  memcpy(requests, list, sizeof list);
}

// Numbers per interval: those of friction and restitution for every pair and every node at a half-space, then, where
// bounces are on time, those of impact_late.h for every pair.
size_t dc_model_memory_count(const struct dc_model *model)
{
  if (!dc_model_remembers(model))
    return 0;
  return dc_impact_late_place(model) +
         (model->definition.contact.on_time ? DC_LATE_NUMBERS : 0) * (size_t)dc_model_pair_count(model);
}

// Bytes of one array in a mapped file, padded so that the next one begins on a cache line.
static size_t bytes_of(const struct request *request)
{
  return (request->count * request->size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

// Allocates all arrays of a trajectory, in an arena or one after the other in a mapped file.
static struct dc_trajectory *create(const struct dc_model *model, int steps, int pair_count,
                                    const struct dc_mapped_file *file)
{
  struct dc_trajectory *trajectory = dc_alloc(1, sizeof *trajectory);
  struct request requests[ARRAYS];
  bool complete = true;
  if (!trajectory)
    return NULL;
  trajectory->steps = steps;
  trajectory->nq = model->bodies.nq;
  trajectory->nv = model->bodies.nv;
  trajectory->bodies = model->bodies.count;
  trajectory->pair_count = pair_count;
  trajectory->time_step = model->definition.time.step;
  list_arrays(model, steps, pair_count, trajectory, requests);
  char *place = file ? file->bytes : NULL;
  trajectory->arena = file ? NULL : dc_arena_create();
  for (int i = 0; i < ARRAYS; i++) {
    void *memory = file ? place : dc_arena_alloc(trajectory->arena, requests[i].count, requests[i].size);
    place += file ? bytes_of(&requests[i]) : 0;
    complete &= memory != NULL;
    memcpy(requests[i].pointer, &memory, sizeof memory);
  }
  if (!dc_model_keeps_velocity(model))
    trajectory->velocity = NULL;
  if (file)
    trajectory->file = *file;
  if (complete)
    return trajectory;
  dc_trajectory_destroy(trajectory);
  return NULL;
}

// A trajectory has derivatives of pairs for each step if the model is small enough to store them (the tape); a record
// never has.
struct dc_trajectory *dc_trajectory_create(const struct dc_model *model, int steps)
{
  return create(model, steps, dc_model_stores_tape(model, steps) ? dc_model_pair_count(model) : 0, NULL);
}

// A record holds states for later reading and has no tape; in a mapped file it may be larger than memory.
struct dc_trajectory *dc_record_create(const struct dc_model *model, int steps)
{
  return create(model, steps, 0, NULL);
}

struct dc_trajectory *dc_record_create_in(const struct dc_model *model, int steps, const struct dc_mapped_file *file)
{
  return create(model, steps, 0, file);
}

enum dc_status dc_record_add_velocity(struct dc_trajectory *record, int steps)
{
  if (!record->velocity)
    record->velocity = dc_arena_alloc(record->arena, ((size_t)steps + 1) * (size_t)record->nv, sizeof *record->velocity);
  return record->velocity ? DC_OK : DC_MEMORY;
}

// The file's size follows from the same list of arrays that create walks through, so that both agree.
size_t dc_record_bytes(const struct dc_model *model, int steps)
{
  struct dc_trajectory none;
  struct request requests[ARRAYS];
  size_t sum = 0;
  list_arrays(model, steps, 0, &none, requests);
  for (int i = 0; i < ARRAYS; i++)
    sum += bytes_of(&requests[i]);
  return sum;
}

// Gives pages of a mapped file back to the system, once in DC_RELEASED_FRAMES frames.
void dc_trajectory_release(const struct dc_trajectory *trajectory, int frame)
{
  if (frame % DC_RELEASED_FRAMES == DC_RELEASED_FRAMES - 1)
    dc_mapped_file_release(&trajectory->file);
}

void dc_trajectory_destroy(struct dc_trajectory *trajectory)
{
  if (!trajectory)
    return;
  if (trajectory->file.bytes)
    dc_mapped_file_destroy(&trajectory->file);
  dc_arena_destroy(trajectory->arena);
  free(trajectory->between.at);
  free(trajectory->between.q);
  free(trajectory->between.pairs);
  free(trajectory->between.remembers);
  free(trajectory->memories.numbers);
  free(trajectory);
}

struct dc_pair_derivatives *dc_trajectory_pairs(const struct dc_trajectory *trajectory, int step)
{
  return trajectory->pair_count ? trajectory->pairs + (size_t)step * (size_t)trajectory->pair_count : NULL;
}

void dc_trajectory_set_memory(double *to, size_t numbers, const double *memory)
{
  if (numbers && memory)
    memcpy(to, memory, numbers * sizeof *to);
  else if (numbers)
    memset(to, 0, numbers * sizeof *to);
}

void dc_trajectory_clear_between(struct dc_trajectory *trajectory)
{
  trajectory->between.count = trajectory->memories.count = 0;
}

// Keeps a memory unless it is nothing; its number, or 0.
static enum dc_status remember(struct dc_trajectory *trajectory, const double *memory, int *number)
{
  struct dc_memories *memories = &trajectory->memories;
  size_t numbers = (size_t)trajectory->memory_count, from = (size_t)memories->count * numbers;
  *number = 0;
  if (!memory || dc_all_zero(memory, numbers))
    return DC_OK;
  if (dc_grow(&memories->numbers, &memories->capacity, from + numbers, sizeof *memories->numbers))
    return DC_MEMORY;
  memcpy(memories->numbers + from, memory, numbers * sizeof *memory);
  *number = ++memories->count;
  return DC_OK;
}

enum dc_status dc_trajectory_remember(struct dc_trajectory *trajectory, int step, const double *memory)
{
  return remember(trajectory, memory, &trajectory->remembers[step]);
}

// Memories are counted from 1, so that 0 is none: all zeros, which is what most steps leave.
static const double *memory_of(const struct dc_trajectory *trajectory, int number)
{
  return number ? trajectory->memories.numbers + (size_t)(number - 1) * (size_t)trajectory->memory_count : NULL;
}

// Adds a state within a step, where a divided step ended a part; at: its time as a share of the step.
enum dc_status dc_trajectory_add_between(struct dc_trajectory *trajectory, int step, double at, const double *q,
                                         const struct dc_pair_derivatives *pairs, const double *memory)
{
  struct dc_between *between = &trajectory->between;
  size_t count = (size_t)between->count, nq = (size_t)trajectory->nq, pair_count = (size_t)trajectory->pair_count;
  if (dc_grow(&between->at, &between->at_capacity, count + 1, sizeof *between->at) ||
      dc_grow(&between->q, &between->q_capacity, (count + 1) * nq, sizeof *between->q) ||
      dc_grow(&between->pairs, &between->pair_capacity, (count + 1) * pair_count, sizeof *between->pairs) ||
      dc_grow(&between->remembers, &between->remembers_capacity, count + 1, sizeof *between->remembers) ||
      remember(trajectory, memory, &between->remembers[count]))
    return DC_MEMORY;
  between->at[count] = at;
  if (nq)
    memcpy(between->q + count * nq, q, nq * sizeof *q);
  if (pair_count && pairs)
    memcpy(between->pairs + count * pair_count, pairs, pair_count * sizeof *pairs);
  trajectory->between_first[step + 1] = ++between->count;
  return DC_OK;
}

// Appends the first `count` steps of another trajectory, with the states within them.
enum dc_status dc_trajectory_append(struct dc_trajectory *to, const struct dc_trajectory *from, int count)
{
  size_t k = (size_t)to->steps, n = (size_t)count, nq = (size_t)to->nq, nv = (size_t)to->nv,
         bodies = (size_t)to->bodies, pairs = (size_t)to->pair_count;
  memcpy(to->q + (k + 1) * nq, from->q + nq, n * nq * sizeof *to->q);
  memcpy(to->poses + (k + 1) * bodies, from->poses + bodies, n * bodies * sizeof *to->poses);
  if (to->velocity)
    memcpy(to->velocity + (k + 1) * nv, from->velocity + nv, n * nv * sizeof *to->velocity);
  memcpy(to->min_gap + k + 1, from->min_gap + 1, n * sizeof *to->min_gap);
  memcpy(to->newton_iterations + k, from->newton_iterations, n * sizeof *to->newton_iterations);
  memcpy(to->evaluations + k, from->evaluations, n * sizeof *to->evaluations);
  memcpy(to->converged + k, from->converged, n * sizeof *to->converged);
  if (pairs && from->pair_count)
    memcpy(to->pairs + k * pairs, from->pairs, n * pairs * sizeof *to->pairs);
  enum dc_status status = DC_OK;
  for (size_t t = 0; t < n; t++) {
    to->unconverged_steps += !from->converged[t];
    to->between_first[k + t + 1] = to->between.count;
    for (int i = from->between_first[t]; i < from->between_first[t + 1] && !status; i++)
      status = dc_trajectory_add_between(to, (int)(k + t), from->between.at[i], from->between.q + (size_t)i * nq,
                                         from->pair_count ? from->between.pairs + (size_t)i * pairs : NULL,
                                         memory_of(from, from->between.remembers[i]));
    if (!status)
      status = dc_trajectory_remember(to, (int)(k + t), memory_of(from, from->remembers[t]));
  }
  // Known for a trajectory as a whole only: a bound; regularized_steps are not told apart at all.
  to->largest_residual = fmax(to->largest_residual, from->largest_residual);
  to->steps += count;
  return status;
}

// Frame 0 is copied here, all steps by dc_trajectory_append.
enum dc_status dc_trajectory_copy(struct dc_trajectory *to, const struct dc_trajectory *from)
{
  memcpy(to->q, from->q, (size_t)from->nq * sizeof *from->q);
  memcpy(to->poses, from->poses, (size_t)from->bodies * sizeof *from->poses);
  if (to->velocity)
    memcpy(to->velocity, from->velocity, (size_t)from->nv * sizeof *from->velocity);
  to->min_gap[0] = from->min_gap[0];
  to->steps = to->unconverged_steps = 0;
  dc_trajectory_clear_between(to);
  to->largest_residual = 0;
  enum dc_status status = dc_trajectory_append(to, from, from->steps);
  to->regularized_steps = from->regularized_steps;
  return status;
}

int dc_trajectory_substeps(const struct dc_trajectory *trajectory, int step)
{
  return 1 + trajectory->between_first[step + 1] - trajectory->between_first[step];
}

int dc_trajectory_divided_steps(const struct dc_trajectory *trajectory)
{
  int count = 0;
  for (int t = 0; t < trajectory->steps; t++)
    count += dc_trajectory_substeps(trajectory, t) > 1;
  return count;
}

static int steps_within(const struct dc_trajectory *trajectory, int iterations)
{
  int count = 0;
  for (int t = 0; t < trajectory->steps; t++)
    count += trajectory->newton_iterations[t] <= iterations;
  return count;
}

// By bisection between none and the most, as a sorted copy would take memory.
int dc_trajectory_iterations(const struct dc_trajectory *trajectory, double part)
{
  int low = 0, high = 0;
  for (int t = 0; t < trajectory->steps; t++)
    high = trajectory->newton_iterations[t] > high ? trajectory->newton_iterations[t] : high;
  while (low < high) {
    int middle = low + (high - low) / 2;
    if (steps_within(trajectory, middle) >= part * trajectory->steps)
      high = middle;
    else
      low = middle + 1;
  }
  return high;
}

// Whether two trajectories have the same states within steps, at the same times: only then they compare state by state.
bool dc_trajectory_divided_alike(const struct dc_trajectory *a, const struct dc_trajectory *b)
{
  for (int t = 0; t < a->steps; t++)
    if (a->between_first[t + 1] != b->between_first[t + 1])
      return false;
  for (int i = 0; i < a->between.count; i++)
    if (a->between.at[i] != b->between.at[i])
      return false;
  return true;
}

// State k of a step: 0 is the frame at its start, substeps the frame at its end, those between stand in
// trajectory->between.
const double *dc_trajectory_state(const struct dc_trajectory *trajectory, int step, int k, double *at)
{
  int substeps = dc_trajectory_substeps(trajectory, step), inside = trajectory->between_first[step] + k - 1;
  bool frame = k == 0 || k == substeps;
  if (at)
    *at = frame ? k > 0 : trajectory->between.at[inside];
  return frame ? trajectory->q + (size_t)(step + (k > 0)) * (size_t)trajectory->nq
               : trajectory->between.q + (size_t)inside * (size_t)trajectory->nq;
}

// The memory that state k of a step was left with: that of frame 0 is none, that of a later frame is of the step
// before.
const double *dc_trajectory_memory(const struct dc_trajectory *trajectory, int step, int k)
{
  if (k == 0 && step == 0)
    return NULL;
  if (k == 0)
    step--;
  bool frame = k == 0 || k == dc_trajectory_substeps(trajectory, step);
  return memory_of(trajectory, frame ? trajectory->remembers[step]
                                     : trajectory->between.remembers[trajectory->between_first[step] + k - 1]);
}

// The smallest gap of frames first to last, m.
double dc_trajectory_gap(const struct dc_trajectory *trajectory, int first, int last)
{
  double gap = INFINITY;
  for (int k = first; k <= last; k++)
    gap = fmin(gap, trajectory->min_gap[k]);
  return gap;
}
