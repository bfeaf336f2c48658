// SPDX-License-Identifier: Apache-2.0
// study.json: a scene, what varies, what is run and what is kept.
#ifndef DC_SWEEP_STUDY_H
#define DC_SWEEP_STUDY_H

#include "base/options.h"
#include "sweep/sampling.h"

// What a point runs: a command that leaves a run directory.  Others are one more row in dc_sweep_kinds.
struct dc_sweep_kind {
  const char *command;
  bool resumable;  // by --resume; else a point that was interrupted begins anew
  bool draws;      // a benchmark: cases of a task on top of its shipped scene, solved by a method
};
extern const struct dc_sweep_kind dc_sweep_kinds[];

enum dc_sweep_keep { DC_KEEP_EVERYTHING, DC_KEEP_RESULTS, DC_KEEP_FAILURES };

struct dc_study {
  struct dc_arena *arena;  // owns everything
  const char *path, *text;
  size_t length;
  const char *name;   // of the study: that of its file without an ending, unless given
  const char *scene;  // absolute path; where cases are drawn the task has its name
  const struct dc_sweep_kind *kind;
  enum dc_sweep_keep keep;
  bool verify;                                         // each run that succeeds is certified
  double point_seconds;                                // longest time of a point, s; 0: no limit
  struct dc_string_list allowed_paths, package_paths;  // absolute
  int fixed_count;
  const char *const *fixed;  // [fixed_count] "path=value", the same at every point
  struct dc_points points;
};

// Reads and checks a study.  DC_BAD_INPUT, DC_IO, DC_MEMORY; messages are "file:line:column: path: rule".
enum dc_status dc_study_read(const char *path, struct dc_study **study, struct dc_error *error);
void dc_study_destroy(struct dc_study *study);

// What a point changes in the scene.  Owned by its arena.
struct dc_point {
  struct dc_arena *arena;
  const char *model, *seed;  // of --model and --seed; NULL: the scene's
  const char *method;        // of --method, where cases are drawn; NULL: the default
  int override_count;
  const char **overrides;  // of --set: the fixed ones, then those that vary
};
enum dc_status dc_study_point(const struct dc_study *study, long point, struct dc_point *about, struct dc_error *error);

// Columns of the table, factor after factor.
int dc_study_columns(const struct dc_study *study);
const char *dc_study_column(const struct dc_study *study, int column);
void dc_study_value(const struct dc_study *study, long point, int column, struct dc_text *text);

// The factor in a file of points: the first line names the paths, the others hold values (RFC 4180).  A value is JSON,
// else a string, as for --set.
enum dc_status dc_study_read_csv(const char *path, struct dc_arena *arena, struct dc_factor *factor,
                                 struct dc_error *error);

#endif
