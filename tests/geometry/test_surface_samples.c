// SPDX-License-Identifier: Apache-2.0
// Candidates on surfaces: where they are, which way their normals point, how they are spread.
#include "geometry/mesh/surface_samples.h"

#include "geometry/solid_fixture.h"
#include "math/vector.h"

static void sample_at(const struct dc_surface_samples *samples, int i, double point[3], double normal[3])
{
  point[0] = samples->x[i], point[1] = samples->y[i], point[2] = samples->z[i];
  normal[0] = samples->normal_x[i], normal[1] = samples->normal_y[i], normal[2] = samples->normal_z[i];
}

// Height above the highest face of a part, and that face's normal.
static double height_above(const struct dc_convex *part, const double point[3], double normal[3])
{
  double best = -INFINITY;
  for (int t = 0; t < part->triangle_count; t++) {
    const double *a = part->vertices[part->triangles[t][0]];
    double ab[3], ac[3], ap[3], n[3];
    dc_vec_sub(ab, part->vertices[part->triangles[t][1]], a);
    dc_vec_sub(ac, part->vertices[part->triangles[t][2]], a);
    dc_vec_sub(ap, point, a);
    dc_vec_cross(n, ab, ac);
    double h = dc_vec_dot(n, ap) / dc_vec_norm(n);
    if (h > best) {
      best = h;
      dc_vec_scale(normal, n, 1 / dc_vec_norm(n));
    }
  }
  return best;
}

static void of_a_convex_solid(void)
{
  struct fixture *fixture = fixture_begin();
  fixture_ellipsoid(fixture, 0.03, 0.05, 0.02, 100);
  fixture_build(fixture, 1024, 7);
  const struct dc_surface_samples *samples = &fixture->samples;
  const struct dc_convex *part = &fixture->solid.parts[0];
  CHECK(samples->count == 1024 && samples->vertex_count == 100, "%d, %d", samples->count, samples->vertex_count);
  double worst = 0, outward = 1;
  bool used[100] = {0};
  for (int i = 0; i < samples->count; i++) {
    double point[3], normal[3], face[3];
    sample_at(samples, i, point, normal);
    worst = larger(worst, fabs(height_above(part, point, face)));
    CHECK_NEAR(dc_vec_norm(normal), 1, 1e-14);
    if (i < samples->vertex_count) {
      int v = samples->vertex_index[i];
      CHECK(samples->vertex_part[i] == 0 && !used[v], "vertex %d", v);
      used[v] = true;
      CHECK(memcmp(point, part->vertices[v], sizeof point) == 0);
      outward = fmin(outward, dc_vec_dot(normal, point) / dc_vec_norm(point));
    } else {
      CHECK_NEAR(dc_vec_dot(normal, face), 1, 1e-9);  // at an edge to rounding either face may be the higher one
    }
  }
  CHECK_NEAR(worst, 0, 1e-16);  // observed 1.4e-17
  CHECK(outward > 0.5, "%g", outward);
  fixture_end(fixture);
}

