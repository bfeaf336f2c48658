// SPDX-License-Identifier: Apache-2.0
// Samples of a surface around a witness point, for smoothed derivatives (paper 002, section IV-C).
//
// Blocks of samples with bounding distances are measured first.  Where the radius holds many samples, points are drawn
// by trial from the blocks within reach; otherwise the candidates are listed, or the nearest ones are searched.  All
// loops are without unpredictable branches, since a derivative takes hundreds of draws.
#include "geometry/convex/constants.h"
#include "geometry/convex/witness_local.h"

#include <string.h>

#include "math/vector.h"

// Neighbours: vertices within so many edges, and room for them (around a vertex with six edges there are 91).
enum { RINGS = 5, NEIGHBORS_MOST = 1024, TABLE_SIZE = 4096 };

enum { BLOCKS_MOST = DC_SURFACE_SAMPLES_MOST / DC_SURFACE_BLOCK };

// By trial, samples are drawn from blocks and rejected when they are no candidates, at most TRIES times per point
// wanted.  If the blocks hold at most FEW samples per point wanted, candidates are listed first.
enum { TRIES = 6, FEW = 8 };

// Indices from which points are drawn: candidates, or vertices of a part.
struct pool {
  int count;
  int index[DC_SURFACE_SAMPLES_MOST];
};

// Finalizer of splitmix64 (Steele, Lea, Flood 2014): neighbouring arguments give unrelated values.
static inline uint64_t mix(uint64_t z)
{
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}

// Squared distances of the blocks' centres from the witness point, and their reach within the radius, squared;
// negative: none.  One simple loop, which compilers vectorize.
static void measure_blocks(const struct dc_surface_samples *samples, const struct dc_witness_local *local,
                           double distance[BLOCKS_MOST], double reach[BLOCKS_MOST])
{
  const double *x = samples->block_x, *y = samples->block_y, *z = samples->block_z, *radius = samples->block_radius;
  double px = local->own[0], py = local->own[1], pz = local->own[2], within = local->radius;
  int count = samples->block_count;
  for (int b = 0; b < count; b++) {
    double dx = x[b] - px, dy = y[b] - py, dz = z[b] - pz, far = within + radius[b];
    double square = dx * dx + dy * dy + dz * dz;
    distance[b] = square;
    reach[b] = far * far - square;
  }
}

// Whether sample i is within the radius and faces the contact.
static inline bool is_candidate(const struct dc_surface_samples *samples, const struct dc_witness_local *local,
                                double square, int i)
{
  double dx = samples->x[i] - local->own[0], dy = samples->y[i] - local->own[1], dz = samples->z[i] - local->own[2];
  double facing = samples->normal_x[i] * local->normal[0] + samples->normal_y[i] * local->normal[1] +
                  samples->normal_z[i] * local->normal[2];
  return (dx * dx + dy * dy + dz * dz <= square) & (facing >= DC_SAMPLE_NORMAL_LEAST) & (i < samples->count);
}

// Lists the candidates among the samples of blocks.
static void pool_within(const struct dc_surface_samples *samples, const struct dc_witness_local *local,
                        const int *blocks, int block_count, struct pool *pool)
{
  double square = local->radius * local->radius;
  int count = 0;
  for (int b = 0; b < block_count; b++)
    for (int k = 0; k < DC_SURFACE_BLOCK; k++) {
      int i = blocks[b] * DC_SURFACE_BLOCK + k;
      pool->index[count] = i;
      count += is_candidate(samples, local, square, i);
    }
  pool->count = count;
}

// The `most` smallest numbers offered so far, ascending.
struct least {
  int count, most;
  double number[DC_WITNESS_SAMPLES_MOST];
  int index[DC_WITNESS_SAMPLES_MOST];
};

