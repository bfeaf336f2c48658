// SPDX-License-Identifier: Apache-2.0
// The format of scene files: what reader, resolved text and schema share.
#ifndef DC_IO_SCENE_FORMAT_H
#define DC_IO_SCENE_FORMAT_H

#include "io/json/json_write.h"
#include "io/scene/options_reader.h"
#include "io/scene/scene.h"

enum {
  DC_SCENE_MOST_BODIES = 100000,
  DC_SCENE_MOST_SHAPES = 10000,
  DC_SCENE_MOST_TRIANGLES = 1 << 24,     // of all shapes together
  DC_SCENE_MOST_PLANT_STEPS = 10000000,  // steps of the scene times those of the plant in one
  DC_SCENE_MOST_INCLUDES = 64,
  DC_SCENE_MOST_CASES = 64,
  DC_SCENE_MOST_ENTRIES = 1000  // controls, objectives, design, couplings
};
#define DC_SCENE_MOST_TRAJECTORY_BYTES (16.0 * 1024 * 1024 * 1024)

extern const char *const dc_scene_keys[];       // at the top, NULL-terminated
extern const char *const dc_scene_case_keys[];  // of an element of "cases", NULL-terminated
extern const char *const dc_scene_sections[];   // those that hold an object of options

extern const struct dc_option dc_gravity_options[];  // into struct dc_model_definition
extern const struct dc_option dc_problem_options[];  // into an int: 0 trajectory, 1 refine
extern const struct dc_option dc_pairs_options[];    // into struct dc_refinement
extern const struct dc_option dc_camera_options[];   // into struct dc_camera
extern const struct dc_option dc_shot_options[];     // into struct dc_shot

// An element of "include": a robot.  Beside these there is "joint_position", an object of numbers, each of which the
// one option of dc_start_options describes.
struct dc_include_options {
  const char *file, *prefix;
  double position[3], rotation[4];  // of the root link
  struct dc_object_list base;       // struct dc_joint_definition: of the root link
  struct dc_pd_definition *pd;
  bool collide, convex;
  long hull_points;          // of the hulls of collision meshes; -1: as the problem wants it
  double longest_edge;       // NAN: as the problem wants it
  const char *srdf;          // NULL: none
  int inertia;               // enum dc_urdf_inertia_policy
  int overlaps;              // enum dc_include_overlaps
  int self_contact;          // enum dc_include_self_contact
  int self_field;            // enum dc_include_self_field
  int effort, dynamics;      // enum dc_include_effort
  const char *keyframe;      // of MJCF files; NULL: none
  int unsupported;           // enum dc_include_unsupported
  int surface;               // enum dc_surface of its shapes
  double color[3], density;  // NAN: not given
};
// Links of one robot: all touch, those that may meet, none, those of which the file says so; and those that overlap at
// the start of the scene.
enum dc_include_self_contact { DC_SELF_CONTACT_ALL, DC_SELF_CONTACT_AUTO, DC_SELF_CONTACT_NONE, DC_SELF_CONTACT_FILE };
enum dc_include_self_field { DC_SELF_FIELD_FULL, DC_SELF_FIELD_NEAR };
enum dc_include_effort { DC_EFFORT_NONE, DC_EFFORT_FILE };
enum dc_include_overlaps { DC_OVERLAPS_EXCLUDE, DC_OVERLAPS_REFUSE, DC_OVERLAPS_SEPARATE };
enum dc_include_unsupported { DC_UNSUPPORTED_STRUCTURE, DC_UNSUPPORTED_REFUSE, DC_UNSUPPORTED_SKIP };
extern const struct dc_option dc_include_options[], dc_start_options[];

// The families whose member a scene chooses by name.
enum dc_family {
  DC_CONTACT_MODELS,
  DC_SHAPE_TYPES,
  DC_CONTROL_TYPES,
  DC_OBJECTIVE_TYPES,
  DC_DESIGN_TYPES,
  DC_OPTIMIZER_TYPES,
  DC_LEAST_SQUARES_TYPES  // optimizers of refinements
};
struct dc_family_member {
  const char *name, *summary;
  const struct dc_option *options;
};
enum { DC_FAMILY_MOST = 64 };
// The members of a family in the order of its registry, at most DC_FAMILY_MOST; their number.
int dc_family_members(enum dc_family family, struct dc_family_member members[DC_FAMILY_MOST]);
// The optimizer at that index of DC_OPTIMIZER_TYPES or DC_LEAST_SQUARES_TYPES.
const struct dc_optimizer_type *dc_family_optimizer(enum dc_family family, int index);
// Their names, NULL-terminated.
void dc_family_names(enum dc_family family, const char *names[DC_FAMILY_MOST + 1]);

#define DC_DEFAULT_CONTACT_MODEL "bsh"
#define DC_DEFAULT_OPTIMIZER "adam"
#define DC_DEFAULT_LEAST_SQUARES "levenberg_marquardt"

// True when the string of an option, of a shape or an objective, names a file.
bool dc_is_file_option(const struct dc_option *option);

// Whether a name can stand in a path and on a terminal; what a name that cannot breaks.
bool dc_is_name(const char *name);
#define DC_NAME_RULE "must be 1 to 255 bytes without '/' or control characters, not \".\" or \"..\""

// The real path of file, as a scene in folder may open it: the file must exist and lie in folder, the data directory
// or one of the allowed or package folders, all symbolic links followed.  The path is owned by arena; messages have the
// full path and the reason.
enum dc_status dc_scene_find_file(const char *folder, const char *file, const struct dc_scene_settings *settings,
                                  struct dc_arena *arena, const char **path, struct dc_error *error);
// The real path of the folder called name, or of the one that holds the file path; owned by arena.
enum dc_status dc_scene_folder(const char *name, struct dc_arena *arena, const char **folder, struct dc_error *error);
enum dc_status dc_scene_folder_of(const char *path, struct dc_arena *arena, const char **folder,
                                  struct dc_error *error);

// Writes the options of a structure as members of the object that writer is in; absent ones are left out.  Reading the
// members gives the same options.  Names of bodies and shapes are those of scene.
void dc_put_options(struct dc_json_writer *writer, const struct dc_scene *scene, const struct dc_option *table,
                    const void *options);
// Writes the JSON Schema of the value of option, as a member called like it.
void dc_put_option_schema(struct dc_json_writer *writer, const struct dc_option *option);

// The resolved text of a scene (malloc); NULL when out of memory.  models: JSON text of its overlays for other contact
// models, or NULL.
char *dc_scene_resolve(const struct dc_scene *scene, const char *models);

#endif
