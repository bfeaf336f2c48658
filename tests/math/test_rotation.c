// SPDX-License-Identifier: Apache-2.0
// Rotations: exponential and logarithm, matrices, the left Jacobian against differences.
#include "harness.h"

#include "base/random.h"
#include "math/rotation.h"
#include "math/vector.h"

static void random_direction(struct dc_random *random, double *direction)
{
  for (int i = 0; i < 3; i++)
    direction[i] = dc_random_normal(random);
  dc_vec_scale(direction, direction, 1 / dc_vec_norm(direction));
}

// log(exp(w)) = w, relative to |w|, for angles over 12 decades up to just below pi; the sign of the quaternion does
// not matter.
static void test_round_trip(void)
{
  struct dc_random random;
  dc_random_seed(&random, 1);
  double worst = 0, norm = 0;
  for (int trial = 0; trial < 600; trial++) {
    double angle = trial % 6 == 5 ? 3.14159 : fmin(1e-12 * pow(10, 12.5 * dc_random_uniform(&random)), 3.14159);
    double w[3], q[4], back[3];
    random_direction(&random, w);
    dc_vec_scale(w, w, angle);
    dc_rotation_exp(q, w);
    norm = larger(norm, fabs(q[0] * q[0] + dc_vec_dot(q + 1, q + 1) - 1));
    for (int sign = 0; sign < 2; sign++) {
      dc_rotation_log(back, q);
      worst = larger(worst, dc_vec_distance(back, w) / angle);
      for (int i = 0; i < 4; i++)
        q[i] = -q[i];
    }
  }
  CHECK_NEAR(worst, 0, 1e-14);  // 3.5e-16 observed
  CHECK_NEAR(norm, 0, 2e-15);   // 4.4e-16 observed
  double half_turn[4] = {0, 0, 0.6, 0.8}, w[3];
  dc_rotation_log(w, half_turn);
  CHECK_NEAR(dc_vec_norm(w), 3.14159265358979323, 1e-15);
}

// Matrices are orthogonal with determinant 1, multiply as quaternions do, and turn right-handedly.
static void test_matrix(void)
{
  struct dc_random random;
  dc_random_seed(&random, 2);
  double worst = 0;
  for (int trial = 0; trial < 200; trial++) {
    double q[2][4], product[4], matrices[3][9], expected[9], square[9], columns[3];
    for (int k = 0; k < 2; k++) {
      for (int i = 0; i < 4; i++)
        q[k][i] = dc_random_normal(&random);
      dc_rotation_normalize(q[k]);
      dc_rotation_matrix(matrices[k], q[k]);
    }
    dc_mat_multiply_transposed(square, matrices[0], matrices[0]);
    for (int i = 0; i < 9; i++)
      worst = larger(worst, fabs(square[i] - (i % 4 == 0)));
    dc_vec_cross(columns, matrices[0], matrices[0] + 3);
    worst = larger(worst, fabs(dc_vec_dot(columns, matrices[0] + 6) - 1));
    dc_rotation_multiply(product, q[0], q[1]);
    dc_rotation_matrix(matrices[2], product);
    dc_mat_multiply(expected, matrices[0], matrices[1]);
    for (int i = 0; i < 9; i++)
      worst = larger(worst, fabs(matrices[2][i] - expected[i]));
    dc_rotation_conjugate(product, q[0]);
    dc_rotation_multiply(product, product, q[0]);
    worst = larger(worst, fabs(product[0] - 1) + dc_vec_norm(product + 1));
  }
  CHECK_NEAR(worst, 0, 1e-14);  // 2.0e-15 observed
  double quarter[3] = {0, 0, 1.5707963267948966}, q[4], matrix[9];
  dc_rotation_exp(q, quarter);
  dc_rotation_matrix(matrix, q);
  CHECK_NEAR(matrix[3], 1, 1e-15);  // x becomes y
}

// exp(w + h e) exp(w)^-1 = exp(h J e) to third order of h, by central differences.
static void test_left_jacobian(void)
{
  struct dc_random random;
  dc_random_seed(&random, 3);
  const double angles[] = {0, 1e-6, 9.9e-3, 1.01e-2, 1, 3};
  const double h = 1e-5;
  double worst = 0;
  for (int trial = 0; trial < 60; trial++) {
    double w[3], q[4], inverse[4], jacobian[9];
    random_direction(&random, w);
    dc_vec_scale(w, w, angles[trial % 6]);
    dc_rotation_exp(q, w);
    dc_rotation_conjugate(inverse, q);
    dc_rotation_left_jacobian(jacobian, w);
    for (int axis = 0; axis < 3; axis++) {
      double turns[2][3];
      for (int side = 0; side < 2; side++) {
        double moved[3] = {w[0], w[1], w[2]}, turned[4];
        moved[axis] += side ? -h : h;
        dc_rotation_exp(turned, moved);
        dc_rotation_multiply(turned, turned, inverse);
        dc_rotation_log(turns[side], turned);
      }
      for (int i = 0; i < 3; i++)
        worst = larger(worst, fabs(jacobian[3 * i + axis] - (turns[0][i] - turns[1][i]) / (2 * h)));
    }
  }
  CHECK_NEAR(worst, 0, 2e-10);  // 1.8e-11 observed: rounding 1e-16 / h and truncation h^2
}

// J^-1 J = 1 on both sides of the change of formula.
static void test_left_jacobian_inverse(void)
{
  struct dc_random random;
  dc_random_seed(&random, 4);
  const double angles[] = {0, 1e-6, 3.1e-2, 3.2e-2, 1, 3};
  double worst = 0;
  for (int trial = 0; trial < 60; trial++) {
    double w[3], jacobian[9], inverse[9], product[9];
    random_direction(&random, w);
    dc_vec_scale(w, w, angles[trial % 6]);
    dc_rotation_left_jacobian(jacobian, w);
    dc_rotation_left_jacobian_inverse(inverse, w);
    dc_mat_multiply(product, inverse, jacobian);
    for (int i = 0; i < 9; i++)
      worst = larger(worst, fabs(product[i] - (i % 4 == 0)));
  }
  printf("# off by %.2g\n", worst);
  CHECK_NEAR(worst, 0, 1e-12);
}

RUN_TESTS({"exponential and logarithm", test_round_trip}, {"matrices", test_matrix},
          {"left Jacobian", test_left_jacobian}, {"its inverse", test_left_jacobian_inverse})
