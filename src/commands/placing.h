// SPDX-License-Identifier: Apache-2.0
// The start of a scene as numbers that somebody changes by hand: places and turns of free bodies, coordinates of
// joints. Private to src/commands.
#ifndef DC_COMMANDS_PLACING_H
#define DC_COMMANDS_PLACING_H

#include "api/internal.h"
#include "io/json/json_write.h"

enum dc_placing_kind { DC_PLACING_POSITION, DC_PLACING_TURN, DC_PLACING_JOINT };

// One number.  A turn is an angle about an axis of the world, after which the body turns about the next axis; turns are
// zero at the scene's own start.
struct dc_placing_slider {
  enum dc_placing_kind kind;
  const char *body;   // name
  const char *joint;  // name in an included file; NULL: the body is the scene's own
  int include;        // index of that include
  int axis;           // 0 .. 2 of a position or turn; index into joint_position of a joint
  int count;          // coordinates of the body's joint_position
  bool angle;         // rad, otherwise m
  double low, high, given, value;
};

// The scene at the file's start, its sliders, and the scene as they stand.
struct dc_placing {
  struct dc_arena *arena;
  const char *path;
  const dcsim_scene_options *options;
  dcsim_scene *first, *present;
  int count;
  struct dc_placing_slider *sliders;
};

// Opens the scene; released by dc_placing_close also after a failure.  Statuses of dcsim_scene_open; DC_USAGE: nothing
// moves in it.
int dc_placing_open(struct dc_placing *placing, const char *path, const dcsim_scene_options *options,
                    dcsim_error *error);
void dc_placing_close(struct dc_placing *placing);
// Puts slider i to a value within its range and opens the scene anew; after a failure all is as before.
int dc_placing_move(struct dc_placing *placing, int i, double value, dcsim_error *error);
// All sliders as in the file.
int dc_placing_reset(struct dc_placing *placing, dcsim_error *error);
// Writes what has changed into the scene's file, whose other text stays as it is, and opens it: sliders are anew.
// DC_BAD_INPUT when the file is no longer the one that was opened, or would not open afterwards; DC_IO, DC_MEMORY.
int dc_placing_save(struct dc_placing *placing, dcsim_error *error);

#endif
