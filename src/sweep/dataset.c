// SPDX-License-Identifier: Apache-2.0
// The runs of a sweep's points become one file of demonstrations, dataset.h5, and a Zarr archive of the same numbers
// (dcsim_dataset; docs/dataset.md has the layout).
//
// 1. list_points: the directories of the points, in the order of their numbers.
// 2. add_point: result, scene, trajectory and certificate of each run are read and appended (io/run/dataset_h5.h).  A
//    run that did not reach its goal is a demonstration, too, and marked as such; a point without a run, or one whose
//    run failed or was stopped, is counted and left out.
// 3. gather: both files are written when all are read; a study without any run that ended is refused.
//
// Everything is read anew each time, so that an ended command leaves nothing half done but certificates, which are
// kept.
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/open.h"
#include "commands/run_scene.h"
#include "io/json/json_write.h"
#include "io/run/dataset_h5.h"
#include "io/run/run_files.h"

// One call of dcsim_dataset.  The arena owns the names; memory of a point is given back before the next one.
struct gathering {
  const dcsim_dataset_options *options;
  struct dc_dataset *dataset;
  struct dc_arena *arena;
  const char **names;  // of the points' directories
  size_t count, capacity;
  int left_out;  // points
};

// By bytes; numbers of points have leading zeros, so that this is their order.
static int compare_names(const void *left, const void *right)
{
  return strcmp(*(const char *const *)left, *(const char *const *)right);
}

// Lists points/NNNNNN, sorted, so that a data set does not depend on the order of a directory.
static enum dc_status list_points(struct gathering *gathering, const char *folder, struct dc_error *error)
{
  int listing = dc_open_listing(dc_open_here, folder, false);
  DIR *stream = listing < 0 ? NULL : fdopendir(listing);
  if (!stream) {
    enum dc_status status = dc_fail(error, DC_BAD_INPUT,
                                    "%.800s: no runs are there (%s): a study with \"keep\": "
                                    "\"everything\" leaves them",
                                    folder, strerror(errno));
    if (listing >= 0)
      close(listing);
    return status;
  }
  enum dc_status status = DC_OK;
  errno = 0;
  for (const struct dirent *entry; !status && (entry = readdir(stream)); errno = 0) {
    if (strspn(entry->d_name, "0123456789") != strlen(entry->d_name))
      continue;
    if (dc_grow(&gathering->names, &gathering->capacity, gathering->count + 1, sizeof *gathering->names) ||
        !(gathering->names[gathering->count++] = dc_arena_strdup(gathering->arena, entry->d_name)))
      status = dc_out_of_memory_in(error, folder);
  }
  if (!status && errno)
    status = dc_fail_file(error, folder, "read");
  closedir(stream);
  if (!status && gathering->count)
    qsort(gathering->names, gathering->count, sizeof *gathering->names, compare_names);
  return status;
}

// The certificate of a run, made where it is wanted and not there yet; NULL: there is none.
static enum dc_status take_certificate(const struct gathering *gathering, const char *path, char **certificate,
                                       struct dc_error *error)
{
  const dcsim_verify_options quick = {.size = sizeof quick, .quick = 1};
  dcsim_error outside = {0};
  enum dc_status status = dc_run_read_certificate(path, certificate, error);
  if (status || *certificate || !gathering->options->verify)
    return status;
  // A certificate that does not hold is one (DCSIM_UNMET): the data set tells it for the demonstration.
  int made = dcsim_verify(path, &quick, NULL, &outside);
  if (made && made != DCSIM_UNMET)
    return dc_fail(error, (enum dc_status)made, "%.300s: %.700s", path, outside.text);
  return dc_run_read_certificate(path, certificate, error);
}

// Adds the run of a point; one that has not ended, or failed for another reason than an unmet task, is counted
// and left out.
static enum dc_status add_point(struct gathering *gathering, const char *folder, const char *name,
                                struct dc_error *error)
{
  char *path = dc_path_join(folder, name);
  struct dc_run_result result;
  struct dc_stored_trajectory trajectory = {0};
  char *certificate = NULL;
  dcsim_scene *scene = NULL;
  dcsim_error outside = {0};
  struct dc_error why = {0};
  enum dc_status status = path ? DC_OK : dc_out_of_memory_in(error, folder);
  enum dc_status read = status ? status : dc_run_read_result(path, &result, &why);
  if (read == DC_MEMORY && !status)  // nothing is known of the run
    status = dc_fail(error, read, "%s", why.text);
  if (!status && (read || result.stopped || (result.exit_status && result.exit_status != DC_UNMET) ||
                  !dc_run_has(path, "trajectory.h5"))) {
    gathering->left_out++;
    free(path);
    return DC_OK;
  }
  if (!status && dc_api_open_run_scene(path, "resolved.json", NULL, &scene, &outside))
    status = dc_fail(error, (enum dc_status)outside.status, "%s", outside.text);
  if (!status)
    status = dc_run_read_trajectory(path, scene->scene, &trajectory, error);
  if (!status)
    status = take_certificate(gathering, path, &certificate, error);
  if (!status)
    status = dc_dataset_add(gathering->dataset, path, scene->scene, &result, &trajectory, certificate, error);
  free(certificate);
  dc_arena_destroy(trajectory.arena);
  dcsim_scene_close(scene);
  free(path);
  return status;
}

