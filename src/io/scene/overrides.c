// SPDX-License-Identifier: Apache-2.0
// A "path=value" argument is applied by descending from the root: each part of the path is a key of an object, or a
// name or an index of an element of an array.  The last part is replaced, added or removed.  Values are scanned and
// parsed as JSON with the argument as their source, so that errors about them name the argument; text that is not JSON
// is a string.
#include "io/scene/overrides.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/options.h"

// One part of a path: a key or the name of an element, or an index in brackets.  Names are limited, as paths
// come from the command line.
struct part {
  char name[256];
  bool bracket;  // [3]: index only
};

// Reads one part at *path and moves behind it; false when the path is malformed.  Forms: `name` up to the next
// ".", "[" or "=" (after a dot, but for the first part); `[3]`, an index of digits; `["any text"]` for names in
// which dots, brackets or equal signs occur.
static bool next_part(const char **path, bool first, struct part *part)
{
  const char *at = *path, *end;
  *part = (struct part){0};
  if (*at == '[') {
    bool quoted = at[1] == '"';
    at += quoted ? 2 : 1;
    end = strstr(at, quoted ? "\"]" : "]");
    if (!end)
      return false;
    part->bracket = !quoted;
    *path = end + (quoted ? 2 : 1);
  } else {
    if (!first && *at++ != '.')
      return false;
    end = at + strcspn(at, ".[=");
    *path = end;
  }
  size_t length = (size_t)(end - at);
  if (length == 0 || length >= sizeof part->name)
    return false;
  memcpy(part->name, at, length);
  return !part->bracket || strspn(part->name, "0123456789") == length;
}

// Index written in text, or -1.
static int parse_index(const char *text)
{
  if (!text[0] || text[strspn(text, "0123456789")])
    return -1;
  errno = 0;
  long index = strtol(text, NULL, 10);
  return errno || index > INT_MAX ? -1 : (int)index;
}

// The "name" of an element, by which paths may call it; NULL without.
static const char *element_name(const cJSON *element)
{
  const cJSON *name = cJSON_GetObjectItemCaseSensitive(element, "name");
  return cJSON_IsString(name) ? name->valuestring : NULL;
}

// Finds the element of an array that a part means: one whose "name" is the part's, else, where the part is a
// number, the one at this index.  A name therefore wins over an index that is written without brackets.  A miss
// lists or suggests the names there are.
static cJSON *find_element(const struct dc_json *array, const struct part *part, int *index, struct dc_error *error)
{
  enum { MOST_NAMES = 256 };
  const char *names[MOST_NAMES + 1];
  int count = 0, at = 0, wanted = parse_index(part->name);
  char quoted[DC_JSON_QUOTED], again[DC_JSON_QUOTED];
  cJSON *element;
  if (!part->bracket) {
    cJSON_ArrayForEach (element, array->node) {
      const char *name = element_name(element);
      if (name && strcmp(name, part->name) == 0) {
        *index = at;
        return element;
      }
      if (name && count < MOST_NAMES)
        names[count++] = name;
      at++;
    }
  }
  names[count] = NULL;
  *index = wanted;
  element = wanted < 0 ? NULL : cJSON_GetArrayItem(array->node, wanted);
  if (element)
    return element;
  char listed[DC_JSON_LISTED];
  const char *near = dc_suggest(part->name, names);
  dc_json_quote(quoted, part->name);
  if (wanted >= 0)
    dc_json_fail(array, error, DC_BAD_INPUT, "no element %d (has %d)", wanted, cJSON_GetArraySize(array->node));
  else if (near)
    dc_json_fail(array, error, DC_BAD_INPUT, "no element is called %s (did you mean %s?)", quoted,
                 dc_json_quote(again, near));
  else
    dc_json_fail(array, error, DC_BAD_INPUT, "no element is called %s%s%s%s", quoted, count ? " (there are " : "",
                 dc_json_list_names(listed, names, count), count ? ")" : "");
  return NULL;
}

