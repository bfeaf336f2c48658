// SPDX-License-Identifier: Apache-2.0
// Run directories: what a run leaves behind, and reading it back.
//
// Numbers in text files have 17 significant digits and read back bit for bit.  A number that is not finite (min_gap
// without any pair of bodies) is an empty field in loss.csv and null in JSON.
#ifndef DC_IO_RUN_H
#define DC_IO_RUN_H

#include "dynamics/readout.h"
#include "io/run/motion_columns.h"
#include "io/run/run_files.h"
#include "io/scene/scene.h"

// A run directory being written.  Every function returns DC_IO with the file's name on failure (DC_MEMORY when out of
// memory); files are written completely (fsync, close checked) to a temporary name and renamed, except loss.csv and
// progress.jsonl, which grow line by line.
struct dc_run;

// Creates directory (parents included; it must not hold files of a run already) with scene.json, resolved.json, the
// meshes (in DIR/meshes, which "file" in resolved.json names) and loss.csv with its header.  A lock on DIR/.lock
// keeps a second writer out; the system releases it when the process ends, however it ends.  On failure *run is NULL
// and what was made is taken back.  bare: without all these files and without rows, for run.json alone.
enum dc_status dc_run_create(const char *directory, const struct dc_scene *scene, bool bare, struct dc_run **run,
                             struct dc_error *error);
// The first of DIR-2, DIR-3 ... that is free.
void dc_run_find_free(const char *directory, char *name, size_t size);

// DC_IO where a directory holds anything that no run leaves.
enum dc_status dc_run_check_members(const char *directory, struct dc_error *error);

// Moves the run in directory aside, to DIR.old, whose name comes to aside [size]; "" when there is no run.  DC_IO when
// the directory holds anything else, another process writes it or DIR.old is there.
enum dc_status dc_run_set_aside(const char *directory, char *aside, size_t size, struct dc_error *error);
// Whether a process, this one included, writes the run in directory.  Takes no memory.
bool dc_run_is_written(const char *directory);
// Moves it back; removes it.
void dc_run_take_back(const char *aside, const char *directory);
void dc_run_discard(const char *aside);

const char *dc_run_directory(const struct dc_run *run);
// Whether that is still the directory that was opened: not removed, moved or replaced by another.
bool dc_run_is_in_place(const struct dc_run *run);

// Opens a run directory again to go on after its first rows rows: takes the lock, cuts loss.csv and progress.jsonl off
// behind these rows and removes temporary files that a killed process left.  When scene is not what resolved.json and
// meshes/ hold, these and scene.json are replaced.  DC_CHECKPOINT when there are fewer rows or no header.  After a
// failure *run is NULL and the lock is released.
enum dc_status dc_run_reopen(const char *directory, const struct dc_scene *scene, long rows, struct dc_run **run,
                             struct dc_error *error);

// Whether directory has the scene of a run and no checkpoint: the run was killed before its first one.
bool dc_run_was_cut_short(const char *directory);
// Opens such a directory: what a run begins with is completed, or made again.  DC_CHECKPOINT when loss.csv has rows,
// DC_IO when a file is there that comes later.  Else as dc_run_reopen.
enum dc_status dc_run_begin_again(const char *directory, const struct dc_scene *scene, struct dc_run **run,
                                  struct dc_error *error);

// Adds one line to loss.csv and to progress.jsonl (which alone has seconds, parameters and terms), or, on failure, to
// neither: the call may be repeated.  DC_IO also when the directory is no longer the one that was opened.
enum dc_status dc_run_add_row(struct dc_run *run, const struct dc_plan_iteration *row, struct dc_error *error);

// Replaces DIR/name by a file of these bytes, as all below.  DC_IO also when the directory is no longer the one that
// was opened: what is there now belongs to somebody else.
enum dc_status dc_run_write_file(struct dc_run *run, const char *name, const void *bytes, size_t size,
                                 struct dc_error *error);

// The directory itself, for names in it, as long as the run is open.  DC_IO when it is no longer the one that was
// opened.
enum dc_status dc_run_folder(const struct dc_run *run, int *folder, struct dc_error *error);

// Memory of so many bytes, zeroed, in a file without a name below DIR: it is gone when the memory is, or the process.
enum dc_status dc_run_spool(struct dc_run *run, size_t size, struct dc_mapped_file *file, struct dc_error *error);

// DIR/name being made piece by piece in size bytes of memory, more than it needs; path is for messages.
struct dc_run_image {
  struct dc_mapped_file memory;
  struct dc_new_file file;
  char *path;
};
enum dc_status dc_run_image_begin(struct dc_run *run, const char *name, size_t size, struct dc_run_image *image,
                                  struct dc_error *error);
// With status DC_OK the file is the first size bytes; otherwise it is taken back.  Returns status, DC_IO.
enum dc_status dc_run_image_end(struct dc_run *run, const char *name, struct dc_run_image *image, size_t size,
                                enum dc_status status, struct dc_error *error);

// Makes the rows so far durable; DC_IO.
enum dc_status dc_run_sync(struct dc_run *run, struct dc_error *error);

