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
  DCSIM_INFEASIBLE = 8,  // in-process calls only: at this start bodies overlap
  DCSIM_STOPPED = 9      // the progress function or the time limit asked to stop; results so far were written
};

typedef struct {
  int status;
  char text[1024];
} dcsim_error;

// Structs that pass between a program and the library begin with their size, so that either may be newer than the
// other: the caller sets it and zeroes the rest, which means "as by default", for instance by
//     dcsim_run_options options = DCSIM_SIZED(dcsim_run_options);
// A size of 0 is wrong usage.  What the library fills is cut off at the caller's size.
#define DCSIM_SIZED(type)                                                                                              \
  {                                                                                                                    \
    .size = sizeof(type)                                                                                               \
  }

// Version of the library as "major.minor.patch"; names and versions of the libraries it uses, one per line.
const char *dcsim_version(void);
const char *dcsim_libraries(void);

// Number of OpenMP threads for all later work, 1024 at most; 0 keeps the default.  Results do not depend on it.
void dcsim_set_threads(int threads);

// Scenes.

typedef struct dcsim_scene dcsim_scene;

typedef struct {
  size_t size;
  const char *model;     // contact model to use instead of the scene's, or NULL
  const char *gradient;  // "adjoint", "fd" or "bundle": how gradients are computed instead of the scene's, or NULL
  int override_count;
  const char *const *overrides;  // "path=value"
  int allowed_path_count;
  const char *const *allowed_paths;  // folders outside the scene's that may be read
  int package_path_count;
  // Folders that hold packages or are some: where package://NAME/... of included robots is looked for; may be read,
  // too.
  const char *const *package_paths;
  int seed_given;
  uint64_t seed;  // replaces the scene's seeds
  // Instead of the scene's "plant", the world that plans are executed in: the name of a contact model, an object as
  // JSON, or "none"; NULL: the scene's.
  const char *plant;
  int confined;  // files below the scene's folder only: neither the data directory nor the folders above
} dcsim_scene_options;

// Reads, checks and builds a scene; options may be NULL.  Release with dcsim_scene_close.
int dcsim_scene_open(const char *path, const dcsim_scene_options *options, dcsim_scene **scene, dcsim_error *error);
// The same from the text of a scene, a string, which is copied.  Files that it names are looked for in base_directory;
// NULL: the working directory.  Messages name places as "text:line:column".
int dcsim_scene_open_text(const char *text, const char *base_directory, const dcsim_scene_options *options,
                          dcsim_scene **scene, dcsim_error *error);
// The same from a run directory: the complete scene that it holds.  A run with links that lead out of it is refused
// (DCSIM_IO); one that another user owns has no links and names no files outside of it.
int dcsim_scene_open_run(const char *directory, const dcsim_scene_options *options, dcsim_scene **scene,
                         dcsim_error *error);
void dcsim_scene_close(dcsim_scene *scene);
const char *dcsim_scene_name(const dcsim_scene *scene);

// How many numbers things of a scene have.  A state q [nq] holds, body after body, the numbers of its joint: lengths in
// m, angles in rad, rotations as unit quaternions w, x, y, z; a free body has the position of its centre of mass, then
// its quaternion.  Tangents and velocities have nv numbers; those of a rotation are a rotation vector w, R <- exp([w]x)
// R, and come first for a free body, which has (w, t).  Vectors of targets have actuators numbers.
typedef struct {
  size_t size;
  int bodies, nq, nv, actuators;
  int steps;         // of the whole scene; 0: a refinement, which has no time
  double time_step;  // s
} dcsim_scene_sizes;
int dcsim_scene_get_sizes(const dcsim_scene *scene, dcsim_scene_sizes *sizes, dcsim_error *error);

// A body and its place in states, tangents and targets: offset and count of its numbers; offset -1, count 0: it has
// none.
typedef struct {
  size_t size;
  const char *name;  // belongs to the scene
  int q, nq, v, nv, actuator, actuators;
  double mass;  // kg; 0: it never moves
} dcsim_scene_body;
int dcsim_scene_get_body(const dcsim_scene *scene, int body, dcsim_scene_body *about, dcsim_error *error);

// The report of a command, for people and as JSON.  Release with dcsim_report_free.
typedef struct {
  char *text, *json;
} dcsim_report;
void dcsim_report_free(dcsim_report *report);

