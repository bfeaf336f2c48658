// SPDX-License-Identifier: Apache-2.0
// Run directories: what a run leaves behind, and reading it back.
#ifndef DC_IO_RUN_H
#define DC_IO_RUN_H

#include "dynamics/rollout.h"
#include "io/scene.h"

// A run directory being written.  Every function returns DC_IO with the file's name on failure; files are written completely (flush, fsync, close
// checked) to a temporary name and renamed, except loss.csv and progress.jsonl, which grow line by line.
struct dc_run;

// Creates directory (parents included; it must not hold a run already, unless it is empty) with scene.json, resolved.json and the meshes.  A lock file keeps a second
// writer out.
enum dc_status dc_run_create(const char *directory, const struct dc_scene *scene, struct dc_run **run, struct dc_error *error);
const char *dc_run_directory(const struct dc_run *run);

struct dc_run_row {
  int iteration;
  double loss, gradient_norm;
  long newton_iterations;
  double min_gap;
  bool best;
  double seconds;  // since the start; progress.jsonl only
  int parameter_count;
  const double *parameters;  // progress.jsonl only
};
enum dc_status dc_run_add_row(struct dc_run *run, const struct dc_run_row *row, struct dc_error *error);

// trajectory.h5: layout in the manual page dcsim-scene(5) and interface document: /time, /bodies/NAME/position (of the centre of mass) and rotation, /control,
// /contact/min_gap, and the same below /first for the first trajectory (may be NULL).  Attributes carry units.
enum dc_status dc_run_write_trajectory(struct dc_run *run, const struct dc_scene *scene, const struct dc_trajectory *best,
                                       const double *best_parameters, const struct dc_trajectory *first,
                                       const double *first_parameters, int parameter_count, struct dc_error *error);

struct dc_run_summary {
  const char *command;        // the command line
  uint64_t seed;
  int threads;
  const char *vector_width;   // "avx512", "avx2", "baseline"
  const char *started;        // UTC
  double seconds;
  int exit_status;
  const char *result_json;    // the object that --json prints
};
enum dc_status dc_run_write_summary(struct dc_run *run, const struct dc_scene *scene, const struct dc_run_summary *summary,
                                    struct dc_error *error);
// Closes files (checked), releases the lock.
enum dc_status dc_run_close(struct dc_run *run, struct dc_error *error);

// A trajectory as stored: poses of every body per frame.
struct dc_stored_trajectory {
  struct dc_arena *arena;
  int frames, bodies, control_count;
  double *time;         // [frames]
  double *position;     // [frames][bodies][3], of the centre of mass
  double *quaternion;   // [frames][bodies][4]
  double *control;      // [control_count]
};
// Reads DIR/trajectory.h5 for the bodies of scene (read from DIR/resolved.json).
enum dc_status dc_run_read_trajectory(const char *directory, const struct dc_scene *scene,
                                      struct dc_stored_trajectory *trajectory, struct dc_error *error);

#endif
