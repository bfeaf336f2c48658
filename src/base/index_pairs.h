// SPDX-License-Identifier: Apache-2.0
// Pairs of indices, such as blocks of a matrix or ends of edges, in lexicographic order.
#ifndef DC_BASE_INDEX_PAIRS_H
#define DC_BASE_INDEX_PAIRS_H

#include <stddef.h>

// Compares two int [2], for qsort and bsearch.
int dc_index_pair_compare(const void *one, const void *other);
// Sorts pairs [count], removes repetitions, and returns how many are left.
size_t dc_index_pairs_sort(int (*pairs)[2], size_t count);

#endif
