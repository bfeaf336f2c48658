// SPDX-License-Identifier: Apache-2.0
// Samples of elements: places at which the energy takes F, one of a linear element, four of a quadratic one.
#ifndef DC_ELASTIC_SAMPLE_H
#define DC_ELASTIC_SAMPLE_H

#include "elastic/elastic.h"

enum { DC_QUADRATIC_SAMPLES = 4 };

// Nodes of the element of a sample, and the gradients of their shape functions there.
static inline const int *dc_sample_nodes(const struct dc_elastic *elastic, int sample)
{
  return elastic->quadratic ? elastic->quadratic[sample / DC_QUADRATIC_SAMPLES] : elastic->mesh->elements[sample];
}
static inline const double (*dc_sample_gradients(const struct dc_elastic *elastic, int sample))[3]
{
  return (const double(*)[3])(elastic->gradients + (size_t)elastic->stride * (size_t)sample);
}

// Elements of the mesh whose factors a sample has the mean of: of a quadratic one, an eighth at a corner and one
// inside.
static inline void dc_sample_elements(const struct dc_elastic *elastic, int e, int elements[2])
{
  int within = e % DC_QUADRATIC_SAMPLES;
  elements[0] = elements[1] = e;
  if (elastic->quadratic) {
    elements[0] = 2 * (e - within) + within;
    elements[1] = elements[0] + DC_QUADRATIC_SAMPLES;
  }
}

static inline double dc_sample_factor(const struct dc_elastic *elastic, const double *factors, int e)
{
  int of[2];
  dc_sample_elements(elastic, e, of);
  return 0.5 * (factors[of[0]] + factors[of[1]]);
}

#endif
