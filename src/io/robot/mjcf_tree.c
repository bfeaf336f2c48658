// SPDX-License-Identifier: Apache-2.0
// MJCF text to a tree of elements, by expat's events.  <include> is replaced by what stands in the root of the file
// that it names, which is looked for beside the model's file, then beside the file that includes it.
#include "io/robot/mjcf_tree.h"

#include <expat.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "io/json/json_value.h"

// All files of a model together, bytes.
static const size_t most_text = (size_t)64 << 20;

// State that the files of one model share: counts of elements, files and bytes against the limits, and the
// first failure.
struct parse {
  const struct dc_mjcf_opener *opener;
  struct dc_arena *arena;
  struct dc_error *error;
  enum dc_status status;
  int elements, files;
  size_t total;
};

// One file being parsed.
struct parse_file {
  struct parse *parse;
  XML_Parser expat;
  const struct dc_mjcf_file *file;
  struct dc_mjcf_node *root, *now;
  int depth;
};

// Counted from the text each time, since only messages and notes need it.
long dc_mjcf_line(const struct dc_mjcf_node *node)
{
  long line, column;
  dc_json_find_line(node->file->text, node->offset, &line, &column);
  return line;
}

// Puts file, line and column in front; the file is the included one.
static enum dc_status fail_at(const struct dc_mjcf_file *file, size_t offset, struct dc_error *error,
                              enum dc_status status, const char *text)
{
  long line, column;
  dc_json_find_line(file->text, offset, &line, &column);
  return dc_fail(error, status, "%.300s:%ld:%ld: %s", file->name, line, column, text);
}

// The element's name attribute is part of the message, since files have many elements of a kind.
enum dc_status dc_mjcf_fail(const struct dc_mjcf_node *node, struct dc_error *error, enum dc_status status,
                            const char *format, ...)
{
  char text[700], quoted[DC_JSON_QUOTED];
  int used = snprintf(text, sizeof text, "<%.60s", node->name);
  for (int i = 0; i < node->attribute_count; i++)
    if (strcmp(node->attributes[i].name, "name") == 0)
      used +=
          snprintf(text + used, sizeof text - (size_t)used, " %s", dc_json_quote(quoted, node->attributes[i].value));
  used += snprintf(text + used, sizeof text - (size_t)used, ">: ");
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text + used, sizeof text - (size_t)used, format, arguments);
  va_end(arguments);
  return fail_at(node->file, node->offset, error, status, text);
}

// The byte at which the event that is handled begins.
static size_t offset_now(const struct parse_file *at)
{
  return (size_t)XML_GetCurrentByteIndex(at->expat);
}

// The first failure ends everything.
static void refuse(struct parse_file *at, enum dc_status status, const char *text)
{
  if (!at->parse->status)
    at->parse->status = fail_at(at->file, offset_now(at), at->parse->error, status, text);
  XML_StopParser(at->expat, XML_FALSE);
}

// False: out of memory.
static bool copy_attributes(struct parse *parse, const XML_Char **attributes, struct dc_mjcf_node *node)
{
  int count = 0;
  while (attributes[2 * count])
    count++;
  node->attributes = dc_arena_alloc(parse->arena, (size_t)count, sizeof *node->attributes);
  if (!node->attributes)
    return false;
  for (int i = 0; i < count; i++) {
    node->attributes[i].name = dc_arena_strdup(parse->arena, attributes[2 * i]);
    node->attributes[i].value = dc_arena_strdup(parse->arena, attributes[2 * i + 1]);
    if (!node->attributes[i].name || !node->attributes[i].value)
      return false;
  }
  node->attribute_count = count;
  return true;
}

// Puts a node behind the last child of another; also moves one there, as its links are overwritten.
static void append(struct dc_mjcf_node *parent, struct dc_mjcf_node *node)
{
  node->parent = parent;
  node->next = NULL;
  if (parent->last)
    parent->last->next = node;
  else
    parent->first = node;
  parent->last = node;
}

