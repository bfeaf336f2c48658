// SPDX-License-Identifier: Apache-2.0
// The benchmark "tasks".
//
//     for each method, for each drawn case:
//         open the shipped scene with the case's arguments, the method's and those of --set
//         optimize within the limit of CPU seconds
//         judge the trajectory: reached? at rest?  and write the row
//
// A case differs from run to run only where the limit cuts it off.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/threads.h"
#include "bench/arguments.h"
#include "bench/task_draws.h"
#include "bench/task_methods.h"
#include "bench/task_table.h"

// At rest: no body of the task is faster than this, m/s, in any of the last steps.
static const double REST_SPEED = 0.05;
enum { REST_STEPS = 5 };

struct bench {
  const struct bench_options *options;
  const struct dc_task_kind *kind;
  char *scene;  // path of the shipped one
  double limit;
  int draws, method_count;
  const struct dc_task_method **methods;
  struct dc_task_case *cases;  // [draws]
  struct dc_task_table table;
};

static enum dc_status choose_kind(struct bench *bench, struct dc_error *error)
{
  char names[200] = "";
  for (const struct dc_task_kind *kind = dc_task_kinds; kind->name; kind++) {
    if (bench->options->task && strcmp(kind->name, bench->options->task) == 0)
      bench->kind = kind;
    snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", *names ? ", " : "", kind->name);
  }
  if (!bench->kind)
    return dc_fail(error, DC_USAGE, "--task: must be one of %s (is \"%.50s\")", names,
                   bench->options->task ? bench->options->task : "");
  return DC_OK;
}

// NULL and a message when there is none.
static const struct dc_task_method *find_method(const char *name, struct dc_error *error)
{
  char names[400] = "";
  for (const struct dc_task_method *method = dc_task_methods; method->name; method++) {
    if (strcmp(method->name, name) == 0)
      return method;
    snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", *names ? ", " : "", method->name);
  }
  dc_fail(error, DC_USAGE, "--method: must be one of %s (is \"%.50s\")", names, name);
  return NULL;
}

static enum dc_status choose_methods(struct bench *bench, struct dc_error *error)
{
  const char *const fallback[] = {dc_task_methods[0].name};
  int count = bench->options->method_count;
  const char *const *names = count ? bench->options->methods : fallback;
  bench->method_count = count ? count : 1;
  bench->methods = calloc((size_t)bench->method_count, sizeof *bench->methods);
  if (!bench->methods)
    return dc_out_of_memory_for(error, "methods");
  for (int i = 0; i < bench->method_count; i++)
    if (!(bench->methods[i] = find_method(names[i], error)))
      return DC_USAGE;
  return DC_OK;
}

// The shipped scene: in the folder asked for, else in scenes/ here, else where data are installed.
static enum dc_status find_scene(struct bench *bench, struct dc_error *error)
{
  const char *asked = bench->options->scenes, *data = getenv("DCSIM_DATADIR");
  const char *folders[] = {asked ? asked : "", data && *data ? data : DC_DATADIR};
  for (int i = 0; i < (asked ? 1 : 2); i++) {
    size_t size = strlen(folders[i]) + strlen(bench->kind->scene) + sizeof "/scenes/";
    free(bench->scene);
    bench->scene = malloc(size);
    if (!bench->scene)
      return dc_out_of_memory_for(error, "a path");
    snprintf(bench->scene, size, "%s%s%s%s", folders[i], i ? "/" : "", asked ? "/" : "scenes/", bench->kind->scene);
    if (access(bench->scene, R_OK) == 0)
      return DC_OK;
  }
  return dc_fail(error, DC_IO, "%.300s: not found (--scenes names the folder of the shipped scenes)", bench->scene);
}

static enum dc_status check_run(const struct bench *bench, struct dc_error *error)
{
  const struct bench_options *options = bench->options;
  if (!options->run)
    return DC_OK;
  if (options->draws > 1 || bench->method_count > 1)
    return dc_fail(error, DC_USAGE, "--run: holds the run of one case by one method");
  if (options->output || options->write)
    return dc_fail(error, DC_USAGE, "--run: does not go with --output and --write");
  return DC_OK;
}