// Insertion into the sorted list; a number that is not among the `most` smallest costs one comparison.
static inline void offer(struct least *least, double number, int index)
{
  if (least->count == least->most && !(number < least->number[least->most - 1]))
    return;
  int i = least->count < least->most ? least->count++ : least->most - 1;
  for (; i > 0 && least->number[i - 1] > number; i--) {
    least->number[i] = least->number[i - 1];
    least->index[i] = least->index[i - 1];
  }
  least->number[i] = number;
  least->index[i] = index;
}

// Offers the samples of a block that face the contact, by squared distance.
static void offer_block(const struct dc_surface_samples *samples, const struct dc_witness_local *local, int block,
                        struct least *least)
{
  int end = (block + 1) * DC_SURFACE_BLOCK;
  for (int i = block * DC_SURFACE_BLOCK; i < end && i < samples->count; i++) {
    double d[3] = {samples->x[i] - local->own[0], samples->y[i] - local->own[1], samples->z[i] - local->own[2]};
    double n[3] = {samples->normal_x[i], samples->normal_y[i], samples->normal_z[i]};
    if (dc_vec_dot(n, local->normal) >= DC_SAMPLE_NORMAL_LEAST)
      offer(least, dc_vec_dot(d, d), i);
  }
}

// Lists the `most` samples nearest to the witness point that face the contact: first from the nearest blocks, then from
// all that may hold nearer ones.  distance [block_count], m^2, is overwritten.
static void pool_nearest(const struct dc_surface_samples *samples, const struct dc_witness_local *local, int most,
                         double distance[BLOCKS_MOST], struct pool *pool)
{
  struct least blocks, least;
  blocks.count = least.count = 0;         // the rest, some kilobytes, need not be cleared
  blocks.most = most < 4 ? 1 : most / 4;  // blocks of DC_SURFACE_BLOCK samples each: twice as many samples as wanted
  least.most = most;
  for (int b = 0; b < samples->block_count; b++)
    offer(&blocks, distance[b], b);
  for (int i = 0; i < blocks.count; i++) {
    offer_block(samples, local, blocks.index[i], &least);
    distance[blocks.index[i]] = INFINITY;
  }
  double within = least.count == most ? sqrt(least.number[most - 1]) : INFINITY;
  for (int b = 0; b < samples->block_count; b++) {
    double reach = within + samples->block_radius[b];
    if (distance[b] < INFINITY && distance[b] <= reach * reach) {
      offer_block(samples, local, b, &least);
      within = least.count == most ? sqrt(least.number[most - 1]) : INFINITY;
    }
  }
  pool->count = least.count;
  memcpy(pool->index, least.index, (size_t)least.count * sizeof *pool->index);
}

// By all vertices: parts are small, and a neighbour that climbing missed would change what is sampled.
static int nearest_vertex(const struct dc_convex *part, const double point[3])
{
  int nearest = 0;
  double least = INFINITY;
  for (int v = 0; v < part->vertex_count; v++) {
    double d[3];
    dc_vec_sub(d, part->vertices[v], point);
    double square = dc_vec_dot(d, d);
    if (square < least)
      least = square, nearest = v;
  }
  return nearest;
}

// Lists vertices within RINGS edges of the one nearest to the witness point, breadth first, at most NEIGHBORS_MOST;
// seen is a hash table of vertex numbers plus one.
static void pool_neighbors(const struct dc_convex *part, const struct dc_witness_local *local, struct pool *pool)
{
  int seen[TABLE_SIZE] = {0};
  int first = nearest_vertex(part, local->own);
  pool->index[0] = first;
  pool->count = 1;
  seen[mix((uint64_t)first) % TABLE_SIZE] = first + 1;
  for (int ring = 0, begin = 0; ring < RINGS; ring++) {
    int end = pool->count;
    for (int i = begin; i < end; i++) {
      int v = pool->index[i];
      for (int k = part->neighbor_start[v]; k < part->neighbor_start[v + 1] && pool->count < NEIGHBORS_MOST; k++) {
        int w = part->neighbors[k];
        uint64_t slot = mix((uint64_t)w) % TABLE_SIZE;
        while (seen[slot] && seen[slot] != w + 1)
          slot = (slot + 1) % TABLE_SIZE;
        if (!seen[slot]) {
          seen[slot] = w + 1;
          pool->index[pool->count++] = w;
        }
      }
    }
    begin = end;
  }
}

