// SPDX-License-Identifier: Apache-2.0
// Sorts pairs of indices lexicographically and drops repetitions in one pass over the sorted array.
#include "base/index_pairs.h"

#include <stdlib.h>
#include <string.h>

int dc_index_pair_compare(const void *one, const void *other)
{
  const int *a = one, *b = other;
  for (int k = 0; k < 2; k++)
    if (a[k] != b[k])
      return a[k] < b[k] ? -1 : 1;
  return 0;
}

// Equal pairs stand side by side after sorting, so that one comparison with the last pair kept is enough.
size_t dc_index_pairs_sort(int (*pairs)[2], size_t count)
{
  size_t kept = 0;
  if (count)
    qsort(pairs, count, sizeof *pairs, dc_index_pair_compare);
  for (size_t i = 0; i < count; i++)
    if (!kept || dc_index_pair_compare(pairs[kept - 1], pairs[i]))
      memmove(pairs[kept++], pairs[i], sizeof *pairs);
  return kept;
}
