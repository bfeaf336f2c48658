// SPDX-License-Identifier: Apache-2.0
// dcsim: trajectory optimization through contact.  The public interface; everything else is private.
//
// Functions return 0 on success or a status below; a failure leaves a message in *error (which may be NULL) and
// nothing half made.  Strings and objects that a function hands out are released with the function named beside it.
// Scenes are immutable and may be shared by threads; runs use OpenMP inside.
#ifndef DCSIM_H
#define DCSIM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Statuses; the command line exits with them.
enum dcsim_status {
  DCSIM_OK = 0,
  DCSIM_UNMET = 1,       // ran, but what was asked to hold does not
  DCSIM_USAGE = 2,       // wrong usage
  DCSIM_BAD_INPUT = 3,   // scene or mesh
  DCSIM_NUMERICAL = 4,   // a step or solve failed
  DCSIM_IO = 5,          // input or output
  DCSIM_MEMORY = 6,      // out of memory or over a limit
  DCSIM_CHECKPOINT = 7,  // checkpoint unusable
  DCSIM_STOPPED = 9      // the progress function or the time limit asked to stop; results so far were written
};

typedef struct {
  int status;
  char text[1024];
} dcsim_error;

// Version of the library as "major.minor.patch"; names and versions of the libraries it uses, one per line.
const char *dcsim_version(void);
const char *dcsim_libraries(void);

// Number of OpenMP threads for all later work; 0 keeps the default.  Results do not depend on it.
void dcsim_set_threads(int threads);

// ---- Scenes

typedef struct dcsim_scene dcsim_scene;

typedef struct {
  const char *model;     // contact model to use instead of the scene's, or NULL
  const char *gradient;  // "adjoint", "fd" or "bundle": how gradients are computed instead of the scene's, or NULL
  int override_count;
  const char *const *overrides;  // "path=value"
  int allowed_path_count;
  const char *const *allowed_paths;  // folders outside the scene's that may be read
  int package_path_count;
  // Folders that hold packages or are some: where package://NAME/... of included robots is looked for; may be read, too.
  const char *const *package_paths;
  int seed_given;
  uint64_t seed;  // replaces the scene's seeds
} dcsim_scene_options;

// Reads, checks and builds a scene; options may be NULL.  Release with dcsim_scene_close.
int dcsim_scene_open(const char *path, const dcsim_scene_options *options, dcsim_scene **scene, dcsim_error *error);
void dcsim_scene_close(dcsim_scene *scene);
const char *dcsim_scene_name(const dcsim_scene *scene);

// What a command reports, for people and as JSON.  Release with dcsim_report_free.
typedef struct {
  char *text, *json;
} dcsim_report;
void dcsim_report_free(dcsim_report *report);

// Makes a text for people, such as a report's or an error's, fit for a terminal: control characters, marks of the
// direction of writing and bytes that are no UTF-8, which names and paths may bring along, become '?'; newlines stay.
// Returns text, which may be NULL.
char *dcsim_make_printable(char *text);

// ---- Simulation and optimization

typedef struct {
  int iteration, iterations;  // simulation: steps done so far is not reported; 0 of 0
  double loss, best_loss, gradient_norm, min_gap, seconds;
  int is_best, backed_off;
  // What iteration counts: NULL: iterations; "step": steps that a receding horizon has applied; "draw": first guesses
  // drawn so far of the most there may be (see "init" of a scene), other numbers are then NAN.
  const char *unit;
  double fraction;  // of the work of the run that is done, 0 .. 1, as far as can be foreseen; negative: unknown
} dcsim_progress;

enum { DCSIM_PROGRESS_CHECKPOINT = -1 };

// Called after every iteration (of a receding horizon: after every iteration in a window and when its steps have been
// applied; and after every draw of a first guess, where only signs of life are given: a run stops after the iteration
// that follows; between the steps of a simulation, with nothing to report but that time has passed: it stops after the
// step, and what was computed is its result).  Returns 0 to go on; DCSIM_PROGRESS_CHECKPOINT to have a checkpoint written (by an optimization with a run
// directory; nothing happens otherwise) and go on; anything else stops the run after this iteration: results so far are
// kept, and the value is written to run.json as the exit status (130 and 143 by custom).
typedef int dcsim_progress_function(void *context, const dcsim_progress *progress);

