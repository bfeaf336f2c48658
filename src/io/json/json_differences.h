// SPDX-License-Identifier: Apache-2.0
// The differences between two JSON files, each with the path of the value and both values.
#ifndef DC_IO_JSON_DIFFERENCES_H
#define DC_IO_JSON_DIFFERENCES_H

#include "base/memory.h"
#include "base/status.h"

struct dc_json_difference {
  const char *path;       // as in bodies[3].mass
  const char *values[2];  // JSON on one line; NULL: not there
};

struct dc_json_differences {
  size_t count, capacity;
  struct dc_json_difference *items;  // [count], released with free(); their texts are owned by the arena
};

// Adds what differs between the files, in the order of the first, then what only the second has.  Numbers are compared
// as numbers, elements of arrays by their places.  DC_BAD_INPUT, DC_IO or DC_MEMORY as of dc_json_load.
enum dc_status dc_json_compare(const char *const paths[2], struct dc_arena *arena,
                               struct dc_json_differences *differences, struct dc_error *error);

#endif
