// SPDX-License-Identifier: Apache-2.0
// A strict scanner for JSON text (RFC 8259) with comments.  cJSON, which parses the text afterwards, accepts
// trailing text, leading zeros and invalid UTF-8, and its values carry no position; the scanner refuses the former
// and records the latter.
#ifndef DC_IO_JSON_SCAN_H
#define DC_IO_JSON_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

enum {
  DC_JSON_MOST_DEPTH = 64,
  DC_JSON_MOST_VALUES = 3000000,  // cJSON needs 80 bytes for each
  DC_JSON_MOST_DIGITS = 63        // cJSON cuts longer numbers silently
};

// Where a value stands: byte offsets of the value and of its key (of the value itself in arrays) in source; source 0
// is the file, others are command-line arguments.
struct dc_json_place {
  uint32_t value, key, source;
};

struct dc_json_places {
  struct dc_json_place *places;  // released with free()
  size_t count, capacity;
};

// Checks text [length], which is terminated by a NUL, and overwrites its comments with blanks (line ends stay).
// Appends to places one place per value in document order (an array or object before its elements) with source.  On
// failure *offset is where, and error says what. DC_BAD_INPUT or DC_MEMORY.
enum dc_status dc_json_scan(char *text, size_t length, uint32_t source, struct dc_json_places *places, size_t *offset,
                            struct dc_error *error);

// Past the string that begins at text, in text that was scanned.
const char *dc_json_after_string(const char *text);

bool dc_json_is_utf8(const char *text, size_t length);

#endif
