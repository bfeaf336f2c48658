// SPDX-License-Identifier: Apache-2.0
// dcsim_place: a page of a scene's start with a slider for every number of it.
//
// The page asks and the server answers, one request after the other.  "" is the page with the world.  "start" are the
// bodies where they stand, with gaps and sliders.  POST "move?a=I&b=N" puts slider I to N millionths of its range,
// "reset" puts all of them back, "save" writes the scene's file.  All but the page answer with the same state, and with
// a message when something was refused.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "commands/page.h"
#include "commands/placing.h"
#include "render/report.h"
#include "view/server.h"

static const double MILLIONTHS = 1e6;  // of a slider's range

// The one frame of a scene's start, in an arena of the result's own, which the caller destroys also after a
// failure.
static enum dc_status take_start(const struct dc_scene *scene, struct dc_stored_trajectory *start,
                                 struct dc_error *error)
{
  const struct dc_bodies *bodies = &scene->model.bodies;
  struct dc_arena *arena = dc_arena_create();
  size_t count = (size_t)bodies->count;
  *start = (struct dc_stored_trajectory){.arena = arena, .frames = 1, .all_frames = 1, .bodies = bodies->count};
  if (!arena)
    return dc_out_of_memory_for(error, "the start");
  struct dc_pose *poses = dc_arena_alloc(arena, count, sizeof *poses);
  double *q = dc_arena_alloc(arena, (size_t)bodies->nq, sizeof *q);
  start->time = dc_arena_alloc(arena, 1, sizeof *start->time);
  start->position = dc_arena_alloc(arena, count, 3 * sizeof *start->position);
  start->quaternion = dc_arena_alloc(arena, count, 4 * sizeof *start->quaternion);
  if (!poses || !q || !start->time || !start->position || !start->quaternion)
    return dc_out_of_memory_for(error, "the start");
  dc_initial_state(bodies, q);
  dc_poses(bodies, q, poses);
  start->time[0] = 0;
  for (size_t i = 0; i < count; i++) {
    memcpy(start->position + 3 * i, poses[i].position, sizeof poses[i].position);
    memcpy(start->quaternion + 4 * i, poses[i].quaternion, sizeof poses[i].quaternion);
  }
  if (bodies->node_count)
    start->nodes = q + bodies->first_node_q;
  return DC_OK;
}

// The convex parts by which bodies that move touch, in the frame of the body's shape.
static void put_hulls(const struct dc_bodies *bodies, struct dc_json_writer *json)
{
  dc_json_begin(json, "hulls", '[');
  for (int b = 0; b < bodies->count; b++) {
    const struct dc_shape *shape = bodies->bodies[b].shape;
    if (!dc_body_moves(&bodies->bodies[b]) || shape->type->half_space || shape->part_count == 0)
      continue;
    dc_json_begin(json, NULL, '{');
    dc_json_put_string(json, "body", bodies->bodies[b].name);
    dc_json_begin(json, "parts", '[');
    for (int p = 0; p < shape->part_count; p++)
      dc_json_put_owned(json, NULL,
                        dc_report_floats(3 * (size_t)shape->parts[p].vertex_count, shape->parts[p].vertices[0]));
    dc_json_end(json, "]}");
  }
  dc_json_end(json, "]");
}

// A slider needs this to be drawn and to send its value back: kind, body or joint, range, and the value now.
static void put_sliders(const struct dc_placing *placing, struct dc_json_writer *json)
{
  static const char *const names[] = {"position", "turn", "joint"};
  dc_json_begin(json, "sliders", '[');
  for (int i = 0; i < placing->count; i++) {
    const struct dc_placing_slider *slider = &placing->sliders[i];
    dc_json_begin(json, NULL, '{');
    dc_json_put_string(json, "kind", names[slider->kind]);
    dc_json_put_string(json, "body", slider->body);
    if (slider->joint)
      dc_json_put_string(json, "joint", slider->joint);
    dc_json_put_string(json, "unit", slider->angle ? "rad" : "m");
    DC_JSON_NUMBERS(json, {"axis", slider->axis}, {"count", slider->count}, {"low", slider->low},
                    {"high", slider->high}, {"given", slider->given}, {"value", slider->value});
    dc_json_end(json, "}");
  }
  dc_json_end(json, "]");
}

// The page's own part of its data, beside what every served page has.
static void put_page(void *context, struct dc_json_writer *json)
{
  const struct dc_placing *placing = context;
  dc_json_put_string(json, "path", placing->path);
  put_sliders(placing, json);
  put_hulls(&placing->present->scene->model.bodies, json);
}

