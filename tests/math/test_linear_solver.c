// SPDX-License-Identifier: Apache-2.0
// Symmetric systems: all backends against a plain full matrix kept by the test.
#include "harness.h"

#include "base/random.h"
#include "math/cholesky.h"
#include "math/linear_backend.h"
#include "math/linear_solver.h"

enum { BACKENDS = 4 };
static const enum dc_solver_backend backends[BACKENDS] = {DC_SOLVER_DENSE, DC_SOLVER_SPARSE, DC_SOLVER_SUPERNODAL,
                                                          DC_SOLVER_STRONG};

enum { MOST_BLOCKS = 150, MOST_SIZE = 7, WIDTH = 9 };  // WIDTH: leading dimension of the blocks given

enum kind { POSITIVE, INDEFINITE };

// A random block system: the same blocks are added to a library matrix and to full [size][size].
struct problem {
  int block_count, sizes[MOST_BLOCKS], offsets[MOST_BLOCKS + 1], pair_count;
  int (*pairs)[2];
  double *full, *b;
};

static double uniform(struct dc_random *random)
{
  return 2 * dc_random_uniform(random) - 1;
}

static struct problem create_problem(struct dc_random *random, int block_count, double fill)
{
  struct problem problem = {.block_count = block_count};
  problem.pairs = calloc((size_t)block_count * (size_t)block_count + 1, sizeof *problem.pairs);
  for (int i = 0; i < block_count; i++) {
    problem.sizes[i] = i % 3 == 2 ? (int)(dc_random_bits(random) % (MOST_SIZE + 1)) : 6;
    problem.offsets[i + 1] = problem.offsets[i] + problem.sizes[i];
    for (int j = 0; j < i; j++)
      if (j == i - 1 || dc_random_uniform(random) < fill) {
        int *pair = problem.pairs[problem.pair_count++];
        pair[dc_random_bits(random) & 1] = i;  // either order
        pair[pair[0] == i ? 1 : 0] = j;
      }
  }
  if (problem.pair_count) {  // a duplicate in the other order
    int *last = problem.pairs[problem.pair_count];
    last[0] = problem.pairs[0][1], last[1] = problem.pairs[0][0];
    problem.pair_count++;
  }
  int n = problem.offsets[block_count];
  problem.full = calloc((size_t)n * (size_t)n + 1, sizeof(double));
  problem.b = calloc((size_t)n + 1, sizeof(double));
  for (int i = 0; i < n; i++)
    problem.b[i] = uniform(random);
  return problem;
}

static void destroy_problem(struct problem *problem)
{
  free(problem->pairs);
  free(problem->full);
  free(problem->b);
}

static struct dc_symmetric_matrix *create_matrix(const struct problem *problem, enum dc_solver_backend backend)
{
  return dc_symmetric_create(problem->block_count, problem->sizes, problem->pair_count, (const int(*)[2])problem->pairs,
                             backend);
}

static void add(struct problem *problem, struct dc_symmetric_matrix *const *matrices, int row, int column, double scale,
                const double block[MOST_SIZE][WIDTH])
{
  int n = problem->offsets[problem->block_count];
  for (int i = 0; i < problem->sizes[row]; i++)
    for (int j = 0; j < problem->sizes[column]; j++) {
      int r = problem->offsets[row] + i, c = problem->offsets[column] + j;
      problem->full[r * n + c] += scale * block[i][j];
      if (row != column)
        problem->full[c * n + r] += scale * block[i][j];
    }
  for (int k = 0; k < BACKENDS; k++)
    dc_symmetric_add_block(matrices[k], row, column, scale, block[0], WIDTH);
}

