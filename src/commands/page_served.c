// SPDX-License-Identifier: Apache-2.0
// Pages of a server: the viewer with a world and a trajectory in it, which asks its server for what changes.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands/page.h"
#include "commands/stage.h"
#include "render/report.h"

// Lets the page ask its own server, and nobody else, for more: reports forbid all requests
// (Content-Security-Policy).  The page is freed where it is replaced.
static char *allow_requests(char *page)
{
  static const char before[] = "default-src 'none';", after[] = "default-src 'none'; connect-src 'self';";
  char *place = page ? strstr(page, before) : NULL;
  if (!place)
    return page;
  size_t head = (size_t)(place - page), size = strlen(page) + sizeof after;
  char *changed = malloc(size);
  if (changed)
    snprintf(changed, size, "%.*s%s%s", (int)head, page, after, place + sizeof before - 1);
  free(page);
  return changed;
}

// A page with the scene's world and a trajectory, to be freed; NULL: out of memory.  kind ("live", "placing")
// tells the viewer which buttons it has; put adds data of its own.
char *dc_page_served(const struct dc_scene *scene, const struct dc_stored_trajectory *best, const char *kind,
                     void (*put)(void *context, struct dc_json_writer *json), void *context)
{
  struct dc_page page = {.directory = scene->name,
                         .scene = scene,
                         .best_model = &scene->model,
                         .first_model = &scene->model,
                         .best = *best,
                         .mark_count = dc_api_marks(scene, NULL)};
  page.marks = dc_alloc((size_t)page.mark_count, sizeof *page.marks);
  if (!page.marks)
    return NULL;
  dc_api_marks(scene, page.marks);
  dc_json_begin(&page.json, NULL, '{');
  dc_json_put_string(&page.json, "format", "dcsim report 1");
  dc_json_put_boolean(&page.json, kind, true);
  dc_json_put_string(&page.json, "name", scene->name);
  dc_json_put_string(&page.json, "run", "{}");
  dc_json_put_string(&page.json, "scene", scene->resolved ? scene->resolved : "{}");
  dc_json_begin(&page.json, "loss", '{');
  dc_json_put_integer(&page.json, "rows", 0);
  dc_json_put_string(&page.json, "csv", "");
  dc_json_end(&page.json, "}");
  if (put)
    put(context, &page.json);
  enum dc_status status = dc_page_put_world(&page);
  dc_json_begin(&page.json, "best", '{');
  dc_json_put_integer(&page.json, "frames", best->all_frames);
  dc_json_put_integer(&page.json, "kept", best->frames);
  if (!status)
    status = dc_page_put_poses(&page, best, best->frames);
  dc_json_end(&page.json, "}}");
  char *data = dc_json_finish(&page.json);
  size_t size = 0;
  char *text = data && !status ? dc_report_page(dc_report_template, data, &size) : NULL;
  free(data);
  free(page.marks);
  return allow_requests(text);
}
