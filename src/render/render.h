// SPDX-License-Identifier: Apache-2.0
// Pictures of a scene: rays by Embree, soft light, ground, target marks.  Same pixels for any number of threads.
#ifndef DC_RENDER_RENDER_H
#define DC_RENDER_RENDER_H

#include "body/body.h"

struct dc_render_mark {
  double center[3];  // m; drawn as a ring on the ground below it
  double radius;     // m
  double color[3];
};

struct dc_render_settings {
  int width, height;
  int samples;         // per pixel, a square number is best
  double eye[3], target[3], up[3], fov_deg;
  double floor_height; // z of the infinite ground plane that is drawn, m; NAN: none
};

struct dc_renderer;

// bodies are drawn with their meshes and colours; half spaces are drawn as the ground.  Vertex normals are smoothed where faces meet at less than 40 degrees
// unless flat is set.
struct dc_renderer *dc_renderer_create(const struct dc_bodies *bodies, int mark_count, const struct dc_render_mark *marks,
                                       const struct dc_render_settings *settings, struct dc_error *error);
void dc_renderer_destroy(struct dc_renderer *renderer);

// A camera that shows points [count][3] with a margin, seen from a pleasant direction.
void dc_render_frame_camera(int count, const double (*points)[3], struct dc_render_settings *settings);

// Draws one frame: pixels [height][width][3], 8-bit sRGB.  traces (may be NULL): per body a polyline of earlier positions [trace_count][bodies][3] drawn as
// a thin line on the ground.
enum dc_status dc_render_frame(struct dc_renderer *renderer, const struct dc_pose *poses, int trace_count,
                               const double *traces, unsigned char *pixels, struct dc_error *error);

enum dc_status dc_png_write(const char *path, int width, int height, const unsigned char *pixels, struct dc_error *error);

#endif
