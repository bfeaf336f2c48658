// SPDX-License-Identifier: Apache-2.0
// Files of meshes of simplices, and what their readers share.
#ifndef DC_GEOMETRY_MESH_SIMPLICES_READ_H
#define DC_GEOMETRY_MESH_SIMPLICES_READ_H

#include <stdint.h>

#include "geometry/mesh/mesh_read.h"
#include "geometry/mesh/simplices.h"

// Reads tetrahedra (corners 4) or triangles (3) from a file: of Gmsh (versions 2 and 4.1, text or bytes), of VTK
// (legacy or XML, unstructured grids, text or bytes, also in pieces), of Medit (text) or of TetGen (.ele, with .node
// beside it), triangles from OBJ and STL, too.  Nodes and elements count from 0 in the order of the file.  Elements
// with fewer corners are passed over, others refused; of quadratic ones the corners are taken, and nodes that no
// element then has are dropped.  Tetrahedra that are all of the other orientation are turned.  Arrays are owned by
// arena. DC_BAD_INPUT with "path:line: rule", "path: byte N: rule" or "path: rule", DC_IO, DC_MEMORY.
enum dc_status dc_simplices_read(const char *path, int corners, struct dc_arena *arena, struct dc_simplices *mesh,
                                 struct dc_error *error);

// A place in a file, whose numbers are words or bytes.  Once something fails nothing is read any more.
struct dc_mesh_cursor {
  const struct dc_mesh_file *file;
  size_t at;
  long line;
  bool binary, swapped;  // numbers are bytes, in the other order than here
  enum dc_status status;
  struct dc_error *error;
};

// Nodes as they come, with the numbers that the file gives them, and elements of the wanted kind by these numbers.
struct dc_simplices_parts {
  int corners;
  bool quadratic;  // elements have nodes that are no corners
  double (*nodes)[3];
  int64_t *numbers;
  int64_t (*elements)[4];
  size_t node_count, node_capacity, number_capacity, element_count, element_capacity;
};

// Fails at the cursor's line or byte; returns DC_BAD_INPUT.
enum dc_status dc_cursor_fail(struct dc_mesh_cursor *cursor, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
// The rest of the line, without its end; *length of it.
const char *dc_cursor_line(struct dc_mesh_cursor *cursor, size_t *length);
// The next word; length 0 at the end of the file.
const char *dc_cursor_word(struct dc_mesh_cursor *cursor, size_t *length);
bool dc_cursor_word_is(struct dc_mesh_cursor *cursor, const char *wanted);
// A number as text, or as bytes, of which an integer has 1, 2, 4 or 8 and a real 4 or 8.
int64_t dc_cursor_integer(struct dc_mesh_cursor *cursor, int bytes);
double dc_cursor_real(struct dc_mesh_cursor *cursor, int bytes);
// How many things of at least so many bytes may follow: fails where the file cannot hold them.
int64_t dc_cursor_count(struct dc_mesh_cursor *cursor, int64_t count, size_t least_bytes);

void dc_parts_add_node(struct dc_simplices_parts *parts, struct dc_mesh_cursor *cursor, int64_t number,
                       const double *place);
void dc_parts_add_element(struct dc_simplices_parts *parts, struct dc_mesh_cursor *cursor, const int64_t *nodes);

// A cell of VTK, of a type by its number there, if it is an element of the wanted kind; cell: its index, for messages.
void dc_parts_add_cell(struct dc_simplices_parts *parts, struct dc_mesh_cursor *cursor, int64_t cell, int64_t type,
                       const int64_t *nodes, int64_t count);
// Nodes at one place become one, and elements that are there twice once; numbers are indices.  DC_OK or DC_MEMORY.
enum dc_status dc_parts_weld(struct dc_simplices_parts *parts);

// The formats.
enum dc_status dc_simplices_parse_msh(struct dc_mesh_cursor *cursor, struct dc_simplices_parts *parts);
enum dc_status dc_simplices_parse_vtk(struct dc_mesh_cursor *cursor, struct dc_simplices_parts *parts);
enum dc_status dc_simplices_parse_medit(struct dc_mesh_cursor *cursor, struct dc_simplices_parts *parts);
enum dc_status dc_simplices_parse_node(struct dc_mesh_cursor *cursor, struct dc_simplices_parts *parts);
enum dc_status dc_simplices_parse_ele(struct dc_mesh_cursor *cursor, struct dc_simplices_parts *parts);
enum dc_status dc_simplices_parse_vtu(struct dc_mesh_cursor *cursor, struct dc_simplices_parts *parts);

#endif
