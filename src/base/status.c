// SPDX-License-Identifier: Apache-2.0
// Error messages of fixed size: set, extended at the end, or prefixed with a place.  A message that is too long is cut
// off.
#include "base/status.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

// Messages that are too long are cut by vsnprintf, which always ends them.
void dc_error_set(struct dc_error *error, enum dc_status status, const char *format, va_list arguments)
{
  if (!error)
    return;
  error->status = status;
  vsnprintf(error->text, sizeof error->text, format, arguments);
}

enum dc_status dc_fail(struct dc_error *error, enum dc_status status, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  dc_error_set(error, status, format, arguments);
  va_end(arguments);
  return status;
}

enum dc_status dc_out_of_memory(struct dc_error *error)
{
  return dc_fail(error, DC_MEMORY, "out of memory");
}

// The purpose is formatted by itself, so that one form of the sentence serves all callers.
enum dc_status dc_out_of_memory_for(struct dc_error *error, const char *format, ...)
{
  char purpose[sizeof error->text];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(purpose, sizeof purpose, format, arguments);
  va_end(arguments);
  return dc_fail(error, DC_MEMORY, "out of memory for %s", purpose);
}

enum dc_status dc_out_of_memory_in(struct dc_error *error, const char *place)
{
  return dc_fail(error, DC_MEMORY, "%.800s: out of memory", place);
}

// Continues at the end of the text; where there is no room for more the message stays as it is.
void dc_error_append(struct dc_error *error, const char *format, ...)
{
  if (!error)
    return;
  size_t length = strlen(error->text);
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(error->text + length, sizeof error->text - length, format, arguments);
  va_end(arguments);
}

// The old text is written behind the prefix into a buffer of its own, since both would overlap in place.
void dc_error_prefix(struct dc_error *error, const char *format, ...)
{
  if (!error)
    return;
  char text[sizeof error->text];
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  if (length < 0 || (size_t)length >= sizeof text)
    return;
  snprintf(text + length, sizeof text - (size_t)length, ": %.900s", error->text);
  memcpy(error->text, text, sizeof text);
}

// Errors that another name or other rights would mend are mistakes of the input; all others are of the system.
enum dc_status dc_status_of_open(int number)
{
  switch (number) {
  case ENOENT:
  case ENOTDIR:
  case EISDIR:
  case EACCES:
  case EPERM:
  case ELOOP:
  case ENAMETOOLONG:
  case EINVAL:
  case ENXIO:
  case ENODEV: return DC_BAD_INPUT;
  case ENOMEM: return DC_MEMORY;
  default: return DC_IO;
  }
}

const char *dc_plural(long count)
{
  return count == 1 ? "" : "s";
}
