// SPDX-License-Identifier: Apache-2.0
// Figures of repetitions in rising order, and their medians.
#ifndef BENCH_SORT_H
#define BENCH_SORT_H

#include <stdlib.h>

static inline int dc_bench_ascending(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static inline void dc_bench_sort(double *values, int count)
{
  qsort(values, (size_t)count, sizeof *values, dc_bench_ascending);
}

// Sorts them, too.
static inline double dc_bench_median(double *values, int count)
{
  dc_bench_sort(values, count);
  return values[count / 2];
}

#endif
