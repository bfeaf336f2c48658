// SPDX-License-Identifier: Apache-2.0
// Tasks: controls and design turn parameters into the input of a rollout, objectives turn a trajectory into a loss.
#ifndef DC_TASK_TASK_H
#define DC_TASK_TASK_H

#include "base/random.h"
#include "design/design.h"
#include "dynamics/rollout.h"
#include "math/residuals.h"
#include "task/recording.h"

// The part of a run that a rollout covers: the whole run, or a window of a receding horizon.
struct dc_window {
  long first;        // number of time steps before the window
  int steps;         // steps of the window
  double time_step;  // s
};

// How a search draws the parameters of controls.
struct dc_spread {
  double deviation;  // standard deviation, in the parameters' units, of those without a better choice
  int knots;         // moments from 1 on at which a normal number is drawn, with straight lines between them
  bool anywhere;     // shots go in any direction, as far as gravity and goals ask; else they are aimed at a body
  double distance;   // of goals, m
  bool hard;         // aimed shots are fast enough to topple what they hit
};

// A control has parameters for one window.  Its state is what it remembers from one window to the next, such as the
// position of an integrated target.
struct dc_control_type {
  const char *name, *summary, *reference;
  const struct dc_option *options;
  size_t options_size;
  // Checks options against the model (which axes, which body); the message names the option.
  enum dc_status (*check)(const void *options, const struct dc_model *model, struct dc_error *error);
  int (*parameter_count)(const void *options, const struct dc_model *model, int steps);
  // Name of parameter i, such as "cue.position.x" or "rod.3.x" (step 3), in text.
  void (*parameter_name)(const void *options, const struct dc_model *model, int steps, int i, char *text, size_t size);
  // Unit of the quantity that parameter i sets, "1" for a pure number; *scale: its change for a parameter of 1.
  const char *(*parameter_unit)(const void *options, const struct dc_model *model, int steps, int i, double *scale);
  void (*initial)(const void *options, const struct dc_model *model, int steps, double *parameters);
  // Groups of parameters, such as the coordinates of one actuator in one step: equal numbers, counted from 0.  Returns
  // the number of groups.  NULL: every parameter by itself.
  int (*groups)(const void *options, const struct dc_model *model, int steps, int *group);
  // Changes input, which holds the start of the window and zero targets before the first control.
  void (*apply)(const void *options, const struct dc_model *model, const struct dc_window *window, const double *state,
                const double *parameters, struct dc_rollout_input *input);
  // gradient [parameter_count] = derivative of the loss with respect to the parameters.  cotangent is the derivative
  // by the input after apply and becomes the one by the input before it, so that several controls may act on one
  // body.
  void (*pull_back)(const void *options, const struct dc_model *model, const struct dc_window *window,
                    const double *state, const double *parameters, struct dc_rollout_cotangent *cotangent,
                    double *gradient);
  // The transposed product.  moved is a direction of the input before apply; it becomes that after apply, when the
  // parameters move along direction [parameter_count], too.
  void (*push_forward)(const void *options, const struct dc_model *model, const struct dc_window *window,
                       const double *state, const double *parameters, const double *direction,
                       struct dc_rollout_cotangent *moved);
  // Draws parameters for a search that knows nothing yet.  NULL: normal around guess, with spread->knots.
  void (*draw)(const void *options, const struct dc_model *model, const struct dc_window *window, const double *guess,
               const struct dc_spread *spread, struct dc_random *random, double *parameters);
  // State in a receding horizon; both NULL: none.
  int (*state_size)(const void *options, const struct dc_model *model);
  void (*start)(const void *options, const struct dc_model *model, double *state);
  // Updates the state after the first steps of a window have been applied, and moves the parameters forward by as many;
  // new ones at the end request no change.  NULL: the control acts only on the start or on a whole run, and is refused
  // in a receding horizon.
  void (*advance)(const void *options, const struct dc_model *model, const struct dc_window *window, int applied,
                  double *state, double *parameters);
  // Sets parameters such that the targets come as close as possible to given displacements targets [steps][actuators]
  // at the ends of the steps.  For controls whose options begin with struct dc_actuator_options; NULL: not possible.
  void (*aim)(const void *options, const struct dc_model *model, const struct dc_window *window, const double *state,
              const double *targets, double *parameters);
  double (*speed)(const void *options);  // largest speed of lengths, m/s; NULL: no limit
  bool forces;                           // it adds to the input's forces, which the model must allow (dc_model.forced)
};
extern const struct dc_control_type dc_control_initial_state, dc_control_pd_targets, dc_control_pd_velocity,
    dc_control_sines, dc_control_spline, dc_control_path, dc_control_torque;
