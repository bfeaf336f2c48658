// SPDX-License-Identifier: Apache-2.0
// Elastic solids: meshes of grids, the decomposition of deformation gradients, and energies against differences.
#include "harness.h"
#include "stencils.h"

#include "base/random.h"
#include "elastic/elastic.h"
#include "geometry/mesh/tetrahedra.h"
#include "math/svd3.h"
#include "math/vector.h"

enum { MOST = 200 };

static void random_matrix(struct dc_random *random, double m[9])
{
  for (int i = 0; i < 9; i++)
    m[i] = dc_random_normal(random);
}

static double determinant(const double m[9])
{
  double cross[3];
  dc_vec_cross(cross, m + 3, m + 6);
  return dc_vec_dot(m, cross);
}

static void check_decomposition(const double f[9])
{
  double u[9], v[9], s[3], scaled[9], again[9], size = sqrt(dc_dot(f, f, 9)), square[9];
  dc_svd3(f, u, s, v);
  for (int i = 0; i < 9; i++)
    scaled[i] = u[i] * s[i % 3];
  dc_mat_multiply_transposed(again, scaled, v);
  for (int i = 0; i < 9; i++)
    CHECK_NEAR(again[i], f[i], 1e-14 * (size + 1e-300));  // observed 2e-15
  CHECK_NEAR(determinant(u), 1, 1e-14);
  CHECK_NEAR(determinant(v), 1, 1e-14);
  dc_mat_multiply_transposed(square, u, u);
  for (int i = 0; i < 9; i++)
    CHECK_NEAR(square[i], i % 4 == 0, 1e-14);
}

static void test_svd3(void)
{
  struct dc_random random;
  dc_random_seed(&random, 1);
  for (int k = 0; k < 200; k++) {
    double f[9];
    random_matrix(&random, f);
    if (k % 4 == 1)  // nearly no deformation
      for (int i = 0; i < 9; i++)
        f[i] = (i % 4 == 0) + 1e-9 * f[i];
    if (k % 4 == 2)  // flat
      dc_vec_add_scaled(f + 6, f, 1e-12, f + 6);
    check_decomposition(f);
  }
  check_decomposition((double[9]){0});
  check_decomposition((double[9]){1, 2, 3, 2, 4, 6, -1, -2, -3});
  check_decomposition((double[9]){2, 0, 0, 0, -2, 0, 0, 0, 2});
}

// A surface of a solid without holes has V - E + F = 2 and no more triangles than 2 V - 4.
static void check_grid(enum dc_grid_form form, const double size[3], const long cells[3], double taper, double volume)
{
  struct dc_arena *arena = dc_arena_create();
  struct dc_simplices mesh;
  struct dc_elastic elastic;
  struct dc_error error = {0};
  CHECK(!dc_tetrahedra_grid(&mesh, form, size, cells, taper, arena, &error), "%s", error.text);
  CHECK(!dc_elastic_create(&elastic, &mesh, 1, arena, &error));
  CHECK_NEAR(elastic.volume, volume, 1e-12 * volume);
  long on_surface = 2 * (cells[0] * cells[1] + cells[1] * cells[2] + cells[2] * cells[0]) + 2;
  CHECK(mesh.triangle_count == 2 * on_surface - 4, "%d triangles", mesh.triangle_count);
  double inside = 0;  // of the divergence of x/3
  for (int t = 0; t < mesh.triangle_count; t++) {
    double cross[3];
    dc_vec_cross(cross, mesh.nodes[mesh.triangles[t][0]], mesh.nodes[mesh.triangles[t][1]]);
    inside += dc_vec_dot(cross, mesh.nodes[mesh.triangles[t][2]]) / 6;
  }
  CHECK_NEAR(inside, volume, 1e-12 * volume);
  dc_arena_destroy(arena);
}

