// SPDX-License-Identifier: Apache-2.0
// trajectory.h5 is written: the best trajectory at the root, the first one in the group "first", velocities and
// contacts (trajectory_motion_h5.c), and the targets that a receding horizon applied.
//
// HDF5 ends the process when it cannot allocate in some places, so the file is put together in a child process,
// which may fail without the run.  Files of up to dc_run_most_in_memory come back through a pipe and are
// written whole; larger ones are made in memory that is mapped from the file itself, whose size `bound` bounds
// from above beforehand.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/child.h"
#include "body/soft.h"
#include "io/run/h5_file.h"
#include "io/run/seal.h"
#include "io/run/trajectory_h5.h"

// Writes the parameters, with names and units as attributes while there are at most DC_H5_MOST_NAMES: HDF5
// keeps attributes in the object's header, which holds 64 kB.
static void put_control(struct writer *writer, hid_t parent, const struct dc_scene *scene, int steps,
                        const double *parameters)
{
  int count = dc_task_parameter_count(&scene->task, &scene->model, steps);
  hid_t dataset = dc_h5_put_reals(writer, parent, "control", count, 0, parameters, NULL);
  if (count > 0 && count <= DC_H5_MOST_NAMES) {
    enum { LONGEST = 256 };
    char(*texts)[LONGEST] = dc_alloc((size_t)count, sizeof *texts);
    char(*units)[LONGEST] = dc_alloc((size_t)count, sizeof *units);
    const char **names = dc_alloc((size_t)count, sizeof *names);
    if (texts && units && names) {
      for (int i = 0; i < count; i++) {
        double scale;
        const char *unit = dc_task_parameter_unit(&scene->task, &scene->model, steps, i, &scale);
        dc_task_parameter_name(&scene->task, &scene->model, steps, i, texts[i], LONGEST);
        dc_unit_text(unit, scale, units[i], LONGEST);
        names[i] = texts[i];
      }
      dc_h5_put_strings(writer, dataset, "names", count, names);
      for (int i = 0; i < count; i++)
        names[i] = units[i];
      dc_h5_put_strings(writer, dataset, "units", count, names);
    } else {
      writer->failed = true;
    }
    free(texts);
    free(units);
    free(names);
  }
  close_object(dataset);
}

// Numbers [rows][width], of which each row begins `stride` bytes behind the one before: one body's part of
// frames that hold all bodies.
struct strided {
  const double *first;   // the first number of the first row
  size_t stride, width;  // bytes; numbers
};

// Copies row number `row`; a callback of dc_h5_put_computed, which asks for rows in their order.
static void fill_strided(const void *context, int row, double *numbers)
{
  const struct strided *strided = context;
  memcpy(numbers, (const char *)strided->first + (size_t)row * strided->stride, strided->width * sizeof *numbers);
}

// Writes a data set [frames][width]; unit NULL: the caller adds an attribute of its own.
static void put_rows(struct writer *writer, hid_t parent, const char *name, int frames, int width, const double *first,
                     size_t stride, const char *unit)
{
  const struct strided strided = {first, stride, (size_t)width};
  hid_t dataset = dc_h5_put_computed(writer, parent, name, frames, width, fill_strided, &strided);
  if (unit)
    dc_h5_put_strings(writer, dataset, "unit", 0, &unit);
  close_object(dataset);
}

// Rows of the file: frames, or the states inside of divided steps.
struct states {
  int count;
  const double *q;              // [count][nq]
  const struct dc_pose *poses;  // [count][bodies]
};

// Writes a group for every body with position [states][3], m, and rotation [states][4], a quaternion (w, x, y,
// z).
static void put_bodies(struct writer *writer, hid_t parent, const struct dc_bodies *bodies, const struct states *states)
{
  hid_t group = dc_h5_make_group(writer, parent, "bodies");
  size_t stride = (size_t)bodies->count * sizeof *states->poses;
  for (int b = 0; b < bodies->count && !writer->failed; b++) {
    const struct dc_pose *pose = &states->poses[b];
    char *name = dc_h5_link_name(bodies->bodies[b].name);
    hid_t object = name ? dc_h5_make_group(writer, group, name) : checked(writer, -1);
    put_rows(writer, object, "position", states->count, 3, pose->position, stride, "m");
    put_rows(writer, object, "rotation", states->count, 4, pose->quaternion, stride, "1");
    close_object(object);
    free(name);
  }
  close_object(group);
}

