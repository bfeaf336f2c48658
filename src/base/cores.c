// SPDX-License-Identifier: Apache-2.0
// The load of the cores that this program may use, from the account of the Linux kernel (proc_stat(5)).
//
// Two looks at the account tell how busy the cores were in between; the difference to this program's own processor time
// is what others took.  The cores left are those allowed minus the average number that others kept busy.
#include "base/cores.h"

#ifdef __linux__
#include <sched.h>
#endif
#include <fcntl.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"

enum { MOST_CORES = 1024, LINE = 128 };  // bytes of a core's line
static const double WINDOW = 0.1;        // s between looks; the system counts in hundredths of a second

// Reads one line "cpuN user nice system idle iowait irq softirq steal ..." and adds up all ticks but idle and iowait.
// Stolen time counts, since it went to other machines on the same cores.  -1: the line is none of a core.
static int read_core(const char *line, double *ticks)
{
  char *end;
  double busy = 0;
  if (strncmp(line, "cpu", 3) != 0 || line[3] < '0' || line[3] > '9')
    return -1;
  long core = strtol(line + 3, &end, 10);
  for (int k = 0; k < 8; k++) {
    double value = (double)strtoull(end, &end, 10);
    busy += k == 3 || k == 4 ? 0 : value;
  }
  *ticks = busy;
  return core >= 0 && core < MOST_CORES ? (int)core : -1;
}

// Sums ticks over the lines of the allowed cores; the first line, "cpu" alone, is a total and no core.
double dc_cores_busy_seconds(const char *text, int count, const unsigned char *allowed)
{
  double all = 0, ticks = 0;
  bool any = false;
  for (const char *line = text; line && *line; line = strchr(line, '\n'), line += line != NULL) {
    int core = read_core(line, &ticks);
    if (core < 0 || core >= count || !allowed[core])
      continue;
    any = true;
    all += ticks;
  }
  return any ? all / (double)sysconf(_SC_CLK_TCK) : NAN;
}

#ifdef __linux__
int dc_core_count(void)
{
  cpu_set_t set;
  CPU_ZERO(&set);
  int count = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
  return count > 0 ? count : 1;
}

// Reads the busy time of the cores allowed.  The lines of cores come first in the account, so that a buffer for these
// suffices.
static double read_busy(void)
{
  static char text[MOST_CORES * LINE];
  static unsigned char allowed[MOST_CORES];
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set))
    return NAN;
  for (int k = 0; k < MOST_CORES; k++)
    allowed[k] = k < CPU_SETSIZE && CPU_ISSET(k, &set);
  int file = open("/proc/stat", O_RDONLY | O_CLOEXEC);
  ssize_t length = file >= 0 ? read(file, text, sizeof text - 1) : -1;
  if (file >= 0)
    close(file);
  text[length > 0 ? length : 0] = '\0';
  return dc_cores_busy_seconds(text, MOST_CORES, allowed);
}
#else
int dc_core_count(void)
{
  return 1;
}

static double read_busy(void)
{
  return NAN;
}
#endif

// Average over the time between both looks; differences below 0 belong to two different processes and say nothing.
double dc_cores_left_between(const struct dc_core_look *last, const struct dc_core_look *look)
{
  double others = ((look->busy - last->busy) - (look->own - last->own)) / (look->time - last->time);
  bool fit = look->time > last->time && look->busy >= last->busy && look->own >= last->own;
  return fit ? fmax(1, look->cores - fmax(0, others)) : INFINITY;
}

// Looks are at least WINDOW apart: the account counts in hundredths of a second, so that closer ones tell nothing.
double dc_cores_left(void)
{
  static struct dc_core_look last = {.busy = NAN};
  static double left = INFINITY;
  double now = dc_seconds();
  if (last.time > 0 && now < last.time + WINDOW)
    return left;
  struct dc_core_look look = {dc_core_count(), now, read_busy(), dc_process_seconds()};
  left = dc_cores_left_between(&last, &look);
  last = look;
  return left;
}
