// SPDX-License-Identifier: Apache-2.0
// What an MJCF file is, and which files it would have MuJoCo read.
#include <expat.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "io/robot/mjcf.h"

enum { MOST_NAMES = 20000, MOST_INCLUDED = 1000 };

bool dc_mjcf_is(const char *text)
{
  static const char name[] = "<mujoco";
  for (const char *c = text; (c = strchr(c, '<')) != NULL; c++) {
    if (strncmp(c, "<!--", 4) == 0 && !(c = strstr(c, "-->")))
      return false;
    if (c[0] == '<' && c[1] != '?' && c[1] != '!')
      return strncmp(c, name, sizeof name - 1) == 0 && strchr(" \t\r\n/>", c[sizeof name - 1]);
  }
  return false;
}

// Names of files and folders, as they come.
struct names {
  const char **names;
  size_t count, capacity;
};

struct scan {
  XML_Parser expat;
  struct dc_arena *arena;
  struct names files, folders, included;
  bool failed, entities;
};

static void add_name(struct scan *scan, struct names *list, const char *name)
{
  char *copy = dc_arena_strdup(scan->arena, name);
  if (!copy || list->count >= MOST_NAMES ||
      dc_grow(&list->names, &list->capacity, list->count + 1, sizeof *list->names)) {
    scan->failed = true;
    return;
  }
  list->names[list->count++] = copy;
}

static void XMLCALL start_element(void *context, const XML_Char *name, const XML_Char **attributes)
{
  struct scan *scan = context;
  for (int i = 0; attributes[i] && !scan->failed; i += 2) {
    const char *key = attributes[i], *value = attributes[i + 1];
    if (strncmp(key, "file", 4) == 0)
      add_name(scan, strcmp(name, "include") == 0 ? &scan->included : &scan->files, value);
    else if (strcmp(key, "meshdir") == 0 || strcmp(key, "texturedir") == 0 || strcmp(key, "assetdir") == 0)
      add_name(scan, &scan->folders, value);
  }
}

static void XMLCALL start_doctype(void *context, const XML_Char *name, const XML_Char *system, const XML_Char *public,
                                  int internal)
{
  (void)name, (void)system, (void)public, (void)internal;
  ((struct scan *)context)->entities = true;
}

// Adds what one text names to the lists.
static enum dc_status scan_text(struct scan *scan, const char *name, const char *text, size_t length,
                                struct dc_error *error)
{
  scan->expat = XML_ParserCreate("UTF-8");
  if (!scan->expat)
    return dc_fail(error, DC_MEMORY, "%.300s: out of memory", name);
  XML_SetUserData(scan->expat, scan);
  XML_SetStartElementHandler(scan->expat, start_element);
  XML_SetStartDoctypeDeclHandler(scan->expat, start_doctype);
  enum dc_status status = DC_OK;
  if (length > INT_MAX || XML_Parse(scan->expat, text, (int)length, XML_TRUE) != XML_STATUS_OK)
    status = dc_fail(error, DC_BAD_INPUT, "%.300s:%lu:%lu: not well-formed XML in UTF-8: %s", name,
                     (unsigned long)XML_GetCurrentLineNumber(scan->expat),
                     (unsigned long)XML_GetCurrentColumnNumber(scan->expat) + 1,
                     XML_ErrorString(XML_GetErrorCode(scan->expat)));
  else if (scan->entities)
    status = dc_fail(error, DC_BAD_INPUT, "%.300s: DOCTYPE is not allowed", name);
  else if (scan->failed)
    status = dc_fail(error, DC_MEMORY, "%.300s: out of memory for names of files", name);
  XML_ParserFree(scan->expat);
  return status;
}

// The file of that name below folder, with or without the folders that its name has: allowed wherever it exists.
static enum dc_status check_file(struct scan *scan, const char *folder, const char *file, dc_mjcf_permit *permit,
                                 const void *context, const char **found, struct dc_error *error)
{
  const char *last = strrchr(file, '/');
  for (int stripped = 0; stripped < 2; stripped++) {
    const char *name = stripped && last ? last + 1 : file;
    const char *path = name[0] == '/' ? name : dc_arena_printf(scan->arena, "%s/%s", folder, name);
    if (!path)
      return dc_fail(error, DC_MEMORY, "out of memory");
    char *real = realpath(path, NULL);
    if (!real)
      continue;
    free(real);
    enum dc_status status = permit(context, path, error);
    if (status)
      return status;
    if (found)
      *found = path;
  }
  return DC_OK;
}

static enum dc_status check_below(struct scan *scan, const char *folder, dc_mjcf_permit *permit, const void *context,
                                  struct dc_error *error)
{
  enum dc_status status = DC_OK;
  for (size_t f = 0; f < scan->files.count && !status; f++) {
    status = check_file(scan, folder, scan->files.names[f], permit, context, NULL, error);
    for (size_t d = 0; d < scan->folders.count && !status; d++) {
      const char *below = scan->folders.names[d];
      if (below[0] != '/')
        below = dc_arena_printf(scan->arena, "%s/%s", folder, below);
      status = below ? check_file(scan, below, scan->files.names[f], permit, context, NULL, error)
                     : dc_fail(error, DC_MEMORY, "out of memory");
    }
  }
  return status;
}

enum dc_status dc_mjcf_check_files(const char *name, const char *text, size_t length, const char *folder,
                                   dc_mjcf_permit *permit, const void *context, struct dc_arena *arena,
                                   struct dc_error *error)
{
  struct scan scan = {.arena = arena};
  enum dc_status status = scan_text(&scan, name, text, length, error);
  for (size_t i = 0; i < scan.included.count && !status; i++) {
    const char *path = NULL, *inner;
    if (i >= MOST_INCLUDED)
      status = dc_fail(error, DC_BAD_INPUT, "%.300s: more than %d files are included", name, MOST_INCLUDED);
    else if (!(status = check_file(&scan, folder, scan.included.names[i], permit, context, &path, error)) && path &&
             !(status = dc_json_read_text(path, arena, &inner, &length, error)))
      status = scan_text(&scan, scan.included.names[i], inner, length, error);
  }
  if (!status)
    status = check_below(&scan, folder, permit, context, error);
  free(scan.files.names);
  free(scan.folders.names);
  free(scan.included.names);
  return status;
}
