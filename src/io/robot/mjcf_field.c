// SPDX-License-Identifier: Apache-2.0
// Height fields of MJCF files, as one of
//     numbers of the element, the row of the greatest y first;
//     a gray PNG image, its upper row that of the greatest y;
//     a binary file: counts of rows and columns of 32 bits, then floats, the row of the least y first.
// They are shifted and scaled to 0 to 1, as MuJoCo does.  One without numbers is flat, which two rows of two say as
// well.
#include <math.h>
#include <png.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "geometry/mesh/mesh_read.h"
#include "io/robot/mjcf_reader.h"

enum { MOST_VALUES = 250000 };

// Room for the heights, once rows and columns are known.  The limits come before the memory, as both counts may
// stem from a file.  False: refused, or out of memory.
static bool make_room(struct dc_mjcf_reader *reader, struct dc_mjcf_field *field)
{
  if (field->rows < 2 || field->columns < 2 || (long long)field->rows * field->columns > MOST_VALUES)
    dc_mjcf_refuse(reader, field->node, DC_BAD_INPUT,
                   "must have 2 rows and 2 columns at least and %d points at most (has %d x %d)", MOST_VALUES,
                   field->rows, field->columns);
  if (!reader->status && !(field->values = dc_arena_alloc(reader->arena, (size_t)field->rows * (size_t)field->columns,
                                                          sizeof *field->values)))
    dc_mjcf_refuse(reader, field->node, DC_MEMORY, "out of memory");
  return !reader->status;
}