static void test_grids(void)
{
  const double size[3] = {0.4, 0.2, 0.3};
  check_grid(DC_GRID_BLOCK, size, (long[3]){3, 2, 4}, 1, 0.4 * 0.2 * 0.3);
  // a frustum of similar rectangles: h/3 (A + sqrt(A B) + B)
  check_grid(DC_GRID_BEAM, size, (long[3]){4, 2, 3}, 0.5, 0.4 / 3 * 0.06 * (1 + 0.5 + 0.25));
  struct dc_arena *arena = dc_arena_create();
  struct dc_simplices mesh;
  struct dc_elastic elastic;
  CHECK(!dc_tetrahedra_grid(&mesh, DC_GRID_SPHERE, (double[3]){2, 2, 2}, (long[3]){12, 12, 12}, 1, arena, NULL));
  CHECK(!dc_elastic_create(&elastic, &mesh, 1, arena, NULL));
  CHECK(elastic.volume < 4.18879 && elastic.volume > 0.97 * 4.18879, "volume %g", elastic.volume);
  for (int t = 0; t < mesh.triangle_count; t++)
    for (int k = 0; k < 3; k++)
      CHECK_NEAR(dc_vec_norm(mesh.nodes[mesh.triangles[t][k]]), 1, 1e-14);
  dc_arena_destroy(arena);
}

static void test_bad_meshes(void)
{
  double nodes[5][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 0}};
  int inverted[1][4] = {{0, 2, 1, 3}}, flat[1][4] = {{0, 1, 2, 4}}, missing[1][4] = {{0, 1, 2, 5}};
  int alone[1][4] = {{0, 1, 2, 3}};
  struct {
    int (*elements)[4];
    const char *rule;
  } cases[] = {{inverted, "inverted"}, {flat, "degenerate"}, {missing, "not in 0 .. 4"}, {alone, "belongs to no"}};
  struct dc_arena *arena = dc_arena_create();
  for (int i = 0; i < 4; i++) {
    struct dc_error error = {0};
    struct dc_simplices mesh = {.node_count = 5, .element_count = 1, .nodes = nodes, .elements = cases[i].elements};
    CHECK(dc_tetrahedra_finish(&mesh, arena, &error) == DC_BAD_INPUT);
    CHECK(strstr(error.text, cases[i].rule), "\"%s\"", error.text);
  }
  dc_arena_destroy(arena);
}

struct body {
  struct dc_arena *arena;
  struct dc_simplices mesh;
  struct dc_elastic elastic;
  int count;  // numbers of the nodes
  double x[MOST], y[MOST], direction[MOST];
};

// A block, turned and deformed by so much of its size.
static void make_body(struct body *body, double deformation, unsigned long seed)
{
  struct dc_random random;
  dc_random_seed(&random, seed);
  body->arena = dc_arena_create();
  dc_tetrahedra_grid(&body->mesh, DC_GRID_BLOCK, (double[3]){1, 1.2, 0.8}, (long[3]){2, 1, 2}, 1, body->arena, NULL);
  dc_elastic_create(&body->elastic, &body->mesh, 1, body->arena, NULL);
  body->count = 3 * body->mesh.node_count;
  for (int i = 0; i < body->count; i++) {
    const double *p = body->mesh.nodes[i / 3];
    body->x[i] = (i % 3 == 0 ? -p[1] : i % 3 == 1 ? p[0] : p[2]) + deformation * dc_random_normal(&random);
    body->y[i] = body->x[i] + 0.1 * dc_random_normal(&random);
    body->direction[i] = dc_random_normal(&random);
  }
}

// H direction
static void hessian_product(const struct body *body, struct dc_elasticity elasticity, bool projected, bool viscous,
                            double *product)
{
  memset(product, 0, MOST * sizeof *product);
  for (int e = 0; e < body->mesh.element_count; e++) {
    double blocks[DC_ELEMENT_BLOCKS][9] = {{0}};
    if (viscous)
      dc_elastic_add_strain_hessian(&body->elastic, body->x, body->y, e, projected, 1, blocks);
    else
      dc_elastic_element_hessian(&body->elastic, elasticity, body->x, e, projected, blocks);
    add_element_product((const double(*)[9])blocks, body->mesh.elements[e], 4, body->direction, product);
  }
}

