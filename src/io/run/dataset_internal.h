// SPDX-License-Identifier: Apache-2.0
// Demonstrations in memory, for the files that are made of them.  Private to the two that write them.
#ifndef DC_IO_DATASET_INTERNAL_H
#define DC_IO_DATASET_INTERNAL_H

#include "io/run/dataset_h5.h"

extern const char *const dc_observed_names[DC_OBSERVED];

struct demonstration {
  const char *name;  // of the run
  int steps;
  bool success, certified;
  double loss;
  const char *certificate;        // JSON; NULL: there is none
  double *observed[DC_OBSERVED];  // [steps + 1][observed]
  double *actions;                // [steps][actions]
  double *forces;                 // [steps][bodies][3] N
};

struct dc_dataset {
  struct dc_arena *arena;
  struct demonstration *demonstrations;
  size_t count, capacity;
  struct dc_dataset_sizes sizes;
  enum dc_motion acts;  // which motion the actions are
  const char *scene;    // its name
  double time_step;     // s
  // Names of columns: observed[k] of the two motions and of the actions, and of the bodies that move freely, of all.
  const char **columns[2], **action_names, **free_names, **body_names;
  int free_count;
};

#endif
