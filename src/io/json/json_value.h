// SPDX-License-Identifier: Apache-2.0
// A JSON document as a cJSON tree whose values know where they stand.
//
// The member valueint of each node, cJSON's saturated copy of valuedouble that nothing here reads, holds the index
// of the value's place, so that places survive edits and copies of the tree.
#ifndef DC_IO_JSON_VALUE_H
#define DC_IO_JSON_VALUE_H

#include <cjson/cJSON.h>
#include <stdbool.h>

#include "base/memory.h"
#include "io/json/json_scan.h"

struct dc_json_document {
  const char *name;  // for messages
  const char *text;  // the file as read
  size_t length;
  cJSON *root;
  struct dc_json_places places;
  const char **sources;  // [source_count] what messages call source i + 1
  const char **texts;    // [source_count] what places of source i + 1 are offsets into; NULL: it has no lines
  int source_count;
};

// A value, its document and the way to it from the root.  Lives on the stack; the path is spelled out only for
// messages.
struct dc_json {
  const struct dc_json_document *document;
  cJSON *node;
  const struct dc_json *parent;  // NULL for the root
  const char *key;               // in the parent object, or NULL
  int index;                     // in the parent array
};

// Reads a regular file of at most 64 MB without ever blocking, checks and parses it.  The text is owned by arena.
// DC_BAD_INPUT, DC_IO or DC_MEMORY; messages are "file:line:column: rule".
enum dc_status dc_json_load(struct dc_json_document *document, const char *path, struct dc_arena *arena,
                            struct dc_error *error);
// The same for a text in memory, terminated by a NUL, that messages call name; it is copied into arena.
enum dc_status dc_json_load_text(struct dc_json_document *document, const char *name, const char *text,
                                 struct dc_arena *arena, struct dc_error *error);
void dc_json_release(struct dc_json_document *document);

// Reads a regular file as dc_json_load does into *text [*length], without byte order mark, terminated by a NUL.
enum dc_status dc_json_read_text(const char *path, struct dc_arena *arena, const char **text, size_t *length,
                                 struct dc_error *error);
// Where offset lies in text: lines are counted from 1, columns in characters from 1.
void dc_json_find_line(const char *text, size_t offset, long *line, long *column);

// Parses text [length] as one JSON value of the given source; NULL and error on failure.  *scanned says whether the
// grammar held.  The caller owns it.
cJSON *dc_json_parse(struct dc_json_document *document, const char *text, size_t length, uint32_t source, bool *scanned,
                     struct dc_error *error);
// A place in source for a value made by other means; its index, or -1 when out of memory.
int dc_json_add_place(struct dc_json_document *document, uint32_t source);
// One more source with a text (or NULL), both kept by reference: its number, or 0 when out of memory.
uint32_t dc_json_add_source(struct dc_json_document *document, struct dc_arena *arena, const char *name,
                            const char *text);

struct dc_json dc_json_root(const struct dc_json_document *document);
// Member of an object by its exact name; .node is NULL when there is none.
struct dc_json dc_json_member(const struct dc_json *object, const char *key);
// An element of an array, or a member met while walking over an object (index is then of no meaning).
struct dc_json dc_json_element(const struct dc_json *array, cJSON *node, int index);

// Whether the value was given on the command line, not by a file.
bool dc_json_is_argument(const struct dc_json *value);

// "a number", "a string", ...
const char *dc_json_kind(const cJSON *node);
// text in double quotes for messages: controls as in base/characters.h replaced, long text cut.  Returns quoted.
enum { DC_JSON_QUOTED = 96 };
const char *dc_json_quote(char quoted[DC_JSON_QUOTED], const char *text);
// The names there are, for messages about one that there is not: quoted, as many as fit, "none" when count is 0.
// Returns list.
enum { DC_JSON_LISTED = 512 };
const char *dc_json_list_names(char list[DC_JSON_LISTED], const char *const *names, int count);

// The way to a value: bodies[3].mass, shapes["a b"].radius; "" for the root.  Very long ones are cut.
enum { DC_JSON_PATH = 600 };
void dc_json_path(const struct dc_json *value, char path[DC_JSON_PATH]);

// Store "place: path: message" and return status.  The place is the value's, with _key that of its key.
enum dc_status dc_json_fail(const struct dc_json *value, struct dc_error *error, enum dc_status status,
                            const char *format, ...) __attribute__((format(printf, 4, 5)));
enum dc_status dc_json_fail_key(const struct dc_json *value, struct dc_error *error, enum dc_status status,
                                const char *format, ...) __attribute__((format(printf, 4, 5)));
// Puts the place of an offset into text (source 0) or the text of another source in front of the message of *error and
// returns its status.
enum dc_status dc_json_fail_at(const struct dc_json_document *document, const char *text, size_t offset,
                               uint32_t source, struct dc_error *error);
// Puts place and path in front of the message of *error; a message that begins with a path from value, such as
// "bodies[3].mass: ", gets the place it leads to.  Returns the status of *error.
enum dc_status dc_json_wrap(const struct dc_json *value, struct dc_error *error);

// Puts value under key into object, in the place of the member of that name if there is one.  False when memory is out:
// value is then still the caller's.
bool dc_json_put(cJSON *object, const char *key, cJSON *value);

#endif
