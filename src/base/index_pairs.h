// SPDX-License-Identifier: Apache-2.0
// Pairs of indices, as of blocks of a matrix or ends of edges, in the order of the first, then of the second.
#ifndef DC_BASE_INDEX_PAIRS_H
#define DC_BASE_INDEX_PAIRS_H

#include <stddef.h>

// Of two int [2], for qsort and bsearch.
int dc_index_pair_compare(const void *one, const void *other);
// Sorts pairs [count] and keeps one of each; returns how many these are.
size_t dc_index_pairs_sort(int (*pairs)[2], size_t count);

#endif
