// SPDX-License-Identifier: Apache-2.0
// The memory that this process may still allocate, and which limit says so.
#ifndef DC_BASE_MEMORY_LIMIT_H
#define DC_BASE_MEMORY_LIMIT_H

// A limit in bytes, and its name.  For limits of the process, bytes is the part beyond its present use; for the others
// it is the whole limit.
struct dc_memory_limit {
  double bytes;
  const char *name;  // "physical memory", "RLIMIT_AS", "RLIMIT_DATA" or "memory.max"
};

// Returns the tightest of physical memory, the soft limits of address space and data, and memory.max of the control
// group (version 2) and those above it.  An unreadable limit counts as none; without any, bytes is INFINITY.
struct dc_memory_limit dc_memory_limit(void);

#endif
