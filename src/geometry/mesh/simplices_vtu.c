// SPDX-License-Identifier: Apache-2.0
// XML files of VTK: unstructured grids of one piece or several, in one file (.vtu) or, by a file that names them, in
// several beside it (.pvtu).  Pieces share the nodes at their borders by their places, and may repeat cells of their
// neighbours: both are joined (simplices_weld.c).  Expat finds where the arrays of places and cells are;
// they are read from the file then, as text, base64, or appended bytes, packed with zlib or not (vtk_data.h).  Expat
// stops where appended data begin, which need not be XML.
#include <expat.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "geometry/mesh/vtk_data.h"

enum { PLACES, CONNECTIVITY, OFFSETS, TYPES, ARRAYS };
static const char *const array_names[ARRAYS] = {"Points", "connectivity", "offsets", "types"};

enum format { ABSENT, TEXT, INLINE, APPENDED };

// One DataArray: where its bytes are, found while Expat walks the file, and read when all four are known.
struct array {
  enum format format;
  int number_bytes;   // of one number in the file
  size_t begin, end;  // of what is inline, bytes of the file
  long line;          // for messages
  int64_t offset;     // of what is appended, bytes behind the underscore
};

// Sizes of a piece, as it says, and its arrays.
struct piece {
  int64_t points, cells;
  struct array arrays[ARRAYS];
};

// The files of pieces, by the names that a .pvtu has for them.
struct sources {
  char (*names)[512];
  size_t count, capacity;
};

// State of the walk through the XML.  Arrays are only located by it; cursor is that of the file, for messages
// and status.
struct vtu {
  XML_Parser parser;
  struct dc_mesh_cursor *cursor;
  struct dc_vtk_encoding encoding;
  bool opened;           // the root element was seen
  bool appended_base64;  // appended data are text
  struct piece *pieces;  // [count]
  size_t count, capacity;
  struct piece *piece;      // that is walked through, or read; NULL: none
  int64_t first;            // number of its first node
  struct sources *sources;  // of a file that names others; NULL in those
  bool names_files;
  bool in_points, in_cells;
  int reading;           // array whose end comes next, -1: none
  const char *appended;  // behind the underscore
};

// The rule that the element at hand breaks, and what is there instead, or NULL.
static void refuse(struct vtu *vtu, const char *rule, const char *text)
{
  struct dc_mesh_quote quote;
  vtu->cursor->line = (long)XML_GetCurrentLineNumber(vtu->parser);
  if (text)
    dc_cursor_fail(vtu->cursor, "%s (is \"%s\")", rule, dc_mesh_quote(&quote, text, strlen(text)));
  else
    dc_cursor_fail(vtu->cursor, "%s", rule);
  XML_StopParser(vtu->parser, XML_FALSE);
}

// The value of an attribute, "" where it is absent.
static const char *attribute(const XML_Char **attributes, const char *name)
{
  for (; *attributes; attributes += 2)
    if (strcmp(attributes[0], name) == 0)
      return attributes[1];
  return "";
}

// Names and words of attributes are compared with their case, as XML has it.
static bool is(const char *text, const char *wanted)
{
  return strcmp(text, wanted) == 0;
}

// The root element: the kind of file and how binary data are written.
static void open_file(struct vtu *vtu, const XML_Char **attributes)
{
  const char *type = attribute(attributes, "type"), *order = attribute(attributes, "byte_order"),
             *header = attribute(attributes, "header_type"), *compressor = attribute(attributes, "compressor");
  const int one = 1;
  bool little = *(const char *)&one == 1;
  vtu->names_files = vtu->sources && is(type, "PUnstructuredGrid");
  if (!is(type, "UnstructuredGrid") && !vtu->names_files)
    refuse(vtu, "must be a file of type UnstructuredGrid", type);
  else if (*order && !is(order, "LittleEndian") && !is(order, "BigEndian"))
    refuse(vtu, "byte_order must be LittleEndian or BigEndian", order);
  else if (*header && !is(header, "UInt32") && !is(header, "UInt64"))
    refuse(vtu, "header_type must be UInt32 or UInt64", header);
  else if (*compressor && !is(compressor, "vtkZLibDataCompressor"))
    refuse(vtu, "compressor must be vtkZLibDataCompressor or none", compressor);
  vtu->opened = true;
  vtu->encoding = (struct dc_vtk_encoding){.header_bytes = is(header, "UInt64") ? 8 : 4,
                                           .packed = *compressor != 0,
                                           .swapped = little == is(order, "BigEndian")};
}

