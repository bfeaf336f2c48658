// SPDX-License-Identifier: Apache-2.0
// Merges corners with equal coordinates by a hash table with open addressing and a random seed.
#include "geometry/mesh/mesh_read.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

// Mixes the bits of a point; each step is a bijection of the state, so that points that differ in one coordinate get
// different hashes.
static uint64_t hash_point(uint64_t state, const double point[3])
{
  for (int i = 0; i < 3; i++) {
    uint64_t word;
    memcpy(&word, &point[i], sizeof word);
    state = (state ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    state ^= state >> 32;
  }
  state *= UINT64_C(0xd6e8feb86659fd93);
  return state ^ state >> 32;
}

// Returns the vertex equal to point; if there is none, point becomes vertex number vertex_count.  table [mask + 1]
// holds vertex + 1, 0 where free.
static int find_vertex(const double (*vertices)[3], int vertex_count, int *table, size_t mask, uint64_t seed,
                       const double point[3])
{
  size_t slot = (size_t)hash_point(seed, point) & mask;
  while (table[slot]) {
    const double *vertex = vertices[table[slot] - 1];
    if (vertex[0] == point[0] && vertex[1] == point[1] && vertex[2] == point[2])
      return table[slot] - 1;
    slot = (slot + 1) & mask;
  }
  table[slot] = vertex_count + 1;
  return vertex_count;
}

// Makes a mesh of triangles that name no vertices: equal corners become one vertex, found by a hash table of the
// coordinates' bits.
enum dc_status dc_mesh_weld(double (*corners)[3], int triangle_count, struct dc_arena *arena, struct dc_mesh *mesh,
                            struct dc_error *error)
{
  // A random seed prevents files made to collide; vertices are numbered in order of appearance, whatever the seed.
  uint64_t seed = UINT64_C(0x243f6a8885a308d3), random;
  if (getrandom(&random, sizeof random, GRND_NONBLOCK) == (ssize_t)sizeof random)
    seed = random;
  size_t corner_count = 3 * (size_t)triangle_count, slots = 16;
  while (slots < corner_count + corner_count / 2)
    slots *= 2;
  int *table = dc_alloc(slots, sizeof *table);
  int(*triangles)[3] = dc_arena_alloc(arena, (size_t)triangle_count, sizeof *triangles);
  if (!table || !triangles) {
    free(table);
    return dc_out_of_memory_for(error, "a mesh of %d triangles", triangle_count);
  }
  // A vertex never has a higher number than its first corner, so that vertices can be collected at the front of
  // corners.
  int vertex_count = 0;
  for (size_t i = 0; i < corner_count; i++) {
    double point[3];
    for (int k = 0; k < 3; k++)
      point[k] = corners[i][k] + 0.0;  // turns -0 into 0
    int vertex = find_vertex((const double(*)[3])corners, vertex_count, table, slots - 1, seed, point);
    if (vertex == vertex_count)
      memcpy(corners[vertex_count++], point, sizeof point);
    triangles[i / 3][i % 3] = vertex;
  }
  free(table);
  double(*vertices)[3] = dc_arena_alloc(arena, (size_t)vertex_count, sizeof *vertices);
  if (!vertices)
    return dc_out_of_memory_for(error, "a mesh of %d vertices", vertex_count);
  memcpy(vertices, corners, (size_t)vertex_count * sizeof *vertices);
  *mesh = (struct dc_mesh){
      .vertex_count = vertex_count, .triangle_count = triangle_count, .vertices = vertices, .triangles = triangles};
  return DC_OK;
}
