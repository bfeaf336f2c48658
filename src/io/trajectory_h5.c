// SPDX-License-Identifier: Apache-2.0
// trajectory.h5.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/h5_file.h"
#include "io/run.h"
#include "io/run_files.h"

#define FORMAT "dcsim trajectory 1"
enum { MOST_APPLIED = 1000000 };  // steps of a window
enum { MOST_NAMES = 4000 };       // an attribute of the earliest format holds 64 KiB, 16 bytes for each string

static hid_t make_group(struct writer *writer, hid_t parent, const char *name)
{
  return checked(writer, H5Gcreate2(parent, name, H5P_DEFAULT, writer->group_properties, H5P_DEFAULT));
}

// Dataset [rows][columns], or [rows] for 0 columns; unit may be NULL.  Returns it open.
static hid_t put_reals(struct writer *writer, hid_t parent, const char *name, int rows, int columns,
                       const double *values, const char *unit)
{
  hsize_t shape[2] = {(hsize_t)rows, (hsize_t)columns};
  hid_t space = checked(writer, H5Screate_simple(columns ? 2 : 1, shape, NULL));
  hid_t dataset = checked(
      writer, H5Dcreate2(parent, name, H5T_IEEE_F64LE, space, H5P_DEFAULT, writer->dataset_properties, H5P_DEFAULT));
  if (rows > 0)
    checked(writer, H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
  if (unit)
    dc_h5_put_strings(writer, dataset, "unit", 0, &unit);
  close_object(space);
  return dataset;
}

static void put_control(struct writer *writer, hid_t parent, const struct dc_scene *scene, int steps,
                        const double *parameters)
{
  int count = dc_task_parameter_count(&scene->task, &scene->model, steps);
  hid_t dataset = put_reals(writer, parent, "control", count, 0, parameters, NULL);
  if (count > 0 && count <= MOST_NAMES) {
    enum { LONGEST = 256 };
    char(*texts)[LONGEST] = dc_alloc((size_t)count, sizeof *texts);
    const char **names = dc_alloc((size_t)count, sizeof *names);
    if (texts && names) {
      for (int i = 0; i < count; i++) {
        dc_task_parameter_name(&scene->task, &scene->model, steps, i, texts[i], LONGEST);
        names[i] = texts[i];
      }
      dc_h5_put_strings(writer, dataset, "names", count, names);
    } else {
      writer->failed = true;
    }
    free(texts);
    free(names);
  }
  close_object(dataset);
}

// Dataset [frames][width] of numbers that lie stride bytes apart from one frame to the next.
static void put_rows(struct writer *writer, hid_t parent, const char *name, int frames, int width, const double *first,
                     size_t stride, const char *unit)
{
  double *rows = dc_alloc((size_t)frames * (size_t)width, sizeof *rows);
  if (!rows) {
    writer->failed = true;
    return;
  }
  for (int f = 0; f < frames; f++)
    memcpy(rows + (size_t)f * (size_t)width, (const char *)first + (size_t)f * stride, (size_t)width * sizeof *rows);
  close_object(put_reals(writer, parent, name, frames, width, rows, unit));
  free(rows);
}

static void put_bodies(struct writer *writer, hid_t parent, const struct dc_bodies *bodies,
                       const struct dc_trajectory *trajectory)
{
  hid_t group = make_group(writer, parent, "bodies");
  int frames = trajectory->steps + 1;
  size_t stride = (size_t)bodies->count * sizeof *trajectory->poses;
  for (int b = 0; b < bodies->count && !writer->failed; b++) {
    const struct dc_pose *pose = &trajectory->poses[b];
    char *name = dc_h5_link_name(bodies->bodies[b].name);
    hid_t object = name ? make_group(writer, group, name) : checked(writer, -1);
    put_rows(writer, object, "position", frames, 3, pose->position, stride, "m");
    put_rows(writer, object, "rotation", frames, 4, pose->quaternion, stride, "1");
    close_object(object);
    free(name);
  }
  close_object(group);
}

static bool has_joint_numbers(const struct dc_body *body)
{
  return body->nq > 0 && !body->free;
}

// Units [nq] of a joint's numbers.
static void joint_units(const struct dc_body *body, const char **units)
{
  for (int p = 0, count = 0; p < body->part_count; p++) {
    enum dc_part_kind kind = body->parts[p].kind;
    for (int i = 0; i < dc_part_nq(&body->parts[p]); i++)
      units[count++] = kind == DC_PART_HINGE ? "rad" : kind == DC_PART_BALL ? "1" : "m";
  }
}

static void put_units(struct writer *writer, hid_t dataset, const struct dc_body *body)
{
  const char **units = dc_alloc((size_t)body->nq, sizeof *units);
  if (units)
    joint_units(body, units);
  if (units)
    dc_h5_put_strings(writer, dataset, "unit", body->nq, units);
  else
    writer->failed = true;
  free(units);
}

// The joint coordinates of bodies that are not free, as they stand in the state.
static void put_joints(struct writer *writer, hid_t parent, const struct dc_bodies *bodies,
                       const struct dc_trajectory *trajectory)
{
  hid_t group = -1;
  size_t stride = (size_t)trajectory->nq * sizeof *trajectory->q;
  for (int b = 0; b < bodies->count && !writer->failed; b++) {
    const struct dc_body *body = &bodies->bodies[b];
    if (!has_joint_numbers(body))
      continue;
    if (group < 0)
      group = make_group(writer, parent, "joints");
    char *name = dc_h5_link_name(body->name);
    if (name)
      put_rows(writer, group, name, trajectory->steps + 1, body->nq, trajectory->q + body->q_offset, stride, NULL);
    hid_t dataset = name ? checked(writer, H5Dopen2(group, name, H5P_DEFAULT)) : checked(writer, -1);
    put_units(writer, dataset, body);
    close_object(dataset);
    free(name);
  }
  close_object(group);
}

static void put_times(struct writer *writer, hid_t parent, const struct dc_trajectory *trajectory)
{
  int frames = trajectory->steps + 1;
  double *time = dc_alloc((size_t)frames, sizeof *time);
  if (!time) {
    writer->failed = true;
    return;
  }
  for (int f = 0; f < frames; f++)
    time[f] = f * trajectory->time_step;
  close_object(put_reals(writer, parent, "time", frames, 0, time, "s"));
  free(time);
}

static void put_target_rows(struct writer *writer, hid_t parent, const char *name, const struct dc_bodies *bodies,
                            int steps, const double *values, const char *angle_unit, const char *length_unit)
{
  int count = bodies->actuator_count;
  const char **units = dc_alloc((size_t)count, sizeof *units);
  if (!units) {
    writer->failed = true;
    return;
  }
  for (int b = 0; b < bodies->count; b++) {
    const struct dc_body *body = &bodies->bodies[b];
    for (int p = 0, at = body->actuator; body->actuator >= 0 && p < body->part_count; p++) {
      enum dc_part_kind kind = body->parts[p].kind;
      for (int i = 0; i < dc_part_nv(&body->parts[p]); i++)
        units[at++] = kind == DC_PART_HINGE || kind == DC_PART_BALL ? angle_unit : length_unit;
    }
  }
  hid_t dataset = put_reals(writer, parent, name, steps, count, values, NULL);
  if (count <= MOST_NAMES)
    dc_h5_put_strings(writer, dataset, "unit", count, units);
  close_object(dataset);
  free(units);
}

static void put_targets(struct writer *writer, const struct dc_bodies *bodies, const struct dc_applied_targets *targets)
{
  if (bodies->actuator_count == 0)
    return;
  double apply = targets->apply;
  hid_t group = make_group(writer, writer->file, "targets");
  put_target_rows(writer, group, "position", bodies, targets->steps, targets->position, "rad", "m");
  put_target_rows(writer, group, "velocity", bodies, targets->steps, targets->velocity, "rad/s", "m/s");
  close_object(put_reals(writer, group, "apply", 1, 0, &apply, "1"));
  close_object(group);
}

// Without a pair of bodies that could meet every gap is infinite, and there is nothing to store.
static bool any_gap(const struct dc_trajectory *trajectory)
{
  for (int f = 0; f <= trajectory->steps; f++)
    if (trajectory->min_gap[f] != INFINITY)
      return true;
  return false;
}

static void put_trajectory(struct writer *writer, hid_t parent, const struct dc_scene *scene,
                           const struct dc_trajectory *trajectory, const double *parameters)
{
  put_times(writer, parent, trajectory);
  put_bodies(writer, parent, &scene->model.bodies, trajectory);
  put_joints(writer, parent, &scene->model.bodies, trajectory);
  put_control(writer, parent, scene, trajectory->steps, parameters);
  if (any_gap(trajectory)) {
    hid_t contact = make_group(writer, parent, "contact");
    close_object(put_reals(writer, contact, "min_gap", trajectory->steps + 1, 0, trajectory->min_gap, "m"));
    close_object(contact);
  }
}

static enum dc_status check_finite(const char *which, const struct dc_scene *scene,
                                   const struct dc_trajectory *trajectory, const double *parameters,
                                   struct dc_error *error)
{
  int parameter_count = dc_task_parameter_count(&scene->task, &scene->model, trajectory->steps);
  bool gaps = any_gap(trajectory);
  for (int f = 0; f <= trajectory->steps; f++) {
    const double *q = trajectory->q + (size_t)f * (size_t)trajectory->nq;
    for (int i = 0; i < trajectory->nq; i++)
      if (!isfinite(q[i]))
        return dc_fail(error, DC_NUMERICAL, "%s trajectory: state[%d] of frame %d is not finite", which, i, f);
    if (gaps && !isfinite(trajectory->min_gap[f]))
      return dc_fail(error, DC_NUMERICAL, "%s trajectory: the gap of frame %d is not finite", which, f);
  }
  for (int i = 0; i < parameter_count; i++)
    if (!isfinite(parameters[i]))
      return dc_fail(error, DC_NUMERICAL, "%s trajectory: parameter %d is not finite", which, i);
  return DC_OK;
}

static enum dc_status check_targets(const struct dc_bodies *bodies, const struct dc_applied_targets *targets,
                                    struct dc_error *error)
{
  size_t count = (size_t)targets->steps * (size_t)bodies->actuator_count;
  for (size_t i = 0; i < count; i++)
    if (!isfinite(targets->position[i]) || !isfinite(targets->velocity[i]))
      return dc_fail(error, DC_NUMERICAL, "a target of step %zu is not finite", i / (size_t)bodies->actuator_count + 1);
  return DC_OK;
}

// The whole file in memory; NULL when memory is out, which is all that can fail.
static char *build_image(const struct dc_scene *scene, const struct dc_trajectory *best, const double *best_parameters,
                         const struct dc_trajectory *first, const double *first_parameters,
                         const struct dc_applied_targets *targets, size_t *size)
{
  struct writer writer = {.file = -1};
  struct error_printing saved = dc_h5_silence();
  const char *format = FORMAT;
  dc_h5_writer_open(&writer);
  if (!writer.failed) {
    dc_h5_put_strings(&writer, writer.file, "format", 0, &format);
    dc_h5_put_strings(&writer, writer.file, "name", 0, &scene->name);
    put_trajectory(&writer, writer.file, scene, best, best_parameters);
  }
  if (targets && !writer.failed)
    put_targets(&writer, &scene->model.bodies, targets);
  if (first && !writer.failed) {
    hid_t group = make_group(&writer, writer.file, "first");
    put_trajectory(&writer, group, scene, first, first_parameters);
    close_object(group);
  }
  char *image = dc_h5_writer_image(&writer, FORMAT, size);
  dc_h5_writer_close(&writer);
  dc_h5_speak(saved);
  return image;
}

enum dc_status dc_run_write_trajectory(struct dc_run *run, const struct dc_scene *scene,
                                       const struct dc_trajectory *best, const double *best_parameters,
                                       const struct dc_trajectory *first, const double *first_parameters,
                                       const struct dc_applied_targets *targets, struct dc_error *error)
{
  enum dc_status status = check_finite("best", scene, best, best_parameters, error);
  if (!status && first)
    status = check_finite("first", scene, first, first_parameters, error);
  if (!status && targets)
    status = check_targets(&scene->model.bodies, targets, error);
  if (status)
    return status;
  size_t size = 0;
  char *image = build_image(scene, best, best_parameters, first, first_parameters, targets, &size);
  if (image)
    status = dc_run_write_file(run, "trajectory.h5", image, size, error);
  else
    status = dc_fail(error, DC_MEMORY, "%.800s/trajectory.h5: out of memory for %d frames of %d bodies",
                     dc_run_directory(run), best->steps + 1, scene->model.bodies.count);
  free(image);
  return status;
}

struct reader {
  hid_t root;         // the file or the group /first
  const char *below;  // "" or "first/", for messages
  const char *path;
  size_t file_size;
  struct dc_error *error;
};

static enum dc_status misfit(const struct reader *reader, const char *object, const char *rule)
{
  return dc_fail(reader->error, DC_BAD_INPUT, "%.500s: /%s%.200s: %s", reader->path, reader->below, object, rule);
}

// Reads dataset [*rows][columns] ([*rows] for 0 columns) of finite numbers; *rows < 0 takes any number, and says
// which. *values is owned by arena.
static enum dc_status get_reals(const struct reader *reader, const char *name, int *rows, int columns,
                                struct dc_arena *arena, double **values)
{
  enum dc_status status = DC_OK;
  hid_t dataset = H5Dopen2(reader->root, name, H5P_DEFAULT);
  if (dataset < 0)
    return misfit(reader, name, "is not there");
  hid_t space = H5Dget_space(dataset), type = H5Dget_type(dataset);
  hsize_t shape[2] = {0, 0};
  int rank = columns ? 2 : 1;
  size_t width = columns ? (size_t)columns : 1;
  *values = NULL;
  if (H5Tget_class(type) != H5T_FLOAT || H5Tget_size(type) != sizeof(double))
    status = misfit(reader, name, "must hold 64-bit numbers");
  else if (H5Sget_simple_extent_ndims(space) != rank || H5Sget_simple_extent_dims(space, shape, NULL) < 0 ||
           (columns && shape[1] != (hsize_t)columns) || (*rows >= 0 && shape[0] != (hsize_t)*rows))
    status = misfit(reader, name, "has another shape than the scene asks for");
  // All numbers must be in the file itself, so that memory stays in proportion to it.
  else if (shape[0] > reader->file_size / (width * sizeof(double)) || shape[0] > (hsize_t)1 << 30 ||
           (shape[0] && H5Dget_storage_size(dataset) != shape[0] * width * sizeof(double)))
    status = misfit(reader, name, "claims more numbers than the file holds");
  if (!status) {
    *rows = (int)shape[0];
    *values = dc_arena_alloc(arena, (size_t)shape[0] * width, sizeof(double));
    if (!*values)
      status = dc_fail(reader->error, DC_MEMORY, "%.800s: out of memory", reader->path);
    else if (shape[0] && H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, *values) < 0)
      status = dc_fail(reader->error, DC_IO, "%.500s: /%s%.200s: cannot be read", reader->path, reader->below, name);
  }
  for (size_t i = 0; !status && i < (size_t)shape[0] * width; i++)
    if (!isfinite((*values)[i]))
      status = misfit(reader, name, "holds a number that is not finite");
  close_object(type);
  close_object(space);
  close_object(dataset);
  return status;
}

