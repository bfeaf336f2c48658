// SPDX-License-Identifier: Apache-2.0
// Trajectories: the states that a rollout went through, and what its adjoint needs of them.
#ifndef DC_DYNAMICS_TRAJECTORY_H
#define DC_DYNAMICS_TRAJECTORY_H

#include "base/mapped_file.h"
#include "dynamics/model.h"

// The states inside of divided steps, in order of time (docs/theory.md, "Divided steps").
struct dc_between {
  int count;
  double *at;                         // [count] part of the step that lies before the state, a multiple of 2^-30
  double *q;                          // [count][nq]
  struct dc_pair_derivatives *pairs;  // [count][pair_count] of the contact there, when the trajectory has a tape
  int *remembers;                     // [count] number of the memory that was left there (dc_memories), 0: nothing
  size_t at_capacity, q_capacity, pair_capacity, remembers_capacity;
};

// Memories: numbers that intervals have left to the next one beside states, of those that left anything.
struct dc_memories {
  int count;
  double *numbers;  // [count][memory_count]
  size_t capacity;
};

// A trajectory: frame 0 is the initial state, frame k the state after k steps.  Owned by its creator; sized once but
// for the states inside of divided steps, for which it grows.
struct dc_trajectory {
  int steps, nq, nv;
  double time_step;
  int bodies;
  int earlier;             // frames that stand before frame 0 in poses: of a trajectory that refers to another one
  int pair_count;          // 0 without a tape
  int memory_count;        // dc_model_memory_count
  double *q;               // [steps + 1][nq]
  struct dc_pose *poses;   // [steps + 1][bodies]
  double *velocity;        // [steps + 1][nv] at the frames, for going on from them; NULL when frames alone tell it
  double *min_gap;         // [steps + 1], m; of a frame the smallest one since the frame before
  int *newton_iterations;  // [steps]
  int *evaluations;        // [steps] contact evaluations
  bool *converged;         // [steps]
  int regularized_steps;   // steps with an indefinite Hessian or a damped iteration on the way
  int unconverged_steps;
  double largest_residual;            // of all converged steps, relative to the tolerance
  struct dc_pair_derivatives *pairs;  // the tape: [steps][pair_count] at each converged step, for the adjoint
  int *remembers;      // [steps] number of the memory that the last interval of each has left, 0: nothing
  int *between_first;  // [steps + 1]: those inside of step t are between_first[t] ... [t + 1] - 1
  struct dc_between between;
  struct dc_memories memories;
  struct dc_arena *arena;      // that holds the arrays, the states inside of divided steps apart; NULL where a file does
  struct dc_mapped_file file;  // the same; or none
};

// A trajectory whose adjoint is wanted, with a tape if the model stores that of so many steps (dc_model_stores_tape).
// NULL: out of memory.
struct dc_trajectory *dc_trajectory_create(const struct dc_model *model, int steps);
// A trajectory of states only; its adjoint evaluates contact again.
struct dc_trajectory *dc_record_create(const struct dc_model *model, int steps);
// The same with its arrays in a file of at least dc_record_bytes bytes, which it takes over.  NULL: out of memory, then
// the file is the caller's still.
struct dc_trajectory *dc_record_create_in(const struct dc_model *model, int steps, const struct dc_mapped_file *file);
// Gives a record of so many steps, in memory, velocities, zeros, unless it has them: of a model that does not keep
// them, for frames that do not tell them.  DC_OK or DC_MEMORY.
enum dc_status dc_record_add_velocity(struct dc_trajectory *record, int steps);
size_t dc_record_bytes(const struct dc_model *model, int steps);
// To be called now and then where all frames are gone through in their order: lets the system have the memory of those
// that a file holds.
enum { DC_RELEASED_FRAMES = 8192 };
void dc_trajectory_release(const struct dc_trajectory *trajectory, int frame);

void dc_trajectory_destroy(struct dc_trajectory *trajectory);

// Where the derivatives of pairs at the end of a step belong, [pair_count]; NULL without a tape.
struct dc_pair_derivatives *dc_trajectory_pairs(const struct dc_trajectory *trajectory, int step);

// Copies a trajectory of the same model into one that was created for as many steps; the tape only when both have one.
// DC_OK or DC_MEMORY, then *to holds the frames but no states between them.
enum dc_status dc_trajectory_copy(struct dc_trajectory *to, const struct dc_trajectory *from);
// Appends the first `count` steps of a trajectory that begins where *to ends.  As dc_trajectory_copy.
enum dc_status dc_trajectory_append(struct dc_trajectory *to, const struct dc_trajectory *from, int count);
// Appends a state inside of `step`, the last one that has any; pairs [pair_count], not read without a tape; memory
// [memory_count] as of dc_trajectory_memory.  DC_OK or DC_MEMORY.
enum dc_status dc_trajectory_add_between(struct dc_trajectory *trajectory, int step, double at, const double *q,
                                         const struct dc_pair_derivatives *pairs, const double *memory);

// Number of intervals that a step was solved in: 1 unless it was divided.
int dc_trajectory_substeps(const struct dc_trajectory *trajectory, int step);
int dc_trajectory_divided_steps(const struct dc_trajectory *trajectory);
// The least number of Newton iterations that this part of the steps do not exceed: 0.5 is the median, 1 the most.
int dc_trajectory_iterations(const struct dc_trajectory *trajectory, double part);
// Whether two trajectories of as many steps were divided alike.
bool dc_trajectory_divided_alike(const struct dc_trajectory *a, const struct dc_trajectory *b);
// State k of those that step t was solved through: 0 is frame t, dc_trajectory_substeps frame t + 1.  *at: the part of
// the step before it; NULL is allowed.
const double *dc_trajectory_state(const struct dc_trajectory *trajectory, int step, int k, double *at);

// Forgets the states inside of divided steps and all memories; who drops frames drops these with them.
void dc_trajectory_clear_between(struct dc_trajectory *trajectory);

// How many numbers an interval of a model leaves to the next one: of pairs of bodies, then of nodes at half-spaces; 0
// where none does (dc_model_remembers).
size_t dc_model_memory_count(const struct dc_model *model);
// Copies what an interval has left, [numbers]; NULL: nothing.
void dc_trajectory_set_memory(double *to, size_t numbers, const double *memory);
// Keeps what the last interval of a step has left, [memory_count]; NULL: nothing.  DC_OK or DC_MEMORY.
enum dc_status dc_trajectory_remember(struct dc_trajectory *trajectory, int step, const double *memory);
// The memory of the interval that ends in that state, [memory_count]; NULL: nothing, as before the first frame.  Valid
// until another one is kept.
const double *dc_trajectory_memory(const struct dc_trajectory *trajectory, int step, int k);

// Smallest gap of frames first .. last, m.
double dc_trajectory_gap(const struct dc_trajectory *trajectory, int first, int last);

#endif
