// SPDX-License-Identifier: Apache-2.0
// Time of drawing a picture of a scene of many bodies.
#include "bench/picture.h"

#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "render/render.h"

enum { BALLS = 60, ROW = 10, PICTURES = 7 };
static const char *const sphere_type = "sphere";

static enum dc_status make_bodies(struct dc_bodies *bodies, struct dc_shape *shape, struct dc_arena *arena,
                                  struct dc_error *error)
{
  struct dc_body_definition *definitions = dc_arena_alloc(arena, BALLS, sizeof *definitions);
  shape->name = "ball";
  shape->type = dc_shape_type_find(sphere_type);
  void *options = dc_arena_alloc(arena, 1, shape->type->options_size);
  if (!definitions || !options)
    return dc_out_of_memory_for(error, "a picture");
  enum dc_status status = dc_options_set_defaults(shape->type->options, options, arena, error);
  // the one option without a default
  int radius = dc_option_find(shape->type->options, "radius");
  *(double *)((char *)options + shape->type->options[radius].offset) = 0.1;
  shape->options = options;
  if (!status)
    status = dc_shape_build(shape, arena, error);
  for (int i = 0; i < BALLS && !status; i++) {
    status = dc_options_set_defaults(dc_body_options, &definitions[i], arena, error);
    char *name = dc_arena_printf(arena, "ball%d", i);
    if (!status && !name)
      status = dc_out_of_memory_for(error, "a picture");
    definitions[i].name = name;
    definitions[i].shape = 0;
    definitions[i].density = 1000;
    definitions[i].position[0] = 0.3 * (i % ROW);
    definitions[i].position[1] = 0.3 * (int)(i / ROW);
    definitions[i].position[2] = 0.1 + 0.05 * (i % 3);
  }
  return status ? status : dc_bodies_create(bodies, BALLS, definitions, shape, arena, error);
}

static enum dc_status draw(const struct dc_bodies *bodies, struct dc_picture_times *times, struct dc_arena *arena,
                           struct dc_error *error)
{
  struct dc_render_settings settings = {
      .width = times->width, .height = times->height, .samples = times->samples, .floor_height = 0};
  const double corners[2][3] = {{0, 0, 0}, {0.3 * (ROW - 1), 1.5, 0.3}};
  dc_render_frame_camera(2, corners, DC_FROM_CORNER, &settings);
  struct dc_pose *poses = dc_arena_alloc(arena, BALLS, sizeof *poses);
  double *q = dc_arena_alloc(arena, (size_t)bodies->nq, sizeof *q);
  unsigned char *pixels = dc_arena_alloc(arena, 3 * (size_t)times->width, (size_t)times->height);
  if (!poses || !q || !pixels)
    return dc_out_of_memory_for(error, "a picture");
  dc_initial_state(bodies, q);
  dc_poses(bodies, q, poses);
  struct dc_renderer *renderer = dc_renderer_create(bodies, 0, NULL, &settings, error);
  enum dc_status status = renderer ? DC_OK : error->status;
  times->seconds = INFINITY;
  for (int i = 0; i < PICTURES && !status; i++) {
    double start = dc_seconds(), used = dc_process_seconds();
    status = dc_render_frame(renderer, poses, 0, NULL, pixels, error);
    double seconds = dc_seconds() - start;
    if (seconds < times->seconds) {
      times->seconds = seconds;
      times->processor = dc_process_seconds() - used;
    }
  }
  dc_renderer_destroy(renderer);
  return status;
}

enum dc_status dc_bench_picture(struct dc_picture_times *times, struct dc_error *error)
{
  struct dc_arena *arena = dc_arena_create();
  struct dc_bodies bodies = {0};
  struct dc_shape shape = {0};
  *times = (struct dc_picture_times){.width = 1280, .height = 720, .samples = 4};
  enum dc_status status = arena ? make_bodies(&bodies, &shape, arena, error) : dc_out_of_memory_for(error, "a picture");
  times->triangles = BALLS * shape.mesh.triangle_count;
  if (!status)
    status = draw(&bodies, times, arena, error);
  dc_arena_destroy(arena);
  return status;
}
