// SPDX-License-Identifier: Apache-2.0
// Meshes of Gmsh, versions 2 and 4.1, as text or bytes.  Sections other than nodes and elements are passed over;
// elements with fewer corners than those wanted (points, lines, the triangles around a solid) too.
#include <stdlib.h>
#include <string.h>

#include "geometry/mesh/simplices_read.h"

// Types of elements that are read, with their corners and all of their nodes: the corners come first.
static const struct kind {
  int type, corners, nodes;
} kinds[] = {{15, 1, 1}, {1, 2, 2}, {2, 3, 3}, {4, 4, 4}, {8, 2, 3}, {9, 3, 6}, {11, 4, 10}};
enum { KINDS = sizeof kinds / sizeof *kinds };

// The kind of an element by its type: ones with more corners than wanted are refused, ones with fewer passed
// over later.
static struct kind check_type(struct dc_mesh_cursor *cursor, struct dc_simplices_parts *parts, int64_t type)
{
  struct kind kind = {0};
  for (int i = 0; i < KINDS; i++)
    if (kinds[i].type == type)
      kind = kinds[i];
  if (!cursor->status && (kind.corners == 0 || kind.corners > parts->corners))
    dc_cursor_fail(cursor, "elements of type %lld are not read here: %s", (long long)type,
                   parts->corners == 4 ? "tetrahedra must be of type 4 or 11" : "triangles must be of type 2 or 9");
  parts->quadratic |= kind.corners == parts->corners && kind.nodes > kind.corners;
  return kind;
}

// The nodes of an element, each a number of so many bytes.
static void take_element(struct dc_mesh_cursor *cursor, struct dc_simplices_parts *parts, struct kind kind, int bytes)
{
  int64_t nodes[4] = {0};
  for (int k = 0; k < kind.nodes; k++) {
    int64_t node = dc_cursor_integer(cursor, bytes);
    if (k < kind.corners)
      nodes[k] = node;
  }
  if (kind.corners == parts->corners)
    dc_parts_add_element(parts, cursor, nodes);
}

// Coordinates are doubles in binary files of both versions.
static void take_node(struct dc_mesh_cursor *cursor, struct dc_simplices_parts *parts, int64_t number)
{
  double place[3];
  for (int k = 0; k < 3; k++)
    place[k] = dc_cursor_real(cursor, 8);
  dc_parts_add_node(parts, cursor, number, place);
}

// A byte count ends its line: the bytes start on the next one.
static void end_line(struct dc_mesh_cursor *cursor)
{
  size_t length;
  if (cursor->binary && !cursor->status)
    dc_cursor_line(cursor, &length);
}

// Version 2.

// Each node is its number and its place.
static void read_nodes_2(struct dc_mesh_cursor *cursor, struct dc_simplices_parts *parts, int64_t count)
{
  for (int64_t i = 0; i < count && !cursor->status; i++)
    take_node(cursor, parts, dc_cursor_integer(cursor, 4));
}

// Tags name physical groups and partitions, which have no meaning here.
static void read_element_2(struct dc_mesh_cursor *cursor, struct dc_simplices_parts *parts, struct kind kind,
                           int64_t tags)
{
  for (int64_t k = 0; k < tags && !cursor->status; k++)
    dc_cursor_integer(cursor, 4);
  take_element(cursor, parts, kind, 4);
}

// Elements of version 2.  As text: number, type, number of tags, tags, nodes.  Binary: type, number of such elements,
// number of tags of each; then each element.
static void read_elements_2(struct dc_mesh_cursor *cursor, struct dc_simplices_parts *parts, int64_t count)
{
  for (int64_t done = 0; done < count && !cursor->status;) {
    if (!cursor->binary)
      dc_cursor_integer(cursor, 4);
    int64_t type = dc_cursor_integer(cursor, 4), alike = cursor->binary ? dc_cursor_integer(cursor, 4) : 1,
            tags = dc_cursor_integer(cursor, 4);
    struct kind kind = check_type(cursor, parts, type);
    if (alike < 1 || alike > count - done || tags < 0 || tags > 1000)
      dc_cursor_fail(cursor, "must be a number of elements and of their tags (are %lld and %lld)", (long long)alike,
                     (long long)tags);
    for (int64_t i = 0; i < alike && !cursor->status; i++) {
      if (cursor->binary)
        dc_cursor_integer(cursor, 4);
      read_element_2(cursor, parts, kind, tags);
    }
    done += alike;
  }
}

// Version 4.1.

// Four numbers: blocks, things in all, the least and largest number.
static int64_t begin_section_4(struct dc_mesh_cursor *cursor)
{
  int64_t blocks = dc_cursor_integer(cursor, 8);
  for (int k = 0; k < 3; k++)
    dc_cursor_integer(cursor, 8);
  return dc_cursor_count(cursor, blocks, 1);
}

