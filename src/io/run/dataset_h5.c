// SPDX-License-Identifier: Apache-2.0
// A file of demonstrations is written as robomimic lays it out (Mandlekar et al. 2021, "What Matters in Learning from
// Offline Human Demonstrations for Robot Manipulation"):
//
// 1. Every trajectory of N + 1 frames is a group /data/demo_k of N samples: what is seen at frame t, the action of the
//    step from t to t + 1, what is seen behind it, a reward and whether it is over.
// 2. Seen are q and qd of joints, and positions and rotations of free bodies; "states" has all of them in one row.
// 3. Actions are targets of actuators; where there are none, forces and torques of controls.
// 4. The reward is 1 in the last step of a plan that reaches its task, and else 0.
// 5. Contact forces are summed over the contacts of a body at the end of the step.
#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/child.h"
#include "io/json/json_text.h"
#include "io/run/dataset_internal.h"
#include "io/run/h5_file.h"
#include "io/run/motion_columns.h"
#include "io/run/trajectory_h5.h"

#define FORMAT "dcsim dataset 1"

const char *const dc_observed_names[DC_OBSERVED] = {"q", "qd", "position", "rotation"};

// NULL: memory is out.
struct dc_dataset *dc_dataset_create(void)
{
  struct dc_dataset *dataset = dc_alloc(1, sizeof *dataset);
  if (dataset && !(dataset->arena = dc_arena_create())) {
    free(dataset);
    return NULL;
  }
  return dataset;
}

void dc_dataset_destroy(struct dc_dataset *dataset)
{
  if (!dataset)
    return;
  dc_arena_destroy(dataset->arena);
  free(dataset->demonstrations);
  free(dataset);
}

struct dc_dataset_sizes dc_dataset_sizes(const struct dc_dataset *dataset)
{
  return dataset->sizes;
}

// Names of the columns of a motion, copied; NULL when out of memory.
static const char **column_names(struct dc_arena *arena, const struct dc_bodies *bodies, enum dc_motion motion,
                                 int count)
{
  struct dc_motion_column *columns = dc_arena_alloc(arena, (size_t)count + 1, sizeof *columns);
  const char **names = dc_arena_alloc(arena, (size_t)count + 1, sizeof *names);
  if (columns && names)
    dc_motion_columns(bodies, motion, columns);
  for (int i = 0; i < count && columns && names; i++) {
    char text[512];
    dc_motion_column_name(bodies, &columns[i], text, sizeof text);
    if (!(names[i] = dc_arena_strdup(arena, text)))
      return NULL;
  }
  return columns ? names : NULL;
}

// Names in the arena, of all bodies or of free ones; *count: how many.
static const char **body_names(struct dc_arena *arena, const struct dc_bodies *bodies, bool only_free, int *count)
{
  const char **names = dc_arena_alloc(arena, (size_t)bodies->count + 1, sizeof *names);
  *count = 0;
  for (int b = 0; b < bodies->count && names; b++)
    if ((!only_free || bodies->bodies[b].free) && !(names[(*count)++] = dc_arena_strdup(arena, bodies->bodies[b].name)))
      return NULL;
  return names;
}

// Widths of what one demonstration holds.  *acts is the motion that counts as actions: targets where the
// trajectory has them, else torques.
static struct dc_dataset_sizes sizes_of(const struct dc_bodies *bodies, const struct dc_stored_trajectory *trajectory,
                                        enum dc_motion *acts)
{
  struct dc_dataset_sizes sizes = {.bodies = bodies->count};
  int moving = 0;
  for (int b = 0; b < bodies->count; b++)
    moving += bodies->bodies[b].free;
  for (enum dc_motion m = DC_MOTION_Q; m <= DC_MOTION_QD; m++)
    sizes.observed[m == DC_MOTION_Q ? DC_OBSERVED_Q : DC_OBSERVED_QD] =
        trajectory->motion[m] ? dc_motion_columns(bodies, m, NULL) : 0;
  sizes.observed[DC_OBSERVED_POSITION] = 3 * moving;
  sizes.observed[DC_OBSERVED_ROTATION] = 4 * moving;
  *acts = trajectory->motion[DC_MOTION_TARGET] ? DC_MOTION_TARGET : DC_MOTION_TORQUE;
  sizes.actions = trajectory->motion[*acts] ? dc_motion_columns(bodies, *acts, NULL) : 0;
  return sizes;
}

