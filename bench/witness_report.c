// SPDX-License-Identifier: Apache-2.0
// The benchmarks "witness" and "witness-time" and their settings.
#include <math.h>

#include "bench/arguments.h"
#include "io/scene/options_reader.h"
#include "io/scene/overrides.h"
#include "io/scene/scene_format.h"
#include "bench/witness.h"

// The request from the settings; owned by arena.
struct request {
  struct dc_arena *arena;
  struct dc_bench_witness_settings settings;
  const struct dc_optimizer_type *method;
  void *method_options;
};

// The tree that the arguments make.
static enum dc_status make_tree(const struct bench_options *arguments, struct dc_json_document *document,
                                struct dc_arena *arena, struct dc_json *root, struct dc_error *error)
{
  static const char *const sections[] = {"refine", "refine.derivative", "optimizer", NULL};
  const char **sources = dc_arena_alloc(arena, (size_t)arguments->count, sizeof *sources);
  bool scanned;
  document->name = "settings";
  document->text = "{}";
  document->length = 2;
  document->root = dc_json_parse(document, document->text, document->length, 0, &scanned, error);
  if (!sources || !document->root)
    return dc_out_of_memory_for(error, "settings");
  *root = dc_json_root(document);
  for (int i = 0; i < arguments->count; i++)
    if (!(sources[i] = dc_arena_printf(arena, "--set %.160s", arguments->settings[i])))
      return dc_out_of_memory_for(error, "settings");
  document->sources = sources;
  document->source_count = arguments->count;
  for (int i = 0; i < arguments->count; i++) {
    enum dc_status status = dc_override(document, root->node, arguments->settings[i], (uint32_t)i + 1, sections, error);
    if (status)
      return status;
  }
  return DC_OK;
}

static enum dc_status read_method(struct dc_options_reader *reader, const struct dc_json *root, struct request *request)
{
  const char *names[DC_FAMILY_MOST + 1];
  struct dc_json optimizer = dc_json_member(root, "optimizer"), type;
  struct dc_allowed_keys allowed = {.tag = "type"};
  cJSON empty = {.type = cJSON_Object};
  int index = 0;
  enum dc_status status;
  dc_family_names(DC_LEAST_SQUARES_TYPES, names);
  while (dc_family_optimizer(DC_LEAST_SQUARES_TYPES, index) != &dc_normalized_descent)
    index++;
  if (!optimizer.node)
    optimizer.node = &empty;
  if (!cJSON_IsObject(optimizer.node))
    return dc_refuse_type(reader, &optimizer, "an object");
  type = dc_json_member(&optimizer, "type");
  if (type.node && (status = dc_read_choice(reader, &type, names, &index)))
    return status;
  request->method = dc_family_optimizer(DC_LEAST_SQUARES_TYPES, index);
  request->method_options = dc_arena_alloc(request->arena, 1, request->method->options_size);
  if (!request->method_options)
    return dc_out_of_memory_for(reader->error, "settings");
  return dc_read_options(reader, &optimizer, request->method->options, &allowed, request->method_options);
}

static enum dc_status read_request(const struct bench_options *arguments, struct request *request,
                                   struct dc_error *error)
{
  struct dc_json_document document = {0};
  struct dc_json root = {0};
  struct dc_options_reader reader = {.arena = request->arena, .error = error};
  const struct dc_allowed_keys allowed = {.tag = "optimizer"};
  enum dc_status status = make_tree(arguments, &document, request->arena, &root, error);
  if (!status)
    status = dc_read_options(&reader, &root, dc_bench_witness_options, &allowed, &request->settings);
  if (!status)
    status = read_method(&reader, &root, request);
  dc_json_release(&document);
  return status;
}

static enum dc_status open_request(const struct bench_options *arguments, struct request *request,
                                   struct dc_error *error)
{
  *request = (struct request){.arena = dc_arena_create()};
  return request->arena ? read_request(arguments, request, error) : dc_out_of_memory_for(error, "settings");
}

