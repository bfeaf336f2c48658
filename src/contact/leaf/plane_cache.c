// SPDX-License-Identifier: Apache-2.0
// A hash table of separating planes by triangle pair: open addressing with linear probing, at most half full.  The key
// of triangles i and j is (i, j) as a 64-bit number plus 1, so that 0 means an empty slot; slots are taken from its
// product with a large odd number (Fibonacci hashing).
#include "contact/leaf/plane_cache.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static size_t first_slot(const struct dc_plane_cache *cache, uint64_t key)
{
  return (size_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & (cache->capacity - 1);
}

// The slot of a key, or the empty one where it belongs.  The table is at most half full, so that the search ends.
static size_t find(const struct dc_plane_cache *cache, uint64_t key)
{
  size_t slot = first_slot(cache, key);
  while (cache->entries[slot].key && cache->entries[slot].key != key)
    slot = (slot + 1) & (cache->capacity - 1);
  return slot;
}

// Makes room in the table for more entries; it is at most half full.
int dc_plane_cache_reserve(struct dc_plane_cache *cache, size_t more)
{
  size_t needed = 2 * (cache->count + more);
  if (needed <= cache->capacity)
    return 0;
  struct dc_plane_cache larger = {.capacity = cache->capacity ? cache->capacity : 64, .count = cache->count};
  while (larger.capacity < needed)
    larger.capacity *= 2;
  larger.entries = dc_alloc(larger.capacity, sizeof *larger.entries);
  if (!larger.entries)
    return -1;
  for (size_t i = 0; i < cache->capacity; i++)
    if (cache->entries[i].key)
      larger.entries[find(&larger, cache->entries[i].key)] = cache->entries[i];
  free(cache->entries);
  *cache = larger;
  return 0;
}

static uint64_t key_of(int i, int j)
{
  return ((uint64_t)(uint32_t)i << 32 | (uint32_t)j) + 1;
}

// The stored plane [4], owned by the cache and valid until it grows; NULL: none is remembered.
const double *dc_plane_cache_find(const struct dc_plane_cache *cache, int i, int j)
{
  uint64_t key = key_of(i, j);
  if (!cache->capacity)
    return NULL;
  const struct dc_plane_entry *entry = &cache->entries[find(cache, key)];
  return entry->key ? entry->plane : NULL;
}

// The slot of a pair, made empty where it is new.  dc_plane_cache_reserve must have made room before.
uint32_t dc_plane_cache_index(struct dc_plane_cache *cache, int i, int j)
{
  uint64_t key = key_of(i, j);
  size_t slot = find(cache, key);
  if (!cache->entries[slot].key) {
    cache->entries[slot] = (struct dc_plane_entry){.key = key};
    cache->count++;
  }
  return (uint32_t)slot;
}

// Memory stays for the next evaluations; only the entries go.
void dc_plane_cache_clear(struct dc_plane_cache *cache)
{
  if (cache->count)
    memset(cache->entries, 0, cache->capacity * sizeof *cache->entries);
  cache->count = 0;
}
