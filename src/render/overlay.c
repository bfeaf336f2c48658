// SPDX-License-Identifier: Apache-2.0
// Lines, arrows and text drawn over a finished picture, with coverage by the distance to the nearest segment.
//
// Letters are polylines on a grid, smoothed by cutting corners; a bright rim is drawn first, then the dark letter.
#include "render/overlay.h"

#include <math.h>
#include <string.h>

#include "render/constants.h"

// Letters are strokes on a grid 4 wide: baseline at 2, capitals up to 8, small letters up to 6, descenders down to 0.
// A stroke is a sequence of points, two digits each; ~ rounds its corners, and closes it where it ends at its start.
static const char *const glyphs[95] = {
    [' ' - ' '] = "",
    ['!' - ' '] = "2824 2222",
    ['"' - ' '] = "1816 3836",
    ['#' - ' '] = "1812 3832 0646 0444",
    ['%' - ' '] = "4802 0808 4242",
    ['\'' - ' '] = "2826",
    ['(' - ' '] = "~38262432",
    [')' - ' '] = "~18262412",
    ['*' - ' '] = "0644 0446 2723",
    ['+' - ' '] = "0444 2622",
    [',' - ' '] = "2211",
    ['-' - ' '] = "0444",
    ['.' - ' '] = "2222",
    ['/' - ' '] = "0148",
    ['0' - ' '] = "~040618384644321204",
    ['1' - ' '] = "062822 1232",
    ['2' - ' '] = "~0718384746450302 0242",
    ['3' - ' '] = "~07183847463525 ~25354443321203",
    ['4' - ' '] = "383204 380444",
    ['5' - ' '] = "480805 ~0516364543321203",
    ['6' - ' '] = "~4738180604 ~040516364543321203 0304",
    ['7' - ' '] = "084812",
    ['8' - ' '] = "~150607183847463515 ~150403123243443515",
    ['9' - ' '] = "~0312324446 ~464534140507183847 4746",
    [':' - ' '] = "2323 2626",
    [';' - ' '] = "2626 2211",
    ['<' - ' '] = "460442",
    ['=' - ' '] = "0343 0545",
    ['>' - ' '] = "064402",
    ['?' - ' '] = "~07183847462524 2222",
    ['A' - ' '] = "022842 1434",
    ['B' - ' '] = "0208 ~083847463505 ~053544433202",
    ['C' - ' '] = "~4738180703123243",
    ['D' - ' '] = "0208 ~082846442202",
    ['E' - ' '] = "48080242 0535",
    ['F' - ' '] = "480802 0535",
    ['G' - ' '] = "~4738180703123243 434525",
    ['H' - ' '] = "0802 4842 0545",
    ['I' - ' '] = "1838 1232 2822",
    ['J' - ' '] = "~3833221203",
    ['K' - ' '] = "0802 480542",
    ['L' - ' '] = "080242",
    ['M' - ' '] = "0208244842",
    ['N' - ' '] = "02084248",
    ['O' - ' '] = "~030718384743321203",
    ['P' - ' '] = "0208 ~083847463505",
    ['Q' - ' '] = "~030718384743321203 2442",
    ['R' - ' '] = "0208 ~083847463505 2542",
    ['S' - ' '] = "~473818070615354443321203",
    ['T' - ' '] = "0848 2822",
    ['U' - ' '] = "~080312324348",
    ['V' - ' '] = "082248",
    ['W' - ' '] = "0812263248",
    ['X' - ' '] = "0842 4802",
    ['Y' - ' '] = "082548 2522",
    ['Z' - ' '] = "08480242",
    ['[' - ' '] = "38181232",
    ['\\' - ' '] = "0841",
    [']' - ' '] = "18383212",
    ['^' - ' '] = "062846",
    ['_' - ' '] = "0141",
    ['a' - ' '] = "4642 ~4536160503123243",
    ['b' - ' '] = "0802 ~0516364543321203",
    ['c' - ' '] = "~4536160503123243",
    ['d' - ' '] = "4842 ~4536160503123243",
    ['e' - ' '] = "0444 ~444536160503123243",
    ['f' - ' '] = "~48382722 0646",
    ['g' - ' '] = "~4536160503123243 ~4641301001",
    ['h' - ' '] = "0802 ~0516364542",
    ['i' - ' '] = "2622 2828",
    ['j' - ' '] = "~26211000 2828",
    ['k' - ' '] = "0802 360442",
    ['l' - ' '] = "2822",
    ['m' - ' '] = "0602 ~05162522 ~25364542",
    ['n' - ' '] = "0602 ~0516364542",
    ['o' - ' '] = "~030516364543321203",
    ['p' - ' '] = "0600 ~0516364543321203",
    ['q' - ' '] = "4640 ~4536160503123243",
    ['r' - ' '] = "0602 ~05163645",
    ['s' - ' '] = "~45361605143443321203",
    ['t' - ' '] = "~28233242 0646",
    ['u' - ' '] = "4642 ~0603123243",
    ['v' - ' '] = "062246",
    ['w' - ' '] = "0612253246",
    ['x' - ' '] = "0642 4602",
    ['y' - ' '] = "0622 4610",
    ['z' - ' '] = "06460242",
    ['|' - ' '] = "2820",
};
static const char unknown[] = "0248 0842 0848420208";

