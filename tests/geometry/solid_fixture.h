// SPDX-License-Identifier: Apache-2.0
// Solids made of hulls of points, with surface samples.
#ifndef DC_TESTS_SOLID_FIXTURE_H
#define DC_TESTS_SOLID_FIXTURE_H

#include "geometry/convex/hull.h"
#include "geometry/mesh/surface_samples.h"
#include "harness.h"

enum { FIXTURE_PARTS = 8, FIXTURE_POINTS = 2000 };

struct fixture {
  struct dc_arena *arena;
  struct dc_shape shape;
  struct dc_mesh parts[FIXTURE_PARTS];
  struct dc_solid solid;
  struct dc_surface_samples samples;
};

static inline struct fixture *fixture_begin(void)
{
  struct fixture *fixture = calloc(1, sizeof *fixture);
  fixture->arena = dc_arena_create();
  fixture->shape.name = "fixture";
  fixture->shape.parts = fixture->parts;
  return fixture;
}

static inline void fixture_hull(struct fixture *fixture, const double (*points)[3], int count)
{
  struct dc_error error = {0};
  struct dc_mesh *mesh = &fixture->parts[fixture->shape.part_count++];
  CHECK(dc_hull(points, count, fixture->arena, mesh, &error) == DC_OK, "%s", error.text);
}

static inline void fixture_box(struct fixture *fixture, double x, double y, double z, double width, double depth,
                               double height)
{
  double points[8][3];
  for (int i = 0; i < 8; i++) {
    points[i][0] = x + (i & 1 ? 0.5 : -0.5) * width;
    points[i][1] = y + (i & 2 ? 0.5 : -0.5) * depth;
    points[i][2] = z + (i & 4 ? 0.5 : -0.5) * height;
  }
  fixture_hull(fixture, (const double(*)[3])points, 8);
}

// An ellipsoid of count vertices, on a spiral of equal areas of the sphere.
static inline void fixture_ellipsoid(struct fixture *fixture, double a, double b, double c, int count)
{
  static double points[FIXTURE_POINTS][3];
  for (int i = 0; i < count; i++) {
    double z = 1 - (2 * i + 1.0) / count, r = sqrt(1 - z * z), angle = 2.399963229728653 * i;
    points[i][0] = a * r * cos(angle), points[i][1] = b * r * sin(angle), points[i][2] = c * z;
  }
  fixture_hull(fixture, (const double(*)[3])points, count);
}

static inline void fixture_build(struct fixture *fixture, int samples, uint64_t seed)
{
  struct dc_error error = {0};
  CHECK(dc_solid_create(&fixture->shape, fixture->arena, &fixture->solid, &error) == DC_OK, "%s", error.text);
  CHECK(dc_surface_samples_create(&fixture->solid, samples, seed, fixture->arena, &fixture->samples, &error) == DC_OK,
        "%s", error.text);
}

static inline void fixture_end(struct fixture *fixture)
{
  dc_arena_destroy(fixture->arena);
  free(fixture);
}

#endif
