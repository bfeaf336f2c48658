// SPDX-License-Identifier: Apache-2.0
// Shapes: what a body is made of.  One descriptor per type ("sphere", "box", "cylinder", "capsule", "mesh", "plane",
// "compound", "hulls", "blocks", "superquadrics", "points").
#ifndef DC_GEOMETRY_SHAPE_H
#define DC_GEOMETRY_SHAPE_H

#include <stdbool.h>

#include "base/options.h"
#include "geometry/implicit/sdf.h"
#include "geometry/mesh/mesh.h"

struct dc_shape;

struct dc_shape_type {
  const char *name, *summary;
  const struct dc_option *options;
  size_t options_size;
  bool half_space;  // z <= 0 of its frame; no mesh; for fixed bodies only
  // Fills mesh from options (arrays owned by arena).  Closedness is checked by the caller with dc_mesh_validate.
  enum dc_status (*build)(const void *options, struct dc_arena *arena, struct dc_mesh *mesh, struct dc_error *error);
  // Instead of build, for a shape made of others: fills mesh, part_count and parts of shape from its options, whose
  // indices are those of shapes [count].
  enum dc_status (*unite)(struct dc_shape *shape, int count, const struct dc_shape *shapes, struct dc_arena *arena,
                          struct dc_error *error);
};

extern const struct dc_shape_type *const dc_shape_types[];  // NULL-terminated

// Options of the type "mesh".  file is a path that may be opened as it stands (the scene reader has applied the path
// policy).
struct dc_mesh_shape_options {
  const char *file;
  double scale;
  double scales[3];     // further factors along x, y and z, negative ones mirror; NAN: 1
  long triangles;       // at most so many; 0: as many as the file has
  bool convex;          // the convex hulls of the file's groups
  long hull_points;     // at most so many corners of each hull; 0: all
  double longest_edge;  // triangles with longer edges are split, m; 0: none
  int surface;          // enum dc_surface
};

// Options of the type "compound".
struct dc_compound_options {
  struct dc_object_list parts;  // struct dc_compound_part
};
struct dc_compound_part {
  int shape;           // index of a built shape that is no compound
  double position[3];  // of its frame in the compound's, m
  double rotation[4];  // unit quaternion w, x, y, z
};

// Options of the type "hulls".
struct dc_hulls_options {
  struct dc_object_list parts;  // struct dc_hulls_part
  bool link;                    // common vertices for parts that overlap
  int surface;                  // enum dc_surface
};
struct dc_hulls_part {
  struct dc_real_list vertices;  // x, y, z after each other, m
};

// Options of the type "superquadrics".
struct dc_superquadrics_options {
  struct dc_object_list parts;  // struct dc_superquadrics_part
  double smoothing, inset;      // m; smoothing NAN: a hundredth of the size
  long triangles, cells;
};
struct dc_superquadrics_part {
  double axes[3], exponents[2], position[3], rotation[4];
  bool removed;  // taken away from the others
};

// Options of the type "points".
struct dc_points_options {
  const char *file;  // a path that may be opened as it stands
  double scale, inset;
  long triangles, cells;
};

// A convex leaf of a surface: all points within `radius` of the convex hull of its vertices.
enum { DC_LEAF_VERTICES = 64 };  // most vertices of a leaf
struct dc_shape_leaf {
  int vertex_count;
  const double (*vertices)[3];  // in the shape's frame, m
  double radius;                // m
  double area;                  // of its surface, m^2
};

struct dc_shape {
  const char *name;
  const struct dc_shape_type *type;
  const void *options;
  struct dc_mesh mesh;                   // empty for half spaces
  struct dc_mass_properties properties;  // zero for half spaces
  // Convex meshes in the shape's frame whose union is the shape; of a convex mesh that mesh itself.  None: the shape is
  // not known to be such a union.
  int part_count;
  const struct dc_mesh *parts;
  // [vertices of all parts] the first vertex with which each one moves, in another part or itself, usually at the same
  // position.  NULL: every vertex moves by itself.
  const int *twins;
  // Signed distance from which the mesh was made, in the shape's frame; NULL: none (dc_shape_sdf).
  const struct dc_sdf *sdf;
  // The surface as contact sees it: convex leaves, whose union is the shape.  None: the triangles of the mesh.
  int leaf_count;
  const struct dc_shape_leaf *leaves;
  bool leaves_required;  // asked for: contact that sees no leaves refuses the shape, else it takes the triangles
};

