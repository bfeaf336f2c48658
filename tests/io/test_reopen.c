// SPDX-License-Identifier: Apache-2.0
// Run directories that are opened again: rows behind a checkpoint, one writer, files of the scene.
#include "checkpoint_fixture.h"

static enum dc_status add_rows(struct dc_run *run, int from, int to)
{
  enum dc_status status = DC_OK;
  for (int k = from; k < to && !status; k++) {
    const double parameters[2] = {k, 1.0 / (k + 3)};
    const struct dc_plan_iteration row = {.iteration = k,
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
  CHECK(dc_run_create(in(&fixture, "run"), &fixture.scene, false, &second, &error) == DC_IO && !second, "%s",
        error.text);
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
  fixture.scene.source.text = resolved_expected;
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
  fixture.scene.source.text = "// changed\n";
  fixture.scene.resolved = (char *)"{\"shapes\": {\"ball\": {\"file\": \"bunny.obj\", \"scale\": 2}}}\n";
  CHECK(reopen(&fixture, 0, &run, &error) == DC_OK && dc_run_close(run, &error) == DC_OK, "%s", error.text);
  CHECK(file_is(in(&fixture, "run/scene.json"), "// changed\n"), "replaced");
  CHECK(file_is(in(&fixture, "run/resolved.json"),
                "{\"shapes\": {\"ball\": {\"file\": \"meshes/bunny.obj\", \"scale\": 2}}}\n"),
        "replaced");
  teardown(&fixture);
}

RUN_TESTS({"rows behind a checkpoint are cut off", test_reopen_rows},
          {"one writer per directory", test_reopen_directory}, {"the files of the scene follow", test_reopen_scene})
