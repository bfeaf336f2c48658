// SPDX-License-Identifier: Apache-2.0
// The comparison descends both trees together.  Members of objects are matched by their keys, elements of arrays by
// their indices; everything else is a leaf, and two leaves that differ make one entry.  Numbers are equal when their
// values are, however they are written.
#include "io/json/json_differences.h"

#include <stdlib.h>
#include <string.h>

#include "io/json/json_text.h"
#include "io/json/json_value.h"

struct comparison {
  struct dc_arena *arena;
  struct dc_json_differences *differences;
  bool failed;  // out of memory
};

// Prints a value with a space after ":" and ",".
static void print(struct dc_text *text, const cJSON *node)
{
  bool object = cJSON_IsObject(node);
  if (cJSON_IsNumber(node)) {
    dc_text_short_real(text, node->valuedouble, "null");
  } else if (cJSON_IsString(node)) {
    dc_text_string(text, node->valuestring);
  } else if (object || cJSON_IsArray(node)) {
    dc_text_add(text, object ? "{" : "[");
    for (const cJSON *child = node->child; child; child = child->next) {
      if (object) {
        dc_text_string(text, child->string);
        dc_text_add(text, ": ");
      }
      print(text, child);
      if (child->next)
        dc_text_add(text, ", ");
    }
    dc_text_add(text, object ? "}" : "]");
  } else {
    dc_text_add(text, "%s", dc_json_kind(node));  // true, false, null
  }
}

// The node as text in the arena; NULL for none.
static const char *spell(struct comparison *comparison, const cJSON *node)
{
  struct dc_text text = {0};
  const char *copy = NULL;
  if (!node)
    return NULL;
  print(&text, node);
  if (!text.failed)
    copy = dc_arena_strdup(comparison->arena, text.bytes);
  comparison->failed = comparison->failed || !copy;
  dc_text_free(&text);
  return copy;
}

// Adds a difference: the path of `where` and the value of either file, NULL on the side that has none.  Both
// texts are owned by the arena; running out of memory is remembered and told once at the end.
static void add(struct comparison *comparison, const struct dc_json *where, const cJSON *left, const cJSON *right)
{
  struct dc_json_differences *list = comparison->differences;
  char path[DC_JSON_PATH];
  dc_json_path(where, path);
  struct dc_json_difference difference = {.path = dc_arena_strdup(comparison->arena, path),
                                          .values = {spell(comparison, left), spell(comparison, right)}};
  if (!difference.path || dc_grow(&list->items, &list->capacity, list->count + 1, sizeof *list->items) != 0)
    comparison->failed = true;
  if (!comparison->failed)
    list->items[list->count++] = difference;
}

static void compare(struct comparison *comparison, const struct dc_json *left, const struct dc_json *right);

// Compares the members of `left` in their order, each with the member of `right` of the same key; then lists
// the members that only `right` has.  The order of keys within an object is no difference.
static void compare_objects(struct comparison *comparison, const struct dc_json *left, const struct dc_json *right)
{
  for (cJSON *node = left->node->child; node && !comparison->failed; node = node->next) {
    struct dc_json ours = dc_json_element(left, node, 0), theirs = dc_json_member(right, node->string);
    if (theirs.node)
      compare(comparison, &ours, &theirs);
    else
      add(comparison, &ours, node, NULL);
  }
  for (cJSON *node = right->node->child; node && !comparison->failed; node = node->next) {
    struct dc_json theirs = dc_json_element(right, node, 0);
    if (!dc_json_member(left, node->string).node)
      add(comparison, &theirs, NULL, node);
  }
}

// Element by element; elements beyond the end of the shorter array count as missing there.
static void compare_arrays(struct comparison *comparison, const struct dc_json *left, const struct dc_json *right)
{
  cJSON *ours = left->node->child, *theirs = right->node->child;
  for (int i = 0; (ours || theirs) && !comparison->failed; i++) {
    struct dc_json one = dc_json_element(left, ours, i), other = dc_json_element(right, theirs, i);
    if (ours && theirs)
      compare(comparison, &one, &other);
    else
      add(comparison, ours ? &one : &other, ours, theirs);
    ours = ours ? ours->next : NULL;
    theirs = theirs ? theirs->next : NULL;
  }
}

// Compares two values: objects by keys, arrays by indices, numbers by their value and not by how they are
// written (1, 1.0 and 1e0 are equal), strings byte by byte.  Values of two different kinds are one difference,
// without a look into either.
static void compare(struct comparison *comparison, const struct dc_json *left, const struct dc_json *right)
{
  const cJSON *ours = left->node, *theirs = right->node;
  bool same;
  if (cJSON_IsObject(ours) && cJSON_IsObject(theirs)) {
    compare_objects(comparison, left, right);
    return;
  }
  if (cJSON_IsArray(ours) && cJSON_IsArray(theirs)) {
    compare_arrays(comparison, left, right);
    return;
  }
  if (cJSON_IsNumber(ours) && cJSON_IsNumber(theirs))
    same = ours->valuedouble == theirs->valuedouble;
  else if (cJSON_IsString(ours) && cJSON_IsString(theirs))
    same = strcmp(ours->valuestring, theirs->valuestring) == 0;
  else
    same = strcmp(dc_json_kind(ours), dc_json_kind(theirs)) == 0;  // true, false, null
  if (!same)
    add(comparison, left, ours, theirs);
}

// Reads both files with the strict parser, so that each may have comments, and compares them from their roots.
// Documents are released in any case; the texts of the differences live in the arena.
enum dc_status dc_json_compare(const char *const paths[2], struct dc_arena *arena,
                               struct dc_json_differences *differences, struct dc_error *error)
{
  struct dc_json_document documents[2] = {0};
  struct comparison comparison = {.arena = arena, .differences = differences};
  enum dc_status status = dc_json_load(&documents[0], paths[0], arena, error);
  if (!status)
    status = dc_json_load(&documents[1], paths[1], arena, error);
  if (!status) {
    struct dc_json left = dc_json_root(&documents[0]), right = dc_json_root(&documents[1]);
    compare(&comparison, &left, &right);
  }
  dc_json_release(&documents[0]);
  dc_json_release(&documents[1]);
  if (!status && comparison.failed)
    status = dc_out_of_memory_for(error, "the differences of %.300s and %.300s", paths[0], paths[1]);
  return status;
}
