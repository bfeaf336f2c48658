// SPDX-License-Identifier: Apache-2.0
// Reads study.json: options, fixed settings, and factors, which are lists of values, distributions, ranges of levels,
// or a file of points; then checks that no path is set twice, and prepares the points.
//
// A factor varies one path of the scene, or several columns of a file of points as one; it has either levels, kept as
// JSON texts, or a distribution.  A point combines one value of each factor (sampling.h) and becomes a list of --set
// overrides of a child process, so that a study can vary whatever a scene can set.  Levels are printed with as few
// digits as give the same number back: they name directories and columns.
#include "sweep/study.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/json/json_print.h"
#include "io/scene/options_reader.h"

// Name of the command; whether a run can be resumed; whether it draws cases of a task instead of reading the scene
// alone.
static const struct dc_sweep_kind kinds[] = {
    {"optimize", true, false}, {"simulate", false, false}, {"bench tasks", false, true}, {NULL, false, false}};
static const char *const kind_names[] = {"optimize", "simulate", "bench tasks", NULL};
static const char *const sampling_names[] = {"grid", "zip", "random", "latin_hypercube", NULL};
static const char *const keep_names[] = {"everything", "results", "failures", NULL};

// The options of a study as they are read; take_options puts them into struct dc_study.
struct options {
  const char *name, *scene, *points;
  int run, sampling, keep;
  bool verify;
  long samples, seed;
  double max_time;
  struct dc_string_list allowed_paths, package_paths;
};

static const struct dc_option study_options[] = {
    DC_STRING_OPTION(struct options, name, "null", "name of the study, for its page"),
    DC_STRING_OPTION(struct options, scene, NULL, "file of the scene, relative to the study's"),
    DC_CHOICE_OPTION(struct options, run, "\"optimize\"", kind_names, "command that runs at each point"),
    DC_CHOICE_OPTION(struct options, sampling, "\"grid\"", sampling_names, "how values are combined"),
    DC_INTEGER_OPTION(struct options, samples, "1", 1, DC_MOST_POINTS,
                      "points of random and latin_hypercube; of grid and zip how often each combination is drawn"),
    DC_INTEGER_OPTION(struct options, seed, "0", 0, 0x1p53, "seed of drawn values"),
    DC_STRING_OPTION(struct options, points, "null", "CSV file of points that varies as one"),
    DC_CHOICE_OPTION(struct options, keep, "\"everything\"", keep_names,
                     "run directories that stay: all, none, or those of failures and tasks not reached"),
    DC_BOOLEAN_OPTION(struct options, verify, "false", "whether each run is certified, which adds columns"),
    DC_POSITIVE_OPTION(struct options, max_time, "s", "null", 1e9, "longest time of a point"),
    {.name = "allow_path",
     .type = DC_STRING_LIST,
     .unit = "",
     .fallback = "null",
     .count = 64,
     .help = "folders that files may be read from, relative to the study's",
     .offset = offsetof(struct options, allowed_paths)},
    {.name = "package_path",
     .type = DC_STRING_LIST,
     .unit = "",
     .fallback = "null",
     .count = 64,
     .help = "folders of packages of included robots, relative to the study's",
     .offset = offsetof(struct options, package_paths)},
    DC_OPTIONS_END,
};

// An object in "vary": one distribution, or levels given by ends and number.
struct variation {
  double uniform[2], log_uniform[2], normal[2], linear[2], logarithmic[2];
  long count, from;
};

#define PAIR(key, text)                                                                                                \
  {                                                                                                                    \
    .name = #key, .type = DC_REALS, .unit = "", .fallback = "null", .count = 2, .help = text,                          \
    .offset = offsetof(struct variation, key)                                                                          \
  }
static const struct dc_option variation_options[] = {
    PAIR(uniform, "drawn between low and high"),
    PAIR(log_uniform, "drawn between low and high > 0, the logarithm uniformly"),
    PAIR(normal, "drawn with mean and standard deviation"),
    PAIR(linear, "count numbers from first to last at equal distances"),
    PAIR(logarithmic, "count numbers > 0 from first to last in equal ratios"),
    DC_INTEGER_OPTION(struct variation, count, "0", 0, DC_MOST_POINTS, "how many numbers; alone: whole numbers"),
    DC_INTEGER_OPTION(struct variation, from, "0", -0x1p53, 0x1p53, "the first of count whole numbers"),
    DC_OPTIONS_END,
};

// A study being read; errors go to `error`, with the place in the file.
struct reading {
  struct dc_study *study;
  struct dc_json_document document;
  struct dc_options_reader reader;
  struct dc_error *error;
};

