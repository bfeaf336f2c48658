// SPDX-License-Identifier: Apache-2.0
// Models in the Simulation Description Format (http://sdformat.org/spec), versions 1.4 to 1.11: a file becomes the
// structure of urdf.h, which becomes entries of a scene's tree.  Private to src/io.
#ifndef DC_IO_SDF_H
#define DC_IO_SDF_H

#include "io/robot/urdf.h"

enum {
  DC_SDF_MOST_FRAMES = 40000,  // models, links, joints and frames
  DC_SDF_MOST_INCLUDES = 12    // files that include each other, one inside of the other
};

// How files that a file names are found: path [arena] of uri as a file in folder names it.  DC_BAD_INPUT with the
// reason, DC_MEMORY.
struct dc_sdf_files {
  void *context;
  enum dc_status (*find)(void *context, const char *folder, const char *uri, const char **path, struct dc_error *error);
};

struct dc_sdf_options {
  struct dc_sdf_files files;
  const char *path, *folder;  // of the file itself, real
  bool based;                 // the caller says how the root moves: it stays a root
  struct dc_notes *notes;     // gets what of the files does not act
};

// Whether a text is SDF: its first element is <sdf>.
bool dc_sdf_is(const char *text);

// Parses text [length], terminated by a NUL, kept by reference, with all that it includes.  A model whose links no
// joint connects with the world floats, and a static one is fixed: joints to a link "world", unless there is one root
// only and it is based.  *gravity [3]: of its <world>, NAN without.  DC_BAD_INPUT with "name:line:column: rule",
// DC_MEMORY.  After a failure, too, *urdf is to be released.
enum dc_status dc_sdf_parse(struct dc_urdf *urdf, const char *name, const char *text, size_t length,
                            const struct dc_sdf_options *options, struct dc_arena *arena, double gravity[3],
                            struct dc_error *error);

#endif
