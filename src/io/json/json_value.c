// SPDX-License-Identifier: Apache-2.0
// Reading a document takes three passes over the text:
// 1. json_scan.c checks the grammar, blanks comments and records the place of every value;
// 2. cJSON builds the tree from the blanked text;
// 3. visit() walks the tree in the order of the text, gives every node the index of its place (valueint) and refuses
//    numbers that overflow to infinity and keys that occur twice in an object.
//
// An error about a value (dc_json_fail) finds the value's place and names file, line, column and path.  Values that a
// "--set" argument or an overlay brought have the number of that source in their place, so that the error names the
// argument.  Paths are rebuilt from struct dc_json, which has a pointer to the parent.
#include "io/json/json_value.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/characters.h"
#include "base/open.h"

enum { MOST_BYTES = 64 * 1024 * 1024 };

// Leaves out the byte order mark EF BB BF with which some editors begin UTF-8.  RFC 8259, section 8.1, lets a
// parser ignore it; cJSON and the scanner would refuse it as a character.
static void skip_mark(const char **text, size_t *length)
{
  bool mark = *length >= 3 && memcmp(*text, "\xef\xbb\xbf", 3) == 0;
  *text += mark ? 3 : 0;
  *length -= mark ? 3 : 0;
}

// Reads an open file of at most `size` bytes into the arena and terminates it by a NUL.  The size is that at
// the time of opening: a file that has become shorter meanwhile is read to its end, and what was appended
// meanwhile is left.  Reads that a signal interrupts are repeated.
static enum dc_status read_open_file(int file, size_t size, const char *path, struct dc_arena *arena,
                                     const char **text, size_t *length, struct dc_error *error)
{
  char *bytes = dc_arena_alloc(arena, size + 1, 1);
  if (!bytes)
    return dc_out_of_memory_in(error, path);
  size_t count = 0;
  while (count < size) {
    ssize_t got = read(file, bytes + count, size - count);
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return dc_fail(error, DC_IO, "%s: %s", path, strerror(errno));
    if (got == 0)
      break;
    count += (size_t)got;
  }
  bytes[count] = '\0';
  *text = bytes;
  *length = count;
  skip_mark(text, length);
  return DC_OK;
}

// Opens, checks and reads a file.  dc_open_read refuses pipes, devices and folders without waiting for them, so
// that a scene named /dev/tty or a FIFO is an error and never blocks; the limit of size is checked before
// memory is asked for.
enum dc_status dc_json_read_text(const char *path, struct dc_arena *arena, const char **text, size_t *length,
                                 struct dc_error *error)
{
  struct dc_opened file;
  enum dc_status status;
  switch (dc_open_read(dc_open_here, path, DC_LINKS_FOLLOWED, MOST_BYTES, &file)) {
    case DC_OPEN_FAILED: return dc_fail(error, dc_status_of_open(errno), "%s: %s", path, strerror(errno));
    case DC_OPEN_SPECIAL:
      return dc_fail(error, DC_BAD_INPUT, "%s: is %s", path, file.is_folder ? file.kind : "not a regular file");
    case DC_OPEN_LARGE:
      return dc_fail(error, DC_BAD_INPUT, "%s: must be at most 64 MB (is %zu bytes)", path, file.size);
    case DC_OPENED: break;
  }
  status = read_open_file(file.fd, file.size, path, arena, text, length, error);
  close(file.fd);
  return status;
}

// Line and column of a byte, both counted from 1.  Columns count characters: bytes within a character of UTF-8
// are 10xxxxxx and are not counted.  Errors are rare, and each walks the text from its beginning once.
void dc_json_find_line(const char *text, size_t offset, long *line, long *column)
{
  *line = *column = 1;
  for (size_t i = 0; i < offset; i++) {
    if (text[i] == '\n') {
      ++*line;
      *column = 1;
    } else if ((text[i] & 0xc0) != 0x80) {
      ++*column;
    }
  }
}

// The walk that gives every node its place and refuses what cJSON lets pass.
struct walk {
  struct dc_json_document *document;
  size_t next;  // place
  struct dc_error *error;
  cJSON **members;  // scratch for the search for duplicates
  size_t capacity;
};