// Whether the way from the root to the member `last` of container, joined by dots, is the first `length`
// characters of section.  It is compared from its end: the last key, the dot before it, then the way of the
// container's parent.
static bool is_way(const struct dc_json *container, const char *last, const char *section, size_t length)
{
  size_t own = last ? strlen(last) : 0;
  if (own == 0 || own > length || memcmp(section + length - own, last, own) != 0)
    return false;
  if (!container->parent)
    return own == length;
  return own < length && section[length - own - 1] == '.' &&
         is_way(container->parent, container->key, section, length - own - 1);
}

static bool is_section(const struct dc_json *container, const char *name, const char *const *sections)
{
  for (int i = 0; sections[i]; i++)
    if (is_way(container, name, sections[i], strlen(sections[i])))
      return true;
  return false;
}

// Adds an empty object for a section that the scene does not have, with a place of its own so that errors in it
// name the argument.
static cJSON *add_section(struct dc_json_document *document, cJSON *parent, const char *name, uint32_t source)
{
  int place = dc_json_add_place(document, source);
  cJSON *section = place < 0 ? NULL : cJSON_CreateObject();
  if (section && !cJSON_AddItemToObject(parent, name, section)) {
    cJSON_Delete(section);
    section = NULL;
  }
  if (section)
    section->valueint = place;
  return section;
}

// Puts value, which is taken over in any case, where the last part says.  Elements of arrays are replaced,
// never added: indices of later arguments keep their meaning.  For members of objects null means removal, as in
// RFC 7396.
static enum dc_status put(const struct dc_json *container, const struct part *part, cJSON *value,
                          struct dc_error *error)
{
  int index;
  bool done;
  if (cJSON_IsArray(container->node)) {
    cJSON *element = find_element(container, part, &index, error);
    if (!element) {
      cJSON_Delete(value);
      return DC_BAD_INPUT;
    }
    done = cJSON_ReplaceItemViaPointer(container->node, element, value);
  } else if (cJSON_IsNull(value)) {
    cJSON_DeleteItemFromObjectCaseSensitive(container->node, part->name);
    cJSON_Delete(value);
    return DC_OK;
  } else {
    done = dc_json_put(container->node, part->name, value);
  }
  if (done)
    return DC_OK;
  cJSON_Delete(value);
  return dc_json_fail(container, error, DC_MEMORY, "out of memory");
}

// An argument on its way down the tree.  `value` is owned by the change until put() takes it over; every
// refusal frees it.
struct change {
  struct dc_json_document *document;
  const char *argument;
  uint32_t source;
  const char *const *sections;
  cJSON *value;  // taken over
  struct dc_error *error;
};

static enum dc_status refuse(struct change *change, enum dc_status status)
{
  cJSON_Delete(change->value);
  return status;
}

// Goes down from container along path, which lies in the argument and ends at its "=".  Sections that the scene
// format knows are made on the way where they are missing, so that --set solver.tolerance=1e-8 works in a scene
// without "solver"; any other missing member is a spelling mistake and is refused.
static enum dc_status descend(struct change *change, const struct dc_json *container, const char *path)
{
  struct part part;
  if (!next_part(&path, !container->parent, &part))
    return refuse(change, dc_fail(change->error, DC_USAGE, "malformed path"));
  bool last = *path == '=', array = cJSON_IsArray(container->node);
  if (!array && !cJSON_IsObject(container->node))
    return refuse(change, dc_json_fail(container, change->error, DC_BAD_INPUT, "is %s, it has no members",
                                       dc_json_kind(container->node)));
  if (!array && part.bracket)
    return refuse(
        change, dc_json_fail(container, change->error, DC_BAD_INPUT, "is an object, it has no element %s", part.name));
  if (last)
    return put(container, &part, change->value, change->error);
  int index = 0;
  cJSON *child;
  if (array) {
    child = find_element(container, &part, &index, change->error);
    if (!child)
      return refuse(change, DC_BAD_INPUT);
  } else {
    child = cJSON_GetObjectItemCaseSensitive(container->node, part.name);
    if (!child && is_section(container, part.name, change->sections)) {
      child = add_section(change->document, container->node, part.name, change->source);
      if (!child)
        return refuse(change, dc_out_of_memory(change->error));
    }
    if (!child) {
      char quoted[DC_JSON_QUOTED];
      return refuse(change, dc_json_fail(container, change->error, DC_BAD_INPUT, "no member is called %s",
                                         dc_json_quote(quoted, part.name)));
    }
  }
  struct dc_json next = dc_json_element(container, child, index);
  return descend(change, &next, path);
}

