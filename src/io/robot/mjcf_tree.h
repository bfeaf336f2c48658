// SPDX-License-Identifier: Apache-2.0
// An MJCF file, with what it includes, as a tree of elements that know where they stand; and the list of the format's
// attributes, which says of each whether it acts here.  Private to src/io/robot.
#ifndef DC_IO_MJCF_TREE_H
#define DC_IO_MJCF_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/memory.h"
#include "base/notes.h"
#include "base/status.h"

enum {
  DC_MJCF_MOST_DEPTH = 500,        // of elements in each other
  DC_MJCF_MOST_ELEMENTS = 100000,  // of all files together
  DC_MJCF_MOST_FILES = 1000
};

struct dc_mjcf_file {
  const char *name, *path, *text;
  size_t length;
  uint32_t source;                    // of places in the scene's document
  const struct dc_mjcf_file *within;  // the file that includes it; NULL: none
};

struct dc_mjcf_attribute {
  const char *name, *value;
  bool used;  // somebody has asked for it
};

struct dc_mjcf_node {
  const char *name;
  struct dc_mjcf_attribute *attributes;
  int attribute_count;
  struct dc_mjcf_node *parent, *first, *last, *next;
  const struct dc_mjcf_file *file;
  size_t offset;  // of the element in the file's text
};

// How files are found and made known; context is handed through.
struct dc_mjcf_opener {
  void *context;
  // The real path of a file that is named relative to the folder of the model and that may be read, in the arena.
  enum dc_status (*find)(void *context, const char *file, const char **path, struct dc_error *error);
  // The number of a text as a source of places; 0: out of memory.
  uint32_t (*add_source)(void *context, const char *name, const char *text);
};

// Parses the model's file and, in place of <include>, the files that it includes; everything is owned by arena.
// Refuses DOCTYPE (and with it entities), files that include themselves, more than the limits above.  DC_BAD_INPUT with
// "name:line:column: rule", DC_MEMORY, statuses of opener->find.
enum dc_status dc_mjcf_parse(const struct dc_mjcf_file *file, const struct dc_mjcf_opener *opener,
                             struct dc_arena *arena, struct dc_mjcf_node **root, struct dc_error *error);

// Stores "name:line:column: <element "name">: message" and returns status.
enum dc_status dc_mjcf_fail(const struct dc_mjcf_node *node, struct dc_error *error, enum dc_status status,
                            const char *format, ...) __attribute__((format(printf, 4, 5)));
long dc_mjcf_line(const struct dc_mjcf_node *node);

// The role of an attribute of the format, or of an element, here.
enum dc_mjcf_role {
  DC_MJCF_ACTS,
  DC_MJCF_HARMLESS,  // known; says nothing about motion, or only how MuJoCo computes it
  DC_MJCF_ABSENT     // known; nothing here does it
};
struct dc_mjcf_known {
  const char *element;    // with "equality/" before it in that section
  const char *attribute;  // "*": the element itself; of one that does not act everything in it is as it is
  enum dc_mjcf_role role;
  const char *neutral;  // a value with which nothing would be done; NULL: none
  const char *text;     // of what does not act: what it would have done
};
extern const struct dc_mjcf_known dc_mjcf_known[];  // ends with element NULL
// The row of an attribute of a node, or, attribute "*", of the node; NULL: unknown.
const struct dc_mjcf_known *dc_mjcf_find_known(const struct dc_mjcf_node *node, const char *attribute);
// Adds notes about what the tree says that does not act, is not known or was not asked for, each with its first place,
// how often, and what it would have done.
enum dc_status dc_mjcf_note_attributes(const struct dc_mjcf_node *root, struct dc_notes *notes);

#endif