static bool is_png(const char *bytes, size_t size)
{
  static const unsigned char start[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
  return size > sizeof start && memcmp(bytes, start, sizeof start) == 0;
}

// Values of 8 bits of a PNG image: gray, or the red of a coloured one, as MuJoCo takes them; transparency means
// nothing.
static void read_png(struct dc_mjcf_reader *reader, struct dc_mjcf_field *field, const char *bytes, size_t size)
{
  png_image image = {.version = PNG_IMAGE_VERSION};
  unsigned char *pixels = NULL;
  if (!png_image_begin_read_from_memory(&image, bytes, size))
    dc_mjcf_refuse(reader, field->node, DC_BAD_INPUT, "%.300s: is no PNG image: %.60s", field->file, image.message);
  bool plain = !(image.format & (PNG_FORMAT_FLAG_COLOR | PNG_FORMAT_FLAG_ALPHA));
  size_t width = plain ? 1 : 4;  // bytes of a pixel
  image.flags |= PNG_IMAGE_FLAG_16BIT_sRGB;  // no change of brightness
  field->rows = image.height < MOST_VALUES ? (int)image.height : MOST_VALUES;
  field->columns = image.width < MOST_VALUES ? (int)image.width : MOST_VALUES;
  if (!reader->status && make_room(reader, field)) {
    image.format = plain ? PNG_FORMAT_GRAY : PNG_FORMAT_RGBA;
    if (!(pixels = dc_alloc((size_t)field->rows * (size_t)field->columns, width)))
      dc_mjcf_refuse(reader, field->node, DC_MEMORY, "out of memory");
    else if (!png_image_finish_read(&image, NULL, pixels, 0, NULL))
      dc_mjcf_refuse(reader, field->node, DC_BAD_INPUT, "%.300s: %.60s", field->file, image.message);
    for (int r = 0; r < field->rows && !reader->status; r++)
      for (int c = 0; c < field->columns; c++)
        field->values[(field->rows - 1 - r) * field->columns + c] = pixels[width * (size_t)(r * field->columns + c)];
  }
  png_image_free(&image);
  free(pixels);
}

// MuJoCo's own format.  Counts are taken with memcpy, since nothing says that the file is aligned, and the size
// of the file must be exactly that of the counts.  A file that is neither this nor PNG ends here, hence the
// words of the message.
static void read_binary(struct dc_mjcf_reader *reader, struct dc_mjcf_field *field, const char *bytes, size_t size)
{
  int32_t counts[2] = {0};
  if (size >= sizeof counts)
    memcpy(counts, bytes, sizeof counts);
  field->rows = counts[0];
  field->columns = counts[1];
  if (!make_room(reader, field))
    return;
  size_t count = (size_t)field->rows * (size_t)field->columns;
  if (size != sizeof counts + 4 * count) {
    dc_mjcf_refuse(reader, field->node, DC_BAD_INPUT, "%.300s: is no PNG image, and has %zu bytes instead of %zu",
                   field->file, size, sizeof counts + 4 * count);
    return;
  }
  for (size_t i = 0; i < count; i++) {
    float value;
    memcpy(&value, bytes + sizeof counts + 4 * i, sizeof value);
    field->values[i] = value;
    if (!isfinite(value))
      dc_mjcf_refuse(reader, field->node, DC_BAD_INPUT, "%.300s: a height is not finite", field->file);
  }
}

// Finds the file beside the model, loads it as a whole and tells its format by the first bytes, not by its
// name.
static void read_file(struct dc_mjcf_reader *reader, struct dc_mjcf_field *field)
{
  struct dc_error error = {0};
  const char *path = NULL;
  char *bytes = NULL;
  size_t size = 0;
  const struct dc_mjcf_opener *opener = reader->opener;
  enum dc_status status = opener->find(opener->context, field->file, &path, &error);
  if (!status)
    status = dc_mesh_load(path, &bytes, &size, &error);
  if (status)
    dc_mjcf_refuse(reader, field->node, status, "%.500s", error.text);
  else if (is_png(bytes, size))
    read_png(reader, field, bytes, size);
  else
    read_binary(reader, field, bytes, size);
  free(bytes);
}

// Numbers in the element: as many as rows times columns, the upper row first, so rows are turned round.  None
// at all means a flat field.
static void read_numbers(struct dc_mjcf_reader *reader, struct dc_mjcf_field *field)
{
  double *numbers;
  int count = dc_mjcf_list(reader, field->node, "elevation", MOST_VALUES, &numbers);
  if (!count) {
    field->rows = field->columns = 2;
    make_room(reader, field);
    return;
  }
  if (!make_room(reader, field))
    return;
  if (count != field->rows * field->columns) {
    dc_mjcf_refuse(reader, field->node, DC_BAD_INPUT, "elevation must be %d numbers for its rows and columns (is %d)",
                   field->rows * field->columns, count);
    return;
  }
  for (int r = 0; r < field->rows; r++)
    memcpy(field->values + (field->rows - 1 - r) * field->columns, numbers + r * field->columns,
           (size_t)field->columns * sizeof *numbers);
}

// To 0 to 1; where all are alike, to 0.
static void normalize(struct dc_mjcf_field *field)
{
  int count = field->rows * field->columns;
  double low = INFINITY, high = -INFINITY;
  for (int i = 0; i < count; i++) {
    low = fmin(low, field->values[i]);
    high = fmax(high, field->values[i]);
  }
  for (int i = 0; i < count; i++)
    field->values[i] = high > low ? (field->values[i] - low) / (high - low) : 0;
}

// A height field of the assets.  All four sizes must be positive; heights are read first and then normalized,
// whichever form they have.  "class" is asked for only because the format allows it.
void dc_mjcf_read_field(struct dc_mjcf_reader *reader, const struct dc_mjcf_node *node)
{
  struct dc_mjcf *model = reader->model;
  struct dc_mjcf_field field = {.node = node};
  const char *file = dc_mjcf_text(reader, node, "file");
  field.name = dc_mjcf_copy(reader, dc_mjcf_text(reader, node, "name"));
  dc_mjcf_text(reader, node, "class");
  dc_mjcf_integer(reader, node, "nrow", &field.rows);
  dc_mjcf_integer(reader, node, "ncol", &field.columns);
  dc_mjcf_numbers(reader, node, "size", 4, 4, field.size);
  for (int k = 0; k < 4; k++)
    if (!(field.size[k] > 0))
      dc_mjcf_refuse(reader, node, DC_BAD_INPUT, "size must hold 4 numbers > 0");
  if (file && !field.name)
    field.name = dc_mjcf_name_after(reader, file);
  if (file && !(field.file = dc_mjcf_asset_path(reader, file)))
    dc_mjcf_refuse(reader, node, DC_MEMORY, "out of memory");
  if (!reader->status && field.file)
    read_file(reader, &field);
  else if (!reader->status)
    read_numbers(reader, &field);
  if (reader->status)
    return;
  normalize(&field);
  if (dc_grow(&model->assets.fields, &model->room.fields, model->assets.field_count + 1, sizeof *model->assets.fields))
    dc_mjcf_refuse(reader, node, DC_MEMORY, "out of memory");
  else
    model->assets.fields[model->assets.field_count++] = field;
}
