// SPDX-License-Identifier: Apache-2.0
// Checkpoints, and run directories that are opened again.
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

static const char *in(const struct fixture *fixture, const char *name)
{
  static char paths[4][PATH_SIZE];
  static int next;
  char *path = paths[next++ % 4];
  snprintf(path, PATH_SIZE, "%s/%s", fixture->folder, name);
  return path;
}

static void write_text(const char *path, const char *text)
{
  CHECK(dc_file_write(path, text, strlen(text), NULL) == DC_OK, "%s", path);
}

static char *slurp(const char *path, size_t *size)
{
  char *bytes;
  CHECK(dc_file_read(path, (size_t)1 << 24, &bytes, size, NULL) == DC_OK, "%s", path);
  return bytes ? bytes : calloc(1, 1);
}

static bool file_holds(const char *path, const void *bytes, size_t size)
{
  bool same;
  return dc_file_compare(path, bytes, size, &same, NULL) == DC_OK && same;
}

static bool file_is(const char *path, const char *text)
{
  return file_holds(path, text, strlen(text));
}

static bool exists(const char *path)
{
  struct stat info;
  return lstat(path, &info) == 0;
}

static void setup(struct fixture *fixture)
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
  fixture->scene.text = "// as read\n{}\n";
  fixture->scene.resolved = (char *)resolved;
  fixture->scene.definition.shape_count = 1;
  fixture->scene.definition.shapes = &fixture->shape;
  fixture->snapshot = dc_snapshot_create();
}

static int remove_entry(const char *path, const struct stat *info, int type, struct FTW *walk)
{
  (void)info, (void)type, (void)walk;
  return remove(path);
}

