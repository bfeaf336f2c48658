// SPDX-License-Identifier: Apache-2.0
// HDF5's "core" driver keeps a file in memory.  Two ways are used:
// * a small file is built on the heap and copied out by dc_h5_writer_image;
// * a large one is built in place, in a mapped file of the run directory that both processes share: the callbacks below
//   give HDF5 this mapping as its memory, at a fixed address and with a fixed largest size, and copy nothing.
//
// Files are reproducible: no times of creation, the earliest format that can hold the data, names of our own.
#include "io/run/h5_file.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/json/json_text.h"
#include "io/run/seal.h"

enum { IMAGE_INCREMENT = 1 << 20 };

// Whether one entry of HDF5's error stack says that memory ran out; the library itself returns -1 for every
// failure.
static herr_t look_at(unsigned number, const H5E_error2_t *cause, void *out_of_memory)
{
  (void)number;
  if (cause->maj_num == H5E_RESOURCE || cause->min_num == H5E_NOSPACE || cause->min_num == H5E_CANTALLOC)
    *(bool *)out_of_memory = true;
  return 0;
}

// HDF5 calls it with the stack of causes whenever one of its functions fails.
static herr_t look_at_stack(hid_t stack, void *out_of_memory)
{
  return H5Ewalk2(stack, H5E_WALK_UPWARD, look_at, out_of_memory);
}

// From here on *out_of_memory becomes true when a call fails for lack of memory, and HDF5 prints nothing.  The flag
// must outlive all later calls.
void dc_h5_watch(bool *out_of_memory)
{
  *out_of_memory = H5Eset_auto2(H5E_DEFAULT, look_at_stack, out_of_memory) < 0;
}

// A name as a link of HDF5, in which "/" separates groups and "." is the group itself: these and "%" are written as in
// URLs.  The caller frees it.
char *dc_h5_link_name(const char *name)
{
  struct dc_text text = {0};
  dc_text_append(&text, "", 0);
  if (strcmp(name, ".") == 0)
    dc_text_add(&text, "%%2E");
  else
    for (const char *c = name; *c; c++) {
      if (*c == '/')
        dc_text_add(&text, "%%2F");
      else if (*c == '%')
        dc_text_add(&text, "%%25");
      else
        dc_text_append(&text, c, 1);
    }
  if (!text.failed)
    return text.bytes;
  dc_text_free(&text);
  return NULL;
}

// HDF5 takes two open files in memory for the same one when their names are the same, and does not open one whose name
// a file on the disk has.  No file can have this one, so that none is made either when the request for memory as its
// place fails.
static void unique_name(char *name, size_t size)
{
  static atomic_ulong serial;
  snprintf(name, size, "/dev/null/memory-%lu.h5", atomic_fetch_add(&serial, 1));
}

// count 0: a single string.  Texts have variable length and are UTF-8; HDF5 copies them.
void dc_h5_put_strings(struct writer *writer, hid_t object, const char *name, int count, const char *const *strings)
{
  hsize_t size = (hsize_t)count;
  hid_t space = checked(writer, count ? H5Screate_simple(1, &size, NULL) : H5Screate(H5S_SCALAR));
  hid_t attribute = checked(writer, H5Acreate2(object, name, writer->string_type, space, H5P_DEFAULT, H5P_DEFAULT));
  checked(writer, H5Awrite(attribute, writer->string_type, strings));
  close_object(attribute);
  close_object(space);
}

// HDF5's memory for a file is that of the caller: it begins there and cannot be larger.  NULL for more than the
// mapping has, which fails the write.
static void *place(size_t size, H5FD_file_image_op_t operation, void *memory)
{
  const struct dc_mapped_file *whole = memory;
  (void)operation;
  return size <= whole->size ? whole->bytes : NULL;
}

// HDF5 asks for a larger block by realloc; it gets the same one while this is large enough.
static void *place_again(void *at, size_t size, H5FD_file_image_op_t operation, void *memory)
{
  (void)at;
  return place(size, operation, memory);
}

