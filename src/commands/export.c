// SPDX-License-Identifier: Apache-2.0
// dcsim_export: trajectories as CSV, NPZ or GLB, and models as MJCF or URDF.
//
// Each format is a row of the table `formats`: where its file goes, and the function that writes a trajectory or model.
// Trajectories are those of a run; a model may also be that of a scene which was never run.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "api/internal.h"
#include "commands/run_scene.h"
#include "base/replaceable.h"
#include "commands/glb.h"
#include "commands/output.h"
#include "io/robot/model_export.h"
#include "io/run/npz.h"
#include "io/run/run_files.h"

// A trajectory that is exported: the best one of a run and, for formats that have room for it, the first.
struct exported {
  const struct dc_scene *scene;
  struct dc_stored_trajectory best, first;  // first has no frames when the run has none
};

// CSV: one row per frame

// A field of the header: a name and its unit, quoted where RFC 4180 asks for it, and where spreadsheets that take
// another separator would begin a new field.  They take a field that begins with one of =+-@ for a formula, unless
// there is an apostrophe before it.
static void put_title(struct dc_text *csv, const char *name, const char *what, const char *unit)
{
  bool quoted = strpbrk(name, ",;\"\r\n\t") != NULL, formula = strchr("=+-@", name[0]) != NULL;
  dc_text_add(csv, ",%s%s", quoted ? "\"" : "", formula ? "'" : "");
  for (const char *c = name; *c; c++)
    dc_text_append(csv, *c == '"' ? "\"\"" : c, *c == '"' ? 2 : 1);
  dc_text_add(csv, "%s [%s]%s", what, unit, quoted ? "\"" : "");
}

// The header: time, then for each body seven columns, then coordinates of joints, then the least gap.
// Columns of a coordinate have the unit of that coordinate; the reader of recorded motion (recording_csv.c) knows the
// titles.
static void put_titles(const struct exported *exported, struct dc_text *csv)
{
  static const char *const position[] = {".x", ".y", ".z"}, *const rotation[] = {".qw", ".qx", ".qy", ".qz"};
  const struct dc_bodies *bodies = &exported->scene->model.bodies;
  dc_text_add(csv, "time [s]");
  for (int b = 0; b < bodies->count; b++) {
    for (int i = 0; i < 3; i++)
      put_title(csv, bodies->bodies[b].name, position[i], "m");
    for (int i = 0; i < 4; i++)
      put_title(csv, bodies->bodies[b].name, rotation[i], "1");
  }
  for (int j = 0; j < exported->best.joint_count; j++) {
    const struct dc_stored_joint *joint = &exported->best.joints[j];
    for (int i = 0; i < joint->width; i++) {
      char what[32];
      snprintf(what, sizeof what, ".joint%d", i);
      put_title(csv, bodies->bodies[joint->body].name, what, joint->units[i]);
    }
  }
  if (exported->best.min_gap)
    dc_text_add(csv, ",min_gap [m]");
  dc_text_add(csv, "\n");
}

// Numbers that read back exactly; fields of those that are not finite are empty.
static void put_numbers(struct dc_text *csv, const double *numbers, int count)
{
  for (int i = 0; i < count; i++) {
    dc_text_append(csv, ",", 1);
    dc_text_real(csv, numbers[i], "");
  }
}

// Writes one row per frame: time, position and quaternion of every body, coordinates of joints, the smallest
// gap.
static enum dc_status write_csv(const char *path, const struct exported *exported, struct dc_error *error)
{
  const struct dc_stored_trajectory *best = &exported->best;
  struct dc_text csv = {0};
  put_titles(exported, &csv);
  for (int f = 0; f < best->frames && !csv.failed; f++) {
    dc_text_real(&csv, best->time[f], "");
    for (int b = 0; b < best->bodies; b++) {
      size_t row = (size_t)f * (size_t)best->bodies + (size_t)b;
      put_numbers(&csv, best->position + 3 * row, 3);
      put_numbers(&csv, best->quaternion + 4 * row, 4);
    }
    for (int j = 0; j < best->joint_count; j++) {
      const struct dc_stored_joint *joint = &best->joints[j];
      put_numbers(&csv, joint->values + (size_t)f * (size_t)joint->width, joint->width);
    }
    if (best->min_gap)
      put_numbers(&csv, best->min_gap + f, 1);
    dc_text_add(&csv, "\n");
  }
  enum dc_status status =
      csv.failed ? dc_out_of_memory_in(error, path) : dc_file_write(path, csv.bytes, csv.length, error);
  dc_text_free(&csv);
  return status;
}