// Out of memory, with the study's file in front.
static enum dc_status out_of_memory(struct reading *reading)
{
  return dc_out_of_memory_in(reading->error, reading->study->path);
}

// Copies the text to the arena and frees it; NULL when memory is out.
static const char *keep_text(struct dc_arena *arena, struct dc_text *text)
{
  const char *kept = text->failed ? NULL : dc_arena_strdup(arena, text->bytes ? text->bytes : "");
  dc_text_free(text);
  return kept;
}

// A JSON value as text, as --set takes it.
static const char *print_value(struct dc_arena *arena, const cJSON *node)
{
  struct dc_text text = {0};
  dc_json_print(node, &text);
  return keep_text(arena, &text);
}

// The levels of a factor that is a list: its elements in their order.
static enum dc_status read_list(struct reading *reading, const struct dc_json *list, struct dc_factor *factor)
{
  struct dc_arena *arena = reading->study->arena;
  factor->levels = cJSON_GetArraySize(list->node);
  if (factor->levels == 0)
    return dc_json_fail(list, reading->error, DC_BAD_INPUT, "must not be empty");
  const char **texts = dc_arena_alloc(arena, (size_t)factor->levels, sizeof *texts);
  // Every level is kept as its JSON text, whatever it is: numbers, strings, lists and whole objects may vary.
  long level = 0;
  cJSON *node;
  if (!texts)
    return out_of_memory(reading);
  cJSON_ArrayForEach (node, list->node)
    if (!(texts[level++] = print_value(arena, node)))
      return out_of_memory(reading);
  factor->texts = texts;
  return DC_OK;
}

// Point t in [0, 1] between two numbers; exactly 0 where rounding would leave a remainder.
static double between(const double ends[2], double t)
{
  // The last level is the end itself, not what rounding makes of it.
  double value = ends[0] + t * (ends[1] - ends[0]);
  if (t == 1)
    return ends[1];
  return fabs(value) < 4 * DBL_EPSILON * (fabs(ends[0]) + fabs(ends[1])) ? 0 : value;
}

// Levels evenly spread between two ends, linearly or logarithmically: a (b/a)^t for t = i/(count - 1).  Without ends
// they are the whole numbers from `from` on.  They are kept as JSON texts.
static enum dc_status fill_levels(struct reading *reading, const struct variation *variation, struct dc_factor *factor)
{
  struct dc_arena *arena = reading->study->arena;
  bool linear = !isnan(variation->linear[0]), logarithmic = !isnan(variation->logarithmic[0]);
  const double *ends = linear ? variation->linear : variation->logarithmic;
  factor->levels = variation->count;
  const char **texts = dc_arena_alloc(arena, (size_t)factor->levels, sizeof *texts);
  for (long i = 0; texts && i < factor->levels; i++) {
    struct dc_text text = {0};
    double t = factor->levels > 1 ? (double)i / (double)(factor->levels - 1) : 0;
    if (linear)
      dc_text_short_real(&text, between(ends, t), "null");
    else if (logarithmic)
      dc_text_short_real(&text, t == 1 ? ends[1] : ends[0] * pow(ends[1] / ends[0], t), "null");
    else
      dc_text_add(&text, "%ld", variation->from + i);
    if (!(texts[i] = keep_text(arena, &text)))
      return out_of_memory(reading);
  }
  factor->texts = texts;
  return texts ? DC_OK : out_of_memory(reading);
}

// Whether an object of "vary" has exactly one meaning; *drawn becomes the two numbers of its distribution, NULL for
// levels.
static enum dc_status check_variation(struct reading *reading, const struct dc_json *object, const struct variation *v,
                                      const double **drawn)
{
  const double *pairs[] = {v->uniform, v->log_uniform, v->normal, v->linear, v->logarithmic};
  int given = 0, which = -1;
  for (int i = 0; i < 5; i++)
    if (!isnan(pairs[i][0])) {
      given++;
      which = i;
    }
  // The first three pairs are distributions, the last two and a count alone are levels.
  bool levels = which < 0 || which >= 3;
  if (given > 1 || (given == 0 && v->count == 0))
    return dc_json_fail(
        object, reading->error, DC_BAD_INPUT,
        "must have one of \"uniform\", \"log_uniform\", \"normal\", \"linear\", \"logarithmic\" or \"count\"");
  if (levels && v->count == 0)
    return dc_json_fail(object, reading->error, DC_BAD_INPUT, "missing key \"count\"");
  if (!levels && v->count)
    return dc_json_fail(
        object, reading->error, DC_BAD_INPUT,
        "\"count\" does not go with a distribution: \"samples\" of the study says how often it is drawn");
  if (v->from && which >= 0)
    return dc_json_fail(object, reading->error, DC_BAD_INPUT, "\"from\" goes with \"count\" alone");
  if ((which == 1 || which == 4) && !(pairs[which][0] > 0 && pairs[which][1] > 0))
    return dc_json_fail(object, reading->error, DC_BAD_INPUT, "must be > 0 where the logarithm is taken");
  if ((which == 0 || which == 1) && !(pairs[which][0] < pairs[which][1]))
    return dc_json_fail(object, reading->error, DC_BAD_INPUT, "low must be below high");
  if (which == 2 && !(v->normal[1] > 0))
    return dc_json_fail(object, reading->error, DC_BAD_INPUT, "the standard deviation must be > 0");
  *drawn = levels ? NULL : pairs[which];
  return DC_OK;
}