extern const struct dc_control_type *const dc_control_types[];  // NULL-terminated

// Where an objective adds its derivatives.
struct dc_loss_cotangent {
  struct dc_trajectory_cotangent frames;
  struct dc_rollout_cotangent *input;
  int first;  // frame with which the arrays of frames begin
};

// An objective as a sum over groups of residual rows (math/residuals.h), each of a few frames.
struct dc_objective_rows {
  bool by_input;  // rows depend on the input itself, not only on frames
  int (*count)(const void *options, const struct dc_model *model, const struct dc_trajectory *trajectory);
  // Fills group `index`, and the first and last frame on which it depends.
  void (*group)(const void *options, const struct dc_model *model, const struct dc_rollout_input *input,
                const struct dc_trajectory *trajectory, int index, struct dc_residual_group *group, int *first,
                int *last);
  // Adds the derivative of the sum of weights [axes] times the group's d.
  void (*pull_back)(const void *options, const struct dc_model *model, const struct dc_rollout_input *input,
                    const struct dc_trajectory *trajectory, int index, const double *weights,
                    struct dc_loss_cotangent *cotangent);
};

// A condition of an objective that can be reached, at a frame: it holds where value <= allowed.
struct dc_condition {
  const char *name;       // "position", "speed", "angle", ...
  const char *unit;       // of value and allowed
  int body;               // with the largest value, or -1
  double value, allowed;  // allowed NAN: the objective does not say
  int frame;              // of the value, <= the frame that is judged
  bool holds;
};
enum { DC_CONDITIONS_MOST = 2 };

struct dc_objective_type {
  const char *name, *summary, *reference;
  const struct dc_option *options;
  size_t options_size;
  bool whole_run;  // compares frames of the whole run, so that it is refused in a receding horizon
  enum dc_status (*check)(const void *options, const struct dc_model *model, struct dc_error *error);
  // After the check, when the effects of the design on the model are known: completes the options, in memory of arena.
  // DC_OK, DC_BAD_INPUT, DC_MEMORY.  NULL: nothing to complete.
  enum dc_status (*prepare)(void *options, const struct dc_model *model, struct dc_arena *arena,
                            struct dc_error *error);
  // Value of the objective; adds its derivatives to cotangent (may be NULL).
  double (*evaluate)(const void *options, const struct dc_model *model, const struct dc_rollout_input *input,
                     const struct dc_trajectory *trajectory, struct dc_loss_cotangent *cotangent);
  const struct dc_objective_rows *rows;  // NULL: no residual rows
  // Report on frame k: the body farthest from its target, or -1; its distance in the unit of the tolerance, m without
  // one; whether all is reached.  NULL: there is nothing to reach (effort, velocity).
  void (*report)(const void *options, const struct dc_model *model, const struct dc_rollout_input *input,
                 const struct dc_trajectory *trajectory, int frame, int *body, double *distance, bool *reached);
  // Whether there is something to reach with these options; NULL: wherever there is a report.
  bool (*can_be_reached)(const void *options);
  // The conditions behind a report; returns their number.  NULL: one, its distance against its tolerance.
  int (*conditions)(const void *options, const struct dc_model *model, const struct dc_rollout_input *input,
                    const struct dc_trajectory *trajectory, int frame,
                    struct dc_condition conditions[DC_CONDITIONS_MOST]);
  // Goal i = 0, 1, ...: a body, the nearest place [3] for its centre that counts as reached, and the allowed distance
  // from it, m; false behind the last goal.  NULL: none.
  bool (*goal)(const void *options, int i, const struct dc_pose *poses, int *body, double place[3], double *radius);
  // Marks in pictures: mark i = 0, 1, ... with its body (or -1), target [3], and radius of the tolerance, m; false
  // behind the last mark.  NULL: none.
  bool (*mark)(const void *options, int i, int *body, double target[3], double *radius);
  // For objectives with a "file": the bodies of the model that it must contain (all that move when NULL or empty), and
  // a function that takes over its contents, after check, in memory of arena.  NULL: no file.
  const struct dc_index_list *(*recorded)(const void *options);
  enum dc_status (*take_recording)(void *options, const struct dc_recording *recording, const struct dc_model *model,
                                   struct dc_arena *arena, struct dc_error *error);
};
extern const struct dc_objective_type dc_objective_reach, dc_objective_region, dc_objective_effort,
    dc_objective_velocity, dc_objective_follow, dc_objective_com, dc_objective_point, dc_objective_orientation,
    dc_objective_upright, dc_objective_joints, dc_objective_clearance, dc_objective_relative, dc_objective_speed,
    dc_objective_mass, dc_objective_thickness;
