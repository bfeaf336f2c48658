// SPDX-License-Identifier: Apache-2.0
// Krylov methods with all preconditioners against a factorization, and access to blocks by place.
#include "harness.h"

#include "base/random.h"
#include "math/linear_iterative.h"

enum { BLOCKS = 40, SIZE = 3 * BLOCKS };

struct system {
  struct dc_symmetric_matrix *matrix;
  double c[BLOCKS][9], b[SIZE];
};

static double uniform(struct dc_random *random)
{
  return 2 * dc_random_uniform(random) - 1;
}

// A ring of blocks with chords, diagonally dominant; c is positive on the diagonal of every third block, by many
// orders.
static struct system create_system(double diagonal, bool with_c)
{
  struct system system = {.matrix = NULL};
  struct dc_random random;
  dc_random_seed(&random, 5);
  int sizes[BLOCKS], pairs[2 * BLOCKS][2], count = 0;
  double block[9];
  for (int i = 0; i < BLOCKS; i++) {
    sizes[i] = 3;
    int ends[2] = {(i + 1) % BLOCKS, (i + 7) % BLOCKS};
    for (int k = 0; k < 2; k++) {
      pairs[count][0] = i;
      pairs[count++][1] = ends[k];
    }
  }
  system.matrix = dc_symmetric_create(BLOCKS, sizes, count, (const int(*)[2])pairs, DC_SOLVER_SPARSE);
  for (int p = 0; p < count; p++) {
    for (int k = 0; k < 9; k++)
      block[k] = uniform(&random);
    dc_symmetric_add_block(system.matrix, pairs[p][0], pairs[p][1], 1, block, 3);
  }
  dc_symmetric_add_diagonal(system.matrix, diagonal);
  for (int i = 0; i < BLOCKS; i++)
    for (int k = 0; k < 3 && with_c && i % 3 == 0; k++)
      system.c[i][4 * k] = k ? 1 : 1e8;
  for (int i = 0; i < SIZE; i++)
    system.b[i] = uniform(&random);
  return system;
}

static double apart(const double *x, const double *y)
{
  double most = 0, size = 0;
  for (int i = 0; i < SIZE; i++) {
    most = larger(most, fabs(x[i] - y[i]));
    size = larger(size, fabs(y[i]));
  }
  return most / size;
}

// y = (A + C)^-1 b; C stays in the matrix.
static void solve_directly(struct system *system, double y[SIZE])
{
  for (int i = 0; i < BLOCKS; i++)
    dc_symmetric_add_block(system->matrix, i, i, 1, system->c[i], 3);
  dc_symmetric_factor_positive(system->matrix);
  dc_symmetric_solve(system->matrix, system->b, y, NULL);
}

// C reaches 1e8: preconditioners that know nothing of it are left out, they take long.
static void test_methods(void)
{
  for (int krylov = DC_CONJUGATE_GRADIENTS; krylov <= DC_GMRES; krylov++)
    for (int preconditioner = 0; preconditioner < DC_PRECONDITION_PROJECTIVE; preconditioner++) {
      struct system system = create_system(14, true);
      double x[SIZE], y[SIZE];
      struct dc_block_solver *solver =
          dc_block_solver_create(system.matrix, (struct dc_block_method){(enum dc_krylov_method)krylov,
                                                                         (enum dc_preconditioner)preconditioner});
      struct dc_iterations done = dc_block_solve(solver, system.c[0], system.b, 1e-13, 200, x);
      solve_directly(&system, y);
      printf("# method %d, preconditioner %d: %d iterations, %.1e apart\n", krylov, preconditioner, done.count,
             apart(x, y));
      int most = preconditioner == DC_PRECONDITION_GAUSS_SEIDEL ? 10 : 20;  // observed 7, and 15 to 16
      CHECK(done.positive && done.converged && done.count <= most, "%d", done.count);
      CHECK_NEAR(apart(x, y), 0, 1e-11);  // observed 4e-14
      dc_block_solver_destroy(solver);
      dc_symmetric_destroy(system.matrix);
    }
}