// A count or an offset; anything else is refused and 0.
static int64_t whole_number(struct vtu *vtu, const XML_Char **attributes, const char *name)
{
  const char *text = attribute(attributes, name);
  double number;
  if (dc_mesh_parse_number(text, strlen(text), &number) && number >= 0 && number <= 1e15 &&
      number == (double)(int64_t)number)
    return (int64_t)number;
  char rule[96];
  snprintf(rule, sizeof rule, "%s must be a whole number", name);
  refuse(vtu, rule, text);
  return 0;
}

// A piece in another file, in the folder of this one or below it.
static void name_piece(struct vtu *vtu, const char *name)
{
  struct sources *sources = vtu->sources;
  size_t length = strlen(name);
  if (length == 0 || length >= sizeof *sources->names || name[0] == '/' || strstr(name, ".."))
    refuse(vtu, "Source must be a file beside this one or below its folder, without \"..\"", name);
  else if (dc_grow(&sources->names, &sources->capacity, sources->count + 1, sizeof *sources->names))
    vtu->cursor->status = dc_out_of_memory_in(vtu->cursor->error, vtu->cursor->file->name);
  else
    memcpy(sources->names[sources->count++], name, length + 1);
}

// Sizes of a piece, which say how many numbers each array must have.
static void open_piece(struct vtu *vtu, const XML_Char **attributes)
{
  if (dc_grow(&vtu->pieces, &vtu->capacity, vtu->count + 1, sizeof *vtu->pieces)) {
    vtu->cursor->status = dc_out_of_memory_in(vtu->cursor->error, vtu->cursor->file->name);
    return;
  }
  vtu->piece = &vtu->pieces[vtu->count++];
  *vtu->piece = (struct piece){.points = whole_number(vtu, attributes, "NumberOfPoints"),
                               .cells = whole_number(vtu, attributes, "NumberOfCells")};
}

// Which array of those that are read has this name; -1: none.
static int array_of(const struct vtu *vtu, const char *name)
{
  if (!vtu->piece)
    return -1;
  if (vtu->in_points)
    return PLACES;
  for (int i = CONNECTIVITY; i < ARRAYS && vtu->in_cells; i++)
    if (is(name, array_names[i]))
      return i;
  return -1;
}

// Bytes of a number of that type; 0: no such type of this kind.
static int bytes_of(const char *type, bool real)
{
  static const struct {
    const char *name;
    int bytes;
    bool real;
  } types[] = {{"Float32", 4, true}, {"Float64", 8, true}, {"Int8", 1, false},  {"UInt8", 1, false},
               {"Int16", 2, false},  {"UInt16", 2, false}, {"Int32", 4, false}, {"UInt32", 4, false},
               {"Int64", 8, false},  {"UInt64", 8, false}};
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    if (types[i].real == real && is(type, types[i].name))
      return types[i].bytes;
  return 0;
}

// Notes where an array is and how it is written, and checks that its type and components are what they must be.
static void open_array(struct vtu *vtu, const XML_Char **attributes)
{
  const char *type = attribute(attributes, "type"), *format = attribute(attributes, "format"),
             *components = attribute(attributes, "NumberOfComponents");
  int which = array_of(vtu, attribute(attributes, "Name"));
  if (which < 0)
    return;
  struct array *array = &vtu->piece->arrays[which];
  if (array->format)
    refuse(vtu, "there must be one array of this name", array_names[which]);
  *array = (struct array){.format = is(format, "appended") ? APPENDED
                                    : is(format, "binary") ? INLINE
                                                           : TEXT,
                          .number_bytes = bytes_of(type, which == PLACES),
                          .line = (long)XML_GetCurrentLineNumber(vtu->parser)};
  if (*format && !is(format, "ascii") && array->format == TEXT)
    refuse(vtu, "format must be ascii, binary or appended", format);
  else if (!array->number_bytes)
    refuse(vtu, which == PLACES ? "places must be Float32 or Float64" : "numbers must be integers", type);
  else if (which == PLACES && !is(components, "3"))
    refuse(vtu, "places must have 3 components", components);
  if (array->format == APPENDED)
    array->offset = whole_number(vtu, attributes, "offset");
  array->begin = array->end =
      (size_t)XML_GetCurrentByteIndex(vtu->parser) + (size_t)XML_GetCurrentByteCount(vtu->parser);
  vtu->reading = which;
}