// Fills matrices (dense, sparse) and the full one; diagonally dominant, with signs of the diagonal as kind says.
static void fill(struct problem *problem, struct dc_random *random, struct dc_symmetric_matrix *const *matrices,
                 enum kind kind)
{
  double block[MOST_SIZE][WIDTH];
  double dominance = 0.5 * problem->pair_count / problem->block_count;
  for (int i = 0; i < problem->block_count; i++) {
    for (int r = 0; r < MOST_SIZE; r++)
      for (int c = 0; c <= r; c++)
        block[r][c] = block[c][r] = 0.5 * uniform(random);
    for (int r = 0; r < MOST_SIZE; r++)
      block[r][r] += (kind == INDEFINITE && (i + r) % 3 == 0 ? -1 : 1) * (8 + 12 * dominance);
    add(problem, matrices, i, i, 2, block);
  }
  for (int k = 0; k < problem->pair_count; k++) {
    for (int r = 0; r < MOST_SIZE; r++)
      for (int c = 0; c < MOST_SIZE; c++)
        block[r][c] = uniform(random);
    add(problem, matrices, problem->pairs[k][0], problem->pairs[k][1], -0.7, block);
  }
}

static double residual(const struct problem *problem, const double *x)
{
  int n = problem->offsets[problem->block_count];
  double most = 0, scale = 0;
  for (int i = 0; i < n; i++) {
    double sum = problem->b[i];
    for (int j = 0; j < n; j++)
      sum -= problem->full[i * n + j] * x[j];
    most = larger(most, fabs(sum));
    scale = larger(scale, fabs(problem->b[i]));
  }
  return scale > 0 ? most / scale : 0;
}

static struct {
  double product, claim, residual, agreement;
} worst;

// One problem through all backends: product, factorization, solve, claimed residual, agreement.
static void check_backends(struct dc_random *random, int block_count, double fill_ratio, enum kind kind)
{
  struct problem problem = create_problem(random, block_count, fill_ratio);
  struct dc_symmetric_matrix *matrices[BACKENDS];
  for (int k = 0; k < BACKENDS; k++)
    matrices[k] = create_matrix(&problem, backends[k]);
  int n = problem.offsets[block_count];
  double *x[BACKENDS];
  for (int k = 0; k < BACKENDS; k++)
    x[k] = calloc((size_t)n + 1, sizeof(double));
  double *ones = calloc((size_t)n + 1, sizeof(double));
  for (int round = 0; round < 2; round++) {  // the second time over the first one's values and factors
    memset(problem.full, 0, (size_t)n * (size_t)n * sizeof(double));
    for (int k = 0; k < BACKENDS; k++)
      dc_symmetric_clear(matrices[k]);
    fill(&problem, random, matrices, kind);
    for (int k = 0; k < BACKENDS; k++) {
      double claimed;
      for (int i = 0; i < n; i++)
        ones[i] = 1;
      dc_symmetric_multiply(matrices[k], ones, x[k]);
      for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int j = 0; j < n; j++)
          sum += problem.full[i * n + j];
        worst.product = larger(worst.product, fabs(x[k][i] - sum) / dc_symmetric_norm(matrices[k]));
      }
      if (kind == INDEFINITE && n > 1)
        CHECK(dc_symmetric_factor_positive(matrices[k]) == DC_NUMERICAL, "indefinite, n = %d", n);
      else
        CHECK(dc_symmetric_factor_positive(matrices[k]) == DC_OK, "positive, n = %d", n);
      if (kind == INDEFINITE || round)
        CHECK(dc_symmetric_factor_indefinite(matrices[k]) == DC_OK, "n = %d", n);
      memcpy(x[k], problem.b, (size_t)n * sizeof(double));
      dc_symmetric_solve(matrices[k], x[k], x[k], &claimed);
      double actual = residual(&problem, x[k]);
      worst.residual = larger(worst.residual, actual);
      worst.claim = larger(worst.claim, fabs(claimed - actual));
    }
    for (int i = 0; i < n; i++)
      for (int k = 1; k < BACKENDS; k++)
        worst.agreement = larger(worst.agreement, fabs(x[0][i] - x[k][i]));
  }
  for (int k = 0; k < BACKENDS; k++) {
    dc_symmetric_destroy(matrices[k]);
    free(x[k]);
  }
  free(ones);
  destroy_problem(&problem);
}