// One variation: a list of levels, or a distribution to draw from.
static enum dc_status read_variation(struct reading *reading, const struct dc_json *object, struct dc_factor *factor)
{
  struct variation variation;
  const double *drawn = NULL;
  enum dc_status status = dc_read_options(&reading->reader, object, variation_options, NULL, &variation);
  if (!status)
    status = check_variation(reading, object, &variation, &drawn);
  if (status || !drawn)
    return status ? status : fill_levels(reading, &variation, factor);
  factor->distribution = drawn == variation.uniform  ? DC_DRAW_UNIFORM
                         : drawn == variation.normal ? DC_DRAW_NORMAL
                                                     : DC_DRAW_LOG_UNIFORM;
  factor->low = drawn[0];
  factor->high = drawn[1];
  return DC_OK;
}

// One member of "vary": its key is the path, its value a list or an object.
static enum dc_status read_factor(struct reading *reading, const struct dc_json *value, struct dc_factor *factor)
{
  const char **names = dc_arena_alloc(reading->study->arena, 1, sizeof *names);
  if (!names || !(names[0] = dc_arena_strdup(reading->study->arena, value->key)))
    return out_of_memory(reading);
  factor->columns = 1;
  factor->names = names;
  if (cJSON_IsArray(value->node))
    return read_list(reading, value, factor);
  if (cJSON_IsObject(value->node))
    return read_variation(reading, value, factor);
  return dc_refuse_type(&reading->reader, value, "a list of values or an object such as {\"uniform\": [0, 1]}");
}

// A path relative to the study's folder, as a real path where the file exists, since points run in another
// directory.  NULL: out of memory.
static const char *find_path(struct reading *reading, const char *path)
{
  char real[PATH_MAX];
  const char *study = reading->study->path, *slash = strrchr(study, '/');
  int length = slash ? (int)(slash - study) + 1 : 0;
  struct dc_arena *arena = reading->study->arena;
  const char *joined = path[0] == '/' ? path : dc_arena_printf(arena, "%.*s%s", length, study, path);
  return joined ? dc_arena_strdup(arena, realpath(joined, real) ? real : joined) : NULL;
}

// False when out of memory.
static bool find_paths(struct reading *reading, struct dc_string_list *list)
{
  for (int i = 0; i < list->count; i++)
    if (!(list->strings[i] = find_path(reading, list->strings[i])))
      return false;
  return true;
}

// Reads "set": "path=value" of each member, which all points have.
static enum dc_status read_fixed(struct reading *reading, const struct dc_json *set)
{
  struct dc_study *study = reading->study;
  if (!set->node)
    return DC_OK;
  if (!cJSON_IsObject(set->node))
    return dc_refuse_type(&reading->reader, set, "an object of paths and values");
  const char **fixed = dc_arena_alloc(study->arena, (size_t)cJSON_GetArraySize(set->node) + 1, sizeof *fixed);
  cJSON *node;
  if (!fixed)
    return out_of_memory(reading);
  cJSON_ArrayForEach (node, set->node) {
    const char *value = print_value(study->arena, node);
    fixed[study->fixed_count] = value ? dc_arena_printf(study->arena, "%s=%s", node->string, value) : NULL;
    if (!fixed[study->fixed_count++])
      return out_of_memory(reading);
  }
  study->fixed = fixed;
  return DC_OK;
}

