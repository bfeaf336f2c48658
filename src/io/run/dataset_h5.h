// SPDX-License-Identifier: Apache-2.0
// Plans of many runs as demonstrations to learn from: an HDF5 file as robomimic reads it, a Zarr archive as Diffusion
// Policy reads it (docs/dataset.md).
#ifndef DC_IO_DATASET_H5_H
#define DC_IO_DATASET_H5_H

#include "io/run/npz.h"
#include "io/run/run.h"

enum dc_observed { DC_OBSERVED_Q, DC_OBSERVED_QD, DC_OBSERVED_POSITION, DC_OBSERVED_ROTATION, DC_OBSERVED };

// Demonstrations of one kind: they have the same bodies, joints and actuators.
struct dc_dataset;

// NULL when out of memory.
struct dc_dataset *dc_dataset_create(void);
void dc_dataset_destroy(struct dc_dataset *dataset);

// Adds the trajectory of a run of scene under a name, which is copied, as everything is.  certificate: its JSON text,
// or NULL where there is none.  DC_BAD_INPUT when the scene has neither actuators nor torques, or other bodies, joints
// or actuators than those before; DC_MEMORY.
enum dc_status dc_dataset_add(struct dc_dataset *dataset, const char *name, const struct dc_scene *scene,
                              const struct dc_run_result *result, const struct dc_stored_trajectory *trajectory,
                              const char *certificate, struct dc_error *error);

struct dc_dataset_sizes {
  int demonstrations, reached, certified;  // certified: of certificates that hold
  long samples;  // steps of all of them
  int observed[DC_OBSERVED], actions, bodies;
};
struct dc_dataset_sizes dc_dataset_sizes(const struct dc_dataset *dataset);

// The bytes of the file, released with free().
enum dc_status dc_dataset_image(const struct dc_dataset *dataset, char **bytes, size_t *size, struct dc_error *error);

// Adds all of it to an archive that becomes a Zarr store of version 2, to be written by dc_npz_write: arrays of all
// demonstrations behind each other in data/, where each of them ends in meta/.
void dc_dataset_put_zarr(const struct dc_dataset *dataset, struct dc_npz *archive);

#endif
