// SPDX-License-Identifier: Apache-2.0
// Printing descends the tree recursively: its depth is bounded, because json_scan.h refuses deeper texts.  Numbers get
// as few of 15 to 17 digits as read back the same bits.
#include "io/json/json_print.h"

// Prints a value on one line without spaces.  Numbers get 15 to 17 digits, as few as read back as the same
// double, so that a printed tree is the same scene bit by bit; numbers that are not finite, which JSON cannot
// write, become null.
void dc_json_print(const cJSON *value, struct dc_text *text)
{
  bool array = cJSON_IsArray(value);
  if (cJSON_IsNumber(value)) {
    dc_text_short_real(text, value->valuedouble, "null");
  } else if (cJSON_IsString(value)) {
    dc_text_string(text, value->valuestring);
  } else if (array || cJSON_IsObject(value)) {
    dc_text_add(text, array ? "[" : "{");
    for (const cJSON *child = value->child; child; child = child->next) {
      if (!array) {
        dc_text_string(text, child->string);
        dc_text_add(text, ":");
      }
      dc_json_print(child, text);
      if (child->next)
        dc_text_add(text, ",");
    }
    dc_text_add(text, array ? "]" : "}");
  } else {
    dc_text_add(text, cJSON_IsTrue(value) ? "true" : cJSON_IsFalse(value) ? "false" : "null");
  }
}