// NPZ: the arrays of trajectory.h5, the bodies' poses in one array each

// Puts an array under prefix + name.
static void put_array(struct dc_npz *npz, const char *prefix, const char *name, int dimensions, const size_t *shape,
                      const double *values)
{
  struct dc_text full = {0};
  dc_text_add(&full, "%s%s", prefix, name);
  if (full.failed)
    npz->archive.failed = true;
  else
    dc_npz_put_reals(npz, full.bytes, dimensions, shape, values);
  dc_text_free(&full);
}

// Rows of numbers of mechanisms.
static void put_motion(struct dc_npz *npz, const struct dc_bodies *bodies,
                       const struct dc_stored_trajectory *trajectory)
{
  for (enum dc_motion m = 0; m < DC_MOTIONS; m++) {
    size_t columns = (size_t)dc_motion_columns(bodies, m, NULL);
    struct dc_text name = {0};
    dc_text_add(&name, "coordinates/%s", dc_motion_name(m));
    npz->archive.failed |= name.failed;
    if (!name.failed && trajectory->motion[m])
      put_array(npz, "", name.bytes, 2, (size_t[]){(size_t)trajectory->frames, columns}, trajectory->motion[m]);
    dc_text_free(&name);
  }
}

// Puts the names of the columns of one kind of motion as an array of texts beside it.
static void put_column_names(struct dc_npz *npz, const struct dc_bodies *bodies, enum dc_motion motion,
                             const char *title)
{
  enum { LONGEST = 256 };
  int count = dc_motion_columns(bodies, motion, NULL);
  struct dc_motion_column *columns = dc_alloc((size_t)count, sizeof *columns);
  char(*texts)[LONGEST] = dc_alloc((size_t)count, sizeof *texts);
  const char **names = dc_alloc((size_t)count, sizeof *names);
  npz->archive.failed |= !columns || !texts || !names;
  if (columns && texts && names) {
    dc_motion_columns(bodies, motion, columns);
    for (int c = 0; c < count; c++) {
      dc_motion_column_name(bodies, &columns[c], texts[c], LONGEST);
      names[c] = texts[c];
    }
    dc_npz_put_texts(npz, title, (size_t)count, names);
  }
  free(columns);
  free(texts);
  free(names);
}

// A row for each entry of the list of contacts; bodies are numbers in the array "bodies" of names.
static void put_contacts(struct dc_npz *npz, const struct dc_stored_contacts *contacts)
{
  size_t rows = (size_t)contacts->count;
  put_array(npz, "contacts/", "frame", 1, &rows, contacts->frame);
  put_array(npz, "contacts/", "bodies", 2, (size_t[]){rows, 2}, contacts->bodies);
  put_array(npz, "contacts/", "gap", 1, &rows, contacts->gap);
  put_array(npz, "contacts/", "force", 2, (size_t[]){rows, 3}, contacts->force);
  put_array(npz, "contacts/", "friction", 2, (size_t[]){rows, 3}, contacts->friction);
}

// Arrays that only the best trajectory has.
static void put_readout(struct dc_npz *npz, const struct dc_bodies *bodies, const struct dc_stored_trajectory *best)
{
  static const char *const titles[DC_MOTIONS] = {"coordinates/q_names", "coordinates/qd_names", NULL,
                                                 "coordinates/target_names"};
  put_motion(npz, bodies, best);
  for (enum dc_motion m = 0; m < DC_MOTIONS; m++)
    if (best->motion[m] && titles[m])
      put_column_names(npz, bodies, m, titles[m]);
  if (best->contacts.count)
    put_contacts(npz, &best->contacts);
}