// expat's events make the tree: a node is appended to the open one and becomes the open one.  Names and values
// are copied, because expat's are gone after the call.  Events still come after a failure, and are ignored.
static void XMLCALL start_element(void *context, const XML_Char *name, const XML_Char **attributes)
{
  struct parse_file *at = context;
  struct parse *parse = at->parse;
  if (parse->status)
    return;
  if (++parse->elements > DC_MJCF_MOST_ELEMENTS) {
    refuse(at, DC_BAD_INPUT, "more elements than can be read");
    return;
  }
  if (++at->depth > DC_MJCF_MOST_DEPTH) {
    refuse(at, DC_BAD_INPUT, "elements stand too deep in each other");
    return;
  }
  struct dc_mjcf_node *node = dc_arena_alloc(parse->arena, 1, sizeof *node);
  if (!node || !(node->name = dc_arena_strdup(parse->arena, name)) || !copy_attributes(parse, attributes, node)) {
    refuse(at, DC_MEMORY, "out of memory");
    return;
  }
  node->file = at->file;
  node->offset = offset_now(at);
  if (at->now)
    append(at->now, node);
  else
    at->root = node;
  at->now = node;
}

static void XMLCALL end_element(void *context, const XML_Char *name)
{
  (void)name;
  struct parse_file *at = context;
  at->depth--;
  if (at->now)
    at->now = at->now->parent;
}

// A document type could define entities that expand to gigabytes, or name other files; MJCF needs none.
static void XMLCALL start_doctype(void *context, const XML_Char *name, const XML_Char *system, const XML_Char *public,
                                  int internal)
{
  (void)name, (void)system, (void)public, (void)internal;
  refuse(context, DC_BAD_INPUT, "DOCTYPE is not allowed");
}

// Parses one file.  Offsets of nodes are byte indices into its text, from which lines are counted only for
// messages.
static enum dc_status parse_file(struct parse *parse, const struct dc_mjcf_file *file, struct dc_mjcf_node **root)
{
  struct parse_file at = {.parse = parse, .file = file, .expat = XML_ParserCreate("UTF-8")};
  if (!at.expat)
    return dc_out_of_memory_in(parse->error, file->name);
  XML_SetUserData(at.expat, &at);
  XML_SetElementHandler(at.expat, start_element, end_element);
  XML_SetStartDoctypeDeclHandler(at.expat, start_doctype);
  bool parsed =
      file->length <= INT_MAX && XML_Parse(at.expat, file->text, (int)file->length, XML_TRUE) == XML_STATUS_OK;
  enum XML_Error code = XML_GetErrorCode(at.expat);
  if (!parsed && !parse->status)
    parse->status = dc_fail(parse->error, code == XML_ERROR_NO_MEMORY ? DC_MEMORY : DC_BAD_INPUT,
                            "%.300s:%lu:%lu: not well-formed XML in UTF-8: %s", file->name,
                            (unsigned long)XML_GetCurrentLineNumber(at.expat),
                            (unsigned long)XML_GetCurrentColumnNumber(at.expat) + 1, XML_ErrorString(code));
  XML_ParserFree(at.expat);
  *root = at.root;
  return parse->status;
}

// The path of an included file: beside the model's, or beside the file that includes it.
static enum dc_status find_included(struct parse *parse, const struct dc_mjcf_node *node, const char *name,
                                    const char **path)
{
  struct dc_error first = {0}, second = {0};
  enum dc_status status = parse->opener->find(parse->opener->context, name, path, &first);
  const char *slash = strrchr(node->file->path, '/');
  if (status && status != DC_MEMORY && name[0] != '/' && slash && node->file->within) {
    const char *beside =
        dc_arena_printf(parse->arena, "%.*s/%s", (int)(slash - node->file->path), node->file->path, name);
    status = beside ? parse->opener->find(parse->opener->context, beside, path, &second) : DC_MEMORY;
  }
  return status ? dc_mjcf_fail(node, parse->error, status, "%.500s", first.text) : DC_OK;
}

