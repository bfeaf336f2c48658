// SPDX-License-Identifier: Apache-2.0
// What tests of elastic bodies share: products with an element's second derivatives, and how far vectors are apart.
#ifndef TESTS_ELASTIC_STENCILS_H
#define TESTS_ELASTIC_STENCILS_H

#include "elastic/elastic.h"
#include "math/vector.h"

// product += H direction for one element of count nodes; both hold three numbers a node of the body.
static inline void add_element_product(const double (*blocks)[9], const int *nodes, int count, const double *direction,
                                       double *product)
{
  for (int i = 0; i < count * count; i++) {
    int a = i / count, b = i % count;
    double part[3], *at = product + 3 * nodes[a];
    if (b <= a)
      dc_mat_apply(part, blocks[dc_element_block(a, b)], direction + 3 * nodes[b]);
    else
      dc_mat_apply_transposed(part, blocks[dc_element_block(b, a)], direction + 3 * nodes[b]);
    dc_vec_add(at, at, part);
  }
}

// Largest difference of two vectors over the size of the first.
static inline double apart(const double *a, const double *b, int count)
{
  double most = 0, size = 0;
  for (int i = 0; i < count; i++) {
    most = larger(most, fabs(a[i] - b[i]));
    size = larger(size, fabs(a[i]));
  }
  return most / size;
}

#endif