// The same arrays as of dataset.h5, in a zip file that the Zarr library opens as it is.
static enum dc_status write_zarr(const struct gathering *gathering, const char *directory, struct dc_error *error)
{
  struct dc_npz archive = {0};
  char *path = dc_path_join(directory, "dataset.zarr.zip");
  if (!path)
    return dc_out_of_memory_in(error, directory);
  dc_dataset_put_zarr(gathering->dataset, &archive);
  enum dc_status status = dc_npz_write(&archive, path, error);
  free(path);
  return status;
}

// Adds all points, writes dataset.h5 and the Zarr archive.  A sweep without any run that ended well has nothing
// to learn from and is refused.
static enum dc_status gather(struct gathering *gathering, const char *directory, struct dc_error *error)
{
  char *folder = dc_path_join(directory, "points"), *bytes = NULL;
  size_t size;
  enum dc_status status = folder ? list_points(gathering, folder, error) : dc_out_of_memory_in(error, directory);
  for (size_t i = 0; i < gathering->count && !status; i++)
    status = add_point(gathering, folder, gathering->names[i], error);
  if (!status && !dc_dataset_sizes(gathering->dataset).demonstrations)
    status = dc_fail(error, DC_BAD_INPUT, "%.800s: none of %zu runs has ended well: there is nothing to learn from",
                     folder, gathering->count);
  if (!status)
    status = dc_dataset_image(gathering->dataset, &bytes, &size, error);
  free(folder);
  char *path = status ? NULL : dc_path_join(directory, "dataset.h5");
  if (!status)
    status = path ? dc_file_write(path, bytes, size, error) : dc_out_of_memory_in(error, directory);
  free(path);
  free(bytes);
  return status ? status : write_zarr(gathering, directory, error);
}

// The result in words and as JSON; "observed" counts the numbers that a sample has of the state.
static void describe(const struct gathering *gathering, const char *directory, struct dc_text *text,
                     struct dc_json_writer *json)
{
  struct dc_dataset_sizes sizes = dc_dataset_sizes(gathering->dataset);
  int seen = 0;
  for (int k = 0; k < DC_OBSERVED; k++)
    seen += sizes.observed[k];
  dc_text_add(text, "data set: %d demonstrations, %d reached, %ld samples of %d numbers and %d actions\n",
              sizes.demonstrations, sizes.reached, sizes.samples, seen, sizes.actions);
  if (gathering->left_out)
    dc_text_add(text, "  left out: %d points without a run that ended\n", gathering->left_out);
  if (sizes.certified || gathering->options->verify)
    dc_text_add(text, "  certificates hold for %d\n", sizes.certified);
  dc_text_add(text, "  files: %s/dataset.h5 and dataset.zarr.zip\n", directory);
  dc_json_begin(json, NULL, '{');
  dc_json_put_integer(json, "demonstrations", sizes.demonstrations);
  dc_json_put_integer(json, "reached", sizes.reached);
  dc_json_put_integer(json, "certified", sizes.certified);
  dc_json_put_integer(json, "samples", sizes.samples);
  dc_json_put_integer(json, "observed", seen);
  dc_json_put_integer(json, "actions", sizes.actions);
  dc_json_put_integer(json, "left_out", gathering->left_out);
  dc_json_end(json, "}");
}

// Gathers the runs of a sweep into one file of arrays. Options are copied by their size, as callers of an older header
// have fewer.
int dcsim_dataset(const char *directory, const dcsim_dataset_options *options, dcsim_report *report, dcsim_error *error)
{
  struct dc_error local = {0};
  dcsim_dataset_options own = {0};
  if (options && dc_api_read_sized(&own, sizeof own, options, &local))
    return dc_api_fail(error, &local, local.status);
  struct gathering gathering = {.options = &own, .dataset = dc_dataset_create(), .arena = dc_arena_create()};
  struct dc_text text = {0};
  struct dc_json_writer json = {0};
  enum dc_status status = DC_OK;
  if (!directory)
    status = dc_fail(&local, DC_USAGE, "the directory of a sweep must be given");
  else if (!gathering.dataset || !gathering.arena)
    status = dc_out_of_memory_for(&local, "a data set");
  if (!status)
    status = gather(&gathering, directory, &local);
  if (!status)
    describe(&gathering, directory, &text, &json);
  dc_dataset_destroy(gathering.dataset);
  dc_arena_destroy(gathering.arena);
  free(gathering.names);
  return dc_api_answer(status, &local, report, &text, &json, error);
}
