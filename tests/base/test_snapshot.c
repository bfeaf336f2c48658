// SPDX-License-Identifier: Apache-2.0
#include "base/snapshot.h"

#include <limits.h>
#include <stdint.h>

#include "harness.h"

static void test_bits_come_back(void)
{
  double reals[6] = {-0.0, 5e-324, INFINITY, NAN, 1.0 / 3, -1.7976931348623157e308}, real_copy[6];
  const uint64_t odd_nan = UINT64_C(0xfff4000000000123);  // sign and payload are bits too
  memcpy(&reals[3], &odd_nan, sizeof odd_nan);
  const long integers[4] = {LONG_MIN, -1, 0, LONG_MAX};
  long integer_copy[4];
  struct dc_snapshot *snapshot = dc_snapshot_create();
  CHECK(dc_snapshot_put_reals(snapshot, "a/x", 6, reals) == DC_OK);
  CHECK(dc_snapshot_put_integers(snapshot, "a/n", 4, integers) == DC_OK);
  CHECK(dc_snapshot_put_reals(snapshot, "a/none", 0, NULL) == DC_OK);
  CHECK(dc_snapshot_get_reals(snapshot, "a/x", 6, real_copy, NULL) == DC_OK);
  CHECK(memcmp(reals, real_copy, sizeof reals) == 0);
  CHECK(dc_snapshot_get_integers(snapshot, "a/n", 4, integer_copy, NULL) == DC_OK);
  CHECK(memcmp(integers, integer_copy, sizeof integers) == 0);
  CHECK(dc_snapshot_get_reals(snapshot, "a/none", 0, NULL, NULL) == DC_OK);
  dc_snapshot_destroy(snapshot);
}

static void test_refusals(void)
{
  double x[3] = {1, 2, 3};
  long n[3] = {1, 2, 3};
  struct dc_error error = {0};
  struct dc_snapshot *snapshot = dc_snapshot_create();
  CHECK(dc_snapshot_put_reals(snapshot, "x", 3, x) == DC_OK);
  CHECK(dc_snapshot_put_integers(snapshot, "x", 3, n) == DC_USAGE, "a name is there once");
  x[0] = 7;
  CHECK(dc_snapshot_get_reals(snapshot, "y", 3, x, &error) == DC_CHECKPOINT);
  CHECK(strcmp(error.text, "y: is not in the snapshot") == 0, "%s", error.text);
  CHECK(dc_snapshot_get_integers(snapshot, "x", 3, n, &error) == DC_CHECKPOINT);
  CHECK(strcmp(error.text, "x: must hold integers") == 0, "%s", error.text);
  for (size_t count = 0; count < 5; count++)
    CHECK((dc_snapshot_get_reals(snapshot, "x", count, x, &error) == DC_OK) == (count == 3), "%zu", count);
  CHECK(strcmp(error.text, "x: must hold 4 numbers (has 3)") == 0, "%s", error.text);
  CHECK(x[0] == 1);
  const long counts[3] = {0, 9, -1};
  CHECK(dc_snapshot_put_integers(snapshot, "counts", 2, counts) == DC_OK);
  CHECK(dc_snapshot_put_integers(snapshot, "no counts", 3, counts) == DC_OK);
  CHECK(dc_snapshot_get_counts(snapshot, "counts", 2, 9, n, &error) == DC_OK && n[0] == 0 && n[1] == 9);
  CHECK(dc_snapshot_get_counts(snapshot, "counts", 2, 8, n, &error) == DC_CHECKPOINT);
  CHECK(strcmp(error.text, "counts: must hold numbers from 0 to 8 (has 9)") == 0, "%s", error.text);
  n[0] = 7;
  CHECK(dc_snapshot_get_counts(snapshot, "no counts", 3, 9, n, &error) == DC_CHECKPOINT && n[0] == 7);
  CHECK(dc_snapshot_get_counts(snapshot, "counts", 3, 9, n, &error) == DC_CHECKPOINT && n[0] == 7);
  CHECK(dc_snapshot_get_counts(snapshot, "x", 3, 9, n, &error) == DC_CHECKPOINT);
  dc_snapshot_destroy(snapshot);
  dc_snapshot_destroy(NULL);
}