static void check_kind(enum kind kind)
{
  struct dc_random random;
  dc_random_seed(&random, 5 + (unsigned)kind);
  memset(&worst, 0, sizeof worst);
  const struct {
    int blocks;
    double fill;
  } cases[] = {{0, 0}, {1, 0}, {2, 1}, {5, 1}, {16, 0.3}, {16, 1}, {60, 0.02}, {60, 0.3}};
  for (int i = 0; i < 8; i++)
    check_backends(&random, cases[i].blocks, cases[i].fill, kind);
  CHECK_NEAR(worst.product, 0, 1e-14);    // 1.0e-15 observed
  CHECK_NEAR(worst.claim, 0, 1e-14);      // 8.3e-16 observed
  CHECK_NEAR(worst.residual, 0, 1e-14);   // 1.2e-15 observed
  CHECK_NEAR(worst.agreement, 0, 1e-15);  // 1.0e-17 observed, solutions of size 1e-3 to 1e-1
}

static void test_positive(void)
{
  check_kind(POSITIVE);
}

static void test_indefinite(void)
{
  check_kind(INDEFINITE);
}

// Two 2x2 blocks: [A B; B^T C] row by row in values [4][4].
static struct dc_symmetric_matrix *small(enum dc_solver_backend backend, const double values[4][4])
{
  const int sizes[2] = {2, 2}, pairs[1][2] = {{0, 1}};
  struct dc_symmetric_matrix *matrix = dc_symmetric_create(2, sizes, 1, pairs, backend);
  for (int i = 0; i < 2; i++)
    for (int j = 0; j <= i; j++)
      dc_symmetric_add_block(matrix, i, j, 1, &values[2 * i][2 * j], 4);
  return matrix;
}

// Several right-hand sides at once: the bits of each alone, for every number of them; x may be b.
static void test_blocks(void)
{
  const double values[4][4] = {{4, -1, 0.3, 0}, {-1, 5, -0.7, 0.1}, {0.3, -0.7, 3, -0.3}, {0, 0.1, -0.3, 2.1}};
  for (int k = 0; k < BACKENDS; k++) {
    struct dc_symmetric_matrix *matrix = small(backends[k], values);
    double b[11][4], alone[11][4], residuals[11], own;
    CHECK(dc_symmetric_factor_positive(matrix) == DC_OK, "factored");
    for (int count = 0; count <= 11; count++) {
      for (int c = 0; c < count; c++) {
        for (int i = 0; i < 4; i++)
          b[c][i] = sin(1 + 7.3 * c + i);
        dc_symmetric_solve(matrix, b[c], alone[c], &own);
        CHECK(own < 1e-15, "%g", own);
      }
      dc_symmetric_solve_block(matrix, count, b[0], b[0], residuals);
      CHECK(memcmp(b, alone, (size_t)count * sizeof *b) == 0, "%d: same bits", count);
      for (int c = 0; c < count; c++)
        CHECK(residuals[c] >= 0 && residuals[c] < 1e-15, "%g", residuals[c]);
    }
    dc_symmetric_destroy(matrix);
  }
}

