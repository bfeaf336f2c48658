// SPDX-License-Identifier: Apache-2.0
// Inside the mesh readers: parsers of bytes in memory, and the welding of loose triangles.
#ifndef DC_GEOMETRY_MESH_READ_H
#define DC_GEOMETRY_MESH_READ_H

#include <stdbool.h>
#include <stddef.h>

#include "geometry/mesh/mesh.h"

// A file in memory.  name is for messages; bytes [size] are followed by a zero.  in_folder: name is the path of the
// file, which may name files beside it; otherwise it may not.
struct dc_mesh_file {
  const char *name, *bytes;
  size_t size;
  bool in_folder;
};

// The whole file at path, with a zero behind: *bytes is released with free(), also after a failure.  Statuses of
// dc_mesh_read.
enum dc_status dc_mesh_load(const char *path, char **bytes, size_t *size, struct dc_error *error);

// Chooses the format by content, then by name, and parses.  Arrays are owned by arena; DC_BAD_INPUT with
// "name:line: rule".
enum dc_status dc_mesh_parse(const struct dc_mesh_file *file, struct dc_arena *arena, struct dc_mesh *mesh,
                             struct dc_error *error);

// Wavefront OBJ: v and f statements (polygons are cut into triangles); "g" and "o" begin groups, of which those with
// faces count; the statements about looks are skipped, free-form geometry is refused.  Vertices that no face uses are
// dropped; those with the same coordinates become one where the surface is open otherwise.
enum dc_status dc_mesh_parse_obj(const struct dc_mesh_file *file, struct dc_arena *arena, struct dc_mesh *mesh,
                                 struct dc_error *error);

// True when the content or, failing that, the name says STL.
bool dc_mesh_is_stl(const struct dc_mesh_file *file);

// STL, text or binary.  Normals are ignored, the order of the corners decides.
enum dc_status dc_mesh_parse_stl(const struct dc_mesh_file *file, struct dc_arena *arena, struct dc_mesh *mesh,
                                 struct dc_error *error);

// Makes a mesh of loose triangles: corners with the same coordinates (-0 counts as 0) become one vertex, numbered in
// order of appearance.  corners [3 * triangle_count] are overwritten.
enum dc_status dc_mesh_weld(double (*corners)[3], int triangle_count, struct dc_arena *arena, struct dc_mesh *mesh,
                            struct dc_error *error);

// A decimal number that fills word [length] and is finite; false when it does not or is not.
bool dc_mesh_parse_number(const char *word, size_t length, double *number);

// Sets "file:line" before a message made by dc_fail; returns DC_BAD_INPUT.
enum dc_status dc_mesh_fail_at(const struct dc_mesh_file *file, long line, struct dc_error *error, const char *format,
                               ...) __attribute__((format(printf, 4, 5)));

// word [length] as it may be shown in a message: at most 31 printable characters.  Returns text.
struct dc_mesh_quote {
  char text[32];
};
const char *dc_mesh_quote(struct dc_mesh_quote *quote, const char *word, size_t length);

#endif
