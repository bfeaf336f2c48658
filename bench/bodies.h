// SPDX-License-Identifier: Apache-2.0
// Bodies of the built-in benchmarks, made in memory.
#ifndef BENCH_BODIES_H
#define BENCH_BODIES_H

#include "geometry/shapes/shape.h"

// A shape by its type and the options that differ from the defaults (whole numbers and reals only), ended by one
// without a name.  Besides the registered types there is "angle": a bar of square section bent by 90 degrees, without
// convex parts: legs as long as `size` [1], thickness and width a third of it.
struct dc_bench_shape {
  const char *type;
  struct dc_bench_option {
    const char *name;
    int count;
    double numbers[3];
  } options[4];
};

// Fills *shape, owned by arena.  DC_MEMORY, DC_USAGE (no such type or option), DC_BAD_INPUT.
enum dc_status dc_bench_shape_build(const struct dc_bench_shape *definition, const char *name, struct dc_arena *arena,
                                    struct dc_shape *shape, struct dc_error *error);

// Sets the number of threads and returns the one before: pairs this small are not worth waking threads for.
int dc_bench_set_threads(int count);

#endif
