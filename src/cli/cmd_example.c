// SPDX-License-Identifier: Apache-2.0
// dcsim example: a shipped scene with all the files that it names, in the present folder.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/commands.h"
#include "cli/copying.h"

static const char *const names[] = {"ant_push",
                                    "billiards",
                                    "billiards_paper",
                                    "billiards_random",
                                    "billiards_stones",
                                    "book_stacking",
                                    "box_slide",
                                    "cable_arm",
                                    "cloth_curtain",
                                    "cloth_drape",
                                    "codesign_biped",
                                    "codesign_chain",
                                    "codesign_hand",
                                    "codesign_parallel_jaw",
                                    "codesign_reach",
                                    "codesign_single_jaw",
                                    "codesign_spider",
                                    "figures",
                                    "franka_push",
                                    "free_fall",
                                    "gather",
                                    "gather_bunny",
                                    "grasp_hand3_angle",
                                    "grasp_hand3_ball",
                                    "grasp_hand3_bottle",
                                    "grasp_hand3_brick",
                                    "grasp_hand3_can",
                                    "grasp_hand3_cup",
                                    "grasp_hand3_egg",
                                    "grasp_hand3_hammer",
                                    "grasp_hand3_stool",
                                    "grasp_hand3_torus",
                                    "grasp_hand4_can",
                                    "grasp_hand5_angle",
                                    "grasp_hand5_ball",
                                    "grasp_hand5_bottle",
                                    "grasp_hand5_brick",
                                    "grasp_hand5_can",
                                    "grasp_hand5_cup",
                                    "grasp_hand5_egg",
                                    "grasp_hand5_hammer",
                                    "grasp_hand5_stool",
                                    "grasp_hand5_torus",
                                    "identify_arm",
                                    "identify_push",
                                    "push",
                                    "soft_gripper",
                                    "soft_identify",
                                    "soft_lift",
                                    "sort",
                                    "spin",
                                    "two_balls",
                                    "wall_and_blocks",
                                    NULL};
static const char *const summaries[] = {
    "an ant of nine links walks up to a block and pushes it",
    "a shot brings balls to their places: start and velocity of the cue ball",
    "the same shot with the optimizer of the paper alone",
    "the same with balls and targets that can be drawn at random",
    "the same with superquadric stones and the contact model manifold",
    "twenty planks are stacked to lean over as far as they stand",
    "a box slides over a triangulated floor and meets another",
    "a soft arm on cables draws a letter",
    "stiffness of a curtain from the recorded motion of six points",
    "a cloth falls on a ball and is to lie over its middle",
    "motion and feet of a biped that walks",
    "motion and link lengths of three hanging chains",
    "motion and shape of a hand that lifts three objects",
    "motion and shape of two jaws that lift four objects",
    "a pusher grows towards a block that it does not touch",
    "shape of a plate that lifts an X",
    "gait and feet of a spider that climbs a slope",
    "two figures of superquadrics, one dropped on the other: for dcsim bench manifold",
    "a Franka arm from its URDF pushes a block",
    "a ball is thrown so that it falls to a place",
    "a rod gathers cubes, window by window",
    "the same with bunnies; needs ../meshes/bunny.obj, which is not shipped",
    "a hand of three fingers takes hold of an angle",
    "a hand of three fingers takes hold of a ball",
    "a hand of three fingers takes hold of a bottle",
    "a hand of three fingers takes hold of a brick",
    "a hand of three fingers takes hold of a can",
    "a hand of three fingers takes hold of a cup",
    "a hand of three fingers takes hold of an egg",
    "a hand of three fingers takes hold of a hammer",
    "a hand of three fingers takes hold of a stool",
    "a hand of three fingers takes hold of a torus",
    "a hand of four fingers takes hold of a can",
    "a hand of five fingers takes hold of an angle",
    "a hand of five fingers takes hold of a ball",
    "a hand of five fingers takes hold of a bottle",
    "a hand of five fingers takes hold of a brick",
    "a hand of five fingers takes hold of a can",
    "a hand of five fingers takes hold of a cup",
    "a hand of five fingers takes hold of an egg",
    "a hand of five fingers takes hold of a hammer",
    "a hand of five fingers takes hold of a stool",
    "a hand of five fingers takes hold of a torus",
    "gains of actuators from a recorded motion",
    "mass and friction of a box from a recorded motion",
    "a rod pushes a box to its place, window by window",
    "a gripper lifts a soft block by friction",
    "stiffness and friction of a block of jelly from a recorded motion",
    "a force on a point of its top lifts a soft block",
    "a rod sorts cubes of two colours, window by window",
    "a capsule tumbles over a floor: every kind of initial control",
    "a ball at rest finds out how to hit another one",
    "a spinning block pushes another one against a wall",
};

