// SPDX-License-Identifier: Apache-2.0
// Wavefront OBJ.  Two passes over the text: the first counts, so that memory is allocated once and limits hold
// before.
#include "geometry/mesh/mesh_read.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "geometry/mesh/polygon.h"

// A place in the text.  at[0] may always be read: a zero follows the text.
struct scanner {
  const char *at, *end;
  long line;
};

// Words point into the text and are not ended by a zero.
struct word {
  const char *text;
  size_t length;
};

// A face of more than three corners, as a fan at first: vertices of a later statement may be its corners.
struct polygon {
  int first_triangle, corners;
  long line;
};

// The state of the second pass; arrays of the mesh have the sizes that the first pass has counted.
struct parse {
  const struct dc_mesh_file *file;
  struct scanner scanner;
  struct dc_mesh *mesh;
  int vertex_total;  // in the whole file: faces may stand before their vertices
  int *group_start;  // as in struct dc_mesh
  bool group_begun;  // by a statement, and no face stands behind it yet
  long statement_line;
  struct polygon *polygons;
  size_t polygon_count, polygon_capacity;
  long bad_indices;  // out of range, and the first of them
  long first_bad_index, first_bad_line;
};

// Statements without effect on the surface.
static const char *const ignored[] = {"vn",     "vt",     "vp",       "s",          "mg",       "usemtl",
                                      "mtllib", "l",      "p",        "bevel",      "c_interp", "lod",
                                      "usemap", "maplib", "d_interp", "shadow_obj", "trace_obj"};

// Bytes of the line end at place: LF, CR LF or CR alone; 0 when there is none.
static int line_end(const struct scanner *scanner, const char *place)
{
  if (place >= scanner->end)
    return 0;
  if (*place == '\n')
    return 1;
  return *place != '\r' ? 0 : place[1] == '\n' ? 2 : 1;
}

// Bytes of a backslash and the line end it hides; 0 when there is none.
static int continuation(const struct scanner *scanner, const char *place)
{
  int bytes = *place == '\\' ? line_end(scanner, place + 1) : 0;
  return bytes ? bytes + 1 : 0;
}

// Characters that may end a word, or the rest of a statement that is skipped; all others are passed over at once.
enum { MAY_END_WORD = 1, MAY_END_LINE = 2 };
static const unsigned char may_end[256] = {[' '] = MAY_END_WORD,
                                           ['\t'] = MAY_END_WORD,
                                           ['\r'] = MAY_END_WORD | MAY_END_LINE,
                                           ['\n'] = MAY_END_WORD | MAY_END_LINE,
                                           ['#'] = MAY_END_WORD | MAY_END_LINE,
                                           ['\\'] = MAY_END_WORD | MAY_END_LINE};

// what: which of the two marks stops it.
static void pass_over(struct scanner *scanner, int what)
{
  const char *at = scanner->at;
  while (at < scanner->end && !(may_end[(unsigned char)*at] & what))
    at++;
  scanner->at = at;
}

// The next word of the statement; false at its end.
static bool next_word(struct scanner *scanner, struct word *word)
{
  for (int bytes; scanner->at < scanner->end;) {
    if (*scanner->at == ' ' || *scanner->at == '\t') {
      scanner->at++;
    } else if ((bytes = continuation(scanner, scanner->at))) {
      scanner->at += bytes;
      scanner->line++;
    } else {
      break;
    }
  }
  word->text = scanner->at;
  for (pass_over(scanner, MAY_END_WORD); scanner->at < scanner->end; pass_over(scanner, MAY_END_WORD)) {
    if (*scanner->at != '\\' || continuation(scanner, scanner->at))
      break;
    scanner->at++;
  }
  word->length = (size_t)(scanner->at - word->text);
  return word->length > 0;
}