// Makes a text for people, such as a report's or an error's, fit for a terminal: control characters, marks of the
// direction of writing and bytes that are no UTF-8, which names and paths may bring along, become '?'; newlines stay.
// Returns text, which may be NULL.
char *dcsim_make_printable(char *text);

// Simulation and optimization.

struct dcsim_trajectory;  // below

typedef struct {
  int iteration, iterations;  // 0 of 0 where there is nothing to report but that time has passed: other numbers are NAN
  double loss, best_loss, gradient_norm, min_gap, seconds;
  int is_best, backed_off;
  // The unit in which iteration counts.  NULL: iterations.  "step": applied steps of a receding horizon.  "draw": first
  // guesses drawn so far, of the most that are allowed (see "init" of a scene); other numbers are then NAN.  "rollout":
  // rollouts of a portfolio so far, of those it may use.
  const char *unit;
  double fraction;  // of the work of the run that is done, 0 .. 1, as far as can be foreseen; negative: unknown
  // The parameters that loss belongs to, until the function returns; of a receding horizon those of its present window;
  // NULL: the step of a simulation, a draw or a refinement.
  int parameter_count;
  const double *parameters;  // [parameter_count]
  // The trajectory of best_loss, of a receding horizon what has been applied so far; until the function returns, qd is
  // NULL.  NULL: there is none yet.
  const struct dcsim_trajectory *best;
} dcsim_progress;

// Called by a run, a problem or a simulation while it computes, every 0.05 s or so and also within a step, on the
// thread that called it.  Returns 0 to go on; anything else ends the call soon with DCSIM_STOPPED, as a failure.  The
// handle can be used again.
typedef int dcsim_poll_function(void *context);

enum { DCSIM_PROGRESS_CHECKPOINT = -1, DCSIM_PROGRESS_STOP = -2 };

// Called after every iteration of an optimization.  It is also called at these points:
// * in a receding horizon, when the steps of a window have been applied;
// * after every draw of a first guess, as a sign of life: a run stops after the iteration that follows;
// * between the steps of a simulation, with no news but the time: it stops after the step, and the steps so far are its
//   result;
// * repeatedly while a Jacobian is computed, from iteration 1 on: an optimization that is stopped there undoes the
//   iteration, and repeats it when it is resumed.
//
// Returns 0 to continue.  DCSIM_PROGRESS_CHECKPOINT: write a checkpoint (an optimization with a run directory; ignored
// otherwise) and continue.  DCSIM_PROGRESS_STOP: stop after this iteration, as a time limit does.  Anything else stops
// the run after this iteration: results so far are kept, and the value is written to run.json as the exit status (130
// and 143 by custom).
typedef int dcsim_progress_function(void *context, const dcsim_progress *progress);

typedef struct {
  size_t size;
  const char *directory;  // run directory; NULL: runs/<scene name>-<UTC time>; "none": nothing is written
  // Take controls from this run directory, or NULL.  In a scene with a horizon dcsim_simulate replays the run of one in
  // the same windows, as many steps as it executed, when time step, steps and controls are in the scene what they were.
  const char *control_run;
  const char *command_line;  // for run.json, or NULL
  double max_seconds;        // 0: no limit; at least 0
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

  // Called once with the trajectory that the run ends with, before files are written; its arrays live until the
  // function returns, qd is NULL.  May be NULL.
  void (*ended)(void *context, const struct dcsim_trajectory *trajectory);
  void *ended_context;
  // Other processes to share the rollouts of an optimization with; NULL: there are none.  Results do not depend on
  // them.  On another rank than 0 the call rolls out for rank 0 until that calls dcsim_ranks_finish; it uses no other
  // option.
  struct dcsim_ranks *ranks;
  // Put the run in the place of the one that directory holds.  That one is kept as DIR.old until the new one has a
  // result; a directory that holds anything else than a run is refused with DCSIM_IO.
  int overwrite;
  // Leave out what a later look at the run would need: trajectory.h5, run.glb, designed shapes, runs of cases.  No
  // frames then, and no dcsim_write_report.  A simulation leaves run.json alone.
  int results_only;
  // run.json has the exit status DCSIM_UNMET when the task is not reached; the function does not return it.
  int require_success;
  // Called when an optimization begins, once for everything about its task that makes no sense or cannot be reached
  // (docs/advice.md): its symptom and a sentence.  May be NULL.
  void (*warned)(void *context, const char *symptom, const char *says);
  void *warned_context;
  int unadvised;  // give no advice at the end
  // Ends the run in the midst of an iteration, which the progress function does not.  There are no results then; a run
  // directory is left as by a process that was killed, and resuming goes on from its last checkpoint.  Asked until
  // the results are written; refinements do not ask.  May be NULL.
  dcsim_poll_function *poll;
  void *poll_context;
} dcsim_run_options;

