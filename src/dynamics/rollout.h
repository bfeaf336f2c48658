// SPDX-License-Identifier: Apache-2.0
// Rolling a model forward and pulling a loss back: one implicit step per time step.
#ifndef DC_DYNAMICS_ROLLOUT_H
#define DC_DYNAMICS_ROLLOUT_H

#include <stdbool.h>

#include "base/stop_request.h"
#include "dynamics/shape_design.h"
#include "dynamics/trajectory.h"

// Initial state and everything that drives a rollout.  Vectors of actuator targets have an entry for every degree of
// freedom of every joint with pd, joint after joint: displacements from the model's initial state (of a ball or free
// body the rotation vector w with R* = exp([w]x) R_0, then the translation) and velocities.
struct dc_rollout_input {
  double *q;                // initial state [nq]
  double *velocity;         // initial velocity [nv]
  const double *q_before;   // state before q [nq] that the rollout goes on from; NULL: q moved back by velocity
  double before_length;     // s from q_before to q; read with q_before only
  const double *memory;     // what the interval before q has left (dc_trajectory_memory); NULL: nothing
  int steps;                // for which there are targets
  double *target_position;  // [steps][actuators] at the end of each step
  double *target_velocity;  // [steps][actuators]
  struct dc_design design;
  // Generalized forces on the degrees of freedom [steps][nv], N and N m, held over a step: of a rotation a torque in
  // the axes that its rotation vectors have.  NULL: none.
  double *force;
  // Shapes of models whose shapes change, else NULL.  q belongs to the model's own shapes: a free body starts with its
  // shape's frame there, wherever its centre of mass is now.  q_before, and a q that goes with it, belong to the
  // centres of the design.
  struct dc_shape_design *shape;
};

// A number for each number of the input, tangents instead of states: the derivatives of a loss by them, or a direction
// in which they move.  q_before, where it is given, stands still, and the derivative by it is not kept.
struct dc_rollout_cotangent {
  double *q;         // [nv]
  double *velocity;  // [nv]
  int steps;
  double *target_position, *target_velocity;  // [steps][actuators]
  struct dc_design design;
  double *force;                  // [steps][nv]; NULL: the derivative is not kept, none moves
  struct dc_shape_design *shape;  // of models whose shapes change; has no tangent
};

// Workspace of one caller.
struct dc_rollout;
struct dc_rollout *dc_rollout_create(const struct dc_model *model, struct dc_error *error);
void dc_rollout_destroy(struct dc_rollout *rollout);
struct dc_contact *dc_rollout_contact(struct dc_rollout *rollout);
// The far field of its soft bodies, NULL where there is none; it is the workspace of the next step.
struct dc_far_field *dc_rollout_far_field(struct dc_rollout *rollout);
// Later rollouts are with a far field so many times as strong, as later shapes are.
void dc_rollout_scale_far_field(struct dc_rollout *rollout, double factor);

// The model that a rollout with this input is of: the rollout's own one, or what the input's shapes make of it; until
// the next call with the rollout.  NULL and *error: DC_INFEASIBLE when the design has no bodies of that kind;
// DC_MEMORY.
const struct dc_model *dc_rollout_adopt(struct dc_rollout *rollout, const struct dc_rollout_input *input,
                                        struct dc_error *error);

// The numbers of a design, array by array: the one list of them.  The arrays are the design's own and may be written to
// where it may.
enum { DC_DESIGN_ARRAYS = 16 };
struct dc_design_array {
  double *numbers;
  int count;
};
void dc_design_arrays(const struct dc_design *design, const struct dc_bodies *bodies,
                      struct dc_design_array arrays[DC_DESIGN_ARRAYS]);

// Initial state and design of the model, targets zero, room for targets of so many steps.  NULL: out of memory.
struct dc_rollout_input *dc_rollout_input_create(const struct dc_model *model, int steps);
void dc_rollout_input_reset(const struct dc_model *model, struct dc_rollout_input *input);
// Start and design become those of another input of the same bodies; targets and forces stay.
void dc_rollout_input_copy_start(const struct dc_model *model, const struct dc_rollout_input *from,
                                 struct dc_rollout_input *to);