// The unit of each coordinate of a joint, m, rad or 1 for quaternions, as an attribute [nq].
static void put_units(struct writer *writer, hid_t dataset, const struct dc_body *body)
{
  const char **units = dc_alloc((size_t)body->nq, sizeof *units);
  if (units)
    dc_h5_joint_units(body, units);
  if (units)
    dc_h5_put_strings(writer, dataset, "unit", body->nq, units);
  else
    writer->failed = true;
  free(units);
}

// Writes the joint coordinates of bodies that are not free, [states][nq of the body], as they stand in the
// state.  The group is made with the first one.
static void put_joints(struct writer *writer, hid_t parent, const struct dc_bodies *bodies, const struct states *states)
{
  hid_t group = -1;
  size_t stride = (size_t)bodies->nq * sizeof *states->q;
  for (int b = 0; b < bodies->count && !writer->failed; b++) {
    const struct dc_body *body = &bodies->bodies[b];
    if (!dc_h5_has_joint_numbers(body))
      continue;
    if (group < 0)
      group = dc_h5_make_group(writer, parent, "joints");
    char *name = dc_h5_link_name(body->name);
    if (name)
      put_rows(writer, group, name, states->count, body->nq, states->q + body->q_offset, stride, NULL);
    hid_t dataset = name ? checked(writer, H5Dopen2(group, name, H5P_DEFAULT)) : checked(writer, -1);
    put_units(writer, dataset, body);
    close_object(dataset);
    free(name);
  }
  close_object(group);
}

// Writes the places of the nodes of soft bodies, [states][3 nodes], m.
static void put_nodes(struct writer *writer, hid_t parent, const struct dc_bodies *bodies, const struct states *states)
{
  hid_t group = bodies->soft_count ? dc_h5_make_group(writer, parent, "nodes") : -1;
  size_t stride = (size_t)bodies->nq * sizeof *states->q;
  for (int s = 0; s < bodies->soft_count && !writer->failed; s++) {
    const struct dc_soft *soft = &bodies->soft[s];
    char *name = dc_h5_link_name(bodies->bodies[soft->body].name);
    if (name)
      put_rows(writer, group, name, states->count, 3 * soft->node_count, states->q + soft->q_offset, stride, "m");
    writer->failed |= !name;
    free(name);
  }
  close_object(group);
}

// The time of a frame is frame × time step, computed and not summed, so that readers can compute it again.
static void fill_time(const void *context, int frame, double *time)
{
  *time = frame * ((const struct dc_trajectory *)context)->time_step;
}

static void put_times(struct writer *writer, hid_t parent, const struct dc_trajectory *trajectory)
{
  static const char *const unit = "s";
  hid_t dataset = dc_h5_put_computed(writer, parent, "time", trajectory->steps + 1, 0, fill_time, trajectory);
  dc_h5_put_strings(writer, dataset, "unit", 0, &unit);
  close_object(dataset);
}

// Writes rows of actuator coordinates [steps][actuators] or their rates, with the unit of each: lengths for
// cables, translations and slides, angles for hinges and balls, and for drives of soft bodies their own
// (pressure, strain).
static void put_target_rows(struct writer *writer, hid_t parent, const char *name, const struct dc_bodies *bodies,
                            int steps, const double *values, bool rates)
{
  const char *angle_unit = rates ? "rad/s" : "rad", *length_unit = rates ? "m/s" : "m";
  int count = bodies->actuator_count;
  const char **units = dc_alloc((size_t)count, sizeof *units);
  if (!units) {
    writer->failed = true;
    return;
  }
  for (int a = 0; a < count; a++)
    units[a] = length_unit;  // of cables
  for (int s = 0; s < bodies->soft_count; s++) {
    const struct dc_soft_drives *drives = &bodies->soft[s].drives;
    for (int d = 0, at = bodies->bodies[bodies->soft[s].body].actuator; d < dc_soft_drive_count(drives); d++)
      units[at + d] = rates ? dc_soft_drive_rate_unit(drives, d) : dc_soft_drive_unit(drives, d);
  }
  for (int b = 0; b < bodies->count; b++) {
    const struct dc_body *body = &bodies->bodies[b];
    for (int p = 0, at = body->actuator; body->actuator >= 0 && p < body->part_count; p++) {
      enum dc_part_kind kind = body->parts[p].kind;
      for (int i = 0; i < dc_part_nv(&body->parts[p]); i++)
        units[at++] = kind == DC_PART_HINGE || kind == DC_PART_BALL ? angle_unit : length_unit;
    }
  }
  hid_t dataset = dc_h5_put_reals(writer, parent, name, steps, count, values, NULL);
  if (count <= DC_H5_MOST_NAMES)
    dc_h5_put_strings(writer, dataset, "unit", count, units);
  close_object(dataset);
  free(units);
}

