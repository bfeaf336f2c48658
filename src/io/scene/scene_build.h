// SPDX-License-Identifier: Apache-2.0
// A scene being read: the parsed tree and what is made of it.
#ifndef DC_IO_SCENE_BUILD_H
#define DC_IO_SCENE_BUILD_H

#include "io/robot/urdf.h"
#include "io/scene/scene_format.h"

// The bodies of an included robot: which of them do not touch each other.
struct dc_scene_robot {
  const char **bodies;  // names [count]
  int count;
  int overlaps, self_contact, self_field;  // enum dc_include_overlaps, _self_contact, _self_field
  const struct dc_scene_robot *next;
};

struct dc_scene_made_shape;  // of a file

struct dc_scene_build {
  struct dc_scene *scene;
  const struct dc_scene_settings *settings;
  struct dc_json_document document;
  struct dc_json root;
  cJSON *own;  // settings of a scene with a design before the overlay of its contact model, overrides applied, or NULL
  struct dc_options_reader reader;
  const struct dc_scene_robot *robots;            // in any order
  const struct dc_scene_made_shape *made_shapes;  // those of files that have been built, in any order
  struct dc_error *error;                         // not NULL
};

// Takes the settings that overlay, an object of options of contact or NULL, gives off the list of those that contact,
// the object that it is about to be merged into, has chosen ("automatic").
void dc_scene_forget_chosen(cJSON *contact, const cJSON *overlay);

// Choose what "contact" leaves open: lengths and speeds, once there are bodies; the stiffness, once it is known what
// touches. Both write into a model and the definition that it was made of.  DC_MEMORY.
enum dc_status dc_scene_choose_lengths(struct dc_scene_build *build, struct dc_model *model,
                                       struct dc_model_definition *definition, struct dc_contact_choice *choice);
enum dc_status dc_scene_choose_stiffness(struct dc_model *model, struct dc_model_definition *definition,
                                         struct dc_contact_choice *choice, struct dc_error *error);

// Parses the file, puts what it includes in place of "include", applies the overlay of the chosen contact model, then
// the overrides.
enum dc_status dc_scene_load_tree(struct dc_scene_build *build);

// Applies the changes of the case that settings ask for and removes "cases"; nothing when they ask for none.
enum dc_status dc_scene_choose_case(struct dc_scene_build *build);
// The cases, read one after the other once the task has been read: how many there are; whether one may be read; it
// becomes the scene's own, also after a failure; what the task keeps of them all.
enum dc_status dc_scene_begin_cases(struct dc_scene_build *build, int *count);
enum dc_status dc_scene_check_case(struct dc_scene_build *build, int k);
enum dc_status dc_scene_add_case(struct dc_scene_build *build, int k, struct dc_scene *made);
enum dc_status dc_scene_end_cases(struct dc_scene_build *build);

// Turns the robots of "include" into entries of "shapes", "bodies", "couplings" and "ties", and removes the key.
enum dc_status dc_scene_include(struct dc_scene_build *build);
// A robot's file as "include" found it: its name in the scene, its real path and folder, its text, the number of that
// as a source of places.
struct dc_scene_robot_file {
  const char *name, *path, *folder, *text;
  size_t length;
  uint32_t source;
};
// The same for one MJCF file; value: the include, use: what its options say, to which the start of joints is added.
// DC_BAD_INPUT in builds without MuJoCo.
enum dc_status dc_scene_include_mjcf(struct dc_scene_build *build, const struct dc_json *value,
                                     const struct dc_include_options *options, const struct dc_urdf_use *use,
                                     const struct dc_scene_robot_file *file);
// Adds pairs of bodies of one robot that overlap at the start, or that need not be looked at, to "collide_except", with
// notes, and builds the model again.
enum dc_status dc_scene_exclude_pairs(struct dc_scene_build *build);
// Moves the starts of robots with overlaps "separate" away from what they overlap with, with notes, and builds the
// model again.
enum dc_status dc_scene_separate(struct dc_scene_build *build);
// Makes round shapes with surface "auto" keep their mesh where they overlap at the start as leaves and not as meshes,
// with notes, and builds the model again.
enum dc_status dc_scene_keep_meshes(struct dc_scene_build *build);
// Notes about bodies of the model: masses that no file gives, sizes that look like another unit.
enum dc_status dc_scene_note_bodies(struct dc_scene_build *build);

// dc_shape_unite of the scene's shapes, into its arena.  A shape of a file with the same options as one before shares
// the arrays of that one.  Name, type and options of shape are set, and live as long as the scene.  Errors of
// dc_shape_unite.
enum dc_status dc_scene_build_shape(struct dc_scene_build *build, struct dc_shape *shape, struct dc_error *error);

// Each reads its parts of the tree into the scene.
enum dc_status dc_scene_read_shapes(struct dc_scene_build *build);
enum dc_status dc_scene_read_bodies(struct dc_scene_build *build);
enum dc_status dc_scene_read_couplings(struct dc_scene_build *build);  // and ties; bodies must have been read
enum dc_status dc_scene_read_plant(struct dc_scene_build *build);      // the model must be built
enum dc_status dc_scene_read_task(struct dc_scene_build *build);       // the model must be built
// Reads how bodies act on each other, "contact", "solver" and "mujoco", into the definition.
enum dc_status dc_scene_read_world(struct dc_scene_build *build);
// Whether it is a refinement; refuses the keys of the other kind of problem.  Then its settings and method; then, the
// model built, its pairs.
enum dc_status dc_scene_read_problem(struct dc_scene_build *build);
enum dc_status dc_scene_read_refinement(struct dc_scene_build *build);
enum dc_status dc_scene_read_pairs(struct dc_scene_build *build);

// Keeps build->own of a tree that no overlay was laid over yet.
enum dc_status dc_scene_keep_own(struct dc_scene_build *build, const cJSON *tree);
// Keeps, for a scene with a design, the "models" of the resolved scene, as JSON text.  In them every other contact
// model must find what the scene itself says, and over it what the scene's "models" says for that model.  They hold the
// world ("time", "contact", "solver", "mujoco"), "gradient" and "optimizer"; bodies and what moves them are left out,
// as a design may have changed them.  NULL when there is none.
enum dc_status dc_scene_keep_models(struct dc_scene_build *build);

// Keeps where the parts stand, for dc_scene_wrap.
enum dc_status dc_scene_keep_places(struct dc_scene_build *build);

// For the parts: the member of family that the key tag of object names, or fallback when the key is missing (NULL:
// it is required).
enum dc_status dc_scene_read_tag(struct dc_scene_build *build, const struct dc_json *object, const char *tag,
                                 enum dc_family family, const char *fallback, int *index);
// Options of the object at the top under key; as if it were {} when it is missing.  allowed may be NULL.
enum dc_status dc_scene_read_section(struct dc_scene_build *build, const char *key, const struct dc_option *table,
                                     const struct dc_allowed_keys *allowed, void *target);
// Refuses names that cannot stand in a path or on a terminal.
enum dc_status dc_scene_check_name(struct dc_scene_build *build, const struct dc_json *value, const char *name);

#endif
