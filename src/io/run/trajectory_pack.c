// SPDX-License-Identifier: Apache-2.0
// A trajectory that was read goes from the reading process to its caller in one piece: its sizes, then its
// arrays.  The list of arrays (list_arrays) is made on both sides from sizes and scene and says order and
// lengths, so that packing and unpacking cannot differ; the length of the piece is compared with it before
// anything is copied.
#include <stdlib.h>
#include <string.h>

#include "io/run/trajectory_h5.h"

// Sizes of a trajectory, as they go from one process to the other in front of its arrays.  The flags say which
// arrays are there.
struct extent {
  int frames, all_frames, control_count, target_steps, target_apply;
  int contacts;
  bool gaps, targets, nodes, motion[DC_MOTIONS];
};

enum { PLAIN_ARRAYS = 8, FIXED_ARRAYS = PLAIN_ARRAYS + DC_MOTIONS + DC_H5_CONTACT_SETS };
// One array of doubles and how many it holds; values is NULL on the receiving side, until it has memory for
// them.
struct array {
  double *values;
  size_t count;
};

// Lists the arrays [FIXED_ARRAYS + joint_count] in the order in which they are passed.  The number of their numbers.
static size_t list_arrays(struct dc_stored_trajectory *trajectory, const struct extent *extent,
                          const struct dc_bodies *bodies, struct array *arrays)
{
  size_t frames = (size_t)extent->frames, rows = frames * (size_t)trajectory->bodies, sum = 0;
  size_t pulls = extent->targets ? (size_t)extent->target_steps * (size_t)bodies->actuator_count : 0;
  const struct array fixed[PLAIN_ARRAYS] = {
      {trajectory->time, frames},
      {trajectory->position, 3 * rows},
      {trajectory->quaternion, 4 * rows},
      {trajectory->control, (size_t)extent->control_count},
      {trajectory->min_gap, extent->gaps ? frames : 0},
      {(double *)trajectory->targets.position, pulls},
      {(double *)trajectory->targets.velocity, pulls},
      {trajectory->nodes, extent->nodes ? 3 * frames * (size_t)bodies->node_count : 0}};
  memcpy(arrays, fixed, sizeof fixed);
  struct array *more = arrays + PLAIN_ARRAYS;
  for (enum dc_motion m = 0; m < DC_MOTIONS; m++)
    *more++ = (struct array){trajectory->motion[m],
                             extent->motion[m] ? frames * (size_t)dc_motion_columns(bodies, m, NULL) : 0};
  for (int i = 0; i < DC_H5_CONTACT_SETS; i++) {
    size_t width = dc_h5_contact_sets[i].columns ? (size_t)dc_h5_contact_sets[i].columns : 1;
    *more++ = (struct array){*dc_h5_contact_array(&trajectory->contacts, i), (size_t)extent->contacts * width};
  }
  for (int j = 0; j < trajectory->joint_count; j++)
    arrays[FIXED_ARRAYS + j] =
        (struct array){trajectory->joints[j].values, frames * (size_t)trajectory->joints[j].width};
  for (int i = 0; i < FIXED_ARRAYS + trajectory->joint_count; i++)
    sum += arrays[i].count;
  return sum;
}

// Packs a trajectory that was read into one block: sizes, then all arrays in the order of list_arrays.  The child
// process that reads the HDF5 file hands it over this way.
enum dc_status dc_h5_pack(struct dc_stored_trajectory *trajectory, const struct dc_bodies *bodies, const char *path,
                          char **bytes, size_t *size, struct dc_error *error)
{
  struct extent extent = {.frames = trajectory->frames,
                          .all_frames = trajectory->all_frames,
                          .control_count = trajectory->control_count,
                          .target_steps = trajectory->targets.steps,
                          .target_apply = trajectory->targets.apply,
                          .contacts = trajectory->contacts.count,
                          .gaps = trajectory->min_gap != NULL,
                          .targets = trajectory->targets.position != NULL,
                          .nodes = trajectory->nodes != NULL};
  for (enum dc_motion m = 0; m < DC_MOTIONS; m++)
    extent.motion[m] = trajectory->motion[m] != NULL;
  int count = FIXED_ARRAYS + trajectory->joint_count;
  struct array *arrays = dc_alloc((size_t)count, sizeof *arrays);
  if (arrays) {
    size_t numbers = list_arrays(trajectory, &extent, bodies, arrays);
    *size = sizeof extent + numbers * sizeof(double);
    *bytes = malloc(*size);
  }
  if (*bytes) {
    memcpy(*bytes, &extent, sizeof extent);
    char *to = *bytes + sizeof extent;
    for (int i = 0; i < count; to += arrays[i].count * sizeof(double), i++)
      if (arrays[i].count)
        memcpy(to, arrays[i].values, arrays[i].count * sizeof(double));
  }
  free(arrays);
  return *bytes ? DC_OK : dc_out_of_memory_in(error, path);
}