// Ranks of MPI, which open the same scene and work on one optimization.
typedef struct dcsim_ranks dcsim_ranks;

// Starts MPI when asked, or when a launcher of MPI (mpirun, srun) has started the program; *ranks stays NULL where
// there is one process only.  Ranks of one machine then share its cores: the number of threads becomes that of each.
// program: path of the calling program, beside which the module dcsim-mpi.so is looked for, too, or NULL.  DCSIM_USAGE
// when this build or machine has no MPI.  Once in a process.
int dcsim_ranks_start(const char *program, int asked, dcsim_ranks **ranks, dcsim_error *error);
// The number of this rank, 0 for NULL.
int dcsim_ranks_number(const dcsim_ranks *ranks);
// Every rank must, after its last call with ranks; NULL is allowed.  status and why (or NULL): how a rank other than 0
// failed, before or in its call; rank 0 then fails with them.  Rank 0 ends the work of the others.
void dcsim_ranks_finish(dcsim_ranks *ranks, int status, const char *why);

// A receding horizon stops before the scene's last step when everything is reached; its loss is that of the last frame.
typedef struct {
  size_t size;
  int success;  // every objective reached at the end
  double loss, initial_loss;
  int iterations, steps, unconverged_steps;
  int divided_steps;  // solved in parts, where bodies would have passed through each other or nothing converged
  double seconds, seconds_per_step, newton_iterations_per_step, min_gap;
  double evaluations_per_step, seconds_per_evaluation;  // of the contact, with gradient and Hessian
  char directory[4096];                                 // "" when nothing was written
  char warning[1024];                                   // what could not be done beside the run itself, or ""
  // For an optimization in one piece whose result was then executed in the scene's plant: whether every objective is
  // reached there; -1: there was no such execution.  For other runs in a plant, success is about the plant itself.
  int plant_success;
  int64_t rollouts;  // of the whole scene or of windows: those of estimated gradients, draws and samples, too
} dcsim_result;

// Roll the scene out once with its initial controls, or those of control_run / minimize its loss.  report may be NULL.
int dcsim_simulate(const dcsim_scene *scene, const dcsim_run_options *options, dcsim_result *result,
                   dcsim_report *report, dcsim_error *error);
int dcsim_optimize(const dcsim_scene *scene, const dcsim_run_options *options, dcsim_result *result,
                   dcsim_report *report, dcsim_error *error);

// A problem: the loss of a scene as a function of its parameters, rolled out in one piece (a receding horizon, a first
// guess to be drawn and the scene's optimizer play no part).  A handle is for one thread at a time; several, of one
// scene or of others, may be used by as many threads.  The scene must outlive it.  Evaluations are pure functions of x:
// they give the same bits in any order.
typedef struct dcsim_problem dcsim_problem;

enum { DCSIM_POSE = 16 };  // doubles: position (3, m), unit quaternion (4: w, x, y, z), rotation matrix (9, row by row)

// The arrays of a trajectory, frame 0 the start.  They belong to the handle; their numbers hold until its next call.
typedef struct dcsim_trajectory {
  size_t size;
  int steps, bodies, nq, nv;
  double time_step;     // s
  const double *poses;  // [steps + 1][bodies][DCSIM_POSE], of the bodies' centres of mass
  const double *q;      // [steps + 1][nq]
  const double *qd;     // [steps + 1][nv] velocities with which a simulation would go on; NULL inside of an objective
  const double
      *min_gap;       // [steps + 1] m, of a frame the smallest one since the frame before; INFINITY: nothing can meet
  int divided_steps;  // solved in parts, where bodies would have passed through each other or nothing converged
} dcsim_trajectory;