// Keeps names, time step and columns of the first demonstration, which say what all of them are.
static enum dc_status describe(struct dc_dataset *dataset, const struct dc_scene *scene, struct dc_error *error)
{
  const struct dc_bodies *bodies = &scene->model.bodies;
  struct dc_arena *arena = dataset->arena;
  int all;
  dataset->scene = dc_arena_strdup(arena, scene->name);
  dataset->time_step = scene->definition.time.step;
  for (int m = 0; m < 2; m++)
    dataset->columns[m] = column_names(arena, bodies, m ? DC_MOTION_QD : DC_MOTION_Q, dataset->sizes.observed[m]);
  dataset->action_names = column_names(arena, bodies, dataset->acts, dataset->sizes.actions);
  dataset->free_names = body_names(arena, bodies, true, &dataset->free_count);
  dataset->body_names = body_names(arena, bodies, false, &all);
  bool complete = dataset->scene && dataset->columns[0] && dataset->columns[1] && dataset->action_names &&
                  dataset->free_names && dataset->body_names;
  return complete ? DC_OK : dc_out_of_memory_for(error, "a data set");
}

// Whether the bodies and columns are those of the first demonstration, by their names, and all that move freely.
static bool is_alike(const struct dc_dataset *dataset, const struct dc_bodies *bodies,
                     const struct dc_dataset_sizes *sizes, enum dc_motion acts)
{
  int next = 0;
  bool alike = acts == dataset->acts && sizes->actions == dataset->sizes.actions &&
               bodies->count == dataset->sizes.bodies &&
               memcmp(sizes->observed, dataset->sizes.observed, sizeof sizes->observed) == 0;
  for (int b = 0; alike && b < bodies->count; b++)
    alike = strcmp(bodies->bodies[b].name, dataset->body_names[b]) == 0;
  for (int b = 0; alike && b < bodies->count; b++)
    if (bodies->bodies[b].free)
      alike = next < dataset->free_count && strcmp(bodies->bodies[b].name, dataset->free_names[next++]) == 0;
  return alike;
}

// Copies positions [frames][3 free] and rotations [frames][4 free] of the free bodies out of those of all
// bodies.  Coordinates q and qd were copied before, as rows.
static void fill_observed(struct demonstration *made, const struct dc_bodies *bodies,
                          const struct dc_stored_trajectory *trajectory)
{
  double *position = made->observed[DC_OBSERVED_POSITION], *rotation = made->observed[DC_OBSERVED_ROTATION];
  for (int f = 0; f < trajectory->frames; f++)
    for (int b = 0; b < bodies->count; b++) {
      size_t row = (size_t)f * (size_t)bodies->count + (size_t)b;
      if (!bodies->bodies[b].free)
        continue;
      memcpy(position, trajectory->position + 3 * row, 3 * sizeof *position);
      memcpy(rotation, trajectory->quaternion + 4 * row, 4 * sizeof *rotation);
      position += 3;
      rotation += 4;
    }
}

// Sums contact forces over the contacts of each body into made->forces [steps][3 bodies], N: normal force and
// friction, which act on the second body with the opposite sign.  Contacts of frame f are those at the end of
// step f - 1; frame 0 has no step.
static void add_forces(struct demonstration *made, int bodies, const struct dc_stored_contacts *contacts)
{
  for (int c = 0; c < contacts->count; c++) {
    int frame = (int)contacts->frame[c];
    for (int side = 0; side < 2 && frame > 0; side++) {
      size_t row = (size_t)(frame - 1) * (size_t)bodies + (size_t)contacts->bodies[2 * c + side];
      for (int k = 0; k < 3; k++)
        made->forces[3 * row + (size_t)k] +=
            (side ? -1 : 1) * (contacts->force[3 * c + k] + contacts->friction[3 * c + k]);
    }
  }
}

// A copy of rows [count][width] in the arena; zeros where rows is NULL.
static double *copy_rows(struct dc_arena *arena, const double *rows, size_t count, int width)
{
  double *copy = dc_arena_alloc(arena, count * (size_t)width + 1, sizeof *copy);
  if (copy && rows)
    memcpy(copy, rows, count * (size_t)width * sizeof *copy);
  return copy;
}

