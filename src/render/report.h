// SPDX-License-Identifier: Apache-2.0
// The page of a run's report: numbers as text, and the data put into the page's template (viewer/).
#ifndef DC_RENDER_REPORT_H
#define DC_RENDER_REPORT_H

#include <stddef.h>

#include "base/status.h"

// Base64 (RFC 4648, with padding) of little-endian numbers, to be released with free(); NULL when out of memory.
char *dc_report_floats(size_t count, const double *values);            // 32-bit; not a number where out of range
char *dc_report_fractions(size_t count, const double *values);         // of -1 .. 1 as 16-bit integers, 1 is 32767
char *dc_report_integers(size_t count, const int *values, int bytes);  // 2 or 4 bytes each, not negative

// Pages with a place for their data, from viewer/.
extern const char dc_report_template[];  // of a run
extern const char dc_sweep_template[];   // of a sweep

// The whole page of a template around data, which is JSON: one text without anything outside it to load.  Released with
// free(); *size without the terminating zero.  "<" in JSON strings is written as an escape, so that no name can end the
// page's script or open a comment.  NULL when out of memory.
char *dc_report_page(const char *template, const char *data, size_t *size);

#endif
