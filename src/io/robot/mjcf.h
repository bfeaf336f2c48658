// SPDX-License-Identifier: Apache-2.0
// Models in MuJoCo's format (https://mujoco.readthedocs.io/en/stable/XMLreference.html), read without MuJoCo: a file
// becomes a compiled model, the model becomes entries of a scene's tree.  Private to src/io.
#ifndef DC_IO_MJCF_H
#define DC_IO_MJCF_H

#include <stdbool.h>

#include "base/notes.h"
#include "io/json/json_value.h"
#include "io/robot/mjcf_tree.h"
#include "io/robot/urdf.h"

// Whether the first element of a text is <mujoco>.
bool dc_mjcf_is(const char *text);

struct dc_mjcf;

// The model of a file, whose text, names and path are kept by reference, as is opener; strings and meshes are owned by
// arena.  Also after a failure it is to be released with dc_mjcf_release; NULL is fine there.  DC_BAD_INPUT with
// "name:line:column: rule", DC_MEMORY, statuses of opener->find.
enum dc_status dc_mjcf_load(struct dc_mjcf **mjcf, const struct dc_mjcf_file *file, const struct dc_mjcf_opener *opener,
                            struct dc_arena *arena, struct dc_error *error);
void dc_mjcf_release(struct dc_mjcf *mjcf);

int dc_mjcf_joint_count(const struct dc_mjcf *mjcf);
// The hinge or slide of that name, or -1.
int dc_mjcf_find_joint(const struct dc_mjcf *mjcf, const char *name);

// How a model stands in a scene.
struct dc_mjcf_use {
  struct dc_urdf_use
      common;            // prefix, pose (of the model's world), pd, collide, hull_points, color, notes, start of joints
  bool refuse_forces, refuse_structure;  // refuse a model for what has no counterpart here instead of leaving it out:
                                         // forces; bodies, geometry and what holds bodies together
  const char *keyframe;  // its name: where the model starts; NULL: where its coordinates are those of its description
};

// Appends the model to "shapes", "bodies" and "couplings" as dc_urdf_add does, and its gravity where the scene says
// none.
enum dc_status dc_mjcf_add(struct dc_mjcf *mjcf, const struct dc_mjcf_use *use, struct dc_arena *arena,
                           struct dc_json_document *document, const cJSON *at, struct dc_error *error);

#endif
