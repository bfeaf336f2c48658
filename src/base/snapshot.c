// SPDX-License-Identifier: Apache-2.0
// Named arrays in a list of slots, searched one by one: snapshots have tens of arrays and are read rarely.  Values are
// copied in and out bit for bit; a name that is put twice, or an array of another kind or length than asked for, is an
// error.
#include "base/snapshot.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum kind { REALS, INTEGERS };

// One array.  Its buffers stay when the snapshot is cleared, so that later snapshots of the same arrays allocate
// nothing.
struct slot {
  char *name;
  size_t name_capacity;
  enum kind kind;
  size_t count;
  void *values;
  size_t capacity;  // bytes
};

struct dc_snapshot {
  struct slot *slots;
  size_t used, capacity;
};

// Slots 0 to used - 1 hold arrays; those beyond keep buffers for later ones.
struct dc_snapshot *dc_snapshot_create(void)
{
  return calloc(1, sizeof(struct dc_snapshot));
}

// Slots beyond those used may hold buffers from before a clear; slots that were never used hold NULL.
void dc_snapshot_destroy(struct dc_snapshot *snapshot)
{
  if (!snapshot)
    return;
  for (size_t i = 0; i < snapshot->capacity; i++) {
    free(snapshot->slots[i].name);
    free(snapshot->slots[i].values);
  }
  free(snapshot->slots);
  free(snapshot);
}

// Names stay in their slots and are overwritten by the next arrays.
void dc_snapshot_clear(struct dc_snapshot *snapshot)
{
  snapshot->used = 0;
}

// The slot of a name, or NULL.
static const struct slot *find(const struct dc_snapshot *snapshot, const char *name)
{
  for (size_t i = 0; i < snapshot->used; i++)
    if (strcmp(snapshot->slots[i].name, name) == 0)
      return &snapshot->slots[i];
  return NULL;
}

static size_t element_size(enum kind kind)
{
  return kind == REALS ? sizeof(double) : sizeof(long);
}

// DC_OK; DC_USAGE for a name that is there already; DC_MEMORY, with the snapshot as it was.
static enum dc_status put(struct dc_snapshot *snapshot, const char *name, enum kind kind, size_t count,
                          const void *values)
{
  size_t size = element_size(kind), name_size = strlen(name) + 1;
  if (find(snapshot, name))
    return DC_USAGE;
  if (count > (size_t)-1 / size)
    return DC_MEMORY;
  if (dc_grow(&snapshot->slots, &snapshot->capacity, snapshot->used + 1, sizeof *snapshot->slots) < 0)
    return DC_MEMORY;
  struct slot *slot = &snapshot->slots[snapshot->used];
  if (dc_grow(&slot->name, &slot->name_capacity, name_size, 1) < 0 ||
      dc_grow(&slot->values, &slot->capacity, count ? count * size : size, 1) < 0)  // never NULL
    return DC_MEMORY;
  memcpy(slot->name, name, name_size);
  if (count)
    memcpy(slot->values, values, count * size);
  slot->kind = kind;
  slot->count = count;
  snapshot->used++;
  return DC_OK;
}

enum dc_status dc_snapshot_put_reals(struct dc_snapshot *snapshot, const char *name, size_t count, const double *values)
{
  return put(snapshot, name, REALS, count, values);
}

enum dc_status dc_snapshot_put_integers(struct dc_snapshot *snapshot, const char *name, size_t count,
                                        const long *values)
{
  return put(snapshot, name, INTEGERS, count, values);
}

// DC_OK; DC_CHECKPOINT, and values as they were, where the array is not there, of another kind or of another length.
static enum dc_status get(const struct dc_snapshot *snapshot, const char *name, enum kind kind, size_t count,
                          void *values, struct dc_error *error)
{
  const struct slot *slot = find(snapshot, name);
  if (!slot)
    return dc_fail(error, DC_CHECKPOINT, "%.200s: is not in the snapshot", name);
  if (slot->kind != kind)
    return dc_fail(error, DC_CHECKPOINT, "%.200s: must hold %s", name, kind == REALS ? "reals" : "integers");
  if (slot->count != count)
    return dc_fail(error, DC_CHECKPOINT, "%.200s: must hold %zu numbers (has %zu)", name, count, slot->count);
  if (count)
    memcpy(values, slot->values, count * element_size(kind));
  return DC_OK;
}

