// SPDX-License-Identifier: Apache-2.0
// One tetrahedron of an elastic solid.  Private to src/elastic.
#ifndef DC_ELASTIC_ELEMENT_H
#define DC_ELASTIC_ELEMENT_H

#include <string.h>

#include "elastic/elastic.h"
#include "math/vector.h"

// f = sum_a x_a g_a^T: the deformation gradient, or how it moves along a direction x.
static inline void dc_element_gradient(const struct dc_elastic *elastic, int e, const double *x, double f[9])
{
  memset(f, 0, 9 * sizeof *f);
  for (int a = 0; a < 4; a++) {
    const double *p = x + 3 * (size_t)elastic->mesh->elements[e][a], *g = elastic->gradients[e][a];
    for (int i = 0; i < 9; i++)
      f[i] += p[i / 3] * g[i % 3];
  }
}

// Adds scale V P g_a to the nodes a.
static inline void dc_element_add_stress(const struct dc_elastic *elastic, int e, const double stress[9], double scale,
                                         double *gradient)
{
  for (int a = 0; a < 4; a++) {
    double force[3], *at = gradient + 3 * (size_t)elastic->mesh->elements[e][a];
    dc_mat_apply(force, stress, elastic->gradients[e][a]);
    dc_vec_add_scaled(at, at, scale * elastic->volumes[e], force);
  }
}

#endif