// Goes to the next statement.  A comment ends with its line even if that ends in a backslash.
static void skip_statement(struct scanner *scanner)
{
  bool comment = false;
  for (pass_over(scanner, MAY_END_LINE); scanner->at < scanner->end; pass_over(scanner, MAY_END_LINE)) {
    int bytes = line_end(scanner, scanner->at);
    if (bytes) {
      scanner->at += bytes;
      scanner->line++;
      return;
    }
    bytes = comment ? 0 : continuation(scanner, scanner->at);
    comment = comment || *scanner->at == '#';
    scanner->line += bytes > 0;
    scanner->at += bytes ? bytes : 1;
  }
}

// Statements are compared as a whole and with their case, as the format has it.
static bool is_word(const struct word *word, const char *text)
{
  return word->length == strlen(text) && memcmp(word->text, text, word->length) == 0;
}

// Objects count as groups: programs use both to name what belongs together.
static bool begins_group(const struct word *word)
{
  return is_word(word, "g") || is_word(word, "o");
}

// Vertices, triangles and statements that begin a group, of the whole file.
static void count_statements(struct scanner scanner, size_t *vertex_count, size_t *triangle_count, size_t *group_count)
{
  *vertex_count = *triangle_count = *group_count = 0;
  for (; scanner.at < scanner.end; skip_statement(&scanner)) {
    struct word word;
    if (!next_word(&scanner, &word))
      continue;
    *vertex_count += is_word(&word, "v");
    *group_count += begins_group(&word);
    if (!is_word(&word, "f"))
      continue;
    size_t corners = 0;
    while (next_word(&scanner, &word))
      corners++;
    *triangle_count += corners < 3 ? 0 : corners - 2;
  }
}

// "v x y z", with a weight (not used by polygons), a colour, or both behind it.
static enum dc_status parse_vertex(struct parse *parse, struct dc_error *error)
{
  enum { MOST = 7 };
  double numbers[MOST];
  int count = 0;
  struct dc_mesh_quote quote;
  for (struct word word; next_word(&parse->scanner, &word); count++) {
    if (count == MOST)
      return dc_mesh_fail_at(parse->file, parse->statement_line, error, "a vertex has more than %d numbers", MOST);
    if (!dc_mesh_parse_number(word.text, word.length, &numbers[count]))
      return dc_mesh_fail_at(parse->file, parse->scanner.line, error, "'%s' is not a finite decimal number",
                             dc_mesh_quote(&quote, word.text, word.length));
  }
  if (count < 3 || count == 5)
    return dc_mesh_fail_at(parse->file, parse->statement_line, error, "a vertex has 3, 4, 6 or 7 numbers, not %d",
                           count);
  memcpy(parse->mesh->vertices[parse->mesh->vertex_count++], numbers, 3 * sizeof(double));
  return DC_OK;
}

// A whole number at *text, which is moved behind it; large ones stay at a value that is out of range for any file.
static bool parse_index(const char **text, const char *end, long *index)
{
  const long largest = 100000000;
  const char *at = *text;
  bool negative = at < end && *at == '-';
  at += at < end && (*at == '-' || *at == '+');
  const char *digits = at;
  *index = 0;
  for (; at < end && *at >= '0' && *at <= '9'; at++)
    *index = *index < largest ? 10 * *index + (*at - '0') : *index;
  if (negative)
    *index = -*index;
  *text = at;
  return at > digits;
}

// "v", "v/vt", "v//vn" or "v/vt/vn"; gives v.
static bool parse_corner(const struct word *word, long *index)
{
  const char *at = word->text, *end = at + word->length;
  long other;
  if (!parse_index(&at, end, index))
    return false;
  if (at == end)
    return true;
  if (*at++ != '/')
    return false;
  if (parse_index(&at, end, &other) && at == end)
    return true;
  return at < end && *at++ == '/' && parse_index(&at, end, &other) && at == end;
}