// Gives an input or a cotangent forces, zeros, unless it has them: without them nothing is spent on them.  DC_OK or
// DC_MEMORY.
enum dc_status dc_rollout_input_add_forces(const struct dc_model *model, struct dc_rollout_input *input);
enum dc_status dc_rollout_cotangent_add_forces(const struct dc_model *model, struct dc_rollout_cotangent *cotangent);
void dc_rollout_input_destroy(struct dc_rollout_input *input);
struct dc_rollout_cotangent *dc_rollout_cotangent_create(const struct dc_model *model, int steps);
void dc_rollout_cotangent_clear(const struct dc_model *model, struct dc_rollout_cotangent *cotangent);
void dc_rollout_cotangent_destroy(struct dc_rollout_cotangent *cotangent);

// Seconds spent in contact evaluations since creation.
double dc_rollout_contact_seconds(const struct dc_rollout *rollout);

// How linear systems were solved since creation, or since the design's shapes changed.
struct dc_linear_work {
  const char *matrix;  // how one is factored: "dense", "sparse", "supernodal" or "strong"; NULL: there is none
  long factorizations;
  const char *method, *preconditioner;  // of what is solved by iterations (solver.linear); NULL: nothing is
  long solutions, iterations;           // by them
};
struct dc_linear_work dc_rollout_linear_work(const struct dc_rollout *rollout);

// Converge every step to rounding instead of the model's tolerance, for checks by finite differences.
void dc_rollout_set_tight(struct dc_rollout *rollout, bool tight);
bool dc_rollout_is_tight(const struct dc_rollout *rollout);

// Stop with DC_STOPPED if a step needs division where the reference trajectory, of as many steps, has none.  For finite
// differences, which are meaningless between trajectories divided differently.  NULL: divide as needed.
void dc_rollout_set_alike(struct dc_rollout *rollout, const struct dc_trajectory *other);

// Fail with DC_NUMERICAL in a step whose parts together take more than `most` Newton iterations; 0: any number.  Some
// trial points of an optimizer throw bodies at each other, so that one step would take minutes.
void dc_rollout_set_most_iterations(struct dc_rollout *rollout, long most);
// The same for all steps of a rollout together.
void dc_rollout_set_most_in_all(struct dc_rollout *rollout, long most);
// A patient `most`, as a factor on the iteration limit of an interval.  Collisions at 1000 m/s take up to 15 times the
// limit (two balls, steps of 0.04 s).
enum { DC_MOST_SOLVES = 100 };

// Leave out all contact forces that take energy, friction and what comes beside it: steps by inertia and potentials
// alone.
void dc_rollout_set_conservative(struct dc_rollout *rollout, bool conservative);
// Leave out the gaps of frames, INFINITY instead, with a stepper for which they are extra work.  States are the same.
void dc_rollout_set_gapless(struct dc_rollout *rollout, bool gapless);

// Asked before every step of dc_rollout_forward but the first; false ends it with DC_STOPPED, and trajectory->steps is
// then how many were done.  Asked, too, before every interval of adjoints and tangents; false ends these with
// DC_STOPPED. NULL: nobody is asked.
typedef bool dc_rollout_proceed(void *context);
void dc_rollout_set_proceed(struct dc_rollout *rollout, dc_rollout_proceed *proceed, void *context);
// The request is asked before every evaluation of the step potential.  Where it says so, dc_rollout_forward, adjoints
// and tangents end with DC_STOPPED, also within a step.  The trajectory keeps its size, but its frames must not be
// read. NULL: nobody is asked.
void dc_rollout_set_cancel(struct dc_rollout *rollout, struct dc_stop_request *cancel);

// Rolls input forward over trajectory->steps steps.  Warm starts are reset at the beginning.  DC_INFEASIBLE when
// bodies overlap at the start (not where a rollout with soft contacts, model mujoco, goes on from a frame),
// DC_NUMERICAL when a step fails: it does not converge or lets bodies pass through each other, however it is divided.
// With the solver's accept_unconverged steps that do not converge are counted in unconverged_steps instead.
enum dc_status dc_rollout_forward(struct dc_rollout *rollout, const struct dc_rollout_input *input,
                                  struct dc_trajectory *trajectory, struct dc_error *error);