static void test_elasticity(void)
{
  for (int material = 0; dc_material_names[material]; material++)
    for (int hard = 0; hard < 2; hard++) {  // hard: compressed, with negative eigenvalues
      struct body body;
      struct dc_elasticity elasticity = {(enum dc_material)material, dc_lame_of(3, 10, 0.3), 0, NULL, NULL};
      make_body(&body, hard ? 0.12 : 0.04, 3);
      double gradient[MOST] = {0}, product[MOST], moved[2][MOST] = {{0}}, values[2], h = 1e-6, x[MOST];
      dc_elastic_add_gradient(&body.elastic, elasticity, body.x, 1, gradient);
      double along = dc_dot(gradient, body.direction, body.count);
      CHECK_NEAR(dc_elastic_along(&body.elastic, elasticity, body.x, body.direction), along, 1e-12 * fabs(along));
      hessian_product(&body, elasticity, false, false, product);
      for (int side = 0; side < 2; side++) {
        for (int i = 0; i < body.count; i++)
          x[i] = body.x[i] + (side ? h : -h) * body.direction[i];
        values[side] = dc_elastic_energy(&body.elastic, elasticity, x);
        dc_elastic_add_gradient(&body.elastic, elasticity, x, 1, moved[side]);
      }
      for (int i = 0; i < body.count; i++)
        moved[1][i] = (moved[1][i] - moved[0][i]) / (2 * h);
      CHECK_NEAR((values[1] - values[0]) / (2 * h), along, 1e-7 * fabs(along));  // observed 2e-9
      CHECK(apart(product, moved[1], body.count) < 1e-7, "%s: %.1e", dc_material_names[material],
            apart(product, moved[1], body.count));  // observed 6e-9
      hessian_product(&body, elasticity, true, false, moved[0]);
      CHECK(dc_dot(moved[0], body.direction, body.count) >= dc_dot(product, body.direction, body.count) - 1e-9);
      dc_arena_destroy(body.arena);
    }
}

// A projected Hessian has no negative direction where the exact one has some.
static void test_projection(void)
{
  struct body body;
  struct dc_elasticity elasticity = {DC_MATERIAL_ARAP, dc_lame_of(3, 10, 0.3), 0, NULL, NULL};
  struct dc_random random;
  double exact = INFINITY, projected = INFINITY, product[MOST];
  dc_random_seed(&random, 5);
  make_body(&body, 0, 3);
  for (int i = 0; i < body.count; i++)
    body.x[i] *= 0.5;
  for (int k = 0; k < 200; k++) {
    double turn[3] = {dc_random_normal(&random), dc_random_normal(&random), dc_random_normal(&random)};
    for (int i = 0; i < body.count; i += 3)  // turns: the directions of the negative eigenvalues
      dc_vec_cross(body.direction + i, turn, body.x + i);
    hessian_product(&body, elasticity, false, false, product);
    exact = fmin(exact, dc_dot(product, body.direction, body.count));
    hessian_product(&body, elasticity, true, false, product);
    projected = fmin(projected, dc_dot(product, body.direction, body.count));
  }
  CHECK(exact < -1e-3, "%g", exact);
  CHECK(projected > -1e-12, "%g", projected);
  dc_arena_destroy(body.arena);
}

// Turned as a whole a body has no energy; turned and stretched it has that of the stretch.
static void test_invariance(void)
{
  for (int material = 0; dc_material_names[material]; material++) {
    struct body body;
    struct dc_elasticity elasticity = {(enum dc_material)material, dc_lame_of(3, 10, 0.3), 0, NULL, NULL};
    make_body(&body, 0, 3);
    CHECK_NEAR(dc_elastic_energy(&body.elastic, elasticity, body.x), 0, 1e-28);
    for (int i = 0; i < body.count; i++)
      body.x[i] *= 1.1;
    double mu = elasticity.lame.mu, lambda = material == DC_MATERIAL_ARAP ? 0 : elasticity.lame.lambda, l = log(1.1);
    double density = material == DC_MATERIAL_NEO_HOOKEAN ? mu * (1.5 * 0.21 - 3 * l) + 4.5 * lambda * l * l
                                                         : mu * 0.03 + 0.5 * lambda * 0.09;
    CHECK_NEAR(dc_elastic_energy(&body.elastic, elasticity, body.x), 0.96 * density, 1e-13);
    dc_arena_destroy(body.arena);
  }
}

