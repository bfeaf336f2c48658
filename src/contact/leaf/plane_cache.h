// SPDX-License-Identifier: Apache-2.0
// Separating planes that a pair of bodies remembers from one evaluation to the next, by the hulls (or triangles)
// between which they stand.
#ifndef DC_CONTACT_PLANE_CACHE_H
#define DC_CONTACT_PLANE_CACHE_H

#include <stddef.h>
#include <stdint.h>

// Remembered separating planes of a body pair, by triangle pair: open addressing, key 0 empty.
struct dc_plane_entry {
  uint64_t key;
  double plane[4];
};

struct dc_plane_cache {
  struct dc_plane_entry *entries;
  size_t capacity, count;  // capacity a power of two
};

int dc_plane_cache_reserve(struct dc_plane_cache *cache, size_t more);
// The plane remembered for two triangles; NULL: none.
const double *dc_plane_cache_find(const struct dc_plane_cache *cache, int i, int j);
uint32_t dc_plane_cache_index(struct dc_plane_cache *cache, int i, int j);
void dc_plane_cache_clear(struct dc_plane_cache *cache);

#endif
