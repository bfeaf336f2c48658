// SPDX-License-Identifier: Apache-2.0
// Receding-horizon control (paper 000, section 6, Push): the controls of a window of the next steps are optimized, the
// first of them are applied, the window moves on and starts from the shifted solution.
#ifndef DC_PLAN_RECEDING_HORIZON_H
#define DC_PLAN_RECEDING_HORIZON_H

#include "plan/trajectory_plan.h"

// "horizon" of a scene; the option table is dc_horizon_options.
struct dc_horizon {
  long length;      // steps of a window
  long iterations;  // of the optimizer per window
  long apply;       // steps applied of each window
  long patience;    // windows without a new lowest loss of the applied frames after which to give up; 0: never
};
extern const struct dc_option dc_horizon_options[];

#endif
