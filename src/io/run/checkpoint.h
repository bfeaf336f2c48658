// SPDX-License-Identifier: Apache-2.0
// checkpoint.bin of a run directory: a snapshot from which the run goes on bit for bit, and what it belongs to.
#ifndef DC_IO_CHECKPOINT_H
#define DC_IO_CHECKPOINT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/snapshot.h"
#include "io/run/run.h"

// Everything on which the bits of a run depend; a run goes on only when all of it is the same.
struct dc_checkpoint_identity {
  const char *version;  // of the program
  uint64_t scene_hash, mesh_hash;
  const char *vector_width;  // name of the vector kernels
  const char *blas_core;     // core type that OpenBLAS has kernels for
};

// The identity of runs of scene.  Its scene hash is that of DIR/resolved.json, with the names that meshes have there:
// the scene as given and the one read back from the run directory come to the same.  DC_MEMORY.
enum dc_status dc_checkpoint_identify(const struct dc_scene *scene, const char *version, const char *vector_width,
                                      const char *blas_core, struct dc_checkpoint_identity *identity,
                                      struct dc_error *error);

// Makes the rows of the run durable, then replaces DIR/checkpoint.bin: temporary file, fsync, close, rename, fsync of
// the directory, so that after whatever happens there is a whole checkpoint with all its rows, this one or the one
// before.  DC_IO, DC_MEMORY.
enum dc_status dc_checkpoint_write(struct dc_run *run, const struct dc_checkpoint_identity *identity,
                                   const struct dc_snapshot *snapshot, struct dc_error *error);

// Reads DIR/checkpoint.bin into snapshot, which is cleared before.  DC_CHECKPOINT when it is missing, damaged or of
// another format, and, unless force, when it does not belong to identity: the message says what differs.  DC_IO when it
// cannot be read, DC_MEMORY.  After a failure snapshot is empty.
enum dc_status dc_checkpoint_read(const char *directory, const struct dc_checkpoint_identity *identity, bool force,
                                  struct dc_snapshot *snapshot, struct dc_error *error);

#endif
