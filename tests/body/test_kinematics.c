// SPDX-License-Identifier: Apache-2.0
// Kinematics of random trees: columns against differences of poses, and J^T H J plus the second derivative of the
// frames against second differences of a function of all poses whose derivatives in the charts of the frames are known.
#include "harness.h"

#include "body/kinematics.h"
#include "body/trees.h"

enum { SEEDS = 24, FREEDOMS = 64, PAIRS = 12 };

// F = sum_i sin(alpha_i) + sum_pairs s alpha_a alpha_b,  alpha_i = p_i.x_i + <C_i, R_i>: in the chart x + t, exp([w]x)
// R with B = R C^T    d alpha/dt = p,   d alpha/dw = axl(C R^T),   d2 alpha/dw2 = sym(B) - tr(B) I.
struct form {
  double p[TREE_BODIES][3], c[TREE_BODIES][9];
  int pairs[PAIRS][2];
  double scale[PAIRS];
};

struct problem {
  struct tree tree;
  struct form form;
  struct dc_kinematics kinematics;
  double q[TREE_NUMBERS];
};

static void begin(struct problem *problem, int seed)
{
  struct dc_random random;
  tree_begin(&problem->tree, seed);
  dc_random_seed(&random, 500 + (uint64_t)seed);
  tree_random_state(&problem->tree, &random, problem->q);
  random_vector(&random, 3 * TREE_BODIES, 1, &problem->form.p[0][0]);
  random_vector(&random, 9 * TREE_BODIES, 1, &problem->form.c[0][0]);
  for (int k = 0; k < PAIRS; k++) {
    int a = tree_choice(&random, TREE_BODIES), b = (a + 1 + tree_choice(&random, TREE_BODIES - 1)) % TREE_BODIES;
    problem->form.pairs[k][0] = a, problem->form.pairs[k][1] = b;
    problem->form.scale[k] = 0.2 + dc_random_uniform(&random);
  }
  CHECK(problem->tree.bodies.nv <= FREEDOMS, "%d", problem->tree.bodies.nv);
  CHECK(dc_kinematics_create(&problem->tree.bodies, problem->tree.arena, &problem->kinematics, NULL) == DC_OK);
  dc_kinematics_update(&problem->tree.bodies, problem->q, &problem->kinematics);
}

static void alphas(const struct problem *problem, const struct dc_pose *poses, double *alpha)
{
  for (int i = 0; i < TREE_BODIES; i++) {
    alpha[i] = dc_vec_dot(problem->form.p[i], poses[i].position);
    for (int k = 0; k < 9; k++)
      alpha[i] += problem->form.c[i][k] * poses[i].rotation[k];
  }
}

static double value_along(const struct problem *problem, double step, const double *tangent)
{
  double q[TREE_NUMBERS], alpha[TREE_BODIES], sum = 0;
  struct dc_pose poses[TREE_BODIES];
  dc_state_move(&problem->tree.bodies, problem->q, step, tangent, q);
  dc_poses(&problem->tree.bodies, q, poses);
  alphas(problem, poses, alpha);
  for (int i = 0; i < TREE_BODIES; i++)
    sum += sin(alpha[i]);
  for (int k = 0; k < PAIRS; k++)
    sum += problem->form.scale[k] * alpha[problem->form.pairs[k][0]] * alpha[problem->form.pairs[k][1]];
  return sum;
}

// d alpha [6] and d2 alpha/dw2 [9] of one body.
static void alpha_derivatives(const struct problem *problem, int i, double first[6], double second[9])
{
  const double *r = problem->kinematics.poses[i].rotation;
  double cr[9], b[9];
  dc_mat_multiply_transposed(cr, problem->form.c[i], r);
  first[0] = cr[7] - cr[5], first[1] = cr[2] - cr[6], first[2] = cr[3] - cr[1];
  dc_vec_copy(first + 3, problem->form.p[i]);
  dc_mat_multiply_transposed(b, r, problem->form.c[i]);
  for (int j = 0; j < 3; j++)
    for (int k = 0; k < 3; k++)
      second[3 * j + k] = 0.5 * (b[3 * j + k] + b[3 * k + j]) - (j == k ? b[0] + b[4] + b[8] : 0);
}

