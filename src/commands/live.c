// SPDX-License-Identifier: Apache-2.0
// The live view: a page about a run under way, served to this machine only.
//
// Three parties share one state (live.h), none of which waits for another:
//   the run      calls dcsim_view_observe after every iteration, which copies numbers and the best trajectory;
//   the server   (view/server.h) answers in a thread of its own; `answer` is its only way in;
//   the page     asks for "state" again and again and, when the version of the trajectory there is a new one, for
//                "trajectory".  Buttons are POST requests that leave a wish, which the run reads at its next report.
// A run of another process has no observer; watch.h reads its files instead and puts the same state together.  At the
// end the page is given a moment to learn of it before the server stops.
#include "commands/live.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "commands/run_scene.h"
#include "base/clock.h"
#include "commands/page.h"
#include "commands/watch.h"
#include "view/server.h"

struct dcsim_view {
  const dcsim_scene *scene;
  struct dc_live *live;
  struct dc_server *server;
  struct dc_watch *watch;  // of a run in another process; NULL: it is in this one
  char directory[4096];    // of the run, "": none; read when it has ended (dc_live_has_ended), when it does not change
};

static const double last_look = 3;  // s that a page which is being looked at has to learn of the end

// The body is handed over to the server, which frees it.  NULL (out of memory) leaves the reply as it is: "not
// found".
static void reply_with(struct dc_server_reply *reply, const char *type, char *body)
{
  if (!body)
    return;
  *reply = (struct dc_server_reply){.status = 200, .type = type, .body = body, .size = strlen(body)};
}

// World and best trajectory so far; the rest comes by requests of the page.
static char *make_page(struct dcsim_view *view)
{
  long version;
  return dc_page_served(view->scene->scene, dc_live_take(view->live, &version), "live", NULL, NULL);
}

// Only the report of a run that has ended is offered: the file of a running one may be half written.
static bool has_report(const struct dcsim_view *view)
{
  return dc_live_has_ended(view->live) && view->directory[0] && dc_run_has(view->directory, "report.html");
}

// Writes numbers, log and rows since the last request of a page: it has number[0] rows of the generation
// number[1].
static char *make_state(struct dcsim_view *view, const struct dc_server_request *request)
{
  struct dc_json_writer json = {0};
  dc_json_begin(&json, NULL, '{');
  dc_live_put_state(view->live, request->number[0], request->number[1], &json);
  dc_json_put_boolean(&json, "report", has_report(view));
  dc_json_end(&json, "}");
  return dc_json_finish(&json);
}

// Poses of the best trajectory so far, already thinned when it was copied.
static char *make_trajectory(struct dcsim_view *view)
{
  long version;
  struct dc_page page = {.directory = "live view", .scene = view->scene->scene};
  const struct dc_stored_trajectory *best = dc_live_take(view->live, &version);
  dc_json_begin(&page.json, NULL, '{');
  DC_JSON_NUMBERS(&page.json, {"version", version}, {"frames", best->all_frames}, {"kept", best->frames});
  enum dc_status status = dc_page_put_poses(&page, best, best->frames);
  dc_json_end(&page.json, "}");
  char *text = dc_json_finish(&page.json);
  if (!status)
    return text;
  free(text);
  return NULL;
}

// Returns the text, to be freed by the caller, or NULL if it cannot be read.
static char *read_report(const struct dcsim_view *view)
{
  char *text = NULL;
  struct dc_error error = {0};
  if (has_report(view) && dc_run_read_text(view->directory, "report.html", &text, &error))
    return NULL;
  return text;
}

// Answers a request: POST is a button, "" the page, the others data that the page asks for.  A path that is not
// known leaves the reply as it is, which the server takes for "not found".
static void answer(void *context, const struct dc_server_request *request, struct dc_server_reply *reply)
{
  static const char page[] = "text/html; charset=utf-8", data[] = "application/json";
  struct dcsim_view *view = context;
  if (request->post) {
    if (view->watch ? dc_watch_wish(view->watch, request->path) : dc_live_wish(view->live, request->path))
      reply_with(reply, data, strdup("{}\n"));
  } else if (request->path[0] == '\0') {
    reply_with(reply, page, make_page(view));
  } else if (strcmp(request->path, "state") == 0) {
    reply_with(reply, data, make_state(view, request));
  } else if (strcmp(request->path, "trajectory") == 0) {
    reply_with(reply, data, make_trajectory(view));
  } else if (strcmp(request->path, "report") == 0) {
    reply_with(reply, page, read_report(view));
  }
}

