// SPDX-License-Identifier: Apache-2.0
// Forces of actuators in the steps of a trajectory, for objectives and recordings, and their derivatives.
//
// The force of a drive is minus the gradient of its energy (terms_actuator.c) by its coordinate, told by the frames of
// the whole step.  With the integrator "second_order" it is that of the middle of the step on lengths and angles, which
// the midpoint rule drives by it.
#include "dynamics/actuator_internal.h"
#include "math/rotation.h"
#include "math/vector.h"

// State [nq] of a frame.
static const double *state_at(const struct dc_trajectory *trajectory, int frame)
{
  return trajectory->q + (size_t)frame * (size_t)trajectory->nq;
}

// Poses [bodies] of a frame.
static const struct dc_pose *poses_at(const struct dc_trajectory *trajectory, int frame)
{
  return trajectory->poses + (size_t)frame * (size_t)trajectory->bodies;
}

// Forces of a step are told by its frames, also when it was divided: the velocity is its mean one.
static struct dc_step_interval whole_step(const struct dc_model *model, int step)
{
  return (struct dc_step_interval){.step = step, .length = model->definition.time.step, .ratio = 1};
}

// Forces are kept by actuator, gradients by degree of freedom.
static void drive_force(struct drive_context *c, const struct drive *drive)
{
  int n = drive->part->kind == DC_PART_BALL ? 3 : 1;
  double *force = c->now + drive->actuator, g[3], a[9], b[9], position, velocity;
  if (n == 3) {
    dc_drive_ball(c, drive, a, b);
    dc_drive_axial(a, g);
    dc_vec_scale(force, g, -1);
    dc_drive_axial(b, g);
    dc_vec_sub(force, force, g);
    return;
  }
  dc_drive_errors(c, drive, &position, &velocity);
  *force = dc_drive_is_plain(drive) ? drive->kp * position + drive->kd * velocity : dc_drive_law(c, drive).force;
}

// The same of a whole step of a trajectory.
static struct drive_context of_step(const struct dc_model *model, const struct dc_rollout_input *input,
                                    const struct dc_trajectory *trajectory, int step)
{
  return (struct drive_context){.model = model,
                                .design = &input->design,
                                .now_poses = poses_at(trajectory, step),
                                .interval = whole_step(model, step),
                                .middle = model->definition.time.integrator == DC_SECOND_ORDER,
                                .q_now = state_at(trajectory, step),
                                .q_next = state_at(trajectory, step + 1)};
}

void dc_rollout_actuator_forces(const struct dc_model *model, const struct dc_rollout_input *input,
                                const struct dc_trajectory *trajectory, int step, double *forces)
{
  struct drive_context c = of_step(model, input, trajectory, step);
  c.now = forces;
  dc_visit_drives(input, drive_force, &c);
}

// The forces are minus the gradient by q+: what the mixed derivatives leave out is its derivative by q+, for a ball
// tr(A) I - A^T: the change of the gradient with the pose, not the Hessian in one chart.
static void drive_pull_back(struct drive_context *c, const struct drive *drive)
{
  double *next = c->next + drive->part->v + drive->component;
  double l[3];
  dc_drive_direction(c, drive, l);
  dc_drive_mixed(c, drive);
  if (drive->part->kind != DC_PART_BALL) {
    double slope = dc_drive_is_plain(drive) ? 1 : dc_drive_law(c, drive).slope;
    *next += slope * ((c->middle ? 0.5 : 1) * drive->kp + drive->kd / c->interval.length) * l[0];
    return;
  }
  double a[9], b[9], al[3];
  dc_drive_ball(c, drive, a, b);
  for (int k = 0; k < 9; k++)
    a[k] += b[k];
  dc_mat_apply_transposed(al, a, l);
  for (int k = 0; k < 3; k++)
    next[k] += (a[0] + a[4] + a[8]) * l[k] - al[k];
}

void dc_rollout_actuator_pull_back(const struct dc_model *model, const struct dc_rollout_input *input,
                                   const struct dc_trajectory *trajectory, int step, const double *weights,
                                   double *forces_now, double *forces_next, struct dc_rollout_cotangent *cotangent)
{
  struct drive_context c = of_step(model, input, trajectory, step);
  c.lambda = weights;
  c.by_actuator = true;
  c.now = forces_now;
  c.next = forces_next;
  c.cotangent = cotangent;
  dc_visit_drives(input, drive_pull_back, &c);
}