// Of one number for every pair of blocks times the identity the projective matrix is all of it, and Woodbury's
// correction makes its solution with C exact, also where C is singular in a block.
static void test_projective(void)
{
  struct system system = create_system(14, true);
  double x[SIZE], y[SIZE];
  dc_symmetric_clear(system.matrix);
  for (int i = 0; i < BLOCKS; i++) {
    const double own[9] = {3, 0, 0, 0, 3, 0, 0, 0, 3}, other[9] = {-1, 0, 0, 0, -1, 0, 0, 0, -1};
    dc_symmetric_add_block(system.matrix, i, i, 1, own, 3);
    dc_symmetric_add_block(system.matrix, i, (i + 1) % BLOCKS, 1, other, 3);
    for (int k = 0; k < 9 && i % 3 == 0; k++)
      system.c[i][k] = i % 2 ? system.c[i][k] : 100 * (1 + k / 3) * (1 + k % 3);  // of rank one
  }
  struct dc_block_solver *solver =
      dc_block_solver_create(system.matrix, (struct dc_block_method){DC_GMRES, DC_PRECONDITION_WOODBURY});
  struct dc_iterations done = dc_block_solve(solver, system.c[0], system.b, 1e-6, 200, x);
  solve_directly(&system, y);
  printf("# %d iterations, %.1e apart\n", done.count, apart(x, y));
  CHECK(done.converged && done.count <= 2, "%d", done.count);  // observed 1
  CHECK_NEAR(apart(x, y), 0, 1e-8);                            // observed 4e-10
  dc_block_solver_destroy(solver);
  dc_symmetric_destroy(system.matrix);
}

// A bar of springs along edges and diagonals of a grid, of little mass: it bends nearly without strain, which sweeps
// are slow to see and rigid parts see at once.
enum { WIDE = 4, LONG = 20, BAR = WIDE * WIDE * LONG };

static int bar_node(int x, int y, int z)
{
  return (z * WIDE + y) * WIDE + x;
}

static void test_two_levels(void)
{
  static int sizes[BAR], pairs[13 * BAR][2];
  static double places[BAR][3], b[3 * BAR], x[2][3 * BAR];
  int count = 0, iterations[2];
  struct dc_random random;
  dc_random_seed(&random, 6);
  for (int node = 0; node < BAR; node++) {
    int at[3] = {node % WIDE, node / WIDE % WIDE, node / (WIDE * WIDE)};
    sizes[node] = 3;
    for (int k = 0; k < 3; k++) {
      places[node][k] = at[k];
      b[3 * node + k] = uniform(&random);
    }
    for (int way = 14; way < 27; way++) {  // the half of the neighbours that come later
      int to[3] = {at[0] + way % 3 - 1, at[1] + way / 3 % 3 - 1, at[2] + way / 9 - 1};
      if (to[0] < 0 || to[0] >= WIDE || to[1] < 0 || to[1] >= WIDE || to[2] >= LONG)
        continue;
      pairs[count][0] = bar_node(to[0], to[1], to[2]);
      pairs[count++][1] = node;
    }
  }
  struct dc_symmetric_matrix *matrix = dc_symmetric_create(BAR, sizes, count, (const int(*)[2])pairs, DC_SOLVER_SPARSE);
  for (int p = 0; p < count; p++) {
    double block[9], along[3], square = 0;
    for (int k = 0; k < 3; k++) {
      along[k] = places[pairs[p][0]][k] - places[pairs[p][1]][k];
      square += along[k] * along[k];
    }
    for (int k = 0; k < 9; k++)
      block[k] = along[k / 3] * along[k % 3] / square;
    dc_symmetric_add_block(matrix, pairs[p][0], pairs[p][1], -1, block, 3);
    for (int end = 0; end < 2; end++)
      dc_symmetric_add_block(matrix, pairs[p][end], pairs[p][end], 1, block, 3);
  }
  dc_symmetric_add_diagonal(matrix, 1e-4);
  for (int m = 0; m < 2; m++) {
    struct dc_block_solver *solver = dc_block_solver_create(
        matrix,
        (struct dc_block_method){DC_CONJUGATE_GRADIENTS, m ? DC_PRECONDITION_TWO_LEVEL : DC_PRECONDITION_GAUSS_SEIDEL});
    dc_block_solver_renew(solver, places[0]);
    struct dc_iterations done = dc_block_solve(solver, NULL, b, 1e-12, 2000, x[m]);
    CHECK(done.converged, "%d", done.count);
    iterations[m] = done.count;
    dc_block_solver_destroy(solver);
  }
  double most = 0, size = 0;
  for (int i = 0; i < 3 * BAR; i++) {
    most = larger(most, fabs(x[0][i] - x[1][i]));
    size = larger(size, fabs(x[0][i]));
  }
  printf("# %d and %d iterations, %.1e apart\n", iterations[0], iterations[1], most / size);
  CHECK(4 * iterations[1] <= iterations[0], "%d and %d", iterations[0], iterations[1]);  // 29 and 141 observed
  CHECK(most <= 1e-10 * size, "%g", most / size);                                        // 2e-12 observed
  dc_symmetric_destroy(matrix);
}

