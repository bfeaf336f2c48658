// SPDX-License-Identifier: Apache-2.0
// Recorded motions in files: trajectories of ours and tables of markers.  Private to src/io.
#ifndef DC_IO_RECORDING_H
#define DC_IO_RECORDING_H

#include "body/body.h"
#include "task/recording.h"

// Reads the file at path, which ends in ".csv" (a table) or not (a trajectory.h5), for bodies of the model: those of
// the list, which must all be there, or, when it is empty, those that move and are there.  Owned by arena.
// DC_BAD_INPUT, with the file's name and of a table line and column; DC_IO, DC_MEMORY.
enum dc_status dc_recording_read(const char *path, const struct dc_bodies *bodies, const struct dc_index_list *wanted,
                                 struct dc_arena *arena, struct dc_recording *recording, struct dc_error *error);

// The table; text ends in a zero and is changed.
enum dc_status dc_recording_parse_csv(const char *path, char *text, const struct dc_bodies *bodies,
                                      const struct dc_index_list *wanted, struct dc_arena *arena,
                                      struct dc_recording *recording, struct dc_error *error);

#endif
