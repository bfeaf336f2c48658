// SPDX-License-Identifier: Apache-2.0
// Superquadrics: the smooth union of some, less those that are removed.  The mesh is made from the signed distance,
// with its vertices on the level set (docs/theory.md, "Contact manifolds").
#include <math.h>
#include <stddef.h>

#include "geometry/convex/hull.h"
#include "geometry/mesh/mesh_groups.h"
#include "geometry/shapes/constants.h"
#include "geometry/shapes/shape_options.h"
#include "math/rotation.h"
#include "math/vector.h"

enum { MOST_PARTS = 64 };

static const struct dc_option part_option_table[] = {
    DC_REALS_OPTION(struct dc_superquadrics_part, axes, "m", NULL, 3, 1e-6, DC_SHAPE_LENGTH_MAX, "half-axes a, b, c"),
    DC_REALS_OPTION(struct dc_superquadrics_part, exponents, "", "[1, 1]", 2, 0.1, 1,
                    "e1 (along c), e2 (across): 1 is round, 0.1 nearly a box"),
    DC_PLACE_OPTIONS(struct dc_superquadrics_part, "position of its centre",
                     "rotation of its axes, unit quaternion (w, x, y, z)"),
    DC_BOOLEAN_OPTION(struct dc_superquadrics_part, removed, "false", "taken away from the others"), DC_OPTIONS_END};

static const struct dc_option superquadrics_option_table[] = {
    DC_OBJECT_LIST_OPTION(struct dc_superquadrics_options, parts, NULL, MOST_PARTS, part_option_table,
                          struct dc_superquadrics_part, "the superquadrics, each with its place"),
    DC_REAL_OPTION(struct dc_superquadrics_options, smoothing, "m", "null", 1e-9, DC_SHAPE_LENGTH_MAX,
                   "length over which parts blend; null: a hundredth of the size"),
    DC_LATTICE_OPTIONS(struct dc_superquadrics_options, "48"), DC_OPTIONS_END};

// The signed distance of one superquadric, turned and shifted.
static enum dc_status make_part(const struct dc_superquadrics_part *part, int index, struct dc_arena *arena,
                                struct dc_sdf *sdf, struct dc_error *error)
{
  double q[4], length;
  enum dc_status status = dc_shape_check_rotation(part->rotation, index, &length, error);
  if (status)
    return status;
  struct dc_sdf *made = dc_sdf_make_superquadric(part->axes, part->exponents[0], part->exponents[1], arena);
  if (!made)
    return dc_out_of_memory_for(error, "superquadrics");
  *sdf = *made;
  for (int k = 0; k < 4; k++)
    q[k] = part->rotation[k] / length;
  dc_rotation_matrix(sdf->rotation, q);
  dc_vec_copy(sdf->position, part->position);
  return DC_OK;
}

// A union, or the difference of a union and what is removed from it.
static enum dc_status make_sdf(const struct dc_superquadrics_options *options, struct dc_arena *arena,
                               struct dc_sdf **sdf, struct dc_error *error)
{
  const struct dc_superquadrics_part *parts = options->parts.objects;
  int count = options->parts.count, removed = 0, kept = 0;
  double size = 0;
  for (int i = 0; i < count; i++) {
    removed += parts[i].removed;
    size = fmax(size, dc_vec_norm(parts[i].position) + dc_vec_norm(parts[i].axes));
  }
  if (removed >= count)
    return dc_fail(error, DC_BAD_INPUT, "parts: must hold at least one part that is not removed");
  struct dc_sdf *whole = dc_sdf_make(&dc_sdf_union, 1, count - removed, arena), *outer = whole;
  if (removed)
    outer = dc_sdf_make(&dc_sdf_difference, 1, removed + 1, arena);
  if (!whole || !outer)
    return dc_out_of_memory_for(error, "superquadrics");
  whole->numbers[0] = outer->numbers[0] =
      isnan(options->smoothing) ? DC_SUPERQUADRIC_SMOOTHING * size : options->smoothing;
  for (int i = 0, lost = 1; i < count; i++) {
    enum dc_status status =
        make_part(&parts[i], i, arena, parts[i].removed ? &outer->children[lost++] : &whole->children[kept++], error);
    if (status)
      return status;
  }
  if (removed)
    outer->children[0] = *whole;
  *sdf = outer;
  return DC_OK;
}

// A superquadric with exponents up to 2 is convex, its simplified mesh only nearly so: the hull of the mesh's vertices
// takes its place, which makes the shape one convex part.
static enum dc_status make_convex(struct dc_shape *shape, struct dc_arena *arena, struct dc_error *error)
{
  struct dc_mesh hull;
  enum dc_status status =
      dc_hull((const double(*)[3])shape->mesh.vertices, shape->mesh.vertex_count, arena, &hull, error);
  if (!status)
    status = dc_mesh_validate(&hull, error);
  if (status)
    return status;
  shape->mesh = hull;
  return dc_mesh_convex_parts(&shape->mesh, arena, &shape->part_count, &shape->parts, error);
}

// Makes the signed distance, then its mesh.  A single superquadric becomes one convex part.
static enum dc_status unite(struct dc_shape *shape, int count, const struct dc_shape *shapes, struct dc_arena *arena,
                            struct dc_error *error)
{
  (void)count, (void)shapes;
  const struct dc_superquadrics_options *options = shape->options;
  struct dc_sdf *sdf = NULL;
  enum dc_status status = make_sdf(options, arena, &sdf, error);
  if (status)
    return status;
  shape->sdf = sdf;
  status = dc_shape_mesh_sdf(shape, options->cells, options->triangles, options->inset, arena, error);
  return !status && options->parts.count == 1 && shape->part_count == 0 ? make_convex(shape, arena, error) : status;
}

const struct dc_shape_type dc_shape_superquadrics = {
    .name = "superquadrics",
    .summary = "smooth union of superquadrics, with their signed distance",
    .options = superquadrics_option_table,
    .options_size = sizeof(struct dc_superquadrics_options),
    .unite = unite,
};