// An objective of the caller's.  It stores its value, which is added to the loss.  Unless wrenches is NULL, it also
// adds its derivatives.  Those by the twists (w, t) of the bodies about their centres of mass, rotation first, go to
// wrenches [steps + 1][bodies][6].  Those by the tangents of the states go to forces [steps + 1][nv].  Either may be
// used for a pose, but not both.
// Returns 0; anything else ends the evaluation with DCSIM_STOPPED.  Estimated gradients ("fd", "bundle") call it from
// several threads at once.
typedef int dcsim_objective_function(void *context, const dcsim_trajectory *trajectory, double *value, double *wrenches,
                                     double *forces);

typedef struct {
  size_t size;
  int steps;  // fewer than the scene has; 0: all
  dcsim_objective_function *objective;
  void *objective_context;
  int only_objective;  // leave the scene's objectives out
} dcsim_problem_options;

// options may be NULL.  DCSIM_BAD_INPUT for a refinement, DCSIM_MEMORY.  *problem is NULL after a failure.
int dcsim_problem_create(const dcsim_scene *scene, const dcsim_problem_options *options, dcsim_problem **problem,
                         dcsim_error *error);
void dcsim_problem_destroy(dcsim_problem *problem);
// poll NULL: nobody is asked, as at first.
void dcsim_problem_set_poll(dcsim_problem *problem, dcsim_poll_function *poll, void *context);
int dcsim_problem_dimension(const dcsim_problem *problem);
// Each array [dimension]; any of them may be NULL.  Initial parameters as the scene gives them.  Bounds hold at every
// minimum sought: -INFINITY and INFINITY where there is none.  Groups: parameters that belong together, such as the
// coordinates of an actuator in a step, have the same number, from 0.
void dcsim_problem_initial(const dcsim_problem *problem, double *x);
void dcsim_problem_bounds(const dcsim_problem *problem, double *low, double *high);
void dcsim_problem_groups(const dcsim_problem *problem, int *group);
// Writes the name of parameter i, such as "cue.velocity.x", cut off to size bytes with the NUL at the end.
void dcsim_problem_name(const dcsim_problem *problem, int i, char *name, size_t size);
// The unit of what parameter i sets, such as "m/s" or "N m"; "1" of a pure number, such as the logarithm of the factor
// of a design number.  *scale, unless NULL: by how much of it a parameter of 1 changes that.
const char *dcsim_problem_unit(const dcsim_problem *problem, int i, double *scale);

// The loss at x [dimension] and, unless NULL, its gradient [dimension], as the scene says ("gradient").
// DCSIM_INFEASIBLE: bodies overlap at the start; DCSIM_NUMERICAL: a step or the gradient failed, or something is not
// finite; DCSIM_STOPPED: the objective or the poll function said so; DCSIM_MEMORY.  After a failure loss and gradient
// are not changed and there is no trajectory.
int dcsim_problem_evaluate(dcsim_problem *problem, const double *x, double *loss, double *gradient, dcsim_error *error);
// The loss as a sum over residual rows.  d = 0 is the target; a group of rows contributes its weight times the squared
// distance of d from a set about 0, a disc of some radius or a box of half widths (docs/theory.md, "Products").  The
// arrays belong to the handle; their numbers are valid until its next linearization.
typedef struct {
  size_t size;
  int rows, dimension;
  const double *residual;  // [rows] d
  const double *weight;    // [rows] that of the group
  const int *group;        // [rows] which rows belong together, from 0
  const double *radius;    // [rows] of the disc; 0: none, or a box
  const double *half;      // [rows] half width of the box; 0 where there is a disc
  const double *jacobian;  // [rows][dimension] of d by the parameters, row by row
} dcsim_linearization;
// Rows at x [dimension] and their Jacobian, exact whatever "gradient" of the scene says.  DCSIM_BAD_INPUT when an
// objective, such as one of the caller's, has no rows or the contact model has no adjoint; else as of
// dcsim_problem_evaluate.  Rolls out unless x was evaluated last.
int dcsim_problem_linearize(dcsim_problem *problem, const double *x, dcsim_linearization *linearization,
                            dcsim_error *error);