enum dc_status dc_snapshot_get_reals(const struct dc_snapshot *snapshot, const char *name, size_t count, double *values,
                                     struct dc_error *error)
{
  return get(snapshot, name, REALS, count, values, error);
}

enum dc_status dc_snapshot_get_integers(const struct dc_snapshot *snapshot, const char *name, size_t count,
                                        long *values, struct dc_error *error)
{
  return get(snapshot, name, INTEGERS, count, values, error);
}

// All numbers are checked before any is copied, so that values stay as they were when one is out of range.
enum dc_status dc_snapshot_get_counts(const struct dc_snapshot *snapshot, const char *name, size_t count, long most,
                                      long *values, struct dc_error *error)
{
  const struct slot *slot = find(snapshot, name);
  const long *stored = slot && slot->kind == INTEGERS ? slot->values : NULL;
  for (size_t i = 0; stored && i < slot->count; i++)
    if (stored[i] < 0 || stored[i] > most)
      return dc_fail(error, DC_CHECKPOINT, "%.200s: must hold numbers from 0 to %ld (has %ld)", name, most, stored[i]);
  return get(snapshot, name, INTEGERS, count, values, error);
}

// Exactly one of the two pointers is set, by which writers know the kind.
bool dc_snapshot_entry(const struct dc_snapshot *snapshot, size_t i, struct dc_snapshot_entry *entry)
{
  if (i >= snapshot->used)
    return false;
  const struct slot *slot = &snapshot->slots[i];
  *entry = (struct dc_snapshot_entry){.name = slot->name, .count = slot->count};
  if (slot->kind == REALS)
    entry->reals = slot->values;
  else
    entry->integers = slot->values;
  return true;
}

// The head of an array in a message; its name and its numbers follow.
struct head {
  size_t kind, name_size, count;
};

// Heads are written as they are in memory: writer and reader are the same program on the same kind of machine.
enum dc_status dc_snapshot_write(const struct dc_snapshot *snapshot, struct dc_buffer *message)
{
  if (!dc_buffer_append(message, &snapshot->used, sizeof snapshot->used))
    return DC_MEMORY;
  for (size_t i = 0; i < snapshot->used; i++) {
    const struct slot *slot = &snapshot->slots[i];
    const struct head head = {.kind = slot->kind, .name_size = strlen(slot->name) + 1, .count = slot->count};
    if (!dc_buffer_append(message, &head, sizeof head) || !dc_buffer_append(message, slot->name, head.name_size) ||
        !dc_buffer_append(message, slot->values, slot->count * element_size(slot->kind)))
      return DC_MEMORY;
  }
  return DC_OK;
}

// Every length is checked against what is left of the message before it is used; a name must end with a zero byte.
enum dc_status dc_snapshot_read(struct dc_snapshot *snapshot, const struct dc_buffer *message, size_t *at)
{
  size_t count;
  const void *part = dc_buffer_take(message, at, sizeof count);
  if (!part)
    return DC_USAGE;
  memcpy(&count, part, sizeof count);
  for (size_t i = 0; i < count; i++) {
    struct head head;
    part = dc_buffer_take(message, at, sizeof head);
    if (!part)
      return DC_USAGE;
    memcpy(&head, part, sizeof head);
    if (head.count > message->size || head.name_size < 1)
      return DC_USAGE;
    const char *name = dc_buffer_take(message, at, head.name_size);
    const void *values = dc_buffer_take(message, at, head.count * element_size((enum kind)head.kind));
    if (!name || !values || name[head.name_size - 1] != '\0')
      return DC_USAGE;
    enum dc_status status = put(snapshot, name, (enum kind)head.kind, head.count, values);
    if (status)
      return status;
  }
  return DC_OK;
}
