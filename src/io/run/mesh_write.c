// SPDX-License-Identifier: Apache-2.0
// Wavefront OBJ in metres, a group for each convex part, and binary STL in millimetres: 80 bytes of header, the number
// of triangles, and for each triangle normal, three corners and two bytes of attributes.  Normals are those of the
// corners' order, (b - a) x (c - a), of unit length.
#include "io/run/mesh_write.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "math/vector.h"

enum { STL_HEADER = 80 };
static const double MILLIMETRES = 1e3;  // in a metre

// Whether a triangle of the part's hull has this vertex as a corner.
static bool is_corner(const struct dc_mesh *part, int vertex)
{
  for (int t = 0; t < part->triangle_count; t++)
    for (int k = 0; k < 3; k++)
      if (part->triangles[t][k] == vertex)
        return true;
  return false;
}

// Writes the convex parts as groups of an OBJ file, m; vertices that are no corners become points, so that reading it
// gives the same vertices.
void dc_shape_write_obj(const struct dc_shape *shape, struct dc_text *text)
{
  int first = 1;  // number of the part's first vertex, counted from 1
  dc_text_add(text, "# m\n");
  for (int i = 0; i < shape->part_count; i++) {
    const struct dc_mesh *part = &shape->parts[i];
    dc_text_add(text, "g part%d\n", i + 1);
    for (int v = 0; v < part->vertex_count; v++) {
      dc_text_add(text, "v");
      for (int k = 0; k < 3; k++) {
        dc_text_add(text, " ");
        dc_text_short_real(text, part->vertices[v][k], "0");
      }
      dc_text_add(text, "\n");
    }
    for (int t = 0; t < part->triangle_count; t++)
      dc_text_add(text, "f %d %d %d\n", first + part->triangles[t][0], first + part->triangles[t][1],
                  first + part->triangles[t][2]);
    for (int v = 0; v < part->vertex_count; v++)
      if (!is_corner(part, v))
        dc_text_add(text, "p %d\n", first + v);
    first += part->vertex_count;
  }
}

// Appends a 32-bit word, the low byte first, as the format wants it.
static void append_word(struct dc_text *bytes, uint32_t word)
{
  char four[4];
  for (int k = 0; k < 4; k++)
    four[k] = (char)(word >> 8 * k & 0xff);
  dc_text_append(bytes, four, sizeof four);
}

static void append_vector(struct dc_text *bytes, const double vector[3], double scale)
{
  for (int k = 0; k < 3; k++) {
    float number = (float)(scale * vector[k]);
    uint32_t word;
    memcpy(&word, &number, sizeof word);
    append_word(bytes, word);
  }
}

// Writes the mesh as binary STL in millimetres, as printers expect.  Coordinates are rounded to single
// precision, the only one that the format has.  A triangle without area gets the normal 0.
void dc_shape_write_stl(const struct dc_shape *shape, struct dc_text *bytes)
{
  const struct dc_mesh *mesh = &shape->mesh;
  char header[STL_HEADER] = "binary STL, mm";  // must not begin with "solid"
  dc_text_append(bytes, header, sizeof header);
  append_word(bytes, (uint32_t)mesh->triangle_count);
  for (int t = 0; t < mesh->triangle_count; t++) {
    const double *corner[3];
    double one[3], other[3], normal[3];
    for (int k = 0; k < 3; k++)
      corner[k] = mesh->vertices[mesh->triangles[t][k]];
    dc_vec_sub(one, corner[1], corner[0]);
    dc_vec_sub(other, corner[2], corner[0]);
    dc_vec_cross(normal, one, other);
    double length = dc_vec_norm(normal);
    append_vector(bytes, normal, length > 0 ? 1 / length : 0);
    for (int k = 0; k < 3; k++)
      append_vector(bytes, corner[k], MILLIMETRES);
    dc_text_append(bytes, "\0", 2);  // no attributes
  }
}