static enum dc_status get_body(const struct reader *reader, const char *name, int body,
                               struct dc_stored_trajectory *trajectory)
{
  char *link = dc_h5_link_name(name), *position_name = NULL, *rotation_name = NULL;
  double *position, *rotation;
  struct dc_arena *scratch = dc_arena_create();
  enum dc_status status = DC_OK;
  if (link && scratch) {
    position_name = dc_arena_printf(scratch, "bodies/%s/position", link);
    rotation_name = dc_arena_printf(scratch, "bodies/%s/rotation", link);
  }
  if (!position_name || !rotation_name)
    status = dc_fail(reader->error, DC_MEMORY, "%.800s: out of memory", reader->path);
  if (!status)
    status = get_reals(reader, position_name, &trajectory->frames, 3, scratch, &position);
  if (!status)
    status = get_reals(reader, rotation_name, &trajectory->frames, 4, scratch, &rotation);
  for (int f = 0; !status && f < trajectory->frames; f++) {
    const double *q = rotation + 4 * (size_t)f;
    size_t row = (size_t)f * (size_t)trajectory->bodies + (size_t)body;
    memcpy(trajectory->position + 3 * row, position + 3 * (size_t)f, 3 * sizeof(double));
    memcpy(trajectory->quaternion + 4 * row, q, 4 * sizeof(double));
    // The same bound as for rotations in a scene.
    if (!(fabs(sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]) - 1) <= 1e-3))
      status = misfit(reader, rotation_name, "holds a quaternion that is not of length 1");
  }
  dc_arena_destroy(scratch);
  free(link);
  return status;
}

