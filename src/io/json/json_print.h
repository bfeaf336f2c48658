// SPDX-License-Identifier: Apache-2.0
// A JSON value as compact text whose numbers read back bit for bit.
#ifndef DC_IO_JSON_PRINT_H
#define DC_IO_JSON_PRINT_H

#include <cjson/cJSON.h>

#include "io/json/json_text.h"

void dc_json_print(const cJSON *value, struct dc_text *text);

#endif