// MOST_PLACES: points of a stroke before rounding, each round doubles them; a longer stroke in the table above
// overflows the arrays.  CAPITALS: height of a capital letter in units of the grid.
enum { MOST_PLACES = 16, ROUNDINGS = 2, CAPITALS = 6, BASELINE = 2 };
static const unsigned char ink[3] = {40, 44, 52}, rim[3] = {255, 255, 255};

// Turns NaN into 0, too.
static double at_least_zero(double x)
{
  return x > 0 ? x : 0;
}

// Mixes a colour into a pixel; opacity 0 to 1.
static void blend(const struct dc_overlay *overlay, int column, int row, const unsigned char color[3], double opacity)
{
  unsigned char *pixel = overlay->pixels + 3 * ((size_t)row * (size_t)overlay->width + (size_t)column);
  for (int i = 0; i < 3; i++)
    pixel[i] = (unsigned char)(pixel[i] + opacity * (color[i] - pixel[i]) + 0.5);
}

// Columns or rows within reach of a .. b, clipped to 0 .. count.
static void range(double a, double b, double reach, int count, int *first, int *end)
{
  *first = (int)fmin(count, at_least_zero(floor(fmin(a, b) - reach)));
  *end = (int)fmin(count, at_least_zero(ceil(fmax(a, b) + reach)));
}

// Draws a line with soft edges.  A pixel's opacity is the distance of its centre inside the border of the line, in
// pixels, plus one half, within 0 and 1: a border through the centre covers half of the pixel.  Ends are round,
// because the distance is that from the segment.
void dc_overlay_line(const struct dc_overlay *overlay, const double start[2], const double end[2], double width,
                     const unsigned char color[3], double opacity)
{
  double along[2] = {end[0] - start[0], end[1] - start[1]}, square = along[0] * along[0] + along[1] * along[1];
  int left, right, top, bottom;
  if (!isfinite(start[0] + start[1] + end[0] + end[1]))
    return;
  range(start[0], end[0], 0.5 * width + 1, overlay->width, &left, &right);
  range(start[1], end[1], 0.5 * width + 1, overlay->height, &top, &bottom);
  for (int row = top; row < bottom; row++)
    for (int column = left; column < right; column++) {
      double x = column + 0.5 - start[0], y = row + 0.5 - start[1];
      double s = square > 0 ? fmin(1, at_least_zero((x * along[0] + y * along[1]) / square)) : 0;
      double inside = 0.5 * width - hypot(x - s * along[0], y - s * along[1]);
      blend(overlay, column, row, color, opacity * fmin(1, at_least_zero(inside + 0.5)));
    }
}