// The columns of a file of points come first, as one factor, then the members of "vary" in their order.
static enum dc_status read_factors(struct reading *reading, const struct dc_json *vary, const char *file)
{
  struct dc_study *study = reading->study;
  if (vary->node && !cJSON_IsObject(vary->node))
    return dc_refuse_type(&reading->reader, vary, "an object of paths and values");
  size_t count = vary->node ? (size_t)cJSON_GetArraySize(vary->node) : 0;
  struct dc_factor *factors = dc_arena_alloc(study->arena, count + 1, sizeof *factors);
  if (!factors)
    return out_of_memory(reading);
  study->points.factors = factors;
  enum dc_status status = DC_OK;
  if (file) {
    const char *path = find_path(reading, file);
    status = path ? dc_study_read_csv(path, study->arena, &factors[study->points.factor_count++], reading->error)
                  : out_of_memory(reading);
  }
  cJSON *node;
  if (vary->node && !status)
    cJSON_ArrayForEach (node, vary->node) {
      struct dc_json value = dc_json_element(vary, node, 0);
      if ((status = read_factor(reading, &value, &factors[study->points.factor_count++])))
        return status;
    }
  return status;
}

// Two columns of one path would overwrite each other.
static enum dc_status check_columns(struct reading *reading)
{
  int count = dc_study_columns(reading->study);
  // Columns are few, unlike points: pairs of them may be compared.
  for (int i = 0; i < count; i++)
    for (int j = 0; j < i; j++)
      if (strcmp(dc_study_column(reading->study, i), dc_study_column(reading->study, j)) == 0)
        return dc_fail(reading->error, DC_BAD_INPUT, "%.400s: \"%.200s\" varies twice", reading->study->path,
                       dc_study_column(reading->study, i));
  return DC_OK;
}

// The name of a file without folder and ending.
static const char *name_of_file(struct dc_arena *arena, const char *path)
{
  const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path, *dot = strrchr(base, '.');
  return dc_arena_printf(arena, "%.*s", dot && dot > base ? (int)(dot - base) : (int)strlen(base), base);
}

// Resolves name, scene and paths of a study, and checks that they suit the kind of run.
static enum dc_status take_options(struct reading *reading, struct options *options)
{
  struct dc_study *study = reading->study;
  study->name = options->name ? options->name : name_of_file(study->arena, study->path);
  study->scene = find_path(reading, options->scene);
  if (!study->name || !study->scene || !find_paths(reading, &options->allowed_paths) ||
      !find_paths(reading, &options->package_paths))
    return out_of_memory(reading);
  study->kind = &kinds[options->run];
  // Benchmarks open scenes of their own and read no file that a study could allow.
  if (study->kind->draws && (options->allowed_paths.count || options->package_paths.count))
    return dc_fail(reading->error, DC_BAD_INPUT,
                   "%.400s: \"allow_path\" and \"package_path\" do not go with bench tasks", study->path);
  study->keep = (enum dc_sweep_keep)options->keep;
  study->verify = options->verify;
  study->point_seconds = isnan(options->max_time) ? 0 : options->max_time;
  study->allowed_paths = options->allowed_paths;
  study->package_paths = options->package_paths;
  study->points.sampling = (enum dc_sampling)options->sampling;
  study->points.samples = options->samples;
  study->points.seed = (uint64_t)options->seed;
  return DC_OK;
}

// Reads a study.  "set" and "vary" have paths of the scene as keys, so that they are taken out of the tree
// before its options are read; they are freed at the end.
static enum dc_status read_document(struct reading *reading)
{
  struct dc_study *study = reading->study;
  struct options options;
  struct dc_json root = dc_json_root(&reading->document);
  if (!cJSON_IsObject(root.node))
    return dc_refuse_type(&reading->reader, &root, "an object");
  if (dc_json_member(&root, "bodies").node && !dc_json_member(&root, "scene").node)
    return dc_json_fail(
        &root, reading->error, DC_BAD_INPUT,
        "this is a scene; a study is another file, which names it: {\"scene\": \"FILE\", \"vary\": {...}}");
  cJSON *nodes[2] = {cJSON_DetachItemFromObjectCaseSensitive(root.node, "set"),
                     cJSON_DetachItemFromObjectCaseSensitive(root.node, "vary")};
  struct dc_json set = {.document = &reading->document, .node = nodes[0], .parent = &root, .key = "set"};
  struct dc_json vary = {.document = &reading->document, .node = nodes[1], .parent = &root, .key = "vary"};
  enum dc_status status = dc_read_options(&reading->reader, &root, study_options, NULL, &options);
  if (!status)
    status = take_options(reading, &options);
  if (!status)
    status = read_fixed(reading, &set);
  if (!status)
    status = read_factors(reading, &vary, options.points);
  if (!status)
    status = check_columns(reading);
  if (!status && (status = dc_points_prepare(&study->points, study->arena, reading->error)))
    dc_error_prefix(reading->error, "%.400s", study->path);
  cJSON_Delete(nodes[0]);
  cJSON_Delete(nodes[1]);
  return status;
}