// Makes "mesh" of the default of an option "surface" of a shape of that type, where it has one.
void dc_shape_keep_mesh(const struct dc_shape_type *type, void *options);

// The shape of a body without one: no mesh, no mass, no parts.
extern const struct dc_shape dc_shape_nothing;

// False for half spaces and for nothing.
static inline bool dc_shape_has_surface(const struct dc_shape *shape)
{
  return shape->mesh.triangle_count > 0;
}

// A smooth signed distance of the shape: what its mesh has been made from, z <= 0 of half-spaces, else the smooth union
// of its convex parts with edges blended over the smoothing (m).  DC_BAD_INPUT for shapes that are not known to be such
// a union, with the remedy; DC_MEMORY.
enum dc_status dc_shape_sdf(const struct dc_shape *shape, double smoothing, struct dc_arena *arena,
                            const struct dc_sdf **sdf, struct dc_error *error);

// Type by name, or NULL.
const struct dc_shape_type *dc_shape_type_find(const char *name);

// The type's name when other programs have that type, too; NULL for all others.  Its dimensions come to size [3], m,
// with zeros behind them: edges of a "box", radius and height of a "cylinder" or "capsule", radius of a "sphere", none
// of a "plane".
const char *dc_shape_primitive(const struct dc_shape *shape, double size[3]);

// Builds, validates and measures: fills mesh, properties and parts of a shape whose name, type and options are set.
// What parts have in common counts once for each of them in the properties.
enum dc_status dc_shape_build(struct dc_shape *shape, struct dc_arena *arena, struct dc_error *error);
// The same for a type with unite: a shape made of those of shapes [count] that its options name, which must be built.
enum dc_status dc_shape_unite(struct dc_shape *shape, int count, const struct dc_shape *shapes, struct dc_arena *arena,
                              struct dc_error *error);

// The vertices of the convex parts of a shape, part after part: how many there are, and their places [count][3], m.
int dc_shape_vertex_count(const struct dc_shape *shape);
void dc_shape_vertices(const struct dc_shape *shape, double (*vertices)[3]);
// Fills mesh, properties and parts of a shape that is the union of the convex hulls of the vertices of given [count],
// whose triangles do not matter.  Every part holds all of its vertices, in their order, and the triangles of their
// convex hull; mesh and properties are those of the hulls together.  Arrays are owned by arena.  DC_BAD_INPUT when
// vertices have no hull; DC_MEMORY.
enum dc_status dc_shape_set_hulls(struct dc_shape *shape, int count, const struct dc_mesh *given,
                                  struct dc_arena *arena, struct dc_error *error);
// Gives every two of the parts given [count] whose hulls overlap by a thousandth of their size a common vertex in the
// middle of what they have in common, behind their own; vertices are owned by arena then.  DC_BAD_INPUT when vertices
// have no hull; DC_MEMORY.
enum dc_status dc_shape_add_common_vertices(int count, struct dc_mesh *given, struct dc_arena *arena,
                                            struct dc_error *error);
// The shape with its vertices elsewhere, as dc_shape_set_hulls makes it: of the type "hulls", of whatever type it was,
// with these vertices as its options.  DC_INFEASIBLE when a part has no hull or less
// than a thousandth of the volume that it has in shape; DC_MEMORY.
enum dc_status dc_shape_with_vertices(const struct dc_shape *shape, const double (*vertices)[3], struct dc_arena *arena,
                                      struct dc_shape *result, struct dc_error *error);
// indices [mesh.vertex_count]: for every vertex of a shape's mesh its number among the vertices of the parts.  false
// when the mesh is not made of the parts, in their order.
bool dc_shape_mesh_vertices(const struct dc_shape *shape, int *indices);
// Likewise, but mesh and parts keep their triangles, whatever the hulls of the vertices are; properties are of the
// mesh.  DC_INFEASIBLE when a part has less than a thousandth of the volume that it has in shape; DC_BAD_INPUT when the
// mesh is not made of the parts; DC_MEMORY.
enum dc_status dc_shape_move_surface(const struct dc_shape *shape, const double (*vertices)[3], struct dc_arena *arena,
                                     struct dc_shape *result, struct dc_error *error);

#endif
