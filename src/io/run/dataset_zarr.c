// SPDX-License-Identifier: Apache-2.0
// A Zarr store (specification, version 2) in a ZIP archive, laid out as Diffusion Policy's replay buffer (Chi et al.
// 2023): arrays of all demonstrations behind each other, and where each ends.
//
// An array NAME is the entry NAME/.zarray, which says shape and type, and one chunk of raw little-endian numbers.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/run/dataset_internal.h"

// Numbers of a demonstration that stand in an array: rows [steps][width].
typedef const double *rows_of(const struct demonstration *demonstration, int what);

static const double *observed(const struct demonstration *demonstration, int what)
{
  return demonstration->observed[what];
}

static const double *actions(const struct demonstration *demonstration, int what)
{
  (void)what;
  return demonstration->actions;
}

static const double *forces(const struct demonstration *demonstration, int what)
{
  (void)what;
  return demonstration->forces;
}

// A shape as JSON; columns 0: one dimension.
static void add_shape(struct dc_text *text, size_t rows, int columns)
{
  dc_text_add(text, columns ? "[%zu, %d]" : "[%zu]", rows, columns);
}

// Puts an array of 64-bit numbers in one chunk; type as NumPy writes it ("<f8", "<i8"); columns 0: one
// dimension.  An array without rows has no chunk, which readers take as filled with fill_value.  The chunk of a
// two-dimensional array is called "0.0", its index along each dimension.
static void put_array(struct dc_npz *archive, const char *name, const char *type, size_t rows, int columns,
                      const struct dc_text *numbers)
{
  struct dc_text about = {0};
  char entry[200];
  archive->archive.failed |= numbers->failed;
  dc_text_add(&about, "{\"zarr_format\": 2, \"shape\": ");
  add_shape(&about, rows, columns);
  dc_text_add(&about, ", \"chunks\": ");
  add_shape(&about, rows ? rows : 1, columns);
  dc_text_add(&about, ", \"dtype\": \"%s\", \"compressor\": null, ", type);
  dc_text_add(&about, "\"fill_value\": 0, \"order\": \"C\", \"filters\": null}\n");
  archive->archive.failed |= about.failed;
  snprintf(entry, sizeof entry, "%s/.zarray", name);
  dc_npz_put_bytes(archive, entry, about.bytes ? about.bytes : "", about.length);
  snprintf(entry, sizeof entry, columns ? "%s/0.0" : "%s/0", name);
  if (numbers->length)
    dc_npz_put_bytes(archive, entry, numbers->bytes, numbers->length);
  dc_text_free(&about);
}

// Adds a 64-bit pattern, the low byte first.
static void add_number(struct dc_text *numbers, const void *value)
{
  unsigned long long bits;
  char bytes[sizeof bits];
  memcpy(&bits, value, sizeof bits);
  for (size_t i = 0; i < sizeof bits; i++)
    bytes[i] = (char)(bits >> 8 * i & 255);
  dc_text_append(numbers, bytes, sizeof bytes);
}

// Puts the rows of all demonstrations behind each other into one array [samples][width].
static void put_rows(struct dc_npz *archive, const struct dc_dataset *dataset, const char *name, int width,
                     rows_of *rows, int what)
{
  struct dc_text numbers = {0};
  if (width == 0)
    return;
  for (size_t i = 0; i < dataset->count; i++) {
    const struct demonstration *demonstration = &dataset->demonstrations[i];
    const double *values = rows(demonstration, what);
    for (size_t k = 0; k < (size_t)demonstration->steps * (size_t)width; k++)
      add_number(&numbers, &values[k]);
  }
  put_array(archive, name, "<f8", (size_t)dataset->sizes.samples, width, &numbers);
  dc_text_free(&numbers);
}

// Whole numbers of the demonstrations: where they end, whether they reached their tasks and certificates hold (-1:
// there is none).
static void put_meta(struct dc_npz *archive, const struct dc_dataset *dataset)
{
  static const char *const names[] = {"meta/episode_ends", "meta/reached", "meta/certified"};
  for (int n = 0; n < 3; n++) {
    struct dc_text numbers = {0};
    long long end = 0;
    for (size_t i = 0; i < dataset->count; i++) {
      const struct demonstration *demonstration = &dataset->demonstrations[i];
      end += demonstration->steps;
      long long value = n == 0                       ? end
                        : n == 1                     ? demonstration->success
                        : demonstration->certificate ? demonstration->certified
                                                     : -1;
      add_number(&numbers, &value);
    }
    put_array(archive, names[n], "<i8", dataset->count, 0, &numbers);
    dc_text_free(&numbers);
  }
}

// The arrays of a dataset as a Zarr archive of version 2, which robot-learning tools read: `data` holds a row per time
// step, `meta` where each episode ends.
void dc_dataset_put_zarr(const struct dc_dataset *dataset, struct dc_npz *archive)
{
  static const char *const groups[] = {".zgroup", "data/.zgroup", "meta/.zgroup"}, group[] = "{\"zarr_format\": 2}\n";
  for (size_t i = 0; i < sizeof groups / sizeof *groups; i++)
    dc_npz_put_bytes(archive, groups[i], group, sizeof group - 1);
  for (int k = 0; k < DC_OBSERVED; k++) {
    char name[64];
    snprintf(name, sizeof name, "data/%s", dc_observed_names[k]);
    put_rows(archive, dataset, name, dataset->sizes.observed[k], observed, k);
  }
  put_rows(archive, dataset, "data/action", dataset->sizes.actions, actions, 0);
  put_rows(archive, dataset, "data/contact_forces", 3 * dataset->sizes.bodies, forces, 0);
  put_meta(archive, dataset);
}
