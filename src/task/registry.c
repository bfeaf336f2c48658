// SPDX-License-Identifier: Apache-2.0
// The registries of controls and objectives, in the order of `dcsim list`.
#include "task/pose.h"
#include "task/task.h"

const struct dc_control_type *const dc_control_types[] = {
    &dc_control_initial_state, &dc_control_pd_targets, &dc_control_pd_velocity, &dc_control_sines,
    &dc_control_spline,        &dc_control_path,       &dc_control_torque,      NULL};

const struct dc_objective_type *const dc_objective_types[] = {
    &dc_objective_reach,   &dc_objective_region, &dc_objective_effort,    &dc_objective_velocity,
    &dc_objective_follow,  &dc_objective_com,    &dc_objective_point,     &dc_objective_orientation,
    &dc_objective_upright, &dc_objective_joints, &dc_objective_clearance, &dc_objective_relative,
    &dc_objective_speed,   &dc_objective_mass,   &dc_objective_thickness,
    &dc_objective_pose,    NULL};
