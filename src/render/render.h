// SPDX-License-Identifier: Apache-2.0
// Pictures of a scene: ray tracing by Embree, soft light, ground, target marks.  The pixels do not depend on the number
// of threads.  With other vector instructions Embree rounds differently, and single pixels differ by one of 255 levels
// or few.
#ifndef DC_RENDER_RENDER_H
#define DC_RENDER_RENDER_H

#include "body/body.h"

enum { DC_LARGEST_SIDE = 16384 };  // pixels, of a picture or a film

struct dc_render_mark {
  double center[3];  // m; drawn as a ring on the ground below it
  double radius;     // m
  double color[3];
};

struct dc_render_settings {
  int width, height;  // 1 .. 16384
  // Eye rays through a pixel at an edge, 1 .. 4096; where light changes fast, a pixel casts a quarter as many light
  // rays, which are averaged over neighbours.  16 suffices.  From 64 on every pixel has all of them, each with its own
  // light rays and without averaging: slow, for comparison.
  int samples;
  double eye[3], target[3], up[3], fov_deg;  // m; the field of view is the vertical one, 1 .. 170 degrees
  double floor_height;                       // z of the infinite ground plane that is drawn, m; NAN: none
  double grid;                               // distance of lines on the ground, m; 0: none
};

struct dc_renderer;

// Creates a renderer; everything needed is copied.  Bodies are drawn with their meshes and colours, half-spaces not at
// all: floor_height gives the ground.  Vertex normals are smoothed where faces meet at less than 40 degrees.  Marks and
// traces lie on the ground and on upward faces of fixed bodies.  Returns NULL on failure: DC_BAD_INPUT (sizes, camera,
// marks, mesh indices), DC_MEMORY, or DC_NUMERICAL when Embree fails.
struct dc_renderer *dc_renderer_create(const struct dc_bodies *bodies, int mark_count,
                                       const struct dc_render_mark *marks, const struct dc_render_settings *settings,
                                       struct dc_error *error);
void dc_renderer_destroy(struct dc_renderer *renderer);

// Moves the camera: eye, target, up and fov_deg of settings; the light stays.  DC_BAD_INPUT: the camera.
enum dc_status dc_render_look(struct dc_renderer *renderer, const struct dc_render_settings *settings,
                              struct dc_error *error);
// Position of a point in the last frame drawn, in pixels from the upper left corner, and whether a body hides it;
// false: behind the camera.
bool dc_render_project(const struct dc_renderer *renderer, const double point[3], bool *hidden, double place[2]);

// Directions from which a camera that shows everything looks: the front left corner from above the horizon; -y; +y; -x;
// +x; from above, with y upwards in the picture.
enum dc_render_side {
  DC_FROM_CORNER,
  DC_FROM_FRONT,
  DC_FROM_BACK,
  DC_FROM_LEFT,
  DC_FROM_RIGHT,
  DC_FROM_TOP,
  DC_RENDER_SIDES
};
extern const char *const dc_render_side_names[DC_RENDER_SIDES + 1];  // NULL-terminated

// Sets eye, target, up (and fov_deg unless it is in 1 .. 170) such that points [count][3] are in view with a margin,
// seen from that side.  The aspect is that of settings; points that are not finite are ignored.
void dc_render_frame_camera(int count, const double (*points)[3], enum dc_render_side side,
                            struct dc_render_settings *settings);

// Positions of all nodes of soft bodies [3 node_count], in order, m, for the following frames; before, they are at
// their start.  DC_MEMORY, DC_NUMERICAL from Embree.
enum dc_status dc_render_deform(struct dc_renderer *renderer, const double *nodes, struct dc_error *error);

// Draws one frame: poses [bodies], pixels [height][width][3], 8-bit sRGB, top row first.  traces (may be NULL):
// earlier positions [trace_count][bodies][3] of all bodies, drawn up to the present one as thin lines below movable
// bodies, the older the fainter.  One renderer draws one frame at a time (on all OpenMP threads).  DC_BAD_INPUT when
// a pose is not finite, DC_MEMORY, DC_NUMERICAL from Embree.
enum dc_status dc_render_frame(struct dc_renderer *renderer, const struct dc_pose *poses, int trace_count,
                               const double *traces, unsigned char *pixels, struct dc_error *error);

// Writes an 8-bit sRGB picture under a temporary name beside path and renames it: path is the whole picture or
// untouched.  DC_IO with the file's name, DC_MEMORY, DC_BAD_INPUT for sizes outside 1 .. 16384.
enum dc_status dc_png_write(const char *path, int width, int height, const unsigned char *pixels,
                            struct dc_error *error);

// Versions of the libraries for drawing.
const char *dc_embree_version(void);
const char *dc_png_version(void);

#endif