// Length of the path, the part before the first "=" that is not in brackets (names in brackets may hold one);
// -1 if there is none.
static long path_length(const char *argument)
{
  bool bracket = false;
  for (const char *c = argument; *c; c++) {
    if (*c == '=' && !bracket)
      return c - argument;
    bracket = *c == '[' || (bracket && *c != ']');
  }
  return -1;
}

// Applies one argument PATH=VALUE to the tree.  VALUE is JSON.  Text that the scanner refuses is a string, so
// that quotes, which a shell removes, can be left out: --set contact.model=ipc.  A text that is JSON and is
// refused for another reason (too deep, a key twice) is an error.
//
// The value keeps the argument as its source, so that later messages about it begin with "--set ...".  Messages
// of this function get the argument's name in front unless they have it already.
enum dc_status dc_override(struct dc_json_document *document, cJSON *root, const char *argument, uint32_t source,
                           const char *const *sections, struct dc_error *error)
{
  const char *name = document->sources[source - 1];
  long length = path_length(argument);
  if (length < 0)
    return dc_fail(error, DC_USAGE, "%s: must have the form path=value, as --set time.steps=50", name);
  if (!dc_json_is_utf8(argument, strlen(argument)))
    return dc_fail(error, DC_USAGE, "%s: invalid UTF-8", name);
  const char *text = argument + length + 1;
  bool scanned;
  struct dc_error local = {0};
  cJSON *value = dc_json_parse(document, text, strlen(text), source, &scanned, &local);
  if (!value && !scanned && local.status == DC_BAD_INPUT) {
    value = cJSON_CreateString(text);
    int place = dc_json_add_place(document, source);
    if (!value || place < 0) {
      cJSON_Delete(value);
      return dc_out_of_memory_in(error, name);
    }
    value->valueint = place;
  }
  if (!value)
    return dc_fail(error, local.status, "%s", local.text);
  struct change change = {document, argument, source, sections, value, &local};
  struct dc_json top = {.document = document, .node = root};
  enum dc_status status = descend(&change, &top, argument);
  if (!status)
    return DC_OK;
  size_t size = strlen(name);
  bool named = strncmp(local.text, name, size) == 0 && local.text[size] == ':';  // of what the argument itself added
  return dc_fail(error, status, "%s%s%s", named ? "" : name, named ? "" : ": ", local.text);
}

// Merges a patch as RFC 7396 does: null removes a member, objects merge, anything else replaces.
enum dc_status dc_json_merge(cJSON *target, const cJSON *patch)
{
  const cJSON *member;
  cJSON_ArrayForEach (member, patch) {
    cJSON *present = cJSON_GetObjectItemCaseSensitive(target, member->string);
    if (cJSON_IsNull(member)) {
      cJSON_DeleteItemFromObjectCaseSensitive(target, member->string);
      continue;
    }
    if (cJSON_IsObject(member) && cJSON_IsObject(present)) {
      enum dc_status status = dc_json_merge(present, member);
      if (status)
        return status;
      continue;
    }
    cJSON *copy = cJSON_Duplicate(member, true);
    if (!copy || !dc_json_put(target, member->string, copy)) {
      cJSON_Delete(copy);
      return DC_MEMORY;
    }
  }
  return DC_OK;
}
