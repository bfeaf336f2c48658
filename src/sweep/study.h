// SPDX-License-Identifier: Apache-2.0
// study.json: which scene, what varies, what is run, and what is kept.
#ifndef DC_SWEEP_STUDY_H
#define DC_SWEEP_STUDY_H

#include "base/options.h"
#include "sweep/sampling.h"

// The command of a point; it leaves a run directory.  Another kind is one more row in study.c.
struct dc_sweep_kind {
  const char *command;
  bool resumable;  // by --resume; otherwise an interrupted point begins anew
  bool draws;      // a benchmark: cases drawn on top of the task's shipped scene, solved by a method
};

enum dc_sweep_keep { DC_KEEP_EVERYTHING, DC_KEEP_RESULTS, DC_KEEP_FAILURES };

struct dc_study {
  struct dc_arena *arena;  // owns everything
  const char *path, *text;
  size_t length;
  const char *name;   // name of the study; default: of its file, without extension
  const char *scene;  // absolute path; for drawn cases, the task is named after it
  const struct dc_sweep_kind *kind;
  enum dc_sweep_keep keep;
  bool verify;                                         // certify every run that succeeds
  double point_seconds;                                // longest time of a point, s; 0: no limit
  struct dc_string_list allowed_paths, package_paths;  // absolute
  int fixed_count;
  const char *const *fixed;  // [fixed_count] "path=value", the same at every point
  struct dc_points points;
};

// Reads and checks a study.  DC_BAD_INPUT, DC_IO, DC_MEMORY; messages are "file:line:column: path: rule".
enum dc_status dc_study_read(const char *path, struct dc_study **study, struct dc_error *error);
void dc_study_destroy(struct dc_study *study);

// The changes of a point to the scene.  Owned by its arena.
struct dc_point {
  struct dc_arena *arena;
  const char *model, *seed;  // values of --model and --seed; NULL: the scene's
  const char *method;        // value of --method, for drawn cases; NULL: the default
  int override_count;
  const char **overrides;  // values of --set: the fixed ones, then the varying ones
};
enum dc_status dc_study_point(const struct dc_study *study, long point, struct dc_point *about, struct dc_error *error);

// Columns of the table, factor after factor.
int dc_study_columns(const struct dc_study *study);
const char *dc_study_column(const struct dc_study *study, int column);
void dc_study_value(const struct dc_study *study, long point, int column, struct dc_text *text);

// Reads a factor from a file of points (RFC 4180): the first line holds the paths, the others values.  A value is JSON,
// else a string, as for --set.
enum dc_status dc_study_read_csv(const char *path, struct dc_arena *arena, struct dc_factor *factor,
                                 struct dc_error *error);

#endif
