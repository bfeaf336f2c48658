// SPDX-License-Identifier: Apache-2.0
#include <cjson/cJSON.h>
#include <errno.h>
#include <hdf5.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "run_fixture.h"

static void test_begins_with(void)
{
  struct fixture fixture;
  setup(&fixture);
  struct dc_run *run = create(&fixture, "deep/er/run//");
  CHECK(strcmp(dc_run_directory(run), in(&fixture, "deep/er/run")) == 0);
  CHECK(exists(&fixture, "deep/er/run/.lock"));
  close_run(run);
  CHECK(!exists(&fixture, "deep/er/run/.lock"));
  CHECK(file_is(in(&fixture, "deep/er/run/scene.json"), fixture.scene.source.text));
  CHECK(file_is(in(&fixture, "deep/er/run/resolved.json"), resolved_expected));
  CHECK(file_is(in(&fixture, "deep/er/run/meshes/bunny.obj"), "# first\n"));
  CHECK(file_is(in(&fixture, "deep/er/run/meshes/Bunny-2.OBJ"), "# second\n"));
  CHECK(file_is(in(&fixture, "deep/er/run/loss.csv"), "iteration,loss,gradient_norm,newton_iterations,min_gap\n"));
  CHECK(file_is(in(&fixture, "deep/er/run/progress.jsonl"), ""));
  teardown(&fixture);
}

static void test_rows_keep_bits(void)
{
  static const double values[] = {0.1, 1.0 / 3, 5e-324, 1.7976931348623157e308, -2.2250738585072011e-308, 123456789};
  enum { COUNT = sizeof values / sizeof values[0] };
  struct fixture fixture;
  setup(&fixture);
  struct dc_run *run = create(&fixture, "run");
  for (int i = 0; i < COUNT; i++) {
    struct dc_plan_iteration row = {.iteration = i,
                                    .loss = values[i],
                                    .gradient_norm = -values[i],
                                    .newton_iterations = 1000000000000 + i,
                                    .min_gap = values[COUNT - 1 - i],
                                    .best = i == 2,
                                    .seconds = 0.25 * i,
                                    .parameter_count = 2,
                                    .parameters = values};
    CHECK(dc_run_add_row(run, &row, NULL) == DC_OK);
  }
  // Rows are in the file at once, not when it is closed.
  FILE *file = fopen(in(&fixture, "run/loss.csv"), "r");
  int header = file ? fscanf(file, "%*[^\n]\n") : -1;
  CHECK(header == 0);
  for (int i = 0; i < COUNT && file; i++) {
    int iteration;
    long newton;
    double loss, gradient, gap, negative = -values[i];
    CHECK(fscanf(file, "%d,%lf,%lf,%ld,%lf\n", &iteration, &loss, &gradient, &newton, &gap) == 5);
    CHECK(iteration == i && newton == 1000000000000 + i);
    CHECK(same_bits(&loss, &values[i], 8) && same_bits(&gradient, &negative, 8) &&
          same_bits(&gap, &values[COUNT - 1 - i], 8));
  }
  if (file)
    fclose(file);
  struct dc_plan_iteration lonely = {
      .iteration = COUNT, .loss = 1, .gradient_norm = NAN, .min_gap = INFINITY, .seconds = 9};
  CHECK(dc_run_add_row(run, &lonely, NULL) == DC_OK);
  close_run(run);
  size_t size;
  char *loss = slurp(in(&fixture, "run/loss.csv"), &size), *progress = slurp(in(&fixture, "run/progress.jsonl"), &size);
  CHECK(strstr(loss, "\n6,1,,0,\n"), "%s", loss);
  int lines = 0;
  for (char *line = strtok(progress, "\n"); line; line = strtok(NULL, "\n"), lines++) {
    cJSON *object = cJSON_ParseWithOpts(line, NULL, 1);
    CHECK(object, "%s", line);
    CHECK_NEAR(cJSON_GetNumberValue(cJSON_GetObjectItemCaseSensitive(object, "iteration")), lines, 0);
    CHECK(cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(object, "best")) == (lines == 2));
    const cJSON *parameters = cJSON_GetObjectItemCaseSensitive(object, "parameters");
    CHECK(cJSON_GetArraySize(parameters) == (lines < COUNT ? 2 : 0));
    if (lines < COUNT)
      CHECK(cJSON_GetArrayItem(parameters, 1)->valuedouble == values[1]);
    cJSON_Delete(object);
  }
  CHECK(lines == COUNT + 1);
  free(loss);
  free(progress);
  teardown(&fixture);
}