static enum dc_status get_bodies(const struct reader *reader, const struct dc_bodies *bodies,
                                 struct dc_stored_trajectory *trajectory)
{
  H5G_info_t info = {0};
  hid_t group = H5Gopen2(reader->root, "bodies", H5P_DEFAULT);
  bool same_count = group >= 0 && H5Gget_info(group, &info) >= 0 && info.nlinks == (hsize_t)bodies->count;
  close_object(group);
  if (!same_count)
    return misfit(reader, "bodies", "has another number of bodies than the scene");
  size_t rows = (size_t)trajectory->frames * (size_t)bodies->count;
  // Each body needs 56 bytes a frame in the file.
  if (rows > reader->file_size / (7 * sizeof(double)))
    return misfit(reader, "bodies", "claims more numbers than the file holds");
  trajectory->bodies = bodies->count;
  trajectory->position = dc_arena_alloc(trajectory->arena, rows, 3 * sizeof(double));
  trajectory->quaternion = dc_arena_alloc(trajectory->arena, rows, 4 * sizeof(double));
  if (!trajectory->position || !trajectory->quaternion)
    return dc_fail(reader->error, DC_MEMORY, "%.800s: out of memory", reader->path);
  enum dc_status status = DC_OK;
  for (int b = 0; b < bodies->count && !status; b++)
    status = get_body(reader, bodies->bodies[b].name, b, trajectory);
  return status;
}

