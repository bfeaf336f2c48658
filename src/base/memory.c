// SPDX-License-Identifier: Apache-2.0
// Arenas and growing arrays, with overflow checks and alignment to cache lines of 64 bytes.
//
// An arena is a list of chunks.  Small pieces are cut from the front of the newest block of BLOCK bytes; a piece of
// more than LARGE bytes gets a chunk of its own.  Every piece starts at a whole cache line, so that vector code may
// load it aligned and no two threads write into one line.  A request that fails marks the arena as failed for good.
#include "base/memory.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 64 };
// First capacity of a growing array: FIRST_BYTES, but between FEWEST and MOST elements.
enum { FIRST_BYTES = 65536, FEWEST = 4, MOST = 64 };

struct chunk {
  struct chunk *next;
};

// Sizes in bytes, see the head.  Under AddressSanitizer every piece is a chunk of its own, so that accesses beyond its
// end are found.  Unset memory is filled with ones there: a double with all bits set is NaN, so that reading it before
// writing shows in results.
enum { BLOCK = 16384, LARGE = 4096 };
#if defined __has_feature
#if __has_feature(address_sanitizer)
#define SINGLE_PIECES true
#endif
#endif
#if defined __SANITIZE_ADDRESS__ && !defined SINGLE_PIECES
#define SINGLE_PIECES true
#endif
#ifndef SINGLE_PIECES
#define SINGLE_PIECES false
#endif

struct dc_arena {
  struct chunk *chunks;
  char *rest;   // unused part of the newest block
  size_t left;  // bytes of rest
  bool failed;  // a request could not be met
};

static _Thread_local size_t allocated;

size_t dc_allocated_bytes(void)
{
  return allocated;
}

// Rounds up to whole cache lines, at least one, so that no two pieces share an address; 0 when bytes is too large.
static size_t whole_lines(size_t bytes)
{
  if (bytes > SIZE_MAX - 2 * ALIGNMENT)
    return 0;
  return bytes ? (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT : ALIGNMENT;
}

// Memory on its own, to be released with free(): zeroed, in whole cache lines, counted for dc_allocated_bytes.
static void *aligned_zeroed(size_t bytes)
{
  bytes = whole_lines(bytes);
  void *memory = bytes ? aligned_alloc(ALIGNMENT, bytes) : NULL;
  if (!memory)
    return NULL;
  allocated += bytes;
  return memset(memory, 0, bytes);
}

struct dc_arena *dc_arena_create(void)
{
  return calloc(1, sizeof(struct dc_arena));
}

void dc_arena_destroy(struct dc_arena *arena)
{
  if (!arena)
    return;
  for (struct chunk *chunk = arena->chunks; chunk;) {
    struct chunk *next = chunk->next;
    free(chunk);
    chunk = next;
  }
  free(arena);
}

// The chunks of `other` are hung in front of those of the arena, whose rest of a block stays in use.
void dc_arena_adopt(struct dc_arena *arena, struct dc_arena *other)
{
  struct chunk **last = &other->chunks;
  while (*last)
    last = &(*last)->next;
  *last = arena->chunks;
  arena->chunks = other->chunks;
  other->chunks = NULL;
  dc_arena_destroy(other);
}

// A chunk has its link in front of the first whole cache line, where its piece begins.  Zeroed memory is asked for as such: the system
// hands out large pieces as pages that are zero once they are touched, so that recordings of many steps cost nothing before they are made.
static char *add_chunk(struct dc_arena *arena, size_t bytes, bool zeroed)
{
  // A chunk of AddressSanitizer ends where its piece does.
  size_t all = SINGLE_PIECES ? ALIGNMENT + bytes : ALIGNMENT + sizeof(struct chunk) + bytes;
  struct chunk *chunk = SINGLE_PIECES ? aligned_alloc(ALIGNMENT, all) : zeroed ? calloc(1, all) : malloc(all);
  if (!chunk)
    return NULL;
  chunk->next = arena->chunks;
  arena->chunks = chunk;
  uintptr_t behind = (uintptr_t)(chunk + 1);
  return (char *)(chunk + 1) + (ALIGNMENT - behind % ALIGNMENT) % ALIGNMENT;
}

bool dc_arena_failed(const struct dc_arena *arena)
{
  return !arena || arena->failed;
}

// Cuts a piece of count * size bytes from the newest block, after adding a block or a chunk where needed.
static void *cut_piece(struct dc_arena *arena, size_t count, size_t size, bool zeroed)
{
  size_t bytes = size && count > SIZE_MAX / 2 / size ? 0 : whole_lines(count * size);
  if (!bytes)
    return NULL;
  allocated += bytes;
  if (SINGLE_PIECES || bytes > LARGE) {
    char *piece = add_chunk(arena, bytes, zeroed);
    return piece && SINGLE_PIECES ? memset(piece, zeroed ? 0 : 0xff, bytes) : piece;
  }
  if (bytes > arena->left) {
    char *block = add_chunk(arena, BLOCK, false);
    if (!block)
      return NULL;
    arena->rest = block;
    arena->left = BLOCK;
  }
  char *memory = arena->rest;
  arena->rest += bytes;
  arena->left -= bytes;
  return zeroed ? memset(memory, 0, bytes) : memory;
}

static void *alloc_piece(struct dc_arena *arena, size_t count, size_t size, bool zeroed)
{
  void *memory = arena ? cut_piece(arena, count, size, zeroed) : NULL;
  if (arena && !memory)
    arena->failed = true;
  return memory;
}

void *dc_arena_alloc_unset(struct dc_arena *arena, size_t count, size_t size)
{
  return alloc_piece(arena, count, size, false);
}

void *dc_arena_alloc(struct dc_arena *arena, size_t count, size_t size)
{
  return alloc_piece(arena, count, size, true);
}

char *dc_arena_strdup(struct dc_arena *arena, const char *text)
{
  size_t size = strlen(text) + 1;
  char *copy = dc_arena_alloc(arena, size, 1);
  return copy ? memcpy(copy, text, size) : NULL;
}

// Formats twice: once for the length, once for the text.
char *dc_arena_printf(struct dc_arena *arena, const char *format, ...)
{
  va_list arguments, again;
  va_start(arguments, format);
  va_copy(again, arguments);
  int length = vsnprintf(NULL, 0, format, arguments);
  va_end(arguments);
  char *text = length < 0 ? NULL : dc_arena_alloc(arena, (size_t)length + 1, 1);
  if (text)
    vsnprintf(text, (size_t)length + 1, format, again);
  va_end(again);
  return text;
}

void *dc_alloc(size_t count, size_t size)
{
  if (size && count > (SIZE_MAX - ALIGNMENT) / size)
    return NULL;
  return aligned_zeroed(count * size);
}

// Number of elements that a growing array starts with.
static size_t first_capacity(size_t size)
{
  size_t count = size ? FIRST_BYTES / size : MOST;
  return count < FEWEST ? FEWEST : count > MOST ? MOST : count;
}

// The array is passed as a pointer to a pointer of any type, which memcpy reads and writes without breaking aliasing
// rules.
int dc_grow_beyond(void *array, size_t *capacity, size_t needed, size_t size)
{
  size_t larger = *capacity ? *capacity : first_capacity(size);
  while (larger < needed)
    larger = larger > SIZE_MAX / 2 ? needed : 2 * larger;
  void *memory = dc_alloc(larger, size);
  if (!memory)
    return -1;
  void *old;
  memcpy(&old, array, sizeof old);
  if (old)
    memcpy(memory, old, *capacity * size);
  free(old);
  memcpy(array, &memory, sizeof memory);
  *capacity = larger;
  return 0;
}
