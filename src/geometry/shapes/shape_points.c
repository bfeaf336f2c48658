// SPDX-License-Identifier: Apache-2.0
// Points: a surface through points with normals, from the signed distance of paper 001, Eq. 6.
#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/open.h"
#include "geometry/mesh/mesh_groups.h"
#include "geometry/shapes/shape_options.h"
#include "math/vector.h"

enum { LEAST_POINTS = 4, MOST_POINTS = 4096, MOST_BYTES = 64 << 20 };

static const struct dc_option points_option_table[] = {
    DC_STRING_OPTION(struct dc_points_options, file, NULL,
                     "text, relative to the scene file: x y z and the outward normal of a point in every line"),
    DC_REAL_OPTION(struct dc_points_options, scale, "", "1", 1e-9, 1e9, "factor on all coordinates"),
    DC_LATTICE_OPTIONS(struct dc_points_options, "32"), DC_OPTIONS_END};

// Reads lines "x y z nx ny nz"; empty lines and those with "#" are passed over.
static enum dc_status read_points(FILE *file, const struct dc_points_options *options, double (*places)[3],
                                  double (*normals)[3], int *count, struct dc_error *error)
{
  char line[512];
  *count = 0;
  for (int number = 1; fgets(line, sizeof line, file); number++) {
    double *x = places[*count], *n = normals[*count];
    if (line[strspn(line, " \t\r\n")] == '\0' || line[0] == '#')
      continue;
    if (*count == MOST_POINTS)
      return dc_fail(error, DC_BAD_INPUT, "%.700s: has more than %d points", options->file, MOST_POINTS);
    if (sscanf(line, "%lf %lf %lf %lf %lf %lf", &x[0], &x[1], &x[2], &n[0], &n[1], &n[2]) != 6 ||
        !(dc_vec_norm(n) > 0) || !isfinite(dc_vec_norm(n)) || !(options->scale * dc_vec_norm(x) <= DC_SHAPE_LENGTH_MAX))
      return dc_fail(error, DC_BAD_INPUT, "%.700s:%d: must hold six numbers, x y z and a normal that is not 0",
                     options->file, number);
    dc_vec_scale(x, x, options->scale);
    ++*count;
  }
  if (ferror(file))
    return dc_fail(error, DC_IO, "%.700s: cannot be read", options->file);
  return *count < LEAST_POINTS ? dc_fail(error, DC_BAD_INPUT, "%.700s: must hold at least %d points (holds %d)",
                                         options->file, LEAST_POINTS, *count)
                               : DC_OK;
}

// A regular file of bounded size: what else a path may lead to is refused by its kind.
static enum dc_status open_points(const char *path, FILE **file, struct dc_error *error)
{
  struct dc_opened opened;
  switch (dc_open_stream(dc_open_here, path, DC_LINKS_FOLLOWED, MOST_BYTES, file, &opened)) {
    case DC_OPEN_FAILED: return dc_fail(error, dc_status_of_open(errno), "%.700s: %s", path, strerror(errno));
    case DC_OPEN_SPECIAL: return dc_fail(error, DC_BAD_INPUT, "%.700s: is %s, not a file of points", path, opened.kind);
    case DC_OPEN_LARGE:
      return dc_fail(error, DC_BAD_INPUT, "%.700s: must be at most %d bytes (is %zu)", path, MOST_BYTES, opened.size);
    case DC_OPENED: break;
  }
  return DC_OK;
}

// Reads points with normals, makes their implicit function, and meshes its level set.
static enum dc_status unite(struct dc_shape *shape, int count, const struct dc_shape *shapes, struct dc_arena *arena,
                            struct dc_error *error)
{
  (void)count, (void)shapes;
  const struct dc_points_options *options = shape->options;
  double(*data)[3] = dc_alloc(2 * (MOST_POINTS + 1), sizeof *data);
  int points;
  if (!data)
    return dc_out_of_memory_for(error, "points");
  FILE *file = NULL;
  enum dc_status status = open_points(options->file, &file, error);
  if (!status)
    status = read_points(file, options, data, data + MOST_POINTS + 1, &points, error);
  if (file)
    fclose(file);
  if (!status && !(shape->sdf = dc_sdf_make_points(points, (const double(*)[3])data,
                                                   (const double(*)[3])(data + MOST_POINTS + 1), arena)))
    status = dc_out_of_memory_for(error, "points");
  free(data);
  return status ? status : dc_shape_mesh_sdf(shape, options->cells, options->triangles, options->inset, arena, error);
}

const struct dc_shape_type dc_shape_points = {
    .name = "points",
    .summary = "smooth surface through points with normals, with its signed distance",
    .options = points_option_table,
    .options_size = sizeof(struct dc_points_options),
    .unite = unite,
};