// Arrays of one trajectory, [frames][bodies][3 or 4] and [frames][coordinates], their names with a prefix.
static void put_trajectory(struct dc_npz *npz, const char *prefix, const struct dc_stored_trajectory *trajectory)
{
  size_t frames = (size_t)trajectory->frames, bodies = (size_t)trajectory->bodies;
  size_t control_count = (size_t)trajectory->control_count;
  put_array(npz, prefix, "time", 1, &frames, trajectory->time);
  put_array(npz, prefix, "position", 3, (size_t[]){frames, bodies, 3}, trajectory->position);
  put_array(npz, prefix, "rotation", 3, (size_t[]){frames, bodies, 4}, trajectory->quaternion);
  for (int j = 0; j < trajectory->joint_count; j++) {
    const struct dc_stored_joint *joint = &trajectory->joints[j];
    struct dc_text name = {0};
    dc_text_add(&name, "joints/%s", joint->link);
    npz->archive.failed |= name.failed;
    if (!name.failed)
      put_array(npz, prefix, name.bytes, 2, (size_t[]){frames, (size_t)joint->width}, joint->values);
    dc_text_free(&name);
  }
  put_array(npz, prefix, "control", 1, &control_count, trajectory->control);
  if (trajectory->min_gap)
    put_array(npz, prefix, "min_gap", 1, &frames, trajectory->min_gap);
}

// Writes the arrays of trajectory.h5 as NumPy reads them, the bodies' poses in one array each, names of bodies
// and columns as texts, and the first trajectory under "first_...".
static enum dc_status write_npz(const char *path, const struct exported *exported, struct dc_error *error)
{
  const struct dc_bodies *bodies = &exported->scene->model.bodies;
  struct dc_npz npz = {0};
  const char **names = dc_alloc((size_t)bodies->count, sizeof *names);
  if (!names)
    return dc_out_of_memory_in(error, path);
  for (int b = 0; b < bodies->count; b++)
    names[b] = bodies->bodies[b].name;
  dc_npz_put_texts(&npz, "bodies", (size_t)bodies->count, names);
  free(names);
  put_trajectory(&npz, "", &exported->best);
  put_readout(&npz, bodies, &exported->best);
  if (exported->first.frames)
    put_trajectory(&npz, "first_", &exported->first);
  return dc_npz_write(&npz, path, error);
}

// The animated model of the best trajectory, as a run leaves it beside its other files.
static enum dc_status write_glb(const char *path, const struct exported *exported, struct dc_error *error)
{
  return dc_api_write_glb(path, exported->scene, &exported->best, error);
}

typedef enum dc_status write_model(const struct dc_model *model, const char *name, const char *path,
                                   struct dc_notes *notes, struct dc_error *error);

static const struct format {
  const char *name;
  const char *folder, *file;  // where it goes in the run directory; no folder: into it
  bool first;                 // has the first trajectory too
  enum dc_status (*write)(const char *path, const struct exported *exported, struct dc_error *error);
  write_model *model;  // instead of the trajectory
} formats[] = {
    {"csv", "export", "trajectory.csv", false, write_csv, NULL},
    {"npz", "export", "trajectory.npz", true, write_npz, NULL},
    {"glb", NULL, dc_glb_name, false, write_glb, NULL},
    {"mjcf", "export", "model.xml", false, NULL, dc_model_write_mjcf},
    {"urdf", "export", "model.urdf", false, NULL, dc_model_write_urdf},
};

// NULL: there is no format of this name.
static const struct format *find_format(const char *name)
{
  for (size_t i = 0; name && i < sizeof formats / sizeof formats[0]; i++)
    if (strcmp(formats[i].name, name) == 0)
      return &formats[i];
  return NULL;
}

// The default place in the run directory, its folder made; released with free().
static enum dc_status default_path(const char *directory, const struct format *format, char **path,
                                   struct dc_error *error)
{
  enum dc_status status = DC_OK;
  char *folder = format->folder ? dc_path_join(directory, format->folder) : strdup(directory);
  *path = folder ? dc_path_join(folder, format->file) : NULL;
  if (!*path)
    status = dc_out_of_memory_in(error, directory);
  else if (format->folder)
    status = dc_directory_create_in(directory, format->folder, error);
  free(folder);
  return status;
}

// Reports on a model that was written.
static void report_model(const struct format *format, const struct dc_scene *scene, const char *path,
                         const struct dc_notes *notes, struct dc_text *text, struct dc_json_writer *json)
{
  dc_json_begin(json, NULL, '{');
  dc_json_put_string(json, "file", path);
  dc_json_put_string(json, "format", format->name);
  dc_json_put_integer(json, "bodies", scene->model.bodies.count);
  dc_json_begin(json, "notes", '[');
  dc_text_add(text, "%d bod%s in %s\n", scene->model.bodies.count, scene->model.bodies.count == 1 ? "y" : "ies", path);
  for (const struct dc_note *note = notes->first; note; note = note->next) {
    dc_json_put_string(json, NULL, note->text);
    dc_text_add(text, "note: %s\n", note->text);
  }
  dc_json_end(json, "]}");
}