// The state comes before the server, whose thread reads it from the first request on; stopping goes the other way.
// The address is http://127.0.0.1 with the port and a random token (view/server.h); port 0 lets the kernel choose.
// DCSIM_USAGE: an argument is missing; the other statuses are those of the server.
int dcsim_view_start(const dcsim_scene *scene, int port, dcsim_view **view, dcsim_error *error)
{
  if (dc_api_need(scene, "scene", error))
    return DCSIM_USAGE;
  if (dc_api_need(view, "view", error))
    return DCSIM_USAGE;
  struct dc_error local = {0};
  struct dcsim_view *made = dc_alloc(1, sizeof *made);
  *view = NULL;
  if (made) {
    made->scene = scene;
    made->live = dc_live_create(&scene->scene->model.bodies, scene->scene->definition.time.steps);
  }
  if (!made || !made->live)
    dc_out_of_memory_for(&local, "the live view");
  else
    made->server = dc_server_start(port, answer, made, &local);
  if (local.status) {
    dcsim_view_stop(made);
    return dc_api_fail(error, &local, local.status);
  }
  *view = made;
  return DCSIM_OK;
}

const char *dcsim_view_address(const dcsim_view *view)
{
  return view ? dc_server_address(view->server) : "";
}

int dcsim_view_observe(dcsim_view *view, const dcsim_progress *progress)
{
  return view ? dc_live_observe(view->live, progress) : 0;
}

int dcsim_view_is_paused(dcsim_view *view)
{
  return view && dc_live_is_paused(view->live);
}

void dcsim_view_log(dcsim_view *view, const char *line)
{
  if (view && line)
    dc_live_log(view->live, "%s", line);
}

// Ends the view: pages that are being looked at get last_look seconds to ask for the last state.  A view that
// nobody looks at ends at once.
void dcsim_view_end(dcsim_view *view, const char *directory, const char *words)
{
  const struct timespec moment = {.tv_nsec = 20000000};
  if (!view)
    return;
  if (directory)
    snprintf(view->directory, sizeof view->directory, "%s", directory);
  dc_live_end(view->live, words ? words : "");
  double began = dc_seconds();
  while (dc_live_idle(view->live) < last_look && !dc_live_is_told(view->live) && dc_seconds() - began < last_look)
    nanosleep(&moment, NULL);
}

// The server's thread ends first, as it reads the watch and the state.  NULL is accepted.
void dcsim_view_stop(dcsim_view *view)
{
  if (!view)
    return;
  dc_server_stop(view->server);
  dc_watch_destroy(view->watch);
  dc_live_destroy(view->live);
  free(view);
}

// Looks at the files four times a second until the caller's function returns another number than 0.
static void watch(struct dcsim_view *view, const dcsim_watch_options *options)
{
  const struct timespec moment = {.tv_nsec = 250000000};
  while (options->watching(options->context, dcsim_view_address(view)) == 0) {
    dc_watch_look(view->watch);
    nanosleep(&moment, NULL);
  }
}

// Shows a run of another process until the caller's function says stop.
int dcsim_watch(const char *directory, const dcsim_watch_options *options, dcsim_error *error)
{
  dcsim_scene *scene;
  dcsim_watch_options own = {0};
  struct dc_error local = {0};
  if (dc_api_read_sized(&own, sizeof own, options, &local))
    return dc_api_fail(error, &local, local.status);
  if (dc_api_need(directory, "directory", error))
    return DCSIM_USAGE;
  if (!own.watching)
    return dc_api_fail(error, &local, dc_fail(&local, DC_USAGE, "watching: must not be NULL"));
  int status = dc_api_open_run_scene(directory, "resolved.json", NULL, &scene, error);
  if (status)
    return status;
  struct dcsim_view *view;
  status = dcsim_view_start(scene, own.port, &view, error);
  if (!status) {
    // requests of pages come when the address is known, which it is not yet
    view->watch = dc_watch_create(directory, scene, view->live);
    snprintf(view->directory, sizeof view->directory, "%s", directory);
    if (view->watch)
      watch(view, &own);
    else
      status = dc_api_fail(error, &local, dc_out_of_memory_for(&local, "the live view"));
  }
  dcsim_view_stop(view);
  dcsim_scene_close(scene);
  return status;
}