static enum dc_status set_up(struct bench *bench, struct dc_error *error)
{
  enum dc_status status = choose_kind(bench, error);
  if (!status)
    status = choose_methods(bench, error);
  if (!status)
    status = check_run(bench, error);
  if (!status)
    status = find_scene(bench, error);
  if (status)
    return status;
  bench->draws = bench->options->draws ? (int)bench->options->draws : bench->options->run ? 1 : 10;
  bench->limit = bench->options->limit > 0 ? bench->options->limit : 60;
  bench->cases = calloc((size_t)bench->draws, sizeof *bench->cases);
  if (!bench->cases)
    return dc_out_of_memory_for(error, "cases");
  for (int i = 0; i < bench->draws && !status; i++)
    status = dc_task_draw(bench->kind, bench->scene, bench->options->seed, i, &bench->cases[i], error);
  return status ? status : dc_task_table_open(&bench->table, bench->options->output, error);
}

static void tear_down(struct bench *bench)
{
  for (int i = 0; bench->cases && i < bench->draws; i++)
    dc_task_case_release(&bench->cases[i]);
  dc_task_table_close(&bench->table);
  free(bench->cases);
  free(bench->methods);
  free(bench->scene);
}

struct arguments {
  int count;
  const char **list;
};

static void add(struct arguments *arguments, int count, const char *const *list)
{
  for (int i = 0; i < count && list[i]; i++)
    arguments->list[arguments->count++] = list[i];
}

// Opens the scene of a case for a method; NULL: for nothing but writing it.
static int open_case(const struct bench *bench, const struct dc_task_case *drawn, const struct dc_task_method *method,
                     dcsim_scene **scene, dcsim_error *error)
{
  const struct bench_options *options = bench->options;
  size_t most =
      DC_TASK_OVERRIDES + DC_TASK_PLANE + DC_TASK_PLAIN + 2 * DC_TASK_METHOD_OVERRIDES + (size_t)options->count;
  struct arguments all = {0, calloc(most, sizeof(const char *))};
  if (!all.list) {
    snprintf(error->text, sizeof error->text, "out of memory for a scene");
    return DCSIM_MEMORY;
  }
  add(&all, drawn->count, drawn->overrides);
  if (method && method->plane)
    add(&all, drawn->plane_count, drawn->plane);
  if (method && !method->searches)
    add(&all, DC_TASK_PLAIN, bench->kind->plain);
  if (method)
    add(&all, DC_TASK_METHOD_OVERRIDES, method->overrides);
  if (method && bench->kind->windows)
    add(&all, DC_TASK_METHOD_OVERRIDES, method->windows);
  add(&all, options->count, options->settings);
  dcsim_scene_options opening = {.size = sizeof opening,
                                 .model = method ? method->model : NULL,
                                 .override_count = all.count,
                                 .overrides = all.list};
  int status = dcsim_scene_open(bench->scene, &opening, scene, error);
  free(all.list);
  return status;
}

// Data for watching a run.
struct watch {
  const struct dc_task_kind *kind;
  const dcsim_scene *scene;
  double (*clock)(void);  // processor time of what solves the case, s
  double began, limit;
  double speed;
};

static int within_limit(void *context, const dcsim_progress *progress)
{
  const struct watch *watch = context;
  (void)progress;
  return watch->clock() - watch->began < watch->limit ? 0 : DCSIM_STOPPED;
}