static void test_refusals(void)
{
  // the Laplacian of a chain annuls (1, 1, 1, 1); with these weights its last pivot is rounding
  const double laplacian[4][4] = {{1, -1, 0, 0}, {-1, 2, -1, 0}, {0, -1, 2, -1}, {0, 0, -1, 1}};
  const double singular[4][4] = {{0.1, -0.1, 0, 0}, {-0.1, 0.8, -0.7, 0}, {0, -0.7, 1, -0.3}, {0, 0, -0.3, 0.3}};
  // pivot 1 - 1/3 * 3 of the last unknown is pure rounding
  const double third = 1.0 / 3;
  const double rounding[4][4] = {{3, 0, 0, 1}, {0, 1, 0, 0}, {0, 0, 1, 0}, {1, 0, 0, third}};
  const double zero_row[4][4] = {{1, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}};
  for (int k = 0; k < BACKENDS; k++) {
    double b[4] = {1, 2, 3, 4}, x[4], residuals;
    struct dc_symmetric_matrix *matrix = small(backends[k], rounding);
    CHECK(dc_symmetric_factor_positive(matrix) == DC_NUMERICAL, "rounding, %s", matrix->backend->name);
    dc_symmetric_solve(matrix, b, x, &residuals);
    CHECK(isnan(x[0]) && isnan(residuals), "no solution without a factorization");
    dc_symmetric_destroy(matrix);

    matrix = small(backends[k], zero_row);
    CHECK(dc_symmetric_factor_positive(matrix) == DC_NUMERICAL, "zero row");
    CHECK(dc_symmetric_factor_indefinite(matrix) == DC_NUMERICAL, "zero row");
    dc_symmetric_add_diagonal(matrix, 1);
    CHECK(dc_symmetric_factor_positive(matrix) == DC_OK, "shifted");
    dc_symmetric_solve(matrix, b, x, NULL);
    // without refinement: within one rounding of each
    CHECK_NEAR(x[0], 0.5, 1.2e-16);
    CHECK_NEAR(x[1], 2, 4.5e-16);
    CHECK_NEAR(x[3], 2, 4.5e-16);
    double zeros[4] = {0};
    dc_symmetric_solve(matrix, zeros, x, &residuals);
    CHECK(x[2] == 0 && residuals == 0, "zero right-hand side");
    dc_symmetric_destroy(matrix);

    matrix = small(backends[k], laplacian);
    CHECK(dc_symmetric_factor_positive(matrix) == DC_NUMERICAL, "Laplacian");
    CHECK(dc_symmetric_factor_indefinite(matrix) == DC_NUMERICAL, "Laplacian");
    dc_symmetric_destroy(matrix);

    matrix = small(backends[k], singular);  // refused, or the residual tells
    CHECK(dc_symmetric_factor_positive(matrix) == DC_NUMERICAL, "singular");
    if (dc_symmetric_factor_indefinite(matrix) == DC_OK) {
      dc_symmetric_solve(matrix, b, x, &residuals);
      CHECK(!(residuals < 1e-3), "a singular matrix solved to %g", residuals);
    }
    for (int bad = 0; bad < 3; bad++) {
      const double wrong[3] = {NAN, INFINITY, -INFINITY};
      const double block[4] = {0, 0, wrong[bad], 0};
      dc_symmetric_clear(matrix);
      dc_symmetric_add_diagonal(matrix, 1);
      dc_symmetric_add_block(matrix, 1, 0, 1, block, 2);
      CHECK(!isfinite(dc_symmetric_norm(matrix)), "norm");
      CHECK(dc_symmetric_factor_positive(matrix) == DC_NUMERICAL, "%g", wrong[bad]);
      CHECK(dc_symmetric_factor_indefinite(matrix) == DC_NUMERICAL, "%g", wrong[bad]);
    }
    dc_symmetric_destroy(matrix);
  }
}

// A block above the diagonal is the transpose of one below, for blocks of different sizes and any stride.
static void test_transposed_block(void)
{
  const int sizes[2] = {2, 3}, pairs[1][2] = {{1, 0}};
  const double block[3][4] = {{1, 2, 9, 9}, {3, 4, 9, 9}, {5, 6, 9, 9}};  // rows of block 1, columns of block 0
  const double transposed[2][5] = {{1, 3, 5, 9, 9}, {2, 4, 6, 9, 9}};
  const double x[5] = {1, 10, 100, 1000, 10000}, expected[5] = {53100, 64200, 21, 43, 65};
  for (int k = 0; k < 2 * BACKENDS; k++) {
    struct dc_symmetric_matrix *matrix = dc_symmetric_create(2, sizes, 1, pairs, backends[k % BACKENDS]);
    double y[5];
    if (k < BACKENDS)
      dc_symmetric_add_block(matrix, 1, 0, 1, block[0], 4);
    else
      dc_symmetric_add_block(matrix, 0, 1, 1, transposed[0], 5);
    dc_symmetric_multiply(matrix, x, y);
    for (int i = 0; i < 5; i++)
      CHECK_NEAR(y[i], expected[i], 0);
    CHECK_NEAR(dc_symmetric_norm(matrix), 6, 0);
    dc_symmetric_destroy(matrix);
  }
}