// Number i of a draw, in [0, count).
static inline int choose(uint64_t key, int i, int count)
{
  uint64_t bits = mix(key + (uint64_t)(i + 1) * UINT64_C(0x9e3779b97f4a7c15)) >> 32;
  return (int)(bits * (uint64_t)count >> 32);
}

// Draws points->count candidates and witness points with equal probability by trial; false when TRIES do not suffice.
// Rejection uses no branches, which could not be predicted.
static bool draw_by_trial(const struct dc_surface_samples *samples, const struct dc_witness_local *local,
                          const int *blocks, int block_count, uint64_t key, struct dc_witness_points *points)
{
  double square = local->radius * local->radius;
  int slots = block_count * DC_SURFACE_BLOCK, most = points->count, count = 0;
  int taken[DC_WITNESS_SAMPLES_MOST + 1];
  for (int i = 0; i < TRIES * most && count < most; i++) {
    int slot = choose(key, i, slots + 1);
    bool own = slot == slots;
    int block = blocks[own ? 0 : slot / DC_SURFACE_BLOCK];
    int j = block * DC_SURFACE_BLOCK + slot % DC_SURFACE_BLOCK;
    taken[count] = own ? -1 : j;
    count += own | is_candidate(samples, local, square, j);
  }
  if (count < most)
    return false;
  for (int i = 0; i < most; i++) {
    int j = taken[i] < 0 ? 0 : taken[i];
    double keep = taken[i] < 0 ? 0 : 1;
    points->x[i] = keep * (samples->x[j] - local->own[0]);
    points->y[i] = keep * (samples->y[j] - local->own[1]);
    points->z[i] = keep * (samples->z[j] - local->own[2]);
  }
  return true;
}

// Draws points around a witness point, relative to it: neighbouring vertices, or surface samples within reach.  Many
// blocks of samples are drawn from by trial, few are listed first.  The witness point itself is one of the choices.
void dc_witness_sample(const struct dc_witness_settings *settings, const struct dc_witness_solid *solid,
                       const struct dc_witness_local *local, uint64_t key, struct dc_witness_points *points)
{
  const struct dc_surface_samples *samples = solid->samples;
  const struct dc_convex *part = &solid->solid->parts[local->part];
  bool vertices = settings->sampling == DC_SAMPLE_NEIGHBOR;
  struct pool pool;
  points->count = (int)settings->samples;
  if (vertices) {
    pool_neighbors(part, local, &pool);
  } else {
    double distance[BLOCKS_MOST], reach[BLOCKS_MOST];
    int blocks[BLOCKS_MOST], block_count = 0;
    measure_blocks(samples, local, distance, reach);
    for (int b = 0; b < samples->block_count; b++) {
      blocks[block_count] = b;
      block_count += reach[b] >= 0;
    }
    if (block_count * DC_SURFACE_BLOCK > FEW * points->count &&
        draw_by_trial(samples, local, blocks, block_count, key, points))
      return;
    pool_within(samples, local, blocks, block_count, &pool);
    if (4 * pool.count < points->count)
      pool_nearest(samples, local, points->count, distance, &pool);
  }
  for (int i = 0; i < points->count; i++) {
    int choice = choose(key, i, pool.count + 1);
    points->x[i] = points->y[i] = points->z[i] = 0;
    if (choice == pool.count)
      continue;
    int j = pool.index[choice];
    points->x[i] = (vertices ? part->vertices[j][0] : samples->x[j]) - local->own[0];
    points->y[i] = (vertices ? part->vertices[j][1] : samples->y[j]) - local->own[1];
    points->z[i] = (vertices ? part->vertices[j][2] : samples->z[j]) - local->own[2];
  }
}