// Whether a certificate says that it holds: the text is what `dcsim verify` wrote, NULL without one.
static bool holds(const char *certificate)
{
  cJSON *root = certificate ? cJSON_Parse(certificate) : NULL;
  bool holds = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(root, "holds"));
  cJSON_Delete(root);
  return holds;
}

// Adds the trajectory of a run as a demonstration.  The first one decides bodies, columns and kind of actions;
// later ones must be alike, as learners stack them.  All data are copied, so that the trajectory may be
// released.  Nothing is added when anything fails.
enum dc_status dc_dataset_add(struct dc_dataset *dataset, const char *name, const struct dc_scene *scene,
                              const struct dc_run_result *result, const struct dc_stored_trajectory *trajectory,
                              const char *certificate, struct dc_error *error)
{
  const struct dc_bodies *bodies = &scene->model.bodies;
  enum dc_motion acts;
  struct dc_dataset_sizes sizes = sizes_of(bodies, trajectory, &acts);
  size_t frames = (size_t)trajectory->frames, steps = frames - 1;
  if (!sizes.actions)
    return dc_fail(
        error, DC_BAD_INPUT,
        "%.300s: has no actuators and no torques, so there are no actions to learn: give bodies \"pd\" and a "
        "control \"trajectory\" or \"torque\"",
        name);
  if (dataset->count && !is_alike(dataset, bodies, &sizes, acts))
    return dc_fail(error, DC_BAD_INPUT,
                   "%.300s: has other bodies, joints or actuators than %.300s: a data set has those "
                   "of one kind",
                   name, dataset->demonstrations[0].name);
  if (dataset->count && scene->definition.time.step != dataset->time_step)
    return dc_fail(error, DC_BAD_INPUT,
                   "%.300s: has steps of %.9g s, %.300s of %.9g s: samples of a data set are equally far apart", name,
                   scene->definition.time.step, dataset->demonstrations[0].name, dataset->time_step);
  if (dc_grow(&dataset->demonstrations, &dataset->capacity, dataset->count + 1, sizeof *dataset->demonstrations))
    return dc_out_of_memory_for(error, "a data set");
  if (!dataset->count) {
    dataset->sizes = sizes;
    dataset->acts = acts;
    enum dc_status status = describe(dataset, scene, error);
    if (status)
      return status;
  }
  struct demonstration made = {.steps = (int)steps, .success = result->success, .loss = result->loss};
  made.name = dc_arena_strdup(dataset->arena, name);
  made.certificate = certificate ? dc_arena_strdup(dataset->arena, certificate) : NULL;
  made.certified = holds(certificate);
  for (int k = 0; k < DC_OBSERVED; k++)
    made.observed[k] =
        copy_rows(dataset->arena, k < DC_OBSERVED_POSITION ? trajectory->motion[k] : NULL, frames, sizes.observed[k]);
  // Row t of a motion is that of the step that led to frame t.
  made.actions = copy_rows(dataset->arena, trajectory->motion[acts] + sizes.actions, steps, sizes.actions);
  made.forces = copy_rows(dataset->arena, NULL, steps, 3 * sizes.bodies);
  bool complete = made.name && made.actions && made.forces && (made.certificate || !certificate);
  for (int k = 0; k < DC_OBSERVED; k++)
    complete &= made.observed[k] != NULL;
  if (!complete)
    return dc_out_of_memory_for(error, "a data set");
  fill_observed(&made, bodies, trajectory);
  add_forces(&made, sizes.bodies, &trajectory->contacts);
  dataset->demonstrations[dataset->count++] = made;
  dataset->sizes.demonstrations++;
  dataset->sizes.reached += result->success;
  dataset->sizes.certified += made.certified;
  dataset->sizes.samples += (long)steps;
  return DC_OK;
}

// An attribute of the type `stored`; HDF5 converts the double, which holds whole numbers up to 2^53.
static void put_number(struct writer *writer, hid_t object, const char *name, hid_t stored, double number)
{
  hid_t space = checked(writer, H5Screate(H5S_SCALAR));
  hid_t attribute = checked(writer, H5Acreate2(object, name, stored, space, H5P_DEFAULT, H5P_DEFAULT));
  checked(writer, H5Awrite(attribute, H5T_NATIVE_DOUBLE, &number));
  close_object(attribute);
  close_object(space);
}

