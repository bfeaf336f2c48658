// SPDX-License-Identifier: Apache-2.0
// How long a picture takes.
#ifndef BENCH_PICTURE_H
#define BENCH_PICTURE_H

#include "base/status.h"

struct dc_picture_times {
  int width, height, samples, triangles;
  double seconds;    // of a picture, the least of several
  double processor;  // seconds of all threads together for that one
};

// Sixty balls on a plane, about 5 thousand triangles, with soft shadows, at 1280 x 720 and 4 samples a pixel.
enum dc_status dc_bench_picture(struct dc_picture_times *times, struct dc_error *error);

#endif
