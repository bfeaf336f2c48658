// SPDX-License-Identifier: Apache-2.0
// Settings of the contact model mujoco, in every build; the stepper itself only in builds with MuJoCo.
#ifndef DC_DYNAMICS_MUJOCO_H
#define DC_DYNAMICS_MUJOCO_H

#include "base/options.h"

// "mujoco" in a scene; the option table is dc_mujoco_options.  Names, meanings and defaults are MuJoCo's own, but for
// substeps (docs/theory.md, "MuJoCo").
struct dc_mujoco_settings {
  long substeps;           // steps of MuJoCo in one of ours
  int integrator;          // enum dc_mujoco_integrator
  int cone;                // index of dc_mujoco_options' choices: pyramidal, elliptic
  int solver;              // PGS, CG, Newton
  long iterations;         // of the constraint solver, at most
  double tolerance;        // at which it ends
  long noslip_iterations;  // of the solver that removes slip afterwards
  double impratio;         // frictional over normal impedance of contacts
  double solref[2];        // of contacts and limits: time constant s, damping ratio; negative: -stiffness, -damping
  double solimp[5];        // of contacts and limits
  bool multiccd;           // several contacts per pair of meshes
  double patch;            // m, radius of the discs that contacts stand for; 0: points
};
extern const struct dc_option dc_mujoco_options[];

enum dc_mujoco_integrator { DC_MUJOCO_EULER, DC_MUJOCO_RK4, DC_MUJOCO_IMPLICIT };

// Version of the library at run time, or NULL in builds without it.
const char *dc_mujoco_version(void);

#endif