// Reads the file that <include> names: limits of files and bytes, no file within itself (by its real path), and
// a root that MuJoCo accepts.  The text gets a number of its own as a source, so that places in it can be told.
static enum dc_status include(struct parse *parse, const struct dc_mjcf_node *node, struct dc_mjcf_node **root)
{
  const char *name = NULL;
  for (int i = 0; i < node->attribute_count; i++)
    if (strcmp(node->attributes[i].name, "file") == 0)
      name = node->attributes[i].value;
  if (!name)
    return dc_mjcf_fail(node, parse->error, DC_BAD_INPUT, "missing attribute \"file\"");
  if (++parse->files > DC_MJCF_MOST_FILES)
    return dc_mjcf_fail(node, parse->error, DC_BAD_INPUT, "more than %d files are included", DC_MJCF_MOST_FILES);
  struct dc_mjcf_file *file = dc_arena_alloc(parse->arena, 1, sizeof *file);
  if (!file || !(file->name = dc_arena_strdup(parse->arena, name)))
    return dc_mjcf_fail(node, parse->error, DC_MEMORY, "out of memory");
  enum dc_status status = find_included(parse, node, name, &file->path);
  if (status)
    return status;
  for (const struct dc_mjcf_file *above = node->file; above; above = above->within)
    if (strcmp(above->path, file->path) == 0)
      return dc_mjcf_fail(node, parse->error, DC_BAD_INPUT, "%.200s includes itself", name);
  struct dc_error local = {0};
  if ((status = dc_json_read_text(file->path, parse->arena, &file->text, &file->length, &local)))
    return dc_mjcf_fail(node, parse->error, status, "%.500s", local.text);
  if ((parse->total += file->length) > most_text)
    return dc_mjcf_fail(node, parse->error, DC_BAD_INPUT, "the files of the model must have at most 64 MB together");
  file->within = node->file;
  file->source = parse->opener->add_source(parse->opener->context, file->name, file->text);
  if (!file->source)
    return dc_mjcf_fail(node, parse->error, DC_MEMORY, "out of memory");
  status = parse_file(parse, file, root);
  if (!status && strcmp((*root)->name, "mujoco") != 0 && strcmp((*root)->name, "mujocoinclude") != 0)
    status = dc_mjcf_fail(*root, parse->error, DC_BAD_INPUT, "must be <mujoco> or <mujocoinclude>");
  return status;
}

// Limits count depth over all files: an included root is as deep as the element that includes it.
static int depth_of(const struct dc_mjcf_node *node)
{
  int depth = 0;
  for (; node; node = node->parent)
    depth++;
  return depth;
}

// Children are taken off the parent and appended again one by one, those of included roots in place of
// <include>.  An included tree is expanded itself before its children are taken over.
static enum dc_status expand(struct parse *parse, struct dc_mjcf_node *parent, int depth)
{
  struct dc_mjcf_node *child = parent->first, *next;
  parent->first = parent->last = NULL;
  if (depth > DC_MJCF_MOST_DEPTH)
    return dc_mjcf_fail(parent, parse->error, DC_BAD_INPUT, "elements stand too deep in each other");
  for (; child; child = next) {
    next = child->next;
    if (strcmp(child->name, "include") != 0) {
      append(parent, child);
      enum dc_status status = expand(parse, child, depth + 1);
      if (status)
        return status;
      continue;
    }
    struct dc_mjcf_node *root = NULL, *inner, *following;
    enum dc_status status = include(parse, child, &root);
    if (!status)
      status = expand(parse, root, depth_of(parent));
    if (status)
      return status;
    for (inner = root->first; inner; inner = following) {
      following = inner->next;
      append(parent, inner);
    }
  }
  return DC_OK;
}

// The steps: the model's own file is parsed, then each <include> is replaced, file by file and depth first.  *root is
// in the arena.  DC_BAD_INPUT for what is not MJCF or exceeds a limit; statuses of opening files; DC_MEMORY.
enum dc_status dc_mjcf_parse(const struct dc_mjcf_file *file, const struct dc_mjcf_opener *opener,
                             struct dc_arena *arena, struct dc_mjcf_node **root, struct dc_error *error)
{
  struct parse parse = {.opener = opener, .arena = arena, .error = error, .total = file->length};
  enum dc_status status = parse_file(&parse, file, root);
  return status ? status : expand(&parse, *root, 1);
}