static enum dc_status get_joint(const struct reader *reader, const struct dc_body *body, int index,
                                struct dc_stored_trajectory *trajectory)
{
  struct dc_stored_joint *joint = &trajectory->joints[trajectory->joint_count++];
  char *link = dc_h5_link_name(body->name), *name = NULL;
  *joint = (struct dc_stored_joint){.body = index, .width = body->nq};
  joint->units = dc_arena_alloc(trajectory->arena, (size_t)body->nq, sizeof *joint->units);
  if (link)
    name = dc_arena_printf(trajectory->arena, "joints/%s", link);
  free(link);
  if (!name || !joint->units)
    return dc_fail(reader->error, DC_MEMORY, "%.800s: out of memory", reader->path);
  joint->link = strchr(name, '/') + 1;
  joint_units(body, joint->units);
  return get_reals(reader, name, &trajectory->frames, joint->width, trajectory->arena, &joint->values);
}

static enum dc_status get_joints(const struct reader *reader, const struct dc_bodies *bodies,
                                 struct dc_stored_trajectory *trajectory)
{
  enum dc_status status = DC_OK;
  trajectory->joints = dc_arena_alloc(trajectory->arena, (size_t)bodies->count, sizeof *trajectory->joints);
  if (!trajectory->joints)
    return dc_fail(reader->error, DC_MEMORY, "%.800s: out of memory", reader->path);
  for (int b = 0; b < bodies->count && !status; b++)
    if (has_joint_numbers(&bodies->bodies[b]))
      status = get_joint(reader, &bodies->bodies[b], b, trajectory);
  return status;
}

