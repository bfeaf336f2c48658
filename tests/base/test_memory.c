// SPDX-License-Identifier: Apache-2.0
// Arenas and arrays that grow: pieces are zeroed, aligned and apart from each other, live on with the arena that adopts
// them, and sizes that no memory has are refused.
#include "base/memory.h"
#include "harness.h"

#include <stdint.h>

enum { PIECES = 400 };

struct piece {
  unsigned char *at, mark;
  size_t size;
};

// Sizes around those at which pieces have a line, a block and a chunk of their own.
static size_t size_of(int i)
{
  static const size_t sizes[] = {0, 1, 63, 64, 65, 700, 4032, 4096, 4097, 16384, 30000};
  return sizes[(unsigned)i * 7 % (sizeof sizes / sizeof *sizes)];
}

static void take(struct dc_arena *arena, int count, struct piece *pieces, int mark)
{
  for (int i = 0; i < count; i++) {
    struct piece *piece = &pieces[i];
    int dirty = 0;
    *piece = (struct piece){.mark = (unsigned char)(mark + i), .size = size_of(i)};
    piece->at = dc_arena_alloc(arena, piece->size, 1);
    CHECK(piece->at && (uintptr_t)piece->at % 64 == 0, "piece %d", i);
    for (size_t k = 0; k < piece->size; k++)
      dirty |= piece->at[k];
    CHECK(!dirty, "piece %d of %zu bytes is zeroed", i, piece->size);
    memset(piece->at, piece->mark, piece->size);
  }
}

static void check_pieces(int count, const struct piece *pieces)
{
  for (int i = 0; i < count; i++)
    for (size_t k = 0; k < pieces[i].size; k++)
      if (pieces[i].at[k] != pieces[i].mark) {
        CHECK(false, "byte %zu of piece %d was written over", k, i);
        break;
      }
}

// Memory that malloc hands out again is not zero.
static void soil(void)
{
  void *used[64];
  for (int i = 0; i < 64; i++) {
    used[i] = malloc(16384 + 64);
    memset(used[i], 0xa5, 16384 + 64);
  }
  for (int i = 0; i < 64; i++)
    free(used[i]);
}

static void test_pieces(void)
{
  static struct piece own[PIECES], others[PIECES], later[PIECES];
  soil();
  struct dc_arena *arena = dc_arena_create(), *other = dc_arena_create();
  take(arena, PIECES, own, 1);
  take(other, PIECES, others, 2);
  dc_arena_adopt(arena, other);
  take(arena, PIECES, later, 3);
  check_pieces(PIECES, own);
  check_pieces(PIECES, others);
  check_pieces(PIECES, later);
  char *first = dc_arena_printf(arena, "%s %d", "piece", 7), *second = dc_arena_strdup(arena, "piece 7");
  CHECK(first != second && strcmp(first, second) == 0, "%s", first);
  dc_arena_destroy(arena);
}

static void test_counts(void)
{
  struct dc_arena *arena = dc_arena_create();
  size_t before = dc_allocated_bytes();
  CHECK(dc_arena_alloc(arena, 1, 1) && dc_arena_alloc(arena, 3, 40) && dc_arena_alloc(arena, 0, 8), "memory");
  CHECK(!dc_arena_failed(arena) && dc_arena_failed(NULL) && !dc_arena_alloc(NULL, 1, 1), "no arena");
  CHECK(dc_allocated_bytes() - before == 64 + 128 + 64, "%zu", dc_allocated_bytes() - before);
  before = dc_allocated_bytes();
  double *array = dc_alloc(9, sizeof *array);
  CHECK(array && dc_allocated_bytes() - before == 128, "%zu", dc_allocated_bytes() - before);
  free(array);
  dc_arena_destroy(arena);
}

static void test_refusals(void)
{
  static const size_t sizes[][2] = {{SIZE_MAX, 1},
                                    {1, SIZE_MAX},
                                    {SIZE_MAX / 2, 4},
                                    {SIZE_MAX / 8 + 2, 8},
                                    {SIZE_MAX / 64, 65},
                                    {SIZE_MAX - 64, 1},
                                    {(size_t)1 << 32, (size_t)1 << 32}};
  struct dc_arena *arena = dc_arena_create();
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    CHECK(!dc_arena_alloc(arena, sizes[i][0], sizes[i][1]), "%zu of %zu", sizes[i][0], sizes[i][1]);
    CHECK(!dc_arena_alloc_unset(arena, sizes[i][0], sizes[i][1]), "%zu of %zu", sizes[i][0], sizes[i][1]);
    CHECK(!dc_alloc(sizes[i][0], sizes[i][1]), "%zu of %zu", sizes[i][0], sizes[i][1]);
  }
  CHECK(dc_arena_alloc(arena, 2, 8) && dc_arena_failed(arena), "goes on, and knows that something is missing");
  dc_arena_destroy(arena);
}

static void test_growth(void)
{
  int *small = NULL;
  size_t capacity = 0, large_capacity = 0;
  for (int i = 0; i < 1000; i++) {
    CHECK(dc_grow(&small, &capacity, (size_t)i + 1, sizeof *small) == 0 && capacity > (size_t)i, "%zu", capacity);
    small[i] = i;
  }
  CHECK(capacity == 1024, "64 at first, then doubled: %zu", capacity);
  for (int i = 0; i < 1000; i++)
    CHECK(small[i] == i, "%d", i);
  int *before = small;
  CHECK(dc_grow(&small, &capacity, SIZE_MAX / 2, sizeof *small) == -1, "too many");
  CHECK(small == before && capacity == 1024 && small[999] == 999, "as before");
  char(*large)[1 << 20] = NULL;
  CHECK(dc_grow(&large, &large_capacity, 1, sizeof *large) == 0 && large_capacity == 4, "%zu", large_capacity);
  free(small);
  free(large);
}

RUN_TESTS({"pieces of arenas", test_pieces}, {"bytes are counted", test_counts},
          {"sizes that no memory has", test_refusals}, {"arrays that grow", test_growth})