// A row at places is a block with zeros elsewhere, in both orders of the blocks; within a block with its mirror image.
static void test_row(void)
{
  const int sizes[2] = {5, 4}, pairs[1][2] = {{1, 0}}, places[2] = {3, 1};
  const double values[2] = {2, -3}, x[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  const int row_of[3] = {1, 0, 0}, column_of[3] = {0, 1, 0};
  for (int k = 0; k < 3; k++) {
    struct dc_symmetric_matrix *matrix = dc_symmetric_create(2, sizes, 1, pairs, DC_SOLVER_DENSE);
    double y[9], expected[9] = {0};
    int first = row_of[k] ? 5 : 0, other = column_of[k] ? 5 : 0;
    dc_symmetric_add_row(matrix, row_of[k], 1, column_of[k], 2, places, values);
    dc_symmetric_multiply(matrix, x, y);
    for (int i = 0; i < 2; i++) {
      expected[first + 1] += values[i] * x[other + places[i]];
      expected[other + places[i]] += values[i] * x[first + 1];
    }
    for (int i = 0; i < 9; i++)
      CHECK_NEAR(y[i], expected[i], 0);
    dc_symmetric_destroy(matrix);
  }
}

// Sizes on both sides of every multiple of the rows worked on together; what is not positive is refused.
static void test_small(void)
{
  struct dc_random random;
  dc_random_seed(&random, 12);
  for (int n = 1; n <= 40; n++) {
    int stride = dc_cholesky_stride(n);
    double *a = calloc((size_t)(stride * stride), sizeof *a), *l = calloc((size_t)(stride * stride), sizeof *l),
           *x = calloc((size_t)stride, sizeof *x), *b = calloc((size_t)n, sizeof *b), largest = 0;
    for (int j = 0; j < n; j++)
      for (int i = j; i < n; i++)
        a[j * stride + i] = uniform(&random) + (i == j ? n : 0);
    for (int i = 0; i < n; i++)
      b[i] = x[i] = uniform(&random);
    memcpy(l, a, (size_t)(stride * stride) * sizeof *l);
    CHECK(dc_cholesky_factor(n, l), "%d", n);
    dc_cholesky_solve(n, l, x);
    for (int i = 0; i < n; i++) {
      double residual = -b[i];
      for (int j = 0; j < n; j++)
        residual += (i >= j ? a[j * stride + i] : a[i * stride + j]) * x[j];
      largest = fmax(largest, fabs(residual));
    }
    CHECK(largest < 1e-14, "%d: %g", n, largest);
    memcpy(l, a, (size_t)(stride * stride) * sizeof *l);
    l[(n / 2) * (stride + 1)] = n % 2 ? -1 : NAN;
    CHECK(!dc_cholesky_factor(n, l), "%d", n);
    free(a);
    free(l);
    free(x);
    free(b);
  }
}

// Unknowns that nothing but zeros couple, some of every block: what is solved is the same as by the others.
static void test_uncoupled(void)
{
  struct dc_random random;
  dc_random_seed(&random, 31);
  for (int t = 0; t < 12; t++) {
    struct problem problem = create_problem(&random, 3 + 2 * t, t % 2 ? 1 : 0.3);
    struct dc_symmetric_matrix *matrices[BACKENDS];
    for (int k = 0; k < BACKENDS; k++)
      matrices[k] = create_matrix(&problem, backends[k]);
    int n = problem.offsets[problem.block_count];
    double *x = calloc((size_t)n, sizeof *x), claimed;
    bool *apart = calloc((size_t)n, sizeof *apart);
    fill(&problem, &random, matrices, POSITIVE);
    for (int i = 0; i < n; i++)
      apart[i] = dc_random_uniform(&random) < 0.1 * t;
    for (int j = 0; j < n; j++)
      for (int i = j + 1; i < n; i++)
        if (apart[i] != apart[j] || (apart[i] && i > j + 2))
          problem.full[i * n + j] = problem.full[j * n + i] = 0;
    for (int k = 0; k < BACKENDS; k++) {
      struct dc_symmetric_matrix *matrix = matrices[k];
      for (int j = 0; j < n; j++)
        for (int e = matrix->column_start[j]; e < matrix->column_start[j + 1]; e++)
          matrix->values[e] = problem.full[matrix->row[e] * n + j];
      CHECK(dc_symmetric_factor_positive(matrix) == DC_OK, "%d by %s", t, matrix->backend->name);
      dc_symmetric_solve(matrix, problem.b, x, &claimed);
      CHECK(residual(&problem, x) < 1e-14 && claimed < 1e-14, "%d: %g %g", t, residual(&problem, x), claimed);
      matrix->values[matrix->column_start[n / 2]] *= -1;
      CHECK(dc_symmetric_factor_positive(matrix) == DC_NUMERICAL, "%d", t);
    }
    for (int k = 0; k < BACKENDS; k++)
      dc_symmetric_destroy(matrices[k]);
    free(x);
    free(apart);
    destroy_problem(&problem);
  }
}

// A corner is a block of zeros but for its last three rows and columns, in both orders of the blocks.
static void test_corner(void)
{
  const int sizes[3] = {6, 4, 6}, pairs[3][2] = {{1, 0}, {2, 0}, {1, 2}}, sides[3][2] = {{0, 1}, {2, 0}, {2, 1}};
  const double corner[3][3] = {{1, 2, 3}, {2, 5, 7}, {3, 7, 11}};
  for (int k = 0; k < 3; k++) {
    struct dc_symmetric_matrix *both[2];
    int row = sides[k][0], column = sides[k][1], entries;
    double block[6][6] = {{0}};
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++)
        block[sizes[row] - 3 + i][sizes[column] - 3 + j] = corner[i][j];
    for (int m = 0; m < 2; m++)
      both[m] = dc_symmetric_create(3, sizes, 3, pairs, DC_SOLVER_DENSE);
    dc_symmetric_add_corner(both[0], row, column, -2, corner);
    dc_symmetric_add_block(both[1], row, column, -2, block[0], 6);
    entries = both[0]->column_start[16];
    CHECK(dc_symmetric_norm(both[0]) == 22 &&
              memcmp(both[0]->values, both[1]->values, (size_t)entries * sizeof(double)) == 0,
          "%d", k);
    for (int m = 0; m < 2; m++)
      dc_symmetric_destroy(both[m]);
  }
}