// Vertex of a corner.  Indices count from 1, negative ones back from the last vertex read; bad ones are counted.
static int resolve(struct parse *parse, long index)
{
  long vertex = index > 0 ? index - 1 : parse->mesh->vertex_count + index;
  if (index != 0 && vertex >= 0 && vertex < parse->vertex_total)
    return (int)vertex;
  if (parse->bad_indices++ == 0) {
    parse->first_bad_index = index;
    parse->first_bad_line = parse->scanner.line;
  }
  return 0;
}

// Faces of more than three corners are cut later, when all vertices are known.
static enum dc_status remember_polygon(struct parse *parse, int corners, struct dc_error *error)
{
  if (dc_grow(&parse->polygons, &parse->polygon_capacity, parse->polygon_count + 1, sizeof *parse->polygons))
    return dc_out_of_memory_for(error, "%zu polygons", parse->polygon_count);
  parse->polygons[parse->polygon_count++] =
      (struct polygon){parse->mesh->triangle_count - (corners - 2), corners, parse->statement_line};
  return DC_OK;
}

// A face as a fan from its first corner; it begins a group if a statement has announced one.
static enum dc_status parse_face(struct parse *parse, struct dc_error *error)
{
  struct dc_mesh *mesh = parse->mesh;
  struct dc_mesh_quote quote;
  int corners = 0, first = 0, previous = 0;
  if (parse->group_begun || mesh->group_count == 0)
    parse->group_start[mesh->group_count++] = mesh->triangle_count;
  parse->group_begun = false;
  for (struct word word; next_word(&parse->scanner, &word); corners++) {
    long index;
    if (!parse_corner(&word, &index))
      return dc_mesh_fail_at(parse->file, parse->scanner.line, error,
                             "'%s' is not a corner (v, v/vt, v//vn or v/vt/vn)",
                             dc_mesh_quote(&quote, word.text, word.length));
    int vertex = resolve(parse, index);
    if (corners == 0)
      first = vertex;
    if (corners >= 2) {
      int *triangle = mesh->triangles[mesh->triangle_count++];
      triangle[0] = first, triangle[1] = previous, triangle[2] = vertex;
    }
    previous = vertex;
  }
  if (corners < 3)
    return dc_mesh_fail_at(parse->file, parse->statement_line, error, "a face has 3 or more corners, not %d", corners);
  return corners == 3 ? DC_OK : remember_polygon(parse, corners, error);
}

// One statement.  Words that nobody knows are an error, since the file may be of another format.
static enum dc_status parse_statement(struct parse *parse, struct dc_error *error)
{
  struct word word;
  struct dc_mesh_quote quote;
  parse->statement_line = parse->scanner.line;
  if (!next_word(&parse->scanner, &word))
    return DC_OK;
  if (is_word(&word, "v"))
    return parse_vertex(parse, error);
  if (is_word(&word, "f"))
    return parse_face(parse, error);
  if (begins_group(&word)) {
    parse->group_begun = true;
    return DC_OK;
  }
  for (size_t i = 0; i < sizeof ignored / sizeof ignored[0]; i++)
    if (is_word(&word, ignored[i]))
      return DC_OK;
  size_t length = strlen(parse->file->name);
  bool named = length >= 4 && strcasecmp(parse->file->name + length - 4, ".obj") == 0;
  return dc_mesh_fail_at(
      parse->file, parse->statement_line, error, "unknown OBJ statement '%s'%s",
      dc_mesh_quote(&quote, word.text, word.length),
      named ? "" : " (a file with this ending is read as OBJ; another program can save it as .stl or .obj)");
}

// Room for the largest polygon.
struct cutting {
  double (*points)[3];  // [corners] places, m
  int *corners;         // vertices of the mesh
  int (*triangles)[3];  // [corners - 2] indices of points
};

