// SPDX-License-Identifier: Apache-2.0
// Shapes: what a body is made of.  One descriptor per type ("sphere", "box", "cylinder", "capsule", "mesh", "plane").
#ifndef DC_GEOMETRY_SHAPE_H
#define DC_GEOMETRY_SHAPE_H

#include <stdbool.h>

#include "base/options.h"
#include "geometry/mesh.h"

struct dc_shape_type {
  const char *name, *summary;
  const struct dc_option *options;
  size_t options_size;
  bool half_space;  // z <= 0 of its frame; no mesh; for fixed bodies only
  // Fills mesh from options (arrays owned by arena).  Closedness is checked by the caller with dc_mesh_validate.
  enum dc_status (*build)(const void *options, struct dc_arena *arena, struct dc_mesh *mesh, struct dc_error *error);
};

extern const struct dc_shape_type *const dc_shape_types[];  // NULL-terminated

// Options of the type "mesh".  file is a path that may be opened as it stands (the scene reader has applied the path
// policy).
struct dc_mesh_shape_options {
  const char *file;
  double scale;
  long triangles;  // at most so many; 0: as many as the file has
  bool convex;     // the convex hulls of the file's groups
};

struct dc_shape {
  const char *name;
  const struct dc_shape_type *type;
  const void *options;
  struct dc_mesh mesh;                   // empty for half spaces
  struct dc_mass_properties properties;  // zero for half spaces
  // Convex meshes in the shape's frame whose union is the shape; of a convex mesh that mesh itself.  None: the shape is not
  // known to be such a union.
  int part_count;
  const struct dc_mesh *parts;
};

// Type by name, or NULL.
const struct dc_shape_type *dc_shape_type_find(const char *name);

// Builds, validates and measures: fills mesh, properties and parts of a shape whose name, type and options are set.
// What parts have in common counts once for each of them in the properties.
enum dc_status dc_shape_build(struct dc_shape *shape, struct dc_arena *arena, struct dc_error *error);

#endif
