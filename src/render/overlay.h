// SPDX-License-Identifier: Apache-2.0
// Drawing over a finished picture: lines, arrows, dots and text.  Positions are in pixels from the upper left corner,
// colours in 8-bit sRGB; edges are softened over one pixel.
#ifndef DC_RENDER_OVERLAY_H
#define DC_RENDER_OVERLAY_H

#include "render/render.h"

struct dc_overlay {
  int width, height;
  unsigned char *pixels;  // [height][width][3], not owned
};

// Draws a line with round ends; a dot where both ends coincide.
void dc_overlay_line(const struct dc_overlay *overlay, const double start[2], const double end[2], double width,
                     const unsigned char color[3], double opacity);
// Draws an arrow of that width with its tip at end.
void dc_overlay_arrow(const struct dc_overlay *overlay, const double start[2], const double end[2], double width,
                      const unsigned char color[3]);
// Draws one line of printable ASCII with capitals of that height, its lower left corner at place, dark on a bright rim.
// Other characters become boxes.
void dc_overlay_text(const struct dc_overlay *overlay, const double place[2], double height, const char *text);

#endif
