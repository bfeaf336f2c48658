// SPDX-License-Identifier: Apache-2.0
// A byte buffer that doubles when it is full, and a reader of messages that never reads beyond their end.
//
// dc_buffer_reserve is the only place that allocates: it asks for twice what is needed, so that n bytes appended one by
// one are copied O(n) times in all.  A failed allocation leaves the buffer as it was.
#include "base/buffer.h"

#include <stdlib.h>
#include <string.h>

bool dc_buffer_reserve(struct dc_buffer *buffer, size_t capacity)
{
  if (capacity <= buffer->capacity)
    return true;
  char *bytes = realloc(buffer->bytes, 2 * capacity);
  if (!bytes)
    return false;
  buffer->bytes = bytes;
  buffer->capacity = 2 * capacity;
  return true;
}

// memcpy with a null pointer is undefined even for 0 bytes, which an empty buffer would pass.
void dc_buffer_add(struct dc_buffer *buffer, const void *bytes, size_t size)
{
  if (size)
    memcpy(buffer->bytes + buffer->size, bytes, size);
  buffer->size += size;
}

bool dc_buffer_append(struct dc_buffer *buffer, const void *bytes, size_t size)
{
  if (!dc_buffer_reserve(buffer, buffer->size + size))
    return false;
  dc_buffer_add(buffer, bytes, size);
  return true;
}

// The comparison is one of differences, so that a forged size cannot wrap around.
const void *dc_buffer_take(const struct dc_buffer *buffer, size_t *at, size_t size)
{
  if (*at > buffer->size || size > buffer->size - *at)
    return NULL;
  const char *part = buffer->bytes + *at;
  *at += size;
  return part;
}

void dc_buffer_release(struct dc_buffer *buffer)
{
  free(buffer->bytes);
  *buffer = (struct dc_buffer){0};
}