// The number of columns of a dataset, 0 when it is not there or has none.
static hsize_t get_width(const struct reader *reader, const char *name)
{
  hsize_t shape[2] = {0, 0};
  hid_t dataset = H5Dopen2(reader->root, name, H5P_DEFAULT);
  hid_t space = dataset < 0 ? -1 : H5Dget_space(dataset);
  if (space < 0 || H5Sget_simple_extent_ndims(space) != 2 || H5Sget_simple_extent_dims(space, shape, NULL) < 0)
    shape[1] = 0;
  close_object(space);
  close_object(dataset);
  return shape[1];
}

// Targets for other actuators than the scene has are left alone.
static enum dc_status get_targets(const struct reader *reader, int actuators, struct dc_stored_trajectory *trajectory)
{
  double *position, *velocity, *apply;
  int steps = trajectory->frames - 1, one = 1;
  if (H5Lexists(reader->root, "targets", H5P_DEFAULT) <= 0 || actuators == 0 ||
      get_width(reader, "targets/position") != (hsize_t)actuators)
    return DC_OK;
  enum dc_status status = get_reals(reader, "targets/position", &steps, actuators, trajectory->arena, &position);
  if (!status)
    status = get_reals(reader, "targets/velocity", &steps, actuators, trajectory->arena, &velocity);
  if (!status)
    status = get_reals(reader, "targets/apply", &one, 0, trajectory->arena, &apply);
  if (status)
    return status;
  if (!(apply[0] >= 1 && apply[0] <= MOST_APPLIED && apply[0] == floor(apply[0])))
    return misfit(reader, "targets/apply", "must be a number of steps");
  trajectory->targets =
      (struct dc_applied_targets){.steps = steps, .apply = (int)apply[0], .position = position, .velocity = velocity};
  return DC_OK;
}

