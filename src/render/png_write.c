// SPDX-License-Identifier: Apache-2.0
// Writes PNG files by libpng, without filters and at a low compression level, to a temporary name that is then renamed.
#include <errno.h>
#include <fcntl.h>
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/open.h"
#include "base/replaceable.h"
#include "render/render.h"

enum { NAME_ATTEMPTS = 100, REASON_SIZE = 128 };

// Error handlers of libpng; its own would print to stderr.
// Keeps the message and jumps back into encode(), as libpng demands of its error handlers.
static void png_failed(png_structp png, png_const_charp message)
{
  char *text = png_get_error_ptr(png);
  snprintf(text, REASON_SIZE, "%s", message);
  png_longjmp(png, 1);
}

static void png_warned(png_structp png, png_const_charp message)
{
  (void)png;
  (void)message;
}

// Encodes the picture into file.  Returns 0, or -1 with the reason in the text given to png_create_write_struct.  No
// local variable may change between setjmp and longjmp.
static int encode(png_structp png, png_infop info, FILE *file, int width, int height, const unsigned char *pixels)
{
  if (setjmp(png_jmpbuf(png)))
    return -1;
  png_init_io(png, file);
  png_set_IHDR(png, info, (png_uint_32)width, (png_uint_32)height, 8, PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_set_sRGB(png, info, PNG_sRGB_INTENT_PERCEPTUAL);
  // Noise left by sampling defeats filters: without them files are 5 to 10 % smaller and take half the time.  Level 4
  // takes a third of the default's time for a few per cent in size.
  png_set_filter(png, PNG_FILTER_TYPE_BASE, PNG_FILTER_NONE);
  png_set_compression_level(png, 4);
  png_write_info(png, info);
  for (size_t row = 0; row < (size_t)height; row++)
    png_write_row(png, pixels + 3 * (size_t)width * row);
  png_write_end(png, info);
  return 0;
}

// Memory of libpng is released on every way out; errno is read before that can change it.
static enum dc_status encode_file(FILE *file, const char *path, int width, int height, const unsigned char *pixels,
                                  struct dc_error *error)
{
  char reason[REASON_SIZE] = "";
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, reason, png_failed, png_warned);
  png_infop info = png ? png_create_info_struct(png) : NULL;
  if (!info) {
    png_destroy_write_struct(&png, NULL);
    return dc_out_of_memory_in(error, path);
  }
  errno = 0;
  int failed = encode(png, info, file, width, height, pixels), number = errno;
  png_destroy_write_struct(&png, &info);
  if (failed)
    return dc_fail(error, DC_IO, "%s: %s%s%s", path, reason, number ? ": " : "", number ? strerror(number) : "");
  return DC_OK;
}

// Creates a new file beside path; its name, "path.PID.N.tmp", goes to name.
static int open_temporary(const char *path, char *name, size_t size)
{
  int descriptor = -1;
  for (int attempt = 0; attempt < NAME_ATTEMPTS; attempt++) {
    snprintf(name, size, "%s.%ld.%d.tmp", path, (long)getpid(), attempt);
    descriptor = dc_open_new(dc_open_here, name);
    if (descriptor >= 0 || errno != EEXIST)
      break;
  }
  return descriptor;
}

// Writes a PNG file under a temporary name and renames it, so that a failure leaves the former file.
enum dc_status dc_png_write(const char *path, int width, int height, const unsigned char *pixels,
                            struct dc_error *error)
{
  if (width < 1 || width > DC_LARGEST_SIDE || height < 1 || height > DC_LARGEST_SIDE)
    return dc_fail(error, DC_BAD_INPUT, "%s: picture size must be 1 .. %d pixels each way (is %d x %d)", path,
                   DC_LARGEST_SIDE, width, height);
  enum dc_status status = dc_check_replaceable(AT_FDCWD, path, path, error);
  if (status)
    return status;
  size_t size = strlen(path) + 48;
  char *name = dc_alloc(size, 1);
  if (!name)
    return dc_out_of_memory_in(error, path);
  int descriptor = open_temporary(path, name, size);
  if (descriptor < 0) {
    dc_fail(error, DC_IO, "%s: %s", path, strerror(errno));
    free(name);
    return DC_IO;
  }
  FILE *file = fdopen(descriptor, "wb");
  if (file) {
    status = encode_file(file, path, width, height, pixels, error);
    // A full disk shows only when the buffer is flushed or the file closed.
    if (!status && fflush(file))
      status = dc_fail(error, DC_IO, "%s: %s", path, strerror(errno));
    if (fclose(file) && !status)
      status = dc_fail(error, DC_IO, "%s: %s", path, strerror(errno));
  } else {
    status = dc_fail(error, DC_MEMORY, "%s: %s", path, strerror(errno));
    close(descriptor);
  }
  if (!status && rename(name, path))
    status = dc_fail(error, DC_IO, "%s: %s", path, strerror(errno));
  if (status)
    unlink(name);
  free(name);
  return status;
}
