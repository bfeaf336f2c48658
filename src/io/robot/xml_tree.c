// SPDX-License-Identifier: Apache-2.0
// XML by Expat into a tree.  Limits on depth, nodes and, by the caller, bytes bound memory; without a document type
// there are no entities, so that a text never expands.
#include "io/robot/xml_tree.h"

#include <expat.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/json/json_value.h"

// State that Expat's callbacks share.  Text of an element comes in pieces, also between its children: words[depth]
// collects that of the open element of each depth, and is reused.
struct reader {
  XML_Parser expat;
  struct dc_xml_file *file;
  struct dc_arena *arena;
  struct dc_error *error;
  enum dc_status status;
  size_t begin;  // of what expat reads of the text
  int depth, nodes;
  struct dc_xml_element *current;
  char *words[DC_XML_MOST_DEPTH + 1];  // texts of open elements, by depth
  size_t lengths[DC_XML_MOST_DEPTH + 1], capacities[DC_XML_MOST_DEPTH + 1];
};

// Where the reader is, in bytes from the beginning of the file.
static size_t offset_now(const struct reader *reader)
{
  return reader->begin + (size_t)XML_GetCurrentByteIndex(reader->expat);
}

// Stops the parser with "file:line:column: rule".  The first error stays.
static void refuse(struct reader *reader, enum dc_status status, const char *rule)
{
  long line, column;
  size_t offset = offset_now(reader);
  if (reader->status)
    return;
  dc_json_find_line(reader->file->text, offset < reader->file->length ? offset : reader->file->length, &line, &column);
  reader->status = dc_fail(reader->error, status, "%.300s:%ld:%ld: %s", reader->file->name, line, column, rule);
  XML_StopParser(reader->expat, XML_FALSE);
}

// Memory of the tree; NULL after an error has been noted.
static void *allocate(struct reader *reader, size_t count, size_t size)
{
  void *memory = dc_arena_alloc(reader->arena, count, size);
  if (!memory)
    refuse(reader, DC_MEMORY, "out of memory");
  return memory;
}

static const char *copy(struct reader *reader, const char *text)
{
  char *copied = dc_arena_strdup(reader->arena, text);
  if (!copied)
    refuse(reader, DC_MEMORY, "out of memory");
  return copied;
}

// Puts an element behind the last child, so that children keep the order of the file.
static void append(struct dc_xml_element *parent, struct dc_xml_element *child)
{
  child->parent = parent;
  if (parent->last)
    parent->last->next = child;
  else
    parent->first = child;
  parent->last = child;
}

// Attributes come as a list of names and values that ends with NULL.  They count as nodes, which bounds memory.
static void read_attributes(struct reader *reader, struct dc_xml_element *element, const XML_Char **attributes)
{
  int count = 0;
  while (attributes[2 * count])
    count++;
  reader->nodes += count;
  element->attributes = allocate(reader, (size_t)count + 1, sizeof *element->attributes);
  for (int i = 0; i < count && !reader->status; i++)
    element->attributes[i] =
        (struct dc_xml_attribute){copy(reader, attributes[2 * i]), copy(reader, attributes[2 * i + 1]), false};
  element->attribute_count = reader->status ? 0 : count;
}

// Appends an element to the open one and opens it.  Elements and attributes count against one limit.
static void XMLCALL start_element(void *context, const XML_Char *name, const XML_Char **attributes)
{
  struct reader *reader = context;
  if (reader->status)
    return;
  if (reader->depth == DC_XML_MOST_DEPTH) {
    refuse(reader, DC_BAD_INPUT, "elements nested deeper than 64 levels");
    return;
  }
  if (++reader->nodes > DC_XML_MOST_NODES) {
    refuse(reader, DC_BAD_INPUT, "more than 400000 elements and attributes");
    return;
  }
  struct dc_xml_element *element = allocate(reader, 1, sizeof *element);
  if (!element)
    return;
  *element = (struct dc_xml_element){
      .name = copy(reader, name), .text = "", .offset = offset_now(reader), .file = reader->file};
  read_attributes(reader, element, attributes);
  if (reader->status)
    return;
  if (reader->current)
    append(reader->current, element);
  else
    reader->file->root = element;
  reader->current = element;
  reader->lengths[++reader->depth] = 0;
}

// Closes an element; its text, without blanks at its ends, is copied to the arena.
static void XMLCALL end_element(void *context, const XML_Char *name)
{
  static const char blanks[] = " \t\r\n";
  struct reader *reader = context;
  (void)name;
  if (reader->status)
    return;
  char *words = reader->words[reader->depth];
  size_t length = reader->lengths[reader->depth];
  reader->depth--;
  if (words && length) {
    words[length] = '\0';
    while (length && strchr(blanks, words[length - 1]))
      words[--length] = '\0';
    words += strspn(words, blanks);
    if (*words)
      reader->current->text = copy(reader, words);
  }
  reader->current = reader->current->parent;
}

