// SPDX-License-Identifier: Apache-2.0
// Models in MuJoCo's own format (https://mujoco.readthedocs.io/en/stable/XMLreference.html), read by MuJoCo itself, so
// that what it compiles is what a scene gets.  Private to src/io; only dc_mjcf_is works in builds without MuJoCo.
#ifndef DC_IO_MJCF_H
#define DC_IO_MJCF_H

#include <stdbool.h>

#include "base/notes.h"
#include "io/json/json_value.h"
#include "io/robot/urdf.h"

// Whether the first element of a text is <mujoco>.
bool dc_mjcf_is(const char *text);

// Whether a file may be read: DC_OK or a status with a message.
typedef enum dc_status dc_mjcf_permit(const void *context, const char *path, struct dc_error *error);

// Checks every file that the model in folder names (its own <include>s too) and that exists: MuJoCo reads whatever it
// is told to.  The text [length] is terminated by a NUL.  DC_BAD_INPUT with "name:line:column: rule", DC_MEMORY.
enum dc_status dc_mjcf_check_files(const char *name, const char *text, size_t length, const char *folder,
                                   dc_mjcf_permit *permit, const void *context, struct dc_arena *arena,
                                   struct dc_error *error);

struct dc_mjcf;

// The compiled model of the file at path, called name in messages; text: its text, kept by reference.  To be released
// with dc_mjcf_release, NULL is fine there.  DC_BAD_INPUT with what MuJoCo says, DC_MEMORY.
enum dc_status dc_mjcf_load(struct dc_mjcf **mjcf, const char *name, const char *path, const char *text,
                            struct dc_error *error);
void dc_mjcf_release(struct dc_mjcf *mjcf);

int dc_mjcf_joint_count(const struct dc_mjcf *mjcf);
// The hinge or slide of that name, or -1.
int dc_mjcf_find_joint(const struct dc_mjcf *mjcf, const char *name);

// How a model stands in a scene.
struct dc_mjcf_use {
  struct dc_urdf_use
      common;            // prefix, pose (of the model's world), pd, collide, hull_points, color, notes, start of joints
  bool skip;             // leave out what has no counterpart, with a note, instead of refusing the model
  const char *keyframe;  // its name: where the model starts; NULL: where its coordinates are those of its description
};

// Appends the model to "shapes", "bodies" and "couplings" as dc_urdf_add does.
enum dc_status dc_mjcf_add(const struct dc_mjcf *mjcf, const struct dc_mjcf_use *use, struct dc_arena *arena,
                           struct dc_json_document *document, uint32_t source, const cJSON *at, struct dc_error *error);

#endif