extern const struct dc_objective_type *const dc_objective_types[];  // NULL-terminated

struct dc_control {
  const struct dc_control_type *type;
  void *options;
};

struct dc_objective {
  const struct dc_objective_type *type;
  void *options;
};

// Another world that is driven by the same parameters: a model and its task, with the same number and names of
// parameters and without cases of its own.
struct dc_task_world {
  const char *name;
  const struct dc_model *model;
  const struct dc_task *task;
};

// The parameter vector holds the controls' parameters, then those of the design entries.  Plans add up the losses of a
// task's own world and of its cases; the functions below concern its own world.
struct dc_task {
  int control_count, objective_count, design_count;
  struct dc_control *controls;      // [control_count]
  struct dc_objective *objectives;  // [objective_count]
  struct dc_design_entry *design;   // [design_count]
  int case_count;
  const struct dc_task_world *cases;  // [case_count]
};

int dc_task_parameter_count(const struct dc_task *task, const struct dc_model *model, int steps);
void dc_task_parameter_name(const struct dc_task *task, const struct dc_model *model, int steps, int i, char *text,
                            size_t size);
// The unit of a parameter, like the member of struct dc_control_type; scale may be NULL.
const char *dc_task_parameter_unit(const struct dc_task *task, const struct dc_model *model, int steps, int i,
                                   double *scale);
// The member parameter_unit of controls whose parameters are pure numbers, such as fractions of a bound.
const char *dc_pure_unit(const void *options, const struct dc_model *model, int steps, int i, double *scale);
// Writes scale and unit, "0.1 m"; a scale or unit of 1 is omitted.
void dc_unit_text(const char *unit, double scale, char *text, size_t size);
void dc_task_initial(const struct dc_task *task, const struct dc_model *model, int steps, double *parameters);
// Parameters drawn by every control, about a guess where it has no draw of its own; the design is that of guess.
void dc_task_draw_parameters(const struct dc_task *task, const struct dc_model *model, const struct dc_window *window,
                             const double *guess, const struct dc_spread *spread, struct dc_random *random,
                             double *parameters);
// Converts parameters to another number of time steps of the same duration: controls with the same number of parameters
// keep them; parameters of steps are taken from the step at the same time.
void dc_task_resample(const struct dc_task *task, const struct dc_model *model, int from_steps, const double *from,
                      int to_steps, double *to);
// Number of the controls' parameters.
int dc_task_control_parameter_count(const struct dc_task *task, const struct dc_model *model, int steps);
// Bounds of every parameter [parameter count]; -INFINITY, INFINITY where there are none.  True when there are any.
bool dc_task_bounds(const struct dc_task *task, const struct dc_model *model, int steps, double *low, double *high);
// Number i = 0, 1, ... that the design changes, at these parameters; false behind the last one.
bool dc_task_design_value(const struct dc_task *task, const struct dc_model *model, int steps, const double *parameters,
                          int i, struct dc_design_value *value);
// An input of no steps with the design applied to the model's numbers and shapes; parameters are those of so many
// steps.  Released with dc_rollout_input_destroy; NULL: out of memory.
struct dc_rollout_input *dc_task_design_input(const struct dc_task *task, const struct dc_model *model, int steps,
                                              const double *parameters);
