// SPDX-License-Identifier: Apache-2.0
// What hangs over when a shape is printed: figures whose areas are known, hidden faces, slopes of 45 degrees.
#include "harness.h"

#include "geometry/shapes/shape_overhang.h"
#include "shape_builder.h"

enum { MOST_PARTS = 3, CORNERS = 8 };

struct figure {
  struct dc_arena *arena;
  struct dc_shape shape;
  double corners[MOST_PARTS][CORNERS][3];
  struct dc_mesh parts[MOST_PARTS];
  int count;
};

static void add_box(struct figure *figure, const double low[3], const double high[3])
{
  double(*corners)[3] = figure->corners[figure->count];
  for (int v = 0; v < CORNERS; v++)
    for (int k = 0; k < 3; k++)
      corners[v][k] = v >> k & 1 ? high[k] : low[k];
  figure->parts[figure->count++] = (struct dc_mesh){.vertex_count = CORNERS, .vertices = corners};
}

static struct dc_overhang measure(struct figure *figure)
{
  struct dc_error error = {0};
  struct dc_arena *arena = dc_arena_create();
  figure->shape = (struct dc_shape){.name = "figure"};
  CHECK(dc_shape_set_hulls(&figure->shape, figure->count, figure->parts, arena, &error) == DC_OK, "%s", error.text);
  struct dc_overhang overhang = dc_shape_overhang(&figure->shape);
  dc_arena_destroy(arena);
  return overhang;
}

static void expect(struct dc_overhang overhang, double share, const char *up)
{
  CHECK_NEAR(overhang.share, share, 1e-12);
  CHECK(strcmp(overhang.up, up) == 0, "%s up, expected %s", overhang.up, up);
}

// A plate on a post stands on its head.  Where a plate is at both ends one of them hangs over, or, lying, three strips.
static void test_plates(void)
{
  struct figure figure = {0};
  add_box(&figure, (const double[3]){-0.5, -0.5, 0}, (const double[3]){0.5, 0.5, 1});
  expect(measure(&figure), 0, "+z");
  add_box(&figure, (const double[3]){-2, -2, 1}, (const double[3]){2, 2, 1.5});
  expect(measure(&figure), 0, "-z");
  // Twice 16 + 16 + 8 of the plates, of which nothing is hidden whole, and 4 of the post.
  add_box(&figure, (const double[3]){-2, -2, -0.5}, (const double[3]){2, 2, 0});
  expect(measure(&figure), 1.0 / 84, "+x");
}

// Three bars that cross: whatever is up, two of them hang over.
static void test_bars(void)
{
  struct figure figure = {0};
  for (int axis = 0; axis < 3; axis++) {
    double low[3] = {-0.5, -0.5, -0.5}, high[3] = {0.5, 0.5, 0.5};
    low[axis] = -2.5, high[axis] = 2.5;
    add_box(&figure, low, high);
  }
  expect(measure(&figure), 10.0 / 66, "+z");
}

// A keel whose sides stand at 45 degrees, and one that is flatter, which is better the other way round.
static void test_slopes(void)
{
  for (int flatter = 0; flatter < 2; flatter++) {
    double y = flatter ? 1.001 : 1,
           corners[6][3] = {{0, 0, 0}, {3, 0, 0}, {0, y, 1}, {0, -y, 1}, {3, y, 1}, {3, -y, 1}};
    struct figure figure = {.count = 1, .parts = {{.vertex_count = 6, .vertices = corners}}};
    expect(measure(&figure), 0, flatter ? "-z" : "+z");
  }
}

// Of a ball a cap of 45 degrees hangs over, (1 - cos 45)/2 of the surface.
static void test_ball(void)
{
  struct builder ball = begin("sphere");
  set_real(&ball, "radius", 0.1);
  set_integer(&ball, "level", 4);
  if (build(&ball))
    CHECK_NEAR(dc_shape_overhang(&ball.shape).share, 0.5 - 0.5 * sqrt(0.5), 5e-3);  // 7e-4 observed
  end(&ball);
  CHECK(isnan(dc_shape_overhang(&dc_shape_nothing).share), "nothing hangs over of nothing");
}

RUN_TESTS({"plates on a post", test_plates}, {"bars", test_bars}, {"slopes", test_slopes}, {"a ball", test_ball})
