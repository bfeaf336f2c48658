// SPDX-License-Identifier: Apache-2.0
// Norms of gradients of any magnitude: numbers are scaled before they are squared.  For src/optimize and src/plan.
#ifndef DC_OPTIMIZE_NORM_H
#define DC_OPTIMIZE_NORM_H

#include <math.h>

// Largest absolute component; NaN when any is NaN.
static inline double norm_largest(const double *vector, int dimension)
{
  double most = 0;
  for (int i = 0; i < dimension; i++) {
    if (isnan(vector[i]))
      return NAN;
    most = fmax(most, fabs(vector[i]));
  }
  return most;
}

static inline double norm_euclidean(const double *vector, int dimension)
{
  double most = norm_largest(vector, dimension), sum = 0;
  if (!(most > 0) || isinf(most))
    return most;
  for (int i = 0; i < dimension; i++)
    sum += (vector[i] / most) * (vector[i] / most);
  return most * sqrt(sum);
}

#endif
