// SPDX-License-Identifier: Apache-2.0
// Columns are copied into an arena as they are added; dc_h5_table_image then writes them to HDF5 in a forked process,
// whose finished image comes back through a pipe.
#include "io/run/table_h5.h"

#include <stdlib.h>
#include <string.h>

#include "base/child.h"
#include "base/memory.h"
#include "io/run/h5_file.h"

// A column in the table's arena.  One of numbers and texts is NULL; group NULL: it stands at the root.
struct column {
  const char *group, *name;
  double *numbers;     // [rows]
  const char **texts;  // [rows]
};

struct dc_h5_table {
  struct dc_arena *arena;
  long rows;
  struct column *columns;
  size_t count, capacity;
  bool failed;
};

// Failures of memory are remembered in `failed` and told once, when the image is made.
struct dc_h5_table *dc_h5_table_create(long rows)
{
  struct dc_h5_table *table = calloc(1, sizeof *table);
  if (!table)
    return NULL;
  table->rows = rows;
  table->arena = dc_arena_create();
  table->failed = !table->arena;
  return table;
}

void dc_h5_table_destroy(struct dc_h5_table *table)
{
  if (!table)
    return;
  dc_arena_destroy(table->arena);
  free(table->columns);
  free(table);
}

// The next column, still without numbers or texts; NULL once anything has failed.
static struct column *add_column(struct dc_h5_table *table, const char *group, const char *name)
{
  table->failed = table->failed || dc_grow(&table->columns, &table->capacity, table->count + 1, sizeof *table->columns);
  if (table->failed)
    return NULL;
  struct column *column = &table->columns[table->count++];
  *column = (struct column){.group = group ? dc_arena_strdup(table->arena, group) : NULL,
                            .name = dc_arena_strdup(table->arena, name)};
  return column;
}

void dc_h5_table_add_numbers(struct dc_h5_table *table, const char *group, const char *name, const double *numbers)
{
  struct column *column = add_column(table, group, name);
  if (column && !(column->numbers = dc_arena_alloc(table->arena, (size_t)table->rows + 1, sizeof *numbers)))
    table->failed = true;
  if (column && column->numbers)
    memcpy(column->numbers, numbers, (size_t)table->rows * sizeof *numbers);
}

void dc_h5_table_add_texts(struct dc_h5_table *table, const char *group, const char *name, const char *const *texts)
{
  struct column *column = add_column(table, group, name);
  if (column && !(column->texts = dc_arena_alloc(table->arena, (size_t)table->rows + 1, sizeof *texts)))
    table->failed = true;
  for (long i = 0; column && column->texts && i < table->rows; i++)
    if (!(column->texts[i] = dc_arena_strdup(table->arena, texts[i] ? texts[i] : "")))
      table->failed = true;
}

// The group of this name, made when it is not there yet; the root for NULL.
static hid_t open_group(struct writer *writer, const char *name)
{
  if (!name)
    return writer->file;
  if (H5Lexists(writer->file, name, H5P_DEFAULT) > 0)
    return checked(writer, H5Gopen2(writer->file, name, H5P_DEFAULT));
  return checked(writer, H5Gcreate2(writer->file, name, H5P_DEFAULT, writer->group_properties, H5P_DEFAULT));
}

// Writes one column as a data set: texts of variable length, or doubles in little-endian order.
static void put_column(struct writer *writer, const struct dc_h5_table *table, const struct column *column)
{
  char *name = dc_h5_link_name(column->name);
  if (!name) {
    writer->failed = true;
    return;
  }
  hsize_t rows = (hsize_t)table->rows;
  hid_t group = open_group(writer, column->group), space = checked(writer, H5Screate_simple(1, &rows, NULL));
  hid_t stored = column->texts ? writer->string_type : H5T_IEEE_F64LE;
  hid_t dataset =
      checked(writer, H5Dcreate2(group, name, stored, space, H5P_DEFAULT, writer->dataset_properties, H5P_DEFAULT));
  if (rows)
    checked(writer, H5Dwrite(dataset, column->texts ? writer->string_type : H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL,
                             H5P_DEFAULT, column->texts ? (const void *)column->texts : column->numbers));
  close_object(dataset);
  close_object(space);
  if (column->group)
    close_object(group);
  free(name);
}

struct request {
  const struct dc_h5_table *table;
  const char *format;
};

// Runs in a process of its own (dc_child_run).
static enum dc_status build(void *context, char **bytes, size_t *size, struct dc_error *error)
{
  const struct request *request = context;
  struct writer writer = {0};
  bool out_of_memory = false;
  dc_h5_watch(&out_of_memory);
  dc_h5_writer_open(&writer, NULL);
  for (size_t i = 0; i < request->table->count; i++)
    put_column(&writer, request->table, &request->table->columns[i]);
  *bytes = dc_h5_writer_image(&writer, request->format, size);
  dc_h5_writer_close(&writer);
  return *bytes ? DC_OK : dc_out_of_memory_for(error, "an HDF5 file");
}

enum dc_status dc_h5_table_image(const struct dc_h5_table *table, const char *format, char **bytes, size_t *size,
                                 struct dc_error *error)
{
  struct request request = {table, format};
  *bytes = NULL;
  if (table->failed)
    return dc_out_of_memory_for(error, "an HDF5 file");
  return dc_child_run(build, &request, 0, bytes, size, error);
}
