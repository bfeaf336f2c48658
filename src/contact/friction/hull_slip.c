// SPDX-License-Identifier: Apache-2.0
// Friction of hulls on the planes between them (paper 003, IV.C and VIII; docs/theory.md, "SDRS" and "Friction"), for
// any number of vertices: the list of what slides, whose vertices the kernel evaluates eight side by side
// (hull_slip_template.h).
//
// A pair of hulls is opened (add), gets its vertices one by one (those of a, then those of b), and is closed (finish).
// Closing divides the weights by their sum, the strength, so that the motion of the plane is solved for weights of sum
// 1, and copies the vertices into batches.  Batches of a and of b do not mix: each side has its own motion.
#include "contact/friction/hull_slip.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "math/vector.h"

static const double VERTEX_COST = 20e-9;  // of an evaluation, s

int dc_hull_slips_reserve(struct dc_hull_slips *slips, size_t count)
{
  return dc_grow(&slips->vertices, &slips->vertex_capacity, slips->vertex_count + count, sizeof *slips->vertices) ? -1
                                                                                                                  : 0;
}

struct dc_sliding_hulls *dc_hull_slips_add(struct dc_hull_slips *slips)
{
  if (dc_grow(&slips->sliding_pairs, &slips->sliding_capacity, slips->sliding_count + 1, sizeof *slips->sliding_pairs))
    return NULL;
  struct dc_sliding_hulls *sliding = &slips->sliding_pairs[slips->sliding_count++];
  *sliding = (struct dc_sliding_hulls){.first = slips->vertex_count};
  return sliding;
}

// arm, m, from the frame's origin in world axes; local in the plane's axes; weight W_v = lambda h f_v, N s.
void dc_hull_slips_add_vertex(struct dc_hull_slips *slips, struct dc_sliding_hulls *sliding, int index,
                              const double arm[3], const double local[3], double distance, double weight)
{
  struct dc_sliding_vertex *vertex = &slips->vertices[slips->vertex_count++];
  *vertex = (struct dc_sliding_vertex){.distance = distance, .weight = weight, .index = index};
  dc_vec_copy(vertex->arm, arm);
  dc_vec_copy(vertex->local, local);
  sliding->strength += weight;
  sliding->count++;
}

// Writes vertices first ... first + count - 1 to a lane each, eight to a batch.
static void fill_batches(const struct dc_hull_slips *slips, const struct dc_sliding_hulls *sliding, int first,
                         int count, struct dc_slip_batch *batches)
{
  for (int i = 0; i < dc_whole_batches(count); i++) {
    const struct dc_sliding_vertex *v =
        &slips->vertices[sliding->first + (size_t)(first + (i < count ? i : count - 1))];
    struct dc_slip_batch *batch = &batches[i / DC_BATCH];
    int lane = i % DC_BATCH;
    for (int k = 0; k < 3; k++)
      batch->arm[k][lane] = v->arm[k];
    for (int k = 0; k < 2; k++)
      batch->lever[k][lane] = v->local[k];
    batch->weight[lane] = i < count ? v->weight : 0;
    if (i < count)
      batch->used = lane + 1;
  }
}

// A pair all of whose vertices have weight 0 leaves nothing behind.  0, or -1 when out of memory.
int dc_hull_slips_finish(struct dc_hull_slips *slips, struct dc_friction *friction, const struct dc_friction_unit *like)
{
  struct dc_sliding_hulls *sliding = &slips->sliding_pairs[slips->sliding_count - 1];
  if (!(sliding->strength > 0)) {
    slips->vertex_count = sliding->first;
    slips->sliding_count--;
    return 0;
  }
  int count_b = sliding->count - sliding->count_a;
  sliding->first_batch = slips->batch_count;
  sliding->batches_a = dc_whole_batches(sliding->count_a) / DC_BATCH;
  sliding->batches = sliding->batches_a + dc_whole_batches(count_b) / DC_BATCH;
  slips->batch_count += (size_t)sliding->batches;
  if (dc_grow(&slips->batches, &slips->batch_capacity, slips->batch_count, sizeof *slips->batches))
    return -1;
  for (int v = 0; v < sliding->count; v++)
    slips->vertices[sliding->first + (size_t)v].weight /= sliding->strength;
  struct dc_slip_batch *batches = slips->batches + sliding->first_batch;
  fill_batches(slips, sliding, 0, sliding->count_a, batches);
  fill_batches(slips, sliding, sliding->count_a, count_b, batches + sliding->batches_a);
  friction->cost += VERTEX_COST * sliding->count;
  struct dc_friction_unit unit = *like;
  unit.first = slips->sliding_count - 1;
  unit.count = 1;
  return dc_friction_add_unit(friction, &unit);
}

void dc_hull_slips_clear(struct dc_hull_slips *slips)
{
  slips->sliding_count = slips->vertex_count = slips->batch_count = 0;
}

void dc_hull_slips_release(struct dc_hull_slips *slips)
{
  free(slips->sliding_pairs);
  free(slips->vertices);
  free(slips->batches);
}

// Kernels leave the sums over lanes in the first one.
static void take_first(double (*lanes)[DC_BATCH], int count, double *sums)
{
  for (int i = 0; i < count; i++)
    sums[i] = lanes[i][0];
}

// The plane's motion (u, omega) of the last evaluation is the first guess of the next one (warm).  Sums by b are left
// out where b stands still: its half of the struct is not even cleared.
void dc_hull_slips_run(struct dc_hull_slips *slips, const struct dc_lane_kernels *kernels,
                       struct dc_friction_unit *unit, const struct dc_friction_motion *motion)
{
  struct dc_sliding_hulls *sliding = &slips->sliding_pairs[unit->first];
  const struct dc_slip_hulls hulls = {.batches = slips->batches + sliding->first_batch,
                                      .count_a = sliding->batches_a,
                                      .count = sliding->batches,
                                      .axes = sliding->axes,
                                      .strength = sliding->strength,
                                      .drag = slips->drag,
                                      .primitive = unit->primitive,
                                      .motion = sliding->motion,
                                      .warm = sliding->warm};
  struct dc_friction_sums sums;
  memset(&sums, 0, motion->both ? sizeof sums : offsetof(struct dc_friction_sums, h_ab));
  kernels->hull_slips(&hulls, motion, &sums);
  sliding->warm = true;
  unit->unconverged = sums.unconverged;
  unit->energy = sums.energy[0];
  if (motion->order > 0)
    take_first(sums.gradient, motion->both ? 12 : 6, unit->gradient);
  if (motion->order < 2)
    return;
  take_first(sums.h_aa, DC_HESSIAN, unit->h_aa);
  take_first(sums.turn, motion->both ? 12 : 6, unit->turn);
  if (!motion->both)
    return;
  take_first(sums.h_ab, 36, unit->h_ab);
  take_first(sums.h_bb, DC_HESSIAN, unit->h_bb);
}