// The largest speed of the task's bodies in the last steps.
static void find_speed(void *context, const dcsim_trajectory *trajectory)
{
  struct watch *watch = context;
  size_t stride = (size_t)trajectory->bodies * DCSIM_POSE;
  watch->speed = 0;
  for (int body = 0; body < trajectory->bodies; body++) {
    dcsim_scene_body about = DCSIM_SIZED(dcsim_scene_body);
    if (dcsim_scene_get_body(watch->scene, body, &about, NULL) ||
        strncmp(about.name, watch->kind->bodies, strlen(watch->kind->bodies)) != 0)
      continue;
    for (int step = trajectory->steps; step > 0 && step > trajectory->steps - REST_STEPS; step--) {
      const double *to = trajectory->poses + (size_t)step * stride + (size_t)body * DCSIM_POSE, *from = to - stride;
      double squared = 0;
      for (int k = 0; k < 3; k++)
        squared += (to[k] - from[k]) * (to[k] - from[k]);
      watch->speed = fmax(watch->speed, sqrt(squared) / trajectory->time_step);
    }
  }
}

static void say(struct dc_task_row *row, const char *message)
{
  snprintf(row->message, sizeof row->message, "%.*s", DC_TASK_MESSAGE - 1, message);
  row->message[strcspn(row->message, "\n")] = '\0';
  for (char *tab = row->message; (tab = strchr(tab, '\t')) != NULL;)
    *tab = ' ';
}

static enum dc_status solve(const struct bench *bench, const struct dc_task_case *drawn,
                            const struct dc_task_method *method, double (*clock)(void), struct dc_task_row *row,
                            struct dc_error *error)
{
  dcsim_error outside = {0};
  dcsim_scene *scene = NULL;
  dcsim_result result = DCSIM_SIZED(dcsim_result);
  dcsim_run_options options = DCSIM_SIZED(dcsim_run_options);
  int status = open_case(bench, drawn, method, &scene, &outside);
  if (status)
    return dc_fail(error, (enum dc_status)status, "%.900s", outside.text);
  struct watch watch = {bench->kind, scene, clock, clock(), bench->limit, NAN};
  options.directory = bench->options->run ? bench->options->run : "none";
  options.command_line = bench->options->command_line;
  options.progress = within_limit;
  options.progress_context = &watch;
  options.ended = find_speed;
  options.ended_context = &watch;
  row->status = dcsim_optimize(scene, &options, &result, NULL, &outside);
  row->seconds = clock() - watch.began;
  row->success = result.success;
  row->speed = watch.speed;
  row->at_rest = watch.speed < REST_SPEED;
  row->loss = row->status && !result.steps ? NAN : result.loss;  // nothing was rolled out
  row->iterations = result.iterations;
  row->rollouts = (long)result.rollouts;
  say(row, row->status == DCSIM_STOPPED ? "out of time" : row->status ? outside.text : "");
  dcsim_scene_close(scene);
  if (bench->options->run && row->status && row->status != DCSIM_STOPPED)
    return dc_fail(error, (enum dc_status)row->status, "%.900s", outside.text);
  return DC_OK;
}

// The method's name in rows: with the settings that were given beside it.
static enum dc_status name_method(const struct bench *bench, const struct dc_task_method *method, char *name,
                                  struct dc_error *error)
{
  size_t length = (size_t)snprintf(name, DC_TASK_METHOD, "%s", method->name);
  for (int i = 0; i < bench->options->count && length < DC_TASK_METHOD; i++)
    length += (size_t)snprintf(name + length, DC_TASK_METHOD - length, " %s", bench->options->settings[i]);
  if (length >= DC_TASK_METHOD || strpbrk(name, "\t\n"))
    return dc_fail(error, DC_USAGE, "--set: settings that name a method must be shorter and without tabs");
  return DC_OK;
}

// Cases that are solved side by side, each on one thread; their rows wait for the last of them.
enum { MOST_AT_ONCE = 64 };
struct side_by_side {
  const struct bench *bench;
  const struct dc_task_method *method;
  double (*clock)(void);
  int count;
  struct dc_task_row rows[MOST_AT_ONCE];
  enum dc_status statuses[MOST_AT_ONCE];
  struct dc_error errors[MOST_AT_ONCE];
};

