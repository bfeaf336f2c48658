// SPDX-License-Identifier: Apache-2.0
// Pairs of links that never touch, from the Semantic Robot Description Format, by expat's events.
#include <expat.h>
#include <stdlib.h>
#include <string.h>

#include "io/robot/urdf.h"

// State of expat's events.  Pairs grow on the heap and are copied to the arena at the end.
struct parser {
  XML_Parser expat;
  struct dc_urdf place;  // name and text of the file, for messages
  struct dc_srdf *srdf;
  size_t capacity;
  struct dc_srdf_pair *pairs;
  struct dc_error *error;
  enum dc_status status;
};

// The first failure stays, and expat stops.
static void fail(struct parser *parser, enum dc_status status, const char *rule)
{
  if (parser->status)
    return;
  parser->status =
      dc_urdf_fail(&parser->place, (size_t)XML_GetCurrentByteIndex(parser->expat), parser->error, status, "%s", rule);
  XML_StopParser(parser->expat, XML_FALSE);
}

// The value of an attribute; NULL: not there.
static const char *find(const XML_Char **attributes, const char *name)
{
  for (int i = 0; attributes[i]; i += 2)
    if (strcmp(attributes[i], name) == 0)
      return attributes[i + 1];
  return NULL;
}

// Only <disable_collisions> matters; its reason, and groups and states of planners, do not.
static void XMLCALL start_element(void *context, const XML_Char *name, const XML_Char **attributes)
{
  struct parser *parser = context;
  if (parser->status || strcmp(name, "disable_collisions") != 0)
    return;
  const char *first = find(attributes, "link1"), *second = find(attributes, "link2");
  struct dc_arena *arena = parser->place.arena;
  if (!first || !second) {
    fail(parser, DC_BAD_INPUT, "<disable_collisions>: missing attribute \"link1\" or \"link2\"");
    return;
  }
  if (parser->srdf->count >= DC_URDF_MOST_LINKS * 10) {
    fail(parser, DC_BAD_INPUT, "more than 100000 pairs");
    return;
  }
  if (dc_grow(&parser->pairs, &parser->capacity, (size_t)parser->srdf->count + 1, sizeof *parser->pairs)) {
    fail(parser, DC_MEMORY, "out of memory");
    return;
  }
  struct dc_srdf_pair *pair = &parser->pairs[parser->srdf->count];
  pair->links[0] = dc_arena_strdup(arena, first);
  pair->links[1] = dc_arena_strdup(arena, second);
  if (pair->links[0] && pair->links[1])
    parser->srdf->count++;
  else
    fail(parser, DC_MEMORY, "out of memory");
}

static void XMLCALL start_doctype(void *context, const XML_Char *name, const XML_Char *system, const XML_Char *public,
                                  int internal)
{
  (void)name, (void)system, (void)public, (void)internal;
  fail(context, DC_BAD_INPUT, "DOCTYPE is not allowed");
}

// Whether the links exist is seen when the robot is added to a scene.
enum dc_status dc_srdf_parse(struct dc_srdf *srdf, const char *name, const char *text, size_t length,
                             struct dc_arena *arena, struct dc_error *error)
{
  struct parser parser = {
      .place = {.name = name, .text = text, .length = length, .arena = arena}, .srdf = srdf, .error = error};
  *srdf = (struct dc_srdf){0};
  parser.expat = XML_ParserCreate("UTF-8");
  if (!parser.expat)
    return dc_out_of_memory_in(error, name);
  XML_SetUserData(parser.expat, &parser);
  XML_SetElementHandler(parser.expat, start_element, NULL);
  XML_SetStartDoctypeDeclHandler(parser.expat, start_doctype);
  if (XML_Parse(parser.expat, text, (int)length, XML_TRUE) != XML_STATUS_OK && !parser.status) {
    enum XML_Error code = XML_GetErrorCode(parser.expat);
    fail(&parser, code == XML_ERROR_NO_MEMORY ? DC_MEMORY : DC_BAD_INPUT, "not well-formed XML in UTF-8");
  }
  XML_ParserFree(parser.expat);
  srdf->pairs = dc_arena_alloc(arena, (size_t)srdf->count, sizeof *srdf->pairs);
  if (!srdf->pairs && !parser.status)
    parser.status = dc_out_of_memory_in(error, name);
  if (!parser.status && srdf->count)
    memcpy(srdf->pairs, parser.pairs, (size_t)srdf->count * sizeof *srdf->pairs);
  free(parser.pairs);
  return parser.status;
}