enum { MOST_BYTES = 1 << 20 };  // of a scene or a robot's file

static char *read_text(const char *path)
{
  FILE *file = fopen(path, "re");
  char *text = file ? malloc(MOST_BYTES + 1) : NULL;
  if (text)
    text[fread(text, 1, MOST_BYTES, file)] = '\0';
  if (file)
    fclose(file);
  return text;
}

static bool is_file(const char *path)
{
  struct stat info;
  return stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

static bool is_listed(const struct cli_copying *copying, const char *to)
{
  for (int i = 0; i < copying->count; i++)
    if (copying->to[i] && strcmp(copying->to[i], to) == 0)
      return true;
  return false;
}

static bool ends_with(const char *text, const char *end)
{
  size_t length = strlen(text), own = strlen(end);
  return length >= own && strcmp(text + length - own, end) == 0;
}

// Lists the file of this name below the folder of scenes, once, if there is one.
static bool add_file(struct cli_copying *copying, const char *folder, const char *name)
{
  char path[CLI_COPY_PATH];
  if (snprintf(path, sizeof path, "%s%s", folder, name) >= (int)sizeof path || !is_file(path) ||
      is_listed(copying, name))
    return true;
  return cli_copying_add(copying, path, name);
}

// What a text names in quotes, as seen from where it stands, and the licence beside it.  What is above the folder of scenes
// is left out.
static bool add_named(struct cli_copying *copying, const char *folder, const char *name, const char *text)
{
  char named[CLI_COPY_PATH];
  const char *slash = strrchr(name, '/'), *close;
  int before = slash ? (int)(slash - name) + 1 : 0;
  snprintf(named, sizeof named, "%.*sLICENSE", before, name);
  bool well = !slash || add_file(copying, folder, named);
  for (const char *open = strchr(text, '"'); open && well; open = strchr(close, '"')) {
    close = open + 1 + strcspn(open + 1, "\"\n");
    size_t length = (size_t)(close - open) - 1;
    bool below = length > 0 && length < 200 && open[1] != '/' && !memmem(open, length, "..", 2);
    snprintf(named, sizeof named, "%.*s%.*s", before, name, (int)length, open + 1);
    well = !below || add_file(copying, folder, named);
    close += *close == '"';
  }
  return well;
}

// The scene, and what is named by it or by a robot's file that is; the scene comes last.
static bool add_files(struct cli_copying *copying, const char *folder, const char *name, const char *file)
{
  char scene[64];
  (void)file;
  snprintf(scene, sizeof scene, "%s.json", name);
  bool well = add_file(copying, folder, scene) && copying->count > 0;
  for (int i = 0; i < copying->count && well; i++) {
    if (!ends_with(copying->to[i], ".json") && !ends_with(copying->to[i], ".urdf"))
      continue;
    char *text = read_text(copying->from[i]);
    well = text && add_named(copying, folder, copying->to[i], text);
    free(text);
  }
  int last = copying->count - 1;
  if (last > 0) {
    char *from = copying->from[0], *to = copying->to[0];
    copying->from[0] = copying->from[last], copying->to[0] = copying->to[last];
    copying->from[last] = from, copying->to[last] = to;
  }
  return well;
}

static int run(const struct cli_arguments *arguments)
{
  static const struct cli_shelf shelf = {.kind = "example",
                                         .folder = "scenes/",
                                         .names = names,
                                         .summaries = summaries,
                                         .how = "dcsim example NAME copies one here, with the files that it names",
                                         .folders = true,
                                         .add = add_files};
  return cli_copy_from(&shelf, "example", arguments);
}

static const struct cli_option *const options[] = {cli_common_options, NULL};

const struct cli_command cli_command_example = {
    .name = "example",
    .summary = "Copy a shipped scene, with the files that it names, here; list them without an operand.",
    .operand = "NAME",
    .operand_value = CLI_VALUE_CHOICES,
    .operand_choices = names,
    .details = "The scene is written to NAME.json in the present folder.  Nothing is overwritten.",
    .options = options,
    .run = run,
};