// Draws a line with a triangle as its head, whose tip is at the end.  Arrows shorter than a head are heads alone, and
// those under half a pixel are left out.  The line ends within the head, at its neck, so that its round end does not
// show.
void dc_overlay_arrow(const struct dc_overlay *overlay, const double start[2], const double end[2], double width,
                      const unsigned char color[3])
{
  double along[2] = {end[0] - start[0], end[1] - start[1]}, length = hypot(along[0], along[1]);
  if (!(length > 0.5) || !isfinite(length))
    return;
  along[0] /= length, along[1] /= length;
  double head = fmin(4.5 * width, length), half = 0.45 * head;
  const double neck[2] = {end[0] - 0.8 * head * along[0], end[1] - 0.8 * head * along[1]};
  int left, right, top, bottom;
  if (length > head)
    dc_overlay_line(overlay, start, neck, width, color, 1);
  range(end[0], end[0], 1.2 * head + 1, overlay->width, &left, &right);
  range(end[1], end[1], 1.2 * head + 1, overlay->height, &top, &bottom);
  double slope = hypot(head, half);
  for (int row = top; row < bottom; row++)
    for (int column = left; column < right; column++) {
      // Distances behind the tip, and to the side.
      double x = column + 0.5 - end[0], y = row + 0.5 - end[1];
      double behind = -(x * along[0] + y * along[1]), side = fabs(x * along[1] - y * along[0]);
      double inside = fmin((behind * half - side * head) / slope, head - behind);
      blend(overlay, column, row, color, fmin(1, at_least_zero(inside + 0.5)));
    }
}

// Cuts the corners of a polyline (Chaikin 1974), for a closed one also the first; returns the new number of points,
// about twice as many.  Each segment is replaced by the part between its quarters.
static int round_corners(double (*places)[2], int count)
{
  double cut[4 * MOST_PLACES][2];
  bool closed = memcmp(places[0], places[count - 1], sizeof *places) == 0;
  int made = 0;
  if (!closed)
    memcpy(cut[made++], places[0], sizeof *places);
  for (int p = 0; p + 1 < count; p++)
    for (int part = 1; part <= 3; part += 2, made++)
      for (int i = 0; i < 2; i++)
        cut[made][i] = places[p][i] + 0.25 * part * (places[p + 1][i] - places[p][i]);
  memcpy(cut[made++], closed ? cut[0] : places[count - 1], sizeof *places);
  memcpy(places, cut, (size_t)made * sizeof *places);
  return made;
}

// Draws a glyph: strokes of places on a grid; "~" makes them round.
static void draw_glyph(const struct dc_overlay *overlay, const double place[2], double unit, const char *glyph,
                       double width, const unsigned char color[3], double opacity)
{
  while (*glyph) {
    double places[4 * MOST_PLACES][2];
    bool rounded = *glyph == '~';
    int count = 0;
    glyph += rounded;
    for (; *glyph && *glyph != ' '; glyph += 2, count++) {
      places[count][0] = place[0] + unit * (glyph[0] - '0' + 0.5 * (DC_LETTER_ADVANCE - 4));
      places[count][1] = place[1] - unit * (glyph[1] - '0' - BASELINE);
    }
    glyph += *glyph == ' ';
    for (int r = 0; r < ROUNDINGS && rounded; r++)
      count = round_corners(places, count);
    for (int p = 0; p + 1 < count; p++)
      dc_overlay_line(overlay, places[p], places[p + 1], unit * width, color, opacity);
  }
}

// All rims first, then all letters, so that the rim of one letter does not cover its neighbour.
void dc_overlay_text(const struct dc_overlay *overlay, const double place[2], double height, const char *text)
{
  double unit = height / CAPITALS;
  for (int layer = 0; layer < 2; layer++) {
    double at[2] = {place[0], place[1]};
    for (const char *c = text; *c; c++, at[0] += DC_LETTER_ADVANCE * unit) {
      const char *glyph = *c >= ' ' && *c <= '~' ? glyphs[*c - ' '] : NULL;
      draw_glyph(overlay, at, unit, glyph ? glyph : unknown, layer ? DC_STROKE_WIDTH : DC_RIM_WIDTH, layer ? ink : rim,
                 layer ? 1 : DC_RIM_OPACITY);
    }
  }
}