// A full disk by the file size limit: writing beyond it fails with EFBIG once SIGXFSZ is ignored.
static rlim_t limit_files(rlim_t bytes)
{
  struct rlimit limit;
  getrlimit(RLIMIT_FSIZE, &limit);
  rlim_t before = limit.rlim_cur;
  limit.rlim_cur = bytes;
  setrlimit(RLIMIT_FSIZE, &limit);
  return before;
}

static void test_full_disk_rows(void)
{
  struct fixture fixture;
  setup(&fixture);
  struct dc_error error = {0};
  struct dc_run *run = create(&fixture, "run");
  struct dc_plan_iteration row = {.iteration = 1,
                                  .loss = 0.5,
                                  .gradient_norm = 2,
                                  .newton_iterations = 7,
                                  .min_gap = 0.25,
                                  .best = true,
                                  .seconds = 1,
                                  .parameter_count = PARAMETERS,
                                  .parameters = fixture.parameters};
  CHECK(dc_run_add_row(run, &row, NULL) == DC_OK);
  size_t loss_size, progress_size, size;
  char *loss = slurp(in(&fixture, "run/loss.csv"), &loss_size);
  char *progress = slurp(in(&fixture, "run/progress.jsonl"), &progress_size);
  void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
  // First loss.csv cannot grow by a whole line, then (it being shorter) progress.jsonl.
  const rlim_t limits[] = {loss_size + 3, progress_size + 3};
  const char *const names[] = {"loss.csv", "progress.jsonl"};
  CHECK(progress_size > loss_size + 12);
  for (int i = 0; i < 2; i++) {
    rlim_t before = limit_files(limits[i]);
    row.iteration = 2;
    enum dc_status status = dc_run_add_row(run, &row, &error);
    limit_files(before);
    CHECK(status == DC_IO && strstr(error.text, names[i]) && strstr(error.text, "write"), "%s", error.text);
    CHECK(file_is(in(&fixture, "run/loss.csv"), loss));
    CHECK(file_is(in(&fixture, "run/progress.jsonl"), progress));
  }
  signal(SIGXFSZ, handler);
  CHECK(dc_run_add_row(run, &row, NULL) == DC_OK);
  close_run(run);
  char *after = slurp(in(&fixture, "run/loss.csv"), &size);
  CHECK(strncmp(after, loss, loss_size) == 0 && strcmp(after + loss_size, "2,0.5,2,7,0.25\n") == 0, "%s", after);
  free(after);
  free(loss);
  free(progress);
  teardown(&fixture);
}

static void test_full_disk_keeps_trajectory(void)
{
  struct fixture fixture;
  setup(&fixture);
  struct dc_error error = {0};
  struct dc_run *run = create(&fixture, "run");
  CHECK(write_best(run, &fixture, NULL) == DC_OK);
  size_t size, size_after;
  char *before = slurp(in(&fixture, "run/trajectory.h5"), &size);
  fixture.q[0] = fixture.poses[1].position[0] = 3;
  void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
  rlim_t limit = limit_files(1000);
  enum dc_status status = write_best(run, &fixture, &error);
  struct dc_run *none;
  struct dc_error create_error = {0};
  fixture.scene.source.text = calloc(1, 5001);
  memset((char *)fixture.scene.source.text, ' ', 5000);
  enum dc_status create_status = dc_run_create(in(&fixture, "new/run"), &fixture.scene, false, &none, &create_error);
  limit_files(limit);
  signal(SIGXFSZ, handler);
  CHECK(status == DC_IO && strstr(error.text, "trajectory.h5") && strstr(error.text, "write"), "%s", error.text);
  char *after = slurp(in(&fixture, "run/trajectory.h5"), &size_after);
  CHECK(size == size_after && size > 1000 && same_bits(before, after, size));
  // A run that could not be created leaves nothing.
  CHECK(create_status == DC_IO && !none && strstr(create_error.text, "scene.json"), "%s", create_error.text);
  CHECK(!exists(&fixture, "new"));
  free((char *)fixture.scene.source.text);
  free(before);
  free(after);
  close_run(run);
  // Nor does a failed write leave its temporary file: the folder can be emptied by name.
  static const char *const names[] = {"scene.json",    "resolved.json",    "loss.csv",          "progress.jsonl",
                                      "trajectory.h5", "meshes/bunny.obj", "meshes/Bunny-2.OBJ"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    char name[64];
    snprintf(name, sizeof name, "run/%s", names[i]);
    CHECK(unlink(in(&fixture, name)) == 0, "%s", name);
  }
  CHECK(rmdir(in(&fixture, "run/meshes")) == 0 && rmdir(in(&fixture, "run")) == 0, "%s", strerror(errno));
  teardown(&fixture);
}