static void test_constants(void)
{
  const double e = 7, nu = 0.31, h = 1e-6;
  for (int n = 1; n <= 3; n++) {
    struct dc_lame low = dc_lame_of(n, e - h, nu), high = dc_lame_of(n, e + h, nu), by = dc_lame_by_young(n, nu);
    CHECK_NEAR((high.mu - low.mu) / (2 * h), by.mu, 1e-9);
    CHECK_NEAR((high.lambda - low.lambda) / (2 * h), by.lambda, 1e-9);
    low = dc_lame_of(n, e, nu - h), high = dc_lame_of(n, e, nu + h), by = dc_lame_by_poisson(n, e, nu);
    CHECK_NEAR((high.mu - low.mu) / (2 * h), by.mu, 1e-8);
    CHECK_NEAR((high.lambda - low.lambda) / (2 * h), by.lambda, 1e-8);
  }
}

static void test_viscosity(void)
{
  struct body body;
  make_body(&body, 0.1, 7);
  const struct dc_elastic *elastic = &body.elastic;
  struct dc_elasticity none = {0};
  double gradient[MOST] = {0}, product[MOST], moved[2][MOST], by_x[2][MOST], values[2], h = 1e-5, other[MOST],
         mixed[MOST] = {0}, transposed[MOST] = {0};
  dc_elastic_add_strain_gradient(elastic, body.x, body.y, 1, gradient);
  hessian_product(&body, none, false, true, product);
  memset(moved, 0, sizeof moved);
  memset(by_x, 0, sizeof by_x);
  for (int side = 0; side < 2; side++) {
    for (int i = 0; i < body.count; i++)
      other[i] = body.y[i] + (side ? h : -h) * body.direction[i];
    values[side] = dc_elastic_strain_change(elastic, body.x, other);
    dc_elastic_add_strain_gradient(elastic, body.x, other, 1, moved[side]);
    for (int i = 0; i < body.count; i++)
      other[i] = body.x[i] + (side ? h : -h) * body.direction[i];
    dc_elastic_add_strain_gradient(elastic, other, body.y, 1, by_x[side]);
  }
  for (int i = 0; i < body.count; i++) {
    moved[1][i] = (moved[1][i] - moved[0][i]) / (2 * h);
    by_x[1][i] = (by_x[1][i] - by_x[0][i]) / (2 * h);
  }
  double along = dc_dot(gradient, body.direction, body.count);
  CHECK_NEAR((values[1] - values[0]) / (2 * h), along, 1e-8 * fabs(along));
  CHECK(apart(product, moved[1], body.count) < 1e-8);
  // The product along a move of x, and its transposed along the same direction of y, against the same numbers.
  dc_elastic_add_strain_mixed(elastic, body.x, body.y, true, 1, body.direction, transposed);
  CHECK(apart(transposed, by_x[1], body.count) < 1e-8, "%.1e", apart(transposed, by_x[1], body.count));
  dc_elastic_add_strain_mixed(elastic, body.x, body.y, false, 1, gradient, mixed);
  along = dc_dot(mixed, body.direction, body.count);
  CHECK_NEAR(dc_dot(transposed, gradient, body.count), along, 1e-12 * fabs(along));
  // All in one go.
  const struct dc_elasticity all = {.material = DC_MATERIAL_COROTATED, .lame = dc_lame_of(3, 10, 0.3)};
  double sum[MOST] = {0}, apiece[MOST] = {0};
  double energy = dc_elastic_evaluate(elastic, all, body.x, body.y, 0.7, sum);
  dc_elastic_add_gradient(elastic, all, body.y, 1, apiece);
  dc_elastic_add_strain_gradient(elastic, body.x, body.y, 0.7, apiece);
  CHECK_NEAR(dc_elastic_energy(elastic, all, body.y) + 0.7 * dc_elastic_strain_change(elastic, body.x, body.y), energy,
             1e-13 * energy);
  CHECK(apart(sum, apiece, body.count) < 1e-13, "%.1e", apart(sum, apiece, body.count));
  dc_arena_destroy(body.arena);
}

TEST_MAIN
{
  static const struct test tests[] = {
      {"decomposition of 3x3 matrices", test_svd3},
      {"grids have their volume and a closed surface", test_grids},
      {"bad meshes are refused", test_bad_meshes},
      {"gradients and Hessians of materials agree with differences", test_elasticity},
      {"projected Hessians are positive", test_projection},
      {"energies do not see turns", test_invariance},
      {"Lame's constants and their derivatives", test_constants},
      {"viscosity and its derivatives", test_viscosity},
  };
  return run_tests(tests, sizeof tests / sizeof *tests);
}