// In a message, behind something else; cut off anywhere it is refused.
static void test_messages(void)
{
  const double reals[3] = {-0.0, INFINITY, 1.0 / 3};
  const long integers[2] = {LONG_MIN, 7};
  double real_copy[3];
  long integer_copy[2];
  struct dc_buffer message = {0};
  struct dc_snapshot *snapshot = dc_snapshot_create(), *copy = dc_snapshot_create();
  CHECK(dc_snapshot_put_reals(snapshot, "odd length", 3, reals) == DC_OK);
  CHECK(dc_snapshot_put_reals(snapshot, "none", 0, NULL) == DC_OK);
  CHECK(dc_snapshot_put_integers(snapshot, "n", 2, integers) == DC_OK);
  CHECK(dc_buffer_append(&message, "abc", 3));
  CHECK(dc_snapshot_write(snapshot, &message) == DC_OK);
  size_t whole = message.size, at = 3;
  CHECK(dc_snapshot_read(copy, &message, &at) == DC_OK && at == whole);
  CHECK(dc_snapshot_get_reals(copy, "odd length", 3, real_copy, NULL) == DC_OK);
  CHECK(memcmp(reals, real_copy, sizeof reals) == 0);
  CHECK(dc_snapshot_get_reals(copy, "none", 0, NULL, NULL) == DC_OK);
  CHECK(dc_snapshot_get_integers(copy, "n", 2, integer_copy, NULL) == DC_OK);
  CHECK(memcmp(integers, integer_copy, sizeof integers) == 0);
  for (message.size = 0; message.size < whole; message.size++) {
    dc_snapshot_clear(copy);
    at = 3;
    CHECK(dc_snapshot_read(copy, &message, &at) == DC_USAGE, "%zu bytes", message.size);
  }
  dc_buffer_release(&message);
  dc_snapshot_destroy(snapshot);
  dc_snapshot_destroy(copy);
}

// Many arrays of many sizes, again and again in the same memory, and walked through in order.
static void test_clear_and_walk(void)
{
  enum { ARRAYS = 150 };
  struct dc_snapshot *snapshot = dc_snapshot_create();
  for (int round = 0; round < 3; round++) {
    dc_snapshot_clear(snapshot);
    for (int i = 0; i < ARRAYS; i++) {
      char name[200];
      double values[ARRAYS];
      long integers[ARRAYS];
      int count = (i * 37 + round) % ARRAYS;
      snprintf(name, sizeof name, "%0*d", 1 + (i + round) % 150, i);
      for (int k = 0; k < count; k++)
        values[k] = i + 1000 * k, integers[k] = i - 1000 * k;
      if (i % 2)
        CHECK(dc_snapshot_put_reals(snapshot, name, (size_t)count, values) == DC_OK, "%s", name);
      else
        CHECK(dc_snapshot_put_integers(snapshot, name, (size_t)count, integers) == DC_OK, "%s", name);
    }
    struct dc_snapshot_entry entry;
    size_t n = 0;
    for (; dc_snapshot_entry(snapshot, n, &entry); n++) {
      int i = (int)n, count = (i * 37 + round) % ARRAYS;
      CHECK(atoi(entry.name) == i && entry.count == (size_t)count, "%s", entry.name);
      CHECK((entry.reals != NULL) == (i % 2 == 1) && (entry.integers != NULL) == (i % 2 == 0), "%s", entry.name);
      for (int k = 0; k < count; k++)
        CHECK(i % 2 ? entry.reals[k] == i + 1000 * k : entry.integers[k] == i - 1000 * k, "%d %d", i, k);
    }
    CHECK(n == ARRAYS, "%zu", n);
  }
  dc_snapshot_clear(snapshot);
  struct dc_snapshot_entry entry;
  CHECK(!dc_snapshot_entry(snapshot, 0, &entry) &&
        dc_snapshot_get_reals(snapshot, "1", 0, NULL, NULL) == DC_CHECKPOINT);
  dc_snapshot_destroy(snapshot);
}

RUN_TESTS({"numbers come back bit for bit", test_bits_come_back}, {"bits come back from messages", test_messages},
          {"other names, kinds and lengths are refused", test_refusals},
          {"arrays in order, and again in the same memory", test_clear_and_walk})