// The fans of polygons become triangles that cover them.
static enum dc_status cut_polygon(struct parse *parse, const struct polygon *polygon, const struct cutting *room,
                                  struct dc_arena *arena, struct dc_error *error)
{
  int(*fan)[3] = parse->mesh->triangles + polygon->first_triangle, count = polygon->corners;
  for (int k = 0; k < count; k++) {
    room->corners[k] = k == 0 ? fan[0][0] : k == 1 ? fan[0][1] : fan[k - 2][2];
    memcpy(room->points[k], parse->mesh->vertices[room->corners[k]], sizeof *room->points);
  }
  enum dc_polygon_result result = dc_polygon_cut((const double(*)[3])room->points, count, room->triangles);
  if (result == DC_POLYGON_NO_MEMORY)
    return dc_out_of_memory_for(error, "a face of %d corners", count);
  for (int t = 0; t < count - 2; t++)
    for (int k = 0; k < 3; k++)
      fan[t][k] = room->corners[room->triangles[t][k]];
  if (result == DC_POLYGON_CROSSES && !parse->mesh->fault &&
      !(parse->mesh->fault =
            dc_arena_printf(arena, ":%ld: the border of a face of %d corners crosses itself", polygon->line, count)))
    return dc_out_of_memory(error);
  return DC_OK;
}

// One memory of the size of the largest polygon serves all of them.
static enum dc_status cut_polygons(struct parse *parse, struct dc_arena *arena, struct dc_error *error)
{
  size_t most = 0;
  for (size_t i = 0; i < parse->polygon_count; i++)
    most = (size_t)parse->polygons[i].corners > most ? (size_t)parse->polygons[i].corners : most;
  if (!most)
    return DC_OK;
  struct cutting room = {dc_alloc(most, sizeof *room.points), dc_alloc(most, sizeof *room.corners),
                         dc_alloc(most, sizeof *room.triangles)};
  enum dc_status status = room.points && room.corners && room.triangles
                              ? DC_OK
                              : dc_out_of_memory_for(error, "a face of %zu corners", most);
  for (size_t i = 0; i < parse->polygon_count && !status; i++)
    status = cut_polygon(parse, &parse->polygons[i], &room, arena, error);
  free(room.points);
  free(room.corners);
  free(room.triangles);
  return status;
}

// Vertices that no face uses go, in place; the others keep their order.
static enum dc_status drop_unused_vertices(struct dc_mesh *mesh, struct dc_error *error)
{
  int *number = dc_alloc((size_t)mesh->vertex_count, sizeof *number);
  if (!number)
    return dc_out_of_memory_for(error, "a mesh of %d vertices", mesh->vertex_count);
  for (int t = 0; t < mesh->triangle_count; t++)
    for (int k = 0; k < 3; k++)
      number[mesh->triangles[t][k]] = 1;
  int used = 0;
  for (int v = 0; v < mesh->vertex_count; v++) {
    if (!number[v])
      continue;
    memmove(mesh->vertices[used], mesh->vertices[v], sizeof mesh->vertices[v]);
    number[v] = used++;
  }
  for (int t = 0; t < mesh->triangle_count; t++)
    for (int k = 0; k < 3; k++)
      mesh->triangles[t][k] = number[mesh->triangles[t][k]];
  mesh->vertex_count = used;
  free(number);
  return DC_OK;
}

// Vertices with the same coordinates become one where the surface is open otherwise: some programs write vertices of
// their own for every triangle.  Solids that touch at an edge keep theirs.
static enum dc_status weld_open(struct dc_mesh *mesh, struct dc_arena *arena, struct dc_error *error)
{
  long open = dc_mesh_open_edges(mesh);
  if (open == 0)
    return DC_OK;
  double(*corners)[3] = open < 0 ? NULL : dc_alloc(3 * (size_t)mesh->triangle_count, sizeof *corners);
  if (!corners)
    return dc_out_of_memory_for(error, "a mesh of %d triangles", mesh->triangle_count);
  for (int t = 0; t < mesh->triangle_count; t++)
    for (int k = 0; k < 3; k++)
      memcpy(corners[3 * (size_t)t + (size_t)k], mesh->vertices[mesh->triangles[t][k]], sizeof *corners);
  struct dc_mesh welded;
  enum dc_status status = dc_mesh_weld(corners, mesh->triangle_count, arena, &welded, error);
  free(corners);
  if (status || welded.vertex_count == mesh->vertex_count)
    return status;
  mesh->vertex_count = welded.vertex_count;
  mesh->vertices = welded.vertices;
  mesh->triangles = welded.triangles;
  return DC_OK;
}

