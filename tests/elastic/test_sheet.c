// SPDX-License-Identifier: Apache-2.0
// Sheets and rods: meshes of grids, membranes against differences, bending against plates and bars.
#include "harness.h"
#include "stencils.h"

#include "base/random.h"
#include "elastic/elastic.h"
#include "math/vector.h"

enum { MOST = 300 };

struct body {
  struct dc_arena *arena;
  struct dc_simplices mesh;
  struct dc_elastic elastic;
  int count;  // numbers of the nodes
  double x[MOST], y[MOST], direction[MOST];
};

// A sheet (corners 3) or a rod (2), turned and deformed by so much.
static void make_body(struct body *body, int corners, double deformation, unsigned long seed)
{
  struct dc_random random;
  dc_random_seed(&random, seed);
  body->arena = dc_arena_create();
  if (corners == 3)
    CHECK(!dc_sheet_grid(&body->mesh, (double[2]){1, 1.2}, (long[2]){3, 4}, body->arena, NULL));
  else
    CHECK(!dc_rod_grid(&body->mesh, 1.4, 6, body->arena, NULL));
  CHECK(!dc_elastic_create(&body->elastic, &body->mesh, 0.02, body->arena, NULL));
  body->count = 3 * body->mesh.node_count;
  for (int i = 0; i < body->count; i++) {
    const double *p = body->mesh.nodes[i / 3];
    body->x[i] = (i % 3 == 0 ? p[2] : i % 3 == 1 ? p[0] : p[1]) + deformation * dc_random_normal(&random);
    body->y[i] = body->x[i] + 0.1 * dc_random_normal(&random);
    body->direction[i] = dc_random_normal(&random);
  }
}

static void hessian_product(const struct body *body, struct dc_elasticity elasticity, bool projected, double *product)
{
  memset(product, 0, MOST * sizeof *product);
  for (int e = 0; e < dc_elastic_stencil_count(&body->elastic); e++) {
    double blocks[DC_ELEMENT_BLOCKS][9] = {{0}};
    int count;
    const int *nodes = dc_elastic_stencil(&body->elastic, e, &count);
    dc_elastic_element_hessian(&body->elastic, elasticity, body->x, e, projected, blocks);
    add_element_product((const double(*)[9])blocks, nodes, count, body->direction, product);
  }
}

static void check_derivatives(int corners, int material, double deformation)
{
  struct body body;
  struct dc_elasticity elasticity = {(enum dc_material)material, dc_lame_of(corners - 1, 10, 0.3), 0.02, NULL, NULL};
  make_body(&body, corners, deformation, 3);
  double gradient[MOST] = {0}, product[MOST], moved[2][MOST] = {{0}}, values[2], h = 1e-6, x[MOST];
  dc_elastic_add_gradient(&body.elastic, elasticity, body.x, 1, gradient);
  double along = dc_dot(gradient, body.direction, body.count);
  CHECK_NEAR(dc_elastic_along(&body.elastic, elasticity, body.x, body.direction), along, 1e-12 * fabs(along));
  hessian_product(&body, elasticity, false, product);
  for (int side = 0; side < 2; side++) {
    for (int i = 0; i < body.count; i++)
      x[i] = body.x[i] + (side ? h : -h) * body.direction[i];
    values[side] = dc_elastic_energy(&body.elastic, elasticity, x);
    dc_elastic_add_gradient(&body.elastic, elasticity, x, 1, moved[side]);
  }
  for (int i = 0; i < body.count; i++)
    moved[1][i] = (moved[1][i] - moved[0][i]) / (2 * h);
  CHECK_NEAR((values[1] - values[0]) / (2 * h), along, 1e-7 * fabs(along));
  CHECK(apart(product, moved[1], body.count) < 1e-7, "%d %s %g: %.1e", corners, dc_material_names[material],
        deformation, apart(product, moved[1], body.count));
  hessian_product(&body, elasticity, true, moved[0]);
  CHECK(dc_dot(moved[0], body.direction, body.count) >= dc_dot(product, body.direction, body.count) - 1e-9);
  CHECK(dc_dot(moved[0], body.direction, body.count) > -1e-9);
  dc_arena_destroy(body.arena);
}

