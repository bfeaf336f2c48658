// SPDX-License-Identifier: Apache-2.0
// Each change becomes a span of the text and what replaces it.  The span of a member's value begins at its place and
// ends with its bracket, quote or last character; that of a member to be added is empty, behind the "{" of its object.
// Spans are then written in the order of the text.
#include "io/json/json_edit.h"

#include <stdlib.h>
#include <string.h>

// Bytes begin to end - 1 of the text, which a change replaces.  is_new: the member is not there yet, begin ==
// end, and its key has to be written too.
struct span {
  size_t begin, end;
  const struct dc_json_change *change;
  bool is_new;
};

// The end of what begins at `at`: a string, a comment, or else a single character.  A quote or bracket within a
// string or comment is thereby never taken for one of the grammar.  The text has been parsed, so that strings
// have an end.
static size_t skip(const char *text, size_t at)
{
  if (text[at] == '"') {
    for (at++; text[at] != '"'; at++)
      at += text[at] == '\\';
    return at + 1;
  }
  if (text[at] == '/' && text[at + 1] == '/')
    return at + strcspn(text + at, "\n");
  if (text[at] == '/' && text[at + 1] == '*') {
    const char *end = strstr(text + at + 2, "*/");
    return end ? (size_t)(end - text) + 2 : strlen(text);
  }
  return at + 1;
}

// The end of the value that begins at `at`, in a text that has been parsed.  Objects and arrays end where as
// many brackets were closed as opened, whatever kind they have; numbers and words end before white space, a
// separator or a comment.
static size_t end_of_value(const char *text, size_t at)
{
  if (text[at] != '{' && text[at] != '[')
    return text[at] == '"' ? skip(text, at) : at + strcspn(text + at, " \t\r\n,]}/");
  int depth = 0;
  do {
    depth += (text[at] == '{' || text[at] == '[') - (text[at] == '}' || text[at] == ']');
    at = skip(text, at);
  } while (depth > 0 && text[at]);
  return at;
}

// Order of qsort: by place in the text.
static int compare(const void *a, const void *b)
{
  const struct span *first = a, *second = b;
  return (first->begin > second->begin) - (first->begin < second->begin);
}

// Copies the text piece by piece: what stands before a span, its new value, and so on.  Spans come from the
// places of the tree (valueint), which are offsets into this text, and are sorted, as changes come in any
// order.  They must not overlap, which the caller promises.
//
// A member that is not there is written behind the "{" of its object, followed by a comma: the object therefore
// has to have another member.
void dc_json_edit(const struct dc_json_document *document, int count, const struct dc_json_change *changes,
                  struct dc_text *text)
{
  const char *from = document->text;
  struct span *spans = calloc((size_t)count + 1, sizeof *spans);
  if (!spans) {
    text->failed = true;
    return;
  }
  for (int i = 0; i < count; i++) {
    const cJSON *object = changes[i].object;
    const cJSON *member = changes[i].key ? cJSON_GetObjectItemCaseSensitive(object, changes[i].key) : object;
    const struct dc_json_place *place = &document->places.places[(member ? member : object)->valueint];
    size_t begin = member ? place->value : place->value + 1;
    spans[i] = (struct span){begin, member ? end_of_value(from, begin) : begin, &changes[i], !member};
  }
  qsort(spans, (size_t)count, sizeof *spans, compare);
  size_t at = 0;
  for (int i = 0; i < count; i++) {
    const struct dc_json_change *change = spans[i].change;
    dc_text_append(text, from + at, spans[i].begin - at);
    if (spans[i].is_new) {
      dc_text_string(text, change->key);
      dc_text_add(text, ": %s, ", change->value);
    } else {
      dc_text_add(text, "%s", change->value);
    }
    at = spans[i].end;
  }
  dc_text_add(text, "%s", from + at);
  free(spans);
}
