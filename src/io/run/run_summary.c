// SPDX-License-Identifier: Apache-2.0
// run.json: where a run's numbers come from, and its result.
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "io/json/json_value.h"
#include "io/libraries.h"
#include "io/run/run.h"
#include "io/run/run_files.h"

// The "model name" of the first processor in /proc/cpuinfo; the machine's type where there is no such line, as
// on ARM.
static void processor_name(char *name, size_t size)
{
  struct utsname system;
  snprintf(name, size, "%s", uname(&system) == 0 ? system.machine : "unknown");
  FILE *file = fopen("/proc/cpuinfo", "re");
  if (!file)
    return;
  char line[512];
  while (fgets(line, sizeof line, file)) {
    const char *colon = strchr(line, ':');
    if (strncmp(line, "model name", 10) != 0 || !colon)
      continue;
    snprintf(name, size, "%s", colon + 1 + strspn(colon + 1, " \t"));
    name[strcspn(name, "\n")] = '\0';
    break;
  }
  fclose(file);
}

// NULL becomes null.  A comma follows, so that "result" must come last.
static void add_string(struct dc_text *text, const char *key, const char *value)
{
  dc_text_add(text, "  \"%s\": ", key);
  dc_text_string(text, value);
  dc_text_add(text, ",\n");
}

// Writes the versions of libraries: those of this folder, then pairs of name and version from the caller.
static void add_libraries(struct dc_text *text, const char *const *libraries)
{
  dc_text_add(text, "  \"libraries\": {\"cJSON\": ");
  dc_text_string(text, dc_cjson_version());
  dc_text_add(text, ", \"HDF5\": ");
  dc_text_string(text, dc_hdf5_version());
  dc_text_add(text, ", \"Expat\": ");
  dc_text_string(text, dc_expat_version());
  for (; libraries && libraries[0]; libraries += 2) {
    dc_text_add(text, ", ");
    dc_text_string(text, libraries[0]);
    dc_text_add(text, ": ");
    dc_text_string(text, libraries[1]);
    if (!libraries[1])
      break;
  }
  dc_text_add(text, "},\n");
}

// Writes run.json: all that is needed to repeat the run (version, command, seed, threads, processor, kernels,
// libraries, hashes of scene and meshes), then its result, JSON of the caller's or null.
static void format_summary(struct dc_text *text, const struct dc_scene *scene, const struct dc_run_summary *summary)
{
  struct utsname system;
  char processor[256];
  processor_name(processor, sizeof processor);
  dc_text_add(text, "{\n");
  add_string(text, "version", summary->version);
  add_string(text, "command", summary->command ? summary->command : "");
  dc_text_add(text, "  \"seed\": %" PRIu64 ",\n  \"threads\": %d,\n", summary->seed, summary->threads);
  add_string(text, "host", uname(&system) == 0 ? system.nodename : NULL);
  add_string(text, "processor", processor);
  add_string(text, "vector_width", summary->vector_width);
  add_string(text, "blas_core", summary->blas_core);
  add_libraries(text, summary->libraries);
  add_string(text, "scene", scene->name);
  add_string(text, "scene_path", scene->path);
  dc_text_add(text, "  \"scene_hash\": \"%016" PRIx64 "\",\n  \"mesh_hash\": \"%016" PRIx64 "\",\n",
              scene->source.scene_hash, scene->source.mesh_hash);
  add_string(text, "started", summary->started);
  dc_text_add(text, "  \"seconds\": ");
  dc_text_real(text, summary->seconds, "null");
  dc_text_add(text, ",\n  \"exit_status\": %d,\n  \"stopped\": %s,\n  \"result\": ", summary->exit_status,
              summary->stopped ? "true" : "false");
  const char *result = summary->result_json ? summary->result_json : "null";
  dc_text_append(text, result, strlen(result));
  dc_text_add(text, "\n}\n");
}

enum dc_status dc_run_write_summary(struct dc_run *run, const struct dc_scene *scene,
                                    const struct dc_run_summary *summary, struct dc_error *error)
{
  struct dc_text text = {0};
  format_summary(&text, scene, summary);
  enum dc_status status;
  if (text.failed)
    status = dc_out_of_memory_in(error, dc_run_directory(run));
  else
    status = dc_run_write_file(run, "run.json", text.bytes, text.length, error);
  dc_text_free(&text);
  return status;
}

// NAN: missing, null, or no number.  Infinite numbers are written as null.
static double get_number(const struct dc_json *object, const char *key)
{
  struct dc_json member = dc_json_member(object, key);
  return member.node && cJSON_IsNumber(member.node) ? member.node->valuedouble : NAN;
}

// A whole number between 0 and 1e9, or 0: files may come from others.
static long get_count(const struct dc_json *object, const char *key)
{
  double number = get_number(object, key);
  return number >= 0 && number <= 1e9 ? (long)number : 0;
}

// Reads the results of run.json; numbers that are missing are NAN, counts 0, rollouts -1.  A run that has ended
// without a result is DC_BAD_INPUT.
enum dc_status dc_run_read_result(const char *directory, struct dc_run_result *result, struct dc_error *error)
{
  struct dc_json_document document = {0};
  struct dc_arena *arena = dc_arena_create();
  char *path = dc_path_join(directory, "run.json");
  enum dc_status status =
      arena && path ? dc_json_load(&document, path, arena, error) : dc_out_of_memory_in(error, directory);
  *result = (struct dc_run_result){.loss = NAN, .initial_loss = NAN, .min_gap = NAN};
  if (!status) {
    struct dc_json root = dc_json_root(&document), object = dc_json_member(&root, "result");
    struct dc_json gradient = object.node ? dc_json_member(&object, "gradient") : object;
    struct dc_json plant = object.node ? dc_json_member(&object, "plant") : object;
    if (object.node && cJSON_IsObject(object.node))
      *result = (struct dc_run_result){.success = cJSON_IsTrue(dc_json_member(&object, "success").node),
                                       .loss = get_number(&object, "loss"),
                                       .initial_loss = get_number(&object, "initial_loss"),
                                       .min_gap = get_number(&object, "min_gap"),
                                       .iterations = get_count(&object, "iterations"),
                                       .steps = get_count(&object, "steps"),
                                       .rollouts = gradient.node ? get_count(&gradient, "rollouts") : -1,
                                       .seconds = get_number(&root, "seconds"),
                                       .exit_status = (int)get_count(&root, "exit_status"),
                                       .stopped = cJSON_IsTrue(dc_json_member(&root, "stopped").node),
                                       .transferred = plant.node && dc_json_member(&plant, "success").node};
    else
      status = dc_fail(error, DC_BAD_INPUT, "%.800s: holds no result", path);
  }
  dc_json_release(&document);
  dc_arena_destroy(arena);
  free(path);
  return status;
}
