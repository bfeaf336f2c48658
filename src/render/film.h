// SPDX-License-Identifier: Apache-2.0
// Films: frames go as raw pixels to the external program ffmpeg, which writes H.264 (yuv420p, BT.709).
#ifndef DC_RENDER_FILM_H
#define DC_RENDER_FILM_H

#include "base/status.h"

struct dc_film;

// DC_USAGE unless path ends in .mp4, .m4v, .mov or .mkv and width and height are even and 2 .. 16384 (H.264 stores
// colours for blocks of 2 x 2 pixels).
enum dc_status dc_film_check(const char *path, int width, int height, struct dc_error *error);

// Begins a film of frames_per_second (0.001 .. 1000) under a temporary name beside path.  ffmpeg is looked for in PATH
// and runs in a process group of its own, so that a Ctrl-C for the caller does not end it.  Returns NULL on failure:
// DC_USAGE as above and for the rate, DC_IO (no ffmpeg, path cannot be written), DC_MEMORY.
struct dc_film *dc_film_open(const char *path, int width, int height, double frames_per_second, struct dc_error *error);

// Adds a frame: pixels [height][width][3], 8-bit sRGB, top row first.  DC_IO with ffmpeg's own words when it fails.
enum dc_status dc_film_add(struct dc_film *film, const unsigned char *pixels, struct dc_error *error);

// Completes the film and renames it to path, which is the whole film or, after a failure, untouched.  Releases film in
// both cases.  DC_IO.
enum dc_status dc_film_finish(struct dc_film *film, struct dc_error *error);

// Releases a film that is not wanted any more, and its temporary file; NULL is allowed.
void dc_film_abandon(struct dc_film *film);

#endif