// By key, then by place in the text, so that of equal keys the later one is the duplicate.
static int compare_members(const void *a, const void *b)
{
  const cJSON *const *first = a, *const *second = b;
  int order = strcmp((*first)->string, (*second)->string);
  if (order)
    return order;
  return ((*first)->valueint > (*second)->valueint) - ((*first)->valueint < (*second)->valueint);
}

// Refuses an object in which a key occurs twice: RFC 8259 leaves open which of the two counts, and cJSON would
// take the first.  Members are sorted by key, O(n log n) rather than a comparison of all pairs.  Among several
// duplicates the one that stands first in the text is reported; places, which were assigned before, tell this
// order.
static enum dc_status check_duplicates(struct walk *walk, const struct dc_json *object)
{
  size_t count = 0;
  cJSON *member;
  cJSON_ArrayForEach (member, object->node) {
    if (dc_grow(&walk->members, &walk->capacity, count + 1, sizeof *walk->members))
      return dc_json_fail(object, walk->error, DC_MEMORY, "out of memory");
    walk->members[count++] = member;
  }
  if (count)
    qsort(walk->members, count, sizeof *walk->members, compare_members);
  cJSON *duplicate = NULL;
  for (size_t i = 1; i < count; i++)
    if (strcmp(walk->members[i - 1]->string, walk->members[i]->string) == 0 &&
        (!duplicate || walk->members[i]->valueint < duplicate->valueint))
      duplicate = walk->members[i];
  if (!duplicate)
    return DC_OK;
  struct dc_json value = {.document = object->document, .node = duplicate, .parent = object, .key = duplicate->string};
  return dc_json_fail_key(&value, walk->error, DC_BAD_INPUT, "duplicate key");
}

// Visits one value and all below it, depth first, and gives every node the index of its place: the scanner
// listed places in this order.  Numbers such as 1e999 are valid JSON but overflow to infinity, and are refused.
// Duplicates are looked for after the members were visited, when their places are known.
static enum dc_status visit(struct walk *walk, const struct dc_json *value)
{
  value->node->valueint = (int)walk->next++;
  if (cJSON_IsNumber(value->node) && !isfinite(value->node->valuedouble))
    return dc_json_fail(value, walk->error, DC_BAD_INPUT, "number too large for double precision");
  enum dc_status status = DC_OK;
  int index = 0;
  cJSON *child;
  cJSON_ArrayForEach (child, value->node) {
    struct dc_json element = dc_json_element(value, child, index++);
    if ((status = visit(walk, &element)))
      return status;
  }
  return cJSON_IsObject(value->node) ? check_duplicates(walk, value) : DC_OK;
}

// Puts "name:line:column" of a byte of a source in front of a message; source 0 is the document's own text.
enum dc_status dc_json_fail_at(const struct dc_json_document *document, const char *text, size_t offset,
                               uint32_t source, struct dc_error *error)
{
  const char *name = source ? document->sources[source - 1] : document->name;
  if (source)
    text = document->texts ? document->texts[source - 1] : NULL;
  if (text) {
    long line, column;
    dc_json_find_line(text, offset, &line, &column);
    dc_error_prefix(error, "%s:%ld:%ld", name, line, column);
  } else {
    dc_error_prefix(error, "%s", name);
  }
  return error ? error->status : DC_BAD_INPUT;
}

// Parses a text in three passes: the scanner, which finds errors and the places of all values; cJSON; and a
// walk that gives every value its place and refuses keys that occur twice.
//
// The text is copied first, because the scanner blanks comments in it and messages about later mistakes need
// the original.  cJSON cannot fail for the grammar any more, only for memory.  On failure the places that the
// scanner added are taken back when it was the scanner that failed; otherwise they stay, as nothing refers to
// them. *scanned tells --set whether its text was JSON at all: if not, it is taken as a string.
cJSON *dc_json_parse(struct dc_json_document *document, const char *text, size_t length, uint32_t source, bool *scanned,
                     struct dc_error *error)
{
  *scanned = false;
  char *blanked = malloc(length + 1);
  if (!blanked) {
    dc_out_of_memory_in(error, document->name);
    return NULL;
  }
  memcpy(blanked, text, length);
  blanked[length] = '\0';
  size_t first = document->places.count, offset;
  if (dc_json_scan(blanked, length, source, &document->places, &offset, error)) {
    dc_json_fail_at(document, text, offset, source, error);
    free(blanked);
    document->places.count = first;
    return NULL;
  }
  *scanned = true;
  cJSON *root = cJSON_ParseWithLength(blanked, length + 1);
  free(blanked);
  if (!root) {  // the grammar holds
    dc_out_of_memory_in(error, document->name);
    return NULL;
  }
  struct walk walk = {.document = document, .next = first, .error = error};
  struct dc_json value = {.document = document, .node = root};
  enum dc_status status = visit(&walk, &value);
  free(walk.members);
  if (!status)
    return root;
  cJSON_Delete(root);
  return NULL;
}