// Finds the underscore behind which appended bytes begin, and ends the walk: what follows need not be XML.
static void open_appended(struct vtu *vtu, const XML_Char **attributes)
{
  const char *encoding = attribute(attributes, "encoding"), *bytes = vtu->cursor->file->bytes;
  size_t size = vtu->cursor->file->size,
         at = (size_t)XML_GetCurrentByteIndex(vtu->parser) + (size_t)XML_GetCurrentByteCount(vtu->parser);
  const char *begin = at < size ? memchr(bytes + at, '_', size - at) : NULL;
  vtu->appended_base64 = is(encoding, "base64");
  if (!vtu->appended_base64 && !is(encoding, "raw"))
    refuse(vtu, "encoding must be raw or base64", encoding);
  else if (!begin)
    refuse(vtu, "appended data must begin with an underscore", NULL);
  vtu->appended = begin ? begin + 1 : NULL;
  XML_StopParser(vtu->parser, XML_FALSE);
}

// Elements by their names, wherever they stand: unknown ones are passed over, as the format has grown. A file of
// pieces names other files instead.
static void XMLCALL open_element(void *context, const XML_Char *name, const XML_Char **attributes)
{
  struct vtu *vtu = context;
  if (vtu->cursor->status)
    return;
  if (is(name, "VTKFile"))
    open_file(vtu, attributes);
  else if (!vtu->opened)
    refuse(vtu, "must be <VTKFile>", name);
  else if (is(name, "Piece") && vtu->names_files)
    name_piece(vtu, attribute(attributes, "Source"));
  else if (is(name, "Piece"))
    open_piece(vtu, attributes);
  else if (is(name, "Points") || is(name, "Cells"))
    *(is(name, "Points") ? &vtu->in_points : &vtu->in_cells) = true;
  else if (is(name, "DataArray"))
    open_array(vtu, attributes);
  else if (is(name, "AppendedData"))
    open_appended(vtu, attributes);
}

// The end of an array's element bounds its inline bytes.
static void XMLCALL close_element(void *context, const XML_Char *name)
{
  struct vtu *vtu = context;
  if (is(name, "Points") || is(name, "Cells"))
    vtu->in_points = vtu->in_cells = false;
  else if (is(name, "DataArray") && vtu->reading >= 0) {
    struct array *array = &vtu->piece->arrays[vtu->reading];
    size_t end = (size_t)XML_GetCurrentByteIndex(vtu->parser);
    array->end = end > array->begin ? end : array->begin;
    vtu->reading = -1;
  }
}

// Entities of a document type could name files or grow without bounds.
static void XMLCALL open_document_type(void *context, const XML_Char *name, const XML_Char *system,
                                       const XML_Char *public, int internal)
{
  (void)system, (void)public, (void)internal;
  refuse(context, "there must be no document type", name);
}

// Walks the file.  An error behind the beginning of appended data is none, as the walk was ended there.
static void find_arrays(struct vtu *vtu)
{
  struct dc_mesh_cursor *cursor = vtu->cursor;
  vtu->parser = XML_ParserCreate(NULL);
  if (!vtu->parser || cursor->file->size > INT_MAX) {
    cursor->status = dc_fail(cursor->error, vtu->parser ? DC_BAD_INPUT : DC_MEMORY, "%.700s: %s", cursor->file->name,
                             vtu->parser ? "must have less than 2 GB" : "out of memory");
  } else {
    XML_SetUserData(vtu->parser, vtu);
    XML_SetElementHandler(vtu->parser, open_element, close_element);
    XML_SetStartDoctypeDeclHandler(vtu->parser, open_document_type);
    if (!XML_Parse(vtu->parser, cursor->file->bytes, (int)cursor->file->size, XML_TRUE) && !cursor->status &&
        !vtu->appended) {
      enum XML_Error code = XML_GetErrorCode(vtu->parser);
      cursor->line = (long)XML_GetCurrentLineNumber(vtu->parser);
      if (code == XML_ERROR_NO_MEMORY)
        cursor->status = dc_fail(cursor->error, DC_MEMORY, "%.700s: out of memory", cursor->file->name);
      else
        dc_cursor_fail(cursor, "no XML: %s", XML_ErrorString(code));
    }
  }
  XML_ParserFree(vtu->parser);
}