// Vertices without faces are good for a hull.
static enum dc_status take_points(const struct parse *parse, struct dc_arena *arena, struct dc_error *error)
{
  struct dc_mesh *mesh = parse->mesh;
  if (mesh->vertex_count < 4)
    return dc_fail(error, DC_BAD_INPUT, "%.700s: no faces (%d vertices)", parse->file->name, mesh->vertex_count);
  mesh->group_count = 0;
  mesh->fault = dc_arena_printf(arena, ": holds %d points and no faces", mesh->vertex_count);
  return mesh->fault ? DC_OK : dc_out_of_memory_in(error, parse->file->name);
}

// All statements, then what needs the whole file: indices, polygons, unused and double vertices.
static enum dc_status parse_all(struct parse *parse, struct dc_arena *arena, struct dc_error *error)
{
  for (; parse->scanner.at < parse->scanner.end; skip_statement(&parse->scanner)) {
    enum dc_status status = parse_statement(parse, error);
    if (status)
      return status;
  }
  if (parse->bad_indices)
    return dc_mesh_fail_at(parse->file, parse->first_bad_line, error,
                           "%ld vertex %s out of range (first: %ld, the file has %d vertices)", parse->bad_indices,
                           parse->bad_indices == 1 ? "index" : "indices", parse->first_bad_index, parse->vertex_total);
  if (parse->mesh->triangle_count == 0)
    return take_points(parse, arena, error);
  parse->group_start[parse->mesh->group_count] = parse->mesh->triangle_count;
  enum dc_status status = cut_polygons(parse, arena, error);
  if (!status)
    status = drop_unused_vertices(parse->mesh, error);
  return status ? status : weld_open(parse->mesh, arena, error);
}

// Counts first, so that limits are checked before memory is taken, then parses.
enum dc_status dc_mesh_parse_obj(const struct dc_mesh_file *file, struct dc_arena *arena, struct dc_mesh *mesh,
                                 struct dc_error *error)
{
  struct parse parse = {.file = file, .mesh = mesh, .scanner = {file->bytes, file->bytes + file->size, 1}};
  if (file->size >= 3 && memcmp(file->bytes, "\xef\xbb\xbf", 3) == 0)  // byte order mark of UTF-8
    parse.scanner.at += 3;
  size_t vertex_count, triangle_count, group_count;
  count_statements(parse.scanner, &vertex_count, &triangle_count, &group_count);
  if (vertex_count > DC_MESH_TRIANGLES_MAX || triangle_count > DC_MESH_TRIANGLES_MAX)
    return dc_fail(error, DC_BAD_INPUT, "%.700s: must have at most %d vertices and triangles (has %zu and %zu)",
                   file->name, DC_MESH_TRIANGLES_MAX, vertex_count, triangle_count);
  parse.vertex_total = (int)vertex_count;
  mesh->vertices = dc_arena_alloc(arena, vertex_count, sizeof *mesh->vertices);
  mesh->triangles = dc_arena_alloc(arena, triangle_count, sizeof *mesh->triangles);
  // Every group has a face; faces before the first statement are one, too.
  group_count = group_count < triangle_count ? group_count + 1 : triangle_count;
  mesh->group_start = parse.group_start = dc_arena_alloc(arena, group_count + 1, sizeof *parse.group_start);
  if (!mesh->vertices || !mesh->triangles || !parse.group_start)
    return dc_out_of_memory_for(error, "a mesh of %zu vertices and %zu triangles", vertex_count, triangle_count);
  enum dc_status status = parse_all(&parse, arena, error);
  free(parse.polygons);
  return status;
}