// Every triangle gets its share: chi-square of d degrees of freedom is below d + 4 sqrt(2 d) but for 1 in 10^4.
static void uniform_by_area(void)
{
  struct fixture *fixture = fixture_begin();
  fixture_box(fixture, 0, 0, 0, 0.1, 0.03, 0.01);
  fixture_build(fixture, 4008, 3);
  const struct dc_surface_samples *samples = &fixture->samples;
  double expected[3] = {0.03 * 0.01, 0.1 * 0.01, 0.1 * 0.03}, area = 2 * (expected[0] + expected[1] + expected[2]);
  CHECK_NEAR(fixture->solid.surface_area, area, 1e-15);
  // faces by axis and sign; the large ones further by 4 x 4 cells
  double square = 0;
  int degrees = 0;
  for (int axis = 0; axis < 3; axis++)
    for (int sign = -1; sign <= 1; sign += 2)
      for (int cell = 0; cell < 16; cell++) {
        double share = 4000 * expected[axis] / area / 16, count = 0;
        static const double size[3] = {0.1, 0.03, 0.01};
        for (int i = samples->vertex_count; i < samples->count; i++) {
          double point[3], normal[3];
          sample_at(samples, i, point, normal);
          int u = (axis + 1) % 3, v = (axis + 2) % 3;
          int at = (int)(4 * (point[u] / size[u] + 0.5)) + 4 * (int)(4 * (point[v] / size[v] + 0.5));
          count += sign * normal[axis] > 0.5 && at == cell;
        }
        square += (count - share) * (count - share) / share;
        degrees++;
      }
  degrees--;
  printf("# chi-square %.1f of %d degrees\n", square, degrees);
  CHECK(samples->vertex_count == 8, "%d", samples->vertex_count);
  CHECK(square < degrees + 4 * sqrt(2.0 * degrees) && square > degrees - 4 * sqrt(2.0 * degrees), "%g", square);
  fixture_end(fixture);
}

static void many_vertices(void)
{
  struct fixture *fixture = fixture_begin();
  fixture_ellipsoid(fixture, 1, 1, 1, 1500);
  fixture_build(fixture, 1024, 7);
  const struct dc_surface_samples *samples = &fixture->samples;
  bool used[1500] = {0};
  int upper = 0;
  CHECK(samples->count == 1024 && samples->vertex_count == 512, "%d, %d", samples->count, samples->vertex_count);
  for (int i = 0; i < samples->vertex_count; i++) {
    int v = samples->vertex_index[i];
    CHECK(v >= 0 && v < 1500 && !used[v], "vertex %d", v);
    used[v] = true;
    upper += samples->z[i] > 0;
  }
  CHECK(abs(upper - 256) < 50, "%d of 512 above", upper);  // standard deviation of drawing without replacement: 9.2
  fixture_end(fixture);
}

static void of_a_union(void)
{
  struct fixture *fixture = fixture_begin();
  fixture_box(fixture, 0, 0, 0, 2, 2, 2);
  fixture_box(fixture, 2, 0, 0, 2, 2, 2);          // shares a whole face
  fixture_box(fixture, 0.5, 0, 0.5, 1, 1, 1);      // inside of the first, on two of its faces
  fixture_box(fixture, 1, 0, 1.5, 1, 1, 1);        // on top of both
  fixture_box(fixture, 1, 0, 0.9, 0.5, 0.5, 0.5);  // hidden
  fixture_build(fixture, 2000, 11);
  const struct dc_surface_samples *samples = &fixture->samples;
  const struct dc_solid *solid = &fixture->solid;
  CHECK(samples->count == 2000, "%d", samples->count);
  int hidden = 0, top = 0, vertices = 0;
  double outside = 0;
  for (int i = 0; i < samples->count; i++) {
    double point[3], normal[3], unused[3], moved[3], least = INFINITY;
    sample_at(samples, i, point, normal);
    dc_vec_add_scaled(moved, point, 1e-3, normal);
    for (int part = 0; part < solid->part_count; part++) {
      least = fmin(least, fabs(height_above(&solid->parts[part], point, unused)));
      hidden += height_above(&solid->parts[part], moved, unused) < 0 && i >= samples->vertex_count;
    }
    outside = larger(outside, least);
    vertices += i < samples->vertex_count;
    top += i >= samples->vertex_count && normal[2] > 0.5 && point[2] < 1.5;
  }
  CHECK(hidden == 0, "%d hidden", hidden);
  CHECK_NEAR(outside, 0, 1e-15);
  // the large boxes have 12 corners in common; the box on top has 8, of which the lower 4 lie on their faces
  CHECK(vertices >= 16 && vertices <= 20, "%d", vertices);
  // surface: the long box 2 (4 + 8 + 8) = 40 less 1 below the upper box, which adds 5; its top 8 - 1 is seen once
  double share = (2000 - vertices) * 7 / 44.0;
  CHECK_NEAR(top, share, 4 * sqrt(share * (1 - 7 / 44.0)));
  fixture_end(fixture);
}