// The same rows without the Jacobian J: jacobian is NULL.  The two functions after it compute products with J without
// forming it, for problems with many rows and many parameters.  product [rows] = J direction [dimension] takes one
// tangent of the rollout; product [dimension] = J^T weights [rows] takes one adjoint.  Statuses and rollouts as above.
int dcsim_problem_find_rows(dcsim_problem *problem, const double *x, dcsim_linearization *linearization,
                            dcsim_error *error);
int dcsim_problem_push_forward(dcsim_problem *problem, const double *x, const double *direction, double *product,
                               dcsim_error *error);
int dcsim_problem_pull_back(dcsim_problem *problem, const double *x, const double *weights, double *product,
                            dcsim_error *error);
// The trajectory of the last evaluation.  DCSIM_USAGE when there is none.
int dcsim_problem_get_trajectory(dcsim_problem *problem, dcsim_trajectory *trajectory, dcsim_error *error);

// Contact at frames of a trajectory, pair by pair.  Wrenches are torque (N m, about the centre of mass) and force (N)
// on the first body, then on the second one; the direction of the force on the first is the pair's normal.  The arrays
// belong to the handle; their numbers hold until its next call.
typedef struct {
  size_t size;
  int frames, pairs;
  const int (*bodies)[2];          // [pairs] which bodies
  const double *gaps;              // [frames][pairs] m, lower bounds of the distances
  const double (*wrenches)[2][6];  // [frames][pairs] of the contact potential less restitution
  const double (*friction)[2][6];  // [frames][pairs] of friction in the step before the frame; zeros at the first
} dcsim_contacts;
// Contacts of all frames of the last evaluation, at about the cost of one evaluation of contact per frame.
// DCSIM_BAD_INPUT when the contact model does not offer its forces (mujoco); DCSIM_USAGE, DCSIM_MEMORY.
int dcsim_problem_get_contacts(dcsim_problem *problem, dcsim_contacts *contacts, dcsim_error *error);

// Step by step: x' = f(x, u), x = (q, qd).  A step is a pure function of the state, the targets and the forces; the
// controls and objectives of the scene play no part.  Threads, scene and lifetimes are as for a problem.
typedef struct dcsim_simulation dcsim_simulation;
// At the start of the scene.  DCSIM_BAD_INPUT for a refinement, and for the integrator second_order, whose steps are no
// functions of the state alone; DCSIM_MEMORY.
int dcsim_simulation_create(const dcsim_scene *scene, dcsim_simulation **simulation, dcsim_error *error);
void dcsim_simulation_destroy(dcsim_simulation *simulation);
// The same for a step and its derivatives; a step that is ended leaves the state as it was.
void dcsim_simulation_set_poll(dcsim_simulation *simulation, dcsim_poll_function *poll, void *context);
// q [nq], qd [nv]; NULL: those of the scene's start.  Quaternions are normalized.  DCSIM_USAGE when a number is not
// finite or a quaternion is far (1e-3) from unit length; the state is then as before.
int dcsim_simulation_set_state(dcsim_simulation *simulation, const double *q, const double *qd, dcsim_error *error);
// Copies the state into q [nq] and qd [nv]; either may be NULL.
void dcsim_simulation_get_state(const dcsim_simulation *simulation, double *q, double *qd);
// Takes one step with actuator targets at its end, [actuators] each: displacements from the scene's start (m, rad; a
// rotation vector) and velocities, and generalized forces [nv] held over the step, N and N m.  Forces act on degrees of
// freedom as velocities count them; for a rotation they are a torque in the axes of its rotation vectors, about the
// centre of mass of a free body.  NULL: zeros.  DCSIM_INFEASIBLE: bodies overlap before the step; DCSIM_NUMERICAL: the
// step failed; the state is then as before.
int dcsim_simulation_step(dcsim_simulation *simulation, const double *target, const double *target_velocity,
                          const double *force, dcsim_error *error);