static void test_automatic(void)
{
  int sizes[200], (*chain)[2] = calloc(200, sizeof *chain);
  for (int i = 0; i < 200; i++) {
    sizes[i] = 6;
    chain[i][0] = i, chain[i][1] = (i + 1) % 200;
  }
  struct dc_symmetric_matrix *matrix = dc_symmetric_create(100, sizes, 99, (const int(*)[2])chain, DC_SOLVER_AUTOMATIC);
  CHECK(strcmp(matrix->backend->name, "dense") == 0, "600 unknowns");
  dc_symmetric_destroy(matrix);
  matrix = dc_symmetric_create(200, sizes, 200, (const int(*)[2])chain, DC_SOLVER_AUTOMATIC);
  CHECK(strcmp(matrix->backend->name, "sparse") == 0, "1200 unknowns in a ring");
  dc_symmetric_destroy(matrix);
  free(chain);
}

// Sixty bodies in a ring, each strongly coupled to the next and weakly, by numbers of `weak`, to all others; the first
// has the diagonal `first`.
static void fill_ring(struct dc_symmetric_matrix *matrix, struct dc_random *random, double weak, double first)
{
  double block[6][6];
  dc_symmetric_clear(matrix);
  for (int i = 0; i < 60; i++)
    for (int j = 0; j <= i; j++) {
      bool next = i - j == 1 || i - j == 59;
      for (int r = 0; r < 6; r++)
        for (int c = 0; c < 6; c++)
          block[r][c] = (next ? 1 : weak) * uniform(random);
      for (int r = 0; i == j && r < 6; r++)
        for (int c = 0; c <= r; c++)
          block[r][c] = block[c][r] = r == c ? (i || r ? 20 : first) : 0;
      dc_symmetric_add_block(matrix, i, j, 1, block[0], 6);
    }
}

