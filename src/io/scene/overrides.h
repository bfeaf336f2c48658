// SPDX-License-Identifier: Apache-2.0
// Changes to a parsed scene before it is read: --set arguments and overlays.
#ifndef DC_IO_OVERRIDES_H
#define DC_IO_OVERRIDES_H

#include "io/json/json_value.h"

// Applies "path=value" (source [1 .. document->source_count] in messages) to the tree at root, which may be a copy
// of the document's.
//   path: keys and elements joined by dots: bodies.cue.mass, bodies.3.mass, bodies[3].mass, shapes["a.b"].radius.
// An element is addressed by its
//   "name", else by its index; in brackets always by index.
//   value: JSON, else a string.  null removes the key.  The last key of a path may be new; so may be the
// sections (NULL-terminated) at its beginning, which are keys joined by dots: {"refine", "refine.derivative"}.
enum dc_status dc_override(struct dc_json_document *document, cJSON *root, const char *argument, uint32_t source,
                           const char *const *sections, struct dc_error *error);

// Merges patch into target, both objects (RFC 7396: members of objects are merged, null removes, everything else
// replaces).  DC_OK or DC_MEMORY.
enum dc_status dc_json_merge(cJSON *target, const cJSON *patch);

#endif