// The trajectory of the last step: one step, two frames; and contact at both.  As for a problem.
int dcsim_simulation_get_trajectory(dcsim_simulation *simulation, dcsim_trajectory *trajectory, dcsim_error *error);
int dcsim_simulation_get_contacts(dcsim_simulation *simulation, dcsim_contacts *contacts, dcsim_error *error);
// The derivatives of the last step: dx' = A dx + B du, dx = (tangent of q, dqd), u = (targets, target velocities,
// forces): a [2 nv][2 nv] and b [2 nv][2 actuators + nv], row by row, copied.  Exact for a step that is solved exactly:
// lower "solver.tolerance" of the scene for digits where contact is stiff.  DCSIM_USAGE when there was no step,
// DCSIM_BAD_INPUT for a contact model without derivatives, DCSIM_NUMERICAL, DCSIM_MEMORY.
int dcsim_simulation_linearize(dcsim_simulation *simulation, double *a, double *b, dcsim_error *error);

// Sweeps: many runs of one scene, described by a study (see dcsim-sweep(1)).

typedef struct {
  size_t size;
  long points, done, running, failed, reached;  // failed and reached are of those done; running: processes
  int checking;                                 // scenes are being opened, nothing runs yet
  double seconds, seconds_left;                 // of this call; left as long as it goes on as so far, negative: unknown
} dcsim_sweep_progress;

// Called several times a second.  Returns 0 to go on; anything else stops the sweep: runs write their checkpoints.
typedef int dcsim_sweep_progress_function(void *context, const dcsim_sweep_progress *progress);

typedef struct {
  size_t size;
  const char *directory;  // where everything is written; what another call left there unfinished goes on
  const char *program;    // path of the program dcsim, which each point is a process of
  int jobs;               // runs side by side; 0: as many as the process has processors
  int threads;            // of each run; 0: 1
  int task, tasks;        // only the points k with k % tasks == task % tasks, without tables; 0, 0: all
  int gather;             // run nothing: tables of what there is
  int retry;              // run points again that have failed
  int ranks;  // 1: share the points with the ranks of MPI, also when no launcher of MPI has started the program
  double max_seconds;  // 0: no limit; runs are asked for their checkpoints a tenth of it, at most 30 s, before it
  dcsim_sweep_progress_function *progress;
  void *progress_context;
} dcsim_sweep_options;

// Runs the points of the study at path that have not been run.  A point that fails is a row with its status.
// DCSIM_STOPPED: the limit or the progress function ended it, or what was gathered is not complete; the same call goes
// on.  DCSIM_BAD_INPUT: the study, or the scene of its first bad point; nothing is created then.  DCSIM_CHECKPOINT: the
// directory holds another study.  DCSIM_IO: also when a point's run could not write; the same call goes on when the
// cause is gone.
int dcsim_sweep(const char *study, const dcsim_sweep_options *options, dcsim_report *report, dcsim_error *error);

typedef struct {
  size_t size;
  int verify;  // certify runs that have no certificate, quickly (dcsim_verify)
} dcsim_dataset_options;

// Writes DIRECTORY/dataset.h5 of the runs of a sweep that have ended: their trajectories as demonstrations, in the
// layout of robomimic, with their certificates, and dataset.zarr.zip in that of Diffusion Policy (docs/dataset.md).
// options may be NULL.  DCSIM_BAD_INPUT: there are no runs, none has ended well, they have no actions, or their bodies
// and joints differ.
int dcsim_dataset(const char *directory, const dcsim_dataset_options *options, dcsim_report *report, dcsim_error *error);

// Looking into a scene.

// Adjoint against central differences and a Taylor test; steps > 0 shortens the scene.  DCSIM_UNMET when the gradient
// is not confirmed, "confirmed" in JSON: an error is over tolerance (0: the default 1e-6), conclusively or not,
// products of derivatives do not agree, or all differences straddle a change of division.
int dcsim_gradcheck(const dcsim_scene *scene, int steps, uint64_t seed, double tolerance, dcsim_report *report,
                    dcsim_error *error);
// Energy, gaps and forces at the initial state.
int dcsim_probe(const dcsim_scene *scene, dcsim_report *report, dcsim_error *error);

// Factors on all softnesses of contact manifolds, 1e-3 to 1e3; 0: 1.  gradient_softness: of the derivatives
// alone, which are then those of the manifold of that softness; 0: the same as softness.
typedef struct {
  size_t size;
  double softness, gradient_softness;
} dcsim_query_options;

