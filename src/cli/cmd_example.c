// SPDX-License-Identifier: Apache-2.0
// dcsim example: a shipped scene with all the files that it names, in the present folder.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/commands.h"
#include "cli/copying.h"
#include "cli/signals.h"

// The scenes, each with a line about it.
// clang-format off
#define EXAMPLES(EXAMPLE) \
  EXAMPLE("ant_push", "an ant of nine links walks up to a block and pushes it") \
  EXAMPLE("billiards", "a shot brings balls to their places: start and velocity of the cue ball") \
  EXAMPLE("billiards_paper", "the same shot with the optimizer of the paper alone") \
  EXAMPLE("billiards_random", "the same with balls and targets that can be drawn at random") \
  EXAMPLE("billiards_stones", "the same with superquadric stones and the contact model manifold") \
  EXAMPLE("book_stacking", "twenty planks are stacked to lean over as far as they stand") \
  EXAMPLE("box_slide", "a box slides over a triangulated floor and meets another") \
  EXAMPLE("cable_arm", "a soft arm on cables draws a letter") \
  EXAMPLE("cloth_bar", "a hand hangs a cloth over a bar") \
  EXAMPLE("cloth_curtain", "stiffness of a curtain from the recorded motion of six points") \
  EXAMPLE("cloth_drape", "a cloth falls on a ball and is to lie over its middle") \
  EXAMPLE("cloth_fold", "a hand folds a cloth in half") \
  EXAMPLE("codesign_biped", "motion and feet of a biped that walks") \
  EXAMPLE("codesign_chain", "motion and link lengths of three hanging chains") \
  EXAMPLE("codesign_hand", "motion and shape of a hand that lifts three objects") \
  EXAMPLE("codesign_parallel_jaw", "motion and shape of two jaws that lift four objects") \
  EXAMPLE("codesign_reach", "a pusher grows towards a block that it does not touch") \
  EXAMPLE("codesign_single_jaw", "shape of a plate that lifts an X") \
  EXAMPLE("codesign_spider", "gait and feet of a spider that climbs a slope") \
  EXAMPLE("cushion_catch", "a cushion on a tray catches a thrown ball") \
  EXAMPLE("figures", "two figures of superquadrics, one dropped on the other: for dcsim bench manifold") \
  EXAMPLE("franka_bunny", "a Franka arm pushes a bunny; needs ../meshes/bunny.obj, which is not shipped") \
  EXAMPLE("franka_push", "a Franka arm from its URDF pushes a block") \
  EXAMPLE("free_fall", "a ball is thrown so that it falls to a place") \
  EXAMPLE("gather", "a rod gathers cubes, window by window") \
  EXAMPLE("gather_bunny", "the same with bunnies; needs ../meshes/bunny.obj, which is not shipped") \
  EXAMPLE("grasp_hand3_angle", "a hand of three fingers takes hold of an angle") \
  EXAMPLE("grasp_hand3_ball", "a hand of three fingers takes hold of a ball") \
  EXAMPLE("grasp_hand3_bottle", "a hand of three fingers takes hold of a bottle") \
  EXAMPLE("grasp_hand3_brick", "a hand of three fingers takes hold of a brick") \
  EXAMPLE("grasp_hand3_can", "a hand of three fingers takes hold of a can") \
  EXAMPLE("grasp_hand3_cup", "a hand of three fingers takes hold of a cup") \
  EXAMPLE("grasp_hand3_egg", "a hand of three fingers takes hold of an egg") \
  EXAMPLE("grasp_hand3_hammer", "a hand of three fingers takes hold of a hammer") \
  EXAMPLE("grasp_hand3_stool", "a hand of three fingers takes hold of a stool") \
  EXAMPLE("grasp_hand3_torus", "a hand of three fingers takes hold of a torus") \
  EXAMPLE("grasp_hand4_can", "a hand of four fingers takes hold of a can") \
  EXAMPLE("grasp_hand5_angle", "a hand of five fingers takes hold of an angle") \
  EXAMPLE("grasp_hand5_ball", "a hand of five fingers takes hold of a ball") \
  EXAMPLE("grasp_hand5_bottle", "a hand of five fingers takes hold of a bottle") \
  EXAMPLE("grasp_hand5_brick", "a hand of five fingers takes hold of a brick") \
  EXAMPLE("grasp_hand5_can", "a hand of five fingers takes hold of a can") \
  EXAMPLE("grasp_hand5_cup", "a hand of five fingers takes hold of a cup") \
  EXAMPLE("grasp_hand5_egg", "a hand of five fingers takes hold of an egg") \
  EXAMPLE("grasp_hand5_hammer", "a hand of five fingers takes hold of a hammer") \
  EXAMPLE("grasp_hand5_stool", "a hand of five fingers takes hold of a stool") \
  EXAMPLE("grasp_hand5_torus", "a hand of five fingers takes hold of a torus") \
  EXAMPLE("guide_orient", "the shape of a guide straightens parts that slide along it") \
  EXAMPLE("identify_arm", "gains of actuators from a recorded motion") \
  EXAMPLE("identify_push", "mass and friction of a box from a recorded motion") \
  EXAMPLE("muscle_worm", "a worm crawls by three muscles along its belly") \
  EXAMPLE("pneumatic_finger", "the pressure in a chamber bends a soft finger") \
  EXAMPLE("push", "a rod pushes a box to its place, window by window") \
  EXAMPLE("rope_post", "a hand leads a rope round a post") \
  EXAMPLE("soft_arm_lift", "an arm lifts a part with soft fingers that muscles bend") \
  EXAMPLE("soft_far_push", "a paddle finds the soft block that it stands apart from") \
  EXAMPLE("soft_far_throw", "a soft ball is thrown so that it pushes a soft block") \
  EXAMPLE("soft_gripper", "a gripper lifts a soft block by friction") \
  EXAMPLE("soft_identify", "stiffness and friction of a block of jelly from a recorded motion") \
  EXAMPLE("soft_lift", "a force on a point of its top lifts a soft block") \
  EXAMPLE("soft_quadruped", "an animal of jelly walks on four legs") \
  EXAMPLE("soft_throw_bin", "a soft ball at rest learns how to be thrown into a bin") \
  EXAMPLE("sort", "a rod sorts cubes of two colours, window by window") \
  EXAMPLE("spin", "a capsule tumbles over a floor: every kind of initial control") \
  EXAMPLE("tendon_finger", "tendons let a finger knock a ball to a place") \
  EXAMPLE("toss", "a cube is tossed as in a recorded experiment and tumbles to rest") \
  EXAMPLE("two_balls", "a ball at rest finds out how to hit another one") \
  EXAMPLE("wall_and_blocks", "a spinning block pushes another one against a wall")
