// SPDX-License-Identifier: Apache-2.0
// Memory: checked allocation and arenas.
//
// An arena owns everything that lives as long as a model, a scene or a result: allocate piecemeal, free once.
// Workspaces allocate at creation and grow geometrically when a pose needs more pairs than any before.
#ifndef DC_BASE_MEMORY_H
#define DC_BASE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

struct dc_arena;

struct dc_arena *dc_arena_create(void);         // NULL when out of memory
void dc_arena_destroy(struct dc_arena *arena);  // NULL is allowed
// Gives all that other holds to arena, to live as long, and destroys other.
void dc_arena_adopt(struct dc_arena *arena, struct dc_arena *other);
// Whether a request of this arena has failed, or there is no arena: one check after all pieces of a workspace are asked
// for.
bool dc_arena_failed(const struct dc_arena *arena);
// Zeroed memory aligned to 64 bytes; NULL when out of memory, count * size overflows or there is no arena.
void *dc_arena_alloc(struct dc_arena *arena, size_t count, size_t size);
// The same without zeroing: for workspaces that are written before they are read.
void *dc_arena_alloc_unset(struct dc_arena *arena, size_t count, size_t size);
char *dc_arena_strdup(struct dc_arena *arena, const char *text);
char *dc_arena_printf(struct dc_arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3)));

// Zeroed memory aligned to 64 bytes, to be released with free(); NULL when out of memory.
void *dc_alloc(size_t count, size_t size);

// Bytes that this thread has requested with the functions above since it began, rounded up to whole lines of 64;
// released memory still counts.  Differences show how much a piece of code allocates, which must be nothing in a time
// step.
size_t dc_allocated_bytes(void);

// Makes *array (released with free()) hold at least needed elements: doubles *capacity until it does and keeps the
// first *capacity elements.  Returns 0, or -1 when out of memory (the array is then as before).
int dc_grow_beyond(void *array, size_t *capacity, size_t needed, size_t size);
static inline int dc_grow(void *array, size_t *capacity, size_t needed, size_t size)
{
  return needed <= *capacity ? 0 : dc_grow_beyond(array, capacity, needed, size);
}

#endif