// Contact manifolds of all bodies that may touch, at the initial state: points, normals, signed distances, activities,
// and derivatives of distances by the twists of both bodies (paper 001).  Unless path is NULL they are also written as
// NPZ file to path; a path that ends in .png becomes a picture of them, from blue at rest to red for active ones.
// options may be NULL.  DCSIM_USAGE when a factor is out of range; DCSIM_BAD_INPUT when a shape has no signed distance,
// or a mesh does not fit its own.
int dcsim_query(const dcsim_scene *scene, const char *path, const dcsim_query_options *options, dcsim_report *report,
                dcsim_error *error);
// Reads a robot's URDF or MJCF file like the include of a scene, or a scene (*.json) with its includes.  Writes the
// resulting scene, with every default, to the file output, and its meshes to the folder "meshes" beside it.  options
// may be NULL.
int dcsim_import(const char *file, const dcsim_scene_options *options, const char *output, dcsim_report *report,
                 dcsim_error *error);
// Masses, meshes, initial gaps, the acceleration that the far field alone gives.
int dcsim_check(const dcsim_scene *scene, dcsim_report *report, dcsim_error *error);

// Pictures.

typedef struct {
  size_t size;
  int width, height, samples;  // 0: 1280 x 720, 16 (4 for a film)
  int every;                   // every so many frames; 0: about 12 pictures in all, every frame of a film
  double eye[3], target[3];    // used when camera_given
  int camera_given;
  const char *
      side;  // "corner", "front", "back", "left", "right", "top": shows everything from there; NULL: the scene's camera
  dcsim_progress_function *progress;  // iteration of iterations; may be NULL
  void *progress_context;
  const char *video;  // write this film (.mp4, .m4v, .mov, .mkv) instead of pictures; NULL: pictures
  // Drawn besides: lines on the ground at 1, 2 or 5 times a power of ten metres; contacts and their forces, if the run
  // has them; the ways of bodies through space; name, time, loss, and what arrows and lines stand for.
  int grid, contacts, trails, annotate;
  const char *follow;  // the camera keeps its place relative to this body's centre; NULL: it stands
  double orbit_deg;    // it turns about the vertical through its target by this from the first to the last picture
} dcsim_render_options;

// Draws frames of the run directory into DIR/frames/000000.png ..., or a film in real time by the program ffmpeg, which
// must be in PATH (DCSIM_IO when it is not or when it fails).  Width and height of a film are even.  Options may be
// NULL.
int dcsim_render(const char *directory, const dcsim_render_options *options, dcsim_report *report, dcsim_error *error);

// Watching a run.

// A page about a run under way: replay of the best so far, curves, log, and buttons to pause, stop and write a
// checkpoint.  It is served on 127.0.0.1 only, to who knows the token in its address, by a thread of its own; its
// memory does not grow with the run.
typedef struct dcsim_view dcsim_view;

// port 0: any that is free.  The scene must outlive the view.  DCSIM_USAGE: this build has no live view; DCSIM_IO: the
// port cannot be had; DCSIM_MEMORY.  *view is NULL after a failure.
int dcsim_view_start(const dcsim_scene *scene, int port, dcsim_view **view, dcsim_error *error);
const char *dcsim_view_address(const dcsim_view *view);
// To be called by a progress function with what it was told.  What was asked for on the page: 0: nothing,
// DCSIM_PROGRESS_CHECKPOINT or DCSIM_PROGRESS_STOP; progress NULL: nothing new, only that.  While dcsim_view_is_paused
// the progress function should not return.
int dcsim_view_observe(dcsim_view *view, const dcsim_progress *progress);
int dcsim_view_is_paused(dcsim_view *view);
// Adds a line to the log on the page.
void dcsim_view_log(dcsim_view *view, const char *line);
// The run is over, for words; its run directory, whose report the page then refers to, or NULL.  Returns when a page
// that is open has been told, after 3 s at most.
void dcsim_view_end(dcsim_view *view, const char *directory, const char *words);
// NULL is allowed.
void dcsim_view_stop(dcsim_view *view);

typedef struct {
  size_t size;
  int port;  // 0: any that is free
  // Called once with the address, and then several times a second; anything but 0 ends watching.
  int (*watching)(void *context, const char *address);
  void *context;
} dcsim_watch_options;