static void put_request(struct dc_json_writer *json, const struct request *request)
{
  const struct dc_witness_settings *witness = request->settings.refine->witness;
  dc_json_put_string(json, "objects", dc_bench_set_name(request->settings.objects));
  dc_json_put_string(json, "derivative", dc_witness_options[0].choices[witness->method]);
  dc_json_put_boolean(json, "both", request->settings.both);
  dc_json_put_boolean(json, "transport", request->settings.refine->transport);
  dc_json_put_number(json, "margin", request->settings.refine->margin);
}

static void put_score(struct dc_json_writer *json, const char *key, const struct dc_bench_witness_score *score)
{
  dc_json_begin(json, key, '{');
  DC_JSON_NUMBERS(json, {"accuracy", score->accuracy}, {"median", score->median}, {"ninth_decile", score->ninth});
  dc_json_end(json, "}");
}

enum dc_status dc_api_bench_witness(const struct bench_options *arguments, struct dc_json_writer *json,
                                    struct dc_text *text, struct dc_error *error)
{
  struct request request;
  struct dc_bench_witness_result result;
  enum dc_status status = open_request(arguments, &request, error);
  if (!status)
    status = dc_bench_witness(&request.settings, request.method, request.method_options, &result, error);
  if (!status) {
    put_request(json, &request);
    dc_json_put_string(json, "optimizer", request.method->name);
    dc_json_put_integer(json, "tasks", result.tasks);
    put_score(json, "best", &result.best);
    if (result.last_counts)
      put_score(json, "last", &result.last);
    else
      dc_json_put_raw(json, "last", "null");
    DC_JSON_NUMBERS(json, {"queries", result.queries}, {"iterations", result.iterations}, {"seconds", result.seconds});
    dc_text_add(text,
                "%d %s tasks, %s, %s: %.1f %% below 1e-6 m^2, median %.2e, ninth decile %.2e m^2 (lowest values)\n",
                result.tasks, dc_bench_set_name(request.settings.objects),
                dc_witness_options[0].choices[request.settings.refine->witness->method], request.method->name,
                100 * result.best.accuracy, result.best.median, result.best.ninth);
    if (result.last_counts)
      dc_text_add(text, "  of the last iteration: %.1f %%, %.2e, %.2e m^2\n", 100 * result.last.accuracy,
                  result.last.median, result.last.ninth);
    dc_text_add(text, "  %.0f queries and %.0f iterations a task, %.3g s of processor time, %.2f us an iteration\n",
                result.queries, result.iterations, result.seconds,
                1e6 * result.seconds / fmax(1, result.iterations * result.tasks));
  }
  dc_arena_destroy(request.arena);
  return status;
}

enum dc_status dc_api_bench_witness_time(const struct bench_options *arguments, struct dc_json_writer *json,
                                         struct dc_text *text, struct dc_error *error)
{
  struct request request;
  struct dc_bench_witness_times times;
  enum dc_status status = open_request(arguments, &request, error);
  if (!status)
    status = dc_bench_witness_time(&request.settings, &times, error);
  if (!status) {
    put_request(json, &request);
    DC_JSON_NUMBERS(json, {"poses", times.poses}, {"forward", times.forward}, {"backward", times.backward},
                    {"iteration", times.iteration}, {"sampling", times.sampling}, {"smoothing", times.smoothing},
                    {"passing", times.passing}, {"transport", times.transport});
    dc_text_add(text, "%d %s tasks, %s: %.2f us a query, %.2f us its derivative, %.2f us an iteration of descent\n",
                times.tasks, dc_bench_set_name(request.settings.objects),
                dc_witness_options[0].choices[request.settings.refine->witness->method], 1e6 * times.forward,
                1e6 * times.backward, 1e6 * times.iteration);
  }
  dc_arena_destroy(request.arena);
  return status;
}