static void test_indefinite(void)
{
  struct system system = create_system(1, false);
  double x[SIZE];
  struct dc_block_solver *solver = dc_block_solver_create(system.matrix, (struct dc_block_method){0});
  struct dc_iterations done = dc_block_solve(solver, NULL, system.b, 1e-13, 200, x);
  CHECK(!done.positive, "negative curvature is not noticed");
  dc_block_solver_destroy(solver);
  dc_symmetric_destroy(system.matrix);
}

// One number that is none in b or in the matrix ends every method before its last iteration; of a matrix of
// numbers x has numbers.
static void test_not_a_number(void)
{
  for (int place = 0; place < 3; place++)
    for (int krylov = DC_CONJUGATE_GRADIENTS; krylov <= DC_GMRES; krylov++)
      for (int preconditioner = 0; preconditioner <= DC_PRECONDITION_NONE; preconditioner++) {
        struct system system = create_system(14, false);
        double x[SIZE], block[9] = {NAN};
        struct dc_block_solver *solver =
            dc_block_solver_create(system.matrix, (struct dc_block_method){(enum dc_krylov_method)krylov,
                                                                           (enum dc_preconditioner)preconditioner});
        if (place == 2)
          dc_symmetric_add_block(system.matrix, 8, 7, 1, block, 3);
        else
          system.b[11] = place ? 1e200 : NAN;
        struct dc_iterations done = dc_block_solve(solver, NULL, system.b, 1e-13, 200, x);
        CHECK(!done.positive && !done.converged && done.count < 200, "place %d, method %d, preconditioner %d: %d",
              place, krylov, preconditioner, done.count);
        for (int i = 0; i < SIZE && place < 2; i++)
          CHECK(isfinite(x[i]), "place %d, method %d, preconditioner %d", place, krylov, preconditioner);
        dc_block_solver_destroy(solver);
        dc_symmetric_destroy(system.matrix);
      }
}

struct counted {
  int products;
};

static void triple(void *context, const double *x, double *y)
{
  struct counted *counted = context;
  counted->products++;
  for (int i = 0; i < 3; i++)
    y[i] = 3 * x[i];
}

// The first residual is b, without a product; the last one is computed anew.
static void test_products(void)
{
  struct counted matrix = {0}, inverse = {0};
  struct dc_krylov *krylov = dc_krylov_create(3, DC_GMRES, false);
  double x[3];
  struct dc_iterations done =
      dc_krylov_solve(krylov, &(struct dc_linear_map){triple, &matrix}, &(struct dc_linear_map){triple, &inverse},
                      (const double[3]){1, 2, 3}, 1e-12, 10, x);
  CHECK(done.converged && done.count == 1, "%d", done.count);
  CHECK(matrix.products == done.count + 1, "%d products", matrix.products);
  CHECK_NEAR(x[2], 1, 1e-15);
  dc_krylov_destroy(krylov);
}

static void test_access(void)
{
  struct system system = create_system(14, false);
  struct dc_block_solver *solver = dc_block_solver_create(system.matrix, (struct dc_block_method){0});
  struct dc_block_place place;
  double x[SIZE] = {0}, y[SIZE], sum[SIZE] = {0}, block[9];
  const double move[3] = {0.3, -2, 1};
  int node = 11;
  for (int k = 0; k < 3; k++)
    x[3 * node + k] = move[k];
  dc_symmetric_multiply(system.matrix, x, y);
  dc_block_add_row(solver, node, move, sum);
  dc_block_diagonal(solver, node, block);
  for (int i = 0; i < 9; i++)
    sum[3 * node + i / 3] += block[i] * move[i % 3];
  CHECK_NEAR(apart(sum, y), 0, 1e-15);
  bool found = dc_symmetric_place(system.matrix, 12, 11, &place);
  dc_symmetric_values(system.matrix)[place.at[1] + 2] += 5;
  dc_symmetric_multiply(system.matrix, x, sum);
  CHECK(found, "block (12, 11) is not found");
  CHECK_NEAR(sum[3 * 12 + 2] - y[3 * 12 + 2], 5 * move[1], 1e-12);
  CHECK(!dc_symmetric_place(system.matrix, 30, 11, &place), "a block that is not there has a place");
  dc_block_solver_destroy(solver);
  dc_symmetric_destroy(system.matrix);
}

RUN_TESTS({"methods", test_methods}, {"projective", test_projective}, {"two levels", test_two_levels},
          {"negative curvature", test_indefinite}, {"no number", test_not_a_number}, {"products", test_products},
          {"access by place", test_access})
