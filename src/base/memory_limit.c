// SPDX-License-Identifier: Apache-2.0
// The memory limit of this process: the tightest of physical memory, RLIMIT_AS, RLIMIT_DATA and memory.max of its
// control groups.  Limits of the process are compared with its use now (/proc/self/statm), so that bytes is what it may
// still allocate.
#include "base/memory_limit.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

// Replaces the limit by another one that is tighter.
static void tighten(struct dc_memory_limit *limit, const char *name, double bytes)
{
  if (bytes < limit->bytes)
    *limit = (struct dc_memory_limit){.bytes = fmax(bytes, 0), .name = name};
}

// Reads the bytes of address space and of data in use; zero when they cannot be read.
static void read_use(double *address_space, double *data)
{
  unsigned long size, resident, shared, text, library, other;
  *address_space = *data = 0;
  FILE *file = fopen("/proc/self/statm", "re");
  if (!file)
    return;
  if (fscanf(file, "%lu %lu %lu %lu %lu %lu", &size, &resident, &shared, &text, &library, &other) == 6) {
    double page = (double)sysconf(_SC_PAGESIZE);
    *address_space = page * (double)size;
    *data = page * (double)other;
  }
  fclose(file);
}

// Reads the number in a file; INFINITY for "max" and for an unreadable file.
static double read_number(const char *path)
{
  double number = INFINITY;
  FILE *file = fopen(path, "re");
  if (!file)
    return number;
  unsigned long long value;
  if (fscanf(file, "%llu", &value) == 1)
    number = (double)value;
  fclose(file);
  return number;
}

// Applies memory.max of the control group (version 2) of this process and of all groups above it.
static void tighten_by_group(struct dc_memory_limit *limit)
{
  char line[1024], path[1200];
  FILE *file = fopen("/proc/self/cgroup", "re");
  if (!file)
    return;
  bool found = false;
  while (!found && fgets(line, sizeof line, file))
    found = strncmp(line, "0::/", 4) == 0;
  fclose(file);
  if (!found)
    return;
  char *group = line + 3;
  group[strcspn(group, "\n")] = '\0';
  if (strcmp(group, "/") == 0)
    group[0] = '\0';
  for (;;) {
    snprintf(path, sizeof path, "/sys/fs/cgroup%s/memory.max", group);
    tighten(limit, "memory.max", read_number(path));
    char *slash = strrchr(group, '/');
    if (!slash)
      return;
    *slash = '\0';
  }
}

// Every limit is applied if it is tighter than those before; its name ends in the message of a failure.
struct dc_memory_limit dc_memory_limit(void)
{
  struct dc_memory_limit limit = {.bytes = INFINITY, .name = "none"};
  struct rlimit bound;
  double address_space, data;
  long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
  if (pages > 0 && page > 0)
    tighten(&limit, "physical memory", (double)pages * (double)page);
  read_use(&address_space, &data);
  if (getrlimit(RLIMIT_AS, &bound) == 0 && bound.rlim_cur != RLIM_INFINITY)
    tighten(&limit, "RLIMIT_AS", (double)bound.rlim_cur - address_space);
  if (getrlimit(RLIMIT_DATA, &bound) == 0 && bound.rlim_cur != RLIM_INFINITY)
    tighten(&limit, "RLIMIT_DATA", (double)bound.rlim_cur - data);
  tighten_by_group(&limit);
  return limit;
}