// The page with the start as it is now; NULL when memory is out or the scene no longer opens.
static char *make_page(struct dc_placing *placing)
{
  struct dc_stored_trajectory start;
  struct dc_error error = {0};
  char *page = take_start(placing->present->scene, &start, &error)
                   ? NULL
                   : dc_page_served(placing->present->scene, &start, "placing", put_page, placing);
  dc_arena_destroy(start.arena);
  return page;
}

// Writes the state that all requests but the page are answered with: sliders and their values, poses, pairs
// with gaps as dcsim_probe tells them, and why something was refused, "" where nothing was.
// A scene whose bodies overlap has no probe; its state says which overlap, so that the page can mark them.
static char *make_state(const struct dc_placing *placing, const char *message)
{
  struct dc_page page = {.directory = "the view", .scene = placing->present->scene};
  struct dc_stored_trajectory start;
  dcsim_report probe = {0};
  dcsim_error error = {0};
  enum dc_status status = take_start(page.scene, &start, &page.error);
  bool apart = dcsim_probe(placing->present, &probe, &error) == DCSIM_OK;
  dc_json_begin(&page.json, NULL, '{');
  dc_json_put_string(&page.json, "message", message);
  dc_json_put_string(&page.json, "overlap", apart ? "" : error.text);
  put_sliders(placing, &page.json);
  dc_json_put_raw(&page.json, "probe", apart ? probe.json : "null");
  DC_JSON_NUMBERS(&page.json, {"frames", 1}, {"kept", 1});
  if (!status)
    status = dc_page_put_poses(&page, &start, 1);
  dc_json_end(&page.json, "}");
  char *text = dc_json_finish(&page.json);
  dcsim_report_free(&probe);
  dc_arena_destroy(start.arena);
  if (!status)
    return text;
  free(text);
  return NULL;
}

// Carries out a button or slider.  What is refused leaves everything as it was and becomes the message of the
// state; NULL: there is no such request.
// The server's thread is the only one that changes the scene, one request after the other; no lock is needed.
static char *change(struct dc_placing *placing, const struct dc_server_request *request)
{
  dcsim_error error = {0};
  long i = request->number[0];
  if (strcmp(request->path, "save") == 0) {
    if (!dc_placing_save(placing, &error))
      return make_state(placing, "saved");
  } else if (strcmp(request->path, "reset") == 0) {
    dc_placing_reset(placing, &error);
  } else if (strcmp(request->path, "move") == 0 && i >= 0 && i < placing->count && request->number[1] >= 0) {
    const struct dc_placing_slider *slider = &placing->sliders[i];
    double part = fmin(1, (double)request->number[1] / MILLIONTHS);
    dc_placing_move(placing, (int)i, slider->low + part * (slider->high - slider->low), &error);
  } else {
    return NULL;
  }
  return make_state(placing, error.text);
}

// Answers one request: a change that is posted, the start as data, or the page.  Anything else is not found.
static void answer(void *context, const struct dc_server_request *request, struct dc_server_reply *reply)
{
  struct dc_placing *placing = context;
  const char *type = "application/json";
  char *body = NULL;
  if (request->post)
    body = change(placing, request);
  else if (strcmp(request->path, "start") == 0)
    body = make_state(placing, "");
  else if (request->path[0] == '\0' && (body = make_page(placing)))
    type = "text/html; charset=utf-8";
  if (body)
    *reply = (struct dc_server_reply){.status = 200, .type = type, .body = body, .size = strlen(body)};
}

// Serves the page on which bodies are placed by sliders until the caller no longer wants it, which is asked four times
// a second. The server answers on a thread of its own; this one only waits.
int dcsim_place(const char *path, const dcsim_scene_options *scene_options, const dcsim_watch_options *options,
                dcsim_error *error)
{
  const struct timespec moment = {.tv_nsec = 250000000};
  struct dc_error local = {0};
  dcsim_watch_options own = {0};
  dcsim_scene_options opened = {.size = sizeof opened};
  struct dc_placing placing = {0};
  if (dc_api_read_sized(&own, sizeof own, options, &local) ||
      (scene_options && dc_api_read_sized(&opened, sizeof opened, scene_options, &local)))
    return dc_api_fail(error, &local, local.status);
  if (!own.watching)
    return dc_api_fail(error, &local, dc_fail(&local, DC_USAGE, "watching: must not be NULL"));
  opened.size = sizeof opened;
  int status = dc_placing_open(&placing, path, &opened, error);
  struct dc_server *server = status ? NULL : dc_server_start(own.port, answer, &placing, &local);
  if (!status && !server)
    status = dc_api_fail(error, &local, local.status);
  while (server && own.watching(own.context, dc_server_address(server)) == 0)
    nanosleep(&moment, NULL);
  dc_server_stop(server);
  dc_placing_close(&placing);
  return status;
}
