// SPDX-License-Identifier: Apache-2.0
#include "geometry/witness_local.h"

#include "math/vector.h"

// cos 120 degrees: what faces away from the contact, such as the other side of a thin plate, is left out.
static const double NORMAL_LEAST = -0.5;

// Neighbours: vertices up to so many edges away, and room for them (as many around a vertex with six edges are 91).
enum { RINGS = 5, NEIGHBORS_MOST = 1024, TABLE_SIZE = 4096 };

// What is drawn from: candidates or vertices of a part by their indices.
struct pool {
  int count;
  int index[DC_SURFACE_SAMPLES_MOST];
};

// The finalizer of splitmix64 (Steele, Lea, Flood 2014): neighbouring arguments give unrelated values.
static uint64_t mix(uint64_t z)
{
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}

// Candidates within the radius.  Two passes without branches: marks, then the list.
static void pool_within(const struct dc_surface_samples *samples, const struct dc_witness_local *local,
                        struct pool *pool)
{
  unsigned char chosen[DC_SURFACE_SAMPLES_MOST];
  const double *x = samples->x, *y = samples->y, *z = samples->z;
  const double *nx = samples->normal_x, *ny = samples->normal_y, *nz = samples->normal_z;
  double px = local->own[0], py = local->own[1], pz = local->own[2];
  double mx = local->normal[0], my = local->normal[1], mz = local->normal[2];
  double square = local->radius * local->radius;
  int padded = (samples->count + 7) / 8 * 8;
  for (int i = 0; i < padded; i++) {
    double dx = x[i] - px, dy = y[i] - py, dz = z[i] - pz;
    chosen[i] = (dx * dx + dy * dy + dz * dz <= square) & (nx[i] * mx + ny[i] * my + nz[i] * mz >= NORMAL_LEAST);
  }
  int count = 0;
  for (int i = 0; i < samples->count; i++) {
    pool->index[count] = i;
    count += chosen[i];
  }
  pool->count = count;
}

// The `most` candidates nearest to the witness point that face the contact, by insertion.
static void pool_nearest(const struct dc_surface_samples *samples, const struct dc_witness_local *local, int most,
                         struct pool *pool)
{
  double square[DC_WITNESS_SAMPLES_MOST];
  int count = 0;
  for (int i = 0; i < samples->count; i++) {
    double d[3] = {samples->x[i] - local->own[0], samples->y[i] - local->own[1], samples->z[i] - local->own[2]};
    double n[3] = {samples->normal_x[i], samples->normal_y[i], samples->normal_z[i]};
    double s = dc_vec_dot(d, d);
    if ((count == most && s >= square[count - 1]) || dc_vec_dot(n, local->normal) < NORMAL_LEAST)
      continue;
    int j = count < most ? count++ : count - 1;
    for (; j > 0 && square[j - 1] > s; j--) {
      square[j] = square[j - 1];
      pool->index[j] = pool->index[j - 1];
    }
    square[j] = s;
    pool->index[j] = i;
  }
  pool->count = count;
}

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

// Vertices of the part up to RINGS edges from the one nearest to the witness point, breadth first, at most
// NEIGHBORS_MOST; seen is a hash table of the vertices in the pool plus one.
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

void dc_witness_sample(const struct dc_witness_settings *settings, const struct dc_witness_solid *solid,
                       const struct dc_witness_local *local, uint64_t key, struct dc_witness_points *points)
{
  const struct dc_surface_samples *samples = solid->samples;
  const struct dc_convex *part = &solid->solid->parts[local->part];
  int most = (int)settings->samples;
  bool vertices = settings->sampling == DC_SAMPLE_NEIGHBOR;
  struct pool pool;
  if (vertices) {
    pool_neighbors(part, local, &pool);
  } else {
    pool_within(samples, local, &pool);
    if (4 * pool.count < most)
      pool_nearest(samples, local, most, &pool);
  }
  points->count = most;
  for (int i = 0; i < most; i++) {
    uint64_t bits = mix(key + (uint64_t)(i + 1) * UINT64_C(0x9e3779b97f4a7c15)) >> 32;
    int choice = (int)(bits * (uint64_t)(pool.count + 1) >> 32);
    points->x[i] = points->y[i] = points->z[i] = 0;
    if (choice == pool.count)
      continue;
    int j = pool.index[choice];
    points->x[i] = (vertices ? part->vertices[j][0] : samples->x[j]) - local->own[0];
    points->y[i] = (vertices ? part->vertices[j][1] : samples->y[j]) - local->own[1];
    points->z[i] = (vertices ? part->vertices[j][2] : samples->z[j]) - local->own[2];
  }
}
