// SPDX-License-Identifier: Apache-2.0
// Quadratic tetrahedra: cut into eight, the patch test, derivatives against differences, factors of elements, and how
// much of its material's bending a mesh allows.
#include "harness.h"
#include "stencils.h"

#include "base/random.h"
#include "elastic/element.h"
#include "geometry/mesh/tetrahedra.h"
#include "math/vector.h"

enum { MOST = 3 * 300 };

struct solid {
  struct dc_arena *arena;
  struct dc_simplices mesh;
  struct dc_elastic elastic;
  int count;
  double x[MOST], y[MOST], direction[MOST];
};

static void make_solid(struct solid *solid, enum dc_grid_form form, const double size[3], const long cells[3])
{
  struct dc_simplices coarse;
  struct dc_quadratic quadratic;
  struct dc_error error = {0};
  solid->arena = dc_arena_create();
  CHECK(!dc_tetrahedra_grid(&coarse, form, size, cells, 0.7, solid->arena, &error), "%s", error.text);
  CHECK(!dc_tetrahedra_refine(&coarse, solid->arena, &solid->mesh, &quadratic, &error), "%s", error.text);
  CHECK(!dc_elastic_create_quadratic(&solid->elastic, &solid->mesh, quadratic.element_count,
                                     (const int(*)[DC_ELEMENT_NODES])quadratic.elements, solid->arena, &error));
  solid->count = 3 * solid->mesh.node_count;
  CHECK(solid->count <= MOST);
}

static void test_cut(void)
{
  struct solid solid;
  make_solid(&solid, DC_GRID_BLOCK, (double[3]){0.4, 0.2, 0.3}, (long[3]){3, 2, 1});
  CHECK(solid.mesh.node_count == 7 * 5 * 3, "%d nodes", solid.mesh.node_count);
  CHECK(solid.mesh.element_count == 8 * solid.elastic.element_count && solid.elastic.element_count == 36);
  CHECK(solid.mesh.triangle_count == 4 * 4 * (3 * 2 + 2 * 1 + 3 * 1), "%d triangles", solid.mesh.triangle_count);
  CHECK_NEAR(solid.elastic.volume, 0.024, 1e-15);
  double sum = 0;
  for (int s = 0; s < solid.elastic.sample_count; s++)
    sum += solid.elastic.volumes[s];
  CHECK_NEAR(sum, 0.024, 1e-15);
  dc_arena_destroy(solid.arena);
}

// Deformed alike everywhere, every sample sees the deformation, and the forces of nodes inside add up to nothing.
static void test_patch(void)
{
  static const double f[9] = {1.1, 0.2, -0.1, 0.05, 0.9, 0.1, 0.02, -0.04, 1.2};
  for (int material = 0; dc_material_names[material]; material++) {
    struct solid solid;
    struct dc_elasticity elasticity = {(enum dc_material)material, dc_lame_of(3, 10, 0.3), 0, NULL, NULL};
    double gradient[MOST] = {0}, seen[9];
    bool outside[MOST] = {false};
    make_solid(&solid, DC_GRID_BEAM, (double[3]){1, 1.2, 0.8}, (long[3]){2, 2, 2});
    for (int i = 0; i < solid.mesh.node_count; i++)
      dc_mat_apply(solid.x + 3 * i, f, solid.mesh.nodes[i]);
    for (int s = 0; s < solid.elastic.sample_count; s++) {
      dc_element_gradient(&solid.elastic, s, solid.x, seen);
      for (int k = 0; k < 9; k++)
        CHECK_NEAR(seen[k], f[k], 1e-13);
    }
    dc_elastic_add_gradient(&solid.elastic, elasticity, solid.x, 1, gradient);
    for (int t = 0; t < solid.mesh.triangle_count; t++)
      for (int k = 0; k < 3; k++)
        outside[solid.mesh.triangles[t][k]] = true;
    int inside = 0;
    for (int i = 0; i < solid.mesh.node_count; i++)
      if (!outside[i]) {
        CHECK_NEAR(dc_vec_norm(gradient + 3 * i), 0, 1e-13);
        inside++;
      }
    CHECK(inside == 27, "%d nodes inside", inside);
    dc_arena_destroy(solid.arena);
  }
}

static void deform(struct solid *solid, double deformation)
{
  struct dc_random random;
  dc_random_seed(&random, 11);
  make_solid(solid, DC_GRID_BLOCK, (double[3]){1, 1.2, 0.8}, (long[3]){1, 1, 2});
  for (int i = 0; i < solid->count; i++) {
    const double *p = solid->mesh.nodes[i / 3];
    solid->x[i] = (i % 3 == 0 ? -p[1] : i % 3 == 1 ? p[0] : p[2]) + deformation * dc_random_normal(&random);
    solid->y[i] = solid->x[i] + 0.02 * dc_random_normal(&random);
    solid->direction[i] = dc_random_normal(&random);
  }
}

// The Hessian of the energy, or of viscosity since x at y, times the direction.
static void hessian_product(const struct solid *solid, struct dc_elasticity elasticity, bool viscous, bool projected,
                            double *product)
{
  memset(product, 0, MOST * sizeof *product);
  for (int e = 0; e < solid->elastic.element_count; e++) {
    double blocks[DC_ELEMENT_BLOCKS][9] = {{0}};
    if (viscous)
      dc_elastic_add_strain_hessian(&solid->elastic, solid->x, solid->y, e, projected, 1, blocks);
    else
      dc_elastic_element_hessian(&solid->elastic, elasticity, solid->y, e, projected, blocks);
    add_element_product((const double(*)[9])blocks, solid->elastic.quadratic[e], DC_ELEMENT_NODES, solid->direction,
                        product);
  }
}