// Texts as a data set: attributes hold 64 kB at most.
static void put_texts(struct writer *writer, hid_t parent, const char *name, hsize_t count, const char *const *texts)
{
  hid_t space = checked(writer, H5Screate_simple(1, &count, NULL));
  hid_t dataset = checked(writer, H5Dcreate2(parent, name, writer->string_type, space, H5P_DEFAULT,
                                             writer->dataset_properties, H5P_DEFAULT));
  if (count && !writer->failed)
    checked(writer, H5Dwrite(dataset, writer->string_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, texts));
  close_object(dataset);
  close_object(space);
}

static void put_rows(struct writer *writer, hid_t parent, const char *name, int rows, int columns, const double *values)
{
  close_object(dc_h5_put_reals(writer, parent, name, rows, columns, values, NULL));
}

// Writes all that is seen side by side in one row per step, "states" of robomimic, from frame 0 on.
static void put_states(struct writer *writer, hid_t parent, const struct dc_dataset *dataset,
                       const struct demonstration *demonstration)
{
  int width = 0;
  for (int k = 0; k < DC_OBSERVED; k++)
    width += dataset->sizes.observed[k];
  double *rows = dc_alloc((size_t)demonstration->steps * (size_t)width + 1, sizeof *rows), *to = rows;
  writer->failed |= !rows;
  for (int t = 0; rows && t < demonstration->steps; t++)
    for (int k = 0; k < DC_OBSERVED; k++) {
      size_t own = (size_t)dataset->sizes.observed[k];
      memcpy(to, demonstration->observed[k] + (size_t)t * own, own * sizeof *to);
      to += own;
    }
  if (rows)
    put_rows(writer, parent, "states", demonstration->steps, width, rows);
  free(rows);
}

// Writes a group with one data set for each kind of what is seen, for the frames from `first` on: 0 for "obs",
// 1 for "next_obs".
static void put_observed(struct writer *writer, hid_t parent, const char *name, const struct dc_dataset *dataset,
                         const struct demonstration *demonstration, int first)
{
  hid_t group = dc_h5_make_group(writer, parent, name);
  for (int k = 0; k < DC_OBSERVED; k++) {
    int own = dataset->sizes.observed[k];
    if (own)
      put_rows(writer, group, dc_observed_names[k], demonstration->steps, own,
               demonstration->observed[k] + (size_t)first * (size_t)own);
  }
  close_object(group);
}

// Writes one group demo_INDEX with the data sets and attributes that robomimic reads; attributes loss, success,
// run and certificate are ours.
// next_obs is obs moved by one frame: both have N rows of the N + 1 frames.
static void put_demonstration(struct writer *writer, hid_t data, const struct dc_dataset *dataset, size_t index)
{
  const struct demonstration *demonstration = &dataset->demonstrations[index];
  int steps = demonstration->steps;
  char name[32];
  snprintf(name, sizeof name, "demo_%zu", index);
  hid_t group = dc_h5_make_group(writer, data, name);
  double *ends = dc_alloc(2 * (size_t)steps + 2, sizeof *ends), *rewards = ends + steps + 1;
  writer->failed |= !ends;
  if (ends && steps) {
    ends[steps - 1] = 1;
    rewards[steps - 1] = demonstration->success;
  }
  put_number(writer, group, "num_samples", H5T_STD_I64LE, steps);
  put_number(writer, group, "loss", H5T_IEEE_F64LE, demonstration->loss);
  put_number(writer, group, "success", H5T_STD_I64LE, demonstration->success);
  dc_h5_put_strings(writer, group, "run", 0, &demonstration->name);
  if (demonstration->certificate) {
    put_number(writer, group, "certified", H5T_STD_I64LE, demonstration->certified);
    put_texts(writer, group, "certificate", 1, &demonstration->certificate);
  }
  put_states(writer, group, dataset, demonstration);
  put_rows(writer, group, "actions", steps, dataset->sizes.actions, demonstration->actions);
  if (ends) {
    put_rows(writer, group, "rewards", steps, 0, rewards);
    put_rows(writer, group, "dones", steps, 0, ends);
  }
  put_rows(writer, group, "contact_forces", steps, 3 * dataset->sizes.bodies, demonstration->forces);
  put_observed(writer, group, "obs", dataset, demonstration, 0);
  put_observed(writer, group, "next_obs", dataset, demonstration, 1);
  free(ends);
  close_object(group);
}