// Serves the same page about the run in a directory, which another process may be writing: rows as they come, and the
// best trajectory, which is rolled out here when there is a new one.  Buttons send signals to the process that writes.
// Returns when told so.  Statuses of dcsim_scene_open and dcsim_view_start.
int dcsim_watch(const char *directory, const dcsim_watch_options *options, dcsim_error *error);

// Serves a page of the start of the scene at path: sliders for the places and turns of free bodies and for joints, gaps
// between bodies, targets.  Its button "Save" writes "position", "rotation" and "joint_position" into the file, whose
// other text stays as it is.  scene_options: as of dcsim_scene_open; what they override is not written.  Returns when
// told so.  Statuses of dcsim_scene_open and dcsim_view_start.
int dcsim_place(const char *path, const dcsim_scene_options *scene_options, const dcsim_watch_options *options,
                dcsim_error *error);

// Runs for other programs and beside each other.

// Writes the trajectory of a run directory to file.  Formats: "csv" (a table of the best trajectory, one row per
// frame), "npz" (arrays for NumPy, including the first trajectory), "glb" (an animated glTF 2.0 model).  file NULL:
// DIR/export/trajectory.csv, DIR/export/trajectory.npz, DIR/run.glb.  The file is written completely or not at all.
// Formats "mjcf" and "urdf" write the model at its start: DIR/export/model.xml and DIR/export/model.urdf.  Meshes and
// pairs that do not touch are written beside it ("_meshes/" and ".srdf" instead of the extension).  directory may then
// also be a scene file, if file is given.
int dcsim_export(const char *directory, const char *format, const char *file, dcsim_report *report, dcsim_error *error);

// Compares two run directories that have ended: results, rows of loss.csv, trajectories, settings.  DCSIM_UNMET, with a
// report, when rows, trajectories or settings differ; versions, libraries, machines and times may differ.
int dcsim_diff(const char *directory, const char *other, dcsim_report *report, dcsim_error *error);

typedef struct {
  size_t size;
  int draws;                          // perturbed starts; 0: 16, of a quick one 4; negative: none
  int directions;                     // along which the gradient is checked; 0: 4, of a quick one 2; negative: none
  int quick;                          // fewer of both, and no loops are closed
  uint64_t seed;                      // of draws and directions
  const char *file;                   // where the certificate is written; NULL: DIR/certificate.json; "none": nowhere
  dcsim_progress_function *progress;  // after every check, "check"; other numbers are NAN; may be NULL
  void *progress_context;
  int closed_draws;  // perturbed starts in closed loop too, of a receding horizon, each as long as the run; not if quick
  int untrusted;     // the run of a stranger: nothing outside of it is read, and it has no links
} dcsim_verify_options;

// Certifies the run in a directory: whether its trajectory comes out of its controls again, surfaces meet, the adjoint
// agrees with differences, steps are solved, impulses come from afar, and the task is reached from perturbed starts and
// in other worlds.  Writes the certificate, completely or not at all; the report is its JSON.  DCSIM_UNMET, with a
// report, when something does not hold that the scene demands ("certify"); DCSIM_IO when the run has not ended or
// cannot be read, DCSIM_STOPPED when the progress function said so: nothing is written then.  options may be NULL.
int dcsim_verify(const char *directory, const dcsim_verify_options *options, dcsim_report *report, dcsim_error *error);

// Writes DIR/report.html: one page that works offline, with a 3D replay of the best and the first trajectory, contact
// forces, charts of the iterations, scene and provenance.  DCSIM_IO when the run has not ended.  The report names it.
int dcsim_write_report(const char *directory, dcsim_report *report, dcsim_error *error);

// The same page for several runs, with a table of them and their losses in one chart, of which one is shown at a time.
// count runs, at least 1; of several the page is DIR/comparison.html in the directory of the first.  A single run with
// cases has its other worlds on the page in this way.
int dcsim_write_comparison(int count, const char *const *directories, dcsim_report *report, dcsim_error *error);

// Lists and versions.

// Families: "models", "joints", "shapes", "controls", "objectives", "optimizers", or NULL for all; names, summaries,
// options.
int dcsim_list(const char *family, dcsim_report *report, dcsim_error *error);
// JSON Schema (draft 2020-12) of the scene format.
int dcsim_schema(dcsim_report *report, dcsim_error *error);

#ifdef __cplusplus
}
#endif

#endif
