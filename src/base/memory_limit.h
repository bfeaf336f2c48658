// SPDX-License-Identifier: Apache-2.0
// How much memory this process may have.
#ifndef DC_BASE_MEMORY_LIMIT_H
#define DC_BASE_MEMORY_LIMIT_H

// What sets a limit, and how many bytes it leaves: of the limits of the process those beyond what it uses, of the
// others all.
struct dc_memory_limit {
  double bytes;
  const char *name;  // "physical memory", "RLIMIT_AS", "RLIMIT_DATA" or "memory.max"
};

// The tightest of physical memory, the soft limits of the address space and of data, and memory.max of the control
// group (version 2) and those above it.  What cannot be read is no limit; with none at all bytes is INFINITY.
struct dc_memory_limit dc_memory_limit(void);

#endif