// Says what was written and where, as text and JSON.
static void report_trajectory(const struct format *format, const struct exported *exported, const char *path,
                              struct dc_text *text, struct dc_json_writer *json)
{
  dc_json_begin(json, NULL, '{');
  dc_json_put_string(json, "file", path);
  dc_json_put_string(json, "format", format->name);
  dc_json_put_integer(json, "frames", exported->best.frames);
  dc_json_put_integer(json, "bodies", exported->best.bodies);
  dc_json_end(json, "}");
  dc_text_add(text, "%d frame%s of %d bod%s in %s\n", exported->best.frames, dc_plural(exported->best.frames),
              exported->best.bodies, exported->best.bodies == 1 ? "y" : "ies", path);
}

// Writes a file of the format, a model of the scene or a trajectory, under its default name if no file was given, and
// reports it.
// A place where a folder, a link or a device stands is refused before the file is made, which may take long.
static enum dc_status write_file(const char *directory, const struct format *format, const struct exported *exported,
                                 const char *file, struct dc_text *text, struct dc_json_writer *json,
                                 struct dc_error *error)
{
  char *made = NULL;
  struct dc_notes notes = {.arena = dc_arena_create()};
  enum dc_status status = notes.arena ? DC_OK : dc_out_of_memory(error);
  if (!status && !file)
    status = default_path(directory, format, &made, error);
  const char *path = file ? file : made;
  if (!status && file)
    status = dc_api_check_output(exported->scene, directory, file, error);
  if (!status && file)
    status = dc_api_check_output_of_run(directory, file, error);
  if (!status)
    status = dc_check_replaceable(AT_FDCWD, path, path, error);
  if (!status)
    status = format->model ? format->model(&exported->scene->model, exported->scene->name, path, &notes, error)
                           : format->write(path, exported, error);
  if (!status && format->model)
    report_model(format, exported->scene, path, &notes, text, json);
  else if (!status)
    report_trajectory(format, exported, path, text, json);
  dc_arena_destroy(notes.arena);
  free(made);
  return status;
}

// Opens what is exported: the scene of a run directory, for a model with the design that the run found built
// in.  A model can also be that of a scene's file, if it is said where the file goes, since there is no run
// directory then.
static int open_exported(const char *directory, const struct format *format, const char *file, dcsim_scene **scene,
                         dcsim_error *error)
{
  struct stat info;
  struct dc_error local = {0};
  const char *designed = "design/scene.json";
  if (!format->model || stat(directory, &info) != 0 || !S_ISREG(info.st_mode))
    return dc_api_open_run_scene(
        directory, format->model && dc_run_has(directory, designed) ? designed : "resolved.json", NULL, scene, error);
  if (file)
    return dcsim_scene_open(directory, NULL, scene, error);
  return dc_api_fail(error, &local, dc_fail(&local, DC_USAGE, "export of a scene: missing --output FILE"));
}

// Exports: finds the format, opens the scene, reads the trajectories that the format needs, and writes.
// DCSIM_USAGE: there is no such format, or a scene was given without a file to write to.
int dcsim_export(const char *directory, const char *format_name, const char *file, dcsim_report *report,
                 dcsim_error *error)
{
  const struct format *format = find_format(format_name);
  struct dc_error local = {0};
  struct exported exported = {0};
  dcsim_scene *scene;
  if (!format) {
    dc_fail(&local, DC_USAGE, "formats are \"csv\", \"npz\", \"glb\", \"mjcf\" and \"urdf\"");
    return dc_api_fail(error, &local, DC_USAGE);
  }
  int opened = open_exported(directory, format, file, &scene, error);
  if (opened)
    return opened;
  struct dc_text text = {0};
  struct dc_json_writer json = {0};
  exported.scene = scene->scene;
  enum dc_status status = DC_OK;
  if (!format->model)
    status = dc_run_read_trajectory(directory, scene->scene, &exported.best, &local);
  if (!status && format->first)
    status = dc_run_read_first_trajectory(directory, scene->scene, &exported.first, &local);
  if (!status)
    status = write_file(directory, format, &exported, file, &text, &json, &local);
  dc_arena_destroy(exported.best.arena);
  dc_arena_destroy(exported.first.arena);
  dcsim_scene_close(scene);
  return dc_api_answer(status, &local, report, &text, &json, error);
}