// Memory of the trajectory's own for arrays [count], filled from the numbers at from.
static enum dc_status copy_arrays(struct dc_arena *arena, struct array *arrays, int count, const char *from)
{
  for (int i = 0; i < count; i++) {
    arrays[i].values = dc_arena_alloc(arena, arrays[i].count, sizeof(double));
    if (!arrays[i].values)
      return DC_MEMORY;
    memcpy(arrays[i].values, from, arrays[i].count * sizeof(double));
    from += arrays[i].count * sizeof(double);
  }
  return DC_OK;
}

// Points the trajectory's members at their arrays, in the order of list_arrays.
static void place_arrays(struct dc_stored_trajectory *trajectory, const struct extent *extent,
                         const struct array *arrays)
{
  trajectory->time = arrays[0].values;
  trajectory->position = arrays[1].values;
  trajectory->quaternion = arrays[2].values;
  trajectory->control = arrays[3].values;
  trajectory->min_gap = extent->gaps ? arrays[4].values : NULL;
  if (extent->targets)
    trajectory->targets = (struct dc_applied_targets){.steps = extent->target_steps,
                                                      .apply = extent->target_apply,
                                                      .position = arrays[5].values,
                                                      .velocity = arrays[6].values};
  trajectory->nodes = extent->nodes ? arrays[7].values : NULL;
  for (enum dc_motion m = 0; m < DC_MOTIONS; m++)
    trajectory->motion[m] = extent->motion[m] ? arrays[PLAIN_ARRAYS + m].values : NULL;
  trajectory->contacts.count = extent->contacts;
  for (int i = 0; i < DC_H5_CONTACT_SETS; i++)
    *dc_h5_contact_array(&trajectory->contacts, i) = arrays[PLAIN_ARRAYS + DC_MOTIONS + i].values;
  for (int j = 0; j < trajectory->joint_count; j++)
    trajectory->joints[j].values = arrays[FIXED_ARRAYS + j].values;
}

// The inverse; a block of other sizes than it says means that HDF5 could not read the file.
enum dc_status dc_h5_unpack(struct dc_stored_trajectory *trajectory, const struct dc_bodies *bodies, const char *path,
                            const char *bytes, size_t size, struct dc_error *error)
{
  struct extent extent = {0};
  if (size >= sizeof extent)
    memcpy(&extent, bytes, sizeof extent);
  if (extent.frames == 0)
    return DC_OK;
  trajectory->frames = extent.frames;
  trajectory->all_frames = extent.all_frames;
  trajectory->control_count = extent.control_count;
  trajectory->bodies = bodies->count;
  enum dc_status status = dc_h5_describe_joints(bodies, trajectory);
  int count = FIXED_ARRAYS + trajectory->joint_count;
  struct array *arrays = dc_alloc((size_t)count, sizeof *arrays);
  size_t numbers = arrays && !status ? list_arrays(trajectory, &extent, bodies, arrays) : 0;
  if (!arrays)
    status = DC_MEMORY;
  else if (!status && (size - sizeof extent) / sizeof(double) != numbers)
    status = DC_IO;
  if (!status)
    status = copy_arrays(trajectory->arena, arrays, count, bytes + sizeof extent);
  if (!status)
    place_arrays(trajectory, &extent, arrays);
  free(arrays);
  if (status == DC_IO)
    return dc_fail(error, status, "%.800s: HDF5 cannot read it", path);
  return status ? dc_fail(error, status, "%.800s: out of memory", path) : DC_OK;
}