// Sets designed [bodies]: whether a vertex of the body's shape moves with the parameters of the design.  DC_OK,
// DC_MEMORY.
enum dc_status dc_task_find_designed(const struct dc_task *task, const struct dc_model *model, bool *designed);
// The model with the shapes and places of that design, in memory of arena, or model itself where these do not change.
// Statuses of dc_model_redesign.
enum dc_status dc_task_design_model(const struct dc_task *task, const struct dc_model *model, int steps,
                                    const double *parameters, struct dc_arena *arena, const struct dc_model **designed,
                                    struct dc_error *error);
// The group of every parameter [parameter count]; returns the number of groups.
int dc_task_groups(const struct dc_task *task, const struct dc_model *model, int steps, int *group);
// State of the controls between windows: its size, its start, and its update, with that of the parameters, when the
// first steps of a window have been applied.
int dc_task_state_size(const struct dc_task *task, const struct dc_model *model);
void dc_task_start(const struct dc_task *task, const struct dc_model *model, double *state);
void dc_task_advance(const struct dc_task *task, const struct dc_model *model, const struct dc_window *window,
                     int applied, double *state, double *parameters);
// Index of the first control that acts on the start only, or -1.
int dc_task_start_control(const struct dc_task *task);
// Applies the controls in order, then the design; input holds the start of the window.
void dc_task_apply(const struct dc_task *task, const struct dc_model *model, const struct dc_window *window,
                   const double *state, const double *parameters, struct dc_rollout_input *input);
// gradient [parameter count] from cotangent, the derivative by the input that dc_task_apply made; on return
// cotangent is the derivative by the start of the window.
void dc_task_pull_back(const struct dc_task *task, const struct dc_model *model, const struct dc_window *window,
                       const double *state, const double *parameters, struct dc_rollout_cotangent *cotangent,
                       double *gradient);
// moved: on entry a direction of the start of the window, on return that of the input after dc_task_apply, when the
// parameters move along direction [parameter count], too.
void dc_task_push_forward(const struct dc_task *task, const struct dc_model *model, const struct dc_window *window,
                          const double *state, const double *parameters, const double *direction,
                          struct dc_rollout_cotangent *moved);
// Residual rows of all objectives, in order: the first objective without rows, or -1; the number of groups; one group,
// and the derivative of its rows, as in struct dc_objective_rows.
int dc_task_rowless_objective(const struct dc_task *task);
int dc_task_group_count(const struct dc_task *task, const struct dc_model *model,
                        const struct dc_trajectory *trajectory);
void dc_task_group(const struct dc_task *task, const struct dc_model *model, const struct dc_rollout_input *input,
                   const struct dc_trajectory *trajectory, int index, struct dc_residual_group *group, int *first,
                   int *last);
bool dc_task_group_sees_input(const struct dc_task *task, const struct dc_model *model,
                              const struct dc_trajectory *trajectory, int index);
// Arrays of cotangent may begin at any frame up to the group's first.
void dc_task_group_pull_back(const struct dc_task *task, const struct dc_model *model,
                             const struct dc_rollout_input *input, const struct dc_trajectory *trajectory, int index,
                             const double *weights, struct dc_loss_cotangent *cotangent);
// terms [objective_count]: the values of the objectives, whose sum is the loss.
void dc_task_terms(const struct dc_task *task, const struct dc_model *model, const struct dc_rollout_input *input,
                   const struct dc_trajectory *trajectory, double *terms);
// Loss; adds its derivatives to cotangent unless NULL (clear it before).
double dc_task_loss(const struct dc_task *task, const struct dc_model *model, const struct dc_rollout_input *input,
                    const struct dc_trajectory *trajectory, struct dc_loss_cotangent *cotangent);
// Unit of the distance that an objective reports: that of its tolerance, m without one.
const char *dc_task_distance_unit(const struct dc_objective_type *type);
// Whether an objective has something to reach, so that its report may be called.
bool dc_task_reachable(const struct dc_objective *objective);
// The conditions of an objective at frame k; returns their number, 0 when there is nothing to reach.
int dc_task_conditions(const struct dc_objective *objective, const struct dc_model *model,
                       const struct dc_rollout_input *input, const struct dc_trajectory *trajectory, int frame,
                       struct dc_condition conditions[DC_CONDITIONS_MOST]);
// Sets "inside" of objectives that leave it open to a part of what is allowed.
void dc_task_aim_inside(struct dc_task *task, double part);
// True when everything that can be reached is reached at frame k (false when there is nothing to reach).
bool dc_task_success(const struct dc_task *task, const struct dc_model *model, const struct dc_rollout_input *input,
                     const struct dc_trajectory *trajectory, int frame);

