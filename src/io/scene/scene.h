// SPDX-License-Identifier: Apache-2.0
// Scene files: JSON in, a checked and fully resolved description out.
#ifndef DC_IO_SCENE_H
#define DC_IO_SCENE_H

#include <stdint.h>

#include "base/notes.h"
#include "dynamics/contact_scale.h"
#include "optimize/optimizer.h"
#include "plan/certify.h"
#include "plan/receding_horizon.h"
#include "plan/refine.h"
#include "plan/search.h"
#include "plan/shot.h"
#include "task/task.h"

struct dc_camera {
  double eye[3], target[3], up[3];
  double fov_deg;
  bool given;  // false: choose one that shows everything
};

// "problem": "refine": no time, poses are sought at which pairs of points touch.
struct dc_refinement {
  bool given;
  struct dc_refine_settings settings;
  struct dc_object_list pairs;  // struct dc_refine_pair
  const struct dc_optimizer_type *method;
  void *method_options;
};

// Cases: the scene with changes, each a scene of its own, in task.cases too.
struct dc_scene_cases {
  int count;
  struct dc_scene **scenes;  // [count]; owned
  char *text;                // "cases" as JSON text, NULL without; owned
};

// Files that a scene was read from.  Strings belong to the scene's arena.
struct dc_scene_source {
  const char *folder;                    // real path of the folder that files are looked for in
  const char *text;                      // the file as read
  uint64_t scene_hash, mesh_hash;        // mesh_hash: of what other files hold, meshes and recorded motions
  const struct dc_scene_places *places;  // lines and columns of the text's values
  const struct dc_robot_start *starts;   // joints of included robots, in any order (io/robot/urdf.h)
  int mesh_file_count;
  const char **mesh_files;  // opened paths, of recorded motions too, for copying beside resolved.json
};

struct dc_scene {
  struct dc_scene_cases cases;
  char *other_models;      // of a scene with a design: dc_scene_keep_models
  struct dc_arena *arena;  // owns everything below
  const char *path;        // of the scene file as given; of a text the name in messages
  struct dc_scene_source source;
  const char *name;
  char *resolved;  // JSON text with defaults, overrides and overlays applied
  struct dc_shape *shapes;
  struct dc_body_definition *bodies;
  struct dc_coupling *couplings;
  struct dc_model_definition definition;  // refers to the above
  struct dc_model model;                  // built from it
  struct dc_task task;
  struct dc_shot shot;  // of the first objective that has one; its objectives are then made by plan/
  const struct dc_optimizer_type *optimizer;
  void *optimizer_options;
  struct dc_gradient_settings gradient;
  bool first_guess_given;  // look at the gradient at the first guess, and draw others; otherwise zero
  struct dc_first_guess_settings first_guess;
  struct dc_search_settings search;  // zeros for what is not given
  bool horizon_given;                // optimize by a receding horizon
  struct dc_horizon horizon;
  bool plant_given;  // execute in the plant, which horizon.plant then is
  struct dc_plant plant;
  bool certify_given;
  struct dc_certify certify;        // what a certificate demands; otherwise the defaults
  struct dc_refinement refinement;  // given: there are no controls, objectives, optimizer, gradient, horizon
  struct dc_camera camera;
  struct dc_contact_choice contact_choice;  // what the contact settings were chosen by
  struct dc_notes notes;                    // what was done beyond what the files say
};

struct dc_scene_settings {
  const char *text;      // the scene itself, or NULL: it is read from a file
  const char *folder;    // of a text: where its files are looked for; NULL: the working directory
  const char *model;     // --model, or NULL: the scene's
  const char *gradient;  // --gradient, or NULL: the scene's
  const char *plant;     // --plant: a contact model, an object as JSON, or "none"; NULL: the scene's
  int override_count;
  const char *const *overrides;  // --set, "path=value"
  int allowed_path_count;
  const char *const *allowed_paths;  // --allow-path folders
  int package_path_count;
  const char *const
      *package_paths;  // --package-path folders: package:// paths begin there; files may be read from them
  int only_case;       // read the scene with the changes of this case, counted from 1, and without others; 0: the scene
  bool confined;  // files lie below the scene's folder, whatever else is allowed
  bool seed_given;
  uint64_t seed;  // --seed: replaces the seeds of a shot, of gradients and of the first guess
};

// Reads, checks and builds a scene from the file at path or from settings->text, which messages then call path.
// Nothing is created on disk.  On failure *scene is NULL and the message is "file:line:column: path: rule".
enum dc_status dc_scene_read(const char *path, const struct dc_scene_settings *settings, struct dc_scene **scene,
                             struct dc_error *error);
void dc_scene_destroy(struct dc_scene *scene);

// For mistakes that show only when the scene is put together: puts "file:line:column: path: " of a part of the scene,
// of bodies, controls and design that with the given number, in front of the message of *error.  Returns the status of
// *error.
enum dc_scene_part { DC_PART_BODY, DC_PART_CONTROL, DC_PART_DESIGN, DC_PART_SHOT, DC_PART_TIME };
enum dc_status dc_scene_wrap(const struct dc_scene *scene, enum dc_scene_part part, int index, struct dc_error *error);

// The JSON Schema (draft 2020-12) of the format, made from the option tables; owned by the caller (free()).
char *dc_scene_schema(void);

#endif