// The group "targets" has what a receding horizon applied: position and velocity [steps][actuators], and how many
// steps of each window were applied.
static void put_targets(struct writer *writer, const struct dc_bodies *bodies, const struct dc_applied_targets *targets)
{
  if (bodies->actuator_count == 0)
    return;
  double apply = targets->apply;
  hid_t group = dc_h5_make_group(writer, writer->file, "targets");
  put_target_rows(writer, group, "position", bodies, targets->steps, targets->position, false);
  put_target_rows(writer, group, "velocity", bodies, targets->steps, targets->velocity, true);
  close_object(dc_h5_put_reals(writer, group, "apply", 1, 0, &apply, "1"));
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

// Writes, where a step was divided, the number of parts of every step and the states between them in the group
// "between": times, bodies, joints and nodes as for frames.  A trajectory without divided steps has neither.
// between->at is the part 0 to 1 of the step at which a state lies.  Poses are computed here, as they are not kept.
static void put_between(struct writer *writer, hid_t parent, const struct dc_bodies *bodies,
                        const struct dc_trajectory *trajectory)
{
  const struct dc_between *between = &trajectory->between;
  size_t count = (size_t)between->count, body_count = (size_t)bodies->count, nq = (size_t)bodies->nq;
  if (count == 0)
    return;
  struct dc_pose *poses = dc_alloc(count * body_count, sizeof *poses);
  double *time = dc_alloc(count, sizeof *time), *substeps = dc_alloc((size_t)trajectory->steps, sizeof *substeps);
  writer->failed |= !poses || !time || !substeps;
  for (int t = 0; t < trajectory->steps && !writer->failed; t++) {
    substeps[t] = dc_trajectory_substeps(trajectory, t);
    for (int i = trajectory->between_first[t]; i < trajectory->between_first[t + 1]; i++) {
      time[i] = (t + between->at[i]) * trajectory->time_step;
      dc_poses(bodies, between->q + (size_t)i * nq, poses + (size_t)i * body_count);
    }
  }
  if (!writer->failed) {
    const struct states states = {between->count, between->q, poses};
    close_object(dc_h5_put_reals(writer, parent, "substeps", trajectory->steps, 0, substeps, "1"));
    hid_t group = dc_h5_make_group(writer, parent, "between");
    close_object(dc_h5_put_reals(writer, group, "time", between->count, 0, time, "s"));
    put_bodies(writer, group, bodies, &states);
    put_joints(writer, group, bodies, &states);
    put_nodes(writer, group, bodies, &states);
    close_object(group);
  }
  free(poses);
  free(time);
  free(substeps);
}

// Writes one trajectory: times, bodies, joints, nodes, states within steps, parameters, gaps.
static void put_trajectory(struct writer *writer, hid_t parent, const struct dc_scene *scene,
                           const struct dc_trajectory *trajectory, const double *parameters)
{
  writer->frames = &trajectory->file;
  put_times(writer, parent, trajectory);
  const struct states frames = {trajectory->steps + 1, trajectory->q, trajectory->poses};
  put_bodies(writer, parent, &scene->model.bodies, &frames);
  put_joints(writer, parent, &scene->model.bodies, &frames);
  put_nodes(writer, parent, &scene->model.bodies, &frames);
  put_between(writer, parent, &scene->model.bodies, trajectory);
  put_control(writer, parent, scene, trajectory->steps, parameters);
  if (any_gap(trajectory)) {
    hid_t contact = dc_h5_make_group(writer, parent, "contact");
    close_object(dc_h5_put_reals(writer, contact, "min_gap", trajectory->steps + 1, 0, trajectory->min_gap, "m"));
    close_object(contact);
  }
}

// Refuses a trajectory with numbers that are not finite before anything is written: readers refuse such a file,
// and the run would be lost to them.  `which` is for the message.
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
    dc_trajectory_release(trajectory, f);
  }
  for (int i = 0; i < parameter_count; i++)
    if (!isfinite(parameters[i]))
      return dc_fail(error, DC_NUMERICAL, "%s trajectory: parameter %d is not finite", which, i);
  return DC_OK;
}