static enum dc_status get_trajectory(const struct reader *reader, const struct dc_scene *scene,
                                     struct dc_stored_trajectory *trajectory)
{
  trajectory->frames = -1;
  enum dc_status status = get_reals(reader, "time", &trajectory->frames, 0, trajectory->arena, &trajectory->time);
  if (!status && trajectory->frames == 0)
    status = misfit(reader, "time", "has no frames");
  for (int f = 1; !status && f < trajectory->frames; f++)
    if (trajectory->time[f] <= trajectory->time[f - 1])
      status = misfit(reader, "time", "must increase");
  if (!status)
    status = get_bodies(reader, &scene->model.bodies, trajectory);
  if (!status)
    status = get_joints(reader, &scene->model.bodies, trajectory);
  trajectory->control_count = dc_task_parameter_count(&scene->task, &scene->model, trajectory->frames - 1);
  if (!status)
    status = get_reals(reader, "control", &trajectory->control_count, 0, trajectory->arena, &trajectory->control);
  if (!status && H5Lexists(reader->root, "contact", H5P_DEFAULT) > 0)
    status = get_reals(reader, "contact/min_gap", &trajectory->frames, 0, trajectory->arena, &trajectory->min_gap);
  return status ? status : get_targets(reader, scene->model.bodies.actuator_count, trajectory);
}

// Reads the best trajectory of an open file, or the first; without a first one trajectory is left alone.
static enum dc_status read_root(hid_t file, bool first, struct reader *reader, const struct dc_scene *scene,
                                struct dc_stored_trajectory *trajectory)
{
  char format[64];
  if (!dc_h5_get_string(file, "format", format, sizeof format) || strcmp(format, FORMAT) != 0)
    return dc_fail(reader->error, DC_IO, "%.800s: is not of the format \"%s\"", reader->path, FORMAT);
  reader->root = file;
  if (!first)
    return get_trajectory(reader, scene, trajectory);
  if (H5Lexists(file, "first", H5P_DEFAULT) <= 0)
    return DC_OK;
  reader->root = H5Gopen2(file, "first", H5P_DEFAULT);
  if (reader->root < 0)
    return misfit(reader, "", "is not a group");
  enum dc_status status = get_trajectory(reader, scene, trajectory);
  close_object(reader->root);
  return status;
}

static enum dc_status read_file(const char *path, bool first, const struct dc_scene *scene,
                                struct dc_stored_trajectory *trajectory, struct dc_error *error)
{
  char *image;
  struct reader reader = {.root = -1, .below = first ? "first/" : "", .path = path, .error = error};
  enum dc_status status = dc_h5_read_image(path, FORMAT, &image, &reader.file_size, error);
  if (!status) {
    struct error_printing saved = dc_h5_silence();
    hid_t file = dc_h5_open_image(image, reader.file_size);
    if (file < 0)
      status = dc_fail(error, DC_IO, "%.800s: HDF5 cannot open it", path);
    else
      status = read_root(file, first, &reader, scene, trajectory);
    if (file >= 0)
      H5Fclose(file);
    dc_h5_speak(saved);
  }
  free(image);
  return status;
}

static enum dc_status read_stored(const char *directory, bool first, const struct dc_scene *scene,
                                  struct dc_stored_trajectory *trajectory, struct dc_error *error)
{
  memset(trajectory, 0, sizeof *trajectory);
  trajectory->arena = dc_arena_create();
  char *path = dc_path_join(directory, "trajectory.h5");
  enum dc_status status;
  if (path && trajectory->arena)
    status = read_file(path, first, scene, trajectory, error);
  else
    status = dc_fail(error, DC_MEMORY, "%.800s: out of memory", directory);
  if (status) {
    dc_arena_destroy(trajectory->arena);
    memset(trajectory, 0, sizeof *trajectory);
  }
  free(path);
  return status;
}

enum dc_status dc_run_read_trajectory(const char *directory, const struct dc_scene *scene,
                                      struct dc_stored_trajectory *trajectory, struct dc_error *error)
{
  return read_stored(directory, false, scene, trajectory, error);
}

enum dc_status dc_run_read_first_trajectory(const char *directory, const struct dc_scene *scene,
                                            struct dc_stored_trajectory *trajectory, struct dc_error *error)
{
  return read_stored(directory, true, scene, trajectory, error);
}