// The inputs and contacts of the best trajectory, from which its forces are computed while they are written.
struct dc_run_readout {
  const struct dc_model *model;
  const struct dc_rollout_input *input;    // with targets of all its steps
  const struct dc_contact_list *contacts;  // NULL: not known
};

// Writes trajectory.h5, or replaces it, with these datasets:
//     /time [F]                         s
//     /bodies/NAME/position [F,3]       of the centre of mass, m, of every body
//     /bodies/NAME/rotation [F,4]       quaternion w, x, y, z
//     /joints/NAME [F,n]                numbers of the state of bodies whose joint is neither free nor fixed
//     /control [K]                      parameters of a run of F - 1 steps
//     /contact/min_gap [F]              m; left out when no two bodies can meet
// and the same below /first for the first trajectory (first may be NULL).  With targets of a receding horizon (may be
// NULL; as many steps as best has):
//     /targets/position, velocity [F-1,A]
//     /targets/apply [1]
// With readout (may be NULL), of the best trajectory, each only when there are any numbers:
//     /coordinates/q, qd, torque, target [F,...]    io/run/motion_columns.h
//     /contacts/frame [M], bodies [M,2]             indices of the two bodies
//     /contacts/gap [M], force, friction [M,3]      struct dc_contact_entry
//
// Attributes: "unit" of each dataset ("s", "m", "1"), "format" and "name" of the root.  /joints/NAME and /targets have
// a unit for each number, "rad" for hinges, up to 4000; /control has "names" instead, up to 4000.  In NAME "%" is
// written "%25", "/" "%2F", and a body named "." is "%2E".  The first 512 bytes (HDF5 user block) hold size and hash of
// the rest.  The same data give the same bytes.  DC_NUMERICAL when a number is not finite; the file is then as before.
enum dc_status dc_run_write_trajectory(struct dc_run *run, const struct dc_scene *scene,
                                       const struct dc_trajectory *best, const double *best_parameters,
                                       const struct dc_trajectory *first, const double *first_parameters,
                                       const struct dc_applied_targets *targets, const struct dc_run_readout *readout,
                                       struct dc_error *error);

// DC_MEMORY, with the place in the scene, when the file of a whole run might be too large to be written and read.
enum dc_status dc_run_check_size(const struct dc_scene *scene, struct dc_error *error);

// Writes the results of a run whose design moves shapes; nothing for other scenes:
// * design.csv: for each row of progress.jsonl the numbers of the design, and mass and volume of every designed body;
// * design/BODY.obj and design/BODY.stl: every body whose vertices the design moves;
// * design/scene.json: the scene with this design built in.
//
// `parameters` are those of a run of so many steps.
enum dc_status dc_run_write_design(struct dc_run *run, const struct dc_scene *scene, int steps,
                                   const double *parameters, struct dc_error *error);

struct dc_run_summary {
  const char *version;  // of the program
  const char *command;  // the command line, or NULL
  uint64_t seed;
  int threads;
  const char *vector_width;  // "avx512", "avx2", "baseline"
  const char *blas_core;     // core type that OpenBLAS has kernels for
  const char *started;       // UTC
  double seconds;
  int exit_status;
  bool stopped;                  // by a signal or a limit, before it was done
  const char *const *libraries;  // name, version, …, NULL; cJSON and HDF5 are added here; may be NULL
  const char *result_json;       // the object that --json prints; NULL: none
};
// run.json (replaced when there).
enum dc_status dc_run_write_summary(struct dc_run *run, const struct dc_scene *scene,
                                    const struct dc_run_summary *summary, struct dc_error *error);

// The result in run.json.
struct dc_run_result {
  bool success;
  double loss, initial_loss, min_gap;  // NAN where there is none
  long iterations, steps;
  long rollouts;     // -1: the run is no optimization
  double seconds;    // of the whole run
  int exit_status;   // that the run ended with
  bool stopped;      // before it was done
  bool transferred;  // the trajectory is the plan's, which was executed in the scene's plant afterwards
};
// DC_BAD_INPUT, DC_IO, DC_MEMORY: also when the run has not ended and there is no result.
enum dc_status dc_run_read_result(const char *directory, struct dc_run_result *result, struct dc_error *error);

// Syncs and closes files (checked), releases the lock.  The run is gone afterwards, also on failure; NULL is allowed.
enum dc_status dc_run_close(struct dc_run *run, struct dc_error *error);

// The numbers of a body's joint that is neither free nor fixed.
struct dc_stored_joint {
  int body, width;     // index of the body, numbers in a frame
  const char *link;    // name of the body as the file has it
  const char **units;  // [width]
  double *values;      // [frames][width]
};

// Member k of kept ones spread evenly over count, the first and the last among them.
int dc_evenly_spaced(int k, int kept, int count);

// Contact as stored, whatever frames are kept: a row for every pair of bodies at every frame of the file at which it
// matters.
struct dc_stored_contacts {
  int count;
  double *frame;     // [count] from 0, increasing
  double *bodies;    // [count][2] indices
  double *gap;       // [count] m
  double *force;     // [count][3] N, on the first body
  double *friction;  // [count][3] N
};