// Wrenches, diagonal blocks and the pairs' blocks (which go into the matrix) of F.
static void frame_derivatives(const struct problem *problem, double (*wrenches)[6], double (*blocks)[36],
                              struct dc_assembler *assembler, struct dc_symmetric_matrix *matrix)
{
  double alpha[TREE_BODIES], first[TREE_BODIES][6], second[TREE_BODIES][9], slope[TREE_BODIES];
  alphas(problem, problem->kinematics.poses, alpha);
  for (int i = 0; i < TREE_BODIES; i++) {
    alpha_derivatives(problem, i, first[i], second[i]);
    slope[i] = cos(alpha[i]);
  }
  for (int k = 0; k < PAIRS; k++) {
    int a = problem->form.pairs[k][0], b = problem->form.pairs[k][1];
    const struct dc_body *bodies = problem->tree.bodies.bodies;
    double block[6][6];
    slope[a] += problem->form.scale[k] * alpha[b];
    slope[b] += problem->form.scale[k] * alpha[a];
    for (int i = 0; i < 6; i++)
      for (int j = 0; j < 6; j++)
        block[i][j] = first[a][i] * first[b][j];
    if (dc_body_moves(&bodies[a]) && dc_body_moves(&bodies[b]))
      dc_assemble_pair(assembler, &problem->kinematics, a, b, problem->form.scale[k], &block[0][0], matrix);
  }
  for (int i = 0; i < TREE_BODIES; i++)
    for (int j = 0; j < 6; j++) {
      wrenches[i][j] = slope[i] * first[i][j];
      for (int k = 0; k < 6; k++)
        blocks[i][6 * j + k] =
            -sin(alpha[i]) * first[i][j] * first[i][k] + (j < 3 && k < 3 ? slope[i] * second[i][3 * j + k] : 0);
    }
}

static struct dc_symmetric_matrix *create_matrix(const struct dc_bodies *bodies)
{
  int sizes[TREE_BODIES], pairs[TREE_BODIES * TREE_BODIES][2], count = 0;
  for (int m = 0; m < bodies->mechanism_count; m++) {
    sizes[m] = bodies->mechanisms[m].nv;
    for (int n = 0; n < m; n++)
      pairs[count][0] = m, pairs[count++][1] = n;
  }
  return dc_symmetric_create(bodies->mechanism_count, sizes, count, (const int(*)[2])pairs, DC_SOLVER_DENSE);
}

static void pose_twist(const struct dc_pose *from, const struct dc_pose *to, double twist[6])
{
  double back[4], turn[4];
  dc_rotation_conjugate(back, from->quaternion);
  dc_rotation_multiply(turn, to->quaternion, back);
  dc_rotation_log(twist, turn);
  dc_vec_sub(twist + 3, to->position, from->position);
}

static void test_columns(void)
{
  const double step = 1e-4;
  double worst = 0, transposed = 0, bounds = 0;
  for (int seed = 0; seed < SEEDS; seed++) {
    struct problem problem;
    begin(&problem, seed);
    const struct dc_bodies *bodies = &problem.tree.bodies;
    struct dc_random random;
    double wrenches[TREE_BODIES][6], gradient[FREEDOMS] = {0};
    dc_random_seed(&random, 600 + (uint64_t)seed);
    random_vector(&random, 6 * TREE_BODIES, 1, &wrenches[0][0]);
    dc_pull_back(bodies, &problem.kinematics, (const double(*)[6])wrenches, gradient);
    double magnitudes[FREEDOMS] = {0}, expected[FREEDOMS] = {0};
    for (int i = 0; i < bodies->count; i++) {
      double magnitude[6];
      for (int j = 0; j < 6; j++)
        magnitude[j] = fabs(wrenches[i][j]);
      dc_pull_back_magnitude(bodies, &problem.kinematics, i, magnitude, magnitudes);
    }
    for (int k = 0; k < bodies->nv; k++) {
      double tangent[FREEDOMS] = {0}, q[TREE_NUMBERS], twists[TREE_BODIES][6], along = 0;
      struct dc_pose ends[4][TREE_BODIES];
      tangent[k] = 1;
      for (int end = 0; end < 4; end++) {
        dc_state_move(bodies, problem.q, (end < 2 ? 1 : 2) * (end & 1 ? -step : step), tangent, q);
        dc_poses(bodies, q, ends[end]);
      }
      dc_twists(bodies, &problem.kinematics, tangent, twists);
      for (int i = 0; i < bodies->count; i++) {
        double near[6], far[6];
        pose_twist(&ends[1][i], &ends[0][i], near);
        pose_twist(&ends[3][i], &ends[2][i], far);
        for (int j = 0; j < 6; j++) {
          double slope = (8 * near[j] - far[j]) / (12 * step);
          worst = larger(worst, fabs(slope - twists[i][j]));
          along += wrenches[i][j] * twists[i][j];
          expected[k] += fabs(wrenches[i][j] * twists[i][j]);
        }
      }
      transposed = larger(transposed, fabs(along - gradient[k]));
      bounds = larger(bounds, fabs(expected[k] - magnitudes[k]));
    }
    tree_end(&problem.tree);
  }
  CHECK_NEAR(worst, 0, 1e-9);        // 2.8e-11 observed
  CHECK_NEAR(transposed, 0, 1e-12);  // 1.8e-15 observed
  CHECK_NEAR(bounds, 0, 1e-12);
}

// Second difference along a direction, of fourth order.
static double bend(const struct problem *problem, const double *direction)
{
  const double step = 2e-3;
  double middle = value_along(problem, 0, direction);
  double near = value_along(problem, step, direction) + value_along(problem, -step, direction) - 2 * middle;
  double far = value_along(problem, 2 * step, direction) + value_along(problem, -2 * step, direction) - 2 * middle;
  return (16 * near - far) / (12 * step * step);
}