static void solve_one(void *context, int index, int thread)
{
  struct side_by_side *all = context;
  struct dc_task_row *row = &all->rows[index];
  (void)thread;
  all->statuses[index] =
      solve(all->bench, &all->bench->cases[row->draw], all->method, all->clock, row, &all->errors[index]);
}

// Solves the cases that wait and adds their rows in order; found [draws].
static enum dc_status solve_waiting(struct bench *bench, struct side_by_side *all, size_t *found,
                                    struct dc_error *error)
{
  enum dc_status status = DC_OK;
  // A case alone may use all threads, whose time counts; several have one each.
  all->clock = all->count > 1 ? dc_thread_seconds : dc_process_seconds;
  if (all->count == 1)
    solve_one(all, 0, 0);
  else
    dc_loop_run(solve_one, all, all->count, 0, NULL);
  for (int i = 0; i < all->count && !status; i++) {
    status = all->statuses[i];
    if (status)
      *error = all->errors[i];
    else
      status = dc_task_table_add(&bench->table, &all->rows[i], error);
    found[all->rows[i].draw] = bench->table.count - 1;
  }
  all->count = 0;
  return status;
}

// All rows of the method, those of earlier runs included; found [draws].
static enum dc_status solve_all(struct bench *bench, const struct dc_task_method *method, size_t *found,
                                struct dc_error *error)
{
  int at_once = dc_threads() > 1 ? 8 * dc_threads() : 1;
  at_once = at_once < MOST_AT_ONCE ? at_once : MOST_AT_ONCE;
  struct side_by_side *all = calloc(1, sizeof *all);
  enum dc_status status = all ? DC_OK : dc_out_of_memory_for(error, "cases");
  if (all)
    *all = (struct side_by_side){.bench = bench, .method = method};
  for (int draw = 0; draw < bench->draws && !status; draw++) {
    struct dc_task_row row = {.seed = bench->options->seed, .draw = draw, .limit = bench->limit};
    snprintf(row.task, sizeof row.task, "%s", bench->kind->name);
    status = name_method(bench, method, row.method, error);
    const struct dc_task_row *earlier = status ? NULL : dc_task_table_find(&bench->table, &row);
    if (earlier)
      found[draw] = (size_t)(earlier - bench->table.rows);
    else if (!status)
      all->rows[all->count++] = row;
    if (!status && all->count && (all->count == at_once || draw == bench->draws - 1))
      status = solve_waiting(bench, all, found, error);
  }
  free(all);
  return status;
}

static enum dc_status solve_and_report(struct bench *bench, struct dc_json_writer *json, struct dc_text *text,
                                       struct dc_error *error)
{
  size_t count = (size_t)bench->draws * (size_t)bench->method_count;
  size_t *found = calloc(count, sizeof *found);
  const struct dc_task_row **rows = calloc(count, sizeof *rows);
  enum dc_status status = found && rows ? DC_OK : dc_out_of_memory_for(error, "rows");
  for (int i = 0; i < bench->method_count && !status; i++)
    status = solve_all(bench, bench->methods[i], found + (size_t)i * (size_t)bench->draws, error);
  if (!status) {
    for (size_t i = 0; i < count; i++)
      rows[i] = &bench->table.rows[found[i]];
    dc_json_put_string(json, "task", bench->kind->name);
    DC_JSON_NUMBERS(json, {"seed", (long)bench->options->seed}, {"limit", bench->limit}, {"rest_speed", REST_SPEED});
    dc_text_add(text, "%s: %d cases of seed %llu, at most %g CPU s each; at rest: below %g m/s in the last %d steps\n",
                bench->kind->name, bench->draws, (unsigned long long)bench->options->seed, bench->limit, REST_SPEED,
                REST_STEPS);
    dc_task_table_report(rows, (int)count, json, text);
  }
  free(rows);
  free(found);
  return status;
}

static void write_quoted(FILE *file, const char *word)
{
  fputc('\'', file);
  for (; *word; word++)
    if (*word == '\'')
      fputs("'\\''", file);
    else
      fputc(*word, file);
  fputc('\'', file);
}

