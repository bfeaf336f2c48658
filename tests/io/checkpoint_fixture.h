// SPDX-License-Identifier: Apache-2.0
// A run directory of a scene whose one shape is a mesh file.
#ifndef DC_TESTS_IO_CHECKPOINT_FIXTURE_H
#define DC_TESTS_IO_CHECKPOINT_FIXTURE_H

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <inttypes.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "harness.h"
#include "io/run/checkpoint.h"
#include "io/run/run_files.h"
#include "io/run/seal.h"

enum { PATH_SIZE = 300, SEAL_SIZE = 512 };

// A scene of one shape made of a mesh file; runs look at nothing else of it.
struct fixture {
  char folder[64], mesh_path[PATH_SIZE];
  struct dc_shape_type mesh_type;
  struct dc_mesh_shape_options mesh;
  struct dc_shape shape;
  struct dc_scene scene;
  struct dc_snapshot *snapshot;
};

static const char resolved[] = "{\"shapes\": {\"ball\": {\"type\": \"mesh\", \"file\": \"bunny.obj\"}}}\n";
static const char resolved_expected[] =
    "{\"shapes\": {\"ball\": {\"type\": \"mesh\", \"file\": \"meshes/bunny.obj\"}}}\n";
static const struct dc_checkpoint_identity identity = {"1.2.3", 0xdeadbeef, UINT64_MAX, "avx2", "Haswell"};

static inline const char *in(const struct fixture *fixture, const char *name)
{
  static char paths[4][PATH_SIZE];
  static int next;
  char *path = paths[next++ % 4];
  snprintf(path, PATH_SIZE, "%s/%s", fixture->folder, name);
  return path;
}

static inline void write_text(const char *path, const char *text)
{
  CHECK(dc_file_write(path, text, strlen(text), NULL) == DC_OK, "%s", path);
}

static inline char *slurp(const char *path, size_t *size)
{
  char *bytes;
  CHECK(dc_file_read(path, (size_t)1 << 24, &bytes, size, NULL) == DC_OK, "%s", path);
  return bytes ? bytes : calloc(1, 1);
}

static inline bool file_holds(const char *path, const void *bytes, size_t size)
{
  bool same;
  return dc_file_compare(path, bytes, size, &same, NULL) == DC_OK && same;
}

static inline bool file_is(const char *path, const char *text)
{
  return file_holds(path, text, strlen(text));
}

static inline bool exists(const char *path)
{
  struct stat info;
  return lstat(path, &info) == 0;
}

static inline void setup(struct fixture *fixture)
{
  memset(fixture, 0, sizeof *fixture);
  strcpy(fixture->folder, "/tmp/dcsim-test-checkpoint-XXXXXX");
  if (!mkdtemp(fixture->folder)) {
    printf("Bail out! cannot make a folder in /tmp\n");
    exit(1);
  }
  strcpy(fixture->mesh_path, in(fixture, "bunny.obj"));
  write_text(fixture->mesh_path, "# a mesh\n");
  fixture->mesh_type.name = "mesh";
  fixture->mesh.file = fixture->mesh_path;
  fixture->shape = (struct dc_shape){.name = "ball", .type = &fixture->mesh_type, .options = &fixture->mesh};
  fixture->scene.source.text = "// as read\n{}\n";
  fixture->scene.resolved = (char *)resolved;
  fixture->scene.definition.shape_count = 1;
  fixture->scene.definition.shapes = &fixture->shape;
  fixture->snapshot = dc_snapshot_create();
}

static inline int remove_entry(const char *path, const struct stat *info, int type, struct FTW *walk)
{
  (void)info, (void)type, (void)walk;
  return remove(path);
}

static inline void teardown(struct fixture *fixture)
{
  dc_snapshot_destroy(fixture->snapshot);
  nftw(fixture->folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

static inline struct dc_run *create(const struct fixture *fixture)
{
  struct dc_error error = {0};
  struct dc_run *run;
  if (dc_run_create(in(fixture, "run"), &fixture->scene, false, &run, &error)) {
    printf("Bail out! %s\n", error.text);
    exit(1);
  }
  return run;
}

static inline enum dc_status reopen(const struct fixture *fixture, long rows, struct dc_run **run,
                                    struct dc_error *error)
{
  return dc_run_reopen(in(fixture, "run"), &fixture->scene, rows, run, error);
}

static inline enum dc_status read_back(const struct fixture *fixture, bool force, struct dc_error *error)
{
  return dc_checkpoint_read(in(fixture, "run"), &identity, force, fixture->snapshot, error);
}

static const char *const odd_names[] = {"optimizer/x", "x//y", "/", ".", "50%", "%2F", "\xc3\xa4 \x01", "a", "a/b"};
enum { ODD_NAMES = sizeof odd_names / sizeof odd_names[0] };

static inline void fill(struct dc_snapshot *snapshot)
{
  double reals[6] = {-0.0, 5e-324, INFINITY, NAN, 1.0 / 3, 123456.78125};
  const uint64_t odd_nan = UINT64_C(0xfff4000000000123);
  const long integers[3] = {-9223372036854775807 - 1, 0, 9223372036854775807};
  memcpy(&reals[3], &odd_nan, sizeof odd_nan);
  dc_snapshot_clear(snapshot);
  for (int i = 0; i < ODD_NAMES; i++)
    CHECK(dc_snapshot_put_reals(snapshot, odd_names[i], (size_t)i % 7, reals) == DC_OK, "%s", odd_names[i]);
  CHECK(dc_snapshot_put_reals(snapshot, "reals", 6, reals) == DC_OK, "reals");
  CHECK(dc_snapshot_put_integers(snapshot, "integers", 3, integers) == DC_OK, "integers");
  CHECK(dc_snapshot_put_integers(snapshot, "none", 0, NULL) == DC_OK, "none");
}

static inline size_t entries(const struct dc_snapshot *snapshot)
{
  struct dc_snapshot_entry entry;
  size_t count = 0;
  while (dc_snapshot_entry(snapshot, count, &entry))
    count++;
  return count;
}

// Whether b holds the arrays of a and no others, to the bit.
static inline bool same_arrays(const struct dc_snapshot *a, const struct dc_snapshot *b)
{
  struct dc_snapshot_entry entry;
  for (size_t i = 0; dc_snapshot_entry(a, i, &entry); i++) {
    double reals[16];
    long integers[16];
    if (entry.reals && (dc_snapshot_get_reals(b, entry.name, entry.count, reals, NULL) ||
                        memcmp(reals, entry.reals, entry.count * sizeof *reals) != 0))
      return false;
    if (entry.integers && (dc_snapshot_get_integers(b, entry.name, entry.count, integers, NULL) ||
                           memcmp(integers, entry.integers, entry.count * sizeof *integers) != 0))
      return false;
  }
  return entries(a) == entries(b);
}

#endif