// A trajectory as stored: poses of every body per frame.
struct dc_stored_trajectory {
  struct dc_arena *arena;
  int frames, bodies;
  int all_frames;      // in the file
  int control_count;   // parameters of a run of all_frames - 1 steps
  double *time;        // [frames]
  double *position;    // [frames][bodies][3], of the centre of mass
  double *quaternion;  // [frames][bodies][4]
  double *control;     // [control_count]
  double *min_gap;     // [frames]; NULL: no two bodies can meet
  double *nodes;       // [frames][3 node_count] places of all nodes, soft body after soft body, m; NULL without
  int joint_count;
  struct dc_stored_joint *joints;  // [joint_count], in the order of bodies
  double *motion[DC_MOTIONS];      // [frames][dc_motion_columns] each; NULL: not there
  struct dc_stored_contacts contacts;
  // Targets that a receding horizon applied; zeros: the run had none, or the scene has another number of actuated
  // coordinates.
  struct dc_applied_targets targets;
};
// Reads DIR/trajectory.h5 for the bodies of scene (read from DIR/resolved.json).  Everything is owned by
// trajectory->arena, which the caller destroys; zeroed on failure.  DC_IO: unreadable, damaged or of another format;
// DC_BAD_INPUT: does not fit the scene or holds impossible numbers; DC_MEMORY.
enum dc_status dc_run_read_trajectory(const char *directory, const struct dc_scene *scene,
                                      struct dc_stored_trajectory *trajectory, struct dc_error *error);
// The same for the first trajectory, /first; a file without one gives no frames.
enum dc_status dc_run_read_first_trajectory(const char *directory, const struct dc_scene *scene,
                                            struct dc_stored_trajectory *trajectory, struct dc_error *error);

// Times and poses of bodies [count], by their names, from the file at path, a trajectory.h5 of any scene: it has no
// more than these; the rest is zero.  Statuses as above; DC_BAD_INPUT when a body is not there.
enum dc_status dc_run_read_poses(const char *path, int count, const char *const *names,
                                 struct dc_stored_trajectory *trajectory, struct dc_error *error);

// Either of them with at most most_frames (>= 2) frames: of more, as many evenly spread, the first and the last among
// them.  Memory is in proportion to these.
enum dc_status dc_run_read_thinned(const char *directory, const struct dc_scene *scene, bool first, int most_frames,
                                   struct dc_stored_trajectory *trajectory, struct dc_error *error);

// Whether the motion and the contacts that a file holds are those that it would hold of a trajectory of at least as
// many frames, bit for bit.  *frame: the first in which they differ, in the table *name; -1: none.  A file without a
// table, and contacts that are not known, are not compared.  DC_MEMORY.
enum dc_status dc_run_compare_readout(const struct dc_stored_trajectory *stored, const struct dc_trajectory *trajectory,
                                      const struct dc_run_readout *readout, const char **name, int *frame);

// Whether DIR/resolved.json has the controls of scene and, with at_its_times, its time step and number of steps.  A
// file that is missing or unreadable has not.
bool dc_run_has_controls_of(const char *directory, const struct dc_scene *scene, bool at_its_times);

// The overlay that the scene of a run, as it was read, has for a contact model, as overrides "path=value", one for each
// value: DIR/resolved.json has only what was chosen.  Owned by arena; none when there is no overlay.  DC_IO,
// DC_BAD_INPUT, DC_MEMORY.
enum dc_status dc_run_read_overlay(const char *directory, const char *model, struct dc_arena *arena, int *count,
                                   const char ***overrides, struct dc_error *error);

// The hash of its seal, which tells DIR/trajectory.h5 from any other.  DC_IO.
enum dc_status dc_run_hash_trajectory(const char *directory, uint64_t *hash, struct dc_error *error);

extern const char dc_certificate_name[];  // "certificate.json"
// The text of DIR/certificate.json, released with free(); NULL when there is none of the trajectory that is there.
// DC_IO, DC_MEMORY.
enum dc_status dc_run_read_certificate(const char *directory, char **text, struct dc_error *error);

// Reads DIR/name, a text, into *text, released with free().  DC_IO, DC_MEMORY.
enum dc_status dc_run_read_text(const char *directory, const char *name, char **text, struct dc_error *error);
// Whether DIR/name is there.
bool dc_run_has(const char *directory, const char *name);
// The terms that the losses of DIR/progress.jsonl are sums of, as a table: a line "iteration", then one for every row
// that has any, "2,0.5,0.01".  Released with free(); NULL when no row has any.  DC_MEMORY.
enum dc_status dc_run_read_terms(const char *directory, char **table, struct dc_error *error);
// Cuts the text of loss.csv, or such a table, down to its header and at most most (>= 2) rows, evenly spaced, the first
// and the last among them.  *rows: how many there were; *kept: how many stay.  A last line without its end is left out.
void dc_run_thin_rows(char *text, long most, long *rows, long *kept);

#endif