static void teardown(struct fixture *fixture)
{
  dc_snapshot_destroy(fixture->snapshot);
  nftw(fixture->folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

static struct dc_run *create(const struct fixture *fixture)
{
  struct dc_error error = {0};
  struct dc_run *run;
  if (dc_run_create(in(fixture, "run"), &fixture->scene, &run, &error)) {
    printf("Bail out! %s\n", error.text);
    exit(1);
  }
  return run;
}

static enum dc_status reopen(const struct fixture *fixture, long rows, struct dc_run **run, struct dc_error *error)
{
  return dc_run_reopen(in(fixture, "run"), &fixture->scene, rows, run, error);
}

static enum dc_status read_back(const struct fixture *fixture, bool force, struct dc_error *error)
{
  return dc_checkpoint_read(in(fixture, "run"), &identity, force, fixture->snapshot, error);
}

static const char *const odd_names[] = {"optimizer/x", "x//y", "/", ".", "50%", "%2F", "\xc3\xa4 \x01", "a", "a/b"};
enum { ODD_NAMES = sizeof odd_names / sizeof odd_names[0] };

static void fill(struct dc_snapshot *snapshot)
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

static size_t entries(const struct dc_snapshot *snapshot)
{
  struct dc_snapshot_entry entry;
  size_t count = 0;
  while (dc_snapshot_entry(snapshot, count, &entry))
    count++;
  return count;
}

// Whether b holds the arrays of a and no others, to the bit.
static bool same_arrays(const struct dc_snapshot *a, const struct dc_snapshot *b)
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

static void test_round_trip(void)
{
  struct fixture fixture;
  setup(&fixture);
  struct dc_error error = {0};
  struct dc_run *run = create(&fixture);
  struct dc_snapshot *written = dc_snapshot_create();
  for (int k = 0; k < 2; k++) {  // an empty one, and one that replaces it
    if (k)
      fill(written);
    CHECK(dc_checkpoint_write(run, &identity, written, &error) == DC_OK, "%s", error.text);
    CHECK(read_back(&fixture, false, &error) == DC_OK, "%s", error.text);
    CHECK(same_arrays(written, fixture.snapshot) && entries(written) == (k ? ODD_NAMES + 3 : 0), "%d", k);
  }
  // the same numbers give the same bytes
  size_t size, size_again;
  char *bytes = slurp(in(&fixture, "run/checkpoint.bin"), &size);
  CHECK(dc_checkpoint_write(run, &identity, written, &error) == DC_OK, "%s", error.text);
  char *again = slurp(in(&fixture, "run/checkpoint.bin"), &size_again);
  CHECK(size == size_again && memcmp(bytes, again, size) == 0, "%zu", size);
  free(bytes);
  free(again);
  CHECK(dc_run_close(run, &error) == DC_OK, "%s", error.text);
  dc_snapshot_destroy(written);
  teardown(&fixture);
}

static void write_checkpoint(struct fixture *fixture)
{
  struct dc_error error = {0};
  struct dc_run *run = create(fixture);
  fill(fixture->snapshot);
  CHECK(dc_checkpoint_write(run, &identity, fixture->snapshot, &error) == DC_OK, "%s", error.text);
  CHECK(dc_run_close(run, &error) == DC_OK, "%s", error.text);
}

static void test_identity(void)
{
  struct fixture fixture;
  setup(&fixture);
  write_checkpoint(&fixture);
  static const struct {
    struct dc_checkpoint_identity other;
    const char *says;
  } cases[] = {
      {{"1.2.4", 0xdeadbeef, UINT64_MAX, "avx2", "Haswell"}, "another version 1.2.3 (now 1.2.4);"},
      {{"1.2.3", 1, UINT64_MAX, "avx2", "Haswell"}, "another scene 00000000deadbeef (now 0000000000000001);"},
      {{"1.2.3", 0xdeadbeef, 2, "avx2", "Haswell"}, "other meshes ffffffffffffffff (now 0000000000000002);"},
      {{"1.2.3", 0xdeadbeef, UINT64_MAX, "avx512", "Haswell"}, "other vector kernels avx2 (now avx512);"},
      {{"1.2.3", 0xdeadbeef, UINT64_MAX, "avx2", "Prescott"}, "another core type of OpenBLAS Haswell (now Prescott);"},
      {{"1", 1, UINT64_MAX, "baseline", "Zen"},
       "another version 1.2.3 (now 1), another scene 00000000deadbeef (now 0000000000000001), other vector kernels "
       "avx2 (now baseline), another core type of OpenBLAS Haswell (now Zen);"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    struct dc_error error = {0};
    double numbers[6];
    const char *directory = in(&fixture, "run");
    CHECK(dc_checkpoint_read(directory, &cases[i].other, false, fixture.snapshot, &error) == DC_CHECKPOINT, "%zu", i);
    CHECK(strstr(error.text, cases[i].says) && error.status == DC_CHECKPOINT, "%s", error.text);
    CHECK(strstr(error.text, "run/checkpoint.bin: ") && strstr(error.text, "--force"), "%s", error.text);
    CHECK(entries(fixture.snapshot) == 0, "%zu", i);
    CHECK(dc_checkpoint_read(directory, &cases[i].other, true, fixture.snapshot, &error) == DC_OK, "%s", error.text);
    CHECK(dc_snapshot_get_reals(fixture.snapshot, "reals", 6, numbers, NULL) == DC_OK, "%zu", i);
  }
  teardown(&fixture);
}

// Two meshes of one base name get names of their own in a run directory; the scene read back from there is the same.
static void test_identify(void)
{
  static const struct dc_shape_type type = {.name = "mesh"};
  static const struct {
    const char *resolved, *files[2];
  } scenes[] = {
      {"{\"shapes\": {\"a\": {\"file\": \"b.obj\"}, \"c\": {\"file\": \"b.obj\"}}}", {"/one/b.obj", "/two/b.obj"}},
      {"{\"shapes\": {\"a\": {\"file\": \"b.obj\"}, \"c\": {\"file\": \"b-2.obj\"}}}",
       {"/run/meshes/b.obj", "/run/meshes/b-2.obj"}},
      {"{\"shapes\": {\"a\": {\"file\": \"b.obj\"}, \"c\": {\"file\": \"b.obj\"}}}", {"/one/b.obj", "/one/b.obj"}},
  };
  struct dc_checkpoint_identity found[3];
  for (int i = 0; i < 3; i++) {
    struct dc_mesh_shape_options meshes[2] = {{.file = scenes[i].files[0]}, {.file = scenes[i].files[1]}};
    struct dc_shape shapes[2] = {{.name = "a", .type = &type, .options = &meshes[0]},
                                 {.name = "c", .type = &type, .options = &meshes[1]}};
    struct dc_scene scene = {.resolved = (char *)scenes[i].resolved, .mesh_hash = 7};
    scene.definition.shape_count = 2;
    scene.definition.shapes = shapes;
    CHECK(dc_checkpoint_identify(&scene, "1", "avx2", "Haswell", &found[i], NULL) == DC_OK, "%d", i);
    CHECK(found[i].mesh_hash == 7 && strcmp(found[i].vector_width, "avx2") == 0, "%d", i);
  }
  CHECK(found[0].scene_hash == found[1].scene_hash, "as given, and as read back");
  CHECK(found[0].scene_hash != found[2].scene_hash, "one mesh for both is another scene");
}

static void put_bytes(const struct fixture *fixture, const char *bytes, size_t size)
{
  CHECK(dc_file_write(in(fixture, "run/checkpoint.bin"), bytes, size, NULL) == DC_OK, "%zu", size);
}

static void check_unusable(const struct fixture *fixture, const char *says)
{
  struct dc_error error = {0};
  for (int force = 0; force < 2; force++) {
    CHECK(read_back(fixture, force, &error) == DC_CHECKPOINT && error.status == DC_CHECKPOINT, "%s", error.text);
    CHECK(strstr(error.text, "checkpoint.bin: ") && strstr(error.text, says), "%s", error.text);
    CHECK(entries(fixture->snapshot) == 0, "%s", says);
  }
}

// Where word stands in bytes; it must.
static char *find_word(char *bytes, size_t size, uint64_t word)
{
  for (size_t i = SEAL_SIZE; i + sizeof word <= size; i++)
    if (memcmp(bytes + i, &word, sizeof word) == 0)
      return bytes + i;
  printf("Bail out! %" PRIx64 " is not stored as it is\n", word);
  exit(1);
}

// Puts word at "at" by something that knows how to seal a file, and back after the check.
static void check_forged(const struct fixture *fixture, char *bytes, size_t size, char *at, uint64_t word,
                         const char *says)
{
  uint64_t before;
  memcpy(&before, at, sizeof before);
  memcpy(at, &word, sizeof word);
  dc_seal("dcsim checkpoint 2", bytes, size);
  put_bytes(fixture, bytes, size);
  check_unusable(fixture, says);
  memcpy(at, &before, sizeof before);
  dc_seal("dcsim checkpoint 2", bytes, size);
}

// What reads the records trusts none of them.
static void test_forged_files(void)
{
  struct fixture fixture;
  setup(&fixture);
  write_checkpoint(&fixture);
  size_t size;
  char *bytes = slurp(in(&fixture, "run/checkpoint.bin"), &size);
  uint64_t name;
  memcpy(&name, "integers", sizeof name);
  char *integers = find_word(bytes, size, name), *head = integers - 24;  // kind, size of the name, count
  check_forged(&fixture, bytes, size, head, 3, "another kind");
  check_forged(&fixture, bytes, size, head, UINT64_MAX, "another kind");
  check_forged(&fixture, bytes, size, head, 2, "a text among its arrays");
  check_forged(&fixture, bytes, size, head + 8, 0, "without a name");
  check_forged(&fixture, bytes, size, head + 8, 8, "without a name");
  check_forged(&fixture, bytes, size, head + 8, UINT64_MAX, "more numbers than the file holds");
  check_forged(&fixture, bytes, size, head + 8, size, "more numbers than the file holds");
  check_forged(&fixture, bytes, size, head + 16, UINT64_MAX, "more numbers than the file holds");
  check_forged(&fixture, bytes, size, head + 16, UINT64_MAX / 8, "more numbers than the file holds");
  check_forged(&fixture, bytes, size, head + 16, size / 8, "more numbers than the file holds");
  check_forged(&fixture, bytes, size, bytes + SEAL_SIZE, 0, "does not say what it belongs to");
  put_bytes(&fixture, bytes, size);
  struct dc_error error = {0};
  CHECK(read_back(&fixture, false, &error) == DC_OK, "put back: %s", error.text);
  for (size_t length = SEAL_SIZE + 1; length < size; length += 13) {
    char *copy = malloc(length);
    memcpy(copy, bytes, length);
    dc_seal("dcsim checkpoint 2", copy, length);
    put_bytes(&fixture, copy, length);
    enum dc_status status = read_back(&fixture, true, &error);
    CHECK(status == DC_CHECKPOINT || (status == DC_OK && length % 8 == 0), "%zu bytes: %s", length, error.text);
    free(copy);
  }
  free(bytes);
  teardown(&fixture);
}

static void test_damaged_files(void)
{
  struct fixture fixture;
  setup(&fixture);
  write_checkpoint(&fixture);
  size_t size;
  char *bytes = slurp(in(&fixture, "run/checkpoint.bin"), &size);
  CHECK(size > 1000 && size < 100000, "%zu", size);
  for (size_t length = 0; length < size; length += length < SEAL_SIZE + 8 ? 37 : 997) {  // truncated
    put_bytes(&fixture, bytes, length);
    check_unusable(&fixture, "is ");
  }
  for (size_t at = 0; at < size; at += at < SEAL_SIZE ? 61 : 1009) {  // one bit elsewhere
    bytes[at] ^= 4;
    put_bytes(&fixture, bytes, size);
    check_unusable(&fixture, "is ");
    bytes[at] ^= 4;
  }
  unlink(in(&fixture, "run/checkpoint.bin"));
  check_unusable(&fixture, "No such file");
  mkfifo(in(&fixture, "run/checkpoint.bin"), 0666);
  check_unusable(&fixture, "is not a regular file");
  unlink(in(&fixture, "run/checkpoint.bin"));
  mkdir(in(&fixture, "run/checkpoint.bin"), 0777);
  check_unusable(&fixture, "is not a regular file");
  free(bytes);
  teardown(&fixture);
}

// A full disk by the file size limit: writing beyond it fails with EFBIG once SIGXFSZ is ignored.
static void test_full_disk(void)
{
  struct fixture fixture;
  setup(&fixture);
  write_checkpoint(&fixture);
  struct dc_error error = {0};
  struct dc_run *run;
  CHECK(reopen(&fixture, 0, &run, &error) == DC_OK, "%s", error.text);
  size_t size;
  char *before = slurp(in(&fixture, "run/checkpoint.bin"), &size);
  const struct dc_checkpoint_identity other = {"9", 9, 9, "9", "9"};
  void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
  struct rlimit limit, small;
  getrlimit(RLIMIT_FSIZE, &limit);
  small = limit;
  small.rlim_cur = 1000;
  setrlimit(RLIMIT_FSIZE, &small);
  enum dc_status status = dc_checkpoint_write(run, &other, fixture.snapshot, &error);
  setrlimit(RLIMIT_FSIZE, &limit);
  signal(SIGXFSZ, handler);
  CHECK(status == DC_IO && strstr(error.text, "checkpoint.bin: cannot write"), "%s", error.text);
  CHECK(file_holds(in(&fixture, "run/checkpoint.bin"), before, size), "the one before is there");
  CHECK(read_back(&fixture, false, &error) == DC_OK, "%s", error.text);
  free(before);
  CHECK(dc_run_close(run, &error) == DC_OK, "%s", error.text);
  teardown(&fixture);
}

// Checkpoint k holds k copies of k, after k rows.
static void write_for_ever(const struct fixture *fixture)
{
  struct dc_run *run = create(fixture);
  for (long k = 1; k < 100000; k++) {
    double numbers[64];
    for (int i = 0; i < 64; i++)
      numbers[i] = (double)k;
    const struct dc_run_row row = {
        .iteration = (int)k, .loss = 1.0 / (double)k, .parameter_count = 9, .parameters = numbers};
    dc_snapshot_clear(fixture->snapshot);
    if (dc_run_add_row(run, &row, NULL) || dc_snapshot_put_integers(fixture->snapshot, "rows", 1, &k) ||
        dc_snapshot_put_reals(fixture->snapshot, "numbers", 64, numbers) ||
        dc_checkpoint_write(run, &identity, fixture->snapshot, NULL))
      _exit(1);
  }
  _exit(0);
}

static int count_temporaries(const char *directory)
{
  char command[PATH_SIZE + 40];
  int count = -1;
  snprintf(command, sizeof command, "ls -A '%s' | grep -c '^.tmp-'", directory);
  FILE *pipe = popen(command, "r");
  if (!pipe || fscanf(pipe, "%d", &count) != 1)
    count = -1;
  if (pipe)
    pclose(pipe);
  return count;
}

static void test_killed(void)
{
  enum { KILLS = 12 };
  int left = 0;
  for (int k = 0; k < KILLS; k++) {
    struct fixture fixture;
    setup(&fixture);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0)
      write_for_ever(&fixture);
    for (int wait = 0; wait < 2000 && !exists(in(&fixture, "run/checkpoint.bin")); wait++)
      nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    nanosleep(&(struct timespec){.tv_nsec = 3000000 + 700000 * k}, NULL);
    int how;
    kill(child, SIGKILL);
    CHECK(child > 0 && waitpid(child, &how, 0) == child && WIFSIGNALED(how), "%d", k);
    left += count_temporaries(in(&fixture, "run"));

    struct dc_error error = {0};
    struct dc_run *run;
    long rows = 0;
    double numbers[64];
    CHECK(read_back(&fixture, false, &error) == DC_OK, "%s", error.text);
    CHECK(dc_snapshot_get_integers(fixture.snapshot, "rows", 1, &rows, NULL) == DC_OK && rows > 0, "%ld", rows);
    CHECK(dc_snapshot_get_reals(fixture.snapshot, "numbers", 64, numbers, NULL) == DC_OK, "%ld", rows);
    CHECK(numbers[0] == (double)rows && numbers[63] == (double)rows, "%g", numbers[0]);
    CHECK(exists(in(&fixture, "run/.lock")), "the dead process could not remove it");
    CHECK(reopen(&fixture, rows, &run, &error) == DC_OK, "%s", error.text);
    CHECK(count_temporaries(in(&fixture, "run")) == 0, "swept");
    CHECK(dc_run_close(run, &error) == DC_OK && !exists(in(&fixture, "run/.lock")), "%s", error.text);
    size_t size;
    char *loss = slurp(in(&fixture, "run/loss.csv"), &size), last[40];
    long lines = 0;
    for (size_t i = 0; i < size; i++)
      lines += loss[i] == '\n';
    snprintf(last, sizeof last, "\n%ld,", rows);
    CHECK(lines == rows + 1 && size > 0 && loss[size - 1] == '\n' && strstr(loss, last), "%ld lines, %ld rows", lines,
          rows);
    free(loss);
    teardown(&fixture);
  }
  printf("# %d kills left %d temporary files\n", KILLS, left);
}

static enum dc_status add_rows(struct dc_run *run, int from, int to)
{
  enum dc_status status = DC_OK;
  for (int k = from; k < to && !status; k++) {
    const double parameters[2] = {k, 1.0 / (k + 3)};
    const struct dc_run_row row = {.iteration = k,
                                   .loss = 1.0 / (k + 7),
                                   .gradient_norm = k,
                                   .newton_iterations = 5,
                                   .min_gap = 0.1,
                                   .seconds = 0.25 * k,
                                   .parameter_count = 2,
                                   .parameters = parameters};
    status = dc_run_add_row(run, &row, NULL);
  }
  return status;
}

static void append(const char *path, const char *text)
{
  FILE *file = fopen(path, "a");
  CHECK(file && fputs(text, file) >= 0 && fclose(file) == 0, "%s", path);
}

static void test_reopen_rows(void)
{
  struct fixture fixture;
  setup(&fixture);
  struct dc_error error = {0};
  struct dc_run *run = create(&fixture);
  CHECK(add_rows(run, 0, 1000) == DC_OK && dc_run_close(run, &error) == DC_OK, "%s", error.text);
  size_t loss_size, progress_size;
  char *loss = slurp(in(&fixture, "run/loss.csv"), &loss_size);
  char *progress = slurp(in(&fixture, "run/progress.jsonl"), &progress_size);
  CHECK(progress_size > 3 * 16384, "more than one buffer: %zu", progress_size);
  static const int cuts[] = {1000, 999, 400, 1, 0};
  for (size_t i = 0; i < sizeof cuts / sizeof cuts[0]; i++) {
    append(in(&fixture, "run/loss.csv"), i % 2 ? "17,0." : "1000,1,1,1,1\n");  // a torn line, a row too many
    append(in(&fixture, "run/progress.jsonl"), "{\"iter");
    CHECK(reopen(&fixture, cuts[i], &run, &error) == DC_OK, "%s", error.text);
    CHECK(add_rows(run, cuts[i], 1000) == DC_OK && dc_run_close(run, &error) == DC_OK, "%s", error.text);
    CHECK(file_holds(in(&fixture, "run/loss.csv"), loss, loss_size), "cut to %d rows", cuts[i]);
    CHECK(file_holds(in(&fixture, "run/progress.jsonl"), progress, progress_size), "cut to %d rows", cuts[i]);
  }

  // rows that are not there: nothing is touched
  CHECK(reopen(&fixture, 1001, &run, &error) == DC_CHECKPOINT && !run, "%s", error.text);
  CHECK(strstr(error.text, "loss.csv: has 1000 whole rows, the checkpoint was written after 1001"), "%s", error.text);
  CHECK(truncate(in(&fixture, "run/progress.jsonl"), (off_t)progress_size - 1) == 0, "%s", strerror(errno));
  CHECK(reopen(&fixture, 1000, &run, &error) == DC_CHECKPOINT && !run, "%s", error.text);
  CHECK(strstr(error.text, "progress.jsonl: has 999 whole rows"), "%s", error.text);
  CHECK(file_holds(in(&fixture, "run/loss.csv"), loss, loss_size), "untouched");
  CHECK(file_holds(in(&fixture, "run/progress.jsonl"), progress, progress_size - 1), "untouched");
  write_text(in(&fixture, "run/loss.csv"), "time,loss\n1,2\n");
  CHECK(reopen(&fixture, 1, &run, &error) == DC_CHECKPOINT && strstr(error.text, "header"), "%s", error.text);
  write_text(in(&fixture, "run/loss.csv"), "");
  CHECK(reopen(&fixture, 0, &run, &error) == DC_CHECKPOINT && strstr(error.text, "header"), "%s", error.text);
  CHECK(!exists(in(&fixture, "run/.lock")), "released");
  free(loss);
  free(progress);
  teardown(&fixture);
}

static void test_reopen_directory(void)
{
  struct fixture fixture;
  setup(&fixture);
  struct dc_error error = {0};
  struct dc_run *run, *second;
  CHECK(reopen(&fixture, 0, &run, &error) == DC_IO && !run && strstr(error.text, "run/.lock"), "%s", error.text);
  CHECK(!exists(in(&fixture, "run")), "nothing is created");
  CHECK(dc_run_reopen("", &fixture.scene, 0, &run, &error) == DC_IO && !run, "%s", error.text);
  mkdir(in(&fixture, "run"), 0777);
  CHECK(reopen(&fixture, 0, &run, &error) == DC_IO && strstr(error.text, "loss.csv: cannot open"), "%s", error.text);
  CHECK(!exists(in(&fixture, "run/.lock")), "as before");
  mkfifo(in(&fixture, "run/loss.csv"), 0666);
  CHECK(reopen(&fixture, 0, &run, &error) == DC_IO && strstr(error.text, "not a regular file"), "%s", error.text);
  unlink(in(&fixture, "run/loss.csv"));

  // one writer, whichever way it came
  run = create(&fixture);
  CHECK(add_rows(run, 0, 3) == DC_OK, "rows");
  CHECK(reopen(&fixture, 0, &second, &error) == DC_IO && !second, "%s", error.text);
  CHECK(strstr(error.text, "run/.lock: another run is being written to this directory"), "%s", error.text);
  CHECK(add_rows(run, 3, 4) == DC_OK && dc_run_close(run, &error) == DC_OK, "%s", error.text);
  CHECK(reopen(&fixture, 4, &run, &error) == DC_OK, "%s", error.text);
  CHECK(reopen(&fixture, 4, &second, &error) == DC_IO && !second, "%s", error.text);
  CHECK(dc_run_create(in(&fixture, "run"), &fixture.scene, &second, &error) == DC_IO && !second, "%s", error.text);
  CHECK(dc_run_close(run, &error) == DC_OK, "%s", error.text);

  // only what dc_file_write leaves is swept
  write_text(in(&fixture, "run/.tmp-12-3"), "x");
  write_text(in(&fixture, "run/.tmp-12-3x"), "x");
  write_text(in(&fixture, "run/.tmp-notes"), "x");
  CHECK(reopen(&fixture, 4, &run, &error) == DC_OK && dc_run_close(run, &error) == DC_OK, "%s", error.text);
  CHECK(!exists(in(&fixture, "run/.tmp-12-3")) && exists(in(&fixture, "run/.tmp-12-3x")) &&
            exists(in(&fixture, "run/.tmp-notes")),
        "swept");
  teardown(&fixture);
}

static void test_reopen_scene(void)
{
  struct fixture fixture;
  setup(&fixture);
  struct dc_error error = {0};
  struct dc_run *run = create(&fixture);
  CHECK(dc_run_close(run, &error) == DC_OK, "%s", error.text);

  // the scene of the run itself: nothing is written
  struct stat before, after;
  const char *files[] = {"run/scene.json", "run/resolved.json", "run/meshes/bunny.obj"};
  strcpy(fixture.mesh_path, in(&fixture, "run/meshes/bunny.obj"));
  fixture.scene.text = resolved_expected;
  for (int i = 0; i < 3; i++) {
    stat(in(&fixture, files[i]), &before);
    CHECK(reopen(&fixture, 0, &run, &error) == DC_OK && dc_run_close(run, &error) == DC_OK, "%s", error.text);
    stat(in(&fixture, files[i]), &after);
    CHECK(before.st_ino == after.st_ino, "%s is the same file", files[i]);
  }
  CHECK(file_is(in(&fixture, "run/scene.json"), "// as read\n{}\n"), "as it was first read");

  // another mesh under the same name, then another scene
  strcpy(fixture.mesh_path, in(&fixture, "bunny.obj"));
  write_text(fixture.mesh_path, "# another mesh\n");
  CHECK(reopen(&fixture, 0, &run, &error) == DC_OK && dc_run_close(run, &error) == DC_OK, "%s", error.text);
  CHECK(file_is(in(&fixture, "run/meshes/bunny.obj"), "# another mesh\n"), "follows");
  CHECK(file_is(in(&fixture, "run/scene.json"), "// as read\n{}\n"), "stays");
  fixture.scene.text = "// changed\n";
  fixture.scene.resolved = (char *)"{\"shapes\": {\"ball\": {\"file\": \"bunny.obj\", \"scale\": 2}}}\n";
  CHECK(reopen(&fixture, 0, &run, &error) == DC_OK && dc_run_close(run, &error) == DC_OK, "%s", error.text);
  CHECK(file_is(in(&fixture, "run/scene.json"), "// changed\n"), "replaced");
  CHECK(file_is(in(&fixture, "run/resolved.json"),
                "{\"shapes\": {\"ball\": {\"file\": \"meshes/bunny.obj\", \"scale\": 2}}}\n"),
        "replaced");
  teardown(&fixture);
}

RUN_TESTS({"a snapshot comes back bit for bit", test_round_trip},
          {"what a checkpoint belongs to is checked", test_identity},
          {"a scene is known again in its run directory", test_identify},
          {"damaged and missing files are recognized", test_damaged_files}, {"forged files", test_forged_files},
          {"a full disk keeps the checkpoint before", test_full_disk},
          {"a killed process leaves a whole checkpoint", test_killed},
          {"rows behind a checkpoint are cut off", test_reopen_rows},
          {"one writer per directory", test_reopen_directory}, {"the files of the scene follow", test_reopen_scene})
