// SPDX-License-Identifier: Apache-2.0
// Lines, arrows and letters over a picture.
#include "render/overlay.h"

#include "harness.h"

enum { WIDTH = 120, HEIGHT = 60 };
static unsigned char pixels[HEIGHT][WIDTH][3];
static const struct dc_overlay overlay = {WIDTH, HEIGHT, &pixels[0][0][0]};
static const unsigned char black[3] = {0, 0, 0};

static void clear(void)
{
  memset(pixels, 255, sizeof pixels);
}

// Ink on the picture, in whole pixels.
static double ink(void)
{
  double sum = 0;
  for (int row = 0; row < HEIGHT; row++)
    for (int column = 0; column < WIDTH; column++)
      sum += 1 - pixels[row][column][0] / 255.0;
  return sum;
}

static void lines_have_their_width(void)
{
  const double start[2] = {20, 30}, end[2] = {80, 30}, slanted[2] = {60, 50};
  clear();
  dc_overlay_line(&overlay, start, end, 5, black, 1);
  CHECK_NEAR(ink(), 60 * 5 + 3.1416 * 2.5 * 2.5, 0.5);  // observed 319.6: the middle and two half discs
  CHECK(pixels[30][50][0] == 0 && pixels[34][50][0] == 255 && pixels[30][90][0] == 255);
  clear();
  dc_overlay_line(&overlay, start, slanted, 3, black, 1);
  CHECK_NEAR(ink(), hypot(40, 20) * 3 + 3.1416 * 1.5 * 1.5, 1.5);  // observed 140.1 of 141.2
  clear();
  dc_overlay_line(&overlay, start, start, 9, black, 0.5);
  CHECK_NEAR(ink(), 0.5 * 3.1416 * 4.5 * 4.5, 0.5);
}

static void arrows_end_at_their_point(void)
{
  const double start[2] = {20, 30}, end[2] = {80, 30}, near[2] = {20.2, 30};
  clear();
  dc_overlay_arrow(&overlay, start, end, 2, black);
  CHECK(pixels[30][85][0] == 255 && pixels[30][74][0] == 0 && pixels[30][30][0] == 0);
  // wider behind the point than the line, above and below
  CHECK(pixels[27][72][0] == 0 && pixels[32][72][0] == 0 && pixels[27][60][0] == 255);
  clear();
  dc_overlay_arrow(&overlay, start, near, 2, black);
  CHECK_NEAR(ink(), 0, 0);
}

static void letters_differ(void)
{
  static unsigned char seen[95][HEIGHT][WIDTH][3];
  const double place[2] = {20, 40};
  for (int c = 0; c < 95; c++) {
    const char text[2] = {(char)(' ' + c), 0};
    memset(pixels, 128, sizeof pixels);
    dc_overlay_text(&overlay, place, 24, text);
    memcpy(seen[c], pixels, sizeof pixels);
  }
  // Those that are not drawn are all the same box; the others are all different.
  static const char boxes[] = "$&@`{}~";
  for (int a = 0; a < 95; a++)
    for (int b = a + 1; b < 95; b++) {
      bool same = memcmp(seen[a], seen[b], sizeof seen[a]) == 0;
      CHECK(same == (strchr(boxes, ' ' + a) && strchr(boxes, ' ' + b)), "%c and %c", ' ' + a, ' ' + b);
    }
}

static void nothing_is_drawn_outside(void)
{
  static unsigned char guarded[3][WIDTH][3];
  const struct dc_overlay strip = {WIDTH, 1, &guarded[1][0][0]};
  const double places[4][2] = {{-1e9, -1e9}, {1e9, 0.5}, {0.5, -3}, {NAN, 0}};
  for (int a = 0; a < 4; a++)
    for (int b = 0; b < 4; b++) {
      dc_overlay_line(&strip, places[a], places[b], 3, black, 1);
      dc_overlay_arrow(&strip, places[a], places[b], 3, black);
    }
  dc_overlay_text(&strip, places[2], 20, "out \x01\xff");
  for (int c = 0; c < WIDTH; c++)
    CHECK(guarded[0][c][0] == 0 && guarded[2][c][0] == 0);
  clear();
  dc_overlay_line(&overlay, places[0], places[0], 3, black, 1);
  dc_overlay_line(&overlay, places[3], places[0], 3, black, 1);
  CHECK_NEAR(ink(), 0, 0);
}

RUN_TESTS({"lines have their width", lines_have_their_width}, {"arrows end at their point", arrows_end_at_their_point},
          {"letters differ", letters_differ}, {"nothing is drawn outside", nothing_is_drawn_outside})