typedef struct {
  const char *directory;  // run directory; NULL: runs/<scene name>-<UTC time>; "none": nothing is written
  // Take controls from this run directory, or NULL.  In a scene with a horizon dcsim_simulate replays the run of one in the
  // same windows, as many steps as it executed, when time step, steps and controls are in the scene what they were.
  const char *control_run;
  const char *command_line;  // for run.json
  double max_seconds;        // 0: no limit
  int frames;                // pictures to render at the end: 0 none, -1 the default number
  dcsim_progress_function *progress;
  void *progress_context;

  // Optimizations only.
  // Run directory to go on with from its last checkpoint (from the start when it was killed before the first one), or
  // NULL.  directory and control_run must then be NULL, and the scene the one of the run: DIR/resolved.json is.
  const char *resume;
  int force;  // go on although scene, meshes, version or vector kernels are not those of the checkpoint
  // A checkpoint is written at the beginning and at the end, and in between:
  double checkpoint_seconds;  // least time between two checkpoints, s; 0: after every iteration; < 0: the default, 30
} dcsim_run_options;

// A receding horizon stops before the scene's last step when everything is reached; its loss is that of the last frame.
typedef struct {
  int success;  // every objective reached at the end
  double loss, initial_loss;
  int iterations, steps, unconverged_steps;
  int divided_steps;  // solved in parts, where bodies would have passed through each other or nothing converged
  double seconds, seconds_per_step, newton_iterations_per_step, min_gap;
  double evaluations_per_step, seconds_per_evaluation;  // of the contact, with gradient and Hessian
  char directory[1024];                                 // "" when nothing was written
  char warning[1024];                                   // what could not be done beside the run itself, or ""
} dcsim_result;

// Roll the scene out once with its initial controls, or those of control_run / minimize its loss.  report may be NULL.
int dcsim_simulate(const dcsim_scene *scene, const dcsim_run_options *options, dcsim_result *result,
                   dcsim_report *report, dcsim_error *error);
int dcsim_optimize(const dcsim_scene *scene, const dcsim_run_options *options, dcsim_result *result,
                   dcsim_report *report, dcsim_error *error);

// ---- Looking into a scene

// Adjoint against central differences and a Taylor test; steps > 0 shortens the scene.  DCSIM_UNMET when the largest
// relative error is over tolerance (0: the default 1e-6).
int dcsim_gradcheck(const dcsim_scene *scene, int steps, uint64_t seed, double tolerance, dcsim_report *report,
                    dcsim_error *error);
// Energy, gaps and forces at the initial state.
int dcsim_probe(const dcsim_scene *scene, dcsim_report *report, dcsim_error *error);
// Masses, meshes, initial gaps, the acceleration that the far field alone gives.
int dcsim_check(const dcsim_scene *scene, dcsim_report *report, dcsim_error *error);

// ---- Pictures

typedef struct {
  int width, height, samples;  // 0: 1280 x 720, 16 (4 for a film)
  int every;                   // every so many frames; 0: about 12 pictures in all, every frame of a film
  double eye[3], target[3];    // used when camera_given
  int camera_given;
  const char *
      side;  // "corner", "front", "back", "left", "right", "top": shows everything from there; NULL: the scene's camera
  dcsim_progress_function *progress;  // iteration of iterations; may be NULL
  void *progress_context;
  const char *video;  // write this film (.mp4, .m4v, .mov, .mkv) instead of pictures; NULL: pictures
} dcsim_render_options;

// Draws frames of the run directory into DIR/frames/000000.png ..., or a film in real time by the program ffmpeg, which
// must be in PATH (DCSIM_IO when it is not or when it fails).  Width and height of a film are even.  Options may be
// NULL.
int dcsim_render(const char *directory, const dcsim_render_options *options, dcsim_report *report, dcsim_error *error);

// ---- Runs for other programs and beside each other

// Writes the trajectory of a run directory as format "csv" (a table of the best trajectory, a row per frame), "npz"
// (arrays for NumPy, the first trajectory among them) or "glb" (an animated glTF 2.0 model) to file; NULL:
// DIR/export/trajectory.csv, DIR/export/trajectory.npz, DIR/run.glb.  The file is written completely or not at all.
int dcsim_export(const char *directory, const char *format, const char *file, dcsim_report *report, dcsim_error *error);

// Compares two run directories that have ended: results, rows of loss.csv, trajectories, settings.  DCSIM_UNMET, with a
// report, when rows, trajectories or settings differ; versions, libraries, machines and times may differ.
int dcsim_diff(const char *directory, const char *other, dcsim_report *report, dcsim_error *error);

// Writes DIR/report.html: one page that works offline, with a 3D replay of the best and the first trajectory, contact
// forces, charts of the iterations, scene and provenance.  DCSIM_IO when the run has not ended.  The report names it.
int dcsim_write_report(const char *directory, dcsim_report *report, dcsim_error *error);

// ---- What there is

// Families: "models", "joints", "shapes", "controls", "objectives", "optimizers", or NULL for all; names, summaries,
// options.
int dcsim_list(const char *family, dcsim_report *report, dcsim_error *error);
// JSON Schema (draft 2020-12) of the scene format.
int dcsim_schema(dcsim_report *report, dcsim_error *error);

#ifdef __cplusplus
}
#endif

#endif
