// SPDX-License-Identifier: Apache-2.0
// An XML file as a tree of elements, each with its attributes, text and place.  Private to src/io/robot.
#ifndef DC_IO_XML_TREE_H
#define DC_IO_XML_TREE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/memory.h"
#include "base/status.h"

enum {
  DC_XML_MOST_DEPTH = 64,      // of elements
  DC_XML_MOST_NODES = 400000,  // elements and attributes of a file
};

struct dc_xml_attribute {
  const char *name, *value;
  bool used;  // by the reader; what is not is told
};

struct dc_xml_element {
  const char *name, *text;  // text: that of the element itself, without blanks at its ends; "" without
  size_t offset;            // of the element in the file
  const struct dc_xml_file *file;
  struct dc_xml_attribute *attributes;  // [attribute_count]
  int attribute_count;
  bool used;  // by the reader
  struct dc_xml_element *parent, *first, *last, *next;
};

struct dc_xml_file {
  const char *name, *text;  // name for messages
  size_t length;
  struct dc_xml_element *root;
};

// Parses text [length], terminated by a NUL and kept by reference; everything else is owned by arena.  DOCTYPE is
// refused, and with it entities.  DC_BAD_INPUT with "name:line:column: rule", DC_MEMORY.
enum dc_status dc_xml_parse(struct dc_xml_file *file, const char *name, const char *text, size_t length,
                            struct dc_arena *arena, struct dc_error *error);

// The first child of that name, or NULL; the next sibling of the same name.  Both count as used.
struct dc_xml_element *dc_xml_child(struct dc_xml_element *element, const char *name);
struct dc_xml_element *dc_xml_again(struct dc_xml_element *element);
// The value of an attribute, which counts as used, or NULL.
const char *dc_xml_attribute(struct dc_xml_element *element, const char *name);
// Line and column of an element, from 1.
void dc_xml_place(const struct dc_xml_element *element, long *line, long *column);
// Stores "name:line:column: <element>: message" and returns status.
enum dc_status dc_xml_fail(const struct dc_xml_element *element, struct dc_error *error, enum dc_status status,
                           const char *format, ...) __attribute__((format(printf, 4, 5)));

#endif
