// SPDX-License-Identifier: Apache-2.0
// Tasks: controls turn parameters into the input of a rollout, objectives turn a trajectory into a loss.
#ifndef DC_TASK_TASK_H
#define DC_TASK_TASK_H

#include "dynamics/rollout.h"

struct dc_control_type {
  const char *name, *summary, *reference;
  const struct dc_option *options;
  size_t options_size;
  // Checks options against the model (which axes, which body); the message names the option.
  enum dc_status (*check)(const void *options, const struct dc_model *model, struct dc_error *error);
  int (*parameter_count)(const void *options, const struct dc_model *model);
  // Name of parameter i, such as "cue.position.x", in text.
  void (*parameter_name)(const void *options, const struct dc_model *model, int i, char *text, size_t size);
  void (*initial)(const void *options, const struct dc_model *model, double *parameters);
  // Changes input (which holds the model's own start before the first control).
  void (*apply)(const void *options, const struct dc_model *model, const double *parameters,
                struct dc_rollout_input *input);
  // gradient [parameter_count] = derivative of the loss with respect to the parameters.  cotangent is the derivative
  // by the input after apply and becomes the one by the input before it, so that several controls may act on one
  // body.
  void (*pull_back)(const void *options, const struct dc_model *model, const double *parameters,
                    struct dc_rollout_cotangent *cotangent, double *gradient);
};
extern const struct dc_control_type dc_control_initial_state;
extern const struct dc_control_type *const dc_control_types[];  // NULL-terminated

struct dc_objective_type {
  const char *name, *summary, *reference;
  const struct dc_option *options;
  size_t options_size;
  enum dc_status (*check)(const void *options, const struct dc_model *model, struct dc_error *error);
  // Value of the objective; adds its derivative with respect to each frame to frames [steps + 1][nv] (tangents; may
  // be NULL).
  double (*evaluate)(const void *options, const struct dc_model *model, const struct dc_trajectory *trajectory,
                     double *frames);
  // What a report says at the end of the trajectory: body (index or -1), distance to the target in m, whether it is
  // reached.
  void (*report)(const void *options, const struct dc_model *model, const struct dc_trajectory *trajectory, int *body,
                 double *distance, bool *reached);
  // Where a picture shows a mark: the body it is for, target [3] and radius of the tolerance, m; false when there is
  // none.
  bool (*mark)(const void *options, int *body, double target[3], double *radius);
};
extern const struct dc_objective_type dc_objective_reach;
extern const struct dc_objective_type *const dc_objective_types[];  // NULL-terminated

struct dc_control {
  const struct dc_control_type *type;
  void *options;
};

struct dc_objective {
  const struct dc_objective_type *type;
  void *options;
};

struct dc_task {
  int control_count, objective_count;
  struct dc_control *controls;
  struct dc_objective *objectives;
};

int dc_task_parameter_count(const struct dc_task *task, const struct dc_model *model);
void dc_task_parameter_name(const struct dc_task *task, const struct dc_model *model, int i, char *text, size_t size);
void dc_task_initial(const struct dc_task *task, const struct dc_model *model, double *parameters);
// Applies the controls in order; input holds the model's own start.
void dc_task_apply(const struct dc_task *task, const struct dc_model *model, const double *parameters,
                   struct dc_rollout_input *input);
// gradient [parameter count] from cotangent, the derivative by the input that dc_task_apply made; on return
// cotangent is the derivative by the model's own start.
void dc_task_pull_back(const struct dc_task *task, const struct dc_model *model, const double *parameters,
                       struct dc_rollout_cotangent *cotangent, double *gradient);
// Loss; clears and fills frames [steps + 1][nv] when not NULL.
double dc_task_loss(const struct dc_task *task, const struct dc_model *model, const struct dc_trajectory *trajectory,
                    double *frames);
// True when every objective is reached at the end (false without objectives).
bool dc_task_success(const struct dc_task *task, const struct dc_model *model, const struct dc_trajectory *trajectory);

// Options of the objective "reach": weight * max(|x_com - target|^2 - tolerance^2, 0), over the chosen axes.
enum dc_when { DC_WHEN_END, DC_WHEN_EVERY };
struct dc_reach_options {
  int body;
  double target[3];
  double tolerance;
  double weight;
  int when;          // "every": mean over the frames after the first (frame 0 of a trajectory without steps)
  const char *axes;  // subset of "xyz" that counts
};

// Options of the control "initial_state".  Each string is a subset of "xyz"; parameters in the order position,
// rotation, velocity, angular velocity.
struct dc_initial_state_options {
  int body;
  const char *position, *rotation, *velocity, *angular_velocity;
  struct dc_real_list initial;  // offsets, default zeros
};

#endif