// The message counts steps from 1, as reports do.
static enum dc_status check_targets(const struct dc_bodies *bodies, const struct dc_applied_targets *targets,
                                    struct dc_error *error)
{
  size_t count = (size_t)targets->steps * (size_t)bodies->actuator_count;
  for (size_t i = 0; i < count; i++)
    if (!isfinite(targets->position[i]) || !isfinite(targets->velocity[i]))
      return dc_fail(error, DC_NUMERICAL, "a target of step %zu is not finite", i / (size_t)bodies->actuator_count + 1);
  return DC_OK;
}

// Everything that a trajectory.h5 is written from, for the process that writes it.
struct content {
  const struct dc_scene *scene;
  const struct dc_trajectory *best, *first;
  const double *best_parameters, *first_parameters;  // of best and first, [parameters] each
  const struct dc_applied_targets *targets;
  const struct dc_run_readout *readout;
  struct dc_mapped_file *memory;  // that the file is made in, shared by both processes; NULL: the heap
};

// Files that may be larger are made in place.
size_t dc_run_most_in_memory = 16 << 20;

// The whole file, in a process of its own.
static void put_content(struct writer *writer, const struct content *content)
{
  const struct dc_scene *scene = content->scene;
  const char *format = DC_TRAJECTORY_FORMAT;
  if (!writer->failed) {
    dc_h5_put_strings(writer, writer->file, "format", 0, &format);
    dc_h5_put_strings(writer, writer->file, "name", 0, &scene->name);
    put_trajectory(writer, writer->file, scene, content->best, content->best_parameters);
  }
  if (content->readout && !writer->failed)
    dc_h5_put_motion(writer, writer->file, content->best, content->readout);
  if (content->targets && !writer->failed)
    put_targets(writer, &scene->model.bodies, content->targets);
  if (content->first && !writer->failed) {
    hid_t group = dc_h5_make_group(writer, writer->file, "first");
    put_trajectory(writer, group, scene, content->first, content->first_parameters);
    close_object(group);
  }
}

// Builds the file in a process of its own and hands it over, or, where it is made in memory that both processes
// have, its size alone.
static enum dc_status build_image(void *context, char **image, size_t *size, struct dc_error *error)
{
  const struct content *content = context;
  struct writer writer = {.file = -1};
  bool out_of_memory;
  dc_h5_watch(&out_of_memory);
  dc_h5_writer_open(&writer, content->memory);
  put_content(&writer, content);
  if (content->memory) {
    size_t length = dc_h5_writer_finish(&writer, DC_TRAJECTORY_FORMAT);
    *image = length ? malloc(sizeof length) : NULL;
    *size = sizeof length;
    if (*image)
      memcpy(*image, &length, sizeof length);
  } else {
    *image = dc_h5_writer_image(&writer, DC_TRAJECTORY_FORMAT, size);
    dc_h5_writer_close(&writer);
  }
  return *image && !out_of_memory ? DC_OK : dc_out_of_memory(error);
}

// More bytes than a trajectory of so many frames and states between them has in the file: its numbers, and 16 kB a
// body for groups, headers and names.  The counts are doubles, since their products may exceed integers.
static double bound_trajectory(const struct dc_scene *scene, double frames, double between, double parameters)
{
  enum { PER_BODY = 16 << 10 };
  const struct dc_bodies *bodies = &scene->model.bodies;
  double row = 3 + 7.0 * bodies->count + 3.0 * bodies->node_count;  // time, gap, parts of the step; poses; nodes
  for (int b = 0; b < bodies->count; b++)
    row += dc_h5_has_joint_numbers(&bodies->bodies[b]) ? bodies->bodies[b].nq : 0;
  return ((frames + between) * row + parameters) * (double)sizeof(double) + (double)PER_BODY * bodies->count;
}