// The derivatives of a loss by the frames of a trajectory: wrenches for the twists of the frames of all bodies and
// forces on the joints' coordinates.
struct dc_trajectory_cotangent {
  double (*wrenches)[6];  // [steps + 1][bodies]
  double *forces;         // [steps + 1][nv]
  const double *between;  // [between.count][nv] forces on the states inside of divided steps; NULL: zeros
};

// DC_BAD_INPUT, with the reason, when designs change shapes and the adjoint has no derivatives by them.
enum dc_status dc_rollout_check_shapes(const struct dc_rollout *rollout, struct dc_error *error);

// Adds to cotangent the derivative of a loss whose derivatives with respect to the frames are given.  Exact for the
// discrete trajectory (docs/theory.md, "Adjoint").  DC_NUMERICAL when a step's Hessian is singular or a step did not
// converge.
enum dc_status dc_rollout_adjoint(struct dc_rollout *rollout, const struct dc_rollout_input *input,
                                  const struct dc_trajectory *trajectory, const struct dc_trajectory_cotangent *frames,
                                  struct dc_rollout_cotangent *cotangent, struct dc_error *error);

// Computes anew, from the states of a trajectory of input, how well its steps are solved (docs/theory.md,
// "Convergence").  For each step, residuals [steps] gets the largest residual of its intervals, relative to the
// solver's tolerance or to rounding where that is larger, and converged [steps] whether all of them are as small as
// tolerance or rounding ask.
// DC_BAD_INPUT when the stepper has no step potential of ours; DC_MEMORY.
enum dc_status dc_rollout_residuals(struct dc_rollout *rollout, const struct dc_rollout_input *input,
                                    const struct dc_trajectory *trajectory, double *residuals, bool *converged,
                                    struct dc_error *error);

// One of several functions of the frames `first` ... `last` of a trajectory and of the input.
struct dc_adjoint_row {
  int first, last;
  struct dc_trajectory_cotangent frames;  // arrays begin at frame first
  struct dc_rollout_cotangent *input;
};

// The same for several rows at once: every row's input gains its derivative.  One Hessian a step is assembled and
// factored for all of them; of one row the same bits as alone.
enum dc_status dc_rollout_adjoint_block(struct dc_rollout *rollout, const struct dc_rollout_input *input,
                                        const struct dc_trajectory *trajectory, int count, struct dc_adjoint_row *rows,
                                        struct dc_error *error);

// How a trajectory moves along directions of its input: tangents [steps + 1][count][nv] of the coordinates at its
// frames.  The transposed of the adjoint; one Hessian a step is assembled and factored for all directions.  Statuses of
// dc_rollout_adjoint.
enum dc_status dc_rollout_tangent(struct dc_rollout *rollout, const struct dc_rollout_input *input,
                                  const struct dc_trajectory *trajectory, int count,
                                  const struct dc_rollout_cotangent *const *directions, double *tangents,
                                  struct dc_error *error);

// The derivative of a row along `count` directions, whose tangents are known, into products [count]; into bounds
// [count], unless it is NULL, what they could be at most: of the dot products that they are sums of, the norms.
void dc_rollout_contract(struct dc_rollout *rollout, const struct dc_trajectory *trajectory,
                         const struct dc_adjoint_row *row, int count,
                         const struct dc_rollout_cotangent *const *directions, const double *tangents, double *products,
                         double *bounds);

// Forces of the actuators in step t (from frame t to t + 1), [actuators]: minus the derivative of their energy.
void dc_rollout_actuator_forces(const struct dc_model *model, const struct dc_rollout_input *input,
                                const struct dc_trajectory *trajectory, int step, double *forces);
// For the derivative of the forces of step t along weights [actuators]: adds its derivatives by the coordinates at
// frames t and t + 1 to forces_now, forces_next [nv] and by targets and gains to cotangent.
void dc_rollout_actuator_pull_back(const struct dc_model *model, const struct dc_rollout_input *input,
                                   const struct dc_trajectory *trajectory, int step, const double *weights,
                                   double *forces_now, double *forces_next, struct dc_rollout_cotangent *cotangent);

#endif