// Expat hands out text in pieces of any length, between children too; all of it is the element's.
static void XMLCALL add_text(void *context, const XML_Char *text, int length)
{
  struct reader *reader = context;
  if (reader->status || !reader->depth)
    return;
  int d = reader->depth;
  if (dc_grow(&reader->words[d], &reader->capacities[d], reader->lengths[d] + (size_t)length + 1, 1)) {
    refuse(reader, DC_MEMORY, "out of memory");
    return;
  }
  memcpy(reader->words[d] + reader->lengths[d], text, (size_t)length);
  reader->lengths[d] += (size_t)length;
}

// A document type may define entities that expand without bound or name other files.
static void XMLCALL start_doctype(void *context, const XML_Char *name, const XML_Char *system, const XML_Char *public,
                                  int internal)
{
  (void)name, (void)system, (void)public, (void)internal;
  refuse(context, DC_BAD_INPUT, "DOCTYPE is not allowed");
}

// Parses the whole text at once. Documents with a DOCTYPE are refused by the handler: entities could grow without
// bound or read other files.
static void run(struct reader *reader)
{
  struct dc_xml_file *file = reader->file;
  XML_SetUserData(reader->expat, reader);
  XML_SetElementHandler(reader->expat, start_element, end_element);
  XML_SetCharacterDataHandler(reader->expat, add_text);
  XML_SetStartDoctypeDeclHandler(reader->expat, start_doctype);
  reader->begin = strspn(file->text, " \t\r\n");  // XML allows none before its declaration, other readers do
  if (XML_Parse(reader->expat, file->text + reader->begin, (int)(file->length - reader->begin), XML_TRUE) ==
          XML_STATUS_OK ||
      reader->status)
    return;
  enum XML_Error code = XML_GetErrorCode(reader->expat);
  char rule[200];
  snprintf(rule, sizeof rule, "not well-formed XML in UTF-8: %s", XML_ErrorString(code));
  refuse(reader, code == XML_ERROR_NO_MEMORY ? DC_MEMORY : DC_BAD_INPUT, rule);
}

// Everything of the tree is in the arena; the reader itself is on the heap, since its arrays are too large for
// a stack.
enum dc_status dc_xml_parse(struct dc_xml_file *file, const char *name, const char *text, size_t length,
                            struct dc_arena *arena, struct dc_error *error)
{
  *file = (struct dc_xml_file){.name = name, .text = text, .length = length};
  struct reader *reader = dc_alloc(1, sizeof *reader);
  if (!reader)
    return dc_out_of_memory_in(error, name);
  *reader = (struct reader){.file = file, .arena = arena, .error = error, .expat = XML_ParserCreate("UTF-8")};
  if (reader->expat)
    run(reader);
  else
    reader->status = dc_out_of_memory_in(error, name);
  XML_ParserFree(reader->expat);
  enum dc_status status = reader->status;
  for (int d = 0; d <= DC_XML_MOST_DEPTH; d++)
    free(reader->words[d]);
  free(reader);
  return status;
}

// Marks what it finds as used, which is how unused elements are known in the end.
static struct dc_xml_element *find(struct dc_xml_element *from, const char *name)
{
  while (from && strcmp(from->name, name) != 0)
    from = from->next;
  if (from)
    from->used = true;
  return from;
}

// The first child of this name, NULL without; element NULL is accepted, so that calls can be nested.
struct dc_xml_element *dc_xml_child(struct dc_xml_element *element, const char *name)
{
  return element ? find(element->first, name) : NULL;
}

// The next sibling of the same name.
struct dc_xml_element *dc_xml_again(struct dc_xml_element *element)
{
  return find(element->next, element->name);
}

// The value, NULL where it is not given; the attribute counts as used from then on.
const char *dc_xml_attribute(struct dc_xml_element *element, const char *name)
{
  for (int i = 0; element && i < element->attribute_count; i++)
    if (strcmp(element->attributes[i].name, name) == 0) {
      element->attributes[i].used = true;
      return element->attributes[i].value;
    }
  return NULL;
}

void dc_xml_place(const struct dc_xml_element *element, long *line, long *column)
{
  dc_json_find_line(element->file->text, element->offset, line, column);
}

// "file:line:column: <element>: rule", formatted like printf.
enum dc_status dc_xml_fail(const struct dc_xml_element *element, struct dc_error *error, enum dc_status status,
                           const char *format, ...)
{
  char text[600];
  long line, column;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  dc_xml_place(element, &line, &column);
  return dc_fail(error, status, "%.300s:%ld:%ld: <%.60s>: %s", element->file->name, line, column, element->name, text);
}
