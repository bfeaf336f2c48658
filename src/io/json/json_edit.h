// SPDX-License-Identifier: Apache-2.0
// Changes of values in the text of a JSON document that leave all else, comments and spaces among it, as it stands.
#ifndef DC_IO_JSON_EDIT_H
#define DC_IO_JSON_EDIT_H

#include "io/json/json_text.h"
#include "io/json/json_value.h"

// Sets the member key of an object, or with key NULL the object itself, whatever it is, to a value, given as JSON text.
struct dc_json_change {
  const cJSON *object;  // of the document's own text, with at least one member
  const char *key, *value;
};

// Appends the document's text with all changes [count] made, none of which is within the value of another.  A member
// that is not there comes first in its object.
void dc_json_edit(const struct dc_json_document *document, int count, const struct dc_json_change *changes,
                  struct dc_text *text);

#endif
