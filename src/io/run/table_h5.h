// SPDX-License-Identifier: Apache-2.0
// A table as an HDF5 file: columns of numbers and of texts, one-dimensional datasets in groups.
#ifndef DC_IO_TABLE_H5_H
#define DC_IO_TABLE_H5_H

#include <stddef.h>

#include "base/status.h"

struct dc_h5_table;

// A table of so many rows without columns; NULL when out of memory.
struct dc_h5_table *dc_h5_table_create(long rows);
void dc_h5_table_destroy(struct dc_h5_table *table);

// Adds a column [rows], which is copied, to a group, or, for NULL, to the root.  Names may be any; running out of
// memory is remembered.
void dc_h5_table_add_numbers(struct dc_h5_table *table, const char *group, const char *name, const double *numbers);
void dc_h5_table_add_texts(struct dc_h5_table *table, const char *group, const char *name, const char *const *texts);

// The bytes of the file, sealed as being of this format, released with free().  DC_MEMORY.
enum dc_status dc_h5_table_image(const struct dc_h5_table *table, const char *format, char **bytes, size_t *size,
                                 struct dc_error *error);

#endif
