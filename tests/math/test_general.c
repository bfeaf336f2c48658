// SPDX-License-Identifier: Apache-2.0
// Elimination with pivots: products with the solutions give the right-hand sides, for the matrix and its transposed.
#include "math/general.h"

#include "base/random.h"
#include "harness.h"

enum { MOST = 12 };

static double residual(int n, const double *matrix, bool transposed, const double *x, const double *b)
{
  double worst = 0;
  for (int i = 0; i < n; i++) {
    double sum = -b[i];
    for (int j = 0; j < n; j++)
      sum += (transposed ? matrix[i * n + j] : matrix[j * n + i]) * x[j];
    worst = fmax(worst, fabs(sum));
  }
  return worst;
}

static void test_solve(void)
{
  struct dc_random random;
  dc_random_seed(&random, 3);
  for (int n = 1; n <= MOST; n++)
    for (int transposed = 0; transposed < 2; transposed++) {
      double matrix[MOST * MOST], factored[MOST * MOST], b[MOST], x[MOST];
      int pivots[MOST];
      for (int k = 0; k < n * n; k++)
        factored[k] = matrix[k] = dc_random_normal(&random);
      matrix[0] = factored[0] = n > 1 ? 0 : 2;  // needs a pivot
      for (int k = 0; k < n; k++)
        x[k] = b[k] = dc_random_normal(&random);
      CHECK(dc_general_factor(n, factored, pivots), "%d", n);
      dc_general_solve(n, factored, pivots, transposed, x);
      CHECK_NEAR(residual(n, matrix, transposed, x, b), 0, 1e-11);
    }
}

static void test_refused(void)
{
  double singular[4] = {1, 2, 2, 4}, wrong[4] = {1, NAN, 0, 1};
  int pivots[2];
  CHECK(!dc_general_factor(2, singular, pivots), "singular");
  CHECK(!dc_general_factor(2, wrong, pivots), "no number");
}

RUN_TESTS({"solutions", test_solve}, {"what has none", test_refused})