// Parses the document's own text; after a failure the document holds no tree.
static enum dc_status parse_document(struct dc_json_document *document, struct dc_error *error)
{
  bool scanned;
  struct dc_error local = {0};
  document->root = dc_json_parse(document, document->text, document->length, 0, &scanned, &local);
  if (document->root)
    return DC_OK;
  dc_json_release(document);
  return dc_fail(error, local.status, "%s", local.text);
}

// The text lives in the arena; tree and places are released by dc_json_release, which need not be called after a
// failure.
enum dc_status dc_json_load(struct dc_json_document *document, const char *path, struct dc_arena *arena,
                            struct dc_error *error)
{
  document->name = path;
  enum dc_status status = dc_json_read_text(path, arena, &document->text, &document->length, error);
  return status ? status : parse_document(document, error);
}

// The text is copied, so that the caller's may end; `name` stands for the file in messages and must outlive the
// document.
enum dc_status dc_json_load_text(struct dc_json_document *document, const char *name, const char *text,
                                 struct dc_arena *arena, struct dc_error *error)
{
  document->name = name;
  document->length = strlen(text);
  if (document->length > MOST_BYTES)
    return dc_fail(error, DC_BAD_INPUT, "%s: must be at most 64 MB (is %zu bytes)", name, document->length);
  document->text = dc_arena_strdup(arena, text);
  if (!document->text)
    return dc_out_of_memory_in(error, name);
  skip_mark(&document->text, &document->length);
  return parse_document(document, error);
}

// Values of the tree (struct dc_json) are invalid from here on; the text, which is the arena's, stays.
void dc_json_release(struct dc_json_document *document)
{
  cJSON_Delete(document->root);
  free(document->places.places);
  document->root = NULL;
  document->places = (struct dc_json_places){0};
}

// Adds a place without offsets for a value that code makes while reading, such as a default section, so that
// errors about it name `source`.  Returns its index for node->valueint, -1 when memory is out.
int dc_json_add_place(struct dc_json_document *document, uint32_t source)
{
  struct dc_json_places *places = &document->places;
  if (places->count >= INT_MAX ||
      dc_grow(&places->places, &places->capacity, places->count + 1, sizeof *places->places))
    return -1;
  places->places[places->count] = (struct dc_json_place){.source = source};
  return (int)places->count++;
}

// Adds a source, a file or an argument, whose values can be in the tree beside those of the document.  Sources
// are numbered from 1; 0 is the document itself and, returned, means that memory is out.  Both lists are copied
// into the arena at each call: there are few sources, and places of older ones keep their numbers.
uint32_t dc_json_add_source(struct dc_json_document *document, struct dc_arena *arena, const char *name,
                            const char *text)
{
  size_t count = (size_t)document->source_count;
  const char **sources = dc_arena_alloc(arena, count + 1, sizeof *sources);
  const char **texts = dc_arena_alloc(arena, count + 1, sizeof *texts);
  if (!sources || !texts)
    return 0;
  for (size_t i = 0; i < count; i++) {
    sources[i] = document->sources[i];
    texts[i] = document->texts ? document->texts[i] : NULL;
  }
  sources[count] = name;
  texts[count] = text;
  document->sources = sources;
  document->texts = texts;
  return (uint32_t)++document->source_count;
}

// A value without parent and key, whose path is empty.
struct dc_json dc_json_root(const struct dc_json_document *document)
{
  return (struct dc_json){.document = document, .node = document->root};
}

// The node is NULL if there is no such member.  The result refers to object and key, which must stay as long as it.
struct dc_json dc_json_member(const struct dc_json *object, const char *key)
{
  return (struct dc_json){.document = object->document,
                          .parent = object,
                          .key = key,
                          .node = cJSON_GetObjectItemCaseSensitive(object->node, key)};
}