// When a body counts as resting (task/rest.h).
struct dc_rest_options {
  double speed;   // m/s; NAN (or 0): it need not rest
  double settle;  // s
  double inside;  // fraction of the tolerance and of the speed within which the loss is zero; NAN: 1
};

// Options of the objective "reach": weight * sum over the bodies of max(|x_com - target|^2 - (inside tolerance)^2, 0), over
// the chosen axes.
enum dc_when { DC_WHEN_END, DC_WHEN_EVERY };
struct dc_reach_options {
  int body;                     // or -1: bodies
  struct dc_index_list bodies;  // one of body and bodies is given
  double target[3];
  double tolerance;
  double weight;
  int when;          // "every": mean over the frames after the first (frame 0 of a trajectory without steps)
  const char *axes;  // subset of "xyz" that counts
  struct dc_rest_options rest;
};

// Options of the objective "com": weight * max(|c - target|^2 - (inside tolerance)^2, 0), over the chosen axes, c the
// common centre of mass.
struct dc_com_options {
  struct dc_index_list bodies;  // empty: all that move
  double target[3];
  double tolerance;
  double inside;  // as of "reach"
  double weight;
  int when;  // as of "reach"
  const char *axes;
};

// Options of the objective "mass": weight * max(M - most, 0)^2, M the mass of bodies together.
struct dc_mass_options {
  struct dc_index_list bodies;  // first member; empty until prepared: those that the design changes
  double most;                  // kg
  double tolerance;             // excess that counts as reached, kg; NAN: a part of most
  double weight;
};

// Options of the objective "thickness": a barrier of the principal extents of the convex parts of bodies.
struct dc_thickness_options {
  struct dc_index_list bodies;  // first member; empty until prepared: those that the design changes
  double least;                 // m
  double tolerance;             // shortfall that counts as reached, m; NAN: a part of least
  double weight;
};

// The first member of the options of objectives with residuals at frames (task/goal.h).
struct dc_goal_options {
  double tolerance;
  double inside;  // fraction of the tolerance within which the loss is zero
  double weight;
  int when;  // as of "reach"
};

// Options of "point", "orientation", "upright" and "joints".
struct dc_point_options {
  struct dc_goal_options goal;
  int body;
  double point[3], target[3];
  const char *axes;
};
struct dc_orientation_options {
  struct dc_goal_options goal;
  int body;
  double target[4];
};
struct dc_upright_options {
  struct dc_goal_options goal;
  int body;
  double axis[3], target[3];
};
struct dc_joints_options {
  struct dc_goal_options goal;
  struct dc_index_list bodies;
  struct dc_real_list target;    // one per slide and hinge, or none
  struct dc_real_list velocity;  // one per slide and hinge, or none
};

// Options of the objective "clearance".
struct dc_clearance_options {
  struct dc_goal_options goal;
  int body, to;
  double distance;  // m
  int keep;         // enum dc_clearance_keep
};
enum dc_clearance_keep { DC_CLEARANCE_AT_LEAST, DC_CLEARANCE_AT_MOST, DC_CLEARANCE_EXACTLY };

// Options of the objective "region": weight * sum over the bodies of the squared distance of x_com to a box or a disc,
// over the chosen axes.
struct dc_region_options {
  struct dc_index_list bodies;
  double center[3];
  double size[3];    // edge lengths of the box, m; NAN: a disc or ball
  double radius;     // m; NAN: a box
  double tolerance;  // distance outside that counts as reached, m
  double weight;
  int when;  // as of "reach"
  const char *axes;
  struct dc_rest_options rest;
};

// Options of the objective "effort": weight * mean over the steps of the sum of squared actuator forces.
struct dc_effort_options {
  struct dc_index_list bodies;  // bodies whose actuators count; empty: all
  double weight;
};