// The image lies in the mapping already, so that HDF5's copy into "its" memory has nothing to do.
static void *copy_nothing(void *to, const void *from, size_t size, H5FD_file_image_op_t operation, void *memory)
{
  (void)from, (void)size, (void)operation, (void)memory;
  return to;
}

static herr_t leave(void *at, H5FD_file_image_op_t operation, void *memory)
{
  (void)at, (void)operation, (void)memory;
  return 0;
}

// HDF5 copies the callbacks' context with its property lists; the context is shared, never copied.
static void *same_memory(void *memory)
{
  return memory;
}

static herr_t leave_memory(void *memory)
{
  (void)memory;
  return 0;
}

// Sets the callbacks that make HDF5 work in the caller's memory: no allocation, no copy, no release.
static herr_t use_memory(hid_t access, struct dc_mapped_file *memory)
{
  H5FD_file_image_callbacks_t callbacks = {.image_malloc = place,
                                           .image_memcpy = copy_nothing,
                                           .image_realloc = place_again,
                                           .image_free = leave,
                                           .udata_copy = same_memory,
                                           .udata_free = leave_memory,
                                           .udata = memory};
  return H5Pset_file_image_callbacks(access, &callbacks);
}

// Opens an HDF5 file in memory (the core driver), with room for the seal before it and without times, so that equal
// runs give equal bytes.
// The properties made here serve all groups and data sets of the file; dc_h5_writer_close releases them.  A failure
// sets writer->failed, after which all further calls do nothing of use.
void dc_h5_writer_open(struct writer *writer, struct dc_mapped_file *memory)
{
  char name[64];
  unique_name(name, sizeof name);
  writer->memory = memory;
  hid_t access = checked(writer, H5Pcreate(H5P_FILE_ACCESS)), creation = checked(writer, H5Pcreate(H5P_FILE_CREATE));
  checked(writer, H5Pset_fapl_core(access, IMAGE_INCREMENT, false));
  if (memory)
    checked(writer, use_memory(access, memory));
  checked(writer, H5Pset_libver_bounds(access, H5F_LIBVER_EARLIEST, H5F_LIBVER_LATEST));
  checked(writer, H5Pset_userblock(creation, DC_SEAL_SIZE));
  checked(writer, H5Pset_obj_track_times(creation, false));
  writer->file = checked(writer, H5Fcreate(name, H5F_ACC_TRUNC, creation, access));
  writer->group_properties = checked(writer, H5Pcreate(H5P_GROUP_CREATE));
  checked(writer, H5Pset_obj_track_times(writer->group_properties, false));
  writer->dataset_properties = checked(writer, H5Pcreate(H5P_DATASET_CREATE));
  checked(writer, H5Pset_obj_track_times(writer->dataset_properties, false));
  writer->string_type = checked(writer, H5Tcopy(H5T_C_S1));
  checked(writer, H5Tset_size(writer->string_type, H5T_VARIABLE));
  checked(writer, H5Tset_cset(writer->string_type, H5T_CSET_UTF8));
  close_object(access);
  close_object(creation);
}

void dc_h5_writer_close(struct writer *writer)
{
  close_object(writer->string_type);
  close_object(writer->dataset_properties);
  close_object(writer->group_properties);
  if (writer->file >= 0)
    checked(writer, H5Fclose(writer->file));
}

// Copies a file that was built on the heap into memory of the caller, behind room for the seal: the library's
// image begins behind the user block of DC_SEAL_SIZE bytes.  NULL when a write before failed or memory is out.
char *dc_h5_writer_image(struct writer *writer, const char *format, size_t *size)
{
  if (writer->failed || H5Fflush(writer->file, H5F_SCOPE_LOCAL) < 0)
    return NULL;
  ssize_t length = H5Fget_file_image(writer->file, NULL, 0);
  if (length <= 0 || (size_t)length > DC_SEALED_MOST_BYTES - DC_SEAL_SIZE)
    return NULL;
  *size = DC_SEAL_SIZE + (size_t)length;
  char *image = malloc(*size);
  if (image && H5Fget_file_image(writer->file, image + DC_SEAL_SIZE, (size_t)length) != length) {
    free(image);
    image = NULL;
  }
  if (image)
    dc_seal(format, image, *size);
  return image;
}