static void check_derivatives(const struct solid *solid, struct dc_elasticity elasticity, bool viscous)
{
  static double gradient[MOST], product[MOST], projected[MOST], moved[2][MOST], y[MOST];
  double values[2], h = 1e-6;
  memset(gradient, 0, sizeof gradient);
  memset(moved, 0, sizeof moved);
  for (int side = 0; side < 2; side++) {
    for (int i = 0; i < solid->count; i++)
      y[i] = solid->y[i] + (side ? h : -h) * solid->direction[i];
    values[side] = viscous ? dc_elastic_strain_change(&solid->elastic, solid->x, y)
                           : dc_elastic_energy(&solid->elastic, elasticity, y);
    if (viscous)
      dc_elastic_add_strain_gradient(&solid->elastic, solid->x, y, 1, moved[side]);
    else
      dc_elastic_add_gradient(&solid->elastic, elasticity, y, 1, moved[side]);
  }
  if (viscous)
    dc_elastic_add_strain_gradient(&solid->elastic, solid->x, solid->y, 1, gradient);
  else
    dc_elastic_add_gradient(&solid->elastic, elasticity, solid->y, 1, gradient);
  double along = dc_dot(gradient, solid->direction, solid->count);
  CHECK_NEAR((values[1] - values[0]) / (2 * h), along, 1e-7 * fabs(along) + 1e-9);
  for (int i = 0; i < solid->count; i++)
    moved[1][i] = (moved[1][i] - moved[0][i]) / (2 * h);
  hessian_product(solid, elasticity, viscous, false, product);
  CHECK(apart(product, moved[1], solid->count) < 1e-6, "%.1e", apart(product, moved[1], solid->count));
  hessian_product(solid, elasticity, viscous, true, projected);
  CHECK(dc_dot(projected, solid->direction, solid->count) >= 0);
}

static void test_derivatives(void)
{
  for (int material = 0; dc_material_names[material]; material++) {
    struct solid solid;
    static double factors[MOST];
    deform(&solid, 0.02);
    for (int e = 0; e < solid.mesh.element_count; e++)
      factors[e] = 1 + 0.5 * sin(e);
    struct dc_elasticity elasticity = {(enum dc_material)material, dc_lame_of(3, 10, 0.3), 0, factors, NULL};
    check_derivatives(&solid, elasticity, false);
    check_derivatives(&solid, elasticity, true);
    // the energy is linear in the factors: the parts of elements times factors are the whole
    static double parts[MOST];
    double sum = 0, whole = dc_elastic_along(&solid.elastic, elasticity, solid.y, solid.direction);
    memset(parts, 0, sizeof parts);
    dc_elastic_along_each(&solid.elastic, elasticity, solid.y, solid.direction, parts);
    for (int e = 0; e < solid.mesh.element_count; e++)
      sum += factors[e] * parts[e];
    CHECK_NEAR(sum, whole, 1e-12 * fabs(whole));
    dc_arena_destroy(solid.arena);
  }
}

// Linear elements allow a part of the bending, more with finer meshes; quadratic ones all of it, for every outline.
static void test_flexibility(void)
{
  static const long cells[3][3] = {{4, 1, 1}, {8, 2, 2}, {16, 4, 4}};
  double before = 0;
  for (int k = 0; k < 3; k++) {
    struct dc_arena *arena = dc_arena_create();
    struct dc_simplices mesh;
    struct dc_elastic elastic;
    CHECK(!dc_tetrahedra_grid(&mesh, DC_GRID_BLOCK, (double[3]){0.2, 0.6, 0.15},
                              (long[3]){cells[k][1], cells[k][0], cells[k][2]}, 1, arena, NULL));
    CHECK(!dc_elastic_create(&elastic, &mesh, 1, arena, NULL));
    double share = dc_elastic_flexibility(&elastic, 0.3);
    CHECK(share > before && share < 1, "%g after %g", share, before);
    before = share;
    dc_arena_destroy(arena);
  }
  CHECK(before > 0.75, "%g", before);
  struct solid solid;
  make_solid(&solid, DC_GRID_BLOCK, (double[3]){0.2, 0.6, 0.15}, (long[3]){1, 3, 1});
  CHECK_NEAR(dc_elastic_flexibility(&solid.elastic, 0.3), 1, 1e-4);
  CHECK_NEAR(dc_elastic_flexibility(&solid.elastic, 0.499), 1, 1e-3);
  dc_arena_destroy(solid.arena);
  make_solid(&solid, DC_GRID_BEAM, (double[3]){0.6, 0.2, 0.15}, (long[3]){4, 1, 1});  // tapers: no parallel faces
  CHECK_NEAR(dc_elastic_flexibility(&solid.elastic, 0.3), 1, 1e-4);
  dc_arena_destroy(solid.arena);
}

RUN_TESTS({"tetrahedra cut into eight", test_cut}, {"patch", test_patch},
          {"derivatives against differences", test_derivatives}, {"bending of meshes", test_flexibility})