// Options of the objective "velocity": weight * sum over the bodies of max(|v - target|^2 - tolerance^2, 0), over the
// chosen axes, and the same of angular velocities; 0 for a trajectory without steps.
struct dc_velocity_options {
  int body;                     // or -1: bodies
  struct dc_index_list bodies;  // one of body and bodies is given
  double target[3];             // m/s; NAN: 0, or, with angular, any
  double angular[3];            // rad/s; NAN: any
  double tolerance;             // NAN or 0: a cost, nothing to reach
  double inside;                // fraction of the tolerance within which the loss is zero
  long from;                    // with "every": frame after which steps count
  double weight;
  int when;  // "every": mean over the steps; "end": the last step
  const char *axes;
};

// Options of the objective "speed": weight * mean over the steps of the squared excess of speeds over the allowed part
// of their limits, relative to these.
struct dc_speed_options {
  struct dc_index_list bodies;  // bodies whose joints count; empty: all with a limit
  double part;
  double weight;
};

// A recorded pose with which "follow" compares a body at a frame.
struct dc_follow_sample {
  int frame, body;
  double position[3];    // NAN: not seen
  double quaternion[4];  // NAN: not seen
};

// A group of residual rows: the position or the rotation of a sample.
struct dc_follow_group {
  int sample;
  bool rotation;
};

// Options of the objective "follow".
struct dc_follow_options {
  const char *file;
  struct dc_index_list bodies;  // empty: all moving bodies of the file
  long from, until, every;      // frames; until -1: the last
  const char *axes;
  double weight, rotation;               // 1/m^2, 1/rad^2
  double tolerance, rotation_tolerance;  // m, rad: differences that count as reached
  // Set from the recording, not read from the table; samples in the order of frames.
  int sample_count, frame_count;
  const struct dc_follow_sample *samples;
  int group_count;
  const struct dc_follow_group *groups;  // in the order of samples
};

// Options of the control "initial_state".  Each string is a subset of "xyz"; parameters in the order position,
// rotation, velocity, angular velocity.
struct dc_initial_state_options {
  int body;
  const char *position, *rotation, *velocity, *angular_velocity;
  struct dc_real_list initial;  // offsets, default zeros
};

// Options of controls of the actuator of one body (task/actuator_coordinates.h): its coordinates, bounds of their
// displacements, and first guess.
struct dc_actuator_options {
  int body;
  const char *coordinates;        // names separated by spaces, or "all"
  struct dc_real_list low, high;  // bounds of the target displacement, one for all or one per coordinate; or empty
  struct dc_real_list initial;    // one per coordinate, for one or more times, or empty: zeros
  bool chosen;                    // low and high are to be, or were chosen (task/target_bounds.h)
};

// Controls with a parameter per coordinate and step, or per "hold" steps (task/held_parameters.h).  Also the options of
// the control "pd_targets".
struct dc_held_options {
  struct dc_actuator_options actuator;
  long hold;
};

// Options of the control "torque".
struct dc_torque_options {
  struct dc_held_options held;  // first; without low and high
  struct dc_real_list limit;    // N or N m, one for all or one per coordinate
};

// Options of the control "pd_velocity".
struct dc_pd_velocity_options {
  struct dc_held_options held;  // first: dc_held_* take options as they are
  double speed;                 // largest velocity of lengths, m/s
  double speed_rotation;        // of angles, rad/s
  double gain;                  // 1/s
  double limit;                 // of the parameters between windows; NAN: none
};

// Options of the control "sines".
struct dc_sines_options {
  struct dc_index_list bodies;
  long waves;
  double amplitude;  // of the first guess at most, m or rad
  double frequency;  // of the first guess, Hz
  long seed;         // of the first amplitudes
  double ramp;       // time in which the motion fades in, s
  double scale[3];   // amplitude (m or rad), frequency (Hz), phase (rad) per unit of their parameters
  struct dc_real_list low, high;
};

// Options of the control "spline".
struct dc_spline_options {
  struct dc_actuator_options actuator;
  long knots;
};

// Options of the control "path".
struct dc_path_options {
  struct dc_actuator_options actuator;  // body and coordinates
  struct dc_real_list times;            // s, rising
  struct dc_real_list positions;        // [times][coordinates], m or rad
};

// Options of the objective "relative".
struct dc_relative_options {
  int body, to;      // to -1: the world
  long from, until;  // frames; until -1: the last
  double tolerance;  // m: what counts as kept
  double weight;
  int when;          // end: frame until counts; every: the mean over all frames after from
  const char *axes;  // subset of "xyz" that counts
};

#endif
