// SPDX-License-Identifier: Apache-2.0
// Monotonic time, processor time and calendar time.
#ifndef DC_BASE_CLOCK_H
#define DC_BASE_CLOCK_H

#include <stddef.h>

double dc_seconds(void);                             // monotonic, s
double dc_thread_seconds(void);                      // processor time of the calling thread, s
double dc_process_seconds(void);                     // processor time of all threads of the process, s
void dc_utc_stamp(char *text, size_t size);          // 2026-01-31T12:00:00Z
void dc_utc_compact_stamp(char *text, size_t size);  // 20260131T120000Z, for names

#endif