// Reads a study file; its text stays in the study, as its identity is a hash of it.
enum dc_status dc_study_read(const char *path, struct dc_study **study, struct dc_error *error)
{
  struct dc_error local = {0};
  struct dc_arena *arena = dc_arena_create();
  struct dc_study *made = arena ? dc_arena_alloc(arena, 1, sizeof *made) : NULL;
  *study = NULL;
  if (!made || !(made->path = dc_arena_strdup(arena, path))) {
    dc_arena_destroy(arena);
    return dc_out_of_memory_in(error, path);
  }
  made->arena = arena;
  struct reading reading = {.study = made, .error = &local, .reader = {.arena = arena, .error = &local}};
  enum dc_status status = dc_json_load(&reading.document, path, arena, &local);
  if (!status) {
    made->text = reading.document.text;
    made->length = reading.document.length;
    status = read_document(&reading);
  }
  dc_json_release(&reading.document);
  if (status) {
    dc_study_destroy(made);
    return dc_fail(error, status, "%s", local.text);
  }
  *study = made;
  return DC_OK;
}

// All that a study has lies in its arena.
void dc_study_destroy(struct dc_study *study)
{
  if (study)
    dc_arena_destroy(study->arena);
}

// A file of points has several columns, every other factor one.
int dc_study_columns(const struct dc_study *study)
{
  int count = 0;
  for (int i = 0; i < study->points.factor_count; i++)
    count += study->points.factors[i].columns;
  return count;
}

// The factor of a column; *column becomes the column within the factor.
static int find_factor(const struct dc_study *study, int *column)
{
  int factor = 0;
  for (; *column >= study->points.factors[factor].columns; factor++)
    *column -= study->points.factors[factor].columns;
  return factor;
}

// Columns are numbered through all factors, in their order.
const char *dc_study_column(const struct dc_study *study, int column)
{
  int factor = find_factor(study, &column);
  return study->points.factors[factor].names[column];
}

// The value of a column at a point, as --set takes it.
void dc_study_value(const struct dc_study *study, long point, int column, struct dc_text *text)
{
  int factor = find_factor(study, &column);
  dc_points_value(&study->points, point, factor, column, text);
}

// Options of a command are words, not JSON: "bsh" without its quotes.
static const char *without_quotes(struct dc_arena *arena, const char *value)
{
  size_t length = strlen(value);
  return length >= 2 && value[0] == '"' ? dc_arena_printf(arena, "%.*s", (int)length - 2, value + 1) : value;
}

// Adds the value of a column to a point.  "model", "seed" and "method" become options of the command, since
// they affect more than one member of the scene.
static enum dc_status add_value(const struct dc_study *study, long point, int column, struct dc_point *about)
{
  struct dc_text text = {0};
  const char *name = dc_study_column(study, column);
  dc_study_value(study, point, column, &text);
  const char *value = keep_text(about->arena, &text);
  if (!value)
    return DC_MEMORY;
  // A seed of the command is that of everything random; one of a member would leave the others as they are.
  if (strcmp(name, "seed") == 0) {
    about->seed = value;
    return DC_OK;
  }
  if (strcmp(name, study->kind->draws ? "method" : "model") == 0) {
    const char **option = study->kind->draws ? &about->method : &about->model;
    *option = without_quotes(about->arena, value);
    return *option ? DC_OK : DC_MEMORY;
  }
  const char *set = dc_arena_printf(about->arena, "%s=%s", name, value);
  about->overrides[about->override_count] = set;
  about->override_count += set != NULL;
  return set ? DC_OK : DC_MEMORY;
}

// The overrides of one point: those of "set", then the value of every column, which therefore win.  The arena of
// *about is the caller's to destroy.
enum dc_status dc_study_point(const struct dc_study *study, long point, struct dc_point *about, struct dc_error *error)
{
  int columns = dc_study_columns(study);
  *about = (struct dc_point){.arena = dc_arena_create()};
  if (about->arena)
    about->overrides =
        dc_arena_alloc(about->arena, (size_t)(study->fixed_count + columns) + 1, sizeof *about->overrides);
  enum dc_status status = about->overrides ? DC_OK : DC_MEMORY;
  for (int i = 0; i < study->fixed_count && !status; i++)
    about->overrides[about->override_count++] = study->fixed[i];
  for (int i = 0; i < columns && !status; i++)
    status = add_value(study, point, i, about);
  if (status) {
    dc_arena_destroy(about->arena);
    return dc_fail(error, status, "out of memory for point %ld", point);
  }
  return DC_OK;
}