// Source of an array's numbers: the file, or decoded bytes of its own.
struct source {
  struct dc_mesh_cursor cursor;
  struct dc_mesh_file file;
  char name[800], *bytes;
  int number_bytes;
};

// Makes a cursor over an array's numbers: the file itself for text, decoded bytes for all others.
static void open_source(const struct vtu *vtu, int which, struct source *source)
{
  const struct array *array = &vtu->piece->arrays[which];
  struct dc_mesh_cursor *cursor = vtu->cursor;
  const struct dc_mesh_file *file = cursor->file;
  struct dc_vtk_encoding encoding = vtu->encoding;
  const char *begin = file->bytes + array->begin, *end = file->bytes + array->end;
  *source = (struct source){.cursor = *cursor, .file = *file, .number_bytes = array->number_bytes};
  source->cursor.line = array->line;
  source->cursor.file = &source->file;
  source->cursor.at = array->begin;
  source->file.size = array->end;
  encoding.base64 = array->format == INLINE || vtu->appended_base64;
  if (array->format == ABSENT) {
    source->cursor.status = dc_cursor_fail(cursor, "there must be an array \"%s\"", array_names[which]);
  } else if (array->format == APPENDED) {
    end = file->bytes + file->size;
    if (!vtu->appended || array->offset > end - vtu->appended)
      dc_cursor_fail(&source->cursor, "there are no appended data at offset %lld", (long long)array->offset);
    else
      begin = vtu->appended + array->offset;
  }
  if (source->cursor.status || array->format == TEXT)
    return;
  if (dc_vtk_decode(&source->cursor, &encoding, begin, end, &source->bytes, &source->file.size))
    return;
  snprintf(source->name, sizeof source->name, "%.700s:%ld: %s unpacked", file->name, array->line, array_names[which]);
  source->file.name = source->name;
  source->file.bytes = source->bytes;
  source->cursor.at = 0;
  source->cursor.binary = true;
  source->cursor.swapped = encoding.swapped;
}

// Once the array is read: it must have been all of it.
static void close_source(struct vtu *vtu, struct source *source)
{
  struct dc_mesh_cursor *cursor = &source->cursor;
  size_t length = 0;
  if (!cursor->status && !cursor->binary)
    dc_cursor_word(cursor, &length);
  if (!cursor->status && (length || (cursor->binary && cursor->at < source->file.size)))
    dc_cursor_fail(cursor, "there must be no more numbers than the piece has");
  if (!vtu->cursor->status)
    vtu->cursor->status = cursor->status;
  free(source->bytes);
}

// Nodes of a piece are numbered on behind those of the pieces before (vtu->first).
static void read_places(struct vtu *vtu, struct dc_simplices_parts *parts)
{
  struct source source;
  double place[3];
  open_source(vtu, PLACES, &source);
  for (int64_t i = 0; i < vtu->piece->points && !source.cursor.status && !vtu->cursor->status; i++) {
    for (int k = 0; k < 3; k++)
      place[k] = dc_cursor_real(&source.cursor, source.number_bytes);
    dc_parts_add_node(parts, &source.cursor, vtu->first + i, place);
  }
  close_source(vtu, &source);
}

// The integers of an array, count of them, in memory of their own; NULL where something failed.
static int64_t *read_integers(struct vtu *vtu, int which, int64_t count)
{
  struct source source;
  if (vtu->cursor->status)
    return NULL;
  open_source(vtu, which, &source);
  size_t least = source.cursor.binary ? (size_t)source.number_bytes : 1;
  count = dc_cursor_count(&source.cursor, count, least);
  int64_t *numbers = dc_alloc((size_t)count, sizeof *numbers);
  if (!numbers)
    source.cursor.status = dc_out_of_memory_in(source.cursor.error, source.file.name);
  for (int64_t i = 0; i < count && !source.cursor.status; i++)
    numbers[i] = dc_cursor_integer(&source.cursor, source.number_bytes);
  close_source(vtu, &source);
  if (!vtu->cursor->status)
    return numbers;
  free(numbers);
  return NULL;
}

// ends [cells]: behind the last node of each cell, so that a cell begins where the one before ends.
static void add_cells(struct vtu *vtu, struct dc_simplices_parts *parts, const int64_t *nodes, const int64_t *ends,
                      const int64_t *types)
{
  struct dc_mesh_cursor *cursor = vtu->cursor;
  cursor->line = vtu->piece->arrays[TYPES].line;
  for (int64_t c = 0; c < vtu->piece->cells && !cursor->status; c++) {
    int64_t begin = c ? ends[c - 1] : 0;
    dc_parts_add_cell(parts, cursor, c, types[c], nodes + begin, ends[c] - begin);
  }
}