static void test_lock(void)
{
  struct fixture fixture;
  setup(&fixture);
  struct dc_error error = {0};
  struct dc_run *run = create(&fixture, "run"), *second;
  // The lock speaks before the files do.
  CHECK(dc_run_create(in(&fixture, "run"), &fixture.scene, false, &second, &error) == DC_IO && !second);
  CHECK(strstr(error.text, ".lock") && strstr(error.text, "another run"), "%s", error.text);
  CHECK(exists(&fixture, "run/.lock") && exists(&fixture, "run/loss.csv"));
  close_run(run);
  // A process that dies holding the lock leaves a lock file that locks nothing.
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    create(&fixture, "crashed");
    kill(getpid(), SIGKILL);
  }
  int status;
  CHECK(child > 0 && waitpid(child, &status, 0) == child && WIFSIGNALED(status));
  CHECK(exists(&fixture, "crashed/.lock"));
  CHECK(dc_run_create(in(&fixture, "crashed"), &fixture.scene, false, &second, &error) == DC_IO);
  CHECK(strstr(error.text, "scene.json") && strstr(error.text, "already holds a run"), "%s", error.text);
  unlink(in(&fixture, "crashed/scene.json"));
  unlink(in(&fixture, "crashed/progress.jsonl"));
  unlink(in(&fixture, "crashed/loss.csv"));
  close_run(create(&fixture, "crashed"));
  teardown(&fixture);
}

static void test_refusals(void)
{
  struct fixture fixture;
  setup(&fixture);
  struct dc_error error = {0};
  struct dc_run *run;
  CHECK(dc_run_create("", &fixture.scene, false, &run, &error) == DC_IO && !run);
  mkdir(in(&fixture, "old"), 0777);
  write_text(in(&fixture, "old/loss.csv"), "precious\n");
  CHECK(dc_run_create(in(&fixture, "old"), &fixture.scene, false, &run, &error) == DC_IO && !run);
  CHECK(strstr(error.text, "old/loss.csv"), "%s", error.text);
  CHECK(file_is(in(&fixture, "old/loss.csv"), "precious\n"));
  CHECK(!exists(&fixture, "old/scene.json") && !exists(&fixture, "old/meshes") && !exists(&fixture, "old/.lock"));
  // Nor is anything else written over, or removed, that a run would write.
  static const char *const others[] = {"resolved.json", "report.html", "run.glb", "design.csv", "meshes/bunny.obj",
                                       "design/scene.json"};
  for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
    char folder[32], name[64];
    const char *slash = strchr(others[i], '/');
    snprintf(folder, sizeof folder, "mine%zu", i);
    snprintf(name, sizeof name, "%s/%s", folder, others[i]);
    mkdir(in(&fixture, folder), 0777);
    if (slash) {
      snprintf(name, sizeof name, "%s/%.*s", folder, (int)(slash - others[i]), others[i]);
      mkdir(in(&fixture, name), 0777);
      snprintf(name, sizeof name, "%s/%s", folder, others[i]);
    }
    write_text(in(&fixture, name), "mine\n");
    CHECK(dc_run_create(in(&fixture, folder), &fixture.scene, false, &run, &error) == DC_IO && !run, "%s", name);
    CHECK(strstr(error.text, "exists"), "%s: %s", name, error.text);
    CHECK(file_is(in(&fixture, name), "mine\n"), "%s", name);
    snprintf(name, sizeof name, "%s/scene.json", folder);
    CHECK(!exists(&fixture, name), "%s", name);
  }
  // Other files do not matter.
  mkdir(in(&fixture, "notes"), 0777);
  write_text(in(&fixture, "notes/readme.txt"), "mine\n");
  close_run(create(&fixture, "notes"));
  CHECK(file_is(in(&fixture, "notes/readme.txt"), "mine\n"));
  // Below a regular file nothing can be made (root passes permissions, but not this).
  CHECK(dc_run_create(in(&fixture, "notes/readme.txt/run"), &fixture.scene, false, &run, &error) == DC_IO && !run);
  CHECK(strstr(error.text, "readme.txt: cannot make the directory: Not a directory"), "%s", error.text);
  // A mesh that went away, or became a FIFO, which must not block.
  unlink(fixture.mesh_paths[1]);
  CHECK(dc_run_create(in(&fixture, "a/b"), &fixture.scene, false, &run, &error) == DC_IO && !run);
  CHECK(strstr(error.text, "two/Bunny.OBJ: cannot open: No such file"), "%s", error.text);
  CHECK(!exists(&fixture, "a"));
  mkfifo(fixture.mesh_paths[1], 0666);
  CHECK(dc_run_create(in(&fixture, "a/b"), &fixture.scene, false, &run, &error) == DC_IO && !run);
  CHECK(strstr(error.text, "two/Bunny.OBJ: is not a regular file"), "%s", error.text);
  CHECK(!exists(&fixture, "a"));
  fixture.scene.resolved = (char *)"{\"shapes\": {\"ball\": {\"file\": \"x\"}}";
  CHECK(dc_run_create(in(&fixture, "a/b"), &fixture.scene, false, &run, &error) == DC_BAD_INPUT && !run);
  CHECK(!exists(&fixture, "a"));
  teardown(&fixture);
}