static void seeds(void)
{
  struct fixture *fixtures[3];
  for (int i = 0; i < 3; i++) {
    fixtures[i] = fixture_begin();
    fixture_ellipsoid(fixtures[i], 0.03, 0.05, 0.02, 700);
    fixture_build(fixtures[i], 1021, i == 2 ? 2 : 1);
  }
  size_t bytes = 1024 * sizeof(double);
  CHECK(memcmp(fixtures[0]->samples.x, fixtures[1]->samples.x, bytes) == 0);
  CHECK(memcmp(fixtures[0]->samples.normal_z, fixtures[1]->samples.normal_z, bytes) == 0);
  CHECK(memcmp(fixtures[0]->samples.x, fixtures[2]->samples.x, bytes) != 0);
  for (int i = 1021; i < 1024; i++)
    CHECK(fixtures[0]->samples.y[i] == fixtures[0]->samples.y[1020], "padding");
  for (int i = 0; i < 3; i++)
    fixture_end(fixtures[i]);
}

static void refused(void)
{
  struct fixture *fixture = fixture_begin();
  struct dc_error error = {0};
  fixture_box(fixture, 0, 0, 0, 1, 1, 1);
  fixture_build(fixture, 1, 1);
  CHECK(fixture->samples.count == 1);
  CHECK(dc_surface_samples_create(&fixture->solid, 0, 1, fixture->arena, &fixture->samples, &error) == DC_USAGE);
  CHECK(dc_surface_samples_create(&fixture->solid, DC_SURFACE_SAMPLES_MOST + 1, 1, fixture->arena, &fixture->samples,
                                  &error) == DC_USAGE);
  fixture_end(fixture);
}

// One normal on a side of a box, two at an edge, three at a corner, and those of an edge as far beside it as asked.
static void normals_around(void)
{
  struct fixture *fixture = fixture_begin();
  fixture_box(fixture, 0, 0, 0, 0.1, 0.2, 0.3);
  fixture_build(fixture, 64, 1);
  const struct dc_solid *solid = &fixture->solid;
  double lower[3], upper[3], point[3], normals[8][3], mean[3];
  dc_vec_copy(lower, solid->parts[0].vertices[0]);
  dc_vec_copy(upper, lower);
  for (int v = 0; v < solid->parts[0].vertex_count; v++)
    for (int k = 0; k < 3; k++) {
      lower[k] = fmin(lower[k], solid->parts[0].vertices[v][k]);
      upper[k] = larger(upper[k], solid->parts[0].vertices[v][k]);
    }
  dc_vec_copy(point, upper);
  CHECK(dc_solid_normals(solid, point, 0, 8, normals) == 3, "corner");
  CHECK(dc_solid_normals(solid, point, 0, 2, normals) == 2, "no more than asked for");
  CHECK(dc_solid_normal(solid, point, mean) > 0.5, "corner");
  point[0] = lower[0] + 0.3 * (upper[0] - lower[0]);
  CHECK(dc_solid_normals(solid, point, 0, 8, normals) == 2, "edge");
  CHECK_NEAR(dc_vec_dot(normals[0], normals[1]), 0, 1e-15);
  point[1] -= 1e-3;
  CHECK(dc_solid_normals(solid, point, 0, 8, normals) == 1 && normals[0][2] == 1, "side");
  CHECK(dc_solid_normals(solid, point, 2e-3, 8, normals) == 2, "beside the edge");
  fixture_end(fixture);
}

RUN_TESTS({"normals around a point", normals_around},
          {"samples of a convex solid are on its surface", of_a_convex_solid},
          {"samples are uniform by area", uniform_by_area}, {"of many vertices some are taken", many_vertices},
          {"samples of a union are on its surface", of_a_union}, {"the seed decides", seeds},
          {"impossible counts are refused", refused})