static void test_derivatives(void)
{
  for (int corners = 2; corners <= 3; corners++)
    for (int material = 0; dc_material_names[material]; material++) {
      check_derivatives(corners, material, 0.02);
      check_derivatives(corners, material, 0.1);  // with elements that are compressed
    }
}

// Turned as a whole a body has no energy; stretched along both axes a sheet has that of a plate under no stress across.
static void test_stretch(void)
{
  for (int material = 0; dc_material_names[material]; material++) {
    struct body body;
    struct dc_elasticity elasticity = {(enum dc_material)material, dc_lame_of(2, 10, 0.3), 0.5, NULL, NULL};
    make_body(&body, 3, 0, 3);
    CHECK_NEAR(dc_elastic_energy(&body.elastic, elasticity, body.x), 0, 1e-28);
    for (int i = 0; i < body.count; i++)
      body.x[i] *= 1 + 1e-4;
    // biaxial stress E/(1 - nu) strain, energy density E/(1 - nu) strain^2; arap has no lambda: 2 mu strain^2
    double density = material == DC_MATERIAL_ARAP ? 2 * elasticity.lame.mu * 1e-8 : 10 / 0.7 * 1e-8;
    CHECK_NEAR(dc_elastic_energy(&body.elastic, elasticity, body.x), 0.02 * 1.2 * density, 1e-3 * 0.024 * density);
    dc_arena_destroy(body.arena);
  }
  struct body rod;
  make_body(&rod, 2, 0, 3);
  for (int i = 0; i < rod.count; i++)
    rod.x[i] *= 1.1;
  CHECK_NEAR(dc_elastic_energy(&rod.elastic, (struct dc_elasticity){0, dc_lame_of(1, 10, 0.3), 0.5, NULL, NULL}, rod.x),
             0.5 * 10 * 0.01 * 0.02 * 1.4, 1e-15);
  dc_arena_destroy(rod.arena);
}

// Energy of a square sheet of sides of 1 m rolled to a cylinder of that radius, in parts of that of a plate, B/(2 R^2)
// per area; the sheet is curved along (cos turn, sin turn).
static double rolled_energy(struct dc_arena *arena, double turn, double radius)
{
  static double x[3 * 51 * 51];
  struct dc_simplices mesh;
  struct dc_elastic elastic;
  const double bending = 0.3;
  CHECK(!dc_sheet_grid(&mesh, (double[2]){1, 1}, (long[2]){50, 50}, arena, NULL));
  CHECK(!dc_elastic_create(&elastic, &mesh, 1e-3, arena, NULL));
  for (int i = 0; i < mesh.node_count; i++) {
    const double *p = mesh.nodes[i];
    double along = cos(turn) * p[0] + sin(turn) * p[1], across = cos(turn) * p[1] - sin(turn) * p[0];
    dc_vec_copy(x + 3 * i, (double[3]){radius * sin(along / radius), across, radius * cos(along / radius)});
  }
  struct dc_elasticity elasticity = {DC_MATERIAL_ARAP, {0, 0}, bending, NULL, NULL};
  return dc_elastic_energy(&elastic, elasticity, x) / (bending / (2 * radius * radius));
}