// Bodies that all act on each other, but on few strongly: solutions are those of the whole matrix, which is refused
// where it is not positive definite, and factored as it is where most is strong.
static void test_strong(void)
{
  enum { N = 360 };
  const struct {
    double weak, first;
    bool positive;
  } cases[] = {{1e-6, 20, true}, {1e-4, 20, true}, {0.05, 20, true}, {1e-6, -3, false}, {1e-6, 0.05, false}};
  int sizes[60], (*pairs)[2] = calloc(1770, sizeof *pairs), count = 0;
  double b[N], x[2][N], residual[2];
  for (int i = 0; i < 60; i++) {
    sizes[i] = 6;
    for (int j = 0; j < i; j++, count++)
      pairs[count][0] = i, pairs[count][1] = j;
  }
  struct dc_symmetric_matrix *matrices[2] = {
      dc_symmetric_create(60, sizes, count, (const int(*)[2])pairs, DC_SOLVER_DENSE),
      dc_symmetric_create(60, sizes, count, (const int(*)[2])pairs, DC_SOLVER_STRONG)};
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    for (int m = 0; m < 2; m++) {
      struct dc_random random;
      dc_random_seed(&random, 77);
      fill_ring(matrices[m], &random, cases[c].weak, cases[c].first);
      enum dc_status status = dc_symmetric_factor_positive(matrices[m]);
      CHECK(status == (cases[c].positive ? DC_OK : DC_NUMERICAL), "case %zu, backend %d", c, m);
      if (!cases[c].positive)
        CHECK(dc_symmetric_factor_indefinite(matrices[m]) == DC_OK, "case %zu, backend %d", c, m);
      for (int i = 0; i < N; i++)
        b[i] = uniform(&random);
      dc_symmetric_solve(matrices[m], b, x[m], &residual[m]);
    }
    CHECK_NEAR(residual[1], 0, 1e-14);
    for (int i = 0; i < N; i++)
      CHECK_NEAR(x[1][i], x[0][i], 1e-13);
    dc_symmetric_solve(matrices[1], b, x[1], NULL);
    for (int i = 0; i < N; i++)
      CHECK_NEAR(x[1][i], x[0][i], 1e-10);
  }
  for (int m = 0; m < 2; m++)
    dc_symmetric_destroy(matrices[m]);
  free(pairs);
}

// The same matrix gives the same bits, whatever was factored before.
static void test_history(void)
{
  struct dc_random random;
  dc_random_seed(&random, 9);
  struct problem problem = create_problem(&random, 20, 0.2);
  int n = problem.offsets[20];
  double *x = calloc((size_t)n, sizeof(double)), *y = calloc((size_t)n, sizeof(double));
  for (int k = 0; k < BACKENDS; k++) {
    struct dc_symmetric_matrix *matrices[BACKENDS];
    for (int i = 0; i < BACKENDS; i++)
      matrices[i] = create_matrix(&problem, backends[k]);
    fill(&problem, &random, matrices, INDEFINITE);  // only the first factors these
    CHECK(dc_symmetric_factor_positive(matrices[0]) == DC_NUMERICAL, "indefinite");
    CHECK(dc_symmetric_factor_indefinite(matrices[0]) == DC_OK, "indefinite");
    for (int i = 0; i < BACKENDS; i++)
      dc_symmetric_clear(matrices[i]);
    fill(&problem, &random, matrices, POSITIVE);
    for (int i = 0; i < BACKENDS; i++)
      CHECK(dc_symmetric_factor_positive(matrices[i]) == DC_OK, "positive");
    dc_symmetric_solve(matrices[0], problem.b, x, NULL);
    dc_symmetric_solve(matrices[1], problem.b, y, NULL);
    CHECK(memcmp(x, y, (size_t)n * sizeof *x) == 0, "%s", matrices[0]->backend->name);
    for (int i = 0; i < BACKENDS; i++)
      dc_symmetric_destroy(matrices[i]);
  }
  free(x);
  free(y);
  destroy_problem(&problem);
}

RUN_TESTS({"strong and weak couplings", test_strong}, {"positive definite systems", test_positive},
          {"indefinite systems", test_indefinite}, {"several right-hand sides", test_blocks},
          {"singular and non-finite matrices", test_refusals}, {"transposed blocks and strides", test_transposed_block},
          {"rows at places", test_row}, {"few unknowns", test_small}, {"uncoupled unknowns", test_uncoupled},
          {"corners", test_corner}, {"automatic choice", test_automatic}, {"no history", test_history})