// Nodes of a cell by the numbers that they have among those of all pieces; false: the piece has no such node.
static bool number_nodes(struct vtu *vtu, int64_t count, int64_t *nodes)
{
  for (int64_t i = 0; i < count; i++) {
    if (nodes[i] < 0 || nodes[i] >= vtu->piece->points) {
      dc_cursor_fail(vtu->cursor, "there is no node %lld", (long long)nodes[i]);
      return false;
    }
    nodes[i] += vtu->first;
  }
  return true;
}

// Places first, then cells.  Offsets must rise, so that the last one is the number of the cells' nodes.
static void read_piece(struct vtu *vtu, struct dc_simplices_parts *parts)
{
  struct dc_mesh_cursor *cursor = vtu->cursor;
  int64_t total = 0;
  vtu->first = (int64_t)parts->node_count;
  read_places(vtu, parts);
  int64_t *types = read_integers(vtu, TYPES, vtu->piece->cells), *ends = read_integers(vtu, OFFSETS, vtu->piece->cells);
  cursor->line = vtu->piece->arrays[OFFSETS].line;
  for (int64_t c = 0; c < vtu->piece->cells && !cursor->status; total = ends[c++])
    if (ends[c] < total)
      dc_cursor_fail(cursor, "offsets must rise (that of cell %lld does not)", (long long)c);
  int64_t *nodes = read_integers(vtu, CONNECTIVITY, total);
  cursor->line = vtu->piece->arrays[CONNECTIVITY].line;
  if (!cursor->status && number_nodes(vtu, total, nodes))
    add_cells(vtu, parts, nodes, ends, types);
  free(types);
  free(ends);
  free(nodes);
}

// The pieces of one file, in turn; returns how many.  The names of others go to sources, unless it is NULL.
static size_t parse_pieces(struct dc_mesh_cursor *cursor, struct sources *sources, struct dc_simplices_parts *parts)
{
  struct vtu vtu = {.cursor = cursor, .reading = -1, .sources = sources};
  find_arrays(&vtu);
  if (!cursor->status && vtu.count == 0 && !(sources && sources->count))
    dc_cursor_fail(cursor, "there must be a <Piece>");
  for (size_t i = 0; i < vtu.count && !cursor->status; i++) {
    vtu.piece = &vtu.pieces[i];
    read_piece(&vtu, parts);
  }
  free(vtu.pieces);
  return vtu.count;
}

// One of the files that a .pvtu names.
static void parse_source(struct dc_mesh_cursor *cursor, const char *name, struct dc_simplices_parts *parts)
{
  char path[PATH_MAX], *bytes = NULL;
  const char *end = strrchr(cursor->file->name, '/');
  int folder = end ? (int)(end - cursor->file->name) + 1 : 0;
  struct dc_mesh_file file = {.name = path};
  if (snprintf(path, sizeof path, "%.*s%s", folder, cursor->file->name, name) >= (int)sizeof path) {
    dc_cursor_fail(cursor, "the name of a piece is too long");
    return;
  }
  cursor->status = dc_mesh_load(path, &bytes, &file.size, cursor->error);
  file.bytes = bytes;
  struct dc_mesh_cursor of_piece = {.file = &file, .line = 1, .error = cursor->error};
  if (!cursor->status) {
    parse_pieces(&of_piece, NULL, parts);
    cursor->status = of_piece.status;
  }
  free(bytes);
}

// Pieces of this file, then those of the files it names; more than one piece may repeat nodes and cells at borders.
enum dc_status dc_simplices_parse_vtu(struct dc_mesh_cursor *cursor, struct dc_simplices_parts *parts)
{
  struct sources sources = {0};
  size_t pieces = parse_pieces(cursor, &sources, parts);
  for (size_t i = 0; i < sources.count && !cursor->status; i++)
    parse_source(cursor, sources.names[i], parts);
  if (!cursor->status && pieces + sources.count > 1 && dc_parts_weld(parts))
    cursor->status = dc_out_of_memory_in(cursor->error, cursor->file->name);
  free(sources.names);
  return cursor->status;
}
