// SPDX-License-Identifier: Apache-2.0
// Pages of reports: numbers as text, and data inserted into a template (viewer/).
#ifndef DC_RENDER_REPORT_H
#define DC_RENDER_REPORT_H

#include <stddef.h>

#include "base/status.h"

// Base64 (RFC 4648, with padding) of little-endian numbers, to be released with free(); NULL when out of memory.
char *dc_report_floats(size_t count, const double *values);            // 32-bit; not a number where out of range
char *dc_report_fractions(size_t count, const double *values);         // of -1 .. 1 as 16-bit integers, 1 is 32767
char *dc_report_integers(size_t count, const int *values, int bytes);  // 2 or 4 bytes each, not negative

// Page templates from viewer/, with a place for data.
extern const char dc_report_template[];  // of a run
extern const char dc_sweep_template[];   // of a sweep

// Inserts data, which is JSON, into a template: one text that loads nothing else.  Released with free(); *size excludes
// the terminating zero.  "<" in JSON strings is escaped, so that no name can end the page's script or open a comment.
// NULL when out of memory.
char *dc_report_page(const char *template, const char *data, size_t *size);

#endif