// Ends a file that was built in mapped memory and seals it in place; returns its size, 0 on failure.  The size
// is asked for before the file is closed, the seal made after, as the library's last changes come with closing.
size_t dc_h5_writer_finish(struct writer *writer, const char *format)
{
  checked(writer, H5Fflush(writer->file, H5F_SCOPE_LOCAL));
  ssize_t length = writer->failed ? -1 : H5Fget_file_image(writer->file, NULL, 0);
  dc_h5_writer_close(writer);
  if (writer->failed || length <= 0 || (size_t)length > DC_SEALED_MOST_BYTES - DC_SEAL_SIZE)
    return 0;
  size_t size = DC_SEAL_SIZE + (size_t)length;
  dc_seal_mapped(format, writer->memory, size);
  return size;
}

// Opens a data set whose numbers lie in the file as they are.  Chunked ones are refused, since they may be
// compressed and unfold to any size, and so are those whose data lie in other files.  -1 on failure.
hid_t dc_h5_open_dataset(hid_t group, const char *name)
{
  hid_t dataset = H5Dopen2(group, name, H5P_DEFAULT);
  hid_t properties = dataset < 0 ? -1 : H5Dget_create_plist(dataset);
  H5D_layout_t layout = properties < 0 ? H5D_LAYOUT_ERROR : H5Pget_layout(properties);
  bool inside = (layout == H5D_CONTIGUOUS || layout == H5D_COMPACT) && H5Pget_external_count(properties) == 0;
  close_object(properties);
  if (inside)
    return dataset;
  close_object(dataset);
  return -1;
}

// Nothing outside of the image is opened: links to other files are unknown, and filters are those of the library.
static bool keep_inside(void)
{
  bool follows = H5Lis_registered(H5L_TYPE_EXTERNAL) > 0;
  return (!follows || H5Lunregister(H5L_TYPE_EXTERNAL) >= 0) && H5PLset_loading_state(0) >= 0;
}

// Opens a file that is in memory for reading.  The library works on the image itself and does not change it.
hid_t dc_h5_open_image(struct dc_mapped_file *image)
{
  if (!keep_inside())
    return -1;
  char name[64];
  unique_name(name, sizeof name);
  hid_t access = H5Pcreate(H5P_FILE_ACCESS), file = -1;
  if (H5Pset_fapl_core(access, IMAGE_INCREMENT, false) >= 0 && use_memory(access, image) >= 0 &&
      H5Pset_file_image(access, image->bytes, image->size) >= 0)
    file = H5Fopen(name, H5F_ACC_RDONLY, access);
  close_object(access);
  return file;
}

// Reads an attribute that is one string; false when there is none, or it is something else or too long.
bool dc_h5_get_string(hid_t object, const char *name, char *text, size_t size)
{
  hid_t attribute = H5Aopen(object, name, H5P_DEFAULT);
  if (attribute < 0)
    return false;
  char *stored_text = NULL;
  hid_t stored = H5Aget_type(attribute), type = H5Tcopy(H5T_C_S1), space = H5Aget_space(attribute);
  bool found = H5Tset_size(type, H5T_VARIABLE) >= 0 && H5Tset_cset(type, H5T_CSET_UTF8) >= 0 &&
               H5Tis_variable_str(stored) > 0 && H5Sget_simple_extent_npoints(space) == 1 &&
               H5Aread(attribute, type, &stored_text) >= 0 && stored_text && strlen(stored_text) < size;
  if (found)
    strcpy(text, stored_text);
  if (stored_text)
    H5free_memory(stored_text);
  close_object(space);
  close_object(type);
  close_object(stored);
  close_object(attribute);
  return found;
}
