// SPDX-License-Identifier: Apache-2.0
// Meshes as plain lists of numbers: those of Medit (.mesh, text) in sections, each a word, a count and rows, and those
// of TetGen, places in a file .node and tetrahedra in a file .ele.  What follows # on a line is a remark.
#include <string.h>

#include "geometry/mesh/simplices_read.h"

// Blanks, ends of lines and remarks up to the next word.
static void skip_remarks(struct dc_mesh_cursor *cursor)
{
  size_t length;
  while (!cursor->status && cursor->at < cursor->file->size) {
    char c = cursor->file->bytes[cursor->at];
    if (c == '#')
      dc_cursor_line(cursor, &length);
    else if (c == ' ' || c == '\t' || c == '\r' || c == '\n')
      cursor->line += c == '\n', cursor->at++;
    else
      return;
  }
}

// Numbers may have remarks between them.
static int64_t integer(struct dc_mesh_cursor *cursor)
{
  skip_remarks(cursor);
  return dc_cursor_integer(cursor, 8);
}

static double real(struct dc_mesh_cursor *cursor)
{
  skip_remarks(cursor);
  return dc_cursor_real(cursor, 8);
}

// Numbers that are of no use here must still be numbers.
static void skip_numbers(struct dc_mesh_cursor *cursor, int64_t count)
{
  for (int64_t i = 0; i < count && !cursor->status; i++)
    real(cursor);
}

// Plane meshes have two numbers a node: z is 0.
static void take_node(struct dc_mesh_cursor *cursor, struct dc_simplices_parts *parts, int64_t number, int dimension)
{
  double place[3] = {0};
  for (int k = 0; k < dimension; k++)
    place[k] = real(cursor);
  dc_parts_add_node(parts, cursor, number, place);
}

// An element of so many nodes, of which the corners come first.
static void take_element(struct dc_mesh_cursor *cursor, struct dc_simplices_parts *parts, int corners, int64_t nodes)
{
  int64_t corner[4] = {0};
  for (int k = 0; k < corners; k++)
    corner[k] = integer(cursor);
  skip_numbers(cursor, nodes - corners);
  if (corners == parts->corners)
    dc_parts_add_element(parts, cursor, corner);
}

// Medit.

// Sections whose rows are of no use here, with the numbers of a row.
static const struct {
  const char *name;
  int numbers;
} others[] = {{"Edges", 3},         {"Corners", 1},           {"RequiredVertices", 1},   {"Ridges", 1},
              {"RequiredEdges", 1}, {"RequiredTriangles", 1}, {"Normals", 3},            {"Tangents", 3},
              {"NormalAtVertices", 2}, {"TangentAtVertices", 2}};

static bool is(const char *word, size_t length, const char *wanted)
{
  return length == strlen(wanted) && memcmp(word, wanted, length) == 0;
}

// How many numbers a row of a section has; 0: nothing known.
static int numbers_of(const char *word, size_t length)
{
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    if (is(word, length, others[i].name))
      return others[i].numbers;
  return 0;
}

// One section of a Medit file: vertices and elements are taken, known others passed over, unknown ones refused,
// as the number of their columns is not known.
static void read_section(struct dc_mesh_cursor *cursor, struct dc_simplices_parts *parts, const char *word,
                         size_t length, int dimension)
{
  bool vertices = is(word, length, "Vertices"), tetrahedra = is(word, length, "Tetrahedra"),
       triangles = is(word, length, "Triangles");
  int numbers = numbers_of(word, length);
  if (!vertices && !tetrahedra && !triangles && !numbers) {
    struct dc_mesh_quote quote;
    dc_cursor_fail(cursor, "must be a section with vertices, triangles or tetrahedra (is \"%s\")",
                   dc_mesh_quote(&quote, word, length));
    return;
  }
  skip_remarks(cursor);
  int64_t count = dc_cursor_count(cursor, dc_cursor_integer(cursor, 8), 2);
  for (int64_t i = 0; i < count && !cursor->status; i++) {
    if (vertices)
      take_node(cursor, parts, i + 1, dimension);
    else if (tetrahedra && parts->corners < 4)
      dc_cursor_fail(cursor, "tetrahedra are not read here: there must be triangles");
    else if (tetrahedra || triangles)
      take_element(cursor, parts, tetrahedra ? 4 : 3, tetrahedra ? 4 : 3);
    skip_numbers(cursor, numbers ? numbers : 1);  // a reference ends rows of vertices and elements
  }
}

// The first word and number, "MeshVersionFormatted 1" or 2, tell the precision of the writer and decide nothing here.
// "Dimension" comes before the vertices, whose rows it tells apart.
enum dc_status dc_simplices_parse_medit(struct dc_mesh_cursor *cursor, struct dc_simplices_parts *parts)
{
  int dimension = 3;
  size_t length;
  skip_remarks(cursor);
  dc_cursor_word(cursor, &length);
  integer(cursor);
  while (!cursor->status) {
    skip_remarks(cursor);
    const char *word = dc_cursor_word(cursor, &length);
    if (length == 0 || is(word, length, "End"))
      break;
    if (!is(word, length, "Dimension")) {
      read_section(cursor, parts, word, length, dimension);
      continue;
    }
    int64_t given = integer(cursor);
    if (given != 2 && given != 3)
      dc_cursor_fail(cursor, "must be 2 or 3 dimensions (are %lld)", (long long)given);
    dimension = (int)given;
  }
  return cursor->status;
}

// TetGen.

// Count, dimension, attributes and whether there are markers; then number, place, attributes, marker.
enum dc_status dc_simplices_parse_node(struct dc_mesh_cursor *cursor, struct dc_simplices_parts *parts)
{
  skip_remarks(cursor);
  int64_t count = dc_cursor_count(cursor, dc_cursor_integer(cursor, 8), 2), dimension = integer(cursor),
          attributes = integer(cursor), markers = integer(cursor);
  if (dimension != 3 || attributes < 0 || attributes > 1000 || markers < 0 || markers > 1)
    dc_cursor_fail(cursor, "must be 3 dimensions, up to 1000 attributes and 0 or 1 markers (are %lld, %lld, %lld)",
                   (long long)dimension, (long long)attributes, (long long)markers);
  for (int64_t i = 0; i < count && !cursor->status; i++) {
    int64_t number = integer(cursor);
    take_node(cursor, parts, number, 3);
    skip_numbers(cursor, attributes + markers);
  }
  return cursor->status;
}

// Count, nodes of a tetrahedron, attributes; then number, nodes, attributes.
enum dc_status dc_simplices_parse_ele(struct dc_mesh_cursor *cursor, struct dc_simplices_parts *parts)
{
  skip_remarks(cursor);
  int64_t count = dc_cursor_count(cursor, dc_cursor_integer(cursor, 8), 2), nodes = integer(cursor),
          attributes = integer(cursor);
  if (!cursor->status && parts->corners < 4)
    dc_cursor_fail(cursor, "tetrahedra are not read here: there must be triangles");
  if ((nodes != 4 && nodes != 10) || attributes < 0 || attributes > 1000)
    dc_cursor_fail(cursor, "must be 4 or 10 nodes and up to 1000 attributes (are %lld and %lld)", (long long)nodes,
                   (long long)attributes);
  parts->quadratic |= nodes == 10;
  for (int64_t i = 0; i < count && !cursor->status; i++) {
    integer(cursor);
    take_element(cursor, parts, 4, nodes);
    skip_numbers(cursor, attributes);
  }
  return cursor->status;
}
