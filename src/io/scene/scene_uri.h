// SPDX-License-Identifier: Apache-2.0
// Where the files are that a robot's file names.  Private to src/io/scene.
#ifndef DC_IO_SCENE_URI_H
#define DC_IO_SCENE_URI_H

#include "io/scene/scene_build.h"

// Looks for the files of one robot.  Paths that it finds live in the scene's arena.
struct dc_scene_finder {
  struct dc_scene_build *build;
  const char *robot;    // name of the robot's file, as notes say it
  const char *folder;   // that the file lies in, real
  const char *guessed;  // the last package whose files were looked for elsewhere: its name, in the robot's text
  size_t guessed_length;
};

// The real path of a URI in a file that lies in folder.  DC_BAD_INPUT with a rule if there is no such file or the scene
// may not read it, DC_MEMORY.
enum dc_status dc_scene_find_uri(struct dc_scene_finder *finder, const char *folder, const char *file,
                                 const char **path, struct dc_error *error);
// The same of what a <mesh> of the robot's file names: as it stands, or with the bytes that %20 and the like mean.
enum dc_status dc_scene_find_mesh(struct dc_scene_finder *finder, const char *file, const char **path,
                                  struct dc_error *error);

#endif