// Bounds the size of the file from above, for the room that it is mapped into.  Too large costs nothing, as
// unused pages are never written; too small would fail the write.
// PER_FILE covers names, headers and alignment beside the numbers.
static size_t bound(const struct content *content)
{
  enum { PER_FILE = 8 << 20 };
  const struct dc_scene *scene = content->scene;
  const struct dc_trajectory *both[] = {content->best, content->first};
  double sum = PER_FILE;
  for (int i = 0; i < 2; i++)
    if (both[i])
      sum += bound_trajectory(scene, both[i]->steps + 1.0, both[i]->between.count,
                              dc_task_parameter_count(&scene->task, &scene->model, both[i]->steps));
  if (content->readout)
    sum += dc_h5_bound_motion(content->readout, content->best->steps + 1.0);
  if (content->targets)
    sum += 2.0 * content->targets->steps * scene->model.bodies.actuator_count * (double)sizeof(double);
  return (size_t)sum;
}

// Refuses a scene before it runs whose trajectory could not be written at its end.
enum dc_status dc_run_check_size(const struct dc_scene *scene, struct dc_error *error)
{
  int steps = (int)scene->definition.time.steps;
  double bytes =
      2 * bound_trajectory(scene, steps + 1.0, 0, dc_task_parameter_count(&scene->task, &scene->model, steps));
  if (bytes <= (double)DC_SEALED_MOST_BYTES)
    return DC_OK;
  dc_fail(error, DC_MEMORY, "trajectory.h5 of %d steps of %d bodies may take %.1f GB (at most %.1f GB)", steps,
          scene->model.bodies.count, bytes / 1e9, (double)DC_SEALED_MOST_BYTES / 1e9);
  return dc_scene_wrap(scene, DC_PART_TIME, 0, error);
}

// Puts file and size of the trajectory in front of the reason, which is often a lack of memory.
static enum dc_status fail_writing(const struct dc_run *run, const struct content *content, enum dc_status status,
                                   const struct dc_error *why, struct dc_error *error)
{
  return dc_fail(error, status, "%.500s/trajectory.h5, %d frames of %d bodies: %.300s", dc_run_directory(run),
                 content->best->steps + 1, content->scene->model.bodies.count, why->text);
}

// The file is built in memory by a child process: HDF5 may end the program on a full disk or a fault of its own, which
// then costs the child alone. The bytes are written like those of all other files.
static enum dc_status write_from_memory(struct dc_run *run, struct content *content, struct dc_error *error)
{
  struct dc_error why = {0};
  size_t size;
  char *image;
  enum dc_status status = dc_child_run(build_image, content, 0, &image, &size, &why);
  if (status)
    return fail_writing(run, content, status, &why, error);
  status = dc_run_write_file(run, "trajectory.h5", image, size, error);
  free(image);
  return status;
}

// A large file is made where it will be, so that it needs next to no memory.
static enum dc_status write_in_place(struct dc_run *run, struct content *content, struct dc_error *error)
{
  struct dc_error why = {0};
  struct dc_run_image image;
  size_t size, length = 0;
  char *answer;
  enum dc_status status = dc_run_image_begin(run, "trajectory.h5", bound(content), &image, error);
  if (status)
    return status;
  content->memory = &image.memory;
  status = dc_child_run(build_image, content, 0, &answer, &size, &why);
  if (status)
    status = fail_writing(run, content, status, &why, error);
  else
    memcpy(&length, answer, sizeof length);
  free(answer);
  return dc_run_image_end(run, "trajectory.h5", &image, length, status, error);
}

// Checks all numbers, then writes trajectory.h5: small files by way of a pipe from the writing process, larger
// ones in place.
enum dc_status dc_run_write_trajectory(struct dc_run *run, const struct dc_scene *scene,
                                       const struct dc_trajectory *best, const double *best_parameters,
                                       const struct dc_trajectory *first, const double *first_parameters,
                                       const struct dc_applied_targets *targets, const struct dc_run_readout *readout,
                                       struct dc_error *error)
{
  struct content content = {.scene = scene,
                            .best = best,
                            .first = first,
                            .best_parameters = best_parameters,
                            .first_parameters = first_parameters,
                            .targets = targets,
                            .readout = readout};
  enum dc_status status = check_finite("best", scene, best, best_parameters, error);
  if (!status && first)
    status = check_finite("first", scene, first, first_parameters, error);
  if (!status && targets)
    status = check_targets(&scene->model.bodies, targets, error);
  if (status)
    return status;
  return bound(&content) <= dc_run_most_in_memory ? write_from_memory(run, &content, error)
                                                  : write_in_place(run, &content, error);
}