// Largest difference of the assembled matrix and of the gradient from differences, relative to their largest entries.
static void check_derivatives(const struct problem *problem, bool curved, double *hessian_error, double *gradient_error)
{
  const struct dc_bodies *bodies = &problem->tree.bodies;
  const double step = 1e-3;
  int nv = bodies->nv;
  double wrenches[TREE_BODIES][6], blocks[TREE_BODIES][36], gradient[FREEDOMS] = {0}, rows[FREEDOMS][FREEDOMS];
  struct dc_assembler *assembler = dc_assembler_create(bodies, problem->tree.arena);
  struct dc_symmetric_matrix *matrix = create_matrix(bodies);
  frame_derivatives(problem, wrenches, blocks, assembler, matrix);
  dc_assemble_bodies(assembler, &problem->kinematics, (const double(*)[36])blocks,
                     curved ? (const double(*)[6])wrenches : NULL, matrix);
  dc_pull_back(bodies, &problem->kinematics, (const double(*)[6])wrenches, gradient);
  double worst = 0, off = 0, largest = 0;
  for (int k = 0; k < nv; k++) {
    double unit[FREEDOMS] = {0};
    unit[k] = 1;
    dc_symmetric_multiply(matrix, unit, rows[k]);
    largest = larger(largest, largest_of(rows[k], nv));
    double near = value_along(problem, step, unit) - value_along(problem, -step, unit);
    double far = value_along(problem, 2 * step, unit) - value_along(problem, -2 * step, unit);
    off = larger(off, fabs((8 * near - far) / (12 * step) - gradient[k]));
  }
  for (int k = 0; k < nv; k++)
    for (int l = 0; l <= k; l++) {
      double sum[FREEDOMS] = {0}, difference[FREEDOMS] = {0};
      sum[k] += 1, sum[l] += 1, difference[k] += 1, difference[l] -= 1;
      double expected = 0.25 * (bend(problem, sum) - bend(problem, difference));
      worst = larger(worst, fabs(expected - rows[k][l]));
    }
  *hessian_error = nv ? worst / largest : 0;
  *gradient_error = nv ? off / largest_of(gradient, nv) : 0;
  dc_symmetric_destroy(matrix);
}

static void test_second_derivatives(void)
{
  double worst = 0, gradients = 0, without = 0;
  for (int seed = 0; seed < SEEDS; seed++) {
    struct problem problem;
    double hessian, gradient;
    begin(&problem, seed);
    check_derivatives(&problem, true, &hessian, &gradient);
    worst = larger(worst, hessian);
    gradients = larger(gradients, gradient);
    if (seed == 2) {  // without the derivative of J the matrix would be another one
      check_derivatives(&problem, false, &hessian, &gradient);
      without = hessian;
    }
    tree_end(&problem.tree);
  }
  CHECK_NEAR(worst, 0, 1e-8);       // 2.4e-9 observed, the error of the differences
  CHECK_NEAR(gradients, 0, 1e-10);  // 1.6e-11 observed
  CHECK(without > 0.01, "%g", without);
}

// Blocks at degrees of freedom of joints land on their own rows and columns.
static void test_joint_blocks(void)
{
  for (int seed = 0; seed < 6; seed++) {
    struct problem problem;
    begin(&problem, seed);
    const struct dc_bodies *bodies = &problem.tree.bodies;
    struct dc_assembler *assembler = dc_assembler_create(bodies, problem.tree.arena);
    struct dc_symmetric_matrix *matrix = create_matrix(bodies);
    const double block[9] = {1, 2, 3, 2, 4, 5, 3, 5, 6};
    double expected[FREEDOMS][FREEDOMS] = {{0}}, row[FREEDOMS];
    for (int i = 0; i < bodies->count; i++)
      for (int p = 0; p < bodies->bodies[i].part_count; p++) {
        const struct dc_joint_part *part = &bodies->bodies[i].parts[p];
        int n = dc_part_nv(part);
        dc_assemble_joint(assembler, i, part->v, n, block, matrix);
        for (int a = 0; a < n; a++)
          for (int b = 0; b < n; b++)
            expected[part->v + a][part->v + b] += block[n * a + b];
      }
    for (int k = 0; k < bodies->nv; k++) {
      double unit[FREEDOMS] = {0};
      unit[k] = 1;
      dc_symmetric_multiply(matrix, unit, row);
      CHECK(memcmp(row, expected[k], (size_t)bodies->nv * sizeof *row) == 0, "seed %d, row %d", seed, k);
    }
    dc_symmetric_destroy(matrix);
    tree_end(&problem.tree);
  }
}

RUN_TESTS({"columns and pull-back", test_columns}, {"second derivatives", test_second_derivatives},
          {"blocks of joints", test_joint_blocks})