// For members of objects that are walked one by one, too: the key is then the node's own.
struct dc_json dc_json_element(const struct dc_json *array, cJSON *node, int index)
{
  return (struct dc_json){
      .document = array->document, .node = node, .parent = array, .key = node ? node->string : NULL, .index = index};
}

// The kind with its article, for messages: "must be a number (is a string)".
const char *dc_json_kind(const cJSON *node)
{
  return cJSON_IsNumber(node)   ? "a number"
         : cJSON_IsString(node) ? "a string"
         : cJSON_IsArray(node)  ? "an array"
         : cJSON_IsObject(node) ? "an object"
         : cJSON_IsTrue(node)   ? "true"
         : cJSON_IsFalse(node)  ? "false"
                                : "null";
}

// Quotes a text for a message: at most 80 bytes, cut between characters, with "..." where it was cut.  Control
// characters and bytes that are not UTF-8 become "?", so that no file can write escape sequences to the
// terminal.  Three bytes for the dots, two quotes and a NUL fit into DC_JSON_QUOTED.
const char *dc_json_quote(char quoted[DC_JSON_QUOTED], const char *text)
{
  enum { MOST = 80 };
  size_t at = 0, length = strlen(text), count = length;
  if (length > MOST) {
    count = MOST;
    while (count && (text[count] & 0xc0) == 0x80)  // whole characters
      count--;
  }
  quoted[at++] = '"';
  for (size_t i = 0, bytes; i < count; i += bytes) {
    bytes = dc_utf8_length(text + i, count - i);
    bool control = bytes == 0 || dc_is_control(dc_utf8_code_point(text + i, bytes));
    bytes = bytes ? bytes : 1;
    memcpy(quoted + at, control ? "?" : text + i, control ? 1 : bytes);
    at += control ? 1 : bytes;
  }
  if (count < length)
    for (int i = 0; i < 3; i++)
      quoted[at++] = '.';
  quoted[at++] = '"';
  quoted[at] = '\0';
  return quoted;
}

// Lists names for a message, separated by commas, as many as there is room for, and how many there are beside
// them.  Room for that last remark is kept free from the beginning.
const char *dc_json_list_names(char list[DC_JSON_LISTED], const char *const *names, int count)
{
  enum { REST = 32 };  // bytes for how many there are beside those listed
  char quoted[DC_JSON_QUOTED];
  size_t at = 0;
  int i = 0;
  snprintf(list, DC_JSON_LISTED, "none");
  for (; i < count; i++) {
    dc_json_quote(quoted, names[i]);
    if (at + strlen(quoted) + REST > DC_JSON_LISTED)
      break;
    at += (size_t)snprintf(list + at, DC_JSON_LISTED - at, "%s%s", i ? ", " : "", quoted);
  }
  if (i < count)
    snprintf(list + at, DC_JSON_LISTED - at, " and %d more", count - i);
  return list;
}

