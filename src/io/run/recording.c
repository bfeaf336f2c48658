// SPDX-License-Identifier: Apache-2.0
// Two kinds of recorded motion come to the same structure: a trajectory.h5 of this program, whose poses are picked by
// the names of bodies, and a table of markers or poses in CSV (recording_csv.c).  The name of the file decides which it
// is.
#include "io/run/recording.h"

#include <stdlib.h>
#include <string.h>

#include "io/run/run.h"
#include "io/run/run_files.h"

static const size_t LARGEST_TABLE = (size_t)64 << 20;

static enum dc_status out_of_memory(const char *path, struct dc_error *error)
{
  return dc_out_of_memory_in(error, path);
}

// The bodies to look for: those of the list, or all that move.
static int *list_bodies(const struct dc_bodies *bodies, const struct dc_index_list *wanted, struct dc_arena *arena,
                        int *count)
{
  int *indices = dc_arena_alloc(arena, (size_t)bodies->count, sizeof *indices);
  *count = 0;
  if (indices && wanted->count)
    memcpy(indices, wanted->indices, (size_t)(*count = wanted->count) * sizeof *indices);
  for (int b = 0; indices && !wanted->count && b < bodies->count; b++)
    if (dc_frame_moves(bodies, b))
      indices[(*count)++] = b;
  return indices;
}

// Reads poses from a trajectory of this program, which holds all bodies of its scene under their names: time
// [rows], positions [rows][bodies][3] and quaternions [rows][bodies][4] are copied into the arena of the
// caller.
static enum dc_status read_trajectory(const char *path, const struct dc_bodies *bodies,
                                      const struct dc_index_list *wanted, struct dc_arena *arena,
                                      struct dc_recording *recording, struct dc_error *error)
{
  int count;
  int *indices = list_bodies(bodies, wanted, arena, &count);
  const char **names = dc_arena_alloc(arena, (size_t)bodies->count, sizeof *names);
  if (!indices || !names)
    return out_of_memory(path, error);
  for (int b = 0; b < count; b++)
    names[b] = bodies->bodies[indices[b]].name;
  struct dc_stored_trajectory stored;
  enum dc_status status = dc_run_read_poses(path, count, names, &stored, error);
  if (status == DC_IO) {  // a scene names the file: that it is another one, or damaged, is a mistake of the scene
    status = error->status = DC_BAD_INPUT;
    dc_error_append(error, "; a recording is a table whose name ends in .csv, or the trajectory.h5 of a run");
  }
  if (status)
    return status;
  size_t rows = (size_t)stored.frames, poses = rows * (size_t)count;
  double *time = dc_arena_alloc(arena, rows, sizeof *time);
  double *position = dc_arena_alloc(arena, poses, 3 * sizeof *position);
  double *quaternion = dc_arena_alloc(arena, poses, 4 * sizeof *quaternion);
  if (time && position && quaternion) {
    memcpy(time, stored.time, rows * sizeof *time);
    memcpy(position, stored.position, 3 * poses * sizeof *position);
    memcpy(quaternion, stored.quaternion, 4 * poses * sizeof *quaternion);
    *recording = (struct dc_recording){.rows = stored.frames,
                                       .body_count = count,
                                       .time = time,
                                       .bodies = indices,
                                       .position = position,
                                       .quaternion = quaternion};
  } else {
    status = out_of_memory(path, error);
  }
  dc_arena_destroy(stored.arena);
  return status;
}

static bool is_table(const char *path)
{
  size_t length = strlen(path);
  return length >= 4 && strcmp(path + length - 4, ".csv") == 0;
}

// Reads recorded motion from a table (a name that ends in .csv) or from the trajectory of a run; wanted NULL:
// of all bodies that move.
enum dc_status dc_recording_read(const char *path, const struct dc_bodies *bodies, const struct dc_index_list *wanted,
                                 struct dc_arena *arena, struct dc_recording *recording, struct dc_error *error)
{
  static const struct dc_index_list all = {0};
  wanted = wanted ? wanted : &all;
  if (!is_table(path))
    return read_trajectory(path, bodies, wanted, arena, recording, error);
  char *text;
  size_t size;
  enum dc_status status = dc_file_read(path, LARGEST_TABLE, &text, &size, error);
  if (status)
    return status;
  status = strlen(text) == size ? dc_recording_parse_csv(path, text, bodies, wanted, arena, recording, error)
                                : dc_fail(error, DC_BAD_INPUT, "%.800s: must not hold bytes of zero", path);
  free(text);
  return status;
}
