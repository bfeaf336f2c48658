// SPDX-License-Identifier: Apache-2.0
// Eigenvalues and eigenvectors of symmetric 6 x 6 matrices of any scale, and their positive parts: what is put together
// again is the matrix, or its part, and vectors are orthonormal.
#include "harness.h"

#include "base/random.h"
#include "math/eigen6.h"

static void test_eigen6(void)
{
  struct dc_random random;
  dc_random_seed(&random, 6);
  for (int sample = 0; sample < 200; sample++) {
    double scale = pow(10, 300 * dc_random_uniform(&random) - 150), a[6][6], work[6][6], values[6], vectors[6][6],
           projected[6][6], twice[6][6];
    for (int i = 0; i < 6; i++)
      for (int k = 0; k <= i; k++)
        a[i][k] = a[k][i] = scale * (sample % 4 == 0 ? (double)(i == k) : dc_random_normal(&random)) *
                            (sample % 4 == 1 ? pow(10, -(i + k)) : 1);
    if (sample % 4 == 2)  // rank one
      for (int i = 5; i >= 0; i--)
        for (int k = 5; k >= 0; k--)
          a[i][k] = (sample & 4 ? -1 : 1) * scale * (i + 1) * (k + 1);
    memcpy(work, a, sizeof a);
    dc_eigen6(work, values, vectors);
    memcpy(projected, a, sizeof a);
    dc_eigen6_project(projected);
    memcpy(twice, projected, sizeof a);
    dc_eigen6_project(twice);
    for (int i = 0; i < 6; i++)
      for (int k = 0; k < 6; k++) {
        double full = 0, part = 0, unit = 0, most = 0;
        for (int l = 0; l < 6; l++) {
          full += vectors[i][l] * values[l] * vectors[k][l];
          part += vectors[i][l] * fmax(values[l], 0) * vectors[k][l];
          unit += vectors[l][i] * vectors[l][k];
          most = larger(most, fabs(values[l]));
        }
        CHECK_NEAR(full / most, a[i][k] / most, 4e-15);  // observed 1.5e-15
        CHECK_NEAR(projected[i][k] / most, part / most, 1e-15);
        CHECK_NEAR(twice[i][k] / most, projected[i][k] / most, 4e-15);
        CHECK_NEAR(unit, i == k, 2e-14);  // observed 5e-15
      }
  }
  double zero[6][6] = {{0}};
  dc_eigen6_project(zero);
  for (int i = 0; i < 36; i++)
    CHECK(zero[i / 6][i % 6] == 0, "%g", zero[i / 6][i % 6]);
}

RUN_TESTS({"eigenvalues and projection", test_eigen6})
