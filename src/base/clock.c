// SPDX-License-Identifier: Apache-2.0
// Clocks of POSIX as seconds: one that never jumps, processor time of a thread and of the process, and calendar time in
// UTC.
#include "base/clock.h"

#include <time.h>

double dc_seconds(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double dc_thread_seconds(void)
{
  struct timespec used;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return (double)used.tv_sec + 1e-9 * (double)used.tv_nsec;
}

double dc_process_seconds(void)
{
  struct timespec used;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return (double)used.tv_sec + 1e-9 * (double)used.tv_nsec;
}

// Writes the time now, in UTC and in the form of strftime(3); an empty text where there is no room.
static void stamp(char *text, size_t size, const char *format)
{
  time_t now = time(NULL);
  struct tm utc;
  gmtime_r(&now, &utc);
  if (strftime(text, size, format, &utc) == 0 && size)
    text[0] = '\0';
}

void dc_utc_stamp(char *text, size_t size)
{
  stamp(text, size, "%Y-%m-%dT%H:%M:%SZ");
}

void dc_utc_compact_stamp(char *text, size_t size)
{
  stamp(text, size, "%Y%m%dT%H%M%SZ");
}
