// SPDX-License-Identifier: Apache-2.0
// Checkpoints, and run directories that are opened again.
#include "checkpoint_fixture.h"

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
    struct dc_scene scene = {.resolved = (char *)scenes[i].resolved, .source.mesh_hash = 7};
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
    const struct dc_plan_iteration row = {
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

RUN_TESTS({"a snapshot comes back bit for bit", test_round_trip},
          {"what a checkpoint belongs to is checked", test_identity},
          {"a scene is known again in its run directory", test_identify},
          {"damaged and missing files are recognized", test_damaged_files}, {"forged files", test_forged_files},
          {"a full disk keeps the checkpoint before", test_full_disk},
          {"a killed process leaves a whole checkpoint", test_killed})