// clang-format on
#define NAME(name, summary) name,
#define SUMMARY(name, summary) summary,
static const char *const names[] = {EXAMPLES(NAME) NULL};
static const char *const summaries[] = {EXAMPLES(SUMMARY)};

enum { MOST_BYTES = 1 << 20 };  // of a scene or a robot's file

// A whole file as text; longer ones are cut, which at worst misses names at their end.  NULL: it cannot be
// read.
static char *read_text(const char *path)
{
  FILE *file = cli_open_file(path);
  char *text = file ? malloc(MOST_BYTES + 1) : NULL;
  if (text)
    text[fread(text, 1, MOST_BYTES, file)] = '\0';
  if (file)
    fclose(file);
  return text;
}

// Folders that a scene names in quotes, as it does bodies and shapes, are no files to copy.
static bool is_file(const char *path)
{
  struct stat info;
  return stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

// Whether a file is on the list already: several parts of a scene may name one mesh.
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

// Adds the file of this name below the folder of scenes, once, if it exists.
static bool add_file(struct cli_copying *copying, const char *folder, const char *name)
{
  char path[CLI_COPY_PATH];
  if (snprintf(path, sizeof path, "%s%s", folder, name) >= (int)sizeof path || !is_file(path) ||
      is_listed(copying, name))
    return true;
  return cli_copying_add(copying, path, name);
}

// Adds files that a text names in quotes, relative to its own place, and the licence beside it.  Files above the folder
// of scenes are left out.
static bool add_named(struct cli_copying *copying, const char *folder, const char *name, const char *text)
{
  char named[CLI_COPY_PATH];
  // Names start from the folder of the file that has them, which stands in front of each.
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

// The list grows while it is walked: each file that is added may name more.  At the end the scene changes
// places with the last file, since the last one of the list is the one that must not exist (src/cli/copying.c).
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

// Examples are copied by the code that copies the scenes of `dcsim new`; members of this shelf bring the files along
// that they name.
static int run(const struct cli_arguments *arguments)
{
  cli_signals_end_with_reader();
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