// Rolled to a cylinder of radius R a plate of stiffness B has the energy B/(2 R^2) per area, a bar B/(2 R^2) per
// length.
static void test_bending(void)
{
  static double x[3 * 51];
  struct dc_arena *arena = dc_arena_create();
  struct dc_simplices mesh;
  struct dc_elastic elastic;
  const double radius = 2, bending = 0.3, quarter = acos(0);
  for (int turn = 0; turn < 4; turn++) {
    double energy = rolled_energy(arena, 0.5 * turn * quarter, radius), expected = turn % 2 ? 1.5 : 1;
    CHECK(fabs(energy / expected - 1) < 0.05, "%d: %g", turn, energy);
  }
  CHECK(!dc_rod_grid(&mesh, 1, 50, arena, NULL));
  CHECK(!dc_elastic_create(&elastic, &mesh, 1e-3, arena, NULL));
  for (int i = 0; i < mesh.node_count; i++) {
    double angle = mesh.nodes[i][0] / radius;
    dc_vec_copy(x + 3 * i, (double[3]){radius * sin(angle), 0, radius * cos(angle)});
  }
  double energy = dc_elastic_energy(&elastic, (struct dc_elasticity){DC_MATERIAL_ARAP, {0, 0}, bending, NULL, NULL}, x);
  CHECK_NEAR(energy, bending / (2 * radius * radius) * 49 / 50, 1e-4 * energy);
  dc_arena_destroy(arena);
}

static void test_bad_meshes(void)
{
  double nodes[5][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {2, 0, 0}};
  int flat[1][4] = {{0, 1, 4}}, missing[1][4] = {{0, 1, 5}}, alone[1][4] = {{0, 1, 2}};
  int against[2][4] = {{0, 1, 2}, {0, 1, 3}}, three[4][4] = {{0, 1, 2}, {1, 0, 3}, {0, 1, 4}, {2, 3, 4}};
  struct {
    int (*elements)[4], count;
    const char *rule;
  } cases[] = {{flat, 1, "no area"},
               {missing, 1, "not in 0 .. 4"},
               {alone, 1, "belongs to no"},
               {against, 2, "belongs to no"},
               {three, 4, "degenerate"}};
  struct dc_arena *arena = dc_arena_create();
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct dc_error error = {0};
    struct dc_simplices mesh = {
        .node_count = 5, .element_count = cases[i].count, .nodes = nodes, .elements = cases[i].elements};
    CHECK(dc_sheet_finish(&mesh, arena, &error) == DC_BAD_INPUT);
    CHECK(strstr(error.text, cases[i].rule), "\"%s\"", error.text);
  }
  double four[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  int fan[3][4] = {{0, 1, 2}, {1, 0, 3}, {0, 1, 3}};
  struct dc_simplices mesh = {.node_count = 4, .element_count = 2, .nodes = four, .elements = against};
  struct dc_error error = {0};
  CHECK(dc_sheet_finish(&mesh, arena, &error) == DC_BAD_INPUT && strstr(error.text, "turn against"), "%s", error.text);
  mesh.elements = fan, mesh.element_count = 3;
  CHECK(dc_sheet_finish(&mesh, arena, &error) == DC_BAD_INPUT && strstr(error.text, "more than two"), "%s", error.text);
  dc_arena_destroy(arena);
}

static void test_coordinates(void)
{
  struct body body;
  for (int corners = 2; corners <= 3; corners++) {
    make_body(&body, corners, 0, 3);
    double weights[4], p[3] = {0};
    for (int k = 0; k < corners; k++)
      dc_vec_add_scaled(p, p, k == 0 ? 0.5 : 0.5 / (corners - 1), body.mesh.nodes[body.mesh.elements[1][k]]);
    p[2] += 0.25;
    CHECK_NEAR(dc_simplices_coordinates(&body.mesh, 1, p, weights), 0.25, 1e-14);
    for (int k = 0; k < corners; k++)
      CHECK_NEAR(weights[k], k == 0 ? 0.5 : 0.5 / (corners - 1), 1e-14);
    dc_arena_destroy(body.arena);
  }
}

TEST_MAIN
{
  static const struct test tests[] = {
      {"gradients and Hessians agree with differences", test_derivatives},
      {"stretched sheets and rods have the energy of plates and bars", test_stretch},
      {"bent ones, too", test_bending},
      {"bad meshes are refused", test_bad_meshes},
      {"coordinates in elements", test_coordinates},
  };
  return run_tests(tests, sizeof tests / sizeof *tests);
}
