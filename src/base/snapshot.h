// SPDX-License-Identifier: Apache-2.0
// Snapshots: named arrays of numbers from which a computation continues bit for bit.  Whoever takes a snapshot puts
// arrays under names with a prefix of its own, such as "optimizer/moments"; io/ writes and reads them as a whole.
#ifndef DC_BASE_SNAPSHOT_H
#define DC_BASE_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"
#include "base/status.h"

struct dc_snapshot;

struct dc_snapshot *dc_snapshot_create(void);  // NULL when out of memory
void dc_snapshot_destroy(struct dc_snapshot *snapshot);
void dc_snapshot_clear(struct dc_snapshot *snapshot);  // keeps memory

// Copy an array [count] in under a name that is not there yet (DC_USAGE when it is).  DC_OK or DC_MEMORY.
enum dc_status dc_snapshot_put_reals(struct dc_snapshot *snapshot, const char *name, size_t count,
                                     const double *values);
enum dc_status dc_snapshot_put_integers(struct dc_snapshot *snapshot, const char *name, size_t count,
                                        const long *values);

// Copy an array of exactly count elements out, bit for bit.  DC_CHECKPOINT when there is none of that name, kind and
// length; values are then as before.
enum dc_status dc_snapshot_get_reals(const struct dc_snapshot *snapshot, const char *name, size_t count, double *values,
                                     struct dc_error *error);
enum dc_status dc_snapshot_get_integers(const struct dc_snapshot *snapshot, const char *name, size_t count,
                                        long *values, struct dc_error *error);
// The same for counts, which must be in 0 .. most: DC_CHECKPOINT when one is not; values are then as before.
enum dc_status dc_snapshot_get_counts(const struct dc_snapshot *snapshot, const char *name, size_t count, long most,
                                      long *values, struct dc_error *error);

// For writers and readers: entry i in the order of putting, false beyond the last one.  Valid until the next put.
struct dc_snapshot_entry {
  const char *name;
  size_t count;
  const double *reals;  // one of these two; the other is NULL
  const long *integers;
};
bool dc_snapshot_entry(const struct dc_snapshot *snapshot, size_t i, struct dc_snapshot_entry *entry);

// Appends the whole snapshot to a message, for a program of the same build; DC_OK or DC_MEMORY.
enum dc_status dc_snapshot_write(const struct dc_snapshot *snapshot, struct dc_buffer *message);
// Puts in the arrays that stand at *at in a message, and moves *at behind them.  DC_OK, DC_MEMORY, or DC_USAGE when the
// message is cut off.
enum dc_status dc_snapshot_read(struct dc_snapshot *snapshot, const struct dc_buffer *message, size_t *at);

#endif
