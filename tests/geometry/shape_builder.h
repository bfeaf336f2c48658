// SPDX-License-Identifier: Apache-2.0
// Shapes built from options that are set by name, and mesh files for them.
#ifndef DC_TESTS_GEOMETRY_SHAPE_BUILDER_H
#define DC_TESTS_GEOMETRY_SHAPE_BUILDER_H

#include "geometry/shapes/shape.h"

// Options of the built-in types, to be set by name.
struct builder {
  struct dc_arena *arena;
  struct dc_shape shape;
  char *options;
};

static inline struct builder begin(const char *type)
{
  struct builder builder = {.arena = dc_arena_create()};
  builder.shape.name = type;
  builder.shape.type = dc_shape_type_find(type);
  builder.options = dc_arena_alloc(builder.arena, 1, builder.shape.type->options_size);
  builder.shape.options = builder.options;
  struct dc_error error = {0};
  CHECK(dc_options_set_defaults(builder.shape.type->options, builder.options, builder.arena, &error) == DC_OK, "%s",
        error.text);
  dc_shape_keep_mesh(builder.shape.type, builder.options);
  return builder;
}

static inline void *option_at(struct builder *builder, const char *name, enum dc_option_type type)
{
  const struct dc_option *table = builder->shape.type->options;
  int i = dc_option_find(table, name);
  CHECK(i >= 0 && table[i].type == type, "option %s of %s", name, builder->shape.name);
  return builder->options + table[i].offset;
}

static inline void set_real(struct builder *builder, const char *name, double value)
{
  *(double *)option_at(builder, name, DC_REAL) = value;
}

static inline void set_integer(struct builder *builder, const char *name, long value)
{
  *(long *)option_at(builder, name, DC_INTEGER) = value;
}

static inline void set_reals(struct builder *builder, const char *name, double x, double y, double z)
{
  double *values = option_at(builder, name, DC_REALS);
  values[0] = x, values[1] = y, values[2] = z;
}

static inline bool build(struct builder *builder)
{
  struct dc_error error = {0};
  enum dc_status status = dc_shape_build(&builder->shape, builder->arena, &error);
  CHECK(status == DC_OK, "%s", error.text);
  return status == DC_OK;
}

static inline void end(struct builder *builder)
{
  dc_arena_destroy(builder->arena);
}

static inline const char *write_mesh(const char *text)
{
  static char path[40];
  strcpy(path, "/tmp/dcsim-shape-XXXXXX.obj");
  int descriptor = mkstemps(path, 4);
  FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "w");
  CHECK(file && fputs(text, file) >= 0 && fclose(file) == 0, "%s", path);
  return path;
}

static inline const char *temporary_mesh(void)
{
  return write_mesh("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
}

// Faces of a box from one corner to the other; its vertices are numbered from first, counted from 1.
static inline void append_box(char *text, size_t size, const char *group, const double lower[3], const double upper[3],
                              int first)
{
  static const int sides[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
  size_t length = strlen(text);
  length += (size_t)snprintf(text + length, size - length, "%s", group);
  for (int v = 0; v < 8; v++)
    length += (size_t)snprintf(text + length, size - length, "v %g %g %g\n", v & 1 ? upper[0] : lower[0],
                               v & 2 ? upper[1] : lower[1], v & 4 ? upper[2] : lower[2]);
  for (int f = 0; f < 6; f++)
    length += (size_t)snprintf(text + length, size - length, "f %d %d %d %d\n", first + sides[f][0],
                               first + sides[f][1], first + sides[f][2], first + sides[f][3]);
  CHECK(length < size, "room for the text");
}

// A shape of a mesh file with that text; the file is removed.
static inline struct builder mesh_shape(const char *text, bool convex)
{
  struct builder builder = begin("mesh");
  const char *path = write_mesh(text);
  *(const char **)option_at(&builder, "file", DC_STRING) = path;
  *(bool *)option_at(&builder, "convex", DC_BOOLEAN) = convex;
  build(&builder);
  remove(path);
  return builder;
}

static inline void check_parts(const struct dc_shape *shape, int part_count, int vertex_count)
{
  CHECK(shape->part_count == part_count, "%d parts, expected %d", shape->part_count, part_count);
  CHECK((shape->parts != NULL) == (part_count > 0), "parts of a shape with %d", part_count);
  for (int i = 0; i < shape->part_count; i++)
    CHECK(shape->parts[i].vertex_count == vertex_count, "part %d has %d vertices", i, shape->parts[i].vertex_count);
}

#endif