static void test_summary(void)
{
  static const char *const libraries[] = {"OpenBLAS", "0.3.21 \"x\"", "CHOLMOD", "3.0.14", NULL};
  struct fixture fixture;
  setup(&fixture);
  struct dc_run *run = create(&fixture, "run");
  struct dc_run_summary summary = {.version = "1.2.3",
                                   .command = "dcsim optimize \"a\\b\"\n\t\x01\xff\xc3\xa4 \xed\xa0\x80",
                                   .seed = UINT64_MAX,
                                   .threads = 2,
                                   .vector_width = "avx2",
                                   .blas_core = "Haswell",
                                   .started = "2026-01-31T12:00:00Z",
                                   .seconds = 0.1,
                                   .exit_status = 4,
                                   .libraries = libraries,
                                   .result_json = "{\"loss\": 0.30000000000000004}"};
  struct dc_error error = {0};
  CHECK(dc_run_write_summary(run, &fixture.scene, &summary, &error) == DC_OK, "%s", error.text);
  close_run(run);
  size_t size;
  char *text = slurp(in(&fixture, "run/run.json"), &size);
  cJSON *json = cJSON_ParseWithOpts(text, NULL, 1);
  CHECK(json, "%s", text);
#define STRING(object, key) cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, key))
#define IS(object, key, expected)                                                                                      \
  CHECK(strcmp(STRING(object, key) ? STRING(object, key) : "(none)", expected) == 0, "%s", text)
  IS(json, "version", "1.2.3");
  IS(json, "command", "dcsim optimize \"a\\b\"\n\t\x01\xef\xbf\xbd\xc3\xa4 \xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
  IS(json, "vector_width", "avx2");
  IS(json, "blas_core", "Haswell");
  IS(json, "scene", "two \"bodies\"");
  IS(json, "scene_hash", "00000000deadbeef");
  IS(json, "mesh_hash", "ffffffffffffffff");
  IS(json, "started", "2026-01-31T12:00:00Z");
  const cJSON *versions = cJSON_GetObjectItemCaseSensitive(json, "libraries");
  IS(versions, "cJSON", cJSON_Version());
  IS(versions, "HDF5", H5_VERSION);
  IS(versions, "OpenBLAS", "0.3.21 \"x\"");
  IS(versions, "CHOLMOD", "3.0.14");
  CHECK(STRING(json, "host") && STRING(json, "processor") && STRING(json, "processor")[0]);
  CHECK(strstr(text, "\"seed\": 18446744073709551615,"));
  CHECK(cJSON_GetNumberValue(cJSON_GetObjectItemCaseSensitive(json, "seconds")) == 0.1);
  CHECK(cJSON_GetNumberValue(cJSON_GetObjectItemCaseSensitive(json, "exit_status")) == 4);
  CHECK(cJSON_GetNumberValue(
            cJSON_GetObjectItemCaseSensitive(cJSON_GetObjectItemCaseSensitive(json, "result"), "loss")) == 0.1 + 0.2);
  cJSON_Delete(json);
  free(text);
  teardown(&fixture);
}

RUN_TESTS({"a run begins with scene, resolved scene, meshes and header", test_begins_with},
          {"rows keep every bit and are there at once", test_rows_keep_bits},
          {"a full disk fails a row, keeps the lines before and lets the next one follow", test_full_disk_rows},
          {"a full disk keeps the earlier trajectory and leaves no half run", test_full_disk_keeps_trajectory},
          {"a lock keeps a second writer out and dies with its process", test_lock},
          {"existing runs, impossible folders and vanished meshes are refused", test_refusals},
          {"run.json says where the numbers come from", test_summary})
