// SPDX-License-Identifier: Apache-2.0
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

enum { MOST_CORES = 1024, LINE = 256 };
static const double WINDOW = 0.1;  // s between looks; the system counts in hundredths of a second

// "cpuN user nice system idle iowait irq softirq steal ...": what a core did but for idling and waiting for files.
// Stolen time went to other machines on the same cores.  -1: no line of a core.
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
// The lines of cores, which are the first ones: read in one piece, as the system writes them.
static char *read_account(void)
{
  size_t size = (size_t)LINE * (size_t)(sysconf(_SC_NPROCESSORS_CONF) + 2);
  char *text = malloc(size);
  int file = text ? open("/proc/stat", O_RDONLY | O_CLOEXEC) : -1;
  ssize_t length = file >= 0 ? read(file, text, size - 1) : -1;
  if (file >= 0)
    close(file);
  if (length <= 0) {
    free(text);
    return NULL;
  }
  text[length] = '\0';
  return text;
}

// Seconds that the cores which this program may run on were busy, and their number; NAN when the system does not tell.
static double read_busy(int *cores)
{
  static unsigned char allowed[MOST_CORES];
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set))
    return NAN;
  *cores = CPU_COUNT(&set);
  for (int k = 0; k < MOST_CORES; k++)
    allowed[k] = k < CPU_SETSIZE && CPU_ISSET(k, &set);
  char *text = read_account();
  double busy = text ? dc_cores_busy_seconds(text, MOST_CORES, allowed) : NAN;
  free(text);
  return busy;
}
#else
static double read_busy(int *cores)
{
  *cores = 0;
  return NAN;
}
#endif

double dc_cores_left(void)
{
  static struct {
    double time, busy, own, left;
  } last;
  double now = dc_seconds();
  if (last.time > 0 && now < last.time + WINDOW)
    return last.left;
  int cores = 0;
  double busy = read_busy(&cores), own = dc_process_seconds();
  double others = (busy - last.busy - (own - last.own)) / (now - last.time);
  last.left = last.time > 0 && isfinite(others) ? fmax(1, cores - fmax(0, others)) : INFINITY;
  last.time = now, last.busy = busy, last.own = own;
  return last.left;
}