// A file of the folder, named after task, seed and draw.
static FILE *open_file(const struct bench *bench, int draw, const char *ending, struct dc_error *error)
{
  char path[1024];
  int length = snprintf(path, sizeof path, "%s/%s-%llu-%03d.%s", bench->options->write, bench->kind->name,
                        (unsigned long long)bench->options->seed, draw, ending);
  FILE *file = length < (int)sizeof path ? fopen(path, "w") : NULL;
  if (!file)
    dc_fail(error, DC_IO, "%.300s: cannot be written", path);
  return file;
}

static enum dc_status write_case(const struct bench *bench, int draw, struct dc_error *error)
{
  const struct dc_task_case *drawn = &bench->cases[draw];
  dcsim_error outside = {0};
  dcsim_scene *scene = NULL;
  FILE *file = open_file(bench, draw, "sh", error);
  if (!file)
    return error->status;
  fputs("#!/bin/sh\nexec \"${DCSIM:-dcsim}\" optimize ", file);
  write_quoted(file, bench->scene);
  for (int i = 0; i < drawn->count; i++) {
    fputs(" \\\n  --set ", file);
    write_quoted(file, drawn->overrides[i]);
  }
  fputs(" \"$@\"\n", file);
  bool failed = ferror(file);
  if (fclose(file) || failed)
    return dc_fail(error, DC_IO, "%.300s: cannot be written", bench->options->write);
  int status = open_case(bench, drawn, NULL, &scene, &outside);
  if (status)
    return dc_fail(error, (enum dc_status)status, "%.900s", outside.text);
  file = open_file(bench, draw, "json", error);
  if (file)
    failed = fputs(scene->scene->resolved, file) < 0;
  dcsim_scene_close(scene);
  if (!file)
    return error->status;
  return fclose(file) || failed ? dc_fail(error, DC_IO, "%.300s: cannot be written", bench->options->write) : DC_OK;
}

// Opens all cases for all methods and leaves nothing.
static enum dc_status try_cases(const struct bench *bench, struct dc_json_writer *json, struct dc_text *text,
                                struct dc_error *error)
{
  for (int i = 0; i < bench->draws * bench->method_count; i++) {
    dcsim_error outside = {0};
    dcsim_scene *scene = NULL;
    int status = open_case(bench, &bench->cases[i % bench->draws], bench->methods[i / bench->draws], &scene, &outside);
    dcsim_scene_close(scene);
    if (status)
      return dc_fail(error, (enum dc_status)status, "%.900s", outside.text);
  }
  dc_json_put_integer(json, "cases", bench->draws);
  dc_text_add(text, "%d cases of %s can be opened\n", bench->draws, bench->kind->name);
  return DC_OK;
}

static enum dc_status write_cases(const struct bench *bench, struct dc_json_writer *json, struct dc_text *text,
                                  struct dc_error *error)
{
  enum dc_status status = DC_OK;
  if (strcmp(bench->options->write, "none") == 0)
    return try_cases(bench, json, text, error);
  mkdir(bench->options->write, 0777);  // that there is none shows when the first file is opened
  for (int draw = 0; draw < bench->draws && !status; draw++)
    status = write_case(bench, draw, error);
  if (!status) {
    dc_json_put_string(json, "written", bench->options->write);
    dc_json_put_integer(json, "cases", bench->draws);
    dc_text_add(text, "%d cases of %s: scenes and commands in %s\n", bench->draws, bench->kind->name,
                bench->options->write);
  }
  return status;
}

enum dc_status dc_api_bench_tasks(const struct bench_options *options, struct dc_json_writer *json,
                                  struct dc_text *text, struct dc_error *error)
{
  struct bench bench = {.options = options};
  enum dc_status status = set_up(&bench, error);
  if (!status)
    status = options->write ? write_cases(&bench, json, text, error) : solve_and_report(&bench, json, text, error);
  tear_down(&bench);
  return status;
}
