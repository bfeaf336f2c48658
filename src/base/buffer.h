// SPDX-License-Identifier: Apache-2.0
// A growing array of bytes: messages between processes of one build, written piece by piece and taken apart in the same
// order.
#ifndef DC_BASE_BUFFER_H
#define DC_BASE_BUFFER_H

#include <stdbool.h>
#include <stddef.h>

// An empty buffer is all zeros.
struct dc_buffer {
  char *bytes;  // released by dc_buffer_release
  size_t size, capacity;
};

// Makes room for capacity bytes in all; false: out of memory, the buffer is as before.
bool dc_buffer_reserve(struct dc_buffer *buffer, size_t capacity);
// Adds to a buffer that has the room already (dc_buffer_reserve), so that it cannot fail.
void dc_buffer_add(struct dc_buffer *buffer, const void *bytes, size_t size);
// Makes room and adds; false: out of memory.
bool dc_buffer_append(struct dc_buffer *buffer, const void *bytes, size_t size);
// Returns the next size bytes of a message, which stand at *at, and moves *at behind them; NULL when the message is
// shorter.
const void *dc_buffer_take(const struct dc_buffer *buffer, size_t *at, size_t size);
void dc_buffer_release(struct dc_buffer *buffer);

#endif