// The names of demonstrations that are to be taken for a purpose: those that reached their tasks, or did not.
static void put_mask(struct writer *writer, hid_t parent, const struct dc_dataset *dataset, bool success)
{
  hsize_t count = 0;
  const char **names = dc_alloc(dataset->count + 1, sizeof *names);
  struct dc_arena *arena = dc_arena_create();
  writer->failed |= !names || !arena;
  for (size_t i = 0; i < dataset->count && names && arena; i++)
    if (dataset->demonstrations[i].success == success && !(names[count++] = dc_arena_printf(arena, "demo_%zu", i)))
      writer->failed = true;
  put_texts(writer, parent, success ? "reached" : "not_reached", count, names);
  dc_arena_destroy(arena);
  free(names);
}

// Writes the attributes of /data: env_args, JSON text in which robomimic keeps how an environment is made (type
// 2: none of its own), the number of samples, and names of columns and bodies where they fit into an attribute.
static void put_description(struct writer *writer, hid_t data, const struct dc_dataset *dataset)
{
  struct dc_text text = {0};
  dc_text_add(&text, "{\"env_name\": ");
  dc_text_string(&text, dataset->scene);
  dc_text_add(&text, ", \"type\": 2, \"env_kwargs\": {\"time_step\": %.17g, \"action\": \"%s\"}}", dataset->time_step,
              dataset->acts == DC_MOTION_TARGET ? "target" : "torque");
  writer->failed |= text.failed;
  const char *about = text.failed ? "" : text.bytes;
  dc_h5_put_strings(writer, data, "env_args", 0, &about);
  dc_text_free(&text);
  put_number(writer, data, "total", H5T_STD_I64LE, (double)dataset->sizes.samples);
  const struct {
    const char *name;
    int count;
    const char **texts;
  } lists[] = {{"q_names", dataset->sizes.observed[DC_OBSERVED_Q], dataset->columns[0]},
               {"qd_names", dataset->sizes.observed[DC_OBSERVED_QD], dataset->columns[1]},
               {"action_names", dataset->sizes.actions, dataset->action_names},
               {"free_bodies", dataset->free_count, dataset->free_names},
               {"bodies", dataset->sizes.bodies, dataset->body_names}};
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
    if (lists[i].count && lists[i].count <= DC_H5_MOST_NAMES)
      dc_h5_put_strings(writer, data, lists[i].name, lists[i].count, lists[i].texts);
}

// Builds the file in memory, in a process of its own (dc_child_run), because the HDF5 library cannot be trusted
// to give up cleanly when memory is out.  *bytes goes back to the caller.
static enum dc_status build(void *context, char **bytes, size_t *size, struct dc_error *error)
{
  const struct dc_dataset *dataset = context;
  struct writer writer = {0};
  bool out_of_memory = false;
  dc_h5_watch(&out_of_memory);
  dc_h5_writer_open(&writer, NULL);
  hid_t data = dc_h5_make_group(&writer, writer.file, "data");
  put_description(&writer, data, dataset);
  for (size_t i = 0; i < dataset->count && !writer.failed; i++)
    put_demonstration(&writer, data, dataset, i);
  close_object(data);
  hid_t mask = dc_h5_make_group(&writer, writer.file, "mask");
  put_mask(&writer, mask, dataset, true);
  put_mask(&writer, mask, dataset, false);
  close_object(mask);
  *bytes = dc_h5_writer_image(&writer, FORMAT, size);
  dc_h5_writer_close(&writer);
  return *bytes ? DC_OK : dc_out_of_memory_for(error, "an HDF5 file");
}

// *bytes is the whole file with its seal, to be written by the caller and released with free().
enum dc_status dc_dataset_image(const struct dc_dataset *dataset, char **bytes, size_t *size, struct dc_error *error)
{
  return dc_child_run(build, (void *)dataset, 0, bytes, size, error);
}
