// SPDX-License-Identifier: Apache-2.0
// Builds shapes of benchmarks from option tables, among them a bent bar that is no convex body.
#include "bench/bodies.h"

#include <string.h>

#include "math/vector.h"

#ifdef _OPENMP
#include <omp.h>
#endif

enum { CORNERS = 6, CAP_TRIANGLES = 4, ANGLE_TRIANGLES = 2 * CAP_TRIANGLES + 2 * CORNERS };

// Outline of a bent bar in thirds of its legs, counter-clockwise, and triangles that fill it.
static const double outline[CORNERS][2] = {{0, 0}, {3, 0}, {3, 1}, {1, 1}, {1, 3}, {0, 3}};
static const int cap[CAP_TRIANGLES][3] = {{0, 1, 2}, {0, 2, 3}, {0, 3, 4}, {0, 4, 5}};

static void put_triangle(int *triangle, int a, int b, int c)
{
  triangle[0] = a, triangle[1] = b, triangle[2] = c;
}

static enum dc_status build_angle(const struct dc_bench_option *size, struct dc_arena *arena, struct dc_shape *shape,
                                  struct dc_error *error)
{
  struct dc_mesh *mesh = &shape->mesh;
  double unit = (size->name ? size->numbers[0] : 1) / 3;
  shape->type = dc_shape_type_find("mesh");
  mesh->vertices = dc_arena_alloc(arena, 2 * CORNERS, sizeof *mesh->vertices);
  mesh->triangles = dc_arena_alloc(arena, ANGLE_TRIANGLES, sizeof *mesh->triangles);
  if (!mesh->vertices || !mesh->triangles)
    return dc_out_of_memory_for(error, "a shape");
  for (int i = 0; i < 2 * CORNERS; i++) {
    double *x = mesh->vertices[i];
    x[0] = unit * outline[i % CORNERS][0], x[1] = unit * outline[i % CORNERS][1], x[2] = i < CORNERS ? 0 : unit;
  }
  int(*triangle)[3] = mesh->triangles;
  for (int i = 0; i < CAP_TRIANGLES; i++) {
    put_triangle(*triangle++, cap[i][0], cap[i][2], cap[i][1]);
    put_triangle(*triangle++, CORNERS + cap[i][0], CORNERS + cap[i][1], CORNERS + cap[i][2]);
  }
  for (int i = 0, next = 1; i < CORNERS; i++, next = (i + 1) % CORNERS) {
    put_triangle(*triangle++, i, next, CORNERS + next);
    put_triangle(*triangle++, i, CORNERS + next, CORNERS + i);
  }
  mesh->vertex_count = 2 * CORNERS, mesh->triangle_count = ANGLE_TRIANGLES;
  dc_mesh_mass_properties(mesh, &shape->properties);
  return dc_mesh_validate(mesh, error);
}

static enum dc_status set_option(const struct dc_option *table, const struct dc_bench_option *set, char *options,
                                 struct dc_error *error)
{
  int index = dc_option_find(table, set->name);
  if (index < 0)
    return dc_fail(error, DC_USAGE, "no option \"%s\"", set->name);
  char *at = options + table[index].offset;
  if (table[index].type == DC_INTEGER)
    *(long *)(void *)at = (long)set->numbers[0];
  else
    memcpy(at, set->numbers, (size_t)set->count * sizeof *set->numbers);
  return DC_OK;
}

enum dc_status dc_bench_shape_build(const struct dc_bench_shape *definition, const char *name, struct dc_arena *arena,
                                    struct dc_shape *shape, struct dc_error *error)
{
  *shape = (struct dc_shape){.name = name};
  if (strcmp(definition->type, "angle") == 0)
    return build_angle(definition->options, arena, shape, error);
  shape->type = dc_shape_type_find(definition->type);
  if (!shape->type)
    return dc_fail(error, DC_USAGE, "no shape type \"%s\"", definition->type);
  char *options = dc_arena_alloc(arena, 1, shape->type->options_size + 1);
  if (!options)
    return dc_out_of_memory_for(error, "a shape");
  enum dc_status status = dc_options_set_defaults(shape->type->options, options, arena, error);
  dc_shape_keep_mesh(shape->type, options);  // whose triangles the tables count
  for (const struct dc_bench_option *set = definition->options; set->name && !status; set++)
    status = set_option(shape->type->options, set, options, error);
  shape->options = options;
  return status ? status : dc_shape_build(shape, arena, error);
}

int dc_bench_set_threads(int count)
{
#ifdef _OPENMP
  int before = omp_get_max_threads();
  omp_set_num_threads(count);
  return before;
#else
  return count;
#endif
}