// Whether a key can stand in a path after a dot; others are written in brackets and quotes, as the paths of
// --set are.
static bool is_plain_key(const char *key)
{
  size_t length = strspn(key, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-");
  return length > 0 && length <= 80 && key[length] == '\0';
}

// Appends to the path as far as there is room.
static void add_text(char path[DC_JSON_PATH], const char *format, ...)
{
  size_t length = strlen(path);
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(path + length, DC_JSON_PATH - length, format, arguments);
  va_end(arguments);
}

// Writes the way from the root to a value.  The recursion goes up to the root first, so that the parts come in
// the order in which they are read; vsnprintf cuts what is too long for DC_JSON_PATH.
static void add_path(const struct dc_json *value, char path[DC_JSON_PATH])
{
  char quoted[DC_JSON_QUOTED];
  if (!value->parent)
    return;
  add_path(value->parent, path);
  if (!value->key)
    add_text(path, "[%d]", value->index);
  else if (is_plain_key(value->key))
    add_text(path, "%s%s", path[0] ? "." : "", value->key);
  else
    add_text(path, "[%s]", dc_json_quote(quoted, value->key));
}

// For instance bodies[3].joint.axis; "" for the root.
void dc_json_path(const struct dc_json *value, char path[DC_JSON_PATH])
{
  path[0] = '\0';
  add_path(value, path);
}

// Sources of arguments have a name and no text, those of included files have both.
bool dc_json_is_argument(const struct dc_json *value)
{
  const struct dc_json_document *document = value->document;
  uint32_t source = document->places.places[value->node->valueint].source;
  return source > 0 && !(document->texts && document->texts[source - 1]);
}

// The path is put in front first, then the place, so that the place comes to stand first.
static void prefix_place(const struct dc_json *value, bool key, struct dc_error *error)
{
  char path[DC_JSON_PATH];
  dc_json_path(value, path);
  if (path[0])
    dc_error_prefix(error, "%s", path);
  const struct dc_json_document *document = value->document;
  struct dc_json_place place = document->places.places[value->node->valueint];
  dc_json_fail_at(document, document->text, key ? place.key : place.value, place.source, error);
}

// Sets the message, then puts the value's path and in front of it "file:line:column": "scene.json:12:15:
// bodies[3].mass: must be positive".  error may be NULL where a caller asks for the status alone.
static enum dc_status fail_at(const struct dc_json *value, bool key, struct dc_error *error, enum dc_status status,
                              const char *format, va_list arguments)
{
  if (error) {
    dc_error_set(error, status, format, arguments);
    prefix_place(value, key, error);
  }
  return status;
}

// Returns the status, so that a reader can write return dc_json_fail(...).
enum dc_status dc_json_fail(const struct dc_json *value, struct dc_error *error, enum dc_status status,
                            const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  fail_at(value, false, error, status, format, arguments);
  va_end(arguments);
  return status;
}

// The same with the place of the key, for keys that should not be there.
enum dc_status dc_json_fail_key(const struct dc_json *value, struct dc_error *error, enum dc_status status,
                                const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  fail_at(value, true, error, status, format, arguments);
  va_end(arguments);
  return status;
}

// Follows the path that the message begins with, such as "bodies[3].mass: ", as far as it exists.
static enum dc_status wrap_at(const struct dc_json *value, struct dc_error *error, const char *message)
{
  const char *at = message + (message[0] == '.');
  struct dc_json next = {0};
  char key[64], *end;
  size_t length = strspn(at, "abcdefghijklmnopqrstuvwxyz_");
  if (cJSON_IsArray(value->node) && message[0] == '[') {
    long index = strtol(message + 1, &end, 10);
    if (end > message + 1 && *end == ']' && index >= 0 && index < INT_MAX) {
      next = dc_json_element(value, cJSON_GetArrayItem(value->node, (int)index), (int)index);
      at = end + 1;
    }
  } else if (strncmp(message, "[0]", 3) == 0) {
    return wrap_at(value, error, message + 3);  // one value in place of a list of one
  } else if (cJSON_IsObject(value->node) && length > 0 && length < sizeof key) {
    memcpy(key, at, length);
    key[length] = '\0';
    next = dc_json_member(value, key);
    at += length;
  }
  if (next.node && (strncmp(at, ": ", 2) == 0 || *at == '.' || *at == '['))
    return wrap_at(&next, error, at);
  char rest[sizeof error->text];
  snprintf(rest, sizeof rest, "%s", message + (strncmp(message, ": ", 2) == 0 ? 2 : message[0] == '.'));
  return dc_json_fail(value, error, error->status, "%s", rest);
}

// Functions that know no JSON put a path of their own in front of a message; this finds the value that the path
// means, and puts its place in the file in front.
enum dc_status dc_json_wrap(const struct dc_json *value, struct dc_error *error)
{
  return wrap_at(value, error, error->text);
}

// Puts a value under a key, in place of a member that is there already.  It replaces
// cJSON_ReplaceItemInObjectCaseSensitive, which leaves a member without a name when memory is out: here the
// name is allocated before anything in the tree changes, so that a failure leaves tree and value as they were.
bool dc_json_put(cJSON *object, const char *key, cJSON *value)
{
  cJSON *present = cJSON_GetObjectItemCaseSensitive(object, key);
  if (!present)
    return cJSON_AddItemToObject(object, key, value);
  size_t size = strlen(key) + 1;
  char *name = cJSON_malloc(size);
  if (!name)
    return false;
  if (!(value->type & cJSON_StringIsConst))
    cJSON_free(value->string);
  value->string = memcpy(name, key, size);
  value->type &= ~cJSON_StringIsConst;
  return cJSON_ReplaceItemViaPointer(object, present, value);
}
