// SPDX-License-Identifier: Apache-2.0
// HDF5 files in memory, written and read by way of a seal.  HDF5 is used in a forked process only (base/child.h),
// because it ends the program or crashes when memory runs out.  It works in memory only, so that a full disk fails in
// our own writer, not inside the library.  A damaged file is recognized by its seal, the user block at its start,
// before the library sees a byte of it.  Private to src/io.
#ifndef DC_IO_H5_FILE_H
#define DC_IO_H5_FILE_H

#include <hdf5.h>
#include <stdbool.h>

#include "base/mapped_file.h"

// From now on HDF5 prints nothing; *out_of_memory becomes true when one of its functions fails for want of memory,
// which looks from outside like any other failure, such as an object that is not there.
void dc_h5_watch(bool *out_of_memory);

// A file being made in memory.  Whatever fails is remembered in failed, so that callers look once, at the end; objects
// that could not be made are negative, and everything here takes them.
struct writer {
  hid_t file, string_type;
  hid_t group_properties, dataset_properties;
  struct dc_mapped_file *memory;        // that the file is made in; NULL: the heap
  const struct dc_mapped_file *frames;  // that its frames come from, or NULL; the caller's to set
  bool failed;
};

// An empty file, in the oldest format (read by every version) and without times of writing.  memory, or NULL for the
// heap: where it is made, large enough, zeroed and shared with whoever needs it.
void dc_h5_writer_open(struct writer *writer, struct dc_mapped_file *memory);
void dc_h5_writer_close(struct writer *writer);
// The file's bytes with their seal, released with free(); NULL when anything failed.
char *dc_h5_writer_image(struct writer *writer, const char *format, size_t *size);
// Closes a file made in memory of the caller's: it is complete there.  Its size; 0 when anything failed.
size_t dc_h5_writer_finish(struct writer *writer, const char *format);
// Attribute of one string (count 0) or of a row of strings.
void dc_h5_put_strings(struct writer *writer, hid_t object, const char *name, int count, const char *const *strings);

// The file in memory as HDF5 sees it, or a negative number.  It is not copied and may be changed.  From now on this
// process follows no links to other files and loads no filters.
hid_t dc_h5_open_image(struct dc_mapped_file *image);
// A dataset whose numbers lie in this file in one piece, or a negative number: where it is not there, where they would
// be those of other files (external storage, virtual datasets), and where they are chunks, which may be compressed.
hid_t dc_h5_open_dataset(hid_t group, const char *name);
// Copies an attribute of one string into text; false when it is not there, something else or longer.
bool dc_h5_get_string(hid_t object, const char *name, char *text, size_t size);

// Link name for any text: "/" separates groups and "." is the group itself, so these and "%" are written as in URLs.
// Released with free(); NULL when memory is out.
char *dc_h5_link_name(const char *name);

static inline hid_t checked(struct writer *writer, hid_t result)
{
  if (result < 0)
    writer->failed = true;
  return result;
}

static inline void close_object(hid_t object)
{
  if (object >= 0)
    H5Idec_ref(object);
}

#endif
