// SPDX-License-Identifier: Apache-2.0
// Asks OpenBLAS and CHOLMOD for their versions; runs record them, because other versions round differently.
#include "math/libraries.h"

#include <cblas.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <suitesparse/cholmod.h>
#include <sys/mman.h>
#include <sys/resource.h>

// OpenBLAS's own functions, whose signatures have not changed for ten years; other libraries in its place lack them.
extern void *blas_memory_alloc(int purpose) __attribute__((weak));
extern void blas_memory_free(void *memory) __attribute__((weak));

enum { MOST_THREADS = 256 };
// A part of OpenBLAS's memory on x86-64, the most of all machines, and what stands beside it.
static const size_t PART = ((size_t)128 << 20) + ((size_t)1 << 20);

// Whether there is address space for so many parts at a time.
static bool has_room(int count)
{
  void *parts[MOST_THREADS];
  int made = 0;
  while (made < count) {
    parts[made] = mmap(NULL, PART, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (parts[made] == MAP_FAILED)
      break;
    made++;
  }
  for (int i = 0; i < made; i++)
    munmap(parts[i], PART);
  return made == count;
}

// Takes and gives back as many parts as there may be threads: OpenBLAS keeps them, and never has to ask again.  Room is
// looked for by mmap first, because OpenBLAS itself does not return when there is none.
enum dc_status dc_blas_reserve(int threads, struct dc_error *error)
{
  static atomic_int reserved;
  struct rlimit limit;
  int count = threads < MOST_THREADS ? threads : MOST_THREADS;
  if (getrlimit(RLIMIT_AS, &limit) || limit.rlim_cur == RLIM_INFINITY || atomic_load(&reserved) >= count)
    return DC_OK;
  if (!has_room(count))
    return dc_fail(error, DC_MEMORY, "OpenBLAS needs %d MB of address space for %d thread%s, more than RLIMIT_AS leaves",
                   count * (int)(PART >> 20), count, dc_plural(count));
  void *parts[MOST_THREADS];
  for (int i = 0; blas_memory_alloc && blas_memory_free && i < count; i++)
    parts[i] = blas_memory_alloc(0);
  for (int i = 0; blas_memory_alloc && blas_memory_free && i < count; i++)
    blas_memory_free(parts[i]);
  atomic_store(&reserved, count);
  return DC_OK;
}

const char *dc_blas_version(void)
{
  return openblas_get_config();
}

const char *dc_blas_core(void)
{
  return openblas_get_corename();
}

const char *dc_cholmod_version(void)
{
  static char text[32];
  int version[3];
  cholmod_version(version);
  snprintf(text, sizeof text, "%d.%d.%d", version[0], version[1], version[2]);
  return text;
}