// A block: dimension and number of what it is part of, whether there are parameters, how many; the numbers, then the
// places.
static void read_nodes_4(struct dc_mesh_cursor *cursor, struct dc_simplices_parts *parts)
{
  int64_t blocks = begin_section_4(cursor);
  for (int64_t b = 0; b < blocks && !cursor->status; b++) {
    int64_t dimension = dc_cursor_integer(cursor, 4);
    dc_cursor_integer(cursor, 4);
    int64_t parametric = dc_cursor_integer(cursor, 4), count = dc_cursor_count(cursor, dc_cursor_integer(cursor, 8), 2);
    int64_t *numbers = dc_alloc((size_t)count, sizeof *numbers);
    if (!numbers)
      cursor->status = dc_out_of_memory_in(cursor->error, cursor->file->name);
    for (int64_t i = 0; i < count && !cursor->status; i++)
      numbers[i] = dc_cursor_integer(cursor, 8);
    for (int64_t i = 0; i < count && !cursor->status; i++) {
      take_node(cursor, parts, numbers[i]);
      for (int64_t k = 0; k < dimension && parametric && !cursor->status; k++)
        dc_cursor_real(cursor, 8);
    }
    free(numbers);
  }
}

// Format 4 has blocks of one type of element: dimension and tag of the entity (skipped), type, count, then a tag and
// the nodes of each.
static void read_elements_4(struct dc_mesh_cursor *cursor, struct dc_simplices_parts *parts)
{
  int64_t blocks = begin_section_4(cursor);
  for (int64_t b = 0; b < blocks && !cursor->status; b++) {
    dc_cursor_integer(cursor, 4);
    dc_cursor_integer(cursor, 4);
    int64_t type = dc_cursor_integer(cursor, 4), count = dc_cursor_count(cursor, dc_cursor_integer(cursor, 8), 2);
    struct kind kind = check_type(cursor, parts, type);
    for (int64_t i = 0; i < count && !cursor->status; i++) {
      dc_cursor_integer(cursor, 8);
      take_element(cursor, parts, kind, 8);
    }
  }
}

// Sections.

// The word that must come next, such as the end of a section.
static void expect(struct dc_mesh_cursor *cursor, const char *word)
{
  if (!cursor->status && !dc_cursor_word_is(cursor, word))
    dc_cursor_fail(cursor, "must be %s", word);
}

// $MeshFormat: version, 0 or 1 for bytes, bytes of a number; of bytes an integer 1 that tells their order.
static int read_format(struct dc_mesh_cursor *cursor)
{
  expect(cursor, "$MeshFormat");
  double version = dc_cursor_real(cursor, 8);
  int64_t kind = dc_cursor_integer(cursor, 4), bytes = dc_cursor_integer(cursor, 4), one;
  if (!cursor->status && !((version >= 2 && version < 3) || (version >= 4.05 && version < 4.2)))
    dc_cursor_fail(cursor, "version %g is not read: 2 and 4.1 are", version);
  if (!cursor->status && (kind < 0 || kind > 1 || bytes != 8))
    dc_cursor_fail(cursor, "must be text (0) or bytes (1) with numbers of 8 bytes");
  if (kind == 1 && !cursor->status) {
    cursor->binary = true;
    end_line(cursor);
    one = dc_cursor_integer(cursor, 4);
    cursor->swapped = one != 1;
    if (one != 1 && one != 0x01000000)
      dc_cursor_fail(cursor, "must be the integer 1, which tells the order of bytes");
    end_line(cursor);
  }
  expect(cursor, "$EndMeshFormat");
  return version < 3 ? 2 : 4;
}

// Counts of version 2 are text also where numbers are bytes.
static int64_t read_count_2(struct dc_mesh_cursor *cursor)
{
  bool binary = cursor->binary;
  cursor->binary = false;
  int64_t count = dc_cursor_count(cursor, dc_cursor_integer(cursor, 4), 2);
  cursor->binary = binary;
  end_line(cursor);
  return count;
}

// Behind the end of a section of another kind.
static void skip_section(struct dc_mesh_cursor *cursor, const char *name, size_t length)
{
  char end[80];
  if (length < 2 || length > sizeof end - 5 || name[0] != '$') {
    dc_cursor_fail(cursor, "must be a section, which begins with $");
    return;
  }
  memcpy(end, "$End", 4);
  memcpy(end + 4, name + 1, length - 1);
  end[length + 3] = '\0';
  for (size_t found = 0; !cursor->status;) {
    const char *line = dc_cursor_line(cursor, &found);
    if (found == length + 3 && memcmp(line, end, found) == 0)
      return;
    if (cursor->at >= cursor->file->size)
      dc_cursor_fail(cursor, "the file ends before %s", end);
  }
}

// Nodes or elements, by the version, up to the end of the section.
static void read_section(struct dc_mesh_cursor *cursor, struct dc_simplices_parts *parts, int version, bool nodes)
{
  if (version == 2) {
    int64_t count = read_count_2(cursor);
    if (nodes)
      read_nodes_2(cursor, parts, count);
    else
      read_elements_2(cursor, parts, count);
  } else {
    end_line(cursor);
    if (nodes)
      read_nodes_4(cursor, parts);
    else
      read_elements_4(cursor, parts);
  }
  expect(cursor, nodes ? "$EndNodes" : "$EndElements");
}

// Sections in any order; nodes may stand behind elements, because numbers are resolved at the end.
enum dc_status dc_simplices_parse_msh(struct dc_mesh_cursor *cursor, struct dc_simplices_parts *parts)
{
  int version = read_format(cursor);
  while (!cursor->status) {
    size_t length;
    const char *word = dc_cursor_word(cursor, &length);
    if (length == 0)
      break;
    bool nodes = length == 6 && memcmp(word, "$Nodes", 6) == 0;
    if (nodes || (length == 9 && memcmp(word, "$Elements", 9) == 0))
      read_section(cursor, parts, version, nodes);
    else
      skip_section(cursor, word, length);
  }
  return cursor->status;
}
