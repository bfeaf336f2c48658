// SPDX-License-Identifier: Apache-2.0
// Groups and datasets of numbers of trajectory.h5 are written, as a whole or row by row.
#include <stdlib.h>

#include "io/run/h5_file.h"
#include "io/run/trajectory_h5.h"

hid_t dc_h5_make_group(struct writer *writer, hid_t parent, const char *name)
{
  return checked(writer, H5Gcreate2(parent, name, H5P_DEFAULT, writer->group_properties, H5P_DEFAULT));
}

// Lets the system have the memory of files that all frames are read from and written to.
static void release(const struct writer *writer)
{
  if (writer->memory)
    dc_mapped_file_release(writer->memory);
  if (writer->frames)
    dc_mapped_file_release(writer->frames);
}

// Makes an empty data set [rows][columns], or [rows] for 0 columns, and returns it open.
static hid_t create_reals(struct writer *writer, hid_t parent, const char *name, int rows, int columns)
{
  hsize_t shape[2] = {(hsize_t)rows, (hsize_t)columns};
  hid_t space = checked(writer, H5Screate_simple(columns ? 2 : 1, shape, NULL));
  hid_t dataset = checked(
      writer, H5Dcreate2(parent, name, H5T_IEEE_F64LE, space, H5P_DEFAULT, writer->dataset_properties, H5P_DEFAULT));
  close_object(space);
  return dataset;
}

// Writes rows begin ... begin + count - 1 of a data set, by selecting them as a hyperslab of it.
static void write_rows(struct writer *writer, hid_t dataset, int begin, int count, int columns, const double *values)
{
  hsize_t start[2] = {(hsize_t)begin, 0}, shape[2] = {(hsize_t)count, (hsize_t)columns};
  hid_t space = checked(writer, H5Dget_space(dataset));
  hid_t memory = checked(writer, H5Screate_simple(columns ? 2 : 1, shape, NULL));
  checked(writer, H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, shape, NULL));
  checked(writer, H5Dwrite(dataset, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, values));
  close_object(memory);
  close_object(space);
}

hid_t dc_h5_put_reals(struct writer *writer, hid_t parent, const char *name, int rows, int columns,
                      const double *values, const char *unit)
{
  hid_t dataset = create_reals(writer, parent, name, rows, columns);
  if (rows > 0)
    checked(writer, H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
  if (unit)
    dc_h5_put_strings(writer, dataset, "unit", 0, &unit);
  return dataset;
}

// Rows of a block: at most DC_RELEASED_FRAMES, after which pages of mapped frames are released, and at most 4
// MB, as rows of many nodes are wide; at least one.
int dc_h5_block_rows(int rows, size_t width)
{
  enum { BYTES = 4 << 20 };
  size_t fit = BYTES / (width * sizeof(double)), most = fit < DC_RELEASED_FRAMES ? fit : DC_RELEASED_FRAMES;
  return most < 1 ? 1 : rows < (int)most ? (rows < 1 ? 1 : rows) : (int)most;
}

// Writes a data set [rows][columns] whose rows fill() computes, block by block: frames that lie in a file need
// not be in memory at once, and after each block the pages read and written are released.
hid_t dc_h5_put_computed(struct writer *writer, hid_t parent, const char *name, int rows, int columns, dc_h5_fill *fill,
                         const void *context)
{
  size_t width = columns ? (size_t)columns : 1;
  int most = dc_h5_block_rows(rows, width);
  double *block = dc_alloc((size_t)most * width, sizeof *block);
  if (!block) {
    writer->failed = true;
    return -1;
  }
  hid_t dataset = create_reals(writer, parent, name, rows, columns);
  for (int begin = 0; begin < rows && !writer->failed; begin += most) {
    int count = rows - begin < most ? rows - begin : most;
    for (int r = 0; r < count; r++)
      fill(context, begin + r, block + (size_t)r * width);
    write_rows(writer, dataset, begin, count, columns, block);
    release(writer);
  }
  free(block);
  return dataset;
}
